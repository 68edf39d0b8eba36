//! Compressed blocks: literals, and sequences that say where they go and what is copied behind them (3.1.1.3).

use super::bits::Backward;
use super::entropy::{Huffman, States};

/// What a number in a sequence begins with, and how many bits are added, by its code (3.1.1.3.2.1.1). Of lengths of
/// literals those up to 15, and of matches those up to 31, stand for themselves.
#[rustfmt::skip]
const LITERALS: [(u32, u32); 20] = [
    (16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6),
    (128, 7), (256, 8), (512, 9), (1024, 10), (2048, 11), (4096, 12), (8192, 13), (16384, 14), (32768, 15), (65536, 16),
];
#[rustfmt::skip]
const MATCHES: [(u32, u32); 21] = [
    (35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5),
    (131, 7), (259, 8), (515, 9), (1027, 10), (2051, 11), (4099, 12), (8195, 13), (16387, 14), (32771, 15), (65539, 16),
];

/// The usual shares of codes (3.1.1.3.2.2).
#[rustfmt::skip]
const USUAL_LITERALS: [i16; 36] = [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
];
#[rustfmt::skip]
const USUAL_OFFSETS: [i16; 29] =
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];
#[rustfmt::skip]
const USUAL_MATCHES: [i16; 53] = [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];

/// Largest code of an offset: 31 bits.
const MAX_OFFSET: u8 = 31;

/// What blocks of a frame take over from each other.
pub(super) struct Blocks {
    huffman: Option<Huffman>,
    /// For lengths of literals, offsets, lengths of matches.
    tables: [Option<States>; 3],
    /// The last three offsets.
    offsets: [usize; 3],
}

impl Blocks {
    pub(super) fn new() -> Self {
        Blocks { huffman: None, tables: [None, None, None], offsets: [1, 4, 8] }
    }

    /// Unpacks a block behind `out`, where it may look back to `from`. At most `most` bytes come out. `None` for what no
    /// encoder writes.
    pub(super) fn unpack(&mut self, packed: &[u8], out: &mut Vec<u8>, from: usize, most: usize) -> Option<()> {
        let start = out.len();
        let (literals, rest) = self.literals(packed, most)?;
        let (count, rest) = count(rest)?;
        let mut literals = literals.as_slice();
        if count > 0 {
            let rest = self.read_tables(rest)?;
            let mut input = Backward::new(rest)?;
            let [Some(lengths), Some(offsets), Some(matches)] = &self.tables else { return None };
            let mut states = [lengths, offsets, matches].map(|table| table.begin(&mut input));
            for left in (0..count).rev() {
                let code = offsets.symbol(states[1]);
                if code > MAX_OFFSET {
                    return None;
                }
                let offset = (1usize << code) + input.take(code.into()) as usize;
                let length = number(matches.symbol(states[2]), 32, 3, &MATCHES, &mut input)?;
                let plain = number(lengths.symbol(states[0]), 16, 0, &LITERALS, &mut input)?;
                let offset = repeated(&mut self.offsets, offset, plain)?;
                let (copied, more) = literals.split_at_checked(plain)?;
                literals = more;
                out.extend_from_slice(copied);
                copy(out, from, offset, length, start + most)?;
                if left > 0 {
                    states[0] = lengths.next(states[0], &mut input);
                    states[2] = matches.next(states[2], &mut input);
                    states[1] = offsets.next(states[1], &mut input);
                }
            }
            if input.left() != 0 {
                return None;
            }
        } else if !rest.is_empty() {
            return None;
        }
        out.extend_from_slice(literals);
        (out.len() - start <= most).then_some(())
    }

