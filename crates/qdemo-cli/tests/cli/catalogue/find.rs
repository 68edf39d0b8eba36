//! `find`: queries find what the tables say, in the order and the form that are asked for.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;

use super::{DEMOS, demos, found, index, open, set};
use crate::support::{Place, clip, pak, tar, testdata, zip};

/// These recordings, and a catalogue of them.
fn indexed(names: &[&str]) -> Place {
    let place = Place::new();
    for name in names {
        place.write(&format!("demos/{name}"), &testdata(name));
    }
    index(&place, "demos.sqlite");
    place
}

/// The name of the file that a row is of.
fn file_of(row: &Json) -> String {
    row["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
}

/// A server of QuakeWorld gives those who watch -999 frags, which is no score of anybody.
#[test]
fn scores_are_those_of_players() {
    let block = |seconds: f32, messages: &[u8]| {
        let packet = [&1u32.to_le_bytes()[..], &0u32.to_le_bytes(), messages].concat();
        [&seconds.to_le_bytes()[..], &[1], &(packet.len() as u32).to_le_bytes(), &packet].concat()
    };
    for (info, finds) in [(r"\name\watcher\*spectator\1", false), (r"\name\player", true)] {
        let place = Place::new();
        let level =
            [&[11][..], &28i32.to_le_bytes(), &1i32.to_le_bytes(), b"qw\0", &[0], b"level\0", &[0; 40]].concat();
        let user = [&[40, 0][..], &7i32.to_le_bytes(), info.as_bytes(), &[0]].concat();
        let frags = [&[14, 0][..], &(-999i16).to_le_bytes()].concat();
        let nothing_in_view = [47, 0, 0];
        let demo = [block(1.0, &[level, user, frags].concat()), block(2.0, &nothing_in_view)].concat();
        place.write("demos/made.qwd", &demo);
        index(&place, "demos.sqlite");
        assert_eq!(found(&place, ""), set(&["made.qwd"]));
        assert_eq!(!found(&place, "frags<0").is_empty(), finds, "{info}");
    }
}

#[test]
fn queries_find_what_the_tables_say() {
    let place = indexed(&DEMOS);
    let all = set(&DEMOS);
    assert_eq!(found(&place, ""), all);
    // The answers by other means: rows of `export`.
    let export = |table: &str| place.run(&["export", "-q", "demos", "--table", table, "--json"]).objects();
    let by = |rows: &[Json], fits: &dyn Fn(&Json) -> bool| {
        let names =
            rows.iter().filter(|row| fits(row)).map(|row| row["file"].as_str().unwrap().rsplit('/').next().unwrap());
        names.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let has = |row: &Json, key: &str, part: &str| row[key].as_str().unwrap_or_default().to_lowercase().contains(part);
    let (demos, players, frags, chat) = (export("demos"), export("players"), export("frags"), export("chat"));
    let plays = |row: &Json, part: &str| has(row, "name", part) && row["spectator"] == false;
    let sarge = by(&players, &|row| plays(row, "sarge"));
    assert!(sarge.len() > 1 && sarge.len() < all.len());
    assert_eq!(found(&place, "player:SARGE"), sarge);
    assert_eq!(found(&place, "-player:sarge"), &all - &sarge);
    assert_eq!(found(&place, "player:?arge"), sarge);
    assert_eq!(found(&place, "player:sa"), by(&players, &|row| plays(row, "sa")));
    let rockets = |row: &Json| has(row, "weapon", "rocket") || has(row, "means", "rocket");
    let kills_another = |row: &Json| row["frag_kind"] != "suicide" && row["frag_kind"] != "world";
    assert_eq!(found(&place, "weapon:rocket"), by(&frags, &rockets));
    let mut some = 0;
    for name in ["sarge", "recorder", "arachna", "bert", "anna"] {
        for weapon in ["rocket", "shotgun", "plasma", "lightning"] {
            let with = |row: &Json| has(row, "weapon", weapon) || has(row, "means", weapon);
            let his = by(&frags, &|row| has(row, "attacker", name) && with(row) && kills_another(row));
            let his = &his & &by(&players, &|row| plays(row, name));
            some += usize::from(!his.is_empty() && his != by(&frags, &with));
            assert_eq!(found(&place, &format!("player:{name} weapon:{weapon}")), his);
            assert_eq!(found(&place, &format!("weapon:{weapon} player:{name}")), his);
        }
    }
    assert!(some > 0);
    assert_eq!(found(&place, "victim:sarge"), by(&frags, &|row| has(row, "victim", "sarge") && kills_another(row)));
    let kills = |n: usize| {
        let of = |file: &str| {
            let his = |row: &&Json| {
                has(row, "file", &file.to_lowercase()) && has(row, "attacker", "sarge") && row["frag_kind"] == "kill"
            };
            frags.iter().filter(his).count()
        };
        all.iter().filter(|file| sarge.contains(*file) && of(file) >= n).cloned().collect::<BTreeSet<_>>()
    };
    for n in 0..6 {
        assert_eq!(found(&place, &format!("player:sarge kills>={n}")), kills(n), "{n}");
    }
    assert_eq!(
        found(&place, "player:sarge frags>1"),
        by(&players, &|row| plays(row, "sarge") && row["frags"].as_i64() > Some(1))
    );
    assert_eq!(found(&place, "frags<0"), by(&players, &|row| row["frags"].as_i64().is_some_and(|n| n < 0)));
    assert_eq!(found(&place, "chat:\"from the\""), by(&chat, &|row| has(row, "text", "from the")));
    assert_eq!(
        found(&place, "chat:hel*"),
        by(&chat, &|row| has(row, "text", " hel") || row["text"].as_str().unwrap().starts_with("hel"))
    );
    for (query, key, fits) in [
        ("length>22s", "length_ms", (|n| n > 22_000) as fn(i64) -> bool),
        ("length:20s..0:22", "length_ms", |n| (20_000..=22_000).contains(&n)),
        ("size<=50KB", "bytes", |n| n <= 50_000),
        ("players>=3", "players", |n| n >= 3),
        ("protocol:68", "protocol", |n| n == 68),
    ] {
        let expected = by(&demos, &|row| row[key].as_i64().is_some_and(fits));
        assert!(!expected.is_empty() && expected != all, "{query}");
        assert_eq!(found(&place, query), expected, "{query}");
    }
    assert_eq!(
        found(&place, "game:quake3 OR game:quake2"),
        by(&demos, &|row| row["game"] == "quake3" || row["game"] == "quake2")
    );
    assert_eq!(found(&place, "(map:oa_dm2 OR map:oa_dm4) -length>30s"), set(&["oa-dm2.dm_68"]));
    assert_eq!(found(&place, "map:oa_*"), by(&demos, &|row| has(row, "map", "oa_")));
    assert_eq!(found(&place, "map:oa_"), set(&[]));
    assert_eq!(found(&place, "q2pro"), set(&["q2pro-dm.mvd2"]));
    // What stands in parentheses, and behind -, is about the player that stands beside it.
    let mut some = 0;
    for name in ["sarge", "recorder", "arachna", "angelyss", "anna"] {
        let all_his = by(&players, &|row| plays(row, name));
        let with = |weapon: &str| {
            let with = |row: &Json| has(row, "weapon", weapon) || has(row, "means", weapon);
            &by(&frags, &|row| has(row, "attacker", name) && with(row) && kills_another(row)) & &all_his
        };
        let (rocket, plasma) = (with("rocket"), with("plasma"));
        some += [&rocket, &plasma].into_iter().filter(|his| !his.is_empty() && **his != all_his).count();
        assert_eq!(found(&place, &format!("player:{name} (weapon:rocket)")), rocket);
        assert_eq!(found(&place, &format!("player:{name} -weapon:rocket")), &all_his - &rocket);
        assert_eq!(found(&place, &format!("(weapon:rocket OR weapon:plasma) player:{name}")), &rocket | &plasma);
        let more = by(&players, &|row| plays(row, name) && row["frags"].as_i64() > Some(1));
        assert_eq!(found(&place, &format!("player:{name} -frags>1")), &all_his - &more);
    }
    assert!(some > 0);
    let shown = place.run(&["find", "player:arachna (weapon:rocket OR victim:sarge)", "--show", "frags", "--json"]);
    let fits = |row: &&Json| {
        has(row, "attacker", "arachna") && (rockets(row) || has(row, "victim", "sarge")) && kills_another(row)
    };
    let fitting = frags.iter().filter(fits).count();
    assert!(fitting > 0 && fitting < frags.iter().filter(|row| has(row, "attacker", "arachna")).count());
    assert_eq!(shown.objects().len(), fitting);
    // Levels, and what else is part of a recording, as the query asks for them.
    let two = place.run(&["find", "(map:oa_dm2 length>1s) OR map:oa_dm4", "--show", "levels", "--json"]).objects();
    let maps: BTreeSet<_> = two.iter().map(|row| row["map"].as_str().unwrap()).collect();
    assert_eq!(maps, BTreeSet::from(["oa_dm2", "oa_dm4"]));
    place.run(&["convert", "demos/oa-dm2.dm_68", "-o", "dm2.dm_71"]);
    place.run(&["join", "demos/oa-dm4.dm_71", "dm2.dm_71", "-o", "demos/both.dm_71"]);
    index(&place, "demos.sqlite");
    let levels = |query: &str| {
        let rows = place.run(&["find", query, "--show", "levels", "--json"]).objects();
        rows.iter().map(|row| row["map"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(levels("file:both map:oa_dm2"), ["oa_dm2"]);
    assert_eq!(levels("file:both map:oa_dm4 map:oa_dm2"), ["oa_dm4", "oa_dm2"]);
    std::fs::remove_file(place.path("demos/both.dm_71")).unwrap();
    index(&place, "demos.sqlite");
    // Who never killed so did it fewer than two times.
    for (query, key, part) in [("weapon:plasma", "weapon", "plasma"), ("victim:sarge", "victim", "sarge")] {
        let of = |file: &str| {
            let so = |row: &&Json| {
                row["file"].as_str().unwrap().ends_with(file) && row["frag_kind"] == "kill" && has(row, key, part)
            };
            frags.iter().filter(so).count()
        };
        let few: BTreeSet<_> = all.iter().filter(|file| of(file) < 2).cloned().collect();
        assert!(few.iter().any(|file| of(file) == 0) && few != all, "{query}");
        assert_eq!(found(&place, &format!("{query} kills<2")), few);
        // Behind - it is counted so too, among those who did it.
        let some = by(&frags, &|row| has(row, key, part) && (key == "weapon" || kills_another(row)));
        assert_eq!(found(&place, &format!("{query} -kills>1")), &few & &some, "{query}");
    }
    // These are no patterns, and no SQL.
    assert_eq!(found(&place, "file:%"), set(&[]));
    assert_eq!(found(&place, "player:\"x' OR 1=1 --\""), set(&[]));
    assert_eq!(found(&place, "chat:\"\\\" OR text:*\""), set(&[]));
}

#[test]
fn wrong_queries_say_where() {
    let place = demos();
    index(&place, "demos.sqlite");
    let wrong = place.run(&["find", "map:dm3 weapn:rocket"]).ends(2).says("no key weapn, perhaps weapon");
    assert!(wrong.err.ends_with("\n  map:dm3 weapn:rocket\n          ^^^^^\n"), "{}", wrong.err);
    assert!(wrong.out.is_empty());
}

#[test]
fn duplicates_show_whatever_they_are_packed_in() {
    let place = demos();
    index(&place, "demos.sqlite");
    let names = found(&place, "copies>1");
    assert_eq!(names, set(&["clip.dem", "clip.dem.gz", "pak0.pak:demo1.dem", "ez-dm.mvd", "pak0.pak:demo2.mvd"]));
    assert_eq!(found(&place, "copies:3"), set(&["clip.dem", "clip.dem.gz", "pak0.pak:demo1.dem"]));
    assert_eq!(found(&place, "is:duplicate"), names);
    // What is gone is no copy.
    std::fs::remove_file(place.path("demos/ez-dm.mvd")).unwrap();
    index(&place, "demos.sqlite");
    assert_eq!(found(&place, "copies>1 format:mvd"), set(&[]));
}

/// Names with signs of SQL, of queries and of terminals, and names that are no text, lead back to their files.
#[cfg(unix)]
#[test]
fn paths_lead_back() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let names: [&[u8]; 5] =
        [b"it's; -- \"x\" OR y.dem", b"a\nb.dem", b"caf\xe9.dem", "\u{6f22}\u{5b57}.dem".as_bytes(), br"caf\xe9.dem"];
    std::fs::create_dir(place.path("demos")).unwrap();
    for name in names {
        std::fs::write(place.path("demos").join(std::ffi::OsStr::from_bytes(name)), clip()).unwrap();
    }
    assert_eq!(index(&place, "demos.sqlite")["demos"], 5);
    assert_eq!(index(&place, "demos.sqlite")["unchanged"], 5);
    let done = place.run(&["find", "-0"]).ends(0);
    let paths: BTreeSet<_> = done.out.split(|b| *b == 0).filter(|path| !path.is_empty()).collect();
    assert_eq!(paths.len(), 5);
    for path in paths {
        assert_eq!(std::fs::read(Path::new(std::ffi::OsStr::from_bytes(path))).unwrap(), clip());
    }
    std::fs::remove_file(place.path("demos").join(std::ffi::OsStr::from_bytes(names[2]))).unwrap();
    assert_eq!(index(&place, "demos.sqlite")["vanished"], 1);
}

/// Members of one name have paths of their own, by which each is found again.
#[test]
fn members_of_one_name_lead_back() {
    let place = Place::new();
    let demos = [clip(), testdata("oa-dm2.dm_68"), testdata("ez-dm.mvd")];
    let files = [("d/same.dem", &demos[0][..]), ("d/same.dem", &demos[1]), ("d/same.dem", &demos[2])];
    std::fs::create_dir(place.path("demos")).unwrap();
    let packed = [("a.zip", zip(&files)), ("a.tar", tar(&files)), ("a.pak", pak(&files))];
    let all = packed.map(|(name, archive)| {
        place.write(&format!("demos/{name}"), &archive);
        if name == "a.pak" {
            ["d/same.dem", "#2/d/same.dem", "#3/d/same.dem"].map(|member| format!("demos/{name}:{member}"))
        } else {
            ["#1/d/same.dem", "#2/d/same.dem", "d/same.dem"].map(|member| format!("demos/{name}:{member}"))
        }
    });
    assert_eq!(index(&place, "demos.sqlite")["demos"], 9);
    let done = place.run(&["find", "--paths0"]).ends(0);
    let found: BTreeSet<_> = done.text().split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    let root = place.path("");
    let short = |path: &str| path.strip_prefix(root.to_str().unwrap()).unwrap_or(path).to_owned();
    assert_eq!(found.iter().map(|path| short(path)).collect::<BTreeSet<_>>(), all.iter().flatten().cloned().collect());
    let sizes = ["87295 bytes", "20667 bytes", ""];
    for names in &all {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        for ((name, demo), size) in names.iter().zip(&demos).zip(sizes) {
            place.run(&["verify", name]).ends(0).shows(&format!("exact  {name}: ")).shows(size);
            place.run(&["unpack", name, "-o", "one"]).ends(0);
            assert!(place.read("one") == *demo, "{name}");
        }
        // What is listed, and results in a folder.
        let archive = names[0].split(':').next().unwrap();
        for name in &names {
            place.run(&["info", archive]).ends(0).shows(name.split(':').nth(1).unwrap());
        }
        place.run(&["unpack", &format!("{archive}:*"), "-o", "all/"]).ends(0);
        for (name, demo) in names.iter().zip(&demos) {
            assert!(place.read(&format!("all/{}", name.split(':').nth(1).unwrap())) == *demo, "{name}");
        }
    }
}

#[test]
fn letters_of_paths_are_compared_in_either_case() {
    let place = Place::new();
    place.write("demos/\u{c4}RGER/x.dem", &clip());
    place.write("demos/arger.dem", &clip());
    index(&place, "demos.sqlite");
    for query in ["file:\u{e4}rger", "file:\u{c4}rg", "\u{e4}RGER", "file:*\u{e4}rger*.dem"] {
        assert_eq!(found(&place, query), set(&["x.dem"]), "{query}");
    }
    // A sigma at the end of a word is written in another way, which is no other letter.
    place.write("demos/\u{39f}\u{394}\u{39f}\u{3a3}.dem", &clip());
    index(&place, "demos.sqlite");
    for query in
        ["file:\u{39f}\u{394}\u{39f}\u{3a3}", "file:\u{3bf}\u{3b4}\u{3bf}\u{3c2}", "file:\u{3bf}\u{3b4}\u{3bf}\u{3c3}"]
    {
        assert_eq!(found(&place, query), set(&["\u{39f}\u{394}\u{39f}\u{3a3}.dem"]), "{query}");
    }
}

/// A mod is known by its name and by its folder: matches in recordings that `mod:` finds are shown, whichever it was.
#[test]
fn matches_of_a_mod_are_shown_by_its_folder_too() {
    let place = indexed(&["oa-dm2.dm_68", "oa-dm4.dm_71"]);
    // A mod that does not name itself, as most of Quake II: the folder alone is told.
    open(&place, "demos.sqlite").execute("UPDATE matches SET mod = NULL", []).unwrap();
    let shown = |query: &str| {
        let rows = place.run(&["find", query, "--show", "matches", "--json"]).objects();
        rows.iter().map(file_of).collect::<BTreeSet<_>>()
    };
    let both = set(&["oa-dm2.dm_68", "oa-dm4.dm_71"]);
    for (query, files) in [
        ("mod:baseoa", &both),
        ("gamedir:OA", &both),
        ("gamedir:base* map:oa_dm4", &set(&["oa-dm4.dm_71"])),
        ("mod:nowhere", &set(&[])),
    ] {
        assert_eq!(&shown(query), files, "{query}");
        assert_eq!(&found(&place, query), files, "{query}");
    }
}

/// Recordings stand in the order that is asked for, however many are shown and in whatever form.
#[test]
fn what_is_found_stands_in_order() {
    let place = indexed(&DEMOS);
    for (sort, key, down) in [
        ("length", "length_ms", true),
        ("size", "bytes", true),
        ("players", "players", true),
        ("date", "date", true),
        ("file", "file", false),
        ("sha256", "sha256", false),
    ] {
        for reverse in [false, true] {
            let args: &[&str] = if reverse { &["--sort", sort, "--reverse"] } else { &["--sort", sort] };
            let find = |more: &[&str]| place.run(&[&["find"], args, more].concat()).ends(0);
            let rows = find(&["--json"]).objects();
            assert_eq!(rows.len(), DEMOS.len());
            let keys: Vec<_> =
                rows.iter().map(|row| (row[key].as_i64(), row[key].as_str().map(str::to_owned))).collect();
            let mut sorted = keys.clone();
            sorted.sort();
            if down != reverse {
                sorted.reverse();
            }
            assert_eq!(keys, sorted, "{args:?}");
            let ends = |text: &str| {
                let lines = text.split(['\n', '\0']).filter_map(|line| line.rsplit('/').next());
                lines.filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
            };
            let files: Vec<_> = rows.iter().map(file_of).collect();
            for form in ["--paths", "--paths0"] {
                assert_eq!(ends(find(&[form]).text()), files, "{args:?} {form}");
            }
            assert_eq!(find(&["--json", "--limit", "99"]).objects(), rows, "{args:?}");
        }
    }
}

/// What stands behind a player is about one and the same, though several have names with that part.
#[test]
fn what_is_asked_of_a_player_is_so_of_one() {
    let place = indexed(&DEMOS);
    let export = |table: &str| place.run(&["export", "-q", "demos", "--table", table, "--json"]).objects();
    let (players, frags) = (export("players"), export("frags"));
    let is_rocket =
        |row: &Json| ["weapon", "means"].iter().any(|key| row[*key].as_str().unwrap_or_default().contains("rocket"));
    // Files, and names of players, by what one of them did.
    let by = |part: &str, fits: &dyn Fn(&Json, &[&Json]) -> bool| {
        let plays = |row: &&Json| {
            row["spectator"] == false && row["name"].as_str().unwrap_or_default().to_lowercase().contains(part)
        };
        let fitting = players.iter().filter(plays).filter(|player| {
            let his = |row: &&Json| row["file"] == player["file"] && row["attacker"] == player["name"];
            let of_others = |row: &&Json| row["frag_kind"] != "suicide" && row["frag_kind"] != "world";
            fits(player, &frags.iter().filter(his).filter(of_others).collect::<Vec<_>>())
        });
        fitting.map(|row| (file_of(row), row["name"].as_str().unwrap().to_owned())).collect::<BTreeSet<_>>()
    };
    let kills = |his: &[&Json]| his.iter().filter(|row| row["frag_kind"] == "kill").count();
    let check = |part: &str, query: &str, fits: &dyn Fn(&Json, &[&Json]) -> bool| {
        let expected = by(part, fits);
        let query = format!("player:{part} {query}");
        let files: BTreeSet<_> = expected.iter().map(|(file, _)| file.clone()).collect();
        assert_eq!(found(&place, &query), files, "{query}");
        // Those players alone are shown.
        let shown = place.run(&["find", "--show", "players", "--json", "--", &query]).objects();
        let shown: BTreeSet<_> =
            shown.iter().map(|row| (file_of(row), row["name"].as_str().unwrap().to_owned())).collect();
        assert_eq!(shown, expected, "{query}");
    };
    for part in ["a", "e", "s", "r", "an", "player"] {
        for n in 0..5 {
            check(part, &format!("kills>{n}"), &|_, his| kills(his) > n);
            check(part, &format!("-kills>{n}"), &|_, his| kills(his) <= n);
            let score = |player: &Json| player["frags"].as_i64().is_some_and(|score| score > n as i64);
            check(part, &format!("weapon:rocket frags>{n}"), &|player, his| {
                score(player) && his.iter().any(|row| is_rocket(row))
            });
            check(part, &format!("weapon:rocket -frags>{n}"), &|player, his| {
                !score(player) && his.iter().any(|row| is_rocket(row))
            });
        }
        check(part, "-weapon:rocket", &|_, his| !his.iter().any(|row| is_rocket(row)));
    }
    // Nobody kills who dies by lava.
    open(&place, "demos.sqlite").execute("UPDATE frags SET attacker = NULL, frag_kind = 'world'", []).unwrap();
    assert_eq!(found(&place, "victim:a"), set(&[]));
    // Runs are those of the player, on the map.
    let insert = "INSERT INTO runs (demo, row, name, map) SELECT demo, \"row\", name, 'oa_dm4' FROM players";
    open(&place, "demos.sqlite").execute(insert, []).unwrap();
    for (query, part) in [("player:arachna", "arachna"), ("player:an map:oa_dm4", "an")] {
        let shown = place.run(&["find", query, "--show", "runs", "--json"]).objects();
        let name = |row: &Json| row["name"].as_str().unwrap().to_lowercase();
        assert!(!shown.is_empty() && shown.iter().all(|row| name(row).contains(part)), "{query}: {shown:?}");
    }
}
