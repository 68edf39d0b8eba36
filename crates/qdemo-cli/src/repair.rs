//! `qdemo repair`: recordings that are damaged, cut or begin too late.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use clap::ValueHint;
use qdemo::Limits;
use qdemo::analysis::check::{self, Checks, Finding};
use qdemo::edit::RepairAccount;
use qdemo::edit::repair::{Repair, repair};
use qdemo::pipe::{PipeEntry, pipe};
use qdemo::verify;
use qdemo_inputs::{Inputs, Item, Protected, Wanted, unpacked_name};
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::Outcome;
use crate::clips::{Again, Target, Writing, Written};
use crate::console::{DOUBT, GOOD, KEY, Note};
use crate::exit::Exit;
use crate::report::{self, Line};
use crate::session::Session;
use crate::show::{Safe, count};
use crate::writing;

/// Repairs of a file that people are shown; JSON has more.
const SHOWN: usize = 20;

/// Make damaged, cut and late demos play again
///
/// What can be read is kept, byte for byte. Bytes that are no block are dropped; of a block that cannot be read to its end
/// the messages in front of the fault are kept. A size of which one bit is damaged is mended where all else tells so: no
/// engine writes it, or the block lacks just the bytes up to the next one, and can be read with them; blocks that a damaged
/// size runs over are found again. Frames that build on what is lost are told anew, so that players go on instead of
/// stopping; what changed while nothing was recorded stays as it was until the recording tells it. Blocks that stand there
/// twice or in the wrong order are put in order where their numbers prove it. An end that is missing is made, and so is a
/// beginning: of that what no text tells is invented, and said to be. Commands between levels that stop players are taken
/// out (LMPC's --fix-multi). Bytes behind a clean end that are no blocks stay. A demo with which nothing is wrong comes out
/// as it is.
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

    #[command(flatten)]
    writing: Writing,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| match one(
        item,
        target,
        protected,
        &args.writing,
        limits,
    ) {
        Ok(done) => done.outcome(target, &args.writing),
        Err(e) => report::failed(&item.to_string(), &e, args.writing.json),
    };
    let (output, dry_run) = (args.writing.output.as_deref(), args.writing.dry_run);
    writing::run_dry(inputs, output, dry_run, session, unpacked_name, work)
}

/// What verifying and checking say of a file.
struct Examined {
    verify: verify::Report,
    check: check::Report,
}

/// A demo that was repaired.
struct Repaired {
    name: String,
    account: RepairAccount,
    before: Examined,
    after: Examined,
    /// What is to be said of its container.
    notes: Vec<Note>,
}

fn one(item: &Item, target: Option<&Path>, protected: &Protected, args: &Writing, limits: Limits) -> Result<Repaired> {
    let name = item.to_string();
    let input = Again::new(item, limits)?;
    let (checks, mut notes) = (Checks::default(), Vec::new());
    let verify = input.read(&mut notes, |input| Ok(verify::verify(input, &name, limits)?))?;
    // What is wrong with the container is told once.
    let check = input.read(&mut Vec::new(), |input| Ok(check::check(input, &name, limits, &checks)?))?;
    let before = Examined { verify, check };
    let mut output = Target::create(target, protected, args.dry_run)?;
    // What is written is verified and checked on the way.
    let (repaired, verified, checked) = std::thread::scope(|scope| {
        let (to_verify, verify_from) = pipe();
        let (to_check, check_from) = pipe();
        let verified = scope.spawn(|| verify::verify(verify_from, &name, limits));
        let checked = scope.spawn(|| check::check(check_from, &name, limits, &checks));
        let tee = Tee { output: &mut output, to: [to_verify, to_check] };
        let repaired = repair(|| input.open(), &name, limits, tee).map(|(_, account)| account);
        (repaired, verified.join(), checked.join())
    });
    let account = repaired.map_err(|e| output.explain(e))?;
    let (Ok(verified), Ok(checked)) = (verified, checked) else { bail!("{name}: the output could not be checked") };
    notes.extend(output.finish()?);
    let after = Examined { verify: verified?, check: checked? };
    Ok(Repaired { name, account, before, after, notes })
}

