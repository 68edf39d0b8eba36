//! Compares what the library reads from a Quake III demo with what ioquake3 prints while it plays the same demo:
//! every message, every snapshot and every field that the engine prints, and its place in the block; and the complete
//! states that the engine's print makes with those of the library's world.
//!
//! ```console
//! $ cargo run --release --example engine_trace -- TRACE DEMO
//! ```
//!
//! TRACE is the engine's output with `cl_shownet 3`; `scripts/engine-trace.sh` makes it. Exit status: 0 all is the
//! same, 1 something differs, 2 the files cannot be read or are of another kind.

mod compare;
mod history;
mod place;
mod printed;
mod report;
mod states;
mod trace;

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use qdemo::demo::Listed;
use qdemo::format::dm3::{self, Dm3};
use qdemo::game::quake3::World;
use qdemo::{Chunk, FileKind, Limits, Reader};

use compare::Comparer;
use report::Report;
use trace::Trace;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [trace, demo] = args.as_slice() else {
        let _ = writeln!(io::stderr(), "usage: engine_trace TRACE DEMO");
        return ExitCode::from(2);
    };
    match run(trace, demo) {
        Ok(report) if report.different() == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(failure) => {
            let _ = writeln!(io::stderr(), "engine_trace: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run(trace: &str, demo: &str) -> Result<Report, Failure> {
    let open = |name: &str| File::open(name).map_err(|e| format!("{name}: {e}"));
    let mut trace = Trace::new(BufReader::new(open(trace)?));
    let mut chunks = Reader::new(open(demo)?, demo, Limits::default())?;
    if chunks.detected().kind != FileKind::Dm3 {
        return Err(format!("{demo}: no Quake III demo, {}", chunks.detected().reason).into());
    }
    let mut decoder = Dm3::decoder(chunks.detected());
    let dialect = decoder.dialect();
    if dialect.layout.end.is_none() {
        return Err(format!("{demo}: ioquake3 does not play protocol {}", dialect.protocol).into());
    }
    let mut comparer = Comparer::new(dialect);
    let mut world = World::new(dialect);
    let (mut lines, mut both, mut ours, mut theirs) = (Vec::new(), 0, 0, 0);
    while let Some(chunk) = chunks.next_chunk()? {
        let block = match chunk {
            Chunk::Dm3(dm3::Chunk::Block(block)) if !block.is_cut() => block,
            // The engine does not read a block that is not there as a whole.
            Chunk::Dm3(dm3::Chunk::Block(_)) => {
                comparer.report.unseen.unframed += 1;
                continue;
            }
            Chunk::Dm3(dm3::Chunk::Unframed(unframed)) => {
                comparer.report.unseen.unframed += unframed.bytes.len() as u64;
                continue;
            }
            _ => continue,
        };
        if trace.next_block(&mut lines)? {
            let (packet, fault) = decoder.read(&block);
            comparer.block(&block, &packet, fault, &lines);
            world.apply(&dm3::Chunk::Block(block));
            comparer.world(&world);
            both += 1;
        } else {
            ours += 1;
        }
    }
    while trace.next_block(&mut lines)? {
        theirs += 1;
    }
    if both == 0 {
        return Err("nothing to compare: no block in the demo, or no message in the trace".into());
    }
    comparer.report.unpaired(ours, "demo");
    comparer.report.unpaired(theirs, "trace");
    let name = format!("{demo}: protocol {}", dialect.protocol);
    comparer.report.print(name, &mut io::stdout().lock())?;
    Ok(comparer.report)
}
