//! Levels of a recording are counted as they come.

/// Counts the levels of a recording. Where that begins within a level, this is the first one, although no message begins it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LevelCount {
    /// Levels that messages began.
    begun: u32,
    /// The recording begins within a level: frames stand in front of the first beginning.
    begins_within: bool,
}

impl LevelCount {
    /// A message begins a level.
    pub(crate) fn begin(&mut self) {
        self.begun = self.begun.saturating_add(1);
    }

    /// The server sent a frame.
    pub(crate) fn frame(&mut self) {
        self.begins_within |= self.begun == 0;
    }

    /// Levels that messages began.
    pub(crate) fn begun(self) -> u32 {
        self.begun
    }

    /// The number of the level that is played, from 0.
    pub(crate) fn number(self) -> u32 {
        self.begun.saturating_add(u32::from(self.begins_within)).saturating_sub(1)
    }
}
