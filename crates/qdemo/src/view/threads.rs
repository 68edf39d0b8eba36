//! The same work on several threads.

use std::thread::Builder;

/// Carries out work so many times, beside each other, each time with its number; once on this thread. Where there are no
/// threads to be had, one behind the other.
pub(super) fn on_threads<T: Send>(times: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let begun: Vec<_> = (1..times).map(|n| (n, Builder::new().spawn_scoped(scope, move || work(n)))).collect();
        let mut all = vec![work(0)];
        for (n, thread) in begun {
            all.push(match thread.map(|thread| thread.join()) {
                Ok(Ok(done)) => done,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => work(n),
            });
        }
        all
    })
}
