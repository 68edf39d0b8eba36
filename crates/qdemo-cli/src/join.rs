//! `qdemo join`: recordings one behind the other, as one.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Read};

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::edit::{self, Account};
use qdemo_inputs::{Item, LenientReader, Wanted, as_io, open_one};

use crate::batch::Outcome;
use crate::clips::{Target, Writing, Written};
use crate::console::{KEY, Note};
use crate::exit::Exit;
use crate::session::Session;
use crate::show::{Safe, count, size};
use crate::together;

/// Join recordings: one recording of several levels
///
/// The recordings follow each other as engines record a change of level; they must be of one format and protocol. What ends
/// a recording is left out but for the last one's. Blocks stay byte for byte as they are, but for numbers that engines want
/// to rise: of packets in .qwd, of packets and server commands in Quake III; and the recorder's clock in .qwd goes on.
/// A recording that begins exactly where the one before it ends, as clips do that were cut out of one, goes on without
/// loading the level anew.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Recordings are joined in the order in which they are named; those of a folder or an archive in the order of their names.

Exit codes:
  0 fine   2 they do not go together, or a file could not be read or written

Examples:
  qdemo join e1m1.dem e1m2.dem e1m3.dem -o e1.dem
  qdemo join matches/ -o evening.mvd
  qdemo join run.dem 'pak0.pak:*.dem' -o all.dem
  qdemo join before.qwd after.qwd -n --json         what there would be")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    #[command(flatten)]
    writing: Writing,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    together::run(&args.files, &args.writing, session, join, tell)
}

fn join(items: &[Item], mut target: Target, limits: Limits, notes: &mut Vec<Note>) -> Result<Account> {
    let (told, damage) = std::sync::mpsc::channel();
    let inputs = items
        .iter()
        .map(|item| (item.to_string(), Input { item: Some(item), reader: None, limits, told: told.clone() }));
    let joined = edit::join(inputs, limits, &mut target).map(|(_, account)| account);
    let account = joined.map_err(|e| target.explain(e))?;
    notes.extend(damage.try_iter().map(|fault: qdemo::Error| Note::Warning(format!("{fault}; the rest is missing"))));
    notes.extend(account.notes.iter().map(|note| Note::Remark(note.clone())));
    notes.extend(target.finish()?);
    Ok(account)
}

/// An input that is opened when it is read. Of a damaged container everything in front of the damage is read; it is told then.
struct Input<'i> {
    item: Option<&'i Item>,
    reader: Option<LenientReader>,
    limits: Limits,
    told: std::sync::mpsc::Sender<qdemo::Error>,
}

impl Read for Input<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(item) = self.item.take() {
            let source = open_one(item, Some(Wanted::Demos), &self.limits).map_err(as_io)?;
            self.reader = Some(LenientReader::new(source));
        }
        let Some(reader) = &mut self.reader else { return Ok(0) };
        let n = reader.read(buf)?;
        if n == 0 && !buf.is_empty() {
            let fault = self.reader.take().and_then(LenientReader::into_fault);
            // Whoever listens is gone only when nobody wants to know.
            fault.map_or(Ok(()), |fault| self.told.send(fault)).ok();
        }
        Ok(n)
    }
}

fn tell(account: &Account, args: &Writing, outcome: &mut Outcome) {
    let output = args.output.as_ref().map(|path| path.display().to_string());
    let line = Written { account, output: output.clone(), dry_run: args.dry_run };
    let mut text = String::new();
    let shown = output.unwrap_or_else(|| "together".to_owned());
    let levels = account.parts.iter().map(|part| part.levels).sum();
    let blocks = account.blocks_kept + account.blocks_changed + account.blocks_made;
    let _ = write!(text, "{KEY}{}{KEY:#}: ", Safe(&shown));
    let _ = write!(text, "{}, ", count(account.parts.len() as u64, "recording"));
    let _ = write!(text, "{}, {}, {}", count(levels, "level"), count(blocks, "block"), size(account.bytes_written));
    if account.blocks_changed > 0 {
        let _ = write!(text, "; {} changed", account.blocks_changed);
    }
    text.push('\n');
    for part in &account.parts {
        let _ = write!(text, "  {} {}", part.from, Safe(&part.name));
        text.push_str(if part.goes_on { ", goes on" } else { "" });
        if part.players_carried > 0 {
            let _ = write!(text, ", with {} of the recording before", count(part.players_carried, "player"));
        }
        text.push('\n');
    }
    args.tell(outcome, &line, &text);
}
