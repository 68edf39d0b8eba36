//! Tables of the world, frame by frame.

use std::borrow::Cow;
use std::io::Read;

use super::{Cell, ENTITIES, FRAMES, POSITIONS, Rows, Table, maybe};
use crate::Error;
use crate::error::{Kind, Moment, Result};
use crate::faults::Faults;
use crate::limits::Limits;
use crate::stream::Pieces;
use crate::wire::clean;
use crate::world::{Clock, DemoTime, Scene, World};

/// How often a table takes rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Every(Option<DemoTime>);

impl Every {
    /// At every frame of the server.
    pub const FRAME: Every = Every(None);

    /// Once in so many milliseconds: at the first frame of each such span.
    pub fn ms(ms: i64) -> Self {
        Every(Some(DemoTime::from_ms(ms.max(1))))
    }
}

/// Writes the rows of [`POSITIONS`], [`ENTITIES`] or [`FRAMES`] for a recording, with memory for one world. Gives what is
/// wrong with the recording.
///
/// # Errors
/// A file that is no recording, another table, and whatever reading and writing give.
pub fn world(
    table: &Table,
    input: impl Read,
    name: &str,
    every: Every,
    limits: Limits,
    rows: &mut impl Rows,
) -> Result<Faults> {
    let write = match table {
        t if *t == POSITIONS => positions,
        t if *t == ENTITIES => entities,
        t if *t == FRAMES => frames,
        _ => return Err(Error::new(Kind::Malformed("this table is not one of the world")).in_file(name)),
    };
    let mut pieces = Pieces::new(input, name, limits)?;
    let mut world = World::of(pieces.detected(), name)?;
    let mut faults = Faults::default();
    let mut next = DemoTime(i64::MIN);
    let (mut cells, mut block) = (Vec::new(), 0);
    while let Some(piece) = pieces.next_piece()? {
        let broken = world.fold(&piece);
        if let Some(broken) = broken {
            faults.at(world.clock().now);
            faults.add(name, broken);
        }
        block += 1;
        let now = world.clock().demo;
        if !world.changes().frame || now < next {
            continue;
        }
        if let Every(Some(span)) = every {
            next = DemoTime((now.0.div_euclid(span.0) + 1).saturating_mul(span.0));
        }
        write(&world, block - 1, &mut cells, rows)?;
    }
    Ok(faults)
}

type Cells<'a> = Vec<Cell<'a>>;

fn time(world: &World, cells: &mut Cells<'_>) {
    cells.clear();
    clock(&world.clock(), cells);
    cells.push(world.level().number.into());
}

/// The columns of every table that tell the time.
pub(super) fn clock(clock: &Clock, cells: &mut Cells<'_>) {
    cells.push(Cell::Text(Cow::Borrowed(clock.kind.name())));
    cells.push(whole(clock.ms()));
    cells.push(match clock.now {
        Some(Moment::Seconds(s)) => Cell::Number(s),
        _ => Cell::None,
    });
    cells.push(Cell::Integer(clock.demo.ms()));
}

pub(super) fn vector(v: Option<[f32; 3]>, cells: &mut Cells<'_>) {
    for axis in 0..3 {
        cells.push(maybe(v, |v| Cell::Number(v[axis])));
    }
}

fn text(bytes: &[u8]) -> Cell<'static> {
    Cell::Text(Cow::Owned(clean(bytes)))
}

pub(super) fn whole(v: Option<impl Into<i64>>) -> Cell<'static> {
    maybe(v, |v| Cell::Integer(v.into()))
}

fn positions(world: &World, _: u64, cells: &mut Cells<'_>, rows: &mut impl Rows) -> Result<()> {
    for player in world.players().filter(|p| p.origin.is_some()) {
        time(world, cells);
        cells.push(Cell::Integer(player.slot as i64));
        cells.push(Cell::Text(Cow::Owned(player.clean_name())));
        cells.push(maybe(player.team.as_deref(), text));
        vector(player.origin, cells);
        vector(player.velocity, cells);
        vector(player.angles, cells);
        cells.push(whole(player.health));
        cells.push(whole(player.armor));
        cells.push(maybe(player.weapon, |weapon| Cell::Text(Cow::Owned(weapon.into_owned()))));
        cells.push(whole(player.ammo));
        cells.push(whole(player.frags));
        cells.push(Cell::Boolean(player.seen_through));
        cells.push(whole(player.frame));
        cells.push(whole(player.effects));
        rows.row(cells)?;
    }
    Ok(())
}

fn entities(world: &World, _: u64, cells: &mut Cells<'_>, rows: &mut impl Rows) -> Result<()> {
    for entity in world.entities() {
        time(world, cells);
        cells.push(entity.number.into());
        cells.push(match &*entity.kind {
            "" => Cell::None,
            kind => Cell::Text(Cow::Owned(kind.to_owned())),
        });
        cells.push(maybe(entity.player, |slot| Cell::Integer(slot as i64)));
        cells.push(text(&entity.model));
        vector(Some(entity.origin), cells);
        vector(Some(entity.angles), cells);
        cells.push(entity.frame.into());
        cells.push(entity.skin.into());
        cells.push(entity.effects.into());
        rows.row(cells)?;
    }
    Ok(())
}

fn frames(world: &World, block: u64, cells: &mut Cells<'_>, rows: &mut impl Rows) -> Result<()> {
    let (changes, view) = (world.changes(), world.view());
    let count = |n: usize| Cell::Integer(n as i64);
    time(world, cells);
    cells.push(text(world.level().map));
    cells.push(Cell::Integer(block as i64));
    cells.push(whole(world.clock().frame));
    cells.push(count(world.players().filter(|p| p.origin.is_some()).count()));
    cells.push(count(world.entities().count()));
    cells.push(count(changes.added.len()));
    cells.push(count(changes.changed.len()));
    cells.push(count(changes.removed.len()));
    cells.push(count(changes.sounds.len()));
    cells.push(Cell::Boolean(world.is_complete()));
    cells.push(Cell::Boolean(world.is_paused()));
    cells.push(maybe(view.and_then(|v| v.slot), |slot| Cell::Integer(slot as i64)));
    vector(view.and_then(|v| v.origin), cells);
    vector(view.map(|v| v.angles), cells);
    rows.row(cells)
}
