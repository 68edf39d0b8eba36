//! Protocols 24 to 27 to 28.

use crate::convert::pass::{Converter, MessageOf, Pass};
use crate::format::qwd::{Dialect, Message, MoveVars, Qwd};
use crate::game::quakeworld::World;
use crate::wire::F32;

pub(super) struct Protocol {
    pass: Pass<Qwd>,
}

impl Protocol {
    pub(super) fn new(protocol: i32) -> Self {
        Protocol { pass: Pass::new(protocol, Dialect::QUAKEWORLD) }
    }
}

impl Converter<Qwd> for Protocol {
    fn pass(&mut self) -> &mut Pass<Qwd> {
        &mut self.pass
    }

    fn convert<'a>(&mut self, message: &mut MessageOf<'a, Qwd>) -> bool {
        if let Message::ServerData(m) = message {
            self.pass.progress.is_from(m.serverversion);
        }
        modernize(message, &self.pass.from, self.pass.progress.done.to_protocol);
        if let Message::ServerData(m) = message {
            self.pass.to = Dialect::announced(m.serverversion, &m.extensions, false);
        }
        true
    }
}

/// Makes of a message of any protocol what protocol 28 has in its place.
pub(super) fn modernize(message: &mut Message<'_>, from: &Dialect, to: i32) {
    match message {
        Message::ServerData(m) => {
            m.serverversion = to;
            m.movevars.get_or_insert(MoveVars(World::MOVEVARS.map(F32::from)));
        }
        // The first protocols tell a list at once.
        Message::ModelList(m) => (m.first, m.next) = (m.first.or(Some(0)), m.next.or(Some(0))),
        Message::SoundList(m) => (m.first, m.next) = (m.first.or(Some(0)), m.next.or(Some(0))),
        Message::PlayerInfo(m) if !from.wide_commands => {
            if let Some(command) = &mut m.command {
                command.speed = command.speed.map(|speed| speed.map(|speed| speed.saturating_mul(8)));
                command.msec.get_or_insert(0);
            }
        }
        _ => {}
    }
}
