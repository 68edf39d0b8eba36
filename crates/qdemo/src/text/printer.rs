//! Printing the chunks of a demo of any format.

use super::Printed;
use super::form::{HasText, InFront, TextForm};
use super::sink::{MessageSink, show_message};
use crate::demo::detect::Detected;
use crate::demo::{Chunk, FileKind, Listed, for_formats};
use crate::describe::{Form, Name, Part, Unknown};
use crate::error::Moment;
use crate::format::{BlockOf, Contents, Decoder, FORMAT, INTRODUCTION, Introduction, MessageSet, Packet, as_named};
use crate::frame;

const TRACK: Name = Name::new("track");
const LINE: Name = Name::new("line");
const ENDBLOCK: Name = Name::new("endblock");
const TRAILER: Name = Name::with("trailer", "");
const DATA: Name = Name::new("data");

/// Prints the chunks of one format one after the other, carrying along what the text needs to know.
pub(crate) struct FormatPrinter<F: HasText> {
    decoder: Decoder<F>,
    text: F::Text,
    begun: bool,
    /// What the demo is read with in place of its first introduction, where a compiler does not begin with that anyway.
    introduction: Option<Introduction>,
    /// Chunks that LMPC's language cannot hold, and messages it holds only as bytes.
    foreign: (u64, u64),
    /// The block holds a single byte that LMPC's language has nothing for.
    lone: bool,
}

impl<F: HasText> FormatPrinter<F> {
    fn new(detected: &Detected) -> Self {
        let decoder = F::decoder(detected);
        let is_usual = decoder.dialect() == F::first_dialect(None);
        FormatPrinter {
            decoder,
            text: F::Text::default(),
            begun: false,
            introduction: detected.introduction.clone().filter(|_| !is_usual),
            foreign: (0, 0),
            lone: false,
        }
    }

    /// One for the chunks that follow.
    fn fork(&self) -> Self {
        FormatPrinter {
            decoder: self.decoder.fork(),
            text: self.text.clone(),
            begun: self.begun,
            introduction: self.introduction.clone(),
            foreign: (0, 0),
            lone: false,
        }
    }

    /// True when the next chunk is shown alike by both.
    fn is_same(&self, other: &Self) -> bool {
        self.begun == other.begun && self.text == other.text && self.decoder.is_same(&other.decoder)
    }

    /// Goes on where a fork has come to.
    fn join(&mut self, fork: Self) {
        self.decoder.join(fork.decoder);
        self.text = fork.text;
        self.foreign = (self.foreign.0 + fork.foreign.0, self.foreign.1 + fork.foreign.1);
    }

    fn chunk<S: MessageSink>(&mut self, chunk: &frame::Chunk<'_, F::Header>, s: &mut S) -> Printed {
        let mut printed = Printed::default();
        if !std::mem::replace(&mut self.begun, true) {
            let header = if let frame::Chunk::Block(block) = chunk { Some(&block.header) } else { None };
            self.foreign.0 += u64::from(self.text.in_front(InFront::Demo(&self.decoder.dialect(), header), s));
            if let Some(introduction) = self.introduction.as_ref().and_then(Introduction::packet::<F>) {
                self.foreign.0 += 1;
                s.open(INTRODUCTION, false);
                s.comment(format_args!("in place of the one that is damaged"));
                s.string(FORMAT, F::NAME.as_bytes());
                introduction.messages.iter().for_each(|message| message.show(s));
                s.close();
                comment_beyond_lmpc(format_args!("this protocol, and with it all that follows"), s);
                s.take_foreign();
            }
        }
        match chunk {
            frame::Chunk::Start(line) => {
                s.open(TRACK, true);
                s.string(LINE, line);
                s.close();
                match *line {
                    b"-1\n" => s.comment(format_args!("default track")),
                    b"" => s.comment(format_args!("warning: empty CD track")),
                    _ => {}
                }
            }
            frame::Chunk::Block(block) => self.block(block, s, &mut printed),
            frame::Chunk::End => {
                s.open(ENDBLOCK, true);
                s.close();
            }
            frame::Chunk::Trailer(bytes) => {
                self.foreign.0 += 1;
                let what = format!("{} bytes behind the end", bytes.len());
                if said_to::<F, S>(s) {
                    s.open(TRAILER, false);
                    s.bytes(DATA, bytes);
                    s.close();
                    comment_beyond_lmpc(format_args!("{what}"), s);
                } else {
                    s.remark(&format!("left out for LMPC: {what}"));
                }
            }
            frame::Chunk::Unframed(unframed) => {
                self.foreign.0 += 1;
                let what = format!("{} bytes that are no block", unframed.bytes.len());
                if said_to::<F, S>(s) {
                    Unknown::show_unframed(unframed.bytes, s);
                    s.comment(format_args!("{} at byte {}", unframed.why, unframed.offset));
                    comment_beyond_lmpc(format_args!("{what}"), s);
                } else {
                    s.remark(&format!("left out for LMPC: {what}"));
                }
                printed.diagnostic = Some(unframed.into());
            }
        }
        printed
    }

