//! The messages of Quake, declared. Names and order are those of the DEM document, section 7.

pub use super::delta::{ClientData, LocalSound, Sound, SpawnBaseline2, SpawnStatic2, UpdateEntity};
use super::dialect::{Bytes as Wire, Dialect, serverinfo_fields, temp_entity_fields};
use super::values::{ChannelEntity, Colors, Extensions, Placement};
use crate::describe::{
    Attenuation, Field, Fields, LongSoundIndex, Mistake, ModelIndex, Name, Seconds, Sink, StatIndex, StaticSoundIndex,
    Velocity16, Volume, field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write,
    message, messages, name_of, selected,
};
use crate::wire::{Angle, ByteReader, ByteWriter, Coord, F32, Fault, Str, StrList};

messages! {
    /// One message of a Quake server.
    pub enum Message<'a> / MessageKind, from 'a, keeps 'a, after super::packet::after {
        Bad, Nop, Disconnect, UpdateStat, Version, SetView, Sound, Time, Print<'a>, StuffText<'a>, SetAngle,
        ServerInfo<'a>, LightStyle<'a>, UpdateName<'a>, UpdateFrags, ClientData, StopSound, UpdateColors, Particle,
        Damage, SpawnStatic, SpawnBinary, SpawnBaseline, TempEntity<'a>, SetPause, SignonNum, CenterPrint<'a>,
        KilledMonster, FoundSecret, SpawnStaticSound, Intermission, Finale<'a>, CdTrack, SellScreen, CutScene<'a>,
        UpdateEntity,
        SkyBox<'a>, BonusFlash, Fog, SpawnBaseline2, SpawnStatic2, SpawnStaticSound2, Achievement<'a>, LocalSound,
        ShowLmp<'a>, HideLmp<'a>, SkyBoxSize, NehahraFog,
    }
}

message! {
    /// Something is wrong. Engines stop here; no server sends it on purpose.
    pub shared struct Bad = "bad", inline {}
}
message! {
    /// No operation: keeps a connection alive.
    pub shared struct Nop = "nop", inline {}
}
message! {
    /// The server ends the game. A cleanly stopped recording ends with this message alone in a block.
    pub struct Disconnect = "disconnect", inline {}
}
message! {
    /// Sets one entry of the player state array.
    pub struct UpdateStat = "updatestat", block {
        /// Entry of the player state array, 0 to 31.
        index: StatIndex;
        /// New value.
        value: i32;
    }
}
message! {
    /// The server's protocol. Never seen in files: `serverinfo` says it.
    pub struct Version = "version", inline {
        /// Protocol number.
        version: i32;
    }
}
message! {
    /// Puts the camera at the origin of an entity.
    pub struct SetView = "setview", inline {
        /// Entity with the camera, normally the recorder.
        entity: u16;
    }
}
message! {
    /// The server's time. Every block of a running game begins with it.
    pub shared struct Time = "time", inline {
        /// Seconds since the level began, by the server's clock.
        time: Seconds;
    }
}
message! {
    /// Text for the console and the top of the screen. The first byte `\001` marks chat, `\002` coloured text.
    pub struct Print<'a> = "print", inline {
        /// The text; one line often comes in several prints.
        text: Str<'a>;
    }
}
message! {
    /// Console commands that the client runs, such as `bf` (a flash for a pickup) or `reconnect`.
    pub shared struct StuffText<'a> = "stufftext", inline {
        /// The commands.
        text: Str<'a>;
    }
}
message! {
    /// Turns the view.
    pub struct SetAngle = "setangle", inline {
        /// Pitch, yaw and roll.
        angles: [Angle; 3];
    }
}
selected! {
    /// A level begins: protocol, level name, and the lists of models and sounds that later numbers refer to.
    pub struct ServerInfo<'a> = "serverinfo", select serverinfo_fields {
        /// FTE protocol extensions, announced in front of the protocol number.
        extensions as "": Extensions;
        /// Protocol number: 15, 666, 999 ...
        serverversion: i32;
    } then {
        /// Encoding flags of protocol 999.
        protocolflags as "": u32, bit 0;
        /// Game directory, with FTE's PREDINFO extension.
        gamedir as "": Str<'a>, bit 1;
        /// Player slots: 1 in single player.
        maxclients: u8, always;
        /// 0 single player or cooperative, 1 deathmatch.
        multi: u8, always;
        /// Name of the level for people, such as `the Necropolis`.
        mapname: Str<'a>, always;
        /// Models from number 1: the map, its submodels (`*1` ...), then files.
        models: StrList<'a>, always;
        /// Sounds from number 1.
        sounds: StrList<'a>, always;
    }
}

