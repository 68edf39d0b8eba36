//! Any bytes as a recording of each format: its states, events and numbers; and a seek shows what reading from the start does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::Limits;
use qdemo::replay::{Seeker, at};
use qdemo::world::{DemoTime, Scene};

fuzz_target!(|data: &[u8]| {
    for name in ["x.dem", "x.qwd", "x.mvd", "x.dm2", "x.mvd2", "x.dm_68", "x.dm3"] {
        let limits = Limits::default;
        let told = qdemo::analysis::stats::stats(data, name, limits(), &mut |_| Ok(()));
        if told.is_err() {
            continue;
        }
        qdemo::replay::events(data, name, limits(), &mut |event| {
            let _ = format!("{event:?}");
            Ok(())
        })
        .unwrap();
        qdemo::replay::timeline::timeline(data, name, limits()).unwrap();
        let mut seeker = Seeker::open(data, name, limits()).unwrap();
        let half = DemoTime(seeker.length().0 / 2);
        for time in [seeker.length(), half, DemoTime(0)] {
            let jumped = format!("{:?}", seeker.seek(time).to_json());
            let (folded, _, _) = at(data, name, limits(), Some(time.into())).unwrap();
            assert_eq!(jumped, format!("{:?}", folded.to_json()));
            assert_eq!(seeker.world().clock(), folded.clock());
            if let Ok(start) = folded.keyframe() {
                start.to_bytes().unwrap();
            }
        }
    }
});
