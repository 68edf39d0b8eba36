//! Numbers of a period as boards for people: what stands in which column, and what is left out.

use super::measure::{Measure, Numbers, WeaponMeasure};
use super::period::Period;
use super::player::Player;
use crate::world::DemoTime;

/// A board: headings, and rows of as many cells. Cells may hold anything that a recording says.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, analysis::stats::{stats, Board}};
/// let mut boards = Vec::new();
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// stats(demo, "oa-dm4.dm_71", Limits::default(), &mut |period| Ok(boards.push(Board::players(&period))))?;
/// assert_eq!(boards[0].heads[0].name, "Name");
/// assert!(boards[0].rows.iter().any(|row| row[0] == "Sarge"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    /// What stands above the columns.
    pub heads: Vec<Head>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// The head of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// What the column is, for people.
    pub name: String,
    /// Its cells are numbers.
    pub numbers: bool,
}

/// Columns of players.
const COLUMNS: [(&str, Measure); 17] = [
    ("Score", Measure::Score),
    ("Frags", Measure::Frags),
    ("Kills", Measure::Kills),
    ("Deaths", Measure::Deaths),
    ("Suicides", Measure::Suicides),
    ("World", Measure::WorldDeaths),
    ("Team kills", Measure::TeamKills),
    ("Streak", Measure::Streak),
    ("Flags", Measure::FlagsTaken),
    ("Captures", Measure::Captures),
    ("Returns", Measure::FlagsReturned),
    ("Damage", Measure::DamageGiven),
    ("Taken", Measure::DamageTaken),
    ("Team damage", Measure::DamageTeam),
    ("Self damage", Measure::DamageSelf),
    ("Accuracy", Measure::Accuracy),
    ("Ping", Measure::Ping),
];

impl Board {
    fn new<'h>(texts: &[&str], numbers: impl IntoIterator<Item = &'h str>) -> Self {
        let head = |name: &str, numbers| Head { name: name.to_owned(), numbers };
        let texts = texts.iter().map(|name| head(name, false));
        let heads = texts.chain(numbers.into_iter().map(|name| head(name, true))).collect();
        Board { heads, rows: Vec::new() }
    }

    /// Everybody who played, and the teams: what they scored, and how.
    pub fn players(period: &Period) -> Self {
        let numbers = COLUMNS.iter().map(|(head, _)| *head).chain(["Eff", "Time"]);
        let mut board = Board::new(&["Name", "Team"], numbers);
        let cells = |counted: &Numbers, reported: &Numbers| -> Vec<String> {
            let number = |measure: Measure| {
                // Where it is not told who did damage, what was counted is of all kinds; what the game tells is by enemies.
                let of_all = measure == Measure::DamageTaken && counted.get(Measure::DamageGiven).is_none();
                let told = reported.get(measure).filter(|_| of_all);
                // Only the game tells some.
                let value = told.or_else(|| counted.get(measure)).or_else(|| reported.get(measure));
                use Measure::{Captures, DamageTeam, FlagsReturned, FlagsTaken, TeamKills, WorldDeaths};
                let idle =
                    matches!(measure, WorldDeaths | TeamKills | DamageTeam | FlagsTaken | Captures | FlagsReturned);
                some(value.filter(|value| *value != 0 || !idle))
            };
            let mut cells: Vec<_> = COLUMNS.iter().map(|(_, measure)| number(*measure)).collect();
            cells.push(some(counted.efficiency().map(|e| format!("{e:.1}"))));
            cells.push(some(counted.get(Measure::TimeMs).map(DemoTime::from_ms)));
            cells
        };
        let mut add = |name: &str, team: &str, counted, reported| {
            let names = [name.to_owned(), team.to_owned()];
            board.rows.push(names.into_iter().chain(cells(counted, reported)).collect());
        };
        for player in &period.players {
            let team = player.who.team.as_deref().filter(|_| period.in_teams).unwrap_or_default();
            add(&player.who.name, team, &player.counted, &player.reported);
        }
        period.teams.iter().for_each(|team| add("", &team.name, &team.counted, &team.reported));
        board.without_empty_columns()
    }

    /// The weapons of each player; the name stands in the first row of each.
    pub fn weapons(period: &Period) -> Self {
        use WeaponMeasure::{Damage, Deaths, Drops, Hits, Kills, Pickups, Shots, Suicides, TeamKills};
        // The accuracy stands behind what it follows from.
        let (before, behind) = ([Kills, Deaths, TeamKills, Suicides, Shots, Hits], [Damage, Pickups, Drops]);
        let heads = |measures: &[WeaponMeasure]| measures.iter().map(|m| heading(m.name())).collect::<Vec<_>>();
        let (first, last) = (heads(&before), heads(&behind));
        let numbers = first.iter().map(|it| &**it).chain(["Acc"]).chain(last.iter().map(|it| &**it));
        let mut board = Board::new(&["Name", "Weapon"], numbers);
        for player in &period.players {
            let mut name = player.who.name.clone();
            let both = [&player.counted, &player.reported];
            for weapon in names(both.into_iter().flat_map(Numbers::weapons).map(|(weapon, _)| weapon)) {
                let [counted, reported] = both.map(|n| n.weapon(weapon).copied().unwrap_or_default());
                let number = |m| some(counted.get(m).or_else(|| reported.get(m)).filter(|v| *v != 0));
                let share = some(counted.accuracy().or_else(|| reported.accuracy()).map(|a| format!("{a:.1}")));
                let cells: Vec<_> = before.map(number).into_iter().chain([share]).chain(behind.map(number)).collect();
                if cells.iter().any(|cell| !cell.is_empty()) {
                    board.rows.push([std::mem::take(&mut name), weapon.to_owned()].into_iter().chain(cells).collect());
                }
            }
        }
        board.without_empty_columns()
    }

    /// How often each player took which item; without rows where nobody took anything.
    pub fn items(period: &Period) -> Self {
        let taken = |numbers: &Numbers, name: &str| numbers.taken(name).filter(|n| *n != 0);
        let of = |player: &Player, name: &str| taken(&player.counted, name).or_else(|| taken(&player.reported, name));
        let all = period.players.iter().flat_map(|p| [&p.counted, &p.reported]);
        let names =
            names(all.flat_map(|numbers| {
                numbers.items().map(|(name, _)| name).filter(|name| taken(numbers, name).is_some())
            }));
        let mut board = Board::new(&["Items"], names.iter().copied());
        let row = |player: &Player| {
            let cells = names.iter().map(|name| some(of(player, name)));
            [player.who.name.clone()].into_iter().chain(cells).collect()
        };
        if !names.is_empty() {
            board.rows = period.players.iter().map(row).collect();
        }
        board
    }

    /// Leaves out columns of numbers in which nothing stands, and texts likewise.
    fn without_empty_columns(mut self) -> Self {
        let is_used = |n: usize| self.rows.iter().any(|row| row.get(n).is_some_and(|cell| !cell.is_empty()));
        let used: Vec<bool> = (0..self.heads.len()).map(is_used).collect();
        let keep = |n: &mut usize| used.get(std::mem::replace(n, *n + 1)).copied().unwrap_or_default();
        let mut n = 0;
        self.heads.retain(|_| keep(&mut n));
        for row in &mut self.rows {
            let mut n = 0;
            row.retain(|_| keep(&mut n));
        }
        self
    }
}

fn some(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Each name once, in order.
fn names<'n>(all: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut all: Vec<_> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The heading above a number: its name, as people write it.
fn heading(name: &str) -> String {
    let mut name = name.replace('_', " ");
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}
