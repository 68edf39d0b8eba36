//! What a server recorded, as the client of one player records it.

use std::io::Write;

use super::client::{Body, Client, Moment};
use crate::convert::Shown;
use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::error::Result;
use crate::format::MessageSet as _;
use crate::format::mvd::{self, Mvd};
use crate::format::qwd::{Dialect, Message, Nail, Qwd};
use crate::game::quakeworld::info::place_of_serverinfo;
use crate::game::quakeworld::{World, ZEXT, zext};
use crate::wire::{Str, info_value, with_info_value};
use crate::world::{Clock, Scene};

/// A server's recording on its way to that of one player's client.
pub(super) struct FromMultiview {
    world: World,
    slot: u8,
    /// True when something was seen since the last packet.
    shows: bool,
    /// Entities that may have changed since then.
    changed: Vec<u16>,
    client: Client,
    shown_in: Shown,
}

impl FromMultiview {
    pub(super) fn new(slot: u8) -> Self {
        let (world, client) = (World::new(true), Client::default());
        FromMultiview { world, slot, shows: false, changed: Vec::new(), client, shown_in: Shown::default() }
    }

    fn seconds(&self) -> f64 {
        self.world.clock().demo.seconds()
    }

    /// Writes what the client sees at the end of a moment.
    fn frame<W: Write>(&mut self, out: &mut Output<Qwd, W>) -> Result<()> {
        if !std::mem::take(&mut self.shows) && self.client.is_told(self.seconds(), out)? {
            return Ok(());
        }
        self.changed.sort_unstable();
        self.changed.dedup();
        let world = &self.world;
        let state = |slot: u8| world.slot(slot.into()).and_then(|it| it.state);
        self.shown_in.count(state(self.slot).is_some());
        let in_view = (0..World::SLOTS as u8).filter(|slot| world.is_in_view((*slot).into()));
        let players: Vec<_> =
            in_view.filter_map(|slot| Some(Body { slot, state: state(slot)?, velocity: None })).collect();
        if !players.is_empty() {
            out.lose(Loss::Movement);
        }
        // Servers number nails, clients do not.
        let nails: Vec<_> = world.nails().iter().map(|nail| Nail { id: None, ..*nail }).collect();
        let seen = Moment {
            own: self.slot,
            view: state(self.slot).and_then(|state| state.angles()).unwrap_or_default(),
            players: &players,
            usual: world.usual_player(),
            entities: world.is_complete().then(|| world.entity_states()),
            changed: Some(&self.changed),
            baselines: world.baselines(),
            nails: &nails,
        };
        self.client.frame(world.clock().demo.seconds(), &seen, out)?;
        if world.is_complete() {
            self.changed.clear();
        }
        Ok(())
    }

    /// What becomes of a message that is for the player, or for others.
    fn take<W: Write>(&mut self, mut message: Message<'_>, out: &mut Output<Qwd, W>) {
        let is_for_player = self.world.tells(self.slot);
        match &mut message {
            Message::MvdPlayerInfo(_)
            | Message::PacketEntities(_)
            | Message::DeltaPacketEntities(_)
            | Message::Nails(_)
            | Message::Nails2(_) => {
                self.shows = true;
                return;
            }
            Message::HiddenCommand(_)
            | Message::HiddenDemoInfo(_)
            | Message::HiddenDamage(_)
            | Message::HiddenPause(_)
            | Message::HiddenStart(_)
            | Message::HiddenOther(_) => return out.lose(Loss::Hidden),
            Message::Disconnect(_) => return,
            _ if !is_for_player => return out.lose(Loss::Others),
            Message::ServerData(m) => {
                out.progress.is_from(m.serverversion);
                (m.servertime, m.client) = (None, Some(self.slot));
                self.shows = false;
            }
            Message::SetAngle(m) if m.about.is_some_and(|about| about != self.slot) => return out.lose(Loss::Others),
            Message::SetAngle(m) => {
                let level = Dialect::announced(out.progress.done.to_protocol, self.world.extensions(), false);
                m.about = level.setangle_byte.then_some(0);
            }
            Message::StuffText(m) => {
                let text = m.text.bytes();
                if let Some(at) = place_of_serverinfo(text) {
                    let settings = text.get(at.clone()).and_then(without_movement);
                    let mut text = text.to_vec();
                    settings.into_iter().for_each(|settings| drop(text.splice(at.clone(), settings)));
                    m.text = Str::from(text);
                }
            }
            Message::ServerInfo(m) if m.name.bytes() == ZEXT.as_bytes() => {
                if let Some(bits) = zext::bits(m.value.bytes()) {
                    m.value = Str::from((bits & !zext::MOVEMENT).to_string().into_bytes());
                }
            }
            _ => {}
        }
        self.client.tell(message);
    }
}

/// Settings of a server that does not tell how players move, as its own recordings do not: engines work it out then. `None`
/// where they say that already.
fn without_movement(settings: &[u8]) -> Option<Vec<u8>> {
    let bits = zext::bits(info_value(settings, ZEXT)?)?;
    with_info_value(settings, ZEXT, (bits & !zext::MOVEMENT).to_string().as_bytes())
}

impl Across for FromMultiview {
    type From = Mvd;
    type Into = Qwd;

    fn apply(&mut self, chunk: &mvd::Chunk<'_>) -> Clock {
        self.world.apply_record(chunk);
        let changes = self.world.changes();
        for numbers in [&changes.added, &changes.changed, &changes.removed] {
            self.changed.extend_from_slice(numbers);
        }
        self.world.clock()
    }

    fn block<W: Write>(
        &mut self,
        block: &mvd::Block<'_>,
        packet: mvd::Packet<'_>,
        _: Dialect,
        out: &mut Output<Qwd, W>,
    ) -> Result<()> {
        for message in packet.messages {
            if message.unknown_bytes().is_none() {
                self.take(message, out);
            }
        }
        if block.ends_moment { self.frame(out) } else { Ok(()) }
    }

    fn end<W: Write>(&mut self, out: &mut Output<Qwd, W>) -> Result<()> {
        self.shown_in.check(self.slot, "frames")?;
        self.client.end(self.seconds(), out)
    }
}
