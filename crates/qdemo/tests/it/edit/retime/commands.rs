//! Server commands of Quake III, and times that configstrings tell.

use qdemo::edit::TimeMap;
use qdemo::format::{Format, dm3};
use qdemo::replay::World;
use qdemo::world::{DemoTime, Scene};
use qdemo::{Chunk, Limits, Reader};

use super::{ms, run};
use crate::common::testdata;

/// Times at which a block has both a snapshot and a server command in front of it, and whether the numbers of commands rise.
fn commands(bytes: &[u8], name: &str) -> (Vec<DemoTime>, bool) {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut decoder = dm3::Decoder::new(dm3::Dm3::first_dialect(reader.detected().protocol));
    let (mut times, mut last, mut rise) = (Vec::new(), 0, true);
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        let Chunk::Dm3(dm3::Chunk::Block(block)) = &chunk else { continue };
        let (mut told, mut before) = (false, None);
        for message in decoder.read(block).0.messages {
            match message {
                dm3::Message::Gamestate(gamestate) => last = gamestate.server_command_sequence,
                dm3::Message::ServerCommand(command) => {
                    rise &= before.is_none_or(|before| command.seq > before);
                    told |= command.seq > last;
                    (before, last) = (Some(command.seq), last.max(command.seq));
                }
                dm3::Message::Snapshot(_) if told => times.push(world.clock().demo),
                _ => {}
            }
        }
    }
    (times, rise)
}

/// Engines pass over a server command whose number is not above that of the last one: those that are told again come behind
/// what the recording has in the same packet.
#[test]
fn numbers_of_server_commands_rise_where_strings_are_told_again() {
    let mut told_again = 0;
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        let bytes = testdata(name);
        let (times, rise) = commands(&bytes, name);
        assert!(rise, "{name}");
        for at in times.into_iter().filter(|at| at.0 > 0).take(8) {
            let (out, _) = run(&bytes, name, &TimeMap::freeze(at, ms(5_000)).unwrap()).unwrap();
            assert!(commands(&out, name).1, "{name}: {at}");
            told_again += 1;
        }
    }
    assert!(told_again > 8, "{told_again}");
}

/// A recording of a module and protocol whose server tells some configstrings, each in two blocks, as servers repeat what is
/// not acknowledged; and all its commands.
fn told_twice(protocol: i32, module: &str, strings: &[String]) -> (Vec<u8>, String) {
    telling(protocol, module, |n| match n {
        2 | 3 => (1..).zip(strings.iter().cloned()).collect(),
        _ => Vec::new(),
    })
}

/// A recording of a module and protocol with eight snapshots, from 100000 ms on and 50 ms apart; and the server's commands in
/// front of each, with their numbers.
fn telling(protocol: i32, module: &str, told: impl Fn(i32) -> Vec<(i32, String)>) -> (Vec<u8>, String) {
    use dm3::{Configstring, Dialect, Dm3, Gamestate, Message, Packet, ServerCommand, Snapshot};
    let d = Dialect::by_protocol(protocol).unwrap();
    let mut level = Gamestate::new(0, 0, 0, &d);
    let info = format!(r"\protocol\{protocol}\mapname\q3dm6\gamename\{module}");
    level.items = vec![Configstring { index: 0, value: info.as_str().into() }.into()];
    let mut demo = qdemo::demo::Recording::<Dm3>::new(Some(protocol));
    demo.push(Packet::new(1, 0, vec![level.into()], &d));
    for n in 0..8 {
        let command = |(seq, text): (i32, String)| ServerCommand { seq, value: text.as_str().into() };
        let mut messages: Vec<Message> = told(n).into_iter().map(command).map(Message::from).collect();
        messages.push(Snapshot::new(100_000 + 50 * n, &d).into());
        demo.push(Packet::new(2 + n, 0, messages, &d));
    }
    (demo.to_bytes().unwrap(), format!("x.dm_{protocol}"))
}

