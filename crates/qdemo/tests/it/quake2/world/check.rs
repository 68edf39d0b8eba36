//! What a server would send between two states, against what it sent.

use std::collections::VecDeque;

use qdemo::dialect::Dialect;
use qdemo::format::dm2::{Chunk, Message, Messages, PacketEntity, PlayerInfo};
use qdemo::world::Scene;
use qdemo::world::dm2::{EntityState, FullFrame, PlayerState, World as World2};

use super::{Count, fold};
use crate::common::{all_dm2, file_name, shared};

/// Fields of an entity, a bit each.
mod of {
    pub(super) const ORIGIN: u32 = 0b111 << 8;
    pub(super) const ANGLES: u32 = 0b111 << 11;
    pub(super) const OLD_ORIGIN: u32 = 1 << 14;
    pub(super) const SOLID: u32 = 1 << 17;
}

fn mask(bits: &[bool]) -> u32 {
    bits.iter().enumerate().fold(0, |mask, (n, bit)| mask | u32::from(*bit) << n)
}

fn sent(m: &PacketEntity) -> u32 {
    mask(&[
        m.modelindex.is_some(),
        m.modelindex2.is_some(),
        m.modelindex3.is_some(),
        m.modelindex4.is_some(),
        m.frame.byte.is_some() || m.frame.short.is_some(),
        m.skin.value().is_some(),
        m.effects.value().is_some(),
        m.renderfx.value().is_some(),
        m.origin_x.is_some(),
        m.origin_y.is_some(),
        m.origin_z.is_some(),
        m.angles_1.is_some(),
        m.angles_2.is_some(),
        m.angles_3.is_some(),
        m.old_origin.is_some(),
        m.sound.is_some(),
        m.event.is_some(),
        m.solid.is_some(),
    ])
}

/// What is to be told of `to` where `from` is known. Events last one frame; who tells nothing else was where it was.
fn difference(from: &EntityState, to: &EntityState) -> u32 {
    let (origin, before) = (to.origin(), from.origin());
    let (angles, turned) = (to.angles(), from.angles());
    mask(&[
        from.models[0] != to.models[0],
        from.models[1] != to.models[1],
        from.models[2] != to.models[2],
        from.models[3] != to.models[3],
        from.frame != to.frame,
        from.skin != to.skin,
        from.effects != to.effects,
        from.renderfx != to.renderfx,
        before[0] != origin[0],
        before[1] != origin[1],
        before[2] != origin[2],
        turned[0] != angles[0],
        turned[1] != angles[1],
        turned[2] != angles[2],
        to.old_origin() != before,
        from.sound != to.sound,
        to.event != 0,
        from.solid != to.solid,
    ])
}

fn check_entities(world: &World2, base: Option<&FullFrame>, sent_list: &[PacketEntity], count: &mut Count) {
    let mut add = |class| *count.entry(class).or_default() += 1;
    let now = world.frame().unwrap();
    assert!(now.entities().windows(2).all(|w| w[0].number < w[1].number), "entities are in order");
    let told = |number: u16| sent_list.iter().find(|m| m.entity.0 == number);
    for entity in now.entities() {
        let known = base.and_then(|base| base.entity(entity.number));
        let from = known.unwrap_or_else(|| world.baselines().get(entity.number));
        let expected = difference(from, &entity.state);
        let Some(m) = told(entity.number) else {
            add(if known.is_some() && expected == 0 { "entity stays" } else { "entity: unexplained" });
            continue;
        };
        let beside = sent(m) & !expected;
        add(match () {
            () if m.remove || expected & !sent(m) != 0 => "entity: unexplained",
            () if beside == 0 => "entity equal",
            // Engines send it of players, beams and what comes into view; old ones of all that moves.
            () if beside == of::OLD_ORIGIN => "entity: old origin though equal",
            // The server compares what it rounds later.
            () if beside & !(of::ORIGIN | of::ANGLES | of::OLD_ORIGIN) == 0 => "entity: equal once rounded",
            // The server works the box out anew each frame, and does not compare it in the same form.
            () if beside & !(of::ORIGIN | of::ANGLES | of::OLD_ORIGIN | of::SOLID) == 0 => "entity: box though equal",
            () => "entity: unexplained",
        });
    }
    for gone in base.into_iter().flat_map(FullFrame::entities).filter(|e| now.entity(e.number).is_none()) {
        add(if told(gone.number).is_some_and(|m| m.remove) { "removal equal" } else { "entity: unexplained" });
    }
    for m in sent_list {
        let there = now.entity(m.entity.0).is_some();
        let was = base.is_some_and(|base| base.entity(m.entity.0).is_some());
        assert!(if m.remove { was && !there } else { there }, "entity {}", m.entity.0);
    }
}

const GUN: u32 = 1 << 8;
const VIEW: u32 = 1 << 5 | 1 << 7;

