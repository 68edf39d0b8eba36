//! What commands of made recordings tell: chat, flags, who comes and goes.

use qdemo::event::{EventKind, FlagAction};
use qdemo::format::dm3::EntityField;

use super::made::{Made, eyes, player};

/// The engine carries commands out one after the other: so does who watches, however many come at once.
#[test]
fn each_command_of_a_block_counts() {
    let mut made = Made::new(68, r"\gamename\baseq3\g_gametype\4", 0, &[1, 2]);
    let chat = "chat \"p1^7\x19: ^2bye\"".to_owned();
    let (goes, comes) = (r#"cs 545 """#.to_owned(), r#"cs 545 "n\new\t\1""#.to_owned());
    made.block(&[made.flag_status("00")], &eyes(0), &[]);
    made.block(&[made.flag_status("02"), made.flag_status("01"), chat, goes, comes], &eyes(0), &[]);
    let told = made.events().into_iter().filter_map(|event| match event.kind {
        EventKind::Join(player) => Some(format!("join {} {:?} {:?}", player.name, player.slot, player.team.as_deref())),
        EventKind::Leave(player) => {
            Some(format!("leave {} {:?} {:?}", player.name, player.slot, player.team.as_deref()))
        }
        EventKind::Rename(..) => Some("rename".to_owned()),
        EventKind::Chat(chat) => Some(format!("chat {:?}", chat.speaker.and_then(|who| who.slot))),
        EventKind::Flag { team, action, .. } => Some(format!("{team} {action:?}")),
        _ => None,
    });
    let expected = ["chat Some(1)", "leave p1 Some(1) Some(\"blue\")", "join new Some(1) Some(\"red\")", "blue Taken"];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

/// Some mods end what is said with a line end.
#[test]
fn chat_is_one_line() {
    for (protocol, info, command, text, raw) in [
        (68, r"\gamename\baseq3", "chat \"p0^7\x19: ^2hello\n\"", "hello", "^2hello\n"),
        (68, r"\gamename\cpma", "mm2 0 0 \"^2: \n\"", ": ", "^2: \n"),
        (
            68,
            r"\gamename\osp",
            "tchat \"\x19(p0^7\x19) (Quad)\x19: ^5come\there\n\n\"",
            "come here",
            "^5come\there\n\n",
        ),
        (90, r"\gamename\baseqz", "chat \"00 p0^7\x19: ^2no end\"", "no end", "^2no end"),
        (90, r"\gamename\baseqz", "bchat \"p0^7\x19: ^2no end\"", "no end", "^2no end"),
        (45, r"\gamename\baseq3", "chat \"p0^7: ^2hello\n\"", "hello", "^2hello\n"),
    ] {
        let mut made = Made::new(protocol, info, 0, &[0]);
        made.block(&[command.to_owned()], &eyes(0), &[]);
        let chat = made.events().into_iter().find_map(|event| match event.kind {
            EventKind::Chat(chat) => Some(chat),
            _ => None,
        });
        let chat = chat.unwrap();
        assert_eq!((&*chat.text, &*chat.text_raw), (text, raw.as_bytes()), "{info}");
        assert_eq!(chat.speaker.unwrap().slot, Some(0), "{info}");
    }
}

/// What one player alone is told (`SAY_TELL` in id's `g_cmds.c`) comes as chat, the name in brackets.
#[test]
fn private_chat() {
    for (protocol, line, name, private, location) in [
        (68, "chat \"\x19[p1^7\x19]\x19: ^6psst\"", "p1", true, None),
        (68, "chat \"\x19[p1^7\x19] (Quad)\x19: ^6psst\"", "p1", true, Some("Quad")),
        (90, "chat \"01 \x19[p1^7\x19]\x19: ^6psst\"", "p1", true, None),
        (68, "chat \"[p1]^7\x19: ^2psst\"", "[p1]", false, None),
    ] {
        let mut made = Made::new(protocol, r"\gamename\baseq3", 0, &[0, 0]);
        made.block(&[line.to_owned()], &eyes(0), &[]);
        let kind = made.events().into_iter().map(|event| event.kind).find(|kind| matches!(kind, EventKind::Chat(_)));
        let shown = kind.as_ref().map(ToString::to_string);
        assert_eq!(shown.as_deref(), Some("[p1]: psst"), "{line}");
        let Some(EventKind::Chat(chat)) = kind else { panic!() };
        let speaker = chat.speaker.unwrap();
        assert_eq!((&*speaker.name, speaker.slot), (name, private.then_some(1)), "{line}");
        assert_eq!((&*chat.text, chat.private, chat.location.as_deref()), ("psst", private, location), "{line}");
    }
}

/// A capture: the red flag is taken by 1, who is blue, and comes home 10 s later, with what tells of it.
fn capture(protocol: i32, info: &str, told: &[&str], sound: Option<i32>) -> Vec<(String, FlagAction, Option<usize>)> {
    let mut made = Made::new(protocol, info, 0, &[1, 2]);
    let scores = |blue: i32| match info.contains("cpma") {
        true => vec![format!(r#"cs 672 "\sr\0\sb\{blue}""#)],
        false => vec![r#"cs 6 "0""#.to_owned(), format!(r#"cs 7 "{blue}""#)],
    };
    made.block(&[scores(0), vec![made.flag_status("00")]].concat(), &eyes(0), &[]);
    let mut carrier = player(1, [8.0; 3], 0);
    carrier.set_int(EntityField::Powerups, 1 << if protocol == 91 { 1 } else { 7 });
    made.block(&[made.flag_status("10")], &eyes(0), &[(1, carrier)]);
    made.wait(200, &eyes(0), &[(1, carrier)]);
    let mut commands = vec![made.flag_status("00")];
    for what in told {
        match *what {
            "score" => commands.extend(scores(1)),
            text => commands.push(format!("print \"{text}\n\"")),
        }
    }
    let sounds: Vec<_> = sound.map(|parm| (99, made.sound(parm))).into_iter().collect();
    made.block(&commands, &eyes(0), &sounds);
    made.wait(5, &eyes(0), &sounds);
    // Nothing is said for long.
    made.wait(40, &eyes(0), &[]);
    made.flags()
}

#[test]
fn captures_by_mode() {
    let is = |action: FlagAction, by: Option<usize>| {
        let red = || "red".to_owned();
        vec![(red(), FlagAction::Taken, Some(1)), (red(), action, by)]
    };
    let (captured, returned) = (is(FlagAction::Captured, Some(1)), is(FlagAction::Returned, None));
    let live = r"\gamename\baseqz\g_gametype\5";
    let text = "BLUE TEAM CAPTURED the flag! (p1 captured in 0:10.053)";
    for (protocol, info) in [
        (68, r"\gamename\baseq3\g_gametype\4"),
        (68, r"\gamename\osp\g_gametype\4"),
        (68, r"\gamename\cpma\g_gametype\4"),
        (71, r"\gamename\baseoa\g_gametype\4"),
        (73, live),
        (90, live),
        (91, live),
    ] {
        // The sound, the text of the base game, that of Quake Live, or the score that ends the match.
        assert_eq!(capture(protocol, info, &[], Some(1)), captured, "{info}");
        assert_eq!(capture(protocol, info, &["p1 captured the RED flag!"], None), captured, "{info}");
        assert_eq!(capture(protocol, info, &[text], Some(15)), captured, "{info}");
        assert_eq!(capture(protocol, info, &["score"], None), captured, "{info}");
        assert_eq!(capture(protocol, info, &["score", text], Some(1)), captured, "{info}");
        assert_eq!(capture(protocol, info, &[], None), returned, "{info}");
    }
    // Where rounds are played, who wins one scores, and the flag goes home with it.
    for (protocol, info) in [
        (68, r"\gamename\cpma\g_gametype\7"),
        (73, r"\gamename\baseqz\g_gametype\11"),
        (90, r"\gamename\baseqz\g_gametype\11"),
        (71, r"\gamename\baseoa\g_gametype\9"),
    ] {
        assert_eq!(capture(protocol, info, &["score"], Some(17)), returned, "{info}");
        assert_eq!(capture(protocol, info, &["score"], Some(1)), captured, "{info}");
    }
    // The recording ends before anything more is told.
    let mut made = Made::new(68, r"\gamename\cpma\g_gametype\7", 0, &[1, 2]);
    for places in ["00", "01", "00"] {
        made.block(&[made.flag_status(places)], &eyes(0), &[]);
    }
    assert_eq!(made.flags().last(), Some(&("blue".to_owned(), FlagAction::Returned, None)));
}

/// The flag that both fight for: its configstring has one character, id's `oneFlagStatusRemap`.
#[test]
fn one_flag() {
    for protocol in [68, 71, 90] {
        let kind = if protocol == 90 { 6 } else { 5 };
        let game = if protocol == 90 { "baseqz" } else { "missionpack" };
        let mut made = Made::new(protocol, &format!(r"\gamename\{game}\g_gametype\{kind}"), 0, &[1, 2]);
        let text = |text: &str| format!("print \"{text}\n\"");
        made.block(&[r#"cs 6 "0""#.to_owned(), r#"cs 7 "0""#.to_owned(), made.flag_status("0")], &eyes(0), &[]);
        made.block(&[text("p0 got the flag!"), made.flag_status("2")], &eyes(0), &[]);
        made.wait(100, &eyes(0), &[]);
        made.block(&[made.flag_status("4")], &eyes(0), &[]);
        made.wait(100, &eyes(0), &[]);
        made.block(&[text("p1 got the flag!"), made.flag_status("3")], &eyes(0), &[]);
        made.wait(100, &eyes(0), &[]);
        made.block(&[r#"cs 7 "1""#.to_owned(), made.flag_status("0")], &eyes(0), &[]);
        use FlagAction::{Captured, Dropped, Taken};
        let told = [(Taken, 0), (Dropped, 0), (Taken, 1), (Captured, 1)];
        let told = told.map(|(action, who)| ("neutral".to_owned(), action, Some(who)));
        assert_eq!(made.flags(), told, "{protocol}");
    }
}

/// A flag that goes on to another player within a frame is told of both, and who brings it back has a name.
#[test]
fn flags_that_go_on() {
    let mut made = Made::new(68, r"\gamename\baseq3\g_gametype\4", 0, &[1, 2, 2]);
    made.block(&[made.flag_status("00")], &eyes(0), &[]);
    let took = |who: usize| format!("print \"p{who}^7 got the RED flag!\n\"");
    made.block(&[took(1), made.flag_status("10")], &eyes(0), &[]);
    made.block(&[made.flag_status("20"), took(2), made.flag_status("10")], &eyes(0), &[]);
    made.wait(100, &eyes(0), &[]);
    made.block(&[made.flag_status("20")], &eyes(0), &[]);
    made.wait(10, &eyes(0), &[]);
    made.block(&["print \"p0^7 returned the RED flag!\n\"".to_owned(), made.flag_status("00")], &eyes(0), &[]);
    use FlagAction::{Dropped, Returned, Taken};
    let told = [(Taken, 1), (Dropped, 1), (Taken, 2), (Dropped, 2), (Returned, 0)];
    assert_eq!(made.flags(), told.map(|(action, who)| ("red".to_owned(), action, Some(who))));
}
