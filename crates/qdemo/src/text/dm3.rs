//! The text of Quake III: the protocol, blocks.

use super::builder::parse_message;
use super::form::{HasText, InFront, Language, TextForm};
use super::printer::comment_beyond_lmpc;
use super::sink::{LmpcCoverage, MessageSink};
use crate::describe::{Fields, Form, Mistake, Name, Part};
use crate::format::dm3::{
    Block, CLOSED, Contents, Dialect, Dm3, Header, Message, MessageKind, Packet, UNCLOSED, usual_tail,
};
use crate::format::{Format, as_named};
use crate::wire::{ByteWriter, Scalar};

const DM3: Name = Name::new("dm3");
const PROTOCOL: Name = Name::with("protocol", "");
const BLOCK: Name = Name::new("block");
const REL_ACK: Name = Name::new("rel_ack");
const TAIL: Name = Name::with("tail", "");

impl HasText for Dm3 {
    type Text = Dm3Text;
}

/// Nothing is carried along but the dialect, and memory to use again.
#[derive(Default)]
pub(crate) struct Dm3Text {
    messages: Vec<Message>,
    /// Where the statements of messages stand.
    places: Vec<usize>,
}

/// It holds nothing but memory: a copy begins without.
impl Clone for Dm3Text {
    fn clone(&self) -> Self {
        Dm3Text::default()
    }
}

impl PartialEq for Dm3Text {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// LMPC has words for these alone.
fn is_usual(message: &Message) -> bool {
    matches!(message.kind(), Some(MessageKind::Gamestate | MessageKind::ServerCommand | MessageKind::Snapshot))
}

impl TextForm<Dm3> for Dm3Text {
    const LANGUAGE: Language = Language {
        demo: "Quake III",
        statements: "dm3, block",
        block: "block { sequence N; rel_ack N; messages }",
        message: ("message", "dm3"),
    };
    const TIMED: bool = true;
    const BYTES_FOR_LMPC: bool = false;

    fn in_front<S: MessageSink>(&mut self, what: InFront<'_, Dm3>, s: &mut S) -> bool {
        let InFront::Demo(dialect, _) = what else { return false };
        // LMPC knows the layout of 66 to 68 alone, and needs no number for it.
        if s.form() == Form::Lmpc && dialect.layout == Dialect::QUAKE3.layout {
            s.open(DM3, true);
            s.close();
            return false;
        }
        s.open(DM3, false);
        s.value(PROTOCOL, Scalar::Int(i64::from(dialect.protocol)));
        s.comment(format_args!("{}", dialect.name));
        s.close();
        comment_beyond_lmpc(format_args!("this protocol, and with it all that follows"), s);
        s.form() == Form::Lmpc
    }

    fn keyword(_: &Header) -> Name {
        BLOCK
    }

    fn words(&mut self, _: &Message, _: (&Dialect, &Dialect), _: &[u8]) -> LmpcCoverage {
        LmpcCoverage::All
    }

    /// LMPC has no word for other messages, and no bytes in their place.
    fn print_messages<S: MessageSink>(_: &Block<'_>, packet: &Packet<'_>, _: &mut u64, s: &mut S) -> bool {
        let lmpc = s.form() == Form::Lmpc;
        if lmpc {
            packet.messages.iter().filter(|message| is_usual(message)).for_each(|message| message.show(s));
        }
        lmpc
    }

    fn print_behind<S: MessageSink>(packet: &Packet<'_>, d: &Dialect, s: &mut S) {
        packet.header.show_behind(s);
        if let Some(name) = packet.contents.unusual_end(d) {
            s.flag(name);
        }
        let tail = &packet.contents.tail;
        let faulty = packet.messages.last().is_some_and(|message| message.kind().is_none());
        if !faulty && tail != usual_tail(d) {
            s.bytes(TAIL, tail);
        }
    }

    fn is_foreign<S: MessageSink>(block: &Block<'_>, packet: &Packet<'_>, d: &Dialect, s: &mut S) -> bool {
        let Contents { closed, tail, .. } = &packet.contents;
        let plain = *closed && tail == usual_tail(d) && packet.messages.iter().all(is_usual) && !block.is_cut();
        // LMPC has no word either for what is unusual within a message.
        let within = s.take_foreign();
        if within || packet.contents.rel_ack.is_none() {
            comment_beyond_lmpc(format_args!("something within this block"), s);
        }
        !plain || within
    }

    fn begins(f: &Fields<'_, '_>) -> bool {
        DM3.is(f.keyword())
    }

    fn statement(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, _: &mut ByteWriter) -> Result<bool, Mistake> {
        if !DM3.is(f.keyword()) {
            return Ok(false);
        }
        if f.has(PROTOCOL) {
            let value = f.take(PROTOCOL)?;
            let Some(dialect) = Dialect::by_protocol(value.int(0, i64::from(i32::MAX))? as i32) else {
                let known: Vec<_> = Dialect::all().iter().map(|d| d.protocol.to_string()).collect();
                return Err(value.mistake(format!("no such protocol: it is one of {}", known.join(", "))));
            };
            *d = dialect;
        }
        Ok(true)
    }

    fn is_block(keyword: &[u8]) -> bool {
        BLOCK.is(keyword)
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
        const LOW: i64 = i32::MIN as i64;
        let header = Header::parse(f, as_named)?;
        let rel_ack = if f.has(REL_ACK) { Some(f.take(REL_ACK)?.int(LOW, i64::from(u32::MAX))? as i32) } else { None };
        let closed = match d.layout.end {
            Some(_) => !f.flag(UNCLOSED)?,
            None => f.flag(CLOSED)?,
        };
        let tail = if f.has(TAIL) { Some(f.take(TAIL)?.bytes()?) } else { None };
        let contents = Contents { rel_ack, closed, tail: Vec::new() };
        let mut packet = Packet { header, contents, messages: std::mem::take(&mut self.messages) };
        packet.messages.clear();
        self.places.clear();
        for mut child in f.children().filter(|child| !child.is_used()) {
            self.places.push(child.at());
            packet.messages.push(parse_message::<Dm3>(&mut child, d)?);
            child.consume();
        }
        let open_end = packet.messages.iter().any(|message| message.kind().is_none());
        // Unknown bytes go to the end of the block, and a block without an end has no tail of its own.
        let usual = if open_end || !closed { &[][..] } else { usual_tail(d) };
        packet.contents.tail = tail.unwrap_or_else(|| usual.to_vec());
        packet.contents.closed &= d.number_of(MessageKind::Eof).is_some();
        let start = w.len();
        let Err(fault) = packet.write(d, w) else {
            self.messages = packet.messages;
            return Ok(());
        };
        w.truncate(start);
        // Which message was it? The first without which the block could be written.
        let mut parts = Packet { messages: Vec::new(), ..packet.clone() };
        let at = packet.messages.into_iter().zip(self.places.iter().copied()).find_map(|(message, at)| {
            parts.messages.push(message);
            Dm3::write(&parts, d, &mut ByteWriter::default()).err().map(|_| at)
        });
        Err(Mistake::new(at.unwrap_or(f.at()), fault.to_string()))
    }
}
