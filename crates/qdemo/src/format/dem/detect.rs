//! Telling a `.dem` by its first blocks.

use super::dialect::Dialect;
use super::message::{Message, MessageKind, ServerInfo};
use super::packet::{Decoder, Dem, Packet};
use crate::format::{Look, MessageSet, Sample, Survey, Verdict, near};
use crate::wire::{F32, Str, StrList};

/// Protocols with the flags that 999 has in its engines, the usual ones first.
const PROTOCOLS: [(i32, Option<u32>); 5] =
    [(15, None), (666, None), (999, Some(0)), (999, Some(0x8A)), (999, Some(0x20))];

/// Introductions that a recording may have had: see [`Format::introductions`](crate::format::Format::introductions).
pub(super) fn introductions(told: Option<i32>) -> Vec<Packet<'static>> {
    let introduction = |(protocol, protocolflags)| {
        let info = ServerInfo {
            extensions: Default::default(),
            serverversion: protocol,
            protocolflags,
            gamedir: None,
            maxclients: 16,
            multi: 0,
            mapname: Str::from("unknown"),
            models: StrList::default(),
            sounds: StrList::default(),
        };
        Packet::new([F32::default(); 3], vec![Message::ServerInfo(info)])
    };
    // Flags are not told by the number: of 999 the usual ones are tried.
    let likely = near(told, |n| Dialect::is_known(n) && !PROTOCOLS.iter().any(|(usual, _)| *usual == n));
    let (mut usual, likely) = (PROTOCOLS.to_vec(), likely.map(|protocol| (protocol, None)));
    usual.sort_by_key(|(protocol, _)| !near(told, |_| true).any(|n| n == *protocol));
    likely.chain(usual).map(introduction).collect()
}

/// A score at which the name of the file decides.
const DOUBTFUL: u64 = 30;

/// How much the beginning of a file looks like a `.dem`.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    // A good beginning is enough; a doubtful one gets a longer look.
    let enough = |seen: &Survey| {
        let good = seen.clean == seen.blocks && seen.unframed == 0 && seen.start > 0;
        seen.blocks + seen.unframed >= if good { 3 } else { 32 }
    };
    let track = look.survey(Decoder::default(), |seen: &Survey| seen.start > 0 || seen.blocks > 0, |_| true).start > 0;
    let survey = |decoder| look.survey(decoder, enough, |sample| speaks(sample, track));
    let mut seen = survey(Decoder::default());
    let (decoder, assumed) = look.assume(Decoder::default(), &seen);
    if assumed.is_some() {
        seen = survey(decoder);
    }
    let head = if track { "a CD track line" } else { "no CD track line" };
    if seen.clean == 0 {
        // A demo cut within its first message: the track line is all that is left of it.
        let score = if track && look.beginning.len() < 64 { DOUBTFUL } else { 0 };
        return Verdict::new(score, format!("{head}, and no block of messages")).assuming(assumed);
    }
    let mut score = seen.share(60) + 20 * u64::from(track) + seen.framed(20);
    // A block or two of a few plain bytes prove nothing.
    if !track && seen.clean < 3 && seen.unframed > 0 {
        score /= 2;
    }
    Verdict::new(score, format!("{head}, then {} of {} blocks with Quake messages", seen.clean, seen.blocks))
        .of(&seen)
        .assuming(assumed)
}

/// A block that decodes to its end is evidence; a beginning of one only behind a track line.
fn speaks(sample: &Sample<'_, '_, Dem>, track: bool) -> bool {
    // Zeros decode too, as nothing or as `bad`: they prove nothing.
    let known = sample.packet.messages.iter().filter_map(MessageSet::kind).filter(|k| *k != MessageKind::Bad).count();
    let whole = sample.is_whole() && known > 0;
    let part = track && (known > 2 || known > 0 && sample.block.is_cut());
    let steady = sample.block.header.camera.iter().all(|a| a.get().is_finite() && a.get().abs() < 1e6);
    steady && (sample.is_named_only() || whole || part)
}
