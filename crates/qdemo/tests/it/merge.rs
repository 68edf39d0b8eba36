//! Recordings of one match as one: what each of them saw is in it. Other clients' and servers' recordings of the same games
//! are what results are held against.

use std::collections::BTreeMap;

use qdemo::convert::{Target, convert};
use qdemo::detect::detect;
use qdemo::edit::cut;
use qdemo::event::{Event, EventTag};
use qdemo::format::dem::{self, Message};
use qdemo::format::{dm3, mvd, qwd};
use qdemo::frame;
use qdemo::merge::{Aligned, Input, MergeAccount, merge};
use qdemo::replay::{Position, Range, World};
use qdemo::verify::verify;
use qdemo::wire::Str;
use qdemo::world::{DemoTime, Player, Scene};
use qdemo::{Chunk, FileKind, Limits, Reader};

use crate::common::{all_dem, all_dm2, all_dm3, all_quakeworld, all_qwd, file_name, is_broken, not_long, testdata};
use crate::qwd::build::{CLIENT, END, packet};

fn merged(inputs: &[(&str, &[u8])]) -> (Vec<u8>, MergeAccount) {
    let inputs: Vec<_> = inputs.iter().map(|(name, bytes)| Input { name, bytes }).collect();
    let (out, account) = merge(&inputs, Limits::default(), Vec::new()).unwrap();
    let name = inputs[0].name.replace(".qwd", ".mvd");
    assert!(verify(&out[..], &name, Limits::default()).unwrap().is_sound(), "{name}");
    (out, account)
}

fn refused(inputs: &[(&str, &[u8])]) -> String {
    let inputs: Vec<_> = inputs.iter().map(|(name, bytes)| Input { name, bytes }).collect();
    merge(&inputs, Limits::default(), Vec::new()).unwrap_err().to_string()
}

type Places = BTreeMap<(i64, usize), [f32; 3]>;

/// Where players are at the moments of the server's clock, or of demo time.
fn places(bytes: &[u8], name: &str, which: impl Fn(&Player<'_>) -> bool) -> Places {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all = Places::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if !world.changes().frame {
            continue;
        }
        let clock = world.clock();
        let at = clock.frame.or(clock.ms()).unwrap_or(clock.demo.ms());
        for player in world.players().filter(&which) {
            all.extend(player.origin.map(|origin| ((at, player.slot), origin)));
        }
    }
    all
}

fn alive(player: &Player<'_>) -> bool {
    player.health.is_none_or(|health| health > 0)
}

