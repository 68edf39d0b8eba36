//! What one step of a recording changed.

use super::Input;
use crate::kinds::kinds;

/// What the last chunk of a recording changed. Its memory is used again from step to step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// True when a level began: everything before it is forgotten.
    pub level: bool,
    /// True when a frame of the server is complete: entities and players are those of one moment.
    pub frame: bool,
    /// True when the server sent a frame, complete or not: what it builds on may not have been recorded. Its time is one of
    /// the level all the same.
    pub sent: bool,
    /// Entities that came into view, by number.
    pub added: Vec<u16>,
    /// Entities that were there and changed.
    pub changed: Vec<u16>,
    /// Entities that went out of view.
    pub removed: Vec<u16>,
    /// Sounds that began.
    pub sounds: Vec<Sound>,
    /// Slots whose line of the score board was told: a bit each, of higher ones that of the slot modulo 32.
    pub(crate) board: u32,
    /// Slots whose round trip time was told, a bit each: QuakeWorld.
    pub(crate) pings: u32,
    /// Slots whose stats were told, a bit each: QuakeWorld.
    pub(crate) stats: u32,
    /// Settings of the server were told: QuakeWorld, Quake III.
    pub(crate) settings: bool,
    pub(crate) damage: Vec<DamageMessage>,
    /// What the game module writes about the match, and whether that is the last of it: QuakeWorld.
    pub(crate) statistics: Option<(Vec<u8>, bool)>,
    /// Shots that messages of their own tell: Quake II.
    pub(crate) flashes: Vec<MuzzleFlash>,
    /// Commands of players' clients.
    pub(crate) inputs: Vec<Input>,
    /// Beams of lightning guns, by the entity that they come from: Quake, QuakeWorld.
    pub(crate) beams: Vec<Beam>,
    texts: Strings<TextKind>,
    strings: Strings<StringKind>,
}

/// A message about the flash of a weapon that shoots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MuzzleFlash {
    /// Entity that shoots.
    pub(crate) entity: u16,
    /// The game's number of the flash.
    pub(crate) flash: u16,
    /// True for those of monsters, which have numbers of their own.
    pub(crate) monster: bool,
}

/// Lightning between an entity and a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Beam {
    /// The entity that it comes from.
    pub(crate) entity: u16,
    /// Number of the kind of temporary entity.
    pub(crate) kind: u8,
    /// Where it begins.
    pub(crate) from: [f32; 3],
    /// Where it ends.
    pub(crate) to: [f32; 3],
}

/// Damage done to players, as a message tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DamageMessage {
    /// Entity of who did it, where that is told.
    pub(crate) attacker: Option<u16>,
    /// Slots of those who took it, a bit each; `None`: the recorder.
    pub(crate) victims: Option<u32>,
    /// Health and armour together.
    pub(crate) amount: i32,
    /// What of it the armour took, where that is told.
    pub(crate) save: i32,
    /// Number of the cause, where that is told: KTX.
    pub(crate) cause: Option<u16>,
    /// The place that it is said to come from is that of the world: water, lava, a fall.
    pub(crate) by_world: bool,
}

/// A sound that began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sound {
    /// Number of the sound: see [`Scene::sound_name`](super::Scene::sound_name).
    pub sound: u16,
    /// Entity that makes it.
    pub entity: Option<u16>,
    /// Its channel.
    pub channel: u8,
    /// Where it is, where the message tells.
    pub origin: Option<[f32; 3]>,
    /// Loudness, 0 to 1.
    pub volume: f32,
    /// How fast it fades with distance: 0 not at all, 1 as usual, 2 and 3 faster.
    pub attenuation: f32,
    /// So long after the moment of the message it begins, in ms.
    pub delay_ms: u8,
}

/// What kind of text the server sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextKind {
    /// A print, with its level where the game has levels (3: chat).
    Print(Option<u8>),
    /// Text in the middle of the screen.
    Center,
    /// A command for the console of the client.
    Console,
    /// A command for the game module of the client: Quake III.
    Command,
}

impl TextKind {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            TextKind::Print(_) => "print",
            TextKind::Center => "centerprint",
            TextKind::Console => "stufftext",
            TextKind::Command => "serverCommand",
        }
    }
}

/// What kind of text the server told that is no message to anybody: names and settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StringKind {
    /// The name of a level, for people.
    Level,
    /// A setting of the server, as an infostring: QuakeWorld.
    ServerInfo,
    /// Name and settings of a player, or one of them, as an infostring: QuakeWorld.
    UserInfo,
    /// The name of a player: Quake.
    Name,
    /// A configstring, with its number: Quake II and Quake III.
    ConfigString(u16),
}

impl StringKind {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            StringKind::Level => "level",
            StringKind::ServerInfo => "serverinfo",
            StringKind::UserInfo => "userinfo",
            StringKind::Name => "name",
            StringKind::ConfigString(_) => "configstring",
        }
    }
}

/// Texts one behind the other, each with its kind and the slot of a player.
#[derive(Debug, Clone, PartialEq)]
struct Strings<K> {
    bytes: Vec<u8>,
    all: Vec<StringEnd<K>>,
}

/// A text among others: its kind, and where it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
struct StringEnd<K> {
    kind: K,
    slot: Option<u8>,
    end: usize,
    /// Its number among all that a chunk tells.
    nth: usize,
}

/// What kind a text is, whether it is to be read or names something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Text(TextKind),
    String(StringKind),
}

impl<K> Default for Strings<K> {
    fn default() -> Self {
        Strings::NONE
    }
}

impl<K> Strings<K> {
    const NONE: Strings<K> = Strings { bytes: Vec::new(), all: Vec::new() };

    fn clear(&mut self) {
        self.bytes.clear();
        self.all.clear();
    }

