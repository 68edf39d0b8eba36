//! Which moments of two recordings are the same: patience over tokens, then whatever lies between.

use std::collections::HashMap;

use super::scan::Moment;

/// So many moments from `a` on in one recording are those from `b` on in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) len: usize,
}

/// A part of both sequences.
#[derive(Debug, Clone, Copy)]
struct Gap {
    a: (usize, usize),
    b: (usize, usize),
    depth: u32,
}

/// Sequences up to this product of lengths are compared in full.
const SMALL: usize = 1 << 16;
/// How often a gap is cut at what is unique in it. Real recordings need few.
const DEEPEST: u32 = 48;

/// The longest rows of equal tokens, in order in both: common ends, then tokens that are unique in both, then what lies
/// between those in the same way. `O(n log n)` but for hostile input, where less is found.
pub(super) fn matches(a: &[u64], b: &[u64]) -> Vec<Run> {
    let mut pairs = Vec::new();
    let mut open = vec![Gap { a: (0, a.len()), b: (0, b.len()), depth: 0 }];
    while let Some(mut gap) = open.pop() {
        let at = |tokens: &[u64], n: usize| tokens.get(n).copied();
        while gap.a.0 < gap.a.1 && gap.b.0 < gap.b.1 && at(a, gap.a.0) == at(b, gap.b.0) {
            pairs.push((gap.a.0, gap.b.0));
            (gap.a.0, gap.b.0) = (gap.a.0 + 1, gap.b.0 + 1);
        }
        while gap.a.0 < gap.a.1 && gap.b.0 < gap.b.1 && at(a, gap.a.1 - 1) == at(b, gap.b.1 - 1) {
            (gap.a.1, gap.b.1) = (gap.a.1 - 1, gap.b.1 - 1);
            pairs.push((gap.a.1, gap.b.1));
        }
        let (n, m) = (gap.a.1 - gap.a.0, gap.b.1 - gap.b.0);
        if n == 0 || m == 0 {
            continue;
        }
        let inside = |tokens: &[u64], (from, to): (usize, usize)| tokens.get(from..to).unwrap_or_default().to_vec();
        let (left, right) = (inside(a, gap.a), inside(b, gap.b));
        if n.saturating_mul(m) <= SMALL {
            pairs.extend(longest(&left, &right).into_iter().map(|(i, j)| (gap.a.0 + i, gap.b.0 + j)));
            continue;
        }
        let anchors = if gap.depth < DEEPEST { unique(&left, &right) } else { Vec::new() };
        let mut from = (gap.a.0, gap.b.0);
        let count = anchors.len();
        for (i, j) in anchors {
            let (i, j) = (gap.a.0 + i, gap.b.0 + j);
            open.push(Gap { a: (from.0, i), b: (from.1, j), depth: gap.depth + 1 });
            pairs.push((i, j));
            from = (i + 1, j + 1);
        }
        if count > 0 {
            open.push(Gap { a: (from.0, gap.a.1), b: (from.1, gap.b.1), depth: gap.depth + 1 });
        }
    }
    pairs.sort_unstable();
    runs(&pairs)
}

/// Pairs in order as runs.
fn runs(pairs: &[(usize, usize)]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for &(a, b) in pairs {
        match runs.last_mut() {
            Some(run) if run.a + run.len == a && run.b + run.len == b => run.len += 1,
            _ => runs.push(Run { a, b, len: 1 }),
        }
    }
    runs
}

