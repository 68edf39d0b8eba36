//! Editing: recordings made of parts of others, that still play.
//!
//! [`Editor`] goes through a recording once and shows each chunk before it is taken in; [`Writer`] takes those that are
//! kept, byte for byte, and writes a full start wherever what stands in front of one is not there. Each verb of the
//! command is a function over these two.

mod account;
mod board;
mod camera;
mod change;
pub(crate) mod commands;
mod cut;
mod editor;
pub(crate) mod end;
pub(crate) mod frames;
mod join;
mod lists;
mod moment;
mod numbers;
pub(crate) mod readable;
mod rebase;
pub mod repair;
mod retime;
mod set;
pub(crate) mod snapshots;
mod writer;

pub use account::{Account, Joined, Kept, Start};
pub use camera::{CameraAccount, Easing, Key, Script, Shot, ShotAccount, ShotKind, Subject, Unseen, camera};
pub(crate) use change::NAME_OF_QUAKE;
pub use change::{Change, Changed, EditAccount, Edits, Look, Matcher, Subtitle, Which, change};
pub use cut::{cut, cut_many};
pub use editor::{Coming, Editor};
pub use join::join;
pub use repair::{RepairAccount, repair};
pub use retime::{Part, TimeMap, retime};
pub use set::{Setting, Whose};
pub use writer::Writer;
