//! Working on the parts of a file on several threads.
//!
//! What goes through a file carries something from part to part: the dialect, names in tables. That changes a few times in
//! a recording, so later parts are begun with what is known now. Results are taken in the order of the file, and only when
//! the part before led to what was assumed; if not, the part is done again.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope};

use crate::error::{Error, Result};

/// Work that goes through a file part after part.
pub(crate) trait Divisible: Sized + Send {
    /// A part of the file.
    type Part: Send;
    /// Room for what is done with a part, which is used again: new memory costs more than filling it.
    type Room: Default + Send;

    /// The same work in the state that it is in now, with nothing done.
    fn fork(&self, room: Self::Room) -> Self;

    /// Works on the next part. False when that part cannot be worked on by itself: the work is as it was before.
    fn work(&mut self, part: &Self::Part) -> bool;

    /// Takes in what was done with the next part by one that began as `begun`, and gives room for another. `None`, and
    /// nothing is taken in, where this one would have begun in another state, or would have done more than that.
    fn join(&mut self, begun: &Self, done: Self) -> Option<Self::Room>;
}

/// More threads than this gain nothing on any machine: they only take memory.
const THREADS: usize = 256;

/// Works on all parts that `next` gives, in order, on so many threads beside this one, at most 256. `next` gets a part that is done, for
/// the memory that it takes. `flush` takes away what is done.
/// Gives the parts that are left: the first that cannot be worked on by itself, and those behind it.
///
/// # Errors
/// What `next` and `flush` give, and threads that cannot be had.
pub(crate) fn divide<T: Divisible>(
    threads: usize,
    all: &mut T,
    mut next: impl FnMut(Option<T::Part>) -> Result<Option<T::Part>>,
    mut flush: impl FnMut(&mut T) -> Result<()>,
) -> Result<Vec<T::Part>> {
    // The beginning of a file tells most of what is carried along.
    let Some(first) = next(None)? else { return Ok(Vec::new()) };
    if !all.work(&first) {
        return Ok(vec![first]);
    }
    flush(all)?;
    let Some(second) = next(Some(first))? else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let workers = (0..threads.clamp(1, THREADS)).map(|_| Worker::start(scope)).collect::<Result<Vec<_>>>()?;
        let mut queue = Queue { workers, begun: VecDeque::new(), sent: 0 };
        let mut waiting = Some(second);
        let (mut parts, mut rooms) = (Vec::new(), Vec::new());
        let (mut right, mut wrong) = (0u64, 0u64);
        loop {
            // What changes all the time is worked on in order.
            let ahead = if wrong > right + Queue::<T>::PATIENCE { 0 } else { Queue::<T>::AHEAD * queue.workers.len() };
            while queue.begun.len() < ahead {
                let Some(part) = waiting.take() else { break };
                queue.send(all.fork(T::Room::default()), all.fork(rooms.pop().unwrap_or_default()), part);
                waiting = next(parts.pop())?;
            }
            let Some((part, begun, done)) = queue.take() else {
                let Some(part) = waiting.take() else { return Ok(Vec::new()) };
                if !all.work(&part) {
                    return Ok(vec![part]);
                }
                flush(all)?;
                waiting = next(Some(part))?;
                continue;
            };
            if let Some(room) = done.and_then(|done| all.join(&begun, done)) {
                right += 1;
                rooms.push(room);
            } else {
                wrong += 1;
                if !all.work(&part) {
                    return Ok(queue.left(part, waiting));
                }
            }
            flush(all)?;
            parts.push(part);
        }
    })
}

/// A thread that works on parts.
struct Worker<T: Divisible> {
    to: SyncSender<(T, T::Part)>,
    from: Receiver<(T::Part, Option<T>)>,
}

impl<T: Divisible> Worker<T> {
    fn start<'scope>(scope: &'scope Scope<'scope, '_>) -> Result<Self>
    where
        T: 'scope,
    {
        let (to, jobs) = sync_channel::<(T, T::Part)>(Queue::<T>::AHEAD);
        let (results, from) = sync_channel(Queue::<T>::AHEAD);
        let run = move || {
            for (mut fork, part) in jobs {
                let done = fork.work(&part);
                // Nobody waits any more where an error ended it all.
                if results.send((part, done.then_some(fork))).is_err() {
                    return;
                }
            }
        };
        Builder::new().spawn_scoped(scope, run).map_err(Error::from)?;
        Ok(Worker { to, from })
    }
}

