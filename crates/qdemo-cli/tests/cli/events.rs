//! What happened in recordings: `frags`, `chat`, `scores`, `runs`, `events`.

use qdemo::table::{CHAT, EVENTS, FRAGS, RUNS, SCORES};

use crate::support::Place;

/// What ioquake3 with OpenArena's client game prints on its console while it plays `oa-dm4.dm_71`.
const OBITUARIES: [(&str, &str, &str); 21] = [
    ("Angelyss", "does a back flip into the lava", ""),
    ("Sarge", "was gunned down by", "Arachna"),
    ("Kyonshi", "was given a hot bath by", "Sarge"),
    ("Recorder", "blew himself up", ""),
    ("Major", "was machinegunned by", "Sorceress"),
    ("Kyonshi", "does a back flip into the lava", ""),
    ("Recorder", "does a back flip into the lava", ""),
    ("Angelyss", "was gunned down by", "Arachna"),
    ("Major", "was gunned down by", "Kyonshi"),
    ("Sarge", "was gunned down by", "Kyonshi"),
    ("Recorder", "was electrocuted by", "Arachna"),
    ("Sorceress", "was gunned down by", "Kyonshi"),
    ("Kyonshi", "does a back flip into the lava", ""),
    ("Sarge", "was melted by", "Angelyss"),
    ("Arachna", "was melted by", "Angelyss"),
    ("Angelyss", "was gunned down by", "Major"),
    ("Major", "was melted by", "Kyonshi"),
    ("Recorder", "ate a rocket of", "Arachna"),
    ("Kyonshi", "does a back flip into the lava", ""),
    ("Sorceress", "almost dodged a rocket of", "Arachna"),
    ("Angelyss", "almost dodged a rocket of", "Arachna"),
];

/// Deaths of six bots, as an engine tells them too.
#[test]
fn frags_tell_who_killed_whom() {
    let place = Place::with(&["oa-dm4.dm_71"]);
    let done = place.run(&["frags", "oa-dm4.dm_71"]).ends(0).in_silence();
    done.shows("Arachna kills Sarge (shotgun)").shows("Angelyss dies (lava)").shows("suicide\n");
    let all = place.run(&["frags", "--json", "oa-dm4.dm_71"]).ends(0).in_silence().objects();
    assert_eq!(all.len(), OBITUARIES.len());
    for (frag, (victim, words, attacker)) in all.iter().zip(OBITUARIES) {
        let means = match words {
            "was gunned down by" => "shotgun",
            "was machinegunned by" => "machinegun",
            "was electrocuted by" => "lightning",
            "was melted by" => "plasma",
            "ate a rocket of" => "rocket",
            "almost dodged a rocket of" | "blew himself up" => "rocket_splash",
            _ => "lava",
        };
        assert_eq!((&frag["victim"]["name"], &frag["means"]), (&victim.into(), &means.into()), "{words}");
        let by_other = frag["frag_kind"] == "kill";
        assert_eq!(by_other, !attacker.is_empty(), "{words}");
        assert!(!by_other || frag["attacker"]["name"] == attacker, "{words}");
        assert_eq!(
            (&frag["file"], &frag["kind"], &frag["clock"]),
            (&"oa-dm4.dm_71".into(), &"frag".into(), &"server".into())
        );
        assert!(frag["block"].is_u64() && frag["time_ms"].is_i64() && frag["victim"]["slot"].is_u64(), "{frag}");
        assert_eq!(frag["attacker"].is_null(), frag["frag_kind"] == "world", "{frag}");
    }
    // Only what is about a player, in a part of the recording.
    let some = place.run(&["frags", "--json", "--player", "SARGE", "--from", "3", "oa-dm4.dm_71"]).ends(0).objects();
    assert_eq!(some.len(), all.iter().filter(|f| f.to_string().contains("Sarge")).count() - 1);
}

#[test]
fn csv_has_the_documented_columns() {
    let place = Place::with(&["oa-dm4.dm_71", "oa-dm2.dm_68"]);
    let tables = [&FRAGS, &CHAT, &SCORES, &RUNS, &EVENTS];
    for (verb, table) in ["frags", "chat", "scores", "runs", "events"].into_iter().zip(tables) {
        let done = place.run(&[verb, "--csv", "oa-dm4.dm_71"]).ends(0).in_silence();
        let names: Vec<_> = table.columns.iter().map(|c| c.name).collect();
        assert_eq!(done.text().lines().next().unwrap(), names.join(","));
        let several = place.run(&[verb, "--csv", "oa-dm4.dm_71", "oa-dm2.dm_68"]).ends(0);
        assert_eq!(several.text().lines().next().unwrap(), format!("file,{}", names.join(",")));
    }
}

