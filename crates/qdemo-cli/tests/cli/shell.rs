//! Commands as users type them, with pipes and redirections.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Place;

/// What a terminal shows of a command. The folder is the user's home, too.
pub(crate) fn run(place: &Place, command: &str) -> String {
    let tools = Path::new(env!("CARGO_BIN_EXE_qdemo")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(place.path("")).stdin(Stdio::null());
    shell.env("PATH", path).env("LC_ALL", "C").env("HOME", place.path(""));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE", "GZIP"] {
        shell.env_remove(name);
    }
    String::from_utf8(shell.output().unwrap().stdout).unwrap()
}
