//! What messages say: where each has texts, looks and tracks.

use std::ops::Range;

use crate::describe::MessageSet;
use crate::edit::moment::Momentary;
use crate::format::dm2::ConfigStrings;
use crate::format::dm3::{self, GamestateItem, Indices};
use crate::format::{dem, dm2, mvd2, qwd};
use crate::game::quake3::{Shown, shown, shown_at, told_string};
use crate::game::quakeworld::ghost;
use crate::wire::{Str, info_value};
use crate::world::TextTag;

/// Whose way of telling it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Game {
    Quake,
    QuakeWorld,
    Quake2,
    Quake3,
}

/// How a text that is not printed speaks of players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Whatever the game wants, in words.
    Words,
    /// Commands that draw, and in quotes what they write: Quake II.
    Layout,
    /// The statistics of KTX: JSON.
    Statistics,
    /// In no way that is known.
    Other,
}

/// What a message says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'s> {
    pub(super) game: Game,
    /// What it is.
    pub(super) kind: TextTag,
    /// The setting whose value it is, where it is told alone.
    pub(super) key: Option<&'s [u8]>,
    /// The player whose name or settings it tells.
    pub(super) slot: Option<u8>,
    /// It tells of somebody who has left a match of KTX: a mark stands in front of the name.
    pub(super) ghost: bool,
    /// Number of a configstring.
    pub(super) index: Option<u16>,
    /// It goes on in the next message of its kind.
    pub(super) goes_on: bool,
    /// How it speaks of players.
    pub(super) holds: Holds,
    pub(super) text: &'s [u8],
}

impl<'s> Said<'s> {
    pub(super) fn new(game: Game, kind: TextTag, text: &'s [u8]) -> Self {
        let (key, slot, index, holds) = (None, None, None, Holds::Other);
        Said { game, kind, key, slot, ghost: false, index, goes_on: false, holds, text }
    }

    fn of(self, slot: Option<u8>) -> Self {
        Said { slot, ..self }
    }

    fn configstring(game: Game, index: u16, text: &'s [u8], places: &Places) -> Self {
        let holds = places.holds(index);
        let said = Said { index: Some(index), holds, ..Said::new(game, TextTag::ConfigString, text) };
        said.of(places.player(index))
    }
}

/// Where configstrings stand that tell of players and of music.
#[derive(Debug, Clone, Copy)]
pub(super) enum Places {
    /// There are none.
    None,
    Quake2(&'static ConfigStrings),
    Quake3(Indices),
}

impl Places {
    fn player(&self, index: u16) -> Option<u8> {
        match self {
            Places::None => None,
            Places::Quake2(strings) => strings.player(index).and_then(|slot| u8::try_from(slot).ok()),
            Places::Quake3(indices) => indices.player(index),
        }
    }

    fn holds(&self, index: u16) -> Holds {
        match self {
            Places::Quake2(strings) if strings.is_status_bar(index) => Holds::Layout,
            Places::Quake2(strings) if (strings.general..strings.end).contains(&index) => Holds::Words,
            _ => Holds::Other,
        }
    }
}

/// Gives a text that stands for another one.
pub(super) type Rewrite<'r> = &'r mut dyn FnMut(Said<'_>) -> Option<Vec<u8>>;

/// A message whose texts can be changed.
pub(super) trait Saying {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Shows each of its texts, and puts in what stands for it; true where anything did.
    fn texts(&mut self, places: &Places, each: Rewrite<'_>) -> bool;
    /// True for a text, a sound, an effect: it goes where only some of these are kept.
    fn is_for_eyes_and_ears(&self) -> bool;
    /// Slot and colours of a player, in a message of its own.
    fn colors(&mut self) -> Option<(u8, &mut u8)> {
        None
    }
    /// Puts in another track; `None` where it tells none.
    fn set_track(&mut self, _: &Places, _: &str) -> Option<bool> {
        None
    }
    /// The number of a message that is sent again until it arrives.
    fn number(&self) -> Option<i32> {
        None
    }
    /// Makes it say nothing, where it has to stay for its number; false where it can be left out.
    fn fall_silent(&mut self) -> bool {
        false
    }
}

/// Puts a text in, if there is another one.
fn put(text: &mut Str<'_>, new: Option<Vec<u8>>) -> bool {
    match new {
        Some(new) => {
            *text = Str::from(new);
            true
        }
        None => false,
    }
}

impl Saying for dem::Message<'_> {
    fn name(&self) -> &'static str {
        MessageSet::name(self)
    }

    fn texts(&mut self, _: &Places, each: Rewrite<'_>) -> bool {
        use dem::Message::{CenterPrint, CutScene, Finale, Print, ServerInfo, StuffText, UpdateName};
        let mut ask = |kind, slot, text: &mut Str<'_>| {
            let new = each(Said::new(Game::Quake, kind, text.bytes()).of(slot));
            put(text, new)
        };
        match self {
            Print(m) => ask(TextTag::of_print(None, m.text.bytes()), None, &mut m.text),
            CenterPrint(m) => ask(TextTag::Center, None, &mut m.text),
            Finale(m) => ask(TextTag::Center, None, &mut m.text),
            CutScene(m) => ask(TextTag::Center, None, &mut m.text),
            StuffText(m) => ask(TextTag::StuffText, None, &mut m.text),
            UpdateName(m) => ask(TextTag::Name, Some(m.player), &mut m.netname),
            ServerInfo(m) => ask(TextTag::Level, None, &mut m.mapname),
            _ => false,
        }
    }