fn far(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// What both have at the same moment lies within so many units; how many places these are.
fn agree(a: &Places, b: &Places, units: f32) -> usize {
    let both = a.iter().filter_map(|(key, place)| Some((key, place, b.get(key)?)));
    both.inspect(|(key, a, b)| assert!(far(a, b) <= units, "{key:?}: {a:?} {b:?}")).count()
}

#[test]
fn what_two_clients_saw_is_in_it() {
    let (a, b) = (testdata("merge-a.dm_71"), testdata("merge-b.dm_71"));
    let (of_a, of_b) = (places(&a, "a.dm_71", alive), places(&b, "b.dm_71", alive));
    // B does not always see what A does.
    let missing = of_a.keys().filter(|key| !of_b.contains_key(key)).count();
    assert!(missing > 50, "{missing}");
    let (both, account) = merged(&[("b.dm_71", &b), ("a.dm_71", &a)]);
    let of_both = places(&both, "b.dm_71", |_| true);
    assert!(of_a.keys().chain(of_b.keys()).all(|key| of_both.contains_key(key)));
    // A player's place as others are told it has whole units, and the server moves some on by a step.
    assert!(agree(&of_a, &of_both, 2.1) >= of_a.len());
    assert_eq!(agree(&of_b, &of_both, 0.0), of_b.len());
    let [first, other] = &account.inputs[..] else { panic!() };
    assert_eq!((first.aligned, other.aligned), (Aligned::First, Aligned::ServerTime));
    assert!(other.frames > 100 && other.frames_without == 0, "{other:?}");
    assert!(other.both_saw > 1000 && other.both_saw_alike * 100 > other.both_saw * 99, "{other:?}");
    let players = account.added.iter().filter(|added| added.entity < 8);
    assert_eq!(players.map(|added| added.frames[1]).sum::<u64>(), missing as u64);
    // What A's view lacks, B's adds.
    let (other_way, _) = merged(&[("a.dm_71", &a), ("b.dm_71", &b)]);
    let of_other = places(&other_way, "a.dm_71", |_| true);
    assert!(of_both.keys().all(|key| of_other.contains_key(key)));
}

#[test]
fn another_players_view_is_what_that_player_recorded() {
    let (a, b) = (testdata("merge-a.dm_71"), testdata("merge-b.dm_71"));
    let slot = places(&b, "b.dm_71", |player| player.seen_through).keys().next().unwrap().1;
    let to = Target::by_extension("dm_71", None).unwrap().of_player(u8::try_from(slot).unwrap());
    let (view, account) = convert(&a[..], "a.dm_71", Limits::default(), to, Vec::new()).unwrap();
    assert!(verify(&view[..], "a.dm_71", Limits::default()).unwrap().is_sound());
    assert_eq!(account.account.notes, Vec::<String>::new());
    let look = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes, "a.dm_71", Limits::default()).unwrap();
        let mut world = World::of(reader.detected(), "a.dm_71").unwrap();
        let mut all = BTreeMap::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            if world.changes().frame {
                let player = world.player(slot).unwrap();
                assert!(player.seen_through);
                let turn = |v: f32| v.rem_euclid(360.0) as i32;
                let [pitch, yaw, _] = player.angles.unwrap().map(turn);
                let velocity = player.velocity.unwrap().map(|v| v.round() as i32);
                let eyes = world.view().unwrap().origin.unwrap();
                let said = (player.weapon.unwrap().into_owned(), player.on_ground, player.frags);
                all.insert(world.clock().ms().unwrap(), (player.origin.unwrap(), eyes, (pitch, yaw), velocity, said));
            }
        }
        all
    };
    let (made, own) = (look(&view), look(&b));
    let mut count = 0;
    for (at, (origin, eyes, turned, velocity, said)) in &own {
        let Some(made) = made.get(at) else { continue };
        assert!(far(origin, &made.0) <= 2.1 && far(eyes, &made.1) <= 2.1, "{at}: {origin:?} {eyes:?} {made:?}");
        assert_eq!((turned, velocity, &said.0, said.1), (&made.2, &made.3, &made.4.0, made.4.1), "{at}");
        count += 1;
    }
    assert!(count > 100, "{count}");
    // Of nobody is nothing known.
    let to = Target::by_extension("dm_71", None).unwrap().of_player(40);
    let e = convert(&a[..], "a.dm_71", Limits::default(), to, Vec::new()).unwrap_err();
    assert!(e.to_string().contains("nothing is known"), "{e}");
}

#[test]
fn a_client_and_a_server_of_quake_2() {
    let (own, server) = (testdata("q2-demo1.dm2"), testdata("q2pro-dm.mvd2"));
    for slot in [0, 1] {
        let to = Target::by_extension("dm2", Some(34)).unwrap().of_player(slot);
        let (all, _) = convert(&server[..], "q2pro-dm.mvd2", Limits::default(), to, Vec::new()).unwrap();
        let (both, account) = merged(&[("own.dm2", &own), ("all.dm2", &all)]);
        let other = &account.inputs[1];
        assert_eq!(other.aligned, Aligned::ServerFrame);
        assert!(other.frames > 200 && other.both_saw_alike * 10 > other.both_saw * 9, "{other:?}");
        // The server shows everything at all times.
        let (of_both, of_all) = (entities(&both, "own.dm2"), entities(&all, "all.dm2"));
        let mut count = 0;
        for (frame, seen) in &of_both {
            let Some(all) = of_all.get(frame) else { continue };
            assert!(all.iter().all(|number| seen.contains(number)), "{frame}");
            count += 1;
        }
        assert!(count > 200);
        assert!(account.added.len() > 100);
    }
}

fn entities(bytes: &[u8], name: &str) -> BTreeMap<i64, Vec<u16>> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all = BTreeMap::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if world.changes().frame {
            let at = world.clock().frame.unwrap_or_else(|| world.clock().demo.ms());
            all.insert(at, world.entities().map(|entity| entity.number).collect());
        }
    }
    all
}

