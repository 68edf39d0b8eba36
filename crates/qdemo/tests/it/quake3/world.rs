//! The world of Quake III recordings: what is derived from it is what the server sent, and what others say of it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::common::{self, all_dm3, file_name, is_broken, need};
use qdemo::format::dm3::{Change, EntityField, Message, Snapshot};
use qdemo::game::quake3::names::Game;
use qdemo::game::quake3::{EntityState, FullSnapshot, PlayerState, World as World3};
use qdemo::replay::World;
use qdemo::wire::without_colors;
use qdemo::world::Scene;
use qdemo::{Chunk, Limits, Reader};

/// Folds a recording and calls `each` after every chunk.
pub(super) fn fold(demo: &[u8], name: &str, mut each: impl FnMut(&World3, i32)) -> World3 {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let World::Dm3(mut world) = World::new(chunks.detected()).expect(name) else { panic!("{name}") };
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Dm3(chunk) = chunk else { panic!() };
        world.apply(&chunk);
        if let qdemo::format::dm3::Chunk::Block(block) = chunk {
            each(&world, block.header.sequence);
        }
    }
    *world
}

/// What an engine sends of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Remove,
    Baseline,
    /// A bit for each field, by its number.
    Fields(u64),
}

/// Equal and not, by class.
type Count = BTreeMap<&'static str, u64>;

/// A list of entities.
fn list(snapshot: &Snapshot) -> Vec<(u16, Sent)> {
    let sent = |change: Change<'_>| match change {
        Change::Remove => Sent::Remove,
        Change::Baseline => Sent::Baseline,
        Change::Fields(state) => Sent::Fields(state.iter().fold(0, |bits, (f, _)| bits | 1 << f.id)),
    };
    snapshot.entities().map(|update| (update.number, sent(update.change))).collect()
}

/// The entities that a snapshot makes of those before.
fn applied<'w>(
    world: &'w World3,
    base: Option<FullSnapshot<'w>>,
    snapshot: &Snapshot,
) -> BTreeMap<u16, Cow<'w, EntityState>> {
    let mut all: BTreeMap<u16, Cow<'w, EntityState>> =
        base.into_iter().flat_map(|base| base.entities()).map(|(n, e)| (n, Cow::Borrowed(e))).collect();
    for update in snapshot.entities() {
        if matches!(update.change, Change::Remove) {
            all.remove(&update.number);
            continue;
        }
        let state = all.entry(update.number).or_insert(Cow::Borrowed(world.baselines().get(update.number)));
        if let Change::Fields(fields) = update.change {
            state.to_mut().apply(&fields);
        }
    }
    all
}

/// Velocities: a -0.0 of the server becomes 0.0 on the wire, and is sent for it.
const VELOCITY: u64 =
    1 << EntityField::PosTrDeltaX as u8 | 1 << EntityField::PosTrDeltaY as u8 | 1 << EntityField::PosTrDeltaZ as u8;

fn check_snapshot(world: &World3, sequence: i32, snapshot: &Snapshot, count: &mut Count) {
    let mut add = |class| *count.entry(class).or_default() += 1;
    let (now, d) = (world.snapshot().unwrap(), world.dialect());
    let base = (snapshot.delta_num != 0).then(|| world.earlier(sequence - i32::from(snapshot.delta_num)).unwrap());
    let numbers: Vec<u16> = now.entities().map(|(number, _)| number).collect();
    assert!(numbers.windows(2).all(|w| w[0] < w[1]), "entities are in order");

    // What a server would send for what is here now on top of the base leads here.
    let mut asked = now.diff(base.map(|base| (base, snapshot.delta_num)), world.baselines(), &d);
    asked.rel_ack = snapshot.rel_ack;
    let there = applied(world, base, &asked);
    assert!(there.len() == numbers.len() && now.entities().all(|(n, state)| *there[&n] == *state));
    let mut player = *base.map_or(&PlayerState::ZERO, |base| base.player());
    player.apply(&asked);
    assert_eq!(player, *now.player());
    if asked == *snapshot {
        return add("snapshot equal");
    }

    let (mut derived, recorded) = (list(&asked), list(snapshot));
    for (number, sent) in recorded {
        let at = derived.iter().position(|(n, _)| *n == number);
        let expected = at.map(|n| derived.remove(n).1);
        add(match (expected, sent) {
            (Some(expected), sent) if expected == sent => "entity equal",
            (Some(Sent::Fields(expected)), Sent::Fields(sent))
                if expected & !sent == 0 && sent & !expected & !VELOCITY == 0 =>
            {
                "entity: sent though equal"
            }
            (None | Some(Sent::Baseline), Sent::Fields(sent)) if sent & !VELOCITY == 0 => {
                "entity: sent though nothing changed"
            }
            _ => "entity: unexplained",
        });
    }
    // What changed must have been sent: there is nowhere else that it could come from.
    for _ in derived {
        add("entity: unexplained");
    }

    let fields = |of: &Snapshot| of.player().iter().fold(0u64, |bits, (f, _)| bits | 1 << f.id);
    let (expected, sent) = (fields(&asked), fields(snapshot));
    add(match () {
        () if expected == sent => "player equal",
        // Values that the server cuts to their width: they change there, not here.
        () if expected & !sent == 0 => "player: sent though equal",
        () => "player: unexplained",
    });
    let slots = |of: &Snapshot| {
        let mut slots = [0u16; 4];
        of.arrays().for_each(|(array, slot, _)| slots[array as usize] |= 1 << slot);
        slots
    };
    for (expected, sent) in slots(&asked).into_iter().zip(slots(snapshot)) {
        add(match sent {
            sent if sent == expected => "array equal",
            sent if expected & !sent == 0 => "array: sent though equal",
            _ => "array: unexplained",
        });
    }
}

