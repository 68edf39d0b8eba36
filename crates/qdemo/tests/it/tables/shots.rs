//! `shots`: who shoots with what, against the ammunition that it costs.

use std::collections::BTreeMap;

use qdemo::Limits;
use qdemo::format::dm3::{EntityField, PlayerField};
use qdemo::replay::{Pass, Shots, Step, World};
use qdemo::table::SHOTS;
use qdemo::world::Scene;
use serde_json::Value;

use super::{messages, named, pieces, recordings, rows};
use crate::common::{all_dm2, all_dm3, demo, file_name, need, quake2_demo};
use crate::quake3::made::{Made, entity, eyes, player};

type Counts = BTreeMap<String, i64>;

fn add(counts: &mut Counts, name: &str) {
    *counts.entry(name.to_owned()).or_default() += 1;
}

/// Ammunition of a weapon of Quake, and rounds that a shot takes.
const OF_QUAKE: [(&str, &str, i64); 7] = [
    ("shotgun", "ammo_shells", 1),
    ("super_shotgun", "ammo_shells", 2),
    ("nailgun", "ammo_nails", 1),
    ("super_nailgun", "ammo_nails", 2),
    ("grenade_launcher", "ammo_rockets", 1),
    ("rocket_launcher", "ammo_rockets", 1),
    ("lightning_gun", "ammo_cells", 1),
];

/// In Quake the state of the recorder tells how much ammunition there is, message by message, and which weapon is in hand
/// (number 1 is the axe): what it loses while the same weapon is held and the recorder lives, was shot.
#[test]
fn ammunition_of_quake_goes_down_in_step() {
    let mut all = 0;
    for path in recordings().into_iter().filter(|path| path.extension().is_some_and(|e| e == "dem")) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut expected = Counts::new();
        let (mut last, mut view) = (Value::Null, 0);
        for message in pieces(&demo, &name).iter().flat_map(messages) {
            match message["message"].as_str().unwrap() {
                "serverinfo" => last = Value::Null,
                "setview" if view == 0 => view = message["entity"].as_i64().unwrap(),
                "clientdata" => {
                    let before = std::mem::replace(&mut last, message.clone());
                    let lives = |of: &Value| of["health"].as_i64().unwrap_or(0) > 0;
                    if before["weapon"] != message["weapon"] || !lives(&before) || !lives(message) {
                        continue;
                    }
                    let in_hand = message["weapon"][0].as_u64().unwrap_or(1) as usize;
                    let Some((weapon, ammo, _)) = in_hand.checked_sub(2).and_then(|n| OF_QUAKE.get(n)) else {
                        continue;
                    };
                    if before[ammo].as_i64() > message[ammo].as_i64() {
                        add(&mut expected, weapon);
                    }
                }
                _ => {}
            }
        }
        let mut told = Counts::new();
        for row in rows(&SHOTS, &demo, &name, &["entity", "weapon"]) {
            if row[0] == view.to_string() && row[1] != "axe" {
                add(&mut told, &row[1]);
            }
        }
        all += told.values().sum::<i64>();
        assert_eq!(told, expected, "{name}");
    }
    assert!(all > 10, "{all}");
}

