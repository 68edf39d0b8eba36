//! Tables of the numbers of players, weapons and items.

use super::columns::{CLOCK, LEVEL, NAME, SLOT, TEAM, column};
use super::row::{About, Row, Stat, text};
use super::{Cell, Column, Of, Table, Type};
use crate::stats::{Measure, Numbers, Part, Weapon, WeaponMeasure, measures, weapon_measures};

/// What there is a row for, with each player.
#[derive(Debug, Clone, Copy)]
pub(super) enum Each {
    Player,
    Weapon,
    Item,
}

const PART: Column = column(
    "part",
    Type::Text,
    "",
    "The part of the recording: `match`, `level` (without a match), `warmup`, `after`.",
    |row| row.stat(|s| text(s.part.kind.name())),
);
const MAP: Column = column("map", Type::Text, "", "Name of the map.", |row| row.stat(|s| text(&s.part.map)));
const FROM_MS: Column = column("from_ms", Type::Integer, "ms", "When the part begins, by that clock.", |row| {
    row.stat(|s| s.part.begin.ms().into())
});
const TO_MS: Column = column("to_ms", Type::Integer, "ms", "When it ends.", |row| row.stat(|s| s.part.end.ms().into()));
const BEGUN: Column = column("begun", Type::Boolean, "", "True when the recording has its beginning.", |row| {
    row.stat(|s| Cell::Boolean(s.part.begun))
});
const ENDED: Column = column("ended", Type::Boolean, "", "True when the recording has its end.", |row| {
    row.stat(|s| Cell::Boolean(s.part.ended))
});

fn ours(row: &Row<'_>, cell: impl FnOnce(&Numbers) -> Cell<'static>) -> Cell<'static> {
    row.stat(|s| cell(&s.player.ours))
}

fn told(row: &Row<'_>, cell: impl FnOnce(&Numbers) -> Cell<'static>) -> Cell<'static> {
    row.stat(|s| cell(&s.player.told))
}

fn our_weapon(row: &Row<'_>, cell: impl FnOnce(&Weapon) -> Cell<'static>) -> Cell<'static> {
    row.stat(|s| s.player.ours.weapon(s.thing).map_or(Cell::None, cell))
}

fn told_weapon(row: &Row<'_>, cell: impl FnOnce(&Weapon) -> Cell<'static>) -> Cell<'static> {
    row.stat(|s| s.player.told.weapon(s.thing).map_or(Cell::None, cell))
}

fn share(share: Option<f32>) -> Cell<'static> {
    share.map_or(Cell::None, Cell::Number)
}

/// The columns of a table: those in front, each measure as we count it, more of ours, each as the game tells it.
macro_rules! table {
    (
        $(#[$meta:meta])* $table:ident = $table_name:literal, $table_doc:literal, $each:ident, $ty:ident,
        $ours_of:ident, $told_of:ident, [$($front:expr,)*], [$($more:expr,)*]:
        both { $($id:ident = $name:literal, $unit:literal, $kin:ident, $doc:literal;)* }
        ours { $($our:ident = $our_name:literal, $our_unit:literal, $our_doc:literal;)* }
        told { $($told:ident = $told_name:literal, $told_unit:literal, $told_doc:literal;)* }
    ) => {
        $(#[$meta])*
        pub static $table: Table = Table {
            name: $table_name,
            doc: $table_doc,
            of: Of::Stats(Each::$each),
            columns: &[
                PART, LEVEL, MAP, CLOCK, FROM_MS, TO_MS, BEGUN, ENDED, SLOT, NAME, TEAM,
                $($front,)*
                $(column($name, Type::Integer, $unit, $doc, |row| $ours_of(row, |n| n.get($ty::$id).into())),)*
                $(column($our_name, Type::Integer, $our_unit, $our_doc, |row| $ours_of(row, |n| n.get($ty::$our).into())),)*
                $($more,)*
                $(column(
                    concat!("told_", $name), Type::Integer, $unit, concat!("`", $name, "` as the game tells it."),
                    |row| $told_of(row, |n| n.get($ty::$id).into()),
                ),)*
                $(column(
                    concat!("told_", $told_name), Type::Integer, $told_unit, $told_doc,
                    |row| $told_of(row, |n| n.get($ty::$told).into()),
                ),)*
            ],
        };
    };
}

measures! { table
    /// Players.
    STATS = "stats", "A player in a match, or in a level without one.", Player, Measure, ours, told, [], [
        column("efficiency", Type::Number, "%", "Kills of 100 kills and deaths.", |row| ours(row, |n| share(n.efficiency()))),
    ]:
}

weapon_measures! { table
    /// Weapons.
    WEAPON_STATS = "weapon_stats", "A weapon of a player in a match, or in a level without one.", Weapon, WeaponMeasure,
    our_weapon, told_weapon, [
        column("weapon", Type::Text, "", "The weapon, by the game's name.", |row| row.stat(|s| text(s.thing))),
    ], [
        column("accuracy", Type::Number, "%", "Hits of 100 shots.", |row| our_weapon(row, |w| share(w.accuracy()))),
        column("told_accuracy", Type::Number, "%", "The same of the game's numbers.", |row| {
            told_weapon(row, |w| share(w.accuracy()))
        }),
    ]:
}

/// Items.
pub static ITEM_STATS: Table = Table {
    name: "item_stats",
    doc: "An item that a player took in a match, or in a level without one.",
    of: Of::Stats(Each::Item),
    columns: &[
        PART,
        LEVEL,
        MAP,
        CLOCK,
        FROM_MS,
        TO_MS,
        BEGUN,
        ENDED,
        SLOT,
        NAME,
        TEAM,
        column("item", Type::Text, "", "The item, by the game's name.", |row| row.stat(|s| text(s.thing))),
        column("taken", Type::Integer, "", "How often the recording shows that the player took it.", |row| {
            row.stat(|s| s.player.ours.item(s.thing).into())
        }),
        column("told_taken", Type::Integer, "", "The same, as the game tells it.", |row| {
            row.stat(|s| s.player.told.item(s.thing).into())
        }),
    ],
};

/// The rows that a part makes in [`STATS`], [`WEAPON_STATS`] or [`ITEM_STATS`]; none in other tables.
pub fn stats(table: &Table, part: &Part) -> Vec<Vec<Cell<'static>>> {
    let Of::Stats(each) = table.of else { return Vec::new() };
    let mut rows = Vec::new();
    for player in &part.players {
        let both = [&player.ours, &player.told];
        let mut things: Vec<&str> = match each {
            Each::Player => vec![""],
            Each::Weapon => both.into_iter().flat_map(|n| n.weapons().map(|(name, _)| name)).collect(),
            Each::Item => both.into_iter().flat_map(|n| n.items().map(|(name, _)| name)).collect(),
        };
        things.sort_unstable();
        things.dedup();
        for thing in things {
            let about = About::Stat(Stat { part, player, thing });
            let mut cells = Vec::new();
            table.cells(&Row { clock: part.begin, block: 0, level: part.level, about }, &mut cells);
            rows.push(cells);
        }
    }
    rows
}
