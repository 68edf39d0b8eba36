//! Bytes that can be read at any place: a file, or memory.

use crate::error::{Error, ErrorKind};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that can be read at any place. Clones share them, so that the members of one archive can
/// be read side by side.
#[derive(Clone)]
pub(super) struct Store(Arc<Inner>);

struct Inner {
    bytes: Bytes,
    len: u64,
    fault: Option<Fault>,
}

enum Bytes {
    /// The lock holds for one seek and one read; nobody relies on the position in between.
    File(Mutex<File>),
    Memory(Vec<u8>),
}

/// What was wrong with the stream from which a store was loaded.
#[derive(Clone)]
pub(super) struct Fault {
    /// The message.
    pub(super) what: String,
    /// The bytes that came out are as they were: the stream merely ends too early.
    pub(super) prefix_is_sound: bool,
}

impl Store {
    pub(super) fn file(file: File, len: u64) -> Self {
        Store(Arc::new(Inner { bytes: Bytes::File(Mutex::new(file)), len, fault: None }))
    }

    pub(super) fn bytes(data: Vec<u8>) -> Self {
        Store::salvaged(data, None)
    }

    /// Bytes that were read before an error, if there was one.
    pub(super) fn salvaged(data: Vec<u8>, fault: Option<Fault>) -> Self {
        Store(Arc::new(Inner { len: data.len() as u64, bytes: Bytes::Memory(data), fault }))
    }

    pub(super) fn len(&self) -> u64 {
        self.0.len
    }

    pub(super) fn fault(&self) -> Option<&Fault> {
        self.0.fault.as_ref()
    }

    /// Reads once at `offset`; 0 bytes at the end and beyond.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        match &self.0.bytes {
            Bytes::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(offset))?;
                file.read(buf)
            }
            Bytes::Memory(data) => {
                let rest = usize::try_from(offset).ok().and_then(|at| data.get(at..));
                rest.unwrap_or_default().read(buf)
            }
        }
    }

    /// Fills `buf` from `offset` on as far as there are bytes.
    pub(super) fn read_at_most(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let mut len = 0;
        while len < buf.len() {
            match self.read_at(offset.saturating_add(len as u64), &mut buf[len..]) {
                Ok(0) => break,
                Ok(n) => len += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(len)
    }

    /// The `N` bytes at `offset`, or `None` when the store ends before.
    pub(super) fn array<const N: usize>(&self, offset: u64) -> io::Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        let len = self.read_at_most(offset, &mut bytes)?;
        Ok((len == N).then_some(bytes))
    }

    /// A reader from `offset` to wherever the store ends.
    pub(super) fn tail(&self, offset: u64) -> Window {
        Window { store: self.clone(), at: offset, left: None }
    }

    /// A reader of exactly `len` bytes from `offset` on; it ends with [`ErrorKind::Truncated`] when
    /// there are fewer.
    pub(super) fn range(&self, offset: u64, len: u64) -> Window {
        Window { store: self.clone(), at: offset, left: Some(len) }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("len", &self.0.len).finish_non_exhaustive()
    }
}

/// A reader of a part of a [`Store`].
pub(super) struct Window {
    store: Store,
    at: u64,
    /// Bytes still owed; `None` reads to the end.
    left: Option<u64>,
}

impl Read for Window {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = match self.left {
            Some(left) => buf.len().min(usize::try_from(left).unwrap_or(usize::MAX)),
            None => buf.len(),
        };
        if most == 0 {
            return Ok(0);
        }
        let n = self.store.read_at(self.at, &mut buf[..most])?;
        self.at += n as u64;
        if let Some(left) = &mut self.left {
            if n == 0 {
                return Err(Error::new(ErrorKind::Truncated { needed: *left, available: 0 }).into());
            }
            *left -= n as u64;
        }
        Ok(n)
    }
}
