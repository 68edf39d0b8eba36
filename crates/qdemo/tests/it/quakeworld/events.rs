//! Events of QuakeWorld recordings against the statistics of the game module and the score board in the same files.
#![allow(clippy::print_stdout, reason = "numbers of agreement are for people")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::common::{all_quakeworld, falls_cost_nothing, file_name, has_flags, ktx, need, root, shared};
use qdemo::event::{Certainty, Event, EventKind, FlagAction, Frag, FragKind, Patterns, Phase, PlayerRef};
use qdemo::replay::info::{Facts, info};
use qdemo::replay::timeline::{SpanKind, timeline};
use qdemo::replay::{Detector, World, events};
use qdemo::wire::clean;
use qdemo::world::{Scene, TextKind};
use qdemo::{Limits, Reader};

fn all_events(path: &Path) -> Vec<Event> {
    let demo = std::fs::read(path).unwrap();
    let mut all = Vec::new();
    events(&demo[..], &file_name(path), Limits::default(), &mut |event| {
        all.push(event.clone());
        Ok(())
    })
    .unwrap();
    all
}

/// Two levels of one map, the first with a match that was won 20 to 13: the second begins with the message that says so,
/// and what is told of frags behind it is not of the match.
#[test]
fn a_level_behind_a_match() {
    let Some(dir) = need("corpus/qwd") else { return };
    let name = "osm_quake__demo31.qwd";
    let Ok(demo) = std::fs::read(dir.join(name)) else { return };
    let all = all_events(&dir.join(name));
    let begins = all.iter().filter(|event| matches!(event.kind, EventKind::Level { .. }));
    let begins: Vec<_> = begins.map(|event| (event.block, event.clock.demo)).collect();
    let timeline = timeline(&demo[..], name, Limits::default()).unwrap();
    let levels = timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Level { .. }));
    let levels: Vec<_> = levels.map(|span| (span.block, span.from.demo)).collect();
    assert_eq!((begins.last(), begins.len()), (levels.last(), 2));
    let Facts::QuakeWorld(info) = info(&demo[..], name, Limits::default()).unwrap().facts else { panic!() };
    let mut frags: Vec<_> = info.players.iter().filter(|p| !p.is_spectator()).filter_map(|p| p.frags).collect();
    frags.sort_unstable();
    assert_eq!(frags, [13, 20]);
}

/// What a player did and suffered in a match.
#[derive(Debug, Default, PartialEq, Clone, Copy)]
struct Count {
    kills: i64,
    deaths: i64,
    team_kills: i64,
    suicides: i64,
}

/// The game module counted by itself, without messages.
#[test]
fn the_game_module_counts_the_same() {
    let (mut recordings_with, mut players) = (0, 0);
    for path in all_quakeworld().iter().filter(|p| p.extension().is_some_and(|e| e == "mvd")) {
        let Some(ktx) = ktx(path) else { continue };
        recordings_with += 1;
        let all = all_events(path);
        // Who is telefragged as everybody appears dies in the frame in which the match begins.
        let is_start = |e: &&Event| matches!(e.kind, EventKind::Match(Phase::Start | Phase::NextRound));
        let starts: Vec<_> = all.iter().filter(is_start).map(|e| e.clock.demo).collect();
        let mut counts: BTreeMap<Vec<u8>, Count> = BTreeMap::new();
        let mut runs = false;
        for event in all {
            match event.kind {
                EventKind::Match(Phase::Start | Phase::NextRound) => runs = true,
                EventKind::Match(Phase::End | Phase::Round) => runs = false,
                EventKind::Frag(frag) if runs || starts.contains(&event.clock.demo) => {
                    let by = frag.attacker.as_ref().map(|a| a.name_raw.clone()).unwrap_or_default();
                    counts.entry(frag.victim.name_raw.clone()).or_default().deaths += 1;
                    match frag.kind {
                        FragKind::Kill => counts.entry(by).or_default().kills += 1,
                        FragKind::TeamKill => counts.entry(by).or_default().team_kills += 1,
                        FragKind::Suicide => counts.entry(by).or_default().suicides += 1,
                        FragKind::World => {}
                    }
                }
                _ => {}
            }
        }
        for player in ktx["players"].as_array().unwrap() {
            let raw: Vec<u8> = player["name"].as_str().unwrap().chars().map(|c| c as u32 as u8).collect();
            let stat = |key: &str| player["stats"][key].as_i64().unwrap();
            let theirs = Count {
                kills: stat("kills"),
                deaths: stat("deaths"),
                team_kills: stat("tk"),
                suicides: stat("suicides"),
            };
            let ours = counts.remove(&raw).unwrap_or_default();
            assert_eq!(ours, theirs, "{} {}", file_name(path), player["name"]);
            players += 1;
        }
        assert!(counts.is_empty(), "{}: {counts:?}", file_name(path));
    }
    println!("{players} players of {recordings_with} recordings are equal");
    assert!(shared("corpus/mvd").is_none() || recordings_with >= 4 && players >= 14);
}

