//! Quake, QuakeWorld and its two kinds of recordings, made of each other: they show the same.

use std::collections::BTreeMap;

use qdemo::analysis::texts::texts;
use qdemo::convert::{CONVERSIONS, Conversion, Loss, Target, convert, player_slot};
use qdemo::demo::Recording;
use qdemo::event::EventTag;
use qdemo::format::qwd::{
    Angle16, Command, Decoder, Dialect, Message, ModelList, MoveVars, Nop, Packet, PacketNumbers, PlayerFlags,
    PlayerInfo, Qwd, ServerData, StuffText,
};
use qdemo::replay::World;
use qdemo::wire::{Str, StrList};
use qdemo::world::{Scene, TextTag};
use qdemo::{Chunk, FileKind, Limits, Reader};

use super::{each, events, happened};
use crate::common::{Random, assert_sound, report, rounds, testdata};
use crate::qwd::build::{CLIENT, END, MULTIVIEW, packet};

fn converted(bytes: &[u8], name: &str, to: Target) -> (Vec<u8>, Conversion) {
    let from = Reader::new(bytes, name, Limits::default()).unwrap().detected().kind;
    let (out, account) = convert(bytes, name, Limits::default(), to, Vec::new()).unwrap();
    assert_sound(&out, name);
    let known = CONVERSIONS.iter().find(|known| known.way.from == from && known.way.into == to.kind).unwrap();
    for lost in &account.losses {
        assert!(known.losses().any(|loss| loss == lost.loss), "{name}: {:?}", lost.loss);
    }
    (out, account)
}

fn target(extension: &str) -> Target {
    Target::by_extension(extension, None).unwrap()
}

/// Every recording of a format.
fn each_of(kind: FileKind, mut test: impl FnMut(&[u8], &str)) {
    each(|bytes, name| {
        let is_short = bytes.len() < 2_700_000;
        if is_short && Reader::new(bytes, name, Limits::default()).unwrap().detected().kind == kind {
            test(bytes, name);
        }
    });
}

/// What happens, without times, but for scores.
fn story(bytes: &[u8], name: &str, kinds: &[EventTag]) -> Vec<String> {
    let all = happened(events(bytes, name, kinds));
    all.into_iter().filter(|(_, tag, _)| *tag != EventTag::Score).map(|(.., what)| what).collect()
}

/// The scores of each player, one after the other.
pub(super) fn scores(bytes: &[u8], name: &str) -> BTreeMap<String, Vec<i64>> {
    let mut all: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for (.., what) in happened(events(bytes, name, &[EventTag::Score])) {
        let (player, now) = what.split_once(" has ").unwrap();
        let now = now.split_whitespace().next().unwrap().parse().unwrap();
        all.entry(player.to_owned()).or_default().push(now);
    }
    all
}

/// The same happens. A packet of a client tells scores that changed twice at once, records of a server one by one: those of
/// one recording are among those of the other, and the last ones are the same.
fn assert_same_story(a: &[u8], b: &[u8], name: &str) {
    let (one, other) = (story(a, name, &STORY), story(b, name, &STORY));
    let first = one.iter().zip(&other).position(|(one, other)| one != other);
    assert_eq!(first.map(|n| (n, &one[n], &other[n])), None, "{name}");
    assert_eq!(one.len(), other.len(), "{name}");
    let (one, other) = (scores(a, name), scores(b, name));
    assert!(one.keys().eq(other.keys()), "{name}");
    for ((player, one), other) in one.iter().zip(other.values()) {
        let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
        let mut rest = many.iter();
        assert!(few.iter().all(|score| rest.any(|other| other == score)), "{name}: {player}: {few:?} {many:?}");
        assert_eq!(few.last(), many.last(), "{name}: {player}");
    }
}

const STORY: [EventTag; 3] = [EventTag::Frag, EventTag::Chat, EventTag::Level];

