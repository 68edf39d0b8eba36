//! The facts of one demo, for people. What formats share is here; each has a file of its own for the rest.

mod dem;
mod dm2;
mod dm3;
mod mvd2;
mod quakeworld;
mod runs;

use std::fmt::{Display, Write};

use qdemo::analysis::run_name::Comparison;
use qdemo::describe::KindSet;
use qdemo::error::Moment;
use qdemo::event::Match;
use qdemo::game::Tally;
use qdemo::replay::info::{Facts, Info};

use crate::console::{BAD, DOUBT, GOOD, KEY};
use crate::show::{Safe, clock, clock_ms, count, moment, size, word};
use crate::table::{Table, table};

/// How many faults are shown.
const FAULTS: usize = 3;

/// What the reader of a file knows beside the facts.
pub(super) struct Beside<'a> {
    /// The containers that it was in, the outermost first.
    pub(super) containers: &'a [&'a str],
    /// Its SHA-256, where that is asked for.
    pub(super) hash: Option<&'a str>,
    /// What its name says of a run.
    pub(super) named: Option<&'a Comparison>,
}

pub(super) fn text(info: &Info, name: &str, beside: &Beside<'_>, detail: bool) -> String {
    let Beside { containers, hash, named } = *beside;
    let mut out = String::new();
    line(&mut out, "File", format_args!("{KEY}{}{KEY:#}", Safe(name)));
    if !containers.is_empty() {
        // Innermost first, as one unpacks it in one's mind.
        let chain: Vec<_> = containers.iter().rev().copied().collect();
        line(&mut out, "Container", chain.join(" in "));
    }
    line(&mut out, "Size", size(info.bytes));
    if let Some(hash) = hash {
        line(&mut out, "SHA-256", hash);
    }
    let format = match &info.facts {
        Facts::Dem(facts) => dem::format(facts),
        Facts::Dm2(facts) => dm2::format(facts),
        Facts::Mvd2(facts) => mvd2::format(facts),
        Facts::Dm3(facts) => dm3::format(facts),
        Facts::QuakeWorld(facts) => quakeworld::format(facts),
        _ => format!("{BAD}unknown{BAD:#}"),
    };
    line(&mut out, "Format", format);
    reason(&mut out, info);
    match &info.facts {
        Facts::Dem(facts) => dem::facts(&mut out, facts, detail),
        Facts::Dm2(facts) => dm2::facts(&mut out, facts, detail),
        Facts::Mvd2(facts) => mvd2::facts(&mut out, facts, detail),
        Facts::Dm3(facts) => dm3::facts(&mut out, facts, detail),
        Facts::QuakeWorld(facts) => quakeworld::facts(&mut out, facts, detail),
        // That no byte is understood is said by now.
        _ => return out,
    }
    if let Some(name) = named {
        runs::file_name(&mut out, name);
    }
    faults(&mut out, info, name);
    out
}

fn line(out: &mut String, key: &str, value: impl Display) {
    let width = 14 - key.len().min(13);
    let _ = writeln!(out, "{KEY}{key}:{KEY:#}{:width$}{value}", "", width = width);
}

/// A line of its own for the name of a table, and what to know about it.
fn heading(out: &mut String, name: &str, remark: &str) {
    let _ = match remark {
        "" => writeln!(out, "{KEY}{name}:{KEY:#}"),
        remark => writeln!(out, "{KEY}{name}:{KEY:#} ({remark})"),
    };
}

fn reason(out: &mut String, info: &Info) {
    let detected = &info.detected;
    line(out, "Recognised", format_args!("{} ({} of 100)", Safe(&detected.reason), detected.score));
    if detected.name_disagrees {
        let word = match info.facts {
            Facts::Unknown => "the name promises a demo, the content is none that qdemo knows",
            Facts::Dm3(_) => "the name promises another format or protocol",
            _ => "the name promises something else",
        };
        line(out, "Name", format_args!("{DOUBT}{word}{DOUBT:#}"));
    }
}

fn unknown_bytes(out: &mut String, bytes: u64) {
    match bytes {
        0 => line(out, "Unknown", "0 bytes"),
        n => line(out, "Unknown", format_args!("{DOUBT}{}{DOUBT:#}", count(n, "byte"))),
    }
}

/// What stands behind the end.
fn trailer(out: &mut String, bytes: u64, end: &str) {
    if bytes > 0 {
        line(out, "Trailer", format_args!("{} behind the {end}", count(bytes, "byte")));
    }
}

