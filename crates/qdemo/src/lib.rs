//! qdemo reads, checks, explains and rewrites the demo (replay) files of the Quake family, byte for byte.
//!
//! A demo stores everything a client received from its server. This library shows it as typed messages, as text and
//! as JSON, gives the very same bytes back from each of them, and tells exactly which bytes it understands.
//!
//! # Quick start
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/clip.dem");
//! let demo = qdemo::open(path)?;
//!
//! // What is it, and what happened?
//! println!("{} has {} events", demo.detected().kind.name(), demo.events()?.len());
//!
//! // Every message, typed.
//! demo.each_message(|part, message| println!("{part}: {message:?}"));
//!
//! // Is every byte understood?
//! assert!(demo.verify()?.is_sound());
//!
//! // To text and back: the same bytes.
//! assert_eq!(qdemo::text::compile_bytes(&demo.to_text()?, "clip.txt")?, demo.to_bytes()?);
//! # Ok(()) }
//! ```
//!
//! [`Demo`] holds a recording of any format, and [`demo::Recording`] one of a format that the program names: its packets
//! can be changed, taken out and added. The pages of [`dem`](format::dem), [`qwd`](format::qwd), [`mvd`](format::mvd),
//! [`dm2`](format::dm2), [`mvd2`](format::mvd2) and [`dm3`](format::dm3) have a guide each: to read, to change, to make one.
//!
//! # Three levels
//!
//! 1. **Whole files**: [`verify`], [`text`]; what a recording says about itself ([`replay::info`]), what was where
//!    ([`replay`], [`replay::timeline`]), what happened ([`event`]), numbers and findings ([`analysis`]), tables of all of it
//!    ([`table`]), a replay to look at ([`view`]), in what two of them differ ([`mod@diff`]), in the same words for every game ([`world`]). They take any [`Read`](std::io::Read) and need memory for a few
//!    blocks, however long the file is. [`container`] opens files, also inside gzip, zip, PAK, `.dz` and more. What they
//!    give is serde's [`Serialize`](serde::Serialize), with the keys that the command writes with `--json`, and [`JsonSchema`](schemars::JsonSchema) tells
//!    of each what it means.
//! 2. **Typed messages** of a format: [`Reader`] cuts a file of any size, [`format::Decoder`] reads a block.
//!
//!    ```
//!    # fn main() -> qdemo::Result<()> {
//!    use qdemo::{Chunk, Limits, Reader, format::{Decoder, dem}};
//!    let demo = &std::fs::read("../../testdata/dm13-15.dem")?[..];
//!    let mut reader = Reader::new(demo, "dm13-15.dem", Limits::default())?;
//!    let mut decoder = Decoder::<dem::Dem>::default();
//!    let mut names = Vec::new();
//!    while let Some(chunk) = reader.next_chunk()? {
//!        let Chunk::Dem(dem::Chunk::Block(block)) = chunk else { continue };
//!        let (packet, _) = decoder.read(&block);
//!        for message in packet.messages {
//!            if let dem::Message::UpdateName(m) = message {
//!                names.push(m.netname.clean());
//!            }
//!        }
//!    }
//!    assert_eq!(names[0], "Recorder");
//!    # Ok(()) }
//!    ```
//! 3. **Wire types and declarations**: [`wire`], [`describe`]: how one value is read, written, shown and parsed. What
//!    distinguishes the protocols of a format is its dialect, such as [`format::dem::Dialect`].
//!
//! # What is supported
//!
//! Proven: on real recordings, byte for byte. Built: from documents, engine facts or source, without a recording at
//! hand. Named: recognised and kept as bytes.
//!
//! | format | proven | built | named |
//! |---|---|---|---|
//! | Quake `.dem` | 15; FitzQuake 666; RMQ 999 with flags 0 and 0x82 | RMQ 999 with other flags, Nehahra, BJP, FTE float coordinates | DarkPlaces and others |
//! | QuakeWorld `.qwd` | 25 and 28, with extensions of FTE and MVDSV | 24, 26, 27; voice, weapon prediction | others |
//! | QuakeWorld `.mvd` | 28, hidden messages | | others |
//! | Quake II `.dm2` | 31 and 34 of a client; 25 of the test release; KMQuake2's 56 | 26 to 30, 32, 33; recordings of servers and of Relay; KMQuake2's long angles; Q2PRO's 3434 to 3436; 2022 and 2023 of the re-release | 35, 36, 1038 |
//! | Quake II `.mvd2` | minor version 2010 | 2009, 2011 to 2013, extended limits | others |
//! | Quake III Arena, OpenArena, ioquake3, Quake Live | 45, 48, 66 to 68, 70, 71, 73, 90, 91 | 43, 46, 47; voice and downloads | |
//!
//! [`replay`] and [`table`] know all of them; events and [`analysis`] as far as their documentation says.
//!
//! # Bad input is normal input
//!
//! Nothing panics on input, no length in a file is trusted, and reading goes on after damage: see [`Faults`] and
//! [`Error`]. What cannot be decoded is [`format::dem::Message::Unknown`] or a [`frame::Unframed`] chunk, so that
//! nothing is ever lost.

#![warn(missing_debug_implementations)]

pub mod analysis;
pub mod container;
pub mod convert;
pub mod demo;
pub mod describe;
pub mod diff;
mod divide;
pub mod draw;
pub mod edit;
pub mod error;
pub mod event;
mod foreign;
pub mod format;
pub mod frame;
pub mod game;
mod json;
mod kinds;
mod limits;
pub mod merge;
mod open;
mod packing;
pub mod pipe;
pub mod replay;
pub mod report;
mod sealed;
pub mod table;
pub mod text;
pub mod view;
pub mod wire;
pub mod world;

pub use demo::{Chunk, Demo, Faults, FileKind, HiddenFrames, Reader, detect, verify};
pub use error::{Error, Result};
pub use event::Event;
pub use limits::{Bound, Limits};
pub use open::open;
pub use replay::{Seeker, World};
