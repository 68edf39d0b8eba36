//! Where messages of each format have texts, looks and tracks.

use crate::demo::Listed;
use crate::describe::MessageSet;
use crate::format::dm2::{self, Dm2};
use crate::format::dm3::{self, Dm3, GamestateItem};
use crate::format::mvd::{self, Mvd};
use crate::format::mvd2::{self, Audience, Mvd2};
use crate::format::qwd::{self, BlockKind, Qwd};
use crate::format::{DialectOf, Packet, dem};
use crate::game::quake3::{Shown, shown};
use crate::wire::Str;
use crate::world::{Charset, TextTag};

/// Whose way of telling it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Game {
    Quake,
    QuakeWorld,
    Quake2,
    Quake3,
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
    /// Number of a configstring.
    pub(super) index: Option<u16>,
    pub(super) text: &'s [u8],
}

impl<'s> Said<'s> {
    fn new(game: Game, kind: TextTag, text: &'s [u8]) -> Self {
        Said { game, kind, key: None, slot: None, index: None, text }
    }

    fn of(self, slot: Option<u8>) -> Self {
        Said { slot, ..self }
    }

    fn configstring(game: Game, index: u16, text: &'s [u8], places: &Places) -> Self {
        let said = Said { index: Some(index), ..Said::new(game, TextTag::ConfigString, text) };
        said.of(places.player(index))
    }
}

/// Where configstrings stand that tell of players and of music.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Places {
    players: (u16, u16),
    track: u16,
}

impl Places {
    fn player(&self, index: u16) -> Option<u8> {
        let (from, to) = self.players;
        index.checked_sub(from).filter(|_| index < to).and_then(|slot| u8::try_from(slot).ok())
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
    /// True for a text, a sound, an effect: what is told of a moment, and builds nothing.
    fn is_of_a_moment(&self) -> bool;
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

/// Names of messages of Quake's family that tell of a moment.
pub(super) const MOMENTS: &[&str] = &[
    "print",
    "centerprint",
    "stufftext",
    "sound",
    "stopsound",
    "particle",
    "damage",
    "temp_entity",
    "muzzleflash",
    "muzzleflash2",
    "muzzleflash3",
    "smallkick",
    "bigkick",
    "bf",
    "layout",
    "inventory",
    "unicast",
    "locprint",
    "bot_chat",
    "help_path",
    "poi",
    "achievement",
    "localsound",
    "qizmovoice",
    "voicechat",
    "serverCommand",
];

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

    fn is_of_a_moment(&self) -> bool {
        MOMENTS.contains(&MessageSet::name(self))
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
            UpdateUserInfo(m) => ask(TextTag::UserInfo, None, Some(m.player), &mut m.string),
            SetInfo(m) => ask(TextTag::UserInfo, Some(m.name.bytes()), Some(m.player), &mut m.value),
            ServerInfo(m) => ask(TextTag::ServerInfo, Some(m.name.bytes()), None, &mut m.value),
            ServerData(m) => ask(TextTag::Level, None, None, &mut m.mapname),
            HiddenDemoInfo(m) => {
                let new = each(Said::new(Game::QuakeWorld, TextTag::Command, &m.text.0));
                let changed = new.is_some();
                if let Some(new) = new {
                    m.text = new.into();
                }
                changed
            }
            _ => false,
        }
    }

