//! Recordings to read: those that the project ships, and those of the corpus where there is one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};

use qdemo::game::quakeworld::info::InfoBuilder;
use qdemo::{Chunk, Limits, Reader};
use serde_json::Value;

/// Root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// A shipped demo.
pub(crate) fn testdata(name: &str) -> Vec<u8> {
    fs::read(root().join("testdata").join(name)).unwrap()
}

/// A small file with a fault or a mistake in it.
pub(crate) fn bad(name: &str) -> Vec<u8> {
    fs::read(root().join("testdata/bad").join(name)).unwrap()
}

/// Where the corpus is: `QDEMO_CORPUS`, or `shared` beside the checkout.
fn base() -> PathBuf {
    std::env::var_os("QDEMO_CORPUS").map_or_else(|| root().join("../shared"), PathBuf::from)
}

/// A part of the corpus, for a test that does with less what it can without.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    let path = base().join(part);
    if path.exists() {
        return Some(path);
    }
    if base().join("corpus").exists() {
        return None;
    }
    TOLD.call_once(|| say("only testdata is read where more would be: no corpus"));
    None
}

/// A part of the corpus, for a test that can do nothing without: where it is missing, the test is skipped, and says so.
pub(crate) fn need(part: &str) -> Option<PathBuf> {
    let path = base().join(part);
    if path.exists() {
        return Some(path);
    }
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    say(&format!("skipped: {test}: no {part}"));
    None
}

/// Tells something about the corpus to who runs the tests. What `eprintln!` prints libtest keeps to itself while a test
/// passes, and a skipped test passes; what is written to standard error itself it does not see. All in one chunk, so that
/// the lines of other tests stay whole.
fn say(what: &str) {
    let _ = std::io::stderr().write_all(format!("{what} (QDEMO_CORPUS)\n").as_bytes());
}

/// The folders of the corpora that hold recordings of a kind: `dem`, `qwd`, `qwz`, `mvd`, `dm2`, `q3`.
pub(crate) fn corpora(kind: &str) -> Vec<PathBuf> {
    ["corpus", "corpus2"].iter().filter_map(|corpus| shared(&format!("{corpus}/{kind}"))).collect()
}

/// Files with an extension in a folder, sorted.
pub(crate) fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == extension) || extension.is_empty())
        .collect();
    all.sort();
    all
}

/// Every recording at hand with such an extension: shipped, of the corpus, and recorded for the project.
pub(crate) fn recordings(is: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut folders = vec![root().join("testdata")];
    folders.extend(["dem", "qwd", "mvd", "dm2", "q3"].into_iter().flat_map(corpora));
    if let Some(recorded) = shared("recorded") {
        folders.extend(files(&recorded, "").into_iter().filter(|path| path.is_dir()));
    }
    let fits = |path: &PathBuf| path.extension().is_some_and(|extension| is(&extension.to_string_lossy()));
    folders.iter().flat_map(|dir| files(dir, "")).filter(fits).collect()
}

/// Every `.dem` at hand.
pub(crate) fn all_dem() -> Vec<PathBuf> {
    recordings(|extension| extension == "dem")
}

/// Every `.qwd` at hand.
pub(crate) fn all_qwd() -> Vec<PathBuf> {
    recordings(|extension| extension == "qwd")
}

/// Every `.mvd` at hand.
pub(crate) fn all_mvd() -> Vec<PathBuf> {
    recordings(|extension| extension == "mvd")
}

/// Every recording of QuakeWorld at hand.
pub(crate) fn all_quakeworld() -> Vec<PathBuf> {
    [all_qwd(), all_mvd()].concat()
}

/// Every `.dm2` at hand.
pub(crate) fn all_dm2() -> Vec<PathBuf> {
    recordings(|extension| extension == "dm2")
}

/// Every `.mvd2` at hand.
pub(crate) fn all_mvd2() -> Vec<PathBuf> {
    recordings(|extension| extension == "mvd2")
}

/// Every recording of Quake III's family at hand.
pub(crate) fn all_dm3() -> Vec<PathBuf> {
    recordings(|extension| extension == "dm3" || extension.starts_with("dm_"))
}

/// What the list of the corpus, made with other decoders, says of a file: what it is, how many blocks it has, and how
/// they fill it.
pub(crate) struct Listed {
    pub(crate) what: String,
    pub(crate) blocks: Option<u64>,
    pub(crate) framing: String,
}

