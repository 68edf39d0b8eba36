//! The tables of a catalogue, as SQL: made from the columns that `export` has.

use std::fmt::Write;

use qdemo::table::{CHAT, Column, DEMOS, FRAGS, HIGHLIGHTS, LEVELS, MATCHES, PLAYERS, RUNS, Table, Values};

/// Raised whenever the tables change. A catalogue of a lower version is made anew, one of a higher version is left alone.
pub const VERSION: i32 = 2;

/// Marks a SQLite file as a catalogue: `qdmo`.
pub const APPLICATION_ID: i32 = 0x7164_6d6f;

/// The tables of `export` that a catalogue has.
pub static TABLES: [&Table; 8] = [&DEMOS, &LEVELS, &MATCHES, &PLAYERS, &FRAGS, &CHAT, &HIGHLIGHTS, &RUNS];

/// The column of [`DEMOS`] that has a table of its own: it is long, and seldom asked for.
pub const INFO: &str = "info";

/// A column that a catalogue adds.
#[derive(Debug, Clone, Copy)]
pub struct Added {
    /// Its name.
    pub name: &'static str,
    /// Its type in SQL, with what it must be.
    pub sql: &'static str,
    /// What it holds.
    pub doc: &'static str,
}

const fn added(name: &'static str, sql: &'static str, doc: &'static str) -> Added {
    Added { name, sql, doc }
}

/// What stands in front of the columns of `demos`.
pub const OF_DEMOS: [Added; 6] = [
    added("id", "INTEGER PRIMARY KEY", "Number of the recording in this catalogue."),
    added("file_id", "INTEGER NOT NULL REFERENCES files", "The file on disk."),
    added("number", "INTEGER NOT NULL", "Number of the recording within that file, from 0."),
    added(
        "file",
        "TEXT NOT NULL",
        "Path of the recording; of one in a container with its name there: `pak0.pak:demo1.dem`.",
    ),
    added(
        "date",
        "TEXT",
        "When it was recorded: `2024-03-01 20:15:00`, or the day alone. In UTC where `date_from` is `demo` or \
        `file`.",
    ),
    added(
        "date_from",
        "TEXT",
        "Where that comes from: `demo` (the server tells the moment), `match` (the game prints it), `name` \
        (of the file), `file` (when that was last changed).",
    ),
];

/// What stands in front of the columns of all other tables.
pub const OF_ROWS: [Added; 2] = [
    added("demo", "INTEGER NOT NULL REFERENCES demos", "The recording."),
    added("row", "INTEGER NOT NULL", "Number of the row within the table of that recording, from 0."),
];

/// A table that the catalogue alone has.
#[derive(Debug)]
pub struct Own {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    /// Its columns.
    pub columns: &'static [Added],
    /// What is said of the table as a whole.
    end: &'static str,
    options: &'static str,
}

/// The tables that the catalogue alone has.
pub static OWN: [Own; 4] = [
    Own {
        name: "files",
        doc: "A file on disk: a recording, or a container of some.",
        columns: &[
            added("id", "INTEGER PRIMARY KEY", "Number of the file."),
            added(
                "path",
                "TEXT NOT NULL UNIQUE",
                "Its whole path. Bytes that are no UTF-8 are written `\\xe9`, and a backslash that looks like one of these `\\x5c`.",
            ),
            added("raw", "BLOB", "The path as bytes, where that text is another one."),
            added("bytes", "INTEGER NOT NULL", "Its length when it was read."),
            added("modified_ns", "INTEGER NOT NULL", "When it had been changed last: nanoseconds since 1970."),
            added("complete", "INTEGER NOT NULL DEFAULT 0", "1 when all recordings in it are here."),
            added("vanished", "INTEGER", "When it was found to be gone: seconds since 1970; else missing."),
        ],
        end: "",
        options: "STRICT",
    },
    Own {
        name: "info",
        doc: "What a recording says of itself: the column `info` of the table demos.",
        columns: &[
            added("demo", "INTEGER PRIMARY KEY REFERENCES demos", "The recording."),
            added("info", "TEXT", "The object of `qdemo info --detail --json`, without what that tells of the file."),
        ],
        end: "",
        options: "STRICT",
    },
    Own {
        name: "words",
        doc: "A name, or another word that recordings are found by.",
        columns: &[
            added("id", "INTEGER PRIMARY KEY", "Number of the word."),
            added(
                "kind",
                "TEXT NOT NULL",
                "What it is: `name`, `team`, `weapon`, `map`, `highlight`, `recorder`, `title`, `game`, `format`, `dialect`, `mod`, `mode`, \
                `physics`, `server`, `container`.",
            ),
            added("word", "TEXT NOT NULL", "The word."),
            added("folded", "TEXT NOT NULL", "The same in small letters."),
        ],
        end: "UNIQUE (kind, word)",
        options: "STRICT",
    },
    Own {
        name: "found_in",
        doc: "A word that occurs in a recording.",
        columns: &[
            added("word", "INTEGER NOT NULL REFERENCES words", "The word."),
            added("demo", "INTEGER NOT NULL REFERENCES demos", "The recording."),
        ],
        end: "PRIMARY KEY (word, demo)",
        options: "STRICT, WITHOUT ROWID",
    },
];

