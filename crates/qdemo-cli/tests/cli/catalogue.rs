//! `index`: the catalogue says what `export` says, whatever happened on the way.

mod find;

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value as Json};

use crate::support::{Place, clip, gzip, pak, testdata};

const DEMOS: [&str; 8] = [
    "clip.dem",
    "ez-dm.mvd",
    "merge-a.qwd",
    "oa-dm2.dm_68",
    "oa-dm4.dm_71",
    "oa-dm5.dm_66",
    "q2-demo1.dm2",
    "q2pro-dm.mvd2",
];

const TABLES: [&str; 8] = ["demos", "levels", "matches", "players", "frags", "chat", "highlights", "runs"];

/// A folder of demos, packed ones, broken ones and copies among them.
fn demos() -> Place {
    let place = Place::new();
    for name in DEMOS {
        place.write(&format!("demos/{name}"), &testdata(name));
    }
    place.write("demos/packed/clip.dem.gz", &gzip(&clip()));
    place.write(
        "demos/packed/pak0.pak",
        &pak(&[("demo1.dem", &clip()), ("a.cfg", b"x"), ("demo2.mvd", &testdata("ez-dm.mvd"))]),
    );
    place.write("demos/packed/cut.dem.gz", &gzip(&clip())[..9000]);
    place.write("demos/readme.txt", b"no demo");
    place.write("demos/no.dem", b"no demo at all");
    place
}

fn index(place: &Place, db: &str) -> Json {
    let done = place.run(&["index", "--quiet", "demos", "--db", db, "--json"]);
    assert!(matches!(done.code, 0 | 2), "{}", done.err);
    let mut objects = done.objects();
    assert_eq!(objects.len(), 1);
    objects.remove(0)
}