    fn is_of_a_moment(&self) -> bool {
        MOMENTS.contains(&MessageSet::name(self))
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
    (index == places.track).then(|| put(text, Some(track.as_bytes().to_vec()).filter(|new| *new != text.bytes())))
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
            Layout(m) => ask(TextTag::Command, &mut m.text),
            ServerData(m) => ask(TextTag::Level, &mut m.mapname),
            ConfigString(m) => configstring(m.index, &mut m.string, places, each),
            Unicast(m) => m.message.texts(places, each),
            _ => false,
        }
    }

    fn is_of_a_moment(&self) -> bool {
        MOMENTS.contains(&Saying::name(self))
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

    fn is_of_a_moment(&self) -> bool {
        MOMENTS.contains(&MessageSet::name(self))
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

/// What a server command of Quake III says, and where that stands in it.
fn said_in_command<'c>(command: &'c [u8], places: &Places) -> Said<'c> {
    let said = |kind, text| Said::new(Game::Quake3, kind, text);
    match shown(command) {
        Shown::Print(text) => said(TextTag::Print, text),
        Shown::Center(text) => said(TextTag::Center, text),
        Shown::Chat(text) => said(TextTag::Chat, text),
        Shown::Configstring => {
            let mut words = command.splitn(3, |b| *b == b' ');
            let (word, number, value) = (words.next(), words.next(), words.next().unwrap_or_default());
            let index = number.and_then(|n| std::str::from_utf8(n).ok()?.parse().ok());
            let value = value.strip_prefix(b"\"").unwrap_or(value);
            let value = value.strip_suffix(b"\n").unwrap_or(value);
            let value = value.strip_suffix(b"\"").unwrap_or(value);
            // A part of a long one is no info string.
            match index.filter(|_| word == Some(b"cs")) {
                Some(index) => Said::configstring(Game::Quake3, index, value, places),
                None => said(TextTag::ConfigString, value),
            }
        }
        Shown::Other => said(TextTag::Command, command),
    }
}

