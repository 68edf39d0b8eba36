//! Highlights against what the games count themselves.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{self, corpora, file_name, files, ktx, need, shared};
use qdemo::Limits;
use qdemo::analysis::highlight::{Criteria, Highlight, HighlightKind, highlights};
use qdemo::format::dm3::Array;
use qdemo::game::quake3::names::Game;
use qdemo::replay::{Options, Pass, Step, World};
use qdemo::world::DemoTime;

fn found(path: &Path, criteria: &Criteria) -> Vec<Highlight> {
    let demo = std::fs::read(path).unwrap();
    highlights(&demo[..], &file_name(path), Limits::default(), &Options::default(), criteria).unwrap().0
}

/// KTX tells the longest row of kills of each player.
#[test]
fn streaks_are_as_long_as_the_game_module_says() {
    if need("corpus/mvd").is_none() {
        return;
    }
    let mut players = 0;
    for path in common::all_mvd() {
        let Some(ktx) = ktx(&path) else { continue };
        let criteria = Criteria { streak: 1, ..Criteria::default() };
        let mut longest: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        for it in found(&path, &criteria).iter().filter(|it| it.kind == HighlightKind::Streak) {
            let most = longest.entry(it.player.name_raw.clone()).or_default();
            *most = it.count.max(*most);
        }
        for player in ktx["players"].as_array().unwrap() {
            let raw: Vec<u8> = player["name"].as_str().unwrap().chars().map(|c| c as u32 as u8).collect();
            let theirs = player["spree"]["max"].as_u64();
            let ours = longest.get(&raw).copied().map(u64::from);
            assert_eq!(ours.unwrap_or(0), theirs.unwrap_or(0), "{} {}", file_name(&path), player["name"]);
            players += 1;
        }
    }
    assert!(players >= 14, "{players}");
}

/// Quake III awards an "excellent" for a kill that follows another within three seconds, and counts them in the state of
/// the player who is seen.
#[test]
fn rows_of_kills_are_what_quake_3_awards() {
    let mut awards = 0;
    for path in common::all_dm3() {
        let demo = std::fs::read(&path).unwrap();
        let name = file_name(&path);
        let mut told: BTreeMap<usize, i32> = BTreeMap::new();
        let mut last: Option<(usize, i32)> = None;
        let mut seen = Vec::new();
        let mut look = |step: &Step<'_>| {
            let World::Dm3(world) = step.world else { return Ok(()) };
            let (Some(state), Some(slot)) = (world.player_state(), world.seen()) else { return Ok(()) };
            let count = state.slot(Array::Persistant, Game::of(world.dialect().layout.era).scores.excellent);
            if last.is_some_and(|(eyes, _)| eyes != slot) || last.is_none() {
                seen.push(slot);
            }
            if let Some((eyes, before)) = last {
                if eyes == slot && count > before {
                    *told.entry(slot).or_default() += count - before;
                }
            }
            last = Some((slot, count));
            Ok(())
        };
        let done = Pass::new(Limits::default()).run(&demo[..], &name, &mut [&mut look]);
        if done.is_err() {
            continue;
        }
        let criteria = Criteria { kills: 2, within: DemoTime::from_ms(3000), ..Criteria::default() };
        let mut ours: BTreeMap<usize, i32> = BTreeMap::new();
        for it in found(&path, &criteria).iter().filter(|it| it.kind == HighlightKind::MultiKill) {
            *ours.entry(it.player.slot.unwrap()).or_default() += it.count as i32 - 1;
        }
        seen.sort_unstable();
        seen.dedup();
        // Of those who are seen for a part of the time only, some awards are not told.
        for slot in &seen {
            let (told, ours) = [&told, &ours].map(|all| all.get(slot).copied().unwrap_or(0)).into();
            assert!(told == ours || seen.len() > 1 && told < ours, "{name}: slot {slot} has {told}, we say {ours}");
        }
        awards += told.values().sum::<i32>();
    }
    assert!(shared("corpus/q3").is_none() || awards >= 35, "{awards}");
}

/// Rail guns hit at once; the numbers of a highlight are those of its kind, and what was asked for.
#[test]
fn numbers_justify_what_is_found() {
    let mut kinds = BTreeMap::new();
    let mut all = common::all_dm3();
    all.extend(corpora("mvd").iter().flat_map(|dir| files(dir, "mvd")));
    let criteria = Criteria::default();
    for path in &all {
        let demo = std::fs::read(path).unwrap();
        let Ok((found, _)) = highlights(&demo[..], &file_name(path), Limits::default(), &Options::default(), &criteria)
        else {
            continue;
        };
        assert!(found.is_sorted_by_key(|it| it.clock.demo));
        for it in found {
            *kinds.entry(it.kind).or_insert(0) += 1;
            let proof = it.proof;
            match it.kind {
                HighlightKind::MultiKill => {
                    assert!(it.count >= 3 && it.lasted.0 <= i64::from(it.count - 1) * criteria.within.0, "{it:?}");
                }
                HighlightKind::Streak => assert!(it.count >= 5),
                HighlightKind::OneShot => assert!(it.count >= 2 && it.lasted.0 == 0 && !it.weapon.is_empty()),
                HighlightKind::MidAir => {
                    assert!(proof.airborne.unwrap() >= criteria.air && proof.height.unwrap().is_finite(), "{it:?}");
                }
                HighlightKind::Flick => {
                    let (degrees, time) = proof.turned.unwrap();
                    assert!((40.0..=180.0).contains(&degrees) && time <= criteria.turn_within, "{it:?}");
                }
            }
            assert!(it.victims.iter().all(|victim| victim.slot != it.player.slot));
        }
    }
    assert!(shared("corpus/q3").is_none() || kinds.len() == HighlightKind::ALL.len(), "{kinds:?}");
}
