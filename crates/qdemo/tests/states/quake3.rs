//! Quake III: snapshots, baselines and gamestates made from states, in every protocol.

use proptest::prelude::*;
use qdemo::describe::{Bits, Body};
use qdemo::dialect::quake3::{Dialect, EntityField, PlayerField, Table};
use qdemo::format::dm3::{Array, Baseline, Change, Configstring, Gamestate, GamestateItem, Snapshot, Text};
use qdemo::wire::{BitReader, BitWriter};
use qdemo::world::dm3::{Baselines, EntityState, PlayerState, SnapshotBuilder};

/// Values of all fields of a table, each as the wire has it; of `some` fields, by their places.
fn values(table: &Table, some: u64, bits: &[u32]) -> impl Iterator<Item = (usize, u32)> {
    let fields = table.fields().iter().enumerate().filter(move |(place, _)| some >> place & 1 == 1);
    fields.zip(bits.iter().cycle()).map(|((_, field), value)| {
        let shift = 32 - u32::from(field.bits.clamp(1, 32));
        let value = match (field.bits, field.signed) {
            // The short form has 13 bits.
            (0, _) if value % 3 == 0 => ((*value % 9000) as f32 - 4500.0).to_bits(),
            (0, _) => *value,
            (_, true) => ((value << shift) as i32 >> shift) as u32,
            (_, false) => value << shift >> shift,
        };
        (usize::from(field.id), value)
    })
}

fn entity(some: u64, bits: &[u32], d: &Dialect) -> EntityState {
    let mut state = EntityState::ZERO;
    values(&d.layout.entity, some, bits).for_each(|(id, value)| state.set(EntityField::ALL[id], value));
    state
}

fn player(some: u64, bits: &[u32], d: &Dialect) -> PlayerState {
    let mut state = PlayerState::ZERO;
    values(&d.layout.player, some, bits).for_each(|(id, value)| state.set(PlayerField::ALL[id], value));
    for (n, (array, value)) in Array::ALL.into_iter().cycle().zip(bits).enumerate() {
        let value = *value as i32;
        state.set_slot(array, n * 7 % 16, if array == Array::Powerups { value } else { value >> 16 });
    }
    state
}

/// What comes back from the bytes of a message.
fn reread<M: for<'a> Body<'a, Bits>>(m: &M, d: &Dialect) -> M {
    let mut w = BitWriter::new(d.layout.coding);
    m.write(7, &mut w, d).unwrap();
    let bytes = w.into_bytes();
    let mut r = BitReader::new(&bytes, d.layout.coding);
    r.u8().unwrap();
    M::read(7, &mut r, d).unwrap()
}

/// Bits of fields and values, with those of floats that are easily mistaken.
fn bits() -> impl Strategy<Value = (u64, Vec<u32>)> {
    let odd = prop::sample::select(&[0x8000_0000, 0x7FC0_0000, 0x7F80_0001, 0x7F80_0000, 0, 0x3F80_0000][..]);
    (any::<u64>(), prop::collection::vec(prop_oneof![any::<u32>(), odd], 1..40))
}

proptest! {
    #[test]
    fn snapshots(
        of_player in [bits(), bits()],
        entities in prop::collection::vec((bits(), bits(), 0u8..6), 0..10),
    ) {
        for d in Dialect::all() {
            let [from, to] = of_player.each_ref().map(|(some, bits)| player(*some, bits, d));
            let states: Vec<_> = (1u16..).step_by(100).zip(&entities).map(|(number, (a, b, whose))| {
                (number, entity(a.0, &a.1, d), entity(b.0, &b.1, d), *whose)
            }).collect();
            let old: Vec<_> = states.iter().filter(|(.., whose)| whose & 1 == 0).map(|(n, a, ..)| (*n, a)).collect();
            let new: Vec<_> = states.iter().filter(|(.., whose)| whose & 2 == 0).map(|(n, a, b, whose)| {
                (*n, if *whose == 4 { a } else { b })
            }).collect();
            let baselines = Baselines::default();
            let snapshot = SnapshotBuilder::new(5, (&from, &to), d).entities(&old, &new, &baselines).build();
            prop_assert_eq!(&reread(&snapshot, d), &snapshot);

            let mut there = from;
            there.apply(&snapshot);
            prop_assert_eq!(there, to);
            let told = snapshot.player();
            for (field, _) in told.iter() {
                let field = PlayerField::ALL[usize::from(field.id)];
                prop_assert_ne!(from.bits(field), to.bits(field), "{} is equal", field.name());
            }
            let mut there: Vec<(u16, EntityState)> = old.iter().map(|(n, state)| (*n, **state)).collect();
            let mut last = 0;
            for update in snapshot.entities() {
                prop_assert!(std::mem::replace(&mut last, update.number) < update.number, "out of order");
                let at = there.binary_search_by_key(&update.number, |e| e.0);
                match (update.change, at) {
                    (Change::Remove, Ok(at)) => drop(there.remove(at)),
                    (Change::Baseline, Err(at)) => there.insert(at, (update.number, EntityState::ZERO)),
                    (Change::Fields(fields), Ok(at)) => {
                        for (field, _) in fields.iter() {
                            let field = EntityField::ALL[usize::from(field.id)];
                            let to = new.iter().find(|e| e.0 == update.number).unwrap().1;
                            prop_assert_ne!(there[at].1.bits(field), to.bits(field), "{} is equal", field.name());
                        }
                        there[at].1.apply(&fields);
                    }
                    (Change::Fields(fields), Err(at)) => {
                        let mut state = EntityState::ZERO;
                        state.apply(&fields);
                        there.insert(at, (update.number, state));
                    }
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            let new: Vec<_> = new.iter().map(|(n, state)| (*n, **state)).collect();
            prop_assert_eq!(there, new);
        }
    }

    #[test]
    fn gamestates(all in prop::collection::vec((bits(), 0u16..1024), 0..6), client: i32) {
        for d in Dialect::all() {
            let mut gamestate = Gamestate::new(17, client, 4, d);
            let name = Configstring { index: 1, value: Text(b"\\mapname\\q3dm6".to_vec()) };
            gamestate.items.push(GamestateItem::Configstring(name));
            let states: Vec<_> = all.iter().map(|((some, bits), n)| (*n, entity(*some, bits, d))).collect();
            for (number, state) in &states {
                gamestate.items.push(GamestateItem::Baseline(Baseline::new(*number, state, d)));
            }
            let back: Gamestate = reread(&gamestate, d);
            prop_assert_eq!(&back, &gamestate);
            for (baseline, (number, state)) in back.baselines().zip(&states) {
                let mut there = EntityState::ZERO;
                let Change::Fields(fields) = baseline.change else { panic!("{baseline:?}") };
                there.apply(&fields);
                prop_assert_eq!((baseline.number, &there), (*number, state));
            }
        }
    }

    /// A snapshot in which nothing happens tells nothing, in every protocol.
    #[test]
    fn nothing_changed(of_player in bits(), of_entity in bits()) {
        for d in Dialect::all() {
            let (player, entity) = (player(of_player.0, &of_player.1, d), entity(of_entity.0, &of_entity.1, d));
            let entities = [(3, &entity)];
            let snapshot = SnapshotBuilder::new(5, (&player, &player), d)
                .entities(&entities, &entities, &Baselines::default())
                .build();
            prop_assert_eq!(snapshot, Snapshot::new(5, d));
        }
    }
}
