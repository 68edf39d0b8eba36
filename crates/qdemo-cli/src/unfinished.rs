//! Files while they are written. They come into their place whole; if the program is stopped before, nothing stays.
//!
//! Where the system has files without a name (Linux), such a file is given its name at the end: even a program that is
//! killed leaves nothing. Elsewhere a hidden file beside the target is renamed, and removed when the program is interrupted.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// A file that is not yet in its place.
pub(crate) struct Unfinished {
    target: PathBuf,
    /// What is at the target stays.
    keep: bool,
    place: Place,
}

enum Place {
    #[cfg(target_os = "linux")]
    Nameless(File),
    Named(Hidden),
}

impl Unfinished {
    /// A new file that will come to `target`. With `keep` it does not replace what is there by then.
    pub(crate) fn new(target: PathBuf, keep: bool) -> io::Result<(File, Self)> {
        #[cfg(target_os = "linux")]
        if let Some((file, handle)) = nameless::create(folder_of(&target)) {
            return Ok((file, Unfinished { target, keep, place: Place::Nameless(handle) }));
        }
        let (file, hidden) = Hidden::create(folder_of(&target))?;
        Ok((file, Unfinished { target, keep, place: Place::Named(hidden) }))
    }

    /// Puts the file into its place.
    pub(crate) fn settle(self) -> io::Result<()> {
        let hidden = match self.place {
            #[cfg(target_os = "linux")]
            Place::Nameless(file) => match nameless::link(&file, &self.target) {
                // Only a file that has a name can replace another one.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && !self.keep => {
                    Hidden::free(folder_of(&self.target), |path| nameless::link(&file, path))?.1
                }
                done => return done,
            },
            Place::Named(hidden) => hidden,
        };
        if self.keep {
            // Unlike renaming, this fails where something is.
            return fs::hard_link(&hidden.0, &self.target);
        }
        hidden.rename(&self.target)
    }
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(target_os = "linux")]
mod nameless {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// A file without a name in a folder, and a handle by which it gets one; `None` where the file system has no such files.
    pub(super) fn create(folder: &Path) -> Option<(File, File)> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
        let handle = file.try_clone().ok()?;
        path_of(&handle).exists().then_some((file, handle))
    }

    /// Gives it a name that is free.
    pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, path_of(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn path_of(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

/// A file with a name that hides it, removed when it is dropped.
struct Hidden(PathBuf);

/// Those that there are.
static HIDDEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

impl Hidden {
    fn create(folder: &Path) -> io::Result<(File, Hidden)> {
        static WATCH: Once = Once::new();
        WATCH.call_once(|| {
            // Where nobody can watch, the file stays when the program is interrupted, and nothing else is lost.
            let _ = ctrlc::set_handler(|| {
                remove_all();
                std::process::exit(130);
            });
        });
        Hidden::free(folder, |path| OpenOptions::new().write(true).create_new(true).open(path))
    }

    /// Makes one under a name that is free, and that no other of this program has or had.
    fn free<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, Hidden)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let process = std::process::id();
        for _ in 0..1_000_000 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".qdemo-{process}-{number}.part"));
            match make(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                made => {
                    let made = made?;
                    hidden().insert(path.clone());
                    return Ok((made, Hidden(path)));
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Gives it another name, which stays: what then has the old one is somebody else's.
    fn rename(self, name: &Path) -> io::Result<()> {
        let mut hidden = hidden();
        fs::rename(&self.0, name)?;
        hidden.remove(&self.0);
        Ok(())
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let mut hidden = hidden();
        // After it was renamed there is nothing to remove.
        if hidden.remove(&self.0) {
            let _ = fs::remove_file(&self.0);
        }
    }
}

fn hidden() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    HIDDEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove_all() {
    for path in std::mem::take(&mut *hidden()) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// What an interrupted program removes are the files of all tests.
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());

    fn names(folder: &Path) -> Vec<String> {
        let all = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = all.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_come_whole_or_not_at_all() {
        let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = temp_dir::TempDir::new().unwrap();
        let (folder, target) = (folder.path(), folder.path().join("new.txt"));
        // Both ways to write, on any system that has both.
        let named = |keep| {
            let (file, hidden) = Hidden::create(folder).unwrap();
            (file, Unfinished { target: target.clone(), keep, place: Place::Named(hidden) })
        };
        let usual = |keep| Unfinished::new(target.clone(), keep).unwrap();
        for begin in [&named as &dyn Fn(bool) -> (File, Unfinished), &usual] {
            let is = |content: &str| {
                assert_eq!(
                    (names(folder), fs::read_to_string(&target).unwrap()),
                    (vec!["new.txt".into()], content.into())
                );
            };
            let write = |keep| {
                let (mut file, unfinished) = begin(keep);
                file.write_all(b"whole").unwrap();
                unfinished
            };
            write(false).settle().unwrap();
            is("whole");
            fs::write(&target, "old").unwrap();
            drop(write(false));
            is("old");
            assert_eq!(write(true).settle().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            is("old");
            write(false).settle().unwrap();
            is("whole");
            fs::remove_file(&target).unwrap();
        }
    }

    #[test]
    fn threads_that_replace_files_at_once_do_not_take_those_of_others() {
        let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = temp_dir::TempDir::new().unwrap();
        let target = |thread: usize, n: usize| folder.path().join(format!("{thread}-{n}"));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    for n in 0..200 {
                        fs::write(target(thread, n), "old").unwrap();
                        let (mut file, unfinished) = Unfinished::new(target(thread, n), false).unwrap();
                        write!(file, "{thread} {n}").unwrap();
                        unfinished.settle().unwrap();
                    }
                });
            }
        });
        for (thread, n) in (0..8).flat_map(|thread| (0..200).map(move |n| (thread, n))) {
            assert_eq!(fs::read_to_string(target(thread, n)).unwrap(), format!("{thread} {n}"));
        }
        assert_eq!(names(folder.path()).len(), 1600);
    }

    #[test]
    fn an_interrupted_program_leaves_nothing() {
        let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = temp_dir::TempDir::new().unwrap();
        let (_file, hidden) = Hidden::create(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), 1);
        remove_all();
        assert!(names(folder.path()).is_empty());
        drop(hidden);
    }
}
