//! The questions that can be asked of the world of any game.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Not;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Changes, Clock, Input, Rules};
use crate::json::{self, Named, Vector, as_text, decimals, row};
use crate::sealed::Sealed;
use crate::wire::{clean, without_colors, without_hex_colors};

/// How a game writes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Charset {
    /// Quake's own: letters of two colours and signs below the blank.
    #[default]
    Quake,
    /// Quake III's: a caret and a character behind it are a colour.
    Carets,
    /// OSP's, of the same game: likewise, and a caret, `x` and six hexadecimal digits are a colour as well.
    HexCarets,
}

impl Charset {
    /// Text in plain characters.
    pub fn clean(self, text: &[u8]) -> String {
        match self {
            Charset::Quake => clean(text),
            Charset::Carets => without_colors(text),
            Charset::HexCarets => without_hex_colors(text),
        }
    }
}

impl Charset {
    /// The same without a copy of what has plain characters alone, as most names have.
    pub(crate) fn cleaned(self, text: &[u8]) -> Cow<'_, str> {
        let plain = text.iter().all(|b| matches!(b, 0x20..=0x7E) && *b != b'^');
        match std::str::from_utf8(text).ok().filter(|_| plain) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.clean(text)),
        }
    }

    /// True for a name that a user means: in plain characters, whatever the case, or as the bytes in the file.
    pub(crate) fn is_called(self, name: &[u8], wanted: &str) -> bool {
        self.cleaned(name).to_lowercase() == wanted.to_lowercase() || *name == *wanted.as_bytes()
    }
}

/// The level that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Level<'a> {
    /// Number of the level within the recording, from 0.
    pub number: u32,
    /// Name of the map, such as `e1m1`.
    pub map: &'a [u8],
    /// Name of the level for people.
    pub title: &'a [u8],
}

/// From where, and in which direction, the recording shows the world.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct View {
    /// Slot of the player through whose eyes the recorder looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<usize>,
    /// The eyes, in units. `None` where the format does not tell.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "decimals")]
    #[schemars(with = "Option<Vector>")]
    pub origin: Option<[f32; 3]>,
    /// Pitch, yaw and roll in degrees.
    #[serde(serialize_with = "decimals")]
    #[schemars(with = "Vector")]
    pub angles: [f32; 3],
}

row! {
    /// A player at one moment. What the format does not tell, or not now, is `None`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Player<'a> {
        /// Slot, from 0.
        pub slot: usize,
        /// The name, as the bytes in the file.
        #[serde(skip)]
        pub name: Cow<'a, [u8]>,
        /// How it is written.
        #[serde(skip)]
        pub charset: Charset,
        /// The team as the game names it.
        #[serde(skip)]
        pub team: Option<Cow<'a, [u8]>>,
        /// True for one who only watches.
        #[serde(skip_serializing_if = "Not::not")]
        pub spectator: bool,
        /// True for the player through whose eyes the recorder looks.
        #[serde(skip_serializing_if = "Not::not")]
        pub seen_through: bool,
        /// Number of the player's entity, while it is in view.
        pub entity: Option<u16>,
        /// Where the player is, in units.
        #[serde(serialize_with = "decimals")]
        #[schemars(with = "Option<Vector>")]
        pub origin: Option<[f32; 3]>,
        /// Velocity in units a second.
        #[serde(serialize_with = "decimals")]
        #[schemars(with = "Option<Vector>")]
        pub velocity: Option<[f32; 3]>,
        /// Where the player looks: pitch (down is positive), yaw and roll in degrees. Where Quake and Quake II tell it by the model
        /// alone, which bends by a third of the view's pitch, it is some degrees off, and roll is the model's.
        #[serde(serialize_with = "decimals")]
        #[schemars(with = "Option<Vector>")]
        pub angles: Option<[f32; 3]>,
        /// True while the player stands on something.
        pub on_ground: Option<bool>,
        /// Health; 0 or less: dead.
        pub health: Option<i32>,
        /// Armour.
        pub armor: Option<i32>,
        /// The weapon in hand.
        pub weapon: Option<Cow<'a, str>>,
        /// Ammunition of that weapon; -1 where it does not run out (Quake III).
        pub ammo: Option<i32>,
        /// Score as the game counts it.
        pub frags: Option<i32>,
        /// Round trip time in ms. 9999 in QuakeWorld: nobody has measured it.
        pub ping: Option<i32>,
        /// Frame of the model.
        pub frame: Option<i32>,
        /// Effects, as bits of the game.
        pub effects: Option<u32>,
    }
    known |player| -> NameAndTeam {
        let team = player.team.as_deref().map(|team| player.charset.clean(team));
        NameAndTeam { named: Named::new(player.clean_name(), &player.name), team }
    }
}

