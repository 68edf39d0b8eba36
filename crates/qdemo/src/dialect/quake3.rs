//! Quake III Arena and its family: coding, field tables and message numbers of each protocol.
//!
//! Sources: the format document for protocols 66 to 68; for the others the engines (id Software's release, ioquake3,
//! wolfcam) and recordings. Widths and order were checked on recordings of 43, 45, 48, 66 to 68, 70, 71, 73, 90 and 91.

use super::Opcodes;
pub use super::quake3_game::{ENTITY_TYPES, Game, Module, ScoreSlots, StatSlots, TEAMS, WEAPONS};
use super::quake3_game::{GAME_43, GAME_48, GAME_73, GAME_91};
use crate::describe::{FieldSchema, Name, Presence, TypeSchema};
use crate::format::dm3::Kind;
use crate::wire::{Coding, Fault};

macro_rules! fields {
    (
        $(#[doc = $doc:literal])*
        pub enum $ty:ident {
            $($variant:ident = $text:literal, $wire:literal, $json:literal, $unit:literal, $fdoc:literal;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $ty {
            $(#[doc = concat!("`", $text, "`: ", $fdoc)] $variant,)*
        }

        impl $ty {
            /// Every field of any protocol.
            pub const ALL: &'static [$ty] = &[$($ty::$variant),*];
            const NAMES: &'static [Name] = &[$(Name::new($text)),*];
            /// What each field is, over all protocols.
            pub const SCHEMA: &'static [FieldSchema] = &[$(FieldSchema {
                name: $text,
                lmpc: Some($text),
                doc: $fdoc,
                ty: TypeSchema::new($wire, $json, $unit),
                presence: Presence::Selected,
            }),*];

            /// The name in text and JSON.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize].text
            }
        }
    };
}