/// In the recording of a QuakeWorld server the stats of everybody tell the same, when they change. Ammunition is lost in one
/// more way there: whoever dies or begins anew has what one begins with, which is many rounds at once.
#[test]
fn ammunition_of_quakeworld_goes_down_in_step() {
    let Some(folder) = need("corpus/mvd") else { return };
    let files = [
        "ParadokS81_quakeworld__4on4__sr__vs_red_dm3_20260327-1022.mvd",
        "ParadokS81_quakeworld__duel_tot_oddjob_vs_._paradoks_dm3_20260325-1154.mvd",
        "vikpe_mvdparser__2on2_sf_vs_red_frobodm2_220104-0915.mvd",
    ];
    for name in files {
        let demo = std::fs::read(folder.join(name)).unwrap();
        const HEALTH: usize = 0;
        let ammo = ["ammo_shells", "ammo_nails", "ammo_rockets", "ammo_cells"];
        let mut lost = Counts::new();
        // Stats of each player now and at the moment before: a moment is all records up to one that lets time pass.
        let (mut now, mut before) = (BTreeMap::<i64, [i64; 32]>::new(), BTreeMap::<i64, [i64; 32]>::new());
        for piece in pieces(&demo, name) {
            if piece["msec"].as_i64() > Some(0) {
                for (slot, stats) in &now {
                    let old = before.insert(*slot, *stats).unwrap_or(*stats);
                    if stats[HEALTH] <= 0 || old[HEALTH] <= 0 {
                        continue;
                    }
                    for (n, of) in ammo.iter().enumerate() {
                        let used = old[6 + n] - stats[6 + n];
                        if (1..=2).contains(&used) {
                            *lost.entry((*of).to_owned()).or_default() += used;
                        }
                    }
                }
            }
            let Some(slot) = piece["stats"].as_i64().or(piece["single"].as_i64()) else { continue };
            for message in messages(&piece) {
                let stat = named(message, "updatestat").or_else(|| named(message, "updatestatlong"));
                let Some((index, value)) = stat.and_then(|m| m["index"].as_u64().zip(m["value"].as_i64())) else {
                    continue;
                };
                now.entry(slot).or_insert([0; 32])[index as usize] = value;
            }
        }
        let mut told = Counts::new();
        for row in rows(&SHOTS, &demo, name, &["weapon"]) {
            if let Some((_, ammo, rounds)) = OF_QUAKE.iter().find(|(weapon, ..)| *weapon == row[0]) {
                *told.entry((*ammo).to_owned()).or_default() += rounds;
            }
        }
        for (ammo, told) in &told {
            // Who dies in the moment of a shot loses everything at once.
            let uncounted = told - lost.get(ammo).unwrap_or(&0);
            assert!((0..=2).contains(&uncounted), "{name}: {ammo} {told}, {lost:?}");
        }
        assert!(told.values().sum::<i64>() > 30);
    }
}

/// Who is seen, how well, with what in hand, and how much there is for it.
type InHand = (usize, i32, String, i32);

fn in_hand(world: &World) -> Option<InHand> {
    let slot = match world {
        World::Dm3(world) => world.seen(),
        _ => world.recorder(),
    }?;
    let player = world.player(slot)?;
    Some((slot, player.health?, player.weapon?.into_owned(), player.ammo?))
}

/// Shots of the player who is seen, by weapon, and the ammunition that was lost meanwhile: frame by frame, where the same
/// player lives and holds the same weapon. Who has more for it than before has taken some, and who has much less at once
/// begins anew.
fn own_shots(demo: &[u8], name: &str) -> BTreeMap<String, (i64, i64)> {
    let mut counts = BTreeMap::<String, (i64, i64)>::new();
    let (mut shots, mut last, mut told) = (None, None::<InHand>, Vec::new());
    let mut look = |step: &Step<'_>| {
        let shots = shots.get_or_insert_with(|| Shots::new(step.detected.kind));
        shots.step(step.world, &mut |shot| told.push((shot.slot, shot.weapon.clone().unwrap_or_default())));
        if !step.changes().frame {
            return Ok(());
        }
        let now = in_hand(step.world);
        if let (Some((slot, health, weapon, left)), Some((before, had_health, held, had))) = (&now, &last) {
            if (slot, weapon) == (before, held)
                && *health > 0
                && *had_health > 0
                && (0..=5).contains(&(had - left))
                && *left >= 0
            {
                let of = counts.entry(weapon.clone()).or_default();
                of.0 += told.iter().filter(|(who, with)| *who == Some(*slot) && with == weapon).count() as i64;
                of.1 += i64::from(had - left);
            }
        }
        last = now;
        told.clear();
        Ok(())
    };
    Pass::new(Limits::default()).run(demo, name, &mut [&mut look]).unwrap();
    counts
}

