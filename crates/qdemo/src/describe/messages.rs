//! The messages of a format as a set.

use crate::sealed::Sealed;

use super::{AnyDialect, Fields, KindSet, Mistake, Sink, Unknown, Wire};

/// The messages of one format, as its declarations give them.
pub trait MessageSet<'a>: Sealed + Sized + Clone + std::fmt::Debug + PartialEq {
    /// What they travel on.
    type Wire: Wire<Dialect: AnyDialect>;
    /// Their kinds.
    type Kind: KindSet + PartialEq + std::fmt::Debug;

    /// The kind; `None` for bytes that could not be decoded.
    fn kind(&self) -> Option<Self::Kind>;
    /// The kind with a name in text.
    fn kind_by_name(name: &[u8]) -> Option<Self::Kind>;
    /// The name in text.
    fn name(&self) -> &'static str {
        self.kind().map_or("unknown", |kind| kind.schema().name)
    }
    /// Bytes that could not be decoded, as a message.
    fn unknown(bytes: Unknown<'a>) -> Self;
    /// The bytes of such a message.
    fn unknown_bytes(&self) -> Option<&[u8]>;
    /// Shows the message.
    fn show<S: Sink>(&self, s: &mut S);
    /// Takes a message of a kind out of a parsed statement.
    ///
    /// # Errors
    /// A field that is missing or wrong.
    fn parse(kind: Self::Kind, f: &mut Fields<'a, '_>, d: &<Self::Wire as Wire>::Dialect) -> Result<Self, Mistake>;
    /// The dialect after this message, when it changes it.
    fn dialect_after(&self, _: &<Self::Wire as Wire>::Dialect) -> Option<<Self::Wire as Wire>::Dialect> {
        None
    }
}
