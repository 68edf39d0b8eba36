//! Bounds on what an untrusted file may make us do.

/// Bounds that readers respect. The defaults admit every known recording with room to spare.
///
/// No bound makes a reader lose bytes: what exceeds one is kept as unknown bytes with a diagnostic.
/// [`Bound`] names each of them in errors, and says which option of the command raises it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Largest payload of one block in bytes. Engines stop at 8,000 to 65,536; the default is 1 MiB.
    pub block: usize,
    /// Most bytes that come out of one file: of all members and all levels of containers in it together, and of a pipe
    /// or device that has no end. The default is 16 GiB.
    pub unpacked: u64,
    /// Most bytes of one file that are held in memory: of an archive within an archive, and of a recording for those who
    /// want all of it. The default is 4 GiB.
    pub held: u64,
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
        Limits {
            block: 1 << 20,
            unpacked: 16 << 30,
            held: 4 << 30,
            entries: 65_536,
            depth: 4,
            nesting: 16,
            statement: 256 << 20,
        }
    }
}

/// Makes [`Bound`] of one line for each: what it bounds in words, the option of the command, and the advice.
macro_rules! bounds {
    ($($(#[$doc:meta])* $bound:ident: $what:literal, $option:literal;)*) => {
        /// What a limit bounds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Bound {
            $($(#[$doc])* $bound,)*
        }

        impl Bound {
            /// Every bound.
            pub const ALL: &'static [Bound] = &[$(Bound::$bound),*];

            /// In words, for people.
            pub fn what(self) -> &'static str {
                match self {
                    $(Bound::$bound => $what,)*
                }
            }

            /// The option of the command that raises it.
            pub fn option(self) -> &'static str {
                match self {
                    $(Bound::$bound => $option,)*
                }
            }

            pub(crate) fn advice(self) -> &'static str {
                match self {
                    $(Bound::$bound => concat!("raise the limit (`qdemo ", $option, "`) if the file is trustworthy"),)*
                }
            }
        }
    };
}

bounds! {
    /// [`Limits::block`].
    Block: "block size", "--max-block";
    /// [`Limits::unpacked`], of containers.
    Unpacked: "unpacked size", "--max-unpacked";
    /// [`Limits::unpacked`], of a pipe or a device.
    Endless: "number of bytes from a pipe or device", "--max-unpacked";
    /// [`Limits::held`].
    Held: "size of a file in memory", "--max-held";
    /// [`Limits::entries`].
    Entries: "number of entries", "--max-entries";
    /// [`Limits::depth`].
    Depth: "depth of nested containers", "--max-depth";
    /// [`Limits::nesting`].
    Nesting: "nesting of braces", "--max-nesting";
    /// [`Limits::statement`].
    Statement: "statement length", "--max-statement";
}