/// Writes to an output, and to those who read along.
struct Tee<'o, W> {
    output: &'o mut W,
    to: [PipeEntry; 2],
}

impl<W: Write> Write for Tee<'_, W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.output.write_all(buf)?;
        self.to.iter().for_each(|to| to.put(buf));
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// What verifying and checking say of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Examined")]
pub(crate) struct Told<'e> {
    /// True when every byte is understood.
    exact: bool,
    /// True when it is exact, and nothing in it is damaged or cut short.
    sound: bool,
    /// How many faults `qdemo verify` finds.
    faults: u64,
    /// Bytes that no message covers.
    uncovered: u64,
    /// What `qdemo check` finds.
    findings: &'e [Finding],
}

/// What was repaired, and what verifying and checking say before and after.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RepairTold<'r> {
    #[serde(flatten)]
    written: Written<&'r RepairAccount>,
    /// True when nothing was wrong: then the output is the input.
    sound: bool,
    /// What verifying and checking say of the input.
    before: Told<'r>,
    /// What they say of the output.
    after: Told<'r>,
}

impl Examined {
    fn told(&self) -> Told<'_> {
        Told {
            exact: self.verify.is_exact(),
            sound: self.verify.is_sound(),
            faults: self.verify.faults.count(),
            uncovered: self.verify.uncovered,
            findings: &self.check.findings,
        }
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
    fn outcome(&self, target: Option<&Path>, args: &Writing) -> Outcome {
        let mut outcome = Outcome::new();
        args.tell(&mut outcome, &self.told(target, args), &self.text());
        outcome.notes.extend(self.notes.iter().cloned());
        if args.to_stdout() {
            outcome.notes.extend(self.account.account.notes.iter().map(|note| Note::Remark(note.clone())));
        }
        if args.dry_run && !self.account.is_sound() {
            outcome.exit = Exit::No;
        }
        outcome
    }

    fn told(&self, target: Option<&Path>, args: &Writing) -> Line<RepairTold<'_>> {
        let output = target.map(|path| path.display().to_string());
        let written = Written { account: &self.account, output, dry_run: args.dry_run };
        let (sound, before, after) = (self.account.is_sound(), self.before.told(), self.after.told());
        report::line(&self.name, RepairTold { written, sound, before, after })
    }

    fn text(&self) -> String {
        let mut out = format!("{KEY}{}{KEY:#}: ", Safe(&self.name));
        if self.account.is_sound() {
            let notes = &self.account.account.notes;
            let what = if notes.is_empty() { "nothing is wrong" } else { "nothing is repaired" };
            let _ = writeln!(out, "{GOOD}{what}{GOOD:#}");
            for note in notes {
                let _ = writeln!(out, "  {}", Safe(note));
            }
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
    place.push(match repair.block {
        None if repair.bytes > 0 => format!("{} from byte {}", count(repair.bytes, "byte"), repair.offset),
        _ => format!("byte {}", repair.offset),
    });
    let words = |name: &str| name.replace('_', " ");
    let (found, done) = (words(repair.found.name()), words(repair.done.name()));
    let _ = writeln!(out, "  {found}, {done}: {} ({})", Safe(&repair.text), place.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_along() {
        let (to, from) = pipe();
        let (also_to, also_from) = pipe();
        let mut written = Vec::new();
        let mut tee = Tee { output: &mut written, to: [to, also_to] };
        tee.write_all(b"one ").unwrap();
        tee.write_all(b"two").unwrap();
        drop(tee);
        assert_eq!(written, b"one two");
        let read = |from| io::read_to_string(from).unwrap();
        assert_eq!((read(from), read(also_from)), ("one two".to_owned(), "one two".to_owned()));
    }
}
