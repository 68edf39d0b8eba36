//! `qdemo find`: asking a catalogue.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ValueEnum, ValueHint};
use qdemo::table::{DEMOS, Table, Values};
use qdemo_catalogue::{Catalogue, KEYS, QueryError, Search, Sort, Told, ValueRef, schema, told};
use serde_json::{Map, Value};

use crate::console::Note;
use crate::exit::Exit;
use crate::index::DB;
use crate::json_line::json_line;
use crate::rows::io_error;
use crate::session::Session;
use crate::show::{Safe, clock_ms};
use crate::table::Table as Sheet;

/// Find demos in a catalogue that `index` made
///
/// A query is made of words, which names, maps, paths and chat are searched for, and of `key:value`; all of it must be true. `-`
/// in front says no, OR stands between alternatives, (parentheses) and "quotes" keep together. Numbers and dates are compared
/// with `:`, `<`, `>`, `<=`, `>=`; `key:from..to` is a range. In texts `*` and `?` stand for anything. What stands behind
/// `player:` is about that player. A query that begins with `-` stands behind `--`, so that it is no option.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   1 nothing was found   2 the query cannot be read, or the catalogue cannot

Examples:
  qdemo find                                    all that is there, the newest first
  qdemo find player:sarge weapon:rocket         demos in which this player killed with rockets
  qdemo find 'player:sarge frags>20 map:dm*'
  qdemo find 'chat:\"good game\" -game:quake2'
  qdemo find -- -game:quake2
  qdemo find 'after:2024-01 length>10m (dm3 OR dm6)'
  qdemo find highlight:midair --show highlights
  qdemo find --db all.sqlite copies\\>1 --sort sha256 --csv
  qdemo find game:quake3 --paths0 | xargs -0 qdemo verify
  qdemo find --keys                             what may be asked for")]
pub(crate) struct Args {
    /// The query; several arguments are one query, with blanks between. All that is there when left out
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    /// The catalogue
    #[arg(long, value_name = "FILE", default_value = DB, value_hint = ValueHint::FilePath)]
    db: PathBuf,

    /// Rows of this table in place of demos: those that the query asks for
    #[arg(long, value_name = "TABLE", value_parser = tables(), conflicts_with_all = ["paths", "paths0", "count"])]
    show: Option<&'static Table>,

    /// The order
    #[arg(long, value_enum, default_value_t = Order::Date)]
    sort: Order,

    /// The other way round
    #[arg(long)]
    reverse: bool,

    /// So many at most
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Write one JSON object a line
    #[arg(long, group = "form")]
    json: bool,

    /// Write CSV
    #[arg(long, group = "form")]
    csv: bool,

    /// Write the paths alone, a line each
    #[arg(long, group = "form")]
    paths: bool,

    /// Write the paths alone, with a zero byte behind each, for `xargs -0`
    #[arg(short = '0', long, group = "form")]
    paths0: bool,

    /// Write how many there are
    #[arg(long, group = "form")]
    count: bool,

    /// List the keys of queries
    #[arg(long, group = "form")]
    keys: bool,
}

/// An order of recordings.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Order {
    /// The newest first
    Date,
    /// By path
    File,
    /// The longest first
    Length,
    /// The largest first
    Size,
    /// Those with the most players first
    Players,
    /// Those that are the same together
    Sha256,
}

impl From<Order> for Sort {
    fn from(order: Order) -> Self {
        match order {
            Order::Date => Sort::Date,
            Order::File => Sort::File,
            Order::Length => Sort::Length,
            Order::Size => Sort::Size,
            Order::Players => Sort::Players,
            Order::Sha256 => Sort::Sha256,
        }
    }
}

fn tables() -> impl TypedValueParser<Value = &'static Table> {
    let values = schema::TABLES.iter().map(|table| PossibleValue::new(table.name).help(table.doc));
    PossibleValuesParser::new(values).try_map(|name| Table::by_name(&name).ok_or("no such table"))
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    if args.keys {
        session.console.show(keys().as_bytes())?;
        return Ok(Exit::Fine);
    }
    match ask(args, session) {
        Err(e) => match e.downcast_ref::<QueryError>() {
            Some(wrong) => {
                session.console.note(&Note::Error(wrong.to_string(), Some(wrong.details())));
                Ok(Exit::Error)
            }
            None => Err(e),
        },
        found => found,
    }
}

