//! Telling a `.dm2` by its first blocks.

use super::block::{Framer, Chunk};
use super::boxes::Boxes;
use super::decode::messages;
use super::message::{Kind, Message};
use crate::dialect::Dialect;
use crate::format::Step;
use crate::limits::Limits;
use crate::wire::FaultKind;

/// How much the beginning of a file looks like a `.dm2`, 0 to 100, and why.
pub(crate) fn look(beginning: &[u8], at_end: bool, limits: Limits) -> (u8, String) {
    const ENOUGH: u64 = 24;
    let mut framer = Framer::new(limits);
    let (mut dialect, mut boxes) = (Dialect::QUAKE2, Boxes::default());
    let (mut at, mut blocks, mut clean, mut unframed) = (0, 0u64, 0u64, 0u64);
    let mut introduced = None;
    let has_name = |protocol: Option<i32>| protocol.is_some_and(|n| Dialect::quake2(n, 0).name != "unknown");
    while let Step::Cut(cut) = framer.next(&beginning[at..], at_end) {
        match cut.chunk(&beginning[at..]) {
            Chunk::Block(block) => {
                blocks += 1;
                let mut decoder = messages(&block, dialect, &boxes);
                let mut known = 0;
                for message in decoder.by_ref() {
                    if let Message::ServerData(data) = &message {
                        introduced = introduced.or(Some(data.serverversion));
                    }
                    known += u64::from(message.kind().is_some_and(|k| !matches!(k, Kind::Bad | Kind::Nop)));
                }
                let cut_well = block.is_cut() && (known > 1 || has_name(introduced));
                // A protocol that is named, not decoded.
                let fault = decoder.fault().map(|f| f.what);
                let named = matches!(fault, Some(FaultKind::Unsupported(p)) if p.name != "unknown");
                clean += u64::from(fault.is_none() && known > 0 || cut_well || named);
                (dialect, boxes) = (decoder.dialect(), decoder.memory());
            }
            Chunk::Unframed(_) => unframed += 1,
            Chunk::End | Chunk::Trailer(_) => break,
        }
        at += cut.len;
        if blocks + unframed >= ENOUGH {
            break;
        }
    }
    if clean == 0 {
        return (0, "no blocks of Quake II".to_owned());
    }
    let mut score = 50 * clean / (blocks + unframed);
    score += 20 * u64::from(unframed == 0) + 30 * u64::from(has_name(introduced));
    let head = match introduced {
        Some(protocol) => format!("serverdata of protocol {protocol}"),
        None => "no serverdata".to_owned(),
    };
    (score.min(100) as u8, format!("{head}, and {clean} of {blocks} blocks with Quake II messages"))
}
