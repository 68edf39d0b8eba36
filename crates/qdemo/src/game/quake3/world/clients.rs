//! What configstrings tell of players, taken apart when it is told and not at every question.

use crate::format::dm3::Dialect;
use crate::game::quake3::Configstrings;
use crate::wire::info_value;

/// Players by slot.
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
    /// All players of a level that begins.
    pub(super) fn of(strings: &Configstrings, dialect: &Dialect) -> Self {
        let first = dialect.layout.indices.players;
        let slots = 0..crate::format::dm3::Indices::PLAYERS;
        Clients(slots.map(|slot| Client::of(strings.get(first.saturating_add(slot)))).collect())
    }

    /// The configstring of a player changed.
    pub(super) fn change(&mut self, slot: u8, info: &[u8]) {
        // A recording may begin within a level.
        if self.0.len() <= usize::from(slot) {
            self.0.resize(usize::from(slot) + 1, None);
        }
        if let Some(client) = self.0.get_mut(usize::from(slot)) {
            *client = Client::of(info);
        }
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
