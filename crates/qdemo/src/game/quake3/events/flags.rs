//! Flags of Quake III. A configstring tells where each of them is; a sound for all tells of captures. Who did it is told
//! by texts and pickups and, where these are missing, by who is seen with the flag.

use std::borrow::Cow;

use super::{COMMAND, SLOTS, SNAPSHOT, who};
use crate::event::flags::{self, FlagText, TEAMS};
use crate::event::roster::Roster;
use crate::event::{EventKind, FlagAction, PlayerRef, Reason, Sink};
use crate::game::quake3::World;
use crate::wire::info_value;
use crate::world::{Clock, DemoTime, Scene};

/// The sound for a capture and the flag coming home belong together within this time.
const NEAR: i64 = 1_000_000;
/// A text may come so much later than what it tells of.
const LATE: i64 = 3_000_000;

/// Items and powerups that are flags, in the order of the teams.
const ITEMS: [&str; TEAMS.len()] = ["red_flag", "blue_flag"];

/// Where the configstring says that a flag is.
const HOME: u8 = b'0';
const TAKEN: u8 = b'1';
const DROPPED: u8 = b'2';

#[derive(Debug, Default)]
struct Flag {
    place: Option<u8>,
    carrier: Option<PlayerRef>,
    /// It came home from a player: a capture, or a round is over.
    home: Option<(Clock, Option<PlayerRef>)>,
    /// What was told last, and when.
    last: Option<(FlagAction, DemoTime)>,
}

/// The flags of a level.
#[derive(Debug, Default)]
pub(super) struct Flags {
    all: [Flag; TEAMS.len()],
    texts: Vec<FlagText>,
    /// Flags that somebody picks up in this snapshot.
    pickups: Vec<(usize, PlayerRef)>,
    /// When a sound told of a capture.
    captured: Option<DemoTime>,
    /// The configstring has changed.
    changed: bool,
}

impl Flags {
    /// The server prints a line.
    pub(super) fn text(&mut self, world: &World, line: &str) {
        if !line.contains(" flag") {
            return;
        }
        let strings = world.configstrings();
        let mut roster = Roster::default();
        for (slot, player) in (0..SLOTS).filter_map(|slot| Some((slot, who(world, slot as i32)?))) {
            let number = world.dialect().layout.indices.players + slot as u16;
            // Quake Live prints the clan in front of the name.
            if let Some(clan) = info_value(strings.get(number), "cn").filter(|clan| !clan.is_empty()) {
                let name = format!("{} {}", world.charset().clean(clan), player.name);
                roster.set(slot + SLOTS, Some(PlayerRef { name, ..player.clone() }));
            }
            roster.set(slot, Some(player));
        }
        let found = line.lines().filter_map(|line| flags::find(line.trim(), &roster));
        let named = |told: FlagText| {
            let slot = told.player.as_ref().and_then(|player| player.slot);
            FlagText { player: slot.and_then(|slot| who(world, slot as i32)), ..told }
        };
        self.texts.extend(found.map(named));
    }

    /// Somebody picks something up.
    pub(super) fn pickup(&mut self, item: &str, player: &PlayerRef) {
        if let Some(flag) = ITEMS.iter().position(|name| *name == item) {
            self.pickups.push((flag, player.clone()));
        }
    }

    /// A sound for all. Captures are the first two; what the others say, the configstring says as well, and mods number
    /// them in different ways.
    pub(super) fn sound(&mut self, parm: i32, now: DemoTime) {
        if matches!(parm, 0 | 1) {
            self.captured = Some(now);
        }
    }

    /// A configstring has changed.
    pub(super) fn configstring(&mut self, world: &World, number: u16) {
        self.changed |= number == world.dialect().layout.indices.flag_status;
    }

    /// When a flag came home of which is not known yet how.
    pub(super) fn open(&self) -> Option<DemoTime> {
        self.all.iter().filter_map(|flag| Some(flag.home.as_ref()?.0.demo)).min()
    }

    /// The game begins anew: the flags are where they are.
    pub(super) fn restart(&mut self) {
        *self = Flags::default();
    }

