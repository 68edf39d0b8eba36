//! Deaths of all games: each has a weapon, or it is known why not; and every text that looks like a death is one.
//!
//! `docs/truth.md` shows the shares. `QDEMO_BLESS=1` writes them anew, to be looked at.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use qdemo::Limits;
use qdemo::event::{EventKind, Frag, FragKind};
use qdemo::game::quake3::names::Module;
use qdemo::replay::{World, events};
use qdemo::wire::{clean, info_value};
use qdemo::world::Scene;

use crate::common::{all_dem, all_dm2, all_dm3, all_mvd2, all_quakeworld, corpora, file_name, files, root, shared};

/// Why a death has no weapon.
fn reason(frag: &Frag) -> Option<&'static str> {
    Some(match &*frag.means {
        "water" | "slime" | "lava" => "water, slime, lava",
        "fall" | "falling" => "fall",
        "trap" | "squish" | "crush" | "trigger_hurt" | "target_laser" | "target_blaster" | "explosive" | "exit" => {
            "a trap of the map"
        }
        "telefrag" | "telefrag_deflected" | "stomp" => "the body of somebody",
        "suicide" | "switch_teams" | "spawnicide" => "gives up",
        "kamikaze" | "juiced" => "an item",
        means if means.starts_with("monster_") || means == "gekk" => "a monster",
        "unknown" if frag.kind == FragKind::TeamKill => "a text about a team mate",
        "unknown" => "a text without one",
        means if means.contains("means_") => "a number of the mod's own",
        _ => return None,
    })
}

/// The game and the mod.
fn mod_of(world: &World) -> (&'static str, String) {
    let named = |name: &[u8]| clean(name).to_ascii_lowercase();
    match world {
        World::Dem(world) => ("Quake", world.game().name().to_owned()),
        World::QuakeWorld(world) => {
            let info = |key| info_value(world.serverinfo(), key);
            (
                "QuakeWorld",
                if info("ktxver").is_some() { "ktx".to_owned() } else { named(info("*gamedir").unwrap_or(b"qw")) },
            )
        }
        World::Dm2(world) => ("Quake II", named(if world.gamedir().is_empty() { b"baseq2" } else { world.gamedir() })),
        World::Mvd2(world) => {
            let dir = world.game().gamedir();
            ("Quake II", named(if dir.is_empty() { b"baseq2" } else { dir }))
        }
        World::Dm3(world) => match world.module() {
            Module::Base => ("Quake III Arena", "baseq3".to_owned()),
            Module::OpenArena => ("OpenArena", "baseoa".to_owned()),
            Module::QuakeLive => ("Quake Live", "baseqz".to_owned()),
            Module::TeamArena => ("Quake III Arena", "missionpack".to_owned()),
            other => ("Quake III Arena", format!("{other:?}").to_ascii_lowercase()),
        },
        _ => ("?", String::new()),
    }
}

#[derive(Default)]
struct Count {
    deaths: usize,
    weapons: usize,
    reasons: BTreeMap<&'static str, usize>,
}

