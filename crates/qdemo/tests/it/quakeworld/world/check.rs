//! The world check: from the states before and after, derive what an engine would have sent, and compare that with what
//! was recorded. A field that was recorded without need, or needed and not recorded, must have a reason.

use std::collections::BTreeMap;
use std::path::PathBuf;

use qdemo::format::qwd::{Message, MvdPlayerInfo, PacketEntity, PlayerFlags, PlayerInfo};
use qdemo::format::{mvd, qwd};
use qdemo::wire::Angle;
use qdemo::world::quakeworld::{EntityState, PlayerState, Stats};
use qdemo::world::{Scene, World};
use qdemo::{Chunk, Limits, Reader};

use super::{has_corpus, quakeworld};
use crate::common::{all_mvd, all_qwd, file_name};

/// How often what was found.
#[derive(Debug, Default)]
struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }
}

/// Names of fields with the bits of their values.
type Sent = BTreeMap<&'static str, u32>;

const PLACES: [&str; 6] = ["origin_x", "origin_y", "origin_z", "pitch", "yaw", "roll"];

fn put<T: Into<u32>>(sent: &mut Sent, name: &'static str, value: Option<T>) {
    sent.extend(value.map(|v| (name, v.into())));
}

/// What a message about an entity says.
fn recorded(m: &PacketEntity) -> Sent {
    let mut sent = Sent::new();
    put(&mut sent, "model", m.model.index);
    put(&mut sent, "frame", m.frame);
    put(&mut sent, "colormap", m.colormap);
    put(&mut sent, "skin", m.skin);
    put(&mut sent, "effects", m.effects);
    put(&mut sent, "alpha", m.alpha);
    put(&mut sent, "color", m.colormod.map(|c| u32::from_le_bytes([c.0[0], c.0[1], c.0[2], 0])));
    for (axis, name) in PLACES.iter().take(3).enumerate() {
        put(&mut sent, name, m.place.first[axis].map(|c| (c.0.get() as f32).to_bits()));
    }
    for (axis, name) in PLACES.iter().skip(3).enumerate() {
        put(&mut sent, name, m.place.second[axis].map(|a| (a.degrees() as f32).to_bits()));
    }
    if m.solid {
        sent.insert("solid", 1);
    }
    if m.remove {
        sent.insert("remove", 1);
    }
    sent
}

