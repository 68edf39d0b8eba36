//! Changing what a recording says: texts and effects left out, names, looks, tracks, subtitles, traces of people.
//!
//! Blocks in which nothing is changed go through byte for byte; the others are written anew from their messages. What shows
//! the game (states of players and entities, and what they build on) is touched by a [`Setting`] alone.

mod account;
mod formats;
mod pass;
mod players;
mod private;
mod says;
mod speech;
mod subtitle;

use std::fmt;
use std::io::{Read, Write};

pub use account::{Change, Changed, EditAccount};
pub use players::Look;
pub use subtitle::Subtitle;

use crate::demo::{FileKind, Reader, with_format};
use crate::edit::set::{self, Setting};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::replay::Range;

/// Says of a text in plain characters whether it is meant.
pub type Matcher = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Which messages are meant: those for which all of this is true.
#[derive(Default)]
pub struct Which {
    /// Their kinds: names of messages as `qdemo schema` has them, or of texts ([`TextTag`](crate::world::TextTag)), such as
    /// `chat`, which is a message of its own in no game, and here what events tell as chat. None: all.
    pub kinds: Vec<String>,
    /// When they are told; `None`: at any time.
    pub range: Option<Range>,
    /// Part of the name of a player, whatever its case, that is in their text, or in the name of the player whose name or
    /// settings they tell.
    pub player: Option<String>,
    /// What their text says.
    pub text: Option<Matcher>,
}

/// Of a matcher no more than that there is one.
impl fmt::Debug for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Which { kinds, range, player, text } = self;
        let text = text.as_ref().map(|_| "...");
        f.debug_struct("Which")
            .field("kinds", kinds)
            .field("range", range)
            .field("player", player)
            .field("text", &text)
            .finish()
    }
}

/// What is to be changed in a recording.
#[derive(Debug, Default)]
pub struct Edits {
    /// Messages that are left out. What shows the game cannot be.
    pub remove: Vec<Which>,
    /// Messages that stay. If there are any, other texts, sounds and effects are left out.
    pub keep: Vec<Which>,
    /// Names of players in plain characters, whatever the case, and the names that they get, as bytes of the game: in what
    /// tells them, and in all that is printed.
    pub rename: Vec<(String, Vec<u8>)>,
    /// How players look; `None`: all of them.
    pub looks: Vec<(Option<String>, Look)>,
    /// The music: number of a CD track, in Quake III the name of a file.
    pub track: Option<String>,
    /// Texts that are shown in the middle of the screen.
    pub subtitles: Vec<Subtitle>,
    /// Texts that are nothing but numbers and dots are left out: counters, as of grenades.
    pub strip_counters: bool,
    /// Addresses, identities and passwords are made unreadable, and commands that act on the machine of who plays the
    /// recording are left out.
    pub sanitize: bool,
    /// Values of states that are others.
    pub set: Vec<Setting>,
}

/// Messages that show the game, or begin and end it.
const NEEDED: &[&str] = &[
    "bad",
    "nop",
    "disconnect",
    "version",
    "serverinfo",
    "serverdata",
    "time",
    "signonnum",
    "setview",
    "clientdata",
    "updateentity",
    "spawnbaseline",
    "spawnbaseline2",
    "modellist",
    "soundlist",
    "fte_modellist",
    "packetentities",
    "deltapacketentities",
    "playerinfo",
    "mvdplayerinfo",
    "frame",
    "gamestate",
    "snapshot",
    "eof",
    "configstring",
    "configblast",
    "spawnbaselineblast",
    "splitclient",
    "reconnect",
    "setting",
    "fte_spawnbaseline2",
    "test_packetentities",
    "test_playerinfo",
    "test_spawnbaseline",
    "level_restart",
];

/// Messages of `.mvd2` that carry others, which are left out each by its own name.
const CARRIERS: &[&str] = &["multicast", "unicast"];

/// Characters of a name that the engines of all games but Quake's take, or cut off where they have room for less.
const NAME: usize = 63;
/// Characters of a name that engines of Quake have room for (`MAX_SCOREBOARDNAME`, with the zero behind): they copy a longer
/// one over what stands behind it.
pub(crate) const NAME_OF_QUAKE: usize = 31;

/// Messages whose text is not all that they tell: the level is over. They are left out by their own name alone.
const ENDINGS: &[&str] = &["finale", "cutscene"];

impl Edits {
    /// True for a message that no edit leaves out.
    fn is_needed(name: &str) -> bool {
        NEEDED.contains(&name)
    }

