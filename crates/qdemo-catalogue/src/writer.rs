//! The one who writes: recordings, a few in one transaction, so that a catalogue has all of a recording or nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use qdemo::table::DEMOS;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Statement, ToSql, params};

use crate::database::folded;
use crate::date::{Date, Dated, date};
use crate::disk::OnDisk;
use crate::rows::{Field, Rows};
use crate::schema::{INFO, LINE_BITS, TABLES, WORDS, columns, in_front, is};

/// What waits is written when it is so long, or has waited for so long.
const BYTES: usize = 4 << 20;
const WAITS: Duration = Duration::from_secs(2);

/// So many words of a kind are remembered.
const WORDS_KEPT: usize = 50_000;

/// What is to be written.
#[derive(Debug)]
enum Act {
    Recording(Recording, Vec<Rows>),
    /// All recordings of a file were written; `again`: some could not be read now, but perhaps next time.
    Complete {
        disk: Arc<OnDisk>,
        again: bool,
    },
    /// The file is another one, but holds what it held.
    Same(Arc<OnDisk>),
}

/// A recording.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub(crate) disk: Arc<OnDisk>,
    /// Its number within the file.
    pub(crate) number: u32,
    /// Its path, with its name in the container.
    pub(crate) file: String,
}

/// Writes rows into a catalogue.
pub(crate) struct Writer<'c> {
    connection: &'c Connection,
    waiting: Vec<Act>,
    bytes: usize,
    since: Instant,
    /// The recording whose rows come.
    at: Option<(Recording, Vec<Rows>)>,
    /// That recording is too long to wait, and being written.
    long: Option<Written>,
    inserts: Inserts<'c>,
    /// Something was removed, so that words may be left that occur nowhere.
    removed: bool,
    /// Recordings that were written.
    pub(crate) written: u64,
}