    fn is_for_eyes_and_ears(&self) -> bool {
        use dem::Message::{Achievement, BonusFlash, StuffText};
        self.is_of_a_moment() || matches!(self, StuffText(_) | BonusFlash(_) | Achievement(_))
    }

    fn colors(&mut self) -> Option<(u8, &mut u8)> {
        if let dem::Message::UpdateColors(m) = self { Some((m.player, &mut m.colors.0)) } else { None }
    }

    fn set_track(&mut self, _: &Places, track: &str) -> Option<bool> {
        let dem::Message::CdTrack(m) = self else { return None };
        let track = track.parse().unwrap_or(m.fromtrack);
        let changed = (m.fromtrack, m.totrack) != (track, track);
        (m.fromtrack, m.totrack) = (track, track);
        Some(changed)
    }
}

impl Saying for qwd::Message<'_> {
    fn name(&self) -> &'static str {
        MessageSet::name(self)
    }

    fn texts(&mut self, _: &Places, each: Rewrite<'_>) -> bool {
        use qwd::Message::{
            CenterPrint, Finale, HiddenDemoInfo, Print, ServerData, ServerInfo, SetInfo, StuffText, UpdateUserInfo,
        };
        let mut ask = |kind, key: Option<&[u8]>, slot, text: &mut Str<'_>| {
            let new = each(Said { key, slot, ..Said::new(Game::QuakeWorld, kind, text.bytes()) });
            put(text, new)
        };
        match self {
            Print(m) => ask(TextTag::of_print(Some(m.level), m.string.bytes()), None, None, &mut m.string),
            CenterPrint(m) => ask(TextTag::Center, None, None, &mut m.text),
            Finale(m) => ask(TextTag::Center, None, None, &mut m.text),
            StuffText(m) => ask(TextTag::StuffText, None, None, &mut m.text),
            UpdateUserInfo(m) => {
                let text = m.string.bytes();
                let ghost = info_value(text, "name").is_some_and(|name| ghost(m.user, name).is_some());
                let said = Said::new(Game::QuakeWorld, TextTag::UserInfo, text).of(Some(m.player));
                let new = each(Said { ghost, ..said });
                put(&mut m.string, new)
            }
            SetInfo(m) => ask(TextTag::UserInfo, Some(m.name.bytes()), Some(m.player), &mut m.value),
            ServerInfo(m) => ask(TextTag::ServerInfo, Some(m.name.bytes()), None, &mut m.value),
            ServerData(m) => ask(TextTag::Level, None, None, &mut m.mapname),
            HiddenDemoInfo(m) => {
                let said = Said::new(Game::QuakeWorld, TextTag::Command, &m.text.0);
                let new = each(Said { goes_on: m.block != 0, holds: Holds::Statistics, ..said });
                let changed = new.is_some();
                if let Some(new) = new {
                    m.text = new.into();
                }
                changed
            }
            _ => false,
        }
    }

    fn is_for_eyes_and_ears(&self) -> bool {
        use qwd::Message::{QizmoVoice, StuffText, VoiceChat};
        self.is_of_a_moment() || matches!(self, StuffText(_) | QizmoVoice(_) | VoiceChat(_))
    }

    fn set_track(&mut self, _: &Places, track: &str) -> Option<bool> {
        let qwd::Message::CdTrack(m) = self else { return None };
        let track = track.parse().unwrap_or(m.track);
        Some(std::mem::replace(&mut m.track, track) != track)
    }
}

