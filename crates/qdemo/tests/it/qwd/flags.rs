//! Flags: texts of Threewave's Capture the Flag, of KTX and of PureCTF, and players who look as if they carry one.

use qdemo::event::{Certainty, Event, EventKind, EventTag, FlagAction};
use qdemo::replay::{World, events};
use qdemo::world::Scene;
use qdemo::{Limits, Reader};

use super::build::{CLIENT, END, MULTIVIEW, packet, record};

/// Effects of a player who carries a flag.
const RED_FLAG: u8 = 16;
const BLUE_FLAG: u8 = 32;

/// What is told of a flag: at which second, whose it is, what happens, to whom, and whether a message says so.
type Seen = (i64, String, FlagAction, Option<String>, bool);

fn all(demo: &[u8], name: &str) -> Vec<Event> {
    let mut all = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        all.push(event.clone());
        Ok(())
    })
    .unwrap();
    all
}

fn flags(events: &[Event]) -> Vec<Seen> {
    let flag = |event: &Event| match &event.kind {
        EventKind::Flag { team, action, player } => {
            let player = player.as_ref().map(|player| player.name.clone());
            Some((
                event.clock.ms().unwrap() / 1000,
                team.to_string(),
                *action,
                player,
                event.certainty == Certainty::Stated,
            ))
        }
        _ => None,
    };
    events.iter().filter_map(flag).collect()
}

fn seen(second: i64, team: &str, action: FlagAction, player: &str, told: bool) -> Seen {
    (second, team.to_owned(), action, Some(player.to_owned()).filter(|p| !p.is_empty()), told)
}

/// A list of models that ends with it.
fn models(names: &[&str]) -> Vec<u8> {
    let names: Vec<u8> = names.iter().flat_map(|name| [name.as_bytes(), b"\0"].concat()).collect();
    [&[45, 0][..], &names, &[0, 0]].concat()
}

/// `updateuserinfo`: slot, number of the user, settings.
fn user(slot: u8, name: &str, team: &str) -> Vec<u8> {
    let info = format!("\\name\\{name}\\team\\{team}\0");
    [&[40, slot, slot + 1, 0, 0, 0][..], info.as_bytes()].concat()
}

/// `print` for everybody.
fn print(level: u8, text: &[u8]) -> Vec<u8> {
    [&[8, level][..], text, &[0]].concat()
}

/// `playerinfo` with effects: slot, bits, origin, frame, effects.
fn player(slot: u8, effects: u8) -> Vec<u8> {
    vec![42, slot, 0x80, 0, 8, 0, 16, 0, 24, 0, 0, effects]
}

fn frags(slot: u8, frags: i16) -> Vec<u8> {
    [&[14, slot][..], &frags.to_le_bytes()].concat()
}

/// What everybody is told first, in a level with the model of flags or without.
fn begin(flag: &str) -> Vec<u8> {
    let red = [user(0, "ann", "red"), user(1, "the RED flag", "red")].concat();
    [models(&["maps/ctf1.bsp", "progs/player.mdl", flag]), red, user(2, "bob", "blue")].concat()
}

/// A recording of a client: packets with the second of each.
fn recorded(blocks: &[(u32, Vec<u8>)]) -> Vec<Event> {
    let mut demo = packet(1.0, 1, &CLIENT.data());
    for (n, (second, messages)) in blocks.iter().enumerate() {
        demo.extend(packet(*second as f32, n as u32 + 2, messages));
    }
    demo.extend(packet(90.0, 999, END));
    all(&demo, "x.qwd")
}

/// The words of the game modules; in KTX and PureCTF some of their letters are golden.
#[test]
fn texts_tell_of_flags() {
    let text = |second, level, text: &[u8]| (second, print(level, text));
    let events = recorded(&[
        (2, begin("progs/flag.mdl")),
        text(3, 2, b"bob \xE7\xEF\xF4 the \xD2\xC5\xC4 flag!\n"),
        (4, [print(2, b"bob"), print(2, b" lost the RED flag!\n")].concat()),
        text(5, 4, b"the RED flag returned the RED flag!\n"),
        text(6, 2, b"ann got the BLUE flag!\n"),
        text(7, 2, b"ann tossed the BLUE flag!\n"),
        text(8, 2, b"The \xC2\xCC\xD5\xC5 flag has been returned\n"),
        text(9, 1, b"bob got the RED flag!\n"),
        text(10, 2, b"bob \xE3\xE1\xF0\xF4\xF5\xF2\xE5\xE4 the RED flag!\nThe capture took 0:01\n"),
        // What is only said, of nobody who plays, or about something else.
        text(11, 3, b"ann: bob got the RED flag!\n"),
        text(12, 3, b"bob got the RED flag!\n"),
        text(13, 2, b"joe got the RED flag!\n"),
        text(14, 2, b"bob gets an assist for returning his flag!\nbob defends the RED flag\nann has the RED flag\n"),
    ]);
    use FlagAction::{Captured, Dropped, Returned, Taken};
    let wanted = [
        seen(3, "red", Taken, "bob", true),
        seen(4, "red", Dropped, "bob", true),
        seen(5, "red", Returned, "the RED flag", true),
        seen(6, "blue", Taken, "ann", true),
        seen(7, "blue", Dropped, "ann", true),
        seen(8, "blue", Returned, "", true),
        seen(9, "red", Taken, "bob", true),
        seen(10, "red", Captured, "bob", true),
    ];
    assert_eq!(flags(&events), wanted);
}

