//! Telling an `.mvd` by its first records.

use super::block::{Framer, Chunk, Target};
use crate::dialect::Dialect;
use crate::format::Step;
use crate::format::qwd::{Kind, Message, Messages};
use crate::limits::Limits;

/// How much the beginning of a file looks like an `.mvd`, 0 to 100, and why.
pub(crate) fn look(beginning: &[u8], at_end: bool, limits: Limits) -> (u8, String) {
    const ENOUGH: u64 = 48;
    let mut framer = Framer::new(limits);
    let mut dialect = Dialect::MULTIVIEW;
    let (mut at, mut records, mut clean, mut unframed) = (0, 0u64, 0u64, 0u64);
    let mut introduced = false;
    while let Step::Cut(cut) = framer.next(&beginning[at..], at_end) {
        match cut.chunk(&beginning[at..]) {
            Chunk::Block(block) => {
                records += 1;
                if matches!(
                    block.target,
                    Target::Same | Target::Multiple(1..) | Target::Single | Target::Stats | Target::All
                ) {
                    let mut messages = Messages::new(block.payload, dialect);
                    let (mut known, mut data) = (0, false);
                    for message in messages.by_ref() {
                        data |= matches!(message, Message::ServerData(_));
                        known += u64::from(message.kind().is_some_and(|k| !matches!(k, Kind::Bad | Kind::Nop)));
                    }
                    introduced |= data;
                    // An empty record is a frame without news.
                    let empty = block.payload.is_empty() && introduced;
                    // Of a file that ends within its first record, `serverdata` is enough.
                    let begun = block.is_cut() && data;
                    clean += u64::from(messages.fault().is_none() && known > 0 || begun || empty);
                    dialect = messages.dialect();
                } else {
                    clean += u64::from(introduced);
                }
            }
            Chunk::End | Chunk::Trailer(_) => {}
            Chunk::Unframed(_) => unframed += 1,
        }
        at += cut.len;
        if records + unframed >= ENOUGH {
            break;
        }
    }
    if clean == 0 {
        return (0, "no records of QuakeWorld".to_owned());
    }
    let mut score = 50 * clean / (records + unframed);
    score += 20 * u64::from(unframed == 0) + 30 * u64::from(introduced);
    // Without serverdata two bytes prove little.
    if !introduced && clean < 16 {
        score /= 2;
    }
    let head = if introduced { "serverdata" } else { "no serverdata" };
    (score.min(100) as u8, format!("{head}, and {clean} of {records} records with QuakeWorld messages"))
}
