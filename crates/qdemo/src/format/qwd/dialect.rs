//! The protocols of QuakeWorld and their extensions: a [`Dialect`] for each. Multi-view demos have it too.
//!
//! Sources: the QWD document 1.0.5; id Software's QuakeWorld client for protocols 25 to 28; ezQuake, MVDSV and FTE for
//! the extension words.

use std::ops::RangeInclusive;

use super::message::MessageKind;
use crate::describe::{ByteDialect, ByteWire, Wire};
use crate::format::dem::Extensions;
use crate::format::{AnyDialect, Opcodes};
use crate::wire::{AngleKind, ByteReader, ByteWriter, CoordKind};

/// Bytes, in dialects of QuakeWorld.
#[derive(Debug, Clone, Copy)]
pub struct Bytes;

impl crate::sealed::Sealed for Bytes {}

impl Wire for Bytes {
    type Reader<'a> = ByteReader<'a>;
    type Writer = ByteWriter;
    type Dialect = Dialect;
}

impl ByteWire for Bytes {}

/// How one protocol of QuakeWorld writes its messages. A plain value: copy it, compare it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// Name for people: `quakeworld`, `multi-view`.
    pub name: &'static str,
    /// The protocol number in the file, that of most recordings before a server introduced itself.
    pub protocol: i32,
    /// True when LMPC 3.4 knows the layout of all messages it knows by name.
    pub known_to_lmpc: bool,
    /// How coordinates are written.
    pub coord: CoordKind,
    /// How angles are written.
    pub angle: AngleKind,
    /// True in a multi-view recording, where some messages are others.
    pub multiview: bool,
    /// `serverdata` ends with ten movement variables (from 25 on).
    pub movevars: bool,
    /// Lists of models and sounds come in numbered parts (from 26 on).
    pub numbered_lists: bool,
    /// Commands in `playerinfo` have their later layout (from 27 on).
    pub wide_commands: bool,
    /// `setangle` begins with a byte: the player's slot in multi-view recordings, else what turned the view.
    pub setangle_byte: bool,
    /// Entity deltas may have a third and fourth mask byte (with any FTE extension).
    pub entity_bytes: bool,
    /// `playerinfo` may have a third flag byte (FTE's TRANS).
    pub player_byte: bool,
    /// Bit 7 of a player's skin adds 256 to the number of the model (FTE's MODELDBL).
    pub double_models: bool,
    /// `playerinfo` tells weapon prediction (MVD1's WEAPONPREDICTION).
    pub weapon_prediction: bool,
    /// Records for nobody hold hidden messages (MVD1's HIDDEN_MESSAGES).
    pub hidden: bool,
    /// How origins of entity deltas are written.
    pub entity_coord: CoordKind,
    /// How origins of players are written.
    pub player_coord: CoordKind,
    /// Which message has which number.
    pub opcodes: &'static Opcodes,
}

impl crate::sealed::Sealed for Dialect {}

impl AnyDialect for Dialect {
    fn protocol(&self) -> i32 {
        self.protocol
    }
    fn name(&self) -> &'static str {
        self.name
    }
}

impl ByteDialect for Dialect {
    #[inline(always)]
    fn coord(&self) -> CoordKind {
        self.coord
    }
    #[inline(always)]
    fn angle(&self) -> AngleKind {
        self.angle
    }
}

/// True for messages with which a recording begins.
pub(crate) fn begins_level(messages: &[u8]) -> bool {
    let first = messages.first().and_then(|code| Dialect::QUAKEWORLD.opcodes.kind(*code));
    first == Some(MessageKind::ServerData as usize)
}

const fn op(code: u8, kind: MessageKind) -> (u8, u8) {
    (code, kind as u8)
}

/// QWD document, section on messages.
const MESSAGES: [(u8, u8); 44] = [
    op(0, MessageKind::Bad),
    op(1, MessageKind::Nop),
    op(2, MessageKind::Disconnect),
    op(3, MessageKind::UpdateStat),
    op(6, MessageKind::Sound),
    op(7, MessageKind::Time),
    op(8, MessageKind::Print),
    op(9, MessageKind::StuffText),
    op(10, MessageKind::SetAngle),
    op(11, MessageKind::ServerData),
    op(12, MessageKind::LightStyle),
    op(14, MessageKind::UpdateFrags),
    op(16, MessageKind::StopSound),
    op(19, MessageKind::Damage),
    op(20, MessageKind::SpawnStatic),
    op(22, MessageKind::SpawnBaseline),
    op(23, MessageKind::TempEntity),
    op(24, MessageKind::SetPause),
    op(26, MessageKind::CenterPrint),
    op(27, MessageKind::KilledMonster),
    op(28, MessageKind::FoundSecret),
    op(29, MessageKind::SpawnStaticSound),
    op(30, MessageKind::Intermission),
    op(31, MessageKind::Finale),
    op(32, MessageKind::CdTrack),
    op(33, MessageKind::SellScreen),
    op(34, MessageKind::SmallKick),
    op(35, MessageKind::BigKick),
    op(36, MessageKind::UpdatePing),
    op(37, MessageKind::UpdateEnterTime),
    op(38, MessageKind::UpdateStatLong),
    op(39, MessageKind::MuzzleFlash),
    op(40, MessageKind::UpdateUserInfo),
    op(41, MessageKind::Download),
    op(43, MessageKind::Nails),
    op(44, MessageKind::Choke),
    op(45, MessageKind::ModelList),
    op(46, MessageKind::SoundList),
    op(47, MessageKind::PacketEntities),
    op(48, MessageKind::DeltaPacketEntities),
    op(49, MessageKind::MaxSpeed),
    op(50, MessageKind::EntGravity),
    op(51, MessageKind::SetInfo),
    op(52, MessageKind::ServerInfo),
];

