//! Who is in a replay: names, teams, colours.

use std::collections::HashMap;

use super::absent;
use crate::error::Result;
use crate::view::{Index, Replay, Values, Who};

/// Colours of players, by slot: apart for those too who see colours less well. The page has the same.
pub(super) const COLORS: [&str; 10] =
    ["#4c8dff", "#f0883e", "#3fb68b", "#d26bd0", "#e3c04a", "#56c2d6", "#e5534b", "#9aa0f0", "#a3c964", "#d99a86"];
/// Colours of teams, by their order.
pub(super) const TEAM_COLORS: [&str; 4] = ["#e5534b", "#4c8dff", "#e3c04a", "#3fb68b"];
/// Teams whose names tell their colours, by number of the colour.
const COLORED: [(&str, usize); 4] = [("red", 0), ("blue", 1), ("yellow", 2), ("green", 3)];
/// Names of teams of those who do not play, or of everybody for themselves.
const NO_TEAM: [&str; 3] = ["", "free", "spectator"];
/// Games that tell whether they are of teams. The page has the same.
const TELL_TEAMS: [&str; 2] = ["quakeworld", "quake3"];
/// What has no other colour.
pub(super) const GRAY: &str = "#8a94a1";

/// A player.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) slot: u32,
    /// The name that was told last.
    pub(super) name: String,
    /// The team, in a game of teams.
    pub(super) team: Option<String>,
    pub(super) color: &'static str,
    /// All names, for those who look for one.
    names: Vec<String>,
    pub(super) chosen: bool,
}

/// The players.
#[derive(Debug)]
pub(super) struct People {
    /// By slot.
    all: Vec<Person>,
    /// Where in `all` the first is who had a name.
    named: HashMap<String, usize>,
    teams: Vec<String>,
    /// Colours of the teams.
    colors: Vec<&'static str>,
    anybody: bool,
}

impl People {
    /// The players of a replay; those are chosen whose names contain one of `wanted`.
    ///
    /// # Errors
    /// Nobody has such a name.
    pub(super) fn of(replay: &Replay, index: &Index<'_>, wanted: &[String]) -> Result<Self> {
        let mut all: Vec<Person> =
            replay.names().filter_map(|(slot, names)| Person::of(replay, index, slot, names, wanted)).collect();
        all.sort_by_key(|person| person.slot);
        // Who stands in a team and never in the level only watches.
        let mut seen: Vec<u32> = replay.tracks.iter().filter_map(|track| track.slot()).collect();
        seen.sort_unstable();
        let plays = |person: &&Person| seen.is_empty() || seen.binary_search(&person.slot).is_ok();
        let mut teams: Vec<_> = all.iter().filter(plays).filter_map(|person| person.team.clone()).collect();
        teams.sort();
        teams.dedup();
        // QuakeWorld and Quake III tell whether it is one; there whoever says to be of a team may be so in any game.
        let told = TELL_TEAMS.contains(&&*replay.about.game);
        let colored = |team: &String| COLORED.iter().any(|(name, _)| same(team, name));
        if !(replay.about.teams || !told && teams.iter().any(colored)) {
            teams.clear();
            all.iter_mut().for_each(|person| person.team = None);
        }
        let colors = colors_of(&teams);
        let mut named = HashMap::new();
        for (n, person) in all.iter_mut().enumerate() {
            let own = COLORS[n % COLORS.len()];
            person.color = person.team.as_deref().map_or(own, |team| color_of(team, &teams, &colors));
            for name in &person.names {
                named.entry(name.clone()).or_insert(n);
            }
        }
        for name in wanted {
            if !all.iter().any(|person| person.is_called(name)) {
                let names: Vec<_> = all.iter().map(|person| &*person.name).collect();
                let there = if names.is_empty() { "no player".to_owned() } else { names.join(", ") };
                return Err(absent(format!("no player's name contains {name:?}: there is {there}")));
            }
        }
        Ok(People { all, named, teams, colors, anybody: wanted.is_empty() })
    }

    /// Those who were asked for.
    pub(super) fn chosen(&self) -> impl Iterator<Item = &Person> {
        self.all.iter().filter(|person| person.chosen)
    }

    /// The teams of a game of teams.
    pub(super) fn teams(&self) -> &[String] {
        &self.teams
    }

    pub(super) fn color_of_team(&self, team: &str) -> &'static str {
        color_of(team, &self.teams, &self.colors)
    }

    pub(super) fn by_slot(&self, slot: u32) -> Option<&Person> {
        self.all.get(self.all.binary_search_by_key(&slot, |person| person.slot).ok()?)
    }

    /// True for somebody who was asked for, by slot where it is told, else by name.
    pub(super) fn wants(&self, who: Option<&Who>) -> bool {
        let known = who.and_then(|who| self.person(who));
        match (who, known) {
            (_, Some(person)) => person.chosen,
            _ => self.anybody,
        }
    }

    pub(super) fn person(&self, who: &Who) -> Option<&Person> {
        let by_slot = who.slot.and_then(|slot| self.by_slot(u32::try_from(slot).ok()?));
        by_slot.or_else(|| self.all.get(*self.named.get(&who.name)?))
    }

    pub(super) fn color(&self, who: Option<&Who>) -> &'static str {
        who.and_then(|who| self.person(who)).map_or(GRAY, |person| person.color)
    }
}

