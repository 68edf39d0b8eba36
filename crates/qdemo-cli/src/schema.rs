//! `qdemo schema`: the messages of a format, from the declarations that read and write them.

mod json;
mod markdown;
mod text;

use anyhow::{Result, bail};
use clap::ValueEnum;
use qdemo::describe::{FieldSchema, Presence, Schema};
use qdemo::dialect::number_of;
use qdemo::format::dem;

use crate::exit::Exit;
use crate::session::Session;

/// Show the messages of a format: names, fields, types, units
///
/// The names are those of the text and of JSON.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  qdemo schema
  qdemo schema dem updateentity           one message
  qdemo schema --json-schema > dem.json   a JSON Schema of what `decompile --json` writes
  qdemo schema --markdown > messages.md")]
pub(crate) struct Args {
    /// The format; all of them when left out
    format: Option<Format>,

    /// Messages to show; all of them when left out
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
}

/// A format and its messages.
struct Chapter {
    title: &'static str,
    messages: Vec<&'static Schema>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let formats = args.format.map_or_else(|| Format::value_variants().to_vec(), |format| vec![format]);
    let mut chapters: Vec<_> = formats.into_iter().map(chapter).collect();
    for name in &args.messages {
        if !chapters.iter().flat_map(|c| &c.messages).any(|m| is_called(m, name)) {
            bail!("{name}: there is no such message; `qdemo schema` lists them");
        }
    }
    if !args.messages.is_empty() {
        let asked = |m: &&Schema| args.messages.iter().any(|name| is_called(m, name));
        chapters.iter_mut().for_each(|c| c.messages.retain(asked));
    }
    if args.json_schema {
        session.console.raw(format!("{:#}\n", json::schema()).as_bytes())?;
    } else if args.markdown {
        session.console.raw(markdown::reference(&chapters).as_bytes())?;
    } else {
        session.console.show(text::reference(&chapters).as_bytes())?;
    }
    Ok(Exit::Fine)
}

fn chapter(format: Format) -> Chapter {
    match format {
        Format::Dem => {
            Chapter { title: "Quake (dem)", messages: dem::Kind::ALL.iter().map(|kind| kind.schema()).collect() }
        }
    }
}

fn is_called(message: &Schema, name: &str) -> bool {
    message.name == name || message.lmpc == Some(name)
}

/// What the field says that every message with a mask has.
const MASK_EXTRA: &str = "Mask bits that differ from those a normal engine sets; only there when some do.";

/// The number of a message, and the dialect that brought it.
fn number(name: &str) -> String {
    match dem::Kind::by_name(name.as_bytes()).and_then(number_of) {
        Some((0x80, _)) => "Number 128 and above".to_owned(),
        Some((number, "quake")) => format!("Number {number}"),
        Some((number, dialect)) => format!("Number {number} in {dialect}"),
        None => String::new(),
    }
}

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

/// What LMPC calls something, when that differs.
fn lmpc(name: &str, lmpc: Option<&str>) -> Option<String> {
    match lmpc {
        Some(old) if old == name => None,
        Some(old) => Some(format!("LMPC: {old}")),
        None => Some("not in LMPC".to_owned()),
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
