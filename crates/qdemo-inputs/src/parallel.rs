//! Work on many inputs at once, told in their order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// So many pieces of a job wait for their turn; more have their job wait as well.
const WAITING: usize = 16;

/// So many pieces of all running jobs together, where there is one of each at least: memory is for a few, however many threads.
const WAITING_IN_ALL: usize = 64;

/// More threads than this gain nothing on any machine: they only take memory.
const THREADS: usize = 256;

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
/// few for each thread. `take` also gets how many jobs wait. More than 256 threads are not begun, however many are asked for.
///
/// # Errors
/// What `take` gives, which ends it, and threads that cannot be had.
pub fn in_order<J: Send, P: Send>(
    threads: usize,
    mut next: impl FnMut() -> Option<Next<J, P>>,
    work: impl Fn(J, &Sender<P>) + Sync,
    mut take: impl FnMut(P, usize) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let threads = threads.clamp(1, THREADS);
    let room = (WAITING_IN_ALL / threads).clamp(1, WAITING);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let closed = AtomicBool::new(false);
    pool.in_place_scope(|scope| {
        let (work, closed) = (&work, &closed);
        let mut waiting: VecDeque<Receiver<P>> = VecDeque::new();
        loop {
            while waiting.len() < 4 * threads {
                let Some(next) = next() else { break };
                let (to, receiver) = sync_channel(room);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;

    /// Where nobody takes them, only a few pieces are made: those that wait, and one that each thread holds.
    #[test]
    fn few_pieces_wait_whatever_the_number_of_threads() {
        for (threads, most) in [(1, 17), (4, 68), (64, 128)] {
            let (mut jobs, made, mut taken) = (0..200, AtomicUsize::new(0), 0);
            let next = || jobs.next().map(Next::Job);
            let work = |_: u32, to: &Sender<()>| {
                (0..50).for_each(|_| {
                    made.fetch_add(1, Ordering::Relaxed);
                    assert!(to.send(()));
                });
            };
            let take = |(), _| {
                if taken == 0 {
                    std::thread::sleep(Duration::from_millis(200));
                    let made = made.load(Ordering::Relaxed);
                    // The first one is taken.
                    assert!(made <= most + 1, "{made} pieces of {threads} threads");
                }
                taken += 1;
                Ok(())
            };
            in_order(threads, next, work, take).unwrap();
            assert_eq!(taken, 200 * 50, "{threads}");
        }
    }

    #[test]
    fn pieces_come_in_order_whatever_the_number_of_threads() {
        for threads in [0, 1, 3, 1_000_000, usize::MAX] {
            let (mut jobs, mut taken) = (0..100, Vec::new());
            let next = || jobs.next().map(Next::Job);
            let work = |job: u32, to: &Sender<u32>| (0..3).for_each(|n| assert!(to.send(3 * job + n)));
            let take = |piece, _| {
                taken.push(piece);
                Ok(())
            };
            in_order(threads, next, work, take).unwrap();
            assert_eq!(taken, (0..300).collect::<Vec<_>>(), "{threads}");
        }
    }
}