impl Person {
    /// The player of a slot; none of those who only watch.
    fn of(replay: &Replay, index: &Index<'_>, slot: u32, values: &Values, wanted: &[String]) -> Option<Self> {
        if !index.plays(slot, values) {
            return None;
        }
        let mut names = texts(replay, values);
        names.retain(|name| !name.is_empty());
        let name = names.last()?.clone();
        let mut teams =
            index.values_of(Some(slot), "team").map(|it| texts(replay, &in_levels(replay, it))).unwrap_or_default();
        teams.retain(|team| !NO_TEAM.iter().any(|name| same(team, name)));
        let mut person = Person { slot, name, team: teams.pop(), color: GRAY, names, chosen: false };
        person.chosen = wanted.is_empty() || wanted.iter().any(|name| person.is_called(name));
        Some(person)
    }

    fn is_called(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        self.names.iter().any(|name| name.to_lowercase().contains(&part))
    }
}

fn texts(replay: &Replay, values: &Values) -> Vec<String> {
    let told = values.keys.iter().filter_map(|(_, v)| u32::try_from((*v)?).ok());
    told.map(|number| replay.string(number).to_owned()).collect()
}

/// Teams as they are told in levels of teams, where the recording tells which these are.
fn in_levels(replay: &Replay, teams: &Values) -> Values {
    let levels = &replay.about.levels;
    // In a part, levels behind it begin where it ends.
    let end = replay.rows.len() as u32;
    let counts = |n: usize, from: u32| {
        let until = teams.keys.get(n + 1).map_or(end, |key| key.0);
        let first = levels.partition_point(|level| level.row <= from).saturating_sub(1);
        let mut within = levels.iter().skip(first).take_while(|level| level.row < until);
        !replay.about.teams || within.any(|level| level.teams)
    };
    let keys = teams.keys.iter().enumerate().filter(|(n, (row, _))| counts(*n, *row));
    Values { keys: keys.map(|(_, key)| *key).collect(), ..*teams }
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// The number of the colour that the name of a team says.
fn color_said(team: &str) -> Option<usize> {
    COLORED.iter().find(|(name, _)| same(team, name)).map(|(_, n)| *n)
}

/// The colours of teams: what their names say, else those that no other team's name says.
fn colors_of(teams: &[String]) -> Vec<&'static str> {
    let said: Vec<Option<usize>> = teams.iter().map(|team| color_said(team)).collect();
    let mut free = (0..TEAM_COLORS.len()).filter(|n| !said.contains(&Some(*n))).collect::<Vec<_>>().into_iter().cycle();
    let numbers = said.iter().map(|said| said.or_else(|| free.next()));
    numbers.map(|n| n.and_then(|n| TEAM_COLORS.get(n).copied()).unwrap_or(GRAY)).collect()
}

/// The colour of one of these teams, or of one whose name says it.
fn color_of(team: &str, teams: &[String], colors: &[&'static str]) -> &'static str {
    let of_teams = || colors.get(teams.binary_search_by(|it| it.as_str().cmp(team)).ok()?).copied();
    let said = color_said(team).and_then(|n| TEAM_COLORS.get(n).copied());
    said.or_else(of_teams).unwrap_or(GRAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_same_colors() {
        let page = include_str!("../view/page/scene.js");
        for colors in [&COLORS[..], &TEAM_COLORS] {
            let list: Vec<_> = colors.iter().map(|color| format!("{color:?}")).collect();
            assert!(page.contains(&format!("[{}]", list.join(", "))), "{list:?}");
        }
        assert!(page.contains(&format!("/^({})$/", TELL_TEAMS.join("|"))));
    }

    /// Who comes to watch, leaves, and comes again to watch has never played.
    #[test]
    fn who_only_watched_is_no_player() {
        let mut replay = Replay { rows: (0..100).collect(), ..Replay::default() };
        replay.about.strings = ["name", "spectator", "one"].map(str::to_owned).to_vec();
        let values = |name, v| Values { slot: Some(0), name, keys: vec![(0, v), (20, None), (50, v), (60, None)] };
        replay.values = vec![values(0, Some(2)), values(1, Some(1))];
        let players = |replay: &Replay| People::of(replay, &Index::new(replay), &[]).unwrap().chosen().count();
        assert_eq!(players(&replay), 0);
        replay.values[1].keys[2] = (55, Some(1));
        assert_eq!(players(&replay), 1, "it played for a while");
    }

    #[test]
    fn teams_have_colors_of_their_own() {
        let teams = ["=SF=", "blue", "red"].map(str::to_owned);
        let colors = colors_of(&teams);
        assert_eq!(colors, [TEAM_COLORS[2], TEAM_COLORS[1], TEAM_COLORS[0]]);
        let of = |team| color_of(team, &teams, &colors);
        assert_eq!(["=SF=", "RED", "green", "nobody"].map(of), [TEAM_COLORS[2], TEAM_COLORS[0], TEAM_COLORS[3], GRAY]);
    }
}
