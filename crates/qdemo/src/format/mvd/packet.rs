//! What stands around the messages of multi-view demos: records with a time difference and a target.

use std::borrow::Cow;

use crate::describe::{
    Field, FieldSchema, Fields, Mistake, Name, Part, PlainBytes, Presence, Reference, Sink, Size32, TypeSchema,
    field_schema, name_of, packet,
};
use crate::error::Moment;
use crate::format::qwd::{
    Bytes as Wire, DATA, Dialect, END_OF_DEMO, Message, SequenceNumbers, UserCommand, begins_level, read_hidden,
    server_data, tells_moment, whole, write_hidden,
};
use crate::format::{ByteFormat, Format, Look, OwnLayout, Sealed, Split, State, Verdict, as_named, byte_format};
use crate::frame::{self, HeaderRead, Rules};
use crate::wire::{ByteReader, ByteWriter, Fault, FaultKind, IntoOwned, Scalar};

/// QuakeWorld's `.mvd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mvd;

packet! {
    /// The header of a record.
    pub struct Header {
        /// Time since the record before.
        msec as "" in "ms": u8;
        /// What the record is and whom it is for.
        to: Recipients, group;
        /// The size in the header, where the end of the file cuts; else what it holds.
        size as "": Size32, when (to.target.has_size());
    }
}

/// What a record is and whom it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A command, as in `.qwd`. Not seen in files.
    Command,
    /// For those that the record before was for.
    Same,
    /// Two sequence numbers, without meaning here.
    Set,
    /// For several players: a bit for each slot. 0: for nobody, hidden messages.
    Multiple(u32),
    /// For one player.
    Single,
    /// Stats of one player.
    Stats,
    /// For everyone.
    All,
}

impl Target {
    /// The low three bits of the kind byte.
    fn number(self) -> u8 {
        match self {
            Target::Command => 0,
            Target::Same => 1,
            Target::Set => 2,
            Target::Multiple(_) => 3,
            Target::Single => 4,
            Target::Stats => 5,
            Target::All => 6,
        }
    }

    /// True for a record whose header tells a size: the others have always the same.
    fn has_size(self) -> bool {
        !matches!(self, Target::Command | Target::Set)
    }
}

/// The kind byte of a record, and the mask that may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipients {
    /// What the record is and whom it is for.
    pub target: Target,
    /// Slot of the player, for [`Target::Single`] and [`Target::Stats`], 0 to 31; else 0 in most files.
    pub slot: u8,
}

impl Recipients {
    const SLOT: Name = Name::with("slot", "");
    const SLOT_TYPE: TypeSchema = TypeSchema::new("5 bits of a u8", "integer", "").within(0, 31);
    const FLAG: TypeSchema = TypeSchema::new("", "boolean", "");
    pub(super) const FIELDS: &'static [FieldSchema; 8] = &[
        one("command", Self::FLAG, "Kind 0: a command, as in cblock. Not seen in files."),
        one("same", Self::FLAG, "Kind 1: for those that the record before was for."),
        one("set", Self::FLAG, "Kind 2: two numbers without meaning."),
        one(
            "multiple",
            TypeSchema::new("u32", "integer", ""),
            "Kind 3: for several players, a bit for each slot; 0 for nobody: hidden messages.",
        ),
        one("single", Self::SLOT_TYPE, "Kind 4: for the player in this slot."),
        one("stats", Self::SLOT_TYPE, "Kind 5: stats of the player in this slot."),
        one("all", Self::FLAG, "Kind 6: for everyone."),
        one(
            Self::SLOT.text,
            Self::SLOT_TYPE.left_out_when_empty(),
            "The bits of the slot, where the target has none; left out when 0.",
        ),
    ];
    /// The targets that are a word alone, and those that are one with a slot.
    const WORDS: [(Target, Name); 4] = [
        (Target::All, Name::with("all", "")),
        (Target::Same, Name::with("same", "")),
        (Target::Set, Name::with("set", "")),
        (Target::Command, Name::with("command", "")),
    ];
    const SLOTS: [(Target, Name); 2] =
        [(Target::Single, Name::with("single", "")), (Target::Stats, Name::with("stats", ""))];
    const MULTIPLE: Name = Name::with("multiple", "");
}

