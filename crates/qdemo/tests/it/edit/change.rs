//! Recordings of which something was changed: that is changed, and nothing else.

use std::net::Ipv4Addr;

use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::analysis::texts::texts;
use qdemo::demo::Recording;
use qdemo::edit::{Changed, EditAccount, Edits, Look, Subtitle, Which, change};
use qdemo::event::{Event, EventKind, EventTag};
use qdemo::format::dm2::{self, Dm2};
use qdemo::replay::{Position, Range, World};
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::wire::Str;
use qdemo::world::{DemoTime, Scene, TextTag};
use qdemo::{FileKind, Limits, Reader};

use super::{each, events, happened, same_worlds, shipped};
use crate::common::{Random, assert_sound, demo, quake2_demo, rounds, serverinfo, testdata};
use crate::qwd::build::{CLIENT, record};

fn changed(bytes: &[u8], name: &str, edits: &Edits) -> (Vec<u8>, EditAccount) {
    change(bytes, name, Limits::default(), edits, Vec::new()).unwrap()
}

fn remove(kinds: &[&str]) -> Edits {
    Edits { remove: vec![which(kinds)], ..Edits::default() }
}

fn which(kinds: &[&str]) -> Which {
    Which { kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(), ..Which::default() }
}

/// All texts of a kind.
fn all_texts(bytes: &[u8], name: &str, kinds: &[TextTag]) -> Vec<String> {
    let mut found = Vec::new();
    texts(bytes, name, Limits::default(), &mut |text| {
        if kinds.contains(&text.kind) {
            found.push(text.text.clone());
        }
        Ok(())
    })
    .unwrap();
    found
}

/// As many blocks are byte for byte those of the input as the account says.
fn untouched_blocks_are_the_same(bytes: &[u8], out: &[u8], name: &str, account: &EditAccount) {
    let blocks = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let mut all = Vec::new();
        while let Some((chunk, raw)) = reader.next_with_bytes().unwrap() {
            if chunk.block().is_some() {
                all.push(raw.to_vec());
            }
        }
        all
    };
    let (before, after) = (blocks(bytes), blocks(out));
    let same = before.iter().zip(&after).filter(|(a, b)| a == b).count() as u64;
    assert_eq!((before.len(), same), (after.len(), account.account.blocks_kept), "{name}");
}

#[test]
fn what_is_not_there_changes_nothing() {
    let mut random = Random(0xED17);
    each(|bytes, name| {
        let edits = Edits {
            remove: vec![Which {
                text: Some(Box::new(|text| text.contains("no such text anywhere"))),
                ..which(&["chat"])
            }],
            rename: vec![("nobody is called this".to_owned(), b"x".to_vec())],
            looks: vec![(Some("nor this".to_owned()), Look::Shirt(4))],
            ..Edits::default()
        };
        let (out, account) = changed(bytes, name, &edits);
        assert!(out == bytes, "{name}");
        assert_eq!((account.removed, account.changed, account.account.blocks_changed), (0, 0, 0), "{name}");
        let notes = account.account.notes.join("; ");
        assert!(notes.contains("\"nobody is called this\"") && notes.contains("\"nor this\""), "{name}: {notes}");
    });
    // Damaged ones come out as they were, too.
    for name in shipped() {
        for _ in 0..rounds(40) {
            let mut bytes = testdata(name);
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            if let Ok((out, account)) = change(&bytes[..], name, Limits::default(), &remove(&["name"]), Vec::new()) {
                assert!(out == bytes || account.removed > 0, "{name}");
            }
        }
    }
}

