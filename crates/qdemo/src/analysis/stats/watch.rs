//! Who plays: looked at now and then, and told as facts.

use super::fact::Fact;
use super::period::Period;
use super::{Stats, moment, quake3};
use crate::event::PlayerRef;
use crate::replay::World;
use crate::wire::clean;
use crate::world::{Charset, DemoTime, Scene};

/// A player as seen at the last look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeenPlayer {
    pub(super) who: PlayerRef,
    pub(super) score: Option<i32>,
    pub(super) ping: Option<i32>,
    /// True while it is known where the player is, and in games that tell who plays by other means.
    pub(super) in_view: bool,
}

impl SeenPlayer {
    pub(super) fn enters(&self, period: &mut Period, now: DemoTime) {
        period.comes(&self.who, now);
        period.count(Fact::Standing(self.clone()));
    }
}

/// True in recordings of clients of Quake II, whose configstrings tell alike of those who play and those who watch. (Source:
/// `PutClientInServer` of the game modules of id and of OpenTDM.)
fn only_players_have_bodies(world: &World) -> bool {
    matches!(world, World::Dm2(_))
}

/// True for a slot of whoever recorded without a name, where nobody has one: the test release of Quake II tells none. Elsewhere
/// a slot without a name is nobody.
fn is_nameless_recorder(world: &World, slot: usize) -> bool {
    world.recorder() == Some(slot) && world.players().all(|player| player.name.is_empty())
}

impl Stats {
    /// A player takes another name.
    pub(super) fn rename(&mut self, at: i64, who: &PlayerRef, from: &str) {
        let Some(slot) = who.slot else { return };
        if let Some(seen) = self.seen.get_mut(slot).and_then(Option::as_mut) {
            seen.who.clone_from(who);
        }
        self.push(at, Fact::Rename(slot, from.to_owned(), who.clone()));
    }

    /// Looks who plays.
    pub(super) fn look(&mut self, world: &World) {
        self.looked = Some(world.clock().demo);
        if let Some(period) = &mut self.current {
            (period.in_teams, period.shows_all) = (world.in_teams(), Self::shows_all(world));
            period.counts_anew = quake3::counts_anew(world);
            period.is_race = quake3::is_race(world);
            period.is_for_oneself = world.is_for_oneself();
        }
        self.ghosts.clear();
        if let World::QuakeWorld(world) = world {
            let who = |name, team: Option<&[u8]>| PlayerRef {
                team: team.map(clean),
                ..PlayerRef::named(name, Charset::Quake)
            };
            let ghosts = world.ghosts().map(|(name, slot)| (who(name, slot.team()), slot.frags.unwrap_or(0).into()));
            self.ghosts.extend(ghosts);
        }
        let slots = world.player_slots().min(Self::SLOTS);
        (0..slots.max(self.seen.len())).for_each(|slot| self.look_at(world, slot));
    }

    /// Looks at those who come into view, where that alone shows that they play.
    pub(super) fn look_who_comes_into_view(&mut self, world: &World) {
        if !only_players_have_bodies(world) {
            return;
        }
        for slot in 0..self.seen.len() {
            let out_of_view = self.seen.get(slot).and_then(Option::as_ref).is_some_and(|seen| !seen.in_view);
            if out_of_view && world.place(slot).is_some() {
                self.look_at(world, slot);
            }
        }
    }

    /// Looks who plays in a slot.
    pub(super) fn look_at(&mut self, world: &World, slot: usize) {
        let clock = world.clock();
        let (at, playing) = (moment(&clock), self.playing(clock.demo));
        let plays = world.player(slot).filter(|p| {
            let watches = p.spectator || p.team.as_deref().is_some_and(|team| team == b"spectator");
            let is_somebody = !p.name.is_empty() || is_nameless_recorder(world, slot);
            !watches && is_somebody && !self.left.has(slot, &p.name)
        });
        if slot >= self.seen.len() {
            if plays.is_none() || slot >= Self::SLOTS {
                return;
            }
            self.seen.resize(slot + 1, None);
        }
        let score = |frags: Option<i32>| frags.filter(|_| !self.given_up.is_on());
        let in_view = |origin: Option<[f32; 3]>| origin.is_some() || !only_players_have_bodies(world);
        self.newcomers.look(slot, plays.as_ref().map(|plays| &*plays.name));
        // Whoever is there at the first frame has not come: the recording may begin in an intermission.
        if self.matches.last().is_none() {
            self.newcomers.clear();
        }
        let Some(place) = self.seen.get_mut(slot) else { return };
        let now = plays.map(|p| (score(p.frags), p.ping, in_view(p.origin), p));
        let stays = match (&*place, &now) {
            (Some(seen), Some((score, ping, in_view, p))) => {
                (seen.score, seen.ping, seen.in_view) == (*score, *ping, *in_view) && seen.who.is(p)
            }
            (None, None) => true,
            _ => false,
        };
        if stays {
            return;
        }
        let now = now.map(|(score, ping, in_view, p)| SeenPlayer { who: PlayerRef::of(&p), score, ping, in_view });
        let before = std::mem::replace(place, now.clone());
        let Some(now) = now else {
            self.push(at, Fact::Goes(slot, playing));
            return;
        };
        let same = before.as_ref().map(|before| before.who.name_raw == now.who.name_raw);
        match before.as_ref().filter(|_| same == Some(false)) {
            // A name is told of whoever had none.
            Some(before) if before.who.name_raw.is_empty() => {
                self.push(at, Fact::Rename(slot, String::new(), now.who.clone()))
            }
            Some(_) => self.push(at, Fact::Goes(slot, playing)),
            None => {}
        }
        if self.is_behind_level(slot) {
            return;
        }
        if before.as_ref().is_none_or(|before| before.who != now.who) {
            self.push(at, Fact::Comes(now.who.clone(), playing));
            self.holds_on(at, slot, playing);
        }
        self.push(at, Fact::Standing(now));
    }
}