/// Recordings in which ammunition is no measure: it does not run out in warm-up and training, or (OSP, of whom one follows)
/// events of shots are left out.
const NO_MEASURE: [&str; 4] = [
    "mightycow_uberdemotools__duel_1.dm_68",
    "mightycow_uberdemotools__duel_2.dm_68",
    "mightycow_uberdemotools__3_matches_2_gamestates.dm_68",
    "mightycow_uberdemotools__baseq3_1_map_2_matches.dm_68",
];

/// Of more than two events within a snapshot some are lost, and so are those of lost packets.
#[test]
fn ammunition_of_quake_3_goes_down_in_step() {
    let mut all = 0;
    for path in all_dm3().into_iter().filter(|path| !NO_MEASURE.contains(&&*file_name(path))) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        for (weapon, (told, lost)) in own_shots(&demo, &name) {
            assert!((told - lost).abs() <= 2 + lost / 50, "{name}: {weapon} {told} times, for {lost}");
            all += told;
        }
    }
    assert!(all > 150, "{all}");
    assert!(need("corpus/q3").is_none() || all > 5_000, "{all}");
}

/// A rocket launcher, a machine gun and the like take a round for each flash; a chain gun has one flash for all rounds of
/// a frame, and grenades may be thrown.
#[test]
fn ammunition_of_quake_2_goes_down_in_step() {
    let single = ["machinegun", "shotgun", "railgun", "rocket_launcher", "grenade_launcher", "hyperblaster"];
    let mut all = 0;
    for path in all_dm2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        for (weapon, (told, lost)) in own_shots(&demo, &name) {
            eprintln!("{name}: {weapon} {told} times, for {lost}");
            if single.contains(&weapon.as_str()) {
                assert!((told - lost).abs() <= 1 + lost / 50, "{name}: {weapon} {told} times, for {lost}");
                all += told;
            }
        }
    }
    assert!(all > 3, "{all}");
}

const COLUMNS: [&str; 8] = ["slot", "entity", "weapon", "x", "y", "yaw", "source", "name"];

fn cells(all: &[[&str; 8]]) -> Vec<Vec<String>> {
    all.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
}

/// A level with the sounds of a rocket launcher and a shotgun, in which entity 1 is the player `a`.
fn quake(second: &[u8]) -> Vec<u8> {
    let mut level = vec![11];
    level.extend(15i32.to_le_bytes());
    level.extend(b"\x01\0title\0maps/e1m1.bsp\0\0weapons/sgun1.wav\0weapons/guncock.wav\0\0\x05\x01\0\x0D\0a\0");
    demo("-1\n", &[&level, second])
}

/// A sound: mask, entity and channel, number, and place 8, 16, 24.
fn sound(entity: u16, channel: u8, number: u8) -> Vec<u8> {
    let mut m = vec![6, 0];
    m.extend((entity << 3 | u16::from(channel)).to_le_bytes());
    m.push(number);
    m.extend([64i16, 128, 192].map(i16::to_le_bytes).as_flattened());
    m
}

/// Facts 1.7 and `weapons.qc`: the channel of weapons is 1; lightning of a player is temporary entity 6.
#[test]
fn shots_of_quake() {
    let mut lightning = vec![23, 6];
    lightning.extend(1i16.to_le_bytes());
    lightning.extend([0; 12]);
    let mut of_shambler = lightning.clone();
    of_shambler[1] = 5;
    let second = [sound(1, 1, 1), sound(1, 2, 1), sound(5, 1, 1), sound(1, 1, 2), lightning, of_shambler].concat();
    let told = rows(&SHOTS, &quake(&second), "x.dem", &COLUMNS);
    let expected = [
        ["0", "1", "rocket_launcher", "", "", "", "sound", "a"],
        ["0", "1", "shotgun", "", "", "", "sound", "a"],
        ["0", "1", "lightning_gun", "", "", "", "temp_entity", "a"],
    ];
    assert_eq!(told, cells(&expected));
}

