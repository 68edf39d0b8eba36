//! Recordings one behind the other: every state is that of the part at that block, and nothing else is told.

use std::collections::BTreeMap;
use std::fs;

use qdemo::analysis::check::{Checks, check};
use qdemo::analysis::parts::{PartKind, Wanted, parts};
use qdemo::demo::{Listed, Recording};
use qdemo::edit::{Account, Editor, Joined, Writer, cut, cut_many, join};
use qdemo::error::ErrorKind;
use qdemo::event::{Event, EventKind};
use qdemo::format::dem::Dem;
use qdemo::format::dm3::{self, Dm3};
use qdemo::format::mvd::Mvd;
use qdemo::format::qwd::{self, Qwd};
use qdemo::replay::timeline::{SpanKind, timeline};
use qdemo::replay::{Position, Range, World, events};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Chunk, FileKind, Limits, Reader};

use super::quake2_rules;
use crate::common::{Random, assert_sound, file_name, is_broken, recordings, rounds, testdata};

/// A recording with its name.
#[derive(Clone)]
struct Demo {
    name: String,
    bytes: Vec<u8>,
}

impl Demo {
    fn limits() -> Limits {
        Limits::default()
    }

    fn reader(&self) -> Reader<&[u8]> {
        Reader::new(&self.bytes[..], &self.name, Self::limits()).unwrap()
    }

    /// The bytes of each block.
    fn blocks(&self) -> Vec<Vec<u8>> {
        let mut reader = self.reader();
        let mut blocks = Vec::new();
        while let Some((chunk, bytes)) = reader.next_with_bytes().unwrap() {
            blocks.extend(chunk.block().map(|_| bytes.to_vec()));
        }
        blocks
    }

    fn cut(&self, from: Position, to: Position) -> Demo {
        let (bytes, _) = cut(&self.bytes[..], &self.name, Self::limits(), Range { from, to }, Vec::new()).unwrap();
        Demo { name: self.name.clone(), bytes }
    }

    fn levels(&self) -> usize {
        let timeline = timeline(&self.bytes[..], &self.name, Self::limits()).unwrap();
        timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Level { .. })).count()
    }

    /// How often each check finds something.
    fn findings(&self) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        let report = check(&self.bytes[..], &self.name, Self::limits(), &Checks::default()).unwrap();
        report.findings.iter().for_each(|finding| *found.entry(finding.rule.clone()).or_default() += 1);
        found
    }

    /// The same events, with their times in ms.
    fn events(&self) -> Vec<(i64, String)> {
        let mut all = Vec::new();
        qdemo::replay::events(&self.bytes[..], &self.name, Self::limits(), &mut |event| {
            all.push((event.clock.demo.ms(), format!("{:?}", event.kind.tag())));
            Ok(())
        })
        .unwrap();
        all
    }
}

/// A recording block by block, with the world after each.
struct Played<'b> {
    reader: Reader<&'b [u8]>,
    world: World,
    bytes: Vec<u8>,
}

impl<'b> Played<'b> {
    fn new(demo: &'b Demo) -> Self {
        let reader = demo.reader();
        let world = World::of(reader.detected(), &demo.name).unwrap();
        Played { reader, world, bytes: Vec::new() }
    }

    fn block(&mut self) -> bool {
        while let Some((chunk, bytes)) = self.reader.next_with_bytes().unwrap() {
            self.world.apply(&chunk);
            if chunk.block().is_some() {
                self.bytes = bytes.to_vec();
                return true;
            }
        }
        false
    }

    fn begun(&self) -> bool {
        !self.world.level().map.is_empty() || !self.world.level().title.is_empty()
    }
}

fn joined(demos: &[&Demo]) -> (Demo, Account) {
    let inputs = demos.iter().map(|demo| (&demo.name, &demo.bytes[..]));
    let (bytes, account) = join(inputs, Limits::default(), Vec::new()).unwrap();
    assert_eq!(account.bytes_written, bytes.len() as u64);
    (Demo { name: demos[0].name.clone(), bytes }, account)
}

