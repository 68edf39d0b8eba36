//! What one step of a recording changed.

/// What the last chunk of a recording changed. Its memory is used again from step to step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// True when a level began: everything before it is forgotten.
    pub level: bool,
    /// True when a frame of the server is complete: entities and players are those of one moment.
    pub frame: bool,
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
    /// Slots whose stats were told, a bit each: QuakeWorld.
    pub(crate) stats: u32,
    /// Settings of the server were told: QuakeWorld, Quake III.
    pub(crate) settings: bool,
    pub(crate) damage: Vec<DamageMessage>,
    /// What the game module writes about the match, and whether that is the last of it: QuakeWorld.
    pub(crate) statistics: Option<(Vec<u8>, bool)>,
    texts: Vec<u8>,
    commands: Vec<Command>,
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

#[derive(Debug, Clone, Copy, PartialEq)]
struct Command {
    said: TextKind,
    slot: Option<u8>,
    end: usize,
}

impl Changes {
    /// Nothing.
    pub(crate) const NONE: Changes = Changes {
        level: false,
        frame: false,
        added: Vec::new(),
        changed: Vec::new(),
        removed: Vec::new(),
        sounds: Vec::new(),
        board: 0,
        stats: 0,
        settings: false,
        damage: Vec::new(),
        statistics: None,
        texts: Vec::new(),
        commands: Vec::new(),
    };

    /// Forgets everything but its memory.
    pub(crate) fn clear(&mut self) {
        self.level = false;
        self.frame = false;
        self.added.clear();
        self.changed.clear();
        self.removed.clear();
        self.sounds.clear();
        (self.board, self.stats, self.settings) = (0, 0, false);
        self.damage.clear();
        self.statistics = None;
        self.texts.clear();
        self.commands.clear();
    }

    /// Notes that a line of the score board was told.
    pub(crate) fn on_board(&mut self, slot: u8) {
        self.board |= 1 << (slot & 31);
    }

    /// Notes a text; `slot` is the player for whom alone it is.
    pub(crate) fn say(&mut self, said: TextKind, text: &[u8], slot: Option<u8>) {
        self.texts.extend_from_slice(text);
        self.commands.push(Command { said, slot, end: self.texts.len() });
    }

    /// The texts that the server sent: what kind, the bytes, and the slot of the player for whom alone it is.
    pub fn texts(&self) -> impl Iterator<Item = (TextKind, &[u8], Option<u8>)> + '_ {
        let mut from = 0;
        self.commands.iter().map(move |command| {
            let text = self.texts.get(from..command.end).unwrap_or_default();
            from = command.end;
            (command.said, text, command.slot)
        })
    }

    /// True when no entity changed.
    pub fn is_quiet(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}
