//! Bringing a catalogue up to date: what is new or changed is read, on several threads, and written by one.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use qdemo::Limits;
use qdemo::analysis::hash::HashingReader;
use qdemo::container::Location;
use qdemo::error::ErrorKind;
use qdemo::table::{self, Row, TableRows};
use qdemo_inputs::{Found, Item, Items, Next, Note, Sender, Wanted, in_order, open_one, read_tables};
use rusqlite::{Connection, params};

use crate::database::Catalogue;
use crate::disk::{OnDisk, Root, key};
use crate::rows::Rows;
use crate::schema::TABLES;
use crate::writer::{Known, Recording, Writer, known};

/// How recordings are read.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Bounds on inputs.
    pub limits: Limits,
    /// So many are read at once.
    pub threads: usize,
    /// What tables are to tell.
    pub options: table::Options,
}

/// How far it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files on disk that are done, those that had not changed among them.
    pub files: u64,
    /// Bytes of these files on disk.
    pub bytes_on_disk: u64,
    /// Bytes of recordings that were read, unpacked.
    pub bytes: u64,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Account {
    /// Files on disk that are new, or had changed.
    pub read: u64,
    /// Files on disk that had not changed.
    pub unchanged: u64,
    /// Files on disk that had been touched, but hold what they held.
    pub touched: u64,
    /// Files of the catalogue that are gone.
    pub vanished: u64,
    /// Recordings that were written.
    pub demos: u64,
    /// Inputs that could not be read, or not to their end.
    pub errors: u64,
    /// Bytes of recordings that were read, unpacked.
    pub bytes: u64,
}

/// Who is told.
pub trait Observer {
    /// Something to tell.
    fn note(&mut self, note: Note);
    /// How far it is, and at which file.
    fn progress(&mut self, progress: Progress, file: &str);
}

impl Catalogue {
    /// Brings the catalogue up to date with folders and files: reads what is new and what has changed, and marks what is
    /// gone. What is written is a whole recording each time, so it may be stopped at any moment and run again, and several may
    /// run at once.
    ///
    /// # Errors
    /// What the database gives. Files that cannot be read are rows of `demos` with `error`.
    pub fn index(&mut self, named: &[OsString], settings: &Settings, observer: &mut dyn Observer) -> Result<Account> {
        let mut account = Account::default();
        let (roots, wrong) = roots(named);
        for e in wrong {
            account.errors += 1;
            observer.note(Note::error(&e));
        }
        let connection = self.connection();
        let plan = RefCell::new(Plan::new(connection, &roots, settings.limits));
        let writer = Writer::new(connection)?;
        let mut taken = Taken { writer, progress: Progress::default(), again: false, same: false, observer };
        let mut failed = None;
        let next = || match plan.borrow_mut().next() {
            Ok(next) => next,
            Err(e) => {
                failed = Some(e);
                None
            }
        };
        let work = |job: Job, to: &Sender<Piece>| read(job, settings, to);
        in_order(settings.threads, next, work, |piece, _| taken.take(piece, &mut account))?;
        if let Some(e) = failed {
            return Err(e);
        }
        account.demos = taken.writer.finish()?;
        account.bytes = taken.progress.bytes;
        account.unchanged = plan.into_inner().unchanged;
        for root in &roots {
            account.vanished += mark_vanished(connection, root)?;
        }
        Ok(account)
    }
}

/// How many files there are in folders, and how many bytes on disk: for who wants to tell how much is left.
pub fn count(named: &[OsString]) -> (u64, u64) {
    let (roots, _) = roots(named);
    let files = roots.iter().flat_map(Root::files).flatten();
    files.fold((0, 0), |(files, bytes), disk| (files + 1, bytes + u64::try_from(disk.bytes).unwrap_or_default()))
}

