//! The second reading: both recordings side by side.

use std::collections::{HashMap, VecDeque};
use std::io::Read;

use super::align::{self, By, Run};
use super::meaning::{Class, Meaning, Teller};
use super::messages::{self, Said};
use super::scan::{Happened, Moment, Scan};
use super::state::{Follower, Found};
use super::{Alignment, Change, Common, Counts, Difference, Input, Place, Summary, Verdict, What, Which};
use crate::demo::Reader;
use crate::error::Result;
use crate::limits::Limits;
use crate::replay::World;
use crate::world::{ClockKind, DemoTime, Scene};

/// Moments behind a difference in which states are looked at although the messages are the same: in Quake III frames build on
/// what was sent up to 32 frames before.
const WATCH: u32 = 64;
/// Messages of one moment that are compared one by one.
const MOST_MESSAGES: usize = 8192;
/// Now and then states are looked at in any case.
const EVERY: usize = 256;

/// True for recordings that may be of the same game: of the same map.
pub(super) fn are_related([a, b]: [&Scan; 2]) -> bool {
    a.side.levels.is_empty()
        || b.side.levels.is_empty()
        || a.side.levels.iter().any(|level| b.side.levels.contains(level))
}

/// Compares two recordings of one format, moment by moment: `runs` are those that are the same, and were found by `by`.
pub(super) fn walk<F: Meaning>(
    (open_a, open_b): (&Input<'_>, &Input<'_>),
    [a, b]: [&Scan; 2],
    (runs, by): (&[Run], By),
    limits: Limits,
    each: &mut dyn FnMut(&Difference) -> Result<()>,
) -> Result<Summary> {
    let mut walk = Walk {
        a: Track::<F>::open(open_a, a, limits)?,
        b: Track::<F>::open(open_b, b, limits)?,
        queue: Queue::new(each),
        follower: Follower::default(),
        watch: 0,
        pairs: 0,
        states_differ: 0,
        first_state: None,
        otherwise: 0,
        lag: None,
    };
    for run in runs {
        walk.stretch(Which::A, run.a)?;
        walk.stretch(Which::B, run.b)?;
        for n in 0..run.len {
            walk.pair(n + 1 == run.len)?;
        }
    }
    walk.stretch(Which::A, a.moments.len())?;
    walk.stretch(Which::B, b.moments.len())?;
    let Walk { mut queue, pairs, states_differ, first_state, otherwise, .. } = walk;
    queue.flush(None)?;
    let counts = queue.counts;
    let differences = counts.all();
    let aligned_by = match by {
        _ if runs.is_empty() => Alignment::Nothing,
        By::Clock => Alignment::Clock,
        By::Content => Alignment::Content,
        By::Offset(_) => Alignment::Offset,
    };
    Ok(Summary {
        verdict: if differences == 0 { Verdict::Same } else { Verdict::Different },
        differences,
        counts,
        aligned_by,
        common: common(runs, &a.moments, &b.moments),
        moments: pairs as u64,
        states_differ,
        first_state,
        otherwise,
        common_events: common_events(runs, a, b),
        a: a.side.clone(),
        b: b.side.clone(),
        faults: Default::default(),
    })
}

impl Counts {
    pub(super) fn all(&self) -> u64 {
        let Counts { only_in_a, only_in_b, added, removed, changed, moved, states, shifts, events, facts } = *self;
        only_in_a + only_in_b + added + removed + changed + moved + states + shifts + events + facts
    }
}

fn span(moments: &[Moment], from: usize, len: usize) -> Option<(i64, i64)> {
    let part = moments.get(from..from.checked_add(len)?)?;
    Some((part.first()?.time, part.last()?.time))
}

