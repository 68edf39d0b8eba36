//! Recordings built here: what each rule of the state makes of them.

use qdemo::world::{Scene, TextKind};

use super::fold;
use crate::mvd2::build::{VERSIONS, Version, demo};

/// No extended limits.
const PLAIN: Version = VERSIONS[1];

pub(super) fn frame(players: &[&[u8]], entities: &[&[u8]]) -> Vec<u8> {
    [&[6, 0], &players.concat()[..], &[255], &entities.concat(), &[0, 0]].concat()
}

pub(super) fn level(strings: &[(u16, &str)], players: &[&[u8]], entities: &[&[u8]]) -> Vec<u8> {
    let mut all = vec![4];
    all.extend(37u32.to_le_bytes());
    all.extend(2010u16.to_le_bytes());
    all.extend(7u32.to_le_bytes());
    all.extend(b"opentdm\0");
    all.extend(9i16.to_le_bytes());
    for (index, string) in strings {
        all.extend(index.to_le_bytes());
        all.extend(string.bytes());
        all.push(0);
    }
    all.extend(2080u16.to_le_bytes());
    all.extend(&frame(players, entities)[1..]);
    all
}

pub(super) const STRINGS: [(u16, &str); 8] = [
    (0, "The Edge"),
    (30, "16"),
    (33, "maps/q2dm1.bsp"),
    (34, "models/weapons/v_rail/tris.md2"),
    (1312, "stg\\male/grunt"),
    (1313, "a b\\female/athena"),
    (1321, "[MVDSPEC]\\male/grunt"),
    (1568, "general"),
];

/// Slot 0, in normal movement: x, y, z 100, 200, 300; looks 60 degrees down and 90 to the left; railgun; health 75,
/// score 3.
pub(super) fn standing() -> Vec<u8> {
    let mask = 0x1u16 | 0x2 | 0x4 | 0x10 | 0x200 | 0x4000;
    let mut all = vec![0];
    all.extend(mask.to_le_bytes());
    all.push(0);
    [800i16, 1600, 2400].iter().for_each(|v| all.extend(v.to_le_bytes()));
    [10_923i16, 16_384].iter().for_each(|v| all.extend(v.to_le_bytes()));
    all.push(2);
    all.extend((1u32 << 1 | 1 << 14).to_le_bytes());
    [75i16, 3].iter().for_each(|v| all.extend(v.to_le_bytes()));
    all
}

/// Slot 0 goes to x and y.
fn moved(x: i16, y: i16) -> Vec<u8> {
    [&[0, 2, 0], &x.to_le_bytes()[..], &y.to_le_bytes()].concat()
}

/// Entity 1 with a player's model, without a place.
const BODY: &[u8] = &[0x80, 0x08, 1, 255];
/// Entity 40 at x 100, y 200.
const ROCKET: &[u8] = &[0x03, 40, 0x20, 0x03, 0x40, 0x06];
const GONE: &[u8] = &[0x40, 40];

pub(super) fn print(level: u8, text: &str) -> Vec<u8> {
    [&[17, level], text.as_bytes(), &[0]].concat()
}

/// A print for one player.
pub(super) fn to(client: u8, level: u8, text: &str) -> Vec<u8> {
    let message = [&[10, level], text.as_bytes(), &[0]].concat();
    [&[9, message.len() as u8, client], &message[..]].concat()
}

pub(super) fn configstring(index: u16, text: &str) -> Vec<u8> {
    [&[5], &index.to_le_bytes()[..], text.as_bytes(), &[0]].concat()
}

