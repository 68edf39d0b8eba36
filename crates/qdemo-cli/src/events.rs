//! `qdemo frags`, `chat`, `scores`, `runs` and `events`: what happened.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use clap::ValueHint;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use qdemo::Limits;
use qdemo::error::Moment;
use qdemo::event::{Event, Kind, What, events};
use qdemo::table::{self, Rows};
use qdemo::world::DemoTime;

use crate::batch::{self, Outcome};
use crate::console::KEY;
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::item::Item;
use crate::names::Wanted;
use crate::report;
use crate::session::Session;
use crate::sheet::Sheet;
use crate::show::{Safe, clock, clock_ms};
use crate::table::Table;

/// What all these verbs take.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Only what happens from this time of the recording on: 90, 1:30, 1500ms
    #[arg(long, value_name = "TIME", value_parser = report::time)]
    from: Option<DemoTime>,

    /// Only what happens up to this time
    #[arg(long, value_name = "TIME", value_parser = report::time)]
    to: Option<DemoTime>,

    /// Only what is about a player whose name contains this, whatever its case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,

    /// Write CSV; docs/tables.md tells the columns
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $ty:ident;)*) => {$(
        #[derive(Debug, clap::Args)]
        $(#[$doc])*
        pub(crate) struct $ty {
            #[command(flatten)]
            pub(crate) common: Common,
        }
    )*};
}

verbs! {
    /// Tell who killed whom, with what, where and when
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo frags duel.dm_68
  qdemo frags duel.mvd --player bro --csv > frags.csv
  qdemo frags --json demos/ > frags.jsonl   one JSON object a line, with a key file")]
    FragsArgs;

    /// Tell who said what
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo chat duel.mvd
  qdemo chat --player me --json demos/ > said.jsonl")]
    ChatArgs;

    /// Tell how the scores changed
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo scores duel.mvd
  qdemo scores --csv duel.dm_68 > scores.csv")]
    ScoresArgs;

    /// Tell the times of speedruns and DeFRaG runs, and where each number comes from
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo runs run.dem
  qdemo runs --csv demos/ > times.csv")]
    RunsArgs;
}

/// Tell everything that happened
///
/// Each event has its block, its time, where it comes from, and how it is known where the recording does not say so itself.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo events duel.dm_68
  qdemo events duel.mvd --kind match,pickup --from 5:00 --to 6:00
  qdemo events --json demos/ > all.jsonl")]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Only these kinds
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub(crate) kinds: Vec<Kind>,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let names = PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name()));
    names.try_map(|name| Kind::by_name(&name).ok_or("no such kind"))
}

/// Which of the verbs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Verb<'a> {
    Frags,
    Chat,
    Scores,
    Runs,
    Events(&'a [Kind]),
}

impl Verb<'_> {
    fn table(self) -> &'static table::Table {
        match self {
            Verb::Frags => &table::FRAGS,
            Verb::Chat => &table::CHAT,
            Verb::Scores => &table::SCORES,
            Verb::Runs => &table::RUNS,
            Verb::Events(_) => &table::EVENTS,
        }
    }

    fn wants(self, kind: Kind) -> bool {
        match self {
            Verb::Frags => kind == Kind::Frag,
            Verb::Chat => kind == Kind::Chat,
            Verb::Scores => matches!(kind, Kind::Score | Kind::Scores),
            Verb::Runs => kind == Kind::Run,
            Verb::Events(kinds) => kinds.is_empty() || kinds.contains(&kind),
        }
    }
}

impl Common {
    fn wants(&self, event: &Event) -> bool {
        let about = |name: &String| {
            let name = name.to_lowercase();
            event.what.players().into_iter().flatten().any(|who| who.name.to_lowercase().contains(&name))
        };
        self.from.is_none_or(|from| event.clock.demo >= from)
            && self.to.is_none_or(|to| event.clock.demo <= to)
            && self.player.as_ref().is_none_or(about)
    }
}

