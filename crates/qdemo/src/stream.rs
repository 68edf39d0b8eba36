//! Reading a demo chunk by chunk, with memory for a few blocks however long the file is.

use std::io::Read;

use crate::detect::{self, Detected, Format};
use crate::error::Result;
use crate::format::{Step, Unframed, dem, dm2, dm3, mvd, mvd2, qwd};
use crate::limits::Limits;

/// A sliding window over a reader.
pub(crate) struct Window<R> {
    inner: R,
    buffer: Vec<u8>,
    /// Where the bytes begin that are not consumed.
    start: usize,
    at_end: bool,
    /// Bytes consumed before the window.
    pub(crate) offset: u64,
}

impl<R: Read> Window<R> {
    const FIRST: usize = 32 * 1024;
    const CHUNK: usize = 64 * 1024;

    pub(crate) fn new(inner: R) -> Self {
        Window { inner, buffer: Vec::new(), start: 0, at_end: false, offset: 0 }
    }

    /// The bytes in the window.
    #[inline]
    pub(crate) fn data(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// True when the window reaches to the end of the input.
    pub(crate) fn at_end(&self) -> bool {
        self.at_end
    }

    /// Moves the beginning of the window.
    #[inline]
    pub(crate) fn consume(&mut self, n: usize) {
        let n = n.min(self.buffer.len() - self.start);
        self.start += n;
        self.offset += n as u64;
    }

    /// Reads more. The window grows only when nothing could be read otherwise.
    pub(crate) fn more(&mut self) -> Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let (held, size) = (self.buffer.len(), self.buffer.capacity());
        if size - held < Self::CHUNK {
            // Most files are small: begin with little, then read in large chunks.
            let larger = if size == 0 { Self::FIRST } else { (size * 2).max(2 * Self::CHUNK) };
            self.buffer.reserve_exact(larger - held);
        }
        let room = self.buffer.capacity() - held;
        if !self.at_end {
            // A pipe hands out little at a time: fill the window before parsing goes on.
            match self.inner.by_ref().take(room as u64).read_to_end(&mut self.buffer) {
                Ok(read) => self.at_end = read < room,
                Err(e) => return Err(crate::Error::from(e).at_offset(self.offset + self.buffer.len() as u64)),
            }
        }
        Ok(())
    }
}

