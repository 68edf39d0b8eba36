//! Quake III: protocols that share an encoding, and eras of game modules.

use super::{Loss, Mapping, mappings};

mappings! {
    /// Protocols 66 to 71 among each other.
    pub(super) const ENCODING: [
        "configstring.value, serverCommand.value" => "the same", "`protocol` and `com_protocol` of the server's settings";
        "voipSpeex, voipOpus" => "the same", "where the target has voice", loses Voice;
    ];

    /// What both ways between eras have.
    pub(super) const ERA: [
        "gamestate" => "gamestate", "with clientNum, from the first snapshot where the input does not tell it";
        "baseline, snapshot.entities, snapshot.player" => "the same", "told anew in the fields of the target";
        "configstring.index, serverCommand.value" => "the same", "the number that it has in the target", loses Message;
        "configstring.value" => "configstring.value", "`protocol` and `com_protocol` of the server's settings";
        "voipSpeex, voipOpus" => "the same", "where the target has them", loses Message;
    ];

    /// Protocols 43 to 48 to 66 to 71.
    pub(super) const FIRST: [
        "entity.eType, entity.event, player.events[0], player.events[1], player.externalEvent" => "the same",
            "numbers of events of 43 and 45 from 47 on are 1 higher, from 51 on 2", loses Effect;
        "player.persistant" => "player.persistant", "the slots of later game modules";
        "serverCommand.value" => "serverCommand.value", "`scores` with 14 numbers a player in place of 6";
    ];

    /// Protocols 73 and 90 to 91.
    pub(super) const QUAKE_LIVE: [
        "entity.powerups, player.powerups" => "the same", "numbers of the last game module", loses Effect;
        "entity.eFlags, player.eFlags" => "the same", "without 0x4000, which has another meaning";
    ];

    /// What another player saw.
    pub(super) const EYES: [
        "snapshot.player" => "snapshot.player",
            "from the player's entity: place, angles, velocity, weapon, powerups; health and ammunition are unknown",
            loses Stat, View;
        "snapshot.entities" => "snapshot.entities", "with the recorder's body, without the player's";
        "gamestate.clientNum" => "gamestate.clientNum";
    ];
}
