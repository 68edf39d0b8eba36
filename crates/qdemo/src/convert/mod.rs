//! Conversions: a recording in another protocol, in another format, or of one player instead of all.
//!
//! What the target has room for is told there; what it has not is counted as a [`Loss`]. [`CONVERSIONS`] lists what there
//! is.

mod across;
mod loss;
mod mapping;
mod pass;
mod places;
mod player;
mod progress;
mod quake;
mod quake2;
mod quake3;
mod quakeworld;

use std::io::{Read, Write};

pub use loss::{Conversion, Loss, Lost};
pub use mapping::{CONVERSIONS, Known, Mapping, Way};
pub use player::player_slot;
pub(crate) use quakeworld::{Beside, audience, is_moment, recorder_known, to_multiview_with, turn};

use crate::demo::{FileKind, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::format::dm2::Dialect;
use crate::limits::Limits;

/// What a recording is made into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// The format.
    pub kind: FileKind,
    /// The protocol; `None` for the only one that can be made.
    pub protocol: Option<i32>,
    /// The slot of the player whose recording it is to be, where the input shows several.
    pub player: Option<u8>,
}

impl Target {
    /// What an extension stands for, such as `dm_68`; where it tells no protocol, `protocol` does.
    ///
    /// # Errors
    /// An extension of no format that recordings can be made into, and one that tells another protocol than `protocol`.
    pub fn by_extension(extension: &str, protocol: Option<i32>) -> Result<Self> {
        let absent = |what: String| Err(Error::new(ErrorKind::Refused(what)));
        let extension = extension.to_ascii_lowercase();
        let Some(kind) = FileKind::by_extension(&extension) else {
            return absent(format!(
                "{extension}: no extension of a recording; known are dem, qwd, mvd, dm2, dm_66 to dm_71, and dm_91"
            ));
        };
        let told: Option<i32> = kind.number_in(&extension).and_then(|number| number.parse().ok());
        match (told, protocol) {
            (Some(told), Some(protocol)) if told != protocol => {
                absent(format!("{extension} is the extension of protocol {told}, and not of {protocol}"))
            }
            (told, protocol) => Ok(Target { kind, protocol: told.or(protocol), player: None }),
        }
    }

    /// The same, for the recording of the player in a slot.
    #[must_use]
    pub fn of_player(self, slot: u8) -> Self {
        Target { player: Some(slot), ..self }
    }

    /// The protocol, of those that can be made of a format; where its protocol is known, of that.
    fn protocol_from(self, from: FileKind, protocol: Option<i32>) -> Result<i32> {
        let way = Way { from, into: self.kind };
        let targets = way.targets(if self.protocol.is_none() { protocol } else { None });
        match (self.protocol, &targets[..]) {
            (Some(protocol), _) if targets.contains(&protocol) => Ok(protocol),
            (None, [protocol]) => Ok(*protocol),
            // What all engines of Quake II play.
            (None, [_, ..]) if self.kind == FileKind::Dm2 => Ok(Dialect::QUAKE2.protocol),
            (None, [_, ..]) => {
                let numbers: Vec<_> = targets.iter().map(i32::to_string).collect();
                let what = format!("which protocol of .{}? There are {}", self.kind.name(), numbers.join(", "));
                Err(Error::new(ErrorKind::Refused(what)))
            }
            (protocol, _) => {
                let protocol = protocol.map_or_else(String::new, |protocol| format!(" of protocol {protocol}"));
                Err(no_way(&format!(".{}", from.name()), &format!(".{}{protocol}", self.kind.name())))
            }
        }
    }
}

