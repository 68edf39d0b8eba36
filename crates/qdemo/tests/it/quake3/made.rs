//! Recordings of Quake III's family made for what they tell, one for each game mode and mod that a rule touches.
//!
//! Numbers are those of the facts: types of entities, events, configstrings, means of death.

use qdemo::Limits;
use qdemo::demo::Recording;
use qdemo::event::{Event, EventKind, FlagAction, Frag, FragKind};
use qdemo::format::dm3::{
    Array, Configstring, Dialect, Dm3, EntityField, Gamestate, Packet, PlayerField, ServerCommand,
};
use qdemo::game::quake3::{Baselines, EntityState, PlayerState, SnapshotBuilder, World as World3};
use qdemo::table::{self, Interval, Row, Values};
use qdemo::world::Scene;

const EF_DEAD: i32 = 1;
const EF_PLAYER_EVENT: i32 = 0x10;
const PM_SPECTATOR: i32 = 2;
const PM_DEAD: i32 = 3;
const ET_PLAYER: i32 = 1;
const ET_ITEM: i32 = 2;
const WORLD: i32 = 1022;

/// What the facts say of a protocol's game modules: the first configstring of the players, that of the flags, that of the
/// items; the first type of an entity that is an event; the events obituary, pickup, and sound for a team.
struct Numbers {
    players: u16,
    flags: u16,
    items: u16,
    first_event: i32,
    obituary: i32,
    pickup: i32,
    team_sound: i32,
}

fn numbers(protocol: i32) -> Numbers {
    match protocol {
        43 | 45 => {
            Numbers { players: 544, flags: 15, items: 27, first_event: 12, obituary: 58, pickup: 19, team_sound: 0 }
        }
        46..=71 => {
            Numbers { players: 544, flags: 23, items: 27, first_event: 13, obituary: 60, pickup: 19, team_sound: 47 }
        }
        _ => Numbers { players: 529, flags: 658, items: 15, first_event: 13, obituary: 58, pickup: 15, team_sound: 44 },
    }
}

/// A recording in the making.
pub(crate) struct Made {
    protocol: i32,
    d: Dialect,
    demo: Recording<Dm3>,
    sequence: i32,
    command: i32,
    time: i32,
}

impl Made {
    /// A level whose serverinfo says so, with players of these teams: `0` nobody's, `1` red, `2` blue, `3` spectators. Their
    /// names are their slots.
    pub(crate) fn new(protocol: i32, info: &str, items: usize, teams: &[u8]) -> Self {
        let d = Dialect::by_protocol(protocol).unwrap();
        let at = numbers(protocol);
        let string = |index: u16, value: String| Configstring { index, value: value.as_str().into() }.into();
        let mut level = Gamestate::new(0, 0, 0, &d);
        level.items = vec![string(0, format!(r"\protocol\{protocol}{info}"))];
        if items > 0 {
            level.items.push(string(at.items, "1".repeat(items)));
        }
        let players = teams.iter().enumerate();
        level.items.extend(players.map(|(n, team)| string(at.players + n as u16, format!(r"n\p{n}\t\{team}"))));
        let mut demo = Recording::<Dm3>::new(Some(protocol));
        demo.push(Packet::new(1, 0, vec![level.into()], &d));
        Made { protocol, d, demo, sequence: 1, command: 0, time: 10_000 }
    }

    fn at(&self) -> Numbers {
        numbers(self.protocol)
    }

    /// A block 50 ms after the last one: commands, the player who is seen, entities.
    pub(crate) fn block(&mut self, commands: &[String], player: &PlayerState, entities: &[(u16, EntityState)]) {
        self.sequence += 1;
        self.time += 50;
        let mut messages = Vec::new();
        for text in commands {
            self.command += 1;
            messages.push(ServerCommand { seq: self.command, value: text.as_str().into() }.into());
        }
        let entities: Vec<_> = entities.iter().map(|(number, state)| (*number, state)).collect();
        let snapshot = SnapshotBuilder::new(self.time, (&PlayerState::ZERO, player), &self.d);
        messages.push(snapshot.entities(&[], &entities, &Baselines::default()).build().into());
        self.demo.push(Packet::new(self.sequence, 0, messages, &self.d));
    }

