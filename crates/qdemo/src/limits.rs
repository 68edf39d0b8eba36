//! Bounds on what an untrusted file may make us do.

/// Bounds that readers respect. The defaults admit every known recording with room to spare.
///
/// No bound makes a reader lose bytes: what exceeds one is kept as unknown bytes with a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Largest payload of one block in bytes. Engines stop at 8,000 to 65,536; the default is 1 MiB.
    pub block: usize,
    /// Largest unpacked size of a container member in bytes. The default is 4 GiB.
    pub unpacked: u64,
    /// Most entries listed from one container. The default is 65,536.
    pub entries: usize,
    /// How deep containers may lie in containers. The default is 4.
    pub depth: usize,
    /// Deepest nesting of braces in a text. The default is 16.
    pub nesting: usize,
    /// Largest top-level statement of a text in bytes. The default is 256 MiB.
    pub statement: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { block: 1 << 20, unpacked: 4 << 30, entries: 65_536, depth: 4, nesting: 16, statement: 256 << 20 }
    }
}
