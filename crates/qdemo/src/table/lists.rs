//! Tables of recordings, of who played in them, and of what lies where.

use super::Subject;
use super::columns::{table, unless_plain};
use super::range::{COUNT, PING, SCORE, SLOTS};
use super::row::{OneLevel, OneMatch, Row, RowOf};
use crate::analysis::stats::Period;
use crate::analysis::summary::Summary;
use crate::json::without_controls;
use crate::replay::timeline::{Presence, Span, SpanKind, Timeline};
use crate::wire::clean;
use crate::world::{Clock, ClockKind, DemoTime};

table! {
    /// Recordings.
    DEMOS = "demos", "A recording, or a file that could not be read as one.", Subject::Demos;
    []
    demo of demo {
        sha256: Text, "SHA-256 of the recording, whatever it is packed in." = demo.sha256.as_deref();
        bytes: Integer in "bytes" within COUNT, "Length of the recording, unpacked." = demo.info.bytes;
        containers: Word, "What it was packed in, the outermost first, with commas." = unless_empty(demo.containers.join(", "));
        format: Word, "Format: `dem`, `qwd`, `mvd`, `dm2`, `mvd2`, `dm3`." = demo.info.detected.kind.name();
        game: Word, "The game: `quake`, `quakeworld`, `quake2`, `quake3`, whatever mod is played." =
            demo.info.detected.kind.game();
        protocol: Integer within COUNT, "Number of the protocol." = demo.protocol();
        dialect: Word, "Who speaks it: `netquake`, `fitzquake`, `ioquake3` ..." = demo.text("dialect");
        map: Word, "Name of the map; of several levels the first." = demo.maps().first().copied();
        maps: Text, "Names of all maps, each once, with commas." = unless_empty(demo.maps().join(", "));
        title: Word, "Name of the first level for people." = demo.title();
        levels: Integer within COUNT, "How many levels." = demo.count(|kind| matches!(kind, SpanKind::Level { .. }));
        gamedir: Word, "Directory of the game or mod, where it is told." = demo.game();
        mod: Word, "The game module as it names itself: `cpma`, `ktx` ..." = demo.rules.module.as_deref();
        mod_version: Word, "Its version." = demo.rules.mod_version.as_deref();
        mode: Word, "The kind of game in words: `duel`, `single player` ..." = demo.mode();
        physics: Word, "Physics and weapons, where they are told: `vq3`, `cpm`, `classic` ..." = demo.physics();
        server: Word, "Name of the server." = demo.text("server");
        engine: Word, "Version of the server's engine, where it is told." = demo.text("engine");
        length_ms: Integer in "ms" within COUNT, "How long it is." = demo.timeline.length.ms();
        frames: Integer within COUNT, "Frames of the server." = demo.timeline.frames;
        blocks: Integer within COUNT, "Blocks; in `.mvd` records." = demo.number("blocks");
        messages: Integer within COUNT, "Messages in them." = demo.number("messages");
        matches: Integer within COUNT, "How many matches." = demo.count(|kind| matches!(kind, SpanKind::Match { .. }));
        recorder: Word, "Name of the player who recorded." = &*demo.recorder()?.name;
        recorder_raw: Raw, "The same as the bytes in the file, one character for each; missing where these are the plain \
            characters." = unless_plain(&demo.recorder()?.name_raw, &demo.recorder()?.name);
        recorder_slot: Integer within SLOTS, "Slot of that player." = demo.recorder()?.slot;
        players: Integer within COUNT, "How many played." = count(&demo.timeline.players, false);
        spectators: Integer within COUNT, "How many only watched." = count(&demo.timeline.players, true);
        names: Text, "Names of those who played, with commas." = unless_empty(names(&demo.timeline.players));
        runs: Integer within COUNT, "How many runs against the clock it has." = demo.runs.len();
        run_time: Text in "s", "The time of the first of them, with all digits that mean something." = demo.runs.first()?.digits();
        run_from: Word, "Where that number comes from." = demo.runs.first()?.from;
        run_player: Word, "Who ran it." = &*demo.runs.first()?.player.as_ref()?.name;
        recorded_at: Integer in "s" within COUNT, "When it was recorded, or its match began: seconds since 1970, where the \
            server tells that." = demo.recorded_at();
        match_date: Text, "The date of the match as the game prints it." = demo.match_date();
        lost_packets: Integer within COUNT, "Packets of the server that are missing, where they are numbered." =
            demo.number("lost_packets");
        unknown_bytes: Integer in "bytes" within COUNT, "Bytes that no message covers." = demo.number("unknown_bytes");
        trailer_bytes: Integer in "bytes" within COUNT, "Bytes behind the end, where the format has one." =
            demo.number("trailer_bytes");
        ends_cleanly: Boolean, "True when it ends as recordings of its format do." = demo.ends_cleanly();
        faults: Integer within COUNT, "In how many places it is damaged." = demo.info.faults.count();
        fault: Text, "The first of them, in words." = demo.info.faults.iter().next()?.to_string();
    }
    row of any {
        error: Text, "Why the file could not be read, or not to its end, in words. Where nothing of it could be read all other \
            columns are missing." = row.error();
    }
    demo of demo {
        info: Text, "All that the recording says of itself: players, levels, settings. The object of `qdemo info --detail --json` \
            without what that tells of the file: `file`, `file_name`, `containers`, `sha256`, `behind`, `error`." =
            demo_json(demo);
    }
}