    fn push(&mut self, kind: K, text: &[u8], slot: Option<u8>, nth: usize) {
        self.bytes.extend_from_slice(text);
        self.all.push(StringEnd { kind, slot, end: self.bytes.len(), nth });
    }

    fn iter(&self) -> impl Iterator<Item = (StringEnd<K>, &[u8])> + '_
    where
        K: Copy,
    {
        let mut from = 0;
        self.all.iter().map(move |it| {
            let text = self.bytes.get(from..it.end).unwrap_or_default();
            from = it.end;
            (*it, text)
        })
    }
}

impl Changes {
    /// Nothing.
    pub(crate) const NONE: Changes = Changes {
        level: false,
        frame: false,
        sent: false,
        added: Vec::new(),
        changed: Vec::new(),
        removed: Vec::new(),
        sounds: Vec::new(),
        board: 0,
        pings: 0,
        stats: 0,
        settings: false,
        damage: Vec::new(),
        statistics: None,
        flashes: Vec::new(),
        inputs: Vec::new(),
        beams: Vec::new(),
        texts: Strings::NONE,
        strings: Strings::NONE,
    };

    /// Forgets everything but its memory.
    pub(crate) fn clear(&mut self) {
        self.level = false;
        self.frame = false;
        self.sent = false;
        self.added.clear();
        self.changed.clear();
        self.removed.clear();
        self.sounds.clear();
        (self.board, self.pings, self.stats, self.settings) = (0, 0, 0, false);
        self.damage.clear();
        self.statistics = None;
        self.flashes.clear();
        self.inputs.clear();
        self.beams.clear();
        self.texts.clear();
        self.strings.clear();
    }

    /// Notes that a line of the score board was told.
    pub(crate) fn on_board(&mut self, slot: u8) {
        self.board |= 1 << (slot & 31);
    }

    /// Notes a text; `slot` is the player for whom alone it is.
    pub(crate) fn say(&mut self, said: TextKind, text: &[u8], slot: Option<u8>) {
        let nth = self.count();
        self.texts.push(said, text, slot, nth);
    }

    /// Notes a name or a setting; `slot` is the player whose it is.
    pub(crate) fn tell(&mut self, kind: StringKind, text: &[u8], slot: Option<u8>) {
        let nth = self.count();
        self.strings.push(kind, text, slot, nth);
    }

    /// Texts and strings so far.
    fn count(&self) -> usize {
        self.texts.all.len() + self.strings.all.len()
    }

    /// Notes a setting by its key.
    pub(crate) fn tell_value(&mut self, kind: StringKind, key: &[u8], value: &[u8], slot: Option<u8>) {
        self.tell(kind, &[b"\\", key, b"\\", value].concat(), slot);
    }

    /// The texts that the server sent: what kind, the bytes, and the slot of the player for whom alone it is.
    pub fn texts(&self) -> impl Iterator<Item = (TextKind, &[u8], Option<u8>)> + '_ {
        self.texts.iter().map(|(it, text)| (it.kind, text, it.slot))
    }

    /// Names and settings that the server told: what kind, the bytes, and the slot of the player whose they are. In Quake
    /// III the commands that change them are among the texts as well.
    pub fn strings(&self) -> impl Iterator<Item = (StringKind, &[u8], Option<u8>)> + '_ {
        self.strings.iter().map(|(it, text)| (it.kind, text, it.slot))
    }

    /// Both, in the order of the messages.
    pub(crate) fn all_texts(&self) -> impl Iterator<Item = (Told, &[u8], Option<u8>)> + '_ {
        let (mut texts, mut strings) = (self.texts.iter().peekable(), self.strings.iter().peekable());
        std::iter::from_fn(move || {
            let first = match (texts.peek(), strings.peek()) {
                (Some((text, _)), Some((string, _))) => text.nth < string.nth,
                (text, _) => text.is_some(),
            };
            match first {
                true => texts.next().map(|(it, text)| (Told::Text(it.kind), text, it.slot)),
                false => strings.next().map(|(it, text)| (Told::String(it.kind), text, it.slot)),
            }
        })
    }

    /// True when no entity changed.
    pub fn is_quiet(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

kinds! {
    /// What a text of a recording is.
    #[non_exhaustive]
    pub enum TextTag {
        /// Printed on the console.
        Print = "print",
        /// Printed, and said by somebody: the message tells.
        Chat = "chat",
        /// Text in the middle of the screen.
        Center = "centerprint",
        /// A command for the console of the client.
        StuffText = "stufftext",
        /// Another command for the game module of the client: Quake III.
        Command = "command",
        /// The name of a level, for people: all but Quake III, which has a configstring.
        Level = "level",
        /// The name of a player: Quake.
        Name = "name",
        /// Name and settings of a player, or one of them: QuakeWorld.
        UserInfo = "userinfo",
        /// A setting of the server: QuakeWorld.
        ServerInfo = "serverinfo",
        /// A configstring: Quake II and Quake III.
        ConfigString = "configstring",
    }
}

impl TextTag {
    /// What people read while they play.
    pub const PRINTED: &'static [TextTag] = &[TextTag::Print, TextTag::Chat, TextTag::Center];

    /// What a print is, by its level where the game has levels, else by its first byte.
    pub(crate) fn of_print(level: Option<u8>, text: &[u8]) -> TextTag {
        let is_chat = level.map_or(text.first() == Some(&SAID), |level| level == CHAT);
        if is_chat { TextTag::Chat } else { TextTag::Print }
    }
}

/// The level of prints that is chat: QuakeWorld, Quake II.
const CHAT: u8 = 3;
/// Quake's engine puts this in front of what players say; the client makes a sound for it.
pub(crate) const SAID: u8 = 1;
/// The same letters, without the sound.
pub(crate) const GOLDEN: u8 = 2;
