//! Tables of one reading: the rows of each are those that it has alone, and what several tell is the same.

use qdemo::analysis::stats::{PeriodKind, stats};
use qdemo::analysis::texts::{TextTag, texts};
use qdemo::replay::timeline::{SpanKind, timeline};
use qdemo::table::{self, Objects, Options, Row, TABLES, Table};
use qdemo::text::{Options as TextOptions, Style, decompile_bytes};
use qdemo::{FileKind, Limits, Result};
use serde_json::{Map, Value};

use crate::common::{file_name, recordings, shared, testdata};

const DEMOS: [&str; 6] = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"];

/// A row as an object, which is what is written of it.
fn object(table: &Table, row: &Row<'_>) -> Map<String, Value> {
    let members = table.columns.iter().filter_map(|column| Some((column.name.to_owned(), column.values.json(row)?)));
    let object: Map<String, Value> = members.collect();
    let mut written = Vec::new();
    Objects::new(table.columns, None).write(row, &mut written);
    assert_eq!(serde_json::from_slice::<Map<String, Value>>(&written).unwrap(), object);
    if written.is_ascii() && !written.contains(&b'\\') {
        assert_eq!(String::from_utf8(written).unwrap(), Value::from(object.clone()).to_string());
    }
    object
}

/// The rows of tables, as objects.
fn rows(tables: &[&'static Table], demo: &[u8], name: &str) -> Result<Vec<Vec<Map<String, Value>>>> {
    let mut all = vec![Vec::new(); tables.len()];
    let read =
        table::read(tables, demo, name, &Options::default(), Limits::default(), &mut |at: usize, row: &Row<'_>| {
            all[at].push(object(tables[at], row));
            Ok(())
        })?;
    if let (Some(summary), Some(at)) = (&read.summary, tables.iter().position(|table| table.name == "demos")) {
        all[at].push(object(&table::DEMOS, &table::demo(summary)));
    }
    Ok(all)
}

#[test]
fn a_table_has_the_same_rows_alone_and_beside_all_others() {
    for name in DEMOS {
        let demo = testdata(name);
        let together = rows(&TABLES, &demo, name).unwrap();
        for (table, together) in TABLES.into_iter().zip(together) {
            let alone = rows(&[table], &demo, name).unwrap().remove(0);
            assert!(alone == together, "{name}: {}", table.name);
        }
    }
}

#[test]
fn levels_and_matches_are_those_of_the_timeline_and_of_statistics() {
    let (mut levels, mut matches) = (0, 0);
    for name in DEMOS {
        let demo = testdata(name);
        let tables = rows(&[&table::LEVELS, &table::MATCHES, &table::DEMOS, &table::POSITIONS], &demo, name).unwrap();
        let timeline = timeline(&demo[..], name, Limits::default()).unwrap();
        let spans = timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Level { .. }));
        let told: Vec<_> = spans.map(|span| Value::from(span.from.demo.ms())).collect();
        assert_eq!(tables[0].iter().map(|row| row["from_demo_ms"].clone()).collect::<Vec<_>>(), told, "{name}");
        // Numbers are those that every row of the world has.
        let numbers: std::collections::BTreeSet<_> = tables[3].iter().map(|row| row["level"].as_i64()).collect();
        assert!(tables[0].len() >= numbers.len(), "{name}");
        let mut periods = Vec::new();
        stats(&demo[..], name, Limits::default(), &mut |period| {
            periods.extend((period.kind == PeriodKind::Match).then_some(period));
            Ok(())
        })
        .unwrap();
        assert_eq!(tables[1].len(), periods.len(), "{name}");
        for ((number, row), period) in (0..).zip(&tables[1]).zip(&periods) {
            assert_eq!((&row["number"], &row["players"]), (&Value::from(number), &Value::from(period.players.len())));
            assert_eq!((&row["begun"], &row["ended"]), (&period.begun.into(), &period.ended.into()));
        }
        let demos = &tables[2][0];
        assert_eq!((&demos["levels"], &demos["matches"]), (&tables[0].len().into(), &tables[1].len().into()), "{name}");
        let begun: i64 = tables[0].iter().filter_map(|row| row["matches"].as_i64()).sum();
        assert!(begun <= i64::try_from(periods.len()).unwrap());
        (levels, matches) = (levels + tables[0].len(), matches + periods.len());
    }
    assert!(levels >= DEMOS.len() && matches > 0);
}

