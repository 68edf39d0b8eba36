//! A folder of tables, parted by table and game as Hive does it: `table=frags/game=quake3/duel.dm_68-1a2b3c4d5e6f.parquet`.
//!
//! Each file comes into its place whole. What is in it follows from the recordings and their names alone, whatever the
//! number of threads.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Result, anyhow};
use qdemo::analysis::hash::HashingReader;
use qdemo::demo::detect::Detected;
use qdemo::table::{Row, TableRows};
use qdemo_inputs::{Done, Inputs, Item, Protected, Sender, read_tables};

use super::chunk::{Chunk, Chunks, Sheet, Source};
use super::{Plan, Within, tell};
use crate::batch::{self, AsPiece, Job, Outcome, Piece};
use crate::console::Note;
use crate::exit::Exit;
use crate::output::Output;
use crate::session::Session;

/// The game of a file that is no recording.
const NO_GAME: &str = "unknown";

/// The most sources that the metadata of a file name.
const SOURCES: usize = 1_000;

/// Where the files go.
struct Place<'p> {
    plan: &'p Plan,
    folder: &'p Path,
    protected: Protected,
    /// What was written, or left as it was.
    written: Mutex<HashSet<PathBuf>>,
}

impl Place<'_> {
    fn folder(&self, table: usize, game: &str) -> PathBuf {
        let name = self.plan.layouts.get(table).map_or("", |layout| layout.table().name);
        self.folder.join(format!("table={name}")).join(format!("game={game}"))
    }

    fn path(&self, table: usize, game: &str, name: &str) -> PathBuf {
        self.folder(table, game).join(format!("{name}.{}", self.plan.format.extension()))
    }

    fn note(&self, path: &Path) {
        self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(path.to_owned());
    }

    fn create(&self, table: usize, path: &Path) -> Result<Sheet> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|e| qdemo::Error::from(e).in_file(&folder.display().to_string()))?;
        }
        let layout = self.plan.layouts.get(table).ok_or_else(|| anyhow!("no such table"))?;
        self.note(path);
        Sheet::new(self.plan.format, layout, true, Output::create(path, &self.protected)?)
    }

    /// Files of these tables that an earlier run wrote and this one did not: a reader of the folder takes them in.
    fn leftovers(&self) -> Option<Note> {
        let written = self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut found = Vec::new();
        for layout in &self.plan.layouts {
            let folder = self.folder.join(format!("table={}", layout.table().name));
            let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
            let files = files.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
            found.extend(files.filter(|path| {
                path.extension().is_some_and(|ext| ext == self.plan.format.extension()) && !written.contains(path)
            }));
        }
        let first = found.first()?;
        let what =
            format!("{}: {} from an earlier run", first.display(), qdemo_inputs::count(found.len() as u64, "file"));
        Some(Note::Warning(format!(
            "{what}, with other rows than this run's; remove what should not be read with them"
        )))
    }
}

/// Writes the data set.
pub(super) fn run(plan: &Plan, inputs: Inputs, folder: &Path, session: &Session) -> Result<Exit> {
    anyhow::ensure!(
        !folder.exists() || folder.is_dir(),
        "{}: several files need a folder, and this is a file; give -o FOLDER",
        folder.display()
    );
    let protected = inputs.protected.clone();
    let place = Place { plan, folder, protected, written: Mutex::default() };
    let exit = match plan.rows_per_file {
        None => {
            let items = inputs.items();
            let mut names = Names::default();
            let prepare = |item: Item| Ok(names.give(item));
            batch::run(session, items, true, false, prepare, |named: &Named| one(&place, named), |_| Ok(()))?
        }
        Some(most) => many(&place, inputs, most, session)?,
    };
    place.leftovers().iter().for_each(|note| session.console.note(note));
    Ok(exit)
}

/// An input, and what its files are called.
struct Named {
    item: Item,
    name: String,
}

impl Job for Named {
    fn name(&self) -> String {
        self.item.to_string()
    }

    fn notes(&self) -> Vec<Note> {
        self.item.notes()
    }
}

/// Gives each input a name of its own: two folders, or an archive twice, may have a recording of one name.
#[derive(Default)]
struct Names {
    /// How often a name was given, by the hash in it.
    given: HashMap<u64, u32>,
}

