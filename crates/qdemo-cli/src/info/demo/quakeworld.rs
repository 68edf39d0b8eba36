//! The facts of a QuakeWorld demo: what a client recorded (`.qwd`), or a server (`.mvd`).

use std::fmt::Write;

use qdemo::game::quakeworld::info::{Info, Level, Player};

use super::{ending, heading, kinds, length, line, matches, runs, trailer, unknown_bytes};
use crate::show::{Safe, count, moment, some, thousands, utc, word};
use crate::table::table;

pub(super) fn format(facts: &Info) -> String {
    let kind = if is_multiview(facts) { "multi-view demo (mvd)" } else { "demo (qwd)" };
    let mut text = format!("QuakeWorld {kind}, protocol {}", facts.dialect.protocol);
    for (n, (magic, flags)) in facts.extensions.iter().enumerate() {
        let word = if n == 0 { ", extensions" } else { "," };
        let _ = write!(text, "{word} {} 0x{flags:X}", magic_word(*magic));
    }
    text
}

fn is_multiview(facts: &Info) -> bool {
    facts.dialect.multiview
}

/// A magic number as the four letters that its bytes are.
fn magic_word(magic: u32) -> String {
    let bytes = magic.to_le_bytes();
    match bytes.iter().all(u8::is_ascii_alphanumeric) {
        true => bytes.iter().map(|b| char::from(*b)).collect(),
        false => format!("0x{magic:08X}"),
    }
}

pub(super) fn facts(out: &mut String, facts: &Info, detail: bool) {
    if let Some(server) = facts.setting("hostname") {
        line(out, "Server", Safe(&server));
    }
    if let Some(engine) = facts.setting("*version") {
        line(out, "Engine", Safe(&engine));
    }
    if let Some(game) = facts.levels.first().map(|l| &l.gamedir).filter(|game| !game.is_empty()) {
        line(out, "Game", Safe(game));
    }
    if let Some(mode) = facts.setting("mode") {
        line(out, "Mode", Safe(&mode));
    }
    if let Some(slot) = facts.recorder {
        line(out, "Recorder", recorder(facts, slot));
    }
    if let Some(ms) = facts.recorded_at {
        line(out, "Recorded", utc(ms));
    }
    if let Some(date) = &facts.match_date {
        line(out, "Match date", Safe(date));
    }
    if !facts.levels.is_empty() {
        let clock =
            if is_multiview(facts) { "times since the recording began" } else { "times on the recorder's clock" };
        heading(out, "Levels", clock);
        levels(out, &facts.levels);
    }
    matches(out, facts.levels.iter().map(|level| (&*level.map, &level.matches)));
    runs::runs(out, &facts.runs);
    if !facts.players.is_empty() {
        players(out, facts);
        teams(out, facts);
    }
    if let Some(ktx) = &facts.ktx {
        let bytes = if ktx.len() == 1 { "1 byte".to_owned() } else { format!("{} bytes", thousands(ktx.len() as u64)) };
        line(out, "KTX statistics", format_args!("embedded, {bytes}; --ktx prints them"));
    }
    line(out, "Blocks", facts.blocks);
    line(out, "Messages", facts.messages);
    if is_multiview(facts) {
        line(out, "Hidden", format_args!("{} of them", facts.hidden));
    } else {
        let remark = if facts.lost_packets == 0 { "" } else { " (on the way, or held back by the server)" };
        line(out, "Lost packets", format_args!("{}{remark}", facts.lost_packets));
    }
    unknown_bytes(out, facts.unknown_bytes);
    trailer(out, facts.trailer_bytes, "end");
    ending(out, facts.ends_cleanly, "disconnect");
    if detail {
        kinds(out, "Bytes", &facts.kinds, facts.unknown_bytes);
    }
}

fn recorder(facts: &Info, slot: u8) -> String {
    let mut text = format!("slot {slot}");
    if let Some(player) = facts.players.iter().find(|p| p.slot == slot && !p.left) {
        let _ = write!(text, ", {}", Safe(player.name().trim()));
    }
    if facts.spectator {
        text.push_str(", spectator");
    }
    text
}

fn levels(out: &mut String, levels: &[Level]) {
    let table = table! {
        for level in levels;
        "Map" => Safe(&level.map),
        "Title" => Safe(level.title.trim()),
        ">From" => moment(level.first_time),
        ">To" => moment(level.last_time),
        ">Length" => length(level.first_time, level.last_time),
        ">Finished" => some(level.finished.map(|t| moment(Some(t)))),
    };
    table.without_empty_columns().write(out, 2);
}

/// Those who play, then those who look on. Spectators come and go; who left is only counted.
fn players(out: &mut String, facts: &Info) {
    let gone = facts.players.iter().filter(|p| p.is_spectator() && p.left).count() as u64;
    let remark = if gone == 0 { String::new() } else { format!("and {} who left", count(gone, "spectator")) };
    heading(out, "Players", &remark);
    let (watching, playing): (Vec<_>, Vec<_>) = facts.players.iter().partition(|p| p.is_spectator());
    let table = table! {
        for player in playing.into_iter().chain(watching.into_iter().filter(|p| !p.left));
        ">Slot" => player.slot,
        "Name" => Safe(player.name().trim_end()),
        "Team" => Safe(&player.team().unwrap_or_default()),
        ">Score" => some(player.frags.filter(|_| !player.is_spectator())),
        "" => word(player.is_spectator(), "spectator"),
        "" => word(player.left, "left"),
        "" => word(!player.left && facts.recorder == Some(player.slot), "recorder"),
    };
    table.without_empty_columns().write(out, 2);
}

/// Frags of teams, where several play in one; where the last match tells of rounds, how many each has won.
fn teams(out: &mut String, facts: &Info) {
    if facts.setting("teamplay").is_none_or(|value| value == "0") {
        return;
    }
    let playing: Vec<_> = facts.players.iter().filter(|p| !p.is_spectator()).collect();
    // Who comes back gets the frags back too.
    let is_back = |gone: &Player| playing.iter().any(|p| !p.left && (p.name(), p.team()) == (gone.name(), gone.team()));
    let mut teams: Vec<(String, u64, i64)> = Vec::new();
    for player in playing.iter().filter(|p| !p.left || !is_back(p)) {
        let (Some(name), frags) = (player.team(), i64::from(player.frags.unwrap_or(0))) else { continue };
        match teams.iter_mut().find(|(team, ..)| *team == name) {
            Some((_, players, sum)) => (*players, *sum) = (*players + 1, *sum + frags),
            None => teams.push((name, 1, frags)),
        }
    }
    let last = facts.levels.iter().flat_map(|level| &level.matches).next_back();
    let rounds = last.map_or(&[][..], |game| &game.rounds_won);
    if teams.iter().all(|(_, players, _)| *players < 2) && rounds.is_empty() {
        return;
    }
    if !rounds.is_empty() {
        let won = |name: &str| rounds.iter().find(|won| won.team == name.trim()).map_or(0, |won| won.rounds.into());
        teams.iter_mut().for_each(|(name, _, score)| *score = won(name));
    }
    teams.sort_by_key(|(_, _, frags)| std::cmp::Reverse(*frags));
    heading(out, "Teams", "");
    let table = table! {
        for (team, players, frags) in teams;
        "Team" => Safe(&team),
        ">Players" => players,
        ">Score" => frags,
    };
    table.write(out, 2);
}
