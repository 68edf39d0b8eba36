//! The formats, one module each: framing, messages, state. They share wire types, declarations and dialects, and
//! know nothing of text.

pub mod dem;
