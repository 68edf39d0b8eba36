//! Text (or JSON lines) to demo.

use std::io::{Read, Write};

use super::builder::Builder;
use super::json::parse_line;
use super::parse::{Parser, Stop};
use super::print::append;
use crate::demo::FileKind;
use crate::demo::detect::detect;
use crate::describe::{Mistake, Tree, Unknown};
use crate::divide::{Divisible, divide};
use crate::error::{Error, ErrorKind, Result, TextMistake};
use crate::frame::Window;
use crate::limits::{Bound, Limits};
use crate::wire::ByteWriter;

/// What [`compile`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Compiled {
    /// Top-level statements read.
    pub statements: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// Writes the demo that a text describes: qdemo's own, LMPC's, or JSON lines, told apart by content.
///
/// # Errors
/// A mistake in the text gives line, column and what would be right; nothing of the faulty statement is written.
///
/// ```
/// let mut demo = Vec::new();
/// let text = b"track \"-1\\n\"; block { camera 0 0 0; disconnect; }";
/// qdemo::text::compile(&text[..], "tiny.txt", &mut demo, Default::default()).unwrap();
/// assert_eq!(demo, b"-1\n\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02");
/// ```
pub fn compile(input: impl Read, name: &str, out: impl Write, limits: Limits) -> Result<Compiled> {
    compile_on(1, input, name, out, limits)
}

/// [`compile`] on so many threads; the demo is the same.
///
/// # Errors
/// As [`compile`].
pub fn compile_on(
    threads: usize,
    mut input: impl Read,
    name: &str,
    mut out: impl Write,
    limits: Limits,
) -> Result<Compiled> {
    compile_any(threads, &mut input, name, &mut out, limits)
}

/// [`compile_on`], compiled here and not again for each type of input and output.
fn compile_any(
    threads: usize,
    input: &mut dyn Read,
    name: &str,
    out: &mut dyn Write,
    limits: Limits,
) -> Result<Compiled> {
    let mut lines = Lines { window: Window::new(input), line: 1, before: 0 };
    lines.window.more()?;
    // Some editors put a byte order mark in front.
    if lines.window.data().starts_with(b"\xEF\xBB\xBF") {
        lines.window.consume(3);
    }
    let json = lines.window.data().iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{');
    let mut work = Work {
        json,
        limits,
        builder: None,
        w: ByteWriter::default(),
        out: Vec::new(),
        line: 1,
        done: Compiled::default(),
    };
    // A statement that is longer than allowed is no part, so that its length is looked at below.
    if threads > 1 && limits.statement >= LARGEST_PART {
        let window = &mut lines.window;
        let left = divide(threads, &mut work, |part| next_part(window, json, part), |work| work.flush(out));
        let left = left.map_err(|e| e.in_file(name))?;
        // What could not be compiled by itself is compiled here, or its mistake found.
        lines.window.put_back(&left.concat());
        lines.line = work.line;
    }
    let Work { mut builder, mut w, mut done, .. } = work;
    w.clear();
    let mut tree = Tree::default();
    loop {
        let next = if json {
            lines.json(&mut builder, &mut w, limits)
        } else {
            lines.text(&mut tree, &mut builder, &mut w, limits)
        };
        let next = match next {
            Err(e) if done.statements == 0 => Err(no_text(lines.window.data(), limits).unwrap_or(e)),
            next => next,
        };
        if !next.map_err(|e| e.in_file(name))? {
            break;
        }
        done.statements += 1;
        done.bytes += w.len() as u64;
        out.write_all(w.as_slice())?;
        w.clear();
    }
    out.flush()?;
    Ok(done)
}

/// [`compile`] from and to memory.
///
/// # Errors
/// As [`compile`].
pub fn compile_bytes(text: &[u8], name: &str) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    compile(text, name, &mut out, Limits::default())?;
    Ok(out)
}

/// So many bytes of text are enough for a thread to work on.
const PART: usize = 256 * 1024;
/// One statement may make a part as long as that.
const LARGEST_PART: usize = 32 * PART;

/// The next statements of a text, or lines of JSON: many, or all that there are. A line that begins with a closing brace
/// most likely ends a statement of the top level; no string and no remark goes over the end of a line. It comes to stand
/// in the memory of one that is done.
fn next_part(window: &mut Window<&mut dyn Read>, json: bool, done: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
    let mut wanted = PART;
    let len = loop {
        if window.data().len() < wanted && !window.at_end() {
            window.more()?;
            continue;
        }
        let data = window.data();
        let enough = data.get(..wanted).unwrap_or(data);
        let end = match json {
            true => memchr::memrchr(b'\n', enough).map(|at| at + 1),
            false => memchr::memmem::rfind(enough, b"\n}").map(|at| at + 2),
        };
        match end {
            _ if enough.len() < wanted => break data.len(),
            Some(end) => break end,
            // A long statement, or a text that is laid out in another way: as a whole.
            None if 2 * wanted > LARGEST_PART => break data.len(),
            None => wanted *= 2,
        }
    };
    let mut part = done.unwrap_or_default();
    part.clear();
    part.extend_from_slice(window.data().get(..len).unwrap_or_default());
    window.consume(len);
    Ok((!part.is_empty()).then_some(part))
}

