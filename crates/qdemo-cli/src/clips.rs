//! What the verbs share that take parts out of recordings: reading, writing, and the account of what was done.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use qdemo::Limits;
use qdemo::analysis::parts::{Part, PartKind};
use qdemo::edit::{Account, cut_many};
use qdemo::replay::Range;
use qdemo_inputs::{Item, LenientReader, Protected, Wanted, as_io, open_one, unpacked_name};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::batch::Outcome;
use crate::called::{Called, completed, found, recording_name};
use crate::console::{KEY, Note};
use crate::output::Output;
use crate::report;
use crate::show::{Safe, count, size};

/// What all verbs take that write recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct Writing {
    /// Write to this file, or into this folder
    #[arg(short, long, value_name = "OUT", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,

    /// Tell what would be done, and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// Tell what was done as JSON, one object a line
    #[arg(long)]
    pub(crate) json: bool,
}

impl Writing {
    /// Checks that there is a place for results.
    ///
    /// # Errors
    /// None was named; or JSON would stand amid a recording.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.output {
            None if !self.dry_run => Err(anyhow!("name the output with -o OUT; - is standard output, -n only tells")),
            Some(path) if path.as_os_str() == "-" && self.json => {
                Err(anyhow!("standard output takes the recording or the JSON, not both; give -o FILE"))
            }
            _ => Ok(()),
        }
    }

    /// True when the recording goes to standard output, so that nothing else may.
    pub(crate) fn to_stdout(&self) -> bool {
        self.output.as_deref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Tells about one result.
    pub(crate) fn tell(&self, outcome: &mut Outcome, line: &impl Serialize, text: &str) {
        if self.json {
            outcome.raw = true;
            outcome.out.extend(format!("{}\n", json!(line)).into_bytes());
        } else if !self.to_stdout() {
            outcome.out.extend(text.bytes());
        }
    }
}

/// What became of a recording, and where it is.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Written<T> {
    #[serde(flatten)]
    pub(crate) account: T,
    /// The file that was written; null in a dry run without one.
    pub(crate) output: Option<String>,
    /// True when it was only told what would be done.
    pub(crate) dry_run: bool,
}

/// What became of a part that was cut out, and where it is.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Cut<'c> {
    #[serde(flatten)]
    written: Written<&'c Account>,
    /// What lies in it; null where it was asked for by its time.
    part: Option<&'c Part>,
}

/// Where a recording is written to.
pub(crate) enum Target {
    File(Output, Option<Called>),
    /// Nothing is written.
    Nowhere,
}

impl Target {
    /// A file; nowhere in a dry run.
    ///
    /// # Errors
    /// What making a file gives.
    pub(crate) fn create(path: Option<&Path>, protected: &Protected, dry_run: bool) -> Result<Self> {
        match path.filter(|_| !dry_run) {
            Some(path) if path.as_os_str() == "-" => Ok(Output::binary_stdout()?.into()),
            Some(path) => Ok(Target::File(Output::create(path, protected)?, Some(Called::new(path)))),
            None => Ok(Target::Nowhere),
        }
    }

    /// An error that came up while this was written: says so when it was the output that failed.
    pub(crate) fn explain(&self, e: qdemo::Error) -> anyhow::Error {
        match self {
            Target::File(output, _) => output.explain(e),
            Target::Nowhere => e.into(),
        }
    }

    /// Completes the file; says so where its name promises another recording.
    ///
    /// # Errors
    /// What writing gives.
    pub(crate) fn finish(self) -> Result<Option<Note>> {
        match self {
            Target::File(output, called) => output.finish().map(|()| called.and_then(|called| called.disagrees())),
            Target::Nowhere => Ok(None),
        }
    }
}

/// One without a name that promises anything.
impl From<Output> for Target {
    fn from(output: Output) -> Self {
        Target::File(output, None)
    }
}

impl Write for Target {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(output, called) => {
                let n = output.write(buf)?;
                if let Some(called) = called {
                    called.look(buf.get(..n).unwrap_or_default());
                }
                Ok(n)
            }
            Target::Nowhere => Ok(buf.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(output, _) => output.flush(),
            Target::Nowhere => Ok(()),
        }
    }
}

