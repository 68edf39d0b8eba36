//! The scores of teams, where the game does not tell them: sums of what players have.

use std::collections::{BTreeMap, HashMap};

use super::people::{People, Person};
use super::told::Told;
use crate::event::roster::tells_apart;
use crate::view::{Index, Replay, Values};

/// The sums of the scores of each team's players over time. What one of them had who left still counts for the team of then,
/// until a level or a match begins, or somebody of that name comes; not for names that many have.
pub(super) fn sums(replay: &Replay, index: &Index<'_>, people: &People) -> Vec<Vec<(i64, Option<f64>)>> {
    let teams: HashMap<&str, usize> = people.teams().iter().enumerate().map(|(n, team)| (&**team, n)).collect();
    let members: Vec<_> = people.chosen().filter_map(|person| Member::of(replay, index, person)).collect();
    let rows = members.iter().enumerate().flat_map(|(n, member)| member.rows().into_iter().map(move |row| (row, n)));
    let mut changes: Vec<(u32, usize)> = rows.collect();
    changes.sort_unstable();
    let levels = replay.about.levels.iter().filter_map(|level| replay.rows.get(level.row as usize).copied());
    let mut begins: Vec<i64> = levels.chain(replay.about.matches.iter().map(|it| it.from_ms)).collect();
    begins.sort_unstable();
    let mut begins = begins.into_iter().peekable();
    let mut sums = Sums::new(replay, people.teams().len(), members);
    for at_once in changes.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(row, _)) = at_once.first() else { continue };
        let Some(now) = replay.rows.get(row as usize).copied() else { continue };
        while let Some(begin) = begins.next_if(|begin| *begin < now) {
            sums.begin(begin);
        }
        for (_, n) in at_once {
            sums.change(*n, row, &|team| teams.get(replay.string(team)).copied());
        }
        while begins.next_if(|begin| *begin == now).is_some() {
            sums.begin(now);
        }
        sums.note(now);
    }
    let end = replay.rows.last().copied().unwrap_or_default();
    begins.filter(|begin| *begin <= end).for_each(|begin| sums.begin(begin));
    sums.finish(end)
}

/// A player whose score is part of the sum of a team.
struct Member<'r> {
    score: Told<'r>,
    teams: Option<&'r Values>,
    /// The name that was told last.
    name: Option<i64>,
    /// What counts: how much, for which team, and whether the player is still there.
    counted: Option<Counted>,
}

#[derive(Clone, Copy)]
struct Counted {
    score: f64,
    team: Option<usize>,
    is_there: bool,
}

impl<'r> Member<'r> {
    fn of(replay: &'r Replay, index: &Index<'r>, person: &Person) -> Option<Self> {
        let score = Told::of(replay, index, Some(person.slot), "frags")?;
        Some(Member { score, teams: index.values_of(Some(person.slot), "team"), name: None, counted: None })
    }

    fn rows(&self) -> Vec<u32> {
        let mut rows = self.score.rows();
        rows.extend(self.teams.into_iter().flat_map(|teams| &teams.keys).map(|key| key.0));
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

/// Running sums of teams.
struct Sums<'r> {
    replay: &'r Replay,
    members: Vec<Member<'r>>,
    now: Vec<f64>,
    points: Vec<Vec<(i64, Option<f64>)>>,
    /// Teams whose sums changed since they were noted.
    changed: Vec<usize>,
    /// Who left and may still count, by name.
    left: BTreeMap<i64, Vec<usize>>,
    /// Who came under which name since the sums were noted.
    came: Vec<(i64, usize)>,
}

impl<'r> Sums<'r> {
    fn new(replay: &'r Replay, teams: usize, members: Vec<Member<'r>>) -> Self {
        Sums {
            replay,
            members,
            now: vec![0.0; teams],
            points: vec![Vec::new(); teams],
            changed: Vec::new(),
            left: BTreeMap::new(),
            came: Vec::new(),
        }
    }