/// Without texts the world is the same but for what texts alone tell, and no text of the kind is left.
#[test]
fn texts_are_left_out_and_nothing_else() {
    let mut left_out = 0;
    each(|bytes, name| {
        let (out, account) = changed(bytes, name, &remove(&["chat", "centerprint"]));
        assert_sound(&out, name);
        untouched_blocks_are_the_same(bytes, &out, name, &account);
        left_out += account.removed;
        // What ends a level tells more than its text.
        let (_, endings) = changed(bytes, name, &remove(&["finale", "cutscene"]));
        let left = all_texts(&out, name, &[TextTag::Center]);
        assert_eq!(left.len() as u64, endings.removed, "{name}: {left:?}");
        let [before, after] = [bytes, &out].map(|bytes| all_texts(bytes, name, &[TextTag::Print, TextTag::UserInfo]));
        assert!(before == after, "{name}");
        if bytes.len() < 1_000_000 {
            same_worlds(bytes, &out, name, &[]);
        }
        // Neither chat nor what stands in the middle of the screen tells of deaths, or of scores.
        let [before, after] = [bytes, &out]
            .map(|bytes| happened(events(bytes, name, &[EventTag::Frag, EventTag::Score, EventTag::Level])));
        assert_eq!(before, after, "{name}");
        let new = |bytes: &[u8]| -> Vec<String> {
            let report = check(bytes, name, Limits::default(), &Checks::without_rules()).unwrap();
            let found = report.findings.into_iter().filter(|f| f.severity > Severity::Note);
            found.map(|f| f.rule).collect()
        };
        let before = new(bytes);
        let found: Vec<_> = new(&out).into_iter().filter(|rule| !before.contains(rule)).collect();
        assert_eq!(found, [""; 0], "{name}");
    });
    assert!(left_out > 5, "{left_out}");
}

/// Everything that happens but chat.
fn all_but_chat(bytes: &[u8], name: &str) -> Vec<(i64, EventTag, String)> {
    let kinds: Vec<_> = EventTag::ALL.iter().copied().filter(|kind| *kind != EventTag::Chat).collect();
    happened(events(bytes, name, &kinds))
}

/// What is said is what `chat` lists: a line of the same level with nobody in front, as servers and game modules write some,
/// tells of the game, and stays.
#[test]
fn chat_is_what_is_said() {
    let mut said = 0;
    each(|bytes, name| {
        let (out, account) = changed(bytes, name, &remove(&["chat"]));
        let listed = events(bytes, name, &[EventTag::Chat]).len();
        assert_eq!(events(&out, name, &[EventTag::Chat]), [], "{name}");
        assert_eq!(account.removed > 0, listed > 0, "{name}");
        assert!(all_but_chat(bytes, name) == all_but_chat(&out, name), "{name}");
        said += listed;
    });
    assert!(said > 0);
    // In front of the last block: the level, or the first byte, is that of chat.
    let lines = [
        ("Server starts recording\n", false),
        ("stg called a time out. Match will resume automatically in 2:00.\n", false),
        ("Match has started!\n", false),
        ("stg: that is it\n", true),
        // In pieces.
        ("stg: now", true),
        (" and again\n", true),
        ("**** MATCH HAS RESTARTED!! ****\n", false),
    ];
    for name in ["q2-demo1.dm2", "ez-dm.mvd", "dm13-15.dem"] {
        let block = |text: &str| match name.rsplit_once('.') {
            Some((_, "dm2")) => {
                let print = [&[10, 3][..], text.as_bytes(), &[0]].concat();
                [&(print.len() as u32).to_le_bytes()[..], &print].concat()
            }
            Some((_, "mvd")) => record(6, &[&[8, 3][..], text.as_bytes(), &[0]].concat()),
            // A piece that goes on has no mark.
            _ if text.starts_with(' ') => demo("", &[&[&[8][..], text.as_bytes(), &[0]].concat()]),
            _ => demo("", &[&[&[8, 1][..], text.as_bytes(), &[0]].concat()]),
        };
        let with = |keeps: &dyn Fn(bool) -> bool| {
            let bytes = testdata(name);
            let mut reader = Reader::new(&bytes[..], name, Limits::default()).unwrap();
            let (mut at, mut last) = (0, 0);
            while let Some((chunk, raw)) = reader.next_with_bytes().unwrap() {
                last = if chunk.block().is_some() { at } else { last };
                at += raw.len();
            }
            let blocks: Vec<u8> =
                lines.iter().filter(|(_, said)| keeps(*said)).flat_map(|(text, _)| block(text)).collect();
            [&bytes[..last], &blocks, &bytes[last..]].concat()
        };
        let removed = |bytes: &[u8]| changed(bytes, name, &remove(&["chat"])).1.removed;
        assert_eq!(removed(&with(&|_| true)), removed(&testdata(name)) + 3, "{name}");
        let (out, _) = changed(&with(&|_| true), name, &remove(&["chat"]));
        let left = all_texts(&out, name, &[TextTag::Print, TextTag::Chat]);
        for (text, said) in lines {
            assert_eq!(left.iter().any(|line| line.trim() == text.trim()), !said, "{name}: {text}");
        }
    }
}