    fn block<S: MessageSink>(&mut self, block: &BlockOf<'_, F>, s: &mut S, printed: &mut Printed) {
        let told = self.decoder.dialect();
        let (packet, diagnostic) = self.decoder.read(block);
        let before = self.decoder.before();
        printed.blocks = 1;
        printed.messages = packet.messages.len() as u64;
        printed.time = self.decoder.block_time();
        self.text.in_front(InFront::Block { header: &block.header, told: &told, before: &before }, s);
        if F::Text::print_empty(block, s) {
            printed.diagnostic = diagnostic;
            return self.decoder.recycle(packet);
        }
        s.take_foreign();
        self.lone = false;
        s.open(F::Text::keyword(&block.header), false);
        if s.form() == Form::Text {
            print_index(block.index, printed.time.filter(|_| F::Text::TIMED), s);
        }
        packet.header.show_front(s, as_named);
        self.text.print_change(&told, &before, s);
        packet.contents.show_front(s);
        let beyond_head = s.take_foreign();
        // In JSON the keys of an object stand in front of its messages.
        if s.form() == Form::Json {
            F::Text::print_behind(&packet, &before, s);
        }
        if !F::Text::print_messages(block, &packet, &mut self.foreign.1, s) {
            self.messages(block, &packet, s);
            let unknown = packet.messages.last().is_some_and(|message| message.kind().is_none());
            if let (true, Some(diagnostic), Form::Text) = (unknown, &diagnostic, s.form()) {
                s.comment(format_args!("{}", diagnostic.fault));
            }
        }
        if s.form() == Form::Text {
            F::Text::print_behind(&packet, &before, s);
        }
        s.close();
        let beyond =
            F::Text::is_foreign(block, &packet, &before, s) || beyond_head || block.payload.len() > LARGEST_FOR_LMPC;
        if beyond || self.lone {
            self.foreign.0 += 1;
            if F::Text::BYTES_FOR_LMPC || beyond_head {
                comment_beyond_lmpc(format_args!("this block"), s);
            }
        }
        printed.diagnostic = diagnostic;
        self.decoder.recycle(packet);
    }

    fn messages<S: MessageSink>(&mut self, block: &BlockOf<'_, F>, packet: &Packet<'_, F>, s: &mut S) {
        let lmpc = s.form() == Form::Lmpc;
        let (mut dialect, mut ends) = (self.decoder.before(), self.decoder.ends().iter());
        let mut start = self.decoder.start();
        let mut bytes = LmpcBytes::default();
        for message in &packet.messages {
            let changed = message.dialect_after(&dialect);
            let after = changed.as_ref().unwrap_or(&dialect);
            let end = ends.next().copied().unwrap_or(block.payload.len());
            let raw = block.payload.get(start..end).unwrap_or_default();
            let mut foreign = false;
            if lmpc {
                let mark = s.mark();
                let words = self.text.words(message, (&dialect, after), raw);
                foreign = show_message(s, |s| message.show(s), message.name(), raw, words);
                let as_bytes = foreign || message.kind().is_none();
                let joined = bytes.join((mark, start), as_bytes && raw.len() == 1, changed.is_some());
                if let Some((mark, from)) = joined {
                    s.take_back(mark);
                    Unknown { bytes: block.payload.get(from..end).unwrap_or_default().into() }.show(s);
                    s.take_foreign();
                    s.comment(format_args!("{}", message.name()));
                    foreign = true;
                }
            } else {
                message.show(s);
            }
            self.foreign.1 += u64::from(foreign);
            self.text.printed(message, after, foreign, s);
            (dialect, start) = (changed.unwrap_or(dialect), end);
        }
        self.lone = bytes.waiting.is_some();
    }
}

/// Blocks of more bytes are beyond LMPC.
const LARGEST_FOR_LMPC: usize = 65_536;

/// True when a sink is told of bytes outside the blocks of a format.
fn said_to<F: HasText, S: MessageSink>(s: &S) -> bool {
    F::Text::BYTES_FOR_LMPC || s.form() != Form::Lmpc
}

