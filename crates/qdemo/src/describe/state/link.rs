//! How fields of messages tell fields of states.

use crate::describe::ByteOrShort;
use crate::dialect::Dialect;

/// How a field `W` of a message tells a value `T` of a state.
pub trait Link<W, T> {
    /// Takes over what was sent.
    fn apply(sent: &W, to: &mut T, d: &Dialect);
    /// What to send for `to` where `from` is known.
    fn diff(from: &T, to: &T, d: &Dialect) -> W;
}

/// A wire type that holds a value of type `T`.
pub trait Carries<T>: Copy {
    /// The value.
    fn value(self) -> T;
    /// The wire type for a value.
    fn of(value: T) -> Self;
}

impl<T: Copy> Carries<T> for T {
    #[inline(always)]
    fn value(self) -> T {
        self
    }
    #[inline(always)]
    fn of(value: T) -> Self {
        value
    }
}

/// Wire types around a value.
macro_rules! carries {
    ($($wire:ident($value:ty);)*) => {$(
        impl $crate::describe::Carries<$value> for $wire {
            #[inline(always)]
            fn value(self) -> $value {
                self.0
            }
            #[inline(always)]
            fn of(value: $value) -> Self {
                $wire(value)
            }
        }
    )*};
}
pub(crate) use carries;

carries! { ByteOrShort(u16); }

/// What is sent replaces what was known; what is not sent stays.
#[derive(Debug)]
pub struct Plain;

impl<W: Carries<T>, T: Copy + PartialEq> Link<Option<W>, T> for Plain {
    #[inline(always)]
    fn apply(sent: &Option<W>, to: &mut T, _: &Dialect) {
        if let Some(sent) = sent {
            *to = W::value(*sent);
        }
    }
    #[inline]
    fn diff(from: &T, to: &T, _: &Dialect) -> Option<W> {
        (from != to).then(|| W::of(*to))
    }
}

/// Three values, each sent or not.
impl<W, T> Link<[Option<W>; 3], [T; 3]> for Plain
where
    Plain: Link<Option<W>, T>,
{
    #[inline(always)]
    fn apply(sent: &[Option<W>; 3], to: &mut [T; 3], d: &Dialect) {
        for axis in 0..3 {
            <Plain as Link<_, _>>::apply(&sent[axis], &mut to[axis], d);
        }
    }
    #[inline]
    fn diff(from: &[T; 3], to: &[T; 3], d: &Dialect) -> [Option<W>; 3] {
        std::array::from_fn(|axis| Plain::diff(&from[axis], &to[axis], d))
    }
}

/// The same in three fields.
impl<W: Copy, T> Link<(Option<W>, Option<W>, Option<W>), [T; 3]> for Plain
where
    Plain: Link<Option<W>, T>,
{
    #[inline(always)]
    fn apply((x, y, z): &(Option<W>, Option<W>, Option<W>), to: &mut [T; 3], d: &Dialect) {
        <Plain as Link<[Option<W>; 3], _>>::apply(&[*x, *y, *z], to, d);
    }
    #[inline]
    fn diff(from: &[T; 3], to: &[T; 3], d: &Dialect) -> (Option<W>, Option<W>, Option<W>) {
        <Plain as Link<[Option<W>; 3], _>>::diff(from, to, d).into()
    }
}

/// A flag, as each message tells it.
impl Link<bool, bool> for Plain {
    #[inline(always)]
    fn apply(sent: &bool, to: &mut bool, _: &Dialect) {
        *to = *sent;
    }
    #[inline]
    fn diff(_: &bool, to: &bool, _: &Dialect) -> bool {
        *to
    }
}

/// A flag that stays once it was sent.
#[derive(Debug)]
pub struct Sticky;

impl Link<bool, bool> for Sticky {
    #[inline(always)]
    fn apply(sent: &bool, to: &mut bool, _: &Dialect) {
        *to |= *sent;
    }
    #[inline]
    fn diff(from: &bool, to: &bool, _: &Dialect) -> bool {
        *to && !*from
    }
}

/// A field that every message has.
#[derive(Debug)]
pub struct Whole;

impl<W: Carries<T>, T: Copy> Link<W, T> for Whole {
    #[inline(always)]
    fn apply(sent: &W, to: &mut T, _: &Dialect) {
        *to = W::value(*sent);
    }
    #[inline]
    fn diff(_: &T, to: &T, _: &Dialect) -> W {
        W::of(*to)
    }
}

/// A value that may be there or not: it is not sent to take it away.
#[derive(Debug)]
pub struct Optional;

impl<W: Carries<T>, T: Copy + PartialEq> Link<Option<W>, Option<T>> for Optional {
    #[inline(always)]
    fn apply(sent: &Option<W>, to: &mut Option<T>, _: &Dialect) {
        if let Some(sent) = sent {
            *to = Some(W::value(*sent));
        }
    }
    #[inline]
    fn diff(from: &Option<T>, to: &Option<T>, _: &Dialect) -> Option<W> {
        to.filter(|_| from != to).map(W::of)
    }
}