/// A kind of words: the columns that have them.
pub(crate) struct Words {
    pub(crate) kind: &'static str,
    /// Tables and columns.
    pub(crate) of: &'static [(&'static Table, &'static str)],
}

/// Kinds of words.
pub(crate) static WORDS: [Words; 15] = [
    Words {
        kind: "name",
        of: &[
            (&PLAYERS, "name"),
            (&FRAGS, "attacker"),
            (&FRAGS, "victim"),
            (&CHAT, "speaker"),
            (&HIGHLIGHTS, "name"),
            (&RUNS, "name"),
            (&DEMOS, "recorder"),
        ],
    },
    Words { kind: "team", of: &[(&PLAYERS, "team"), (&FRAGS, "attacker_team"), (&MATCHES, "winner")] },
    Words { kind: "weapon", of: &[(&FRAGS, "weapon"), (&FRAGS, "means")] },
    Words { kind: "map", of: &[(&LEVELS, "map"), (&DEMOS, "map"), (&RUNS, "map")] },
    Words { kind: "highlight", of: &[(&HIGHLIGHTS, "highlight")] },
    Words { kind: "recorder", of: &[(&DEMOS, "recorder")] },
    Words { kind: "title", of: &[(&DEMOS, "title")] },
    Words { kind: "game", of: &[(&DEMOS, "game")] },
    Words { kind: "format", of: &[(&DEMOS, "format")] },
    Words { kind: "dialect", of: &[(&DEMOS, "dialect")] },
    Words { kind: "mod", of: &[(&DEMOS, "mod"), (&DEMOS, "gamedir")] },
    Words { kind: "mode", of: &[(&DEMOS, "mode")] },
    Words { kind: "physics", of: &[(&DEMOS, "physics")] },
    Words { kind: "server", of: &[(&DEMOS, "server")] },
    Words { kind: "container", of: &[(&DEMOS, "containers")] },
];

/// The number of a line of chat has so many bits for its place in the recording: what is found tells the recording.
pub(crate) const LINE_BITS: u32 = 24;

/// The rest: indexes, and the searches for parts of words and for texts, which follow their tables by triggers.
const SEARCHES: &str = "\
CREATE UNIQUE INDEX demos_in_files ON demos (file_id, number);
CREATE INDEX demos_same ON demos (sha256);
CREATE INDEX demos_by_file ON demos (file);
CREATE INDEX demos_by_date ON demos (date, length_ms, bytes, players, spectators, levels, matches, runs, faults, protocol);
CREATE INDEX demos_by_length ON demos (length_ms);
CREATE INDEX demos_by_size ON demos (bytes);
CREATE INDEX demos_by_players ON demos (players);
CREATE INDEX files_vanished ON files (vanished) WHERE vanished IS NOT NULL;
CREATE INDEX demos_errors ON demos (id) WHERE error IS NOT NULL;
CREATE INDEX players_by_frags ON players (frags);
CREATE INDEX found_in_demos ON found_in (demo);
CREATE VIRTUAL TABLE words_search USING fts5 (folded, content = words, content_rowid = id, tokenize = 'trigram', detail = full);
CREATE TRIGGER words_added AFTER INSERT ON words BEGIN
  INSERT INTO words_search (rowid, folded) VALUES (new.id, new.folded);
END;
CREATE TRIGGER words_removed AFTER DELETE ON words BEGIN
  INSERT INTO words_search (words_search, rowid, folded) VALUES ('delete', old.id, old.folded);
