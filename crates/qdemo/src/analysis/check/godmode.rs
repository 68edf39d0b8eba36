//! `godmode`: damage that does not hurt. Quake `.dem` only.
//!
//! The idea is that of the DEM document, 3.4: a `damage` message tells what health and armour lose, and the `clientdata`
//! behind it in the same block what is left. Whoever takes the cheat's prints out of a recording leaves the damage in.
//!
//! The rules of Quake's own game code, on which the arithmetic stands:
//! * Armour takes its share of each hit, rounded up, and no more than there is of it. The rest, rounded up, is for the
//!   health. Both are summed for all hits of a frame, and told in one message at its end.
//! * The armour loses its share in any case. The health loses nothing in god mode, with the Pentagram of Protection, and
//!   from team mates under `teamplay 1`; the message tells the damage all the same.
//! * Only pickups make more: health of 15 and 25 up to 100, of 100 up to 250, armour. They are printed, and heard.
//!
//! So after damage there may be less than expected (what the message tells has 8 bits, more wraps around; megahealth wears
//! off; another hit was told in a packet that was lost), but more only by a pickup. One point is tolerated: game code of
//! others does not round up, and both messages cut fractions off. A pickup may be printed a moment later than the frame that
//! has it, for prints travel on another channel.
//!
//! Whether `teamplay` is 1 is not told, nor who hits, but where the hit comes from: the world's place for falls, water and lava,
//! which no rule spares anybody. In deathmatch, where servers refuse the god mode, nothing is said of health that stays in any
//! other hit while somebody else has the recorder's colour of pants, which is the team.
//!
//! Sources: `T_Damage` of id Software's `combat.qc`; `Host_God_f` of its `host_cmd.c`, and `Host_Color_f` for teams.
//!
//! Nothing is said where the state before is not that of the frame before (the beginning, lost packets), of the dead, of
//! the moment of birth, and of intermissions.

use serde_json::json;

use super::found::{Findings, Severity, Statement};
use super::{ChunkSeen, Place, Probe};
use crate::event::Lines;
use crate::game::quake::World;
use crate::wire::clean;
use crate::world::{DemoTime, Scene, TextKind};

const HEALTH: u8 = 0;
const ARMOR: u8 = 4;

/// The recorder's state in a frame.
#[derive(Clone, Copy)]
struct State {
    health: i32,
    armor: i32,
    items: u32,
    time: DemoTime,
    block: Option<u64>,
}

/// A contradiction that a print may still explain.
struct Waiting {
    before: State,
    now: State,
    take: i32,
    save: i32,
    /// More health and armour than there should be.
    extra: [i32; 2],
    alone: bool,
    place: Place,
}

/// Pickups told of late: when, and most that they give of health and armour.
type Taken = (DemoTime, [i32; 2]);

#[derive(Default)]
pub(super) struct Godmode {
    before: Option<State>,
    lines: Lines,
    taken: Vec<Taken>,
    waiting: Vec<Waiting>,
}

impl Godmode {
    /// More than expected, but too little to mean something.
    const TOLERANCE: i32 = 1;
    /// Longest time between two frames that follow each other: servers send ten a second at least.
    const FRAME: i64 = 150_000;
    /// A print comes no later than this behind the frame that shows what was taken, nor earlier.
    const MOMENT: i64 = 1_000_000;
    /// Pickups and contradictions that are remembered. A moment has not so many.
    const MOST: usize = 64;
    /// More than any pickup gives.
    const ANY: i32 = 1000;

    fn pickups(&mut self, world: &World) {
        let now = world.clock().demo;
        let recorder = world.recorder().and_then(|slot| u16::try_from(slot + 1).ok());
        for (said, text, _) in world.changes().texts() {
            let TextKind::Print(_) = said else { continue };
            let Some(text) = self.lines.add((None, None), text) else { continue };
            let text = clean(&text.raw);
            self.taken.extend(text.lines().filter_map(taken).map(|amount| (now, amount)));
        }
        for sound in world.changes().sounds.iter().filter(|sound| sound.entity == recorder) {
            let amount = match world.sound_name(sound.sound) {
                Some(b"items/r_item1.wav") => [15, 0],
                Some(b"items/health1.wav") => [25, 0],
                Some(b"items/r_item2.wav") => [100, 0],
                Some(b"items/armor1.wav") => [0, Self::ANY],
                _ => continue,
            };
            self.taken.push((now, amount));
        }
        self.taken.retain(|(at, _)| now.0 - at.0 <= Self::MOMENT);
        let surplus = self.taken.len().saturating_sub(Self::MOST);
        self.taken.drain(..surplus);
    }

    /// Tells of contradictions that nothing explained, once their time is over.
    fn settle(&mut self, now: Option<DemoTime>, found: &mut Findings) {
        let taken = &self.taken;
        self.waiting.retain(|waiting| {
            // Health that was bought twice is not worth a thought: a pickup explains what it can.
            let missing = |n: usize| {
                waiting.extra[n] > Self::TOLERANCE && !taken.iter().any(|(_, most)| most[n] >= waiting.extra[n])
            };
            if !missing(0) && !missing(1) {
                return false;
            }
            let over = now.is_none_or(|now| now.0 - waiting.now.time.0 > Self::MOMENT);
            if over {
                waiting.tell([missing(0), missing(1)], found);
            }
            !over
        });
    }

