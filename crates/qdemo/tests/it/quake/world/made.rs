//! Hand-made recordings: what comes into view and goes, levels, clocks, loss.

use qdemo::error::Moment;
use qdemo::game::quake::{EndingKind, EntityState, Game, World as Quake};
use qdemo::world::{DemoTime, Scene, TextKind};

use super::fold;
use crate::common::{demo, serverinfo};

fn fold_all(file: &[u8]) -> Quake {
    fold(file, "x.dem", |_, _, _| {})
}

fn time(seconds: f32) -> Vec<u8> {
    [&[7][..], &seconds.to_le_bytes()].concat()
}

/// An update of an entity below 256 that moves it to `x` (in units).
fn moved(entity: u8, x: i16) -> Vec<u8> {
    [&[0x82, entity][..], &(x * 8).to_le_bytes()].concat()
}

/// The base state of an entity: model 1, frame 2, colours 3, skin 4, at (8, 16, 24), a quarter turn.
fn baseline(entity: u16) -> Vec<u8> {
    [&[22][..], &entity.to_le_bytes(), &[1, 2, 3, 4, 64, 0, 0, 128, 0, 64, 192, 0, 0]].concat()
}

/// Serverinfo, a base state for entities 1 and 2, view on 1, and the end of the signon.
fn level() -> Vec<u8> {
    [serverinfo(15, &[]), baseline(1), baseline(2), vec![5, 1, 0, 25, 3]].concat()
}

fn numbers(world: &Quake) -> Vec<u16> {
    world.in_view().iter().map(|e| e.number).collect()
}

/// Folds blocks, and tells what is in view after each.
fn views(blocks: &[Vec<u8>]) -> (Vec<Vec<u16>>, Quake) {
    let blocks: Vec<_> = blocks.iter().map(Vec::as_slice).collect();
    let mut seen = Vec::new();
    let world = fold(&demo("-1\n", &blocks), "x.dem", |world, _, _| seen.push(numbers(world)));
    (seen.split_off(1), world)
}

/// Facts 7.3: there is no removal; who is not mentioned in a frame is gone, and comes back from the base state.
#[test]
fn who_is_not_mentioned_is_gone() {
    let blocks = [
        level(),
        [time(1.0), moved(1, 10), moved(2, 20)].concat(),
        [time(1.1), moved(1, 11)].concat(),
        [time(1.2), vec![0x80, 2]].concat(),
    ];
    let (seen, world) = views(&blocks);
    assert_eq!(seen, [vec![], vec![1, 2], vec![1], vec![2]]);
    let state = world.entity_state(2).unwrap();
    // The base state again: nothing of the updates before is left.
    assert_eq!((state.origin(), state.angles()), ([8.0, 16.0, 24.0], [0.0, 90.0, 0.0]));
    assert_eq!((state.model, state.frame, state.colormap, state.skin), (1, 2, 3, 4));
    assert_eq!((&*world.changes().added, &*world.changes().removed), (&[2][..], &[1][..]));
    assert!(world.changes().frame && world.in_view()[0].snap, "it was not in view before");
}

/// Facts 7.3: in view is who was told at the time of the frame. A block without time, and one with the same time, as a
/// paused server sends it, add to the frame.
#[test]
fn blocks_of_the_same_time_make_one_frame() {
    let blocks = [
        level(),
        [time(1.0), moved(2, 20)].concat(),
        moved(1, 10),
        [time(1.0), moved(2, 21)].concat(),
        vec![24, 1],
        [time(1.0)].concat(),
        [time(1.1)].concat(),
    ];
    let (seen, world) = views(&blocks);
    assert_eq!(seen, [vec![], vec![2], vec![1, 2], vec![1, 2], vec![1, 2], vec![1, 2], vec![]]);
    assert!(world.is_paused());
    assert_eq!(world.clock().demo, DemoTime(100_000), "1.0 to 1.1 s");
}

/// Updates out of order, and several of one entity: each begins at the base state, the last counts.
#[test]
fn the_last_update_counts() {
    let frame = [vec![0x84, 2], 8i16.to_le_bytes().to_vec(), moved(1, 5), moved(2, 7), moved(1, 6)].concat();
    let (seen, world) = views(&[level(), [time(1.0), frame].concat()]);
    assert_eq!(seen[1], [1, 2]);
    assert_eq!(world.entity_state(2).unwrap().origin(), [7.0, 16.0, 24.0]);
    assert_eq!(world.entity_state(1).unwrap().origin(), [6.0, 16.0, 24.0]);
}

