//! Tables of recordings as [Arrow](https://arrow.apache.org) record batches, and as Parquet and Arrow files.
//!
//! Columns are those that [`qdemo::table`] declares, once for every exporter: nothing is declared here. A batch holds a bounded
//! number of rows, so that memory does not grow with the recording.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use qdemo::{Limits, table::{self, Options}};
//! use qdemo_arrow::{Layout, read};
//!
//! let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
//! let layout = Layout::new(&table::FRAGS);
//! let mut rows = 0;
//! read(&layout, demo, "oa-dm4.dm_71", &Options::default(), Limits::default(), &mut |batch| {
//!     rows += batch.num_rows();
//!     Ok(())
//! })?;
//! assert!(rows > 10);
//! # Ok(()) }
//! ```
//!
//! # Types
//!
//! | column | Arrow |
//! |---|---|
//! | integer | `Int64` |
//! | number | `Float32`, as recorded |
//! | seconds | `Float64`: the decimal that JSON and CSV have; as `Float32` it is what was recorded |
//! | text | `Utf8` |
//! | word, raw | `Dictionary(Int32, Utf8)`; `Utf8` in Arrow files |
//! | boolean | `Boolean` |
//!
//! Any value may be missing. Metadata of a field are `description`, `unit` and `range`, that of a schema `qdemo.table` and
//! `qdemo.description`; files also have `qdemo.sources`.

mod batches;
mod columns;
#[cfg(feature = "files")]
pub mod files;
mod filter;
mod schema;

pub use arrow_array::RecordBatch;
pub use arrow_schema::{Schema, SchemaRef};
pub use batches::{Batches, ROWS, Taker, read, read_known};
pub use filter::{Filter, Literal, Test};
pub use schema::{Chosen, Layout};
