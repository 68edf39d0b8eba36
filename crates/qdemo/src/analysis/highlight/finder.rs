//! Finds highlights, step by step.

use std::borrow::Cow;

use super::track::{Sample, Track, distance};
use super::{Criteria, Highlight, HighlightKind, Proof};
use crate::error::Result;
use crate::event::{Damage, Event, EventKind, Frag, FragKind, Phase, PlayerRef, Reason};
use crate::replay::{Analyser, Step, World};
use crate::world::{DemoTime, Place, Scene};

/// Weapons of which one shot makes one hit at once, wherever it points.
const HITS_AT_ONCE: [&str; 3] = ["railgun", "shotgun", "super_shotgun"];
/// Weapons of which one shot can kill several.
const ONE_SHOT: [&str; 6] =
    ["railgun", "shotgun", "super_shotgun", "rocket_launcher", "grenade_launcher", "hand_grenade"];
/// What hits a player in the air: the means of death of direct hits where the game tells them from blasts.
const DIRECT: [&str; 4] = ["rocket", "grenade", "hand_grenade", "bfg"];
/// The same where it does not.
const UNCLEAR: [&str; 4] = ["rocket_launcher", "grenade_launcher", "quad_rocket_launcher", "quad_grenade_launcher"];

/// Finds highlights in the steps of a recording.
#[derive(Debug, Clone)]
pub struct Finder {
    criteria: Criteria,
    players: Vec<Followed>,
    /// Hits of which it is not known yet whether they killed.
    hits: Vec<Highlight>,
    /// The recording tells each hit, so that deaths need not be asked.
    hits_told: bool,
    /// A match was over then: what comes later is of none, or of the next one.
    over: Option<DemoTime>,
    out: Vec<Highlight>,
}

/// What is followed of a slot.
#[derive(Debug, Clone, Default)]
struct Followed {
    track: Track,
    /// Kills since the last death.
    streak: Option<Highlight>,
    /// Kills in a row, each soon after the one before.
    row: Option<Highlight>,
    /// Kills of one moment.
    moment: Option<Highlight>,
}

/// A hit and the death that follows from it are told within this time.
const MOMENT: i64 = 150_000;
/// Highest number of slots.
const SLOTS: usize = 256;
/// Units a second by which things fall faster every second, where nothing else is told.
const GRAVITY: f32 = 800.0;

impl Analyser for Finder {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        let world = step.world;
        if step.changes().level {
            self.begin_anew();
        }
        if step.changes().frame {
            self.look(world);
        }
        for event in step.events {
            // Deaths of the last moment of a match are told behind its end.
            if self.over.is_some_and(|over| event.clock.demo > over) {
                self.begin_anew();
            }
            match &event.kind {
                EventKind::Match(Phase::Start) => self.begin_anew(),
                EventKind::Match(Phase::End | Phase::GivenUp) => self.over = Some(event.clock.demo),
                EventKind::Frag(frag) => self.frag(world, event, frag),
                EventKind::Damage(damage) => self.damage(world, event, damage),
                EventKind::Leave(who) => {
                    if let Some(it) = who.slot.and_then(|slot| self.players.get_mut(slot)) {
                        Self::end(std::mem::take(it), &self.criteria, &mut self.out);
                    }
                }
                _ => {}
            }
        }
        let now = world.clock().demo.0;
        self.settle(|hit| now - hit.clock.demo.0 > MOMENT);
        if step.is_end() {
            self.begin_anew();
        }
        Ok(())
    }
}

impl Finder {
    /// A finder at the beginning of a recording.
    pub fn new(criteria: Criteria) -> Self {
        Finder { criteria, players: Vec::new(), hits: Vec::new(), hits_told: false, over: None, out: Vec::new() }
    }

    /// The highlights that are over, and have not been taken.
    pub fn take(&mut self) -> Vec<Highlight> {
        std::mem::take(&mut self.out)
    }

    fn begin_anew(&mut self) {
        self.over = None;
        for it in std::mem::take(&mut self.players) {
            Self::end(it, &self.criteria, &mut self.out);
        }
        self.settle(|_| true);
    }

