//! Recordings of all players of Quake II as those of one of them.

use qdemo::convert::{Loss, Target, convert};
use qdemo::event::EventTag;
use qdemo::format::dm2::{Dialect, Message, OriginCoord, PacketEntities, PlayerInfo, Print, Recording, Unicast};
use qdemo::replay::World;
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::wire::Str;
use qdemo::world::Scene;
use qdemo::{FileKind, Limits, Reader};

use super::{each, events, happened};
use crate::common::{assert_sound, testdata};
use crate::dm2::build;
use crate::mvd2::build as multiview;

fn of_player(slot: u8) -> Target {
    Target::by_extension("dm2", None).unwrap().of_player(slot)
}

/// What each frame shows: the player's own place and health, and all entities with their places.
type Shown = (Option<([f32; 3], Option<i32>)>, Vec<(u16, [f32; 3], i32)>);

fn frames(bytes: &[u8], name: &str, slot: usize) -> Vec<Shown> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if !world.changes().frame {
            continue;
        }
        let player = world.player(slot).filter(|player| !player.spectator);
        let own = player.and_then(|player| Some((player.origin?, player.health)));
        all.push((own, world.entities().map(|entity| (entity.number, entity.origin, entity.frame)).collect()));
    }
    all
}

#[test]
fn multi_view_recordings_become_those_of_a_player() {
    let mut count = 0;
    each(|bytes, name| {
        if Reader::new(bytes, name, Limits::default()).unwrap().detected().kind != FileKind::Mvd2 {
            return;
        }
        let to = Target::by_extension("dm2", None).unwrap();
        let nobody = convert(bytes, name, Limits::default(), to, Vec::new());
        assert!(nobody.unwrap_err().to_string().contains("name one"));
        let (client, _) = match convert(bytes, name, Limits::default(), of_player(0), Vec::new()) {
            Ok(done) => done,
            Err(e) => panic!("{name}: {e}"),
        };
        assert_sound(&client, name);
        let kinds = [EventTag::Frag, EventTag::Level];
        let story = |bytes| happened(events(bytes, name, &kinds)).into_iter().map(|(_, _, what)| what);
        assert!(story(bytes).eq(story(&client)), "{name}");
        let (before, after) = (frames(bytes, name, 0), frames(&client, name, 0));
        assert_eq!(before.len(), after.len(), "{name}");
        for (n, (a, b)) in before.iter().zip(&after).enumerate() {
            if let Some((place, health)) = a.0 {
                assert_eq!(b.0, Some((place, health)), "{name}: frame {n}");
            }
            assert_eq!(a.1, b.1, "{name}: frame {n}");
            count += 1;
        }
    });
    assert!(count > 0);
}

