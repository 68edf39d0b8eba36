//! The reference of a format: its statements, messages and states, with a row for each field.

use qdemo::FileKind;
use qdemo::describe::{FieldSchema, Holds, Presence, Reference, Schema, Statement};

use super::quake3;

/// A format and its messages.
pub(super) struct Chapter {
    pub(super) title: String,
    /// How to read the types and conditions, in Markdown.
    pub(super) intro: String,
    pub(super) entries: Vec<Entry>,
    /// Tables behind the messages, in Markdown.
    pub(super) appendix: String,
}

/// A message, what stands around it, or a state within messages.
pub(super) struct Entry {
    pub(super) schema: Schema,
    /// Its number, or what it is else.
    pub(super) what: String,
    pub(super) rows: Vec<Row>,
}

/// A field.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) wire: &'static str,
    pub(super) present: String,
    pub(super) unit: &'static str,
    pub(super) meaning: String,
}

impl Chapter {
    pub(super) fn of(kind: FileKind) -> Option<Self> {
        let reference = kind.reference()?;
        let mut entries = Vec::new();
        for statement in reference.statements.iter().filter(|statement| !statement.what.is_empty()) {
            entries.push(Entry::around(statement, &reference));
            for field in fields(statement) {
                if let Holds::Object(inner) = field.ty.holds {
                    entries.push(Entry::around(inner, &reference));
                }
            }
        }
        let told: Vec<_> = reference.messages.iter().filter(|message| !message.numbers.is_empty()).collect();
        let mut states: Vec<&Statement> = Vec::new();
        let mut braced: Vec<&Statement> = Vec::new();
        for (n, message) in told.iter().enumerate() {
            entries.push(Entry::new(*message.schema, message.numbers.clone(), &reference));
            for (field, inner) in within(message.schema) {
                let is_same = |other: &&Statement| other.schema.doc == inner.schema.doc;
                let shown = match field.ty.holds {
                    _ if inner.state => {
                        if !states.iter().any(is_same) {
                            states.push(inner);
                        }
                        continue;
                    }
                    // A message by itself has its own entry, and what stands within several messages one behind the last.
                    Holds::Messages(_) => {
                        let later = told.iter().skip(n + 1).any(|other| holds(other.schema, inner));
                        later || told.iter().any(|other| other.schema.name == inner.schema.name)
                    }
                    _ => braced.iter().any(is_same),
                };
                if !shown {
                    braced.push(inner);
                    let listed = matches!(field.ty.holds, Holds::Messages(_));
                    let all = told.iter().map(|other| other.schema).filter(|other| listed && holds(other, inner));
                    let mut names: Vec<_> = all.map(|schema| schema.name).collect();
                    if !listed {
                        names.push(message.schema.name);
                    }
                    entries.push(Entry::new(named(inner, field), place(inner, field, &names), &reference));
                }
            }
        }
        entries.extend(states.iter().map(|state| Entry::new(state.schema, state.what.to_owned(), &reference)));
        let appendix = if kind == FileKind::Dm3 { quake3::all() } else { String::new() };
        Some(Chapter {
            title: format!("{} ({})", reference.title, kind.name()),
            intro: reference.intro,
            entries,
            appendix,
        })
    }
}

/// True for a message that holds a statement.
fn holds(schema: &Schema, inner: &Statement) -> bool {
    within(schema).any(|(_, other)| other.schema.doc == inner.schema.doc)
}

/// Where something stands that is within messages, in words.
fn place(inner: &Statement, field: &FieldSchema, messages: &[&str]) -> String {
    let mut place = match inner.what {
        "" => format!("Within {}", messages.join(" and ")),
        what => what.to_owned(),
    };
    if let Holds::List(_) = field.ty.holds {
        place.push_str(&format!(", in its list {}", field.name));
    }
    if let Some(behind) = inner.behind {
        place.push_str(&format!("; behind it the fields of {}", behind.name));
    }
    place
}

/// What stands in braces or lists within a message, or in its place in JSON among the messages, with the field that says so.
fn within(schema: &Schema) -> impl Iterator<Item = (&'static FieldSchema, &'static Statement)> {
    schema.fields().flat_map(|field| {
        let one: Vec<&'static Statement> = match field.ty.holds {
            Holds::Object(inner) | Holds::List(inner) => vec![inner],
            Holds::Messages(inner) => inner.to_vec(),
            _ => Vec::new(),
        };
        one.into_iter().map(move |inner| (field, inner))
    })
}