fields! {
    /// A field of an entity's state, by the name in the engine's structure.
    pub enum EntityField {
        PosTrTime = "pos.trTime", "i32", "integer", "ms", "Server time at which the movement began.";
        PosTrBaseX = "pos.trBase[0]", "f13/f32", "number", "units", "Position, x.";
        PosTrBaseY = "pos.trBase[1]", "f13/f32", "number", "units", "Position, y.";
        PosTrDeltaX = "pos.trDelta[0]", "f13/f32", "number", "units/s", "Velocity, x (or amplitude, for pos.trType 4).";
        PosTrDeltaY = "pos.trDelta[1]", "f13/f32", "number", "units/s", "Velocity, y.";
        PosTrBaseZ = "pos.trBase[2]", "f13/f32", "number", "units", "Position, z.";
        AposTrBaseY = "apos.trBase[1]", "f13/f32", "number", "degrees", "Yaw.";
        PosTrDeltaZ = "pos.trDelta[2]", "f13/f32", "number", "units/s", "Velocity, z.";
        AposTrBaseX = "apos.trBase[0]", "f13/f32", "number", "degrees", "Pitch.";
        Event = "event", "u10", "integer", "", "Event in the low 8 bits; bits 8 and 9 count, so that the same event twice can be told apart.";
        Angles2Y = "angles2[1]", "f13/f32", "number", "degrees", "Second angles, yaw; of a player: direction of the legs, 0 to 7.";
        EType = "eType", "u8", "integer", "", "Kind of entity: 0 general, 1 player, 2 item, 3 missile, 4 mover, 5 beam, 6 portal, 7 speaker, 8 push trigger, 9 teleport trigger, 10 invisible, 11 grapple, 12 team (48 and later); beyond these an event.";
        TorsoAnim = "torsoAnim", "u8", "integer", "", "Animation of the upper body; bit 7 toggles when it starts again.";
        EventParm = "eventParm", "u8", "integer", "", "Parameter of the event.";
        LegsAnim = "legsAnim", "u8", "integer", "", "Animation of the legs; bit 7 toggles when it starts again.";
        GroundEntityNum = "groundEntityNum", "u10", "integer", "", "Entity stood on: 1022 the world, 1023 none.";
        PosTrType = "pos.trType", "u8", "integer", "", "How the position moves: 0 stays, 1 interpolate, 2 linear, 3 linear until trDuration, 4 sine, 5 falls.";
        EFlags = "eFlags", "u19; u16 in 43-45", "integer", "", "Flags: 1 dead, 4 teleported (toggles), 0x10 event of a player, 0x80 not drawn, 0x100 firing, 0x1000 talks.";
        OtherEntityNum = "otherEntityNum", "u10", "integer", "", "Another entity: in events often the victim or owner.";
        Weapon = "weapon", "u8", "integer", "", "Weapon in hand, or that fired the missile.";
        ClientNum = "clientNum", "u8", "integer", "", "Client slot of a player or a body.";
        AnglesY = "angles[1]", "f13/f32", "number", "degrees", "Angles, yaw.";
        PosTrDuration = "pos.trDuration", "i32", "integer", "ms", "Length of the movement, or period of the sine.";
        AposTrType = "apos.trType", "u8", "integer", "", "How the angles turn, as pos.trType.";
        OriginX = "origin[0]", "f13/f32", "number", "units", "Origin, x, where it does not move.";
        OriginY = "origin[1]", "f13/f32", "number", "units", "Origin, y.";
        OriginZ = "origin[2]", "f13/f32", "number", "units", "Origin, z.";
        Solid = "solid", "u24", "integer", "", "Box: half width in bits 0-7, depth below in 8-15, height above plus 32 in 16-23; 0xFFFFFF: an inline brush model.";
        Powerups = "powerups", "u16", "integer", "", "Powerups worn, a bit each.";
        Modelindex = "modelindex", "u8", "integer", "", "Model; of an item: its number in the list of items.";
        OtherEntityNum2 = "otherEntityNum2", "u10", "integer", "", "One more entity: in events often the attacker.";
        LoopSound = "loopSound", "u8", "integer", "", "Sound that repeats.";
        Generic1 = "generic1", "u8", "integer", "", "For the game module.";
        Origin2Z = "origin2[2]", "f13/f32", "number", "units", "Second origin, z.";
        Origin2X = "origin2[0]", "f13/f32", "number", "units", "Second origin, x: end of a beam, velocity of a push.";
        Origin2Y = "origin2[1]", "f13/f32", "number", "units", "Second origin, y.";
        Modelindex2 = "modelindex2", "u8", "integer", "", "Second model; of an item: not 0 when dropped.";
        AnglesX = "angles[0]", "f13/f32", "number", "degrees", "Angles, pitch.";
        Time = "time", "i32", "integer", "", "For the game module.";
        AposTrTime = "apos.trTime", "i32", "integer", "ms", "Server time at which the turning began.";
        AposTrDuration = "apos.trDuration", "i32", "integer", "ms", "Length of the turning, or period of the sine.";
        AposTrBaseZ = "apos.trBase[2]", "f13/f32", "number", "degrees", "Roll.";
        AposTrDeltaX = "apos.trDelta[0]", "f13/f32", "number", "degrees/s", "Turning speed, pitch.";
        AposTrDeltaY = "apos.trDelta[1]", "f13/f32", "number", "degrees/s", "Turning speed, yaw.";
        AposTrDeltaZ = "apos.trDelta[2]", "f13/f32", "number", "degrees/s", "Turning speed, roll.";
        Time2 = "time2", "i32", "integer", "", "For the game module.";
        AnglesZ = "angles[2]", "f13/f32", "number", "degrees", "Angles, roll.";
        Angles2X = "angles2[0]", "f13/f32", "number", "degrees", "Second angles, pitch.";
        Angles2Z = "angles2[2]", "f13/f32", "number", "degrees", "Second angles, roll.";
        ConstantLight = "constantLight", "i32", "integer", "", "Light: red, green, blue, intensity in 4s, a byte each.";
        Frame = "frame", "u16", "integer", "", "Frame of the model.";
        PosGravity = "pos.gravity", "i32", "integer", "units/s^2", "Gravity of the movement (Quake Live).";
        AposGravity = "apos.gravity", "i32", "integer", "units/s^2", "Counterpart of pos.gravity, without a use (Quake Live).";
        JumpTime = "jumpTime", "i32", "integer", "ms", "When the player last jumped (Quake Live).";
        DoubleJumped = "doubleJumped", "u1", "integer", "", "Whether the player jumped twice (Quake Live).";
        Health = "health", "u16", "integer", "", "Health, in coarse steps for others (Quake Live).";
        Armor = "armor", "u16", "integer", "", "Armour (Quake Live).";
        Location = "location", "u8", "integer", "", "Number of the place (Quake Live).";
    }
}

