//! Demo to text.

use std::io::{Read, Write};

use super::json::JsonSink;
use super::print::TextSink;
use super::printer::Printer;
use super::sink::TextOut;
use crate::demo::detect::Detected;
use crate::demo::{Chunk, Ending, Faults, FileKind, Part, Reader, with_format};
use crate::divide::{Divisible, divide};
use crate::error::Result;
use crate::format::Format;
use crate::limits::Limits;

/// How [`decompile`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Style {
    /// qdemo's text form: short numbers, plain ASCII.
    #[default]
    Text,
    /// What LMPC 3.4 itself writes and reads, as far as its language goes; what it lacks is `unknown` bytes.
    Lmpc,
    /// JSON, one chunk of the demo a line.
    Json,
}

/// What to write and how much to accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// The language.
    pub style: Style,
    /// Bounds on the input.
    pub limits: Limits,
    /// So many threads work on it; with 0 and 1 the caller's alone. The text is the same.
    pub threads: usize,
}

impl Options {
    /// The defaults with another style.
    pub fn with_style(style: Style) -> Self {
        Options { style, ..Options::default() }
    }
}

/// What [`decompile`] did.
#[derive(Debug)]
pub struct Decompiled {
    /// What the file was taken for.
    pub detected: Detected,
    /// Blocks written.
    pub blocks: u64,
    /// Messages written.
    pub messages: u64,
    /// Faults found; what they cost is in the text as `unknown` bytes.
    pub faults: Faults,
    /// With [`Style::Lmpc`]: chunks that LMPC's language cannot hold at all.
    pub beyond_lmpc: u64,
    /// With [`Style::Lmpc`]: messages that it holds only as bytes.
    pub bytes_for_lmpc: u64,
}

/// Writes the text of a demo. `name` is for messages and, when the content says nothing, for the format.
///
/// Memory is bounded by a few blocks, not by the text.
///
/// # Errors
/// Reading and writing can fail. Damage in the demo is no error: it is kept as bytes and listed in
/// [`Decompiled::faults`].
///
/// ```
/// use qdemo::text::{Options, compile, decompile};
/// # fn main() -> qdemo::Result<()> {
/// let demo = &std::fs::read("../../testdata/clip.dem")?[..];
/// let mut text = Vec::new();
/// decompile(demo, "clip.dem", &mut text, &Options::default())?;
/// assert!(text.starts_with(b"// "));
/// let mut again = Vec::new();
/// compile(&text[..], "clip.txt", &mut again, Default::default())?;
/// assert_eq!(again, demo);
/// # Ok(()) }
/// ```
pub fn decompile(mut input: impl Read, name: &str, mut out: impl Write, options: &Options) -> Result<Decompiled> {
    decompile_any(&mut input, name, &mut out, options)
}

/// [`decompile`], compiled here and not again for each type of input and output.
fn decompile_any(input: &mut dyn Read, name: &str, out: &mut dyn Write, options: &Options) -> Result<Decompiled> {
    let reader = Reader::new(input, name, options.limits)?;
    match options.style {
        Style::Json => run(reader, name, out, JsonSink::default(), options),
        Style::Text | Style::Lmpc => run(reader, name, out, TextSink::new(options.style == Style::Lmpc), options),
    }
}

/// [`decompile`] from and to memory.
///
/// # Errors
/// As [`decompile`].
pub fn decompile_bytes(demo: &[u8], name: &str, options: &Options) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    decompile(demo, name, &mut out, options)?;
    Ok(out)
}