/// What a moment shows: players in view by slot, and all else by model, each with its place.
#[derive(Debug, Clone, Default)]
struct Seen {
    players: BTreeMap<usize, [f32; 3]>,
    things: Vec<(String, i32, [f32; 3])>,
    health: Option<i32>,
    /// Who shows the end of a level: Quake has no camera but the recorder's own entity.
    camera: Option<usize>,
    complete: bool,
}

/// The frames.
fn moments(bytes: &[u8], name: &str) -> Vec<(i64, Seen)> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all: Vec<(i64, Seen)> = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if !world.changes().frame {
            continue;
        }
        let mut seen = Seen { complete: world.is_complete(), ..Seen::default() };
        let recorder = world.recorder();
        if matches!(&world, World::QuakeWorld(world) if world.intermission().is_some()) {
            seen.camera = recorder;
        }
        for player in world.players() {
            if let (Some(_), Some(origin)) = (player.entity, player.origin) {
                seen.players.insert(player.slot, origin);
            }
            if Some(player.slot) == recorder {
                seen.health = player.health;
            }
        }
        for thing in world.entities().filter(|thing| thing.player.is_none() && !thing.model.is_empty()) {
            seen.things.push((String::from_utf8_lossy(&thing.model).into_owned(), thing.frame, thing.origin));
        }
        all.push((world.clock().demo.ms(), seen));
    }
    all
}

fn is_near(a: &[f32; 3], b: &[f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.0 / 16.0 + 1e-3)
}

/// What the first of two moments shows and the other one does not, of the players that are asked for.
fn difference(a: &Seen, b: &Seen, players: impl Fn(usize) -> bool, but: &[&str]) -> Option<String> {
    let is_player = |slot: usize| players(slot) && ![a.camera, b.camera].contains(&Some(slot));
    for (slot, origin) in a.players.iter().filter(|(slot, _)| is_player(**slot)) {
        let there = b.players.get(slot);
        if !there.is_some_and(|there| is_near(there, origin)) {
            return Some(format!("{slot} {origin:?} {there:?}"));
        }
    }
    if a.health.is_some() && b.health.is_some() && a.health != b.health {
        return Some(format!("{:?} {:?}", a.health, b.health));
    }
    if !a.complete || !b.complete {
        return None;
    }
    let mut rest: Vec<_> = b.things.iter().filter(|(model, ..)| !but.contains(&&**model)).collect();
    for thing @ (model, frame, origin) in a.things.iter().filter(|(model, ..)| !but.contains(&&**model)) {
        let found = rest.iter().position(|(m, f, o)| m == model && f == frame && is_near(o, origin));
        let Some(found) = found else { return Some(format!("{thing:?} is not in {rest:?}")) };
        rest.swap_remove(found);
    }
    (!rest.is_empty()).then(|| format!("{rest:?}"))
}

/// Both show the same at the same times, to an eighth of a unit, of the players that are asked for; gives how many moments
/// were compared. Of several frames in a millisecond only the last one need be there.
pub(super) fn same_moments(
    (one, name): (&[u8], &str),
    (other, other_name): (&[u8], &str),
    players: impl Fn(usize) -> bool,
    but: &[&str],
) -> usize {
    let (all, others) = (moments(one, name), moments(other, other_name));
    let mut compared = 0;
    for (n, (ms, a)) in all.iter().enumerate() {
        if all.get(n + 1).is_some_and(|(next, _)| next == ms) {
            continue;
        }
        let from = others.partition_point(|(at, _)| *at < ms - 1);
        let near = others[from..].iter().take_while(|(at, _)| *at <= ms + 1);
        let mut differences = near.map(|(_, b)| difference(a, b, &players, but)).peekable();
        assert!(differences.peek().is_some(), "{name}: {ms}: no such moment");
        let first = differences.peek().cloned();
        assert!(differences.any(|difference| difference.is_none()), "{name}: {ms}: {first:?}");
        compared += 1;
    }
    compared
}