const fn one(name: &'static str, ty: TypeSchema, doc: &'static str) -> FieldSchema {
    FieldSchema::ours(name, ty, Presence::Selected, doc)
}

impl<'a> Field<'a, PlainBytes> for Recipients {
    const TYPE: TypeSchema = TypeSchema::new("u8", "", "");
    #[inline]
    fn read(r: &mut ByteReader<'a>, _: &()) -> Result<Self, Fault> {
        let at = r.pos();
        let kind = r.u8()?;
        let target = match kind & 7 {
            0 => Target::Command,
            1 => Target::Same,
            2 => Target::Set,
            3 => Target::Multiple(r.u32()?),
            4 => Target::Single,
            5 => Target::Stats,
            6 => Target::All,
            _ => return Err(Fault::new(FaultKind::Malformed("a record is of kind 0 to 6"), at)),
        };
        Ok(Recipients { target, slot: kind >> 3 })
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &()) -> Result<(), Fault> {
        w.u8(self.target.number() | self.slot << 3);
        if let Target::Multiple(mask) = self.target {
            w.u32(mask);
        }
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        let slot = Scalar::Int(i64::from(self.slot));
        if let Some((_, name)) = Self::SLOTS.iter().find(|(target, _)| *target == self.target) {
            return s.value(*name, slot);
        }
        match self.target {
            Target::Multiple(mask) => s.value(Self::MULTIPLE, Scalar::Hex(u64::from(mask))),
            target => {
                let word = Self::WORDS.iter().find(|(other, _)| *other == target);
                word.into_iter().for_each(|(_, name)| s.flag(*name));
            }
        }
        if self.slot != 0 {
            s.value(Self::SLOT, slot);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &()) -> Result<Self, Mistake> {
        let mut to = None;
        for (target, name) in Self::WORDS {
            if to.is_none() && f.flag(name)? {
                to = Some(Recipients { target, slot: 0 });
            }
        }
        for (target, name) in Self::SLOTS {
            if to.is_none() && f.has(name) {
                to = Some(Recipients { target, slot: f.take(name)?.int(0, 31)? as u8 });
            }
        }
        if to.is_none() && f.has(Self::MULTIPLE) {
            let mask = f.take(Self::MULTIPLE)?.int(0, i64::from(u32::MAX))? as u32;
            to = Some(Recipients { target: Target::Multiple(mask), slot: 0 });
        }
        let what = "the record lacks its target: add all, single N, multiple 0xMASK, stats N, same, set or command";
        let to = to.ok_or_else(|| f.mistake(what))?;
        let slot = if f.has(Self::SLOT) { f.take(Self::SLOT)?.int(0, 31)? as u8 } else { to.slot };
        Ok(Recipients { slot, ..to })
    }
}

impl Header {
    /// The header of a record whose size is that of what it holds.
    pub fn new(msec: u8, target: Target, slot: u8) -> Self {
        Header { msec, to: Recipients { target, slot }, size: Size32(None) }
    }
}

impl Sealed for Header {}

impl frame::Header for Header {
    #[inline]
    fn payload(&self) -> i64 {
        match self.to.target {
            Target::Command => UserCommand::LEN as i64,
            Target::Set => SequenceNumbers::LEN as i64,
            _ => i64::from(self.size.0.unwrap_or_default() as i32),
        }
    }
    #[inline]
    fn with_size(self, size: Option<u32>) -> Self {
        Header { size: Size32(size.filter(|_| self.to.target.has_size())), ..self }
    }
    /// The next record lets time pass or begins another level, or there is none.
    #[inline]
    fn ends_moment(behind: &[u8]) -> bool {
        behind.first().is_none_or(|msec| *msec > 0) || begins_another_level(behind)
    }
}

impl Rules for Header {
    // Any two bytes may be a header: only a long row proves something.
    const CHAIN: usize = 8;
    const AHEAD: u32 = 4;
    const LARGEST: usize = 8_192;
    const LAST: Option<&'static [u8]> = Some(END_OF_DEMO);