#[test]
fn columns_that_are_asked_for() {
    let place = Place::with(&["oa-dm4.dm_71", "clip.dem"]);
    let frags = place.run(&["frags", "--csv", "--columns", "victim,attacker", "oa-dm4.dm_71"]).ends(0).in_silence();
    let pairs = OBITUARIES.iter().map(|(victim, how, attacker)| {
        let attacker = if how.contains("himself") { victim } else { attacker };
        format!("{victim},{attacker}\n")
    });
    assert_eq!(frags.text(), std::iter::once("victim,attacker\n".to_owned()).chain(pairs).collect::<String>());
    // Of several recordings one table.
    let all = place.run(&["events", "--csv", "--columns=kind", "clip.dem", "oa-dm4.dm_71"]).ends(0).in_silence();
    all.shows("file,kind\nclip.dem,level\n").shows("\noa-dm4.dm_71,frag\n");
    let stats = place.run(&["stats", "--csv", "--columns", "name", "--player", "major", "oa-dm4.dm_71"]).ends(0);
    assert_eq!(stats.text(), "name\nMajor\n");
    let export = ["export", "--table", "positions", "--every", "10s", "--columns", "name,map", "clip.dem"];
    place.run(&export).ends(2).says("the table positions has no column map; it has clock, time_ms, time");
    // As JSON these are keys.
    let export = ["export", "--table", "frames", "--every", "10s", "--columns", "map,block", "--json", "clip.dem"];
    let rows = place.run(&export).ends(0).in_silence().objects();
    assert!(rows.iter().all(|row| row["map"] == "start" && row.as_object().unwrap().len() == 2), "{rows:?}");
    for args in [&["frags", "--columns", "victim"][..], &["stats", "--json", "--columns", "name"]] {
        place.run(&[args, &["oa-dm4.dm_71"]].concat()).ends(2).says("add --csv");
    }
}

/// What is said stands in the text of the block that chat names, and what begins a level in that of its span.
#[test]
fn blocks_have_the_numbers_of_the_text() {
    let said = [
        ("clip.dem", "Recorder: tick"),
        ("ez-dm.qwd", "server says hi"),
        ("ez-dm.mvd", "server says hi"),
        ("q2-demo1.dm2", "hello from the recorder"),
        ("oa-dm4.dm_71", "hello from the recorder"),
    ];
    for (name, words) in said {
        let place = Place::with(&[name]);
        let text = place.run(&["decompile", "--quiet", name]).ends(0);
        let number = |head: &str| head.split_once(" // ")?.1.split(' ').next()?.parse::<u64>().ok();
        let mut blocks = text.text().split("\n}\n").filter_map(|block| {
            let head = block.lines().find(|line| line.contains("block {"))?;
            Some((number(head)?, block))
        });
        let (block, _) = blocks.find(|(_, block)| block.contains(words)).unwrap();
        let chat = place.run(&["chat", "--json", name]).ends(0).objects();
        assert_eq!(chat[0]["block"], block, "{name}");
        let info = &place.run(&["info", "--json", name]).ends(0).objects()[0];
        let spans = place.run(&["timeline", "--json", name]).ends(0).objects();
        let level = spans.iter().find(|span| span["kind"] == "level").unwrap();
        assert_eq!(level["block"], info["levels"][0]["first_block"], "{name}");
        let export = ["export", "--table", "frames", "--columns", "block,demo_ms", "--json", name];
        let frames = place.run(&export).ends(0).objects();
        let frame = frames.iter().rfind(|frame| frame["block"].as_u64() <= Some(block)).unwrap();
        assert!(frame["demo_ms"].as_i64() <= chat[0]["demo_ms"].as_i64(), "{name}: {frame}");
    }
}