/// The part in the numbers that the account tells of: by this test's own hands.
fn renumbered(part: &Demo, told: &Joined) -> Demo {
    let Demo { name, bytes } = part.clone();
    let bytes = match part.reader().detected().kind {
        FileKind::Qwd => {
            let mut all = Recording::<Qwd>::read(bytes, &name).unwrap();
            let shift = told.packets_shifted as u32;
            assert_eq!(shift % 256, 0, "{name}");
            all.edit(|packet| {
                let time = f64::from(packet.header.time.0.get()) + told.seconds_shifted;
                packet.header.time.0 = (time as f32).into();
                match &mut packet.contents {
                    qwd::Contents::Packet(numbers) => {
                        (numbers.seq1, numbers.seq2) = (numbers.seq1 + shift, numbers.seq2 + shift)
                    }
                    qwd::Contents::Frame(numbers) => {
                        (numbers.seq1, numbers.seq2) = (numbers.seq1 + shift, numbers.seq2 + shift)
                    }
                    _ => {}
                }
                true
            });
            all.to_bytes().unwrap()
        }
        FileKind::Dm3 => {
            let mut all = Recording::<Dm3>::read(bytes, &name).unwrap();
            let (packets, commands) = (told.packets_shifted as i32, told.commands_shifted as i32);
            all.edit(|packet| {
                packet.header.sequence += packets;
                let numbered =
                    |m: &dm3::Message| matches!(m, dm3::Message::ServerCommand(_) | dm3::Message::Gamestate(_));
                // Numbers of other lengths: what an engine leaves behind the end may not fit any more.
                if commands != 0 && packet.contents.closed && packet.messages.iter().any(numbered) {
                    packet.contents.tail = vec![0];
                }
                for message in &mut packet.messages {
                    match message {
                        dm3::Message::ServerCommand(m) => m.seq += commands,
                        dm3::Message::Gamestate(m) => m.server_command_sequence += commands,
                        _ => {}
                    }
                }
                true
            });
            all.to_bytes().unwrap()
        }
        _ => bytes,
    };
    Demo { name, bytes }
}

/// What a level does not begin anew, and a later message of the part does: the music of Quake, the view of a recorder.
fn may_differ(part: &World, difference: &str) -> bool {
    match part {
        World::Dem(world) => difference == "music" && world.cd_track().is_none(),
        World::QuakeWorld(world) => match difference {
            "recorder" => world.command().is_none(),
            "addressees" => true,
            _ => false,
        },
        _ => false,
    }
}

/// Every state of a joined recording is that of the part. Gives how many were compared.
fn compare(whole: &Demo, parts: &[&Demo], account: &Account) -> u64 {
    let mut ours = Played::new(whole);
    let mut compared = 0;
    for (part, told) in parts.iter().zip(&account.parts) {
        let name = format!("{} in {}", part.name, whole.name);
        let part = renumbered(part, told);
        let mut theirs = Played::new(&part);
        let skipped = if told.goes_on { told.blocks_dropped } else { 0 };
        for n in 0..told.blocks_kept + told.blocks_changed {
            assert!(theirs.block() && ours.block(), "{name}: block {n}");
            if n == 0 && told.goes_on {
                // The full start was left out: it shows what is there. What ends the part is dropped, too.
                while theirs.world.difference(&ours.world).is_some() {
                    assert!(theirs.block(), "{name}: {skipped}");
                }
            }
            // A block that tells where the numbers stand.
            if ours.bytes != theirs.bytes && ours.bytes.get(4) == Some(&2) && part.name.ends_with(".qwd") {
                assert!(ours.block(), "{name}: block {n}");
            }
            if told.blocks_changed == 0 || matches!(ours.world, World::Dm3(_)) {
                assert_eq!(ours.bytes, theirs.bytes, "{name}: block {n}");
            }
            if theirs.begun() {
                let difference = ours.world.difference(&theirs.world).filter(|it| !may_differ(&theirs.world, it));
                // A cut has the last command of its recorder in front of the block that tells where the numbers stand.
                let command = part.name.ends_with(".qwd") && theirs.bytes.get(4) == Some(&0);
                let difference = difference.filter(|it| *it != "numbers of packets" || !command);
                // The line in front is that of the first.
                let difference = difference.filter(|it| *it != "music" || account.notes.is_empty());
                assert_eq!(difference, None, "{name}: block {n}");
            }
            compared += 1;
        }
    }
    let left = account.blocks_made - parts.len().saturating_sub(1).min(account.blocks_made as usize) as u64;
    let mut more = 0;
    while ours.block() {
        more += 1;
    }
    assert!(more <= left + 1, "{}: {more}", whole.name);
    compared
}