#[test]
fn a_client_and_a_server_of_quakeworld() {
    let (own, server) = (testdata("ez-dm.qwd"), testdata("ez-dm.mvd"));
    let to = Target::by_extension("qwd", Some(28)).unwrap().of_player(0);
    let (all, _) = convert(&server[..], "ez-dm.mvd", Limits::default(), to, Vec::new()).unwrap();
    let (both, account) = merged(&[("own.qwd", &own), ("all.qwd", &all)]);
    let other = &account.inputs[1];
    // The server began to record 1.36 seconds behind the client, and both were told of the same chat as much apart.
    assert_eq!(other.aligned, Aligned::Places);
    assert!((-1420..=-1300).contains(&other.offset_ms) && other.matches > 20 && other.spread_ms < 30, "{other:?}");
    assert!(other.both_saw_alike * 10 > other.both_saw * 9, "{other:?}");
    // It is the client's recording as a server's, where the client saw everything.
    let to = Target::by_extension("mvd", Some(28)).unwrap();
    let (alone, _) = convert(&own[..], "ez-dm.qwd", Limits::default(), to, Vec::new()).unwrap();
    let (of_both, of_alone) = (places(&both, "both.mvd", |_| true), places(&alone, "alone.mvd", |_| true));
    assert_eq!(agree(&of_alone, &of_both, 0.0), of_alone.len());
}

/// The way of each player by time in ms.
type Ways = BTreeMap<usize, BTreeMap<i64, [f32; 3]>>;

fn ways(bytes: &[u8], name: &str) -> Ways {
    let mut all = Ways::new();
    for ((at, slot), place) in places(bytes, name, |_| true) {
        all.entry(slot).or_default().insert(at, place);
    }
    all
}

/// How far a place is from the straight way between two others, or from the nearer one where that is no way to go.
fn from_line(place: [f32; 3], [a, b]: [[f32; 3]; 2]) -> f32 {
    const LEAP: f32 = 100.0;
    let minus = |a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|n| a[n] - b[n]);
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (way, beyond) = (minus(b, a), minus(place, a));
    let part = match dot(way, way) {
        0.0 => 0.0,
        long if long > LEAP * LEAP => f32::from(u8::from(dot(beyond, way) > long / 2.0)),
        long => (dot(beyond, way) / long).clamp(0.0, 1.0),
    };
    let off = minus(beyond, way.map(|v| v * part));
    dot(off, off).sqrt()
}

#[test]
fn two_clients_of_quakeworld_saw_what_the_server_did() {
    // Clients get what they see with delays of their own, so that places agree, and times roughly.
    const DELAY: i64 = 200;
    let (a, b, server) = (testdata("merge-a.qwd"), testdata("merge-b.qwd"), testdata("merge-server.mvd"));
    let server = ways(&server, "server.mvd");
    for inputs in [[("a.qwd", &a[..]), ("b.qwd", &b[..])], [("b.qwd", &b[..]), ("a.qwd", &a[..])]] {
        let (both, account) = merged(&inputs);
        assert_eq!(account.inputs[1].aligned, Aligned::Places);
        let both = ways(&both, "both.mvd");
        assert!(both.keys().eq(server.keys()));
        for (slot, way) in &both {
            let mut apart = Vec::new();
            for (at, place) in way {
                let then: Vec<_> = server[slot].range(at - DELAY..at + DELAY).map(|(_, place)| *place).collect();
                let lines = then.windows(2).map(|line| from_line(*place, [line[0], line[1]]));
                apart.extend(lines.min_by(f32::total_cmp));
            }
            apart.sort_by(f32::total_cmp);
            let at = |part: usize| apart[apart.len() * part / 100];
            // Places have eighths of a unit; the server records a frame of three, and players turn between them.
            assert!(apart.len() > 200 && at(50) < 0.2 && at(95) < 4.0, "{} {} {}", apart.len(), at(50), at(95));
        }
    }
}

