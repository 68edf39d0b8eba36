//! What repairing takes of Quake II's `.dm2`: frames build on earlier ones, which they name.

use super::mend::{Assumed, Mend};
use super::survey::Seen;
use crate::format::dm2::{ConfigString, Dialect, Dm2, Message, Packet, Recording, StuffText};
use crate::format::{BlockOf, Decoder, Packet as AnyPacket};
use crate::game::quake2;
use crate::replay::World;
use crate::wire::{Fault, Str};

fn of_mut(world: &mut World) -> Option<&mut quake2::World> {
    if let World::Dm2(world) = world { Some(world) } else { None }
}

/// The number of the frame in a packet.
fn frame(messages: &[Message<'_>]) -> Option<i32> {
    messages.iter().find_map(|m| if let Message::Frame(m) = m { Some(m.seq1) } else { None })
}

fn is_list(message: &Message<'_>) -> bool {
    matches!(message, Message::PacketEntities(_) | Message::TestEntities(_))
}

fn command<'m>(message: &'m Message<'_>) -> Option<&'m [u8]> {
    if let Message::StuffText(m) = message { Some(m.text.bytes().trim_ascii()) } else { None }
}

impl Mend for Dm2 {
    const COUNTED: bool = true;

    fn number(block: &BlockOf<'_, Self>, d: &Dialect) -> Option<i64> {
        let (packet, _) = Decoder::<Dm2>::new(*d).read(block);
        frame(&packet.messages).map(i64::from)
    }

    fn is_single(block: &BlockOf<'_, Self>, world: &World) -> bool {
        let World::Dm2(world) = world else { return false };
        Self::number(block, &world.dialect()).is_some()
    }

    fn begins(packet: &AnyPacket<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, Message::ServerData(_)))
    }

    fn is_possible(message: &Message<'_>, world: &World) -> bool {
        let World::Dm2(world) = world else { return true };
        let begun = world.configstrings().iter().next().is_some();
        match message {
            Message::Bad(_) | Message::Disconnect(_) | Message::Reconnect(_) | Message::Download(_) => false,
            Message::ServerData(_) => !begun,
            Message::Frame(m) => world.frame().is_none_or(|last| {
                let since = m.seq1.saturating_sub(last.number());
                (-64..10_000).contains(&since) && m.seq2.is_none_or(|base| base < m.seq1)
            }),
            _ => true,
        }
    }

    fn is_moment(packet: &AnyPacket<'_, Self>, _: &Dialect) -> bool {
        let count = |is: fn(&Message<'_>) -> bool| packet.messages.iter().filter(|m| is(m)).count();
        let players = count(|m| matches!(m, Message::PlayerInfo(_) | Message::TestPlayerInfo(_)));
        count(|m| matches!(m, Message::Frame(_))) == 1 && players <= 1 && count(is_list) <= 1
    }

    fn is_built_on(message: &Message<'_>) -> bool {
        is_list(message)
    }

    fn mend_level_change(packet: &mut AnyPacket<'_, Self>) -> Vec<&'static str> {
        let mut what = Vec::new();
        packet.messages.retain(|message| {
            let gone = match (message, command(message)) {
                (Message::Reconnect(_), _) => "reconnect",
                (Message::Download(_), _) => "download",
                (_, Some(b"reconnect")) => "the command reconnect",
                (_, Some(text)) if text.starts_with(b"cmd configstrings ") => "the command cmd configstrings",
                (_, Some(text)) if text.starts_with(b"cmd baselines ") => "the command cmd baselines",
                (_, Some(text)) if text.starts_with(b"record ") => "the command record",
                _ => return true,
            };
            what.push(gone);
            false
        });
        for message in &mut packet.messages {
            match message {
                Message::StuffText(m) if m.text.bytes().starts_with(b"precache ") => {
                    m.text = Str::from("precache\n");
                    what.push("the number behind precache");
                }
                // One of a client's recording is 1; those of servers and Relay have marks of their own.
                Message::ServerData(m) if m.isdemo == 0 => {
                    m.isdemo = 1;
                    what.push("a level that says it is live");
                }
                _ => {}
            }
        }
        what
    }

    fn assume(world: &World, packet: &mut AnyPacket<'_, Self>, invented: bool) -> Option<Assumed> {
        let World::Dm2(known) = world else { return None };
        let told = packet.messages.iter().find_map(|m| if let Message::Frame(m) = m { Some(m) } else { None })?;
        let (number, base) = (told.seq1, told.seq2.filter(|base| *base > 0 && known.earlier(*base).is_none())?);
        Assumed::of(world, |world| {
            of_mut(world)?.assume(base, number, &packet.messages, invented).then_some(i64::from(base))
        })
    }

    fn rebuild(world: &mut World, packet: &mut AnyPacket<'_, Self>, lost: i64) -> Result<bool, Fault> {
        let Some(world) = of_mut(world) else { return Ok(false) };
        let lost = lost as i32;
        world.forget(lost);
        world.rebase(packet, lost.saturating_add(1))
    }

    fn is_signon(packet: &AnyPacket<'_, Self>) -> bool {
        packet.messages.iter().any(|m| command(m).is_some_and(|text| text.starts_with(b"precache")))
    }

    fn signon<'p>(world: &World) -> Option<AnyPacket<'p, Self>> {
        let World::Dm2(world) = world else { return None };
        let told = matches!(world.dialect().recording, Recording::Client | Recording::TestRelease);
        told.then(|| Packet::new(vec![Message::StuffText(StuffText { text: Str::from("precache\n") })]))
    }

    fn invent(mut beginning: AnyPacket<'static, Self>, seen: &Seen, d: &Dialect) -> Vec<AnyPacket<'static, Self>> {
        let map = seen.map_or("base1");
        if let Some(Message::ServerData(m)) = beginning.messages.first_mut() {
            m.mapname = Str::from(map.clone());
        }
        let string = |index: u16, text: String| Message::ConfigString(ConfigString { index, string: Str::from(text) });
        let models = d.layout.configstrings.models;
        beginning.messages.push(string(0, map.clone()));
        beginning.messages.push(string(models + 1, format!("maps/{map}.bsp")));
        beginning.messages.push(Message::StuffText(StuffText { text: Str::from("precache\n") }));
        vec![beginning]
    }

    fn note(packet: &AnyPacket<'_, Self>, seen: &mut Seen) {
        for message in &packet.messages {
            match message {
                Message::Frame(m) if seen.first == 0 => seen.first = i64::from(m.seq1),
                Message::Print(m) => seen.text(m.string.bytes()),
                Message::StuffText(m) => seen.text(m.text.bytes()),
                Message::ConfigString(m) => seen.text(m.string.bytes()),
                _ => {}
            }
        }
    }
}
