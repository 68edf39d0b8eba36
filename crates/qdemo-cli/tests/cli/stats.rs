//! Numbers of players, weapons and items: `stats`.

use std::collections::BTreeMap;

use qdemo::table::{ITEM_STATS, STATS, WEAPON_STATS};
use serde_json::Value;

use crate::support::{Place, gzip, testdata};

fn place(names: &[&str]) -> Place {
    let place = Place::new();
    names.iter().for_each(|name| place.write(name, &testdata(name)));
    place
}

/// What `frags` tells of each, counted here: kills, deaths, and kills with each weapon.
fn counted(place: &Place, file: &str) -> BTreeMap<String, [i64; 2]> {
    let mut all = BTreeMap::<String, [i64; 2]>::new();
    for frag in place.run(&["frags", "--json", file]).ends(0).objects() {
        let name = |key: &str| frag[key]["name"].as_str().unwrap_or_default().to_owned();
        all.entry(name("victim")).or_default()[1] += 1;
        if frag["frag_kind"] == "kill" {
            all.entry(name("attacker")).or_default()[0] += 1;
        }
    }
    all
}

/// Nobody has a name in this recording of 65 ms, so there is nobody to count for.
#[test]
fn a_part_without_players_is_one_line() {
    let done = place(&["qizmo.qwz"]).run(&["stats", "qizmo.qwz"]).ends(0).in_silence();
    assert_eq!(done.text(), "level on dm3, 0:00.000 to 0:00.065\n");
}

#[test]
fn they_are_what_frags_tells() {
    let place = place(&["oa-dm4.dm_71"]);
    let done = place.run(&["stats", "--json", "oa-dm4.dm_71"]).ends(0).in_silence().objects();
    assert_eq!(done.len(), 1);
    let part = &done[0];
    assert_eq!(
        (&part["file"], &part["part"], &part["map"]),
        (&"oa-dm4.dm_71".into(), &"match".into(), &"oa_dm4".into())
    );
    assert_eq!((&part["begun"], &part["ended"], &part["shows_all"]), (&false.into(), &false.into(), &false.into()));
    let mut counted = counted(&place, "oa-dm4.dm_71");
    let players = part["players"].as_array().unwrap();
    for player in players {
        let [kills, deaths] = counted.remove(player["name"].as_str().unwrap()).unwrap_or_default();
        assert_eq!((player["kills"].as_i64(), player["deaths"].as_i64()), (Some(kills), Some(deaths)), "{player}");
        let weapons = player.get("weapons").and_then(Value::as_object);
        let of_weapons: i64 = weapons.into_iter().flatten().filter_map(|(_, w)| w["kills"].as_i64()).sum();
        assert_eq!(of_weapons, player["weapon_kills"].as_i64().unwrap(), "{player}");
        // The server sent a scoreboard once, seven seconds before the end.
        assert_eq!(player["told_by"][0]["source"], "scores");
        assert!(player["told"]["score"].as_i64().unwrap() <= player["score"].as_i64().unwrap());
        assert!(player.get("differences").is_none());
    }
    assert!(counted.is_empty() && players.len() == 7, "{counted:?}");
    assert_eq!(part["teams"], Value::Array(Vec::new()));
}

#[test]
fn tables_for_people() {
    let place = place(&["oa-dm4.dm_71", "oa-dm5.dm_66"]);
    let done = place.run(&["stats", "oa-dm4.dm_71"]).ends(0).in_silence();
    let done = done.shows("match on oa_dm4, 0:00.000 to 0:42.050; neither its beginning nor its end was recorded");
    done.shows("Score  Frags  Kills  Deaths").shows("rocket_launcher").shows("before the end, and not compared");
    // Teams have sums; a player is found by a part of the name.
    let one = place.run(&["stats", "--player", "ANGEL", "oa-dm5.dm_66"]).ends(0).in_silence();
    let one = one.shows("Angelyss  blue").shows("grenade_launcher");
    assert!(!one.text().contains("Kyonshi"), "{}", one.text());
    let both = place.run(&["stats", "oa-dm5.dm_66", "oa-dm4.dm_71"]).ends(0).shows("oa-dm5.dm_66\n").shows("oa_dm4");
    assert!(both.text().find("oa_dm5") < both.text().find("oa_dm4"));
}

