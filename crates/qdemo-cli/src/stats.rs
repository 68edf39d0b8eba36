//! `qdemo stats`: numbers of players, teams, weapons and items.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use clap::builder::NonEmptyStringValueParser;
use clap::{ValueEnum, ValueHint};
use qdemo::analysis::stats::{Measure, Numbers, Period, PeriodKind, Player, WeaponMeasure, stats};
use qdemo::world::DemoTime;
use qdemo::{Limits, table};

use crate::batch::{self, Outcome};
use crate::console::KEY;
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::item::Item;
use crate::names::Wanted;
use crate::report;
use crate::rows::{self, Columns, Layout};
use crate::session::Session;
use crate::show::{Safe, some};
use crate::table::Table;

/// Count frags, deaths, weapons, items and damage of each player in each match
///
/// Our numbers come from what the recording shows. Where the game sends its own, they stand beside ours, and what
/// differs is named. A level without a match counts as one; what is played before and after matches is left out.
/// docs/tables.md defines each number.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo stats duel.mvd
  qdemo stats duel.dm_68 --player bro
  qdemo stats --csv demos/ > players.csv
  qdemo stats --csv --table weapons demos/ > weapons.csv
  qdemo stats --json demos/ > stats.jsonl   one JSON object a line for every match, with a key file")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Only players whose name contains this, whatever its case
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    player: Option<String>,

    /// Also what is played before and after matches
    #[arg(long)]
    warmup: bool,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,

    /// Write CSV; docs/tables.md tells the columns
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// What the rows of CSV are about
    #[arg(long, value_name = "TABLE", value_enum, default_value_t = Which::Players, requires = "csv")]
    table: Which,

    #[command(flatten)]
    columns: Columns,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    /// Players
    Players,
    /// The weapons of each player
    Weapons,
    /// The items of each player
    Items,
}

impl Which {
    fn table(self) -> &'static table::Table {
        match self {
            Which::Players => &table::STATS,
            Which::Weapons => &table::WEAPON_STATS,
            Which::Items => &table::ITEM_STATS,
        }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    let layout = args.columns.of_csv(args.table.table(), args.csv)?;
    if args.csv {
        session.console.raw(&layout.headings(several)?)?;
    }
    let work = |item: &Item| one(item, args, &layout, several, limits);
    batch::run(session, inputs.items(), several, args.json || args.csv, Ok, work, |_| Ok(()))
}

fn one(item: &Item, args: &Args, layout: &Layout, several: bool, limits: Limits) -> Outcome {
    let wanted = args.player.as_ref().map(|name| name.to_lowercase());
    let wants = |player: &Player| wanted.as_ref().is_none_or(|name| player.who.name.to_lowercase().contains(name));
    let read = |input: &mut crate::source::LenientReader, name: &str| {
        let mut parts = Vec::new();
        let faults = stats(input, name, limits, &mut |mut period| {
            if args.warmup || matches!(period.kind, PeriodKind::Match | PeriodKind::Level) {
                period.players.retain(wants);
                parts.push(period);
            }
            Ok(())
        })?;
        Ok((parts, faults))
    };
    report::rows(item, limits, read, |(parts, faults), name| {
        let mut outcome = if args.json {
            report::lines(parts.iter().map(|period| report::line(name, period)))
        } else if args.csv {
            let rows = parts.iter().flat_map(|period| table::stats(layout.table(), period));
            rows::csv(rows, layout, several.then_some(name))
        } else {
            let head = if several { format!("{KEY}{}{KEY:#}\n", Safe(name)) } else { String::new() };
            Outcome::text(text(&parts, head))
        };
        report::warn(&mut outcome, &faults);
        outcome
    })
}

fn text(parts: &[Period], mut out: String) -> String {
    if parts.is_empty() {
        out.push_str("nothing\n");
    }
    for (n, period) in parts.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        heading(period, &mut out);
        people(period, &mut out);
        weapons(period, &mut out);
        items(period, &mut out);
        differences(period, &mut out);
    }
    out
}

fn heading(period: &Period, out: &mut String) {
    let what = period.kind.name();
    let _ = write!(out, "{KEY}{what}{KEY:#} on {}, {} to {}", Safe(&period.map), period.begin.demo, period.end.demo);
    if period.kind == PeriodKind::Match {
        out.push_str(match (period.begun, period.ended) {
            (true, true) => "",
            (false, true) => "; its beginning was not recorded",
            (true, false) => "; its end was not recorded",
            (false, false) => "; neither its beginning nor its end was recorded",
        });
        if let Some(ending) = period.ending {
            let _ = write!(out, "; ended by {}", ending.name().replace('_', " "));
        }
        if let Some(winner) = &period.winner {
            let _ = write!(out, "; {} won", Safe(winner));
        }
    }
    out.push('\n');
}

/// Columns of the first table, for people.
const COLUMNS: [(&str, Measure); 17] = [
    (">Score", Measure::Score),
    (">Frags", Measure::Frags),
    (">Kills", Measure::Kills),
    (">Deaths", Measure::Deaths),
    (">Suicides", Measure::Suicides),
    (">World", Measure::WorldDeaths),
    (">Team kills", Measure::TeamKills),
    (">Streak", Measure::Streak),
    (">Flags", Measure::FlagsTaken),
    (">Captures", Measure::Captures),
    (">Returns", Measure::FlagsReturned),
    (">Damage", Measure::DamageGiven),
    (">Taken", Measure::DamageTaken),
    (">Team damage", Measure::DamageTeam),
    (">Self damage", Measure::DamageSelf),
    (">Accuracy", Measure::Accuracy),
    (">Ping", Measure::Ping),
];

