//! The file of a catalogue: made, opened, brought up to date, and never taken for another.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::schema::{self, APPLICATION_ID, VERSION};

/// So long a program waits for another one that writes. A recording of gigabytes is written in one go.
const PATIENCE: Duration = Duration::from_secs(120);

/// A catalogue.
#[derive(Debug)]
pub struct Catalogue {
    connection: Connection,
    path: PathBuf,
}

/// What a file is.
#[derive(Debug, PartialEq)]
enum Is {
    Empty,
    Current,
    Older,
}

impl Catalogue {
    /// Opens a catalogue to write into it; makes one where there is none, and empties one that an older version made, so that
    /// all is read again.
    ///
    /// # Errors
    /// A file that is no catalogue, or one that a newer version made: these stay as they are. And what SQLite gives.
    pub fn create(path: &Path) -> Result<Self> {
        let connection = Connection::open(path).map_err(|e| cannot_open(path, &e))?;
        connection.busy_timeout(PATIENCE)?;
        let mut catalogue = Catalogue { connection, path: path.to_owned() };
        let is = catalogue.look()?;
        catalogue.pragma("journal_mode", "wal")?;
        catalogue.pragma("synchronous", "normal")?;
        catalogue.pragma("cache_size", -32_768)?;
        // Rows of a recording come before its own row: what holds is that a transaction has all of them.
        catalogue.pragma("foreign_keys", false)?;
        if is != Is::Current {
            catalogue.make()?;
        }
        Ok(catalogue)
    }

    /// Opens a catalogue to ask it.
    ///
    /// # Errors
    /// A file that is not there, that is no catalogue, or that another version made; and what SQLite gives.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display();
        if !path.exists() {
            bail!("{name}: there is no such catalogue; `qdemo index FOLDER --db {name}` makes one");
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|e| cannot_open(path, &e))?;
        connection.busy_timeout(PATIENCE)?;
        let catalogue = Catalogue { connection, path: path.to_owned() };
        catalogue.pragma("cache_size", -65_536)?;
        catalogue.pragma("mmap_size", 1_i64 << 30)?;
        match catalogue.look()? {
            Is::Current => Ok(catalogue),
            Is::Older => bail!("{name}: an older qdemo made this catalogue; `qdemo index` makes it anew"),
            Is::Empty => bail!("{name}: this catalogue is empty; `qdemo index FOLDER --db {name}` fills it"),
        }
    }

    /// The database, to ask it in SQL.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    fn pragma(&self, name: &str, value: impl rusqlite::ToSql) -> Result<()> {
        self.connection.pragma_update(None, name, value).map_err(|e| cannot_open(&self.path, &e))
    }

    /// Looks what the file is, without a change to it.
    fn look(&self) -> Result<Is> {
        let is = look(&self.connection).map_err(|e| cannot_open(&self.path, &e))?;
        is.map_err(|e| anyhow!("{}: {e}", self.path.display()))
    }

    /// Makes the tables, in place of those of an older version.
    fn make(&mut self) -> Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another program may have been faster.
        let is = look(&transaction)??;
        if is == Is::Older {
            remove_all(&transaction)?;
        }
        if is != Is::Current {
            transaction.execute_batch(&schema::sql())?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        Ok(transaction.commit()?)
    }
}

fn cannot_open(path: &Path, e: &rusqlite::Error) -> anyhow::Error {
    anyhow!("{}: this cannot be opened as a catalogue: {e}", path.display())
}

/// The outer result is what SQLite says, the inner one what is wrong with the file.
fn look(connection: &Connection) -> rusqlite::Result<Result<Is>> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, version) {
        (0, 0) if tables == 0 => Ok(Is::Empty),
        (APPLICATION_ID, VERSION) => Ok(Is::Current),
        (APPLICATION_ID, version) if version < VERSION => Ok(Is::Older),
        (APPLICATION_ID, version) => Err(anyhow!(
            "a newer qdemo made this catalogue (version {version}; this qdemo knows {VERSION}); it stays as it is"
        )),
        _ => Err(anyhow!("this is a database, but no catalogue of qdemo; it stays as it is")),
    })
}

fn remove_all(connection: &Connection) -> rusqlite::Result<()> {
    // Those of searches take their own tables with them.
    for of in ["sql LIKE 'CREATE VIRTUAL%'", "name NOT LIKE 'sqlite~_%' ESCAPE '~'"] {
        let sql = format!("SELECT name FROM sqlite_schema WHERE type = 'table' AND {of}");
        let names: Vec<String> =
            connection.prepare(&sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for name in names {
            connection.execute_batch(&format!("DROP TABLE IF EXISTS \"{}\"", name.replace('"', "\"\"")))?;
        }
    }
    Ok(())
}