/// An input that can be read more than once: then standard input is kept in memory.
pub(crate) struct Again<'i> {
    item: &'i Item,
    held: Option<Vec<u8>>,
    pub(crate) limits: Limits,
}

impl<'i> Again<'i> {
    pub(crate) fn new(item: &'i Item, limits: Limits) -> Result<Self> {
        let mut held = None;
        if item.is_stdin() {
            let mut bytes = Vec::new();
            open_one(item, Some(Wanted::Demos), &limits)?.read_to_end(&mut bytes)?;
            held = Some(bytes);
        }
        Ok(Again { item, held, limits })
    }

    /// The same, where once is enough unless `twice` says otherwise.
    ///
    /// # Errors
    /// What reading standard input gives.
    pub(crate) fn once_or(twice: bool, item: &'i Item, limits: Limits) -> Result<Self> {
        if twice { Self::new(item, limits) } else { Ok(Again { item, held: None, limits }) }
    }

    /// Opens it at the beginning, as a whole: that a container is damaged is an error.
    ///
    /// # Errors
    /// What opening gives.
    pub(crate) fn whole(&self) -> Result<Box<dyn Read + '_>> {
        Ok(match &self.held {
            Some(bytes) => Box::new(&bytes[..]),
            None => Box::new(open_one(self.item, Some(Wanted::Demos), &self.limits)?),
        })
    }

    /// Opens it at the beginning. Of a damaged container what lies in front of the damage is there.
    ///
    /// # Errors
    /// What opening gives.
    pub(crate) fn open(&self) -> qdemo::Result<Box<dyn Read + '_>> {
        Ok(match &self.held {
            Some(bytes) => Box::new(&bytes[..]),
            None => {
                Box::new(LenientReader::new(open_one(self.item, Some(Wanted::Demos), &self.limits).map_err(as_io)?))
            }
        })
    }

    /// What a recording that is made of it is called.
    pub(crate) fn recording_name(&self) -> PathBuf {
        let name = unpacked_name(&self.item.relative);
        match &self.held {
            Some(bytes) => completed(name, || found(bytes)),
            None => recording_name(name, self.item, &self.limits),
        }
    }

    /// Reads it from the beginning. Of a damaged container everything in front of the damage is read; it is told then.
    ///
    /// # Errors
    /// What opening and reading give.
    pub(crate) fn read<T>(&self, notes: &mut Vec<Note>, read: impl FnOnce(&mut dyn Read) -> Result<T>) -> Result<T> {
        if let Some(bytes) = &self.held {
            return read(&mut &bytes[..]);
        }
        let mut input = LenientReader::new(open_one(self.item, Some(Wanted::Demos), &self.limits)?);
        let done = read(&mut input);
        match input.into_fault() {
            Some(fault) if done.is_err() => Err(fault.into()),
            Some(fault) => {
                notes.push(Note::Warning(format!("{fault}; the rest is missing")));
                done
            }
            None => done,
        }
    }
}

/// A clip to be written: what lies in it, where it lies, and where it goes.
pub(crate) struct Clip {
    pub(crate) part: Option<Part>,
    pub(crate) range: Range,
    pub(crate) path: Option<PathBuf>,
}

/// One of several outputs: tells its name where it cannot be written.
struct One<'f> {
    target: Target,
    full: &'f RefCell<Option<String>>,
}

impl One<'_> {
    fn tell<T>(&self, done: io::Result<T>) -> io::Result<T> {
        if let (Err(_), Target::File(output, _)) = (&done, &self.target) {
            self.full.replace(Some(output.name().to_owned()));
        }
        done
    }
}

impl Write for One<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let done = self.target.write(buf);
        self.tell(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.target.flush();
        self.tell(done)
    }
}

