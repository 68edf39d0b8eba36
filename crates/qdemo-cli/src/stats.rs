//! `qdemo stats`: numbers of players, teams, weapons and items.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use clap::builder::NonEmptyStringValueParser;
use clap::{ValueEnum, ValueHint};
use qdemo::analysis::stats::{Board, Head, Period, PeriodKind, Player, stats};
use qdemo::{Limits, table};
use qdemo_inputs::{Inputs, Item, Wanted};

use crate::batch::{self, Outcome};
use crate::console::KEY;
use crate::exit::Exit;
use crate::report;
use crate::rows::{self, Columns, Layout};
use crate::session::Session;
use crate::show::Safe;
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
    let read = |input: &mut qdemo_inputs::LenientReader, name: &str| {
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
        report::warn(&mut outcome, name, &faults);
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
        for of in [Board::players, Board::weapons, Board::items] {
            board(&of(period), &mut out);
        }
        differences(period, &mut out);
    }
    out
}

fn heading(period: &Period, out: &mut String) {
    let _ = writeln!(out, "{KEY}{}{KEY:#} {}", period.kind.name(), Safe(&period.in_words()));
}

/// A board, where there is something on it.
fn board(board: &Board, out: &mut String) {
    if board.rows.is_empty() {
        return;
    }
    let head = |head: &Head| format!("{}{}", if head.numbers { ">" } else { "" }, Safe(&head.name));
    let mut table = Table::new(&board.heads.iter().map(head).collect::<Vec<_>>());
    board.rows.iter().for_each(|row| table.row(row.iter().map(|cell| Safe(cell).to_string())));
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
