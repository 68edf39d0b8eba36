//! How matches ended and by which rules they were played, against another analyser's reading of the same recordings.

use crate::common::{file_name, is_broken, shared, told_by_others};
use qdemo::Limits;
use qdemo::analysis::stats::{Ending, PeriodKind, stats};

#[test]
fn others_say_the_same_of_matches() {
    let (mut matches, mut winners, mut pauses, mut scores) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for (path, told) in told_by_others().into_iter().filter(|(path, _)| !is_broken(path)) {
        let name = file_name(&path);
        let demo = std::fs::read(&path).unwrap();
        let mut periods = Vec::new();
        stats(&demo[..], &name, Limits::default(), &mut |period| {
            periods.push(period);
            Ok(())
        })
        .unwrap();
        for theirs in told["matchStats"].as_array().into_iter().flatten() {
            let end = theirs["endTime"].as_i64().unwrap();
            let near = |at: i64| (at - end).abs() < 500;
            let ours = periods.iter().filter(|p| p.kind == PeriodKind::Match && p.ended);
            let Some(period) = ours.into_iter().find(|p| p.end.ms().is_some_and(near)) else { continue };
            matches += 1;
            let context = format!("{name} up to {end}");
            let rules = &period.rules;
            let limit = |key: &str| theirs[key].as_i64();
            // Theirs are left out where they are 0, and in games that do not have them.
            for (key, ours) in [
                ("timeLimit", rules.time_limit),
                ("scoreLimit", rules.score_limit),
                ("fragLimit", rules.frag_limit),
                ("captureLimit", rules.capture_limit),
                ("roundLimit", rules.round_limit),
            ] {
                if let Some(limit) = limit(key) {
                    if ours != Some(limit) {
                        wrong.push(format!("{context}: {key} {ours:?} {limit}"));
                    }
                }
            }
            if let Some(date) = limit("startDateUnix") {
                if rules.started_at != Some(date) {
                    wrong.push(format!("{context}: {:?} {date}", rules.started_at));
                }
            }
            let gameplay = match theirs["gameplayShort"].as_str().unwrap() {
                "CPM" => Some("cpm"),
                "PQL" => Some("turbo"),
                _ => None,
            };
            if let Some(gameplay) = gameplay {
                if rules.gameplay.as_deref() != Some(gameplay) {
                    wrong.push(format!("{context}: {:?} {gameplay}", rules.gameplay));
                }
            }
            let game = period.game.as_ref().unwrap();
            let stood: Vec<_> = game.pauses.iter().map(|[from, to]| (from.ms().unwrap(), to.ms().unwrap())).collect();
            let times = theirs["timeOuts"].as_array().cloned().unwrap_or_default();
            // Of OSP's time-outs they know nothing.
            if period.rules.mod_version.as_deref().is_none_or(|version| !version.contains("OSP")) {
                assert_eq!(stood.len(), times.len(), "{context}");
                for ((from, to), theirs) in stood.iter().zip(&times) {
                    let [start, end] = ["startTime", "endTime"].map(|key| theirs[key].as_i64().unwrap());
                    assert!((from - start).abs() <= 50 && (to - end).abs() <= 50, "{context}: {from} {to} {theirs}");
                    pauses += 1;
                }
            }
            let forfeited = theirs["forfeited"].as_bool().unwrap();
            let over = period.ending == Some(Ending::Forfeit);
            if over != forfeited {
                wrong.push(format!("{context}: ended by {:?}, theirs forfeited: {forfeited}", period.ending));
            }
            let plain = |name: &str| name.to_owned();
            let winner = theirs["winner"].as_str().map(plain);
            if period.winner != winner {
                wrong.push(format!("{context}: {:?} theirs {winner:?} {:?}", period.winner, period.places));
            }
            winners += usize::from(winner.is_some());
            for (n, key) in ["first", "second"].iter().enumerate() {
                let Some(place) = period.places.get(n) else { continue };
                let (name, score) =
                    (theirs[format!("{key}PlaceName")].as_str(), theirs[format!("{key}PlaceScore")].as_i64());
                let ours = (Some(place.name.as_str()), Some(place.score));
                if ours != (name, score) {
                    wrong.push(format!("{context}: {ours:?} theirs {:?}", (name, score)));
                }
                scores += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    eprintln!("{matches} matches, {winners} winners, {scores} places, {pauses} pauses are equal");
    assert!(shared("oracle/udt").is_none() || matches >= 15 && winners >= 14 && pauses >= 1);
}
