//! Slots into which somebody came behind a match.

use std::collections::BTreeSet;

use crate::event::{Event, EventKind};

/// Knows who came to play when a match, or a level, was over. Of the scores that are told of such a slot then, none is of
/// what is over. Whoever comes back begins anew, under the same name too; whoever takes another name is who it was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Newcomers {
    /// Names of those who played in the slots at the last look.
    names: Vec<Option<Box<[u8]>>>,
    came: BTreeSet<usize>,
}

impl Newcomers {
    /// Something is over: whoever has come so far was in it.
    pub(crate) fn clear(&mut self) {
        self.came.clear();
    }

    /// Takes in an event, in front of a look at its slot.
    pub(crate) fn take(&mut self, event: &Event) {
        let (who, name) = match &event.kind {
            EventKind::Rename(who, _) => (who, Some(&who.name_raw)),
            // Somebody may have come in the same chunk, perhaps of the same name.
            EventKind::Leave(who) => (who, None),
            _ => return,
        };
        let known = who.slot.and_then(|slot| self.names.get_mut(slot));
        if let Some(known) = known.filter(|known| known.is_some()) {
            *known = name.map(|name| name.as_slice().into());
        }
    }

    /// Looks at a slot, in which one of this name plays now, or nobody.
    pub(crate) fn look(&mut self, slot: usize, name: Option<&[u8]>) {
        if self.names.get(slot).and_then(Option::as_deref) == name {
            return;
        }
        if slot >= self.names.len() {
            self.names.resize(slot + 1, None);
        }
        if let Some(known) = self.names.get_mut(slot) {
            *known = name.map(Box::from);
        }
        if name.is_some() {
            self.came.insert(slot);
        }
    }

    /// The slots into which somebody came since.
    pub(crate) fn slots(&self) -> &BTreeSet<usize> {
        &self.came
    }

    /// True for one of them.
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.came.contains(&slot)
    }
}
