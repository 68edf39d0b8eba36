//! Where the messages of a recording stand in its file.

use super::detect::Detected;
use super::{Chunk, FileKind, Listed, Message, for_formats};
use crate::error::Result;
use crate::format::{self, Decoder, Format, MessageSet, dm2, mvd2};
use crate::frame;

/// A message, and where it stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessagePlace {
    /// Number of the message within its block, from 0. Those that another message carries have the number of that one.
    pub index: usize,
    /// Name of the message; `unknown` for bytes that could not be decoded.
    pub name: &'static str,
    /// Name of the message that carries it: multi-view recordings of Quake II, and those of Relay.
    pub within: Option<&'static str>,
    /// Where it is; `None` for a message within another one, whose place is not noted.
    pub extent: Option<Extent>,
}

/// A stretch of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extent {
    /// Offset in the file of the byte in which it begins.
    pub offset: u64,
    /// The bit of that byte, from the lowest: 0 where messages are whole bytes.
    pub bit: u8,
    /// How many bits it has.
    pub bits: u64,
    /// True where messages are whole bytes.
    pub in_bytes: bool,
}

macro_rules! places {
    ($($(#[doc = $doc:literal])* $name:ident = $module:ident;)*) => {
        /// Tells where the messages of a recording stand, block after block.
        ///
        /// ```
        /// # fn main() -> qdemo::Result<()> {
        /// use qdemo::{Limits, Reader, demo::MessagePlaces};
        /// let demo = std::fs::read("../../testdata/clip.dem")?;
        /// let mut reader = Reader::new(&demo[..], "clip.dem", Limits::default())?;
        /// let mut places = MessagePlaces::new(reader.detected());
        /// let mut bytes = 0;
        /// while let Some(chunk) = reader.next_chunk()? {
        ///     places.each(&chunk, &mut |place, _| {
        ///         bytes += place.extent.map_or(0, |extent| extent.bits / 8);
        ///         Ok(())
        ///     })?;
        /// }
        /// // The rest: a line in front of them all, and 16 bytes in front of each block.
        /// assert_eq!(3 + 1_104 * 16 + bytes, demo.len() as u64);
        /// # Ok(()) }
        /// ```
        #[derive(Debug, Clone)]
        pub struct MessagePlaces(Decoders);

        #[derive(Debug, Clone)]
        enum Decoders {
            $($name(Box<Decoder<format::$module::$name>>),)*
            Unknown,
        }

        impl MessagePlaces {
            /// At the beginning of a recording.
            pub fn new(detected: &Detected) -> Self {
                MessagePlaces(match detected.kind {
                    $(FileKind::$name => {
                        Decoders::$name(Box::new(<format::$module::$name as Listed>::decoder(detected)))
                    })*
                    FileKind::Unknown => Decoders::Unknown,
                })
            }

            /// Shows each message of the next chunk, in order, and its place.
            ///
            /// # Errors
            /// Those of `each`, which end it.
            pub fn each(
                &mut self,
                chunk: &Chunk<'_>,
                each: &mut dyn FnMut(&MessagePlace, &Message<'_>) -> Result<()>,
            ) -> Result<()> {
                match &mut self.0 {
                    $(Decoders::$name(decoder) => in_block(decoder, chunk, Message::$name, each),)*
                    Decoders::Unknown => Ok(()),
                }
            }
        }
    };
}
for_formats!(places);

fn in_block<'a, F: Listed>(
    decoder: &mut Decoder<F>,
    chunk: &Chunk<'a>,
    any: fn(F::Message<'a>) -> Message<'a>,
    each: &mut dyn FnMut(&MessagePlace, &Message<'_>) -> Result<()>,
) -> Result<()> {
    let Some(frame::Chunk::Block(block)) = F::chunk(chunk) else { return Ok(()) };
    let (mut packet, _) = decoder.read(block);
    let unit = if <F as Format>::IN_BITS { 1 } else { 8 };
    let mut start = decoder.start() * unit;
    for (index, message) in packet.messages.drain(..).enumerate() {
        // Bytes that could not be decoded reach to the end.
        let end = decoder.ends().get(index).copied().unwrap_or(block.payload.len() * 8 / unit) * unit;
        let extent = Extent {
            offset: block.payload_offset() + (start / 8) as u64,
            bit: (start % 8) as u8,
            bits: end.saturating_sub(start) as u64,
            in_bytes: !F::IN_BITS,
        };
        start = end;
        let name = message.name();
        let message = any(message);
        each(&MessagePlace { index, name, within: None, extent: Some(extent) }, &message)?;
        for inner in carried(&message) {
            let place = MessagePlace { index, name: inner.name(), within: Some(name), extent: None };
            each(&place, &Message::Dm2(inner.clone()))?;
        }
    }
    decoder.recycle(packet);
    Ok(())
}

/// The messages that a message carries.
fn carried<'m, 'a>(message: &'m Message<'a>) -> &'m [dm2::Message<'a>] {
    match message {
        Message::Mvd2(mvd2::Message::Unicast(m)) => &m.messages,
        Message::Mvd2(mvd2::Message::Multicast(m)) => &m.messages,
        Message::Dm2(dm2::Message::Unicast(m)) => std::slice::from_ref(&m.message),
        _ => &[],
    }
}