impl Names {
    fn give(&mut self, item: Item) -> Named {
        let mut name = name(&item);
        let given = self.given.entry(key(&name)).or_default();
        *given += 1;
        if *given > 1 {
            name.push_str(&format!("-{given}"));
        }
        Named { item, name }
    }
}

/// The number at the end of a name.
fn key(name: &str) -> u64 {
    name.rsplit('-').next().and_then(|hash| u64::from_str_radix(hash, 16).ok()).unwrap_or_default()
}

/// What the files of an input are called: readable, and the same for the same path.
fn name(item: &Item) -> String {
    let relative = item.relative.to_string_lossy();
    let shown = relative.rsplit(['/', '\\']).next().unwrap_or(&relative);
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
    let shown: String = shown.chars().map(plain).take(100).collect();
    // What begins with these is hidden from readers.
    let shown = shown.trim_start_matches(['_', '.']);
    let bytes = item.relative.as_os_str().as_encoded_bytes();
    let hash = HashingReader::new(bytes).finish().map(|(_, hash, _)| hash).unwrap_or_default();
    format!("{shown}-{}", hash.get(..12).unwrap_or_default())
}

/// A file for each table of one input.
fn one(place: &Place<'_>, Named { item, name }: &Named) -> Outcome {
    let mut outcome = Outcome::new();
    let mut files = Files {
        place,
        file: item.to_string(),
        name: name.clone(),
        game: NO_GAME,
        known: false,
        sheets: Vec::new(),
        failed: None,
    };
    let done = rows(place.plan, item, &mut files);
    if let Err(e) = files.finish(&done) {
        outcome.fail(&e);
        return outcome;
    }
    told(&mut outcome, &item.to_string(), done);
    outcome
}

fn rows(plan: &Plan, item: &Item, rows: &mut dyn TableRows) -> Done {
    let tables: Vec<_> = plan.layouts.iter().map(|layout| layout.table()).collect();
    match plan.part(item) {
        Ok(part) => read_tables(item, &tables, &plan.options, plan.limits, &mut Within { plan, rows, part }),
        Err(e) => Done { error: Some(e.into()), ..Done::default() },
    }
}

/// Says what came of an input.
fn told(outcome: &mut Outcome, name: &str, done: Done) {
    if let Err(e) = tell(outcome, name, done) {
        outcome.fail(&e);
    }
}

/// The files of one input.
struct Files<'p> {
    place: &'p Place<'p>,
    file: String,
    name: String,
    game: &'static str,
    /// The game is known: it is a recording.
    known: bool,
    sheets: Vec<Option<(Chunks<'p>, Sheet)>>,
    failed: Option<anyhow::Error>,
}

impl<'p> Files<'p> {
    fn open(&mut self, table: usize) -> Result<()> {
        let path = self.place.path(table, self.game, &self.name);
        let layout = self.place.plan.layouts.get(table).ok_or_else(|| anyhow!("no such table"))?;
        let chunks = Chunks::new(self.place.plan.format, layout, Some(&self.file), u64::MAX)?;
        let sheet = self.place.create(table, &path)?;
        self.sheets.resize_with(self.sheets.len().max(table + 1), || None);
        if let Some(slot) = self.sheets.get_mut(table) {
            *slot = Some((chunks, sheet));
        }
        Ok(())
    }

    fn take(&mut self, table: usize, row: &Row<'_>) -> Result<()> {
        if self.sheets.get(table).is_none_or(Option::is_none) {
            self.open(table)?;
        }
        let Some(Some((chunks, sheet))) = self.sheets.get_mut(table) else { return Ok(()) };
        if let Some(chunk) = chunks.push(row)? {
            sheet.put(&chunk)?;
        }
        Ok(())
    }

