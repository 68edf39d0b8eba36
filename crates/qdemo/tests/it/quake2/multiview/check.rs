//! A server of Q2PRO tells only what differs from what it told last: then it must differ in our states too.

use std::collections::BTreeMap;

use qdemo::describe::{Size16, State, StateField, StateValue};
use qdemo::format::dm2::PacketEntity;
use qdemo::format::encode_messages;
use qdemo::format::mvd2::{Block, Chunk as Chunk2, Decoder, Frame, Header, Mark, Message, SceneDelta, SpareBits};
use qdemo::game::quake2::multiview::World as Multi;
use qdemo::game::quake2::{EntityState, PlayerState};
use qdemo::replay::World;
use qdemo::wire::ByteWriter;
use qdemo::world::Scene;
use qdemo::{Chunk, Limits, Reader};

use crate::common::{all_mvd2, file_name, shared};

/// How often each field was told.
type Count = BTreeMap<&'static str, u64>;

fn add(count: &mut Count, of: &str, fields: &'static [StateField], told: u64) {
    for (_, field) in fields.iter().enumerate().filter(|(n, _)| told >> n & 1 == 1) {
        *count.entry(field.name).or_default() += 1;
    }
    assert!(fields.len() <= 64, "{of}");
}

/// Takes over what versions of the server do not agree on: what places and angles of the entities of players are
/// differences to.
fn places(asked: &mut PacketEntity, sent: &PacketEntity) {
    (asked.origin_x, asked.origin_y, asked.origin_z) = (sent.origin_x, sent.origin_y, sent.origin_z);
    (asked.angles_1, asked.angles_2, asked.angles_3) = (sent.angles_1, sent.angles_2, sent.angles_3);
}

fn check(sent: &SceneDelta, from: &Multi, to: &Multi, count: &mut Count) {
    let asked = Multi::diff(from, to);
    assert_eq!(asked.players, sent.players);
    assert_eq!(asked.portals, sent.portals);
    sent.players.iter().for_each(|m| add(count, "player", PlayerState::FIELDS, PlayerState::told(m)));
    let game = to.game();
    for m in &sent.entities.entities {
        let mut ours = asked.entities.entities.iter().find(|ours| ours.entity == m.entity).cloned();
        let player = u8::try_from(m.entity.0 - 1).ok().and_then(|slot| game.client_state(slot));
        if let (Some(player), false) = (player, m.remove) {
            places(ours.get_or_insert_with(|| PacketEntity { entity: m.entity, ..PacketEntity::default() }), m);
            // A place is told where the player has died: it is the player's.
            for (n, told) in [m.origin_x, m.origin_y, m.origin_z].into_iter().enumerate() {
                assert!(told.is_none_or(|told| told.0.float() == player.origin[n]));
                *count.entry("place of a player").or_default() += u64::from(told.is_some());
            }
        }
        assert_eq!(ours.as_ref(), Some(m));
        add(count, "entity", EntityState::FIELDS, EntityState::told(m));
    }
    for m in &asked.entities.entities {
        assert!(sent.entities.entities.iter().any(|sent| sent.entity == m.entity), "{m:?}");
    }
    // What is asked for leads there.
    let mut there = from.clone();
    let mut w = ByteWriter::default();
    let frame = Message::Frame(Frame { spare_bits: SpareBits(0), scene: asked });
    encode_messages([&frame], &mut to.game().dialect(), &mut w).unwrap();
    let payload = w.as_slice();
    let header = Header { mark: Mark(false), size: Size16(Some(payload.len() as u16)) };
    let block = Block { index: 0, offset: 0, header, header_len: 2, payload, ends_moment: true };
    assert!(there.apply(&Chunk2::Block(block)).is_none());
    assert_eq!(format!("{:?}", there.game().frame()), format!("{:?}", to.game().frame()));
}

#[test]
fn what_is_told_differs() {
    let mut count = Count::new();
    for path in all_mvd2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut chunks = Reader::new(&demo[..], &name, Limits::default()).unwrap();
        let World::Mvd2(mut world) = World::new(chunks.detected()).unwrap() else { panic!("{name}") };
        let mut decoder = Decoder::default();
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            let Chunk::Mvd2(chunk) = chunk else { panic!("{name}") };
            let before = world.clone();
            assert!(world.apply(&chunk).is_none(), "{name}");
            let Chunk2::Block(block) = chunk else { continue };
            let mut scenes = Vec::new();
            for message in decoder.read(&block).0.messages {
                match message {
                    // The beginning of a level tells everything, in messages of its own.
                    Message::ServerData(_) => scenes.clear(),
                    Message::Frame(m) => scenes.push(m.scene),
                    _ => {}
                }
            }
            if let ([scene], false) = (&scenes[..], world.changes().level) {
                check(scene, &before, &world, &mut count);
            }
        }
    }
    eprintln!("{count:?}");
    let least = if shared("corpus/dm2").is_some() { [2000, 10_000] } else { [50, 100] };
    for (fields, least) in [
        (["effects", "pm_type", "place of a player", "guns"], least[0] / 50),
        (["angles", "stats", "screen", "event"], least[0] / 2),
        (["origin", "viewangles", "gun", "frame"], least[1] / 2),
    ] {
        for field in fields {
            assert!(count[field] >= least, "{field}: {}", count[field]);
        }
    }
}
