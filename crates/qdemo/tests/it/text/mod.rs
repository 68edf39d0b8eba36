//! The text form.

mod bad;
