//! Two recordings compared: what was changed is found, and nothing else.

use qdemo::demo::{Listed, Recording, detect};
use qdemo::diff::{Alignment, Change, Counts, Difference, Input, Options, Summary, Verdict, What, Which, diff};
use qdemo::format::Packet;
use qdemo::format::dem::{self, Dem};
use qdemo::format::dm2::{self, Dm2};
use qdemo::format::dm3::{self, Dm3};
use qdemo::format::mvd::{self, Mvd};
use qdemo::format::mvd2::{self, Mvd2};
use qdemo::format::qwd::{self, Qwd};
use qdemo::game::quake3;
use qdemo::replay::World;
use qdemo::text::{self, compile_bytes, decompile_bytes};
use qdemo::wire::{ByteWriter, Str};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Chunk, FileKind, Limits, Reader};

use crate::common::{need, places, recordings, rounds, testdata};
use crate::qwd::build::{CLIENT, END, packet};

/// What comparing two files gives.
fn compared(a: &[u8], b: &[u8], name: &str) -> (Summary, Vec<Difference>) {
    let mut found = Vec::new();
    let mut each = |difference: &Difference| {
        found.push(difference.clone());
        Ok(())
    };
    let summary = diff(&Input::bytes(name, a), &Input::bytes(name, b), &Options::default(), &mut each).unwrap();
    (summary, found)
}

/// The differences as people count them, one line each.
fn lines(found: &[Difference]) -> String {
    found.iter().map(|difference| format!("{difference:?}\n")).collect()
}

#[track_caller]
fn same(a: &[u8], b: &[u8], name: &str) -> Summary {
    let (summary, found) = compared(a, b, name);
    assert!(a != b, "{name}: the test changed nothing");
    assert_eq!(summary.verdict, Verdict::Same, "{name}:\n{}", lines(&found));
    assert!(found.is_empty(), "{name}:\n{}", lines(&found));
    summary
}

#[test]
fn a_recording_is_itself() {
    let mut count = 0;
    for path in recordings(|_| true) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.to_string_lossy().into_owned();
        if detect::detect(&bytes, true, &name, Limits::default()).kind == FileKind::Unknown {
            continue;
        }
        let (summary, found) = compared(&bytes, &bytes, &name);
        assert_eq!((summary.verdict, summary.differences), (Verdict::Identical, 0), "{name}");
        assert!(found.is_empty());
        // A copy by way of text is the same bytes.
        if bytes.len() < 100_000 {
            let text = decompile_bytes(&bytes, &name, &text::Options::default()).unwrap();
            let copy = compile_bytes(&text, &name).unwrap();
            assert_eq!(compared(&bytes, &copy, &name).0.verdict, Verdict::Identical, "{name}");
        }
        count += 1;
    }
    assert!(count >= 9, "{count}");
}

