//! What the text forms of all formats have in common: end mark, trailer, unframed bytes.

use super::Printed;
use super::sink::MessageSink;
use crate::describe::{Fields, Mistake, Name, Unknown};
use crate::format::{Chunk, Unframed};
use crate::wire::ByteWriter;

const ENDBLOCK: Name = Name::new("endblock");
const TRAILER: Name = Name::with("trailer", "");
const DATA: Name = Name::new("data");

/// True for the keyword of an end mark.
pub(crate) fn is_end_mark(keyword: &[u8]) -> bool {
    ENDBLOCK.is(keyword)
}

/// A message from its statement: one of a kind that the keyword names, or bytes that could not be decoded. `what` it
/// is, and the `format` that has such, for the mistake when it is neither.
pub(crate) fn parse_message<'x, K, M>(
    f: &mut Fields<'x, '_>,
    (what, format): (&str, &str),
    by_name: fn(&[u8]) -> Option<K>,
    known: impl FnOnce(K, &mut Fields<'x, '_>) -> Result<M, Mistake>,
    unknown: impl FnOnce(Unknown<'x>) -> M,
) -> Result<M, Mistake> {
    match by_name(f.keyword()) {
        Some(kind) => known(kind, f),
        None if f.keyword() == b"unknown" => Unknown::parse(f).map(unknown),
        None => {
            let word = String::from_utf8_lossy(f.keyword()).into_owned();
            Err(f.mistake(format!("there is no {what} {word} in a block: see `qdemo schema {format}`")))
        }
    }
}

/// Shows a chunk that is no block. Gives the block of one that is. `foreign` counts what LMPC's language cannot hold.
pub(crate) fn print_chunk<'p, B, S: MessageSink>(
    chunk: &'p Chunk<'_, B>,
    s: &mut S,
    shown: &mut Printed,
    foreign: &mut u64,
) -> Option<&'p B> {
    match chunk {
        Chunk::Block(block) => return Some(block),
        Chunk::End => {
            s.open(ENDBLOCK, true);
            s.close();
        }
        Chunk::Trailer(bytes) => {
            s.open(TRAILER, false);
            s.bytes(DATA, bytes);
            s.close();
            *foreign += 1;
        }
        Chunk::Unframed(unframed) => print_unframed(unframed, s, shown, foreign),
    }
    None
}

/// Shows bytes that are no block.
pub(crate) fn print_unframed<S: MessageSink>(unframed: &Unframed<'_>, s: &mut S, shown: &mut Printed, foreign: &mut u64) {
    Unknown::print_unframed(unframed.bytes, s);
    s.comment(format_args!("{} at byte {}", unframed.why, unframed.offset));
    shown.broken = Some(unframed.into());
    *foreign += 1;
}

/// What a text of one format may hold at its top level.
pub(crate) struct Language {
    /// The demo, for messages.
    pub(crate) demo: &'static str,
    /// Its own statements, for messages.
    pub(crate) statements: &'static str,
    /// Its end mark; empty where it has none.
    pub(crate) end_mark: &'static [u8],
    /// True when it may have a trailer.
    pub(crate) trailer: bool,
}

impl Language {
    /// Writes the chunk of a statement that is none of the format's own.
    pub(crate) fn chunk(&self, f: &mut Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        if ENDBLOCK.is(keyword) && !self.end_mark.is_empty() {
            w.bytes(self.end_mark);
            f.finish()
        } else if TRAILER.is(keyword) && self.trailer {
            f.check_shape(false)?;
            w.bytes(&f.take(DATA)?.bytes()?);
            f.finish()
        } else if keyword == b"unknown" {
            w.bytes(&Unknown::parse(f)?.bytes);
            Ok(())
        } else {
            let word = String::from_utf8_lossy(keyword).into_owned();
            let end_mark = if self.end_mark.is_empty() { "" } else { ", endblock" };
            let trailer = if self.trailer { ", trailer" } else { "" };
            let Language { demo, statements, .. } = self;
            Err(f.mistake(format!(
                "{word} is no part of a {demo} demo: {statements}{end_mark}{trailer} or unknown is due here"
            )))
        }
    }
}
