//! Stub.
use super::{Changes, Clock, ClockKind, DemoTime, Entity, Level, Player, Scene, View};
use crate::format::Broken;
use serde_json::{Map, Value};
/// Stub.
#[derive(Debug, Clone, Default)]
pub struct World {
    changes: Changes,
}
impl World {
    /// Stub.
    pub fn fold(&mut self, _: &crate::format::dem::Piece<'_>) -> Option<Broken> {
        None
    }
}
impl Scene for World {
    fn clock(&self) -> Clock {
        Clock { kind: ClockKind::Server, now: None, frame: None, demo: DemoTime(0) }
    }
    fn level(&self) -> Level<'_> {
        Level::default()
    }
    fn recorder(&self) -> Option<usize> {
        None
    }
    fn view(&self) -> Option<View> {
        None
    }
    fn changes(&self) -> &Changes {
        &self.changes
    }
    fn is_complete(&self) -> bool {
        true
    }
    fn is_paused(&self) -> bool {
        false
    }
    fn player_slots(&self) -> usize {
        0
    }
    fn player(&self, _: usize) -> Option<Player<'_>> {
        None
    }
    fn carried(&self, _: usize, _: &mut dyn FnMut(&str, i64)) {}
    fn entity_slots(&self) -> usize {
        0
    }
    fn entity(&self, _: usize) -> Option<Entity<'_>> {
        None
    }
    fn sound_name(&self, _: u16) -> Option<&[u8]> {
        None
    }
    fn own(&self) -> Map<String, Value> {
        Map::new()
    }
}
