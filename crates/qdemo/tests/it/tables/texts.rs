//! `prints` and `texts`: everything that can be read.

use std::collections::BTreeMap;

use qdemo::table::{PRINTS, TEXTS};
use serde_json::Value;

use super::{messages, named, pieces, recordings, rows};
use crate::common::{demo, file_name, quake2_demo, serverinfo};
use crate::qwd::build::CLIENT;

/// How many texts of a kind messages are, by what each message is for.
#[derive(Default)]
struct Counted {
    kinds: BTreeMap<&'static str, usize>,
    /// The last server command of Quake III that was carried out: each comes again until the client has it.
    command: i64,
}

impl Counted {
    fn add(&mut self, kind: &'static str) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    fn messages(&mut self, list: &[Value]) {
        for message in list {
            match message["message"].as_str().unwrap() {
                "print" => self.add("prints"),
                // The text at the end of a level is put where these are.
                "centerprint" | "finale" | "cutscene" => self.add("centerprint"),
                "stufftext" => self.add("stufftext"),
                "updatename" => self.add("name"),
                "updateuserinfo" | "setinfo" => self.add("userinfo"),
                "gamestate" => self.command = message["serverCommandSequence"].as_i64().unwrap(),
                "serverCommand" if message["seq"].as_i64().unwrap() > self.command => {
                    self.command = message["seq"].as_i64().unwrap();
                    let text = message["value"].as_str().unwrap();
                    match text.split_ascii_whitespace().next().unwrap_or_default() {
                        "print" | "chat" | "tchat" | "bchat" | "mm2" => self.add("prints"),
                        "cp" | "pcp" => self.add("centerprint"),
                        "cs" | "bcs0" | "bcs1" | "bcs2" => {}
                        _ => self.add("command"),
                    }
                }
                _ => {}
            }
            self.messages(messages(message));
        }
    }
}

/// Texts are as many as the messages that carry them.
#[test]
fn texts_are_those_of_the_messages() {
    let mut all = 0;
    for path in recordings() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut counted = Counted::default();
        for piece in pieces(&demo, &name) {
            // A record for nobody says nothing to anybody.
            if piece["multiple"] != 0 {
                counted.messages(messages(&piece));
            }
        }
        // QuakeWorld puts the text at the end of a level elsewhere.
        if matches!(path.extension().and_then(|e| e.to_str()), Some("qwd" | "mvd")) {
            counted.kinds.remove("centerprint");
        }
        let mut told = BTreeMap::<&str, usize>::new();
        let texts = rows(&TEXTS, &demo, &name, &["kind"]);
        for row in &texts {
            let kind = if row[0] == "print" || row[0] == "chat" { "prints" } else { &row[0] };
            *told.entry(kind).or_default() += 1;
        }
        for (kind, count) in &counted.kinds {
            assert_eq!(told.get(kind), Some(count), "{name}: {kind}");
            all += count;
        }
        let printed = rows(&PRINTS, &demo, &name, &["kind"]);
        let of_texts = texts.into_iter().filter(|row| matches!(&*row[0], "print" | "chat" | "centerprint"));
        assert_eq!(printed, of_texts.collect::<Vec<_>>(), "{name}");
    }
    assert!(all > 200, "{all}");
}

const COLUMNS: [&str; 6] = ["kind", "print_level", "index", "slot", "ends_line", "text"];

fn cells(all: &[[&str; 6]]) -> Vec<Vec<String>> {
    all.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
}

/// Facts 1.3: what players say has the byte 1 in front. Pieces of a line stay pieces; gold letters become plain ones.
#[test]
fn texts_of_quake() {
    let mut names = b"\x0D\0ranger\0\x08\x01ranger: \xE8i\n\0\x08ranger \0\x08drowns\n\0\x09bf\n\0".to_vec();
    names.extend(b"\x1AGet the quad\nnow\0");
    let made = demo("-1\n", &[&serverinfo(15, &[]), &names]);
    let expected = [
        ["level", "", "", "", "", "the Slipgate Complex"],
        ["name", "", "", "0", "", "ranger"],
        ["chat", "", "", "", "true", "ranger: hi"],
        ["print", "", "", "", "false", "ranger "],
        ["print", "", "", "", "true", "drowns"],
        ["stufftext", "", "", "", "", "bf"],
        ["centerprint", "", "", "", "", "Get the quad\nnow"],
    ];
    assert_eq!(rows(&TEXTS, &made, "x.dem", &COLUMNS), cells(&expected));
}

