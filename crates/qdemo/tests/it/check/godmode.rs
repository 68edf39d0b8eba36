//! Damage that does not hurt.

use qdemo::analysis::check::Severity;
use qdemo::event::EventKind;
use qdemo::replay::events;
use qdemo::{Limits, Reader};

use super::{edited, holding, number, of, report, serious, value};
use crate::common::{all_dem, demo, file_name, need, serverinfo, shared, testdata};

/// The blocks with `clientdata` in the text of a recording.
fn frames(statements: &[String]) -> Vec<usize> {
    holding(statements, "\n clientdata {\n")
}

/// Puts a hit in front of the `clientdata` of a block.
fn hit(statement: &mut String, save: i32, take: i32) {
    let damage = format!("\n damage {{\n  save {save};\n  take {take};\n  origin 0 0 0;\n }}\n clientdata {{\n");
    *statement = statement.replacen("\n clientdata {\n", &damage, 1);
}

/// The pair that the check is for: a hit that hurts, and the same recording made by somebody who does not lose health.
#[test]
fn honest_and_edited_are_told_apart() {
    let recording = testdata("e0m1-666.dem");
    assert!(report(&recording, "e0m1-666.dem").findings.is_empty());
    let mut at = (0, 0);
    let honest = edited(&recording, "e0m1-666.dem", |statements| {
        let frames = frames(statements);
        let block = frames[frames.len() / 2];
        hit(&mut statements[block], 0, 20);
        at = (block, number(&statements[block]));
        for statement in &mut statements[block..] {
            *statement = statement.replace("\n  health 100;\n", "\n  health 80;\n");
        }
    });
    assert!(report(&honest, "honest.dem").findings.is_empty());
    let cheat = edited(&honest, "honest.dem", |statements| {
        assert!(statements[at.0].contains("  health 80;"));
        for statement in &mut statements[at.0..] {
            *statement = statement.replace("\n  health 80;\n", "\n  health 100;\n");
        }
    });
    let report = report(&cheat, "cheat.dem");
    assert_eq!(serious(&report), [("godmode", Severity::Violation, Some(at.1))]);
    let finding = &report.findings[0];
    assert_eq!(report.findings.len(), 1);
    // The offset is that of the block's messages.
    let mut chunks = Reader::new(&cheat[..], "cheat.dem", Limits::default()).unwrap();
    let mut offset = None;
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        offset = chunk.block().filter(|(block, _)| *block == at.1).map(|(_, offset)| offset).or(offset);
    }
    assert_eq!(Some(finding.offset), offset);
    let values = ["take", "save", "health_before", "health"].map(|name| value(finding, name).as_i64().unwrap());
    assert_eq!(values, [20, 0, 100, 100]);
    assert!(finding.text.contains("health goes from 100 to 100 where 80 is due"), "{}", finding.text);
}

/// A real run in which somebody writes a health of 100 over everything: each hit is found. Nothing was picked up near
/// any of them.
#[test]
fn a_whole_run_without_harm() {
    let Some(corpus) = need("corpus/dem") else { return };
    let recording = std::fs::read(corpus.join("puppluka_QuakeKit__demo1.dem")).unwrap();
    let mut hits = Vec::new();
    let cheat = edited(&recording, "demo1.dem", |statements| {
        for statement in statements {
            // Only who lives is healed; armour is none of this.
            let alive = statement.lines().any(|line| line.starts_with("  health ") && !line.contains('-'));
            if statement.contains("\n damage {\n") && alive {
                hits.push(number(statement));
            }
            let healed =
                |line: &str| if line.starts_with("  health ") { "  health 100;" } else { line }.to_owned() + "\n";
            *statement = statement.lines().map(healed).collect();
        }
    });
    let report = report(&cheat, "cheat.dem");
    let found: Vec<u64> = of(&report, "godmode").iter().filter_map(|finding| finding.block).collect();
    assert!(hits.len() >= 10);
    assert_eq!(found, hits);
}

