//! The text form: [`decompile`] a demo to text, [`compile`] text to a demo.
//!
//! It is the language of LMPC, the Little Movie Processing Centre, grown to hold every byte. Grammar and meaning
//! stand in `docs/text-format.md`. For every byte string, compiling its decompiled text gives that string again.

mod builder;
mod compile;
mod decompile;
mod dem;
mod dm2;
mod dm3;
mod form;
mod json;
mod message;
mod mvd;
mod mvd2;
mod number;
mod parse;
mod print;
mod printer;
mod qwd;
mod sink;

pub use compile::{Compiled, compile, compile_bytes, compile_on};
pub use decompile::{Decompiled, Options, Style, decompile, decompile_bytes};
pub(crate) use json::JsonSink;
pub use message::{message_to_json, message_to_text, parse_message};
pub(crate) use number::int;

/// What became of a chunk that was shown.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    /// Blocks in it.
    pub(crate) blocks: u64,
    /// Messages in it.
    pub(crate) messages: u64,
    /// Its time, when it has one.
    pub(crate) time: Option<crate::error::Moment>,
    /// The fault in it.
    pub(crate) diagnostic: Option<crate::frame::Diagnostic>,
}
