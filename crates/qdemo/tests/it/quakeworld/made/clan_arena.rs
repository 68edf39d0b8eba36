//! KTX's Clan Arena and Wipeout. What is expected is what KTX's own account of matches in both says: no pickups, no damage to
//! oneself and mates, and damage given by sums that it prints.

use qdemo::analysis::stats::{Measure, Period};

use super::matches::center;
use super::{ALL_WEAPONS, Made, RED, TEAMS, player};

const CLAN_ARENA: &str = r"\deathmatch\5\teamplay\4\mode\ca-ca-df";
const WIPEOUT: &str = r"\deathmatch\5\teamplay\4\mode\wipeout-wo-df";
const ROCKET: u16 = 7 | 0x8000;
const LIGHTNING: u16 = 8;
const TELEFRAG: u16 = 18;

fn numbers(period: &Period, name: &str) -> [i64; 3] {
    let measures = [Measure::DamageGiven, Measure::DamageTeam, Measure::DamageSelf];
    measures.map(|measure| player(period, name).counted.get(measure).unwrap())
}

/// All is given, in the middle of a life as well: the words for items that winners of a round get show a quad and runes.
#[test]
fn nothing_is_picked_up() {
    const OF_WINNERS: i32 = -4156289;
    for (rules, given) in [(CLAN_ARENA, true), (WIPEOUT, true), (r"\deathmatch\5\teamplay\4\mode\2on2", false)] {
        let mut made = Made::new(rules, TEAMS);
        made.begin().stats(0, 100, 0, ALL_WEAPONS).wait(1000);
        made.stats(0, 100, 200, ALL_WEAPONS | RED).wait(1000);
        made.stats(0, 100, 200, OF_WINNERS).wait(1000).end();
        assert_eq!(made.pickups().is_empty(), given, "{rules}");
    }
}

/// `teamplay 4` keeps mates from harm, and these games oneself; but whoever is telefragged dies.
#[test]
fn only_enemies_hurt() {
    let elsewhere = r"\deathmatch\5\teamplay\4\mode\2on2";
    for (rules, own) in [(CLAN_ARENA, 0), (WIPEOUT, 0), (elsewhere, 91)] {
        let mut made = Made::new(rules, TEAMS);
        made.begin().stats(0, 94, 176, ALL_WEAPONS | RED).wait(500);
        made.damage(ROCKET, 1, 1, 55).wait(500).damage(ROCKET, 3, 1, 55).wait(500);
        // The stats that follow tell all that is left. Had the rockets taken something, the last of it would be less.
        made.damage(LIGHTNING, 2, 1, 30).stats(0, 40, 8, ALL_WEAPONS | RED).wait(500);
        made.damage(ROCKET, 1, 1, 36).wait(500);
        if own == 0 {
            made.damage(LIGHTNING, 2, 1, 30).stats(0, 18, 0, ALL_WEAPONS).wait(500);
        }
        made.damage(TELEFRAG, 3, 1, 9999).wait(500).end();
        let period = made.period();
        let given = if own == 0 { 60 } else { 30 };
        assert_eq!(numbers(&period, "b"), [given, 0, 0], "{rules}");
        assert_eq!(numbers(&period, "a")[2], own, "{rules}");
        assert_eq!(numbers(&period, "c")[1], if own == 0 { 18 } else { 12 }, "{rules}");
    }
}

/// A text in the middle of the screen tells that a round has begun, behind what happens in the frame. What happens in front of
/// that frame is of no round.
#[test]
fn the_first_frame_of_a_round() {
    let mut made = Made::new(CLAN_ARENA, TEAMS);
    made.begin().all(&center("FIGHT!")).wait(1000).damage(LIGHTNING, 1, 2, 30).wait(1000);
    made.print(2, "\nTeam red has won the round\n").damage(LIGHTNING, 1, 2, 1).wait(3000);
    made.damage(LIGHTNING, 1, 2, 2).wait(250);
    made.damage(LIGHTNING, 1, 2, 10).all(&center("FIGHT!")).damage(LIGHTNING, 1, 2, 20).wait(1000);
    made.print(2, "\nTeam red has won the round\n").wait(1000).damage(LIGHTNING, 1, 2, 4).end();
    assert_eq!(numbers(&made.period(), "a")[0], 60);
}

/// `teamplay 1` spares the health of mates and one's own, `teamplay 3` that of mates; armour takes its share all the same. `kill`
/// in the console takes all; KTX 1.42 gives it another number than later ones.
#[test]
fn mates_lose_armor_alone() {
    for (teamplay, version, kill) in [(1, "1.42", 26), (3, "1.44-dev-r402", 26), (1, "1.47-dev", 27)] {
        let rules = format!(r"\deathmatch\3\teamplay\{teamplay}\mode\2on2\ktxver\{version}");
        let mut made = Made::new(&rules, TEAMS);
        made.begin().stats(0, 100, 100, ALL_WEAPONS | RED).wait(500);
        made.damage(ROCKET, 1, 1, 55).wait(500).damage(ROCKET, 3, 1, 20).wait(500);
        let [_, _, own] = numbers(&made.period(), "a");
        assert_eq!(own, if teamplay == 1 { 44 } else { 55 }, "{rules}");
        made.damage(kill, 1, 1, 9999).wait(500).end();
        let period = made.period();
        assert_eq!(numbers(&period, "c"), [0, 16, 0], "{rules}");
        // All health and armour, but for what the mate took of it.
        assert_eq!(numbers(&period, "a")[2], 200 - 16, "{rules}");
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
