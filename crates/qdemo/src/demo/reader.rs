//! Reading a demo chunk by chunk, with memory for a few blocks however long the file is.

use std::io::Read;

use super::detect::{self, Detected};
use super::{Chunk, Cut, FileKind, Framer};
use crate::error::Result;
use crate::frame::{Step, Unframed, Window};
use crate::limits::Limits;

/// A place between two chunks of a recording that lies in memory. A clone can go on from there at any time.
#[derive(Debug, Clone)]
pub(crate) struct Cursor {
    framer: Framer,
    offset: usize,
}

impl Cursor {
    /// The beginning of a recording.
    pub(crate) fn new(kind: FileKind, limits: Limits) -> Self {
        Cursor { framer: Framer::new(kind, limits), offset: 0 }
    }

    /// Bytes in front of this place.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The next chunk of `bytes`, which is the whole recording each time.
    #[inline]
    pub(crate) fn next<'a>(&mut self, bytes: &'a [u8]) -> Option<Chunk<'a>> {
        let rest = bytes.get(self.offset..)?;
        let Step::Cut(cut) = self.framer.next(rest, true) else { return None };
        self.offset += cut.len();
        Some(cut.chunk(rest))
    }
}

/// Some chunks of a recording that follow each other, with all their bytes.
#[derive(Debug)]
pub(crate) struct Part {
    bytes: Vec<u8>,
    cuts: Vec<Cut>,
    /// Where it begins in the file.
    offset: u64,
    /// What the headers in front of it have told to have passed, in milliseconds: multi-view demos.
    pub(crate) msec: i32,
}

impl Part {
    /// Every chunk, with its bytes and where they begin in the file.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (Chunk<'_>, &[u8], u64)> {
        let mut at = 0;
        self.cuts.iter().map(move |cut| {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let (offset, len) = (self.offset + at as u64, cut.len());
            at += len;
            (cut.chunk(rest), rest.get(..len).unwrap_or(rest), offset)
        })
    }
}

/// The chunks of a demo, read as they are asked for. All chunks in order make up the file.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, Chunk, Reader, format::dem};
/// let bytes = std::fs::read("../../testdata/clip.dem")?;
/// let mut reader = Reader::new(&bytes[..], "clip.dem", Limits::default())?;
/// let mut blocks = 0;
/// while let Some(chunk) = reader.next_chunk()? {
///     blocks += usize::from(matches!(chunk, Chunk::Dem(dem::Chunk::Block(_))));
/// }
/// assert!(blocks > 0);
/// # Ok(()) }
/// ```
pub struct Reader<R> {
    name: Box<str>,
    window: Window<R>,
    taken: usize,
    detected: Detected,
    framer: Framer,
    msec: i32,
}

impl<R> std::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let offset = self.window.offset + self.taken as u64;
        f.debug_struct("Reader").field("detected", &self.detected).field("offset", &offset).finish_non_exhaustive()
    }
}

impl<R: Read> Reader<R> {
    /// Blocks of Quake may be so large.
    const LARGEST_BLOCK: usize = 65_536;

    /// Looks at the beginning of `input` to tell its format. `name` decides only when the content does not.
    ///
    /// # Errors
    /// Whatever reading gives in front of the first byte.
    pub fn new(input: R, name: &str, limits: Limits) -> Result<Self> {
        let mut window = Window::new(input);
        let detected = loop {
            window.more().map_err(|e| e.in_file(name))?;
            let detected = detect::detect(window.data(), window.has_ended(), name, limits);
            // The first blocks may be larger than what was read of them.
            let enough =
                window.has_ended() || window.data().len() > limits.block.max(Self::LARGEST_BLOCK).saturating_mul(2);
            if enough || detected.score >= 50 && detected.kind != FileKind::Unknown && !detected.open {
                break detected;
            }
        };
        let framer = Framer::new(detected.kind, limits);
        Ok(Reader { name: name.into(), window, taken: 0, detected, framer, msec: 0 })
    }

