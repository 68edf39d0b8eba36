//! Tables of events.

use super::row::{About, Row};
use super::{Cell, Of, Table};
use crate::event::Event;
use crate::highlight::Highlight;

/// The row that an event makes in a table of events, such as [`FRAGS`](super::FRAGS) or [`EVENTS`](super::EVENTS); `None`
/// when it is of another kind.
pub fn event(table: &Table, event: &Event) -> Option<Vec<Cell<'static>>> {
    let Of::Events(kinds) = table.of else { return None };
    if !kinds.contains(&event.what.kind()) {
        return None;
    }
    let mut cells = Vec::new();
    table.cells(&Row { clock: event.clock, block: event.block, level: 0, about: About::Event(event) }, &mut cells);
    Some(cells)
}

/// The row of [`HIGHLIGHTS`](super::HIGHLIGHTS) that a highlight makes.
pub fn highlight(it: &Highlight) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    let row = Row { clock: it.clock, block: it.block, level: 0, about: About::Highlight(it) };
    super::HIGHLIGHTS.cells(&row, &mut cells);
    cells
}
