//! KTX's Clan Arena and Wipeout. What is expected is what KTX's own account of matches in both says: damage given by sums that
//! it prints.

use qdemo::analysis::stats::{Measure, Period};

use super::matches::center;
use super::{Made, TEAMS, player};

const CLAN_ARENA: &str = r"\deathmatch\5\teamplay\4\mode\ca-ca-df";
const LIGHTNING: u16 = 8;

fn numbers(period: &Period, name: &str) -> [i64; 3] {
    let measures = [Measure::DamageGiven, Measure::DamageTeam, Measure::DamageSelf];
    measures.map(|measure| player(period, name).counted.get(measure).unwrap())
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