fields! {
    /// A field of a player's state, by the name in the engine's structure.
    pub enum PlayerField {
        CommandTime = "commandTime", "i32", "integer", "ms", "Server time of the last command.";
        OriginX = "origin[0]", "f13/f32", "number", "units", "Position, x.";
        OriginY = "origin[1]", "f13/f32", "number", "units", "Position, y.";
        BobCycle = "bobCycle", "u8", "integer", "", "Phase of the view bobbing.";
        VelocityX = "velocity[0]", "f13/f32", "number", "units/s", "Velocity, x.";
        VelocityY = "velocity[1]", "f13/f32", "number", "units/s", "Velocity, y.";
        ViewanglesY = "viewangles[1]", "f13/f32", "number", "degrees", "View, yaw.";
        ViewanglesX = "viewangles[0]", "f13/f32", "number", "degrees", "View, pitch.";
        WeaponTime = "weaponTime", "i16; u16 in 43-46", "integer", "ms", "Time until the weapon can fire.";
        OriginZ = "origin[2]", "f13/f32", "number", "units", "Position, z.";
        VelocityZ = "velocity[2]", "f13/f32", "number", "units/s", "Velocity, z.";
        LegsTimer = "legsTimer", "u8", "integer", "ms", "Time until the animation of the legs may change.";
        PmTime = "pm_time", "i16; u16 in 43-46", "integer", "ms", "Time for which pm_flags with a duration last.";
        EventSequence = "eventSequence", "u16", "integer", "", "How many events there were: the last two are in events.";
        TorsoAnim = "torsoAnim", "u8", "integer", "", "Animation of the upper body; bit 7 toggles when it starts again.";
        MovementDir = "movementDir", "u4", "integer", "", "Direction of the legs against the view, 0 to 7.";
        Events0 = "events[0]", "u8", "integer", "", "Event with an even number.";
        LegsAnim = "legsAnim", "u8", "integer", "", "Animation of the legs; bit 7 toggles when it starts again.";
        Events1 = "events[1]", "u8", "integer", "", "Event with an odd number.";
        PmFlags = "pm_flags", "u16; u24 in 90-91", "integer", "", "1 ducked, 2 jump held, 8 backwards jump, 16 backwards run, 32 landing, 64 knockback, 256 water jump, 512 respawned, 1024 use held, 2048 grapple, 4096 following, 8192 scoreboard.";
        GroundEntityNum = "groundEntityNum", "u10", "integer", "", "Entity stood on: 1022 the world, 1023 none.";
        Weaponstate = "weaponstate", "u4", "integer", "", "0 ready, 1 raising, 2 dropping, 3 firing.";
        EFlags = "eFlags", "u16", "integer", "", "Flags, as of an entity.";
        ExternalEvent = "externalEvent", "u10; u8 in 43-45", "integer", "", "Event set from outside the movement code, with a counter in bits 8 and 9.";
        Gravity = "gravity", "u16", "integer", "units/s^2", "Gravity.";
        Speed = "speed", "u16", "integer", "units/s", "Running speed.";
        DeltaAnglesY = "delta_angles[1]", "u16", "integer", "turn/65536", "Added to the yaw of commands.";
        ExternalEventParm = "externalEventParm", "u8", "integer", "", "Parameter of externalEvent.";
        Viewheight = "viewheight", "i8; u8 in 43-45", "integer", "units", "Height of the eyes above the origin.";
        DamageEvent = "damageEvent", "u8", "integer", "", "Changes with every damage taken.";
        DamageYaw = "damageYaw", "u8", "integer", "turn/256", "Direction of the damage, yaw; 255 with pitch 255: from everywhere.";
        DamagePitch = "damagePitch", "u8", "integer", "turn/256", "Direction of the damage, pitch.";
        DamageCount = "damageCount", "u8", "integer", "", "Amount of the damage.";
        Generic1 = "generic1", "u8", "integer", "", "For the game module.";
        PmType = "pm_type", "u8", "integer", "", "0 normal, 1 no clipping, 2 spectator, 3 dead, 4 frozen, 5 intermission, 6 single player intermission.";
        DeltaAnglesX = "delta_angles[0]", "u16", "integer", "turn/65536", "Added to the pitch of commands.";
        DeltaAnglesZ = "delta_angles[2]", "u16", "integer", "turn/65536", "Added to the roll of commands.";
        TorsoTimer = "torsoTimer", "u12", "integer", "ms", "Time until the animation of the upper body may change.";
        EventParms0 = "eventParms[0]", "u8", "integer", "", "Parameter of `events[0]`.";
        EventParms1 = "eventParms[1]", "u8", "integer", "", "Parameter of `events[1]`.";
        ClientNum = "clientNum", "u8", "integer", "", "Slot of the player who is seen.";
        Weapon = "weapon", "u5", "integer", "", "Weapon in hand.";
        ViewanglesZ = "viewangles[2]", "f13/f32", "number", "degrees", "View, roll.";
        GrapplePointX = "grapplePoint[0]", "f13/f32", "number", "units", "End of the grapple, x.";
        GrapplePointY = "grapplePoint[1]", "f13/f32", "number", "units", "End of the grapple, y.";
        GrapplePointZ = "grapplePoint[2]", "f13/f32", "number", "units", "End of the grapple, z.";
        JumppadEnt = "jumppad_ent", "u10", "integer", "", "Jump pad last touched.";
        LoopSound = "loopSound", "u16", "integer", "", "Sound that repeats.";
        JumpTime = "jumpTime", "i32", "integer", "ms", "When the player last jumped (Quake Live).";
        DoubleJumped = "doubleJumped", "u1", "integer", "", "Whether the player jumped twice (Quake Live).";
        WeaponPrimary = "weaponPrimary", "u8", "integer", "", "First weapon (Quake Live).";
        CrouchTime = "crouchTime", "i32", "integer", "ms", "When the player last crouched (Quake Live).";
        CrouchSlideTime = "crouchSlideTime", "i32", "integer", "ms", "Time of the crouch slide (Quake Live).";
        Location = "location", "u8", "integer", "", "Number of the place (Quake Live).";
        Fov = "fov", "u8", "integer", "degrees", "Field of view (Quake Live).";
        Forwardmove = "forwardmove", "u8", "integer", "", "Forward key (Quake Live).";
        Rightmove = "rightmove", "u8", "integer", "", "Sideways key (Quake Live).";
        Upmove = "upmove", "u8", "integer", "", "Jump and crouch key (Quake Live).";
    }
}

