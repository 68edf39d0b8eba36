//! The keys of the query language: each declared once, for reading, for SQL and for the documentation.

use qdemo::FileKind;
use qdemo::analysis::highlight::HighlightKind;

use super::value;

/// A key: what may be asked for.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// What it is about.
    pub doc: &'static str,
    /// An example.
    pub example: &'static str,
    pub(crate) of: Of,
}

/// What a key asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// The path of the recording, in which the text stands somewhere.
    File,
    /// A word of a kind in which the text stands somewhere.
    Found(&'static str),
    /// A word of a kind that is the text.
    Whole(&'static str),
    /// A column of `demos` that begins with the text.
    Start(&'static str),
    /// A number in a column of `demos`.
    Number(&'static str, Unit),
    /// The moment of the recording.
    Date(Dates),
    /// A row of `players`.
    Player(Players),
    /// A row of `frags`.
    Frag(Frags),
    /// How many rows of `frags`.
    Kills,
    /// A row of `chat`.
    Chat,
    /// Who speaks there.
    Speaker,
    /// A row of `highlights`.
    Highlight,
    /// A row of `matches`.
    Winner,
    /// How many recordings hold the same.
    Copies,
    /// A state of the recording.
    Is,
    /// Names, maps, files, chat.
    Any,
}

impl Of {
    /// All that there can be, where that is known: other texts are mistakes.
    fn all(self) -> Option<Vec<&'static str>> {
        let formats = FileKind::FORMATS.iter();
        let mut all: Vec<_> = match self {
            Of::Highlight => HighlightKind::ALL.iter().map(|kind| kind.name()).collect(),
            Of::Whole("game") => formats.map(|format| format.game()).collect(),
            Of::Whole("format") => formats.map(|format| format.name()).collect(),
            _ => return None,
        };
        all.dedup();
        Some(all)
    }

    /// What there can be, for a text that is none of it, nor a pattern.
    pub(crate) fn others_than(self, text: &str) -> Option<Vec<&'static str>> {
        let text = text.to_lowercase();
        let is_it = |one: &&str| if self == Of::Highlight { one.contains(&text) } else { **one == text };
        self.all().filter(|all| !value::is_pattern(&text) && !all.iter().any(is_it))
    }

    /// A player, whom what stands behind it is about.
    pub(crate) fn is_player(self) -> bool {
        matches!(self, Of::Player(Players::Name | Players::Spectator))
    }

    pub(crate) fn is_score(self) -> bool {
        matches!(self, Of::Player(Players::Team | Players::Score))
    }

    pub(crate) fn is_frag(self) -> bool {
        matches!(self, Of::Frag(_) | Of::Kills)
    }

    pub(crate) fn is_highlight(self) -> bool {
        self == Of::Highlight
    }

    /// What is told of a player who is named elsewhere.
    pub(crate) fn is_told_of_player(self) -> bool {
        self.is_score() || self.is_frag() || self.is_highlight()
    }

    /// What a line of chat has.
    pub(crate) fn is_of_line(self) -> bool {
        matches!(self, Of::Chat | Of::Speaker)
    }
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Plain,
    Milliseconds,
    Bytes,
}

/// How a date is compared where no sign says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dates {
    On,
    After,
    Before,
}

/// What is asked of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Players {
    Name,
    Spectator,
    Team,
    Score,
}

/// What is asked of a death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frags {
    Attacker,
    Victim,
    Weapon,
}

const fn key(
    name: &'static str,
    aliases: &'static [&'static str],
    of: Of,
    example: &'static str,
    doc: &'static str,
) -> Key {
    Key { name, aliases, doc, example, of }
}