/// Cuts clips out of an input and tells about each.
///
/// # Errors
/// What reading, cutting and writing give.
pub(crate) fn write(
    input: &Again<'_>,
    clips: &[Clip],
    protected: &Protected,
    args: &Writing,
    outcome: &mut Outcome,
) -> Result<()> {
    let name = input.item.to_string();
    let ranges: Vec<_> = clips.iter().map(|clip| clip.range).collect();
    let mut failed = None;
    let full = RefCell::new(None);
    let mut told: Vec<Option<Account>> = clips.iter().map(|_| None).collect();
    let (mut notes, limits) = (Vec::new(), input.limits);
    let done = input.read(&mut notes, |input| {
        let mut open = |n: usize| {
            let path = clips.get(n).and_then(|clip| clip.path.as_deref());
            let target = Target::create(path, protected, args.dry_run).map_err(|e| {
                failed = Some(e);
                io::Error::other("no output")
            })?;
            Ok(One { target, full: &full })
        };
        let mut unfinished = None;
        let called = &mut outcome.notes;
        let mut done = |n: usize, one: One<'_>, account: Account| {
            match one.target.finish() {
                Ok(note) => {
                    called.extend(note);
                    told[n] = Some(account);
                }
                Err(e) => unfinished = Some(e),
            }
            Ok(())
        };
        let result = cut_many(input, &name, limits, &ranges, &mut open, &mut done);
        let result = result.map_err(|e| match full.take() {
            Some(output) => qdemo::Error::new(e.kind).in_file(&output).into(),
            None => e.into(),
        });
        unfinished.map_or(result, Err)
    });
    outcome.notes.append(&mut notes);
    match failed {
        Some(e) => return Err(e),
        None => done?,
    }
    for (clip, account) in clips.iter().zip(told) {
        match account {
            Some(account) => tell(&name, clip, &account, args, outcome),
            None => {
                let Range { from, to } = clip.range;
                outcome
                    .fail(&anyhow!("{name}: nothing lies between {from} and {to}; `qdemo timeline` tells its length"));
            }
        }
    }
    Ok(())
}

fn tell(name: &str, clip: &Clip, account: &Account, args: &Writing, outcome: &mut Outcome) {
    let output = clip.path.as_ref().map(|path| path.display().to_string());
    let written = Written { account, output: output.clone(), dry_run: args.dry_run };
    let line = report::line(name, Cut { written, part: clip.part.as_ref() });
    let mut text = String::new();
    let shown = output.unwrap_or_else(|| name.to_owned());
    let _ = write!(text, "{KEY}{}{KEY:#}: ", Safe(&shown));
    if let Some(part) = &clip.part {
        let _ = write!(text, "{}; ", Safe(&part.what));
    }
    if let (Some(first), Some(last)) = (&account.first, &account.last) {
        let _ = write!(text, "{} to {}, ", first.at.demo, last.at.demo);
    }
    let blocks = account.blocks_kept + account.blocks_changed + account.blocks_made;
    let _ = write!(text, "{}, {}", count(blocks, "block"), size(account.bytes_written));
    if account.blocks_changed > 0 {
        let _ = write!(text, "; {} changed", account.blocks_changed);
    }
    text.push('\n');
    args.tell(outcome, &line, &text);
    outcome.notes.extend(account.notes.iter().map(|note| Note::Warning(note.clone())));
}

/// What became of the blocks of a recording that was written anew, in a line.
pub(crate) fn rewritten(account: &Account, name: &str) -> String {
    let mut text = format!("{KEY}{}{KEY:#}: ", Safe(name));
    let blocks = [
        (account.blocks_kept, "as they were"),
        (account.blocks_changed, "changed"),
        (account.blocks_made, "new"),
        (account.blocks_dropped, "left out"),
    ];
    for (n, what) in blocks.into_iter().filter(|(n, _)| *n > 0) {
        let _ = write!(text, "{} {what}, ", count(n, "block"));
    }
    let _ = writeln!(text, "{}", size(account.bytes_written));
    text
}

/// The name of a clip: `duel-frag-03.mvd`.
pub(crate) fn clip_name(demo: &Path, kind: PartKind, number: usize, of: usize) -> PathBuf {
    let stem = demo.file_stem().unwrap_or_default().to_string_lossy();
    let extension = demo.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    let digits = of.to_string().len();
    demo.with_file_name(format!("{stem}-{}-{number:0digits$}{extension}", kind.name()))
}
