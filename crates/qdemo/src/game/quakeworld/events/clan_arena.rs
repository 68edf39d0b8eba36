//! KTX's Clan Arena and Wipeout: everybody is given all there is, nothing lies about, and nobody hurts himself.
//!
//! Sources: KTX's `clan_arena.c`, whose settings are `teamplay 4` and `k_noitems 1`, and `T_Damage` of its `combat.c`; the
//! events that KTX itself writes of matches of both, among which are no pickups, and no damage to oneself or mates; ezQuake's
//! `check_ktx_ca_wo`, which knows both by these words.

use crate::game::quakeworld::World;

/// True where one of both is played.
pub(super) fn is_on(world: &World) -> bool {
    world.mode_words().any(|word| matches!(word, b"ca" | b"wo"))
}
