//! What a client recorded of the same game.

use std::collections::BTreeMap;

use qdemo::analysis::stats::{ItemMeasure, stats};
use qdemo::convert::{Target, convert};
use qdemo::game::quake2::{EntityState, PlayerState};
use qdemo::replay::World;
use qdemo::world::{Scene, TextKind};
use qdemo::{Limits, Reader};

use super::fold;
use crate::common::{need, testdata};

/// A frame of the server: the recorder's state, what is in view, and what the recorder reads.
struct Seen {
    player: PlayerState,
    entities: BTreeMap<u16, EntityState>,
    read: Vec<(TextKind, Vec<u8>)>,
}

/// What a player reads in the console.
fn read(world: &impl Scene, slot: u8, to: &mut Vec<(TextKind, Vec<u8>)>) {
    let for_slot = |to: Option<u8>| to.is_none_or(|to| to == slot);
    let texts = world.changes().texts().filter(|(said, _, to)| matches!(said, TextKind::Print(_)) && for_slot(*to));
    to.extend(texts.map(|(said, text, _)| (said, text.to_vec())));
}

fn of_server(demo: &[u8], slot: u8) -> BTreeMap<i64, Seen> {
    let (mut all, mut prints) = (BTreeMap::new(), Vec::new());
    fold(demo, |world| {
        read(world, slot, &mut prints);
        let Some(player) = world.game().client_state(slot).filter(|_| world.changes().frame) else { return };
        let frame = world.game().frame().unwrap();
        let entities = frame.entities().iter().map(|e| (e.number, e.state)).collect();
        all.insert(world.clock().frame.unwrap(), Seen { player: *player, entities, read: std::mem::take(&mut prints) });
    });
    all
}

/// The frames, and the slot of the recorder.
fn of_client(demo: &[u8]) -> (BTreeMap<i64, Seen>, u8) {
    let (mut all, mut prints) = (BTreeMap::new(), Vec::new());
    let mut chunks = Reader::new(demo, "x.dm2", Limits::default()).unwrap();
    let mut world = World::new(chunks.detected()).unwrap();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        world.apply(&chunk);
        // Where nobody else records, a text is for the recorder.
        read(&world, 0, &mut prints);
        let World::Dm2(world) = &world else { panic!() };
        let Some(player) = world.player_state().filter(|_| world.changes().frame) else { continue };
        let entities = world.frame().unwrap().entities().iter().map(|e| (e.number, e.state)).collect();
        all.insert(world.clock().frame.unwrap(), Seen { player: *player, entities, read: std::mem::take(&mut prints) });
    }
    (all, u8::try_from(world.recorder().unwrap()).unwrap())
}

/// What both kinds of recordings tell of the recorder.
fn of_player(s: &PlayerState) -> impl PartialEq + std::fmt::Debug + use<> {
    let view = (s.viewangles(), s.viewoffset(), s.kick_angles(), s.fov, s.rdflags, s.screen);
    (s.pm_type, s.origin(), view, s.guns, s.gun, s.stats)
}

/// What both tell alike of an entity.
fn of_entity(e: &EntityState) -> impl PartialEq + std::fmt::Debug + use<> {
    EntityState { angles: EntityState::ZERO.angles, old_origin: EntityState::ZERO.old_origin, ..*e }
}

/// A player's entity has pitch and yaw of the player, which others see in 256 directions; the roll is not recorded.
fn look_alike(a: &EntityState, b: &EntityState, is_player: bool) -> bool {
    let near = |i: usize| (a.angles()[i] - b.angles()[i] + 180.0).rem_euclid(360.0) - 180.0;
    a.angles() == b.angles() || is_player && near(0).abs() <= 360.0 / 256.0 && near(1).abs() <= 360.0 / 256.0
}

