//! What the name of a file promises. Folders and archives hold much that is no demo; only what is named explicitly
//! is read whatever it is called.

use std::path::{Path, PathBuf};

use qdemo::FileKind;
use qdemo::container;

/// What to look for in folders and archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Demos.
    Demos,
    /// Texts to compile.
    Texts,
}

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameHint {
    /// What we look for.
    Wanted,
    /// An archive that may hold it.
    Archive,
    /// An archive of a kind that is not unpacked.
    Unsupported,
    /// Anything else.
    Other,
}

const UNSUPPORTED: [&str; 7] = ["ace", "arj", "cab", "lha", "lzh", "rar", "zoo"];
const TEXTS: [&str; 2] = ["jsonl", "txt"];
const ARCHIVES: [&str; 10] = ["7z", "dz", "pak", "pk3", "tar", "tbz", "tbz2", "tgz", "txz", "zip"];

/// The name without what stands for the packing: `x.dem.gz` becomes `x.dem`, `x.qwz` becomes `x.qwd`.
pub fn unpacked_name(packed: &Path) -> PathBuf {
    let name = packed.file_name().and_then(|name| name.to_str());
    let plain = name.map_or_else(|| packed.to_owned(), |name| packed.with_file_name(container::unpacked_name(name)));
    let is_qwz = plain.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("qwz"));
    if is_qwz { plain.with_extension("qwd") } else { plain }
}

impl Wanted {
    /// What a file name promises, by its extension.
    pub fn hint(self, name: &str) -> NameHint {
        let Some((stem, extension)) = split(name) else { return NameHint::Other };
        if container::unpacked_name(name) != name {
            // The name of what is packed stands in front: `run.dem.gz`, but also `backup.gz` or `e1m1_0.45.gz`.
            return match split(stem) {
                Some((_, inner)) if is_known(&inner) || inner.bytes().all(|b| b.is_ascii_alphabetic()) => {
                    self.hint(stem)
                }
                _ if self == Wanted::Demos => NameHint::Wanted,
                _ => NameHint::Other,
            };
        }
        let is = |list: &[&str]| list.contains(&extension.as_str());
        let wanted = match self {
            Wanted::Demos => FileKind::by_extension(&extension).is_some(),
            Wanted::Texts => is(&TEXTS),
        };
        match extension.as_str() {
            _ if wanted => NameHint::Wanted,
            _ if is(&ARCHIVES) => NameHint::Archive,
            _ if is(&UNSUPPORTED) => NameHint::Unsupported,
            _ => NameHint::Other,
        }
    }
}

/// The extension of a demo or of an archive.
fn is_known(extension: &str) -> bool {
    FileKind::by_extension(extension).is_some() || ARCHIVES.contains(&extension)
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
        for (name, hint) in [
            ("demo1.DEM", NameHint::Wanted),
            ("a/run.dem.gz", NameHint::Wanted),
            ("backup.gz", NameHint::Wanted),
            ("e1m1_0.45.gz", NameHint::Wanted),
            ("pak0.pak", NameHint::Archive),
            ("old.zip.gz", NameHint::Archive),
            ("duel.mvd", NameHint::Wanted),
            ("duel.MVD.gz", NameHint::Wanted),
            ("trick.qwd", NameHint::Wanted),
            ("trick.qwz", NameHint::Wanted),
            ("duel.mvd2", NameHint::Wanted),
            ("duel.mvd2.gz", NameHint::Wanted),
            ("e1m1_0024.dz", NameHint::Archive),
            ("run.dem.xz", NameHint::Wanted),
            ("run.dem.BZ2", NameHint::Wanted),
            ("old.7z", NameHint::Archive),
            ("old.tgz", NameHint::Archive),
            ("old.rar", NameHint::Unsupported),
            ("duel.dm3", NameHint::Wanted),
            ("duel.dm_68", NameHint::Wanted),
            ("duel.DM_91", NameHint::Wanted),
            ("duel.dm_68.gz", NameHint::Wanted),
            ("duel.dm2", NameHint::Wanted),
            ("relay.rla", NameHint::Wanted),
            ("notes.txt.gz", NameHint::Other),
            ("all.tar.gz", NameHint::Archive),
            ("a.dem/readme", NameHint::Other),
            ("x.dm_", NameHint::Other),
        ] {
            assert_eq!(Wanted::Demos.hint(name), hint, "{name}");
        }
        assert_eq!(Wanted::Texts.hint("demo1.dem.txt"), NameHint::Wanted);
        assert_eq!(Wanted::Texts.hint("demo1.dem.txt.gz"), NameHint::Wanted);
        assert_eq!(Wanted::Texts.hint("duel.dm_68.jsonl"), NameHint::Wanted);
        assert_eq!(Wanted::Texts.hint("duel.dm_68.gz"), NameHint::Other);
        assert_eq!(Wanted::Texts.hint("demo1.dem"), NameHint::Other);
    }
}
