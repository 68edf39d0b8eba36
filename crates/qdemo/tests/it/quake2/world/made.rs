//! Hand-made recordings: deltas and their ring, loss, levels, servers, Relay, other protocols.

use qdemo::error::Moment;
use qdemo::format::dm2::{Dialect, Recording, *};
use qdemo::game::quake2::World as World2;
use qdemo::wire::{Angle, Coord, Str};
use qdemo::world::{DemoTime, Scene, TextKind};

use super::fold;
use crate::dm2::build::{demo, plain_entity, quiet_player, serverdata};

type Block = Vec<Message<'static>>;

fn string(index: u16, string: &'static str) -> Message<'static> {
    Message::ConfigString(ConfigString { index, string: Str::new(string.as_bytes()) })
}

/// A frame as the difference to another one; 0: in full.
fn frame(number: i32, delta: i32) -> Message<'static> {
    Message::Frame(Frame {
        seq1: number,
        seq2: Some(delta),
        suppress: Some(0),
        split: None,
        areas: Some(ByteList(vec![2])),
        connected: None,
    })
}

fn player(change: impl FnOnce(&mut PlayerInfo)) -> Message<'static> {
    let mut player = quiet_player();
    change(&mut player);
    Message::PlayerInfo(player)
}

fn entities(entities: Vec<PacketEntity>) -> Message<'static> {
    Message::PacketEntities(PacketEntities { entities, end_mask: 0 })
}

/// An entity that moves to `x` (in units).
fn moved(number: u16, x: i16) -> PacketEntity {
    PacketEntity { origin_x: Some(OriginCoord(Coord::I16(x * 8))), ..plain_entity(number) }
}

fn removed(number: u16) -> PacketEntity {
    PacketEntity { remove: true, ..plain_entity(number) }
}

fn told(number: i32, delta: i32, all: Vec<PacketEntity>) -> Block {
    vec![frame(number, delta), player(|_| {}), entities(all)]
}

/// Level `q2dm1`, two players of whom slot 3 records, and a baseline for entity 7.
fn level() -> Block {
    vec![
        serverdata(34, 1),
        string(33, "maps/q2dm1.bsp"),
        string(34, "models/weapons/v_rail/tris.md2"),
        string(35, "#w_blaster.md2"),
        string(36, "#w_railgun.md2"),
        string(30, "8"),
        string(288 + 4, "world/amb.wav"),
        string(544 + 2, "a_slugs"),
        string(1056 + 9, "Railgun"),
        string(1312, "Other\\male/grunt"),
        string(1312 + 3, "Me\\female/athena"),
        Message::SpawnBaseline(crate::dm2::build::baseline(7)),
    ]
}

/// The world after the last block: without an end mark, which changes nothing any more.
fn world(blocks: &[Block]) -> World2 {
    let file = demo(blocks);
    fold(&file[..file.len() - END_MARK.len()], "x.dm2", |_, _| {})
}

fn after(blocks: &[Block]) -> World2 {
    world(&[vec![level()], blocks.to_vec()].concat())
}

fn places(world: &World2) -> Vec<(usize, f32)> {
    world.entities().map(|e| (usize::from(e.number), e.origin[0])).collect()
}

/// Something to seek in: one entity after the other comes and goes, now and then a frame in full.
pub(crate) fn long_recording() -> Vec<u8> {
    let mut blocks = vec![level()];
    for n in 1..600_i32 {
        let delta = if n % 97 == 1 { 0 } else { (n - 1 - n % 3).max(n - n % 97 + 1).min(n - 1) };
        let mut all = vec![moved(1 + (n % 5) as u16, (n % 300) as i16)];
        if n % 40 == 39 {
            all = (1..=5).map(removed).collect();
        }
        blocks.push(told(n, delta, all));
    }
    demo(&blocks)
}