fn common(runs: &[Run], a: &[Moment], b: &[Moment]) -> Vec<Common> {
    const MOST: usize = 1000;
    let one = |run: &Run| {
        let (left, right) = (span(a, run.a, run.len)?, span(b, run.b, run.len)?);
        let messages = b.get(run.b..run.b + run.len)?.iter().map(|moment| u64::from(moment.messages)).sum();
        let times = |(from, to)| [DemoTime(from), DemoTime(to)];
        Some(Common { a: times(left), b: times(right), moments: run.len as u64, messages })
    };
    runs.iter().take(MOST).filter_map(one).collect()
}

/// Events in what both have that are the same, in order.
fn common_events(runs: &[Run], a: &Scan, b: &Scan) -> u64 {
    let inside = |scan: &Scan, spans: Vec<(i64, i64)>| -> Vec<u64> {
        let mut spans = spans.into_iter().peekable();
        let mut all = Vec::new();
        for Happened { time, print, .. } in &scan.events {
            while spans.next_if(|span| span.1 < *time).is_some() {}
            if spans.peek().is_some_and(|span| span.0 <= *time) {
                all.push(*print);
            }
        }
        all
    };
    let left = inside(a, runs.iter().filter_map(|run| span(&a.moments, run.a, run.len)).collect());
    let right = inside(b, runs.iter().filter_map(|run| span(&b.moments, run.b, run.len)).collect());
    align::matches(&left, &right).iter().map(|run| run.len as u64).sum()
}

/// Both recordings, side by side.
struct Walk<'w, F: Meaning> {
    a: Track<'w, F>,
    b: Track<'w, F>,
    queue: Queue<'w>,
    follower: Follower,
    /// Moments for which states are still looked at.
    watch: u32,
    pairs: usize,
    states_differ: u64,
    first_state: Option<[Place; 2]>,
    otherwise: u64,
    /// By how much the first recording is later; `None` behind a stretch that explains another time.
    lag: Option<i64>,
}

impl<F: Meaning> Walk<'_, F> {
    /// Reads one recording up to a moment: the other one has nothing of that.
    fn stretch(&mut self, which: Which, to: usize) -> Result<()> {
        let track = if which == Which::A { &mut self.a } else { &mut self.b };
        let (mut from, mut moments, mut messages) = (None, 0, 0);
        while track.at < to {
            messages += u64::from(track.moment().messages);
            track.advance(false)?;
            from = from.or(Some(track.place));
            moments += 1;
        }
        let Some(from) = from else { return Ok(()) };
        let what = What::Stretch { only_in: which, to: track.place, moments, messages };
        let (a, b) = if which == Which::A { (Some(from), None) } else { (None, Some(from)) };
        self.lag = None;
        self.watch = WATCH;
        self.queue.push(self.pairs, Difference { a, b, what }, None)
    }

    /// Reads a moment that both have.
    fn pair(&mut self, is_last: bool) -> Result<()> {
        let alike = self.a.moment().print == self.b.moment().print;
        let lag = self.a.moment().time.saturating_sub(self.b.moment().time);
        self.a.advance(!alike)?;
        self.b.advance(!alike)?;
        let places = [self.a.place, self.b.place];
        self.pairs += 1;
        self.shift(lag, places)?;
        // Where a recording begins it is told all at once what the other one was told bit by bit.
        let begins = match (self.a.level, self.b.level) {
            (true, false) => Some(Which::A),
            (false, true) => Some(Which::B),
            _ => None,
        };
        let differ = if alike || begins.is_some() { Vec::new() } else { messages::compare(&self.a.said, &self.b.said) };
        if !alike || begins.is_some() {
            self.watch = WATCH;
        }
        let mut found = Found::Same;
        if self.watch > 0 || is_last || self.pairs % EVERY == 0 {
            self.watch = self.watch.saturating_sub(1);
            found = self.follower.look(&self.a.world, &self.b.world, !alike || begins.is_some(), begins);
        }
        if matches!(found, Found::New(..) | Found::Before) {
            self.watch = WATCH;
            self.states_differ += 1;
            self.first_state = self.first_state.or(Some(places));
        }
        for differs in differ {
            let (one, two) = (differs.a.and_then(|n| self.a.said.get(n)), differs.b.and_then(|n| self.b.said.get(n)));
            if differs.class == Class::State && matches!(found, Found::Same | Found::Untold(..)) {
                self.otherwise += 1;
                continue;
            }
            let Some(said) = one.or(two) else { continue };
            let fields = if differs.change == Change::Moved { Vec::new() } else { messages::fields(one, two) };
            let what = What::Message { change: differs.change, message: said.name, fields };
            // Where it is not: the moment that it would be in.
            let difference = Difference {
                a: Some(messages::place(places[0], one)).filter(|_| one.is_some()),
                b: Some(messages::place(places[1], two)).filter(|_| two.is_some()),
                what,
            };
            let loose = matches!(differs.change, Change::Added | Change::Removed) && differs.class == Class::Told;
            self.queue.push(self.pairs, difference, loose.then_some(said.print))?;
        }
        let what = match found {
            Found::New(fields, more) => What::State { fields, more },
            Found::Untold(fields, more) => What::Untold { fields, more },
            Found::Again(moments) => What::SameAgain { moments },
            Found::Same | Found::Before => return self.queue.flush(Some(self.pairs)),
        };
        self.queue.push(self.pairs, Difference { a: Some(places[0]), b: Some(places[1]), what }, None)?;
        self.queue.flush(Some(self.pairs))
    }

    /// Notes that one recording runs later than before, where no clock of the game tells.
    fn shift(&mut self, lag: i64, places: [Place; 2]) -> Result<()> {
        let before = self.lag.replace(lag);
        let by = before.map_or(0, |before| lag.saturating_sub(before));
        if by.saturating_abs() < 1000 || places[0].clock.kind != ClockKind::Recording {
            return Ok(());
        }
        let what = What::Shift { by: DemoTime(by) };
        self.queue.push(self.pairs, Difference { a: Some(places[0]), b: Some(places[1]), what }, None)
    }
}

