//! Deaths in Rocket Arena. Texts name who died, and in lines behind that how the other one was left, or that there was none.
//!
//! Sources: KTX's `arena.c`; a recording of the game that it follows.

use std::borrow::Cow;

use super::{Detector, UNKNOWN, origin};
use crate::event::roster::{Line, Roster};
use crate::event::{EventKind, Frag, FragKind, PlayerRef, Sink};
use crate::game::quake::matches::fallen;
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
enum Told {
    /// Who fights.
    Begins([PlayerRef; 2]),
    /// Who died.
    Falls(PlayerRef),
    /// Nobody else did it.
    Alone,
    /// Who did it.
    Wins(PlayerRef),
}

impl Told {
    fn of(line: Line<'_>, roster: &Roster) -> Option<Self> {
        let text = line.plain;
        if let Some(who) = fallen(text).and_then(|(name, rest)| roster.named(name, line, rest)) {
            return Some(Told::Falls(who));
        }
        let is_about_own = |(front, behind): (&str, &str)| text.starts_with(front) && text.ends_with(behind);
        if [("by ", "self!"), ("because ", " became bored with life!")].into_iter().any(is_about_own) {
            return Some(Told::Alone);
        }
        let in_front = |behind: &str| {
            let is_followed = |name: &&str| text.get(name.len()..).is_some_and(|rest| rest.starts_with(behind));
            text.contains(behind).then(|| roster.in_front_of(text).find(is_followed))?
        };
        if text.ends_with(" armor left") {
            return roster.named(in_front(" had ")?, line, text).map(Told::Wins);
        }
        let first = in_front(" vs. ")?;
        let second = text.get(first.len()..)?.strip_prefix(" vs. ")?;
        Some(Told::Begins([roster.named(first, line, text)?, roster.named(second, line, second)?]))
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
    pub(super) fn arena<'t>(
        &mut self,
        world: &World,
        lines: impl Iterator<Item = Line<'t>>,
        sink: &mut Sink<'_>,
    ) -> bool {
        let mut understood = false;
        for line in lines {
            let line = Line { plain: line.plain.trim_end(), ..line };
            let about_death = self.fight.fallen.is_some() || line.plain.starts_with("The ");
            if !about_death && !line.plain.contains(" vs. ") {
                continue;
            }
            let Some(told) = Told::of(line, &self.roster) else { continue };
            understood = true;
            match told {
                Told::Begins(both) => self.fight = Fight { fighters: Some(both), fallen: None },
                Told::Falls(victim) => {
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
                Told::Wins(who) => self.fell_by(world, Some(who)),
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
