//! The configstrings of a level.

use super::rules::{Broken, CONFIG_INDEX, CONFIG_LENGTH};

/// Names of models (document 3.14); model 1 is the map.
pub(super) const MODELS: u16 = 32;
pub(super) const MAP: u16 = MODELS + 1;
pub(super) const SOUNDS: u16 = 288;
pub(super) const MAX_CLIENTS: u16 = 30;
pub(super) const CHECKSUM: u16 = 31;

const STATUS_BAR: u16 = 5;
/// The first behind the status bar (facts 1.2).
const AIR_ACCELERATION: u16 = 29;
const COUNT: u16 = 2080;
const BYTES: usize = 64;

/// As engines hold them: rows of 64 bytes, where a long one runs into those behind it (facts 1.2).
pub(super) struct Configs(Vec<u8>);

impl Default for Configs {
    fn default() -> Self {
        Self(vec![0; usize::from(COUNT) * BYTES])
    }
}

impl Configs {
    /// Takes one that was read at an offset.
    pub(super) fn set(&mut self, at: usize, index: i16, text: &[u8]) -> Result<u16, Broken> {
        let Some(index) = u16::try_from(index).ok().filter(|&index| index < COUNT) else {
            return CONFIG_INDEX.broken(at, index.to_string());
        };
        let rows = if (STATUS_BAR..AIR_ACCELERATION).contains(&index) { AIR_ACCELERATION - index } else { 1 };
        let room = usize::from(rows) * BYTES;
        CONFIG_LENGTH.holds(text.len() < room, at, || {
            format!("index {index} with {} bytes and a zero, where {room} fit", text.len())
        })?;
        let start = usize::from(index) * BYTES;
        self.0[start..start + text.len()].copy_from_slice(text);
        self.0[start + text.len()] = 0;
        Ok(index)
    }

    /// True for one that is not empty.
    pub(super) fn has(&self, index: u16) -> bool {
        self.0[usize::from(index) * BYTES] != 0
    }
}
