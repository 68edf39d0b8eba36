//! What stands around messages: headers of blocks, and parts of packets that are no messages.

/// Declares such a part: its fields in wire order, on bytes. Conditions: none; `when (EXPRESSION)`: on the wire where
/// that holds of the fields in front, else the default of its type; `behind`: text has it behind the messages; `group`:
/// text has several words for it, which its type lists as `FIELDS`.
macro_rules! packet {
    (
        $(#[doc = $doc:literal])*
        pub struct $ty:ident {
            $($(#[doc = $fdoc:literal])* $field:ident $(as $flmpc:literal)? : $fty:ty $(, $kind:ident $(($when:expr))?)?;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $ty {
            $($(#[doc = $fdoc])* pub $field: $fty,)*
        }

        impl $crate::describe::Part for $ty {
            const FIELDS: &'static [&'static [$crate::describe::FieldSchema]] = &[$(
                packet!(@schema $fty, name_of!($field $($flmpc)?), concat!($($fdoc),*); $($kind)?),
            )*];
            #[inline]
            fn read(r: &mut ByteReader<'_>) -> Result<Self, Fault> {
                $(let $field: $fty = packet!(@read $fty, r; $($kind $(($when))?)?)
                    .map_err(|f: Fault| f.in_field(stringify!($field)))?;)*
                Ok($ty { $($field,)* })
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter) -> Result<(), Fault> {
                let $ty { $($field,)* } = *self;
                $(packet!(@write $fty, $field, w; $($kind $(($when))?)?)
                    .map_err(|f: Fault| f.in_field(stringify!($field)))?;)*
                Ok(())
            }
            #[inline]
            fn show_front<S: Sink>(&self, s: &mut S, name: fn(Name) -> Name) {
                let $ty { $($field,)* } = *self;
                $(packet!(@front $fty, $field, name(name_of!($field $($flmpc)?)), s; $($kind $(($when))?)?);)*
            }
            fn show_behind<S: Sink>(&self, s: &mut S) {
                let $ty { $($field,)* } = *self;
                $(packet!(@behind $fty, $field, name_of!($field $($flmpc)?), s; $($kind)?);)*
            }
            fn parse(f: &mut Fields<'_, '_>, name: fn(Name) -> Name) -> Result<Self, Mistake> {
                $(let $field: $fty = packet!(@parse $fty, name(name_of!($field $($flmpc)?)), f; $($kind $(($when))?)?);)*
                Ok($ty { $($field,)* })
            }
        }
    };
    (@schema $ty:ty, $name:expr, $doc:expr; group) => { <$ty>::FIELDS };
    (@schema $ty:ty, $name:expr, $doc:expr; when) => { field_schema!(@one <$ty as Field<'_, $crate::describe::PlainBytes>>::TYPE, $name, $doc, Selected) };
    (@schema $ty:ty, $name:expr, $doc:expr; $($other:tt)*) => { field_schema!(@one <$ty as Field<'_, $crate::describe::PlainBytes>>::TYPE, $name, $doc, Always) };
    (@read $ty:ty, $r:ident; when ($when:expr)) => {
        if $when { <$ty as Field<'_, $crate::describe::PlainBytes>>::read($r, &()) } else { Ok(<$ty>::default()) }
    };
    (@read $ty:ty, $r:ident; $($other:tt)*) => { <$ty as Field<'_, $crate::describe::PlainBytes>>::read($r, &()) };
    (@write $ty:ty, $v:ident, $w:ident; when ($when:expr)) => {
        if $when { <$ty as Field<'_, $crate::describe::PlainBytes>>::write(&$v, $w, &()) } else { Ok(()) }
    };
    (@write $ty:ty, $v:ident, $w:ident; $($other:tt)*) => { <$ty as Field<'_, $crate::describe::PlainBytes>>::write(&$v, $w, &()) };
    (@front $ty:ty, $v:ident, $name:expr, $s:ident; behind) => { let _ = $v; };
    (@front $ty:ty, $v:ident, $name:expr, $s:ident; when ($when:expr)) => {
        if $when { <$ty as Field<'_, $crate::describe::PlainBytes>>::show(&$v, $name, $s) }
    };
    (@front $ty:ty, $v:ident, $name:expr, $s:ident; $($other:tt)*) => { <$ty as Field<'_, $crate::describe::PlainBytes>>::show(&$v, $name, $s) };
    (@behind $ty:ty, $v:ident, $name:expr, $s:ident; behind) => { <$ty as Field<'_, $crate::describe::PlainBytes>>::show(&$v, $name, $s) };
    (@behind $ty:ty, $v:ident, $name:expr, $s:ident; $($other:tt)*) => { let _ = ($v, &$s); };
    (@parse $ty:ty, $name:expr, $f:ident; when ($when:expr)) => {
        if $when { <$ty as Field<'_, $crate::describe::PlainBytes>>::parse($f, $name, &())? } else { <$ty>::default() }
    };
    (@parse $ty:ty, $name:expr, $f:ident; $($other:tt)*) => { <$ty as Field<'_, $crate::describe::PlainBytes>>::parse($f, $name, &())? };
}

pub(crate) use packet;
