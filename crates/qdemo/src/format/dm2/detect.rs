//! Telling a `.dm2` by its first blocks.

use super::dialect::Dialect;
use super::message::{Message, MessageKind, ServerData};
use super::packet::{Decoder, Packet};
use super::split_screen::ClientSlots;
use crate::error::Protocol;
use crate::format::{Look, MessageSet, Survey, Verdict, near};
use crate::wire::Str;

/// Protocols, the usual ones first.
const PROTOCOLS: [i32; 7] = [34, 26, 3434, 3435, 3436, 2022, 56];

/// Introductions that a recording may have had: see [`Format::introductions`](crate::format::Format::introductions).
pub(super) fn introductions(told: Option<i32>) -> Vec<Packet<'static>> {
    let introduction = |protocol, isdemo| {
        Packet::new(vec![Message::ServerData(ServerData {
            serverversion: protocol,
            key: 65_537,
            isdemo,
            tickrate: Dialect::tells_screens(protocol).then_some(10),
            game: Str::from(""),
            client: ClientSlots::one(0),
            mapname: Str::from("unknown"),
        })])
    };
    let is_client = |n: i32| n != Dialect::TEST_RELEASE_PROTOCOL && Dialect::announced(n, 1).decoded;
    let mut protocols: Vec<_> = near(told, is_client).chain(PROTOCOLS).collect();
    let mut before = Vec::new();
    protocols.retain(|n| {
        !before.contains(n) && {
            before.push(*n);
            true
        }
    });
    let mut all: Vec<_> = protocols.into_iter().map(|protocol| introduction(protocol, 1)).collect();
    all.extend([2, 0x80].map(|isdemo| introduction(34, isdemo)));
    all
}

/// How much the beginning of a file looks like a `.dm2`.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let (mut seen, mut introduced) = survey(look, Decoder::default());
    let (decoder, assumed) = look.assume(Decoder::default(), &seen);
    if assumed.is_some() {
        let protocol = decoder.dialect().protocol;
        (seen, introduced) = survey(look, decoder);
        let score = seen.share(50) + seen.framed(20);
        let reason = format!("{} of {} blocks with Quake II messages", seen.clean, seen.blocks);
        let verdict = Verdict::new(score, reason).of(&seen).assuming(assumed);
        return Verdict { protocol: introduced.or(Some(protocol)), ..verdict };
    }
    if seen.clean == 0 {
        return match introduced.filter(|_| look.named) {
            Some(protocol) => behind(look, protocol),
            None => Verdict::new(0, "no blocks of Quake II"),
        }
        .assuming(assumed);
    }
    let score = seen.share(50) + seen.framed(20) + 30 * u64::from(has_name(introduced));
    let head = match introduced {
        Some(protocol) => format!("serverdata of protocol {protocol}"),
        None => "no serverdata".to_owned(),
    };
    let reason = format!("{head}, and {} of {} blocks with Quake II messages", seen.clean, seen.blocks);
    Verdict { protocol: introduced, ..Verdict::new(score, reason).of(&seen).assuming(assumed) }
}

fn has_name(protocol: Option<i32>) -> bool {
    protocol.is_some_and(|n| Dialect::announced(n, 0).name != Protocol::UNKNOWN)
}

/// What is seen, and the first protocol that a server tells.
fn survey(look: &Look<'_>, decoder: Decoder) -> (Survey, Option<i32>) {
    let mut introduced = None;
    let seen = look.survey(
        decoder,
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
    (seen, introduced)
}

/// A beginning that tells a protocol which is not known: where the blocks behind it are those of one that is, a damaged one.
fn behind(look: &Look<'_>, protocol: i32) -> Verdict {
    let size = look.beginning.first_chunk().map_or(0, |size| u32::from_le_bytes(*size) as usize);
    let rest = look.beginning.get(size.saturating_add(4)..).unwrap_or_default();
    let verdict = self::look(&Look { beginning: rest, named: false, ..*look });
    let reason = format!("serverdata of protocol {protocol}, which is not known, and behind it {}", verdict.reason);
    Verdict::new(u64::from(verdict.score / 2), reason)
}