/// Recordings that go together, by their kind and protocol, the smallest first.
fn alike(largest: usize) -> BTreeMap<String, Vec<Demo>> {
    let largest = if cfg!(debug_assertions) { largest.min(150_000) } else { largest };
    let mut all: BTreeMap<String, Vec<Demo>> = BTreeMap::new();
    for path in recordings(|extension| extension != "qwz" && FileKind::by_extension(extension).is_some()) {
        let demo = Demo { name: file_name(&path), bytes: fs::read(&path).unwrap() };
        if is_broken(&path) || demo.bytes.len() > largest {
            continue;
        }
        let mut played = Played::new(&demo);
        while played.block() && !played.begun() {}
        if !played.begun() {
            continue;
        }
        let protocol = match &played.world {
            World::Dem(world) => world.protocol(),
            World::QuakeWorld(world) => world.dialect().protocol,
            World::Dm2(world) => world.dialect().protocol,
            World::Dm3(world) => world.dialect().protocol,
            _ => 0,
        };
        all.entry(format!("{} {protocol}", demo.reader().detected().kind.name())).or_default().push(demo);
    }
    for demos in all.values_mut() {
        demos.sort_by_key(|demo| demo.bytes.len());
        // The only one of its kind goes with itself.
        if let [only] = &demos[..] {
            demos.push(only.clone());
        }
    }
    all
}

#[test]
fn states_of_joined_recordings_are_those_of_their_parts() {
    let (mut pairs, mut blocks) = (0, 0);
    for (kind, demos) in alike(1_200_000) {
        let mut groups: Vec<Vec<&Demo>> = demos.windows(2).map(|pair| vec![&pair[1], &pair[0]]).collect();
        groups.extend(demos.chunks_exact(3).take(3).map(|three| three.iter().collect()));
        if let [one, ..] = &demos[..] {
            // Twice the same is no recording that goes on.
            groups.push(vec![one, one]);
        }
        for group in groups {
            let (whole, account) = joined(&group);
            let names: Vec<_> = group.iter().map(|demo| &demo.name).collect();
            assert_sound(&whole.bytes, &whole.name);
            blocks += compare(&whole, &group, &account);
            pairs += 1;
            let levels: usize = group.iter().map(|demo| demo.levels()).sum();
            assert_eq!(whole.levels(), levels, "{names:?}");
            assert_eq!(account.parts.iter().map(|part| part.levels).sum::<u64>(), levels as u64, "{names:?}");

            // Nothing is found that the parts do not have.
            let mut found = whole.findings();
            for (rule, times) in group.iter().flat_map(|demo| demo.findings()) {
                let left = found.entry(rule).or_default();
                *left = left.saturating_sub(times);
            }
            found.retain(|_, times| *times > 0);
            assert!(found.is_empty(), "{names:?}: {found:?}");

            if kind.starts_with("dm2") {
                let rules = group.iter().map(|demo| quake2_rules::check(&demo.bytes));
                if rules.into_iter().all(|rules| rules.is_ok()) {
                    let report = quake2_rules::check(&whole.bytes).unwrap_or_else(|e| panic!("{names:?}: {e}"));
                    assert_eq!(report.levels, levels as u64);
                }
            }
        }
    }
    eprintln!("{pairs} joined, {blocks} blocks");
    assert!(pairs > 5 && blocks > 1000);
}

