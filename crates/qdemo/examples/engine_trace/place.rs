//! Names of places, for reports.

use std::fmt;

/// Where we are, for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) block: u64,
    pub(crate) sequence: i32,
    pub(crate) item: Item,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    Block,
    Message(&'static str),
    Player,
    Entity(u16),
    Baseline(u16),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {} (packet {})", self.block, self.sequence)?;
        match self.item {
            Item::Block => Ok(()),
            Item::Message(name) => write!(f, ", {name}"),
            Item::Player => f.write_str(", snapshot, player"),
            Item::Entity(number) => write!(f, ", snapshot, entity {number}"),
            Item::Baseline(number) => write!(f, ", gamestate, baseline {number}"),
        }
    }
}