/// The list of the corpus, by the names of files.
pub(crate) fn manifest() -> BTreeMap<String, Listed> {
    let lists = ["corpus/MANIFEST.tsv", "corpus2/MANIFEST.tsv"].into_iter().filter_map(shared);
    let list: String = lists.map(|path| fs::read_to_string(path).unwrap()).collect();
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let name = columns[0].rsplit_once('/')?.1;
        Some((
            name.to_owned(),
            Listed { what: columns[7].to_owned(), blocks: columns[9].parse().ok(), framing: columns[10].to_owned() },
        ))
    };
    list.lines().filter_map(row).collect()
}

fn gunzip(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(fs::File::open(path).ok()?).read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

/// Recordings of Quake III's family, and what another analyser says of them. Where there is none, the test is skipped.
pub(crate) fn told_by_others() -> Vec<(PathBuf, Value)> {
    let Some(oracle) = need("oracle/udt") else { return Vec::new() };
    let oracles: Vec<_> = std::iter::once(oracle).chain(shared("oracle2/udt")).collect();
    let told = |path: PathBuf| {
        let name = format!("{}.json.gz", file_name(&path));
        let text = oracles.iter().find_map(|oracle| gunzip(&oracle.join(&name)))?;
        Some((path, serde_json::from_slice(&text).unwrap()))
    };
    all_dm3().into_iter().filter_map(told).collect()
}

/// A recording of the corpus, and what LMPC 3.4.5 wrote for it.
pub(crate) struct OfLmpc {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
    pub(crate) demo: Vec<u8>,
}

/// What LMPC wrote for recordings with such an extension, in a folder of the corpus. Where there is none, the test is
/// skipped.
pub(crate) fn told_by_lmpc(folder: &str, is: impl Fn(&str) -> bool) -> Vec<OfLmpc> {
    let Some(first) = need("oracle/lmpc") else { return Vec::new() };
    let demo = |name: &str| {
        let paths = ["corpus", "corpus2"].map(|corpus| base().join(corpus).join(folder).join(name));
        paths.into_iter().find_map(|path| fs::read(path).ok())
    };
    let folders = [Some(first), shared("oracle2/lmpc")];
    let texts = folders.into_iter().flatten().flat_map(|folder| files(&folder, "gz"));
    let all = texts.filter_map(|path| {
        let name = file_name(&path).replace(".txt.gz", "");
        let fits = name.rsplit_once('.').is_some_and(|(_, extension)| is(extension));
        fits.then(|| OfLmpc { text: gunzip(&path).unwrap(), demo: demo(&name).unwrap(), name })
    });
    let all: Vec<_> = all.collect();
    assert!(!all.is_empty(), "a folder of texts without one of {folder}");
    all
}

/// The name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The statistics of KTX within a multi-view recording.
pub(crate) fn ktx(path: &Path) -> Option<Value> {
    let demo = fs::read(path).unwrap();
    let mut chunks = Reader::new(&demo[..], &file_name(path), Limits::default()).unwrap();
    let mut gather = InfoBuilder::new(true);
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        if let Chunk::Mvd(chunk) = &chunk {
            gather.record(chunk);
        }
    }
    Some(serde_json::from_slice(&gather.finish().ktx?).unwrap())
}

/// Those that are not long: what takes a multiple of reading is tried on them, as long ones say little that others do not.
pub(crate) fn not_long(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_short = |path: &PathBuf| path.metadata().is_ok_and(|found| found.len() < 1_000_000);
    paths.into_iter().filter(is_short).collect()
}

/// True for recordings of which the list of the corpus says that they are damaged or cut.
pub(crate) fn is_broken(path: &Path) -> bool {
    static LIST: OnceLock<BTreeMap<String, Listed>> = OnceLock::new();
    let listed = LIST.get_or_init(manifest).get(&file_name(path));
    listed.is_some_and(|it| it.framing.starts_with("BROKEN: block") || it.framing.contains("NO -1,-1 end marker"))
}

/// True for a recording that has this text as it is: those of Quake and QuakeWorld pack none.
pub(crate) fn holds(demo: &[u8], text: &str) -> bool {
    demo.windows(text.len()).any(|bytes| bytes == text.as_bytes())
}

/// True for LibreQuake's game module, by the checksum that servers tell of it: it takes nothing for a fall.
pub(crate) fn falls_cost_nothing(demo: &[u8]) -> bool {
    holds(demo, "(26466 CRC)") || holds(demo, "\\*progs\\7336\\")
}

/// True for a game of flags, as its level shows them: that has points for more than frags.
pub(crate) fn has_flags(demo: &[u8]) -> bool {
    holds(demo, "progs/flag.mdl\0")
}
