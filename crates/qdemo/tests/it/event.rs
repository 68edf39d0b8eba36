//! The words for what happens.

use qdemo::event::{Chat, Damage, EventKind, FlagAction, Frag, FragKind, PlayerRef, Run};

fn player(slot: usize, name: &str, team: Option<&str>) -> PlayerRef {
    PlayerRef { slot: Some(slot), name: name.into(), name_raw: name.into(), team: team.map(str::to_owned) }
}

/// Killing a team mate is no kill where there are teams; players without a team, and all where nobody plays in teams,
/// have no mates. Who is known by name alone is not taken for the victim.
#[test]
fn what_a_death_counts_as() {
    let (red, mate, blue) = (player(0, "a", Some("red")), player(1, "b", Some("red")), player(2, "c", Some("blue")));
    let (alone, other) = (player(3, "d", None), player(4, "e", None));
    assert_eq!(FragKind::of(None, &red, true), FragKind::World);
    assert_eq!(FragKind::of(Some(&red), &red, true), FragKind::Suicide);
    assert_eq!(FragKind::of(Some(&red), &mate, true), FragKind::TeamKill);
    assert_eq!(FragKind::of(Some(&red), &mate, false), FragKind::Kill);
    assert_eq!(FragKind::of(Some(&red), &blue, true), FragKind::Kill);
    assert_eq!(FragKind::of(Some(&alone), &other, true), FragKind::Kill);
    let unknown = PlayerRef { slot: None, ..PlayerRef::default() };
    assert_eq!(FragKind::of(Some(&unknown), &PlayerRef { name: "f".into(), ..unknown.clone() }, true), FragKind::Kill);
}

/// Each kind of event names the players that it is about, who acts first.
#[test]
fn players_of_an_event() {
    let (a, b) = (player(0, "a", None), player(1, "b", None));
    let (text, text_raw) = (String::new(), Vec::new());
    let kills = |attacker| {
        let (weapon, means) = ("rl".into(), "rl".into());
        let (attacker_origin, victim_origin, kind) = (None, None, FragKind::Kill);
        EventKind::Frag(Frag { attacker, victim: b.clone(), weapon, means, kind, attacker_origin, victim_origin })
    };
    assert_eq!(kills(Some(a.clone())).players(), [Some(&a), Some(&b)]);
    assert_eq!(kills(None).players(), [None, Some(&b)]);
    let (attacker, victim) = (Some(a.clone()), Some(b.clone()));
    let hurt = Damage { attacker, victim, amount: 20, taken: None, means: "rl".into(), splash: false };
    assert_eq!(EventKind::Damage(hurt).players(), [Some(&a), Some(&b)]);

    let (who, item) = (Some(a.clone()), "ra".into());
    let (team, private, location) = (false, false, None);
    let speaks = Chat { speaker: who.clone(), text: text.clone(), text_raw: text_raw.clone(), team, private, location };
    let (map, totals, mode) = ("e1m1".into(), None, None);
    let run = Run { player: who.clone(), login: None, time: 20.0, precision: 1, from: "clock", map, totals, mode };
    for kind in [
        EventKind::Chat(speaks),
        EventKind::Join(a.clone()),
        EventKind::Leave(a.clone()),
        EventKind::Rename(a.clone(), "z".into()),
        EventKind::Team(a.clone(), None),
        EventKind::Score { player: a.clone(), from: 0, to: 1 },
        EventKind::Pickup { player: who.clone(), item },
        EventKind::Drop { player: who.clone(), item: "pack".into() },
        EventKind::Flag { team: "red".into(), action: FlagAction::Taken, player: who },
        EventKind::Run(run),
    ] {
        assert_eq!(kind.players(), [Some(&a), None], "{kind}");
    }
    assert_eq!(EventKind::Print { text, text_raw, unknown: false }.players(), [None, None]);
}
