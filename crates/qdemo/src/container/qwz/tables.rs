//! The fixed tables of the range coder.
//!
//! `counts.txt` has a count for each symbol, one row for each field of the packets. Here they become cumulative
//! frequencies, scaled to 32 bits.

use std::sync::{LazyLock, OnceLock};

/// The rows that are read in pairs, as one table of 512 symbols: bytes and strings.
const PAIRS: [u8; 5] = [78, 80, 82, 105, 124];

/// The row of two symbols: whether a damage message has a place.
const HAS_FROM: u8 = 132;

/// Cumulative frequencies. Each table is worked out when it is first asked for: a few of them tell that a file is no `.qwz`,
/// and all files are asked.
pub(super) struct Tables {
    /// The line of each row; empty for rows that are not in the file.
    lines: [&'static str; 256],
    rows: [OnceLock<Box<[u32; 256]>>; 256],
    pairs: [OnceLock<Box<[u32; 512]>>; PAIRS.len()],
    has_from: OnceLock<[u32; 2]>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::from_lines(include_str!("counts.txt")));

impl Tables {
    pub(super) fn get() -> &'static Tables {
        &TABLES
    }

    pub(super) fn row(&self, row: u8) -> &[u32; 256] {
        self.rows[usize::from(row)].get_or_init(|| Box::new(cumulative(&self.counts(row))))
    }

    /// The table of `row` and the one behind it. There are five of them.
    pub(super) fn pair(&self, row: u8) -> &[u32; 512] {
        let index = PAIRS.iter().position(|&r| r == row).unwrap_or(0);
        self.pairs[index].get_or_init(|| {
            let mut both = [0; 512];
            let counts = [self.counts(PAIRS[index]), self.counts(PAIRS[index] + 1)];
            both.iter_mut().zip(counts.as_flattened()).for_each(|(to, from)| *to = *from);
            Box::new(cumulative(&both))
        })
    }

    pub(super) fn has_from(&self) -> &[u32; 2] {
        self.has_from.get_or_init(|| {
            let [no, yes, ..] = self.counts(HAS_FROM);
            cumulative(&[no, yes])
        })
    }

    fn from_lines(text: &'static str) -> Tables {
        let mut lines = [""; 256];
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (row, counts) = line.split_once(' ').unwrap_or_default();
            if let Some(place) = row.parse::<usize>().ok().and_then(|row| lines.get_mut(row)) {
                *place = counts;
            }
        }
        Tables {
            lines,
            rows: std::array::from_fn(|_| OnceLock::new()),
            pairs: std::array::from_fn(|_| OnceLock::new()),
            has_from: OnceLock::new(),
        }
    }

    fn counts(&self, row: u8) -> [u32; 256] {
        // Rows that are not in the file are never used; one each keeps them harmless.
        let mut counts = [1; 256];
        let all = self.lines[usize::from(row)].split(' ').flat_map(|item| {
            let (count, times) = item.split_once('*').unwrap_or((item, "1"));
            std::iter::repeat_n(count.parse().unwrap_or(1), times.parse().unwrap_or(1))
        });
        counts.iter_mut().zip(all).for_each(|(count, value)| *count = value);
        if row == 0 {
            // Qizmo adds this when it has read the file. The symbol stands for a difference to the packet just before.
            counts[1] += 256;
        }
        counts
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
