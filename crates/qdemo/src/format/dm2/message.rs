//! The messages of Quake II, declared. Names and order are those of the DM2 document, section 3.

use super::dialect::{Bytes as Wire, Dialect, PlayerMaskKind, Recording};
pub use super::entity::{PacketEntities, SpawnBaseline};
use super::rerelease::{
    Achievement, BotChat, ConfigBlast, Damage, FinalView, FogChange, HelpPath, LevelRestart, LocPrint, MuzzleFlash3,
    Poi, PreciseGun, PreciseView, SpawnBaselineBlast, SplitClient, WaitingForPlayers,
};
use super::split_screen::{ClientSlots, SplitPlayers};
pub use super::test_release::{TestBaseline, TestEntities, TestPlayerInfo};
use super::values::{
    Angles16, Blend, ByteList, Direction, EffectType, Gun, GunIndex, Items, KmPlayer, Movement, OriginCoord, PlayerFog,
    Quarters, SoundSource, Stats, TimeOffset, VelocityCoord,
};
use crate::describe::{
    Attenuation, Body, Braced, Field, FieldSchema, Fields, Mask, Mistake, ModelIndex, Name, Presence, Schema, Sink,
    SoundIndex, TypeSchema, Volume, field_bits, field_parse, field_read, field_schema, field_show, field_type,
    field_write, masked, message, messages, name_of, selected,
};
use crate::format::ByteMessages;
pub use crate::format::dem::{Bad, CenterPrint, Nop, StuffText};
pub use crate::format::download::Download;
use crate::wire::{ByteReader, ByteWriter, Coord, Fault, FaultKind, Scalar, Str, into_owned};

messages! {
    /// One message of a Quake II server.
    pub enum Message<'a> / MessageKind, from 'a, keeps 'a, after super::packet::after {
        Bad, MuzzleFlash, MuzzleFlash2, TempEntity, Layout<'a>, Inventory, Nop, Disconnect, Reconnect, Sound,
        Print<'a>, StuffText<'a>, ServerData<'a>, ConfigString<'a>, SpawnBaseline, CenterPrint<'a>, Download<'a>,
        PlayerInfo, PacketEntities, Frame, Unicast<'a>, TestBaseline, TestPlayerInfo, TestEntities,
        Fog, Setting, SplitClient, ConfigBlast<'a>, SpawnBaselineBlast<'a>, LevelRestart<'a>, Damage, LocPrint<'a>,
        FogChange, WaitingForPlayers, BotChat<'a>, Poi, HelpPath, MuzzleFlash3, Achievement<'a>,
    }
}

message! {
    /// A player fires or does something else that is seen or heard.
    pub struct MuzzleFlash = "muzzleflash", block {
        /// Entity of the player.
        entity: i16;
        /// What: MZ_ numbers, plus 128 with a silencer.
        value: u8;
    }
}
message! {
    /// A monster fires.
    pub struct MuzzleFlash2 = "muzzleflash2" as "muzzlflash2", block {
        /// Entity of the monster.
        entity: i16;
        /// What: MZ2_ numbers.
        value: u8;
    }
}
selected! {
    /// A short-lived effect: a hit, an explosion, a beam.
    pub struct TempEntity = "temp_entity", select temp_entity_fields {
        /// Type, TE_ numbers.
        effect: EffectType;
    } then {
        /// Entity at the other end of lightning.
        dest_entity: i16, bit 0;
        /// Entity that made the effect.
        entity: i16, bit 1;
        /// How many flames.
        flames as "": i16, bit 2;
        /// How many particles.
        count: u8, bit 3;
        /// Start of a flame.
        start: [Coord; 3], bit 4;
        /// Other end of lightning.
        dest_origin: [Coord; 3], bit 5;
        /// Number of a widow's beam.
        kind as "type": i16, bit 6;
        /// Place.
        origin: [Coord; 3], bit 7;
        /// Entity with a flashlight.
        flash_entity: i16, bit 8;
        /// End of a line.
        trace_endpos: [Coord; 3], bit 9;
        /// One more place: offset of a grapple, or of a flame.
        pos1: [Coord; 3], bit 10;
        /// One more.
        pos2: [Coord; 3], bit 11;
        /// One more.
        pos3: [Coord; 3], bit 11;
        /// One more.
        pos4: [Coord; 3], bit 11;
        /// Direction.
        movedir: Direction, bit 12;
        /// Colour or style.
        style: u8, bit 13;
        /// Size of steam.
        plat2flags: i16, bit 14;
        /// How long steam lasts, in ms.
        wait: i32, bit 15;
        /// Damage that the recorder dealt, in Q2PRO's extended demos.
        damage as "": i16, bit 16;
    }
}

