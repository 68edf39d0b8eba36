//! The world of Quake's `.dem`: against the recordings, against itself, and in hand-made cases.

mod made;

use std::collections::BTreeMap;
use std::fs;

use crate::common::{self, all_dem, file_name};
use qdemo::describe::{ModelIndex, State};
use qdemo::format::dem::{self, Decoder, Dialect, Message, UpdateEntity};
use qdemo::game::quake::{Client, EntityState, Stats, World as Quake, diff_entities};
use qdemo::world::Scene;
use qdemo::{Chunk, Limits, Reader};

/// Folds a demo, and hands out the world and the messages of each chunk after it was taken in.
fn fold(file: &[u8], name: &str, mut each: impl FnMut(&Quake, &[Message<'_>], Dialect)) -> Quake {
    let mut chunks = Reader::new(file, name, Limits::default()).unwrap();
    let mut world = Quake::default();
    let mut decoder = Decoder::default();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Dem(chunk) = chunk else { panic!("{name} is no Quake demo") };
        let broken = world.apply(&chunk);
        let (messages, expected) = match &chunk {
            dem::Chunk::Block(block) => {
                let (packet, broken) = decoder.read(block);
                (packet.messages, broken)
            }
            dem::Chunk::Unframed(unframed) => (Vec::new(), Some(unframed.into())),
            _ => (Vec::new(), None),
        };
        assert_eq!(broken, expected, "{name}: the world finds the faults that reading finds");
        each(&world, &messages, decoder.before());
    }
    world
}

// ---- The world against the recordings ----

/// Counts why a recorded update is not the one that the world asks for. What was sent though the state is that of
/// the base state has a reason in the server: it compares its own floats, and the wire rounds them.
fn explain(sent: &UpdateEntity, asked: &UpdateEntity, counts: &mut BTreeMap<&'static str, u64>) {
    let mut left = sent.clone();
    let mut count = |class| *counts.entry(class).or_default() += 1;
    for axis in 0..3 {
        // The server sends what moved by more than 0.1; in eighths of a unit that can be the same number.
        if left.place.first[axis].is_some() && asked.place.first[axis].is_none() {
            left.place.first[axis] = None;
            count("origin rounds to the base state's");
        }
        // The server compares angles in degrees as they are; 256ths of a turn are coarser, and 360 is 0.
        if left.place.second[axis].is_some() && asked.place.second[axis].is_none() {
            left.place.second[axis] = None;
            count("angle rounds to the base state's");
        }
    }
    // Frames and skins are floats in the server's program, and sent as bytes.
    if left.frame.is_some() && asked.frame.is_none() {
        left.frame = None;
        count("frame rounds to the base state's");
    }
    // A mask byte more than needed, or a bit without a meaning.
    if left.mask_extra != 0 {
        left.mask_extra = 0;
        count("other mask bits");
    }
    if left != *asked {
        eprintln!("unexplained: {sent:?}\n asked {asked:?}");
        count("unexplained");
    }
}

/// From every state the update is made that a server would send, and compared with the one that was recorded.
#[test]
fn states_ask_for_the_updates_that_were_recorded() {
    let mut counts = BTreeMap::new();
    let (mut entities, mut equal) = (0u64, 0u64);
    let (mut clients, mut equal_clients) = (0u64, 0u64);
    for path in all_dem() {
        let mut before = None;
        fold(&fs::read(&path).unwrap(), &file_name(&path), |world, messages, dialect| {
            let known = std::mem::replace(&mut before, world.client().copied());
            // A block that begins a level changes the dialect on its way; no engine puts updates there.
            let last =
                |n: u16| messages.iter().rev().find(|m| matches!(m, Message::UpdateEntity(m) if m.entity.0 == n));
            let all = diff_entities(world.in_view(), world.baselines(), &dialect);
            assert_eq!(all.len(), world.in_view().len());
            for (entity, asked) in world.in_view().iter().zip(all) {
                let Some(Message::UpdateEntity(sent)) = last(entity.number) else { continue };
                let mut state = *world.baselines().base(entity.number);
                state.apply(&asked, &dialect);
                assert_eq!(state, entity.state);
                entities += 1;
                if *sent == asked {
                    equal += 1;
                } else {
                    explain(sent, &asked, &mut counts);
                }
            }
            if let Some(Message::ClientData(sent)) = messages.iter().rfind(|m| matches!(m, Message::ClientData(_))) {
                // Stats sent later in the block are another matter.
                if messages.iter().any(|m| matches!(m, Message::UpdateStat(_))) {
                    return;
                }
                clients += 1;
                let client = world.client().unwrap();
                let mut asked = client.message(known.as_ref(), &dialect);
                let mut told = Client { items: known.map_or(0, |c| c.items), ..Client::ZERO };
                told.apply(&asked, &dialect);
                assert_eq!(told, *client);
                if *sent == asked {
                    equal_clients += 1;
                    return;
                }
                let mut count = |class| *counts.entry(class).or_default() += 1;
                for axis in 0..3 {
                    // Velocities below 16 units/s, kicks below a degree: sent, as they are not 0, and cut to 0.
                    for (sent, asked, class) in [
                        (sent.motion.second[axis], &mut asked.motion.second[axis], "velocity rounds to 0"),
                        (sent.motion.first[axis], &mut asked.motion.first[axis], "kick rounds to 0"),
                    ] {
                        if asked.is_none() && sent.is_some_and(|v| v.0 == 0) {
                            *asked = sent;
                            count(class);
                        }
                    }
                }
                // A slope of less than a degree, likewise.
                if asked.punchangle_x.is_none() && sent.punchangle_x.is_some_and(|v| v.0 == 0) {
                    asked.punchangle_x = sent.punchangle_x;
                    count("slope rounds to 0");
                }
                // Servers of id's engine set the bit of the weapon model always.
                if asked.weaponmodel.is_none() && sent.weaponmodel == Some(ModelIndex(0)) {
                    asked.weaponmodel = sent.weaponmodel;
                    count("no weapon model");
                }
                // QuakeSpasm and others set WEAPON2 of all clientdata once a level has more than 255 models.
                for (sent, asked) in [(sent.fitzquake.weaponmodel2, &mut asked.fitzquake.weaponmodel2)] {
                    if asked.is_none() && sent == Some(0) {
                        *asked = sent;
                        count("high byte 0");
                    }
                }
                if *sent != asked {
                    eprintln!("unexplained: {sent:?}\n asked {asked:?}");
                    count("unexplained");
                }
            }
        });
    }
    eprintln!("{equal} of {entities} updates, {equal_clients} of {clients} clientdata equal; {counts:#?}");
    assert_eq!(counts.get("unexplained"), None, "{counts:#?}");
    assert!(equal * 100 > entities * 98, "{equal} of {entities}");
    assert!(equal_clients * 10 > clients * 5, "{equal_clients} of {clients}");
}

/// What changed is what differs between the worlds before and after.
#[test]
fn changes_are_the_difference_of_two_worlds() {
    for path in all_dem() {
        let mut before: BTreeMap<u16, EntityState> = BTreeMap::new();
        fold(&fs::read(&path).unwrap(), &file_name(&path), |world, messages, _| {
            let now: BTreeMap<_, _> = world.in_view().iter().map(|e| (e.number, e.state)).collect();
            let changes = world.changes();
            let list = |f: &dyn Fn(u16) -> bool, of: &BTreeMap<u16, EntityState>| -> Vec<u16> {
                of.keys().copied().filter(|n| f(*n)).collect()
            };
            assert_eq!(changes.added, list(&|n| !before.contains_key(&n), &now));
            assert_eq!(changes.removed, list(&|n| !now.contains_key(&n), &before));
            assert_eq!(changes.changed, list(&|n| before.get(&n).is_some_and(|old| *old != now[&n]), &now));
            let sounds = messages.iter().filter(|m| matches!(m, Message::Sound(_))).count();
            assert_eq!(changes.sounds.len(), sounds);
            assert_eq!(changes.level, messages.iter().any(|m| matches!(m, Message::ServerInfo(_))));
            assert!(world.is_complete() || now.is_empty());
            before = now;
        });
    }
}

// ---- Agreement of what is told twice ----

/// Recordings begun in the middle of a game tell the recorder's stats by `updatestat` first, and then by `clientdata`
/// as in every frame. Facts 1.8.
#[test]
fn stats_agree_with_the_next_clientdata() {
    let (mut agree, mut differ, mut files, mut asked) = (0, 0, 0, 0);
    for path in all_dem() {
        let mut told: BTreeMap<u8, i32> = BTreeMap::new();
        let (mut any, mut before) = (false, Stats::default());
        fold(&fs::read(&path).unwrap(), &file_name(&path), |world, messages, _| {
            if messages.iter().any(|m| matches!(m, Message::ClientData(_))) {
                for (index, value) in std::mem::take(&mut told) {
                    any = true;
                    if world.stat(index) == Some(value) { agree += 1 } else { differ += 1 }
                }
            }
            let known = if world.changes().level { Stats::default() } else { before };
            before = *world.stats();
            let alone = |m: &Message<'_>| {
                !matches!(m, Message::ClientData(_) | Message::FoundSecret(_) | Message::KilledMonster(_))
            };
            if messages.iter().all(alone) {
                // Only what was told can differ, and those who know the stats before are told just that.
                for m in Stats::diff(&known, world.stats()) {
                    assert!(messages.contains(&Message::UpdateStat(m)));
                    asked += 1;
                }
            }
            for message in messages {
                if let Message::UpdateStat(m) = message {
                    assert!(m.index.0 > 31 || world.stat(m.index.0 as u8).is_some());
                    if m.index.0 < 11 {
                        told.insert(m.index.0 as u8, m.value);
                    }
                }
            }
        });
        files += usize::from(any);
    }
    eprintln!("{agree} agree, {differ} differ, in {files} files");
    assert_eq!(differ, 0);
    assert!(common::shared("corpus/dem").is_none() || agree >= 16 && asked >= 50, "{agree} {asked}");
}