/// Whether the recording ends as it should: with `mark`.
fn ending(out: &mut String, clean: bool, mark: &str) {
    match clean {
        true => line(out, "Ending", format_args!("{GOOD}clean{GOOD:#} ({mark})")),
        false => line(out, "Ending", format_args!("{DOUBT}no {mark} at the end{DOUBT:#}")),
    }
}

/// Kinds of messages: name, how many, how much of the file. The kinds with the largest share come first.
fn kinds<K: KindSet>(out: &mut String, unit: &str, kinds: &Tally<K>, unknown: u64) {
    heading(out, "Kinds of messages", "");
    let mut kinds: Vec<_> = kinds.iter().collect();
    kinds.sort_by_key(|(_, share)| std::cmp::Reverse(share.size));
    let all: u64 = kinds.iter().map(|(_, share)| share.size).sum::<u64>() + unknown;
    let share = |amount: u64| format!("{:.2} %", 100.0 * amount as f64 / all.max(1) as f64);
    let mut table = Table::new(&["Message", ">Count", &format!(">{unit}"), ">Share"]);
    for (kind, of) in kinds {
        table.row([kind.schema().name.to_owned(), of.count.to_string(), of.size.to_string(), share(of.size)]);
    }
    if unknown > 0 {
        table.row(["(unknown)".to_owned(), String::new(), unknown.to_string(), share(unknown)]);
    }
    table.write(out, 2);
}

fn faults(out: &mut String, info: &Info, name: &str) {
    if info.faults.is_empty() {
        return line(out, "Faults", "none");
    }
    line(out, "Faults", format_args!("{BAD}{}{BAD:#}", info.faults.count()));
    for fault in info.faults.iter().take(FAULTS) {
        // The name stands above already.
        let text = fault.to_string();
        let text = text.strip_prefix(name).map_or(text.as_str(), |rest| rest.trim_start_matches([':', ' ']));
        let _ = writeln!(out, "  {}", Safe(text));
    }
    let more = info.faults.count().saturating_sub(FAULTS as u64);
    if more > 0 {
        let _ = writeln!(out, "  and {more} more");
    }
}

/// The matches in levels, each with its map.
fn matches<'l>(out: &mut String, levels: impl ExactSizeIterator<Item = (&'l str, &'l Vec<Match<Moment>>)>) {
    // Which level is clear when there is one.
    let several = levels.len() > 1;
    let all: Vec<_> = levels.flat_map(|(map, matches)| matches.iter().map(move |game| (map, game))).collect();
    if all.is_empty() {
        return;
    }
    heading(out, "Matches", "as the game tells of them");
    let many = |count: usize, what| if count == 0 { String::new() } else { self::count(count as u64, what) };
    let table = table! {
        for (map, game) in all;
        "Map" => Safe(word(several, map)),
        ">From" => moment(Some(game.begin)),
        ">To" => moment(Some(game.end)),
        ">Length" => length(Some(game.begin), Some(game.end)),
        ">Played" => played(game),
        "" => missing(game),
        "" => many(game.rounds.len(), "round"),
        "" => many(game.pauses.len(), "pause"),
        "" => many(game.overtimes.len(), "overtime"),
    };
    table.without_empty_columns().write(out, 2);
}

/// How long a match was played, where it stood still for a time that the recording has.
fn played(game: &Match<Moment>) -> String {
    match game.pauses.iter().all(|[from, to]| from == to) {
        true => String::new(),
        false => clock_ms(game.played_ms()),
    }
}

/// What of a match was not recorded.
fn missing(game: &Match<Moment>) -> &'static str {
    match (game.begun, game.ended) {
        (true, _) if game.given_up => "stopped before its end",
        (false, _) if game.given_up => "stopped before its end, without its beginning",
        (true, true) => "whole",
        (true, false) => "without its end",
        (false, true) => "without its beginning",
        (false, false) => "under way throughout",
    }
}

/// Seconds in a recording of a client, milliseconds in one of a server.
fn length(from: Option<Moment>, to: Option<Moment>) -> String {
    match (from, to) {
        (Some(Moment::Seconds(from)), Some(Moment::Seconds(to))) => clock(Some(to - from)),
        (Some(Moment::Milliseconds(from)), Some(Moment::Milliseconds(to))) => {
            clock_ms(Some(i64::from(to) - i64::from(from)))
        }
        _ => "-".to_owned(),
    }
}
