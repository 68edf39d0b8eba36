//! What recordings at hand tell of themselves.

use qdemo::Limits;
use qdemo::verify::verify;

use crate::common::testdata;

/// Behind the end of MVDSV's file stands what was in its buffer: a trailer, and no damage. ezQuake was killed here.
#[test]
fn shipped_recordings_end_as_they_end() {
    let mvd = testdata("ez-dm.mvd");
    let end = b"\x02EndOfDemo\0";
    let at = mvd.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let found = qdemo::replay::info::info(&mvd[..], "ez-dm.mvd", Limits::default()).unwrap();
    let qdemo::replay::info::Facts::QuakeWorld(facts) = found.facts else { panic!("{:?}", found.detected) };
    assert_eq!(facts.trailer_bytes, (mvd.len() - at) as u64);
    assert!(facts.ends_cleanly && at < mvd.len());
    let qwd = testdata("ez-dm.qwd");
    assert!(!verify(&qwd[..], "ez-dm.qwd", Limits::default()).unwrap().ends_cleanly);
}
