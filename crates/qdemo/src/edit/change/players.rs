//! Names and looks of players, in the ways in which games tell them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::says::{Game, Holds, Said};
use crate::game::quake3::names::TEAMS;
use crate::game::quakeworld::{ghost, ghost_name};
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

    /// Says so where a game has teams, and none of this name.
    pub(super) fn refused_in(&self, game: Game) -> Option<String> {
        let Look::Team(team) = self else { return None };
        let name = String::from_utf8_lossy(team);
        match game {
            Game::Quake if !name.parse().is_ok_and(|color: u8| color <= 13) => {
                Some(format!("{name}: a team of Quake is a colour, 0 to 13"))
            }
            Game::Quake3 if !TEAMS.iter().any(|known| known.eq_ignore_ascii_case(&name)) => {
                Some(format!("{name}: teams of Quake III are {}", TEAMS.join(", ")))
            }
            _ => None,
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
                let known = |name: &str| name.as_bytes().eq_ignore_ascii_case(team);
                let number = (0..).zip(TEAMS).find(|(_, name)| known(name));
                (&["t"], number.map_or_else(|| team.clone(), |(n, _): (u8, _)| n.to_string().into_bytes()))
            }
            _ => return None,
        })
    }
}

/// A name in plain characters, and the one that comes in its place as bytes of the game.
type Renamed = (String, Vec<u8>);

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

    /// What a user wants of the player with a name: one whose name is written so goes before one in another case.
    fn wanted<'r>(raw: &[u8], rename: &'r [Renamed], charset: Charset) -> Option<&'r Renamed> {
        let plain = charset.clean(raw);
        let exact = rename.iter().find(|(old, _)| *old == plain);
        exact.or_else(|| rename.iter().find(|(old, _)| charset.is_called(raw, old)))
    }

    /// The names that go, in all ways in which texts write them, and what comes in their place: the longest first. Names of
    /// others that have one of these in them stand for themselves.
    fn spellings(&self, rename: &[Renamed], charset: Charset, of_module: bool) -> Vec<(Vec<u8>, Vec<u8>)> {
        let ways = |raw: &[u8]| {
            let mut ways = vec![raw.to_vec(), charset.clean(raw).into_bytes()];
            if of_module {
                ways.extend([json(&ways[0]), json(&ways[1])]);
            }
            ways
        };
        let mut all = Vec::new();
        let mut others = Vec::new();
        for raw in &self.all {
            match Self::wanted(raw, rename, charset) {
                Some((_, new)) => {
                    let new = if of_module { json(new) } else { new.clone() };
                    all.extend(ways(raw).into_iter().map(|old| (old, new.clone())));
                }
                None => others.extend(ways(raw)),
            }
        }
        keep_apart(&mut all, others);
        all.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup_by(|(a, _), (b, _)| a == b);
        all
    }

    /// The text with other names; `None` where there is nothing to change. Of a text that goes on in the next message, what
    /// may be the beginning of a name waits in `begun` for the rest.
    pub(super) fn renamed(
        &self,
        said: &Said<'_>,
        rename: &[Renamed],
        charset: Charset,
        begun: &mut Vec<u8>,
    ) -> Option<Vec<u8>> {
        if rename.is_empty() {
            return None;
        }
        if let Some(name) = name(said) {
            let (_, new) = Self::wanted(name, rename, charset).filter(|(_, new)| new != name)?;
            return Some(match (said.game, said.key) {
                (Game::Quake, _) | (_, Some(_)) => new.clone(),
                (Game::Quake2, _) => [new, said.text.get(name.len()..).unwrap_or_default()].concat(),
                (Game::QuakeWorld, _) if said.ghost => with_info_value(said.text, "name", &ghost_name(new))?,
                (Game::QuakeWorld, _) => with_info_value(said.text, "name", new)?,
                (Game::Quake3, _) => with_info_value(said.text, "n", new)?,
            });
        }
        match said.holds {
            // What KTX writes into a recording names players, too: as JSON.
            Holds::Statistics => {
                let spellings = self.spellings(rename, charset, true);
                let mut text = [begun, said.text].concat();
                begun.clear();
                if said.goes_on {
                    let is_begun = |tail: &[u8]| spellings.iter().any(|(old, _)| old.starts_with(tail));
                    let from = (0..text.len()).find(|from| text.get(*from..).is_some_and(is_begun));
                    *begun = text.split_off(from.unwrap_or(text.len()));
                }
                let text = replaced(&text, &spellings).unwrap_or(text);
                Some(text).filter(|text| text != said.text)
            }
            // Layouts name players in what they write, and are words of a language beside it.
            Holds::Layout => {
                let spellings = self.spellings(rename, charset, false);
                let parts = said.text.split(|b| *b == b'"').enumerate();
                let parts = parts.map(|(n, part)| {
                    Some(part)
                        .filter(|_| n % 2 == 1)
                        .and_then(|p| replaced(p, &spellings))
                        .unwrap_or_else(|| part.to_vec())
                });
                let text = parts.collect::<Vec<_>>().join(&b'"');
                Some(text).filter(|text| text != said.text)
            }
            _ if TextTag::PRINTED.contains(&said.kind) || said.holds == Holds::Words => {
                replaced(said.text, &self.spellings(rename, charset, false)).filter(|text| text != said.text)
            }
            _ => None,
        }
    }

    /// The names in a text that were to go, in plain characters and whatever the case.
    pub(super) fn left_in(&self, text: &[u8], rename: &[Renamed], charset: Charset) -> Vec<String> {
        if rename.is_empty() {
            return Vec::new();
        }
        let small = |text: &[u8]| charset.clean(text).to_lowercase().into_bytes();
        let ways = |raw: &[u8]| [small(raw), json(raw).to_ascii_lowercase()];
        let text = small(text);
        let mut all = Vec::new();
        for raw in &self.all {
            let Some((_, new)) = Self::wanted(raw, rename, charset) else { continue };
            let plain = charset.clean(raw);
            let mut spellings = Vec::from(ways(raw).map(|old| (old, Vec::new())));
            let is_in = |text: &[u8], names: &[_]| replaced(text, names).is_some_and(|new| new != text);
            // Most texts have it in none of the names.
            if !is_in(&text, &spellings) {
                continue;
            }
            let others = self.all.iter().filter(|other| Self::wanted(other, rename, charset).is_none());
            keep_apart(&mut spellings, others.flat_map(|other| ways(other)));
            spellings.sort_by_key(|(old, _)| Reverse(old.len()));
            // A new name may have the old one in it.
            let is_left = is_in(&text, &spellings) && !is_in(&small(new), &spellings);
            if is_left && !all.contains(&plain) {
                all.push(plain);
            }
        }
        all
    }

    /// Says so where nobody has a name.
    pub(super) fn absent(&self, wanted: &str, charset: Charset) -> Option<String> {
        if self.all.iter().any(|raw| charset.is_called(raw, wanted)) {
            return None;
        }
        let names: BTreeSet<_> = self.all.iter().map(|raw| charset.clean(raw)).collect();
        let names = if names.is_empty() { "no names in it".to_owned() } else { Vec::from_iter(names).join(", ") };
        Some(format!("nobody is called {wanted:?}, so nothing of such a player was changed; there are {names}"))
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
        let is_called = |player| self.slots.get(usize::from(slot)).is_some_and(|name| charset.is_called(name, player));
        player.is_none_or(|player| !player.is_empty() && is_called(player))
    }
}

