//! How messages are described: once.
//!
//! A message is declared with one of the macros in this module (`message!`, `masked!`, `rare!`, `selected!`): its
//! text name and its fields in wire order, each with a wire type, a condition and a doc line. From that one
//! declaration come the struct, reading, writing, text out, text in, JSON both ways, and the [`Schema`].
//!
//! * [`MessageSet`]: the messages of a format, by kind; each kind has its [`Schema`].
//! * [`Sink`]: where shown messages go: text, LMPC's text, JSON. Each part has its [`Name`].
//! * [`Tree`] and [`Fields`]: a parsed statement, from text or JSON alike.
//! * [`State`]: what messages add up to, declared with `state!`.
//! * [`Wire`]: what messages travel on, and in which dialects.
//!
//! What the macros need besides stands in the source: `Field`, a wire type; `Body`, a whole message; `Mask`, how an
//! update packs its bits; `ByteDialect`, what shared wire types ask of a dialect; `Link`, how fields tell a state.

mod fields;
#[macro_use]
mod macros;
mod messages;
mod name;
mod number;
mod odd;
mod schema;
mod state;
mod tree;
mod unknown;
mod wires;

#[doc(hidden)]
pub use fields::NamedAxes;
pub(crate) use fields::float_coordinates;
pub use fields::{
    Alpha, Attenuation, Braced, ByteOrShort, Interleaved, LongSoundIndex, ModelIndex, Scale, Seconds, Share16,
    SignedByte, Size16, Size32, SoundIndex, StatIndex, StaticSoundIndex, Velocity16, Volume,
};
pub use messages::MessageSet;
pub use name::Name;
pub(crate) use name::{NameIndex, key};
pub(crate) use number::parse_time;
#[doc(hidden)]
pub use number::{parse_f32, parse_f64, parse_int};
pub(crate) use odd::Oddities;
pub use schema::{
    Alternative, Carried, FieldSchema, Holds, MessageSchema, Presence, Reference, Schema, Statement, TypeSchema,
};
#[doc(hidden)]
pub use state::{Boxed, Carries, Condition, Link, Not, Optional, Plain, Sticky, Where, Whole};
pub use state::{ShownField, State, StateField, StateValue, Unset};
pub(crate) use tree::UNKNOWN_MASK_BITS;
pub use tree::{Fields, Mistake, Node, Tree, Value, Values};
pub use unknown::Unknown;
#[doc(hidden)]
pub use unknown::UnknownWriter;
pub use wires::{AnyDialect, Width, Wire};
#[doc(hidden)]
pub use wires::{ByteDialect, ByteWire, PlainBytes};

pub(crate) use macros::{
    coordinates, field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write, masked,
    message, messages, name_of, packet, rare, selected, state, told,
};
pub(crate) use state::{ShownState, carries, schema_of, set_field, set_list, set_to, shown_numbers};

use crate::sealed::Sealed;
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, StrList};

/// Tables that give numbers a name in comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Table {
    /// The model precache list.
    Models,
    /// The sound precache list.
    Sounds,
    /// The player state array.
    Stats,
}

/// The kinds of a format's messages.
pub trait KindSet: Sealed + Copy + 'static {
    /// Every kind, in order of declaration.
    const ALL: &'static [Self];
    /// The place in [`KindSet::ALL`].
    fn index(self) -> usize;
    /// The schema of the messages of this kind.
    fn schema(self) -> &'static Schema;
}

/// Takes messages one by one, as they are read. (A closure cannot be asked to be inlined for each kind of message.)
#[doc(hidden)]
pub trait Receiver<M> {
    /// Takes a message.
    fn receive(&mut self, message: M);
}

impl<M> Receiver<M> for Vec<M> {
    #[inline(always)]
    fn receive(&mut self, message: M) {
        self.push(message);
    }
}

/// Which language a sink writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// qdemo's text form.
    Text,
    /// Text that LMPC 3.4 accepts.
    Lmpc,
    /// JSON.
    Json,
}