table! {
    /// Levels.
    LEVELS = "levels", "A level of a recording.", Subject::Levels;
    [LEVEL]
    level of one_level {
        map: Word, "Name of the map." = unless_empty(map(level.span)?.0);
        title: Word, "Its name for people." = unless_empty(map(level.span)?.1);
        block: Integer within COUNT, "Number of its first block, from 0; in `.mvd` of the record." = level.span.block;
    }
    [CLOCK]
    level of one_level {
        from_ms: Integer in "ms" within COUNT, "When it begins, by that clock." = level.span.from.ms();
        to_ms: Integer in "ms" within COUNT, "When it ends." = level.span.to.ms();
        from: Seconds in "s" within COUNT, "The beginning as recorded, where the game has seconds: Quake and `.qwd`." =
            level.span.from.seconds();
        to: Seconds in "s" within COUNT, "The end likewise." = level.span.to.seconds();
        from_demo_ms: Integer in "ms" within COUNT, "The beginning in milliseconds since the recording began." =
            level.span.from.demo.ms();
        to_demo_ms: Integer in "ms" within COUNT, "The end likewise." = level.span.to.demo.ms();
        length_ms: Integer in "ms" within COUNT,
            "How long it lasts in the recording. The game's own clock may jump within a level." = level.span.length_ms();
        frames: Integer within COUNT, "Frames of the server in it." = match level.span.kind {
            SpanKind::Level { frames, .. } => Some(frames),
            _ => None,
        };
        matches: Integer within COUNT, "Matches that begin in it." = level.matches;
    }
}

