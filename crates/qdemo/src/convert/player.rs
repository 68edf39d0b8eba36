//! Who is meant by a name.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use crate::demo::Reader;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::replay::World;
use crate::world::Scene;

/// The slot of the player whom a text means, for [`Target::of_player`](super::Target::of_player): the slot itself, a name
/// or, where only the names of one slot have it, a part of one, whatever the case. Whoever has the name first is meant. It reads the
/// recording up to there, or to its end.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, convert::player_slot};
/// let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
/// assert_eq!(player_slot(demo, "ez-dm.mvd", Limits::default(), "recorder")?, 0);
/// assert!(player_slot(demo, "ez-dm.mvd", Limits::default(), "nobody").is_err());
/// # Ok(()) }
/// ```
///
/// # Errors
/// A text that means nobody, or several; a file that is no recording, and whatever reading gives.
pub fn player_slot(input: impl Read, name: &str, limits: Limits, player: &str) -> Result<u8> {
    let mut reader = Reader::new(input, name, limits)?;
    let mut world = World::of(reader.detected(), name)?;
    if let Ok(slot) = player.trim().parse::<u8>() {
        return Ok(slot);
    }
    world.only_texts();
    let wanted = player.trim();
    let mut names: BTreeMap<String, u8> = BTreeMap::new();
    while let Some(chunk) = reader.next_chunk()? {
        world.apply(&chunk);
        let changes = world.changes();
        if changes.board == 0 && !changes.level && !names.is_empty() {
            continue;
        }
        for player in world.players() {
            let (name, Ok(slot)) = (player.clean_name(), u8::try_from(player.slot)) else { continue };
            if player.is_called(wanted) {
                return Ok(slot);
            }
            if !player.spectator && !name.is_empty() {
                names.entry(name).or_insert(slot);
            }
        }
    }
    let part = wanted.to_lowercase();
    let means = |name: &str| !part.is_empty() && name.to_lowercase().contains(&part);
    // Whoever has several names is one player.
    let meant: BTreeSet<u8> = names.iter().filter(|(name, _)| means(name)).map(|(_, slot)| *slot).collect();
    match (meant.first(), meant.len()) {
        (Some(slot), 1) => Ok(*slot),
        (found, _) => {
            let what = if found.is_some() { "means more than one player" } else { "means nobody" };
            let names: Vec<_> = names.into_keys().collect();
            let names = if names.is_empty() { "no names in it".to_owned() } else { names.join(", ") };
            let what = format!("{player:?} {what}; there are {names}");
            Err(Error::new(ErrorKind::Refused(what)).in_file(name))
        }
    }
}
