//! The columns of every table.

use super::{Column, Table, Type};

const fn column(name: &'static str, ty: Type, unit: &'static str, doc: &'static str) -> Column {
    Column { name, ty, unit, doc }
}

const CLOCK: Column = column(
    "clock",
    Type::Text,
    "",
    "Whose clock the next two are: `server`, `recorder` (the client that recorded), or `recording` (since it began).",
);
const TIME_MS: Column = column(
    "time_ms",
    Type::Integer,
    "ms",
    "What that clock shows. Exact where the game counts milliseconds, else rounded.",
);
const TIME: Column =
    column("time", Type::Number, "s", "The same as recorded, where the game has seconds: Quake and `.qwd`.");
const DEMO_MS: Column = column("demo_ms", Type::Integer, "ms", "Time since the recording began.");
const LEVEL: Column = column("level", Type::Integer, "", "Number of the level within the recording, from 0.");
const SLOT: Column = column("slot", Type::Integer, "", "Slot of the player, from 0.");
const NAME: Column = column("name", Type::Text, "", "Name of the player in plain characters.");
const TEAM: Column = column("team", Type::Text, "", "Team, as the game names it.");
const X: Column = column("x", Type::Number, "units", "Place, x.");
const Y: Column = column("y", Type::Number, "units", "Place, y.");
const Z: Column = column("z", Type::Number, "units", "Place, z.");
const VX: Column = column("vx", Type::Number, "units/s", "Velocity, x, where the format tells it.");
const VY: Column = column("vy", Type::Number, "units/s", "Velocity, y.");
const VZ: Column = column("vz", Type::Number, "units/s", "Velocity, z.");
const PITCH: Column = column("pitch", Type::Number, "degrees", "Pitch.");
const YAW: Column = column("yaw", Type::Number, "degrees", "Yaw.");
const ROLL: Column = column("roll", Type::Number, "degrees", "Roll.");
const MODEL_FRAME: Column = column("model_frame", Type::Integer, "", "Frame of the model.");
const EFFECTS: Column = column("effects", Type::Integer, "", "Effects, as bits of the game.");

/// Players, frame by frame.
pub const POSITIONS: Table = Table {
    name: "positions",
    doc: "A player in view at one frame of the server: where, with what.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        LEVEL,
        SLOT,
        NAME,
        TEAM,
        X,
        Y,
        Z,
        VX,
        VY,
        VZ,
        PITCH,
        YAW,
        ROLL,
        column("health", Type::Integer, "", "Health, where the recording tells it of this player."),
        column("armor", Type::Integer, "", "Armour, likewise."),
        column("weapon", Type::Text, "", "Weapon in hand."),
        column("ammo", Type::Integer, "", "Ammunition of that weapon."),
        column("frags", Type::Integer, "", "Score, as the game counts it."),
        column("seen_through", Type::Boolean, "", "True for the player through whose eyes the recorder looks."),
        MODEL_FRAME,
        EFFECTS,
    ],
};

/// Entities, frame by frame.
pub const ENTITIES: Table = Table {
    name: "entities",
    doc: "An entity in view at one frame of the server, players included.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        LEVEL,
        column("entity", Type::Integer, "", "Number of the entity."),
        column("kind", Type::Text, "", "What it is, where the game tells: `player`, `item`, `missile` ..."),
        SLOT,
        column("model", Type::Text, "", "Its model; of a Quake III item its name."),
        X,
        Y,
        Z,
        PITCH,
        YAW,
        ROLL,
        MODEL_FRAME,
        column("skin", Type::Integer, "", "Skin of the model."),
        EFFECTS,
    ],
};

/// Frames of the server.
pub const FRAMES: Table = Table {
    name: "frames",
    doc: "A frame of the server.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        LEVEL,
        column("map", Type::Text, "", "Name of the map."),
        column(
            "block",
            Type::Integer,
            "",
            "Number of the block that completed the frame, from 0; its records in `.mvd`.",
        ),
        column("frame", Type::Integer, "", "Number of the server's frame, where the format has one."),
        column("players", Type::Integer, "", "Players in view."),
        column("entities", Type::Integer, "", "Entities in view, players included where they are entities."),
        column("added", Type::Integer, "", "Entities that came into view."),
        column("changed", Type::Integer, "", "Entities that changed."),
        column("removed", Type::Integer, "", "Entities that went out of view."),
        column("sounds", Type::Integer, "", "Sounds that began."),
        column("complete", Type::Boolean, "", "False when what the frame builds on was not recorded."),
        column("paused", Type::Boolean, "", "True while the game is paused, where the format tells."),
        column("view_slot", Type::Integer, "", "Slot of the player through whose eyes the recorder looks."),
        column("view_x", Type::Number, "units", "The eyes, x."),
        column("view_y", Type::Number, "units", "The eyes, y."),
        column("view_z", Type::Number, "units", "The eyes, z."),
        column("view_pitch", Type::Number, "degrees", "Pitch of the view."),
        column("view_yaw", Type::Number, "degrees", "Yaw of the view."),
        column("view_roll", Type::Number, "degrees", "Roll of the view."),
    ],
};

