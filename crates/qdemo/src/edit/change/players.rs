//! Names and looks of players, in the ways in which games tell them.

use super::says::{Game, Said};
use crate::wire::{info_value, set_info_value, with_info_value};
use crate::world::{Charset, TextTag};

/// How a player looks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Look {
    /// Colour of the shirt, 0 to 13, in Quake III 1 to 7 of what the rail gun leaves.
    Shirt(u8),
    /// Colour of the trousers, 0 to 13; in Quake the team.
    Pants(u8),
    /// Skin: in QuakeWorld the name of a picture, in Quake II and Quake III a model and its skin, such as `male/grunt`.
    Skin(Vec<u8>),
    /// Team: in QuakeWorld its name, in Quake a colour, in Quake III `free`, `red`, `blue` or `spectator`.
    Team(Vec<u8>),
}

impl Look {
    /// The value as it is written into texts, where it is none of a number.
    pub(super) fn text(&self) -> Option<&[u8]> {
        match self {
            Look::Skin(text) | Look::Team(text) => Some(text),
            Look::Shirt(_) | Look::Pants(_) => None,
        }
    }

    /// Says so where a game has no such thing.
    pub(super) fn missing_in(&self, game: Game) -> Option<&'static str> {
        match (game, self) {
            (Game::Quake, Look::Skin(_)) => Some("players of Quake have no skins of their own"),
            (Game::Quake2, Look::Shirt(_) | Look::Pants(_)) => Some("players of Quake II have no colours, but skins"),
            (Game::Quake2, Look::Team(_)) => Some("teams of Quake II are told by skins alone"),
            _ => None,
        }
    }

    /// The keys of settings that hold it, and its value; none where a game has no such thing.
    pub(super) fn settings(&self, game: Game) -> Option<(&'static [&'static str], Vec<u8>)> {
        let number = |n: u8| n.to_string().into_bytes();
        Some(match (game, self) {
            (Game::QuakeWorld, Look::Shirt(color)) => (&["topcolor"], number(*color)),
            (Game::QuakeWorld, Look::Pants(color)) => (&["bottomcolor"], number(*color)),
            (Game::QuakeWorld, Look::Skin(skin)) => (&["skin"], skin.clone()),
            (Game::QuakeWorld, Look::Team(team)) => (&["team"], team.clone()),
            (Game::Quake3, Look::Shirt(color)) => (&["c1"], number(*color)),
            (Game::Quake3, Look::Pants(color)) => (&["c2"], number(*color)),
            (Game::Quake3, Look::Skin(skin)) => (&["model", "hmodel"], skin.clone()),
            (Game::Quake3, Look::Team(team)) => {
                let names: [&[u8]; 4] = [b"free", b"red", b"blue", b"spectator"];
                let number = (0..).zip(names).find(|(_, name)| name.eq_ignore_ascii_case(team));
                (&["t"], number.map_or_else(|| team.clone(), |(n, _): (u8, _)| n.to_string().into_bytes()))
            }
            _ => return None,
        })
    }
}

/// The names that players have, as far as the recording has told.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By slot, as the bytes in the file.
    slots: Vec<Vec<u8>>,
    /// All names so far.
    all: Vec<Vec<u8>>,
}

impl Names {
    /// Names that are kept; a hostile file may have any number.
    const MOST: usize = 4_096;