table! {
    /// Matches.
    MATCHES = "matches", "A match of a recording.", Subject::Matches;
    []
    it of one_match {
        number: Integer within COUNT, "Number of the match within the recording, from 0." = it.number;
    }
    [LEVEL MAP CLOCK FROM_MS TO_MS FROM_DEMO_MS TO_DEMO_MS BEGUN ENDED]
    period of period {
        ending: Word, "What ended it, where that is told: `time_limit`, `frag_limit`, `score_limit`, `capture_limit`, \
            `round_limit`, `mercy_limit` or `forfeit`; a match without an end: `stopped` or `level_change`." = period.ending.map(|ending| ending.name());
        winner: Word, "The team, or the player, who won; missing where it stood even, or has no end." = period.winner.as_deref();
        in_teams: Boolean, "True for a game that teams win: not where each plays to win alone." = period.is_won_by_teams();
        players: Integer within COUNT, "How many played." = period.players.len();
        names: Text, "Their names, by score, with commas." =
            unless_empty(period.players.iter().map(|player| &*player.who.name).collect::<Vec<_>>().join(", "));
        first: Word, "The first team, or player, of a match that ended." = &*period.places.first()?.name;
        first_score: Integer within SCORE, "Its score." = period.places.first()?.score;
        second: Word, "The second one." = &*period.places.get(1)?.name;
        second_score: Integer within SCORE, "Its score." = period.places.get(1)?.score;
        rounds: Integer within COUNT, "How many rounds, of a match of several." =
            Some(period.game.as_ref()?.rounds.len()).filter(|rounds| *rounds > 0);
        played_ms: Integer in "ms" within COUNT, "How long it was played: without the time in which it stood still." =
            period.game.as_ref()?.played_ms();
        pauses: Integer within COUNT, "How often it stood still." = period.game.as_ref()?.pauses.len();
        overtimes: Integer within COUNT, "How often time was added." = period.game.as_ref()?.overtimes.len();
        date: Text, "Its date as the game prints it." = period.date.as_deref();
        started_at: Integer in "s" within COUNT, "When it began: seconds since 1970, where the server tells that." =
            period.rules.started_at;
        mode: Word, "The kind of game in words: `duel`, `team deathmatch` ..." = period.rules.game_type.as_deref();
        physics: Word, "Physics and weapons: `vq3`, `cpm`, `classic` ..." = period.rules.gameplay.as_deref();
        mod: Word, "The game module as it names itself: `cpma`, `ktx` ..." = period.rules.module.as_deref();
        time_limit: Integer in "minutes" within COUNT, "Minutes that it lasts, or a round of it; limits of 0 are none." = period.rules.time_limit;
        frag_limit: Integer within COUNT, "Frags that end it." = period.rules.frag_limit;
        score_limit: Integer within COUNT, "The score that ends it, where that is another thing." = period.rules.score_limit;
        capture_limit: Integer within COUNT, "Captures that end it." = period.rules.capture_limit;
        round_limit: Integer within COUNT, "Rounds won that end it." = period.rules.round_limit;
        mercy_limit: Integer within COUNT, "The lead that ends it." = period.rules.mercy_limit;
        shows_all: Boolean, "True where the recording shows what everybody does." = period.shows_all;
    }
}

table! {
    /// Who played.
    PLAYERS = "players", "A player, for as long as the name stays. Whoever leaves and comes back is one.", Subject::Presences;
    [SLOT NAME NAME_RAW]
    player of presence {
        team: Word, "The last team that is not that of the spectators." = player.team.as_deref().map(clean);
        spectator: Boolean, "True for one who never did anything but watch." = player.spectator;
        recorder: Boolean, "True for the player who recorded." = player.recorder;
        from_demo_ms: Integer in "ms" within COUNT, "When the name was first there, since the recording began." = player.from.ms();
        to_demo_ms: Integer in "ms" within COUNT, "When it was last there." = player.to.ms();
        in_view_ms: Integer in "ms" within COUNT, "For how long the player was in view." = player.in_view.ms();
        frags: Integer within SCORE, "Score at the end of the last match; without one at the end of the last level in which \
            somebody scored. Nothing for one who only watches." = player.frags;
        frags_at: Word, "Of when that score is: `match_end`, `level_end`, or `last`, when it was last told. Nothing without a score." =
            player.frags_at?.name();
        ping: Integer in "ms" within PING, "Round trip time when it was last told." = player.ping;
    }
}

table! {
    /// What lies where.
    TIMELINE = "timeline", "A stretch of a recording, or a moment of it.", Subject::Spans;
    [CLOCK TIME_MS TIME DEMO_MS BLOCK]
    span of span {
        length_ms: Integer in "ms" within COUNT, "How long it lasts; 0 for a moment." = span.length_ms();
        kind: Word, "What it is: `level`, `countdown`, `match`, `round`, `overtime`, `intermission`, `pause`, `gap`, `view`, \
            `incomplete`, `clock_back`." = span.kind.name();
        map: Word, "Of a level the name of the map." = map(span)?.0;
        title: Word, "Of a level its name for people." = map(span)?.1;
        frames: Integer within COUNT, "Of a level the frames of the server in it." = match span.kind {
            SpanKind::Level { frames, .. } => Some(frames),
            _ => None,
        };
        begun: Boolean, "Of a match: the recording has its beginning." = match span.kind {
            SpanKind::Match { begun, .. } => Some(begun),
            _ => None,
        };
        ended: Boolean, "Of a match: the recording has its end." = match span.kind {
            SpanKind::Match { ended, .. } => Some(ended),
            _ => None,
        };
        played_ms: Integer in "ms" within COUNT, "Of a match how long it was played: without the time in which it stood still." =
            match span.kind {
                SpanKind::Match { played, .. } => Some(played.ms()),
                _ => None,
            };
        slot: Integer within SLOTS, "Of a view the slot of the player through whose eyes it is." = match span.kind {
            SpanKind::View { slot, .. } => Some(slot),
            _ => None,
        };
        name: Word, "The name of that player." = match &span.kind {
            SpanKind::View { name, .. } => Some(&**name),
            _ => None,
        };
    }
}

