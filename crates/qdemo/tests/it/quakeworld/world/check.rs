//! The world check: from the states before and after, derive what an engine would have sent, and compare that with what
//! was recorded. A field that was recorded without need, or needed and not recorded, must have a reason.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

use qdemo::describe::State;
use qdemo::format::mvd;
use qdemo::format::qwd::{self, Dialect, Message, MvdPlayerInfo, PacketEntity, PlayerInfo, UpdateStat, UpdateStatLong};
use qdemo::game::ShortOrLong;
use qdemo::game::quakeworld::{Baselines, EntityState, PlayerState, Stats, diff_entities};
use qdemo::replay::World;
use qdemo::world::Scene;
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

/// The names of counters for one kind of message.
#[derive(Clone, Copy)]
struct MessageKind {
    equal: &'static str,
    /// A place that was sent because it changed by less than the wire can tell.
    rounded: &'static str,
    /// Another field that was sent as it was.
    again: &'static str,
}

const ENTITY: MessageKind = MessageKind { equal: "entity equal", rounded: "entity rounded", again: "entity again" };
const FULL: MessageKind = MessageKind { equal: "full equal", rounded: "full rounded", again: "full again" };
const PLAYER: MessageKind = MessageKind { equal: "player equal", rounded: "player rounded", again: "player again" };

/// Compares what was recorded with what leads from one state to another: it must lead there too, so that what it tells
/// beside is as it was. `place` gives the message what the other one says of places.
fn compare<S, M>(
    from: &S,
    to: &S,
    recorded: &M,
    asked: &M,
    d: &Dialect,
    place: fn(&mut M, &M),
    kind: MessageKind,
) -> &'static str
where
    S: State<M, Dialect> + Clone + Debug,
    M: Clone + PartialEq + Debug,
{
    for m in [recorded, asked] {
        let mut there = from.clone();
        there.apply(m, d);
        assert_eq!(&there, to, "{m:?} from {from:?}");
    }
    let (mut asked, needed) = (asked.clone(), S::told(asked));
    if *recorded == asked {
        return kind.equal;
    }
    // Servers compare floats; what they send is rounded to eighths and to parts of a turn, and may come out as it was.
    place(&mut asked, recorded);
    match () {
        () if *recorded == asked => kind.rounded,
        () if needed & !S::told(recorded) == 0 => kind.again,
        () => panic!("recorded {recorded:?} asked {asked:?}"),
    }
}

fn list(
    entities: &[PacketEntity],
    base: Option<&[EntityState]>,
    now: &[EntityState],
    baselines: &Baselines,
    d: &Dialect,
    counts: &mut Counts,
) {
    let kind = if base.is_some() { ENTITY } else { FULL };
    let asked = diff_entities(base, now, baselines, d);
    assert!(asked.is_sorted_by(|a, b| a.entity.0 < b.entity.0));
    let of = |list: &[EntityState], number| list.iter().find(|e| e.number == number).copied();
    for m in entities {
        let number = m.entity.0;
        let from = of(base.unwrap_or_default(), number).unwrap_or_else(|| baselines.get(number));
        let there = asked.iter().find(|asked| asked.entity.0 == number);
        let Some(to) = of(now, number) else {
            assert_eq!(Some(m), there, "a removal");
            counts.add(kind.equal);
            continue;
        };
        let nothing = PacketEntity::of(number);
        let from = EntityState { number, ..from };
        let place = |to: &mut PacketEntity, from: &PacketEntity| to.place = from.place;
        counts.add(compare(&from, &to, m, there.unwrap_or(&nothing), d, place, kind));
    }
    for m in asked {
        assert!(entities.iter().any(|told| told.entity == m.entity), "not named: {m:?}");
    }
}

/// What a message of a multi-view recording says of a player, and what differs between two states.
fn server_player(
    m: &MvdPlayerInfo,
    before: Option<&PlayerState>,
    now: &PlayerState,
    beginning: bool,
    was_seen: bool,
    d: &Dialect,
    counts: &mut Counts,
) {
    // The first message about a player tells what is not 0. Which parts are known is not in the message.
    let from = PlayerState { known: now.known, ..before.copied().unwrap_or_default() };
    let asked = MvdPlayerInfo { player: m.player, ..PlayerState::diff(&from, now, d) };
    // Once all is told that is there, and the first frames tell it again; so does the first of a player who was away.
    let again = match (beginning, was_seen) {
        (true, _) => "player at the beginning",
        (false, false) => "player is back",
        _ => PLAYER.again,
    };
    let place = |to: &mut MvdPlayerInfo, from: &MvdPlayerInfo| {
        (to.origin_x, to.origin_y, to.origin_z) = (from.origin_x, from.origin_y, from.origin_z);
        (to.angles_1, to.angles_2, to.angles_3) = (from.angles_1, from.angles_2, from.angles_3);
    };
    counts.add(compare(&from, now, m, &asked, d, place, MessageKind { again, ..PLAYER }));
}

