//! Helpers of the tests: demos to read, blocks to build.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};

use qdemo::text::{Options, Style, compile_bytes, decompile_bytes};

/// Root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The demos that the project ships.
pub fn shipped() -> Vec<PathBuf> {
    files(&root().join("testdata"), "dem")
}

/// A shipped demo.
pub fn testdata(name: &str) -> Vec<u8> {
    fs::read(root().join("testdata").join(name)).unwrap()
}

/// The folder with the large corpus, where there is one: `QDEMO_CORPUS`, or `shared` beside the checkout.
pub fn shared(part: &str) -> Option<PathBuf> {
    let base = std::env::var_os("QDEMO_CORPUS").map_or_else(|| root().join("../shared"), PathBuf::from);
    let path = base.join(part);
    path.is_dir().then_some(path)
}

/// Files with an extension in a folder, sorted.
pub fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == extension) || extension.is_empty())
        .collect();
    all.sort();
    all
}

/// Every `.dem` at hand: shipped, of the corpus, and recorded for the project.
pub fn all_dem() -> Vec<PathBuf> {
    let mut all = shipped();
    for part in ["corpus/dem", "recorded/dem"] {
        all.extend(shared(part).map(|dir| files(&dir, "dem")).unwrap_or_default());
    }
    all
}

/// A block: header and messages.
pub fn block(payload: &[u8]) -> Vec<u8> {
    let mut b = (payload.len() as u32).to_le_bytes().to_vec();
    b.extend([0; 12]);
    b.extend(payload);
    b
}

/// A demo of blocks.
pub fn demo(track: &str, blocks: &[&[u8]]) -> Vec<u8> {
    let mut d = track.as_bytes().to_vec();
    blocks.iter().for_each(|b| d.extend(block(b)));
    d
}

/// The payload of a serverinfo: protocol, what follows it, and lists of one model and one sound.
pub fn serverinfo(protocol: i32, flags: &[u8]) -> Vec<u8> {
    let mut p = vec![11];
    p.extend(protocol.to_le_bytes());
    p.extend(flags);
    p.extend([1, 0]);
    p.extend(b"the Slipgate Complex\0maps/e1m1.bsp\0\0misc/null.wav\0\0");
    p
}

/// Text and JSON give the demo back.
#[track_caller]
pub fn assert_survives(demo: &[u8], name: &str) {
    for style in [Style::Text, Style::Lmpc, Style::Json] {
        let text = decompile_bytes(demo, name, &Options::with_style(style)).unwrap();
        match compile_bytes(&text, "text") {
            Ok(back) if back == demo => {}
            Ok(back) => {
                let at = back.iter().zip(demo).position(|(a, b)| a != b).unwrap_or(back.len().min(demo.len()));
                panic!("{name}: {style:?} gives other bytes from offset {at} on ({} and {})", back.len(), demo.len());
            }
            Err(e) => panic!("{name}: {style:?}: {e}\n{}", e.details().unwrap_or_default()),
        }
    }
}

/// A small generator of random numbers, the same on every machine.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Random bytes.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}
