//! Numbers of tables keep their sign and their range, which each column declares from what its format has room for.

use std::collections::BTreeMap;
use std::fs;

use qdemo::replay::{Pass, Step};
use qdemo::table::{self, Interval, Range, Row, STATS, TABLES, Table, Values};
use qdemo::world::Scene;
use qdemo::{Limits, Result};

use super::{Samples, for_every_format};
use crate::common::{Random, file_name, is_broken, not_long, rounds};

for_every_format!(numbers_lie_in_their_ranges, numbers_of_damaged_files_are_finite);

/// Columns that hold numbers of something that the recordings show: a bit for each column, by table.
#[derive(Default)]
struct Seen(BTreeMap<&'static str, u128>);

impl Seen {
    fn extend(&mut self, other: Seen) {
        other.0.into_iter().for_each(|(table, columns)| *self.0.entry(table).or_default() |= columns);
    }

    fn contains(&self, table: &str, column: &str) -> bool {
        let table = TABLES.into_iter().find(|it| it.name == table).unwrap();
        let place = table.columns.iter().position(|it| it.name == column).unwrap();
        self.0.get(table.name).is_some_and(|columns| columns >> place & 1 == 1)
    }
}

/// Looks at every number of a row; at its range only where `whole` says that the recording has no damage.
fn look(table: &'static Table, row: &Row<'_>, name: &str, whole: bool, seen: &mut Seen) {
    let seen = seen.0.entry(table.name).or_default();
    // There are millions of rows: nothing is written that is not wrong.
    for (place, column) in table.columns.iter().enumerate() {
        let there = match column.values {
            Values::Integer(of) => of(row).map(|value| {
                let fits = !whole || column.range.unwrap().contains(value);
                assert!(fits, "{name}: {}.{} is {value}", table.name, column.name);
            }),
            Values::Number(of) | Values::Seconds(of) => of(row).map(|value| {
                let fits = value.is_finite() && (!whole || column.range.unwrap().contains_float(value));
                assert!(fits, "{name}: {}.{} is {value}", table.name, column.name);
            }),
            Values::Text(_) | Values::Word(_) | Values::Raw(_) | Values::Boolean(_) => None,
        };
        *seen |= u128::from(there.is_some()) << place;
    }
}

/// Every row of every table of a recording, those of the world every 100 ms; and what no table has of players, their pings.
fn sweep(demo: &[u8], name: &str, whole: bool) -> Result<Seen> {
    let (limits, mut seen) = (Limits::default(), Seen::default());
    let mut options = table::Options::default();
    (options.every, options.warmup) = (Interval::ms(100), true);
    let read = table::read(&TABLES, demo, name, &options, limits, &mut |at, row: &Row<'_>| {
        look(TABLES[at], row, name, whole, &mut seen);
        Ok(())
    })?;
    look(&table::DEMOS, &table::demo(&read.summary.unwrap()), name, whole, &mut seen);
    let pings = STATS.column("ping").unwrap().range.unwrap();
    let mut each = |step: &Step<'_>| {
        let players = step.world.players().filter(|_| whole && step.changes().frame);
        for ping in players.filter_map(|player| player.ping) {
            assert!(pings.contains(ping.into()), "{name}: a ping is {ping}");
        }
        Ok(())
    };
    Pass::new(limits).run(demo, name, &mut [&mut each])?;
    Ok(seen)
}

fn numbers_lie_in_their_ranges<F: Samples>() {
    let mut seen = Seen::default();
    for path in not_long(F::recordings()) {
        seen.extend(sweep(&fs::read(&path).unwrap(), &file_name(&path), !is_broken(&path)).unwrap());
    }
    // What every format tells.
    let told = [
        ("positions", "x"),
        ("positions", "yaw"),
        ("entities", "z"),
        ("frames", "entities"),
        ("messages", "bits"),
        ("texts", "block"),
    ];
    for (table, column) in told {
        assert!(seen.contains(table, column), "{table}.{column}");
    }
}

fn numbers_of_damaged_files_are_finite<F: Samples>() {
    let mut random = Random(0x0DD5_EED5);
    let mut part = F::parts();
    for round in 0..rounds(F::ROUNDS / 16) {
        let (mut demo, name) = part(round, &mut random);
        random.damage(&mut demo);
        // A file may be damaged so much that it is no recording.
        let _ = sweep(&demo, name, false);
    }
}

/// A number has bounds on the side where a wrong sign would show.
#[test]
fn every_column_of_numbers_declares_its_range() {
    for table in TABLES {
        for column in table.columns {
            let number = matches!(column.values, Values::Integer(_) | Values::Number(_) | Values::Seconds(_));
            assert_eq!(column.range.is_some(), number, "{}.{}", table.name, column.name);
            let sound = |range: Range| range.greatest.is_none_or(|greatest| range.least < greatest);
            assert!(column.range.is_none_or(sound), "{}.{}", table.name, column.name);
        }
    }
    let range = |table: &Table, name| table.column(name).unwrap().range.unwrap();
    // What was told wrong once: 16 bits read without their sign, and with one that they do not have.
    assert!(!range(&table::POSITIONS, "health").contains(65_533) && !range(&STATS, "ping").contains(-13_299));
    assert!(range(&STATS, "efficiency").contains_float(100.0) && !range(&STATS, "efficiency").contains_float(100.1));
    assert_eq!(range(&STATS, "efficiency").to_string(), "0 to 100");
    assert_eq!(range(&STATS, "kills").to_string(), "0 or more");
}
