//! What is counted, each number defined once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::json::{Decimal, decimal, numbers_of, row};
use crate::kinds::kinds;

/// Hands every number about a player to a macro: variant, name, unit, meaning, and its range where that is not the usual one
/// of the unit. First those that both sides may have, with
/// whether both can be compared, then those that are only counted, then those that only games report.
macro_rules! measures {
    ($then:ident $($more:tt)*) => {
        $then! { $($more)*
            both {
                Score = "score", "", Same, "The score as the game counts it, when it was told last." within SCORE;
                Kills = "kills", "", Same, "Enemies killed.";
                Deaths = "deaths", "", Same, "Deaths, whatever the cause, but for those by which Quake Live takes out of the game whoever changes teams.";
                Suicides = "suicides", "", Same, "Deaths by own doing.";
                TeamKills = "team_kills", "", Same, "Team mates killed.";
                TeamDeaths = "team_deaths", "", Same, "Deaths by team mates.";
                Killed = "killed", "", Same, "Deaths by other players, team mates among them.";
                OwnDeaths = "own_deaths", "", Same, "Deaths by nobody else: suicides and those by the world.";
                WeaponKills = "weapon_kills", "", Same, "Enemies killed with a weapon: not by telefrags. CPMA counts so.";
                EnemyDeaths = "enemy_deaths", "", Same, "Deaths by enemies, not by team mates. OSP counts so.";
                WeaponDeaths = "weapon_deaths", "", Same, "Deaths by weapons of enemies: not by telefrags. CPMA counts so.";
                KillsAndSuicides = "kills_and_suicides", "", Same,
                    "Enemies killed and suicides: some versions of Quake Live's duels count so.";
                Telefrags = "telefrags", "", Same, "Enemies killed by arriving where they stood.";
                Streak = "streak", "", Same, "Most kills in a row without a death between.";
                DamageGiven = "damage_given", "", Same, "Damage to enemies.";
                DamageTaken = "damage_taken", "", Same,
                    "Damage by enemies; where it is not told who did it, all damage.";
                DamageTeam = "damage_team", "", Same, "Damage to team mates.";
                DamageSelf = "damage_self", "", Same, "Damage to the player's own.";
                FlagsTaken = "flags_taken", "", Same, "Flags of the enemy taken, from their place or on the way.";
                FlagsReturned = "flags_returned", "", Same, "Flags of the own team returned.";
                Captures = "captures", "", Same, "Flags brought home. Ours of all these where it is told by whom.";
                Ping = "ping", "ms", Different, "Round trip time: ours is the last that was told, KTX tells the average."
                    within PING;
            }
            counted {
                Frags = "frags", "",
                    "Kills less team kills, suicides and deaths by the world: the score by the usual rule." within SCORE;
                DamageWorld = "damage_world", "", "Damage by the world, where it is told apart.";
                WorldDeaths = "world_deaths", "", "Deaths by the world: lava, falls, traps.";
                FlagsDropped = "flags_dropped", "", "Flags lost or given away.";
                FlagTimeMs = "flag_time_ms", "ms", "How long the player carried a flag.";
                TimeMs = "time_ms", "ms", "How long the player played.";
            }
            reported {
                Accuracy = "accuracy", "%", "Hits of 100 shots.";
                Minutes = "minutes", "min", "How long the player has been there.";
                ArmorTaken = "armor_taken", "", "Armour picked up, in points.";
                HealthTaken = "health_taken", "", "Health picked up, in points.";
                SpawnFrags = "spawn_frags", "", "Players killed as they appeared.";
                DamageToArmed = "damage_to_armed", "", "Damage to enemies who had a rocket launcher or a lightning gun.";
                DamageToArmedMates = "damage_to_armed_mates", "", "The same, to team mates.";
                DamagePerDeath = "damage_per_death", "", "Damage taken for each death; none without a death.";
                ControlMs = "control_ms", "ms", "How long the player was in control of the map, as KTX judges it.";
                SpeedMax = "speed_max", "units/s", "The highest speed, in whole units.";
                SpeedAverage = "speed_average", "units/s", "The average speed, in whole units.";
                Handicap = "handicap", "%", "Share of the damage that the player does, where it is not all." within COUNT;
                BotSkill = "bot_skill", "", "Skill of a bot; nothing for people.";
                RoundsWon = "rounds_won", "", "Rounds won: HoonyMode, Rocket Arena.";
                RoundsLost = "rounds_lost", "", "Rounds lost.";
                FlagPoints = "flag_points", "", "Points of the score that are for flags.";
                CarrierDefends = "carrier_defends", "", "Awards for defending who carries a flag.";
                CarrierFrags = "carrier_frags", "", "Players killed who carried a flag.";
                Midairs = "midairs", "", "Rockets that hit players in the air, in midair games.";
                AirGibs = "air_gibs", "", "Players killed in the air, in instagib games.";
                RocketDamage = "rocket_damage", "", "Damage by rockets.";
                RocketDirectHits = "rocket_direct_hits", "", "Rockets that hit a player themselves.";
                Impressive = "impressive", "", "Awards for two railgun hits in a row.";
                Excellent = "excellent", "", "Awards for two kills within two seconds.";
                GauntletAwards = "gauntlet_awards", "", "Awards for kills with the gauntlet.";
                Defends = "defends", "", "Awards for defending.";
                Assists = "assists", "", "Awards for assisting.";
                Perfect = "perfect", "", "1 for whoever is first and has not died.";
                Thaws = "thaws", "", "Team mates thawed.";
                BestWeaponAccuracy = "best_weapon_accuracy", "%", "Hits of 100 shots with the weapon that killed most.";
            }
        }
    };
}
pub(crate) use measures;

