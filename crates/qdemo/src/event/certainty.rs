//! How an event is known.

use serde::Serialize;

use crate::kinds::kinds;

/// How something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Certainty {
    /// The recording says so.
    Stated,
    /// It follows from what the recording says; this is how.
    Inferred(Reason),
}

impl Certainty {
    /// Why it counts as known, where the recording does not say so itself.
    pub fn reason(self) -> Option<Reason> {
        match self {
            Certainty::Stated => None,
            Certainty::Inferred(reason) => Some(reason),
        }
    }

    pub(super) fn is_stated(&self) -> bool {
        *self == Certainty::Stated
    }
}

impl From<Option<Reason>> for Certainty {
    fn from(reason: Option<Reason>) -> Self {
        reason.map_or(Certainty::Stated, Certainty::Inferred)
    }
}

kinds! {
    /// What leads to an event that the recording does not state. The name is a clause for people.
    #[non_exhaustive]
    pub enum Reason {
        /// The times of several levels were added.
        SumOfLevels = "the sum of the levels",
        /// An inventory shows something that was not in it.
        InInventory = "the player has it now",
        /// A player makes the sound of a pickup where such a thing is.
        HeardThere = "the player makes its sound where it is",
        /// The state of a player of Quake III names the attacker of the damage before.
        LastAttacker = "the attacker is the one whom the state named last",
        /// A text of a mod of Quake III.
        ServerText = "a text of the server says so",
        /// A print, in games that have no messages about events.
        ServerPrint = "the server prints so",
        /// The configstrings of the warm-up of Quake III went.
        WarmUp = "from the configstrings about the warm-up",
        /// The configstrings of Quake III, or its intermission, end a match.
        MatchOver = "from the configstrings, or the intermission",
        /// The level of Quake III begins anew within a match that nothing has ended.
        BegunAnew = "the level begins anew",
        /// A recording begins within a match.
        Underway = "it goes on when the recording begins",
        /// A player appears with a flag, or has a powerup when one is taken.
        SeenWithIt = "the player is seen with it",
        /// A player appears without the flag that was carried.
        SeenWithoutFlag = "the player is seen without it",
        /// The same, and the score of a capture.
        CaptureScore = "the player is seen without it, and the score went up as much as for a capture",
        /// The player carried the flag before.
        CarriedFlag = "the player had it",
        /// A level ends the match of the level before.
        NextLevel = "another level begins",
        /// The settings of a QuakeWorld server count down the time of a match.
        SettingsTime = "the settings tell its time",
        /// The settings of a QuakeWorld server say that no match is played.
        Standby = "the server waits for players",
        /// The intermission ends a match.
        Intermission = "the scores are shown",
        /// A text names the attacker of a team mate alone.
        MateWhoDied = "the victim is the team mate who died at that time",
        /// A text names the victim of a team mate alone.
        MateWhoHit = "the attacker is the team mate who did the damage, or whose score went down",
        /// A text names no means, and a message about damage does.
        DeadlyHit = "what killed is what did the damage of that moment",
        /// A text names the weapon of a kill.
        HitOrBlast = "the text does not tell a direct hit from a blast",
        /// A body moves as nobody does on the ground.
        Trajectory = "the way of the victim is that of something thrown",
    }
}
