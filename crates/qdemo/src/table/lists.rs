//! Tables of recordings, of who played in them, and of what lies where.

use super::Subject;
use super::columns::table;
use super::range::{COUNT, PING, SCORE, SLOTS};
use super::row::{Row, RowOf};
use crate::analysis::summary::Summary;
use crate::replay::timeline::{Presence, Span, SpanKind};
use crate::wire::clean;
use crate::world::{Clock, ClockKind, DemoTime};

table! {
    /// Recordings.
    DEMOS = "demos", "A recording.", Subject::Demos;
    []
    demo of demo {
        sha256: Text, "SHA-256 of the recording, whatever it is packed in." = demo.sha256.as_deref();
        bytes: Integer in "bytes" within COUNT, "Length of the recording, unpacked." = demo.info.bytes;
        format: Text, "Format: `dem`, `qwd`, `mvd`, `dm2`, `mvd2`, `dm3`." = demo.info.detected.kind.name();
        protocol: Integer within COUNT, "Number of the protocol." = demo.protocol();
        map: Text, "Name of the map; of several levels the first." = demo.maps().first().copied();
        maps: Text, "Names of all maps, each once, with commas." = unless_empty(demo.maps().join(", "));
        levels: Integer within COUNT, "How many levels." = demo.count(|kind| matches!(kind, SpanKind::Level { .. }));
        game: Text, "Directory of the game or mod, where it is told." = demo.game();
        mode: Text, "The kind of game in words: `duel`, `single player` ..." = demo.mode();
        physics: Text, "Physics and weapons, where they are told: `vq3`, `cpm`, `classic` ..." = demo.physics();
        length_ms: Integer in "ms" within COUNT, "How long it is." = demo.timeline.length.ms();
        frames: Integer within COUNT, "Frames of the server." = demo.timeline.frames;
        matches: Integer within COUNT, "How many matches." = demo.count(|kind| matches!(kind, SpanKind::Match { .. }));
        recorder: Text, "Name of the player who recorded." = &*demo.recorder()?.name;
        recorder_slot: Integer within SLOTS, "Slot of that player." = demo.recorder()?.slot;
        players: Integer within COUNT, "How many played." = count(&demo.timeline.players, false);
        spectators: Integer within COUNT, "How many only watched." = count(&demo.timeline.players, true);
        names: Text, "Names of those who played, with commas." = unless_empty(names(&demo.timeline.players));
        runs: Integer within COUNT, "How many runs against the clock it has." = demo.runs.len();
        run_time: Text in "s", "The time of the first of them, with all digits that mean something." = demo.runs.first()?.digits();
        run_from: Text, "Where that number comes from." = demo.runs.first()?.from;
        run_player: Text, "Who ran it." = &*demo.runs.first()?.player.as_ref()?.name;
        recorded_at: Integer in "s" within COUNT, "When it was recorded, or its match began: seconds since 1970, where the \
            server tells that." = demo.recorded_at();
        match_date: Text, "The date of the match as the game prints it." = demo.match_date();
        faults: Integer within COUNT, "In how many places it is damaged." = demo.info.faults.count();
        ends_cleanly: Boolean, "True when it ends as recordings of its format do." = demo.ends_cleanly();
    }
}

table! {
    /// Who played.
    PLAYERS = "players", "A player, for as long as the name stays. Whoever leaves and comes back is one.", Subject::Presences;
    [SLOT NAME]
    player of presence {
        team: Text, "The last team that is not that of the spectators." = player.team.as_deref().map(clean);
        spectator: Boolean, "True for one who never did anything but watch." = player.spectator;
        recorder: Boolean, "True for the player who recorded." = player.recorder;
        from_demo_ms: Integer in "ms" within COUNT, "When the name was first there, since the recording began." = player.from.ms();
        to_demo_ms: Integer in "ms" within COUNT, "When it was last there." = player.to.ms();
        in_view_ms: Integer in "ms" within COUNT, "For how long the player was in view." = player.in_view.ms();
        frags: Integer within SCORE, "Score at the end of the last match; without one at the end of the last level in which \
            somebody scored." = player.frags;
        frags_at: Text, "Of when that score is: `match_end`, `level_end`, or `last`, when it was last told." =
            player.frags_at.name();
        ping: Integer in "ms" within PING, "Round trip time when it was last told." = player.ping;
    }
}

table! {
    /// What lies where.
    TIMELINE = "timeline", "A stretch of a recording, or a moment of it.", Subject::Spans;
    [CLOCK TIME_MS TIME DEMO_MS BLOCK]
    span of span {
        length_ms: Integer in "ms" within COUNT, "How long it lasts; 0 for a moment." = span.to.demo.0.checked_sub(span.from.demo.0).map(|us| DemoTime(us).ms());
        kind: Text, "What it is: `level`, `countdown`, `match`, `round`, `overtime`, `intermission`, `pause`, `gap`, `view`, \
            `incomplete`, `clock_back`." = span.kind.name();
        map: Text, "Of a level the name of the map." = match &span.kind {
            SpanKind::Level { map, .. } => Some(&**map),
            _ => None,
        };
        title: Text, "Of a level its name for people." = match &span.kind {
            SpanKind::Level { title, .. } => Some(&**title),
            _ => None,
        };
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
        slot: Integer within SLOTS, "Of a view the slot of the player through whose eyes it is." = match span.kind {
            SpanKind::View { slot, .. } => Some(slot),
            _ => None,
        };
        name: Text, "The name of that player." = match &span.kind {
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

fn unless_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// The row of [`DEMOS`] that a recording makes.
pub fn demo(summary: &Summary) -> Row<'_> {
    Row { clock: since_beginning(summary.timeline.length), block: 0, level: 0, about: RowOf::Demo(summary) }
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
