//! What damage takes, and what it tells of deaths.

use super::*;

/// Texts about team mates name no weapon, and some about others neither: messages about damage do, in front of the text or
/// behind it.
#[test]
fn means_of_deaths_by_messages_about_damage() {
    const ROCKET: u16 = 7;
    const LAVA: u16 = 13;
    let mut made = Made::new("\\deathmatch\\1\\teamplay\\2", TEAMS);
    made.begin();
    made.damage(1, 1, 3, 5).damage(ROCKET | 0x8000, 1, 3, 95).print(1, "a mows down a teammate\n").stats(2, -5, 0, 1);
    made.wait(1000);
    made.print(1, "b died\n").damage(LAVA, 0, 2, 120).stats(1, -20, 0, 1).wait(1000);
    // Nobody says with what.
    made.print(1, "a checks his glasses\n").wait(1000);
    made.end();
    let mut deaths = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        if let EventKind::Frag(frag) = &event.kind {
            deaths.push((frag.kind, frag.victim.name.clone(), frag.weapon.to_string(), frag.means.to_string()));
        }
        Ok(())
    })
    .unwrap();
    let is =
        |kind, victim: &str, weapon: &str, means: &str| (kind, victim.to_owned(), weapon.to_owned(), means.to_owned());
    assert_eq!(
        deaths,
        [
            is(FragKind::TeamKill, "c", "rocket_launcher", "rocket_launcher"),
            is(FragKind::World, "b", "", "lava"),
            is(FragKind::TeamKill, "", "", "unknown"),
        ]
    );
    let period = made.period();
    assert_eq!(weapon(&period, "a", "rocket_launcher", WeaponMeasure::TeamKills), Some(1));
    assert_eq!(weapon(&period, "a", "rocket_launcher", WeaponMeasure::DamageTeam), Some(95));
}

/// Who lives after damage in the frame of a spawn lost all of it; a corpse has nothing to lose.
#[test]
fn damage_in_the_frame_of_a_spawn() {
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin().stats(1, -40, 0, SHOTGUN_AND_AXE).wait(500);
    made.damage(2, 1, 2, 7).wait(500);
    made.damage(2, 1, 2, 24).stats(1, 76, 0, SHOTGUN_AND_AXE).wait(500).end();
    let period = made.period();
    assert_eq!(player(&period, "a").counted.get(Measure::DamageGiven), Some(24));
    assert_eq!(player(&period, "b").counted.get(Measure::DamageTaken), Some(24));
}

/// Who comes back to life and dies in one frame loses what everybody is given; only the death tells of that. KTX counts so.
#[test]
fn death_in_the_frame_of_a_spawn() {
    let dies = "b accepts a's shaft\n";
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin().stats(1, -40, 0, SHOTGUN_AND_AXE).wait(500);
    made.print(1, dies).damage(8, 1, 2, 120).stats(1, -20, 0, SHOTGUN_AND_AXE).wait(500);
    // Damage in front of the death, by two, and health that is what it was: the stats are not told.
    made.damage(8, 3, 2, 60).damage(8, 1, 2, 60).print(1, dies).wait(500).end();
    let given = |period: &Period, name| player(period, name).counted.get(Measure::DamageGiven);
    let period = made.period();
    assert_eq!([given(&period, "a"), given(&period, "c")], [Some(140), Some(60)]);
    assert_eq!(player(&period, "b").counted.get(Measure::DamageTaken), Some(200));
    // Where armour is given, that too.
    let mut made = Made::new("\\deathmatch\\5", DUEL);
    made.print(2, "The match has begun!\n");
    for slot in 0..3 {
        made.stats(slot, 100, 200, ALL_WEAPONS | RED);
    }
    made.wait(1000).stats(1, -40, 0, ALL_WEAPONS).wait(500);
    made.damage(8, 1, 2, 960).print(1, dies).stats(1, -660, 0, ALL_WEAPONS).wait(500).end();
    assert_eq!(given(&made.period(), "a"), Some(300));
}

