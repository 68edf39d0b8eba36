//! What the messages of each format mean: which of them say something by themselves, and which are states in the words of
//! their format, which can be told in several ways.

use serde_json::Value;

use super::fingerprint::{Fingerprint, IN_VAIN};
use crate::demo::Listed;
use crate::describe::{KindSet, Name, Part, Sink};
use crate::error::Moment;
use crate::format::dem::Dem;
use crate::format::dm2::Dm2;
use crate::format::dm3::{self, Dm3};
use crate::format::mvd::{self, Mvd};
use crate::format::mvd2::Mvd2;
use crate::format::qwd::{self, Qwd};
use crate::format::{BlockOf, Contents, Decoder, MessageSet, Packet, as_named};
use crate::text::JsonSink;

/// What a message means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It says something by itself.
    Told,
    /// It leads to a state, and another one may lead to the same.
    State,
    /// It says nothing.
    Idle,
}

/// What of a format is meant.
pub(super) trait Meaning: Listed {
    /// The messages that lead to states: each is a difference to something earlier, or says which moment it is.
    const STATES: &'static [&'static str];
    /// True where the header of a block says whom its messages are for.
    const ADDRESSED: bool = false;
    /// Fields that count what was sent, or say when: no matter of what is said.
    const UNSAID: &'static [Name] = &[];

    /// What stands around the messages of a packet, and how text calls that.
    fn around(_: &Packet<'_, Self>) -> (Class, Name) {
        (Class::Idle, BLOCK)
    }

    /// True for a message that was read before and is sent again. `last` is the number of the last one that was read.
    fn is_repeated(_: &Self::Message<'_>, _last: &mut i32) -> bool {
        false
    }
}

const BLOCK: Name = Name::new("block");
const RECORD: Name = Name::with("mblock", "");
const UNFRAMED: Name = Name::new("unframed");
const TRACK: Name = Name::new("track");
const TRAILER: Name = Name::with("trailer", "");
const DATA: Name = Name::new("data");
/// Messages without a word in them.
const IDLE: &[&str] = &["nop", "eof"];

impl Meaning for Dem {
    const STATES: &'static [&'static str] = &["time", "clientdata", "updateentity"];
    /// The angles of the view.
    fn around(_: &Packet<'_, Self>) -> (Class, Name) {
        (Class::State, BLOCK)
    }
}

impl Meaning for Qwd {
    const STATES: &'static [&'static str] = &["playerinfo", "packetentities", "deltapacketentities"];
    fn around(packet: &Packet<'_, Self>) -> (Class, Name) {
        let class = match packet.contents {
            qwd::Contents::Packet(_) | qwd::Contents::Frame(_) => Class::State,
            _ => Class::Told,
        };
        (class, packet.header.kind.keyword())
    }
}

impl Meaning for Mvd {
    const STATES: &'static [&'static str] = &["mvdplayerinfo", "playerinfo", "packetentities", "deltapacketentities"];
    const ADDRESSED: bool = true;
    /// In the header.
    const UNSAID: &'static [Name] = &[Name::with("msec", "")];
    fn around(packet: &Packet<'_, Self>) -> (Class, Name) {
        match packet.contents {
            mvd::Contents::Command(_) | mvd::Contents::Bytes(_) => (Class::Told, RECORD),
            _ => (Class::Idle, RECORD),
        }
    }
}

impl Meaning for Dm2 {
    const STATES: &'static [&'static str] =
        &["frame", "playerinfo", "packetentities", "test_playerinfo", "test_packetentities"];
}

impl Meaning for Mvd2 {
    const STATES: &'static [&'static str] = &["frame"];
}

impl Meaning for Dm3 {
    const STATES: &'static [&'static str] = &["snapshot"];
    /// Of commands.
    const UNSAID: &'static [Name] = &[Name::new("seq")];
    /// Commands are sent until the client says that it has them.
    fn is_repeated(message: &dm3::Message, last: &mut i32) -> bool {
        match message {
            dm3::Message::Gamestate(gamestate) => {
                *last = gamestate.server_command_sequence;
                false
            }
            dm3::Message::ServerCommand(command) => {
                let repeated = command.seq <= *last;
                *last = command.seq.max(*last);
                repeated
            }
            _ => false,
        }
    }
}

