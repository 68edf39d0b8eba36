//! Working on many inputs at once, telling the results in order.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;

use crate::console::Note;
use crate::exit::{Exit, is_closed_pipe};
use crate::inputs::{Found, Items};
use crate::session::Session;
use crate::show::json_line;

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
        Outcome { out: (json_line(&json!(line)) + "\n").into_bytes(), raw: true, ..Outcome::new() }
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

impl Job for crate::item::Item {
    fn name(&self) -> String {
        self.to_string()
    }

    fn notes(&self) -> Vec<Note> {
        Self::notes(self)
    }
}

/// Where the result of an input goes while it is worked out: to standard output, when its turn has come.
pub(crate) struct Feed {
    part: Vec<u8>,
    to: SyncSender<Piece>,
}

/// A part of a result for machines, or what came of an input in the end.
enum Piece {
    Part(Vec<u8>),
    End(Outcome),
}

impl Feed {
    const PART: usize = 64 * 1024;
    /// How many parts wait for their turn; more have their input wait as well.
    const WAITING: usize = 16;

    fn end(mut self, outcome: Outcome) {
        // Where nobody listens any more there is nobody to tell.
        let _ = self.flush();
        let _ = self.to.send(Piece::End(outcome));
    }
}

impl Write for Feed {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(buf);
        if self.part.len() >= Feed::PART {
            self.flush()?;
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let part = std::mem::take(&mut self.part);
        if part.is_empty() {
            return Ok(());
        }
        self.to.send(Piece::Part(part)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Works on all inputs, on as many threads as the session says. Results are told in the order of the inputs, and no
/// more of them are held than a few for each thread. `tell` comes before each result.
pub(crate) fn run<J: Job>(
    session: &Session,
    items: Items,
    several: bool,
    json: bool,
    prepare: impl FnMut(crate::item::Item) -> Result<J>,
    work: impl Fn(&J) -> Outcome + Sync,
    tell: impl FnMut(&Outcome) -> Result<()>,
) -> Result<Exit> {
    stream(session, items, several, json, prepare, |job, _| work(job), tell)
}

/// The same for results that may be large: `work` writes them as it goes, and no more than a few parts of each are held.
pub(crate) fn stream<J: Job>(
    session: &Session,
    mut items: Items,
    several: bool,
    json: bool,
    mut prepare: impl FnMut(crate::item::Item) -> Result<J>,
    work: impl Fn(&J, &mut Feed) -> Outcome + Sync,
    mut tell: impl FnMut(&Outcome) -> Result<()>,
) -> Result<Exit> {
    if several && !json {
        session.console.start_progress(items.waiting());
    }
    let threads = if several { session.jobs } else { 1 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let closed = AtomicBool::new(false);
    let mut exit = Exit::Fine;
    let mut inputs = 0;
    let done = pool.in_place_scope(|scope| -> Result<()> {
        let (work, closed) = (&work, &closed);
        let mut waiting: VecDeque<(String, Receiver<Piece>)> = VecDeque::new();
        let mut done = 0;
        loop {
            while waiting.len() < 4 * threads {
                let Some(found) = items.next() else { break };
                let (to, receiver) = sync_channel(Feed::WAITING);
                let mut feed = Feed { part: Vec::new(), to };
                let mut outcome = Outcome::new();
                let mut name = String::new();
                match found.and_then(&mut prepare) {
                    Found::Item(job) => {
                        inputs += 1;
                        name = job.name();
                        scope.spawn(move |_| {
                            // Nobody listens any more: leave quickly.
                            if !closed.load(Ordering::Relaxed) {
                                let mut outcome = work(&job, &mut feed);
                                outcome.notes.extend(job.notes());
                                feed.end(outcome);
                            }
                        });
                        waiting.push_back((name, receiver));
                        continue;
                    }
                    Found::Note(note) => outcome.notes.push(note),
                    Found::Failed(e) => {
                        inputs += 1;
                        outcome.fail(&e);
                    }
                }
                feed.end(outcome);
                name.clear();
                waiting.push_back((name, receiver));
            }
            let Some((name, receiver)) = waiting.pop_front() else { return Ok(()) };
            session.console.progress(done, done + 1 + waiting.len() as u64 + items.waiting(), &name);
            // Those in front are begun first, so the first one never waits for another. A worker that panicked sends no
            // end; the pool hands its panic on.
            while let Ok(piece) = receiver.recv() {
                let told = match &piece {
                    Piece::Part(part) => session.console.raw(part).map_err(Into::into),
                    Piece::End(outcome) => {
                        exit = exit.max(outcome.exit);
                        show(session, outcome, &mut tell)
                    }
                };
                if let Err(e) = told {
                    closed.store(true, Ordering::Relaxed);
                    return Err(e);
                }
            }
            done += 1;
        }
    });
    session.console.end_progress();
    match done {
        Err(e) if is_closed_pipe(&e) => Ok(exit),
        // Folders and archives without anything in them: silence would look like success.
        Ok(()) if inputs == 0 => bail!("nothing was found in what was named; `qdemo info ARCHIVE` lists an archive"),
        done => done.map(|()| exit),
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