    /// After all of a block is known.
    pub(crate) fn step(&mut self, world: &World, sink: &mut Sink<'_>) {
        let now = world.clock();
        let begins = self.all.iter().all(|flag| flag.place.is_none());
        if std::mem::take(&mut self.changed) || begins {
            // With one flag for both there is one character.
            let places = world.configstrings().get(world.dialect().layout.indices.flag_status);
            if let [red, blue, ..] = *places {
                [red, blue].into_iter().enumerate().for_each(|(flag, place)| self.moved(world, flag, place, sink));
            }
        }
        for told in std::mem::take(&mut self.texts) {
            let followed = self.all.get(told.flag).is_some_and(|flag| flag.place.is_some());
            if told.action == FlagAction::Captured && followed {
                // With the configstring.
                self.captured.get_or_insert(now.demo);
            } else {
                self.tell(told.flag, told.action, (told.player, None), (now, COMMAND), sink);
            }
        }
        self.pickups.clear();
        self.home(now, sink);
        self.look(world);
    }

    /// The configstring says where a flag is.
    fn moved(&mut self, world: &World, flag: usize, place: u8, sink: &mut Sink<'_>) {
        let Some(it) = self.all.get_mut(flag) else { return };
        let Some(before) = it.place.replace(place).filter(|before| *before != place) else { return };
        let now = world.clock();
        let action = match (before, place) {
            (_, TAKEN) => FlagAction::Taken,
            (TAKEN, DROPPED) => FlagAction::Dropped,
            (TAKEN, HOME) => {
                let by = self.texts.iter().find(|told| told.flag == flag && told.action == FlagAction::Captured);
                let by = by.and_then(|told| told.player.clone());
                it.home = Some((now, by.or_else(|| it.carrier.take())));
                return;
            }
            (_, HOME) => FlagAction::Returned,
            _ => return,
        };
        let text = self.texts.iter().find(|told| told.flag == flag && told.action == action);
        let player = match text.and_then(|told| told.player.clone()) {
            Some(player) => (Some(player), None),
            None if action == FlagAction::Taken => match self.pickups.iter().find(|(of, _)| *of == flag) {
                Some((_, player)) => (Some(player.clone()), None),
                None => (carrier(world, flag), Some(Reason::SeenWithFlag)),
            },
            None if action == FlagAction::Dropped => (it.carrier.clone(), Some(Reason::CarriedFlag)),
            None => (None, None),
        };
        self.tell(flag, action, player, (now, COMMAND), sink);
    }

    /// A flag that came home from a player was captured, if a sound or a text says so.
    fn home(&mut self, now: Clock, sink: &mut Sink<'_>) {
        for flag in 0..TEAMS.len() {
            let Some(it) = self.all.get_mut(flag) else { continue };
            let Some((clock, by)) = it.home.take() else { continue };
            let near = |at: DemoTime| (at.0 - clock.demo.0).abs() <= NEAR;
            if self.captured.is_some_and(near) {
                self.captured = None;
                self.tell(flag, FlagAction::Captured, (by, Some(Reason::CarriedFlag)), (clock, SNAPSHOT), sink);
            } else if near(now.demo) {
                it.home = Some((clock, by));
            } else {
                // The round is over.
                self.tell(flag, FlagAction::Returned, (None, None), (clock, COMMAND), sink);
            }
        }
        self.captured = self.captured.filter(|at| now.demo.0 - at.0 <= NEAR);
    }

    /// Tells an action: by whom, and how that player is known where nothing names one.
    fn tell(
        &mut self,
        flag: usize,
        action: FlagAction,
        (player, reason): (Option<PlayerRef>, Option<Reason>),
        (clock, source): (Clock, &'static str),
        sink: &mut Sink<'_>,
    ) {
        let (Some(it), Some((_, team))) = (self.all.get_mut(flag), TEAMS.get(flag)) else { return };
        // A text and the configstring tell the same.
        let again = |(before, at): (FlagAction, DemoTime)| before == action && clock.demo.0 - at.0 <= LATE;
        if it.last.is_some_and(again) {
            return;
        }
        it.last = Some((action, clock.demo));
        it.carrier = player.clone().filter(|_| action == FlagAction::Taken);
        let certainty = reason.filter(|_| player.is_some()).into();
        sink.at(clock, source, certainty, EventKind::Flag { team: Cow::Borrowed(team), action, player });
    }

    /// Remembers who is seen with a flag.
    fn look(&mut self, world: &World) {
        for (flag, it) in self.all.iter_mut().enumerate().filter(|(_, it)| it.place == Some(TAKEN)) {
            if it.carrier.is_none() {
                it.carrier = carrier(world, flag);
            }
        }
    }
}

/// The player who is seen with a flag.
fn carrier(world: &World, flag: usize) -> Option<PlayerRef> {
    let name = *ITEMS.get(flag)?;
    let carries = |slot: &usize| {
        let mut found = false;
        world.carried(*slot, &mut |item, _| found |= item == name);
        found
    };
    let slot = (0..SLOTS).find(carries)?;
    who(world, slot as i32)
}
