//! Containers: bytes in, named entries out, bounded.
//!
//! Demos seldom travel alone. They lie in `.pak` and `.pk3` files, in downloads (`.zip`, `.dz`, `.tar`, `.7z`), and packed
//! by gzip, bzip2, xz, Zstandard or Qizmo; archives of archives are common too. This module opens all of them the same way:
//!
//! * [`Location::parse`] takes what a user wrote (`old.zip:pak0.pak:demo1.dem`),
//! * [`open`] yields [`Opened::File`], a stream of unpacked bytes, or [`Opened::Listing`], what an
//!   archive holds when no member of it was named,
//! * [`Listing::open`] opens the members found.
//!
//! gzip, bzip2, xz and Zstandard hold one file and are transparent: `demo.mvd.gz` opens as the demo. So is Qizmo's
//! `.qwz`: it opens as the `.qwd` inside.
//!
//! ```no_run
//! use qdemo::Limits;
//! use qdemo::container::{Location, Opened, open};
//!
//! let limits = Limits::default();
//! match open(&Location::parse("pak0.pak"), &limits)? {
//!     Opened::File(mut file) => println!("{} bytes", file.read_all(&limits)?.len()),
//!     Opened::Listing(pak) => {
//!         for entry in &pak.entries {
//!             println!("{} of {} bytes", entry.address(), entry.size);
//!         }
//!     }
//! }
//! # Ok::<(), qdemo::Error>(())
//! ```
//!
//! # Damage
//!
//! The intact part of a damaged file comes out first, as ordinary bytes; only then follows the
//! error, which tells the offset in the *unpacked* stream. An archive that is cut off is listed as
//! far as it goes, see [`Listing::damage`].
//!
//! Bytes behind the end of packed data are no damage: the file is whole, and [`Source::behind`] tells what follows it.
//!
//! # Bounds
//!
//! [`Limits::unpacked`] bounds all that comes out of a file together, [`Limits::held`] an archive in an archive, which is
//! held in memory, [`Limits::entries`] a listing, [`Limits::depth`] the nesting. Files, what is packed alone, and members
//! of an archive on disk are streamed. Sizes found in a file are never trusted for an allocation.
//!
//! # Adding a kind
//!
//! A new kind is a file next to `gzip.rs` or `pak.rs`, a variant of [`ContainerKind`], a line in [`sniff`], and an arm
//! where one stream becomes another (`transparent`; `Packed` in `streams.rs`) or where a store is listed
//! (`Listing::read`, `Listing::feed`).

mod behind;
mod budget;
mod checked;
mod codecs;
mod dz;
mod entry;
mod gzip;
mod input;
mod listing;
mod location;
mod pak;
mod pump;
mod qwz;
mod sevenzip;
mod solid;
mod source;
mod store;
mod streams;
mod tar;
mod zip;
mod zstd;

pub use behind::{Behind, Remains};
pub use entry::Entry;
pub use listing::Listing;
pub use location::Location;
pub use source::Source;

pub use crate::packing::unpacked_name;

use crate::kinds::kinds;
use crate::limits::Bound;
use crate::{Error, Limits, Result, error};
use budget::Budget;
use codecs::{Bzip2, Xz};
use input::{INPUT, Input};
use pump::Pump;
use source::{Bounded, Stream};
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use store::Store;
use streams::{Packed, Streams};

kinds! {
    /// What a container is.
    #[non_exhaustive]
    pub enum ContainerKind {
        /// No container: the bytes are the file.
        Plain = "plain",
        /// One file compressed by gzip (RFC 1952), possibly in several gzip members.
        Gzip = "gzip",
        /// A ZIP archive (PKWARE APPNOTE), also known as PK3.
        Zip = "zip",
        /// One file compressed by bzip2, possibly in several streams.
        Bzip2 = "bzip2",
        /// One file compressed by xz, possibly in several streams.
        Xz = "xz",
        /// One file compressed by Zstandard, possibly in several frames.
        Zstd = "zstd",
        /// A PAK archive of Quake and Quake II.
        Pak = "pak",
        /// A DZIP archive of Quake speedruns.
        Dz = "dz",
        /// A tar archive.
        Tar = "tar",
        /// A 7z archive.
        SevenZip = "7z",
        /// One QuakeWorld recording compressed by Qizmo.
        Qwz = "qwz",
    }
}

/// What lies at a [`Location`].
#[derive(Debug)]
pub enum Opened {
    /// A file, ready to be read.
    File(Source),
    /// An archive of which no member was named.
    Listing(Listing),
}

