//! What all games do alike when they merge: the blocks of the first recording, one after the other, with what the others saw.

use std::io::Write;

use super::account::{Aligned, Counting, MergeAccount};
use super::follow::{Follower, Watch};
use super::said::Unsaid;
use super::survey::{LevelId, Levels, Said, Survey};
use super::{Input, open_readable, refused};
use crate::demo::Chunk;
use crate::error::Result;
use crate::format::{DialectOf, Format, Packet};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::Scene as _;

/// How a game merges.
pub(super) trait Merge: Default {
    /// How its recordings are aligned.
    const ALIGNED: Aligned;
    /// What reads the other recordings.
    type Watch: Watch;

    /// Reads a recording with a world in which nothing has happened.
    fn watch(world: World) -> Self::Watch;

    /// The world in front of a chunk.
    fn before(&mut self, _: &World) {}

    /// Writes what a chunk that the world has taken in becomes; nothing: it is as it was. `len` is its size in bytes.
    fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        len: usize,
        world: &World,
        others: &mut Others<'_, Self::Watch>,
        w: &mut ByteWriter,
    ) -> Result<()>;
}

/// The other recordings.
pub(super) struct Others<'a, T: Watch> {
    followed: Vec<Follower<'a, T>>,
    unsaid: Unsaid,
    /// The level that the first one is in.
    level: LevelId,
    pub(super) counting: Counting,
}

/// What another recording shows at a moment.
pub(super) struct Shows<'f, V> {
    /// The number of the input.
    pub(super) nth: usize,
    pub(super) view: &'f V,
    /// It is of that very moment.
    pub(super) same: bool,
}

impl<'a, T: Watch> Others<'a, T> {
    /// What they show at a moment, those that show something; and what counts it.
    pub(super) fn at(&mut self, at: i64) -> Result<(Vec<Shows<'_, T::View>>, &mut Counting)> {
        let mut all = Vec::with_capacity(self.followed.len());
        for (nth, other) in (1..).zip(&mut self.followed) {
            let glimpse = other.at(&self.level, at)?;
            self.counting.frame(nth, glimpse.map(|(_, same)| same));
            all.extend(glimpse.map(|(glimpse, same)| Shows { nth, view: &glimpse.view, same }));
        }
        Ok((all, &mut self.counting))
    }

    /// True when something that only they were told is due.
    pub(super) fn has_said(&self, at: i64) -> bool {
        self.unsaid.is_due(&self.level, at)
    }

    /// What only they were told and is due, with the number of the input.
    pub(super) fn take_said(&mut self, at: i64) -> Option<(usize, Said)> {
        self.unsaid.take(&self.level, at)
    }
}

/// Merges recordings that are aligned by the server's clock.
pub(super) fn run<T: Merge, W: Write>(
    inputs: &[Input<'_>],
    surveys: &[Survey],
    limits: Limits,
    mut out: W,
) -> Result<(W, MergeAccount)> {
    let [first, rest @ ..] = inputs else { return Err(refused("there is no recording to merge")) };
    let mut reader = open_readable(first, limits)?;
    let mut world = World::of(reader.detected(), first.name)?;
    let followed = rest.iter().zip(surveys.iter().skip(1));
    let followed = followed.map(|(input, survey)| Follower::new(input, survey, T::watch(world.clone()), 0, limits));
    let unsaid = Unsaid::new(surveys, &vec![0; inputs.len()]);
    let followed = followed.collect::<Result<_>>()?;
    let mut others =
        Others { followed, unsaid, level: LevelId::default(), counting: Counting::new(inputs, T::ALIGNED) };
    let (mut game, mut levels, mut w) = (T::default(), Levels::default(), ByteWriter::default());
    while let Some((any, bytes, readable)) = reader.next()? {
        let number = any.block().map(|(number, _)| number);
        let chunk = readable.of(any, bytes);
        game.before(&world);
        let Some((chunk, bytes)) = chunk else {
            others.counting.unread(number, world.clock());
            others.counting.dropped(number);
            continue;
        };
        world.apply(&chunk);
        others.level = levels.of(&world).unwrap_or_default();
        if readable.is_less() {
            others.counting.unread(number, world.clock());
        }
        w.clear();
        game.chunk(&chunk, bytes.len(), &world, &mut others, &mut w)?;
        let written = if w.is_empty() { bytes } else { w.as_slice() };
        if chunk.block().is_some() {
            others.counting.block(&chunk, world.clock(), readable.is_less() || written != bytes);
        }
        others.counting.done.account.bytes_written += written.len() as u64;
        out.write_all(written)?;
    }
    if let Some(end) = reader.end()? {
        end.write(&mut others.counting.done.account, &mut out)?;
    }
    out.flush()?;
    Ok((out, others.counting.finish()?))
}

/// The room in a block of the output.
pub(super) struct Room {
    left: usize,
}

impl Room {
    /// That in a packet of which engines take so many bytes.
    pub(super) fn of<F: Format>(packet: &Packet<'_, F>, d: DialectOf<F>, most: usize) -> Result<Self> {
        Ok(Room { left: most.saturating_sub(packet.to_bytes(d)?.len()) })
    }

    /// Adds a message to a packet, if there is room for it.
    pub(super) fn add<'a, F: Format>(
        &mut self,
        packet: &mut Packet<'a, F>,
        message: F::Message<'a>,
        d: &DialectOf<F>,
    ) -> Result<bool> {
        let (header, contents) = (packet.header, packet.contents.clone());
        let mut alone: Packet<'_, F> = Packet { header, contents, messages: Vec::new() };
        let around = alone.to_bytes(*d)?.len();
        alone.messages.push(message);
        let needs = alone.to_bytes(*d)?.len().saturating_sub(around);
        let fits = needs <= self.left;
        if fits {
            self.left -= needs;
            packet.messages.append(&mut alone.messages);
        }
        Ok(fits)
    }
}