/// What is named, each file once; and what of it is not there.
fn roots(named: &[OsString]) -> (Vec<Root>, Vec<anyhow::Error>) {
    let (mut roots, mut wrong) = (Vec::new(), Vec::new());
    for named in named {
        match Root::new(Path::new(named)) {
            Ok(root) => root.join(&mut roots),
            Err(e) => wrong.push(e),
        }
    }
    (roots, wrong)
}

/// A recording to be read.
struct Job {
    recording: Recording,
    item: Item,
    /// The hash of what the file held.
    known: Option<String>,
}

/// What there is to tell, in order.
enum Piece {
    Begin(Recording),
    Rows(Rows),
    End(Ended),
    /// The file holds what it held.
    Same(Arc<OnDisk>, u64),
    /// All of a file was read.
    Complete(Arc<OnDisk>),
    /// A file that had not changed.
    Unchanged(u64),
    Note(Note),
    /// Something that cannot be read, and is no recording.
    Failed(anyhow::Error),
    /// An input that could not be opened.
    Unreadable(Recording, anyhow::Error),
}

/// What came of a recording.
#[derive(Default)]
struct Ended {
    bytes: u64,
    failed: bool,
    /// It may be read better next time.
    again: bool,
}

/// What is to be read, found as it is asked for.
struct Plan<'p> {
    connection: &'p Connection,
    files: Vec<Box<dyn Iterator<Item = Result<OnDisk>>>>,
    at: Option<Opened>,
    limits: Limits,
    unchanged: u64,
}

/// A file that is being read.
struct Opened {
    disk: Arc<OnDisk>,
    items: Items,
    number: u32,
    /// What is in the catalogue already.
    there: HashSet<u32>,
    known: Option<String>,
}

impl<'p> Plan<'p> {
    fn new(connection: &'p Connection, roots: &[Root], limits: Limits) -> Self {
        let files = roots.iter().rev().map(Root::files).collect();
        Plan { connection, files, at: None, limits, unchanged: 0 }
    }

    fn next(&mut self) -> Result<Option<Next<Job, Piece>>> {
        loop {
            if let Some(opened) = &mut self.at {
                let Some(found) = opened.items.next() else {
                    let disk = Arc::clone(&opened.disk);
                    self.at = None;
                    return Ok(Some(Next::Piece(Piece::Complete(disk))));
                };
                if let Some(next) = opened.next(found) {
                    return Ok(Some(next));
                }
                continue;
            }
            let Some(files) = self.files.last_mut() else { return Ok(None) };
            match files.next() {
                None => drop(self.files.pop()),
                Some(Ok(disk)) => {
                    if let Some(piece) = self.open(disk)? {
                        return Ok(Some(Next::Piece(piece)));
                    }
                }
                Some(Err(e)) => return Ok(Some(Next::Piece(Piece::Failed(e)))),
            }
        }
    }

    fn open(&mut self, disk: OnDisk) -> Result<Option<Piece>> {
        let known = known(self.connection, &disk.key)?;
        let (mut there, mut hash) = (HashSet::new(), None);
        match &known {
            Some(known) if known.complete && known.is(&disk) => {
                if known.vanished {
                    self.connection.execute("UPDATE files SET vanished = NULL WHERE id = ?1", [known.id])?;
                }
                self.unchanged += 1;
                return Ok(Some(Piece::Unchanged(disk.bytes.try_into().unwrap_or_default())));
            }
            Some(known) if known.is(&disk) => there = self.there(known)?,
            Some(known) if known.complete && known.is_as_long_as(&disk) && !disk.is_archive() => {
                hash = self.hash(known)?
            }
            _ => {}
        }
        let items = Items::in_file(disk.path.clone(), Wanted::Demos, self.limits);
        self.at = Some(Opened { disk: Arc::new(disk), items, number: 0, there, known: hash });
        Ok(None)
    }

    /// Recordings of a file that was not read to its end.
    fn there(&self, known: &Known) -> rusqlite::Result<HashSet<u32>> {
        let mut all = self.connection.prepare("SELECT number FROM demos WHERE file_id = ?1 AND error IS NULL")?;
        all.query_map([known.id], |row| row.get(0))?.collect()
    }

