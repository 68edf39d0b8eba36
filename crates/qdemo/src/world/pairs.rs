//! Two lists by number, side by side.

/// Each number that either list has, in order, with what both have of it. Lists are in order of their numbers.
pub(super) fn pairs<'l, T>(
    old: &'l [T],
    new: &'l [T],
    number: impl Fn(&T) -> u16,
) -> impl Iterator<Item = (u16, Option<&'l T>, Option<&'l T>)> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    std::iter::from_fn(move || {
        let next = match (old.peek().map(|e| number(e)), new.peek().map(|e| number(e))) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b)?,
        };
        let both = (old.next_if(|e| number(e) == next), new.next_if(|e| number(e) == next));
        Some((next, both.0, both.1))
    })
}
