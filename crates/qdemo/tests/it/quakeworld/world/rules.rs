//! The rules of state, in recordings written by hand.

use qdemo::Limits;
use qdemo::detect::detect;
use qdemo::error::Moment;
use qdemo::game::quakeworld::stat;
use qdemo::replay::World;
use qdemo::world::{Scene, TextKind};

use super::{fold, quakeworld};
use crate::qwd::build::{CLIENT, MULTIVIEW, Server, block, hidden, multiple, packet, record};

/// Models 1 to 3: the map, a player, a rocket. In one part.
fn models() -> Vec<u8> {
    [&[45, 0][..], b"maps/dm3.bsp\0progs/player.mdl\0progs/missile.mdl\0", &[0, 0]].concat()
}

/// A base state: entity, model, and x in eighths.
fn baseline(entity: u16, model: u8, x: i16) -> Vec<u8> {
    let [lo, hi] = x.to_le_bytes();
    [&[22][..], &entity.to_le_bytes(), &[model, 0, 0, 0, lo, hi, 0, 0, 0, 0, 0, 0, 0]].concat()
}

/// An entity with x in eighths.
fn at_x(entity: u16, x: i16) -> Vec<u8> {
    [(entity | 1 << 9).to_le_bytes(), x.to_le_bytes()].concat()
}

/// An entity that is removed.
fn gone(entity: u16) -> Vec<u8> {
    (entity | 1 << 14).to_le_bytes().to_vec()
}

fn full(entities: &[Vec<u8>]) -> Vec<u8> {
    [&[47][..], &entities.concat(), &[0, 0]].concat()
}

fn delta(from: u8, entities: &[Vec<u8>]) -> Vec<u8> {
    [&[48, from][..], &entities.concat(), &[0, 0]].concat()
}

/// A player of a `.qwd` at whole units.
fn player(slot: u8, flags: u16, at: [i16; 3], rest: &[u8]) -> Vec<u8> {
    let place: Vec<u8> = at.iter().flat_map(|v| (v * 8).to_le_bytes()).collect();
    [&[42, slot][..], &flags.to_le_bytes(), &place, &[0], rest].concat()
}

fn stat_long(index: usize, value: i32) -> Vec<u8> {
    [&[38, index as u8][..], &value.to_le_bytes()].concat()
}

fn userinfo(slot: u8, user: i32, text: &str) -> Vec<u8> {
    [&[40, slot][..], &user.to_le_bytes(), text.as_bytes(), &[0]].concat()
}

/// A level as far as the game: introduction, models, two base states.
fn begin(server: &Server) -> Vec<u8> {
    [server.data(), models(), baseline(40, 3, 80), baseline(41, 3, 160)].concat()
}

/// The entities in view after each chunk: number and x.
type Seen = Vec<(u16, f32)>;

fn entities(demo: &[u8], name: &str) -> (Vec<(bool, Seen)>, World) {
    let mut all = Vec::new();
    let world = fold(demo, name, |_, world| {
        let seen = world.entity_states().iter().map(|e| (e.number, e.origin()[0])).collect();
        all.push((world.is_complete(), seen));
    });
    (all, world)
}

#[test]
fn lists_of_a_client_build_on_packets() {
    let demo = [
        packet(1.0, 1, &begin(&CLIENT)),
        // Entity 40 from its base state, 41 at x = 4.
        packet(2.0, 70, &full(&[gone(39), vec![40, 0], at_x(41, 32)])),
        // Not named: stays. Named: changes. New: from its base state.
        packet(3.0, 71, &delta(70, &[at_x(41, 40)])),
        packet(4.0, 72, &delta(71, &[gone(40), at_x(42, 8)])),
        // Builds on an earlier packet than the last one.
        packet(5.0, 73, &delta(70, &[])),
        // Packet 69 is not in the file, and 64 packets ago is too long ago.
        packet(6.0, 74, &delta(69, &[at_x(41, 48)])),
        // What builds on the packet that could not be understood cannot be either.
        packet(7.0, 75, &delta(74, &[])),
        packet(8.0, 76, &delta(73, &[at_x(40, 16)])),
        packet(9.0, 140, &delta(76, &[])),
        packet(10.0, 141, &full(&[])),
    ];
    let (seen, world) = entities(&demo.concat(), "x.qwd");
    let two = vec![(40, 10.0), (41, 4.0)];
    let none = Vec::new();
    let wanted = [
        (true, none.clone()),
        (true, two.clone()),
        (true, vec![(40, 10.0), (41, 5.0)]),
        (true, vec![(41, 5.0), (42, 1.0)]),
        (true, two),
        (false, none.clone()),
        (false, none.clone()),
        (true, vec![(40, 2.0), (41, 4.0)]),
        (false, none.clone()),
        (true, none),
    ];
    assert_eq!(seen, wanted);
    assert_eq!(quakeworld(&world).baselines().get(41).origin(), [20.0, 0.0, 0.0]);
    assert_eq!(quakeworld(&world).sequence(), (141, 141));
}