    /// Gives out the hits that are old enough.
    fn settle(&mut self, old: impl Fn(&Highlight) -> bool) {
        if self.hits.is_empty() {
            return;
        }
        let (over, open) = std::mem::take(&mut self.hits).into_iter().partition(old);
        self.hits = open;
        self.out.extend::<Vec<_>>(over);
    }

    /// Everything that may go on for a player is over.
    fn end(it: Followed, criteria: &Criteria, out: &mut Vec<Highlight>) {
        let many = |it: &Option<Highlight>, least: u32| it.as_ref().filter(|it| it.count >= least).cloned();
        out.extend(many(&it.streak, criteria.streak));
        out.extend(many(&it.row, criteria.kills.max(2)));
        out.extend(many(&it.moment, 2));
    }

    fn followed(&mut self, slot: usize) -> Option<&mut Followed> {
        if slot >= SLOTS {
            return None;
        }
        if self.players.len() <= slot {
            self.players.resize_with(slot + 1, Followed::default);
        }
        self.players.get_mut(slot)
    }

    /// Notes where everybody is.
    fn look(&mut self, world: &World) {
        let at = world.clock().demo.0;
        let mut next = 0;
        world.places(&mut |slot, Place { origin, angles, on_ground }| {
            self.out_of_view(next..slot);
            let sample = Sample { at, origin, angles: angles.map(|[pitch, yaw, _]| [pitch, yaw]), on_ground };
            if let Some(it) = self.followed(slot) {
                it.track.add(sample);
            }
            next = slot + 1;
        });
        self.out_of_view(next..self.players.len());
    }

    /// Of whom nothing is known where they are, nothing is known of how they came there.
    fn out_of_view(&mut self, slots: std::ops::Range<usize>) {
        self.players.iter_mut().take(slots.end).skip(slots.start).for_each(|it| it.track.clear());
    }

    fn frag(&mut self, world: &World, event: &Event, frag: &Frag) {
        if let Some(it) = frag.victim.slot.and_then(|slot| self.followed(slot)) {
            let over = Followed { streak: it.streak.take(), ..Followed::default() };
            Self::end(over, &self.criteria, &mut self.out);
        }
        let Some(attacker) = frag.attacker.as_ref().filter(|_| frag.kind == FragKind::Kill) else { return };
        let Some(slot) = attacker.slot else { return };
        let kill = |kind| Highlight { killed: true, ..begun(kind, event, attacker, &frag.victim, frag.weapon.clone()) };
        let at = event.clock.demo.0;
        let criteria = self.criteria;
        let shot_once = ONE_SHOT.contains(&&*frag.weapon);
        let mut over = Vec::new();
        if let Some(it) = self.followed(slot) {
            let within = |it: &Highlight| at - it.end().0 <= criteria.within.0;
            let same = |it: &Highlight| shot_once && at == it.end().0 && it.weapon == frag.weapon;
            go_on(&mut it.streak, kill(HighlightKind::Streak), |_| true, u32::MAX, &mut over);
            go_on(&mut it.row, kill(HighlightKind::MultiKill), within, criteria.kills.max(2), &mut over);
            go_on(&mut it.moment, kill(HighlightKind::OneShot), same, 2, &mut over);
            if HITS_AT_ONCE.contains(&&*frag.weapon) {
                let turn = it.track.turn(at, criteria.turn_within.0).filter(|turn| turn.degrees >= criteria.turn);
                if let Some(turn) = turn {
                    let mut flick = kill(HighlightKind::Flick);
                    flick.proof.turned = Some((turn.degrees, DemoTime(turn.lasted)));
                    over.push(flick);
                }
            }
        }
        for it in &mut over {
            if it.kind == HighlightKind::Flick {
                it.proof.distance = self.between(slot, frag.victim.slot, at);
            }
        }
        self.out.append(&mut over);
        // The hit may be known already, and have been told as such.
        let known = |hit: &&mut Highlight| {
            hit.player.slot == Some(slot) && hit.victims.iter().any(|victim| victim.slot == frag.victim.slot)
        };
        if let Some(hit) = self.hits.iter_mut().find(known) {
            hit.killed = true;
            return;
        }
        let reason = match &*frag.means {
            means if DIRECT.contains(&means) => None,
            means if UNCLEAR.contains(&means) && !self.hits_told => Some(Reason::HitOrBlast),
            _ => return,
        };
        let hit = kill(HighlightKind::MidAir);
        self.midair(world, hit, reason);
    }