/// A field in a protocol's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableField {
    /// Its name.
    pub name: Name,
    /// Which field of [`EntityField`] or [`PlayerField`] it is, as a number.
    pub id: u8,
    /// Bits of an integer; 0 for a float.
    pub bits: u8,
    /// True when the highest bit is a sign.
    pub signed: bool,
}

/// How a field is coded: all that reading needs to know, close together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FieldCode {
    /// Bits of an integer; 0 for a float.
    pub(crate) bits: u8,
    /// True when the highest bit is a sign.
    pub(crate) signed: bool,
    /// Which field it is, as a number.
    pub(crate) id: u8,
}

/// The fields of an entity or player in the order of one protocol.
#[derive(Debug, PartialEq)]
pub struct Table {
    fields: [TableField; Table::MOST],
    codes: [FieldCode; Table::MOST],
    len: usize,
    places: [u8; Table::MOST],
    /// Places by name: a hash table.
    words: [u8; Table::WORDS],
}

impl Table {
    /// Most fields in a table.
    pub const MOST: usize = 58;
    const WORDS: usize = 256;
    const NONE: u8 = 0xFF;

    const fn new(names: &[Name], parts: &[&[Row]]) -> Self {
        let none = TableField { name: names[0], id: 0, bits: 0, signed: false };
        let mut it = Table {
            fields: [none; Self::MOST],
            codes: [FieldCode { bits: 0, signed: false, id: 0 }; Self::MOST],
            len: 0,
            places: [Self::NONE; Self::MOST],
            words: [Self::NONE; Self::WORDS],
        };
        let mut part = 0;
        while part < parts.len() {
            let mut i = 0;
            while i < parts[part].len() {
                let (id, bits) = parts[part][i];
                let name = names[id as usize];
                it.fields[it.len] = TableField { name, id, bits: bits.unsigned_abs(), signed: bits < 0 };
                it.codes[it.len] = FieldCode { bits: bits.unsigned_abs(), signed: bits < 0, id };
                it.places[id as usize] = it.len as u8;
                let mut slot = Self::slot(name.key());
                while it.words[slot] != Self::NONE {
                    slot = (slot + 1) % Self::WORDS;
                }
                it.words[slot] = it.len as u8;
                it.len += 1;
                i += 1;
            }
            part += 1;
        }
        it
    }

