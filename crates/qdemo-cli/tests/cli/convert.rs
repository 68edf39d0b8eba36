//! `qdemo convert`.

use crate::support::Place;

#[test]
fn recordings_are_named_by_what_they_become() {
    let place = Place::with(&["oa-dm5.dm_66", "e0m1-666.dem", "dm13-15.dem"]);
    let told = place.run(&["convert", "oa-dm5.dm_66", "-o", "new.dm_68"]).ends(0).text().to_owned();
    assert!(told.contains("66 to 68"), "{told}");
    let info = place.run(&["info", "new.dm_68"]).ends(0).text().to_owned();
    // ioquake3 tells the number under a name of its own.
    assert!(info.contains("protocol 68") && !info.contains("66"), "{info}");
    // Into a folder, by their own names.
    place.run(&["convert", "oa-dm5.dm_66", "--to", "dm_71", "-o", "new/"]).ends(0);
    place.run(&["verify", "new/oa-dm5.dm_71"]).ends(0);
    place.run(&["convert", "e0m1-666.dem", "dm13-15.dem", "--to", "dem", "--protocol", "999", "-o", "all/"]).ends(0);
    place.run(&["convert", "all/dm13-15.dem", "--protocol", "15", "-o", "back.dem"]).ends(0);
    assert_eq!(place.read("back.dem"), place.read("dm13-15.dem"));
}

#[test]
fn losses_are_told() {
    let place = Place::with(&["e0m1-666.dem"]);
    let dry = &["convert", "-n", "e0m1-666.dem", "--to", "dem", "--protocol", "15"];
    let line = place.run(&[dry, &["--json"][..]].concat()).ends(0).objects().remove(0);
    assert_eq!((&line["from_protocols"][0], &line["to_protocol"]), (&666.into(), &15.into()));
    let text = place.run(dry).ends(0).text().to_owned();
    for lost in line["losses"].as_array().unwrap() {
        let words = lost["loss"].as_str().unwrap().replace('_', " ");
        assert!(text.contains(&format!("lost {words}: {}", lost["count"])), "{text}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let place = Place::with(&["e0m1-666.dem", "ez-dm.mvd", "q2pro-dm.mvd2"]);
    place.run(&["convert", "e0m1-666.dem", "-o", "new.dem"]).ends(2).says("which protocol");
    place.run(&["convert", "e0m1-666.dem", "-o", "new.dm_68"]).ends(2).says("no conversion");
    place.run(&["convert", "ez-dm.mvd", "--protocol", "15", "-o", "new.dem"]).ends(2).says("no conversion");
    place.run(&["convert", "ez-dm.mvd", "-o", "new.qwd"]).ends(2).says("name one");
    place.run(&["convert", "ez-dm.mvd", "-o", "new.qwd", "--player", "nobody"]).ends(2).says("there are Recorder");
    for (demo, player, what) in [
        ("ez-dm.mvd", "31", "shows the player in slot 31"),
        ("ez-dm.mvd", "99", "slots 0 to 31"),
        ("q2pro-dm.mvd2", "5", "shows the player in slot 5"),
        ("q2pro-dm.mvd2", "nobody", "there are Recorder, Second"),
    ] {
        let to = if demo.ends_with("mvd") { "qwd" } else { "dm2" };
        place.run(&["convert", demo, "-n", "--to", to, "--player", player]).ends(2).says(what);
    }
    place.run(&["convert", "e0m1-666.dem", "--protocol", "15"]).ends(2).says("-o OUT");
    place.run(&["convert", "e0m1-666.dem", "--protocol", "16", "-o", "new.dem"]).ends(2).says("no conversion");
    place.run(&["convert", "e0m1-666.dem", "--protocol", "15", "-o", "e0m1-666.dem"]).ends(2);
    assert!(!place.path("new.dem").exists() && !place.path("new.dm_68").exists());
}

#[test]
fn recordings_of_quakeworld_and_quake_become_each_other() {
    let place = Place::with(&["ez-dm.mvd", "ez-dm.qwd", "dm13-15.dem", "q2pro-dm.mvd2"]);
    place.run(&["convert", "q2pro-dm.mvd2", "-o", "second.dm2", "--player", "seco"]).ends(0);
    assert!(place.run(&["info", "second.dm2"]).ends(0).text().contains("slot 1"));
    place.run(&["convert", "ez-dm.mvd", "-o", "record.qwd", "--player", "record"]).ends(0).shows(".mvd of protocol 28");
    place.run(&["convert", "dm13-15.dem", "-o", "new.qwd"]).ends(0);
    place.run(&["convert", "ez-dm.qwd", "--to", "dem", "-o", "new/"]).ends(0).shows("to .dem of protocol 15");
    place.run(&["convert", "ez-dm.qwd", "-o", "new.mvd"]).ends(0);
    for new in ["record.qwd", "new.qwd", "new/ez-dm.dem", "new.mvd", "second.dm2"] {
        place.run(&["verify", new]).ends(0);
    }
}
