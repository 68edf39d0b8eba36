//! What a replay says in words: its header, and what happened.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{EventKind, PlayerRef};

/// The header of a replay, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct About {
    /// Version of this layout: 4.
    pub version: u32,
    /// Name of the recording.
    pub file: String,
    /// Its format, as `info` names it.
    pub format: String,
    /// The game: `quake`, `quakeworld`, `quake2`, `quake3`.
    pub game: String,
    /// Slot of the player who recorded, where there is one.
    pub recorder: Option<usize>,
    /// True where a level is one of a game of teams, as far as the recording tells.
    pub teams: bool,
    /// The levels, each from a row on.
    pub levels: Vec<LevelAt>,
    /// The matches.
    pub matches: Vec<MatchAt>,
    /// What happened, by time.
    pub marks: Vec<Mark>,
    /// Names of models, of values and of their texts.
    pub strings: Vec<String>,
    /// What lies behind the header: columns of numbers, in this order.
    pub columns: Vec<Column>,
}

/// The header of a replay of nothing, in the layout of today.
impl Default for About {
    fn default() -> Self {
        About {
            version: super::VERSION,
            file: String::new(),
            format: String::new(),
            game: String::new(),
            recorder: None,
            teams: false,
            levels: Vec::new(),
            matches: Vec::new(),
            marks: Vec::new(),
            strings: Vec::new(),
            columns: Vec::new(),
        }
    }
}

/// A level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LevelAt {
    /// The row with which it begins.
    pub row: u32,
    /// Name of the map.
    pub map: String,
    /// Name of the level for people.
    pub title: String,
    /// True for a game of teams, where the recording tells.
    pub teams: bool,
    /// True for a game of teams in which everybody plays to win, whatever the team: its teams have no scores. Quake Live's
    /// red rover.
    #[serde(default)]
    pub for_oneself: bool,
}

impl LevelAt {
    /// True for a game of teams in which they play to win.
    pub(crate) fn is_won_by_teams(&self) -> bool {
        self.teams && !self.for_oneself
    }
}

/// A match, in milliseconds since the recording began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatchAt {
    /// When it begins.
    pub from_ms: i64,
    /// When it ends.
    pub to_ms: i64,
}

/// A column of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// How many bytes it has.
    pub bytes: usize,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// When, in milliseconds since the recording began.
    pub demo_ms: i64,
    /// What.
    #[serde(flatten)]
    pub kind: MarkKind,
}

/// A player in what happened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Who {
    /// Slot, where it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slot: Option<usize>,
    /// The name in plain characters.
    pub name: String,
}

impl Who {
    fn of(who: &PlayerRef) -> Self {
        Who { slot: who.slot, name: who.name.clone() }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MarkKind {
    /// Somebody dies.
    Frag {
        /// Who did it; null: the world.
        attacker: Option<Who>,
        /// Who died.
        victim: Who,
        /// The weapon, by the game's name; empty where it was none.
        weapon: String,
        /// The cause of death in the game's own terms.
        means: String,
        /// What it counts as: `kill`, `team_kill`, `suicide`, `world`.
        frag_kind: String,
        /// Where the attacker was, in whole units.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        from: Option<[i32; 3]>,
        /// Where the victim was, in whole units.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        at: Option<[i32; 3]>,
    },
    /// Somebody, or the server, says something.
    Chat {
        /// Who; null where it cannot be told.
        speaker: Option<Who>,
        /// What, in plain characters.
        text: String,
        /// Only for the own team.
        team: bool,
    },
    /// Something that teams fight for changes hands.
    Flag {
        /// Whose flag.
        team: String,
        /// `taken`, `dropped`, `returned`, `captured`.
        action: String,
        /// Who did it, where that is told.
        player: Option<Who>,
    },
    /// A match begins, pauses, ends ...
    Match {
        /// What happens to it, as the event `match` tells it.
        phase: String,
    },
    /// A player takes something.
    Pickup {
        /// Who; null where it is not told.
        player: Option<Who>,
        /// What.
        item: String,
    },
    /// Something that can be taken appears again.
    Respawn {
        /// What.
        item: String,
        /// Where, in whole units.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        at: Option<[i32; 3]>,
    },
    /// Something worth seeing again.
    Highlight {
        /// Who did it.
        player: Who,
        /// What it is, in words for people.
        text: String,
        /// How long it lasts, in milliseconds.
        lasted_ms: i64,
    },
}

impl MarkKind {
    /// What a replay keeps of an event.
    pub(super) fn of(event: &EventKind) -> Option<Self> {
        let whole = |place: Option<[f32; 3]>| place.map(|place| place.map(|v| v.round() as i32));
        let who = |who: &Option<PlayerRef>| who.as_ref().map(Who::of);
        Some(match event {
            EventKind::Frag(frag) => MarkKind::Frag {
                attacker: who(&frag.attacker),
                victim: Who::of(&frag.victim),
                weapon: frag.weapon.to_string(),
                means: frag.means.to_string(),
                frag_kind: frag.kind.name().to_owned(),
                from: whole(frag.attacker_origin),
                at: whole(frag.victim_origin),
            },
            EventKind::Chat(chat) => {
                MarkKind::Chat { speaker: who(&chat.speaker), text: chat.text.clone(), team: chat.team }
            }
            EventKind::Flag { team, action, player } => {
                MarkKind::Flag { team: team.to_string(), action: action.name().to_owned(), player: who(player) }
            }
            EventKind::Match(phase) => MarkKind::Match { phase: phase.name().to_owned() },
            EventKind::Pickup { player, item } => MarkKind::Pickup { player: who(player), item: item.to_string() },
            EventKind::Respawn { item, origin } => MarkKind::Respawn { item: item.to_string(), at: whole(*origin) },
            _ => return None,
        })
    }

    /// True for events of which a replay keeps something.
    pub(super) fn is_of(event: &EventKind) -> bool {
        use EventKind::{Chat, Damage, Flag, Frag, Match, Pickup, Respawn};
        matches!(event, Frag(_) | Chat(_) | Flag { .. } | Match(_) | Pickup { .. } | Respawn { .. } | Damage(_))
    }

    /// A highlight.
    pub(super) fn highlight(it: &crate::analysis::highlight::Highlight) -> Self {
        MarkKind::Highlight { player: Who::of(&it.player), text: it.to_string(), lasted_ms: it.lasted.ms() }
    }
}
