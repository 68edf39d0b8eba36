//! The games, one module each: names, states, the world of a recording, the events that its messages tell, and what a
//! recording says about itself.
//!
//! What all of them answer alike is in [`world`](crate::world) and [`event`](crate::event); [`replay`](crate::replay) reads
//! a recording of whichever game. Formats are another row: QuakeWorld has two, and so has Quake II.

mod pairs;
pub mod quake;
pub mod quake2;
pub mod quake3;
pub mod quakeworld;
mod split;
pub(crate) use split::split;
mod tally;

pub use tally::{Share, Tally};

use crate::describe::{Body, ByteWire, State};
use crate::wire::ByteWriter;

/// What has a short form and one for what that has no room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShortOrLong<Short, Long> {
    /// The usual form.
    Short(Short),
    /// The one with more room.
    Long(Long),
}

impl<Short, Long> ShortOrLong<Short, Long> {
    /// The message that tells a state alone: the long one only where the short one does not tell all of it.
    fn of<S, W: ByteWire>(state: &S, d: &W::Dialect) -> Self
    where
        S: State<Short, W::Dialect> + State<Long, W::Dialect>,
        Short: for<'a> Body<'a, W>,
    {
        let short: Short = S::diff(&S::ZERO, state, d);
        match short.write(0, &mut ByteWriter::default(), d).is_ok() && S::of(&short, d) == *state {
            true => ShortOrLong::Short(short),
            false => ShortOrLong::Long(S::diff(&S::ZERO, state, d)),
        }
    }
}

/// A struct whose `clone_from` uses the memory of what it replaces again, field by field: seeks do so.
macro_rules! cloned_in_place {
    ($(#[$meta:meta])* $vis:vis struct $ty:ident { $($(#[$of:meta])* $inside:vis $field:ident: $fty:ty,)* }) => {
        $(#[$meta])*
        $vis struct $ty {
            $($(#[$of])* $inside $field: $fty,)*
        }

        impl Clone for $ty {
            fn clone(&self) -> Self {
                $ty { $($field: self.$field.clone(),)* }
            }
            fn clone_from(&mut self, from: &Self) {
                $(self.$field.clone_from(&from.$field);)*
            }
        }
    };
}
pub(crate) use cloned_in_place;

/// Parts of two worlds that are compared, by name: a struct of what a world shows, and the fields that differ.
macro_rules! compared {
    ($($(#[doc = $doc:literal])* struct $ty:ident<$life:lifetime> { $($field:ident: $fty:ty,)* })*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, PartialEq)]
        struct $ty<$life> {
            $($field: $fty,)*
        }

        impl $ty<'_> {
            /// The parts in which another world differs.
            #[allow(dead_code, reason = "a struct within another is compared as a whole")]
            fn differences(&self, other: &Self) -> Vec<&'static str> {
                let parts = [$((stringify!($field), self.$field == other.$field)),*];
                parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
            }
        }
    )*};
}
pub(crate) use compared;

/// A list, which is left out where it is the `same` in another world: see [`Scene::own_beside`](crate::world::Scene::own_beside).
fn unless<T>(same: bool, list: impl Iterator<Item = T>) -> Vec<T> {
    if same { Vec::new() } else { list.collect() }
}
