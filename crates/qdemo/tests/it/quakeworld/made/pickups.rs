//! What is picked up, and what only seems to be: sounds, texts, inventories of one moment.

use super::*;

/// Whoever takes something makes its sound where it is, and it goes; texts and inventories that tell of the same are no
/// second pickup.
#[test]
fn pickups_are_heard() {
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin();
    // Red armour, told by nobody else. 25 health, which a text tells too. Nothing lies where b makes a sound.
    made.heard(&[40], &[(0, ARMOR, 1000)]).wait(20);
    made.heard(&[40, 41], &[(0, HEALTH, 2000), (1, HEALTH, NOTHING_NEAR)]).tell(0, "You receive 25 health\n");
    made.wait(1000);
    // Two of b: the armour that came back as b stood there is never seen, and its stats tell of it.
    made.heard(&[40, 41], &[(1, ARMOR, 1020)]).stats(1, 100, 200, SHOTGUN_AND_AXE | RED).wait(1000);
    // The same armour again, with damage at the same time: no more armour than before.
    made.heard(&[40], &[(1, ARMOR, 1020)]).stats(1, 80, 180, SHOTGUN_AND_AXE | RED).wait(1000);
    // A launcher, and its rockets another time: whoever has it takes what is in it.
    made.heard(&[], &[(0, WEAPON, 4000)]).stats(0, 100, 0, SHOTGUN_AND_AXE | ROCKETS).wait(1000);
    made.heard(&[], &[(0, WEAPON, 4000)]).wait(1000);
    // The sound of somebody who appears is none of a pickup.
    made.heard(&[], &[(0, 6, 1000)]);
    let wanted = [(0, "red_armor"), (0, "health_25"), (1, "red_armor"), (1, "red_armor"), (0, "rocket_launcher")];
    let wanted: Vec<_> = wanted.iter().map(|(slot, item)| (*slot, (*item).to_owned())).collect();
    assert_eq!(made.pickups(), wanted);
}

/// What comes back and is taken in one frame is gone from no list of entities, and a backpack that is dropped in it too is in
/// none: a text or a command tells what the sound is of (KTX's own account of such frames has nothing else). What lies there
/// may be taken in the same frame.
#[test]
fn texts_tell_what_no_list_shows() {
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin();
    made.tell(0, "You get 21 shells\n").heard(&[], &[(0, PACK, -1000)]).wait(1000);
    made.stuff("//ktx bp 90 2\n").heard(&[], &[(1, PACK, -1000)]).wait(1000);
    made.tell(0, "You get 21 shells\n").heard(&[44], &[(0, PACK, -1000), (0, PACK, -1000)]).wait(1000);
    // It came back as somebody stood there.
    made.heard(&[44], &[(1, PACK, -1000)]).wait(1000);
    // So did a box of shells beside it.
    made.tell(1, "You got the shells\n").heard(&[44], &[(1, PACK, -1000)]).wait(1000);
    let wanted = [(0, "backpack"), (1, "backpack"), (0, "backpack"), (0, "rockets"), (1, "rockets"), (1, "shells")];
    assert_eq!(made.pickups(), wanted.map(|(slot, item)| (slot, item.to_owned())));
}

/// Whoever comes back into a match may be told of what was taken in front of the name, in the same frame.
#[test]
fn a_pickup_of_whoever_comes() {
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin().tell(3, "You got the Rocket Launcher\n").all(&userinfo(3, 13, "\\name\\d")).wait(1000);
    // Whose name is never told stays nobody, and those events are told too.
    made.tell(4, "You got the Rocket Launcher\n").wait(1000).end();
    assert_eq!(made.pickups(), [(3, "rocket_launcher".to_owned())]);
    let mut all = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        all.extend(
            matches!(event.kind, EventKind::Pickup { .. }).then(|| (event.clock.demo.ms(), event.kind.to_string())),
        );
        Ok(())
    })
    .unwrap();
    let wanted = [(1000, "d takes rocket_launcher"), (2000, "somebody takes rocket_launcher")];
    assert_eq!(all, wanted.map(|(at, text)| (at, text.to_owned())));
}

/// What texts tell of in front of a name, sounds and inventories may tell of behind it, in the same frame: it is one pickup.
#[test]
fn whoever_comes_takes_things_once() {
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin().tell(3, "You got the rockets\n").tell(3, "You got the Red Armor\n");
    made.all(&userinfo(3, 13, "\\name\\d")).heard(&[40, 44], &[(3, PACK, -1000), (3, ARMOR, 1000)]);
    // Who comes in place of another takes something else.
    made.wait(1000).heard(&[], &[]).tell(3, "You got the rockets\n").all(&userinfo(3, 14, "\\name\\e"));
    made.heard(&[44], &[(3, PACK, -1000)]).wait(1000).end();
    let wanted = [(3, "rockets"), (3, "red_armor"), (3, "rockets"), (3, "rockets")];
    assert_eq!(made.pickups(), wanted.map(|(slot, item)| (slot, item.to_owned())));
}

