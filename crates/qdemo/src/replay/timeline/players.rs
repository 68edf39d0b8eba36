//! Who played, under which names, and with which scores.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use super::Timeline;
use super::duel::Duel;
use crate::event::roster::tells_apart;
use crate::event::{Event, EventKind, Phase, Turn};
use crate::json::{Named, row};
use crate::kinds::kinds;
use crate::replay::{GivenUp, Left, Newcomers, Step, World};
use crate::wire::clean;
use crate::world::{DemoTime, Scene, ScoreLine};

kinds! {
    /// Of when a score is.
    pub enum ScoreTime {
        /// When it was last told.
        Last = "last",
        /// At the end of a match.
        MatchEnd = "match_end",
        /// At the end of a level.
        LevelEnd = "level_end",
    }
}

row! {
    /// A player, for as long as the name stays. Whoever leaves and comes back is one.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub struct Presence {
        /// Slot, from 0: the last one.
        pub slot: usize,
        /// The name in plain characters.
        #[serde(skip)]
        pub name: String,
        /// The name, as the bytes in the file.
        #[serde(skip)]
        pub name_raw: Vec<u8>,
        /// The last team that is not that of the spectators, or else that.
        #[serde(serialize_with = "plain")]
        #[schemars(with = "Option<String>")]
        pub team: Option<Vec<u8>>,
        /// True when never seen as anything but a spectator.
        pub spectator: bool,
        /// True for the player who recorded.
        pub recorder: bool,
        /// When the name was first there.
        #[serde(rename = "from_demo_ms")]
        pub from: DemoTime,
        /// When it was last there.
        #[serde(rename = "to_demo_ms")]
        pub to: DemoTime,
        /// For how long the player was in view.
        #[serde(rename = "in_view_ms")]
        pub in_view: DemoTime,
        /// Score at the end of the last match; without one at the end of the last level in which somebody scored. What is
        /// set to 0 behind it does not count, nor what is played then. `frags_at` tells which it is. `None` for one who only
        /// watches.
        pub frags: Option<i32>,
        /// Of when that score is, where there is one.
        pub frags_at: Option<ScoreTime>,
        /// Round trip time when it was last told.
        pub ping: Option<i32>,
    }
    |presence| -> Named { Named::new(&presence.name, &presence.name_raw) }
}

fn plain<S: Serializer>(text: &Option<Vec<u8>>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    text.as_deref().map(clean).serialize(serializer)
}

/// Finds out who played.
#[derive(Debug, Default)]
pub(super) struct Players {
    list: Vec<Presence>,
    /// Which of them was last in a slot.
    in_slot: Vec<InSlot>,
    /// Slots of whom more may have been told since they were last looked at than whether they are in view, a bit each, of higher
    /// ones that of the slot modulo 32; `None` for all.
    told: Option<u32>,
    /// Slots of those who were in view at the last frame: QuakeWorld.
    in_view: u32,
    /// Which of them have a name.
    named: HashMap<Vec<u8>, Vec<usize>>,
    /// Scores are those of something that is over.
    kept: Option<Kept>,
    /// A match of Quake II that began in the recording.
    duel: Option<Duel>,
    given_up: GivenUp,
    left: Left,
    newcomers: Newcomers,
}

/// Slots whose line of the score board the last chunk may have changed, a bit each, of higher ones that of the slot modulo 32.
fn told_lines(world: &World) -> u32 {
    match world {
        World::QuakeWorld(own) => own.told_lines(),
        World::Dm3(own) => own.told_lines(),
        _ => u32::MAX,
    }
}

/// Who was last in a slot.
#[derive(Debug, Clone, Copy)]
struct InSlot {
    /// Place in the list of players.
    at: usize,
    /// Still is.
    is_there: bool,
}

/// Scores of something that is over.
#[derive(Debug, Clone, Copy)]
struct Kept {
    at: ScoreTime,
    /// When that was over.
    since: DemoTime,
    /// They were set to 0: what follows belongs to something else.
    closed: bool,
    /// Another level has begun since.
    new_level: bool,
}

impl Players {
    /// Who there is, by slot.
    pub(super) fn finish(mut self) -> Vec<Presence> {
        // Scoreboards leave out slots without a name. Alone in a recording such a one is the player.
        if self.list.iter().any(|player| !player.name_raw.is_empty()) {
            self.list.retain(|player| !player.name_raw.is_empty());
        }
        self.list.sort_by_key(|player| (player.slot, player.from));
        self.list
    }

    /// Takes in who comes, leaves and gives up, in front of all else of a step.
    pub(super) fn begin(&mut self, step: &Step<'_>) {
        // Whoever comes in the chunk that ends something comes behind it.
        if self.kept.is_none() {
            self.newcomers.clear();
        }
        for event in step.events {
            self.given_up.take(event, step.world);
            self.newcomers.take(event);
        }
        self.left.look(step.world, step.events);
    }