/// Receives a message field by field.
pub trait Sink {
    /// The language written.
    fn form(&self) -> Form;
    /// A message begins. An `inline` one has at most one field, shown without its name.
    fn open(&mut self, name: Name, inline: bool);
    /// The message ends.
    fn close(&mut self);
    /// A group of fields within a message begins; [`Sink::close`] ends it.
    fn group(&mut self, name: Name);
    /// A list of groups begins; [`Sink::close`] ends it.
    fn list(&mut self, name: Name);
    /// A group in a list begins; [`Sink::close`] ends it.
    fn item(&mut self, name: Name);
    /// A field without a value.
    fn flag(&mut self, name: Name);
    /// A number.
    fn value(&mut self, name: Name, v: Scalar);
    /// Several numbers.
    fn values(&mut self, name: Name, v: &[Scalar]);
    /// A number that a table can name.
    fn index(&mut self, name: Name, v: u32, table: Table);
    /// A string.
    fn string(&mut self, name: Name, v: &[u8]);
    /// A list of strings.
    fn strings(&mut self, name: Name, v: &StrList<'_>);
    /// Raw bytes.
    fn bytes(&mut self, name: Name, v: &[u8]);
    /// Says that LMPC would write this message in another way, whatever its text says.
    fn foreign(&mut self) {}
    /// A remark on what was shown last. Only texts for people show it.
    fn comment(&mut self, _text: std::fmt::Arguments<'_>) {}
    /// A line of its own that says what a message means. Only texts for people show it.
    fn remark(&mut self, _line: &str) {}
    /// Makes names of a table known, for comments; `first` names stand in front of them.
    fn learn(&mut self, _table: Table, _first: usize, _names: &StrList<'_>) {}
}

/// A wire type: one value in a message that travels on the wire `W`.
#[doc(hidden)]
pub trait Field<'a, W: Wire>: Sized {
    /// How documentation calls it.
    const TYPE: TypeSchema;
    /// Reads the value.
    fn read(r: &mut W::Reader<'a>, d: &W::Dialect) -> Result<Self, Fault>;
    /// Writes the value.
    fn write(&self, w: &mut W::Writer, d: &W::Dialect) -> Result<(), Fault>;
    /// Shows the value under a name.
    fn show<S: Sink>(&self, name: Name, s: &mut S);
    /// Takes the value out of a parsed statement.
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake>;
    /// True when a parsed statement holds this field.
    #[inline(always)]
    fn given(f: &Fields<'a, '_>, name: Name, _: &W::Dialect) -> bool {
        f.has(name)
    }
}

/// A number whose width on the wire depends on a mask bit.
#[doc(hidden)]
pub trait WideField<'a, W: ByteWire>: Sized {
    /// Reads the narrow or the wide form.
    fn read_wide(r: &mut ByteReader<'a>, d: &W::Dialect, wide: bool) -> Result<Self, Fault>;
    /// Writes the narrow or the wide form; a value that does not fit the narrow one is [`Fault`].
    fn write_wide(&self, w: &mut ByteWriter, d: &W::Dialect, wide: bool) -> Result<(), Fault>;
    /// True when the value needs the wide form.
    fn needs_wide(&self, d: &W::Dialect) -> bool;
}

/// Several values with a mask bit each, read together because the wire interleaves them.
#[doc(hidden)]
pub trait MaskedGroup<'a, W: ByteWire>: Sized {
    /// The mask bits of the group.
    const BITS: u64;
    /// The schema of each value.
    const FIELDS: &'static [FieldSchema];
    /// What documentation says of the group in braces, which has the name of its field.
    const STATEMENT: Statement = Statement::of(Name::with("", ""), "", &[Self::FIELDS]);
    /// Reads the values whose bits are set.
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect, mask: u64) -> Result<Self, Fault>;
    /// The bits of the values that are present.
    fn bits(&self) -> u64;
    /// Writes the values that are present.
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault>;
    /// Shows the values that are present.
    fn show<S: Sink>(&self, s: &mut S);
    /// Takes the values out of a parsed statement.
    fn parse(f: &mut Fields<'a, '_>, d: &W::Dialect) -> Result<Self, Mistake>;
}

/// A part of a packet that is no message: the header of a block, or what stands in front of messages. `packet!` declares
/// one; it is on bytes, and reads the same in all protocols.
#[doc(hidden)]
pub trait Part: Sized {
    /// The fields in wire order.
    const FIELDS: &'static [&'static [FieldSchema]];
    /// Reads it.
    ///
    /// # Errors
    /// Bytes that end too early or break a rule.
    fn read(r: &mut ByteReader<'_>) -> Result<Self, Fault>;
    /// Writes it.
    ///
    /// # Errors
    /// A value that has no room in its place.
    fn write(&self, w: &mut ByteWriter) -> Result<(), Fault>;
    /// Shows the fields in front of the messages, under the names that `name` makes of theirs.
    fn show_front<S: Sink>(&self, s: &mut S, name: fn(Name) -> Name);
    /// Shows the fields behind the messages.
    fn show_behind<S: Sink>(&self, s: &mut S);
    /// Takes it out of a parsed statement.
    ///
    /// # Errors
    /// A field that is missing or wrong.
    fn parse(f: &mut Fields<'_, '_>, name: fn(Name) -> Name) -> Result<Self, Mistake>;
}

/// How a masked message packs its mask in dialects `D`.
#[doc(hidden)]
pub trait Mask<D: 'static> {
    /// Reads the mask; `id` is the message number, part of the mask in some messages.
    fn read(id: u8, r: &mut ByteReader<'_>, d: &D) -> Result<u64, Fault>;
    /// True when the message number is part of the mask, so that [`Mask::write`] writes it.
    const HOLDS_ID: bool = false;
    /// A dialect that most files have: reading is compiled for it apart, with all that it decides decided.
    const USUAL: Option<&'static D> = None;
    /// True when a dialect lays the message out as [`Mask::USUAL`] does.
    fn is_usual(_: &D) -> bool {
        false
    }
    /// Writes the mask, with the message number in it where [`Mask::HOLDS_ID`].
    fn write(id: u8, mask: u64, w: &mut ByteWriter, d: &D) -> Result<(), Fault>;
    /// The bits of `mask` that carry data or a meaning in this dialect.
    fn present(mask: u64, d: &D) -> u64;
    /// The mask that a normal engine writes for these bits.
    fn canon(bits: u64, d: &D) -> u64;
}

/// A whole message, on the wire `W`.
#[doc(hidden)]
pub trait Body<'a, W: Wire>: Sized {
    /// The schema, with the name.
    const SCHEMA: Schema;
    /// The name.
    const NAME: Name;
    /// Reads the message; the cursor stands behind the message number `id`.
    fn read(id: u8, r: &mut W::Reader<'a>, d: &W::Dialect) -> Result<Self, Fault>;
    /// Writes the message with its number.
    fn write(&self, id: u8, w: &mut W::Writer, d: &W::Dialect) -> Result<(), Fault>;
    /// Shows the message.
    fn show<S: Sink>(&self, s: &mut S);
    /// Takes the message out of a parsed statement.
    fn parse(f: &mut Fields<'a, '_>, d: &W::Dialect) -> Result<Self, Mistake>;
}
