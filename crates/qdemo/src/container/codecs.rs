//! The kinds of compressed data, as the crates that know them unpack it.

use flate2::{Decompress, FlushDecompress, Status};
use lzma_rust2::{Action, FilterConfig, Lzma2Stream, LzmaStream, XzStream};

use super::pump::{Anew, Codec, Progress, State};
use crate::Result;
use crate::error::{Error, ErrorKind};
use crate::limits::Bound;

/// Raw deflate (RFC 1951).
pub(super) struct Deflate(Decompress);

/// Distance that deflate can look back.
const RING: u64 = 32 << 10;

impl Deflate {
    pub(super) fn new() -> Self {
        Deflate(Decompress::new(false))
    }
}

impl Codec for Deflate {
    fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> Progress {
        let (used, made) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(input, out, FlushDecompress::None);
        let (used, made) = (self.0.total_in() - used, self.0.total_out() - made);
        let state = match status {
            Ok(Status::StreamEnd) => State::Done,
            Ok(_) if made > 0 || used > 0 || ended => State::Running,
            Ok(_) | Err(_) => corrupt("deflate"),
        };
        Progress { used: used as usize, made: made as usize, state }
    }

    /// The decoder unpacks into a ring of its own before it copies. Never asking beyond the end of that ring means that
    /// nothing is left in it when an error comes.
    fn room(&self, window: usize) -> usize {
        window.min((RING - self.0.total_out() % RING) as usize)
    }
}

impl Anew for Deflate {
    fn anew(&self) -> Self {
        Deflate::new()
    }
}

/// Deflate with the header and the checksum of zlib (RFC 1950).
pub(super) struct Zlib(Deflate);

impl Zlib {
    pub(super) fn new() -> Self {
        Zlib(Deflate(Decompress::new(true)))
    }
}

impl Codec for Zlib {
    fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> Progress {
        self.0.step(input, ended, out)
    }

    fn room(&self, window: usize) -> usize {
        self.0.room(window)
    }
}

/// bzip2.
pub(super) struct Bzip2(bzip2::Decompress);

impl Bzip2 {
    pub(super) fn new() -> Self {
        Bzip2(bzip2::Decompress::new(false))
    }
}

impl Codec for Bzip2 {
    fn step(&mut self, input: &[u8], _: bool, out: &mut [u8]) -> Progress {
        let (used, made) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(input, out);
        let (used, made) = (self.0.total_in() - used, self.0.total_out() - made);
        let state = match status {
            Ok(bzip2::Status::StreamEnd) => State::Done,
            Ok(_) => State::Running,
            Err(_) => corrupt("bzip2"),
        };
        Progress { used: used as usize, made: made as usize, state }
    }
}

impl Anew for Bzip2 {
    fn anew(&self) -> Self {
        Bzip2::new()
    }
}

/// What the crate does with a stream of LZMA, which has three forms.
macro_rules! lzma {
    ($codec:ident, $name:literal) => {
        impl Codec for $codec {
            fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> Progress {
                let (used, made) = (self.stream.total_in(), self.stream.total_out());
                let action = if ended { Action::Finish } else { Action::Run };
                let state = match self.stream.process(input, out, action) {
                    Ok(done) if done.status == lzma_rust2::Status::StreamEnd => State::Done,
                    Ok(_) => State::Running,
                    Err(e) if e.kind() == std::io::ErrorKind::OutOfMemory => {
                        let found = self.stream.memory_usage().map_or(u64::MAX, |kib| u64::from(kib) * 1024);
                        State::Failed(held(self.held, found))
                    }
                    Err(_) => corrupt($name),
                };
                let (used, made) = (self.stream.total_in() - used, self.stream.total_out() - made);
                Progress { used: used as usize, made: made as usize, state }
            }
        }
    };
}

lzma!(Xz, "xz");
lzma!(Lzma, "LZMA");
lzma!(Lzma2, "LZMA2");

/// A stream of xz, from its header to its footer. The crate grows its dictionary with what is unpacked, not with what the
/// header announces; that is bounded beforehand all the same.
pub(super) struct Xz {
    stream: XzStream,
    held: u64,
}

impl Xz {
    pub(super) fn new(held: u64) -> Self {
        Xz { stream: XzStream::new_mem_limit(false, u32::try_from(held / 1024).unwrap_or(u32::MAX)), held }
    }
}

impl Anew for Xz {
    fn anew(&self) -> Self {
        Xz::new(self.held)
    }
}

/// LZMA without a header, as 7z has it.
pub(super) struct Lzma {
    stream: LzmaStream,
    held: u64,
}

impl Lzma {
    /// # Errors
    ///
    /// Properties that LZMA cannot have, and a dictionary beyond `held` bytes.
    pub(super) fn new(properties: &[u8], size: u64, filter: Option<FilterConfig>, held: u64) -> Result<Self> {
        let &[first, d0, d1, d2, d3] = properties else { return Err(odd()) };
        let dictionary = bounded(u32::from_le_bytes([d0, d1, d2, d3]), held)?;
        let mut stream = LzmaStream::new_with_props(size, first, dictionary, None).map_err(|_| odd())?;
        stream.set_filters(filter.as_slice()).map_err(|_| odd())?;
        Ok(Lzma { stream, held })
    }
}

/// LZMA2 without a header, as 7z has it.
pub(super) struct Lzma2 {
    stream: Lzma2Stream,
    held: u64,
}

impl Lzma2 {
    /// # Errors
    ///
    /// As for [`Lzma::new`].
    pub(super) fn new(properties: &[u8], filter: Option<FilterConfig>, held: u64) -> Result<Self> {
        // 2 or 3, to be shifted.
        let dictionary = match properties {
            [40] => u32::MAX,
            [bits @ 0..40] => (2 | u32::from(bits & 1)) << (bits / 2 + 11),
            _ => return Err(odd()),
        };
        let mut stream = Lzma2Stream::new(bounded(dictionary, held)?);
        stream.set_filters(filter.as_slice()).map_err(|_| odd())?;
        Ok(Lzma2 { stream, held })
    }
}

fn bounded(dictionary: u32, most: u64) -> Result<u32> {
    if u64::from(dictionary) > most { Err(held(most, dictionary.into())) } else { Ok(dictionary) }
}

fn held(limit: u64, found: u64) -> Error {
    Error::new(ErrorKind::Limit { what: Bound::Held, limit, found })
}

fn odd() -> Error {
    Error::container("is packed by LZMA in a way that LZMA does not have")
}

fn corrupt(what: &str) -> State {
    State::Failed(Error::container(format!("damaged: the {what} data is corrupt")))
}
