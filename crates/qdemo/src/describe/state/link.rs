//! How fields of messages tell fields of states.

use std::marker::PhantomData;

use crate::describe::ByteOrShort;
use crate::wire::F32;

/// How a field `W` of a message, or several, tell a value `T` of a state.
pub trait Link<W, T, D> {
    /// Takes over what was sent.
    fn apply(sent: &W, to: &mut T, d: &D);
    /// What to send for `to` where `from` is known.
    fn diff(from: &T, to: &T, d: &D) -> W;
}

/// A wire type that carries a value.
pub trait Carries<T, D>: Sized {
    /// The value, where `before` was known.
    fn value(&self, before: &T, d: &D) -> T;
    /// The wire type of a value, for those who know `before`.
    fn of(value: &T, before: &T, d: &D) -> Self;
}

/// Wire types that carry what is in them, and those that carry themselves.
macro_rules! carries {
    ($($wire:ident $(($value:ty))?;)*) => {$(carries! { @one $wire $(($value))? })*};
    (@one $wire:ident) => { carries! { @impl $wire, $wire, |wire| wire, |value| value } };
    (@one $wire:ident ($value:ty)) => { carries! { @impl $wire, $value, |wire| wire.0, $wire } };
    (@impl $wire:ident, $value:ty, $get:expr, $of:expr) => {
        impl<D> $crate::describe::Carries<$value, D> for $wire {
            #[inline(always)]
            fn value(&self, _: &$value, _: &D) -> $value {
                let get: fn($wire) -> $value = $get;
                get(*self)
            }
            #[inline(always)]
            fn of(value: &$value, _: &$value, _: &D) -> Self {
                let of: fn($value) -> $wire = $of;
                of(*value)
            }
        }
    };
}
pub(crate) use carries;

carries! {
    u8;
    u16;
    u32;
    i16;
    F32;
    ByteOrShort(u16);
}

/// Three that are sent together.
impl<T, W: Carries<T, D>, D> Carries<[T; 3], D> for [W; 3] {
    #[inline(always)]
    fn value(&self, before: &[T; 3], d: &D) -> [T; 3] {
        std::array::from_fn(|n| self[n].value(&before[n], d))
    }
    fn of(value: &[T; 3], before: &[T; 3], d: &D) -> Self {
        std::array::from_fn(|n| W::of(&value[n], &before[n], d))
    }
}

/// What is sent replaces what was known; what is not sent stays.
#[derive(Debug)]
pub struct Plain;

impl<W: Carries<T, D>, T: PartialEq, D> Link<Option<W>, T, D> for Plain {
    #[inline(always)]
    fn apply(sent: &Option<W>, to: &mut T, d: &D) {
        if let Some(sent) = sent {
            *to = sent.value(to, d);
        }
    }
    fn diff(from: &T, to: &T, d: &D) -> Option<W> {
        (from != to).then(|| W::of(to, from, d))
    }
}

/// Three values, each sent or not.
impl<W: Carries<T, D>, T: PartialEq, D> Link<[Option<W>; 3], [T; 3], D> for Plain {
    #[inline(always)]
    fn apply(sent: &[Option<W>; 3], to: &mut [T; 3], d: &D) {
        sent.iter().zip(to).for_each(|(sent, to)| Plain::apply(sent, to, d));
    }
    fn diff(from: &[T; 3], to: &[T; 3], d: &D) -> [Option<W>; 3] {
        std::array::from_fn(|n| Plain::diff(&from[n], &to[n], d))
    }
}

/// The same in three fields.
impl<W: Carries<T, D> + Copy, T: PartialEq, D> Link<(Option<W>, Option<W>, Option<W>), [T; 3], D> for Plain {
    #[inline(always)]
    fn apply((x, y, z): &(Option<W>, Option<W>, Option<W>), to: &mut [T; 3], d: &D) {
        Plain::apply(&[*x, *y, *z], to, d);
    }
    fn diff(from: &[T; 3], to: &[T; 3], d: &D) -> (Option<W>, Option<W>, Option<W>) {
        <Plain as Link<[Option<W>; 3], _, D>>::diff(from, to, d).into()
    }
}

/// A flag, as each message tells it.
impl<D> Link<bool, bool, D> for Plain {
    #[inline(always)]
    fn apply(sent: &bool, to: &mut bool, _: &D) {
        *to = *sent;
    }
    fn diff(_: &bool, to: &bool, _: &D) -> bool {
        *to
    }
}

/// A flag that stays once it was sent.
#[derive(Debug)]
pub struct Sticky;

impl<D> Link<bool, bool, D> for Sticky {
    #[inline(always)]
    fn apply(sent: &bool, to: &mut bool, _: &D) {
        *to |= *sent;
    }
    fn diff(from: &bool, to: &bool, _: &D) -> bool {
        *to && !*from
    }
}

/// A field that every message has.
#[derive(Debug)]
pub struct Whole;

impl<W: Carries<T, D>, T, D> Link<W, T, D> for Whole {
    #[inline(always)]
    fn apply(sent: &W, to: &mut T, d: &D) {
        *to = sent.value(to, d);
    }
    fn diff(from: &T, to: &T, d: &D) -> W {
        W::of(to, from, d)
    }
}

/// A value that may be there or not: no message takes it away.
#[derive(Debug)]
pub struct Optional;

impl<W: Carries<T, D>, T: Copy + PartialEq + Default, D> Link<Option<W>, Option<T>, D> for Optional {
    #[inline(always)]
    fn apply(sent: &Option<W>, to: &mut Option<T>, d: &D) {
        if let Some(sent) = sent {
            *to = Some(sent.value(&to.unwrap_or_default(), d));
        }
    }
    fn diff(from: &Option<T>, to: &Option<T>, d: &D) -> Option<W> {
        to.filter(|_| from != to).map(|to| W::of(&to, &from.unwrap_or_default(), d))
    }
}

/// A rare field in memory of its own.
#[derive(Debug)]
pub struct Boxed;

impl<W: Carries<T, D>, T: PartialEq, D> Link<Option<Box<W>>, T, D> for Boxed {
    #[inline(always)]
    fn apply(sent: &Option<Box<W>>, to: &mut T, d: &D) {
        if let Some(sent) = sent {
            *to = sent.value(to, d);
        }
    }
    fn diff(from: &T, to: &T, d: &D) -> Option<Box<W>> {
        (from != to).then(|| Box::new(W::of(to, from, d)))
    }
}

/// Some dialects.
pub trait Condition<D> {
    /// True for one of them.
    fn holds(d: &D) -> bool;
}

/// All other dialects.
#[derive(Debug)]
pub struct Not<C>(PhantomData<C>);

impl<C: Condition<D>, D> Condition<D> for Not<C> {
    fn holds(d: &D) -> bool {
        !C::holds(d)
    }
}

/// A field that only some dialects send: others tell the value in another one.
#[derive(Debug)]
pub struct Where<C, L = Plain>(PhantomData<(C, L)>);

impl<W, T, C: Condition<D>, L: Link<W, T, D>, D> Link<W, T, D> for Where<C, L> {
    #[inline(always)]
    fn apply(sent: &W, to: &mut T, d: &D) {
        L::apply(sent, to, d);
    }
    fn diff(from: &T, to: &T, d: &D) -> W {
        L::diff(if C::holds(d) { from } else { to }, to, d)
    }
}
