//! A catalogue of demos: a SQLite database with the tables of `export`, brought up to date with folders of recordings, and
//! asked in a small language or in SQL.
//!
//! [`Catalogue::create`] makes or opens one, [`Catalogue::index`] brings it up to date, [`Catalogue::find`] asks it.
//! [`schema`] tells its tables, [`KEYS`] what may be asked for.

mod database;
mod date;
mod disk;
mod find;
mod index;
mod query;
mod rows;
pub mod schema;
mod writer;

pub use database::Catalogue;
pub use find::{Search, Sort, Told, told};
pub use index::{Account, Observer, Progress, Settings, count};
pub use query::keys::{KEYS, Key};
pub use query::parse::QueryError;
pub use rusqlite::types::ValueRef;