#[test]
fn what_the_states_give_is_what_the_server_sent() {
    let mut total = Count::new();
    for path in all_dm3() {
        let demo = std::fs::read(&path).unwrap();
        let name = file_name(&path);
        let mut count = Count::new();
        let world = fold(&demo, &name, |world, sequence| {
            // A complete state after a block with one snapshot.
            let snapshots = world.messages().iter().filter_map(|m| match m {
                Message::Snapshot(snapshot) => Some(snapshot),
                _ => None,
            });
            for snapshot in snapshots {
                match world.is_complete() {
                    true => check_snapshot(world, sequence, snapshot, &mut count),
                    false => *count.entry("missing base").or_default() += 1,
                }
            }
        });
        assert_eq!(world.missing_bases(), count.get("missing base").copied().unwrap_or(0), "{name}");
        if !is_broken(&path) {
            assert_eq!(world.missing_bases(), 0, "{name}");
        }
        for (class, n) in count {
            // Where a damaged block was read as another, what it removes may never have been there.
            assert!(!class.contains("unexplained") || is_broken(&path), "{name}: {n} {class}");
            *total.entry(class).or_default() += n;
        }
    }
    eprintln!("{total:#?}");
    let of = |class| total.get(class).copied().unwrap_or(0);
    let snapshots = of("snapshot equal") + of("player equal") + of("player: sent though equal");
    let least = if common::shared("corpus/q3").is_some() { 330_000 } else { 200 };
    assert!(of("snapshot equal") >= least && of("snapshot equal") * 100 > snapshots * 98, "{total:#?}");
}

/// Names, teams, and who dies when by whom, against another analyser.
#[test]
fn others_see_the_same_world() {
    let Some(oracle) = need("oracle/udt") else { return };
    let mut seen = Count::new();
    for path in all_dm3() {
        let name = file_name(&path);
        let Ok(file) = File::open(oracle.join(format!("{name}.json.gz"))) else { continue };
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
        let told: serde_json::Value = serde_json::from_str(&text).unwrap();
        check_against(&path, &told, &mut seen);
    }
    for least in [("obituaries", 850), ("names", 1_600), ("teams", 1_600), ("configstrings", 500), ("times", 20)] {
        assert!(seen[least.0] >= least.1, "{least:?}");
    }
}

fn check_against(path: &Path, told: &serde_json::Value, seen: &mut Count) {
    let demo = std::fs::read(path).unwrap();
    let name = file_name(path);
    let list = |key: &str| told[key].as_array().cloned().unwrap_or_default();
    let mut obituaries: BTreeMap<(i64, i64), Vec<serde_json::Value>> = BTreeMap::new();
    for obituary in list("obituaries") {
        let number = |key: &str| obituary[key].as_i64().unwrap();
        obituaries.entry((number("gameStateNumber"), number("serverTime"))).or_default().push(obituary);
    }
    let mut levels = Vec::new();
    fold(&demo, &name, |world, _| {
        let changes = world.changes();
        if changes.level {
            levels.push((None, None));
            let number = levels.len() as i64;
            for string in list("rawConfigStrings").iter().filter(|s| s["gameStateNumber"] == number) {
                let value = world.configstrings().get(string["index"].as_u64().unwrap() as u16);
                // Their own text is UTF-8 where it can be.
                let value = String::from_utf8_lossy(value);
                assert_eq!(value, string["rawString"].as_str().unwrap(), "{name}: {string}");
                *seen.entry("configstrings").or_default() += 1;
            }
        }
        let Some(snapshot) = world.snapshot().filter(|_| changes.frame) else { return };
        let time = i64::from(snapshot.server_time());
        if let Some((first, last)) = levels.last_mut() {
            // The first snapshots of a level may still have the clock of the level before.
            *first = Some(first.map_or(time, |first: i64| first.min(time)));
            *last = Some(time);
        }
        let game = Game::of(world.dialect().layout.era);
        for obituary in obituaries.remove(&(levels.len() as i64, time)).unwrap_or_default() {
            let slot = |key: &str| obituary[key].as_u64().map(|n| n as usize);
            let (attacker, target) = (slot("attackerClientNumber"), slot("targetClientNumber"));
            let event = i32::from(game.first_event) + i32::from(game.obituary);
            let found = snapshot.entities().any(|(_, e)| {
                let number = |field| usize::try_from(e.int(field)).ok();
                let by = number(EntityField::OtherEntityNum2).filter(|n| *n < 64);
                e.kind() == event && number(EntityField::OtherEntityNum) == target && by == attacker
            });
            assert!(found, "{name}: {obituary}");
            *seen.entry("obituaries").or_default() += 1;
            for (slot, who) in [(attacker, "attacker"), (target, "target")] {
                let Some(player) = slot.and_then(|slot| world.player(slot)) else { continue };
                let told = obituary[format!("{who}CleanName")].as_str().unwrap();
                // They leave out what they take for the name of a clan.
                let ours = without_colors(&player.name);
                assert!(ours.ends_with(told), "{name}: {obituary}: {ours}");
                *seen.entry("clans left out").or_default() += u64::from(ours != told);
                *seen.entry("names").or_default() += 1;
                let team = obituary[format!("{who}Team")].as_str().unwrap().trim_end_matches('s');
                assert_eq!(player.team.as_deref(), Some(team.as_bytes()), "{name}: {obituary}");
                *seen.entry("teams").or_default() += 1;
            }
        }
    });
    for (level, (first, last)) in list("gameStates").iter().zip(levels) {
        if is_broken(path) {
            continue;
        }
        assert_eq!((level["startTime"].as_i64(), level["endTime"].as_i64()), (first, last), "{name}");
        *seen.entry("times").or_default() += 1;
    }
}
