//! What all types have in common that wrap the bytes of a text, or others.

/// Makes such a type from bytes and from text, compares it with these, and shows it as Rust writes a string of bytes.
macro_rules! byte_string {
    ($ty:ident $(<$life:lifetime>)?) => {
        impl<'a> From<&'a [u8]> for $ty $(<$life>)? {
            fn from(bytes: &'a [u8]) -> Self {
                $ty(bytes.into())
            }
        }

        impl<'a> From<&'a str> for $ty $(<$life>)? {
            fn from(text: &'a str) -> Self {
                $ty(text.as_bytes().into())
            }
        }

        impl $(<$life>)? From<Vec<u8>> for $ty $(<$life>)? {
            fn from(bytes: Vec<u8>) -> Self {
                $ty(bytes.into())
            }
        }

        impl $(<$life>)? From<String> for $ty $(<$life>)? {
            fn from(text: String) -> Self {
                $ty(text.into_bytes().into())
            }
        }

        impl $(<$life>)? PartialEq<str> for $ty $(<$life>)? {
            fn eq(&self, text: &str) -> bool {
                self.0[..] == *text.as_bytes()
            }
        }

        impl $(<$life>)? PartialEq<&str> for $ty $(<$life>)? {
            fn eq(&self, text: &&str) -> bool {
                *self == **text
            }
        }

        impl $(<$life>)? std::fmt::Debug for $ty $(<$life>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "\"{}\"", self.0.escape_ascii())
            }
        }
    };
}
pub(crate) use byte_string;