fn run<S: TextOut>(
    mut reader: Reader<&mut dyn Read>,
    name: &str,
    out: &mut dyn Write,
    sink: S,
    options: &Options,
) -> Result<Decompiled> {
    let (detected, style) = (reader.detected().clone(), options.style);
    let (ending, faults) = (Ending::default(), Faults::default());
    let mut work = Work { name, printer: Printer::new(&detected), sink, blocks: 0, messages: 0, ending, faults };
    if style != Style::Json {
        let short = crate::wire::printable(name.rsplit(['/', '\\']).next().unwrap_or(name).as_bytes());
        let what = match style {
            Style::Lmpc => match detected.kind {
                FileKind::Dm3 => "source: DM3 binary file",
                FileKind::Qwd => "source: QWD binary file",
                FileKind::Dm2 => "source: DM2 binary file",
                _ => "source: DEM binary file",
            },
            _ => "decompiled by qdemo from",
        };
        work.sink.out().extend_from_slice(format!("// {what} {short}\n").as_bytes());
    }
    if options.threads > 1 && with_format!(detected.kind, F => F::is_divisible(), unknown => false) {
        divide(options.threads, &mut work, |part| reader.next_part(PART, part), |work| work.flush(0, out))?;
    } else {
        loop {
            let offset = reader.offset();
            let Some(chunk) = reader.next_chunk()? else { break };
            if let Chunk::Unknown(_) = chunk {
                work.faults.not_a_demo(name, &detected);
            }
            work.chunk(&chunk, offset);
            work.flush(FLUSH, out)?;
        }
    }
    work.ending.finish(name, detected.kind, reader.offset(), &mut work.faults);
    if style != Style::Json {
        work.sink.out().push(b'\n');
    }
    work.flush(0, out)?;
    out.flush()?;
    let (beyond_lmpc, bytes_for_lmpc) = if style == Style::Lmpc { work.printer.foreign() } else { (0, 0) };
    let Work { blocks, messages, faults, .. } = work;
    Ok(Decompiled { detected, blocks, messages, faults, beyond_lmpc, bytes_for_lmpc })
}

/// Text is written when there is so much of it.
const FLUSH: usize = 64 * 1024;
/// Threads work on so many bytes of a recording at a time.
const PART: usize = 32 * 1024;

/// What was printed, and what it takes to go on.
struct Work<'n, S> {
    name: &'n str,
    printer: Printer,
    sink: S,
    blocks: u64,
    messages: u64,
    ending: Ending,
    faults: Faults,
}

impl<S: TextOut> Work<'_, S> {
    fn chunk(&mut self, chunk: &Chunk<'_>, offset: u64) {
        self.ending.chunk(self.name, chunk, offset, &mut self.faults);
        let printed = self.printer.chunk(chunk, &mut self.sink);
        self.blocks += printed.blocks;
        self.messages += printed.messages;
        self.faults.note(self.name, printed.time, printed.diagnostic);
    }

    /// Writes the text out, if it is as long as that.
    fn flush(&mut self, length: usize, out: &mut dyn Write) -> Result<()> {
        let text = self.sink.out();
        if text.len() >= length {
            out.write_all(text)?;
            text.clear();
        }
        Ok(())
    }
}

impl<S: TextOut> Divisible for Work<'_, S> {
    type Part = Part;
    type Room = Vec<u8>;

    fn fork(&self, room: Vec<u8>) -> Self {
        let (printer, sink) = (self.printer.fork(), self.sink.fork(room));
        let (ending, faults) = (self.ending, Faults::default());
        Work { name: self.name, printer, sink, blocks: 0, messages: 0, ending, faults }
    }

    fn work(&mut self, part: &Part) -> bool {
        self.printer.begin_part(part.msec);
        part.chunks().for_each(|(chunk, _, offset)| self.chunk(&chunk, offset));
        true
    }

    /// Faults are told with the time that is known of what was before: they are found again in order.
    fn join(&mut self, begun: &Self, done: Self) -> Option<Vec<u8>> {
        let is_same = self.printer.is_same(&begun.printer) && self.sink.is_same(&begun.sink);
        if !done.faults.is_empty() || !is_same || self.ending != begun.ending {
            return None;
        }
        self.ending = done.ending;
        self.printer.join(done.printer);
        let room = self.sink.join(done.sink);
        self.blocks += done.blocks;
        self.messages += done.messages;
        self.faults.at(done.faults.time());
        Some(room)
    }
}
