//! The vocabulary of events.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::json::{Named, Vector, as_text, decimals, row};
use crate::kinds::kinds;
use crate::world::{Charset, Player};

row! {
    /// A player in an event, as known at that moment.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct PlayerRef {
        /// Slot, from 0; `None` where only a name is told, or one that several players have.
        pub slot: Option<usize>,
        /// The name in plain characters.
        #[serde(skip)]
        pub name: String,
        /// The name, as the bytes in the file.
        #[serde(skip)]
        pub name_raw: Vec<u8>,
        /// The team as the game names it.
        pub team: Option<String>,
    }
    |who| -> Named { Named::new(&who.name, &who.name_raw) }
}

impl PlayerRef {
    /// A player of the world.
    pub fn of(player: &Player<'_>) -> Self {
        PlayerRef {
            slot: Some(player.slot),
            name: player.clean_name(),
            name_raw: player.name.to_vec(),
            team: player.team.as_deref().map(|t| player.charset.clean(t)),
        }
    }

    /// True for what [`PlayerRef::of`] makes of the player.
    pub(crate) fn is(&self, player: &Player<'_>) -> bool {
        let cleaned = |text| player.charset.cleaned(text);
        self.slot == Some(player.slot)
            && self.name_raw == player.name[..]
            && self.name == cleaned(&player.name)
            && self.team.as_deref() == player.team.as_deref().map(cleaned).as_deref()
    }

    /// Somebody of whom nothing but a name is known.
    pub fn named(name: &[u8], charset: Charset) -> Self {
        PlayerRef { slot: None, name: charset.clean(name), name_raw: name.to_vec(), team: None }
    }
}

/// A death, and who caused it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Frag {
    /// Who did it; `None`: the world, or a team mate who is not named.
    pub attacker: Option<PlayerRef>,
    /// Who died. Where only the attacker is told and nothing else shows it, without slot and name.
    pub victim: PlayerRef,
    /// The weapon, by the game's name; empty where it was none.
    pub weapon: Cow<'static, str>,
    /// The cause of death in the game's own terms.
    pub means: Cow<'static, str>,
    /// What it counts as.
    #[serde(rename = "frag_kind")]
    pub kind: FragKind,
    /// Where the attacker was, if that is known.
    #[serde(serialize_with = "decimals")]
    #[schemars(with = "Option<Vector>")]
    pub attacker_origin: Option<[f32; 3]>,
    /// Where the victim was; `None` where nothing tells.
    #[serde(serialize_with = "decimals")]
    #[schemars(with = "Option<Vector>")]
    pub victim_origin: Option<[f32; 3]>,
}

kinds! {
    /// What a death counts as.
    pub enum FragKind {
        /// One player kills another.
        Kill = "kill",
        /// A player kills one of the own team.
        TeamKill = "team_kill",
        /// A player dies by own doing.
        Suicide = "suicide",
        /// The world kills: lava, falls, traps.
        World = "world",
    }
}

impl FragKind {
    /// What follows from who did it. `teams` tells that the game is played in teams.
    pub fn of(attacker: Option<&PlayerRef>, victim: &PlayerRef, teams: bool) -> Self {
        match attacker {
            None => FragKind::World,
            Some(attacker) if attacker.slot.is_some() && attacker.slot == victim.slot => FragKind::Suicide,
            Some(attacker) if teams && attacker.team.is_some() && attacker.team == victim.team => FragKind::TeamKill,
            Some(_) => FragKind::Kill,
        }
    }
}

/// Something that a player, or the server, says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Chat {
    /// Who; `None` where it cannot be told.
    pub speaker: Option<PlayerRef>,
    /// What, in plain characters.
    pub text: String,
    /// What, as the bytes in the file.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub text_raw: Vec<u8>,
    /// Only for the own team.
    #[serde(rename = "team_chat")]
    pub team: bool,
    /// Only for one player.
    pub private: bool,
    /// Where the speaker is, by the name of the place.
    pub location: Option<String>,
}

/// Damage done.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Damage {
    /// Who did it; `None` where it is not told, or the world.
    pub attacker: Option<PlayerRef>,
    /// Who took it.
    pub victim: Option<PlayerRef>,
    /// How much, health and armour together.
    pub amount: i32,
    /// What of it the victim had left to lose, where health and armour are known.
    pub taken: Option<i32>,
    /// The cause in the game's own terms; empty where it is not told.
    pub means: Cow<'static, str>,
    /// True where it is told that it was by splash, not a direct hit.
    pub splash: bool,
}

