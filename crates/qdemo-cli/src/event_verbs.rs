//! What the verbs share that tell what happened: reading, choosing, and writing it as text, JSON and CSV.

use std::ffi::OsString;

use anyhow::Result;
use clap::ValueHint;
use qdemo::event::{EventTag, Patterns, PlayerRef};
use qdemo::replay::{Options, Position, Range};
use qdemo::table::{Row, Table};
use qdemo::world::Clock;
use qdemo::{Faults, Limits};
use serde::Serialize;
use serde_json::json;

use crate::batch::{self, Outcome};
use crate::console::KEY;
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::item::Item;
use crate::names::Wanted;
use crate::report;
use crate::rows::{self, Columns, Layout};
use crate::session::Session;
use crate::show::Safe;
use crate::source::LenientReader;

/// What all these verbs take.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Only what happens from this place on: a time from the beginning of the recording as 90, 1:30, 1500ms, on the
    /// game's own clock as server:90, recorder:90, recording:90, clock:90; or frame:12, block:12
    #[arg(
        long,
        value_name = "PLACE",
        allow_negative_numbers = true,
        default_value = "start",
        hide_default_value = true
    )]
    from: Position,

    /// Only what happens up to this place
    #[arg(long, value_name = "PLACE", allow_negative_numbers = true, default_value = "end", hide_default_value = true)]
    to: Position,

    /// Only what is about a player whose name contains this, whatever its case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,

    /// Texts of deaths to know beside the built-in ones, of Quake, QuakeWorld and Quake II; docs/tables.md tells the form
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = patterns)]
    deaths: Option<Patterns>,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,

    /// Write CSV; docs/tables.md tells the columns
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    #[command(flatten)]
    columns: Columns,
}

/// Reads a file with texts of deaths.
fn patterns(path: &str) -> Result<Patterns, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    Patterns::parse(&text).map_err(|e| match e.kind {
        qdemo::error::ErrorKind::Text(mistake) => format!("line {}: {}", mistake.line, mistake.what),
        _ => e.to_string(),
    })
}

/// What was found in a recording, and what is wrong with it.
pub(crate) type Found<T> = (Vec<T>, Faults);

/// A verb that tells what happened.
pub(crate) trait Verb: Sync {
    /// What it finds.
    type Item: Serialize;
    /// The table that its rows make.
    fn table(&self) -> &'static Table;
    /// Finds what `args` ask for.
    ///
    /// # Errors
    /// What reading gives.
    fn read(
        &self,
        args: &Common,
        input: &mut LenientReader,
        name: &str,
        limits: Limits,
    ) -> qdemo::Result<Found<Self::Item>>;
    /// As a row of the table.
    fn row<'i>(&self, item: &'i Self::Item) -> Option<Row<'i>>;
    /// All of them, for people.
    fn text(&self, found: &[Self::Item], out: &mut String);
}

impl Common {
    /// What is asked of the library; of no kinds: all.
    pub(crate) fn options(&self, kinds: &[EventTag]) -> Options {
        let mut options = Options::default();
        options.deaths.clone_from(&self.deaths);
        options.kinds = kinds.to_vec();
        options
    }

    /// True for what happens at a place, and with players, that are asked for.
    ///
    /// # Errors
    /// Places that the recording cannot have.
    pub(crate) fn wants<'w>(
        &self,
        block: u64,
        clock: &Clock,
        mut players: impl Iterator<Item = &'w PlayerRef>,
    ) -> qdemo::Result<bool> {
        let mut about = |name: &String| {
            let name = name.to_lowercase();
            players.any(|who| who.name.to_lowercase().contains(&name))
        };
        let range = Range { from: self.from, to: self.to };
        range.check(clock)?;
        Ok(range.contains(Some(block), clock) && self.player.as_ref().is_none_or(&mut about))
    }
}

pub(crate) fn run(args: &Common, verb: &impl Verb, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    let layout = args.columns.of_csv(verb.table(), args.csv)?;
    if args.csv {
        session.console.raw(&layout.headings(several)?)?;
    }
    let work = |item: &Item| one(item, args, verb, &layout, several, limits);
    batch::run(session, inputs.items(), several, args.json || args.csv, Ok, work, |_| Ok(()))
}

fn one<V: Verb>(item: &Item, args: &Common, verb: &V, layout: &Layout, several: bool, limits: Limits) -> Outcome {
    let read = |input: &mut LenientReader, name: &str| verb.read(args, input, name, limits);
    report::one(item, args.json, limits, read, |(found, faults), name| {
        let mut outcome = if args.json {
            report::lines(found.iter().map(|it| report::line(name, json!(it))))
        } else if args.csv {
            rows::csv(found.iter().filter_map(|it| verb.row(it)), layout, several.then_some(name))
        } else {
            let mut out = if several { format!("{KEY}{}{KEY:#}\n", Safe(name)) } else { String::new() };
            match found.as_slice() {
                [] => out.push_str("nothing\n"),
                found => verb.text(found, &mut out),
            }
            Outcome::text(out)
        };
        report::warn(&mut outcome, &faults);
        outcome
    })
}
