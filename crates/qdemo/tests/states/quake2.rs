//! Quake II: entities and players in every protocol, those of the test release and of multi-view recordings.

use proptest::prelude::*;
use qdemo::describe::{Body, ByteOrShort, State};
use qdemo::dialect::Dialect;
use qdemo::format::dm2::{
    PacketEntities, PacketEntity, PlayerInfo, SpawnBaseline, TestBaseline, TestEntity, TestNumber, TestPlayerInfo,
};
use qdemo::format::mvd2::PlayerDelta;
use qdemo::wire::{ByteReader, ByteWriter, CoordKind, F32};
use qdemo::world::dm2::{Baselines, EntityState, InView, PlayerState, diff_entities};

use super::{Told, all_but, bytes, check, fields, told};

/// Every protocol of clients: the game's, KMQuake2's with short angles and long ones, Q2PRO's, those of the re-release.
fn dialects() -> Vec<Dialect> {
    let mut all: Vec<_> = [34, 3434, 3435, 3436, 2023].map(|protocol| Dialect::quake2(protocol, 1)).to_vec();
    all.extend([false, true].map(|long| Dialect::quake2(56, 1).with_long_angles(long)));
    all
}

/// A state that some messages add up to, each as it leaves the one before.
fn sum<'b, S: State<M> + Copy, M: Body<'b>>(bytes: &'b [u8], d: &Dialect, rest: fn(&S) -> S) -> S {
    let mut told = Told::new(bytes, d);
    let mut state = S::ZERO;
    for _ in 0..3 {
        if let Some(m) = told.next::<M>() {
            state = rest(&state);
            state.apply(&m, d);
        }
    }
    state
}

/// Differences may lead beyond the numbers that any message tells.
fn fits<const N: usize>(values: [[f32; 3]; N], d: &Dialect) -> bool {
    d.quake2.origin != CoordKind::StretchedDelta || values.as_flattened().iter().all(|v| v.abs() < 524_288.0)
}

/// Random messages tell every field that there is in any protocol.
#[test]
fn every_field_is_told() {
    assert_eq!(told::<EntityState, PacketEntity>(&dialects()), all_but::<EntityState>(&[]));
    assert_eq!(told::<PlayerState, PlayerInfo>(&dialects()), all_but::<PlayerState>(&[]));
    let of_servers = [Dialect::mvd2(2010, 0).unwrap(), Dialect::mvd2(2013, 12).unwrap()];
    let of_clients = [
        "velocity",
        "pm_time",
        "pm_flags",
        "gravity",
        "delta_angles",
        "maxspeed",
        "duckspeed",
        "waterspeed",
        "accel",
        "stopspeed",
        "team_id",
    ];
    assert_eq!(told::<PlayerState, PlayerDelta>(&of_servers), all_but::<PlayerState>(&of_clients));
    let test = ["modelindex", "frame", "skin", "effects", "renderfx", "sound", "angles", "origin", "old_origin"];
    assert_eq!(told::<EntityState, TestEntity>(&[Dialect::QUAKE2_TEST]), test);
}

/// In the demos that came with the re-release places take two bytes where an entity has no box, and four where it has.
#[test]
fn places_by_boxes() {
    let d = Dialect::quake2(2022, 1);
    let state = |solid, x: f32| {
        let origin = [F32::from(x), F32::from(-4096.0), F32::from(0.125)];
        EntityState { solid, origin, old_origin: origin, ..EntityState::ZERO }
    };
    let frame = [(1, state(0, 8.875)), (2, state(31, 0.1)), (700, state(0, -1.0))];
    let frame = frame.map(|(number, state)| InView { number, state });
    let mut w = ByteWriter::default();
    diff_entities(None, &frame, &Baselines::default(), &d).write(18, &mut w, &d).unwrap();
    let list = PacketEntities::read(18, &mut ByteReader::new(&w.as_slice()[1..]), &d).unwrap();
    let there = list.entities.iter().map(|m| InView { number: m.entity.0, state: EntityState::of(m, &d) });
    assert_eq!(there.collect::<Vec<_>>(), frame);
}

