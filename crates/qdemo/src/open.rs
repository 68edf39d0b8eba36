//! The front door: a recording from a file, and the questions that most programs ask of it.

use std::borrow::Cow;
use std::ffi::OsStr;

use crate::container::{self, Location, Opened};
use crate::demo::{Chunk, Listed, Reader, Recording};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::limits::Limits;
use crate::replay::info::{self, Info};
use crate::replay::{self, Seeker, World};
use crate::verify::{self, Report};
use crate::world::DemoTime;
use crate::{Demo, text};

/// Opens a recording: a file, also one packed by gzip, xz or the like, or a member of an archive (`pak0.pak:demo1.dem`).
///
/// # Errors
/// A file that cannot be read, an archive of which no member is named, and a file that is no recording.
///
/// ```no_run
/// # fn main() -> qdemo::Result<()> {
/// let demo = qdemo::open("duel.dm_68")?;
/// for event in demo.events()? {
///     println!("{} {:?}", event.clock.demo, event.kind);
/// }
/// # Ok(()) }
/// ```
pub fn open(location: impl AsRef<OsStr>) -> Result<Demo> {
    let (bytes, name) = read(location.as_ref())?;
    Demo::read(bytes, &name)
}

/// The bytes of a file or of a member of an archive, and its name.
fn read(location: &OsStr) -> Result<(Vec<u8>, String)> {
    let limits = Limits::default();
    match container::open(&Location::parse(location), &limits)? {
        Opened::File(mut file) => {
            let name = file.name.clone();
            Ok((file.read_all(&limits)?, name))
        }
        Opened::Listing(listing) => {
            let example = listing.entries.first().map(container::Entry::address).unwrap_or_default();
            Err(Error::container(format!(
                "an archive of {} files: name one, such as :{example}",
                listing.entries.len()
            )))
        }
    }
}

impl<F: Listed> Recording<F> {
    /// Opens a recording of one format: see [`open()`].
    ///
    /// # Errors
    /// What [`open()`] gives, and a file of another format.
    pub fn open(location: impl AsRef<OsStr>) -> Result<Self> {
        let (bytes, name) = read(location.as_ref())?;
        Recording::read(bytes, &name)
    }
}

/// What is asked of a recording, of one format and of any alike.
macro_rules! questions {
    ($($of:tt)*) => {
        /// What a recording tells, all at once. The modules have the same as streams, for files of any size.
        $($of)* {
            /// Shows the recording chunk by chunk.
            ///
            /// # Errors
            /// A changed packet that its dialect cannot write, and whatever the function gives.
            pub fn each_chunk(&self, mut each: impl FnMut(&Chunk<'_>) -> Result<()>) -> Result<()> {
                let file = self.file()?;
                let mut reader = Reader::new(&file[..], self.name(), Limits::default())?;
                while let Some(chunk) = reader.next_chunk()? {
                    each(&chunk)?;
                }
                Ok(())
            }

            /// What the recording says about itself: see [`info`](crate::replay::info).
            ///
            /// # Errors
            /// A changed packet that its dialect cannot write.
            pub fn info(&self) -> Result<Info> {
                info::info(&self.file()?[..], self.name(), Limits::default())
            }

            /// Everything that happened, in order: see [`event`](crate::event).
            ///
            /// # Errors
            /// A changed packet that its dialect cannot write.
            pub fn events(&self) -> Result<Vec<Event>> {
                let mut all = Vec::new();
                replay::events(&self.file()?[..], self.name(), Limits::default(), &mut |event| {
                    all.push(event.clone());
                    Ok(())
                })?;
                Ok(all)
            }

            /// The world at a time since the recording began: see [`world`](crate::world).
            ///
            /// # Errors
            /// A changed packet that its dialect cannot write.
            pub fn world_at(&self, time: DemoTime) -> Result<World> {
                replay::at(&self.file()?[..], self.name(), Limits::default(), Some(time.into())).map(|(world, ..)| world)
            }

            /// The world at many times: see [`world`](crate::world).
            ///
            /// # Errors
            /// A changed packet that its dialect cannot write.
            pub fn seeker(&self) -> Result<Seeker<'_>> {
                Seeker::open(self.file()?, self.name(), Limits::default())
            }

            /// Whether every byte is understood, and the file whole: see [`verify`](crate::verify).
            ///
            /// # Errors
            /// A changed packet that its dialect cannot write.
            pub fn verify(&self) -> Result<Report> {
                verify::verify(&self.file()?[..], self.name(), Limits::default())
            }

            /// The text of the recording, which [`text::compile_bytes`] turns back into it.
            ///
            /// # Errors
            /// A changed packet that its dialect cannot write.
            pub fn to_text(&self) -> Result<Vec<u8>> {
                text::decompile_bytes(&self.file()?, self.name(), &text::Options::default())
            }

            /// The file: as it was read when nothing was changed.
            fn file(&self) -> Result<Cow<'_, [u8]>> {
                match self.as_read() {
                    Some(bytes) => Ok(Cow::Borrowed(bytes)),
                    None => self.to_bytes().map(Cow::Owned),
                }
            }
        }
    };
}

questions!(impl Demo);
questions!(impl<F: Listed> Recording<F>);
