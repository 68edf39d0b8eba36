//! What the recording of a server tells of a match, in recordings made for one rule each and for each kind of game that
//! the rule is about.

mod clan_arena;
mod damage;
mod ktx;
mod matches;
mod namesakes;
mod pickups;

use qdemo::Limits;
use qdemo::analysis::stats::{Board, Holder, ItemMeasure, Measure, Period, PeriodKind, Player, WeaponMeasure, stats};
use qdemo::error::Moment;
use qdemo::event::{EventKind, FragKind, Run};
use qdemo::game::quakeworld::stat;
use qdemo::replay::events;
use qdemo::replay::timeline::{ScoreTime, SpanKind, timeline};

use crate::qwd::build::{CLIENT, END, MULTIVIEW, Server, hidden, multiple, packet, record};

const SOUNDS: [&str; 6] = [
    "items/armor1.wav",
    "items/health1.wav",
    "items/damage.wav",
    "weapons/lock4.wav",
    "weapons/pkup.wav",
    "misc/r_tele1.wav",
];
const ARMOR: u8 = 1;
const HEALTH: u8 = 2;
const QUAD: u8 = 3;
const PACK: u8 = 4;
const WEAPON: u8 = 5;

/// Models 1 to 8, and where things of some stand: entity, model, skin, x.
const MODELS: [&str; 8] = [
    "maps/dm3.bsp",
    "progs/player.mdl",
    "progs/armor.mdl",
    "maps/b_bh25.bsp",
    "progs/quaddama.mdl",
    "progs/g_rock2.mdl",
    "progs/backpack.mdl",
    "maps/b_rock0.bsp",
];
const RED_ARMOR: (u16, u8, u8, i16) = (40, 3, 2, 1000);
const BOX: (u16, u8, u8, i16) = (41, 4, 0, 2000);
const POWER: (u16, u8, u8, i16) = (42, 5, 0, 3000);
const LAUNCHER: (u16, u8, u8, i16) = (43, 6, 0, 4000);
const ROCKET_BOX: (u16, u8, u8, i16) = (44, 8, 0, -1000);
const THINGS: [(u16, u8, u8, i16); 5] = [RED_ARMOR, BOX, POWER, LAUNCHER, ROCKET_BOX];
const NOTHING_NEAR: i16 = 500;

const SHOTGUN_AND_AXE: i32 = 1 | 1 << 12;
const ALL_WEAPONS: i32 = 0x107F;
const ROCKETS: i32 = 1 << 5;
const RED: i32 = 1 << 15;
const HAS_QUAD: i32 = 1 << 22;

/// A recording of a server.
struct Made {
    bytes: Vec<u8>,
}

impl Made {
    /// Players a and b in slots 0 and 1, c in 2; `rules` are settings of the server, such as `\deathmatch\1`.
    fn new(rules: &str, teams: [&str; 3]) -> Self {
        let server = Server { mvd1: 0x20, ..MULTIVIEW };
        let list = |id: u8, names: &[&str]| {
            let names: Vec<u8> = names.iter().flat_map(|name| [name.as_bytes(), &[0]].concat()).collect();
            [&[id, 0][..], &names, &[0, 0]].concat()
        };
        let mut models = MODELS.to_vec();
        models.extend(rules.contains("flags").then_some("progs/flag.mdl"));
        models.extend(rules.contains("runes").then_some("progs/end1.mdl"));
        let mut begin = [server.data(), stufftext(&format!("fullserverinfo \"{rules}\"\n"))].concat();
        begin.extend([list(46, &SOUNDS), list(45, &models)].concat());
        for (entity, model, skin, x) in THINGS {
            begin.extend([&[22][..], &entity.to_le_bytes(), &[model, 0, 0, skin]].concat());
            // Each place with its angle; boxes that are maps stand on a corner.
            let corner = if matches!(model, 4 | 8) { -16 } else { 0 };
            for at in [x + corner, corner, 0] {
                begin.extend((at * 8).to_le_bytes());
                begin.push(0);
            }
        }
        for (slot, (name, team)) in ["a", "b", "c"].iter().zip(teams).enumerate() {
            begin.extend([40, slot as u8, slot as u8 + 10, 0, 0, 0]);
            begin.extend(format!("\\name\\{name}\\team\\{team}\0").bytes());
        }
        let mut made = Made { bytes: record(6, &begin) };
        made.list(&[]);
        for slot in 0..3 {
            made.stats(slot, 100, 0, SHOTGUN_AND_AXE);
        }
        made
    }

