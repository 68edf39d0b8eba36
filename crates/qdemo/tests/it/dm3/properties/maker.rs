//! Makes up messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use qdemo::Limits;
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::verify::verify;

use super::words::{same, tokens};
use crate::common::quake3::{Bits, END, Protocol, block};
use crate::common::{Random, assert_survives};

/// The values seen of each field: name to lowest and highest.
pub(crate) type Seen = BTreeMap<(&'static str, &'static str), BTreeSet<i64>>;

/// Makes up messages: as text, and as bits by the facts, side by side.
pub(crate) struct Maker<'p> {
    pub(crate) random: Random,
    pub(crate) protocol: &'p Protocol,
    pub(crate) text: String,
    pub(crate) bits: Bits,
    pub(crate) seen: Seen,
    /// A snapshot in which every number is the lowest that its field holds, or the highest.
    pub(crate) extreme: Option<Extreme>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Extreme {
    Lowest,
    Highest,
}

/// Whose state.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Of {
    Entity,
    Player,
}

impl<'p> Maker<'p> {
    pub(crate) fn new(protocol: &'p Protocol, seed: u64) -> Self {
        let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Maker { random, protocol, text: String::new(), bits: protocol.bits(), seen: Seen::new(), extreme: None }
    }

    /// A maker of a snapshot with every field of the tables at an end of its range.
    pub(crate) fn extreme(protocol: &'p Protocol, seed: u64, extreme: Extreme) -> Self {
        Maker { extreme: Some(extreme), ..Maker::new(protocol, seed) }
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    pub(crate) fn say(&mut self, text: impl std::fmt::Display) {
        write!(self.text, "{text} ").unwrap();
    }

    /// A number from `min` to `max`, the two often enough.
    pub(crate) fn pick(&mut self, min: i64, max: i64) -> i64 {
        match self.extreme {
            Some(Extreme::Lowest) => return min,
            Some(Extreme::Highest) => return max,
            None => {}
        }
        match self.random.below(6) {
            0 => min,
            1 => max,
            2 => 0.clamp(min, max),
            3 => (-1).clamp(min, max),
            _ => min + (self.random.next() % (max - min + 1) as u64) as i64,
        }
    }

    /// A field of a message: a whole number.
    pub(crate) fn number(&mut self, name: &str, min: i64, max: i64, bits: u32) -> i64 {
        let v = self.pick(min, max);
        self.say(format_args!("{name} {v};"));
        self.bits.int(v as i32, bits);
        v
    }

    fn byte(&mut self, name: &str) -> i64 {
        self.number(name, 0, 255, 8)
    }

    fn word(&mut self, name: &str) -> i64 {
        self.number(name, 0, 65_535, 16)
    }

    pub(crate) fn long(&mut self, name: &str) -> i64 {
        self.number(name, i64::from(i32::MIN), i64::from(i32::MAX), 32)
    }

    /// A string of any bytes but 0. The text form escapes as its page says.
    fn string(&mut self, name: &str) {
        let n = if self.chance(8) { 1_500 } else { self.random.below(30) };
        let bytes: Vec<u8> = self.random.bytes(n).into_iter().filter(|&b| b != 0).collect();
        let mut quoted = String::new();
        for &b in &bytes {
            match b {
                b'\n' => quoted.push_str("\\n"),
                b'\r' => quoted.push_str("\\r"),
                b'"' => quoted.push_str("\\\""),
                b'\\' => quoted.push_str("\\\\"),
                0x20..=0x7E => quoted.push(char::from(b)),
                _ => write!(quoted, "\\{b:03o}").unwrap(),
            }
        }
        self.say(format_args!("{name} \"{quoted}\";"));
        self.bits.text(&bytes);
    }

    fn bytes(&mut self, name: &str, n: usize) -> Vec<u8> {
        let bytes = self.random.bytes(n);
        let list: String = bytes.iter().map(|b| format!(" 0x{b:02X}")).collect();
        self.say(format_args!("{name}{list};"));
        bytes
    }

    pub(crate) fn float_bits(&mut self) -> u32 {
        const ODD: [u32; 8] =
            [0x8000_0000, 0x7FC0_0000, 0xFFC0_0001, 0x7F80_0001, 0x7F80_0000, 0xFF80_0000, 1, 0x7F7F_FFFF];
        const EDGES: [f32; 10] = [0.0, 1.0, -1.0, 4095.0, -4096.0, 4096.0, -4097.0, 0.5, -0.125, 4094.75];
        match self.random.below(5) {
            0 => ODD[self.random.below(ODD.len())],
            1 | 2 => EDGES[self.random.below(EDGES.len())].to_bits(),
            3 => ((self.random.below(8192) as i32 - 4096) as f32).to_bits(),
            _ => self.random.next() as u32,
        }
    }

    fn snapshot(&mut self) {
        self.bits.int(7, 8);
        self.say("snapshot {");
        if !self.protocol.ack_first() {
            self.long("rel_ack");
        }
        self.long("serverTime");
        self.byte("deltaNum");
        self.byte("snapFlags");
        let n = [0, 1, 32][self.random.below(3)];
        self.bits.int(n as i32, 8);
        let mask = self.bytes("areamask", n);
        self.bits.data(&mask);
        self.say("player {");
        self.state(Of::Player);
        self.arrays();
        if self.text.ends_with("player { ") {
            self.text.truncate(self.text.len() - 3);
            self.say(";");
        } else {
            self.say("}");
        }
        self.say("entities {");
        // In any order: nothing in the stream forbids it.
        let entities = if self.extreme.is_some() { 1 } else { self.random.below(5) };
        for _ in 0..entities {
            let number = self.pick(0, 1022) as u32;
            self.entity(number);
        }
        self.bits.int(1023, 10);
        if self.text.ends_with("entities { ") {
            self.text.truncate(self.text.len() - 3);
            self.say("; }");
        } else {
            self.say("} }");
        }
    }

    fn gamestate(&mut self) {
        self.bits.int(2, 8);
        self.say("gamestate {");
        self.long("serverCommandSequence");
        for _ in 0..self.random.below(4) {
            if self.chance(2) {
                self.bits.int(3, 8);
                self.say("configstring {");
                self.word("index");
                self.string("value");
                self.say("}");
            } else {
                self.bits.int(4, 8);
                self.say("baseline {");
                let number = self.pick(0, 1023) as u32;
                self.entity(number);
                self.say("}");
            }
        }
        if self.protocol.is_new() {
            self.bits.int(8, 8);
            self.long("clientNum");
            self.long("checksumFeed");
        } else {
            self.bits.int(0, 8);
        }
        self.say("}");
    }

    fn download(&mut self) {
        self.bits.int(6, 8);
        self.say("download {");
        let part = self.word("block");
        let size = if part == 0 { self.long("size") } else { 0 };
        if size < 0 {
            self.string("reason");
        } else {
            let n = self.random.below(40);
            self.bits.int(n as i32, 16);
            let data = self.bytes("data", n);
            self.bits.data(&data);
        }
        self.say("}");
    }

    fn voice(&mut self, name: &str, id: u8) {
        self.say(format_args!("{name} {{"));
        self.bits.int(i32::from(id), 8);
        let hidden = name == "extension";
        if hidden {
            self.byte("id");
        }
        self.word("sender");
        self.byte("generation");
        self.long("sequence");
        self.byte("frames");
        let n = self.random.below(40);
        self.bits.int(n as i32, 16);
        if !hidden {
            self.number("flags", 0, 3, 2);
        }
        let data = self.bytes("data", n);
        self.bits.data(&data);
        self.say("}");
    }

    /// A block, with everything that can be unusual about its end.
    pub(crate) fn block(&mut self) {
        self.say("block {");
        let sequence = self.pick(0, i64::from(i32::MAX));
        self.say(format_args!("sequence {sequence};"));
        if self.protocol.ack_first() {
            self.long("rel_ack");
        }
        let new = self.protocol.is_new();
        for _ in 0..1 + self.random.below(3) {
            let voice = matches!(self.protocol.number, 70 | 71);
            match if self.extreme.is_some() { 5 } else { self.random.below(if voice { 8 } else { 6 }) } {
                0 => {
                    self.bits.int(1, 8);
                    self.say("nop;");
                }
                1 => {
                    self.bits.int(5, 8);
                    self.say("serverCommand {");
                    self.long("seq");
                    self.string("value");
                    self.say("}");
                }
                2 => self.download(),
                3 => self.gamestate(),
                4 | 5 => self.snapshot(),
                6 => self.voice("voipSpeex", 9),
                _ => self.voice("voipOpus", 10),
            }
            if !new {
                self.bits.align();
            }
        }
        match self.random.below(8) {
            // Old ioquake3 hides voice behind the end of message.
            0 if new => {
                self.bits.int(8, 8);
                self.say("eof;");
                self.voice("extension", 9);
            }
            1 if new => {
                // Engines write no block without an end; what fills up the last byte is no message then.
                match (8 - self.bits.bits.len() % 8) % 8 {
                    0 => self.say("unknown { } unclosed; }"),
                    _ => self.say("unknown { id 0; } unclosed; }"),
                }
                self.bits.align();
                return self.put(sequence);
            }
            2 if !new => {
                self.bits.int(0, 8);
                self.say("closed;");
            }
            _ => {}
        }
        if !new {
            self.say("}");
            return self.put(sequence);
        }
        self.bits.int(8, 8);
        let room = 8 - self.bits.bits.len() % 8;
        let mut tail = vec![0];
        if self.chance(2) {
            let n = self.random.below(5);
            tail = self.random.bytes(n);
            // The last byte has only so many bits. The codes of 8 and 9, 10101 and 0010110, would begin messages.
            let last = self.random.next() as u8 >> (8 - room);
            tail.push(last);
            let first = tail[0];
            if first & 0x1F == 0b10101 || first & 0x7F == 0b011_0100 {
                tail[0] = 0;
            }
        }
        if tail != [0] {
            let list: String = tail.iter().map(|b| format!(" 0x{b:02X}")).collect();
            self.say(format_args!("tail{list};"));
        }
        let last = tail.pop().unwrap();
        for b in tail {
            self.bits.raw(u64::from(b), 8);
        }
        self.bits.raw(u64::from(last), room as u32);
        self.say("}");
        self.put(sequence);
    }

    /// Checks the block: from text to bytes and back, by way of LMPC's style and JSON too.
    fn put(&mut self, sequence: i64) {
        let p = self.protocol;
        let payload = self.bits.bytes();
        let mut demo = block(1, &p.gamestate());
        demo.extend(block(sequence as i32, &payload));
        demo.extend(END);
        let (open, close) = if p.is_new() { ("", " clientNum 0; checksumFeed 0;") } else { ("", "") };
        let ack = if p.ack_first() { "rel_ack 0;" } else { "" };
        let text = format!(
            "dm3 {{ protocol {n}; }} block {{ sequence 1; {ack} gamestate {{ serverCommandSequence 0; \
             configstring {{ index 0; value \"\\\\protocol\\\\{n}\"; }}{open}{close} }} }} {} endblock;",
            self.text,
            n = p.number,
        );
        let name = p.file_name();
        let compiled = compile_bytes(text.as_bytes(), "t").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert!(
            compiled == demo,
            "protocol {}: other bytes than by the facts\n{text}\n{compiled:02X?}\n{demo:02X?}",
            p.number
        );
        let back = decompile_bytes(&demo, &name, &Options::default()).unwrap();
        let back = String::from_utf8(back).unwrap();
        let (ours, theirs) = (tokens(&text), tokens(&back));
        let other = ours.iter().zip(&theirs).position(|(a, b)| !same(a, b));
        let at = other.or((ours.len() != theirs.len()).then(|| ours.len().min(theirs.len())));
        if let Some(at) = at {
            let around = |t: &[String]| t[at.saturating_sub(4).min(t.len())..(at + 4).min(t.len())].join(" ");
            panic!("protocol {}: made {}\nread {}\n{text}", p.number, around(&ours), around(&theirs));
        }
        assert_survives(&demo, &name);
        let report = verify(&demo[..], &name, Limits::default()).unwrap();
        assert_eq!((report.different, report.protocol), (0, p.number), "{text}");
        assert_eq!(report.is_sound(), !self.text.contains("unclosed"), "{text}");
    }
}
