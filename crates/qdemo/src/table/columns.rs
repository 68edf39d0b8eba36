//! The columns of every table: name, type, unit, meaning, and the value, each typed once.

use super::row::{About, Row, text};
use super::{Cell, Column, ITEM_STATS, Of, STATS, Table, Type, WEAPON_STATS};
use crate::error::Moment;
use crate::event::{Kind, Sure, What, Who};
use crate::world::Scene;

pub(super) const fn column(
    name: &'static str,
    ty: Type,
    unit: &'static str,
    doc: &'static str,
    cell: fn(&Row<'_>) -> Cell<'static>,
) -> Column {
    Column { name, ty, unit, doc, cell }
}

pub(super) const CLOCK: Column = column(
    "clock",
    Type::Text,
    "",
    "Whose clock the next two are: `server`, `recorder` (the client that recorded), or `recording` (since it began).",
    |row| text(row.clock.kind.name()),
);
const TIME_MS: Column = column(
    "time_ms",
    Type::Integer,
    "ms",
    "What that clock shows. Exact where the game counts milliseconds, else rounded.",
    |row| row.clock.ms().into(),
);
const TIME: Column =
    column("time", Type::Number, "s", "The same as recorded, where the game has seconds: Quake and `.qwd`.", |row| {
        match row.clock.now {
            Some(Moment::Seconds(s)) => Cell::Number(s),
            _ => Cell::None,
        }
    });
const DEMO_MS: Column =
    column("demo_ms", Type::Integer, "ms", "Time since the recording began.", |row| row.clock.demo.ms().into());
pub(super) const LEVEL: Column =
    column("level", Type::Integer, "", "Number of the level within the recording, from 0.", |row| row.level.into());
pub(super) const SLOT: Column =
    column("slot", Type::Integer, "", "Slot of the player, from 0.", |row| row.slot().into());
pub(super) const NAME: Column =
    column("name", Type::Text, "", "Name of the player in plain characters.", |row| row.name().into());
pub(super) const TEAM: Column = column("team", Type::Text, "", "Team, as the game names it.", |row| row.team().into());
const MODEL_FRAME: Column = column("model_frame", Type::Integer, "", "Frame of the model.", |row| match &row.about {
    About::Player(player) => player.frame.into(),
    About::Entity(entity) => entity.frame.into(),
    _ => Cell::None,
});
const EFFECTS: Column = column("effects", Type::Integer, "", "Effects, as bits of the game.", |row| match &row.about {
    About::Player(player) => player.effects.into(),
    About::Entity(entity) => entity.effects.into(),
    _ => Cell::None,
});

/// Three columns for the axes of a vector.
macro_rules! axes {
    ($($axis:ident $n:literal = $name:literal, $unit:literal, $doc:literal, $vector:ident;)*) => {
        $(const $axis: Column = column($name, Type::Number, $unit, $doc, |row| {
            row.$vector().map_or(Cell::None, |v| Cell::Number(v[$n]))
        });)*
    };
}

axes! {
    X 0 = "x", "units", "Place, x.", origin;
    Y 1 = "y", "units", "Place, y.", origin;
    Z 2 = "z", "units", "Place, z.", origin;
    VX 0 = "vx", "units/s", "Velocity, x, where the format tells it.", velocity;
    VY 1 = "vy", "units/s", "Velocity, y.", velocity;
    VZ 2 = "vz", "units/s", "Velocity, z.", velocity;
    PITCH 0 = "pitch", "degrees", "Pitch.", angles;
    YAW 1 = "yaw", "degrees", "Yaw.", angles;
    ROLL 2 = "roll", "degrees", "Roll.", angles;
    VIEW_X 0 = "view_x", "units", "The eyes, x.", view_origin;
    VIEW_Y 1 = "view_y", "units", "The eyes, y.", view_origin;
    VIEW_Z 2 = "view_z", "units", "The eyes, z.", view_origin;
    VIEW_PITCH 0 = "view_pitch", "degrees", "Pitch of the view.", view_angles;
    VIEW_YAW 1 = "view_yaw", "degrees", "Yaw of the view.", view_angles;
    VIEW_ROLL 2 = "view_roll", "degrees", "Roll of the view.", view_angles;
    ATTACKER_X 0 = "attacker_x", "units", "Where the attacker was, where that is known.", attacker_origin;
    ATTACKER_Y 1 = "attacker_y", "units", "Likewise, y.", attacker_origin;
    ATTACKER_Z 2 = "attacker_z", "units", "Likewise, z.", attacker_origin;
    VICTIM_X 0 = "victim_x", "units", "Where the victim was, where that is known.", victim_origin;
    VICTIM_Y 1 = "victim_y", "units", "Likewise, y.", victim_origin;
    VICTIM_Z 2 = "victim_z", "units", "Likewise, z.", victim_origin;
}

/// The columns of a table whose rows are about a moment: in front of them the time.
macro_rules! timed {
    ($($column:expr),* $(,)?) => {
        &[CLOCK, TIME_MS, TIME, DEMO_MS, $($column),*]
    };
}

/// Players, frame by frame.
pub static POSITIONS: Table = Table {
    name: "positions",
    doc: "A player in view at one frame of the server: where, with what.",
    of: Of::Players,
    columns: timed![
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
        column(
            "on_ground",
            Type::Boolean,
            "",
            "True while the player stands on something, where that is told.",
            |row| row.player(|p| p.on_ground.into()),
        ),
        column("health", Type::Integer, "", "Health, where the recording tells it of this player.", |row| {
            row.player(|p| p.health.into())
        }),
        column("armor", Type::Integer, "", "Armour, likewise.", |row| row.player(|p| p.armor.into())),
        column("weapon", Type::Text, "", "Weapon in hand.", |row| row.player(|p| p.weapon.as_deref().into())),
        column("ammo", Type::Integer, "", "Ammunition of that weapon.", |row| row.player(|p| p.ammo.into())),
        column("frags", Type::Integer, "", "Score, as the game counts it.", |row| row.player(|p| p.frags.into())),
        column(
            "seen_through",
            Type::Boolean,
            "",
            "True for the player through whose eyes the recorder looks.",
            |row| row.player(|p| Cell::Boolean(p.seen_through)),
        ),
        MODEL_FRAME,
        EFFECTS,
    ],
};

/// Entities, frame by frame.
pub static ENTITIES: Table = Table {
    name: "entities",
    doc: "An entity in view at one frame of the server, players included.",
    of: Of::Entities,
    columns: timed![
        LEVEL,
        column("entity", Type::Integer, "", "Number of the entity.", |row| row.entity(|e| e.number.into())),
        column("kind", Type::Text, "", "What it is, where the game tells: `player`, `item`, `missile` ...", |row| {
            row.entity(|e| Some(&*e.kind).filter(|kind| !kind.is_empty()).into())
        }),
        SLOT,
        column("model", Type::Text, "", "Its model; of a Quake III item its name.", |row| {
            row.entity(|e| text(&crate::wire::clean(&e.model)))
        }),
        X,
        Y,
        Z,
        PITCH,
        YAW,
        ROLL,
        MODEL_FRAME,
        column("skin", Type::Integer, "", "Skin of the model.", |row| row.entity(|e| e.skin.into())),
        EFFECTS,
    ],
};

/// Frames of the server.
pub static FRAMES: Table = Table {
    name: "frames",
    doc: "A frame of the server.",
    of: Of::Frames,
    columns: timed![
        LEVEL,
        column("map", Type::Text, "", "Name of the map.", |row| {
            row.world(|w| text(&crate::wire::clean(w.level().map)))
        }),
        column(
            "block",
            Type::Integer,
            "",
            "Number of the block that completed the frame, from 0; its records in `.mvd`.",
            |row| (row.block as i64).into(),
        ),
        column("frame", Type::Integer, "", "Number of the server's frame, where the format has one.", |row| {
            row.clock.frame.into()
        }),
        column("players", Type::Integer, "", "Players in view.", |row| {
            row.world(|w| w.players().filter(|p| p.origin.is_some()).count().into())
        }),
        column("entities", Type::Integer, "", "Entities in view, players included where they are entities.", |row| {
            row.world(|w| w.entities().count().into())
        }),
        column("added", Type::Integer, "", "Entities that came into view.", |row| {
            row.world(|w| w.changes().added.len().into())
        }),
        column("changed", Type::Integer, "", "Entities that changed.", |row| {
            row.world(|w| w.changes().changed.len().into())
        }),
        column("removed", Type::Integer, "", "Entities that went out of view.", |row| {
            row.world(|w| w.changes().removed.len().into())
        }),
        column("sounds", Type::Integer, "", "Sounds that began.", |row| row.world(|w| w.changes().sounds.len().into())),
        column("complete", Type::Boolean, "", "False when what the frame builds on was not recorded.", |row| {
            row.world(|w| Cell::Boolean(w.is_complete()))
        }),
        column("paused", Type::Boolean, "", "True while the game is paused, where the format tells.", |row| {
            row.world(|w| Cell::Boolean(w.is_paused()))
        }),
        column("view_slot", Type::Integer, "", "Slot of the player through whose eyes the recorder looks.", |row| {
            row.world(|w| w.view().and_then(|view| view.slot).into())
        }),
        VIEW_X,
        VIEW_Y,
        VIEW_Z,
        VIEW_PITCH,
        VIEW_YAW,
        VIEW_ROLL,
    ],
};

const BLOCK: Column =
    column("block", Type::Integer, "", "Number of the block that tells it, from 0; in `.mvd` of the record.", |row| {
        (row.block as i64).into()
    });
const INFERRED: Column = column(
    "inferred",
    Type::Text,
    "",
    "How it is known, where the recording does not say so itself but it follows from what it says.",
    |row| {
        row.event(|event| match event.sure {
            Sure::Told => Cell::None,
            Sure::Inferred(how) => text(how),
        })
    },
);

fn slot(who: Option<&Who>) -> Cell<'static> {
    who.and_then(|who| who.slot).into()
}