/// The same of a client of QuakeWorld: some players are not seen.
fn without_players(bytes: &[u8], name: &str, hidden: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let (mut decoder, mut out) = (qwd::Decoder::default(), Vec::new());
    while let Some((chunk, as_it_was)) = reader.next_with_bytes().unwrap() {
        let Chunk::Qwd(frame::Chunk::Block(block)) = &chunk else {
            out.extend_from_slice(as_it_was);
            continue;
        };
        let (mut packet, _) = decoder.read(block);
        packet.messages.retain(|message| !matches!(message, qwd::Message::PlayerInfo(m) if hidden(m.player)));
        out.extend(packet.to_bytes(decoder.before()).unwrap());
    }
    out
}

/// Where a corpus is at hand: what two clients of a match would have recorded who saw every other player each.
#[test]
fn players_whom_either_client_saw() {
    let mut count = 0;
    for path in not_long(all_quakeworld()) {
        let (server, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let kind = detect(&server, true, &name, Limits::default()).kind;
        if kind != FileKind::Mvd || is_broken(&path) {
            continue;
        }
        let client = |slot: u8| {
            let to = Target::by_extension("qwd", Some(28)).unwrap().of_player(slot);
            convert(&server[..], &name, Limits::default(), to, Vec::new()).unwrap().0
        };
        let whole = client(0);
        let all = places(&whole, "a.qwd", |_| true);
        let slots: Vec<u8> =
            (0..32).filter(|n| all.keys().filter(|(_, slot)| *slot == usize::from(*n)).count() > 100).collect();
        let [one, two, ..] = slots[..] else { continue };
        let whole = client(one);
        let odd = without_players(&whole, "a.qwd", |slot| slot % 2 == 0 && slot != one);
        let even = without_players(&client(two), "b.qwd", |slot| slot % 2 == 1 && slot != two);
        let (both, account) = merged(&[("a.qwd", &odd), ("b.qwd", &even)]);
        let to = Target::by_extension("mvd", Some(28)).unwrap();
        let (wanted, _) = convert(&whole[..], "a.qwd", Limits::default(), to, Vec::new()).unwrap();
        let (of_both, of_wanted) = (places(&both, "both.mvd", |_| true), places(&wanted, "a.mvd", |_| true));
        let missing = of_wanted.keys().filter(|key| !of_both.contains_key(key)).count();
        assert!(missing * 100 <= of_wanted.len(), "{name}: {missing} of {}", of_wanted.len());
        let other = &account.inputs[1];
        assert!(other.offset_ms == 0 && other.spread_ms == 0 && other.matches > 20, "{name}: {other:?}");
        let near = of_wanted.iter().filter(|(key, place)| of_both.get(key).is_some_and(|both| far(both, place) < 0.2));
        assert!(near.count() * 100 >= of_wanted.len() * 98, "{name}");
        count += 1;
    }
    assert!(count > 0 || all_quakeworld().len() < 5);
}

/// A recording of Quake in which some entities are not seen.
fn without(bytes: &[u8], name: &str, hidden: impl Fn(u16) -> bool) -> Vec<u8> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut decoder = dem::Decoder::default();
    let mut out = Vec::new();
    while let Some((chunk, as_it_was)) = reader.next_with_bytes().unwrap() {
        let Chunk::Dem(frame::Chunk::Block(block)) = &chunk else {
            out.extend_from_slice(as_it_was);
            continue;
        };
        let (mut packet, _) = decoder.read(block);
        packet.messages.retain(|message| !matches!(message, Message::UpdateEntity(m) if hidden(m.entity.0)));
        out.extend(packet.to_bytes(decoder.before()).unwrap());
    }
    out
}

#[test]
fn recordings_of_quake() {
    for name in ["dm13-15.dem", "clip.dem", "e0m1-666.dem"] {
        let whole = testdata(name);
        let (odd, even) = (without(&whole, name, |n| n % 2 == 1), without(&whole, name, |n| n % 2 == 0 && n > 1));
        let (both, account) = merged(&[(name, &odd), (name, &even)]);
        assert_eq!(entities(&both, name), entities(&whole, name), "{name}");
        assert_eq!(account.inputs[1].aligned, Aligned::ServerTime);
        let of_both = places(&both, name, |_| true);
        assert_eq!(agree(&places(&whole, name, |_| true), &of_both, 0.0), of_both.len());
        assert!(account.added.iter().all(|added| added.entity % 2 == 1), "{name}");
    }
}

