//! Recordings of all players of Quake II as those of one of them.

use qdemo::convert::{Loss, Target, convert};
use qdemo::event::EventTag;
use qdemo::format::dm2::{Dialect, Message, OriginCoord, PlayerInfo, Print, Recording, Unicast};
use qdemo::replay::World;
use qdemo::wire::Str;
use qdemo::world::Scene;
use qdemo::{FileKind, Limits, Reader};

use super::{each, events, happened};
use crate::common::{assert_sound, testdata};
use crate::dm2::build;

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
            Err(e) => return assert!(e.to_string().contains("extended limits"), "{name}: {e}"),
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
        vec![build::frame(Recording::Server, 34, 1), Message::PacketEntities(Default::default())],
    ]);
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
