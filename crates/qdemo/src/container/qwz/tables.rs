//! The fixed tables of the range coder.
//!
//! `counts.txt` has a count for each symbol, one row for each field of the packets. Here they become cumulative
//! frequencies, scaled to 32 bits.

use std::sync::LazyLock;

/// The rows that are read in pairs, as one table of 512 symbols: bytes and strings.
const PAIRS: [u8; 5] = [78, 80, 82, 105, 124];

/// The row of two symbols: whether a damage message has a place.
const HAS_FROM: u8 = 132;

/// Cumulative frequencies.
pub(super) struct Tables {
    rows: Box<[[u32; 256]; 256]>,
    pairs: [[u32; 512]; PAIRS.len()],
    has_from: [u32; 2],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::from_counts(include_str!("counts.txt")));

impl Tables {
    /// The tables, worked out once.
    pub(super) fn get() -> &'static Tables {
        &TABLES
    }

    pub(super) fn row(&self, row: u8) -> &[u32; 256] {
        &self.rows[usize::from(row)]
    }

    /// The table of `row` and the one behind it. There are five of them.
    pub(super) fn pair(&self, row: u8) -> &[u32; 512] {
        let index = PAIRS.iter().position(|&r| r == row).unwrap_or(0);
        &self.pairs[index]
    }

    pub(super) fn has_from(&self) -> &[u32; 2] {
        &self.has_from
    }

    fn from_counts(text: &str) -> Tables {
        // Rows that are not in the file are never used; one each keeps them harmless.
        let mut counts = vec![[1; 256]; 256];
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (row, rest) = line.split_once(' ').unwrap_or_default();
            let Some(counts) = row.parse::<usize>().ok().and_then(|row| counts.get_mut(row)) else { continue };
            let all = rest.split(' ').flat_map(|item| {
                let (count, times) = item.split_once('*').unwrap_or((item, "1"));
                std::iter::repeat_n(count.parse().unwrap_or(1), times.parse().unwrap_or(1))
            });
            counts.iter_mut().zip(all).for_each(|(count, value)| *count = value);
        }
        // Qizmo adds this when it has read the file. The symbol stands for a difference to the packet just before.
        counts[0][1] += 256;
        let mut rows = Box::new([[0; 256]; 256]);
        rows.iter_mut().zip(&counts).for_each(|(row, counts)| *row = cumulative(counts));
        let pairs = PAIRS.map(|row| {
            let mut both = [0; 512];
            both.iter_mut().zip(counts[usize::from(row)..].as_flattened()).for_each(|(to, from)| *to = *from);
            cumulative(&both)
        });
        let [no, yes, ..] = counts[usize::from(HAS_FROM)];
        Tables { rows, pairs, has_from: cumulative(&[no, yes]) }
    }
}

/// Shares of `u32::MAX` for all symbols up to each one.
fn cumulative<const N: usize>(counts: &[u32; N]) -> [u32; N] {
    let total: u64 = counts.iter().copied().map(u64::from).sum();
    let mut sum = 0;
    counts.map(|count| {
        sum += u64::from(count);
        (sum * u64::from(u32::MAX) / total.max(1)) as u32
    })
}