impl<'c> Writer<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Result<Self> {
        Ok(Writer {
            connection,
            waiting: Vec::new(),
            bytes: 0,
            since: Instant::now(),
            at: None,
            long: None,
            inserts: Inserts::new(connection)?,
            removed: false,
            written: 0,
        })
    }

    /// A recording begins.
    pub(crate) fn begin(&mut self, recording: Recording) {
        self.at = Some((recording, Vec::new()));
    }

    /// Rows of the recording that has begun.
    pub(crate) fn rows(&mut self, rows: Rows) -> Result<()> {
        let Some((recording, waiting)) = &mut self.at else { return Ok(()) };
        if let Some(written) = &mut self.long {
            return self.inserts.rows(written, recording, &rows);
        }
        self.bytes += rows.len();
        waiting.push(rows);
        if self.bytes <= 2 * BYTES {
            return Ok(());
        }
        // It has come to be long. What was before it goes first, and then this one, in a transaction of its own.
        self.flush()?;
        let Some((recording, waiting)) = &mut self.at else { return Ok(()) };
        let length: usize = waiting.iter().map(Rows::len).sum();
        if length <= BYTES {
            self.bytes = length;
            return Ok(());
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        self.inserts.begin()?;
        let mut written = claim(self.connection, recording, &mut self.removed)?;
        for rows in waiting.drain(..) {
            self.inserts.rows(&mut written, recording, &rows)?;
        }
        self.long = Some(written);
        Ok(())
    }

    /// The recording ends.
    pub(crate) fn end(&mut self) -> Result<()> {
        let Some((recording, rows)) = self.at.take() else { return Ok(()) };
        if let Some(written) = self.long.take() {
            self.written += u64::from(written.id.is_some());
            self.connection.execute_batch("COMMIT")?;
            self.bytes = 0;
            return Ok(());
        }
        self.wait(Act::Recording(recording, rows))
    }

    /// All of a file was read.
    pub(crate) fn complete(&mut self, disk: Arc<OnDisk>, again: bool) -> Result<()> {
        self.wait(Act::Complete { disk, again })
    }

    /// The file holds what it held.
    pub(crate) fn same(&mut self, disk: Arc<OnDisk>) -> Result<()> {
        self.at = None;
        self.wait(Act::Same(disk))
    }

    fn wait(&mut self, act: Act) -> Result<()> {
        if self.waiting.is_empty() {
            self.since = Instant::now();
        }
        self.waiting.push(act);
        if self.bytes > BYTES || self.waiting.len() >= 128 || self.since.elapsed() > WAITS {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what waits.
    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        self.inserts.begin()?;
        for act in std::mem::take(&mut self.waiting) {
            match act {
                Act::Recording(recording, rows) => {
                    let mut written = claim(self.connection, &recording, &mut self.removed)?;
                    for rows in rows {
                        self.inserts.rows(&mut written, &recording, &rows)?;
                    }
                    self.written += u64::from(written.id.is_some());
                }
                Act::Complete { disk, again } => complete(self.connection, &disk, again, &mut self.removed)?,
                Act::Same(disk) => same(self.connection, &disk)?,
            }
        }
        self.connection.execute_batch("COMMIT")?;
        self.bytes = 0;
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> Result<u64> {
        self.flush()?;
        if self.removed {
            let unused = "DELETE FROM words WHERE NOT EXISTS (SELECT 1 FROM found_in WHERE found_in.word = words.id)";
            self.connection.execute(unused, [])?;
        }
        // What the next run of the planner goes by.
        self.connection.execute_batch("PRAGMA analysis_limit = 1000; PRAGMA optimize = 0x10002")?;
        Ok(self.written)
    }
}

/// What is known of a file.
pub(crate) struct Known {
    pub(crate) id: i64,
    pub(crate) complete: bool,
    pub(crate) vanished: bool,
    bytes: i64,
    modified_ns: i64,
}

impl Known {
    /// The file is the one that was read.
    pub(crate) fn is(&self, disk: &OnDisk) -> bool {
        (self.bytes, self.modified_ns) == (disk.bytes, disk.modified_ns)
    }

    /// The file has been touched, and may hold what it held.
    pub(crate) fn is_as_long_as(&self, disk: &OnDisk) -> bool {
        self.bytes == disk.bytes
    }
}

/// What is known of a file, by its path.
pub(crate) fn known(connection: &Connection, key: &str) -> rusqlite::Result<Option<Known>> {
    let sql = "SELECT id, complete, vanished IS NOT NULL, bytes, modified_ns FROM files WHERE path = ?1";
    let row = connection.query_row(sql, [key], |row| {
        let (id, complete, vanished) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(Known { id, complete, vanished, bytes: row.get(3)?, modified_ns: row.get(4)? })
    });
    row.optional()
}

/// A recording that is being written, or not: another run may have been faster.
struct Written {
    id: Option<i64>,
    file: i64,
    /// How many rows each table has of it.
    rows: [i64; TABLES.len()],
    /// Words that are known to occur in it.
    words: HashSet<i64>,
}

/// Makes room for a recording, within a transaction.
fn claim(connection: &Connection, recording: &Recording, removed: &mut bool) -> Result<Written> {
    let disk = &recording.disk;
    let known = known(connection, &disk.key)?;
    let file = match &known {
        Some(known) if known.is(disk) => known.id,
        Some(known) => {
            *removed = true;
            remove(connection, known.id, "1")?;
            let sql = "UPDATE files SET bytes = ?2, modified_ns = ?3, complete = 0, vanished = NULL WHERE id = ?1";
            connection.execute(sql, params![known.id, disk.bytes, disk.modified_ns])?;
            known.id
        }
        None => {
            let sql = "INSERT INTO files (path, raw, bytes, modified_ns) VALUES (?1, ?2, ?3, ?4)";
            connection.execute(sql, params![disk.key, disk.raw, disk.bytes, disk.modified_ns])?;
            connection.last_insert_rowid()
        }
    };
    let sql = "SELECT error IS NOT NULL FROM demos WHERE file_id = ?1 AND number = ?2";
    let there = connection.query_row(sql, params![file, recording.number], |row| row.get::<_, bool>(0)).optional()?;
    let complete = known.is_some_and(|known| known.is(disk) && known.complete);
    let id = match there {
        // It may be read better now.
        Some(true) if !complete => {
            *removed = true;
            remove(connection, file, &format!("number = {}", recording.number))?;
            Some(next_id(connection)?)
        }
        Some(_) => None,
        None if complete => None,
        None => Some(next_id(connection)?),
    };
    Ok(Written { id, file, rows: [0; TABLES.len()], words: HashSet::new() })
}

fn next_id(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT ifnull(max(id), 0) + 1 FROM demos", [], |row| row.get(0))
}

/// Removes recordings of a file.
fn remove(connection: &Connection, file: i64, which: &str) -> Result<()> {
    let those = format!("(SELECT id FROM demos WHERE file_id = ?1 AND {which})");
    let tables = TABLES.iter().filter(|table| !is(table, &DEMOS)).map(|table| table.name);
    for table in tables.chain([INFO, "found_in"]) {
        connection.execute(&format!("DELETE FROM {table} WHERE demo IN {those}"), [file])?;
    }
    connection.execute(&format!("DELETE FROM demos WHERE file_id = ?1 AND {which}"), [file])?;
    Ok(())
}

fn complete(connection: &Connection, disk: &OnDisk, again: bool, removed: &mut bool) -> Result<()> {
    match known(connection, &disk.key)? {
        // An archive with nothing in it.
        None => {
            let sql = "INSERT INTO files (path, raw, bytes, modified_ns, complete) VALUES (?1, ?2, ?3, ?4, ?5)";
            connection.execute(sql, params![disk.key, disk.raw, disk.bytes, disk.modified_ns, !again])?;
        }
        Some(known) => {
            if !known.is(disk) {
                *removed = true;
                remove(connection, known.id, "1")?;
            }
            let sql = "UPDATE files SET bytes = ?2, modified_ns = ?3, complete = ?4, vanished = NULL WHERE id = ?1";
            connection.execute(sql, params![known.id, disk.bytes, disk.modified_ns, !again])?;
        }
    }
    Ok(())
}

fn same(connection: &Connection, disk: &OnDisk) -> Result<()> {
    let sql = "UPDATE files SET modified_ns = ?2, vanished = NULL WHERE path = ?1 AND bytes = ?3";
    connection.execute(sql, params![disk.key, disk.modified_ns, disk.bytes])?;
    let sql = "UPDATE demos SET date = datetime(?2, 'unixepoch') \
        WHERE date_from = 'file' AND file_id = (SELECT id FROM files WHERE path = ?1)";
    connection.execute(sql, params![disk.key, disk.modified_ns.div_euclid(1_000_000_000)])?;
    Ok(())
}

impl ToSql for Field<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Field::Missing => ValueRef::Null,
            Field::Integer(v) => ValueRef::Integer(*v),
            Field::Real(v) => ValueRef::Real(*v),
            Field::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// The statements that add rows.
struct Inserts<'c> {
    connection: &'c Connection,
    /// A table each.
    tables: Vec<Insert<'c>>,
    info: Statement<'c>,
    word: Statement<'c>,
    new_word: Statement<'c>,
    found: Statement<'c>,
    /// Numbers of words, by kind.
    words: [HashMap<String, i64>; WORDS.len()],
    /// Changes when another program has written.
    version: i64,
    seconds: Statement<'c>,
}

/// How a row of a table is added.
struct Insert<'c> {
    statement: Statement<'c>,
    /// Columns with words, and of which kind.
    words: Vec<(usize, usize)>,
    /// The column that stands in a table of its own.
    info: Option<usize>,
    recorded_at: Option<usize>,
    match_date: Option<usize>,
    is_demos: bool,
    has_id: bool,
}