/// A configstring of Quake II.
fn configstring(index: u16, text: &mut Str<'_>, places: &Places, each: Rewrite<'_>) -> bool {
    let new = each(Said::configstring(Game::Quake2, index, text.bytes(), places));
    put(text, new)
}

fn track_string(index: u16, text: &mut Str<'_>, places: &Places, track: &str) -> Option<bool> {
    let is_track = matches!(places, Places::Quake2(_)) && index == ConfigStrings::TRACK;
    is_track.then(|| put(text, Some(track.as_bytes().to_vec()).filter(|new| *new != text.bytes())))
}

impl Saying for dm2::Message<'_> {
    fn name(&self) -> &'static str {
        match self {
            dm2::Message::Unicast(m) => MessageSet::name(&*m.message),
            message => MessageSet::name(message),
        }
    }

    fn texts(&mut self, places: &Places, each: Rewrite<'_>) -> bool {
        use dm2::Message::{
            BotChat, CenterPrint, ConfigString, Layout, LocPrint, Print, ServerData, StuffText, Unicast,
        };
        let mut ask = |kind, text: &mut Str<'_>| {
            let new = each(Said::new(Game::Quake2, kind, text.bytes()));
            put(text, new)
        };
        match self {
            Print(m) => ask(TextTag::of_print(Some(m.level), m.string.bytes()), &mut m.string),
            LocPrint(m) => ask(TextTag::of_print(Some(m.flags & 7), m.base.bytes()), &mut m.base),
            BotChat(m) => ask(TextTag::Chat, &mut m.text),
            CenterPrint(m) => ask(TextTag::Center, &mut m.text),
            StuffText(m) => ask(TextTag::StuffText, &mut m.text),
            Layout(m) => {
                let said = Said::new(Game::Quake2, TextTag::Command, m.text.bytes());
                let new = each(Said { holds: Holds::Layout, ..said });
                put(&mut m.text, new)
            }
            ServerData(m) => ask(TextTag::Level, &mut m.mapname),
            ConfigString(m) => configstring(m.index, &mut m.string, places, each),
            Unicast(m) => m.message.texts(places, each),
            _ => false,
        }
    }

    fn is_for_eyes_and_ears(&self) -> bool {
        use dm2::Message::{Achievement, HelpPath, Inventory, Layout, Poi, StuffText, Unicast};
        match self {
            StuffText(_) | Layout(_) | Inventory(_) | HelpPath(_) | Poi(_) | Achievement(_) => true,
            Unicast(m) => m.message.is_for_eyes_and_ears(),
            message => message.is_of_a_moment(),
        }
    }

    fn set_track(&mut self, places: &Places, track: &str) -> Option<bool> {
        let dm2::Message::ConfigString(m) = self else { return None };
        track_string(m.index, &mut m.string, places, track)
    }
}

impl Saying for mvd2::Message<'_> {
    fn name(&self) -> &'static str {
        MessageSet::name(self)
    }

    fn texts(&mut self, places: &Places, each: Rewrite<'_>) -> bool {
        match self {
            mvd2::Message::Print(m) => {
                let kind = TextTag::of_print(Some(m.level), m.string.bytes());
                let new = each(Said::new(Game::Quake2, kind, m.string.bytes()));
                put(&mut m.string, new)
            }
            mvd2::Message::ConfigString(m) => configstring(m.index, &mut m.string, places, each),
            mvd2::Message::ServerData(m) => {
                // All configstrings of the level stand in it.
                let mut changed = false;
                for (index, string) in &mut m.configstrings {
                    changed |= configstring(*index, string, places, each);
                }
                changed
            }
            _ => false,
        }
    }

    fn is_for_eyes_and_ears(&self) -> bool {
        // What they carry for players is asked for itself.
        matches!(self, mvd2::Message::Print(_) | mvd2::Message::Sound(_))
    }

    fn set_track(&mut self, places: &Places, track: &str) -> Option<bool> {
        match self {
            mvd2::Message::ConfigString(m) => track_string(m.index, &mut m.string, places, track),
            mvd2::Message::ServerData(m) => {
                let mut strings = m.configstrings.iter_mut();
                strings.find_map(|(index, string)| track_string(*index, string, places, track))
            }
            _ => None,
        }
    }
}