    /// Completes the files; where one could not be written there are none.
    fn finish(mut self, done: &Done) -> Result<()> {
        if let Some(e) = self.failed.take() {
            return Err(e);
        }
        // Of a recording there is a file for each table, though it may have no rows: so it is seen which are done.
        let missing = |at: &usize| self.sheets.get(*at).is_none_or(Option::is_none);
        let missing: Vec<_> = (0..self.place.plan.layouts.len()).filter(|at| self.known && missing(at)).collect();
        missing.into_iter().try_for_each(|table| self.open(table))?;
        let source = Source::read(self.file.clone(), done);
        let mut whole = Vec::new();
        for (mut chunks, mut sheet) in self.sheets.into_iter().flatten() {
            if let Some(chunk) = chunks.flush()? {
                sheet.put(&chunk)?;
            }
            whole.push(sheet);
        }
        whole.into_iter().try_for_each(|sheet| sheet.finish(std::slice::from_ref(&source)))
    }
}

impl TableRows for Files<'_> {
    fn begin(&mut self, detected: &Detected) -> qdemo::Result<()> {
        (self.game, self.known) = (detected.kind.game(), true);
        Ok(())
    }

    fn row(&mut self, table: usize, row: &Row<'_>) -> qdemo::Result<()> {
        self.take(table, row).map_err(|e| stopped(e, &mut self.failed))
    }
}

/// Keeps an error of writing, and ends the reading.
fn stopped(e: anyhow::Error, kept: &mut Option<anyhow::Error>) -> qdemo::Error {
    *kept = Some(e);
    std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()
}

/// What a worker makes of an input.
pub(super) enum Made {
    Piece(Piece),
    /// Rows of a table.
    Rows {
        table: usize,
        game: &'static str,
        chunk: Chunk,
    },
    /// There are no more of that input.
    Source(Source),
}

impl AsPiece for Made {
    fn as_piece(&self) -> Option<&Piece> {
        match self {
            Made::Piece(piece) => Some(piece),
            _ => None,
        }
    }
}

/// Sends the rows of an input on, in chunks.
pub(super) struct Sending<'p> {
    plan: &'p Plan,
    file: String,
    most: u64,
    game: &'static str,
    chunks: Vec<Option<Chunks<'p>>>,
    to: &'p Sender<Made>,
}

impl<'p> Sending<'p> {
    pub(super) fn new(plan: &'p Plan, file: String, most: u64, to: &'p Sender<Made>) -> Self {
        let chunks = plan.layouts.iter().map(|_| None).collect();
        Sending { plan, file, most, game: NO_GAME, chunks, to }
    }

    fn send(&self, table: usize, chunk: Option<Chunk>) -> qdemo::Result<()> {
        match chunk.is_none_or(|chunk| self.to.send(Made::Rows { table, game: self.game, chunk })) {
            true => Ok(()),
            false => Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()),
        }
    }

    /// Sends what is left, and what the input was.
    pub(super) fn finish(mut self, done: &Done) -> qdemo::Result<()> {
        for table in 0..self.chunks.len() {
            let chunk = self.chunks.get_mut(table).and_then(Option::as_mut).map(Chunks::flush).transpose()?;
            self.send(table, chunk.flatten())?;
        }
        self.to.send(Made::Source(Source::read(self.file, done)));
        Ok(())
    }
}

impl TableRows for Sending<'_> {
    fn begin(&mut self, detected: &Detected) -> qdemo::Result<()> {
        self.game = detected.kind.game();
        Ok(())
    }

    fn row(&mut self, table: usize, row: &Row<'_>) -> qdemo::Result<()> {
        let (Some(slot), Some(layout)) = (self.chunks.get_mut(table), self.plan.layouts.get(table)) else {
            return Ok(());
        };
        if slot.is_none() {
            let made = Chunks::new(self.plan.format, layout, Some(&self.file), self.most);
            *slot = Some(made.map_err(|e| std::io::Error::other(e.to_string()))?);
        }
        let chunk = slot.as_mut().map(|chunks| chunks.push(row)).transpose()?.flatten();
        self.send(table, chunk)
    }
}

/// Reads one input and sends its rows.
pub(super) fn send(plan: &Plan, item: &Item, most: u64, to: &Sender<Made>) {
    to.send(Made::Piece(Piece::Begin(item.to_string())));
    let mut sending = Sending::new(plan, item.to_string(), most, to);
    let done = rows(plan, item, &mut sending);
    let mut outcome = Outcome::new();
    if let Err(e) = sending.finish(&done) {
        outcome.fail(&e.into());
    }
    told(&mut outcome, &item.to_string(), done);
    outcome.notes.extend(item.notes());
    to.send(Made::Piece(Piece::End(outcome)));
}