#[test]
fn frames_build_on_the_one_they_name() {
    let blocks = [
        told(10, -1, vec![moved(1, 10), moved(2, 20)]),
        told(11, 10, vec![moved(1, 11), moved(3, 30)]),
        // On the frame before that one: 1 is where it was, 3 is not there.
        told(12, 10, vec![moved(2, 22)]),
    ];
    let world = after(&blocks[..2]);
    assert_eq!(places(&world), [(1, 11.0), (2, 20.0), (3, 30.0)]);
    let changes = world.changes();
    assert_eq!((&*changes.added, &*changes.changed, &*changes.removed), (&[3][..], &[1][..], &[][..]));
    let world = after(&blocks);
    assert_eq!(places(&world), [(1, 10.0), (2, 22.0)]);
    let changes = world.changes();
    assert_eq!((&*changes.added, &*changes.changed, &*changes.removed), (&[][..], &[1, 2][..], &[3][..]));
    assert_eq!((world.frame().unwrap().delta(), world.frame().unwrap().areas()), (Some(10), &[2][..]));
    // A frame in full begins with nothing; what is new comes from its baseline.
    let world = after(&[blocks.to_vec(), vec![told(13, 0, vec![plain_entity(7)])]].concat());
    assert_eq!(places(&world), [(7, 5.0 / 8.0)]);
    let state = world.entity_state(7).unwrap();
    assert_eq!(
        (state.modelindex, state.frame, state.skin, state.renderfx, state.solid),
        (4, 300, 0xD0D1_D2D3, 128, 31)
    );
    assert_eq!((state.angles(), world.entity(7).unwrap().kind.as_ref()), ([0.0, 90.0, 0.0], "beam"));
    assert_eq!(world.changes().removed, [1, 2]);
}

#[test]
fn what_is_removed_is_gone() {
    let world = after(&[
        told(10, -1, vec![moved(1, 10), moved(7, 20), moved(900, 5)]),
        told(11, 10, vec![removed(7), removed(8)]),
        told(12, 11, vec![plain_entity(7)]),
    ]);
    // It comes back from the baseline, not from where it was.
    assert_eq!(places(&world), [(1, 10.0), (7, 0.625), (900, 5.0)]);
    let world = after(&[told(10, -1, vec![moved(1, 10), moved(7, 20)]), told(11, 10, vec![removed(7)])]);
    assert_eq!(places(&world), [(1, 10.0)]);
    assert_eq!((world.changes().removed.as_slice(), world.entity_state(7)), (&[7][..], None));
}

/// Without what it builds on nothing is said of a frame, nor of those that build on it.
#[test]
fn a_missing_base_is_not_invented() {
    let mut blocks = vec![told(10, -1, vec![moved(1, 10)]), told(12, 11, vec![moved(1, 12)])];
    let world = after(&blocks);
    assert!(!world.is_complete() && world.missing_bases() == 1);
    assert_eq!((world.entities().count(), world.player_state(), world.view()), (0, None, None));
    assert_eq!(world.player(3).unwrap().origin, None);
    assert_eq!((world.clock().frame, world.changes().frame), (Some(12), false));
    blocks.push(told(13, 12, vec![moved(1, 13)]));
    assert_eq!(after(&blocks).missing_bases(), 2);
    // One that builds on what is there is fine again; and so is a frame in full.
    blocks.push(told(14, 10, vec![moved(2, 14)]));
    let world = after(&blocks);
    assert!(world.is_complete());
    assert_eq!((places(&world), world.missing_bases()), (vec![(1, 10.0), (2, 14.0)], 2));
    // Sixteen frames are kept.
    let mut blocks: Vec<Block> = (100..=116).map(|n| told(n, n - 1, vec![moved(1, n as i16)])).collect();
    blocks[0] = told(100, -1, vec![moved(1, 100)]);
    let kept = |delta: i32| {
        let mut blocks = blocks.clone();
        blocks.push(told(117, delta, vec![]));
        places(&after(&blocks))
    };
    assert_eq!((kept(101), kept(100)), (vec![(1, 101.0)], vec![]));
}

