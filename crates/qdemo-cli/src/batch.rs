//! Working on many inputs at once, telling the results in order.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use anyhow::{Result, bail};
use qdemo_inputs::{Found, Item, Items, Next, Sender, in_order};
use serde::Serialize;

use crate::console::Note;
use crate::exit::{Exit, is_closed_pipe};
use crate::json_line::json_line;
use crate::session::Session;

/// What came of one input.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The result, for standard output.
    pub(crate) out: Vec<u8>,
    /// True when the result is for machines, so that nothing may be added or taken away.
    pub(crate) raw: bool,
    /// What to tell on standard error.
    pub(crate) notes: Vec<Note>,
    /// How it ended.
    pub(crate) exit: Exit,
}

impl Outcome {
    /// No result yet.
    pub(crate) fn new() -> Self {
        Outcome { out: Vec::new(), raw: false, notes: Vec::new(), exit: Exit::Fine }
    }

    /// A result for people.
    pub(crate) fn text(text: String) -> Self {
        Outcome { out: text.into_bytes(), ..Outcome::new() }
    }

    /// A result for machines: one line.
    pub(crate) fn json(line: &impl Serialize) -> Self {
        Outcome { out: (json_line(line) + "\n").into_bytes(), raw: true, ..Outcome::new() }
    }

    /// Adds an error. That nobody reads the result any more is none.
    pub(crate) fn fail(&mut self, e: &anyhow::Error) {
        if !is_closed_pipe(e) {
            self.notes.push(Note::error(e));
            self.exit = Exit::Error;
        }
    }
}

/// An input, and where its result goes, if that is a matter of the verb.
pub(crate) trait Job: Send {
    /// The name, for the progress bar.
    fn name(&self) -> String;

    /// What is to be told of the input itself, when the work is done.
    fn notes(&self) -> Vec<Note>;
}

impl Job for Item {
    fn name(&self) -> String {
        self.to_string()
    }

    fn notes(&self) -> Vec<Note> {
        Self::notes(self)
    }
}

/// Where the result of an input goes while it is worked out: to standard output, when its turn has come.
pub(crate) struct Feed<'s> {
    part: Vec<u8>,
    to: &'s Sender<Piece>,
}

/// What there is to tell of an input, in order.
pub(crate) enum Piece {
    /// Its turn has come.
    Begin(String),
    /// A part of its result, for machines.
    Part(Vec<u8>),
    /// What came of it in the end.
    End(Outcome),
}

impl Feed<'_> {
    const PART: usize = 64 * 1024;
}

impl Write for Feed<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(buf);
        if self.part.len() >= Feed::PART {
            self.flush()?;
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let part = std::mem::take(&mut self.part);
        match part.is_empty() || self.to.send(Piece::Part(part)) {
            true => Ok(()),
            false => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// Works on all inputs, on as many threads as the session says. Results are told in the order of the inputs, and no
/// more of them are held than a few for each thread. `tell` comes before each result.
pub(crate) fn run<J: Job>(
    session: &Session,
    items: Items,
    several: bool,
    json: bool,
    prepare: impl FnMut(Item) -> Result<J>,
    work: impl Fn(&J) -> Outcome + Sync,
    tell: impl FnMut(&Outcome) -> Result<()>,
) -> Result<Exit> {
    stream(session, items, several, json, prepare, |job, _| work(job), tell)
}

/// The same for results that may be large: `work` writes them as it goes, and no more than a few parts of each are held.
pub(crate) fn stream<J: Job>(
    session: &Session,
    items: Items,
    several: bool,
    json: bool,
    prepare: impl FnMut(Item) -> Result<J>,
    work: impl Fn(&J, &mut Feed<'_>) -> Outcome + Sync,
    mut tell: impl FnMut(&Outcome) -> Result<()>,
) -> Result<Exit> {
    let threads = if several { session.jobs } else { 1 };
    let work = |job: J, to: &Sender<Piece>| {
        to.send(Piece::Begin(job.name()));
        let mut feed = Feed { part: Vec::new(), to };
        let mut outcome = work(&job, &mut feed);
        outcome.notes.extend(job.notes());
        // Where nobody listens any more there is nobody to tell.
        let _ = feed.flush();
        to.send(Piece::End(outcome));
    };
    let mut exit = Exit::Fine;
    let take = |piece| match piece {
        Piece::Part(part) => Ok(session.console.raw(&part)?),
        Piece::End(outcome) => {
            exit = exit.max(outcome.exit);
            show(session, &outcome, &mut tell)
        }
        Piece::Begin(_) => Ok(()),
    };
    pieces(session, threads, items, several && !json, prepare, |piece| piece, work, take)?;
    Ok(exit)
}

/// What [`stream`] does, with pieces of any kind: `work` sends them, and `take` gets them in the order of the inputs.
/// Those of [`Piece`] among them move the progress bar.
#[allow(clippy::too_many_arguments)]
pub(crate) fn pieces<J: Job, P: Send + AsPiece>(
    session: &Session,
    threads: usize,
    items: Items,
    progress: bool,
    mut prepare: impl FnMut(Item) -> Result<J>,
    told: impl Fn(Piece) -> P,
    work: impl Fn(J, &Sender<P>) + Sync,
    mut take: impl FnMut(P) -> Result<()>,
) -> Result<()> {
    if progress {
        session.console.start_progress(items.waiting());
    }
    let (items, inputs, done) = (RefCell::new(items), Cell::new(0), Cell::new(0));
    let next = || {
        let found = items.borrow_mut().next()?;
        let mut outcome = Outcome::new();
        match found.and_then(&mut prepare) {
            Found::Item(job) => {
                inputs.set(inputs.get() + 1);
                return Some(Next::Job(job));
            }
            Found::Note(note) => outcome.notes.push(note),
            Found::Failed(e) => {
                inputs.set(inputs.get() + 1);
                outcome.fail(&e);
            }
        }
        Some(Next::Piece(told(Piece::End(outcome))))
    };
    let take = |piece: P, waiting: usize| {
        match piece.as_piece() {
            Some(Piece::Begin(name)) => {
                let total = done.get() + 1 + waiting as u64 + items.borrow().waiting();
                session.console.progress(done.get(), total, name);
            }
            Some(Piece::End(_)) => done.set(done.get() + 1),
            _ => {}
        }
        take(piece)
    };
    let ended = in_order(threads, next, work, take);
    session.console.end_progress();
    match ended {
        Err(e) if is_closed_pipe(&e) => Ok(()),
        // Folders and archives without anything in them: silence would look like success.
        Ok(()) if inputs.get() == 0 => {
            bail!("nothing was found in what was named; `qdemo info ARCHIVE` lists an archive")
        }
        ended => ended,
    }
}

/// What may be a [`Piece`].
pub(crate) trait AsPiece {
    fn as_piece(&self) -> Option<&Piece>;
}

impl AsPiece for Piece {
    fn as_piece(&self) -> Option<&Piece> {
        Some(self)
    }
}

fn show(session: &Session, outcome: &Outcome, tell: &mut impl FnMut(&Outcome) -> Result<()>) -> Result<()> {
    tell(outcome)?;
    if outcome.raw {
        session.console.raw(&outcome.out)?;
    } else {
        session.console.show(&outcome.out)?;
    }
    outcome.notes.iter().for_each(|note| session.console.note(note));
    Ok(())
}