    fn goes_on(&self, behind: &[u8]) -> bool {
        begins_level(behind)
    }

    #[inline]
    fn find(bytes: &[u8]) -> HeaderRead<Self> {
        let len = match bytes.get(1).map(|kind| kind & 7) {
            None | Some(0 | 2) => 2,
            Some(3) => 10,
            Some(_) => 6,
        };
        HeaderRead::of(bytes, len)
    }
    #[inline]
    fn possible(&self, _: &[u8]) -> bool {
        (0..=0x4_0000).contains(&frame::Header::payload(self))
    }
    #[inline]
    fn plausible(&self, _: &[u8], _: Option<&Self>) -> bool {
        self.to.target.has_size() && (0..=Self::LARGEST as i64).contains(&frame::Header::payload(self))
    }
}

/// True where the next record begins a level.
fn begins_another_level(behind: &[u8]) -> bool {
    let HeaderRead::HeaderFound(next) = <Header as Rules>::find(behind) else { return false };
    let target = next.header.to.target;
    target.has_size() && target != Target::Multiple(0) && begins_level(behind.get(next.len..).unwrap_or_default())
}

/// What a record holds besides messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents<'a> {
    /// Messages and nothing else.
    Messages,
    /// Hidden messages, where the server has announced such: a record for nobody.
    Hidden,
    /// A command, as in `.qwd`.
    Command(UserCommand),
    /// Two numbers without meaning.
    Set(SequenceNumbers),
    /// Bytes: the beginning of a record of fixed size that the end of the file cuts.
    Bytes(Cow<'a, [u8]>),
}

impl IntoOwned for Contents<'_> {
    type Owned = Contents<'static>;
    fn into_owned(self) -> Contents<'static> {
        match self {
            Contents::Messages => Contents::Messages,
            Contents::Hidden => Contents::Hidden,
            Contents::Command(command) => Contents::Command(command),
            Contents::Set(numbers) => Contents::Set(numbers),
            Contents::Bytes(bytes) => Contents::Bytes(Cow::Owned(bytes.into_owned())),
        }
    }
}

pub(super) const COMMAND_MSEC: Name = Name::with("command_msec", "");

/// The record has an `msec` of its own.
fn command_name(name: Name) -> Name {
    if name.text == "msec" { COMMAND_MSEC } else { name }
}

impl Sealed for Contents<'_> {}

impl crate::format::Contents for Contents<'_> {
    fn show_front<S: Sink>(&self, s: &mut S) {
        match self {
            Contents::Messages | Contents::Hidden => {}
            Contents::Command(command) => command.show_front(s, command_name),
            Contents::Set(numbers) => numbers.show_front(s, as_named),
            Contents::Bytes(bytes) => s.bytes(DATA, bytes),
        }
    }
    fn uncovered(&self) -> usize {
        if let Contents::Bytes(bytes) = self { bytes.len() } else { 0 }
    }
}

/// A chunk of a file. A trailer is what was left in the recorder's memory; there is no end mark.
pub type Chunk<'a> = frame::Chunk<'a, Header>;

/// A record.
pub type Block<'a> = frame::Block<'a, Header>;

/// A record with what it holds.
pub type Packet<'a> = crate::format::Packet<'a, Mvd>;

/// Reads record after record.
pub type Decoder = crate::format::Decoder<Mvd>;

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(Mvd::first_dialect(None))
    }
}

impl Packet<'_> {
    /// A record of messages.
    pub fn new<'a>(header: Header, messages: Vec<Message<'a>>) -> Packet<'a> {
        Packet { header, contents: Contents::Messages, messages }
    }

    /// A record of messages for everyone.
    pub fn to_all<'a>(msec: u8, messages: Vec<Message<'a>>) -> Packet<'a> {
        Packet::new(Header::new(msec, Target::All, 0), messages)
    }

    /// A record of hidden messages.
    pub fn hidden<'a>(msec: u8, messages: Vec<Message<'a>>) -> Packet<'a> {
        Packet { header: Header::new(msec, Target::Multiple(0), 0), contents: Contents::Hidden, messages }
    }
}