/// The name that a text tells.
pub(super) fn name<'s>(said: &Said<'s>) -> Option<&'s [u8]> {
    said.slot?;
    match (said.game, said.key) {
        (_, Some(key)) => Some(said.text).filter(|_| key == b"name"),
        (Game::Quake, None) => Some(said.text),
        (Game::QuakeWorld, None) if said.ghost => info_value(said.text, "name").and_then(|name| ghost(0, name)),
        (Game::QuakeWorld, None) => info_value(said.text, "name"),
        (Game::Quake2, None) => said.text.split(|b| *b == b'\\').next(),
        (Game::Quake3, None) => info_value(said.text, "n"),
    }
}

/// As KTX writes a name into JSON.
fn json(name: &[u8]) -> Vec<u8> {
    let spelled = |b: &u8| match b {
        b'"' | b'\\' => vec![b'\\', *b],
        b' '..=b'~' => vec![*b],
        other => format!("\\u{other:04X}").into_bytes(),
    };
    name.iter().flat_map(spelled).collect()
}

/// Lets other names stand for themselves, where one that goes is part of them.
fn keep_apart(names: &mut Vec<(Vec<u8>, Vec<u8>)>, others: impl IntoIterator<Item = Vec<u8>>) {
    let going = Vec::from_iter(names.iter().map(|(old, _)| old.clone()).filter(|old| !old.is_empty()));
    let has_one = |other: &Vec<u8>| going.iter().any(|old| memchr::memmem::find(other, old).is_some());
    names.extend(others.into_iter().filter(has_one).map(|other| (other.clone(), other)));
}

