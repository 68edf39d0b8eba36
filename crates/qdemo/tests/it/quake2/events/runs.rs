//! Runs of the jump mod, and the lines that it prints.

use qdemo::Limits;
use qdemo::event::EventKind;
use qdemo::replay::info::{Facts, info};

use super::{all_events, begin, begin_in, print, recording, words};

/// As the jump mod prints them (`maplist_log`): in pieces, of which some have the level of chat; and to the player alone.
#[test]
fn runs_of_the_jump_mod() {
    let said = [
        (2, "beta finished in 12.345 seconds (PB "),
        (3, "-0.500 "),
        (2, "| 1st +1.250"),
        (2, ")\n"),
        (2, "beta finished in 11.000 seconds (1st "),
        (3, "-0.095 "),
        (2, "| "),
        (2, "1st completion)\n"),
        (3, "beta has set a 1st place.\n"),
        (2, "You finished in 101.500 seconds (PB +1.000 | 1st +90.500)\n"),
        // Of nobody who is there, and what a player says.
        (2, "Replaying beta who finished in 11.000 seconds (@here on 01/01/20)\n"),
        (3, "beta: stg finished in 1.000 seconds (not)\n"),
    ];
    let demo = recording(&[
        begin_in("jump", &["stg\\male/grunt", "beta\\female/athena"]),
        said.map(|(level, text)| print(level, text)).concat(),
    ]);
    let (mut runs, mut chat) = (Vec::new(), Vec::new());
    for event in all_events(&demo, "made.dm2").0 {
        match event.kind {
            EventKind::Run(run) => runs.push(run),
            EventKind::Chat(it) => chat.push(it.text),
            _ => {}
        }
    }
    let told = runs.iter().map(|run| (run.player.as_ref().and_then(|who| who.slot), run.digits()));
    let expected = [(Some(1), "12.345"), (Some(1), "11.000"), (Some(0), "101.500")];
    assert_eq!(told.collect::<Vec<_>>(), expected.map(|(slot, digits)| (slot, digits.to_owned())));
    assert_eq!(chat, ["stg finished in 1.000 seconds (not)"]);
    let Facts::Dm2(facts) = info(&demo[..], "made.dm2", Limits::default()).unwrap().facts else { panic!() };
    assert_eq!(facts.runs, runs);
}

/// Jump mods print a line at several levels, and chat behind what has no line end is chat.
#[test]
fn a_line_has_pieces_of_several_levels() {
    let run = [
        print(2, "stg finished in 11.000 seconds (PB "),
        print(3, "-1.345 "),
        print(2, "| 1st +0.500"),
        print(2, ")\n"),
        print(3, "beta: nice run\n"),
        print(2, "5 "),
    ];
    let demo = recording(&[begin(&["stg\\male/grunt", "beta\\female/athena"]), run.concat(), print(3, "beta: gg\n")]);
    let (all, _) = all_events(&demo, "made.dm2");
    let line = "stg finished in 11.000 seconds (PB -1.345 | 1st +0.500)";
    let expected = ["q2dm1 in 11.000 s", line, "beta: nice run", "beta: gg", "5"];
    let told: Vec<_> = words(&all).iter().map(|text| text.trim_end().to_owned()).collect();
    assert_eq!(told[1..], expected);
    let slots = all.iter().filter_map(|event| match &event.kind {
        EventKind::Chat(chat) => Some(chat.speaker.as_ref()?.slot),
        _ => None,
    });
    assert_eq!(slots.collect::<Vec<_>>(), [Some(1), Some(1)]);
}