#[test]
fn changes_are_those_of_what_is_in_view() {
    let demo = [
        packet(1.0, 1, &begin(&CLIENT)),
        packet(2.0, 2, &[player(0, 0, [1, 2, 3], &[]), full(&[vec![40, 0], at_x(41, 32)])].concat()),
        // Equal to before, from the base states: nothing changes.
        packet(3.0, 3, &[player(0, 0, [1, 2, 3], &[]), full(&[vec![40, 0], at_x(41, 32)])].concat()),
        packet(4.0, 4, &[player(1, 0, [1, 2, 3], &[]), delta(3, &[gone(40), at_x(41, 40), at_x(42, 1)])].concat()),
        packet(5.0, 5, &[player(1, 0, [1, 2, 4], &[]), delta(200, &[])].concat()),
        packet(6.0, 6, b"\x08\x02hello\0"),
    ];
    let mut all = Vec::new();
    fold(&demo.concat(), "x.qwd", |_, world| {
        let it = world.changes();
        all.push((it.level, it.frame, it.added.clone(), it.changed.clone(), it.removed.clone()));
    });
    let no = Vec::<u16>::new;
    let wanted = [
        (true, false, no(), no(), no()),
        (false, true, vec![1, 40, 41], no(), no()),
        (false, true, no(), no(), no()),
        (false, true, vec![2, 42], vec![41], vec![1, 40]),
        // The base is missing: nothing is said of entities; players need none.
        (false, true, no(), vec![2], vec![41, 42]),
        (false, false, no(), no(), no()),
    ];
    assert_eq!(all, wanted);
}

#[test]
fn lists_of_a_server_build_on_the_list_before() {
    let at = |x: i16| vec![at_x(41, x)];
    let demo = [
        record(6, &begin(&MULTIVIEW)),
        record(6, &full(&at(8))),
        record(6, &delta(1, &at(16))),
        record(6, &delta(2, &[vec![40, 0]])),
        // Number 3 was lost.
        record(6, &delta(4, &at(24))),
        record(6, &delta(5, &at(32))),
        // A complete list may come at any time.
        record(6, &full(&at(40))),
        record(6, &delta(9, &at(48))),
    ];
    let (seen, _) = entities(&demo.concat(), "x.mvd");
    let one = |x| (true, vec![(41, x)]);
    let lost = (false, Vec::new());
    let wanted = [
        (true, Vec::new()),
        one(1.0),
        one(2.0),
        (true, vec![(40, 10.0), (41, 2.0)]),
        lost.clone(),
        lost,
        one(5.0),
        one(6.0),
    ];
    assert_eq!(seen, wanted);
}

#[test]
fn without_an_introduction_nothing_is_known_of_entities() {
    let x = [42, 1, 1, 0, 0, 80, 0];
    let yz = [42, 1, 6, 0, 0, 80, 0, 80, 0];
    let lists = record(6, &full(&[at_x(41, 8)]));
    let demo = [record(6, &x), lists.clone(), record(6, &yz), record(6, &begin(&MULTIVIEW)), record(6, &x), lists];
    let all = demo.concat();
    let mut world = World::new(&detect(&all, true, "x.mvd", Limits::default())).unwrap();
    let mut seen = Vec::new();
    fold(&all, "x.mvd", |chunk, _| {
        world.apply(chunk);
        let origin = quakeworld(&world).slot(1).unwrap().state.and_then(|s| s.origin());
        seen.push((world.is_complete(), quakeworld(&world).entity_states().len(), origin));
    });
    let all = Some([10.0; 3]);
    let x = Some([10.0, 0.0, 0.0]);
    let wanted = [(true, 0, None), (false, 0, None), (false, 0, all), (true, 0, None), (true, 0, x), (true, 1, x)];
    assert_eq!(seen, wanted);
}

