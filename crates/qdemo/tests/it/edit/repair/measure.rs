//! Damage that is known, and what of a recording is right again behind it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use qdemo::edit::RepairAccount;
use qdemo::edit::repair::repair;
use qdemo::replay::World;
use qdemo::world::{ClockKind, Scene};
use qdemo::{FileKind, Limits, Reader};
use serde_json::Value;

/// Blocks of a recording: where they lie, and what else there is.
pub(crate) struct Blocks {
    pub(crate) ranges: Vec<std::ops::Range<usize>>,
    pub(crate) kind: FileKind,
    /// By what they are found again: see [`Key`].
    keys: Vec<Key>,
}

/// What a block is known by: its number where it may be told anew, or its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Number(i64),
    Bytes(u64),
}

pub(crate) fn blocks(bytes: &[u8], name: &str) -> Blocks {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let kind = reader.detected().kind;
    let (mut ranges, mut at) = (Vec::new(), 0);
    // Frames of Quake II have their number somewhere within.
    let mut world = (kind == FileKind::Dm2).then(|| World::of(reader.detected(), name).unwrap());
    let mut keys = Vec::new();
    while let Some((chunk, raw)) = reader.next_with_bytes().unwrap() {
        if let Some(world) = &mut world {
            world.apply(&chunk);
        }
        if chunk.block().is_some() {
            ranges.push(at..at + raw.len());
            let frame = world.as_ref().filter(|world| world.changes().frame).and_then(|world| world.clock().frame);
            keys.push(frame.map_or_else(|| key(raw, kind), Key::Number));
        }
        at += raw.len();
    }
    Blocks { ranges, kind, keys }
}

fn key(raw: &[u8], kind: FileKind) -> Key {
    let word = |at: usize| raw.get(at..at + 4).map(|b| i64::from(u32::from_le_bytes(b.try_into().unwrap())));
    let number = match kind {
        FileKind::Dm3 => word(0),
        FileKind::Qwd if raw.get(4) == Some(&1) => word(9).filter(|n| *n != 0xFFFF_FFFF),
        _ => None,
    };
    let mut hasher = DefaultHasher::new();
    number.map_or_else(
        || {
            raw.hash(&mut hasher);
            Key::Bytes(hasher.finish())
        },
        Key::Number,
    )
}

/// Pairs of what is the same in two lists: behind what differs, the next two in a row.
fn aligned(ours: &[Key], theirs: &[(usize, Key)]) -> Vec<(usize, usize)> {
    let mut places: HashMap<Key, Vec<usize>> = HashMap::new();
    theirs.iter().enumerate().for_each(|(at, (_, key))| places.entry(*key).or_default().push(at));
    let same = |a: usize, b: usize| matches!((ours.get(a), theirs.get(b)), (Some(a), Some((_, b))) if a == b);
    let again = |a: usize, b: usize| same(a + 1, b + 1) || a + 1 == ours.len() || b + 1 == theirs.len();
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < ours.len() && b < theirs.len() {
        if same(a, b) {
            pairs.push((a, theirs[b].0));
            (a, b) = (a + 1, b + 1);
            continue;
        }
        let there = places.get(&ours[a]).map_or(&[][..], |all| &all[all.partition_point(|at| *at < b)..]);
        match there.iter().take(4).find(|at| **at - b < 600 && again(a, **at)) {
            Some(at) => b = *at,
            None => a += 1,
        }
    }
    pairs
}

/// How many of some blocks are among others, wherever they stand.
fn count(ours: &[Key], theirs: &[(usize, Key)]) -> usize {
    let mut there: HashMap<Key, usize> = HashMap::new();
    ours.iter().for_each(|key| *there.entry(*key).or_default() += 1);
    let found = |(_, key): &&(usize, Key)| match there.get_mut(key) {
        Some(n) if *n > 0 => {
            *n -= 1;
            true
        }
        _ => false,
    };
    theirs.iter().filter(found).count()
}

pub(crate) fn repaired(bytes: &[u8], name: &str) -> (Vec<u8>, RepairAccount) {
    repair(|| Ok(bytes), name, Limits::default(), Vec::new()).unwrap()
}

