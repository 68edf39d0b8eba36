//! Which of several players of a name a text about a death means. KTX goes on to call a player as asked for to whose name the server
//! puts a number, and servers may give a name twice.

use std::cmp::Ordering;

use super::{Detector, MOMENT};
use crate::event::{Frag, FragKind, PlayerRef};
use crate::game::quakeworld::{World, bits, stat};
use crate::world::{DemoTime, Scene};

impl Detector {
    /// Damage told in front of a text tells it, where that is told; or what the same block tells of scores and of the recorder.
    pub(super) fn tell_namesakes_apart(&self, world: &World, frag: &mut Frag) {
        if self.hidden_damage && self.told_by_damage(world, frag) {
            return;
        }
        let changed = bits(world.changes().board).filter_map(|slot| {
            let now = i32::from(world.slot(slot)?.frags?);
            Some((slot, now.cmp(&self.slots.get(slot)?.frags?)))
        });
        let changed: Vec<_> = changed.filter(|(_, way)| *way != Ordering::Equal).collect();
        if !self.roster.told_by_scores(frag, &changed, world.in_teams()) && !self.multiview {
            self.told_by_health(world, frag);
        }
    }

    /// Who was hurt so much within this moment dies. False where that settles nothing.
    fn told_by_damage(&self, world: &World, frag: &mut Frag) -> bool {
        let at = world.clock().demo;
        let victims: Vec<_> = self.roster.namesakes(&frag.victim).collect();
        let attackers: Vec<_> = frag.attacker.iter().flat_map(|who| self.roster.namesakes(who)).collect();
        let is_one = |who: &PlayerRef, all: &[&PlayerRef]| all.iter().all(|other| other.slot == who.slot);
        if is_one(&frag.victim, &victims) && frag.attacker.as_ref().is_none_or(|who| is_one(who, &attackers)) {
            return true;
        }
        let of =
            |all: &[&PlayerRef], slot: usize| all.iter().find(|who| who.slot == Some(slot)).map(|who| (*who).clone());
        let deadly = self.hits.iter().rev().filter(|hit| (hit.at.0 - at.0).abs() <= MOMENT).find_map(|hit| {
            let followed = self.slots.get(hit.victim)?;
            let died = followed.left.is_none_or(|left| left.health <= 0) && followed.mourned != Some(at);
            let victim = of(&victims, hit.victim).filter(|_| died)?;
            match &frag.attacker {
                Some(_) => Some((victim, Some(of(&attackers, hit.attacker?)?))),
                None => Some((victim, None)),
            }
        });
        let Some((victim, attacker)) = deadly else { return false };
        if matches!(frag.kind, FragKind::Kill | FragKind::TeamKill | FragKind::Suicide) && attacker.is_some() {
            frag.kind = FragKind::of(attacker.as_ref(), &victim, world.in_teams());
        }
        (frag.victim, frag.attacker) = (victim, attacker);
        true
    }

    /// In the recording of a client the recorder dies whose health is gone with the text; of two of a name it is the other one where
    /// it is not.
    fn told_by_health(&self, world: &World, frag: &mut Frag) {
        let Some(recorder) = world.recorder() else { return };
        let (Some(stats), Some(followed)) = (world.own_stats(recorder), self.slots.get(recorder)) else { return };
        let Some(had) = followed.had else { return };
        let is_recorder = |who: &PlayerRef| who.slot == Some(recorder);
        let (own, others): (Vec<_>, Vec<_>) = self.roster.meant(&frag.victim).partition(|who| is_recorder(who));
        let ([own], false) = (&own[..], others.is_empty()) else { return };
        let of_late = |at: Option<DemoTime>| at.is_some_and(|at| world.clock().demo.0 - at.0 <= MOMENT);
        let is_dead = had.health > 0 && stats.get(stat::HEALTH) <= 0 || of_late(followed.died);
        let dies = is_dead && !of_late(followed.mourned);
        let victim = match others[..] {
            _ if dies => *own,
            [other] => other,
            _ => return,
        };
        // Nobody kills himself in the words for another.
        if frag.kind == FragKind::Kill && frag.attacker.as_ref().is_some_and(|who| who.slot == victim.slot) {
            return;
        }
        frag.victim = victim.clone();
        if frag.kind == FragKind::Suicide {
            frag.attacker = Some(victim.clone());
        }
    }
}
