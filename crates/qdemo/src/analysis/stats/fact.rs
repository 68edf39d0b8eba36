//! What is counted, and what waits to be.

use std::borrow::Cow;

use super::watch::SeenPlayer;
use crate::event::{Damage, FlagAction, Frag, PlayerRef};
use crate::game::quake3::scoreboards::ReportedNumber;
use crate::world::DemoTime;

/// Something that is counted, or says who plays.
#[derive(Debug, Clone)]
pub(super) enum Fact {
    Frag(Frag, DemoTime),
    /// A player holds these things and no others, from then on.
    Holds(usize, Vec<Box<str>>, DemoTime),
    Pickup(PlayerRef, Cow<'static, str>),
    Drop(PlayerRef, Cow<'static, str>),
    Damage(Damage),
    /// Something happens to the flag of a team, perhaps through somebody.
    Flag {
        team: Cow<'static, str>,
        action: FlagAction,
        player: Option<PlayerRef>,
        at: DemoTime,
    },
    /// A round is over: nobody has anything any longer.
    Rests(DemoTime),
    Shots(usize, &'static str, [i64; 2]),
    Comes(PlayerRef, DemoTime),
    Goes(usize, DemoTime),
    Rename(usize, String, PlayerRef),
    Standing(SeenPlayer),
    Score(PlayerRef, i32),
    Reported(&'static str, Vec<ReportedNumber>, Option<usize>, DemoTime),
}

impl Fact {
    /// False for what only says who plays, and how it stands.
    pub(super) fn counts(&self) -> bool {
        let says = matches!(
            self,
            Fact::Comes(..)
                | Fact::Goes(..)
                | Fact::Rename(..)
                | Fact::Standing(_)
                | Fact::Score(..)
                | Fact::Reported(..)
                | Fact::Holds(..)
                | Fact::Rests(_)
        );
        !says
    }

    /// Bytes in the names of players.
    pub(super) fn names(&self) -> usize {
        let of = |who: &PlayerRef| who.name.len() + who.name_raw.len() + who.team.as_ref().map_or(0, String::len);
        let both = |a: &Option<PlayerRef>, b: &Option<PlayerRef>| a.as_ref().map_or(0, of) + b.as_ref().map_or(0, of);
        match self {
            Fact::Frag(frag, _) => frag.attacker.as_ref().map_or(0, of) + of(&frag.victim),
            Fact::Flag { player, .. } => player.as_ref().map_or(0, of),
            Fact::Damage(damage) => both(&damage.attacker, &damage.victim),
            Fact::Pickup(who, _) | Fact::Drop(who, _) | Fact::Comes(who, _) | Fact::Score(who, _) => of(who),
            Fact::Rename(_, from, who) => from.len() + of(who),
            Fact::Standing(seen) => of(&seen.who),
            Fact::Reported(_, reported, _, _) => size_of_val(reported.as_slice()),
            Fact::Holds(_, all, _) => all.iter().map(|name| name.len()).sum(),
            Fact::Shots(..) | Fact::Goes(..) | Fact::Rests(_) => 0,
        }
    }
}

/// What has been told of late, each with its time: the beginning of a match may be told later than what happens in it.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    facts: Vec<(i64, Fact)>,
    /// Bytes in the names in them.
    names: usize,
}

impl Waiting {
    /// The most that waits.
    const MOST: usize = 4096;
    /// The most bytes in names of what waits.
    const NAMES: usize = 1 << 20;

    /// True where no more may wait.
    pub(super) fn is_full(&self) -> bool {
        self.facts.len() >= Self::MOST || self.names > Self::NAMES
    }

    pub(super) fn push(&mut self, at: i64, fact: Fact) {
        self.names += fact.names();
        self.facts.push((at, fact));
    }

    /// Takes what was told up to a time.
    pub(super) fn take(&mut self, to: i64) -> impl Iterator<Item = Fact> {
        let (now, later): (Vec<_>, _) = std::mem::take(&mut self.facts).into_iter().partition(|(at, _)| *at <= to);
        self.facts = later;
        self.names = self.facts.iter().map(|(_, fact)| fact.names()).sum();
        now.into_iter().map(|(_, fact)| fact)
    }

    /// Drops what no longer counts.
    pub(super) fn retain(&mut self, stays: impl Fn(i64, &Fact) -> bool) {
        self.facts.retain(|(at, fact)| stays(*at, fact));
    }
}