type Shares = BTreeMap<(&'static str, String), Count>;

/// Lines that begin with the name of somebody who is there and say that something was done to that player, or name another one
/// behind `by`.
fn looks_like_a_death(line: &str, names: &BTreeSet<String>) -> bool {
    let of_somebody = |text: &str| names.iter().any(|name| text.starts_with(name.as_str()));
    let behind = names.iter().filter_map(|name| line.strip_prefix(name.as_str()));
    behind.into_iter().any(|rest| {
        let was = rest.strip_prefix(" was ").and_then(|rest| rest.split([' ', '-', '.']).next());
        let done = was.is_some_and(|word| word.ends_with("ed") || word == "shot");
        done || rest.split_once(" by ").is_some_and(|(_, who)| of_somebody(who))
    })
}

/// The deaths of a recording; gives the texts that look like one and are not understood.
fn count(demo: &[u8], name: &str, shares: &mut Shares) -> Vec<String> {
    let (mut frags, mut suspects) = (BTreeMap::<u64, usize>::new(), BTreeMap::<u64, Vec<String>>::new());
    let _ = events(demo, name, Limits::default(), &mut |world, event| {
        match &event.kind {
            EventKind::Frag(frag) => {
                *frags.entry(event.block).or_default() += 1;
                let count = shares.entry(mod_of(world)).or_default();
                count.deaths += 1;
                if frag.weapon.is_empty() {
                    let why = reason(frag).unwrap_or_else(|| panic!("{name}: {}: {frag:?}", event.clock.demo));
                    *count.reasons.entry(why).or_default() += 1;
                } else {
                    count.weapons += 1;
                }
            }
            EventKind::Print { text, .. } if !matches!(world, World::Dm3(_)) => {
                let names = world.players().map(|p| p.clean_name()).filter(|name| name.len() > 1).collect();
                let lines = text.lines().filter(|line| looks_like_a_death(line, &names)).map(str::to_owned);
                suspects.entry(event.block).or_default().extend(lines);
            }
            _ => {}
        }
        Ok(())
    });
    let missed = suspects.into_iter().filter(|(block, lines)| lines.len() > frags.get(block).copied().unwrap_or(0));
    missed.flat_map(|(_, lines)| lines).collect()
}

fn table(shares: &Shares) -> String {
    let mut page = String::from("| game | mod | deaths | with a weapon | the others |\n|---|---|---|---|---|\n");
    for ((game, name), count) in shares {
        let others: Vec<_> = count.reasons.iter().map(|(why, n)| format!("{why} {n}")).collect();
        let share = 100.0 * count.weapons as f64 / count.deaths as f64;
        let (deaths, weapons, others) = (count.deaths, count.weapons, others.join("; "));
        writeln!(page, "| {game} | {name} | {deaths} | {weapons} ({share:.1} %) | {others} |").unwrap();
    }
    page
}

#[test]
fn each_death_has_a_weapon_or_a_reason() {
    let mut shares = Shares::new();
    let mut seen = HashSet::new();
    let mut missed = Vec::new();
    // A recording that is there twice, packed and not, counts once.
    let mut add = |demo: &[u8], name: &str| {
        let mut hasher = DefaultHasher::new();
        demo.hash(&mut hasher);
        if seen.insert(hasher.finish()) {
            missed.extend(count(demo, name, &mut shares).into_iter().map(|line| format!("{name}: {line}")));
        }
    };
    for path in [all_dem(), all_quakeworld(), all_dm2(), all_mvd2(), all_dm3()].concat() {
        add(&std::fs::read(&path).unwrap(), &file_name(&path));
    }
    for path in corpora("qwz").iter().flat_map(|dir| files(dir, "qwz")) {
        let demo = qdemo::open(&path).unwrap().to_bytes().unwrap();
        add(&demo, &file_name(&path).replace(".qwz", ".qwd"));
    }
    assert!(missed.is_empty(), "texts that look like deaths: {missed:#?}");
    let deaths: usize = shares.values().map(|count| count.deaths).sum();
    assert!(deaths >= 30, "{deaths}");
    if shared("corpus").is_none() || shared("corpus2").is_none() || shared("recorded").is_none() {
        return;
    }
    let page = root().join("docs/truth.md");
    let text = std::fs::read_to_string(&page).unwrap_or_default();
    let (head, rest) = text.split_once("| game | mod | deaths |").expect("docs/truth.md has the table");
    let tail = rest.split_once("\n\n").map_or("", |(_, tail)| tail);
    let now = format!("{head}{}{}{tail}", table(&shares), if tail.is_empty() { "" } else { "\n" });
    if std::env::var_os("QDEMO_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&page, &now).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&page).unwrap(), now, "docs/truth.md; QDEMO_BLESS=1 rewrites it");
}