/// The bytes of a frame end early: it is not there, and the clock has moved.
#[test]
fn a_broken_frame_is_no_frame() {
    let file = demo(&[level(), told(10, -1, vec![moved(1, 10)]), told(11, 10, vec![moved(1, 11)])]);
    // Without end mark, end of the list, and a byte of the last entity.
    let mut broken = 0;
    let mut chunks = qdemo::Reader::new(&file[..file.len() - 7], "x.dm2", qdemo::Limits::default()).unwrap();
    let mut world = World2::default();
    while let Some(qdemo::Chunk::Dm2(chunk)) = chunks.next_chunk().unwrap() {
        broken += u32::from(world.apply(&chunk).is_some());
    }
    assert_eq!((broken, world.is_complete(), world.clock().frame), (1, false, Some(11)));
    assert_eq!((world.entities().count(), world.frame().unwrap().number()), (0, 10));
}

#[test]
fn events_last_one_frame_and_things_were_where_they_were() {
    let jumps = PacketEntity { event: Some(6), ..moved(1, 11) };
    let beam = PacketEntity { old_origin: Some([Coord::I16(8); 3]), ..moved(2, 50) };
    let blocks = [
        told(10, -1, vec![moved(1, 10), beam]),
        told(11, 10, vec![jumps]),
        told(12, 11, vec![moved(1, 12)]),
        told(13, 12, vec![]),
    ];
    let state = |n: usize, entity| *after(&blocks[..n]).entity_state(entity).unwrap();
    assert_eq!((state(2, 1).event, state(2, 1).old_origin()[0]), (6, 10.0));
    assert_eq!((state(3, 1).event, state(3, 1).old_origin()[0]), (0, 11.0));
    assert_eq!((state(4, 1).event, state(4, 1).old_origin()[0]), (0, 12.0));
    assert_eq!((state(1, 2).old_origin(), state(2, 2).old_origin()), ([1.0; 3], [50.0, 0.0, 0.0]));
    assert!(after(&blocks).changes().is_quiet());
}

#[test]
fn a_level_forgets_everything() {
    let mut second = vec![serverdata(34, 1), string(33, "maps/base2.bsp"), string(1312, "New\\male/x")];
    second.extend(told(5, -1, vec![moved(7, 1)]));
    let world = after(&[told(1000, -1, vec![moved(1, 10), moved(2, 10)]), told(1005, 1000, vec![]), second]);
    let level = world.level();
    assert_eq!((level.number, level.map, level.title), (1, &b"base2"[..], &b"Lost \xCDHall"[..]));
    assert_eq!((world.entity_state(7).unwrap().modelindex, world.baselines().iter().count()), (0, 0));
    assert_eq!(world.changes().removed, [1, 2]);
    assert!(world.changes().level);
    // The clock runs from 100.5 s back to 0.5 s; time since the beginning does not.
    let clock = world.clock();
    assert_eq!((clock.now, clock.frame), (Some(Moment::Milliseconds(500)), Some(5)));
    assert_eq!(clock.demo, DemoTime::from_ms(500));
    assert_eq!(world.players().map(|p| p.clean_name()).collect::<Vec<_>>(), ["New", ""]);
    // The server may count backwards within a level, too.
    let world = after(&[told(1000, -1, vec![]), told(1010, 1000, vec![]), told(3, 0, vec![]), told(4, 3, vec![])]);
    assert_eq!((world.clock().demo, world.clock().frame), (DemoTime::from_ms(1_100), Some(4)));
}

/// Stats of the game (facts, section 7; players in `g_local.h`'s numbers): 1 health, 3 ammo, 5 armour, 14 frags.
fn armed(stats: &[(u32, i16)]) -> Message<'static> {
    let mask = stats.iter().fold(0, |mask, (n, _)| mask | 1 << n);
    let stats = Stats { mask, values: stats.iter().map(|(_, v)| *v).collect(), spare_bytes: 0 };
    player(|p| {
        p.origin = Some([80, -8, 800].map(|v| OriginCoord(Coord::I16(v))));
        p.velocity = Some([16, 0, 0].map(|v| VelocityCoord(Coord::I16(v))));
        p.viewoffset = Some(Quarters([0, 0, 88]));
        p.viewangles = Some(Angles16([0, 0x4000, 0]));
        p.gunindex = Some(GunIndex::new(2));
        p.stats = stats;
    })
}