/// Fields of temporary entities, as bits of the declaration above.
mod te {
    const DEST_ENTITY: u64 = 1;
    const ENTITY: u64 = 1 << 1;
    const FLAMES: u64 = 1 << 2;
    const COUNT: u64 = 1 << 3;
    const START: u64 = 1 << 4;
    const DEST_ORIGIN: u64 = 1 << 5;
    const KIND: u64 = 1 << 6;
    const ORIGIN: u64 = 1 << 7;
    const FLASH: u64 = 1 << 8;
    const END: u64 = 1 << 9;
    const POS1: u64 = 1 << 10;
    const POS234: u64 = 1 << 11;
    const DIR: u64 = 1 << 12;
    const STYLE: u64 = 1 << 13;
    const FLAGS: u64 = 1 << 14;
    const WAIT: u64 = 1 << 15;
    pub(super) const DAMAGE: u64 = 1 << 16;

    pub(super) const POINT: u64 = ORIGIN;
    pub(super) const IMPACT: u64 = ORIGIN | DIR;
    pub(super) const LINE: u64 = ORIGIN | END;
    pub(super) const SPLASH: u64 = COUNT | ORIGIN | DIR | STYLE;
    pub(super) const BEAM: u64 = ENTITY | ORIGIN | END;
    pub(super) const GRAPPLE: u64 = BEAM | POS1;
    pub(super) const FLAME: u64 = ENTITY | FLAMES | START | ORIGIN | POS1 | POS234;
    pub(super) const LIGHTNING: u64 = DEST_ENTITY | ENTITY | DEST_ORIGIN | ORIGIN;
    pub(super) const FLASHLIGHT: u64 = ORIGIN | FLASH;
    pub(super) const FORCEWALL: u64 = ORIGIN | END | STYLE;
    pub(super) const STEAM: u64 = COUNT | ORIGIN | DIR | STYLE | FLAGS;
    pub(super) const STEAM_WAIT: u64 = STEAM | WAIT;
    pub(super) const WIDOW: u64 = KIND | ORIGIN;
    pub(super) const SHIELD: u64 = ENTITY | STYLE;
}

fn temp_entity_fields(effect: &EffectType, d: &Dialect) -> Result<u64, FaultKind> {
    if d.recording == Recording::TestRelease {
        return match effect.entitytype {
            2 | 12 | 14 | 16 | 21 | 26 => Ok(te::IMPACT),
            17..=19 => Ok(te::POINT),
            _ => Err(FaultKind::Malformed("a type of temporary entity of the test release that is not known")),
        };
    }
    Ok(match effect.entitytype {
        5..=8 | 17 | 18 | 20..=22 | 28 | 35 | 45 | 47..=49 | 51..=54 => te::POINT,
        0..=2 | 4 | 9 | 12..=14 | 30 | 42..=44 | 46 | 55 => te::IMPACT,
        3 | 11 | 23 | 31 | 34 | 41 => te::LINE,
        // Plasma trail and green blood changed places.
        26 if d.later_effects => te::IMPACT,
        26 => te::LINE,
        27 if d.later_effects => te::LINE,
        27 => te::IMPACT,
        10 | 15 | 25 | 29 => te::SPLASH,
        16 | 19 | 38 | 39 => te::BEAM,
        24 => te::GRAPPLE,
        32 => te::FLAME,
        33 => te::LIGHTNING,
        36 => te::FLASHLIGHT,
        37 => te::FORCEWALL,
        EffectType::STEAM if effect.nextid == Some(-1) => te::STEAM,
        EffectType::STEAM => te::STEAM_WAIT,
        50 => te::WIDOW,
        56 | 58 if d.layout.rerelease => te::IMPACT,
        57 if d.layout.rerelease => te::LINE,
        59 | 61 if d.layout.rerelease => te::BEAM,
        60 if d.layout.rerelease => te::SHIELD,
        62 | 63 if d.layout.rerelease => te::POINT,
        128 if d.layout.damage_effect => te::DAMAGE,
        _ => return Err(FaultKind::Malformed("unknown type of temporary entity")),
    })
}