/// What happens in a joined recording is what happens in its parts, in order, as much later as the account says.
#[test]
fn events_are_those_of_the_parts() {
    let mut compared = 0;
    for demos in alike(300_000).into_values() {
        for pair in demos.windows(2) {
            let group = [&pair[0], &pair[1]];
            let (whole, account) = joined(&group);
            let mut due: Vec<(i64, String)> = Vec::new();
            for (part, told) in group.iter().zip(&account.parts) {
                due.extend(part.events().into_iter().map(|(at, what)| (at + told.from.ms(), what)));
            }
            let ours = whole.events();
            // A match, or a player, that is there at the joint ends there; that is told at the end of a recording, too.
            let count = |all: &[(i64, String)], what: &str| all.iter().filter(|(_, it)| it == what).count();
            for what in ["Frag", "Chat", "Pickup", "Run"] {
                assert_eq!(count(&ours, what), count(&due, what), "{} and {}: {what}", pair[0].name, pair[1].name);
                let times = |all: &[(i64, String)]| -> Vec<i64> {
                    all.iter().filter(|(_, it)| it == what).map(|(at, _)| *at).collect()
                };
                for (ours, due) in times(&ours).into_iter().zip(times(&due)) {
                    // In `.mvd2` the frame within the serverdata counts: a tenth of a second.
                    let off = if whole.name.ends_with(".mvd2") { 100 } else { 2 };
                    assert!(
                        (ours - due).abs() <= off,
                        "{} and {}: {what} at {ours}, due at {due}",
                        pair[0].name,
                        pair[1].name
                    );
                    compared += 1;
                }
            }
        }
    }
    eprintln!("{compared} events");
    assert!(compared > 10);
}

/// Recordings of one level each come back when what was joined is split by levels.
#[test]
fn levels_of_joined_recordings_are_their_parts() {
    let mut split = 0;
    for (kind, demos) in alike(300_000) {
        let single: Vec<_> = demos.iter().filter(|demo| demo.levels() == 1).collect();
        for pair in single.windows(2) {
            let (whole, account) = joined(pair);
            let wanted = Wanted::new(PartKind::Level);
            let (levels, _) = parts(&whole.bytes[..], &whole.name, Limits::default(), &wanted).unwrap();
            assert_eq!(levels.len(), 2, "{}", whole.name);
            let ranges: Vec<_> = levels.iter().map(|level| level.range).collect();
            let mut outs = BTreeMap::new();
            cut_many(
                &whole.bytes[..],
                &whole.name,
                Limits::default(),
                &ranges,
                &mut |_| Ok(Vec::new()),
                &mut |n, out, _| {
                    outs.insert(n, out);
                    Ok(())
                },
            )
            .unwrap();
            for (n, part) in pair.iter().enumerate() {
                let ours = Demo { name: whole.name.clone(), bytes: outs[&n].clone() }.blocks();
                let theirs = renumbered(part, &account.parts[n]).blocks();
                // Each got an end of its own, and a client is told where the numbers stand.
                let kept = (account.parts[n].blocks_kept + account.parts[n].blocks_changed) as usize;
                let ours: Vec<_> = ours.into_iter().filter(|block| theirs.contains(block)).take(kept).collect();
                if account.parts[n].blocks_changed == 0 || kind.starts_with("dm3") {
                    assert_eq!(ours, theirs[..kept], "{} of {}", part.name, whole.name);
                    split += 1;
                }
            }
        }
    }
    eprintln!("{split} levels");
    assert!(split > 3);
}