    #[inline]
    const fn slot(key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
    }

    /// The fields in wire order.
    #[inline]
    pub fn fields(&self) -> &[TableField] {
        self.fields.get(..self.len).unwrap_or_default()
    }

    /// How the fields are coded, in wire order.
    #[inline]
    pub(crate) fn codes(&self) -> &[FieldCode] {
        self.codes.get(..self.len).unwrap_or_default()
    }

    /// Names the field at a place in a fault.
    #[cold]
    pub(crate) fn blame(&self, fault: Fault, place: usize) -> Fault {
        match self.fields().get(place) {
            Some(field) => fault.in_field(field.name.text),
            None => fault,
        }
    }

    /// The place of a field, given as a number.
    pub fn place(&self, id: u8) -> Option<usize> {
        self.places.get(usize::from(id)).filter(|&&place| place != Self::NONE).map(|&place| usize::from(place))
    }

    /// The place of the field with a name.
    #[inline]
    pub(crate) fn by_name(&self, word: &[u8], key: u64) -> Option<usize> {
        let mut slot = Self::slot(key);
        loop {
            let place = usize::from(self.words[slot]);
            match self.fields().get(place) {
                None => return None,
                Some(field) if field.name.is_keyed(word, key) => return Some(place),
                Some(_) => slot = (slot + 1) % Self::WORDS,
            }
        }
    }
}

/// A field by its number and the bits of its value: 0 a float, negative with sign.
type Row = (u8, i8);

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

/// How states are written as deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaForm {
    /// A count of fields, then a bit for each of them; in entities another one tells zeros.
    Counted,
    /// Entities: the number of a mask, or a mask; players: a bit for each field. The masks with a number are here.
    Masked(&'static [u64; 31]),
}

/// Which configstring is what, as far as the engine's own game modules agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indices {
    /// The first player.
    pub players: u16,
    /// Version of the game module.
    pub game_version: u16,
    /// Server time at which the level began.
    pub level_start: u16,
    /// `1` during the intermission.
    pub intermission: u16,
    /// The first model; 0 is not used.
    pub models: u16,
    /// The first sound; 0 is not used.
    pub sounds: u16,
    /// The first place name.
    pub locations: u16,
    /// When a time-out began; the next one tells when it ends: `0` while it lasts.
    pub timeout: Option<u16>,
    /// True for Quake Live, which tells the state of the game in serverinfo.
    pub quake_live: bool,
}

