//! Matches: only what servers print tells of them.

use crate::error::Moment;
use crate::event::{Lines, Match, Matches, Phase};
use crate::wire::clean;

/// A line of the server, without the name in front, and what it means.
const PHASES: [(&str, Phase); 6] = [
    ("Fight!", Phase::Start),
    ("Timelimit hit.", Phase::End),
    ("Fraglimit hit.", Phase::End),
    ("Capturelimit hit.", Phase::End),
    // Keys of the re-release.
    ("$g_timelimit_hit", Phase::End),
    ("$g_fraglimit_hit", Phase::End),
];

/// What a line in plain characters tells of a match.
pub(crate) fn phase(line: &str) -> Option<Phase> {
    let line = line.trim();
    let known = PHASES.iter().find(|(text, _)| line == *text).map(|(_, phase)| *phase);
    // OpenTDM says first which limit was hit.
    known.or_else(|| line.ends_with("Match ended.").then_some(Phase::End))
}

/// Level of prints that are chat.
pub(crate) const CHAT: u8 = 3;

/// Finds the matches in a recording by its prints alone.
#[derive(Debug, Default)]
pub(crate) struct PrintedMatches {
    lines: Lines,
    /// What the block at hand tells: it has the time of the frame behind its prints.
    told: Vec<Phase>,
    matches: Matches<Moment>,
}

impl PrintedMatches {
    /// Takes in a print, perhaps for one reader alone.
    pub(crate) fn print(&mut self, level: u8, to: Option<u8>, text: &[u8]) {
        let text = self.lines.add((Some(level), to), text).filter(|_| level != CHAT);
        let plain = text.map(|text| clean(&text.raw)).unwrap_or_default();
        self.told.extend(plain.lines().filter_map(phase));
    }

    /// The block ends: it was of such a time.
    pub(crate) fn block(&mut self, now: Option<Moment>) {
        for phase in self.told.drain(..) {
            now.map(|now| self.matches.step(phase, true, now));
        }
    }

    /// The level ends, or the recording does: the matches in it.
    pub(crate) fn cut(&mut self, now: Option<Moment>) -> Vec<Match<Moment>> {
        now.into_iter().for_each(|now| self.matches.cut(now));
        self.matches.take()
    }
}
