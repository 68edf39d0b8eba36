//! What a conversion loses, and which conversions there are.

use schemars::JsonSchema;
use serde::Serialize;

use crate::demo::FileKind;
use crate::edit::Account;
use crate::kinds::kinds;
use crate::world::Clock;

kinds! {
    /// What of a recording the target of a conversion has no room for.
    pub enum Loss {
        /// Coordinates are rounded to an eighth of a unit, or as fine as the target has them.
        Place = "place",
        /// Coordinates beyond 4096 units, or as far as the target goes, are put at the edge.
        FarPlace = "far_place",
        /// Angles are rounded to 256ths of a turn, or as fine as the target has them.
        Angle = "angle",
        /// Things with a model above number 255 are not seen.
        Model = "model",
        /// Frames of models above 255 are shown as frame 0.
        Frame = "frame",
        /// How loud the sound of a thing is, and how it fades.
        Volume = "volume",
        /// Sounds above number 255, or of entities above 8191, are not heard.
        Sound = "sound",
        /// Names behind the 255th in the lists of models and sounds are left out.
        Name = "name",
        /// What can be seen through is shown as solid.
        Alpha = "alpha",
        /// What has another size is shown in its own.
        Scale = "scale",
        /// When the next frame of a model is due is not told: engines take a tenth of a second.
        Lerp = "lerp",
        /// What a player has: armour and ammunition above 255 are shown as 255, and all of it is lost where the recording
        /// does not tell.
        Stat = "stat",
        /// Skies are not told.
        Sky = "sky",
        /// Fog is not told.
        Fog = "fog",
        /// Colours of the screen that damage brings.
        Blend = "blend",
        /// Frames between those that the target has: it has ten a second.
        Rate = "rate",
        /// Pictures over the game are not told.
        Picture = "picture",
        /// Short-lived effects that the target does not have are not told.
        Effect = "effect",
        /// Glow without light of its own (`fullbright` of Nehahra) is not told.
        Fullbright = "fullbright",
        /// Achievements and local sounds of the re-release are not told.
        Rerelease = "rerelease",
        /// Extensions that the recording announces are not announced.
        Extension = "extension",
        /// Voice is not told.
        Voice = "voice",
        /// How players move is not told: their keys, the age of that, whether they stand or can be hit, in `.mvd` their
        /// velocity.
        Movement = "movement",
        /// Times longer than a minute in which nothing was recorded are a minute.
        Time = "time",
        /// Where somebody looked who only watched, or between two frames.
        View = "view",
        /// What was told to others alone: their stats, hits and texts.
        Others = "others",
        /// Things that the target has no number left for are not seen.
        Entity = "entity",
        /// Pings, packet loss, when players came, their skins and teams and other settings.
        Board = "board",
        /// Hidden messages of the server: damage by number, commands of players, statistics of the match.
        Hidden = "hidden",
        /// What only the connection knows: packets outside the game, downloads, held back packets.
        Connection = "connection",
        /// What could not be read is left out.
        Unread = "unread",
        /// A message that the target cannot write is left out.
        Message = "message",
    }
}

/// How often something was lost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Lost {
    /// What was lost.
    pub loss: Loss,
    /// How often.
    pub count: u64,
    /// Number of the first block where it was, from 0.
    pub block: u64,
    /// When that was.
    #[serde(flatten)]
    pub clock: Clock,
}

/// What a conversion did.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Conversion {
    /// What became of the blocks.
    #[serde(flatten)]
    pub account: Account,
    /// The format of the input.
    pub from_format: &'static str,
    /// The protocols of the levels of the input, each once, in order.
    pub from_protocols: Vec<i32>,
    /// The format of the output.
    pub to_format: &'static str,
    /// The protocol of the output.
    pub to_protocol: i32,
    /// What was lost, in the order in which it came up; empty when the output says all that the input does.
    pub losses: Vec<Lost>,
}

