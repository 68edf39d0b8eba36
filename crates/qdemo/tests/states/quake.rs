//! Quake: entities and base states, the recorder, the player state array.

use proptest::prelude::*;
use qdemo::describe::{Body, State, StateValue};
use qdemo::dialect::{Dialect, Variant};
use qdemo::format::dem::{
    ClientData, SpawnBaseline, SpawnBaseline2, SpawnStaticSound, SpawnStaticSound2, UpdateEntity,
};
use qdemo::wire::ByteWriter;
use qdemo::world::ShortOrLong;
use qdemo::world::dem::{AmbientSound, Client, EntityState};

use super::{Told, all_but, bytes, check, reread, told};

/// Every reading of every protocol, and every encoding of coordinates and angles.
fn dialects() -> Vec<Dialect> {
    let mut all: Vec<_> = Variant::ALL.into_iter().map(Dialect::initial).collect();
    all.push(Dialect::FITZQUAKE);
    all.extend([0, 0x02, 0x04, 0x08, 0x10, 0x80, 0x82, 0x14, 0x0A].map(Dialect::rmq));
    all
}

/// A base state: in the long form where the dialect has that.
fn base(told: &mut Told<'_>, d: &Dialect) -> EntityState {
    let long = d.baseline_bits != 0;
    let long = if long { told.next::<SpawnBaseline2>().map(|m| EntityState::of(&m, d)) } else { None };
    let short = || told.next::<SpawnBaseline>().map(|m| EntityState::of(&m, d));
    long.or_else(short).unwrap_or_else(|| EntityState::zero(d))
}

/// Random messages tell every field that there is in any protocol.
#[test]
fn every_field_is_told() {
    assert_eq!(told::<EntityState, UpdateEntity>(&dialects()), all_but::<EntityState>(&[]));
    assert_eq!(told::<Client, ClientData>(&dialects()), all_but::<Client>(&[]));
}

proptest! {
    #[test]
    fn entities(a in bytes(), b in bytes()) {
        for d in dialects() {
            let from = base(&mut Told::new(&a, &d), &d);
            let mut told = Told::new(&b, &d);
            let mut to = base(&mut told, &d);
            if let Some(m) = told.next::<UpdateEntity>() {
                to.apply(&m, &d);
            }
            let m: UpdateEntity = check(&from, &to, &d, 0);
            let m = UpdateEntity { entity: qdemo::describe::ByteOrShort(7), ..m };
            let mut w = ByteWriter::default();
            m.write(0, &mut w, &d).unwrap();
            prop_assert_eq!(&reread::<UpdateEntity>(w.as_slice(), &d), &m);

            // The base state itself, and an entity that never changes.
            let still = match from.still(&d) {
                ShortOrLong::Short(m) => EntityState::of(&m, &d),
                ShortOrLong::Long(m) => EntityState::of(&m, &d),
            };
            prop_assert_eq!(still, from);
            let mut w = ByteWriter::default();
            match from.baseline(9, &d) {
                ShortOrLong::Short(m) => {
                    m.write(22, &mut w, &d).unwrap();
                    prop_assert_eq!(EntityState::of(&reread::<SpawnBaseline>(w.as_slice(), &d), &d), from);
                }
                ShortOrLong::Long(m) => {
                    m.write(42, &mut w, &d).unwrap();
                    prop_assert_eq!(EntityState::of(&reread::<SpawnBaseline2>(w.as_slice(), &d), &d), from);
                }
            }
        }
    }

    #[test]
    fn recorders(a in bytes(), b in bytes()) {
        for d in dialects() {
            let client = |bytes| Told::new(bytes, &d).next::<ClientData>().map(|m| Client::of(&m, &d));
            let (Some(before), Some(now)) = (client(&a), client(&b)) else { continue };
            let m = now.message(Some(&before), &d);
            let mut w = ByteWriter::default();
            m.write(15, &mut w, &d).unwrap();
            let m = reread::<ClientData>(w.as_slice(), &d);
            let mut told = Client { items: before.items, ..Client::ZERO };
            told.apply(&m, &d);
            prop_assert_eq!(told, now);
            // Nothing is told that is as usual, but for what is always told.
            let always = ["items", "health", "ammo", "shells", "nails", "rockets", "cells", "weapon"];
            for (n, field) in Client::FIELDS.iter().enumerate().filter(|(_, field)| !always.contains(&field.name)) {
                let differs = now.differs(&Client::ZERO) >> n & 1;
                prop_assert_eq!(Client::told(&m) >> n & 1, differs, "{} in {}", field.name, d.name);
            }
        }
    }

    #[test]
    fn ambient_sounds(a in bytes()) {
        for d in dialects() {
            let mut told = Told::new(&a, &d);
            if let Some(m) = told.next::<SpawnStaticSound>() {
                let back: SpawnStaticSound = State::diff(&AmbientSound::ZERO, &AmbientSound::of(&m, &d), &d);
                prop_assert_eq!(back, m);
            }
            if let Some(m) = told.next::<SpawnStaticSound2>() {
                let back: SpawnStaticSound2 = State::diff(&AmbientSound::ZERO, &AmbientSound::of(&m, &d), &d);
                prop_assert_eq!(back, m);
            }
        }
    }
}