/// What was compiled, and what it takes to go on.
struct Work {
    json: bool,
    limits: Limits,
    builder: Option<Builder>,
    /// For one statement.
    w: ByteWriter,
    out: Vec<u8>,
    line: u64,
    done: Compiled,
}

impl Work {
    fn flush(&mut self, out: &mut dyn Write) -> Result<()> {
        self.done.bytes += self.out.len() as u64;
        out.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    fn statement(&mut self, tree: &Tree<'_>) -> std::result::Result<(), Mistake> {
        self.w.clear();
        build(tree, &mut self.builder, &mut self.w)?;
        self.out.extend_from_slice(self.w.as_slice());
        self.done.statements += 1;
        Ok(())
    }

    /// Compiles all statements of a text.
    fn text(&mut self, text: &[u8]) -> std::result::Result<(), Stop> {
        let (mut parser, mut tree) = (Parser::new(text, true, self.limits.nesting), Tree::default());
        while parser.statement(&mut tree)?.is_some() {
            self.statement(&tree)?;
        }
        Ok(())
    }

    fn json(&mut self, text: &[u8]) -> std::result::Result<(), Mistake> {
        for line in text.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            self.statement(&json_tree(line.trim_ascii_start())?)?;
        }
        Ok(())
    }
}

impl Divisible for Work {
    type Part = Vec<u8>;
    type Room = Vec<u8>;

    fn fork(&self, out: Vec<u8>) -> Self {
        let (json, limits, builder) = (self.json, self.limits, self.builder.clone());
        Work { json, limits, builder, w: ByteWriter::default(), out, line: 0, done: Compiled::default() }
    }

    fn work(&mut self, part: &Vec<u8>) -> bool {
        let (builder, len, done) = (self.builder.clone(), self.out.len(), self.done);
        let is_done = if self.json { self.json(part).is_ok() } else { self.text(part).is_ok() };
        if is_done {
            self.line += newlines(part);
        } else {
            self.out.truncate(len);
            (self.builder, self.done) = (builder, done);
        }
        is_done
    }

    fn join(&mut self, begun: &Self, done: Self) -> Option<Vec<u8>> {
        if self.builder != begun.builder {
            return None;
        }
        self.builder = done.builder;
        self.line += done.line;
        self.done.statements += done.done.statements;
        Some(append(&mut self.out, done.out))
    }
}

/// The text with the number of its line.
struct Lines<R> {
    window: Window<R>,
    line: u64,
    /// Bytes of that line that are done with.
    before: usize,
}

/// What came of one attempt to read a statement from the window.
enum Attempt {
    /// A statement of so many bytes.
    Done(usize),
    /// The end of the text.
    End,
    /// The window is too short.
    More,
}

impl<R: Read> Lines<R> {
    /// Reads one statement. False at the end.
    fn text(
        &mut self,
        buffers: &mut Tree<'static>,
        builder: &mut Option<Builder>,
        w: &mut ByteWriter,
        limits: Limits,
    ) -> Result<bool> {
        loop {
            let attempt = {
                let mut parser = Parser::new(self.window.data(), self.window.at_end(), limits.nesting);
                let mut tree = std::mem::take(buffers).recycle();
                let attempt = match parser.statement(&mut tree) {
                    Ok(Some(())) => match build(&tree, builder, w) {
                        Ok(()) => Ok(Attempt::Done(parser.pos())),
                        Err(m) => Err(m),
                    },
                    Ok(None) => Ok(Attempt::End),
                    Err(Stop::Incomplete) => Ok(Attempt::More),
                    Err(Stop::Mistake(m)) => Err(m),
                };
                *buffers = tree.recycle();
                attempt
            };
            if let Some(more) = self.settle(attempt, limits)? {
                return Ok(more);
            }
        }
    }