/// Later additions: 53 in protocol 28, 54 by multi-view servers, 83 by Qizmo, the rest by FTE.
const LATER: [(u8, u8); 7] = [
    op(53, MessageKind::UpdatePl),
    op(54, MessageKind::Nails2),
    op(83, MessageKind::QizmoVoice),
    op(21, MessageKind::FteSpawnStatic2),
    op(60, MessageKind::FteModelList),
    op(66, MessageKind::FteSpawnBaseline2),
    op(84, MessageKind::VoiceChat),
];

static CLIENT: Opcodes = Opcodes::new(&[&MESSAGES, &LATER, &[op(42, MessageKind::PlayerInfo)]]);
static MULTIVIEW: Opcodes = Opcodes::new(&[&MESSAGES, &LATER, &[op(42, MessageKind::MvdPlayerInfo)]]);

/// FTE's flags that change the layout of messages.
mod fte {
    pub(super) const TRANS: u32 = 0x8;
    pub(super) const MODELDBL: u32 = 0x1000;
    pub(super) const FLOATCOORDS: u32 = 0x8000;
}

/// MVDSV's.
mod mvd1 {
    pub(super) const FLOATCOORDS: u32 = 0x1;
    pub(super) const HIGHLAGTELEPORT: u32 = 0x2;
    pub(super) const HIDDEN_MESSAGES: u32 = super::Extensions::HIDDEN_MESSAGES.1;
    pub(super) const WEAPONPREDICTION: u32 = 0x80;
}

/// The protocols that there are.
pub(super) const PROTOCOLS: RangeInclusive<i32> = 24..=28;

impl Dialect {
    /// QuakeWorld's protocol 28 without extensions, as one client recorded it.
    pub const QUAKEWORLD: Dialect = Dialect {
        name: "quakeworld",
        protocol: 28,
        known_to_lmpc: true,
        coord: CoordKind::I16,
        angle: AngleKind::I8,
        multiview: false,
        movevars: true,
        numbered_lists: true,
        wide_commands: true,
        setangle_byte: false,
        entity_bytes: false,
        player_byte: false,
        double_models: false,
        weapon_prediction: false,
        hidden: false,
        entity_coord: CoordKind::I16,
        player_coord: CoordKind::I16,
        opcodes: &CLIENT,
    };

    /// The same in a multi-view recording.
    pub const MULTIVIEW: Dialect = Dialect {
        name: "multi-view",
        known_to_lmpc: false,
        multiview: true,
        setangle_byte: true,
        opcodes: &MULTIVIEW,
        ..Dialect::QUAKEWORLD
    };

    /// The dialect that a `serverdata` announces: a protocol number and extension words.
    pub fn announced(protocol: i32, extensions: &Extensions, multiview: bool) -> Dialect {
        let (fte, mvd1) = (extensions.flags(Extensions::FTE1), extensions.flags(Extensions::MVD1));
        let base = if multiview { Dialect::MULTIVIEW } else { Dialect::QUAKEWORLD };
        let float = fte & fte::FLOATCOORDS != 0;
        let coord = if float { CoordKind::F32 } else { CoordKind::I16 };
        // With MVD1's flag only origins of moving things are floats.
        let moving = if mvd1 & mvd1::FLOATCOORDS != 0 { CoordKind::F32 } else { coord };
        Dialect {
            protocol,
            known_to_lmpc: base.known_to_lmpc && extensions.pairs().is_empty(),
            coord,
            angle: if float { AngleKind::I16 } else { AngleKind::I8 },
            movevars: protocol >= 25,
            numbered_lists: protocol >= 26,
            wide_commands: protocol >= 27,
            setangle_byte: multiview || mvd1 & mvd1::HIGHLAGTELEPORT != 0,
            entity_bytes: fte != 0,
            player_byte: fte & fte::TRANS != 0,
            double_models: fte & fte::MODELDBL != 0,
            weapon_prediction: mvd1 & mvd1::WEAPONPREDICTION != 0,
            hidden: multiview && mvd1 & mvd1::HIDDEN_MESSAGES != 0,
            entity_coord: moving,
            player_coord: if multiview { coord } else { moving },
            ..base
        }
    }

    /// The number of a kind of message, if the dialect has it.
    pub fn number_of(&self, kind: MessageKind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }
}
