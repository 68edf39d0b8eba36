//! Writing results: whole or not at all, and never over an input.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use qdemo_inputs::{Protected, behind_links};

use crate::unfinished::Unfinished;

const BUFFER: usize = 64 * 1024;

/// An output being written.
///
/// A file is put into its place by [`Output::finish`]; until then whatever was there stays. An `Output` that is dropped
/// before that leaves nothing behind, and neither does a program that is stopped.
pub(crate) struct Output {
    writer: BufWriter<Sink>,
    name: String,
    unfinished: Option<Unfinished>,
    written: u64,
    /// True once writing failed: so an error can be told from one of reading.
    failed: bool,
}

enum Sink {
    Stdout(Stdout),
    File(File),
}

impl Output {
    /// Standard output, for text.
    pub(crate) fn stdout() -> Self {
        Output::new(Sink::Stdout(io::stdout()), "standard output".to_owned(), None)
    }

    /// Standard output for binary data, which would garble a terminal.
    pub(crate) fn binary_stdout() -> Result<Self> {
        if io::stdout().is_terminal() {
            bail!("standard output: this is binary data, not for a terminal; give -o FILE or send it on with > or |");
        }
        Ok(Output::stdout())
    }

    /// A file, or standard output for `-`.
    pub(crate) fn create(path: &Path, protected: &Protected) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Output::stdout());
        }
        let name = path.display().to_string();
        let failed = |e: io::Error| anyhow::Error::from(qdemo::Error::from(e).in_file(&name));
        // Through a link to what it means, so that the link stays.
        let target = behind_links(path).map_err(failed)?;
        let old = fs::metadata(&target).ok();
        match &old {
            Some(old) if old.is_dir() => bail!("{name}: this is a folder; name a file in it"),
            Some(old) if !old.is_file() => {
                // A device or a pipe: there is nothing to put in its place.
                let file = OpenOptions::new().write(true).open(&target).map_err(failed)?;
                return Ok(Output::new(Sink::File(file), name, None));
            }
            Some(_) if protected.all => {
                bail!("{name}: this file is there already; without --no-clobber it is replaced")
            }
            Some(_) if protected.covers(&target) => bail!("{name}: this is one of the inputs; choose another output"),
            Some(old) if old.permissions().readonly() => bail!("{name}: this file is write-protected; choose another"),
            _ => {}
        }
        let (file, unfinished) = Unfinished::new(target, protected.all).map_err(failed)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions()).map_err(failed)?;
        }
        Ok(Output::new(Sink::File(file), name, Some(unfinished)))
    }

    fn new(sink: Sink, name: String, unfinished: Option<Unfinished>) -> Self {
        Output { writer: BufWriter::with_capacity(BUFFER, sink), name, unfinished, written: 0, failed: false }
    }

    /// How messages call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Bytes written so far.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// An error that came up while this output was written: says so when it was the output that failed.
    pub(crate) fn explain(&self, e: qdemo::Error) -> anyhow::Error {
        let e = if self.failed { qdemo::Error::new(e.kind).in_file(&self.name) } else { e };
        e.into()
    }

    /// Completes the output.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush().map_err(|e| self.explain(e.into()))?;
        if let Some(unfinished) = self.unfinished.take() {
            unfinished.settle().map_err(|e| qdemo::Error::from(e).in_file(&self.name))?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.writer.write(buf).inspect_err(|_| self.failed = true)?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().inspect_err(|_| self.failed = true)
    }
}

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stdout(out) => out.write(buf),
            Sink::File(file) => file.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(out) => out.flush(),
            Sink::File(file) => file.flush(),
        }
    }
}

/// A folder that results are written to, each under a name of its own.
pub(crate) struct Folder {
    path: PathBuf,
    /// Nothing is made.
    dry: bool,
    /// It was not there before: without anything in it, it is not left behind.
    is_new: bool,
    taken: std::collections::HashSet<PathBuf>,
}

impl Folder {
    /// Takes a folder, and makes it when it does not exist; in a dry run nothing is made.
    pub(crate) fn create(path: &Path, dry: bool) -> Result<Self> {
        let failed = |e: io::Error| qdemo::Error::from(e).in_file(&path.display().to_string());
        // Without a slash at its end, which a file cannot have.
        let plain = path.components().as_path();
        if plain.exists() && !plain.is_dir() {
            bail!("{}: several results need a folder, this is a file; give -o FOLDER", plain.display());
        }
        let is_new = !dry && !plain.exists();
        if !dry {
            fs::create_dir_all(path).map_err(failed)?;
        }
        Ok(Folder { path: path.to_owned(), dry, is_new, taken: Default::default() })
    }

    /// Where a result goes; an error when another one went there already.
    pub(crate) fn claim(&mut self, relative: &Path, input: &str) -> Result<PathBuf> {
        let path = self.path.join(relative);
        if !self.taken.insert(path.clone()) {
            let (folder, name) = (self.path.components().as_path().display(), relative.display());
            let advice = "write it to another folder";
            return Err(anyhow!("{input}: {name} is taken by another input of that name in {folder}; {advice}"));
        }
        if let Some(folder) = path.parent().filter(|_| !self.dry) {
            let failed = |e: io::Error| qdemo::Error::from(e).in_file(&folder.display().to_string());
            fs::create_dir_all(folder).map_err(failed)?;
        }
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_new {
            // One with something in it stays.
            let _ = fs::remove_dir(&self.path);
        }
    }
}