/// Facts 2: a level change forgets all but the music, and the clock begins again; demo time goes on.
#[test]
fn a_level_forgets() {
    let stuff = [
        vec![13, 0],
        b"Ranger\0".to_vec(),
        vec![14, 0, 5, 0, 17, 0, 0x4D, 12, 0],
        b"az\0".to_vec(),
        vec![
            3, 11, 3, 0, 0, 0, 28, 32, 6, 6, 20, 1, 0, 0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 0, 29, 8, 0, 8, 0, 8, 0, 1, 255,
            64, 30,
        ],
    ]
    .concat();
    let first = [level(), [time(5.0), stuff, moved(1, 10)].concat(), time(6.0)];
    let (_, world) = views(&first);
    let player = world.player(0).unwrap();
    assert_eq!((&*player.name, player.frags, player.seen_through), (&b"Ranger"[..], Some(5), true));
    let colors = world.score(0).unwrap().colors.unwrap();
    assert_eq!((colors.shirt(), colors.pants()), (4, 13));
    assert_eq!((world.stat(11), world.stat(13)), (Some(3), Some(1)), "a secret of three");
    assert_eq!((world.light_style(0), world.cd_track()), (Some(&b"az"[..]), Some(6)));
    assert_eq!((world.statics().len(), world.statics()[0].origin()), (1, [1.0; 3]));
    let ambient = world.ambient_sounds()[0];
    assert_eq!(
        (ambient.sound, ambient.origin(), ambient.volume.get(), ambient.attenuation.get()),
        (1, [1.0; 3], 1.0, 1.0)
    );
    assert_eq!(world.sound_name(1), Some(&b"misc/null.wav"[..]));
    let ending = world.ending().unwrap();
    assert_eq!((ending.kind, ending.time), (EndingKind::Intermission, Some(5.0)));
    assert_eq!((world.level().number, world.level().map), (0, &b"e1m1"[..]));
    assert_eq!(world.level().title, b"the Slipgate Complex");

    let blocks = [first.to_vec(), vec![level(), [time(1.5), vec![0x80, 1]].concat(), time(2.0)]].concat();
    let (seen, world) = views(&blocks);
    assert_eq!(seen, [vec![], vec![1], vec![], vec![], vec![1], vec![]]);
    // The recorder is there without a name.
    assert_eq!(world.player(0).map(|p| (p.name.len(), p.frags)), Some((0, None)));
    assert_eq!((world.stat(11), world.ending(), world.light_style(0)), (None, None, None));
    assert_eq!((world.statics().len(), world.ambient_sounds().len()), (0, 0));
    assert_eq!((world.cd_track(), world.level().number), (Some(6), 1));
    // 5 to 6, then 1.5 to 2.
    assert_eq!(world.clock().demo, DemoTime(1_500_000));
    assert_eq!(world.clock().now, Some(Moment::Seconds(2.0)));
}

/// Within a level too a clock may run back or be nonsense: demo time stands still then.
#[test]
fn demo_time_never_runs_backwards() {
    let times = [3.0, 4.0, 2.0, 2.5, f32::NAN, f32::INFINITY, 3.0];
    let mut blocks = vec![level()];
    blocks.extend(times.map(time));
    let mut demo_times = Vec::new();
    let all: Vec<_> = blocks.iter().map(Vec::as_slice).collect();
    fold(&demo("-1\n", &all), "x.dem", |world, _, _| demo_times.push(world.clock().demo.ms()));
    assert_eq!(demo_times, [0, 0, 0, 1000, 1000, 1500, 1500, 1500, 2000]);
}

