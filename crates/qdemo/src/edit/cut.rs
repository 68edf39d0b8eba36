//! Taking parts out of a recording.

use std::io::{Read, Write};
use std::ops::ControlFlow;

use super::{Account, Editor, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::replay::Range;

/// Cuts a part out of a recording: a recording that begins with all that is known just before it, and ends cleanly.
///
/// The clip begins with a full start, which shows the state in front of the first block of the part; behind it the blocks
/// follow as they are, but for the first frames of Quake II and Quake III, which are based anew where they build on what
/// is not there. So every state is that of the original at that time, bit for bit. A part that begins at the start of a
/// recording has no full start of its own. What has an end keeps it, else one is made.
///
/// Gives back what was written to, and what was done. Memory for two worlds and a few blocks; reading ends with the part.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, edit::cut, replay};
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let range = replay::Range { from: "0:10".parse().unwrap(), to: "0:20".parse().unwrap() };
/// let (clip, account) = cut(demo, "oa-dm4.dm_71", Limits::default(), range, Vec::new())?;
/// let (world, length, faults) = replay::at(&clip[..], "clip.dm_71", Limits::default(), None)?;
/// assert!(faults.is_empty() && account.end_made);
/// assert_eq!(length.ms(), 10_050);
/// # Ok(()) }
/// ```
///
/// # Errors
/// A range in which nothing lies, a clock that the recording does not have, a beginning of which too little is known
/// (Quake, where the beginning of the level was not recorded), and whatever reading and writing give.
pub fn cut<W: Write>(input: impl Read, name: &str, limits: Limits, range: Range, out: W) -> Result<(W, Account)> {
    let mut out = Some(out);
    let mut done = None;
    cut_many(input, name, limits, &[range], &mut |_| out.take().ok_or_else(nothing), &mut |_, out, account| {
        done = Some((out, account));
        Ok(())
    })?;
    done.ok_or_else(nothing)
}

fn nothing() -> Error {
    Error::new(ErrorKind::Absent("nothing of the recording lies in that range".to_owned()))
}

/// A part that is being cut.
enum Clip<W> {
    Waiting,
    Open(Box<Writer<W>>),
    Done,
}

/// Cuts several parts out of a recording in one reading; they may overlap. `open` gives what the part of a number is
/// written to, when it begins, and `done` gets it back with what was done, when it ends. Of parts in which nothing lies
/// neither hears.
///
/// # Errors
/// Those of [`cut`], and of `open` and `done`.
pub fn cut_many<W: Write>(
    input: impl Read,
    name: &str,
    limits: Limits,
    ranges: &[Range],
    open: &mut dyn FnMut(usize) -> Result<W>,
    done: &mut dyn FnMut(usize, W, Account) -> Result<()>,
) -> Result<()> {
    let mut editor = Editor::new(input, name, limits)?;
    let mut clips: Vec<Clip<W>> = ranges.iter().map(|_| Clip::Waiting).collect();
    let mut finished = Vec::new();
    let mut checked = false;
    editor.run(&mut |coming| {
        let (block, clock) = (coming.block(), coming.clock());
        let mut keep = Vec::new();
        let mut waiting = false;
        if !checked && clock.now.is_some() {
            checked = true;
            ranges.iter().try_for_each(|range| range.check(&clock))?;
        }
        for (n, (clip, range)) in clips.iter_mut().zip(ranges).enumerate() {
            if matches!(clip, Clip::Waiting) && range.from.is_reached(block, &clock) {
                *clip = match range.to.is_passed(block, &clock) {
                    true => Clip::Done,
                    false => Clip::Open(Box::new(Writer::new(open(n)?))),
                };
            }
            if range.to.is_passed(block, &clock) {
                if let Clip::Open(writer) = std::mem::replace(clip, Clip::Done) {
                    finished.push((n, writer));
                }
            }
            match clip {
                Clip::Waiting => waiting = true,
                Clip::Open(writer) => keep.push(&mut **writer),
                Clip::Done => {}
            }
        }
        if !waiting && !keep.is_empty() {
            coming.let_go();
        }
        let over = keep.is_empty() && !waiting;
        if !keep.is_empty() {
            coming.keep_in(keep)?;
        }
        Ok(if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    for (n, clip) in clips.into_iter().enumerate() {
        if let Clip::Open(writer) = clip {
            finished.push((n, writer));
        }
    }
    for (n, writer) in finished {
        let (out, mut account) = writer.finish()?;
        editor.account(&mut account);
        done(n, out, account)?;
    }
    Ok(())
}
