//! What a server would send between two states, against what it sent.

use std::collections::VecDeque;
use std::fmt::Debug;

use qdemo::describe::{ByteOrShort, State};
use qdemo::dialect::Dialect;
use qdemo::format::dm2::{
    Chunk, Message, Messages, PacketEntities, PacketEntity, PlayerInfo, TestEntity, TestPlayerInfo,
};
use qdemo::world::Scene;
use qdemo::world::dm2::{FullFrame, PlayerState, World as World2, diff_entities, diff_test_entities};

use super::common::{all_dm2, file_name};
use super::{Count, fold};

/// What leads from one state to another does: as it was sent, and as the states ask for it.
fn lead<S: State<M> + Clone + Debug, M: Debug>(from: &S, to: &S, messages: [&M; 2], d: &Dialect) {
    for m in messages {
        let mut there = from.clone();
        there.apply(m, d);
        assert_eq!(&there, to, "{m:?}");
    }
}

/// Why something was sent that is not asked for: takes it over in what is.
type Reason<M> = (&'static str, fn(&mut M, &M));

/// The reason, or several of them, that make what is asked for what was sent.
fn class<M: Clone + PartialEq + Debug>(
    sent: &M,
    asked: &M,
    equal: &'static str,
    reasons: &[Reason<M>],
) -> &'static str {
    let mut asked = asked.clone();
    if *sent == asked {
        return equal;
    }
    for (class, take_over) in reasons {
        take_over(&mut asked, sent);
        if *sent == asked {
            return class;
        }
    }
    panic!("sent {sent:?} asked {asked:?}");
}

const OF_ENTITIES: [Reason<PacketEntity>; 3] = [
    // Engines send it of players, beams and what comes into view; old ones of all that moves.
    ("entity: old origin though equal", |to, sent| to.old_origin = sent.old_origin),
    // The server compares what it rounds later.
    ("entity: equal once rounded", |to, sent| {
        (to.origin_x, to.origin_y, to.origin_z) = (sent.origin_x, sent.origin_y, sent.origin_z);
        (to.angles_1, to.angles_2, to.angles_3) = (sent.angles_1, sent.angles_2, sent.angles_3);
    }),
    // The server works the box out anew each frame, and does not compare it in the same form.
    ("entity: box though equal", |to, sent| to.solid = sent.solid),
];

fn check_entities(world: &World2, base: Option<&FullFrame>, sent: &PacketEntities, count: &mut Count) {
    let mut add = |class| *count.entry(class).or_default() += 1;
    let (now, d) = (world.frame().unwrap(), world.dialect());
    let asked = diff_entities(base.map(FullFrame::entities), now.entities(), world.baselines(), &d);
    assert!(asked.entities.is_sorted_by(|a, b| a.entity.0 < b.entity.0), "entities are in order");
    let of = |list: &PacketEntities, number: u16| list.entities.iter().find(|m| m.entity.0 == number).cloned();
    for entity in now.entities() {
        let known = base.and_then(|base| base.entity(entity.number));
        let from = known.unwrap_or_else(|| world.baselines().get(entity.number)).rested();
        let nothing = PacketEntity { entity: ByteOrShort(entity.number), ..PacketEntity::default() };
        let ours = of(&asked, entity.number);
        let Some(m) = of(sent, entity.number) else {
            assert!(ours.is_none(), "{ours:?} was not sent");
            add("entity stays");
            continue;
        };
        let ours = ours.unwrap_or(nothing);
        lead(&from, &entity.state, [&m, &ours], &d);
        add(class(&m, &ours, "entity equal", &OF_ENTITIES));
    }
    for gone in base.into_iter().flat_map(FullFrame::entities).filter(|e| now.entity(e.number).is_none()) {
        assert_eq!(of(sent, gone.number), of(&asked, gone.number));
        add("removal equal");
    }
    for m in &sent.entities {
        let there = now.entity(m.entity.0).is_some();
        let was = base.is_some_and(|base| base.entity(m.entity.0).is_some());
        assert!(if m.remove { was && !there } else { there }, "entity {}", m.entity.0);
    }
}

const OF_TEST_ENTITIES: [Reason<TestEntity>; 2] = [
    ("test release: old origin though equal", |to, sent| to.old_origin = sent.old_origin),
    ("test release: equal once rounded", |to, sent| {
        (to.origin_x, to.origin_y, to.origin_z) = (sent.origin_x, sent.origin_y, sent.origin_z);
        (to.angles_1, to.angles_2, to.angles_3) = (sent.angles_1, sent.angles_2, sent.angles_3);
    }),
];

const OF_PLAYERS: [Reason<PlayerInfo>; 2] = [
    // id's servers send it always.
    ("player: weapon though equal", |to, sent| {
        (to.gunindex, to.gunindex2) = (sent.gunindex, sent.gunindex2);
    }),
    // Floats that are quarters on the wire.
    ("player: equal once rounded", |to, sent| {
        (to.viewoffset, to.kick_angles) = (sent.viewoffset, sent.kick_angles);
    }),
];

fn check_player(from: &PlayerState, to: &PlayerState, m: &PlayerInfo, d: &Dialect, count: &mut Count) {
    let mut asked: PlayerInfo = State::diff(from, to, d);
    lead(from, to, [m, &asked], d);
    // KMQuake2 sends eight for one that changed.
    let stats = class(&m.stats, &asked.stats, "stats equal", &[]);
    asked.stats = m.stats.clone();
    for class in [stats, class(m, &asked, "player equal", &OF_PLAYERS)] {
        *count.entry(class).or_default() += 1;
    }
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
                        check_player(from, world.player_state().unwrap(), &m, &dialect, &mut count);
                    }
                    Message::PacketEntities(m) => check_entities(world, base, &m, &mut count),
                    Message::TestPlayerInfo(m) => {
                        // The difference to the frame before, of which no message tells anything.
                        let to = world.player_state().unwrap();
                        let asked: TestPlayerInfo = State::diff(&PlayerState::ZERO, to, &dialect);
                        let class = class(&m, &asked, "test release: player equal", &[]);
                        *count.entry(class).or_default() += 1;
                    }
                    Message::TestEntities(m) => {
                        // Each frame tells all that is in view.
                        let asked = diff_test_entities(world.frame().unwrap().entities(), world.baselines(), &dialect);
                        assert_eq!(asked.entities.len(), m.entities.len(), "{name}");
                        for (m, asked) in m.entities.iter().zip(&asked.entities) {
                            let class = class(m, asked, "test release: entity equal", &OF_TEST_ENTITIES);
                            *count.entry(class).or_default() += 1;
                        }
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
            *total.entry(class).or_default() += n;
        }
    }
    eprintln!("{total:#?}");
    if total.is_empty() {
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
