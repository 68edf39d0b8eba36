//! Recordings of one match as one: `merge`. The library's tests hold the result against what each of them shows.

use crate::support::Place;

#[test]
fn two_views_become_one() {
    let place = Place::with(&["merge-a.dm_71", "merge-b.dm_71"]);
    let done = place.run(&["merge", "merge-b.dm_71", "merge-a.dm_71", "-o", "both.dm_71"]).ends(0).in_silence();
    done.shows("2 recordings").shows("by the server's clock").shows("in the same place");
    place.run(&["verify", "both.dm_71"]).ends(0);
    let count = |name: &str| {
        let rows = place.run(&["export", name, "--table", "positions", "--json"]).ends(0).objects();
        rows.iter().filter(|row| row["x"].is_number()).count()
    };
    assert!(count("both.dm_71") > count("merge-b.dm_71") + 50);
}

#[test]
fn the_account_says_how_well_they_agree() {
    let place = Place::with(&["merge-a.dm_71", "merge-b.dm_71"]);
    let account = place.run(&["merge", "-n", "--json", "merge-b.dm_71", "merge-a.dm_71"]).ends(0).objects().remove(0);
    let inputs = account["inputs"].as_array().unwrap();
    assert_eq!((&inputs[0]["aligned"], &inputs[1]["aligned"]), (&"first".into(), &"server_time".into()));
    assert_eq!(inputs[1]["frames_without"], 0);
    let added = account["added"].as_array().unwrap();
    assert!(!added.is_empty() && added.iter().all(|added| added["frames"][0] == 0));
    assert!(!place.path("both.dm_71").exists());
}

#[test]
fn recordings_that_do_not_go_together_are_told() {
    let place = Place::with(&["merge-a.dm_71", "oa-dm4.dm_71", "ez-dm.mvd", "clip.dem"]);
    let merge = |files: &[&str]| place.run(&[&["merge", "-o", "x"], files].concat()).ends(2);
    merge(&["merge-a.dm_71", "oa-dm4.dm_71"]).says("oa-dm4.dm_71").says("no level in common");
    merge(&["merge-a.dm_71", "clip.dem"]).says("one format and protocol");
    merge(&["ez-dm.mvd", "ez-dm.mvd"]).says("shows all players");
    merge(&["clip.dem"]).says("name another one of the same match");
    merge(&["merge-a.dm_71", "missing.dm_71"]).says("missing.dm_71");
    assert!(!place.path("x").exists());
}

#[test]
fn another_players_view_of_quake_3() {
    let place = Place::with(&["merge-a.dm_71", "oa-dm4.dm_71"]);
    place.run(&["convert", "merge-a.dm_71", "-o", "b.dm_71", "--player", "b"]).ends(0).in_silence().shows("lost stat");
    let state = place.run(&["state", "b.dm_71", "--at", "2", "--json"]).ends(0).objects().remove(0);
    let seen: Vec<_> = state["players"].as_array().unwrap().iter().filter(|it| it["seen_through"] == true).collect();
    assert_eq!((seen.len(), &seen[0]["name"]), (1, &"b".into()));
    // In another protocol at once.
    place.run(&["convert", "merge-a.dm_71", "-o", "b.dm_68", "--player", "b"]).ends(0).in_silence();
    place.run(&["info", "b.dm_68"]).ends(0).shows("protocol 68");
    place.run(&["convert", "merge-a.dm_71", "-o", "x.dm_71", "--player", "nobody"]).ends(2).says("means nobody");
    place.run(&["convert", "merge-a.dm_71", "-o", "x.dm_71", "--player", "33"]).ends(2).says("nothing is known");
}
