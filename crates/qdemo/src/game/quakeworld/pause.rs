//! Whether a game stands still.

/// Follows whether the game stands still.
///
/// A client is told so by a message, which a recording of all players that was made of a client's has, too. The clock of
/// a server stands still in a pause, and its recording has a hidden message for each frame of one. What was played last
/// is written behind the first of these: one record in which time passes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Pause {
    #[default]
    Off,
    /// A message said so: another one ends it, or the next level.
    Told,
    /// Hidden messages say so.
    Frames {
        /// One frame of it alone has been told.
        begins: bool,
    },
}

impl Pause {
    pub(crate) fn is_on(self) -> bool {
        self != Pause::Off
    }

    /// True where nothing but a message says so.
    pub(crate) fn is_told(self) -> bool {
        self == Pause::Told
    }

    /// A message says whether the game stands still.
    pub(crate) fn set(&mut self, on: bool) {
        *self = if on { Pause::Told } else { Pause::Off };
    }

    /// A hidden message tells of a frame in which it does.
    pub(crate) fn frame(&mut self) {
        if !self.is_told() {
            *self = Pause::Frames { begins: !self.is_on() };
        }
    }

    /// Time passes on the clock of the server.
    pub(crate) fn time_passes(&mut self) {
        if let Pause::Frames { begins } = self {
            *self = if *begins { Pause::Frames { begins: false } } else { Pause::Off };
        }
    }
}
