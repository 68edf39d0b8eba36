//! Telling a `.qwd` by its first blocks.

use super::message::{Message, MessageKind};
use super::packet::{BlockKind, Contents, Decoder};
use crate::format::{Look, MessageSet, Verdict};

/// How much the beginning of a file looks like a `.qwd`.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let (mut packets, mut introduced) = (0u64, false);
    let seen = look.survey(
        Decoder::default(),
        |seen| seen.blocks + seen.unframed >= 32,
        |sample| {
            if sample.block.header.kind != BlockKind::Packet {
                let steady = (0.0..1e8).contains(&sample.block.header.time.0.get());
                return !sample.block.is_cut() && steady && packets > 0;
            }
            packets += 1;
            let (known, data) = told(&sample.packet.messages);
            introduced |= data;
            let outside =
                matches!(&sample.packet.contents, Contents::Connectionless(c) if matches!(c.id, 2 | b'a'..=b'z' | b'B'));
            // Of a file that ends within its first packet, `serverdata` is enough.
            let begun = sample.block.is_cut() && data;
            sample.is_whole() && known || begun || outside
        },
    );
    if packets == 0 || seen.clean == 0 {
        return Verdict::new(0, "no packets of QuakeWorld");
    }
    let score = seen.share(50) + seen.framed(20) + 30 * u64::from(introduced);
    let head = if introduced { "serverdata" } else { "no serverdata" };
    Verdict::new(score, format!("{head}, and {} of {} blocks with QuakeWorld messages", seen.clean, seen.blocks))
        .of(&seen)
}

/// Whether messages say anything, and whether the server introduces itself.
pub(crate) fn told(messages: &[Message<'_>]) -> (bool, bool) {
    let known =
        messages.iter().filter_map(MessageSet::kind).any(|kind| !matches!(kind, MessageKind::Bad | MessageKind::Nop));
    (known, messages.iter().any(|message| matches!(message, Message::ServerData(_))))
}
