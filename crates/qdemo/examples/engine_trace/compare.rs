//! Walks a block and its lines in the trace side by side.
//!
//! The walk counts bits as the engine does, from the values of our model and the engine's forms: so the places and
//! sizes that the engine prints also tell of what it does not print.

use std::fmt;

use qdemo::format::dm3::{
    Array, Block, Change, Dialect, EntityUpdate, FieldValue, Gamestate, GamestateItem, Message, MessageKind, Packet,
    Snapshot, State, Table, TableField,
};
use qdemo::frame::Diagnostic;
use qdemo::game::quake3::World;
use qdemo::wire::BitWriter;

use crate::history::{History, base_number};
use crate::place::{Item, Place};
use crate::printed::Printed;
use crate::report::{Kind, Report};
use crate::states::States;
use crate::trace::{Base, Delta, Line};

/// Bits of an entity's number, and the number that ends a list.
const NUMBER_BITS: u32 = 10;
const LAST: u32 = 1023;
/// Message numbers within a gamestate.
const CONFIGSTRING: u8 = 3;
const BASELINE: u8 = 4;

/// Compares block after block of a file.
pub(crate) struct Comparer {
    dialect: Dialect,
    history: History,
    states: States,
    pub(crate) report: Report,
}

impl Comparer {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Comparer { dialect, history: History::default(), states: States::default(), report: Report::default() }
    }

    pub(crate) fn block(&mut self, block: &Block<'_>, packet: &Packet<'_>, fault: Option<Diagnostic>, lines: &[Line]) {
        let mut walk = Walk {
            lines,
            w: BitWriter::new(self.dialect.layout.coding),
            in_step: true,
            place: Place { block: block.index, sequence: block.header.sequence, item: Item::Block },
            dialect: self.dialect,
            bases: self.history.take_in(block.header.sequence, packet).into_iter(),
            states: &mut self.states,
            report: &mut self.report,
        };
        match walk.packet(packet, fault) {
            Ok(()) => self.report.same(Kind::Blocks),
            Err(GaveUp) => self.report.lost(Kind::Blocks),
        }
    }

    /// Compares the state after a block with what the engine's print makes.
    pub(crate) fn world(&mut self, world: &World) {
        let layout = self.dialect.layout;
        self.states.compare(world.snapshot(), [&layout.entity, &layout.player], &mut self.report);
    }
}

/// The two sides are out of step, so that the rest of the block cannot be compared. The report says why.
struct GaveUp;

/// How a state is coded; in an entity a bit tells zeros, which the engine then does not print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Entity,
    Player,
}

struct Walk<'a> {
    lines: &'a [Line],
    /// Everything up to here, as it is on the wire: only its length is of use.
    w: BitWriter,
    /// False after the first wrong place, as all others behind it are wrong too.
    in_step: bool,
    place: Place,
    dialect: Dialect,
    /// What the snapshots of the block build on.
    bases: std::vec::IntoIter<Option<Vec<u16>>>,
    /// What the engine's print makes of all snapshots.
    states: &'a mut States,
    report: &'a mut Report,
}