    /// Time passes.
    fn wait(&mut self, mut ms: u32) -> &mut Self {
        while ms > 0 {
            let step = ms.min(250);
            let mut frame = record(6, &[]);
            frame[0] = step as u8;
            self.bytes.extend(frame);
            ms -= step;
        }
        self
    }

    fn all(&mut self, messages: &[u8]) -> &mut Self {
        self.bytes.extend(record(6, messages));
        self
    }

    /// A list of all things but these, and sounds of players at places in the same record.
    fn heard(&mut self, gone: &[u16], sounds: &[(usize, u8, i16)]) -> &mut Self {
        let mut all = Vec::new();
        for (slot, sound, x) in sounds {
            let head = (slot + 1) << 3 | 3;
            all.extend([&[6][..], &(head as u16).to_le_bytes(), &[*sound]].concat());
            [*x, 0, 24].iter().for_each(|at| all.extend((at * 8).to_le_bytes()));
        }
        let there = THINGS.iter().map(|(entity, ..)| *entity).filter(|entity| !gone.contains(entity));
        let list: Vec<u8> = there.flat_map(u16::to_le_bytes).collect();
        let list = [&[47][..], &list, &[0, 0]].concat();
        self.all(&[list, all].concat())
    }

    fn list(&mut self, gone: &[u16]) -> &mut Self {
        self.heard(gone, &[])
    }

    fn stats(&mut self, slot: usize, health: i32, armor: i32, items: i32) -> &mut Self {
        let values = [(stat::HEALTH, health), (stat::ARMOR, armor), (stat::ITEMS, items)];
        let all: Vec<u8> =
            values.iter().flat_map(|(index, value)| [&[38, *index as u8][..], &value.to_le_bytes()].concat()).collect();
        self.bytes.extend(record(5 | (slot as u8) << 3, &all));
        self
    }

    fn print(&mut self, level: u8, text: &str) -> &mut Self {
        self.all(&[&[8, level][..], text.as_bytes(), &[0]].concat())
    }

    /// To one player alone.
    fn tell(&mut self, slot: usize, text: &str) -> &mut Self {
        self.bytes.extend(record(4 | (slot as u8) << 3, &[&[8, 0][..], text.as_bytes(), &[0]].concat()));
        self
    }

    fn stuff(&mut self, text: &str) -> &mut Self {
        let text = stufftext(text);
        self.all(&text)
    }

    /// Damage by entities, the world is 0.
    fn damage(&mut self, cause: u16, attacker: u16, victim: u16, amount: i16) -> &mut Self {
        let data = [cause, attacker, victim, amount as u16].map(u16::to_le_bytes).concat();
        self.bytes.extend(multiple(0, &hidden(7, &data)));
        self
    }

    fn begin(&mut self) -> &mut Self {
        self.print(2, "The match has begun!\n").wait(1000)
    }

    fn end(&mut self) -> &mut Self {
        self.print(2, "The match is over\n")
    }

    /// What is picked up: slot, item.
    fn pickups(&self) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        events(&self.bytes[..], "made.mvd", Limits::default(), &mut |event| {
            if let EventKind::Pickup { player: Some(who), item } = &event.kind {
                all.push((who.slot.unwrap(), item.to_string()));
            }
            Ok(())
        })
        .unwrap();
        all
    }

    /// The match.
    fn period(&self) -> Period {
        self.matches().into_iter().next().unwrap()
    }

    fn matches(&self) -> Vec<Period> {
        let mut all = Vec::new();
        stats(&self.bytes[..], "made.mvd", Limits::default(), &mut |period| {
            all.push(period);
            Ok(())
        })
        .unwrap();
        all.retain(|period| period.kind == PeriodKind::Match);
        all
    }
}

fn stufftext(text: &str) -> Vec<u8> {
    [&[9][..], text.as_bytes(), &[0]].concat()
}

fn frags(slot: u8, frags: i16) -> Vec<u8> {
    [&[14, slot][..], &frags.to_le_bytes()].concat()
}