impl Sealed for Mvd {}

impl Format for Mvd {
    const NAME: &'static str = "mvd";
    const EXTENSIONS: &'static [&'static str] = &["mvd"];
    type Wire = Wire;
    type Header = Header;
    type Contents<'a> = Contents<'a>;
    type Message<'a> = Message<'a>;
    type Memory = ();
    /// Milliseconds since the recording began.
    type Clock = i32;
    byte_format!();

    fn first_dialect(_: Option<i32>) -> Dialect {
        Dialect::MULTIVIEW
    }

    fn tells_moment(messages: &[Message<'_>]) -> bool {
        tells_moment(messages)
    }

    fn introductions(_: Option<i32>) -> Vec<Packet<'static>> {
        server_data(true).map(|data| Packet::to_all(0, vec![data])).into()
    }

    fn reference() -> Reference {
        super::reference::reference()
    }

    fn look(look: &Look<'_>) -> Verdict {
        super::detect::look(look)
    }

    fn time(msec: &mut i32, block: &Block<'_>, _: &[Message<'_>], _: &State<Self>) -> Option<Moment> {
        *msec = msec.wrapping_add(i32::from(block.header.msec));
        Some(Moment::Milliseconds(*msec))
    }

    fn clock_behind(msec: i32) -> Option<i32> {
        Some(msec)
    }

    fn is_last(_: &Block<'_>, packet: &Packet<'_>) -> bool {
        matches!(packet.messages.last(), Some(Message::Disconnect(_)))
    }
}

impl ByteFormat for Mvd {
    #[inline]
    fn split<'a>(block: &Block<'a>, d: &Dialect) -> Split<'a, Contents<'a>> {
        let bytes = || Contents::Bytes(block.payload.into());
        match block.header.to.target {
            Target::Command => {
                Split::all(whole::<_, { UserCommand::LEN }>(block.payload).map_or_else(bytes, Contents::Command), &[])
            }
            Target::Set => {
                Split::all(whole::<_, { SequenceNumbers::LEN }>(block.payload).map_or_else(bytes, Contents::Set), &[])
            }
            Target::Multiple(0) if d.hidden => Split::all(Contents::Hidden, block.payload),
            _ => Split::all(Contents::Messages, block.payload),
        }
    }

    #[inline]
    fn write_contents(contents: &Contents<'_>, w: &mut ByteWriter) -> Result<(), Fault> {
        match contents {
            Contents::Messages | Contents::Hidden => Ok(()),
            Contents::Command(command) => command.write(w),
            Contents::Set(numbers) => numbers.write(w),
            Contents::Bytes(bytes) => {
                w.bytes(bytes);
                Ok(())
            }
        }
    }

    #[inline]
    fn read_otherwise<'a>(split: &Split<'a, Contents<'a>>, d: &Dialect) -> Option<OwnLayout<'a, Self>> {
        matches!(split.contents, Contents::Hidden).then(|| {
            let (messages, rest) = read_hidden(split.messages, d);
            OwnLayout { messages, rest, why: "no hidden message" }
        })
    }

    #[inline]
    fn write_otherwise(
        contents: &Contents<'_>,
        message: &Message<'_>,
        d: &Dialect,
        w: &mut ByteWriter,
    ) -> Option<Result<(), Fault>> {
        if matches!(contents, Contents::Hidden) { write_hidden(message, w, d) } else { None }
    }
}

/// Takes what stands around the messages of a record out of a parsed statement.
pub(crate) fn parse_contents<'x>(
    header: &Header,
    f: &mut Fields<'x, '_>,
    d: &Dialect,
) -> Result<Contents<'x>, Mistake> {
    match header.to.target {
        Target::Command | Target::Set if f.has(DATA) => {
            f.take(DATA)?.bytes().map(|bytes| Contents::Bytes(bytes.into()))
        }
        Target::Command => UserCommand::parse(f, command_name).map(Contents::Command),
        Target::Set => SequenceNumbers::parse(f, as_named).map(Contents::Set),
        Target::Multiple(0) if d.hidden => Ok(Contents::Hidden),
        _ => Ok(Contents::Messages),
    }
}
