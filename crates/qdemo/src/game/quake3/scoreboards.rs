//! Commands by which servers tell scores and statistics.

mod layouts;

use std::borrow::Cow;

use layouts::{LAYOUTS, LayoutPart};

use crate::format::dm3::Era;

/// What a number in a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A player.
    Player,
    /// A player and a weapon, by its number.
    Weapon(usize),
    /// A player and a powerup, by its number.
    Powerup(usize),
    /// A team.
    Team(&'static str),
    /// All.
    Game,
}

/// A number in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReportedNumber {
    /// The player; `None` where the command is about the one who is seen.
    pub(crate) client: Option<i64>,
    pub(crate) of: Subject,
    pub(crate) name: &'static str,
    pub(crate) value: i64,
}

/// The rows of the scoreboard that came last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Board(Vec<BoardRow>);

/// The command with statistics whose clients 0 and 1 are winner and loser, once a command has [named](duel_ends) these.
pub(crate) const DUEL_END: &str = "xstats2a";

/// Who won a duel of CPMA 1.50 and later, and who lost it, by name: `duelendscores "WINNER" "LOSER" FORFEIT`.
pub(crate) fn duel_ends(command: &[u8]) -> Option<[&[u8]; 2]> {
    let rest = command.strip_prefix(b"duelendscores ")?;
    let (winner, rest) = argument(rest)?;
    let (loser, _) = argument(rest)?;
    Some([winner, loser])
}

/// The first word of a text, or what stands in quotes there, and what follows it.
fn argument(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let (from, end): (_, fn(&u8) -> bool) = match text.strip_prefix(b"\"") {
        Some(quoted) => (quoted, |b| *b == b'"'),
        None => (text, u8::is_ascii_whitespace),
    };
    let at = from.iter().position(end).unwrap_or(from.len());
    let word = from.get(..at).filter(|word| !word.is_empty())?;
    Some((word, from.get(at + 1..).unwrap_or_default()))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct BoardRow {
    client: i64,
    score: i64,
    ping: i64,
    accuracy: i64,
}

impl Board {
    /// Whoever plays stands before those who watch.
    fn of(clients: &[i64], told: &[ReportedNumber]) -> Board {
        let row = |&client: &i64| {
            let mut row = BoardRow { client, ..BoardRow::default() };
            let of_player = |t: &&ReportedNumber| t.client == Some(client) && t.of == Subject::Player;
            for number in told.iter().filter(of_player) {
                match number.name {
                    "score" => row.score = number.value,
                    "ping" => row.ping = number.value,
                    "accuracy" => row.accuracy = number.value,
                    _ => {}
                }
            }
            row
        };
        Board(clients.iter().map(row).collect())
    }

    /// The two who play a duel, by client number.
    fn duel(&self) -> Vec<BoardRow> {
        let mut two: Vec<BoardRow> = self.0.iter().take(2).copied().collect();
        two.sort_unstable_by_key(|row| row.client);
        two
    }

    fn score(&self, client: i64) -> Option<i64> {
        self.0.iter().find(|row| row.client == client).map(|row| row.score)
    }
}

/// More than the longest of these commands has.
const WORDS: usize = 1200;
/// More than the numbers of weapons.
const WEAPONS: i64 = 16;
/// Commands about the two who play a duel, and nobody else.
pub(crate) const DUELS: [&str; 2] = ["scores_duel", "dscores"];
/// Slots that there are in any game of the family.
const SLOTS: i64 = 64;

/// True for the name of a command that tells scores or statistics.
fn is_one(name: &[u8]) -> bool {
    LAYOUTS.iter().any(|(command, _)| command.as_bytes() == name)
}

/// True for the name of a command about one player, whom its first word tells.
pub(crate) fn is_of_one(name: &str) -> bool {
    let begins = |parts: &[LayoutPart]| matches!(parts, [LayoutPart::Words(words), ..] if words.starts_with("client "));
    LAYOUTS.iter().any(|(command, parts)| *command == name && begins(parts))
}

/// The numbers in a command of that kind, with its name; `None` for another, and for one whose words do not fit. A word
/// that is no whole number counts as 0. `board` is what earlier commands told.
pub(crate) fn read(command: &[u8], era: Era, board: &mut Board) -> Option<(&'static str, Vec<ReportedNumber>)> {
    let mut words = command.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let name = words.next()?;
    if !is_one(name) {
        return None;
    }
    let words: Vec<i64> = words.take(WORDS + 1).map(number).collect();
    if words.len() > WORDS {
        return None;
    }
    let (command, Reader { mut told, rows, .. }) = fit(name, &words, era, board)?;
    if let Some(rows) = rows {
        *board = Board::of(&rows, &told);
    }
    if DUELS.contains(&command) && suicides_among_kills(&told, board) {
        told.iter_mut().filter(|t| t.name == "kills").for_each(|t| t.name = "kills_and_suicides");
    }
    Some((command, told))
}

/// The words of a command in the layout that they fit.
fn fit<'b>(name: &[u8], words: &'b [i64], era: Era, board: &'b Board) -> Option<(&'static str, Reader<'b>)> {
    let mut layouts = LAYOUTS.iter().filter(|(command, _)| command.as_bytes() == name);
    layouts.find_map(|(command, parts)| {
        let mut reader = Reader {
            words: words.iter(),
            era,
            board,
            client: None,
            silent: false,
            known: Vec::new(),
            told: Vec::new(),
            rows: None,
            spans: Vec::new(),
        };
        reader.parts(parts)?;
        (reader.words.len() == 0).then_some((*command, reader))
    })
}