/// Engines read nothing where a block of `.dem` or `.dm2` is empty, and take that for the end; in an `.mvd2` the size 0 is
/// the end mark.
/// QuakeWorld tells players of one name apart by a number in front.
#[test]
fn a_name_within_another_one_stays() {
    let user = |slot: u8, name: &str| {
        let about = format!("\\name\\{name}\0");
        [&[40, slot, slot + 10, 0, 0, 0][..], about.as_bytes()].concat()
    };
    let print = |text: &str| [&[8, 1][..], text.as_bytes(), &[0]].concat();
    let demo = |old: &str, printed: [&str; 2]| {
        let players = [user(0, old), user(1, "(1)Sarge"), user(2, "Sarge Two")].concat();
        CLIENT.demo(&[&players, &print(printed[0]), &print(printed[1])])
    };
    let others = "Sarge Two rides (1)Sarge's rocket\n";
    let bytes = demo("Sarge", [others, "Sarge rides (1)Sarge's rocket, Sarge Two: Sarge!\n"]);
    let edits = Edits { rename: vec![("Sarge".to_owned(), b"Bob".to_vec())], ..Edits::default() };
    let (out, account) = changed(&bytes, "x.qwd", &edits);
    assert!(out == demo("Bob", [others, "Bob rides (1)Sarge's rocket, Sarge Two: Bob!\n"]));
    assert_eq!((account.changed, &account.account.notes[..]), (2, &[][..]));
}

/// KTX keeps whoever leaves a match on the board: in a slot of user 0, with a mark and a space in front of the name
/// (`ghost2scores`); in its statistics the mark alone stands there. A player may be called so.
#[test]
fn ghosts_are_renamed() {
    let user = |slot: u8, user: u8, name: &[u8]| {
        [&[40, slot, user, 0, 0, 0], &b"\\team\\red\\name\\"[..], name, &[0]].concat()
    };
    let print = |text: &[u8]| [&[8, 2][..], text, &[0]].concat();
    let demo = |old: &[u8]| {
        let marked = |between: &[u8]| [b"\x83", between, old].concat();
        let player = user(0, 9, b"\x83 Sarge");
        let printed = print(&[b"\x87 ", &*marked(b""), b":\n  7 (7) 100.0%\n"].concat());
        let left = print(&[old, b" left the game with 7 frags\n"].concat());
        CLIENT.demo(&[&user(1, 11, old), &player, &left, &user(1, 0, b""), &user(4, 0, &marked(b" ")), &printed])
    };
    let edits = Edits { rename: vec![("Sarge".to_owned(), b"Bob".to_vec())], ..Edits::default() };
    let (out, account) = changed(&demo(b"Sarge"), "x.qwd", &edits);
    assert!(out == demo(b"Bob"));
    assert_eq!((account.changed, &account.account.notes[..]), (4, &[][..]));
}

/// A line that comes in pieces has numbers of its own.
#[test]
fn counters_are_whole_lines() {
    let level = serverinfo(15, &[]);
    let made = |texts: &[&str]| {
        let said: Vec<u8> = texts.iter().flat_map(|text| [&[8][..], text.as_bytes(), &[0]].concat()).collect();
        demo("-1\n", &[&level, &[&[7, 0, 0, 0x80, 0x3F][..], &said].concat(), &[2]])
    };
    let pieces = ["You receive ", "25", " health\n", "in ", "10\n", "7", "...\n", "-----\n"];
    let whole = ["3\n", "You receive ", "25", " health\n", "in ", "10\n", "7", "...\n", "-----\n", "2...\n", "1\n"];
    let (out, account) = changed(&made(&whole), "x.dem", &Edits { strip_counters: true, ..Edits::default() });
    assert!(out == made(&pieces));
    assert_eq!(account.removed, 3);
}