/// A slot of the score board: the user, and what the client told.
fn userinfo(slot: u8, user: u8, info: impl AsRef<[u8]>) -> Vec<u8> {
    [&[40, slot, user, 0, 0, 0], info.as_ref(), &[0]].concat()
}

fn player<'p>(period: &'p Period, name: &str) -> &'p Player {
    period.players.iter().find(|player| player.who.name == name).unwrap()
}

fn item(period: &Period, name: &str, item: &str, measure: ItemMeasure) -> Option<i64> {
    player(period, name).counted.item(item).and_then(|item| item.get(measure))
}

fn weapon(period: &Period, name: &str, weapon: &str, measure: WeaponMeasure) -> Option<i64> {
    player(period, name).counted.weapon(weapon).and_then(|weapon| weapon.get(measure))
}

/// Damage that a player has done to enemies, to mates, to himself.
fn damage_done(period: &Period, name: &str) -> [i64; 3] {
    let measures = [Measure::DamageGiven, Measure::DamageTeam, Measure::DamageSelf];
    measures.map(|measure| player(period, name).counted.get(measure).unwrap())
}

const DUEL: [&str; 3] = ["", "", ""];
const TEAMS: [&str; 3] = ["red", "blue", "red"];

/// What a frame tells behind the end of the match is of the match; what the next one tells is not.
#[test]
fn the_last_moment_of_a_match() {
    let mut made = Made::new("\\deathmatch\\3", DUEL);
    made.begin().stuff("//wps 0 ssg 28 1\n").wait(5000);
    made.end().stuff("//wps 0 ssg 42 1\n").print(1, "b rides a's rocket\n").heard(&[41], &[(0, HEALTH, 2000)]);
    made.wait(250).stuff("//wps 0 ssg 56 9\n").print(1, "b rides a's rocket\n");
    let period = made.period();
    assert_eq!(weapon(&period, "a", "super_shotgun", WeaponMeasure::Shots), Some(42));
    assert_eq!(weapon(&period, "a", "super_shotgun", WeaponMeasure::Hits), Some(1));
    assert_eq!(player(&period, "a").counted.get(Measure::Kills), Some(1));
    assert_eq!(item(&period, "a", "health_25", ItemMeasure::Taken), Some(1));
}

/// A quad is held from the stats that show it to those that do not, or to the death or the end, and kills are counted
/// while it is. Who dies with a rocket launcher is somebody who had one.
#[test]
fn what_is_held_and_for_how_long() {
    let mut made = Made::new("\\deathmatch\\1", DUEL);
    made.begin();
    made.heard(&[42], &[(0, QUAD, 3000)]).stats(0, 100, 0, SHOTGUN_AND_AXE | HAS_QUAD);
    made.stats(1, 100, 0, SHOTGUN_AND_AXE | ROCKETS);
    made.wait(2000).print(1, "b was smeared by a's quad rocket\n");
    made.stats(1, -50, 0, SHOTGUN_AND_AXE | ROCKETS).wait(1000).stats(1, 100, 0, SHOTGUN_AND_AXE);
    made.wait(3000).print(1, "b was smeared by a's quad rocket\n").stats(1, -50, 0, SHOTGUN_AND_AXE).wait(500);
    // The dead have the bit, and hold nothing.
    made.print(1, "a was axed to pieces by c\n").stats(0, -10, 0, SHOTGUN_AND_AXE | HAS_QUAD).wait(4000);
    made.stats(0, 100, 0, SHOTGUN_AND_AXE).wait(1000).end();
    let period = made.period();
    let quad = |measure| item(&period, "a", "quad", measure);
    assert_eq!(quad(ItemMeasure::Taken), Some(1));
    assert_eq!(quad(ItemMeasure::TimeMs), Some(6500));
    assert_eq!((quad(ItemMeasure::Kills), quad(ItemMeasure::Streak)), (Some(2), Some(2)));
    assert_eq!(weapon(&period, "a", "rocket_launcher", WeaponMeasure::OwnersKilled), Some(1));
    assert_eq!(weapon(&period, "b", "rocket_launcher", WeaponMeasure::TimeMs), Some(2000));
}

