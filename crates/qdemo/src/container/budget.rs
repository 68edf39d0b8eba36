//! How much may still be unpacked: one account for a file and all that lies in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind};
use crate::limits::{Bound, Limits};

/// What may still come out of one file on disk. Clones share the account, so that all members and all levels of
/// containers pay into the same one, also those that are read side by side.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: Arc<AtomicU64>,
    limit: u64,
    bound: Bound,
}

impl Budget {
    /// The account of a file that is opened.
    pub(super) fn new(limits: &Limits) -> Self {
        Budget::of(limits.unpacked, Bound::Unpacked)
    }

    /// An account of its own, for something else that is bounded.
    pub(super) fn of(limit: u64, bound: Bound) -> Self {
        Budget { left: Arc::new(AtomicU64::new(limit)), limit, bound }
    }

    pub(super) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes this much away. Readers side by side may overdraw the account by what they read at once.
    pub(super) fn spend(&self, bytes: u64) {
        let less = |left: u64| Some(left.saturating_sub(bytes));
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// The error when nothing is left and there are more bytes. `size` is what a directory tells of the member.
    pub(super) fn exceeded(&self, size: Option<u64>) -> Error {
        let least = self.limit.saturating_add(1);
        let found = size.unwrap_or(least).max(least);
        Error::new(ErrorKind::Limit { what: self.bound, limit: self.limit, found })
    }
}