impl Conversion {
    /// Nothing was done yet.
    pub(super) fn new(way: Way, protocol: i32) -> Self {
        let (from_format, to_format) = (way.from.name(), way.into.name());
        Conversion { from_format, to_format, to_protocol: protocol, ..Conversion::default() }
    }

    pub(super) fn lose(&mut self, loss: Loss, block: u64, clock: Clock) {
        match self.losses.iter_mut().find(|lost| lost.loss == loss) {
            Some(lost) => lost.count += 1,
            None => self.losses.push(Lost { loss, count: 1, block, clock }),
        }
    }
}

/// From which format to which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// The format of the input.
    pub from: FileKind,
    /// The format of the output.
    pub into: FileKind,
}

impl Way {
    const fn new(from: FileKind, into: FileKind) -> Self {
        Way { from, into }
    }

    const fn within(kind: FileKind) -> Self {
        Way { from: kind, into: kind }
    }

    /// The conversions of this way.
    pub(super) fn known(self) -> impl Iterator<Item = &'static Known> {
        CONVERSIONS.iter().filter(move |known| known.way == self)
    }

    /// True for a conversion that there is, from any protocol where none is named.
    pub(super) fn is_known(self, from: Option<i32>, to: i32) -> bool {
        let takes = |known: &Known| from.is_none_or(|from| known.from.contains(&from));
        self.known().any(|known| known.to.contains(&to) && takes(known))
    }

    /// The protocols that can be made, of one or of any.
    pub(super) fn targets(self, from: Option<i32>) -> Vec<i32> {
        let takes = |known: &&Known| from.is_none_or(|from| known.from.contains(&from));
        let mut all: Vec<_> = self.known().filter(takes).flat_map(|known| known.to).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// A conversion that there is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Known {
    /// From which format to which.
    pub way: Way,
    /// Protocols that it takes.
    pub from: &'static [i32],
    /// Protocols that it makes.
    pub to: &'static [i32],
    losses: &'static [&'static [Loss]],
}

impl Known {
    /// What it may lose; the account of a conversion says what it did.
    pub fn losses(&self) -> impl Iterator<Item = Loss> {
        self.losses.iter().copied().flatten().copied()
    }
}

/// What the newer protocols of Quake have and the first one has not.
const NEWER_QUAKE: &[Loss] = &[
    Loss::Place,
    Loss::FarPlace,
    Loss::Angle,
    Loss::Model,
    Loss::Frame,
    Loss::Sound,
    Loss::Name,
    Loss::Alpha,
    Loss::Scale,
    Loss::Lerp,
    Loss::Stat,
    Loss::Sky,
    Loss::Fog,
    Loss::Picture,
    Loss::Effect,
    Loss::Fullbright,
    Loss::Rerelease,
    Loss::Extension,
];
/// What any conversion may lose that reads messages.
const MESSAGES: &[Loss] = &[Loss::Unread, Loss::Message];
/// The protocols of Quake and of QuakeWorld.
const QUAKE: &[i32] = &[15, 250, 666, 999, 10000, 10001, 10002];
const QUAKEWORLD: &[i32] = &[24, 25, 26, 27, 28];

const QUAKE2: &[i32] = &[25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 56, 2022, 2023, 3434, 3435, 3436];
/// What one of the newer protocols of Quake II has and another one has not.
const NEWER_QUAKE2: &[Loss] = &[
    Loss::Place,
    Loss::FarPlace,
    Loss::Angle,
    Loss::Model,
    Loss::Frame,
    Loss::Sound,
    Loss::Volume,
    Loss::Name,
    Loss::Alpha,
    Loss::Scale,
    Loss::Stat,
    Loss::Fog,
    Loss::Blend,
    Loss::Rate,
    Loss::Effect,
    Loss::Movement,
    Loss::Rerelease,
    Loss::Extension,
];
/// What the first protocols of Quake II have less room for than the others.
const NARROW_QUAKE2: &[Loss] = &[Loss::Picture, Loss::Entity];