/// Configstrings may come in the blocks behind `serverdata`: a level is told with its map by everybody who tells it. The
/// status bar shows scores only while there is one; what it shows then is told as a change, a reset too.
#[test]
fn a_level_whose_map_comes_later() {
    let seen = |number: i32, score: i16| vec![frame(number, -1), armed(&[(1, 75), (14, score)]), entities(vec![])];
    let mut names = level();
    let first = vec![names.remove(0)];
    let blocks = [first.clone(), names.clone(), seen(1, 4), seen(2, 5), first, names, seen(3, 0), seen(4, 1)];
    let file = demo(&blocks);
    let mut told = Vec::new();
    qdemo::replay::events(&file[..], "x.dm2", qdemo::Limits::default(), &mut |event| {
        told.push(event.kind.to_string());
        Ok(())
    })
    .unwrap();
    let score = |to: i32, from: i32| format!("Me has {to} point{} (had {from})", if to == 1 { "" } else { "s" });
    assert_eq!(
        told,
        [
            "level q2dm1 (Lost MHall)".to_owned(),
            score(5, 4),
            "level q2dm1 (Lost MHall)".to_owned(),
            score(0, 5),
            score(1, 0)
        ]
    );
    let mut maps = Vec::new();
    qdemo::analysis::stats::stats(&file[..], "x.dm2", qdemo::Limits::default(), &mut |period| {
        maps.push(period.map);
        Ok(())
    })
    .unwrap();
    assert_eq!(maps, ["q2dm1", "q2dm1"]);
}

#[test]
fn the_player_who_is_seen() {
    let mut items = Box::new([0; 256]);
    items[9] = 1;
    let stats = [(1, 75), (2, 2), (3, 12), (5, 0), (14, -2)];
    let other = PacketEntity {
        modelindex: Some(qdemo::describe::ModelIndex(255)),
        modelindex2: Some(qdemo::describe::ModelIndex(255)),
        skin: Sized32::of(0x0200),
        effects: Sized32::of(0x8000),
        ..moved(1, 40)
    };
    let body = PacketEntity { skin: Sized32::of(0x0203), ..PacketEntity { entity: other.entity, ..other.clone() } };
    let body = PacketEntity { entity: qdemo::describe::ByteOrShort(20), ..body };
    let layout = Layout { text: Str::new(b"xv 0 client 0 32 3 -2 48 7 client 160 32 0 17 99 8") };
    let world = after(&[
        vec![frame(10, -1), armed(&stats), entities(vec![other, body]), Message::Layout(layout)],
        vec![Message::Inventory(Inventory { count: Items(items) })],
    ]);
    let me = world.player(3).unwrap();
    assert_eq!((me.clean_name().as_str(), me.seen_through, me.spectator), ("Me", true, false));
    assert_eq!((me.origin, me.velocity), (Some([10.0, -1.0, 100.0]), Some([2.0, 0.0, 0.0])));
    assert_eq!((me.angles, me.health, me.armor), (Some([0.0, 90.0, 0.0]), Some(75), Some(0)));
    assert_eq!((me.weapon.as_deref(), me.ammo, me.frags, me.ping), (Some("railgun"), Some(12), Some(-2), Some(48)));
    let view = world.view().unwrap();
    assert_eq!((view.slot, view.origin, view.angles), (Some(3), Some([10.0, -1.0, 122.0]), [0.0, 90.0, 0.0]));
    let other = world.player(0).unwrap();
    assert_eq!((other.entity, other.origin, other.health), (Some(1), Some([40.0, 0.0, 0.0]), None));
    assert_eq!((other.weapon.as_deref(), other.frags, other.ping), (Some("railgun"), Some(17), Some(99)));
    let mut carried = Vec::new();
    world.carried(3, &mut |name, value| carried.push((name.to_owned(), value)));
    assert_eq!(carried, [("railgun".to_owned(), 1), ("slugs".to_owned(), 12)]);
    carried.clear();
    world.carried(0, &mut |name, value| carried.push((name.to_owned(), value)));
    assert_eq!(carried, [("quad_damage".to_owned(), 1)]);
    // A body has the model of its player, and is none.
    let body = world.entity(20).unwrap();
    assert_eq!((&*body.kind, body.player, &*body.model), ("body", None, &b"female/athena"[..]));
    assert_eq!(world.sound_name(4), Some(&b"world/amb.wav"[..]));
}

