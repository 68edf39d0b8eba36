//! Matches: only what servers print tells of them.

use crate::error::Moment;
use crate::event::{Lines, Match, Matches, Phase};
use crate::wire::clean;

/// Lines of the server that end a match.
const ENDS: [&str; 13] = [
    "Timelimit hit.",
    "Fraglimit hit.",
    "Capturelimit hit.",
    "Match ended.",
    "Match canceled, no players remaining.",
    // OSP Tourney (`CheckDMRules`, `G_RunFrame` and `OSP_checkHalt`).
    "Team fraglimit hit.",
    "Inactive client timelimit hit.",
    "We have a sudden-death winner!",
    "No reconnect. Match terminated.",
    "Not enough players for match!  Match terminated.",
    // Keys of the re-release.
    "$g_timelimit_hit",
    "$g_fraglimit_hit",
    "$g_capturelimit_hit",
];

/// Lines of the level of chat with which Capture the Flag in match mode counts down and ends a match: `CTFReady`,
/// `CTFAdmin_MatchSet` and `CTFEndMatch` of id's game module.
const CTF_COUNTDOWN: [&str; 2] = ["All players have commited.  Match starting", "Match has been forced to start."];
const CTF_ENDS: [&str; 2] = ["MATCH COMPLETED!", "Match has been forced to terminate."];
/// What it shows to everybody where a match starts (`CTFStartMatch`).
const CTF_START: &str = "MATCH HAS STARTED!";

/// Where OSP Tourney counts down to a match and begins it (`OSP_CheckReady`, `OSP_checkSync`).
const OSP_COUNTDOWN: &str = "All players ready... countdown starts!";
const OSP_START: &str = "Match has started!";
/// Where one goes on that stood still: of the level of chat (`G_RunFrame`), as all that follows.
const OSP_RESUMES: &str = "**** MATCH HAS RESTARTED!! ****";
/// Where a referee has it stand still (`OSP_rmpause_cmd`), and where one stops it, or whoever sits at the server
/// (`OSP_rstopmatch_cmd`).
const OSP_PAUSES: &str = "Match paused by referee.";
const OSP_STOPS: [&str; 2] = ["Match terminated by referee!!", "Match terminated by console!!"];

/// Follows what a server prints of its matches.
///
/// OpenTDM counts down to each match, says `Fight!` where one begins and where one goes on that stood still, and tells of
/// time-outs and overtimes. (Source: `TDM_BeginCountdown`, `TDM_CheckTimes`, `TDM_Timeout_f`, `TDM_Disconnected`,
/// `TDM_EndMatch`, `TDM_Overtime` and `TDM_SuddenDeath` of its game module.) Capture the Flag has matches where the server
/// is in match mode, and so has OSP Tourney.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    /// A match goes on. Without one a limit that is hit ends the level alone.
    plays: bool,
    /// The match that was told last was under way when the recording began.
    underway: bool,
    paused: bool,
    /// A countdown was told since the last match began; `None` for a server that tells of none.
    counted: Option<bool>,
    /// What the red team has captured, as it was told last.
    red: Option<i32>,
}

