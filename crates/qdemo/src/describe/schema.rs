//! What declarations say about themselves, for documentation, JSON Schema and tools.

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
}

/// A wire type as documentation shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeSchema {
    /// Type on the wire: `u8`, `i16/8`, `string` ...
    pub wire: &'static str,
    /// Type in JSON: `integer`, `number`, `string`, `boolean`, or `array` of these (`number[3]`).
    pub json: &'static str,
    /// Unit of the shown value, empty for plain counts and numbers.
    pub unit: &'static str,
    /// For a value that text and JSON spread over several fields: their names and JSON types.
    pub parts: &'static [(&'static str, &'static str)],
    /// True when text and JSON leave the field out if it is empty.
    pub left_out_when_empty: bool,
}

impl TypeSchema {
    /// A type.
    pub const fn new(wire: &'static str, json: &'static str, unit: &'static str) -> Self {
        TypeSchema { wire, json, unit, parts: &[], left_out_when_empty: false }
    }

    /// The same, spread over several fields in text and JSON.
    #[must_use]
    pub const fn spread(self, parts: &'static [(&'static str, &'static str)]) -> Self {
        TypeSchema { parts, ..self }
    }

    /// The same, left out of text and JSON when empty.
    #[must_use]
    pub const fn left_out_when_empty(self) -> Self {
        TypeSchema { left_out_when_empty: true, ..self }
    }
}