#[test]
fn following_another_one() {
    let bar = string(5, "if 17 xv 0 string2 \"SPECTATOR MODE\" endif if 16 xv 64 stat_string 16 endif");
    let follows = [(1, 33), (16, 1312), (17, 1)];
    let world = after(&[vec![bar, frame(10, -1), armed(&follows), entities(vec![])]]);
    assert_eq!((world.recorder(), world.seen(), world.view().unwrap().slot), (Some(3), Some(0), Some(0)));
    let (me, seen) = (world.player(3).unwrap(), world.player(0).unwrap());
    assert_eq!((me.spectator, me.seen_through, me.health), (true, false, None));
    assert_eq!((seen.spectator, seen.seen_through, seen.health), (false, true, Some(33)));
    // Where the status bar shows no name there, the number is something else.
    let world = after(&[vec![frame(10, -1), armed(&follows), entities(vec![])]]);
    assert_eq!((world.seen(), world.player(3).unwrap().spectator), (Some(3), false));
}

/// Models bend by a third of the view's pitch and lean as the player goes aside (`ClientEndServerFrame`); a byte is 256ths of a
/// turn. Where the one looks who is seen, is told itself.
#[test]
fn players_look_where_their_models_bend() {
    let other = |pitch: i8| PacketEntity {
        modelindex: Some(qdemo::describe::ModelIndex(255)),
        angles_1: Some(EntityAngle(Angle::I8(pitch))),
        angles_3: Some(EntityAngle(Angle::I8(6))),
        ..moved(1, 40)
    };
    for (pitch, view) in [(8, 33.75), (-6, -25.3125), (0, 0.0)] {
        let world = after(&[vec![frame(10, -1), armed(&[]), entities(vec![other(pitch)])]]);
        let (me, other) = (world.player(3).unwrap(), world.player(0).unwrap());
        assert_eq!((me.angles, other.angles), (Some([0.0, 90.0, 0.0]), Some([view, 0.0, 0.0])));
        assert_eq!(world.place(0).unwrap().angles, other.angles);
        // The entity is as it is told.
        assert_eq!(world.entity(1).unwrap().angles, [view / 3.0, 0.0, 6.0 * 360.0 / 256.0]);
    }
    let bar = string(5, "if 17 xv 0 string2 \"SPECTATOR MODE\" endif if 16 xv 64 stat_string 16 endif");
    let follows = [(1, 33), (16, 1312), (17, 1)];
    let world = after(&[vec![bar, frame(10, -1), armed(&follows), entities(vec![other(8)])]]);
    let seen = world.player(0).unwrap();
    assert_eq!((seen.origin, seen.angles), (Some([40.0, 0.0, 0.0]), Some([0.0, 90.0, 0.0])));
}