    /// Takes in what a message says.
    pub(super) fn learn(&mut self, said: &Said<'_>) {
        let Some((slot, name)) = said.slot.zip(name(said)) else { return };
        let slot = usize::from(slot);
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, Vec::new());
        }
        if self.slots[slot] != name {
            self.slots[slot] = name.to_vec();
        }
        if !name.is_empty() && self.all.len() < Self::MOST && !self.all.iter().any(|known| known == name) {
            self.all.push(name.to_vec());
        }
    }

    /// The name of the player in a slot, in plain characters.
    pub(super) fn of(&self, slot: u8, charset: Charset) -> Option<String> {
        self.slots.get(usize::from(slot)).filter(|name| !name.is_empty()).map(|name| charset.clean(name))
    }

    /// The text with other names; `None` where there is nothing to change.
    pub(super) fn renamed(&self, said: &Said<'_>, rename: &[(String, Vec<u8>)], charset: Charset) -> Option<Vec<u8>> {
        if rename.is_empty() {
            return None;
        }
        if let Some(name) = name(said) {
            let plain = charset.clean(name);
            let (_, new) = rename.iter().find(|(old, new)| *old == plain && new != name)?;
            return Some(match (said.game, said.key) {
                (Game::Quake, _) | (_, Some(_)) => new.clone(),
                (Game::Quake2, _) => [new, said.text.get(name.len()..).unwrap_or_default()].concat(),
                (Game::QuakeWorld, _) => with_info_value(said.text, "name", new)?,
                (Game::Quake3, _) => with_info_value(said.text, "n", new)?,
            });
        }
        // What KTX writes into a recording names players, too.
        let of_module = said.game == Game::QuakeWorld && said.kind == TextTag::Command;
        if !TextTag::PRINTED.contains(&said.kind) && !of_module {
            return None;
        }
        let mut text: Option<Vec<u8>> = None;
        for (old, new) in rename {
            for raw in self.all.iter().filter(|raw| charset.clean(raw) == *old) {
                text = replaced(text.as_deref().unwrap_or(said.text), raw, new).or(text);
            }
        }
        text
    }

    /// Settings of a player with another look; `None` where there is nothing to change.
    pub(super) fn dressed(
        &self,
        said: &Said<'_>,
        looks: &[(Option<String>, Look)],
        charset: Charset,
    ) -> Option<Vec<u8>> {
        let slot = said.slot?;
        let mut text: Option<Vec<u8>> = None;
        for (_, look) in looks.iter().filter(|(player, _)| self.is_meant(slot, player.as_deref(), charset)) {
            let now = text.as_deref().unwrap_or(said.text);
            if now.is_empty() {
                continue;
            }
            if let (Game::Quake2, Look::Skin(skin)) = (said.game, look) {
                let name = now.split(|b| *b == b'\\').next().unwrap_or_default();
                let new = [name, b"\\", skin].concat();
                text = Some(new).filter(|new| *new != now).or(text);
                continue;
            }
            let Some((keys, value)) = look.settings(said.game) else { continue };
            if let Some(key) = said.key {
                if keys.iter().any(|k| k.as_bytes().eq_ignore_ascii_case(key)) && now != value {
                    text = Some(value);
                }
                continue;
            }
            for key in keys {
                let now = text.as_deref().unwrap_or(said.text);
                let new = match info_value(now, key) {
                    Some(_) => with_info_value(now, key, &value),
                    None => {
                        let mut info = now.to_vec();
                        set_info_value(&mut info, key.as_bytes(), &value);
                        Some(info)
                    }
                };
                text = new.or(text);
            }
        }
        text
    }

    /// True for the player in a slot, if one is named.
    pub(super) fn is_meant(&self, slot: u8, player: Option<&str>, charset: Charset) -> bool {
        player.is_none_or(|player| self.of(slot, charset).as_deref() == Some(player))
    }
}

/// The name that a text tells.
pub(super) fn name<'s>(said: &Said<'s>) -> Option<&'s [u8]> {
    said.slot?;
    match (said.game, said.key) {
        (_, Some(key)) => Some(said.text).filter(|_| key == b"name"),
        (Game::Quake, None) => Some(said.text),
        (Game::QuakeWorld, None) => info_value(said.text, "name"),
        (Game::Quake2, None) => said.text.split(|b| *b == b'\\').next(),
        (Game::Quake3, None) => info_value(said.text, "n"),
    }
}

/// A text in which a name stands for another, where it is no part of a longer word.
fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut at, mut from, mut found) = (0, 0, false);
    let is_word = |b: Option<&u8>| b.is_some_and(|b| (b & 0x7F).is_ascii_alphanumeric());
    // Where a name itself begins with something else than a letter there is no word to be part of.
    let (first, last) = (is_word(old.first()), is_word(old.last()));
    while let Some(rest) = text.get(at..).filter(|rest| rest.len() >= old.len() && !old.is_empty()) {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let joined = first && is_word(before) && !is_color(text, at) || last && is_word(rest.get(old.len()));
        if rest.starts_with(old) && !joined {
            out.extend_from_slice(text.get(from..at).unwrap_or_default());
            out.extend_from_slice(new);
            at += old.len();
            (from, found) = (at, true);
        } else {
            at += 1;
        }
    }
    out.extend_from_slice(text.get(from..).unwrap_or_default());
    found.then_some(out)
}

/// True behind a colour of Quake III: a caret and a character.
fn is_color(text: &[u8], at: usize) -> bool {
    at.checked_sub(2).and_then(|caret| text.get(caret)) == Some(&b'^')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_where_they_are_words() {
        let new =
            |text: &str| replaced(text.as_bytes(), b"bob", b"ann").map(|t| String::from_utf8_lossy(&t).into_owned());
        assert_eq!(new("bob rides bob's rocket").as_deref(), Some("ann rides ann's rocket"));
        assert_eq!(new("bobby and kebob"), None);
        assert_eq!(new("^1bob^7: hi").as_deref(), Some("^1ann^7: hi"));
        assert_eq!(replaced(b"x [bob] y", b"[bob]", b"c"), Some(b"x c y".to_vec()));
        assert_eq!(replaced(b"anything", b"", b"c"), None);
    }
}
