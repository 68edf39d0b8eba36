//! `qdemo repair`: recordings that are damaged, cut or begin too late.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Result, bail};
use clap::ValueHint;
use qdemo::Limits;
use qdemo::analysis::check::{self, Checks};
use qdemo::edit::RepairAccount;
use qdemo::edit::repair::{Repair, repair};
use qdemo::verify;
use serde_json::{Value, json};

use crate::batch::{self, Outcome};
use crate::console::{DOUBT, GOOD, KEY, Note};
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::names::{Wanted, unpacked_name};
use crate::output::Output;
use crate::report;
use crate::session::Session;
use crate::show::{Safe, count};
use crate::source::{LenientReader, open_one};
use crate::writing;

/// Repairs of a file that people are shown; JSON has more.
const SHOWN: usize = 20;

/// Make damaged, cut and late demos play again
///
/// What can be read is kept, byte for byte. Bytes that are no block are dropped; of a block that cannot be read to its end
/// the messages in front of the fault are kept. Frames that build on what is lost are told anew, so that players go on
/// instead of stopping; what changed while nothing was recorded stays as it was until the recording tells it. Blocks that
/// stand there twice or in the wrong order are put in order where their numbers prove it. An end that is missing is made, and
/// so is a beginning: of that what no text tells is invented, and said to be. Commands between levels that stop players are
/// taken out (LMPC's --fix-multi). A demo with which nothing is wrong comes out as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 written   1 with --dry-run: something is wrong with a file   2 a file could not be read or written

Examples:
  qdemo repair broken.dem -o whole.dem
  qdemo repair -n demos/                     what is wrong, and what would be done
  qdemo repair demos/ -o repaired/           repaired/NAME for every demo
  qdemo repair cut.dm_68 -o whole.dm_68 --json")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input, which is held in memory
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Write to this file, or into this folder; - is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath, required_unless_present = "dry_run")]
    output: Option<PathBuf>,

    /// Write no demo: only say what is wrong and what would be done
    #[arg(short = 'n', long, conflicts_with = "output")]
    dry_run: bool,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    if to_stdout && args.json {
        bail!("standard output cannot hold both the demo and JSON; give -o FILE");
    }
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let work = |item: &Item, target: Target<'_>| {
        let mut outcome = match one(item, target, limits) {
            Ok(done) => done.outcome(args.json),
            Err(e) => report::failed(&item.to_string(), &e, args.json),
        };
        if to_stdout {
            let text = String::from_utf8_lossy(&std::mem::take(&mut outcome.out)).into_owned();
            let plain = anstream::adapter::strip_str(&text).to_string();
            outcome.notes.extend(plain.lines().map(|line| Note::Remark(line.to_owned())));
        }
        outcome
    };
    if args.dry_run {
        let several = inputs.several;
        let work = |item: &Item| work(item, Target::Nothing);
        return batch::run(session, inputs.items(), several, args.json, Ok, work, |_| Ok(()));
    }
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        work(item, target.map_or(Target::Nothing, |path| Target::File(path, protected)))
    };
    writing::run(inputs, args.output.as_deref(), session, unpacked_name, work)
}

/// Where a repaired demo goes.
#[derive(Clone, Copy)]
enum Target<'t> {
    Nothing,
    File(&'t Path, &'t Protected),
}

/// What verifying and checking say of a file.
struct Examined {
    verify: verify::Report,
    check: check::Report,
}

/// A demo that was repaired.
struct Repaired {
    name: String,
    output: Option<String>,
    account: RepairAccount,
    before: Examined,
    after: Examined,
    /// What kept us from reading the rest of its container.
    fault: Option<qdemo::Error>,
}

/// An input that is read several times.
enum Input<'i> {
    Again(&'i Item),
    Held(Vec<u8>),
}

impl Input<'_> {
    fn open(&self, limits: &Limits) -> Result<Box<dyn Fault + '_>> {
        Ok(match self {
            Input::Again(item) => Box::new(LenientReader::new(open_one(item, Some(Wanted::Demos), limits)?)),
            Input::Held(bytes) => Box::new(&bytes[..]),
        })
    }
}

/// A reader that may know why it ended.
trait Fault: Read {
    fn into_fault(self: Box<Self>) -> Option<qdemo::Error>;
}

impl Fault for LenientReader {
    fn into_fault(self: Box<Self>) -> Option<qdemo::Error> {
        LenientReader::into_fault(*self)
    }
}

impl Fault for &[u8] {
    fn into_fault(self: Box<Self>) -> Option<qdemo::Error> {
        None
    }
}

fn one(item: &Item, target: Target<'_>, limits: Limits) -> Result<Repaired> {
    let name = item.to_string();
    let mut held = Vec::new();
    let input = if item.is_stdin() {
        open_one(item, Some(Wanted::Demos), &limits)?.read_to_end(&mut held).map_err(qdemo::Error::from)?;
        Input::Held(held)
    } else {
        Input::Again(item)
    };
    let mut first = input.open(&limits)?;
    let report = verify::verify(&mut first, &name, limits)?;
    let fault = first.into_fault();
    let checks = Checks::default();
    let before = Examined { verify: report, check: check::check(input.open(&limits)?, &name, limits, &checks)? };
    let mut output = match target {
        Target::Nothing => None,
        Target::File(path, protected) => Some(Output::create(path, protected)?),
    };
    let open = || input.open(&limits).map_err(|e| qdemo::Error::from(io::Error::other(e.to_string())));
    let told = output.as_ref().map(|output| output.name().to_owned());
    // What is written is verified and checked on the way.
    let (repaired, verified, checked) = std::thread::scope(|scope| {
        let (to_verify, verify_from) = sync_channel(PIPE);
        let (to_check, check_from) = sync_channel(PIPE);
        let verified = scope.spawn(|| verify::verify(Pipe::new(verify_from), &name, limits));
        let checked = scope.spawn(|| check::check(Pipe::new(check_from), &name, limits, &checks));
        let tee = Tee { output: output.as_mut(), to: [to_verify, to_check] };
        let repaired = repair(open, &name, limits, tee).map(|(_, account)| account);
        (repaired, verified.join(), checked.join())
    });
    let account = match repaired {
        Ok(account) => account,
        Err(e) => {
            return Err(match &output {
                Some(output) => output.explain(e),
                None => e.into(),
            });
        }
    };
    let (Ok(verified), Ok(checked)) = (verified, checked) else { bail!("{name}: the output could not be checked") };
    if let Some(output) = output {
        output.finish()?;
    }
    let after = Examined { verify: verified?, check: checked? };
    Ok(Repaired { name, output: told, account, before, after, fault })
}

