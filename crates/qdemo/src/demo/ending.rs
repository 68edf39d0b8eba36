//! What is wrong with the end of a recording: blocks stand behind it, or it is missing.

use super::{Chunk, Faults, FileKind, with_format};
use crate::format::Format;
use crate::frame::Diagnostic;
use crate::wire::{Fault, FaultKind};

/// Looks at the end of a recording and at what stands behind it, for everybody who counts what is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Ending {
    /// The recording has ended.
    ended: bool,
    /// Blocks behind the end were told of.
    told: bool,
}

impl Ending {
    /// The next chunk, which begins at an offset: its own faults are noted behind this. Tells where another recording
    /// stands behind the end, or this one goes on: players stop there.
    pub(crate) fn chunk(&mut self, name: &str, chunk: &Chunk<'_>, offset: u64, faults: &mut Faults) {
        if self.ended {
            if let Some(at) = self.blocks_behind(chunk) {
                self.told = true;
                let what = "blocks behind the end of the recording: players stop there";
                let fault = Fault::new(FaultKind::Malformed(what), 0);
                faults.add(name, Diagnostic { fault, offset: offset + at as u64, block: None, after: Vec::new() });
            }
        }
        self.ended |= chunk.ends() == Some(true);
    }

    #[cold]
    fn blocks_behind(&self, chunk: &Chunk<'_>) -> Option<usize> {
        // Where nothing is set apart behind an end, a recording that goes on there is none of its own.
        let is_set_apart = with_format!(chunk.kind(), F => F::TRAILER, unknown => false);
        (is_set_apart && !self.told).then(|| chunk.blocks_behind()).flatten()
    }

    /// Notes that the end is missing, if it is, of a file that ends at an offset.
    pub(crate) fn finish(&self, name: &str, kind: FileKind, offset: u64, faults: &mut Faults) {
        if self.ended {
            return;
        }
        let missing = with_format!(kind, F => F::missing_end(offset), unknown => None);
        missing.into_iter().for_each(|missing| faults.add_unless_cut(name, missing));
    }
}