/// Relay tells each client's state by itself: of the client in slot 1 it is 8 units ahead of the one in slot 0.
#[test]
fn recordings_of_relay_and_of_servers_become_those_of_a_player() {
    let place = |x: i16| {
        let player = PlayerInfo { origin: Some(build::position(x).map(OriginCoord)), ..PlayerInfo::default() };
        Box::new(Message::PlayerInfo(player))
    };
    let told = |client: u8, text: &'static [u8]| {
        Message::Unicast(Unicast {
            client,
            message: Box::new(Message::Print(Print { level: 2, string: Str::new(text) })),
        })
    };
    let relay = build::demo(&[
        vec![build::serverdata(34, 0x80)],
        vec![
            build::frame(Recording::Relay, 34, 1),
            Message::Unicast(Unicast { client: 0, message: place(800) }),
            Message::Unicast(Unicast { client: 1, message: place(864) }),
            Message::PacketEntities(Default::default()),
            told(0, b"for 0\n"),
            told(1, b"for 1\n"),
        ],
    ]);
    for (slot, x) in [(0, 100.0), (1, 108.0)] {
        let (client, account) =
            convert(&relay[..], "relay.dm2", Limits::default(), of_player(slot), Vec::new()).unwrap();
        assert_sound(&client, "client.dm2");
        let mut reader = Reader::new(&client[..], "client.dm2", Limits::default()).unwrap();
        let mut world = World::of(reader.detected(), "client.dm2").unwrap();
        let mut said = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            let texts = world.changes().texts().map(|(_, text, _)| text.to_vec());
            // Clients begin to load with it.
            said.extend(texts.filter(|text| text != b"precache\n"));
        }
        let World::Dm2(game) = &world else { panic!() };
        assert_eq!(game.dialect().recording, Dialect::QUAKE2.recording);
        assert_eq!(game.player_state().unwrap().origin.map(|v| v.get())[0], x);
        assert_eq!(said, [format!("for {slot}\n").into_bytes()]);
        assert_eq!(account.losses.iter().map(|lost| (lost.loss, lost.count)).collect::<Vec<_>>(), [(Loss::Others, 1)]);
    }
    // A client shows nobody else's view.
    let client = build::demo(&[vec![build::serverdata(34, 1)]]);
    let refused = convert(&client[..], "client.dm2", Limits::default(), of_player(0), Vec::new());
    assert!(refused.unwrap_err().to_string().contains("recording of one client"));
    // A server's own recording tells no state of players: what they have is lost.
    let server = build::demo(&[
        vec![build::serverdata(34, 2)],
        vec![
            build::frame(Recording::Server, 34, 1),
            Message::PacketEntities(PacketEntities { entities: vec![build::plain_entity(1)], end_mask: 0 }),
        ],
    ]);
    let nobody = convert(&server[..], "server.dm2", Limits::default(), of_player(3), Vec::new());
    assert!(nobody.unwrap_err().to_string().contains("none of 1 frames shows the player in slot 3"));
    let (client, account) = convert(&server[..], "server.dm2", Limits::default(), of_player(0), Vec::new()).unwrap();
    assert_sound(&client, "client.dm2");
    assert!(account.losses.iter().any(|lost| lost.loss == Loss::Stat));
}

/// A server and a client of it recorded the same game: what is made of the server's recording is what the client saw, frame by
/// frame, to the eighth of a unit.
#[test]
fn a_clients_own_recording_agrees() {
    let (server, own) = (testdata("q2pro-dm.mvd2"), testdata("q2-demo1.dm2"));
    let (made, _) = convert(&server[..], "q2pro-dm.mvd2", Limits::default(), of_player(0), Vec::new()).unwrap();
    let (made, own) = (frames(&made, "made.dm2", 0), frames(&own, "own.dm2", 0));
    let places = |all: &[Shown]| all.iter().map(|(player, _)| *player).collect::<Vec<_>>();
    let (made, own) = (places(&made), places(&own));
    let told = own.iter().flatten().count();
    // The server's clock began earlier.
    assert!(told > 200 && made.windows(own.len()).any(|made| made == own), "{told}");
}

/// Of a player whose movement the recording does not tell, Q2PRO tells clients that they are not to guess it: `pm_flags` has 64
/// and `pm_type` is 4 (`MVD_UpdateClient`). It is not told then that nobody stands.
#[test]
fn movement_that_is_not_told_is_not_made_up() {
    let server = testdata("q2pro-dm.mvd2");
    let (client, account) = convert(&server[..], "q2pro-dm.mvd2", Limits::default(), of_player(0), Vec::new()).unwrap();
    let told = |bytes: &[u8], name: &str| {
        let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let mut world = World::of(reader.detected(), name).unwrap();
        let mut all = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            let World::Dm2(game) = &world else { panic!() };
            if let Some(state) = game.player_state().filter(|_| world.changes().frame) {
                let player = world.player(0).unwrap();
                assert_eq!(world.place(0).unwrap().on_ground, player.on_ground);
                let mut keys = Vec::new();
                world.inputs(&mut |input| keys.push((input.duck, input.jump)));
                all.push((state.pm_type, state.pm_flags, player.on_ground, player.velocity.is_some(), keys));
            }
        }
        all
    };
    let made = told(&client, "made.dm2");
    assert!(made.len() > 200);
    for (kind, flags, on_ground, moves, keys) in &made {
        // 2 and 3: who is dead stays so.
        assert!([2, 3, 4].contains(kind) && flags & 64 != 0, "{kind} {flags}");
        assert_eq!((*on_ground, *moves), (None, false));
        assert_eq!(*keys, [(None, None)]);
    }
    let lost = account.losses.iter().find(|lost| lost.loss == Loss::Movement);
    assert_eq!(lost.map(|lost| lost.count), Some(made.len() as u64));
    // A client that recorded itself tells it.
    assert!(told(&testdata("q2-demo1.dm2"), "q2-demo1.dm2").iter().any(|told| told.2 == Some(true) && told.3));
}

