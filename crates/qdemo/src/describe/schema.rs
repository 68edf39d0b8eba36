//! What declarations say about themselves, for documentation, JSON Schema and tools.

use super::{KindSet, Name};

/// A message: its name and fields.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// Name in text and JSON.
    pub name: &'static str,
    /// Name in LMPC's language, if it has one.
    pub lmpc: Option<&'static str>,
    /// What the message is for.
    pub doc: &'static str,
    /// True when text shows the message as `name value;`: it has at most one field.
    pub inline: bool,
    /// True when a mask says which fields are there: then `mask_extra` may stand beside them.
    pub masked: bool,
    /// The fields in wire order.
    pub fields: &'static [&'static [FieldSchema]],
}

impl Schema {
    /// The fields in wire order.
    pub fn fields(&self) -> impl Iterator<Item = &'static FieldSchema> {
        self.fields.iter().flat_map(|group| group.iter())
    }
}

/// A field of a message.
#[derive(Debug, Clone, Copy)]
pub struct FieldSchema {
    /// Name in text and JSON.
    pub name: &'static str,
    /// Name in LMPC's language, if it has one.
    pub lmpc: Option<&'static str>,
    /// What it means.
    pub doc: &'static str,
    /// The wire type.
    pub ty: TypeSchema,
    /// When it is there.
    pub presence: Presence,
}

impl FieldSchema {
    /// A field that LMPC calls by the same name.
    pub(crate) const fn new(name: &'static str, ty: TypeSchema, presence: Presence, doc: &'static str) -> Self {
        FieldSchema { name, lmpc: Some(name), doc, ty, presence }
    }

    /// A field that LMPC does not have.
    pub(crate) const fn ours(name: &'static str, ty: TypeSchema, presence: Presence, doc: &'static str) -> Self {
        FieldSchema { name, lmpc: None, doc, ty, presence }
    }

    /// The same field with another type on the wire, and nothing beside it.
    pub(crate) const fn on_wire(self, wire: &'static str) -> Self {
        FieldSchema { ty: TypeSchema { wire, beside: &[], ..self.ty }, ..self }
    }

    /// The same field with numbers within bounds.
    pub(crate) const fn within(self, low: i64, high: i64) -> Self {
        FieldSchema { ty: self.ty.within(low, high), ..self }
    }
}

/// When a field is on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// In every message of the kind.
    Always,
    /// When a mask bit is set.
    Bit(u8),
    /// No data: the mask bit itself.
    Flag(u8),
    /// Always; a mask bit chooses the wide form.
    Wide(u8),
    /// Chosen by an earlier field or the dialect.
    Selected,
    /// A field of a state that a table per protocol lists: when the server sent it.
    Sent,
    /// Only where something was sent in another way than engines do it.
    Unusual,
}

/// A wire type as documentation shows it.
#[derive(Debug, Clone, Copy)]
pub struct TypeSchema {
    /// Type on the wire: `u8`, `i16/8`, `string` ...
    pub wire: &'static str,
    /// The same where a mask bit may choose a wide form; empty: no other.
    pub wide: &'static str,
    /// Type in JSON: `integer`, `number`, `string`, `boolean`, or `array` of these (`number[3]`); `true` for a word that is there or not.
    pub json: &'static str,
    /// Unit of the shown value, empty for plain counts and numbers.
    pub unit: &'static str,
    /// Lowest and highest number in text and JSON, where the type on the wire does not tell.
    pub range: Option<(i64, i64)>,
    /// For a value that text and JSON spread over several fields: their names and JSON types.
    pub parts: &'static [(&'static str, &'static str)],
    /// Those of them that are always there.
    pub needed: &'static [&'static str],
    /// Fields that text and JSON may have beside it.
    pub beside: &'static [FieldSchema],
    /// True when text and JSON leave the field out if it is empty.
    pub left_out_when_empty: bool,
    /// What a value is made of that is no plain one.
    pub holds: Holds,
}

impl TypeSchema {
    /// A type.
    pub const fn new(wire: &'static str, json: &'static str, unit: &'static str) -> Self {
        TypeSchema {
            wire,
            wide: "",
            json,
            unit,
            range: None,
            parts: &[],
            needed: &[],
            beside: &[],
            left_out_when_empty: false,
            holds: Holds::Nothing,
        }
    }

    /// The same, spread over several fields in text and JSON.
    #[must_use]
    pub const fn spread(self, parts: &'static [(&'static str, &'static str)]) -> Self {
        TypeSchema { parts, ..self }
    }

    /// The same, of whose parts some are always there.
    #[must_use]
    pub const fn needs(self, needed: &'static [&'static str]) -> Self {
        TypeSchema { needed, ..self }
    }

    /// The same with fields beside it.
    #[must_use]
    pub const fn beside(self, beside: &'static [FieldSchema]) -> Self {
        TypeSchema { beside, ..self }
    }

    /// The same, left out of text and JSON when empty.
    #[must_use]
    pub const fn left_out_when_empty(self) -> Self {
        TypeSchema { left_out_when_empty: true, ..self }
    }

    /// The same, always in text and JSON.
    #[must_use]
    pub const fn always(self) -> Self {
        TypeSchema { left_out_when_empty: false, ..self }
    }

    /// The same within bounds.
    #[must_use]
    pub const fn within(self, low: i64, high: i64) -> Self {
        TypeSchema { range: Some((low, high)), ..self }
    }

    /// The same in a unit.
    #[must_use]
    pub const fn in_unit(self, unit: &'static str) -> Self {
        TypeSchema { unit, ..self }
    }

    /// The same, made of something.
    #[must_use]
    pub const fn holding(self, holds: Holds) -> Self {
        TypeSchema { holds, ..self }
    }

    /// The same with another type on the wire where a mask bit may choose a wide form.
    #[must_use]
    pub const fn or_wide(self, wide: &'static str) -> Self {
        TypeSchema { wide, ..self }
    }

    /// The same where a mask bit may choose a wide form.
    #[must_use]
    pub(crate) const fn where_wide(self) -> Self {
        TypeSchema { wire: if self.wide.is_empty() { self.wire } else { self.wide }, ..self }
    }
}