/// A command that lists players without the rows of some, a bit each; empty where no row is left.
pub(crate) fn without(command: &[u8], clients: u64, era: Era) -> Cow<'_, [u8]> {
    without_rows(command, clients, era).map_or(Cow::Borrowed(command), Cow::Owned)
}

/// The same; `None` where there are no such rows.
fn without_rows(command: &[u8], clients: u64, era: Era) -> Option<Vec<u8>> {
    let mut words = command.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let (name, mut words) = (words.next()?, words.collect::<Vec<_>>());
    let numbers: Vec<i64> = words.iter().copied().map(number).collect();
    let board = Board::default();
    let (_, reader) = fit(name, &numbers, era, &board)?;
    let goes = |span: &&Span| (0..SLOTS).contains(&span.client) && clients >> span.client & 1 == 1;
    let gone: Vec<&Span> = reader.spans.iter().filter(goes).collect();
    let at = |left: usize| numbers.len().saturating_sub(left);
    let count = at(gone.first()?.count);
    let left = numbers.get(count)?.checked_sub(i64::try_from(gone.len()).ok()?).filter(|left| *left > 0);
    let Some(left) = left.map(|left| left.to_string()) else { return Some(Vec::new()) };
    *words.get_mut(count)? = left.as_bytes();
    for span in gone.iter().rev() {
        words.drain(at(span.from)..at(span.to));
    }
    words.insert(0, name);
    Some(words.join(&b' '))
}

/// True where the kills of a duel are told with the suicides: some versions of protocol 91 do so, 73, 90 and the last
/// versions of 91 do not. The command itself tells: whoever dies is killed by the other or loses a point, so
/// score + deaths of each of the two are the kills of both. Kills that are more than that have suicides among them.
/// A score may be less than the rule has it (a forfeit, a change of teams), so it is the greater sum that counts.
fn suicides_among_kills(told: &[ReportedNumber], board: &Board) -> bool {
    let all = |name: &str| -> Vec<(i64, i64)> {
        let of_player = |t: &&ReportedNumber| t.of == Subject::Player && t.name == name;
        told.iter().filter(of_player).filter_map(|t| Some((t.client?, t.value))).collect()
    };
    let [(_, a), (_, b)] = *all("kills") else { return false };
    let scores = all("score");
    let score = |client| scores.iter().find(|(of, _)| *of == client).map(|(_, n)| *n).or_else(|| board.score(client));
    let sums = all("deaths").into_iter().filter_map(|(client, deaths)| Some(score(client)?.saturating_add(deaths)));
    sums.max().is_some_and(|sum| a.saturating_add(b) > sum)
}