    /// At the next frame everybody is looked at.
    pub(super) fn look_at_all(&mut self) {
        self.told = None;
    }

    /// At the next frame those are looked at of whom a chunk tells that is none.
    pub(super) fn look_at_told(&mut self, world: &World) {
        self.told = self.told.map(|told| told | told_lines(world));
    }

    /// A level begins, behind another one or as the first.
    pub(super) fn level(&mut self, is_next: bool, now: DemoTime) {
        if self.kept.is_none() && is_next {
            self.keep(ScoreTime::LevelEnd, now);
        }
        if let Some(kept) = &mut self.kept {
            (kept.closed, kept.new_level) = (true, true);
        }
    }

    /// Whoever gives up has the score that the message tells.
    pub(super) fn give_up(&mut self, event: &Event) {
        let Some((who, to)) = self.given_up.score(event).filter(|_| self.given_up.is_on()) else { return };
        let in_it = |slot: &usize| self.kept.is_none() || !self.newcomers.has(*slot);
        let at = who.slot.filter(in_it).and_then(|slot| self.in_slot.get(slot));
        if let Some(presence) = at.and_then(|in_slot| self.list.get_mut(in_slot.at)) {
            presence.frags = Some(to);
        }
    }

    /// Takes in what an event told of matches, and whether one begins or ends with it.
    pub(super) fn phase(&mut self, phase: Phase, turn: Option<Turn>, event: &Event) {
        match (turn, phase) {
            (Some(Turn::Begins), _) => {
                self.kept = None;
                self.duel = event.is_begun().then(Duel::default);
            }
            (Some(Turn::Ends), _) => self.keep(ScoreTime::MatchEnd, event.clock.demo),
            (_, Phase::Intermission) if self.kept.is_none() => self.keep(ScoreTime::LevelEnd, event.clock.demo),
            (_, Phase::Countdown) => {
                if let Some(kept) = &mut self.kept {
                    kept.closed = true;
                }
            }
            _ => {}
        }
    }

    /// Takes in an event of Quake II: deaths tell who plays a duel, and a text that ends one tells the scores of both.
    pub(super) fn duel(&mut self, event: &Event) {
        let Some(duel) = &mut self.duel else { return };
        match &event.kind {
            EventKind::Frag(frag) => {
                let slots =
                    [frag.attacker.as_ref(), Some(&frag.victim)].into_iter().flatten().filter_map(|who| who.slot);
                slots.filter_map(|slot| self.in_slot.get(slot)).for_each(|in_slot| duel.add(in_slot.at));
            }
            EventKind::Print { text, .. } => {
                let over = |kept: Kept| kept.at == ScoreTime::MatchEnd && kept.since == event.clock.demo;
                if !self.kept.is_some_and(over) {
                    return;
                }
                let name = |at: usize| self.list.get(at).map_or("", |presence| presence.name.as_str());
                for (at, score) in duel.scores(text, name).into_iter().flatten() {
                    if let Some(presence) = self.list.get_mut(at) {
                        (presence.frags, presence.frags_at) = (Some(score), Some(ScoreTime::MatchEnd));
                    }
                }
            }
            _ => {}
        }
    }

    /// Who is there at a frame, `step` after the one before.
    pub(super) fn meet(&mut self, world: &World, step: DemoTime, is_first: bool) {
        let (now, recorder) = (world.clock().demo, world.recorder());
        let mut scored = false;
        let mut told = told_lines(world);
        let placed = match world {
            World::QuakeWorld(own) => own.placed().into(),
            World::Dm3(own) => own.in_view(),
            _ => 0,
        };
        if let World::QuakeWorld(own) = world {
            // Who has no name has a line while in view.
            told |= own.in_view() ^ std::mem::replace(&mut self.in_view, own.in_view());
        }
        // Whose score the state of the one who was seen told is another one as soon as somebody else is seen.
        let wanted = self.told.replace(told).filter(|_| self.kept.is_none()).map_or(u32::MAX, |before| before | told);
        for slot in 0..world.player_slots() {
            if wanted >> (slot & 31) & 1 == 0 {
                let there = self.in_slot.get(slot).filter(|in_slot| in_slot.is_there);
                if let Some(presence) = there.and_then(|in_slot| self.list.get_mut(in_slot.at)) {
                    (presence.to, presence.slot) = (now, slot);
                    if placed >> (slot & 63) & 1 == 1 {
                        presence.in_view.0 += step.0;
                    }
                }
                continue;
            }
            let player = world.score_line(slot).filter(|player| !self.left.has(slot, &player.name));
            let plays = player.as_ref().filter(|player| !player.spectator && !player.name.is_empty());
            self.newcomers.look(slot, plays.map(|player| &*player.name));
            // Whoever is there at the first frame has not come: the recording may begin in an intermission.
            if is_first {
                self.newcomers.clear();
            }
            let Some(player) = player else {
                self.in_slot.get_mut(slot).into_iter().for_each(|in_slot| in_slot.is_there = false);
                continue;
            };
            let at = self.who(world, &player);
            scored |= self.take(at, &player, world);
            let Some(presence) = self.list.get_mut(at) else { continue };
            presence.recorder |= recorder == Some(slot);
            if player.is_placed {
                presence.in_view.0 += step.0;
            }
        }
        // Without matches the next level counts from its first point on.
        if scored && self.kept.is_some_and(|kept| kept.at == ScoreTime::LevelEnd && kept.new_level) {
            self.kept = None;
            // From now on scores are taken of those of whom only that they are there was looked at.
            self.told = None;
        }
    }

