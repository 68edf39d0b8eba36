//! How a recording ends.

use std::io::{self, Write};

use super::Account;
use crate::demo::{Chunk, FileKind, with_format};
use crate::error::{Error, Result};
use crate::format::mvd::{self, Target};
use crate::format::qwd::{self, Connectionless};
use crate::format::{Format, dem};
use crate::frame;
use crate::wire::F32;

/// What is said of a block within which the file ends: an end behind it would be taken for a part of it.
pub(super) fn cut_off(block: u64) -> String {
    format!("block {block} is cut short by the end of its file, and left out")
}

/// Bytes that are no block, while nothing has followed: an end behind them would not be seen.
#[derive(Debug, Default)]
pub(super) struct Held(Vec<u8>);

/// What went wrong with what is written to: nothing is wrong with the recording that is read.
pub(super) fn of_output(e: io::Error) -> Error {
    Error::from(e).in_file("output")
}

impl Held {
    /// More are written as they come.
    const MOST: usize = 1 << 20;

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Holds back what is no block; false for what is to be written.
    pub(super) fn takes(&mut self, chunk: &Chunk<'_>, bytes: &[u8]) -> bool {
        let is_held = chunk.unframed().is_some() && self.0.len() + bytes.len() <= Self::MOST;
        if is_held {
            self.0.extend_from_slice(bytes);
        }
        is_held
    }

    /// Writes what was held, and what follows. Gives how many bytes these are.
    pub(super) fn write(&mut self, bytes: &[u8], out: &mut (impl Write + ?Sized)) -> Result<u64> {
        let held = std::mem::take(&mut self.0);
        out.write_all(&held).and_then(|()| out.write_all(bytes)).map_err(of_output)?;
        Ok((held.len() + bytes.len()) as u64)
    }

    /// Leaves it out, and says so: an end is made.
    pub(super) fn leave_out(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.0).len();
        (bytes > 0).then(|| format!("{bytes} bytes at the end of the file are no block, and left out"))
    }
}

/// What an end depends on: what was written last.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Last {
    kind: Option<FileKind>,
    /// Nothing but bytes that are no block follows.
    ended: bool,
    /// Where the last block of a `.dem` looks.
    camera: [F32; 3],
    /// The time of the last block of a `.qwd`.
    time: F32,
}

/// An end that is to be added.
pub(crate) struct End {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_block: bool,
}

impl Last {
    /// This was written.
    pub(super) fn take(&mut self, chunk: &Chunk<'_>) {
        self.kind = Some(chunk.kind()).filter(|kind| *kind != FileKind::Unknown).or(self.kind);
        match chunk {
            Chunk::Dem(frame::Chunk::Block(block)) => self.camera = block.header.camera,
            Chunk::Qwd(frame::Chunk::Block(block)) => self.time = block.header.time.0,
            _ => {}
        }
        self.ended = chunk.ends().unwrap_or(self.ended);
    }

    /// The time of the last block of a `.qwd` in the output.
    pub(super) fn is_at(&mut self, time: f32) {
        self.time = time.into();
    }

    /// True when what was written last ended the recording.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The end that is missing; `None` where there is one.
    pub(super) fn end(&self) -> Result<Option<End>> {
        let Some(kind) = self.kind.filter(|_| !self.ended) else { return Ok(None) };
        Ok(Some(match kind {
            FileKind::Dem => {
                let disconnect = vec![dem::Disconnect {}.into()];
                End::block(dem::Packet::new(self.camera, disconnect).to_bytes(dem::Dialect::QUAKE)?)
            }
            FileKind::Qwd => {
                let end = qwd::Packet::connectionless(self.time, Connectionless::end_of_demo());
                End::block(end.to_bytes(qwd::Dialect::QUAKEWORLD)?)
            }
            FileKind::Mvd => {
                let header = mvd::Header::new(0, Target::All, 0);
                let disconnect = vec![qwd::Disconnect { end_of_demo: true }.into()];
                End::block(mvd::Packet::new(header, disconnect).to_bytes(qwd::Dialect::MULTIVIEW)?)
            }
            kind => {
                let mark: &[u8] = with_format!(kind, F => F::END_MARK, unknown => &[]);
                End { bytes: mark.to_vec(), is_block: false }
            }
        }))
    }
}

impl End {
    fn block(bytes: Vec<u8>) -> End {
        End { bytes, is_block: true }
    }

    /// Writes it, and says so.
    pub(crate) fn write(&self, account: &mut Account, out: &mut impl Write) -> Result<()> {
        out.write_all(&self.bytes)?;
        account.bytes_written += self.bytes.len() as u64;
        account.blocks_made += u64::from(self.is_block);
        account.end_made = true;
        Ok(())
    }
}