impl<'a> Walk<'a> {
    /// The next line that is no text.
    fn next(&mut self) -> Option<&'a Line> {
        let at = self.lines.iter().position(|line| !matches!(line, Line::Text(_)))?;
        let line = self.lines.get(at)?;
        self.lines = self.lines.get(at + 1..).unwrap_or_default();
        Some(line)
    }

    fn peek(&self) -> Option<&'a Line> {
        self.lines.iter().find(|line| !matches!(line, Line::Text(_)))
    }

    fn check(
        &mut self,
        kind: Kind,
        same: bool,
        field: &str,
        ours: impl fmt::Display,
        theirs: impl fmt::Display,
    ) -> bool {
        let place = self.place;
        self.report.check(kind, same, || {
            let comma = if field.is_empty() { "" } else { ", " };
            format!("{place}{comma}{field}: ours {ours}, theirs {theirs}")
        })
    }

    /// The engine printed something else than what has to come.
    fn out_of_step<T>(&mut self, kind: Kind, ours: &str, found: Option<&Line>) -> Result<T, GaveUp> {
        let last_words =
            self.lines.iter().rev().find(|line| matches!(line, Line::Text(text) if text.contains("ERROR")));
        let theirs = match (found, last_words) {
            (Some(line), _) => line.to_string(),
            (None, Some(words)) => format!("nothing more, but {words}"),
            (None, None) => "nothing more".to_owned(),
        };
        self.check(kind, false, "", format_args!("{ours} (rest of the block not compared)"), theirs);
        Err(GaveUp)
    }

    /// The engine's place in the block.
    fn check_place(&mut self, at: usize, ours: usize) {
        if self.in_step {
            self.in_step = self.check(Kind::Places, at == ours, "place in bytes", ours, at);
        }
    }

    /// The engine's `readcount` here: whole bytes read, and 1.
    fn readcount(&self) -> usize {
        self.w.len() / 8 + 1
    }

    /// The line at which a message or a part of one begins, behind so many bits.
    fn expect_name(&mut self, name: &str, bits: usize) -> Result<(), GaveUp> {
        match self.next() {
            Some(Line::Name { at, name: found }) if found == name => {
                // Here the engine takes 1 off.
                self.check_place(*at, bits / 8);
                Ok(())
            }
            found => self.out_of_step(Kind::Messages, name, found),
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, fault: Option<Diagnostic>) -> Result<(), GaveUp> {
        if let Some(ack) = packet.contents.rel_ack {
            self.w.i32(ack);
        }
        for (n, message) in packet.messages.iter().enumerate() {
            self.place.item = Item::Message(message.name());
            let Some(kind) = message.kind() else { break };
            if kind == MessageKind::Eof {
                // The engine stops here. Others go on: there may be voice.
                self.report.unseen.hidden += (packet.messages.len() - n - 1) as u64;
                self.place.item = Item::Block;
                self.w.u8(self.dialect.layout.end.unwrap_or_default());
                return self.end();
            }
            self.message(kind, message)?;
        }
        self.place.item = Item::Block;
        if let Some(fault) = fault {
            let found = self.next();
            return self.out_of_step(Kind::Messages, &format!("not decoded, {}", fault.fault), found);
        }
        if let Some(end) = self.dialect.layout.end.filter(|_| packet.contents.closed) {
            self.w.u8(end);
        }
        self.end()
    }

    /// The end of message, and nothing behind it.
    fn end(&mut self) -> Result<(), GaveUp> {
        self.expect_name("END OF MESSAGE", self.w.len())?;
        self.report.same(Kind::Messages);
        let found = self.next();
        if found.is_some() {
            return self.out_of_step(Kind::Messages, "the end of the block", found);
        }
        Ok(())
    }

    fn message(&mut self, kind: MessageKind, message: &Message) -> Result<(), GaveUp> {
        let name = match kind {
            MessageKind::Nop => "svc_nop",
            MessageKind::Gamestate => "svc_gamestate",
            MessageKind::ServerCommand => "svc_serverCommand",
            MessageKind::Download => "svc_download",
            MessageKind::Snapshot => "svc_snapshot",
            MessageKind::VoipSpeex => "svc_voipSpeex",
            MessageKind::VoipOpus => "svc_voipOpus",
            _ => "a message of an engine without voice",
        };
        let id = self.dialect.number_of(kind).unwrap_or_default();
        let mut number = self.empty();
        number.u8(id);
        self.expect_name(name, self.w.len() + number.len())?;
        self.report.same(Kind::Messages);
        match message {
            Message::Gamestate(gamestate) => {
                self.w.u8(id);
                self.gamestate(gamestate)
            }
            Message::Snapshot(snapshot) => {
                self.w.u8(id);
                self.snapshot(snapshot)
            }
            _ => {
                // Of these the place of what follows tells the size.
                if let Err(fault) = message.write_as(id, &mut self.w, &self.dialect) {
                    return self.out_of_step(Kind::Messages, &fault.to_string(), None);
                }
                if kind == MessageKind::ServerCommand {
                    self.report.unseen.commands += 1;
                    self.report.same(Kind::Commands);
                }
                Ok(())
            }
        }
    }

    fn empty(&self) -> BitWriter {
        BitWriter::new(self.dialect.layout.coding)
    }

    fn gamestate(&mut self, gamestate: &Gamestate) -> Result<(), GaveUp> {
        self.states.gamestate();
        self.w.i32(gamestate.server_command_sequence);
        for item in &gamestate.items {
            match item {
                GamestateItem::Configstring(string) => {
                    self.report.unseen.configstrings += 1;
                    self.w.u8(CONFIGSTRING);
                    self.w.u16(string.index);
                    self.w.text(&string.value.0);
                }
                GamestateItem::Baseline(baseline) => {
                    let entity = baseline.entity();
                    self.place.item = Item::Baseline(entity.number);
                    self.w.u8(BASELINE);
                    self.w.value(u32::from(entity.number), NUMBER_BITS);
                    self.states.baseline(entity.number);
                    self.entity(&entity, Kind::BaselineFields)?;
                    self.report.same(Kind::Baselines);
                }
            }
        }
        self.w.u8(self.dialect.layout.list_end);
        for number in [gamestate.client_num, gamestate.checksum_feed].into_iter().flatten() {
            self.w.i32(number);
        }
        self.report.same(Kind::Gamestates);
        Ok(())
    }

    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), GaveUp> {
        let number = self.place.sequence;
        let delta = base_number(number, snapshot);
        let base = self.bases.next().flatten();
        self.states.begin(delta);
        self.w.i32(snapshot.server_time);
        self.w.u8(snapshot.delta_num);
        self.w.u8(snapshot.snap_flags);
        self.w.u8(snapshot.areamask.bytes().len() as u8);
        snapshot.areamask.bytes().iter().for_each(|b| self.w.u8(*b));

        // Two heads that are no messages: SHOWNET takes 1 off the place.
        self.expect_name("playerstate", self.w.len())?;
        self.player(snapshot)?;
        self.expect_name("packet entities", self.w.len())?;
        self.entities(snapshot, base.as_deref())?;

        self.place.item = Item::Message("snapshot");
        // A snapshot whose base is not there is read and dropped.
        if base.is_none() && matches!(self.peek(), Some(Line::Name { .. })) {
            return Ok(());
        }
        match self.next() {
            Some(Line::Accepted { number: found_number, delta: found_delta }) if base.is_some() => {
                let (ours, theirs) = ((number, delta), (*found_number, *found_delta));
                self.check(Kind::Snapshots, ours == theirs, "number and base", Pair(ours), Pair(theirs));
                self.states.accepted(*found_number);
                Ok(())
            }
            found => {
                let ours = if base.is_some() { "an accepted snapshot" } else { "a snapshot whose base is not there" };
                self.out_of_step(Kind::Snapshots, ours, found)
            }
        }
    }

    fn player(&mut self, snapshot: &Snapshot) -> Result<(), GaveUp> {
        self.place.item = Item::Player;
        let begin = self.w.len();
        match self.next() {
            Some(Line::Player { at, delta }) => {
                self.check_place(*at, self.readcount());
                self.delta(Of::Player, &snapshot.player(), delta, Kind::PlayerFields);
                self.arrays(snapshot);
                self.check_size(begin, delta);
                self.report.same(Kind::Players);
                Ok(())
            }
            found => self.out_of_step(Kind::Players, "a player's fields", found),
        }
    }

    fn arrays(&mut self, snapshot: &Snapshot) {
        let any = snapshot.arrays().next().is_some();
        self.w.raw(u32::from(any), 1);
        for array in Array::ALL.into_iter().filter(|_| any) {
            let slots = || snapshot.arrays().filter(|(a, ..)| *a == array);
            let mask = slots().fold(0, |mask, (_, slot, _)| mask | 1 << slot);
            self.w.raw(u32::from(mask != 0), 1);
            if mask == 0 {
                continue;
            }
            self.w.u16(mask);
            for (.., value) in slots() {
                self.w.value(value as u32, if array == Array::Powerups { 32 } else { 16 });
                self.report.unseen.slots += 1;
            }
        }
    }

    /// The entities of a snapshot. Without a base nobody can tell which of them the engine takes for unchanged.
    fn entities(&mut self, snapshot: &Snapshot, base: Option<&[u16]>) -> Result<(), GaveUp> {
        let mut old = base.unwrap_or_default().iter().copied().peekable();
        for entity in snapshot.entities() {
            let number = entity.number;
            self.place.item = Item::Entity(number);
            self.w.value(u32::from(number), NUMBER_BITS);
            while let Some(unchanged) = old.next_if(|n| *n < number) {
                self.expect_base(Some(Base::Unchanged), unchanged)?;
            }
            match base {
                Some(_) if old.next_if_eq(&number).is_some() => self.expect_base(Some(Base::Delta), number)?,
                Some(_) => self.expect_base(Some(Base::Baseline), number)?,
                None => {
                    self.skip_unchanged();
                    self.expect_base(None, number)?;
                }
            }
            self.entity(&entity, Kind::EntityFields)?;
        }
        self.w.value(LAST, NUMBER_BITS);
        for unchanged in old {
            self.place.item = Item::Entity(unchanged);
            self.expect_base(Some(Base::Unchanged), unchanged)?;
        }
        if base.is_none() {
            self.skip_unchanged();
        }
        Ok(())
    }

    fn skip_unchanged(&mut self) {
        while let Some(Line::Base { base: Base::Unchanged, .. }) = self.peek() {
            self.next();
            self.report.unseen.baseless += 1;
        }
    }

    /// The line that tells from where the next entity comes; `None`: from anywhere.
    fn expect_base(&mut self, base: Option<Base>, number: u16) -> Result<(), GaveUp> {
        let kind = if base == Some(Base::Unchanged) { Kind::Unchanged } else { Kind::Entities };
        match self.next() {
            Some(Line::Base { at, base: found, number: n }) if *n == number && base.is_none_or(|b| b == *found) => {
                self.report.same(kind);
                self.states.entity(*found, number);
                self.check_place(*at, self.readcount());
                Ok(())
            }
            found => {
                let ours = base.map_or("an update".to_owned(), |base| base.to_string());
                self.out_of_step(kind, &format!("{ours} of entity {number}"), found)
            }
        }
    }

    /// What happens to an entity, behind its number.
    fn entity(&mut self, entity: &EntityUpdate<'_>, kind: Kind) -> Result<(), GaveUp> {
        let begin = self.w.len();
        let state = match &entity.change {
            Change::Remove => {
                self.w.raw(1, 1);
                return match self.next() {
                    Some(Line::Remove { at, number }) if *number == entity.number => {
                        self.states.remove(*number);
                        self.check_place(*at, self.readcount());
                        Ok(())
                    }
                    found => self.out_of_step(kind, &format!("remove of entity {}", entity.number), found),
                };
            }
            // The engine prints nothing.
            Change::Baseline => {
                self.w.raw(0, 2);
                return Ok(());
            }
            Change::Fields(state) => state,
        };
        self.w.raw(2, 2);
        match self.next() {
            Some(Line::Entity { at, delta }) => {
                // It prints the place behind the count of fields.
                let mut count = self.empty();
                count.u8(self.count(Of::Entity, state));
                self.check_place(*at, (self.w.len() + count.len()) / 8 + 1);
                self.delta(Of::Entity, state, delta, kind);
                self.check_size(begin, delta);
                Ok(())
            }
            found => self.out_of_step(kind, "an entity's fields", found),
        }
    }

    fn table(&self, of: Of) -> &'static Table {
        match of {
            Of::Entity => &self.dialect.layout.entity,
            Of::Player => &self.dialect.layout.player,
        }
    }

    /// How many fields have a bit that tells whether they changed.
    fn count(&self, of: Of, state: &State<'_>) -> u8 {
        let last = state.iter().last().and_then(|(field, _)| self.table(of).place(field.id));
        last.map_or(0, |last| last as u8 + 1)
    }

    fn delta(&mut self, of: Of, state: &State<'_>, theirs: &Delta, kind: Kind) {
        let table = self.table(of);
        self.w.u8(self.count(of, state));
        let mut next = 0;
        for (field, value) in state.iter() {
            let place = table.place(field.id).unwrap_or(next);
            (next..place).for_each(|_| self.w.raw(0, 1));
            next = place + 1;
            self.w.raw(1, 1);
            let printed = theirs.fields().find(|(name, _)| *name == field.name.text).map(|(_, value)| value);
            if of == Of::Entity {
                let zero = printed.is_none() && is_zero(value);
                self.w.raw(u32::from(!zero), 1);
                if zero {
                    self.states.field(field, None);
                    self.report.unseen.zeros += 1;
                    continue;
                }
            }
            self.states.field(field, printed);
            self.field(field, value, printed, kind);
        }
        for (name, value) in theirs.fields() {
            if !state.iter().any(|(field, _)| field.name.text == name) {
                self.check(kind, false, name, "not sent", value);
            }
        }
    }

    fn field(&mut self, field: &TableField, value: FieldValue, printed: Option<&str>, kind: Kind) {
        let name = field.name.text;
        match value {
            FieldValue::Int(ours) => {
                let theirs = printed.and_then(|text| text.parse::<i32>().ok());
                self.check(kind, theirs == Some(ours), name, ours, printed.unwrap_or("not sent"));
                self.w.value(ours as u32, u32::from(field.bits));
            }
            FieldValue::Float(ours) => {
                let ours = ours.get();
                let printed = printed.unwrap_or("not sent");
                let float = Printed::new(printed);
                self.check(kind, float.is(ours), name, ours, printed);
                self.report.unseen.rounded += u64::from(float.loses(ours));
                self.w.raw(u32::from(float != Printed::Short(ours as i32)), 1);
                match float {
                    Printed::Short(_) => self.w.value((ours as i32 + 4096) as u32, 13),
                    _ => self.w.value(ours.to_bits(), 32),
                }
            }
        }
    }

    /// The size of a delta as the engine prints it. It adds the place in bits to the place in whole bytes, which it
    /// takes for bits as well: nearly twice the size.
    fn check_size(&mut self, begin: usize, delta: &Delta) {
        let printed = |bits: usize| bits + bits / 8 * 8;
        let ours = printed(self.w.len()) - printed(begin);
        if self.in_step {
            let theirs = delta.bits.map_or("a line without an end".to_owned(), |bits| bits.to_string());
            self.in_step = self.check(Kind::Places, delta.bits == Some(ours), "size as printed", ours, theirs);
        }
    }
}

