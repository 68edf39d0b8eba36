//! What the common options settle for every verb.

use qdemo::Limits;

use crate::cli::Common;
use crate::console::Console;

/// The console, the limits, the number of threads.
pub(crate) struct Session {
    pub(crate) console: Console,
    pub(crate) limits: Limits,
    pub(crate) jobs: usize,
}

impl Session {
    pub(crate) fn new(common: &Common) -> Self {
        let mut limits = Limits::default();
        limits.unpacked = common.max_unpacked.unwrap_or(limits.unpacked);
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if common.jobs == 0 { cores() } else { common.jobs };
        Session { console: Console::new(common.quiet), limits, jobs }
    }
}
