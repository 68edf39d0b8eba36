//! What links lead to.

use std::io;
use std::path::{Path, PathBuf};

/// So many links may lead from one to the next, as on Linux.
const MOST: usize = 40;

/// The file that a path means, links followed: also one that is not there yet.
///
/// # Errors
/// Links that lead in a circle.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    // A pipe that a process has open (`/dev/stdout`) is behind a link that leads to no name.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Ok(path.to_owned());
    }
    let mut target = path.to_owned();
    for _ in 0..=MOST {
        // A link is read from the folder that it stands in.
        match target.read_link() {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}
