//! States, and which fields of messages tell them.

/// A state, and the messages that tell it. A field line is `name: Type as "key" common, at first (value) = field, field;`
/// with what it needs of that: `as "key"` where JSON has it, `common` where the entities of all games have a word for it,
/// `at first` where that is not the type's own zero. `told!` says what may stand behind `=`.
/// One that any dialect tells alike is `pub shared struct`.
macro_rules! state {
    (
        $(#[doc = $doc:literal])*
        pub shared struct $ty:ident, told by $($message:ident),+ { $($fields:tt)* }
    ) => {
        state!(@state [$($doc)*] $ty { $($fields)* });
        state!(@each $ty [$($message)+] [Dialect] { $($fields)* });
    };
    (
        $(#[doc = $doc:literal])*
        pub struct $ty:ident $(, told by $($message:ident),+)? { $($fields:tt)* }
    ) => {
        state!(@state [$($doc)*] $ty { $($fields)* });
        state!(@each $ty [$($($message)+)?] [] { $($fields)* });
    };
    (@each $ty:ident [$($message:ident)*] $any:tt $fields:tt) => { $(state!(@told $ty $message $any $fields);)* };
    (@told $ty:ident $message:ident $any:tt {
        $($(#[doc = $doc:literal])* $field:ident: $fty:ty $(as $key:literal $($common:ident)?)? $(, at first $first:tt)?
            $(= $($($($path:ident).+)&+ $(in $group:ident)? $(as $link:ty)?),+)?;)*
    }) => {
        told! { @one $ty $message $any { $($($field = $($($($path).+)&+ $(in $group)? $(as $link)?),+;)?)* } }
    };
    (@state [$($tdoc:literal)*] $ty:ident {
        $($(#[doc = $doc:literal])* $field:ident: $fty:ty $(as $key:literal $($common:ident)?)? $(, at first $first:tt)?
            $(= $($($($path:ident).+)&+ $(in $group:ident)? $(as $link:ty)?),+)?;)*
    }) => {
        $(#[doc = $tdoc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $ty {
            $($(#[doc = $doc])* pub $field: $fty,)*
        }

        impl $ty {
            /// The state before anything was told.
            pub const ZERO: Self = $ty {
                $($field: state!(@first $fty; $($first)?),)*
            };
        }

        impl Default for $ty {
            fn default() -> Self {
                Self::ZERO
            }
        }

        impl $crate::describe::StateValue for $ty {
            const ZERO: Self = $ty::ZERO;
            const TYPE: $crate::describe::TypeSchema = $crate::describe::TypeSchema::new("state", "object", "");
            const FIELDS: &'static [$crate::describe::StateField] = &[$($crate::describe::StateField {
                name: stringify!($field),
                key: state!(@key $($key)?),
                common: state!(@common $($($common)?)?),
                doc: concat!($($doc),*).trim_ascii(),
                ty: <$fty as $crate::describe::StateValue>::TYPE,
                told_by: &[$($($(stringify!($($path).+)),+),+)?],
                fields: <$fty as $crate::describe::StateValue>::FIELDS,
            }),*];
            fn differs(&self, other: &Self) -> u64 {
                [$(self.$field != other.$field),*].iter().rev().fold(0, |bits, differs| bits << 1 | u64::from(*differs))
            }
            fn set(&mut self, path: &[&str], value: &serde_json::Value) -> Result<(), $crate::describe::Unset> {
                let mut done = Err($crate::describe::Unset::NoField);
                $(if done == Err($crate::describe::Unset::NoField) {
                    let names = (stringify!($field), state!(@key $($key)?));
                    done = $crate::describe::set_field(&mut self.$field, names, path, value);
                })*
                done
            }
            fn shown(&self) -> Vec<$crate::describe::ShownField> {
                let (mut all, mut fields) = (Vec::new(), Self::FIELDS.iter());
                $(if let Some(field) = fields.next() {
                    $crate::describe::StateValue::show(&self.$field, field, &Self::ZERO.$field, &mut all);
                })*
                all
            }
            fn json(&self) -> serde_json::Value {
                self.shown().into_iter().map(|shown| (shown.key.to_owned(), shown.value)).collect()
            }
        }
    };
    (@first $fty:ty;) => { <$fty as $crate::describe::StateValue>::ZERO };
    (@first $fty:ty; $first:tt) => { $first };
    (@key) => { None };
    (@key $key:literal) => { Some($key) };
    (@common) => { false };
    (@common common) => { true };
}

/// The fields of messages that tell a state: `field = path;`, `path & path` where several tell it together, `path, path`
/// where one of them does, or one after the other; `path in group` for one in an optional group. `as Link` says how,
/// where [`Plain`](crate::describe::Plain) does not.
macro_rules! told {
    ($ty:ident by $($message:ident),+ { $($fields:tt)* }) => { told!(@each $ty [$($message)+] { $($fields)* }); };
    (@each $ty:ident [$($message:ident)+] $fields:tt) => { $(told!(@one $ty $message [] $fields);)+ };
    (@one $ty:ident $message:ident [$($any:ident)?] {
        $($field:ident = $($($($path:ident).+)&+ $(in $group:ident)? $(as $link:ty)?),+;)*
    }) => {
        impl$(<$any>)? $crate::describe::State<$message, Dialect> for $ty {
            #[inline(always)]
            fn apply(&mut self, m: &$message, d: &Dialect) {
                $($(told!(@apply [$($group)?] m, self.$field, d, ($($($path).+)&+), told!(@link $($link)?));)+)*
            }
            fn diff(from: &Self, to: &Self, d: &Dialect) -> $message {
                let mut m = <$message>::default();
                $($(told!(
                    @diff [$($group)?] m, from.$field, to.$field, d, ($($($path).+)&+), told!(@link $($link)?)
                );)+)*
                m
            }
            fn told(m: &$message) -> u64 {
                let bit = |name: &str| {
                    let mut fields = <Self as $crate::describe::StateValue>::FIELDS.iter();
                    fields.position(|field| field.name == name).map_or(0, |n| 1 << n)
                };
                let none = <$message>::default();
                let mut bits = 0;
                $(if $(told!(@told [$($group)?] m, none, ($($($path).+)&+)))||+ {
                    bits |= bit(stringify!($field));
                })*
                bits
            }
        }
    };
    (@link) => { $crate::describe::Plain };
    (@link $link:ty) => { $link };
    (@apply [] $m:ident, $to:expr, $d:ident, ($($($path:ident).+)&+), $link:ty) => {
        <$link as $crate::describe::Link<_, _, Dialect>>::apply(&($($m.$($path).+),+), &mut $to, $d)
    };
    (@apply [$group:ident] $m:ident, $to:expr, $d:ident, $paths:tt, $link:ty) => {
        if let Some(group) = &$m.$group {
            told!(@apply [] group, $to, $d, $paths, $link);
        }
    };
    (@diff [] $m:ident, $from:expr, $to:expr, $d:ident, ($($($path:ident).+)&+), $link:ty) => {
        ($($m.$($path).+),+) = <$link as $crate::describe::Link<_, _, Dialect>>::diff(&$from, &$to, $d)
    };
    (@diff [$group:ident] $m:ident, $from:expr, $to:expr, $d:ident, $paths:tt, $link:ty) => {
        let mut group = $m.$group.take().unwrap_or_default();
        told!(@diff [] group, $from, $to, $d, $paths, $link);
        $m.$group = Some(group).filter(|group| **group != Default::default());
    };
    (@told [] $m:ident, $none:ident, ($($($path:ident).+)&+)) => { $($m.$($path).+ != $none.$($path).+)||+ };
    (@told [$group:ident] $m:ident, $none:ident, $paths:tt) => {
        $m.$group.as_ref().is_some_and(|group| {
            let mut none = group.clone();
            *none = Default::default();
            told!(@told [] group, none, $paths)
        })
    };
}

pub(crate) use {state, told};
