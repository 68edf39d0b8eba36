//! What is cut, put in, or written by other programs.

use qdemo::analysis::check::Severity;

use super::{edited, holding, number, of, report, serious, value};
use crate::common::{demo, quake2_demo, serverinfo, testdata};

/// A warning of one check, at a block or at none.
fn warning(rule: &str, block: Option<u64>) -> (&str, Severity, Option<u64>) {
    (rule, Severity::Warning, block)
}

#[test]
fn recordings_of_the_project_are_in_order() {
    for name in ["clip.dem", "dm13-15.dem", "e0m1-666.dem", "q2-demo1.dm2", "q2pro-dm.mvd2"] {
        assert!(report(&testdata(name), name).findings.is_empty(), "{name}");
    }
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        assert_eq!(serious(&report(&testdata(name), name)), [], "{name}");
    }
}

/// Quake, and id's Quake II, read nothing there, and take that for the end.
#[test]
fn an_empty_block() {
    let level = serverinfo(15, &[]);
    let bytes = demo("-1\n", &[&level, &[], b"\x07\0\0\x80\x3F", &[2]]);
    assert_eq!(serious(&report(&bytes, "x.dem")), [warning("end", Some(1))]);
    let said = b"\x0A\x02hello\n\0";
    let mut level = vec![12];
    level.extend([34i32, 7].map(i32::to_le_bytes).concat());
    level.extend(b"\x01\0\0\0base1\0");
    let bytes = quake2_demo(&[&level, said, &[], said]);
    assert_eq!(serious(&report(&bytes, "x.dm2")), [warning("end", Some(2))]);
}

/// Packets get lost: a note. Server commands do not.
#[test]
fn a_server_command_cut_out() {
    let recording = testdata("oa-dm4.dm_71");
    let mut next = None;
    let cut = edited(&recording, "x.dm_71", |statements| {
        let command = "\n serverCommand {\n  seq 31;\n";
        let with = holding(statements, command);
        assert!(!with.is_empty());
        for at in with {
            let from = statements[at].find(command).unwrap() + 1;
            let end = from + statements[at][from..].find("\n }\n").unwrap() + 3;
            statements[at].replace_range(from..end, "");
        }
        next = holding(statements, "\n  seq 32;\n").first().map(|at| number(&statements[*at]));
    });
    let report = report(&cut, "x.dm_71");
    assert_eq!(serious(&report), [warning("gaps", next)]);
    assert_eq!((value(&report.findings[0], "before"), value(&report.findings[0], "number")), (30.into(), 32.into()));
}

#[test]
fn a_packet_cut_out() {
    let cut = edited(&testdata("oa-dm4.dm_71"), "x.dm_71", |statements| drop(statements.remove(300)));
    let report = report(&cut, "x.dm_71");
    assert_eq!(serious(&report), []);
    let gaps: Vec<_> = of(&report, "gaps");
    assert!(gaps.iter().any(|gap| gap.text.contains("is not there") && gap.block.is_some()), "{gaps:?}");
}

/// The server counts the frames of a multi-view demo.
#[test]
fn a_frame_cut_out_of_a_multiview_demo() {
    let recording = testdata("ez-dm.mvd");
    let whole = report(&recording, "x.mvd");
    assert!(of(&whole, "gaps").is_empty());
    let cut = edited(&recording, "x.mvd", |statements| {
        let with = holding(statements, "\n deltapacketentities {\n");
        assert!(with.len() > 300);
        statements.remove(with[200]);
    });
    let report = report(&cut, "x.mvd");
    let gaps = of(&report, "gaps");
    assert_eq!(gaps.len(), 1);
    let gap = |name| value(gaps[0], name).as_i64().unwrap();
    assert_eq!((gaps[0].severity, (gap("due") + 1) & 0xFF), (Severity::Warning, gap("number")));
}

#[test]
fn frames_of_quake_2() {
    let cut = edited(&testdata("q2-demo1.dm2"), "x.dm2", |statements| {
        let with = holding(statements, "\n frame {\n");
        statements.remove(with[100]);
    });
    let report = report(&cut, "x.dm2");
    assert_eq!(serious(&report), []);
    assert_eq!(of(&report, "gaps").len(), 1);
    // The frame behind it builds on the one that is not there.
    assert_eq!(of(&report, "base").len(), 1);
}

#[test]
fn time_runs_backwards() {
    let mut block = 0;
    let edited = edited(&testdata("clip.dem"), "x.dem", |statements| {
        let with = holding(statements, "\n time ");
        let (one, other) = (with[200], with[260]);
        block = number(&statements[one]);
        statements.swap(one, other);
    });
    let report = report(&edited, "x.dem");
    let found = of(&report, "clock");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|finding| finding.severity == Severity::Warning));
    assert_eq!(found[0].block, Some(block + 1));
}

