//! What names of files say of how they are packed.

/// Extensions that a packed file has behind its own: `run.dem.gz`.
pub(crate) const PACKED: [&str; 4] = ["gz", "bz2", "xz", "zst"];

/// The name of a file without the extensions of what packs it: `run.dem.gz` becomes `run.dem`.
///
/// ```
/// use qdemo::container::unpacked_name;
/// assert_eq!(unpacked_name("old/run.dem.xz"), "old/run.dem");
/// assert_eq!(unpacked_name("run.dem"), "run.dem");
/// ```
pub fn unpacked_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((plain, extension)) if PACKED.iter().any(|packed| extension.eq_ignore_ascii_case(packed)) => {
            unpacked_name(plain)
        }
        _ => name,
    }
}
