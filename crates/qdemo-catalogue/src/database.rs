//! The file of a catalogue: made, opened, brought up to date, and never taken for another.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::schema::{self, APPLICATION_ID, VERSION};

/// So long a program waits for another one that writes. A recording of gigabytes is written in one go.
const PATIENCE: Duration = Duration::from_secs(120);

/// A function that queries have, beside those of SQLite: a text as [`folded`] has it.
pub(crate) const FOLDED: &str = "qdemo_folded";

/// A text in small letters of any script, by which texts are compared. A sigma that ends a word is a sigma: what is asked for may
/// be a part of a word.
pub(crate) fn folded(text: &str) -> String {
    text.to_lowercase().replace('\u{3c2}', "\u{3c3}")
}

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

    /// Opens a catalogue to ask it. One that cannot be written to, as the folder around it cannot, is read as it stands in the
    /// file: nobody may write it meanwhile.
    ///
    /// # Errors
    /// A file that is not there, that is no catalogue, or that another version made; and what SQLite gives.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display();
        if !path.exists() {
            bail!("{name}: there is no such catalogue; `qdemo index FOLDER --db {name}` makes one");
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let patient = |connection: Connection| connection.busy_timeout(PATIENCE).map(|()| connection);
        let opened = Connection::open_with_flags(path, flags).and_then(patient);
        let opened = opened.and_then(|connection| Ok((look(&connection)?, connection)));
        let (is, connection) = match opened {
            Err(e) if needs_writing(&e) && is_whole(path) => match open_as_it_is(path) {
                Some(Ok(connection)) => (look(&connection).map_err(|e| cannot_open(path, &e))?, connection),
                _ => return Err(cannot_open(path, &e)),
            },
            opened => opened.map_err(|e| cannot_open(path, &e))?,
        };
        let is = is.map_err(|e| anyhow!("{name}: {e}"))?;
        let fold = |context: &rusqlite::functions::Context<'_>| {
            Ok(context.get::<Option<String>>(0)?.map(|text| folded(&text)))
        };
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        connection.create_scalar_function(FOLDED, 1, flags, fold)?;
        // SQLite's own small cache stays: whoever asks once would wait for memory to be mapped.
        match is {
            Is::Current => Ok(Catalogue { connection, path: path.to_owned() }),
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

/// True where SQLite had to write beside the file, and could not.
fn needs_writing(e: &rusqlite::Error) -> bool {
    matches!(e.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
}

/// True where all that was written stands in the file itself.
fn is_whole(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).map_or_else(|e| e.kind() == std::io::ErrorKind::NotFound, |log| log.len() == 0)
}

/// Opens a file that nobody writes, and beside which nothing can be written.
#[cfg(unix)]
fn open_as_it_is(path: &Path) -> Option<rusqlite::Result<Connection>> {
    let mut name = "file:".to_owned();
    for byte in path.canonicalize().ok()?.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => name.push(char::from(*byte)),
            byte => name.push_str(&format!("%{byte:02X}")),
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Some(Connection::open_with_flags(format!("{name}?immutable=1"), flags))
}

/// Elsewhere names of paths are no URIs.
#[cfg(not(unix))]
fn open_as_it_is(_: &Path) -> Option<rusqlite::Result<Connection>> {
    None
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Whatever it is called, a file is read without a file beside it.
    #[test]
    fn a_file_is_read_as_it_is() {
        let folder = temp_dir::TempDir::new().unwrap();
        let path = folder.path().join("a b?#%41\u{e4}.sqlite");
        drop(Catalogue::create(&path).unwrap());
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!((names(), is_whole(&path)), (1, true));
        let connection = open_as_it_is(&path).unwrap().unwrap();
        assert_eq!(look(&connection).unwrap().unwrap(), Is::Current);
        assert_eq!(names(), 1);
        // What another program has not put into the file yet would be missing.
        std::fs::write(folder.path().join("a b?#%41\u{e4}.sqlite-wal"), b"x").unwrap();
        assert!(!is_whole(&path));
    }
}
