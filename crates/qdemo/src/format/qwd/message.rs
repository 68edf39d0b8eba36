//! The messages of QuakeWorld, declared. Names and order are those of the QWD document; those that Quake has too are
//! Quake's.

use super::dialect::{Bytes as Wire, Dialect, PROTOCOLS};
pub use super::entities::{DeltaPacketEntities, PacketEntities};
pub use super::entity::{FteSpawnBaseline2, FteSpawnStatic2};
pub use super::hidden::{HiddenCommand, HiddenDamage, HiddenDemoInfo, HiddenOther, HiddenPause, HiddenStart};
pub use super::nails::{Nails, Nails2};
pub use super::player::{MvdPlayerInfo, PlayerInfo};
use super::values::{Blob, MoveVars, SoundHead, VoiceFrame};
use crate::describe::{
    Body, Field, FieldSchema, Fields, Mistake, Name, Presence, Schema, Seconds, Sink, SoundIndex, StatIndex,
    TypeSchema, field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write, message,
    messages, name_of, selected,
};
use crate::format::dem::Extensions;
pub use crate::format::dem::{
    Bad, CenterPrint, Damage, Finale, FoundSecret, KilledMonster, LightStyle, Nop, SellScreen, SetPause, SpawnBaseline,
    SpawnStatic, SpawnStaticSound, StopSound, StuffText, Time, UpdateFrags,
};
pub use crate::format::download::Download;
use crate::wire::{Angle, ByteReader, ByteWriter, Coord, F32, Fault, FaultKind, Scalar, Str, StrList, into_owned};

messages! {
    /// One message of a QuakeWorld server.
    pub enum Message<'a> / MessageKind, from 'a, keeps 'a, after super::packet::after {
        Bad, Nop, Disconnect, UpdateStat, Sound, Time, Print<'a>, StuffText<'a>, SetAngle, ServerData<'a>,
        LightStyle<'a>, UpdateFrags, StopSound, Damage, SpawnStatic, SpawnBaseline, TempEntity, SetPause,
        CenterPrint<'a>, KilledMonster, FoundSecret, SpawnStaticSound, Intermission, Finale<'a>, CdTrack, SellScreen,
        SmallKick, BigKick, UpdatePing, UpdateEnterTime, UpdateStatLong, MuzzleFlash, UpdateUserInfo<'a>,
        Download<'a>, PlayerInfo, MvdPlayerInfo, Nails, Nails2, Choke, ModelList<'a>, SoundList<'a>, PacketEntities,
        DeltaPacketEntities, MaxSpeed, EntGravity, SetInfo<'a>, ServerInfo<'a>, UpdatePl,
        FteSpawnStatic2, FteSpawnBaseline2, FteModelList<'a>, QizmoVoice<'a>, VoiceChat<'a>,
        HiddenCommand, HiddenDemoInfo<'a>, HiddenDamage, HiddenPause, HiddenStart, HiddenOther<'a>,
    }
}

/// The server ends the connection. A recorder that stops writes it with the text `EndOfDemo`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Disconnect {
    /// True with the text `EndOfDemo` behind it.
    pub end_of_demo: bool,
}

into_owned!(Disconnect);

const END_OF_DEMO: &[u8] = b"EndOfDemo";