/// The runes of the episodes are the server's, which tells everybody. Mods show the time of a match with them; where one
/// lies on the level, it was taken.
#[test]
fn runes_of_the_server() {
    const RUNE: i32 = 1 << 28;
    for (rules, taken) in
        [(r"\deathmatch\1", &[][..]), (r"\deathmatch\1\with\runes", &[(0, "sigil_1"), (1, "sigil_1")])]
    {
        let mut made = Made::new(rules, DUEL);
        made.begin();
        for slot in [0, 1] {
            made.stats(slot, 100, 0, SHOTGUN_AND_AXE | RUNE);
        }
        made.wait(2000).end();
        let taken: Vec<_> = taken.iter().map(|(slot, item)| (*slot, item.to_string())).collect();
        assert_eq!(made.pickups(), taken, "{rules}");
        assert_eq!(item(&made.period(), "a", "sigil_1", ItemMeasure::TimeMs), None, "{rules}");
    }
}

/// A level ends with its last frame, also where the next one begins within the same moment, and so does a match that goes
/// on: `timeline`, `info` and `events` say the same.
#[test]
fn levels_end_with_their_last_frame() {
    for gap in [0, 200] {
        let level = |made: &mut Made| {
            made.begin();
            for _ in 0..4 {
                made.wait(250).list(&[]);
            }
        };
        let (mut made, mut next) = (Made::new("\\deathmatch\\3", DUEL), Made::new("\\deathmatch\\3", DUEL));
        level(&mut made);
        level(&mut next);
        next.bytes[0] = gap;
        made.bytes.extend(next.bytes);
        made.wait(500);
        let (end, begin) = (2000, 2000 + i64::from(gap));
        let all = timeline(&made.bytes[..], "made.mvd", Limits::default()).unwrap();
        let of = |kind: &str| -> Vec<_> {
            let spans = all.spans.iter().filter(|span| span.kind.name() == kind);
            spans.map(|span| (span.from.demo.ms(), span.to.demo.ms())).collect()
        };
        let both = [(0, end), (begin, begin + 2000)];
        assert_eq!((of("level"), of("match")), (both.to_vec(), both.to_vec()), "{gap}");
        let told = |it: &SpanKind| match it {
            SpanKind::Level { frames, .. } => Some(*frames),
            SpanKind::Match { ended, .. } => Some(u64::from(*ended)),
            _ => None,
        };
        let told: Vec<_> = all.spans.iter().filter_map(|span| told(&span.kind)).collect();
        // Neither match has an end: another level begins within the first, and the recording ends within the second.
        assert_eq!((told, all.frames), (vec![5, 0, 5, 0], 10), "frames of levels, and whether matches ended: {gap}");
        let facts = qdemo::replay::info::info(&made.bytes[..], "made.mvd", Limits::default()).unwrap().facts;
        let qdemo::replay::info::Facts::QuakeWorld(info) = facts else { panic!("QuakeWorld") };
        let ms = |moment: Moment| match moment {
            Moment::Milliseconds(ms) => i64::from(ms),
            Moment::Seconds(_) => panic!("a recording counts milliseconds"),
        };
        let of_info = info.levels.iter().map(|it| (ms(it.first_time.unwrap()), ms(it.last_time.unwrap())));
        assert_eq!(of_info.collect::<Vec<_>>(), both, "{gap}");
        let of_info = info.levels.iter().flat_map(|it| &it.matches).map(|it| (ms(it.begin), ms(it.end)));
        assert_eq!(of_info.collect::<Vec<_>>(), both, "{gap}");
    }
}

/// Of a level without any frame what it began with is known: its map; and it ends where it began.
#[test]
fn a_level_without_a_frame() {
    let (first, mut next) = (Made::new("\\deathmatch\\3", DUEL), Made::new("\\deathmatch\\3", DUEL));
    let size = u32::from_le_bytes(first.bytes[2..6].try_into().unwrap()) as usize;
    next.bytes[0] = 200;
    next.wait(500).list(&[]);
    let bytes = [&first.bytes[..6 + size], &next.bytes].concat();
    let all = timeline(&bytes[..], "made.mvd", Limits::default()).unwrap();
    let levels = all.spans.iter().filter_map(|span| match &span.kind {
        SpanKind::Level { map, frames, .. } => Some((&**map, *frames, span.from.demo.ms(), span.to.demo.ms())),
        _ => None,
    });
    assert_eq!(levels.collect::<Vec<_>>(), [("dm3", 0, 0, 0), ("dm3", 2, 200, 700)]);
    let mut told = Vec::new();
    stats(&bytes[..], "made.mvd", Limits::default(), &mut |period| {
        told.push((period.map.clone(), period.begin.demo.ms(), period.end.demo.ms()));
        Ok(())
    })
    .unwrap();
    assert_eq!(told, [("dm3".to_owned(), 0, 0), ("dm3".to_owned(), 200, 700)]);
}