/// The schema of what a field holds; without a name of its own it has that of the field.
pub(super) fn named(statement: &Statement, field: &FieldSchema) -> Schema {
    let name = if statement.schema.name.is_empty() { field.name } else { statement.schema.name };
    Schema { name, ..statement.schema }
}

/// The fields of a statement: its own, or those of its alternatives, each once.
fn fields(statement: &Statement) -> Vec<&'static FieldSchema> {
    let mut all: Vec<_> = statement.schema.fields().collect();
    for field in statement.alternatives.iter().flat_map(|alternative| alternative.fields()) {
        if statement.schema.fields.is_empty() && !all.iter().any(|other| other.name == field.name) {
            all.push(field);
        }
    }
    all
}

impl Entry {
    /// A message or state with its fields as declared.
    fn new(schema: Schema, what: String, reference: &Reference) -> Self {
        Entry::of(schema, schema.fields().collect(), what, reference)
    }

    /// What stands around messages.
    fn around(statement: &Statement, reference: &Reference) -> Self {
        Entry::of(statement.schema, fields(statement), statement.what.to_owned(), reference)
    }

    fn of(schema: Schema, fields: Vec<&'static FieldSchema>, what: String, reference: &Reference) -> Self {
        let with_those_beside = fields.iter().flat_map(|field| [*field].into_iter().chain(field.ty.beside));
        let mut rows: Vec<_> = with_those_beside
            .filter(|field| !field.doc.is_empty())
            .map(|field| Row::new(&schema, field, (reference.sent)(&schema, field)))
            .collect();
        if schema.masked {
            let (name, meaning) = ("mask_extra".to_owned(), MASK_EXTRA.to_owned());
            rows.push(Row { name, wire: "", present: String::new(), unit: "", meaning });
        }
        Entry { schema, what, rows }
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.schema.name == name || self.schema.lmpc == Some(name)
    }

    /// What LMPC calls it, in brackets behind its name, when that differs.
    pub(super) fn old_name(&self) -> String {
        lmpc(self.schema.name, self.schema.lmpc)
    }
}

impl Row {
    fn new(message: &Schema, field: &FieldSchema, sent: String) -> Self {
        let mut meaning = one_line(field.doc);
        if !field.ty.parts.is_empty() {
            let names: Vec<_> = field.ty.parts.iter().map(|(name, _)| *name).collect();
            meaning.push_str(&format!(" Shown as {}.", names.join(", ")));
        }
        // LMPC has no words for what is unusual.
        if message.lmpc.is_some() && field.presence != Presence::Unusual {
            meaning.push_str(&lmpc(field.name, field.lmpc));
        }
        let name = match field.ty.holds {
            Holds::Each(_) => format!("{}[N]", field.name),
            _ => field.name.to_owned(),
        };
        Row { name, wire: field.ty.wire, present: presence(field, sent), unit: field.ty.unit, meaning }
    }
}

/// What the field says that every message with a mask has.
pub(super) const MASK_EXTRA: &str = "Mask bits that differ from those a normal engine sets; only there when some do.";

/// When a field is there, in words.
fn presence(field: &FieldSchema, sent: String) -> String {
    match field.presence {
        Presence::Always => "always".to_owned(),
        Presence::Bit(n) => format!("mask bit {n}"),
        Presence::Flag(n) => format!("flag bit {n}"),
        Presence::Wide(n) => format!("always; wide: bit {n}"),
        Presence::Selected => "selected".to_owned(),
        Presence::Sent if sent.is_empty() => "sent".to_owned(),
        Presence::Sent => format!("sent; {sent}"),
        Presence::Unusual => "unusual".to_owned(),
    }
}

/// What LMPC calls something, when that differs, as a remark in brackets.
fn lmpc(name: &str, lmpc: Option<&str>) -> String {
    match lmpc {
        Some(old) if old == name => String::new(),
        Some(old) => format!(" (LMPC: {old})"),
        None => " (not in LMPC)".to_owned(),
    }
}

/// A doc line without its line breaks.
pub(super) fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