/// What a packet says of a player, and what a state has that is not usual.
fn client_player(m: &PlayerInfo, now: &PlayerState, usual: &PlayerState, own: bool, d: &Dialect, counts: &mut Counts) {
    let asked = PlayerInfo { player: m.player, ..PlayerState::diff(usual, now, d) };
    // A velocity below one unit a second is not 0 to the server, but on the wire.
    let place = |to: &mut PlayerInfo, from: &PlayerInfo| {
        (to.velocity_x, to.velocity_y, to.velocity_z) = (from.velocity_x, from.velocity_y, from.velocity_z);
    };
    // What ezQuake writes again when it records, it writes for its own player in full.
    let again = if own { "player own in full" } else { PLAYER.again };
    counts.add(compare(usual, now, m, &asked, d, place, MessageKind { again, ..PLAYER }));
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
        assert_eq!(world.apply(&chunk), None, "{name}");
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
        let baselines = now.baselines();
        let sequence = now.sequence().0;
        let beginning = lists < 20;
        for message in messages {
            match message {
                Message::PacketEntities(m) => {
                    if dialect.multiview && was_complete && !history.is_empty() {
                        counts.add("refresh");
                        refreshed(&old_list, now.entity_states(), counts);
                    }
                    list(&m.entities, None, now.entity_states(), baselines, &dialect, counts);
                    history.insert(sequence, now.entity_states().to_vec());
                    lists += 1;
                }
                Message::DeltaPacketEntities(m) => {
                    lists += 1;
                    let base = match dialect.multiview {
                        true => Some(old_list.clone()).filter(|_| was_complete && !history.is_empty()),
                        false => {
                            let back = u32::from((sequence as u8).wrapping_sub(m.frame));
                            history.get(&sequence.wrapping_sub(back)).filter(|_| (1..64).contains(&back)).cloned()
                        }
                    };
                    assert_eq!(base.is_some(), now.is_complete(), "{name} packet {sequence}");
                    match base {
                        Some(base) => {
                            counts.add("delta");
                            let news = &now.changes();
                            let things = [&news.added, &news.changed, &news.removed].into_iter().flatten();
                            things.filter(|number| **number > 32).for_each(|_| counts.add("delta: changed"));
                            list(&m.entities, Some(&base), now.entity_states(), baselines, &dialect, counts);
                            history.insert(sequence, now.entity_states().to_vec());
                        }
                        // The packet that it builds on was not recorded, or not sent.
                        None => counts.add("base missing"),
                    }
                }
                Message::MvdPlayerInfo(m) => {
                    let slot = usize::from(m.player);
                    let after = now.slot(slot).unwrap().state.unwrap();
                    let was = was_seen[slot];
                    server_player(&m, states[slot].as_ref(), &after, beginning, was, &dialect, counts);
                }
                Message::PlayerInfo(m) => {
                    let own = now.recorder() == Some(usize::from(m.player));
                    let state = now.slot(usize::from(m.player)).unwrap().state.unwrap();
                    client_player(&m, &state, &now.usual_player(), own, &dialect, counts);
                }
                Message::UpdateStat(m) => stat(&mut stats, target, ShortOrLong::Short(m), beginning, counts),
                Message::UpdateStatLong(m) => stat(&mut stats, target, ShortOrLong::Long(m), beginning, counts),
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
    m: ShortOrLong<UpdateStat, UpdateStatLong>,
    beginning: bool,
    counts: &mut Counts,
) {
    let Some(to) = slot.and_then(|slot| stats.get_mut(slot)) else { return };
    let to = to.get_or_insert_default();
    let before = *to;
    let (index, value) = match &m {
        ShortOrLong::Short(m) => (m.index.0, i32::from(m.value)),
        ShortOrLong::Long(m) => (m.index.0, m.value),
    };
    let again = to.get(usize::from(index)) == value;
    to.0[usize::from(index)] = value;
    let asked = Stats::diff(&before, to);
    assert_eq!(asked.len(), usize::from(!again));
    // Recorders write all of them at the beginning, always in the long form.
    if asked.first().is_some_and(|asked| *asked != m) {
        assert!(beginning && matches!(m, ShortOrLong::Long(_)), "{m:?}");
        counts.add("stat in the long form");
    }
    counts.add(match (again, beginning, index) {
        (false, _, _) => "stat equal",
        // At the beginning all are told, some twice, and those that are 0 too.
        (true, true, _) => "stat at the beginning",
        // Not the server's but the game module's: sent to its player whenever that spawns, then told to all.
        (true, false, 18) => "stat of the module",
        // Known to be 0 without a message.
        (true, false, _) if value == 0 => "stat 0",
        _ => "unexplained",
    });
}

fn check_all(recordings: Vec<PathBuf>) -> Counts {
    let mut all = Counts::default();
    for path in recordings {
        let mut counts = Counts::default();
        check(&std::fs::read(&path).unwrap(), &file_name(&path), &mut counts);
        // Servers go on counting lists from one recording to the next: a recording begins with differences to a list that
        // it does not have, until the next complete one, which is every 256th.
        assert!(counts.of("base missing") < 256, "{}: {:?}", file_name(&path), counts.0);
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
        // A complete list tells what the ones before added up to, and what changed since the last: about as much as
        // between any two lists. Were something lost on the way, more would be found to differ here. (Once a match begins
        // with a complete list, which takes 38 things away.)
        let at_refresh =
            ["refresh: moved", "refresh: came", "refresh: went"].map(|what| all.of(what)).iter().sum::<u64>();
        let share = |changes: u64, lists: &str| changes as f64 / all.of(lists).max(1) as f64;
        let (rate, usual) = (share(at_refresh, "refresh"), share(all.of("delta: changed"), "delta"));
        eprintln!("{rate:.2} things changed at a complete list, {usual:.2} at others");
        assert!(all.of("refresh: equal") > 8_400 && rate < 1.5 * usual, "{rate} {usual} {:?}", all.0);
    }
}
