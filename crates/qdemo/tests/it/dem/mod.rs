//! Quake's `.dem`.

mod damage;
mod facts;
mod properties;
mod recordings;
