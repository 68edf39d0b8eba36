//! Texts of LMPC 3.4.5: they compile to the recordings that they were made from, and our LMPC style is what it writes,
//! but for what it does not read itself.

use qdemo::format::dem::{self, Dialect};
use qdemo::format::encode_messages;
use qdemo::text::{Options, Style, compile_bytes, decompile};
use qdemo::wire::ByteWriter;
use qdemo::{Chunk, Limits, Reader};

use crate::common::{OfLmpc, told_by_lmpc};
use crate::dm3::recordings::walk;

/// Texts of LMPC compile to the recording they were made from.
#[test]
fn texts_compile_to_the_original() {
    for format in ["qwd", "dm2"] {
        for OfLmpc { name, text, demo } in told_by_lmpc(format, |extension| extension == format) {
            match compile_bytes(&text, &name) {
                Ok(back) => assert!(back == demo, "{name} differs"),
                Err(e) => panic!("{name}: {e}"),
            }
        }
    }
}

/// A block of Quake: the camera, and the messages.
fn block(demo: &[u8], at: usize) -> ([f32; 3], &[u8]) {
    let word = |n: usize| <[u8; 4]>::try_from(&demo[at + 4 * n..at + 4 * n + 4]).unwrap();
    let size = u32::from_le_bytes(word(0)) as usize;
    ([1, 2, 3].map(|n| f32::from_le_bytes(word(n))), &demo[at + 16..at + 16 + size])
}

/// LMPC's text of a recording of Quake has lost three things: the bits of NaN, times that eight decimals do not name, and
/// what protocol 15 does not have in messages of other protocols, which LMPC takes for messages of 15. All else compiles to
/// the recording.
#[test]
fn texts_of_quake_compile_to_the_original_but_for_what_they_lost() {
    let mut exact = 0;
    for OfLmpc { name, text, demo } in told_by_lmpc("dem", |extension| extension == "dem") {
        let back = compile_bytes(&text, &name).unwrap_or_else(|e| panic!("{name}: {e}"));
        if back == demo {
            exact += 1;
            continue;
        }
        let mut at = demo.iter().position(|b| *b == b'\n').unwrap() + 1;
        assert_eq!(back[..at], demo[..at], "{name}: track");
        let mut decoder = dem::Decoder::default();
        let mut chunks = Reader::new(&demo[..], &name, Limits::default()).unwrap();
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            let Chunk::Dem(dem::Chunk::Block(whole)) = chunk else { continue };
            let (packet, _) = decoder.read(&whole);
            let ((ours, written), (theirs, payload)) = (block(&back, at), block(&demo, whole.offset as usize));
            at += 16 + written.len();
            for (ours, theirs) in ours.into_iter().zip(theirs) {
                let nan = ours.is_nan() && theirs.is_nan() && ours.is_sign_positive() == theirs.is_sign_positive();
                assert!(ours.to_bits() == theirs.to_bits() || nan, "{name}: camera of the block at {}", whole.offset);
            }
            if written == payload || lost_a_time(written, payload) {
                continue;
            }
            let of_15 = packet.messages.iter().all(|message| encodes_alike(message, decoder.before()));
            assert!(!of_15, "{name}: the block at {}", whole.offset);
        }
        assert_eq!(at, back.len(), "{name}");
    }
    // Those of the README: six of eighteen that LMPC itself does not compile back.
    assert!(exact >= 6 || told_by_lmpc("dem", |extension| extension == "dem").is_empty(), "{exact}");
}

/// The blocks differ in the time in front alone, and its eight decimals are those of another one.
fn lost_a_time(written: &[u8], payload: &[u8]) -> bool {
    let time = |bytes: &[u8]| match bytes {
        [7, a, b, c, d, rest @ ..] => Some((f32::from_le_bytes([*a, *b, *c, *d]), rest.to_vec())),
        _ => None,
    };
    let (Some((read, rest)), Some((told, same))) = (time(written), time(payload)) else { return false };
    rest == same && format!("{told:.8}").parse() == Ok(read)
}

