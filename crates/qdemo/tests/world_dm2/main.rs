//! The world of Quake II recordings: what is derived from it is what the server sent, and what others say of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../quake2/build.rs"]
#[allow(dead_code, reason = "made for other tests too")]
mod build;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod made;

use std::collections::BTreeMap;

use common::{Random, all_dm2, file_name};
use qdemo::format::dm2::{Chunk as Piece2, InfoBuilder};
use qdemo::world::dm2::World as World2;
use qdemo::world::{DemoTime, Said, Scene, Seeker, World};
use qdemo::{Chunk, Limits, Reader};

/// Folds a recording and calls `each` after every chunk.
fn fold(demo: &[u8], name: &str, mut each: impl FnMut(&World2, &Piece2<'_>)) -> World2 {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let World::Dm2(mut world) = World::new(chunks.detected().format).expect(name) else { panic!("{name}") };
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Dm2(chunk) = chunk else { panic!() };
        world.fold(&chunk);
        each(&world, &chunk);
    }
    *world
}

/// Equal and not, by class.
type Count = BTreeMap<&'static str, u64>;

/// At any time the world is the same, however one came there.
#[test]
fn seeking_is_folding() {
    let mut made = vec![("made.dm2".to_owned(), made::long_recording())];
    made.extend(all_dm2().iter().map(|path| (file_name(path), std::fs::read(path).unwrap())));
    for (name, demo) in made {
        let mut seeker = Seeker::open(&demo, &name, Limits::default()).unwrap();
        let length = seeker.length().0;
        assert!(length > 0, "{name}");
        let mut random = Random(0x1234_5678);
        let mut times: Vec<DemoTime> = (0..20).map(|_| DemoTime(random.below(length as usize + 1) as i64)).collect();
        let jumped: BTreeMap<DemoTime, String> =
            times.iter().map(|t| (*t, format!("{:?}", seeker.seek(*t).to_json()))).collect();
        times.sort_unstable();
        let mut straight = Seeker::open(&demo, &name, Limits::default()).unwrap();
        straight.go_to(0);
        for time in times {
            while straight.next_time().is_some_and(|t| t <= time) {
                straight.step();
            }
            assert_eq!(format!("{:?}", straight.world().to_json()), jumped[&time], "{name} at {time}");
        }
    }
}

/// Facts about a recording are gathered in another way: level, players, clock and faults must be the same.
#[test]
fn the_facts_say_the_same() {
    let mut names = 0;
    for path in all_dm2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        for end in [demo.len(), demo.len() * 2 / 3] {
            let mut gather = InfoBuilder::default();
            let mut world = World2::default();
            let mut chunks = Reader::new(&demo[..end], &name, Limits::default()).unwrap();
            while let Some(Chunk::Dm2(chunk)) = chunks.next_chunk().unwrap() {
                let (ours, theirs) = (world.fold(&chunk), gather.chunk(&chunk));
                assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{name}");
                assert_eq!(world.clock().now, gather.time(), "{name}");
            }
            let info = gather.finish();
            let level = info.levels.last().unwrap();
            assert_eq!(world.level().map, level.map.as_bytes(), "{name}");
            assert_eq!(world.clock().frame, level.last_frame.map(i64::from), "{name}");
            assert_eq!(world.recorder(), usize::try_from(level.client).ok(), "{name}");
            let theirs: Vec<_> =
                info.players.iter().filter(|p| !p.left).map(|p| (usize::from(p.slot), p.name())).collect();
            let ours: Vec<_> = world.players().map(|p| (p.slot, p.clean_name())).filter(|p| !p.1.is_empty()).collect();
            assert_eq!(ours, theirs, "{name}");
            names += ours.len();
        }
    }
    assert!(names >= 20 || all_dm2().is_empty(), "{names}");
}

/// Whatever bytes stand in a file: the world says of faults what the facts say, and never more than there is.
#[test]
fn damaged_files() {
    let mut random = Random(7);
    let mut files = vec![made::long_recording()];
    files.extend(all_dm2().iter().map(|path| std::fs::read(path).unwrap()));
    for file in files {
        for _ in 0..6 {
            let mut bad = file[..file.len().min(60_000)].to_vec();
            for _ in 0..1 + random.below(20) {
                let at = random.below(bad.len());
                bad[at] = random.next() as u8;
            }
            let (mut gather, mut world) = (InfoBuilder::default(), World2::default());
            let mut chunks = Reader::new(&bad[..], "x.dm2", Limits::default()).unwrap();
            while let Some(chunk) = chunks.next_chunk().unwrap() {
                let Chunk::Dm2(chunk) = chunk else { break };
                let (ours, theirs) = (world.fold(&chunk), gather.chunk(&chunk));
                assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
                assert_eq!(world.clock().now, gather.time());
                assert!(world.is_complete() || world.entities().next().is_none());
            }
            qdemo::world::World::Dm2(Box::new(world)).to_json();
        }
    }
}

