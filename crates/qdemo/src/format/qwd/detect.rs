//! Telling a `.qwd` by its first blocks.

use super::block::{BlockKind, Framer, Chunk};
use super::message::{Kind, Message};
use super::packet::{Messages, PacketHead};
use crate::dialect::Dialect;
use crate::format::Step;
use crate::limits::Limits;

/// How much the beginning of a file looks like a `.qwd`, 0 to 100, and why.
pub(crate) fn look(beginning: &[u8], at_end: bool, limits: Limits) -> (u8, String) {
    const ENOUGH: u64 = 32;
    let mut framer = Framer::new(limits);
    let mut dialect = Dialect::QUAKEWORLD;
    let (mut at, mut blocks, mut packets, mut clean, mut unframed) = (0, 0u64, 0u64, 0u64, 0u64);
    let mut introduced = false;
    while let Step::Cut(cut) = framer.next(&beginning[at..], at_end) {
        match cut.chunk(&beginning[at..]) {
            Chunk::Block(block) => {
                blocks += 1;
                if let BlockKind::Packet { .. } = block.kind {
                    packets += 1;
                    let (head, payload) = PacketHead::split(block.payload);
                    let mut messages = Messages::new(payload, dialect);
                    let (mut known, mut data) = (0, false);
                    for message in messages.by_ref() {
                        data |= matches!(message, Message::ServerData(_));
                        known += u64::from(message.kind().is_some_and(|k| !matches!(k, Kind::Bad | Kind::Nop)));
                    }
                    let outside = matches!(head, PacketHead::Connectionless { id: 2 | b'a'..=b'z' | b'B', .. });
                    introduced |= data;
                    // Of a file that ends within its first packet, `serverdata` is enough.
                    let begun = block.is_cut() && data;
                    clean += u64::from(messages.fault().is_none() && known > 0 || begun || outside);
                    dialect = messages.dialect();
                } else if !block.is_cut() {
                    let steady = (0.0..1e8).contains(&block.time.get());
                    clean += u64::from(steady && packets > 0);
                }
            }
            Chunk::End | Chunk::Trailer(_) => {}
            Chunk::Unframed(_) => unframed += 1,
        }
        at += cut.len;
        if blocks + unframed >= ENOUGH {
            break;
        }
    }
    if packets == 0 || clean == 0 {
        return (0, "no packets of QuakeWorld".to_owned());
    }
    let mut score = 50 * clean / (blocks + unframed);
    score += 20 * u64::from(unframed == 0) + 30 * u64::from(introduced);
    let head = if introduced { "serverdata" } else { "no serverdata" };
    (score.min(100) as u8, format!("{head}, and {clean} of {blocks} blocks with QuakeWorld messages"))
}
