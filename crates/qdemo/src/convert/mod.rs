//! Conversions: a recording in another protocol.
//!
//! What the target has room for is told there; what it has not is counted as a [`Loss`]. [`CONVERSIONS`] lists what there
//! is.

mod loss;
mod pass;
mod quake;
mod quake2;
mod quake3;

use std::io::{Read, Write};

pub use loss::{CONVERSIONS, Conversion, Known, Loss, Lost};

use loss::is_known;

use crate::demo::{FileKind, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// What a recording is made into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The format.
    pub kind: FileKind,
    /// The protocol.
    pub protocol: i32,
}

impl Target {
    /// What an extension stands for, such as `dm_68`; where it tells no protocol, `protocol` does.
    ///
    /// # Errors
    /// An extension of no format that recordings can be made into, one that tells another protocol than `protocol`, and
    /// none told at all.
    pub fn by_extension(extension: &str, protocol: Option<i32>) -> Result<Self> {
        let absent = |what: String| Err(Error::new(ErrorKind::Absent(what)));
        let extension = extension.to_ascii_lowercase();
        let Some(kind) = FileKind::by_extension(&extension) else {
            return absent(format!("{extension}: no extension of a recording; known are dem, dm2, and dm_66 to dm_71"));
        };
        let told: Option<i32> = kind.number_in(&extension).and_then(|number| number.parse().ok());
        match (told, protocol) {
            (Some(told), Some(protocol)) if told != protocol => {
                absent(format!("{extension} is the extension of protocol {told}, and not of {protocol}"))
            }
            (Some(protocol), _) | (None, Some(protocol)) => Ok(Target { kind, protocol }),
            (None, None) => absent(format!("{extension}: which protocol? Give its number")),
        }
    }

    fn is_known_from(self, kind: FileKind) -> bool {
        self.kind == kind && is_known(kind, None, self.protocol)
    }
}

/// Gives a recording another protocol: of the same format, to be played by other engines.
///
/// Quake: serverinfo tells the protocol, and all that follows is written as that protocol does, from what the messages say. A
/// recording in protocol 15, as id's engine writes it, that is made one in 666 or 999 and back is as it was, byte for byte.
///
/// Quake II: what clients recorded in protocols 26 to 33 becomes 34, which engines of today play.
///
/// Quake III: protocols 66 to 71 share their encoding; the serverinfo string tells the number, and nothing else changes
/// but for voice, which 70 and 71 have and the others have not.
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
/// A conversion that there is not, a file that is no recording, and whatever reading and writing give.
pub fn convert<W: Write>(input: impl Read, name: &str, limits: Limits, to: Target, out: W) -> Result<(W, Conversion)> {
    let reader = Reader::new(input, name, limits)?;
    let detected = reader.detected();
    let (from, protocol) = (detected.kind, to.protocol);
    let done = match from {
        FileKind::Unknown => Err(Error::new(ErrorKind::NotADemo(detected.reason.clone()))),
        FileKind::Dem if to.is_known_from(from) => quake::convert(reader, name, protocol, out),
        FileKind::Dm2 if to.is_known_from(from) => quake2::convert(reader, name, protocol, out),
        FileKind::Dm3 if to.is_known_from(from) => quake3::convert(reader, name, protocol, out),
        _ => Err(no_way(&format!("{} recording", from.name()), &format!("{}, protocol {protocol}", to.kind.name()))),
    };
    done.map_err(|e| e.in_file(name))
}

fn no_way(what: &str, to: &str) -> Error {
    Error::new(ErrorKind::Absent(format!(
        "there is no conversion of a {what} to {to}; docs/conversions.md lists those that there are"
    )))
}
