//! The query language.

pub(crate) mod keys;
pub(crate) mod normal;
mod numbers;
pub(crate) mod parse;
mod rows;
pub(crate) mod sql;
mod value;

#[cfg(test)]
mod tests;
