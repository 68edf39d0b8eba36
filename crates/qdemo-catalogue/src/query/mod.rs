//! The query language.

pub(crate) mod keys;
pub(crate) mod normal;
pub(crate) mod parse;
pub(crate) mod sql;
mod value;

#[cfg(test)]
mod tests;
