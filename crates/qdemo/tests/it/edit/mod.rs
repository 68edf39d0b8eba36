//! Editing: what is written plays, and shows the states of what was read.

mod camera;
mod change;
mod convert;
mod convert_mappings;
mod convert_quake2;
mod convert_quake2_layouts;
mod convert_quake3;
mod convert_quakeworld;
mod cut;
mod damaged;
mod join;
mod quake2_rules;
mod repair;
mod retime;
mod set;

use std::fs;

use qdemo::event::{Event, EventTag};
use qdemo::replay::World;
use qdemo::world::Scene;
use qdemo::{FileKind, Limits, Reader};

use crate::common::{file_name, is_broken, recordings, report};

/// A recording of every format, all of which end cleanly but the `.qwd`, whose client was killed: it is not among them.
const SHIPPED: [&str; 8] = [
    "dm13-15.dem",
    "e0m1-666.dem",
    "ez-dm.mvd",
    "oa-dm2.dm_68",
    "oa-dm4.dm_71",
    "oa-dm5.dm_66",
    "q2-demo1.dm2",
    "q2pro-dm.mvd2",
];

/// These and the `.qwd`.
fn shipped() -> impl Iterator<Item = &'static str> {
    SHIPPED.into_iter().chain(["ez-dm.qwd"])
}

/// The blocks of an `.mvd2` that have the mark of the format.
fn marks(bytes: &[u8]) -> Vec<usize> {
    let demo = qdemo::demo::Recording::<qdemo::format::mvd2::Mvd2>::read(bytes.to_vec(), "x.mvd2").unwrap();
    demo.packets().enumerate().filter(|(_, (_, packet))| packet.header.mark.0).map(|(n, _)| n).collect()
}

fn events(bytes: &[u8], name: &str, kinds: &[EventTag]) -> Vec<Event> {
    let mut all = Vec::new();
    let mut each = |event: &Event| {
        if kinds.contains(&event.kind.tag()) {
            all.push(event.clone());
        }
        Ok(())
    };
    qdemo::replay::events(bytes, name, Limits::default(), &mut each).unwrap();
    all
}

/// When what happened, in words.
fn happened(events: Vec<Event>) -> Vec<(i64, EventTag, String)> {
    let words = |event: Event| (event.clock.demo.ms(), event.kind.tag(), event.kind.to_string());
    events.into_iter().map(words).collect()
}

/// Every frame of both shows the same.
fn same_worlds(one: &[u8], other: &[u8], name: &str, but: &[&str]) {
    let play = |bytes| {
        let reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let world = World::of(reader.detected(), name).unwrap();
        (reader, world)
    };
    let ((mut a, mut one), (mut b, mut other)) = (play(one), play(other));
    let mut frames = 0;
    while let (Some(from), Some(to)) = (a.next_chunk().unwrap(), b.next_chunk().unwrap()) {
        one.apply(&from);
        other.apply(&to);
        frames += usize::from(one.changes().frame);
        assert_eq!(one.changes().frame, other.changes().frame, "{name}");
        let mut differences = one.differences(&other);
        differences.retain(|part| !but.contains(part));
        assert!(differences.is_empty(), "{name}: frame {frames}: {differences:?}");
    }
    assert!(a.next_chunk().unwrap().is_none() && b.next_chunk().unwrap().is_none(), "{name}");
    assert!(frames > 10 || shipped().all(|shipped| shipped != name), "{name}: {frames}");
}

/// The recordings that can be changed: those that come with the sources, and all at hand that are sound.
fn each(mut test: impl FnMut(&[u8], &str)) {
    for path in recordings(|extension| extension != "qwz" && FileKind::by_extension(extension).is_some()) {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        let is_long = bytes.len() > if cfg!(debug_assertions) { 200_000 } else { 2_000_000 };
        if is_broken(&path) || is_long || bytes.is_empty() || !report(&bytes, &name).is_sound() {
            continue;
        }
        test(&bytes, &name);
    }
}