impl Phases {
    /// What a line in plain characters tells, of such a level.
    pub(crate) fn line(&mut self, level: Option<u8>, line: &str) -> [Option<Phase>; 2] {
        let line = line.trim();
        let one = |phase| [None, Some(phase)];
        if level == Some(CHAT) {
            if CTF_COUNTDOWN.contains(&line) {
                return one(Phase::Countdown);
            }
            if self.plays && CTF_ENDS.contains(&line) {
                return self.ends(Phase::End);
            }
            if self.plays && OSP_STOPS.contains(&line) {
                return self.ends(Phase::GivenUp);
            }
            let times_out = is_time_out(line);
            if !self.plays && (times_out || will_resume(line)) {
                (self.plays, self.underway) = (true, true);
                return [Some(Phase::Start), self.pauses()];
            }
            if line == OSP_RESUMES {
                return [None, std::mem::take(&mut self.paused).then_some(Phase::Resume)];
            }
            return if times_out || stands_still(line) { [None, self.pauses()] } else { [None; 2] };
        }
        if line.starts_with("All players ready! Starting countdown (") {
            self.counted = Some(true);
            return one(Phase::Countdown);
        }
        if level == Some(HIGH) && line == OSP_COUNTDOWN {
            return one(Phase::Countdown);
        }
        if level == Some(HIGH) && line == OSP_START {
            return self.starts();
        }
        if line == "Fight!" {
            // Players may vote for a new countdown while the match stands still.
            let anew = self.counted == Some(true);
            if !anew && (self.paused || self.plays && self.counted == Some(false)) {
                self.paused = false;
                return one(Phase::Resume);
            }
            self.counted = self.counted.map(|_| false);
            return self.starts();
        }
        if self.plays && level == Some(HIGH) && ends(line) {
            return self.ends(Phase::End);
        }
        let adds_time = line.starts_with("Scores are tied ")
            && (line.ends_with(" overtime.") || line.ends_with(" entering Sudden Death!"))
            || level == Some(HIGH) && line.starts_with("Tied match!! ");
        if self.plays && adds_time { one(Phase::Overtime) } else { [None; 2] }
    }

    /// True where the match that [`Phase::Start`] tells of was seen to begin.
    pub(crate) fn is_begun(&self) -> bool {
        !self.underway
    }

    /// What a text in plain characters tells that is shown in the middle of the screen.
    pub(crate) fn center(&mut self, text: &str) -> [Option<Phase>; 2] {
        if text.lines().any(|line| line == CTF_START) {
            return self.starts();
        }
        if waits_for(text).is_some() { [None, self.pauses()] } else { [None; 2] }
    }

    /// The flags that both teams captured, where a line of such a level tells it of the second one: `RED TEAM:  1 captures,
    /// 17 points`, then the same of `BLUE TEAM` (`CTFEndMatch`).
    pub(crate) fn captures(&mut self, level: Option<u8>, line: &str) -> Option<[i32; 2]> {
        let captured = |team| {
            let told: &str = line.strip_prefix(team).filter(|_| level == Some(HIGH))?;
            let (captures, points) = told.split_once(" captures, ")?;
            captures.parse().ok().filter(|_| points.ends_with(" points"))
        };
        match captured("RED TEAM:  ") {
            None => Some([self.red?, captured("BLUE TEAM:  ")?]),
            red => {
                self.red = red;
                None
            }
        }
    }

    /// A match begins. What stood still in front of it does so no longer.
    fn starts(&mut self) -> [Option<Phase>; 2] {
        (self.plays, self.underway) = (true, false);
        [std::mem::take(&mut self.paused).then_some(Phase::Resume), Some(Phase::Start)]
    }

    /// It stands still, which is told once.
    fn pauses(&mut self) -> Option<Phase> {
        (!std::mem::replace(&mut self.paused, true)).then_some(Phase::Pause)
    }

    fn ends(&mut self, phase: Phase) -> [Option<Phase>; 2] {
        self.plays = false;
        [std::mem::take(&mut self.paused).then_some(Phase::Resume), Some(phase)]
    }
}

/// For whom OSP Tourney has a match stand still: the last player of a team has disconnected, which no line tells. The text in
/// the middle of the screen also has the seconds that are left (`ClientDisconnect`, `G_RunFrame`). The name, and the text from
/// the name on.
pub(crate) fn waits_for(text: &str) -> Option<(&str, &str)> {
    let from_name = text.strip_prefix("Waiting for ")?;
    let (name, seconds) = from_name.trim_end().strip_suffix(" seconds)")?.split_once(" to reconnect.\n(")?;
    seconds.bytes().all(|b| b.is_ascii_digit()).then_some((name, from_name))
}