/// A recording merged with itself is that recording; one of QuakeWorld is what `convert` makes of it.
#[test]
fn the_same_recording_adds_nothing() {
    let here = ["merge-a.dm_71", "oa-dm2.dm_68", "q2-demo1.dm2", "dm13-15.dem", "ez-dm.qwd"];
    let all = not_long([all_dem(), all_qwd(), all_dm2(), all_dm3()].concat());
    let mut count = 0;
    for path in all {
        let (bytes, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let kind = detect(&bytes, true, &name, Limits::default()).kind;
        let is_here = here.contains(&&*name);
        if is_broken(&path) {
            continue;
        }
        let inputs = [Input { name: &name, bytes: &bytes }; 2];
        let (both, account) = match merge(&inputs, Limits::default(), Vec::new()) {
            Ok(done) => done,
            // Of no level, of the test release, and without anything to align them by.
            Err(e) if !is_here && e.to_string().contains("level in common") => continue,
            Err(e) if !is_here && e.to_string().contains("test release") => continue,
            Err(e) if !is_here && e.to_string().contains("cannot be compared") => continue,
            Err(e) => panic!("{name}: {e}"),
        };
        let wanted = if kind == FileKind::Qwd {
            let to = Target::by_extension("mvd", Some(28)).unwrap();
            convert(&bytes[..], &name, Limits::default(), to, Vec::new()).unwrap().0
        } else {
            assert_eq!(account.account.blocks_changed, 0, "{name}");
            bytes
        };
        assert!(both == wanted, "{name}");
        assert_eq!((account.added.len(), account.inputs[1].texts), (0, 0), "{name}");
        count += 1;
    }
    assert!(count >= here.len());
}

/// The chat of a recording, with its demo times.
fn chat(bytes: &[u8], name: &str) -> Vec<(i64, String)> {
    let mut all = Vec::new();
    let mut each = |event: &Event| {
        if let EventTag::Chat = event.kind.tag() {
            all.push((event.clock.demo.ms(), event.kind.to_string()));
        }
        Ok(())
    };
    qdemo::replay::events(bytes, name, Limits::default(), &mut each).unwrap();
    all
}

/// A `.dem` in which somebody says something in two blocks.
fn with_chat(a: &[u8]) -> Vec<u8> {
    let mut reader = Reader::new(a, "a.dem", Limits::default()).unwrap();
    let (mut decoder, mut b) = (dem::Decoder::default(), Vec::new());
    while let Some((chunk, as_it_was)) = reader.next_with_bytes().unwrap() {
        let Chunk::Dem(frame::Chunk::Block(block)) = &chunk else {
            b.extend_from_slice(as_it_was);
            continue;
        };
        let (mut packet, _) = decoder.read(block);
        if [60, 100].contains(&block.index) {
            let text = format!("\u{1}Nobody: {}\n", block.index);
            packet.messages.push(Message::Print(dem::Print { text: Str::from(text.into_bytes()) }));
        }
        b.extend(packet.to_bytes(decoder.before()).unwrap());
    }
    b
}

#[test]
fn chat_of_others_is_told() {
    let a = testdata("dm13-15.dem");
    let b = with_chat(&a);
    assert_eq!(chat(&b, "b.dem").len(), chat(&a, "a.dem").len() + 2);
    let (both, account) = merged(&[("a.dem", &a), ("b.dem", &b), ("again.dem", &b)]);
    assert_eq!(chat(&both, "a.dem"), chat(&b, "b.dem"));
    assert_eq!((account.inputs[1].texts, account.inputs[2].texts), (2, 0));
}

/// The part of a recording behind a moment.
fn behind(bytes: &[u8], name: &str, at: i64) -> Vec<u8> {
    let range = Range { from: Position::Demo(DemoTime(at * 1000)), to: Position::End };
    cut(bytes, name, Limits::default(), range, Vec::new()).unwrap().0
}

/// Behind its end a recording shows nothing: a clip of the first one has as many frames of it as it has itself.
#[test]
fn a_clip_of_the_first_recording_changes_nothing() {
    for name in ["oa-dm4.dm_71", "oa-dm2.dm_68", "q2-demo1.dm2", "dm13-15.dem"] {
        let demo = testdata(name);
        let range = Range { from: Position::Demo(DemoTime(500_000)), to: Position::Demo(DemoTime(2_000_000)) };
        let clip = cut(&demo[..], name, Limits::default(), range, Vec::new()).unwrap().0;
        let frames = qdemo::replay::timeline::timeline(&clip[..], name, Limits::default()).unwrap().frames;
        let (out, account) = merged(&[(name, &demo), (name, &clip)]);
        let input = &account.inputs[1];
        assert_eq!((input.frames, input.frames_older, account.added.len()), (frames, 0, 0), "{name}");
        assert!(out == demo, "{name}");
    }
}

/// What another client alone was told before the first recording begins is over by then.
#[test]
fn what_was_told_before_the_first_recording_is_over() {
    let (a, b) = (testdata("merge-a.qwd"), testdata("merge-b.qwd"));
    let hits = |first: &[u8]| {
        let (both, _) = merged(&[("a.qwd", first), ("b.qwd", &b)]);
        let mut hits = 0;
        let mut each = |event: &Event| {
            hits += usize::from(event.kind.tag() == EventTag::Damage);
            Ok(())
        };
        qdemo::replay::events(&both[..], "a.mvd", Limits::default(), &mut each).unwrap();
        hits
    };
    assert_eq!((hits(&a), hits(&behind(&a, "a.qwd", 3_000))), (2, 0));
}

/// What was said before the first recording begins is no part of it; what was said behind that is.
#[test]
fn what_was_said_before_the_first_recording_is_not_told() {
    let a = testdata("dm13-15.dem");
    let b = with_chat(&a);
    let said: Vec<_> = chat(&b, "b.dem").into_iter().filter(|(_, text)| text.contains("Nobody")).collect();
    let a = behind(&a, "a.dem", i64::midpoint(said[0].0, said[1].0));
    let (both, account) = merged(&[("a.dem", &a), ("b.dem", &b)]);
    let texts: Vec<_> = chat(&both, "a.dem").into_iter().filter(|(_, text)| text.contains("Nobody")).collect();
    assert!(texts.len() == 1 && texts[0].1 == said[1].1 && account.inputs[1].texts == 1, "{texts:?}");
}

/// The same of sounds and chat of a client of QuakeWorld.
#[test]
fn what_was_heard_before_the_first_recording_is_not_told() {
    let (a, b) = (testdata("merge-a.qwd"), testdata("merge-b.qwd"));
    let mut reader = Reader::new(&b[..], "b.qwd", Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), "b.qwd").unwrap();
    let (mut decoder, mut made, mut at) = (qwd::Decoder::default(), Vec::new(), Vec::new());
    let mut frames = 0;
    while let Some((chunk, as_it_was)) = reader.next_with_bytes().unwrap() {
        world.apply(&chunk);
        let Chunk::Qwd(frame::Chunk::Block(block)) = &chunk else {
            made.extend_from_slice(as_it_was);
            continue;
        };
        let (mut packet, _) = decoder.read(block);
        if world.changes().frame {
            frames += 1;
            if frames == 10 || frames == 120 {
                at.push(world.clock().demo.ms());
                let text = format!("Nobody: {frames}\n");
                packet
                    .messages
                    .push(qwd::Message::Print(qwd::Print { level: 3, string: Str::from(text.into_bytes()) }));
                let head = qwd::SoundHead { entity: frames, ..qwd::SoundHead::default() };
                let sound = qwd::Sound { head, soundnum: qdemo::describe::SoundIndex(1), origin: Default::default() };
                packet.messages.push(qwd::Message::Sound(sound));
            }
        }
        made.extend(packet.to_bytes(decoder.before()).unwrap());
    }
    let a = behind(&a, "a.qwd", i64::midpoint(at[0], at[1]));
    let (both, account) = merged(&[("a.qwd", &a), ("b.qwd", &made)]);
    let texts: Vec<_> = chat(&both, "both.mvd").into_iter().filter(|(_, text)| text.contains("Nobody")).collect();
    assert!(texts.len() == 1 && texts[0].1.contains("120") && account.inputs[1].texts == 1, "{texts:?}");
    let mut reader = Reader::new(&both[..], "both.mvd", Limits::default()).unwrap();
    let (mut decoder, mut heard) = (mvd::Decoder::default(), Vec::new());
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let Chunk::Mvd(frame::Chunk::Block(block)) = &chunk else { continue };
        heard.extend(decoder.read(block).0.messages.into_iter().filter_map(|message| match message {
            qwd::Message::Sound(sound) if [10, 120].contains(&sound.head.entity) => Some(sound.head.entity),
            _ => None,
        }));
    }
    assert_eq!(heard, [120]);
}