/// Something that a chunk says.
pub(super) enum Item<'p, 'a, F: Meaning> {
    /// A message, and the packet that it stands in.
    Message(&'p F::Message<'a>, &'p Packet<'a, F>),
    /// What stands around the messages of a packet.
    Around(Name, &'p Packet<'a, F>),
    /// Bytes that are no block.
    Bytes(Name, &'p [u8]),
}

impl<F: Meaning> Item<'_, '_, F> {
    /// How text calls it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Item::Message(message, _) => message.name(),
            Item::Around(name, _) | Item::Bytes(name, _) => name.text,
        }
    }

    fn show<S: Sink>(&self, s: &mut S) {
        match self {
            Item::Message(message, _) => message.show(s),
            Item::Around(name, packet) => {
                s.open(*name, false);
                packet.header.show_front(s, as_named);
                packet.contents.show_front(s);
                s.close();
            }
            Item::Bytes(name, bytes) => {
                s.open(*name, false);
                s.bytes(DATA, bytes);
                s.close();
            }
        }
    }

    /// What it says, as a number.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut out = Fingerprint::without(F::UNSAID);
        if let (true, Item::Message(_, packet)) = (F::ADDRESSED, self) {
            packet.header.show_front(&mut out, as_named);
        }
        self.show(&mut out);
        out.finish()
    }

    /// What it says, as JSON: its fields by name.
    pub(super) fn to_json(&self) -> Value {
        let json = |show: &dyn Fn(&mut JsonSink)| {
            let mut sink = JsonSink::default();
            show(&mut sink);
            serde_json::from_slice::<Value>(&sink.out).unwrap_or_default()
        };
        let mut all = json(&|s| self.show(s));
        if let (true, Item::Message(_, packet)) = (F::ADDRESSED, self) {
            let mut to = json(&|s| {
                s.open(RECORD, false);
                packet.header.show_front(s, as_named);
                s.close();
            });
            if let (Value::Object(all), Value::Object(to)) = (&mut all, &mut to) {
                to.retain(|key, _| key != "piece" && !is_in(key, F::UNSAID));
                all.insert("for".to_owned(), std::mem::take(to).into());
            }
        }
        if let Value::Object(all) = &mut all {
            all.remove("piece");
            all.retain(|key, _| !is_in(key, &IN_VAIN) && (F::ADDRESSED || !is_in(key, F::UNSAID)));
        }
        all
    }
}

fn is_in(key: &str, names: &[Name]) -> bool {
    names.iter().any(|name| name.text == key)
}

/// Reads chunks for what they say.
pub(super) struct Teller<F: Meaning> {
    decoder: Decoder<F>,
    /// By kind of message.
    classes: Vec<Class>,
    last: i32,
}

impl<F: Meaning> Teller<F> {
    pub(super) fn new(decoder: Decoder<F>) -> Self {
        let kinds = <<F::Message<'static> as MessageSet<'static>>::Kind as KindSet>::ALL;
        let class = |name: &str| match name {
            name if IDLE.contains(&name) => Class::Idle,
            name if F::STATES.contains(&name) => Class::State,
            _ => Class::Told,
        };
        Teller { decoder, classes: kinds.iter().map(|kind| class(kind.schema().name)).collect(), last: 0 }
    }

    /// Hands out what a chunk says, with the class of each; gives the time that it tells.
    pub(super) fn chunk(
        &mut self,
        chunk: &crate::format::ChunkOf<'_, F>,
        each: &mut impl FnMut(Class, &Item<'_, '_, F>),
    ) -> Option<Moment> {
        use crate::frame::Chunk;
        match chunk {
            Chunk::Block(block) => return self.block(block, each),
            Chunk::Start(line) => each(Class::Told, &Item::Bytes(TRACK, line)),
            Chunk::Trailer(bytes) => each(Class::Told, &Item::Bytes(TRAILER, bytes)),
            Chunk::Unframed(unframed) => each(Class::Told, &Item::Bytes(UNFRAMED, unframed.bytes)),
            Chunk::End => {}
        }
        None
    }

    fn block(&mut self, block: &BlockOf<'_, F>, each: &mut impl FnMut(Class, &Item<'_, '_, F>)) -> Option<Moment> {
        let (packet, _) = self.decoder.read(block);
        let (class, name) = F::around(&packet);
        if class != Class::Idle {
            each(class, &Item::Around(name, &packet));
        }
        for message in &packet.messages {
            let class = match message.kind() {
                Some(kind) => self.classes.get(kind.index()).copied().unwrap_or(Class::Told),
                None => Class::Told,
            };
            if class != Class::Idle && !F::is_repeated(message, &mut self.last) {
                each(class, &Item::Message(message, &packet));
            }
        }
        let time = self.decoder.block_time();
        self.decoder.recycle(packet);
        time
    }
}