/// The server tells the recorder's own entity beside the player's state: two ways to the same place. A dead one moves
/// like a dead one. Others see the weapon that the recorder sees.
#[test]
fn two_messages_tell_the_same_player() {
    let mut seen = Count::new();
    for path in all_dm2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut weapons: BTreeMap<u32, BTreeMap<String, u64>> = BTreeMap::new();
        fold(&demo, &name, |world, _| {
            if !world.changes().frame {
                return;
            }
            let Some(state) = world.player_state() else { return };
            let mut add = |class| *seen.entry(class).or_default() += 1;
            let test = world.dialect().protocol == 25;
            if !test && state.pm_type != 1 && state.pm_type != 4 {
                // Those that differ have killed themselves: the game left the number on the status bar as it was.
                let dead = state.pm_type == 2 || state.pm_type == 3;
                add(if dead == (state.stat(1) <= 0) { "alive or dead alike" } else { "alive or dead: differs" });
            }
            let Some(entity) = world.recorder().and_then(|slot| world.entity_state(slot as u16 + 1)) else { return };
            if entity.modelindex != 255 {
                return;
            }
            let same = entity.origin() == state.origin();
            add(if same { "own entity at the same place" } else { "own entity elsewhere" });
            let yaw = (entity.angles()[1] - state.viewangles()[1]).rem_euclid(360.0);
            if state.pm_type == 0 {
                // Entities have 256 directions.
                add(if !(1.5..=358.5).contains(&yaw) { "own entity looks there too" } else { "own entity looks away" });
                // Up to 3.17 there is one model for all weapons of others.
                if state.guns.index != 0 && entity.modelindex2 == 255 && entity.skin >> 8 != 0 {
                    let view = String::from_utf8_lossy(world.model_name(state.guns.index)).into_owned();
                    *weapons.entry(entity.skin >> 8).or_default().entry(view).or_default() += 1;
                }
            }
        });
        for views in weapons.values() {
            let most = views.values().max().unwrap();
            *seen.entry("weapon alike").or_default() += most;
            *seen.entry("weapon: differs").or_default() += views.values().sum::<u64>() - most;
        }
    }
    eprintln!("{seen:#?}");
    if seen.is_empty() {
        return;
    }
    for (same, other) in [
        ("alive or dead alike", "alive or dead: differs"),
        ("own entity at the same place", "own entity elsewhere"),
        ("own entity looks there too", "own entity looks away"),
        ("weapon alike", "weapon: differs"),
    ] {
        let other = seen.get(other).copied().unwrap_or(0);
        assert!(seen[same] > 50 * other && seen[same] > 500, "{same}: {} and {other}", seen[same]);
    }
}

/// An obituary with the recorder as the killer raises the recorder's score by one, in the same packet; killing oneself
/// lowers it in a deathmatch.
#[test]
fn obituaries_change_the_score() {
    let mut seen = Count::new();
    for path in all_dm2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut before = 0;
        fold(&demo, &name, |world, _| {
            let Some(player) = world.recorder().and_then(|slot| world.player(slot)) else { return };
            let (own, frags) = (player.clean_name(), player.frags.unwrap_or(0));
            // In a cooperative game nobody's score falls.
            let deathmatch = !name.contains("coop");
            let mut due = None;
            for (_, text, _) in world.changes().texts().filter(|(said, ..)| *said == Said::Print(Some(1))) {
                let text = qdemo::wire::clean(text);
                let text = text.trim_end();
                let by_own = text.ends_with(&format!(" {own}")) || text.contains(&format!(" {own}'s "));
                match text.strip_prefix(&own) {
                    Some(" killed himself.") if deathmatch => due = Some(("killed oneself", -1)),
                    None if by_own => due = Some(("killed another one", 1)),
                    _ => {}
                }
            }
            if let Some((what, step)) = due.filter(|_| world.changes().frame) {
                assert_eq!(frags - before, step, "{name} at {}", world.clock().demo);
                *seen.entry(what).or_default() += 1;
            } else if frags != before {
                // Scores of a cooperative game count monsters; and matches begin.
                *seen.entry("otherwise").or_default() += 1;
            }
            before = frags;
        });
    }
    eprintln!("{seen:#?}");
    if !seen.is_empty() {
        assert!(seen["killed another one"] >= 6 && seen["killed oneself"] >= 3 && seen["otherwise"] <= 4);
    }
}
