//! Tables of the numbers of players, weapons and items.

use super::columns::{BEGUN, CLOCK, ENDED, FROM_MS, LEVEL, MAP, NAME, NAME_RAW, PERIOD, SLOT, TEAM, TO_MS, column};
use super::range::{COUNT, PERCENT, PING, SCORE, usual};
use super::row::{Row, RowOf, Stat};
use super::{Subject, Table};
use crate::analysis::stats::{ItemMeasure, Measure, Period, WeaponMeasure, item_measures, measures, weapon_measures};

/// What there is a row for, with each player.
#[derive(Debug, Clone, Copy)]
pub(super) enum StatsOf {
    Player,
    Weapon,
    Item,
}

/// The range of a measure: the one that it declares, or the usual one of its unit.
macro_rules! measured_range {
    ($unit:literal) => {
        usual($unit)
    };
    ($unit:literal $range:ident) => {
        $range
    };
}

/// A table whose columns are those in front, each measure as we count it, more of ours, each as the game tells it, and
/// what follows from these.
macro_rules! measured {
    (
        $(#[$meta:meta])* $table:ident = $table_name:literal, $table_doc:literal, $each:ident, $ty:ident,
        $counted:ident, $reported:ident, [$($front:expr,)*], [$($more:expr,)*]:
        both { $($id:ident = $name:literal, $unit:literal, $kin:ident, $doc:literal $(within $range:ident)?;)* }
        counted { $($our:ident = $our_name:literal, $our_unit:literal, $our_doc:literal $(within $our_range:ident)?;)* }
        reported { $($their:ident = $their_name:literal, $their_unit:literal, $their_doc:literal $(within $their_range:ident)?;)* }
    ) => {
        $(#[$meta])*
        pub static $table: Table = Table {
            name: $table_name,
            doc: $table_doc,
            of: Subject::Stats(StatsOf::$each),
            columns: &[
                PERIOD, LEVEL, MAP, CLOCK, FROM_MS, TO_MS, BEGUN, ENDED, SLOT, NAME, NAME_RAW, TEAM,
                $($front,)*
                $(column!(
                    $name, Integer within measured_range!($unit $($range)?), $unit, $doc,
                    numbers of $counted = numbers.get($ty::$id)
                ),)*
                $(column!(
                    $our_name, Integer within measured_range!($our_unit $($our_range)?), $our_unit, $our_doc,
                    numbers of $counted = numbers.get($ty::$our)
                ),)*
                $($more,)*
                $(column!(
                    concat!("told_", $name), Integer within measured_range!($unit $($range)?), $unit,
                    concat!("`", $name, "` as the game tells it."),
                    numbers of $reported = numbers.get($ty::$id)
                ),)*
                $(column!(
                    concat!("told_", $their_name), Integer within measured_range!($their_unit $($their_range)?), $their_unit,
                    $their_doc, numbers of $reported = numbers.get($ty::$their)
                ),)*
            ],
        };
    };
}

measures! { measured
    /// Players.
    STATS = "stats", "A player in a match, or in a level without one.", Player, Measure, counted, reported, [], [
        column!("efficiency", Number within PERCENT, "%", "Kills of 100 kills and deaths.", numbers of counted = numbers.efficiency()),
    ]:
}

weapon_measures! { measured
    /// Weapons.
    WEAPON_STATS = "weapon_stats", "A weapon of a player in a match, or in a level without one.", Weapon, WeaponMeasure,
    counted_weapon, reported_weapon, [
        column!("weapon", Word, "", "The weapon, by the game's name.", stat of stat = stat.thing),
    ], [
        column!("accuracy", Number within PERCENT, "%", "Hits of 100 shots.", numbers of counted_weapon = numbers.accuracy()),
        column!("told_accuracy", Number within PERCENT, "%", "The same of the game's numbers.", numbers of reported_weapon = numbers.accuracy()),
    ]:
}

item_measures! { measured
    /// Items.
    ITEM_STATS = "item_stats", "An item that a player took or held in a match, or in a level without one.", Item, ItemMeasure,
    counted_item, reported_item, [
        column!("item", Word, "", "The item, by the game's name.", stat of stat = stat.thing),
    ], []:
}

/// The rows that a part makes in [`STATS`], [`WEAPON_STATS`] or [`ITEM_STATS`]; none in other tables.
pub fn stats<'p>(table: &Table, period: &'p Period) -> Vec<Row<'p>> {
    let Subject::Stats(each) = table.of else { return Vec::new() };
    let mut rows = Vec::new();
    for player in &period.players {
        let both = [&player.counted, &player.reported];
        let mut things: Vec<&str> = match each {
            StatsOf::Player => vec![""],
            StatsOf::Weapon => both.into_iter().flat_map(|n| n.weapons().map(|(name, _)| name)).collect(),
            StatsOf::Item => both.into_iter().flat_map(|n| n.items().map(|(name, _)| name)).collect(),
        };
        things.sort_unstable();
        things.dedup();
        let about = things.into_iter().map(|thing| RowOf::Stat(Stat { period, player, thing }));
        rows.extend(about.map(|about| Row { clock: period.begin, block: 0, level: period.level, about }));
    }
    rows
}