/// Players, with score and when that was.
fn presences(made: &Made) -> Vec<(usize, String, Option<i32>, Option<&'static str>)> {
    let all = timeline(&made.bytes[..], "made.mvd", Limits::default()).unwrap().players;
    all.into_iter().map(|p| (p.slot, p.name, p.frags, p.frags_at.map(ScoreTime::name))).collect()
}

/// KTX sets the scores to 0 behind a match, and what is played then is none of it: the score is that of the match.
#[test]
fn scores_of_a_match_that_is_over() {
    let mut made = Made::new("\\deathmatch\\3", DUEL);
    made.begin().all(&[frags(0, 23), frags(1, 9)].concat()).list(&[]).wait(1000).end().list(&[]).wait(1000);
    made.all(&[frags(0, 0), frags(1, 0)].concat()).list(&[]).wait(1000).all(&frags(1, 2)).list(&[]).wait(500);
    let of_match = [(0, "a".to_owned(), Some(23), Some("match_end")), (1, "b".to_owned(), Some(9), Some("match_end"))];
    assert_eq!(presences(&made)[..2], of_match);
    // `scores` tells the reset.
    let mut scores = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        if let EventKind::Score { .. } = event.kind {
            scores.push(event.kind.to_string());
        }
        Ok(())
    })
    .unwrap();
    assert!(scores.contains(&"a has 0 points (had 23)".to_owned()), "{scores:?}");
    // The next match counts anew.
    made.begin().all(&frags(0, 1)).list(&[]).wait(1000);
    assert_eq!(presences(&made)[0], (0, "a".to_owned(), Some(1), Some("last")));
}

/// Nor is a reset at once one of the match.
#[test]
fn scores_that_are_set_to_0_at_once() {
    let mut made = Made::new("\\deathmatch\\3", DUEL);
    made.begin().all(&[frags(0, 1), frags(1, 7)].concat()).list(&[]).wait(1000).end().list(&[]).wait(250);
    // The last one is told late.
    made.all(&frags(0, 2)).list(&[]).wait(250);
    made.all(&[frags(0, 0), frags(1, 0)].concat()).list(&[]).wait(250).all(&frags(0, 9)).list(&[]).wait(500);
    let period = made.period();
    let places: Vec<_> = period.places.iter().map(|place| (&*place.name, place.score)).collect();
    assert_eq!(places[..2], [("b", 7), ("a", 2)]);
    assert_eq!(period.winner.as_deref(), Some("b"));
}

/// Servers tell 0 points of spectators, and score boards of id's clients give them -999 (`Sbar_SortFrags`), which recordings
/// that begin then have: neither is a score.
#[test]
fn who_only_watches_has_no_score() {
    let none = |slot| vec![14, slot, 0x19, 0xFC];
    let mut made = Made::new("\\deathmatch\\3", DUEL);
    made.all(&[userinfo(2, 7, "\\name\\c\\*spectator\\1"), none(2), frags(0, 3), frags(1, 2)].concat())
        .list(&[])
        .wait(1000);
    made.all(&[userinfo(0, 8, "\\name\\a\\*spectator\\1"), none(0)].concat()).list(&[]).wait(1000);
    // Who played keeps what it was.
    let last = Some("last");
    let told =
        [(0, "a".to_owned(), Some(3), last), (1, "b".to_owned(), Some(2), last), (2, "c".to_owned(), None, None)];
    assert_eq!(presences(&made), told);
}

