//! Lists of entities in packets, each entity as a delta.

use super::dialect::{Bytes as Wire, Dialect};
use super::entity::PacketEntity;
use crate::describe::{Body, FieldSchema, Fields, Holds, Mistake, Name, Presence, Schema, Sink, Statement, TypeSchema};
use crate::format::write_deltas;
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, into_owned};

const PACKET_ENTITY: Name = Name::new("packetentity");
const DELTA_PACKET_ENTITY: Name = Name::with("packetentity", "deltapacketentity");
const FRAME: Name = Name::new("frame");
const LIST: TypeSchema =
    TypeSchema::new("entity deltas, ended by u16 0", "object[]", "").holding(Holds::Messages(&[&ENTITY]));
const ENTITY: Statement = Statement::new(<PacketEntity as Body<'_, Wire>>::SCHEMA);

/// A list seldom has more.
const USUAL: usize = 16;

fn read_list(r: &mut ByteReader<'_>, d: &Dialect) -> Result<Vec<PacketEntity>, Fault> {
    let mut all = Vec::new();
    loop {
        // The word 0 ends the list.
        let mut ahead = *r;
        if ahead.u16()? == 0 {
            *r = ahead;
            return Ok(all);
        }
        if all.is_empty() {
            all.reserve_exact(USUAL);
        }
        all.push(<PacketEntity as Body<Wire>>::read(0, r, d)?);
    }
}

fn show_list<S: Sink>(list: &[PacketEntity], name: Name, s: &mut S) {
    for entity in list {
        s.open(name, false);
        entity.show_fields(s);
        s.close();
    }
}

fn parse_list<'a>(f: &Fields<'a, '_>, d: &Dialect) -> Result<Vec<PacketEntity>, Mistake> {
    let mut all = Vec::new();
    for mut child in f.children() {
        if !DELTA_PACKET_ENTITY.is(child.keyword()) {
            continue;
        }
        child.check_shape(false)?;
        all.push(<PacketEntity as Body<Wire>>::parse(&mut child, d)?);
        child.finish()?;
        child.consume();
    }
    Ok(all)
}

impl PacketEntity {
    /// True when a list can have it: entity 0 without a change would end the list.
    pub(crate) fn fits_list(&self, d: &Dialect) -> bool {
        write_deltas(std::slice::from_ref(self), &mut ByteWriter::default(), d).is_ok()
    }
}

/// All entities in sight, each as the difference to its baseline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PacketEntities {
    /// The entities in order of their numbers.
    pub entities: Vec<PacketEntity>,
}

into_owned!(PacketEntities);

impl<'a> Body<'a, Wire> for PacketEntities {
    const NAME: Name = Name::new("packetentities");
    const SCHEMA: Schema = Schema {
        name: "packetentities",
        lmpc: Some("packetentities"),
        doc: "All entities in sight, each as the difference to its baseline: packetentity, in order of their numbers.",
        inline: false,
        masked: false,
        fields: &[&[FieldSchema::new(
            "packetentity",
            LIST,
            Presence::Selected,
            "An entity; in JSON among the messages.",
        )]],
    };
    #[inline]
    fn read(_: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        read_list(r, d).map(|entities| PacketEntities { entities })
    }
    fn write(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        write_deltas(&self.entities, w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        show_list(&self.entities, PACKET_ENTITY, s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        parse_list(f, d).map(|entities| PacketEntities { entities })
    }
}

/// The entities that changed since an earlier packet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeltaPacketEntities {
    /// The lowest 8 bits of the sequence number of that packet.
    pub frame: u8,
    /// The entities in order of their numbers.
    pub entities: Vec<PacketEntity>,
}

into_owned!(DeltaPacketEntities);

impl<'a> Body<'a, Wire> for DeltaPacketEntities {
    const NAME: Name = Name::new("deltapacketentities");
    const SCHEMA: Schema = Schema {
        name: "deltapacketentities",
        lmpc: Some("deltapacketentities"),
        doc: "The entities that changed since an earlier packet: packetentity, in order of their numbers. Those not named stay as they were.",
        inline: false,
        masked: false,
        fields: &[&[
            FieldSchema::new(
                "frame",
                TypeSchema::new("u8", "integer", ""),
                Presence::Always,
                "The lowest 8 bits of the sequence number of that packet.",
            ),
            FieldSchema {
                name: "packetentity",
                lmpc: Some("deltapacketentity"),
                doc: "An entity; in JSON among the messages.",
                ty: LIST,
                presence: Presence::Selected,
            },
        ]],
    };
    #[inline]
    fn read(_: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok(DeltaPacketEntities { frame: r.u8()?, entities: read_list(r, d)? })
    }
    fn write(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        w.u8(self.frame);
        write_deltas(&self.entities, w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        s.value(FRAME, Scalar::Int(i64::from(self.frame)));
        if !self.entities.is_empty() {
            // LMPC has a word for the entities in its own texts, and does not compile it.
            s.foreign();
        }
        show_list(&self.entities, DELTA_PACKET_ENTITY, s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        Ok(DeltaPacketEntities { frame: f.take(FRAME)?.int(0, 255)? as u8, entities: parse_list(f, d)? })
    }
}