impl<'c> Inserts<'c> {
    fn new(connection: &'c Connection) -> Result<Self> {
        let insert = |table: &'static qdemo::table::Table| -> Result<Insert<'c>> {
            let places =
                (0..in_front(table).len() + columns(table).count()).map(|_| "?").collect::<Vec<_>>().join(", ");
            let statement = connection.prepare(&format!("INSERT INTO {} VALUES ({places})", table.name))?;
            let place = |name: &str| table.columns.iter().position(|column| column.name == name);
            let words = WORDS.iter().enumerate().flat_map(|(kind, words)| {
                let here = words.of.iter().filter(|(of, _)| is(of, table));
                here.filter_map(move |(of, name)| Some((of.columns.iter().position(|it| it.name == *name)?, kind)))
            });
            let is_demos = is(table, &DEMOS);
            Ok(Insert {
                statement,
                words: words.collect(),
                info: place(INFO).filter(|_| is_demos),
                recorded_at: place("recorded_at").filter(|_| is_demos),
                match_date: place("match_date").filter(|_| is_demos),
                is_demos,
                has_id: in_front(table).first().is_some_and(|first| first.name == "id"),
            })
        };
        Ok(Inserts {
            connection,
            tables: TABLES.into_iter().map(insert).collect::<Result<_>>()?,
            info: connection.prepare("INSERT INTO info VALUES (?1, ?2)")?,
            word: connection.prepare("SELECT id FROM words WHERE kind = ?1 AND word = ?2")?,
            new_word: connection.prepare("INSERT INTO words (kind, word, folded) VALUES (?1, ?2, ?3)")?,
            found: connection.prepare("INSERT OR IGNORE INTO found_in VALUES (?1, ?2)")?,
            words: Default::default(),
            version: 0,
            seconds: connection.prepare("SELECT datetime(?1, 'unixepoch')")?,
        })
    }