/// The longest common subsequence of two short sequences.
pub(super) fn longest(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut table = vec![0u32; (a.len() + 1) * width];
    let at = |table: &[u32], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or_default();
    for (i, left) in a.iter().enumerate().rev() {
        for (j, right) in b.iter().enumerate().rev() {
            let best = match left == right {
                true => at(&table, i + 1, j + 1) + 1,
                false => at(&table, i + 1, j).max(at(&table, i, j + 1)),
            };
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(left), Some(right)) = (a.get(i), b.get(j)) {
        if left == right {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if at(&table, i + 1, j) >= at(&table, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Tokens that are there once on either side, as far as they are in the same order on both.
fn unique(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    // How often a token is there on either side, and where last.
    let mut seen: HashMap<u64, [(u32, usize); 2]> = HashMap::new();
    for (side, tokens) in [a, b].into_iter().enumerate() {
        for (n, token) in tokens.iter().enumerate() {
            if let Some((count, place)) = seen.entry(*token).or_default().get_mut(side) {
                (*count, *place) = (count.saturating_add(1), n);
            }
        }
    }
    let once = |token: &u64| match seen.get(token) {
        Some([(1, i), (1, j)]) => Some((*i, *j)),
        _ => None,
    };
    let both: Vec<(usize, usize)> = a.iter().filter_map(once).collect();
    // The longest row that rises in the second, too: the last of the best row of each length, and who stood before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(both.len());
    let second = |n: &usize| both.get(*n).map(|pair| pair.1);
    for (n, pair) in both.iter().enumerate() {
        let len = ends.partition_point(|end| second(end) < Some(pair.1));
        before.push(len.checked_sub(1).and_then(|len| ends.get(len).copied()));
        match ends.get_mut(len) {
            Some(end) => *end = n,
            None => ends.push(n),
        }
    }
    let mut row = Vec::with_capacity(ends.len());
    let mut now = ends.last().copied();
    while let Some(n) = now {
        row.extend(both.get(n).copied());
        now = before.get(n).copied().flatten();
    }
    row.reverse();
    row
}

/// What moments are found again by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The game's own clock.
    Clock,
    /// What they hold.
    Content,
    /// The time since the beginning, with an offset.
    Offset(i64),
}

/// Times that are so near are the same: microseconds.
const NEAR: i64 = 600;

/// Finds the moments of one recording in another.
pub(super) fn moments(a: &[Moment], b: &[Moment], by: By) -> Vec<Run> {
    let mut found = Vec::new();
    let whole = Gap { a: (0, a.len()), b: (0, b.len()), depth: 0 };
    match by {
        By::Offset(offset) => return runs(&at_times(a, b, whole, offset)),
        By::Clock => {
            within(a, b, &mut found, |moment| moment.key ^ moment.print.rotate_left(1));
            within(a, b, &mut found, |moment| moment.key);
        }
        By::Content => {}
    }
    if found.is_empty() {
        within(a, b, &mut found, |moment| moment.print);
    }
    if found.is_empty() {
        return found;
    }
    // What lies between: as many on either side, or those at the same distance from what was found.
    let mut pairs: Vec<(usize, usize)> =
        found.iter().flat_map(|run| (0..run.len).map(|n| (run.a + n, run.b + n))).collect();
    for gap in gaps(a.len(), b.len(), &found) {
        if gap.a.1 - gap.a.0 == gap.b.1 - gap.b.0 {
            pairs.extend((gap.a.0..gap.a.1).zip(gap.b.0..gap.b.1));
            continue;
        }
        let near = match gap.a.0.checked_sub(1).zip(gap.b.0.checked_sub(1)) {
            Some(before) => before,
            None => (gap.a.1, gap.b.1),
        };
        let time = |all: &[Moment], n: usize| all.get(n).map(|moment| moment.time);
        let Some((left, right)) = time(a, near.0).zip(time(b, near.1)) else { continue };
        pairs.extend(at_times(a, b, gap, left - right));
    }
    pairs.sort_unstable();
    runs(&pairs)
}

/// Finds equal tokens between what was found.
fn within(a: &[Moment], b: &[Moment], found: &mut Vec<Run>, token: impl Fn(&Moment) -> u64) {
    let tokens = |all: &[Moment], (from, to): (usize, usize)| {
        all.get(from..to).unwrap_or_default().iter().map(&token).collect::<Vec<_>>()
    };
    let mut more = Vec::new();
    for gap in gaps(a.len(), b.len(), found) {
        let inside = matches(&tokens(a, gap.a), &tokens(b, gap.b));
        more.extend(inside.into_iter().map(|run| Run { a: gap.a.0 + run.a, b: gap.b.0 + run.b, ..run }));
    }
    found.extend(more);
    found.sort_unstable_by_key(|run| run.a);
}

/// What lies between the runs, where something does on both sides.
fn gaps(n: usize, m: usize, found: &[Run]) -> Vec<Gap> {
    let mut from = (0, 0);
    let mut gaps = Vec::new();
    for run in found.iter().chain([&Run { a: n, b: m, len: 0 }]) {
        if from.0 < run.a && from.1 < run.b {
            gaps.push(Gap { a: (from.0, run.a), b: (from.1, run.b), depth: 0 });
        }
        from = (run.a + run.len, run.b + run.len);
    }
    gaps
}

/// Moments of which those of `a` are so much later.
fn at_times(a: &[Moment], b: &[Moment], gap: Gap, offset: i64) -> Vec<(usize, usize)> {
    let (mut i, mut j) = (gap.a.0, gap.b.0);
    let mut pairs = Vec::new();
    while let (true, Some(left), Some(right)) = (i < gap.a.1 && j < gap.b.1, a.get(i), b.get(j)) {
        let late = left.time.saturating_sub(right.time).saturating_sub(offset);
        if late.saturating_abs() <= NEAR {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if late < 0 {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments_of(tokens: &[(u64, u64, i64)]) -> Vec<Moment> {
        tokens.iter().map(|&(key, print, time)| Moment { key, print, time, ..Moment::default() }).collect()
    }

    #[test]
    fn equal_rows_are_found() {
        let run = |a, b, len| Run { a, b, len };
        assert_eq!(matches(&[1, 2, 3], &[1, 2, 3]), [run(0, 0, 3)]);
        assert_eq!(matches(&[1, 2, 3, 4], &[2, 3]), [run(1, 0, 2)]);
        assert_eq!(matches(&[1, 2, 9, 3], &[1, 2, 3]), [run(0, 0, 2), run(3, 2, 1)]);
        assert_eq!(matches(&[1, 2], &[3, 4]), []);
        assert_eq!(matches(&[], &[3, 4]), []);
    }

    /// Too long for a table: rows between unique tokens, and tokens that repeat.
    #[test]
    fn a_piece_of_a_long_row_is_found() {
        let a: Vec<u64> = (0..5000).map(|n| if n % 3 == 0 { 7 } else { n + 10 }).collect();
        let b: Vec<u64> = [vec![1], a[1000..3000].to_vec(), vec![2], a[3001..4000].to_vec()].concat();
        let runs = matches(&a, &b);
        assert_eq!(runs.iter().map(|run| run.len).sum::<usize>(), 2999);
        assert!(runs.iter().all(|run| (run.a..run.a + run.len).all(|n| a[n] == b[run.b + n - run.a])), "{runs:?}");
        // Nothing is unique: the ends are found all the same, and nothing hangs.
        let same = vec![5; 3000];
        assert_eq!(matches(&same, &same[..2000]), [Run { a: 0, b: 0, len: 2000 }]);
    }

    #[test]
    fn a_changed_moment_is_the_same_moment() {
        let a = moments_of(&[(1, 11, 0), (2, 12, 10), (3, 13, 20), (4, 14, 30)]);
        let mut b = a.clone();
        b[2].print = 99;
        assert_eq!(moments(&a, &b, By::Clock), [Run { a: 0, b: 0, len: 4 }]);
        assert_eq!(moments(&a, &b, By::Content), [Run { a: 0, b: 0, len: 4 }]);
        // A piece that begins with a start of its own: the distance to what follows tells where that belongs.
        let mut piece: Vec<Moment> =
            a[1..].iter().map(|m| Moment { key: 0, time: m.time * 1000 - 10_000, ..*m }).collect();
        let long: Vec<Moment> = a.iter().map(|m| Moment { time: m.time * 1000, ..*m }).collect();
        piece[0].print = 77;
        assert_eq!(moments(&long, &piece, By::Content), [Run { a: 1, b: 0, len: 3 }]);
        assert_eq!(moments(&long, &piece, By::Offset(10_000)), [Run { a: 1, b: 0, len: 3 }]);
    }
}