/// `G_SetStats`: with power armour on, its picture and the cells stand where armour does, in frames whose number has bit 3 set,
/// and always where there is no other.
#[test]
fn armor_and_power_armor() {
    let pictures = [string(547, "i_bodyarmor"), string(548, "i_powershield"), string(549, "p_quad")];
    let first = [level(), pictures.to_vec()].concat();
    let is_on = |n: i32| (10..=50).contains(&n);
    let points = |n: i32| if n < 70 { 200 - n as i16 } else { 0 };
    let block = |n: i32| {
        let power = is_on(n) && n & 8 != 0 || n >= 90;
        let armor = if power { [(4, 4), (5, 50)] } else { [(4, if points(n) > 0 { 3 } else { 0 }), (5, points(n))] };
        vec![
            frame(n, if n == 1 { -1 } else { n - 1 }),
            armed(&[&armor[..], &[(9, 5), (10, 7)]].concat()),
            entities(vec![]),
        ]
    };
    let blocks: Vec<_> = std::iter::once(first.clone()).chain((1..=110).map(block)).collect();
    for (n, world) in (1..=110).zip((2..=blocks.len()).map(|to| world(&blocks[..to]))) {
        let mut carried = std::collections::BTreeMap::new();
        world.carried(3, &mut |name, value| assert_eq!(carried.insert(name.to_owned(), value), None));
        // As it was when it was shown last.
        let last = match n {
            10..=15 => points(9),
            24..=31 => points(23),
            40..=47 => points(39),
            _ => points(n),
        };
        assert_eq!(world.player(3).unwrap().armor, Some(i32::from(last)), "{n}");
        assert_eq!(carried.get("body_armor"), Some(i64::from(last)).filter(|last| *last > 0).as_ref(), "{n}");
        // It is not told when it is put away: then it may be hidden for eight frames more, and no longer.
        let power = (10..=55).contains(&n) || n >= 90;
        assert_eq!(
            (carried.get("power_shield"), carried.get("cells")),
            (power.then_some(&1), power.then_some(&50)),
            "{n}"
        );
        assert_eq!(carried.get("quad_damage"), Some(&7000));
    }
    // A recording that begins with power armour does not tell of the other before it is shown.
    let begins = vec![frame(24, -1), armed(&[(4, 4), (5, 50)]), entities(vec![])];
    let world = world(&[first, begins]);
    assert_eq!(world.player(3).unwrap().armor, None);

    let mut held = std::collections::BTreeMap::new();
    qdemo::analysis::stats::stats(&demo(&blocks)[..], "x.dm2", qdemo::Limits::default(), &mut |period| {
        for player in period.players {
            for (name, item) in player.counted.items() {
                held.insert(name.to_owned(), item.get(qdemo::analysis::stats::ItemMeasure::TimeMs).unwrap_or(0));
            }
        }
        Ok(())
    })
    .unwrap();
    // From the first frame to the 70th; frames 10 to 56, and 90 to the last.
    let expected = [("body_armor", 6900), ("power_shield", 4600 + 2000), ("quad_damage", 10_900)];
    assert_eq!(held.into_iter().collect::<Vec<_>>(), expected.map(|(name, time)| (name.to_owned(), time)));
}

/// The one who records plays and holds things from the first frame on, also without a name, where nobody has one: the test
/// release tells none.
#[test]
fn the_recorder_holds_things_from_the_first_frame_on() {
    use qdemo::analysis::stats::{ItemMeasure, Measure, stats};
    for named in [true, false] {
        let is_name = |message: &Message<'_>| matches!(message, Message::ConfigString(m) if m.index >= 1312);
        // A level comes in several blocks.
        let mut first: Block = level().into_iter().filter(|message| named || !is_name(message)).collect();
        let mut second = first.split_off(2);
        second.push(string(547, "i_jacketarmor"));
        let points = |n: i32| if n <= 30 { 6 } else { 0 };
        let seen = |n: i32| vec![frame(n, n - 1), armed(&[(4, 3), (5, points(n))]), entities(vec![])];
        let blocks = [vec![first, second], (1..=41).map(seen).collect()].concat();
        let mut told = Vec::new();
        stats(&demo(&blocks)[..], "x.dm2", qdemo::Limits::default(), &mut |period| {
            for player in period.players.iter().filter(|player| player.who.slot == Some(3)) {
                let armor = player.counted.item("jacket_armor").and_then(|item| item.get(ItemMeasure::TimeMs));
                told.push((player.who.name.clone(), player.counted.get(Measure::TimeMs), armor));
            }
            Ok(())
        })
        .unwrap();
        // Ten frames a second: frame 1 to the last one, and to the first without points.
        assert_eq!(told, [(if named { "Me" } else { "" }.to_owned(), Some(4000), Some(3000))]);
    }
}

