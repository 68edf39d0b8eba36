//! Telling a `.dm2` by its first blocks.

use super::dialect::Dialect;
use super::message::{Message, MessageKind};
use super::packet::Decoder;
use crate::error::Protocol;
use crate::format::{Look, MessageSet, Verdict};

/// How much the beginning of a file looks like a `.dm2`.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let mut introduced = None;
    let has_name = |protocol: Option<i32>| protocol.is_some_and(|n| Dialect::announced(n, 0).name != Protocol::UNKNOWN);
    let seen = look.survey(
        Decoder::default(),
        |seen| seen.blocks + seen.unframed >= 24,
        |sample| {
            let messages = &sample.packet.messages;
            let data = messages.iter().find_map(|m| if let Message::ServerData(data) = m { Some(data) } else { None });
            introduced = introduced.or(data.map(|data| data.serverversion));
            let known = messages
                .iter()
                .filter_map(MessageSet::kind)
                .filter(|k| !matches!(k, MessageKind::Bad | MessageKind::Nop));
            let known = known.count();
            let cut_well = sample.block.is_cut() && (known > 1 || has_name(introduced));
            sample.is_whole() && known > 0 || cut_well || sample.is_named_only()
        },
    );
    if seen.clean == 0 {
        if let Some(protocol) = introduced.filter(|_| look.named) {
            return behind(look, protocol);
        }
        return Verdict::new(0, "no blocks of Quake II");
    }
    let score = seen.share(50) + seen.framed(20) + 30 * u64::from(has_name(introduced));
    let head = match introduced {
        Some(protocol) => format!("serverdata of protocol {protocol}"),
        None => "no serverdata".to_owned(),
    };
    let reason = format!("{head}, and {} of {} blocks with Quake II messages", seen.clean, seen.blocks);
    Verdict { protocol: introduced, ..Verdict::new(score, reason).of(&seen) }
}

/// A beginning that tells a protocol which is not known: where the blocks behind it are those of one that is, a damaged one.
fn behind(look: &Look<'_>, protocol: i32) -> Verdict {
    let size = look.beginning.first_chunk().map_or(0, |size| u32::from_le_bytes(*size) as usize);
    let rest = look.beginning.get(size.saturating_add(4)..).unwrap_or_default();
    let verdict = self::look(&Look { beginning: rest, named: false, ..*look });
    let reason = format!("serverdata of protocol {protocol}, which is not known, and behind it {}", verdict.reason);
    Verdict::new(u64::from(verdict.score / 2), reason)
}
