//! A server of Q2PRO tells only what differs from what it told last: then it must differ in our states too.

use std::collections::BTreeMap;

use qdemo::dialect::Dialect;
use qdemo::format::dm2::PacketEntity;
use qdemo::format::mvd2::{Chunk as Piece2, Message, Messages, PlayerDelta, Scene as Told};
use qdemo::world::World;
use qdemo::world::dm2::{EntityState, PlayerState, World as Game};
use qdemo::{Chunk, Limits, Reader};

use crate::common::{all_mvd2, file_name, shared};

/// How often a field was told and differs, and how often it is equal all the same.
type Count = BTreeMap<&'static str, [u64; 2]>;

fn add<const N: usize>(count: &mut Count, fields: [(&'static str, bool, bool); N]) {
    for (name, told, differs) in fields {
        count.entry(name).or_default()[usize::from(!differs)] += u64::from(told);
    }
}

fn player(before: &PlayerState, now: &PlayerState, m: &PlayerDelta, count: &mut Count) {
    let (was, is) = (before.origin(), now.origin());
    let (looked, looks) = (before.viewangles(), now.viewangles());
    let stats = m.stats.as_ref().map(|stats| &stats.0);
    let differ = |(n, _): (usize, i16)| before.stat(n) != now.stat(n);
    let fields = [
        ("pm_type", m.pm_type.is_some(), before.pm_type != now.pm_type),
        ("origin_xy", m.origin_xy.is_some(), was[..2] != is[..2]),
        ("origin_z", m.origin_z.is_some(), was[2] != is[2]),
        ("viewoffset", m.viewoffset.is_some(), before.viewoffset() != now.viewoffset()),
        ("view_pitch_yaw", m.view_pitch_yaw.is_some(), looked[..2] != looks[..2]),
        ("view_roll", m.view_roll.is_some(), looked[2] != looks[2]),
        ("kick_angles", m.kick_angles.is_some(), before.kick_angles() != now.kick_angles()),
        ("gunindex", m.gunindex.is_some(), before.guns[0].model != now.guns[0].model),
        ("gunframe", m.gunframe.is_some(), before.guns[0].frame != now.guns[0].frame),
        ("gunoffset", m.gunoffset.is_some(), before.gun_offset() != now.gun_offset()),
        ("gunangles", m.gunangles.is_some(), before.gun_angles() != now.gun_angles()),
        ("blend", m.blend.is_some(), before.blend != now.blend),
        ("fov", m.fov.is_some(), before.fov != now.fov),
        ("rdflags", m.rdflags.is_some(), before.rdflags != now.rdflags),
        ("stats", stats.is_some(), stats.is_some_and(|stats| stats.iter().all(differ))),
    ];
    add(count, fields);
}

fn entity(before: &EntityState, now: &EntityState, m: &PacketEntity, follows: bool, count: &mut Count) {
    let (was, is) = (before.origin(), now.origin());
    let (turned, turns) = (before.angles(), now.angles());
    let fields = [
        ("modelindex", m.modelindex.is_some(), before.models[0] != now.models[0]),
        ("modelindex2", m.modelindex2.is_some(), before.models[1] != now.models[1]),
        ("frame", m.frame.byte.is_some() || m.frame.short.is_some(), before.frame != now.frame),
        ("skin", m.skin.value().is_some(), before.skin != now.skin),
        ("effects", m.effects.value().is_some(), before.effects != now.effects),
        ("renderfx", m.renderfx.value().is_some(), before.renderfx != now.renderfx),
        // What those of a player's entity are differences to, versions of the server do not agree on.
        ("origin_x", m.origin_x.is_some() && !follows, was[0] != is[0]),
        ("origin_y", m.origin_y.is_some() && !follows, was[1] != is[1]),
        ("origin_z of entities", m.origin_z.is_some() && !follows, was[2] != is[2]),
        ("angles_1", m.angles_1.is_some() && !follows, turned[0] != turns[0]),
        ("angles_2", m.angles_2.is_some() && !follows, turned[1] != turns[1]),
        ("angles_3", m.angles_3.is_some() && !follows, turned[2] != turns[2]),
        ("sound", m.sound.is_some(), before.sound != now.sound),
        ("solid", m.solid.is_some(), before.solid != now.solid),
        ("event", m.event.is_some(), now.event != 0),
    ];
    add(count, fields);
}

/// The last states of a level, those of who is gone too; of an entity, if its player moved normally.
#[derive(Default)]
struct Last {
    players: BTreeMap<u8, PlayerState>,
    entities: BTreeMap<u16, (EntityState, bool)>,
}

impl Last {
    fn check(&self, scene: &Told, game: &Game, count: &mut Count) {
        for m in scene.players.iter().filter(|m| !m.remove) {
            let before = self.players.get(&m.slot).unwrap_or(&PlayerState::ZERO);
            player(before, game.client_state(m.slot).unwrap(), m, count);
        }
        for m in &scene.entities.entities {
            let number = m.entity.0;
            let (before, follows) = self.entities.get(&number).copied().unwrap_or((EntityState::ZERO, false));
            let Some(now) = game.entity_state(number) else {
                assert!(m.remove, "entity {number}");
                continue;
            };
            assert!(!m.remove, "entity {number}");
            entity(&before, now, m, follows, count);
            // Of a player's entity a place is told where the player has died: it is the player's.
            let Some(state) = u8::try_from(number - 1).ok().and_then(|slot| game.client_state(slot)) else { continue };
            for (n, told) in [m.origin_x, m.origin_y, m.origin_z].into_iter().enumerate() {
                let there = told.is_some_and(|told| told.0.get() as f32 == state.origin()[n]);
                add(count, [("place of a player", told.is_some(), there)]);
            }
        }
    }

    fn take(&mut self, game: &Game) {
        self.players.extend((0..=254).filter_map(|slot| Some((slot, *game.client_state(slot)?))));
        let normal = |slot: u8| game.client_state(slot).is_some_and(|state| state.pm_type == 0);
        let follows = |number: u16| u8::try_from(number - 1).is_ok_and(normal);
        let entities = game.frame().unwrap().entities().iter();
        self.entities.extend(entities.map(|it| (it.number, (it.state, follows(it.number)))));
    }
}

#[test]
fn what_is_told_differs() {
    let mut count = Count::new();
    for path in all_mvd2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut chunks = Reader::new(&demo[..], &name, Limits::default()).unwrap();
        let World::Mvd2(mut world) = World::new(chunks.detected()).unwrap() else { panic!("{name}") };
        let mut last = Last::default();
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            let Chunk::Mvd2(chunk) = chunk else { panic!("{name}") };
            assert!(world.fold(&chunk).is_none(), "{name}");
            let Piece2::Block(block) = chunk else { continue };
            for message in Messages::new(block.payload, Dialect::MVD2) {
                let scene = match message {
                    Message::ServerData(m) => {
                        last = Last::default();
                        m.scene
                    }
                    Message::Frame(m) => m.scene,
                    _ => continue,
                };
                last.check(&scene, world.game(), &mut count);
                last.take(world.game());
            }
        }
    }
    let equal: Vec<_> = count.iter().filter(|(_, [_, equal])| *equal != 0).collect();
    assert!(equal.is_empty(), "{equal:?}");
    let least = if shared("corpus/dm2").is_some() { [2000, 10_000] } else { [50, 100] };
    for (fields, least) in [
        (["event", "view_roll", "pm_type", "place of a player"], least[0] / 50),
        (["angles_2", "stats", "blend", "origin_x"], least[0] / 2),
        (["origin_xy", "view_pitch_yaw", "gunframe", "frame"], least[1] / 2),
    ] {
        for field in fields {
            assert!(count[field][0] >= least, "{field}: {}", count[field][0]);
        }
    }
}
