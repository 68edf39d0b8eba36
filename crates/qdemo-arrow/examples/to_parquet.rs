//! Writes a table of recordings as Parquet, and says how fast that was, on one thread.
//!
//! ```console
//! $ cargo run --release --features files --example to_parquet -- positions demo.mvd ... > /dev/null
//! ```

use std::error::Error;
use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use qdemo::Limits;
use qdemo::table::{Options, Table};
use qdemo_arrow::files::Writer;
use qdemo_arrow::{Layout, read};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let table = args.next().as_deref().and_then(Table::by_name).ok_or("name a table and recordings")?;
    let layout = Layout::new(table);
    let (mut bytes, mut rows, mut reading, mut writing) = (0, 0, Duration::ZERO, Duration::ZERO);
    for name in args {
        let demo = std::fs::read(&name)?;
        bytes += demo.len();
        let begun = Instant::now();
        // Once without a file, to tell both apart.
        read(&layout, &demo[..], &name, &Options::default(), Limits::default(), &mut |batch| {
            rows += batch.num_rows();
            Ok(())
        })?;
        reading += begun.elapsed();
        let begun = Instant::now();
        let mut writer = Writer::parquet(Vec::new(), &layout)?;
        read(&layout, &demo[..], &name, &Options::default(), Limits::default(), &mut |batch| writer.write(&batch))?;
        let file = writer.finish(Vec::new())?;
        writing += begun.elapsed();
        stdout().write_all(&file)?;
    }
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    eprintln!("{rows} rows of {bytes} bytes: batches {:.0} MB/s, Parquet {:.0} MB/s", speed(reading), speed(writing));
    Ok(())
}