impl Saying for dm3::Message {
    fn name(&self) -> &'static str {
        MessageSet::name(self)
    }

    fn texts(&mut self, places: &Places, each: Rewrite<'_>) -> bool {
        match self {
            dm3::Message::ServerCommand(command) => {
                let value = &command.value.0;
                let said = said_in_command(value, places);
                let Some(new) = each(said) else { return false };
                // It is a part of the command.
                let from =
                    value.windows(said.text.len().max(1)).position(|part| part == said.text).unwrap_or(value.len());
                let (front, rest) = value.split_at(from);
                command.value.0 = [front, &new, rest.get(said.text.len()..).unwrap_or_default()].concat();
                true
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

    fn is_of_a_moment(&self) -> bool {
        match self {
            dm3::Message::ServerCommand(command) => {
                matches!(shown(&command.value.0), Shown::Print(_) | Shown::Center(_) | Shown::Chat(_))
            }
            dm3::Message::VoipSpeex(_) | dm3::Message::VoipOpus(_) | dm3::Message::Extension(_) => true,
            _ => false,
        }
    }

    fn set_track(&mut self, places: &Places, track: &str) -> Option<bool> {
        let new = track.as_bytes();
        match self {
            dm3::Message::ServerCommand(command) => {
                let front = [b"cs ", places.track.to_string().as_bytes(), b" "].concat();
                let of_track = command.value.0.starts_with(&front);
                let value = [&front[..], b"\"", new, b"\""].concat();
                of_track.then(|| std::mem::replace(&mut command.value.0, value.clone()) != value)
            }
            dm3::Message::Gamestate(gamestate) => gamestate.items.iter_mut().find_map(|item| match item {
                GamestateItem::Configstring(string) if string.index == places.track => {
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

/// Numbers of server commands: those behind ones that were put in are higher.
#[derive(Debug, Default)]
pub(super) struct Commands {
    /// The number of the input behind which a command was put in, for each.
    put_in: Vec<i32>,
    /// The last number of the input so far.
    last: i32,
}

impl Commands {
    fn before(&self, number: i32) -> i32 {
        i32::try_from(self.put_in.partition_point(|after| *after < number)).unwrap_or(i32::MAX)
    }
}

/// A format whose texts can be changed.
pub(super) trait Alter: Listed {
    /// Whose recordings they are.
    const GAME: Game;
    /// In which characters texts are.
    const CHARSET: Charset;
    /// Bytes that engines take in a block.
    const ROOM: usize;
    /// Letters in a line in the middle of the screen, and for how long it stands there, in ms.
    const CAPTION: (usize, i64);

    /// Where configstrings stand.
    fn places(_: &DialectOf<Self>) -> Places {
        Places::default()
    }

    /// Shows every message of a packet and keeps those for which `each` says so.
    fn retain(packet: &mut Packet<'_, Self>, each: &mut dyn FnMut(&mut dyn Saying) -> bool);

    /// Puts in a text for the middle of the screen; false where it does not fit in.
    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], commands: &mut Commands) -> bool;

    /// Gives numbers that follow from what was put in; true where that changed any.
    fn renumber(_: &mut Packet<'_, Self>, _: &mut Commands) -> bool {
        false
    }

    /// What is left to do with a packet that was changed.
    fn complete(_: &mut Packet<'_, Self>, _: &DialectOf<Self>) {}
}

impl Alter for dem::Dem {
    const GAME: Game = Game::Quake;
    const CHARSET: Charset = Charset::Quake;
    const ROOM: usize = 8_000;
    const CAPTION: (usize, i64) = (40, 1_900);

    fn retain(packet: &mut Packet<'_, Self>, each: &mut dyn FnMut(&mut dyn Saying) -> bool) {
        packet.messages.retain_mut(|message| each(message));
    }

    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], _: &mut Commands) -> bool {
        let is_frame = packet.messages.iter().any(|m| matches!(m, dem::Message::Time(_)));
        if is_frame {
            packet.messages.push(dem::CenterPrint { text: Str::from(text.to_vec()) }.into());
        }
        is_frame
    }
}

impl Alter for Qwd {
    const GAME: Game = Game::QuakeWorld;
    const CHARSET: Charset = Charset::Quake;
    const ROOM: usize = 1_450;
    const CAPTION: (usize, i64) = (40, 1_900);

    fn retain(packet: &mut Packet<'_, Self>, each: &mut dyn FnMut(&mut dyn Saying) -> bool) {
        packet.messages.retain_mut(|message| each(message));
    }

    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], _: &mut Commands) -> bool {
        let numbered = packet.header.kind == BlockKind::Packet && matches!(packet.contents, qwd::Contents::Packet(_));
        let is_frame = packet.messages.iter().any(|m| matches!(m, qwd::Message::PlayerInfo(_)));
        if numbered && is_frame {
            packet.messages.push(qwd::CenterPrint { text: Str::from(text.to_vec()) }.into());
        }
        numbered && is_frame
    }
}

impl Alter for Mvd {
    const GAME: Game = Game::QuakeWorld;
    const CHARSET: Charset = Charset::Quake;
    const ROOM: usize = 1_450;
    const CAPTION: (usize, i64) = (40, 1_900);

    fn retain(packet: &mut Packet<'_, Self>, each: &mut dyn FnMut(&mut dyn Saying) -> bool) {
        packet.messages.retain_mut(|message| each(message));
    }

    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], _: &mut Commands) -> bool {
        let is_frame = packet.messages.iter().any(|m| matches!(m, qwd::Message::MvdPlayerInfo(_)));
        let to_all = packet.header.to.target == mvd::Target::All;
        if to_all && is_frame {
            packet.messages.push(qwd::CenterPrint { text: Str::from(text.to_vec()) }.into());
        }
        to_all && is_frame
    }
}

/// Where Quake II's configstrings stand.
fn quake2_places(d: &dm2::Dialect) -> Places {
    let strings = d.layout.configstrings;
    Places { players: (strings.players, strings.general), track: 1 }
}

impl Alter for Dm2 {
    const GAME: Game = Game::Quake2;
    const CHARSET: Charset = Charset::Quake;
    const ROOM: usize = 1_390;
    const CAPTION: (usize, i64) = (40, 2_400);

    fn places(d: &dm2::Dialect) -> Places {
        quake2_places(d)
    }

    fn retain(packet: &mut Packet<'_, Self>, each: &mut dyn FnMut(&mut dyn Saying) -> bool) {
        packet.messages.retain_mut(|message| each(message));
    }

    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], _: &mut Commands) -> bool {
        let is_frame = packet.messages.iter().any(|m| matches!(m, dm2::Message::PacketEntities(_)));
        if is_frame {
            packet.messages.push(dm2::CenterPrint { text: Str::from(text.to_vec()) }.into());
        }
        is_frame
    }
}