/// There is a row for each frame that the timeline counts, the last one of a level included.
#[test]
fn frames_are_those_of_the_timeline() {
    for name in DEMOS {
        // Twice, so that a level ends within the recording.
        let demo = testdata(name);
        let both = [(name, &demo[..]), (name, &demo[..])];
        let (demo, _) = qdemo::edit::join(both, Limits::default(), Vec::new()).unwrap();
        let told = timeline(&demo[..], name, Limits::default()).unwrap().spans;
        let told = told.iter().filter_map(|span| match span.kind {
            SpanKind::Level { frames, .. } => Some(frames as usize),
            _ => None,
        });
        let tables = rows(&[&table::FRAMES, &table::POSITIONS], &demo, name).unwrap();
        let of = |table: usize, level: usize| -> Vec<_> {
            let rows = tables[table].iter().filter(|row| row["level"] == level);
            rows.map(|row| row["demo_ms"].clone()).collect()
        };
        for (level, told) in (0..).zip(told) {
            let frames = of(0, level);
            assert_eq!(frames.len(), told, "{name}: level {level}");
            if name == "ez-dm.mvd" {
                assert_eq!(of(1, level).last(), frames.last(), "somebody is seen in the last frame");
                assert_eq!(frames.len(), of(0, 0).len(), "each level is the same recording");
            }
        }
    }
}

/// The JSON of a message is that of the text, where blocks hold them.
#[test]
fn messages_are_those_of_the_text() {
    for name in DEMOS {
        let demo = testdata(name);
        let told = rows(&[&table::MESSAGES], &demo, name).unwrap().remove(0);
        let told = told.iter().filter(|row| !row.contains_key("within")).map(|row| row["json"].as_str().unwrap());
        let told: Vec<Value> = told.map(|json| serde_json::from_str(json).unwrap()).collect();
        let text = decompile_bytes(&demo, name, &TextOptions::with_style(Style::Json)).unwrap();
        let lines =
            std::str::from_utf8(&text).unwrap().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let said: Vec<Value> =
            lines.flat_map(|line| line["messages"].as_array().cloned().unwrap_or_default()).collect();
        assert!(told.len() > 100 && told == said, "{name}");
    }
}

/// Letters of the second colour have 0x80 added in Quake's own set, and colours of Quake III are codes in the text.
#[test]
fn names_have_their_bytes_beside_them_where_these_differ() {
    let column = table::CHAT.column("text_raw").unwrap();
    let demo = testdata("oa-dm4.dm_71");
    let chat = rows(&[&table::CHAT], &demo, "oa-dm4.dm_71").unwrap().remove(0);
    let colored = chat.iter().filter_map(|row| Some((row["text"].as_str()?, row.get("text_raw")?.as_str()?)));
    let colored: Vec<_> = colored.collect();
    assert!(colored.iter().any(|(text, raw)| raw.contains('^') && !text.contains('^')), "{colored:?}");
    assert_eq!(column.values.type_name(), "raw");
}

/// The bytes of a line of chat are all that the server printed behind the name up to the end of the line, blanks included. CPMA
/// sends what a team says as an argument in quotation marks.
#[test]
fn chat_has_all_bytes_of_its_line() {
    let (mut lines, mut with_blanks) = (0, 0);
    for path in recordings(|extension| extension != "qwz" && FileKind::by_extension(extension).is_some()) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let Ok(mut chat) = rows(&[&table::CHAT], &demo, &name) else { continue };
        let mut printed: Vec<(u64, Vec<u8>)> = Vec::new();
        texts(&demo[..], &name, Limits::default(), &mut |text| {
            if matches!(text.kind, TextTag::Print | TextTag::Chat | TextTag::Command) {
                printed.push((text.block, text.text_raw.clone()));
            }
            Ok(())
        })
        .unwrap();
        for row in chat.remove(0) {
            let text = row["text"].as_str().unwrap();
            let bytes = |raw: &Value| raw.as_str().unwrap().chars().map(|c| c as u8).collect();
            let raw: Vec<u8> = row.get("text_raw").map_or_else(|| text.as_bytes().to_vec(), bytes);
            let block = row["block"].as_u64().unwrap();
            let near = || printed.iter().filter(|(at, _)| (block.saturating_sub(8)..=block).contains(at));
            // A line may come in pieces.
            let joined = near().flat_map(|(_, text)| text.clone()).collect::<Vec<u8>>();
            let is_line = |text: &[u8]| {
                (0..text.len()).any(|at| {
                    let (front, rest) = text.split_at(at);
                    // A line without a name is what a server says.
                    let is_server = front.is_empty() && row.get("speaker").is_none();
                    let begins = is_server || [&b": "[..], b"> ", b"\""].iter().any(|end| front.ends_with(end));
                    begins && rest.strip_prefix(&raw[..]).is_some_and(|rest| matches!(rest, [] | [b'\n' | b'"', ..]))
                })
            };
            let is_empty = raw.is_empty() && near().any(|(_, text)| text.ends_with(b": "));
            assert!(is_empty || near().any(|(_, text)| is_line(text)) || is_line(&joined), "{name}, {block}: {row:?}");
            lines += 1;
            with_blanks += u32::from(raw.ends_with(b" "));
        }
    }
    assert!(shared("corpus").is_none() || with_blanks > 30, "{with_blanks} of {lines}");
}