    /// The literals (3.1.1.3.1), and what follows them.
    fn literals<'b>(&mut self, bytes: &'b [u8], most: usize) -> Option<(Vec<u8>, &'b [u8])> {
        let head = *bytes.first()?;
        let number =
            |len: usize| bytes.get(..len).map(|b| b.iter().rev().fold(0u64, |sum, &b| sum << 8 | u64::from(b)));
        let (kind, form) = (head & 3, head >> 2 & 3);
        if kind < 2 {
            // As they are, or one byte for all.
            let (len, shift) = [(1, 3), (2, 4), (1, 3), (3, 4)][usize::from(form)];
            let size = (number(len)? >> shift) as usize;
            let rest = bytes.get(len..)?;
            if size > most {
                return None;
            }
            return if kind == 0 {
                rest.split_at_checked(size).map(|(literals, rest)| (literals.to_vec(), rest))
            } else {
                rest.split_first().map(|(&byte, rest)| (vec![byte; size], rest))
            };
        }
        let (len, bits) = [(3, 10), (3, 10), (4, 14), (5, 18)][usize::from(form)];
        let sizes = number(len)? >> 4;
        let mask = (1u64 << bits) - 1;
        let (size, packed) = ((sizes & mask) as usize, (sizes >> bits & mask) as usize);
        let (mut packed, rest) = bytes.get(len..)?.split_at_checked(packed)?;
        if size > most {
            return None;
        }
        if kind == 2 {
            let (huffman, behind) = Huffman::read(packed)?;
            self.huffman = Some(huffman);
            packed = behind;
        }
        let huffman = self.huffman.as_ref()?;
        let mut literals = Vec::new();
        if form == 0 {
            huffman.decode(packed, size, &mut literals)?;
            return Some((literals, rest));
        }
        let (jumps, mut streams) = packed.split_at_checked(6)?;
        let each = size.div_ceil(4);
        for jump in jumps.chunks_exact(2) {
            let (stream, more) = streams.split_at_checked(usize::from(jump[0]) | usize::from(jump[1]) << 8)?;
            streams = more;
            huffman.decode(stream, each, &mut literals)?;
        }
        huffman.decode(streams, size.checked_sub(3 * each)?, &mut literals)?;
        Some((literals, rest))
    }

    /// The tables of codes (3.1.1.3.2.1), and what follows them.
    fn read_tables<'b>(&mut self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let (&modes, mut rest) = bytes.split_first()?;
        if modes & 3 != 0 {
            return None;
        }
        let kinds: [(u32, &[i16], u32, usize); 3] =
            [(6, &USUAL_LITERALS, 9, 36), (5, &USUAL_OFFSETS, 8, 32), (6, &USUAL_MATCHES, 9, 53)];
        for (n, (table, (log, usual, most, symbols))) in self.tables.iter_mut().zip(kinds).enumerate() {
            match modes >> (6 - 2 * n) & 3 {
                0 => *table = States::new(log, usual),
                1 => {
                    let (&symbol, more) = rest.split_first()?;
                    *table = Some(States::of_one(symbol));
                    rest = more;
                }
                2 => {
                    let (states, more) = States::read(rest, most, symbols)?;
                    *table = Some(states);
                    rest = more;
                }
                // The one of the block before.
                _ => {}
            }
        }
        Some(rest)
    }
}

/// How many sequences follow (3.1.1.3.2.1).
fn count(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [n @ 0..128, rest @ ..] => Some((usize::from(*n), rest)),
        [255, low, high, rest @ ..] => Some((usize::from(*low) + (usize::from(*high) << 8) + 0x7F00, rest)),
        [255, ..] => None,
        [high, low, rest @ ..] => Some((usize::from(high - 128) << 8 | usize::from(*low), rest)),
        _ => None,
    }
}

/// A length by its code: itself and something more, or from a table, with bits behind it.
fn number(code: u8, plain: u8, more: usize, table: &[(u32, u32)], input: &mut Backward<'_>) -> Option<usize> {
    match code.checked_sub(plain) {
        None => Some(usize::from(code) + more),
        Some(row) => {
            let (base, bits) = *table.get(usize::from(row))?;
            Some(base as usize + input.take(bits) as usize)
        }
    }
}

/// The offset that a value stands for: one of the last three, or a new one (3.1.1.5).
fn repeated(last: &mut [usize; 3], value: usize, literals: usize) -> Option<usize> {
    let (at, offset) = match (value, literals) {
        (4.., _) => (2, value - 3),
        // Without literals the last one would be no news.
        (3, 0) => (2, last[0].checked_sub(1).filter(|offset| *offset > 0)?),
        (_, 0) => (value, last[value]),
        _ => (value - 1, last[value - 1]),
    };
    last.copy_within(..at, 1);
    last[0] = offset;
    Some(offset)
}

/// Copies from further back; what is copied may reach into itself.
fn copy(out: &mut Vec<u8>, from: usize, offset: usize, length: usize, end: usize) -> Option<()> {
    let start = out.len().checked_sub(offset).filter(|start| *start >= from)?;
    if out.len() + length > end {
        return None;
    }
    if offset >= length {
        out.extend_from_within(start..start + length);
    } else {
        for at in start..start + length {
            out.push(*out.get(at)?);
        }
    }
    Some(())
}