#[test]
fn what_a_client_recorded_is_what_a_server_would_have_told() {
    let mut count = 0;
    each_of(FileKind::Qwd, |bytes, name| {
        let (server, account) = converted(bytes, name, target("mvd"));
        assert_same_story(&server, bytes, name);
        let reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let mut world = World::of(reader.detected(), name).unwrap();
        let (mut reader, mut watches) = (reader, false);
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            let recorder = world.recorder();
            watches |= world.players().any(|player| Some(player.slot) == recorder && player.spectator);
        }
        let recorder = world.recorder().unwrap();
        let is_seen = |slot| !watches || slot != recorder;
        let compared = same_moments((bytes, name), (&server, name), is_seen, &[]);
        assert!(compared > 0, "{name}");
        assert!(account.losses.iter().all(|lost| lost.loss != Loss::FarPlace), "{name}");
        // And back, where the recorder plays.
        if !watches {
            let (back, _) = converted(&server, name, target("qwd").of_player(recorder as u8));
            same_moments((bytes, name), (&back, name), |_| true, &[]);
            assert_same_story(&back, bytes, name);
        }
        count += 1;
    });
    assert!(count > 0);
}

#[test]
fn what_a_server_recorded_is_what_each_client_would_have_told() {
    let mut count = 0;
    each_of(FileKind::Mvd, |bytes, name| {
        let nobody = convert(bytes, name, Limits::default(), target("qwd"), Vec::new());
        assert!(nobody.unwrap_err().to_string().contains("name one"));
        let Ok(slot) = player_slot(bytes, name, Limits::default(), &first_player(bytes, name)) else { return };
        let (client, _) = converted(bytes, name, target("qwd").of_player(slot));
        assert_eq!(story(&client, name, &[EventTag::Level]), story(bytes, name, &[EventTag::Level]), "{name}");
        // Whom a team mate killed and with what, the hidden messages and the stats of others tell, which are lost.
        let deaths = |bytes| happened(events(bytes, name, &[EventTag::Frag]));
        let (told, all) = (deaths(&client), deaths(bytes));
        assert!(told.len() * 20 >= all.len() * 19, "{name}: {} of {}", told.len(), all.len());
        let is_known = |death: &&(i64, EventTag, String)| all.contains(death) || death.2.contains("kills  ");
        let unknown: Vec<_> = told.iter().filter(|death| !is_known(death)).collect();
        assert!(unknown.len() * 20 <= told.len(), "{name}: {unknown:?}");
        count += same_moments((bytes, name), (&client, name), |_| true, &[]);
    });
    assert!(count > 0);
}

/// The name of the first player who is in view.
fn first_player(bytes: &[u8], name: &str) -> String {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if let Some(player) = world.players().find(|player| player.entity.is_some() && !player.name.is_empty()) {
            return player.clean_name();
        }
    }
    String::new()
}

#[test]
fn recordings_of_quake_become_those_of_quakeworld() {
    let mut count = 0;
    each_of(FileKind::Dem, |bytes, name| {
        let (new, account) = converted(bytes, name, target("qwd"));
        assert_same_story(&new, bytes, name);
        let gone = [Loss::Model, Loss::Name, Loss::Frame, Loss::FarPlace, Loss::Entity, Loss::Unread];
        if account.losses.iter().all(|lost| !gone.contains(&lost.loss)) {
            count += same_moments((bytes, name), (&new, name), |_| true, &[]);
        }
    });
    assert!(count > 0);
}

#[test]
fn recordings_of_quakeworld_become_those_of_quake() {
    let mut count = 0;
    each_of(FileKind::Qwd, |bytes, name| {
        let (new, account) = converted(bytes, name, target("dem"));
        let gone = [Loss::Model, Loss::Name, Loss::FarPlace, Loss::Entity, Loss::Unread];
        assert_same_story(&new, bytes, name);
        if account.losses.iter().all(|lost| !gone.contains(&lost.loss)) {
            // Nails are no entities in QuakeWorld.
            count += same_moments((bytes, name), (&new, name), |_| true, &["progs/spike.mdl"]);
        }
    });
    assert!(count > 0);
}