    /// Reads one line of JSON. False at the end.
    fn json(&mut self, builder: &mut Option<Builder>, w: &mut ByteWriter, limits: Limits) -> Result<bool> {
        loop {
            let attempt = {
                let data = self.window.data();
                let blank = data.iter().take_while(|b| b.is_ascii_whitespace()).count();
                let end = memchr::memchr(b'\n', &data[blank..]).map(|n| blank + n);
                match end.or(self.window.at_end().then_some(data.len())) {
                    None => Ok(Attempt::More),
                    Some(end) if end == blank => Ok(Attempt::End),
                    Some(end) => json_line(&data[blank..end], builder, w)
                        .map(|()| Attempt::Done(end))
                        .map_err(|m| Mistake { at: m.at + blank, ..m }),
                }
            };
            if let Some(more) = self.settle(attempt, limits)? {
                return Ok(more);
            }
        }
    }

    /// Does what an attempt asks for. `None`: try again.
    fn settle(&mut self, attempt: std::result::Result<Attempt, Mistake>, limits: Limits) -> Result<Option<bool>> {
        match attempt {
            Ok(Attempt::Done(n)) => {
                let done = &self.window.data()[..n];
                self.line += newlines(done);
                self.before = memchr::memrchr(b'\n', done).map_or(self.before + n, |at| n - at - 1);
                self.window.consume(n);
                Ok(Some(true))
            }
            Ok(Attempt::End) => Ok(Some(false)),
            Ok(Attempt::More) => {
                let found = self.window.data().len();
                if found > limits.statement {
                    let limit = limits.statement as u64;
                    let kind = ErrorKind::Limit { what: Bound::Statement, limit, found: found as u64 };
                    return Err(Error::new(kind).at_offset(self.window.offset));
                }
                self.window.more()?;
                Ok(None)
            }
            Err(mistake) => {
                // The rest of the line belongs into the message.
                let missing = !self.window.data()[mistake.at.min(self.window.data().len())..].contains(&b'\n');
                if missing && !self.window.at_end() {
                    self.window.more()?;
                }
                let Mistake { at, what } = mistake;
                Err(Error::new(ErrorKind::Text(TextMistake::new(
                    self.window.data(),
                    (self.line, self.before),
                    at,
                    what,
                ))))
            }
        }
    }
}

/// What a file is that is no text to compile, where its beginning tells.
fn no_text(beginning: &[u8], limits: Limits) -> Option<Error> {
    let not = |what: String| Some(Error::new(ErrorKind::NotAText(what)));
    if beginning.starts_with(b"\xFF\xFE") || beginning.starts_with(b"\xFE\xFF") {
        return not("text in UTF-16; save it as UTF-8".to_owned());
    }
    let first_line = beginning.split(|b| *b == b'\n').find(|line| !line.trim_ascii().is_empty());
    if first_line.is_some_and(|line| line.trim_ascii() == b"{") {
        return not(
            "JSON objects over several lines; each belongs on a line of its own (`jq -c .` does that)".to_owned()
        );
    }
    let detected = detect(beginning, false, "", limits);
    let kind = detected.kind;
    (kind != FileKind::Unknown)
        .then(|| not(format!("a demo, not its text ({}: {})", kind.name(), detected.reason)))
        .flatten()
}

fn newlines(text: &[u8]) -> u64 {
    // Counts that fit a byte: many are counted by one instruction.
    let count = |part: &[u8]| part.iter().map(|b| u8::from(*b == b'\n')).sum::<u8>();
    text.chunks(usize::from(u8::MAX)).map(|part| u64::from(count(part))).sum()
}

fn json_line(line: &[u8], builder: &mut Option<Builder>, w: &mut ByteWriter) -> std::result::Result<(), Mistake> {
    build(&json_tree(line)?, builder, w)
}

fn json_tree(line: &[u8]) -> std::result::Result<Tree<'_>, Mistake> {
    let line = std::str::from_utf8(line).map_err(|e| Mistake::new(e.valid_up_to(), "JSON is UTF-8, this is not"))?;
    let mut tree = Tree::default();
    parse_line(line, &mut tree)?;
    Ok(tree)
}

/// Writes what one statement describes. The first statement that belongs to a format settles the format.
fn build(tree: &Tree<'_>, builder: &mut Option<Builder>, w: &mut ByteWriter) -> std::result::Result<(), Mistake> {
    let Some(mut root) = tree.root() else { return Ok(()) };
    if let Some(builder) = builder {
        return builder.statement(root, w);
    }
    if root.keyword() == b"unknown" {
        w.bytes(&Unknown::parse(&mut root)?.bytes);
        return Ok(());
    }
    if let Some(begun) = Builder::begun_by(&root) {
        return builder.insert(begun).statement(root, w);
    }
    let word = String::from_utf8_lossy(root.keyword()).into_owned();
    Err(root.mistake(format!(
        "{word} begins no demo that qdemo knows: a Quake text begins with track or block, a QuakeWorld text with sblock, cblock, fblock or mvd, a Quake II text with dm2 or mvd2, a Quake III text with dm3"
    )))
}