message! {
    /// What the status bar shows beside itself: scores, a help computer ...
    pub struct Layout<'a> = "layout", inline {
        /// A program of the status bar's language.
        text: Str<'a>;
    }
}
message! {
    /// Everything the recorder carries.
    pub struct Inventory = "inventory", inline {
        /// How many, by number of the item.
        count: Items;
    }
}
message! {
    /// The server ends the connection.
    pub struct Disconnect = "disconnect", inline {}
}
message! {
    /// The server asks to connect again: a new level.
    pub struct Reconnect = "reconnect", inline {}
}
masked! {
    /// Starts a sound.
    pub struct Sound = "sound", mask SoundMask {
        /// Sound number.
        soundnum: SoundIndex, wide 5;
        /// Loudness; full when absent.
        vol: Volume, bit 0;
        /// How fast it fades with distance; 1 when absent.
        attenuation: Attenuation, bit 1;
        /// Time after the frame; 0 when absent.
        timeofs: TimeOffset, bit 4;
        /// Channel and entity.
        source: SoundSource, wide_bit 3 6;
        /// Where it is; where its entity is when absent.
        origin: [Coord; 3], bit 2;
        /// It stays there even where the entity can be seen, in the re-release.
        explicit_origin as "": (), flag 8;
    }
}

/// The mask of `sound`: one byte.
pub(super) struct SoundMask;

/// A bit of the re-release that is another elsewhere, and what it counts as.
const EXPLICIT_ORIGIN: (u32, u32) = (5, 8);

impl Mask<Dialect> for SoundMask {
    fn read(_: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mask = u64::from(r.u8()?);
        let (from, to) = EXPLICIT_ORIGIN;
        Ok(if d.layout.rerelease { mask & !(1 << from) | (mask >> from & 1) << to } else { mask })
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let (to, from) = EXPLICIT_ORIGIN;
        let mask = match d.layout.rerelease {
            true if mask >> to & 1 == 1 => {
                return Err(Fault::unwritable("a mask bit that the re-release does not have"));
            }
            true => mask & !(1 << from) | (mask >> from & 1) << to,
            false => mask,
        };
        w.u8(u8::try_from(mask).map_err(|_| Fault::unwritable("a mask bit above the mask's eight"))?);
        Ok(())
    }
    fn present(mask: u64, d: &Dialect) -> u64 {
        mask & d.layout.sound_bits
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        bits
    }
}

message! {
    /// Text for the console and the top of the screen.
    pub struct Print<'a> = "print", block {
        /// 0 pickups, 1 deaths, 2 important, 3 chat.
        level: u8;
        /// The text.
        string: Str<'a>;
    }
}
selected! {
    /// A level begins: protocol, who recorded, level name.
    pub struct ServerData<'a> = "serverdata", select serverdata_fields {
        /// Protocol number.
        serverversion: i32;
        /// Counts the levels of the server, plus 65536 in recordings of clients.
        key: i32;
        /// 0 a live game, 1 recorded by a client, 2 by the server, 128 by Relay.
        isdemo: u8;
    } then {
        /// Frames a second, in the re-release.
        tickrate as "": u8, bit 0;
        /// Game directory; empty for baseq2.
        game: Str<'a>, always;
        /// Slot of the recorder; its entity is slot + 1; -1 for none; -2 for several, in the re-release.
        client: ClientSlots, wide 1;
        /// Name of the level for people, or a picture.
        mapname: Str<'a>, always;
    }
}