impl ServerInfo<'_> {
    /// True for one of another protocol that was read as one of protocol 15, as LMPC reads them all.
    pub(crate) fn is_misread(&self) -> bool {
        let asked = serverinfo_fields(&self.extensions, &self.serverversion, &Dialect::QUAKE);
        let bare = self.extensions.pairs().is_empty() && self.protocolflags.is_none() && self.gamedir.is_none();
        bare && asked != Ok(0)
    }
}

message! {
    /// Defines a light style.
    pub shared struct LightStyle<'a> = "lightstyle", block {
        /// Number of the style, 0 to 63.
        style: u8;
        /// Brightness in steps of 0.1 s, `a` dark to `z` bright.
        string: Str<'a>;
    }
}
message! {
    /// Sets a player's name.
    pub struct UpdateName<'a> = "updatename", block {
        /// Player slot, from 0; the player's entity is slot + 1.
        player: u8;
        /// The name, empty when the player left.
        netname: Str<'a>;
    }
}
message! {
    /// Sets a player's frags.
    pub shared struct UpdateFrags = "updatefrags", block {
        /// Player slot, from 0.
        player: u8;
        /// Frags, absolute.
        frags: i16;
    }
}
message! {
    /// Stops a sound.
    pub shared struct StopSound = "stopsound", block {
        /// Channel and entity of the sound.
        source: ChannelEntity, group;
    }
}
message! {
    /// Sets a player's colours.
    pub struct UpdateColors = "updatecolors", block {
        /// Player slot, from 0.
        player: u8;
        /// Shirt and pants colour, 0 to 13 each.
        colors: Colors;
    }
}
message! {
    /// Particles: blood, sparks, explosions of barrels.
    pub struct Particle = "particle", block {
        /// Where they start.
        origin: [Coord; 3];
        /// Their velocity.
        vel: [Velocity16; 3];
        /// How many; 255 stands for 1024.
        count: u8;
        /// Colour, an index into the palette.
        color: u8;
    }
}
message! {
    /// The recorder was hit.
    pub shared struct Damage = "damage", block {
        /// Taken from the armour.
        save: u8;
        /// Taken from the health.
        take: u8;
        /// Where the hit came from; all 0 for drowning and burning.
        origin: [Coord; 3];
    }
}
/// An entity's base state; the two messages differ in what is in front.
macro_rules! base_state {
    ($doc:literal, $ty:ident = $text:literal { $($in_front:tt)* }) => {
        message! {
            #[doc = $doc]
            pub shared struct $ty = $text, block {
                $($in_front)*
                /// Model number.
                default_modelindex: ModelIndex;
                /// Frame of the model.
                default_frame: u8;
                /// 0 none, n: the colours of player n - 1.
                default_colormap: u8;
                /// Skin of the model.
                default_skin: u8;
                /// Place and direction.
                placement: Placement, group;
            }
        }
    };
}

base_state! { "An entity that never changes, such as a torch.", SpawnStatic = "spawnstatic" {} }
message! {
    /// Obsolete; never seen in files.
    pub struct SpawnBinary = "spawnbinary", inline {}
}
base_state! {
    "The base state of an entity: later updates tell the difference to it.",
    SpawnBaseline = "spawnbaseline" {
        /// Entity number.
        entity: u16;
    }
}
selected! {
    /// A short-lived effect: a hit, an explosion, a lightning beam.
    pub struct TempEntity<'a> = "temp_entity", select temp_entity_fields {
        /// Type: 0 spike, 1 superspike, 2 gunshot, 3 explosion, 4 tarbaby explosion, 5 lightning of the Shambler,
        /// 6 of the Thunderbolt, 7 wizard's hit, 8 knight's hit, 9 lightning for Chthon, 10 lava splash,
        /// 11 teleport, 12 explosion in colours, 13 beam of the grappling hook; Nehahra: 16 to 18.
        entitytype: u8;
    } then {
        /// Model of Nehahra's beam (type 17).
        model as "": Str<'a>, bit 0;
        /// Entity that made a beam.
        entity: u16, bit 1;
        /// Place, or start of a beam.
        origin: [Coord; 3], bit 2;
        /// End of a beam.
        trace_endpos: [Coord; 3], bit 3;
        /// First colour.
        color: u8, bit 4;
        /// Number of colours.
        range: u8, bit 5;
        /// Red, green and blue of Nehahra's explosion (type 16).
        rgb as "": [Coord; 3], bit 6;
    }
}

impl TempEntity<'_> {
    /// True for one of a type that there is not: LMPC writes the type alone.
    pub(crate) fn is_misread(&self, d: &Dialect) -> bool {
        temp_entity_fields(&self.entitytype, d).is_err()
    }
}

