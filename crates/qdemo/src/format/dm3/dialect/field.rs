//! The fields of entities and players, over all protocols.

use crate::describe::{FieldSchema, Name, Presence, TypeSchema};

macro_rules! fields {
    (
        $(#[doc = $doc:literal])*
        pub enum $ty:ident {
            $($variant:ident = $text:literal, $wire:literal, $json:literal, $unit:literal, $fdoc:literal;)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $ty {
            $(#[doc = concat!("`", $text, "`: ", $fdoc)] $variant,)*
        }

        impl $ty {
            /// Every field of any protocol.
            pub const ALL: &'static [$ty] = &[$($ty::$variant),*];
            pub(super) const NAMES: &'static [Name] = &[$(Name::new($text)),*];
            /// What each field is, over all protocols.
            pub const SCHEMA: &'static [FieldSchema] = &[$(FieldSchema {
                name: $text,
                lmpc: Some($text),
                doc: $fdoc,
                ty: TypeSchema::new($wire, $json, $unit),
                presence: Presence::Sent,
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