/// A whole number, thousandths of one that has a point (times in seconds have one), or 0.
fn number(word: &[u8]) -> i64 {
    let Ok(word) = std::str::from_utf8(word) else { return 0 };
    let whole = |text: &str| text.parse::<i32>().ok().map(i64::from);
    match word.split_once('.') {
        Some((units, parts)) if (1..=3).contains(&parts.len()) && parts.bytes().all(|b| b.is_ascii_digit()) => {
            let parts = whole(&format!("{parts:0<3}")).unwrap_or(0);
            whole(units)
                .map_or(0, |units| if word.starts_with('-') { units * 1000 - parts } else { units * 1000 + parts })
        }
        _ => whole(word).unwrap_or(0),
    }
}

/// Where the row of a player stands, and the word that says how many there are: as many words before the end.
struct Span {
    client: i64,
    count: usize,
    from: usize,
    to: usize,
}

struct Reader<'b> {
    words: std::slice::Iter<'b, i64>,
    era: Era,
    board: &'b Board,
    client: Option<i64>,
    /// It is not known of whom the words are.
    silent: bool,
    /// Numbers about all, which may tell how many others there are, and where they stand.
    known: Vec<(&'static str, i64, usize)>,
    told: Vec<ReportedNumber>,
    /// The clients of a scoreboard.
    rows: Option<Vec<i64>>,
    spans: Vec<Span>,
}

