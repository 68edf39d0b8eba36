//! qdemo for a page: a recording in memory, and what the page shows of it.

use qdemo::analysis::check::{Checks, check};
use qdemo::analysis::stats::{Period, PeriodKind, stats};
use qdemo::container::{self, Opened};
use qdemo::error::ErrorKind;
use qdemo::replay::{Range, events, info};
use qdemo::table::{self, Interval, Objects, Row, Rows, TABLES, Table};
use qdemo::{Error, FileKind, Limits, report, text, view};
use wasm_bindgen::prelude::wasm_bindgen;

/// A browser has less memory than a machine: what a file unpacks to.
const MOST_BYTES: u64 = 512 << 20;

type Told<T> = Result<T, String>;

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.unpacked = limits.unpacked.min(MOST_BYTES);
    limits
}

/// A fault as a sentence.
fn said(fault: Error) -> String {
    if !matches!(fault.kind, ErrorKind::Limit { .. }) {
        return fault.to_string();
    }
    // Its advice is an option of the command.
    let file = fault.place.file.as_deref().map(|file| format!("{file}: ")).unwrap_or_default();
    format!("{file}{}; the command qdemo has options that allow more", fault.kind)
}

/// A recording.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Recording {
    name: String,
    bytes: Vec<u8>,
}

/// The recordings in an archive, and the archives in it, by name; none of a file that is no archive. `within` names an archive
/// in the file, the outermost first.
///
/// # Errors
/// A file that cannot be unpacked.
#[wasm_bindgen]
pub fn members(name: &str, file: Vec<u8>, within: Vec<String>) -> Told<Vec<String>> {
    match container::open_bytes(name, file, &within, &limits()).map_err(said)? {
        Opened::File(_) => Ok(Vec::new()),
        Opened::Listing(listing) => {
            let names: Vec<_> =
                listing.entries.iter().map(container::Entry::address).filter(|it| is_wanted(it)).collect();
            if names.is_empty() {
                return Err(format!(
                    "{name}: an archive without a recording: it has {} other files",
                    listing.entries.len()
                ));
            }
            Ok(names)
        }
    }
}

/// Endings of names of archives.
const ARCHIVES: [&str; 10] = ["7z", "dz", "pak", "pk3", "tar", "tbz", "tbz2", "tgz", "txz", "zip"];

/// True for names that recordings have, packed or not, and archives.
fn is_wanted(name: &str) -> bool {
    let mut parts = name.rsplit('.');
    let last = parts.next().unwrap_or_default().to_ascii_lowercase();
    let packed = ["gz", "bz2", "xz", "zst", "qwz"].contains(&&*last);
    packed || ARCHIVES.contains(&&*last) || FileKind::by_extension(&last).is_some()
}

#[wasm_bindgen]
impl Recording {
    /// Unpacks a file; of an archive, the recording that is named, behind the archives around it.
    ///
    /// # Errors
    /// A file that cannot be unpacked, and one that is no recording.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, file: Vec<u8>, members: Vec<String>) -> Told<Recording> {
        let limits = limits();
        match container::open_bytes(name, file, &members, &limits).map_err(said)? {
            Opened::File(mut file) => {
                let bytes = file.read_all(&limits).map_err(said)?;
                let recording = Recording { name: file.name.clone(), bytes };
                recording.info()?;
                Ok(recording)
            }
            Opened::Listing(listing) => {
                Err(format!("{name}: an archive of {} files: choose one", listing.entries.len()))
            }
        }
    }

    /// Its name, unpacked.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// The page that shows it.
    ///
    /// # Errors
    /// What reading gives.
    pub fn page(&self) -> Told<String> {
        let (replay, _) = view::read(&self.bytes[..], &self.name, limits(), Range::ALL).map_err(said)?;
        replay.to_html().map_err(said)
    }

    /// The report of its matches, a page too.
    ///
    /// # Errors
    /// What reading gives.
    pub fn report(&self) -> Told<String> {
        Ok(report::read(&self.bytes[..], &self.name, limits()).map_err(said)?.0.to_html())
    }

    /// What it says of itself, as `qdemo info --json` has it.
    ///
    /// # Errors
    /// What reading gives, and a file that is no recording.
    pub fn info(&self) -> Told<String> {
        let info = info::info(&self.bytes[..], &self.name, limits()).map_err(said)?;
        serde_json::to_string(&info).map_err(|e| e.to_string())
    }

    /// The findings of all checks, as `qdemo check --json` has them.
    ///
    /// # Errors
    /// What reading gives.
    pub fn check(&self) -> Told<String> {
        let report = check(&self.bytes[..], &self.name, limits(), &Checks::default()).map_err(said)?;
        serde_json::to_string(&report).map_err(|e| e.to_string())
    }

    /// Its text.
    ///
    /// # Errors
    /// What reading gives.
    pub fn text(&self) -> Told<Vec<u8>> {
        let mut options = text::Options::default();
        options.limits = limits();
        text::decompile_bytes(&self.bytes, &self.name, &options).map_err(said)
    }

    /// A table, by name: as CSV, or as JSON, an object a line.
    ///
    /// # Errors
    /// No such table, and what reading gives.
    pub fn table(&self, name: &str, as_csv: bool) -> Told<Vec<u8>> {
        let table = tables().find(|table| table.name == name).ok_or_else(|| format!("there is no table {name}"))?;
        let mut writer = match as_csv {
            true => Writer::Csv(table, Box::new(csv::Writer::from_writer(Vec::new()))),
            false => Writer::Json(Objects::new(table.columns, None), Vec::new()),
        };
        if let Writer::Csv(_, csv) = &mut writer {
            csv.write_record(table.columns.iter().map(|column| column.name)).map_err(|e| e.to_string())?;
        }
        self.rows(table, &mut writer).map_err(said)?;
        match writer {
            Writer::Csv(_, csv) => csv.into_inner().map_err(|e| e.to_string()),
            Writer::Json(_, json) => Ok(json),
        }
    }

    fn rows(&self, table: &'static Table, writer: &mut Writer) -> qdemo::Result<()> {
        let (input, name) = (&self.bytes[..], &*self.name);
        if table.is_of_world() {
            table::world(table, input, name, Interval::FRAME, limits(), writer)?;
        } else if of_stats(table) {
            stats(input, name, limits(), &mut |period: Period| match matches!(
                period.kind,
                PeriodKind::Match | PeriodKind::Level
            ) {
                true => table::stats(table, &period).iter().try_for_each(|row| writer.row(row)),
                false => Ok(()),
            })?;
        } else {
            events(input, name, limits(), &mut |event| {
                table::event(table, event).map_or(Ok(()), |row| writer.row(&row))
            })?;
        }
        Ok(())
    }
}

