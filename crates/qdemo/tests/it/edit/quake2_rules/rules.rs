//! The rules by name, each with where it comes from.

/// Something an engine asks of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    source: &'static str,
}

/// A rule that a recording breaks.
#[derive(Debug)]
pub(super) struct Broken {
    at: usize,
    rule: Rule,
    what: String,
}

impl Broken {
    pub(super) fn told(&self, block: u64) -> String {
        let Self { at, rule, what } = self;
        format!("block {block}, byte {at}: {}: {what} ({})", rule.name, rule.source)
    }
}

impl Rule {
    /// The rule is broken at an offset in the file.
    pub(super) fn broken<T>(self, at: usize, what: impl Into<String>) -> Result<T, Broken> {
        Err(Broken { at, rule: self, what: what.into() })
    }

    /// The rule holds, or is broken at an offset in the file.
    pub(super) fn holds(self, holds: bool, at: usize, what: impl FnOnce() -> String) -> Result<(), Broken> {
        if holds { Ok(()) } else { self.broken(at, what()) }
    }
}

macro_rules! rules {
    ($($rule:ident: $name:literal, $source:literal;)*) => {
        $(pub(super) const $rule: Rule = Rule { name: $name, source: $source };)*
        /// Every rule.
        pub(super) const ALL: &[Rule] = &[$($rule),*];
    };
}

rules! {
    NOT_COVERED: "not a recording by a client with a protocol from 25 to 34", "facts 1.2, 1.4, 1.5, 6";

    BLOCK_SIZE: "a block has 1 to 32768 bytes, all there", "document 2.2, facts 1.1";
    EMPTY_BLOCK: "an empty block stands between two levels", "document 2.2, facts 1.1";
    END_MARK: "the block size -1 ends a recording", "document 2.2, facts 1.1";
    BEHIND_END: "nothing stands behind the end mark", "document 2.2";

    MESSAGE_WHOLE: "a message ends within its block", "facts 1.1";
    STRING_END: "a string ends with a zero byte within its block", "document 2.3, facts 1.1";
    STRING_LENGTH: "a string has 2047 bytes at most", "document 2.3";
    MESSAGE_KNOWN: "engines know the message", "document 3, facts 1.2, 3";

    SERVERDATA_FIRST: "serverdata is the first message", "facts 1.1, 4.1";
    SERVERDATA_CLIENT: "the player's number is 0 to 255, or -1 where none plays", "document 3.13, facts 1.2";
    CONFIG_INDEX: "a configstring has an index from 0 to 2079", "document 3.14, facts 1.2";
    CONFIG_LENGTH: "a configstring stays within its 64 bytes, the status bar within its 24 times 64",
        "document 3.14, facts 1.2";
    BASELINE_PLACE: "baselines stand in front of the first frame", "facts 1.1";
    MAP: "configstring 33 names the map when the client is told to precache", "facts 1.1, 6.5";
    PRECACHE: "the client is told to precache in front of the first frame", "facts 1.1";

    FRAME_ORDER: "frame, playerinfo and packetentities follow each other", "document 3.18, 3.19, 3.21";
    FRAME_ONCE: "a block has one frame, as a server's packet has", "facts 1.1";
    FRAME_NUMBER: "numbers of frames rise, and the time they stand for fits 32 bits", "document 3.21, facts 1.6, 4.8";
    FRAME_AREAS: "a frame has 32 bytes of areas at most", "document 3.21, facts 1.2";
    FRAME_FULL: "the first frame of a level refers to no other", "facts 4.1, 4.8";
    FRAME_BASE: "the frame referred to is the one in its place of the ring of 16", "facts 4.3";
    FRAME_RING: "the entities of the frame referred to are still in the ring of 1024", "facts 4.3";
    PLAYER_BITS: "playerinfo has fields that are known", "document 3.18, facts 1.2, 3";
    PLAYER_MOVE: "a player moves in one of the five ways", "document 3.18, facts 2";

    ENTITY_NUMBER: "an entity has a number from 1 to 1023", "document 3.10, 3.19";
    ENTITY_BITS: "an entity has fields that are known", "document 3.15, facts 1.2, 3";
    ENTITY_ORDER: "numbers of entities rise", "facts 0, 4.4";
    REMOVE_PRESENT: "an entity that is removed is in the frame referred to", "facts 0, 4.4";
    REMOVE_PLAIN: "nothing follows an entity that is removed, and no baseline removes", "facts 1.2";

    MUZZLE_ENTITY: "a muzzle flash is of an entity from 1 to 1023", "facts 1.2";
    TEMP_KIND: "the protocol has the temporary entity, and engines read it", "document 3.4, facts 1.2, 1.3, 3";
    DIRECTION: "a direction is one of 162", "document 2.3, facts 1.2";
    SOUND_BITS: "a sound has fields that are known", "document 3.10, facts 1.2";
    SOUND_ENTITY: "a sound is of an entity up to 1024", "document 3.10, facts 1.2";
    PRINT_LEVEL: "a print has a level from 0 to 3", "document 3.11";
    DOWNLOAD: "a download has a size, or -1, and a percentage", "document 3.17";
    DISCONNECT: "nothing follows a disconnect, nothing but a level a reconnect", "document 3.8, 3.9";
}
