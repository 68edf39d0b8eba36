//! States: what messages add up to, and the way back.
//!
//! A state is declared with `state!`: its fields, each with a doc line, a type, perhaps a key in JSON, and the fields
//! of the message that tell it. From that one declaration come the struct, [`State::apply`] and [`State::diff`], JSON,
//! and the list of [`StateField`]s. `told!` says which fields of another message tell the same state.
//!
//! [`Plain`] links a field of a state with that of a message, unless the declaration names another [`Link`].

mod link;
mod shown;
mod value;

pub(crate) use link::carries;
pub use link::{Boxed, Carries, Condition, Link, Not, Optional, Plain, Sticky, Where, Whole};
pub(crate) use shown::{ShownState, schema_of};
pub use value::{ShownField, StateField, StateValue, Unset};
pub(crate) use value::{set_field, set_list, set_to, shown_numbers};

/// A state that messages `M` tell.
pub trait State<M, D>: StateValue {
    /// Takes over what a message tells.
    fn apply(&mut self, m: &M, d: &D);
    /// The state that a message tells alone.
    fn of(m: &M, d: &D) -> Self {
        let mut state = Self::ZERO;
        state.apply(m, d);
        state
    }
    /// What a server tells those who know `from`: the fields that differ, as the dialect writes them.
    ///
    /// The states of a recording in that dialect come back bit for bit: with the message applied, `from` is `to`. Of
    /// others each value is the nearest that the dialect has; one far out of range gives a message that cannot be
    /// written.
    fn diff(from: &Self, to: &Self, d: &D) -> M;
    /// Which fields a message tells: bit n stands for the nth of [`StateValue::FIELDS`].
    fn told(m: &M) -> u64;
}