/// Everybody's copy of a text is one event.
#[test]
fn what_several_read_happened_once() {
    let begin = begin("progs/flag.mdl");
    let text = print(2, b"bob got the RED flag!\n");
    // Kind 4 is for one player: the slot is in the upper bits.
    let copies = [record(4 | 1 << 3, &text), record(4 | 2 << 3, &text)].concat();
    let demo = [MULTIVIEW.demo(&[&begin]), copies, MULTIVIEW.demo(&[END])[MULTIVIEW.demo(&[]).len()..].to_vec()];
    let events = all(&demo.concat(), "x.mvd");
    assert_eq!(flags(&events).len(), 1);
    assert_eq!(events.iter().filter(|event| event.kind.tag() == EventTag::Print).count(), 1);
}

/// Without texts, such as for one who asked not to get them: ann takes the blue flag and brings it home, bob takes the
/// red one and loses it.
#[test]
fn players_look_as_if_they_carried_one() {
    let frame = |second, ann, bob| (second, [player(0, ann), player(2, bob)].concat());
    let blocks = [
        (2, begin("progs/flag.mdl")),
        frame(3, 0, 0),
        frame(4, BLUE_FLAG, 0),
        frame(9, BLUE_FLAG | 8, RED_FLAG),
        // Nobody is seen.
        (20, print(2, b"nothing\n")),
        (30, [frags(0, 3), player(0, BLUE_FLAG), player(2, RED_FLAG)].concat()),
        (31, [frags(0, 18), player(0, 0), player(2, 0)].concat()),
        frame(35, 0, 0),
        frame(36, 0, 0),
    ];
    use FlagAction::{Captured, Dropped, Taken};
    let wanted = [
        seen(4, "blue", Taken, "ann", false),
        seen(9, "red", Taken, "bob", false),
        seen(31, "red", Dropped, "bob", false),
        seen(31, "blue", Captured, "ann", false),
    ];
    let events = recorded(&blocks);
    assert_eq!(flags(&events), wanted);
    let how = |event: &Event| event.certainty.reason().is_some_and(|reason| reason.name().contains("is seen"));
    assert!(events.iter().filter(|event| event.kind.tag() == EventTag::Flag).all(how));
    // Where the client has no model for flags, these effects are none.
    let mut other = blocks;
    other[0].1 = begin("progs/eyes.mdl");
    assert_eq!(flags(&recorded(&other)), []);
}

/// A text says it, soon after it can be seen or before: that is one event. The flag that somebody has all the time is
/// none.
#[test]
fn a_text_and_what_can_be_seen_are_one() {
    let frame = |second, ann, bob| (second, [player(0, ann), player(2, bob)].concat());
    let events = recorded(&[
        (2, begin("progs/flag.mdl")),
        frame(3, BLUE_FLAG, 0),
        frame(4, BLUE_FLAG, RED_FLAG),
        (6, [print(2, b"bob got the RED flag!\n"), player(0, BLUE_FLAG), player(2, RED_FLAG)].concat()),
        frame(12, BLUE_FLAG, RED_FLAG),
        (13, [print(2, b"bob lost the RED flag!\n"), player(0, BLUE_FLAG), player(2, RED_FLAG)].concat()),
        frame(14, BLUE_FLAG, 0),
        frame(20, BLUE_FLAG, 0),
        frame(21, BLUE_FLAG, 0),
    ]);
    let wanted = [seen(6, "red", FlagAction::Taken, "bob", true), seen(13, "red", FlagAction::Dropped, "bob", true)];
    assert_eq!(flags(&events), wanted);
}

/// Settings of the server.
fn mode(mode: &str) -> Vec<u8> {
    [&[9][..], format!("fullserverinfo \"\\mode\\{mode}\"\n\0").as_bytes()].concat()
}

