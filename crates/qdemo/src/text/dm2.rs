//! The text of Quake II: blocks, and what packed messages hold.

use super::builder::{build_block, is_end_mark, parse_message};
use super::form::{HasText, InFront, Language, TextForm};
use super::print::TextSink;
use super::sink::{LmpcCoverage, MessageSink};
use crate::describe::{Body, Fields, Form, Mistake, Name, Part};
use crate::format::dm2::{
    Block, Bytes, Dialect, Dm2, Frame, Header, Message, Messages, Packet, Recording, TEST_RELEASE, Unicast,
};
use crate::format::{ByteMessages, MessagesAlone, as_named, encode_messages};
use crate::wire::{ByteWriter, Scalar};

const DM2: Name = Name::with("dm2", "");
const BLOCK: Name = Name::new("block");
const BETWEEN: Name = Name::new("betweenblock");
/// KMQuake2's entities have angles of two bytes from here on, or of one.
const LONG_ANGLES: Name = Name::with("long_angles", "");
const UNICAST: Name = Name::new("unicast");
const CLIENT: Name = Name::new("client");
const FRAME: Name = Name::new("frame");
/// A field that Quake's blocks have and Quake II's have not.
const CAMERA: Name = Name::new("camera");

impl HasText for Dm2 {
    type Text = Dm2Text;
}

/// Nothing is carried along but the dialect.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Dm2Text;

impl TextForm<Dm2> for Dm2Text {
    const LANGUAGE: Language = Language {
        demo: "Quake II",
        statements: "block, betweenblock",
        block: "block { messages }",
        message: ("message", "dm2"),
    };

    fn in_front<S: MessageSink>(&mut self, what: InFront<'_, Dm2>, s: &mut S) -> bool {
        if matches!(what, InFront::Demo(..)) && s.form() != Form::Lmpc {
            s.open(DM2, true);
            s.close();
        }
        false
    }

    fn keyword(_: &Header) -> Name {
        BLOCK
    }

    fn print_empty<S: MessageSink>(block: &Block<'_>, s: &mut S) -> bool {
        let between = block.size() == 0;
        if between {
            s.open(BETWEEN, true);
            s.close();
        }
        between
    }

    fn print_change<S: MessageSink>(&self, told: &Dialect, before: &Dialect, s: &mut S) {
        let long_angles = before.long_angles;
        if long_angles != told.long_angles && s.form() != Form::Lmpc {
            s.value(LONG_ANGLES, Scalar::Int(i64::from(long_angles)));
        }
    }

    fn words(&mut self, message: &Message<'_>, (before, _): (&Dialect, &Dialect), raw: &[u8]) -> LmpcCoverage {
        match message {
            Message::Bad(_) | Message::Unknown(_) => LmpcCoverage::Wrong,
            // LMPC has another statement for the frames of servers.
            Message::Frame(frame) if frame.recording() == Recording::Server => LmpcCoverage::None,
            // A number alone means the same wherever Quake II has it.
            _ if raw.len() == 1 && message.number(&Dialect::QUAKE2) == raw.first().copied() => LmpcCoverage::All,
            _ if before.known_to_lmpc => LmpcCoverage::All,
            _ => LmpcCoverage::None,
        }
    }

    fn printed<S: MessageSink>(&mut self, message: &Message<'_>, after: &Dialect, _: bool, s: &mut S) {
        if s.form() == Form::Text {
            print_packed(message, after, s);
        }
    }

    fn is_foreign<S: MessageSink>(block: &Block<'_>, _: &Packet<'_>, _: &Dialect, _: &mut S) -> bool {
        block.is_cut()
    }

    fn begins(f: &Fields<'_, '_>) -> bool {
        let keyword = f.keyword();
        let of_quake = || f.children().any(|child| CAMERA.is(child.keyword()));
        DM2.is(keyword) || BETWEEN.is(keyword) || is_end_mark(keyword) || BLOCK.is(keyword) && !of_quake()
    }

    fn statement(&mut self, f: &mut Fields<'_, '_>, _: &mut Dialect, w: &mut ByteWriter) -> Result<bool, Mistake> {
        if BETWEEN.is(f.keyword()) {
            w.u32(0);
        }
        Ok(DM2.is(f.keyword()) || BETWEEN.is(f.keyword()))
    }