/// What base states are not known for is not invented: a recording that begins in the middle shows no entity.
#[test]
fn nothing_is_invented() {
    let (seen, world) = views(&[[time(1.0), moved(1, 10)].concat(), [time(1.1), moved(1, 10)].concat()]);
    assert!(seen.iter().all(Vec::is_empty));
    assert!(!world.is_complete() && !world.changes().frame);
    // Message 99 is none: what follows in the block is lost, the frame is not whole, and the next one is.
    let broken = [time(1.1), moved(1, 10), vec![99], moved(2, 10)].concat();
    let next = [time(1.2), moved(2, 10)].concat();
    let (seen, world) = views(&[level(), [time(1.0), moved(1, 9)].concat(), broken.clone()]);
    assert_eq!(seen[1..], [vec![1], vec![]]);
    assert!(!world.is_complete() && !world.changes().frame && world.changes().removed == [1]);
    let (seen, world) = views(&[level(), broken.clone(), next.clone()]);
    assert_eq!(seen[1..], [vec![], vec![2]]);
    assert!(world.is_complete() && world.changes().frame);
    // Lost before the level was told in full: no frame can be trusted until the next level.
    let early = [serverinfo(15, &[]), baseline(1), vec![99]].concat();
    let (seen, world) = views(&[early, vec![5, 1, 0, 25, 3], next.clone(), level(), next]);
    assert_eq!(seen, [vec![], vec![], vec![], vec![], vec![2]]);
    assert!(world.is_complete());
}

/// A protocol that is not decoded says nothing, also after one that was.
#[test]
fn unknown_protocols_say_nothing() {
    let other = serverinfo(3504, &[]);
    let (seen, world) = views(&[level(), [time(1.0), moved(1, 9)].concat(), other, [time(1.1), moved(1, 9)].concat()]);
    assert_eq!(seen, [vec![], vec![1], vec![], vec![]]);
    assert!(!world.is_complete());
}

/// Facts 5: bit 15 at protocol 15 is Nehahra's. The block is read again, and told once.
#[test]
fn another_reading_takes_the_block_back() {
    // Four mask bits in the second byte: model, and Nehahra's; kind 2, alpha 0.5, fullbright 1.
    let trans = [2.0f32, 0.5, 1.0].map(f32::to_le_bytes).concat();
    let update = [&[0x81, 0x84, 1, 7][..], &trans].concat();
    let frame = [time(1.0), vec![27], b"\x08hello\0".to_vec(), update].concat();
    let file = demo("-1\n", &[&level(), &frame]);
    let world = fold_all(&file);
    let state = world.entity_state(1).unwrap();
    assert_eq!((state.model, state.opacity(), state.fullbright()), (7, Some(0.5), true));
    assert_eq!(world.stat(14), Some(1), "one monster was killed, though the message was read twice");
    assert_eq!(world.changes().texts().collect::<Vec<_>>(), [(TextKind::Print(None), &b"hello"[..], None)]);
}

/// Facts 3.1 and 4: the high bytes of FitzQuake, opacity, scale and the time to the next step.
#[test]
fn fitzquake_fields() {
    // Mask: more bits, model, extended; alpha, frame2, model2, lerpfinish, scale. Frame is the base state's.
    let update = [0x81, 0x84, 0x1F, 1, 0x34, 128, 32, 1, 2, 51];
    let blocks =
        [[serverinfo(999, &[0; 4]), baseline(1), vec![5, 1, 0, 25, 3]].concat(), [&time(1.0)[..], &update].concat()];
    let (_, world) = views(&blocks);
    let state = world.entity_state(1).unwrap();
    assert_eq!((state.model, state.frame, state.opacity(), state.scale.get()), (0x234, 0x102, Some(0.5), 2.0));
    assert_eq!(world.in_view()[0].lerp_finish, Some(51));
}

