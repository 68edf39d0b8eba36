//! What the verbs share that report on recordings: reading one, and telling what went wrong with it.

use anyhow::Result;
use qdemo::world::DemoTime;
use qdemo::{HiddenFrames, Limits};
use qdemo_inputs::{Item, LenientReader, Wanted, open_one};
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::Outcome;
use crate::console::Note;
use crate::json_line::json_line;
use crate::show::count;

/// Reads a recording with `read` and makes its report with `tell`: one object in JSON. A file that cannot be read has one,
/// too, so that none is missing; of a damaged container everything before the damage is reported.
pub(crate) fn one<T>(
    item: &Item,
    json: bool,
    limits: Limits,
    read: impl FnOnce(&mut LenientReader, &str) -> qdemo::Result<T>,
    tell: impl FnOnce(T, &str) -> Outcome,
) -> Outcome {
    let name = item.to_string();
    report(item, &name, limits, read, tell).unwrap_or_else(|e| failed(&name, &e, json))
}

/// The same for reports of as many rows as there are: an error never stands among them.
pub(crate) fn rows<T>(
    item: &Item,
    limits: Limits,
    read: impl FnOnce(&mut LenientReader, &str) -> qdemo::Result<T>,
    tell: impl FnOnce(T, &str) -> Outcome,
) -> Outcome {
    one(item, false, limits, read, tell)
}

fn report<T>(
    item: &Item,
    name: &str,
    limits: Limits,
    read: impl FnOnce(&mut LenientReader, &str) -> qdemo::Result<T>,
    tell: impl FnOnce(T, &str) -> Outcome,
) -> Result<Outcome> {
    let mut input = LenientReader::new(open_one(item, Some(Wanted::Demos), &limits)?);
    let read = read(&mut input, name);
    let offset = input.offset();
    let (found, fault) = match (read, input.into_fault()) {
        (Ok(_), Some(e)) if offset == 0 => return Err(e.into()),
        (Err(_), Some(e)) => return Err(e.into()),
        (read, fault) => (read?, fault),
    };
    let mut outcome = tell(found, name);
    if let Some(e) = fault {
        outcome.fail(&e.into());
        let what = format!("{name}: this is about the {offset} bytes before the damage");
        outcome.notes.push(Note::Warning(what));
    }
    Ok(outcome)
}

/// A file that could not be read. Among JSON objects it has one too, so that none is missing.
pub(crate) fn failed(name: &str, e: &anyhow::Error, json: bool) -> Outcome {
    let mut outcome = match json {
        true => Outcome::json(&Failed { file: name.to_owned(), error: e.to_string() }),
        false => Outcome::new(),
    };
    outcome.fail(e);
    outcome
}

/// A file that could not be read.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Failed {
    /// The file as it was named.
    file: String,
    /// What went wrong, in words for people.
    error: String,
}

// A line of JSON about a file. What it tells describes it in the schema: this is no documentation comment.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Line<T> {
    /// The file as it was named; of a member of an archive the archive in front, `pak0.pak:demo1.dem`; - is standard input.
    file: String,
    #[serde(flatten)]
    of: T,
}

pub(crate) fn line<T: Serialize>(file: &str, of: T) -> Line<T> {
    Line { file: file.to_owned(), of }
}

/// JSON objects, one a line.
pub(crate) fn lines(lines: impl IntoIterator<Item = impl Serialize>) -> Outcome {
    let mut outcome = Outcome::new();
    outcome.raw = true;
    for line in lines {
        outcome.out.extend_from_slice(json_line(&line).as_bytes());
        outcome.out.push(b'\n');
    }
    outcome
}

/// Warns of what is wrong with a recording: the first fault, and how many there are; and of frames that show nothing.
pub(crate) fn warn(outcome: &mut Outcome, name: &str, faults: &qdemo::Faults) {
    if let Some(first) = faults.iter().next() {
        let more = match faults.count() {
            1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        outcome.notes.push(Note::Warning(format!("{first}{more}")));
    }
    outcome.notes.extend(faults.hidden().map(|it| Note::Warning(hidden(it, name))));
}

/// What is to be said of frames of which nothing is known.
pub(crate) fn hidden(it: HiddenFrames, name: &str) -> String {
    let (frames, from) = (count(it.count, "frame"), DemoTime::from_ms(it.from_demo_ms));
    format!(
        "{name}: {frames} from {from} on build on what is not in the recording, so that nothing is known but texts; \
         `qdemo repair` may bring them back"
    )
}

/// A time within a recording, as a person writes it: `90`, `1:30`, `1:02:03.5`, `90s`, `1500ms`.
///
/// # Errors
/// What is wrong with it, for clap.
pub(crate) fn time(text: &str) -> Result<qdemo::world::DemoTime, String> {
    text.parse()
}
