//! `qdemo schema`: the messages of a format, from the declarations that read and write them.

mod dem;
mod dm2;
mod dm3;
mod json;
mod markdown;
mod mvd2;
mod quakeworld;
mod tables;
mod text;

use anyhow::{Result, bail};
use clap::ValueEnum;
use qdemo::describe::{FieldSchema, Presence, Schema};
use qdemo::table::{TABLES, Table};

use crate::exit::Exit;
use crate::session::Session;

/// Show the messages of a format: names, fields, types, units
///
/// The names are those of the text and of JSON. `tables` shows the tables of `export` in the same way.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  qdemo schema
  qdemo schema dem updateentity            one message
  qdemo schema qwd playerinfo              one of QuakeWorld; mvd has those of multi-view demos
  qdemo schema mvd2 player                 one of multi-view demos of Quake II
  qdemo schema dm2 playerinfo              one of Quake II
  qdemo schema dm3 snapshot entity         one of Quake III, and the state of an entity in it
  qdemo schema tables positions            the columns of a table that `export` writes
  qdemo schema --json-schema > demo.json   a JSON Schema of what `decompile --json` writes
  qdemo schema dm3 --markdown > messages.md")]
pub(crate) struct Args {
    /// The format, or the tables of `export`; all formats when left out
    format: Option<Format>,

    /// Messages, states or tables to show; all of them when left out
    #[arg(value_name = "MESSAGE", conflicts_with = "json_schema")]
    messages: Vec<String>,

    /// Write a JSON Schema (draft 2020-12) for the lines of `decompile --json`
    #[arg(long)]
    json_schema: bool,

    /// Write Markdown
    #[arg(long, conflicts_with = "json_schema")]
    markdown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Quake
    Dem,
    /// QuakeWorld, as a client recorded it
    Qwd,
    /// QuakeWorld, as a server recorded it
    Mvd,
    /// Quake II
    Dm2,
    /// Quake II, as a server of Q2PRO recorded it
    Mvd2,
    /// Quake III Arena and its family: .dm3, .dm_68 and the like
    Dm3,
    /// No format: what `export` writes
    Tables,
}

/// A format and its messages.
struct Chapter {
    title: &'static str,
    /// How to read the types and conditions, in Markdown.
    intro: String,
    entries: Vec<Entry>,
    /// Tables behind the messages, in Markdown.
    appendix: String,
}

/// A message, or a state within messages.
struct Entry {
    schema: &'static Schema,
    /// Its number, or what it is else.
    what: String,
    rows: Vec<Row>,
}

/// A field.
struct Row {
    name: &'static str,
    wire: &'static str,
    present: String,
    unit: &'static str,
    meaning: String,
}

impl Entry {
    /// A message with its fields as declared.
    fn new(schema: &'static Schema, what: String) -> Self {
        let row = |field: &FieldSchema| Row::new(schema, field, presence(field));
        let mut rows: Vec<_> = schema.fields().map(row).collect();
        if schema.masked {
            let meaning = MASK_EXTRA.to_owned();
            rows.push(Row { name: "mask_extra", wire: "", present: String::new(), unit: "", meaning });
        }
        Entry { schema, what, rows }
    }

    fn is_called(&self, name: &str) -> bool {
        self.schema.name == name || self.schema.lmpc == Some(name)
    }

    /// What LMPC calls it, in brackets behind its name, when that differs.
    fn old_name(&self) -> String {
        lmpc(self.schema.name, self.schema.lmpc)
    }
}

impl Row {
    fn new(message: &Schema, field: &FieldSchema, present: String) -> Self {
        let mut meaning = meaning(field);
        if message.lmpc.is_some() {
            meaning.push_str(&lmpc(field.name, field.lmpc));
        }
        Row { name: field.name, wire: field.ty.wire, present, unit: field.ty.unit, meaning }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    if args.format == Some(Format::Tables) {
        return tables(args, session);
    }
    let all = || Format::value_variants().iter().copied().filter(|format| *format != Format::Tables).collect();
    let formats = args.format.map_or_else(all, |format| vec![format]);
    if args.json_schema {
        session.console.raw(format!("{:#}\n", json::schema(&formats)).as_bytes())?;
        return Ok(Exit::Fine);
    }
    let mut chapters: Vec<_> = formats.iter().filter_map(|format| chapter(*format)).collect();
    for name in &args.messages {
        if !chapters.iter().flat_map(|c| &c.entries).any(|e| e.is_called(name)) {
            bail!("{name}: there is no such message; `qdemo schema` lists them");
        }
    }
    if !args.messages.is_empty() {
        let asked = |e: &Entry| args.messages.iter().any(|name| e.is_called(name));
        chapters.iter_mut().for_each(|c| c.entries.retain(asked));
        chapters.iter_mut().for_each(|c| c.appendix.clear());
        chapters.retain(|c| !c.entries.is_empty());
    }
    if args.markdown {
        session.console.raw(markdown::reference(&chapters).as_bytes())?;
    } else {
        session.console.show(text::reference(&chapters).as_bytes())?;
    }
    Ok(Exit::Fine)
}

fn tables(args: &Args, session: &Session) -> Result<Exit> {
    if args.json_schema {
        bail!("tables: the JSON Schema is about `decompile --json`; leave out --json-schema, or name a format");
    }
    for name in &args.messages {
        if !TABLES.iter().any(|table| table.name == name) {
            bail!("{name}: there is no such table; `qdemo schema tables` lists them");
        }
    }
    let asked = |table: &&&Table| args.messages.is_empty() || args.messages.iter().any(|name| table.name == name);
    let asked: Vec<_> = TABLES.iter().filter(asked).copied().collect();
    if args.markdown {
        session.console.raw(tables::markdown(&asked).as_bytes())?;
    } else {
        session.console.show(tables::text(&asked).as_bytes())?;
    }
    Ok(Exit::Fine)
}

fn chapter(format: Format) -> Option<Chapter> {
    Some(match format {
        Format::Dem => dem::chapter(),
        Format::Qwd => quakeworld::qwd(),
        Format::Mvd => quakeworld::mvd(),
        Format::Dm2 => dm2::chapter(),
        Format::Mvd2 => mvd2::chapter(),
        Format::Dm3 => dm3::chapter(),
        Format::Tables => return None,
    })
}

/// What the field says that every message with a mask has.
const MASK_EXTRA: &str = "Mask bits that differ from those a normal engine sets; only there when some do.";

/// When a field is there, in words.
fn presence(field: &FieldSchema) -> String {
    match field.presence {
        Presence::Always => "always".to_owned(),
        Presence::Bit(n) => format!("mask bit {n}"),
        Presence::Flag(n) => format!("flag bit {n}"),
        Presence::Wide(n) => format!("always; wide: bit {n}"),
        Presence::Selected => "selected".to_owned(),
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

/// What a field means, and under which names text and JSON show it if they are others.
fn meaning(field: &FieldSchema) -> String {
    let mut doc = one_line(field.doc);
    if !field.ty.parts.is_empty() {
        let names: Vec<_> = field.ty.parts.iter().map(|(name, _)| *name).collect();
        doc.push_str(&format!(" Shown as {}.", names.join(", ")));
    }
    doc
}

/// A doc line without its line breaks.
fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
