//! Files of compressed streams, one behind the other: gzip, xz, bzip2, Zstandard.

use std::io::{self, Read};

use super::ContainerKind;
use super::behind::{Behind, Remains};
use super::codecs::{Bzip2, Xz};
use super::input::Input;
use super::pump::Pump;

/// One compressed stream with what stands around its data: header, checksums. Reading gives 0 at its end, and leaves
/// the input right behind it.
pub(super) trait Packed: Read {
    const KIND: ContainerKind;

    /// True for the first bytes of a stream; [`PREFIX`] of them are enough.
    fn begins(prefix: &[u8]) -> bool;

    /// Reads what stands in front of the data.
    fn start(&mut self) -> io::Result<()>;

    fn input(&mut self) -> &mut Input;
}

/// So many first bytes tell whether a stream begins.
pub(super) const PREFIX: usize = 16;

/// Unpacks stream after stream. Zeros behind one are padding, with which tapes and disks fill a block up; what else
/// stands there is no part of the file and is left in `remains`.
pub(super) struct Streams<P> {
    packed: P,
    stage: Stage,
    remains: Remains,
}

#[derive(Clone, Copy)]
enum Stage {
    /// Before the first stream.
    First,
    /// Within a stream.
    Data,
    /// Behind a stream.
    Between,
    Done,
}

impl<P: Packed> Streams<P> {
    pub(super) fn new(packed: P, remains: Remains) -> Self {
        Streams { packed, stage: Stage::First, remains }
    }

    /// Looks for another stream.
    fn next(&mut self) -> io::Result<Stage> {
        let input = self.packed.input();
        super::behind::skip_zeros(input)?;
        if P::begins(input.peek(PREFIX)?) {
            return Ok(Stage::First);
        }
        let offset = input.used();
        if let Some(behind) = Behind::read(P::KIND, offset, input)? {
            self.remains.add(behind);
        }
        Ok(Stage::Done)
    }
}

impl<P: Packed> Read for Streams<P> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            self.stage = match self.stage {
                Stage::First => {
                    self.packed.start()?;
                    Stage::Data
                }
                Stage::Data => match self.packed.read(buf)? {
                    0 => Stage::Between,
                    n => return Ok(n),
                },
                Stage::Between => self.next()?,
                Stage::Done => return Ok(0),
            };
        }
    }
}

/// Kinds whose codec knows the header and the checksums too.
macro_rules! complete {
    ($($codec:ty: $kind:ident, $begins:expr;)*) => {
        $(
            impl Packed for Pump<Input, $codec> {
                const KIND: ContainerKind = ContainerKind::$kind;

                fn begins(prefix: &[u8]) -> bool {
                    $begins(prefix)
                }

                fn start(&mut self) -> io::Result<()> {
                    self.restart();
                    Ok(())
                }

                fn input(&mut self) -> &mut Input {
                    Pump::input(self)
                }
            }
        )*
    };
}

complete! {
    Xz: Xz, begins_xz;
    Bzip2: Bzip2, begins_bzip2;
}

/// The magic number of xz (its file format, 2.1.1.1).
pub(super) fn begins_xz(prefix: &[u8]) -> bool {
    prefix.starts_with(b"\xFD7zXZ\0")
}

/// `BZh`, the size of blocks, and the number in front of a block, or of the end of an empty file.
pub(super) fn begins_bzip2(prefix: &[u8]) -> bool {
    let Some((b"BZh", rest)) = prefix.split_at_checked(3) else { return false };
    match rest.split_first() {
        Some((b'1'..=b'9', number)) => [b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"].iter().any(|known| {
            let most = known.len().min(number.len());
            known[..most] == number[..most]
        }),
        _ => false,
    }
}