/// What carries other messages is refused, rather than left alone without a word.
#[test]
fn messages_that_carry_others_are_not_named() {
    for kind in ["multicast", "unicast"] {
        let refused = change(&testdata("q2pro-dm.mvd2")[..], "x.mvd2", Limits::default(), &remove(&[kind]), Vec::new());
        assert!(refused.unwrap_err().to_string().contains("it carries messages"));
    }
}

#[test]
fn a_block_that_loses_all_its_messages_is_not_empty() {
    let frame = |time: f32| [&[7][..], &time.to_le_bytes(), &[0x80, 1]].concat();
    let (level, said) = (serverinfo(15, &[]), b"\x08hello\n\0");
    let bytes = demo("-1\n", &[&level, &frame(1.0), said, &frame(1.1), &[2]]);
    let (out, account) = changed(&bytes, "x.dem", &remove(&["print"]));
    assert_eq!(out, demo("-1\n", &[&level, &frame(1.0), &[1], &frame(1.1), &[2]]));
    assert_eq!((account.removed, account.account.blocks_changed), (1, 1));
    let said = b"\x0A\x02hello\n\0";
    let level = [&[12, 34, 0, 0, 0, 7, 0, 0, 0, 1][..], b"\0\0\0base1\0"].concat();
    let (out, _) = changed(&quake2_demo(&[&level, said, b"\x0Bbf\n\0"]), "x.dm2", &remove(&["print"]));
    assert_eq!(out, quake2_demo(&[&level, &[6], b"\x0Bbf\n\0"]));
    let text = decompile_bytes(&testdata("q2pro-dm.mvd2"), "x.mvd2", &Options::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (before, behind) = text.rsplit_once("\nblock {").unwrap();
    let text = format!("{before}\nblock {{\n print {{ level 2; string \"hello\"; }}\n}}\nblock {{{behind}");
    let (out, _) = changed(&compile_bytes(text.as_bytes(), "x.mvd2").unwrap(), "x.mvd2", &remove(&["print"]));
    assert_sound(&out, "x.mvd2");
    let text = String::from_utf8(decompile_bytes(&out, "x.mvd2", &Options::default()).unwrap()).unwrap();
    assert!(text.contains("\n nop;"), "{text}");
}

/// The blocks between are those of the input, byte for byte.
#[test]
fn only_what_is_named_is_left_out() {
    let name = "ez-dm.qwd";
    let bytes = testdata(name);
    let range = Range { from: Position::Demo(DemoTime::from_ms(2_000)), to: Position::Demo(DemoTime::from_ms(20_000)) };
    let edits = Edits { remove: vec![Which { range: Some(range), ..which(&["sound"]) }], ..Edits::default() };
    let (out, account) = changed(&bytes, name, &edits);
    let times: Vec<_> = account.changes.iter().map(|change| change.clock.demo.ms()).collect();
    assert!(!times.is_empty() && times.iter().all(|ms| (2_000..=20_000).contains(ms)), "{times:?}");
    assert_eq!(account.account.blocks_kept + account.account.blocks_changed, account.account.blocks_read);
    untouched_blocks_are_the_same(&bytes, &out, name, &account);
    // What the game cannot do without stays, and is refused by name.
    for needed in ["playerinfo", "serverdata"] {
        let refused = change(&bytes[..], name, Limits::default(), &remove(&[needed]), Vec::new());
        assert!(refused.unwrap_err().to_string().contains("cannot be left out"));
    }
    let (all, _) = changed(&bytes, name, &remove(&["stufftext"]));
    let left = all_texts(&all, name, &[TextTag::StuffText]);
    assert!(
        left.iter().any(|text| text.starts_with("fullserverinfo")) && !left.iter().any(|text| text.contains("-attack"))
    );
}

#[test]
fn of_texts_and_sounds_only_those_stay_that_are_named() {
    for name in shipped() {
        let bytes = testdata(name);
        let (out, account) = changed(&bytes, name, &Edits { keep: vec![which(&["chat"])], ..Edits::default() });
        assert_sound(&out, name);
        let kept = |bytes: &[u8]| happened(events(bytes, name, &[EventTag::Chat]));
        assert_eq!(kept(&bytes), kept(&out), "{name}");
        assert_eq!(all_texts(&out, name, &[TextTag::Print, TextTag::Center]), [""; 0], "{name}");
        assert!(name.starts_with("oa") || account.removed > 0, "{name}");
    }
}

/// Subtitles come at their time and go; taken out again they leave the recording as it was.
#[test]
fn subtitles_come_and_go() {
    let srt = "1\n00:00:00,500 --> 00:00:02,000\nfirst line of the film\n\n2\n00:00:02,000 --> 00:00:02,600\nsecond\n";
    for name in shipped() {
        let bytes = testdata(name);
        let edits = Edits { subtitles: Subtitle::parse_srt(srt).unwrap(), ..Edits::default() };
        let (out, account) = changed(&bytes, name, &edits);
        assert_sound(&out, name);
        let told = |text: &str| {
            let mut times = Vec::new();
            qdemo::analysis::texts::texts(&out[..], name, Limits::default(), &mut |found| {
                if found.kind == TextTag::Center && found.text.trim() == text {
                    times.push(found.clock.demo.ms());
                }
                Ok(())
            })
            .unwrap();
            times
        };
        let length = qdemo::replay::at(&bytes[..], name, Limits::default(), None).unwrap().1.ms();
        if length < 3_000 {
            continue;
        }
        let first = told("first line of the film");
        assert!(first[0] >= 500 && first[0] < 650 && first.iter().all(|ms| *ms < 2_150), "{name}: {first:?}");
        assert!((2_000..2_150).contains(&told("second")[0]), "{name}");
        assert!(told("").iter().any(|ms| (2_600..2_800).contains(ms)), "{name}: taken away");
        assert_eq!(account.added, account.changes.iter().filter(|c| c.done == Changed::Added).count() as u64);
        same_worlds(&bytes, &out, name, &["command"]);
        if FileKind::by_extension(name.rsplit('.').next().unwrap()).is_some() && !name.contains(".dm_") {
            // In Quake III a command stays for its number.
            let (again, _) = changed(&out, name, &remove(&["centerprint"]));
            let (without, _) = changed(&bytes, name, &remove(&["centerprint"]));
            assert!(again == without, "{name}");
        } else {
            let report = check(&out[..], name, Limits::default(), &Checks::default()).unwrap();
            assert!(!report.findings.iter().any(|f| f.rule == "gaps" && f.severity > Severity::Note), "{name}");
        }
    }
}

/// All of a long text is shown, in parts that engines keep; what is shown in another way is said.
#[test]
fn long_subtitles_come_in_parts() {
    let words: Vec<String> = (0..250).map(|n| format!("word{n}")).collect();
    let srt = format!("1\n00:00:00,300 --> 00:00:02,700\n{}\n\n2\n0:02 --> 0:03\n\u{dc}ber\n", words.join(" "));
    for name in ["ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71", "clip.dem"] {
        let bytes = testdata(name);
        let edits = Edits { subtitles: Subtitle::parse_srt(&srt).unwrap(), ..Edits::default() };
        let (out, account) = changed(&bytes, name, &edits);
        assert_sound(&out, name);
        let before = all_texts(&bytes, name, &[TextTag::Center]);
        let mut shown = all_texts(&out, name, &[TextTag::Center]);
        shown.retain(|text| !text.trim().is_empty() && !before.contains(text));
        shown.dedup();
        // id's `scr_centerstring` has 1024 bytes, and a server command of Quake III.
        assert!(shown.iter().all(|text| text.len() < 1_018), "{name}");
        let told: Vec<_> = shown.iter().flat_map(|text| text.split_whitespace()).collect();
        let (last, told) = told.split_last().unwrap();
        assert_eq!(*last, "Uber", "{name}");
        // The second one begins before the first one ends, which has shown most of its parts by then.
        assert!(told.len() > 100 && told.iter().zip(&words).all(|(told, word)| told == word), "{name}: {}", told.len());
        let notes = account.account.notes.join("; ");
        for what in ["1 of the subtitles are longer", "1 of the subtitles begin before", "became others: \u{dc}"] {
            assert!(notes.contains(what), "{name}: {notes}");
        }
    }
}

/// Every name that players have in a recording.
fn names(bytes: &[u8], name: &str) -> Vec<String> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all = std::collections::BTreeSet::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        for slot in 0..world.player_slots() {
            all.extend(world.player(slot).map(|player| player.clean_name()).filter(|name| !name.is_empty()));
        }
    }
    all.into_iter().collect()
}

