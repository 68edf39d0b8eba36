//! Players: where they are, what they carry, and the score board.

use std::ops::Range;
use std::sync::Arc;

use crate::describe::StatIndex;
use crate::format::qwd::{UpdateStat, UpdateStatLong};
use crate::game::ShortOrLong;
use crate::game::quakeworld::world::states::PlayerState;
use crate::wire::{info_pairs, info_value};
use crate::world::DemoTime;

/// Numbers of the array of 32 values that a server keeps of a player.
pub mod stat {
    /// Health; 0 or less: dead.
    pub const HEALTH: usize = 0;
    /// Model of the weapon.
    pub const WEAPON_MODEL: usize = 2;
    /// Ammunition of the weapon in hand.
    pub const AMMO: usize = 3;
    /// Armour.
    pub const ARMOR: usize = 4;
    /// Shells; nails, rockets and cells follow.
    pub const SHELLS: usize = 6;
    /// The weapon in hand, as its bit among the items.
    pub const ACTIVE_WEAPON: usize = 10;
    /// Secrets and monsters that there are, secrets found, monsters killed.
    pub const TOTALS: [usize; 4] = [11, 12, SECRETS, MONSTERS];
    /// Secrets found.
    pub const SECRETS: usize = 13;
    /// Monsters killed.
    pub const MONSTERS: usize = 14;
    /// Items and weapons, a bit each.
    pub const ITEMS: usize = 15;
    /// Height of the eyes. (Z_EXT)
    pub const VIEW_HEIGHT: usize = 16;
    /// Time of the server in ms. (Z_EXT)
    pub const TIME: usize = 17;
}

/// What a server keeps of a player: 32 numbers, see [`stat`]. They are 0 when a level begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats(pub [i32; 32]);

impl Stats {
    /// A value; 0 beyond the array.
    pub fn get(&self, index: usize) -> i32 {
        self.0.get(index).copied().unwrap_or(0)
    }

    /// What a server sends to those who know `from`: in the short form what fits into a byte.
    pub fn diff(from: &Stats, to: &Stats) -> Vec<ShortOrLong<UpdateStat, UpdateStatLong>> {
        let differ = (0..).zip(from.0.iter().zip(to.0)).filter(|(_, (old, new))| *old != new);
        differ.map(|(n, (_, value))| stat_message(n, value)).collect()
    }

    /// What a server sends of all numbers to those who know none.
    pub fn all(&self) -> Vec<ShortOrLong<UpdateStat, UpdateStatLong>> {
        (0..).zip(self.0).map(|(n, value)| stat_message(n, value)).collect()
    }

    /// What a server sends to tell one of the numbers.
    pub(crate) fn message(&self, index: usize) -> ShortOrLong<UpdateStat, UpdateStatLong> {
        stat_message(index as u16, self.get(index))
    }

    pub(super) fn set(&mut self, index: u16, value: i32) {
        if let Some(to) = self.0.get_mut(usize::from(index)) {
            *to = value;
        }
    }

    pub(super) fn add(&mut self, index: usize) {
        if let Some(to) = self.0.get_mut(index) {
            *to = to.wrapping_add(1);
        }
    }
}

fn stat_message(n: u16, value: i32) -> ShortOrLong<UpdateStat, UpdateStatLong> {
    match u8::try_from(value) {
        Ok(value) => ShortOrLong::Short(UpdateStat { index: StatIndex(n), value }),
        Err(_) => ShortOrLong::Long(UpdateStatLong { index: StatIndex(n), value }),
    }
}

/// Stands in front of a name where KTX tells of somebody who has left a match: a ghost.
pub(crate) const GHOST: u8 = 0x83;

/// The name of whoever has left a match, where a slot tells of that one. Users have numbers from 1 on; KTX alone writes a user 0
/// with a text: in a free slot the ghost of somebody who has left the match, `\\name\\` with the mark, a space and the name, so
/// that the board has the frags that the team keeps, and `\\name\\` alone once that one is back (`ghost2scores`,
/// `ghostClearScores`).
pub(crate) fn ghost(user: i32, name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(&[GHOST, b' ']).filter(|_| user == 0)
}

/// The other way round: what stands in a slot for whoever has left a match.
pub(crate) fn ghost_name(name: &[u8]) -> Vec<u8> {
    [&[GHOST, b' '], name].concat()
}

/// True where what a server tells of a slot is of nobody who is there.
pub(crate) fn is_nobody(user: i32, name: &[u8]) -> bool {
    user == 0 && name.is_empty() || ghost(user, name).is_some()
}

/// A slot of the score board.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slot {
    /// Number of the user on the server; 0 for a free slot.
    pub user: i32,
    /// `None`: nothing was told.
    userinfo: Option<Arc<UserInfo>>,
    /// Frags.
    pub frags: Option<i16>,
    /// Ping in ms: 16 bits of an average of times, none of which is negative. 9999: nobody has measured it.
    pub ping: Option<u16>,
    /// Packet loss in percent.
    pub loss: Option<u8>,
    /// When the player came, on the clock of the demo time; before the recording began it is negative.
    pub entered: Option<DemoTime>,
    /// Where the player is, as it was told last.
    pub state: Option<PlayerState>,
    /// What the player has. `None` for players of whom the recording does not tell.
    pub stats: Option<Stats>,
}

