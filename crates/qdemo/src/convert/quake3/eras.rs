//! What the numbers of one era of game modules are in another.

use crate::format::dm3::{Array, Dialect, EntityField, Era, Indices, PlayerField};
use crate::game::quake3::names::{Game, ScoreSlots};
use crate::game::quake3::{EntityState, PlayerState, first_word, told_string};

/// The way from the numbers of one protocol's game modules to those of another.
pub(super) struct Eras {
    from: Dialect,
    to: Dialect,
}

/// Events of protocols 43 and 45 in those from 48 on: the first one of a run, and what is added to it. The sound for teams
/// and the missile that misses on metal came in between.
const EVENTS: [(u8, u8); 3] = [(0, 0), (47, 1), (51, 2)];
/// The last one that is known.
const LAST_EVENT: u8 = 62;
/// The type of an entity that is not to be seen.
const INVISIBLE: i32 = 10;
/// The flag of players who have voted, which means spectators in protocol 91.
const VOTED: u32 = 0x4000;
/// Numbers of a player in the list of scores, in protocols 43 and 45 and from 48 on: the first ones mean the same.
const SCORES: [usize; 2] = [6, 14];

impl Eras {
    pub(super) fn new(from: Dialect, to: Dialect) -> Self {
        Eras { from, to }
    }

    fn era(&self) -> (Era, Era) {
        (self.from.layout.era, self.to.layout.era)
    }

    fn games(&self) -> (&'static Game, &'static Game) {
        (Game::of(self.from.layout.era), Game::of(self.to.layout.era))
    }

    fn comes_from_test(&self) -> bool {
        matches!(self.era(), (Era::Test, Era::Arena))
    }

    fn becomes_later_live(&self) -> bool {
        matches!(self.era(), (Era::QuakeLive, Era::LaterQuakeLive))
    }

    /// An event by number, with the bits above that tell it from the one before; 0 for one that there is not.
    fn event(&self, event: u32, lost: &mut bool) -> u32 {
        let [number, above, ..] = event.to_le_bytes();
        if !self.comes_from_test() || number == 0 {
            return event;
        }
        let run = EVENTS.iter().rfind(|(first, _)| *first <= number).filter(|_| number <= LAST_EVENT);
        match run {
            Some((_, add)) => u32::from_le_bytes([number + add, above, 0, 0]),
            None => {
                *lost = true;
                0
            }
        }
    }

    /// Powerups, a bit each.
    fn powerups(&self, bits: u32, lost: &mut bool) -> u32 {
        if !self.becomes_later_live() {
            return bits;
        }
        let set = (0..32).filter(|n| bits >> n & 1 == 1);
        set.filter_map(|n| self.powerup(n, lost)).fold(0, |bits, n| bits | 1 << n)
    }

    fn powerup(&self, number: usize, lost: &mut bool) -> Option<usize> {
        let (from, to) = self.games();
        let name = from.powerups.get(number);
        let found = name.and_then(|name| to.powerups.iter().position(|other| other == name));
        *lost |= found.is_none();
        found
    }

    /// An entity; says whether something of it was lost.
    pub(super) fn entity(&self, state: &EntityState) -> (EntityState, bool) {
        let (mut new, mut lost) = (*state, false);
        if self.comes_from_test() {
            let (from, to) = self.games();
            let event = state.kind() - i32::from(from.first_event);
            if let Ok(event @ 1..) = u32::try_from(event) {
                match self.event(event, &mut lost) {
                    0 => new.set_int(EntityField::EType, INVISIBLE),
                    event => new.set(EntityField::EType, u32::from(to.first_event) + event),
                }
            }
            new.set(EntityField::Event, self.event(state.bits(EntityField::Event), &mut lost));
        }
        if self.becomes_later_live() {
            new.set(EntityField::Powerups, self.powerups(state.bits(EntityField::Powerups), &mut lost));
            new.set(EntityField::EFlags, state.bits(EntityField::EFlags) & !VOTED);
        }
        (new, lost)
    }

