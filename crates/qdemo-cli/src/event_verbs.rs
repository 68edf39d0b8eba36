//! What the verbs share that tell what happened: reading, choosing, and writing it as text, JSON and CSV.

use std::ffi::OsString;

use anyhow::Result;
use clap::ValueHint;
use clap::builder::NonEmptyStringValueParser;
use qdemo::event::{EventTag, Patterns, PlayerRef};
use qdemo::replay::timeline::Builder;
use qdemo::replay::{Analyser, Options, Pass, Range};
use qdemo::table::{Row, Table};
use qdemo::world::Clock;
use qdemo::{Faults, Limits};
use qdemo_inputs::{Inputs, Item, LenientReader, Wanted};
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::{self, Outcome};
use crate::console::KEY;
use crate::exit::Exit;
use crate::report;
use crate::rows::{self, Columns, Layout};
use crate::session::Session;
use crate::show::Safe;
use crate::when::{Between, Parts, Since, When};

/// What all these verbs take.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    #[command(flatten)]
    between: Between,

    #[command(flatten)]
    when: When,

    /// Only what is about a player whose name contains this, whatever its case
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
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

/// What was found in a recording, what is wrong with it, and where its matches and levels lie, if that matters.
pub(crate) type Found<T> = (Vec<T>, Faults, Parts);

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
    /// When it happens.
    fn clock<'i>(&self, item: &'i Self::Item) -> &'i Clock;
    /// As a row of the table.
    fn row<'i>(&self, item: &'i Self::Item) -> Option<Row<'i>>;
    /// All of them, for people; `time` shows when something happens.
    fn text(&self, found: &[Self::Item], time: &dyn Fn(&Clock) -> String, out: &mut String);
}

impl Common {
    /// Reads a recording for `analyser`, and for what else is asked for; of no kinds: all.
    ///
    /// # Errors
    /// What reading gives, and a match that is not there.
    pub(crate) fn pass(
        &self,
        kinds: &[EventTag],
        analyser: &mut dyn Analyser,
        input: &mut LenientReader,
        name: &str,
        limits: Limits,
    ) -> qdemo::Result<(Faults, Parts)> {
        let mut options = Options::default();
        options.deaths.clone_from(&self.deaths);
        let pass = |options| Pass::new(limits).with(options);
        if !self.when.needs_parts() {
            options.kinds = kinds.to_vec();
            return Ok((pass(options).run(input, name, &mut [analyser])?, Parts::default()));
        }
        let mut timeline = Builder::new();
        let faults = pass(options).run(input, name, &mut [analyser, &mut timeline])?;
        let parts = Parts::of(&timeline.finish());
        self.when.check(&parts).map_err(|e| e.in_file(name))?;
        Ok((faults, parts))
    }

    fn range(&self) -> Range {
        self.between.range()
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
        self.wants_names(block, clock, |name| players.any(|who| who.name.to_lowercase().contains(name)))
    }

    /// True for a text at a place that is asked for, and which is about a player who is, or has the name in it.
    ///
    /// # Errors
    /// Places that the recording cannot have.
    pub(crate) fn wants_text(
        &self,
        block: u64,
        clock: &Clock,
        player: Option<&PlayerRef>,
        text: &str,
    ) -> qdemo::Result<bool> {
        let is = |who: &PlayerRef, name: &str| who.name.to_lowercase().contains(name);
        let about = |name: &str| player.is_some_and(|who| is(who, name)) || text.to_lowercase().contains(name);
        self.wants_names(block, clock, about)
    }

    /// `about` tells whether something is about the player with a name, in small letters.
    fn wants_names(&self, block: u64, clock: &Clock, mut about: impl FnMut(&str) -> bool) -> qdemo::Result<bool> {
        let range = self.when.range(self.range());
        range.check(clock)?;
        let about = |name: &String| about(&name.to_lowercase());
        Ok(range.contains(Some(block), clock) && self.player.as_ref().is_none_or(about))
    }
}

pub(crate) fn run(args: &Common, verb: &impl Verb, session: &Session) -> Result<Exit> {
    args.range().check_order()?;
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    let layout = args.columns.of_csv(verb.table(), args.csv)?;
    if args.csv {
        session.console.raw(&layout.headings(several)?)?;
    }
    let work = |item: &Item| one(item, args, verb, &layout, several, limits);
    batch::run(session, inputs.items(), several, args.json || args.csv, Ok, work, |_| Ok(()))
}

// Something that happened, and when in its match or level. What happened describes it in the schema.
#[derive(Serialize, JsonSchema)]
pub(crate) struct At<T> {
    #[serde(flatten)]
    it: T,
    #[serde(flatten)]
    since: Since,
}

fn one<V: Verb>(item: &Item, args: &Common, verb: &V, layout: &Layout, several: bool, limits: Limits) -> Outcome {
    let read = |input: &mut LenientReader, name: &str| verb.read(args, input, name, limits);
    report::rows(item, limits, read, |(mut found, faults, parts), name| {
        let when = args.when;
        if when.needs_parts() {
            found.retain(|it| when.wants(args.range(), verb.clock(it), &parts));
        }
        let mut outcome = if args.json {
            report::lines(
                found.iter().map(|it| report::line(name, At { it, since: when.note(verb.clock(it), &parts) })),
            )
        } else if args.csv {
            rows::csv(found.iter().filter_map(|it| verb.row(it)), layout, several.then_some(name))
        } else {
            let mut out = if several { format!("{KEY}{}{KEY:#}\n", Safe(name)) } else { String::new() };
            match found.as_slice() {
                [] => out.push_str("nothing\n"),
                found => verb.text(found, &|clock| when.show(clock, &parts), &mut out),
            }
            Outcome::text(out)
        };
        report::warn(&mut outcome, name, &faults);
        outcome
    })
}
