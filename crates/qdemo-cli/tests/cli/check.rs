//! `qdemo check`: findings for people and programs.

use crate::support::{Place, testdata};

/// The server of `ez-dm.mvd` was started with cheats allowed, and says so.
#[test]
fn findings_for_people() {
    let place = Place::with(&["clip.dem", "ez-dm.mvd", "oa-dm4.dm_71"]);
    place.run(&["check", "clip.dem"]).ends(0).in_silence().shows("clip.dem: no findings\n");
    let done = place.run(&["check", "ez-dm.mvd"]).ends(1).in_silence();
    done.shows("violation quakeworld/cheats: *cheats is `ON`")
        .shows("block 0, byte 6, serverinfo, key *cheats, value ON");
    // Notes are no reason to fail.
    place.run(&["check", "oa-dm4.dm_71"]).ends(0).in_silence();
    place.run(&["check", "--only", "commands", "ez-dm.mvd"]).ends(0).in_silence().shows("note commands: ");
    let done = place.run(&["check", "--only", "commands", "--no-notes", "ez-dm.mvd"]).ends(0).in_silence();
    assert!(done.text().contains("no findings"), "{}", done.text());
    // Several files: the worst counts.
    let done = place.run(&["check", "."]).ends(1);
    assert_eq!(done.text().lines().filter(|line| !line.starts_with(' ')).count(), 3);
}

#[test]
fn findings_for_programs() {
    let place = Place::with(&["clip.dem", "ez-dm.mvd"]);
    let all = place.run(&["check", "--json", "clip.dem", "ez-dm.mvd"]).ends(1).in_silence().objects();
    assert_eq!(all.len(), 2);
    assert_eq!((&all[0]["file"], &all[0]["worst"]), (&"clip.dem".into(), &serde_json::Value::Null));
    assert_eq!((&all[0]["findings"], &all[0]["left_out"]), (&serde_json::json!([]), &serde_json::json!({})));
    assert_eq!((&all[1]["format"], &all[1]["worst"]), (&"mvd".into(), &"violation".into()));
    let finding = &all[1]["findings"][0];
    assert_eq!((&finding["rule"], &finding["severity"]), (&"quakeworld/cheats".into(), &"violation".into()));
    assert_eq!(finding["evidence"]["value"], "ON");
    assert!(finding["block"] == 0 && finding["offset"].is_u64() && finding["demo_ms"].is_i64(), "{finding}");
    let checks: Vec<_> = all[0]["checks"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(checks.contains(&"godmode") && checks.contains(&"speedrun/cheats"), "{checks:?}");
    assert!(!checks.iter().any(|name| name.starts_with("defrag")), "{checks:?}");
}

/// A file that cannot be read has a line of its own.
#[test]
fn what_cannot_be_read() {
    let place = Place::with(&["clip.dem"]);
    place.write("no.dem", b"nothing of the kind");
    let done = place.run(&["check", "--json", "clip.dem", "no.dem"]).ends(2).says("no demo that qdemo knows");
    let all = done.objects();
    assert!(all[0]["worst"].is_null() && all[1]["error"].is_string());
    // Half a file is a file that ends too early.
    let clip = testdata("clip.dem");
    place.write("half.dem", &clip[..clip.len() / 2]);
    place.run(&["check", "half.dem"]).ends(0).in_silence().shows("note damage: the file ends too early");
}

#[test]
fn rules_of_users() {
    let place = Place::with(&["ez-dm.mvd"]);
    let rule = "name = \"cup\"\n[[rule]]\nname = \"map\"\nwhere = \"level\"\nkey = \"map\"\nmust = \"dm3\"\n\
                description = \"the map of the cup\"\n";
    place.write("cup.toml", rule.as_bytes());
    let done = place.run(&["check", "--set", "none", "--rules", "cup.toml", "ez-dm.mvd"]).ends(1).in_silence();
    let done = done.shows("warning cup/map: map is `lqdm13`, it must be dm3: the map of the cup");
    assert!(!done.text().contains("quakeworld/"), "{}", done.text());
    place.run(&["check", "--rules", "cup.toml", "ez-dm.mvd"]).ends(1).shows("cup/map").shows("quakeworld/cheats");
    // Mistakes say where they are and what is due.
    place.write("bad.toml", rule.replace("key = \"map\"", "key = \"mpa\"").as_bytes());
    let done = place.run(&["check", "--rules", "bad.toml", "ez-dm.mvd"]).ends(2);
    done.says("bad.toml:5:7: level has the keys map, title").says("key = \"mpa\"");
    place
        .run(&["check", "--rules", "none.toml", "ez-dm.mvd"])
        .ends(2)
        .says("none.toml: No such file")
        .says("check the name");
    place
        .run(&["check", "--set", "cup", "ez-dm.mvd"])
        .ends(2)
        .says("one of defrag, quake2, quake3, quakeworld, speedrun");
    place.run(&["check", "--only", "cheating", "ez-dm.mvd"]).ends(2).says("there is no check, set or rule cheating");
}

#[test]
fn all_checks_are_listed() {
    let place = Place::new();
    let done = place.run(&["check", "--list"]).ends(0).in_silence();
    let done = done.shows("godmode").shows("defrag/sv_cheats").shows("dm3 (defrag)");
    let wide = place.run(&["check", "--list", "--wide"]).ends(0).in_silence();
    assert!(done.text().lines().all(|line| line.len() <= 100), "{}", done.text());
    let all = place.run(&["check", "--list", "--json"]).ends(0).in_silence().objects();
    assert_eq!(all.len() + 1, wide.text().lines().count());
    assert!(all.iter().all(|known| known["name"].is_string() && known["text"].is_string()));
    place.run(&["check"]).ends(2).says("FILE");
}