/// The score board has no line for a slot without a name (`Sbar_SortFrags` of id's clients), and whoever connects again
/// with the same name is the same, also in another slot: servers give no name twice, but to two who come at once.
#[test]
fn who_is_a_player() {
    let mut made = Made::new("\\deathmatch\\3", DUEL);
    let bot = "\\name\\[ServeMe]\\*spectator\\1";
    made.all(&userinfo(9, 99, "\\rate\\2500")).list(&[]).wait(500);
    for (slot, user) in [(5, 50), (5, 51), (6, 52)] {
        made.all(&userinfo(slot, user, bot)).list(&[]).wait(500);
        made.all(&userinfo(slot, user, "")).list(&[]).wait(500);
    }
    let names = presences(&made).into_iter().map(|(slot, name, ..)| (slot, name)).collect::<Vec<_>>();
    let wanted = [(0, "a"), (1, "b"), (2, "c"), (6, "[ServeMe]")].map(|(slot, name)| (slot, name.to_owned()));
    assert_eq!(names, wanted);
    match qdemo::replay::info::info(&made.bytes[..], "made.mvd", Limits::default()).unwrap().facts {
        qdemo::replay::info::Facts::QuakeWorld(info) => {
            let bots = info.players.iter().filter(|p| p.name() == "[ServeMe]");
            assert_eq!(bots.map(|p| (p.slot, p.user)).collect::<Vec<_>>(), [(6, 52)]);
        }
        other => panic!("{other:?}"),
    }
}

/// Capture the flag: a flag is carried from the text that tells so to the next.
#[test]
fn how_long_flags_are_carried() {
    let mut made = Made::new("\\deathmatch\\3\\teamplay\\2\\mode\\flags", TEAMS);
    made.begin().print(1, "a got the BLUE flag!\n").wait(2000).print(1, "a captured the BLUE flag!\n").wait(1000);
    made.print(1, "a got the BLUE flag!\n").wait(500).print(1, "a lost the BLUE flag!\n").wait(500).end();
    let period = made.period();
    let a = &player(&period, "a").counted;
    assert_eq!((a.get(Measure::FlagsTaken), a.get(Measure::Captures)), (Some(2), Some(1)));
    assert_eq!(a.get(Measure::FlagTimeMs), Some(2500));
}

/// What KTX prints about players when a match is over, in old words and in new ones, with names that begin with a mark.
#[test]
fn statistics_that_are_printed() {
    let mut made = Made::new("\\deathmatch\\1\\teamplay\\2", TEAMS);
    made.begin();
    made.heard(&[40], &[(0, ARMOR, 1000)]).wait(500).print(1, "b rides a's rocket\n").wait(500).end();
    for text in [
        "\nPlayer statistics:\nFrags (rank) friendkills . efficiency\n",
        "Team [red]:\n",
        "? a:\n  1 (1) 0 100.0%\n",
        "Armr&mhs: ga:0 ya:0 ra:2 mh:1\n",
        "Powerups: Q:1 P:0 R:0\n",
        "      RL: Took:3 Killed:1 Dropped:2 Xfer:1\n",
        "  Damage: Tkn:304 Gvn:232 EWep:24 Tm:5 Self:68 ToDie:101\n",
        "   Speed: max:1004.0 average:337.7\n",
        " Streaks: Frags:1 QuadRun:3\n",
        "  SpawnFrags: [14]\n",
        "[red] vs [blue] match statistics:\n",
        "[red]: Wp: lg23%\n",
        "Armr&mhs: ga:26 ya:8 ra:13 mh:7\n",
    ] {
        made.print(2, text);
    }
    let period = made.period();
    let a = player(&period, "a");
    let told = |measure| a.reported.get(measure);
    assert_eq!((told(Measure::Score), told(Measure::TeamKills), told(Measure::Streak)), (Some(1), Some(0), Some(1)));
    assert_eq!((told(Measure::DamageGiven), told(Measure::DamageToArmed)), (Some(232), Some(24)));
    assert_eq!((told(Measure::SpeedMax), told(Measure::SpeedAverage)), (Some(1004), Some(338)));
    assert_eq!(told(Measure::SpawnFrags), Some(14));
    assert_eq!(["red_armor", "megahealth", "quad"].map(|it| a.reported.taken(it)), [Some(2), Some(1), Some(1)]);
    let rockets = a.reported.weapon("rocket_launcher").unwrap();
    use WeaponMeasure::{Drops, OwnersKilled, Pickups, Transfers};
    assert_eq!([Pickups, OwnersKilled, Drops, Transfers].map(|m| rockets.get(m)), [3, 1, 2, 1].map(Some));
    let named: Vec<_> = a.differences.iter().map(|d| (d.what.as_str(), d.counted, d.reported)).collect();
    assert!(
        named.contains(&("red_armor", 1, 2)) && !named.iter().any(|(what, ..)| what.contains("damage")),
        "{named:?}"
    );
    assert_eq!(a.reported_by.iter().map(|(by, _)| *by).collect::<Vec<_>>(), ["print"]);
    assert!(player(&period, "b").reported.is_empty());
}

