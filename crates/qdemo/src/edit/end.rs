//! How a recording ends.

use crate::demo::with_format;
use crate::demo::{Chunk, FileKind, Listed};
use crate::error::Result;
use crate::format::dem::{self, Dem};
use crate::format::mvd::{self, Mvd, Target};
use crate::format::qwd::{self, Connectionless, Qwd};
use crate::format::{Format, Packet};
use crate::frame;
use crate::wire::{ByteWriter, F32};

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
pub(super) struct End {
    pub(super) bytes: Vec<u8>,
    pub(super) is_block: bool,
}

impl Last {
    /// This was written.
    pub(super) fn take(&mut self, chunk: &Chunk<'_>) {
        if let Some(ended) = self.kind_of(chunk) {
            self.ended = ended;
        }
    }

    /// The time of the last block of a `.qwd` in the output.
    pub(super) fn is_at(&mut self, time: f32) {
        self.time = time.into();
    }

    /// True when what was written last ended the recording.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether a chunk ends a recording; `None` for what says nothing about that.
    fn kind_of(&mut self, chunk: &Chunk<'_>) -> Option<bool> {
        fn is_end<H>(chunk: &frame::Chunk<'_, H>, is_last: impl Fn(&[u8]) -> bool) -> Option<bool> {
            match chunk {
                frame::Chunk::Block(block) => Some(is_last(block.payload)),
                frame::Chunk::End => Some(true),
                _ => None,
            }
        }
        let end_of_demo = |payload: &[u8]| payload.ends_with(qwd::END_OF_DEMO);
        match chunk {
            Chunk::Dem(chunk) => {
                self.kind = Some(Dem::KIND);
                let frame::Chunk::Block(block) = chunk else { return is_end(chunk, |_| false) };
                self.camera = block.header.camera;
                Some(block.is_final())
            }
            Chunk::Qwd(chunk) => {
                self.kind = Some(Qwd::KIND);
                is_end(chunk, end_of_demo)
            }
            Chunk::Mvd(chunk) => {
                self.kind = Some(Mvd::KIND);
                is_end(chunk, end_of_demo)
            }
            Chunk::Dm2(chunk) => {
                self.kind = Some(FileKind::Dm2);
                is_end(chunk, |_| false)
            }
            Chunk::Mvd2(chunk) => {
                self.kind = Some(FileKind::Mvd2);
                is_end(chunk, |_| false)
            }
            Chunk::Dm3(chunk) => {
                self.kind = Some(FileKind::Dm3);
                is_end(chunk, |_| false)
            }
            Chunk::Unknown(_) => None,
        }
    }

    /// The end that is missing; `None` where there is one.
    pub(super) fn end(&self) -> Result<Option<End>> {
        let Some(kind) = self.kind.filter(|_| !self.ended) else { return Ok(None) };
        Ok(Some(match kind {
            FileKind::Dem => {
                let disconnect = vec![dem::Disconnect {}.into()];
                End::block::<Dem>(&dem::Packet::new(self.camera, disconnect), dem::Dialect::QUAKE)?
            }
            FileKind::Qwd => {
                let end = qwd::Packet::connectionless(self.time, Connectionless::end_of_demo());
                End::block::<Qwd>(&end, qwd::Dialect::QUAKEWORLD)?
            }
            FileKind::Mvd => {
                let header = mvd::Header::new(0, Target::All, 0);
                let disconnect = vec![qwd::Disconnect { end_of_demo: true }.into()];
                End::block::<Mvd>(&mvd::Packet::new(header, disconnect), qwd::Dialect::MULTIVIEW)?
            }
            kind => {
                let mark: &[u8] = with_format!(kind, F => F::END_MARK, unknown => &[]);
                End { bytes: mark.to_vec(), is_block: false }
            }
        }))
    }
}

impl End {
    fn block<F: Format>(packet: &Packet<'_, F>, mut dialect: crate::format::DialectOf<F>) -> Result<End> {
        let mut w = ByteWriter::default();
        packet.write(&mut dialect, &mut w)?;
        Ok(End { bytes: w.into_vec(), is_block: true })
    }
}