    /// The one of the list who stands in this line of the score board, a new one where nobody is.
    fn who(&mut self, world: &World, line: &ScoreLine<'_>) -> usize {
        let there = |s: &Presence| s.slot == line.slot && s.name_raw == *line.name;
        // Most stay who they are from frame to frame.
        let last = self.in_slot.get(line.slot).map(|in_slot| in_slot.at);
        let last = last.filter(|at| self.list.get(*at).is_some_and(there));
        let named = || self.named.get(&*line.name).into_iter().flatten().rev().copied();
        let last_who = |is: &dyn Fn(&Presence) -> bool| named().find(|at| self.list.get(*at).is_some_and(is));
        let known = || last_who(&there);
        // Whoever comes back may get another slot, and the one of before may keep the name.
        let gone = |s: &Presence| {
            let left = self.left.has(s.slot, &line.name);
            left || world.score_line(s.slot).is_none_or(|now| now.name != line.name)
        };
        let back = || last_who(&gone).filter(|_| tells_apart(&line.name));
        let at = match last.or_else(known).or_else(back) {
            Some(at) => at,
            None => {
                self.named.entry(line.name.to_vec()).or_default().push(self.list.len());
                self.list.push(Presence {
                    slot: line.slot,
                    name: line.clean_name(),
                    name_raw: line.name.to_vec(),
                    team: None,
                    spectator: true,
                    recorder: false,
                    from: world.clock().demo,
                    to: world.clock().demo,
                    in_view: DemoTime(0),
                    frags: None,
                    frags_at: None,
                    ping: None,
                });
                self.list.len() - 1
            }
        };
        if self.in_slot.len() <= line.slot {
            self.in_slot.resize(line.slot + 1, InSlot { at: usize::MAX, is_there: false });
        }
        if let Some(in_slot) = self.in_slot.get_mut(line.slot) {
            *in_slot = InSlot { at, is_there: true };
        }
        at
    }

    /// Takes in what a line of the score board tells of one of the list; true where that is a score other than 0.
    fn take(&mut self, at: usize, line: &ScoreLine<'_>, world: &World) -> bool {
        let Some(presence) = self.list.get_mut(at) else { return false };
        (presence.to, presence.slot) = (world.clock().demo, line.slot);
        let counts = presence.spectator || !line.spectator;
        if counts && presence.team.as_deref() != line.team.as_deref() {
            presence.team = line.team.as_deref().map(<[u8]>::to_vec);
        }
        presence.spectator &= line.spectator;
        presence.ping = line.ping.or(presence.ping);
        if let (true, Some(duel), None, World::Dm2(_) | World::Mvd2(_)) =
            (line.is_placed, &mut self.duel, self.kept, world)
        {
            duel.add(at);
        }
        // Whoever gives up to watch keeps the score. Who only watches has none, whatever the server says.
        let Some(told) = line.frags.filter(|_| !line.spectator && !self.given_up.is_on()) else { return false };
        let reset = told == 0 && presence.frags.is_some_and(|before| before != 0);
        match &mut self.kept {
            Some(kept) if !kept.closed && self.newcomers.has(line.slot) => {}
            Some(kept) if reset => kept.closed = true,
            Some(kept) if kept.closed && presence.frags.is_some() => {}
            Some(kept) if !kept.closed => (presence.frags, presence.frags_at) = (Some(told), Some(kept.at)),
            Some(_) | None => (presence.frags, presence.frags_at) = (Some(told), Some(ScoreTime::Last)),
        }
        told != 0
    }

    /// From now on scores are those of what is over, until they are set to 0.
    fn keep(&mut self, at: ScoreTime, now: DemoTime) {
        self.kept = Some(Kept { at, since: now, closed: false, new_level: false });
        let since = now.0.saturating_sub(Timeline::GAP.0);
        for presence in self.list.iter_mut().filter(|presence| presence.to.0 >= since && presence.frags.is_some()) {
            presence.frags_at = Some(at);
        }
    }
}