/// All fields of an entity, always in this order.
fn fields(e: &EntityState) -> [(&'static str, u32); 14] {
    let place = |n: usize| (PLACES[n], e.origin.iter().chain(&e.angles).nth(n).map_or(0, |v| v.to_bits()));
    [
        ("model", e.model.into()),
        ("frame", e.frame.into()),
        ("colormap", e.colormap.into()),
        ("skin", e.skin.into()),
        ("effects", e.effects.into()),
        ("alpha", e.alpha.into()),
        ("color", u32::from_le_bytes([e.color[0], e.color[1], e.color[2], 0])),
        ("solid", e.solid.into()),
        place(0),
        place(1),
        place(2),
        place(3),
        place(4),
        place(5),
    ]
}

/// The fields that differ from a base.
fn difference(base: &EntityState, e: &EntityState) -> Sent {
    let both = fields(base).into_iter().zip(fields(e));
    both.filter(|(was, is)| was != is).map(|(_, is)| is).collect()
}

/// An entity in a list, which is in order.
fn of(list: &[EntityState], number: u16) -> Option<&EntityState> {
    list.binary_search_by_key(&number, |e| e.number).ok().map(|at| &list[at])
}

/// What a server would send about all entities: what differs from the base list, or from the base states.
fn derive(
    base: Option<&[EntityState]>,
    now: &[EntityState],
    baseline: impl Fn(u16) -> EntityState,
) -> BTreeMap<u16, Sent> {
    assert!(now.is_sorted_by_key(|e| e.number));
    let old = base.unwrap_or_default();
    let mut all = BTreeMap::new();
    for e in now {
        let was = of(old, e.number);
        let sent = difference(was.unwrap_or(&baseline(e.number)), e);
        // Entities that are new are named in any case, those of a complete list too.
        if !sent.is_empty() || was.is_none() {
            all.insert(e.number, sent);
        }
    }
    for gone in old.iter().filter(|e| of(now, e.number).is_none()) {
        all.insert(gone.number, Sent::from([("remove", 1)]));
    }
    all
}

/// Compares what was recorded with what was derived; `before` gives a field's value in the base.
fn compare(recorded: &Sent, derived: &Sent, before: impl Fn(&str) -> Option<u32>, counts: &mut Counts, kind: Kind) {
    if recorded == derived {
        return counts.add(kind.equal);
    }
    for name in recorded.keys().chain(derived.keys()).collect::<std::collections::BTreeSet<_>>() {
        match (recorded.get(name), derived.get(name)) {
            (Some(a), Some(b)) if a == b => {}
            // Servers compare floats; what they send is rounded to eighths and to parts of a turn, and may come out
            // as it was.
            (Some(value), None) if PLACES.contains(name) && before(name) == Some(*value) => counts.add(kind.rounded),
            (Some(value), None) if before(name) == Some(*value) => counts.add(kind.again),
            _ => {
                counts.add("unexplained");
                eprintln!("{}: {name}: recorded {recorded:?} derived {derived:?}", kind.equal);
            }
        }
    }
}

/// The names of counters for one kind of message.
#[derive(Clone, Copy)]
struct Kind {
    equal: &'static str,
    /// A place that was sent because it changed by less than the wire can tell.
    rounded: &'static str,
    /// Another field that was sent as it was.
    again: &'static str,
}

const ENTITY: Kind = Kind { equal: "entity equal", rounded: "entity rounded", again: "entity again" };
const FULL: Kind = Kind { equal: "full equal", rounded: "full rounded", again: "full again" };
const PLAYER: Kind = Kind { equal: "player equal", rounded: "player rounded", again: "player again" };

fn list(
    entities: &[PacketEntity],
    base: Option<&[EntityState]>,
    now: &[EntityState],
    baseline: impl Fn(u16) -> EntityState + Copy,
    counts: &mut Counts,
) {
    let kind = if base.is_some() { ENTITY } else { FULL };
    let mut derived = derive(base, now, baseline);
    for m in entities {
        let number = m.entity.0;
        let old = of(base.unwrap_or_default(), number).copied();
        let before = Sent::from(fields(&old.unwrap_or_else(|| baseline(number))));
        let ours = derived.remove(&number).unwrap_or_default();
        compare(&recorded(m), &ours, |name| before.get(name).copied(), counts, kind);
    }
    for (number, sent) in derived {
        counts.add("unexplained");
        eprintln!("entity {number} is not named: {sent:?}");
    }
}

/// What a message of a multi-view recording says of a player, and what differs between two states.
fn server_player(
    m: &MvdPlayerInfo,
    before: Option<&PlayerState>,
    now: &PlayerState,
    beginning: bool,
    was_seen: bool,
    counts: &mut Counts,
) {
    let mut sent = Sent::new();
    for (name, v) in PLACES.iter().zip([m.origin_x, m.origin_y, m.origin_z]) {
        put(&mut sent, name, v.map(|c| (c.0.get() as f32).to_bits()));
    }
    for (name, v) in PLACES.iter().skip(3).zip([m.angles_1, m.angles_2, m.angles_3]) {
        put(&mut sent, name, v.map(|a| (Angle::I16(a.0).degrees() as f32).to_bits()));
    }
    put(&mut sent, "model", m.modelindex.map(|v| v.0));
    put(&mut sent, "skin", m.skinnum);
    put(&mut sent, "effects", m.effects);
    put(&mut sent, "weapon_frame", m.weaponframe);
    let all = |state: Option<&PlayerState>| -> Sent {
        // The first message about a player tells what is not 0.
        let s = state.copied().unwrap_or_default();
        let mut all = Sent::new();
        let place = s.origin.unwrap_or_default().into_iter().chain(s.angles.unwrap_or_default());
        all.extend(PLACES.into_iter().zip(place.map(f32::to_bits)));
        put(&mut all, "model", Some(s.model));
        put(&mut all, "skin", Some(s.skin));
        put(&mut all, "effects", Some(s.effects));
        put(&mut all, "weapon_frame", Some(s.weapon_frame));
        all
    };
    let (old, new) = (all(before), all(Some(now)));
    let ours = new.into_iter().filter(|(name, v)| old.get(name).copied() != Some(*v)).collect();
    assert_eq!((m.frame, m.dead, m.gib), (now.frame, now.dead, now.gib));
    // Once all is told that is there, and the first frames tell it again; so does the first of a player who was away.
    let again = match (beginning, was_seen) {
        (true, _) => "player at the beginning",
        (false, false) => "player is back",
        _ => PLAYER.again,
    };
    compare(&sent, &ours, |name| old.get(name).copied(), counts, Kind { again, ..PLAYER });
}

/// What a packet says of a player, and what a state has that is not usual.
fn client_player(m: &PlayerInfo, now: &PlayerState, usual_model: u16, own: bool, counts: &mut Counts) {
    const SPEED: [&str; 3] = ["velocity_x", "velocity_y", "velocity_z"];
    let mut sent = Sent::new();
    for (name, v) in SPEED.iter().zip([m.velocity_x, m.velocity_y, m.velocity_z]) {
        put(&mut sent, name, v.map(|v| f32::from(v.0).to_bits()));
    }
    put(&mut sent, "model", m.modelindex.map(|v| v.0));
    put(&mut sent, "skin", m.skinnum);
    put(&mut sent, "effects", m.effects.map(|e| e.0));
    put(&mut sent, "weapon_frame", m.weaponframe);
    put(&mut sent, "alpha", m.alpha);
    put(&mut sent, "command", m.command.map(|_| 1u32));
    put(&mut sent, "age", m.msec.map(|_| 1u32));
    let mut ours = Sent::new();
    let velocity = now.velocity.unwrap();
    ours.extend(SPEED.into_iter().zip(velocity.map(f32::to_bits)).filter(|(_, v)| *v != 0));
    put(&mut ours, "model", Some(now.model).filter(|v| *v != usual_model));
    put(&mut ours, "skin", Some(now.skin).filter(|v| *v != 0));
    put(&mut ours, "effects", Some(now.effects).filter(|v| *v != 0));
    put(&mut ours, "weapon_frame", Some(now.weapon_frame).filter(|v| *v != 0));
    put(&mut ours, "alpha", now.alpha);
    put(&mut ours, "command", now.command.map(|_| 1u32));
    put(&mut ours, "age", now.age.map(|_| 1u32));
    assert_eq!(m.flags.has(PlayerFlags::DEAD), now.dead);
    assert_eq!(m.origin.map(|c| c.0.get() as f32), now.origin.unwrap());
    if sent == ours {
        return counts.add("player equal");
    }
    for name in sent.keys().chain(ours.keys()).collect::<std::collections::BTreeSet<_>>() {
        match (sent.get(name), ours.get(name)) {
            (Some(a), Some(b)) if a == b => {}
            // A velocity below one unit a second is not 0 to the server, but on the wire.
            (Some(0), None) if SPEED.contains(name) => counts.add("player rounded"),
            // What ezQuake writes again when it records, it writes for its own player in full.
            (Some(0), None) if own => counts.add("player own in full"),
            (Some(v), None) if *name == "model" && *v == u32::from(usual_model) => counts.add("player again"),
            _ => {
                counts.add("unexplained");
                eprintln!("player: {name}: recorded {sent:?} derived {ours:?}");
            }
        }
    }
}

/// Folds a recording and checks every message that has state behind it.
fn check(demo: &[u8], name: &str, counts: &mut Counts) {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let mut world = World::new(chunks.detected()).unwrap();
    let (mut client, mut server) = (qwd::Decoder::default(), mvd::Decoder::default());
    // The lists of all packets so far, by number.
    let mut history: BTreeMap<u32, Vec<EntityState>> = BTreeMap::new();
    let mut lists = 0;
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let before = quakeworld(&world);
        let dialect = before.dialect();
        let was_complete = before.is_complete();
        let (old_list, level) = (before.entity_states().to_vec(), before.level().number);
        let states: Vec<_> = (0..32).map(|n| before.slot(n).unwrap().state).collect();
        let was_seen: Vec<_> = (0..32).map(|n| before.is_in_view(n)).collect();
        let mut stats: Vec<Option<Stats>> = (0..32).map(|n| before.stats(n).copied()).collect();
        assert_eq!(world.fold(&chunk), None, "{name}");
        let now = quakeworld(&world);
        let (messages, target) = match &chunk {
            Chunk::Mvd(mvd::Chunk::Block(block)) => {
                let to = block.header.to;
                let one = matches!(to.target, mvd::Target::Single | mvd::Target::Stats);
                (server.read(block).0.messages, one.then_some(usize::from(to.slot)))
            }
            Chunk::Qwd(qwd::Chunk::Block(block)) => (client.read(block).0.messages, now.recorder()),
            _ => continue,
        };
        if now.level().number != level || now.changes().level {
            history.clear();
            lists = 0;
            continue;
        }
        let baseline = |n: u16| EntityState { number: n, ..now.baseline(n) };
        let usual = now.models().iter().position(|m| m == b"progs/player.mdl").map_or(0, |at| at as u16 + 1);
        let sequence = now.sequence().0;
        let beginning = lists < 20;
        for message in messages {
            match message {
                Message::PacketEntities(m) => {
                    if dialect.quakeworld.multiview && was_complete && !history.is_empty() {
                        refreshed(&old_list, now.entity_states(), counts);
                    }
                    list(&m.entities, None, now.entity_states(), baseline, counts);
                    history.insert(sequence, now.entity_states().to_vec());
                    lists += 1;
                }
                Message::DeltaPacketEntities(m) => {
                    lists += 1;
                    let base = match dialect.quakeworld.multiview {
                        true => Some(old_list.clone()).filter(|_| was_complete && !history.is_empty()),
                        false => {
                            let back = u32::from((sequence as u8).wrapping_sub(m.frame));
                            history.get(&sequence.wrapping_sub(back)).filter(|_| (1..64).contains(&back)).cloned()
                        }
                    };
                    assert_eq!(base.is_some(), now.is_complete(), "{name} packet {sequence}");
                    match base {
                        Some(base) => {
                            list(&m.entities, Some(&base), now.entity_states(), baseline, counts);
                            history.insert(sequence, now.entity_states().to_vec());
                        }
                        // The packet that it builds on was not recorded, or not sent.
                        None => counts.add("base missing"),
                    }
                }
                Message::MvdPlayerInfo(m) => {
                    let slot = usize::from(m.player);
                    let after = now.slot(slot).unwrap().state.unwrap();
                    server_player(&m, states[slot].as_ref(), &after, beginning, was_seen[slot], counts);
                }
                Message::PlayerInfo(m) => {
                    let own = now.recorder() == Some(usize::from(m.player));
                    let state = now.slot(usize::from(m.player)).unwrap().state.unwrap();
                    client_player(&m, &state, usual, own, counts);
                }
                Message::UpdateStat(qwd::UpdateStat { index, value }) => {
                    stat(&mut stats, target, index.0, i32::from(value), beginning, counts);
                }
                Message::UpdateStatLong(qwd::UpdateStatLong { index, value }) => {
                    stat(&mut stats, target, index.0, value, beginning, counts);
                }
                _ => {}
            }
        }
    }
    assert!(world.is_complete() || counts.of("base missing") > 0, "{name}");
}

