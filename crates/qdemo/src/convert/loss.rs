//! What a conversion loses.

use schemars::JsonSchema;
use serde::Serialize;

use super::mapping::Way;
use crate::edit::Account;
use crate::edit::readable::Readable;
use crate::error::{Error, ErrorKind, Result};
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
        /// How players move is not told, as the target has no room for it or the recording of all players does not tell it:
        /// their keys, the age of that, whether they stand or can be hit, in `.mvd` and of an `.mvd2` their velocity.
        Movement = "movement",
        /// Times longer than a minute in which nothing was recorded are a minute.
        Time = "time",
        /// Where somebody looked who only watched, or between two frames.
        View = "view",
        /// What was told to others alone: their stats, hits and texts.
        Others = "others",
        /// Things that the target has no number left for are not seen.
        Entity = "entity",
        /// Pings, packet loss, when players came, their skins and teams and other settings; of names what is longer than 31
        /// characters.
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

impl Lost {
    /// Refuses a recording of which too little can be read for anything to be left.
    pub(crate) fn check(losses: &[Lost], account: &Account) -> Result<()> {
        let is_unread = losses.iter().any(|lost| lost.loss == Loss::Unread);
        match is_unread && account.blocks_kept + account.blocks_changed == 0 {
            true => Err(Error::new(ErrorKind::Refused(
                "too little of the recording can be read: nothing is left".to_owned(),
            ))),
            false => Ok(()),
        }
    }

    /// Adds one to those of its kind.
    pub(crate) fn count(losses: &mut Vec<Lost>, loss: Loss, block: u64, clock: Clock) {
        match losses.iter_mut().find(|lost| lost.loss == loss) {
            Some(lost) => lost.count += 1,
            None => losses.push(Lost { loss, count: 1, block, clock }),
        }
    }
}

/// What a conversion did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
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
        Lost::count(&mut self.losses, loss, block, clock);
    }

    /// A chunk was read: a block of this number, or none. Whatever cannot be read of it is not in the output, nor are bytes that
    /// are no block.
    pub(super) fn read(&mut self, block: Option<u64>, readable: &Readable, clock: Clock) {
        if readable.is_less() {
            self.lose(Loss::Unread, block.unwrap_or(self.account.blocks_read), clock);
        }
        let blocks = u64::from(block.is_some());
        self.account.blocks_read += blocks;
        if matches!(readable, Readable::Nothing) {
            self.account.blocks_dropped += blocks;
        }
    }
}