#[test]
fn a_new_level_resets_everything_but_the_clock() {
    let first = [
        begin(&CLIENT),
        userinfo(3, 77, r"\name\me\team\red\topcolor\4\bottomcolor\13"),
        [14, 3, 5, 0].to_vec(),
        stat_long(stat::HEALTH, 100),
        b"\x0C\x05mnm\0".to_vec(),
        b"\x18\x01".to_vec(),
        b"\x09fullserverinfo \"\\hostname\\here\"\n\0".to_vec(),
    ];
    let demo = [
        packet(10.0, 1, &first.concat()),
        packet(11.0, 2, &[player(3, 0, [0, 0, 0], &[]), full(&[vec![40, 0]])].concat()),
        packet(12.0, 3, &CLIENT.data()),
        packet(13.0, 4, &delta(2, &[])),
    ];
    let mut steps = Vec::new();
    let world = fold(&demo.concat(), "x.qwd", |_, world| {
        let me = world.player(3).map(|p| (p.frags, p.health, p.origin.is_some()));
        steps.push((world.level().number, me, world.is_paused(), world.models().len(), world.serverinfo().len()));
    });
    let wanted = [
        (0, Some((Some(5), Some(100), false)), true, 3, 14),
        (0, Some((Some(5), Some(100), true)), true, 3, 14),
        (1, None, false, 0, 0),
        (1, None, false, 0, 0),
    ];
    assert_eq!(steps, wanted);
    let it = quakeworld(&world);
    assert_eq!((it.lightstyle(5), it.baselines().get(40).model, it.is_complete()), (None, 0, false));
    assert_eq!((it.clock().demo.ms(), it.clock().now), (3000, Some(Moment::Seconds(13.0))));
}

#[test]
fn the_view_of_a_client() {
    let command: Vec<u8> = [
        &[13, 0, 0, 0][..],
        [1.0f32, 2.0, 0.0].map(f32::to_le_bytes).as_flattened(),
        &[0; 6],
        &[1, 0],
        [10.0f32, 20.0, 0.0].map(f32::to_le_bytes).as_flattened(),
    ]
    .concat();
    let me = |flags, at| [player(3, flags, at, &[]), full(&[])].concat();
    let viewheight = b"\x09fullserverinfo \"\\*z_ext\\4\"\n\0".to_vec();
    let demo = [
        packet(1.0, 1, &[begin(&CLIENT), userinfo(3, 7, r"\name\me")].concat()),
        block(1.5, 0, &command),
        packet(2.0, 2, &me(0, [100, 0, 0])),
        // The server turns the view: 64 of 256 parts to the left.
        packet(3.0, 3, &[&[10, 0, 64, 0][..], &me(0, [0; 3])].concat()),
        packet(4.0, 4, &me(1 << 9, [0; 3])),
        packet(5.0, 5, &me(1 << 9 | 1 << 10, [0; 3])),
        packet(6.0, 6, &[viewheight, stat_long(stat::VIEW_HEIGHT, 12), me(0, [0; 3])].concat()),
        packet(7.0, 7, &full(&[])),
        packet(8.0, 8, &[30, 8, 0, 16, 0, 24, 0, 0, 64, 0]),
    ];
    let mut views = Vec::new();
    fold(&demo.concat(), "x.qwd", |_, world| {
        views.push(world.view().map(|v| (v.slot, v.origin, v.angles)));
    });
    let (eyes, turned) = ([10.0, 20.0, 0.0], [0.0, 90.0, 0.0]);
    let wanted = [
        None,
        Some((Some(3), None, eyes)),
        Some((Some(3), Some([100.0, 0.0, 22.0]), eyes)),
        Some((Some(3), Some([0.0, 0.0, 22.0]), turned)),
        Some((Some(3), Some([0.0, 0.0, -16.0]), [0.0, 90.0, 80.0])),
        Some((Some(3), Some([0.0, 0.0, 8.0]), [0.0, 90.0, 80.0])),
        Some((Some(3), Some([0.0, 0.0, 12.0]), turned)),
        // Not in sight of oneself: a spectator's proxy, say.
        Some((Some(3), None, turned)),
        Some((None, Some([1.0, 2.0, 3.0]), turned)),
    ];
    assert_eq!(views, wanted);
}

