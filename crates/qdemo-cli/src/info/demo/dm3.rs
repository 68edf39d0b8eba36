//! The facts of a Quake III demo.

use qdemo::format::dm3::MessageKind;
use qdemo::game::quake3::Match;
use qdemo::game::quake3::info::Info;

use super::{ending, heading, kinds, line, trailer, unknown_bytes};
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
    if facts.levels.iter().any(|level| !level.matches.is_empty()) {
        heading(out, "Matches", "from the end of the warm-up to the intermission");
        matches(out, facts);
    }
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

fn matches(out: &mut String, facts: &Info) {
    // Which level is clear when there is one.
    let several = facts.levels.len() > 1;
    let table = table! {
        for (level, game) in facts.levels.iter().flat_map(|level| level.matches.iter().map(move |game| (level, game)));
        "Map" => Safe(word(several, &level.map)),
        ">From" => clock_ms(Some(game.first_time)),
        ">To" => clock_ms(Some(game.last_time)),
        ">Length" => clock_ms(Some(i64::from(game.last_time) - i64::from(game.first_time))),
        "" => missing(game),
    };
    table.without_empty_columns().write(out, 2);
}

/// What of a match was not recorded.
fn missing(game: &Match) -> &'static str {
    match (game.begun, game.ended) {
        (true, true) => "whole",
        (true, false) => "without its end",
        (false, true) => "without its beginning",
        (false, false) => "under way throughout",
    }
}

fn players(out: &mut String, facts: &Info) {
    let table = table! {
        for player in &facts.players;
        ">Slot" => player.slot,
        "Name" => Safe(&player.name()),
        "Clan" => Safe(player.clan.as_deref().unwrap_or_default()),
        "Team" => player.team_name(),
        "" => word(player.left, "left"),
        "" => word(!player.left && facts.recorder == Some(player.slot), "recorder"),
    };
    table.without_empty_columns().write(out, 2);
}