    /// Nothing happens for so many blocks.
    pub(crate) fn wait(&mut self, blocks: usize, player: &PlayerState, entities: &[(u16, EntityState)]) {
        (0..blocks).for_each(|_| self.block(&[], player, entities));
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.demo.to_bytes().unwrap()
    }

    pub(super) fn events(&self) -> Vec<Event> {
        Recording::<Dm3>::read(self.bytes(), &self.name()).unwrap().events().unwrap()
    }

    pub(crate) fn name(&self) -> String {
        if self.protocol < 46 { "x.dm3".to_owned() } else { format!("x.dm_{}", self.protocol) }
    }

    /// The world at the end.
    pub(super) fn world(&self) -> World3 {
        super::world::fold(&self.demo.to_bytes().unwrap(), &self.name(), |_, _| {})
    }

    fn frags(&self) -> Vec<Frag> {
        let frag = |event: Event| match event.kind {
            EventKind::Frag(frag) => Some(frag),
            _ => None,
        };
        self.events().into_iter().filter_map(frag).collect()
    }

    /// Flags: whose, what, who.
    pub(super) fn flags(&self) -> Vec<(String, FlagAction, Option<usize>)> {
        let flag = |event: Event| match event.kind {
            EventKind::Flag { team, action, player } => Some((team.into_owned(), action, player.and_then(|p| p.slot))),
            _ => None,
        };
        self.events().into_iter().filter_map(flag).collect()
    }

    /// Who took what.
    fn pickups(&self) -> Vec<(usize, String)> {
        let pickup = |event: Event| match event.kind {
            EventKind::Pickup { player, item } => Some((player?.slot?, item.into_owned())),
            _ => None,
        };
        self.events().into_iter().filter_map(pickup).collect()
    }

    pub(super) fn obituary(&self, victim: i32, attacker: i32, means: i32, origin: [f32; 3]) -> EntityState {
        let at = self.at();
        let mut state = entity(at.first_event + at.obituary, origin);
        state.set_int(EntityField::OtherEntityNum, victim);
        state.set_int(EntityField::OtherEntityNum2, attacker);
        state.set_int(EntityField::EventParm, means);
        state
    }

    pub(super) fn sound(&self, parm: i32) -> EntityState {
        let at = self.at();
        let mut state = entity(at.first_event + at.team_sound, [0.0; 3]);
        state.set_int(EntityField::EventParm, parm);
        state
    }

