//! Flags of Quake III. A configstring tells where each of them is. Who did it is told by texts and pickups and, where these
//! are missing, by who is seen with the flag.
//!
//! A flag that goes home from a player was captured, or a round is over. A capture is told by any of
//! * a sound for all (`Team_CaptureFlagSound` in id's `g_team.c`), in all mods; but Quake Live sends no sound of a frame
//!   that ends the match except that of the winner;
//! * a text: `NAME captured the BLUE flag!` of the base game, `RED TEAM CAPTURED the flag! (NAME captured in 0:08.960)` of
//!   Quake Live;
//! * the score of the other side, in games in which nothing but captures scores: see [`only_captures_score`].
//!
//! How long somebody held a flag is the time from `taken` to the `dropped` or `captured` that follows: it is what Quake Live
//! prints with captures, up to a frame of the server.

use std::borrow::Cow;

use super::{COMMAND, SLOTS, SNAPSHOT, who};
use crate::event::flags::{self, FlagText, NEUTRAL, TEAMS};
use crate::event::roster::{Line, Roster};
use crate::event::{EventKind, FlagAction, PlayerRef, Reason, Sink};
use crate::game::quake3::names::Module;
use crate::game::quake3::{Sides, World};
use crate::wire::info_value;
use crate::world::{Clock, DemoTime, Scene};

/// The sound for a capture and the flag coming home belong together within this time.
const NEAR: i64 = 1_000_000;
/// A text may come so much later than what it tells of.
const LATE: i64 = 3_000_000;

/// Items and powerups that are flags: those of the teams, and that of both.
const ITEMS: [&str; 3] = ["red_flag", "blue_flag", "neutral_flag"];

/// Where the configstring says that a flag is.
const HOME: u8 = b'0';
const TAKEN: u8 = b'1';
const DROPPED: u8 = b'2';

#[derive(Debug, Default)]
struct Flag {
    place: Option<u8>,
    carrier: Option<PlayerRef>,
    /// It came home from a player: a capture, or a round is over. By whom, and how that is known.
    home: Option<(Clock, Option<PlayerRef>, Option<Reason>)>,
    /// What was told last, when, and by whom it was.
    last: Option<(FlagAction, DemoTime, Option<usize>)>,
}

/// The flags of a level.
#[derive(Debug, Default)]
pub(super) struct Flags {
    all: [Flag; ITEMS.len()],
    texts: Vec<FlagText>,
    /// Flags that somebody picks up in this snapshot.
    pickups: Vec<(usize, PlayerRef)>,
    /// When a sound, a text or a score told of a capture; the last two tell of which flag.
    captured: Option<(DemoTime, Option<usize>)>,
    /// Where the flags were told to be since the last step, by the configstring.
    told: Vec<Vec<u8>>,
}

