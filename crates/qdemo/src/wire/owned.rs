//! Values that outlive what they were read from.

/// A value that may borrow from what it was read from.
pub trait IntoOwned {
    /// The same type, borrowing nothing.
    type Owned: 'static;
    /// The same value, borrowing nothing.
    fn into_owned(self) -> Self::Owned;
}

/// What can be copied and borrows nothing.
impl<T: Copy + 'static> IntoOwned for T {
    type Owned = T;
    #[inline]
    fn into_owned(self) -> T {
        self
    }
}

/// Implements [`IntoOwned`]: for types that borrow, field by field, `bit` behind one that may be missing, `cow`, `list`,
/// `pairs` and `boxed` behind others that are such; for types that neither borrow nor can be copied it is the value itself.
macro_rules! into_owned {
    ($ty:ident<$life:lifetime> { $($field:tt $($kind:ident)?),* $(,)? }) => {
        impl $crate::wire::IntoOwned for $ty<'_> {
            type Owned = $ty<'static>;
            fn into_owned(self) -> $ty<'static> {
                $ty { $($field: $crate::wire::into_owned!(@ self.$field, $($kind)?),)* }
            }
        }
    };
    ($ty:ident { $($fields:tt)* }) => {
        $crate::wire::into_owned!($ty);
    };
    ($($ty:ident),* $(,)?) => {$(
        impl $crate::wire::IntoOwned for $ty {
            type Owned = $ty;
            #[inline]
            fn into_owned(self) -> $ty {
                self
            }
        }
    )*};
    (@ $value:expr, cow) => { std::borrow::Cow::Owned($value.into_owned()) };
    (@ $value:expr, list) => { $value.into_iter().map($crate::wire::IntoOwned::into_owned).collect() };
    (@ $value:expr, pairs) => {
        $value.into_iter().map(|(key, value)| (key, $crate::wire::IntoOwned::into_owned(value))).collect()
    };
    (@ $value:expr, boxed) => { Box::new($crate::wire::IntoOwned::into_owned(*$value)) };
    (@ $value:expr, bit) => { $value.map($crate::wire::IntoOwned::into_owned) };
    (@ $value:expr, $($other:ident)?) => { $crate::wire::IntoOwned::into_owned($value) };
}
pub(crate) use into_owned;

impl IntoOwned for super::Str<'_> {
    type Owned = super::Str<'static>;
    fn into_owned(self) -> super::Str<'static> {
        super::Str::into_owned(self)
    }
}

impl IntoOwned for super::StrList<'_> {
    type Owned = super::StrList<'static>;
    fn into_owned(self) -> super::StrList<'static> {
        super::StrList::into_owned(self)
    }
}