/// True for a line of the server that says that a match of OSP Tourney stands still from now on: of the level of chat, and
/// no chat.
fn stands_still(line: &str) -> bool {
    line == OSP_PAUSES || line.strip_prefix("Time-Out called by ").is_some_and(|who| !who.contains(": "))
}

/// True for a line of the server with which a time-out of OpenTDM begins, which there is in a match alone
/// (`TDM_Timeout_f`, `TDM_Disconnected`): of the level of chat, and no chat.
fn is_time_out(line: &str) -> bool {
    let by = |text: &str| line.split_once(text).is_some_and(|(who, _)| !who.contains(": "));
    by(" called a time out. Match will resume automatically in ")
        || by(" disconnected and has ") && line.ends_with(" to reconnect.")
}

/// True for the line of the server with which OpenTDM counts down to the end of a time-out, and of nothing else
/// (`TDM_ResumeGame`): of the level of chat. No name is as long as what stands in front of the colon.
pub(crate) fn will_resume(line: &str) -> bool {
    line.starts_with("Game resuming in 10 seconds. Match time remaining: ")
}

/// True for a line of the server that ends a match. OpenTDM says which limit was hit, or how a tie stands.
fn ends(line: &str) -> bool {
    let limit = || line.strip_suffix(" Match ended.").is_some_and(|limit| ENDS.contains(&limit));
    let tie = || {
        let scores = line.strip_prefix("Tie game, ").and_then(|rest| rest.strip_suffix('.')?.split_once(" to "));
        scores.is_some_and(|(first, second)| first.parse::<i32>().is_ok() && first == second)
    };
    // Of OSP Tourney's teams.
    let forfeited = || line.contains(" forfeits! ") && line.ends_with(" wins by default!");
    ENDS.contains(&line) || limit() || tie() || forfeited()
}

/// Levels of prints: what servers tell everybody, and chat.
const HIGH: u8 = 2;
pub(crate) const CHAT: u8 = 3;

/// Finds the matches in a recording by its prints alone.
#[derive(Debug, Default)]
pub(crate) struct PrintedMatches {
    lines: Lines,
    /// What the block at hand tells, and whether a match was seen to begin: it has the time of the frame behind its prints.
    told: Vec<(Phase, bool)>,
    phases: Phases,
    matches: Matches<Moment>,
}

impl PrintedMatches {
    /// Takes in a print, perhaps for one reader alone.
    pub(crate) fn print(&mut self, level: u8, to: Option<u8>, text: &[u8]) {
        let Some(((level, _), text)) = self.lines.add_across((Some(level), to), text) else { return };
        for line in clean(&text.raw).lines() {
            let told = self.phases.line(level, line);
            self.tells(told);
        }
    }

    /// Takes in a text in the middle of the screen.
    pub(crate) fn center(&mut self, text: &[u8]) {
        let told = self.phases.center(&clean(text));
        self.tells(told);
    }

    fn tells(&mut self, told: [Option<Phase>; 2]) {
        self.told.extend(told.into_iter().flatten().map(|phase| (phase, self.phases.is_begun())));
    }

    /// The block ends: it was of such a time.
    pub(crate) fn block(&mut self, now: Option<Moment>) {
        self.lines.block_ends();
        for (phase, begun) in self.told.drain(..) {
            now.map(|now| self.matches.step(phase, begun, now));
        }
    }

    /// True where a level goes on, though its beginning was not recorded.
    pub(crate) fn shows_level(&self) -> bool {
        self.matches.shows_level()
    }

    /// The server sent a frame of such a time.
    pub(crate) fn frame(&mut self, now: Option<Moment>) {
        now.into_iter().for_each(|now| self.matches.frame(now));
    }

    /// The level ends, or the recording does: the matches in it.
    pub(crate) fn cut(&mut self, now: Option<Moment>) -> Vec<Match<Moment>> {
        now.into_iter().for_each(|now| self.matches.cut(now));
        self.phases = Phases::default();
        self.matches.take()
    }
}
