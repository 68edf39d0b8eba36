//! What game modules mean by numbers.

use std::fs;

use qdemo::Limits;
use qdemo::convert::{Target, convert};
use qdemo::format::dm3::{Array, PlayerField};
use qdemo::game::quake3::World as World3;
use qdemo::game::quake3::names::Module;
use qdemo::world::Scene;

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
