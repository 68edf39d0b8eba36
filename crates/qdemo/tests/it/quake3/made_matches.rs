//! Recordings of matches that are made here, as text: who plays, who kills whom, and what the game tells.

use std::fmt::Write;

use qdemo::Limits;
use qdemo::analysis::stats::{Measure, Numbers, Period, PeriodKind, Player, stats};
use qdemo::text::compile_bytes;

/// Slots of the teams.
pub(super) const FREE: usize = 0;
pub(super) const RED: usize = 1;
pub(super) const BLUE: usize = 2;
pub(super) const WATCHES: usize = 3;

/// Means of death, the same in all protocols.
pub(super) const ROCKET: i32 = 6;
pub(super) const LAVA: i32 = 16;
pub(super) const TELEFRAG: i32 = 18;
pub(super) const SUICIDE: i32 = 20;
/// Quake Live's.
pub(super) const SWITCH_TEAMS: i32 = 29;

/// No player: the world.
pub(super) const WORLD: usize = 1022;

const FOLLOWS: i32 = 4096;

/// A recording that is being made. The first player records it.
pub(super) struct Made {
    protocol: i32,
    game: &'static str,
    kind: i32,
    text: String,
    commands: Vec<String>,
    sent: u32,
    packets: u32,
    deaths: usize,
    pub(super) time: i32,
    pub(super) players: Vec<(usize, &'static str, usize)>,
    /// The score in the state of whoever is seen, who it is, and whether he is followed.
    pub(super) own: (i32, usize, bool),
    /// Number of a powerup that whoever is seen has: it ends in every frame anew.
    pub(super) keeps: Option<usize>,
    /// Entities of the frames that follow, as text.
    pub(super) seen: Vec<String>,
    over: bool,
}

impl Made {
    /// Before a match: game module and kind of game as serverinfo has them; slot, name and team of each player.
    pub(super) fn new(protocol: i32, game: &'static str, kind: i32, players: &[(usize, &'static str, usize)]) -> Made {
        let mut made = Made {
            protocol,
            game,
            kind,
            text: String::new(),
            commands: Vec::new(),
            sent: 0,
            packets: 0,
            deaths: 0,
            time: 10_000,
            players: players.to_vec(),
            own: (0, players[0].0, false),
            keeps: None,
            seen: Vec::new(),
            over: false,
        };
        writeln!(made.text, "dm3 {{ protocol {protocol}; }}").unwrap();
        made.level();
        made.frame();
        made
    }

    /// A level begins, in which there is no match yet.
    pub(super) fn level(&mut self) -> &mut Self {
        let mut strings = vec![(0, self.server_info(false))];
        strings.extend(self.players.iter().map(|(slot, name, team)| self.player(*slot, name, *team)));
        match self.game {
            "cpma" => strings.push((672, r"\tw\-1\ts\0\sr\0\sb\0".to_owned())),
            _ if !self.is_live() => strings.push((5, "-1".to_owned())),
            _ => {}
        }
        let mut state = format!(" gamestate {{\n  serverCommandSequence {};\n", self.sent);
        for (index, value) in strings {
            writeln!(state, "  configstring {{ index {index}; value \"{}\"; }}", value.replace('\\', r"\\")).unwrap();
        }
        if self.protocol >= 66 {
            state.push_str("  clientNum 0;\n  checksumFeed 0;\n");
        }
        state.push_str(" }\n");
        self.packets += 1;
        write!(self.text, "block {{\n sequence {};\n rel_ack 0;\n{state}}}\n", self.packets).unwrap();
        self
    }

    /// The recording begins with these configstrings, too.
    pub(super) fn begin_with(&mut self, strings: &[(usize, &str)]) -> &mut Self {
        let mut told = String::new();
        for (index, value) in strings {
            writeln!(told, "  configstring {{ index {index}; value \"{}\"; }}", value.replace('\\', r"\\")).unwrap();
        }
        // The last one of a number counts.
        self.text = self.text.replacen("  clientNum", &format!("{told}  clientNum"), 1);
        self
    }

    fn is_live(&self) -> bool {
        self.protocol >= 73
    }

    fn server_info(&self, plays: bool) -> String {
        let state = if plays { "IN_PROGRESS" } else { "PRE_GAME" };
        let (protocol, game, kind) = (self.protocol, self.game, self.kind);
        format!(r"\protocol\{protocol}\gamename\{game}\g_gametype\{kind}\mapname\dm6\g_gameState\{state}")
    }

    fn player(&self, slot: usize, name: &str, team: usize) -> (usize, String) {
        (if self.is_live() { 529 } else { 544 } + slot, format!(r"n\{name}\t\{team}"))
    }

    /// A command comes with the next frame.
    pub(super) fn command(&mut self, text: impl Into<String>) -> &mut Self {
        self.commands.push(text.into());
        self
    }

    pub(super) fn configstring(&mut self, index: usize, value: &str) -> &mut Self {
        self.command(format!("cs {index} \"{value}\""))
    }

    /// A player changes teams, or comes back under the name.
    pub(super) fn joins(&mut self, slot: usize, team: usize) -> &mut Self {
        let Some(player) = self.players.iter_mut().find(|(of, ..)| *of == slot) else { panic!("{slot}") };
        player.2 = team;
        let (index, value) = {
            let (slot, name, team) = *player;
            self.player(slot, name, team)
        };
        self.configstring(index, &value)
    }

    /// A frame of the server in which nobody dies.
    pub(super) fn frame(&mut self) -> &mut Self {
        self.deaths(&[])
    }

    /// A frame in which these die: victim, killer, means.
    pub(super) fn deaths(&mut self, deaths: &[(usize, usize, i32)]) -> &mut Self {
        // Event entities live for 300 ms: what follows is another event.
        self.time += 500;
        self.packets += 1;
        let obituary = if self.is_live() { 13 + 58 } else { 13 + 60 };
        let text = &mut self.text;
        write!(text, "block {{\n sequence {};\n rel_ack 0;\n", self.packets).unwrap();
        for command in self.commands.drain(..) {
            self.sent += 1;
            let value = command.replace('\\', r"\\").replace('"', "\\\"");
            let value = value.replace('\u{19}', "\\031").replace('\n', "\\n");
            writeln!(text, " serverCommand {{ seq {}; value \"{value}\"; }}", self.sent).unwrap();
        }
        writeln!(text, " snapshot {{ serverTime {}; deltaNum 0; snapFlags 0; areamask 0;", self.time).unwrap();
        let (score, seen, follows) = self.own;
        let kind = if self.over { 5 } else { 0 };
        let flags = if follows { FOLLOWS } else { 0 };
        write!(text, "  player {{ commandTime {};", self.time).unwrap();
        for (field, value) in
            [("pm_type", kind), ("pm_flags", flags), ("clientNum", seen as i32), ("persistant[0]", score)]
        {
            if value != 0 {
                write!(text, " {field} {value};").unwrap();
            }
        }
        if let Some(number) = self.keeps {
            write!(text, " powerups[{number}] {};", self.time).unwrap();
        }
        text.push_str(" }\n  entities {");
        self.seen.iter().for_each(|entity| write!(text, " entity {{ {entity} }}").unwrap());
        for (victim, killer, means) in deaths {
            self.deaths += 1;
            let index = 200 + self.deaths % 100;
            write!(text, " entity {{ index {index}; eType {obituary}; otherEntityNum2 {killer}; eventParm {means};")
                .unwrap();
            if *victim != 0 {
                write!(text, " otherEntityNum {victim};").unwrap();
            }
            text.push_str(" }");
        }
        text.push_str(" }\n }\n}\n");
        self
    }

    /// The match begins, with the first frame of it.
    pub(super) fn begin(&mut self) -> &mut Self {
        self.over = false;
        self.frame();
        let level = if self.is_live() { 13 } else { 21 };
        let begin = (self.time + 500).to_string();
        match self.game {
            "cpma" => self.configstring(672, &format!(r"\tw\0\ts\{begin}\sr\0\sb\0")),
            _ if self.is_live() => {
                let info = self.server_info(true);
                self.configstring(0, &info)
            }
            _ => self.configstring(5, ""),
        };
        self.command("map_restart").configstring(level, &begin).frame()
    }

    /// The match begins, and goes on for longer than a second: what is shorter is none.
    pub(super) fn start(&mut self) -> &mut Self {
        self.begin().frame().frame().frame()
    }

    /// The match ends, and everybody looks at the scores.
    pub(super) fn end(&mut self) -> &mut Self {
        self.over = true;
        if self.game == "cpma" {
            self.configstring(672, r"\tw\-1\ts\0\sr\0\sb\0");
        }
        if self.is_live() {
            self.configstring(14, "1");
        }
        self.frame()
    }

    /// Everybody looks at the scores.
    pub(super) fn intermission(&mut self) -> &mut Self {
        self.over = true;
        self.frame()
    }

    pub(super) fn demo(&self) -> Vec<u8> {
        let name = format!("made.dm_{}", self.protocol);
        compile_bytes(format!("{}endblock;\n", self.text).as_bytes(), &name)
            .unwrap_or_else(|e| panic!("{e}\n{}", self.text))
    }

    pub(super) fn name(&self) -> String {
        format!("made.dm_{}", self.protocol)
    }

    /// The matches of the recording.
    pub(super) fn matches(&self) -> Vec<Period> {
        let mut all = Vec::new();
        stats(&self.demo()[..], &self.name(), Limits::default(), &mut |period| {
            all.push(period);
            Ok(())
        })
        .unwrap();
        all.retain(|period| period.kind == PeriodKind::Match);
        all
    }

    /// The match of the recording.
    pub(super) fn stats(&self) -> Period {
        let mut all = self.matches().into_iter();
        let period = all.next().expect("a match");
        assert!(all.next().is_none() && period.begun && period.ended, "{period:?}");
        period
    }
}

pub(super) fn of<'p>(period: &'p Period, name: &str) -> &'p Player {
    period.players.iter().find(|player| player.who.name == name).unwrap_or_else(|| panic!("{name}: {period:?}"))
}

pub(super) fn numbers<const N: usize>(numbers: &Numbers, measures: [Measure; N]) -> [Option<i64>; N] {
    measures.map(|measure| numbers.get(measure))
}

pub(super) fn differences(player: &Player) -> Vec<(&str, i64, i64)> {
    player.differences.iter().map(|d| (d.what.as_str(), d.counted, d.reported)).collect()
}
