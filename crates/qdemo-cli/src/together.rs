//! Verbs that make one recording of several.

use std::ffi::OsString;

use anyhow::{Result, anyhow};
use qdemo::Limits;
use qdemo_inputs::{Found, Inputs, Item, Wanted};

use crate::batch::Outcome;
use crate::clips::{Target, Writing};
use crate::console::Note;
use crate::exit::Exit;
use crate::session::Session;

/// Makes one output of all inputs with `make`, and tells of it with `tell`.
pub(crate) fn run<A>(
    files: &[OsString],
    writing: &Writing,
    session: &Session,
    make: impl FnOnce(&[Item], Target, Limits, &mut Vec<Note>) -> Result<A>,
    tell: impl FnOnce(&A, &Writing, &mut Outcome),
) -> Result<Exit> {
    writing.check()?;
    let inputs = Inputs::gather(files, Wanted::Demos, session);
    let protected = inputs.protected.clone();
    let (mut items, mut outcome) = (Vec::new(), Outcome::new());
    for found in inputs.items() {
        match found {
            Found::Item(item) => items.push(item),
            Found::Note(note) => outcome.notes.push(note),
            // Without one of them, the rest is something else than what was asked for.
            Found::Failed(e) => outcome.fail(&e),
        }
    }
    if outcome.exit == Exit::Fine {
        let done = match items.is_empty() {
            true => Err(anyhow!("nothing was found in what was named; `qdemo info ARCHIVE` lists an archive")),
            false => {
                let path = writing.output.as_deref();
                Target::create(path, &protected, writing.dry_run)
                    .and_then(|target| make(&items, target, session.limits, &mut outcome.notes))
            }
        };
        match done {
            Ok(account) => tell(&account, writing, &mut outcome),
            Err(e) => outcome.fail(&e),
        }
    }
    match outcome.raw {
        true => session.console.raw(&outcome.out)?,
        false => session.console.show(&outcome.out)?,
    }
    let behind = items.iter().flat_map(Item::notes);
    outcome.notes.iter().cloned().chain(behind).for_each(|note| session.console.note(&note));
    Ok(outcome.exit)
}
