//! Scores that configstrings tell: of both teams, or of the first and the second player.

use super::World;
use super::known::Named;
use super::scene::PMF_FOLLOW;
use crate::format::dm3::{Array, PlayerField};
use crate::game::quake3::command::{CPMA_GAME, Phase};
use crate::game::quake3::names::{Game, Module, SPECTATOR};
use crate::wire::info_value;

/// Configstrings with the scores of both sides.
const SCORES: [u16; 2] = [6, 7];
/// CPMA's: with all else about the game, which is told where a match, a round or a time-out begins or ends, and alone, which
/// is told when one of them changes.
const CPMA_SCORES: [u16; 2] = [CPMA_GAME, CPMA_SCORE];
/// `sb` and `sr` the scores; where a match has rounds, also `pb` and `pr`, how many are left of each side, and `tw`.
const CPMA_SCORE: u16 = 710;
/// Scores that are none. `SCORE_NOT_PRESENT` of id Software's game module and those that come of it: nobody is on that side.
/// And Quake Live's of a side that gave up, and in a race, of who has no time (WolfcamQL's `MAX_RACE_SCORE`).
const NONE: [i64; 3] = [-9999, -999, i32::MAX as i64];

/// Scores of both teams, or of the first and the second player: none where nobody is.
pub(crate) type Sides = [Option<i32>; 2];

/// Which of two players is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Duel {
    sides: Sides,
    slots: [usize; 2],
}

/// True for a score that says that there is none.
pub(crate) fn is_no_score(score: i64) -> bool {
    NONE.contains(&score)
}

fn told(score: i32) -> Option<i32> {
    Some(score).filter(|score| !is_no_score(i64::from(*score)))
}

impl World {
    /// True for a configstring that tells the scores of both sides.
    pub(crate) fn tells_sides(&self, index: u16) -> bool {
        SCORES.contains(&index) || self.module == Module::Cpma && CPMA_SCORES.contains(&index)
    }

    /// The scores of red and blue, or of the first and the second player, as they were told last.
    pub(crate) fn sides(&self) -> Option<Sides> {
        self.sides
    }

    /// The scores of both teams, in a game of teams.
    pub(crate) fn team_scores(&self) -> Option<Sides> {
        self.sides.filter(|_| self.in_teams() && !self.known.for_oneself)
    }