/// `teamplay 1` spares the health of mates and one's own, `teamplay 3` that of mates; armour takes its share all the same. `kill`
/// in the console takes all; KTX 1.42 gives it another number than later ones.
#[test]
fn mates_lose_armor_alone() {
    const ROCKET: u16 = 7 | 0x8000;
    for (teamplay, version, kill) in [(1, "1.42", 26), (3, "1.44-dev-r402", 26), (1, "1.47-dev", 27)] {
        let rules = format!(r"\deathmatch\3\teamplay\{teamplay}\mode\2on2\ktxver\{version}");
        let mut made = Made::new(&rules, TEAMS);
        made.begin().stats(0, 100, 100, ALL_WEAPONS | RED).wait(500);
        made.damage(ROCKET, 1, 1, 55).wait(500).damage(ROCKET, 3, 1, 20).wait(500);
        let [_, _, own] = damage_done(&made.period(), "a");
        assert_eq!(own, if teamplay == 1 { 44 } else { 55 }, "{rules}");
        made.damage(kill, 1, 1, 9999).wait(500).end();
        let period = made.period();
        assert_eq!(damage_done(&period, "c"), [0, 16, 0], "{rules}");
        // All health and armour, but for what the mate took of it.
        assert_eq!(damage_done(&period, "a")[2], 200 - 16, "{rules}");
    }
}

/// The game goes on to call a player by the name that he took, where the server has put a number in front of it. Damage that is
/// told in front of a text says which of both it means. (A game of KTX 1.42: its scores, health and damage agree so.)
#[test]
fn damage_tells_namesakes_apart() {
    const SHOTGUN: u16 = 2;
    const LAVA: u16 = 13;
    const KILL: u16 = 26;
    let mut made = Made::new(r"\deathmatch\3\mode\ffa\ktxver\1.42", DUEL);
    made.all(&userinfo(1, 11, b"\\name\\(1)a")).begin();
    made.damage(SHOTGUN, 1, 2, 120).print(1, "a chewed on a's boomstick\n").wait(1000);
    made.stats(1, 100, 0, SHOTGUN_AND_AXE)
        .damage(SHOTGUN, 2, 3, 120)
        .print(1, "c chewed on a's boomstick\n")
        .wait(1000);
    made.damage(KILL, 2, 2, 9999).print(1, "a suicides\n").wait(1000);
    made.stats(1, 100, 0, SHOTGUN_AND_AXE).damage(LAVA, 0, 2, 120).print(1, "a visits the Volcano God\n").wait(1000);
    made.damage(SHOTGUN, 2, 1, 60).damage(SHOTGUN, 2, 1, 60).print(1, "a chewed on a's boomstick\n").wait(1000).end();
    let mut deaths = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        if let EventKind::Frag(frag) = &event.kind {
            deaths.push((frag.attacker.as_ref().and_then(|who| who.slot), frag.victim.slot.unwrap(), frag.kind));
        }
        Ok(())
    })
    .unwrap();
    let expected = [
        (Some(0), 1, FragKind::Kill),
        (Some(1), 2, FragKind::Kill),
        (Some(1), 1, FragKind::Suicide),
        (None, 1, FragKind::World),
        (Some(1), 0, FragKind::Kill),
    ];
    assert_eq!(deaths, expected);
}

/// The server takes blanks around a name away, and has one of its own for what it does not allow; the game goes on with what
/// the player asked for. (A game of KTX 1.42 with mvdsv: ` Gam 2 ` is told as `Gam 2`, `x#y` and `&cf00red` as `unnamed`.)
#[test]
fn texts_have_names_that_the_server_changes() {
    const SHOTGUN: u16 = 2;
    const KILL: u16 = 26;
    let mut made = Made::new(r"\deathmatch\3\mode\ffa\ktxver\1.42", DUEL);
    made.all(&userinfo(1, 11, br"\name\b 2")).begin();
    made.print(1, " b 2  suicides\n").wait(1000);
    made.print(1, "a chewed on  b 2 's boomstick\n").wait(1000);
    made.print(1, " b 2  rides a's rocket\n").wait(1000);
    // Nobody is called so: neither is it a name that the server refuses, nor one without its blanks.
    made.print(1, "b#2 suicides\n").print(1, " b  2 suicides\n").print(1, " suicides\n").wait(1000);
    made.all(&userinfo(1, 11, br"\name\unnamed"));
    made.print(1, "x#y suicides\n").wait(1000);
    made.print(1, "a rips &cf00red a new one\n").wait(1000);
    made.print(1, "xy suicides\n").print(1, "a#b says that x suicides not\n").print(1, " suicides\n").wait(1000);
    // Two are called so: damage says which of both it is.
    made.all(&userinfo(2, 12, br"\name\(1)unnamed"));
    made.damage(KILL, 3, 3, 9999).print(1, "console suicides\n").wait(1000);
    made.damage(SHOTGUN, 2, 1, 120).print(1, "a chewed on x#y's boomstick\n").wait(1000).end();
    let slot = |who: &qdemo::event::PlayerRef| who.slot;
    let mut deaths = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        if let EventKind::Frag(frag) = &event.kind {
            deaths.push((frag.attacker.as_ref().and_then(slot), slot(&frag.victim), frag.kind));
        }
        Ok(())
    })
    .unwrap();
    let expected = [
        (Some(1), Some(1), FragKind::Suicide),
        (Some(1), Some(0), FragKind::Kill),
        (Some(0), Some(1), FragKind::Kill),
        (Some(1), Some(1), FragKind::Suicide),
        (Some(0), Some(1), FragKind::Kill),
        (Some(2), Some(2), FragKind::Suicide),
        (Some(1), Some(0), FragKind::Kill),
    ];
    assert_eq!(deaths, expected);
}