#[test]
fn encodings_of_other_programs() {
    let quake = edited(&testdata("e0m1-666.dem"), "x.dem", |statements| {
        let with = holding(statements, "\n updateentity {\n  entity 1;\n");
        let statement = &mut statements[with[20]];
        *statement = statement.replacen("  entity 1;\n", "  entity 1;\n  mask_extra 1;\n", 1);
    });
    let found = report(&quake, "x.dem");
    let [(rule, severity, Some(_))] = serious(&found)[..] else { panic!("{found:?}") };
    assert_eq!((rule, severity, &*found.findings[0].source), ("editing", Severity::Warning, "updateentity"));
    let quake3 = edited(&testdata("oa-dm4.dm_71"), "x.dm_71", |statements| {
        let with = holding(statements, "\n  player {\n");
        let statement = &mut statements[with[100]];
        *statement = statement.replacen("  player {\n", "  player {\n   count 48;\n", 1);
    });
    let found = report(&quake3, "x.dm_71");
    let [(rule, _, Some(_))] = serious(&found)[..] else { panic!("{found:?}") };
    assert_eq!((rule, value(of(&found, "editing")[0], "word")), ("editing", "count".into()));
}

/// Lists of entities are in order of their numbers.
#[test]
fn entities_out_of_order() {
    for (name, from) in [
        ("oa-dm4.dm_71", "\n   entity {\n"),
        ("ez-dm.qwd", "\n  packetentity {\n"),
        ("q2-demo1.dm2", "\n  packetentity {\n"),
    ] {
        let mut block = None;
        let edited = edited(&testdata(name), name, |statements| {
            let several =
                |statement: &&mut String| statement.matches(from).count() > 2 && !statement.contains("gamestate");
            let statement = statements.iter_mut().find(several).expect(name);
            block = Some(number(statement));
            // The second one comes to stand in front of the first.
            let places: Vec<usize> = statement.match_indices(from).map(|(at, _)| at).take(3).collect();
            let [first, second, third] = places[..] else { panic!("{name}") };
            let (one, two) = (statement[first..second].to_owned(), statement[second..third].to_owned());
            statement.replace_range(first..third, &(two + &one));
        });
        let report = report(&edited, name);
        let found = of(&report, "editing");
        assert!(found.iter().any(|f| f.block == block && value(f, "word") == "order"), "{name}: {report:?}");
    }
}

/// A recording that was begun in the middle of a level has the true time, and says so.
#[test]
fn the_beginning_of_a_level() {
    let late = edited(&testdata("clip.dem"), "x.dem", |statements| {
        let with = holding(statements, "\n time ");
        statements.drain(with[0]..with[400]);
    });
    let report = report(&late, "x.dem");
    let [start] = of(&report, "start")[..] else { panic!("{report:?}") };
    assert!(start.severity == Severity::Note && value(start, "time").as_f64().unwrap() > 3.0);
}

#[test]
fn the_end_is_the_end() {
    let recording = testdata("clip.dem");
    let without = edited(&recording, "x.dem", |statements| drop(statements.pop()));
    let found = report(&without, "x.dem");
    assert_eq!((serious(&found), of(&found, "end").len()), (vec![], 1));
    // Engines write that block once more where a server disconnects them: then they stop recording.
    let twice = edited(&recording, "x.dem", |statements| statements.extend(statements.last().cloned()));
    let found = report(&twice, "x.dem");
    assert_eq!((serious(&found), of(&found, "end").len()), (vec![], 0), "{found:?}");
    let more = edited(&recording, "x.dem", |statements| {
        let last = statements.pop().unwrap();
        let before = statements.len() - 1;
        statements.insert(before, last);
    });
    let found = report(&more, "x.dem");
    let [("end", Severity::Warning, Some(_))] = serious(&found)[..] else { panic!("{found:?}") };
}

/// A file that ends too early is usual; bytes that cannot be read are not.
#[test]
fn damage() {
    let recording = testdata("clip.dem");
    let found = report(&recording[..recording.len() / 2], "x.dem");
    assert_eq!((serious(&found), of(&found, "damage").len()), (vec![], 1));
    let mut broken = recording.clone();
    let middle = recording.len() / 2;
    broken[middle..middle + 64].fill(0xFF);
    let found = report(&broken, "x.dem");
    assert!(serious(&found).iter().any(|(rule, ..)| *rule == "damage"), "{found:?}");
    assert_eq!(found.faults.is_empty(), of(&found, "damage").is_empty());
}