/// A picture that a mod has brought has its own name; armour without points is none, whatever its picture.
#[test]
fn pictures_of_mods() {
    let pictures = [string(547, "i_blankarmor"), string(548, "p_haste"), string(549, "a_nails")];
    let stats = [(2, 5), (3, 40), (4, 3), (5, 0), (9, 4), (10, 2)];
    let world = after(&[[&pictures[..], &[frame(10, -1), armed(&stats), entities(vec![])]].concat()]);
    let mut carried = Vec::new();
    world.carried(3, &mut |name, value| carried.push((name.to_owned(), value)));
    assert_eq!(carried, [("a_nails".to_owned(), 40), ("p_haste".to_owned(), 2000)]);
}

/// A server tells every frame in full, and no player's state.
#[test]
fn recordings_of_servers() {
    let frame = |n| crate::dm2::build::frame(Recording::Server, 34, n);
    let blocks = [
        vec![serverdata(34, 2), string(1312, "A\\male/grunt")],
        vec![frame(7), entities(vec![moved(1, 10), moved(2, 20)])],
        vec![frame(8), entities(vec![moved(2, 21)])],
    ];
    let world = world(&blocks);
    assert_eq!((places(&world), &*world.changes().removed), (vec![(2, 21.0)], &[1][..]));
    assert_eq!((world.recorder(), world.view(), world.player_state()), (None, None, None));
    assert_eq!(world.clock().now, Some(Moment::Milliseconds(800)));
    assert_eq!(world.players().count(), 1);
}

/// Relay tells the state of each client.
#[test]
fn recordings_of_relay() {
    let frame = |n, delta: i32| {
        Message::Frame(Frame {
            seq1: n,
            seq2: Some(delta),
            suppress: Some(0),
            split: None,
            areas: Some(ByteList(vec![])),
            connected: Some(ByteList(vec![0, 5])),
        })
    };
    let state = |client, health| {
        let stats = Stats { mask: 2, values: vec![health], spare_bytes: 0 };
        Message::Unicast(Unicast { client, message: Box::new(player(|p| p.stats = stats)) })
    };
    let print = Message::Print(Print { level: 2, string: Str::new(b"hello") });
    let print = Message::Unicast(Unicast { client: 5, message: Box::new(print) });
    let quiet = Message::Unicast(Unicast { client: 0, message: Box::new(player(|_| {})) });
    let blocks = [
        vec![serverdata(34, 0x80), string(1312, "A\\x/y"), string(1317, "B\\x/y")],
        vec![frame(7, -1), state(0, 90), state(5, 20), entities(vec![moved(1, 10)])],
        vec![frame(8, 7), quiet, state(5, 19), entities(vec![]), print],
    ];
    let world = world(&blocks);
    let health: Vec<_> = world.players().map(|p| (p.slot, p.health)).collect();
    assert_eq!(health, [(0, Some(90)), (5, Some(19))]);
    assert_eq!((world.client_state(3), world.view(), places(&world)), (None, None, vec![(1, 10.0)]));
    assert_eq!(world.frame().unwrap().connected(), [0, 5]);
    let texts: Vec<_> = world.changes().texts().collect();
    assert_eq!(texts, [(TextKind::Print(Some(2)), &b"hello"[..], Some(5))]);
}

