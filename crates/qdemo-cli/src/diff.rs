//! `qdemo diff`: two recordings compared by what they mean.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Write;
use std::io::{self, Read};

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::container::{Location, Source};
use qdemo::diff::{
    Alignment, Change, Difference, Field, Input, Options, Part, Place, Side, Summary, Verdict, What, Which,
};
use qdemo::world::DemoTime;
use qdemo_inputs::{Item, Wanted, open_one};
use serde_json::{Value, json};

use crate::batch::Outcome;
use crate::console::{BAD, DOUBT, GOOD, KEY, Note};
use crate::exit::Exit;
use crate::json_line::json_line;
use crate::report;
use crate::session::Session;
use crate::show::{Safe, count, moment, thousands};

/// Differences that people are shown.
const SHOWN: u64 = 20;
/// Fields of one difference that people are shown.
const FIELDS: usize = 6;

/// Compare two recordings by what they mean
///
/// The same can be said in other bytes: in other packets, as differences to other frames. What is compared are messages, and the
/// states that they lead to. Moments of A are found again in B by the game's own clock, or by their content where a format has
/// none, so that a clip is found in the recording that it was cut from. Recordings of different formats are compared by levels,
/// players, frags, chat, matches and runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 the same   1 different   2 a file could not be read

Examples:
  qdemo diff demo1.dem run.dem
  qdemo diff duel.dm_68 clip.dm_68                which part of the duel is the clip?
  qdemo diff duel.mvd clip.mvd --offset 4:55      the clip begins there, whatever it holds
  qdemo diff demo1.dem run.dem --json --limit 100   one JSON object a line, the summary last")]
pub(crate) struct Args {
    /// A recording, also within an archive; - is standard input
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    a: OsString,

    /// Another one
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    b: OsString,

    /// B begins at this time of A: 90, 1:30, 1:02:03.5, 1500ms; the default is to find out
    #[arg(long, value_name = "TIME", value_parser = report::time)]
    offset: Option<DemoTime>,

    /// List so many differences; all are counted. The default is 20, with --json all
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Write one JSON object a line: each difference, then a summary
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let outcome = match compare(args, session) {
        Ok(outcome) => outcome,
        Err((name, e)) if crate::exit::is_closed_pipe(&e) => return Err(e.context(name)),
        Err((name, e)) => report::failed(&name, &e, args.json),
    };
    match outcome.raw {
        true => session.console.raw(&outcome.out)?,
        false => session.console.show(&outcome.out)?,
    }
    outcome.notes.iter().for_each(|note| session.console.note(note));
    Ok(outcome.exit)
}

/// A recording that is opened whenever it is read again.
struct Recording {
    name: String,
    item: Item,
    /// Standard input is read once, and kept.
    kept: Option<Vec<u8>>,
    fault: RefCell<Option<qdemo::Error>>,
    limits: Limits,
}

impl Recording {
    fn new(file: &OsString, limits: Limits) -> Result<Self, (String, anyhow::Error)> {
        let location = Location::parse(file);
        let is_stdin = location.is_stdin();
        let item = Item::at(location);
        let mut recording = Recording { name: item.to_string(), item, kept: None, fault: RefCell::default(), limits };
        if is_stdin {
            let mut bytes = Vec::new();
            let read = recording.open().and_then(|mut input| Ok(input.read_to_end(&mut bytes)?));
            read.map_err(|e| (recording.name.clone(), e))?;
            recording.kept = Some(bytes);
        } else if let Err(e) = recording.open() {
            return Err((recording.name, e));
        }
        Ok(recording)
    }

    fn open(&self) -> Result<Watched<'_>> {
        Ok(Watched { source: open_one(&self.item, Some(Wanted::Demos), &self.limits)?, fault: &self.fault })
    }

    fn input(&self) -> Input<'_> {
        Input::new(&self.name, || match &self.kept {
            Some(bytes) => Ok(Box::new(&bytes[..])),
            None => match self.open() {
                Ok(input) => Ok(Box::new(input)),
                Err(e) => Err(match e.downcast::<qdemo::Error>() {
                    Ok(e) => e,
                    Err(e) => io::Error::other(e.to_string()).into(),
                }),
            },
        })
    }
}

