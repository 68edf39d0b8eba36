//! What the verbs that write files share: one input to one output, or many inputs into a folder.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use qdemo::Limits;
use qdemo_inputs::{Inputs, Item, Protected, Wanted};
use serde::Serialize;

use crate::batch::{self, Job, Outcome};
use crate::called::recording_name;
use crate::clips::{Again, Target, Writing, Written};
use crate::console::Note;
use crate::exit::Exit;
use crate::output::Folder;
use crate::report;
use crate::session::Session;

/// An input and the file for its result.
struct Task {
    item: Item,
    target: PathBuf,
}

impl Job for Task {
    fn name(&self) -> String {
        self.item.to_string()
    }

    fn notes(&self) -> Vec<Note> {
        self.item.notes()
    }
}

/// Works on each input. `work` gets the output as the user named it (`None`: nothing was named), or the file in the
/// folder that the user named, called what `rename` makes of the input's name.
pub(crate) fn run(
    inputs: Inputs,
    output: Option<&Path>,
    session: &Session,
    rename: impl Fn(&Path) -> PathBuf,
    work: impl Fn(&Item, Option<&Path>, &Protected) -> Outcome + Sync,
) -> Result<Exit> {
    run_named(inputs, output, false, session, |item| rename(&item.relative), work)
}

/// The same for results that are recordings, which have an extension; in a dry run nothing is written, so that there need be no
/// place for it.
pub(crate) fn run_dry(
    inputs: Inputs,
    output: Option<&Path>,
    dry: bool,
    session: &Session,
    rename: impl Fn(&Path) -> PathBuf,
    work: impl Fn(&Item, Option<&Path>, &Protected) -> Outcome + Sync,
) -> Result<Exit> {
    let rename = |item: &Item| recording_name(rename(&item.relative), item, &session.limits);
    run_named(inputs, output, dry, session, rename, work)
}

/// The same, where the whole input tells what its result is called.
pub(crate) fn run_named(
    inputs: Inputs,
    output: Option<&Path>,
    dry: bool,
    session: &Session,
    rename: impl Fn(&Item) -> PathBuf,
    work: impl Fn(&Item, Option<&Path>, &Protected) -> Outcome + Sync,
) -> Result<Exit> {
    let protected = inputs.protected.clone();
    if let (Some(item), false) = (inputs.single(), output.is_some_and(is_folder)) {
        let outcome = work(item, output, &protected);
        match outcome.raw {
            true => session.console.raw(&outcome.out)?,
            false => session.console.show(&outcome.out)?,
        }
        outcome.notes.iter().chain(&item.notes()).for_each(|note| session.console.note(note));
        return Ok(outcome.exit);
    }
    let mut folder = match output {
        Some(path) if path.as_os_str() != "-" => Folder::create(path, dry)?,
        None if dry => Folder::create(Path::new(""), dry)?,
        _ => bail!("several files need a folder to be written to; give -o FOLDER"),
    };
    let prepare = |item: Item| {
        let target = folder.claim(&rename(&item), &item.to_string())?;
        Ok(Task { item, target })
    };
    let several = inputs.several;
    let items = inputs.items();
    let work = |task: &Task| work(&task.item, Some(&task.target), &protected);
    batch::run(session, items, several, false, prepare, work, |_| Ok(()))
}

/// True for a folder, and for a name that can only mean one: `texts/`.
pub(crate) fn is_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    path.is_dir() || last.is_some_and(|&b| std::path::is_separator(char::from(b)))
}

/// Writes the recording of a name anew, by a plan.
type CarryOut<P, A> = fn(Box<dyn Read + '_>, &str, Means, &P, &mut Target) -> qdemo::Result<A>;

/// With what a recording is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Means {
    pub(crate) limits: Limits,
    /// So many threads work on it.
    pub(crate) threads: usize,
}

/// What a verb does that writes each recording anew.
pub(crate) struct Rewriting<'r, P, A> {
    pub(crate) files: &'r [OsString],
    pub(crate) writing: &'r Writing,
    /// What is read beside the recordings.
    pub(crate) beside: Vec<&'r Path>,
    /// What the output in a folder is called, by the name of the input.
    pub(crate) rename: &'r (dyn Fn(&Path) -> PathBuf + Sync),
    /// True when a recording is read to find what is to be done with it.
    pub(crate) reads_again: bool,
    /// Finds that.
    pub(crate) plan: &'r (dyn Fn(&Again<'_>, &str) -> Result<P> + Sync),
    /// Does it, and gives an account.
    pub(crate) carry_out: CarryOut<P, A>,
    /// Tells the account to people, of a recording that is called so.
    pub(crate) text: fn(&A, &str) -> String,
}

impl<P, A: Serialize> Rewriting<'_, P, A> {
    pub(crate) fn run(&self, session: &Session) -> Result<Exit> {
        let mut inputs = Inputs::gather(self.files, Wanted::Demos, session);
        self.beside.iter().for_each(|path| inputs.protect(path));
        let means = Means { limits: session.limits, threads: session.threads_of_one(inputs.several) };
        let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
            let name = item.to_string();
            match self.one(item, target, protected, means) {
                Ok((account, note)) => self.told(&account, &name, target, note),
                Err(e) => report::failed(&name, &e, self.writing.json),
            }
        };
        let (output, dry_run) = (self.writing.output.as_deref(), self.writing.dry_run);
        run_dry(inputs, output, dry_run, session, self.rename, work)
    }

    fn one(
        &self,
        item: &Item,
        target: Option<&Path>,
        protected: &Protected,
        means: Means,
    ) -> Result<(A, Option<Note>)> {
        let (again, name) = (Again::once_or(self.reads_again, item, means.limits)?, item.to_string());
        let plan = (self.plan)(&again, &name)?;
        let input = again.whole()?;
        let mut output = Target::create(target, protected, self.writing.dry_run)?;
        let done = (self.carry_out)(input, &name, means, &plan, &mut output);
        let account = done.map_err(|e| output.explain(e))?;
        Ok((account, output.finish()?))
    }

    fn told(&self, account: &A, name: &str, target: Option<&Path>, note: Option<Note>) -> Outcome {
        let output = target.map(|path| path.display().to_string());
        let text = (self.text)(account, output.as_deref().unwrap_or(name));
        let line = report::line(name, Written { account, output, dry_run: self.writing.dry_run });
        let mut outcome = Outcome::new();
        outcome.notes.extend(note);
        self.writing.tell(&mut outcome, &line, &text);
        outcome
    }
}
