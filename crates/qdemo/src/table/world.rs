//! Tables of the world, frame by frame.

use std::io::Read;

use super::columns::table;
use super::range::{AMMO, ANGLE, ARMOR, BITS, COUNT, HEALTH, NUMBERS, SCORE, SLOTS, SPEED, WORLD};
use super::row::{Counts, Frame, Row, RowOf};
use super::{Options, Rows, Subject, Table};
use crate::Error;
use crate::demo::Faults;
use crate::error::{ErrorKind, Result};
use crate::limits::Limits;
use crate::replay::Step;
use crate::wire::clean;
use crate::world::{Charset, Player, Scene};

table! {
    /// Players, frame by frame.
    POSITIONS = "positions", "A player in view at one frame of the server: where, with what.", Subject::Players;
    [CLOCK TIME_MS TIME DEMO_MS LEVEL SLOT NAME NAME_RAW TEAM X Y Z]
    row of any {
        vx: Number in "units/s" within SPEED, "Velocity, x, where the format tells it." = row.velocity()?[0];
        vy: Number in "units/s" within SPEED, "Velocity, y." = row.velocity()?[1];
        vz: Number in "units/s" within SPEED, "Velocity, z." = row.velocity()?[2];
    }
    [PITCH YAW ROLL]
    player of player {
        on_ground: Boolean, "True while the player stands on something, where that is told." = player.on_ground;
        health: Integer within HEALTH, "Health, where the recording tells it of this player." = player.health;
        armor: Integer within ARMOR, "Armour, likewise." = player.armor;
        weapon: Word, "Weapon in hand." = player.weapon.as_deref();
        ammo: Integer within AMMO, "Ammunition of that weapon; -1 where it does not run out (Quake III)." = player.ammo;
        frags: Integer within SCORE, "Score, as the game counts it." = player.frags;
        seen_through: Boolean, "True for the player through whose eyes the recorder looks." = player.seen_through;
    }
    [MODEL_FRAME EFFECTS]
}

table! {
    /// Entities, frame by frame.
    ENTITIES = "entities", "An entity in view at one frame of the server, players included.", Subject::Entities;
    [CLOCK TIME_MS TIME DEMO_MS LEVEL]
    entity of entity {
        entity: Integer within NUMBERS, "Number of the entity." = entity.number;
        kind: Word, "What it is, where the game tells: `player`, `item`, `missile` ..." =
            Some(&*entity.kind).filter(|kind| !kind.is_empty());
    }
    [SLOT]
    entity of entity {
        model: Word, "Its model; of a Quake III item its name." = Charset::Quake.cleaned(&entity.model);
    }
    [X Y Z PITCH YAW ROLL MODEL_FRAME]
    entity of entity {
        skin: Integer within BITS, "Skin of the model." = entity.skin;
    }
    [EFFECTS]
}

table! {
    /// Frames of the server.
    FRAMES = "frames", "A frame of the server.", Subject::Frames;
    [CLOCK TIME_MS TIME DEMO_MS LEVEL]
    frame of frame {
        map: Word, "Name of the map." = clean(frame.world.level().map);
    }
    row of any {
        block: Integer within COUNT, "Number of the block that completed the frame, from 0; its records in `.mvd`." = row.block;
        frame: Integer within COUNT, "Number of the server's frame, where the format has one." = row.clock.frame;
    }
    frame of frame {
        players: Integer within COUNT, "Players in view." = frame.world.players().filter(|player| player.origin.is_some()).count();
        entities: Integer within COUNT, "Entities in view, players included where they are entities." = frame.world.entities().count();
        added: Integer within COUNT, "Entities that came into view." = frame.counts.added;
        changed: Integer within COUNT, "Entities that changed." = frame.counts.changed;
        removed: Integer within COUNT, "Entities that went out of view." = frame.counts.removed;
        sounds: Integer within COUNT, "Sounds that began." = frame.counts.sounds;
        complete: Boolean, "False when what the frame builds on was not recorded." = frame.world.is_complete();
        paused: Boolean, "True while the game is paused, where the format tells." = frame.world.is_paused();
    }
    view of view {
        view_slot: Integer within SLOTS, "Slot of the player through whose eyes the recorder looks." = view.slot;
        view_x: Number in "units" within WORLD, "The eyes, x." = view.origin?[0];
        view_y: Number in "units" within WORLD, "The eyes, y." = view.origin?[1];
        view_z: Number in "units" within WORLD, "The eyes, z." = view.origin?[2];
        view_pitch: Number in "degrees" within ANGLE, "Pitch of the view." = view.angles[0];
        view_yaw: Number in "degrees" within ANGLE, "Yaw of the view." = view.angles[1];
        view_roll: Number in "degrees" within ANGLE, "Roll of the view." = view.angles[2];
    }
}