/// Damage in a container looks like the end of the file, and is told afterwards.
struct Watched<'f> {
    source: Source,
    fault: &'f RefCell<Option<qdemo::Error>>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.source.read(buf) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => {
                *self.fault.borrow_mut() = Some(e.into());
                Ok(0)
            }
            read => read,
        }
    }
}

fn compare(args: &Args, session: &Session) -> Result<Outcome, (String, anyhow::Error)> {
    let (a, b) = (Recording::new(&args.a, session.limits)?, Recording::new(&args.b, session.limits)?);
    if a.kept.is_some() && b.kept.is_some() {
        return Err((b.name, anyhow::anyhow!("standard input can be read only once: name another file")));
    }
    let limit = args.limit.unwrap_or(if args.json { u64::MAX } else { SHOWN });
    let options = Options::default().with_limits(session.limits).with_offset(args.offset);
    let (mut listed, mut told) = (0, Vec::new());
    let mut each = |difference: &Difference| -> qdemo::Result<()> {
        listed += u64::from(!matches!(difference.what, What::SameAgain { .. } | What::Untold { .. }));
        if listed > limit {
            return Ok(());
        }
        match args.json {
            true => session.console.raw((json_line(&difference) + "\n").as_bytes())?,
            false => told.push(difference.clone()),
        }
        Ok(())
    };
    let summary = qdemo::diff::diff(&a.input(), &b.input(), &options, &mut each);
    let name = || format!("{} and {}", a.name, b.name);
    let summary = summary.map_err(|e| (name(), e.into()))?;
    let mut outcome = match args.json {
        true => Outcome::json(&summary),
        false => Outcome::text(text(&summary, &told, limit)),
    };
    if summary.verdict == Verdict::Different {
        outcome.exit = Exit::No;
    }
    for (recording, faults) in [&a, &b].into_iter().zip(&summary.faults) {
        report::warn(&mut outcome, &recording.name, faults);
    }
    for recording in [&a, &b] {
        if let Some(e) = recording.fault.take() {
            outcome.fail(&e.into());
            outcome.notes.push(Note::Warning(format!("{}: this is about the bytes before the damage", recording.name)));
        }
    }
    Ok(outcome)
}

fn text(summary: &Summary, told: &[Difference], limit: u64) -> String {
    let mut out = String::new();
    verdict(summary, &mut out);
    // Of a part the first line says it all.
    let is_said =
        |difference: &&Difference| summary.part().is_some() && matches!(difference.what, What::Stretch { .. });
    let listed: Vec<_> = told.iter().filter(|difference| !is_said(difference)).collect();
    if !listed.is_empty() {
        out.push('\n');
        list(&listed, &mut out);
    }
    let all = summary.differences - summary.counts.facts;
    if all > limit && (summary.part().is_none() || summary.inside() > 0) {
        let _ = writeln!(out, "and {} more", thousands(all - limit));
    }
    out.push('\n');
    sides(summary, &mut out);
    out
}

/// The answer, in a line or two.
fn verdict(summary: &Summary, out: &mut String) {
    let (a, b) = (Safe(&summary.a.file), Safe(&summary.b.file));
    let otherwise = match summary.otherwise {
        0 => String::new(),
        n => format!(" ({} told in other words)", messages(n)),
    };
    let _ = match (summary.verdict, summary.aligned_by, summary.part()) {
        (Verdict::Identical, ..) => writeln!(out, "{GOOD}{a} and {b} are the same, byte for byte{GOOD:#}"),
        (Verdict::Same, ..) => {
            writeln!(
                out,
                "{GOOD}{a} and {b} mean the same{GOOD:#}: the bytes differ, the meaning is the same{otherwise}"
            )
        }
        (_, Alignment::Events, _) => writeln!(
            out,
            "{BAD}{a} and {b} differ{BAD:#}: {}, so levels, players and what happened are compared",
            match (summary.a.format, summary.b.format) {
                (a, b) if a == b => "their moments are not the same".to_owned(),
                (a, b) => format!("one is .{}, the other .{}", a.name(), b.name()),
            }
        ),
        (_, Alignment::Nothing, _) => writeln!(out, "{BAD}{a} and {b} have nothing in common{BAD:#}"),
        (_, _, Some(Part { part, from, to })) => {
            let (part, whole) = if part == Which::B { (b, a) } else { (a, b) };
            let but = match summary.inside() {
                0 => format!("; there the two are the same{otherwise}"),
                n => format!(", but for {}: {}", count(n, "difference"), counts(summary)),
            };
            writeln!(out, "{DOUBT}{part} is {whole} from {from} to {to}{DOUBT:#}{but}")
        }
        _ => writeln!(out, "{BAD}{a} and {b} differ{BAD:#}: {}", counts(summary)),
    };
}