    /// A transaction has begun.
    fn begin(&mut self) -> Result<()> {
        let version = self.connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if std::mem::replace(&mut self.version, version) != version {
            self.words.iter_mut().for_each(HashMap::clear);
        }
        Ok(())
    }

    fn rows(&mut self, written: &mut Written, recording: &Recording, rows: &Rows) -> Result<()> {
        let Some(id) = written.id else { return Ok(()) };
        rows.each(|table, fields| self.row(id, usize::from(table), fields, written, recording))
    }

    fn row(
        &mut self,
        id: i64,
        table: usize,
        fields: &[Field<'_>],
        written: &mut Written,
        recording: &Recording,
    ) -> Result<()> {
        let Some(insert) = self.tables.get_mut(table) else { return Ok(()) };
        let Insert { statement, .. } = insert;
        let mut at = 1;
        let mut bind = |value: &dyn ToSql| {
            at += 1;
            statement.raw_bind_parameter(at - 1, value)
        };
        if insert.is_demos {
            let field = |at: Option<usize>| at.and_then(|at| fields.get(at)).copied();
            let told = match field(insert.recorded_at) {
                Some(Field::Integer(seconds)) => Some(seconds),
                _ => None,
            };
            let printed = match field(insert.match_date) {
                Some(Field::Text(text)) => Some(text),
                _ => None,
            };
            let Dated { date, from } = date(told, printed, &recording.file, recording.disk.modified_ns);
            let date = match date {
                Date::Words(words) => Some(words),
                Date::Seconds(seconds) => self.seconds.query_row([seconds], |row| row.get(0))?,
            };
            bind(&id)?;
            bind(&written.file)?;
            bind(&recording.number)?;
            bind(&recording.file)?;
            bind(&date)?;
            bind(&from)?;
        } else {
            let Some(number) = written.rows.get_mut(table) else { return Ok(()) };
            if insert.has_id {
                if *number >= 1 << LINE_BITS {
                    // No game has so much chat.
                    return Ok(());
                }
                bind(&(id << LINE_BITS | *number))?;
            }
            bind(&id)?;
            bind(&*number)?;
            *number += 1;
        }
        for (at, field) in fields.iter().enumerate() {
            if insert.info != Some(at) {
                bind(field)?;
            }
        }
        statement.raw_execute()?;
        if let Some(info) = insert.info.and_then(|at| fields.get(at)).filter(|info| **info != Field::Missing) {
            self.info.execute(params![id, info])?;
        }
        for &(at, kind) in &insert.words {
            let Some(Field::Text(word)) = fields.get(at) else { continue };
            if word.is_empty() {
                continue;
            }
            let (Some(words), Some(named)) = (self.words.get_mut(kind), WORDS.get(kind)) else { continue };
            let number = match words.get(*word) {
                Some(number) => *number,
                None => {
                    let there = self.word.query_row(params![named.kind, word], |row| row.get(0)).optional()?;
                    let number = match there {
                        Some(number) => number,
                        None => self.new_word.insert(params![named.kind, word, folded(word)])?,
                    };
                    if words.len() >= WORDS_KEPT {
                        words.clear();
                    }
                    words.insert((*word).to_owned(), number);
                    number
                }
            };
            if written.words.insert(number) {
                self.found.execute([number, id])?;
            }
        }
        Ok(())
    }
}
