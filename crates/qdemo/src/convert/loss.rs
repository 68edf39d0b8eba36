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
        /// Armour and ammunition above 255 are shown as 255.
        Stat = "stat",
        /// Skies are not told.
        Sky = "sky",
        /// Fog is not told.
        Fog = "fog",
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
    /// The protocols of the levels of the input, each once, in order.
    pub from_protocols: Vec<i32>,
    /// The protocol of the output.
    pub to_protocol: i32,
    /// What was lost, in the order in which it came up; empty when the output says all that the input does.
    pub losses: Vec<Lost>,
}

impl Conversion {
    pub(super) fn lose(&mut self, loss: Loss, block: u64, clock: Clock) {
        match self.losses.iter_mut().find(|lost| lost.loss == loss) {
            Some(lost) => lost.count += 1,
            None => self.losses.push(Lost { loss, count: 1, block, clock }),
        }
    }
}

/// A conversion that there is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Known {
    /// The format.
    pub kind: FileKind,
    /// Protocols that it takes.
    pub from: &'static [i32],
    /// Protocols that it makes.
    pub to: &'static [i32],
    /// What it may lose; the account of a conversion says what it did.
    pub losses: &'static [Loss],
}

/// Every conversion that there is.
pub const CONVERSIONS: &[Known] = &[
    Known {
        kind: FileKind::Dem,
        from: &[15, 250, 666, 999, 10000, 10001, 10002],
        to: &[15],
        losses: &[
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
            Loss::Unread,
            Loss::Message,
        ],
    },
    Known {
        kind: FileKind::Dem,
        from: &[15, 250, 666, 999, 10000, 10001, 10002],
        to: &[666, 999],
        losses: &[
            Loss::Place,
            Loss::FarPlace,
            Loss::Angle,
            Loss::Fog,
            Loss::Picture,
            Loss::Effect,
            Loss::Fullbright,
            Loss::Sky,
            Loss::Extension,
            Loss::Unread,
            Loss::Message,
        ],
    },
    Known {
        kind: FileKind::Dm2,
        from: &[26, 27, 28, 29, 30, 31, 32, 33, 34],
        to: &[34],
        losses: &[Loss::Effect, Loss::Unread, Loss::Message],
    },
    Known { kind: FileKind::Dm3, from: &[66, 67, 68, 70, 71], to: &[66, 67, 68, 70, 71], losses: &[Loss::Voice] },
];

/// True for a conversion that there is, from any protocol where none is named.
pub(super) fn is_known(kind: FileKind, from: Option<i32>, to: i32) -> bool {
    let takes = |known: &Known| from.is_none_or(|from| known.from.contains(&from));
    CONVERSIONS.iter().any(|known| known.kind == kind && known.to.contains(&to) && takes(known))
}
