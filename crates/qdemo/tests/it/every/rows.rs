//! Facts and rows as others get them: through serde, and as typed columns of tables.

use qdemo::analysis::check::{Checks, check};
use qdemo::analysis::highlight::{Criteria, highlights};
use qdemo::analysis::stats::stats;
use qdemo::event::PlayerRef;
use qdemo::replay::timeline::timeline;
use qdemo::replay::{Options, World, events};
use qdemo::table::{Interval, POSITIONS, Row, TABLES, Values, world};
use qdemo::world::{Charset, Player, Scene};
use qdemo::{Limits, Reader};
use serde::Serialize;
use serde_json::{Value, json};

use crate::common::testdata;

const DEMOS: [&str; 6] = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"];

/// Written at once or made a tree of values first: keys and numbers are the same.
fn says_the_same(row: &impl Serialize, what: &str) -> Value {
    let tree = serde_json::to_value(row).unwrap();
    assert!(tree.is_object(), "{what}: {tree}");
    let written: Value = serde_json::from_str(&serde_json::to_string(row).unwrap()).unwrap();
    assert_eq!(written, tree, "{what}");
    tree
}

#[test]
fn every_row_serializes_with_any_serializer() {
    let limits = Limits::default();
    let mut rows = [0; 5];
    for name in DEMOS {
        let demo = &testdata(name)[..];
        says_the_same(&qdemo::replay::info::info(demo, name, limits).unwrap(), name);
        // A file that breaks off has faults.
        let report = qdemo::verify::verify(&demo[..demo.len() - 7], name, limits).unwrap();
        let all = says_the_same(&report, name);
        assert_eq!(all["fault_count"], report.faults.count());
        assert_eq!(all["faults"].as_array().unwrap().len(), report.faults.iter().count());
        says_the_same(&check(demo, name, limits, &Checks::default()).unwrap(), name);
        let timeline = timeline(demo, name, limits).unwrap();
        for span in &timeline.spans {
            says_the_same(span, name);
            rows[0] += 1;
        }
        for stay in &timeline.players {
            says_the_same(stay, name);
            rows[1] += 1;
        }
        events(demo, name, limits, &mut |event| {
            let row = says_the_same(event, name);
            assert_eq!(row["kind"], event.kind.tag().name());
            assert_eq!(
                (&row["clock"], &row["demo_ms"]),
                (&json!(event.clock.kind.name()), &json!(event.clock.demo.ms()))
            );
            rows[2] += 1;
            Ok(())
        })
        .unwrap();
        let mut parts = 0;
        stats(demo, name, limits, &mut |part| {
            parts += says_the_same(&part, name)["players"].as_array().unwrap().len();
            Ok(())
        })
        .unwrap();
        rows[3] += parts;
        let criteria = Criteria { kills: 2, streak: 2, ..Criteria::default() };
        let (found, _) = highlights(demo, name, limits, &Options::default(), &criteria).unwrap();
        for it in &found {
            says_the_same(it, name);
            rows[4] += 1;
        }
    }
    assert!(rows.iter().all(|rows| *rows > 0), "{rows:?}");
}

/// Letters of the second colour have 0x80 added in Quake's own set.
#[test]
fn names_have_their_bytes_beside_them_where_these_differ() {
    let gold = serde_json::to_value(PlayerRef::named(b"\xF2anger", Charset::Quake)).unwrap();
    assert_eq!(gold, json!({"slot": null, "name": "ranger", "name_raw": "\u{F2}anger", "team": null}));
    let plain = serde_json::to_value(PlayerRef::named(b"ranger", Charset::Quake)).unwrap();
    assert_eq!(plain, json!({"slot": null, "name": "ranger", "team": null}));
    let colored = serde_json::to_value(PlayerRef::named(b"^1ranger", Charset::Carets)).unwrap();
    assert_eq!((&colored["name"], &colored["name_raw"]), (&json!("ranger"), &json!("^1ranger")));
}

/// 0.1 is no sum of powers of two: the double nearest to the float has more digits, which nobody wrote.
#[test]
fn floats_are_as_short_as_they_can_be() {
    let player = Player { origin: Some([0.1, f32::NAN, 16_777_216.0]), ..Player::default() };
    let row = serde_json::to_value(player).unwrap();
    assert_eq!(row, json!({"slot": 0, "name": "", "origin": [0.1, null, 16_777_216.0]}));
}

/// What a column gives for a row is what the world has.
#[test]
fn columns_are_typed() {
    let column = |name| POSITIONS.column(name).unwrap().values;
    let (Values::Integer(slot), Values::Number(x)) = (column("slot"), column("x")) else { panic!() };
    let (Values::Word(name), Values::Boolean(seen)) = (column("name"), column("seen_through")) else { panic!() };
    for file in DEMOS {
        let demo = &testdata(file)[..];
        let mut table = Vec::new();
        let mut note = |row: &Row<'_>| {
            table.push((slot(row).unwrap(), x(row).unwrap(), name(row).unwrap().into_owned(), seen(row).unwrap()));
            Ok(())
        };
        world(&POSITIONS, demo, file, Interval::FRAME, Limits::default(), &mut note).unwrap();
        let mut reader = Reader::new(demo, file, Limits::default()).unwrap();
        let mut world = World::new(reader.detected()).unwrap();
        let mut expected = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            for player in world.players().filter(|_| world.changes().frame) {
                let Some(origin) = player.origin else { continue };
                expected.push((player.slot as i64, origin[0], player.clean_name(), player.seen_through));
            }
        }
        assert!(!expected.is_empty() && table == expected, "{file}");
    }
}

#[test]
fn no_table_has_two_columns_of_one_name() {
    for table in TABLES {
        for column in table.columns {
            assert!(std::ptr::eq(table.column(column.name).unwrap(), column), "{}: {}", table.name, column.name);
        }
    }
}