/// Every 256th list of a server is complete. It owes nothing to the lists before: what these added up to must be what it
/// says, but for what moved just then.
fn refreshed(before: &[EntityState], now: &[EntityState], counts: &mut Counts) {
    for e in now {
        counts.add(match before.iter().find(|old| old.number == e.number) {
            None => "refresh: came",
            Some(old) if old == e => "refresh: equal",
            Some(old) if old.origin == e.origin && old.angles == e.angles && old.model != e.model => "unexplained",
            Some(_) => "refresh: moved",
        });
    }
    for _ in before.iter().filter(|old| now.iter().all(|e| e.number != old.number)) {
        counts.add("refresh: went");
    }
}

/// Servers send stats when they change.
fn stat(
    stats: &mut [Option<Stats>],
    slot: Option<usize>,
    index: u16,
    value: i32,
    beginning: bool,
    counts: &mut Counts,
) {
    let Some(to) = slot.and_then(|slot| stats.get_mut(slot)) else { return };
    let to = to.get_or_insert_default();
    let at = &mut to.0[usize::from(index)];
    counts.add(match (*at == value, beginning, index) {
        (false, _, _) => "stat equal",
        // At the beginning all are told, some twice, and those that are 0 too.
        (true, true, _) => "stat at the beginning",
        // Not the server's but the game module's: sent to its player whenever that spawns, then told to all.
        (true, false, 18) => "stat of the module",
        // Known to be 0 without a message.
        (true, false, _) if value == 0 => "stat 0",
        _ => "unexplained",
    });
    *at = value;
}