/// The rules of a game that change what a death does to scores, as the recording tells them.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// The game module takes nothing for a fall.
    free_falls: bool,
    /// A match is of rounds: HoonyMode says that "the point is over". One that somebody loses alone is a point for the
    /// other one.
    rounds: bool,
}

impl Rules {
    fn of(demo: &[u8], events: &[Event]) -> Rules {
        let rounds = events.iter().any(|event| event.kind == EventKind::Match(Phase::Round));
        Rules { free_falls: falls_cost_nothing(demo), rounds }
    }
}

/// What a death does to scores.
fn effect(frag: &Frag, rules: Rules) -> (Option<usize>, i32) {
    let attacker = frag.attacker.as_ref().and_then(|a| a.slot);
    match frag.kind {
        FragKind::Kill => (attacker, 1),
        FragKind::TeamKill => (attacker, -1),
        FragKind::World if rules.free_falls => (None, 0),
        FragKind::Suicide if rules.rounds => (frag.victim.slot.map(|slot| 1 - slot), 1),
        // Whoever gives up loses two.
        _ if frag.means == "suicide" => (frag.victim.slot, -2),
        _ => (frag.victim.slot, -1),
    }
}

/// What else Threewave's Capture the Flag gives points for, as its texts say behind the name.
const BONUSES: [(&str, i32); 6] = [
    (" killed the flag carrier, 2 bonus frags", 2),
    (" gets an assist for returning his flag!", 1),
    (" gets an assist for fragging the flag carrier!", 2),
    (" flag carrier against an agressive enemy", 2),
    (" flag carrier", 1),
    (" flag", 1),
];

/// The points of a line that says who defends, and the like.
fn bonus(line: &str) -> Option<(&str, i32)> {
    let (end, points) = BONUSES.iter().find(|(end, _)| line.ends_with(end))?;
    match line.split_once(" defends ") {
        Some((name, _)) => Some((name, *points)),
        None => Some((line.strip_suffix(end)?, *points)).filter(|_| *end != " flag" && *end != " flag carrier"),
    }
}

/// Deaths, and where teams play for flags a capture, 15 points and 10 for each of the team, and a return, one point.
#[test]
fn the_score_board_says_the_same() {
    let (mut equal, mut total, mut flags) = (0, 0, 0);
    for path in all_quakeworld() {
        let name = file_name(&path);
        let mut scores: BTreeMap<usize, (i32, i32)> = BTreeMap::new();
        let mut frags = 0;
        let all = all_events(&path);
        let rules = Rules::of(&std::fs::read(&path).unwrap(), &all);
        let mut players: BTreeMap<usize, PlayerRef> = BTreeMap::new();
        // Those who only watch have a team, too, and no score.
        let plays = |event: &&Event| matches!(event.kind, EventKind::Frag(_) | EventKind::Score { .. });
        for who in all.iter().filter(plays).flat_map(|event| event.kind.players()).flatten() {
            players.extend(who.slot.map(|slot| (slot, who.clone())));
        }
        // Who has had a score in the level at hand.
        let (mut levels, mut begun) = (0, BTreeSet::new());
        for event in all {
            match &event.kind {
                EventKind::Flag { action: FlagAction::Captured, player: Some(player), .. } => {
                    flags += 1;
                    for (slot, mate) in players.iter().filter(|(_, mate)| mate.team == player.team) {
                        scores.entry(*slot).or_default().0 += if mate.name == player.name { 15 } else { 10 };
                    }
                }
                EventKind::Flag { action: FlagAction::Returned, player: Some(player), .. } => {
                    flags += 1;
                    scores.entry(player.slot.unwrap()).or_default().0 += 1;
                }
                EventKind::Print { text, .. } => {
                    for (name, points) in text.lines().filter_map(bonus) {
                        let slot = players.iter().find(|(_, who)| who.name == name).map(|(slot, _)| *slot);
                        scores.entry(slot.unwrap_or_else(|| panic!("{text}"))).or_default().0 += points;
                    }
                }
                EventKind::Frag(frag) => {
                    frags += 1;
                    if let (Some(slot), n) = effect(frag, rules) {
                        scores.entry(slot).or_default().0 += n;
                    }
                }
                EventKind::Level { .. } => {
                    levels += 1;
                    begun.clear();
                }
                EventKind::Score { player, from, to } => {
                    // Another level begins with 0 for everybody.
                    let is_reset = begun.insert(player.slot) && levels > 1 && *to == 0;
                    scores.entry(player.slot.unwrap()).or_default().1 += if is_reset { 0 } else { to - from };
                }
                _ => {}
            }
        }
        println!("{name}: {frags} deaths, score and score board by slot: {scores:?}");
        total += frags;
        for (slot, (ours, board)) in scores {
            assert_eq!(ours, board, "{name}: slot {slot}");
            equal += 1;
        }
    }
    println!("{total} deaths, {flags} captures and returns, {equal} players are equal");
    assert!(shared("corpus/mvd").is_none() || total >= 1000 && equal >= 45);
    assert!(shared("corpus/qwd").is_none() || flags >= 25);
}

