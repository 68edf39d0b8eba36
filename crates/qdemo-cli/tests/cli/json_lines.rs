//! What verbs write with `--json`, and the JSON Schemas that describe it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::support::{Done, Place, clip, gzip, pak, verbs};

const DEMOS: [&str; 11] = [
    "clip.dem",
    "dm13-15.dem",
    "e0m1-666.dem",
    "ez-dm.mvd",
    "ez-dm.qwd",
    "oa-dm2.dm_68",
    "oa-dm4.dm_71",
    "oa-dm5.dm_66",
    "q2-demo1.dm2",
    "q2pro-dm.mvd2",
    "qizmo.qwz",
];

/// Verbs that read recordings, with all that makes their lines longer.
const READING: [&[&str]; 22] = [
    &["info", "--detail", "--hash"],
    &["info", "--quick"],
    &["info", "--ktx"],
    &["verify"],
    &["check"],
    &["state"],
    &["state", "--at", "2"],
    &["timeline"],
    &["players"],
    &["frags"],
    &["chat"],
    &["scores"],
    &["runs"],
    &["events"],
    &["events", "--clock", "match"],
    &["events", "--clock", "level"],
    &["texts"],
    &["highlights"],
    &["stats", "--warmup"],
    &["hash"],
    &["hash", "--duplicates"],
    &["repair", "-n"],
];

/// Verbs that take one recording each.
const WRITING: [&[&str]; 18] = [
    &["cut", "-n", "--from", "1", "--to", "2"],
    &["cut", "-n", "--frag", "all"],
    &["split", "-n", "--by", "level", "-o", "parts"],
    &["view", "-n"],
    &["draw", "-n", "--what", "paths"],
    &["draw", "-n", "--what", "scores"],
    &["report", "-n"],
    &["retime", "-n", "--speed", "2"],
    &["edit", "-n", "--sanitize"],
    &["edit", "-n", "--remove", "print"],
    &["camera", "-n", "--script", "cam.toml"],
    &["convert", "-n", "--to", "dem", "--protocol", "15"],
    &["convert", "-n", "--to", "dm2", "--protocol", "34"],
    &["convert", "-n", "--to", "dm_68"],
    &["export", "--table", "positions", "--every", "1"],
    &["export", "--table", "messages"],
    &["export", "--table", "inputs"],
    &["join", "-n"],
];

fn schema(verb: &str) -> Value {
    serde_json::from_str(Place::new().run(&["schema", "json", verb]).ends(0).in_silence().text()).unwrap()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).unwrap();
    jsonschema::draft202012::new(schema).unwrap()
}

/// Asserts that all lines fit.
fn fits(validator: &Validator, lines: &[Value], what: &str) {
    for line in lines {
        if let Some(error) = validator.iter_errors(line).next() {
            let line: String = line.to_string().chars().take(1000).collect();
            // Of a line that is none of several kinds this is no more than that.
            let error: String = error.to_string().chars().rev().take(500).collect();
            let error: String = error.chars().rev().collect();
            assert!(error.is_empty(), "{what}: {error}: {line}");
        }
    }
}

fn with_json(place: &Place, args: &[&str], files: &[&str]) -> Done {
    place.run(&[&["--quiet"], args, &["--json"], files].concat())
}

/// Files of testdata, packed and damaged ones among them.
fn place() -> Place {
    let place = Place::with(&DEMOS);
    place.write("again.dem.gz", &gzip(&clip()));
    place.write("cam.toml", b"[[shot]]\nfrom = \"100ms\"\nto = 2\nkind = \"ride\"\nwho = { entity = 900 }\n");
    place.write("behind.dem.gz", &[gzip(&clip()), b"\r\n".to_vec()].concat());
    place.write("cut.dem.gz", &gzip(&clip())[..9000]);
    place.write("e1m1_024.dem", &clip());
    place.write("old.pak", &pak(&[("demo1.dem", &clip()), ("readme.txt", b"no demo")]));
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bad");
    for entry in std::fs::read_dir(bad).unwrap().map(|entry| entry.unwrap()) {
        place.write(&format!("bad/{}", entry.file_name().to_str().unwrap()), &std::fs::read(entry.path()).unwrap());
    }
    place
}

/// Lines of a verb, for each way to call it.
type Lines = Vec<(String, Vec<Value>)>;

/// The lines of each verb over all of it. They are written once for all tests.
fn all_lines() -> &'static [(String, Lines)] {
    static ALL: LazyLock<Vec<(String, Lines)>> = LazyLock::new(|| {
        let place = place();
        writers().into_iter().map(|verb| (verb.clone(), lines(&place, &verb))).collect()
    });
    &ALL
}

