//! What a merge did.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Input;
use crate::convert::{Loss, Lost};
use crate::demo::Chunk;
use crate::edit::Account;
use crate::error::Result;
use crate::kinds::kinds;
use crate::world::Clock;

kinds! {
    /// How the times of two recordings were found to belong together.
    pub enum Aligned {
        /// It is the one that the others are aligned with.
        First = "first",
        /// Both tell the server's clock.
        ServerTime = "server_time",
        /// Both tell the numbers of the server's frames.
        ServerFrame = "server_frame",
        /// Both saw a player at the same places.
        Places = "places",
        /// Both were told the same texts.
        Texts = "texts",
    }
}

/// A recording that was merged.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Merged {
    /// Its name.
    pub name: String,
    /// How it was aligned.
    pub aligned: Aligned,
    /// What is added to its demo time for that of the first one, in ms; 0 where both tell the server's clock.
    pub offset_ms: i64,
    /// How much of what both saw or were told shows it: places of players, or texts.
    pub matches: u64,
    /// Half of them lie within so many ms of it.
    pub spread_ms: i64,
    /// Frames of the first one to which it has one of the same moment; of QuakeWorld, where clients are told at times of
    /// their own, one that is at most a tenth of a second older.
    pub frames: u64,
    /// Frames of the first one for which its last one before, at most a tenth of a second older, stands in.
    pub frames_older: u64,
    /// Frames of the first one of which it tells nothing.
    pub frames_without: u64,
    /// Entities that both saw at the same moment, counted in each frame.
    pub both_saw: u64,
    /// Those of them that are in the same place.
    pub both_saw_alike: u64,
    /// Texts that only this one was told, and that are in the output.
    pub texts: u64,
}

/// An entity that the first recording does not show at some moments and others do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AddedEntity {
    /// Its number.
    pub entity: u16,
    /// Level in the output, from 0.
    pub level: u32,
    /// Frames in which it was added, by the recording that showed it, in the order of the inputs.
    pub frames: Vec<u64>,
}

/// What [`merge`](super::merge()) did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MergeAccount {
    /// What became of the blocks of the first recording.
    #[serde(flatten)]
    pub account: Account,
    /// The recordings.
    pub inputs: Vec<Merged>,
    /// The entities that were added.
    pub added: Vec<AddedEntity>,
    /// What of the first recording cannot be read or told, as [`convert`](crate::convert::convert()) says it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Lost>,
    /// Entities that the engine has no room for at once, counted in each frame; they are left out.
    pub no_room: u64,
}

/// A [`MergeAccount`] that is being made.
#[derive(Debug, Default)]
pub(super) struct Counting {
    pub(super) done: MergeAccount,
    added: BTreeMap<(u32, u16), Vec<u64>>,
}

impl Counting {
    pub(super) fn new(inputs: &[Input<'_>], aligned: Aligned) -> Self {
        let all = inputs.iter().enumerate().map(|(n, input)| Merged {
            name: input.name.to_owned(),
            aligned: if n == 0 { Aligned::First } else { aligned },
            offset_ms: 0,
            matches: 0,
            spread_ms: 0,
            frames: 0,
            frames_older: 0,
            frames_without: 0,
            both_saw: 0,
            both_saw_alike: 0,
            texts: 0,
        });
        Counting { done: MergeAccount { inputs: all.collect(), ..MergeAccount::default() }, added: BTreeMap::new() }
    }

    /// The entry of an input.
    pub(super) fn input(&mut self, nth: usize) -> Option<&mut Merged> {
        self.done.inputs.get_mut(nth)
    }

    /// An input has a frame of the same moment (`Some(true)`), an older one, or none.
    pub(super) fn frame(&mut self, nth: usize, same: Option<bool>) {
        let Some(input) = self.input(nth) else { return };
        *match same {
            Some(true) => &mut input.frames,
            Some(false) => &mut input.frames_older,
            None => &mut input.frames_without,
        } += 1;
    }

    /// Both saw an entity.
    pub(super) fn both(&mut self, nth: usize, alike: bool) {
        let Some(input) = self.input(nth) else { return };
        input.both_saw += 1;
        input.both_saw_alike += u64::from(alike);
    }

    /// An input showed an entity that was added.
    pub(super) fn add(&mut self, nth: usize, level: u32, entity: u16) {
        let inputs = self.done.inputs.len();
        let frames = self.added.entry((level, entity)).or_insert_with(|| vec![0; inputs]);
        if let Some(frames) = frames.get_mut(nth) {
            *frames += 1;
        }
    }

    /// The output tells what only an input was told.
    pub(super) fn said(&mut self, nth: usize) {
        if let Some(input) = self.input(nth) {
            input.texts += 1;
        }
    }

    /// A block of the first recording is in the output.
    pub(super) fn block(&mut self, chunk: &Chunk<'_>, clock: Clock, changed: bool) {
        let account = &mut self.done.account;
        account.blocks_read += 1;
        account.has(chunk.block(), clock);
        *(if changed { &mut account.blocks_changed } else { &mut account.blocks_kept }) += 1;
    }

    /// Something in a block of the first recording cannot be read, or bytes that are none stand in front of the next one.
    pub(super) fn unread(&mut self, block: Option<u64>, clock: Clock) {
        let block = block.unwrap_or(self.done.account.blocks_read);
        Lost::count(&mut self.done.losses, Loss::Unread, block, clock);
    }

    /// A block of the first recording, if it is one, is not in the output.
    pub(super) fn dropped(&mut self, block: Option<u64>) {
        let account = &mut self.done.account;
        account.blocks_read += u64::from(block.is_some());
        account.blocks_dropped += u64::from(block.is_some());
    }

    /// Says something once.
    pub(super) fn remark(&mut self, note: &str) {
        let notes = &mut self.done.account.notes;
        if !notes.iter().any(|known| known == note) {
            notes.push(note.to_owned());
        }
    }

    /// The account.
    ///
    /// # Errors
    /// Recordings that do not show the same.
    pub(super) fn finish(mut self) -> Result<MergeAccount> {
        let added = self.added.into_iter();
        self.done.added = added.map(|((level, entity), frames)| AddedEntity { entity, level, frames }).collect();
        for input in self.done.inputs.iter().skip(1) {
            if input.both_saw > 0 && input.both_saw_alike * 2 < input.both_saw {
                let what = format!(
                    "of {} entities that it and the first one saw at once, only {} are in the same place: they are not of one match",
                    input.both_saw, input.both_saw_alike
                );
                return Err(super::refused(&what).in_file(&input.name));
            }
            if input.frames + input.frames_older == 0 {
                self.done.account.notes.push(format!("{}: it has no moment in common with the first one", input.name));
            }
        }
        Ok(self.done)
    }
}
