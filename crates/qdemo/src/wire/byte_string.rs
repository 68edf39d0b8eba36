//! What all types have in common that wrap the bytes of a text, or others.

/// Makes such a type from bytes and from text, compares it with these, and shows it as Rust writes a string of bytes.
macro_rules! byte_string {
    ($ty:ident $(<$life:lifetime>)?) => {
        impl $(<$life>)? $ty $(<$life>)? {
            /// Puts `to` in the place of every `from`, and tells whether there was any.
            pub fn replace(&mut self, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> bool {
                let replaced = $crate::wire::replaced(&self.0, from.as_ref(), to.as_ref());
                let found = replaced.is_some();
                if let Some(replaced) = replaced {
                    self.0 = replaced.into();
                }
                found
            }
        }

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

/// Bytes with `to` in the place of every `from`; `None` where there is none.
pub(crate) fn replaced(mut bytes: &[u8], from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    let mut all = Vec::with_capacity(bytes.len());
    let mut found = false;
    while let Some((first, rest)) = bytes.split_first() {
        match bytes.strip_prefix(from).filter(|_| !from.is_empty()) {
            Some(behind) => {
                all.extend_from_slice(to);
                (bytes, found) = (behind, true);
            }
            None => {
                all.push(*first);
                bytes = rest;
            }
        }
    }
    found.then_some(all)
}

/// True for the same bytes. Empty ones are not compared: they may lie at no address, and to look there takes longer than ten
/// comparisons of short texts, where glibc compares with AVX-512.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && (a.is_empty() || a == b)
}