/// The same for what is counted for each weapon.
macro_rules! weapon_measures {
    ($then:ident $($more:tt)*) => {
        $then! { $($more)*
            both {
                Kills = "kills", "", Same, "Enemies killed with it.";
                Deaths = "deaths", "", Same, "Deaths by enemies with it.";
                TeamKills = "team_kills", "", Same, "Team mates killed with it.";
                Suicides = "suicides", "", Same, "Deaths by the player's own.";
                Shots = "shots", "", Same, "Shots: of shotguns pellets, of the lightning gun cells.";
                Hits = "hits", "", Same, "Hits, counted in the same way; of rockets and grenades direct hits in Quake.";
                Damage = "damage", "", Same, "Damage to enemies, as for the player.";
                Pickups = "pickups", "", Same, "How often the player took it from the map.";
                Drops = "drops", "", Different, "How often the player left it behind.";
                DamageTeam = "damage_team", "", Same, "Damage to team mates.";
                OwnersKilled = "owners_killed", "", Same, "Enemies killed who had it.";
            }
            counted {
                TimeMs = "time_ms", "ms", "How long the player had it.";
            }
            reported {
                AllPickups = "all_pickups", "", "How often the player took it, also when it was there already.";
                MapPickups = "map_pickups", "", "How often the player took it from its place on the map.";
                AllMapPickups = "all_map_pickups", "", "The same, also when it was there already.";
                Transfers = "transfers", "", "Backpacks with it that the player left for a team mate.";
                HitsWithBlast = "hits_with_blast", "", "Rockets or grenades that hurt enemies, directly or not.";
                HitsNear = "hits_near", "", "Those that would have hurt enemies, protected ones too.";
                KillsAndSuicides = "kills_and_suicides", "", "Enemies killed with it, and suicides.";
                Accuracy = "hit_rate", "%", "Hits of 100 shots, where neither is told.";
            }
        }
    };
}
pub(crate) use weapon_measures;

/// The same for what is counted for each item.
macro_rules! item_measures {
    ($then:ident $($more:tt)*) => {
        $then! { $($more)*
            both {
                Taken = "taken", "", Same, "How often the player took it.";
                TimeMs = "time_ms", "ms", Different, "How long the player had it. KTX tells whole seconds.";
                Streak = "streak", "", Same, "Most kills in a row with it, each time that it is taken anew.";
            }
            counted {
                Kills = "kills", "", "Enemies killed while the player had it.";
            }
            reported {
                DelayMs = "delay_ms", "ms", "How long it lay there, on average, before the player took it.";
            }
        }
    };
}
pub(crate) use item_measures;

