//! The rules of the game, as configstrings tell them.

use super::World;
use crate::game::quake3::command::number;
use crate::game::quake3::game_types::game_type_of;
use crate::game::quake3::names::Module;
use crate::wire::{info_value, without_colors};
use crate::world::Rules;

/// OSP's configstring with its physics.
const OSP_PHYSICS: u16 = 806;

/// The rules as they are now.
pub(super) fn rules(world: &World) -> Rules {
    let strings = world.configstrings();
    let dialect = world.dialect();
    let indices = &dialect.layout.indices;
    let value = |key| info_value(strings.get(0), key).filter(|value| !value.is_empty());
    let cpma = |key| strings.cpma(world.module(), key).and_then(number);
    let limit = |key| value(key).and_then(number).filter(|limit| *limit > 0);
    // What CPMA plays by it tells itself; the limits of the server are not those.
    let own = cpma("tl").or(cpma("sl")).is_some();
    let of_server = |key| limit(key).filter(|_| !own);
    let game = value("gamename").map(without_colors);
    let version = ["gameversion", "defrag_vers", "mod_version"].into_iter().find_map(value);
    let version = version.map(without_colors);
    let kind = value("g_gametype").and_then(number::<i32>);
    let kind = kind.map(|n| game_type_of(world.module(), strings, n));
    let told = |names: &[&'static str], n: Option<i64>| Some(*names.get(usize::try_from(n?).ok()?)?);
    let physics = match world.module() {
        Module::Cpma => told(&["vq3", "pmc", "cpm", "cq3"], cpma("pm")),
        Module::QuakeLive => told(&["", "classic", "turbo", "default"], value("ruleset").and_then(number)),
        Module::Osp => told(&["vq3", "promode", "cq3"], number(strings.get(OSP_PHYSICS))),
        _ => told(&["vq3", "cpm"], value("df_promode").and_then(number)),
    };
    Rules {
        module: game,
        mod_version: version,
        game_type: kind.filter(|name| !name.is_empty()).map(str::to_owned),
        gameplay: physics.filter(|name| !name.is_empty()).map(str::to_owned),
        time_limit: cpma("tl").filter(|limit| *limit > 0).or_else(|| of_server("timelimit")),
        frag_limit: of_server("fraglimit"),
        score_limit: cpma("sl").filter(|limit| *limit > 0).or_else(|| of_server("scorelimit")),
        capture_limit: of_server("capturelimit"),
        round_limit: of_server("roundlimit"),
        mercy_limit: of_server("mercylimit"),
        started_at: value("g_levelStartTime").and_then(number).filter(|_| indices.quake_live),
        started: cpma("ts").or_else(|| number(strings.get(indices.level_start))).filter(|time| *time > 0),
    }
}