/// The recorder of these counts aloud.
#[test]
fn chat_and_kinds_of_events() {
    let place = Place::with(&["oa-dm2.dm_68", "ez-dm.mvd"]);
    place.run(&["chat", "oa-dm2.dm_68"]).ends(0).in_silence().shows("Recorder: hello from the recorder");
    place.run(&["chat", "ez-dm.mvd"]).ends(0).in_silence().shows("console: server says hi");
    let only = place.run(&["events", "--json", "--kind", "chat,level", "oa-dm2.dm_68"]).ends(0).objects();
    assert!(only.iter().all(|e| e["kind"] == "chat" || e["kind"] == "level"));
    place.run(&["events", "--kind", "murder", "oa-dm2.dm_68"]).ends(2).says("possible values: level, match, frag");
}

#[test]
fn what_cannot_be_told_is_an_error() {
    let place = Place::new();
    place.write("no.dem", b"nothing of the kind");
    place.run(&["frags", "no.dem"]).ends(2).says("no demo that qdemo knows");
}

/// The recorder of this one falls twice, of which its game prints "fell to his death".
#[test]
fn texts_of_deaths_from_a_file() {
    let place = Place::with(&["ez-dm.mvd"]);
    place.run(&["frags", "ez-dm.mvd"]).ends(0).in_silence().shows("Recorder dies (fall)");
    place.write("mine.tsv", b"# a mod\n\nworld\t-\tabyss\t{victim} fell to his death\n");
    let mine = place.run(&["frags", "--json", "--deaths", "mine.tsv", "ez-dm.mvd"]).ends(0).in_silence().objects();
    assert!(mine.len() >= 2 && mine.iter().all(|frag| frag["means"] == "abyss"), "{mine:?}");
    place.write("bad.tsv", b"kill\taxe\taxe\t{victim} met {killer}\nkill axe\n");
    place.run(&["frags", "--deaths", "bad.tsv", "ez-dm.mvd"]).ends(2).says("line 2: a line has four columns");
    place.run(&["frags", "--deaths", "none.tsv", "ez-dm.mvd"]).ends(2).says("No such file");
}

/// `decompile` counts the blocks too.
#[test]
fn blocks_are_those_of_the_text() {
    let place = Place::with(&["clip.dem", "oa-dm2.dm_68", "ez-dm.mvd"]);
    for (file, message) in [("clip.dem", "\n print "), ("oa-dm2.dm_68", "\"chat "), ("ez-dm.mvd", "\n print ")] {
        let text = place.run(&["decompile", file]).ends(0).in_silence().text().to_owned();
        let chat = place.run(&["chat", "--json", file]).ends(0).in_silence().objects();
        assert!(!chat.is_empty(), "{file}");
        for line in &chat {
            // The time stands behind the number where the block tells one.
            let heads = [" at ", "\n"].map(|end| format!("block {{ // {}{end}", line["block"]));
            let block = &text[heads.iter().find_map(|head| text.find(head)).unwrap()..];
            let block = &block[..block.find("\n}").unwrap()];
            assert!(block.contains(message), "{file} block {}: {block}", line["block"]);
        }
    }
}

/// A place is named on any clock, and whatever time a row tells names its moment.
#[test]
fn places_are_named_on_any_clock() {
    let place = Place::with(&["oa-dm4.dm_71", "ez-dm.qwd"]);
    let frags = |args: &[&str]| {
        let args = [&["frags", "oa-dm4.dm_71", "--json"], args].concat();
        place.run(&args).ends(0).in_silence().objects()
    };
    let all = frags(&[]);
    let one = &all[7];
    let (ms, block) = (&one["time_ms"], &one["block"]);
    for at in
        [format!("{}ms", one["demo_ms"]), format!("server:{ms}ms"), format!("clock:{ms}ms"), format!("block:{block}")]
    {
        let found = frags(&["--from", &at, "--to", &at]);
        assert!(found.contains(one) && found.len() <= 2, "{at}: {found:?}");
        assert_eq!(frags(&["--from", &at]).len() + frags(&["--to", &at]).len(), all.len() + found.len(), "{at}");
    }
    let rows = place.run(&["export", "ez-dm.qwd", "--table", "frames", "--json"]).ends(0).objects();
    assert!(rows.len() > 400, "{}", rows.len());
    for row in rows.iter().step_by(20) {
        let at = format!("{}ms", row["demo_ms"]);
        let state = &place.run(&["state", "ez-dm.qwd", "--json", "--at", &at]).ends(0).objects()[0];
        assert_eq!(state["demo_ms"], row["demo_ms"], "{at}");
    }
    // What cannot be is said in words.
    let refused = |args: &[&str], what: &str| drop(place.run(args).ends(2).says(what));
    refused(&["frags", "oa-dm4.dm_71", "--from", "20", "--to", "10"], "nothing lies between");
    // With no event to look at, too.
    refused(&["runs", "oa-dm4.dm_71", "--from", "20", "--to", "10"], "nothing lies between");
    refused(&["cut", "oa-dm4.dm_71", "--from", "20", "--to", "10", "-n"], "nothing lies between");
    refused(&["frags", "oa-dm4.dm_71", "--from", "recorder:20"], "no clock of the recorder");
    refused(&["frags", "oa-dm4.dm_71", "--from", "-5"], "never negative");
    refused(&["state", "oa-dm4.dm_71", "--at", "-1.5"], "never negative");
    place.run(&["state", "oa-dm4.dm_71", "--at", "5:00"]).ends(0).says("ends at 0:42.050, in front of 5:00.000");
}

