//! The score board of a recording, for the next one where that tells none.

use std::collections::VecDeque;

use crate::demo::Chunk;
use crate::error::Result;
use crate::format::dem::{self, Dem};
use crate::format::{BlockOf, Decoder, DialectOf, Format, mvd, qwd};
use crate::frame;
use crate::game::{quake, quakeworld};
use crate::replay::World;
use crate::world::Scene;

/// Messages that tell names, scores and colours of players, in Quake and QuakeWorld. In the other games the tables that
/// every level begins with tell of them.
#[derive(Debug, Clone)]
pub(super) struct Board {
    messages: Messages,
    /// Players with a name.
    pub(super) players: u64,
}

#[derive(Debug, Clone)]
enum Messages {
    Dem(VecDeque<dem::Message<'static>>),
    QuakeWorld(VecDeque<qwd::Message<'static>>),
}

impl Board {
    /// That of a world; `None` where nobody has a name.
    pub(super) fn of(world: &World) -> Option<Self> {
        let players = world.players().filter(|player| !player.name.is_empty()).count() as u64;
        let messages = match world {
            World::Dem(world) => Messages::Dem(world.board().into()),
            World::QuakeWorld(world) => Messages::QuakeWorld(world.board().into()),
            _ => return None,
        };
        (players > 0).then_some(Board { messages, players })
    }

    /// The same for a level with so many players: Quake's engine stops at a higher slot.
    pub(super) fn for_level(mut self, world: &World) -> Self {
        if let (Messages::Dem(messages), World::Dem(world)) = (&mut self.messages, world) {
            messages.retain(|message| slot(message).is_none_or(|slot| slot < world.maxclients()));
            let named =
                |m: &&dem::Message<'_>| matches!(m, dem::Message::UpdateName(m) if !m.netname.bytes().is_empty());
            self.players = messages.iter().filter(named).count() as u64;
        }
        self
    }

    /// True when all of it was told.
    pub(super) fn is_told(&self) -> bool {
        match &self.messages {
            Messages::Dem(messages) => messages.is_empty(),
            Messages::QuakeWorld(messages) => messages.is_empty(),
        }
    }

    /// Puts as much of it as has room in front of what a block tells, and gives the block's bytes; `None` where nothing has.
    /// `world` is the one in front of the block.
    pub(super) fn put(&mut self, chunk: &Chunk<'_>, world: &World) -> Result<Option<Vec<u8>>> {
        match (&mut self.messages, chunk, world) {
            (Messages::Dem(messages), Chunk::Dem(frame::Chunk::Block(block)), World::Dem(world)) => {
                put::<Dem>(messages, block, world.dialect(), quake::World::MOST, |_| true)
            }
            (Messages::QuakeWorld(messages), Chunk::Qwd(frame::Chunk::Block(block)), World::QuakeWorld(world)) => {
                put::<qwd::Qwd>(messages, block, world.dialect(), quakeworld::World::MOST, |packet| {
                    matches!(packet.contents, qwd::Contents::Packet(_))
                })
            }
            (Messages::QuakeWorld(messages), Chunk::Mvd(frame::Chunk::Block(block)), World::QuakeWorld(world)) => {
                put::<mvd::Mvd>(messages, block, world.dialect(), quakeworld::World::MOST, |packet| {
                    packet.header.to.target == mvd::Target::All
                })
            }
            _ => Ok(None),
        }
    }
}

/// The slot that a message is about.
fn slot(message: &dem::Message<'_>) -> Option<u8> {
    match message {
        dem::Message::UpdateName(m) => Some(m.player),
        dem::Message::UpdateFrags(m) => Some(m.player),
        dem::Message::UpdateColors(m) => Some(m.player),
        _ => None,
    }
}

fn put<F: Format>(
    messages: &mut VecDeque<F::Message<'static>>,
    block: &BlockOf<'_, F>,
    dialect: DialectOf<F>,
    most: usize,
    tells_all: impl Fn(&crate::format::Packet<'_, F>) -> bool,
) -> Result<Option<Vec<u8>>> {
    let mut decoder = Decoder::<F>::new(dialect);
    let (packet, _) = decoder.read(block);
    let mut packet = packet.into_owned();
    if block.is_cut() || packet.messages.is_empty() || !tells_all(&packet) {
        return Ok(None);
    }
    let mut changed = None;
    for at in 0.. {
        let Some(message) = messages.front() else { break };
        packet.messages.insert(at, message.clone());
        let bytes = packet.to_bytes(decoder.before())?;
        if bytes.len() > most {
            break;
        }
        messages.pop_front();
        changed = Some(bytes);
    }
    Ok(changed)
}