    /// A player; says whether something was lost.
    pub(super) fn player(&self, state: &PlayerState) -> (PlayerState, bool) {
        let (mut new, mut lost) = (*state, false);
        if self.comes_from_test() {
            for field in [PlayerField::Events0, PlayerField::Events1, PlayerField::ExternalEvent] {
                new.set(field, self.event(state.bits(field), &mut lost));
            }
            let (from, to) = self.games();
            (0..Array::SLOTS).for_each(|slot| new.set_slot(Array::Persistant, slot, 0));
            for (from, to) in slots(&from.scores).into_iter().zip(slots(&to.scores)) {
                if let (Some(from), Some(to)) = (from, to) {
                    new.set_slot(Array::Persistant, to, state.slot(Array::Persistant, from));
                }
            }
        }
        if self.becomes_later_live() {
            (0..Array::SLOTS).for_each(|slot| new.set_slot(Array::Powerups, slot, 0));
            for slot in (0..Array::SLOTS).filter(|slot| state.slot(Array::Powerups, *slot) != 0) {
                if let Some(to) = self.powerup(slot, &mut lost) {
                    new.set_slot(Array::Powerups, to, state.slot(Array::Powerups, slot));
                }
            }
            new.set(PlayerField::EFlags, state.bits(PlayerField::EFlags) & !VOTED);
        }
        (new, lost)
    }

    /// The number of a configstring; `None` for one whose number means something else.
    pub(super) fn string(&self, index: u16) -> Option<u16> {
        let (from, to) = (runs(&self.from.layout.indices), runs(&self.to.layout.indices));
        let within = |(first, count): &(u16, u16)| index.checked_sub(*first).filter(|n| n < count);
        let known = from.iter().zip(&to).find_map(|(from, (first, _))| Some(first + within(from)?));
        known.or_else(|| Some(index).filter(|_| !to.iter().any(|run| within(run).is_some())))
    }

    /// A command to the client; `None` for one that tells a configstring whose number means something else.
    pub(super) fn command(&self, text: &[u8]) -> Option<Vec<u8>> {
        if let Some((word, index, _)) = told_string(text) {
            let rest = text.get(word.len() + 1..)?;
            let number = rest.iter().position(|b| *b == b' ').unwrap_or(rest.len());
            let new = self.string(index)?.to_string();
            return Some([word, b" ", new.as_bytes(), rest.get(number..)?].concat());
        }
        if self.comes_from_test() && first_word(text) == b"scores" {
            return Some(with_longer_scores(text));
        }
        Some(text.to_vec())
    }
}

/// The list of scores with as many numbers for each player as later protocols have. Lists of mods, which have other numbers,
/// stay.
fn with_longer_scores(text: &[u8]) -> Vec<u8> {
    let words: Vec<_> = text.split(|b| *b == b' ').filter(|word| !word.is_empty()).collect();
    let count = |word: &&[u8]| std::str::from_utf8(word).ok()?.parse::<usize>().ok();
    let [short, long] = SCORES;
    // The word itself, the number of players, the scores of both teams.
    let (Some((front, players)), Some(players_told)) = (words.split_at_checked(4), words.get(1).and_then(count)) else {
        return text.to_vec();
    };
    if Some(players.len()) != players_told.checked_mul(short) {
        return text.to_vec();
    }
    let mut all = front.to_vec();
    for player in players.chunks(short) {
        all.extend(player);
        all.extend(std::iter::repeat_n(&b"0"[..], long - short));
    }
    all.join(&b' ')
}

/// Where a player's `persistant` things are, those of both eras in the same order.
fn slots(slots: &ScoreSlots) -> [Option<usize>; 14] {
    let ScoreSlots { score, hits, rank, team, spawns, attacker, deaths, impressive, excellent, gauntlet, flags } =
        *slots;
    let [defend, assist, captures] = flags.map_or([None; 3], |flags| flags.map(Some));
    let all = [score, hits, rank, team, spawns, PLAYER_EVENTS, attacker, deaths, impressive, excellent, gauntlet];
    let mut every = [None; 14];
    for (to, slot) in every.iter_mut().zip(all.map(Some).into_iter().chain([defend, assist, captures])) {
        *to = slot;
    }
    every
}

/// The slot of what happened to a player, in all eras.
const PLAYER_EVENTS: usize = 5;

