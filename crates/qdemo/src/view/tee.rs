//! One input for two who read it at the same time.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// So many reads the second one may lag behind.
const AHEAD: usize = 64;

/// Two readers of the same bytes. The first takes them from the input, the second gets them from the first, and ends
/// where that one is dropped.
pub(super) fn tee(input: &mut dyn Read) -> (First<'_>, Second) {
    let (to, from) = sync_channel(AHEAD);
    (First { input, to }, Second { from, bytes: Vec::new(), taken: 0 })
}

pub(super) struct First<'r> {
    input: &'r mut dyn Read,
    to: SyncSender<Vec<u8>>,
}

impl Read for First<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buf)?;
        // The second one may have read enough.
        let _ = self.to.send(buf.get(..n).unwrap_or_default().to_vec());
        Ok(n)
    }
}

pub(super) struct Second {
    from: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    taken: usize,
}

impl Read for Second {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.bytes.len() {
            let Ok(bytes) = self.from.recv() else { return Ok(0) };
            (self.bytes, self.taken) = (bytes, 0);
        }
        let n = self.bytes.get(self.taken..).unwrap_or_default().read(buf)?;
        self.taken += n;
        Ok(n)
    }
}
