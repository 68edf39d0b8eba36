//! Numbers of tables keep their sign and their range, which each column declares from what its format has room for.

use std::fs;

use qdemo::analysis::highlight::{Criteria, Finder};
use qdemo::analysis::stats::Stats;
use qdemo::replay::{Pass, Step};
use qdemo::table::{self, Interval, Range, Row, STATS, TABLES, Table, Values};
use qdemo::world::Scene;
use qdemo::{Limits, Result};

use super::{Samples, for_every_format};
use crate::common::{Random, file_name, rounds};

for_every_format!(numbers_lie_in_their_ranges, numbers_of_damaged_files_are_finite);

/// So many columns hold numbers of something that the recordings show.
type Seen = std::collections::BTreeSet<(&'static str, &'static str)>;

/// Looks at every number of a row; at its range only where `whole` says that the recording has no damage.
fn look(table: &'static Table, row: &Row<'_>, name: &str, whole: bool, seen: &mut Seen) {
    for column in table.columns {
        let within = |is: &dyn Fn(Range) -> bool| !whole || is(column.range.unwrap());
        let value = match column.values {
            Values::Integer(of) => of(row).map(|value| (within(&|range| range.contains(value)), value.to_string())),
            Values::Number(of) => of(row).map(|value| {
                assert!(value.is_finite(), "{name}: {}.{} is {value}", table.name, column.name);
                (within(&|range| range.contains_float(value)), value.to_string())
            }),
            Values::Text(_) | Values::Boolean(_) => None,
        };
        if let Some((fits, value)) = value {
            assert!(fits, "{name}: {}.{} is {value}", table.name, column.name);
            seen.insert((table.name, column.name));
        }
    }
}

/// Every row of every table of a recording, those of the world every 100 ms; and what no table has of players, their pings.
fn sweep(demo: &[u8], name: &str, whole: bool) -> Result<Seen> {
    let (limits, mut seen) = (Limits::default(), Seen::new());
    for table in [&table::POSITIONS, &table::ENTITIES, &table::FRAMES] {
        table::world(table, demo, name, Interval::ms(100), limits, &mut |row: &Row<'_>| {
            look(table, row, name, whole, &mut seen);
            Ok(())
        })?;
    }
    let pings = STATS.column("ping").unwrap().range.unwrap();
    let mut each = |step: &Step<'_>| {
        for event in step.events {
            for table in TABLES {
                let row = table::event(table, event);
                row.iter().for_each(|row| look(table, row, name, whole, &mut seen));
            }
        }
        let players = step.world.players().filter(|_| whole && step.changes().frame);
        for ping in players.filter_map(|player| player.ping) {
            assert!(pings.contains(ping.into()), "{name}: a ping is {ping}");
        }
        Ok(())
    };
    let (mut finder, mut stats) = (Finder::new(Criteria::default()), Stats::default());
    Pass::new(limits).run(demo, name, &mut [&mut each, &mut finder, &mut stats])?;
    for it in finder.take() {
        look(&table::HIGHLIGHTS, &table::highlight(&it), name, whole, &mut seen);
    }
    for (period, table) in stats.take().iter().flat_map(|period| TABLES.map(|table| (period, table))) {
        table::stats(table, period).iter().for_each(|row| look(table, row, name, whole, &mut seen));
    }
    Ok(seen)
}

fn numbers_lie_in_their_ranges<F: Samples>() {
    let mut seen = Seen::new();
    for path in F::recordings() {
        seen.extend(sweep(&fs::read(&path).unwrap(), &file_name(&path), true).unwrap());
    }
    // What every format tells.
    for (table, column) in [("positions", "x"), ("positions", "yaw"), ("entities", "z"), ("frames", "entities")] {
        assert!(seen.contains(&(table, column)), "{table}.{column}");
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
            let number = matches!(column.values, Values::Integer(_) | Values::Number(_));
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
