//! `qdemo stats`: numbers of players, teams, weapons and items.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use qdemo::Limits;
use qdemo::stats::{Measure, Numbers, Part, PartKind, Player, WeaponMeasure, stats};
use qdemo::table;
use qdemo::world::DemoTime;
use serde_json::json;

use crate::batch::{self, Outcome};
use crate::console::KEY;
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::item::Item;
use crate::names::Wanted;
use crate::report;
use crate::session::Session;
use crate::sheet::{self, Columns, Layout};
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
    #[arg(long, value_name = "NAME")]
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
    let read = |input: &mut crate::source::Salvage, name: &str| {
        let mut parts = Vec::new();
        let faults = stats(input, name, limits, &mut |mut part| {
            if args.warmup || matches!(part.kind, PartKind::Match | PartKind::Level) {
                part.players.retain(wants);
                parts.push(part);
            }
            Ok(())
        })?;
        Ok((parts, faults))
    };
    report::one(item, args.json, limits, read, |(parts, faults), name| {
        let mut outcome = if args.json {
            report::lines(parts.iter().map(|part| report::line(name, json!(part))))
        } else if args.csv {
            let rows = parts.iter().flat_map(|part| table::stats(layout.table(), part));
            sheet::csv(rows, layout, several.then_some(name))
        } else {
            let head = if several { format!("{KEY}{}{KEY:#}\n", Safe(name)) } else { String::new() };
            Outcome::text(text(&parts, head))
        };
        report::warn(&mut outcome, &faults);
        outcome
    })
}

fn text(parts: &[Part], mut out: String) -> String {
    if parts.is_empty() {
        out.push_str("nothing\n");
    }
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        heading(part, &mut out);
        people(part, &mut out);
        weapons(part, &mut out);
        items(part, &mut out);
        differences(part, &mut out);
    }
    out
}

fn heading(part: &Part, out: &mut String) {
    let what = part.kind.name();
    let _ = write!(out, "{KEY}{what}{KEY:#} on {}, {} to {}", Safe(&part.map), part.begin.demo, part.end.demo);
    if part.kind == PartKind::Match {
        out.push_str(match (part.begun, part.ended) {
            (true, true) => "",
            (false, true) => "; its beginning was not recorded",
            (true, false) => "; its end was not recorded",
            (false, false) => "; neither its beginning nor its end was recorded",
        });
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

fn people(part: &Part, out: &mut String) {
    let mut heads = vec!["Name", "Team"];
    heads.extend(COLUMNS.iter().map(|(head, _)| *head));
    heads.extend([">Eff", ">Time"]);
    let mut table = Table::new(&heads);
    let cells = |ours: &Numbers, told: &Numbers| -> Vec<String> {
        let number = |measure: Measure| {
            // Only the game tells some.
            let value = ours.get(measure).or_else(|| told.get(measure));
            use Measure::{Captures, DamageTeam, FlagsReturned, FlagsTaken, TeamKills, WorldDeaths};
            let idle = matches!(measure, WorldDeaths | TeamKills | DamageTeam | FlagsTaken | Captures | FlagsReturned);
            some(value.filter(|value| *value != 0 || !idle))
        };
        let mut cells: Vec<_> = COLUMNS.iter().map(|(_, measure)| number(*measure)).collect();
        cells.push(some(ours.efficiency().map(|e| format!("{e:.1}"))));
        cells.push(some(ours.get(Measure::TimeMs).map(DemoTime::from_ms)));
        cells
    };
    for player in &part.players {
        let team = player.who.team.as_deref().filter(|_| part.in_teams).unwrap_or_default();
        let names = [Safe(&player.who.name).to_string(), Safe(team).to_string()];
        table.row(names.into_iter().chain(cells(&player.ours, &player.told)));
    }
    for team in &part.teams {
        let names = [String::new(), Safe(&team.name).to_string()];
        table.row(names.into_iter().chain(cells(&team.ours, &team.told)));
    }
    table.without_empty_columns().write(out, 2);
}

fn weapons(part: &Part, out: &mut String) {
    use WeaponMeasure::{Damage, Deaths, Drops, Hits, Kills, Pickups, Shots, Suicides, TeamKills};
    // The accuracy stands behind what it follows from.
    let (before, behind) = ([Kills, Deaths, TeamKills, Suicides, Shots, Hits], [Damage, Pickups, Drops]);
    let heads = |measures: &[WeaponMeasure]| measures.iter().map(|m| heading_of(m.name())).collect::<Vec<_>>();
    let names = ["Name", "Weapon"].map(str::to_owned);
    let mut table = Table::new(&[&names, &*heads(&before), &[">Acc".to_owned()], &heads(&behind)].concat());
    let mut rows = 0;
    for player in &part.players {
        let mut name = Safe(&player.who.name).to_string();
        let mut all: Vec<_> = player.ours.weapons().chain(player.told.weapons()).map(|(weapon, _)| weapon).collect();
        all.sort_unstable();
        all.dedup();
        for weapon in all {
            let [ours, told] = [&player.ours, &player.told].map(|n| n.weapon(weapon).copied().unwrap_or_default());
            let number = |m| some(ours.get(m).or_else(|| told.get(m)).filter(|v| *v != 0));
            let share = some(ours.accuracy().or_else(|| told.accuracy()).map(|a| format!("{a:.1}")));
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

fn items(part: &Part, out: &mut String) {
    let mut names: Vec<_> = part.players.iter().flat_map(|p| p.ours.items().chain(p.told.items())).collect();
    names.retain(|(_, count)| *count != 0);
    names.sort_unstable();
    names.dedup_by_key(|(name, _)| *name);
    if names.is_empty() {
        return;
    }
    let mut heads = vec!["Items".to_owned()];
    heads.extend(names.iter().map(|(name, _)| format!(">{}", Safe(name))));
    let mut table = Table::new(&heads);
    for player in &part.players {
        let count = |name: &str| player.ours.item(name).or_else(|| player.told.item(name)).filter(|n| *n != 0);
        let cells = names.iter().map(|(name, _)| some(count(name)));
        table.row([Safe(&player.who.name).to_string()].into_iter().chain(cells));
    }
    table.write(out, 2);
}

/// What the game's own numbers say: players of whom it is the same share a line.
fn differences(part: &Part, out: &mut String) {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for player in &part.players {
        let Some((_, last)) = player.told_by.iter().max_by_key(|(_, at)| *at) else { continue };
        let by = player.told_by.iter().map(|(by, _)| *by).collect::<Vec<_>>().join(", ");
        let all: Vec<_> =
            player.differences.iter().map(|d| format!("{} {} told {}", Safe(&d.what), d.ours, d.told)).collect();
        let what = match all.as_slice() {
            [] if part.is_told(player) => format!("{by} of the game agree"),
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
