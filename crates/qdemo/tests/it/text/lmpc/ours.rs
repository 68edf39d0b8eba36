//! `--style lmpc` writes what LMPC takes, and what gives the recording back.

use std::path::PathBuf;

use qdemo::text::{Decompiled, Options, Style, decompile};
use qdemo::{FileKind, Limits, Reader};

use super::{Game, read};
use crate::common::{all_dem, all_dm2, all_dm3, all_qwd, file_name, files, not_long, shared};

/// What a text came to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    /// Recordings.
    demos: usize,
    /// Those with something that is beyond LMPC.
    beyond: usize,
    /// Statements that LMPC compiles to the bytes of the recording.
    exact: usize,
}

/// The game of a text for LMPC, if there is one.
fn game(kind: FileKind) -> Option<Game> {
    match kind {
        FileKind::Dem => Some(Game::Quake),
        FileKind::Qwd => Some(Game::QuakeWorld),
        FileKind::Dm2 => Some(Game::Quake2),
        FileKind::Dm3 => Some(Game::Quake3),
        _ => None,
    }
}

/// LMPC takes all of a text but what is said to be beyond it, and compiles it to the recording.
#[track_caller]
pub(crate) fn assert_taken_by_lmpc(demo: &[u8], name: &str, text: &[u8], done: &Decompiled) {
    if let Some(game) = game(done.detected.kind) {
        check(demo, name, game, (text, done), &mut Count::default());
    }
}

/// Checks the text of a recording.
#[track_caller]
fn check(demo: &[u8], name: &str, game: Game, (text, done): (&[u8], &Decompiled), count: &mut Count) {
    let pieces = match read(text, game) {
        Ok(pieces) => pieces,
        // Of a file without a chunk there is nothing to say.
        Err(_) if done.blocks == 0 => return,
        Err(e) => panic!("{name}: {e:?}"),
    };
    count.demos += 1;
    count.beyond += usize::from(done.beyond_lmpc > 0);
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let mut from = 0;
    for piece in &pieces {
        if (game == Game::Quake3 || piece.introduces) && piece.marked && pieces[0].marked {
            // A protocol that LMPC does not have, or is not told.
            break;
        }
        let bytes = if game == Game::Quake3 {
            &[][..]
        } else {
            assert!(chunks.next_chunk().unwrap().is_some(), "{name}: more statements than chunks");
            let to = chunks.offset() as usize;
            &demo[std::mem::replace(&mut from, to)..to]
        };
        match &piece.bytes {
            Ok(compiled) => {
                assert!(!piece.marked, "{name}: LMPC takes what is said to be beyond it");
                if compiled != bytes {
                    let at =
                        compiled.iter().zip(bytes).position(|(a, b)| a != b).unwrap_or(compiled.len().min(bytes.len()));
                    panic!(
                        "{name}: the chunk before {from}: byte {at} differs, {} and {} bytes",
                        compiled.len(),
                        bytes.len()
                    );
                }
                count.exact += 1;
            }
            Err(wrong) => assert!(piece.marked, "{name}: {wrong:?}"),
        }
    }
    let marked = pieces.iter().any(|piece| piece.marked);
    assert!(!marked || done.beyond_lmpc > 0, "{name}: marked, but not counted");
}

fn check_all(demos: &[PathBuf], expected: Game) -> Count {
    let mut count = Count::default();
    for path in demos {
        let (demo, name) = (std::fs::read(path).unwrap(), file_name(path));
        let mut text = Vec::new();
        let done = decompile(&demo[..], &name, &mut text, &Options::with_style(Style::Lmpc)).unwrap();
        if game(done.detected.kind) == Some(expected) {
            check(&demo, &name, expected, (&text, &done), &mut count);
        }
    }
    count
}

#[test]
fn texts_of_quake() {
    let count = check_all(&not_long(all_dem()), Game::Quake);
    assert!(count.exact > 0 && count.beyond < count.demos, "{count:?}");
    eprintln!("{count:?}");
}

#[test]
fn texts_of_quakeworld() {
    let count = check_all(&not_long(all_qwd()), Game::QuakeWorld);
    assert!(count.exact > 0 && count.beyond < count.demos, "{count:?}");
    eprintln!("{count:?}");
}

#[test]
fn texts_of_quake_2() {
    let count = check_all(&not_long(all_dm2()), Game::Quake2);
    assert!(count.exact > 0 && count.beyond < count.demos, "{count:?}");
    eprintln!("{count:?}");
}

#[test]
fn texts_of_quake_3() {
    let mut all = all_dm3();
    all.extend(shared("corpus2/q3").into_iter().flat_map(|folder| files(&folder, "")));
    let count = check_all(&not_long(all), Game::Quake3);
    assert!(count.exact > 0, "{count:?}");
    eprintln!("{count:?}");
}
