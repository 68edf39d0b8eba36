//! The values of all deltas in a message, in one list.

/// A list with room behind its end, so that the values of a delta are read to where they stay.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    /// The values, and room.
    all: Vec<u32>,
    len: usize,
}

impl Values {
    /// Values of a delta: as many as its masks have bits.
    pub(super) const ROOM: usize = 64;

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        self.all.get(..self.len).unwrap_or_default()
    }

    /// The values alone.
    pub(super) fn into_vec(mut self) -> Vec<u32> {
        self.all.truncate(self.len);
        self.all.shrink_to_fit();
        self.all
    }

    /// Lets `read` put values behind the end, and say how many they are.
    #[inline(always)]
    pub(super) fn add<E>(&mut self, read: impl FnOnce(&mut [u32; Self::ROOM]) -> Result<usize, E>) -> Result<(), E> {
        if self.all.len() < self.len + Self::ROOM {
            self.grow();
        }
        if let Some(room) = self.all.get_mut(self.len..).and_then(|rest| rest.first_chunk_mut()) {
            self.len += read(room)?.min(Self::ROOM);
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self) {
        let more = self.all.len().max(Self::ROOM);
        self.all.resize(self.len + Self::ROOM + more, 0);
    }

    pub(super) fn push(&mut self, value: u32) {
        self.all.truncate(self.len);
        self.all.push(value);
        self.len += 1;
    }
}

impl Extend<u32> for Values {
    fn extend<T: IntoIterator<Item = u32>>(&mut self, values: T) {
        self.all.truncate(self.len);
        self.all.extend(values);
        self.len = self.all.len();
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Values {}
