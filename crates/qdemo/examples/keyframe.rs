//! Cuts the beginning off a recording: `keyframe IN SECONDS OUT`. What stays plays in an engine, from that time on.

use std::error::Error;
use std::{env, fs};

use qdemo::demo::{Listed, Recording};
use qdemo::format::Packet;
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
    let (front, rest) = (&bytes[..front], &bytes[reader.offset() as usize..]);
    let cut = match &world {
        World::Dem(world) => join(front, world.keyframe().map_err(|fault| fault.to_string())?, rest),
        World::QuakeWorld(world) if world.is_multiview() => {
            join(front, world.keyframe_records().map_err(|fault| fault.to_string())?, rest)
        }
        World::QuakeWorld(world) => join(front, world.keyframe_packets().map_err(|fault| fault.to_string())?, rest),
        _ => return Err("no keyframes of this game".into()),
    };
    Ok(fs::write(output, cut?)?)
}

/// What stands in front of all blocks, the packets of a full start, and what goes on from there.
fn join<F: Listed>(front: &[u8], keyframe: Vec<Packet<'static, F>>, rest: &[u8]) -> qdemo::Result<Vec<u8>> {
    let mut demo = Recording::<F>::new(None);
    demo.push_bytes(front);
    keyframe.into_iter().for_each(|packet| demo.push(packet));
    demo.push_bytes(rest);
    demo.to_bytes()
}