fn people(period: &Period, out: &mut String) {
    let mut heads = vec!["Name", "Team"];
    heads.extend(COLUMNS.iter().map(|(head, _)| *head));
    heads.extend([">Eff", ">Time"]);
    let mut table = Table::new(&heads);
    let cells = |counted: &Numbers, reported: &Numbers| -> Vec<String> {
        let number = |measure: Measure| {
            // Only the game tells some.
            let value = counted.get(measure).or_else(|| reported.get(measure));
            use Measure::{Captures, DamageTeam, FlagsReturned, FlagsTaken, TeamKills, WorldDeaths};
            let idle = matches!(measure, WorldDeaths | TeamKills | DamageTeam | FlagsTaken | Captures | FlagsReturned);
            some(value.filter(|value| *value != 0 || !idle))
        };
        let mut cells: Vec<_> = COLUMNS.iter().map(|(_, measure)| number(*measure)).collect();
        cells.push(some(counted.efficiency().map(|e| format!("{e:.1}"))));
        cells.push(some(counted.get(Measure::TimeMs).map(DemoTime::from_ms)));
        cells
    };
    for player in &period.players {
        let team = player.who.team.as_deref().filter(|_| period.in_teams).unwrap_or_default();
        let names = [Safe(&player.who.name).to_string(), Safe(team).to_string()];
        table.row(names.into_iter().chain(cells(&player.counted, &player.reported)));
    }
    for team in &period.teams {
        let names = [String::new(), Safe(&team.name).to_string()];
        table.row(names.into_iter().chain(cells(&team.counted, &team.reported)));
    }
    table.without_empty_columns().write(out, 2);
}

fn weapons(period: &Period, out: &mut String) {
    use WeaponMeasure::{Damage, Deaths, Drops, Hits, Kills, Pickups, Shots, Suicides, TeamKills};
    // The accuracy stands behind what it follows from.
    let (before, behind) = ([Kills, Deaths, TeamKills, Suicides, Shots, Hits], [Damage, Pickups, Drops]);
    let heads = |measures: &[WeaponMeasure]| measures.iter().map(|m| heading_of(m.name())).collect::<Vec<_>>();
    let names = ["Name", "Weapon"].map(str::to_owned);
    let mut table = Table::new(&[&names, &*heads(&before), &[">Acc".to_owned()], &heads(&behind)].concat());
    let mut rows = 0;
    for player in &period.players {
        let mut name = Safe(&player.who.name).to_string();
        let mut all: Vec<_> =
            player.counted.weapons().chain(player.reported.weapons()).map(|(weapon, _)| weapon).collect();
        all.sort_unstable();
        all.dedup();
        for weapon in all {
            let [counted, reported] =
                [&player.counted, &player.reported].map(|n| n.weapon(weapon).copied().unwrap_or_default());
            let number = |m| some(counted.get(m).or_else(|| reported.get(m)).filter(|v| *v != 0));
            let share = some(counted.accuracy().or_else(|| reported.accuracy()).map(|a| format!("{a:.1}")));
            let cells: Vec<_> = before.map(number).into_iter().chain([share]).chain(behind.map(number)).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows += 1;
                table.row([std::mem::take(&mut name), weapon.to_owned()].into_iter().chain(cells));
            }
        }
    }
    if rows > 0 {
        table.without_empty_columns().write(out, 2);
    }
}

/// The heading above a number: its name, as people write it.
fn heading_of(name: &str) -> String {
    let mut name = name.replace('_', " ");
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!(">{name}")
}

fn items(period: &Period, out: &mut String) {
    let taken = |numbers: &Numbers, name: &str| numbers.taken(name).filter(|n| *n != 0);
    let numbers = period.players.iter().flat_map(|p| [&p.counted, &p.reported]);
    let mut names: Vec<_> = numbers
        .flat_map(|numbers| numbers.items().map(|(name, _)| name).filter(|name| taken(numbers, name).is_some()))
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return;
    }
    let mut heads = vec!["Items".to_owned()];
    heads.extend(names.iter().map(|name| format!(">{}", Safe(name))));
    let mut table = Table::new(&heads);
    for player in &period.players {
        let count = |name: &str| taken(&player.counted, name).or_else(|| taken(&player.reported, name));
        let cells = names.iter().map(|name| some(count(name)));
        table.row([Safe(&player.who.name).to_string()].into_iter().chain(cells));
    }
    table.write(out, 2);
}

/// What the game's own numbers say: players of whom it is the same share a line.
fn differences(period: &Period, out: &mut String) {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for player in &period.players {
        let Some((_, last)) = player.reported_by.iter().max_by_key(|(_, at)| *at) else { continue };
        let by = player.reported_by.iter().map(|(by, _)| *by).collect::<Vec<_>>().join(", ");
        let all: Vec<_> =
            player.differences.iter().map(|d| format!("{} {} told {}", Safe(&d.what), d.counted, d.reported)).collect();
        let what = match all.as_slice() {
            [] if period.is_reported(player) => format!("{by} of the game agree"),
            [] => format!("{by} of the game are of {last}, before the end, and not compared"),
            all => format!("{by} of the game differ: {}", all.join(", ")),
        };
        let name = Safe(&player.who.name).to_string();
        match lines.iter_mut().find(|(said, _)| *said == what) {
            Some((_, names)) => names.push(name),
            None => lines.push((what, vec![name])),
        }
    }
    for (what, names) in lines {
        let _ = writeln!(out, "  {}: {what}", names.join(", "));
    }
}
