//! Damage that is known, and what of a recording is right again behind it.

use qdemo::edit::RepairAccount;
use qdemo::edit::repair::repair;
use qdemo::replay::World;
use qdemo::world::Scene;
use qdemo::{FileKind, Limits, Reader};

/// Blocks of a recording: where they lie, and what else there is.
pub(crate) struct Blocks {
    pub(crate) ranges: Vec<std::ops::Range<usize>>,
    pub(crate) kind: FileKind,
}

pub(crate) fn blocks(bytes: &[u8], name: &str) -> Blocks {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let kind = reader.detected().kind;
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some((chunk, raw)) = reader.next_with_bytes().unwrap() {
        if chunk.block().is_some() {
            ranges.push(at..at + raw.len());
        }
        at += raw.len();
    }
    Blocks { ranges, kind }
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
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Result {
    /// Blocks that were not damaged, and those of them that are in the output.
    pub(crate) intact: usize,
    pub(crate) saved: usize,
    /// Moments behind the damage, those of them whose state is that of the original, and states of entities and players.
    pub(crate) moments: usize,
    pub(crate) right: usize,
    pub(crate) states: usize,
    pub(crate) right_states: usize,
    /// Moments and ms until a state was right again; `None`: never.
    pub(crate) until: Option<(usize, i64)>,
}

/// A recording that is played block by block.
struct Played<'b> {
    reader: Reader<&'b [u8]>,
    world: World,
    raw: Vec<u8>,
    number: Option<i64>,
}

impl<'b> Played<'b> {
    fn new(bytes: &'b [u8], name: &str) -> Self {
        let reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let world = World::of(reader.detected(), name).unwrap();
        Played { reader, world, raw: Vec::new(), number: None }
    }

    fn block(&mut self) -> bool {
        let kind = self.reader.detected().kind;
        while let Some((chunk, raw)) = self.reader.next_with_bytes().unwrap() {
            self.world.apply(&chunk);
            if chunk.block().is_some() {
                self.raw.clear();
                self.raw.extend_from_slice(raw);
                let word =
                    |at: usize| raw.get(at..at + 4).map(|b| i64::from(u32::from_le_bytes(b.try_into().unwrap())));
                self.number = match kind {
                    FileKind::Dm3 => word(0),
                    FileKind::Qwd if raw.get(4) == Some(&1) => word(9).filter(|n| *n != 0xFFFF_FFFF),
                    FileKind::Dm2 if self.world.changes().frame => self.world.clock().frame,
                    _ => None,
                };
                return true;
            }
        }
        false
    }
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

/// Compares what is left with the original, moment by moment.
pub(crate) fn compare(original: &[u8], name: &str, damaged: &Damaged, output: &[u8], every: usize) -> Result {
    let mut result = Result { intact: damaged.intact.iter().filter(|i| **i).count(), ..Result::default() };
    let (mut whole, mut ours) = (Played::new(original, name), Played::new(output, name));
    let all = blocks(original, name);
    // The block of the original that `whole` has taken in last.
    let mut at = 0;
    let mut since = None;
    while ours.block() {
        let numbered = |n: usize| {
            let raw = &original[all.ranges[n].clone()];
            raw == &ours.raw[..]
                || ours.number.is_some()
                    && match all.kind {
                        FileKind::Dm3 => raw.get(..4) == ours.raw.get(..4),
                        FileKind::Qwd => raw.get(4) == Some(&1) && raw.get(9..13) == ours.raw.get(9..13),
                        _ => false,
                    }
        };
        // Small blocks are often the same as others.
        let window = if ours.raw.len() < 40 { 4 } else { 4_000 };
        let whole_ones = (at..all.ranges.len()).filter(|n| damaged.intact.get(*n) == Some(&true));
        let mut found = whole_ones.take(window).find(|n| numbered(*n));
        if found.is_none() && all.kind == FileKind::Dm2 && ours.number.is_some() {
            // Frames are not found by their bytes: go on until the number is there.
            let mut n = at;
            while whole.world.clock().frame < ours.number && n < all.ranges.len() && whole.block() {
                n += 1;
            }
            found = (n > at && whole.number == ours.number).then_some(n - 1);
            at = n;
        }
        let Some(n) = found else { continue };
        while at <= n {
            assert!(whole.block());
            at += 1;
        }
        result.saved += usize::from(damaged.intact.get(n) == Some(&true));
        if n < damaged.first || !ours.world.changes().frame || !whole.world.changes().frame {
            continue;
        }
        result.moments += 1;
        let now = ours.world.clock().demo.ms();
        let start = *since.get_or_insert(now);
        if ours.world.difference(&whole.world).is_none() {
            result.right += 1;
            result.until.get_or_insert((result.moments - 1, now - start));
        }
        if result.moments % every == 1 || every == 1 {
            let (all, same) = states(&ours.world, &whole.world);
            result.states += all;
            result.right_states += same;
        }
    }
    result
}