/// Gives a recording another protocol: of the same format, to be played by other engines.
///
/// Quake: serverinfo tells the protocol, and all that follows is written as that protocol does, from what the messages say. A
/// recording in protocol 15, as id's engine writes it, that is made one in 666 or 999 and back is as it was, byte for byte.
///
/// Quake II: what clients recorded in protocols 26 to 33 becomes 34, which engines of today play. Recordings of servers, of
/// Relay, and Q2PRO's `.mvd2` become that of the client in a slot, with everything in sight. What clients recorded in
/// protocols with layouts of their own (the test release, KMQuake2, Q2PRO's extended demos, the re-release) becomes 34, and
/// everything becomes one of these but the first: every state is told anew, and models, sounds and entities beyond the
/// numbers of the target take those that are left.
///
/// Quake III: protocols 66 to 71 share their encoding; the serverinfo string tells the number, and nothing else changes
/// but for voice, which 70 and 71 have and the others have not. Recordings in protocols 43 to 48 become any of these: every
/// state is written anew, and what game modules of 43 and 45 number otherwise (events, configstrings, what lasts over deaths,
/// lists of scores) gets the later numbers. So do powerups of Quake Live, whose 73 and 90 become 91. A recording of another
/// player, the one in the slot that [`Target::of_player`] names, shows what that player saw while the recorder saw that
/// player: the state is made of what others are told, so ammunition is unknown. Elsewhere the view is the recorder's.
///
/// QuakeWorld: protocols 24 to 27 become 28. A client's recording becomes one of a server, in which what the client was
/// told is told to the recorder, and who is out of its sight is not in it; and a server's one of a client, the one in
/// the slot that [`Target::of_player`] names: what that player was told, with everybody in sight. Velocities in it are
/// those from one frame to the next.
///
/// Quake and QuakeWorld: a `.dem`, made one of protocol 15 first, becomes a `.qwd`, and a `.qwd` a `.dem` of protocol 15.
/// Players are entities in the one and have messages of their own in the other; particles become hits and back, numbers
/// of the recorder become stats, and the print levels of QuakeWorld the marks of chat. Engines of Quake have room for 16
/// players, those of QuakeWorld for entities up to number 511: others get a free slot or number, as long as there is one.
///
/// Damage is not passed on: of a block in which something cannot be read what stands in front of that stays, but for parts of
/// a frame, and bytes that are no block are left out ([`Loss::Unread`]). A recording without an end gets one then, and always where
/// its format has a mark for that.
///
/// Gives back what was written to, and what was lost.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, convert::{Target, convert}, verify::verify};
/// let demo = &std::fs::read("../../testdata/e0m1-666.dem")?[..];
/// let to = Target::by_extension("dem", Some(15))?;
/// let (old, account) = convert(demo, "e0m1-666.dem", Limits::default(), to, Vec::new())?;
/// assert_eq!((account.from_protocols, account.to_protocol), (vec![666], 15));
/// assert!(verify(&old[..], "e0m1-15.dem", Limits::default())?.is_sound());
/// # Ok(()) }
/// ```
///
/// # Errors
/// A conversion that there is not, a file that is no recording, one of which too little can be read for anything to be left, and
/// whatever reading and writing give.
pub fn convert<W: Write>(input: impl Read, name: &str, limits: Limits, to: Target, out: W) -> Result<(W, Conversion)> {
    let reader = Reader::new(input, name, limits)?;
    let detected = reader.detected();
    let from = detected.kind;
    if from == FileKind::Unknown {
        return Err(Error::new(ErrorKind::NotADemo(detected.reason.clone())).in_file(name));
    }
    if let (FileKind::Dm3, FileKind::Dm3, Some(slot)) = (from, to.kind, to.player) {
        return finished(quake3::of_player(reader, name, limits, (slot, to.protocol), out), name);
    }
    let done = to.protocol_from(from, detected.protocol).and_then(|protocol| match (from, to.kind) {
        (FileKind::Dem, FileKind::Dem) => quake::convert(reader, name, protocol, out),
        (FileKind::Dm2 | FileKind::Mvd2, FileKind::Dm2) if to.player.is_some() => {
            quake2::from_all(reader, protocol, to.player.unwrap_or(0), out)
        }
        (FileKind::Mvd2, FileKind::Dm2) => Err(no_way("an .mvd2, which shows all players,", NOBODY)),
        (FileKind::Dm2, FileKind::Dm2) => quake2::convert(reader, name, protocol, out),
        (FileKind::Dm3, FileKind::Dm3) => quake3::convert(reader, name, protocol, out),
        (FileKind::Qwd, FileKind::Qwd) => quakeworld::to_28(reader, name, protocol, out),
        (FileKind::Qwd, FileKind::Mvd) => quakeworld::to_multiview(reader, protocol, out),
        (FileKind::Mvd, FileKind::Qwd) => quakeworld::from_multiview(reader, protocol, to.player, out),
        (FileKind::Dem, FileKind::Qwd) => quakeworld::from_quake(reader, protocol, out),
        (FileKind::Qwd, FileKind::Dem) => quakeworld::to_quake(reader, protocol, out),
        (from, to) => Err(no_way(&format!(".{}", from.name()), &format!(".{}", to.name()))),
    });
    finished(done, name)
}

/// What came of a conversion, if anything did.
fn finished<W>(done: Result<(W, Conversion)>, name: &str) -> Result<(W, Conversion)> {
    let check = |(out, done): (W, Conversion)| Lost::check(&done.losses, &done.account).map(|()| (out, done));
    done.and_then(check).map_err(|e| e.in_file(name))
}

/// What cannot be made of a recording of all players.
const NOBODY: &str = "a recording of no player in particular: name one";

/// How many moments of a recording there are, and how many of them show the player whose view is asked for.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    all: u64,
    seen: u64,
}

impl Shown {
    fn count(&mut self, is_seen: bool) {
        self.all += 1;
        self.seen += u64::from(is_seen);
    }

    /// Refuses the view of a slot in which nobody ever was. `moments` are what was counted.
    fn check(self, slot: u8, moments: &str) -> Result<()> {
        if self.all > 0 && self.seen == 0 { Err(self.refusal(slot, moments)) } else { Ok(()) }
    }

    fn refusal(self, slot: u8, moments: &str) -> Error {
        Error::new(ErrorKind::Refused(format!(
            "none of {} {moments} shows the player in slot {slot}, so nothing is known of what that player saw",
            self.all
        )))
    }
}

fn no_way(what: &str, to: &str) -> Error {
    Error::new(ErrorKind::Refused(format!(
        "there is no conversion of {what} to {to}; docs/conversions.md lists those that there are"
    )))
}
