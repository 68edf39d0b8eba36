//! What game modules mean by numbers: stats, items, weapons, events, kinds of games.

use std::fs;

use qdemo::convert::{Target, convert};
use qdemo::event::EventKind;
use qdemo::format::dm3::{Array, EntityField, PlayerField};
use qdemo::game::quake3::World as World3;
use qdemo::game::quake3::names::Module;
use qdemo::replay::{Shots, Sounds};
use qdemo::world::Scene;
use qdemo::{FileKind, Limits};

use super::made::{Made, entity, eyes, player};
use super::world::fold;
use crate::common::{all_dm3, file_name, is_broken, testdata};

/// Armour is never more than twice the highest health (`g_items.c`), which is 100 and less here.
const MOST_ARMOR: i32 = 200;

/// What the player who is seen has: armour, and whether the weapon in hand is among what is carried; `None` for who does
/// not play.
fn own(world: &World3) -> Option<(i32, bool)> {
    let state = world.player_state().filter(|state| state.int(PlayerField::PmType) == 0)?;
    let weapon = world.weapon_name(state.int(PlayerField::Weapon));
    let (slot, mut carries) = (world.seen()?, false);
    world.carried(slot, &mut |name, _| carries |= *name == *weapon);
    Some((world.player(slot)?.armor?, carries))
}

/// Whoever plays carries the weapon in hand, so the bits of weapons stand where they are looked for, and armour beside them.
#[test]
fn whoever_plays_carries_the_weapon_in_hand() {
    let mut modules = Vec::new();
    for path in all_dm3().into_iter().filter(|path| !is_broken(path)) {
        let (name, demo) = (file_name(&path), fs::read(&path).unwrap());
        let mut frames = 0;
        let world = fold(&demo, &name, |world, _| {
            if !matches!(world.module(), Module::TeamArena | Module::OpenArena) {
                return;
            }
            if let Some((armor, carries)) = own(world) {
                assert!(carries && (0..=MOST_ARMOR).contains(&armor), "{name}: {armor} {carries}");
                frames += 1;
            }
        });
        modules.extend((frames > 0).then(|| world.module()));
    }
    assert!(modules.contains(&Module::OpenArena));
    // Nobody takes armour in it: before, the bits of weapons were taken for some.
    let mut armors = Vec::new();
    fold(&testdata("oa-dm2.dm_68"), "oa-dm2.dm_68", |world, _| armors.extend(own(world).map(|(armor, _)| armor)));
    assert!(armors.len() > 300 && armors.iter().all(|armor| *armor == 0), "{armors:?}");
}

/// What another player saw has stats where the game module has them.
#[test]
fn eyes_of_another_have_the_stats_of_the_module() {
    let target = Target::by_extension("dm_71", None).unwrap().of_player(3);
    let name = "oa-dm4.dm_71";
    let (out, _) = convert(&testdata(name)[..], name, Limits::default(), target, Vec::new()).unwrap();
    let mut frames = 0;
    fold(&out, name, |world, _| {
        if world.seen() == Some(3) {
            frames += u32::from(own(world).is_some_and(|own| own == (0, true)));
            let max_health = world.player_state().map(|state| state.slot(Array::Stats, 7));
            assert_eq!(max_health, Some(100));
        }
    });
    assert!(frames > 100, "{frames}");
}

/// Numbers of id's `bg_public.h`.
const PICKUP: i32 = 19;
const FIRE: i32 = 23;
const RESPAWN: i32 = 40;
const SOUND: i32 = 45;
const OBITUARY: i32 = 60;
const EF_DEAD: i32 = 1;

fn kinds(made: &Made) -> Vec<String> {
    let told = |event: &EventKind| match event {
        EventKind::Frag(_) => Some("frag"),
        EventKind::Pickup { .. } => Some("pickup"),
        EventKind::Respawn { .. } => Some("respawn"),
        _ => None,
    };
    made.events().iter().filter_map(|event| told(&event.kind)).map(str::to_owned).collect()
}