/// All the damage in real recordings: health and armour are what the arithmetic says.
#[test]
fn real_recordings_keep_the_rules() {
    let (mut files, mut hits) = (0, 0);
    for path in all_dem() {
        let (recording, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let report = report(&recording, &name);
        assert!(of(&report, "godmode").is_empty() && of(&report, "impulse9").is_empty(), "{name}: {report:?}");
        let _ = events(&recording[..], &name, Limits::default(), &mut |event| {
            hits += usize::from(matches!(event.kind, EventKind::Damage(_)));
            Ok(())
        });
        files += 1;
    }
    assert!(files >= 3);
    if shared("corpus/dem").is_some() {
        assert!(files >= 20 && hits >= 40, "{files} files, {hits} hits");
    }
}

/// A player as `clientdata` tells it.
#[derive(Clone, Copy)]
struct Player {
    health: i16,
    armor: u8,
    items: u32,
}

const HALE: Player = Player { health: 100, armor: 0, items: 0x1001 };

impl Player {
    fn bytes(self) -> Vec<u8> {
        let bits: u16 = 1 << 9 | 1 << 13;
        let mut b = vec![15];
        b.extend(bits.to_le_bytes());
        b.extend(self.items.to_le_bytes());
        b.push(self.armor);
        b.extend(self.health.to_le_bytes());
        b.extend([25, 25, 0, 0, 0, 1]);
        b
    }
}

fn time(seconds: f32) -> Vec<u8> {
    [&[7][..], &seconds.to_le_bytes()].concat()
}

fn damage(save: u8, take: u8) -> Vec<u8> {
    vec![19, save, take, 0, 0, 0, 0, 0, 0]
}

fn print(text: &str) -> Vec<u8> {
    [&[8][..], text.as_bytes(), &[0]].concat()
}

/// Blocks of these contents, ten a second, in a game of so many; findings of the check.
fn found(players: u8, contents: &[Vec<u8>]) -> Vec<(Severity, Option<u64>)> {
    found_in(0, &vec![0; usize::from(players)], contents)
}

/// The same in deathmatch (1) or not (0), of players with these colours of pants.
fn found_in(deathmatch: u8, pants: &[u8], contents: &[Vec<u8>]) -> Vec<(Severity, Option<u64>)> {
    let mut level = serverinfo(15, &[]);
    // The number of slots stands behind the protocol, the kind of game behind it.
    (level[5], level[6]) = (8, deathmatch);
    for (slot, pants) in (0..).zip(pants) {
        level.extend([13, slot, b'a' + slot, 0, 17, slot, *pants]);
    }
    level.extend([5, 1, 0, 25, 3]);
    let mut blocks = vec![level];
    for (n, content) in contents.iter().enumerate() {
        blocks.push([time(1.2 + n as f32 * 0.1), content.clone()].concat());
    }
    blocks.push(vec![2]);
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let report = report(&demo("-1\n", &blocks), "made.dem");
    of(&report, "godmode").iter().map(|finding| (finding.severity, finding.block)).collect()
}

/// Two frames: as `before`, then `with` something, and as `after`.
fn pair(before: Player, with: &[Vec<u8>], after: Player) -> Vec<Vec<u8>> {
    vec![before.bytes(), [with.concat(), after.bytes()].concat(), after.bytes()]
}

const CHEAT: &[(Severity, Option<u64>)] = &[(Severity::Violation, Some(2))];

#[test]
fn the_arithmetic_of_damage() {
    let none: &[(Severity, Option<u64>)] = &[];
    let armored = Player { armor: 100, items: 0x1001 | 1 << 13, ..HALE };
    let hurt = |health| Player { health, ..HALE };
    for (what, wanted, frames) in [
        ("a hit that hurts", none, pair(HALE, &[damage(0, 20)], hurt(80))),
        ("one that does not", CHEAT, pair(HALE, &[damage(0, 20)], HALE)),
        ("a fraction cut off", none, pair(HALE, &[damage(0, 20)], hurt(81))),
        ("health 2 too high", CHEAT, pair(HALE, &[damage(0, 20)], hurt(82))),
        ("two messages in one frame", none, pair(HALE, &[damage(0, 20), damage(0, 5)], hurt(75))),
        ("and not the second", CHEAT, pair(HALE, &[damage(0, 20), damage(0, 5)], hurt(80))),
        ("beyond 8 bits", none, pair(hurt(250), &[damage(0, 4)], hurt(-10))),
        ("megahealth wears off", none, pair(hurt(150), &[damage(0, 20)], hurt(129))),
        ("a death", none, pair(HALE, &[damage(0, 120)], hurt(-20))),
        ("a new life", none, pair(hurt(-20), &[damage(0, 20)], HALE)),
        (
            "the pentagram",
            none,
            pair(Player { items: 1 << 20, ..HALE }, &[damage(0, 20)], Player { items: 1 << 20, ..HALE }),
        ),
        ("armour takes its share", none, pair(armored, &[damage(6, 14)], Player { armor: 94, health: 86, ..armored })),
        ("armour that does not", CHEAT, pair(armored, &[damage(6, 14)], Player { health: 86, ..armored })),
        ("new armour", none, pair(HALE, &[damage(0, 20)], Player { health: 80, ..armored })),
    ] {
        assert_eq!(found(1, &frames), wanted, "{what}");
    }
    // Among several, team mates may hit without harm.
    assert_eq!(found(4, &pair(HALE, &[damage(0, 20)], HALE)), [(Severity::Warning, Some(2))]);
}

/// `teamplay 1` of id Software's game code: health stays where a mate hits (and armour does not), not where the world does, whose
/// place is 0 0 0. The god mode is none of deathmatch. As in a recording of quakespasm, whose module logged no loss for these hits.
#[test]
fn mates_do_no_harm() {
    let none: &[(Severity, Option<u64>)] = &[];
    let warning: &[(Severity, Option<u64>)] = &[(Severity::Warning, Some(2))];
    let shot = |save, take| vec![19, save, take, 0, 2, 0, 16, 0, 0];
    let armored = Player { armor: 100, items: 0x1001 | 1 << 13, ..HALE };
    for (what, wanted, deathmatch, pants, frames) in [
        ("a mate", none, 1, [4, 13, 4], pair(HALE, &[shot(0, 20)], HALE)),
        ("no mate", warning, 1, [4, 13, 5], pair(HALE, &[shot(0, 20)], HALE)),
        ("the world", warning, 1, [4, 13, 4], pair(HALE, &[damage(0, 20)], HALE)),
        ("cooperative", warning, 0, [4, 13, 4], pair(HALE, &[shot(0, 20)], HALE)),
        ("armour goes", none, 1, [4, 13, 4], pair(armored, &[shot(6, 14)], Player { armor: 94, ..armored })),
        ("armour stays", CHEAT, 1, [4, 13, 4], pair(armored, &[shot(6, 14)], armored)),
    ] {
        assert_eq!(found_in(deathmatch, &pants, &frames), wanted, "{what}");
    }
}

#[test]
fn pickups_explain() {
    let with = |text: &str| pair(HALE, &[damage(0, 20), print(text)], HALE);
    assert_eq!(found(1, &with("You receive 25 health\n")), []);
    assert_eq!(found(1, &with("You receive 15 health\n")), CHEAT);
    assert_eq!(found(1, &with("You get 25 shells\n")), CHEAT);
    // In chunks, as the game prints it, and some frames later.
    let mut late = pair(HALE, &[damage(0, 20)], HALE);
    late.push([print("You receive "), print("25"), HALE.bytes()].concat());
    late.push([print(" health\n"), HALE.bytes()].concat());
    assert_eq!(found(1, &late), []);
    // Two seconds later it explains nothing.
    let mut too_late = pair(HALE, &[damage(0, 20)], HALE);
    too_late.extend(vec![HALE.bytes(); 20]);
    too_late.push([print("You receive 25 health\n"), HALE.bytes()].concat());
    assert_eq!(found(1, &too_late), CHEAT);
    // Somebody says so, but has nothing.
    assert_eq!(found(1, &with("\u{1}somebody: You receive 25 health\n")), CHEAT);
}

/// Frames were lost in between: nothing can be said.
#[test]
fn only_frames_that_follow_each_other() {
    let mut blocks = vec![[serverinfo(15, &[]), vec![5, 1, 0, 25, 3]].concat()];
    blocks.push([time(1.2), HALE.bytes()].concat());
    blocks.push([time(1.6), damage(0, 20), HALE.bytes()].concat());
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    assert!(of(&report(&demo("-1\n", &blocks), "made.dem"), "godmode").is_empty());
}

/// All at once, as the game's cheat gives it; and one thing after the other.
#[test]
fn impulse_9() {
    let state = |items: u32, ammo: [u8; 4]| {
        let mut b = Player { items, ..HALE }.bytes();
        let at = b.len() - 5;
        b[at..at + 4].copy_from_slice(&ammo);
        b
    };
    let all = 0x7F | 0b11 << 17 | 0x1000;
    let run = |states: &[Vec<u8>]| {
        let mut blocks = vec![[serverinfo(15, &[]), vec![5, 1, 0, 25, 3]].concat()];
        let timed = states.iter().enumerate().map(|(n, state)| [time(1.2 + n as f32 * 0.1), state.clone()].concat());
        blocks.extend(timed);
        let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
        let report = report(&demo("-1\n", &blocks), "made.dem");
        of(&report, "impulse9").iter().filter_map(|finding| finding.block).collect::<Vec<_>>()
    };
    assert_eq!(run(&[state(0x1001, [25, 0, 0, 0]), state(all, [100, 200, 100, 200])]), [2]);
    assert_eq!(run(&[state(0x1001, [25, 0, 0, 0]), state(all, [90, 200, 100, 200])]), [0; 0]);
    assert_eq!(run(&[state(all & !0x40, [100, 200, 100, 200]), state(all, [100, 200, 100, 200])]), [0; 0]);
}