#[test]
fn commands_behind_those_of_others_are_renumbered() {
    let a = testdata("oa-dm4.dm_71");
    let mut reader = Reader::new(&a[..], "a.dm_71", Limits::default()).unwrap();
    let mut decoder = dm3::Decoder::new(dm3::Dialect::by_protocol(71).unwrap());
    let (mut b, mut last, mut put_in) = (Vec::new(), 0, false);
    while let Some((chunk, as_it_was)) = reader.next_with_bytes().unwrap() {
        let Chunk::Dm3(frame::Chunk::Block(block)) = &chunk else {
            b.extend_from_slice(as_it_was);
            continue;
        };
        let (mut packet, _) = decoder.read(block);
        for message in &mut packet.messages {
            if let dm3::Message::ServerCommand(command) = message {
                command.seq += i32::from(put_in);
                last = command.seq;
            }
        }
        let at = packet.messages.iter().position(|message| matches!(message, dm3::Message::Snapshot(_)));
        if let (Some(at), 300, false) = (at, block.index, put_in) {
            let value = b"chat \"Nobody: hi\"".to_vec().into();
            packet.messages.insert(at, dm3::ServerCommand { seq: last + 1, value }.into());
            put_in = true;
        }
        packet.contents =
            dm3::Contents { rel_ack: packet.contents.rel_ack, ..dm3::Contents::new(0, &decoder.before()) };
        b.extend(packet.to_bytes(decoder.before()).unwrap());
    }
    assert_eq!(chat(&b, "b.dm_71").len(), chat(&a, "a.dm_71").len() + 1);
    let (both, account) = merged(&[("a.dm_71", &a), ("b.dm_71", &b)]);
    assert_eq!(account.inputs[1].texts, 1);
    assert_eq!(numbers(&both), numbers(&b));
    assert_eq!(chat(&both, "a.dm_71"), chat(&b, "b.dm_71"));
}

