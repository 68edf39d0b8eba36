//! `qdemo timeline` and `qdemo players`: what lies where in a recording, and who played.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use clap::ValueHint;
use qdemo::replay::timeline::{Presence, Span, SpanKind, Timeline, timeline};
use qdemo::table::{self, Table};
use qdemo::world::DemoTime;
use qdemo_inputs::{Inputs, Item, Wanted};

use crate::batch::{self, Outcome};
use crate::console::KEY;
use crate::exit::Exit;
use crate::report;
use crate::rows::{self, Columns, Layout};
use crate::session::Session;
use crate::show::{Safe, moment, some, word};
use crate::table::table;

/// Tell what lies where in recordings: levels, matches, pauses, gaps, whose eyes they show
///
/// Times are counted from the beginning of the recording; the game's own clock stands beside them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo timeline duel.mvd
  qdemo timeline --csv demos/ > timelines.csv
  qdemo timeline --json demos/ > timelines.jsonl   one JSON object a line for every part")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

/// List who played: names, teams, scores, for how long
///
/// A player who changes name has a line for each.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo players duel.mvd
  qdemo players --csv demos/ > players.csv
  qdemo players --json demos/ > players.jsonl   one JSON object a line for every player")]
pub(crate) struct PlayersArgs {
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,

    /// Write CSV; docs/tables.md tells the columns
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    #[command(flatten)]
    columns: Columns,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    each(&args.common, &table::TIMELINE, session, |timeline, tell| match tell {
        Tell::Json(name) => report::lines(timeline.spans.iter().map(|span| report::line(name, span))),
        Tell::Csv(layout, file) => rows::csv(timeline.spans.iter().map(table::span), layout, file),
        Tell::Text(out) => Outcome::text(spans(timeline, out)),
    })
}

pub(crate) fn players(args: &PlayersArgs, session: &Session) -> Result<Exit> {
    each(&args.common, &table::PLAYERS, session, |timeline, tell| match tell {
        Tell::Json(name) => report::lines(timeline.players.iter().map(|player| report::line(name, player))),
        Tell::Csv(layout, file) => rows::csv(timeline.players.iter().map(table::presence), layout, file),
        Tell::Text(out) => Outcome::text(presences(&timeline.players, out)),
    })
}

/// How to tell what was found in a recording.
enum Tell<'a> {
    /// With its name.
    Json(&'a str),
    /// With its name where there are several.
    Csv(&'a Layout, Option<&'a str>),
    /// Behind this.
    Text(String),
}

fn each(
    args: &Common,
    table: &'static Table,
    session: &Session,
    tell: impl Fn(&Timeline, Tell<'_>) -> Outcome + Sync,
) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    let layout = args.columns.of_csv(table, args.csv)?;
    if args.csv {
        session.console.raw(&layout.headings(several)?)?;
    }
    let work = |item: &Item| {
        let read = |input: &mut qdemo_inputs::LenientReader, name: &str| timeline(input, name, limits);
        report::rows(item, limits, read, |timeline, name| {
            let how = match (args.json, args.csv) {
                (true, _) => Tell::Json(name),
                (_, true) => Tell::Csv(&layout, several.then_some(name)),
                _ if several => Tell::Text(format!("{KEY}{}{KEY:#}\n", Safe(name))),
                _ => Tell::Text(String::new()),
            };
            let mut outcome = tell(&timeline, how);
            report::warn(&mut outcome, name, &timeline.faults);
            outcome
        })
    };
    batch::run(session, inputs.items(), several, args.json || args.csv, Ok, work, |_| Ok(()))
}

fn spans(timeline: &Timeline, mut out: String) -> String {
    let _ = writeln!(out, "Length: {}, {} frames", timeline.length, timeline.frames);
    let table = table! {
        for span in &timeline.spans;
        let (Span { kind, from, to, block }, length_ms) = (span, span.length_ms());
        let more = match kind {
            SpanKind::Level { map, title, frames } if title.is_empty() => format!("{map}, {frames} frames"),
            SpanKind::Level { map, title, frames } => format!("{map} ({title}), {frames} frames"),
            SpanKind::View { slot, name } => format!("{name} (slot {slot})"),
            SpanKind::Incomplete => "builds on frames that were not recorded".to_owned(),
            SpanKind::ClockBack { from, to } => format!("from {} to {}", moment(Some(*from)), moment(Some(*to))),
            SpanKind::Match { played, .. } if played.ms() != length_ms => format!("{played} played"),
            _ => String::new(),
        };
        ">Time" => from.demo,
        ">Length" => DemoTime(to.demo.0 - from.demo.0),
        ">Clock" => moment(from.now),
        ">Block" => block,
        "What" => kind.name(),
        "" => Safe(&more),
    };
    table.write(&mut out, 0);
    out
}

fn presences(players: &[Presence], mut out: String) -> String {
    if players.is_empty() {
        return out + "nothing\n";
    }
    let table = table! {
        for player in players;
        let team = player.team.as_deref().map(qdemo::wire::clean).unwrap_or_default();
        ">Slot" => player.slot,
        "Name" => Safe(&player.name),
        "Team" => if player.spectator { Safe("spectator") } else { Safe(&team) },
        ">Score" => some(player.frags),
        ">Ping" => some(player.ping),
        ">From" => player.from,
        ">To" => player.to,
        ">In view" => player.in_view,
        "Recorder" => word(player.recorder, "yes"),
    };
    table.without_empty_columns().write(&mut out, 0);
    out
}