/// Flags as texts tell of them, and as players look in the same recording without those texts. The recorder does not see
/// everybody: what is seen late is what the last text about that player and flag said.
#[test]
fn players_look_as_the_texts_say() {
    let flags = |demo: &[u8], sure: fn(&Certainty) -> bool| {
        let mut all = Vec::new();
        events(demo, "x.qwd", Limits::default(), &mut |event| {
            if let EventKind::Flag { team, action, player } = &event.kind {
                assert!(sure(&event.certainty));
                all.push((event.clock.demo.0, team.clone(), *action, player.as_ref().and_then(|who| who.slot)));
            }
            Ok(())
        })
        .unwrap();
        all
    };
    let (mut all_told, mut all_seen, mut at_once, mut late) = (0, 0, 0, 0);
    for path in all_quakeworld() {
        let demo = std::fs::read(&path).unwrap();
        if !has_flags(&demo) {
            continue;
        }
        let told = flags(&demo, |sure| *sure == Certainty::Stated);
        // The texts end with other words, as long.
        let mut silent = demo;
        let places: Vec<_> =
            silent.windows(7).enumerate().filter(|(_, w)| *w == b"flag!\n\0").map(|(at, _)| at).collect();
        places.iter().for_each(|at| silent[*at..*at + 4].copy_from_slice(b"that"));
        let seen = flags(&silent, |sure| *sure != Certainty::Stated);
        for (at, team, action, player) in &seen {
            // Texts come up to three seconds after what they tell of.
            let of_both = |text: &&(i64, _, FlagAction, _)| {
                &text.1 == team && text.2 != FlagAction::Returned && text.3 == *player
            };
            let text = told.iter().filter(of_both).rfind(|text| text.0 <= at + 3_000_000);
            match text {
                Some(text) if text.2 == *action && text.0 + 3_000_000 >= *at => at_once += 1,
                Some(text) if text.2 == *action => late += 1,
                other => println!("{at} {team} {action:?} {player:?}: {other:?}"),
            }
        }
        all_told += told.len();
        all_seen += seen.len();
    }
    println!("{all_told} told, {all_seen} seen, {at_once} of these at once, {late} late");
    assert_eq!(at_once + late, all_seen);
    assert!(shared("corpus/qwd").is_none() || at_once >= 25);
}

/// The health of players tells of the same deaths as the texts. Who dies and lives again within a frame leaves no trace in
/// it: then the score board confirms the text. A recording of a client that became one of a server knows the health of one
/// player alone.
#[test]
fn whoever_has_no_health_died() {
    const MOMENT: i64 = 300_000;
    let (mut seen, mut confirmed) = (0, 0);
    for path in all_quakeworld().iter().filter(|p| p.extension().is_some_and(|e| e == "mvd")) {
        let demo = std::fs::read(path).unwrap();
        let name = file_name(path);
        let mut chunks = Reader::new(&demo[..], &name, Limits::default()).unwrap();
        let kind = chunks.detected().kind;
        let (mut world, mut detector) = (World::new(chunks.detected()).unwrap(), Detector::new(kind));
        let mut faded: Vec<(usize, i64)> = Vec::new();
        let (mut alive, mut known) = ([false; 32], [false; 32]);
        let mut all: Vec<Event> = Vec::new();
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            world.apply(&chunk);
            for (slot, was) in alive.iter_mut().enumerate() {
                let Some(player) = world.player(slot) else { continue };
                let health = player.health.unwrap_or(0);
                known[slot] |= health > 0;
                if std::mem::replace(was, health > 0) && health <= 0 {
                    faded.push((slot, world.clock().demo.0));
                }
            }
            all.extend_from_slice(detector.step(&world, &chunk));
        }
        all.extend_from_slice(detector.finish(&world));
        let near = |a: i64, b: i64| (a - b).abs() <= MOMENT;
        for event in &all {
            let EventKind::Frag(frag) = &event.kind else { continue };
            let (slot, at) = (frag.victim.slot.unwrap(), event.clock.demo.0);
            let trace = faded.iter().position(|(of, when)| *of == slot && near(*when, at));
            if let Some(trace) = trace {
                faded.swap_remove(trace);
                seen += 1;
                continue;
            }
            let by = if frag.kind == FragKind::Kill { frag.attacker.as_ref().unwrap().slot } else { Some(slot) };
            let score = |event: &Event| {
                matches!(&event.kind, EventKind::Score { player, .. } if player.slot == by)
                    && near(event.clock.demo.0, at)
            };
            assert!(!known[slot] || all.iter().any(score), "{name}: slot {slot} at {at}");
            confirmed += usize::from(known[slot]);
        }
        assert!(faded.is_empty(), "{name}: no text for {faded:?}");
    }
    println!("{seen} deaths seen, {confirmed} confirmed by the score board alone");
    assert!(shared("corpus/mvd").is_none() || seen > 600 && confirmed * 100 < seen);
}

