//! Quake III by the facts alone: tables, codes and a writer of bits that share nothing with the library.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A field: its name and its bits, 0 for a float, negative with a sign.
pub(crate) type Field = (&'static str, i8);

/// What the facts say of one protocol.
pub(crate) struct Protocol {
    pub(crate) number: i32,
    pub(crate) entity: Vec<Field>,
    pub(crate) player: Vec<Field>,
}

impl Protocol {
    /// Facts 2.1: from 66 on bytes are Huffman codes, deltas begin with a count, blocks end with an end of message.
    pub(crate) fn is_new(&self) -> bool {
        self.number >= 66
    }

    /// Facts 2.3: in 43 and 45 the acknowledged command stands in the snapshot, later in front of the block.
    pub(crate) fn ack_first(&self) -> bool {
        self.number >= 46
    }

    /// An empty stream.
    pub(crate) fn bits(&self) -> Bits {
        Bits { bits: Vec::new(), huffman: self.is_new() }
    }

    /// The beginning of a block.
    pub(crate) fn head(&self, ack: i32) -> Bits {
        let mut b = self.bits();
        if self.ack_first() {
            b.int(ack, 32);
        }
        b
    }

    /// The usual name of a recording.
    pub(crate) fn file_name(&self) -> String {
        if self.number < 46 { "x.dm3".to_owned() } else { format!("x.dm_{}", self.number) }
    }

    /// The payload of a gamestate whose serverinfo tells the protocol. Facts 1.1 and 2.3.
    pub(crate) fn gamestate(&self) -> Vec<u8> {
        let mut b = self.head(0);
        b.int(2, 8).int(0, 32);
        b.int(3, 8).int(0, 16).text(format!(r"\protocol\{}", self.number).as_bytes());
        if self.is_new() {
            b.int(8, 8).int(0, 32).int(0, 32);
        } else {
            b.int(0, 8);
        }
        self.closed(b)
    }

    /// The bytes of a block: an end of message and, as engines do, at least one bit behind it; in old protocols
    /// just zeros up to the end of the last byte. Facts 1.6 and 2.3.
    pub(crate) fn closed(&self, mut b: Bits) -> Vec<u8> {
        if self.is_new() {
            b.int(8, 8).raw(0, 1);
        }
        b.bytes()
    }

    /// A recording: the gamestate, then these payloads, then the end mark.
    pub(crate) fn demo(&self, payloads: &[Vec<u8>]) -> Vec<u8> {
        let mut file = block(1, &self.gamestate());
        for (n, payload) in payloads.iter().enumerate() {
            file.extend(block(2 + n as i32, payload));
        }
        file.extend(END);
        file
    }
}

/// The mark at the end of a recording: sequence and size are -1.
pub(crate) const END: [u8; 8] = [0xFF; 8];

/// A block: number of the packet, size, messages.
pub(crate) fn block(sequence: i32, payload: &[u8]) -> Vec<u8> {
    [&sequence.to_le_bytes(), &(payload.len() as i32).to_le_bytes(), payload].concat()
}

struct Facts {
    protocols: BTreeMap<i32, Protocol>,
    codes: Vec<&'static str>,
    masks: Vec<Vec<&'static str>>,
}

fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| {
        let mut facts = Facts { protocols: BTreeMap::new(), codes: Vec::new(), masks: Vec::new() };
        for line in include_str!("quake3.txt").lines() {
            let mut words = line.split(' ');
            match words.next() {
                Some("codes") => facts.codes = words.collect(),
                Some("mask") => facts.masks.push(words.skip(1).collect()),
                Some(kind @ ("entity" | "player")) => {
                    let numbers = words.next().unwrap();
                    let fields: Vec<Field> = words
                        .map(|w| w.rsplit_once(':').map(|(name, bits)| (name, bits.parse().unwrap())).unwrap())
                        .collect();
                    for number in numbers.split(',').map(|n| n.parse().unwrap()) {
                        let new = || Protocol { number, entity: Vec::new(), player: Vec::new() };
                        let protocol = facts.protocols.entry(number).or_insert_with(new);
                        *(if kind == "entity" { &mut protocol.entity } else { &mut protocol.player }) = fields.clone();
                    }
                }
                _ => {}
            }
        }
        assert_eq!((facts.protocols.len(), facts.codes.len(), facts.masks.len()), (13, 256, 31));
        facts
    })
}

/// Every protocol.
pub(crate) fn protocols() -> impl Iterator<Item = &'static Protocol> {
    facts().protocols.values()
}

/// One protocol.
pub(crate) fn protocol(number: i32) -> &'static Protocol {
    &facts().protocols[&number]
}

/// The fields of the entity masks that have a number in protocols 43 to 48.
pub(crate) fn masks() -> &'static [Vec<&'static str>] {
    &facts().masks
}

/// The escape in the Huffman tree, which no stream holds.
pub(crate) const ESCAPE: &str = "00000000100";

/// A stream of bits, written slowly and plainly.
#[derive(Clone)]
pub(crate) struct Bits {
    pub(crate) bits: Vec<bool>,
    pub(crate) huffman: bool,
}

impl Bits {
    /// Bits as they are, the lowest first.
    pub(crate) fn raw(&mut self, value: u64, n: u32) -> &mut Self {
        self.bits.extend((0..n).map(|i| value >> i & 1 == 1));
        self
    }

    /// Bits in the order of the stream, as `"0110"`.
    pub(crate) fn code(&mut self, code: &str) -> &mut Self {
        self.bits.extend(code.bytes().map(|b| b == b'1'));
        self
    }

    /// Facts 1.6: first the low `n % 8` bits as they are, then a code for each byte, the low byte first.
    pub(crate) fn int(&mut self, value: i32, n: u32) -> &mut Self {
        let value = u64::from(value as u32);
        if !self.huffman {
            return self.raw(value, n);
        }
        let plain = n % 8;
        self.raw(value, plain);
        for byte in 0..n / 8 {
            self.code(facts().codes[usize::from((value >> (plain + 8 * byte)) as u8)]);
        }
        self
    }

    /// Bytes, each as one of 8 bits.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> &mut Self {
        for b in bytes {
            self.int(i32::from(*b), 8);
        }
        self
    }

    /// A string and its NUL.
    pub(crate) fn text(&mut self, text: &[u8]) -> &mut Self {
        self.data(text).int(0, 8)
    }

    /// Facts 1.4: a bit, then 13 bits of value + 4096 or the 32 bits of the float.
    pub(crate) fn float(&mut self, bits: u32, long: bool) -> &mut Self {
        match short(bits).filter(|_| !long) {
            Some(short) => self.raw(0, 1).int(short, 13),
            None => self.raw(1, 1).int(bits as i32, 32),
        }
    }

    /// Zeros up to the next byte border.
    pub(crate) fn align(&mut self) -> &mut Self {
        self.bits.resize(self.bits.len().div_ceil(8) * 8, false);
        self
    }

    /// The bytes; unused bits of the last one are 0.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |b, bit| b << 1 | u8::from(*bit));
        self.bits.chunks(8).map(byte).collect()
    }
}

/// The 13 bits of a float: whole numbers from -4096 to 4095, but not the negative zero.
pub(crate) fn short(bits: u32) -> Option<i32> {
    let v = f32::from_bits(bits);
    let fits = v.fract() == 0.0 && (-4096.0..=4095.0).contains(&v) && bits != 0x8000_0000;
    fits.then(|| v as i32 + 4096)
}
