//! Numbers of models and sounds.
//!
//! Qizmo knows the common sounds and models by name. A symbol means the same file in every demo, whatever number the
//! server gave to it: the coder's tables are made for Qizmo's numbers, and these are turned into the server's.

use super::strings::{MODELS, SOUNDS};
use super::world::PLAYERS;

/// Most parts of a list that are kept.
const PARTS: usize = 8;

/// The lists of a server, and the names of its players.
pub(super) struct Names {
    pub(super) sounds: List,
    pub(super) models: List,
    /// The server's numbers for Qizmo's.
    pub(super) sound_numbers: [u8; 256],
    pub(super) model_numbers: [u8; 256],
    /// A list has changed since the numbers were worked out.
    pub(super) stale: bool,
    /// What `svc_print` calls the players.
    pub(super) players: [Vec<u8>; PLAYERS],
}

impl Default for Names {
    fn default() -> Self {
        Names {
            sounds: List::default(),
            models: List::default(),
            sound_numbers: IDENTITY,
            model_numbers: IDENTITY,
            stale: false,
            players: Default::default(),
        }
    }
}

const IDENTITY: [u8; 256] = {
    let mut numbers = [0; 256];
    let mut i = 0;
    while i < 256 {
        numbers[i] = i as u8;
        i += 1;
    }
    numbers
};

/// A list of names in the parts it was sent in: the number of the first name less one, then the names.
#[derive(Default)]
pub(super) struct List(Vec<(u8, Vec<Vec<u8>>)>);

impl List {
    /// Adds a part. A part from 0 on begins the list anew.
    pub(super) fn add(&mut self, first: u8, names: Vec<Vec<u8>>) {
        if first == 0 {
            self.0.clear();
        }
        if self.0.len() < PARTS && self.0.iter().all(|part| part.0 != first) {
            self.0.push((first, names));
        }
    }

    fn names(&self, parts: impl Iterator<Item = usize>) -> impl Iterator<Item = &[u8]> {
        parts.filter_map(|part| self.0.get(part)).flat_map(|(_, names)| names.iter().map(Vec::as_slice))
    }
}

impl Names {
    /// Works out the numbers.
    pub(super) fn renumber(&mut self) {
        self.stale = false;
        let sound_parts = self.sounds.0.len();
        self.sound_numbers = numbers(self.sounds.names(0..PARTS), SOUNDS, b"");
        // Qizmo counts the parts on where the sounds ended: of the models it sees the first part, and those behind
        // that number. Its encoder does the same, so this must be kept.
        let parts = std::iter::once(0).chain(sound_parts + 1..PARTS);
        self.model_numbers = numbers(self.models.names(parts), MODELS, b"progs/");
    }
}

/// The server's numbers for Qizmo's: known names keep Qizmo's number, and what had it before takes the one left free.
fn numbers<'a>(names: impl Iterator<Item = &'a [u8]>, known: &[&[u8]], prefix: &[u8]) -> [u8; 256] {
    // Qizmo's for the server's, and the way back.
    let (mut to, mut from) = (IDENTITY, IDENTITY);
    for (name, position) in names.zip(1..=u8::MAX) {
        let Some(number) = known.binary_search(&name).ok().and_then(|n| u8::try_from(n + 1).ok()) else { continue };
        let old = to[usize::from(position)];
        if !name.starts_with(prefix) || old == number {
            continue;
        }
        let target = if to[usize::from(number)] == number { number } else { from[usize::from(number)] };
        to[usize::from(position)] = number;
        from[usize::from(number)] = position;
        to[usize::from(target)] = old;
        from[usize::from(old)] = target;
    }
    from
}

impl Names {
    /// Takes a player's name out of `\key\value\key\value`.
    pub(super) fn user_info(&mut self, player: u8, info: &[u8]) {
        let mut parts = info.strip_prefix(b"\\").unwrap_or(info).split(|&b| b == b'\\');
        let mut name = &b""[..];
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            if key == b"name" {
                name = value;
            }
        }
        self.set_info(player, b"name", name);
    }

    /// Notes a change of a player's name.
    pub(super) fn set_info(&mut self, player: u8, key: &[u8], value: &[u8]) {
        if key == b"name" {
            if let Some(name) = self.players.get_mut(usize::from(player)) {
                *name = value.to_vec();
            }
        }
    }

    /// What `svc_print` calls a player; the symbol has the number in its low bits.
    pub(super) fn player(&self, symbol: u16) -> &[u8] {
        match self.players.get(usize::from(symbol) % PLAYERS).map(Vec::as_slice) {
            None | Some([]) => b"unnamed",
            Some(name) => name,
        }
    }
}
