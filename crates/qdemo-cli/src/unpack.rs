//! `qdemo unpack`: a file out of its containers.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueHint;
use qdemo::Limits;
use qdemo::container::Behind;
use qdemo_inputs::{Inputs, Item, Protected, Wanted, open_one, unpacked_name};

use crate::batch::Outcome;
use crate::console::Note;
use crate::exit::Exit;
use crate::output::Output;
use crate::session::Session;
use crate::show::size;
use crate::writing;

/// Take files out of gz, bz2, xz, zip, pk3, pak, dz, tar, 7z and qwz
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

    /// Of a single file: write what stands behind the end of the packed data, which is no part of it, to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    rest: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    if args.rest.is_some() && inputs.several {
        bail!("--rest is for a single file");
    }
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        let mut outcome = Outcome::new();
        let done = unpack(item, target, protected, limits, &mut outcome).and_then(|behind| match &args.rest {
            Some(path) => rest(&behind, path, protected),
            None => Ok(()),
        });
        if let Err(e) = done {
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
) -> Result<Vec<Behind>> {
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
    let Some(fault) = fault else { return output.finish().map(|()| source.behind()) };
    outcome.fail(&fault.into());
    if written > 0 {
        output.finish()?;
        outcome.notes.push(Note::Warning(format!("{name}: holds the {} before the damage", size(written))));
    }
    Ok(source.behind())
}

/// Writes what stands behind the end of packed data, the outermost container's first.
fn rest(behind: &[Behind], path: &Path, protected: &Protected) -> Result<()> {
    let mut output = Output::create(path, protected)?;
    for behind in behind {
        output.write_all(&behind.kept).map_err(|e| output.explain(e.into()))?;
        if behind.kept.len() as u64 != behind.len {
            bail!("{}: only the first {} of {} bytes are here", path.display(), behind.kept.len(), behind.len);
        }
    }
    output.finish()
}