/// A client recorded the game that the server recorded: the same states at the same frames, and the same prints.
#[test]
fn a_client_saw_the_same() {
    let Some(dir) = need("recorded") else { return };
    let games = [
        ("34-dm", "34-dm"),
        ("34-coop", "34-coop"),
        ("net35-dm", "net35-written34-dm"),
        ("net36-dm", "net36-written34-dm"),
    ];
    let (mut frames, mut entities, mut prints) = (0, 0, 0);
    for (server, client) in games {
        let name = server;
        let (client, slot) = of_client(&std::fs::read(dir.join(format!("dm2/q2pro-{client}.dm2"))).unwrap());
        let server = of_server(&std::fs::read(dir.join(format!("mvd2/q2pro-{server}.mvd2"))).unwrap(), slot);
        // The server's frames have no numbers: the place where most of the recorder's agree.
        let alike = |shift: &i64| {
            let both = client.iter().filter_map(|(n, seen)| Some((&seen.player, &server.get(&(n - shift))?.player)));
            both.filter(|(a, b)| a.origin() == b.origin() && a.stats == b.stats).count()
        };
        let shift = (-100..=*client.keys().last().unwrap()).max_by_key(alike).unwrap();
        for (number, ours) in &client {
            let theirs = server.get(&(number - shift)).unwrap_or_else(|| panic!("{name}: frame {number}"));
            assert_eq!(of_player(&ours.player), of_player(&theirs.player), "{name}: frame {number}");
            frames += 1;
            for (id, entity) in &ours.entities {
                let other = theirs.entities.get(id).unwrap_or_else(|| panic!("{name}: frame {number}, entity {id}"));
                assert_eq!(of_entity(entity), of_entity(other), "{name}: frame {number}, entity {id}");
                let is_player = entity.modelindex == 255;
                assert!(look_alike(entity, other, is_player), "{name}: frame {number}, entity {id}: {other:?}");
                entities += 1;
            }
        }
        let words = |all: &BTreeMap<i64, Seen>| all.values().flat_map(|seen| seen.read.clone()).collect::<Vec<_>>();
        assert_eq!(words(&server), words(&client), "{name}");
        prints += words(&client).len();
    }
    assert!(frames > 1000 && entities > 10_000 && prints > 30, "{frames}, {entities}, {prints}");
}

/// How long the player in a slot held what, in milliseconds.
fn held(demo: &[u8], name: &str, slot: usize) -> BTreeMap<String, i64> {
    let mut all = BTreeMap::new();
    stats(demo, name, Limits::default(), &mut |period| {
        let players = period.players.iter().filter(|player| player.who.slot == Some(slot));
        for (item, numbers) in players.flat_map(|player| player.counted.items()) {
            let time = numbers.get(ItemMeasure::TimeMs).unwrap_or(0);
            *all.entry(item.to_owned()).or_default() += time;
        }
        Ok(())
    })
    .unwrap();
    all.retain(|_, time| *time > 0);
    all
}

/// The server's recording tells of everybody how long things were held, as those of the clients do of their own players.
#[test]
fn things_are_held_as_long_as_clients_tell() {
    let all = testdata("q2pro-dm.mvd2");
    let mut things = 0;
    for slot in 0..2u8 {
        let target = Target::by_extension("dm2", None).unwrap().of_player(slot);
        let (one, _) = convert(&all[..], "x.mvd2", Limits::default(), target, Vec::new()).unwrap();
        let (of_all, of_one) = (held(&all, "x.mvd2", slot.into()), held(&one, "x.dm2", slot.into()));
        assert_eq!(of_all, of_one, "{slot}");
        things += of_one.len();
    }
    assert!(things > 0);
    let Some(dir) = need("recorded") else { return };
    for (server, client) in [("34-dm", "34-dm"), ("34-coop", "34-coop"), ("net35-dm", "net35-written34-dm")] {
        let client = std::fs::read(dir.join(format!("dm2/q2pro-{client}.dm2"))).unwrap();
        let slot = usize::from(of_client(&client).1);
        let of_client = held(&client, "x.dm2", slot);
        let of_server = held(&std::fs::read(dir.join(format!("mvd2/q2pro-{server}.mvd2"))).unwrap(), "x.mvd2", slot);
        assert!(
            !of_client.is_empty() && of_client.keys().eq(of_server.keys()),
            "{server}: {of_client:?} {of_server:?}"
        );
        for (item, time) in of_client {
            // The server begins a moment earlier.
            assert!((0..=1000).contains(&(of_server[&item] - time)), "{server}: {item}: {time} of {of_server:?}");
        }
    }
}