/// What brings clients of QuakeWorld into the next level would stop those of Quake who play a recording.
#[test]
fn no_recording_of_quake_connects_anew() {
    let name = "ez-dm.qwd";
    let mut demo = Recording::<Qwd>::read(testdata(name), name).unwrap();
    let mut put_in = 0;
    demo.edit(|packet| {
        let is_frame = packet.messages.iter().any(|m| matches!(m, Message::PlayerInfo(_)));
        if is_frame && put_in == 0 {
            let text = |text: &'static [u8]| Message::StuffText(StuffText { text: Str::new(text) });
            packet.messages.extend([text(b"changing\n"), text(b"reconnect\n"), text(b"bf\n")]);
            put_in += 1;
        }
        is_frame && put_in == 1
    });
    let (new, _) = converted(&demo.to_bytes().unwrap(), name, target("dem"));
    let mut commands = Vec::new();
    texts(&new[..], "new.dem", Limits::default(), &mut |text| {
        commands.extend((text.kind == TextTag::StuffText).then(|| text.text.clone()));
        Ok(())
    })
    .unwrap();
    assert!(commands.iter().any(|text| text == "bf\n"), "{commands:?}");
    assert!(!commands.iter().any(|text| text.contains("changing") || text.contains("reconnect")), "{commands:?}");
}

/// The messages of a `.qwd`.
fn messages(bytes: &[u8]) -> Vec<Message<'static>> {
    let mut reader = Reader::new(bytes, "x.qwd", Limits::default()).unwrap();
    let (mut decoder, mut all) = (Decoder::default(), Vec::new());
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let Chunk::Qwd(qdemo::format::qwd::Chunk::Block(block)) = chunk else { continue };
        let (packet, fault) = decoder.read(&block);
        assert!(fault.is_none(), "{fault:?}");
        all.extend(packet.into_owned().messages);
    }
    all
}

/// A recording in one of the first protocols, with a player whose command runs forwards at 50 * 8 units a second.
fn first_protocol(protocol: i32) -> Vec<u8> {
    let movevars =
        (protocol >= 25).then(|| MoveVars([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0].map(Into::into)));
    let level = ServerData {
        serverversion: protocol,
        age: 7,
        game: b"qw".to_vec().into(),
        client: Some(3),
        mapname: b"the level".to_vec().into(),
        movevars,
        ..ServerData::default()
    };
    let numbered = (protocol >= 26).then_some(0);
    let names = [&b"maps/a.bsp"[..], b"progs/player.mdl"];
    let models = ModelList { first: numbered, models: StrList::from_strings(names), next: numbered };
    let command = Command {
        angles: [None, Some(Angle16(0x4000)), None],
        speed: [Some(if protocol >= 27 { 400 } else { 50 }), None, None],
        msec: (protocol >= 27).then_some(13),
        ..Command::default()
    };
    let player = PlayerInfo { player: 4, command: Some(command), ..PlayerInfo::default() };
    let messages =
        [vec![Message::ServerData(level)], vec![Message::ModelList(models)], vec![Message::PlayerInfo(player)]];
    let mut dialect = Dialect::QUAKEWORLD;
    let mut bytes = Vec::new();
    for (number, messages) in (1..).zip(messages) {
        let packet = Packet::new(1.5, PacketNumbers { seq1: number, seq2: number }, messages);
        bytes.extend(packet.to_bytes(dialect).unwrap());
        dialect = Dialect::announced(protocol, &Default::default(), false);
    }
    bytes
}

