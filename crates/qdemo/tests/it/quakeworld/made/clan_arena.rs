//! KTX's Clan Arena and Wipeout. What is expected is what KTX's own account of matches in both says: no pickups, no damage to
//! oneself and mates, and damage given by sums that it prints.

use super::matches::center;
use super::{ALL_WEAPONS, Made, RED, TEAMS, damage_done};

const CLAN_ARENA: &str = r"\deathmatch\5\teamplay\4\mode\ca-ca-df";
const WIPEOUT: &str = r"\deathmatch\5\teamplay\4\mode\wipeout-wo-df";
const ROCKET: u16 = 7 | 0x8000;
const LIGHTNING: u16 = 8;
const TELEFRAG: u16 = 18;

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
        assert_eq!(damage_done(&period, "b"), [given, 0, 0], "{rules}");
        assert_eq!(damage_done(&period, "a")[2], own, "{rules}");
        assert_eq!(damage_done(&period, "c")[1], if own == 0 { 18 } else { 12 }, "{rules}");
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
    assert_eq!(damage_done(&made.period(), "a")[0], 60);
}
