//! Telling a `.qwd` by its first blocks.

use super::message::{Message, MessageKind, ServerData};
use super::packet::{BlockKind, Contents, Decoder, Packet, PacketNumbers};
use super::values::MoveVars;
use crate::describe::Seconds;
use crate::format::dem::Extensions;
use crate::format::{Look, MessageSet, Survey, Verdict};
use crate::wire::{F32, Str};

/// Extensions of protocol 28 that recordings have, FTE's and MVDSV's, the usual ones first.
const EXTENSIONS: [&[(u32, u32)]; 8] = [
    &[],
    &[(Extensions::FTE1, 0x2000_0008)],
    &[(Extensions::FTE1, 0x2048_7008), (Extensions::FTE2, 1)],
    &[(Extensions::FTE1, 0x0148_7008), (Extensions::FTE2, 1)],
    &[(Extensions::FTE1, 0x0148_7008), (Extensions::FTE2, 1), (Extensions::MVD1, 0x20)],
    &[(Extensions::MVD1, 0x20)],
    &[(Extensions::FTE1, 0x2048_7008), (Extensions::FTE2, 2), (Extensions::MVD1, 1)],
    &[(Extensions::FTE1, 0x2140_7000), (Extensions::FTE2, 2), (Extensions::MVD1, 1)],
];

/// What an engine takes where the protocol does not tell.
const MOVEVARS: [f32; 10] = [800.0, 100.0, 320.0, 500.0, 10.0, 0.7, 10.0, 6.0, 1.0, 1.0];

/// What servers may have introduced themselves with: see [`Format::introductions`](crate::format::Format::introductions).
pub(crate) fn server_data(multiview: bool) -> [Message<'static>; EXTENSIONS.len()] {
    EXTENSIONS.map(|extensions| {
        Message::ServerData(ServerData {
            extensions: Extensions::of(extensions),
            serverversion: 28,
            age: 1,
            game: Str::from("qw"),
            servertime: multiview.then(|| Seconds(F32::from(0.0))),
            client: (!multiview).then_some(0),
            mapname: Str::from("unknown"),
            movevars: Some(MoveVars(MOVEVARS.map(F32::from))),
        })
    })
}

/// Introductions that a recording may have had.
pub(super) fn introductions() -> Vec<Packet<'static>> {
    let numbers = PacketNumbers { seq1: 1, seq2: 1 };
    server_data(false).map(|data| Packet::new(0.0, numbers, vec![data])).into()
}

/// How much the beginning of a file looks like a `.qwd`.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let mut looked = survey(look, Decoder::default());
    let (decoder, assumed) = look.assume(Decoder::default(), &looked.seen);
    if assumed.is_some() {
        looked = survey(look, decoder);
    }
    let Looked { seen, packets, introduced } = looked;
    if packets == 0 || seen.clean == 0 {
        return Verdict::new(0, "no packets of QuakeWorld");
    }
    let score = seen.share(50) + seen.framed(20) + 30 * u64::from(introduced);
    let head = if introduced { "serverdata" } else { "no serverdata" };
    Verdict::new(score, format!("{head}, and {} of {} blocks with QuakeWorld messages", seen.clean, seen.blocks))
        .of(&seen)
        .assuming(assumed)
}

/// What was seen.
struct Looked {
    seen: Survey,
    packets: u64,
    introduced: bool,
}

fn survey(look: &Look<'_>, decoder: Decoder) -> Looked {
    let (mut packets, mut introduced) = (0u64, false);
    let seen = look.survey(
        decoder,
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
    Looked { seen, packets, introduced }
}

/// Whether messages say anything, and whether the server introduces itself.
pub(crate) fn told(messages: &[Message<'_>]) -> (bool, bool) {
    let known =
        messages.iter().filter_map(MessageSet::kind).any(|kind| !matches!(kind, MessageKind::Bad | MessageKind::Nop));
    (known, messages.iter().any(|message| matches!(message, Message::ServerData(_))))
}

/// True for messages that show where players or things are.
pub(crate) fn tells_moment(messages: &[Message<'_>]) -> bool {
    messages.iter().any(|m| {
        matches!(
            m,
            Message::PlayerInfo(_)
                | Message::MvdPlayerInfo(_)
                | Message::PacketEntities(_)
                | Message::DeltaPacketEntities(_)
        )
    })
}
