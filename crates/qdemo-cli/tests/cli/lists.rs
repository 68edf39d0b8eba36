//! Rows of CSV for recordings, for those who played, and for what lies where: `info`, `players` and `timeline`.

use std::collections::HashMap;

use serde_json::Value;

use super::support::{Place, clip, gzip};

const ALL: [&str; 6] = ["clip.dem", "ez-dm.mvd", "ez-dm.qwd", "oa-dm2.dm_68", "q2-demo1.dm2", "q2pro-dm.mvd2"];

/// The rows of CSV, each by its headings.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn a_row_for_every_demo() {
    let place = Place::with(&ALL);
    place.write("run.dem.gz", &gzip(&clip()));
    place.write("empty.dem", b"");
    let done = place.run(&["info", "--csv", "."]).ends(2).says("empty.dem");
    let rows = rows(done.text());
    let by_file: HashMap<_, _> = rows.iter().map(|row| (row["file"].as_str(), row)).collect();
    assert_eq!(rows.len(), 7);
    // The hash is that of sha256sum, the numbers those of `PROVENANCE.md` and the files' own names.
    let told = |file: &str, column: &str| by_file[file][column].clone();
    for file in ["./clip.dem", "./run.dem.gz"] {
        assert_eq!(told(file, "sha256"), "34a37e743b5e66a77a61d5ace04bb1979eb41266ff6328e97359648691e232ec");
        assert_eq!([told(file, "bytes"), told(file, "protocol")], ["87295", "999"]);
        assert_eq!([told(file, "map"), told(file, "maps"), told(file, "levels")], ["start", "start", "1"]);
        assert_eq!(told(file, "mode"), "cooperative");
    }
    let formats = ["dem", "mvd", "qwd", "dm3", "dm2", "mvd2"];
    for (file, format) in ALL.iter().zip(formats) {
        assert_eq!(told(&format!("./{file}"), "format"), format);
    }
    assert_eq!(told("./ez-dm.mvd", "map"), "lqdm13");
    assert_eq!([told("./oa-dm2.dm_68", "protocol"), told("./oa-dm2.dm_68", "map")], ["68", "oa_dm2"]);
}

/// A recording in which nobody plays: every list of it says so.
#[test]
fn lists_without_rows_say_nothing() {
    let place = Place::new();
    place.write("nobody.txt", b"track \"-1\\n\"; block { camera 0 0 0; print \"a table of letters\\n\"; disconnect; }");
    place.run(&["compile", "nobody.txt", "-o", "nobody.dem"]).ends(0);
    for verb in ["players", "stats", "frags", "chat", "runs", "highlights"] {
        assert_eq!(place.run(&[verb, "nobody.dem"]).ends(0).text(), "nothing\n", "{verb}");
    }
    place.run(&["players", "nobody.dem", "nobody.dem"]).ends(0).shows("nobody.dem\nnothing\n");
    assert_eq!(place.run(&["players", "--json", "nobody.dem"]).ends(0).text(), "");
}

#[test]
fn rows_say_what_objects_say() {
    let place = Place::with(&ALL);
    for verb in ["players", "timeline"] {
        for file in ALL {
            let objects = place.run(&[verb, "--json", file]).ends(0).objects();
            let csv = place.run(&[verb, "--csv", file]).ends(0).in_silence();
            let rows = rows(csv.text());
            assert!(!rows.is_empty() && rows.len() == objects.len(), "{verb} {file}");
            for (row, object) in rows.iter().zip(&objects) {
                for (column, told) in row {
                    let expected = match &object[column] {
                        Value::Null => String::new(),
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    let same = *told == expected || told.parse::<f64>().ok() == object[column].as_f64();
                    assert!(same, "{verb} {file}: {column} is {told}, not {expected}");
                }
            }
        }
    }
}

#[test]
fn lists_tell_of_demos_what_info_does() {
    let place = Place::with(&ALL);
    for file in ALL {
        let info = place.run(&["info", "--json", file]).ends(0).objects().remove(0);
        let row = rows(place.run(&["info", "--csv", file]).ends(0).in_silence().text()).remove(0);
        for column in ["file", "format", "protocol", "bytes", "ends_cleanly"] {
            assert_eq!(row[column], info[column].to_string().trim_matches('"'), "{file}: {column}");
        }
        assert_eq!(row["map"], info["levels"][0]["map"], "{file}");
        assert_eq!(row["faults"], info["fault_count"].to_string(), "{file}");
        assert_eq!(row["players"].parse::<usize>().unwrap(), row["names"].split(", ").count(), "{file}");
    }
}

#[test]
fn columns_are_chosen() {
    let place = Place::with(&["clip.dem"]);
    let done = place.run(&["info", "--csv", "--columns", "map,protocol", "clip.dem"]).ends(0).in_silence();
    assert_eq!(done.text(), "file,map,protocol\nclip.dem,start,999\n");
    place.run(&["info", "--columns", "map", "clip.dem"]).ends(2).says("--csv");
    place
        .run(&["players", "--csv", "--columns", "nonsense", "clip.dem"])
        .ends(2)
        .says("players has no column nonsense");
    place.run(&["timeline", "--csv", "--json", "clip.dem"]).ends(2);
}

/// The types that the values of a key have, of one in another by the path to it.
fn types(value: &Value, path: &str, seen: &mut HashMap<String, &'static str>) {
    let kind = match value {
        Value::Null => return,
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(all) => {
            all.iter().for_each(|value| types(value, &format!("{path}[]"), seen));
            "list"
        }
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| types(value, &format!("{path}.{key}"), seen));
            "object"
        }
    };
    let before = seen.insert(path.to_owned(), kind).unwrap_or(kind);
    assert_eq!(kind, before, "{path}");
}

#[test]
fn a_key_is_of_one_type_in_all_games() {
    let place = Place::with(&ALL);
    let verbs = ["info", "check", "verify", "state", "stats", "frags", "chat", "scores", "events", "texts"];
    for verb in verbs.into_iter().chain(["players", "timeline"]) {
        let (mut seen, done) = (HashMap::new(), place.run(&[verb, "--json", "."]));
        done.objects().iter().for_each(|object| types(object, verb, &mut seen));
        assert!(seen.len() > 5, "{verb}: {seen:?}");
    }
}
