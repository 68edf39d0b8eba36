//! What the camera showed.

use schemars::JsonSchema;
use serde::Serialize;

use super::script::Shot;
use crate::edit::Account;
use crate::world::{Clock, DemoTime};

/// What became of a recording with another camera.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CameraAccount {
    /// What became of the blocks.
    #[serde(flatten)]
    pub account: Account,
    /// The shots of the script, in order.
    pub shots: Vec<ShotAccount>,
    /// Flashes and kicks of the recorder's view that were left out within shots.
    pub flashes_dropped: u64,
    /// Frames of shots in which the recorder's player is shown as an entity that the recording does not have.
    pub recorder_shown: u64,
    /// Frames of shots in which the recorder's player is not to be seen, as what he looks like is not told.
    pub recorder_missing: u64,
}

impl CameraAccount {
    /// Says something once.
    pub(super) fn remark(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.account.notes.contains(&note) {
            self.account.notes.push(note);
        }
    }
}

/// What became of a shot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ShotAccount {
    /// Its number in the script, from 1.
    pub shot: u64,
    /// When it begins, in ms since the beginning of the recording.
    #[serde(rename = "from_demo_ms")]
    pub from: DemoTime,
    /// When it ends, likewise.
    #[serde(rename = "to_demo_ms")]
    pub to: DemoTime,
    /// Frames that the camera shows.
    pub frames: u64,
    /// Frames in which the recording does not show whom the camera is about: then it is held for where it was seen last, and
    /// where it was not seen at all, the view is the recorded one.
    pub unseen: u64,
    /// The first of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_unseen: Option<Unseen>,
}

impl ShotAccount {
    pub(super) fn of(number: u64, shot: &Shot) -> Self {
        ShotAccount { shot: number, from: shot.from, to: shot.to, frames: 0, unseen: 0, first_unseen: None }
    }
}

/// A frame that does not show whom a camera is about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Unseen {
    /// Number of the block, from 0.
    pub block: u64,
    /// The time after it.
    #[serde(flatten)]
    pub at: Clock,
}
