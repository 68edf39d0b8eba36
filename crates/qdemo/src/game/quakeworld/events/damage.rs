//! Who hurts whom, and what that takes.

use std::borrow::Cow;

use super::teamplay::{self, Harm};
use super::{Detector, Followed, MOMENT, slot_of};
use crate::event::{Certainty, Damage, Event, EventKind, Sink};
use crate::game::quake::Game;
use crate::game::quake::items::PENTAGRAM;
use crate::game::quakeworld::{World, bits};
use crate::wire::info_value;
use crate::world::{DemoTime, Scene};

/// What a player had.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Vitals {
    pub(super) health: i32,
    pub(super) armor: i32,
    pub(super) items: u32,
}

impl Vitals {
    /// Takes damage. Gives what was there to lose: armour takes its share, of which green armour has `green` of 100, health the
    /// rest, down to 0. Pentagrams protect health alone.
    fn take(&mut self, amount: i32, harm: Harm, green: i64) -> i32 {
        if harm == Harm::Nothing {
            return 0;
        }
        let armors = [(15, 80), (14, 60), (13, green)];
        let has = |bit: u32| self.items >> bit & 1 == 1;
        let share = armors.into_iter().find(|(bit, _)| has(*bit)).map_or(0, |(_, share)| share);
        let share = (i64::from(amount) * share + 99) / 100;
        let armor = i32::try_from(share).unwrap_or(i32::MAX).clamp(0, self.armor.max(0));
        // Before a match health has other meanings; whoever appears has 100.
        let left = if self.health > Self::MOST { Self::SPAWN } else { self.health.max(0) };
        let is_spared = harm == Harm::Armor || self.is_guarded_from(harm);
        let health = if is_spared { 0 } else { amount.saturating_sub(armor).clamp(0, left) };
        self.armor = self.armor.saturating_sub(armor);
        self.health = left - health;
        armor + health
    }

    /// True while a pentagram protects.
    fn is_guarded_from(&self, harm: Harm) -> bool {
        harm != Harm::Certain && self.items & PENTAGRAM != 0
    }

    /// Health and armour.
    pub(super) fn all(&self) -> i32 {
        self.health.max(0).saturating_add(self.armor)
    }

    /// The most health that there is.
    const MOST: i32 = 250;
    /// And that at the beginning.
    const SPAWN: i32 = 100;
    /// What whoever appears is given, where nobody was seen to.
    pub(super) const GIVEN: Self = Vitals { health: Self::SPAWN, armor: 0, items: 0 };
}

impl Detector {
    pub(super) fn hurts(&mut self, world: &World, sink: &mut Sink<'_>) {
        let now = world.clock().demo;
        let (causes, green) = (causes(world), share_of_green(world));
        for hurt in &world.changes().damage {
            let attacker = hurt.attacker.and_then(slot_of);
            let known = hurt.cause.and_then(|cause| causes.get(usize::from(cause & !SPLASH)).copied());
            let (source, means, splash) = match hurt.cause {
                Some(cause) => {
                    self.hidden_damage = true;
                    let number = cause & !SPLASH;
                    let means = known.map_or_else(|| Cow::Owned(format!("cause_{number}")), Cow::Borrowed);
                    ("hidden_damage", means, cause & SPLASH != 0)
                }
                None if self.hidden_damage => continue,
                None => ("damage", Cow::Borrowed(""), false),
            };
            for victim in bits(hurt.victims.unwrap_or(0)) {
                self.hits.retain(|hit| now.0 - hit.at.0 <= 2 * MOMENT);
                self.hits.push(Hit { at: now, attacker, victim, means: known });
                let (by, who) = (attacker.map(|slot| self.who_or_slot(slot)), Some(self.who_or_slot(victim)));
                let both = by.as_ref().zip(who.as_ref());
                let harm = both.map_or(Harm::All, |(by, who)| teamplay::harm(world, by, who, &means));
                let given = self.given();
                let followed = self.slots.get_mut(victim);
                let revived = followed.and_then(|it| it.revived(given, now));
                let revived = revived.map(|left| left.take(hurt.amount, harm, green));
                let left = self.slots.get_mut(victim).and_then(|it| it.left.as_mut());
                let doubted = left.as_ref().is_some_and(|left| left.is_guarded_from(harm) || left.health <= 0);
                let taken = hurt.cause.and(left).map(|left| left.take(hurt.amount, harm, green));
                let damage =
                    Damage { attacker: by, victim: who, amount: hurt.amount, taken, means: means.clone(), splash };
                let event = sink.event(source, Certainty::Stated, EventKind::Damage(damage));
                if doubted && matches!(harm, Harm::All | Harm::Certain) {
                    self.doubted.push(Doubted { victim, event, revived });
                } else {
                    self.tell(event, sink);
                }
            }
        }
    }