/// What a value is made of that is no plain one.
#[derive(Debug, Clone, Copy)]
pub enum Holds {
    /// Nothing: a plain value.
    Nothing,
    /// One of these words or numbers.
    OneOf(fn() -> Vec<String>),
    /// So many numbers with a name each: `stats[0]` ...
    Each(u16),
    /// Fields in braces; in JSON an object.
    Object(&'static Statement),
    /// A list of such.
    List(&'static Statement),
    /// Statements under their own names; in JSON they are among the messages.
    Messages(&'static [&'static Statement]),
    /// Messages of another format, in the same way.
    OfFormat(fn() -> Vec<MessageSchema>),
}

/// What stands around messages or within them: a statement of a text, an object of JSON.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// Its keyword and its fields. Without fields, those of its alternatives.
    pub schema: Schema,
    /// What it is or where it stands, in words. Empty within messages where that follows from what holds it; empty around
    /// messages where the reference leaves it to the description of the text.
    pub what: &'static str,
    /// The ways in which it is written, if there is more than one set of fields.
    pub alternatives: &'static [Alternative],
    /// Another statement whose fields stand behind.
    pub behind: Option<&'static Schema>,
    /// True for a state: the reference has these behind all messages.
    pub state: bool,
}

impl Statement {
    /// A statement.
    pub const fn new(schema: Schema) -> Self {
        Statement { schema, what: "", alternatives: &[], behind: None, state: false }
    }

    /// A statement from its name, what it is for, and its fields.
    pub(crate) const fn of(name: Name, doc: &'static str, fields: &'static [&'static [FieldSchema]]) -> Self {
        let schema = Schema { name: name.text, lmpc: name.lmpc, doc, inline: false, masked: false, fields };
        Statement::new(schema)
    }

    /// The same with several sets of fields.
    #[must_use]
    pub const fn one_of(self, alternatives: &'static [Alternative]) -> Self {
        Statement { alternatives, ..self }
    }

    /// The same with words for what it is.
    #[must_use]
    pub const fn called(self, what: &'static str) -> Self {
        Statement { what, ..self }
    }

    /// The same as a state.
    #[must_use]
    pub const fn state(self, what: &'static str) -> Self {
        Statement { what, state: true, ..self }
    }

    /// The same with the fields of another behind its own.
    #[must_use]
    pub const fn before(self, behind: &'static Schema) -> Self {
        Statement { behind: Some(behind), ..self }
    }
}

/// A way in which a statement is written: fields, of which all must be there that are not left out when empty, and
/// perhaps messages.
#[derive(Debug, Clone, Copy)]
pub struct Alternative {
    /// The parts that it is made of, each with its fields.
    pub parts: &'static [&'static [&'static [FieldSchema]]],
    /// The messages in it.
    pub messages: Carried,
}

impl Alternative {
    /// One without messages.
    pub const fn of(parts: &'static [&'static [&'static [FieldSchema]]]) -> Self {
        Alternative { parts, messages: Carried::None }
    }

    /// One with messages.
    pub const fn with(messages: Carried, parts: &'static [&'static [&'static [FieldSchema]]]) -> Self {
        Alternative { parts, messages }
    }

    /// The fields.
    pub fn fields(&self) -> impl Iterator<Item = &'static FieldSchema> {
        self.parts.iter().copied().flatten().copied().flatten()
    }
}

/// Messages in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// None.
    None,
    /// Any, or none.
    Any,
    /// At least one.
    Some,
    /// Any, also hidden ones.
    Hidden,
}

/// A message of a format.
#[derive(Debug, Clone)]
pub struct MessageSchema {
    /// Its declaration.
    pub schema: &'static Schema,
    /// Its number in the protocols that have it, in words. Empty where another format has the same message with the same
    /// number, and its reference tells it.
    pub numbers: String,
    /// The format that it is declared in.
    pub home: &'static str,
    /// True for one that only stands among hidden ones.
    pub hidden: bool,
}

impl MessageSchema {
    /// All messages of a set; `numbers` says which numbers one has.
    pub(crate) fn all<K: KindSet>(home: &'static str, numbers: impl Fn(K) -> String) -> Vec<Self> {
        let message = |kind: &K| MessageSchema { schema: kind.schema(), numbers: numbers(*kind), home, hidden: false };
        K::ALL.iter().map(message).collect()
    }
}

/// What there is to know of a format's recordings, from its declarations.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The game, and the format where the game has several.
    pub title: &'static str,
    /// What recordings of this format are, in a few words.
    pub about: &'static str,
    /// How to read types and conditions, in Markdown.
    pub intro: String,
    /// What stands around messages.
    pub statements: &'static [Statement],
    /// The messages.
    pub messages: Vec<MessageSchema>,
    /// In which protocols a field of a state may be [`Presence::Sent`], in words; empty: in all.
    pub sent: fn(&Schema, &FieldSchema) -> String,
}

impl Reference {
    /// For formats without tables of fields.
    pub(crate) const EVERYWHERE: fn(&Schema, &FieldSchema) -> String = |_, _| String::new();
}
