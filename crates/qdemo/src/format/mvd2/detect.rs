//! Telling an `.mvd2` by its mark and first blocks.

use super::level::{LevelHead, SceneDelta, ServerData};
use super::message::Message;
use super::packet::{Decoder, MAGIC, Packet};
use crate::format::dm2::Dialect;
use crate::format::{Look, Survey, Verdict};
use crate::wire::Str;

/// Minor versions with flags, the usual one first.
const MINORS: [(u16, Option<u16>); 4] = [(2010, None), (2009, None), (2012, Some(0)), (2013, Some(0))];

/// Introductions that a recording may have had: see [`Format::introductions`](crate::format::Format::introductions).
pub(super) fn introductions() -> Vec<Packet<'static>> {
    let introduction = |(minor, flags)| {
        let version = Dialect::MVD2_PROTOCOL;
        let head = LevelHead { version, minor, flags, spawncount: 1, game: Str::from(""), client: -1 };
        let (spare_bits, configstrings) = (Default::default(), Vec::new());
        let data = ServerData { spare_bits, head, configstrings, scene: SceneDelta::default() };
        Packet::new(true, vec![Message::ServerData(data)])
    };
    MINORS.map(introduction).into()
}

/// How much the beginning of a file looks like an `.mvd2`. Without the mark only a file of that name can be one.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let marked = look.beginning.starts_with(&MAGIC);
    if !marked && !look.named {
        return Verdict::new(0, "no mark of a multi-view demo of Quake II");
    }
    let (mut seen, mut introduced) = survey(look, Decoder::default());
    let (decoder, assumed) = look.assume(Decoder::default(), &seen);
    if assumed.is_some() {
        (seen, introduced) = survey(look, decoder);
    }
    let score = 60 * u64::from(marked) + seen.share(40);
    let head = if marked { "the mark of a multi-view demo of Quake II" } else { "no mark" };
    let data = match introduced {
        Some(minor) => format!("serverdata of minor version {minor}"),
        None => "no serverdata".to_owned(),
    };
    Verdict::new(score, format!("{head}, {data}, and {} of {} blocks with commands", seen.clean, seen.blocks))
        .assuming(assumed)
}

/// What is seen, and the first minor version that a server tells.
fn survey(look: &Look<'_>, decoder: Decoder) -> (Survey, Option<u16>) {
    let mut introduced = None;
    let seen = look.survey(
        decoder,
        |seen| seen.blocks + seen.unframed >= 16,
        |sample| {
            let messages = &sample.packet.messages;
            let data = messages.iter().find_map(|m| if let Message::ServerData(data) = m { Some(data) } else { None });
            introduced = introduced.or(data.map(|data| data.head.minor));
            let known = messages.iter().any(|message| !matches!(message, Message::Nop(_) | Message::Unknown(_)));
            known && (sample.is_whole() || sample.block.is_cut())
        },
    );
    (seen, introduced)
}