#[test]
fn a_player_with_another_name_does_the_same_under_it() {
    let mut renamed = 0;
    each(|bytes, name| {
        if bytes.len() > 1_500_000 {
            return;
        }
        let before = names(bytes, name);
        // One whose name is no part of another word or name.
        let is_alone = |old: &&String| {
            old.len() > 3
                && before.iter().filter(|other| other.contains(&***old)).count() == 1
                && !old.contains("player")
        };
        let Some(old) = before.iter().find(is_alone) else { return };
        let edits = Edits { rename: vec![(old.clone(), b"Somebody.Else".to_vec())], ..Edits::default() };
        let (out, account) = changed(bytes, name, &edits);
        assert_sound(&out, name);
        let after = names(&out, name);
        assert!(!after.contains(old) && after.contains(&"Somebody.Else".to_owned()), "{name}: {old}: {after:?}");
        assert!(account.changed > 0);
        let tags = [EventTag::Frag, EventTag::Score];
        let words = |events: Vec<Event>| -> Vec<String> {
            let mut all: Vec<_> = events
                .into_iter()
                .map(|event| format!("{} {}", event.clock.demo, event.kind).replace(old.as_str(), "Somebody.Else"))
                .collect();
            all.sort();
            all
        };
        let [one, other] = [bytes, &out].map(|bytes| words(events(bytes, name, &tags)));
        assert_eq!(one, other, "{name}: {old}");
        renamed += 1;
    });
    assert!(renamed > 3, "{renamed}");
}