/// Shots and sounds.
fn heard(made: &Made) -> (usize, usize) {
    let (mut shots, mut sounds) = (Shots::new(FileKind::Dm3), Sounds::new(FileKind::Dm3));
    let mut count = (0, 0);
    fold(&made.bytes(), &made.name(), |world, _| {
        let world = qdemo::replay::World::Dm3(Box::new(world.clone()));
        shots.step(&world, &mut |_| count.0 += 1);
        sounds.step(&world, &mut |_| count.1 += 1);
    });
    count
}

/// Reaction has a grenade that bounces at the number of the obituary, and other things at those of other events.
#[test]
fn events_of_unknown_modules_are_not_ids() {
    let all = |info: &str, items: usize| {
        let mut made = Made::new(68, info, items, &[0, 0, 0]);
        made.block(&[], &eyes(0), &[]);
        let with = |mut state: qdemo::game::quake3::EntityState, event: i32| {
            state.set_int(EntityField::Event, event);
            state.set_int(EntityField::EventParm, 2);
            state
        };
        let missile = with(entity(3, [8.0; 3]), OBITUARY);
        let (took, item) = (with(player(1, [8.0; 3], 0), PICKUP), with(entity(2, [0.0; 3]), RESPAWN));
        let (shot, sound) = (with(player(2, [9.0; 3], 0), FIRE), with(entity(0, [0.0; 3]), SOUND));
        made.block(&[], &eyes(0), &[(1, took), (2, shot), (70, item), (80, missile), (81, sound)]);
        (kinds(&made), heard(&made))
    };
    let id = ["pickup", "respawn", "frag"].map(str::to_owned).to_vec();
    assert_eq!(all(r"\gamename\baseq3", 36), (id, (1, 1)));
    assert_eq!(all(r"\gamename\reaction", 20), (Vec::new(), (0, 0)));
}

/// What looks like an obituary is one: of somebody who is not seen alive, by somebody or the world, and without a direction,
/// which the logo has that somebody sprays in World of Padman.
#[test]
fn deaths_of_unknown_modules() {
    let all = |victim: Option<i32>, killer: i32, angle: f32| {
        let mut made = Made::new(68, r"\gamename\reaction", 20, &[0, 0, 0]);
        made.block(&[], &eyes(0), &[]);
        let mut told = made.obituary(1, killer, 5, [8.0; 3]);
        told.set_float(EntityField::AnglesX, angle);
        let victim = victim.map(|flags| (1, player(1, [8.0; 3], flags)));
        let seen: Vec<_> = victim.into_iter().chain([(99, told)]).collect();
        made.block(&[], &eyes(0), &seen);
        kinds(&made).len()
    };
    assert_eq!([all(None, 2, 0.0), all(Some(EF_DEAD), 2, 0.0), all(None, 1022, 0.0)], [1, 1, 1]);
    assert_eq!([all(Some(0), 2, 0.0), all(None, 700, 0.0), all(None, 2, 1.5)], [0, 0, 0]);
}

/// Weapons, powerups and items of such a module are numbers.
#[test]
fn unknown_modules_have_numbers_for_names() {
    let carried = |info: &str, items: usize| {
        let mut made = Made::new(68, info, items, &[0, 0]);
        let mut state = eyes(0);
        state.set_int(PlayerField::Weapon, 5);
        state.set_slot(Array::Stats, 2, 1 << 5);
        state.set_slot(Array::Powerups, 3, 40_000);
        let mut other = player(1, [8.0; 3], 0);
        other.set(EntityField::Powerups, 1 << 1);
        made.block(&[], &state, &[(1, other)]);
        let world = made.world();
        let mut all = vec![world.player(0).unwrap().weapon.unwrap().into_owned()];
        (0..2).for_each(|slot| world.carried(slot, &mut |name, _| all.push(name.to_owned())));
        all
    };
    assert_eq!(carried(r"\gamename\baseq3", 36), ["rocket_launcher", "rocket_launcher", "haste", "quad"]);
    assert_eq!(carried(r"\gamename\q3ut4", 20), ["weapon_5", "weapon_5", "powerup_3", "powerup_1"]);
}