/// A recording that was damaged, and which of its blocks were not.
pub(crate) struct Damaged {
    pub(crate) bytes: Vec<u8>,
    /// True for the blocks of the original that are whole in it.
    pub(crate) intact: Vec<bool>,
    /// The first block of the original that is not, or the one behind.
    pub(crate) first: usize,
}

/// A part of the bytes is overwritten.
pub(crate) fn overwrite(bytes: &[u8], blocks: &Blocks, at: usize, with: &[u8]) -> Damaged {
    let mut damaged = bytes.to_vec();
    let end = (at + with.len()).min(bytes.len());
    damaged[at..end].copy_from_slice(&with[..end - at]);
    let intact: Vec<bool> = blocks.ranges.iter().map(|r| damaged[r.clone()] == bytes[r.clone()]).collect();
    let first = intact.iter().position(|whole| !whole).unwrap_or(blocks.ranges.len());
    Damaged { bytes: damaged, intact, first }
}

/// The bytes of the blocks in another order, with what lies between them.
pub(crate) fn reordered(bytes: &[u8], blocks: &Blocks, order: &[usize]) -> Vec<u8> {
    let first = blocks.ranges.first().map_or(0, |r| r.start);
    let last = blocks.ranges.last().map_or(0, |r| r.end);
    let mut out = bytes[..first].to_vec();
    order.iter().for_each(|n| out.extend_from_slice(&bytes[blocks.ranges[*n].clone()]));
    out.extend_from_slice(&bytes[last..]);
    out
}

/// What came of a repair.
#[derive(Debug, Default, Clone)]
pub(crate) struct Result {
    /// Blocks that were not damaged, and those of them that are in the output.
    pub(crate) intact: usize,
    pub(crate) saved: usize,
    /// Moments behind the damage, and those of them whose state is that of the original.
    pub(crate) moments: usize,
    pub(crate) right: usize,
    /// Of the others those that were looked at, and those of these in which nothing is wrong but what cannot be known.
    pub(crate) looked: usize,
    pub(crate) explained: usize,
    /// States of entities and players.
    pub(crate) states: usize,
    pub(crate) right_states: usize,
    /// Moments and ms until a state was right again, and until all was right that can be known; `None`: never.
    pub(crate) until: Option<(usize, i64)>,
    pub(crate) until_known: Option<(usize, i64)>,
    /// What was wrong: how often, by the name of the field with `#` for numbers; a mark for what could be known.
    pub(crate) wrong: BTreeMap<(bool, String), usize>,
}

impl Result {
    /// Moments in which all is right that can be known.
    pub(crate) fn known(&self) -> f64 {
        let rest = (self.moments - self.right) as f64;
        self.right as f64 + rest * self.explained as f64 / self.looked.max(1) as f64
    }

    pub(crate) fn add(&mut self, other: &Result) {
        for (sum, n) in [
            (&mut self.intact, other.intact),
            (&mut self.saved, other.saved),
            (&mut self.moments, other.moments),
            (&mut self.right, other.right),
            (&mut self.looked, other.looked),
            (&mut self.explained, other.explained),
            (&mut self.states, other.states),
            (&mut self.right_states, other.right_states),
        ] {
            *sum += n;
        }
        for (what, n) in &other.wrong {
            *self.wrong.entry(what.clone()).or_default() += n;
        }
    }
}

/// A recording that is played block by block.
struct Played<'b> {
    reader: Reader<&'b [u8]>,
    world: World,
}

impl<'b> Played<'b> {
    fn new(bytes: &'b [u8], name: &str) -> Self {
        let reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let world = World::of(reader.detected(), name).unwrap();
        Played { reader, world }
    }

    fn block(&mut self) -> bool {
        while let Some(chunk) = self.reader.next_chunk().unwrap() {
            self.world.apply(&chunk);
            if chunk.block().is_some() {
                return true;
            }
        }
        false
    }
}

/// Pieces of a state: the paths of JSON, with what is in a list under its own number.
type Pieces = BTreeMap<String, Value>;

