//! What repairing takes of Quake II's `.mvd2`: every frame builds on the one in front of it, and none has a number.

use super::mend::Mend;
use super::survey::Seen;
use crate::format::Packet as AnyPacket;
use crate::format::dm2::Dialect;
use crate::format::mvd2::{Message, Mvd2, is_configstring};
use crate::replay::World;
use crate::wire::Str;
use crate::world::Scene;

impl Mend for Mvd2 {
    fn begins(packet: &AnyPacket<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, Message::ServerData(_)))
    }

    fn is_possible(message: &Message<'_>, world: &World) -> bool {
        let World::Mvd2(world) = world else { return true };
        match message {
            Message::ServerData(_) => world.level().map.is_empty(),
            Message::ConfigString(m) => is_configstring(m.index),
            _ => true,
        }
    }

    fn is_moment(packet: &AnyPacket<'_, Self>, _: &Dialect) -> bool {
        packet.messages.iter().filter(|m| matches!(m, Message::Frame(_))).count() == 1
    }

    fn is_built_on(message: &Message<'_>) -> bool {
        matches!(message, Message::Frame(_))
    }

    fn invent(mut beginning: AnyPacket<'static, Self>, seen: &Seen, _: &Dialect) -> Vec<AnyPacket<'static, Self>> {
        let map = seen.map_or("base1");
        if let Some(Message::ServerData(data)) = beginning.messages.first_mut() {
            data.configstrings = vec![(0, Str::from(map.clone())), (33, Str::from(format!("maps/{map}.bsp")))];
        }
        vec![beginning]
    }

    fn note(packet: &AnyPacket<'_, Self>, seen: &mut Seen) {
        for message in &packet.messages {
            match message {
                Message::Print(m) => seen.text(m.string.bytes()),
                Message::ConfigString(m) => seen.text(m.string.bytes()),
                _ => {}
            }
        }
    }
}
