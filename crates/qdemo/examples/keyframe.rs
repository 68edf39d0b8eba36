//! Cuts the beginning off a recording: `keyframe IN SECONDS OUT`. What stays plays in an engine, from that time on: a full
//! start, and behind it the recording as it is. (In `.dm2` and Quake III the frames behind it build on what is gone, up to
//! one that builds on nothing, which may never come: there `World::rebase` of these games has to base them anew.)

use std::error::Error;
use std::{env, fs};

use qdemo::replay::World;
use qdemo::world::{DemoTime, Scene};
use qdemo::{Limits, Reader};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [input, seconds, output] = &arguments[..] else { return Err("usage: keyframe IN SECONDS OUT".into()) };
    let time = DemoTime::from_ms((seconds.parse::<f64>()? * 1000.0) as i64);
    let bytes = fs::read(input)?;
    let mut reader = Reader::new(&bytes[..], input, Limits::default())?;
    let mut world = World::of(reader.detected(), input)?;
    let mut front = 0;
    while let Some(chunk) = reader.next_chunk()? {
        let is_front = front == 0 && chunk.block().is_none();
        world.apply(&chunk);
        // The CD track line of Quake stays.
        front = if is_front { reader.offset() as usize } else { front };
        if world.clock().demo >= time {
            break;
        }
    }
    let start = world.keyframe()?.to_bytes()?;
    Ok(fs::write(output, [&bytes[..front], &start, &bytes[reader.offset() as usize..]].concat())?)
}
