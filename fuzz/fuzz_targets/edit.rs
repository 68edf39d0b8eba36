//! Any bytes as a recording of each format, changed in every way: what is written can be read to the last byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::convert::{Target, convert};
use qdemo::edit::{self, Edits, Look, Script, Shot, ShotKind, Subject, Subtitle, TimeMap, Which};
use qdemo::replay::{Position, Range};
use qdemo::verify::verify;
use qdemo::world::DemoTime;
use qdemo::{Limits, Result};

/// True for a recording of which every byte is understood.
fn understood(bytes: &[u8], name: &str) -> bool {
    verify(bytes, name, Limits::default()).map_or(true, |report| report.is_exact())
}

/// Where all of the input is understood, or all that is not was to be left out, all of the output is.
fn is_exact(done: Result<Vec<u8>>, name: &str, input: bool) {
    if let Ok(bytes) = done {
        assert!(!input || understood(&bytes, name));
    }
}

fuzz_target!(|data: &[u8]| {
    let limits = Limits::default();
    let which = |kind: &str| Which { kinds: vec![kind.to_owned()], ..Which::default() };
    let edits = Edits {
        remove: vec![which("print"), which("sound")],
        rename: vec![("Recorder".to_owned(), b"x".to_vec())],
        looks: vec![(None, Look::Skin(b"a/b".to_vec())), (None, Look::Shirt(4))],
        track: Some("3".to_owned()),
        subtitles: vec![Subtitle {
            from: DemoTime::from_ms(100),
            to: DemoTime::from_ms(900),
            text: "a film".to_owned(),
        }],
        sanitize: true,
        ..Edits::default()
    };
    let part = Range { from: Position::Demo(DemoTime::from_ms(50)), to: Position::End };
    let slow = TimeMap::speed(0.5, None).unwrap();
    let kind = ShotKind::Ride { who: Subject::Entity(1), offset: [8.0, 0.0, 0.0] };
    let (from, to) = (DemoTime::from_ms(50), DemoTime::from_ms(900));
    let script = Script { shots: vec![Shot { from, to, kind, look_at: None, fov: Some(60.0) }] };
    for protocol in [15, 666, 999] {
        let to = Target::by_extension("dem", Some(protocol)).unwrap();
        let input = understood(data, "x.dem");
        is_exact(convert(data, "x.dem", limits, to, Vec::new()).map(|(out, _)| out), "x.dem", input);
    }
    for name in ["x.dem", "x.qwd", "x.mvd", "x.dm2", "x.mvd2", "x.dm_68"] {
        let input = understood(data, name);
        is_exact(edit::change(data, name, limits, &edits, Vec::new()).map(|(out, _)| out), name, input);
        is_exact(edit::camera(data, name, limits, &script, Vec::new()).map(|(out, _)| out), name, input);
        is_exact(edit::cut(data, name, limits, part, Vec::new()).map(|(out, _)| out), name, input);
        is_exact(edit::retime(data, name, limits, &slow, Vec::new()).map(|(out, _)| out), name, input);
        is_exact(edit::repair::repair(|| Ok(data), name, limits, Vec::new()).map(|(out, _)| out), name, true);
    }
});
