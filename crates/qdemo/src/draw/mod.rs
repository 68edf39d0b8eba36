//! Pictures of a recording, as SVG: where players died, killed, were and went, which items and flags they took, and how
//! score, speed and health went on.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::draw::{Choice, Subject, draw};
//! use qdemo::{Limits, replay::Range, view};
//! let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
//! let (replay, _) = view::read(demo, "oa-dm4.dm_71", Limits::default(), Range::ALL)?;
//! let picture = draw(&replay, &Choice { players: vec!["sarge".to_owned()], ..Choice::new(Subject::Deaths) })?;
//! assert!(picture.svg.starts_with("<svg ") && picture.svg.contains("Deaths of Sarge on "));
//! assert!(picture.count > 0);
//! # Ok(()) }
//! ```
//!
//! Everything is taken from a [`Replay`]: a picture of a part of a recording is one of a replay of that part. Plans are seen
//! from above, x to the right and y up, in units of the game; the floor is that of a map where the replay has one, else where
//! players stood. Charts have the time since the recording began, in minutes and seconds.
//!
//! Text is text in the picture, in a font without serifs, and names are never markup.

mod chart;
mod curves;
mod heat;
mod items;
mod people;
mod plan;
mod routes;
mod sheet;
mod spots;
mod sums;
mod svg;
mod told;

use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::kinds::kinds;
use crate::view::{Index, Replay, one_each};

use self::people::People;

/// The subjects: each with its name and what it is.
macro_rules! subjects {
    ($($subject:ident = $name:literal, $about:literal;)*) => {
        kinds! {
            /// What a picture shows.
            pub enum Subject {
                $(#[doc = $about] $subject = $name,)*
            }
        }

        impl Subject {
            /// What it is, in words for people.
            pub fn about(self) -> &'static str {
                match self {
                    $(Subject::$subject => $about,)*
                }
            }
        }
    };
}
subjects! {
    Deaths = "deaths", "Where players died";
    Kills = "kills", "From where players killed";
    Presence = "presence", "Where players were, and how long";
    Paths = "paths", "The ways that players took";
    Items = "items", "Which items were taken where, and how often";
    Flags = "flags", "What happened to flags where, and the ways on which they were carried";
    Scores = "scores", "The scores over time";
    Speed = "speed", "The speed of players over time, along the ground";
    Health = "health", "Health and armour of players over time";
}

impl Subject {
    /// True for a plan of a level, false for a chart.
    pub fn is_plan(self) -> bool {
        !matches!(self, Subject::Scores | Subject::Speed | Subject::Health)
    }

    /// True where weapons matter.
    pub fn has_weapons(self) -> bool {
        matches!(self, Subject::Deaths | Subject::Kills)
    }
}

/// The size of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// From 320 to 8192.
    pub width: u32,
    /// From 240 to 8192.
    pub height: u32,
}

impl Size {
    /// Neither smaller nor larger pictures can be read, or drawn.
    const BOUNDS: [[u32; 2]; 2] = [[320, 8192], [240, 8192]];

    fn is_fine(self) -> bool {
        let within = |v: u32, [least, most]: [u32; 2]| (least..=most).contains(&v);
        within(self.width, Self::BOUNDS[0]) && within(self.height, Self::BOUNDS[1])
    }
}

impl Default for Size {
    fn default() -> Self {
        Size { width: 1200, height: 900 }
    }
}

impl FromStr for Size {
    type Err = String;

    /// Reads `1200x900`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let both = text.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let size = both.map(|(width, height)| Size { width, height });
        let [[w, most_w], [h, most_h]] = Self::BOUNDS;
        size.filter(|size| size.is_fine())
            .ok_or_else(|| format!("give width and height in pixels as 1200x900, from {w}x{h} to {most_w}x{most_h}"))
    }
}

/// Which picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What it shows.
    pub subject: Subject,
    /// Only players whose names contain one of these, whatever their case; everybody where there are none.
    pub players: Vec<String>,
    /// Only frags with a weapon whose name contains this: `rocket`.
    pub weapon: Option<String>,
    /// Its size.
    pub size: Size,
}

impl Choice {
    /// A picture of everybody.
    pub fn new(subject: Subject) -> Self {
        Choice { subject, players: Vec::new(), weapon: None, size: Size::default() }
    }
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// A document of SVG 1.1.
    pub svg: String,
    /// What was drawn of the subject: deaths, kills, items that were taken, what happened to flags; of presence, paths and
    /// charts the players.
    pub count: usize,
    /// The map of the level of a plan: that in which there is most to show.
    pub map: Option<String>,
    /// What a plan leaves out because the recording does not tell where it was.
    pub without_place: usize,
    /// Levels that a plan leaves out although there is something to show in them.
    pub other_levels: usize,
}

/// Draws a picture of a replay.
///
/// # Errors
/// A size that is none, a player or a weapon that is not there, and nothing to draw: each says what there is instead.
pub fn draw(replay: &Replay, choice: &Choice) -> Result<Picture> {
    if !choice.size.is_fine() {
        let said = "0x0".parse::<Size>().err().unwrap_or_default();
        return Err(absent(format!("a picture cannot have this size: {said}")));
    }
    let apart = one_each(replay);
    let replay = apart.as_ref().unwrap_or(replay);
    let index = Index::new(replay);
    let people = People::of(replay, &index, &choice.players)?;
    let scene = Scene { replay, index: &index, choice, people: &people };
    match choice.subject {
        Subject::Deaths | Subject::Kills | Subject::Presence => spots::draw(&scene),
        Subject::Paths | Subject::Flags => routes::draw(&scene),
        Subject::Items => items::draw(&scene),
        Subject::Scores | Subject::Speed | Subject::Health => curves::draw(&scene),
    }
}

/// What is drawn, of whom.
struct Scene<'a> {
    replay: &'a Replay,
    index: &'a Index<'a>,
    choice: &'a Choice,
    people: &'a People,
}

impl Scene<'_> {
    /// Whose picture it is, for titles: ` of Sarge`.
    fn whose(&self) -> String {
        match (&*self.choice.players, self.people.chosen().collect::<Vec<_>>().as_slice()) {
            ([], _) | (_, []) => String::new(),
            (_, [one]) => format!(" of {}", one.name),
            (_, several) if several.len() <= 3 => {
                format!(" of {}", several.iter().map(|it| &*it.name).collect::<Vec<_>>().join(", "))
            }
            (_, several) => format!(" of {} players", several.len()),
        }
    }

    /// From which file, and of which time.
    fn source(&self) -> String {
        let rows = &self.replay.rows;
        let [from, to] = [rows.first(), rows.last()].map(|ms| clock(ms.copied().unwrap_or_default()));
        format!("{}, {from} to {to}", self.replay.about.file)
    }

    /// That there is nothing, and why.
    fn nothing(&self, why: &str) -> Error {
        let whose = self.whose();
        absent(format!("there is nothing to draw of {}{whose}: {why}", self.choice.subject.name()))
    }
}

fn absent(what: String) -> Error {
    Error::new(ErrorKind::Absent(what))
}

/// A time as people read it: `1:23`.
pub(crate) fn clock(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    format!("{}:{:02}", seconds.div_euclid(60), seconds.rem_euclid(60))
}

/// A name as people read it: `rocket_launcher` is `rocket launcher`.
fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// A number of things: `1 death`, `2 deaths`.
fn counted(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}