fn ask(args: &Args, session: &Session) -> Result<Exit> {
    let catalogue = Catalogue::open(&args.db)?;
    let search =
        Search { query: args.query.join(" "), sort: args.sort.into(), reverse: args.reverse, limit: args.limit };
    let found = match (args.count, args.paths || args.paths0) {
        (true, _) => {
            let count = catalogue.count(&search)?;
            session.console.raw(format!("{count}\n").as_bytes())?;
            count
        }
        (_, true) => paths(&catalogue, &search, args.paths0)?,
        _ => rows(&catalogue, &search, args, session)?,
    };
    Ok(if found == 0 { Exit::No } else { Exit::Fine })
}

fn paths(catalogue: &Catalogue, search: &Search, zero: bool) -> Result<u64> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let end: &[u8] = if zero { b"\0" } else { b"\n" };
    let found = catalogue.paths(search, |path| {
        out.write_all(path.as_os_str().as_encoded_bytes())?;
        Ok(out.write_all(end)?)
    })?;
    out.flush()?;
    Ok(found)
}

fn rows(catalogue: &Catalogue, search: &Search, args: &Args, session: &Session) -> Result<u64> {
    let table = args.show.unwrap_or(&DEMOS);
    let columns = told(table);
    if args.json || args.csv {
        let out = std::io::BufWriter::new(std::io::stdout().lock());
        return if args.json {
            lines(catalogue, search, table, &columns, out)
        } else {
            csv(catalogue, search, table, &columns, out)
        };
    }
    match std::ptr::eq(table, &DEMOS) {
        true => demos(catalogue, search, &columns, session),
        false => others(catalogue, search, table, &columns, session),
    }
}

/// Demos for people, a line each, with the path at its end, however long that is.
fn demos(catalogue: &Catalogue, search: &Search, columns: &[Told], session: &Session) -> Result<u64> {
    const SHOWN: [(&str, &str); 5] =
        [("Date", "date"), ("Game", "game"), ("Map", "map"), (">Length", "length_ms"), ("Players", "names")];
    let place = |name: &str| columns.iter().position(|column| column.name() == name);
    let shown = SHOWN.map(|(_, name)| place(name));
    let mut sheet = Sheet::new(&SHOWN.map(|(heading, _)| heading));
    let mut files = vec!["File".to_owned()];
    let found = catalogue.find(search, &DEMOS, |values| {
        let cell =
            |at: Option<usize>| at.and_then(|at| Some(cell(columns.get(at)?, *values.get(at)?))).unwrap_or_default();
        sheet.row(shown.map(|at| short(cell(at))));
        let (file, error) = (cell(place("file")), cell(place("error")));
        files.push(match error.starts_with(&file) {
            true => error,
            false if error.is_empty() => file,
            false => format!("{file}: {error}"),
        });
        Ok(())
    })?;
    if found > 0 {
        let mut out = String::new();
        sheet.write_beside(&files, &mut out);
        session.console.show(out.as_bytes())?;
    }
    Ok(found)
}

/// A cell that leaves room for others.
fn short(cell: String) -> String {
    const MOST: usize = 32;
    match cell.chars().count() {
        0..=MOST => cell,
        _ => cell.chars().take(MOST - 3).chain("...".chars()).collect(),
    }
}

/// Rows of another table for people.
fn others(
    catalogue: &Catalogue,
    search: &Search,
    table: &'static Table,
    columns: &[Told],
    session: &Session,
) -> Result<u64> {
    let (mut sheet, shown) = sheet(columns);
    let found = catalogue.find(search, table, |values| {
        sheet.row(
            shown
                .iter()
                .map(|at| columns.get(*at).zip(values.get(*at)).map(|(it, v)| cell(it, *v)).unwrap_or_default()),
        );
        Ok(())
    })?;
    if found > 0 {
        let mut out = String::new();
        sheet.without_empty_columns().write(&mut out, 0);
        session.console.show(out.as_bytes())?;
    }
    Ok(found)
}