fn of_stats(table: &Table) -> bool {
    [&table::STATS, &table::WEAPON_STATS, &table::ITEM_STATS].iter().any(|it| it.name == table.name)
}

/// The tables that a page offers.
fn tables() -> impl Iterator<Item = &'static Table> {
    let of_events = [&table::FRAGS, &table::CHAT, &table::SCORES, &table::EVENTS];
    let is_offered = move |table: &&'static Table| {
        table.is_of_world() || of_stats(table) || of_events.iter().any(|it| it.name == table.name)
    };
    TABLES.into_iter().filter(is_offered)
}

/// The tables: of each the name, what it is about, and its columns with commas between them, all with tabs between them.
#[wasm_bindgen]
pub fn table_names() -> Vec<String> {
    let columns = |table: &Table| table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(",");
    tables().map(|table| format!("{}\t{}\t{}", table.name, table.doc, columns(table))).collect()
}

/// Writes rows.
enum Writer {
    Csv(&'static Table, Box<csv::Writer<Vec<u8>>>),
    Json(Objects, Vec<u8>),
}

impl Rows for Writer {
    fn row(&mut self, row: &Row<'_>) -> qdemo::Result<()> {
        match self {
            Writer::Csv(table, out) => {
                let cells = table.columns.iter().map(|column| {
                    let mut text = Vec::new();
                    column.values.write(row, &mut text);
                    text
                });
                out.write_record(cells).map_err(|e| std::io::Error::other(e).into())
            }
            Writer::Json(objects, out) => {
                objects.write(row, out);
                out.push(b'\n');
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qdemo::Bound;

    fn recording(name: &str) -> Recording {
        let file = std::fs::read(format!("../testdata/{name}")).unwrap();
        Recording::new(name, file, Vec::new()).unwrap()
    }

    #[test]
    fn every_table_is_written_both_ways() {
        let demo = recording("oa-dm4.dm_71");
        for table in tables() {
            let [csv, json] = [true, false].map(|csv| demo.table(table.name, csv).unwrap());
            let rows = csv::Reader::from_reader(&csv[..]).records().count();
            assert_eq!(rows, json.iter().filter(|byte| **byte == b'\n').count(), "{}", table.name);
        }
    }

    /// A PAK archive of one file.
    fn pak(name: &str, file: &[u8]) -> Vec<u8> {
        let mut entry = name.as_bytes().to_vec();
        entry.resize(56, 0);
        let number = |v: usize| (v as u32).to_le_bytes().to_vec();
        [b"PACK".to_vec(), number(12 + file.len()), number(64), file.to_vec(), entry, number(12), number(file.len())]
            .concat()
    }

    #[test]
    fn archives_in_archives_are_opened() {
        let within = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let clip = std::fs::read("../testdata/clip.dem").unwrap();
        let file = pak("inner.pak", &pak("clip.dem", &clip));
        assert_eq!(members("outer.pak", file.clone(), Vec::new()).unwrap(), ["inner.pak"]);
        assert_eq!(members("outer.pak", file.clone(), within(&["inner.pak"])).unwrap(), ["clip.dem"]);
        let path = within(&["inner.pak", "clip.dem"]);
        assert!(members("outer.pak", file.clone(), path.clone()).unwrap().is_empty());
        assert!(Recording::new("outer.pak", file, path).unwrap().name().ends_with("clip.dem"));
    }

    #[test]
    fn a_limit_is_said_without_options_of_the_command() {
        let limit = ErrorKind::Limit { what: Bound::Unpacked, limit: 10, found: 11 };
        let told = said(Error::new(limit).in_file("x.mvd.gz"));
        assert!(told.starts_with("x.mvd.gz") && told.contains("limit") && !told.contains("--"), "{told}");
    }

    #[test]
    fn what_is_no_recording_is_said() {
        let said =
            Recording::new("x.dm_68", b"no recording".to_vec(), Vec::new()).and_then(|it| it.page()).unwrap_err();
        assert!(said.contains("x.dm_68"), "{said}");
    }
}
