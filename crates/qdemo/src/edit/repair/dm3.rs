//! What repairing takes of Quake III's family: snapshots build on earlier packets, and commands are numbered.

use super::mend::{Assumed, Mend};
use super::survey::Seen;
use crate::format::dm3::{Configstring, Contents, Dialect, Dm3, GamestateItem, Message, ServerCommand, Snapshot, Text};
use crate::format::{BlockOf, Packet as AnyPacket};
use crate::game::quake3;
use crate::replay::World;
use crate::wire::Fault;

/// Commands that engines keep.
const COMMANDS: i32 = 64;
/// How far the server's clock may leap, in ms.
const LEAP: i64 = 120_000;
/// Bytes behind the end of a message: recorders leave one, or what was in memory for a few bits.
const TAIL: usize = 3;

fn of_mut(world: &mut World) -> Option<&mut quake3::World> {
    if let World::Dm3(world) = world { Some(world) } else { None }
}

/// The snapshot in a packet, and what it builds on.
fn snapshot<'p>(packet: &'p AnyPacket<'_, Dm3>) -> Option<(&'p Snapshot, i32)> {
    let snapshot = packet.messages.iter().find_map(|m| if let Message::Snapshot(m) = m { Some(m) } else { None })?;
    let back = Some(snapshot.delta_num).filter(|back| *back > 0)?;
    let base = packet.header.sequence.checked_sub(i32::from(back))?;
    (base > 0).then_some((snapshot, base))
}

impl Mend for Dm3 {
    const COUNTED: bool = true;

    fn number(block: &BlockOf<'_, Self>, _: &Dialect) -> Option<i64> {
        Some(i64::from(block.header.sequence))
    }

    fn renumbered(bytes: &[u8], number: i64) -> Option<Vec<u8>> {
        let number = i32::try_from(number).ok()?.to_le_bytes();
        let mut bytes = bytes.to_vec();
        bytes.get_mut(..4)?.copy_from_slice(&number);
        Some(bytes)
    }

    fn is_single(_: &BlockOf<'_, Self>, _: &World) -> bool {
        true
    }

    fn begins(packet: &AnyPacket<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, Message::Gamestate(_)))
    }

    fn is_possible(message: &Message, world: &World) -> bool {
        let World::Dm3(world) = world else { return true };
        let begun = world.configstrings().iter().next().is_some();
        match message {
            Message::Gamestate(_) => !begun,
            Message::ServerCommand(m) => !begun || (m.seq - COMMANDS..=m.seq + COMMANDS).contains(&world.command()),
            Message::Snapshot(m) => world.snapshot().is_none_or(|last| {
                let since = i64::from(m.server_time) - i64::from(last.server_time());
                (-LEAP..LEAP).contains(&since)
            }),
            Message::Download(_) => false,
            _ => true,
        }
    }

    /// Bits that are out of step end anywhere: far in front of the end of the block, or with a number that cannot be.
    fn is_wrong(packet: &AnyPacket<'_, Self>, world: &World) -> bool {
        let good = |m: &Message| !matches!(m, Message::ServerCommand(_)) || Self::is_possible(m, world);
        packet.contents.tail.len() > TAIL || !Self::begins(packet) && !packet.messages.iter().all(good)
    }

    fn rest(packet: &AnyPacket<'_, Self>) -> usize {
        packet.contents.tail.len()
    }

    fn is_moment(packet: &AnyPacket<'_, Self>, d: &Dialect) -> bool {
        let snapshots = packet.messages.iter().filter(|m| matches!(m, Message::Snapshot(_))).count();
        snapshots == 1 && packet.contents.unusual_end(d).is_none()
    }

    fn is_built_on(message: &Message) -> bool {
        matches!(message, Message::Snapshot(_))
    }

    fn fill_commands(packet: &mut AnyPacket<'_, Self>, world: &World) -> u32 {
        let World::Dm3(world) = world else { return 0 };
        let new = |m: &Message| matches!(m, Message::ServerCommand(m) if m.seq > world.command());
        let Some(at) = packet.messages.iter().position(new) else { return 0 };
        let Some(Message::ServerCommand(ServerCommand { seq, .. })) = packet.messages.get(at) else { return 0 };
        let missing = seq.saturating_sub(world.command()).saturating_sub(1);
        // Of what is older than engines keep nothing is asked.
        let first = seq - missing.min(COMMANDS - 1);
        let empty = (first..*seq).map(|seq| Message::ServerCommand(ServerCommand { seq, value: Text(Vec::new()) }));
        let empty: Vec<_> = empty.collect();
        let count = empty.len() as u32;
        packet.messages.splice(at..at, empty);
        if count > 0 && packet.contents.closed {
            packet.contents.tail = Contents::new(0, &world.dialect()).tail;
        }
        count
    }

    fn assume(world: &World, packet: &mut AnyPacket<'_, Self>, invented: bool) -> Option<Assumed> {
        let World::Dm3(known) = world else { return None };
        let (snapshot, base) = snapshot(packet).filter(|(_, base)| known.earlier(*base).is_none())?;
        Assumed::of(world, |world| {
            of_mut(world)?.assume(base, packet.header.sequence, snapshot, invented).then_some(i64::from(base))
        })
    }

    fn rebuild(world: &mut World, packet: &mut AnyPacket<'_, Self>, lost: i64) -> Result<bool, Fault> {
        let Some(world) = of_mut(world) else { return Ok(false) };
        let lost = lost as i32;
        world.forget(lost);
        Ok(world.rebase(packet, lost.saturating_add(1)))
    }

    fn invent(mut beginning: AnyPacket<'static, Self>, seen: &Seen, d: &Dialect) -> Vec<AnyPacket<'static, Self>> {
        let map = seen.map_or("q3dm1");
        beginning.header.sequence = i32::try_from(seen.first.saturating_sub(1)).unwrap_or(0).max(0);
        if let Some(Message::Gamestate(gamestate)) = beginning.messages.first_mut() {
            gamestate.server_command_sequence = seen.command.map_or(0, |first| first.saturating_sub(1));
            let protocol = d.protocol;
            let serverinfo =
                format!("\\protocol\\{protocol}\\mapname\\{map}\\gamename\\baseq3\\g_gametype\\0\\sv_maxclients\\64");
            for (index, value) in [(0, serverinfo), (1, "\\sv_serverid\\1".to_owned()), (20, "baseq3-1".to_owned())] {
                let value = Text(value.into_bytes());
                gamestate.items.push(GamestateItem::Configstring(Configstring { index, value }));
            }
        }
        vec![beginning]
    }

    fn note(packet: &AnyPacket<'_, Self>, seen: &mut Seen) {
        if seen.first == 0 {
            seen.first = i64::from(packet.header.sequence);
        }
        for message in &packet.messages {
            if let Message::ServerCommand(m) = message {
                seen.command = seen.command.or(Some(m.seq));
                seen.text(&m.value.0);
            }
        }
    }
}