/// With one shell left, the super shotgun fires like the other one (`W_FireSuperShotgun`), and sounds so.
#[test]
fn a_last_shell_is_shot_with_what_is_in_hand() {
    for (weapon, shells, name) in [(2, 0, "super_shotgun"), (2, 1, "shotgun"), (1, 0, "shotgun")] {
        // clientdata: no bits but items; then weapon frame and the like are absent.
        let mut client = vec![15, 0, 2];
        client.extend([0; 4]);
        client.extend(100i16.to_le_bytes());
        client.extend([shells, shells, 0, 0, 0, weapon]);
        let second = [client, sound(1, 1, 2)].concat();
        let told = rows(&SHOTS, &quake(&second), "x.dem", &["weapon"]);
        assert_eq!(told, [[name]], "{weapon} with {shells}");
    }
}

/// Facts 2: flashes of players and monsters. 128 is a silencer; 9 is somebody who comes into the game.
#[test]
fn shots_of_quake_2() {
    let mut level = vec![12];
    level.extend(34i32.to_le_bytes());
    level.extend(0x1_0000i32.to_le_bytes());
    level.extend(b"\x01\0\0\0The Edge\0\x0D\x20\x05b\\male/grunt\0");
    let flash = |id: u8, entity: i16, number: u8| [&[id], &entity.to_le_bytes()[..], &[number]].concat();
    let flashes = [
        flash(1, 1, 6),
        flash(1, 1, 128 + 7),
        flash(1, 1, 9),
        flash(2, 40, 61),
        flash(2, 41, 86),
        flash(2, 42, 200),
        flash(1, 1, 29),
    ];
    level.extend(flashes.concat());
    let told = rows(&SHOTS, &quake2_demo(&[&level]), "x.dm2", &COLUMNS);
    let expected = [
        ["0", "1", "railgun", "", "", "", "muzzleflash", "b"],
        ["0", "1", "rocket_launcher", "", "", "", "muzzleflash", "b"],
        ["", "40", "gladiator_railgun", "", "", "", "muzzleflash2", ""],
        // The fourth of the soldiers who take turns from 83 on.
        ["", "41", "soldier_blaster", "", "", "", "muzzleflash2", ""],
        ["", "42", "", "", "", "", "muzzleflash2", ""],
    ];
    assert_eq!(told, cells(&expected));
}

/// Facts 4.1 and 4.2: event 23 (Quake Live 20) of a player in view, of an entity that stands for the event, and of the one
/// who is seen. However many snapshots show it, it is one shot; another one changes the counter beside the number.
#[test]
fn shots_of_quake_3() {
    for (protocol, fire, first) in [(68, 23, 13), (45, 23, 12), (91, 20, 13)] {
        let mut made = Made::new(protocol, "", 0, &[0, 0, 0]);
        let mut me = eyes(0);
        me.set_int(PlayerField::Weapon, 7);
        me.set_float(PlayerField::ViewanglesY, 90.0);
        me.set_float(PlayerField::OriginX, -5.0);
        made.block(&[], &me, &[]);
        me.set_int(PlayerField::EventSequence, 1);
        me.set_int(PlayerField::Events0, fire);
        let mut other = player(1, [7.0, 8.0, 0.0], 0);
        other.set_int(EntityField::Weapon, 5);
        other.set_float(EntityField::AposTrBaseY, 45.0);
        for counter in [0x100, 0x100, 0x200] {
            other.set_int(EntityField::Event, fire | counter);
            let mut temporary = entity(first + fire, [9.0, 0.0, 0.0]);
            temporary.set_int(EntityField::EFlags, 0x10);
            temporary.set_int(EntityField::OtherEntityNum, 2);
            temporary.set_int(EntityField::Weapon, 6);
            made.block(&[], &me, &[(1, other), (100, temporary)]);
        }
        let told = rows(&SHOTS, &made.bytes(), &made.name(), &COLUMNS);
        let expected = [
            ["1", "1", "rocket_launcher", "7.0", "8.0", "45.0", "event", "p1"],
            ["2", "2", "lightning_gun", "9.0", "0.0", "0.0", "event", "p2"],
            ["0", "0", "railgun", "-5.0", "0.0", "90.0", "event", "p0"],
            ["1", "1", "rocket_launcher", "7.0", "8.0", "45.0", "event", "p1"],
        ];
        assert_eq!(told, cells(&expected), "protocol {protocol}");
    }
}
