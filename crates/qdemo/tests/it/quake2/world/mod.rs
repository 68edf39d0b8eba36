//! The world of Quake II recordings: what is derived from it is what the server sent, and what others say of it.

mod check;
mod made;

pub(crate) use made::long_recording;

use std::collections::BTreeMap;

use crate::common::{all_dm2, file_name, shared};
use qdemo::format::dm2::Chunk as Piece2;
use qdemo::game::quake2::World as World2;
use qdemo::game::quake2::info::InfoBuilder;
use qdemo::replay::World;
use qdemo::world::{Scene, TextKind};
use qdemo::{Chunk, Limits, Reader};

/// Folds a recording and calls `each` after every chunk.
fn fold(demo: &[u8], name: &str, mut each: impl FnMut(&World2, &Piece2<'_>)) -> World2 {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let World::Dm2(mut world) = World::new(chunks.detected()).expect(name) else { panic!("{name}") };
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Dm2(chunk) = chunk else { panic!() };
        world.apply(&chunk);
        each(&world, &chunk);
    }
    *world
}

/// Equal and not, by class.
type Count = BTreeMap<&'static str, u64>;

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
                let (ours, theirs) = (world.apply(&chunk), gather.chunk(&chunk));
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
    assert!(names >= if shared("corpus/dm2").is_some() { 20 } else { 1 }, "{names}");
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
    // In the one short recording that is shipped such a death counts for more.
    let (times, least) = if shared("corpus/dm2").is_some() { (50, 500) } else { (20, 50) };
    for (same, other) in [
        ("alive or dead alike", "alive or dead: differs"),
        ("own entity at the same place", "own entity elsewhere"),
        ("own entity looks there too", "own entity looks away"),
        ("weapon alike", "weapon: differs"),
    ] {
        let other = seen.get(other).copied().unwrap_or(0);
        assert!(seen[same] > times * other && seen[same] > least, "{same}: {} and {other}", seen[same]);
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
            for (_, text, _) in world.changes().texts().filter(|(said, ..)| *said == TextKind::Print(Some(1))) {
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
    if shared("corpus/dm2").is_some() {
        assert!(seen["killed another one"] >= 6 && seen["killed oneself"] >= 3 && seen["otherwise"] <= 4);
    }
}
