//! Repairing recordings: what can be read is kept, and players go on behind what is lost.
//!
//! | what is wrong | what is done |
//! |---|---|
//! | bytes that are no block | they are dropped |
//! | a size of which one bit is damaged: no engine writes it, or a block with a moment of the game lacks just the bytes up to the next one, as numbers or times tell | the block has the right one, if nothing is wrong with it then |
//! | other blocks within one that cannot be read, as its size ran over them | they stand in its place |
//! | a block in which something cannot be read | messages in front of that are kept, if they may stand there; half a frame is not |
//! | a frame told as the difference to one that is lost | it is told in full, or as the difference to one that is there: what changed while nothing was recorded stays as it was until it is told, but for things that always moved and are told of no more: they are gone; where it cannot be told so, it is left out |
//! | server commands of Quake III that are lost | empty ones with their numbers stand for them |
//! | the same block twice in a row, where no engine writes that | it is there once |
//! | two neighbours in the wrong order, as their numbers or times tell | they change places |
//! | a packet older than those in front of it | it is dropped: players pass over it |
//! | a number that is far off, where there is one place for it | the block gets the number that is due |
//! | the recording begins within a level | a beginning is made from what the rest tells; names of models are not known |
//! | what tells players to begin with the game is lost | it is made |
//! | commands between two levels that stop players | they are taken out |
//! | a block of `.dem` or `.dm2` without messages: players stop there | it is dropped |
//! | an end, and another recording behind it, or blocks that go on | the end is dropped |
//! | no end | it is made |
//!
//! Commands between levels are those that LMPC takes out with `--fix-multi` (its documentation, "multi-level files", and
//! the recording FAQ, 2.1): in `.dem` the command `reconnect`; in `.dm2` `reconnect`, as a message and as a command, empty
//! blocks, downloads, and the commands `cmd configstrings`, `cmd baselines` and `record`; `precache` loses
//! its number, and a level that says it is live says it is recorded.
//!
//! What cannot be known stays so: damage that can be read as messages is taken for such, and bytes behind a clean end that are no blocks stay;
//! of a `.dem`, whose recorders leave none there, a note tells of them.

mod account;
mod dem;
mod dm2;
mod dm3;
mod make;
mod mend;
mod mender;
mod mvd2;
mod numbers;
mod order;
mod quakeworld;
mod sizes;
mod survey;
mod unframed;
mod within;

use std::io::{Read, Write};

pub use account::{Done, Found, Repair, RepairAccount};

use crate::demo::detect::Detected;
use crate::demo::{Reader, with_format};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use mend::Mend;
use mender::Mender;
use survey::Survey;

/// Repairs a recording: see [the table](self). A sound one comes out as it is, byte for byte.
///
/// `open` gives the recording from its beginning, each time it is asked: it is read twice, with memory for two worlds and a
/// few blocks. Gives back what was written to, and what was wrong and done.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, edit::repair::{Found, repair}, verify::verify};
/// let mut demo = std::fs::read("../../testdata/oa-dm4.dm_71")?;
/// demo[20_000..20_200].fill(0x5A);
/// demo.truncate(40_000);
/// let (repaired, account) = repair(|| Ok(&demo[..]), "oa-dm4.dm_71", Limits::default(), Vec::new())?;
/// assert!(account.count(Found::LostBase) > 0 && account.count(Found::NoEnd) == 1);
/// assert!(verify(&repaired[..], "oa-dm4.dm_71", Limits::default())?.is_sound());
/// # Ok(()) }
/// ```
///
/// # Errors
/// A file that is no recording, one of which most blocks cannot be read, as of a protocol that is not known, or none can be
/// kept, and whatever reading and writing give.
pub fn repair<R: Read, W: Write>(
    mut open: impl FnMut() -> Result<R>,
    name: &str,
    limits: Limits,
    out: W,
) -> Result<(W, RepairAccount)> {
    let detected = Reader::new(open()?, name, limits)?.detected().clone();
    with_format!(detected.kind, F => of_format::<F, R, W>(&mut open, name, limits, out), unknown => Err(no_demo(&detected, name)))
}

fn no_demo(detected: &Detected, name: &str) -> Error {
    Error::new(ErrorKind::NotADemo(detected.reason.clone())).in_file(name)
}

fn of_format<F: Mend, R: Read, W: Write>(
    open: &mut dyn FnMut() -> Result<R>,
    name: &str,
    limits: Limits,
    out: W,
) -> Result<(W, RepairAccount)> {
    let survey = Survey::<F>::new(open()?, name, limits)?;
    if survey.is_foreign() {
        let what = "most blocks cannot be read: this is no damage but a protocol or a mod that is not known";
        return Err(Error::new(ErrorKind::NotADemo(what.to_owned())).in_file(name));
    }
    Mender::<F, W>::run(open()?, name, limits, out, survey)
}
