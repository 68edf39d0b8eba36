//! Which messages of one moment differ.

use std::collections::HashSet;

use serde_json::Value;

use super::align::longest;
use super::fields::{Field, differences};
use super::meaning::Class;
use super::{Change, Place};

/// A message as it is compared.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) class: Class,
    pub(super) name: &'static str,
    pub(super) print: u64,
    pub(super) block: u64,
    pub(super) json: Value,
}

/// A message that differs: those of either side that it is about.
#[derive(Debug)]
pub(super) struct Differs {
    pub(super) change: Change,
    pub(super) class: Class,
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
}

/// Lists up to this product of lengths are compared in full.
const SMALL: usize = 1 << 22;
/// Fields of a message that are named.
const FIELDS: usize = 64;

/// The messages of one moment that differ, in order.
pub(super) fn compare(a: &[Said], b: &[Said]) -> Vec<Differs> {
    let prints = |all: &[Said]| all.iter().map(|said| said.print).collect::<Vec<_>>();
    let (left, right) = (prints(a), prints(b));
    let same = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let (left, right) = (left.get(same..).unwrap_or_default(), right.get(same..).unwrap_or_default());
    let ends = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let left = left.get(..left.len() - ends).unwrap_or_default();
    let right = right.get(..right.len() - ends).unwrap_or_default();
    let pairs = if left.len().saturating_mul(right.len()) <= SMALL { longest(left, right) } else { Vec::new() };
    let (in_a, in_b): (HashSet<u64>, HashSet<u64>) = (left.iter().copied().collect(), right.iter().copied().collect());
    let mut only_a: Vec<usize> = Vec::new();
    let mut only_b: Vec<usize> = Vec::new();
    let mut found: Vec<Differs> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (to_a, to_b) in pairs.into_iter().chain([(left.len(), right.len())]) {
        // Within a gap messages of the same kind are the same ones, changed.
        let mut free: Vec<usize> = (j..to_b).map(|n| n + same).collect();
        for n in (i..to_a).map(|n| n + same) {
            let Some(said) = a.get(n) else { continue };
            let kin = |m: &&usize| b.get(**m).is_some_and(|other| other.name == said.name);
            // What stands elsewhere as it is was moved, not changed.
            let stays =
                |m: &usize| !in_b.contains(&said.print) && b.get(*m).is_some_and(|other| !in_a.contains(&other.print));
            match free.iter().find(kin).copied().filter(stays) {
                Some(m) => {
                    free.retain(|other| *other != m);
                    found.push(Differs { change: Change::Changed, class: said.class, a: Some(n), b: Some(m) });
                }
                None => only_a.push(n),
            }
        }
        only_b.extend(free);
        (i, j) = (to_a + 1, to_b + 1);
    }
    for n in only_a {
        let Some(said) = a.get(n) else { continue };
        let moved = only_b.iter().position(|m| b.get(*m).is_some_and(|other| other.print == said.print));
        let kin = || only_b.iter().position(|m| b.get(*m).is_some_and(|other| other.name == said.name));
        let (change, other) = match (moved, said.class) {
            (Some(at), _) => (Change::Moved, Some(only_b.remove(at))),
            // Wherever it stands, it is what the state of this moment was made of.
            (None, Class::State) => match kin() {
                Some(at) => (Change::Changed, Some(only_b.remove(at))),
                None => (Change::Removed, None),
            },
            (None, _) => (Change::Removed, None),
        };
        found.push(Differs { change, class: said.class, a: Some(n), b: other });
    }
    let added = only_b.into_iter().filter_map(|m| Some((m, b.get(m)?.class)));
    found.extend(added.map(|(m, class)| Differs { change: Change::Added, class, a: None, b: Some(m) }));
    found.sort_by_key(|differs| (differs.a.or(differs.b), differs.b));
    found
}

/// The fields in which a message differs; of one that is only in one recording all its fields.
pub(super) fn fields(a: Option<&Said>, b: Option<&Said>) -> Vec<Field> {
    let empty = Value::Object(serde_json::Map::new());
    let json = |said: Option<&Said>| said.map_or_else(|| empty.clone(), |said| said.json.clone());
    let (a, b) = (json(a), json(b));
    let found = differences(&a, &b, FIELDS, &|path| path != "message");
    match found.is_empty() && a != b {
        true => vec![Field { path: String::new(), a: Some(a), b: Some(b) }],
        false => found,
    }
}

/// The place of a message: the time of its moment, and its own block.
pub(super) fn place(now: Place, said: Option<&Said>) -> Place {
    Place { block: said.map_or(now.block, |said| said.block), ..now }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(all: &[(&'static str, u64)]) -> Vec<Said> {
        let one = |&(name, print): &(&'static str, u64)| Said {
            class: Class::Told,
            name,
            print,
            block: 0,
            json: Value::Null,
        };
        all.iter().map(one).collect()
    }

    fn found(a: &[(&'static str, u64)], b: &[(&'static str, u64)]) -> Vec<(Change, Option<usize>, Option<usize>)> {
        compare(&said(a), &said(b)).iter().map(|differs| (differs.change, differs.a, differs.b)).collect()
    }

    #[test]
    fn messages_that_differ_are_found() {
        let a = [("print", 1), ("sound", 2), ("print", 3)];
        assert_eq!(found(&a, &a), []);
        assert_eq!(found(&a, &[("print", 1), ("sound", 9), ("print", 3)]), [(Change::Changed, Some(1), Some(1))]);
        assert_eq!(found(&a, &[("print", 1), ("print", 3)]), [(Change::Removed, Some(1), None)]);
        assert_eq!(
            found(&a, &[("print", 1), ("sound", 2), ("print", 3), ("print", 3)]),
            [(Change::Added, None, Some(3))]
        );
        assert_eq!(found(&a, &[("sound", 2), ("print", 1), ("print", 3)]).len(), 1);
        assert_eq!(found(&a, &[("sound", 2), ("print", 1), ("print", 3)])[0].0, Change::Moved);
        // One goes, and another of its kind stays as it was.
        assert_eq!(found(&[("print", 1), ("print", 2)], &[("print", 2)]), [(Change::Removed, Some(0), None)]);
    }
}
