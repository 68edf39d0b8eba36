//! A file being read, and the bounds put on members of containers.

use super::behind::{Behind, Remains};
use super::budget::Budget;
use super::{ContainerKind, Position};
use crate::error::{self, Error};
use crate::limits::Bound;
use crate::{Limits, Result};
use std::fmt;
use std::io::{self, Cursor, Read};

/// Any stream of bytes.
pub(super) type Stream = Box<dyn Read + Send>;

/// A file being read: unpacked bytes in order.
///
/// Errors that come out of [`Read::read`] turn into [`Error`] by `From`. They name the file and the
/// offset in the unpacked stream, and follow after all bytes that could be had. Reads are passed on
/// as they come, so wrap a `Source` in a [`BufReader`](io::BufReader) for small ones.
pub struct Source {
    /// The name as the user wrote it, with the members: `pak0.pak:demo1.dem`.
    pub name: String,
    /// The containers around the file, outermost first; empty for a plain file.
    pub containers: Vec<ContainerKind>,
    /// Unpacked size in bytes, when a directory or the file system tells one. It may lie.
    pub size: Option<u64>,
    offset: u64,
    remains: Remains,
    reader: Stream,
}

impl Source {
    pub(super) fn new(at: Position, size: Option<u64>, reader: Stream) -> Self {
        let Position { name, containers, remains, .. } = at;
        Source { name, containers, size, offset: 0, remains, reader }
    }

    /// What stands behind the end of the containers around, outermost first: no part of the file. All of it is known
    /// when the file has been read to its end.
    pub fn behind(&self) -> Vec<Behind> {
        self.remains.found()
    }

    /// The same for those who give the source away before it is read.
    pub fn remains(&self) -> Remains {
        self.remains.clone()
    }

    /// Number of bytes read so far: the offset of the next one.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes, so many at most, as far as they can be had. They are read as if nobody had looked.
    pub fn peek(&mut self, most: usize) -> Vec<u8> {
        let mut ahead = Vec::new();
        // An error comes again where it is met.
        let _ = self.reader.by_ref().take(most as u64).read_to_end(&mut ahead);
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(ahead.clone()).chain(rest));
        ahead
    }

    /// Reads all that is left, for callers that want a whole file in memory.
    ///
    /// # Errors
    ///
    /// When the file is damaged, cannot be read, or exceeds `limits.held`. Use
    /// [`Source::salvage`] to keep the bytes before the fault.
    pub fn read_all(&mut self, limits: &Limits) -> Result<Vec<u8>> {
        match self.salvage(limits) {
            (data, None) => Ok(data),
            (_, Some(e)) => Err(e),
        }
    }

    /// As [`Source::read_all`], but gives what was read before an error together with it.
    pub fn salvage(&mut self, limits: &Limits) -> (Vec<u8>, Option<Error>) {
        let start = self.offset;
        let mut data = Vec::new();
        let mut bounded = Bounded::new(&mut *self, None, Budget::of(limits.held, Bound::Held));
        let outcome = bounded.read_to_end(&mut data);
        let end = start + data.len() as u64;
        let error = outcome.err().map(|e| Error::from(e).in_file(&self.name).at_offset(end));
        (data, error)
    }
}

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.reader.read(buf) {
            Ok(n) => {
                self.offset += n as u64;
                Ok(n)
            }
            // `read_to_end` and its like try again on this one, so it must stay recognisable.
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(e),
            Err(e) => {
                let e = Error::from(e).in_file(&self.name).at_offset(self.offset);
                Err(e.into())
            }
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("containers", &self.containers)
            .field("size", &self.size)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

/// A stream that ends with an error where a budget is used up, and stays failed once it failed.
///
/// Readers below it need not care what happens after an error of their own.
pub(super) struct Bounded<R> {
    inner: R,
    budget: Budget,
    size: Option<u64>,
    failed: Option<Error>,
}

impl<R: Read> Bounded<R> {
    pub(super) fn new(inner: R, size: Option<u64>, budget: Budget) -> Self {
        Bounded { inner, budget, size, failed: None }
    }

    pub(super) fn boxed(inner: R, size: Option<u64>, budget: &Budget) -> Stream
    where
        R: Send + 'static,
    {
        Box::new(Bounded::new(inner, size, budget.clone()))
    }

    fn try_read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.budget.left();
        if left == 0 {
            // Exactly as large as allowed is fine, so the end must be seen.
            return match self.inner.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(self.budget.exceeded(self.size).into()),
            };
        }
        let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let n = self.inner.read(&mut buf[..most])?;
        self.budget.spend(n as u64);
        Ok(n)
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        if let Some(e) = &self.failed {
            return Err(repeat(e).into());
        }
        self.try_read(buf).map_err(|e| match e.downcast::<Error>() {
            Ok(ours) => {
                self.failed = Some(repeat(&ours));
                ours.into()
            }
            Err(e) => e,
        })
    }
}

/// The same error once more. Those of the operating system cannot be cloned and turn into text.
fn repeat(e: &Error) -> Error {
    let kind = match &e.kind {
        error::ErrorKind::Truncated { needed, available } => {
            error::ErrorKind::Truncated { needed: *needed, available: *available }
        }
        error::ErrorKind::Limit { what, limit, found } => {
            error::ErrorKind::Limit { what: *what, limit: *limit, found: *found }
        }
        other => error::ErrorKind::Container(other.to_string()),
    };
    Error { place: e.place.clone(), kind }
}
