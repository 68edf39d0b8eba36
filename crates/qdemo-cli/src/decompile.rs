//! `qdemo decompile`: demo to text.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use qdemo::text::{Decompiled, Options, Style};
use qdemo_inputs::{Inputs, Item, LenientReader, Protected, Wanted, open_one};

use crate::batch::Outcome;
use crate::console::Note;
use crate::exit::Exit;
use crate::output::Output;
use crate::session::Session;
use crate::show::count;
use crate::writing;

/// Write demos as text that can be read, edited and compiled again
///
/// The text holds every byte of the demo: compiling it gives the same file. What is not understood stands in it as
/// hexadecimal bytes, with the reason beside it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine, also for a damaged demo: its text holds everything   2 a file could not be read or written

Examples:
  qdemo decompile demo1.dem | less
  qdemo decompile demo1.dem -o demo1.txt
  qdemo decompile demo1.dem --style lmpc -o demo1.txt   for LMPC 3.4
  qdemo decompile demo1.dem --json | head -n 3          one block a line
  qdemo decompile demos/ -o texts/                      texts/NAME.dem.txt for every demo")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Write to this file, or into this folder; the default is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,

    /// Which language to write
    #[arg(long, value_enum, default_value_t = StyleArg::Text, conflicts_with = "json")]
    style: StyleArg,

    /// Write JSON: one object a line for every piece of the demo; `qdemo schema --json-schema` describes it
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StyleArg {
    /// qdemo's own: short numbers, plain ASCII, remarks
    Text,
    /// What LMPC 3.4 reads
    Lmpc,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let style = match args.style {
        _ if args.json => Style::Json,
        StyleArg::Text => Style::Text,
        StyleArg::Lmpc => Style::Lmpc,
    };
    let mut options = Options::with_style(style);
    options.limits = session.limits;
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    options.threads = session.threads_of_one(inputs.several);
    let extension = if args.json { ".jsonl" } else { ".txt" };
    // The whole name stays, so that what has names of its own has texts of its own: x.dem and x.dem.gz, x and x.xz.
    let rename = |demo: &Path| PathBuf::from([demo.as_os_str(), extension.as_ref()].into_iter().collect::<OsString>());
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        let mut outcome = Outcome::new();
        match decompile(item, target.unwrap_or(Path::new("-")), protected, &options) {
            Ok((done, fault)) => {
                outcome.notes = notes(&done, &item.to_string(), style);
                fault.into_iter().for_each(|e| outcome.fail(&e.into()));
            }
            Err(e) => outcome.fail(&e),
        }
        outcome
    };
    writing::run(inputs, args.output.as_deref(), session, rename, work)
}

/// Writes the text of what can be read. The second result is what kept us from reading the rest.
fn decompile(
    item: &Item,
    target: &Path,
    protected: &Protected,
    options: &Options,
) -> Result<(Decompiled, Option<qdemo::Error>)> {
    let mut input = LenientReader::new(open_one(item, Some(Wanted::Demos), &options.limits)?);
    let mut output = Output::create(target, protected)?;
    let name = item.to_string();
    let done = qdemo::text::decompile(&mut input, &name, &mut output, options).map_err(|e| output.explain(e))?;
    let offset = input.offset();
    match input.into_fault() {
        Some(e) if offset == 0 => Err(e.into()),
        fault => {
            output.finish()?;
            Ok((done, fault))
        }
    }
}

fn notes(done: &Decompiled, name: &str, style: Style) -> Vec<Note> {
    const SHOWN: usize = 3;
    let mut notes: Vec<_> = done.faults.iter().take(SHOWN).map(|e| Note::Warning(e.to_string())).collect();
    let more = done.faults.count().saturating_sub(SHOWN as u64);
    if more > 0 {
        notes.push(Note::Warning(format!("{name}: and {}; the text holds all bytes", count(more, "more fault"))));
    }
    if style != Style::Lmpc {
        return notes;
    }
    if done.beyond_lmpc > 0 {
        let pieces = match done.beyond_lmpc {
            1 => "1 piece is".to_owned(),
            n => format!("{n} pieces are"),
        };
        let advice = "LMPC will not give the same file; without --style lmpc qdemo does";
        notes.push(Note::Warning(format!("{name}: {pieces} beyond LMPC's language; {advice}")));
    }
    if done.bytes_for_lmpc > 0 {
        let messages = count(done.bytes_for_lmpc, "message");
        notes.push(Note::Remark(format!("{name}: {messages} that LMPC does not know written as bytes")));
    }
    notes
}
