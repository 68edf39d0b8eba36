//! What a repair brings back, in numbers: over the recordings that come with the sources, and over all at hand.
//!
//! Two numbers tell of the state behind damage. *Right* are moments whose state is that of the original. *Right as far as
//! it can be known* are those, and moments in which nothing is wrong but what a block that is lost changed and no block has
//! changed since, or what stands on a baseline that is lost: servers tell many things only when they change, so a repair
//! cannot know them. A state in which anything else is wrong is a repair's own mistake.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use qdemo::edit::repair::repair;
use qdemo::verify::verify;
use qdemo::{FileKind, Limits};

use super::first_frame;
use super::measure::{self, Blocks, Damaged, blocks, compare, overwrite, reordered, repaired};
use crate::common::{Random, file_name, recordings};

/// What came of a kind of damage.
#[derive(Default)]
struct Sum {
    result: measure::Result,
    /// Moments and ms until all was right, and until all was that can be known.
    until: Vec<(usize, i64)>,
    until_known: Vec<(usize, i64)>,
    runs: usize,
}

impl Sum {
    fn add(&mut self, one: &measure::Result) {
        self.result.add(one);
        self.until.extend(one.until);
        self.until_known.extend(one.until_known);
        self.runs += 1;
    }

    fn all(&mut self, other: &Sum) {
        self.result.add(&other.result);
        self.until.extend(&other.until);
        self.until_known.extend(&other.until_known);
        self.runs += other.runs;
    }

    fn saved(&self) -> f64 {
        percent(self.result.saved as f64, self.result.intact)
    }

    fn known(&self) -> f64 {
        percent(self.result.known(), self.result.moments)
    }

    fn line(&self) -> String {
        let r = &self.result;
        // Of those that never are the end of the recording is no time.
        let median = |list: &[(usize, i64)]| {
            let mut list: Vec<_> = list.iter().map(|(_, ms)| *ms).collect();
            list.sort_unstable();
            list.get(self.runs / 2).map_or("never".to_owned(), |ms| format!("{ms} ms"))
        };
        format!(
            "{:.2} % of {} blocks; of {} moments {:.1} % right after {}, {:.1} % as far as can be known after {}; {:.1} % of states",
            self.saved(),
            r.intact,
            r.moments,
            percent(r.right as f64, r.moments),
            median(&self.until),
            self.known(),
            median(&self.until_known),
            percent(r.right_states as f64, r.states),
        )
    }
}

fn percent(part: f64, all: usize) -> f64 {
    if all == 0 { 100.0 } else { part * 100.0 / all as f64 }
}

/// Damages a recording in every way, and compares what comes back.
fn damage(bytes: &[u8], name: &str, all: &Blocks, (cuts, regions, moved): (usize, usize, usize)) -> [Sum; 6] {
    let mut random = Random(bytes.len() as u64 + 1);
    let mut sums: [Sum; 6] = Default::default();
    let [cut, overwritten, dropped, doubled, swapped, late] = &mut sums;
    let every = (all.ranges.len() / 8).max(1);
    let run = |damaged: &Damaged, out: &[u8]| {
        assert!(verify(out, name, Limits::default()).unwrap().is_exact(), "{name}");
        compare(bytes, name, all, damaged, out, every)
    };
    let first = all.ranges.partition_point(|range| range.end <= bytes.len() / 8);
    for _ in 0..cuts {
        let at = all.ranges[first].end + random.below(bytes.len() - all.ranges[first].end);
        let Ok((out, _)) = repair(|| Ok(&bytes[..at]), name, Limits::default(), Vec::new()) else { continue };
        let whole = all.ranges.partition_point(|range| range.end <= at);
        // Where something else is repaired, too, blocks are looked for wherever they stand.
        let saved = match out.starts_with(&bytes[..all.ranges[whole - 1].end]) {
            true => whole,
            false => {
                let intact = (0..all.ranges.len()).map(|block| block < whole).collect();
                measure::saved(name, all, &Damaged { bytes: Vec::new(), intact, first: whole }, &out).1
            }
        };
        cut.add(&measure::Result { intact: whole, saved, ..measure::Result::default() });
    }
    for _ in 0..regions {
        let (at, n) = (random.below(bytes.len()), 1 + random.below(2_000));
        let damaged = overwrite(bytes, all, at, &random.bytes(n));
        let Ok((out, _)) = repair(|| Ok(&damaged.bytes[..]), name, Limits::default(), Vec::new()) else { continue };
        overwritten.add(&run(&damaged, &out));
    }
    let n = all.ranges.len();
    let mut places: Vec<usize> = (0..moved.min(n / 8)).map(|_| first + random.below(n - 2 - first)).collect();
    places.sort_unstable();
    places.dedup_by(|a, b| *a - *b < 3);
    let moved = |sum: &mut Sum, intact: Vec<bool>, order: &[usize]| {
        let first = places.first().copied().unwrap_or(n);
        let damaged = Damaged { bytes: reordered(bytes, all, order), intact, first };
        let out = repaired(&damaged.bytes, name).0;
        sum.add(&run(&damaged, &out));
    };
    let is_place = |block: &usize| places.binary_search(block).is_ok();
    let order: Vec<usize> = (0..n).filter(|block| !is_place(block)).collect();
    moved(dropped, (0..n).map(|block| !is_place(&block)).collect(), &order);
    let order: Vec<usize> = (0..n).flat_map(|block| vec![block; 1 + usize::from(is_place(&block))]).collect();
    moved(doubled, vec![true; n], &order);
    let mut order: Vec<usize> = (0..n).collect();
    places.iter().for_each(|place| order.swap(*place, place + 1));
    moved(swapped, vec![true; n], &order);
    // Without its beginning.
    if let Some(begun) = first_frame(bytes, name).map(|block| block + 3).filter(|begun| begun + 20 < n) {
        let order: Vec<usize> = (begun..n).collect();
        let mut cut = reordered(bytes, all, &order);
        if all.kind == FileKind::Mvd2 && !cut.starts_with(b"MVD2") {
            // The mark of the format stands in front of all blocks.
            cut.splice(0..0, *b"MVD2");
        }
        if let Ok((out, _)) = repair(|| Ok(&cut[..]), name, Limits::default(), Vec::new()) {
            let damaged = Damaged { bytes: cut, intact: (0..n).map(|block| block >= begun).collect(), first: 0 };
            late.add(&run(&damaged, &out));
        }
    }
    sums
}