    /// True when nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.keeps_texts()
    }

    /// True when nothing but values of states is to be changed.
    fn keeps_texts(&self) -> bool {
        let Edits { remove, keep, rename, looks, track, subtitles, strip_counters, sanitize, set: _ } = self;
        let lists = [remove.len(), keep.len(), rename.len(), looks.len(), subtitles.len()];
        lists == [0; 5] && track.is_none() && !strip_counters && !sanitize
    }

    /// Says whether all of it can be done, as far as that is known without a recording.
    ///
    /// # Errors
    /// A message that cannot be left out, a name that would end what it stands in, and a range without anything in it.
    pub fn check(&self) -> Result<()> {
        let absent = |what: String| Err(Error::new(ErrorKind::Refused(what)));
        for which in self.remove.iter().chain(&self.keep) {
            if let Some(kind) = which.kinds.iter().find(|kind| Self::is_needed(kind)) {
                return absent(format!("{kind}: without it the recording would not play; it cannot be left out"));
            }
            if let Some(kind) = which.kinds.iter().find(|kind| CARRIERS.contains(&&***kind)) {
                return absent(format!("{kind}: it carries messages; name those"));
            }
            which.range.map_or(Ok(()), |range| range.check_order())?;
        }
        let values = self.looks.iter().filter_map(|(_, look)| look.text());
        let track = self.track.as_deref().map(str::as_bytes);
        for value in self.rename.iter().map(|(_, new)| &new[..]).chain(values).chain(track) {
            if value.iter().any(|b| matches!(b, 0 | b'\n' | b'\r' | b'"' | b'\\' | b';')) {
                let value = String::from_utf8_lossy(value);
                return absent(format!(
                    "{value}: a name or value cannot have a quote, a backslash, a semicolon or a line end"
                ));
            }
        }
        for (_, look) in &self.looks {
            if let Look::Shirt(color @ 14..) | Look::Pants(color @ 14..) = look {
                return absent(format!("{color}: colours are numbers from 0 to 13"));
            }
        }
        if self.rename.iter().any(|(old, _)| old.is_empty()) {
            return absent("whoever is to have another name has one: an empty one is nobody's".to_owned());
        }
        if let Some((old, _)) = self.rename.iter().find(|(_, new)| new.is_empty() || new.len() > NAME) {
            return absent(format!("{old}: a new name has 1 to {NAME} characters"));
        }
        for range in self.set.iter().filter_map(|setting| setting.range) {
            range.check_order()?;
        }
        Ok(())
    }
}

/// Changes a recording.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, edit::{Edits, Which, change}, verify::verify};
/// let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
/// let edits = Edits {
///     remove: vec![Which { kinds: vec!["print".to_owned()], ..Which::default() }],
///     ..Edits::default()
/// };
/// let (changed, account) = change(demo, "ez-dm.mvd", Limits::default(), &edits, Vec::new())?;
/// assert!(account.removed > 0 && changed.len() < demo.len());
/// assert!(verify(&changed[..], "ez-dm.mvd", Limits::default())?.is_sound());
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of [`Edits::check`], a file that is no recording, a value that the format cannot write, and whatever reading and
/// writing give.
pub fn change<W: Write>(
    input: impl Read,
    name: &str,
    limits: Limits,
    edits: &Edits,
    out: W,
) -> Result<(W, EditAccount)> {
    edits.check()?;
    let reader = Reader::new(input, name, limits)?;
    let detected = reader.detected().clone();
    if !edits.set.is_empty() && detected.kind != FileKind::Unknown {
        if edits.keeps_texts() {
            let (out, account, _) = set::run(reader, name, &edits.set, out)?;
            return Ok((out, account));
        }
        let (set, before, blocks) = set::run(reader, name, &edits.set, Vec::new())?;
        let rest = Reader::new(&set[..], name, limits)?;
        return with_format!(detected.kind, F => {
            let (out, mut account) = pass::Pass::<F, W>::run(rest, name, edits, &blocks, out)?;
            account.follows(before);
            Ok((out, account))
        }, unknown => Err(Error::new(ErrorKind::NotADemo(detected.reason.clone())).in_file(name)));
    }
    let no_demo = || Error::new(ErrorKind::NotADemo(detected.reason.clone())).in_file(name);
    with_format!(detected.kind, F => pass::Pass::<F, W>::run(reader, name, edits, &[], out), unknown => Err(no_demo()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::MessageSet;
    use crate::format::{dem, dm2, dm3, mvd2, qwd};

    #[test]
    fn lists_of_messages_name_messages() {
        for name in NEEDED.iter().chain(ENDINGS).chain(CARRIERS) {
            let word = name.as_bytes();
            let known = [
                dem::Message::kind_by_name(word).is_some(),
                qwd::Message::kind_by_name(word).is_some(),
                dm2::Message::kind_by_name(word).is_some(),
                mvd2::Message::kind_by_name(word).is_some(),
                dm3::Message::kind_by_name(word).is_some(),
            ];
            assert!(known.contains(&true), "{name}");
        }
    }
}
