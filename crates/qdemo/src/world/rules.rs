//! The rules that a game is played by, as far as the server tells them.

use schemars::JsonSchema;
use serde::Serialize;

/// How a level is played, as its server tells it. What it does not tell is `None`; limits of 0 are none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Rules {
    /// The game module: `cpma`, `baseq3`, `ktx` ... as it names itself.
    #[serde(rename = "mod", skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mod_version: Option<String>,
    /// The kind of game in words: `duel`, `team deathmatch` ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game_type: Option<String>,
    /// The physics and weapons: `vq3`, `cpm`, `classic`, `turbo` ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gameplay: Option<String>,
    /// Minutes that a match lasts, or a round of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<i64>,
    /// The frags of a player that end a match; in team deathmatch those of a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frag_limit: Option<i64>,
    /// The score that ends a match, where that is another thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_limit: Option<i64>,
    /// Captures that end a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_limit: Option<i64>,
    /// Rounds won that end a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_limit: Option<i64>,
    /// The lead that ends a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mercy_limit: Option<i64>,
    /// When the level, or the match, began: seconds since 1970.
    #[serde(rename = "started_at", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// When it began on the clock of the server, in ms: also where that was before the recording.
    #[serde(rename = "started_ms", skip_serializing_if = "Option::is_none")]
    pub started: Option<i64>,
}

impl Rules {
    /// The rules of a match change while it goes on: when it began does not.
    pub(crate) fn change(&mut self, to: Rules) {
        let (started_at, started) = (self.started_at, self.started);
        *self = Rules { started_at, started, ..to };
    }
}
