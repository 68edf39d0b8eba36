//! A format's set of messages.

/// All messages of a format as one enum, with its kinds. `after` is a function from a message and its dialect to the
/// dialect that it leads to. `from 'a` is the lifetime of what is read, `keeps 'a` that of
/// what a message may borrow from it: `from '_, keeps 'static` where messages own what they hold.
macro_rules! messages {
    (
        $(#[$doc:meta])*
        pub enum $message:ident $(<$life:lifetime>)? / $kind:ident, from $from:lifetime, keeps $keeps:lifetime $(, after $after:path)? {
            $($variant:ident $(<$lt:lifetime>)?),* $(,)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $message $(<$life>)? {
            $(#[doc = concat!("See [`", stringify!($variant), "`].")] $variant($variant $(<$lt>)?),)*
            /// Bytes that could not be decoded: a message number and whatever follows up to the end of the block.
            Unknown($crate::describe::Unknown<$keeps>),
        }

        messages!(@from [$message $(<$life>)?] [$(<$life>)?] $($variant $(<$lt>)?,)*);

        #[doc = concat!("The kinds of [`", stringify!($message), "`].")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
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
                static NAMES: $crate::describe::NameIndex =
                    $crate::describe::NameIndex::new(&[$(<$variant as $crate::describe::Body<'_, Wire>>::NAME),*]);
                NAMES.find(name).and_then(|place| Self::ALL.get(place).copied())
            }
        }

        impl $crate::sealed::Sealed for $kind {}
        impl $(<$life>)? $crate::sealed::Sealed for $message $(<$life>)? {}

        impl $crate::describe::KindSet for $kind {
            const ALL: &'static [$kind] = $kind::ALL;
            #[inline]
            fn index(self) -> usize {
                self as usize
            }
            fn schema(self) -> &'static $crate::describe::Schema {
                self.schema()
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
                to: &mut impl $crate::describe::Receiver<Self>,
            ) -> Result<(), Fault> {
                match kind {
                    $($kind::$variant => match <$variant as $crate::describe::Body<'_, Wire>>::read(id, r, d) {
                        Ok(m) => {
                            to.receive($message::$variant(m));
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
                    $message::Unknown(m) => $crate::describe::UnknownWriter::unknown(w, &m.bytes),
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

        impl $(<$life>)? $crate::wire::IntoOwned for $message $(<$life>)? {
            type Owned = messages!(@owned $message $(<$life>)?);
            fn into_owned(self) -> Self::Owned {
                match self {
                    $($message::$variant(m) => $message::$variant($crate::wire::IntoOwned::into_owned(m)),)*
                    $message::Unknown(m) => $message::Unknown($crate::wire::IntoOwned::into_owned(m)),
                }
            }
        }

        impl<'a> $crate::describe::MessageSet<'a> for $message $(<$life>)? {
            type Wire = Wire;
            type Kind = $kind;

            #[inline(always)]
            fn kind(&self) -> Option<$kind> {
                self.kind()
            }
            fn kind_by_name(name: &[u8]) -> Option<$kind> {
                $kind::by_name(name)
            }
            fn unknown(bytes: $crate::describe::Unknown<'a>) -> Self {
                $message::Unknown(messages!(@keep $keeps bytes))
            }
            #[inline]
            fn unknown_bytes(&self) -> Option<&[u8]> {
                if let $message::Unknown(unknown) = self { Some(&unknown.bytes) } else { None }
            }
            #[inline]
            fn show<S: Sink>(&self, s: &mut S) {
                self.show(s);
            }
            fn parse(kind: $kind, f: &mut Fields<'a, '_>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<Self, Mistake> {
                $message::parse(kind, f, d)
            }
            $(
                #[inline(always)]
                fn dialect_after(&self, d: &<Wire as $crate::describe::Wire>::Dialect) -> Option<<Wire as $crate::describe::Wire>::Dialect> {
                    $after(self, d)
                }
            )?
        }
    };
    (@from $message:tt $life:tt $($variant:ident $(<$lt:lifetime>)?,)*) => {
        $(messages!(@from_one $message $life $variant [$variant $(<$lt>)?]);)*
    };
    (@from_one [$($message:tt)*] [$($life:tt)*] $variant:ident [$($body:tt)*]) => {
        impl $($life)* From<$($body)*> for $($message)* {
            fn from(message: $($body)*) -> Self {
                Self::$variant(message)
            }
        }
    };
    (@owned $message:ident <$life:lifetime>) => { $message<'static> };
    (@owned $message:ident) => { $message };
    (@keep 'static $bytes:ident) => { $crate::describe::Unknown { bytes: $bytes.bytes.into_owned().into() } };
    (@keep $life:lifetime $bytes:ident) => { $bytes };
}

pub(crate) use messages;