/// Parts of an output that wait to be read.
const PIPE: usize = 64;

/// Writes to an output, and to those who read along.
struct Tee<'o> {
    output: Option<&'o mut Output>,
    to: [SyncSender<Vec<u8>>; 2],
}

impl Write for Tee<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if let Some(output) = &mut self.output {
            output.write_all(buf)?;
        }
        // Who has had enough reads no more.
        self.to.iter().for_each(|to| drop(to.send(buf.to_vec())));
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.as_mut().map_or(Ok(()), |output| output.flush())
    }
}

/// Reads what a [`Tee`] writes.
struct Pipe {
    from: Receiver<Vec<u8>>,
    part: Vec<u8>,
    at: usize,
}

impl Pipe {
    fn new(from: Receiver<Vec<u8>>) -> Self {
        Pipe { from, part: Vec::new(), at: 0 }
    }
}

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.part.len() {
            match self.from.recv() {
                Ok(part) => (self.part, self.at) = (part, 0),
                Err(_) => return Ok(0),
            }
        }
        let n = buf.len().min(self.part.len() - self.at);
        buf[..n].copy_from_slice(&self.part[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

impl Examined {
    fn to_json(&self) -> Value {
        json!({
            "exact": self.verify.is_exact(),
            "sound": self.verify.is_sound(),
            "faults": self.verify.faults.count(),
            "uncovered": self.verify.uncovered,
            "findings": self.check.findings,
        })
    }
}

impl std::fmt::Display for Examined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let exact = if self.verify.is_exact() { "exact" } else { "not exact" };
        let faults = match self.verify.faults.count() {
            0 => "no fault".to_owned(),
            n => count(n, "fault"),
        };
        let left_out: u64 = self.check.left_out.iter().map(|(_, n)| n).sum();
        write!(f, "{exact}, {faults}, {}", count(self.check.findings.len() as u64 + left_out, "finding"))
    }
}

impl Repaired {
    fn outcome(&self, json: bool) -> Outcome {
        let mut outcome = if json { Outcome::json(&self.to_json()) } else { Outcome::text(self.text()) };
        if let Some(e) = &self.fault {
            outcome.notes.push(Note::Warning(format!("{e}; what lies in front of that was repaired")));
        }
        if self.output.is_none() && !self.account.is_sound() {
            outcome.exit = Exit::No;
        }
        outcome
    }

    fn to_json(&self) -> Value {
        let mut line = report::line(&self.name, json!(self.account));
        line["sound"] = self.account.is_sound().into();
        line["output"] = json!(self.output);
        (line["before"], line["after"]) = (self.before.to_json(), self.after.to_json());
        line
    }

    fn text(&self) -> String {
        let mut out = format!("{KEY}{}{KEY:#}: ", Safe(&self.name));
        if self.account.is_sound() {
            let _ = writeln!(out, "{GOOD}nothing is wrong{GOOD:#}");
            return out;
        }
        let RepairAccount { account, repairs, repair_count, .. } = &self.account;
        let _ = writeln!(
            out,
            "{DOUBT}{}{DOUBT:#}; of {} {} as they were, {} changed, {} dropped, {} made",
            count(*repair_count, "repair"),
            count(account.blocks_read, "block"),
            account.blocks_kept,
            account.blocks_changed,
            account.blocks_dropped,
            account.blocks_made
        );
        repairs.iter().take(SHOWN).for_each(|repair| line(repair, &mut out));
        let more = repair_count.saturating_sub(SHOWN as u64);
        if more > 0 {
            let _ = writeln!(out, "  and {more} more");
        }
        let _ = writeln!(out, "  before: {}", self.before);
        let _ = writeln!(out, "  after: {}", self.after);
        out
    }
}

/// A repair, and where it is.
fn line(repair: &Repair, out: &mut String) {
    let mut place = Vec::new();
    place.extend(repair.clock.map(|clock| format!("at {}", clock.demo)));
    place.extend(repair.block.map(|block| format!("block {block}")));
    place.push(format!("byte {}", repair.offset));
    let words = |name: &str| name.replace('_', " ");
    let (found, done) = (words(repair.found.name()), words(repair.done.name()));
    let _ = writeln!(out, "  {found}, {done}: {} ({})", Safe(&repair.text), place.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_along() {
        let (to, from) = sync_channel(PIPE);
        let (also_to, also_from) = sync_channel(PIPE);
        let mut tee = Tee { output: None, to: [to, also_to] };
        tee.write_all(b"one ").unwrap();
        tee.write_all(b"two").unwrap();
        drop(tee);
        let read = |from| io::read_to_string(Pipe::new(from)).unwrap();
        assert_eq!((read(from), read(also_from)), ("one two".to_owned(), "one two".to_owned()));
    }
}