/// In `.qwd` an absent field has its usual value, in `.mvd` that of the last message about the same player.
#[test]
fn absent_fields_of_players() {
    let client = [
        packet(1.0, 1, &begin(&CLIENT)),
        // Velocity x 300, model 3, skin 5, effects 8.
        packet(2.0, 2, &[player(1, 0b1110_0100, [1, 2, 3], &[0x2C, 1, 3, 5, 8]), full(&[])].concat()),
        packet(3.0, 3, &[player(1, 0, [1, 2, 3], &[]), full(&[])].concat()),
    ];
    let mut all = Vec::new();
    fold(&client.concat(), "x.qwd", |_, world| {
        all.extend(world.slot(1).unwrap().state.map(|s| (s.velocity(), s.look.model, s.look.skin, s.effects)));
    });
    assert_eq!(all, [(Some([300.0, 0.0, 0.0]), 3, 5, 8), (Some([0.0; 3]), 2, 0, 0)]);

    // Slot, flags, frame; origin and angles; model, skin.
    let whole =
        [&[42, 1][..], &0b1000_1011_1111u16.to_le_bytes(), &[4], &[8, 0, 16, 0, 24, 0], &[0, 64, 0, 0, 0, 0], &[2, 7]];
    let server = [
        record(6, &begin(&MULTIVIEW)),
        // What the first message does not tell is 0.
        record(6, &[&[42, 1, 0b10, 0, 3, 80, 0][..], &full(&[])].concat()),
        record(6, &[&whole.concat()[..], &full(&[])].concat()),
        record(6, &[&[42, 1, 0b10, 0, 5, 80, 0][..], &full(&[])].concat()),
        // Nobody is in view.
        record(6, &[42, 2, 0, 0, 0]),
        record(6, &full(&[])),
    ];
    let mut all = Vec::new();
    fold(&server.concat(), "x.mvd", |_, world| {
        let state = world.slot(1).unwrap().state;
        all.push((
            state.map(|s| (s.origin(), s.angles(), s.frame, s.look.model, s.look.skin)),
            world.entity(2).map(|e| e.origin),
        ));
    });
    let turned = Some([90.0, 0.0, 0.0]);
    let end = Some((Some([1.0, 10.0, 3.0]), turned, 5, 2, 7));
    let wanted = [
        (None, None),
        (Some((Some([0.0, 10.0, 0.0]), Some([0.0; 3]), 3, 0, 0)), Some([0.0, 10.0, 0.0])),
        (Some((Some([1.0, 2.0, 3.0]), turned, 4, 2, 7)), Some([1.0, 2.0, 3.0])),
        (end, Some([1.0, 10.0, 3.0])),
        // Whoever the last record about players does not tell of is out of view, before the list or behind it.
        (end, None),
        (end, None),
    ];
    assert_eq!(all, wanted);
}

#[test]
fn whom_a_record_is_for() {
    let health = |v| stat_long(stat::HEALTH, v);
    let print = |text: &str| [b"\x08\x02", text.as_bytes(), b"\0"].concat();
    let demo = [
        record(6, &begin(&MULTIVIEW)),
        record(5 | 4 << 3, &health(50)),
        // As the record before.
        record(1, &stat_long(stat::ARMOR, 150)),
        record(4 | 5 << 3, &[health(60), print("one")].concat()),
        multiple(0b110, &[health(70), print("two")].concat()),
        multiple(1 << 4, &print("four")),
        record(6, &print("all")),
        // For nobody, where the server did not announce hidden messages.
        multiple(0, &[health(1), print("none"), vec![24, 1]].concat()),
    ];
    let mut said = Vec::new();
    let world = fold(&demo.concat(), "x.mvd", |_, world| {
        said.extend(world.changes().texts().map(|(said, text, slot)| (said, text.to_vec(), slot)));
    });
    let healths: Vec<_> = (0..7).map(|slot| quakeworld(&world).stats(slot).map(|s| s.get(stat::HEALTH))).collect();
    assert_eq!(healths, [None, Some(70), Some(70), None, Some(50), Some(60), None]);
    assert_eq!(quakeworld(&world).stats(4).unwrap().get(stat::ARMOR), 150);
    assert!(!world.is_paused());
    let print = TextKind::Print(Some(2));
    let wanted = [("one", Some(5)), ("two", None), ("four", Some(4)), ("all", None)].map(|(t, s)| (print, t.into(), s));
    assert_eq!(said, wanted);
}