/// From 3435 on origins are differences to the value before: of entities and of the player.
#[test]
fn origins_that_are_differences() {
    let by = |v| OriginCoord(Coord::By(v));
    let entity = |x| PacketEntity { origin_x: Some(x), ..plain_entity(4) };
    let player = |x, fast: i16| {
        player(|p| {
            p.origin = Some([x, by(0), by(8)]);
            p.velocity = Some([VelocityCoord(Coord::By(fast)); 3]);
        })
    };
    let mut base = crate::dm2::build::baseline(4);
    (base.origin_x, base.origin_z, base.old_origin) = (Some(OriginCoord(Coord::Long(-0x4_0000))), None, None);
    (base.angles_2, base.solid) = (None, None);
    // No beam: those keep both ends until they are told anew.
    base.renderfx = Default::default();
    let blocks = [
        vec![serverdata(3435, 1), Message::SpawnBaseline(base)],
        vec![frame(1, -1), player(OriginCoord(Coord::Long(80_000)), 4), entities(vec![entity(by(-16))])],
        vec![frame(2, 1), player(by(8), 4), entities(vec![entity(by(-16))])],
        // On the first one again.
        vec![frame(3, 1), player(by(-8), -1), entities(vec![entity(OriginCoord(Coord::Long(88)))])],
    ];
    let at = |n: usize| {
        let world = world(&blocks[..n]);
        let state = world.player_state().unwrap();
        (world.entity_state(4).unwrap().origin()[0], state.origin(), state.velocity()[0])
    };
    // The baseline is at -262144/8 = -32768 units.
    assert_eq!(at(2), (-32_770.0, [10_000.0, 0.0, 1.0], 0.5));
    assert_eq!(at(3), (-32_772.0, [10_001.0, 0.0, 2.0], 1.0));
    assert_eq!(at(4), (11.0, [9_999.0, 0.0, 2.0], 0.375));
    let world = world(&blocks);
    assert_eq!(world.entity_state(4).unwrap().old_origin()[0], -32_770.0);
    assert_eq!(world.dialect().protocol, 3435);
}

/// In Q2PRO's extended demos the server may tell how many frames a second there are: setting 1.
#[test]
fn frame_rates_that_are_told() {
    let setting = |index, value| Message::Setting(Setting { index, value });
    let with = |settings: Vec<Message<'static>>| {
        world(&[[vec![serverdata(3434, 1)], settings].concat(), told(40, -1, vec![]), told(60, 40, vec![])])
    };
    let clock = with(vec![setting(1, 40)]).clock();
    assert_eq!((clock.now, clock.frame, clock.demo), (Some(Moment::Milliseconds(1500)), Some(60), DemoTime(500_000)));
    let clock = with(vec![setting(0, 40), setting(1, 0)]).clock();
    assert_eq!((clock.now, clock.demo), (Some(Moment::Milliseconds(6000)), DemoTime::from_ms(2000)));
}

/// KMQuake2 keeps 64 frames.
#[test]
fn a_longer_ring() {
    let mut blocks = vec![vec![serverdata(Dialect::announced(56, 1).protocol, 1)]];
    blocks.extend((1..=64).map(|n| told(n, if n == 1 { -1 } else { n - 1 }, vec![])));
    blocks.push(told(65, 2, vec![]));
    let at_the_end = world(&blocks);
    assert!(at_the_end.is_complete() && at_the_end.missing_bases() == 0);
    blocks.push(told(66, 1, vec![]));
    assert_eq!(world(&blocks).missing_bases(), 1);
}

/// Lists out of order, entities beyond those that there are, two lists in a frame: nothing of that goes wrong.
#[test]
fn hostile_lists() {
    let world = after(&[
        told(10, -1, vec![moved(9, 1), moved(3, 2), moved(9, 3), moved(1023, 4), moved(1024, 5), moved(65_535, 6)]),
        told(11, 10, vec![moved(9, 7), moved(3, 8)]),
        [told(12, 11, vec![]), vec![entities(vec![removed(9)])], told(13, 12, vec![moved(3, 9)])].concat(),
    ]);
    assert_eq!(places(&world), [(3, 9.0), (9, 7.0), (1023, 4.0)]);
}