fn pieces(world: &World) -> Pieces {
    fn walk(path: &mut String, value: &Value, out: &mut Pieces) {
        let len = path.len();
        match value {
            Value::Null => {}
            Value::Object(map) => {
                for (key, value) in map {
                    path.push('.');
                    path.push_str(key);
                    walk(path, value, out);
                    path.truncate(len);
                }
            }
            Value::Array(list) => {
                for (n, value) in list.iter().enumerate() {
                    let key = ["entity", "slot", "client", "number"].iter().find_map(|key| value.get(key)?.as_u64());
                    // Quake III's are a list of numbers.
                    let key = key.or_else(|| value.as_u64().filter(|_| path == ".baseline_numbers"));
                    let _ = write!(path, ".{}", key.unwrap_or(n as u64));
                    walk(path, value, out);
                    path.truncate(len);
                }
            }
            other => drop(out.insert(path.clone(), other.clone())),
        }
    }
    let mut out = Pieces::new();
    walk(&mut String::new(), &Value::Object(world.to_json()), &mut out);
    // How many blocks there were, and how much time passed in them, is no state of the game.
    out.retain(|path, _| ![".demo_ms", ".missing_bases", ".level.number"].contains(&path.as_str()));
    if world.clock().kind == ClockKind::Recording {
        out.retain(|path, _| {
            ![".time_ms", ".time", ".frame"].contains(&path.as_str()) && !path.ends_with(".entered_ms")
        });
    }
    // What is shown of entities and players is made of what is told, of baselines and of lists of names.
    let told = |states: &str| out.keys().any(|path| path.starts_with(states));
    let shown: &[&str] = match (told(".entity_states."), told(".in_view.")) {
        (true, _) => &[".entities.", ".players.", ".view.", ".snapshot.delta"],
        (_, true) => &[".entities.", ".view."],
        _ => &[],
    };
    let names =
        [".model", ".kind", ".name", ".name_raw", ".seen_through", ".old_origin.0", ".old_origin.1", ".old_origin.2"];
    out.retain(|path, _| {
        !shown.iter().any(|shown| path.starts_with(shown)) && !names.iter().any(|name| path.ends_with(name))
    });
    out
}

/// The paths at which two states differ.
fn unlike<'p>(one: &'p Pieces, other: &'p Pieces) -> impl Iterator<Item = &'p String> {
    let gone = other.keys().filter(|path| !one.contains_key(*path));
    one.iter().filter(|(path, value)| other.get(*path) != Some(*value)).map(|(path, _)| path).chain(gone)
}

/// The original, and what of it is lost.
struct Original<'b> {
    played: Played<'b>,
    /// The block that was taken in last, from 1.
    at: usize,
    intact: &'b [bool],
    /// The state in front of blocks that are lost.
    before: Option<Pieces>,
    /// What was changed by blocks that are lost: what it was behind them.
    lost: BTreeMap<String, Option<Value>>,
}

impl Original<'_> {
    fn block(&mut self) -> bool {
        let is_lost = self.intact.get(self.at) == Some(&false);
        if is_lost && self.before.is_none() {
            self.before = Some(pieces(&self.played.world));
        }
        if !self.played.block() {
            return false;
        }
        self.at += 1;
        if is_lost && self.intact.get(self.at) != Some(&false) {
            let behind = pieces(&self.played.world);
            let before = self.before.take().unwrap_or_default();
            let changed = unlike(&before, &behind).map(|path| (path.clone(), behind.get(path).cloned()));
            self.lost.extend(changed.collect::<Vec<_>>());
        }
        true
    }

    /// What is wrong in a state: paths, and whether that could be known. It could not where a block that is lost changed
    /// it, and nothing has changed it since.
    fn faults(&self, ours: &World) -> Vec<(bool, String)> {
        let (ours, now) = (pieces(ours), pieces(&self.played.world));
        let told = |path: &String| self.lost.get(path).is_none_or(|lost| lost.as_ref() != now.get(path));
        // An entity is told as the difference to its baseline.
        let based = |path: &str| {
            let mut parts = path.split('.').skip(1);
            let is_entity = parts.next().is_some_and(|list| ["entities", "entity_states", "in_view"].contains(&list));
            let of = parts.next().filter(|_| is_entity).map(|entity| format!(".baselines.{entity}"));
            of.is_none_or(|of| !self.lost.range(of.clone()..).next().is_some_and(|(path, _)| is_within(path, &of)))
        };
        let known = |path: &String| told(path) && based(path);
        unlike(&now, &ours).map(|path| (known(path), general(path))).collect()
    }
}