/// The keys among the items of whoever has a flag are that flag. KTX has keys for models of flags too, unless its server has
/// others: its setting tells the kind of game.
#[test]
fn flags_are_no_keys() {
    let items = |items: i32| [&[38, 15][..], &items.to_le_bytes()].concat();
    let health = vec![3, 0, 100];
    let cases = [
        ("progs/flag.mdl", "", 0),
        ("progs/eyes.mdl", "", 1),
        ("progs/w_s_key.mdl", "ctf", 0),
        ("progs/w_s_key.mdl", "2on2", 1),
        ("progs/flag.mdl", "competition", 0),
    ];
    for (model, game, keys) in cases {
        // The recorder is in slot 3.
        let begin = [begin(model), mode(game), user(3, "me", "red")].concat();
        let blocks = [(2, begin), (3, [health.clone(), items(1)].concat()), (10, items(1)), (11, items(1 | 1 << 17))];
        let events = recorded(&blocks);
        let key = |event: &&Event| matches!(&event.kind, EventKind::Pickup { item, .. } if item.ends_with("_key"));
        assert_eq!(events.iter().filter(key).count(), keys, "{model} {game}");
    }
}

/// What the recorder carries at the end.
fn carried(model: &str, game: &str, items: i32, effects: u8) -> Vec<String> {
    let begin = [begin(model), mode(game), user(3, "me", "red")].concat();
    let stat = [&[38, 15][..], &items.to_le_bytes()].concat();
    let demo =
        [packet(1.0, 1, &CLIENT.data()), packet(2.0, 2, &begin), packet(3.0, 3, &[stat, player(3, effects)].concat())];
    let demo = demo.concat();
    let mut reader = Reader::new(&demo[..], "x.qwd", Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), "x.qwd").unwrap();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
    }
    let mut all = Vec::new();
    world.carried(3, &mut |name, amount| all.extend((amount > 0).then(|| name.to_owned())));
    all
}

/// KTX 1.42 shows everybody the keys of the flags that are away; who carries one is told by the looks alone (its
/// `FlagTouch` sets both effects). Runes are those of the game (`CheckStuffRune`).
#[test]
fn who_looks_so_carries_a_flag() {
    const KEYS: i32 = 1 << 17 | 1 << 18;
    const REGENERATION: i32 = 1 << 31;
    let both = KEYS | REGENERATION;
    for (model, game) in [("progs/w_g_key.mdl", "ctf"), ("progs/flag.mdl", "ctf"), ("progs/flag.mdl", "")] {
        assert_eq!(carried(model, game, both, 0), ["regeneration"], "{model}");
        assert_eq!(carried(model, game, both, RED_FLAG), ["regeneration", "red_flag"], "{model}");
        assert_eq!(carried(model, game, KEYS, BLUE_FLAG | 8), ["blue_flag"], "{model}");
    }
    let keys = ["silver_key", "gold_key"];
    assert_eq!(carried("progs/w_g_key.mdl", "4on4", KEYS, RED_FLAG), keys);
}

/// KTX tells one player of a rune, at the level of what all are told (`RuneTouch`); the inventory tells of the same. What is said
/// tells nothing.
#[test]
fn runes_are_taken() {
    let items = |items: i32| [&[38, 15][..], &items.to_le_bytes()].concat();
    let begin = [begin("progs/w_g_key.mdl"), mode("ctf"), user(3, "me", "red")].concat();
    let rune = |name: &[u8]| [b"You got the ", name, b" rune\n"].concat();
    let golden = |name: &str| name.bytes().map(|b| b | 0x80).collect::<Vec<_>>();
    let events = recorded(&[
        (2, begin),
        (3, [vec![3, 0, 100], items(1)].concat()),
        (10, [print(2, &rune(&golden("haste"))), items(1 | 1 << 30)].concat()),
        (20, print(2, &rune(b"resistance"))),
        (30, print(2, &rune(b"strength"))),
        (40, items(1 | 1 << 31)),
        (50, print(3, &rune(b"haste"))),
        (60, print(2, b"You already have a rune. Use \"tossrune\" to drop\n")),
    ]);
    let taken = events.iter().filter_map(|event| match &event.kind {
        EventKind::Pickup { player, item } => Some((player.as_ref()?.name.as_str(), item.as_ref())),
        _ => None,
    });
    let wanted = ["haste", "resistance", "strength", "regeneration"].map(|rune| ("me", rune));
    assert_eq!(taken.collect::<Vec<_>>(), wanted);
}