/// Whether a number that was counted can be compared with the one that the game reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Both are defined alike: where they are not equal, that is a difference.
    Same,
    /// They are defined in different ways and stand beside each other.
    Different,
    /// Only one side has it.
    OneSided,
}

macro_rules! declare {
    (
        $(#[$meta:meta])* $ty:ident:
        both { $($id:ident = $name:literal, $unit:literal, $kin:ident, $doc:literal $(within $range:ident)?;)* }
        counted { $($our:ident = $our_name:literal, $our_unit:literal, $our_doc:literal $(within $our_range:ident)?;)* }
        reported { $($reported:ident = $told_name:literal, $told_unit:literal, $told_doc:literal $(within $told_range:ident)?;)* }
    ) => {
        kinds! {
            $(#[$meta])*
            pub enum $ty {
                $(#[doc = $doc] $id = $name,)*
                $(#[doc = $our_doc] $our = $our_name,)*
                $(#[doc = $told_doc] $reported = $told_name,)*
            }
        }

        impl $ty {
            /// Whether both can be compared.
            pub fn comparison(self) -> Comparison {
                match self {
                    $($ty::$id => Comparison::$kin,)*
                    $($ty::$our => Comparison::OneSided,)*
                    $($ty::$reported => Comparison::OneSided,)*
                }
            }
        }
    };
}

measures! { declare
    /// A number about a player.
    Measure:
}
weapon_measures! { declare
    /// A number about a player and a weapon.
    WeaponMeasure:
}

item_measures! { declare
    /// A number about a player and an item.
    ItemMeasure:
}

/// Numbers of each measure.
macro_rules! numbers {
    ($(#[$meta:meta])* $ty:ident of $measure:ident $(but $no_sum:ident)?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $ty([Option<i64>; $measure::ALL.len()]);

        impl $ty {
            /// A number; `None` where nothing tells it.
            pub fn get(&self, measure: $measure) -> Option<i64> {
                self.0.get(measure as usize).copied().flatten()
            }

            pub(in crate::analysis::stats) fn set(&mut self, measure: $measure, value: i64) {
                if let Some(place) = self.0.get_mut(measure as usize) {
                    *place = Some(value);
                }
            }

            pub(in crate::analysis::stats) fn add(&mut self, measure: $measure, more: i64) {
                self.set(measure, self.get(measure).unwrap_or(0).saturating_add(more));
            }

            /// What is known, by name.
            fn known(&self) -> impl Iterator<Item = (&'static str, Value)> + '_ {
                $measure::ALL.iter().filter_map(|measure| Some((measure.name(), json!(self.get(*measure)?))))
            }

            /// Takes over what is known of the other.
            fn replace(&mut self, other: &Self) {
                $measure::ALL.iter().for_each(|m| other.get(*m).into_iter().for_each(|value| self.set(*m, value)));
            }

            /// Adds what is known of the other, where sums mean something.
            fn add_all(&mut self, other: &Self) {
                for measure in $measure::ALL.iter()$(.filter(|m| **m != $measure::$no_sum))? {
                    other.get(*measure).into_iter().for_each(|value| self.add(*measure, value));
                }
            }
        }
    };
}

numbers! {
    /// Numbers about a player and a weapon.
    WeaponNumbers of WeaponMeasure
}
numbers! {
    /// Numbers about a player and an item.
    ItemNumbers of ItemMeasure but Streak
}

impl WeaponNumbers {
    /// Hits of 100 shots.
    pub fn accuracy(&self) -> Option<f32> {
        let shots = self.get(WeaponMeasure::Shots).filter(|shots| *shots > 0)?;
        percent(self.get(WeaponMeasure::Hits)?, shots)
    }
}

/// What is known, by name; `accuracy` with it.
impl Serialize for WeaponNumbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let accuracy = self.accuracy().map(|share| ("accuracy", json!(decimal(Some(share)))));
        serializer.collect_map(self.known().chain(accuracy))
    }
}

/// What is known, by name.
impl Serialize for ItemNumbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.known())
    }
}

impl JsonSchema for WeaponNumbers {
    fn schema_name() -> Cow<'static, str> {
        "WeaponNumbers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = numbers_of::<WeaponMeasure>(generator);
        if let Some(keys) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            keys.insert("accuracy".to_owned(), json!({"type": "number", "description": "Hits of 100 shots."}));
        }
        schema
    }
}