impl Alter for Mvd2 {
    const GAME: Game = Game::Quake2;
    const CHARSET: Charset = Charset::Quake;
    const ROOM: usize = 16_000;
    const CAPTION: (usize, i64) = (40, 2_400);

    fn places(d: &dm2::Dialect) -> Places {
        quake2_places(d)
    }

    fn retain(packet: &mut Packet<'_, Self>, each: &mut dyn FnMut(&mut dyn Saying) -> bool) {
        packet.messages.retain_mut(|message| {
            let inner = match message {
                mvd2::Message::Unicast(m) => &mut m.messages,
                mvd2::Message::Multicast(m) => &mut m.messages,
                message => return each(message),
            };
            let before = inner.len();
            inner.retain_mut(|message| each(message));
            // One that carries nothing any more goes, too.
            inner.len() == before || !inner.is_empty()
        });
    }

    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], _: &mut Commands) -> bool {
        let is_frame = packet.messages.iter().any(|m| matches!(m, mvd2::Message::Frame(_)));
        if is_frame {
            let messages = vec![dm2::CenterPrint { text: Str::from(text.to_vec()) }.into()];
            let all = mvd2::Multicast { reliable: true, to: Audience::All, messages };
            packet.messages.push(mvd2::Message::Multicast(all));
        }
        is_frame
    }
}

impl Alter for Dm3 {
    const GAME: Game = Game::Quake3;
    const CHARSET: Charset = Charset::Carets;
    const ROOM: usize = 16_000;
    const CAPTION: (usize, i64) = (50, 2_900);

    fn places(d: &dm3::Dialect) -> Places {
        let players = d.layout.indices.players;
        Places { players: (players, players + 64), track: 2 }
    }

    fn retain(packet: &mut Packet<'_, Self>, each: &mut dyn FnMut(&mut dyn Saying) -> bool) {
        packet.messages.retain_mut(|message| each(message));
    }

    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], commands: &mut Commands) -> bool {
        let Some(at) = packet.messages.iter().position(|m| matches!(m, dm3::Message::Snapshot(_))) else {
            return false;
        };
        // Those of the packet stand in front of it.
        let seq = commands.last.saturating_add(commands.before(i32::MAX)).saturating_add(1);
        commands.put_in.push(commands.last);
        let value = [b"cp \"", text, b"\""].concat().into();
        packet.messages.insert(at, dm3::ServerCommand { seq, value }.into());
        true
    }

    fn renumber(packet: &mut Packet<'_, Self>, commands: &mut Commands) -> bool {
        let mut changed = false;
        for message in &mut packet.messages {
            let add = match message {
                dm3::Message::ServerCommand(command) => {
                    commands.last = commands.last.max(command.seq);
                    let add = commands.before(command.seq);
                    command.seq = command.seq.saturating_add(add);
                    add
                }
                dm3::Message::Gamestate(gamestate) => {
                    let number = gamestate.server_command_sequence;
                    commands.last = commands.last.max(number);
                    let add = commands.before(number.saturating_add(1));
                    gamestate.server_command_sequence = number.saturating_add(add);
                    add
                }
                _ => 0,
            };
            changed |= add != 0;
        }
        changed
    }

    fn complete(packet: &mut Packet<'_, Self>, d: &dm3::Dialect) {
        // Bits behind the end are as many as the last byte has room for: the usual ones fit everywhere.
        if packet.contents.closed {
            packet.contents.tail = dm3::Contents::new(0, d).tail;
        }
    }
}