fn name(who: Option<&Who>) -> Cell<'static> {
    who.map(|who| who.name.as_str()).into()
}

fn team(who: Option<&Who>) -> Cell<'static> {
    who.and_then(|who| who.team.as_deref()).into()
}

/// Deaths.
pub static FRAGS: Table = Table {
    name: "frags",
    doc: "A death.",
    of: Of::Events(&[Kind::Frag]),
    columns: timed![
        BLOCK,
        column("attacker_slot", Type::Integer, "", "Slot of the player who did it; missing for the world.", |row| {
            row.frag(|f| slot(f.attacker.as_ref()))
        }),
        column("attacker", Type::Text, "", "Name of that player.", |row| row.frag(|f| name(f.attacker.as_ref()))),
        column("attacker_team", Type::Text, "", "Team of that player.", |row| row.frag(|f| team(f.attacker.as_ref()))),
        column("victim_slot", Type::Integer, "", "Slot of the player who died.", |row| {
            row.frag(|f| slot(Some(&f.victim)))
        }),
        column("victim", Type::Text, "", "Name of that player.", |row| row.frag(|f| name(Some(&f.victim)))),
        column("victim_team", Type::Text, "", "Team of that player.", |row| row.frag(|f| team(Some(&f.victim)))),
        column("weapon", Type::Text, "", "The weapon, by the game's name; missing where there was none.", |row| {
            row.frag(|f| Some(&*f.weapon).filter(|weapon| !weapon.is_empty()).into())
        }),
        column("means", Type::Text, "", "The cause of death in the game's own terms.", |row| {
            row.frag(|f| text(&f.means))
        }),
        column("frag_kind", Type::Text, "", "`kill`, `team_kill`, `suicide`, or `world`: lava, falls, traps.", |row| {
            row.frag(|f| text(f.kind.name()))
        }),
        ATTACKER_X,
        ATTACKER_Y,
        ATTACKER_Z,
        VICTIM_X,
        VICTIM_Y,
        VICTIM_Z,
        INFERRED,
    ],
};