/// KTX's Yawn mode: of damage to whoever has green armour KTX itself tells four of ten as taken by it.
#[test]
fn green_armor_takes_more_in_yawn_mode() {
    const LIGHTNING: u16 = 8;
    const GREEN: i32 = 1 << 13;
    for (mode, taken) in [("2on2-df-yw", 90), ("2on2-df", 80), ("ywx", 80)] {
        let mut made = Made::new(&format!(r"\deathmatch\1\mode\{mode}\ktxver\1.42"), DUEL);
        made.begin().stats(1, 50, 100, ALL_WEAPONS | GREEN).wait(500);
        // Of 50 it leaves 30 or 35 to health, of the next 50 all that is left.
        made.damage(LIGHTNING, 1, 2, 50).damage(LIGHTNING, 1, 2, 50).wait(500).end();
        assert_eq!(damage_done(&made.period(), "a")[0], taken, "{mode}");
    }
}

/// `kill` in the console takes all there is, of whoever has a pentagram as well. (KTX 1.42, deathmatch 4, where everybody begins with
/// one for a while: by its own numbers.)
#[test]
fn a_pentagram_does_not_protect_from_kill() {
    const KILL: u16 = 26;
    const GUARDED: i32 = 1 << 20;
    let mut made = Made::new(r"\deathmatch\4\mode\ffa\ktxver\1.42", DUEL);
    made.begin().stats(1, 250, 174, ALL_WEAPONS | RED | GUARDED).wait(500);
    made.damage(KILL, 2, 2, 9999).print(1, "b suicides\n").wait(1000).end();
    assert_eq!(damage_done(&made.period(), "b")[2], 250 + 174);
}

/// Of two who have a pentagram and stand in each other both lose it, and all they have: KTX's own account has the armour, 200 and 112
/// of 50,000, and the rest, of which it counts the health there was.
#[test]
fn a_pentagram_does_not_protect_from_another() {
    const DEFLECTED: u16 = 20;
    const GUARDED: i32 = 1 << 20;
    let mut made = Made::new(r"\deathmatch\4\mode\ffa\ktxver\1.42", DUEL);
    made.begin().stats(0, 250, 200, ALL_WEAPONS | RED | GUARDED).stats(1, 250, 112, ALL_WEAPONS | RED | GUARDED);
    made.wait(500).damage(DEFLECTED, 1, 2, 9999).print(1, "b was telefragged by a's Satan's power\n");
    made.damage(DEFLECTED, 2, 1, 9999).print(1, "a was telefragged by b's Satan's power\n").wait(1000).end();
    assert_eq!((damage_done(&made.period(), "a")[0], damage_done(&made.period(), "b")[0]), (362, 450));
}

/// Instagib's gun is the shotgun in everybody's hand: KTX's own account of deaths calls it so, too.
#[test]
fn the_gun_of_instagib_is_the_shotgun() {
    let mut made = Made::new(r"\deathmatch\4\mode\ffa-instagib\ktxver\1.42", DUEL);
    made.begin().wait(500).print(1, "b was instagibbed by a\n").wait(500).end();
    let period = made.period();
    assert_eq!(weapon(&period, "a", "shotgun", WeaponMeasure::Kills), Some(1));
    assert_eq!(weapon(&period, "a", "coil_gun", WeaponMeasure::Kills), None);
}
