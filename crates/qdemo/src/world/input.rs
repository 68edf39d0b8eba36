//! What players ask for: commands of their clients, as far as recordings tell of them.

use crate::kinds::kinds;

kinds! {
    /// What tells of an [`Input`].
    #[non_exhaustive]
    pub enum InputSource {
        /// The command of the client that recorded, as it sent it: `.qwd`.
        Command = "command",
        /// What the server tells of a player's last command: `.qwd`.
        PlayerInfo = "playerinfo",
        /// The command as the server got it: `.mvd`, in the hidden messages of some servers.
        Hidden = "hidden_command",
        /// The view as the client had it when a block came: `.dem`.
        Block = "block",
        /// The state of a player after the command, by the server: Quake II and Quake III.
        PlayerState = "player_state",
    }
}

/// A command of a player's client, or what a recording shows of one. What the format does not tell is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Input {
    /// What tells of it.
    pub source: InputSource,
    /// Slot of the player.
    pub slot: Option<usize>,
    /// Time of the command on the server's clock, in ms.
    pub command_ms: Option<i32>,
    /// For so long the command holds, in ms.
    pub msec: Option<u8>,
    /// Pitch, yaw and roll of the view, in degrees.
    pub angles: [f32; 3],
    /// What the server adds to the angles of commands, in degrees: they are part of `angles`.
    pub delta_angles: Option<[f32; 3]>,
    /// Forward, to the right, and up, as the game counts it.
    pub speed: Option<[i32; 3]>,
    /// Direction of the movement keys against the view in eighths of a turn to the left; 0 forward.
    pub direction: Option<u8>,
    /// Buttons, a bit each.
    pub buttons: Option<u8>,
    /// The impulse; 0 none.
    pub impulse: Option<u8>,
    /// Flags of the movement, as bits of the game.
    pub flags: Option<u32>,
    /// True while the player shoots.
    pub attack: Option<bool>,
    /// True while the player jumps, or still holds that key.
    pub jump: Option<bool>,
    /// True while the player is ducked.
    pub duck: Option<bool>,
}

impl Input {
    /// Of a view alone.
    pub(crate) fn of_view(source: InputSource, slot: Option<usize>, angles: [f32; 3]) -> Self {
        Input {
            source,
            slot,
            command_ms: None,
            msec: None,
            angles,
            delta_angles: None,
            speed: None,
            direction: None,
            buttons: None,
            impulse: None,
            flags: None,
            attack: None,
            jump: None,
            duck: None,
        }
    }

    /// With the buttons of QuakeWorld: 1 fires, 2 jumps.
    pub(crate) fn with_buttons(self, buttons: u8) -> Self {
        Input { buttons: Some(buttons), attack: Some(buttons & 1 != 0), jump: Some(buttons & 2 != 0), ..self }
    }
}