/// Chat.
pub static CHAT: Table = Table {
    name: "chat",
    doc: "A line of chat.",
    of: Of::Events(&[Kind::Chat]),
    columns: timed![
        BLOCK,
        SLOT,
        column("speaker", Type::Text, "", "Name of the player who speaks; missing where it cannot be told.", |row| {
            row.name().into()
        }),
        TEAM,
        column("team_chat", Type::Boolean, "", "True when only the own team can read it.", |row| {
            row.chat(|c| Cell::Boolean(c.team))
        }),
        column("private", Type::Boolean, "", "True when only one player can read it.", |row| {
            row.chat(|c| Cell::Boolean(c.private))
        }),
        column("location", Type::Text, "", "The place where the speaker is, where the line names it.", |row| {
            row.chat(|c| c.location.as_deref().into())
        }),
        column("text", Type::Text, "", "The text in plain characters.", |row| row.chat(|c| line(&c.text))),
    ],
};

/// Text without the end of its line.
fn line(all: &str) -> Cell<'static> {
    text(all.trim_end_matches('\n'))
}

/// The score before and now, of a player.
fn score(row: &Row<'_>, now: bool) -> Cell<'static> {
    row.event(|event| match event.what {
        What::Score { from, to, .. } => if now { to } else { from }.into(),
        _ => Cell::None,
    })
}

/// The score of a side.
fn side(row: &Row<'_>, n: usize) -> Cell<'static> {
    row.event(|event| match event.what {
        What::Scores(sides) => sides.get(n).copied().into(),
        _ => Cell::None,
    })
}

/// Scores.
pub static SCORES: Table = Table {
    name: "scores",
    doc: "A change of a player's score, or of the scores of both sides.",
    of: Of::Events(&[Kind::Score, Kind::Scores]),
    columns: timed![
        BLOCK,
        SLOT,
        NAME,
        TEAM,
        column("from", Type::Integer, "", "The player's score before.", |row| score(row, false)),
        column("to", Type::Integer, "", "The player's score now.", |row| score(row, true)),
        column("first", Type::Integer, "", "Score of the red team, or of the first player.", |row| side(row, 0)),
        column("second", Type::Integer, "", "Score of the blue team, or of the second player.", |row| side(row, 1)),
    ],
};

/// Runs against the clock.
pub static RUNS: Table = Table {
    name: "runs",
    doc: "A finished level of a speedrun, or a run of DeFRaG.",
    of: Of::Events(&[Kind::Run]),
    columns: timed![
        BLOCK,
        SLOT,
        NAME,
        column("map", Type::Text, "", "Name of the map.", |row| row.run(|run| text(&run.map))),
        column("run_time", Type::Text, "s", "The time of the run, with all digits that mean something.", |row| {
            row.run(|run| text(&format!("{:.*}", usize::from(run.precision), run.time)))
        }),
        column("from", Type::Text, "", "Where that number comes from.", |row| row.run(|run| text(run.from))),
        column("kills", Type::Integer, "", "Monsters killed.", |row| row.run(|run| run.totals.map(|t| t[0]).into())),
        column("monsters", Type::Integer, "", "Monsters that there are.", |row| {
            row.run(|run| run.totals.map(|t| t[1]).into())
        }),
        column("secrets_found", Type::Integer, "", "Secrets found.", |row| {
            row.run(|run| run.totals.map(|t| t[2]).into())
        }),
        column("secrets", Type::Integer, "", "Secrets that there are.", |row| {
            row.run(|run| run.totals.map(|t| t[3]).into())
        }),
        column("mode", Type::Text, "", "Physics, where they are told: `vq3` or `cpm`.", |row| {
            row.run(|run| run.mode.as_deref().into())
        }),
        INFERRED,
    ],
};

/// What is worth seeing again.
pub static HIGHLIGHTS: Table = Table {
    name: "highlights",
    doc: "Something worth seeing again, with the numbers that justify it.",
    of: Of::Highlights,
    columns: timed![
        BLOCK,
        column(
            "highlight",
            Type::Text,
            "",
            "`multikill`: several kills, each soon after the one before. `streak`: many kills without dying. `one_shot`: \
             several kills at one moment with one weapon that shoots once. `midair`: a rocket or a grenade hits somebody in \
             the air. `flick`: a kill with a weapon that hits at once, right after the view turned far.",
            |row| row.highlight(|it| text(it.kind.name())),
        ),
        column("lasted_ms", Type::Integer, "ms", "From the first kill to the last.", |row| {
            row.highlight(|it| it.lasted.ms().into())
        }),
        SLOT,
        NAME,
        TEAM,
        column("count", Type::Integer, "", "Kills, or hits.", |row| row.highlight(|it| it.count.into())),
        column("weapon", Type::Text, "", "The weapon; missing where it was more than one, or none.", |row| {
            row.highlight(|it| Some(&*it.weapon).filter(|weapon| !weapon.is_empty()).into())
        }),
        column("victims", Type::Text, "", "Names of those who were hit, with commas; at most 64.", |row| {
            row.highlight(|it| {
                let names: Vec<_> = it.victims.iter().map(|who| who.name.as_str()).collect();
                text(&names.join(", "))
            })
        }),
        column("killed", Type::Boolean, "", "False for a hit that the victim survived.", |row| {
            row.highlight(|it| it.killed.into())
        }),
        column("turned", Type::Number, "degrees", "By how much the view turned.", |row| {
            row.highlight(|it| it.proof.turned.map(|(degrees, _)| degrees).into())
        }),
        column("turned_ms", Type::Integer, "ms", "In which time.", |row| {
            row.highlight(|it| it.proof.turned.map(|(_, time)| time.ms()).into())
        }),
        column("airborne_ms", Type::Integer, "ms", "So long the victim was in the air when it was hit.", |row| {
            row.highlight(|it| it.proof.airborne.map(|time| time.ms()).into())
        }),
        column("height", Type::Number, "units", "How much higher it was than where that began.", |row| {
            row.highlight(|it| it.proof.height.into())
        }),
        column("distance", Type::Number, "units", "Between the two players.", |row| {
            row.highlight(|it| it.proof.distance.into())
        }),
        column("inferred", Type::Text, "", "How it is known, where the recording does not say so itself.", |row| {
            row.highlight(|it| it.proof.inferred.into())
        }),
    ],
};

/// Everything that happened.
pub static EVENTS: Table = Table {
    name: "events",
    doc: "Something that happened.",
    of: Of::Events(Kind::ALL),
    columns: timed![
        BLOCK,
        column("offset", Type::Integer, "", "Offset in the file of the messages of that block.", |row| {
            row.event(|event| (event.offset as i64).into())
        }),
        column("kind", Type::Text, "", "The kind of event.", |row| row.event(|event| text(event.what.kind().name()))),
        SLOT,
        column("player", Type::Text, "", "Name of the player whom it is about; of a frag the attacker.", |row| {
            row.name().into()
        }),
        TEAM,
        column("other_slot", Type::Integer, "", "Slot of the other player: of a frag the victim.", |row| {
            row.event(|event| slot(event.what.players()[1]))
        }),
        column("other", Type::Text, "", "Name of that player.", |row| row.event(|event| name(event.what.players()[1]))),
        column("item", Type::Text, "", "What is taken, dropped, or appears again.", |row| {
            row.event(|event| match &event.what {
                What::Pickup { item, .. } | What::Drop { item, .. } | What::Respawn { item, .. } => text(item),
                _ => Cell::None,
            })
        }),
        column("what", Type::Text, "", "What happened, in words.", |row| {
            row.event(|event| line(&event.what.to_string()))
        }),
        column("source", Type::Text, "", "The message that tells it.", |row| row.event(|event| text(event.source))),
        INFERRED,
    ],
};

/// Every table.
pub static TABLES: [&Table; 12] = [
    &POSITIONS,
    &ENTITIES,
    &FRAMES,
    &FRAGS,
    &CHAT,
    &SCORES,
    &RUNS,
    &HIGHLIGHTS,
    &EVENTS,
    &STATS,
    &WEAPON_STATS,
    &ITEM_STATS,
];
