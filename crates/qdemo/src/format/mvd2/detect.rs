//! Telling an `.mvd2` by its mark and first blocks.

use super::message::Message;
use super::packet::{Decoder, MAGIC};
use crate::format::{Look, Verdict};

/// How much the beginning of a file looks like an `.mvd2`. Without the mark only a file of that name can be one.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let marked = look.beginning.starts_with(&MAGIC);
    if !marked && !look.named {
        return Verdict::new(0, "no mark of a multi-view demo of Quake II");
    }
    let mut introduced = None;
    let seen = look.survey(
        Decoder::default(),
        |seen| seen.blocks + seen.unframed >= 16,
        |sample| {
            let messages = &sample.packet.messages;
            let data = messages.iter().find_map(|m| if let Message::ServerData(data) = m { Some(data) } else { None });
            introduced = introduced.or(data.map(|data| data.head.minor));
            let known = messages.iter().any(|message| !matches!(message, Message::Nop(_) | Message::Unknown(_)));
            known && (sample.is_whole() || sample.block.is_cut())
        },
    );
    let score = 60 * u64::from(marked) + seen.share(40);
    let head = if marked { "the mark of a multi-view demo of Quake II" } else { "no mark" };
    let data = match introduced {
        Some(minor) => format!("serverdata of minor version {minor}"),
        None => "no serverdata".to_owned(),
    };
    Verdict::new(score, format!("{head}, {data}, and {} of {} blocks with commands", seen.clean, seen.blocks))
}
