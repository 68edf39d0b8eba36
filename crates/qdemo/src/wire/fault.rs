//! The small, copyable error of the wire layer. [`crate::Error`] adds file, block and time to it.

use crate::error::{ErrorKind, Protocol};
use crate::limits::Bound;

/// Why a value could not be read from, or written to, the wire.
///
/// One pointer wide: results of the hot path travel in registers. The details lie in [`FaultDetail`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(Box<FaultDetail>);

/// The contents of a [`Fault`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultDetail {
    /// What is wrong.
    pub what: FaultKind,
    /// Offset within the bytes being read (a block's payload), in bytes.
    pub at: usize,
    /// The field in question, when one is known.
    pub field: Option<&'static str>,
    /// The message in question, when one is known.
    pub message: Option<&'static str>,
}

/// The kinds of [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The bytes end too early.
    Truncated {
        /// Bytes that were needed.
        needed: usize,
        /// Bytes that were left.
        available: usize,
    },
    /// A message number outside the dialect.
    UnknownMessage(u8),
    /// Bytes that break a rule.
    Malformed(&'static str),
    /// A protocol that is named, not decoded.
    Unsupported(Protocol),
    /// A length beyond a limit.
    Limit {
        /// What is bounded.
        what: Bound,
        /// The bound.
        limit: usize,
        /// What was found.
        found: usize,
    },
    /// A model value that this dialect cannot write.
    Unwritable(&'static str),
}

impl Fault {
    /// A fault at an offset, with no names yet.
    #[cold]
    pub fn new(what: FaultKind, at: usize) -> Self {
        Fault(Box::new(FaultDetail { what, at, field: None, message: None }))
    }

    /// A value that cannot be written.
    #[cold]
    pub fn unwritable(why: &'static str) -> Self {
        Fault::new(FaultKind::Unwritable(why), 0)
    }

    /// Names the field, unless an inner field was named already.
    #[cold]
    #[must_use]
    pub fn in_field(mut self, field: &'static str) -> Self {
        self.0.field.get_or_insert(field);
        self
    }

    /// The same fault in bytes that begin at an offset within others.
    #[cold]
    #[must_use]
    pub(crate) fn behind(mut self, offset: usize) -> Self {
        self.0.at += offset;
        self
    }

    /// The same fault for another reason.
    #[cold]
    #[must_use]
    pub(crate) fn because(mut self, what: FaultKind) -> Self {
        self.0.what = what;
        self
    }

    /// Names the message.
    #[cold]
    #[must_use]
    pub fn in_message(mut self, message: &'static str) -> Self {
        self.0.message.get_or_insert(message);
        self
    }

    /// The same as an error kind of the library.
    pub fn kind(&self) -> ErrorKind {
        match self.what {
            FaultKind::Truncated { needed, available } => {
                ErrorKind::Truncated { needed: needed as u64, available: available as u64 }
            }
            FaultKind::UnknownMessage(id) => ErrorKind::UnknownMessage(id),
            FaultKind::Malformed(what) => ErrorKind::Malformed(what),
            FaultKind::Unsupported(p) => ErrorKind::Unsupported(p),
            FaultKind::Limit { what, limit, found } => {
                ErrorKind::Limit { what, limit: limit as u64, found: found as u64 }
            }
            FaultKind::Unwritable(what) => ErrorKind::Unwritable(what),
        }
    }
}

impl std::ops::Deref for Fault {
    type Target = FaultDetail;
    fn deref(&self) -> &FaultDetail {
        &self.0
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.kind())?;
        match (self.message, self.field) {
            (Some(m), Some(field)) => write!(f, " (message {m}, field {field})"),
            (Some(m), None) => write!(f, " (message {m})"),
            (None, Some(field)) => write!(f, " (field {field})"),
            (None, None) => Ok(()),
        }
    }
}

impl From<Fault> for crate::Error {
    fn from(fault: Fault) -> Self {
        let mut error = crate::Error::new(fault.kind());
        (error.place.message, error.place.field) = (fault.message, fault.field);
        error
    }
}

impl std::error::Error for Fault {}