#[test]
fn csv_has_the_documented_columns() {
    let place = place(&["oa-dm4.dm_71", "oa-dm5.dm_66"]);
    for (name, table) in [("players", &STATS), ("weapons", &WEAPON_STATS), ("items", &ITEM_STATS)] {
        let names = table.columns.iter().map(|c| c.name).collect::<Vec<_>>().join(",");
        let done = place.run(&["stats", "--csv", "--table", name, "oa-dm4.dm_71"]).ends(0).in_silence();
        assert_eq!(done.text().lines().next().unwrap(), names);
        let several = place.run(&["stats", "--csv", "--table", name, "."]).ends(0);
        let mut lines = several.text().lines();
        assert_eq!(lines.next().unwrap(), format!("file,{names}"));
        let files: Vec<_> = lines.map(|line| line.split(',').next().unwrap().to_owned()).collect();
        assert!(files.iter().any(|f| f.ends_with("oa-dm4.dm_71")) && files.iter().any(|f| f.ends_with("oa-dm5.dm_66")));
    }
    let done = place.run(&["stats", "--csv", "oa-dm4.dm_71"]).ends(0);
    assert_eq!(done.text().lines().count(), 1 + 7);
    place.run(&["stats", "--table", "items", "oa-dm4.dm_71"]).ends(2).says("--csv");
    place.run(&["stats", "--csv", "--json", "oa-dm4.dm_71"]).ends(2);
}

/// A recording by the server shows what everybody takes and suffers: this player fell twice.
#[test]
fn a_recording_of_all_players() {
    let place = place(&["ez-dm.mvd"]);
    let done = place.run(&["stats", "--json", "ez-dm.mvd"]).ends(0).in_silence().objects();
    assert_eq!((&done[0]["part"], &done[0]["shows_all"]), (&"level".into(), &true.into()));
    let player = &done[0]["players"][0];
    let number = |key: &str| player[key].as_i64();
    assert_eq!(["deaths", "world_deaths", "kills", "frags", "score"].map(number), [2, 2, 0, -2, 0].map(Some));
    assert!(number("damage_taken") >= Some(200) && number("damage_given").is_none(), "{player}");
}

#[test]
fn inputs_of_every_kind() {
    let place = place(&["oa-dm5.dm_66", "q2pro-dm.mvd2"]);
    let plain = place.run(&["stats", "--csv", "oa-dm5.dm_66"]).ends(0).out;
    place.write("packed.dm_66.gz", &gzip(&testdata("oa-dm5.dm_66")));
    assert_eq!(place.run(&["stats", "--csv", "packed.dm_66.gz"]).ends(0).out, plain);
    assert_eq!(place.run_with(&["stats", "--csv", "-"], &testdata("oa-dm5.dm_66")).ends(0).out, plain);
    place.run(&["stats", "q2pro-dm.mvd2"]).ends(0).in_silence().shows("Recorder").shows("Second");
    // No recording at all.
    place.write("no.dem", b"nothing of the kind");
    let done = place.run(&["stats", "--json", "no.dem"]).ends(2).says("no demo that qdemo knows");
    assert!(done.out.is_empty(), "{}", done.text());
    // What is there of a recording that was cut is counted.
    let cut = testdata("oa-dm4.dm_71");
    place.write("cut.dm_71", &cut[..cut.len() / 2]);
    let done = place.run(&["stats", "--json", "cut.dm_71"]).objects();
    assert_eq!(done[0]["players"].as_array().unwrap().len(), 7);
}
