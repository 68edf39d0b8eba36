//! Quake II as a server recorded it of all players, through the verbs that tell what happened.
//!
//! What is expected stands in the recording as text; each block holds one frame, and there are ten a second.

use super::support::{Place, testdata};

const DEMO: &str = "q2pro-dm.mvd2";

fn place() -> Place {
    let place = Place::new();
    place.write(DEMO, &testdata(DEMO));
    place
}

/// The blocks that hold a text, by number.
fn blocks_with(text: &str, what: &str) -> Vec<u64> {
    let blocks = text.split("\nblock {").skip(1).enumerate();
    blocks.filter(|(_, block)| block.contains(what)).map(|(n, _)| n as u64).collect()
}

#[test]
fn who_killed_whom_and_who_said_what() {
    let place = place();
    let text = String::from_utf8(place.run(&["decompile", DEMO]).ends(0).out).unwrap();
    let times = |what: &str| blocks_with(&text, what).into_iter().map(|n| n * 100).collect::<Vec<_>>();
    let frags = place.run(&["frags", "--json", DEMO]).ends(0).in_silence().objects();
    let told: Vec<_> =
        frags.iter().map(|f| (f["demo_ms"].as_u64().unwrap(), f["victim"]["name"].as_str().unwrap())).collect();
    let mut expected: Vec<_> = times("tried to invade Recorder's").into_iter().map(|t| (t, "Second")).collect();
    expected.extend(times("Recorder killed himself.").into_iter().map(|t| (t, "Recorder")));
    assert!(told == expected && told.len() == 2, "{told:?} {expected:?}");
    assert_eq!((&frags[0]["attacker"]["name"], &frags[0]["means"]), (&"Recorder".into(), &"telefrag".into()));
    // Each line of chat is there for both players.
    let chat = place.run(&["chat", "--json", DEMO]).ends(0).in_silence().objects();
    let said: Vec<_> = chat.iter().map(|c| c["demo_ms"].as_u64().unwrap()).collect();
    let expected: Vec<_> = ["hello from", "tick 5\\", "tick 14\\", "tick 23\\", "tick 32\\", "tick 41\\"]
        .iter()
        .flat_map(|w| times(w))
        .collect();
    assert!(said == expected && said.len() == 6, "{said:?} {expected:?}");
}

#[test]
fn where_everybody_is() {
    let place = place();
    let state = &place.run(&["state", "--json", "--at", "0", DEMO]).ends(0).in_silence().objects()[0];
    // As the text of the first block has it: the first one was just killed.
    let players = state["players"].as_array().unwrap();
    for (player, name, origin, health) in [
        (&players[0], "Recorder", [144.0, -236.625, 0.125], -999),
        (&players[1], "Second", [144.0, -336.0, 24.125], 100),
    ] {
        let told: Vec<f64> = player["origin"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert_eq!((&player["name"], &told[..], &player["health"]), (&name.into(), &origin[..], &health.into()));
    }
    assert_eq!((&state["minor"], &state["level"]["map"]), (&2010.into(), &"demo1".into()));
    assert_eq!((&state["clock"], &state["complete"]), (&"recording".into(), &true.into()));
    for key in ["isdemo", "baselines", "frame_rate"] {
        assert!(state.get(key).is_none(), "{key}");
    }
    // 223 frames: 22.2 seconds.
    place.run(&["timeline", DEMO]).ends(0).in_silence().shows("Length: 0:22.200, 223 frames");
    let players = place.run(&["players", "--json", DEMO]).ends(0).in_silence().objects();
    assert!(players.iter().all(|p| p["to_demo_ms"] == 22_200), "{players:?}");
}

#[test]
fn every_verb_knows_it() {
    let place = place();
    for verb in ["frags", "chat", "scores", "runs", "events", "highlights", "timeline", "players", "state"] {
        place.run(&[verb, DEMO]).ends(0).in_silence();
        place.run(&[verb, "--json", DEMO]).ends(0).in_silence();
    }
    let rows = place.run(&["export", "--table", "positions", DEMO]).ends(0).in_silence();
    assert_eq!(rows.text().lines().count(), 1 + 2 * 223);
    assert_eq!(place.run(&["scores", "--csv", DEMO]).ends(0).text().lines().count(), 1 + 2);
}