/// id Software's texts tell of armour without its colour (`items.qc`). What is heard or seen in the same frame tells that.
#[test]
fn sounds_and_inventories_tell_the_colour_of_armor() {
    const GREEN: i32 = 1 << 13;
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin().tell(0, "You got armor\n").heard(&[40], &[(0, ARMOR, 1000)]).wait(1000);
    made.tell(1, "You got armor\n").stats(1, 100, 100, SHOTGUN_AND_AXE | GREEN).wait(1000);
    made.heard(&[], &[]).heard(&[40], &[(1, ARMOR, 1000)]).tell(1, "You got armor\n").wait(1000);
    // Nothing else tells of it.
    made.tell(2, "You got armor\n").wait(1000);
    made.tell(2, "You got armor\n").wait(1000).tell(2, "You got armor\n").end();
    let wanted = [(0, "red_armor"), (1, "green_armor"), (1, "red_armor"), (2, "armor"), (2, "armor"), (2, "armor")];
    assert_eq!(made.pickups(), wanted.map(|(slot, item)| (slot, item.to_owned())));
}

/// Whoever appears is given things, and may take others in the same frame: those are heard, and weapons in a backpack are
/// what goes beyond that which everybody is given: a shotgun and an axe, or everything where the rules give that.
#[test]
fn pickups_in_the_frame_of_a_spawn() {
    for (rules, given, found) in [("\\deathmatch\\1", SHOTGUN_AND_AXE, true), ("\\deathmatch\\4", ALL_WEAPONS, false)] {
        // Sounds may stand in front of stats, or behind them.
        for sound_first in [true, false] {
            let mut made = Made::new(rules, DUEL);
            made.print(2, "The match has begun!\n");
            for slot in 0..3 {
                made.stats(slot, 100, 0, given);
            }
            made.wait(1000).stats(0, -5, 0, given | ROCKETS).wait(1000);
            let sounds = [(0, ARMOR, 1000), (0, PACK, 1000)];
            let armored = given | RED | ROCKETS;
            match sound_first {
                true => made.heard(&[40], &sounds).stats(0, 100, 200, armored),
                false => made.stats(0, 100, 200, armored).heard(&[40], &sounds),
            };
            made.wait(1000);
            // And who appears without a sound took nothing.
            made.stats(1, 0, 0, given).wait(500).stats(1, 100, 0, given);
            let mut all = made.pickups();
            all.sort();
            let mut wanted = vec![(0, "red_armor".to_owned())];
            wanted.extend(found.then(|| (0, "rocket_launcher".to_owned())));
            assert_eq!(all, wanted, "{rules} {sound_first}");
        }
    }
}

/// After `kill` in the console a player lives again in the same frame, with what everybody is given: under `deathmatch 4` armour.
#[test]
fn what_kill_gives_is_not_picked_up() {
    for (text, pickups) in [("a suicides\n", 0), ("b suicides\n", 1)] {
        let mut made = Made::new(r"\deathmatch\4\mode\ffa", TEAMS);
        made.begin().stats(0, 250, 0, ALL_WEAPONS).wait(1000);
        made.print(1, text).stats(0, 250, 200, ALL_WEAPONS | RED).wait(1000).end();
        let armors = made.pickups().into_iter().filter(|(_, item)| item == "red_armor");
        assert_eq!(armors.count(), pickups, "{text}");
    }
}

/// In Berzerk KTX gives everybody a quad and a pentagram at once, and counts neither as taken.
#[test]
fn gifts_of_berzerk_are_not_picked_up() {
    const GIFTS: i32 = HAS_QUAD | 1 << 20;
    let taken = |text: &str| {
        let mut made = Made::new(r"\deathmatch\3\mode\ffa", DUEL);
        made.begin().wait(1000).print(2, text);
        for slot in 0..2 {
            made.stats(slot, 100, 0, SHOTGUN_AND_AXE | GIFTS | ROCKETS);
        }
        made.wait(1000).stats(2, 100, 0, SHOTGUN_AND_AXE | HAS_QUAD).wait(1000).end();
        made.pickups()
    };
    let [rocket, quad] = ["rocket_launcher", "quad"];
    let of = |all: &[(usize, &str)]| Vec::from_iter(all.iter().map(|(slot, item)| (*slot, (*item).to_owned())));
    assert_eq!(taken("BERZERK!!!!\n"), of(&[(0, rocket), (1, rocket), (2, quad)]));
    assert_eq!(taken("not yet\n").len(), 7);
}
