//! `qdemo unpack`: a file out of its containers.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;

use crate::batch::Outcome;
use crate::console::Note;
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::names::{Wanted, unpacked_name};
use crate::output::Output;
use crate::session::Session;
use crate::show::size;
use crate::source::open_one;
use crate::writing;

/// Take files out of gz, zip, pk3, pak and qwz
///
/// Of a damaged container what can be had is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a container is damaged (what could be had is kept), or a file could not be read or written

Examples:
  qdemo unpack demo1.dem.gz -o demo1.dem
  qdemo unpack duel.qwz -o duel.qwd            what Qizmo compressed
  qdemo unpack pak0.pak:demo1.dem -o demo1.dem
  qdemo unpack 'pak0.pak:*' -o demos/          every demo in it
  qdemo unpack 'pak0.pak:*.cfg' -o configs/    every member that fits a pattern")]
pub(crate) struct Args {
    /// Packed files, or members of archives; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Write to this file, or into this folder; the default is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        let mut outcome = Outcome::new();
        if let Err(e) = unpack(item, target, protected, limits, &mut outcome) {
            outcome.fail(&e);
        }
        outcome
    };
    writing::run(inputs, args.output.as_deref(), session, unpacked_name, work)
}

fn unpack(
    item: &Item,
    target: Option<&Path>,
    protected: &Protected,
    limits: Limits,
    outcome: &mut Outcome,
) -> Result<()> {
    let mut source = open_one(item, None, &limits)?;
    let mut output = match target {
        Some(path) => Output::create(path, protected)?,
        None => Output::binary_stdout()?,
    };
    if source.containers.is_empty() {
        outcome.notes.push(Note::Warning(format!("{item}: this file is not packed; it is copied as it is")));
    }
    let mut buffer = vec![0; 256 * 1024];
    let fault = loop {
        match source.read(&mut buffer) {
            Ok(0) => break None,
            Ok(n) => output.write_all(&buffer[..n]).map_err(|e| output.explain(e.into()))?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => break Some(qdemo::Error::from(e)),
        }
    };
    let (written, name) = (output.written(), output.name().to_owned());
    let Some(fault) = fault else { return output.finish() };
    outcome.fail(&fault.into());
    if written > 0 {
        output.finish()?;
        outcome.notes.push(Note::Warning(format!("{name}: holds the {} before the damage", size(written))));
    }
    Ok(())
}
