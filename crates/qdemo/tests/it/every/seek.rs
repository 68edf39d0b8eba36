//! The world at a time, read in one go, is the one that a seek gives.

use crate::common::{self, all_dem, all_dm2, all_dm3, all_quakeworld, file_name};
use qdemo::Limits;
use qdemo::world::{DemoTime, Seeker, at};

#[test]
fn reading_and_seeking_lead_to_the_same_world() {
    let mut files = 0;
    for path in [all_dem(), all_quakeworld(), all_dm2(), all_dm3()].concat() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        if demo.len() > 2_000_000 {
            continue;
        }
        let Ok(mut seeker) = Seeker::open(&demo, &name, Limits::default()) else { continue };
        let length = seeker.length();
        for part in [0, 1, 4, 7] {
            let time = DemoTime(length.0 / 7 * part);
            let (world, whole, _) = at(&demo[..], &name, Limits::default(), Some(time)).unwrap();
            assert_eq!(world.to_json(), seeker.seek(time).to_json(), "{name} at {time}");
            assert_eq!(whole, length, "{name}");
        }
        let (end, ..) = at(&demo[..], &name, Limits::default(), None).unwrap();
        assert_eq!(end.to_json(), seeker.seek(length).to_json(), "{name}");
        files += 1;
    }
    assert!(files >= if common::shared("corpus").is_some() { 50 } else { 8 }, "{files}");
}
