//! `damage` and `end`: what cannot be read, how the recording ends, and where players take it to end.

use serde_json::json;

use super::found::{Findings, Severity, Statement};
use super::{ChunkSeen, Place};
use crate::demo::FileKind;
use crate::error::ErrorKind;
use crate::frame::{self, Diagnostic};

/// Looks at faults, end marks, and what stands behind them.
pub(super) struct Damage {
    damage: bool,
    end: bool,
    /// Client recordings of these formats end with a mark.
    marked: bool,
    ended: bool,
    /// The last fault: only the next chunk tells whether the file ended with it.
    last: Option<(Diagnostic, Place)>,
    /// A protocol that is not decoded was told of.
    unsupported: bool,
}

impl Damage {
    pub(super) fn new(damage: bool, end: bool, kind: FileKind) -> Self {
        let marked = matches!(kind, FileKind::Dem | FileKind::Dm2 | FileKind::Dm3 | FileKind::Mvd2);
        Damage { damage, end, marked, ended: false, last: None, unsupported: false }
    }

    /// The next chunk, with the fault in it.
    pub(super) fn step(&mut self, seen: &ChunkSeen<'_>, broken: Option<&Diagnostic>, found: &mut Findings) {
        if let Some((broken, place)) = self.last.take() {
            self.tell(&broken, &place, false, found);
        }
        self.last = broken.map(|broken| (broken.clone(), seen.place));
        let has_ended = self.end && self.ended;
        if let Some(n) = has_ended.then(|| seen.chunk.blocks_behind()).flatten() {
            let tell =
                || Statement::new("blocks stand behind the end of the recording: engines write none there", vec![]);
            let place = Place { offset: seen.place.offset + n as u64, ..seen.place };
            found.add("end", Severity::Warning, &place, "end", tell);
        } else if has_ended && seen.chunk.may_hold_blocks() {
            let tell = || Statement::new(frame::BLOCKS_BEHIND, vec![]);
            found.add("end", Severity::Note, &seen.place, "behind", tell);
        }
        if self.end && seen.place.block != Some(0) && seen.chunk.is_marked() {
            let tell = || {
                Statement::new("another recording begins here: players know its mark in front of a file only", vec![])
            };
            found.add("end", Severity::Warning, &seen.place, "mark", tell);
        }
        if self.end && seen.place.block == Some(0) && seen.chunk.lacks_mark() {
            found.add("end", Severity::Warning, &seen.place, "no mark", || Statement::new(frame::NO_MARK, vec![]));
        }
        if self.end && seen.chunk.stops_players() {
            let tell = || Statement::new("an empty block: Quake, and Quake II of 1997, stop here", vec![]);
            found.add("end", Severity::Warning, &seen.place, "empty", tell);
        }
        self.ended |= seen.chunk.ends() == Some(true);
    }

    /// The recording has ended.
    pub(super) fn finish(&mut self, at: &Place, found: &mut Findings) {
        let cut = self.last.take();
        if let Some((broken, place)) = &cut {
            self.tell(broken, place, true, found);
        }
        if self.end && self.marked && !self.ended && cut.is_none() {
            let text = "the recording has no end mark: it was not stopped, or its end is missing";
            found.add("end", Severity::Note, at, "end", || Statement::new(text, vec![]));
        }
    }

    fn tell(&mut self, broken: &Diagnostic, place: &Place, at_end: bool, found: &mut Findings) {
        let kind = broken.fault.clone().kind();
        let unsupported = matches!(kind, ErrorKind::Unsupported(_));
        // A protocol that is not decoded is the same fault in every block.
        if !self.damage || unsupported && std::mem::replace(&mut self.unsupported, true) {
            return;
        }
        let cut = at_end && matches!(kind, ErrorKind::Truncated { .. });
        let severity = if cut { Severity::Note } else { Severity::Warning };
        let place = Place { block: broken.block.or(place.block), offset: broken.offset, ..*place };
        found.add("damage", severity, &place, broken.fault.message.unwrap_or("block"), || {
            let what = if cut { "the file ends too early" } else { "this cannot be read" };
            let evidence = vec![("field", broken.fault.field.into()), ("after", json!(broken.after))];
            Statement::new(format!("{what}: {kind}"), evidence)
        });
    }
}