fn messages(n: u64) -> String {
    format!("{} message{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// What differs, in numbers.
fn counts(summary: &Summary) -> String {
    let counts = &summary.counts;
    let mut all = Vec::new();
    let kinds =
        [(counts.added, "added"), (counts.removed, "removed"), (counts.changed, "changed"), (counts.moved, "moved")];
    for (n, what) in kinds.into_iter().filter(|(n, _)| *n > 0) {
        all.push(format!("{} {what}", messages(n)));
    }
    if summary.states_differ > 0 {
        all.push(format!(
            "states differ in {} of {} moments",
            thousands(summary.states_differ),
            thousands(summary.moments)
        ));
    }
    for (n, file) in [(counts.only_in_a, &summary.a.file), (counts.only_in_b, &summary.b.file)] {
        if n > 0 && summary.part().is_none() {
            all.push(format!("{} only in {}", count(n, "stretch").replace("stretchs", "stretches"), Safe(file)));
        }
    }
    if counts.shifts > 0 {
        all.push(format!("times shift {}", count(counts.shifts, "time")));
    }
    all.join(", ")
}

/// Differences, those of one moment below each other.
fn list(told: &[&Difference], out: &mut String) {
    let mut before = None;
    for difference in told {
        let at = [difference.a, difference.b];
        let head = place(at);
        if before.as_ref() != Some(&head) {
            let _ = writeln!(out, "{KEY}{head}{KEY:#}");
            before = Some(head);
        }
        one(difference, out);
    }
}

/// Where something is in both recordings.
fn place(at: [Option<Place>; 2]) -> String {
    let one = |place: Place| format!("{}, block {}", place.clock.demo, place.block);
    let own = |place: Place| {
        let clock = place.clock;
        let now = clock.now.filter(|_| clock.ms() != Some(clock.demo.ms()));
        now.map(|now| format!("{} clock {}", clock.kind.name(), moment(Some(now)))).unwrap_or_default()
    };
    let (text, clocks) = match at {
        [Some(a), Some(b)] if (a.clock.demo, a.block) == (b.clock.demo, b.block) => (one(a), [own(a), own(b)]),
        [Some(a), Some(b)] => (format!("{} of A; {} of B", one(a), one(b)), [own(a), own(b)]),
        [Some(a), None] => (format!("{} of A", one(a)), [own(a), String::new()]),
        [None, Some(b)] => (format!("{} of B", one(b)), [own(b), String::new()]),
        [None, None] => return String::new(),
    };
    match clocks {
        [a, b] if !a.is_empty() && (a == b || b.is_empty()) => format!("At {text} ({a})"),
        [a, b] if !a.is_empty() => format!("At {text} ({a}; {b})"),
        _ => format!("At {text}"),
    }
}

fn one(difference: &Difference, out: &mut String) {
    let _ = match &difference.what {
        What::Stretch { only_in, to, moments, messages: said } => writeln!(
            out,
            "  only in {}, up to {}: {}, {}",
            side(*only_in),
            to.clock.demo,
            count(*moments, "moment"),
            messages(*said)
        ),
        What::Message { change: Change::Moved, message, .. } => writeln!(out, "  moved {message}"),
        What::Message { change, message, fields } => {
            let _ = writeln!(out, "  {} {message}{}", change.name(), if fields.is_empty() { "" } else { ":" });
            return self::fields(fields, 0, *change, out);
        }
        What::State { fields, more } => {
            let _ = writeln!(out, "  the states differ:");
            return self::fields(fields, *more, Change::Changed, out);
        }
        What::Untold { fields, more } => {
            let _ = writeln!(out, "  here one begins, and does not tell:");
            return self::fields(fields, *more, Change::Changed, out);
        }
        What::SameAgain { moments } => {
            writeln!(out, "  the states are the same again, after {}", count(*moments, "moment"))
        }
        What::Shift { by } => {
            let (late, by) = if by.0 > 0 { ("A", by.0) } else { ("B", by.0.saturating_neg()) };
            writeln!(out, "  from here on {late} is later than before, by {}", DemoTime(by))
        }
        What::Event { only_in, event } => {
            let words =
                event.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null() && **value != json!(""));
            let words = words.map(|(key, value)| match key.as_str() {
                "kind" => value_text(value),
                _ => format!("{key} {}", value_text(value)),
            });
            let words = words.collect::<Vec<_>>();
            writeln!(out, "  only in {}: {}", side(*only_in), Safe(&words.join(", ")))
        }
        _ => Ok(()),
    };
}

fn side(which: Which) -> &'static str {
    match which {
        Which::A => "A",
        Which::B => "B",
    }
}