#[test]
fn clocks_and_pauses() {
    // The clock of a client may run backwards: demo time then stands still.
    let demo = [
        packet(100.0, 1, &begin(&CLIENT)),
        packet(101.5, 2, &[24, 1]),
        packet(3.0, 3, &[24, 0]),
        packet(3.25, 4, &[1]),
    ];
    let mut times = Vec::new();
    fold(&demo.concat(), "x.qwd", |_, world| {
        times.push((world.clock().demo.ms(), world.clock().now, world.is_paused()));
    });
    let at = |s| Some(Moment::Seconds(s));
    assert_eq!(
        times,
        [(0, at(100.0), false), (1500, at(101.5), true), (1500, at(3.0), false), (1750, at(3.25), false)]
    );

    // A server's clock is the sum of milliseconds; in a pause it stands still, and the pause is told apart.
    let server = Server { mvd1: 0x20, ..MULTIVIEW };
    let later = |ms: u8, mut record: Vec<u8>| {
        record[0] = ms;
        record
    };
    let demo = [
        record(6, &begin(&server)),
        later(13, record(6, &[1])),
        later(255, record(6, &[1])),
        multiple(0, &[10, 0, 100]),
        multiple(0, &[10, 0, 103]),
        multiple(0, &hidden(7, &[0; 8])),
        later(7, record(6, &[1])),
    ];
    let mut times = Vec::new();
    let world = fold(&demo.concat(), "x.mvd", |_, world| {
        times.push((world.clock().demo.ms(), world.is_paused(), world.paused_ms()));
    });
    let wanted = [
        (0, false, 0),
        (13, false, 0),
        (268, false, 0),
        (268, true, 100),
        (268, true, 203),
        (268, true, 203),
        (275, false, 203),
    ];
    assert_eq!(times, wanted);
    assert_eq!(world.clock().now, Some(Moment::Milliseconds(275)));
    assert_eq!((world.view(), world.recorder()), (None, None));
}

/// A ping is 16 bits of an average of times since something was sent, which are not negative (`SV_CalcPing`: only those
/// above 0 count). A client that lags has such in a recording at hand: 32420, 32580, 32740, and then -32635, which is 161
/// more as a number without sign.
#[test]
fn pings_are_not_negative() {
    for (sent, ping) in [(32_740i16, 32_740), (-32_635, 32_901), (-13_299, 52_237), (9999, 9999), (0, 0)] {
        let told = [&[36, 3][..], &sent.to_le_bytes()].concat();
        let start = [begin(&CLIENT), userinfo(3, 77, r"\name\me"), told].concat();
        let world = fold(&packet(10.0, 1, &start), "x.qwd", |_, _| {});
        assert_eq!(world.player(3).unwrap().ping, Some(ping));
        // A recording that begins here says the same bits.
        let keyframe = format!("{:?}", world.keyframe());
        assert!(keyframe.contains(&format!("UpdatePing {{ player: 3, ping: {sent} }}")), "{keyframe}");
    }
}

/// Who only watches is sent the stats of the player whom he looks through, and has nothing of that.
#[test]
fn who_watches_has_nothing() {
    let has = |health: u8, items: i32| [&[3, stat::HEALTH as u8, health][..], &stat_long(stat::ITEMS, items)].concat();
    for watches in [false, true] {
        let info = if watches { r"\name\me\*spectator\1" } else { r"\name\me" };
        let demo = [
            packet(10.0, 1, &[begin(&CLIENT), userinfo(3, 77, info), has(100, 1)].concat()),
            packet(11.0, 2, &has(90, 1 | 1 << 5)),
            packet(12.0, 3, &[27]),
        ]
        .concat();
        let world = fold(&demo, "x.qwd", |_, _| {});
        assert_eq!(world.player(3).unwrap().health, (!watches).then_some(90));
        assert_eq!(quakeworld(&world).stats(3).unwrap().get(stat::HEALTH), 90);
        let mut carried = 0;
        world.carried(3, &mut |_, n| carried += n);
        assert_eq!(carried, if watches { 0 } else { 2 });
        let mut taken = 0;
        qdemo::replay::events(&demo[..], "x.qwd", Limits::default(), &mut |event| {
            taken += usize::from(matches!(event.kind, qdemo::event::EventKind::Pickup { .. }));
            Ok(())
        })
        .unwrap();
        assert_eq!(taken, usize::from(!watches));
    }
}

