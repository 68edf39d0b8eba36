//! QuakeWorld: entities and base states, lists of them, players of clients and of servers, stats.

use proptest::prelude::*;
use qdemo::describe::{Body, State};
use qdemo::dialect::{Dialect, QuakeWorld};
use qdemo::format::dem::SpawnBaseline;
use qdemo::format::qwd::{FteSpawnBaseline2, MvdPlayerInfo, PacketEntity, PlayerInfo};
use qdemo::wire::{AngleKind, ByteReader, ByteWriter, CoordKind};
use qdemo::world::ShortOrLong;
use qdemo::world::quakeworld::{Baselines, EntityState, PlayerState, Stats, diff_entities};

use super::{Told, all_but, bytes, check, fields, reread, told};

/// Clients and servers, with extensions and without, and every encoding of coordinates.
fn dialects() -> Vec<Dialect> {
    let mut all = Vec::new();
    for base in [Dialect::QUAKEWORLD, Dialect::MULTIVIEW] {
        let float = CoordKind::F32;
        let own = base.quakeworld;
        let moving = QuakeWorld { entity_coord: float, player_coord: float, ..own };
        all.push(base);
        all.push(Dialect { quakeworld: QuakeWorld { wide_commands: false, ..own }, ..base });
        all.push(Dialect { quakeworld: moving, ..base });
        let fte = QuakeWorld { entity_bytes: true, player_byte: true, weapon_prediction: true, ..moving };
        all.push(Dialect { coord: float, angle: AngleKind::I16, quakeworld: fte, ..base });
        all.push(Dialect { quakeworld: QuakeWorld { entity_bytes: true, double_models: true, ..own }, ..base });
    }
    all
}

/// An entity as a base state and one more message leave it.
fn entity(bytes: &[u8], number: u16, d: &Dialect) -> EntityState {
    let mut told = Told::new(bytes, d);
    let fte = d.quakeworld.entity_bytes.then(|| told.next::<FteSpawnBaseline2>().filter(|m| !m.remove)).flatten();
    let mut state = match (fte, told.next::<SpawnBaseline>()) {
        (Some(m), _) => EntityState::of(&m, d),
        (None, Some(m)) => EntityState::of(&m, d),
        (None, None) => EntityState::ZERO,
    };
    if let Some(m) = told.next::<PacketEntity>().filter(|m| !m.remove) {
        state.apply(&m, d);
    }
    EntityState { number, ..state }
}

/// Random messages tell every field that there is with any extension.
#[test]
fn every_field_is_told() {
    assert_eq!(told::<EntityState, PacketEntity>(&dialects()), all_but::<EntityState>(&[]));
    assert_eq!(told::<PlayerState, PlayerInfo>(&dialects()), all_but::<PlayerState>(&["angles", "known"]));
    let of_clients = ["velocity", "alpha", "age", "command", "prediction", "known"];
    assert_eq!(told::<PlayerState, MvdPlayerInfo>(&dialects()), all_but::<PlayerState>(&of_clients));
}