/// Tells the kind of container from the first bytes of a file; 512 are enough.
///
/// gzip is taken for gzip only with the compression method deflate and without reserved flags (RFC
/// 1952, 2.3.1), because a demo may well begin with the two bytes of the magic number alone; where the time of the file may
/// be the size of a demo's first packet, only with deflated data behind it.
/// A self-extracting ZIP does not begin like a ZIP and counts as [`ContainerKind::Plain`] here; [`open`]
/// finds its members all the same. A `.qwz` has no magic number; it is known by the packet that a recording begins with,
/// and [`open`] believes the name of a damaged one. A `.qwd` that is called so is plain.
///
/// ```
/// use qdemo::container::{ContainerKind, sniff};
/// assert_eq!(sniff(b"PACK"), ContainerKind::Pak);
/// assert_eq!(sniff(b"PK\x03\x04"), ContainerKind::Zip);
/// assert_eq!(sniff(b"-1\n"), ContainerKind::Plain);
/// ```
pub fn sniff(prefix: &[u8]) -> ContainerKind {
    match prefix {
        _ if gzip::begins_file(prefix) => ContainerKind::Gzip,
        // A local header, or the end record of an archive without entries.
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => ContainerKind::Zip,
        [b'P', b'A', b'C', b'K', ..] => ContainerKind::Pak,
        _ if streams::begins_xz(prefix) => ContainerKind::Xz,
        _ if streams::begins_bzip2(prefix) => ContainerKind::Bzip2,
        _ if zstd::begins(prefix) => ContainerKind::Zstd,
        _ if sevenzip::begins(prefix) => ContainerKind::SevenZip,
        _ if dz::begins(prefix) => ContainerKind::Dz,
        _ if tar::begins(prefix) => ContainerKind::Tar,
        _ if qwz::is_qwz(prefix) => ContainerKind::Qwz,
        _ => ContainerKind::Plain,
    }
}

/// The same of a file whose name may say that it is a `.qwz`: a damaged one has nothing but that.
fn sniff_called(prefix: &[u8], is_qwz: bool) -> ContainerKind {
    match sniff(prefix) {
        ContainerKind::Plain if is_qwz && !qwz::is_unpacked(prefix) => ContainerKind::Qwz,
        kind => kind,
    }
}

/// So many first bytes tell every kind.
const PREFIX: usize = tar::HEADER;

/// Opens a file on disk, or standard input for the path `-`, and what is named within it.
///
/// # Errors
///
/// When the file cannot be opened, a member is missing or ambiguous (the message lists names), an
/// archive cannot be listed at all, or a limit is exceeded. Damage inside a file shows only when it
/// is read.
pub fn open(location: &Location, limits: &Limits) -> Result<Opened> {
    let name = location.file_name();
    if location.is_stdin() {
        return open_stream(&name, std::io::stdin(), &location.members, limits);
    }
    let feed = open_file(&location.path).map_err(|e| Error::from(e).in_file(&name))?;
    descend(feed, Position::outermost(name, limits), &location.members, limits)
}

/// As [`open`], for bytes that can be read once, forwards. `name` stands for the file in names and messages.
///
/// # Errors
///
/// As for [`open`].
pub fn open_stream(
    name: &str,
    stream: impl Read + Send + 'static,
    members: &[String],
    limits: &Limits,
) -> Result<Opened> {
    descend(Feed::Stream(Box::new(stream), None), Position::outermost(name.to_owned(), limits), members, limits)
}

/// As [`open`], for bytes in memory. `name` stands for the file in names and messages.
///
/// # Errors
///
/// As for [`open`].
pub fn open_bytes(name: &str, data: Vec<u8>, members: &[String], limits: &Limits) -> Result<Opened> {
    let at = Position::outermost(name.to_owned(), limits);
    descend(Feed::Store(Store::bytes(data)), at, members, limits)
}

fn open_file(path: &std::path::Path) -> std::io::Result<Feed> {
    let mut file = std::fs::File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    // A pipe, a terminal or a device is read forwards like standard input: some cannot be positioned, and of those that
    // can not all have an end.
    let len = if about.is_file() { file.seek(SeekFrom::End(0)).ok() } else { None };
    Ok(match len {
        Some(len) => Feed::Store(Store::file(file, len)),
        None => Feed::Stream(Box::new(file), None),
    })
}

/// Bytes that have not been looked into yet.
enum Feed {
    /// Readable at any place.
    Store(Store),
    /// Readable once, forwards; with the size when it is known.
    Stream(Stream, Option<u64>),
}

/// How we came to a stream: its name and the containers around it.
#[derive(Clone)]
struct Position {
    name: String,
    containers: Vec<ContainerKind>,
    /// What may still come out of the file on disk.
    budget: Budget,
    /// What was found behind the end of the containers.
    remains: Remains,
}

impl Position {
    fn outermost(name: String, limits: &Limits) -> Self {
        Position { name, containers: Vec::new(), budget: Budget::new(limits), remains: Remains::default() }
    }
}