/// A client is told how much it lost and not by whom; KTX counts what enemies did. The table has that of all players, as far as it
/// is told.
#[test]
fn damage_taken_by_who_records() {
    const HURT: [u8; 9] = [19, 0, 90, 0, 0, 0, 0, 0, 0];
    const SEEN: [u8; 11] = [42, 3, 0, 0, 8, 0, 16, 0, 24, 0, 0];
    let models = b"\x2D\0maps/dm3.bsp\0progs/player.mdl\0\0\0";
    let print = |text: &str| [&[8, 2][..], text.as_bytes(), &[0]].concat();
    let shown = |text: &str| {
        let players = [userinfo(3, 13, r"\name\me\team\red"), userinfo(0, 10, r"\name\bob\team\blue")].concat();
        let health = vec![3, 0, 100];
        let packets = [
            CLIENT.data(),
            [&stufftext("fullserverinfo \"\\deathmatch\\1\\teamplay\\2\"\n")[..], models, &players, &health].concat(),
            print("The match has begun!\n"),
            HURT.to_vec(),
            health,
            print("The match is over\n"),
            print("\nPlayer statistics:\nFrags (rank) friendkills . efficiency\n"),
            print("Team [red]:\n"),
            print("? me:\n  0 (0) 0 100.0%\n"),
            print(text),
            END.to_vec(),
        ];
        // Whoever records is seen in each frame.
        let frame = |(n, messages): (u32, &Vec<u8>)| {
            let seen: &[u8] = if (3..11).contains(&n) { &SEEN } else { &[] };
            packet(n as f32 * 0.6, n, &[messages, seen].concat())
        };
        let demo: Vec<u8> = (1..).zip(&packets).flat_map(frame).collect();
        let mut all = Vec::new();
        stats(&demo[..], "x.qwd", Limits::default(), &mut |period| {
            all.push(period);
            Ok(())
        })
        .unwrap();
        let period = all.into_iter().find(|period| period.kind == PeriodKind::Match).unwrap();
        assert_eq!(player(&period, "me").counted.get(Measure::DamageTaken), Some(90));
        let board = Board::players(&period);
        let column = board.heads.iter().position(|head| head.name == "Taken").unwrap();
        board.rows.iter().find(|row| row[0] == "me").unwrap()[column].clone()
    };
    assert_eq!(shown("  Damage: Tkn:25 Gvn:0 Tm:0\n"), "25");
    assert_eq!(shown("  SpawnFrags: [14]\n"), "90");
}

/// Where flags are captured, KTX prints scores without the points for that. Who left has a mark in front of the name.
#[test]
fn scores_that_are_printed() {
    let told_flags = "     CTF: pickups:2 caps:1 returns:0\n Defends: flag:3 carrier:4\n";
    for (rules, line, flags) in [(r"\mode\ctf", "", true), ("", told_flags, true), ("", "", false)] {
        let mut made = Made::new(&format!(r"\deathmatch\3\teamplay\4{rules}"), TEAMS);
        made.begin().all(&[frags(0, 15), frags(1, 3), frags(2, 1)].concat()).list(&[]).wait(1000);
        made.all(&[frags(2, 0), userinfo(2, 0, "")].concat()).list(&[]).wait(1000).end();
        made.print(2, "\nPlayer statistics:\nFrags (rank) friendkills . efficiency\n")
            .print(2, "? a:\n  0 (-3) 0 0.0%\n");
        made.print(2, line).print(2, "? b:\n  3 (3) 0 100.0%\n").print(2, line);
        made.all(b"\x08\x02? \x83c:\n  1 (1) 0 100.0%\n\0")
            .print(2, line)
            .print(2, "  Damage: Tkn:5 Gvn:77 Tm:0\n")
            .wait(500);
        let period = made.period();
        let told = |name, measure| player(&period, name).reported.get(measure);
        let scores = ["a", "b", "c"].map(|name| told(name, Measure::Score));
        assert_eq!(scores, if flags { [None; 3] } else { [0, 3, 1].map(Some) }, "{rules}{line}");
        assert_eq!(told("c", Measure::DamageGiven), Some(77), "{rules}{line}");
        if flags {
            assert_eq!(period.winner.as_deref(), Some("red"), "{rules}{line}");
        }
        if !line.is_empty() {
            assert_eq!((told("a", Measure::Captures), told("a", Measure::CarrierDefends)), (Some(1), Some(4)));
        }
    }
}