struct Pair((i32, i32));

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.0.0, self.0.1)
    }
}

fn is_zero(value: FieldValue) -> bool {
    match value {
        FieldValue::Int(v) => v == 0,
        FieldValue::Float(v) => v.bits() == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qdemo::format::dm3::{ServerCommand, Text};

    fn name(at: usize, name: &str) -> Line {
        Line::Name { at, name: name.to_owned() }
    }

    /// Differences of a block with one server command.
    fn compare(lines: &[Line]) -> usize {
        let command = ServerCommand { seq: 1, value: Text(b"hi".to_vec()) };
        let packet = Packet::new(1, 0, vec![Message::ServerCommand(command)], &Dialect::QUAKE3);
        let mut comparer = Comparer::new(Dialect::QUAKE3);
        let block =
            Block { index: 0, offset: 0, header: packet.header, header_len: 8, payload: &[], ends_moment: true };
        comparer.block(&block, &packet, None, lines);
        comparer.report.named()
    }

    /// Bits of the codes: 0 has 2, 1 and 8 have 5, `svc_serverCommand` (5) has 8, the letters have 6 and 8. So the
    /// number of the message ends at bit 16 and the end of message at bit 48.
    #[test]
    fn what_differs_is_noticed() {
        let (command, end) = (name(2, "svc_serverCommand"), name(6, "END OF MESSAGE"));
        assert_eq!(compare(&[command.clone(), Line::Text("noise".to_owned()), end.clone()]), 0);
        assert_eq!(compare(&[command.clone(), name(7, "END OF MESSAGE")]), 1, "another size");
        assert_eq!(compare(&[name(2, "svc_nop"), end.clone()]), 1, "another message");
        assert_eq!(compare(std::slice::from_ref(&command)), 1, "not read to its end");
        assert_eq!(compare(&[command, end.clone(), end]), 1, "more than there is");
    }
}
