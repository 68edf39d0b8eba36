//! Texts alone are read much faster, and are the same.

use crate::common::{self, all_dem, all_dm2, all_dm3, all_quakeworld, file_name};
use qdemo::Limits;
use qdemo::event::{Event, EventTag, Patterns};
use qdemo::replay::{Options, Pass, Step};

const TEXTS: [EventTag; 3] = [EventTag::Chat, EventTag::Print, EventTag::Center];

/// What is said, and how many things happened at all.
fn texts(demo: &[u8], name: &str, kinds: &[EventTag]) -> (Vec<Event>, usize) {
    let (mut found, mut all) = (Vec::new(), 0);
    let mut options = Options::default();
    options.kinds = kinds.to_vec();
    let mut note = |step: &Step<'_>| {
        all += step.events.len();
        found.extend(step.events.iter().filter(|event| TEXTS.contains(&event.kind.tag())).cloned());
        Ok(())
    };
    let done = Pass::new(Limits::default()).with(options).run(demo, name, &mut [&mut note]);
    (found, done.map_or(0, |_| all))
}

#[test]
fn texts_alone_are_the_same() {
    let (mut files, mut said, mut left_out) = (0, 0, 0);
    for path in [all_dem(), all_quakeworld(), all_dm2(), all_dm3()].concat() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let ((all, everything), (alone, few)) = (texts(&demo, &name, &[]), texts(&demo, &name, &TEXTS));
        for (one, other) in all.iter().zip(&alone) {
            // The time of a snapshot counts although it is damaged behind it.
            if common::is_broken(&path) {
                assert_eq!(one.kind, other.kind, "{name}");
            } else {
                assert_eq!(one, other, "{name}");
            }
        }
        assert_eq!(all.len(), alone.len(), "{name}");
        (files, said, left_out) = (files + 1, said + all.len(), left_out + everything - few);
    }
    let least = if common::shared("corpus").is_some() { (60, 5000) } else { (8, 40) };
    assert!(
        files >= least.0 && said >= least.1 && left_out > 0,
        "{files} files, {said} texts, {left_out} others left out"
    );
}

/// Texts of deaths that a user adds stand beside the built-in ones of the game, in every format that has such texts.
#[test]
fn added_deaths_lose_none_of_the_known_ones() {
    for name in ["ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2"] {
        let demo = common::testdata(name);
        let frags = |deaths: Option<Patterns>| {
            let mut options = Options::default();
            (options.kinds, options.deaths) = (vec![EventTag::Frag], deaths);
            let mut found = 0;
            let mut count = |step: &Step<'_>| {
                found += step.events.iter().filter(|event| event.kind.tag() == EventTag::Frag).count();
                Ok(())
            };
            Pass::new(Limits::default()).with(options).run(&demo[..], name, &mut [&mut count]).unwrap();
            found
        };
        let known = frags(None);
        assert!(known > 0, "{name} has deaths");
        assert_eq!(frags(Some(Patterns::parse("").unwrap())), known, "{name}");
    }
}