    fn frame(&mut self, world: &World, place: &Place, found: &mut Findings) {
        let (Some(client), Some(health)) = (world.client(), world.stat(HEALTH)) else { return };
        let armor = world.stat(ARMOR).unwrap_or(0);
        let now = State { health, armor, items: client.items, time: world.clock().demo, block: place.block };
        let Some(before) = self.before.replace(now) else { return };
        let hurts = &world.changes().damage;
        let alive = before.health > 0 && now.health > 0;
        let step = now.time.0 - before.time.0;
        if hurts.is_empty() || !alive || step > Self::FRAME || world.ending().is_some() {
            return;
        }
        let save: i32 = hurts.iter().map(|hurt| hurt.save).sum();
        let take = hurts.iter().map(|hurt| hurt.amount - hurt.save).sum();
        let items = |bits| world.game().items(bits);
        let protected = items(before.items | now.items).any(|item| item == "invulnerability");
        let spared = protected || has_mates(world) && !hurts.iter().all(|hurt| hurt.by_world);
        let extra_health = if spared { 0 } else { gain(before.health, now.health, take) };
        let fresh_armor = now.items & !before.items & world.game().armors() != 0;
        let extra_armor = if fresh_armor { 0 } else { gain(before.armor, now.armor, save) };
        let extra = [extra_health, extra_armor];
        if extra.iter().any(|extra| *extra > Self::TOLERANCE) {
            if self.waiting.len() >= Self::MOST {
                self.settle(None, found);
            }
            let alone = world.players().count() <= 1;
            self.waiting.push(Waiting { before, now, take, save, extra, alone, place: *place });
        }
    }
}

impl Probe for Godmode {
    fn step(&mut self, seen: &ChunkSeen<'_>, found: &mut Findings) {
        let crate::replay::World::Dem(world) = seen.world else { return };
        if world.changes().level {
            self.settle(None, found);
            *self = Godmode::default();
        }
        self.pickups(world);
        if world.changes().frame {
            self.frame(world, &seen.place, found);
        }
        if !self.waiting.is_empty() {
            self.settle(Some(world.clock().demo), found);
        }
    }

    fn finish(&mut self, _: &crate::replay::World, _: &Place, found: &mut Findings) {
        self.settle(None, found);
    }
}

impl Waiting {
    fn tell(&self, missing: [bool; 2], found: &mut Findings) {
        // Friendly fire without damage is a rule that the recording of a game of several does not tell.
        let severity = if self.alone || missing[1] { Severity::Violation } else { Severity::Warning };
        let Waiting { before, now, take, save, .. } = self;
        found.add("godmode", severity, &self.place, "damage, clientdata", || {
            let mut text = format!("damage takes {take} of health and {save} of armour");
            let what = [("health", before.health, now.health, take), ("armour", before.armor, now.armor, save)];
            for ((name, from, to, loss), _) in what.into_iter().zip(missing).filter(|(_, missing)| *missing) {
                text += &format!(
                    ", but {name} goes from {from} to {to} where {} is due",
                    from.saturating_sub(*loss).max(0)
                );
            }
            text += "; nothing tells of a pickup";
            let evidence = vec![
                ("take", (*take).into()),
                ("save", (*save).into()),
                ("health_before", before.health.into()),
                ("health", now.health.into()),
                ("armor_before", before.armor.into()),
                ("armor", now.armor.into()),
                ("block_before", json!(before.block)),
                ("items", now.items.into()),
            ];
            Statement::new(text, evidence)
        });
    }
}

/// True in deathmatch when somebody else is in the recorder's team.
fn has_mates(world: &World) -> bool {
    let team = |slot: usize| Some(world.score(u8::try_from(slot).ok()?)?.colors?.pants());
    let Some(own) = world.recorder().filter(|_| world.is_deathmatch()) else { return false };
    let mates = || world.players().filter(|player| player.slot != own && team(player.slot) == team(own));
    team(own).is_some() && mates().next().is_some()
}

/// What there is more than a loss leaves. The numbers may be any in a damaged file.
fn gain(before: i32, now: i32, loss: i32) -> i32 {
    now.saturating_sub(before.saturating_sub(loss))
}

/// Most that a printed line gives of health and armour.
fn taken(line: &str) -> Option<[i32; 2]> {
    if let Some(rest) = line.strip_prefix("You receive ") {
        return rest.strip_suffix(" health")?.parse().ok().map(|amount| [amount, 0]);
    }
    let thing = line.strip_prefix("You got ")?.to_ascii_lowercase();
    if thing.contains("armor") {
        Some([0, Godmode::ANY])
    } else {
        thing.contains("health").then_some([Godmode::ANY, 0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prints_explain() {
        assert_eq!(taken("You receive 15 health"), Some([15, 0]));
        assert_eq!(taken("You receive 99999999999 health"), None);
        assert_eq!(taken("You got armor"), Some([0, Godmode::ANY]));
        assert_eq!(taken("You got the Red Armor"), Some([0, Godmode::ANY]));
        assert_eq!(taken("You got the shells"), None);
    }
}