fn count(players: &[Presence], spectators: bool) -> usize {
    players.iter().filter(|player| player.spectator == spectators).count()
}

fn names(players: &[Presence]) -> String {
    let playing = players.iter().filter(|player| !player.spectator && !player.name.is_empty());
    playing.map(|player| player.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn unless_empty<T: AsRef<str>>(text: T) -> Option<T> {
    Some(text).filter(|text| !text.as_ref().is_empty())
}

/// Map and title of a level.
fn map(span: &Span) -> Option<(&str, &str)> {
    match &span.kind {
        SpanKind::Level { map, title, .. } => Some((map, title)),
        _ => None,
    }
}

fn demo_json(demo: &Summary) -> String {
    without_controls(serde_json::Value::Object(demo.facts().clone()).to_string())
}

/// The row of [`DEMOS`] that a recording makes.
pub fn demo(summary: &Summary) -> Row<'_> {
    Row { clock: since_beginning(summary.timeline.length), block: 0, level: 0, about: RowOf::Demo(summary) }
}

/// The row of [`DEMOS`] that a file makes which could not be read, with the reason.
pub fn unreadable(error: &str) -> Row<'_> {
    Row { clock: since_beginning(DemoTime(0)), block: 0, level: 0, about: RowOf::Unreadable(error) }
}

/// The row of [`LEVELS`] that a level makes: a part of a timeline, and the number of the level.
pub fn level<'s>(span: &'s Span, number: u32, timeline: &Timeline) -> Row<'s> {
    let begins = |it: &&Span| {
        let within = span.from.demo <= it.from.demo && it.from.demo < span.to.demo;
        matches!(it.kind, SpanKind::Match { .. }) && within
    };
    let about = RowOf::Level(OneLevel { span, matches: timeline.spans.iter().filter(begins).count() });
    Row { clock: span.from, block: span.block, level: number, about }
}

/// The row of [`MATCHES`] that a match makes, and the number of it.
pub fn one_match(period: &Period, number: u32) -> Row<'_> {
    Row { clock: period.begin, block: 0, level: period.level, about: RowOf::Match(OneMatch { period, number }) }
}

/// The row of [`PLAYERS`] that a player makes.
pub fn presence(player: &Presence) -> Row<'_> {
    Row { clock: since_beginning(player.from), block: 0, level: 0, about: RowOf::Presence(player) }
}

/// The row of [`TIMELINE`] that a part makes.
pub fn span(span: &Span) -> Row<'_> {
    Row { clock: span.from, block: span.block, level: 0, about: RowOf::Span(span) }
}

fn since_beginning(demo: DemoTime) -> Clock {
    Clock { kind: ClockKind::Recording, now: None, frame: None, demo }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A length is the difference of the times that are told, here as in JSON of `timeline`.
    #[test]
    fn a_length_is_the_difference_of_what_is_told() {
        let clock = |us| since_beginning(DemoTime(us));
        let gap = Span { kind: SpanKind::Gap, from: clock(400), to: clock(1_600), block: 0 };
        let json = serde_json::to_value(&gap).unwrap();
        let mut cell = Vec::new();
        TIMELINE.column("length_ms").unwrap().values.write(&span(&gap), &mut cell);
        // From 0 ms, which 400 us are, to 2.
        assert_eq!((&cell[..], json["length_ms"].as_i64()), (&b"2"[..], Some(2)));
    }
}