kinds! {
    /// Where a match is.
    #[non_exhaustive]
    pub enum Phase {
        /// The countdown begins.
        Countdown = "countdown",
        /// The match begins: once, however many rounds it has.
        Start = "start",
        /// The match stands still.
        Pause = "pause",
        /// It goes on.
        Resume = "resume",
        /// A round of a match that has several is over: KTX (HoonyMode, Clan Arena, Wipeout, Rocket Arena), CPMA, Quake Live.
        Round = "round",
        /// The next one begins.
        NextRound = "next_round",
        /// Time is added.
        Overtime = "overtime",
        /// The match ends.
        End = "end",
        /// It is given up: it has no end.
        GivenUp = "given_up",
        /// Everybody looks at the scores.
        Intermission = "intermission",
    }
}

/// A run against the clock.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Run {
    /// Who ran.
    pub player: Option<PlayerRef>,
    /// The name that the game tells, where it is another one than that of the player: the login of DeFRaG.
    #[serde(skip)]
    pub login: Option<String>,
    /// Its time in seconds, as precise as it is told: exact where the game counts milliseconds.
    #[serde(rename = "run_time")]
    pub time: f64,
    /// The digits of that time that mean something.
    pub precision: u8,
    /// Where the number comes from.
    pub from: &'static str,
    /// Name of the map.
    pub map: String,
    /// Kills and the monsters that there are, secrets found and those that there are: Quake.
    #[serde(flatten, serialize_with = "totals")]
    #[schemars(with = "RunTotals")]
    pub totals: Option<[i32; 4]>,
    /// Physics and kind of game, where they are told: DeFRaG.
    pub mode: Option<String>,
}

impl Run {
    /// Its time in seconds, with all digits that mean something.
    pub fn digits(&self) -> String {
        format!("{:.*}", usize::from(self.precision), self.time)
    }
}

/// What a run of Quake adds up to; all null where nothing is told.
#[derive(Serialize, JsonSchema)]
struct RunTotals {
    /// Monsters killed.
    kills: Option<i32>,
    /// Monsters that there are.
    monsters: Option<i32>,
    /// Secrets found.
    secrets_found: Option<i32>,
    /// Secrets that there are.
    secrets: Option<i32>,
}

fn totals<S: Serializer>(totals: &Option<[i32; 4]>, serializer: S) -> Result<S::Ok, S::Error> {
    let [kills, monsters, secrets_found, secrets] = totals.map_or([None; 4], |totals| totals.map(Some));
    RunTotals { kills, monsters, secrets_found, secrets }.serialize(serializer)
}