/// What the recorder is told: DEM document, tables 5 and 6; facts 1.5.
#[test]
fn the_recorder() {
    // View height -8, kick -3 in pitch, velocity 10 * 16 forward, on the ground; then items, armour, health ...
    let mask: u16 = 1 | 1 << 2 | 1 << 5 | 1 << 9 | 1 << 10 | 1 << 13;
    let items: u32 = 1 << 0 | 1 << 5 | 1 << 10 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 22 | 1 << 28;
    let client = |items: u32, weapon: u8| {
        let mut m = vec![15];
        m.extend(mask.to_le_bytes());
        m.extend([0xF8, 0xFD, 10]);
        m.extend(items.to_le_bytes());
        m.extend([150, 77, 0, 42, 25, 30, 42, 50, weapon]);
        m
    };
    let (_, world) = views(&[level(), [time(1.0), client(items, 32), moved(1, 10)].concat()]);
    let player = world.player(0).unwrap();
    assert_eq!((player.health, player.armor, player.ammo), (Some(77), Some(150), Some(42)));
    assert_eq!((player.weapon.as_deref(), player.velocity), (Some("rocket_launcher"), Some([160.0, 0.0, 0.0])));
    let mut carried = Vec::new();
    world.carried(0, &mut |name, value| carried.push((name.to_owned(), value)));
    carried.sort();
    let expected = [
        ("axe", 1),
        ("cells", 50),
        ("nails", 30),
        ("quad", 1),
        ("red_armor", 1),
        ("rocket_launcher", 1),
        ("rockets", 42),
        ("shells", 25),
        ("shotgun", 1),
        ("sigil_1", 1),
        ("silver_key", 1),
    ];
    assert_eq!(carried, expected.map(|(name, value)| (name.to_owned(), value)));
    // In Capture the Flag the same bits are the runes of the game (Threewave's numbers of its runes; KTX sends them so), and keys
    // are flags.
    let mut flags = vec![11, 15, 0, 0, 0, 1, 1];
    flags.extend(b"A level\0maps/x.bsp\0progs/flag.mdl\0\0misc/null.wav\0\0");
    flags.extend([5, 1, 0, 25, 3]);
    let runes = |model: &[u8]| {
        let all: u32 = 0b1111 << 28 | 0b11 << 17;
        let (_, world) = views(&[model.to_vec(), [time(1.0), client(all, 32), moved(1, 10)].concat()]);
        let mut names = Vec::new();
        let mut note = |name: &str, _: i64| names.push(name.to_owned());
        world.carried(0, &mut note);
        names.retain(|name| !["shells", "nails", "rockets", "cells"].contains(&name.as_str()));
        names
    };
    assert_eq!(runes(&flags), ["resistance", "strength", "haste", "regeneration"]);
    assert_eq!(runes(&level()), ["silver_key", "gold_key", "sigil_1", "sigil_2", "sigil_3", "sigil_4"]);
    let at = world.client().unwrap();
    assert_eq!((at.view_height.get(), at.punch.map(|v| v.get())), (-8.0, [-3.0, 0.0, 0.0]));
    assert_eq!((at.on_ground, at.in_water), (true, false));
    assert_eq!(world.view().unwrap().origin, Some([10.0, 16.0, 16.0]));

    // Mission packs send the number of the bit: 5 is the rocket launcher, 7 the hammer, 16 proximity mines.
    for (model, game, weapons) in [
        ("progs/v_laserg.mdl", Game::Hipnotic, [(5, "rocket_launcher"), (7, "mjolnir"), (16, "proximity_gun")]),
        ("progs/v_lava.mdl", Game::Rogue, [(5, "rocket_launcher"), (11, "axe"), (16, "plasma_gun")]),
    ] {
        let mut info = vec![11, 15, 0, 0, 0, 1, 0];
        info.extend(format!("A level\0maps/x.bsp\0{model}\0\0misc/null.wav\0\0").bytes());
        info.extend([5, 1, 0, 25, 3]);
        for (number, name) in weapons {
            let (_, world) = views(&[info.clone(), [time(1.0), client(0, number)].concat()]);
            assert_eq!(world.game(), game);
            assert_eq!(world.player(0).unwrap().weapon.as_deref(), Some(name));
        }
    }
}

/// An engine that is started for a mission pack sends numbers of bits whatever it plays: which ones they are the model in hand
/// shows. The axe has bit 12.
#[test]
fn weapons_of_an_engine_for_mission_packs() {
    let mut info = vec![11, 15, 0, 0, 0, 1, 0];
    info.extend(b"A level\0maps/x.bsp\0progs/v_axe.mdl\0progs/v_shot.mdl\0progs/v_nail.mdl\0progs/v_rock.mdl\0\0misc/null.wav\0\0");
    info.extend([5, 1, 0, 25, 3]);
    // Items, and the model in hand.
    let client = |model: u8, weapon: u8| [&[15, 0, 0x42, 0, 0, 0, 0, model, 100, 0][..], &[0; 5], &[weapon]].concat();
    let weapon = |model, number| {
        let (_, world) = views(&[info.clone(), [time(1.0), client(model, number)].concat()]);
        assert_eq!(world.game(), Game::Quake);
        world.player(0).unwrap().weapon.map(|weapon| weapon.into_owned())
    };
    for (name, model, bit, number) in
        [("axe", 2, 0, 12), ("shotgun", 3, 1, 0), ("nailgun", 4, 4, 2), ("grenade_launcher", 5, 16, 4)]
    {
        assert_eq!([weapon(model, bit), weapon(model, number)], [Some(name.to_owned()), Some(name.to_owned())]);
    }
    // A model that mods have for something else shows nothing of the sort.
    assert_eq!(weapon(1, 4).as_deref(), Some("nailgun"));
}