impl Reader<'_> {
    fn parts(&mut self, parts: &[LayoutPart]) -> Option<()> {
        parts.iter().try_for_each(|part| self.part(part))
    }

    fn part(&mut self, part: &LayoutPart) -> Option<()> {
        let of = |reader: &Self| if reader.client.is_some() { Subject::Player } else { Subject::Game };
        match *part {
            LayoutPart::Words(names) => names.split_whitespace().try_for_each(|name| self.word(of(self), name)),
            LayoutPart::Team(team, names) => {
                names.split_whitespace().try_for_each(|name| self.word(Subject::Team(team), name))
            }
            LayoutPart::Weapons(first, last, names) => {
                (first..=last).try_for_each(|n| self.group(Subject::Weapon(n), names))
            }
            LayoutPart::WeaponsOf(mask, names) => {
                self.bits(mask).try_for_each(|n| self.group(Subject::Weapon(n), names))
            }
            LayoutPart::PowerupsOf(mask, names) => {
                self.bits(mask).try_for_each(|n| self.group(Subject::Powerup(n), names))
            }
            LayoutPart::Players(count, parts) => {
                let (number, at) = self.known(count);
                if !(0..=SLOTS).contains(&number) {
                    return None;
                }
                let mut rows = Vec::new();
                for _ in 0..number {
                    let from = self.words.len();
                    self.parts(parts)?;
                    let to = self.words.len();
                    rows.extend(self.client);
                    self.spans.extend(self.client.map(|client| Span { client, count: at, from, to }));
                }
                if count == "players" {
                    self.rows = Some(rows);
                }
                Some(())
            }
            LayoutPart::Rows(parts) => {
                for row in 0..SLOTS {
                    if self.words.clone().next().is_none() {
                        break;
                    }
                    self.row(row);
                    self.parts(parts)?;
                }
                Some(())
            }
            LayoutPart::Duel(parts) => {
                for row in self.board.duel() {
                    if self.words.clone().next().is_none() {
                        break;
                    }
                    let mut ahead = self.words.clone();
                    self.client = Some(row.client);
                    self.silent = ahead.next() != Some(&row.ping) || ahead.nth(2) != Some(&row.accuracy);
                    self.parts(parts)?;
                }
                // Of whom there is no scoreboard, nobody knows whose the words are.
                while self.words.clone().next().is_some() {
                    self.silent = true;
                    self.parts(parts)?;
                }
                Some(())
            }
            LayoutPart::Open(names) => {
                let _ = names.split_whitespace().try_for_each(|name| self.word(of(self), name));
                self.words.by_ref().for_each(drop);
                Some(())
            }
            LayoutPart::Others(words) => (self.words.by_ref().count() % words == 0).then_some(()),
            LayoutPart::Of(eras) => eras.contains(&self.era).then_some(()),
        }
    }

    /// What follows is about the player in a row of the scoreboard.
    fn row(&mut self, row: i64) {
        self.client = usize::try_from(row).ok().and_then(|row| self.board.0.get(row)).map(|row| row.client);
        self.silent = self.client.is_none();
    }

    fn group(&mut self, of: Subject, names: &'static str) -> Option<()> {
        names.split_whitespace().try_for_each(|name| self.word(of, name))
    }

    fn known(&self, name: &str) -> (i64, usize) {
        self.known.iter().rev().find(|(known, ..)| *known == name).map_or((0, 0), |(_, value, at)| (*value, *at))
    }

    /// The bits that are set in a number.
    fn bits(&self, name: &str) -> impl Iterator<Item = usize> + use<> {
        let mask = self.known(name).0 as u32;
        (0..32).filter(move |n| mask >> n & 1 == 1)
    }

    fn word(&mut self, of: Subject, name: &'static str) -> Option<()> {
        let at = self.words.len();
        let value = *self.words.next()?;
        match name {
            "row" => {
                self.row(value);
                return Some(());
            }
            "eyes" => {
                self.silent |= self.client != Some(value);
                return Some(());
            }
            "best_weapon" => return (0..WEAPONS).contains(&value).then_some(()),
            _ => {}
        }
        let mut tell = |name: &'static str, value: i64| match name {
            "-" | "" => {}
            "client" => self.client = Some(value),
            _ if self.silent => {}
            _ => {
                if matches!(name, "players" | "mates" | "weapons" | "held") {
                    self.known.push((name, value, at));
                }
                self.told.push(ReportedNumber { client: self.client, of, name, value });
            }
        };
        match name.split_once(':') {
            Some((low, high)) => {
                tell(low, value & 0xFFFF);
                tell(high, value >> 16 & 0xFFFF);
            }
            None => tell(name, value),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &[u8], board: &mut Board) -> Option<(&'static str, Vec<ReportedNumber>)> {
        super::read(command, Era::LaterQuakeLive, board)
    }

    fn find(command: &str, client: Option<i64>, of: Subject, name: &str) -> Option<i64> {
        let (_, told) = read(command.as_bytes(), &mut Board::default())?;
        told.iter().find(|t| (t.client, t.of, t.name) == (client, of, name)).map(|t| t.value)
    }

    /// A command of CPMA at the end of a duel: the rocket launcher is weapon 5.
    #[test]
    fn masks_tell_how_many_weapons_follow() {
        let line = "mstats 2 238 0 0 0 0 0 1 32 182 0 1 0 3 4 32 0 2 6 1 53 221 9 8 36 14 28 138 4 8 13 1 16 45 3 6 21 7 \
                    4480 5284 1710 840 0 0 16 0 0 2 abbfbabqaaaa 15 16 25 2 1 0 0 2636 11 0 0 0 0";
        let rocket = |name| find(line, Some(2), Subject::Weapon(5), name);
        assert_eq!(
            ["hits", "shots", "kills", "deaths", "pickups", "drops"].map(rocket),
            [53, 221, 9, 8, 36, 14].map(Some)
        );
        let player = |name| find(line, Some(2), Subject::Player, name);
        assert_eq!(player("yellow_armor"), Some(16));
        assert_eq!(["score", "weapon_kills", "weapon_deaths", "own_deaths"].map(player), [15, 16, 25, 2].map(Some));
        // A weapon less than the mask says.
        assert_eq!(read(b"mstats 2 238 0 0 0 0 0 1", &mut Board::default()), None);
    }

    /// The counts of words that real commands have, by the number of players.
    #[test]
    fn scoreboards_have_so_many_words() {
        for (command, count, head, each) in [
            ("scores", 0, 4, 6),
            ("scores", 0, 4, 14),
            ("scores", 0, 5, 15),
            ("scores", 0, 4, 18),
            ("ratscores", 0, 5, 21),
            ("ratscores1", 1, 7, 17),
            ("scores_duel", 0, 2, 91),
            ("scores_duel", 0, 2, 86),
            ("scores_tdm", 28, 32, 16),
            ("scores_tdm", 28, 32, 15),
            ("scores_ctf", 34, 38, 19),
            ("scores_ctf", 34, 38, 17),
            ("scores_ca", 0, 4, 17),
            ("scores_ca", 0, 4, 16),
            ("scores_ft", 28, 32, 18),
            ("scores_ft", 28, 32, 17),
            ("scores_rr", 0, 4, 19),
            ("scores_rr", 0, 4, 18),
            ("rrscores", 0, 4, 19),
            ("scores_ffa", 0, 4, 18),
            ("smscores", 0, 4, 8),
            ("xscores", 0, 2, 7),
            ("tinfo", 0, 2, 6),
        ] {
            let mut words = vec!["7".to_owned(); head - 1 + 2 * each];
            words[count] = "2".to_owned();
            let line = format!("{command} {}", words.join(" "));
            let (_, told) =
                read(line.as_bytes(), &mut Board::default()).unwrap_or_else(|| panic!("{command} {head} + 2 * {each}"));
            assert!(told.iter().any(|t| t.client == Some(7) && t.of == Subject::Player), "{command}");
            assert_eq!(read(format!("{line} 7").as_bytes(), &mut Board::default()), None, "{command}");
        }
    }

    /// Protocol 91: words of a free for all and of a player in a game with flags, by their places.
    #[test]
    fn words_have_their_places() {
        let line = "scores_ffa 1 0 0 7 25 48 11 33 2 1 3 4 5 0 6 1 26 14 5 41 3900";
        let player = |name| find(line, Some(7), Subject::Player, name);
        let names =
            ["score", "ping", "minutes", "accuracy", "impressive", "captures", "kills", "deaths", "damage_given"];
        assert_eq!(names.map(player), [25, 48, 11, 33, 2, 6, 26, 14, 3900].map(Some));
        let line = "smscores 1 3 2 7 25 48 11 0 1 26 14";
        assert_eq!(["kills", "deaths"].map(|name| find(line, Some(7), Subject::Player, name)), [26, 14].map(Some));
        let line = format!("scores_ctf{} 1 3 2 7 1 60 48 11 26 14 33 5 2 1 3 4 5 6 0 1", " 0".repeat(34));
        let player = |name| find(&line, Some(7), Subject::Player, name);
        let names = ["score", "deaths", "accuracy", "impressive", "defends", "assists", "captures"];
        assert_eq!(names.map(player), [60, 14, 33, 2, 4, 5, 6].map(Some));
    }

    /// WolfcamQL skips a word of each player up to protocol 90, and reads on behind the players. Three with twelve words
    /// behind could be of either kind.
    #[test]
    fn races_have_rows_of_others() {
        let told = |line: &str, era| {
            let (_, told) = super::read(line.as_bytes(), era, &mut Board::default())?;
            let scores = told.iter().filter(|t| t.name == "score");
            Some(scores.map(|t| (t.client.unwrap(), t.value)).collect::<Vec<_>>())
        };
        let three = Some(vec![(6, 31_250), (0, 45_000), (2, 39_125)]);
        let old = "scores_race 3 6 0 31250 22 7 0 0 45000 30 7 2 0 39125 20 7";
        let new = "scores_race 3 6 31250 22 7 0 45000 30 7 2 39125 20 7";
        for (line, era, row) in [(old, Era::QuakeLive, " 4 3 -1 20 7"), (new, Era::LaterQuakeLive, " 4 -1 20 7")] {
            for more in 0..5 {
                assert_eq!(told(&format!("{line}{}", row.repeat(more)), era), three, "{line} {more}");
            }
            assert_eq!(told(&format!("{line} 7"), era), None);
        }
        assert_eq!([told(old, Era::LaterQuakeLive), told(new, Era::QuakeLive)], [None, None]);
    }

    #[test]
    fn duels_end_with_two_names() {
        let names = |text: &'static str| duel_ends(text.as_bytes()).map(|names| names.map(<[u8]>::to_vec));
        let two = |a: &str, b: &str| Some([a, b].map(|name| name.as_bytes().to_vec()));
        assert_eq!(names("duelendscores \"^1a b\" \"c\" 0"), two("^1a b", "c"));
        assert_eq!(names("duelendscores a b 1"), two("a", "b"));
        assert_eq!(
            (names("duelendscores a"), names("duelendscores \"\" b"), names("xstats2a 0 1")),
            (None, None, None)
        );
    }

    #[test]
    fn osp_packs_two_numbers_in_a_word() {
        let line = "statsinfo 1 13 0 14 11 1 0 0 4287 4427 137953281 84541440 0 0 0 0 0 3 0 0 35  428 72 256 3 2 65545 \
                    655459 1 0 131116 1573047 7 2 131086 852021 3 5 1 262158 0 2";
        let shotgun = |name| find(line, None, Subject::Weapon(3), name);
        assert_eq!(["hits", "shots", "drops", "pickups"].map(shotgun), [9, 99, 1, 10].map(Some));
        assert_eq!(find(line, None, Subject::Game, "armor_taken"), Some(2105));
        assert_eq!(find(line, None, Subject::Game, "yellow_armor"), Some(35));
    }

    /// What a command says of players by number, behind a scoreboard of the clients 5, 3 and 8.
    fn behind(line: &str, name: &str) -> Vec<(i64, i64)> {
        let mut board = Board::default();
        let player = |client: i64| format!("{client} 10 50 4 0 0 30 1 0 0 2 0 0 0 1 9 6 5");
        read(format!("scores 3 7 4 {} {} {}", player(5), player(3), player(8)).as_bytes(), &mut board).unwrap();
        // What a player is told of the team is no scoreboard.
        read(b"tinfo 1 8 0 100 0 5 0", &mut board).unwrap();
        let (_, told) = read(line.as_bytes(), &mut board).unwrap_or_else(|| panic!("{line}"));
        told.iter()
            .filter(|t| t.of == Subject::Player && t.name == name)
            .map(|t| (t.client.unwrap(), t.value))
            .collect()
    }

    /// Quake Live before it had a scoreboard for each kind of game: rows of the scoreboard that came before.
    #[test]
    fn rows_are_those_of_the_scoreboard() {
        let stats = "ctfstats 1 2 4730 3105 1 2 3 4 5 6 7 8 9";
        assert_eq!(behind(stats, "damage_given"), [(3, 4730)]);
        assert_eq!(behind(stats, "megahealth"), [(3, 4)]);
        assert_eq!(behind(stats, "invisibility"), [(3, 9)]);
        // Rows that the scoreboard has not are left over from others.
        assert_eq!(behind("ctfstats 3 0 3774 3479 0 0 0 0 0 0 0 0 0", "damage_given"), []);
        assert_eq!(behind("ctfstats -1 0 3774 3479 0 0 0 0 0 0 0 0 0", "damage_given"), []);
        let stats = "tdmstats 0 1 2 3 4000 3500 5 6 7 8 9 10";
        assert_eq!((behind(stats, "team_kills"), behind(stats, "damage_taken")), (vec![(5, 2)], vec![(5, 3500)]));
        assert_eq!(behind(&format!("{stats}{}", " 7".repeat(5)), "quad"), [(5, 9)]);
        // Accuracy and kills of 13 weapons, and of 14.
        for weapons in [13, 14] {
            let stats = format!("castats 2 900 800{}", " 33 4".repeat(weapons));
            assert_eq!(
                (behind(&stats, "damage_given"), behind(&stats, "damage_taken")),
                (vec![(8, 900)], vec![(8, 800)])
            );
        }
        // Whoever looks through the eyes of another is told as that one: the third here.
        let teams = "1 2 3 4 5 6 70 80 11 12 13 14 15 16 170 180";
        let line = format!("tdmscores {teams} 5 1 2 0 4000 3 2 1 1 3000 5 3 9 9 1");
        assert_eq!(behind(&line, "damage_given"), [(5, 4000), (3, 3000)]);
        assert_eq!(behind(&line, "team_kills"), [(5, 2), (3, 1)]);
        assert_eq!(find(&line, None, Subject::Team("red"), "quad"), Some(5));
        assert_eq!(find(&line, None, Subject::Team("blue"), "red_armor"), Some(11));
        assert_eq!(behind("cascores 5 1 0 1200 41 3 2 0 1100 39", "accuracy"), [(5, 41), (3, 39)]);
        let teams = "1 2 3 4 5 6 7 8 9 100 110 120 130 140";
        let line = format!("tdmscores2 {teams} {teams} 5 1 0 2 0 4000 3 2 1 1 1 3000");
        assert_eq!(behind(&line, "damage_given"), [(5, 4000), (3, 3000)]);
        assert_eq!(find(&line, None, Subject::Team("blue"), "invisibility"), Some(9));
        // Without a scoreboard nobody knows whose the rows are.
        assert!(!read(line.as_bytes(), &mut Board::default()).unwrap().1.iter().any(|t| t.of == Subject::Player));
    }

    /// 83 or 88 words for each of two: 13 or 14 weapons of five words, the rocket launcher is the fifth.
    #[test]
    fn duels_have_two_rows() {
        for (weapons, words) in [(13, 83), (14, 88)] {
            let player = |n: i64| {
                let mut words: Vec<i64> = (0..words).map(|word| n + word).collect();
                words[18 + 4 * 5..18 + 5 * 5].copy_from_slice(&[40 + n, 90 + n, 44, 3100 + n, 11 + n]);
                words.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
            };
            let line = format!("dscores {} {}", player(100), player(300));
            let row = |client, n| BoardRow { client, score: 7, ping: n, accuracy: n + 3 };
            let mut board = Board(vec![row(5, 300), row(3, 100), row(1, 40)]);
            let (_, told) = read(line.as_bytes(), &mut board).unwrap();
            let behind = |name| -> Vec<_> {
                let of = |t: &&ReportedNumber| t.of == Subject::Player && t.name == name;
                told.iter().filter(of).map(|t| (t.client.unwrap(), t.value)).collect()
            };
            assert_eq!(behind("ping"), [(3, 100), (5, 300)], "{weapons}");
            assert_eq!(behind("damage_given"), [(3, 104), (5, 304)]);
            assert_eq!(behind("megahealth"), [(3, 116), (5, 316)]);
            let of = |name| told.iter().find(|t| t.client == Some(5) && t.of == Subject::Weapon(5) && t.name == name);
            assert_eq!(["shots", "damage"].map(|name| of(name).unwrap().value), [390, 3400]);
            assert_eq!(told.iter().filter(|t| t.name == "hits").count(), 2 * weapons);
            // A row of another ping, or accuracy, is about somebody else.
            for other in [BoardRow { ping: 99, ..row(3, 100) }, BoardRow { accuracy: 99, ..row(3, 100) }] {
                let (_, told) = read(line.as_bytes(), &mut Board(vec![row(5, 300), other])).unwrap();
                assert!(told.iter().all(|t| t.client == Some(5)) && !told.is_empty());
            }
            let alone = read(line.as_bytes(), &mut Board(vec![row(3, 100)])).unwrap().1;
            assert!(alone.iter().all(|t| t.client == Some(3)) && !alone.is_empty());
        }
    }

    /// `scores_duel` of the clients 4 and 6, with score, kills and deaths of each; 2 kills with the rocket launcher.
    fn duel(players: [(i64, i64, i64); 2]) -> Vec<ReportedNumber> {
        let row = |client: i64, (score, kills, deaths): (i64, i64, i64)| {
            let rocket = |weapon| if weapon == 5 { " 9 30 30 500 2" } else { " 0 0 0 0 0" };
            let weapons: String = (1..=14).map(rocket).collect();
            format!("{client} {score} 20 10 {kills} {deaths} 33 5 2500 1 2 0 0 7 3.68 4 12.5 0 0.00 3 1.25{weapons}")
        };
        let line = format!("scores_duel 2 {} {}", row(4, players[0]), row(6, players[1]));
        read(line.as_bytes(), &mut Board::default()).unwrap().1
    }

    #[test]
    fn kills_of_duels_are_told_with_suicides_or_without() {
        let names = |told: &[ReportedNumber]| {
            let kills = |t: &&ReportedNumber| t.name.starts_with("kills") && t.value > 0;
            let mut names: Vec<_> = told.iter().filter(kills).map(|t| t.name).collect();
            names.dedup();
            names
        };
        // 15 and 9 kills; one suicide and three.
        assert_eq!(names(&duel([(14, 15, 10), (6, 9, 18)])), ["kills"]);
        assert_eq!(names(&duel([(14, 16, 10), (6, 12, 18)])), ["kills_and_suicides"]);
        // Nobody killed himself: both are the same.
        assert_eq!(names(&duel([(15, 15, 9), (9, 9, 15)])), ["kills"]);
        // The second gave up, and with that lost the score, or a point.
        assert_eq!(names(&duel([(1, 1, 4), (-999, 4, 1)])), ["kills"]);
        assert_eq!(names(&duel([(1, 1, 4), (3, 4, 1)])), ["kills"]);
        // Of one alone nobody knows.
        let line =
            format!("scores_duel 1 4 3 20 10 5 6 33 5 2500 1 2 0 0 7 3.68 4 12.5 0 0.00 3 1.25{}", " 0".repeat(70));
        assert_eq!(find(&line, Some(4), Subject::Player, "kills"), Some(5));
        let told = duel([(15, 15, 9), (9, 9, 15)]);
        let delay = |name| told.iter().find(|t| t.client == Some(4) && t.name == name).map(|t| t.value);
        assert_eq!(
            ["red_armor_delay", "yellow_armor_delay", "megahealth_delay"].map(delay),
            [3680, 12_500, 1250].map(Some)
        );
    }

    /// The end of an attack and defend: 13 to 15, as the scoreboard behind it says.
    #[test]
    fn scores_of_turns() {
        for name in ["adscores", "scores_ad"] {
            let line = format!("{name} 1 0 2 3 0 1 0 0 0 1 3 0 2 1 1 3 0 3 1 2 13 15");
            assert_eq!(["red", "blue"].map(|side| find(&line, None, Subject::Game, side)), [Some(13), Some(15)]);
        }
        let line = "ctfscores 0 0 0 0 0 0 0 0 0 5 0 0 0 0 0 0 35 0 0 0 0 0 0 0 0 0 7 0 0 0 0 0 0 124 2 1 1 0 1 1";
        assert_eq!(find(line, None, Subject::Team("red"), "flag"), Some(5));
        assert_eq!(find(line, None, Subject::Team("blue"), "flag"), Some(7));
        let line = "rrscores 1 6 4 7 120 9 48 11 0 0 33 2 1 1 0 3 0 0 1 21 15 7";
        let player = |name| find(line, Some(7), Subject::Player, name);
        assert_eq!(
            ["score", "ping", "accuracy", "assists", "kills", "deaths"].map(player),
            [120, 48, 33, 3, 21, 15].map(Some)
        );
    }

    #[test]
    fn a_board_without_some_players() {
        let left = |line: &str, clients: &[u32]| {
            let clients = clients.iter().fold(0, |all, client| all | 1 << client);
            String::from_utf8(super::without(line.as_bytes(), clients, Era::Arena).into_owned()).unwrap()
        };
        let [ace, bob] = ["2 12 50 4 0 0 30 1 0 0 0 0 0 0", "3 -1 999 4 0 0 30 1 0 0 0 0 0 0"];
        let board = format!("scores 2 7 3 {ace} {bob}");
        assert_eq!(left(&board, &[2]), format!("scores 1 7 3 {bob}"));
        assert_eq!(left(&board, &[3]), format!("scores 1 7 3 {ace}"));
        assert_eq!(left(&format!("scores 1 7 3 {ace}"), &[2]), "");
        assert_eq!(left(&board, &[2, 3]), "");
        assert_eq!(left(&board, &[3, 4]), format!("scores 1 7 3 {ace}"));
        assert_eq!(left(&board, &[4]), board);
        // How many there are stands behind what is told of the teams.
        let [ace, bob] = ["2 12 50 11 26 14 33 5 2 1 3 4 5 6 7 8", "3 9 48 11 26 14 33 5 2 1 3 4 5 6 7 8"];
        let teams = format!("scores_tdm{}", " 0".repeat(28));
        assert_eq!(left(&format!("{teams} 2 7 3 {ace} {bob}"), &[3]), format!("{teams} 1 7 3 {ace}"));
        assert_eq!(left("tinfo 2 6 3 125 50 5 2 1 4 100 0 2 0", &[6]), "tinfo 1 1 4 100 0 2 0");
        for other in ["mstats 2 0", "scores 2 7 3 2 12", "print 2", ""] {
            assert_eq!(left(other, &[2]), other);
        }
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        for line in ["scores", "scores 1 0 0 2 9", "scores 99 0 0", "scores -1 0 0", "print 1", "xstats1 1 -1 5", ""] {
            assert_eq!(read(line.as_bytes(), &mut Board::default()), None, "{line}");
        }
        assert_eq!(read("scores 0 0 0 ".repeat(2000).as_bytes(), &mut Board::default()), None);
    }
}