    /// The hash of the only recording of a file.
    fn hash(&self, known: &Known) -> rusqlite::Result<Option<String>> {
        let sql = "SELECT min(sha256) FROM demos WHERE file_id = ?1 HAVING count(*) = 1";
        let mut all = self.connection.prepare(sql)?;
        let mut rows = all.query([known.id])?;
        rows.next()?.map_or(Ok(None), |row| row.get(0))
    }
}

impl Opened {
    fn next(&mut self, found: Found<Item>) -> Option<Next<Job, Piece>> {
        if let Found::Note(note) = found {
            return Some(Next::Piece(Piece::Note(note)));
        }
        let number = self.number;
        self.number += 1;
        if self.there.contains(&number) {
            return None;
        }
        let recording = |file| Recording { disk: Arc::clone(&self.disk), number, file };
        match found {
            Found::Item(item) => {
                // What is shown of a path has no signs that steer terminals, and here it must lead back to the file.
                let (shown, whole) = (item.to_string(), Location::file(self.disk.path.clone()).to_string());
                let file = format!("{}{}", self.disk.key, shown.strip_prefix(&whole).unwrap_or_default());
                Some(Next::Job(Job { recording: recording(file), item, known: self.known.take() }))
            }
            Found::Failed(e) => Some(Next::Piece(Piece::Unreadable(recording(self.disk.key.clone()), e))),
            Found::Note(_) => None,
        }
    }
}

/// Reads a recording and sends what it tells.
fn read(job: Job, settings: &Settings, to: &Sender<Piece>) {
    let Job { recording, item, known } = job;
    let disk = Arc::clone(&recording.disk);
    if !to.send(Piece::Begin(recording)) {
        return;
    }
    if let Some((_, bytes)) = known.and_then(|known| hashed(&item, &settings.limits).filter(|(hash, _)| *hash == known))
    {
        to.send(Piece::Same(disk, bytes));
        return;
    }
    let mut sending = Sending { rows: Rows::default(), to };
    let done = read_tables(&item, &TABLES, &settings.options, settings.limits, &mut sending);
    sending.send();
    let again = done.error.as_ref().is_some_and(may_pass);
    to.send(Piece::End(Ended { bytes: done.bytes, failed: done.error.is_some(), again }));
}

/// Hash and length of a recording.
fn hashed(item: &Item, limits: &Limits) -> Option<(String, u64)> {
    let source = open_one(item, Some(Wanted::Demos), limits).ok()?;
    let (_, hash, bytes) = HashingReader::new(source).finish().ok()?;
    Some((hash, bytes))
}

/// True for what may be otherwise next time, though the file is the same.
fn may_pass(e: &anyhow::Error) -> bool {
    use std::io::ErrorKind::{NotFound, OutOfMemory, PermissionDenied, TimedOut};
    match e.downcast_ref::<qdemo::Error>().map(|e| &e.kind) {
        Some(ErrorKind::Io(e)) => matches!(e.kind(), PermissionDenied | NotFound | TimedOut | OutOfMemory),
        _ => false,
    }
}

/// Sends rows as they come.
struct Sending<'s> {
    rows: Rows,
    to: &'s Sender<Piece>,
}

impl Sending<'_> {
    const PART: usize = 32 * 1024;

    fn send(&mut self) -> bool {
        let rows = std::mem::take(&mut self.rows);
        rows.len() == 0 || self.to.send(Piece::Rows(rows))
    }
}

impl TableRows for Sending<'_> {
    fn row(&mut self, table: usize, row: &Row<'_>) -> qdemo::Result<()> {
        self.rows.push(u8::try_from(table).unwrap_or(u8::MAX), row);
        match self.rows.len() < Sending::PART || self.send() {
            true => Ok(()),
            false => Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()),
        }
    }
}

