//! Properties of Quake III's messages: any content in any protocol, any bits, any bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use common::quake3::{Bits, END, Field, Protocol, block, masks, protocols};
use common::{Random, assert_survives};
use proptest::prelude::*;
use qdemo::Limits;
use qdemo::dialect::quake3::Dialect;
use qdemo::format::dm3::Packet;
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::verify::verify;
use qdemo::wire::Writer;

/// The values seen of each field: name to lowest and highest.
type Seen = BTreeMap<(&'static str, &'static str), BTreeSet<i64>>;

/// Makes up messages: as text, and as bits by the facts, side by side.
struct Maker<'p> {
    random: Random,
    protocol: &'p Protocol,
    text: String,
    bits: Bits,
    seen: Seen,
    /// A snapshot in which every number is the lowest that its field holds, or the highest.
    extreme: Option<Extreme>,
}

#[derive(Clone, Copy, PartialEq)]
enum Extreme {
    Lowest,
    Highest,
}

/// Whose state.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Entity,
    Player,
}

impl<'p> Maker<'p> {
    fn new(protocol: &'p Protocol, seed: u64) -> Self {
        let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Maker { random, protocol, text: String::new(), bits: protocol.bits(), seen: Seen::new(), extreme: None }
    }

    /// A maker of a snapshot with every field of the tables at an end of its range.
    fn extreme(protocol: &'p Protocol, seed: u64, extreme: Extreme) -> Self {
        Maker { extreme: Some(extreme), ..Maker::new(protocol, seed) }
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    fn say(&mut self, text: impl std::fmt::Display) {
        write!(self.text, "{text} ").unwrap();
    }

    /// A number from `min` to `max`, the two often enough.
    fn pick(&mut self, min: i64, max: i64) -> i64 {
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
    fn number(&mut self, name: &str, min: i64, max: i64, bits: u32) -> i64 {
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

    fn long(&mut self, name: &str) -> i64 {
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

    fn float_bits(&mut self) -> u32 {
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

    /// The fields of a state: which, their values, and everything unusual in how they are written.
    fn state(&mut self, of: Of) {
        let protocol = self.protocol;
        let fields: &[Field] = if of == Of::Entity { &protocol.entity } else { &protocol.player };
        let mut head = 31;
        let mut changed = match self.random.below(4) {
            0 => 0,
            1 => (1u64 << fields.len()) - 1,
            2 => self.random.next() & self.random.next() & self.random.next(),
            _ => self.random.next(),
        } & ((1 << fields.len()) - 1);
        let masked = of == Of::Entity && !protocol.is_new();
        let place = |name: &&str| fields.iter().position(|f| f.0 == *name).unwrap();
        let set = |mask: &[&str]| mask.iter().fold(0u64, |bits, name| bits | 1 << place(name));
        let number_of = |changed: u64| masks().iter().position(|m| set(m) == changed);
        if self.extreme.is_some() {
            changed = (1 << fields.len()) - 1;
        } else if masked && self.chance(2) {
            let n = self.random.below(31);
            changed = set(&masks()[n]);
            // Often by its number, now and then spelled out.
            head = if self.chance(4) { 31 } else { n };
        }
        let (mut long, mut unzero) = (0u64, 0u64);
        if protocol.is_new() {
            let least = 64 - changed.leading_zeros() as usize;
            head = if self.chance(4) { least + self.random.below(fields.len() - least + 1) } else { least };
            self.bits.int(head as i32, 8);
        } else if masked {
            self.bits.raw(head as u64, 5);
            if head == 31 {
                self.bits.raw(changed, fields.len() as u32);
            }
        }
        let sent = if protocol.is_new() { head } else { fields.len() };
        for (place, (name, bits)) in fields.iter().enumerate().take(sent) {
            let there = changed >> place & 1 == 1;
            if !masked {
                self.bits.raw(u64::from(there), 1);
            }
            if !there {
                continue;
            }
            let value = match *bits {
                0 => self.float_bits(),
                n => {
                    let width = u32::from(n.unsigned_abs());
                    let (min, max) = match (width, n < 0) {
                        (32, _) => (i64::from(i32::MIN), i64::from(i32::MAX)),
                        (_, true) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
                        (_, false) => (0, (1 << width) - 1),
                    };
                    let v = self.pick(min, max);
                    let kind = if of == Of::Entity { "entity" } else { "player" };
                    self.seen.entry((kind, name)).or_default().extend([v].iter().filter(|v| **v == min || **v == max));
                    v as u32
                }
            };
            if *bits == 0 {
                let v = f32::from_bits(value);
                if v.is_finite() {
                    self.say(format_args!("{name} {v};"));
                } else {
                    self.say(format_args!("{name} f32(0x{value:08X});"));
                }
            } else {
                self.say(format_args!("{name} {};", value as i32));
            }
            // Entities of protocol 66 and later: a bit tells whether it is 0.
            if of == Of::Entity && protocol.is_new() {
                if value == 0 && !self.chance(3) {
                    self.bits.raw(0, 1);
                    continue;
                }
                self.bits.raw(1, 1);
                unzero |= u64::from(value == 0) << place;
            }
            if *bits == 0 {
                let in_vain = common::quake3::short(value).is_some() && self.chance(3);
                long |= u64::from(in_vain) << place;
                self.bits.float(value, in_vain);
            } else {
                self.bits.int(value as i32, u32::from(bits.unsigned_abs()));
            }
        }
        if unzero != 0 {
            self.say(format_args!("unzero 0x{unzero:X};"));
        }
        if long != 0 {
            self.say(format_args!("long 0x{long:X};"));
        }
        let mut usual = unzero == 0 && long == 0;
        if protocol.is_new() {
            if head != 64 - changed.leading_zeros() as usize {
                self.say(format_args!("count {head};"));
                usual = false;
            }
        } else if masked && head != number_of(changed).unwrap_or(31) {
            self.say(format_args!("mask {head};"));
            usual = false;
        }
        if of == Of::Entity && changed == 0 && usual {
            self.say("nothing;");
        }
    }

    /// Facts 1.4: a bit for any of them (from 66 on), then for each a bit, a mask of 16, and values.
    fn arrays(&mut self) {
        let new = self.protocol.is_new();
        let mut sent = 0;
        for n in 0..4 {
            sent |= u8::from(self.chance(2)) << n;
        }
        let mut needed = 0;
        let any = new && (sent != 0 || self.chance(4));
        if new {
            self.bits.raw(u64::from(any), 1);
        }
        if new && !any {
            return;
        }
        for (n, name) in ["stats", "persistant", "ammo", "powerups"].into_iter().enumerate() {
            self.bits.raw(u64::from(sent >> n & 1), 1);
            if sent >> n & 1 == 0 {
                continue;
            }
            let mask = if self.chance(4) { 0 } else { self.random.next() as u16 };
            self.bits.int(i32::from(mask), 16);
            needed |= u8::from(mask != 0) << n;
            for slot in (0..16).filter(|slot| mask >> slot & 1 == 1) {
                let name = format!("{name}[{slot}]");
                if n == 3 {
                    self.long(&name);
                } else {
                    self.number(&name, -32_768, 32_767, 16);
                }
            }
        }
        if new && needed != 0 {
            needed |= 16;
        }
        let sent = if any { sent | 16 } else { sent };
        if sent != needed {
            self.say(format_args!("arrays 0x{sent:X};"));
        }
    }

    fn entity(&mut self, number: u32) {
        self.say(format_args!("entity {{ index {number};"));
        self.bits.int(number as i32, 10);
        match if self.extreme.is_some() { 4 } else { self.random.below(5) } {
            0 => {
                self.bits.raw(1, 1);
                self.say("remove;");
            }
            1 => {
                self.bits.raw(0, 2);
            }
            _ => {
                self.bits.raw(0, 1).raw(1, 1);
                self.state(Of::Entity);
            }
        }
        self.say("}");
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
    fn block(&mut self) {
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

/// The words, strings and signs of a text; comments and white space left out.
fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let mut token = String::from(c);
        match c {
            c if c.is_ascii_whitespace() => continue,
            '/' if rest.peek() == Some(&'/') => {
                while rest.next().is_some_and(|c| c != '\n') {}
                continue;
            }
            ';' | '{' | '}' => {}
            '"' => {
                while let Some(c) = rest.next() {
                    token.push(c);
                    match c {
                        '"' => break,
                        '\\' => token.extend(rest.next()),
                        _ => {}
                    }
                }
            }
            _ => {
                while let Some(c) = rest.next_if(|c| !c.is_ascii_whitespace() && !matches!(c, ';' | '{' | '}' | '"')) {
                    token.push(c);
                }
            }
        }
        all.push(token);
    }
    all
}

/// True for the same word, or the same number in another spelling.
fn same(a: &str, b: &str) -> bool {
    let int = |s: &str| match s.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => s.parse::<i128>().ok().filter(|_| s != "-0"),
    };
    let float = |s: &str| match s.strip_prefix("f32(0x").and_then(|s| s.strip_suffix(')')) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => s.parse::<f32>().ok().filter(|_| !s.starts_with(char::is_alphabetic)).map(f32::to_bits),
    };
    match (int(a), int(b)) {
        _ if a == b => true,
        (Some(a), Some(b)) => a == b,
        _ => float(a).is_some() && float(a) == float(b),
    }
}

/// Whatever a block holds, in every protocol: the text compiles to the bytes that the facts give, those bytes
/// decompile to the same text, and JSON leads back to them.
#[test]
fn any_message_in_any_protocol_is_written_and_read_as_the_facts_say() {
    let rounds = if cfg!(debug_assertions) { 60 } else { 600 };
    for protocol in protocols() {
        let mut seen = Seen::new();
        let seed = |round: u64| (round << 8) + protocol.number as u64;
        let extremes =
            [Extreme::Lowest, Extreme::Highest].map(|extreme| Maker::extreme(protocol, seed(rounds), extreme));
        for mut maker in (0..rounds).map(|round| Maker::new(protocol, seed(round))).chain(extremes) {
            maker.block();
            for (field, values) in maker.seen {
                seen.entry(field).or_default().extend(values);
            }
        }
        // The highest and the lowest value of every field of the tables was among them.
        for (kind, fields) in [("entity", &protocol.entity), ("player", &protocol.player)] {
            for (name, bits) in fields {
                let values = seen.get(&(kind, *name)).map_or(0, BTreeSet::len);
                assert!(*bits == 0 || values == 2, "{} {kind} {name}", protocol.number);
            }
        }
    }
}

/// A stream of a dialect: a valid head, then bytes in its coding, many of them small, or just any bits.
fn streams() -> impl Strategy<Value = (bool, u8, Vec<u8>)> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..120),
        prop::collection::vec(prop_oneof![0u8..12, any::<u8>()], 0..120),
    ];
    (any::<bool>(), 0u8..12, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 500 } else { 5_000 }))]

    /// Whatever bits follow the number of a message: what is read is written again, bit for bit.
    #[test]
    fn any_bits_are_read_and_written((coded, id, bytes) in streams()) {
        let mut packet = Packet::default();
        for protocol in protocols() {
            let dialect = Dialect::by_protocol(protocol.number).unwrap();
            let mut bits = protocol.head(1);
            bits.int(i32::from(id), 8);
            match coded {
                true => bits.data(&bytes),
                false => bytes.iter().fold(&mut bits, |bits, b| bits.raw(u64::from(*b), 8)),
            };
            let payload = bits.bytes();
            packet.read(&payload, &dialect);
            let mut w = Writer::default();
            packet.write(&mut w, &dialect).map_err(|f| TestCaseError::fail(f.to_string()))?;
            prop_assert_eq!(w.as_slice(), &payload[..], "{} {:?}", protocol.number, packet);
        }
    }

    /// The same by way of text, LMPC's text and JSON: a recording with a block of any bits.
    #[test]
    fn any_recording_survives((coded, id, bytes) in streams(), number in 0usize..13, tail in prop::collection::vec(any::<u8>(), 0..20)) {
        let protocol = protocols().nth(number).unwrap();
        let mut bits = protocol.head(1);
        bits.int(i32::from(id), 8);
        match coded {
            true => bits.data(&bytes),
            false => bytes.iter().fold(&mut bits, |bits, b| bits.raw(u64::from(*b), 8)),
        };
        let mut demo = protocol.demo(&[bits.bytes(), bits.bytes()]);
        demo.extend(&tail);
        assert_survives(&demo, &protocol.file_name());
        let report = verify(&demo[..], "x", Limits::default()).unwrap();
        prop_assert_eq!((report.different, report.bytes), (0, demo.len() as u64));
    }

    /// Any bytes at all, under the names of Quake III.
    #[test]
    fn any_bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..600), size in 0u8..60) {
        assert_survives(&bytes, "x.dm_68");
        assert_survives(&bytes, "x.dm3");
        // The same behind a header that fits.
        let mut demo = block(7, &bytes[..bytes.len().min(usize::from(size))]);
        demo.extend(bytes.iter().skip(usize::from(size)));
        assert_survives(&demo, "x.dm_68");
        assert_survives(&demo, "x.dm3");
    }
}