const INDICES_43: Indices = Indices {
    players: 544,
    game_version: 12,
    level_start: 13,
    intermission: 14,
    models: 32,
    sounds: 288,
    locations: 672,
    timeout: None,
    quake_live: false,
};
const INDICES_48: Indices =
    Indices { game_version: 20, level_start: 21, intermission: 22, locations: 608, ..INDICES_43 };
const INDICES_73: Indices = Indices {
    players: 529,
    game_version: 12,
    level_start: 13,
    intermission: 14,
    models: 17,
    sounds: 273,
    locations: 593,
    timeout: Some(669),
    quake_live: true,
};

/// What the messages of several protocols have in common. There is one of each, so it is compared by its place.
#[derive(Debug)]
pub struct Layout {
    /// Huffman codes or plain bits.
    pub coding: Coding,
    /// True when a block begins with the number of the last client command; else a snapshot does.
    pub ack_first: bool,
    /// How deltas are written.
    pub delta: DeltaForm,
    /// The fields of an entity.
    pub entity: Table,
    /// The fields of a player.
    pub player: Table,
    /// Number that ends a gamestate's list.
    pub list_end: u8,
    /// True when client number and checksum feed follow that list.
    pub gamestate_tail: bool,
    /// Number of the message that ends a block; `None` where blocks just end.
    pub end: Option<u8>,
    /// Which configstring is what.
    pub indices: Indices,
    /// What the game modules mean by numbers.
    pub game: &'static Game,
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Layout {}

/// How one protocol of Quake III's family writes its messages. A plain value: copy it, compare it.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The protocol number.
    pub protocol: i32,
    /// Name for people: `quake3-1.32`, `ioquake3`, `quakelive` ...
    pub name: &'static str,
    /// How messages are laid out.
    pub layout: &'static Layout,
    /// Which message has which number.
    pub opcodes: &'static Opcodes,
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.protocol == other.protocol
    }
}

impl Eq for Dialect {}

macro_rules! entity {
    ($($part:ident),*) => { Table::new(EntityField::NAMES, &[$(&$part),*]) };
}
macro_rules! player {
    ($($part:ident),*) => { Table::new(PlayerField::NAMES, &[$(&$part),*]) };
}

static LAYOUT_43: Layout = Layout {
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
    game: &GAME_43,
};

static LAYOUT_46: Layout = Layout {
    ack_first: true,
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
    indices: INDICES_48,
    game: &GAME_48,
    ..LAYOUT_43
};

static LAYOUT_48: Layout = Layout {
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
    game: &GAME_48,
    ..LAYOUT_43
};

static LAYOUT_68: Layout = Layout {
    coding: Coding::Huffman,
    ack_first: true,
    delta: DeltaForm::Counted,
    entity: entity!(ENTITY_A, ENTITY_B, ENTITY_C),
    player: player!(PLAYER_A, PM_FLAGS_16, PLAYER_B, PLAYER_C),
    list_end: 8,
    gamestate_tail: true,
    end: Some(8),
    indices: INDICES_48,
    game: &GAME_48,
};

static LAYOUT_73: Layout = Layout {
    entity: entity!(ENTITY_A, POS_GRAVITY, ENTITY_B, APOS_GRAVITY, ENTITY_C),
    player: player!(PLAYER_A, PM_FLAGS_16, PLAYER_B, PLAYER_C),
    indices: INDICES_73,
    game: &GAME_73,
    ..LAYOUT_68
};

