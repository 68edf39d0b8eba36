//! What only the output has: the beginning of a level, and what tells players to begin.

use std::io::Write;

use super::account::{Done, Found};
use super::mend::Mend;
use super::mender::Mender;
use super::within::Item;
use crate::error::Result;
use crate::format::Packet;

impl<F: Mend, W: Write> Mender<F, W> {
    /// Writes what the recording lacks: the beginning of a level.
    pub(super) fn invent(&mut self, item: &Item, is_frame: bool) -> Result<()> {
        let Some((beginning, dialect)) = self.survey.beginning.take() else { return Ok(()) };
        self.survey.seen.at_frame = is_frame;
        let seen = &self.survey.seen;
        let (map, models) = (seen.map.is_some(), seen.models);
        let packets = F::invent(beginning, seen, &dialect);
        let signed_on = is_frame || packets.iter().any(F::is_signon);
        let reader = std::mem::replace(&mut self.decoder, self.first.clone());
        let before = self.account.account.blocks_made;
        for packet in packets {
            self.decoder.follow(&packet);
            self.make(&packet, item)?;
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

    /// Writes what tells players to begin with the game, where that was lost.
    pub(super) fn make_signon(&mut self, item: &Item) -> Result<()> {
        if !self.damaged {
            return Ok(());
        }
        let Some(packet) = F::signon(&self.world) else { return Ok(()) };
        // The dialect stays what it is.
        let reader = self.decoder.clone();
        self.decoder.follow(&packet);
        self.make(&packet, item)?;
        self.decoder = reader;
        let text = "what tells players to begin with the game is lost".to_owned();
        self.note_item_bytes(item, 0, Found::NoSignon, Done::Made, text);
        Ok(())
    }

    /// Writes a packet that only the output has.
    fn make(&mut self, packet: &Packet<'_, F>, item: &Item) -> Result<()> {
        let Some(bytes) = self.written(packet) else { return Ok(()) };
        self.apply(&bytes, item);
        self.last_block(&bytes, item);
        self.account.account.blocks_made += 1;
        self.raw(&bytes)
    }
}