#[test]
fn the_first_protocols_of_quakeworld_become_28() {
    for protocol in 24..=28 {
        let old = first_protocol(protocol);
        let (new, account) = converted(&old, "old.qwd", target("qwd"));
        assert_eq!((&account.from_protocols[..], account.to_protocol), (&[protocol][..], 28));
        assert!(account.losses.is_empty());
        let told = messages(&new);
        let [Message::ServerData(level), Message::ModelList(models), Message::PlayerInfo(player)] = &told[..] else {
            panic!("{told:?}");
        };
        assert_eq!((level.serverversion, level.age, level.client), (28, 7, Some(3)));
        // Engines take 800, 100, 320 ... where protocol 24 does not tell.
        let gravity = level.movevars.unwrap().0[0].get();
        assert_eq!(gravity, if protocol == 24 { 800.0 } else { 1.0 });
        assert_eq!((models.first, models.next, models.models.iter().count()), (Some(0), Some(0), 2));
        let command = player.command.unwrap();
        assert_eq!((player.player, command.speed[0], command.angles[1]), (4, Some(400), Some(Angle16(0x4000))));
        assert_eq!(command.msec, Some(if protocol >= 27 { 13 } else { 0 }));
        assert_eq!(new == old, protocol == 28);
    }
}

/// A server and a client of it recorded the same game: what is made of the server's recording is where the client was, between
/// two of its frames.
#[test]
fn a_clients_own_recording_agrees() {
    let (server, own) = (testdata("ez-dm.mvd"), testdata("ez-dm.qwd"));
    let (made, _) = converted(&server, "ez-dm.mvd", target("qwd").of_player(0));
    let path = |bytes: &[u8], name: &str| {
        let at = |(ms, seen): (i64, Seen)| Some((ms, *seen.players.get(&0)?));
        moments(bytes, name).into_iter().filter_map(at).collect::<Vec<_>>()
    };
    let (made, own) = (path(&made, "made.qwd"), path(&own, "ez-dm.qwd"));
    let at = |ms: i64| {
        let next = own.partition_point(|(at, _)| *at < ms);
        let (before, after) = (own.get(next.checked_sub(1)?)?, own.get(next)?);
        let share = (ms - before.0) as f32 / (after.0 - before.0).max(1) as f32;
        Some(std::array::from_fn(|n| before.1[n] + (after.1[n] - before.1[n]) * share))
    };
    let distance = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
    // The client began to record later: by how much, nothing tells.
    let middle = |later: i64| {
        let mut all: Vec<f32> = made.iter().filter_map(|(ms, place)| Some(distance(*place, at(ms - later)?))).collect();
        all.sort_by(f32::total_cmp);
        all.get(all.len() / 2).copied().filter(|_| all.len() > 300)
    };
    let nearest = (0..300).filter_map(|step| middle(step * 10)).min_by(f32::total_cmp).unwrap();
    assert!(nearest < 0.5, "{nearest}");
}

/// Whoever has several names is one player, whom a part of them means; a part of the names of two players means nobody.
#[test]
fn names_of_one_player_mean_that_player() {
    let is_called = |slot: u8, name: &str| {
        let head = [40, slot, slot + 10, 0, 0, 0];
        [&head[..], format!("\\name\\{name}\0").as_bytes()].concat()
    };
    let named = [is_called(1, "Ez1two"), is_called(2, "other"), is_called(1, "EzPlayer")];
    let demo = MULTIVIEW.demo(&[&named[0], &named[1], &named[2], END]);
    let slot = |of: &str| player_slot(&demo[..], "x.mvd", Limits::default(), of).ok();
    assert_eq!([slot("Ez"), slot("two"), slot("oth"), slot("e")], [Some(1), Some(1), Some(2), None]);
}