pub(crate) fn run(args: &Common, verb: Verb<'_>, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    if args.csv {
        let mut head = Vec::new();
        Sheet::new(&mut head, verb.table(), false, several.then_some("")).head()?;
        session.console.raw(&head)?;
    }
    let work = |item: &Item| one(item, args, verb, several, limits);
    batch::run(session, inputs.items(), several, args.json || args.csv, Ok, work, |_| Ok(()))
}

fn one(item: &Item, args: &Common, verb: Verb<'_>, several: bool, limits: Limits) -> Outcome {
    let read = |input: &mut crate::source::Salvage, name: &str| {
        let mut found = Vec::new();
        let faults = events(input, name, limits, &mut |_, event| {
            if verb.wants(event.what.kind()) && args.wants(event) {
                found.push(event.clone());
            }
            Ok(())
        })?;
        Ok((found, faults))
    };
    report::one(item, args.json, limits, read, |(found, faults), name| {
        let mut outcome = if args.json {
            report::lines(found.iter().map(|event| report::line(name, event.to_json())))
        } else if args.csv {
            csv(&found, verb, several.then_some(name))
        } else {
            let head = if several { format!("{KEY}{}{KEY:#}\n", Safe(name)) } else { String::new() };
            Outcome::text(text(&found, verb, head))
        };
        report::warn(&mut outcome, &faults);
        outcome
    })
}

fn csv(found: &[Event], verb: Verb<'_>, file: Option<&str>) -> Outcome {
    let mut outcome = Outcome { raw: true, ..Outcome::new() };
    let mut sheet = Sheet::new(&mut outcome.out, verb.table(), false, file);
    let rows = found.iter().filter_map(|event| table::event(verb.table(), event));
    // Memory takes it all.
    for row in rows {
        if sheet.row(&row).is_err() {
            break;
        }
    }
    let _ = sheet.flush();
    drop(sheet);
    outcome
}

fn text(found: &[Event], verb: Verb<'_>, mut out: String) -> String {
    let moment = |moment: Option<Moment>| match moment {
        Some(Moment::Seconds(s)) => clock(Some(s)),
        Some(Moment::Milliseconds(ms)) => clock_ms(Some(ms)),
        None => "-".to_owned(),
    };
    let kind = match verb {
        Verb::Events(_) => "Kind",
        _ => "",
    };
    let mut table = Table::new(&[">Time", ">Clock", kind, "What", "Team", "More"]);
    for event in found {
        let words = event.what.to_string();
        let more = match &event.what {
            What::Chat(chat) => chat.location.clone().unwrap_or_default(),
            What::Frag(frag) => frag.kind.name().replace('_', " "),
            What::Run(run) => {
                let name = run.player.as_ref().map(|w| w.name.as_str()).unwrap_or_default();
                let mode = run.mode.as_deref().unwrap_or_default();
                let totals = run.totals.map_or(String::new(), |[kills, monsters, found, secrets]| {
                    format!(" kills {kills}/{monsters}, secrets {found}/{secrets}")
                });
                let skill = run.skill.map(|s| format!(" skill {s}")).unwrap_or_default();
                format!("{name} {mode}{totals}{skill} ({})", run.from)
            }
            _ => String::new(),
        };
        let team = match &event.what {
            What::Chat(chat) => chat.speaker.as_ref().and_then(|w| w.team.clone()),
            _ => None,
        };
        table.row([
            event.clock.demo.to_string(),
            moment(event.clock.now),
            if kind.is_empty() { String::new() } else { event.what.kind().name().to_owned() },
            Safe(words.trim_end()).to_string(),
            Safe(&team.unwrap_or_default()).to_string(),
            Safe(more.trim()).to_string(),
        ]);
    }
    if found.is_empty() {
        let _ = writeln!(out, "nothing");
        return out;
    }
    table.without_empty_columns().write(&mut out, 0);
    out
}
