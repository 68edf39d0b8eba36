//! Two lists by number, side by side.

use std::cmp::Ordering;

/// Each number that either list has, in order, with what both have of it. Lists are in order of their numbers.
pub(in crate::game) fn pairs<'l, T>(
    mut old: &'l [T],
    mut new: &'l [T],
    number: impl Fn(&T) -> u16,
) -> impl Iterator<Item = (u16, Option<&'l T>, Option<&'l T>)> {
    std::iter::from_fn(move || {
        let (in_old, in_new) = (old.split_first(), new.split_first());
        let order = match (in_old, in_new) {
            (Some((a, _)), Some((b, _))) => number(a).cmp(&number(b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        let a = in_old.filter(|_| order.is_le()).map(|(first, rest)| {
            old = rest;
            first
        });
        let b = in_new.filter(|_| order.is_ge()).map(|(first, rest)| {
            new = rest;
            first
        });
        Some((number(a.or(b)?), a, b))
    })
}
