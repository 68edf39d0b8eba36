//! What damage from mates and to oneself leaves alone, as the server's `teamplay` says.
//!
//! Sources: `T_Damage` of QuakeWorld's `combat.qc` for 1 and 3; of KTX's `combat.c` for 4, and for `kill` in the console, of its
//! `triggers.c` for telefrags that are deflected (`teleport_player`); the events that KTX itself writes of matches with 1 and 4, and of
//! deflected telefrags.

use super::clan_arena;
use crate::event::PlayerRef;
use crate::game::quakeworld::World;
use crate::wire::info_value;

/// What damage takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Harm {
    /// Armour and health.
    All,
    /// The same, whatever protects.
    Certain,
    /// Armour takes its share, health is spared.
    Armor,
    Nothing,
}

/// What damage by a player takes from a player. Telefrags, suicides and doors spare nobody; whose telefrag is deflected has no
/// pentagram, and of two who have one both lose it first.
pub(super) fn harm(world: &World, attacker: &PlayerRef, victim: &PlayerRef, means: &str) -> Harm {
    if matches!(means, "suicide" | "telefrag_deflected") {
        return Harm::Certain;
    }
    let are_mates = attacker.team == victim.team && attacker.team.as_ref().is_some_and(|team| !team.is_empty());
    if !are_mates || means == "squish" || means.starts_with("telefrag") {
        return Harm::All;
    }
    let oneself = attacker.slot == victim.slot;
    match info_value(world.serverinfo(), "teamplay") {
        Some(b"1") => Harm::Armor,
        Some(b"3") if !oneself => Harm::Armor,
        Some(b"4") if !oneself || clan_arena::is_on(world) => Harm::Nothing,
        _ => Harm::All,
    }
}