    /// The command that changes the configstring of a player.
    pub(super) fn team(&self, slot: u16, team: u8) -> String {
        format!(r#"cs {} "n\p{slot}\t\{team}""#, self.at().players + slot)
    }

    pub(super) fn flag_status(&self, places: &str) -> String {
        format!(r#"cs {} "{places}""#, self.at().flags)
    }
}

pub(crate) fn entity(kind: i32, origin: [f32; 3]) -> EntityState {
    let mut state = EntityState::ZERO;
    state.set_int(EntityField::EType, kind);
    let fields = [EntityField::PosTrBaseX, EntityField::PosTrBaseY, EntityField::PosTrBaseZ];
    fields.into_iter().zip(origin).for_each(|(field, value)| state.set_float(field, value));
    state
}

pub(crate) fn player(slot: i32, origin: [f32; 3], flags: i32) -> EntityState {
    let mut state = entity(ET_PLAYER, origin);
    state.set_int(EntityField::ClientNum, slot);
    state.set_int(EntityField::EFlags, flags);
    state
}

/// The player who is seen.
pub(crate) fn eyes(slot: i32) -> PlayerState {
    let mut state = PlayerState::ZERO;
    state.set_int(PlayerField::ClientNum, slot);
    state
}

/// One death by these means, told 2 to 1.
fn death(protocol: i32, info: &str, items: usize, means: i32) -> Vec<(String, String)> {
    let mut made = Made::new(protocol, info, items, &[0, 0, 0]);
    made.block(&[], &eyes(0), &[]);
    made.block(&[], &eyes(0), &[(99, made.obituary(1, 2, means, [8.0; 3]))]);
    made.frags().into_iter().map(|frag| (frag.means.into_owned(), frag.weapon.into_owned())).collect()
}

/// Facts 4.3, with the numbers that minqlx's header has for Quake Live.
#[test]
fn means_of_death_by_mod() {
    let (base, arena) = (r"\gamename\baseq3", r"\gamename\missionpack");
    // OpenArena 0.8.1 and the mission pack of OpenArena 0.6 call themselves baseq3.
    let (oa, oa_081) = (r"\gamename\baseoa", r"\gamename\baseq3\version\ioq3+oa 1.35");
    let (cpma, osp, defrag) = (r"\gamename\cpma", r"\gamename\baseq3\gameversion\OSP v1.01", r"\gamename\defrag");
    let own = r"\gamename\q3ut4";
    for (protocol, info, items, number, means, weapon) in [
        (68, base, 36, 7, "rocket_splash", "rocket_launcher"),
        (68, base, 36, 22, "trigger_hurt", ""),
        (68, base, 36, 23, "grapple", "grapple"),
        (45, base, 36, 23, "grapple", "grapple"),
        (48, "", 0, 10, "railgun", "railgun"),
        (68, base, 36, 26, "baseq3_means_26", ""),
        (68, base, 52, 23, "nail", "nailgun"),
        (68, base, 52, 26, "kamikaze", ""),
        (68, arena, 52, 28, "grapple", "grapple"),
        (68, arena, 52, 29, "missionpack_means_29", ""),
        (70, oa_081, 54, 25, "proximity_mine", "prox_launcher"),
        (71, oa, 61, 24, "chaingun", "chaingun"),
        (71, oa, 61, 27, "juiced", ""),
        (68, cpma, 0, 23, "grapple", "grapple"),
        (68, cpma, 0, 26, "cpma_means_26", ""),
        (67, osp, 37, 23, "grapple", "grapple"),
        (68, defrag, 36, 19, "falling", ""),
        (68, own, 30, 5, "q3ut4_means_5", ""),
        (73, r"\gamename\baseqz", 54, 24, "chaingun", "chaingun"),
        (73, r"\gamename\baseqz", 54, 29, "switch_teams", ""),
        (90, r"\gamename\baseqz", 60, 31, "lightning_discharge", "lightning_gun"),
        (90, r"\gamename\baseqz", 60, 32, "heavy_machinegun", "heavy_machinegun"),
        (91, "", 60, 33, "railgun_headshot", "railgun"),
        (91, "", 60, 34, "means_34", ""),
    ] {
        let told = death(protocol, info, items, number);
        assert_eq!(told, [(means.to_owned(), weapon.to_owned())], "{protocol} {info} {items} {number}");
    }
    // Freeze tag: who is thawed does not die.
    assert_eq!(death(90, r"\gamename\baseqz\g_gametype\9", 60, 30), []);
}

/// Who changes team dies in the team of before: in Quake Live's red rover by the kill itself, elsewhere by own wish.
#[test]
fn teams_at_the_moment_of_death() {
    for protocol in [73, 90, 91] {
        // Red rover: 3 is red, 0 kills and is blue; then 3 is blue.
        let mut made = Made::new(protocol, r"\gamename\baseqz\g_gametype\12", 60, &[2, 2, 1, 1]);
        made.block(&[], &eyes(0), &[]);
        made.block(&[made.team(3, 2)], &eyes(0), &[(99, made.obituary(3, 0, 11, [8.0; 3]))]);
        // Two kill each other.
        let [first, second] = [made.obituary(2, 1, 6, [8.0; 3]), made.obituary(1, 2, 6, [8.0; 3])];
        made.block(&[made.team(2, 2), made.team(1, 1)], &eyes(0), &[(100, first), (101, second)]);
        // In the new team.
        made.block(&[made.team(0, 1)], &eyes(0), &[(102, made.obituary(0, 1, 10, [8.0; 3]))]);
        let told: Vec<_> = made.frags().into_iter().map(|f| (f.kind, f.victim.team.unwrap())).collect();
        let kill = |team: &str| (FragKind::Kill, team.to_owned());
        assert_eq!(told, [kill("red"), kill("red"), kill("blue"), kill("blue")], "{protocol}");
    }
    // By own wish: the base game, CPMA's clan arena, OpenArena's elimination, Quake Live's freeze tag.
    for (protocol, info, means) in [
        (68, r"\gamename\baseq3\g_gametype\3", 20),
        (68, r"\gamename\cpma\g_gametype\5", 20),
        (71, r"\gamename\baseoa\g_gametype\8", 20),
        (45, r"\gamename\baseq3\g_gametype\4", 20),
        (90, r"\gamename\baseqz\g_gametype\9", 29),
    ] {
        let mut made = Made::new(protocol, info, 0, &[1, 2, 2]);
        made.block(&[], &eyes(0), &[]);
        made.block(&[made.team(1, 3)], &eyes(0), &[(99, made.obituary(1, 1, means, [8.0; 3]))]);
        // Who leaves at once has a name still.
        let leaves = format!(r#"cs {} """#, made.at().players + 2);
        made.block(&[leaves], &eyes(0), &[(100, made.obituary(2, WORLD, means, [8.0; 3]))]);
        let told: Vec<_> = made.frags().into_iter().map(|f| (f.kind, f.victim.name, f.victim.team.unwrap())).collect();
        let blue = |kind, name: &str| (kind, name.to_owned(), "blue".to_owned());
        assert_eq!(told, [blue(FragKind::Suicide, "p1"), blue(FragKind::World, "p2")], "{info}");
    }
}

/// A kill of the own team is one where there are teams.
#[test]
fn team_kills_by_mode() {
    use FragKind::{Kill, TeamKill};
    for (protocol, info, team, kind) in [
        (68, r"\gamename\baseq3\g_gametype\0", 0, Kill),
        (68, r"\gamename\baseq3\g_gametype\3", 1, TeamKill),
        (43, r"\gamename\baseq3\g_gametype\3", 2, TeamKill),
        (68, r"\gamename\cpma\g_gametype\-1", 0, Kill),
        (68, r"\gamename\cpma\g_gametype\5", 2, TeamKill),
        (68, r"\gamename\cpma\g_gametype\9", 1, TeamKill),
        // Last man standing and possession: everybody for oneself, by a number above those of the team games.
        (71, r"\gamename\baseoa\g_gametype\10", 0, Kill),
        (71, r"\gamename\baseoa\g_gametype\13", 0, Kill),
        (71, r"\gamename\baseoa\g_gametype\8", 1, TeamKill),
        (90, r"\gamename\baseqz\g_gametype\4", 2, TeamKill),
    ] {
        let mut made = Made::new(protocol, info, 0, &[team, team, 3]);
        made.block(&[], &eyes(0), &[]);
        // Who comes into the game in this block plays in the new team.
        made.block(&[made.team(2, team)], &eyes(0), &[(99, made.obituary(1, 2, 6, [8.0; 3]))]);
        let told: Vec<_> = made.frags().into_iter().map(|f| (f.kind, f.attacker.unwrap().slot)).collect();
        assert_eq!(told, [(kind, Some(2))], "{info}");
    }
}

/// Where the obituary stands, where the body lies, and what is told.
#[test]
fn places_of_deaths() {
    let [body, shifted, zero] = [[64.0, 16.0, 24.0], [741.0, 427.0, 267.0], [0.0; 3]];
    let dead = player(1, body, EF_DEAD);
    let alive = |origin| player(1, origin, 0);
    let place = |info: &str, before: Option<EntityState>, now: Option<EntityState>, told: [f32; 3]| {
        let mut made = Made::new(68, info, 0, &[0, 0]);
        let list = |state: Option<EntityState>| state.map(|state| (1, state)).into_iter().collect::<Vec<_>>();
        made.block(&[], &eyes(0), &list(before));
        let mut entities = list(now);
        entities.push((99, made.obituary(1, 0, 6, told)));
        made.block(&[], &eyes(0), &entities);
        made.frags()[0].victim_origin
    };
    let (base, osp, cpma) = (r"\gamename\baseq3", r"\gamename\osp", r"\gamename\cpma");
    let near = [65.0, 16.0, 25.0];
    assert_eq!(place(base, None, None, near), Some(near));
    assert_eq!(place(base, Some(alive(body)), Some(dead), near), Some(near));
    // Who is dead and gone at once, as a spectator or alive again elsewhere, died where the obituary is.
    assert_eq!(place(base, Some(alive(body)), Some(alive([900.0; 3])), near), Some(near));
    assert_eq!(place(base, None, None, zero), None);
    assert_eq!(place(base, None, Some(player(1, zero, EF_DEAD)), zero), Some(zero));
    // CPMA's obituaries stand in the middle of the map.
    assert_eq!(place(cpma, Some(alive(near)), Some(dead), zero), Some(body));
    assert_eq!(place(cpma, Some(alive(near)), Some(alive([900.0; 3])), zero), Some(near));
    assert_eq!(place(cpma, None, None, zero), None);
    // OSP's may stand elsewhere.
    assert_eq!(place(osp, None, Some(dead), shifted), Some(body));
    assert_eq!(place(osp, None, Some(dead), near), Some(near));
    assert_eq!(place(osp, None, None, shifted), None);
    // A body in pieces is no player any more.
    let mut pieces = player(1, body, EF_DEAD);
    pieces.set_int(EntityField::EType, 10);
    assert_eq!(place(cpma, None, Some(pieces), zero), Some(body));

    // The own death.
    let mut made = Made::new(68, cpma, 0, &[0, 0]);
    let mut own = eyes(0);
    own.set_float(PlayerField::OriginX, 40.0);
    made.block(&[], &own, &[]);
    own.set_int(PlayerField::PmType, PM_DEAD);
    own.set_float(PlayerField::OriginX, 48.0);
    made.block(&[], &own, &[(99, made.obituary(0, WORLD, 16, zero))]);
    own.set_int(PlayerField::PmType, PM_SPECTATOR);
    made.wait(7, &own, &[]);
    made.block(&[], &own, &[(99, made.obituary(0, 0, 20, zero))]);
    let told: Vec<_> = made.frags().into_iter().map(|f| f.victim_origin).collect();
    assert_eq!(told, [Some([48.0, 0.0, 0.0]), None]);
}

/// What a recording of one block shows of an entity.
fn shown(protocol: i32, number: u16, state: EntityState) -> World3 {
    let mut made = Made::new(protocol, "", 0, &[0, 0]);
    made.block(&[], &eyes(0), &[(number, state)]);
    made.world()
}

/// Quake Live's protocol 91 declares 16 bits of health and armour without sign (facts 2.2), and its servers send what is
/// left of the dead: in the recording at hand only bodies have so many, 65452 to 65525, from when somebody dies.
#[test]
fn health_of_the_dead_is_negative() {
    for (sent, health) in [(65_452, Some(-84)), (65_533, Some(-3)), (100, Some(100)), (0, None)] {
        let mut state = player(1, [0.0; 3], 0);
        state.set_int(EntityField::Health, sent);
        let world = shown(91, 1, state);
        assert_eq!(world.player(1).unwrap().health, health);
    }
}

/// A mover that turns (trajectory 2: by so much a second) turns on and on; its angle stays within a turn.
#[test]
fn what_turns_stays_within_a_turn() {
    for (speed, seconds, roll) in [(100.0, 75, 300.0), (-100.0, 75, -300.0), (90.0, 4, 360.0), (90.0, 2, 180.0)] {
        let mut state = entity(4, [0.0; 3]);
        state.set_int(EntityField::AposTrType, 2);
        state.set_int(EntityField::AposTrTime, 10_050 - seconds * 1000);
        state.set_float(EntityField::AposTrDeltaZ, speed);
        assert_eq!(shown(68, 99, state).entity(99).unwrap().angles, [0.0, 0.0, roll]);
    }
}

/// A body without ground below falls (trajectory 5: by half of 800 units times the square of the time) as long as the
/// mod lets it: after 18 s it is below the lowest place of the world, 128 * 1024 units down. Tables have no place of it.
#[test]
fn what_fell_out_of_the_world_has_no_place() {
    for (seconds, z) in [(1, Some(-400.0)), (18, Some(-129_600.0)), (19, None)] {
        let mut state = player(1, [5.0, 6.0, 0.0], EF_DEAD);
        state.set_int(EntityField::PosTrType, 5);
        state.set_int(EntityField::PosTrTime, 10_050 - seconds * 1000);
        let mut made = Made::new(68, "", 0, &[0, 0]);
        made.block(&[], &eyes(0), &[(70, state)]);
        let place = ["x", "y", "z"].map(|name| table::ENTITIES.column(name).unwrap().values);
        let mut rows = Vec::new();
        let mut take = |row: &Row<'_>| {
            rows.push(place.map(|values| match values {
                Values::Number(of) => of(row),
                _ => panic!(),
            }));
            Ok(())
        };
        let demo = made.demo.to_bytes().unwrap();
        table::world(&table::ENTITIES, &demo[..], "x.dm_68", Interval::FRAME, Limits::default(), &mut take).unwrap();
        assert_eq!(rows, [[z.and(Some(5.0)), z.and(Some(6.0)), z]]);
    }
}

/// `SCORE_NOT_PRESENT` of the game module, -9999, is the score of a side that nobody is on (facts 4.5).
#[test]
fn a_side_without_anybody_has_no_score() {
    let mut made = Made::new(68, r"\gamename\baseq3", 0, &[0, 0]);
    made.block(&[r#"cs 6 "3""#.to_owned(), r#"cs 7 "-9999""#.to_owned()], &eyes(0), &[]);
    made.block(&[r#"cs 7 "-2""#.to_owned()], &eyes(0), &[]);
    let told = |event: Event| match event.kind {
        EventKind::Scores(sides) => Some((sides, event.kind.to_string())),
        _ => None,
    };
    let scores: Vec<_> = made.events().into_iter().filter_map(told).collect();
    let expected = [([Some(3), None], "it stands 3 to -"), ([Some(3), Some(-2)], "it stands 3 to -2")];
    assert_eq!(scores, expected.map(|(sides, text)| (sides, text.to_owned())));
}

/// The scoreboard says -1 of one who is about to connect: cgame writes `connecting` for it.
#[test]
fn who_connects_has_no_ping() {
    let mut made = Made::new(68, r"\gamename\baseq3", 0, &[0, 0]);
    let row = |client, ping| format!(" {client} 7 {ping} 4 0 0 30 1 0 0 0 0 0 0");
    made.block(&[format!("scores 2 0 0{}{}", row(0, 48), row(1, -1))], &eyes(0), &[]);
    let world = made.world();
    let pings: Vec<_> = world.players().map(|player| (player.frags, player.ping)).collect();
    assert_eq!(pings[1], (Some(7), None));
    assert_eq!(world.score(0).unwrap().ping, Some(48));
}

/// cgame forgets what it knew of a client when the configstring empties (`CG_NewClientInfo`): who comes into a slot is
/// somebody else. What a team is told of a mate it is told no longer of who went to the other side.
#[test]
fn a_slot_has_the_score_of_who_is_in_it() {
    let mut made = Made::new(68, r"\gamename\baseq3\g_gametype\3", 0, &[1, 1, 1]);
    let row = |client| format!(" {client} 7 48 4 0 0 30 1 0 0 0 0 0 0");
    let team = "tinfo 2 1 3 94 79 5 0 2 3 50 20 5 0".to_owned();
    let board = format!("scores 3 0 0{}{}{}", row(0), row(1), row(2));
    made.block(&[board, team, made.team(2, 2)], &eyes(0), &[]);
    made.block(&[r#"cs 545 """#.to_owned(), r#"cs 545 "n\new\t\1""#.to_owned()], &eyes(0), &[]);
    let world = made.world();
    let told: Vec<_> = world.players().map(|player| (player.frags, player.ping, player.health, player.armor)).collect();
    assert_eq!(told[1..], [(None, None, None, None), (Some(7), Some(48), None, None)]);
    assert_eq!(world.team_info(2), None);
}

/// Quake Live 91 has the flags in front of the other powerups: bits 1 to 3, the quad is 4. Before they are 7 to 9, as in id's
/// game, and what follows is in no order of id's: invulnerability, then what players keep. Who is frozen has 15 in both.
#[test]
fn powerups_of_quake_live() {
    let kept = ["invulnerability", "scout", "guard", "doubler", "armor_regeneration", "frozen"];
    for (protocol, flag, quad) in [(91, 1, 4), (90, 7, 1), (73, 7, 1)] {
        let mut made = Made::new(protocol, r"\gamename\baseqz\g_gametype\5", 0, &[1, 2]);
        let mut carrier = player(1, [8.0; 3], 0);
        carrier.set_int(EntityField::Powerups, 1 << flag | 0xfc00);
        let mut own = eyes(0);
        own.set_slot(Array::Powerups, quad, 90_000);
        made.block(&[], &own, &[(1, carrier)]);
        let world = made.world();
        let carried = |slot| {
            let mut all = Vec::new();
            world.carried(slot, &mut |name, _| all.push(name.to_owned()));
            all
        };
        let all = [["red_flag"].as_slice(), &kept].concat();
        assert_eq!([carried(0), carried(1)], [vec!["quad"], all], "{protocol}");
    }
}

/// What CPMA plays by it tells in its own configstring: `sl` 0 is no limit, whatever the server has for others. A side that
/// `cr` or `cb` counts nobody on has no score.
#[test]
fn limits_and_sides_of_cpma() {
    let info = r"\gamename\cpma\g_gametype\3\fraglimit\20\timelimit\1\capturelimit\8";
    let mut made = Made::new(68, info, 0, &[1, 2]);
    let told = |rest: &str| format!(r#"cs 672 "\sb\5\sr\34\tw\0\{rest}""#);
    made.block(&[told(r"tl\10\sl\0\cr\2\cb\1")], &eyes(0), &[]);
    let world = made.world();
    let rules = world.rules();
    let limits = [rules.time_limit, rules.frag_limit, rules.score_limit, rules.capture_limit];
    assert_eq!(limits, [Some(10), None, None, None]);
    made.block(&[told(r"tl\10\sl\0\cr\2\cb\0")], &eyes(0), &[]);
    made.block(&[told(r"tl\10\sl\0\cr\0\cb\0")], &eyes(0), &[]);
    let told = made.events().into_iter().filter_map(|event| match event.kind {
        EventKind::Scores(sides) => Some(sides),
        _ => None,
    });
    let both = [Some(34), Some(5)];
    assert_eq!(told.collect::<Vec<_>>(), [both, [Some(34), None], both]);
}

/// What two of player state, entity and temporary entity tell is told once; the same thing taken again is told again.
#[test]
fn pickups_once() {
    for protocol in [48, 68, 73, 90, 91] {
        let new = || Made::new(protocol, "", 0, &[0, 0, 0]);
        let at = numbers(protocol);
        // An armour shard: item 1.
        let took = |mut state: EntityState, counter: i32| {
            state.set_int(EntityField::Event, at.pickup | counter << 8);
            state.set_int(EntityField::EventParm, 1);
            state
        };
        let seen = |slot: i32, sequence: i32| {
            let mut state = eyes(slot);
            state.set_int(PlayerField::EventSequence, sequence);
            state.set_int(PlayerField::Events0, at.pickup);
            state.set_int(PlayerField::EventParms0, 1);
            state
        };
        let temporary = |slot: i32| {
            let mut state = entity(at.first_event + at.pickup, [0.0; 3]);
            state.set_int(EntityField::OtherEntityNum, slot);
            state.set_int(EntityField::EFlags, EF_PLAYER_EVENT);
            state.set_int(EntityField::EventParm, 1);
            state
        };
        let shard = |slot: usize| (slot, "armor_shard".to_owned());
        let other = |state| vec![(1, state)];
        let alive = player(1, [8.0; 3], 0);

        // The state of the player who is followed, and a temporary entity for everybody but that player.
        let mut made = new();
        made.block(&[], &seen(2, 0), &[]);
        made.block(&[], &seen(2, 1), &[(99, temporary(2))]);
        made.wait(3, &seen(2, 1), &[(99, temporary(2))]);
        assert_eq!(made.pickups(), [shard(2)], "{protocol}");

        // Out of sight and back within the life of the event; then again, much later.
        let mut made = new();
        made.block(&[], &eyes(0), &other(alive));
        made.block(&[], &eyes(0), &other(took(alive, 1)));
        made.block(&[], &eyes(0), &[]);
        made.block(&[], &eyes(0), &other(took(alive, 1)));
        made.block(&[], &eyes(0), &other(alive));
        made.wait(20, &eyes(0), &[]);
        made.block(&[], &eyes(0), &other(took(alive, 1)));
        // Two at once: the counter tells them apart.
        made.block(&[], &eyes(0), &other(took(alive, 2)));
        assert_eq!(made.pickups(), [shard(1), shard(1), shard(1)], "{protocol}");

        // Players keep their last event for longer than things do: out of sight for a second, and for five.
        let mut made = new();
        made.block(&[], &eyes(0), &other(alive));
        made.block(&[], &eyes(0), &other(took(alive, 1)));
        made.wait(20, &eyes(0), &[]);
        made.block(&[], &eyes(0), &other(took(alive, 1)));
        made.wait(100, &eyes(0), &[]);
        made.block(&[], &eyes(0), &other(took(alive, 1)));
        assert_eq!(made.pickups(), [shard(1), shard(1)], "{protocol}");

        // Told by the eyes of 1, who is an entity a second later.
        let mut made = new();
        made.block(&[], &seen(1, 0), &[]);
        made.block(&[], &seen(1, 1), &[]);
        made.wait(20, &seen(1, 1), &[]);
        made.block(&[], &eyes(0), &other(took(alive, 0)));
        assert_eq!(made.pickups(), [shard(1)], "{protocol}");

        // Told by the eyes of 1; then 0 is seen, and 1 is an entity that still has the event: the first one, so its counter is 0.
        let mut made = new();
        made.block(&[], &seen(1, 0), &[]);
        made.block(&[], &seen(1, 1), &[]);
        made.block(&[], &eyes(0), &other(took(alive, 0)));
        made.block(&[], &eyes(0), &other(took(alive, 1)));
        assert_eq!(made.pickups(), [shard(1), shard(1)], "{protocol}");
    }
}

/// Things that appear are told where they are, whoever looks.
#[test]
fn items_appear_once() {
    let mut made = Made::new(68, "", 0, &[0]);
    let mut item = entity(ET_ITEM, [16.0, 0.0, 0.0]);
    item.set_int(EntityField::Modelindex, 2);
    let mut appears = item;
    appears.set_int(EntityField::Event, 40);
    let mut eyes = eyes(0);
    eyes.set_slot(Array::Stats, 0, 100);
    made.block(&[], &eyes, &[]);
    made.block(&[], &eyes, &[(70, appears)]);
    made.block(&[], &eyes, &[]);
    made.block(&[], &eyes, &[(70, appears)]);
    made.block(&[], &eyes, &[(70, item)]);
    let appeared = |made: &Made| {
        let respawns = |event: &Event| matches!(event.kind, EventKind::Respawn { .. });
        made.events().iter().filter(|event| respawns(event)).count()
    };
    assert_eq!(appeared(&made), 1);

    // Played half as fast, the event stays for twice as long (`EVENT_VALID_MSEC` is 300): seen for 100 ms, out of sight for 400.
    let mut made = Made::new(68, "", 0, &[0]);
    made.wait(2, &eyes, &[(70, item)]);
    made.wait(5, &eyes, &[]);
    made.wait(2, &eyes, &[(70, appears)]);
    made.wait(7, &eyes, &[]);
    made.wait(2, &eyes, &[(70, appears)]);
    assert_eq!(appeared(&made), 1);
    // Taken in the frame in which it comes, it is back a second later (`g_weaponRespawn` 1), played twice as fast in half of one.
    for seconds in [2, 1] {
        made.wait(seconds * 10 - 1, &eyes, &[]);
        made.block(&[], &eyes, &[(70, appears)]);
    }
    assert_eq!(appeared(&made), 3);
}
