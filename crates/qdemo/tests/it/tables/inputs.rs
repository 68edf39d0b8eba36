//! `inputs`: what players ask for.

use qdemo::table::{FRAMES, INPUTS};
use serde_json::Value;

use super::{pieces, recordings, rows};
use crate::common::file_name;

fn numbers(list: &Value) -> Vec<f32> {
    list.as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect()
}

fn parsed(cells: &[String]) -> Vec<f32> {
    cells.iter().map(|cell| cell.parse().unwrap()).collect()
}

/// Each command that a client recorded is a row, with the fields that the text has.
#[test]
fn commands_are_those_of_the_text() {
    let mut compared = 0;
    for path in recordings().into_iter().filter(|path| path.extension().is_some_and(|e| e == "qwd")) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let columns =
            ["source", "pitch", "yaw", "roll", "forward", "side", "up", "msec", "buttons", "impulse", "attack"];
        let all = rows(&INPUTS, &demo, &name, &columns);
        let told: Vec<_> = all.iter().filter(|row| row[0] == "command").collect();
        let pieces = pieces(&demo, &name);
        let expected: Vec<_> = pieces.iter().filter(|piece| piece["piece"] == "cblock").collect();
        assert_eq!(told.len(), expected.len(), "{name}");
        for (row, command) in told.into_iter().zip(expected) {
            assert_eq!(parsed(&row[1..4]), numbers(&command["angles"]), "{name}");
            assert_eq!(parsed(&row[4..7]), numbers(&command["speed"]), "{name}");
            let number = |key: &str| command[key].as_i64().unwrap_or(0);
            // The other three bytes are padding.
            assert_eq!(row[7], (number("msec") & 0xFF).to_string(), "{name}");
            assert_eq!([&row[8], &row[9]], [&number("buttons").to_string(), &number("impulse").to_string()], "{name}");
            assert_eq!(row[10] == "true", number("buttons") & 1 == 1, "{name}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Each block of Quake has the view of its client in front.
#[test]
fn views_are_those_of_the_blocks() {
    let mut compared = 0;
    for path in recordings().into_iter().filter(|path| path.extension().is_some_and(|e| e == "dem")) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let pieces = pieces(&demo, &name);
        let expected: Vec<_> = pieces.iter().filter(|piece| piece["piece"] == "block").collect();
        let told = rows(&INPUTS, &demo, &name, &["source", "pitch", "yaw", "roll", "forward", "buttons"]);
        assert_eq!(told.len(), expected.len(), "{name}");
        for (row, block) in told.iter().zip(expected) {
            if block["camera"].as_array().unwrap().iter().all(Value::is_number) {
                assert_eq!(parsed(&row[1..4]), numbers(&block["camera"]), "{name}");
            }
            assert_eq!([&*row[0], &row[4], &row[5]], ["block", "", ""], "{name}");
            compared += 1;
        }
    }
    assert!(compared > 1_000, "{compared}");
}

/// In Quake II and Quake III each frame tells one state of a player, where one client recorded.
#[test]
fn each_frame_has_its_state() {
    for path in recordings() {
        let extension = path.extension().unwrap().to_string_lossy().into_owned();
        if extension != "dm2" && !extension.starts_with("dm_") {
            continue;
        }
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let frames = rows(&FRAMES, &demo, &name, &["block", "complete", "view_yaw"]);
        let frames: Vec<_> = frames.iter().filter(|row| row[1] == "true").map(|row| [&row[0], &row[2]]).collect();
        let told = rows(&INPUTS, &demo, &name, &["block", "yaw"]);
        let told: Vec<_> = told.iter().map(|row| [&row[0], &row[1]]).collect();
        assert_eq!(told, frames, "{name}");
    }
}