/// KTX keeps whoever leaves as a ghost, whose score counts when the match is over (`MakeGhost`, `TopStats`). Elsewhere the score
/// goes with the player (`SV_DropClient`), and the best of those who are there has won.
#[test]
fn who_left_wins_as_a_ghost() {
    for (ghost, winner, holder) in [(true, "c", Holder::Listed), (false, "b", Holder::Left)] {
        let mut made = Made::new(r"\deathmatch\3", DUEL);
        made.begin().all(&[frags(0, 1), frags(1, 3), frags(2, 7)].concat()).list(&[]).wait(1000);
        made.all(&userinfo(2, 0, "")).list(&[]).wait(5000).end();
        made.print(2, "\nPlayer statistics:\nFrags (rank) . efficiency\n");
        made.print(2, "? a:\n  1 (1) 100.0%\n").print(2, "? b:\n  3 (3) 100.0%\n");
        if ghost {
            made.all(b"\x08\x02? \x83c:\n  7 (7) 100.0%\n\0");
        }
        made.wait(500);
        let period = made.period();
        assert_eq!(period.winner.as_deref(), Some(winner));
        let places: Vec<_> = period.places.iter().map(|place| (&*place.name, place.score, place.holder)).collect();
        let (a, b, c) = (("a", 1, Holder::Stayed(0)), ("b", 3, Holder::Stayed(1)), ("c", 7, holder));
        assert_eq!(places, if ghost { [c, b, a] } else { [b, a, c] });
    }
}

/// A race of KTX: the line for the recording of who finished and the print are one run; where several race, the print names
/// who it is.
#[test]
fn races_are_runs() {
    let mut made = Made::new(r"\deathmatch\3\mode\race", DUEL);
    made.list(&[]).wait(1000);
    let end = stufftext("//ktx race end 12.345000 100.5 600.0 400.0 1\n");
    made.bytes.extend(record(4 | 1 << 3, &end));
    made.print(2, "Run finished in 12.345s\nb couldn't beat his best time\n").wait(1000);
    made.print(2, "[a] finished in 1st place [9.500s]\n").wait(1000).print(3, "a: Run finished in 1.000s\n").wait(500);
    // Alone, as a client is told it: the line behind says who.
    made.print(2, "Run finished in 7.000s\n").print(2, "c took the 1st place record\n").wait(500);
    made.print(2, "Run finished in 8.000s\na couldn't beat his best time\n").wait(500);
    let named = [("b", "12.345"), ("a", "9.500"), ("c", "7.000"), ("a", "8.000")];
    let wanted = named.map(|(name, time)| (Some(name.to_owned()), time.to_owned()));
    let told = |run: &Run| (run.player.as_ref().map(|who| who.name.clone()), run.digits());
    let mut all = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        if let EventKind::Run(run) = &event.kind {
            assert_eq!((run.map.as_str(), run.player.as_ref().and_then(|who| who.slot).is_some()), ("dm3", true));
            all.push(told(run));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(all, wanted);
    match qdemo::replay::info::info(&made.bytes[..], "made.mvd", Limits::default()).unwrap().facts {
        qdemo::replay::info::Facts::QuakeWorld(info) => {
            assert_eq!(info.runs.iter().map(told).collect::<Vec<_>>(), wanted);
        }
        other => panic!("{other:?}"),
    }
}