impl<'a> Body<'a, Wire> for Disconnect {
    const NAME: Name = Name::new("disconnect");
    const SCHEMA: Schema = Schema {
        name: "disconnect",
        lmpc: Some("disconnect"),
        doc: "The server ends the connection. A recorder that stops writes it with the text EndOfDemo.",
        inline: true,
        masked: false,
        fields: &[&[FieldSchema::new(
            "text",
            TypeSchema::new("string", "string", ""),
            Presence::Selected,
            "\"EndOfDemo\", when it is there.",
        )]],
    };
    fn read(_: u8, r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mut ahead = *r;
        let end_of_demo = ahead.until_nul().is_ok_and(|text| text == END_OF_DEMO);
        if end_of_demo {
            *r = ahead;
        }
        Ok(Disconnect { end_of_demo })
    }
    fn write(&self, id: u8, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        if self.end_of_demo {
            w.str(END_OF_DEMO);
        }
        Ok(())
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, true);
        if self.end_of_demo {
            // LMPC knows the text outside the game alone.
            s.foreign();
            s.string(Name::new("text"), END_OF_DEMO);
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        let name = Name::new("text");
        if !f.has(name) {
            return Ok(Disconnect { end_of_demo: false });
        }
        match f.take(name)?.string()? {
            END_OF_DEMO => Ok(Disconnect { end_of_demo: true }),
            _ => Err(f.mistake("the text of disconnect is \"EndOfDemo\", or there is none")),
        }
    }
}

message! {
    /// Sets one entry of the player state array to a value of one byte.
    pub struct UpdateStat = "updatestat", block {
        /// Entry of the player state array, 0 to 31.
        index: StatIndex;
        /// New value.
        value: u8;
    }
}
message! {
    /// Sets one entry of the player state array to a value that needs more than a byte.
    pub struct UpdateStatLong = "updatestatlong", block {
        /// Entry of the player state array, 0 to 31.
        index: StatIndex;
        /// New value.
        value: i32;
    }
}
message! {
    /// Starts a sound.
    pub struct Sound = "sound", block {
        /// Channel, entity, loudness and fading.
        head: SoundHead;
        /// Sound number.
        soundnum: SoundIndex;
        /// Where it is.
        origin: [Coord; 3];
    }
}
message! {
    /// Text for the console and the top of the screen.
    pub struct Print<'a> = "print", block {
        /// 0 pickups, 1 deaths, 2 important, 3 chat.
        level: u8;
        /// The text; one line may come in several prints.
        string: Str<'a>;
    }
}

/// Turns the view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetAngle {
    /// Slot of the player in multi-view recordings; else, with MVD1's HIGHLAGTELEPORT, 1 for a teleporter and 2 for a
    /// respawn.
    pub about: Option<u8>,
    /// Pitch, yaw and roll.
    pub angles: [Angle; 3],
}

into_owned!(SetAngle);

const ABOUT: Name = Name::with("about", "");
const ANGLES: Name = Name::new("angles");

impl<'a> Body<'a, Wire> for SetAngle {
    const NAME: Name = Name::new("setangle");
    const SCHEMA: Schema = Schema {
        name: "setangle",
        lmpc: Some("setangle"),
        doc: "Turns the view. Shown as `setangle PITCH YAW ROLL;` where nothing stands in front of the angles.",
        inline: true,
        masked: false,
        fields: &[&[
            FieldSchema::ours(
                "about",
                TypeSchema::new("u8", "integer", ""),
                Presence::Selected,
                "Slot of the player in multi-view recordings; else, with MVD1's HIGHLAGTELEPORT, 1 for a teleporter and 2 for a respawn.",
            ),
            FieldSchema::new("angles", <[Angle; 3] as Field<Wire>>::TYPE, Presence::Always, "Pitch, yaw and roll."),
        ]],
    };
    fn read(_: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let about = if d.setangle_byte { Some(r.u8()?) } else { None };
        Ok(SetAngle { about, angles: Field::<Wire>::read(r, d).map_err(|f| f.in_field("angles"))? })
    }
    fn write(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        match (self.about, d.setangle_byte) {
            (Some(about), true) => w.u8(about),
            (None, false) => {}
            (Some(_), false) => return Err(Fault::unwritable("nothing stands in front of the angles in this dialect")),
            (None, true) => return Err(Fault::unwritable("a byte stands in front of the angles here: `about`")),
        }
        Field::<Wire>::write(&self.angles, w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, self.about.is_none());
        if let Some(about) = self.about {
            s.value(ABOUT, Scalar::Int(i64::from(about)));
        }
        Field::<Wire>::show(&self.angles, ANGLES, s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        // `setangle 0 90 0;` has all in one, so there is no other field to ask for.
        let about = if f.braces() && f.has(ABOUT) { Some(f.take(ABOUT)?.int(0, 255)? as u8) } else { None };
        Ok(SetAngle { about, angles: Field::<Wire>::parse(f, ANGLES, d)? })
    }
}

selected! {
    /// A level begins: protocol, extensions, who records, level name.
    pub struct ServerData<'a> = "serverdata", select serverdata_fields {
        /// Protocol extensions, announced in front of the protocol number: FTE's, and MVDSV's.
        extensions as "": Extensions;
        /// Protocol number, 24 to 28.
        serverversion: i32;
        /// Counts the levels of the server.
        age: i32;
        /// Game directory, such as `qw`.
        game: Str<'a>;
    } then {
        /// Time of the server in a multi-view recording.
        servertime as "": Seconds, bit 0;
        /// Slot of the recorder; plus 128 for a spectator.
        client: u8, bit 1;
        /// Name of the level for people.
        mapname: Str<'a>, always;
        /// gravity, stopspeed, maxspeed, spectatormaxspeed, accelerate, airaccelerate, wateraccelerate, friction,
        /// waterfriction, entgravity.
        movevars as "uk_floats": MoveVars, bit 2;
    }
}