proptest! {
    #[test]
    fn entities(a in bytes(), b in bytes(), number in 1u16..512) {
        for d in dialects() {
            let from = entity(&a, number, &d);
            // No message takes this flag away.
            let to = entity(&b, number, &d);
            let to = EntityState { solid: to.solid || from.solid, ..to };
            let m: PacketEntity = check(&from, &to, &d, fields::<EntityState>(&["number"]));
            let mut w = ByteWriter::default();
            m.write(0, &mut w, &d).unwrap();
            let mut r = ByteReader::new(w.as_slice());
            prop_assert_eq!(PacketEntity::read(0, &mut r, &d).unwrap(), m);
            prop_assert!(r.is_empty());

            // What never changes has no number.
            let still = EntityState { number: 0, ..from };
            match still.still(&d) {
                ShortOrLong::Short(m) => prop_assert_eq!(EntityState::of(&m, &d), still),
                ShortOrLong::Long(m) => prop_assert_eq!(EntityState::of(&m, &d), still),
            }
            let mut w = ByteWriter::default();
            match from.baseline(&d) {
                ShortOrLong::Short(m) => {
                    m.write(22, &mut w, &d).unwrap();
                    prop_assert_eq!(EntityState::of(&reread::<SpawnBaseline>(w.as_slice(), &d), &d), from);
                }
                ShortOrLong::Long(m) if d.quakeworld.entity_bytes => {
                    m.write(66, &mut w, &d).unwrap();
                    prop_assert_eq!(EntityState::of(&reread::<FteSpawnBaseline2>(w.as_slice(), &d), &d), from);
                }
                ShortOrLong::Long(_) => {}
            }
        }
    }

    /// The list that leads from one to another has what came, what changed and what went, in order.
    #[test]
    fn lists(all in prop::collection::vec((bytes(), 1u16..40, 0u8..4), 0..12)) {
        let d = Dialect::QUAKEWORLD;
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for (bytes, number, whose) in &all {
            let state = EntityState { solid: false, ..entity(bytes, *number, &d) };
            if whose & 1 == 0 {
                old.push(state);
            }
            if whose & 2 == 0 {
                new.push(EntityState { skin: state.skin ^ (whose & 1), ..state });
            }
        }
        for list in [&mut old, &mut new] {
            list.sort_by_key(|e| e.number);
            list.dedup_by_key(|e| e.number);
        }
        for base in [None, Some(&old[..])] {
            let told = diff_entities(base, &new, &Baselines::default(), &d);
            prop_assert!(told.is_sorted_by(|a, b| a.entity.0 < b.entity.0));
            let mut there = base.unwrap_or_default().to_vec();
            for m in &told {
                let at = there.binary_search_by_key(&m.entity.0, |e| e.number);
                prop_assert!(at.is_ok() || !m.remove);
                match at {
                    Ok(at) if m.remove => drop(there.remove(at)),
                    Ok(at) => there[at].apply(m, &d),
                    Err(at) => there.insert(at, EntityState::of(m, &d)),
                }
            }
            prop_assert_eq!(&there, &new);
        }
    }

    #[test]
    fn players_of_clients(a in bytes(), model: u8) {
        for d in dialects() {
            let Some(m) = Told::new(&a, &d).next::<PlayerInfo>() else { continue };
            let usual = PlayerState::usual(model.into());
            let mut state = usual;
            state.apply(&m, &d);
            let m = PlayerInfo { player: m.player, ..check(&usual, &state, &d, fields::<PlayerState>(&["origin", "frame", "flags", "prediction"])) };
            let mut w = ByteWriter::default();
            m.write(42, &mut w, &d).unwrap();
            let mut r = ByteReader::new(&w.as_slice()[1..]);
            prop_assert_eq!(PlayerInfo::read(42, &mut r, &d).unwrap(), m);
        }
    }

    #[test]
    fn players_of_servers(a in bytes(), b in bytes()) {
        for d in dialects() {
            let state = |bytes| {
                let mut state = PlayerState::ZERO;
                let mut told = Told::new(bytes, &d);
                for _ in 0..3 {
                    told.next::<MvdPlayerInfo>().iter().for_each(|m| state.apply(m, &d));
                }
                state
            };
            let (from, to) = (state(&a), state(&b));
            // The highest bit of a skin that comes with a model is one of the model: servers of FTE send no other.
            if d.quakeworld.double_models && to.look.skin & 0x80 != 0 {
                continue;
            }
            let m: MvdPlayerInfo = check(&from, &to, &d, fields::<PlayerState>(&["frame", "flags"]));
            let mut w = ByteWriter::default();
            m.write(42, &mut w, &d).unwrap();
            let mut r = ByteReader::new(&w.as_slice()[1..]);
            prop_assert_eq!(MvdPlayerInfo::read(42, &mut r, &d).unwrap(), m);
        }
    }

    #[test]
    fn stats(a: [i8; 32], b: [i8; 32], long in 0usize..32, value: i32) {
        let (from, mut to) = (Stats(a.map(i32::from)), Stats(b.map(i32::from)));
        to.0[long] = value;
        let mut there = from;
        for m in Stats::diff(&from, &to) {
            let (index, value) = match m {
                ShortOrLong::Short(m) => (m.index.0, i32::from(m.value)),
                ShortOrLong::Long(m) => {
                    prop_assert!(!(0..=255).contains(&m.value), "a byte would do");
                    (m.index.0, m.value)
                }
            };
            prop_assert_ne!(std::mem::replace(&mut there.0[usize::from(index)], value), value);
        }
        prop_assert_eq!(there, to);
    }
}
