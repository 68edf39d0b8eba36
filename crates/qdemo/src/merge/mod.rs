//! Several recordings of one match, made by several players, as one that shows all that any of them saw.

mod account;
mod align;
mod follow;
mod quake;
mod quake2;
mod quake3;
mod quakeworld;
mod run;
mod said;
mod survey;

use std::io::Write;

pub use account::{AddedEntity, Aligned, MergeAccount, Merged};

use self::survey::Survey;
use crate::convert::Lost;
use crate::demo::{FileKind, Reader};
use crate::edit::readable::ReadableReader;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// A recording to be merged: its name, and its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Its name, such as `mine.dm_68`.
    pub name: &'a str,
    /// All of it.
    pub bytes: &'a [u8],
}

/// Merges recordings of one match. The first one is what the output is made of: its view, its times, its blocks. The others
/// add the players and entities that the first one does not show at a moment, and chat that it was not told.
///
/// * Quake III: by the server's clock, in levels whose `sv_serverid` is the same. The recorders of the others are put in as
///   others see them.
/// * Quake II (`.dm2` of clients): by the numbers of frames, in levels with the same number of spawns.
/// * Quake (`.dem`): by the server's clock, in levels of the same map.
/// * QuakeWorld: several `.qwd` become an `.mvd`, with a view for each of them. Clients are not told the server's clock, so
///   the recordings are aligned by places: a player who moves is seen by all at the same places, one after the other.
///
/// What cannot be read of the first one is left out, and an end made, as in [`convert`](crate::convert::convert()); what cannot be
/// read of the others is not in it either.
///
/// Where both saw an entity, the first one's word counts; the account says how often they agree, which is the evidence that
/// they belong together, and of each added entity which recording showed it.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, merge::{Input, merge}};
/// let a = std::fs::read("../../testdata/merge-a.dm_71")?;
/// let b = std::fs::read("../../testdata/merge-b.dm_71")?;
/// let inputs = [Input { name: "b.dm_71", bytes: &b }, Input { name: "a.dm_71", bytes: &a }];
/// let (both, account) = merge(&inputs, Limits::default(), Vec::new())?;
/// assert!(account.inputs[1].frames > 0 && !account.added.is_empty());
/// assert!(qdemo::verify::verify(&both[..], "both.dm_71", Limits::default())?.is_sound());
/// # Ok(()) }
/// ```
///
/// # Errors
/// Fewer than two recordings; recordings of several formats or protocols, of no common level, of matches of other dates, or in
/// which most of what both show is at different places; recordings of all players, which show everybody; and whatever reading
/// and writing give.
pub fn merge<W: Write>(inputs: &[Input<'_>], limits: Limits, out: W) -> Result<(W, MergeAccount)> {
    let [first, others @ ..] = inputs else { return Err(refused("there is no recording to merge")) };
    if others.is_empty() {
        return Err(refused("one recording alone is what it is: name another one of the same match"));
    }
    let surveys = inputs.iter().map(|input| Survey::of(input, limits)).collect::<Result<Vec<_>>>()?;
    let Some(Survey { kind, protocol, levels, .. }) = surveys.first() else { return Err(refused("nothing was read")) };
    let (kind, protocol) = (*kind, *protocol);
    for (input, survey) in inputs.iter().zip(&surveys) {
        if survey.kind != kind || survey.protocol != protocol {
            if let Some(kind) = [kind, survey.kind].into_iter().find(|kind| shows_all(*kind)) {
                return Err(nothing_to_merge(kind).in_file(input.name));
            }
            let what = format!(
                "{} is .{}, {} is .{}: recordings that are merged are of one format and protocol; `qdemo convert` can give them one",
                first.name,
                name_of(kind, protocol),
                input.name,
                name_of(survey.kind, survey.protocol)
            );
            return Err(refused(&what).in_file(input.name));
        }
        let shares = |level| levels.contains(level);
        if !survey.levels.iter().any(shares) {
            let what = "it has no level in common with the first one: another map, protocol or server".to_owned();
            return Err(refused(&what).in_file(input.name));
        }
        if surveys.first().is_some_and(|first| survey.is_of_other_matches(first)) {
            let what = "the date of its match is not that of the first one: they are not of one match";
            return Err(refused(what).in_file(input.name));
        }
    }
    let (out, mut account) = match kind {
        FileKind::Dm3 => run::run::<quake3::Merging, _>(inputs, &surveys, limits, out),
        FileKind::Dm2 => run::run::<quake2::Merging, _>(inputs, &surveys, limits, out),
        FileKind::Dem => run::run::<quake::Merging, _>(inputs, &surveys, limits, out),
        FileKind::Qwd => quakeworld::merge(inputs, &surveys, limits, out),
        kind => Err(nothing_to_merge(kind)),
    }
    .and_then(|(out, account)| Lost::check(&account.losses, &account.account).map(|()| (out, account)))
    .map_err(|e| e.in_file(first.name))?;
    for (input, _) in others.iter().zip(surveys.iter().skip(1)).filter(|(_, survey)| !survey.is_readable) {
        account.account.notes.push(format!("{}: what cannot be read of it is left out", input.name));
    }
    Ok((out, account))
}

/// True for recordings of all players.
fn shows_all(kind: FileKind) -> bool {
    matches!(kind, FileKind::Mvd | FileKind::Mvd2)
}

fn nothing_to_merge(kind: FileKind) -> Error {
    refused(&format!("a .{} shows all players already: there is nothing to merge", kind.name()))
}

fn name_of(kind: FileKind, protocol: Option<i32>) -> String {
    let protocol = protocol.map_or_else(String::new, |protocol| format!(" of protocol {protocol}"));
    format!("{}{protocol}", kind.name())
}

fn refused(what: &str) -> Error {
    Error::new(ErrorKind::Refused(what.to_owned()))
}

/// Opens an input.
fn open<'a>(input: &Input<'a>, limits: Limits) -> Result<Reader<&'a [u8]>> {
    Reader::new(input.bytes, input.name, limits).map_err(|e| e.in_file(input.name))
}

/// Opens an input for what can be read of it.
fn open_readable<'a>(input: &Input<'a>, limits: Limits) -> Result<ReadableReader<&'a [u8]>> {
    open(input, limits).map(ReadableReader::new)
}
