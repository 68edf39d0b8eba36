//! The world of Quake's `.dem`: against the recordings, against itself, and in hand-made cases.

mod made;

use std::collections::BTreeMap;
use std::fs;

use crate::common::{self, all_dem, file_name};
use qdemo::describe::{ByteOrShort, Interleaved, ModelIndex};
use qdemo::dialect::Dialect;
use qdemo::format::dem::{self, ClientData, Decoder, Message, UpdateEntity, UpdateMore};
use qdemo::wire::{Angle, Coord};
use qdemo::world::Scene;
use qdemo::world::dem::{EntityState, World as Quake};
use qdemo::{Chunk, Limits, Reader};

/// Folds a demo, and hands out the world and the messages of each chunk after it was taken in.
fn fold(file: &[u8], name: &str, mut each: impl FnMut(&Quake, &[Message<'_>], Dialect)) -> Quake {
    let mut chunks = Reader::new(file, name, Limits::default()).unwrap();
    let mut world = Quake::default();
    let mut decoder = Decoder::default();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Dem(chunk) = chunk else { panic!("{name} is no Quake demo") };
        let broken = world.fold(&chunk);
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

/// The update that a server sends for a state: what differs from the base state.
fn update_of(
    number: u16,
    state: &EntityState,
    base: &EntityState,
    step: bool,
    finish: Option<u8>,
    d: &Dialect,
) -> UpdateEntity {
    let coord = |v: f32| Coord::from_f64(f64::from(v), d.coord).unwrap();
    let angle = |v: f32| Angle::from_degrees(f64::from(v), d.angle);
    let opacity = |v: Option<f32>| v.map_or(0, |v| (v * 254.0).round() as u8 + 1);
    let differs = |here: bool| here.then_some(());
    let fitzquake = d.update_bits >> 16 != 0;
    let high = |v: u16, sent: bool| (sent && v > 255 && fitzquake).then_some((v >> 8) as u8);
    let model = state.model != base.model;
    let frame = state.frame != base.frame;
    let mut place = Interleaved::default();
    for axis in 0..3 {
        place.first[axis] = differs(state.origin[axis] != base.origin[axis]).map(|()| coord(state.origin[axis]));
        place.second[axis] = differs(state.angles[axis] != base.angles[axis]).map(|()| angle(state.angles[axis]));
    }
    UpdateEntity {
        entity: ByteOrShort(number),
        modelindex: differs(model).map(|()| ModelIndex(state.model & if fitzquake { 0xFF } else { 0xFFFF })),
        frame: differs(frame).map(|()| state.frame as u8),
        colormap: differs(state.colormap != base.colormap).map(|()| state.colormap),
        skin: differs(state.skin != base.skin).map(|()| state.skin),
        effects: differs(state.effects != base.effects).map(|()| state.effects),
        place,
        new: step,
        more: UpdateMore {
            alpha: differs(state.opacity != base.opacity).map(|()| opacity(state.opacity)),
            scale: differs(state.scale != base.scale).map(|()| (state.scale * 16.0).round() as u8),
            frame2: high(state.frame, frame),
            modelindex2: high(state.model, model),
            lerpfinish: finish,
            trans: None,
        },
        mask_extra: 0,
    }
}

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

/// Facts 1.5: what `clientdata` leaves out when it has its default.
fn client_of(world: &Quake, sent: &ClientData) -> ClientData {
    let client = world.client().unwrap();
    let stat = |n| world.stat(n).unwrap();
    let low = |n| stat(n) as u8;
    let sign = |v: f32| (v != 0.0).then_some(qdemo::describe::SignedByte(v as i8));
    let mut asked = sent.clone();
    asked.view_ofs_z = (client.view_height != 22.0).then_some(qdemo::describe::SignedByte(client.view_height as i8));
    asked.punchangle_x = sign(client.ideal_pitch);
    asked.motion.first = client.punch.map(sign);
    asked.motion.second = client.velocity.map(|v| sign(v / 16.0));
    asked.items = Some(dem::Items(client.items));
    (asked.onground, asked.inwater) = (client.on_ground, client.in_water);
    asked.weaponframe = (low(5) != 0).then_some(low(5));
    asked.armorvalue = (low(4) != 0).then_some(low(4));
    asked.weaponmodel = (stat(2) != 0).then_some(ModelIndex(stat(2) as u16 & 0xFF));
    asked.health = stat(0) as i16;
    asked.currentammo = low(3);
    [asked.ammo_shells, asked.ammo_nails, asked.ammo_rockets, asked.ammo_cells] = [low(6), low(7), low(8), low(9)];
    asked.weapon = dem::WeaponBits(low(10));
    let high = |n: u8| (stat(n) > 255).then_some((stat(n) >> 8) as u8);
    asked.fitzquake.weaponmodel2 = high(2);
    asked.fitzquake.armorvalue2 = high(4);
    asked.fitzquake.currentammo2 = high(3);
    asked
}

/// From every state the update is made that a server would send, and compared with the one that was recorded.
#[test]
fn states_ask_for_the_updates_that_were_recorded() {
    let mut counts = BTreeMap::new();
    let (mut entities, mut equal) = (0u64, 0u64);
    let (mut clients, mut equal_clients) = (0u64, 0u64);
    for path in all_dem() {
        fold(&fs::read(&path).unwrap(), &file_name(&path), |world, messages, dialect| {
            // A block that begins a level changes the dialect on its way; no engine puts updates there.
            let last =
                |n: u16| messages.iter().rev().find(|m| matches!(m, Message::UpdateEntity(m) if m.entity.0 == n));
            for entity in world.in_view() {
                let Some(Message::UpdateEntity(sent)) = last(entity.number) else { continue };
                let base = world.baseline(entity.number).copied().unwrap_or_default();
                let asked = update_of(entity.number, &entity.state, &base, entity.step, entity.lerp_finish, &dialect);
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
                let mut asked = client_of(world, sent);
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
    let (mut agree, mut differ, mut files) = (0, 0, 0);
    for path in all_dem() {
        let mut told: BTreeMap<u8, i32> = BTreeMap::new();
        let mut any = false;
        fold(&fs::read(&path).unwrap(), &file_name(&path), |world, messages, _| {
            if messages.iter().any(|m| matches!(m, Message::ClientData(_))) {
                for (index, value) in std::mem::take(&mut told) {
                    any = true;
                    if world.stat(index) == Some(value) { agree += 1 } else { differ += 1 }
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
    assert!(common::shared("corpus/dem").is_none() || agree >= 16, "{agree}");
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
