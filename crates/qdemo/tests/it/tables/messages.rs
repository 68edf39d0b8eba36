//! `messages`: names, order, places and sizes.

use std::collections::BTreeMap;

use qdemo::table::MESSAGES;
use serde_json::Value;

use super::{messages, pieces, recordings, rows};
use crate::common::quake3::{block, protocol};
use crate::common::{all_dem, demo, file_name, serverinfo, testdata};

/// Names of a list of messages, those that a message carries behind it.
fn names(list: &[Value], carried: bool, to: &mut Vec<(String, bool)>) {
    for message in list {
        to.push((message["message"].as_str().unwrap().to_owned(), carried));
        // Lists of entities are written in the same way, and are none.
        if matches!(message["message"].as_str(), Some("unicast" | "multicast")) {
            names(messages(message), true, to);
        }
    }
}

/// A row for each message that the decompiler writes, in the same order, block by block.
#[test]
fn there_is_a_row_for_each_message_of_the_text() {
    let (mut told, mut carried) = (0, 0);
    for path in recordings() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut blocks = BTreeMap::<u64, Vec<(String, bool)>>::new();
        for row in rows(&MESSAGES, &demo, &name, &["block", "message", "within"]) {
            blocks.entry(row[0].parse().unwrap()).or_default().push((row[1].clone(), !row[2].is_empty()));
        }
        let mut expected = Vec::new();
        for piece in pieces(&demo, &name) {
            let mut of_block = Vec::new();
            names(messages(&piece), false, &mut of_block);
            if !of_block.is_empty() {
                expected.push(of_block);
            }
        }
        told += expected.iter().map(Vec::len).sum::<usize>();
        carried += expected.iter().flatten().filter(|(_, carried)| *carried).count();
        assert_eq!(blocks.into_values().collect::<Vec<_>>(), expected, "{name}");
    }
    assert!(told > 10_000 && carried > 50, "{told}, {carried}");
}

/// In Quake's files blocks are headers of 16 bytes and messages, nothing else (facts 1.2).
#[test]
fn sizes_add_up_to_the_file() {
    for path in all_dem() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let (mut blocks, mut bytes) = (0, 0);
        let mut at = demo.iter().position(|b| *b == b'\n').unwrap() + 1;
        if name == "ranguli_lmpc__cd.dem" {
            // It has no line end in front.
            continue;
        }
        let track = at;
        while let Some(size) = demo.get(at..at + 4) {
            blocks += 1;
            at += 16 + u32::from_le_bytes(size.try_into().unwrap()) as usize;
        }
        if at != demo.len() {
            // It breaks off.
            continue;
        }
        let mut end = 0;
        for row in rows(&MESSAGES, &demo, &name, &["offset", "bytes", "bits", "bit"]) {
            let [offset, size, bits] = [0, 1, 2].map(|n| row[n].parse::<usize>().unwrap());
            // Behind the one before, or behind the header of the next block that holds any.
            assert!(offset == end || offset >= end + 16, "{name}: {offset} behind {end}");
            assert_eq!((bits, &*row[3]), (size * 8, ""), "{name}");
            end = offset + size;
            bytes += size;
        }
        assert_eq!(track + 16 * blocks + bytes, demo.len(), "{name}");
    }
}

/// nop, print "hi", bf: numbers 1, 8, and, in a level of protocol 666, 40.
#[test]
fn places_are_where_the_bytes_were_put() {
    let made = demo("-1\n", &[&serverinfo(666, &[]), b"\x01\x08hi\0\x28"]);
    let second = made.len() - 6;
    let all = rows(&MESSAGES, &made, "x.dem", &["block", "index", "message", "offset", "bytes"]);
    let expected = [("0", "nop", 0, 1), ("1", "print", 1, 4), ("2", "bf", 5, 1)];
    let expected = expected.map(|(index, name, at, size)| {
        ["1", index, name, &(second + at).to_string(), &size.to_string()].map(str::to_owned).to_vec()
    });
    assert_eq!(all[1..], expected);
}

/// By a writer of bits that knows the facts alone: codes have their own lengths, and the number in front of the first
/// message is one of those codes too.
#[test]
fn bits_of_quake_3_are_those_that_were_written() {
    for number in [48, 68, 91] {
        let protocol = protocol(number);
        let mut bits = protocol.head(77);
        let mut borders = vec![bits.bits.len()];
        for (n, text) in [&b"print \"a\""[..], b"cp \"two words\""].into_iter().enumerate() {
            bits.int(5, 8).int(n as i32 + 1, 32).text(text);
            if !protocol.is_new() {
                bits.align();
            }
            borders.push(bits.bits.len());
        }
        let payload = protocol.closed(bits);
        let made = protocol.demo(&[payload]);
        let front = block(1, &protocol.gamestate()).len() + 8;
        let all = rows(&MESSAGES, &made, &protocol.file_name(), &["message", "offset", "bit", "bits", "bytes"]);
        let expected = borders.windows(2).map(|ends| {
            let numbers = [front + ends[0] / 8, ends[0] % 8, ends[1] - ends[0]].map(|n| n.to_string());
            [&["serverCommand".to_owned()], &numbers[..], &[String::new()]].concat()
        });
        assert_eq!(all[1..], expected.collect::<Vec<_>>(), "protocol {number}");
    }
}

/// What cannot be decoded is a message that reaches to the end of its block.
#[test]
fn what_is_not_understood_has_its_place() {
    let made = demo("-1\n", &[&serverinfo(15, &[]), b"\x01\xF0\xF1\xF2"]);
    let all = rows(&MESSAGES, &made, "x.dem", &["message", "offset", "bytes"]);
    let at = (made.len() - 3).to_string();
    assert_eq!(all.last().unwrap(), &["unknown", &at, "3"]);
    let whole = testdata("clip.dem");
    assert!(rows(&MESSAGES, &whole, "clip.dem", &["message"]).iter().all(|row| row[0] != "unknown"));
}
