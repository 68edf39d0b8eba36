//! What others say about the same recordings.

use std::collections::BTreeMap;

use qdemo::game::quakeworld::info::InfoBuilder;
use qdemo::game::quakeworld::{World, stat};
use qdemo::replay::info::{Facts, info};
use qdemo::world::{Scene, TextKind};
use qdemo::{Chunk, Limits, wire::clean};
use serde_json::Value;

use super::{fold, has_corpus};
use crate::common::{self, all_mvd, all_quakeworld, all_qwd};

/// What is followed of a player through a match.
#[derive(Default)]
struct Followed {
    deaths: i64,
    alive: bool,
}

/// The statistics that the server's game module wrote into the recording know nothing of messages: it counted frags and
/// deaths by itself.
#[test]
fn the_game_module_counts_the_same() {
    let (mut files, mut players) = (0, 0);
    for path in all_mvd() {
        let name = common::file_name(&path);
        let demo = std::fs::read(&path).unwrap();
        let mut gather = InfoBuilder::new(true);
        let mut followed: BTreeMap<usize, Followed> = BTreeMap::new();
        let mut at_the_end = None;
        // Statistics come right after the match; later everybody starts again.
        fold(&demo, &name, |chunk, world| {
            if let Chunk::Mvd(chunk) = chunk {
                gather.record(chunk);
            }
            let begins = |(said, text, _): (TextKind, &[u8], _)| {
                matches!(said, TextKind::Print(_)) && clean(text).contains("The match has begun")
            };
            if world.changes().texts().any(begins) {
                followed.values_mut().for_each(|it| it.deaths = 0);
            }
            for slot in 0..World::SLOTS {
                if let Some(stats) = world.stats(slot) {
                    let it = followed.entry(slot).or_default();
                    let alive = stats.get(stat::HEALTH) > 0;
                    it.deaths += i64::from(it.alive && !alive);
                    it.alive = alive;
                }
            }
            if world.intermission().is_some() && at_the_end.is_none() {
                let deaths: Vec<_> = followed.iter().map(|(slot, it)| (*slot, it.deaths)).collect();
                at_the_end = Some((world.clone(), deaths));
            }
        });
        let Some(ktx) = gather.finish().ktx else { continue };
        let ktx: Value = serde_json::from_slice(&ktx).unwrap();
        let (world, deaths) = at_the_end.expect("a match that ended");
        files += 1;
        assert_eq!(ktx["map"], clean(world.level().map), "{name}");
        for player in ktx["players"].as_array().unwrap() {
            let raw: Vec<u8> = player["name"].as_str().unwrap().chars().map(|c| c as u32 as u8).collect();
            let ours = world.players().find(|p| *p.name == *raw && !p.spectator);
            let ours = ours.unwrap_or_else(|| panic!("{name}: nobody is called {}", clean(&raw)));
            let who = format!("{name}: {}", clean(&raw));
            assert_eq!(ours.frags.map(i64::from), player["stats"]["frags"].as_i64(), "{who}");
            let team: Vec<u8> = player["team"].as_str().unwrap().chars().map(|c| c as u32 as u8).collect();
            assert_eq!(ours.team.as_deref().unwrap_or_default(), team, "{who}");
            let colors = world.slot(ours.slot).unwrap().colors().map(|c| c.map(i64::from));
            assert_eq!(colors, [player["top-color"].as_i64(), player["bottom-color"].as_i64()], "{who}");
            let died = deaths.iter().find(|(slot, _)| *slot == ours.slot).unwrap().1;
            assert_eq!(Some(died), player["stats"]["deaths"].as_i64(), "{who}");
            players += 1;
        }
    }
    if has_corpus() {
        assert!(files >= 4 && players >= 14, "{files} files, {players} players");
    }
}