    fn damage(&mut self, world: &World, event: &Event, damage: &Damage) {
        if damage.means.is_empty() {
            return;
        }
        self.hits_told = true;
        let (Some(attacker), Some(victim)) = (&damage.attacker, &damage.victim) else { return };
        let by_mate = attacker.team.is_some() && attacker.team == victim.team;
        if damage.splash || !UNCLEAR.contains(&&*damage.means) || attacker.slot == victim.slot || by_mate {
            return;
        }
        let again = |hit: &Highlight| {
            hit.player.slot == attacker.slot
                && hit.clock.demo == event.clock.demo
                && hit.victims.iter().any(|it| it.slot == victim.slot)
        };
        if self.hits.iter().any(again) {
            return;
        }
        let hit = begun(HighlightKind::MidAir, event, attacker, victim, damage.means.clone());
        self.midair(world, hit, None);
    }

    /// Keeps a hit when the victim was in the air.
    fn midair(&mut self, world: &World, mut hit: Highlight, inferred: Option<Reason>) {
        let slot = |who: Option<&PlayerRef>| who.and_then(|who| who.slot);
        let victim = slot(hit.victims.first());
        let Some(track) = victim.and_then(|slot| self.players.get(slot)).map(|it| &it.track) else { return };
        let at = hit.clock.demo.0;
        let gravity = match world {
            World::QuakeWorld(world) => world.movevars().first().copied().filter(|g| *g > 0.0).unwrap_or(GRAVITY),
            _ => GRAVITY,
        };
        let Some(flight) = track.flight(at, self.criteria.air.0, gravity) else { return };
        let from_way = (!flight.told).then_some(Reason::Trajectory);
        hit.proof.airborne = Some(DemoTime(flight.lasted));
        hit.proof.height = Some(flight.height);
        hit.proof.inferred = inferred.or(from_way).or(hit.proof.inferred);
        hit.proof.distance = hit.player.slot.and_then(|slot| self.between(slot, victim, at));
        self.hits.push(hit);
    }

    /// Units between two players at a time.
    fn between(&self, one: usize, other: Option<usize>, at: i64) -> Option<f32> {
        let place = |slot: usize| self.players.get(slot)?.track.place(at);
        Some(distance(place(one)?, place(other?)?)).filter(|d| d.is_finite())
    }
}

/// The first hit of something.
fn begun(
    kind: HighlightKind,
    event: &Event,
    player: &PlayerRef,
    victim: &PlayerRef,
    weapon: Cow<'static, str>,
) -> Highlight {
    let inferred = event.certainty.reason();
    Highlight {
        kind,
        block: event.block,
        offset: event.offset,
        clock: event.clock,
        lasted: DemoTime::default(),
        player: player.clone(),
        count: 1,
        weapon,
        victims: vec![victim.clone()],
        killed: false,
        proof: Proof { inferred, ..Proof::default() },
    }
}

/// Adds a kill to what goes on, or begins anew with it; what is over then is given out if it has `least` kills.
fn go_on(
    what: &mut Option<Highlight>,
    kill: Highlight,
    belongs: impl Fn(&Highlight) -> bool,
    least: u32,
    over: &mut Vec<Highlight>,
) {
    match what {
        Some(it) if belongs(it) => {
            it.count = it.count.saturating_add(1);
            it.lasted = DemoTime(kill.clock.demo.0.saturating_sub(it.clock.demo.0).max(it.lasted.0));
            it.proof.inferred = it.proof.inferred.or(kill.proof.inferred);
            if it.weapon != kill.weapon {
                it.weapon = Cow::Borrowed("");
            }
            if it.victims.len() < Highlight::VICTIMS {
                it.victims.extend(kill.victims);
            }
        }
        _ => over.extend(what.replace(kill).filter(|it| it.count >= least)),
    }
}