/// A player as score boards have it: what of [`Player`] is known of everybody, in view or not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreLine<'a> {
    /// Slot, from 0.
    pub slot: usize,
    /// The name, as the bytes in the file.
    pub name: Cow<'a, [u8]>,
    /// How it is written.
    pub charset: Charset,
    /// The team as the game names it.
    pub team: Option<Cow<'a, [u8]>>,
    /// True for one who only watches.
    pub spectator: bool,
    /// Score as the game counts it.
    pub frags: Option<i32>,
    /// Round trip time in ms.
    pub ping: Option<i32>,
    /// True while it is known where the player is.
    pub is_placed: bool,
}

impl<'a> From<Player<'a>> for ScoreLine<'a> {
    fn from(player: Player<'a>) -> Self {
        let Player { slot, name, charset, team, spectator, frags, ping, origin, .. } = player;
        ScoreLine { slot, name, charset, team, spectator, frags, ping, is_placed: origin.is_some() }
    }
}

/// What stands on no score board is missing.
impl<'a> From<ScoreLine<'a>> for Player<'a> {
    #[inline]
    fn from(line: ScoreLine<'a>) -> Self {
        let ScoreLine { slot, name, charset, team, spectator, frags, ping, is_placed: _ } = line;
        Player { slot, name, charset, team, spectator, frags, ping, ..Player::default() }
    }
}

/// Where a player is: of [`Player`] what tells how somebody moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// In units.
    pub origin: [f32; 3],
    /// Where the player looks: pitch, yaw and roll in degrees.
    pub angles: Option<[f32; 3]>,
    /// True while the player stands on something.
    pub on_ground: Option<bool>,
}

/// Who a player is.
#[derive(Serialize, JsonSchema)]
struct NameAndTeam {
    #[serde(flatten)]
    named: Named,
    /// The team as the game names it, in plain characters.
    team: Option<String>,
}

/// An entity at one moment, players included.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Entity<'a> {
    /// Its number.
    #[serde(rename = "entity")]
    pub number: u16,
    /// What it is: `player`, `item`, `missile`, `mover` ... Empty where the game does not tell.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub kind: Cow<'a, str>,
    /// Slot of the player that it is.
    #[serde(rename = "slot", skip_serializing_if = "Option::is_none")]
    pub player: Option<usize>,
    /// Name of its model.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub model: Cow<'a, [u8]>,
    /// Where it is, in units.
    #[serde(serialize_with = "decimals")]
    #[schemars(with = "Vector")]
    pub origin: [f32; 3],
    /// Velocity in units a second, where the format tells.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "decimals")]
    #[schemars(with = "Option<Vector>")]
    pub velocity: Option<[f32; 3]>,
    /// Pitch, yaw and roll in degrees: of its model as the game tells it; of a player of QuakeWorld and Quake III the view's.
    #[serde(serialize_with = "decimals")]
    #[schemars(with = "Vector")]
    pub angles: [f32; 3],
    /// Frame of the model.
    pub frame: i32,
    /// Skin of the model.
    pub skin: u32,
    /// Effects, as bits of the game.
    pub effects: u32,
}

/// The world of any game at one moment.
pub trait Scene: Sealed {
    /// The time.
    fn clock(&self) -> Clock;
    /// How the game writes text.
    fn charset(&self) -> Charset {
        Charset::Quake
    }
    /// The level.
    fn level(&self) -> Level<'_>;
    /// Slot of the player who recorded; `None` where nobody did, or before it is known.
    fn recorder(&self) -> Option<usize>;
    /// Where the recording looks from. `None` for recordings of all players.
    fn view(&self) -> Option<View>;
    /// What the last chunk changed.
    fn changes(&self) -> &Changes;
    /// False when what the state builds on was not recorded: then nothing is said of entities until a complete one.
    fn is_complete(&self) -> bool;
    /// True while the game is paused, where the format tells.
    fn is_paused(&self) -> bool;
    /// The rules of the game, as far as the server tells them.
    fn rules(&self) -> Rules {
        Rules::default()
    }
    /// Slots to ask for: one more than the highest.
    fn player_slots(&self) -> usize;
    /// The player in a slot, if there is one.
    fn player(&self, slot: usize) -> Option<Player<'_>>;
    /// Of [`Scene::player`] what score boards have. No more is gathered: with every frame that is what takes time.
    fn score_line(&self, slot: usize) -> Option<ScoreLine<'_>> {
        self.player(slot).map(ScoreLine::from)
    }
    /// Of [`Scene::player`] where the player is, while that is known; likewise.
    fn place(&self, slot: usize) -> Option<Place> {
        let Player { origin, angles, on_ground, .. } = self.player(slot)?;
        Some(Place { origin: origin?, angles, on_ground })
    }
    /// The same of everybody, by slot.
    fn places(&self, each: &mut dyn FnMut(usize, Place)) {
        for slot in 0..self.player_slots() {
            if let Some(place) = self.place(slot) {
                each(slot, place);
            }
        }
    }
    /// Calls `each` with name and value of everything that a player carries and that the format tells: ammunition,
    /// weapons, items, powerups (with the rest of their time where told).
    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64));
    /// Numbers to ask for: one more than the highest.
    fn entity_slots(&self) -> usize;
    /// The entity with a number, while it is in view.
    fn entity(&self, number: usize) -> Option<Entity<'_>>;
    /// Of [`Scene::entity`] whether it is a player. No more is gathered.
    fn is_player(&self, number: usize) -> bool {
        self.entity(number).is_some_and(|entity| entity.player.is_some())
    }
    /// The name of a sound.
    fn sound_name(&self, sound: u16) -> Option<&[u8]>;
    /// Shows what the last chunk, a block, tells of what players ask for.
    fn inputs(&self, each: &mut dyn FnMut(&Input)) {
        self.changes().inputs.iter().for_each(each);
    }
    /// What only this game has, as JSON: tables, light styles, static entities ...
    fn own(&self) -> Map<String, Value>;
    /// The same without the tables, and what stands in them, that are the same in another world: most of it, and what takes
    /// longest to tell.
    #[doc(hidden)]
    fn own_beside(&self, _other: &Self) -> Map<String, Value>
    where
        Self: Sized,
    {
        self.own()
    }

    /// The players, by slot.
    fn players(&self) -> impl Iterator<Item = Player<'_>>
    where
        Self: Sized,
    {
        (0..self.player_slots()).filter_map(|slot| self.player(slot))
    }

    /// The entities in view, by number.
    fn entities(&self) -> impl Iterator<Item = Entity<'_>>
    where
        Self: Sized,
    {
        (0..self.entity_slots()).filter_map(|number| self.entity(number))
    }
}