END;
CREATE VIRTUAL TABLE chat_search USING fts5 (text, content = chat, content_rowid = id, tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER chat_added AFTER INSERT ON chat BEGIN
  INSERT INTO chat_search (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER chat_removed AFTER DELETE ON chat BEGIN
  INSERT INTO chat_search (chat_search, rowid, text) VALUES ('delete', old.id, old.text);
END;
";

/// The columns of a table as a catalogue stores them, in order.
pub fn columns(table: &'static Table) -> impl Iterator<Item = &'static Column> {
    let is_demos = is(table, &DEMOS);
    table.columns.iter().filter(move |column| !(is_demos && column.name == INFO))
}

/// The columns that a catalogue puts in front of those of a table.
pub fn in_front(table: &Table) -> Vec<Added> {
    if is(table, &DEMOS) {
        return OF_DEMOS.to_vec();
    }
    // The search for texts needs a number for each row.
    let id = is(table, &CHAT).then_some(added(
        "id",
        "INTEGER PRIMARY KEY",
        "Number of the line in this catalogue: `demo * 16777216 + row`.",
    ));
    id.into_iter().chain(OF_ROWS).collect()
}

pub(crate) fn is(table: &Table, other: &Table) -> bool {
    std::ptr::eq(table, other)
}

/// The type of a column in SQL.
pub fn sql_type(values: Values) -> &'static str {
    match values {
        Values::Integer(_) | Values::Boolean(_) => "INTEGER",
        Values::Number(_) | Values::Seconds(_) => "REAL",
        Values::Text(_) | Values::Word(_) | Values::Raw(_) => "TEXT",
    }
}

/// The statements that make an empty catalogue. Comments in them stay in the file: `.schema` shows what columns mean.
pub fn sql() -> String {
    let mut out = String::new();
    for own in &OWN {
        let columns = own.columns.iter().map(|added| (added.name, added.sql, added.doc.to_owned()));
        create(&mut out, own.name, own.doc, columns, own.end, own.options);
    }
    for table in TABLES {
        let front = in_front(table);
        let front = front.iter().map(|added| (added.name, added.sql, added.doc.to_owned()));
        let columns = front.chain(columns(table).map(|column| (column.name, sql_type(column.values), meaning(column))));
        let (end, options) = match table {
            table if is(table, &DEMOS) => ("", "STRICT"),
            table if is(table, &CHAT) => ("UNIQUE (demo, row)", "STRICT"),
            _ => ("PRIMARY KEY (demo, row)", "STRICT, WITHOUT ROWID"),
        };
        create(&mut out, table.name, table.doc, columns, end, options);
    }
    out + SEARCHES
}

fn meaning(column: &Column) -> String {
    let boolean = if matches!(column.values, Values::Boolean(_)) { " (0 or 1)" } else { "" };
    let unit = if column.unit.is_empty() { String::new() } else { format!(" [{}]", column.unit) };
    format!("{}{boolean}{unit}", column.doc)
}

fn create(
    out: &mut String,
    name: &str,
    doc: &str,
    columns: impl Iterator<Item = (&'static str, &'static str, String)>,
    end: &str,
    options: &str,
) {
    let _ = writeln!(out, "CREATE TABLE {name} (\n  -- {doc}");
    let columns: Vec<_> = columns.collect();
    for (at, (name, ty, doc)) in columns.iter().enumerate() {
        let comma = if at + 1 == columns.len() && end.is_empty() { "" } else { "," };
        let _ = writeln!(out, "  \"{name}\" {ty}{comma} -- {doc}");
    }
    if !end.is_empty() {
        let _ = writeln!(out, "  {end}");
    }
    let _ = writeln!(out, ") {options};");
}

#[cfg(test)]
mod tests {
    use super::*;
    use qdemo::analysis::hash::HashingReader;

    /// A catalogue of the same version has the same tables: whoever changes a column raises [`VERSION`], and writes the new hash
    /// here.
    #[test]
    fn the_version_is_that_of_the_tables() {
        let statements = sql();
        let plain: String =
            statements.lines().map(|line| line.split(" -- ").next().unwrap_or_default().trim()).collect();
        let (_, hash, _) = HashingReader::new(plain.as_bytes()).finish().unwrap();
        assert_eq!((VERSION, &hash[..16]), (2, "bf9a72b3086e02b1"), "the tables changed: raise VERSION");
    }

    #[test]
    fn columns_have_names_of_their_own() {
        for table in TABLES {
            let mut names: Vec<_> = in_front(table).iter().map(|added| added.name).collect();
            names.extend(columns(table).map(|column| column.name));
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", table.name);
        }
    }

    #[test]
    fn words_are_of_columns_that_are_there() {
        for (table, column) in WORDS.iter().flat_map(|words| words.of) {
            let column = table.column(column).unwrap_or_else(|| panic!("{} has no {column}", table.name));
            assert_eq!(sql_type(column.values), "TEXT");
        }
    }

    #[test]
    fn comments_are_lines() {
        assert!(TABLES.iter().flat_map(|table| table.columns).all(|column| !column.doc.contains(['\n', '\r'])));
    }
}
