//! `texts`: everything that can be read, and `export` of the same.

use qdemo::table::{PRINTS, TEXTS};

use super::support::Place;

const DM3: &str = "oa-dm4.dm_71";
const MVD: &str = "ez-dm.mvd";

#[test]
fn texts_have_time_kind_and_player() {
    let place = Place::with(&[DM3, MVD]);
    let done = place.run(&["texts", DM3, "--wide", "--kind", "chat"]).ends(0).in_silence();
    // What `chat` tells is there, with the name in front.
    let chat = place.run(&["chat", DM3, "--json"]).ends(0);
    assert!(!chat.objects().is_empty());
    for line in chat.objects() {
        let text = format!("{}: {}\n", line["speaker"]["name"].as_str().unwrap(), line["text"].as_str().unwrap());
        assert!(done.text().contains(&text), "{text} is not in {}", done.text());
    }
    let done = place.run(&["texts", MVD, "--wide", "--kind", "userinfo", "--player", "Recorder"]).ends(0);
    done.shows("Player").shows("\\name\\Recorder");
}

#[test]
fn kinds_and_places_are_chosen() {
    let place = Place::with(&[DM3]);
    let count = |args: &[&str]| place.run(&[&["texts", DM3, "--json"], args].concat()).ends(0).objects().len();
    let all = count(&[]);
    let parts: usize = ["print,chat,centerprint", "stufftext,command", "configstring,userinfo,serverinfo,name,level"]
        .iter()
        .map(|kinds| count(&["--kind", kinds]))
        .sum();
    assert_eq!(all, parts);
    let (before, behind) = (count(&["--to", "10"]), count(&["--from", "10.001"]));
    assert!(before > 0 && behind > 0 && before + behind == all, "{before} + {behind} of {all}");
    place.run(&["texts", DM3, "--kind", "nonsense"]).ends(2).says("centerprint");
}

#[test]
fn texts_as_a_table_are_those_of_export() {
    let place = Place::with(&[DM3, MVD]);
    for file in [DM3, MVD] {
        let csv = place.run(&["texts", file, "--csv"]).ends(0).in_silence();
        let exported = place.run(&["export", file, "--table", "texts"]).ends(0).in_silence();
        assert_eq!(csv.text(), exported.text());
        let heading: Vec<_> = TEXTS.columns.iter().map(|column| column.name).collect();
        assert_eq!(csv.text().lines().next().unwrap(), heading.join(","));
        let printed = place.run(&["texts", file, "--csv", "--kind", "print,chat,centerprint"]).ends(0);
        let exported = place.run(&["export", file, "--table", PRINTS.name]).ends(0);
        assert_eq!(printed.text(), exported.text());
    }
}

#[test]
fn tables_without_frames_leave_none_out() {
    let place = Place::with(&[DM3]);
    for table in ["inputs", "shots", "sounds", "messages", "prints", "texts"] {
        place.run(&["export", DM3, "--table", table]).ends(0).in_silence();
        let done = place.run(&["export", DM3, "--table", table, "--every", "1s"]).ends(2);
        done.says("--every leaves out frames");
    }
}
