//! LMPC's own language, as far as it goes: what its texts may hold, told a second time from the facts of it alone, with
//! the bytes that it would write for them. (Nothing of the library's parser or printer takes part.)

mod letters;
mod lexer;
mod ours;
mod quake;
mod quake2;
mod quake3;
mod quakeworld;
mod values;
mod wrong;

use std::collections::HashSet;
use std::sync::LazyLock;

use lexer::{Lexer, Tokens, Wrong};
pub(crate) use ours::assert_taken_by_lmpc;
use quakeworld::QuakeWorld;

/// A format that LMPC has a language for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Game {
    Quake,
    QuakeWorld,
    Quake2,
    Quake3,
}

/// A statement at the top of a text.
#[derive(Debug)]
struct Piece {
    /// The bytes that LMPC writes for it (none of Quake III, of which only the form is known), or what it rejects.
    bytes: Result<Vec<u8>, Wrong>,
    /// The text says that it is beyond LMPC.
    marked: bool,
    /// It stands for an introduction that is damaged.
    introduces: bool,
}

/// Reads a text as LMPC does. A statement at the top begins with its line.
fn read(text: &[u8], game: Game) -> Result<Vec<Piece>, Wrong> {
    // LMPC has one list of words for the three of them.
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| quake::words().chain(quakeworld::words()).chain(quake2::words()).collect());
    let lexer = if game == Game::Quake3 { Lexer::Dotted } else { Lexer::Listed(&WORDS) };
    if text.len() < 20 {
        return Err(Wrong { line: 1, what: "a text has 20 bytes at least".into() });
    }
    let mut lines: Vec<(usize, &[u8], bool)> = Vec::new();
    let mut at = 0;
    for (n, line) in text.split_inclusive(|&b| b == b'\n').enumerate() {
        let begins = line.first().is_some_and(|b| !matches!(b, b' ' | b'}' | b'/' | b'\n' | b'\r'));
        if begins && lines.is_empty() && at >= 1000 {
            return Err(Wrong { line: n + 1, what: "no word in the first 1000 bytes".into() });
        }
        match lines.last_mut() {
            _ if begins => lines.push((n + 1, line, false)),
            Some((_, _, marked)) if line.starts_with(b"// beyond LMPC: ") => *marked = true,
            _ => {}
        }
        if let (false, Some((_, piece, _))) = (begins, lines.last_mut()) {
            // All lines up to the next statement belong to this one.
            let start = at - piece.len();
            *piece = &text[start..at + line.len()];
        }
        at += line.len();
    }
    let (mut quakeworld, mut ended) = (QuakeWorld::default(), false);
    let mut pieces = Vec::new();
    for (n, (line, piece, marked)) in lines.into_iter().enumerate() {
        let mut tokens = Tokens::new(piece, line, lexer);
        let mut one = || {
            let mut out = Vec::new();
            let Some(s) = tokens.statement()? else { return Ok(out) };
            match game {
                Game::Quake => quake::put_top(&s, n == 0, &mut out)?,
                Game::QuakeWorld => quakeworld.put_top(&s, &mut out)?,
                Game::Quake2 => quake2::put_top(&s, &mut ended, &mut out)?,
                Game::Quake3 => quake3::check_top(&s, n == 0)?,
            }
            match tokens.next()? {
                None => Ok(out),
                Some(more) => Err(Wrong { line, what: format!("{more:?} behind the end of the statement") }),
            }
        };
        pieces.push(Piece { bytes: one(), marked, introduces: piece.starts_with(b"introduction") });
    }
    match pieces.is_empty() {
        true => Err(Wrong { line: 1, what: "no statement".into() }),
        false => Ok(pieces),
    }
}