/// Goes inwards until a plain file is reached, or an archive of which no member is named.
fn descend(mut feed: Feed, mut at: Position, mut members: &[String], limits: &Limits) -> Result<Opened> {
    if let Feed::Stream(stream, size) = feed {
        if at.containers.is_empty() {
            // Of its own accord it may never end.
            let budget = Budget::of(limits.unpacked, Bound::Endless);
            feed = Feed::Stream(Bounded::boxed(stream, size, &budget), size);
        } else {
            feed = Feed::Stream(stream, size);
        }
    }
    loop {
        let kind;
        let is_qwz = is_called_qwz(&at.name) && !at.containers.contains(&ContainerKind::Qwz);
        (kind, feed) = feed.peek(&at.name, is_qwz)?;
        if kind == ContainerKind::Plain && members.is_empty() {
            return Ok(Opened::File(feed.into_source(at)));
        }
        if at.containers.len() >= limits.depth {
            return Err(Error::new(error::ErrorKind::Limit {
                what: Bound::Depth,
                limit: limits.depth as u64,
                found: at.containers.len() as u64 + 1,
            })
            .in_file(&at.name));
        }
        feed = match transparent(kind, feed, &at, limits) {
            Ok(unpacked) => {
                at.containers.push(kind);
                feed = Feed::Stream(unpacked, None);
                continue;
            }
            Err(feed) => feed,
        };
        let listing = match kind {
            // Whoever names a member knows that this is an archive: a self-extracting one.
            ContainerKind::Plain => Listing::read(ContainerKind::Zip, feed, at, limits)?,
            _ => Listing::read(kind, feed, at, limits)?,
        };
        if members.is_empty() {
            return Ok(Opened::Listing(listing));
        }
        let (index, used) = listing.find_path(members)?;
        let (name, rest) = members.split_at(used);
        at = listing.position(&name.join(":"));
        at.remains = listing.remains();
        members = rest;
        feed = listing.feed(index).map_err(|e| e.in_file(&at.name))?;
    }
}

/// What a container of one file unpacks to; the feed itself for any other.
fn transparent(kind: ContainerKind, feed: Feed, at: &Position, limits: &Limits) -> std::result::Result<Stream, Feed> {
    let remains = at.remains.clone();
    let streams = |packed: Box<dyn Read + Send>| Bounded::boxed(packed, None, &at.budget);
    let input = |feed: Feed| Input::new(feed.into_stream());
    fn boxed<P: Packed + Send + 'static>(packed: P, remains: Remains) -> Stream {
        Box::new(Streams::new(packed, remains))
    }
    Ok(streams(match kind {
        ContainerKind::Gzip => boxed(gzip::Gunzip::new(input(feed)), remains),
        ContainerKind::Bzip2 => boxed(Pump::new(input(feed), Bzip2::new()), remains),
        ContainerKind::Xz => boxed(Pump::new(input(feed), Xz::new(limits.held)), remains),
        ContainerKind::Zstd => boxed(zstd::Unzstd::new(input(feed), limits.held), remains),
        ContainerKind::Qwz => {
            let packed = BufReader::with_capacity(INPUT, feed.into_stream());
            Box::new(qwz::Unqizmo::new(packed, remains))
        }
        _ => return Err(feed),
    }))
}

/// `.qwz`, or that with `.gz` or the like behind it.
fn is_called_qwz(name: &str) -> bool {
    unpacked_name(name).to_ascii_lowercase().ends_with(".qwz")
}

impl Feed {
    /// Looks at the first bytes without losing them.
    fn peek(self, name: &str, is_qwz: bool) -> Result<(ContainerKind, Feed)> {
        let mut prefix = [0; PREFIX];
        let mut len = 0;
        match self {
            Feed::Store(store) => {
                len = store.read_at_most(0, &mut prefix).map_err(|e| Error::from(e).in_file(name))?;
                Ok((sniff_called(&prefix[..len], is_qwz), Feed::Store(store)))
            }
            Feed::Stream(mut stream, size) => {
                while len < prefix.len() {
                    match stream.read(&mut prefix[len..]) {
                        Ok(0) => break,
                        Ok(n) => len += n,
                        Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                        // Damage is told where the bytes are read; `Bounded` repeats the error.
                        Err(e) if e.get_ref().is_some_and(|e| e.is::<Error>()) => break,
                        Err(e) => return Err(Error::from(e).in_file(name).at_offset(len as u64)),
                    }
                }
                let kind = sniff_called(&prefix[..len], is_qwz);
                let head = Cursor::new(prefix).take(len as u64);
                Ok((kind, Feed::Stream(Box::new(head.chain(stream)), size)))
            }
        }
    }

    fn into_stream(self) -> Stream {
        match self {
            Feed::Store(store) => Box::new(store.tail(0)),
            Feed::Stream(stream, _) => stream,
        }
    }

    fn into_source(self, at: Position) -> Source {
        let size = match &self {
            Feed::Store(store) => Some(store.len()),
            Feed::Stream(_, size) => *size,
        };
        Source::new(at, size, self.into_stream())
    }
}
