//! Of whom a text tells: of which of several players of a name, of one who comes or takes another name in the same frame.

use super::*;
use qdemo::event::PlayerRef;

const SHOTGUN: u16 = 2;
const TELEFRAG: u16 = 18;

/// What happens in a recording, in words, of some kinds.
fn told(demo: &[u8], name: &str, is: impl Fn(&EventKind) -> bool) -> Vec<String> {
    let mut all = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        all.extend(is(&event.kind).then(|| event.kind.to_string()));
        Ok(())
    })
    .unwrap();
    all
}

type Death = (Option<usize>, Option<usize>, FragKind);

/// Who killed whom, by slots.
fn deaths(demo: &[u8], name: &str) -> Vec<Death> {
    let slot = |who: &PlayerRef| who.slot;
    let mut all = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        if let EventKind::Frag(frag) = &event.kind {
            all.push((frag.attacker.as_ref().and_then(slot), slot(&frag.victim), frag.kind));
        }
        Ok(())
    })
    .unwrap();
    all
}

fn print(level: u8, text: &str) -> Vec<u8> {
    [&[8, level][..], text.as_bytes(), &[0]].concat()
}

/// The game tells of the death of, or by, whoever comes in front of the name: KTX 1.42 on MVDSV 0.35, whose own numbers have it.
#[test]
fn a_death_in_front_of_a_name() {
    let mut made = Made::new(r"\deathmatch\3\mode\ffa\ktxver\1.42", DUEL);
    made.begin().damage(TELEFRAG, 4, 2, 9999).print(1, "b was telefragged by d\n").print(1, "e rides a's rocket\n");
    made.print(1, "b was turned by d\n").all(&userinfo(3, 13, r"\name\d")).all(&userinfo(4, 14, r"\name\e"));
    // In another frame it was another one's.
    made.wait(1000).print(1, "b rides f's rocket\n").wait(1000).all(&userinfo(5, 15, r"\name\f")).wait(1000);
    // Whoever takes a name is called so at once, and one whose name is never told is nobody.
    made.print(1, "g rides c's rocket\n").all(&userinfo(5, 15, r"\name\g")).damage(SHOTGUN, 9, 2, 20).wait(1000).end();
    let expected =
        [(Some(3), Some(1), FragKind::Kill), (Some(0), Some(4), FragKind::Kill), (Some(2), Some(5), FragKind::Kill)];
    assert_eq!(deaths(&made.bytes, "made.mvd"), expected);
    let hurts = told(&made.bytes, "made.mvd", |kind| matches!(kind, EventKind::Damage(_)));
    assert_eq!(hurts, ["d hurts b: 9999", "somebody hurts b: 20"]);
    // Each text is told once, and those of deaths are understood.
    let unknown = told(&made.bytes, "made.mvd", |kind| matches!(kind, EventKind::Print { unknown: true, .. }));
    assert_eq!(unknown, ["b was turned by d\n", "b rides f's rocket\n"]);
    let prints = told(&made.bytes, "made.mvd", |kind| matches!(kind, EventKind::Print { .. }));
    assert_eq!(prints.len(), 7);
}

/// Whoever is hurt and takes another name in the same frame is one player.
#[test]
fn a_name_taken_in_the_frame_of_damage() {
    const GUARDED: i32 = 1 << 20;
    let mut made = Made::new(r"\deathmatch\4\mode\ffa\ktxver\1.42", DUEL);
    made.begin().stats(1, 100, 0, ALL_WEAPONS | GUARDED).wait(500);
    // The pentagram ends: damage waits for the stats that tell it.
    made.damage(SHOTGUN, 2, 2, 44).all(&userinfo(1, 11, r"\name\x")).stats(1, 56, 0, ALL_WEAPONS).wait(1000).end();
    let period = made.period();
    let names: Vec<_> = period.players.iter().map(|player| &*player.who.name).collect();
    assert_eq!(names, ["a", "x", "c"]);
    assert_eq!(damage_done(&period, "x")[2], 44);
}

/// The score that changes in the block of a text tells which of two players it means, as servers send both at once
/// (`SV_UpdateToReliableMessages` of QuakeWorld's `sv_send.c`): where the game leaves the number out that the server puts in front
/// of a name, and where the server has given a name twice (MVDSV 0.35). (Two games of KTX 1.42, in which damage tells the same.)
#[test]
fn scores_tell_namesakes_apart() {
    for (name, named) in [(r"\name\(1)a", Some(0)), (r"\name\a", None)] {
        let mut made = Made::new(r"\deathmatch\3\mode\ffa", DUEL);
        made.all(&userinfo(1, 11, name)).all(&[frags(0, 0), frags(1, 0), frags(2, 0)].concat()).begin();
        let mut told = |text: &str, scores: &[(u8, i16)]| {
            let scores: Vec<_> = scores.iter().flat_map(|(slot, score)| frags(*slot, *score)).collect();
            made.all(&[print(1, text), scores].concat()).wait(1000);
        };
        told("a rides a's rocket\n", &[(1, 1)]);
        told("c rides a's rocket\n", &[(1, 2)]);
        told("a visits the Volcano God\n", &[(1, 1)]);
        told("a discovers blast radius\n", &[(0, -1)]);
        told("a rides a's rocket\n", &[(0, 0)]);
        // Nothing tells these.
        told("c rides a's rocket\n", &[]);
        told("a rides c's rocket\n", &[(2, 1)]);
        told("c rides a's rocket\na rides c's rocket\n", &[(0, 1), (1, 2), (2, 2)]);
        made.end();
        let expected = [
            (Some(1), Some(0), FragKind::Kill),
            (Some(1), Some(2), FragKind::Kill),
            (None, Some(1), FragKind::World),
            (Some(0), Some(0), FragKind::Suicide),
            (Some(0), Some(1), FragKind::Kill),
            (named, Some(2), FragKind::Kill),
            (Some(2), named, FragKind::Kill),
            (named, Some(2), FragKind::Kill),
            (Some(2), named, FragKind::Kill),
        ];
        assert_eq!(deaths(&made.bytes, "made.mvd"), expected, "{name}");
    }
}

/// Of two of the recorder's name the recorder dies whose health is gone with the text, and the other one where it is not.
#[test]
fn health_tells_the_recorder_apart() {
    for name in [r"\name\(1)me", r"\name\me"] {
        let begin = [
            stufftext("fullserverinfo \"\\deathmatch\\3\"\n"),
            [userinfo(3, 13, r"\name\me"), userinfo(0, 10, name), userinfo(1, 11, r"\name\bob")].concat(),
            [frags(0, 0), frags(1, 0), frags(3, 0)].concat(),
        ];
        let health = |value: u8| vec![3, 0, value];
        let dies = |score: i16| [print(1, "me rides bob's rocket\n"), frags(1, score)].concat();
        let packets = [
            CLIENT.data(),
            begin.concat(),
            health(100),
            [dies(1), health(0)].concat(),
            dies(2),
            health(100),
            dies(3),
            // Both in one block, without a score.
            [print(1, "me rides bob's rocket\nme rides bob's rocket\n"), health(0)].concat(),
            END.to_vec(),
        ];
        let demo: Vec<u8> = (1..).zip(&packets).flat_map(|(n, messages)| packet(n as f32, n, messages)).collect();
        let victims = deaths(&demo, "x.qwd").into_iter().map(|(_, victim, _)| victim.unwrap());
        assert_eq!(victims.collect::<Vec<_>>(), [3, 0, 0, 3, 0], "{name}");
    }
}