    /// A configstring with the scores of both sides changed.
    pub(super) fn sides_by(&self, index: u16) -> Option<Sides> {
        let number = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|t| t.trim().parse().ok()).map(told);
        if SCORES.contains(&index) {
            let [first, second] = SCORES.map(|index| number(self.strings.get(index)));
            return Some([first?, second?]);
        }
        let info = self.strings.get(index);
        let (red, blue) = info_value(info, "sr").zip(info_value(info, "sb"))?;
        // Without teams these are the second and the first player.
        if !self.in_teams() {
            return Some([number(blue)?, number(red)?]);
        }
        // CPMA counts who is on each side. Without anybody on either nothing is counted.
        let [reds, blues] = ["cr", "cb"].map(|key| info_value(info, key).unwrap_or_default());
        let left = |players: &[u8], others: &[u8]| players == b"0" && !matches!(others, b"" | b"0");
        Some([number(red)?.filter(|_| !left(reds, blues)), number(blue)?.filter(|_| !left(blues, reds))])
    }

    /// A level begins: the scores that stand there.
    pub(super) fn begin_sides(&mut self) {
        (self.sides, self.duel) = (self.standing_sides(), None);
        self.sides_are_old = false;
    }

    /// The scores that configstrings alone tell, without the order in which they came.
    fn standing_sides(&self) -> Option<Sides> {
        let of_all = || self.sides_by(SCORES[0]);
        if self.module != Module::Cpma {
            return of_all();
        }
        match CPMA_SCORES.map(|index| self.sides_by(index)) {
            [Some(game), Some(alone)] => Some(if self.is_alone_later(game, alone) { alone } else { game }),
            [game, alone] => game.or(alone).or_else(of_all),
        }
    }

    /// True where CPMA's scores that are told alone are the later ones: within a match, whose beginning those of the game are
    /// of. In a match of rounds each round that ends sets those of the game, and the others stay as they were until somebody
    /// dies. There the higher ones are the later ones, as who has won a round keeps it. What tells of a countdown is of before
    /// the match.
    fn is_alone_later(&self, game: Sides, alone: Sides) -> bool {
        let sum = |sides: Sides| sides.into_iter().flatten().map(i64::from).sum::<i64>();
        let of_match = info_value(self.strings.get(CPMA_SCORE), "tw").is_none_or(|wait| wait == b"0");
        self.phase() == Phase::Playing && of_match && (!self.has_rounds() || sum(alone) > sum(game))
    }

    /// True where a match of CPMA has rounds.
    fn has_rounds(&self) -> bool {
        info_value(self.strings.get(CPMA_SCORE), "pr").is_some()
    }

    /// True where a configstring that changed tells that a match begins. CPMA begins one in the same level without a restart,
    /// and without scores. Where a match has rounds these are counted down to, and scores stay; the warm-up lasts up to the
    /// match there. It asks for no more than a recording shows that begins in a countdown.
    pub(super) fn match_begins(&self, index: u16, before: Phase) -> bool {
        if index != CPMA_GAME || self.module != Module::Cpma || self.phase() != Phase::Playing {
            return false;
        }
        let has_points = |sides: Sides| sides.into_iter().flatten().any(|score| score != 0);
        match before {
            Phase::Warmup => true,
            Phase::Countdown if self.sides_by(index).is_some_and(has_points) => false,
            Phase::Countdown => !self.has_rounds() || self.sides.is_some_and(has_points),
            Phase::Playing => false,
        }
    }

    /// The configstring of CPMA that told the scores last, where all of them alone would tell others.
    pub(super) fn sides_told_by(&self) -> Option<u16> {
        let differs = self.module == Module::Cpma && self.sides != self.standing_sides();
        CPMA_SCORES.into_iter().find(|index| differs && self.sides_by(*index) == self.sides)
    }

    /// Finds out which of two players is the first: the state of whoever is seen tells one of both scores.
    pub(super) fn settle_duel(&mut self) {
        let whole = |sides: &Sides| !self.sides_are_old && sides.iter().all(Option::is_some);
        let told = self.known.duel().zip(self.sides.filter(whole));
        let Some((players, sides)) = told else {
            self.duel = None;
            return;
        };
        let own = self.seen().zip(self.seen_score()).filter(|_| self.complete);
        // One who is followed may still have the score of the frame before (`follows`). Where both had the same, as far as known,
        // and one of them lost a point, that state would name the wrong one: the next one tells.
        let may_be_late = own.is_some_and(|(_, score)| {
            let level = self.duel.is_none_or(|duel| duel.sides == [Some(score); 2]);
            self.follows() && level && sides == [Some(score), score.checked_sub(1)]
        });
        let was_unsure = std::mem::replace(&mut self.unsure, may_be_late.then_some(sides)) == Some(sides);
        let own = own.filter(|_| !may_be_late || was_unsure);
        let found = own.and_then(|(seen, score)| {
            let other = players.iter().copied().find(|slot| *slot != seen)?;
            let place = sides.iter().position(|side| *side == Some(score)).filter(|_| players.contains(&seen))?;
            Some(if place == 0 { [seen, other] } else { [other, seen] })
        });
        // As long as the scores are the same they are those of the same players: states tell of a level that begins anew first.
        let before =
            self.duel.filter(|duel| duel.sides == sides && players.iter().all(|slot| duel.slots.contains(slot)));
        self.duel = before.or(found.map(|slots| Duel { sides, slots }));
    }

    /// True where the state is a copy of that of another player. The server makes it when the turn of the one who watches
    /// comes, which may be before that of the other: `SpectatorClientEndFrame` of id Software's game module. Who dies in
    /// that turn, as in lava (`P_WorldEffects`), does so behind the copy.
    pub(crate) fn follows(&self) -> bool {
        self.player_state().is_some_and(|state| state.int(PlayerField::PmFlags) & PMF_FOLLOW != 0)
    }

    /// True where what lasts over deaths, in the state, is of the player who is seen.
    ///
    /// Who is out of a round of OpenArena follows others and keeps what is his own (`SpectatorClientEndFrame` of its
    /// `g_active.c`); and who watches him has a copy of that. Of a copy the team tells it, where both are of two teams.
    pub(crate) fn is_lasting_of_seen(&self) -> bool {
        if self.module != Module::OpenArena || !self.follows() {
            return true;
        }
        let (Some(state), Some(seen)) = (self.player_state(), self.seen()) else { return false };
        let recorder = self.client.and_then(|client| usize::try_from(client).ok()).filter(|own| *own != seen);
        let plays = recorder.and_then(|own| self.known.player(own)).is_some_and(|own| own.team != Some(SPECTATOR));
        let by_state = state.slot(Array::Persistant, Game::of(self.dialect.layout.era).scores.team);
        let is_of_team = |named: &Named| named.team.and_then(|team| i32::try_from(team).ok()) == Some(by_state);
        !plays && self.known.player(seen).is_none_or(is_of_team)
    }

    /// Score of the player who is seen, by the state. Whoever follows another in CPMA sees the other's state with the own
    /// score, and whoever watches has none. The 16 bits of a state do not hold the time of a race.
    pub(crate) fn seen_score(&self) -> Option<i32> {
        let state = self.player_state()?;
        let slot = Game::of(self.dialect.layout.era).scores.score;
        let is_own = (self.module != Module::Cpma || !self.follows()) && !self.known.race && self.is_lasting_of_seen();
        let score = is_own.then(|| state.slot(Array::Persistant, slot)).and_then(told)?;
        self.seen().is_none_or(|slot| !self.known.watches(slot)).then_some(score)
    }

    /// Score of a player by the last scoreboard. The line of one who watches has the score of whom he looks at, but in
    /// those of duels, which have lines of players alone.
    pub(crate) fn board_score(&self, slot: usize) -> Option<i32> {
        let score = self.score(slot).and_then(|score| told(score.score))?;
        let has_time = !self.known.race || score > 0;
        (has_time && (!self.known.watches(slot) || self.roster.is_of_player(slot))).then_some(score)
    }

    /// The scores of both players by slot, where two play, both scores are told and it is known whose they are.
    pub(crate) fn duel_scores(&self) -> impl Iterator<Item = (usize, i32)> + use<> {
        self.duel.into_iter().flat_map(|duel| duel.slots.into_iter().zip(duel.sides.into_iter().flatten()))
    }

    /// The score of one of these.
    pub(super) fn duel_score(&self, slot: usize) -> Option<i32> {
        self.duel_scores().find_map(|(of, score)| (of == slot).then_some(score))
    }
}