/// Shows what came of an input.
pub(super) fn show(session: &Session, outcome: &Outcome, exit: &mut Exit) {
    *exit = (*exit).max(outcome.exit);
    outcome.notes.iter().for_each(|note| session.console.note(note));
}

/// A part of a table and game that is being written.
struct Open {
    sheet: Sheet,
    rows: u64,
    sources: Vec<Source>,
}

impl Open {
    fn name(&mut self, source: Source) {
        if self.sources.len() < SOURCES {
            self.sources.push(source);
        }
    }
}

/// Files of so many rows at most, from all inputs in their order.
fn many(place: &Place<'_>, inputs: Inputs, most: u64, session: &Session) -> Result<Exit> {
    let mut parts: BTreeMap<(usize, &'static str), (u64, Option<Open>)> = BTreeMap::new();
    let mut exit = Exit::Fine;
    let (items, plan) = (inputs.items(), place.plan);
    let work = |item: Item, to: &Sender<Made>| send(plan, &item, most, to);
    // Tables and games that the input at hand has rows in: these name it.
    let mut touched: Vec<(usize, &'static str)> = Vec::new();
    let mut at_hand = String::new();
    let take = |made: Made| -> Result<()> {
        match made {
            Made::Piece(Piece::Begin(file)) => at_hand = file,
            Made::Piece(Piece::End(outcome)) => show(session, &outcome, &mut exit),
            Made::Piece(Piece::Part(_)) => {}
            Made::Rows { table, game, chunk } => {
                let (number, open) = parts.entry((table, game)).or_default();
                if open.as_ref().is_some_and(|open| open.rows > 0 && open.rows + chunk.rows() > most) {
                    if let Some(mut full) = open.take() {
                        if touched.contains(&(table, game)) {
                            full.name(Source::begun(at_hand.clone()));
                        }
                        full.sheet.finish(&full.sources)?;
                        *number += 1;
                    }
                }
                if open.is_none() {
                    let path = place.path(table, game, &format!("part-{number:05}"));
                    *open = Some(Open { sheet: place.create(table, &path)?, rows: 0, sources: Vec::new() });
                }
                if let Some(open) = open {
                    open.sheet.put(&chunk)?;
                    open.rows += chunk.rows();
                }
                if !touched.contains(&(table, game)) {
                    touched.push((table, game));
                }
            }
            Made::Source(source) => {
                for key in touched.drain(..) {
                    let open = parts.get_mut(&key).and_then(|(_, open)| open.as_mut());
                    open.into_iter().for_each(|open| open.name(source.clone()));
                }
            }
        }
        Ok(())
    };
    batch::pieces(session, session.jobs, items, true, Ok, Made::Piece, work, take)?;
    for (_, open) in parts.into_values() {
        if let Some(open) = open {
            open.sheet.finish(&open.sources)?;
        }
    }
    Ok(exit)
}

/// All inputs in one file, or on standard output.
pub(super) fn together(plan: &Plan, inputs: Inputs, out: Output, session: &Session) -> Result<Exit> {
    let layout = plan.layouts.first().ok_or_else(|| anyhow!("no such table"))?;
    let mut sheet = Sheet::new(plan.format, layout, true, out)?;
    let (mut exit, mut sources) = (Exit::Fine, Vec::new());
    let work = |item: Item, to: &Sender<Made>| send(plan, &item, u64::MAX, to);
    let take = |made: Made| -> Result<()> {
        match made {
            Made::Piece(Piece::End(outcome)) => show(session, &outcome, &mut exit),
            Made::Piece(_) => {}
            Made::Rows { chunk, .. } => sheet.put(&chunk)?,
            Made::Source(source) if sources.len() < SOURCES => sources.push(source),
            Made::Source(_) => {}
        }
        Ok(())
    };
    batch::pieces(session, session.jobs, inputs.items(), true, Ok, Made::Piece, work, take)?;
    sheet.finish(&sources)?;
    Ok(exit)
}
