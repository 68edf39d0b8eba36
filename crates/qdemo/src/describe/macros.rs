//! The declaration macros. Each takes a message's fields once and yields struct, codec, text and schema.
//!
//! A field line is `name: Type, condition;`, with `as "old"` behind the name where LMPC's word differs
//! (`as ""`: LMPC has none). Conditions: `always`, `bit N` (an `Option`), `flag N` (a `bool` without data),
//! `wide N` (the bit chooses the wide form), `wide_bit N W` (an `Option` by bit N, whose wide form bit W chooses),
//! `group` (a [`MaskedGroup`](super::MaskedGroup): several values),
//! `wide_group N` (both), and `number` (spare bits of the message number). Where a macro is used, `Wire` names what the format's messages travel on.

macro_rules! name_of {
    ($field:ident) => {
        $crate::describe::Name::new(stringify!($field))
    };
    ($field:ident $lmpc:literal) => {
        $crate::describe::Name::with(stringify!($field), $lmpc)
    };
}

macro_rules! field_type {
    ($ty:ty; bit $n:literal) => { Option<$ty> };
    ($ty:ty; wide_bit $n:literal $wide:literal) => { Option<$ty> };
    ($ty:ty; flag $n:literal) => { bool };
    ($ty:ty; $($other:tt)*) => { $ty };
}