/// The parts that threads work on: one after the other to one thread after the other.
struct Queue<T: Divisible> {
    workers: Vec<Worker<T>>,
    /// What each part that was sent was begun with.
    begun: VecDeque<T>,
    sent: usize,
}

impl<T: Divisible> Queue<T> {
    /// So many parts for each thread.
    const AHEAD: usize = 3;
    /// So many parts more may be done again than were done well.
    const PATIENCE: u64 = 2;

    fn send(&mut self, begun: T, fork: T, part: T::Part) {
        let worker = self.sent % self.workers.len();
        // There is room for it, and a thread that panicked is found out when the scope ends.
        if self.workers.get(worker).is_some_and(|worker| worker.to.send((fork, part)).is_ok()) {
            self.begun.push_back(begun);
            self.sent += 1;
        }
    }

    /// The first part that is not taken yet, what it was begun with, and what came of it.
    fn take(&mut self) -> Option<(T::Part, T, Option<T>)> {
        let worker = (self.sent - self.begun.len()) % self.workers.len();
        let begun = self.begun.pop_front()?;
        let (part, done) = self.workers.get(worker)?.from.recv().ok()?;
        Some((part, begun, done))
    }

    fn left(mut self, first: T::Part, last: Option<T::Part>) -> Vec<T::Part> {
        let mut left = vec![first];
        while let Some((part, ..)) = self.take() {
            left.push(part);
        }
        left.extend(last);
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums numbers up; each is multiplied by the last one above 100.
    #[derive(Clone, Debug, PartialEq)]
    struct Sum {
        factor: u64,
        out: Vec<u64>,
    }

    impl Divisible for Sum {
        type Part = Vec<u64>;
        type Room = Vec<u64>;
        fn fork(&self, out: Vec<u64>) -> Self {
            Sum { factor: self.factor, out }
        }
        fn work(&mut self, part: &Vec<u64>) -> bool {
            if part.contains(&0) {
                return false;
            }
            for n in part {
                self.out.push(n * self.factor);
                if *n > 100 {
                    self.factor = *n;
                }
            }
            true
        }
        fn join(&mut self, begun: &Self, mut done: Self) -> Option<Vec<u64>> {
            if self.factor != begun.factor {
                return None;
            }
            self.factor = done.factor;
            self.out.append(&mut done.out);
            Some(done.out)
        }
    }

    fn run(parts: &[Vec<u64>], threads: usize) -> (Vec<u64>, Vec<Vec<u64>>) {
        let mut sum = Sum { factor: 1, out: Vec::new() };
        let (mut all, mut each) = (Vec::new(), parts.iter().cloned());
        let left = divide(
            threads,
            &mut sum,
            |_| Ok(each.next()),
            |sum| {
                all.append(&mut sum.out);
                Ok(())
            },
        );
        (all, left.unwrap().into_iter().chain(each).collect())
    }

    #[test]
    fn parts_are_taken_in_order_and_again_where_something_changed() {
        let steady = |n: u64| if n % 37 == 5 { 1000 + n } else { n % 90 + 1 };
        let restless = |n: u64| 101 + n;
        for number in [&steady as &dyn Fn(u64) -> u64, &restless] {
            let parts: Vec<Vec<u64>> = (0..200).map(|n| vec![number(n), n % 7 + 1, number(n)]).collect();
            let mut alone = Sum { factor: 1, out: Vec::new() };
            parts.iter().for_each(|part| assert!(alone.work(part)));
            for threads in 1..4 {
                assert_eq!(run(&parts, threads), (alone.out.clone(), Vec::new()));
            }
        }
        assert_eq!(run(&[], 2), (Vec::new(), Vec::new()));
        // However many are asked for.
        assert_eq!(run(&[vec![2], vec![3], vec![4]], usize::MAX), (vec![2, 3, 4], Vec::new()));
    }

    #[test]
    fn what_cannot_be_worked_on_is_left() {
        for bad in [0, 1, 5, 29] {
            let parts: Vec<Vec<u64>> = (0..30).map(|n| vec![if n == bad { 0 } else { n + 1 }]).collect();
            let (done, left) = run(&parts, 2);
            assert_eq!(done, (1..=bad).collect::<Vec<_>>());
            assert_eq!(left, parts[bad as usize..]);
        }
    }
}