fn lines(place: &Place, verb: &str) -> Lines {
    let mut all = Vec::new();
    let mut add = |done: Done, args: &[&str]| all.push((args.join(" "), done.objects()));
    for args in READING.iter().filter(|args| args[0] == verb) {
        add(with_json(place, args, &["."]), args);
    }
    for args in WRITING.iter().filter(|args| args[0] == verb) {
        DEMOS.iter().for_each(|demo| add(with_json(place, args, &[demo]), args));
    }
    match verb {
        "info" => add(with_json(place, &["info"], &["old.pak", "missing.dem"]), &["info old.pak"]),
        "check" => add(with_json(place, &["check", "--list"], &[]), &["check --list"]),
        "join" => add(with_json(place, &["join", "-n"], &["clip.dem", "e1m1_024.dem"]), &["join two"]),
        "merge" => {
            for [a, b] in [["merge-a.dm_71", "merge-b.dm_71"], ["ez-dm.qwd", "ez-dm.qwd"]] {
                add(with_json(place, &["merge", "-n"], &[a, b]), &["merge", a, b]);
            }
        }
        "diff" => {
            for [a, b] in [
                ["clip.dem", "dm13-15.dem"],
                ["clip.dem", "again.dem.gz"],
                ["ez-dm.mvd", "ez-dm.qwd"],
                ["oa-dm2.dm_68", "oa-dm4.dm_71"],
                ["q2-demo1.dm2", "q2pro-dm.mvd2"],
                ["clip.dem", "missing.dem"],
            ] {
                add(with_json(place, &["diff"], &[a, b]), &["diff", a, b]);
            }
        }
        "decompile" => add(with_json(place, &["decompile"], &["clip.dem"]), &["decompile"]),
        "index" => add(with_json(place, &["index"], &["."]), &["index"]),
        "find" => {
            // Some of these files cannot be read.
            place.run(&["index", "--quiet", "."]);
            add(with_json(place, &["find"], &[]), &["find"]);
            for table in ["levels", "matches", "players", "frags", "chat", "highlights", "runs"] {
                add(with_json(place, &["find", "--show", table], &[]), &["find", "--show", table]);
            }
        }
        _ => {}
    }
    all
}

/// Verbs that have `--json`.
fn writers() -> Vec<String> {
    let place = Place::new();
    let has = |verb: &String| {
        let help = place.run(&[verb, "--help"]).ends(0);
        help.text().lines().any(|line| line.trim() == "--json")
    };
    verbs().into_iter().filter(has).collect()
}

#[test]
fn every_line_of_testdata_fits_its_schema() {
    assert!(all_lines().len() > 20, "{:?}", writers());
    for (verb, all) in all_lines() {
        let (validator, mut count) = (validator(&schema(verb)), 0);
        for (what, lines) in all {
            count += lines.len();
            fits(&validator, lines, what);
        }
        // No recording of testdata has a run.
        assert!(count > 0 || verb == "runs", "{verb}");
    }
}

/// Recordings below a megabyte, where there is a corpus.
fn corpus() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let base = std::env::var_os("QDEMO_CORPUS").map_or(beside, PathBuf::from).join("corpus");
    let mut files = Vec::new();
    for folder in std::fs::read_dir(base).into_iter().flatten().filter_map(Result::ok) {
        files.extend(std::fs::read_dir(folder.path()).into_iter().flatten().filter_map(Result::ok));
    }
    let small = files.into_iter().filter(|file| file.metadata().is_ok_and(|it| it.is_file() && it.len() < 1_000_000));
    let mut small: Vec<_> = small.map(|file| file.path()).collect();
    small.sort();
    small
}

#[test]
fn every_line_of_the_corpus_fits_its_schema() {
    let files = corpus();
    if files.is_empty() {
        return;
    }
    let place = Place::new();
    for args in READING.iter().filter(|args| !matches!(args[0], "frags" | "chat" | "scores" | "repair")) {
        let mut command: Command = place.command();
        let out = command.arg("--quiet").args(*args).arg("--json").args(&files).output().unwrap().stdout;
        let lines: Vec<Value> =
            out.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        assert!(!lines.is_empty(), "{args:?}");
        fits(&validator(&schema(args[0])), &lines, &args.join(" "));
    }
}

/// True where anything may stand: the values that a finding shows, what happened in one recording only, what KTX wrote, and
/// fields of messages and of the world.
fn is_any(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(name, "evidence" | "event" | "ktx_stats") || path.contains("/fields/") && matches!(name, "a" | "b")
}

