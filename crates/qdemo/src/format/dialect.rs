//! What the dialects of all formats have: a name, a protocol number, message numbers.
//!
//! A dialect is a protocol as data: what differs between the engines that wrote a format, as a small plain value. It is
//! chosen from the server's first message and carried from there. Only the files that define dialects ask for protocol
//! numbers: everything else asks the dialect for widths, encodings, message numbers and mask bits.

/// What the dialects of all formats can tell of themselves.
pub trait AnyDialect: Copy + std::fmt::Debug + PartialEq {
    /// The protocol number in the file; 0 before a server introduced itself.
    fn protocol(&self) -> i32;
    /// Name for people.
    fn name(&self) -> &'static str;
    /// False for a protocol that is named but not decoded: its blocks stay bytes.
    #[inline(always)]
    fn is_decoded(&self) -> bool {
        true
    }
    /// A protocol that is named and kept, not decoded; the same dialect in a format that has no such protocols.
    #[must_use]
    fn undecoded(self, _protocol: i32) -> Self {
        self
    }
}

/// Message numbers of a dialect. Kinds are indices into the format's own list. There is one of each table, so it is
/// compared by its place.
#[derive(Debug)]
pub struct Opcodes {
    kinds: [u8; 256],
    codes: [u8; 128],
}

impl PartialEq for Opcodes {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Opcodes {}

impl Opcodes {
    const NONE: u8 = 0xFF;

    /// A table from `(message number, kind)` pairs; where a kind has several numbers the last one is written.
    pub(crate) const fn new(pairs: &[&[(u8, u8)]]) -> Self {
        let mut table = Opcodes { kinds: [Self::NONE; 256], codes: [Self::NONE; 128] };
        let mut set = 0;
        while set < pairs.len() {
            let mut i = 0;
            while i < pairs[set].len() {
                let (code, kind) = pairs[set][i];
                table.kinds[code as usize] = kind;
                table.codes[kind as usize] = code;
                i += 1;
            }
            set += 1;
        }
        table
    }

    /// The kind of the message with a number.
    #[inline]
    pub(crate) fn kind(&self, code: u8) -> Option<usize> {
        match self.kinds[usize::from(code)] {
            Self::NONE => None,
            kind => Some(usize::from(kind)),
        }
    }

    /// The number of a kind of message.
    #[inline]
    pub(crate) fn code(&self, kind: usize) -> Option<u8> {
        self.codes.get(kind).copied().filter(|&c| c != Self::NONE)
    }
}
