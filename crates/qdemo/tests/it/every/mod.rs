//! What holds for every format alike: each test is written once, and runs for each of them.

mod agreement;
mod bad;
mod bounds;
mod changes;
mod damage;
mod events;
mod findings;
mod first_introductions;
mod introductions;
mod recordings;
mod rows;
mod seek;
mod world;

use std::fmt::Debug;
use std::path::PathBuf;

use qdemo::demo::Listed;
use qdemo::format::{BlockOf, MessageSet};
use qdemo::frame::Chunk;
use qdemo::{Limits, Reader};

use crate::common::{Random, testdata};

/// A format, and recordings of it for the tests of all formats.
pub(crate) trait Samples: Listed {
    /// A file name that fits.
    const FILE: &'static str;
    /// A recording in `testdata`.
    const SHIPPED: &'static str;
    /// Bytes in the header of a block.
    const HEADER: usize;
    /// Rounds of random damage that a full run does to short recordings.
    const ROUNDS: usize;

    /// Every recording at hand: shipped, of the corpus, and recorded for the project.
    fn recordings() -> Vec<PathBuf>;

    /// Recordings built by the tests, for what the ones at hand may lack.
    fn made() -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Short recordings with much in them.
    fn short() -> Vec<Vec<u8>>;

    /// Gives, round for round, a part of a recording that begins as one does, so short that a round is cheap, and a name
    /// for it.
    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str);

    /// Bytes with what a file of the format begins with in front.
    fn begun(bytes: &[u8]) -> Vec<u8>;

    fn shipped() -> Vec<u8> {
        testdata(Self::SHIPPED)
    }

    /// Offset in the file behind what must be whole for a message to be read that ends so far into a payload.
    fn end(block: &BlockOf<'_, Self>, end: usize) -> u64 {
        block.payload_offset() + end as u64
    }

    /// Shows every message of a file that was decoded, with that offset.
    fn each_message(demo: &[u8], each: &mut dyn FnMut(u64, &dyn Debug)) {
        let mut chunks = Reader::new(demo, Self::FILE, Limits::default()).unwrap();
        let mut decoder = Self::decoder(chunks.detected());
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            let Some(Chunk::Block(block)) = Self::chunk(&chunk) else { continue };
            let (packet, _) = decoder.read(block);
            for (message, end) in packet.messages.iter().zip(decoder.ends()).filter(|(m, _)| m.kind().is_some()) {
                each(Self::end(block, *end), message);
            }
            decoder.recycle(packet);
        }
    }

    /// All of the messages, as texts that tell them apart.
    fn messages(demo: &[u8]) -> Vec<(u64, String)> {
        let mut all = Vec::new();
        Self::each_message(demo, &mut |end, message| all.push((end, format!("{message:?}"))));
        all
    }
}

/// Makes tests of functions over a format: of `what_holds` come `what_holds::dem`, `what_holds::qwd` and so on.
macro_rules! for_every_format {
    ($($what_holds:ident),+ $(,)?) => {$(
        mod $what_holds {
            #[test]
            fn dem() {
                super::$what_holds::<qdemo::format::dem::Dem>();
            }

            #[test]
            fn qwd() {
                super::$what_holds::<qdemo::format::qwd::Qwd>();
            }

            #[test]
            fn mvd() {
                super::$what_holds::<qdemo::format::mvd::Mvd>();
            }

            #[test]
            fn dm2() {
                super::$what_holds::<qdemo::format::dm2::Dm2>();
            }

            #[test]
            fn mvd2() {
                super::$what_holds::<qdemo::format::mvd2::Mvd2>();
            }

            #[test]
            fn dm3() {
                super::$what_holds::<qdemo::format::dm3::Dm3>();
            }
        }
    )+};
}
use for_every_format;
