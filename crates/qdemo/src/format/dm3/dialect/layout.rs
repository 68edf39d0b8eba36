//! Layouts: which fields in which order, which numbers, for the protocols that share them.

use super::table::Row;
use super::{DeltaForm, EntityField, Era, Indices, PlayerField, ProtocolLayout, Table};
use crate::wire::Coding;

macro_rules! rows {
    ($ty:ident: $($field:ident $bits:literal),*) => { [$(($ty::$field as u8, $bits)),*] };
}

const ENTITY_A: [Row; 9] = rows!(EntityField: PosTrTime 32, PosTrBaseX 0, PosTrBaseY 0, PosTrDeltaX 0, PosTrDeltaY 0, PosTrBaseZ 0, AposTrBaseY 0, PosTrDeltaZ 0, AposTrBaseX 0);
const ENTITY_B: [Row; 36] = rows!(EntityField: Event 10, Angles2Y 0, EType 8, TorsoAnim 8, EventParm 8, LegsAnim 8, GroundEntityNum 10, PosTrType 8, EFlags 19, OtherEntityNum 10, Weapon 8, ClientNum 8, AnglesY 0, PosTrDuration 32, AposTrType 8, OriginX 0, OriginY 0, OriginZ 0, Solid 24, Powerups 16, Modelindex 8, OtherEntityNum2 10, LoopSound 8, Generic1 8, Origin2Z 0, Origin2X 0, Origin2Y 0, Modelindex2 8, AnglesX 0, Time 32, AposTrTime 32, AposTrDuration 32, AposTrBaseZ 0, AposTrDeltaX 0, AposTrDeltaY 0, AposTrDeltaZ 0);
const ENTITY_C: [Row; 6] = rows!(EntityField: Time2 32, AnglesZ 0, Angles2X 0, Angles2Z 0, ConstantLight 32, Frame 16);
const POS_GRAVITY: [Row; 1] = rows!(EntityField: PosGravity 32);
const APOS_GRAVITY: [Row; 1] = rows!(EntityField: AposGravity 32);
const ENTITY_JUMP: [Row; 2] = rows!(EntityField: JumpTime 32, DoubleJumped 1);
const ENTITY_STATUS: [Row; 3] = rows!(EntityField: Health 16, Armor 16, Location 8);
const OLD_HEAD: [Row; 1] = rows!(EntityField: EType 8);
const OLD_FLAGS_16: [Row; 1] = rows!(EntityField: EFlags 16);
const OLD_FLAGS_19: [Row; 1] = rows!(EntityField: EFlags 19);
const OLD_TAIL: [Row; 48] = rows!(EntityField: PosTrType 8, PosTrTime 32, PosTrDuration 32, PosTrBaseX 0, PosTrBaseY 0, PosTrBaseZ 0, PosTrDeltaX 0, PosTrDeltaY 0, PosTrDeltaZ 0, AposTrType 8, AposTrTime 32, AposTrDuration 32, AposTrBaseX 0, AposTrBaseY 0, AposTrBaseZ 0, AposTrDeltaX 0, AposTrDeltaY 0, AposTrDeltaZ 0, Time 32, Time2 32, OriginX 0, OriginY 0, OriginZ 0, Origin2X 0, Origin2Y 0, Origin2Z 0, AnglesX 0, AnglesY 0, AnglesZ 0, Angles2X 0, Angles2Y 0, Angles2Z 0, OtherEntityNum 10, OtherEntityNum2 10, GroundEntityNum 10, LoopSound 8, ConstantLight 32, Modelindex 8, Modelindex2 8, Frame 16, ClientNum 8, Solid 24, Event 10, EventParm 8, Powerups 16, Weapon 8, LegsAnim 8, TorsoAnim 8);
const OLD_GENERIC: [Row; 1] = rows!(EntityField: Generic1 8);
const PLAYER_A: [Row; 19] = rows!(PlayerField: CommandTime 32, OriginX 0, OriginY 0, BobCycle 8, VelocityX 0, VelocityY 0, ViewanglesY 0, ViewanglesX 0, WeaponTime -16, OriginZ 0, VelocityZ 0, LegsTimer 8, PmTime -16, EventSequence 16, TorsoAnim 8, MovementDir 4, Events0 8, LegsAnim 8, Events1 8);
const PM_FLAGS_16: [Row; 1] = rows!(PlayerField: PmFlags 16);
const PM_FLAGS_24: [Row; 1] = rows!(PlayerField: PmFlags 24);
const PLAYER_B: [Row; 22] = rows!(PlayerField: GroundEntityNum 10, Weaponstate 4, EFlags 16, ExternalEvent 10, Gravity 16, Speed 16, DeltaAnglesY 16, ExternalEventParm 8, Viewheight -8, DamageEvent 8, DamageYaw 8, DamagePitch 8, DamageCount 8, Generic1 8, PmType 8, DeltaAnglesX 16, DeltaAnglesZ 16, TorsoTimer 12, EventParms0 8, EventParms1 8, ClientNum 8, Weapon 5);
const WEAPON_PRIMARY: [Row; 1] = rows!(PlayerField: WeaponPrimary 8);
const PLAYER_C: [Row; 6] =
    rows!(PlayerField: ViewanglesZ 0, GrapplePointX 0, GrapplePointY 0, GrapplePointZ 0, JumppadEnt 10, LoopSound 16);
