//! Demo to text.

use std::io::{Read, Write};

use super::json::JsonSink;
use super::print::TextSink;
use super::printer::Printer;
use super::sink::MessageSink;
use crate::demo::detect::Detected;
use crate::demo::{Chunk, Faults, FileKind, Reader};
use crate::error::Result;
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
        Style::Json => run(reader, name, out, JsonSink::default(), |s| &mut s.out, options.style),
        Style::Text | Style::Lmpc => {
            let sink = TextSink::new(options.style == Style::Lmpc);
            run(reader, name, out, sink, |s| &mut s.out, options.style)
        }
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

fn run<S: MessageSink>(
    mut reader: Reader<&mut dyn Read>,
    name: &str,
    out: &mut dyn Write,
    mut sink: S,
    buffer: fn(&mut S) -> &mut Vec<u8>,
    style: Style,
) -> Result<Decompiled> {
    const FLUSH: usize = 64 * 1024;
    let detected = reader.detected().clone();
    let mut printer = Printer::new(&detected);
    let mut done = Decompiled {
        detected: detected.clone(),
        blocks: 0,
        messages: 0,
        faults: Faults::default(),
        beyond_lmpc: 0,
        bytes_for_lmpc: 0,
    };
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
        buffer(&mut sink).extend_from_slice(format!("// {what} {short}\n").as_bytes());
    }
    while let Some(chunk) = reader.next_chunk()? {
        if let Chunk::Unknown(_) = chunk {
            done.faults.not_a_demo(name, &done.detected);
        }
        let printed = printer.chunk(&chunk, &mut sink);
        done.blocks += printed.blocks;
        done.messages += printed.messages;
        done.faults.note(name, printed.time, printed.diagnostic);
        let text = buffer(&mut sink);
        if text.len() >= FLUSH {
            out.write_all(text)?;
            text.clear();
        }
    }
    if let Some(missing) = printer.missing_end(reader.offset()) {
        done.faults.add_unless_cut(name, missing);
    }
    let text = buffer(&mut sink);
    if style != Style::Json {
        text.push(b'\n');
    }
    out.write_all(text)?;
    out.flush()?;
    if style == Style::Lmpc {
        (done.beyond_lmpc, done.bytes_for_lmpc) = printer.foreign();
    }
    Ok(done)
}
