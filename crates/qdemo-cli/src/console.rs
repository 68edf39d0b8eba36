//! Talking to people: results to standard output, everything else to standard error.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Stdout, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
pub(crate) use qdemo_inputs::Note;

use crate::show::Safe;

/// Something good.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Something doubtful.
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default();
/// Something bad.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// A heading or a key.
pub(crate) const KEY: Style = Style::new().bold();

/// Standard output and standard error. Used by the main thread alone, so that nothing is torn.
pub(crate) struct Console {
    quiet: bool,
    out: RefCell<AutoStream<Stdout>>,
    bar: RefCell<ProgressBar>,
}

impl Console {
    pub(crate) fn new(quiet: bool) -> Self {
        let out = RefCell::new(anstream::stdout());
        Console { quiet, out, bar: RefCell::new(ProgressBar::hidden()) }
    }

    /// Writes a result for people; colours go to a terminal only.
    pub(crate) fn show(&self, text: &[u8]) -> io::Result<()> {
        self.bar.borrow().suspend(|| self.out.borrow_mut().write_all(text))
    }

    /// Writes a result for machines, byte by byte.
    pub(crate) fn raw(&self, bytes: &[u8]) -> io::Result<()> {
        self.bar.borrow().suspend(|| io::stdout().write_all(bytes))
    }

    /// Tells something on standard error. That nobody listens there is nothing we could tell anybody.
    pub(crate) fn note(&self, note: &Note) {
        let (style, word, text, below) = match note {
            Note::Error(text, below) => (BAD, "", text, below.as_deref()),
            Note::Warning(text) if !self.quiet => (DOUBT, " warning:", text, None),
            Note::Remark(text) if !self.quiet => (KEY, "", text, None),
            Note::Warning(_) | Note::Remark(_) => return,
        };
        self.bar.borrow().suspend(|| {
            let mut err = anstream::stderr().lock();
            let _ = writeln!(err, "{style}qdemo:{style:#}{word} {}", Safe(text));
            for line in below.into_iter().flat_map(str::lines) {
                let _ = writeln!(err, "{}", Safe(line));
            }
        });
    }

    pub(crate) fn error(&self, e: &anyhow::Error) {
        self.note(&Note::error(e));
    }

    /// Shows a progress bar, where somebody watches.
    pub(crate) fn start_progress(&self, total: u64) {
        if self.quiet || !io::stderr().is_terminal() {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} files, {eta} left {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        *self.bar.borrow_mut() = bar;
    }

    /// Moves the progress bar.
    pub(crate) fn progress(&self, done: u64, total: u64, name: &str) {
        let bar = self.bar.borrow();
        if !bar.is_hidden() {
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(Safe(name).to_string());
        }
    }

    /// Shows a progress bar that goes by bytes. False where nobody watches.
    pub(crate) fn start_bytes(&self, total: impl FnOnce() -> u64) -> bool {
        if self.quiet || !io::stderr().is_terminal() {
            return false;
        }
        let bar = ProgressBar::with_draw_target(Some(total()), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {prefix}, {eta} left {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        *self.bar.borrow_mut() = bar;
        true
    }

    /// Moves that bar: how many bytes are done, what is to be said of it, and at which file it is.
    pub(crate) fn bytes(&self, done: u64, told: impl FnOnce() -> String, name: &str) {
        let bar = self.bar.borrow();
        if !bar.is_hidden() {
            bar.set_position(done);
            bar.set_prefix(told());
            if !name.is_empty() {
                bar.set_message(Safe(name).to_string());
            }
        }
    }

    /// Takes the progress bar away.
    pub(crate) fn end_progress(&self) {
        self.bar.borrow().finish_and_clear();
    }

    /// Writes out what is buffered.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        self.out.borrow_mut().flush()?;
        Ok(io::stdout().flush()?)
    }
}
