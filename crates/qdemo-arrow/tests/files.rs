//! Files say of their rows what readers ask for.
#![cfg(feature = "files")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // also in the helpers

use std::fs::{self, File};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use parquet::file::reader::{FileReader, SerializedFileReader};
use qdemo::Limits;
use qdemo::table::{self, Options};
use qdemo_arrow::files::Writer;
use qdemo_arrow::{Layout, read};

/// Whoever looks for a player, a weapon or a map leaves out the files in which it cannot be, by the smallest and the
/// largest word of each group: of an archive with a file for each recording most.
#[test]
fn words_have_bounds_in_parquet() {
    let layout = Layout::new(&table::FRAGS);
    let at = layout.columns().iter().position(|column| column.name() == "victim").unwrap();
    let demo = fs::read("../../testdata/oa-dm4.dm_71").unwrap();
    let (mut writer, mut victims) = (Writer::parquet(Vec::new(), &layout).unwrap(), Vec::new());
    read(&layout, &demo[..], "oa-dm4.dm_71", &Options::default(), Limits::default(), &mut |batch| {
        let column = batch.column(at).as_dictionary::<Int32Type>();
        let words = column.values().as_string::<i32>();
        let keys = column.keys().iter().flatten();
        victims.extend(keys.map(|key| words.value(usize::try_from(key).unwrap()).to_owned()));
        writer.write(&batch)
    })
    .unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bounds.parquet");
    fs::write(&path, writer.finish(Vec::new()).unwrap()).unwrap();
    let file = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let bounds = file.metadata().row_group(0).column(at).statistics().unwrap();
    assert_eq!(bounds.min_bytes_opt(), victims.iter().min().map(|word| word.as_bytes()));
    assert_eq!(bounds.max_bytes_opt(), victims.iter().max().map(|word| word.as_bytes()));
    assert!(bounds.min_bytes_opt() < bounds.max_bytes_opt());
}