/// Parts that were cut out of one recording, one behind the other, are that recording: no level is loaded in between.
#[test]
fn what_was_cut_goes_on_where_it_was_cut() {
    let mut exact = 0;
    for demo in alike(1_200_000).into_values().flatten() {
        let length = qdemo::replay::at(&demo.bytes[..], &demo.name, Limits::default(), None).unwrap().1.0;
        let place = |percent: i64| Position::Demo(DemoTime(length / 100 * percent));
        let Ok((clip, _)) =
            cut(&demo.bytes[..], &demo.name, Limits::default(), Range { from: place(35), to: place(70) }, Vec::new())
        else {
            continue;
        };
        let clip = Demo { name: demo.name.clone(), bytes: clip };
        let (first, last) = (demo.cut(Position::Start, place(35)), demo.cut(place(70), Position::End));
        if clip.blocks().len() < 5 {
            continue;
        }
        let (whole, account) = joined(&[&first, &clip, &last]);
        let goes_on: Vec<_> = account.parts.iter().map(|part| part.goes_on).collect();
        // What happens at the very moment of a cut is in both parts, and once in the whole.
        assert_eq!(goes_on, [false, true, true], "{}", demo.name);
        assert_sound(&whole.bytes, &demo.name);
        let (mut ours, mut theirs) = (Played::new(&whole), Played::new(&demo));
        let mut blocks = 0;
        while theirs.block() {
            assert!(ours.block(), "{}: block {blocks}", demo.name);
            assert_eq!(ours.world.difference(&theirs.world), None, "{}: block {blocks}", demo.name);
            blocks += 1;
        }
        assert_eq!(whole.levels(), demo.levels(), "{}", demo.name);
        if account.blocks_changed == 0 && account.notes.is_empty() {
            assert_eq!(whole.blocks()[..blocks], demo.blocks()[..], "{}", demo.name);
            exact += 1;
        }
    }
    eprintln!("{exact} recordings block for block");
    assert!(exact > 3);
}

/// Where a verb leaves out a stretch, numbers go on rising, and every state behind it is that of the original.
#[test]
fn numbers_go_on_where_a_stretch_is_left_out() {
    let mut compared = 0;
    for demo in alike(400_000).into_values().flatten() {
        let mut played = Played::new(&demo);
        let count = demo.blocks().len() as u64;
        if count < 100 {
            continue;
        }
        let gaps = [count / 3..count / 3 + 2, count / 2..count / 2 + count / 10];
        let mut writer = Writer::new(Vec::new());
        let mut editor = Editor::new(&demo.bytes[..], &demo.name, Limits::default()).unwrap();
        let done = editor.run(&mut |coming| {
            let block = coming.block().unwrap_or_default();
            if !gaps.iter().any(|gap| gap.contains(&block)) {
                coming.keep(&mut writer)?;
            }
            Ok(std::ops::ControlFlow::Continue(()))
        });
        let (bytes, account) = match done.and_then(|()| writer.finish()) {
            Ok(done) => done,
            Err(e) => {
                // Of a level whose beginning is not there.
                assert!(matches!(e.kind, ErrorKind::Unwritable(_)), "{}: {e}", demo.name);
                continue;
            }
        };
        let ours = Demo { name: demo.name.clone(), bytes };
        assert_sound(&ours.bytes, &ours.name);
        rising(&ours);
        let mut player = Played::new(&ours);
        let mut starts = account.starts.iter();
        for block in 0..count {
            assert!(played.block(), "{}", demo.name);
            if gaps.iter().any(|gap| gap.contains(&block)) {
                continue;
            }
            if gaps.iter().any(|gap| gap.end == block) {
                let blocks = starts.next().map_or(0, |start| start.blocks);
                (0..blocks).for_each(|_| assert!(player.block(), "{}: full start", demo.name));
            }
            assert!(player.block(), "{}: block {block}", demo.name);
            let difference = player.world.difference(&played.world);
            let numbers = difference.is_some_and(|it| {
                matches!(it, "numbers of packets" | "packets that others build on" | "command" | "snapshot" | "level")
            });
            assert!(difference.is_none() || numbers, "{}: block {block}: {difference:?}", demo.name);
            compared += u64::from(difference.is_none());
        }
    }
    eprintln!("{compared} blocks");
    assert!(compared > 1000);
}

/// Numbers of packets rise: those that a client takes, but where a block says where they stand.
fn rising(demo: &Demo) {
    let mut reader = demo.reader();
    let (mut last, mut stale) = (0, 0);
    while let Some(chunk) = reader.next_chunk().unwrap() {
        match &chunk {
            Chunk::Dm3(dm3::Chunk::Block(block)) => {
                stale += u64::from(block.header.sequence < last);
                last = block.header.sequence;
            }
            Chunk::Qwd(qwd::Chunk::Block(block)) => {
                let number = |at: usize| {
                    let bytes = block.payload.get(at..at + 4)?;
                    Some(u32::from_le_bytes(bytes.try_into().unwrap()) as i32 & i32::MAX)
                };
                match block.header.kind {
                    qwd::BlockKind::Frame => last = number(4).unwrap(),
                    qwd::BlockKind::Packet if !block.payload.starts_with(&[0xFF; 4]) => {
                        let number = number(0).unwrap_or(last);
                        stale += u64::from(number < last);
                        last = last.max(number);
                    }
                    _ => {}
                }
            }
            _ => return,
        }
    }
    let name = &demo.name;
    // Some recordings have packets that came late.
    assert!(stale <= 4, "{name}: {stale} packets have a number below the one before");
}