/// The commands of a recording.
fn texts(bytes: &[u8], name: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (_, packet) in qdemo::demo::Recording::<dm3::Dm3>::read(bytes.to_vec(), name).unwrap().packets() {
        for message in packet.messages {
            if let dm3::Message::ServerCommand(command) = message {
                all.push(String::from_utf8(command.value.0).unwrap());
            }
        }
    }
    all
}

/// Times in configstrings go with the clock; lengths of what has been, and numbers that tell of no time, stay. A command that is
/// told again is what it was.
#[test]
fn times_in_configstrings_are_retimed_each_time_they_are_told() {
    let live = [
        (r#"cs 5 "\time\109000""#, r#"cs 5 "\time\209000""#),
        (r#"cs 5 "\time\-1""#, r#"cs 5 "\time\-1""#),
        (r#"cs 13 "90000""#, r#"cs 13 "190000""#),
        (r#"cs 661 "\time\105000\round\10\turn\1\state\1""#, r#"cs 661 "\time\205000\round\10\turn\1\state\1""#),
        (r#"cs 662 "99000""#, r#"cs 662 "199000""#),
        (r#"cs 663 "99000""#, r#"cs 663 "99000""#),
        (r#"cs 669 "99500""#, r#"cs 669 "199500""#),
    ];
    let cpma = [
        (r#"cs 672 "tw\110000\ts\0\td\0\te\0\vt\0""#, r#"cs 672 "tw\210000\ts\0\td\0\te\0\vt\0""#),
        (
            r#"cs 672 "tw\0\ts\60000\td\9000\te\30000\vt\99000""#,
            r#"cs 672 "tw\0\ts\160000\td\9000\te\30000\vt\199000""#,
        ),
        (r#"cs 5 "110000""#, r#"cs 5 "210000""#),
    ];
    for (protocol, module, strings) in [(73, "baseq3", &live[..]), (90, "baseq3", &live), (68, "cpma", &cpma)] {
        let told: Vec<_> = strings.iter().map(|(told, _)| (*told).to_owned()).collect();
        let due: Vec<_> = strings.iter().map(|(_, due)| (*due).to_owned()).collect();
        let (bytes, name) = told_twice(protocol, module, &told);
        assert_eq!(texts(&bytes, &name), [told.clone(), told].concat(), "{protocol}");
        let (out, _) = run(&bytes, &name, &TimeMap::shift(100_000)).unwrap();
        assert_eq!(texts(&out, &name), [due.clone(), due].concat(), "{protocol}");
    }
}

/// A server tells the same time again when it has come: in the output it is one time too, and it is when the output shows that
/// moment. What was before the level is shown was as long before. A speed of 2 makes 150 ms of 300.
#[test]
fn a_time_told_again_is_the_same_time() {
    let line = |ts: i32| format!(r#"cs 672 "tw\0\ts\{ts}\td\0\te\0\vt\0""#);
    // At 100100 to come in 100 ms; at 100300 and 100350 it has come. That of 100150 is told late.
    let told = |n: i32| match n {
        2 => vec![(1, line(100_200))],
        3 => vec![(2, line(100_150))],
        5 => vec![(3, line(100_150))],
        6 => vec![(4, line(100_200))],
        7 => vec![(5, line(100_200)), (6, line(60_000))],
        _ => Vec::new(),
    };
    let (bytes, name) = telling(68, "cpma", told);
    let told_as = |map: &TimeMap| texts(&run(&bytes, &name, map).unwrap().0, &name);
    let all = |early: i32, late: i32| [late, early, early, late, late, 60_000].map(line);
    assert_eq!(told_as(&TimeMap::speed(2.0, None).unwrap()), all(100_075, 100_100));
    assert_eq!(told_as(&TimeMap::speed(0.5, None).unwrap()), all(100_300, 100_400));
    // From 100 to 250 ms it is twice as fast: the part behind it shows the same times.
    let part = TimeMap::speed(2.0, Some((ms(100), ms(250)))).unwrap();
    assert_eq!(told_as(&part), all(100_125, 100_150));
    // What was before it stands still stays when it was: nothing is told anew.
    assert_eq!(told_as(&TimeMap::freeze(ms(220), ms(1000)).unwrap()), all(100_150, 100_200));
}
