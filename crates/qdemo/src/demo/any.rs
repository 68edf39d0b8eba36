//! A recording of whichever format.

use std::io::Write;

use super::detect::{Detected, detect};
use super::memory::Recording;
use super::{FileKind, for_formats};
use crate::describe::Sink;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{self, MessageSet};
use crate::limits::Limits;

macro_rules! demos {
    ($($(#[doc = $doc:literal])* $name:ident = $module:ident;)*) => {
        /// A recording in memory, of any format.
        ///
        /// ```
        /// # fn main() -> qdemo::Result<()> {
        /// let bytes = std::fs::read("../../testdata/oa-dm2.dm_68")?;
        /// let demo = qdemo::Demo::read(bytes.to_vec(), "oa-dm2.dm_68")?;
        /// let mut kinds = std::collections::BTreeMap::new();
        /// demo.each_message(|block, message| {
        ///     let _ = (block, format!("{message:?}"));
        ///     *kinds.entry(message.name()).or_insert(0) += 1;
        /// });
        /// assert!(kinds["snapshot"] > 300);
        /// # Ok(()) }
        /// ```
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum Demo {
            $($(#[doc = $doc])* $name(Recording<format::$module::$name>),)*
        }

        /// A message of any format.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Message<'a> {
            $($(#[doc = $doc])* $name(<format::$module::$name as format::Format>::Message<'a>),)*
        }

        impl Message<'_> {
            /// The name in text.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Message::$name(message) => MessageSet::name(message),)*
                }
            }

            /// Shows it to a language.
            pub(crate) fn show<S: Sink>(&self, s: &mut S) {
                match self {
                    $(Message::$name(message) => message.show(s),)*
                }
            }
        }

        impl Demo {
            /// A recording from the bytes of a file. `name` decides its format only when the content does not.
            ///
            /// # Errors
            /// A file that is no recording.
            pub fn read(bytes: Vec<u8>, name: &str) -> Result<Demo> {
                let limits = Limits::default();
                let detected = detect(&bytes, true, name, limits);
                Ok(match detected.kind {
                    $(FileKind::$name => Demo::$name(Recording::from_detected(bytes, name, detected, limits)),)*
                    FileKind::Unknown => return Err(Error::new(ErrorKind::NotADemo(detected.reason)).in_file(name)),
                })
            }

            /// The name that it was read under.
            pub fn name(&self) -> &str {
                match self {
                    $(Demo::$name(recording) => recording.name(),)*
                }
            }

            /// The file as it was read; `None` when something was changed since.
            pub fn as_read(&self) -> Option<&[u8]> {
                match self {
                    $(Demo::$name(recording) => recording.as_read(),)*
                }
            }

            /// What the file was taken for, and why.
            pub fn detected(&self) -> &Detected {
                match self {
                    $(Demo::$name(recording) => recording.detected(),)*
                }
            }

            /// Shows every message in order, with the number of the part of the recording that it stands in.
            pub fn each_message(&self, mut each: impl FnMut(usize, Message<'_>)) {
                match self {
                    $(Demo::$name(recording) => {
                        for (part, packet) in recording.packets() {
                            packet.messages.into_iter().for_each(|message| each(part, Message::$name(message)));
                        }
                    })*
                }
            }

            /// Writes the file: what was not touched as it was read, the rest from its model.
            ///
            /// # Errors
            /// A packet that its dialect cannot write, and whatever writing gives.
            pub fn write_to(&self, out: impl Write) -> Result<()> {
                match self {
                    $(Demo::$name(recording) => recording.write_to(out),)*
                }
            }

            /// The file in memory: see [`Demo::write_to`].
            ///
            /// # Errors
            /// A packet that its dialect cannot write.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                match self {
                    $(Demo::$name(recording) => recording.to_bytes(),)*
                }
            }
        }
    };
}
for_formats!(demos);
