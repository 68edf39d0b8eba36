//! Bytes in, bytes out: readers, writers and the small value types that fields are made of.
//!
//! Everything here is exactly reversible: a value type holds what was on the wire, and knows its unit.
//! This layer knows nothing of messages, dialect rules or text.

mod bits;
mod byte_string;
mod colors;
mod fault;
mod huffman;
mod infostring;
mod owned;
mod reader;
mod scalar;
mod string;
mod writer;

pub use bits::{BitReader, BitWriter, Coding};
pub(crate) use byte_string::{byte_string, replaced, same};
pub use colors::{without_colors, without_hex_colors};
pub use fault::{Fault, FaultDetail, FaultKind};
pub use infostring::{info_pairs, info_value, set_info_value, with_info_value};
pub use owned::IntoOwned;
pub(crate) use owned::into_owned;
pub use reader::ByteReader;
pub(crate) use scalar::signed;
pub use scalar::{Angle, AngleKind, Coord, CoordKind, F32, Scalar};
pub use string::{Str, StrList, clean, printable};
pub use writer::ByteWriter;
pub(crate) use writer::SizeWidth;