/// What the rows of variants are whose fields have no names: a function that writes one, and its type for the schema.
macro_rules! rows {
    ($($row:ident, $ty:ident { $($(#[doc = $doc:literal])* $key:ident: $of:ty,)* })*) => {$(
        #[derive(Serialize, JsonSchema)]
        #[schemars(inline)]
        struct $ty<'r> {
            $($(#[doc = $doc])* $key: &'r $of,)*
        }

        fn $row<S: Serializer>($($key: &$of,)* serializer: S) -> Result<S::Ok, S::Error> {
            $ty { $($key),* }.serialize(serializer)
        }
    )*};
}
rows! {
    phase, PhaseRow {
        /// What happens to the match.
        phase: Phase,
    }
    player, PlayerRow {
        /// Who.
        player: PlayerRef,
    }
    rename, RenameRow {
        /// Who, with the new name.
        player: PlayerRef,
        /// The name before, in plain characters.
        from: String,
    }
    team, TeamRow {
        /// Who, with the new team.
        player: PlayerRef,
        /// The team before.
        from: Option<String>,
        /// The team now.
        to: Option<String>,
    }
    scores, ScoresRow {
        /// Of the red and the blue team, or of the first and the second player; null where nobody is, or is left.
        scores: [Option<i32>; 2],
    }
    found, FoundRow {
        /// How many secrets are found now.
        found: i32,
    }
    killed, KilledRow {
        /// How many monsters are dead now.
        killed: i32,
    }
}
fn changed_team<S: Serializer>(who: &PlayerRef, from: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    team(who, from, &who.team, serializer)
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum EventKind {
    /// A level begins.
    Level {
        /// Name of the map.
        map: String,
        /// Name of the level for people.
        title: String,
    },
    /// A match begins, pauses, ends ...
    #[serde(serialize_with = "phase")]
    #[schemars(with = "PhaseRow<'_>")]
    Match(Phase),
    /// Somebody dies.
    Frag(Frag),
    /// Somebody says something.
    Chat(Chat),
    /// The server prints something that is no chat.
    Print {
        /// What, in plain characters.
        text: String,
        /// What, as the bytes in the file.
        #[serde(serialize_with = "as_text")]
        #[schemars(with = "String")]
        text_raw: Vec<u8>,
        /// A line of it begins with the name of a player, and what it says is not known: it tells no other event. Told of
        /// Quake, QuakeWorld and Quake II, where texts tell nearly everything.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        unknown: bool,
    },
    /// Text in the middle of the screen.
    Center {
        /// What, in plain characters.
        text: String,
        /// What, as the bytes in the file.
        #[serde(serialize_with = "as_text")]
        #[schemars(with = "String")]
        text_raw: Vec<u8>,
    },
    /// A player comes.
    #[serde(serialize_with = "player")]
    #[schemars(with = "PlayerRow<'_>")]
    Join(PlayerRef),
    /// A player goes.
    #[serde(serialize_with = "player")]
    #[schemars(with = "PlayerRow<'_>")]
    Leave(PlayerRef),
    /// A player takes another name: as it is now, and what it was in plain characters.
    #[serde(serialize_with = "rename")]
    #[schemars(with = "RenameRow<'_>")]
    Rename(PlayerRef, String),
    /// A player changes team: as it is now, and what it was.
    #[serde(serialize_with = "changed_team")]
    #[schemars(with = "TeamRow<'_>")]
    Team(PlayerRef, Option<String>),
    /// The score of a player changes.
    Score {
        /// Whose.
        player: PlayerRef,
        /// What it was.
        from: i32,
        /// What it is.
        to: i32,
    },
    /// The scores of both sides, or of the first and the second player, change. `None` where nobody is, or is left.
    #[serde(serialize_with = "scores")]
    #[schemars(with = "ScoresRow<'_>")]
    Scores([Option<i32>; 2]),
    /// A player takes something.
    Pickup {
        /// Who; `None` where it is not told.
        player: Option<PlayerRef>,
        /// What.
        item: Cow<'static, str>,
    },
    /// A player drops something, a backpack with it.
    Drop {
        /// Who.
        player: Option<PlayerRef>,
        /// What.
        item: Cow<'static, str>,
    },
    /// Something that can be taken appears again.
    Respawn {
        /// What.
        item: Cow<'static, str>,
        /// Where.
        #[serde(serialize_with = "decimals")]
        #[schemars(with = "Option<Vector>")]
        origin: Option<[f32; 3]>,
    },
    /// Somebody is hurt.
    Damage(Damage),
    /// Something that teams fight for changes hands.
    Flag {
        /// Whose flag.
        team: Cow<'static, str>,
        /// What happens to it.
        action: FlagAction,
        /// Who did it, where that is told.
        player: Option<PlayerRef>,
    },
    /// A secret is found; how many there are now.
    #[serde(serialize_with = "found")]
    #[schemars(with = "FoundRow<'_>")]
    Secret(i32),
    /// A monster dies; how many there are now.
    #[serde(serialize_with = "killed")]
    #[schemars(with = "KilledRow<'_>")]
    Monster(i32),
    /// A run ends.
    Run(Run),
}

kinds! {
    /// What happens to a thing that teams fight for.
    pub enum FlagAction {
        /// Somebody takes it.
        Taken = "taken",
        /// Somebody loses it.
        Dropped = "dropped",
        /// It is back at its place.
        Returned = "returned",
        /// It is brought home: a point.
        Captured = "captured",
    }
}

/// The kinds of events.
macro_rules! event_kinds {
    ($($kind:ident = $name:literal,)*) => {
        kinds! {
            /// The kinds of events, as `--kind` and the key `kind` name them.
            #[non_exhaustive]
            pub enum EventTag {
                $(#[doc = concat!("`", $name, "`: [`EventKind::", stringify!($kind), "`].")] $kind = $name,)*
            }
        }

        impl EventKind {
            /// The kind without what it tells.
            pub fn tag(&self) -> EventTag {
                match self {
                    $(EventKind::$kind { .. } => EventTag::$kind,)*
                }
            }
        }
    };
}

event_kinds! {
    Level = "level",
    Match = "match",
    Frag = "frag",
    Chat = "chat",
    Print = "print",
    Center = "centerprint",
    Join = "join",
    Leave = "leave",
    Rename = "rename",
    Team = "team",
    Score = "score",
    Scores = "scores",
    Pickup = "pickup",
    Drop = "drop",
    Respawn = "respawn",
    Damage = "damage",
    Flag = "flag",
    Secret = "secret",
    Monster = "monster",
    Run = "run",
}

/// Whom an event is about, to be read or to be changed.
macro_rules! players {
    ($kind:expr, $get:ident $(, $mutable:tt)?) => {
        match $kind {
            EventKind::Frag(frag) => [frag.attacker.$get(), Some(&$($mutable)? frag.victim)],
            EventKind::Chat(chat) => [chat.speaker.$get(), None],
            EventKind::Join(who) | EventKind::Leave(who) | EventKind::Rename(who, _) | EventKind::Team(who, _) => {
                [Some(who), None]
            }
            EventKind::Score { player, .. } => [Some(player), None],
            EventKind::Pickup { player, .. } | EventKind::Drop { player, .. } | EventKind::Flag { player, .. } => {
                [player.$get(), None]
            }
            EventKind::Damage(damage) => [damage.attacker.$get(), damage.victim.$get()],
            EventKind::Run(run) => [run.player.$get(), None],
            _ => [None, None],
        }
    };
}

impl EventKind {
    /// The players that the event is about.
    pub fn players(&self) -> [Option<&PlayerRef>; 2] {
        players!(self, as_ref)
    }

    /// The same, to be called otherwise.
    pub(crate) fn players_mut(&mut self) -> [Option<&mut PlayerRef>; 2] {
        players!(self, as_mut, mut)
    }
}

/// What happened, in words for people.
impl std::fmt::Display for EventKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |who: &Option<PlayerRef>| who.as_ref().map_or_else(|| "somebody".to_owned(), |w| w.name.clone());
        match self {
            EventKind::Level { map, title } if title.is_empty() => write!(f, "level {map}"),
            EventKind::Level { map, title } => write!(f, "level {map} ({title})"),
            EventKind::Match(phase) => write!(f, "match: {}", phase.name()),
            EventKind::Frag(frag) => match (&frag.attacker, frag.kind) {
                (Some(attacker), FragKind::Kill | FragKind::TeamKill) => {
                    let mate = if frag.kind == FragKind::TeamKill { "team mate " } else { "" };
                    write!(f, "{} kills {mate}{} ({})", attacker.name, frag.victim.name, frag.means)
                }
                _ => write!(f, "{} dies ({})", frag.victim.name, frag.means),
            },
            EventKind::Chat(chat) => {
                let who = chat.speaker.as_ref().map(|w| w.name.as_str()).unwrap_or_default();
                // As the games show them: Quake III has brackets around who tells something to one player (`g_cmds.c`).
                match (chat.private, chat.team) {
                    (true, _) => write!(f, "[{who}]: {}", chat.text),
                    (false, true) => write!(f, "({who}): {}", chat.text),
                    (false, false) => write!(f, "{who}: {}", chat.text),
                }
            }
            EventKind::Print { text, .. } | EventKind::Center { text, .. } => f.write_str(text),
            EventKind::Join(player) => write!(f, "{} joins", player.name),
            EventKind::Leave(player) => write!(f, "{} leaves", player.name),
            EventKind::Rename(player, from) => write!(f, "{from} is now {}", player.name),
            EventKind::Team(player, _) => {
                write!(f, "{} joins team {}", player.name, player.team.as_deref().unwrap_or("none"))
            }
            EventKind::Score { player, from, to } => {
                let s = if *to == 1 { "" } else { "s" };
                write!(f, "{} has {to} point{s} (had {from})", player.name)
            }
            EventKind::Scores(sides) => {
                let [first, second] = sides.map(|score| score.map_or("-".into(), |score| score.to_string()));
                write!(f, "it stands {first} to {second}")
            }
            EventKind::Pickup { player, item } => write!(f, "{} takes {item}", name(player)),
            EventKind::Drop { player, item } => write!(f, "{} drops {item}", name(player)),
            EventKind::Respawn { item, .. } => write!(f, "{item} appears again"),
            EventKind::Damage(damage) => {
                write!(f, "{} hurts {}: {}", name(&damage.attacker), name(&damage.victim), damage.amount)
            }
            EventKind::Flag { team, action, player: None } => write!(f, "{team} flag {}", action.name()),
            EventKind::Flag { team, action, player } => write!(f, "{team} flag {} by {}", action.name(), name(player)),
            EventKind::Secret(found) => write!(f, "secret {found} found"),
            EventKind::Monster(killed) => write!(f, "monster {killed} killed"),
            EventKind::Run(run) => write!(f, "{} in {:.*} s", run.map, usize::from(run.precision), run.time),
        }
    }
}
