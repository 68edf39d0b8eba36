//! The declaration macros. Each takes a message's fields once and yields struct, codec, text and schema.
//!
//! A field line is `name: Type, condition;`, with `as "old"` behind the name where LMPC's word differs
//! (`as ""`: LMPC has none). Conditions: `always`, `bit N` (an `Option`), `flag N` (a `bool` without data),
//! `wide N` (the bit chooses the wide form), `wide_bit N W` (an `Option` by bit N, whose wide form bit W chooses),
//! `group` (a [`MaskedGroup`](super::MaskedGroup): several values),
//! `wide_group N` (both), and `number` (spare bits of the message number). Where a macro is used, `Wire` names what the format's messages travel on.

#[macro_use]
mod field;
#[macro_use]
mod coordinates;
#[macro_use]
mod masked;
#[macro_use]
mod message;
#[macro_use]
mod messages;
#[macro_use]
mod packet;
mod state;

pub(crate) use coordinates::coordinates;
pub(crate) use field::{
    field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write, name_of,
};
pub(crate) use masked::{masked, rare};
pub(crate) use message::{message, selected};
pub(crate) use messages::messages;
pub(crate) use packet::packet;
pub(crate) use state::{state, told};