macro_rules! field_read {
    ($ty:ty, $r:ident, $d:ident, $mask:expr; $(always)?) => {
        <$ty as Field<'_, Wire>>::read($r, $d)
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; bit $n:literal) => {
        if $mask >> $n & 1 == 1 { <$ty as Field<'_, Wire>>::read($r, $d).map(Some) } else { Ok(None) }
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; wide_bit $n:literal $wide:literal) => {
        if $mask >> $n & 1 == 1 {
            <$ty as $crate::describe::WideField>::read_wide($r, $d, $mask >> $wide & 1 == 1).map(Some)
        } else {
            Ok(None)
        }
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; flag $n:literal) => {
        Ok::<bool, Fault>($mask >> $n & 1 == 1)
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; wide $n:literal) => {
        <$ty as $crate::describe::WideField>::read_wide($r, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; wide_group $n:literal) => {
        <$ty as $crate::describe::WideField>::read_wide($r, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $r:ident, $d:ident, $mask:expr; group) => {
        <$ty as $crate::describe::MaskedGroup>::read($r, $d, $mask)
    };
}

macro_rules! field_write {
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:expr; $(always)?) => {
        <$ty as Field<'_, Wire>>::write(&$v, $w, $d)
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:expr; number) => {
        Ok::<(), Fault>(())
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; bit $n:literal) => {
        match &$v {
            Some(v) => <$ty as Field<'_, Wire>>::write(v, $w, $d),
            None => Ok(()),
        }
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; wide_bit $n:literal $wide:literal) => {
        match &$v {
            Some(v) => $crate::describe::WideField::write_wide(v, $w, $d, $mask >> $wide & 1 == 1),
            None => Ok(()),
        }
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; flag $n:literal) => {
        Ok::<(), Fault>(())
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; wide $n:literal) => {
        $crate::describe::WideField::write_wide(&$v, $w, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; wide_group $n:literal) => {
        $crate::describe::WideField::write_wide(&$v, $w, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:expr; group) => {
        $crate::describe::MaskedGroup::write(&$v, $w, $d)
    };
}

/// The mask bit that a field asks for, and with `data` only when data hang on it.
macro_rules! field_bits {
    (wide $v:expr, $d:ident; wide $n:literal) => {
        field_bits!($v, $d; wide $n)
    };
    (wide $v:expr, $d:ident; wide_group $n:literal) => {
        field_bits!($v, $d; wide $n)
    };
    (wide $v:expr, $d:ident; wide_bit $n:literal $wide:literal) => {
        u64::from($v.as_ref().is_some_and(|v| $crate::describe::WideField::needs_wide(v, $d))) << $wide
    };
    (wide $v:expr, $d:ident; $($other:tt)*) => {
        0u64
    };
    (flags flag $n:literal) => {
        1u64 << $n
    };
    (flags $($other:tt)*) => {
        0u64
    };
    (data $ty:ty; bit $n:literal) => {
        1u64 << $n
    };
    (data $ty:ty; wide_bit $n:literal $wide:literal) => {
        1u64 << $n
    };
    (data $ty:ty; group) => {
        <$ty as $crate::describe::MaskedGroup>::BITS
    };
    (data $ty:ty; $($other:tt)*) => {
        0u64
    };
    ($v:expr, $d:ident; always) => {
        0u64
    };
    ($v:expr, $d:ident; bit $n:literal) => {
        u64::from($v.is_some()) << $n
    };
    ($v:expr, $d:ident; wide_bit $n:literal $wide:literal) => {
        u64::from($v.is_some()) << $n | field_bits!(wide $v, $d; wide_bit $n $wide)
    };
    ($v:expr, $d:ident; flag $n:literal) => {
        u64::from($v) << $n
    };
    ($v:expr, $d:ident; wide $n:literal) => {
        u64::from($crate::describe::WideField::needs_wide(&$v, $d)) << $n
    };
    ($v:expr, $d:ident; wide_group $n:literal) => {
        field_bits!($v, $d; wide $n)
    };
    ($v:expr, $d:ident; group) => {
        $crate::describe::MaskedGroup::bits(&$v)
    };
}

macro_rules! field_show {
    ($ty:ty, $v:expr, $name:expr, $s:ident; number) => {
        $v.show($name, $s)
    };
    ($ty:ty, $v:expr, $name:expr, $s:ident; bit $n:literal) => {
        if let Some(v) = &$v {
            <$ty as Field<'_, Wire>>::show(v, $name, $s);
        }
    };
    ($ty:ty, $v:expr, $name:expr, $s:ident; wide_bit $n:literal $wide:literal) => {
        field_show!($ty, $v, $name, $s; bit $n)
    };
    ($ty:ty, $v:expr, $name:expr, $s:ident; flag $n:literal) => {
        if $v {
            $s.flag($name);
        }
    };
    ($ty:ty, $v:expr, $name:expr, $s:ident; wide_group $n:literal) => {
        $crate::describe::MaskedGroup::show(&$v, $s)
    };
    ($ty:ty, $v:expr, $name:expr, $s:ident; group) => {
        $crate::describe::MaskedGroup::show(&$v, $s)
    };
    ($ty:ty, $v:expr, $name:expr, $s:ident; $($other:tt)*) => {
        <$ty as Field<'_, Wire>>::show(&$v, $name, $s)
    };
}

macro_rules! field_parse {
    ($ty:ty, $name:expr, $f:ident, $d:ident; number) => {
        <$ty>::parse($f, $name)?
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; bit $n:literal) => {
        if <$ty as Field<'_, Wire>>::given($f, $name, $d) {
            Some(<$ty as Field<'_, Wire>>::parse($f, $name, $d)?)
        } else {
            None
        }
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; wide_bit $n:literal $wide:literal) => {
        field_parse!($ty, $name, $f, $d; bit $n)
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; flag $n:literal) => {
        $f.flag($name)?
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; wide_group $n:literal) => {
        <$ty as $crate::describe::MaskedGroup>::parse($f, $d)?
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; group) => {
        <$ty as $crate::describe::MaskedGroup>::parse($f, $d)?
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; $($other:tt)*) => {
        <$ty as Field<'_, Wire>>::parse($f, $name, $d)?
    };
}

macro_rules! field_schema {
    ($ty:ty, $name:expr, $doc:expr; number) => {
        field_schema!(@one <$ty>::TYPE, $name, $doc, Always)
    };
    ($ty:ty, $name:expr, $doc:expr; wide_group $n:literal) => { <$ty as $crate::describe::MaskedGroup>::FIELDS };
    ($ty:ty, $name:expr, $doc:expr; group) => { <$ty as $crate::describe::MaskedGroup>::FIELDS };
    ($ty:ty, $name:expr, $doc:expr; flag $n:literal) => {
        field_schema!(@one $crate::describe::TypeSchema::new("bit", "boolean", ""), $name, $doc, Flag($n))
    };
    ($ty:ty, $name:expr, $doc:expr; $(always)?) => {
        field_schema!(@one <$ty as Field<'_, Wire>>::TYPE, $name, $doc, Always)
    };
    ($ty:ty, $name:expr, $doc:expr; bit $n:literal) => {
        field_schema!(@one <$ty as Field<'_, Wire>>::TYPE, $name, $doc, Bit($n))
    };
    ($ty:ty, $name:expr, $doc:expr; wide $n:literal) => {
        field_schema!(@one <$ty as Field<'_, Wire>>::TYPE, $name, $doc, Wide($n))
    };
    ($ty:ty, $name:expr, $doc:expr; wide_bit $n:literal $wide:literal) => {
        field_schema!($ty, $name, $doc; bit $n)
    };
    ($ty:ty, $name:expr, $doc:expr; selected) => {
        field_schema!(@one <$ty as Field<'_, Wire>>::TYPE, $name, $doc, Selected)
    };
    (@one $ty:expr, $name:expr, $doc:expr, $($presence:tt)*) => {
        &[$crate::describe::FieldSchema {
            name: $name.text,
            lmpc: $name.lmpc,
            doc: $doc.trim_ascii(),
            ty: $ty,
            presence: $crate::describe::Presence::$($presence)*,
        }]
    };
}

/// Coordinates whose encoding is not that of the dialect's other coordinates, each with its kind in the dialect.
macro_rules! coordinates {
    ($($(#[$doc:meta])* $name:ident, $kind:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub Coord);

        impl $name {
            #[inline(always)]
            fn kind(d: &Dialect) -> $crate::wire::CoordKind {
                let kind: fn(&Dialect) -> $crate::wire::CoordKind = $kind;
                kind(d)
            }
        }

        impl<'a> Field<'a> for $name {
            const TYPE: TypeSchema = TypeSchema::new("coord", "number", "units");
            #[inline(always)]
            fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
                Coord::read(r, Self::kind(d)).map($name)
            }
            #[inline]
            fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                Coord::write(self.0, w, Self::kind(d))
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, self.0.into());
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
                f.take(name)?.coords::<1>(Self::kind(d)).map(|[c]| $name(c))
            }
        }

        impl<'a> Field<'a> for [$name; 3] {
            const TYPE: TypeSchema = TypeSchema::new("coord[3]", "number[3]", "units");
            #[inline(always)]
            fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
                Ok([Field::read(r, d)?, Field::read(r, d)?, Field::read(r, d)?])
            }
            #[inline]
            fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                self.iter().try_for_each(|c| c.write(w, d))
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.values(name, &self.map(|c| Scalar::from(c.0)));
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
                f.take(name)?.coords::<3>($name::kind(d)).map(|all| all.map($name))
            }
        }
    )*};
}

/// A plain message: all fields, always. `inline` messages have at most one field and are shown as `name value;`.
macro_rules! message {
    (
        $(#[doc = $doc:literal])*
        pub struct $ty:ident $(<$lt:lifetime>)? = $text:literal $(as $lmpc:literal)?, $shape:ident {
            $($(#[doc = $fdoc:literal])* $field:ident $(as $flmpc:literal)? : $fty:ty $(, $kind:ident)?;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $ty $(<$lt>)? {
            $($(#[doc = $fdoc])* pub $field: $fty,)*
        }

        impl<'a> $crate::describe::Body<'a, Wire> for $ty $(<$lt>)? {
            const NAME: Name = message!(@name $text $($lmpc)?);
            const SCHEMA: $crate::describe::Schema = $crate::describe::Schema {
                name: $text,
                lmpc: Self::NAME.lmpc,
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
                s.open(Self::NAME, message!(@shape $shape));
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

/// A masked update. `mask_extra` holds the mask bits that differ from what a normal engine would write.
macro_rules! masked {
    (
        $(#[doc = $doc:literal])*
        pub struct $ty:ident = $text:literal $(as $lmpc:literal)?, mask $mask:ty
        $(, after { $($(#[doc = $hdoc:literal])* $head:ident : $hty:ty;)* })? {
            $($(#[doc = $fdoc:literal])* $field:ident $(as $flmpc:literal)? : $fty:ty, $kind:ident $($n:literal)*;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $ty {
            $($($(#[doc = $hdoc])* pub $head: $hty,)*)?
            $($(#[doc = $fdoc])* pub $field: field_type!($fty; $kind $($n)*),)*
            /// Mask bits that differ from those a normal engine writes for these fields; 0 in most files.
            pub mask_extra: u64,
        }

        impl $ty {
            /// Bits with data behind them.
            const DATA: u64 = 0 $(| field_bits!(data $fty; $kind $($n)*))*;
            /// These, and the flags.
            const FIELDS: u64 = Self::DATA $(| field_bits!(flags $kind $($n)*))*;

            /// The bits of the fields that need their wide form.
            #[inline]
            fn wide_bits(&self, d: &Dialect) -> u64 {
                let _ = d;
                0 $(| field_bits!(wide self.$field, d; $kind $($n)*))*
            }

            #[inline]
            fn bits(&self, d: &Dialect) -> u64 {
                let _ = d;
                0 $(| field_bits!(self.$field, d; $kind $($n)*))*
            }

            #[inline(always)]
            fn read_as(id: u8, r: &mut Reader<'_>, d: &Dialect) -> Result<Self, Fault> {
                // A local cursor lives in registers.
                let mut local = *r;
                let outer = r;
                let r = &mut local;
                $($(let $head = <$hty as Field<'_, Wire>>::read(r, d).map_err(|f| f.in_field(stringify!($head)))?;)*)?
                let full = <$mask as $crate::describe::Mask>::read(id, r, d).map_err(|f| f.in_field("mask"))?;
                let mask = <$mask as $crate::describe::Mask>::present(full, d);
                let mut it = $ty {
                    $($($head,)*)?
                    $($field: field_read!($fty, r, d, mask; $kind $($n)*)
                        .map_err(|f| f.in_field(stringify!($field)))?,)*
                    mask_extra: 0,
                };
                // What was read is there because its bit is set: no need to look at each field again.
                #[allow(clippy::bad_bit_mask, reason = "0 where the only mask bit widens a field")]
                let bits = mask & Self::FIELDS | it.wide_bits(d);
                it.mask_extra = full ^ <$mask as $crate::describe::Mask>::canon(bits, d);
                *outer = local;
                Ok(it)
            }

            /// Shows the fields without the message around them.
            #[inline]
            pub(crate) fn show_fields<S: Sink>(&self, s: &mut S) {
                $($(<$hty as Field<'_, Wire>>::show(&self.$head, name_of!($head), s);)*)?
                $(field_show!($fty, self.$field, name_of!($field $($flmpc)?), s; $kind $($n)*);)*
                if self.mask_extra != 0 {
                    s.value(Name::with("mask_extra", ""), Scalar::Hex(self.mask_extra));
                }
            }
        }

        impl<'a> $crate::describe::Body<'a, Wire> for $ty {
            const NAME: Name = message!(@name $text $($lmpc)?);
            const SCHEMA: $crate::describe::Schema = $crate::describe::Schema {
                name: $text,
                lmpc: Self::NAME.lmpc,
                doc: concat!($($doc, "\n"),*).trim_ascii(),
                inline: false,
                masked: true,
                fields: &[
                    $($(field_schema!($hty, name_of!($head), concat!($($hdoc),*); always),)*)?
                    $(field_schema!($fty, name_of!($field $($flmpc)?), concat!($($fdoc),*); $kind $($n)*)),*
                ],
            };
            #[inline(always)]
            fn read(id: u8, r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
                match <$mask as $crate::describe::Mask>::USUAL {
                    Some(usual) if <$mask as $crate::describe::Mask>::is_usual(d) => Self::read_as(id, r, usual),
                    _ => Self::read_as(id, r, d),
                }
            }
            #[inline]
            #[allow(clippy::bad_bit_mask, reason = "DATA is 0 where the only mask bit widens a field")]
            fn write(&self, id: u8, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                let bits = self.bits(d);
                let full = <$mask as $crate::describe::Mask>::canon(bits, d) ^ self.mask_extra;
                let mask = <$mask as $crate::describe::Mask>::present(full, d);
                if (mask ^ bits) & Self::DATA != 0 {
                    return Err(Fault::unwritable("a field that this protocol has no bit for, or mask_extra hides it"));
                }
                if !<$mask as $crate::describe::Mask>::HOLDS_ID {
                    w.u8(id);
                }
                $($(<$hty as Field<'_, Wire>>::write(&self.$head, w, d)?;)*)?
                <$mask as $crate::describe::Mask>::write(id, full, w, d)?;
                $(field_write!($fty, self.$field, w, d, mask; $kind $($n)*)
                    .map_err(|f| f.in_field(stringify!($field)))?;)*
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, s: &mut S) {
                s.open(<Self as $crate::describe::Body<'a, Wire>>::NAME, false);
                self.show_fields(s);
                s.close();
            }
            #[inline]
            fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
                Ok($ty {
                    $($($head: <$hty as Field<'_, Wire>>::parse(f, name_of!($head), d)?,)*)?
                    $($field: field_parse!($fty, name_of!($field $($flmpc)?), f, d; $kind $($n)*),)*
                    mask_extra: {
                        let name = Name::with("mask_extra", "");
                        if f.has(name) { f.take(name)?.int(i64::MIN, i64::MAX)? as u64 } else { 0 }
                    },
                })
            }
        }
    };
}

/// Masked fields that are rare: one test tells that none of them is there, and they are set apart in a struct.
macro_rules! rare {
    (
        $(#[doc = $doc:literal])*
        pub struct $ty:ident {
            $($(#[doc = $fdoc:literal])* $field:ident $(as $flmpc:literal)? : $fty:ty, $kind:ident $n:literal;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct $ty {
            $($(#[doc = $fdoc])* pub $field: field_type!($fty; $kind $n),)*
        }

        impl<'a> $crate::describe::MaskedGroup<'a> for $ty {
            const BITS: u64 = 0 $(| field_bits!(data $fty; $kind $n))*;
            const FIELDS: &'static [$crate::describe::FieldSchema] =
                &[$(field_schema!($fty, name_of!($field $($flmpc)?), concat!($($fdoc),*); $kind $n)[0]),*];
            #[inline(always)]
            fn read(r: &mut Reader<'a>, d: &Dialect, mask: u64) -> Result<Self, Fault> {
                if mask & <Self as $crate::describe::MaskedGroup<'a>>::BITS == 0 {
                    return Ok(Self::default());
                }
                Ok($ty {
                    $($field: field_read!($fty, r, d, mask; $kind $n)
                        .map_err(|f| f.in_field(stringify!($field)))?,)*
                })
            }
            #[inline]
            fn bits(&self) -> u64 {
                0 $(| field_bits!(self.$field, d; $kind $n))*
            }
            #[inline]
            fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                // Only a field with a wide form would ask for the mask, and rare fields have none.
                let mask = 0u64;
                let _ = mask;
                $(field_write!($fty, self.$field, w, d, mask; $kind $n).map_err(|f| f.in_field(stringify!($field)))?;)*
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, s: &mut S) {
                $(field_show!($fty, self.$field, name_of!($field $($flmpc)?), s; $kind $n);)*
            }
            #[inline]
            fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
                Ok($ty { $($field: field_parse!($fty, name_of!($field $($flmpc)?), f, d; $kind $n),)* })
            }
        }
    };
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
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $ty $(<$lt>)? {
            $($(#[doc = $hdoc])* pub $head: $hty,)*
            $($(#[doc = $fdoc])* pub $field: field_type!($fty; $kind $($n)?),)*
        }

        impl $(<$lt>)? $ty $(<$lt>)? {
            /// Shows the fields without the message around them.
            pub(crate) fn show_fields<S: Sink>(&self, s: &mut S) {
                $(<$hty as Field<'_, Wire>>::show(&self.$head, name_of!($head $($hlmpc)?), s);)*
                $(field_show!($fty, self.$field, name_of!($field $($flmpc)?), s; $kind $($n)?);)*
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
            fn read(_id: u8, r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
                let at = r.pos();
                $(let $head = <$hty as Field<'_, Wire>>::read(r, d).map_err(|f| f.in_field(stringify!($head)))?;)*
                let mask: u64 = $select($(&$head,)* d).map_err(|what| Fault::new(what, at))?;
                Ok($ty {
                    $($field: field_read!($fty, r, d, mask; $kind $($n)?)
                        .map_err(|f| f.in_field(stringify!($field)))?,)*
                    $($head,)*
                })
            }
            fn write(&self, id: u8, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                let mask: u64 = $select($(&self.$head,)* d).map_err(|what| Fault::new(what, 0))?;
                let bits: u64 = 0 $(| field_bits!(self.$field, d; $kind $($n)?))*;
                // Bits that only choose between forms of a field are no data.
                let data: u64 = 0 $(| field_bits!(data $fty; $kind $($n)?))*;
                if (mask ^ bits) & data != 0 {
                    return Err(Fault::unwritable("its type asks for other fields than those given"));
                }
                w.u8(id);
                $(<$hty as Field<'_, Wire>>::write(&self.$head, w, d).map_err(|f| f.in_field(stringify!($head)))?;)*
                $(field_write!($fty, self.$field, w, d, mask; $kind $($n)?)
                    .map_err(|f| f.in_field(stringify!($field)))?;)*
                Ok(())
            }
            fn show<S: Sink>(&self, s: &mut S) {
                s.open(Self::NAME, false);
                self.show_fields(s);
                s.close();
            }
            fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
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

/// All messages of a format as one enum, with its kinds. `from 'a` is the lifetime of what is read, `keeps 'a` that of
/// what a message may borrow from it: `from '_, keeps 'static` where messages own what they hold.
macro_rules! messages {
    (
        $(#[$doc:meta])*
        pub enum $message:ident $(<$life:lifetime>)? / $kind:ident, from $from:lifetime, keeps $keeps:lifetime {
            $($variant:ident $(<$lt:lifetime>)?),* $(,)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $message $(<$life>)? {
            $(#[doc = concat!("See [`", stringify!($variant), "`].")] $variant($variant $(<$lt>)?),)*
            /// Bytes that could not be decoded: a message number and whatever follows up to the end of the block.
            Unknown($crate::describe::Unknown<$keeps>),
        }

        #[doc = concat!("The kinds of [`", stringify!($message), "`].")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {
            $(#[doc = concat!("See [`", stringify!($variant), "`].")] $variant,)*
        }

        impl $kind {
            /// Every kind, in order of declaration.
            pub const ALL: &'static [$kind] = &[$($kind::$variant),*];

            /// The schema of the messages of this kind.
            pub fn schema(self) -> &'static $crate::describe::Schema {
                match self { $($kind::$variant => &<$variant as $crate::describe::Body<'_, Wire>>::SCHEMA,)* }
            }

            /// The kind with a name in text.
            pub fn by_name(name: &[u8]) -> Option<$kind> {
                let key = $crate::describe::key(name);
                $(if <$variant as $crate::describe::Body<'_, Wire>>::NAME.is_keyed(name, key) {
                    return Some($kind::$variant);
                })*
                None
            }
        }

        impl $(<$life>)? $message $(<$life>)? {
            /// The kind, or `None` for unknown bytes.
            pub fn kind(&self) -> Option<$kind> {
                match self {
                    $($message::$variant(_) => Some($kind::$variant),)*
                    $message::Unknown(_) => None,
                }
            }

            /// The name in text.
            pub fn name(&self) -> &'static str {
                self.kind().map_or("unknown", |k| k.schema().name)
            }

            /// Reads a message of a kind; the cursor stands behind the message number.
            #[inline]
            pub fn read(kind: $kind, id: u8, r: &mut <Wire as $crate::describe::Wire>::Reader<$from>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Fault> {
                match kind {
                    $($kind::$variant => match <$variant as $crate::describe::Body<'_, Wire>>::read(id, r, d) {
                        Ok(m) => Ok($message::$variant(m)),
                        Err(f) => Err(f.in_message(<$variant as $crate::describe::Body<'_, Wire>>::SCHEMA.name)),
                    },)*
                }
            }

            /// Reads a message and hands it on, in code of its own for each kind: that saves moving messages and asking
            /// again for their kind.
            #[inline(always)]
            #[allow(dead_code, reason = "not every format is read in this way")]
            pub(crate) fn read_then(
                kind: $kind,
                id: u8,
                r: &mut <Wire as $crate::describe::Wire>::Reader<$from>,
                d: &<Wire as $crate::describe::Wire>::Dialect,
                to: &mut impl $crate::describe::Each<Self>,
            ) -> Result<(), Fault> {
                match kind {
                    $($kind::$variant => match <$variant as $crate::describe::Body<'_, Wire>>::read(id, r, d) {
                        Ok(m) => {
                            to.each(&$message::$variant(m));
                            Ok(())
                        }
                        Err(f) => Err(f.in_message(<$variant as $crate::describe::Body<'_, Wire>>::SCHEMA.name)),
                    },)*
                }
            }

            /// Writes the message with its number `id`.
            #[inline]
            pub fn write_as(&self, id: u8, w: &mut <Wire as $crate::describe::Wire>::Writer, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<(), Fault> {
                match self {
                    $($message::$variant(m) => <$variant as $crate::describe::Body<'_, Wire>>::write(m, id, w, d)
                        .map_err(|f| f.in_message(<$variant as $crate::describe::Body<'_, Wire>>::SCHEMA.name)),)*
                    $message::Unknown(m) => <Wire as $crate::describe::Wire>::write_unknown(w, &m.bytes),
                }
            }

            /// Shows the message.
            #[inline]
            pub fn show<S: Sink>(&self, s: &mut S) {
                match self {
                    $($message::$variant(m) => <$variant as $crate::describe::Body<'_, Wire>>::show(m, s),)*
                    $message::Unknown(m) => m.show(s),
                }
            }

            /// Takes a message of a kind out of a parsed statement.
            pub fn parse(kind: $kind, f: &mut Fields<$from, '_>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Mistake> {
                f.check_shape(kind.schema().inline)?;
                let it = match kind {
                    $($kind::$variant => $message::$variant(<$variant as $crate::describe::Body<'_, Wire>>::parse(f, d)?),)*
                };
                f.finish()?;
                Ok(it)
            }
        }
    };
}

pub(crate) use {
    coordinates, field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write, masked,
    message, messages, name_of, rare, selected,
};
