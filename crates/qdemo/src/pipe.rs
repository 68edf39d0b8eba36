//! Bytes from one thread to another: for those who read along what somebody reads or writes.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Parts that may wait to be read.
const WAITING: usize = 64;

/// Where bytes are put in. Dropping it ends what is read.
#[derive(Debug, Clone)]
pub struct PipeEntry(SyncSender<Vec<u8>>);

/// Reads what is put in, from the first byte on.
#[derive(Debug)]
pub struct Pipe {
    from: Receiver<Vec<u8>>,
    part: Vec<u8>,
    at: usize,
}

/// A pipe with room for 64 parts: who puts in more waits for the reader.
///
/// ```
/// let (entry, read) = qdemo::pipe::pipe();
/// entry.put(b"one ");
/// entry.put(b"two");
/// drop(entry);
/// assert_eq!(std::io::read_to_string(read).unwrap(), "one two");
/// ```
pub fn pipe() -> (PipeEntry, Pipe) {
    let (to, from) = sync_channel(WAITING);
    (PipeEntry(to), Pipe { from, part: Vec::new(), at: 0 })
}

impl PipeEntry {
    /// Puts bytes in. Where nobody reads any more they are dropped: whoever reads along may have had enough.
    pub fn put(&self, bytes: &[u8]) {
        let _ = self.0.send(bytes.to_vec());
    }
}

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.part.len() {
            let Ok(part) = self.from.recv() else { return Ok(0) };
            (self.part, self.at) = (part, 0);
        }
        let n = self.part.get(self.at..).unwrap_or_default().read(buf)?;
        self.at += n;
        Ok(n)
    }
}