fn serverdata_fields(protocol: &i32, _: &i32, _: &u8, _: &Dialect) -> Result<u64, FaultKind> {
    Ok(if Dialect::tells_screens(*protocol) { 0b11 } else { 0 })
}

impl ServerData<'_> {
    /// The dialect from here on, after one with `long_angles` of KMQuake2 or without.
    pub(crate) fn dialect(&self, long_angles: bool) -> Dialect {
        let dialect = Dialect::announced(self.serverversion, self.isdemo).with_long_angles(long_angles);
        match self.tickrate {
            Some(rate) => dialect.with_screens(rate, self.client.screens()),
            None => dialect,
        }
    }
}

message! {
    /// A string that every level has: names of models, sounds and pictures, players ...
    pub struct ConfigString<'a> = "configstring", block {
        /// Number of the configstring.
        index: u16;
        /// Its value.
        string: Str<'a>;
    }
}

masked! {
    /// The state of the player who is seen, as the difference to the frame that `frame` names.
    pub struct PlayerInfo = "playerinfo", mask PlayerMask {
        /// Kind of movement: 0 normal, 1 spectator, 2 dead, 3 a head, 4 frozen. In the re-release: 0 normal, 1 grapple,
        /// 2 through walls, 3 spectator, 4 dead, 5 a head, 6 frozen.
        pm_type: u8, bit 0;
        /// Where the player is.
        origin: [OriginCoord; 3], bit 1;
        /// Velocity in units a second.
        velocity: [VelocityCoord; 3], bit 2;
        /// Time for which some flags last, in 8 ms; in the re-release in 1 ms.
        pm_time: Movement, bit 3;
        /// 1 ducked, 2 jump held, 4 on ground, 8 water jump, 16 landing, 32 teleported, 64 no prediction.
        pm_flags: Movement, bit 4;
        /// Gravity.
        gravity: i16, bit 5;
        /// What the re-release tells more precisely.
        precise: Option<Box<PreciseView>>, group;
        /// Added to the angles of commands.
        delta_angles: Angles16, bit 6;
        /// Eyes above the origin.
        viewoffset: Quarters, bit 7;
        /// View.
        viewangles: Angles16, bit 8;
        /// Kick of the view.
        kick_angles: Quarters, bit 9;
        /// Model number of the weapon.
        gunindex: GunIndex, bit 12;
        /// Model number of the second weapon, in KMQuake2.
        gunindex2 as "": ModelIndex, bit 16;
        /// Frame, place and direction of the weapon, in the re-release.
        precise_gun: Option<Box<PreciseGun>>, group;
        /// Frame, place and direction of the weapon.
        gun: Option<Gun>, group;
        /// What only KMQuake2 has.
        kmquake2: Option<Box<KmPlayer>>, group;
        /// Colour of the whole screen.
        blend: Blend, bit 10;
        /// Fog, in Q2PRO's extended demos.
        fog as "": Box<Braced<PlayerFog>>, bit 32;
        /// Field of view in degrees.
        fov: u8, bit 11;
        /// 1 under water, 2 no world, 4 infrared, 8 ultraviolet.
        rdflags: u8, bit 14;
        /// Number N on the status bar: 0 to 31; to 63 in protocols 3435 and 3436 and the re-release; to 255 in KMQuake2,
        /// where a mask bit stands for eight numbers, 32 apart.
        stats: Stats, always;
        /// What only the re-release has.
        rerelease: Option<Box<FinalView>>, group;
    }
}

/// The mask of `playerinfo`: two bytes, three or four.
pub(super) struct PlayerMask;

/// Announces more bytes, where there may be any. The bits of a third count from 32 on, those of two from 40 on.
const MORE: u64 = 1 << 15;
const TWO_MORE: u32 = 40;
/// Bits whose fields have layouts of their own in the re-release, and what they count as.
const PRECISE: [(u32, u32); 5] = [(6, 33), (7, 34), (8, 35), (9, 36), (13, 37)];

