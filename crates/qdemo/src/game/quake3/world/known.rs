//! What configstrings tell of the level and its players, taken apart when it is told and not at every question.

use crate::format::dm3::{Dialect, Indices};
use crate::game::quake3::Configstrings;
use crate::game::quake3::game_types::{has_points, has_teams, is_for_oneself, is_race};
use crate::game::quake3::names::{Module, SPECTATOR, TEAMS};
use crate::wire::info_value;

/// The configstring with the settings of the server.
const SERVER_INFO: u16 = 0;

/// The level and its players.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// Name of the map.
    pub(super) map: Vec<u8>,
    /// The game has two teams.
    pub(super) teams: bool,
    /// It is a race.
    pub(super) race: bool,
    /// Everybody plays to win, whatever the side.
    pub(super) for_oneself: bool,
    /// Points are to be held, and no flags.
    pub(super) points: bool,
    /// By slot, as far as the highest that ever was told of: it stays when that one goes, for those who remember players.
    players: Vec<Option<Named>>,
    /// Those who play, where they are two and the game has no teams.
    duel: Option<[usize; 2]>,
}

/// Name and team of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The name, as the bytes in the file.
    pub(crate) name: Vec<u8>,
    /// Number of the team.
    pub(super) team: Option<usize>,
}

impl Named {
    /// A player as a configstring has it; `None` in one that names nobody.
    pub(crate) fn by(info: &[u8]) -> Option<Named> {
        let name = info_value(info, "n")?.to_vec();
        Some(Named { name, team: number(info, "t") })
    }

    /// Name of the team.
    pub(crate) fn team_name(&self) -> Option<&'static str> {
        TEAMS.get(self.team?).copied()
    }
}

impl Known {
    /// A level begins.
    pub(super) fn begin(&mut self, strings: &Configstrings, dialect: &Dialect, module: Module) {
        let players = dialect.layout.indices.players;
        let players = players..players.saturating_add(Indices::PLAYERS);
        [SERVER_INFO].into_iter().chain(players).for_each(|index| self.change(index, strings, dialect, module));
    }

    /// A configstring changed.
    pub(super) fn change(&mut self, index: u16, strings: &Configstrings, dialect: &Dialect, module: Module) {
        let info = strings.get(index);
        if index == SERVER_INFO {
            self.map = info_value(info, "mapname").unwrap_or_default().to_vec();
            let game: Option<i32> = number(info, "g_gametype");
            self.race = game.is_some_and(|game| is_race(module, game));
            self.for_oneself = game.is_some_and(|game| is_for_oneself(module, game));
            self.points = game.is_some_and(|game| has_points(module, game));
            self.teams = game.and_then(|game| has_teams(module, game)).unwrap_or_else(|| self.is_any_in_team());
        }
        let Some(slot) = dialect.layout.indices.player(index).map(usize::from) else { return };
        let named = Named::by(info);
        if self.players.len() <= slot && named.is_some() {
            self.players.resize(slot + 1, None);
        }
        if let Some(place) = self.players.get_mut(slot) {
            *place = named;
        }
        if !module.has_known_numbers() {
            self.teams = self.is_any_in_team();
        }
        self.duel = self.two();
    }

    fn is_any_in_team(&self) -> bool {
        self.players.iter().flatten().any(|player| matches!(player.team, Some(1 | 2)))
    }

    fn two(&self) -> Option<[usize; 2]> {
        let plays = |player: &Option<Named>| player.as_ref().is_some_and(|player| player.team == Some(0));
        let mut all = self.players.iter().enumerate().filter(|(_, player)| plays(player)).map(|(slot, _)| slot);
        let two = [all.next()?, all.next()?];
        all.next().is_none().then_some(two)
    }

    /// The slots of both players, where two play and the game has no teams.
    pub(super) fn duel(&self) -> Option<[usize; 2]> {
        self.duel.filter(|_| !self.teams)
    }

    /// One more than the highest slot of a player so far.
    pub(super) fn slots(&self) -> usize {
        self.players.len()
    }

    /// True for a slot of somebody who watches.
    pub(super) fn watches(&self, slot: usize) -> bool {
        self.player(slot).is_some_and(|player| player.team == Some(SPECTATOR))
    }

    /// The player in a slot.
    pub(super) fn player(&self, slot: usize) -> Option<&Named> {
        self.players.get(slot)?.as_ref()
    }
}

fn number<T: std::str::FromStr>(info: &[u8], key: &str) -> Option<T> {
    std::str::from_utf8(info_value(info, key)?).ok()?.trim().parse().ok()
}
