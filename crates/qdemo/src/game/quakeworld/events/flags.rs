//! Who has which flag: as texts tell it and, where they do not, as players look.

use super::Detector;
use crate::event::flags::{FlagText, TEAMS};
use crate::event::{Certainty, FlagAction, Reason, Sink};
use crate::game::quake::Game;
use crate::game::quake::matches::Stage;
use crate::game::quakeworld::{FLAG_EFFECTS, World, bits};
use crate::world::{Clock, DemoTime, Scene};

/// Texts and what players look like tell the same within this time: texts come later than frames, by two seconds and
/// more through proxies.
const NEAR: i64 = 3_000_000;
/// The least that a capture is worth to who does it.
const CAPTURE: i32 = 15;

/// Where a flag is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FlagPlace {
    #[default]
    Unknown,
    /// With the player in this slot.
    With(usize),
    /// At home, or where somebody lost it.
    Elsewhere,
}

/// What players look like says that this happened, and no text so far.
#[derive(Debug, Clone, Copy)]
struct Doubt {
    slot: usize,
    taken: bool,
    clock: Clock,
}

#[derive(Debug, Clone, Copy, Default)]
struct Flag {
    place: FlagPlace,
    doubt: Option<Doubt>,
    /// Who was seen without it: a slot each.
    bare: u32,
}

/// The flags, and what may become events.
#[derive(Debug, Default)]
pub(super) struct Flags {
    all: [Flag; TEAMS.len()],
    stage: Stage,
}

impl Flags {
    /// A text tells it.
    fn told(&mut self, told: &FlagText) {
        let Some(flag) = self.all.get_mut(told.flag) else { return };
        let slot = told.player.as_ref().and_then(|player| player.slot);
        flag.place = match (told.action, slot) {
            (FlagAction::Taken, Some(slot)) => FlagPlace::With(slot),
            _ => FlagPlace::Elsewhere,
        };
        flag.doubt = None;
    }

    /// Since when something is seen that no text has told so far.
    pub(super) fn open(&self) -> Option<DemoTime> {
        self.all.iter().filter_map(|flag| Some(flag.doubt?.clock.demo)).min()
    }

    /// A slot has another player.
    pub(super) fn forget(&mut self, slot: usize) {
        for flag in &mut self.all {
            flag.bare &= !(1 << (slot & 31));
            flag.doubt = flag.doubt.filter(|doubt| doubt.slot != slot);
            if flag.place == FlagPlace::With(slot) {
                flag.place = FlagPlace::Unknown;
            }
        }
    }

    /// True for a player who has one, as far as known.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.all.iter().any(|flag| flag.place == FlagPlace::With(slot))
    }

    /// True for a level whose flags can be seen.
    pub(super) fn are_shown(world: &World) -> bool {
        world.game() == Game::CaptureTheFlag
    }
}

impl Flag {
    /// Takes in who is seen with it and who without. Gives what has been so for long enough without a text.
    fn look(&mut self, with: u32, without: u32, now: Clock) -> Option<Doubt> {
        let doubt = |slot, taken| Some(Doubt { slot, taken, clock: now });
        let fresh = match self.place {
            FlagPlace::With(slot) if without >> (slot & 31) & 1 == 1 => doubt(slot, false),
            FlagPlace::With(slot) if with >> (slot & 31) & 1 == 1 => {
                self.doubt = None;
                None
            }
            FlagPlace::With(_) => None,
            FlagPlace::Unknown if with & self.bare == 0 => {
                // Whoever is first seen with it may have had it all the time.
                if let Some(slot) = bits(with).next() {
                    self.place = FlagPlace::With(slot);
                }
                None
            }
            _ => bits(with).next().and_then(|slot| doubt(slot, true)),
        };
        self.bare = self.bare & !with | without;
        let seen_again = |doubt: &Doubt| !doubt.taken || without >> (doubt.slot & 31) & 1 == 0;
        self.doubt = self.doubt.filter(seen_again).or(fresh);
        let old = |doubt: &Doubt| now.demo.0 - doubt.clock.demo.0 > NEAR;
        let settled = self.doubt.take_if(|doubt| old(doubt))?;
        self.place = if settled.taken { FlagPlace::With(settled.slot) } else { FlagPlace::Elsewhere };
        Some(settled)
    }
}

impl Detector {
    /// A text says something of a flag.
    pub(super) fn flag_told(&mut self, told: FlagText, source: &'static str, sink: &mut Sink<'_>) {
        self.flags.told(&told);
        sink.stated(source, told.what());
    }

    /// What players look like, after a frame.
    pub(super) fn flags_seen(&mut self, world: &World, sink: &mut Sink<'_>) {
        // Flags go home when matches begin and end, and nobody says so.
        if self.flags.stage != self.phases.stage() || self.phases.is_intermission() {
            (self.flags.stage, self.flags.all) = (self.phases.stage(), Default::default());
        }
        if self.phases.is_intermission() || !Flags::are_shown(world) {
            return;
        }
        let mut with = [0u32; TEAMS.len()];
        let mut seen = 0;
        for slot in 0..World::SLOTS {
            let Some(state) = world.slot(slot).and_then(|it| it.state).filter(|_| world.is_in_view(slot)) else {
                continue;
            };
            seen |= 1 << slot;
            for (mask, (bit, _)) in with.iter_mut().zip(FLAG_EFFECTS) {
                *mask |= u32::from(state.effects & bit != 0) << slot;
            }
        }
        let now = world.clock();
        for (flag, with) in with.into_iter().enumerate() {
            let Some(doubt) = self.flags.all.get_mut(flag).and_then(|it| it.look(with, seen & !with, now)) else {
                continue;
            };
            let (action, reason) = match doubt.taken {
                true => (FlagAction::Taken, Reason::SeenWithIt),
                false if self.scored(doubt.slot, doubt.clock.demo) => (FlagAction::Captured, Reason::CaptureScore),
                false => (FlagAction::Dropped, Reason::SeenWithoutFlag),
            };
            let what = FlagText { flag, action, player: self.who(doubt.slot) }.what();
            sink.at(doubt.clock, "playerinfo", Certainty::Inferred(reason), what);
        }
    }

    /// True when the score of a player went up by a capture about then.
    fn scored(&self, slot: usize, at: DemoTime) -> bool {
        let gained = self.slots.get(slot).and_then(|it| it.gained);
        gained.is_some_and(|time| (time.0 - at.0).abs() <= NEAR)
    }

    /// The score of a player changed.
    pub(super) fn gains(&mut self, slot: usize, from: i32, to: i32, now: DemoTime) {
        if let Some(followed) = self.slots.get_mut(slot).filter(|_| to.saturating_sub(from) >= CAPTURE) {
            followed.gained = Some(now);
        }
    }
}
