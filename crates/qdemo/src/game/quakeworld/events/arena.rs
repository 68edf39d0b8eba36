//! Deaths in Rocket Arena. Texts name who died, and in lines behind that how the other one was left, or that there was none.
//!
//! Sources: KTX's `arena.c`; a recording of the game that it follows.

use std::borrow::Cow;

use super::{Detector, UNKNOWN, origin};
use crate::event::roster::Roster;
use crate::event::{EventKind, Frag, FragKind, PlayerRef, Sink};
use crate::game::quakeworld::World;

/// A fight of two.
#[derive(Debug, Default)]
pub(super) struct Fight {
    /// Who fights.
    fighters: Option<[PlayerRef; 2]>,
    /// Who died in it.
    fallen: Option<PlayerRef>,
}

/// What a line tells of it.
#[derive(Debug, PartialEq)]
enum Told<'r> {
    /// Who fights.
    Begins([&'r PlayerRef; 2]),
    /// Who died.
    Falls(&'r PlayerRef),
    /// Nobody else did it.
    Alone,
    /// Who did it.
    Wins(&'r PlayerRef),
}

impl<'r> Told<'r> {
    fn of(line: &'r str, roster: &'r Roster) -> Option<Self> {
        let between = |front: &str, behind: &str| line.strip_prefix(front)?.strip_suffix(behind);
        let fell = between("The winner ", " has been defeated").or_else(|| between("The challenger ", " has failed"));
        if let Some(name) = fell {
            return roster.named(name).map(Told::Falls);
        }
        if between("by ", "self!").or_else(|| between("because ", " became bored with life!")).is_some() {
            return Some(Told::Alone);
        }
        let in_front = |behind: &str| {
            let is_followed = |who: &PlayerRef| line.get(who.name.len()..).is_some_and(|rest| rest.starts_with(behind));
            line.contains(behind).then(|| roster.in_front_of(line).find(|who| is_followed(who)))?
        };
        if line.ends_with(" armor left") {
            return in_front(" had ").map(Told::Wins);
        }
        let first = in_front(" vs. ")?;
        let second = line.get(first.name.len()..)?.strip_prefix(" vs. ")?;
        Some(Told::Begins([first, roster.named(second)?]))
    }
}

impl Fight {
    /// True where a text about the death of this player is being told.
    pub(super) fn is_over_by(&self, who: &PlayerRef) -> bool {
        self.fallen.as_ref() == Some(who)
    }

    /// True while more may be told of a death in it.
    pub(super) fn is_over(&self) -> bool {
        self.fallen.is_some()
    }

    /// The one who fights against this one.
    fn other(&self, who: &PlayerRef) -> Option<PlayerRef> {
        let fighters = self.fighters.as_ref()?;
        let at = fighters.iter().position(|fighter| fighter.slot == who.slot)?;
        fighters.get(1 - at).cloned()
    }
}

impl Detector {
    /// Takes in a text of the server. True where it is one of Rocket Arena.
    pub(super) fn arena(&mut self, world: &World, plain: &str, sink: &mut Sink<'_>) -> bool {
        let mut understood = false;
        for line in plain.lines() {
            let about_death = self.fight.fallen.is_some() || line.starts_with("The ");
            if !about_death && !line.contains(" vs. ") {
                continue;
            }
            let Some(told) = Told::of(line.trim_end(), &self.roster) else { continue };
            understood = true;
            match told {
                Told::Begins(both) => self.fight = Fight { fighters: Some(both.map(PlayerRef::clone)), fallen: None },
                Told::Falls(who) => {
                    let victim = who.clone();
                    let attacker = self.fight.other(&victim);
                    self.fight = Fight { fighters: None, fallen: Some(victim.clone()) };
                    let frag = Frag {
                        attacker,
                        victim,
                        weapon: Cow::Borrowed(""),
                        means: Cow::Borrowed(UNKNOWN),
                        kind: FragKind::Kill,
                        attacker_origin: None,
                        victim_origin: None,
                    };
                    self.frag(world, frag, sink);
                }
                Told::Alone => self.fell_by(world, None),
                Told::Wins(who) => {
                    let who = who.clone();
                    self.fell_by(world, Some(who));
                }
            }
        }
        understood
    }

    /// Who fell last did so by somebody, or by own doing.
    fn fell_by(&mut self, world: &World, by: Option<PlayerRef>) {
        let Some(fallen) = self.fight.fallen.take() else { return };
        let frag = self.open.iter_mut().rev().find_map(|event| match &mut event.kind {
            EventKind::Frag(frag) if frag.victim == fallen => Some(frag),
            _ => None,
        });
        let Some(frag) = frag else { return };
        if by.is_none() {
            frag.kind = FragKind::Suicide;
        }
        let attacker = by.unwrap_or(fallen);
        frag.attacker_origin = origin(world, &attacker);
        frag.attacker = Some(attacker);
    }
}