    /// Takes in what is told of a player at a row.
    fn change(&mut self, n: usize, row: u32, team_of: &dyn Fn(u32) -> Option<usize>) {
        let Some(member) = self.members.get_mut(n) else { return };
        let (before, name_before) = (member.counted, member.name);
        let score = member.score.at(row);
        let team = member.teams.and_then(|teams| teams.at(row)).and_then(|team| team_of(u32::try_from(team).ok()?));
        // The last score of who begins to watch is that of the team in which it was reached.
        let team = if member.score.watches(row) { before.and_then(|before| before.team) } else { team };
        member.name = member.score.name(row).or(member.name);
        member.counted = match score {
            Some(score) => Some(Counted { score, team, is_there: true }),
            None => before.map(|before| Counted { is_there: false, ..before }),
        };
        let (now, name) = (member.counted, member.name);
        self.add(before, -1.0);
        self.add(now, 1.0);
        let is_there = |it: Option<Counted>| it.is_some_and(|it| it.is_there);
        if (is_there(before), name_before) == (is_there(now), name) {
            return;
        }
        let Some(name) = name else { return };
        if is_there(now) {
            self.came.push((name, n));
        } else if now.is_some() {
            self.left.entry(name).or_default().push(n);
        }
    }

    fn add(&mut self, counted: Option<Counted>, sign: f64) {
        let Some((team, score)) = counted.and_then(|it| Some((it.team?, it.score))) else { return };
        if let Some(sum) = self.now.get_mut(team) {
            *sum += sign * score;
            self.changed.push(team);
        }
    }

    /// What somebody had who left counts no longer; false for one of whom nothing counts.
    fn forget(&mut self, n: usize) -> bool {
        let counted = self.members.get_mut(n).and_then(|member| member.counted.take_if(|it| !it.is_there));
        self.add(counted, -1.0);
        counted.is_some()
    }

    /// A level or a match begins.
    fn begin(&mut self, ms: i64) {
        let left = std::mem::take(&mut self.left);
        for n in left.into_values().flatten() {
            self.forget(n);
        }
        self.note(ms);
    }

    /// Whoever comes is one of those who left under that name, if there are any.
    fn is_back(&mut self, name: i64, n: usize) {
        let tells = u32::try_from(name).is_ok_and(|name| tells_apart(self.replay.string(name).as_bytes()));
        let Some(left) = self.left.get_mut(&name).filter(|_| tells) else { return };
        // Who has the same slot again has another score there already.
        if let Some(at) = left.iter().position(|it| *it == n) {
            left.remove(at);
            return;
        }
        while let Some(n) = self.left.get_mut(&name).and_then(Vec::pop) {
            let has_left = self.members.get(n).is_some_and(|member| member.name == Some(name));
            if has_left && self.forget(n) {
                return;
            }
        }
    }

    /// Notes the sums that changed.
    fn note(&mut self, ms: i64) {
        for (name, n) in std::mem::take(&mut self.came) {
            self.is_back(name, n);
        }
        self.changed.sort_unstable();
        self.changed.dedup();
        for team in self.changed.drain(..) {
            let (Some(sum), Some(points)) = (self.now.get(team), self.points.get_mut(team)) else { continue };
            if points.last().is_none_or(|(_, last)| *last != Some(*sum)) {
                points.push((ms, Some(*sum)));
            }
        }
    }