/// The facts of a recording are gathered without a world. Both must tell the same of it.
#[test]
fn facts_and_world_agree() {
    for path in all_quakeworld() {
        let name = common::file_name(&path);
        let demo = std::fs::read(&path).unwrap();
        let facts = match info(&demo[..], &name, Limits::default()).unwrap().facts {
            Facts::QuakeWorld(facts) => facts,
            _ => panic!("{name}: another game"),
        };
        let world = fold(&demo, &name, |_, _| {});
        let ours = super::quakeworld(&world);
        assert_eq!(facts.levels.len(), world.level().number as usize + 1, "{name}");
        let level = facts.levels.last().unwrap();
        assert_eq!((&*level.map, &*level.title), (&*clean(world.level().map), &*clean(world.level().title)), "{name}");
        assert_eq!(facts.serverinfo, ours.serverinfo(), "{name}");
        assert_eq!(facts.recorder.map(usize::from), world.recorder(), "{name}");
        assert_eq!(facts.spectator, ours.is_spectator(), "{name}");
        for player in facts.players.iter().filter(|p| !p.left) {
            let there = world.player(usize::from(player.slot)).unwrap();
            assert_eq!(player.name_raw(), &*there.name, "{name}");
            // Behind a match, facts keep the frags of its end.
            if facts.levels.len() == 1 {
                assert_eq!(player.frags.map(i32::from), there.frags, "{name}");
            }
            assert_eq!(player.is_spectator(), there.spectator, "{name}");
            assert_eq!(ours.slot(there.slot).unwrap().userinfo(), player.userinfo, "{name}");
        }
        let named = world.players().filter(|p| !p.name.is_empty()).count();
        assert_eq!(named, facts.players.iter().filter(|p| !p.left && !p.name_raw().is_empty()).count(), "{name}");
    }
}

/// A multi-view recording tells no velocity, but a client's does: players go where it points, and as far as the time
/// that passed lets them. Packet by packet only the direction can be held against it, since packets are late; over a
/// recording the lengths add up, but for a client that was too busy to move for all of the time (`merge-*.qwd`). The
/// units are those of the origin.
#[test]
fn velocities_tell_where_players_will_be() {
    let (mut along, mut all, mut in_time) = (0u32, 0u32, 0);
    for path in all_qwd() {
        let demo = std::fs::read(&path).unwrap();
        let mut before: Option<(f32, [f32; 3], [f32; 3])> = None;
        let (mut went, mut told) = (0.0, 0.0);
        fold(&demo, "x.qwd", |_, world| {
            if !world.changes().frame {
                return;
            }
            let Some(qdemo::error::Moment::Seconds(time)) = world.clock().now else { return };
            let Some(slot) = world.recorder() else { return };
            let now = world.player(slot).and_then(|p| Some((time, p.origin?, p.velocity?)));
            if let (Some((t0, from, v0)), Some((t1, to, v1))) = (before, now) {
                let dt = t1 - t0;
                let speed = v0[0].hypot(v0[1]);
                let steady = (0..3).all(|n| (v0[n] - v1[n]).abs() < 20.0);
                if steady && speed > 100.0 && (0.01..0.2).contains(&dt) {
                    let moved = [to[0] - from[0], to[1] - from[1]];
                    let ahead = (moved[0] * v0[0] + moved[1] * v0[1]) / speed;
                    let aside = (moved[0] * v0[1] - moved[1] * v0[0]).abs() / speed;
                    all += 1;
                    // Places are told to an eighth of a unit.
                    along += u32::from(ahead >= 0.0 && aside < 0.05 * speed * dt + 0.25);
                    went += ahead;
                    told += speed * dt;
                }
            }
            before = now;
        });
        if told > 0.0 {
            let ratio = went / told;
            assert!((0.5..1.05).contains(&ratio), "{}: {ratio} of the way", path.display());
            in_time += u32::from(ratio > 0.95);
        }
    }
    assert!(all > 100 && along * 100 > all * 97, "{along} of {all}");
    assert!(in_time >= 1, "no client kept up");
}