/// Servers record a sound in one with the entities of its frame (MVDSV's `SV_SendDemoMessage`): of two things in reach the one that
/// goes is taken, as in the recording that it was made of.
#[test]
fn a_sound_is_told_with_what_goes() {
    const SHELLS: u16 = 40;
    const NAILS: u16 = 41;
    let list = |id: u8, names: &[&str]| {
        let names: Vec<u8> = names.iter().flat_map(|name| [name.as_bytes(), &[0]].concat()).collect();
        [&[id, 0][..], &names, &[0, 0]].concat()
    };
    let mut begin = [CLIENT.data(), list(46, &["weapons/lock4.wav"])].concat();
    begin.extend(list(45, &["maps/dm4.bsp", "maps/b_shell0.bsp", "maps/b_nail0.bsp"]));
    // Each stands on a corner; the nails are nearer to the player, who is at 0 0 24.
    for (entity, model, x) in [(SHELLS, 2, 24), (NAILS, 3, -8)] {
        begin.extend([&[22][..], &u16::to_le_bytes(entity), &[model, 0, 0, 0]].concat());
        for at in [x - 16, -16, 0] {
            begin.extend(i16::to_le_bytes(at * 8));
            begin.push(0);
        }
    }
    begin.extend([&[40, 3, 10, 0, 0, 0][..], b"\\name\\a\0"].concat());
    let there = |things: &[u16]| {
        let things: Vec<u8> = things.iter().flat_map(|it| it.to_le_bytes()).collect();
        [&[47][..], &things, &[0, 0]].concat()
    };
    // The recorder, in slot 3, makes the sound.
    let mut sound = [&[6][..], &(4u16 << 3 | 3).to_le_bytes(), &[1]].concat();
    [0, 0, 24i16].iter().for_each(|at| sound.extend((at * 8).to_le_bytes()));
    let taken = [sound, there(&[NAILS])].concat();
    let said = [begin, there(&[SHELLS, NAILS]), taken, END.to_vec()];
    let client: Vec<u8> = said.iter().zip(1..).flat_map(|(said, n)| packet(n as f32, n, said)).collect();
    let (server, _) = converted(&client, "made.qwd", target("mvd"));
    let story = |demo: &[u8], name: &str| story(demo, name, &[EventTag::Pickup]);
    assert_eq!(story(&client, "made.qwd"), ["a takes shells"]);
    assert_eq!(story(&server, "made.mvd"), ["a takes shells"]);
}

/// In an `.mvd` `setangle` has the slot of the one whose view it turns in front: that of slot 1 turns nobody else's.
#[test]
fn a_view_is_turned_for_its_player_alone() {
    let server = testdata("merge-server.mvd");
    let turns = |slot: u8| {
        let (client, account) = converted(&server, "merge-server.mvd", target("qwd").of_player(slot));
        let mut count = 0;
        for (_, packet) in Recording::<Qwd>::read(client, "x.qwd").unwrap().packets() {
            count += packet.messages.iter().filter(|message| matches!(message, Message::SetAngle(_))).count();
        }
        let others = account.losses.iter().filter(|lost| lost.loss == Loss::Others).map(|lost| lost.count);
        (count, others.sum::<u64>())
    };
    let (own, other) = (turns(1), turns(0));
    assert_eq!((own.0, other.0), (1, 0));
    assert!(other.1 > 0, "{other:?}");
}

/// Where a server does not announce that it tells who stands (bit 64 of `*z_ext`), the velocity shows it: gravity acts on
/// everybody else. The same recording tells it.
#[test]
fn whoever_goes_neither_up_nor_down_stands() {
    let own = testdata("ez-dm.qwd");
    let setting = own.windows(10).position(|it| it == br"*z_ext\511");
    let mut silent = own.clone();
    silent[setting.unwrap() + 7..][..3].copy_from_slice(b"447");
    let mut silent = Recording::<Qwd>::read(silent, "x.qwd").unwrap();
    silent.edit_messages(|message| {
        let Message::PlayerInfo(player) = message else { return false };
        player.flags = PlayerFlags::default();
        true
    });
    let silent = silent.to_bytes().unwrap();
    let stands = |bytes: &[u8]| {
        let (dem, _) = converted(bytes, "x.qwd", target("dem"));
        let mut reader = Reader::new(&dem[..], "made.dem", Limits::default()).unwrap();
        let mut world = World::of(reader.detected(), "made.dem").unwrap();
        let mut all = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            if world.changes().frame {
                all.extend(world.player(0).and_then(|player| player.on_ground));
            }
        }
        all
    };
    let (told, shown) = (stands(&own), stands(&silent));
    let same = told.iter().zip(&shown).filter(|(told, shown)| told == shown).count();
    assert!(told.len() == shown.len() && same * 100 >= told.len() * 97, "{same} of {}", told.len());
    // Both are often so.
    assert!([true, false].iter().all(|is| told.iter().filter(|told| *told == is).count() > 100));
}

