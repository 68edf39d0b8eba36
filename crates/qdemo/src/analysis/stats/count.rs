//! Counting: what happens, in the rows of those to whom it happens.

use super::fact::Fact;
use super::measure::{ItemMeasure, Measure, WeaponMeasure};
use super::period::Period;
use super::player::Player;
use super::quake3;
use super::watch::SeenPlayer;
use crate::event::{Damage, FlagAction, Frag, FragKind, PlayerRef};
use crate::game::quake3::names::WEAPONS as QUAKE3_WEAPONS;
use crate::world::DemoTime;

/// The weapon with which a cause of damage harms; empty for none.
fn weapon_of(means: &str) -> &str {
    match means {
        "discharge" => "lightning_gun",
        name if is_weapon(name) => name,
        _ => "",
    }
}

pub(super) fn is_weapon(name: &str) -> bool {
    const QUAKE: [&str; 3] = ["axe", "super_shotgun", "super_nailgun"];
    QUAKE.contains(&name) || QUAKE3_WEAPONS.iter().skip(1).any(|weapon| *weapon == name)
}

impl Period {
    pub(super) fn count(&mut self, fact: Fact) {
        match fact {
            Fact::Frag(frag, at) => self.frag(&frag, at),
            Fact::Holds(slot, all, at) => self.in_slot(slot).into_iter().for_each(|player| player.holds(&all, at)),
            Fact::Pickup(who, item) => self.item(&who, &item, WeaponMeasure::Pickups),
            Fact::Drop(who, item) => self.item(&who, &item, WeaponMeasure::Drops),
            Fact::Damage(damage) => self.damage(&damage),
            Fact::Flag { team, action, player, at } => self.flag(&team, action, player.as_ref(), at),
            Fact::Rests(at) => self.players.iter_mut().for_each(|player| player.lets_all_go(at)),
            Fact::Shots(slot, weapon, [shots, hits]) => {
                let weapon = self.in_slot(slot).and_then(|p| p.counted.weapon_mut(weapon));
                if let Some(weapon) = weapon.filter(|_| shots > 0 || hits > 0) {
                    weapon.set(WeaponMeasure::Shots, shots);
                    weapon.set(WeaponMeasure::Hits, hits);
                }
            }
            Fact::Comes(who, now) => self.comes(&who, now),
            Fact::Goes(slot, now) => self.goes(slot, now),
            Fact::Rename(slot, from, who) => {
                let named = |p: &&mut Player| p.who.slot == Some(slot) && p.who.name == from;
                if let Some(player) = self.players.iter_mut().find(named) {
                    player.who = who;
                }
            }
            Fact::Standing(SeenPlayer { who, score, ping, in_view }) => {
                let Some(player) = self.players.iter_mut().find(|p| p.is(&who)) else { return };
                player.came_into_view |= in_view;
                for (measure, value) in [(Measure::Score, score), (Measure::Ping, ping)] {
                    if let Some(value) = value {
                        player.counted.set(measure, value.into());
                    }
                }
            }
            Fact::Score(who, to) => {
                if let Some(player) = self.players.iter_mut().find(|p| p.is(&who)) {
                    player.counted.set(Measure::Score, to.into());
                }
            }
            Fact::Reported(source, reported, seen, now) => quake3::report(self, source, &reported, seen, now),
        }
    }

    fn flag(&mut self, team: &str, action: FlagAction, player: Option<&PlayerRef>, at: DemoTime) {
        // Whatever happens to a flag, whoever carried it does so no longer: one that goes home from a carrier who dies where
        // nothing may lie is returned by nobody.
        let carries = |player: &&mut Player| player.flag.as_ref().is_some_and(|(flag, _)| **flag == *team);
        self.players.iter_mut().filter(carries).for_each(|player| player.flag_ends(at));
        let measure = match action {
            FlagAction::Taken => Measure::FlagsTaken,
            FlagAction::Dropped => Measure::FlagsDropped,
            FlagAction::Returned => Measure::FlagsReturned,
            FlagAction::Captured => Measure::Captures,
        };
        if let Some(player) = player.and_then(|who| self.player(who)) {
            player.counted.add(measure, 1);
            if action == FlagAction::Taken {
                player.flag_begins(team, at);
            }
        }
    }