/// One recording on its way.
struct Track<'w, F: Meaning> {
    reader: Reader<Box<dyn Read + 'w>>,
    world: World,
    teller: Teller<F>,
    moments: &'w [Moment],
    /// The next moment.
    at: usize,
    /// Where the last moment is.
    place: Place,
    /// What it said, where that was asked for.
    said: Vec<Said>,
    /// A level began in it.
    level: bool,
}

impl<'w, F: Meaning> Track<'w, F> {
    fn open<'i: 'w>(input: &Input<'i>, scan: &'w Scan, limits: Limits) -> Result<Self> {
        let reader = Reader::new(input.open()?, input.name, limits)?;
        let world = World::of(&scan.detected, input.name)?;
        let place = Place { clock: world.clock(), block: 0 };
        let teller = Teller::new(F::decoder(&scan.detected));
        Ok(Track { reader, world, teller, moments: &scan.moments, at: 0, place, said: Vec::new(), level: false })
    }

    /// The next moment.
    fn moment(&self) -> Moment {
        self.moments.get(self.at).copied().unwrap_or_default()
    }

    /// Takes it in.
    fn advance(&mut self, listen: bool) -> Result<()> {
        let moment = self.moment();
        self.at += 1;
        self.said.clear();
        self.level = false;
        let mut first = None;
        let mut chunks = 0;
        while chunks < moment.chunks {
            let Some(chunk) = self.reader.next_chunk()? else { break };
            let Some(own) = F::chunk(&chunk) else { continue };
            chunks += 1;
            self.world.apply(&chunk);
            self.level |= self.world.changes().level;
            let block = chunk.block().map_or(self.place.block, |(number, _)| number);
            first = first.or(chunk.block().map(|(number, _)| number));
            let said = &mut self.said;
            self.teller.chunk(own, &mut |class, item| {
                if listen && said.len() >= MOST_MESSAGES {
                    // Of a moment that no game makes all the rest is one.
                    if let Some(last) = said.last_mut() {
                        last.print = last.print.rotate_left(5) ^ item.fingerprint();
                    }
                } else if listen {
                    said.push(Said {
                        class,
                        name: item.name(),
                        print: item.fingerprint(),
                        block,
                        json: item.to_json(),
                    });
                }
            });
        }
        self.place = Place { clock: self.world.clock(), block: first.unwrap_or(self.place.block) };
        Ok(())
    }
}