/// Levels of prints are told in QuakeWorld and in Quake II; 3 is chat.
#[test]
fn levels_of_prints() {
    let texts = b"\x08\x01a dies\n\0\x08\x03a: hi\n\0\x1Acenter\0\x34hostname\0here\0\x33\0name\0b\0";
    let made = CLIENT.demo(&[texts]);
    let told = rows(&TEXTS, &made, "x.qwd", &COLUMNS);
    let expected = [
        ["level", "", "", "", "", "The Dark Zone"],
        ["print", "1", "", "", "true", "a dies"],
        ["chat", "3", "", "", "true", "a: hi"],
        ["centerprint", "", "", "", "", "center"],
        ["serverinfo", "", "", "", "", "\\hostname\\here"],
        ["userinfo", "", "", "0", "", "\\name\\b"],
    ];
    assert_eq!(told, cells(&expected));

    let mut level = vec![12];
    level.extend(34i32.to_le_bytes());
    level.extend(0x1_0000i32.to_le_bytes());
    level.extend(b"\x01\0\0\0The Edge\0");
    level.extend(b"\x0D\x21\x05b\\male/grunt\0\x0A\x03b: hi\n\0\x0A\x02done\n\0\x0Bprecache\n\0");
    let told = rows(&TEXTS, &quake2_demo(&[&level]), "x.dm2", &COLUMNS);
    let expected = [
        ["level", "", "", "", "", "The Edge"],
        // 1313 is 1312, the first of the players, and 1.
        ["configstring", "", "1313", "1", "", "b\\male/grunt"],
        ["chat", "3", "", "", "true", "b: hi"],
        ["print", "2", "", "", "true", "done"],
        ["stufftext", "", "", "", "", "precache"],
    ];
    assert_eq!(told, cells(&expected));
}

/// What a level of Quake III begins with, and what changes it; a long configstring comes in three commands.
#[test]
fn texts_of_quake_3() {
    let protocol = crate::common::quake3::protocol(68);
    let mut bits = protocol.head(0);
    let commands: [&[u8]; 8] = [
        b"print \"^1hello\n\"",
        b"cp \"now\"",
        b"chat \"a: hi\"",
        b"cs 545 \"n\\b\\t\\0\"",
        b"bcs0 5 \"one",
        b"bcs1 5  two",
        b"bcs2 5  three\"",
        b"scores 0",
    ];
    for (n, text) in commands.into_iter().enumerate() {
        bits.int(5, 8).int(n as i32 + 1, 32).text(text);
    }
    // The same command again, as long as the client does not say that it has it.
    bits.int(5, 8).int(1, 32).text(commands[0]);
    let made = protocol.demo(&[protocol.closed(bits)]);
    let told = rows(&TEXTS, &made, "x.dm_68", &COLUMNS);
    let strings: Vec<_> = told.iter().filter(|row| row[0] == "configstring").collect();
    assert_eq!(strings[0][2..], ["0", "", "", "\\protocol\\68"]);
    assert_eq!(strings[1][2..], ["545", "1", "", "n\\b\\t\\0"]);
    assert_eq!(strings[2][2], "5");
    assert_eq!(strings.len(), 3, "{told:?}");
    let others: Vec<_> = told.iter().filter(|row| row[0] != "configstring").cloned().collect();
    let expected = [
        ["print", "", "", "", "true", "hello"],
        ["centerprint", "", "", "", "", "now"],
        ["chat", "", "", "", "false", "a: hi"],
        ["command", "", "", "", "", "scores 0"],
    ];
    assert_eq!(others, cells(&expected));
}

/// What is told to one player alone names that player: `print` in a record for slot 1.
#[test]
fn texts_for_one_player() {
    let name = "ez-dm.mvd";
    let recording = crate::common::testdata(name);
    let told = rows(&TEXTS, &recording, name, &["slot", "kind"]);
    let mut expected = 0;
    for piece in pieces(&recording, name).iter().filter(|piece| piece["single"].is_number()) {
        let texts = ["print", "centerprint", "stufftext"];
        expected += messages(piece).iter().filter(|m| texts.iter().any(|name| named(m, name).is_some())).count();
    }
    let alone = told.iter().filter(|row| !row[0].is_empty() && row[1] != "userinfo").count();
    assert!(expected > 0 && alone == expected, "{alone} of {expected}");
}