    fn frag(&mut self, frag: &Frag, at: DemoTime) {
        // Whoever changes teams is taken out of the game by a death that no game counts: Quake Live names it. The means of the
        // base game are those of giving up, and it counts that.
        if frag.means == "switch_teams" {
            if let Some(player) = self.player(&frag.victim) {
                player.run = 0;
            }
            return;
        }
        let (killer, victim, weapons) = match frag.kind {
            FragKind::Kill => (Some(Measure::Kills), None, [Some(WeaponMeasure::Kills), Some(WeaponMeasure::Deaths)]),
            FragKind::TeamKill => {
                (Some(Measure::TeamKills), Some(Measure::TeamDeaths), [Some(WeaponMeasure::TeamKills), None])
            }
            FragKind::Suicide => (None, Some(Measure::Suicides), [None, Some(WeaponMeasure::Suicides)]),
            FragKind::World => (None, Some(Measure::WorldDeaths), [None, None]),
        };
        let victim_had: Vec<Box<str>> = match frag.kind {
            FragKind::Kill => self.player(&frag.victim).into_iter().flat_map(|it| it.had(at)).map(Box::from).collect(),
            _ => Vec::new(),
        };
        if let (Some(measure), Some(player)) = (killer, frag.attacker.as_ref().and_then(|who| self.player(who))) {
            player.counted.add(measure, 1);
            if measure == Measure::Kills {
                player.run += 1;
                let best = player.counted.get(Measure::Streak).unwrap_or(0).max(player.run);
                player.counted.set(Measure::Streak, best);
                player.counted.add(Measure::Telefrags, i64::from(frag.means == "telefrag"));
                player.counted.add(Measure::WeaponKills, i64::from(!frag.weapon.is_empty()));
                player.kills_with(at);
                for weapon in victim_had.iter().filter(|name| is_weapon(name)) {
                    if let Some(weapon) = player.counted.weapon_mut(weapon) {
                        weapon.add(WeaponMeasure::OwnersKilled, 1);
                    }
                }
            }
            if let (Some(measure), Some(weapon)) = (weapons[0], player.counted.weapon_mut(&frag.weapon)) {
                weapon.add(measure, 1);
            }
        }
        let killer = frag.attacker.as_ref().map(|who| self.seat(who));
        if let Some(player) = self.player(&frag.victim) {
            player.counted.add(Measure::Deaths, 1);
            if killer != Some(None) {
                *player.killed_by.entry(killer.flatten()).or_default() += 1;
            }
            if let Some(measure) = victim {
                player.counted.add(measure, 1);
            }
            if frag.kind == FragKind::Kill {
                player.counted.add(Measure::WeaponDeaths, i64::from(!frag.weapon.is_empty()));
            }
            player.run = 0;
            if let (Some(measure), Some(weapon)) = (weapons[1], player.counted.weapon_mut(&frag.weapon)) {
                weapon.add(measure, 1);
            }
        }
    }

    fn item(&mut self, who: &PlayerRef, item: &str, what: WeaponMeasure) {
        let Some(player) = self.player(who) else { return };
        if is_weapon(item) {
            if let Some(weapon) = player.counted.weapon_mut(item) {
                weapon.add(what, 1);
            }
        } else if what == WeaponMeasure::Pickups {
            player.takes_again(item);
            if let Some(item) = player.counted.item_mut(item) {
                item.add(ItemMeasure::Taken, 1);
            }
        }
    }

    fn damage(&mut self, damage: &Damage) {
        let amount = i64::from(damage.taken.unwrap_or(damage.amount));
        let same_slot = |a: &PlayerRef, b: &PlayerRef| a.slot.is_some() && a.slot == b.slot;
        let (taken, given) = match (&damage.attacker, &damage.victim) {
            (Some(attacker), Some(victim)) if same_slot(attacker, victim) => (None, Some(Measure::DamageSelf)),
            (Some(attacker), Some(victim)) if self.mates(attacker, victim) => (None, Some(Measure::DamageTeam)),
            (Some(_), Some(_)) => (Some(Measure::DamageTaken), Some(Measure::DamageGiven)),
            // The cause is told, and so that it was nobody.
            (None, Some(_)) if !damage.means.is_empty() => (Some(Measure::DamageWorld), None),
            (None, Some(_)) => (Some(Measure::DamageTaken), None),
            _ => return,
        };
        let weapon = weapon_of(&damage.means);
        if let (Some(measure), Some(player)) = (given, damage.attacker.as_ref().and_then(|who| self.player(who))) {
            player.counted.add(measure, amount);
            let of_weapon = match measure {
                Measure::DamageGiven => Some(WeaponMeasure::Damage),
                Measure::DamageTeam => Some(WeaponMeasure::DamageTeam),
                _ => None,
            };
            if let Some((measure, weapon)) = of_weapon.zip(player.counted.weapon_mut(weapon)) {
                weapon.add(measure, amount);
            }
        }
        if let (Some(measure), Some(player)) = (taken, damage.victim.as_ref().and_then(|who| self.player(who))) {
            player.counted.add(measure, amount);
        }
    }