fn is_within(path: &str, of: &str) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The parts in which two worlds differ, but for those that only count packets and time.
fn differences(one: &World, other: &World) -> Vec<&'static str> {
    let counts =
        ["ack", "command", "numbers of packets", "packets that others build on", "addressees", "times of entering"];
    let mut parts = one.differences(other);
    parts.retain(|part| !counts.contains(part));
    if one.clock().kind == ClockKind::Recording {
        parts.retain(|part| !["time", "server time"].contains(part));
    }
    parts
}

/// A path without its numbers.
fn general(path: &str) -> String {
    let part = |part: &str| if part.parse::<u32>().is_ok() { "#".to_owned() } else { part.to_owned() };
    path.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// How many states of players and entities two worlds have, and how many are the same.
fn states(one: &World, other: &World) -> (usize, usize) {
    let (mut all, mut same) = (0, 0);
    for n in 0..one.entity_slots().max(other.entity_slots()) {
        let (a, b) = (one.entity(n), other.entity(n));
        if a.is_some() || b.is_some() {
            all += 1;
            same += usize::from(a == b);
        }
    }
    for n in 0..one.player_slots().max(other.player_slots()) {
        let (a, b) = (one.player(n), other.player(n));
        if a.is_some() || b.is_some() {
            all += 1;
            same += usize::from(a == b);
        }
    }
    (all, same)
}

/// How many blocks were not damaged, and how many of them are in the output.
pub(crate) fn saved(name: &str, all: &Blocks, damaged: &Damaged, output: &[u8]) -> (usize, usize) {
    let intact: Vec<_> = all.keys.iter().copied().enumerate().filter(|(n, _)| damaged.intact[*n]).collect();
    (intact.len(), count(&blocks(output, name).keys, &intact))
}

/// Compares what is left with the original, moment by moment.
pub(crate) fn compare(
    original: &[u8],
    name: &str,
    all: &Blocks,
    damaged: &Damaged,
    output: &[u8],
    every: usize,
) -> Result {
    let intact: Vec<_> = all.keys.iter().copied().enumerate().filter(|(n, _)| damaged.intact[*n]).collect();
    let keys = blocks(output, name).keys;
    let mut result = Result { intact: intact.len(), saved: count(&keys, &intact), ..Result::default() };
    let mut ours = Played::new(output, name);
    let played = Played::new(original, name);
    let lost = BTreeMap::new();
    let mut whole = Original { played, at: 0, intact: &damaged.intact, before: None, lost };
    let (mut since, mut at) = (None, 0);
    for (a, b) in aligned(&keys, &intact) {
        while at <= a {
            assert!(ours.block());
            at += 1;
        }
        while whole.at <= b {
            assert!(whole.block());
        }
        let (now, then) = (&ours.world, &whole.played.world);
        if b < damaged.first || !now.changes().frame || !then.changes().frame {
            continue;
        }
        result.moments += 1;
        let ms = now.clock().demo.ms();
        let start = *since.get_or_insert(ms);
        let again = (result.moments - 1, ms - start);
        let same = differences(now, then).is_empty();
        if same {
            result.right += 1;
            result.until.get_or_insert(again);
            result.until_known.get_or_insert(again);
        } else if result.until_known.is_none()
            && result.moments.is_power_of_two()
            && !whole.faults(now).iter().any(|(known, _)| *known)
        {
            result.until_known = Some(again);
        }
        if !same && result.moments % every == 1 % every {
            let mut faults = whole.faults(now);
            if faults.is_empty() {
                // What JSON has no word for.
                faults.extend(differences(now, then).into_iter().map(|part| (true, part.to_owned())));
            }
            result.looked += 1;
            result.explained += usize::from(!faults.iter().any(|(known, _)| *known));
            faults.sort_unstable();
            faults.dedup();
            faults.into_iter().for_each(|what| *result.wrong.entry(what).or_default() += 1);
        }
        if result.moments % every == 1 % every {
            let (all, same) = states(now, then);
            result.states += all;
            result.right_states += same;
        }
    }
    result
}
