//! What the name of a file promises. Folders and archives hold much that is no demo; only what is named explicitly
//! is read whatever it is called.

use std::path::{Path, PathBuf};

/// What to look for in folders and archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Demos.
    Demos,
    /// Texts to compile.
    Texts,
}

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// What we look for.
    Wanted,
    /// An archive that may hold it.
    Archive,
    /// A demo of a format that is not read yet.
    Later,
    /// Anything else.
    Other,
}

/// Formats that the library reads, beside the `dm_68` of Quake III. A new one moves here from `LATER`.
const DEMOS: [&str; 7] = ["dem", "dm2", "dm3", "mvd", "mvd2", "qwd", "qwz"];
const LATER: [&str; 1] = ["dz"];
const TEXTS: [&str; 2] = ["jsonl", "txt"];
const ARCHIVES: [&str; 3] = ["pak", "pk3", "zip"];

/// The name without what stands for the packing: `x.dem.gz` becomes `x.dem`, `x.qwz` becomes `x.qwd`.
pub(crate) fn unpacked_name(packed: &Path) -> PathBuf {
    let is = |path: &Path, extension| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
    let plain = if is(packed, "gz") { packed.with_extension("") } else { packed.to_owned() };
    if is(&plain, "qwz") { plain.with_extension("qwd") } else { plain }
}

impl Wanted {
    /// What a file name promises, by its extension.
    pub(crate) fn promise(self, name: &str) -> Promise {
        let Some((stem, extension)) = split(name) else { return Promise::Other };
        if extension == "gz" {
            // gzip keeps the name of what it packs in front: `run.dem.gz`, but also `backup.gz` or `e1m1_0.45.gz`.
            return match split(stem) {
                Some((_, inner)) if is_demo(&inner) || inner.bytes().all(|b| b.is_ascii_alphabetic()) => {
                    self.promise(stem)
                }
                _ if self == Wanted::Demos => Promise::Wanted,
                _ => Promise::Other,
            };
        }
        let wanted: &[&str] = match self {
            Wanted::Demos => &DEMOS,
            Wanted::Texts => &TEXTS,
        };
        let is = |list: &[&str]| list.contains(&extension.as_str());
        match extension.as_str() {
            _ if is(wanted) => Promise::Wanted,
            _ if self == Wanted::Demos && is_quake3(&extension) => Promise::Wanted,
            _ if is(&ARCHIVES) => Promise::Archive,
            _ if self == Wanted::Demos && is(&LATER) => Promise::Later,
            _ => Promise::Other,
        }
    }
}

/// The extension of a demo, read already or later.
fn is_demo(extension: &str) -> bool {
    is_quake3(extension) || DEMOS.contains(&extension) || LATER.contains(&extension)
}

/// `dm_68` and its kin: the number is that of a protocol.
fn is_quake3(extension: &str) -> bool {
    extension.strip_prefix("dm_").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn split(name: &str) -> Option<(&str, String)> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map(|(stem, extension)| (stem, extension.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_decide() {
        for (name, promise) in [
            ("demo1.DEM", Promise::Wanted),
            ("a/run.dem.gz", Promise::Wanted),
            ("backup.gz", Promise::Wanted),
            ("e1m1_0.45.gz", Promise::Wanted),
            ("pak0.pak", Promise::Archive),
            ("old.zip.gz", Promise::Archive),
            ("duel.mvd", Promise::Wanted),
            ("duel.MVD.gz", Promise::Wanted),
            ("trick.qwd", Promise::Wanted),
            ("trick.qwz", Promise::Wanted),
            ("duel.mvd2", Promise::Wanted),
            ("duel.mvd2.gz", Promise::Wanted),
            ("duel.dz", Promise::Later),
            ("duel.dm3", Promise::Wanted),
            ("duel.dm_68", Promise::Wanted),
            ("duel.DM_91", Promise::Wanted),
            ("duel.dm_68.gz", Promise::Wanted),
            ("duel.dm2", Promise::Wanted),
            ("notes.txt.gz", Promise::Other),
            ("all.tar.gz", Promise::Other),
            ("a.dem/readme", Promise::Other),
            ("x.dm_", Promise::Other),
        ] {
            assert_eq!(Wanted::Demos.promise(name), promise, "{name}");
        }
        assert_eq!(Wanted::Texts.promise("demo1.dem.txt"), Promise::Wanted);
        assert_eq!(Wanted::Texts.promise("demo1.dem.txt.gz"), Promise::Wanted);
        assert_eq!(Wanted::Texts.promise("duel.dm_68.jsonl"), Promise::Wanted);
        assert_eq!(Wanted::Texts.promise("duel.dm_68.gz"), Promise::Other);
        assert_eq!(Wanted::Texts.promise("demo1.dem"), Promise::Other);
    }
}
