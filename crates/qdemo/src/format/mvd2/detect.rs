//! Telling an `.mvd2` by its mark and first blocks.

use super::block::{Framer, Chunk};
use super::decode::{MAGIC, Messages};
use super::message::Message;
use crate::dialect::Dialect;
use crate::format::Step;
use crate::limits::Limits;

/// How much the beginning of a file looks like an `.mvd2`, 0 to 100, and why. Without the mark only a file of that name
/// can be one.
pub(crate) fn look(beginning: &[u8], at_end: bool, named: bool, limits: Limits) -> (u8, String) {
    const ENOUGH: u64 = 16;
    let marked = beginning.starts_with(&MAGIC);
    if !marked && !named {
        return (0, "no mark of a multi-view demo of Quake II".to_owned());
    }
    let mut framer = Framer::new(limits);
    let mut dialect = Dialect::MVD2;
    let (mut at, mut blocks, mut clean, mut unframed) = (0, 0u64, 0u64, 0u64);
    let mut introduced = None;
    while let Step::Cut(cut) = framer.next(&beginning[at..], at_end) {
        match cut.chunk(&beginning[at..]) {
            Chunk::Block(block) => {
                blocks += 1;
                let mut messages = Messages::new(block.payload, dialect);
                let mut known = 0u64;
                for message in messages.by_ref() {
                    if let Message::ServerData(data) = &message {
                        introduced = introduced.or(Some(data.head.minor));
                    }
                    known += u64::from(!matches!(message, Message::Nop(_) | Message::Unknown(_)));
                }
                clean += u64::from(known > 0 && (messages.fault().is_none() || block.is_cut()));
                dialect = messages.dialect();
            }
            Chunk::Unframed(_) => unframed += 1,
            Chunk::End | Chunk::Trailer(_) => break,
        }
        at += cut.len;
        if blocks + unframed >= ENOUGH {
            break;
        }
    }
    let score = 60 * u64::from(marked) + 40 * clean / (blocks + unframed).max(1);
    let head = if marked { "the mark of a multi-view demo of Quake II" } else { "no mark" };
    let data = match introduced {
        Some(minor) => format!("serverdata of minor version {minor}"),
        None => "no serverdata".to_owned(),
    };
    (score.min(100) as u8, format!("{head}, {data}, and {clean} of {blocks} blocks with commands"))
}
