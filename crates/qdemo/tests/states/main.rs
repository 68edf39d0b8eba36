//! States and messages lead to each other, in every dialect: a message is the difference of two states, and the state
//! that it leads to is the same bit for bit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod quake;
mod quake2;
mod quake3;
mod quakeworld;
mod scalars;

use std::fmt::Debug;

use proptest::prelude::*;
use qdemo::describe::{Body, State, StateValue};
use qdemo::dialect::Dialect;
use qdemo::wire::{ByteReader, ByteWriter};

/// Bytes to read states from: any, and numbers that are easily mistaken: -0.0, infinity, NaNs, 1, -1, powers of two.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    const ODD: [u32; 10] = [
        0x8000_0000,
        0x7F80_0000,
        0x7FC0_0000,
        0xFF80_0001,
        0x7FA0_1234,
        0x3F80_0000,
        1,
        u32::MAX,
        0x8080_8080,
        0x0100_00FF,
    ];
    let part = prop_oneof![
        3 => any::<u32>().prop_map(|v| v.to_le_bytes()),
        2 => prop::sample::select(&ODD[..]).prop_map(u32::to_le_bytes),
        1 => Just([0; 4]),
    ];
    prop::collection::vec(part, 20..100).prop_map(|parts| parts.concat())
}

/// Messages of one kind, as long as the bytes read as such.
struct Told<'b> {
    r: ByteReader<'b>,
    d: Dialect,
}

impl<'b> Told<'b> {
    fn new(bytes: &'b [u8], d: &Dialect) -> Self {
        Told { r: ByteReader::new(bytes), d: *d }
    }

    /// The next message; one of zeros when the bytes are over.
    fn next<M: Body<'b>>(&mut self) -> Option<M> {
        let id = self.r.u8().unwrap_or(0);
        M::read(id, &mut self.r, &self.d).ok()
    }
}

/// The fields that messages read from random bytes tell, in any of some dialects: the other tests are about these.
fn told<'s, S: State<M>, M: for<'a> Body<'a>>(dialects: &[Dialect]) -> Vec<&'static str> {
    let mut random = 0x1234_5678_9ABC_DEF1_u64;
    let mut bits = 0;
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..200)
            .map(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (random >> 56) as u8
            })
            .collect();
        let all = dialects.iter().filter_map(|d| Told::new(&bytes, d).next::<M>());
        bits |= all.fold(0, |bits, m| bits | S::told(&m));
    }
    let fields = S::FIELDS.iter().enumerate();
    fields.filter(|(n, _)| bits >> n & 1 == 1).map(|(_, field)| field.name).collect()
}

/// All fields of a state but some.
fn all_but<S: StateValue>(others: &[&str]) -> Vec<&'static str> {
    S::FIELDS.iter().map(|field| field.name).filter(|name| !others.contains(name)).collect()
}

/// Bits of fields, by their names.
fn fields<S: StateValue>(names: &[&str]) -> u64 {
    let all = S::FIELDS.iter().enumerate();
    all.filter(|(_, field)| names.contains(&field.name)).fold(0, |bits, (n, _)| bits | 1 << n)
}

/// What leads from one state to another does, tells only what differs, and all of that, and can be written. `always` are
/// the fields that every message tells.
fn check<'s, S, M>(from: &S, to: &S, d: &Dialect, always: u64) -> M
where
    S: State<M> + Clone + Debug,
    M: for<'a> Body<'a> + PartialEq + Debug,
{
    let m = S::diff(from, to, d);
    let mut there = from.clone();
    there.apply(&m, d);
    assert_eq!(&there, to, "{}: {m:?} from {from:?}", d.name);
    let told = S::told(&m) & !always;
    assert_eq!(told & !from.differs(to), 0, "{}: {m:?} tells what is equal: {from:?} {to:?}", d.name);
    assert_eq!(from.differs(to) & !(told | always), 0, "{}: {m:?}", d.name);
    assert_eq!(S::told(&S::diff(to, to, d)) & !always, 0, "{}: nothing changed", d.name);
    let mut w = ByteWriter::default();
    m.write(0x7F, &mut w, d).unwrap_or_else(|f| panic!("{}: {f} in {m:?}", d.name));
    m
}

/// The message as it comes back from its bytes: its first one is a number, or part of the mask and a number.
fn reread<'b, M: Body<'b>>(bytes: &'b [u8], d: &Dialect) -> M {
    let mut r = ByteReader::new(bytes);
    let id = r.u8().unwrap();
    let m = M::read(id, &mut r, d).unwrap();
    assert!(r.is_empty());
    m
}
