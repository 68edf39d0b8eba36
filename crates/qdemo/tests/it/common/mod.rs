//! Helpers of the tests: demos to read, blocks to build.

pub(crate) mod quake3;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use qdemo::detect::Format;
use qdemo::format::qwd::Gather;
use qdemo::text::{Options, Style, compile_bytes, decompile};
use qdemo::{Limits, Piece, Pieces};

/// Root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The demos that the project ships.
pub(crate) fn shipped() -> Vec<PathBuf> {
    files(&root().join("testdata"), "dem")
}

/// A shipped demo.
pub(crate) fn testdata(name: &str) -> Vec<u8> {
    fs::read(root().join("testdata").join(name)).unwrap()
}

/// The folder with the large corpus, where there is one: `QDEMO_CORPUS`, or `shared` beside the checkout.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let base = std::env::var_os("QDEMO_CORPUS").map_or_else(|| root().join("../shared"), PathBuf::from);
    let path = base.join(part);
    path.is_dir().then_some(path)
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

/// Every `.dem` at hand: shipped, of the corpus, and recorded for the project.
pub(crate) fn all_dem() -> Vec<PathBuf> {
    let mut all = shipped();
    for part in ["corpus/dem", "recorded/dem"] {
        all.extend(shared(part).map(|dir| files(&dir, "dem")).unwrap_or_default());
    }
    all
}

/// Every recording of Quake III's family at hand: shipped, of the corpus, and recorded for the project.
pub(crate) fn all_dm3() -> Vec<PathBuf> {
    let mut folders = vec![root().join("testdata")];
    folders.extend(shared("corpus/q3"));
    if let Some(recorded) = shared("recorded") {
        folders.extend(files(&recorded, "").into_iter().filter(|p| p.to_string_lossy().contains("dm_")));
    }
    let is_dm3 = |p: &PathBuf| p.extension().is_some_and(|e| e == "dm3" || e.to_string_lossy().starts_with("dm_"));
    folders.iter().flat_map(|dir| files(dir, "")).filter(is_dm3).collect()
}

/// Every recording of QuakeWorld at hand: shipped, of the corpus, and recorded for the project.
pub(crate) fn all_quakeworld() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for extension in ["qwd", "mvd"] {
        all.extend(files(&root().join("testdata"), extension));
        for part in ["corpus", "recorded"] {
            all.extend(shared(&format!("{part}/{extension}")).map(|dir| files(&dir, extension)).unwrap_or_default());
        }
    }
    all
}

/// Recordings of Quake III's family, and what another analyser says of them.
pub(crate) fn told_by_others() -> Vec<(PathBuf, serde_json::Value)> {
    let Some(oracle) = shared("oracle/udt") else { return Vec::new() };
    let mut all = Vec::new();
    for path in all_dm3() {
        let Ok(file) = fs::File::open(oracle.join(format!("{}.json.gz", file_name(&path)))) else { continue };
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
        all.push((path, serde_json::from_str(&text).unwrap()));
    }
    all
}

/// Every recording of Quake II at hand: of the corpus, and recorded for the project.
pub(crate) fn all_dm2() -> Vec<PathBuf> {
    let folders = ["corpus/dm2", "recorded/dm2"].into_iter().filter_map(shared);
    folders.flat_map(|dir| files(&dir, "dm2")).collect()
}

/// The name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The statistics of KTX within a multi-view recording.
pub(crate) fn ktx(path: &Path) -> Option<serde_json::Value> {
    let demo = std::fs::read(path).unwrap();
    let mut pieces = Pieces::new(&demo[..], &file_name(path), Limits::default()).unwrap();
    let mut gather = Gather::new(true);
    while let Some(piece) = pieces.next_piece().unwrap() {
        if let Piece::Mvd(piece) = &piece {
            gather.record(piece);
        }
    }
    Some(serde_json::from_slice(&gather.finish().ktx?).unwrap())
}

/// True for recordings of which is known that they are damaged or cut: their names say so.
pub(crate) fn is_broken(path: &Path) -> bool {
    let name = file_name(path);
    name.contains("invalid_") || name.contains("truncated")
}

/// A block of a Quake demo: header and messages.
pub(crate) fn block(payload: &[u8]) -> Vec<u8> {
    let mut b = (payload.len() as u32).to_le_bytes().to_vec();
    b.extend([0; 12]);
    b.extend(payload);
    b
}

/// A demo of blocks.
pub(crate) fn demo(track: &str, blocks: &[&[u8]]) -> Vec<u8> {
    let mut d = track.as_bytes().to_vec();
    blocks.iter().for_each(|b| d.extend(block(b)));
    d
}

/// A demo of Quake II: blocks behind their sizes, and the end mark.
pub(crate) fn quake2_demo(blocks: &[&[u8]]) -> Vec<u8> {
    let mut d = Vec::new();
    for block in blocks {
        d.extend((block.len() as u32).to_le_bytes());
        d.extend(*block);
    }
    d.extend(qdemo::format::dm2::END_MARK);
    d
}

/// The payload of a serverinfo: protocol, what follows it, and lists of one model and one sound.
pub(crate) fn serverinfo(protocol: i32, flags: &[u8]) -> Vec<u8> {
    let mut p = vec![11];
    p.extend(protocol.to_le_bytes());
    p.extend(flags);
    p.extend([1, 0]);
    p.extend(b"the Slipgate Complex\0maps/e1m1.bsp\0\0misc/null.wav\0\0");
    p
}

/// Text and JSON give the demo back. LMPC's language cannot hold everything of Quake III: there the decompiler says
/// so, and what it wrote compiles all the same.
#[track_caller]
pub(crate) fn assert_survives(demo: &[u8], name: &str) {
    for style in [Style::Text, Style::Lmpc, Style::Json] {
        let mut text = Vec::new();
        let done = decompile(demo, name, &mut text, &Options::with_style(style)).unwrap();
        let quake3 = matches!(done.detected.format, Format::Dm3(_));
        match compile_bytes(&text, "text") {
            Ok(back) if back == demo => {}
            Ok(_) if style == Style::Lmpc && quake3 && done.beyond_lmpc > 0 => {}
            Ok(back) => {
                let at = back.iter().zip(demo).position(|(a, b)| a != b).unwrap_or(back.len().min(demo.len()));
                panic!("{name}: {style:?} gives other bytes from offset {at} on ({} and {})", back.len(), demo.len());
            }
            Err(e) => panic!("{name}: {style:?}: {e}\n{}", e.details().unwrap_or_default()),
        }
    }
}

/// A small generator of random numbers, the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Damages bytes in one to four places: changes, gaps, additions, or an end that comes too early.
    pub(crate) fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..1 + self.below(4) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes[at] = self.next() as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.drain(at..(at + self.below(40)).min(bytes.len()))),
                3 => {
                    let n = self.below(40);
                    bytes.splice(at..at, self.bytes(n));
                }
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
    }

    /// Random bytes.
    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}