/// What a server command of Quake III says, and where in it that stands.
fn said_in_command<'c>(command: &'c [u8], places: &Places) -> (Said<'c>, Range<usize>) {
    let whole = 0..command.len();
    let kind = match shown(command) {
        Shown::Print(_) => TextTag::Print,
        Shown::Center(_) => TextTag::Center,
        Shown::Chat(_) => TextTag::Chat,
        Shown::Other => return (Said::new(Game::Quake3, TextTag::Command, command), whole),
        Shown::Configstring => {
            let Some((word, index, at)) = told_string(command) else {
                return (Said::new(Game::Quake3, TextTag::Command, command), whole);
            };
            let value = command.get(at.clone()).unwrap_or_default();
            // A part of a long one is no info string.
            let said = match word {
                b"cs" => Said::configstring(Game::Quake3, index, value, places),
                _ => Said::new(Game::Quake3, TextTag::ConfigString, value),
            };
            return (said, at);
        }
    };
    let at = shown_at(command);
    (Said::new(Game::Quake3, kind, command.get(at.clone()).unwrap_or_default()), at)
}

impl Saying for dm3::Message {
    fn name(&self) -> &'static str {
        MessageSet::name(self)
    }

    fn texts(&mut self, places: &Places, each: Rewrite<'_>) -> bool {
        match self {
            dm3::Message::ServerCommand(command) => {
                let (said, at) = said_in_command(&command.value.0, places);
                let new = each(said);
                let changed = new.is_some();
                if let Some(new) = new {
                    command.value.0.splice(at, new);
                }
                changed
            }
            dm3::Message::Gamestate(gamestate) => {
                let mut changed = false;
                for item in &mut gamestate.items {
                    let GamestateItem::Configstring(string) = item else { continue };
                    let said = Said::configstring(Game::Quake3, string.index, &string.value.0, places);
                    if let Some(new) = each(said) {
                        string.value.0 = new;
                        changed = true;
                    }
                }
                changed
            }
            _ => false,
        }
    }

    fn is_for_eyes_and_ears(&self) -> bool {
        match self {
            dm3::Message::ServerCommand(command) => {
                matches!(shown(&command.value.0), Shown::Print(_) | Shown::Center(_) | Shown::Chat(_))
            }
            dm3::Message::VoipSpeex(_) | dm3::Message::VoipOpus(_) | dm3::Message::Extension(_) => true,
            _ => false,
        }
    }

    fn set_track(&mut self, _: &Places, track: &str) -> Option<bool> {
        let new = track.as_bytes();
        match self {
            dm3::Message::ServerCommand(command) => {
                let (_, _, at) = told_string(&command.value.0).filter(|(_, index, _)| *index == Indices::MUSIC)?;
                let is_new = command.value.0.get(at.clone()) != Some(new);
                command.value.0.splice(at, new.iter().copied());
                Some(is_new)
            }
            dm3::Message::Gamestate(gamestate) => gamestate.items.iter_mut().find_map(|item| match item {
                GamestateItem::Configstring(string) if string.index == Indices::MUSIC => {
                    Some(std::mem::replace(&mut string.value.0, new.to_vec()) != new)
                }
                _ => None,
            }),
            _ => None,
        }
    }

    fn number(&self) -> Option<i32> {
        if let dm3::Message::ServerCommand(command) = self { Some(command.seq) } else { None }
    }

    fn fall_silent(&mut self) -> bool {
        let dm3::Message::ServerCommand(command) = self else { return false };
        // The game's client program passes over a command without words; its number is due.
        command.value.0.clear();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a command shows may stand in its first word, too.
    #[test]
    fn a_text_is_changed_where_it_is_shown() {
        let changed = |command: &str| {
            let value = command.as_bytes().to_vec().into();
            let mut message = dm3::Message::ServerCommand(dm3::ServerCommand { seq: 1, value });
            let places = Places::Quake3(dm3::Dialect::QUAKE3.layout.indices);
            assert!(message.texts(&places, &mut |_| Some(b"xyz".to_vec())));
            let dm3::Message::ServerCommand(command) = message else { return String::new() };
            String::from_utf8_lossy(&command.value.0).into_owned()
        };
        for (command, expected) in [
            ("chat \"c\"", "chat \"xyz\""),
            ("print \"p\n\"", "print \"xyz\""),
            ("cp unquoted\n", "cp xyz\n"),
            ("cs 1 \"1\"", "cs 1 \"xyz\""),
            ("cs 2 \"\"", "cs 2 \"xyz\""),
            ("bcs1 5 \"5\"", "bcs1 5 \"xyz\""),
            ("scores 1 2", "xyz"),
        ] {
            assert_eq!(changed(command), expected);
        }
    }
}
