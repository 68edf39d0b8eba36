//! Who dies, who kills, and what damage takes, where texts and messages do not say it in full.

use qdemo::event::EventKind;

use super::{begin, print, time, told};

/// `clientdata` of the recorder: health and items.
fn client(health: i16, items: u32) -> Vec<u8> {
    [&[15, 0, 2][..], &items.to_le_bytes(), &health.to_le_bytes(), &[0; 6]].concat()
}

/// Servers of Quake rename nobody, and all are called `player` who choose no name. Whose score changes in the block of the text
/// is whom it means.
#[test]
fn scores_tell_players_of_a_name_apart() {
    let frags = |slot: u8, frags: i8| vec![14, slot, frags as u8, 0];
    let all = told(&[
        begin(1, &["player", "player", "Ann"]),
        [time(1.0), print("Ann rides player's rocket\n"), frags(1, 1)].concat(),
        [time(2.0), print("player rides player's rocket\n"), frags(0, 1)].concat(),
        [time(3.0), print("player becomes bored with life\n"), frags(1, 0)].concat(),
        // One who had both, and two who had one each.
        [time(4.0), print("Ann rides player's rocket\n"), frags(0, 2)].concat(),
        [time(5.0), print("Ann rides player's rocket\n"), frags(0, 3), frags(1, 1)].concat(),
        // Nothing tells who dies, but that it is the recorder.
        [time(6.0), print("player rides Ann's rocket\n"), frags(2, 1)].concat(),
        [time(7.0), client(100, 0)].concat(),
        [time(8.0), client(-3, 0)].concat(),
        [print("player rides Ann's rocket\n"), frags(2, 2)].concat(),
    ]);
    let slots: Vec<_> = all
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Frag(frag) => Some((frag.attacker.as_ref().and_then(|who| who.slot), frag.victim.slot)),
            _ => None,
        })
        .collect();
    let expected = [
        (Some(1), Some(2)),
        (Some(0), Some(1)),
        (Some(1), Some(1)),
        (Some(0), Some(2)),
        (None, Some(2)),
        (Some(2), None),
        (Some(2), Some(0)),
    ];
    assert_eq!(slots, expected);
}

/// `ClientObituary` of `client.qc` names who kills a team mate, and not whom. Texts come in blocks of their own behind the
/// frame, or in front of it in one.
#[test]
fn team_mates_who_die_are_the_recorder_if_nobody_else_can_be_told() {
    let mows = || print("James checks his glasses\n");
    let all = told(&[
        begin(1, &["ranger", "James", "Ann"]),
        [time(1.0), client(100, 0)].concat(),
        // Somebody else, as the recorder lives.
        mows(),
        [time(2.0), client(-5, 0)].concat(),
        mows(),
        mows(),
        [time(4.0), client(100, 0)].concat(),
        [time(5.0), mows(), client(-1, 0)].concat(),
        [time(7.0), client(100, 0)].concat(),
        // A text tells who killed the recorder.
        [time(8.0), client(-9, 0)].concat(),
        [print("ranger rides Ann's rocket\n"), mows()].concat(),
        [time(9.0), client(100, 0)].concat(),
        // The recorder kills one and dies of it.
        [time(10.0), client(-3, 0)].concat(),
        print("ranger checks his glasses\n"),
    ]);
    let victims: Vec<_> = all
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Frag(frag) => Some(frag.victim.slot),
            _ => None,
        })
        .collect();
    assert_eq!(victims, [None, Some(0), None, Some(0), Some(0), None, None]);
}

/// What `T_Damage` of `combat.qc` says is taken where a pentagram, the god mode or a rule for team mates protects: armour
/// alone. Nobody loses more health than there is, and one byte tells 50,000 as 80.
#[test]
fn damage_takes_what_is_there() {
    let hurt = |save: u8, take: u8| [&[19, save, take][..], &[0; 6]].concat();
    let pentagram = 1 << 20;
    let frames = [
        (hurt(0, 0), client(100, 0)),
        (hurt(5, 10), client(90, 0)),
        // Healed in the same frame.
        (hurt(0, 10), client(95, 0)),
        (hurt(7, 30), client(95, 0)),
        (vec![], client(95, pentagram)),
        // Of a megahealth a point goes each second.
        (hurt(9, 160), client(94, pentagram)),
        (hurt(1, 80), client(-99, 0)),
        (hurt(0, 40), client(-139, 0)),
        (hurt(0, 20), client(80, 0)),
    ];
    let blocks = frames.iter().zip(1..).map(|((hurt, client), n)| [&time(n as f32)[..], client, hurt].concat());
    let all = told(&[begin(1, &["ranger"])].into_iter().chain(blocks).collect::<Vec<_>>());
    let taken: Vec<_> = all
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Damage(it) => Some((it.amount, it.taken)),
            _ => None,
        })
        .collect();
    let expected = [
        (0, None),
        (15, Some(15)),
        (10, Some(10)),
        (37, Some(7)),
        (169, Some(9)),
        (81, Some(95)),
        (40, Some(0)),
        (20, Some(20)),
    ];
    assert_eq!(taken, expected);
}