fn check_player(from: &PlayerState, to: &PlayerState, m: &PlayerInfo, count: &mut Count) {
    let gun = |s: &PlayerState| (s.guns[0].frame, s.gun_offset(), s.gun_angles(), s.guns[1].frame);
    let expected = mask(&[
        from.pm_type != to.pm_type,
        from.origin() != to.origin(),
        from.velocity() != to.velocity(),
        from.pm_time != to.pm_time,
        from.pm_flags != to.pm_flags,
        from.viewoffset() != to.viewoffset(),
        from.viewangles() != to.viewangles(),
        from.kick_angles() != to.kick_angles(),
        from.guns[0].model != to.guns[0].model,
        gun(from) != gun(to),
        from.blend != to.blend,
        from.fov != to.fov,
        from.rdflags != to.rdflags,
        from.gravity != to.gravity,
        from.delta_angles() != to.delta_angles(),
    ]);
    let sent = mask(&[
        m.pm_type.is_some(),
        m.origin.is_some(),
        m.velocity.is_some(),
        m.pm_time.is_some(),
        m.pm_flags.is_some(),
        m.viewoffset.is_some(),
        m.viewangles.is_some(),
        m.kick_angles.is_some(),
        m.gunindex.is_some(),
        m.gun.is_some(),
        m.blend.is_some(),
        m.fov.is_some(),
        m.rdflags.is_some(),
        m.gravity.is_some(),
        m.delta_angles.is_some(),
    ]);
    let beside = sent & !expected;
    *count
        .entry(match () {
            () if expected & !sent != 0 => "player: unexplained",
            () if beside == 0 => "player equal",
            // id's servers send it always.
            () if beside == GUN => "player: weapon though equal",
            // Floats that are quarters on the wire.
            () if beside & !(GUN | VIEW) == 0 => "player: equal once rounded",
            () => "player: unexplained",
        })
        .or_default() += 1;
    let told: Vec<usize> = m.stats.iter().map(|(n, _)| n).collect();
    let differ: Vec<usize> = (0..PlayerState::STATS).filter(|n| from.stat(*n) != to.stat(*n)).collect();
    let class = match () {
        () if told == differ => "stats equal",
        // KMQuake2 sends eight for one that changed.
        () if differ.iter().all(|n| told.contains(n)) => "stats: sent though equal",
        () => "stats: unexplained",
    };
    *count.entry(class).or_default() += 1;
}

#[test]
fn what_the_states_give_is_what_the_server_sent() {
    let mut total = Count::new();
    for path in all_dm2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut count = Count::new();
        let mut history: VecDeque<FullFrame> = VecDeque::new();
        let mut dialect = Dialect::QUAKE2;
        let world = fold(&demo, &name, |world, chunk| {
            let Chunk::Block(block) = chunk else { return };
            // The dialect at the end of the block is that of its frames.
            if world.dialect().protocol != 25 {
                let first = if world.changes().level { Dialect::QUAKE2 } else { world.dialect() };
                dialect = first.with_long_angles(world.dialect().quake2.long_angles);
            } else {
                dialect = Dialect::QUAKE2_TEST;
            }
            if world.changes().level {
                history.clear();
            }
            let mut base = None;
            for message in Messages::new(block.payload, dialect) {
                match message {
                    Message::Frame(m) => {
                        assert!(world.is_complete() && world.changes().frame, "{name}");
                        base = m.seq2.filter(|n| *n > 0).map(|n| history.iter().find(|f| f.number() == n).unwrap());
                    }
                    Message::PlayerInfo(m) => {
                        let from = base.map_or(&PlayerState::ZERO, |base| base.player(None).unwrap());
                        check_player(from, world.player_state().unwrap(), &m, &mut count);
                    }
                    Message::PacketEntities(m) => check_entities(world, base, &m.entities, &mut count),
                    Message::TestEntities(m) => {
                        // Each frame tells all that is in view.
                        let numbers: Vec<u16> = m.entities.iter().map(|e| e.entity.0).collect();
                        let ours: Vec<u16> = world.frame().unwrap().entities().iter().map(|e| e.number).collect();
                        assert_eq!(ours, numbers, "{name}");
                        *count.entry("test release: lists equal").or_default() += 1;
                    }
                    _ => {}
                }
            }
            if world.changes().frame {
                history.push_back(world.frame().unwrap().clone());
                if history.len() > 64 {
                    history.pop_front();
                }
            }
        });
        assert_eq!(world.missing_bases(), 0, "{name}");
        for (class, n) in count {
            assert!(!class.contains("unexplained"), "{name}: {n} {class}");
            *total.entry(class).or_default() += n;
        }
    }
    eprintln!("{total:#?}");
    if shared("corpus/dm2").is_none() {
        return;
    }
    for (class, least) in [
        ("entity equal", 20_000),
        ("entity stays", 90_000),
        ("removal equal", 500),
        ("player equal", 4_000),
        ("stats equal", 4_000),
        ("test release: lists equal", 583),
    ] {
        assert!(total[class] >= least, "{class}: {}", total[class]);
    }
}
