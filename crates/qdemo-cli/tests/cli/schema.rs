//! `schema`.

use serde_json::Value;

use super::json_schema::fits;
use super::support::{Place, testdata};

#[test]
fn the_reference_tells_types_and_units() {
    let place = Place::new();
    let done = place.run(&["schema", "dem", "updateentity"]).ends(0).in_silence();
    done.shows("origin_x").shows("mask bit 1").shows("units");
    place.run(&["schema", "dem", "nonsense"]).ends(2).says("no such message");
    place.run(&["schema", "doom"]).ends(2);
}

#[test]
fn markdown_and_text_name_the_same_messages() {
    let place = Place::new();
    let markdown = place.run(&["schema", "--markdown"]).ends(0).in_silence();
    let names: Vec<_> = markdown.text().lines().filter_map(|l| l.strip_prefix("### ")).collect();
    let text = place.run(&["schema"]).ends(0).in_silence();
    let in_text: Vec<_> = text.text().lines().skip(2).collect();
    assert!(names.len() > 40);
    // The tables behind Quake III's messages are only for who writes a compiler.
    for name in names.into_iter().filter(|name| !name.contains(' ')) {
        assert!(in_text.iter().any(|l| l.split(' ').next() == Some(name)), "{name}");
    }
}

/// Every line that `decompile --json` writes fits the JSON Schema.
#[test]
fn the_json_schema_accepts_what_is_written() {
    let place = Place::new();
    let all = schema(&place, &["schema", "--json-schema"]);
    for (name, format) in [
        ("clip.dem", "dem"),
        ("dm13-15.dem", "dem"),
        ("q2-demo1.dm2", "dm2"),
        ("oa-dm2.dm_68", "dm3"),
        ("oa-dm4.dm_71", "dm3"),
        ("oa-dm5.dm_66", "dm3"),
        ("ez-dm.qwd", "qwd"),
        ("ez-dm.mvd", "mvd"),
        ("q2pro-dm.mvd2", "mvd2"),
    ] {
        let demo = testdata(name);
        let one = schema(&place, &["schema", format, "--json-schema"]);
        // Whole, cut within a block, and cut with something behind it.
        let cut = &demo[..demo.len() / 2];
        for (n, demo) in [demo.clone(), cut.to_vec(), [cut, &[0xEE; 99]].concat()].into_iter().enumerate() {
            place.write(name, &demo);
            for line in place.run(&["--quiet", "decompile", "--json", name]).ends(0).objects() {
                assert!(fits(&all, &line), "{name} {n}: {line}");
                assert!(fits(&one, &line), "{name} {n}: {line}");
            }
        }
    }
}