/// Where a server leaves out what it prints to players alone, such as chat of mods that send it to each client by itself, what
/// it prints to the spectator that it pretends to have stands for that.
#[test]
fn what_the_servers_spectator_is_told_is_heard() {
    let text = decompile_bytes(&testdata("q2pro-dm.mvd2"), "x.mvd2", &Options::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let chat = |flags: &str, client: &str| {
        let text = text.replace("  version 37;\n", &format!("{flags}  version 37;\n"));
        let text = text.replace("  client -1;\n", &format!("  client {client};\n"));
        // What player 0 is told goes nowhere.
        let text = text.replace("  client 0;\n  reliable;\n  print", "  client 9;\n  reliable;\n  print");
        let demo = compile_bytes(text.as_bytes(), "x.mvd2").unwrap();
        let (out, account) = convert(&demo[..], "x.mvd2", Limits::default(), of_player(0), Vec::new()).unwrap();
        assert_sound(&out, "x.dm2");
        let lost = account.losses.iter().find(|lost| lost.loss == Loss::Others).map_or(0, |lost| lost.count);
        (happened(events(&out, "x.dm2", &[EventTag::Chat])).len(), lost)
    };
    let all = happened(events(&testdata("q2pro-dm.mvd2"), "x.mvd2", &[EventTag::Chat])).len();
    let (told, kept) = chat("  spare_bits 1;\n", "1");
    assert_eq!(told, all);
    // Without the flag, and where it is another client, they are for others, and counted.
    for (flags, client) in [("", "1"), ("  spare_bits 1;\n", "-1"), ("  spare_bits 1;\n", "8")] {
        let (told, lost) = chat(flags, client);
        assert_eq!((told, lost), (0, kept + all as u64), "{flags:?} {client}");
    }
}

/// Whatever limits a server has: places, entities and their frames are those that it told, as far as 34 has them.
#[test]
fn multi_view_recordings_of_every_version() {
    for version in multiview::VERSIONS {
        // Entity 9 with model 5 at 100 200 300: eighths, with the second extended limits as differences above a 0.
        let place = [100_u16, 200, 300].map(|v| if version.second() { (v * 8) << 1 } else { v * 8 });
        let entity = [&[0x83, 0x0A, 9, 5][..], &place.map(u16::to_le_bytes).concat()].concat();
        let demo = multiview::with_frame(version, &[version.player(0, 0b110, false)], &[entity]);
        let (client, account) = convert(&demo[..], "x.mvd2", Limits::default(), of_player(0), Vec::new()).unwrap();
        assert_sound(&client, "x.dm2");
        let reader = Reader::new(&client[..], "x.dm2", Limits::default()).unwrap();
        assert_eq!(reader.detected().protocol, Some(34), "{version:?}");
        assert_eq!(account.from_protocols, [37], "{version:?}");
        let (before, after) = (frames(&demo, "x.mvd2", 0), frames(&client, "x.dm2", 0));
        // The level itself shows a moment without anybody.
        assert_eq!((before.len(), after.len()), (2, 2), "{version:?}");
        let ((own, seen), (told, shown)) = (&before[1], &after[1]);
        assert_eq!(own, told, "{version:?}");
        assert_eq!((seen.len(), shown.len()), (1, 1), "{version:?}");
        assert_eq!(seen, shown, "{version:?}");
        assert_eq!((shown[0].0, shown[0].1), (9, [100.0, 200.0, 300.0]), "{version:?}");
        let world = |bytes: &[u8], name: &str| {
            let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
            let mut world = World::of(reader.detected(), name).unwrap();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                world.apply(&chunk);
            }
            (world.level().map.to_vec(), world.level().title.to_vec(), world.player(0).unwrap().name.into_owned())
        };
        assert_eq!(world(&demo, "x.mvd2"), world(&client, "x.dm2"), "{version:?}");
        // But for what the player has in front of the first frame, of which nothing is told; and in no frame how he moves.
        let lost: Vec<_> = account.losses.iter().map(|lost| (lost.loss, lost.count)).collect();
        assert_eq!(lost, [(Loss::Stat, 1), (Loss::Movement, 2)], "{version:?}");
    }
}
