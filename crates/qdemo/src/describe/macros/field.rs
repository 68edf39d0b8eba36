//! One field of a message: what each condition makes of it.

macro_rules! name_of {
    ($field:ident) => {
        const { $crate::describe::Name::new(stringify!($field)) }
    };
    ($field:ident $lmpc:literal) => {
        const { $crate::describe::Name::with(stringify!($field), $lmpc) }
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
            <$ty as $crate::describe::WideField<'_, Wire>>::read_wide($r, $d, $mask >> $wide & 1 == 1).map(Some)
        } else {
            Ok(None)
        }
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; flag $n:literal) => {
        Ok::<bool, Fault>($mask >> $n & 1 == 1)
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; wide $n:literal) => {
        <$ty as $crate::describe::WideField<'_, Wire>>::read_wide($r, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $r:ident, $d:ident, $mask:ident; wide_group $n:literal) => {
        <$ty as $crate::describe::WideField<'_, Wire>>::read_wide($r, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $r:ident, $d:ident, $mask:expr; group) => {
        <$ty as $crate::describe::MaskedGroup<'_, Wire>>::read($r, $d, $mask)
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
            Some(v) => $crate::describe::WideField::<Wire>::write_wide(v, $w, $d, $mask >> $wide & 1 == 1),
            None => Ok(()),
        }
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; flag $n:literal) => {
        Ok::<(), Fault>(())
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; wide $n:literal) => {
        $crate::describe::WideField::<Wire>::write_wide(&$v, $w, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:ident; wide_group $n:literal) => {
        $crate::describe::WideField::<Wire>::write_wide(&$v, $w, $d, $mask >> $n & 1 == 1)
    };
    ($ty:ty, $v:expr, $w:ident, $d:ident, $mask:expr; group) => {
        $crate::describe::MaskedGroup::<Wire>::write(&$v, $w, $d)
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
        u64::from($v.as_ref().is_some_and(|v| $crate::describe::WideField::<Wire>::needs_wide(v, $d))) << $wide
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
        <$ty as $crate::describe::MaskedGroup<'_, Wire>>::BITS
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
        u64::from($crate::describe::WideField::<Wire>::needs_wide(&$v, $d)) << $n
    };
    ($v:expr, $d:ident; wide_group $n:literal) => {
        field_bits!($v, $d; wide $n)
    };
    ($v:expr, $d:ident; group) => {
        $crate::describe::MaskedGroup::<Wire>::bits(&$v)
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
        $crate::describe::MaskedGroup::<Wire>::show(&$v, $s)
    };
    ($ty:ty, $v:expr, $name:expr, $s:ident; group) => {
        $crate::describe::MaskedGroup::<Wire>::show(&$v, $s)
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
        <$ty as $crate::describe::MaskedGroup<'_, Wire>>::parse($f, $d)?
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; group) => {
        <$ty as $crate::describe::MaskedGroup<'_, Wire>>::parse($f, $d)?
    };
    ($ty:ty, $name:expr, $f:ident, $d:ident; $($other:tt)*) => {
        <$ty as Field<'_, Wire>>::parse($f, $name, $d)?
    };
}

macro_rules! field_schema {
    ($ty:ty, $name:expr, $doc:expr; number) => {
        field_schema!(@one <$ty>::TYPE, $name, $doc, Always)
    };
    ($ty:ty, $name:expr, $doc:expr; wide_group $n:literal) => { <$ty as $crate::describe::MaskedGroup<'_, Wire>>::FIELDS };
    ($ty:ty, $name:expr, $doc:expr; group) => { <$ty as $crate::describe::MaskedGroup<'_, Wire>>::FIELDS };
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
        field_schema!(@one <$ty as Field<'_, Wire>>::TYPE.where_wide(), $name, $doc, Bit($n))
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

pub(crate) use {field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write, name_of};