/// Whatever the case, and in what is told apart from what is printed: configstrings, layouts.
#[test]
fn a_name_goes_wherever_it_stands() {
    let name = "q2-demo1.dm2";
    let edits = |old: &str| Edits { rename: vec![(old.to_owned(), b"Ann".to_vec())], ..Edits::default() };
    let mut demo = Recording::<Dm2>::read(testdata(name), name).unwrap();
    let mut done = false;
    demo.edit(|packet| {
        let is_first = !done && packet.messages.iter().any(|m| matches!(m, dm2::Message::Frame(_)));
        done |= is_first;
        if !is_first {
            return false;
        }
        let text = |text: &str| Str::from(text.as_bytes().to_vec());
        let layout = "xv 0 string \"Recorder    1\" string2 recorder yv 8 string \"   Recorder\"";
        packet.messages.push(dm2::Layout { text: text(layout) }.into());
        packet.messages.push(dm2::ConfigString { index: 1600, string: text("recorder (away)") }.into());
        packet.messages.push(dm2::ConfigString { index: 1601, string: text("Recorder") }.into());
        true
    });
    let (out, account) = changed(&demo.to_bytes().unwrap(), name, &edits("RECORDER"));
    let has = |text: &[u8]| out.windows(text.len()).any(|told| told == text);
    assert!(has(b"xv 0 string \"Ann         1\" string2 recorder yv 8 string \"        Ann\"\0"));
    // A configstring: its number in front.
    assert!(has(b"\x41\x06Ann\0") && has(b"\x40\x06recorder (away)\0"));
    // What is written in another way stays, and that is said.
    let notes = account.account.notes.join("; ");
    assert!(notes.contains("\"Recorder\" still stands in messages \"layout\", once"), "{notes}");
}