message! {
    /// Pauses the game or goes on.
    pub shared struct SetPause = "setpause", inline {
        /// 1 pause, 0 go on.
        pausestate: u8;
    }
}
message! {
    /// Stage of the connection: 1 after the lists, 2 before light styles, 3 the game begins.
    pub struct SignonNum = "signonnum", inline {
        /// Stage.
        signon: u8;
    }
}
message! {
    /// Text in the middle of the screen.
    pub shared struct CenterPrint<'a> = "centerprint", inline {
        /// The text, lines of at most 40 characters.
        text: Str<'a>;
    }
}
message! {
    /// A monster died: adds 1 to the stat killed_monsters.
    pub shared struct KilledMonster = "killedmonster", inline {}
}
message! {
    /// A secret was found: adds 1 to the stat found_secrets.
    pub shared struct FoundSecret = "foundsecret", inline {}
}
/// A sound that never ends; the two messages differ in the width of its number.
macro_rules! static_sound {
    ($doc:literal, $ty:ident = $text:literal $(as $lmpc:literal)?, $index:ty) => {
        message! {
            #[doc = $doc]
            pub shared struct $ty = $text $(as $lmpc)?, block {
                /// Where it is.
                origin: [Coord; 3];
                /// Sound number.
                soundnum: $index;
                /// Loudness.
                vol: Volume;
                /// How fast it fades with distance.
                attenuation: Attenuation;
            }
        }
    };
}

static_sound! {
    "A sound that never ends, at a place.", SpawnStaticSound = "spawnstaticsound", StaticSoundIndex
}
message! {
    /// The level is over: the score board.
    pub struct Intermission = "intermission", inline {}
}
message! {
    /// The episode is over: a text is shown.
    pub shared struct Finale<'a> = "finale", inline {
        /// The text.
        text: Str<'a>;
    }
}
message! {
    /// Selects the music.
    pub struct CdTrack = "cdtrack", block {
        /// Track to play.
        fromtrack: u8;
        /// Track for later loops; engines ignore it.
        totrack: u8;
    }
}
message! {
    /// Shows the help and order screen.
    pub shared struct SellScreen = "sellscreen", inline {}
}
message! {
    /// A text over the running game, since mission pack 1 (Quake 1.07).
    pub struct CutScene<'a> = "cutscene", inline {
        /// The text.
        text: Str<'a>;
    }
}

// FitzQuake 666, also in 999.

message! {
    /// Sets the sky. (FitzQuake)
    pub struct SkyBox<'a> = "skybox" as "", inline {
        /// Base name of the six pictures.
        name: Str<'a>;
    }
}
message! {
    /// The flash of a pickup, as `bf` does it. (FitzQuake)
    pub struct BonusFlash = "bf" as "", inline {}
}
message! {
    /// Sets the fog. (FitzQuake)
    pub struct Fog = "fog" as "", block {
        /// Density in 255ths.
        density: u8;
        /// Red in 255ths.
        red: u8;
        /// Green in 255ths.
        green: u8;
        /// Blue in 255ths.
        blue: u8;
        /// Time of the change in hundredths of a second.
        fade: i16;
    }
}
static_sound! {
    "A sound that never ends, with a long sound number. (FitzQuake)",
    SpawnStaticSound2 = "spawnstaticsound2" as "", LongSoundIndex
}
message! {
    /// An achievement of the 2021 re-release.
    pub struct Achievement<'a> = "achievement" as "", inline {
        /// Its name.
        name: Str<'a>;
    }
}

// Nehahra.

message! {
    /// Shows a picture over the game. (Nehahra)
    pub struct ShowLmp<'a> = "showlmp" as "", block {
        /// Slot to put it in.
        slot: Str<'a>;
        /// Picture file.
        picture: Str<'a>;
        /// Left edge in pixels.
        x: u8;
        /// Upper edge in pixels.
        y: u8;
    }
}
message! {
    /// Takes a picture away. (Nehahra)
    pub struct HideLmp<'a> = "hidelmp" as "", inline {
        /// The slot.
        slot: Str<'a>;
    }
}
message! {
    /// Size of the sky box. (Nehahra)
    pub struct SkyBoxSize = "skyboxsize" as "", inline {
        /// The size.
        size: Coord;
    }
}
selected! {
    /// Sets the fog. (Nehahra, BJP)
    pub struct NehahraFog = "nehahra_fog" as "", select nehahra_fog_fields {
        /// 1 on, 0 off.
        enable: u8;
    } then {
        /// Density.
        density: F32, bit 0;
        /// Red.
        red: u8, bit 1;
        /// Green.
        green: u8, bit 2;
        /// Blue.
        blue: u8, bit 3;
    }
}

fn nehahra_fog_fields(enable: &u8, _: &Dialect) -> Result<u64, crate::wire::FaultKind> {
    Ok(if *enable == 1 { 0b1111 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kind's schema is found by its own name, and names are unique.
    #[test]
    fn names_are_unique() {
        for &kind in MessageKind::ALL {
            assert_eq!(MessageKind::by_name(kind.schema().name.as_bytes()), Some(kind));
        }
    }
}
