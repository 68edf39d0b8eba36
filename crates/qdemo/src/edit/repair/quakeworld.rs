//! What repairing takes of QuakeWorld: lists of entities build on those of earlier packets.

use std::collections::BTreeSet;

use super::mend::{Assumed, Mend, MessageOf};
use super::survey::Seen;
use crate::format::dem::StuffText;
use crate::format::mvd::{self, Mvd};
use crate::format::qwd::{
    self, Dialect, Message, ModelList, PacketEntity, PacketNumbers, Qwd, SoundList, tells_moment,
};
use crate::format::{BlockOf, Packet};
use crate::game::quakeworld;
use crate::replay::World;
use crate::wire::{F32, Fault, Str, StrList};
use crate::world::microseconds;

/// The low bits of the number of a packet.
const LOW: u32 = 0x7FFF_FFFF;

fn of(world: &World) -> Option<&quakeworld::World> {
    if let World::QuakeWorld(world) = world { Some(world) } else { None }
}

fn of_mut(world: &mut World) -> Option<&mut quakeworld::World> {
    if let World::QuakeWorld(world) = world { Some(world) } else { None }
}

fn is_possible(message: &Message<'_>, world: &World) -> bool {
    let Some(world) = of(world) else { return true };
    let begun = !world.models().is_empty();
    let is_model = |model: u16| !begun || usize::from(model) <= world.models().len().max(255);
    let entities = |list: &[PacketEntity]| {
        let good = |e: &PacketEntity| e.entity.0 < 2048 && e.model.index.is_none_or(is_model);
        list.len() <= 512 && list.iter().all(good)
    };
    match message {
        Message::Bad(_) | Message::Disconnect(_) | Message::SellScreen(_) | Message::Intermission(_) => false,
        Message::Finale(_) | Message::Download(_) => false,
        Message::ServerData(_) => !begun,
        Message::PlayerInfo(m) => m.player < 32,
        Message::MvdPlayerInfo(m) => m.player < 32,
        Message::UpdateFrags(m) => m.player < 32,
        Message::UpdatePing(m) => m.player < 32,
        Message::UpdatePl(m) => m.player < 32,
        Message::UpdateEnterTime(m) => m.player < 32,
        Message::UpdateUserInfo(m) => m.player < 32,
        Message::SetInfo(m) => m.player < 32,
        Message::LightStyle(m) => m.style < 64,
        Message::UpdateStat(m) => m.index.0 < 32,
        Message::UpdateStatLong(m) => m.index.0 < 32,
        Message::PacketEntities(m) => entities(&m.entities),
        Message::DeltaPacketEntities(m) => entities(&m.entities),
        Message::SetPause(m) => m.pausestate <= 3,
        _ => true,
    }
}