/// The numbers and texts of server commands.
fn numbers(bytes: &[u8]) -> Vec<(i32, Vec<u8>)> {
    let mut reader = Reader::new(bytes, "x.dm_71", Limits::default()).unwrap();
    let mut decoder = dm3::Decoder::new(dm3::Dialect::by_protocol(71).unwrap());
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let Chunk::Dm3(frame::Chunk::Block(block)) = &chunk else { continue };
        all.extend(decoder.read(block).0.messages.iter().filter_map(|message| match message {
            dm3::Message::ServerCommand(command) => Some((command.seq, command.value.0.clone())),
            _ => None,
        }));
    }
    all
}

#[test]
fn what_does_not_go_together_is_refused() {
    let (a, oa, q2) = (testdata("merge-a.dm_71"), testdata("oa-dm4.dm_71"), testdata("q2-demo1.dm2"));
    let mvd = testdata("ez-dm.mvd");
    let (clip, other) = (testdata("clip.dem"), testdata("dm13-15.dem"));
    assert!(refused(&[("a.dm_71", &a)]).contains("alone"));
    assert!(refused(&[]).contains("no recording"));
    assert!(refused(&[("a.dm_71", &a), ("q2.dm2", &q2)]).contains("one format and protocol"));
    assert!(refused(&[("a.dm_71", &a), ("oa.dm_71", &oa)]).contains("no level in common"));
    assert!(refused(&[("clip.dem", &clip), ("dm13.dem", &other)]).contains("no level in common"));
    assert!(refused(&[("a.mvd", &mvd), ("b.mvd", &mvd)]).contains("shows all players"));
    // No conversion helps there.
    let client = texts_of_a_client(&[]);
    for inputs in [[("a.mvd", &mvd), ("b.qwd", &client)], [("b.qwd", &client), ("a.mvd", &mvd)]] {
        assert!(refused(&inputs.map(|(name, bytes)| (name, &bytes[..]))).contains("shows all players"));
    }
}