/// A format, a recording of it, and how to put a text of the server into it.
trait Texts: Listed {
    const FILE: &'static str;
    /// True for a packet that a text can be put into.
    fn has_room(packet: &Packet<'_, Self>) -> bool;
    fn text(text: &'static str, seq: i32) -> Self::Message<'static>;
    /// What else changes with the messages of a packet.
    fn tidy(_: &mut Packet<'static, Self>) {}
    /// The name of the message and of its field.
    const NAMES: (&'static str, &'static str);
    /// Texts stand in front of what else is in a packet.
    const FIRST: bool = false;
}

fn str(text: &'static str) -> Str<'static> {
    text.as_bytes().to_vec().into()
}

impl Texts for Dem {
    const FILE: &'static str = "clip.dem";
    const NAMES: (&'static str, &'static str) = ("print", "text");
    fn has_room(packet: &dem::Packet<'_>) -> bool {
        packet.messages.iter().any(|message| matches!(message, dem::Message::Time(_)))
    }
    fn text(it: &'static str, _: i32) -> dem::Message<'static> {
        dem::Print { text: str(it) }.into()
    }
}

impl Texts for Qwd {
    const FILE: &'static str = "ez-dm.qwd";
    const NAMES: (&'static str, &'static str) = ("print", "string");
    fn has_room(packet: &qwd::Packet<'_>) -> bool {
        packet.messages.iter().any(|message| matches!(message, qwd::Message::PlayerInfo(_)))
    }
    fn text(it: &'static str, _: i32) -> qwd::Message<'static> {
        qwd::Print { level: 2, string: str(it) }.into()
    }
}

impl Texts for Mvd {
    const FILE: &'static str = "ez-dm.mvd";
    const NAMES: (&'static str, &'static str) = ("print", "string");
    fn has_room(packet: &mvd::Packet<'_>) -> bool {
        let is_all = packet.header.to.target == mvd::Target::All;
        is_all && packet.messages.iter().any(|message| matches!(message, qwd::Message::MvdPlayerInfo(_)))
    }
    fn text(it: &'static str, _: i32) -> qwd::Message<'static> {
        qwd::Print { level: 2, string: str(it) }.into()
    }
}

impl Texts for Dm2 {
    const FILE: &'static str = "q2-demo1.dm2";
    const NAMES: (&'static str, &'static str) = ("print", "string");
    fn has_room(packet: &dm2::Packet<'_>) -> bool {
        packet.messages.iter().any(|message| matches!(message, dm2::Message::Frame(_)))
    }
    fn text(it: &'static str, _: i32) -> dm2::Message<'static> {
        dm2::Print { level: 2, string: str(it) }.into()
    }
}

impl Texts for Mvd2 {
    const FILE: &'static str = "q2pro-dm.mvd2";
    const NAMES: (&'static str, &'static str) = ("print", "string");
    fn has_room(packet: &mvd2::Packet<'_>) -> bool {
        packet.messages.iter().any(|message| matches!(message, mvd2::Message::Frame(_)))
    }
    fn text(it: &'static str, _: i32) -> mvd2::Message<'static> {
        mvd2::Print { spare_bits: Default::default(), level: 2, string: str(it) }.into()
    }
}

impl Texts for Dm3 {
    const FILE: &'static str = "oa-dm2.dm_68";
    const FIRST: bool = true;
    const NAMES: (&'static str, &'static str) = ("serverCommand", "value");
    fn has_room(packet: &dm3::Packet) -> bool {
        matches!(packet.messages.as_slice(), [dm3::Message::Snapshot(_)])
    }
    fn text(it: &'static str, seq: i32) -> dm3::Message {
        dm3::ServerCommand { seq, value: dm3::Text(it.as_bytes().to_vec()) }.into()
    }
    fn tidy(packet: &mut dm3::Packet<'static>) {
        packet.contents.tail = vec![0];
    }
}

/// The recording with a text in the packet that is so many in front of the last that can hold one.
fn with_text<F: Texts>(text: &'static str, from_last: usize) -> Vec<u8> {
    let mut demo = Recording::<F>::read(testdata(F::FILE), F::FILE).unwrap();
    let rooms: Vec<usize> = demo.packets().filter(|(_, packet)| F::has_room(packet)).map(|(part, _)| part).collect();
    let part = rooms[rooms.len() - 1 - from_last];
    let mut packet = demo.packet(part).unwrap().into_owned();
    // Numbers of commands rise.
    let at = if F::FIRST { 0 } else { packet.messages.len() };
    packet.messages.insert(at, F::text(text, 1_000_000));
    F::tidy(&mut packet);
    assert!(demo.replace(part, packet));
    demo.to_bytes().unwrap()
}

/// What was done to a message is found, and nothing else.
fn messages_are_found<F: Texts>() {
    let original = testdata(F::FILE);
    let (here, other, later) =
        (with_text::<F>("print \"one\"", 9), with_text::<F>("print \"two\"", 9), with_text::<F>("print \"one\"", 4));
    let check = |a: &[u8], b: &[u8], change: Change, counts: Counts| {
        let (summary, found) = compared(a, b, F::FILE);
        assert_eq!(summary.counts, counts, "{} {change:?}:\n{}", F::NAME, lines(&found));
        assert_eq!((summary.verdict, summary.differences, found.len()), (Verdict::Different, 1, 1), "{}", F::NAME);
        assert_eq!((summary.states_differ, summary.otherwise), (0, 0), "{}", F::NAME);
        let What::Message { change: found_change, message, fields } = &found[0].what else {
            panic!("{}", lines(&found))
        };
        assert_eq!((*found_change, *message), (change, F::NAMES.0), "{}", F::NAME);
        assert_eq!(found[0].a.is_some(), change != Change::Added);
        assert_eq!(found[0].b.is_some(), change != Change::Removed);
        let value = |text: &str| Some(serde_json::Value::from(text));
        if change != Change::Moved {
            let field = fields.iter().find(|field| field.path == F::NAMES.1).unwrap();
            let (one, two) = match change {
                Change::Added => (None, value("print \"one\"")),
                Change::Removed => (value("print \"one\""), None),
                _ => (value("print \"one\""), value("print \"two\"")),
            };
            assert_eq!((&field.a, &field.b), (&one, &two));
        }
        assert_eq!(fields.is_empty(), change == Change::Moved);
        found.into_iter().next().unwrap()
    };
    let none = Counts::default();
    let added = check(&original, &here, Change::Added, Counts { added: 1, ..none });
    let removed = check(&here, &original, Change::Removed, Counts { removed: 1, ..none });
    let changed = check(&here, &other, Change::Changed, Counts { changed: 1, ..none });
    let moved = check(&here, &later, Change::Moved, Counts { moved: 1, ..none });
    // All at the same place, and the moved one five packets later.
    assert_eq!(added.b, removed.a);
    assert_eq!((changed.a, changed.b), (removed.a, added.b));
    assert_eq!(moved.a, removed.a);
    assert!(moved.b.unwrap().block >= moved.a.unwrap().block + 5);
}

#[test]
fn messages_of_quake_are_found() {
    messages_are_found::<Dem>();
}

#[test]
fn messages_of_quakeworld_are_found() {
    messages_are_found::<Qwd>();
    messages_are_found::<Mvd>();
}

#[test]
fn messages_of_quake2_are_found() {
    messages_are_found::<Dm2>();
    messages_are_found::<Mvd2>();
}

#[test]
fn messages_of_quake3_are_found() {
    messages_are_found::<Dm3>();
}

/// One entity is shown in another place for one frame.
#[test]
fn states_of_quake_are_found() {
    let original = testdata("clip.dem");
    let mut demo = Recording::<Dem>::read(original.clone(), "clip.dem").unwrap();
    let last = demo.packets().filter(|(_, packet)| Dem::has_room(packet)).map(|(part, _)| part).last().unwrap();
    let mut part = last - 20;
    let (packet, entity) = loop {
        let mut packet = demo.packet(part).unwrap().into_owned();
        let updates = packet.messages.iter_mut().find_map(|message| match message {
            dem::Message::UpdateEntity(update) if update.frame.is_some() => {
                update.frame = update.frame.map(|frame| frame ^ 1);
                Some(update.entity)
            }
            _ => None,
        });
        if let Some(entity) = updates {
            break (packet, entity);
        }
        part -= 1;
    };
    demo.replace(part, packet);
    let (summary, found) = compared(&original, &demo.to_bytes().unwrap(), "clip.dem");
    let expected = Counts { changed: 1, states: 1, ..Counts::default() };
    assert_eq!(summary.counts, expected, "{}", lines(&found));
    assert_eq!(summary.states_differ, 1, "{}", lines(&found));
    let [message, state, again] = &found[..] else { panic!("{}", lines(&found)) };
    let What::Message { message: "updateentity", fields, .. } = &message.what else { panic!("{message:?}") };
    assert_eq!((fields.len(), fields[0].path.as_str()), (1, "frame"));
    let What::State { fields, more: 0 } = &state.what else { panic!("{state:?}") };
    assert!(fields.iter().any(|field| field.path == format!("entities[{}].frame", u32::from(entity.0))), "{fields:?}");
    assert_eq!(again.what, What::SameAgain { moments: 1 });
    assert_eq!(summary.first_state.unwrap()[0].block, message.a.unwrap().block);
}

/// Snapshots build on older ones than the recorded do, so that all of their fields are told in another way.
#[test]
fn snapshots_on_other_bases_mean_the_same() {
    let original = testdata("oa-dm4.dm_71");
    let mut demo = Recording::<Dm3>::read(original.clone(), "oa-dm4.dm_71").unwrap();
    let mut world = quake3::World::new(demo.dialect_at(0));
    let mut reader = Reader::new(&original[..], "oa-dm4.dm_71", Limits::default()).unwrap();
    let mut based_anew = 0;
    for part in 0..200 {
        let Some(Chunk::Dm3(chunk)) = reader.next_chunk().unwrap() else { panic!() };
        world.apply(&chunk);
        let now = world.snapshot().filter(|now| part > 20 && world.earlier(now.number() - 5).is_some());
        let Some((now, mut packet)) = now.zip(demo.packet(part)) else { continue };
        let from = world.earlier(now.number() - 5).unwrap();
        for message in &mut packet.messages {
            if let dm3::Message::Snapshot(snapshot) = message {
                *snapshot = now.diff(Some((from, 5)), world.baselines(), &world.dialect());
                based_anew += 1;
            }
        }
        packet.contents.tail = vec![0];
        demo.replace(part, packet.into_owned());
    }
    assert!(based_anew > 100, "{based_anew}");
    let summary = same(&original, &demo.to_bytes().unwrap(), "oa-dm4.dm_71");
    assert_eq!(summary.otherwise, based_anew);
    assert_eq!(summary.aligned_by, Alignment::Clock);
}

/// Packets are cut in two, at every place where the second has room for itself.
#[test]
fn packets_may_be_parted_otherwise() {
    fn parted<F: Texts>(alone: fn(&F::Message<'static>) -> bool, head: fn(&mut Packet<'static, F>)) {
        let original = testdata(F::FILE);
        let mut demo = Recording::<F>::read(original.clone(), F::FILE).unwrap();
        let has_two = |packet: &Packet<'_, F>| packet.messages.len() > 1;
        let rooms: Vec<usize> = demo.packets().filter(|(_, packet)| has_two(packet)).map(|(part, _)| part).collect();
        // From the end, so that numbers of parts stay.
        let mut count = 0;
        for part in rooms.into_iter().rev().step_by(3) {
            let mut packet = demo.packet(part).unwrap().into_owned();
            if !packet.messages.last().is_some_and(alone) {
                continue;
            }
            let mut second = packet.clone();
            second.messages.drain(..packet.messages.len() - 1);
            packet.messages.pop();
            head(&mut second);
            demo.insert(part + 1, second);
            demo.replace(part, packet);
            count += 1;
        }
        assert!(count > 2, "{}: {count}", F::NAME);
        same(&original, &demo.to_bytes().unwrap(), F::FILE);
    }
    parted::<Dem>(|_| true, |_| ());
    // A frame, its players and its entities go together.
    let alone = |message: &dm2::Message<'_>| matches!(message, dm2::Message::Sound(_) | dm2::Message::TempEntity(_));
    parted::<Dm2>(alone, |_| ());
    parted::<Mvd>(|_| true, |packet| packet.header.msec = 0);
}

/// Mask bits without a field behind them.
#[test]
fn mask_bits_in_vain_mean_nothing() {
    let original = testdata("clip.dem");
    let mut demo = Recording::<Dem>::read(original.clone(), "clip.dem").unwrap();
    let mut changed = 0;
    for part in 0..demo.len() {
        let Some(mut packet) = demo.packet(part).map(Packet::into_owned) else { continue };
        let before = packet.clone();
        for message in &mut packet.messages {
            // A second byte of the mask, although no bit in it is set.
            if let dem::Message::UpdateEntity(update) = message {
                update.mask_extra = 1;
            }
        }
        let fits = packet.write(&mut demo.dialect_at(part), &mut ByteWriter::default()).is_ok();
        if packet != before && fits {
            changed += 1;
            demo.replace(part, packet);
        }
    }
    assert!(changed > 0, "{changed}");
    assert_eq!(same(&original, &demo.to_bytes().unwrap(), "clip.dem").otherwise, 0);
}

/// The rest of a recording behind a keyframe, and when it begins.
fn clip(original: &[u8], name: &str, time: DemoTime) -> (Vec<u8>, DemoTime) {
    let mut reader = Reader::new(original, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut front = 0;
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let is_front = front == 0 && chunk.block().is_none();
        world.apply(&chunk);
        front = if is_front { reader.offset() as usize } else { front };
        if world.clock().demo >= time {
            break;
        }
    }
    let start = world.keyframe().unwrap().to_bytes().unwrap();
    ([&original[..front], &start, &original[reader.offset() as usize..]].concat(), world.clock().demo)
}

#[test]
fn a_clip_is_found_in_its_original() {
    for name in ["clip.dem", "ez-dm.mvd", "ez-dm.qwd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68"] {
        let original = testdata(name);
        for ms in [1000, 4000, 9500] {
            let (clip, begins) = clip(&original, name, DemoTime::from_ms(ms));
            let (summary, found) = compared(&original, &clip, name);
            let part = summary.part().unwrap_or_else(|| panic!("{name}: {:?}\n{}", summary.common, lines(&found)));
            assert_eq!((part.part, part.from, part.to), (Which::B, begins, summary.a.length), "{name} from {ms} ms");
            assert_eq!(summary.inside(), 0, "{name} from {ms} ms:\n{}", lines(&found));
            // The other way round.
            let (summary, found) = compared(&clip, &original, name);
            assert_eq!(summary.part().map(|part| (part.part, part.from)), Some((Which::A, begins)), "{name}");
            assert_eq!(summary.inside(), 0, "{name} from {ms} ms:\n{}", lines(&found));
            // Where one says where it begins, that is the same.
            let options = Options::default().with_offset(Some(begins));
            let (a, b) = (Input::bytes(name, &original), Input::bytes(name, &clip));
            let asked = diff(&a, &b, &options, &mut |_| Ok(())).unwrap();
            assert_eq!(asked.part().map(|part| (part.part, part.from)), Some((Which::B, begins)), "{name}");
            assert_eq!((asked.inside(), asked.aligned_by), (0, Alignment::Offset), "{name}");
        }
    }
}

/// Cut by UberDemoTools from 13:35 to 13:55 on the clock of the server, as its name says.
#[test]
fn a_clip_of_another_tool_is_found() {
    let Some(folder) = need("corpus/q3") else { return };
    let read = |end: &str| {
        let path = crate::common::files(&folder, "").into_iter().find(|path| path.to_string_lossy().ends_with(end));
        std::fs::read(path.unwrap()).unwrap()
    };
    let (whole, cut) = (read("ojfc-09-2014_11_25-22_19_39.dm_68"), read("_CUT_1335_1355_chat.dm_68"));
    let (summary, found) = compared(&whole, &cut, "duel.dm_68");
    assert_eq!(summary.part().map(|part| part.part), Some(Which::B), "{}", lines(&found));
    assert_eq!(summary.inside(), 0, "{}", lines(&found));
    let Some(What::Stretch { only_in: Which::A, to, .. }) = found.last().map(|last| &last.what) else { panic!() };
    let starts = found.iter().find(|difference| difference.b.is_some()).and_then(|difference| difference.a).unwrap();
    let minutes = |ms: i64| (ms / 60_000, ms / 1000 % 60);
    assert_eq!(minutes(starts.clock.ms().unwrap()), (13, 35));
    assert!(to.clock.ms() > starts.clock.ms().map(|ms| ms + 19_000));
}

/// The server and a player recorded the same game.
#[test]
fn recordings_of_other_formats_are_compared_by_what_happened() {
    let (mvd, qwd) = (testdata("ez-dm.mvd"), testdata("ez-dm.qwd"));
    let mut found = Vec::new();
    let mut each = |difference: &Difference| {
        found.push(difference.clone());
        Ok(())
    };
    let (a, b) = (Input::bytes("ez-dm.mvd", &mvd), Input::bytes("ez-dm.qwd", &qwd));
    let summary = diff(&a, &b, &Options::default(), &mut each).unwrap();
    assert_eq!((summary.verdict, summary.aligned_by), (Verdict::Different, Alignment::Events));
    assert_eq!(summary.a.levels, summary.b.levels);
    assert_eq!(summary.a.players[0].name, summary.b.players[0].name);
    assert!(summary.common_events > 0, "{summary:?}");
    assert!(found.iter().all(|difference| matches!(difference.what, What::Event { .. })));
    assert_eq!(summary.counts.events, found.len() as u64);
    assert_eq!(summary.a.events + summary.b.events, 2 * summary.common_events + summary.counts.events);
    // What is no recording is an error.
    let none = Input::bytes("none.dem", b"nothing of the kind");
    assert!(diff(&a, &none, &Options::default(), &mut |_| Ok(())).unwrap_err().to_string().contains("none.dem"));
}

/// Two players recorded one game, each by a clock of their own, and the server told each other things: what happened is the same.
#[test]
fn recordings_of_two_clients_are_compared_by_what_happened() {
    // One whose clocks show other times, made by two clients of one server.
    let (summary, found) = compared(&testdata("merge-a.qwd"), &testdata("merge-b.qwd"), "merge.qwd");
    assert_eq!((summary.aligned_by, summary.common_events, found.len()), (Alignment::Events, 1, 0), "{summary:?}");

    // One whose clocks show the same times by chance.
    let client = |slot: u8, deaths: &[&str], own: &str| {
        let mut begin = CLIENT.data();
        let at = begin.windows(3).position(|it| it == b"qw\0").unwrap() + 3;
        begin[at] = slot;
        for (slot, name) in [(1, "a"), (2, "b")] {
            begin.extend([40, slot, slot, 0, 0, 0]);
            begin.extend(format!("\\name\\{name}\0").bytes());
        }
        let print = |level: u8, text: &str| [&[8, level], text.as_bytes(), &[0]].concat();
        // Each packet but the first and the last shows a frame, without entities.
        let frame = |said: Vec<u8>| [&said[..], &[47, 0, 0]].concat();
        let deaths = deaths.iter().map(|dies| frame(print(1, dies)));
        let said: Vec<_> = [begin].into_iter().chain(deaths).chain([frame(print(3, own)), END.to_vec()]).collect();
        said.iter().zip(1..).flat_map(|(said, n)| packet(n as f32, n, said)).collect::<Vec<u8>>()
    };
    const DIES: &[&str] = &["a rides b's rocket\n"];
    let (one, two) = (client(1, DIES, "(b): to me\n"), client(2, DIES, "(a): to you\n"));
    let (summary, found) = compared(&one, &two, "made.qwd");
    assert_eq!((summary.verdict, summary.aligned_by), (Verdict::Different, Alignment::Events));
    assert_eq!((summary.common_events, summary.counts.events), (1, 2), "{}", lines(&found));
    assert!(found.iter().all(|difference| matches!(difference.what, What::Event { .. })), "{}", lines(&found));
    // Of two games there is nothing to compare, whatever the clocks show.
    let other = client(2, &["a discovers blast radius\n"], "(a): to you\n");
    let (summary, _) = compared(&one, &other, "made.qwd");
    assert_eq!((summary.aligned_by, summary.common_events, summary.differences), (Alignment::Nothing, 0, 2));
    // So it is where less than half of what happened is the same.
    let longer = client(
        1,
        &["a rides b's rocket\n", "b sleeps with the fishes\n", "a discovers blast radius\n"],
        "(b): to me\n",
    );
    let other = client(
        2,
        &["a rides b's rocket\n", "b discovers blast radius\n", "a sleeps with the fishes\n"],
        "(a): to you\n",
    );
    let (summary, _) = compared(&longer, &other, "made.qwd");
    assert_eq!(summary.aligned_by, Alignment::Nothing, "{summary:?}");
    // Those of one client are compared moment by moment.
    let (summary, found) = compared(&one, &client(1, DIES, "(b): to you\n"), "made.qwd");
    assert_eq!((summary.aligned_by, summary.moments), (Alignment::Clock, 4), "{}", lines(&found));
}

/// A changed byte is found, whatever it breaks, and nothing panics.
#[test]
fn damaged_recordings_are_compared() {
    for name in ["dm13-15.dem", "ez-dm.mvd", "ez-dm.qwd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68"] {
        let original = testdata(name);
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for _ in 0..rounds(30) {
            let mut damaged = original.clone();
            for _ in 0..1 + random(8) {
                let at = random(damaged.len());
                damaged[at] ^= 1 << random(8);
            }
            if random(3) == 0 {
                damaged.truncate(random(original.len()));
            }
            for (a, b) in [(&original, &damaged), (&damaged, &original)] {
                let (a, b) = (Input::bytes(name, a), Input::bytes(name, b));
                // A file that is broken from its beginning is no recording.
                if let Ok(summary) = diff(&a, &b, &Options::default(), &mut |_| Ok(())) {
                    assert!(summary.verdict != Verdict::Identical, "{name}");
                }
            }
        }
        // Everything that stands in front of a cut is common.
        for at in places(original.len()).skip(1).step_by(997).filter(|at| at * 10 > original.len()) {
            // A gamestate that is cut makes no recording.
            let front = &original[..at];
            if qdemo::detect::detect(front, true, name, Limits::default()).kind == FileKind::Unknown {
                continue;
            }
            let (summary, _) = compared(&original, front, name);
            assert!(summary.moments > 0 || summary.b.frames == 0, "{name} cut at {at}: {summary:?}");
        }
    }
}
