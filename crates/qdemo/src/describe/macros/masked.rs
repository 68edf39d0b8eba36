//! Messages with a mask of the fields that are there.

/// A masked update. `mask_extra` holds the mask bits that differ from what a normal engine would write. `on "TYPE"` in
/// front of a field's type: how documentation calls it, where the only protocol that has the message has one form of it.
macro_rules! masked {
    (
        $(#[doc = $doc:literal])*
        pub struct $ty:ident = $text:literal $(as $lmpc:literal)?, mask $mask:ty
        $(, after { $($(#[doc = $hdoc:literal])* $head:ident : $hty:ty;)* })? {
            $($(#[doc = $fdoc:literal])* $field:ident $(as $flmpc:literal)? $(on $wire:literal)? : $fty:ty, $kind:ident $($n:literal)*;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
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
            fn wide_bits(&self, d: &<Wire as $crate::describe::Wire>::Dialect) -> u64 {
                let _ = d;
                0 $(| field_bits!(wide self.$field, d; $kind $($n)*))*
            }

            #[inline]
            fn bits(&self, d: &<Wire as $crate::describe::Wire>::Dialect) -> u64 {
                let _ = d;
                0 $(| field_bits!(self.$field, d; $kind $($n)*))*
            }

            /// What is wrong where a mask does not tell of just the fields that are there.
            #[cold]
            fn differs(mask: u64, bits: u64) -> Fault {
                let fault = Fault::unwritable(match mask & !bits & Self::DATA {
                    0 => "a field that this protocol has no bit for, or mask_extra hides it",
                    _ => "a field that this protocol always sends is missing, or mask_extra tells of it",
                });
                let fields = [$((stringify!($field), field_bits!(data $fty; $kind $($n)*))),*];
                match fields.into_iter().find(|(_, own)| own & (mask ^ bits) != 0) {
                    Some((name, _)) => fault.in_field(name),
                    None => fault,
                }
            }

            #[inline(always)]
            fn read_as(id: u8, r: &mut ByteReader<'_>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Fault> {
                // A local cursor lives in registers.
                let mut local = *r;
                let outer = r;
                let r = &mut local;
                $($(let $head = <$hty as Field<'_, Wire>>::read(r, d).map_err(|f| f.in_field(stringify!($head)))?;)*)?
                let full = <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::read(id, r, d).map_err(|f| f.in_field("mask"))?;
                let mask = <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::present(full, d);
                let mut it = $ty {
                    $($($head,)*)?
                    $($field: field_read!($fty, r, d, mask; $kind $($n)*)
                        .map_err(|f| f.in_field(stringify!($field)))?,)*
                    mask_extra: 0,
                };
                // What was read is there because its bit is set: no need to look at each field again.
                #[allow(clippy::bad_bit_mask, reason = "0 where the only mask bit widens a field")]
                let bits = mask & Self::FIELDS | it.wide_bits(d);
                it.mask_extra = full ^ <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::canon(bits, d);
                *outer = local;
                Ok(it)
            }

            /// Shows the fields without the message around them.
            #[inline]
            pub(crate) fn show_fields<S: Sink>(&self, s: &mut S) {
                $($(<$hty as Field<'_, Wire>>::show(&self.$head, name_of!($head), s);)*)?
                $(field_show!($fty, self.$field, name_of!($field $($flmpc)?), s; $kind $($n)*);)*
                if self.mask_extra != 0 {
                    s.value(const { Name::with("mask_extra", "") }, Scalar::Hex(self.mask_extra));
                }
            }
        }

        $crate::wire::into_owned!($ty);

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
                    $(masked!(@schema (field_schema!($fty, name_of!($field $($flmpc)?), concat!($($fdoc),*); $kind $($n)*)) $($wire)?)),*
                ],
            };
            #[inline(always)]
            fn read(id: u8, r: &mut ByteReader<'a>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Fault> {
                match <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::USUAL {
                    Some(usual) if <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::is_usual(d) => Self::read_as(id, r, usual),
                    _ => Self::read_as(id, r, d),
                }
            }
            #[inline]
            #[allow(clippy::bad_bit_mask, reason = "DATA is 0 where the only mask bit widens a field")]
            fn write(&self, id: u8, w: &mut ByteWriter, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<(), Fault> {
                let bits = self.bits(d);
                let full = <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::canon(bits, d) ^ self.mask_extra;
                let mask = <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::present(full, d);
                if (mask ^ bits) & Self::DATA != 0 {
                    return Err(Self::differs(mask, bits));
                }
                if !<$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::HOLDS_ID {
                    w.u8(id);
                }
                $($(<$hty as Field<'_, Wire>>::write(&self.$head, w, d)?;)*)?
                <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::write(id, full, w, d)?;
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
            fn parse(f: &mut Fields<'a, '_>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Mistake> {
                let mut it = $ty {
                    $($($head: <$hty as Field<'_, Wire>>::parse(f, name_of!($head), d)?,)*)?
                    $($field: field_parse!($fty, name_of!($field $($flmpc)?), f, d; $kind $($n)*),)*
                    mask_extra: {
                        const MASK_EXTRA: Name = Name::with("mask_extra", "");
                        if f.has(MASK_EXTRA) { f.take(MASK_EXTRA)?.int(i64::MIN, i64::MAX)? as u64 } else { 0 }
                    },
                };
                // LMPC numbers the bits that it has no words for.
                if let Some(more) = f.unknown_mask_bits()? {
                    let canon = <$mask as $crate::describe::Mask<<Wire as $crate::describe::Wire>::Dialect>>::canon;
                    let bits = it.bits(d);
                    it.mask_extra ^= canon(bits | more, d) ^ canon(bits, d);
                }
                Ok(it)
            }
        }
    };
    (@schema ($fields:expr)) => { $fields };
    (@schema ($fields:expr) $wire:literal) => { &[$fields[0].on_wire($wire)] };
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

        impl<'a> $crate::describe::MaskedGroup<'a, Wire> for $ty {
            const BITS: u64 = 0 $(| field_bits!(data $fty; $kind $n))*;
            const FIELDS: &'static [$crate::describe::FieldSchema] =
                &[$(field_schema!($fty, name_of!($field $($flmpc)?), concat!($($fdoc),*); $kind $n)[0]),*];
            const STATEMENT: $crate::describe::Statement = $crate::describe::Statement::of(
                Name::with("", ""),
                concat!($($doc, "\n"),*).trim_ascii(),
                &[<Self as $crate::describe::MaskedGroup<'a, Wire>>::FIELDS],
            );
            #[inline(always)]
            fn read(r: &mut ByteReader<'a>, d: &<Wire as $crate::describe::Wire>::Dialect, mask: u64) -> Result<Self, Fault> {
                if mask & <Self as $crate::describe::MaskedGroup<'a, Wire>>::BITS == 0 {
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
            fn write(&self, w: &mut ByteWriter, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<(), Fault> {
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
            fn parse(f: &mut Fields<'a, '_>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Mistake> {
                Ok($ty { $($field: field_parse!($fty, name_of!($field $($flmpc)?), f, d; $kind $n),)* })
            }
        }
    };
}

pub(crate) use {masked, rare};
