//! What was compared, and what differed.

use std::fmt::Display;
use std::io::{self, Write};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Blocks,
    Messages,
    Gamestates,
    Baselines,
    BaselineFields,
    Commands,
    Snapshots,
    Players,
    PlayerFields,
    Entities,
    EntityFields,
    Unchanged,
    Places,
    Folded,
    FoldedPlayers,
    FoldedEntities,
}

impl Kind {
    const ALL: [(Kind, &'static str); 16] = [
        (Kind::Blocks, "blocks (walked to the end)"),
        (Kind::Messages, "messages (kind)"),
        (Kind::Gamestates, "  gamestates"),
        (Kind::Baselines, "    baselines"),
        (Kind::BaselineFields, "    fields of baselines"),
        (Kind::Commands, "  server commands"),
        (Kind::Snapshots, "  snapshots (number, base)"),
        (Kind::Players, "    player states"),
        (Kind::PlayerFields, "    fields of players"),
        (Kind::Entities, "    entities (number, base)"),
        (Kind::EntityFields, "    fields of entities"),
        (Kind::Unchanged, "    entities unchanged"),
        (Kind::Places, "places and sizes in blocks"),
        (Kind::Folded, "complete snapshots (entities)"),
        (Kind::FoldedPlayers, "  fields of complete players"),
        (Kind::FoldedEntities, "  fields of complete entities"),
    ];
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    compared: u64,
    different: u64,
}

/// What the print of the engine cannot tell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Unseen {
    /// Configstrings: only how many bits all of them have, up to the first baseline.
    pub(crate) configstrings: u64,
    /// Slots of the players' arrays: only their size.
    pub(crate) slots: u64,
    /// Fields of entities that became 0: only their size.
    pub(crate) zeros: u64,
    /// Floats that have more digits than the print.
    pub(crate) rounded: u64,
    /// Messages behind the first end of message, which the engine does not read.
    pub(crate) hidden: u64,
    /// Texts of server commands.
    pub(crate) commands: u64,
    /// Bytes that are no block, and blocks that the end of the file cuts.
    pub(crate) unframed: u64,
    /// Unchanged entities of snapshots whose base is not in the file.
    pub(crate) baseless: u64,
}

/// The result for a file.
#[derive(Debug, Default)]
pub(crate) struct Report {
    counts: [Count; Kind::ALL.len()],
    first: Vec<String>,
    pub(crate) unseen: Unseen,
}

impl Report {
    /// Differences that are named.
    const NAMED: usize = 12;

    /// Counts a comparison; `what` names it when it fails.
    pub(crate) fn check(&mut self, kind: Kind, same: bool, what: impl FnOnce() -> String) -> bool {
        let count = &mut self.counts[kind as usize];
        count.compared += 1;
        if !same {
            count.different += 1;
            self.name(what);
        }
        same
    }

    /// Counts things that are the same.
    pub(crate) fn same(&mut self, kind: Kind) {
        self.counts[kind as usize].compared += 1;
    }

    /// Counts something that is different for a reason named before.
    pub(crate) fn lost(&mut self, kind: Kind) {
        let count = &mut self.counts[kind as usize];
        count.compared += 1;
        count.different += 1;
    }

    /// Counts blocks that only one side has.
    pub(crate) fn unpaired(&mut self, blocks: u64, whose: &str) {
        if blocks > 0 {
            let count = &mut self.counts[Kind::Blocks as usize];
            count.compared += blocks;
            count.different += blocks;
            self.name(|| format!("{blocks} blocks more in the {whose}"));
        }
    }

    fn name(&mut self, what: impl FnOnce() -> String) {
        if self.first.len() < Self::NAMED {
            self.first.push(what());
        }
    }

    /// Differences of all kinds.
    pub(crate) fn different(&self) -> u64 {
        self.counts.iter().map(|count| count.different).sum()
    }

    /// Differences that were named.
    #[cfg(test)]
    pub(crate) fn named(&self) -> usize {
        self.first.len()
    }

    pub(crate) fn print(&self, name: impl Display, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{name}\n  {:<30}{:>10}{:>11}", "", "compared", "different")?;
        for ((_, name), count) in Kind::ALL.iter().zip(&self.counts).filter(|(_, count)| count.compared > 0) {
            writeln!(out, "  {name:<30}{:>10}{:>11}", count.compared, count.different)?;
        }
        let unseen = [
            (self.unseen.configstrings, "configstrings"),
            (self.unseen.commands, "texts of server commands"),
            (self.unseen.slots, "slots of players' arrays"),
            (self.unseen.zeros, "fields of entities that became 0"),
            (self.unseen.rounded, "floats beyond the sixth decimal"),
            (self.unseen.hidden, "messages behind an end of message"),
            (self.unseen.unframed, "stray bytes and blocks cut by the end of the file"),
            (self.unseen.baseless, "entities unchanged since a snapshot that is not there"),
        ];
        writeln!(out, "  not told by the trace, or by sizes only:")?;
        for (n, what) in unseen.iter().filter(|(n, _)| *n > 0) {
            writeln!(out, "  {n:>38} {what}")?;
        }
        if !self.first.is_empty() {
            writeln!(out, "  {} differences, the first:", self.different())?;
        }
        for line in &self.first {
            writeln!(out, "    {line}")?;
        }
        Ok(())
    }
}