    /// Tells the damage done to those who had a pentagram or were dead, when its moment is over.
    pub(super) fn no_longer_doubted(&mut self, now: DemoTime, sink: &mut Sink<'_>) {
        for doubted in std::mem::take(&mut self.doubted) {
            if doubted.event.clock.demo < now { self.died_again(doubted, sink) } else { self.doubted.push(doubted) }
        }
    }

    /// The same when the stats of the victim come: the pentagram may have ended just before, which nothing else tells, and
    /// the dead may have come back to life in this frame, before the damage. Who lives after it lost all of it.
    pub(super) fn doubt_ends(&mut self, slot: usize, before: Vitals, now: Vitals, sink: &mut Sink<'_>) {
        let all = std::mem::take(&mut self.doubted);
        let (mut of_slot, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|doubted| doubted.victim == slot);
        self.doubted = others;
        let appears = before.health <= 0 && now.health > 0;
        let lost = before.all().saturating_sub(now.all());
        let alone = of_slot.len() == 1;
        for doubted in &mut of_slot {
            let EventKind::Damage(damage) = &mut doubted.event.kind else { continue };
            // A point may be the fraction that messages leave out, or health above 100 that goes by itself.
            let more = damage.taken.is_some_and(|taken| (taken.saturating_add(2)..=damage.amount).contains(&lost));
            if appears {
                damage.taken = damage.taken.map(|_| damage.amount);
                doubted.revived = None;
            } else if alone && more {
                damage.taken = Some(lost);
            }
        }
        of_slot.into_iter().for_each(|doubted| self.died_again(doubted, sink));
    }

    /// Tells damage behind which the victim was not alive: of one who had been dead it took what there was, if a death was
    /// told at that moment. Whoever is dead does not die.
    pub(super) fn died_again(&mut self, doubted: Doubted, sink: &mut Sink<'_>) {
        let Doubted { victim, mut event, revived } = doubted;
        let died = self.slots.get(victim).is_some_and(|it| it.mourned == Some(event.clock.demo));
        if let (EventKind::Damage(damage), Some(taken)) = (&mut event.kind, revived.filter(|_| died)) {
            damage.taken = damage.taken.map(|_| taken);
        }
        self.tell(event, sink);
    }

    /// What everybody is given who appears.
    fn given(&self) -> Vitals {
        let seen = self.given.filter(|(of, _)| *of == self.begun).map(|(_, given)| given);
        seen.unwrap_or(Vitals::GIVEN)
    }

    /// What did the damage that killed, where the text does not say: texts about team mates name no weapon, messages about
    /// damage do. It is what hit last, within the moment of the death. Gives the weapon, empty for none, and the means.
    pub(super) fn deadly_hit(
        &self,
        attacker: Option<usize>,
        victim: usize,
        at: DemoTime,
    ) -> Option<(&'static str, &'static str)> {
        let of_both = |hit: &&Hit| hit.attacker == attacker && hit.victim == victim;
        let near = |hit: &&Hit| (hit.at.0 - at.0).abs() <= MOMENT;
        let mut last = self.hits.iter().rev().filter(of_both).filter(near).filter_map(|hit| hit.means);
        let means = last.find(|means| !matches!(*means, "" | "unknown"))?;
        let weapon = if means == "discharge" { "lightning_gun" } else { means };
        Some((Game::Quake.weapon_bit(weapon).map_or("", |_| weapon), means))
    }
}

impl Followed {
    /// What is left of what one is given who appears, for one who was dead by the stats that came in front of this moment.
    fn revived(&mut self, given: Vitals, now: DemoTime) -> Option<&mut Vitals> {
        self.had.filter(|had| had.health <= 0 && self.died != Some(now))?;
        let revived = self.revived.take().filter(|(at, _)| *at == now).unwrap_or((now, given));
        Some(&mut self.revived.insert(revived).1)
    }
}

/// Damage of which the stats of the victim may tell more.
#[derive(Debug)]
pub(super) struct Doubted {
    victim: usize,
    pub(super) event: Event,
    /// What it took if the victim, who was dead, had come back to life in this frame.
    revived: Option<i32>,
}