/// Where names stand for keys: of rules, items, weapons, settings, strings.
const NAMES: [&str; 12] = [
    "left_out",
    "carried",
    "items",
    "item_numbers",
    "weapons",
    "stats",
    "settings",
    "serverinfo",
    "userinfo",
    "configstrings",
    "personal_configstrings",
    "inventory",
];

/// Asserts that nothing of a line can be of another type, and that no object of it can have one more key.
fn is_closed(validator: &Validator, line: &mut Value, path: &str, what: &str) {
    let nonsense = || json!({"made_up": [true]});
    let name = path.rsplit('/').next().unwrap_or_default();
    let keys = match line.pointer_mut(path) {
        Some(Value::Object(object)) => {
            let keys: Vec<_> = object.keys().cloned().collect();
            if !NAMES.contains(&name) {
                object.insert("made_up".to_owned(), true.into());
                assert!(!validator.is_valid(line), "{what}: {path} may have unknown keys");
            }
            if let Some(Value::Object(object)) = line.pointer_mut(path) {
                object.remove("made_up");
            }
            keys
        }
        // The others are like the first.
        Some(Value::Array(all)) if !all.is_empty() => vec!["0".to_owned()],
        _ => return,
    };
    for key in keys {
        let place = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        if is_any(&place) {
            continue;
        }
        if let Some(value) = line.pointer_mut(&place) {
            let is = std::mem::replace(value, nonsense());
            assert!(!validator.is_valid(line), "{what}: {place} may be anything");
            if let Some(value) = line.pointer_mut(&place) {
                *value = is;
            }
        }
        is_closed(validator, line, &place, what);
    }
}

/// A schema that leaves things open would not show that a key is missing in it.
#[test]
fn schemas_are_closed() {
    for (verb, all) in all_lines().iter().filter(|(verb, _)| *verb != "decompile" && *verb != "runs") {
        let validator = validator(&schema(verb));
        let mut tried = 0;
        for (what, lines) in all {
            for line in lines.iter().step_by(lines.len() / 5 + 1) {
                is_closed(&validator, &mut line.clone(), "", what);
                tried += 1;
            }
        }
        assert!(tried > 0, "{verb}");
    }
}

#[test]
fn one_document_has_the_schemas_of_all_verbs() {
    let place = Place::new();
    let mut all: Value = serde_json::from_str(place.run(&["schema", "json"]).ends(0).in_silence().text()).unwrap();
    jsonschema::draft202012::meta::validate(&all).unwrap();
    for (verb, of_verb) in all_lines().iter().filter(|(verb, _)| verb != "decompile") {
        all["$ref"] = format!("#/$defs/{verb}").into();
        let validator = jsonschema::draft202012::new(&all).unwrap();
        for (what, lines) in of_verb {
            fits(&validator, &lines[..lines.len().min(3)], what);
        }
        assert!(!validator.is_valid(&json!({"made_up": true})), "{verb}");
    }
    place.run(&["schema", "json", "unpack"]).ends(2).says("no such verb").says("timeline");
    place.run(&["schema", "json", "--markdown"]).ends(2);
}

/// Every key says what it is.
#[test]
fn every_key_is_described() {
    fn look(schema: &Value, path: &str, told: &mut usize) {
        if let Some(keys) = schema.get("properties").and_then(Value::as_object) {
            for (name, key) in keys {
                let said = ["description", "$ref", "const"].iter().any(|word| key.get(word).is_some());
                assert!(said, "{path}: {name}: {key}");
                *told += 1;
            }
        }
        if let Some(text) = schema.get("description").and_then(Value::as_str) {
            assert!(!text.contains("::") && !text.contains("[`") && !text.contains("`None`"), "{path}: {text}");
        }
        match schema {
            Value::Object(all) => all.iter().for_each(|(name, one)| look(one, &format!("{path}/{name}"), told)),
            Value::Array(all) => all.iter().for_each(|one| look(one, path, told)),
            _ => {}
        }
    }
    let all: Value = serde_json::from_str(Place::new().run(&["schema", "json"]).ends(0).text()).unwrap();
    let mut told = 0;
    look(&all, "", &mut told);
    assert!(told > 500, "{told}");
}

#[test]
fn the_page_of_schemas_is_up_to_date() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json-schema.json");
    let told = Place::new().run(&["schema", "json"]).ends(0);
    assert!(std::fs::read(page).unwrap() == told.out, "docs/json-schema.json is out of date: see CONTRIBUTING.md");
}