/// Two levels with all that is tested here.
pub(crate) fn two_levels() -> Vec<u8> {
    let spectator: &[u8] = &[9, 0x01, 0x00, 1];
    demo(&[
        level(&STRINGS, &[&standing(), spectator], &[BODY, ROCKET]),
        frame(&[&moved(880, 1600)], &[]),
        frame(&[], &[GONE]),
        [configstring(1314, "new\\male/grunt"), frame(&[], &[&[0x02, 40, 0x80, 0x0C]])].concat(),
        [print(1, "a b was railed by stg\n"), to(0, 3, "stg: ha\n"), to(1, 3, "stg: ha\n"), frame(&[], &[])].concat(),
        frame(&[&[0, 0, 0x80]], &[&[0x40, 1]]),
        level(&[(0, "Tokay's Towers"), (33, "maps/q2dm2.bsp"), (1312, "stg\\male/grunt")], &[], &[ROCKET]),
        frame(&[], &[]),
    ])
}

/// What a test wants to know after each block.
fn each_block(demo: &[u8]) -> Vec<qdemo::game::quake2::multiview::World> {
    let mut all = Vec::new();
    fold(demo, |world| all.push(world.clone()));
    // The end mark.
    all.pop();
    all
}

#[test]
fn a_player_tells_where_its_entity_is() {
    let all = each_block(&two_levels());
    let player = all[0].player(0).unwrap();
    assert_eq!((player.origin, player.angles.unwrap()[1]), (Some([100.0, 200.0, 300.0]), 90.0));
    assert_eq!((player.health, player.frags, player.weapon.as_deref()), (Some(75), Some(3), Some("railgun")));
    assert_eq!((player.velocity, player.on_ground, player.entity), (None, None, Some(1)));
    let entity = all[0].entity(1).unwrap();
    assert_eq!((entity.origin, entity.player, &*entity.model), ([100.0, 200.0, 300.0], Some(0), &b"male/grunt"[..]));
    // A third of the pitch: 60 degrees.
    assert!((entity.angles[0] - 20.0).abs() < 0.01 && entity.angles[1] == 90.0 && entity.angles[2] == 0.0);
    // It moves with the player, although nothing is said of it.
    assert_eq!((all[1].entity(1).unwrap().origin, &all[1].changes().changed), ([110.0, 200.0, 300.0], &vec![1]));
    assert_eq!(all[1].game().entity_state(1).unwrap().old_origin(), [100.0, 200.0, 300.0]);
    assert!(all[4].changes().is_quiet());
}

#[test]
fn who_is_gone_comes_back_as_it_was() {
    let all = each_block(&two_levels());
    assert_eq!(all[0].changes().added, [1, 40]);
    assert_eq!(all[0].entity(40).unwrap().origin, [100.0, 200.0, 0.0]);
    assert_eq!((all[2].entity(40), &all[2].changes().removed), (None, &vec![40]));
    // Only y is told.
    assert_eq!((all[3].entity(40).unwrap().origin, &all[3].changes().added), ([100.0, 400.0, 0.0], &vec![40]));
    // Of the player the score stays.
    let gone = all[5].player(0).unwrap();
    assert_eq!((gone.origin, gone.health, gone.frags, gone.spectator), (None, None, Some(3), false));
    assert_eq!(all[5].changes().removed, [1]);
}

/// A beam's other end is told when it changes: until then it stays.
#[test]
fn beams_keep_their_ends() {
    // Number 50: render flags 128, model 1; x 10; the other end at 0 0 20.
    let beam: &[u8] = &[0x81, 0x98, 0x80, 0x01, 50, 1, 128, 80, 0, 0, 0, 0, 0, 160, 0];
    let x: &[u8] = &[0x01, 50, 160, 0];
    let all = each_block(&demo(&[level(&STRINGS, &[], &[beam, ROCKET]), frame(&[], &[]), frame(&[], &[x])]));
    let ends = |n: usize| {
        let state = all[n].game().entity_state(50).unwrap();
        (state.origin(), state.old_origin())
    };
    assert_eq!(ends(0), ([10.0, 0.0, 0.0], [0.0, 0.0, 20.0]));
    assert_eq!(ends(1), ends(0));
    assert_eq!(ends(2), ([20.0, 0.0, 0.0], [0.0, 0.0, 20.0]));
    assert_eq!(all[2].entity(50).unwrap().kind, "beam");
    // What is no beam was where it was.
    assert_eq!(all[1].game().entity_state(40).unwrap().old_origin(), [100.0, 200.0, 0.0]);
}

