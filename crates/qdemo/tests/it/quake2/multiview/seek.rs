//! Going to any time gives what folding from the start gives.

use qdemo::Limits;
use qdemo::world::{DemoTime, Scene, Seeker};

use super::recordings;
use super::rules::two_levels;
use crate::common::{Random, file_name};

#[test]
fn a_thousand_seeks_are_folds_from_the_start() {
    let mut random = Random(0x5EED);
    let mut all: Vec<_> = recordings().iter().map(|path| (file_name(path), std::fs::read(path).unwrap())).collect();
    all.push(("made".to_owned(), two_levels()));
    let each = 1000usize.div_ceil(all.len());
    let mut seeks = 0;
    for (name, demo) in all {
        let mut seeker = Seeker::open(&demo, "x.mvd2", Limits::default()).unwrap();
        let length = seeker.length().0;
        assert!(length > 0, "{name}");
        let mut times: Vec<_> = (0..each).map(|_| DemoTime(random.below(length as usize + 1) as i64)).collect();
        let jumped: Vec<_> = times.iter().map(|time| (*time, format!("{:?}", seeker.seek(*time).to_json()))).collect();
        times.sort_unstable();
        let mut straight = Seeker::open(&demo, "x.mvd2", Limits::default()).unwrap();
        straight.go_to(0);
        let mut there = std::collections::BTreeMap::new();
        for time in times {
            while straight.next_time().is_some_and(|next| next <= time) {
                straight.step();
            }
            there.entry(time).or_insert_with(|| format!("{:?}", straight.world().to_json()));
        }
        for (time, world) in jumped {
            assert!(world == there[&time], "{name} at {time}");
            seeks += 1;
        }
        assert!(seeker.seek(DemoTime(-1)).clock().now.is_none() || seeker.length().0 == 0, "{name}");
    }
    assert!(seeks >= 1000);
}
