//! `qdemo schema`: the messages of a format, the tables and the JSON of all verbs, from the declarations that read and write them.

mod catalogue;
mod chapter;
mod conversions;
mod json;
mod lines;
mod markdown;
mod quake3;
mod tables;
mod text;

use std::sync::LazyLock;

use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use qdemo::FileKind;
use qdemo::table::{TABLES, Table};
use serde::Serialize;

use self::chapter::{Chapter, Entry};
use crate::exit::Exit;
use crate::session::Session;

/// Show the messages of a format: names, fields, types, units
///
/// The names are those of the text and of JSON. `conversions` shows what `convert` makes of what. `tables` shows the tables of `export` in the same way, `catalogue` those of `index`. `json` writes a JSON
/// Schema (draft 2020-12) of a line that a verb writes with `--json`; without a verb one document with those of all but
/// `decompile`, under `$defs/VERB`.
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
  qdemo schema conversions                 what `convert` makes of what, and what it may lose
  qdemo schema catalogue                   the SQL of the catalogue that `index` keeps
  qdemo schema json events > event.json    a JSON Schema of a line of `events --json`
  qdemo schema json > qdemo.json           the same of all verbs, under `$defs`
  qdemo schema --json-schema > demo.json   a JSON Schema of what `decompile --json` writes
  qdemo schema dm3 --markdown > messages.md")]
pub(crate) struct Args {
    /// The format, the tables of `export`, the conversions, the catalogue, or the JSON of all verbs; all formats when left out
    format: Option<Shown>,

    /// Messages, states, tables or verbs to show; all of them when left out
    #[arg(value_name = "MESSAGE", conflicts_with = "json_schema")]
    messages: Vec<String>,

    /// Write a JSON Schema (draft 2020-12) for the lines of `decompile --json`
    #[arg(long)]
    json_schema: bool,

    /// Write Markdown
    #[arg(long, conflicts_with = "json_schema")]
    markdown: bool,
}

/// What to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The messages of a format.
    Format(FileKind),
    /// What `export` writes.
    Tables,
    /// What `convert` makes of what.
    Conversions,
    /// The catalogue of `index`.
    Catalogue,
    /// What verbs write with `--json`.
    Json,
}

impl ValueEnum for Shown {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Shown>> = LazyLock::new(|| {
            FileKind::FORMATS
                .iter()
                .map(|kind| Shown::Format(*kind))
                .chain([Shown::Tables, Shown::Conversions, Shown::Catalogue, Shown::Json])
                .collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Shown::Format(kind) => PossibleValue::new(kind.name()).help(kind.reference()?.about),
            Shown::Tables => PossibleValue::new("tables").help("No format: what `export` writes"),
            Shown::Conversions => PossibleValue::new("conversions").help("No format: what `convert` makes of what"),
            Shown::Catalogue => {
                PossibleValue::new("catalogue").help("No format: the SQL of the catalogue that `index` keeps")
            }
            Shown::Json => PossibleValue::new("json").help("No format: JSON Schemas of what verbs write with `--json`"),
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let formats = match &args.format {
        Some(Shown::Tables) => return tables(args, session),
        Some(Shown::Conversions) => return conversions(args, session),
        Some(Shown::Catalogue) => return catalogue(args, session),
        Some(Shown::Json) => return lines(args, session),
        Some(Shown::Format(kind)) => std::slice::from_ref(kind),
        None => FileKind::FORMATS,
    };
    if args.json_schema {
        session.console.raw(format!("{:#}\n", json::schema(formats)).as_bytes())?;
        return Ok(Exit::Fine);
    }
    let mut chapters: Vec<_> = formats.iter().filter_map(|kind| Chapter::of(*kind)).collect();
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

fn conversions(args: &Args, session: &Session) -> Result<Exit> {
    if args.json_schema || !args.messages.is_empty() {
        bail!("conversions: they are shown as a whole, as text or with --markdown");
    }
    if args.markdown {
        session.console.raw(conversions::markdown().as_bytes())?;
    } else {
        session.console.show(conversions::text().as_bytes())?;
    }
    Ok(Exit::Fine)
}

fn catalogue(args: &Args, session: &Session) -> Result<Exit> {
    if args.json_schema || !args.messages.is_empty() {
        bail!("catalogue: it is shown as a whole, as SQL or with --markdown");
    }
    let text = if args.markdown { catalogue::markdown() } else { catalogue::text() };
    session.console.raw(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn lines(args: &Args, session: &Session) -> Result<Exit> {
    if args.json_schema || args.markdown {
        bail!("json: JSON Schemas have one form; leave out --json-schema and --markdown");
    }
    let schema = match args.messages.as_slice() {
        [] => lines::all(),
        [verb] => match lines::of(verb) {
            Some(schema) => schema,
            None => bail!("{verb}: there is no such verb with --json; one of {}", lines::verbs().join(", ")),
        },
        _ => bail!("json: name one verb, or none for all of them"),
    };
    // The document is large: one blank for each step.
    let (mut out, form) = (Vec::new(), serde_json::ser::PrettyFormatter::with_indent(b" "));
    schema.serialize(&mut serde_json::Serializer::with_formatter(&mut out, form))?;
    out.push(b'\n');
    session.console.raw(&out)?;
    Ok(Exit::Fine)
}