/// A recording that names nobody shows the players of the one before it, slot by slot.
#[test]
fn players_are_carried_into_a_recording_that_tells_of_none() {
    fn nameless<F: Listed>(name: &str, tells: impl Fn(&F::Message<'_>) -> bool) -> Demo {
        let mut all = Recording::<F>::read(testdata(name), name).unwrap();
        all.edit(|packet| {
            packet.messages.retain(|message| !tells(message));
            true
        });
        Demo { name: name.to_owned(), bytes: all.to_bytes().unwrap() }
    }
    use qdemo::format::dem::Message as Quake;
    use qwd::Message as QuakeWorld;
    let quake = |m: &Quake| matches!(m, Quake::UpdateName(_) | Quake::UpdateFrags(_) | Quake::UpdateColors(_));
    let world = |m: &QuakeWorld| {
        use QuakeWorld::{SetInfo, UpdateFrags, UpdateUserInfo};
        matches!(m, UpdateUserInfo(_) | UpdateFrags(_) | SetInfo(_))
    };
    for (part, most) in [
        (nameless::<Dem>("dm13-15.dem", quake), 8000 + 16),
        (nameless::<Qwd>("ez-dm.qwd", world), 1450 + 9),
        (nameless::<Mvd>("ez-dm.mvd", world), 1450 + 9),
    ] {
        let name = &part.name;
        let whole = Demo { name: name.clone(), bytes: testdata(name) };
        let board = |demo: &Demo| {
            let mut played = Played::new(demo);
            while played.block() {}
            let players = played.world.players().filter(|player| !player.name.is_empty());
            players
                .map(|player| (player.slot, player.name.to_vec(), player.frags, player.team.map(|t| t.to_vec())))
                .collect::<Vec<_>>()
        };
        assert!(board(&part).is_empty() && !board(&whole).is_empty(), "{name}");
        // A third one has them from the first.
        for parts in [vec![&whole, &part], vec![&whole, &part, &part]] {
            let (joined, account) = joined(&parts);
            assert_sound(&joined.bytes, name);
            assert_eq!(board(&joined), board(&whole), "{name}");
            let carried: Vec<_> = account.parts.iter().map(|part| part.players_carried).collect();
            assert_eq!((carried[0], carried[parts.len() - 1]), (0, board(&whole).len() as u64), "{name}");
            let (blocks, before) = (joined.blocks(), part.blocks());
            let longest = before.iter().map(Vec::len).max().unwrap();
            assert!(blocks.iter().all(|block| block.len() <= longest.max(most)), "{name}");
        }
        // Who tells of players tells of all.
        let (_, account) = joined(&[&part, &whole]);
        assert_eq!(account.parts[1].players_carried, 0, "{name}");
    }
}

/// What cannot go together is refused, with what differs.
#[test]
fn recordings_that_differ_are_refused() {
    let refused = |one: &str, other: &str| {
        let (a, b) = (testdata(one), testdata(other));
        let e = join([(one, &a[..]), (other, &b[..])], Limits::default(), Vec::new()).unwrap_err();
        assert!(matches!(e.kind, ErrorKind::Mismatch(_)), "{e}");
        e.to_string()
    };
    let text = refused("ez-dm.mvd", "ez-dm.qwd");
    assert!(text.contains("ez-dm.qwd") && text.contains("mvd and qwd are different formats"), "{text}");
    assert!(text.contains("qdemo info"), "{text}");
    let text = refused("dm13-15.dem", "e0m1-666.dem");
    assert!(text.contains("protocols 15 and 666"), "{text}");
    let none: [(&str, &[u8]); 0] = [];
    assert!(join(none, Limits::default(), Vec::new()).is_err());
    // Without its beginning, a level cannot be shown behind another one.
    let demo = testdata("dm13-15.dem");
    let mut headless = b"-1\n".to_vec();
    let mut reader = Reader::new(&demo[..], "dm13-15.dem", Limits::default()).unwrap();
    let mut blocks = 0;
    while let Some((chunk, bytes)) = reader.next_with_bytes().unwrap() {
        blocks += u32::from(chunk.block().is_some());
        if blocks > 100 {
            headless.extend(bytes);
        }
    }
    let e = join([("a.dem", &demo[..]), ("b.dem", &headless[..])], Limits::default(), Vec::new()).unwrap_err();
    assert!(e.to_string().contains("does not begin with a level"), "{e}");
}

/// Up to the first snapshot of a level of Quake III its clock shows nothing: not the level before, either.
#[test]
fn each_level_of_quake_3_begins_on_its_own_clock() {
    let names = ["oa-dm4.dm_71", "merge-a.dm_71"];
    let begins = |demo: &[u8]| -> Vec<_> {
        let mut spans = timeline(demo, names[0], Limits::default()).unwrap().spans;
        spans.retain(|span| matches!(span.kind, SpanKind::Level { .. }));
        spans.iter().map(|level| level.from.now).collect()
    };
    let demos = names.map(testdata);
    let alone = demos.each_ref().map(|demo| begins(demo)[0]);
    assert_ne!(alone[0], alone[1]);
    for [one, two] in [[0, 1], [1, 0]] {
        let inputs = [one, two].map(|at: usize| (names[at], &demos[at][..]));
        let (both, _) = join(inputs, Limits::default(), Vec::new()).unwrap();
        assert_eq!(begins(&both), [alone[one], alone[two]]);
        let mut told = Vec::new();
        let mut look = |event: &Event| {
            told.extend(matches!(event.kind, EventKind::Level { .. }).then_some(event.clock.now));
            Ok(())
        };
        events(&both[..], names[0], Limits::default(), &mut look).unwrap();
        assert_eq!(told, [None, None]);
    }
}

/// Servers look for the mark of a multi-view recording once, at the beginning of a file; behind it there are sizes alone.
/// (Source: `demo_read_first` and `demo_load_message` of Q2PRO.)
#[test]
fn the_mark_of_multi_view_recordings_stands_in_front_alone() {
    let name = "q2pro-dm.mvd2";
    let one = testdata(name);
    let (two, _) = join([(name, &one[..]), (name, &one[..])], Limits::default(), Vec::new()).unwrap();
    // Sizes of messages, as a server reads them.
    let messages = |demo: &[u8]| {
        assert!(demo.starts_with(b"MVD2"));
        let (mut rest, mut found) = (&demo[4..], Vec::new());
        while let [a, b, behind @ ..] = rest {
            let size = usize::from(u16::from_le_bytes([*a, *b]));
            found.push(behind[..size].to_vec());
            rest = &behind[size..];
        }
        assert_eq!(found.pop(), Some(Vec::new()), "the end mark");
        found
    };
    let (alone, joined) = (messages(&one), messages(&two));
    assert!(alone.iter().all(|message| !message.is_empty()));
    assert!(joined == [&alone[..], &alone[..]].concat());
}

/// Whatever the bytes, nothing panics, and what comes out can be read.
#[test]
fn damage_is_joined_without_a_panic() {
    let mut random = Random(0x5EED_0101);
    for name in
        ["dm13-15.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68", "oa-dm5.dm_66"]
    {
        let whole = testdata(name);
        let mut short = whole.clone();
        short.truncate(30_000);
        for _ in 0..rounds(40) {
            let (mut one, mut two) = (short.clone(), short.clone());
            random.damage(&mut one);
            random.damage(&mut two);
            if let Ok((bytes, _)) = join([(name, &one[..]), (name, &two[..])], Limits::default(), Vec::new()) {
                let mut reader = Reader::new(&bytes[..], name, Limits::default()).unwrap();
                while reader.next_chunk().unwrap().is_some() {}
            }
        }
    }
}