/// A time since the match or the level began is one of each, in tables as in the verbs that have the same rows.
#[test]
fn tables_on_the_clock_of_the_match_are_those_of_the_verbs() {
    let place = Place::with(&["oa-dm2.dm_68", "oa-dm4.dm_71"]);
    place.run(&["convert", "oa-dm2.dm_68", "-o", "dm2.dm_71"]).ends(0);
    place.run(&["join", "oa-dm4.dm_71", "dm2.dm_71", "-o", "both.dm_71"]).ends(0);
    let mut more = 0;
    for verb in ["frags", "chat", "scores", "events"] {
        let rows = |args: &[&str]| place.run(&[args, &["both.dm_71"]].concat()).ends(0).text().to_owned();
        for options in [
            &["--clock", "match", "--from", "2", "--to", "20"][..],
            &["--clock", "level", "--from", "2", "--to", "20"],
            &["--clock", "match", "--match", "2", "--from", "2"],
            &["--match", "2"],
        ] {
            let told = rows(&[&[verb, "--csv"], options].concat());
            assert_eq!(rows(&[&["export", "--table", verb], options].concat()), told, "{verb} {options:?}");
            more += usize::from(told.lines().count() > 1);
        }
    }
    assert!(more > 8, "{more}");
}

/// Times since the match or the level began are those since the recording began, less when that was.
#[test]
fn times_on_the_clock_of_the_match() {
    let place = Place::with(&["oa-dm4.dm_71", "ez-dm.mvd"]);
    let rows = |args: &[&str]| place.run(&[&["frags", "oa-dm4.dm_71", "--json"], args].concat()).ends(0).objects();
    let spans = place.run(&["timeline", "oa-dm4.dm_71", "--json"]).ends(0).objects();
    let began = |kind: &str| spans.iter().find(|span| span["kind"] == kind).unwrap()["demo_ms"].as_i64().unwrap();
    for (clock, key) in [("match", "match_ms"), ("level", "level_ms")] {
        let found = rows(&["--clock", clock]);
        assert!(found.len() > 1);
        for row in &found {
            assert_eq!(row[key].as_i64().unwrap(), row["demo_ms"].as_i64().unwrap() - began(clock), "{row}");
        }
        // The second one alone, by the time that is told of it.
        let at = format!("{}ms", found[1][key]);
        let there = rows(&["--clock", clock, "--from", &at, "--to", &at]);
        assert!(there.contains(&found[1]) && there.iter().all(|row| row[key] == found[1][key]), "{there:?}");
    }
    assert_eq!(
        rows(&["--match", "1"]).len(),
        rows(&["--clock", "match"]).iter().filter(|r| !r["match_ms"].is_null()).count()
    );
    place.run(&["frags", "oa-dm4.dm_71", "--match", "9"]).ends(2).says("this recording has one match");
    place.run(&["frags", "ez-dm.mvd", "--match", "1"]).ends(2).says("this recording has no match");
    // On the server's clock a time needs no name in front.
    let found = rows(&[]);
    let at = format!("{}ms", found[0]["time_ms"]);
    let named = format!("server:{at}");
    assert_eq!(rows(&["--clock", "server", "--from", &at]), rows(&["--from", &named]));
    // The state at a time of the match is that at its time of the recording.
    let state = |args: &[&str]| place.run(&[&["state", "oa-dm4.dm_71", "--json"], args].concat()).ends(0).objects();
    let since = format!("{}ms", began("match") + 5000);
    assert_eq!(state(&["--clock", "match", "--at", "5"]), state(&["--at", &since]));
}