#[test]
fn levels_and_time() {
    let all = each_block(&two_levels());
    for (n, world) in all.iter().enumerate() {
        let clock = world.clock();
        assert_eq!((clock.ms(), clock.demo.ms(), clock.frame), (Some(n as i64 * 100), n as i64 * 100, Some(n as i64)));
        let second = n >= 6;
        let (map, title): (&[u8], &[u8]) = if second { (b"q2dm2", b"Tokay's Towers") } else { (b"q2dm1", b"The Edge") };
        assert_eq!((world.level().number, world.level().map, world.level().title), (u32::from(second), map, title));
        assert!(world.is_complete() && world.changes().frame && world.view().is_none());
        assert_eq!(world.changes().level, n == 0 || n == 6);
    }
    // The rocket of the level before is another one.
    assert_eq!((&all[6].changes().removed, &all[6].changes().added), (&vec![40], &vec![40]));
    assert_eq!(all[6].player(0).unwrap().frags, None);
}

#[test]
fn spectators_have_no_state() {
    let all = each_block(&two_levels());
    let spectators = |n: usize| -> Vec<_> { all[n].players().filter(|p| p.spectator).map(|p| p.slot).collect() };
    assert_eq!((spectators(0), all[0].recorder()), (vec![1, 9], Some(9)));
    assert_eq!(spectators(3), [1, 2, 9]);
    assert_eq!(spectators(5), [1, 2, 9]);
    // The one who is pretended has a state, of which nothing is said.
    let pretended = all[0].player(9).unwrap();
    assert!(all[0].game().client_state(9).is_some() && pretended.origin.is_none() && *pretended.name == *b"[MVDSPEC]");
}

#[test]
fn texts_have_their_readers() {
    let all = each_block(&two_levels());
    let texts: Vec<_> = all[4].changes().texts().collect();
    let (kill, chat): (&[u8], &[u8]) = (b"a b was railed by stg\n", b"stg: ha\n");
    let expected = [
        (TextKind::Print(Some(1)), kill, None),
        (TextKind::Print(Some(3)), chat, Some(0)),
        (TextKind::Print(Some(3)), chat, Some(1)),
    ];
    assert_eq!(texts, expected);
}

/// What one player is told in place of everybody's configstring changes nothing for the others.
#[test]
fn configstrings_of_one_player() {
    let string = [&b"\x0D"[..], &1568u16.to_le_bytes(), b"own\0"].concat();
    let unicast = [&[8, string.len() as u8, 1], &string[..]].concat();
    let layout = b"\x04client 0 32 0 12 40 5\0";
    let board = [&[9, layout.len() as u8, 9], &layout[..]].concat();
    let world = fold(&demo(&[level(&STRINGS, &[], &[]), [unicast, board].concat()]), |_| {});
    assert_eq!(world.game().configstrings().get(1568), b"general");
    assert_eq!((world.personal_string(1, 1568), world.personal_string(0, 1568)), (Some(&b"own"[..]), None));
    let player = world.player(0).unwrap();
    assert_eq!((player.frags, player.ping), (Some(12), Some(40)));
}

