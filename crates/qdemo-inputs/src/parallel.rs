//! Work on many inputs at once, told in their order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// So many pieces wait for their turn; more have their job wait as well.
const WAITING: usize = 16;

/// How many threads this machine carries out at once; 1 where it does not tell.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Where the pieces go that a job makes.
pub struct Sender<P>(SyncSender<P>);

impl<P> Sender<P> {
    /// Sends a piece, when there is room. False when nobody listens any more.
    pub fn send(&self, piece: P) -> bool {
        self.0.send(piece).is_ok()
    }
}

/// A job, or something that needs no work.
pub enum Next<J, P> {
    /// It is worked on by some thread.
    Job(J),
    /// It only waits for its turn.
    Piece(P),
}

/// Works on jobs on several threads. What each sends is taken in the order of the jobs, and no more jobs are begun than a
/// few for each thread. `take` also gets how many jobs wait.
///
/// # Errors
/// What `take` gives, which ends it, and threads that cannot be had.
pub fn in_order<J: Send, P: Send>(
    threads: usize,
    mut next: impl FnMut() -> Option<Next<J, P>>,
    work: impl Fn(J, &Sender<P>) + Sync,
    mut take: impl FnMut(P, usize) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let threads = threads.max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let closed = AtomicBool::new(false);
    pool.in_place_scope(|scope| {
        let (work, closed) = (&work, &closed);
        let mut waiting: VecDeque<Receiver<P>> = VecDeque::new();
        loop {
            while waiting.len() < 4 * threads {
                let Some(next) = next() else { break };
                let (to, receiver) = sync_channel(WAITING);
                let to = Sender(to);
                match next {
                    Next::Piece(piece) => drop(to.send(piece)),
                    Next::Job(job) => scope.spawn(move |_| {
                        // Nobody listens any more: leave quickly.
                        if !closed.load(Ordering::Relaxed) {
                            work(job, &to);
                        }
                    }),
                }
                waiting.push_back(receiver);
            }
            let Some(receiver) = waiting.pop_front() else { return Ok(()) };
            // Those in front are begun first, so the first one never waits for another. A worker that panicked sends no
            // more; the pool hands its panic on.
            while let Ok(piece) = receiver.recv() {
                if let Err(e) = take(piece, waiting.len()) {
                    closed.store(true, Ordering::Relaxed);
                    return Err(e);
                }
            }
        }
    })
}
