//! What a recording adds up to, whatever bytes stand in it.

use std::collections::BTreeSet;
use std::fmt::Debug;

use qdemo::analysis::stats::{Period, stats};
use qdemo::analysis::summary::summary;
use qdemo::event::EventKind;
use qdemo::frame::Chunk;
use qdemo::replay::info::Builder;
use qdemo::replay::timeline::{SpanKind, timeline};
use qdemo::replay::{self, World};
use qdemo::world::{Scene, ScoreLine};
use qdemo::{Limits, Reader};

use super::{Samples, for_every_format};
use crate::common::{Random, file_name, rounds};

for_every_format!(
    world_and_facts_find_the_same_faults,
    damage_is_survived,
    a_part_of_a_level_at_the_beginning_is_the_first_level,
);

/// The world finds the faults that the facts find, at the same times, and never tells more than it knows. Facts that are
/// gathered beside a world are the same.
fn check(demo: &[u8], name: &str) {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let mut builder = Builder::new(chunks.detected());
    let Some(mut world) = World::new(chunks.detected()) else { return };
    let mut last = world.clock().demo;
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let (broken, time) = (builder.chunk(&chunk), builder.time());
        assert_eq!(world.apply(&chunk), broken, "{name}");
        // Facts of Quake go by the times of messages, its world by those of frames.
        if !matches!(world, World::Dem(_)) {
            // Between two levels one may go by the last frame while the other waits for the next.
            let now = world.clock().now;
            let between = world.level().number > 0 && time.is_none() != now.is_none();
            // As texts: a time of damaged bytes may be no number.
            let (now, time) = (format!("{now:?}"), format!("{time:?}"));
            assert!(now == time || between, "{name}: {now} and {time}");
        }
        assert!(world.clock().demo >= last, "{name}");
        last = world.clock().demo;
        // QuakeWorld tells of players apart from the list of entities.
        let apart = |player: Option<usize>| player.is_some() && matches!(world, World::QuakeWorld(_));
        if world.changes().frame {
            check_players(&world, name);
        }
        assert!(world.is_complete() || world.entities().all(|entity| apart(entity.player)), "{name}");
    }
    assert!(!world.to_json().is_empty());
    starts_anywhere(&world, name);
    let beside = summary(demo, name, Limits::default()).unwrap().info.facts;
    let alone = builder.finish();
    assert!(same(&beside, &alone), "{name}: {beside:?}, {alone:?}");
}

/// Texts, where there are values that are no numbers: damaged bytes may be such.
fn same<T: PartialEq + Debug>(one: &T, other: &T) -> bool {
    one == other || format!("{one:?}") == format!("{other:?}")
}

/// Parts of what is known of players, which are gathered for themselves.
fn check_players(world: &World, name: &str) {
    for slot in 0..world.player_slots() {
        let (player, line, place) = (world.player(slot), world.score_line(slot), world.place(slot));
        assert!(same(&line, &player.clone().map(ScoreLine::from)), "{name}: {line:?}, {player:?}");
        let parts = player.as_ref().and_then(|it| Some((it.origin?, it.angles, it.on_ground)));
        assert!(same(&place.map(|it| (it.origin, it.angles, it.on_ground)), &parts), "{name}: {place:?}, {player:?}");
    }
}

/// A full start of any world can be written, or there is an error; it holds no fault, and shows the same.
fn starts_anywhere(world: &World, name: &str) {
    let Ok(start) = world.keyframe() else { return };
    let mut again = World::of(start.detected(), start.name()).unwrap();
    start
        .each_chunk(|chunk| {
            assert_eq!(again.apply(chunk), None, "{name}");
            Ok(())
        })
        .unwrap();
    if again.level().number > 0 {
        assert_eq!(again.difference(world), None, "{name}");
    }
}

fn world_and_facts_find_the_same_faults<F: Samples>() {
    for path in F::recordings() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        check(&demo, &name);
        check(&demo[..demo.len() * 2 / 3], &name);
    }
}

/// In files with some bytes changed and in files that were cut, and nobody without a name joins a game.
fn damage_is_survived<F: Samples>() {
    let mut random = Random(11);
    let mut all: Vec<_> = F::recordings().iter().map(|path| std::fs::read(path).unwrap()).collect();
    all.extend([F::made(), F::short()].concat());
    all.retain(|demo| demo.len() > 64);
    let look = |demo: &[u8]| {
        check(demo, F::FILE);
        let _ = replay::events(demo, F::FILE, Limits::default(), &mut |event| {
            assert!(!matches!(&event.kind, EventKind::Join(who) if who.name.is_empty()));
            Ok(())
        });
    };
    let each = rounds(1_000).div_ceil(all.len()).min(40);
    for whole in all {
        let file = &whole[..whole.len().min(40_000)];
        for _ in 0..each {
            let mut bad = file.to_vec();
            for _ in 0..1 + random.below(20) {
                let at = random.below(bad.len());
                bad[at] = random.next() as u8;
            }
            look(&bad);
            look(&file[..1 + random.below(file.len())]);
        }
    }
}

/// Levels are counted as they come, from 0. A recording may begin within one: that is the first, and the one that a message
/// begins is the next, for texts alone as well.
fn a_part_of_a_level_at_the_beginning_is_the_first_level<F: Samples>() {
    let (demo, name) = (F::shipped(), F::SHIPPED);
    let mut chunks = Reader::new(&demo[..], name, Limits::default()).unwrap();
    let mut blocks = Vec::new();
    loop {
        let from = chunks.offset() as usize;
        let Some(chunk) = chunks.next_chunk().unwrap() else { break };
        if let Some(Chunk::Block(_)) = F::chunk(&chunk) {
            blocks.push(from);
        }
    }
    let (start, level) = demo.split_at(blocks[0]);
    let part = &demo[blocks[blocks.len() / 2]..blocks[blocks.len() * 3 / 4]];
    let behind = [start, part, level].concat();
    for texts_only in [false, true] {
        let mut chunks = Reader::new(&behind[..], name, Limits::default()).unwrap();
        let mut world = World::new(chunks.detected()).unwrap();
        if texts_only {
            world.only_texts();
        }
        let mut begun = 0;
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            world.apply(&chunk);
            begun += u32::from(world.changes().level);
            assert_eq!(world.level().number, begun, "{name}, texts only: {texts_only}");
        }
        assert_eq!(begun, 1, "{name}");
    }
    let spans = timeline(&behind[..], name, Limits::default()).unwrap().spans;
    let levels = spans.iter().filter(|span| matches!(span.kind, SpanKind::Level { .. })).count();
    let mut numbers = BTreeSet::new();
    let mut note = |period: Period| {
        numbers.insert(period.level);
        Ok(())
    };
    stats(&behind[..], name, Limits::default(), &mut note).unwrap();
    assert_eq!((levels, numbers), (2, BTreeSet::from([0, 1])), "{name}");
}