impl Mask<Dialect> for PlayerMask {
    const USUAL: Option<&'static Dialect> = Some(&Dialect::QUAKE2);

    #[inline(always)]
    fn is_usual(d: &Dialect) -> bool {
        d.has_standard_states()
    }
    #[inline(always)]
    fn read(_: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        Ok(match d.layout.player_mask {
            PlayerMaskKind::Word => u64::from(r.u16()?),
            PlayerMaskKind::Long => u64::from(r.u32()?),
            PlayerMaskKind::WordAndByte => {
                let mask = u64::from(r.u16()?);
                if mask & MORE != 0 { mask | u64::from(r.u8()?) << 32 } else { mask }
            }
            PlayerMaskKind::TwoWords => {
                let mask = u64::from(r.u16()?);
                let more = if mask & MORE != 0 { u64::from(r.u16()?) } else { 0 };
                let precise =
                    PRECISE.iter().fold(mask, |mask, (from, to)| mask & !(1 << from) | (mask >> from & 1) << to);
                precise | more << TWO_MORE
            }
        })
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        match (d.layout.player_mask, mask >> 16, mask >> 32) {
            (PlayerMaskKind::Word, 0, _) => w.u16(mask as u16),
            (PlayerMaskKind::Long, _, 0) => w.u32(mask as u32),
            (PlayerMaskKind::WordAndByte, 0, _) if mask & MORE == 0 => w.u16(mask as u16),
            (PlayerMaskKind::WordAndByte, _, 0..=0xFF) if mask & MORE != 0 && mask >> 16 & 0xFFFF == 0 => {
                w.u16(mask as u16);
                w.u8((mask >> 32) as u8);
            }
            (PlayerMaskKind::TwoWords, ..) => {
                let more = mask >> TWO_MORE;
                let own = PRECISE.iter().fold(0, |own, (bit, _)| own | 1 << bit);
                let low = mask & ((1 << TWO_MORE) - 1);
                let low = PRECISE.iter().fold(low, |low, (to, from)| low & !(1 << from) | (low >> from & 1) << to);
                if mask & own != 0 || low >> 16 != 0 || more != 0 && mask & MORE == 0 {
                    return Err(Fault::unwritable("a mask bit that the re-release does not have"));
                }
                w.u16(low as u16);
                if mask & MORE != 0 {
                    w.u16(more as u16);
                }
            }
            _ => return Err(Fault::unwritable("a mask bit above those that the mask has room for")),
        }
        Ok(())
    }
    #[inline]
    fn present(mask: u64, d: &Dialect) -> u64 {
        mask & d.layout.player_bits
    }
    #[inline]
    fn canon(bits: u64, d: &Dialect) -> u64 {
        let first = if d.layout.player_mask == PlayerMaskKind::TwoWords { TWO_MORE } else { 32 };
        if bits >> first != 0 { bits | MORE } else { bits }
    }
}

selected! {
    /// A frame begins: its number, and that of the frame to which it is the difference.
    pub struct Frame = "frame", select frame_fields {
    } then {
        /// Number of the frame: ten a second.
        seq1: i32, always;
        /// Number of the frame to which this is the difference; -1: it is complete. Not in recordings of servers.
        seq2: i32, bit 0;
        /// Packets that the server left out since the last one. Not in protocol 26.
        suppress as "uk_b1": u8, bit 1;
        /// What of the players at the recorder's screen but the last: areas and state of each, in the re-release.
        split as "": SplitPlayers, bit 4;
        /// Areas that can be seen: a bit each. Not in cinematics of the re-release.
        areas: ByteList, bit 3;
        /// Clients that are connected. Only in Relay recordings.
        connected: ByteList, bit 2;
    }
}

fn frame_fields(d: &Dialect) -> Result<u64, FaultKind> {
    Ok(fields_of_frame(d))
}

