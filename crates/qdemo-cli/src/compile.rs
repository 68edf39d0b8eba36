//! `qdemo compile`: text to demo.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::detect::Detected;
use qdemo_inputs::{Inputs, Item, Protected, Wanted, beginning, open_one, unpacked_name};

use crate::batch::Outcome;
use crate::called::{by_content, completed, has_extension, with_extension};
use crate::clips::Target;
use crate::console::Note;
use crate::exit::Exit;
use crate::output::Output;
use crate::session::Session;
use crate::writing;

/// Turn text back into demos
///
/// Reads the text of `decompile`, that of LMPC, and JSON lines; they are told apart by content. The text may be packed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 the text has a mistake (nothing is written then), or a file could not be read or written

Examples:
  qdemo compile demo1.txt -o demo2.dem
  qdemo decompile demo1.dem | sed 's/grenade/banana/' | qdemo compile - -o demo2.dem
  qdemo compile texts/ -o demos/            demos/NAME.dem for every texts/NAME.dem.txt")]
pub(crate) struct Args {
    /// Texts, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "TEXT", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Write to this file, or into this folder; the default is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Texts, session);
    let limits = session.limits;
    let threads = session.threads_of_one(inputs.several);
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        let mut outcome = Outcome::new();
        match compile(threads, item, target, protected, limits) {
            Ok(note) => outcome.notes.extend(note),
            Err(e) => outcome.fail(&e),
        }
        outcome
    };
    let rename = |item: &Item| {
        let name = completed(demo_name(&item.relative), || made(item, &limits));
        if has_extension(&name) { name } else { with_extension(name, "dem") }
    };
    writing::run_named(inputs, args.output.as_deref(), false, session, rename, work)
}

/// What the text of an input makes, by its beginning.
fn made(item: &Item, limits: &Limits) -> Detected {
    /// Room for the longest statement, the first one of Quake III, several times over.
    const TEXT: usize = 1024 * 1024;
    let text = beginning(item, Some(Wanted::Texts), TEXT, limits);
    let mut recording = Vec::new();
    // Where the text is cut off there is a mistake, and what stands in front of it is enough.
    let is_whole = qdemo::text::compile(&text[..], "", &mut recording, *limits).is_ok() && text.len() < TEXT;
    by_content(&recording, is_whole)
}

/// `a/demo1.dem.txt.gz` becomes `a/demo1.dem`. The text of a packed demo is that of the demo inside: `x.qwz.txt` becomes
/// `x.qwd`.
fn demo_name(text: &Path) -> PathBuf {
    let mut name = text.to_owned();
    for outer in ["gz", "bz2", "xz", "zst", "txt", "jsonl"] {
        if name.extension().is_some_and(|e| e.eq_ignore_ascii_case(outer)) {
            name.set_extension("");
        }
    }
    unpacked_name(&name)
}

fn compile(
    threads: usize,
    item: &Item,
    target: Option<&Path>,
    protected: &Protected,
    limits: Limits,
) -> Result<Option<Note>> {
    let source = open_one(item, Some(Wanted::Texts), &limits)?;
    let mut output = match target {
        // Who asks for it gets it on a terminal, too.
        Some(path) if path.as_os_str() == "-" => Output::stdout().into(),
        Some(path) => Target::create(Some(path), protected, false)?,
        None => Output::binary_stdout()?.into(),
    };
    let name = item.to_string();
    qdemo::text::compile_on(threads, source, &name, &mut output, limits).map_err(|e| output.explain(e))?;
    output.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demos_get_their_names_back() {
        for (text, demo) in [
            ("demo1.dem.txt", "demo1.dem"),
            ("a/demo1.dem.jsonl", "a/demo1.dem"),
            ("demo1.txt.gz", "demo1"),
            ("demo1.dem.gz.txt", "demo1.dem"),
            ("x.qwz.txt", "x.qwd"),
            ("x.xz.txt", "x"),
            ("e1m1_0.45.txt", "e1m1_0.45"),
            ("stdin", "stdin"),
        ] {
            assert_eq!(demo_name(Path::new(text)), Path::new(demo));
        }
    }
}