const BLOCK: Column =
    column("block", Type::Integer, "", "Number of the block that tells it, from 0; in `.mvd` of the record.");
const INFERRED: Column = column(
    "inferred",
    Type::Text,
    "",
    "How it is known, where the recording does not say so itself but it follows from what it says.",
);

/// Deaths.
pub const FRAGS: Table = Table {
    name: "frags",
    doc: "A death.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        BLOCK,
        column("attacker_slot", Type::Integer, "", "Slot of the player who did it; missing for the world."),
        column("attacker", Type::Text, "", "Name of that player."),
        column("attacker_team", Type::Text, "", "Team of that player."),
        column("victim_slot", Type::Integer, "", "Slot of the player who died."),
        column("victim", Type::Text, "", "Name of that player."),
        column("victim_team", Type::Text, "", "Team of that player."),
        column("weapon", Type::Text, "", "The weapon, by the game's name; missing where there was none."),
        column("means", Type::Text, "", "The cause of death in the game's own terms."),
        column("frag_kind", Type::Text, "", "`kill`, `team_kill`, `suicide`, or `world`: lava, falls, traps."),
        column("attacker_x", Type::Number, "units", "Where the attacker was, where that is known."),
        column("attacker_y", Type::Number, "units", "Likewise, y."),
        column("attacker_z", Type::Number, "units", "Likewise, z."),
        column("victim_x", Type::Number, "units", "Where the victim was, where that is known."),
        column("victim_y", Type::Number, "units", "Likewise, y."),
        column("victim_z", Type::Number, "units", "Likewise, z."),
        INFERRED,
    ],
};

/// Chat.
pub const CHAT: Table = Table {
    name: "chat",
    doc: "A line of chat.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        BLOCK,
        SLOT,
        column("speaker", Type::Text, "", "Name of the player who speaks; missing where it cannot be told."),
        TEAM,
        column("team_chat", Type::Boolean, "", "True when only the own team can read it."),
        column("private", Type::Boolean, "", "True when only one player can read it."),
        column("location", Type::Text, "", "The place where the speaker is, where the line names it."),
        column("text", Type::Text, "", "The text in plain characters."),
    ],
};

/// Scores.
pub const SCORES: Table = Table {
    name: "scores",
    doc: "A change of a player's score, or of the scores of both sides.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        BLOCK,
        SLOT,
        NAME,
        TEAM,
        column("from", Type::Integer, "", "The player's score before."),
        column("to", Type::Integer, "", "The player's score now."),
        column("first", Type::Integer, "", "Score of the red team, or of the first player."),
        column("second", Type::Integer, "", "Score of the blue team, or of the second player."),
    ],
};

/// Runs against the clock.
pub const RUNS: Table = Table {
    name: "runs",
    doc: "A finished level of a speedrun, or a run of DeFRaG.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        BLOCK,
        SLOT,
        NAME,
        column("map", Type::Text, "", "Name of the map."),
        column("run_time", Type::Text, "s", "The time of the run, with all digits that mean something."),
        column("from", Type::Text, "", "Where that number comes from."),
        column("kills", Type::Integer, "", "Monsters killed."),
        column("monsters", Type::Integer, "", "Monsters that there are."),
        column("secrets_found", Type::Integer, "", "Secrets found."),
        column("secrets", Type::Integer, "", "Secrets that there are."),
        column("skill", Type::Integer, "", "Skill of the game, 0 to 3."),
        column("mode", Type::Text, "", "Physics, where they are told: `vq3` or `cpm`."),
        INFERRED,
    ],
};

/// Everything that happened.
pub const EVENTS: Table = Table {
    name: "events",
    doc: "Something that happened.",
    columns: &[
        CLOCK,
        TIME_MS,
        TIME,
        DEMO_MS,
        BLOCK,
        column("offset", Type::Integer, "", "Offset in the file of the messages of that block."),
        column("kind", Type::Text, "", "The kind of event."),
        SLOT,
        column("player", Type::Text, "", "Name of the player whom it is about; of a frag the attacker."),
        TEAM,
        column("other_slot", Type::Integer, "", "Slot of the other player: of a frag the victim."),
        column("other", Type::Text, "", "Name of that player."),
        column("what", Type::Text, "", "What happened, in words."),
        column("source", Type::Text, "", "The message that tells it."),
        INFERRED,
    ],
};

/// Every table.
pub const TABLES: &[&Table] = &[&POSITIONS, &ENTITIES, &FRAMES, &FRAGS, &CHAT, &SCORES, &RUNS, &EVENTS];
