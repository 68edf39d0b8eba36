//! Data that several members share: whoever wants one of them has to unpack all before it.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::budget::Budget;
use super::source::Stream;
use crate::Result;

/// How many streams wait where a member ended. One is enough for who goes through the members in order.
const WAITING: usize = 2;

/// How a stream is begun anew.
type Begin = Box<dyn Fn() -> Result<Stream> + Send + Sync>;

/// Unpacked data of several members, one behind the other. A stream that has come to the end of a member goes on with the
/// next one.
#[derive(Clone)]
pub(super) struct Solid(Arc<Inner>);

struct Inner {
    begin: Begin,
    waiting: Mutex<Vec<At>>,
}

/// A stream, and how far it has come.
struct At {
    offset: u64,
    stream: Stream,
}

impl Solid {
    pub(super) fn new(begin: impl Fn() -> Result<Stream> + Send + Sync + 'static) -> Self {
        Solid(Arc::new(Inner { begin: Box::new(begin), waiting: Mutex::default() }))
    }

    /// The bytes of a member. What has to be unpacked before it is taken from the budget.
    pub(super) fn part(&self, offset: u64, len: u64, budget: &Budget) -> Part {
        Part { solid: self.clone(), from: offset, left: len, at: None, budget: budget.clone() }
    }

    /// The stream that has come closest, or a new one.
    fn take(&self, offset: u64) -> Result<At> {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = waiting.iter().enumerate().filter(|(_, at)| at.offset <= offset);
        if let Some((index, _)) = fitting.max_by_key(|(_, at)| at.offset) {
            return Ok(waiting.swap_remove(index));
        }
        drop(waiting);
        Ok(At { offset: 0, stream: (self.0.begin)()? })
    }

    fn put(&self, at: At) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= WAITING {
            waiting.remove(0);
        }
        waiting.push(at);
    }
}

/// Two that share their streams are the same.
impl PartialEq for Solid {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Solid {}

impl fmt::Debug for Solid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solid").finish_non_exhaustive()
    }
}

/// A reader of one member.
pub(super) struct Part {
    solid: Solid,
    from: u64,
    left: u64,
    at: Option<At>,
    budget: Budget,
}

impl Part {
    /// The stream, where the member begins.
    fn begin(&mut self) -> io::Result<At> {
        let mut at = self.solid.take(self.from)?;
        let mut passed = vec![0; 16 << 10];
        while at.offset < self.from {
            let most = usize::try_from(self.from - at.offset).unwrap_or(usize::MAX).min(passed.len());
            match at.stream.read(&mut passed[..most]) {
                Ok(0) => return Err(super::input::truncated(self.left)),
                Ok(n) => at.offset += n as u64,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
            if self.budget.left() == 0 {
                return Err(self.budget.exceeded(None).into());
            }
            self.budget.spend(most as u64);
        }
        Ok(at)
    }
}

impl Read for Part {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buf.len());
        if most == 0 {
            return Ok(0);
        }
        let mut at = match self.at.take() {
            Some(at) => at,
            None => self.begin()?,
        };
        // A stream that has failed is not kept.
        let n = match at.stream.read(&mut buf[..most]) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => return Err(e),
            read => {
                at.offset += *read.as_ref().unwrap_or(&0) as u64;
                self.at = Some(at);
                read?
            }
        };
        if n == 0 {
            return Err(super::input::truncated(self.left));
        }
        self.left -= n as u64;
        Ok(n)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(at) = self.at.take() {
            self.solid.put(at);
        }
    }
}
