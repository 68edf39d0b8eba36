//! What a Quake II engine asks of a `.dm2` recorded by a client, so that files the library writes can be judged where
//! no engine is at hand.
//!
//! Written beside the library and from documents alone: nothing here uses `qdemo`. Sources, named with each rule:
//! "document" is the unofficial DM2 format description 1.0.4 by its sections; "facts" are the project's notes on what
//! the engines' sources say, by their sections.
//!
//! Covered: protocols 26 to 34, and as far as it is known the test release (25). Not covered, and refused by
//! [`rules::NOT_COVERED`]: recordings by servers or by Relay, which no engine plays as they are, and the protocols of
//! other engines.
//!
//! What an engine dies of, or what leaves its picture wrong, breaks a rule. What an engine takes although no server or
//! recorder writes it, or what only some engines take, is counted in [`Report::notes`].

mod bytes;
mod configs;
mod damage;
mod entities;
mod level;
mod made;
mod recordings;
mod rules;
mod temp_entity;
mod test_release;

use std::collections::BTreeMap;

use bytes::Bytes;
use rules::{BEHIND_END, BLOCK_SIZE, Broken, EMPTY_BLOCK, END_MARK, SERVERDATA_FIRST};

/// The largest packet of id's engines, which refuse a larger block (facts 1.1).
const ID_BLOCK: usize = 1400;
/// The largest block that any known recorder writes (facts 1.1).
const LARGEST_BLOCK: usize = 0x8000;

/// What a recording holds that breaks no rule.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// Of the last level.
    pub(crate) protocol: i32,
    pub(crate) levels: u64,
    /// Those with messages: neither the end mark nor the empty ones between levels.
    pub(crate) blocks: u64,
    pub(crate) frames: u64,
    /// Frames that refer to no other.
    pub(crate) full_frames: u64,
    /// In bytes, without its size.
    pub(crate) largest_block: usize,
    /// What engines take although it is odd, and how often it was met.
    pub(crate) notes: BTreeMap<&'static str, u64>,
}

impl Report {
    fn note(&mut self, what: &'static str) {
        *self.notes.entry(what).or_default() += 1;
    }
}

/// What plays blocks.
trait Play {
    fn report(&mut self) -> &mut Report;
    /// Plays the messages of a block.
    fn block(&mut self, block: &mut Bytes) -> Result<(), Broken>;
    /// True where a recording may end without the mark.
    fn may_end_unmarked(&self) -> bool;
}

/// Plays a recording by the rules.
///
/// # Errors
///
/// The first rule that is broken, with the block (from 0), the offset in the file, what was found, and the source of
/// the rule.
pub(crate) fn check(bytes: &[u8]) -> Result<Report, String> {
    let mut play: Box<dyn Play> = if test_release::is(bytes) {
        Box::new(test_release::TestRelease::default())
    } else {
        Box::new(level::Client::default())
    };
    let mut block = 0;
    blocks(bytes, play.as_mut(), &mut block).map_err(|broken| broken.told(block))?;
    Ok(std::mem::take(play.report()))
}

/// Goes through the blocks; `number` tells of which.
fn blocks(bytes: &[u8], play: &mut dyn Play, number: &mut u64) -> Result<(), Broken> {
    let mut at = 0;
    let mut between_levels = false;
    loop {
        let rest = &bytes[at..];
        let Some((size, rest)) = rest.split_first_chunk() else {
            if rest.is_empty() && play.may_end_unmarked() {
                break;
            }
            return END_MARK.broken(at, format!("{} bytes are left for a size", rest.len()));
        };
        let size = i32::from_le_bytes(*size);
        let start = at + 4;
        if size == -1 {
            if !rest.is_empty() {
                return BEHIND_END.broken(start, format!("{} bytes", rest.len()));
            }
            break;
        }
        if size == 0 {
            if between_levels || play.report().levels == 0 {
                return EMPTY_BLOCK.broken(at, "no level in front of it");
            }
            between_levels = true;
            at = start;
            *number += 1;
            continue;
        }
        let Some(size) = usize::try_from(size).ok().filter(|&size| size <= LARGEST_BLOCK) else {
            return BLOCK_SIZE.broken(at, format!("a size of {size}"));
        };
        if size > rest.len() {
            return BLOCK_SIZE.broken(at, format!("a size of {size} where {} bytes are left", rest.len()));
        }
        let levels = play.report().levels;
        let mut block = Bytes::new(bytes, start, start + size);
        play.block(&mut block)?;
        let report = play.report();
        if between_levels && report.levels == levels {
            return EMPTY_BLOCK.broken(start, "no level behind it");
        }
        between_levels = false;
        report.blocks += 1;
        report.largest_block = report.largest_block.max(size);
        if size > ID_BLOCK {
            report.note("block above 1400 bytes, which id's engines refuse");
        }
        at = start + size;
        *number += 1;
    }
    if play.report().levels == 0 {
        return SERVERDATA_FIRST.broken(at, "no message at all");
    }
    if between_levels {
        return EMPTY_BLOCK.broken(at, "no level behind it");
    }
    if play.report().levels > 1 {
        play.report().note("more levels than one, of which Quake II plays the first");
    }
    Ok(())
}
