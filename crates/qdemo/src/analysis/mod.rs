//! What people ask of whole recordings: numbers, moments worth seeing again, findings of a referee.

pub mod check;
pub mod hash;
pub mod highlight;
pub mod parts;
pub mod run_name;
pub mod stats;
pub mod summary;
pub mod texts;
