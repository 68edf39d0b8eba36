//! What a level begins with, and what each frame tells of its players and entities.

use super::message::ConfigString as OneString;
use super::player::PlayerDelta;
use super::values::SpareBits;
use crate::describe::{
    Body, Field, FieldSchema, Fields, Holds, Mistake, Name, Presence, Schema, Sink, Statement, TypeSchema, field_bits,
    field_parse, field_read, field_schema, field_show, field_type, field_write, message, name_of, selected,
};
use crate::error::Protocol;
use crate::format::dm2::{ByteList, Bytes as Wire, Dialect, END_MASK_FIELD, PacketEntities, PacketEntity};
use crate::wire::{ByteReader, ByteWriter, Fault, FaultKind, Scalar, Str, into_owned};

/// The portals, players and entities that changed. There are no frame numbers and no baselines: a change is one against
/// what was last told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SceneDelta {
    /// Portals of the map that are open: a bit each.
    pub portals: ByteList,
    /// Players.
    pub players: Vec<PlayerDelta>,
    /// Entities. The one of a player who moves normally has no place and angles: they are the player's.
    pub entities: PacketEntities,
}

into_owned!(SceneDelta);

/// What documentation says of the lists in a scene, and of the one in front of the first.
const PLAYER: Statement =
    Statement::new(<PlayerDelta as Body<'_, Wire>>::SCHEMA).state("A state in serverdata and frame");
const ENTITY: Statement =
    Statement::new(<PacketEntity as Body<'_, Wire>>::SCHEMA).state("A state in serverdata and frame, as in a `.dm2`");
const STRINGS: Statement = Statement::new(<OneString<'_> as Body<'_, Wire>>::SCHEMA);

impl SceneDelta {
    const PORTALS: Name = Name::with("portals", "");
    const PLAYER: Name = Name::with("player", "");
    /// The slot that ends the list of players.
    const LAST_SLOT: u8 = 255;

    fn show_fields<S: Sink>(&self, s: &mut S) {
        self.portals.show(Self::PORTALS, s);
        self.entities.show_end_mask(s);
    }

    fn show_states<S: Sink>(&self, s: &mut S) {
        for player in &self.players {
            s.open(Self::PLAYER, false);
            player.show_fields(s);
            s.close();
        }
        self.entities.show_list(s);
    }
}

impl<'a> Field<'a, Wire> for SceneDelta {
    const TYPE: TypeSchema =
        TypeSchema::new("u8 count, u8[count]; players, ended by 255; entities, ended by 0 0", "", "")
            .spread(&[("portals", "integer[]")])
            .needs(&["portals"])
            .beside(&[END_MASK_FIELD])
            .holding(Holds::Messages(&[&PLAYER, &ENTITY]));
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let portals = ByteList::read(r, d).map_err(|f| f.in_field("portals"))?;
        let mut players = Vec::new();
        let mut ahead = *r;
        while ahead.u8()? != Self::LAST_SLOT {
            players.push(<PlayerDelta as Body<Wire>>::read(0, r, d)?);
            ahead = *r;
        }
        *r = ahead;
        Ok(SceneDelta { portals, players, entities: PacketEntities::read_list(r, d)? })
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        self.portals.write(w, d)?;
        for player in &self.players {
            if player.slot == Self::LAST_SLOT {
                return Err(Fault::unwritable("slot 255 would end the list"));
            }
            Body::write(player, 0, w, d)?;
        }
        w.u8(Self::LAST_SLOT);
        self.entities.write_list(w, d)
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        self.show_fields(s);
        self.show_states(s);
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
        let portals = ByteList::parse(f, Self::PORTALS, d)?;
        let mut players = Vec::new();
        for mut child in f.children().filter(|c| Self::PLAYER.is(c.keyword())) {
            child.check_shape(false)?;
            players.push(<PlayerDelta as Body<Wire>>::parse(&mut child, d)?);
            child.finish()?;
            child.consume();
        }
        Ok(SceneDelta { portals, players, entities: PacketEntities::parse_list(f, d)? })
    }
}

selected! {
    /// A level begins: versions, game, all configstrings, all players and entities.
    pub struct LevelHead<'a> = "serverdata" as "", select level_fields {
        /// Protocol number: 37.
        version: i32;
        /// Minor version: 2009 to 2013.
        minor: u16;
    } then {
        /// From minor version 2012 on: 1 no messages stored, 2 one player only, 4 extended limits, 8 more of them.
        flags: u16, bit 0;
        /// Counts the levels of the server.
        spawncount: i32, always;
        /// Game directory; empty for baseq2.
        game: Str<'a>, always;
        /// Slot of a spectator that the recorder pretends to have; -1 for none.
        client: i16, always;
    }
}

fn level_fields(version: &i32, minor: &u16, _: &Dialect) -> Result<u64, FaultKind> {
    if *version != Dialect::MVD2_PROTOCOL {
        return Err(FaultKind::Malformed("a multi-view recording is of protocol 37"));
    }
    match Dialect::mvd2_has_flags(*minor) {
        Some(flags) => Ok(u64::from(flags)),
        None => Err(FaultKind::Unsupported(Protocol { number: *version, name: "mvd2, another minor version" })),
    }
}