/// Texts of the level of deaths that are none, by recording.
#[test]
fn texts_without_a_death() {
    for path in all_quakeworld() {
        let demo = std::fs::read(&path).unwrap();
        let name = file_name(&path);
        let mut chunks = Reader::new(&demo[..], &name, Limits::default()).unwrap();
        let kind = chunks.detected().kind;
        let (mut world, mut detector) = (World::new(chunks.detected()).unwrap(), Detector::new(kind));
        let (mut deaths, mut other) = (0, Vec::new());
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            world.apply(&chunk);
            let medium =
                |(said, text, _): &(TextKind, &[u8], _)| *said == TextKind::Print(Some(1)) && text.ends_with(b"\n");
            let texts: Vec<_> = world.changes().texts().filter(medium).map(|(_, text, _)| clean(text)).collect();
            let frags = detector.step(&world, &chunk).iter().filter(|e| matches!(e.kind, EventKind::Frag(_))).count();
            deaths += frags;
            // Of whom a team mate killed is told later.
            let later = ["his teammate\n", "a teammate\n", "his glasses\n", "another friend\n", "the other team\n"];
            if frags == 0 {
                other.extend(texts.into_iter().filter(|text| !later.iter().any(|end| text.ends_with(end))));
            }
        }
        deaths += detector.finish(&world).iter().filter(|e| matches!(e.kind, EventKind::Frag(_))).count();
        println!("{name}: {deaths} deaths, {} other texts {other:?}", other.len());
        // Capture the flag has texts of its own, and tells the time by them.
        if !has_flags(&demo) {
            assert!(other.iter().all(|text| text.starts_with("Spectator ")), "{name}: {other:?}");
        }
    }
}

#[test]
fn chat() {
    for name in ["ez-dm.mvd", "ez-dm.qwd"] {
        let said: Vec<_> = all_events(&root().join("testdata").join(name))
            .into_iter()
            .filter_map(|event| match event.kind {
                EventKind::Chat(chat) => Some((chat.speaker.unwrap().name, chat.text)),
                _ => None,
            })
            .collect();
        // What was typed at the server's console when the recording was made.
        assert_eq!(said, [("console".to_owned(), "server says hi".to_owned())], "{name}");
    }
    let (mut all, mut known, mut team) = (0, 0, 0);
    for path in all_quakeworld() {
        for event in all_events(&path) {
            if let EventKind::Chat(chat) = event.kind {
                all += 1;
                team += usize::from(chat.team);
                known += usize::from(chat.speaker.is_some_and(|who| who.slot.is_some()));
            }
        }
    }
    println!("{all} lines of chat, {known} of players, {team} for the team");
    assert!(known <= all);
}

/// A user's own texts.
#[test]
fn patterns_of_the_caller() {
    let demo = std::fs::read(root().join("testdata/ez-dm.mvd")).unwrap();
    let mut chunks = Reader::new(&demo[..], "ez-dm.mvd", Limits::default()).unwrap();
    let kind = chunks.detected().kind;
    let mine = Patterns::parse("suicide\t-\tpit\t{victim} fell to his death").unwrap();
    let (mut world, mut detector) = (World::new(chunks.detected()).unwrap(), Detector::with_patterns(kind, mine));
    let mut means = Vec::new();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        world.apply(&chunk);
        for event in detector.step(&world, &chunk) {
            if let EventKind::Frag(frag) = &event.kind {
                means.push((frag.kind, frag.means.to_string()));
            }
        }
    }
    assert!(!means.is_empty() && means.iter().all(|m| *m == (FragKind::Suicide, "pit".to_owned())), "{means:?}");
}
