//! qdemo

pub mod container;
pub mod describe;
pub mod detect;
pub mod dialect;
pub mod error;
mod faults;
pub mod format;
pub mod info;
mod limits;
mod stream;
pub mod text;
pub mod verify;
pub mod wire;

pub use error::{Error, Result};
pub use faults::Faults;
pub use limits::Limits;
pub use stream::{Piece, Pieces};