#[test]
fn the_score_board() {
    let demo = [
        packet(
            10.0,
            1,
            &[begin(&CLIENT), userinfo(3, 77, r"\name\me\team\red\topcolor\4\bottomcolor\13\*spectator\1")].concat(),
        ),
        packet(
            12.0,
            2,
            &[
                &b"\x33\x03team\0blue\0\x33\x03*spectator\0\0"[..],
                // Ping 40 ms, loss 7 percent, 5 seconds in the game, -3 frags.
                &[36, 3, 40, 0, 53, 3, 7, 37, 3],
                &5.0f32.to_le_bytes(),
                &[14, 3, 0xFD, 0xFF],
                b"\x34status\0Standby\0",
                &[3, stat::ACTIVE_WEAPON as u8, 32, 3, stat::AMMO as u8, 9, 3, 8, 9],
                &stat_long(stat::ITEMS, 1 << 22 | 1 << 5 | 1),
                &[27, 27, 28],
            ]
            .concat(),
        ),
    ];
    let world = fold(&demo.concat(), "x.qwd", |_, _| {});
    let me = world.player(3).unwrap();
    assert_eq!((&*me.name, me.team.as_deref(), me.spectator), (&b"me"[..], Some(&b"blue"[..]), false));
    assert_eq!(
        (me.ping, me.frags, me.ammo, me.weapon.as_deref()),
        (Some(40), Some(-3), Some(9), Some("rocket_launcher"))
    );
    let mut carried = Vec::new();
    world.carried(3, &mut |name, n| carried.push((name.to_owned(), n)));
    let wanted = [
        ("shells", 0),
        ("nails", 0),
        ("rockets", 9),
        ("cells", 0),
        ("shotgun", 1),
        ("rocket_launcher", 1),
        ("quad", 1),
    ];
    assert_eq!(carried, wanted.map(|(name, n)| (name.to_owned(), n)));
    let it = quakeworld(&world);
    let slot = it.slot(3).unwrap();
    assert_eq!((slot.user, slot.loss, slot.colors()), (77, Some(7), [Some(4), Some(13)]));
    // Two seconds into the recording, five seconds ago.
    assert_eq!(slot.entered.unwrap().ms(), -3000);
    assert_eq!((it.stats(3).unwrap().get(stat::MONSTERS), it.stats(3).unwrap().get(stat::SECRETS)), (2, 1));
    assert_eq!(it.serverinfo(), br"\status\Standby");
    assert_eq!(world.players().count(), 1);
}

/// Numbers out of every range, lists out of order: something comes out, and nothing breaks.
#[test]
fn nonsense_is_survived() {
    let wild = [
        begin(&CLIENT),
        baseline(0xFFFF, 9, 1),
        [&[45, 255][..], b"far\0\0", &[0]].concat(),
        vec![14, 200, 1, 0, 36, 200, 1, 0, 3, 200, 1, 12, 200, b'm', 0],
        player(200, 0, [0; 3], &[]),
        userinfo(255, 1, r"\name\x"),
    ];
    let list = full(&[at_x(50, 8), at_x(40, 16), at_x(50, 24), at_x(1, 8)]);
    let demo = [
        packet(1.0, 1, &wild.concat()),
        packet(2.0, 2, &list),
        packet(3.0, 3, &delta(2, &[gone(60), at_x(45, 8), gone(1)])),
    ];
    let (seen, world) = entities(&demo.concat(), "x.qwd");
    assert_eq!(seen[1].1, [(1, 1.0), (40, 2.0), (50, 3.0)]);
    assert_eq!(seen[2].1, [(40, 2.0), (45, 1.0), (50, 3.0)]);
    assert_eq!(quakeworld(&world).models().len(), 256);
    assert!(!world.to_json().is_empty());
}