    fn finish(mut self, end: i64) -> Vec<Vec<(i64, Option<f64>)>> {
        for points in &mut self.points {
            points.extend(points.last().map(|(_, last)| (end, *last)));
        }
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{LevelAt, MatchAt};

    /// What one who left had is the team's, until a match or a level begins, or the same one is there again.
    #[test]
    fn who_leaves_leaves_the_score_to_the_team() {
        let mut replay = Replay { rows: (0..10).map(|n| n * 100).collect(), ..Replay::default() };
        replay.about.game = "quake2".to_owned();
        replay.about.strings = ["name", "team", "frags", "red", "a", "b", ""].map(str::to_owned).to_vec();
        let mut add = |slot, name, frags: &[(u32, Option<i64>)]| {
            let texts = |name, v| Values { slot: Some(slot), name, keys: vec![(0, Some(v))] };
            let frags = Values { slot: Some(slot), name: 2, keys: frags.to_vec() };
            replay.values.extend([texts(0, name), texts(1, 3), frags]);
        };
        add(0, 4, &[(0, Some(1)), (2, Some(9)), (4, Some(0)), (5, None)]);
        add(1, 5, &[(0, Some(5)), (8, Some(6))]);
        replay.values[0].keys.extend([(4, Some(6)), (5, None)]);
        let at = |replay: &Replay| {
            let index = Index::new(replay);
            let sums = sums(replay, &index, &People::of(replay, &index, &[]).unwrap());
            let at = |ms: i64| sums[0].iter().rev().find(|(then, _)| *then <= ms).and_then(|(_, v)| *v).unwrap() as i64;
            [0, 300, 400, 600, 800, 900].map(at)
        };
        assert_eq!(at(&replay), [6, 14, 14, 14, 15, 15]);
        replay.about.matches = vec![MatchAt { from_ms: 600, to_ms: 900 }];
        assert_eq!(at(&replay), [6, 14, 14, 5, 6, 6]);
        replay.about.matches.clear();
        replay.about.levels = [0, 6].map(|row| LevelAt { row, ..LevelAt::default() }).to_vec();
        assert_eq!(at(&replay), [6, 14, 14, 5, 6, 6]);
        replay.about.levels.clear();
        let again = [(5, Some(0)), (8, Some(9))];
        let texts = |name, v| Values { slot: Some(2), name, keys: vec![(5, Some(v))] };
        replay.values.extend([texts(0, 4), texts(1, 3), Values { slot: Some(2), name: 2, keys: again.to_vec() }]);
        assert_eq!(at(&replay), [6, 14, 14, 5, 15, 15]);
    }

    fn values(slot: u32, name: u32, keys: &[(u32, i64)]) -> Values {
        Values { slot: Some(slot), name, keys: keys.iter().map(|(row, v)| (*row, Some(*v))).collect() }
    }

    /// Rows of 100 ms; the first strings are `name`, `team`, `frags`, `spectator`.
    fn of_teams(rows: u32, strings: &[&str]) -> Replay {
        let mut replay = Replay { rows: (0..rows).map(|n| i64::from(n) * 100).collect(), ..Replay::default() };
        replay.about.game = "quake2".to_owned();
        replay.about.strings =
            ["name", "team", "frags", "spectator"].iter().chain(strings).map(|it| (*it).to_owned()).collect();
        replay
    }

    /// The sums of all teams at some times.
    fn sums_at<const N: usize>(replay: &Replay, times: [i64; N]) -> Vec<[Option<i64>; N]> {
        let index = Index::new(replay);
        let sums = sums(replay, &index, &People::of(replay, &index, &[]).unwrap());
        let at = |points: &[(i64, Option<f64>)], ms: i64| {
            points.iter().rev().find(|(then, _)| *then <= ms).and_then(|(_, v)| *v).map(|v| v as i64)
        };
        sums.iter().map(|points| times.map(|ms| at(points, ms))).collect()
    }

    /// A score is that of the team in which the player is at the time.
    #[test]
    fn who_changes_teams_takes_the_score_along_from_then_on() {
        let mut replay = of_teams(10, &["blue", "red", "Anna", "Bob", "Cid"]);
        replay.values = vec![
            values(0, 0, &[(0, 6)]),
            values(0, 1, &[(0, 5), (5, 4)]),
            values(0, 2, &[(0, 10), (7, 11)]),
            values(1, 0, &[(0, 7)]),
            values(1, 1, &[(0, 4)]),
            values(1, 2, &[(0, 3)]),
            values(2, 0, &[(0, 8)]),
            values(2, 1, &[(0, 5)]),
            values(2, 2, &[(0, 2)]),
        ];
        let [blue, red] = [[3, 3, 13, 14], [12, 12, 2, 2]].map(|sums| sums.map(Some));
        assert_eq!(sums_at(&replay, [0, 400, 500, 900]), [blue, red]);
    }

    /// Servers of QuakeWorld tell -999 of who watches, before or behind that it is so.
    #[test]
    fn who_goes_to_watch_leaves_the_score_to_the_team() {
        let mut replay = of_teams(10, &["red", "Anna", "Cid"]);
        replay.values = vec![
            values(0, 0, &[(0, 5)]),
            values(0, 1, &[(0, 4)]),
            values(0, 2, &[(0, 10), (5, -999), (8, 0)]),
            Values { slot: Some(0), name: 3, keys: vec![(4, Some(1)), (8, None)] },
            values(1, 0, &[(0, 6)]),
            values(1, 1, &[(0, 4)]),
            values(1, 2, &[(0, 2), (6, 3)]),
        ];
        assert_eq!(sums_at(&replay, [0, 400, 500, 600, 800]), [[12, 12, 12, 13, 3].map(Some)]);
    }

    /// Whoever gives up goes to watch, and the score that is told with that is the last one.
    #[test]
    fn who_goes_to_watch_may_have_a_last_score() {
        let mut replay = of_teams(10, &["red", "spectator", "Anna", "Cid"]);
        replay.values = vec![
            values(0, 0, &[(0, 6)]),
            values(0, 1, &[(0, 4), (4, 5)]),
            values(0, 2, &[(0, 10), (4, 9), (6, 20)]),
            Values { slot: Some(0), name: 3, keys: vec![(4, Some(1))] },
            values(1, 0, &[(0, 7)]),
            values(1, 1, &[(0, 4)]),
            values(1, 2, &[(0, 2)]),
        ];
        assert_eq!(sums_at(&replay, [0, 300, 400, 500, 900]), [[12, 12, 11, 11, 11].map(Some)]);
        // Games set the score of who goes to 0.
        for none in [0, -999] {
            replay.values[2] = values(0, 2, &[(0, 10), (4, none), (6, 20)]);
            assert_eq!(sums_at(&replay, [0, 300, 400, 500, 900]), [[12; 5].map(Some)]);
        }
    }

    /// Somebody of that name who was there all along is somebody else, and so is whoever has a name that many have.
    #[test]
    fn who_leaves_is_not_a_namesake() {
        let of = |name: &str| {
            let mut replay = of_teams(10, &["red", name]);
            let leaves = |slot, name, v| Values { slot: Some(slot), name, keys: vec![(0, Some(v)), (4, None)] };
            replay.values = vec![
                leaves(0, 0, 5),
                leaves(0, 1, 4),
                leaves(0, 2, 10),
                values(1, 0, &[(0, 5)]),
                values(1, 1, &[(0, 4)]),
                values(1, 2, &[(0, 2), (5, 3)]),
            ];
            replay
        };
        for (name, back) in [("Anna", 4), ("unnamed", 14)] {
            let mut replay = of(name);
            assert_eq!(sums_at(&replay, [300, 400, 500, 700, 900]), [[12, 12, 13, 13, 13].map(Some)]);
            // Another one comes.
            replay.values.extend([values(2, 0, &[(7, 5)]), values(2, 1, &[(7, 4)]), values(2, 2, &[(7, 1)])]);
            assert_eq!(sums_at(&replay, [300, 400, 500, 700, 900]), [[12, 12, 13, back, back].map(Some)]);
        }
    }

    /// Of two who left one comes back, in either slot.
    #[test]
    fn one_who_comes_back_is_one() {
        for (slot, sum) in [(0, 3), (2, 11)] {
            let mut replay = of_teams(10, &["red", "Anna", "Bob"]);
            replay.values = vec![values(3, 0, &[(0, 6)]), values(3, 1, &[(0, 4)]), values(3, 2, &[(0, 0)])];
            for (slot, frags) in [(0, 10), (1, 2)] {
                let leaves = |name, v| Values { slot: Some(slot), name, keys: vec![(0, Some(v)), (4, None)] };
                replay.values.extend([leaves(0, 5), leaves(1, 4), leaves(2, frags)]);
            }
            for (name, v) in [(0, 5), (1, 4), (2, 1)] {
                match replay.values.iter_mut().find(|it| it.slot == Some(slot) && it.name == name) {
                    Some(own) => own.keys.push((7, Some(v))),
                    None => replay.values.push(values(slot, name, &[(7, v)])),
                }
            }
            assert_eq!(sums_at(&replay, [300, 500, 700]), [[12, 12, sum].map(Some)], "{slot}");
        }
    }

    /// People who came one after the other cost as much as they are, not as many as there are of pairs of them.
    #[test]
    fn sums_of_many_are_made_at_once() {
        const PEOPLE: u32 = 3000;
        let mut replay = of_teams(2 * PEOPLE, &["red"]);
        for n in 0..PEOPLE {
            replay.about.strings.push(format!("p{n}"));
            let until = |name, v| Values { slot: Some(n), name, keys: vec![(2 * n, Some(v)), (2 * n + 1, None)] };
            replay.values.extend([until(0, i64::from(n) + 5), until(1, 4), until(2, 1)]);
        }
        let begun = std::time::Instant::now();
        assert_eq!(sums_at(&replay, [0, 200, i64::MAX]), [[1, 2, i64::from(PEOPLE)].map(Some)]);
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }
}
