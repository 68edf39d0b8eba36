//! Whether a game stands still.

/// Follows whether the game stands still.
///
/// A client is told so by a message. The clock of a server stands still in a pause, and its recording has a hidden message for
/// each frame of one. What was played last is written behind the first of these: one record in which time passes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pause {
    on: bool,
    /// One frame of it alone has been told.
    begins: bool,
}

impl Pause {
    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    /// A message says whether the game stands still.
    pub(crate) fn set(&mut self, on: bool) {
        *self = Pause { on, begins: false };
    }

    /// A hidden message tells of a frame in which it does.
    pub(crate) fn frame(&mut self) {
        *self = Pause { on: true, begins: !self.on };
    }

    /// Time passes on the clock of the server.
    pub(crate) fn time_passes(&mut self) {
        self.on &= std::mem::take(&mut self.begins);
    }
}