/// The weapon in hand is told four times: by its bit, by the bits of what is carried, by its model, and by its ammunition.
#[test]
fn the_weapon_agrees_with_model_items_and_ammunition() {
    let models = [
        ("progs/v_axe.mdl", "axe", None),
        ("progs/v_shot.mdl", "shotgun", Some("shells")),
        ("progs/v_shot2.mdl", "super_shotgun", Some("shells")),
        ("progs/v_nail.mdl", "nailgun", Some("nails")),
        ("progs/v_nail2.mdl", "super_nailgun", Some("nails")),
        ("progs/v_rock.mdl", "grenade_launcher", Some("rockets")),
        ("progs/v_rock2.mdl", "rocket_launcher", Some("rockets")),
        ("progs/v_light.mdl", "lightning_gun", Some("cells")),
    ];
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for path in all_dem() {
        // Team Fortress has weapons of its own.
        if file_name(&path).starts_with("QWTF") {
            continue;
        }
        fold(&fs::read(&path).unwrap(), &file_name(&path), |world, messages, _| {
            let told = messages.iter().any(|m| matches!(m, Message::ClientData(_)));
            let Some(recorder) = world.recorder().filter(|_| told) else { return };
            let player = world.player(recorder).unwrap();
            let model = world.stat(2).and_then(|m| world.model_name(m as u16)).unwrap_or_default();
            let Some((_, name, ammo)) = models.iter().find(|m| m.0.as_bytes() == model) else { return };
            let mut carried = BTreeMap::new();
            world.carried(recorder, &mut |name, value| assert_eq!(carried.insert(name.to_owned(), value), None));
            let mut count = |class| *counts.entry(class).or_default() += 1;
            count(if player.weapon.as_deref() == Some(*name) { "weapon" } else { "other weapon" });
            count(if carried.get(*name) == Some(&1) { "owned" } else { "not owned" });
            let amount = ammo.map_or(Some(0), |ammo| carried.get(ammo).copied());
            count(if amount == player.ammo.map(i64::from) { "ammunition" } else { "other ammunition" });
        });
    }
    eprintln!("{counts:#?}");
    let of = |class| counts.get(class).copied().unwrap_or(0);
    for (right, wrong) in [("weapon", "other weapon"), ("owned", "not owned"), ("ammunition", "other ammunition")] {
        // The game's program changes bit, model and ammunition one after the other: a frame may show them apart.
        assert!(of(right) > 1000 && of(wrong) * 100 < of(right), "{counts:#?}");
    }
}