/// True for the name of a flag, as an item.
pub(super) fn is_flag(item: &str) -> bool {
    ITEMS.contains(&item)
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
        let find = |line| flags::find(line, &roster).or_else(|| flags::find_neutral(line, &roster));
        let found = line.lines().filter_map(|line| find(Line::plain(line.trim())));
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
            self.captured.get_or_insert((now, None));
        }
    }

    /// A configstring has changed.
    pub(super) fn configstring(&mut self, world: &World, number: u16, value: &[u8]) {
        if number == world.dialect().layout.indices.flag_status {
            self.told.push(value.to_vec());
        }
    }

    /// When a flag came home of which is not known yet how.
    pub(super) fn open(&self) -> Option<DemoTime> {
        self.all.iter().filter_map(|flag| Some(flag.home.as_ref()?.0.demo)).min()
    }

    /// The scores of the sides change.
    pub(super) fn scored(&mut self, world: &World, from: Sides, to: Sides) {
        if !only_captures_score(world) {
            return;
        }
        let now = world.clock().demo;
        let one = self.all.get(NEUTRAL.0).is_some_and(|flag| flag.place.is_some());
        let more = |side: &usize| from[*side].zip(to[*side]).is_some_and(|(from, to)| to > from);
        for side in (0..TEAMS.len()).filter(more) {
            self.captured = Some((now, Some(if one { NEUTRAL.0 } else { TEAMS.len() - 1 - side })));
        }
    }

    /// The game begins anew: the flags are where they are.
    pub(super) fn restart(&mut self, sink: &mut Sink<'_>) {
        self.finish(sink);
        *self = Flags::default();
    }

    /// Nothing follows that could tell of a capture.
    pub(super) fn finish(&mut self, sink: &mut Sink<'_>) {
        for flag in 0..self.all.len() {
            if let Some((clock, ..)) = self.all.get_mut(flag).and_then(|it| it.home.take()) {
                self.tell(flag, FlagAction::Returned, (None, None), (clock, COMMAND), sink);
            }
        }
    }

    /// After all of a block is known.
    pub(crate) fn step(&mut self, world: &World, sink: &mut Sink<'_>) {
        let now = world.clock();
        if self.told.is_empty() && self.all.iter().all(|flag| flag.place.is_none()) {
            let begin = world.configstrings().get(world.dialect().layout.indices.flag_status);
            self.places(world, begin, sink);
        }
        for places in std::mem::take(&mut self.told) {
            self.places(world, &places, sink);
        }
        for told in std::mem::take(&mut self.texts) {
            let followed = self.all.get(told.flag).is_some_and(|flag| flag.place.is_some());
            if told.action == FlagAction::Captured && followed {
                // With the configstring.
                self.captured = Some((now.demo, Some(told.flag)));
            } else {
                self.tell(told.flag, told.action, (told.player, None), (now, COMMAND), sink);
            }
        }
        self.pickups.clear();
        self.home(now, sink);
        self.look(world);
    }

    /// The configstring says where the flags are.
    fn places(&mut self, world: &World, told: &[u8], sink: &mut Sink<'_>) {
        match *told {
            _ if world.has_points() => {}
            // Id's `oneFlagStatusRemap`.
            [place] => {
                let place = match place {
                    b'1'..=b'3' => TAKEN,
                    b'4' => DROPPED,
                    _ => HOME,
                };
                self.moved(world, NEUTRAL.0, place, sink);
            }
            [red, blue, ..] => {
                [red, blue].into_iter().enumerate().for_each(|(flag, place)| self.moved(world, flag, place, sink));
            }
            [] => {}
        }
    }

    /// Where a flag is now.
    fn moved(&mut self, world: &World, flag: usize, place: u8, sink: &mut Sink<'_>) {
        let Some(it) = self.all.get_mut(flag) else { return };
        let Some(before) = it.place.replace(place).filter(|before| *before != place) else { return };
        let now = world.clock();
        let action = match (before, place) {
            (_, TAKEN) => FlagAction::Taken,
            (TAKEN, DROPPED) => FlagAction::Dropped,
            (TAKEN, HOME) => {
                let by = self.texts.iter().find(|told| told.flag == flag && told.action == FlagAction::Captured);
                it.home = Some(match by.and_then(|told| told.player.clone()) {
                    Some(by) => (now, Some(by), None),
                    None => (now, it.carrier.take(), Some(Reason::CarriedFlag)),
                });
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
                None => (carrier(world, flag), Some(Reason::SeenWithIt)),
            },
            None if action == FlagAction::Dropped => (it.carrier.clone(), Some(Reason::CarriedFlag)),
            None => (None, None),
        };
        self.tell(flag, action, player, (now, COMMAND), sink);
    }

    /// A flag that came home from a player was captured, if something tells of a capture.
    fn home(&mut self, now: Clock, sink: &mut Sink<'_>) {
        for flag in 0..self.all.len() {
            let Some(it) = self.all.get_mut(flag) else { continue };
            let Some((clock, by, reason)) = it.home.take() else { continue };
            let near = |at: DemoTime| (at.0 - clock.demo.0).abs() <= NEAR;
            if self.captured.is_some_and(|(at, of)| near(at) && of.is_none_or(|of| of == flag)) {
                self.captured = None;
                self.tell(flag, FlagAction::Captured, (by, reason), (clock, SNAPSHOT), sink);
            } else if near(now.demo) {
                it.home = Some((clock, by, reason));
            } else {
                // The round is over.
                self.tell(flag, FlagAction::Returned, (None, None), (clock, COMMAND), sink);
            }
        }
        self.captured = self.captured.filter(|(at, _)| now.demo.0 - at.0 <= NEAR);
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
        let Some(it) = self.all.get_mut(flag) else { return };
        let team = TEAMS.get(flag).map_or(NEUTRAL.1, |(_, team)| team);
        let by = player.as_ref().and_then(|player| player.slot);
        // A text and the configstring tell the same. Of another player they do not: the flag went on within a frame.
        let again = |(before, at, last): (FlagAction, DemoTime, Option<usize>)| {
            before == action && clock.demo.0 - at.0 <= LATE && (by == last || by.is_none() || last.is_none())
        };
        if it.last.is_some_and(again) {
            return;
        }
        it.last = Some((action, clock.demo, by));
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

/// True where the scores of the sides are the captures alone, as in `AddTeamScore` of id's `g_team.c`: capture the flag, and
/// that with one flag. Where rounds are played (CPMA's capture strike, Quake Live's attack and defend, elimination of
/// OpenArena), who wins one scores too, and the flags go home with it: so it is in a recording of attack and defend.
fn only_captures_score(world: &World) -> bool {
    let kind = info_value(world.configstrings().get(0), "g_gametype").unwrap_or_default();
    match world.module() {
        Module::QuakeLive => matches!(kind, b"5" | b"6"),
        Module::Cpma => kind == b"4",
        Module::Base | Module::Osp | Module::TeamArena | Module::OpenArena => matches!(kind, b"4" | b"5"),
        Module::Defrag | Module::Other => false,
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