impl ScoreLine<'_> {
    /// The name in plain characters.
    pub fn clean_name(&self) -> String {
        self.charset.clean(&self.name)
    }
}

impl Player<'_> {
    /// True for a player of this name: in plain characters, whatever the case, or as the bytes in the file.
    pub fn is_called(&self, name: &str) -> bool {
        self.charset.is_called(&self.name, name)
    }

    /// True for a player whose name contains a text, in plain characters, whatever the case.
    pub fn has_in_name(&self, text: &str) -> bool {
        self.clean_name().to_lowercase().contains(&text.to_lowercase())
    }

    /// The name in plain characters.
    pub fn clean_name(&self) -> String {
        self.charset.clean(&self.name)
    }
}

/// The world at one moment: what all games have, and what this one alone has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "World")]
pub(crate) struct Shown<'s, Own> {
    #[serde(flatten)]
    clock: Clock,
    /// The level that is played.
    level: ShownLevel,
    /// False when what the state builds on was not recorded: then nothing is said of entities until a complete one.
    complete: bool,
    /// True while the game is paused, where the format tells.
    #[serde(skip_serializing_if = "Not::not")]
    paused: bool,
    /// Slot of the player who recorded; left out where nobody did, or before it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorder: Option<usize>,
    /// From where the recording shows the world; left out for recordings of all players.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<View>,
    /// The players, by slot.
    players: Vec<ShownPlayer<'s>>,
    /// The entities in view, by number, players included.
    entities: Vec<Entity<'s>>,
    #[serde(flatten)]
    own: Own,
}

/// The level that is played.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LevelNow")]
struct ShownLevel {
    /// Number of the level within the recording, from 0.
    number: u32,
    /// Name of the map, such as `e1m1`.
    map: String,
    /// Name of the level for people.
    title: String,
}

/// A player at one moment. What the format does not tell, or not now, is left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlayerNow")]
struct ShownPlayer<'s> {
    #[serde(flatten)]
    player: Player<'s>,
    /// Everything that the player carries and that the format tells, by name: ammunition, weapons, items, and powerups with
    /// the rest of their time in milliseconds where that is told.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    carried: BTreeMap<String, i64>,
}

/// The whole world as JSON.
pub(crate) fn to_json(scene: &impl Scene) -> Map<String, Value> {
    with_own(scene, scene.own())
}

/// The same to be compared with another world: see [`Scene::own_beside`].
pub(crate) fn to_json_beside<S: Scene>(scene: &S, other: &S) -> Map<String, Value> {
    with_own(scene, scene.own_beside(other))
}

fn with_own(scene: &impl Scene, own: Map<String, Value>) -> Map<String, Value> {
    let level = scene.level();
    let players = scene.players().map(|player| {
        let mut carried = BTreeMap::new();
        scene.carried(player.slot, &mut |name, value| {
            carried.insert(name.to_owned(), value);
        });
        ShownPlayer { player, carried }
    });
    let mut all = json::map(&Shown {
        clock: scene.clock(),
        level: ShownLevel { number: level.number, map: clean(level.map), title: scene.charset().clean(level.title) },
        complete: scene.is_complete(),
        paused: scene.is_paused(),
        recorder: scene.recorder(),
        view: scene.view(),
        players: players.collect(),
        entities: scene.entities().collect(),
        own: Map::<String, Value>::new(),
    });
    // As it is: it need not be told again.
    all.extend(own);
    all
}