/// Says that LMPC's language has nothing for what stands here: qdemo reads it, LMPC does not.
pub(super) fn comment_beyond_lmpc<S: MessageSink>(what: std::fmt::Arguments<'_>, s: &mut S) {
    if s.form() == Form::Lmpc {
        s.remark(&format!("beyond LMPC: {what}"));
    }
}

/// Bytes among messages in LMPC's language: it has none for a single byte, which joins the message before it, or else
/// the one behind it.
#[derive(Default)]
struct LmpcBytes {
    /// Where the message before begins, in the text and in the payload, unless what follows depends on its words.
    before: Option<Place>,
    /// Where a single byte stands that nothing stands before.
    waiting: Option<Place>,
}

/// A place in the text and in the payload.
type Place = ((usize, usize), usize);

impl LmpcBytes {
    /// Takes in the place of a message that was shown. `Some`: from there on all is to be shown as bytes.
    fn join(&mut self, place: Place, single: bool, tells_dialect: bool) -> Option<Place> {
        let from = match self.waiting.take() {
            None if single => self.before,
            waiting => waiting,
        };
        if single && from.is_none() {
            self.waiting = Some(place);
            return None;
        }
        self.before = (!tells_dialect).then_some(from.unwrap_or(place));
        from
    }
}

/// Prints the number of a block as a remark, and its time.
fn print_index<S: MessageSink>(index: u64, time: Option<Moment>, s: &mut S) {
    let ms = match time {
        None => return s.comment(format_args!("{index}")),
        Some(Moment::Seconds(seconds)) if (0.0..1e9).contains(&seconds) => (f64::from(seconds) * 1000.0).round() as u64,
        Some(Moment::Milliseconds(ms @ 0..)) => u64::from(ms.unsigned_abs()),
        Some(other) => return s.comment(format_args!("{index} at {other}")),
    };
    s.comment(format_args!("{index} at {}:{:02}.{:03}", ms / 60_000, ms % 60_000 / 1000, ms % 1000));
}

macro_rules! printers {
    ($($(#[doc = $doc:literal])* $name:ident = $module:ident;)*) => {
        /// Prints chunks one after the other, whatever their format.
        pub(crate) enum Printer {
            $($name(Box<FormatPrinter<crate::format::$module::$name>>),)*
            Unknown,
        }

        impl Printer {
            /// A printer at the beginning of a demo.
            pub(crate) fn new(detected: &Detected) -> Self {
                match detected.kind {
                    $(FileKind::$name => Printer::$name(Box::new(FormatPrinter::new(detected))),)*
                    FileKind::Unknown => Printer::Unknown,
                }
            }

            /// One for the chunks that follow.
            pub(crate) fn fork(&self) -> Self {
                match self {
                    $(Printer::$name(printer) => Printer::$name(Box::new(printer.fork())),)*
                    Printer::Unknown => Printer::Unknown,
                }
            }

            /// True when the next chunk is shown alike by both.
            pub(crate) fn is_same(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Printer::$name(one), Printer::$name(other)) => one.is_same(other),)*
                    _ => false,
                }
            }

            /// Goes on where a fork has come to.
            pub(crate) fn join(&mut self, fork: Self) {
                match (self, fork) {
                    $((Printer::$name(printer), Printer::$name(fork)) => printer.join(*fork),)*
                    _ => {}
                }
            }

            /// A part of a recording begins, in front of which headers have told so many milliseconds.
            pub(crate) fn begin_part(&mut self, msec: i32) {
                match self {
                    $(Printer::$name(printer) => printer.decoder.begin_part(msec),)*
                    Printer::Unknown => {}
                }
            }

            /// Prints a chunk.
            pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
                if let Chunk::Unknown(unframed) = chunk {
                    Unknown::show_unframed(unframed.bytes, s);
                    return Printed::default();
                }
                match self {
                    $(Printer::$name(printer) => {
                        // Chunks of another demo are none of this one.
                        let own = <crate::format::$module::$name as Listed>::chunk(chunk);
                        own.map(|chunk| printer.chunk(chunk, s)).unwrap_or_default()
                    })*
                    Printer::Unknown => Printed::default(),
                }
            }

            /// Chunks that LMPC's language cannot hold at all, and messages that it holds only as bytes.
            pub(crate) fn foreign(&self) -> (u64, u64) {
                match self {
                    $(Printer::$name(printer) => printer.foreign,)*
                    Printer::Unknown => (0, 0),
                }
            }
        }
    };
}
for_formats!(printers);
