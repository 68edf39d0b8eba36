//! Several players at the recorder's screen, in the re-release.

use super::dialect::{Bytes as Wire, Dialect};
use super::message::{MessageKind, PlayerInfo};
use super::values::ByteList;
use crate::describe::{
    Body, Field, FieldSchema, Fields, Holds, Mistake, Name, Presence, Sink, Statement, TypeSchema, WideField,
};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, into_owned};

/// The slot of the recorder, or those of several players at one screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientSlots {
    /// The slot; -1 for none; -2 for several, where the protocol has that.
    pub client: i16,
    /// The slots of several.
    pub split: Vec<i16>,
}

into_owned!(ClientSlots);

impl ClientSlots {
    const SPLIT: Name = Name::with("split_clients", "");
    /// Stands for several slots.
    const SEVERAL: i16 = -2;

    /// One recorder, or none.
    pub const fn one(client: i16) -> Self {
        ClientSlots { client, split: Vec::new() }
    }

    /// The slot of the recorder; of several the first.
    pub fn first(&self) -> i16 {
        self.split.first().copied().unwrap_or(self.client)
    }

    /// Players at the screen.
    pub(crate) fn screens(&self) -> u8 {
        if self.client == Self::SEVERAL { u8::try_from(self.split.len()).unwrap_or(u8::MAX) } else { 1 }
    }
}

impl<'a> Field<'a, Wire> for ClientSlots {
    const TYPE: TypeSchema = TypeSchema::new("i16; in the re-release, when -2: i16 count, i16[count]", "", "")
        .spread(&[("client", "integer"), ("split_clients", "integer[]")]);
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Self::read_wide(r, d, false)
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        self.write_wide(w, d, false)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Int(i64::from(self.client)));
        if !self.split.is_empty() {
            let slots: Vec<_> = self.split.iter().map(|slot| Scalar::Int(i64::from(*slot))).collect();
            s.values(Self::SPLIT, &slots);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let client = f.take(name)?.int(-32_768, 32_767)? as i16;
        let split = if f.has(Self::SPLIT) { f.take(Self::SPLIT)?.ints(-32_768, 32_767)? } else { Vec::new() };
        Ok(ClientSlots { client, split: split.into_iter().map(|slot| slot as i16).collect() })
    }
}

impl<'a> WideField<'a, Wire> for ClientSlots {
    fn read_wide(r: &mut ByteReader<'a>, _: &Dialect, wide: bool) -> Result<Self, Fault> {
        let mut slots = ClientSlots::one(r.i16()?);
        if wide && slots.client == Self::SEVERAL {
            let count = r.i16()?;
            if !(0..=i16::from(u8::MAX)).contains(&count) {
                return Err(r.malformed("a number of players at one screen that there cannot be"));
            }
            for _ in 0..count {
                slots.split.push(r.i16()?);
            }
        }
        Ok(slots)
    }
    fn write_wide(&self, w: &mut ByteWriter, _: &Dialect, wide: bool) -> Result<(), Fault> {
        w.i16(self.client);
        match (wide && self.client == Self::SEVERAL, u8::try_from(self.split.len())) {
            (true, Ok(count)) => {
                w.i16(i16::from(count));
                self.split.iter().for_each(|slot| w.i16(*slot));
            }
            (false, Ok(0)) => {}
            _ => return Err(Fault::unwritable("split_clients go with client -2 of the re-release, at most 255")),
        }
        Ok(())
    }
    /// The protocol number decides.
    fn needs_wide(&self, _: &Dialect) -> bool {
        false
    }
}

/// What a frame tells of one of several players at a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitPlayer {
    /// Areas that this player can see.
    pub areas: ByteList,
    /// The state.
    pub state: PlayerInfo,
}

impl SplitPlayer {
    /// What documentation says of an item.
    const STATEMENT: Statement = Statement::of(
        Self::ITEM,
        "A player at the recorder's screen.",
        &[&[FieldSchema::ours(
            Self::AREAS.text,
            ByteList::TYPE,
            Presence::Always,
            "Areas that this player can see: a bit each.",
        )]],
    )
    .before(&<PlayerInfo as Body<'_, Wire>>::SCHEMA);
    const ITEM: Name = Name::with("player", "");
    const AREAS: Name = Name::with("areas", "");
}

/// All players at a screen but the last, whose areas and state stand where those of an only one would.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SplitPlayers(pub Vec<SplitPlayer>);

impl SplitPlayers {
    fn number(d: &Dialect) -> Option<u8> {
        d.number_of(MessageKind::PlayerInfo)
    }
}

impl<'a> Field<'a, Wire> for SplitPlayers {
    const TYPE: TypeSchema = TypeSchema::new("player each: u8 count, u8[count], u8 17, playerinfo", "object[]", "")
        .holding(Holds::List(&SplitPlayer::STATEMENT));
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let mut all = Vec::new();
        for _ in 1..d.screens {
            let areas = ByteList::read(r, d)?;
            let id = r.u8()?;
            if Self::number(d) != Some(id) {
                return Err(r.malformed("something else where the state of a player belongs"));
            }
            all.push(SplitPlayer { areas, state: PlayerInfo::read(id, r, d)? });
        }
        Ok(SplitPlayers(all))
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let Some(id) = Self::number(d).filter(|_| self.0.len() + 1 == usize::from(d.screens)) else {
            return Err(Fault::unwritable("states of more or fewer players than are at the screen"));
        };
        for player in &self.0 {
            player.areas.write(w, d)?;
            Body::write(&player.state, id, w, d)?;
        }
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.list(name);
        for player in &self.0 {
            s.item(SplitPlayer::ITEM);
            player.areas.show(SplitPlayer::AREAS, s);
            player.state.show_fields(s);
            s.close();
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        let item = |item: &mut Fields<'a, '_>| {
            let areas = ByteList::parse(item, SplitPlayer::AREAS, d)?;
            Ok(SplitPlayer { areas, state: <PlayerInfo as Body<Wire>>::parse(item, d)? })
        };
        f.take_list(name, SplitPlayer::ITEM, item).map(SplitPlayers)
    }
}