/// Takes what readers send.
struct Taken<'t> {
    writer: Writer<'t>,
    progress: Progress,
    /// Something in the file at hand may be read better next time.
    again: bool,
    /// The file at hand holds what it held.
    same: bool,
    observer: &'t mut dyn Observer,
}

impl Taken<'_> {
    fn take(&mut self, piece: Piece, account: &mut Account) -> Result<()> {
        match piece {
            Piece::Begin(recording) => {
                self.observer.progress(self.progress, &recording.file);
                self.writer.begin(recording);
            }
            Piece::Rows(rows) => self.writer.rows(rows)?,
            Piece::End(ended) => {
                self.progress.bytes += ended.bytes;
                account.errors += u64::from(ended.failed);
                self.again |= ended.again;
                self.writer.end()?;
            }
            Piece::Same(disk, bytes) => {
                self.progress.bytes += bytes;
                self.same = true;
                self.writer.same(disk)?;
            }
            Piece::Complete(disk) => {
                match std::mem::take(&mut self.same) {
                    true => account.touched += 1,
                    false => account.read += 1,
                }
                self.done(disk.bytes.try_into().unwrap_or_default());
                self.writer.complete(disk, std::mem::take(&mut self.again))?;
            }
            Piece::Unchanged(bytes) => self.done(bytes),
            Piece::Note(note) => self.observer.note(note),
            Piece::Failed(e) => {
                account.errors += 1;
                self.observer.note(Note::error(&e));
            }
            Piece::Unreadable(recording, e) => {
                account.errors += 1;
                self.again |= may_pass(&e);
                let mut rows = Rows::default();
                let demos = TABLES.iter().position(|table| std::ptr::eq(*table, &table::DEMOS)).unwrap_or_default();
                rows.push(u8::try_from(demos).unwrap_or(u8::MAX), &table::unreadable(&e.to_string()));
                self.writer.begin(recording);
                self.writer.rows(rows)?;
                self.writer.end()?;
            }
        }
        Ok(())
    }

    fn done(&mut self, bytes: u64) {
        self.progress.files += 1;
        self.progress.bytes_on_disk += bytes;
        self.observer.progress(self.progress, "");
    }
}

/// Marks what the catalogue has of a folder and is there no more.
fn mark_vanished(connection: &Connection, root: &Root) -> Result<u64> {
    let sql = "SELECT id, path, raw FROM files WHERE vanished IS NULL AND (path >= ?1 AND path < ?2 OR path = ?3)";
    let mut gone: Vec<i64> = Vec::new();
    {
        let mut all = connection.prepare(sql)?;
        let mut rows = all.query(root.range())?;
        while let Some(row) = rows.next()? {
            let (name, raw): (String, Option<Vec<u8>>) = (row.get(1)?, row.get(2)?);
            let path = raw.map_or_else(|| PathBuf::from(&name), of_bytes);
            // A file may have another name in the catalogue since a newer version.
            if is_gone(&path) || key(&path) != name {
                gone.push(row.get(0)?);
            }
        }
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    for some in gone.chunks(1000) {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut mark = connection.prepare("UPDATE files SET vanished = ?2 WHERE id = ?1 AND vanished IS NULL")?;
        for id in some {
            mark.execute(params![id, i64::try_from(now).unwrap_or(i64::MAX)])?;
        }
        drop(mark);
        connection.execute_batch("COMMIT")?;
    }
    Ok(gone.len() as u64)
}

/// True where no file is. One that cannot be looked at is not gone.
fn is_gone(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match std::fs::metadata(path) {
        Ok(metadata) => !metadata.is_file(),
        Err(e) => matches!(e.kind(), NotFound | NotADirectory),
    }
}

/// A path of bytes, as the system has it.
#[cfg(unix)]
pub(crate) fn of_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(OsString::from_vec(bytes))
}

/// A path of bytes: elsewhere paths are text.
#[cfg(not(unix))]
pub(crate) fn of_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