/// Fields, a line each.
fn fields(all: &[Field], more: u64, change: Change, out: &mut String) {
    for Field { path, a, b } in all.iter().take(FIELDS) {
        let values = match (a, b, change) {
            (Some(one), None, Change::Removed) | (None, Some(one), Change::Added) => value_text(one),
            (None, None, _) => String::new(),
            (a, b, _) => {
                let text = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), value_text);
                format!("{} -> {}", text(a), text(b))
            }
        };
        let path = if path.is_empty() { "all of it" } else { path };
        let _ = writeln!(out, "    {}: {}", Safe(path), Safe(&values));
    }
    let more = more + all.len().saturating_sub(FIELDS) as u64;
    if more > 0 {
        let _ = writeln!(out, "    and {}", count(more, "more field"));
    }
}

/// A value as people read it: numbers in a row, texts in quotes, not too long.
fn value_text(value: &Value) -> String {
    const LONGEST: usize = 100;
    let text = match value {
        Value::Array(all) if all.iter().all(|item| !item.is_object() && !item.is_array()) => {
            all.iter().map(value_text).collect::<Vec<_>>().join(" ")
        }
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// Both recordings beside each other, and what they have in common.
fn sides(summary: &Summary, out: &mut String) {
    let row = |what: &'static str, of: &dyn Fn(&Side) -> String| [what.to_owned(), of(&summary.a), of(&summary.b)];
    let list = |all: &[String]| if all.is_empty() { "-".to_owned() } else { all.join(", ") };
    let rows = [
        row("Format", &|side| match side.protocol {
            Some(protocol) => format!("{}, protocol {protocol}", side.format.name()),
            None => side.format.name().to_owned(),
        }),
        row("Bytes", &|side| thousands(side.bytes)),
        row("Length", &|side| side.length.to_string()),
        row("Levels", &|side| list(&side.levels)),
        row("Frames", &|side| thousands(side.frames)),
        row("Messages", &|side| thousands(side.messages)),
        row("Events", &|side| thousands(side.events)),
        row("Players", &|side| {
            let name = |player: &qdemo::diff::Score| match player.frags {
                Some(frags) => format!("{} {frags}", player.name),
                None => player.name.clone(),
            };
            list(&side.players.iter().map(name).collect::<Vec<_>>())
        }),
    ];
    for [what, a, b] in rows {
        if a == b {
            let _ = writeln!(out, "{what:<10}{}", Safe(&a));
        } else {
            let _ = writeln!(out, "{what:<10}A  {}\n{:10}B  {}", Safe(&a), "", Safe(&b));
        }
    }
    if summary.verdict == Verdict::Different {
        let said: u64 = summary.common.iter().map(|common| common.messages).sum();
        let common = match summary.aligned_by {
            Alignment::Events | Alignment::Nothing => String::new(),
            _ => format!("{} moments, {}, ", thousands(summary.moments), messages(said)),
        };
        let _ = writeln!(out, "{:<10}{common}{} events", "In common", thousands(summary.common_events));
    }
}