const DAMAGE: [&str; 6] = ["cut", "overwritten", "dropped", "doubled", "swapped", "without a beginning"];

/// Damages recordings, tells what came back of each and of each format, and gives the latter.
fn of_recordings(paths: Vec<PathBuf>, rounds: (usize, usize, usize), budget: usize) -> BTreeMap<String, [Sum; 6]> {
    let mut formats: BTreeMap<String, [Sum; 6]> = BTreeMap::new();
    for path in paths {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        let all = blocks(&bytes, &name);
        let is_long = all.ranges.len() >= 50 && first_frame(&bytes, &name).is_some();
        if !is_long || repair(|| Ok(&bytes[..]), &name, Limits::default(), Vec::new()).is_err() {
            continue;
        }
        // Of long recordings fewer places are enough, where there is little time.
        let fit = |rounds: usize| rounds.min((budget / bytes.len()).max(8));
        let sums = damage(&bytes, &name, &all, (fit(rounds.0), fit(rounds.1), rounds.2));
        eprintln!("{name}: {}", sums[1].line());
        let format = formats.entry(format!("{:?}", all.kind).to_lowercase()).or_default();
        format.iter_mut().zip(&sums).for_each(|(sum, one)| sum.all(one));
    }
    for (format, sums) in &formats {
        for (what, sum) in DAMAGE.iter().zip(sums) {
            eprintln!("== {format}, {what}: {}", sum.line());
        }
        for known in [true, false] {
            let all = sums[1..5].iter().flat_map(|sum| &sum.result.wrong).filter(|((of, _), _)| *of == known);
            let mut wrong: BTreeMap<&str, usize> = BTreeMap::new();
            all.for_each(|((_, what), n)| *wrong.entry(what).or_default() += n);
            let mut wrong: Vec<_> = wrong.into_iter().collect();
            wrong.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
            let shown = wrong.into_iter().take(24).map(|(what, n)| format!("{what} {n}")).collect::<Vec<_>>();
            eprintln!("   wrong and {} be known: {}", if known { "could" } else { "cannot" }, shown.join(", "));
        }
    }
    formats
}

fn is_demo(extension: &str) -> bool {
    extension != "qwz" && FileKind::by_extension(extension).is_some()
}

/// Every recording at hand, cut at 200 places, with 100 regions overwritten, with 20 blocks dropped, doubled and swapped,
/// and without its beginning: to be read by people. `cargo test --release -- --ignored`.
#[test]
#[ignore = "takes an hour"]
fn numbers_of_all_recordings() {
    let number = |name: &str, usual| std::env::var(name).map_or(usual, |n| n.parse().unwrap());
    let most = number("MOST", usize::MAX);
    let paths = recordings(is_demo).into_iter().filter(|path| fs::metadata(path).unwrap().len() <= most as u64);
    let rounds = (number("CUTS", 200), number("REGIONS", 100), 20);
    for (format, sums) in of_recordings(paths.collect(), rounds, number("BUDGET", usize::MAX)) {
        for (what, sum) in DAMAGE.iter().zip(&sums) {
            assert!(sum.saved() >= 99.0, "{format}, {what}: {}", sum.line());
        }
    }
}