static LAYOUT_90: Layout = Layout {
    entity: entity!(ENTITY_A, POS_GRAVITY, ENTITY_B, APOS_GRAVITY, ENTITY_C, ENTITY_JUMP),
    player: player!(PLAYER_A, PM_FLAGS_24, PLAYER_B, PLAYER_C, PLAYER_JUMP),
    indices: INDICES_73,
    game: &GAME_73,
    ..LAYOUT_68
};

static LAYOUT_91: Layout = Layout {
    entity: entity!(ENTITY_A, POS_GRAVITY, ENTITY_B, APOS_GRAVITY, ENTITY_C, ENTITY_JUMP, ENTITY_STATUS),
    player: player!(PLAYER_A, PM_FLAGS_24, PLAYER_B, WEAPON_PRIMARY, PLAYER_C, PLAYER_JUMP, PLAYER_KEYS),
    indices: INDICES_73,
    game: &GAME_91,
    ..LAYOUT_68
};

const NUMBERS: [(u8, u8); 5] = [
    (1, Kind::Nop as u8),
    (2, Kind::Gamestate as u8),
    (5, Kind::ServerCommand as u8),
    (6, Kind::Download as u8),
    (7, Kind::Snapshot as u8),
];

/// Protocols up to 48 have no end of message; a number 0 ends a block.
static OLD: Opcodes = Opcodes::new(&[&NUMBERS, &[(0, Kind::Eof as u8)]]);
/// Voice behind the end of a message, where older clients do not look.
static STANDARD: Opcodes = Opcodes::new(&[&NUMBERS, &[(8, Kind::Eof as u8), (9, Kind::Extension as u8)]]);
/// ioquake3 and OpenArena: voice as messages of their own.
static VOICE: Opcodes =
    Opcodes::new(&[&NUMBERS, &[(8, Kind::Eof as u8), (9, Kind::VoipSpeex as u8), (10, Kind::VoipOpus as u8)]]);

/// Every protocol: number, name, layout, message numbers.
static PROTOCOLS: [Dialect; 13] = [
    row(43, "quake3-1.11", &LAYOUT_43, &OLD),
    row(45, "quake3-1.17", &LAYOUT_43, &OLD),
    row(46, "quake3-1.25", &LAYOUT_46, &OLD),
    row(47, "quake3-1.26", &LAYOUT_48, &OLD),
    row(48, "quake3-1.27", &LAYOUT_48, &OLD),
    row(66, "quake3-1.30", &LAYOUT_68, &STANDARD),
    row(67, "quake3-1.31", &LAYOUT_68, &STANDARD),
    row(68, "quake3-1.32", &LAYOUT_68, &STANDARD),
    row(70, "openarena", &LAYOUT_68, &VOICE),
    row(71, "ioquake3", &LAYOUT_68, &VOICE),
    row(73, "quakelive-2009", &LAYOUT_73, &STANDARD),
    row(90, "quakelive-2014", &LAYOUT_90, &STANDARD),
    row(91, "quakelive-2015", &LAYOUT_91, &STANDARD),
];

const fn row(protocol: i32, name: &'static str, layout: &'static Layout, opcodes: &'static Opcodes) -> Dialect {
    Dialect { protocol, name, layout, opcodes }
}

impl Dialect {
    /// Quake III Arena 1.32, the protocol of most recordings.
    pub const QUAKE3: Dialect = row(68, "quake3-1.32", &LAYOUT_68, &STANDARD);

    /// The dialect of a protocol.
    ///
    /// ```
    /// use qdemo::dialect::quake3::Dialect;
    /// assert_eq!(Dialect::by_protocol(68), Some(Dialect::QUAKE3));
    /// assert_eq!(Dialect::by_protocol(69), None);
    /// ```
    pub fn by_protocol(protocol: i32) -> Option<Dialect> {
        PROTOCOLS.iter().find(|d| d.protocol == protocol).copied()
    }

    /// Every dialect.
    pub fn all() -> &'static [Dialect] {
        &PROTOCOLS
    }

    /// The number of a kind of message, if the dialect has it.
    pub fn number_of(&self, kind: Kind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }
}