impl Slot {
    /// Everything that the player's client told: `\\name\\...`.
    pub fn userinfo(&self) -> &[u8] {
        self.userinfo.as_deref().map_or(&[], |info| info.text.as_slice())
    }

    /// True once the user was told, also for a free slot.
    pub(super) fn is_told(&self) -> bool {
        self.userinfo.is_some()
    }

    /// A value of the user info.
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        info_value(self.userinfo(), key).filter(|v| !v.is_empty())
    }

    /// The name, in the bytes of the file; empty where none is told.
    pub fn name(&self) -> &[u8] {
        self.userinfo.as_deref().map_or(&[], |info| info.part(&info.name))
    }

    /// The team, in the bytes of the file.
    pub fn team(&self) -> Option<&[u8]> {
        self.userinfo.as_deref().map(|info| info.part(&info.team)).filter(|team| !team.is_empty())
    }

    /// True where nobody is, though KTX may have written the name of somebody who has left a match.
    pub fn is_nobody(&self) -> bool {
        self.userinfo().is_empty() || is_nobody(self.user, self.name())
    }

    /// True for one who only watches.
    pub fn is_spectator(&self) -> bool {
        self.userinfo.as_deref().is_some_and(|info| info.spectator)
    }

    /// Colours of shirt and trousers, where the player's client told them.
    pub fn colors(&self) -> [Option<u8>; 2] {
        ["topcolor", "bottomcolor"].map(|key| std::str::from_utf8(self.value(key)?).ok()?.trim().parse().ok())
    }

    /// True once it was told where the player is.
    pub(super) fn is_placed(&self) -> bool {
        self.state.is_some_and(|state| state.origin().is_some())
    }

    pub(super) fn set_userinfo(&mut self, user: i32, text: &[u8]) {
        self.user = user;
        let to = Arc::make_mut(self.userinfo.get_or_insert_default());
        to.text.clear();
        to.text.extend_from_slice(text);
        to.look();
    }

    pub(super) fn set_value(&mut self, key: &[u8], value: &[u8]) {
        let to = Arc::make_mut(self.userinfo.get_or_insert_default());
        crate::wire::set_info_value(&mut to.text, key, value);
        to.look();
    }
}

/// What a player's client told. Name, team and whether the player only watches are asked for at every frame: they are
/// looked up when it changes.
#[derive(Debug, Clone, Default, PartialEq)]
struct UserInfo {
    text: Vec<u8>,
    /// Where the values stand in the text; nowhere: they are empty.
    name: Range<usize>,
    team: Range<usize>,
    spectator: bool,
}

impl UserInfo {
    fn part(&self, at: &Range<usize>) -> &[u8] {
        self.text.get(at.clone()).unwrap_or_default()
    }

    fn look(&mut self) {
        let mut at = usize::from(self.text.first() == Some(&b'\\'));
        let (mut name, mut team, mut spectator) = (None, None, None);
        for (key, value) in info_pairs(&self.text) {
            let from = at + key.len() + 1;
            at = from + value.len() + 1;
            // The first of several counts.
            if key.eq_ignore_ascii_case(b"name") {
                name.get_or_insert(from..from + value.len());
            } else if key.eq_ignore_ascii_case(b"team") {
                team.get_or_insert(from..from + value.len());
            } else if key.eq_ignore_ascii_case(b"*spectator") {
                spectator.get_or_insert(!matches!(value, b"" | b"0"));
            }
        }
        (self.name, self.team) = (name.unwrap_or_default(), team.unwrap_or_default());
        self.spectator = spectator.unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_up_follows_the_user_info() {
        let mut slot = Slot::default();
        assert_eq!((slot.name(), slot.team(), slot.is_spectator()), (&b""[..], None, false));
        slot.set_userinfo(7, br"\Team\red\NAME\bones\name\other\*spectator\1");
        assert_eq!((slot.name(), slot.team(), slot.is_spectator()), (&b"bones"[..], Some(&b"red"[..]), true));
        slot.set_value(b"*spectator", b"");
        slot.set_value(b"team", b"blue");
        assert_eq!((slot.name(), slot.team(), slot.is_spectator()), (&b"bones"[..], Some(&b"red"[..]), false));
        slot.set_userinfo(7, br"name\x\team\\*spectator\0");
        assert_eq!((slot.name(), slot.team(), slot.is_spectator()), (&b"x"[..], None, false));
        // A key without a value is none.
        slot.set_userinfo(7, br"\team\a\name");
        assert_eq!((slot.name(), slot.team()), (&b""[..], Some(&b"a"[..])));
    }
}