/// Damage that was done to a player, by another or by the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) at: DemoTime,
    pub(super) attacker: Option<usize>,
    pub(super) victim: usize,
    /// By what, where that is told.
    means: Option<&'static str>,
}

/// How much of 100 green armour takes: more in KTX's Yawn mode (`armor_touch` of its `items.c`).
fn share_of_green(world: &World) -> i64 {
    if world.mode_words().any(|word| word == b"yw") { 40 } else { 30 }
}

/// The bit of a cause for a blast that did not hit by itself.
const SPLASH: u16 = 0x8000;

/// What the server's KTX numbers as causes of death, from 0. The fourth telefrag came with `spawnicide`, in 1.47: recordings of 1.42 and
/// 1.44 have numbers without it, of `kill` in the console and of what doors crush.
fn causes(world: &World) -> &'static [&'static str] {
    let version = info_value(world.serverinfo(), "ktxver").and_then(|version| std::str::from_utf8(version).ok());
    let mut numbers = version.unwrap_or_default().split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let version = numbers.next().zip(numbers.next());
    if version.is_some_and(|version| version < (1, 47)) { &OLDER_CAUSES } else { &CAUSES }
}

const CAUSES: [&str; 29] = [
    "",
    "axe",
    "shotgun",
    "super_shotgun",
    "nailgun",
    "super_nailgun",
    "grenade_launcher",
    "rocket_launcher",
    "lightning_gun",
    "discharge",
    "discharge",
    "hook",
    "changelevel",
    "lava",
    "slime",
    "water",
    "fall",
    "stomp",
    "telefrag",
    "telefrag_deflected",
    "telefrag_deflected",
    "telefrag",
    "explobox",
    "laser",
    "fireball",
    "squish",
    "trigger",
    "suicide",
    "unknown",
];

const OLDER_CAUSES: [&str; 28] = {
    let mut older = [""; 28];
    let mut number = 0;
    while number < older.len() {
        older[number] = CAUSES[if number < SPAWNICIDE { number } else { number + 1 }];
        number += 1;
    }
    older
};

/// The number of the fourth telefrag.
const SPAWNICIDE: usize = 21;

#[cfg(test)]
mod tests {
    use super::*;

    /// Red armour takes eight of ten, rounded up, and no more than there is.
    #[test]
    fn harm_takes_what_there_is() {
        let mut had = Vitals { health: 100, armor: 20, items: 1 << 15 };
        assert_eq!((had.take(11, Harm::All, 30), had.health, had.armor), (11, 98, 11));
        assert_eq!((had.take(120, Harm::All, 30), had.health, had.armor), (109, 0, 0));
        assert_eq!(had.take(50, Harm::All, 30), 0);
        let mut had = Vitals { health: 100, armor: 100, items: 1 << 13 };
        assert_eq!((had.take(9999, Harm::All, 30), had.health, had.armor), (200, 0, 0));
        let mut had = Vitals { health: 100, armor: 50, items: 1 << 14 | PENTAGRAM };
        assert_eq!((had.take(30, Harm::All, 30), had.health, had.armor), (18, 100, 32));
        let mut had = Vitals { health: 100, armor: 100, items: 1 << 13 };
        assert_eq!(
            (had.take(9, Harm::Nothing, 30), had.take(9, Harm::Armor, 30), had.health, had.armor),
            (0, 3, 100, 97)
        );
        // More of it in KTX's Yawn mode; `kill` in the console takes all whatever protects.
        let mut had = Vitals { health: 100, armor: 100, items: 1 << 13 };
        assert_eq!((had.take(30, Harm::All, 40), had.health, had.armor), (30, 82, 88));
        let mut had = Vitals { health: 100, armor: 50, items: 1 << 14 | PENTAGRAM };
        assert_eq!((had.take(9999, Harm::Certain, 30), had.health, had.armor), (150, 0, 0));
        let mut had = Vitals { health: 1000, ..Vitals::default() };
        assert_eq!((had.take(9999, Harm::All, 30), had.health), (100, 0));
        assert_eq!(
            (OLDER_CAUSES[20..22].join(" "), OLDER_CAUSES[26]),
            ("telefrag_deflected explobox".into(), "suicide")
        );
        assert_eq!(Vitals { health: -20, armor: -1, items: 1 << 15 }.take(i32::MIN, Harm::All, 30), 0);
    }
}