/// Without the level nothing is said of what the frames change; nor behind a frame that was lost.
#[test]
fn what_frames_build_on_may_be_missing() {
    let whole = [level(&STRINGS, &[&standing()], &[BODY, ROCKET]), frame(&[&moved(880, 1600)], &[]), frame(&[], &[])];
    let begun_late = demo(&whole[1..]);
    fold(&begun_late, |world| {
        assert!(!world.is_complete() && world.entities().next().is_none() && world.players().next().is_none());
    });
    // A command of a number that there is not, in place of a frame.
    let broken = [whole[0].clone(), vec![2], whole[1].clone(), whole[0].clone(), whole[2].clone()];
    let complete: Vec<_> = each_block(&demo(&broken)).iter().map(Scene::is_complete).collect();
    assert_eq!(complete, [true, false, false, true, true]);
    // Behind the frame it does no harm.
    let behind = [whole[0].clone(), [whole[1].clone(), vec![2]].concat(), whole[2].clone()];
    let all = each_block(&demo(&behind));
    assert!(all.iter().all(Scene::is_complete));
    assert_eq!(all[2].player(0).unwrap().origin, Some([110.0, 200.0, 300.0]));
    let missing: Vec<_> = each_block(&demo(&broken)).iter().map(|world| world.game().missing_bases()).collect();
    assert_eq!(missing, [0, 0, 1, 1, 1]);
}

/// A recording that is about one player shows what that one sees.
#[test]
fn one_point_of_view() {
    let mut single = level(&STRINGS, &[&standing()], &[BODY]);
    // The flags are the highest bits of the number.
    single[0] |= 2 << 5;
    let world = fold(&demo(&[single]), |_| {});
    let view = world.view().unwrap();
    assert_eq!((view.slot, view.origin, view.angles[1]), (Some(0), Some([100.0, 200.0, 300.0]), 90.0));
    let player = world.player(0).unwrap();
    assert_eq!((world.recorder(), player.seen_through, player.health), (Some(0), true, Some(75)));
    assert_eq!(world.flags(), 2);
}

/// Every field, in every minor version.
#[test]
fn fields_of_all_versions() {
    for version in VERSIONS {
        let world = fold(&version.demo(), |_| {});
        let game = world.game();
        // Flag 2: it is about one player.
        let single = version.flags & 2 != 0;
        let state = if single { game.player_state() } else { game.client_state(0) }.unwrap();
        assert_eq!((state.pm_type, state.fov, state.rdflags, state.stat(31)), (4, 90, 2, 31), "{version:?}");
        assert_eq!((state.viewangles(), state.viewoffset()), ([45.0, -90.0, 90.0], [0.0, 0.0, 22.0]), "{version:?}");
        assert_eq!((state.gun_offset(), state.gun_angles()), ([0.5, 1.0, 1.5], [2.0; 3]), "{version:?}");
        assert_eq!(state.guns.index, if version.extended() { 300 } else { 44 }, "{version:?}");
        assert_eq!(state.screen.blend, [1, 2, 3, 4], "{version:?}");
        assert_eq!(state.fog.density.density.0, if version.third() { 65_535 } else { 0 }, "{version:?}");
        assert_eq!(world.minor(), version.minor);
        assert_eq!(world.portals(), [0xFE, 1]);
        // The slot of one who was told of and is gone.
        assert!(game.client_state(254).is_none() && game.client_state(1).is_none());
    }
    assert!(!PLAIN.extended());
}

/// Servers leave out whoever watches, and at the end of a match everybody at once (`player_is_active` of Q2PRO): one who is
/// gone while another one plays watches, and goes on to do so when that one is gone too.
#[test]
fn who_is_gone_alone_watches() {
    let (joins, leaves): (&[u8], [&[u8]; 2]) = (&[1, 0x02, 0x00, 0, 0, 0, 0], [&[1, 0, 0x80], &[0, 0, 0x80]]);
    let all = each_block(&demo(&[
        level(&STRINGS, &[&standing(), joins], &[BODY]),
        frame(&[leaves[0]], &[]),
        frame(&[leaves[1]], &[]),
        frame(&[&[0, 0, 0]], &[]),
        frame(&[joins], &[]),
    ]));
    let watches = |n: usize| [0, 1].map(|slot| all[n].player(slot).unwrap().spectator);
    assert_eq!(
        [0, 1, 2, 3, 4].map(watches),
        [[false, false], [false, true], [false, true], [false, true], [false, false]]
    );
}