/// An empty table for people, and which columns stand in it.
fn sheet(columns: &[Told]) -> (Sheet, Vec<usize>) {
    let is_number = |column: &Told| match column {
        Told::Column(column) => matches!(column.values, Values::Integer(_) | Values::Number(_) | Values::Seconds(_)),
        Told::Added(_) => false,
    };
    let heading = |column: &Told| format!("{}{}", if is_number(column) { ">" } else { "" }, column.name());
    let raw = |column: &Told| matches!(column, Told::Column(column) if matches!(column.values, Values::Raw(_)));
    let shown: Vec<_> = (0..columns.len()).filter(|at| columns.get(*at).is_some_and(|column| !raw(column))).collect();
    let headings: Vec<_> = shown.iter().filter_map(|at| columns.get(*at)).map(heading).collect();
    (Sheet::new(&headings), shown)
}

/// A value for people.
fn cell(column: &Told, value: ValueRef<'_>) -> String {
    match (value, column) {
        (ValueRef::Integer(ms), Told::Column(column)) if column.unit == "ms" && column.name != "ping" => {
            clock_ms(Some(ms))
        }
        (ValueRef::Text(text), _) => Safe(&String::from_utf8_lossy(text)).to_string(),
        (value, column) => plain(column, value),
    }
}

/// A value as it stands in CSV.
fn plain(column: &Told, value: ValueRef<'_>) -> String {
    let values = match column {
        Told::Column(column) => Some(column.values),
        Told::Added(_) => None,
    };
    match (value, values) {
        (ValueRef::Integer(v), Some(Values::Boolean(_))) => (v != 0).to_string(),
        (ValueRef::Integer(v), _) => v.to_string(),
        // Always with a point.
        (ValueRef::Real(v), _) => format!("{v:?}"),
        (ValueRef::Text(text), Some(Values::Raw(_))) => escaped(&String::from_utf8_lossy(text)),
        (ValueRef::Text(text), _) => String::from_utf8_lossy(text).into_owned(),
        (ValueRef::Null | ValueRef::Blob(_), _) => String::new(),
    }
}

/// Raw text as CSV has it everywhere.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let _ = match c {
            '\\' => out.write_str("\\\\"),
            c if c.is_control() => write!(out, "\\u{:04x}", u32::from(c)),
            c => out.write_char(c),
        };
    }
    out
}

fn csv(
    catalogue: &Catalogue,
    search: &Search,
    table: &'static Table,
    columns: &[Told],
    out: impl std::io::Write,
) -> Result<u64> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(columns.iter().map(Told::name)).map_err(io_error)?;
    let found = catalogue.find(search, table, |values| {
        let record = columns.iter().zip(values).map(|(column, value)| plain(column, *value));
        Ok(out.write_record(record).map_err(io_error)?)
    })?;
    out.flush()?;
    Ok(found)
}

fn lines(
    catalogue: &Catalogue,
    search: &Search,
    table: &'static Table,
    columns: &[Told],
    mut out: impl std::io::Write,
) -> Result<u64> {
    let found = catalogue.find(search, table, |values| {
        let mut line = Map::new();
        for (column, value) in columns.iter().zip(values) {
            if let Some(value) = json(column, *value) {
                line.insert(column.name().to_owned(), value);
            }
        }
        Ok(writeln!(out, "{}", json_line(&Value::Object(line)))?)
    })?;
    out.flush()?;
    Ok(found)
}

fn json(column: &Told, value: ValueRef<'_>) -> Option<Value> {
    Some(match (value, column) {
        (ValueRef::Integer(v), Told::Column(column)) if matches!(column.values, Values::Boolean(_)) => (v != 0).into(),
        (ValueRef::Integer(v), _) => v.into(),
        (ValueRef::Real(v), _) => v.into(),
        (ValueRef::Text(text), _) => String::from_utf8_lossy(text).into(),
        (ValueRef::Null | ValueRef::Blob(_), _) => return None,
    })
}

/// The keys of queries, for people.
fn keys() -> String {
    let mut sheet = Sheet::new(&["Key", "Example", "Meaning"]);
    for key in KEYS {
        let names = std::iter::once(key.name).chain(key.aliases.iter().copied()).collect::<Vec<_>>().join(", ");
        sheet.row([names, key.example.to_owned(), key.doc.replace('`', "")]);
    }
    let mut out = String::new();
    sheet.write(&mut out, 0);
    out
}