impl JsonSchema for ItemNumbers {
    fn schema_name() -> Cow<'static, str> {
        "ItemNumbers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        numbers_of::<ItemMeasure>(generator)
    }
}

/// With one digit behind the point.
fn percent(period: i64, all: i64) -> Option<f32> {
    (all > 0).then(|| ((period as f64 * 1000.0 / all as f64).round() / 10.0) as f32)
}

row! {
    /// Numbers about a player, or a team.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Numbers {
        #[serde(flatten, serialize_with = "by_name")]
        #[schemars(with = "ByName")]
        values: [Option<i64>; Measure::ALL.len()],
        /// Numbers for each weapon, by its name.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        weapons: BTreeMap<String, WeaponNumbers>,
        #[serde(skip)]
        items: BTreeMap<String, ItemNumbers>,
    }
    known |numbers| -> Beside {
        let taken = |(name, item): (&str, &ItemNumbers)| Some((name.to_owned(), item.get(ItemMeasure::Taken)?));
        Beside {
            efficiency: decimal(numbers.efficiency()),
            items: numbers.items().filter_map(taken).collect(),
            item_numbers: numbers.items.clone(),
        }
    }
}

/// What follows from the numbers of a player, and the items.
#[derive(Serialize, JsonSchema)]
struct Beside {
    /// Kills of 100 kills and deaths.
    #[schemars(with = "Decimal")]
    efficiency: Option<f64>,
    /// How often each item was taken, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    items: BTreeMap<String, i64>,
    /// Numbers for each item, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    item_numbers: BTreeMap<String, ItemNumbers>,
}

/// In a schema: the numbers of a player by name.
struct ByName;

impl JsonSchema for ByName {
    fn schema_name() -> Cow<'static, str> {
        "Measures".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        numbers_of::<Measure>(generator)
    }
}

fn by_name<S: Serializer>(values: &[Option<i64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(Measure::ALL.iter().zip(values).map(|(measure, value)| (measure.name(), value)))
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers { values: [None; Measure::ALL.len()], weapons: BTreeMap::new(), items: BTreeMap::new() }
    }
}

/// Numbers that are not counted up.
const NO_SUMS: [Measure; 12] = [
    Measure::Ping,
    Measure::Accuracy,
    Measure::BestWeaponAccuracy,
    Measure::Streak,
    Measure::TimeMs,
    Measure::Minutes,
    Measure::Perfect,
    Measure::DamagePerDeath,
    Measure::SpeedMax,
    Measure::SpeedAverage,
    Measure::Handicap,
    Measure::BotSkill,
];

/// No game has as many weapons, or items. What a hostile file has beyond is left out.
const NAMES: usize = 128;

/// What has a name; `None` for no name, and for one more than there is room for.
fn entry<'m, T: Default>(all: &'m mut BTreeMap<String, T>, name: &str) -> Option<&'m mut T> {
    if !all.contains_key(name) {
        if name.is_empty() || all.len() >= NAMES {
            return None;
        }
        all.insert(name.to_owned(), T::default());
    }
    all.get_mut(name)
}

impl Numbers {
    /// A number; `None` where nothing tells it.
    pub fn get(&self, measure: Measure) -> Option<i64> {
        self.values.get(measure as usize).copied().flatten()
    }

    pub(super) fn set(&mut self, measure: Measure, value: i64) {
        if let Some(place) = self.values.get_mut(measure as usize) {
            *place = Some(value);
        }
    }

    /// Nothing tells it.
    pub(super) fn unset(&mut self, measure: Measure) {
        if let Some(place) = self.values.get_mut(measure as usize) {
            *place = None;
        }
    }