/// One part of a demo of any format.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk<'a> {
    /// A part of a Quake `.dem`.
    Dem(dem::Chunk<'a>),
    /// A part of a QuakeWorld `.qwd`.
    Qwd(qwd::Chunk<'a>),
    /// A part of a QuakeWorld `.mvd`.
    Mvd(mvd::Chunk<'a>),
    /// A part of a Quake II `.dm2`.
    Dm2(dm2::Chunk<'a>),
    /// A part of a Quake II `.mvd2`.
    Mvd2(mvd2::Chunk<'a>),
    /// A part of a Quake III demo.
    Dm3(dm3::Chunk<'a>),
    /// Bytes of a file of unknown format.
    Unknown(Unframed<'a>),
}

impl Chunk<'_> {
    /// Offset in the file of the messages of a block; 0 for what is no block.
    pub fn payload_offset(&self) -> u64 {
        match self {
            Chunk::Dem(dem::Chunk::Block(block)) => block.payload_offset(),
            Chunk::Qwd(qwd::Chunk::Block(block)) => block.payload_offset(),
            Chunk::Mvd(mvd::Chunk::Block(block)) => block.payload_offset(),
            Chunk::Dm2(dm2::Chunk::Block(block)) => block.payload_offset(),
            Chunk::Mvd2(mvd2::Chunk::Block(block)) => block.payload_offset(),
            Chunk::Dm3(dm3::Chunk::Block(block)) => block.payload_offset(),
            _ => 0,
        }
    }

    /// Number of a block, from 0; in `.mvd` of the record. `None` for what is no block.
    pub fn block_number(&self) -> Option<u64> {
        Some(match self {
            Chunk::Dem(dem::Chunk::Block(block)) => block.index,
            Chunk::Qwd(qwd::Chunk::Block(block)) => block.index,
            Chunk::Mvd(mvd::Chunk::Block(block)) => block.index,
            Chunk::Dm2(dm2::Chunk::Block(block)) => block.index,
            Chunk::Mvd2(mvd2::Chunk::Block(block)) => block.index,
            Chunk::Dm3(dm3::Chunk::Block(block)) => block.index,
            _ => return None,
        })
    }
}

/// The framer of the file's format, and where the next chunk ends.
macro_rules! formats {
    ($($format:ident = $module:ident,)*) => {
        #[derive(Debug, Clone)]
        enum Framer {
            $($format($module::Framer),)*
            Unknown,
        }

        enum Cut {
            $($format($module::Cut),)*
        }

        impl Framer {
            fn new(format: Format, limits: Limits) -> Self {
                match format {
                    $(Format::$format { .. } => Framer::$format($module::Framer::new(limits)),)*
                    Format::Unknown => Framer::Unknown,
                }
            }

            #[inline]
            fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
                match self {
                    $(Framer::$format(framer) => framer.next(window, at_end).map(Cut::$format),)*
                    Framer::Unknown => Step::End,
                }
            }
        }

        impl Cut {
            fn len(&self) -> usize {
                match self {
                    $(Cut::$format(cut) => cut.len,)*
                }
            }

            #[inline]
            fn chunk<'a>(&self, window: &'a [u8]) -> Chunk<'a> {
                match self {
                    $(Cut::$format(cut) => Chunk::$format(cut.chunk(window)),)*
                }
            }
        }
    };
}

formats! { Dem = dem, Qwd = qwd, Mvd = mvd, Dm2 = dm2, Mvd2 = mvd2, Dm3 = dm3, }

/// A place between two chunks of a recording that lies in memory. A clone can go on from there at any time.
#[derive(Debug, Clone)]
pub(crate) struct Cursor {
    framer: Framer,
    offset: usize,
}

impl Cursor {
    /// The beginning of a recording.
    pub(crate) fn new(format: Format, limits: Limits) -> Self {
        Cursor { framer: Framer::new(format, limits), offset: 0 }
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

/// The chunks of a demo, read as they are asked for. All chunks in order make up the file.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, Chunk, Reader, format::dem};
/// let bytes = std::fs::read("../../testdata/clip.dem")?;
/// let mut chunks = Reader::new(&bytes[..], "clip.dem", Limits::default())?;
/// let mut blocks = 0;
/// while let Some(chunk) = chunks.next_chunk()? {
///     blocks += usize::from(matches!(chunk, Chunk::Dem(dem::Chunk::Block(_))));
/// }
/// assert!(blocks > 0);
/// # Ok(()) }
/// ```
pub struct Reader<R> {
    window: Window<R>,
    taken: usize,
    detected: Detected,
    framer: Framer,
}

impl<R: Read> Reader<R> {
    /// Looks at the beginning of `input` to tell its format. `name` decides only when the content does not.
    ///
    /// # Errors
    /// Whatever reading gives.
    pub fn new(input: R, name: &str, limits: Limits) -> Result<Self> {
        let mut window = Window::new(input);
        let detected = loop {
            window.more()?;
            let detected = detect::detect(window.data(), window.at_end(), name, limits);
            // The first blocks may be larger than what was read of them.
            let enough = window.at_end() || window.data().len() > 2 * limits.block.max(dem::Framer::SCAN_BLOCK);
            if enough || detected.score >= 50 && detected.format != Format::Unknown {
                break detected;
            }
        };
        let framer = Framer::new(detected.format, limits);
        Ok(Reader { window, taken: 0, detected, framer })
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
    /// Whatever reading gives. Damage is no error: it is a chunk of its own.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>> {
        const STRAY: usize = 65_536;
        self.window.consume(self.taken);
        self.taken = 0;
        if self.detected.format == Format::Unknown {
            if self.window.data().len() < STRAY && !self.window.at_end() {
                self.window.more()?;
            }
            let offset = self.window.offset;
            let data = self.window.data();
            self.taken = data.len().min(STRAY);
            let bytes = &data[..self.taken];
            let why = self.detected.unknown_because();
            return Ok((!bytes.is_empty()).then_some(Chunk::Unknown(Unframed { offset, bytes, why })));
        }
        let cut = loop {
            match self.framer.next(self.window.data(), self.window.at_end()) {
                Step::Cut(cut) => break cut,
                Step::More => self.window.more()?,
                Step::End => return Ok(None),
            }
        };
        self.taken = cut.len();
        Ok(Some(cut.chunk(self.window.data())))
    }
}
