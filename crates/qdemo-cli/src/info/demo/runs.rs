//! Runs against the clock: times, rules, and what the name of the file says.

use qdemo::analysis::run_name::Comparison;
use qdemo::event::Run;
use qdemo::game::quake3::Defrag;

use super::{heading, line};
use crate::console::{DOUBT, GOOD};
use crate::show::Safe;
use crate::table::table;

pub(super) fn runs(out: &mut String, runs: &[Run]) {
    if runs.is_empty() {
        return;
    }
    heading(out, "Runs", "");
    let table = table! {
        for run in runs;
        let player = run.player.as_ref().map(|player| player.name.as_str()).unwrap_or_default();
        "Map" => Safe(&run.map),
        ">Seconds" => run.digits(),
        "Player" => Safe(player),
        "Physics" => run.mode.as_deref().unwrap_or_default(),
        "From" => run.from,
    };
    table.without_empty_columns().write(out, 2);
}

/// The rules of a level of DeFRaG.
pub(super) fn rules(out: &mut String, rules: &Defrag) {
    let online = match rules.online {
        Some(true) => ", online",
        Some(false) => ", offline",
        None => "",
    };
    line(out, "Physics", format_args!("{}{online}", rules.physics.unwrap_or("unknown")));
    let settings: Vec<_> = rules.settings.iter().map(|(key, value)| format!("{key} {}", Safe(value))).collect();
    line(out, "Rules", settings.join(", "));
}

/// What the name of the file says, beside what the recording does.
pub(super) fn file_name(out: &mut String, name: &Comparison) {
    let said = &name.name;
    let kind: Vec<_> = [&said.mode, &said.physics].into_iter().flatten().map(String::as_str).collect();
    let mut words = vec![said.map.clone(), kind.join(" "), format!("{:.*} s", usize::from(said.precision), said.time)];
    words.extend([&said.nick, &said.country].into_iter().flatten().cloned());
    words.retain(|word| !word.is_empty());
    line(out, "Name says", Safe(&words.join(", ")));
    if !name.confirmed.is_empty() {
        let what: Vec<_> = name.confirmed.iter().map(|what| what.replace('_', " ")).collect();
        line(out, "Confirmed", format_args!("{GOOD}{}{GOOD:#}", what.join(", ")));
    }
    for it in &name.disagreements {
        let (what, said, recorded) = (it.what.replace('_', " "), Safe(&it.name), Safe(&it.recording));
        let text = format!("{DOUBT}{what}{DOUBT:#}: the name says {said}, the recording {recorded}");
        line(out, "Disagrees", text);
    }
}
