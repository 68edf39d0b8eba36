//! Which items were taken where, and how often.

use super::people::GRAY;
use super::plan::{Ground, LeftOut, PlanSheet, busiest};
use super::sheet::Entry;
use super::spots::place_of;
use super::{Picture, Scene, counted, words};
use crate::error::Result;
use crate::view::MarkKind;

/// Places of one item that lie nearer to each other than this, in units, are one: who takes it stands beside it.
const NEAR: f64 = 112.0;
/// The largest disc, in pixels.
const LARGEST: f64 = 20.0;
/// Colours of items by words in their names; the first that fits counts.
const COLORS: [(&[&str], &str); 6] = [
    (&["quad", "pent", "invul", "ring", "invis", "haste", "regen", "flight", "suit", "battle", "enviro"], "#7a5cff"),
    (&["flag", "key", "rune", "tech"], "#e3c04a"),
    (&["armor", "shard", "jacket", "shield"], "#d8803a"),
    (&["health", "mega", "stimpack", "medkit", "adrenaline"], "#3fb68b"),
    (&["launcher", "gun", "shotgun", "rail", "nailgun", "plasma", "bfg", "axe", "blaster"], "#3b73c9"),
    (
        &["shells", "nails", "rockets", "cells", "bullets", "slugs", "grenades", "lightning", "ammo", "backpack"],
        "#6d7886",
    ),
];

/// An item at a place.
struct Stack<'r> {
    item: &'r str,
    /// The middle of where it was taken.
    place: Ground,
    count: usize,
}

pub(super) fn draw(scene: &Scene<'_>) -> Result<Picture> {
    let replay = scene.replay;
    let mut taken = Vec::new();
    let mut without_place = 0;
    for mark in &replay.about.marks {
        let MarkKind::Pickup { player, item } = &mark.kind else { continue };
        if !scene.people.wants(player.as_ref()) {
            continue;
        }
        match place_of(replay, player.as_ref(), mark.demo_ms).zip(replay.row_at(mark.demo_ms)) {
            Some((place, row)) => taken.push((row, &**item, place)),
            None => without_place += 1,
        }
    }
    let (level, others) = busiest(replay, taken.iter().map(|it| it.0)).ok_or_else(|| {
        scene.nothing(match without_place {
            0 => "this part of the recording tells of nothing that was taken",
            _ => "the recording does not tell where items were taken",
        })
    })?;
    taken.retain(|(row, ..)| level.rows.contains(row));
    let mut stacks: Vec<Stack<'_>> = Vec::new();
    for (_, item, place) in &taken {
        let near = |stack: &&mut Stack<'_>| {
            stack.item == *item && (stack.place[0] - place[0]).hypot(stack.place[1] - place[1]) < NEAR
        };
        match stacks.iter_mut().find(near) {
            Some(stack) => {
                stack.count += 1;
                let part = 1.0 / stack.count as f64;
                stack.place = [0, 1].map(|n| stack.place[n] + (place[n] - stack.place[n]) * part);
            }
            None => stacks.push(Stack { item, place: *place, count: 1 }),
        }
    }
    stacks.sort_by_key(|stack| std::cmp::Reverse(stack.count));
    let places: Vec<_> = stacks.iter().map(|stack| stack.place).collect();
    let mut sheet = PlanSheet::new(scene, level, "Items taken", &counted(taken.len(), "item"), &places);
    let most = stacks.first().map_or(1, |stack| stack.count) as f64;
    let radius = |stack: &Stack<'_>| 4.0 + (LARGEST - 4.0) * (stack.count as f64 / most.max(8.0)).sqrt();
    for stack in &stacks {
        let at = sheet.plan.at(stack.place);
        sheet.sheet.svg.dot(at, radius(stack), color(stack.item), &format!("{} ×{}", words(stack.item), stack.count));
        sheet.keep_free(at, radius(stack) - 2.0);
    }
    // Backpacks lie where somebody died.
    for stack in stacks.iter().filter(|stack| stack.item != "backpack") {
        let at = sheet.plan.at(stack.place);
        sheet.label(at, radius(stack), &format!("{} ×{}", words(stack.item), stack.count));
    }
    let mut names: Vec<_> = taken.iter().map(|(_, item, _)| *item).collect();
    names.sort_unstable();
    let mut entries: Vec<(usize, Entry)> = names
        .chunk_by(|a, b| a == b)
        .filter_map(|all| Some((all.len(), *all.first()?)))
        .map(|(n, item)| (n, Entry { color: color(item), name: words(item), number: n.to_string() }))
        .collect();
    entries.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
    Ok(sheet.finish("Times taken", &entries, taken.len(), LeftOut { other_levels: others, without_place, of: "item" }))
}

fn color(item: &str) -> &'static str {
    COLORS.iter().find(|(parts, _)| parts.iter().any(|part| item.contains(part))).map_or(GRAY, |(_, color)| color)
}