/// How often a table takes rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interval(Option<i64>);

impl Interval {
    /// At every frame of the server.
    pub const FRAME: Interval = Interval(None);

    /// Once in so many milliseconds: at the first frame of each such span.
    pub fn ms(ms: i64) -> Self {
        Interval(Some(ms.max(1)))
    }
}

/// Writes the rows of a table of the world for a recording, with memory for one world: of [`POSITIONS`](super::POSITIONS),
/// [`ENTITIES`](super::ENTITIES) and [`FRAMES`](super::FRAMES) frame by frame, of [`INPUTS`](super::INPUTS),
/// [`SHOTS`](super::SHOTS), [`SOUNDS`](super::SOUNDS), [`MESSAGES`](super::MESSAGES), [`PRINTS`](super::PRINTS) and
/// [`TEXTS`](super::TEXTS) whatever a block tells: of these all. Gives what is wrong with the recording.
///
/// # Errors
/// A file that is no recording, another table, an interval where there are no frames, and whatever reading and writing
/// give.
pub fn world(
    table: &Table,
    input: impl Read,
    name: &str,
    every: Interval,
    limits: Limits,
    rows: &mut impl Rows,
) -> Result<Faults> {
    let wrong = |what| Err(Error::new(ErrorKind::Malformed(what)).in_file(name));
    if !table.is_of_world() {
        return wrong("this table is not one of the world");
    }
    if every != Interval::FRAME && !table.has_frames() {
        return wrong("this table has no frames that an interval could leave out");
    }
    let options = Options { every, ..Options::default() };
    let read = super::read(&[table], input, name, &options, limits, &mut |_, row: &Row<'_>| rows.row(row))?;
    Ok(read.into_faults())
}

/// Tells the rows of a table frame by frame.
#[derive(Debug)]
pub(super) struct Frames {
    of: Subject,
    every: Interval,
    /// When the next span begins, in milliseconds.
    next: i64,
    counts: Counts,
    names: Names,
}

/// The names of players in plain characters, by slot: few change from frame to frame.
#[derive(Debug, Default)]
struct Names(Vec<CleanName>);

/// A name as the bytes in the file, and what is made of it.
#[derive(Debug, Default)]
struct CleanName {
    charset: Charset,
    raw: Vec<u8>,
    clean: String,
}

impl Names {
    /// Slots beyond share a place.
    const SLOTS: usize = 256;

    fn of(&mut self, player: &Player<'_>) -> &str {
        let at = player.slot % Self::SLOTS;
        if self.0.len() <= at {
            self.0.resize_with(at + 1, CleanName::default);
        }
        let Some(name) = self.0.get_mut(at) else { return "" };
        if name.charset != player.charset || *name.raw != *player.name {
            player.name.as_ref().clone_into(&mut name.raw);
            (name.charset, name.clean) = (player.charset, player.clean_name());
        }
        &name.clean
    }
}

impl Frames {
    pub(super) fn new(of: Subject, every: Interval) -> Self {
        Frames { of, every, next: i64::MIN, counts: Counts::default(), names: Names::default() }
    }

    pub(super) fn step(&mut self, step: &Step<'_>, rows: &mut impl Rows) -> Result<()> {
        let now = step.clock().demo.ms();
        self.counts.add(step.changes());
        if !step.changes().frame {
            return Ok(());
        }
        let counts = std::mem::take(&mut self.counts);
        if now < self.next {
            return Ok(());
        }
        if let Interval(Some(span)) = self.every {
            self.next = (now.div_euclid(span) + 1).saturating_mul(span);
        }
        self.frame(Frame { world: step.world, counts }, step.block, rows)
    }

    /// The rows of one frame.
    fn frame(&mut self, frame: Frame<'_>, block: u64, rows: &mut impl Rows) -> Result<()> {
        let world = frame.world;
        let (clock, level) = (world.clock(), world.level().number);
        let mut write = |about: RowOf<'_>| rows.row(&Row { clock, block, level, about });
        match self.of {
            Subject::Players => {
                let mut in_view = frame.world.players().filter(|player| player.origin.is_some());
                in_view.try_for_each(|player| write(RowOf::Player(&player, self.names.of(&player))))
            }
            Subject::Entities => world.entities().map(RowOf::Entity).try_for_each(write),
            Subject::Frames => write(RowOf::Frame(frame)),
            _ => Ok(()),
        }
    }
}
