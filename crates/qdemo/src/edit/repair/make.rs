//! What only the output has: the beginning of a level, and what tells players to begin.

use std::io::Write;

use super::account::{Done, Found};
use super::mend::Mend;
use super::mender::Mender;
use super::within::Item;
use crate::error::Result;
use crate::format::{BlockOf, Packet};

impl<F: Mend, W: Write> Mender<F, W> {
    /// Writes what the recording lacks: the beginning of a level.
    pub(super) fn invent(&mut self, item: &Item, is_frame: bool) -> Result<()> {
        let Some((beginning, dialect)) = self.survey.beginning.take() else { return Ok(()) };
        self.survey.seen.at_frame = is_frame;
        // It stands in front of this block, whatever the recording was seen to begin with.
        self.survey.seen.first = item.number.unwrap_or(self.survey.seen.first);
        let seen = &self.survey.seen;
        let (map, models) = (seen.map.is_some(), seen.models);
        let packets = F::invent(beginning, seen, &dialect);
        let signed_on = is_frame || packets.iter().any(F::is_signon);
        let reader = std::mem::replace(&mut self.decoder, self.first.clone());
        let before = self.account.account.blocks_made;
        for packet in packets {
            self.decoder.follow(&packet);
            self.make(packet, item)?;
        }
        // Blocks go on to be read as they were.
        self.decoder = reader;
        (self.invented, self.signed_on, self.damaged) = (true, signed_on, self.damaged || !is_frame);
        let blocks = self.account.account.blocks_made - before;
        let map = if map { "the map is told by a text" } else { "the map is not known" };
        let states = if is_frame { ", without base states" } else { "" };
        let names = if models { "" } else { " with names of models and sounds that are not known" };
        let text = format!("the recording begins within a level: {blocks} blocks tell a level{names}{states}; {map}");
        self.account.account.notes.push(text.clone());
        self.note_item_bytes(item, 0, Found::NoBeginning, Done::Invented, text);
        Ok(())
    }

    /// Writes what tells players to begin with the game, where that was lost: in a packet of its own, or into this one where
    /// there is no number left for that. True where this one is another then.
    pub(super) fn make_signon<'p>(&mut self, item: &Item, packet: &mut Packet<'p, F>) -> Result<bool> {
        if !self.damaged {
            return Ok(false);
        }
        let signon: Option<Packet<'p, F>> = F::signon(&self.world);
        let Some(signon) = signon else { return Ok(false) };
        let within =
            F::COUNTED && matches!((self.number_of(&signon), item.number), (Some(made), Some(now)) if made >= now);
        if within {
            packet.messages.splice(0..0, signon.messages);
        } else {
            // The dialect stays what it is.
            let reader = self.decoder.clone();
            self.decoder.follow(&signon);
            self.make(signon, item)?;
            self.decoder = reader;
        }
        let text = "what tells players to begin with the game is lost".to_owned();
        self.note_item_bytes(item, 0, Found::NoSignon, Done::Made, text);
        Ok(within)
    }

    /// The number that a packet has when it is written.
    fn number_of(&self, packet: &Packet<'_, F>) -> Option<i64> {
        let bytes = self.written(packet)?;
        F::number(&BlockOf::<F>::of_bytes(&bytes, 0, 0)?, &self.decoder.before())
    }

    /// Writes a packet that only the output has.
    fn make(&mut self, mut packet: Packet<'_, F>, item: &Item) -> Result<()> {
        packet.header = self.placed(packet.header).unwrap_or(packet.header);
        let Some(bytes) = self.written(&packet) else { return Ok(()) };
        self.apply(&bytes, item);
        self.last_block(&bytes, item);
        self.account.account.blocks_made += 1;
        self.raw(&bytes)
    }
}
