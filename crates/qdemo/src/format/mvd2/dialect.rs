//! Q2PRO's multi-view recordings of Quake II: protocol 37 in its minor versions. The dialects are those of Quake II, with
//! numbers of commands.
//!
//! Sources: Q2PRO's server; recordings of minor version 2010.

use super::message::MessageKind;
use crate::format::Opcodes;
use crate::format::dm2::Dialect;

/// Commands by the low five bits of their number. Of two for one kind the last is written, and says no more than that.
const COMMANDS: [(u8, MessageKind); 14] = [
    (1, MessageKind::Nop),
    (4, MessageKind::ServerData),
    (5, MessageKind::ConfigString),
    (6, MessageKind::Frame),
    (9, MessageKind::Unicast),
    (8, MessageKind::Unicast),
    (15, MessageKind::Multicast),
    (14, MessageKind::Multicast),
    (13, MessageKind::Multicast),
    (12, MessageKind::Multicast),
    (11, MessageKind::Multicast),
    (10, MessageKind::Multicast),
    (16, MessageKind::Sound),
    (17, MessageKind::Print),
];

/// Bits of a number that tell the command.
const BITS: u32 = 5;

/// The same with every value of the three highest bits, 0 last.
const NUMBERS: [(u8, u8); COMMANDS.len() << (8 - BITS)] = {
    let mut all = [(0, 0); COMMANDS.len() << (8 - BITS)];
    let mut n = 0;
    while n < all.len() {
        let (number, kind) = COMMANDS[n % COMMANDS.len()];
        let high = ((all.len() - 1 - n) / COMMANDS.len()) as u8;
        all[n] = (number | high << BITS, kind as u8);
        n += 1;
    }
    all
};

static MULTIVIEW: Opcodes = Opcodes::new(&[&NUMBERS]);

/// Flags of a recording.
mod flag {
    pub(super) const EXTENDED: u16 = 4;
    pub(super) const EXTENDED_2: u16 = 8;
}

/// Minor versions.
mod minor {
    pub(super) const FIRST: u16 = 2009;
    pub(super) const EXTENDED: u16 = 2011;
    pub(super) const EXTENDED_2: u16 = 2012;
    pub(super) const FOG: u16 = 2013;
    pub(super) const LAST: u16 = FOG;
}

impl Dialect {
    /// The protocol number of Q2PRO's multi-view recordings.
    pub const MVD2_PROTOCOL: i32 = 37;

    /// Q2PRO's multi-view recordings, without extended limits.
    pub const MVD2: Dialect = Dialect { known_to_lmpc: false, ..Dialect::QUAKE2.multiview("mvd2") };

    /// A dialect of a client's recordings, as it is within multi-view recordings.
    const fn multiview(self, name: &'static str) -> Dialect {
        Dialect { name, protocol: Self::MVD2_PROTOCOL, remove_with_fields: true, opcodes: &MULTIVIEW, ..self }
    }

    /// The dialect after a `serverdata` with a minor version and flags; `None` for a version that is not known, and for
    /// flags that contradict each other.
    pub fn mvd2(version: u16, flags: u16) -> Option<Dialect> {
        if !(minor::FIRST..=minor::LAST).contains(&version) {
            return None;
        }
        let larger = version >= minor::EXTENDED && flags & flag::EXTENDED != 0;
        let second = version >= minor::EXTENDED_2 && flags & flag::EXTENDED_2 != 0;
        // Each is laid out as one of the extended demos of clients.
        let (name, client) = match (larger, second) {
            (false, false) => return Some(Dialect::MVD2),
            (false, true) => return None,
            (true, false) => ("mvd2-extended", 3434),
            (true, true) if version < minor::FOG => ("mvd2-extended-2", 3435),
            (true, true) => ("mvd2-extended-2", 3436),
        };
        Dialect::extended(client).map(|client| client.multiview(name))
    }

    /// The dialect of the recordings of clients whose messages stand within these.
    pub(crate) fn of_clients(&self) -> Dialect {
        let is_like = |client: &Dialect| std::ptr::eq(client.layout, self.layout);
        [3436, 3435, 3434].into_iter().filter_map(Dialect::extended).find(is_like).unwrap_or(Dialect::QUAKE2)
    }

    /// The number of a kind of command, if the dialect has it.
    pub fn number_of_command(&self, kind: MessageKind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }

    /// True when a `serverdata` of a minor version has its flags in two bytes, false when they are in its number;
    /// `None` for a version that is not known.
    pub(crate) fn mvd2_has_flags(version: u16) -> Option<bool> {
        (minor::FIRST..=minor::LAST).contains(&version).then_some(version >= minor::EXTENDED_2)
    }
}
