//! Who has and had the slots of players, for what a recording says of itself.

use crate::event::{PlayerRef, Run};
use crate::game::quake2::events::{who_comes, who_disconnects};
use crate::game::quake2::info::Player;
use crate::game::quake2::matches::CHAT;
use crate::game::quake2::runs;
use crate::wire::clean;
use crate::world::Charset;

/// The players of a recording, those who left included.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    players: Vec<Player>,
    /// Who had a slot in front of this block, where the block gives it another name.
    renamed: Vec<Player>,
    /// The names of those of whom this block says that they come.
    coming: Vec<String>,
}

impl Holders {
    /// A level begins: who is there is told anew.
    pub(crate) fn level(&mut self) {
        self.players.iter_mut().for_each(|player| player.left = true);
        self.renamed.clear();
        self.coming.clear();
    }

    /// Takes in the configstring of a player: name, model and skin; empty when the slot is free.
    pub(crate) fn configstring(&mut self, slot: u8, text: &[u8]) {
        if text.is_empty() {
            if let Some(player) = self.in_slot(slot) {
                player.left = true;
            }
            return;
        }
        // name\model/skin, and in the re-release another \ and a picture
        let mut parts = text.split(|&b| b == b'\\');
        let (name, skin) = (parts.next().unwrap_or_default(), clean(parts.next().unwrap_or_default()));
        let player = Player { slot, name_raw: name.to_vec(), skin, left: false };
        let Some(there) = self.in_slot(slot) else { return self.comes(player) };
        let before = std::mem::replace(there, player);
        if before.name_raw != name && self.renamed.iter().all(|renamed| renamed.slot != slot) {
            self.renamed.push(before);
        }
    }

    /// Takes in a text that may tell who comes and who leaves: some mods let the name stand in the slot.
    pub(crate) fn print(&mut self, level: u8, text: &[u8]) {
        if level == CHAT {
            return;
        }
        for line in clean(text).lines() {
            self.coming.extend(who_comes(line).map(str::to_owned));
            let Some(name) = who_disconnects(line) else { continue };
            let mut named = self.players.iter_mut().filter(|player| !player.left && player.name() == name);
            // Of two of one name it is not known who.
            if let (Some(player), None) = (named.next(), named.next()) {
                player.left = true;
            }
        }
    }

    /// The block ends. A name behind another one is the same player's, unless the block says that somebody comes who has it:
    /// the re-release tells of nobody who goes (`ClientDisconnect`), and of whoever comes together with the name
    /// (`ClientConnect`).
    pub(crate) fn block_ends(&mut self) {
        let coming = std::mem::take(&mut self.coming);
        for before in std::mem::take(&mut self.renamed) {
            let Some(there) = self.in_slot(before.slot) else { continue };
            if there.name_raw != before.name_raw && coming.contains(&there.name()) {
                let now = std::mem::replace(there, Player { left: true, ..before });
                self.comes(now);
            }
        }
    }

    /// All of them, by slot.
    pub(crate) fn finish(mut self) -> Vec<Player> {
        self.players.sort_by_key(|player| (player.slot, player.left));
        self.players
    }

    /// The run that a text tells of somebody who is there: to everybody, or to the player in a slot.
    pub(crate) fn run(&self, text: &[u8], to: Option<u8>, map: &str) -> Option<Run> {
        let text = clean(text);
        let finish = text.lines().find_map(runs::finish)?;
        let is_it = |player: &&Player| match finish.name {
            Some(name) => player.name() == name,
            None => Some(player.slot) == to,
        };
        let player = self.players.iter().filter(|player| !player.left).find(is_it)?;
        let who = PlayerRef { slot: Some(player.slot.into()), ..PlayerRef::named(&player.name_raw, Charset::Quake) };
        Some(finish.run(Some(who), map.to_owned()))
    }

    fn in_slot(&mut self, slot: u8) -> Option<&mut Player> {
        self.players.iter_mut().find(|player| player.slot == slot && !player.left)
    }

    /// Somebody comes into a slot that is free. Whoever had it before under the same name is the same player.
    fn comes(&mut self, player: Player) {
        let same = |other: &&mut Player| other.slot == player.slot && other.name_raw == player.name_raw;
        match self.players.iter_mut().find(same) {
            Some(back) => *back = player,
            None => self.players.push(player),
        }
    }
}
