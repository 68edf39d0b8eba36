//! Quake II: real recordings come back; so do demos of every protocol, kind of recording and message, built here from
//! the documents, and whatever bytes stand in one.

pub(crate) mod build;
mod damage;
mod extended;
mod facts;
mod messages;
mod properties;
mod recordings;
mod rerelease;
mod rerelease_demos;
mod wire;
