//! Values of states that are others in the output: an entity in another frame of its model, elsewhere, or with another look.

mod setting;
mod telling;

use std::io::{Read, Write};

pub use self::setting::{Setting, Whose};
use self::telling::Telling;
use super::change::{Change, Changed, EditAccount};
use crate::demo::Reader;
use crate::describe::StateValue;
use crate::error::{Error, ErrorKind, Result};
use crate::replay::{Range, World};
use crate::wire::ByteWriter;
use crate::world::{Clock, Scene};

fn refused(what: String) -> Error {
    Error::new(ErrorKind::Refused(what))
}

/// What is set, and what came of it.
struct Doing<'e> {
    settings: &'e [Setting],
    /// Which of them have been.
    done: Vec<bool>,
    account: EditAccount,
    block: u64,
    clock: Clock,
}

impl<'e> Doing<'e> {
    /// The settings for somebody now.
    fn due(&self, is: impl Fn(Whose) -> bool) -> Vec<(usize, &'e Setting)> {
        let now = |range: &Range| range.contains(Some(self.block), &self.clock);
        let all = self.settings.iter().enumerate();
        all.filter(|(_, setting)| is(setting.whose) && setting.range.as_ref().is_none_or(now)).collect()
    }

    /// True where something is to be set for somebody now.
    fn is_due(&self, is: impl Fn(Whose) -> bool) -> bool {
        let now = |range: &Range| range.contains(Some(self.block), &self.clock);
        self.settings.iter().any(|setting| is(setting.whose) && setting.range.as_ref().is_none_or(now))
    }

    fn tell(&mut self, nth: usize) {
        let (Some(setting), Some(done)) = (self.settings.get(nth), self.done.get_mut(nth)) else { return };
        *done = true;
        let message = if setting.whose == Whose::Player { "player" } else { "entity" };
        let (block, clock) = (self.block, self.clock);
        let after = Some(setting.to_string());
        self.account.add(Change { done: Changed::Changed, why: "set", message, block, clock, before: None, after });
    }

    /// Sets what is due in a state; true where that changed it.
    fn set<S: StateValue + Copy>(&mut self, whose: Whose, state: &mut S) -> Result<bool> {
        if !self.is_due(|of| of == whose) {
            return Ok(false);
        }
        let before = *state;
        for (nth, setting) in self.due(|of| of == whose) {
            let was = *state;
            setting.set(state)?;
            if was != *state {
                self.tell(nth);
            } else if let Some(done) = self.done.get_mut(nth) {
                *done = true;
            }
        }
        Ok(before != *state)
    }

    fn remark(&mut self, what: &str) {
        self.account.remark(what);
    }
}

/// Writes a recording with other values. Gives the blocks that are others, too.
pub(super) fn run<R: Read, W: Write>(
    mut reader: Reader<R>,
    name: &str,
    settings: &[Setting],
    mut out: W,
) -> Result<(W, EditAccount, Vec<u64>)> {
    let mut changed = Vec::new();
    let mut world = World::of(reader.detected(), name)?;
    let mut telling = Telling::of(&world, reader.detected(), settings).map_err(|e| e.in_file(name))?;
    let (account, done) = (EditAccount::default(), vec![false; settings.len()]);
    let mut doing = Doing { settings, done, account, block: 0, clock: world.clock() };
    let mut w = ByteWriter::default();
    while let Some((chunk, bytes)) = reader.next_with_bytes()? {
        if let (Telling::Dm2(frames), World::Dm2(world)) = (&mut telling, &world) {
            frames.before(world);
        }
        world.apply(&chunk);
        w.clear();
        if let Some((block, _)) = chunk.block() {
            (doing.block, doing.clock) = (block, world.clock());
            telling.block(&chunk, &world, &mut doing, &mut w).map_err(|e| e.in_file(name))?;
            let is_new = !w.is_empty() && w.as_slice() != bytes;
            changed.extend(is_new.then_some(block));
            let account = &mut doing.account.account;
            account.blocks_read += 1;
            account.has(chunk.block(), doing.clock);
            *(if is_new { &mut account.blocks_changed } else { &mut account.blocks_kept }) += 1;
        }
        let written = if w.is_empty() { bytes } else { w.as_slice() };
        doing.account.account.bytes_written += written.len() as u64;
        out.write_all(written)?;
    }
    for (setting, done) in settings.iter().zip(&doing.done) {
        if !done {
            doing.account.remark(format!("{setting}: it is not in view, so nothing was set"));
        }
    }
    out.flush()?;
    Ok((out, doing.account, changed))
}
