//! Names of players, to be found in texts.

use super::PlayerRef;

/// True for a name by which somebody who comes back is known: games give these to those who have not taken any.
pub(crate) fn tells_apart(name: &[u8]) -> bool {
    !matches!(name, b"" | b"unnamed" | b"player" | b"UnnamedPlayer")
}

/// The players of a level by name: those who play, and those who went, of whom a text may still come.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    now: Vec<PlayerRef>,
    gone: Vec<PlayerRef>,
}

impl Roster {
    /// Names that are not kept any longer than these.
    const GONE: usize = 64;

    pub(crate) fn clear(&mut self) {
        self.now.clear();
        self.gone.clear();
    }

    /// Who is in a slot from now on.
    pub(crate) fn set(&mut self, slot: usize, who: Option<PlayerRef>) {
        if let Some(at) = self.now.iter().position(|w| w.slot == Some(slot)) {
            let before = self.now.remove(at);
            if who.as_ref().is_none_or(|who| who.name != before.name) {
                self.gone.retain(|w| w.name != before.name);
                if self.gone.len() >= Self::GONE {
                    self.gone.remove(0);
                }
                self.gone.push(before);
            }
        }
        if let Some(who) = who.filter(|who| !who.name.is_empty()) {
            self.now.push(who);
            self.now.sort_by_key(|w| std::cmp::Reverse(w.name.len()));
        }
    }

    /// Who is in a slot now.
    pub(crate) fn in_slot(&self, slot: usize) -> Option<&PlayerRef> {
        self.now.iter().find(|who| who.slot == Some(slot))
    }

    /// The players with whose name a text begins: those who play first, the longest name first.
    pub(crate) fn in_front_of<'r>(&'r self, text: &'r str) -> impl Iterator<Item = &'r PlayerRef> {
        self.now.iter().chain(self.gone.iter().rev()).filter(move |who| text.starts_with(&who.name))
    }

    /// The player with a name.
    pub(crate) fn named(&self, name: &str) -> Option<&PlayerRef> {
        self.now.iter().chain(self.gone.iter().rev()).find(|who| who.name == name)
    }
}