proptest! {
    #[test]
    fn entities(a in bytes(), b in bytes(), number in 1u16..1024) {
        for d in dialects() {
            let from = sum::<EntityState, PacketEntity>(&a, &d, EntityState::rested).rested();
            let mut to = sum::<EntityState, PacketEntity>(&b, &d, EntityState::rested);
            if !fits([to.origin(), to.old_origin()], &d) {
                continue;
            }
            if d.quake2.entity_bits >> 38 & 1 == 1 && to.sound.attenuation.is_none() {
                // KMQuake2 has no word for "as usual again".
                to.sound.attenuation = from.sound.attenuation;
            }
            let m: PacketEntity = check(&from, &to, &d, 0);
            let m = PacketEntity { entity: ByteOrShort(number), ..m };
            let mut w = ByteWriter::default();
            m.write(0, &mut w, &d).unwrap();
            let mut r = ByteReader::new(w.as_slice());
            prop_assert_eq!(PacketEntity::read(0, &mut r, &d).unwrap(), m);
            prop_assert!(r.is_empty());
            // The base state itself.
            let m: SpawnBaseline = State::diff(&EntityState::ZERO, &to, &d);
            let mut w = ByteWriter::default();
            m.write(14, &mut w, &d).unwrap();
            let m = SpawnBaseline::read(14, &mut ByteReader::new(&w.as_slice()[1..]), &d).unwrap();
            prop_assert_eq!(EntityState::of(&m, &d), to);
        }
    }

    #[test]
    fn players(a in bytes(), b in bytes()) {
        for d in dialects() {
            let [from, to] = [&a, &b].map(|bytes| sum::<PlayerState, PlayerInfo>(bytes, &d, |state| *state));
            if !fits([to.origin(), to.velocity()], &d) {
                continue;
            }
            let m: PlayerInfo = check(&from, &to, &d, 0);
            let mut w = ByteWriter::default();
            m.write(17, &mut w, &d).unwrap();
            let mut r = ByteReader::new(&w.as_slice()[1..]);
            prop_assert_eq!(PlayerInfo::read(17, &mut r, &d).unwrap(), m);
            prop_assert!(r.is_empty());
        }
    }

    /// Multi-view recordings have the protocol's own states, Q2PRO's extended ones, and those with fog.
    #[test]
    fn players_of_servers(a in bytes(), b in bytes()) {
        for (minor, flags) in [(2010, 0), (2011, 4), (2012, 12), (2013, 12)] {
            let d = Dialect::mvd2(minor, flags).unwrap();
            let [from, to] = [&a, &b].map(|bytes| sum::<PlayerState, PlayerDelta>(bytes, &d, |state| *state));
            if !fits([to.origin()], &d) {
                continue;
            }
            let m: PlayerDelta = check(&from, &to, &d, 0);
            let mut w = ByteWriter::default();
            m.write(0, &mut w, &d).unwrap();
            let mut r = ByteReader::new(w.as_slice());
            prop_assert_eq!(PlayerDelta::read(0, &mut r, &d).unwrap(), m);
            prop_assert!(r.is_empty());
        }
    }

    #[test]
    fn the_test_release(a in bytes(), b in bytes()) {
        let d = Dialect::QUAKE2_TEST;
        let from = sum::<EntityState, TestBaseline>(&a, &d, |state| *state).rested();
        let to = sum::<EntityState, TestEntity>(&b, &d, EntityState::rested);
        let m: TestEntity = check(&from, &to, &d, 0);
        let m = TestEntity { entity: TestNumber(7), ..m };
        let mut w = ByteWriter::default();
        m.write(0, &mut w, &d).unwrap();
        prop_assert_eq!(TestEntity::read(0, &mut ByteReader::new(w.as_slice()), &d).unwrap(), m);
        let [from, to] = [&a, &b].map(|bytes| sum::<PlayerState, TestPlayerInfo>(bytes, &d, |state| *state));
        let _: TestPlayerInfo = check(&from, &to, &d, fields::<PlayerState>(&["origin", "viewangles"]));
    }

    /// The list that leads from one frame to the next has what came, what changed and what went, in order.
    #[test]
    fn lists(all in prop::collection::vec((bytes(), 1u16..40, 0u8..4), 0..12)) {
        for d in dialects() {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            for (bytes, number, whose) in &all {
                let state = sum::<EntityState, PacketEntity>(bytes, &d, EntityState::rested);
                let state = EntityState { sound: EntityState::ZERO.sound, ..state };
                if fits([state.origin(), state.old_origin()], &d) {
                    old.extend((whose & 1 == 0).then_some(InView { number: *number, state }));
                    new.extend((whose & 2 == 0).then_some(InView { number: *number, state: state.rested() }));
                }
            }
            for list in [&mut old, &mut new] {
                list.sort_by_key(|e| e.number);
                list.dedup_by_key(|e| e.number);
            }
            for base in [None, Some(&old[..])] {
                let told = diff_entities(base, &new, &Baselines::default(), &d).entities;
                prop_assert!(told.is_sorted_by(|a, b| a.entity.0 < b.entity.0));
                let mut there: Vec<_> = base.unwrap_or_default().to_vec();
                there.iter_mut().for_each(|e| e.state = e.state.rested());
                for m in &told {
                    let number = m.entity.0;
                    let at = there.binary_search_by_key(&number, |e| e.number);
                    prop_assert!(at.is_ok() || !m.remove);
                    match at {
                        Ok(at) if m.remove => drop(there.remove(at)),
                        Ok(at) => there[at].state.apply(m, &d),
                        Err(at) => there.insert(at, InView { number, state: EntityState::of(m, &d) }),
                    }
                }
                prop_assert_eq!(&there, &new);
            }
        }
    }
}
