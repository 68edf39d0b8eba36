//! JSON lines: the same statements, one chunk of the demo a line.
//!
//! A line is `{"piece":"block","camera":[…],"messages":[{"message":"time","time":1.3},…]}`. Strings hold one character
//! for each byte, U+0000 to U+00FF, so every byte survives. Floats that no decimal names are strings: `"f32(0x7FC00001)"`.

mod read;
mod write;

pub(crate) use read::parse_line;
pub(crate) use write::JsonSink;
