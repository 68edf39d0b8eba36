//! Going to any time gives what folding from the start gives.

use qdemo::Limits;
use qdemo::world::{DemoTime, Scene, Seeker, World};

use super::{fold, recordings};
use crate::common::{Random, file_name};

#[test]
fn a_seek_is_a_fold_from_the_start() {
    let mut random = Random(0x5EED);
    for path in recordings("qwd").into_iter().chain(recordings("mvd")) {
        let name = file_name(&path);
        let demo = std::fs::read(&path).unwrap();
        if demo.len() > 2_000_000 {
            continue;
        }
        let mut seeker = Seeker::open(&demo, &name, Limits::default()).unwrap();
        let length = seeker.length().0 as usize;
        let mut times: Vec<_> = (0..8).map(|_| DemoTime(random.below(length + 1) as i64)).collect();
        times.extend([DemoTime(0), seeker.length(), DemoTime(-1)]);
        // What the world was at these times, on one way through the recording.
        let mut wanted = vec![None; times.len()];
        let mut last: Option<World> = None;
        let mut world = World::new(seeker.detected().format).unwrap();
        let mut folded = Vec::new();
        fold(&demo, &name, |piece, _| {
            let before = last.insert(world.clone());
            world.fold(piece);
            for (time, wanted) in times.iter().zip(&mut wanted) {
                if wanted.is_none() && world.clock().demo > *time {
                    *wanted = Some(before.to_json());
                }
            }
            folded.push(world.clock().demo);
        });
        assert!(folded.is_sorted(), "{name}");
        for (time, wanted) in times.iter().zip(&mut wanted) {
            let wanted = wanted.take().unwrap_or_else(|| world.to_json());
            assert!(seeker.seek(*time).to_json() == wanted, "{name} at {time}");
        }
    }
}