impl ServerData<'_> {
    /// True for one of a protocol that there is not: what LMPC makes of one that begins with extensions.
    pub(crate) fn is_misread(&self) -> bool {
        let complete = self.client.is_some() && self.movevars.is_some();
        !PROTOCOLS.contains(&self.serverversion) && self.extensions.pairs().is_empty() && complete
    }
}

fn serverdata_fields(
    extensions: &Extensions,
    version: &i32,
    _: &i32,
    _: &Str<'_>,
    d: &Dialect,
) -> Result<u64, FaultKind> {
    if !PROTOCOLS.contains(version) {
        return Err(FaultKind::Malformed("no protocol of QuakeWorld"));
    }
    let after = Dialect::announced(*version, extensions, d.multiview);
    let player = if d.multiview { 1 } else { 2 };
    Ok(player | u64::from(after.movevars) << 2)
}

selected! {
    /// A short-lived effect: a hit, an explosion, a lightning beam.
    pub struct TempEntity = "temp_entity", select temp_entity_fields {
        /// Type: 0 spike, 1 superspike, 2 gunshots, 3 explosion, 4 tarbaby explosion, 5 lightning of the Shambler,
        /// 6 of the Thunderbolt, 7 wizard's hit, 8 knight's hit, 9 lightning for Chthon, 10 lava splash,
        /// 11 teleport, 12 blood, 13 blood of lightning.
        entitytype: u8;
    } then {
        /// How many.
        count: u8, bit 0;
        /// Entity that made a beam.
        entity: u16, bit 1;
        /// Place, or start of a beam.
        origin: [Coord; 3], always;
        /// End of a beam.
        trace_endpos: [Coord; 3], bit 2;
    }
}

fn temp_entity_fields(kind: &u8, _: &Dialect) -> Result<u64, FaultKind> {
    match kind {
        2 | 12 => Ok(0b001),
        5 | 6 | 9 => Ok(0b110),
        0..=13 => Ok(0),
        _ => Err(FaultKind::Malformed("unknown type of temporary entity")),
    }
}

