//! What a recording says, changed: `edit`. The library's tests hold what is left against the original.

use serde_json::Value;

use crate::support::{Place, testdata};

/// One of each format.
const ALL: [&str; 6] = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"];

fn edit(place: &Place, demo: &str, how: &[&str], out: &str) -> Value {
    let args = [&["edit", demo, "-o", out, "--json"], how].concat();
    let account = place.run(&args).ends(0).in_silence().objects().remove(0);
    place.run(&["verify", out]).ends(0).shows("exact");
    account
}

#[test]
fn every_format_can_be_edited() {
    let place = Place::with(&ALL);
    place.write("film.srt", b"1\n00:00:00,200 --> 00:00:00,900\nHello\n");
    for name in ALL {
        let out = format!("out-{name}");
        let account =
            edit(&place, name, &["--remove", "print,centerprint", "--sanitize", "--subtitles", "film.srt"], &out);
        assert!(account["added"].as_u64().unwrap() > 0, "{name}: {account}");
        assert_eq!(account["bytes_written"], place.read(&out).len(), "{name}");
        let sum = account["blocks_kept"].as_u64().unwrap() + account["blocks_changed"].as_u64().unwrap();
        assert_eq!(account["blocks_read"], sum, "{name}");
        let texts = place.run(&["texts", &out, "--kind", "print,centerprint", "--json"]).ends(0).objects();
        assert!(texts.iter().any(|text| text["text"] == "Hello"), "{name}");
        assert!(texts.iter().all(|text| ["Hello", ""].contains(&text["text"].as_str().unwrap())), "{name}: {texts:?}");
        // Nothing is written where only the account is asked for.
        let dry =
            place.run(&["edit", name, "-n", "--remove", "print,centerprint", "--json"]).ends(0).objects().remove(0);
        assert_eq!(dry["dry_run"], true);
    }
}

#[test]
fn a_file_of_rules_is_the_same_as_options() {
    let place = Place::with(&["ez-dm.mvd"]);
    place.write("film.srt", b"1\n0:01 --> 0:02\nHello\n");
    place.write(
        "film.toml",
        b"track = 5\nsubtitles = 'film.srt'\nsanitize = true\n[[remove]]\nkinds = ['sound']\nfrom = '1'\nto = '5'\n\
          [[rename]]\nfrom = 'Recorder'\nto = 'Somebody'\n[[look]]\nplayer = 'Recorder'\nshirt = 4\npants = 5\n",
    );
    edit(&place, "ez-dm.mvd", &["--rules", "film.toml"], "one.mvd");
    let options = [
        "--track",
        "5",
        "--subtitles",
        "film.srt",
        "--sanitize",
        "--remove",
        "sound",
        "--from",
        "1",
        "--to",
        "5",
        "--rename",
        "Recorder=Somebody",
        "--recolor",
        "Recorder=4,5",
    ];
    edit(&place, "ez-dm.mvd", &options, "other.mvd");
    assert!(place.read("one.mvd") == place.read("other.mvd"));
    place.run(&["players", "one.mvd"]).ends(0).shows("Somebody");
    place.write("wrong.toml", b"[[remove]]\nkind = ['sound']\n");
    place.run(&["edit", "ez-dm.mvd", "-n", "--rules", "wrong.toml"]).ends(2).says("wrong.toml").says("kind");
    for (list, due) in [("remove", "kinds = [\"chat\"]"), ("set", "what = ")] {
        place.write("wrong.toml", format!("{list} = ['chat']\n").as_bytes());
        place.run(&["edit", "ez-dm.mvd", "-n", "--rules", "wrong.toml"]).ends(2).says("a table such as").says(due);
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let place = Place::with(&["ez-dm.mvd", "oa-dm4.dm_71"]);
    let says = |how: &[&str], what: &str| {
        let args = [&["edit", "ez-dm.mvd", "-o", "out.mvd"], how].concat();
        place.run(&args).ends(2).says(what);
        assert!(!place.path("out.mvd").exists(), "{how:?}");
    };
    says(&[], "nothing is to be changed");
    says(&["--remove", "chats"], "chats: no message and no text is called so");
    says(&["--remove", "serverdata"], "cannot be left out");
    says(&["--player", "x"], "name their kinds");
    says(&["--rename", "x"], "OLD=NEW");
    says(&["--rename", "x=a\\b"], "backslash");
    says(&["--recolor", "red"], "4,4");
    says(&["--remove", "chat", "--match", "("], "--match");
    says(&["--remove", "chat", "--from", "9", "--to", "3"], "nothing lies between");
    says(&["--track", "song.ogg"], "a track is a number");
    says(&["--track", "999"], "from 0 to 255");
    says(&["--track", "-1"], "from 0 to 255");
    says(&["--recolor", "16,1"], "from 0 to 13");
    says(&["--recolor", "4,14"], "from 0 to 13");
    place.write("empty.srt", b"\n");
    says(&["--subtitles", "empty.srt"], "empty.srt: there are no subtitles in it");
    let team = ["edit", "oa-dm4.dm_71", "-n", "--team", "Sarge=purple"];
    place.run(&team).ends(2).says("free, red, blue, spectator");
    place
        .run(&["edit", "oa-dm4.dm_71", "-n", "--rename", "x=y"])
        .ends(0)
        .shows("nobody is called \"x\"")
        .shows("Sarge");
    says(&["--subtitles", "none.srt"], "none.srt");
    place.write("bad.srt", b"1\nnow\n");
    says(&["--subtitles", "bad.srt"], "line 2");
    place.run(&["edit", "ez-dm.mvd", "--remove", "chat"]).ends(2).says("-o OUT");
    place.run(&["edit", "ez-dm.mvd", "-o", "ez-dm.mvd", "--remove", "chat"]).ends(2);
    assert_eq!(place.read("ez-dm.mvd"), testdata("ez-dm.mvd"));
}

#[test]
fn a_value_is_set_for_a_while() {
    let place = Place::with(&["dm13-15.dem"]);
    let at = |name: &str, when: &str| {
        let state = place.run(&["state", name, "--at", when, "--json"]).ends(0).objects().remove(0);
        let entities = state["entities"].as_array().unwrap().clone();
        entities.into_iter().find(|entity| entity["entity"] == 1).unwrap()["skin"].clone()
    };
    let set = ["--set", "entity[1].skin=2", "--from", "0:00.300", "--to", "0:00.600"];
    place.run(&[&["edit", "dm13-15.dem", "-o", "x.dem"], &set[..]].concat()).ends(0).in_silence().shows("changed");
    assert_eq!(["0.2", "0.5", "0.8"].map(|when| at("x.dem", when).as_i64()), [Some(0), Some(2), Some(0)]);
    // The same by rules.
    place.write("set.toml", b"[[set]]\nwhat = \"entity[1].skin=2\"\nfrom = \"0:00.300\"\nto = \"0:00.600\"\n");
    place.run(&["edit", "dm13-15.dem", "-o", "y.dem", "--rules", "set.toml"]).ends(0).in_silence();
    assert_eq!(place.read("x.dem"), place.read("y.dem"));
    let refused = |set: &str, why: &str| {
        place.run(&["edit", "dm13-15.dem", "-o", "z.dem", "--set", set]).ends(2).says(why);
    };
    refused("entity[1].legs=2", "there is no such field");
    refused("entity[1].trans=1", "does not take this value");
    refused("entity[1].skin=red", "not one of JSON");
    refused("somebody.skin=2", "neither an entity nor the player");
}
