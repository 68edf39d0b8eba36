//! Asking a catalogue.

use std::path::PathBuf;

use anyhow::Result;
use qdemo::table::{Column, DEMOS, Table};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};

use crate::database::Catalogue;
use crate::index::of_bytes;
use crate::query::normal::normal;
use crate::query::parse::{Node, parse};
use crate::query::sql::{Condition, Maker, VANISHED};
use crate::schema::{Added, OF_DEMOS, columns, is};

/// What is looked for, and how it is told.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// In the query language; an empty one finds all that is there.
    pub query: String,
    /// The order of recordings.
    pub sort: Sort,
    /// The other way round.
    pub reverse: bool,
    /// So many rows at most.
    pub limit: Option<u64>,
}

/// An order of recordings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// The newest first.
    #[default]
    Date,
    /// By path.
    File,
    /// The longest first.
    Length,
    /// The largest first.
    Size,
    /// Those with the most players first.
    Players,
    /// Those that are the same together.
    Sha256,
}

impl Sort {
    fn sql(self, reverse: bool) -> String {
        let (column, down) = match self {
            Sort::Date => ("date", true),
            Sort::File => ("file", false),
            Sort::Length => ("length_ms", true),
            Sort::Size => ("bytes", true),
            Sort::Players => ("players", true),
            Sort::Sha256 => ("sha256", false),
        };
        let way = if down != reverse { "DESC" } else { "ASC" };
        // What is not known comes last, whichever way; of every recording there is a date.
        let nulls = if self == Sort::Date || down && !reverse { "" } else { " NULLS LAST" };
        format!("d.{column} {way}{nulls}, d.id")
    }
}

/// A column of what was found.
#[derive(Debug, Clone, Copy)]
pub enum Told {
    /// One that a catalogue adds.
    Added(Added),
    /// One of a table.
    Column(&'static Column),
}

impl Told {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Told::Added(added) => added.name,
            Told::Column(column) => column.name,
        }
    }
}

/// The columns of what is found, by the table of which it is rows.
pub fn told(table: &'static Table) -> Vec<Told> {
    let added: &[&str] = if is(table, &DEMOS) { &["file", "date", "date_from"] } else { &["file"] };
    let front = OF_DEMOS.iter().filter(|it| added.contains(&it.name)).map(|it| Told::Added(*it));
    front.chain(columns(table).map(Told::Column)).collect()
}

impl Catalogue {
    /// How many recordings are found.
    ///
    /// # Errors
    /// A query that cannot be read ([`QueryError`](crate::QueryError)), and what the database gives.
    pub fn count(&self, search: &Search) -> Result<u64> {
        let Condition { sql, values } = Made::of(search)?.demos;
        let sql = format!("SELECT count(*) FROM demos d WHERE {sql}");
        let count: i64 = self.connection().query_row(&sql, params_from_iter(values), |row| row.get(0))?;
        Ok(count.try_into().unwrap_or_default())
    }

    /// Hands out what is found: recordings, or the rows of another table in these that the query asks for. Values stand in the order
    /// of [`told`].
    ///
    /// # Errors
    /// Likewise, and what `take` gives.
    pub fn find(
        &self,
        search: &Search,
        table: &'static Table,
        mut take: impl FnMut(&[ValueRef<'_>]) -> Result<()>,
    ) -> Result<u64> {
        let made = Made::of(search)?;
        let of_demos = is(table, &DEMOS);
        let names = told(table).into_iter().map(|told| match told {
            Told::Added(added) => format!("d.\"{}\"", added.name),
            Told::Column(column) if of_demos => format!("d.\"{}\"", column.name),
            Told::Column(column) => format!("r.\"{}\"", column.name),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let count = told(table).len();
        let order = search.sort.sql(search.reverse);
        let limit = limit(search);
        let (sql, values) = match of_demos {
            true => (ordered(&names, &made.demos.sql, search), made.demos.values),
            false => {
                let rows = Maker { query: &search.query }.rows(&made.node, table.name)?;
                let all = Condition::all([made.demos, rows]);
                let from = format!("demos d CROSS JOIN {} r ON r.demo = d.id", table.name);
                (format!("SELECT {names} FROM {from} WHERE {} ORDER BY {order}, r.row {limit}", all.sql), all.values)
            }
        };
        each(self.connection(), &sql, values, |row| {
            let values = (0..count).map(|at| row.get_ref(at)).collect::<rusqlite::Result<Vec<_>>>()?;
            take(&values)
        })
    }

    /// Hands out the paths of recordings, as the system has them; behind that of a container stands the name in it.
    ///
    /// # Errors
    /// Likewise.
    pub fn paths(&self, search: &Search, mut take: impl FnMut(PathBuf) -> Result<()>) -> Result<u64> {
        let made = Made::of(search)?;
        let names = "d.file, (SELECT f.path FROM files f WHERE f.id = d.file_id AND f.raw IS NOT NULL), \
            (SELECT f.raw FROM files f WHERE f.id = d.file_id)";
        let sql = ordered(names, &made.demos.sql, search);
        each(self.connection(), &sql, made.demos.values, |row| {
            let (file, key): (String, Option<String>) = (row.get(0)?, row.get(1)?);
            let Some(key) = key else { return take(PathBuf::from(file)) };
            let mut raw: Vec<u8> = row.get(2)?;
            raw.extend_from_slice(file.strip_prefix(&key).unwrap_or_default().as_bytes());
            take(of_bytes(raw))
        })
    }
}

/// Rows of `demos` in order.
fn ordered(names: &str, condition: &str, search: &Search) -> String {
    let order = search.sort.sql(search.reverse);
    if search.limit.is_none() {
        return format!("SELECT {names} FROM demos d WHERE {condition} ORDER BY {order}");
    }
    // The first few are found by walking along the dates: so many others need not be put in order.
    let by = if search.sort == Sort::Date { "INDEXED BY demos_by_date" } else { "" };
    // Numbers are put in order first, so that long rows need not be; a join keeps no order of what it joins.
    format!(
        "SELECT {names} FROM (SELECT d.id AS found FROM demos d {by} WHERE {condition} ORDER BY {order} {}) \
         CROSS JOIN demos d ON d.id = found ORDER BY {order}",
        limit(search)
    )
}

fn limit(search: &Search) -> String {
    search.limit.map(|limit| format!("LIMIT {limit}")).unwrap_or_default()
}

fn each(
    connection: &Connection,
    sql: &str,
    values: Vec<Value>,
    mut take: impl FnMut(&rusqlite::Row<'_>) -> Result<()>,
) -> Result<u64> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        take(row)?;
        count += 1;
    }
    Ok(count)
}

/// A query that was read.
struct Made {
    node: Node,
    demos: Condition,
}

impl Made {
    fn of(search: &Search) -> Result<Made> {
        let node = normal(&search.query, &parse(&search.query)?)?;
        let mut demos = Maker { query: &search.query }.of(&node)?;
        if !asks_vanished(&node) {
            let there = Condition { sql: format!("NOT {VANISHED}"), values: Vec::new() };
            demos = Condition::all([demos, there]);
        }
        Ok(Made { node, demos })
    }
}

fn asks_vanished(node: &Node) -> bool {
    match node {
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(asks_vanished),
        Node::Not(node) => asks_vanished(node),
        Node::Term(term) => {
            term.key.name == "is" && matches!(term.value.to_ascii_lowercase().as_str(), "vanished" | "gone")
        }
    }
}
