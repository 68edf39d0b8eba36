//! What the common options settle for every verb.

use qdemo::Limits;
use qdemo_inputs::{Settings, processors};

use crate::cli::Common;
use crate::console::Console;

/// The console, the limits, the number of threads, what may be written over.
pub(crate) struct Session {
    pub(crate) console: Console,
    pub(crate) limits: Limits,
    pub(crate) jobs: usize,
    pub(crate) no_clobber: bool,
}

impl Session {
    pub(crate) fn new(common: &Common) -> Self {
        if common.wide {
            crate::table::be_wide();
        }
        let limits = common.limits.limits();
        let jobs = if common.jobs == 0 { processors() } else { common.jobs };
        Session { console: Console::new(common.quiet), limits, jobs, no_clobber: common.no_clobber }
    }
}

impl Session {
    /// How many threads work on each file: where there are several files, each has one.
    pub(crate) fn threads_of_one(&self, several: bool) -> usize {
        if several { 1 } else { self.jobs }
    }
}

impl From<&Session> for Settings {
    fn from(session: &Session) -> Self {
        Settings { limits: session.limits, no_clobber: session.no_clobber }
    }
}