message! {
    /// The level is over: the score board, seen from a place.
    pub struct Intermission = "intermission", block {
        /// Place of the camera.
        origin: [Coord; 3];
        /// Its direction.
        angles: [Angle; 3];
    }
}
message! {
    /// Selects the music.
    pub struct CdTrack = "cdtrack", inline {
        /// Track to play.
        track: u8;
    }
}
message! {
    /// A small kick of the view, by 2 degrees.
    pub struct SmallKick = "smallkick", inline {}
}
message! {
    /// A big kick of the view, by 4 degrees.
    pub struct BigKick = "bigkick", inline {}
}
message! {
    /// A player's ping.
    pub struct UpdatePing = "updateping", block {
        /// Player slot, from 0.
        player: u8;
        /// Ping in ms; more than 32767 looks negative.
        ping: i16;
    }
}
message! {
    /// How long ago a player entered the game.
    pub struct UpdateEnterTime = "updateentertime", block {
        /// Player slot, from 0.
        player: u8;
        /// Seconds ago.
        entertime: Seconds;
    }
}
message! {
    /// A player fired: a flash at the muzzle.
    pub struct MuzzleFlash = "muzzleflash", inline {
        /// Entity of the player, slot + 1.
        entity: u16;
    }
}
message! {
    /// Everything that a player's client tells: name, team, skin, colours ...
    pub struct UpdateUserInfo<'a> = "updateuserinfo", block {
        /// Player slot, from 0.
        player: u8;
        /// Number of the user on the server; 0 for a free slot.
        user: i32;
        /// Pairs of key and value: `\\name\\...`.
        string: Str<'a>;
    }
}

message! {
    /// Packets of this client that the server held back.
    pub struct Choke = "choke", inline {
        /// How many.
        choke: u8;
    }
}

/// The list of models or sounds, in parts.
macro_rules! list {
    ($doc:literal, $ty:ident = $text:literal, $names:ident, $what:literal) => {
        selected! {
            #[doc = $doc]
            pub struct $ty<'a> = $text, select list_fields {
            } then {
                /// Names in front of this part.
                first: u8, bit 0;
                #[doc = $what]
                $names: StrList<'a>, always;
                /// Where the next part begins; 0 at the end. Recorders and servers count differently.
                next: u8, bit 0;
            }
        }
    };
}

fn list_fields(d: &Dialect) -> Result<u64, FaultKind> {
    Ok(u64::from(d.numbered_lists))
}

list! { "Models that later numbers refer to.", ModelList = "modellist", models, "Names; the first of all has number 1." }
list! { "Sounds that later numbers refer to.", SoundList = "soundlist", sounds, "Names; the first of all has number 1." }
message! {
    /// Sets how fast the recorder can run.
    pub struct MaxSpeed = "maxspeed", inline {
        /// Units a second.
        maxspeed: F32;
    }
}
message! {
    /// Sets the recorder's gravity.
    pub struct EntGravity = "entgravity", inline {
        /// As a share of the server's gravity.
        entgravity: F32;
    }
}
message! {
    /// Changes one key of a player's user info.
    pub struct SetInfo<'a> = "setinfo", block {
        /// Player slot, from 0.
        player: u8;
        /// Key.
        name: Str<'a>;
        /// New value.
        value as "string": Str<'a>;
    }
}
message! {
    /// Changes one key of the server info.
    pub struct ServerInfo<'a> = "serverinfo", block {
        /// Key.
        name: Str<'a>;
        /// New value.
        value as "string": Str<'a>;
    }
}
message! {
    /// A player's packet loss.
    pub struct UpdatePl = "updatepl", block {
        /// Player slot, from 0.
        player: u8;
        /// Loss in percent.
        loss: u8;
    }
}
message! {
    /// Models that later numbers refer to, beyond number 255. (FTE)
    pub struct FteModelList<'a> = "fte_modellist" as "", block {
        /// Names in front of this part.
        first: u16;
        /// Names.
        models: StrList<'a>;
        /// Where the next part begins; 0 at the end.
        next: u8;
    }
}
message! {
    /// A piece of a voice, from Qizmo.
    pub struct QizmoVoice<'a> = "qizmovoice" as "", block {
        /// A number and a GSM frame.
        data: VoiceFrame<'a>;
    }
}
message! {
    /// A piece of a voice. (FTE)
    pub struct VoiceChat<'a> = "voicechat" as "", block {
        /// Player slot, from 0.
        sender: u8;
        /// Counts what the player said.
        generation: u8;
        /// Number of the piece.
        sequence: u8;
        /// Encoded sound.
        data: Blob<'a>;
    }
}
