//! `sounds`: what begins to be heard.

use qdemo::table::SOUNDS;
use serde_json::Value;

use super::{messages, named, pieces, recordings, rows};
use crate::common::file_name;
use crate::quake3::made::{Made, entity, eyes, player};

/// The sounds of a list of messages, those that a message carries too: number and entity.
fn sounds(list: &[Value], to: &mut Vec<[String; 2]>) {
    for message in list {
        if let Some(sound) = named(message, "sound").or_else(|| named(message, "localsound")) {
            let cell = |key: &str| sound[key].as_i64().map_or(String::new(), |v| v.to_string());
            to.push([cell("soundnum"), cell("entity")]);
        }
        sounds(messages(message), to);
    }
}

/// Each sound that a message begins is a row.
#[test]
fn sounds_are_those_of_the_messages() {
    let mut all = 0;
    for path in recordings() {
        let extension = path.extension().unwrap().to_string_lossy().into_owned();
        if extension.starts_with("dm_") || extension == "dm3" {
            continue;
        }
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut expected = Vec::new();
        for piece in pieces(&demo, &name).iter().filter(|piece| piece["multiple"] != 0) {
            sounds(messages(piece), &mut expected);
        }
        let told: Vec<_> = rows(&SOUNDS, &demo, &name, &["number", "entity"]);
        let told: Vec<[String; 2]> = told.into_iter().map(|row| row.try_into().unwrap()).collect();
        assert_eq!(told, expected, "{name}");
        all += told.len();
    }
    assert!(all > 200, "{all}");
}

/// Names are those of the level's list, which counts from 1; what is left out is as loud and fades as usual.
#[test]
fn a_sound_of_quake() {
    let mut compared = 0;
    for name in ["clip.dem", "dm13-15.dem"] {
        let demo = crate::common::testdata(name);
        let columns = ["sound", "number", "channel", "volume", "attenuation", "x", "slot", "entity"];
        let told = rows(&SOUNDS, &demo, name, &columns);
        let pieces = pieces(&demo, name);
        let all = || pieces.iter().flat_map(messages);
        let list = all().find_map(|m| named(m, "serverinfo")).unwrap()["sounds"].clone();
        for (row, sound) in told.iter().zip(all().filter_map(|m| named(m, "sound"))) {
            let number = sound["soundnum"].as_u64().unwrap() as usize;
            assert_eq!(row[0], list[number - 1].as_str().unwrap());
            let or_one = |key: &str| sound[key].as_f64().unwrap_or(1.0) as f32;
            assert_eq!(row[3].parse::<f32>().unwrap(), or_one("vol"));
            assert_eq!(row[4].parse::<f32>().unwrap(), or_one("attenuation"));
            assert_eq!(row[5].parse::<f32>().unwrap(), sound["origin"][0].as_f64().unwrap() as f32);
            assert_eq!(row[2], sound["channel"].as_i64().unwrap_or(0).to_string());
            // The only player of these recordings is entity 1.
            assert_eq!(row[6] == "0", row[7] == "1");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

/// Facts 4.2 and 4.5: a sound at a place (45; Quake Live 42) and for all (46; 43), by the number of its configstring, which
/// is told behind 288 (Quake Live 273). Three snapshots show each; it begins once.
#[test]
fn sounds_of_quake_3_are_events() {
    for (protocol, sounds, [at_a_place, everywhere], first) in
        [(68, 288, [45, 46], 13), (45, 288, [45, 46], 12), (91, 273, [42, 43], 13)]
    {
        use qdemo::format::dm3::EntityField;
        let mut made = Made::new(protocol, "", 0, &[0, 0]);
        made.block(&[format!(r#"cs {} "sound/movers/a.wav""#, sounds + 3)], &eyes(0), &[]);
        let event = |kind: i32| {
            let mut state = entity(first + kind, [1.0, 2.0, 3.0]);
            state.set_int(EntityField::EventParm, 3);
            state
        };
        let mut of_player = player(1, [7.0, 0.0, 0.0], 0);
        of_player.set_int(EntityField::Event, at_a_place | 0x100);
        of_player.set_int(EntityField::EventParm, 9);
        for _ in 0..3 {
            let all = [(1, of_player), (90, event(at_a_place)), (91, event(everywhere))];
            made.block(&[], &eyes(0), &all);
        }
        let columns = ["sound", "number", "source", "entity", "slot", "x", "channel"];
        let told = rows(&SOUNDS, &made.bytes(), &made.name(), &columns);
        let expected = [
            ["", "9", "event", "1", "1", "7.0", ""],
            ["sound/movers/a.wav", "3", "event", "", "", "1.0", ""],
            ["sound/movers/a.wav", "3", "global_event", "", "", "1.0", ""],
        ];
        assert_eq!(told, expected.map(|row| row.map(str::to_owned).to_vec()), "protocol {protocol}");
    }
}