    fn is_block(keyword: &[u8]) -> bool {
        BLOCK.is(keyword)
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
        let header = Header::parse(f, as_named)?;
        if f.has(LONG_ANGLES) {
            *d = d.with_long_angles(f.take(LONG_ANGLES)?.int(0, 1)? == 1);
        }
        let mut block = Building { to: None, first: true };
        build_block::<Dm2>(f, d, w, &header, &MessagesAlone, |f, d, w| block.child(f, d, w))?;
        match block.to {
            Some(_) => Err(f.mistake("unicast stands in front of the message that it is about")),
            None => Ok(()),
        }
    }
}

/// A block that is written: what its statements say of those behind them.
struct Building {
    /// The client that the next message is for.
    to: Option<u8>,
    /// The next message is the first.
    first: bool,
}

impl Building {
    fn child(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
        let first = std::mem::take(&mut self.first);
        if UNICAST.is(f.keyword()) && self.to.is_none() {
            self.to = Some(f.take(CLIENT)?.int(0, 255)? as u8);
            f.finish()?;
            // Up to protocol 32 a recording need not tell that Relay made it: this does.
            if !d.recording_told {
                *d = d.recorded_by(Recording::Relay);
            }
            return Ok(());
        }
        let mut message = match parse_frame_of_server(f)? {
            Some(frame) => Message::Frame(frame),
            None => parse_message::<Dm2>(f, d)?,
        };
        if let Message::Frame(frame) = &message {
            // Up to protocol 32 only its frames tell who made a recording.
            if !d.recording_told {
                *d = d.recorded_by(frame.recording());
            }
        }
        // In front of a block it tells of the test release, where its own number is another one.
        let introduces_test = match &message {
            Message::ServerData(data) => data.serverversion == Dialect::TEST_RELEASE_PROTOCOL,
            Message::Unknown(unknown) => unknown.bytes.starts_with(&TEST_RELEASE),
            _ => false,
        };
        if first && introduces_test {
            *d = Dialect::TEST_RELEASE;
        }
        if let Message::Unknown(unknown) = &message {
            // LMPC's style may have no words for a serverdata.
            // One of a protocol that nobody knows changes nothing for what can be read behind it.
            let mut one = Messages::new(&unknown.bytes, *d).within(true);
            one.next();
            *d = one.dialect();
        }
        if let Some(client) = self.to.take() {
            message = Message::Unicast(Unicast { client, message: Box::new(message) });
        }
        encode_messages([&message], d, w).map_err(|fault| Mistake::new(f.at(), fault.to_string()))
    }
}

/// A frame as LMPC writes those of servers: `frame 5;`.
fn parse_frame_of_server(f: &mut Fields<'_, '_>) -> Result<Option<Frame>, Mistake> {
    if f.braces() || !FRAME.is(f.keyword()) || f.own_values().is_empty() {
        return Ok(None);
    }
    let seq1 = f.take(FRAME)?.int(i64::from(i32::MIN), i64::from(i32::MAX))? as i32;
    Ok(Some(Frame { seq1, ..Frame::default() }))
}

/// Prints what is packed in a message, as remarks.
fn print_packed<S: MessageSink>(message: &Message<'_>, dialect: &Dialect, s: &mut S) {
    fn show<'a, S: MessageSink>(packed: &impl Body<'a, Bytes>, s: &mut S) {
        let mut text = TextSink::new(false);
        packed.show(&mut text);
        // What is packed has a line feed in front.
        String::from_utf8_lossy(&text.out).lines().filter(|line| !line.is_empty()).for_each(|line| s.remark(line));
    }
    let unpacked = match message {
        Message::ConfigBlast(m) => m.each(|string| show(string, s)),
        Message::SpawnBaselineBlast(m) => m.each(dialect, |baseline| show(baseline, s)),
        _ => return,
    };
    if unpacked.damaged {
        s.remark("what is packed is damaged, or something stands behind it");
    }
    if unpacked.unread != 0 {
        s.remark(&format!("{} of {} unpacked bytes are not understood", unpacked.unread, unpacked.size));
    }
}