const PLAYER_JUMP: [Row; 2] = rows!(PlayerField: JumpTime 32, DoubleJumped 1);
const PLAYER_KEYS: [Row; 7] =
    rows!(PlayerField: CrouchTime 32, CrouchSlideTime 32, Location 8, Fov 8, Forwardmove 8, Rightmove 8, Upmove 8);
const OLD_PLAYER_A: [Row; 4] = rows!(PlayerField: CommandTime 32, PmType 8, BobCycle 8, PmFlags 16);
const OLD_PLAYER_B: [Row; 6] =
    rows!(PlayerField: OriginX 0, OriginY 0, OriginZ 0, VelocityX 0, VelocityY 0, VelocityZ 0);
const OLD_PLAYER_C: [Row; 17] = rows!(PlayerField: Gravity 16, Speed 16, DeltaAnglesX 16, DeltaAnglesY 16, DeltaAnglesZ 16, GroundEntityNum 10, LegsTimer 8, TorsoTimer 12, LegsAnim 8, TorsoAnim 8, MovementDir 4, EFlags 16, EventSequence 16, Events0 8, Events1 8, EventParms0 8, EventParms1 8);
const OLD_PLAYER_D: [Row; 7] = rows!(PlayerField: ExternalEventParm 8, ClientNum 8, Weapon 5, Weaponstate 4, ViewanglesX 0, ViewanglesY 0, ViewanglesZ 0);
const OLD_PLAYER_E: [Row; 7] = rows!(PlayerField: DamageEvent 8, DamageYaw 8, DamagePitch 8, DamageCount 8, GrapplePointX 0, GrapplePointY 0, GrapplePointZ 0);
const PM_TIME_U: [Row; 1] = rows!(PlayerField: PmTime 16);
const PM_TIME_I: [Row; 1] = rows!(PlayerField: PmTime -16);
const WEAPON_TIME_U: [Row; 1] = rows!(PlayerField: WeaponTime 16);
const WEAPON_TIME_I: [Row; 1] = rows!(PlayerField: WeaponTime -16);
const EXTERNAL_8: [Row; 1] = rows!(PlayerField: ExternalEvent 8);
const EXTERNAL_10: [Row; 1] = rows!(PlayerField: ExternalEvent 10);
const VIEWHEIGHT_U: [Row; 1] = rows!(PlayerField: Viewheight 8);
const VIEWHEIGHT_I: [Row; 1] = rows!(PlayerField: Viewheight -8);
const OLD_PLAYER_F: [Row; 2] = rows!(PlayerField: JumppadEnt 10, LoopSound 16);
const OLD_PLAYER_G: [Row; 1] = rows!(PlayerField: Generic1 8);
/// Combinations of fields that protocols 43 to 48 give a number.
const OLD_MASKS: [u64; 31] = [
    0x8060,
    0x60,
    0xC060,
    0x2000000000E1,
    0x100000008060,
    0x80E0,
    0xC0E0,
    0x100000000000,
    0x8040,
    0x8020,
    0x100008060,
    0x8000000007ED,
    0xE0,
    0x3000000007ED,
    0x80,
    0x40,
    0x10000000C0E0,
    0x100000000060,
    0x20,
    0x2004000000E1,
    0x202001C000E1,
    0x10000C0E0,
    0x4060,
    0xC040,
    0x10000C060,
    0x10000000C060,
    0x1000100008060,
    0x300000008060,
    0x1000000080E0,
    0xC020,
    0x2000000008060,
];

const INDICES_43: Indices = Indices {
    players: 544,
    game_version: 12,
    level_start: 13,
    intermission: 14,
    flag_status: 15,
    items: 27,
    models: 32,
    sounds: 288,
    locations: 672,
    timeout: None,
    quake_live: false,
};
const INDICES_48: Indices =
    Indices { game_version: 20, level_start: 21, intermission: 22, flag_status: 23, locations: 608, ..INDICES_43 };