    /// The same, which also reads blocks behind an end: a recording that goes on there, or another one.
    pub(crate) fn reading_on(mut self) -> Self {
        self.framer.read_on();
        self
    }

    /// What the file was taken for, and why.
    pub fn detected(&self) -> &Detected {
        &self.detected
    }

    /// Offset of the next chunk: how many bytes were handed out.
    pub fn offset(&self) -> u64 {
        self.window.offset + self.taken as u64
    }

    /// The bytes of the chunk handed out last.
    pub fn raw(&self) -> &[u8] {
        &self.window.data()[..self.taken]
    }

    /// The next chunk, or `None` at the end.
    ///
    /// # Errors
    /// Whatever reading gives, behind all chunks that were read in full before it. Damage is no error: it is a chunk of its own.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>> {
        Ok(self.next_with_bytes()?.map(|(chunk, _)| chunk))
    }

    /// The next chunk and all its bytes, or `None` at the end.
    ///
    /// # Errors
    /// Whatever reading gives.
    pub fn next_with_bytes(&mut self) -> Result<Option<(Chunk<'_>, &[u8])>> {
        const UNFRAMED: usize = 65_536;
        self.window.consume(self.taken);
        self.taken = 0;
        if self.detected.kind == FileKind::Unknown {
            if self.window.data().len() < UNFRAMED && !self.window.has_ended() {
                self.more()?;
            }
            if self.window.data().is_empty() {
                return self.failure().map(|()| None);
            }
            let offset = self.window.offset;
            let data = self.window.data();
            self.taken = data.len().min(UNFRAMED);
            let bytes = &data[..self.taken];
            let why = self.detected.unknown_because();
            return Ok(Some((Chunk::Unknown(Unframed { offset, bytes, why }), bytes)));
        }
        let Some(cut) = self.next_cut()? else { return Ok(None) };
        let data = self.window.data();
        Ok(Some((cut.chunk(data), &data[..self.taken])))
    }

    fn more(&mut self) -> Result<()> {
        self.window.more().map_err(|e| e.in_file(&self.name))
    }

    /// What ended reading before the end of the input.
    fn failure(&mut self) -> Result<()> {
        self.window.failure().map_err(|e| e.in_file(&self.name))
    }

    fn next_cut(&mut self) -> Result<Option<Cut>> {
        let cut = loop {
            match self.framer.next(self.window.data(), self.window.has_ended()) {
                Step::Cut(cut) => break cut,
                Step::More => self.more()?,
                Step::End => return self.failure().map(|()| None),
            }
        };
        // Half a block is none where the other half may yet be had.
        if self.window.has_failed() && cut.chunk(self.window.data()).cut_block().is_some() {
            self.failure()?;
        }
        self.taken = cut.len();
        Ok(Some(cut))
    }

    /// The next chunks, of so many bytes together or a little more, in the memory of a part that is done; `None` at the
    /// end. The file has a format.
    ///
    /// # Errors
    /// Whatever reading gives.
    pub(crate) fn next_part(&mut self, size: usize, done: Option<Part>) -> Result<Option<Part>> {
        self.window.consume(self.taken);
        self.taken = 0;
        let (mut bytes, mut cuts) = done.map_or_else(Default::default, |done| (done.bytes, done.cuts));
        bytes.clear();
        cuts.clear();
        let mut part = Part { bytes, cuts, offset: self.offset(), msec: self.msec };
        while part.bytes.len() < size {
            self.window.consume(self.taken);
            self.taken = 0;
            let Some(cut) = self.next_cut()? else { break };
            part.bytes.extend_from_slice(self.raw());
            part.cuts.push(cut);
            self.msec = self.msec.wrapping_add(i32::from(cut.msec()));
        }
        // Blocks see the byte behind them.
        part.bytes.extend(self.window.data().get(self.taken));
        Ok((!part.cuts.is_empty()).then_some(part))
    }
}