fn fields_of_frame(d: &Dialect) -> u64 {
    let suppress = u64::from(d.suppress) << 1;
    match d.recording {
        Recording::Client => match d.screens {
            0 => 0b1 | suppress,
            1 => 0b1001 | suppress,
            _ => 0b1_1001 | suppress,
        },
        Recording::Relay => 0b1101 | suppress,
        Recording::Server => 0,
        Recording::TestRelease => 0b1000,
    }
}

impl Frame {
    /// A frame as a dialect has it, without areas and clients: what that does not tell is left out. `delta` is the number
    /// of the frame to which it is the difference; `None`: it is complete.
    pub fn new(number: i32, delta: Option<i32>, suppress: u8, d: &Dialect) -> Frame {
        let fields = fields_of_frame(d);
        let told = |bit: u32| fields >> bit & 1 == 1;
        Frame {
            seq1: number,
            seq2: told(0).then_some(delta.unwrap_or(-1)),
            suppress: told(1).then_some(suppress),
            connected: told(2).then(ByteList::default),
            areas: told(3).then(ByteList::default),
            split: told(4).then(SplitPlayers::default),
        }
    }

    /// The kind of recording that has such frames.
    pub fn recording(&self) -> Recording {
        match (&self.seq2, &self.connected, &self.areas) {
            (None, _, None) => Recording::Server,
            (None, _, Some(_)) => Recording::TestRelease,
            (Some(_), None, _) => Recording::Client,
            (Some(_), Some(_), _) => Recording::Relay,
        }
    }
}

message! {
    /// Fog of the level, in KMQuake2.
    pub struct Fog = "fog" as "", block {
        /// 1: there is fog.
        on: u8;
        /// How it thickens with distance.
        model: u8;
        /// How dense it is.
        density: u8;
        /// Distance of its start.
        start: i16;
        /// Distance of its end.
        end: i16;
        /// Colour.
        color: [u8; 3];
    }
}
message! {
    /// The server tells or asks for a setting, in Q2PRO's extended demos.
    pub struct Setting = "setting" as "", block {
        /// Which setting.
        index: i32;
        /// Its value.
        value: i32;
    }
}

/// A message for one client only, in Relay recordings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unicast<'a> {
    /// Slot of the client.
    pub client: u8,
    /// The message.
    pub message: Box<Message<'a>>,
}

into_owned!(Unicast<'a> { client, message boxed });

/// The bit of a message number that says that the message is for one client.
const UNICAST: u8 = 0x80;

impl<'a> Body<'a, Wire> for Unicast<'a> {
    const NAME: Name = Name::new("unicast");
    const SCHEMA: Schema = Schema {
        name: "unicast",
        lmpc: Some("unicast"),
        doc: "The next message is for one client only. In Relay recordings: bit 7 of its number.",
        inline: true,
        masked: false,
        fields: &[&[FieldSchema::new(
            "client",
            TypeSchema::new("u8", "integer", ""),
            Presence::Always,
            "Slot of the client.",
        )]],
    };
    fn read(id: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let client = r.u8()?;
        let inner = id & !UNICAST;
        match Message::read_numbered(inner, r, d) {
            Some(message) => message.map(|m| Unicast { client, message: Box::new(m) }),
            None => Err(Fault::new(FaultKind::UnknownMessage(inner), r.pos())),
        }
    }
    fn write(&self, _: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let Some(id) = self.message.number(d).filter(|id| id & UNICAST == 0) else {
            return Err(Fault::unwritable("a message that cannot be for one client"));
        };
        let at = w.len();
        self.message.write_numbered(id, w, d)?;
        // The client number goes behind the message number.
        let rest = w.as_slice().get(at + 1..).unwrap_or_default().to_vec();
        w.truncate(at);
        w.u8(id | UNICAST);
        w.u8(self.client);
        w.bytes(&rest);
        Ok(())
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, true);
        s.value(Name::new("client"), Scalar::Int(i64::from(self.client)));
        s.close();
        self.message.show(s);
    }
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        Err(f.mistake("unicast stands in front of the message that it is about"))
    }
}