/// Texts of a level, told at these seconds, as a client of QuakeWorld recorded them.
fn texts_of_a_client(texts: &[(u32, &str)]) -> Vec<u8> {
    let models = [&[45, 0][..], b"maps/dm4.bsp\0progs/player.mdl\0\0\0"].concat();
    let mut demo = [packet(1.0, 1, &CLIENT.data()), packet(2.0, 2, &models)].concat();
    for (n, (second, text)) in (3..).zip(texts) {
        demo.extend(packet(*second as f32, n, &[&[8, 2][..], text.as_bytes(), b"\n\0"].concat()));
    }
    demo.extend(packet(60.0, 99, END));
    demo
}

/// Every server counts its levels from one, and KTX tells some texts in every match. When a match began tells which it is; one
/// text alone does not tell what time it is.
#[test]
fn what_shares_a_level_and_texts_may_be_of_other_matches() {
    let date = |second| format!("matchdate: 2026-11-30 14:33:{second} UTC");
    let [first, second] = [28, 59].map(date);
    let begins = "The match has begun!";
    let all = |date| texts_of_a_client(&[(3, "Maps loaded"), (4, date), (5, begins)]);
    let [a, same, other] = [&first, &first, &second].map(|date| all(date.as_str()));
    let refused = |b: &[u8]| refused(&[("a.qwd", &a), ("b.qwd", b)]);
    assert!(refused(&other).contains("date of its match"), "{}", refused(&other));
    let (_, account) = merged(&[("a.qwd", &a), ("b.qwd", &same)]);
    assert_eq!((account.inputs[1].aligned, account.inputs[1].matches), (Aligned::Texts, 3));
    assert!(refused(&texts_of_a_client(&[(9, begins)])).contains("too few"));
    // Who says a date tells none.
    let told = [&[8, 3][..], second.as_bytes(), b"\n\0"].concat();
    let (_, account) = merged(&[("a.qwd", &a), ("b.qwd", &[same, packet(61.0, 100, &told)].concat())]);
    assert_eq!(account.inputs[1].offset_ms, 0);
}

/// A merge is refused, or what it gives can be read, and has every block of the first recording but for those that are said to
/// be left out.
fn whole(inputs: &[Input<'_>]) {
    let Ok((out, account)) = merge(inputs, Limits::default(), Vec::new()) else { return };
    let name = inputs[0].name.replace(".qwd", ".mvd");
    let is_exact = |bytes: &[u8], name: &str| verify(bytes, name, Limits::default()).unwrap().is_exact();
    assert!(is_exact(&out, &name), "{name}");
    if name == inputs[0].name {
        let done = &account.account;
        assert_eq!(blocks(&out, &name), done.blocks_read - done.blocks_dropped + done.blocks_made, "{name}");
        assert_eq!(blocks(inputs[0].bytes, &name), account.account.blocks_read, "{name}");
    }
}

fn blocks(bytes: &[u8], name: &str) -> u64 {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut count = 0;
    while let Some(chunk) = reader.next_chunk().unwrap() {
        count += u64::from(chunk.block().is_some());
    }
    count
}

#[test]
fn damaged_recordings_are_merged_or_refused() {
    for names in [["merge-a.dm_71", "merge-b.dm_71"], ["q2-demo1.dm2", "q2-demo1.dm2"], ["ez-dm.qwd", "ez-dm.qwd"]] {
        let [a, b] = names.map(testdata);
        for seed in 0..24_usize {
            let mut broken = b.clone();
            for n in 0..4 {
                let at = (seed * 7919 + n * 104_729) % broken.len();
                broken[at] ^= 0x55;
            }
            broken.truncate(broken.len() - seed * 11);
            let inputs = [Input { name: names[0], bytes: &a }, Input { name: names[1], bytes: &broken }];
            whole(&inputs);
            whole(&[inputs[1], inputs[0]]);
        }
    }
}