/// Differences on their way out: a message that goes at one time may come at another one.
struct Queue<'w> {
    waiting: VecDeque<Slot>,
    /// Number of the first that waits.
    first: u64,
    /// Messages that came or went, by what they say.
    loose: HashMap<(u64, Change), Vec<u64>>,
    counts: Counts,
    each: &'w mut dyn FnMut(&Difference) -> Result<()>,
}

struct Slot {
    moment: usize,
    difference: Difference,
    print: Option<u64>,
}

impl<'w> Queue<'w> {
    /// Moments over which a message is looked for.
    const WINDOW: usize = 300;
    /// Differences that wait, at most.
    const MOST: usize = 4096;

    fn new(each: &'w mut dyn FnMut(&Difference) -> Result<()>) -> Self {
        Queue { waiting: VecDeque::new(), first: 0, loose: HashMap::new(), counts: Counts::default(), each }
    }

    fn push(&mut self, moment: usize, difference: Difference, print: Option<u64>) -> Result<()> {
        if let (Some(print), What::Message { change, message, .. }) = (print, &difference.what) {
            let other = if *change == Change::Added { Change::Removed } else { Change::Added };
            if let Some(number) = self.loose.get_mut(&(print, other)).and_then(Vec::pop) {
                let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
                if let Some(slot) = at.and_then(|at| self.waiting.get_mut(at)) {
                    let moved = What::Message { change: Change::Moved, message, fields: Vec::new() };
                    slot.difference.a = slot.difference.a.or(difference.a);
                    slot.difference.b = slot.difference.b.or(difference.b);
                    (slot.difference.what, slot.print) = (moved, None);
                    return Ok(());
                }
            }
            let number = self.first + self.waiting.len() as u64;
            self.loose.entry((print, *change)).or_default().push(number);
        }
        self.waiting.push_back(Slot { moment, difference, print });
        while self.waiting.len() > Self::MOST {
            self.pop()?;
        }
        Ok(())
    }

    /// Hands out what nothing can be added to any more; at the end all.
    fn flush(&mut self, now: Option<usize>) -> Result<()> {
        let is_old = |slot: &Slot| now.is_none_or(|now| slot.moment + Self::WINDOW < now);
        while self.waiting.front().is_some_and(is_old) {
            self.pop()?;
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<()> {
        let Some(Slot { difference, print, .. }) = self.waiting.pop_front() else { return Ok(()) };
        let counts = &mut self.counts;
        let mut none = 0;
        *match &difference.what {
            What::Stretch { only_in: Which::A, .. } => &mut counts.only_in_a,
            What::Stretch { only_in: Which::B, .. } => &mut counts.only_in_b,
            What::Message { change: Change::Added, .. } => &mut counts.added,
            What::Message { change: Change::Removed, .. } => &mut counts.removed,
            What::Message { change: Change::Changed, .. } => &mut counts.changed,
            What::Message { change: Change::Moved, .. } => &mut counts.moved,
            What::State { .. } => &mut counts.states,
            What::Shift { .. } => &mut counts.shifts,
            What::Event { .. } => &mut counts.events,
            What::SameAgain { .. } | What::Untold { .. } => &mut none,
        } += 1;
        if let (Some(print), What::Message { change, .. }) = (print, &difference.what) {
            if let Some(all) = self.loose.get_mut(&(print, *change)) {
                all.retain(|number| *number != self.first);
                if all.is_empty() {
                    self.loose.remove(&(print, *change));
                }
            }
        }
        self.first += 1;
        (self.each)(&difference)
    }
}
