//! Tables of the world, frame by frame.

use std::io::Read;

use super::row::{About, Row};
use super::{Cell, Of, Rows, Table};
use crate::Error;
use crate::error::{Kind, Result};
use crate::faults::Faults;
use crate::limits::Limits;
use crate::stream::Reader;
use crate::world::{DemoTime, Scene, World};

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

/// Writes the rows of [`POSITIONS`](super::POSITIONS), [`ENTITIES`](super::ENTITIES) or [`FRAMES`](super::FRAMES) for a
/// recording, with memory for one world. Gives what is wrong with the recording.
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
    if let Of::Events(_) | Of::Highlights | Of::Stats(_) = table.of {
        return Err(Error::new(Kind::Malformed("this table is not one of the world")).in_file(name));
    }
    let mut chunks = Reader::new(input, name, limits)?;
    let mut world = World::of(chunks.detected(), name)?;
    let mut faults = Faults::default();
    let mut next = DemoTime(i64::MIN);
    let (mut cells, mut block) = (Vec::new(), 0);
    while let Some(chunk) = chunks.next_chunk()? {
        let broken = world.fold(&chunk);
        faults.note(name, world.clock().now, broken);
        block = chunk.block_number().unwrap_or(block);
        let now = world.clock().demo;
        if !world.changes().frame || now < next {
            continue;
        }
        if let Every(Some(span)) = every {
            next = DemoTime((now.0.div_euclid(span.0) + 1).saturating_mul(span.0));
        }
        frame(table, &world, block, &mut cells, rows)?;
    }
    Ok(faults)
}

/// The rows of one frame.
fn frame<'c>(table: &Table, world: &World, block: u64, cells: &mut Vec<Cell<'c>>, rows: &mut impl Rows) -> Result<()> {
    let (clock, level) = (world.clock(), world.level().number);
    let mut write = |about| {
        table.cells(&Row { clock, block, level, about }, cells);
        rows.row(cells)
    };
    match table.of {
        Of::Players => {
            let in_view = world.players().filter(|player| player.origin.is_some());
            in_view.map(About::Player).try_for_each(write)
        }
        Of::Entities => world.entities().map(About::Entity).try_for_each(write),
        Of::Frames => write(About::Frame(world)),
        Of::Events(_) | Of::Highlights | Of::Stats(_) => Ok(()),
    }
}