/// An `.mvd` does not tell who stands on something: what is made of it says so in the way of servers that do not tell it, by
/// `*z_ext`, where 64 is that, 1 and 2 the kind of movement and 256 who can be hit. MVDSV announces 511.
#[test]
fn that_nobody_is_known_to_stand_is_said() {
    let server = testdata("ez-dm.mvd");
    let (client, account) = converted(&server, "ez-dm.mvd", target("qwd").of_player(0));
    let bits = |bytes: &[u8], name: &str| {
        let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let mut world = World::of(reader.detected(), name).unwrap();
        let mut stands = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            if world.changes().frame {
                stands.extend(world.player(0).filter(|player| player.origin.is_some()).map(|player| player.on_ground));
            }
        }
        let World::QuakeWorld(world) = &world else { panic!() };
        let bits = qdemo::wire::info_value(world.serverinfo(), "*z_ext").unwrap();
        (String::from_utf8(bits.to_vec()).unwrap(), stands)
    };
    assert_eq!(bits(&server, "ez-dm.mvd").0, "511");
    let (told, stands) = bits(&client, "made.qwd");
    assert_eq!(told, (511 - 64 - 1 - 2 - 256).to_string());
    assert!(stands.len() > 300 && stands.iter().all(Option::is_none), "{stands:?}");
    // It differs from what a client was told itself.
    let own = testdata("ez-dm.qwd");
    assert!(bits(&own, "ez-dm.qwd").1.contains(&Some(true)));
    let lost = account.losses.iter().find(|lost| lost.loss == Loss::Movement);
    assert!(lost.is_some_and(|lost| lost.count >= stands.len() as u64), "{lost:?}");
}

/// Whatever is damaged: nothing panics, and what is written can be read.
#[test]
fn damaged_recordings_are_converted_or_refused() {
    let mut random = Random(0xC0FFEE);
    let ways = [
        ("ez-dm.qwd", "qwd"),
        ("ez-dm.qwd", "mvd"),
        ("ez-dm.qwd", "dem"),
        ("ez-dm.mvd", "qwd"),
        ("dm13-15.dem", "qwd"),
        ("e0m1-666.dem", "qwd"),
        ("q2pro-dm.mvd2", "dm2"),
    ];
    for (name, extension) in ways {
        let to = if extension == "dem" { Some(15) } else { None };
        let to = Target::by_extension(extension, to).unwrap();
        let to = if ["ez-dm.mvd", "q2pro-dm.mvd2"].contains(&name) { to.of_player(0) } else { to };
        for _ in 0..rounds(15) {
            let mut bytes = testdata(name);
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            if let Ok((out, _)) = convert(&bytes[..], name, Limits::default(), to, Vec::new()) {
                assert!(report(&out, name).is_exact(), "{name} to {extension}");
            }
        }
    }
}

/// A clock that jumps by days does not make a record for each quarter of a second.
#[test]
fn long_gaps_of_time_are_cut() {
    let mut bytes = first_protocol(28);
    for (number, time) in (4..).zip([1.5, 500_000.0]) {
        let packet = Packet::new(time, PacketNumbers { seq1: number, seq2: number }, vec![Message::Nop(Nop {})]);
        bytes.extend(packet.to_bytes(Dialect::QUAKEWORLD).unwrap());
    }
    let (server, account) = converted(&bytes, "gap.qwd", target("mvd"));
    assert_eq!(account.losses.iter().filter(|lost| lost.loss == Loss::Time).map(|lost| lost.count).sum::<u64>(), 1);
    // A minute has 236 quarters of a second of 255 ms.
    assert!(server.len() < 3_000, "{}", server.len());
}