fn begins(messages: &[Message<'_>]) -> bool {
    messages.iter().any(|m| matches!(m, Message::ServerData(_)))
}

/// A client begins with the game at this command.
const SKINS: &[u8] = b"skins";

fn is_signon(messages: &[Message<'_>]) -> bool {
    messages.iter().any(|m| matches!(m, Message::StuffText(m) if m.text.bytes().trim_ascii() == SKINS))
}

fn skins() -> Message<'static> {
    Message::StuffText(StuffText { text: Str::from("skins\n") })
}

fn tells_list(message: &Message<'_>) -> bool {
    matches!(message, Message::DeltaPacketEntities(_) | Message::PacketEntities(_))
}

fn is_moment(messages: &[Message<'_>]) -> bool {
    let mut seen = BTreeSet::new();
    let is_second = |m: &Message<'_>| match m {
        Message::PlayerInfo(m) => !seen.insert(m.player),
        Message::MvdPlayerInfo(m) => !seen.insert(m.player),
        _ => false,
    };
    tells_moment(messages) && messages.iter().filter(|m| tells_list(m)).count() <= 1 && !messages.iter().any(is_second)
}

fn delta_list<'m>(messages: &'m mut [Message<'_>]) -> Option<&'m mut qwd::DeltaPacketEntities> {
    messages.iter_mut().find_map(|m| if let Message::DeltaPacketEntities(m) = m { Some(m) } else { None })
}

/// The list in a packet that builds on another one becomes a whole one, and the only one: of several the last shows what is there.
fn make_whole(world: &mut quakeworld::World, messages: &mut Vec<Message<'_>>) -> bool {
    let Some(at) = messages.iter().position(|m| matches!(m, Message::DeltaPacketEntities(_))) else { return false };
    let Some(whole) = world.make_list_whole() else { return false };
    let rest = messages.split_off(at);
    messages.retain(|m| !tells_list(m));
    messages.push(Message::PacketEntities(whole));
    messages.extend(rest.into_iter().filter(|m| !tells_list(m)));
    true
}

/// The first models of a list, which numbers may tell.
fn is_first(first: Option<u8>) -> bool {
    first.is_none_or(|first| first == 0)
}

fn note(messages: &[Message<'_>], seen: &mut Seen) {
    let model = |seen: &mut Seen, list: &[PacketEntity]| {
        let most = list.iter().filter_map(|e| e.model.index).max().unwrap_or(0);
        seen.model = seen.model.max(most).min(511);
    };
    for message in messages {
        match message {
            Message::PacketEntities(m) => model(seen, &m.entities),
            Message::DeltaPacketEntities(m) => model(seen, &m.entities),
            Message::ModelList(m) if is_first(m.first) => {
                seen.models = true;
                m.models.iter().take(1).for_each(|name| seen.text(name));
            }
            Message::SpawnBaseline(m) => seen.model = seen.model.max(m.default_modelindex.0).min(511),
            Message::SpawnStatic(m) => seen.model = seen.model.max(m.default_modelindex.0).min(511),
            Message::SpawnStaticSound(m) => seen.sound = seen.sound.max(m.soundnum.0).min(255),
            Message::Sound(m) => seen.sound = seen.sound.max(m.soundnum.0).min(255),
            Message::Print(m) => seen.text(m.string.bytes()),
            Message::StuffText(m) => seen.text(m.text.bytes()),
            Message::CenterPrint(m) => seen.text(m.text.bytes()),
            Message::ServerInfo(m) if m.name.bytes() == b"map" && seen.map.is_none() => {
                seen.text(&[b"\\map\\", m.value.bytes()].concat());
            }
            _ => {}
        }
    }
}

/// The lists and the end of a beginning, each in a packet of its own. What the recording tells of them itself it does better.
fn lists(beginning: Vec<Message<'static>>, seen: &Seen, d: &Dialect) -> Vec<Vec<Message<'static>>> {
    if !seen.at_frame && seen.models {
        return vec![beginning];
    }
    let map = format!("maps/{}.bsp", seen.map_or("start"));
    let models = std::iter::once(map.as_str()).chain((1..seen.model.max(2)).map(|_| "progs/player.mdl"));
    let (first, next) = (d.numbered_lists.then_some(0), d.numbered_lists.then_some(0));
    let models = StrList::from_strings(models.take(240).map(str::as_bytes));
    let sounds = StrList::from_strings((0..seen.sound.clamp(1, 240)).map(|_| &b"misc/null.wav"[..]));
    vec![
        beginning,
        vec![Message::SoundList(SoundList { first, sounds, next })],
        vec![Message::ModelList(ModelList { first, models, next })],
        vec![Message::StuffText(StuffText { text: Str::from("cmd spawn 1 0\n") })],
        vec![skins()],
    ]
}

impl Mend for Qwd {
    const COUNTED: bool = true;

    fn number(block: &BlockOf<'_, Self>, _: &Dialect) -> Option<i64> {
        let is_packet = block.header.kind == qwd::BlockKind::Packet;
        let seq = u32::from_le_bytes(*block.payload.first_chunk().filter(|_| is_packet)?);
        // A word of ones stands in front of packets outside the game.
        (seq != u32::MAX).then(|| i64::from(seq & LOW))
    }

    /// A packet that came late in truth is behind the next one by the recorder's clock too.
    fn arrived(block: &BlockOf<'_, Self>) -> Option<i64> {
        Some(microseconds(block.header.time.0.get()))
    }

    fn renumbered(bytes: &[u8], number: i64) -> Option<Vec<u8>> {
        let block = BlockOf::<Qwd>::of_bytes(bytes, 0, 0)?;
        // Where packets begin to be counted, the client's own number stands in front.
        let is_told = block.header.kind == qwd::BlockKind::Frame;
        let at = block.header_len + if is_told { size_of::<u32>() } else { 0 };
        let mut bytes = bytes.to_vec();
        let place = bytes.get_mut(at..)?.first_chunk_mut()?;
        let reliable = u32::from_le_bytes(*place) & !LOW;
        *place = (u32::try_from(number).ok()? & LOW | reliable).to_le_bytes();
        Some(bytes)
    }

    fn is_single(block: &BlockOf<'_, Self>, _: &World) -> bool {
        block.header.kind == qwd::BlockKind::Packet
    }

    fn begins(packet: &Packet<'_, Self>) -> bool {
        begins(&packet.messages)
    }

    /// A player's engine takes the number of the last packet from there.
    fn counts_from(packet: &Packet<'_, Self>) -> Option<i64> {
        match packet.contents {
            qwd::Contents::Frame(numbers) => Some(i64::from(numbers.seq2 & LOW)),
            _ => None,
        }
    }

    /// Players know no message in front of that.
    fn is_of_level(packet: &Packet<'_, Self>) -> bool {
        !packet.messages.is_empty()
    }

    fn is_possible(message: &MessageOf<'_, Self>, world: &World) -> bool {
        is_possible(message, world)
    }

    /// A command lasts some ms, which its lowest byte tells, or has a time: of zeros that were put over others many could be made.
    fn is_wrong(packet: &Packet<'_, Self>, _: &World) -> bool {
        let qwd::Contents::Command(command) = &packet.contents else { return false };
        packet.header.time.0.get() == 0.0 && command.msec & 0xFF == 0
    }

    fn is_moment(packet: &Packet<'_, Self>, _: &Dialect) -> bool {
        is_moment(&packet.messages)
    }

    fn is_built_on(message: &MessageOf<'_, Self>) -> bool {
        tells_list(message)
    }

    fn assume(world: &World, packet: &mut Packet<'_, Self>, invented: bool) -> Option<Assumed> {
        let qwd::Contents::Packet(numbers) = packet.contents else { return None };
        let (list, number) = (delta_list(&mut packet.messages)?, numbers.seq1 & LOW);
        of(world)?.lost_base(number, list)?;
        Assumed::of(world, |world| of_mut(world)?.assume(number, list, invented).map(i64::from))
    }

    fn rebuild(world: &mut World, packet: &mut Packet<'_, Self>, lost: i64) -> Result<bool, Fault> {
        let Some(world) = of_mut(world) else { return Ok(false) };
        world.forget(lost as u32);
        Ok(make_whole(world, &mut packet.messages))
    }

    fn is_signon(packet: &Packet<'_, Self>) -> bool {
        is_signon(&packet.messages)
    }

    fn signon<'p>(world: &World) -> Option<Packet<'p, Self>> {
        let world = of(world)?;
        let (seq1, seq2) = world.sequence();
        Some(qwd::Packet::new(now(world), PacketNumbers { seq1: seq1.wrapping_add(1) & LOW, seq2 }, vec![skins()]))
    }

    fn invent(beginning: Packet<'static, Self>, seen: &Seen, d: &Dialect) -> Vec<Packet<'static, Self>> {
        let packet =
            |(messages, number)| qwd::Packet::new(seen.time, PacketNumbers { seq1: number, seq2: number }, messages);
        let lists = lists(beginning.messages, seen, d);
        let mut packets: Vec<_> = lists.into_iter().zip(1..).map(packet).collect();
        let before = u32::try_from(seen.first.saturating_sub(1)).unwrap_or(0);
        packets.push(qwd::Packet::frame(seen.time, qwd::SequenceNumbers { seq1: before, seq2: before }));
        packets
    }

    fn note(packet: &Packet<'_, Self>, seen: &mut Seen) {
        if let (qwd::Contents::Packet(numbers), 0) = (&packet.contents, seen.first) {
            seen.first = i64::from(numbers.seq1 & LOW);
            seen.time = packet.header.time.0;
        }
        note(&packet.messages, seen);
    }
}

/// The recording's clock.
fn now(world: &quakeworld::World) -> F32 {
    use crate::world::Scene as _;
    match world.clock().now {
        Some(crate::error::Moment::Seconds(seconds)) => F32::from(seconds),
        _ => F32::default(),
    }
}

impl Mend for Mvd {
    fn begins(packet: &Packet<'_, Self>) -> bool {
        begins(&packet.messages)
    }

    fn is_of_level(packet: &Packet<'_, Self>) -> bool {
        !packet.messages.is_empty()
    }

    fn is_possible(message: &MessageOf<'_, Self>, world: &World) -> bool {
        is_possible(message, world)
    }

    fn is_moment(packet: &Packet<'_, Self>, _: &Dialect) -> bool {
        is_moment(&packet.messages)
    }

    fn is_built_on(message: &MessageOf<'_, Self>) -> bool {
        tells_list(message)
    }

    /// Servers write no commands of players.
    fn is_wrong(packet: &Packet<'_, Self>, _: &World) -> bool {
        matches!(packet.contents, mvd::Contents::Command(_))
    }

    fn assume(world: &World, packet: &mut Packet<'_, Self>, invented: bool) -> Option<Assumed> {
        let list = delta_list(&mut packet.messages)?;
        of(world)?.lacks_record(list).then_some(())?;
        Assumed::of(world, |world| of_mut(world)?.assume_record(invented).then_some(i64::from(list.frame)))
    }

    fn rebuild(world: &mut World, packet: &mut Packet<'_, Self>, _: i64) -> Result<bool, Fault> {
        let Some(world) = of_mut(world) else { return Ok(false) };
        Ok(make_whole(world, &mut packet.messages))
    }

    fn is_signon(packet: &Packet<'_, Self>) -> bool {
        is_signon(&packet.messages)
    }

    fn signon<'p>(_: &World) -> Option<Packet<'p, Self>> {
        Some(mvd::Packet::to_all(0, vec![skins()]))
    }

    fn invent(beginning: Packet<'static, Self>, seen: &Seen, d: &Dialect) -> Vec<Packet<'static, Self>> {
        let records = lists(beginning.messages, seen, d).into_iter();
        records.map(|messages| mvd::Packet::to_all(0, messages)).collect()
    }

    fn note(packet: &Packet<'_, Self>, seen: &mut Seen) {
        note(&packet.messages, seen);
    }
}
