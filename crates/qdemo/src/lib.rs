//! qdemo

pub mod container;
pub mod describe;
pub mod detect;
pub mod dialect;
pub mod error;
pub mod format;
mod limits;
mod stream;
pub mod text;
pub mod wire;

pub use error::{Error, Result};
pub use limits::Limits;
pub use stream::{Piece, Pieces};