/// What users of the library see of an edit under way, and of what is asked for.
#[test]
fn edits_can_be_shown() {
    use qdemo::edit::{Editor, Edits, Which};
    let bytes = crate::common::testdata("ez-dm.mvd");
    let mut editor = Editor::new(&bytes[..], "ez-dm.mvd", Limits::default()).unwrap();
    let mut seen = String::new();
    let mut each = |coming: &mut qdemo::edit::Coming<'_>| {
        seen = format!("{coming:?}");
        Ok(std::ops::ControlFlow::Break(()))
    };
    editor.run(&mut each).unwrap();
    assert!(seen.starts_with("Coming { offset: 0, block: Some(0), clock: Clock {"), "{seen}");
    let shown = format!("{editor:?}");
    assert!(shown.starts_with("Editor { name: \"ez-dm.mvd\", blocks: 1, clock: Clock {"), "{shown}");
    let which = Which { kinds: vec!["chat".to_owned()], text: Some(Box::new(|_| true)), ..Which::default() };
    assert_eq!(format!("{which:?}"), "Which { kinds: [\"chat\"], range: None, player: None, text: Some(\"...\") }");
    let edits = Edits { remove: vec![which], ..Edits::default() };
    assert!(format!("{edits:?}").contains("remove: [Which { kinds: [\"chat\"]"));
}

/// A chunk that is kept twice would stand twice in the output.
#[test]
fn a_chunk_is_kept_once() {
    use qdemo::edit::{Editor, Writer};
    let bytes = crate::common::testdata("ez-dm.mvd");
    let mut editor = Editor::new(&bytes[..], "ez-dm.mvd", Limits::default()).unwrap();
    let mut writer = Writer::new(Vec::new());
    let twice = editor.run(&mut |coming| {
        coming.keep(&mut writer)?;
        coming.keep(&mut writer)?;
        Ok(std::ops::ControlFlow::Continue(()))
    });
    assert!(twice.unwrap_err().to_string().starts_with("ez-dm.mvd: a chunk is kept once"));
}

/// Where nothing can be written any more, nothing is wrong with the recording that is read.
#[test]
fn an_error_of_the_output_names_the_output() {
    use qdemo::edit::{TimeMap, cut, repair, retime};
    use qdemo::replay::Range;
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (bytes, name, limits) = (crate::common::testdata("clip.dem"), "clip.dem", Limits::default());
    let slow = TimeMap::speed(0.5, None).unwrap();
    for error in [
        cut(&bytes[..], name, limits, Range::ALL, Full(5_000)).map(drop).unwrap_err(),
        retime(&bytes[..], name, limits, &slow, Full(5_000)).map(drop).unwrap_err(),
        repair(|| Ok(&bytes[..]), name, limits, Full(5_000)).map(drop).unwrap_err(),
    ] {
        assert_eq!(error.place.file.as_deref(), Some("output"), "{error}");
    }
}

/// What reports say can be compared, errors within them, too.
#[test]
fn reports_can_be_compared() {
    let bytes = crate::common::testdata("oa-dm2.dm_68");
    let verified = |bytes: &[u8]| qdemo::verify::verify(bytes, "x.dm_68", Limits::default()).unwrap();
    let mut damaged = bytes.clone();
    damaged[9_000..9_040].fill(0x5A);
    assert!(verified(&damaged) == verified(&damaged) && verified(&damaged) != verified(&bytes));
    let info = |bytes: &[u8]| qdemo::replay::info::info(bytes, "x.dm_68", Limits::default()).unwrap();
    assert!(info(&bytes) == info(&bytes) && info(&bytes) != info(&damaged));
    let refused = || qdemo::Error::from(std::io::Error::other("no"));
    assert_eq!(refused(), refused());
    assert_ne!(refused(), refused().in_file("x"));
    assert_ne!(refused(), std::io::Error::other("yes").into());
}
