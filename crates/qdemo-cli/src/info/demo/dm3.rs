//! The facts of a Quake III demo.

use qdemo::format::dm3::MessageKind;
use qdemo::game::quake3::info::Info;

use super::{ending, heading, kinds, line, matches, runs, trailer, unknown_bytes};
use crate::show::{Safe, clock_ms, some, word};
use crate::table::table;

pub(super) fn format(facts: &Info) -> String {
    format!("Quake III demo (dm3), protocol {} ({})", facts.dialect.protocol, facts.dialect.name)
}

pub(super) fn facts(out: &mut String, facts: &Info, detail: bool) {
    if let Some(other) = facts.com_protocol.filter(|n| *n != facts.dialect.protocol) {
        line(out, "Server says", format_args!("com_protocol {other}"));
    }
    if let Some(server) = &facts.server {
        line(out, "Server", Safe(server));
    }
    if let Some(engine) = &facts.engine {
        line(out, "Engine", Safe(engine));
    }
    match (&facts.game, &facts.game_version) {
        (Some(game), Some(version)) => line(out, "Game", format_args!("{}, version {}", Safe(game), Safe(version))),
        (Some(word), None) | (None, Some(word)) => line(out, "Game", Safe(word)),
        (None, None) => {}
    }
    if !facts.levels.is_empty() {
        heading(out, "Levels", "times on the server clock");
        levels(out, facts);
    }
    if let Some(rules) = facts.levels.iter().find_map(|level| level.defrag.as_ref()) {
        runs::rules(out, rules);
    }
    runs::runs(out, &facts.runs);
    matches(out, facts.levels.iter().map(|level| (&*level.map, &level.matches)));
    if !facts.players.is_empty() {
        heading(out, "Players", "");
        players(out, facts);
    }
    if facts.seen.iter().any(|slot| Some(*slot) != facts.recorder) {
        let slots: Vec<_> = facts.seen.iter().map(u8::to_string).collect();
        let word = if slots.len() == 1 { "slot" } else { "slots" };
        line(out, "Seen through", format_args!("{word} {}", slots.join(", ")));
    }
    line(out, "Blocks", facts.blocks);
    if facts.whole {
        line(out, "Messages", facts.messages);
    }
    line(out, "Snapshots", facts.snapshots);
    let sent = facts.kinds.get(MessageKind::ServerCommand).count;
    match sent.saturating_sub(facts.commands) {
        0 => line(out, "Commands", facts.commands),
        again => line(out, "Commands", format_args!("{}, and {again} sent again", facts.commands)),
    }
    line(out, "Lost packets", facts.lost_packets);
    unknown_bytes(out, facts.unknown_bytes);
    trailer(out, facts.trailer_bytes, "end mark");
    ending(out, facts.ends_cleanly, "end mark");
    if detail {
        kinds(out, "Bits", &facts.kinds, facts.unknown_bytes * 8);
    }
}

fn levels(out: &mut String, facts: &Info) {
    let table = table! {
        for level in &facts.levels;
        let game = match (level.game_type_name, level.game_type) {
            ("", Some(number)) => format!("game type {number}"),
            (name, _) => name.to_owned(),
        };
        "Map" => Safe(&level.map),
        "Title" => Safe(&level.title),
        "Game" => game,
        "Recorder" => some(level.client_num.map(|slot| format!("slot {slot}"))),
        ">From" => clock_ms(level.first_time),
        ">To" => clock_ms(level.last_time),
        ">Length" => clock_ms(level.length()),
    };
    table.without_empty_columns().write(out, 2);
}

fn players(out: &mut String, facts: &Info) {
    let table = table! {
        for player in &facts.players;
        ">Slot" => player.slot,
        "Name" => Safe(&player.name()),
        "Login" => Safe(player.login.as_deref().unwrap_or_default()),
        "Clan" => Safe(player.clan.as_deref().unwrap_or_default()),
        "Team" => player.team_name(),
        "" => word(player.left, "left"),
        "" => word(!player.left && facts.recorder == Some(player.slot), "recorder"),
    };
    table.without_empty_columns().write(out, 2);
}