#[test]
fn looks_are_those_that_are_asked_for() {
    let edits =
        |looks: Vec<Look>| Edits { looks: looks.into_iter().map(|look| (None, look)).collect(), ..Edits::default() };
    let (out, _) =
        changed(&testdata("ez-dm.mvd"), "ez-dm.mvd", &edits(vec![Look::Shirt(3), Look::Team(b"red".to_vec())]));
    let world = qdemo::replay::at(&out[..], "ez-dm.mvd", Limits::default(), None).unwrap().0;
    assert_eq!(world.player(0).unwrap().team.as_deref(), Some(&b"red"[..]));
    let info = all_texts(&out, "ez-dm.mvd", &[TextTag::UserInfo]);
    assert!(info.iter().filter(|info| info.contains("name")).all(|info| info.contains(r"topcolor\3")), "{info:?}");
    let name = "q2-demo1.dm2";
    let (out, account) =
        changed(&testdata(name), name, &edits(vec![Look::Skin(b"female/athena".to_vec()), Look::Shirt(1)]));
    let skins = all_texts(&out, name, &[TextTag::ConfigString]);
    assert!(skins.iter().any(|skin| skin.ends_with(r"Recorder\female/athena")), "{skins:?}");
    assert!(account.account.notes.iter().any(|note| note.contains("no colours")), "{:?}", account.account.notes);
    let name = "dm13-15.dem";
    let (out, _) = changed(&testdata(name), name, &edits(vec![Look::Shirt(2), Look::Pants(13)]));
    let all = qdemo::demo::Recording::<qdemo::format::dem::Dem>::read(out, name).unwrap();
    let colors: Vec<u8> = all
        .packets()
        .flat_map(|(_, packet)| packet.messages)
        .filter_map(|m| if let qdemo::format::dem::Message::UpdateColors(m) = m { Some(m.colors.0) } else { None })
        .collect();
    assert!(!colors.is_empty() && colors.iter().all(|colors| *colors == 0x2D), "{colors:?}");
}

#[test]
fn the_track_is_another_one() {
    for name in ["ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68"] {
        let edits = Edits { track: Some("7".to_owned()), ..Edits::default() };
        let (out, account) = changed(&testdata(name), name, &edits);
        assert_sound(&out, name);
        assert!(account.changed > 0, "{name}: {:?}", account.account.notes);
        let world = qdemo::replay::at(&out[..], name, Limits::default(), None).unwrap().0.to_json();
        // By the numbers that id's engines give the configstring of the CD track, and of the music.
        let told = match world.get("configstrings") {
            Some(strings) => strings[if name.ends_with("dm_68") { "2" } else { "1" }].as_str().map(str::to_owned),
            None => Some(world["cd_track"].to_string()),
        };
        assert_eq!(told.as_deref(), Some("7"), "{name}");
    }
    let edits = Edits { track: Some("7".to_owned()), ..Edits::default() };
    let (out, _) = changed(&testdata("dm13-15.dem"), "dm13-15.dem", &edits);
    assert!(out.starts_with(b"7\n"));
}

/// Addresses in a text, found in another way than they are taken out: every four numbers with points between them.
fn addresses(text: &str) -> Vec<String> {
    let numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    numbers.map(|run| run.trim_matches('.')).filter(|run| run.parse::<Ipv4Addr>().is_ok()).map(str::to_owned).collect()
}

#[test]
fn nothing_private_is_left() {
    let mut found = 0;
    each(|bytes, name| {
        let (out, account) = changed(bytes, name, &Edits { sanitize: true, ..Edits::default() });
        assert_sound(&out, name);
        // In Quake III texts are packed: what can be read is looked at.
        let mut all = all_texts(&out, name, TextTag::ALL);
        if !name.contains(".dm_") {
            all.push(String::from_utf8_lossy(&out).into_owned());
        }
        let told = |text: &String| addresses(text);
        assert_eq!(all.iter().flat_map(told).collect::<Vec<_>>(), [""; 0], "{name}");
        let is_guid = |text: &String| {
            text.split(|c: char| !c.is_ascii_hexdigit()).any(|run| run.len() == 32 && run.bytes().any(|b| b != b'0'))
        };
        assert!(!all.iter().any(is_guid), "{name}");
        found += account.changed + account.removed;
        let tags = [EventTag::Frag, EventTag::Chat, EventTag::Score, EventTag::Match];
        if bytes.len() < 1_000_000 {
            let [one, other] = [bytes, &out].map(|bytes| happened(events(bytes, name, &tags)));
            // Words may have crosses in them.
            let what = |events: Vec<(i64, EventTag, String)>| -> Vec<_> {
                events.into_iter().map(|(ms, tag, words)| (ms, tag, words.chars().count())).collect()
            };
            assert_eq!(what(one), what(other), "{name}");
            same_worlds(bytes, &out, name, &["score board", "settings", "configstrings", "commands"]);
        }
        // There is nothing left to do.
        let (again, account) = changed(&out, name, &Edits { sanitize: true, ..Edits::default() });
        assert!(again == out, "{name}: {:?}", account.changes.first());
    });
    assert!(found > 0);
}