    /// True for two of one team, in a game of teams.
    fn mates(&self, a: &PlayerRef, b: &PlayerRef) -> bool {
        self.in_teams && a.team.as_ref().is_some_and(|team| !team.is_empty()) && a.team == b.team
    }
}

impl Player {
    pub(super) fn is(&self, who: &PlayerRef) -> bool {
        self.who.slot == who.slot && self.who.name_raw == who.name_raw
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::analysis::stats::outcome::Standing;
    use std::collections::BTreeMap;

    use crate::analysis::stats::{PeriodKind, ktx};
    use crate::world::{Charset, Clock, ClockKind};

    fn who(slot: usize, name: &str, team: &str) -> PlayerRef {
        let named = PlayerRef::named(name.as_bytes(), Charset::Quake);
        PlayerRef { slot: Some(slot), team: Some(team.to_owned()), ..named }
    }

    fn clock(ms: i64) -> Clock {
        Clock { kind: ClockKind::Recording, now: None, frame: None, demo: DemoTime::from_ms(ms) }
    }

    fn period() -> Period {
        Period { in_teams: true, shows_all: true, ..Period::new(PeriodKind::Match, 0, "dm6".to_owned(), clock(0)) }
    }

    fn frag(attacker: Option<&PlayerRef>, victim: &PlayerRef, kind: FragKind, weapon: &'static str) -> Fact {
        let frag = Frag {
            attacker: attacker.cloned(),
            victim: victim.clone(),
            weapon: Cow::Borrowed(weapon),
            means: Cow::Borrowed(weapon),
            kind,
            attacker_origin: None,
            victim_origin: None,
        };
        Fact::Frag(frag, DemoTime(0))
    }

    /// Whoever changes teams is taken out of the game by a death that no game counts.
    #[test]
    fn who_killed_whom_sums_up_to_the_deaths() {
        let (a, b, nobody) = (who(0, "a", "red"), who(1, "b", "blue"), PlayerRef::named(b"", Charset::Quake));
        let Fact::Frag(switches, at) = frag(Some(&b), &b, FragKind::Suicide, "") else { panic!("a frag") };
        let switches = Fact::Frag(Frag { means: Cow::Borrowed("switch_teams"), ..switches }, at);
        let mut period = period();
        for fact in [
            frag(Some(&a), &b, FragKind::Kill, "axe"),
            switches,
            frag(Some(&a), &b, FragKind::Kill, "axe"),
            frag(Some(&b), &b, FragKind::Suicide, "rocket_launcher"),
            frag(None, &b, FragKind::World, ""),
            frag(Some(&nobody), &b, FragKind::Kill, ""),
        ] {
            period.count(fact);
        }
        let number = |name: &str| period.players.iter().find(|p| p.who.name == name).unwrap().number;
        let victim = period.players.iter().find(|p| p.who.name == "b").unwrap();
        let told = [(None, 1), (Some(number("a")), 2), (Some(number("b")), 1)];
        assert_eq!(victim.killed_by, BTreeMap::from(told));
        assert_eq!(victim.counted.get(Measure::Deaths), Some(5), "one by somebody of whom nothing is told");
    }

    /// A duel with a mate on each side, told line by line.
    #[test]
    fn deaths_are_counted_for_both() {
        let (a, b, c) = (who(0, "a", "red"), who(1, "b", "blue"), who(2, "c", "red"));
        let mut period = period();
        for fact in [
            Fact::Comes(a.clone(), DemoTime(0)),
            Fact::Comes(b.clone(), DemoTime(0)),
            Fact::Comes(c.clone(), DemoTime::from_ms(4000)),
            frag(Some(&a), &b, FragKind::Kill, "rocket_launcher"),
            frag(Some(&a), &b, FragKind::Kill, "lightning_gun"),
            frag(Some(&a), &c, FragKind::TeamKill, "rocket_launcher"),
            frag(Some(&b), &a, FragKind::Kill, "axe"),
            frag(Some(&a), &b, FragKind::Kill, "rocket_launcher"),
            frag(Some(&b), &b, FragKind::Suicide, "rocket_launcher"),
            frag(None, &c, FragKind::World, ""),
        ] {
            period.count(fact);
        }
        period.close(clock(10_000), DemoTime::from_ms(10_000));
        period.finish(false, &Standing::default());
        let numbers = |name: &str, measures: &[Measure]| -> Vec<i64> {
            let player = period.players.iter().find(|p| p.who.name == name).unwrap();
            measures.iter().map(|m| player.counted.get(*m).unwrap()).collect()
        };
        use Measure::{Deaths, Frags, Killed, Kills, OwnDeaths, Streak, Suicides, TeamDeaths, TeamKills, TimeMs};
        let all = [Frags, Kills, Deaths, Suicides, TeamKills, TeamDeaths, OwnDeaths, Killed, Streak, TimeMs];
        assert_eq!(numbers("a", &all), [2, 3, 1, 0, 1, 0, 0, 1, 2, 10_000]);
        assert_eq!(numbers("b", &all), [0, 1, 4, 1, 0, 0, 1, 3, 1, 10_000]);
        assert_eq!(numbers("c", &all), [-1, 0, 2, 0, 0, 1, 1, 1, 0, 6_000]);
        assert_eq!(period.players[0].counted.efficiency(), Some(75.0));
        let red = &period.teams[0];
        assert_eq!((red.name.as_str(), red.counted.get(Kills), red.counted.get(Frags)), ("red", Some(3), Some(1)));
        let rocket = red.counted.weapon("rocket_launcher").unwrap();
        assert_eq!((rocket.get(WeaponMeasure::Kills), rocket.get(WeaponMeasure::TeamKills)), (Some(2), Some(1)));
        assert_eq!(rocket.get(WeaponMeasure::Deaths), None);
    }

    /// KTX's own numbers leave out what is 0.
    #[test]
    fn flags_are_counted() {
        let (a, b) = (who(0, "a", "red"), who(1, "b", "blue"));
        let mut period = period();
        period.count(Fact::Comes(a.clone(), DemoTime(0)));
        period.count(Fact::Comes(b.clone(), DemoTime(0)));
        use FlagAction::{Captured, Dropped, Returned, Taken};
        let flag = |team, action, player: Option<&PlayerRef>, ms| Fact::Flag {
            team: Cow::Borrowed(team),
            action,
            player: player.cloned(),
            at: DemoTime::from_ms(ms),
        };
        for (n, action) in [Taken, Dropped, Taken, Captured].into_iter().enumerate() {
            period.count(flag("blue", action, Some(&a), n as i64 * 100));
        }
        period.count(flag("red", Taken, Some(&b), 1000));
        period.count(flag("blue", Taken, Some(&a), 2000));
        // The blue flag goes home from its carrier, and a kills who has the red one, and returns it.
        period.count(flag("blue", Returned, None, 2500));
        period.count(flag("red", Dropped, Some(&b), 4000));
        period.count(flag("red", Returned, Some(&a), 5000));
        let text = br#"{"players": [{"name": "a", "ctf": {"points": 16, "caps": 1, "pickups": 4, "returns": 1}}]}"#;
        ktx::report(&mut period, text, DemoTime::from_ms(9500));
        period.close(clock(10_000), DemoTime::from_ms(10_000));
        period.finish(false, &Standing::default());
        let a = period.players.iter().find(|p| p.who.name == "a").unwrap();
        use Measure::{Captures, FlagTimeMs, FlagsDropped, FlagsReturned, FlagsTaken};
        assert_eq!(
            [FlagsTaken, FlagsDropped, FlagsReturned, Captures, FlagTimeMs].map(|m| a.counted.get(m)),
            [3, 1, 1, 1, 100 + 100 + 500].map(Some)
        );
        let b = period.players.iter().find(|p| p.who.name == "b").unwrap();
        assert_eq!(b.counted.get(FlagTimeMs), Some(3000));
        let named: Vec<_> = a.differences.iter().map(|d| (d.what.as_str(), d.counted, d.reported)).collect();
        assert_eq!(named, [("flags_taken", 3, 4)]);
        let red = period.teams.iter().find(|team| team.name == "red").unwrap();
        assert_eq!(red.counted.get(FlagsTaken), Some(3));
    }

    #[test]
    fn a_player_is_one_whatever_the_slot_and_the_name() {
        let mut period = period();
        let (a, b) = (who(0, "a", ""), who(0, "b", ""));
        period.count(Fact::Comes(a.clone(), DemoTime(0)));
        period.count(frag(Some(&a), &who(5, "x", ""), FragKind::Kill, "axe"));
        period.count(Fact::Goes(0, DemoTime::from_ms(1000)));
        // Another takes the slot; whoever left comes back to another one, and takes another name.
        period.count(Fact::Comes(b.clone(), DemoTime::from_ms(2000)));
        let back = who(3, "a", "");
        period.count(Fact::Comes(back.clone(), DemoTime::from_ms(3000)));
        period.count(Fact::Shots(3, "axe", [7, 2]));
        period.count(Fact::Rename(3, "a".to_owned(), who(3, "ace", "")));
        period.count(frag(Some(&who(3, "ace", "")), &b, FragKind::Kill, "axe"));
        period.close(clock(4000), DemoTime::from_ms(4000));
        period.finish(false, &Standing::default());
        let rows: Vec<_> = period
            .players
            .iter()
            .map(|p| (p.who.name.as_str(), p.who.slot, p.counted.get(Measure::Kills), p.counted.get(Measure::TimeMs)))
            .collect();
        assert_eq!(
            rows,
            [
                ("ace", Some(3), Some(2), Some(2000)),
                ("b", Some(0), Some(0), Some(2000)),
                ("x", Some(5), Some(0), Some(0)),
            ]
        );
        assert_eq!(period.players[0].counted.weapon("axe").unwrap().get(WeaponMeasure::Shots), Some(7));
    }

    /// Whoever is there for a moment and does nothing has not played.
    #[test]
    fn who_only_comes_by_has_no_row() {
        let names = ["stays", "comes_by", "kills", "plays", "late"];
        let all: Vec<_> = names.iter().enumerate().map(|(slot, name)| who(slot, name, "")).collect();
        let mut period = period();
        let at = DemoTime::from_ms;
        for (who, [from, to]) in all.iter().zip([[0, 10_000], [0, 1000], [0, 1000], [0, 3000], [9500, 10_000]]) {
            period.count(Fact::Comes(who.clone(), at(from)));
            if to < 10_000 {
                period.count(Fact::Goes(who.slot.unwrap(), at(to)));
            }
        }
        period.count(frag(Some(&all[2]), &all[0], FragKind::Kill, "axe"));
        period.close(clock(10_000), at(10_000));
        period.finish(false, &Standing::default());
        let mut rows: Vec<_> = period.players.iter().map(|player| &*player.who.name).collect();
        rows.sort_unstable();
        assert_eq!(rows, ["kills", "late", "plays", "stays"]);
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut period = period();
        for n in 0..2000 {
            period.count(Fact::Comes(who(n, &format!("{n}"), ""), DemoTime(0)));
            period.count(Fact::Pickup(who(0, "0", ""), Cow::Owned(format!("item_{n}"))));
        }
        assert!(period.players.len() < 300 && period.players[0].counted.items().count() < 300);
    }

    /// What KTX writes, as far as it matters; b's name has a gold letter, a byte for each character.
    #[test]
    fn what_differs_from_the_game_is_named() {
        let b = PlayerRef { slot: Some(1), ..PlayerRef::named(b"\xE2", Charset::Quake) };
        let a = who(0, "a", "");
        let mut period = period();
        period.count(Fact::Comes(a.clone(), DemoTime(0)));
        period.count(Fact::Comes(b.clone(), DemoTime(0)));
        period.count(frag(Some(&a), &b, FragKind::Kill, "rocket_launcher"));
        period.count(Fact::Pickup(a.clone(), Cow::Borrowed("red_armor")));
        let text = br#"{"players": [
            {"name": "a", "ping": 30, "stats": {"kills": 2, "deaths": 0, "suicides": 0, "tk": 0},
             "weapons": {"rl": {"acc": {"attacks": 9, "hits": 1}, "kills": {"total": 1}}, "bow": {}},
             "items": {"ra": {"took": 2}, "q": {"took": 0}}},
            {"name": "\u00E2", "stats": {"kills": 0, "deaths": 1}}, {"name": "nobody"}, 7]}"#;
        ktx::report(&mut period, text, DemoTime::from_ms(9500));
        ktx::report(&mut period, b"no json", DemoTime::from_ms(9600));
        period.close(clock(10_000), DemoTime::from_ms(10_000));
        period.finish(false, &Standing::default());
        let (a, b) = (&period.players[0], &period.players[1]);
        assert_eq!((period.players.len(), period.is_reported(a), b.reported.get(Measure::Deaths)), (2, true, Some(1)));
        let named: Vec<_> = a.differences.iter().map(|d| (d.what.as_str(), d.counted, d.reported)).collect();
        assert_eq!(named, [("kills", 1, 2), ("red_armor", 1, 2)]);
        assert_eq!(b.differences, []);
        // The same, told in the middle of the part.
        let mut long = period.clone();
        long.players.iter_mut().for_each(|p| p.differences.clear());
        long.close(clock(60_000), DemoTime::from_ms(60_000));
        long.finish(false, &Standing::default());
        assert!(long.players.iter().all(|p| p.differences.is_empty()) && !long.is_reported(&long.players[0]));
    }

    /// Numbers without names, and lists and values without commas, as older versions of KTX wrote them.
    #[test]
    fn older_reports_of_ktx() {
        let a = who(0, "a", "red");
        let mut period = period();
        period.count(Fact::Comes(a.clone(), DemoTime(0)));
        let text = br#"{ "version": 3
            "date": "a 1 2 \"b\" c", "players": [{"name": "a", "stats": [5, 1, 0, 2], "dmg": [10, 20, 3, 4, 5, 6],
             "spree": [4 1], "weapons": {"rl": {"acc": [9, 1, 2, 3], "kills": [4, 0, 1], "pickups": [2, 3, 4]}},
             "items": {"ra": [2, 0], "q": [1, 30]}, "ctf": {"defends": [3, 4], "frags": 5, "runes": [10 0 0 20]},
             "ra": [1, 0]}]}"#;
        ktx::report(&mut period, text, DemoTime::from_ms(9500));
        period.close(clock(10_000), DemoTime::from_ms(10_000));
        period.finish(false, &Standing::default());
        let told = &period.players[0].reported;
        use Measure::{CarrierDefends, CarrierFrags, Deaths, Defends, RoundsWon, Score, SpawnFrags, Streak};
        let measures = [Score, Deaths, SpawnFrags, Streak, Defends, CarrierDefends, CarrierFrags, RoundsWon];
        assert_eq!(measures.map(|m| told.get(m)), [5, 1, 2, 4, 3, 4, 5, 1].map(Some));
        assert_eq!([Measure::DamageGiven, Measure::DamageToArmed].map(|m| told.get(m)), [20, 6].map(Some));
        use WeaponMeasure::{Drops, HitsNear, OwnersKilled, Pickups, Shots};
        let rockets = told.weapon("rocket_launcher").unwrap();
        assert_eq!([Shots, HitsNear, OwnersKilled, Drops, Pickups].map(|m| rockets.get(m)), [9, 3, 1, 2, 3].map(Some));
        assert_eq!(["red_armor", "quad"].map(|item| told.taken(item)), [2, 1].map(Some));
        let time = |item| told.item(item).and_then(|it| it.get(ItemMeasure::TimeMs));
        assert_eq!(
            ["quad", "rune_of_resistance", "rune_of_regeneration"].map(time),
            [30_000, 10_000, 20_000].map(Some)
        );
    }

    #[test]
    fn shots_as_ktx_tells_them() {
        assert_eq!(ktx::shots(b"//wps 4 rl 50 10"), Some((4, "rocket_launcher", [50, 10])));
        for no in ["//wps 4 rl 50", "//wps x rl 1 1", "//wps 4 bow 1 1", "//wps 4 rl -1 1", "wps 4 rl 1 1", ""] {
            assert_eq!(ktx::shots(no.as_bytes()), None, "{no}");
        }
    }
}