/// What no decompiler writes does not fit it: `compile` refuses nearly all of it.
#[test]
fn the_json_schema_rejects_nonsense() {
    let schema = schema(&Place::new(), &["schema", "--json-schema"]);
    let dem = |message: &str| format!(r#"{{"piece":"block","camera":[0,90,0],"messages":[{message}]}}"#);
    let dm3 = |message: &str| format!(r#"{{"piece":"block","sequence":1,"rel_ack":2,"messages":[{message}]}}"#);
    let dm2 = |message: &str| format!(r#"{{"piece":"block","messages":[{message}]}}"#);
    let stats = r#"{"message":"playerinfo","stats[0]":100,"stats[31]":-1}"#;
    let snapshot = |player: &str, entities: &str| {
        dm3(&format!(
            r#"{{"message":"snapshot","serverTime":1,"deltaNum":0,"snapFlags":4,"areamask":[254],"player":{player},"entities":{entities}}}"#
        ))
    };
    let qwd = |message: &str| format!(r#"{{"piece":"sblock","time":1.5,"seq1":1,"seq2":2,"messages":[{message}]}}"#);
    let mvd = |target: &str, message: &str| format!(r#"{{"piece":"mblock","msec":0,{target},"messages":[{message}]}}"#);
    let entities = |entity: &str| {
        qwd(&format!(r#"{{"message":"packetentities","messages":[{{"message":"packetentity",{entity}}}]}}"#))
    };
    let damage = r#"{"message":"hidden_damage","deathtype":6,"attacker":1,"victim":3,"damage":110}"#;
    let player = r#"{"message":"mvdplayerinfo","player":2,"frame":12,"dead":true,"origin_x":100.125}"#;
    let sound = r#"{"message":"sound","channel":1,"entity":2,"soundnum":3,"origin":[0,0,0],"vol":0.5}"#;
    let good = [
        qwd(sound),
        qwd(r#"{"message":"disconnect"}"#),
        qwd(r#"{"message":"nails","messages":[{"message":"nail","origin":[2,4,-6],"angles_1":0,"angles_2":90}]}"#),
        // With FTE's extensions there are more models and entities than nine bits and a byte hold.
        entities(r#""entity":1600,"modelindex":300,"remove":true"#),
        r#"{"piece":"sblock","time":0,"connless":{"connect":true}}"#.to_owned(),
        r#"{"piece":"sblock","time":0,"connless":{"id":101,"data":[0]}}"#.to_owned(),
        r#"{"piece":"sblock","time":0,"size":7,"data":[0,1]}"#.to_owned(),
        r#"{"piece":"cblock","time":0,"data":[0,1]}"#.to_owned(),
        r#"{"piece":"fblock","time":0,"seq1":4294967295,"seq2":0}"#.to_owned(),
        mvd(r#""all":true"#, player),
        mvd(r#""stats":31"#, ""),
        mvd(r#""multiple":0"#, damage),
        mvd(r#""multiple":4294967295,"slot":3"#, player),
        r#"{"piece":"mblock","msec":0,"set":true,"seq1":0,"seq2":0}"#.to_owned(),
        r#"{"piece":"mblock","msec":0,"command":true,"command_msec":9,"angles":[0,0,0],"speed":[0,0,0],"viewangles":[0,0,0]}"#
            .to_owned(),
        dem(r#"{"message":"setview","entity":1}"#),
        dem(r#"{"message":"particle","origin":["f24(12,255)",0,0],"vel":[0,0,0],"color":1,"count":2}"#),
        r#"{"piece":"block"}"#.to_owned(),
        r#"{"piece":"block","long_angles":1,"messages":[{"message":"reconnect"}]}"#.to_owned(),
        dm2(stats),
        dm2(r#"{"message":"playerinfo","blend":{"red":0.5,"damage_alpha":1},"fog":{"color":[1,2,3]},"stats[255]":-1}"#),
        dm2(r#"{"message":"playerinfo","blend":[0,0,0,1],"velocity":["by(-0.125)",0,"by(8)"]}"#),
        dm2(r#"{"message":"fog","on":1,"model":0,"density":5,"start":0,"end":9,"color":[1,2,3]}"#),
        dm2(r#"{"message":"packetentities","messages":[{"message":"packetentity","entity":300,"frame":400}]}"#),
        dm2(r#"{"message":"unicast","client":3},{"message":"print","level":3,"string":"hello"}"#),
        dm3(r#"{"message":"nop"}"#),
        snapshot("{}", "[]"),
        snapshot(r#"{"stats[15]":-1,"origin[0]":"f32(0x7FC00001)"}"#, r#"[{"index":1022,"remove":true},{"index":3}]"#),
    ];
    let mvd2 = |message: &str| format!(r#"{{"piece":"block","messages":[{message}]}}"#);
    let multicast =
        r#"{"message":"multicast","pvs":true,"leaf":7,"messages":[{"message":"muzzleflash","entity":1,"value":7}]}"#;
    let frame = r#"{"message":"frame","portals":[],"messages":[{"message":"player","slot":3,"fov":90}]}"#;
    // What a message of the game may hold in a `.dm2`, it may hold here.
    let hits = multicast.replace(
        r#"{"message":"muzzleflash","entity":1,"value":7}"#,
        r#"{"message":"damage","hits":[{"value":33,"movedir":[0,0,1]}]}"#,
    );
    let good = good.into_iter().chain([mvd2(multicast), mvd2(&hits), mvd2(frame), r#"{"piece":"mvd2"}"#.to_owned()]);
    for line in good {
        assert!(fits(&schema, &serde_json::from_str(&line).unwrap()), "{line}");
    }
    let bad = [
        "[]".to_owned(),
        r#"{"piece":"dm3","protocol":69}"#.to_owned(),
        r#"{"piece":"endblock","data":[]}"#.to_owned(),
        r#"{"piece":"trailer","data":[256]}"#.to_owned(),
        r#"{"piece":"block","sequence":1,"camera":[0,0,0]}"#.to_owned(),
        dem(r#"{"message":"snapshot"}"#),
        dem(r#"{"message":"setview"}"#),
        dem(r#"{"message":"setview","entity":70000}"#),
        dem(r#"{"message":"setview","entity":1,"more":1}"#),
        dm3(r#"{"message":"setview","entity":1}"#),
        // A configstring belongs into a gamestate, and nothing else does.
        dm3(r#"{"message":"configstring","index":0,"value":""}"#),
        dm3(r#"{"message":"gamestate","serverCommandSequence":1,"messages":[{"message":"nop"}]}"#),
        dm3(r#"{"message":"serverCommand","seq":"1","value":"print"}"#),
        dm3("{\"message\":\"serverCommand\",\"seq\":1,\"value\":\"\u{20AC}\"}"),
        dm3(r#"{"message":"snapshot","serverTime":1}"#),
        dm2(&stats.replace("[0]", "[256]")),
        dm2(&stats.replace("[0]", "[01]")),
        dm2(&stats.replace("100", "32768")),
        dm2(&stats.replace(r#""stats[0]":100"#, r#""stats":100"#)),
        dm2(r#"{"message":"playerinfo","blend":{"color":1}}"#),
        dm2(r#"{"message":"playerinfo","fog":1}"#),
        dm2(r#"{"message":"packetentity","entity":300}"#),
        dm2(r#"{"message":"packetentities","messages":[{"message":"nop"}]}"#),
        dm2(r#"{"message":"setview","entity":1}"#),
        r#"{"piece":"block","long_angles":2}"#.to_owned(),
        r#"{"piece":"betweenblock","messages":[]}"#.to_owned(),
        qwd(player),
        qwd(damage),
        qwd(r#"{"message":"setview","entity":1}"#),
        qwd(&sound.replace(r#""entity":2,"#, "")),
        qwd(r#"{"message":"packetentity","entity":1}"#),
        qwd(r#"{"message":"packetentities","packetentity":[]}"#),
        qwd(r#"{"message":"packetentities","messages":[{"message":"nop"}]}"#),
        entities(r#""origin_x":1"#),
        entities(r#""entity":1,"player":1"#),
        r#"{"piece":"sblock","time":0}"#.to_owned(),
        r#"{"piece":"sblock","seq1":1,"seq2":2}"#.to_owned(),
        r#"{"piece":"sblock","time":0,"seq1":1,"seq2":2,"reliable":[3]}"#.to_owned(),
        r#"{"piece":"sblock","time":0,"seq1":2147483648,"seq2":2}"#.to_owned(),
        r#"{"piece":"sblock","time":0,"connless":{"connect":true,"ping":true}}"#.to_owned(),
        r#"{"piece":"cblock","time":0,"msec":1}"#.to_owned(),
        mvd(r#""all":true"#, damage),
        mvd(r#""multiple":1"#, damage),
        mvd(r#""all":true,"single":1"#, player),
        mvd(r#""single":32"#, player),
        mvd(r#""slot":1"#, player),
        mvd(r#""set":true"#, ""),
        mvd(r#""all":true"#, r#"{"message":"playerinfo","player":0,"origin":[0,0,0],"frame":0}"#),
        r#"{"piece":"mblock","all":true}"#.to_owned(),
        r#"{"piece":"mblock","msec":256,"all":true}"#.to_owned(),
        snapshot("[]", "[]"),
        snapshot("{}", "{}"),
        snapshot("{}", r#"[{"remove":true}]"#),
        snapshot("{}", r#"[{"index":1023}]"#),
        snapshot("{}", r#"[{"index":1,"event":1024}]"#),
        snapshot("{}", r#"[{"index":1,"stats[0]":1}]"#),
        snapshot(r#"{"stats[16]":1}"#, "[]"),
        snapshot(r#"{"weapon":32}"#, "[]"),
        snapshot(r#"{"weapon":1.5}"#, "[]"),
        snapshot(r#"{"origin[0]":"0"}"#, "[]"),
    ];
    let bad = bad.into_iter().chain([
        mvd2(&frame.replace(r#""portals":[],"#, "")),
        mvd2(&frame.replace("player", "muzzleflash")),
        mvd2(&multicast.replace("muzzleflash", "player")),
        mvd2(&hits.replace("value", "entity")),
        r#"{"piece":"mvd2","protocol":37}"#.to_owned(),
    ]);
    for line in bad {
        assert!(!fits(&schema, &serde_json::from_str(&line).unwrap()), "{line}");
    }
}

fn schema(place: &Place, args: &[&str]) -> Value {
    serde_json::from_slice(&place.run(args).ends(0).in_silence().out).unwrap()
}

#[test]
fn quake_iii_has_messages_and_states() {
    let place = Place::new();
    let done = place.run(&["schema", "dm3", "snapshot", "entity", "baseline"]).ends(0).in_silence();
    // Numbers of entities have ten bits (GENTITYNUM_BITS in the engine); gravity of missiles came with Quake Live.
    done.shows("Number 7. ").shows("Number 4. ").shows("groundEntityNum  u10 ").shows("sent; 73 and later");
    let markdown = place.run(&["schema", "dm3", "--markdown"]).ends(0).in_silence();
    markdown.shows("| `commandTime` | 0:i32 | 0:i32 |").shows("| 66, 67, 68, 70, 71 |");
    place.run(&["schema", "dem", "snapshot"]).ends(2).says("no such message");
}

#[test]
fn quake_ii_has_numbers_by_protocol() {
    let place = Place::new();
    let done = place.run(&["schema", "dm2", "serverdata", "unicast", "fog", "setting"]).ends(0).in_silence();
    // DM2 document, section 3; the recording of the test release; KMQuake2's and Q2PRO's lists of messages.
    done.shows("Number 12, 7 in the test release.")
        .shows("Number 128 and above, in recordings of Relay.")
        .shows("Number 21 in KMQuake2.")
        .shows("Number 24 in Q2PRO's extended demos.")
        .shows("start_height");
    let done = place.run(&["schema", "dm2", "playerinfo", "packetentity"]).ends(0).in_silence();
    let done = done
        .shows("stats[N] ")
        .shows("stats_spare_bytes ")
        .shows("always; wide: bit 8")
        .shows("Within packetentities.");
    assert!(!done.text().contains("BJP"), "{}", done.text());
    place.run(&["schema", "dm2", "snapshot"]).ends(2).says("no such message");
}

#[test]
fn tables_are_shown_like_messages() {
    let place = Place::new();
    let all = place.run(&["schema", "tables"]).ends(0).in_silence();
    let markdown = place.run(&["schema", "tables", "--markdown"]).ends(0).in_silence();
    for table in qdemo::table::TABLES {
        let columns = table.columns.iter().map(|column| column.name);
        for (done, names) in [
            (&all, columns.clone().map(|name| format!("\n    {name} ")).collect::<Vec<_>>()),
            (&markdown, columns.map(|name| format!("\n| `{name}` | ")).collect()),
        ] {
            assert!(names.iter().all(|name| done.text().contains(name)), "{}", done.text());
        }
        assert!(markdown.text().contains(&format!("\n## {}\n", table.name)), "{}", table.name);
    }
    let one = place.run(&["schema", "tables", "frames"]).ends(0).in_silence().shows("view_yaw ");
    assert!(one.text().starts_with("frames\n") && !one.text().contains("positions"), "{}", one.text());
    place.run(&["schema", "tables", "nonsense"]).ends(2).says("no such table");
    place.run(&["schema", "tables", "--json-schema"]).ends(2).says("--json-schema");
    // They are no format: what is about all formats leaves them out.
    assert!(!place.run(&["schema"]).ends(0).in_silence().text().contains("view_yaw"));
}