/// A text in which names stand for others, where they are no part of a longer word. In columns, which two spaces tell, what
/// follows or stands in front stays where it is, as far as there is room.
fn replaced(text: &[u8], names: &[(Vec<u8>, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    let (mut at, mut found) = (0, false);
    let is_word = |b: Option<&u8>| b.is_some_and(|b| (b & 0x7F).is_ascii_alphanumeric());
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let is_here = |old: &[u8]| {
            // Where a name itself begins with something else than a letter there is no word to be part of.
            let (first, last) = (is_word(old.first()), is_word(old.last()));
            let joined = first && is_word(before) && !is_color(text, at) || last && is_word(rest.get(old.len()));
            !old.is_empty() && rest.starts_with(old) && !joined
        };
        let Some((old, new)) = names.iter().find(|(old, _)| is_here(old)) else {
            out.extend(rest.first());
            at += 1;
            continue;
        };
        (at, found) = (at + old.len(), true);
        let spaces = |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|b| **b == b' ').count();
        let behind = spaces(&mut text.get(at..).unwrap_or_default().iter());
        let front = spaces(&mut out.iter().rev());
        // One space stays.
        let wider = new.len().saturating_sub(old.len());
        let narrower = old.len().saturating_sub(new.len());
        if behind > 1 {
            out.extend_from_slice(new);
            out.resize(out.len() + narrower, b' ');
            at += wider.min(behind - 1);
        } else {
            if front > 1 {
                out.truncate(out.len() - wider.min(front - 1));
                out.resize(out.len() + narrower, b' ');
            }
            out.extend_from_slice(new);
        }
    }
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
        let with = |text: &str, names: &[(&str, &str)]| {
            let names =
                Vec::from_iter(names.iter().map(|(old, new)| (old.as_bytes().to_vec(), new.as_bytes().to_vec())));
            replaced(text.as_bytes(), &names).map(|t| String::from_utf8_lossy(&t).into_owned())
        };
        let new = |text: &str| with(text, &[("bob", "ann")]);
        assert_eq!(new("bob rides bob's rocket").as_deref(), Some("ann rides ann's rocket"));
        assert_eq!(new("bobby and kebob"), None);
        assert_eq!(new("^1bob^7: hi").as_deref(), Some("^1ann^7: hi"));
        assert_eq!(with("x [bob] y", &[("[bob]", "c")]).as_deref(), Some("x c y"));
        assert_eq!(with("anything", &[("", "c")]), None);
        assert_eq!(with("bob hit ann", &[("bob", "ann"), ("ann", "bob")]).as_deref(), Some("ann hit bob"));
    }

    /// KTX writes letters beyond ASCII as JSON does, and MVDSV cuts its text into parts.
    #[test]
    fn names_are_replaced_in_statistics() {
        let mut names = Names::default();
        let said = |text: &'static [u8]| Said::new(Game::QuakeWorld, TextTag::UserInfo, text);
        names.learn(&Said { slot: Some(0), ..said(b"\\name\\b\xCFb") });
        let rename = [("BOB".to_owned(), b"a\xFF".to_vec())];
        let mut begun = Vec::new();
        let mut part = |text: &'static [u8], goes_on| {
            let said = Said { kind: TextTag::Command, goes_on, holds: Holds::Statistics, ..said(text) };
            let new = names.renamed(&said, &rename, Charset::Quake, &mut begun);
            new.map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        assert_eq!(part(br#"{"name": "b\u00CFb", "n": "b\u0"#, true).as_deref(), Some(r#"{"name": "a\u00FF", "n": ""#));
        assert_eq!(part(br#"0CFb", "map": "dm2"}"#, false).as_deref(), Some(r#"a\u00FF", "map": "dm2"}"#));
        assert_eq!(part(br#"{"name": "bo"}"#, false), None);
    }

    /// Of a name that goes on in the next part nothing is a shorter one.
    #[test]
    fn names_within_others_stay_in_statistics() {
        let mut names = Names::default();
        let said = |text: &'static [u8]| Said::new(Game::QuakeWorld, TextTag::UserInfo, text);
        for (slot, text) in [(0, &b"\\name\\Sarge"[..]), (1, b"\\name\\(1)Sarge"), (2, b"\\name\\Sarge Two")] {
            names.learn(&Said { slot: Some(slot), ..said(text) });
        }
        let rename = [("Sarge".to_owned(), b"Bob".to_vec())];
        let mut begun = Vec::new();
        let mut told = Vec::new();
        let parts = [&br#"{"a": "(1)"#[..], br#"Sarge", "b": "Sarge"#, br#" Two", "c": "Sarge"#, br#"", "d": 1}"#];
        for (n, text) in parts.into_iter().enumerate() {
            let holds = Holds::Statistics;
            let said = Said { kind: TextTag::Command, goes_on: n < 3, holds, ..said(text) };
            let new = names.renamed(&said, &rename, Charset::Quake, &mut begun);
            told.extend(new.unwrap_or_else(|| text.to_vec()));
        }
        let expected = r#"{"a": "(1)Sarge", "b": "Sarge Two", "c": "Bob", "d": 1}"#;
        assert_eq!(String::from_utf8_lossy(&told), expected);
        assert_eq!(names.left_in(b"Sarge Two and (1)SARGE", &rename, Charset::Quake), [""; 0]);
        assert_eq!(names.left_in(b"SARGE and Sarge Two", &rename, Charset::Quake), ["Sarge"]);
    }

    #[test]
    fn columns_stay_where_they_are() {
        let new = |text: &str, new: &str| {
            let names = [(b"bob".to_vec(), new.as_bytes().to_vec())];
            replaced(text.as_bytes(), &names).map(|t| String::from_utf8_lossy(&t).into_owned()).unwrap_or_default()
        };
        assert_eq!(new("bob     2", "robert"), "robert  2");
        assert_eq!(new("bob     2", "al"), "al      2");
        assert_eq!(new("bob  2", "robert"), "robert 2");
        assert_eq!(new("     bob", "robert"), "  robert");
        assert_eq!(new("     bob", "al"), "      al");
        assert_eq!(new("so bob is in", "robert"), "so robert is in");
    }
}
