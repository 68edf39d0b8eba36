//! Recordings whose moments cannot be compared, of different formats or of different players: what is told alike in all of them.

use super::align::Run;
use super::meaning::Meaning;
use super::scan::{Scan, facts_of, is_compared, scan};
use super::{Alignment, Counts, Difference, Input, Place, Summary, Verdict, What, Which, align};
use crate::demo::detect::Detected;
use crate::demo::with_format;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::replay::{Pass, Step};
use crate::world::ClockKind;

/// Differences that are kept to be sorted by time.
const MOST: usize = 10_000;

/// Compares recordings of different formats by levels, players and what happened.
pub(super) fn compare(
    a: &Input<'_>,
    b: &Input<'_>,
    [one, two]: [&Detected; 2],
    limits: Limits,
    each: &mut dyn FnMut(&Difference) -> Result<()>,
) -> Result<Summary> {
    by_events((a, b), [read(a, one, limits)?, read(b, two, limits)?], limits, each)
}

/// True for recordings of two clients of QuakeWorld: the clock of one says nothing of that of the other, and what one was told is
/// not what the other was.
pub(super) fn are_of_two_clients([a, b]: [&Scan; 2]) -> bool {
    a.clock == ClockKind::Recorder && a.recorder.zip(b.recorder).is_some_and(|(a, b)| a != b)
}

/// True where what happened shows that both are of the same game: at least half of what the one tells that has less, besides
/// that matches begin and end, at times that are as far apart.
pub(super) fn show_the_same_game([a, b]: [&Scan; 2]) -> bool {
    /// In microseconds.
    const NEAR: i64 = 1_000_000;
    let told = |scan: &Scan| scan.events.iter().filter(|event| !event.is_phase).count();
    let pairs = same_events(a, b).into_iter().flat_map(|run| (0..run.len).map(move |n| (run.a + n, run.b + n)));
    let mut apart: Vec<i64> = pairs
        .filter_map(|(n, m)| Some((a.events.get(n)?, b.events.get(m)?)))
        .filter(|(one, _)| !one.is_phase)
        .map(|(one, two)| one.time.saturating_sub(two.time))
        .collect();
    apart.sort_unstable();
    let Some(median) = apart.get(apart.len() / 2).copied() else { return false };
    let near = apart.iter().filter(|apart| apart.saturating_sub(median).saturating_abs() <= NEAR).count();
    2 * near >= told(a).min(told(b))
}

/// Events that are the same in both, in order.
fn same_events(a: &Scan, b: &Scan) -> Vec<Run> {
    let prints = |scan: &Scan| scan.events.iter().map(|event| event.print).collect::<Vec<_>>();
    align::matches(&prints(a), &prints(b))
}

/// Compares recordings by levels, players and what happened.
pub(super) fn by_events(
    (a, b): (&Input<'_>, &Input<'_>),
    [left, right]: [Scan; 2],
    limits: Limits,
    each: &mut dyn FnMut(&Difference) -> Result<()>,
) -> Result<Summary> {
    let runs = same_events(&left, &right);
    let common = runs.iter().map(|run| run.len as u64).sum();
    let mut found = Vec::new();
    let in_a = runs.iter().flat_map(|run| run.a..run.a + run.len).collect::<Vec<_>>();
    let in_b = runs.iter().flat_map(|run| run.b..run.b + run.len).collect::<Vec<_>>();
    let events_a = events(a, Which::A, &left, &in_a, limits, &mut found)?;
    let events_b = events(b, Which::B, &right, &in_b, limits, &mut found)?;
    found.sort_by_key(|difference| difference.a.or(difference.b).map(|place| place.clock.demo));
    found.iter().try_for_each(each)?;
    let facts = u64::from(left.side.levels != right.side.levels) + u64::from(left.side.players != right.side.players);
    let counts = Counts { events: events_a + events_b, facts, ..Counts::default() };
    Ok(Summary {
        // The formats or the moments are: whatever else is alike.
        verdict: Verdict::Different,
        differences: counts.all(),
        counts,
        aligned_by: Alignment::Events,
        common: Vec::new(),
        moments: 0,
        states_differ: 0,
        first_state: None,
        otherwise: 0,
        common_events: common,
        a: left.side,
        b: right.side,
        faults: [left.faults, right.faults],
    })
}

fn read(input: &Input<'_>, detected: &Detected, limits: Limits) -> Result<Scan> {
    fn of<F: Meaning>(input: &Input<'_>, detected: &Detected, limits: Limits) -> Result<Scan> {
        scan::<F>(input, detected, limits)
    }
    with_format!(detected.kind, F => of::<F>(input, detected, limits), unknown => {
        Err(Error::new(ErrorKind::NotADemo(detected.reason.clone())).in_file(input.name))
    })
}

/// Events that the other recording does not have: gives how many there are.
fn events(
    input: &Input<'_>,
    only_in: Which,
    scan: &Scan,
    common: &[usize],
    limits: Limits,
    found: &mut Vec<Difference>,
) -> Result<u64> {
    let all = scan.events.len() - common.len();
    if all == 0 {
        return Ok(0);
    }
    // As they were put in order: by time, and else as they were told.
    let mut told = Vec::new();
    let mut gather = |step: &Step<'_>| {
        for event in step.events.iter().filter(|event| is_compared(event)) {
            told.push((event.clock, event.block, facts_of(event)));
            if told.len() > scan.events.len() {
                told.pop();
            }
        }
        Ok(())
    };
    Pass::new(limits).run(input.open()?, input.name, &mut [&mut gather])?;
    told.sort_by_key(|event| event.0.demo);
    let mut common = common.iter().copied().peekable();
    for (n, (clock, block, event)) in told.into_iter().enumerate() {
        if common.next_if_eq(&n).is_some() || found.len() >= MOST {
            continue;
        }
        let place = Some(Place { clock, block });
        let (a, b) = if only_in == Which::A { (place, None) } else { (None, place) };
        found.push(Difference { a, b, what: What::Event { only_in, event } });
    }
    Ok(all as u64)
}
