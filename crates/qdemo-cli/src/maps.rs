//! Maps of the user's own games, found by the names of levels: in folders, in archives, or named themselves.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use qdemo::Limits;
use qdemo::container::{self, Listing, Location, Opened, Source};
use walkdir::WalkDir;

/// No map is larger.
const LARGEST: u64 = 512 << 20;

/// Where to look for maps.
#[derive(Debug, Clone)]
pub(crate) struct Maps(pub(crate) Vec<PathBuf>);

impl Maps {
    /// The map of a level, as `made` of its bytes, and where it was found: in a folder, maps in files before those in archives, and in later archives
    /// before those in earlier ones (`pak1.pak` before `pak0.pak`), as the games do. A map that is named itself is the one of
    /// a recording that has but one, whatever it is called. Of a whole folder not everything needs to be good: what is damaged
    /// there is passed over.
    ///
    /// # Errors
    /// A file that was named and cannot be read, or is none.
    pub(crate) fn find<M>(
        &self,
        map: &str,
        only: bool,
        limits: &Limits,
        made: &dyn Fn(&[u8]) -> qdemo::Result<M>,
    ) -> Result<Option<(String, M)>> {
        let made = |path: &Path, member: Option<(&Listing, usize)>| {
            let (file, bytes) = read(path, member, limits)?;
            let map = made(&bytes).map_err(|e| e.in_file(&file))?;
            anyhow::Ok((file, map))
        };
        for path in &self.0 {
            let named = !path.is_dir();
            let files = if named { vec![path.clone()] } else { files(path) };
            let (maps, archives): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| has_extension(path, &["bsp"]));
            for path in maps {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                if stem.eq_ignore_ascii_case(map) || named && only {
                    match made(&path, None) {
                        Err(_) if !named => {}
                        found => return found.map(Some),
                    }
                }
            }
            for path in archives.iter().rev().filter(|path| named || has_extension(path, &["pak", "pk3", "zip"])) {
                let name = path.display().to_string();
                let opened = container::open(&Location::file(path.clone()), limits);
                match opened.with_context(|| name.clone()) {
                    Ok(Opened::Listing(archive)) => {
                        if let Some(index) = member(&archive, map) {
                            match made(path, Some((&archive, index))) {
                                Err(_) if !named => {}
                                found => return found.map(Some),
                            }
                        }
                    }
                    Err(e) if named => return Err(e),
                    _ => {}
                }
            }
        }
        Ok(None)
    }
}

/// Files of a folder and the folders below, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let all = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter().filter_map(Result::ok);
    all.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let own = path.extension().unwrap_or_default();
    extensions.iter().any(|extension| own.eq_ignore_ascii_case(extension))
}

/// The map in an archive.
fn member(archive: &Listing, map: &str) -> Option<usize> {
    let wanted = format!("maps/{map}.bsp");
    archive.entries.iter().position(|entry| entry.display_name().replace('\\', "/").eq_ignore_ascii_case(&wanted))
}

fn read(path: &Path, member: Option<(&Listing, usize)>, limits: &Limits) -> Result<(String, Vec<u8>)> {
    let name = path.display().to_string();
    let bytes = |mut source: Source| {
        let mut bytes = Vec::new();
        source.by_ref().take(LARGEST).read_to_end(&mut bytes)?;
        anyhow::Ok(bytes)
    };
    let opened = match member {
        Some((archive, index)) => archive.open(index, limits),
        None => container::open(&Location::file(path.to_owned()), limits),
    };
    match opened.map_err(anyhow::Error::from).with_context(|| name.clone())? {
        Opened::File(source) => Ok((name.clone(), bytes(source).with_context(|| name)?)),
        Opened::Listing(_) => anyhow::bail!("{name}: this is an archive where a map was looked for"),
    }
}