/// A recording of QuakeWorld has what came to the recorder's address and is none of the game, too: answers to `rcon status`
/// tell the addresses of all.
#[test]
fn packets_outside_the_game_are_emptied() {
    let name = "ez-dm.qwd";
    let outside = [&[0xFF; 4][..], b"nclient 192.168.7.9:27001 rcon topsecret status\n\0"].concat();
    let bytes = testdata(name);
    // At the time of the first block.
    let block = [&bytes[..4], &[1], &(outside.len() as u32).to_le_bytes(), &outside].concat();
    let (out, account) = changed(&[block, bytes].concat(), name, &Edits { sanitize: true, ..Edits::default() });
    assert_sound(&out, name);
    let text = String::from_utf8_lossy(&out);
    assert!(!text.contains("topsecret") && !text.contains("192.168.7.9"));
    let told = account.changes.iter().find(|change| change.message == "connless").unwrap();
    assert!(told.before.as_ref().unwrap().contains("topsecret"));
    assert_eq!(told.after.as_deref(), Some(""));
}

/// Players of Quake III have settings that begin with a key: the name `guid` is none.
#[test]
fn settings_of_players_of_quake_3_are_private() {
    let name = "oa-dm4.dm_71";
    let text = |demo: &[u8]| String::from_utf8(decompile_bytes(demo, name, &Options::default()).unwrap()).unwrap();
    let old = text(&testdata(name));
    let new = old.replacen(r"n\\Sarge\\t\\", r"n\\guid\\password\\hunter1\\t\\", 1);
    assert_ne!(old, new);
    let demo = compile_bytes(new.as_bytes(), name).unwrap();
    let (out, _) = changed(&demo, name, &Edits { sanitize: true, ..Edits::default() });
    let out = text(&out);
    assert!(out.contains(r"n\\guid\\password\\x\\t\\") && !out.contains("hunter1"));
}

/// Engines of Quake copy names into 32 bytes.
#[test]
fn names_have_room() {
    let rename = |name: &str, old: &str, len: usize| {
        let edits = Edits { rename: vec![(old.to_owned(), vec![b'x'; len])], ..Edits::default() };
        change(&testdata(name)[..], name, Limits::default(), &edits, Vec::new()).map(|_| ()).map_err(|e| e.to_string())
    };
    assert!(rename("clip.dem", "Recorder", 31).is_ok());
    assert!(rename("clip.dem", "Recorder", 32).unwrap_err().contains("1 to 31 characters"));
    assert!(rename("oa-dm4.dm_71", "Recorder", 63).is_ok());
    assert!(rename("oa-dm4.dm_71", "Recorder", 64).unwrap_err().contains("1 to 63 characters"));
    assert!(rename("clip.dem", "", 5).unwrap_err().contains("an empty one is nobody's"));
}

#[test]
fn chat_of_the_recorder_can_be_told_from_that_of_others() {
    let name = "q2-demo1.dm2";
    let bytes = testdata(name);
    let chats = |bytes: &[u8]| {
        let all = events(bytes, name, &[EventTag::Chat]);
        let speaker = |event: Event| match event.kind {
            EventKind::Chat(chat) => chat.speaker.map(|who| who.name).unwrap_or_default(),
            _ => String::new(),
        };
        all.into_iter().map(speaker).collect::<Vec<_>>()
    };
    assert!(chats(&bytes).contains(&"Recorder".to_owned()));
    let edits =
        Edits { remove: vec![Which { player: Some("recorder".to_owned()), ..which(&["chat"]) }], ..Edits::default() };
    let (out, account) = changed(&bytes, name, &edits);
    assert!(account.removed > 0 && !chats(&out).contains(&"Recorder".to_owned()));
    assert_eq!(chats(&out).len() as u64 + account.removed, chats(&bytes).len() as u64);
}
