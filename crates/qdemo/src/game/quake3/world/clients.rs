//! What configstrings tell of players, taken apart when it is told and not at every question.

use crate::format::dm3::{Dialect, Indices};
use crate::game::quake3::Configstrings;
use crate::wire::info_value;

/// Players by slot, as far as the highest that ever was told of: it stays when that one goes, for those who remember players.
#[derive(Debug, Clone, Default)]
pub(super) struct Clients(Vec<Option<Client>>);

/// Name and team of a player.
#[derive(Debug, Clone)]
pub(super) struct Client {
    /// The name, as the bytes in the file.
    pub(super) name: Vec<u8>,
    /// Number of the team.
    pub(super) team: Option<usize>,
}

impl Clients {
    /// A level begins.
    pub(super) fn begin(&mut self, strings: &Configstrings, dialect: &Dialect) {
        let first = dialect.layout.indices.players;
        for slot in 0..Indices::PLAYERS as u8 {
            self.change(slot, strings.get(first.saturating_add(slot.into())));
        }
    }

    /// The configstring of a player changed.
    pub(super) fn change(&mut self, slot: u8, info: &[u8]) {
        let (slot, client) = (usize::from(slot), Client::of(info));
        if self.0.len() <= slot && client.is_some() {
            self.0.resize(slot + 1, None);
        }
        if let Some(place) = self.0.get_mut(slot) {
            *place = client;
        }
    }

    /// One more than the highest slot of a player so far.
    pub(super) fn slots(&self) -> usize {
        self.0.len()
    }

    /// The player in a slot.
    pub(super) fn get(&self, slot: usize) -> Option<&Client> {
        self.0.get(slot)?.as_ref()
    }
}

impl Client {
    fn of(info: &[u8]) -> Option<Client> {
        let team = info_value(info, "t").and_then(|team| std::str::from_utf8(team).ok()?.trim().parse().ok());
        Some(Client { name: info_value(info, "n")?.to_vec(), team })
    }
}