/// Numbers at their ends, lists without end: no panic, and memory as the engines have it.
#[test]
fn limits() {
    let mut long = level();
    for n in 0..5000u16 {
        long.extend(baseline(n));
        long.extend([20, 1, 0, 0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 0]);
    }
    long.extend(baseline(u16::MAX));
    for slot in [0, 16, 255] {
        long.extend([13, slot, b'n', 0, 12, slot, b'm', 0, 3, slot, 1, 0, 0, 0]);
    }
    // An entity without a base state begins at zero; a beam of entity 65,535.
    long.extend([&time(1.0)[..], &[0x81, 0x40, 0xFF, 0xFE]].concat());
    long.extend([&[6, 0][..], &0xFFFFu16.to_le_bytes(), &[200], &[0; 6]].concat());
    let world = fold_all(&demo("-1\n", &[&long]));
    assert_eq!((world.statics().len(), world.baselines().iter().count()), (4096, 5001));
    assert_eq!((world.player_slots(), world.player(255).map(|p| p.name.len())), (256, Some(1)));
    assert_eq!(numbers(&world), [0xFEFF]);
    assert_eq!(world.entity_state(0xFEFF), Some(&EntityState::default()));
    assert_eq!((world.changes().sounds[0].entity, world.sound_name(200)), (Some(0x1FFF), None));
    assert_ne!(world.own().len(), 0);
}

/// Models bend by a third of the view's pitch, the other way, and lean as the player goes aside (`SV_ClientThink`); a byte is
/// 256ths of a turn. Where the recording looks is told in front of each block, while the view is on its player. At the end of
/// a level players are turned as the camera is (`execute_changelevel`).
#[test]
fn players_look_where_their_models_bend() {
    let turned = |entity: u8, pitch: u8| vec![0x81, 0x03, entity, pitch, 6];
    let mut level = vec![11];
    level.extend(15i32.to_le_bytes());
    level.extend(b"\x02\x01title\0maps/e1m1.bsp\0\0\0");
    level.extend([baseline(1), baseline(2), vec![5, 1, 0, 25, 3], b"\x0D\0a\0\x0D\x01b\0".to_vec()].concat());
    let frame = |seconds, pitch| [time(seconds), turned(1, 2), turned(2, pitch)].concat();
    let elsewhere = [frame(1.2, 8), vec![5, 40, 0]].concat();
    let ended = [frame(1.3, 250), vec![5, 1, 0, 30]].concat();
    let mut file = b"-1\n".to_vec();
    for block in [level, frame(1.0, 250), frame(1.1, 8), elsewhere, ended] {
        file.extend((block.len() as u32).to_le_bytes());
        file.extend([12.5f32, 90.25, 0.0].map(f32::to_le_bytes).as_flattened());
        file.extend(block);
    }
    let mut looks = Vec::new();
    fold(&file, "x.dem", |world, _, _| {
        let of = |slot| {
            let (player, place) = (world.player(slot)?, world.place(slot)?);
            assert_eq!(player.angles, place.angles);
            player.angles
        };
        looks.push((of(0), of(1)));
    });
    let of_block = |n: usize| looks[looks.len() - 4 + n];
    let yaw = 64.0 * 360.0 / 256.0;
    assert_eq!(of_block(0), (Some([12.5, 90.25, 0.0]), Some([25.3125, yaw, 0.0])));
    assert_eq!(of_block(1), (Some([12.5, 90.25, 0.0]), Some([-33.75, yaw, 0.0])));
    assert_eq!(of_block(2), (Some([-8.4375, yaw, 0.0]), Some([-33.75, yaw, 0.0])));
    assert_eq!(of_block(3), (Some([2.8125, yaw, 8.4375]), Some([-8.4375, yaw, 8.4375])));
}