fn open(place: &Place, db: &str) -> Connection {
    Connection::open_with_flags(place.path(db), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap()
}

/// Rows of a table but for the numbers that follow from the order of reading, by recording and place in it.
fn rows(db: &Connection, table: &str) -> Vec<Vec<Value>> {
    let order = if table == "demos" { "d.file, d.number" } else { "d.file, d.number, t.row" };
    let sql = match table {
        "demos" => format!(
            "SELECT d.number, d.file, d.*, i.info FROM demos d LEFT JOIN info i ON i.demo = d.id ORDER BY {order}"
        ),
        _ => format!("SELECT d.number, d.file, t.* FROM {table} t JOIN demos d ON d.id = t.demo ORDER BY {order}"),
    };
    let mut statement = db.prepare(&sql).unwrap();
    let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let kept: Vec<_> =
        (0..names.len()).filter(|at| !matches!(names[*at].as_str(), "id" | "file_id" | "demo") || *at < 2).collect();
    let row = |row: &rusqlite::Row<'_>| kept.iter().map(|at| row.get(*at)).collect();
    statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

/// All that a catalogue says, and that it is whole.
fn content(place: &Place, db: &str) -> Vec<Vec<Vec<Value>>> {
    let db = open(place, db);
    let whole: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
    let loose = db.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert!(!loose);
    for search in ["chat_search", "words_search"] {
        // What is found is what is there.
        db.execute(&format!("INSERT INTO {search} ({search}, rank) VALUES ('integrity-check', 1)"), []).unwrap();
    }
    let words = "SELECT w.kind, w.word, d.file, d.number FROM words w JOIN found_in f ON f.word = w.id JOIN demos d ON d.id = f.demo \
        ORDER BY 1, 2, 3, 4";
    let words = db
        .prepare(words)
        .unwrap()
        .query_map([], |row| (0..4).map(|at| row.get(at)).collect())
        .unwrap()
        .collect::<Result<Vec<Vec<Value>>, _>>()
        .unwrap();
    TABLES.iter().map(|table| rows(&db, table)).chain([words]).collect()
}

/// A value as JSON writes it.
fn json(value: &Value, is_boolean: bool) -> Option<Json> {
    Some(match value {
        Value::Integer(v) if is_boolean => (*v != 0).into(),
        Value::Integer(v) => (*v).into(),
        Value::Real(v) => (*v).into(),
        Value::Text(v) => v.as_str().into(),
        Value::Null | Value::Blob(_) => return None,
    })
}

#[test]
fn every_value_is_that_of_export() {
    let place = demos();
    index(&place, "demos.sqlite");
    let db = open(&place, "demos.sqlite");
    let folder = place.path("demos").canonicalize().unwrap();
    for table in TABLES {
        let export = place.run(&["export", "--quiet", folder.to_str().unwrap(), "--table", table, "--json"]);
        let mut expected: Vec<Map<String, Json>> =
            export.objects().into_iter().map(|it| it.as_object().unwrap().clone()).collect();
        expected.sort_by_key(|row| row["file"].as_str().unwrap().to_owned());
        let sql = match table {
            "demos" => {
                "SELECT d.*, i.info FROM demos d LEFT JOIN info i ON i.demo = d.id ORDER BY file, d.number".to_owned()
            }
            _ => format!(
                "SELECT d.file, t.* FROM {table} t JOIN demos d ON d.id = t.demo ORDER BY d.file, d.number, t.row"
            ),
        };
        let mut statement = db.prepare(&sql).unwrap();
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let booleans: BTreeSet<String> =
            expected.iter().flatten().filter(|(_, value)| value.is_boolean()).map(|(name, _)| name.clone()).collect();
        let row = |row: &rusqlite::Row<'_>| {
            let mut map = Map::new();
            for (at, name) in names.iter().enumerate() {
                let added = match table {
                    "demos" => matches!(name.as_str(), "id" | "file_id" | "number" | "date" | "date_from"),
                    _ => matches!(name.as_str(), "id" | "demo" | "row"),
                };
                if let Some(value) = json(&row.get(at)?, booleans.contains(name)).filter(|_| !added) {
                    map.insert(name.clone(), value);
                }
            }
            Ok(map)
        };
        let actual: Vec<_> = statement.query_map([], row).unwrap().map(Result::unwrap).collect();
        assert_eq!(actual.len(), expected.len(), "{table}");
        for (actual, expected) in actual.iter().zip(&expected) {
            assert_eq!(actual, expected, "{table}");
        }
        // testdata has no run.
        assert!(!actual.is_empty() || table == "runs", "{table}");
    }
}

#[test]
fn only_what_changed_is_read() {
    let place = demos();
    let first = index(&place, "demos.sqlite");
    // Eight demos, three packed files with four recordings, and one that is none.
    assert_eq!([&first["read"], &first["demos"], &first["errors"]], [12, 13, 2], "{first}");
    let counts =
        |told: &Json| ["read", "unchanged", "touched", "vanished", "demos"].map(|key| told[key].as_u64().unwrap());
    assert_eq!(counts(&index(&place, "demos.sqlite")), [0, 12, 0, 0, 0]);
    let before = content(&place, "demos.sqlite");

    // Touched: the hash says that nothing changed.
    let touched = std::fs::File::options().write(true).open(place.path("demos/clip.dem")).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    touched.set_modified(then).unwrap();
    assert_eq!(counts(&index(&place, "demos.sqlite")), [0, 11, 1, 0, 0]);
    assert_eq!(counts(&index(&place, "demos.sqlite")), [0, 12, 0, 0, 0]);
    // Its date is that of the file: `date -u -d @1000000000`.
    place.run(&["find", "file:/clip.dem", "on:2001-09-09", "--count"]).ends(0).shows("1\n");

    // Another recording of the same length, in a file and in an archive.
    let mut other = clip();
    let at = other.len() - 40;
    other[at] ^= 1;
    place.write("demos/clip.dem", &other);
    place.write("demos/packed/pak0.pak", &pak(&[("demo1.dem", &other), ("demo3.dem", &clip())]));
    assert_eq!(counts(&index(&place, "demos.sqlite")), [2, 10, 0, 0, 3]);
    place.run(&["find", "file:demo2.mvd", "--count"]).ends(1).shows("0\n");

    // Gone, and back.
    let whole = place.read("demos/oa-dm4.dm_71");
    std::fs::remove_file(place.path("demos/oa-dm4.dm_71")).unwrap();
    assert_eq!(counts(&index(&place, "demos.sqlite")), [0, 11, 0, 1, 0]);
    place.run(&["find", "file:oa-dm4", "--count"]).ends(1).shows("0\n");
    place.run(&["find", "file:oa-dm4", "is:vanished", "--count"]).ends(0).shows("1\n");
    place.write("demos/oa-dm4.dm_71", &whole);
    index(&place, "demos.sqlite");
    place.run(&["find", "file:oa-dm4", "--count"]).ends(0).shows("1\n");

    // As it was at first: the catalogue says what it said, times of files apart, and what one made now says.
    place.write("demos/clip.dem", &clip());
    place.write(
        "demos/packed/pak0.pak",
        &pak(&[("demo1.dem", &clip()), ("a.cfg", b"x"), ("demo2.mvd", &testdata("ez-dm.mvd"))]),
    );
    index(&place, "demos.sqlite");
    index(&place, "new.sqlite");
    let after = content(&place, "demos.sqlite");
    assert_eq!(after, content(&place, "new.sqlite"));
    assert_eq!(after[1..], before[1..]);
}

fn start(place: &Place, db: &str) -> Child {
    let mut command = place.command();
    command.args(["index", "--quiet", "demos", "--db", db, "--jobs", "2"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A folder with so many files that `index` writes several times.
fn many() -> Place {
    let place = demos();
    for n in 0..60 {
        for name in ["oa-dm2.dm_68", "merge-b.dm_71", "dm13-15.dem", "merge-b.qwd", "qizmo.qwz"] {
            place.write(&format!("demos/{n}/{name}"), &testdata(name));
        }
    }
    place
}

/// Killed at some moments, the last of which are late: what is there is whole, and the next run completes it.
#[test]
fn killed_at_any_moment_it_goes_on() {
    let place = many();
    let begun = std::time::Instant::now();
    assert!(start(&place, "whole.sqlite").wait().unwrap().code().is_some());
    let took = begun.elapsed();
    let whole = content(&place, "whole.sqlite");
    let times: u32 = std::env::var("QDEMO_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let mut between = 0;
    for n in 0..times {
        let db = format!("killed{n}.sqlite");
        let mut child = start(&place, &db);
        // A moment that no clock of the program knows of.
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
        std::thread::sleep(took.mul_f64((f64::from(n) + f64::from(nanos % 1000) / 1000.0) / f64::from(times)));
        child.kill().unwrap();
        child.wait().unwrap();
        if place.path(&db).exists() && open(&place, &db).prepare("SELECT 1 FROM found_in").is_ok() {
            let part = content(&place, &db);
            for (part, whole) in part.iter().zip(&whole) {
                assert!(part.iter().all(|row| whole.contains(row)));
            }
            // Of each recording that is there all rows are.
            let files: BTreeSet<_> = part[0].iter().map(|row| format!("{:?}", &row[..2])).collect();
            for (part, whole) in part.iter().zip(&whole).take(TABLES.len()) {
                let there = whole.iter().filter(|row| files.contains(&format!("{:?}", &row[..2])));
                assert_eq!(part.len(), there.count());
            }
            between += usize::from(!files.is_empty() && part[0].len() < whole[0].len());
        }
        index(&place, &db);
        assert!(content(&place, &db) == whole);
    }
    assert!(between > 0 || times < 20, "no run was stopped halfway");
}

#[test]
fn two_at_once_do_no_harm() {
    let place = many();
    let mut both = [start(&place, "both.sqlite"), start(&place, "both.sqlite")];
    for one in &mut both {
        assert!(matches!(one.wait().unwrap().code(), Some(0 | 2)));
    }
    assert!(start(&place, "one.sqlite").wait().unwrap().code().is_some());
    assert!(content(&place, "both.sqlite") == content(&place, "one.sqlite"));
}

/// The files that `find` tells, by name.
fn found(place: &Place, query: &str) -> BTreeSet<String> {
    let done = place.run(&["find", "--paths", "--", query]);
    assert!(matches!(done.code, 0 | 1), "{}", done.err);
    done.text().lines().map(|line| line.rsplit('/').next().unwrap().to_owned()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_cannot_be_read_is_told() {
    let place = demos();
    place.run(&["index", "demos"]).ends(2).says("2 files could not be read").says("is:error");
    assert_eq!(found(&place, "is:error"), set(&["no.dem", "cut.dem.gz"]));
    // What stands before the damage is there.
    assert_eq!(found(&place, "is:error map:start"), set(&["cut.dem.gz"]));
    place.run(&["index", "gone"]).ends(2).says("gone");
    place.run(&["find", "x", "--db", "no.sqlite"]).ends(2).says("qdemo index");
}

/// Files that are something else are not touched.
#[test]
fn foreign_and_newer_databases_stay() {
    let place = demos();
    let make = |name: &str, sql: &str| {
        Connection::open(place.path(name)).unwrap().execute_batch(sql).unwrap();
        place.read(name)
    };
    place.write(
        "text.sqlite",
        b"my dear diary, this is no database, and it is long enough to be taken for one if nobody looks at it",
    );
    for (name, before, says) in [
        ("other.sqlite", make("other.sqlite", "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)"), "no catalogue"),
        (
            "newer.sqlite",
            make("newer.sqlite", "PRAGMA application_id = 0x71646d6f; PRAGMA user_version = 1000"),
            "a newer qdemo",
        ),
        ("text.sqlite", place.read("text.sqlite"), "cannot be opened"),
    ] {
        place.run(&["index", "demos", "--db", name]).ends(2).says(says);
        place.run(&["find", "x", "--db", name]).ends(2).says(name);
        assert_eq!(place.read(name), before, "{name}");
    }
    // One that an older version made is made anew, by `index` alone.
    index(&place, "old.sqlite");
    open(&place, "old.sqlite").execute_batch("PRAGMA user_version = 0; DROP TABLE runs").unwrap();
    place.run(&["find", "x", "--db", "old.sqlite"]).ends(2).says("older");
    assert_eq!(index(&place, "old.sqlite")["read"], 12);
    index(&place, "new.sqlite");
    assert!(content(&place, "old.sqlite") == content(&place, "new.sqlite"));
}

/// What is no file any more is gone, whatever is there in its place, and whatever else cannot be looked at.
#[cfg(unix)]
#[test]
fn what_is_no_file_any_more_is_gone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    for name in [
        "demos/stays.dem",
        "demos/a/one.dem",
        "demos/b/c/two.dem",
        "demos/three.dem",
        "demos/locked/four.dem",
        "far.dem",
    ] {
        place.write(name, &clip());
    }
    symlink(place.path("far.dem"), place.path("demos/link.dem")).unwrap();
    assert_eq!(index(&place, "demos.sqlite")["demos"], 6);
    std::fs::remove_file(place.path("demos/a/one.dem")).unwrap();
    std::fs::remove_dir_all(place.path("demos/b")).unwrap();
    place.write("demos/b", b"a file in place of a folder");
    std::fs::remove_file(place.path("demos/three.dem")).unwrap();
    std::fs::create_dir(place.path("demos/three.dem")).unwrap();
    std::fs::remove_file(place.path("far.dem")).unwrap();
    let permit = |mode| std::fs::set_permissions(place.path("demos/locked"), PermissionsExt::from_mode(mode)).unwrap();
    permit(0);
    let told = index(&place, "demos.sqlite");
    permit(0o755);
    assert_eq!(told["vanished"], 4, "{told}");
    assert_eq!(found(&place, "is:vanished"), set(&["one.dem", "two.dem", "three.dem", "link.dem"]));
    assert_eq!(found(&place, ""), set(&["stays.dem", "four.dem"]));
    // The whole folder is a file now.
    std::fs::remove_dir_all(place.path("demos")).unwrap();
    place.write("demos", &clip());
    assert_eq!(index(&place, "demos.sqlite")["vanished"], 2);
}

/// What is named twice, in whatever words, is read once.
#[test]
fn nothing_is_counted_twice() {
    let place = demos();
    let once = index(&place, "once.sqlite");
    let all = ["demos/packed", "demos", "./demos/../demos", "demos/clip.dem", "demos/packed/pak0.pak"];
    let args = [&["index", "--quiet", "--json", "--db", "twice.sqlite"][..], &all].concat();
    let twice = place.run(&args).objects().remove(0);
    for key in ["read", "unchanged", "demos", "errors", "bytes"] {
        assert_eq!(twice[key], once[key], "{key}");
    }
    let again = place.run(&args).objects().remove(0);
    assert_eq!((&again["read"], &again["unchanged"]), (&Json::from(0), &once["read"]));
    // One that is no demo by its name is read where it is named.
    let named = place.run(&["index", "--quiet", "--json", "demos", "demos/readme.txt"]).objects().remove(0);
    assert_eq!(named["read"].as_u64(), once["read"].as_u64().map(|read| read + 1));
}

/// Nothing waits for what a pipe may hold one day.
#[cfg(unix)]
#[test]
fn pipes_are_no_recordings() {
    let place = Place::new();
    assert!(std::process::Command::new("mkfifo").arg(place.path("x.dem")).status().unwrap().success());
    place.run(&["index", "x.dem"]).ends(2).says("this is no file");
}

/// An archive that cannot be opened has a row with its name and the reason, as any file that cannot be read.
#[test]
fn archives_that_cannot_be_opened_are_rows() {
    let place = Place::new();
    place.write("demos/clip.dem", &clip());
    place.write("demos/names.7z", &testdata("containers/aes-names.7z"));
    let export = place.run(&["export", "-q", "demos", "--table", "demos", "--json"]).ends(2);
    let rows: Vec<_> = export.objects();
    assert_eq!(rows.len(), 2);
    let row = rows.iter().find(|row| row["file"] == "demos/names.7z").unwrap();
    assert!(row["error"].as_str().unwrap().contains("AES"), "{row}");
    index(&place, "demos.sqlite");
    assert_eq!(found(&place, "is:error"), set(&["names.7z"]));
    let members = place.run(&["export", "-q", "demos/names.7z:*", "--table", "demos", "--json"]).ends(2);
    assert_eq!(members.objects()[0]["error"], row["error"]);
}

/// The table of demos says what `info` says, of a recording that is cut where a block ends, too, and of names of any bytes.
#[test]
fn demos_say_what_info_says() {
    let place = Place::new();
    let mut name = testdata("merge-a.qwd");
    for at in 0..name.len() - 4 {
        if &name[at..at + 4] == b"Bert" {
            name[at + 1] = 0x8F;
        }
    }
    // Without the end mark.
    let mut cut = testdata("oa-dm2.dm_68");
    assert_eq!(cut.split_off(cut.len() - 8), [0xFF; 8]);
    place.write("demos/name.qwd", &name);
    place.write("demos/no_end.dm_68", &cut);
    place.write("demos/clip.dem", &clip());
    let infos = place.run(&["info", "--detail", "--json", "demos"]).objects();
    let rows = place.run(&["export", "-q", "demos", "--table", "demos", "--json"]);
    assert!(rows.text().contains("\\u008frt"), "the byte is there");
    assert!(!rows.text().contains('\u{8f}'));
    for (info, row) in infos.iter().zip(rows.objects()) {
        let mut info = info.as_object().unwrap().clone();
        assert_eq!(info.remove("file").unwrap(), row["file"]);
        info.remove("containers");
        let said: Map<String, Json> = serde_json::from_str(row["info"].as_str().unwrap()).unwrap();
        assert_eq!(said, info);
        assert_eq!(row["ends_cleanly"], info["ends_cleanly"]);
        assert_eq!(row["faults"].as_u64().unwrap(), info["faults"].as_array().unwrap().len() as u64);
    }
    let cut = rows.objects().into_iter().find(|row| row["file"] == "demos/no_end.dm_68").unwrap();
    assert_eq!((&cut["faults"], &cut["ends_cleanly"]), (&1.into(), &false.into()));
    index(&place, "demos.sqlite");
    assert_eq!(found(&place, "is:damaged"), set(&["no_end.dm_68"]));
}
