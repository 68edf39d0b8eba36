//! Messages without a mask.

/// A plain message: all fields, always. `inline` messages have at most one field and are shown as `name value;`.
/// One of several formats is `pub shared struct`.
macro_rules! message {
    ($(#[doc = $doc:literal])* pub shared struct $($rest:tt)*) => {
        message! {
            @on [Wire: $crate::describe::ByteWire<Dialect: $crate::describe::ByteDialect>]
            $(#[doc = $doc])* pub struct $($rest)*
        }
    };
    ($(#[doc = $doc:literal])* pub struct $($rest:tt)*) => {
        message! { @on [] $(#[doc = $doc])* pub struct $($rest)* }
    };
    (
        @on [$($wire:tt)*]
        $(#[doc = $doc:literal])*
        pub struct $ty:ident $(<$lt:lifetime>)? = $text:literal $(as $lmpc:literal)?, $shape:ident {
            $($(#[doc = $fdoc:literal])* $field:ident $(as $flmpc:literal)? : $fty:ty $(, $kind:ident)?;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct $ty $(<$lt>)? {
            $($(#[doc = $fdoc])* pub $field: $fty,)*
        }

        $crate::wire::into_owned!($ty $(<$lt>)? { $($field),* });

        impl<'a, $($wire)*> $crate::describe::Body<'a, Wire> for $ty $(<$lt>)? {
            const NAME: Name = message!(@name $text $($lmpc)?);
            const SCHEMA: $crate::describe::Schema = $crate::describe::Schema {
                name: $text,
                lmpc: <Self as $crate::describe::Body<'a, Wire>>::NAME.lmpc,
                doc: concat!($($doc, "\n"),*).trim_ascii(),
                inline: message!(@shape $shape),
                masked: false,
                fields: &[$(field_schema!($fty, name_of!($field $($flmpc)?), concat!($($fdoc),*); $($kind)?)),*],
            };
            #[inline]
            fn read(id: u8, r: &mut <Wire as $crate::describe::Wire>::Reader<'a>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Fault> {
                let _ = (&r, d, id);
                Ok($ty { $($field: message!(@read $fty, r, d, id; $($kind)?)
                    .map_err(|f| f.in_field(stringify!($field)))?,)* })
            }
            #[inline]
            fn write(&self, id: u8, w: &mut <Wire as $crate::describe::Wire>::Writer, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<(), Fault> {
                let _ = d;
                w.u8(id $(| message!(@number self.$field; $($kind)?))*);
                $(field_write!($fty, self.$field, w, d, 0; $($kind)?).map_err(|f| f.in_field(stringify!($field)))?;)*
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, s: &mut S) {
                s.open(<Self as $crate::describe::Body<'a, Wire>>::NAME, message!(@shape $shape));
                $(field_show!($fty, self.$field, name_of!($field $($flmpc)?), s; $($kind)?);)*
                s.close();
            }
            fn parse(f: &mut Fields<'a, '_>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Mistake> {
                let _ = (&f, d);
                Ok($ty { $($field: field_parse!($fty, name_of!($field $($flmpc)?), f, d; $($kind)?),)* })
            }
        }
    };
    (@read $ty:ty, $r:ident, $d:ident, $id:ident; number) => { Ok::<$ty, Fault>(<$ty>::of_number($id)) };
    (@read $ty:ty, $r:ident, $d:ident, $id:ident; $($kind:tt)*) => { field_read!($ty, $r, $d, 0; $($kind)*) };
    (@number $v:expr; number) => { $v.in_number() };
    (@number $v:expr; $($other:tt)*) => { 0u8 };
    (@shape inline) => { true };
    (@shape block) => { false };
    (@name $text:literal) => { Name::new($text) };
    (@name $text:literal $lmpc:literal) => { Name::with($text, $lmpc) };
}

/// A message whose first fields decide which of the others are there: `select` maps them to the bits of the rest.
macro_rules! selected {
    (
        $(#[doc = $doc:literal])*
        pub struct $ty:ident $(<$lt:lifetime>)? = $text:literal $(as $lmpc:literal)?, select $select:path {
            $($(#[doc = $hdoc:literal])* $head:ident $(as $hlmpc:literal)? : $hty:ty;)*
        } then {
            $($(#[doc = $fdoc:literal])* $field:ident $(as $flmpc:literal)? : $fty:ty, $kind:ident $($n:literal)?;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct $ty $(<$lt>)? {
            $($(#[doc = $hdoc])* pub $head: $hty,)*
            $($(#[doc = $fdoc])* pub $field: field_type!($fty; $kind $($n)?),)*
        }

        $crate::wire::into_owned!($ty $(<$lt>)? { $($head,)* $($field $kind),* });

        impl $(<$lt>)? $ty $(<$lt>)? {
            /// Shows the fields without the message around them.
            pub(crate) fn show_fields<S: Sink>(&self, s: &mut S) {
                $(<$hty as Field<'_, Wire>>::show(&self.$head, name_of!($head $($hlmpc)?), s);)*
                $(field_show!($fty, self.$field, name_of!($field $($flmpc)?), s; $kind $($n)?);)*
            }

            /// Writes the fields that are there, whether or not the first of them ask for these; `mask` chooses between
            /// forms of a field.
            pub(crate) fn write_as_given(&self, id: u8, mask: u64, w: &mut ByteWriter, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<(), Fault> {
                let _ = mask;
                w.u8(id);
                $(<$hty as Field<'_, Wire>>::write(&self.$head, w, d).map_err(|f| f.in_field(stringify!($head)))?;)*
                $(field_write!($fty, self.$field, w, d, mask; $kind $($n)?)
                    .map_err(|f| f.in_field(stringify!($field)))?;)*
                Ok(())
            }
        }

        impl<'a> $crate::describe::Body<'a, Wire> for $ty $(<$lt>)? {
            const NAME: Name = message!(@name $text $($lmpc)?);
            const SCHEMA: $crate::describe::Schema = $crate::describe::Schema {
                name: $text,
                lmpc: Self::NAME.lmpc,
                doc: concat!($($doc, "\n"),*).trim_ascii(),
                inline: false,
                masked: false,
                fields: &[
                    $(field_schema!($hty, name_of!($head $($hlmpc)?), concat!($($hdoc),*); always),)*
                    $(selected!(@schema $fty, name_of!($field $($flmpc)?), concat!($($fdoc),*); $kind)),*
                ],
            };
            fn read(_id: u8, r: &mut ByteReader<'a>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Fault> {
                let at = r.pos();
                $(let $head = <$hty as Field<'_, Wire>>::read(r, d).map_err(|f| f.in_field(stringify!($head)))?;)*
                let mask: u64 = $select($(&$head,)* d).map_err(|what| Fault::new(what, at))?;
                Ok($ty {
                    $($field: field_read!($fty, r, d, mask; $kind $($n)?)
                        .map_err(|f| f.in_field(stringify!($field)))?,)*
                    $($head,)*
                })
            }
            fn write(&self, id: u8, w: &mut ByteWriter, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<(), Fault> {
                let mask: u64 = $select($(&self.$head,)* d).map_err(|what| Fault::new(what, 0))?;
                let bits: u64 = 0 $(| field_bits!(self.$field, d; $kind $($n)?))*;
                // Bits that only choose between forms of a field are no data.
                let data: u64 = 0 $(| field_bits!(data $fty; $kind $($n)?))*;
                if (mask ^ bits) & data != 0 {
                    return Err(Fault::unwritable("its type asks for other fields than those given"));
                }
                self.write_as_given(id, mask, w, d)
            }
            fn show<S: Sink>(&self, s: &mut S) {
                s.open(Self::NAME, false);
                self.show_fields(s);
                s.close();
            }
            fn parse(f: &mut Fields<'a, '_>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Mistake> {
                Ok($ty {
                    $($head: <$hty as Field<'_, Wire>>::parse(f, name_of!($head $($hlmpc)?), d)?,)*
                    $($field: field_parse!($fty, name_of!($field $($flmpc)?), f, d; $kind $($n)?),)*
                })
            }
        }
    };
    (@schema $fty:ty, $name:expr, $doc:expr; bit) => { field_schema!($fty, $name, $doc; selected) };
    (@schema $fty:ty, $name:expr, $doc:expr; $($other:tt)*) => { field_schema!($fty, $name, $doc; always) };
}

pub(crate) use {message, selected};