const INDICES_73: Indices = Indices {
    players: 529,
    game_version: 12,
    level_start: 13,
    intermission: 14,
    flag_status: 658,
    items: 15,
    models: 17,
    sounds: 273,
    locations: 593,
    timeout: Some(669),
    quake_live: true,
};

macro_rules! entity {
    ($($part:ident),*) => { Table::new(EntityField::NAMES, &[$(&$part),*]) };
}
macro_rules! player {
    ($($part:ident),*) => { Table::new(PlayerField::NAMES, &[$(&$part),*]) };
}

pub(super) static LAYOUT_43: ProtocolLayout = ProtocolLayout {
    coding: Coding::Plain,
    ack_first: false,
    delta: DeltaForm::Masked(&OLD_MASKS),
    entity: entity!(OLD_HEAD, OLD_FLAGS_16, OLD_TAIL),
    player: player!(
        OLD_PLAYER_A,
        PM_TIME_U,
        OLD_PLAYER_B,
        WEAPON_TIME_U,
        OLD_PLAYER_C,
        EXTERNAL_8,
        OLD_PLAYER_D,
        VIEWHEIGHT_U,
        OLD_PLAYER_E
    ),
    list_end: 0,
    gamestate_tail: false,
    end: None,
    indices: INDICES_43,
    era: Era::Test,
};

pub(super) static LAYOUT_46: ProtocolLayout = ProtocolLayout {
    entity: entity!(OLD_HEAD, OLD_FLAGS_19, OLD_TAIL, OLD_GENERIC),
    player: player!(
        OLD_PLAYER_A,
        PM_TIME_U,
        OLD_PLAYER_B,
        WEAPON_TIME_U,
        OLD_PLAYER_C,
        EXTERNAL_10,
        OLD_PLAYER_D,
        VIEWHEIGHT_I,
        OLD_PLAYER_E,
        OLD_PLAYER_F
    ),
    ..LAYOUT_48
};

pub(super) static LAYOUT_48: ProtocolLayout = ProtocolLayout {
    ack_first: true,
    entity: entity!(OLD_HEAD, OLD_FLAGS_19, OLD_TAIL, OLD_GENERIC),
    player: player!(
        OLD_PLAYER_A,
        PM_TIME_I,
        OLD_PLAYER_B,
        WEAPON_TIME_I,
        OLD_PLAYER_C,
        EXTERNAL_10,
        OLD_PLAYER_D,
        VIEWHEIGHT_I,
        OLD_PLAYER_E,
        OLD_PLAYER_F,
        OLD_PLAYER_G
    ),
    indices: INDICES_48,
    era: Era::Arena,
    ..LAYOUT_43
};

pub(super) static LAYOUT_68: ProtocolLayout = ProtocolLayout {
    coding: Coding::Huffman,
    ack_first: true,
    delta: DeltaForm::Counted,
    entity: entity!(ENTITY_A, ENTITY_B, ENTITY_C),
    player: player!(PLAYER_A, PM_FLAGS_16, PLAYER_B, PLAYER_C),
    list_end: 8,
    gamestate_tail: true,
    end: Some(8),
    indices: INDICES_48,
    era: Era::Arena,
};

pub(super) static LAYOUT_73: ProtocolLayout = ProtocolLayout {
    entity: entity!(ENTITY_A, POS_GRAVITY, ENTITY_B, APOS_GRAVITY, ENTITY_C),
    player: player!(PLAYER_A, PM_FLAGS_16, PLAYER_B, PLAYER_C),
    indices: INDICES_73,
    era: Era::QuakeLive,
    ..LAYOUT_68
};

pub(super) static LAYOUT_90: ProtocolLayout = ProtocolLayout {
    entity: entity!(ENTITY_A, POS_GRAVITY, ENTITY_B, APOS_GRAVITY, ENTITY_C, ENTITY_JUMP),
    player: player!(PLAYER_A, PM_FLAGS_24, PLAYER_B, PLAYER_C, PLAYER_JUMP),
    ..LAYOUT_73
};

pub(super) static LAYOUT_91: ProtocolLayout = ProtocolLayout {
    entity: entity!(ENTITY_A, POS_GRAVITY, ENTITY_B, APOS_GRAVITY, ENTITY_C, ENTITY_JUMP, ENTITY_STATUS),
    player: player!(PLAYER_A, PM_FLAGS_24, PLAYER_B, WEAPON_PRIMARY, PLAYER_C, PLAYER_JUMP, PLAYER_KEYS),
    era: Era::LaterQuakeLive,
    ..LAYOUT_73
};