fn check_all(recordings: Vec<PathBuf>) -> Counts {
    let mut all = Counts::default();
    for path in recordings {
        let mut counts = Counts::default();
        check(&std::fs::read(&path).unwrap(), &file_name(&path), &mut counts);
        eprintln!("{}: {:?}", file_name(&path), counts.0);
        for (what, n) in counts.0 {
            *all.0.entry(what).or_default() += n;
        }
    }
    eprintln!("{:?}", all.0);
    assert_eq!(all.of("unexplained"), 0, "{:?}", all.0);
    all
}

#[test]
fn client_recordings_are_what_a_server_would_send() {
    let all = check_all(all_qwd());
    // No field is sent again that is not a rounded place.
    assert_eq!(all.of("entity again") + all.of("full again") + all.of("player again"), 0, "{:?}", all.0);
    assert!(all.of("entity equal") > 1_000 && all.of("player equal") > 700, "{:?}", all.0);
    if has_corpus() {
        assert!(all.of("full equal") > 620_000 && all.of("player equal") > 169_000, "{:?}", all.0);
        // One at the beginning of a recording, three and two after packets were lost.
        assert_eq!(all.of("base missing"), 6, "{:?}", all.0);
    }
}

#[test]
fn server_recordings_are_what_a_server_would_write() {
    let all = check_all(all_mvd());
    assert_eq!(all.of("entity again") + all.of("full again") + all.of("player again"), 0, "{:?}", all.0);
    assert!(all.of("entity equal") > 300 && all.of("player equal") > 500, "{:?}", all.0);
    if has_corpus() {
        assert!(all.of("entity equal") > 106_000 && all.of("player equal") > 253_000, "{:?}", all.0);
        assert!(all.of("stat equal") > 25_000, "{:?}", all.0);
        // Things come and go as ever; once a match begins with a complete list, and takes 38 things away.
        assert!(all.of("refresh: equal") > 8_400 && all.of("refresh: moved") < 500, "{:?}", all.0);
        assert!(all.of("refresh: came") < 30 && all.of("refresh: went") < 60, "{:?}", all.0);
        // Servers go on counting lists from one recording to the next: a recording begins with differences to a list
        // that it does not have, until the next complete one after at most 255.
        assert!((1_000..2_000).contains(&all.of("base missing")), "{:?}", all.0);
    }
}