/// Every conversion that there is.
pub const CONVERSIONS: &[Known] = &[
    Known { way: Way::within(FileKind::Dem), from: QUAKE, to: &[15], losses: &[NEWER_QUAKE, MESSAGES] },
    Known {
        way: Way::within(FileKind::Dem),
        from: QUAKE,
        to: &[666, 999],
        losses: &[
            &[
                Loss::Place,
                Loss::FarPlace,
                Loss::Angle,
                Loss::Fog,
                Loss::Picture,
                Loss::Effect,
                Loss::Fullbright,
                Loss::Sky,
                Loss::Extension,
            ],
            MESSAGES,
        ],
    },
    Known {
        way: Way::within(FileKind::Dm2),
        from: &[26, 27, 28, 29, 30, 31, 32, 33, 34],
        to: &[34],
        losses: &[&[Loss::Effect, Loss::Others, Loss::Stat], MESSAGES],
    },
    Known {
        way: Way::within(FileKind::Dm2),
        from: &[25, 56, 2022, 2023, 3434, 3435, 3436],
        to: &[34],
        losses: &[NEWER_QUAKE2, NARROW_QUAKE2, &[Loss::Others], MESSAGES],
    },
    Known {
        way: Way::within(FileKind::Dm2),
        from: QUAKE2,
        to: &[56, 2023, 3434, 3435, 3436],
        losses: &[NEWER_QUAKE2, &[Loss::Others], MESSAGES],
    },
    Known {
        way: Way::new(FileKind::Mvd2, FileKind::Dm2),
        from: &[37],
        to: &[34],
        losses: &[NEWER_QUAKE2, NARROW_QUAKE2, &[Loss::Others], MESSAGES],
    },
    Known { way: Way::within(FileKind::Qwd), from: QUAKEWORLD, to: &[28], losses: &[MESSAGES] },
    Known {
        way: Way::new(FileKind::Qwd, FileKind::Mvd),
        from: QUAKEWORLD,
        to: &[28],
        losses: &[
            &[Loss::Place, Loss::FarPlace, Loss::Alpha, Loss::Movement, Loss::Time, Loss::View, Loss::Connection],
            MESSAGES,
        ],
    },
    Known {
        way: Way::new(FileKind::Mvd, FileKind::Qwd),
        from: &[28],
        to: &[28],
        losses: &[&[Loss::Others, Loss::Hidden], MESSAGES],
    },
    Known {
        way: Way::new(FileKind::Dem, FileKind::Qwd),
        from: QUAKE,
        to: &[28],
        losses: &[NEWER_QUAKE, &[Loss::View, Loss::Entity], MESSAGES],
    },
    Known {
        way: Way::new(FileKind::Qwd, FileKind::Dem),
        from: QUAKEWORLD,
        to: &[15],
        losses: &[
            &[
                Loss::Place,
                Loss::FarPlace,
                Loss::Angle,
                Loss::Model,
                Loss::Sound,
                Loss::Name,
                Loss::Alpha,
                Loss::Stat,
                Loss::Movement,
                Loss::View,
                Loss::Entity,
                Loss::Board,
                Loss::Connection,
            ],
            MESSAGES,
        ],
    },
    Known {
        way: Way::within(FileKind::Dm3),
        from: &[66, 67, 68, 70, 71],
        to: &[66, 67, 68, 70, 71],
        losses: &[&[Loss::Voice]],
    },
    Known {
        way: Way::within(FileKind::Dm3),
        from: &[43, 45, 46, 47, 48],
        to: &[66, 67, 68, 70, 71],
        losses: &[&[Loss::Effect], MESSAGES],
    },
    Known { way: Way::within(FileKind::Dm3), from: &[73, 90], to: &[91], losses: &[&[Loss::Effect], MESSAGES] },
];
