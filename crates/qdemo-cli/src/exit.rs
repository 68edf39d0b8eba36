//! Exit codes.

use std::io;
use std::process::ExitCode;

/// How the command ends. With several files the worst outcome counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// All went well.
    Fine = 0,
    /// The answer to the question asked is "no".
    No = 1,
    /// Something could not be done. clap ends with the same code when the arguments are wrong.
    Error = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// True when whoever reads our output has had enough (`| head`): that is no error.
pub(crate) fn is_closed_pipe(e: &anyhow::Error) -> bool {
    let closed = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
    e.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(closed)
            || cause
                .downcast_ref::<qdemo::Error>()
                .is_some_and(|e| matches!(&e.kind, qdemo::error::ErrorKind::Io(e) if closed(e)))
    })
}
