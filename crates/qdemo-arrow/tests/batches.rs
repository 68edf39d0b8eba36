//! Batches are what the tables say, row by row.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // also in the helpers

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use qdemo::table::{self, Options, Row, TABLES, Value, Values};
use qdemo::{Limits, Result};
use qdemo_arrow::{Filter, Layout, Literal, ROWS, Test, read};

const DEMOS: [&str; 6] = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"];

fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(format!("../../testdata/{name}")).unwrap()
}

fn batches(layout: &Layout, name: &str) -> Vec<RecordBatch> {
    let (demo, mut all) = (testdata(name), Vec::new());
    read(layout, &demo[..], name, &Options::default(), Limits::default(), &mut |batch| {
        all.push(batch);
        Ok(())
    })
    .unwrap();
    all
}

/// A cell in the words of its type.
fn cell(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float32 => format!("{:?}", column.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => format!("{:?}", column.as_primitive::<Float64Type>().value(row) as f32),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::Dictionary(..) => {
            let column = column.as_dictionary::<Int32Type>();
            let key = column.keys().value(row);
            column.values().as_string::<i32>().value(usize::try_from(key).unwrap()).to_owned()
        }
        other => panic!("{other}"),
    })
}

fn said(value: Option<Value<'_>>) -> Option<String> {
    value.map(|value| match value {
        Value::Integer(v) => v.to_string(),
        Value::Number(v) => format!("{v:?}"),
        Value::Text(v) => v.into_owned(),
        Value::Boolean(v) => v.to_string(),
    })
}

#[test]
fn every_value_of_every_table_is_there() {
    let mut told = 0;
    for name in DEMOS {
        let mut rows: Vec<Vec<Vec<Option<String>>>> = vec![Vec::new(); TABLES.len()];
        let demo = testdata(name);
        let done = table::read(&TABLES, &demo[..], name, &Options::default(), Limits::default(), &mut |at: usize,
                                                                                                       row: &Row<
            '_,
        >| {
            rows[at].push(TABLES[at].columns.iter().map(|column| said(column.values.of(row))).collect());
            Ok(())
        });
        let summary = done.unwrap().summary.unwrap();
        rows[0].push(TABLES[0].columns.iter().map(|column| said(column.values.of(&table::demo(&summary)))).collect());
        for (table, rows) in TABLES.into_iter().zip(&rows) {
            for layout in [Layout::new(table), Layout::new(table).with_plain_words()] {
                let batches = batches(&layout, name);
                assert!(batches.iter().all(|batch| batch.num_rows() > 0 && batch.num_rows() <= ROWS));
                let got = batches.iter().flat_map(|batch| {
                    (0..batch.num_rows())
                        .map(|row| batch.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>())
                        .collect::<Vec<_>>()
                });
                assert!(got.eq(rows.iter().cloned()), "{name} {}", table.name);
                told += rows.len();
            }
        }
    }
    assert!(told > 100_000, "{told}");
}

/// Seconds are kept as the decimal that CSV has: as 32-bit floats they are what was recorded.
#[test]
fn seconds_are_decimals_of_what_was_recorded() {
    let column = table::FRAMES.column("time").unwrap();
    let Values::Seconds(of) = column.values else { panic!() };
    let (demo, mut recorded) = (testdata("clip.dem"), Vec::new());
    table::read(&[&table::FRAMES], &demo[..], "clip.dem", &Options::default(), Limits::default(), &mut |_: usize,
                                                                                                        row: &Row<
        '_,
    >| {
        recorded.push(of(row).unwrap());
        Ok(())
    })
    .unwrap();
    let layout = Layout::new(&table::FRAMES).with_columns(&["time"]).unwrap();
    let all = batches(&layout, "clip.dem");
    let values = all.iter().flat_map(|batch| batch.column(0).as_primitive::<Float64Type>().values().to_vec());
    let mut seen = 0;
    for (value, recorded) in values.zip(recorded) {
        assert_eq!((value as f32).to_bits(), recorded.to_bits());
        assert_eq!(value, recorded.to_string().parse::<f64>().unwrap());
        seen += 1;
    }
    assert!(seen > 300);
}

#[test]
fn what_is_asked_for_is_what_comes() -> Result<()> {
    let layout = Layout::new(&table::FRAGS).with_columns(&["weapon", "demo_ms"])?;
    let shotgun = Filter::new(&table::FRAGS, "weapon", Test::Equal(Literal::Text("shotgun".into())))?;
    let early = Filter::new(&table::FRAGS, "demo_ms", Test::Less(Literal::Integer(20_000)))?;
    let all = batches(&layout, "oa-dm4.dm_71");
    let some = batches(&layout.clone().with_filters(vec![shotgun, early]), "oa-dm4.dm_71");
    let rows = |batches: &[RecordBatch]| -> Vec<(String, i64)> {
        let of = |batch: &RecordBatch| {
            let times = batch.column(1).as_primitive::<Int64Type>().values().to_vec();
            (0..batch.num_rows())
                .map(|row| cell(batch.column(0), row).unwrap_or_default())
                .zip(times)
                .collect::<Vec<_>>()
        };
        batches.iter().flat_map(of).collect()
    };
    let wanted: Vec<_> = rows(&all).into_iter().filter(|(weapon, ms)| weapon == "shotgun" && *ms < 20_000).collect();
    assert!(!wanted.is_empty() && rows(&some) == wanted);
    assert!(Layout::new(&table::FRAGS).with_columns(&["file"]).is_err());
    assert!(Filter::new(&table::FRAGS, "demo_ms", Test::Equal(Literal::Text("soon".into()))).is_err());
    Ok(())
}
