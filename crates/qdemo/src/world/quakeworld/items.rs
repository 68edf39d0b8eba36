//! Names of weapons, items and kinds of entities.
//!
//! Sources: the QWD document's tables of items and models.

/// A bit and its name.
type Named = (u8, &'static str);

const WEAPONS: [Named; 8] = [
    (0, "shotgun"),
    (1, "super_shotgun"),
    (2, "nailgun"),
    (3, "super_nailgun"),
    (4, "grenade_launcher"),
    (5, "rocket_launcher"),
    (6, "lightning_gun"),
    (12, "axe"),
];
const OTHERS: [Named; 14] = [
    (13, "green_armor"),
    (14, "yellow_armor"),
    (15, "red_armor"),
    (16, "megahealth"),
    (17, "silver_key"),
    (18, "gold_key"),
    (19, "invisibility"),
    (20, "invulnerability"),
    (21, "biosuit"),
    (22, "quad"),
    (28, "sigil_1"),
    (29, "sigil_2"),
    (30, "sigil_3"),
    (31, "sigil_4"),
];

/// Names of all bits that are set. The bits for the kind of ammunition in use say nothing new and are left out.
pub(crate) fn items(bits: u32) -> impl Iterator<Item = &'static str> {
    WEAPONS.iter().chain(&OTHERS).filter(move |(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name)
}

/// The weapon in hand by its bit. `None` for no weapon.
pub(super) fn weapon(active: i32) -> Option<&'static str> {
    WEAPONS.iter().find(|(bit, _)| active == 1 << bit).map(|(_, name)| *name)
}

/// What an entity is, by the name of its model; empty where the name does not tell.
pub(super) fn kind_of(model: &[u8]) -> &'static str {
    let Ok(model) = std::str::from_utf8(model) else { return "" };
    if model.starts_with('*') {
        return "mover";
    }
    // Boxes of ammunition and health are maps of their own.
    if let Some(map) = model.strip_prefix("maps/") {
        return if map.starts_with("b_") { "item" } else { "mover" };
    }
    let Some(name) = model.strip_prefix("progs/").and_then(|m| m.strip_suffix(".mdl")) else { return "" };
    match name {
        "armor" | "backpack" | "quaddama" | "invulner" | "invisibl" | "suit" | "w_s_key" | "w_g_key" | "m_s_key"
        | "m_g_key" | "b_s_key" | "b_g_key" | "end1" | "end2" | "end3" | "end4" => "item",
        "missile" | "grenade" | "spike" | "s_spike" | "laser" | "lavaball" => "missile",
        "player" => "player",
        _ if name.starts_with("g_") => "item",
        _ => "",
    }
}