    pub(super) fn add(&mut self, measure: Measure, more: i64) {
        self.set(measure, self.get(measure).unwrap_or(0).saturating_add(more));
    }

    /// The weapons, by name.
    pub fn weapons(&self) -> impl Iterator<Item = (&str, &WeaponNumbers)> {
        self.weapons.iter().map(|(name, weapon)| (name.as_str(), weapon))
    }

    /// A weapon by its name.
    pub fn weapon(&self, name: &str) -> Option<&WeaponNumbers> {
        self.weapons.get(name)
    }

    pub(super) fn weapon_mut(&mut self, name: &str) -> Option<&mut WeaponNumbers> {
        entry(&mut self.weapons, name)
    }

    /// The items, by name.
    pub fn items(&self) -> impl Iterator<Item = (&str, &ItemNumbers)> {
        self.items.iter().map(|(name, item)| (name.as_str(), item))
    }

    /// An item by its name.
    pub fn item(&self, name: &str) -> Option<&ItemNumbers> {
        self.items.get(name)
    }

    /// How often the player took an item; `None` where nothing tells it.
    pub fn taken(&self, item: &str) -> Option<i64> {
        self.item(item)?.get(ItemMeasure::Taken)
    }

    pub(super) fn item_mut(&mut self, name: &str) -> Option<&mut ItemNumbers> {
        entry(&mut self.items, name)
    }

    /// Less what was known before: for what counts up. What only one of both has stays as it is.
    pub(super) fn less(&self, before: &Numbers) -> Numbers {
        let mut rest = self.clone();
        for measure in Measure::ALL.iter().filter(|m| **m != Measure::Score && !NO_SUMS.contains(m)) {
            if let Some(value) = before.get(*measure) {
                rest.add(*measure, value.saturating_neg());
            }
        }
        for (name, weapon) in &before.weapons {
            let Some(rest) = rest.weapon_mut(name) else { continue };
            for measure in WeaponMeasure::ALL {
                if let Some(value) = weapon.get(*measure) {
                    rest.add(*measure, value.saturating_neg());
                }
            }
        }
        rest
    }

    /// Kills of 100 kills and deaths.
    pub fn efficiency(&self) -> Option<f32> {
        let (kills, deaths) = (self.get(Measure::Kills)?, self.get(Measure::Deaths)?);
        percent(kills, kills.saturating_add(deaths))
    }

    /// Takes over what is known of the other.
    pub(super) fn replace(&mut self, other: &Numbers) {
        for measure in Measure::ALL {
            if let Some(value) = other.get(*measure) {
                self.set(*measure, value);
            }
        }
        for (name, item) in &other.items {
            if let Some(own) = self.item_mut(name) {
                own.replace(item);
            }
        }
        for (name, weapon) in &other.weapons {
            if let Some(own) = self.weapon_mut(name) {
                own.replace(weapon);
            }
        }
    }

    /// True when nothing is known.
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none) && self.weapons.is_empty() && self.items.is_empty()
    }

    /// True when nothing but score, ping and time is known.
    pub(super) fn is_idle(&self) -> bool {
        const STANDING: [Measure; 3] = [Measure::Score, Measure::Ping, Measure::TimeMs];
        let counted = Measure::ALL.iter().filter(|m| !STANDING.contains(m)).all(|m| self.get(*m).unwrap_or(0) == 0);
        counted && self.weapons.is_empty() && self.items.is_empty()
    }

    /// Adds the numbers of a team's member.
    pub(super) fn add_all(&mut self, other: &Numbers) {
        for measure in Measure::ALL.iter().filter(|m| !NO_SUMS.contains(m)) {
            if let Some(value) = other.get(*measure) {
                self.add(*measure, value);
            }
        }
        for (name, weapon) in &other.weapons {
            if let Some(sum) = self.weapon_mut(name) {
                sum.add_all(weapon);
            }
        }
        for (name, item) in &other.items {
            if let Some(sum) = self.item_mut(name) {
                sum.add_all(item);
            }
        }
    }
}