/// Where configstrings of a kind begin, and how many there are, those of all protocols in the same order.
fn runs(indices: &Indices) -> [(u16, u16); 9] {
    const NAMES: u16 = 256;
    let one = |index| (index, 1);
    [
        (indices.players, Indices::PLAYERS),
        (indices.models, NAMES),
        (indices.sounds, NAMES),
        (indices.locations, 64),
        one(indices.game_version),
        one(indices.level_start),
        one(indices.intermission),
        one(indices.flag_status),
        one(indices.items),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eras(from: i32, to: i32) -> Eras {
        Eras::new(Dialect::by_protocol(from).unwrap(), Dialect::by_protocol(to).unwrap())
    }

    /// The numbers of the tables of game modules: obituaries, pickups, sounds, and some that the facts name.
    #[test]
    fn events_get_the_numbers_of_later_modules() {
        let (eras, mut lost) = (eras(45, 68), false);
        let all = [(19, 19), (46, 46), (47, 48), (50, 51), (51, 53), (58, 60), (62, 64), (0x100 | 58, 0x100 | 60)];
        for (old, new) in all {
            assert_eq!(eras.event(old, &mut lost), new);
        }
        assert!(!lost);
        assert_eq!((eras.event(63, &mut lost), lost), (0, true));
        let mut obituary = EntityState::ZERO;
        obituary.set_int(EntityField::EType, 12 + 58);
        assert_eq!(eras.entity(&obituary).0.kind(), 13 + 60);
    }

    #[test]
    fn configstrings_get_the_numbers_of_later_modules() {
        let eras = eras(43, 68);
        let all =
            [(0, 0), (12, 20), (13, 21), (14, 22), (15, 23), (27, 27), (33, 33), (544, 544), (672, 608), (700, 636)];
        for (old, new) in all {
            assert_eq!(eras.string(old), Some(new));
        }
        assert_eq!((eras.string(21), eras.string(610)), (None, None));
        assert_eq!(eras.command(b"cs 672 \"the bridge\"").as_deref(), Some(&b"cs 608 \"the bridge\""[..]));
        assert_eq!(eras.command(b"cs 14 1").as_deref(), Some(&b"cs 22 1"[..]));
        assert_eq!(eras.command(b"print \"cs 14\"").as_deref(), Some(&b"print \"cs 14\""[..]));
    }

    #[test]
    fn lists_of_scores_get_longer() {
        let scores = with_longer_scores(b"scores 2 10 5 0 7 50 3 0 0 1 3 60 3 0 0");
        let new = b"scores 2 10 5 0 7 50 3 0 0 0 0 0 0 0 0 0 0 1 3 60 3 0 0 0 0 0 0 0 0 0 0";
        assert_eq!(String::from_utf8_lossy(&scores), String::from_utf8_lossy(new));
        for other in [&b"scores"[..], b"scores 1 0 0 1 2", b"scores 99999999999999999999 0 0"] {
            assert_eq!(with_longer_scores(other), other);
        }
    }

    #[test]
    fn what_lasts_over_deaths_gets_its_later_slot() {
        let mut player = PlayerState::ZERO;
        for (slot, value) in [(0, 12), (3, 1), (7, 5), (8, 4), (11, 2)] {
            player.set_slot(Array::Persistant, slot, value);
        }
        let new = eras(43, 68).player(&player).0;
        let told: Vec<_> = (0..16).map(|slot| new.slot(Array::Persistant, slot)).collect();
        assert_eq!(told, [12, 0, 0, 1, 0, 0, 5, 0, 4, 0, 0, 0, 0, 2, 0, 0]);
    }

    #[test]
    fn powerups_of_quake_live_get_the_numbers_of_its_last_protocol() {
        let (mut player, mut entity) = (PlayerState::ZERO, EntityState::ZERO);
        player.set_slot(Array::Powerups, 1, 90_000);
        player.set_slot(Array::Powerups, 7, 70_000);
        entity.set(EntityField::Powerups, 1 << 1 | 1 << 8 | 1 << 14);
        entity.set(EntityField::EFlags, VOTED | 1);
        let eras = eras(73, 91);
        let (new, lost) = eras.player(&player);
        assert_eq!((new.slot(Array::Powerups, 4), new.slot(Array::Powerups, 1), lost), (90_000, 70_000, false));
        let (new, lost) = eras.entity(&entity);
        assert_eq!(
            (new.bits(EntityField::Powerups), new.bits(EntityField::EFlags), lost),
            (1 << 4 | 1 << 2 | 1 << 14, 1, false)
        );
    }
}
