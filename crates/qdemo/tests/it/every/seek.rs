//! The world at a time is the same, however one comes there.

use qdemo::replay::{Seeker, World, at};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Limits, Reader};
use serde_json::{Map, Value};

use super::{Samples, for_every_format};
use crate::common::{Random, file_name, rounds};

for_every_format!(every_way_to_a_time_leads_to_the_same_world);

/// What the world is at some times, sorted: by folding the recording once. It is that before the first chunk of a later
/// time.
fn folded(demo: &[u8], name: &str, times: &[DemoTime]) -> Vec<Map<String, Value>> {
    let chunks = || Reader::new(demo, name, Limits::default()).unwrap();
    let new_world = || World::new(chunks().detected()).unwrap();
    // A world is as large as a game: when it is to be kept is found out on a first way through the recording.
    let (mut world, mut all, mut clock) = (new_world(), chunks(), Vec::new());
    while let Some(chunk) = all.next_chunk().unwrap() {
        world.apply(&chunk);
        clock.push(world.clock().demo);
    }
    assert!(clock.is_sorted(), "{name}: time goes on");
    let mut due = times.iter().map(|time| clock.partition_point(|now| now <= time)).peekable();
    let (mut world, mut all, mut found) = (new_world(), chunks(), Vec::new());
    for n in 0.. {
        while due.next_if_eq(&n).is_some() {
            found.push(world.to_json());
        }
        match all.next_chunk().unwrap() {
            Some(chunk) => world.apply(&chunk),
            None => break,
        };
    }
    found
}

/// By seeking to and fro, by going on step by step, by reading up to there in one go, and by folding from the start.
fn every_way_to_a_time_leads_to_the_same_world<F: Samples>() {
    let mut random = Random(0x5EED);
    let at_hand = F::recordings().into_iter().map(|path| (file_name(&path), std::fs::read(path).unwrap()));
    let made = F::made().into_iter().map(|demo| (F::FILE.to_owned(), demo));
    let all: Vec<_> = at_hand.chain(made).collect();
    assert!(!all.is_empty());
    let each = rounds(1_000).div_ceil(all.len()).max(4);
    for (name, demo) in all {
        let mut seeker = Seeker::open(&demo, &name, Limits::default()).unwrap();
        let length = seeker.length();
        let mut times: Vec<_> = (0..each).map(|_| DemoTime(random.below(length.0 as usize + 1) as i64)).collect();
        let ends = [DemoTime(-1), DemoTime(0), DemoTime(length.0 / 7), DemoTime(length.0 / 7 * 4), length];
        times.extend(ends);
        let mut sorted = times.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let folded = folded(&demo, &name, &sorted);
        let expected = |time: &DemoTime| &folded[sorted.binary_search(time).unwrap()];

        for time in &times {
            assert!(seeker.seek(*time).to_json() == *expected(time), "{name}: a seek to {time}");
        }
        seeker.go_to(0);
        for time in &sorted {
            while seeker.next_time().is_some_and(|next| next <= *time) {
                seeker.step();
            }
            assert!(seeker.world().to_json() == *expected(time), "{name}: steps to {time}");
        }
        for time in &ends[1..] {
            // A place is a whole millisecond: all of it.
            let (world, whole, _) = at(&demo[..], &name, Limits::default(), Some((*time).into())).unwrap();
            let expected = seeker.seek(DemoTime(time.ms() * 1000 + 499)).to_json();
            assert!(world.to_json() == expected, "{name}: read up to {time}");
            assert_eq!(whole, length, "{name}");
        }
        let (world, ..) = at(&demo[..], &name, Limits::default(), None).unwrap();
        assert!(world.to_json() == *expected(&length), "{name}: read to its end");
    }
}
