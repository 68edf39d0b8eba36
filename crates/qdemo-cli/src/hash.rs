//! `qdemo hash`: a number for what a recording holds, whatever it is called and packed in.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::sync::Mutex;

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::analysis::hash::HashingReader;
use qdemo_inputs::{Inputs, Item, Wanted, open_one};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::batch::{self, Outcome};
use crate::exit::Exit;
use crate::report;
use crate::session::Session;

/// Tell the SHA-256 of recordings, of what is inside their containers
///
/// A recording has the same hash as a plain file, packed with gzip and in an archive; of a .qwz it is that of the .qwd
/// inside. Without options the lines are those of sha256sum.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   1 with --duplicates: some recordings are there several times   2 a file could not be read to its end

Examples:
  qdemo hash run.dem.gz
  qdemo hash demos/ > sums.txt
  qdemo hash --duplicates demos/          which files hold the same recording?
  qdemo hash --csv 'pak0.pak:*'")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Only recordings that are there several times: those that are the same stand together, groups with a blank line between
    #[arg(long)]
    duplicates: bool,

    /// Write one JSON object a line: of each recording, with --duplicates of each group
    #[arg(long)]
    json: bool,

    /// Write CSV with the columns file, sha256, bytes, containers
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// A recording and its hash.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Hashed {
    /// The file as it was named.
    file: String,
    /// The same as the system has it.
    #[serde(skip)]
    argument: OsString,
    /// Its SHA-256, in small hexadecimal digits.
    sha256: String,
    /// Bytes in the (unpacked) file.
    bytes: u64,
    /// The containers that it was in, the outermost first.
    containers: Vec<&'static str>,
}

/// Recordings that are the same, with `--duplicates`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Duplicates<'d> {
    /// Their SHA-256, in small hexadecimal digits.
    sha256: &'d str,
    /// Bytes in each (unpacked) file.
    bytes: u64,
    /// The files, by name.
    files: Vec<&'d str>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    if args.csv {
        session.console.raw(&record(&["file", "sha256", "bytes", "containers"])?)?;
    }
    let all = Mutex::new(HashMap::new());
    let work = |item: &Item| one(item, args, limits, &all);
    let for_machines = args.json || args.csv;
    let exit = batch::run(session, inputs.items(), several, for_machines, Ok, work, |_| Ok(()))?;
    if !args.duplicates {
        return Ok(exit);
    }
    let all = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let groups = groups(all);
    for (n, group) in groups.iter().enumerate() {
        if n > 0 && !for_machines {
            session.console.raw(b"\n")?;
        }
        if let (true, Some(first)) = (args.json, group.first()) {
            let files = group.iter().map(|it| it.file.as_str()).collect();
            let same = Duplicates { sha256: &first.sha256, bytes: first.bytes, files };
            session.console.raw(format!("{}\n", json!(same)).as_bytes())?;
        } else {
            for it in group {
                session.console.raw(&line(it, args)?)?;
            }
        }
    }
    Ok(exit.max(if groups.is_empty() { Exit::Fine } else { Exit::No }))
}

/// Recordings by their hashes, each list in the order of their names.
fn groups(all: HashMap<String, Vec<Hashed>>) -> Vec<Vec<Hashed>> {
    let mut groups: Vec<Vec<Hashed>> = all.into_values().filter(|group| group.len() > 1).collect();
    groups.iter_mut().for_each(|group| group.sort_by(|one, other| one.file.cmp(&other.file)));
    groups.sort_by(|one, other| one.first().map(|it| &it.file).cmp(&other.first().map(|it| &it.file)));
    groups
}

fn one(item: &Item, args: &Args, limits: Limits, all: &Mutex<HashMap<String, Vec<Hashed>>>) -> Outcome {
    let name = item.to_string();
    let hashed = match hashed(item, &name, &limits) {
        Ok(hashed) => hashed,
        Err(e) => return report::failed(&name, &e, args.json),
    };
    if args.duplicates {
        let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.entry(hashed.sha256.clone()).or_default().push(hashed);
        return Outcome::new();
    }
    match line(&hashed, args) {
        Ok(out) => Outcome { out, raw: true, ..Outcome::new() },
        Err(e) => report::failed(&name, &e, args.json),
    }
}

fn hashed(item: &Item, name: &str, limits: &Limits) -> Result<Hashed> {
    let source = open_one(item, Some(Wanted::Demos), limits)?;
    let containers = source.containers.iter().map(|kind| kind.name()).collect();
    let (_, sha256, bytes) = HashingReader::new(source).finish().map_err(qdemo::Error::from)?;
    Ok(Hashed { file: name.to_owned(), argument: item.argument(), sha256, bytes, containers })
}

fn line(hashed: &Hashed, args: &Args) -> Result<Vec<u8>> {
    if args.json {
        return Ok(format!("{}\n", json!(hashed)).into_bytes());
    }
    if args.csv {
        return record(&[&hashed.file, &hashed.sha256, &hashed.bytes.to_string(), &hashed.containers.join(" ")]);
    }
    let mut name = Vec::new();
    for &byte in shown(hashed) {
        match byte {
            b'\\' => name.extend(b"\\\\"),
            b'\n' => name.extend(b"\\n"),
            b'\r' => name.extend(b"\\r"),
            _ => name.push(byte),
        }
    }
    // As sha256sum has it: what is written in another way is marked in front of the line.
    let mark = if name == shown(hashed) { "" } else { "\\" };
    Ok([mark.as_bytes(), hashed.sha256.as_bytes(), b"  ", &name, b"\n"].concat())
}

/// The name for programs, and one for people that does not steer their terminal.
fn shown(hashed: &Hashed) -> &[u8] {
    match std::io::stdout().is_terminal() {
        true => hashed.file.as_bytes(),
        false => hashed.argument.as_encoded_bytes(),
    }
}

fn record(cells: &[&str]) -> Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(cells)?;
    Ok(out.into_inner()?)
}
