//! What the verbs that write files share: one input to one output, or many inputs into a folder.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::batch::{self, Job, Outcome};
use crate::console::Note;
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::output::Folder;
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
    run_dry(inputs, output, false, session, rename, work)
}

/// The same; in a dry run nothing is written, so that there need be no place for it.
pub(crate) fn run_dry(
    inputs: Inputs,
    output: Option<&Path>,
    dry: bool,
    session: &Session,
    rename: impl Fn(&Path) -> PathBuf,
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
        let target = folder.claim(&rename(&item.relative), &item.to_string())?;
        Ok(Task { item, target })
    };
    let several = inputs.several;
    let items = inputs.items();
    let work = |task: &Task| work(&task.item, Some(&task.target), &protected);
    batch::run(session, items, several, false, prepare, work, |_| Ok(()))
}

/// True for a folder, and for a name that can only mean one: `texts/`.
fn is_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    path.is_dir() || last.is_some_and(|&b| std::path::is_separator(char::from(b)))
}
