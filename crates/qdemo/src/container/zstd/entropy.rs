//! Tables of finite state entropy, and Huffman's code (section 4).

use super::bits::{Backward, Forward};

/// A table of finite state entropy: what each state says, and how it goes on.
#[derive(Clone, Debug)]
pub(super) struct States {
    /// Bits of a state.
    pub(super) log: u32,
    states: Vec<StateRow>,
}

#[derive(Clone, Copy, Debug, Default)]
struct StateRow {
    symbol: u8,
    bits: u32,
    base: u16,
}

impl States {
    /// Reads a table (4.1.1), and gives what follows it.
    pub(super) fn read(bytes: &[u8], most: u32, symbols: usize) -> Option<(States, &[u8])> {
        let mut input = Forward::new(bytes);
        let log = input.take(4)? + 5;
        if log > most {
            return None;
        }
        let mut left = 1i32 << log;
        let mut shares: Vec<i16> = Vec::new();
        while left > 0 {
            let bits = (left + 1).ilog2() + 1;
            let mut value = input.take(bits)? as i32;
            // Small values need a bit less.
            let low = (1 << (bits - 1)) - 1;
            let short = (1 << bits) - 2 - left;
            if value & low < short {
                input.give_back(1);
                value &= low;
            } else if value > low {
                value -= short;
            }
            let share = value - 1;
            left -= share.abs();
            shares.push(share as i16);
            if share == 0 {
                // How many more have none.
                loop {
                    let more = input.take(2)?;
                    shares.extend(std::iter::repeat_n(0, more as usize));
                    if more != 3 || shares.len() > symbols {
                        break;
                    }
                }
            }
            if shares.len() > symbols {
                return None;
            }
        }
        (left == 0).then(|| input.rest()).and_then(|rest| Some((States::new(log, &shares)?, rest)))
    }

    /// The table for the shares of symbols; -1 stands for less than one (4.1.1).
    pub(super) fn new(log: u32, shares: &[i16]) -> Option<States> {
        let size = 1usize << log;
        let mut states = vec![StateRow::default(); size];
        let mut next = vec![0u16; shares.len()];
        let mut end = size;
        for (symbol, _) in shares.iter().enumerate().filter(|(_, share)| **share == -1) {
            end = end.checked_sub(1)?;
            states[end].symbol = symbol as u8;
            next[symbol] = 1;
        }
        let step = (size >> 1) + (size >> 3) + 3;
        let mut at = 0;
        for (symbol, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0) {
            next[symbol] = share as u16;
            for _ in 0..share {
                states.get_mut(at)?.symbol = symbol as u8;
                at = (at + step) & (size - 1);
                while at >= end {
                    at = (at + step) & (size - 1);
                }
            }
        }
        if at != 0 {
            return None;
        }
        for row in &mut states {
            let number = next.get_mut(usize::from(row.symbol))?;
            if *number == 0 {
                return None;
            }
            row.bits = log - number.ilog2();
            row.base = ((usize::from(*number) << row.bits) - size) as u16;
            *number += 1;
        }
        Some(States { log, states })
    }

    /// A table of one symbol.
    pub(super) fn of_one(symbol: u8) -> States {
        States { log: 0, states: vec![StateRow { symbol, bits: 0, base: 0 }] }
    }

    pub(super) fn begin(&self, input: &mut Backward<'_>) -> usize {
        input.take(self.log) as usize
    }

    pub(super) fn symbol(&self, state: usize) -> u8 {
        self.states.get(state).map_or(0, |row| row.symbol)
    }

    pub(super) fn next(&self, state: usize, input: &mut Backward<'_>) -> usize {
        let row = self.states.get(state).copied().unwrap_or_default();
        usize::from(row.base) + input.take(row.bits) as usize
    }
}

/// The longest code in bits, and the weights that it gives (4.2.1).
const MAX_BITS: u32 = 11;

/// Huffman's code: symbol and length for each row of bits.
#[derive(Clone, Debug)]
pub(super) struct Huffman {
    bits: u32,
    rows: Vec<(u8, u8)>,
}

impl Huffman {
    /// Reads a description of the code (4.2.1), and gives what follows it.
    pub(super) fn read(bytes: &[u8]) -> Option<(Huffman, &[u8])> {
        let (&head, rest) = bytes.split_first()?;
        let mut weights = Vec::new();
        let rest = if head >= 128 {
            let count = usize::from(head - 127);
            let (packed, rest) = rest.split_at_checked(count.div_ceil(2))?;
            weights.extend(packed.iter().flat_map(|byte| [byte >> 4, byte & 0xF]).take(count));
            rest
        } else {
            let (packed, rest) = rest.split_at_checked(head.into())?;
            weights = packed_weights(packed)?;
            rest
        };
        Huffman::new(weights).map(|code| (code, rest))
    }

    /// The code of these weights and the last one, which is what is left.
    fn new(mut weights: Vec<u8>) -> Option<Huffman> {
        let sum: u32 =
            weights.iter().filter(|w| **w > 0).map(|&w| 1u32.checked_shl(u32::from(w) - 1).unwrap_or(0)).sum();
        if sum == 0 || weights.len() > 255 || weights.iter().any(|&w| u32::from(w) > MAX_BITS) {
            return None;
        }
        let bits = sum.ilog2() + 1;
        let left = (1u32.checked_shl(bits)?).checked_sub(sum)?;
        if bits > MAX_BITS || !left.is_power_of_two() {
            return None;
        }
        weights.push(left.ilog2() as u8 + 1);
        let mut rows = Vec::new();
        for weight in 1..=bits as u8 {
            for (symbol, _) in weights.iter().enumerate().filter(|(_, w)| **w == weight) {
                let length = bits as u8 + 1 - weight;
                rows.extend(std::iter::repeat_n((symbol as u8, length), 1 << (weight - 1)));
            }
        }
        (rows.len() == 1 << bits).then_some(Huffman { bits, rows })
    }

    /// Decodes a stream of so many symbols, which has to come out even.
    pub(super) fn decode(&self, bytes: &[u8], count: usize, out: &mut Vec<u8>) -> Option<()> {
        let mut input = Backward::new(bytes)?;
        for _ in 0..count {
            let (symbol, length) = *self.rows.get(input.peek(self.bits) as usize)?;
            input.pass(length.into());
            out.push(symbol);
        }
        (input.left() == 0).then_some(())
    }
}

/// Weights packed by finite state entropy, with two states in turn (4.2.1.2).
fn packed_weights(bytes: &[u8]) -> Option<Vec<u8>> {
    let (table, rest) = States::read(bytes, 6, 256)?;
    let mut input = Backward::new(rest)?;
    let mut states = [table.begin(&mut input), table.begin(&mut input)];
    let mut weights = Vec::new();
    while weights.len() < 254 {
        for turn in [0, 1] {
            weights.push(table.symbol(states[turn]));
            states[turn] = table.next(states[turn], &mut input);
            if input.left() < 0 {
                weights.push(table.symbol(states[1 - turn]));
                return Some(weights);
            }
        }
    }
    None
}