/// A message has the same bytes in protocol 15.
fn encodes_alike(message: &dem::Message<'_>, mut dialect: Dialect) -> bool {
    let (mut own, mut old) = (ByteWriter::default(), ByteWriter::default());
    encode_messages([message], &mut dialect, &mut own).is_ok()
        && encode_messages([message], &mut { Dialect::QUAKE }, &mut old).is_ok()
        && own.as_slice() == old.as_slice()
}

/// LMPC's text compiles to the recording, but for the bytes that it cannot hold. Facts 1.6: a block that ends with a
/// byte has one more byte of whatever was in memory. LMPC does not tell it; it becomes 0.
#[test]
fn texts_of_quake_3_compile_to_the_original_but_for_unwritten_bytes() {
    let (mut differ, mut whole) = (0, 0);
    for OfLmpc { name, text, demo } in told_by_lmpc("q3", |extension| extension == "dm_68") {
        let back = compile_bytes(&text, &name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (ours, _) = walk(&back, 0);
        let (theirs, end) = walk(&demo, 0);
        assert_eq!(ours, theirs, "{name}: blocks");
        assert_eq!(back[end..], demo[end..], "{name}: the end");
        for (offset, size) in theirs {
            let payload = |demo: &[u8]| demo[offset as usize..offset as usize + 8 + size].to_vec();
            let (mut ours, mut theirs) = (payload(&back), payload(&demo));
            let (our_last, their_last) = (ours.pop().unwrap(), theirs.pop().unwrap());
            assert_eq!(ours, theirs, "{name}: the block at {offset}");
            // The code of the end of message, 10101, fills up the byte in front of the last one.
            let at_border = theirs.last().unwrap() >> 3 == 0b10101 && our_last == 0;
            assert!(our_last == their_last || at_border, "{name}: the last byte of the block at {offset}");
            differ += u64::from(our_last != their_last);
            whole += u64::from(at_border);
        }
    }
    // In every eighth block or so the bits end with a byte; not all have something else than 0 behind.
    assert!(whole == 0 || differ > 0 && differ <= whole, "{differ} of {whole}");
}

/// Lines of a text, a character for each byte. Left out are the name of the source in the first line, remarks on what is
/// beyond LMPC, and LMPC's question whether the player cheats.
fn lines(text: &[u8]) -> Vec<String> {
    let text: String = text.iter().map(|&b| char::from(b)).collect();
    let told = text
        .split('\n')
        .skip(1)
        .filter(|line| !line.starts_with("// beyond LMPC: ") && !line.starts_with("// left out for LMPC: "));
    told.map(|line| match line.contains(" do you cheat?") {
        true => line[..line.find(" // ").unwrap()].to_owned(),
        false => line.to_owned(),
    })
    .collect()
}

/// Our text of a recording for LMPC, and whether messages of it are bytes.
fn ours(demo: &[u8], name: &str) -> (Vec<String>, bool) {
    let mut text = Vec::new();
    let done = decompile(demo, name, &mut text, &Options::with_style(Style::Lmpc)).unwrap();
    (lines(&text), done.bytes_for_lmpc > 0)
}

/// The texts have the same lines, but for times and offsets of times that LMPC does not read as it writes them.
#[track_caller]
fn assert_same_letters(name: &str, ours: &[String], theirs: &[String]) {
    // A number with LMPC's digits and one that is read right.
    let number = |line: &str| {
        let (word, value) = line.trim().split_once(' ')?;
        let unit = word == "time" || word == "entertime";
        (unit || word == "timeofs").then(|| value.trim_end_matches(['s', ';']).parse::<f32>().ok())?
    };
    for (n, (a, b)) in ours.iter().zip(theirs).enumerate().filter(|(_, (a, b))| a != b) {
        let near = matches!((number(a), number(b)), (Some(a), Some(b)) if a > b && a - b < 5e-4);
        assert!(near, "{name}: line {}: {a:?}, {b:?}", n + 2);
    }
    assert_eq!(ours.len(), theirs.len(), "{name}: lines");
}

/// To the letter, where LMPC takes no message of another protocol for one of 15.
#[test]
fn the_style_is_what_lmpc_writes_of_quake() {
    let mut same = 0;
    for OfLmpc { name, text, demo } in told_by_lmpc("dem", |extension| extension == "dem") {
        let (ours, foreign) = ours(&demo, &name);
        if !foreign && !text.windows(4).any(|w| w == b"-nan") {
            assert_same_letters(&name, &ours, &lines(&text));
            same += 1;
        }
    }
    assert!(same >= 6 || told_by_lmpc("dem", |_| true).is_empty(), "{same}");
}

/// Lines without remarks: LMPC knows meanings of configstrings, and forgets models of a second list.
fn without_remarks(lines: Vec<String>) -> Vec<String> {
    let bare = |line: String| match line.split_once("; // ") {
        Some((statement, _)) => format!("{statement};"),
        None => line,
    };
    lines.into_iter().map(bare).collect()
}

/// The same of Quake II, but for remarks.
#[test]
fn the_style_is_what_lmpc_writes_of_quake_2() {
    for OfLmpc { name, text, demo } in told_by_lmpc("dm2", |extension| extension == "dm2") {
        let ours = without_remarks(ours(&demo, &name).0);
        assert_same_letters(&name, &ours, &without_remarks(lines(&text)));
    }
}

/// LMPC's text of QuakeWorld with what it does not compile as we write it: the word for fire, which is that for fire and
/// jump, and entities that changed, of which only the place is left here.
fn as_compiled(theirs: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut theirs = theirs.iter().peekable();
    while let Some(line) = theirs.next() {
        let next = theirs.peek().map(|next| next.as_str()).unwrap_or_default();
        match &**line {
            "  fire;" if next != "  jump;" => {
                let more = next.strip_prefix("  flag ").map(|more| more.trim_end_matches(';').to_owned());
                if more.is_some() {
                    theirs.next();
                }
                out.push(format!("  flag 0{};", more.map(|more| format!(" {more}")).unwrap_or_default()));
            }
            " deltapacketentities {" => {
                let group: Vec<_> = theirs.by_ref().take_while(|line| *line != " }").cloned().collect();
                match group.len() {
                    1 => out.extend([line.clone()].into_iter().chain(group).chain([" }".to_owned()])),
                    _ => out.push(CHANGED.to_owned()),
                }
            }
            _ => out.push(line.clone()),
        }
    }
    out
}

/// Stands for entities that changed.
const CHANGED: &str = "the entities that changed";

/// Our text of QuakeWorld with the same left out: bytes of message 48.
fn without_changed(ours: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in ours {
        let ends = line == " } // deltapacketentities";
        out.push(line);
        if ends {
            let start = out.iter().rposition(|line| line == " unknown {").unwrap();
            assert_eq!(out[start + 1], "  id 0x30;");
            out.truncate(start);
            out.push(CHANGED.to_owned());
        }
    }
    out
}

/// What LMPC itself writes, but for what it does not compile, for remarks, and for the place of `unknown_mask_bits` in `playerinfo`:
/// LMPC has it in front of the player's slot, we have it behind.
#[test]
fn the_style_is_nearly_what_lmpc_writes_of_quakeworld() {
    let mut masks = 0;
    let all = told_by_lmpc("qwd", |extension| extension == "qwd");
    for OfLmpc { name, text, demo } in &all {
        let (ours, _) = ours(demo, name);
        // LMPC takes the word that announces extensions for a protocol, and what follows for rubbish.
        if ours.iter().any(|line| line == " } // serverdata") {
            continue;
        }
        let mut ours = without_changed(without_remarks(ours));
        for n in 1..ours.len() {
            if ours[n].starts_with("  unknown_mask_bits") {
                assert!(ours[n - 1].starts_with("  player "), "{name}");
                ours.swap(n - 1, n);
                masks += 1;
            }
        }
        assert_same_letters(name, &ours, &as_compiled(&without_remarks(lines(text))));
    }
    // way2ez2_01 has them: ZQuake's bit 11, jump held.
    assert!(masks > 0 || all.is_empty());
}

/// `--style lmpc` writes what LMPC itself writes, to the letter.
#[test]
fn the_style_is_what_lmpc_writes_of_quake_3() {
    for OfLmpc { name, text, demo } in told_by_lmpc("q3", |extension| extension == "dm_68") {
        assert_same_letters(&name, &ours(&demo, &name).0, &lines(&text));
    }
}