/// Games of teams: those of OpenArena by its own list, those of unknown modules where somebody is in one.
#[test]
fn games_of_teams() {
    for (info, items, teams, in_teams) in [
        (r"\gamename\baseq3\g_gametype\3", 36, [1, 2], true),
        (r"\gamename\baseq3\g_gametype\2", 36, [0, 0], false),
        (r"\gamename\baseoa\g_gametype\9", 61, [1, 2], true),
        (r"\gamename\baseoa\g_gametype\10", 61, [0, 0], false),
        (r"\gamename\baseoa\g_gametype\12", 61, [1, 2], true),
        (r"\gamename\baseoa\g_gametype\13", 61, [0, 0], false),
        (r"\gamename\wop\g_gametype\3", 20, [0, 0], false),
        (r"\gamename\wop\g_gametype\5", 20, [0, 2], true),
    ] {
        let mut made = Made::new(71, info, items, &teams);
        made.block(&[], &eyes(0), &[]);
        assert_eq!(made.world().in_teams(), in_teams, "{info}");
        // Somebody changes teams.
        let now: u8 = if in_teams { 3 } else { 0 };
        made.block(&[made.team(1, now)], &eyes(0), &[]);
        let stays = in_teams && (teams[0] != 0 || !info.contains("wop"));
        assert_eq!(made.world().in_teams(), stays, "{info}");
    }
}

/// Who is out of a round of OpenArena looks on through another, with what is his own of all that lasts over deaths, and who watches
/// him has a copy of both (`SpectatorClientEndFrame` of its `g_active.c`): neither the score nor the attacker is of the other one
/// then.
#[test]
fn who_is_out_of_a_round_keeps_his_score() {
    const FOLLOWS: i32 = 4096;
    const SCORE: usize = 0;
    const TEAM: usize = 3;
    const ATTACKER: usize = 6;
    let told = |teams: &[u8], states: &[(i32, bool, [i32; 3])]| {
        let mut made = Made::new(71, r"\gamename\baseoa\g_gametype\8", 0, teams);
        for (n, (seen, follows, [score, team, attacker])) in (1..).zip(states) {
            let mut state = eyes(*seen);
            state.set_int(PlayerField::PmFlags, if *follows { FOLLOWS } else { 0 });
            let lasting = [(SCORE, score), (TEAM, team), (ATTACKER, attacker)];
            lasting.into_iter().for_each(|(slot, value)| state.set_slot(Array::Persistant, slot, *value));
            made.wait(2, &state, &[]);
            state.set_int(PlayerField::DamageEvent, n);
            state.set_int(PlayerField::DamageCount, 10);
            made.block(&[], &state, &[]);
        }
        let mut all = Vec::new();
        for event in made.events() {
            all.extend(match event.kind {
                EventKind::Score { player, to, .. } => Some(format!("{} {to}", player.name)),
                EventKind::Damage(damage) => {
                    let [attacker, victim] = [damage.attacker, damage.victim].map(|who| who.map(|who| who.name));
                    Some(format!("{} hurts {}", attacker.as_deref().unwrap_or("?"), victim.unwrap()))
                }
                _ => None,
            });
        }
        all
    };
    // 0 watches red 1 and blue 2, who is out then and looks on through red 1, and at last red 1.
    let watches =
        [(1, true, [0, 1, 2]), (2, true, [0, 2, 1]), (2, true, [1, 2, 1]), (1, true, [1, 2, 1]), (1, true, [3, 1, 2])];
    let right = ["p2 hurts p1", "p1 hurts p2", "p2 1", "p1 hurts p2", "? hurts p1", "p1 3", "p2 hurts p1"];
    assert_eq!(told(&[3, 1, 2], &watches), right);
    // 0 is red himself, out, and looks on through a mate.
    let plays = [(0, false, [0, 1, 2]), (0, false, [2, 1, 2]), (1, true, [2, 1, 2]), (1, true, [5, 1, 2])];
    assert_eq!(told(&[1, 1, 2], &plays), ["p2 hurts p0", "p0 2", "p2 hurts p0", "? hurts p1", "? hurts p1"]);
}