/// All keys.
pub static KEYS: &[Key] = &[
    key("player", &["name"], Of::Player(Players::Name), "player:sarge", "Part of the name of somebody who played."),
    key("team", &["clan"], Of::Player(Players::Team), "team:red", "Team of that player, or of anybody."),
    key(
        "frags",
        &["score"],
        Of::Player(Players::Score),
        "frags>20",
        "Score of that player, or of anybody who played, at the end.",
    ),
    key(
        "spectator",
        &[],
        Of::Player(Players::Spectator),
        "spectator:sarge",
        "Part of the name of somebody who only watched.",
    ),
    key(
        "weapon",
        &[],
        Of::Frag(Frags::Weapon),
        "weapon:rocket",
        "Part of the name of a weapon, or of a cause of death, by which that \
        player killed, or anybody.",
    ),
    key(
        "victim",
        &[],
        Of::Frag(Frags::Victim),
        "victim:xaero",
        "Part of the name of somebody whom that player killed, or anybody.",
    ),
    key(
        "attacker",
        &["killer"],
        Of::Frag(Frags::Attacker),
        "attacker:sarge",
        "Part of the name of somebody who killed.",
    ),
    key(
        "kills",
        &[],
        Of::Kills,
        "kills>=10",
        "How often that player killed, or all players together where none is named, with that weapon and that victim where \
        these are named.",
    ),
    key(
        "highlight",
        &[],
        Of::Highlight,
        "highlight:midair",
        "A kind of highlight of that player, or of anybody: `multikill`, `streak`, \
        `one_shot`, `midair`, `flick`.",
    ),
    key(
        "chat",
        &[],
        Of::Chat,
        "chat:\"good game\"",
        "Words of a line of chat, in this order; `*` at the end of the last one stands for its rest.",
    ),
    key("speaker", &[], Of::Speaker, "speaker:sarge", "Part of the name of who says that, or anything."),
    key("winner", &[], Of::Winner, "winner:red", "Part of the name of the player or team that won a match."),
    key("map", &[], Of::Whole("map"), "map:dm3", "Map of a level."),
    key(
        "title",
        &[],
        Of::Found("title"),
        "title:\"abandoned base\"",
        "Part of the name of the first level for people.",
    ),
    key("game", &[], Of::Whole("game"), "game:quake2", "The game: `quake`, `quakeworld`, `quake2`, `quake3`."),
    key("format", &[], Of::Whole("format"), "format:mvd", "Format: `dem`, `qwd`, `mvd`, `dm2`, `mvd2`, `dm3`."),
    key("protocol", &[], Of::Number("protocol", Unit::Plain), "protocol:68", "Number of the protocol."),
    key("dialect", &[], Of::Found("dialect"), "dialect:fitz", "Part of the name of who speaks it."),
    key("mod", &["gamedir"], Of::Found("mod"), "mod:cpma", "Part of the name of the mod, or of its folder."),
    key("mode", &[], Of::Found("mode"), "mode:duel", "Part of the kind of game."),
    key("physics", &[], Of::Found("physics"), "physics:vq3", "Part of the name of the physics."),
    key("server", &["hostname"], Of::Found("server"), "server:quakecon", "Part of the name of the server."),
    key("recorder", &[], Of::Found("recorder"), "recorder:sarge", "Part of the name of the player who recorded."),
    key("date", &["on"], Of::Date(Dates::On), "on:2024-01", "When it was recorded: a year, a month, a day, a minute."),
    key("after", &["since"], Of::Date(Dates::After), "after:2024-01", "Recorded then or later."),
    key("before", &[], Of::Date(Dates::Before), "before:2024-01", "Recorded before that begins."),
    key(
        "length",
        &[],
        Of::Number("length_ms", Unit::Milliseconds),
        "length>10m",
        "How long it is: `90s`, `10m`, `1h`, `1:30`, `1:02:03`; plain numbers \
        are seconds.",
    ),
    key(
        "size",
        &[],
        Of::Number("bytes", Unit::Bytes),
        "size<5MB",
        "How many bytes it has, unpacked: `500`, `20KB`, `5MB`, `1GB`, `64KiB`.",
    ),
    key("players", &[], Of::Number("players", Unit::Plain), "players>=4", "How many played."),
    key("spectators", &[], Of::Number("spectators", Unit::Plain), "spectators>0", "How many only watched."),
    key("levels", &[], Of::Number("levels", Unit::Plain), "levels>1", "How many levels."),
    key("matches", &[], Of::Number("matches", Unit::Plain), "matches:1", "How many matches."),
    key("runs", &[], Of::Number("runs", Unit::Plain), "runs>0", "How many runs against the clock."),
    key("faults", &[], Of::Number("faults", Unit::Plain), "faults>0", "In how many places it is damaged."),
    key("copies", &[], Of::Copies, "copies>1", "How many files hold the same recording, itself among them."),
    key("file", &["path"], Of::File, "file:2024/", "Part of the path."),
    key("container", &[], Of::Found("container"), "container:zip", "Part of the names of what it is packed in."),
    key("sha256", &["hash"], Of::Start("sha256"), "sha256:1a2b3c", "The beginning of the hash of the recording."),
    key(
        "is",
        &[],
        Of::Is,
        "is:error",
        "`error`: it could not be read, or not to its end. `damaged`: it has faults. `vanished`: its file is \
        gone; these are left out else. `duplicate`: the same as `copies>1`.",
    ),
    key(
        "text",
        &["any"],
        Of::Any,
        "text:quad",
        "What a bare word asks: part of a name, a team, a map or a path, or words of chat.",
    ),
];

/// The key with a name.
pub(crate) fn by_name(name: &str) -> Option<&'static Key> {
    let name = name.to_ascii_lowercase();
    KEYS.iter().find(|key| key.name == name || key.aliases.contains(&name.as_str()))
}

/// The key that a wrong name may stand for.
pub(crate) fn like(name: &str) -> Option<&'static str> {
    let names = KEYS.iter().flat_map(|key| std::iter::once(key.name).chain(key.aliases.iter().copied()));
    names
        .map(|known| (distance(&name.to_ascii_lowercase(), known), known))
        .filter(|(far, _)| *far <= 2)
        .min()
        .map(|(_, it)| it)
}

/// How many letters must be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(30).enumerate() {
        let mut before = i;
        for (j, y) in b.iter().enumerate() {
            let (above, left) = (row.get(j + 1).copied().unwrap_or_default(), if j == 0 { i + 1 } else { row[j] });
            let changed = before + usize::from(x != *y);
            before = above;
            if j == 0 {
                row[0] = i + 1;
            }
            row[j + 1] = changed.min(above + 1).min(left + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}