/// A level begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerData<'a> {
    /// The highest bits of the number: up to minor version 2011 the flags.
    pub spare_bits: SpareBits,
    /// Versions, game, recorder.
    pub head: LevelHead<'a>,
    /// All configstrings that are not empty, with their numbers.
    pub configstrings: Vec<(u16, Str<'a>)>,
    /// All players and entities.
    pub scene: SceneDelta,
}

into_owned!(ServerData<'a> { spare_bits, head, configstrings pairs, scene });

const CONFIGSTRING: Name = Name::with("configstring", "");
const INDEX: Name = Name::with("index", "");
const STRING: Name = Name::with("string", "");
const CONTRADICTION: &str = "flags that contradict each other";

fn dialect(head: &LevelHead<'_>, spare_bits: SpareBits) -> Option<Dialect> {
    Dialect::mvd2(head.minor, head.flags.unwrap_or(u16::from(spare_bits.0)))
}

impl ServerData<'_> {
    /// The flags, wherever they stand.
    pub fn flags(&self) -> u16 {
        self.head.flags.unwrap_or(u16::from(self.spare_bits.0))
    }

    /// The dialect from here on; `None` where the flags contradict each other.
    pub fn dialect(&self) -> Option<Dialect> {
        dialect(&self.head, self.spare_bits)
    }
}

impl<'a> Body<'a, Wire> for ServerData<'a> {
    const NAME: Name = <LevelHead<'a> as Body<'a, Wire>>::NAME;
    const SCHEMA: Schema = {
        const HEAD: Schema = <LevelHead<'static> as Body<'static, Wire>>::SCHEMA;
        Schema {
            fields: &[
                &[FieldSchema::ours(
                    SpareBits::NAME.text,
                    SpareBits::TYPE,
                    Presence::Always,
                    "The highest bits of the number: up to minor version 2011 the flags, which `flags` explains.",
                )],
                HEAD.fields[0],
                HEAD.fields[1],
                HEAD.fields[2],
                HEAD.fields[3],
                HEAD.fields[4],
                HEAD.fields[5],
                &[
                    FieldSchema::ours(
                        "configstrings",
                        TypeSchema::new("u16, string each, ended by 2080 (13630)", "object[]", "")
                            .holding(Holds::Messages(&[&STRINGS])),
                        Presence::Selected,
                        "Each as configstring; in JSON among the messages.",
                    ),
                    FieldSchema::ours(
                        "scene",
                        <SceneDelta as Field<'static, Wire>>::TYPE,
                        Presence::Always,
                        "All players and entities, as in frame.",
                    ),
                ],
            ],
            ..HEAD
        }
    };
    fn read(id: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let spare_bits = SpareBits::of_number(id);
        let head = <LevelHead<'a> as Body<'a, Wire>>::read(id, r, d)?;
        let Some(d) = &dialect(&head, spare_bits) else { return Err(r.malformed(CONTRADICTION)) };
        let mut configstrings = Vec::new();
        loop {
            let at = r.pos();
            let index = r.u16()?;
            if index == d.layout.configstrings.end {
                break;
            }
            if index > d.layout.configstrings.end {
                return Err(Fault::new(FaultKind::Malformed("a configstring above the last one"), at));
            }
            configstrings.push((index, Str::new(r.until_nul()?)));
        }
        let scene = Field::read(r, d)?;
        Ok(ServerData { spare_bits, head, configstrings, scene })
    }
    fn write(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let Some(after) = &self.dialect() else { return Err(Fault::unwritable(CONTRADICTION)) };
        self.head.write(id | self.spare_bits.in_number(), w, d)?;
        let end = after.layout.configstrings.end;
        for (index, string) in &self.configstrings {
            if *index >= end {
                return Err(Fault::unwritable("a configstring above the last one"));
            }
            w.u16(*index);
            w.string(string.bytes())?;
        }
        w.u16(end);
        self.scene.write(w, after)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        self.spare_bits.show(SpareBits::NAME, s);
        self.head.show_fields(s);
        self.scene.show_fields(s);
        for (index, string) in &self.configstrings {
            s.open(CONFIGSTRING, false);
            s.value(INDEX, Scalar::Int(i64::from(*index)));
            s.string(STRING, string.bytes());
            s.close();
        }
        self.scene.show_states(s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let spare_bits = SpareBits::parse(f, SpareBits::NAME)?;
        let head = <LevelHead<'a> as Body<'a, Wire>>::parse(f, d)?;
        // What contradicts itself cannot be written: that is said then.
        let d = &dialect(&head, spare_bits).unwrap_or(*d);
        let mut configstrings = Vec::new();
        for mut child in f.children().filter(|c| CONFIGSTRING.is(c.keyword())) {
            child.check_shape(false)?;
            let index = child.take(INDEX)?.int(0, 65_535)? as u16;
            configstrings.push((index, <Str<'a> as Field<'a, Wire>>::parse(&mut child, STRING, d)?));
            child.finish()?;
            child.consume();
        }
        Ok(ServerData { spare_bits, head, configstrings, scene: Field::parse(f, STRING, d)? })
    }
}
