//! From the tree of a query to a condition in SQL. Values are bound, never written into it.

use rusqlite::types::Value;

use super::keys::{Frags, Of, Players, Unit};
use super::normal::any;
use super::parse::{Node, QueryError, Sign, Term};
use super::value;
use crate::database::{FOLDED, folded};
use crate::schema::LINE_BITS;

/// A condition, and what is bound in it, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Condition {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

impl Condition {
    pub(super) fn new(sql: impl Into<String>) -> Self {
        Condition { sql: sql.into(), values: Vec::new() }
    }

    pub(super) fn with(sql: impl Into<String>, value: impl Into<Value>) -> Self {
        Condition { sql: sql.into(), values: vec![value.into()] }
    }

    /// All of them; what is always true where there are none.
    pub(crate) fn all(parts: impl IntoIterator<Item = Condition>) -> Self {
        Condition::joined(parts, " AND ", "1")
    }

    pub(super) fn any(parts: impl IntoIterator<Item = Condition>) -> Self {
        Condition::joined(parts, " OR ", "0")
    }

    fn joined(parts: impl IntoIterator<Item = Condition>, word: &str, empty: &str) -> Self {
        let (mut sql, mut values): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
        for part in parts {
            sql.push(part.sql);
            values.extend(part.values);
        }
        match sql.len() {
            0 => Condition::new(empty),
            1 => Condition { sql: sql.remove(0), values },
            _ => Condition { sql: format!("({})", sql.join(word)), values },
        }
    }

    /// Puts SQL around it.
    pub(crate) fn within(self, before: &str, after: &str) -> Self {
        Condition { sql: format!("{before}{}{after}", self.sql), values: self.values }
    }
}

pub(super) type Made = Result<Condition, QueryError>;

/// Makes conditions of queries.
pub(crate) struct Maker<'q> {
    pub(crate) query: &'q str,
}

/// What is asked of one player: rows of several tables that must have the same name.
#[derive(Default)]
pub(super) struct Group<'t> {
    pub(super) player: Option<&'t Term>,
    pub(super) terms: Vec<&'t Term>,
    /// What must not be so of that player.
    denied: Vec<&'t Node>,
}

impl Group<'_> {
    pub(super) fn has(&self, is: fn(Of) -> bool) -> bool {
        self.terms.iter().any(|term| is(term.key.of))
    }
}

impl Maker<'_> {
    /// The condition of a row `d` of `demos`.
    pub(crate) fn of(&self, node: &Node) -> Made {
        match node {
            Node::Term(_) => self.of_all(std::slice::from_ref(node)),
            Node::Not(node) => Ok(not(self.of(node)?)),
            Node::Or(nodes) => {
                Ok(Condition::any(nodes.iter().map(|node| self.of(node)).collect::<Result<Vec<_>, _>>()?))
            }
            Node::And(nodes) => self.of_all(nodes),
        }
    }

    /// The condition of what stands side by side, of which some is about the same player.
    fn of_all(&self, nodes: &[Node]) -> Made {
        let mut all = Vec::new();
        for group in groups(nodes) {
            all.extend(self.group(&group)?);
        }
        all.extend(self.of_recording(nodes)?);
        for node in nodes.iter().filter(|node| as_term(node).is_none() && denied_of_player(node).is_none()) {
            all.push(self.of(node)?);
        }
        Ok(Condition::all(all))
    }

    /// The conditions of a row `d` of `demos` by the terms that are about no player.
    fn of_recording(&self, nodes: &[Node]) -> Result<Vec<Condition>, QueryError> {
        let mut all = Vec::new();
        let terms = || nodes.iter().filter_map(as_term);
        let speakers: Vec<_> = terms().filter(|term| term.key.of == Of::Speaker).collect();
        let lines: Vec<_> = terms().filter(|term| term.key.of == Of::Chat).collect();
        for line in &lines {
            all.push(self.chat(Some(line), &speakers)?);
        }
        if lines.is_empty() && !speakers.is_empty() {
            all.push(self.chat(None, &speakers)?);
        }
        for term in terms() {
            all.extend(self.alone(term)?);
        }
        Ok(all)
    }

    /// A term that is about the recording as a whole.
    fn alone(&self, term: &Term) -> Result<Option<Condition>, QueryError> {
        Ok(Some(match term.key.of {
            Of::File => {
                self.only_is(term)?;
                in_path(&value::part(&term.value))
            }
            Of::Found(kind) => {
                self.only_is(term)?;
                found_in(&[kind], &value::part(&term.value), Some(&term.value))
            }
            Of::Whole(kind) => {
                self.only_is(term)?;
                found_in(&[kind], &value::whole(&term.value), None)
            }
            Of::Start(column) => {
                self.only_is(term)?;
                Condition::with(format!("d.\"{column}\" LIKE ? ESCAPE '\\'"), value::start(&term.value))
            }
            Of::Number(column, unit) => self.number(term, &format!("d.\"{column}\""), unit)?,
            Of::Date(dates) => self.date(term, dates)?,
            Of::Winner => {
                self.only_is(term)?;
                named("m.winner", "team", &term.value).within("d.id IN (SELECT m.demo FROM matches m WHERE ", ")")
            }
            Of::Copies => {
                let count = self.number(term, "count(*)", Unit::Plain)?;
                copies(count)
            }
            Of::Is => self.state(term)?,
            Of::Any => {
                let value = value::part(&term.value);
                let words = found_in(&["name", "map", "team"], &value, Some(&term.value));
                Condition::any([words, in_path(&value), self.chat(Some(term), &[])?])
            }
            Of::Player(_) | Of::Frag(_) | Of::Kills | Of::Chat | Of::Speaker | Of::Highlight => return Ok(None),
        }))
    }

    fn state(&self, term: &Term) -> Made {
        self.only_is(term)?;
        Ok(Condition::new(match term.value.to_ascii_lowercase().as_str() {
            "error" | "broken" => "d.error IS NOT NULL",
            "damaged" | "faulty" => "d.faults > 0",
            "vanished" | "gone" => VANISHED,
            "duplicate" | "copy" => return Ok(copies(Condition::new("count(*) > 1"))),
            _ => return Err(self.error(term, "this is none of error, damaged, vanished, duplicate")),
        }))
    }

    /// What is asked of one player, or of anybody.
    fn group(&self, group: &Group<'_>) -> Result<Vec<Condition>, QueryError> {
        let mut all = self.occurs(group)?;
        if group.player.is_some() {
            let player = self.player(group, "p")?;
            all.push(player.within("EXISTS (SELECT 1 FROM players p WHERE p.demo = d.id AND ", ")"));
            return Ok(all);
        }
        if group.has(Of::is_score) {
            // All rows are looked through first: few recordings have such a score.
            all.push(self.anybody(&group.terms, "p")?.within("d.id IN (SELECT p.demo FROM players p WHERE ", ")"));
        }
        all.extend(self.deeds(&group.terms, None)?);
        for node in &group.denied {
            all.push(not(self.of(node)?));
        }
        Ok(all)
    }

    /// The words that must occur: most recordings are ruled out by these alone, and quickly.
    fn occurs(&self, group: &Group<'_>) -> Result<Vec<Condition>, QueryError> {
        let none_will_do = self.none_will_do(&group.terms)?;
        let words = group.player.iter().chain(&group.terms).filter_map(|term| {
            let kind = match term.key.of {
                Of::Player(Players::Name | Players::Spectator) => "name",
                Of::Frag(Frags::Weapon) if !none_will_do => "weapon",
                Of::Frag(Frags::Attacker | Frags::Victim) if !none_will_do => "name",
                Of::Highlight => "highlight",
                _ => return None,
            };
            Some(self.only_is(term).map(|()| found_in(&[kind], &value::part(&term.value), Some(&term.value))))
        });
        words.collect()
    }

    /// True where so few kills are asked for that none at all is enough: neither that weapon nor that victim need occur.
    fn none_will_do(&self, terms: &[&Term]) -> Result<bool, QueryError> {
        let mut kills = terms.iter().filter(|term| term.key.of == Of::Kills).peekable();
        let mut so = kills.peek().is_some();
        for term in kills {
            so &= self.wanted(term, Unit::Plain)?.holds(0);
        }
        Ok(so)
    }

    /// The condition of a row of `players`, called `row`, by all that is asked of that player.
    pub(super) fn player(&self, group: &Group<'_>, row: &str) -> Made {
        let mut all = Vec::new();
        if let Some(term) = group.player {
            self.only_is(term)?;
            all.push(named(&format!("{row}.name"), "name", &term.value));
            let watches = term.key.of == Of::Player(Players::Spectator);
            all.push(Condition::new(format!("{row}.spectator = {}", u8::from(watches))));
        }
        all.push(self.of_player(&group.terms, row)?);
        for node in &group.denied {
            all.push(not(self.about(node, row)?));
        }
        Ok(Condition::all(all))
    }

    /// The condition of a row of `players` by a part of a query that names no player of its own.
    fn about(&self, node: &Node, row: &str) -> Made {
        let nodes = match node {
            Node::Not(node) => return Ok(not(self.about(node, row)?)),
            Node::Or(nodes) => {
                let any = nodes.iter().map(|node| self.about(node, row)).collect::<Result<Vec<_>, _>>()?;
                return Ok(Condition::any(any));
            }
            Node::Term(_) => std::slice::from_ref(node),
            Node::And(nodes) => nodes,
        };
        let terms: Vec<_> = nodes.iter().filter_map(as_term).filter(|term| term.key.of.is_told_of_player()).collect();
        let mut all = vec![self.of_player(&terms, row)?];
        all.extend(self.of_recording(nodes)?);
        for node in nodes.iter().filter(|node| as_term(node).is_none()) {
            all.push(self.about(node, row)?);
        }
        Ok(Condition::all(all))
    }

    /// The condition of a row of `players`, called `row`, by terms that tell something of that player.
    fn of_player(&self, terms: &[&Term], row: &str) -> Made {
        let mut all = vec![self.score(terms, row)?];
        all.extend(self.deeds(terms, Some(row))?);
        Ok(Condition::all(all))
    }

    /// The condition of a row of `players`, called `row`, who may be anybody who played.
    pub(super) fn anybody(&self, terms: &[&Term], row: &str) -> Made {
        // Servers give a number to those who watch, too: QuakeWorld's -999.
        let plays = Condition::new(format!("{row}.spectator = 0"));
        Ok(Condition::all([plays, self.score(terms, row)?]))
    }

    /// Team and score of a row of `players`, called `row`.
    fn score(&self, terms: &[&Term], row: &str) -> Made {
        let mut all = Vec::new();
        for term in terms {
            match term.key.of {
                Of::Player(Players::Team) => {
                    self.only_is(term)?;
                    all.push(named(&format!("{row}.team"), "team", &term.value));
                }
                Of::Player(Players::Score) => {
                    all.push(self.number(term, &format!("{row}.frags"), Unit::Plain)?);
                }
                _ => {}
            }
        }
        Ok(Condition::all(all))
    }

    /// What somebody did in a recording: deaths and highlights of the player of a row of `players`, or of anybody.
    fn deeds(&self, terms: &[&Term], row: Option<&str>) -> Result<Vec<Condition>, QueryError> {
        let of_row = |column: &str| row.map(|row| Condition::new(format!("{column} = {row}.name")));
        let mut all = Vec::new();
        let frags: Vec<_> = terms.iter().copied().filter(|term| term.key.of.is_frag()).collect();
        if !frags.is_empty() {
            let rows =
                Condition::all([self.deaths(&frags, row.is_some(), "f")?].into_iter().chain(of_row("f.attacker")));
            // A weapon alone, by which anybody killed, occurs or does not: that is asked before.
            let mut counted = row.is_none() && matches!(frags[..], [term] if term.key.of == Of::Frag(Frags::Weapon));
            for term in frags.iter().filter(|term| term.key.of == Of::Kills) {
                let kills = Condition::all([rows.clone(), Condition::new("f.frag_kind = 'kill'")]);
                let kills = kills.within("(SELECT count(*) FROM frags f WHERE f.demo = d.id AND ", ")");
                all.push(Condition::joined([kills, self.number(term, "", Unit::Plain)?], " ", ""));
                counted = true;
            }
            if !counted {
                all.push(rows.within("EXISTS (SELECT 1 FROM frags f WHERE f.demo = d.id AND ", ")"));
            }
        }
        let highlights: Vec<_> = terms.iter().copied().filter(|term| term.key.of.is_highlight()).collect();
        // So it is of a highlight alone.
        if highlights.len() > 1 || row.is_some() && !highlights.is_empty() {
            let rows = Condition::all([self.highlights(&highlights, "f")?].into_iter().chain(of_row("f.name")));
            all.push(rows.within("EXISTS (SELECT 1 FROM highlights f WHERE f.demo = d.id AND ", ")"));
        }
        Ok(all)
    }

    /// The condition of a row of `frags`, called `row`; `of_player`: by a player who is asked for besides.
    pub(super) fn deaths(&self, terms: &[&Term], of_player: bool, row: &str) -> Made {
        let named = |column: &str, kind: &str, term: &Term| named(&format!("{row}.{column}"), kind, &term.value);
        let mut all = Vec::new();
        for term in terms {
            match term.key.of {
                Of::Frag(Frags::Attacker) => all.push(named("attacker", "name", term)),
                Of::Frag(Frags::Victim) => all.push(named("victim", "name", term)),
                Of::Frag(Frags::Weapon) => {
                    all.push(Condition::any([named("weapon", "weapon", term), named("means", "weapon", term)]))
                }
                _ => continue,
            }
            self.only_is(term)?;
        }
        // Who died by oneself, or by the world, was killed by nobody.
        let names_somebody = |term: &&Term| matches!(term.key.of, Of::Frag(Frags::Attacker | Frags::Victim));
        if of_player || terms.iter().any(names_somebody) {
            all.push(Condition::new(format!("{row}.frag_kind NOT IN ('suicide', 'world')")));
        }
        Ok(Condition::all(all))
    }

    /// The condition of a row of `highlights`, called `row`.
    pub(super) fn highlights(&self, terms: &[&Term], row: &str) -> Made {
        let kinds = terms.iter().filter(|term| term.key.of.is_highlight()).map(|term| {
            self.only_is(term)?;
            Ok(named(&format!("{row}.highlight"), "highlight", &term.value))
        });
        Ok(Condition::all(kinds.collect::<Result<Vec<_>, _>>()?))
    }

    /// A line of chat, by its words and by who speaks.
    fn chat(&self, line: Option<&Term>, speakers: &[&Term]) -> Made {
        if let Some(line) = line.filter(|line| line.key.of == Of::Chat && value::has_lost_star(&line.value)) {
            return Err(self.error(line, "in chat * stands for the rest of the last word, and nowhere else"));
        }
        if let (Some(line), true) = (line, speakers.is_empty()) {
            if let Some(words) = value::words(&line.value) {
                self.only_is(line)?;
                let sql = format!("d.id IN (SELECT rowid >> {LINE_BITS} FROM chat_search WHERE chat_search MATCH ?)");
                return Ok(Condition::with(sql, words));
            }
        }
        Ok(self.line(line, speakers)?.within("d.id IN (SELECT r.demo FROM chat r WHERE ", ")"))
    }

    /// The condition of a row `r` of `chat`.
    pub(super) fn line(&self, line: Option<&Term>, speakers: &[&Term]) -> Made {
        let mut all = Vec::new();
        if let Some(line) = line {
            self.only_is(line)?;
            all.push(match value::words(&line.value) {
                Some(words) => {
                    Condition::with("r.id IN (SELECT rowid FROM chat_search WHERE chat_search MATCH ?)", words)
                }
                None => Condition::with("r.text LIKE ? ESCAPE '\\'", value::part(&line.value)),
            });
        }
        for speaker in speakers {
            self.only_is(speaker)?;
            all.push(named("r.speaker", "name", &speaker.value));
        }
        Ok(Condition::all(all))
    }

    pub(super) fn only_is(&self, term: &Term) -> Result<(), QueryError> {
        match term.sign {
            Sign::Is => Ok(()),
            _ => Err(self.error(term, format!("{} is no number; write it as in {}", term.key.name, term.key.example))),
        }
    }

    pub(super) fn error(&self, term: &Term, what: impl Into<String>) -> QueryError {
        QueryError::new(self.query, term.at.clone(), what)
    }
}

pub(super) fn as_term(node: &Node) -> Option<&Term> {
    match node {
        Node::Term(term) => Some(term),
        _ => None,
    }
}

/// Not so. What is not known is not so either: a server without a name has no part of it.
fn not(condition: Condition) -> Condition {
    condition.within("NOT ifnull(", ", 0)")
}

/// What must not be so of the player that it stands beside.
fn denied_of_player(node: &Node) -> Option<&Node> {
    match node {
        Node::Not(node) if any(node, Of::is_told_of_player) && !any(node, Of::is_player) => Some(node),
        _ => None,
    }
}

/// What stands behind a player is about that player, and what stands before the first one too.
pub(super) fn groups(nodes: &[Node]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = vec![Group::default()];
    for node in nodes {
        let Some(last) = groups.last_mut() else { break };
        if let Some(denied) = denied_of_player(node) {
            last.denied.push(denied);
        }
        let Some(term) = as_term(node) else { continue };
        match (term.key.of.is_player(), last.player) {
            (true, None) => last.player = Some(term),
            (true, Some(_)) => groups.push(Group { player: Some(term), ..Group::default() }),
            (false, _) if term.key.of.is_told_of_player() => last.terms.push(term),
            _ => {}
        }
    }
    groups.retain(|group| group.player.is_some() || !group.terms.is_empty() || !group.denied.is_empty());
    groups
}

/// A text that is like this, in either case. SQLite itself folds no letters but those of ASCII.
pub(super) fn like(column: &str, pattern: &str) -> Condition {
    match pattern.is_ascii() {
        true => Condition::with(format!("{column} LIKE ? ESCAPE '\\'"), pattern.to_owned()),
        false => Condition::with(format!("{FOLDED}({column}) LIKE ? ESCAPE '\\'"), folded(pattern)),
    }
}

/// A recording whose path is like this. Paths stand in that index, and in the table between much else.
fn in_path(pattern: &str) -> Condition {
    like("c.file", pattern).within("d.id IN (SELECT c.id FROM demos c INDEXED BY demos_by_file WHERE ", ")")
}

/// A recording that is there so many times; what is gone is no copy.
fn copies(count: Condition) -> Condition {
    // Along that index they stand together already.
    let before = format!(
        "d.sha256 IN (SELECT d.sha256 FROM demos d INDEXED BY demos_same \
         WHERE d.sha256 IS NOT NULL AND NOT {VANISHED} GROUP BY d.sha256 HAVING "
    );
    count.within(&before, ")")
}

/// A recording whose file is gone.
pub(crate) const VANISHED: &str =
    "d.id IN (SELECT c.id FROM demos c WHERE c.file_id IN (SELECT id FROM files WHERE vanished IS NOT NULL))";

/// A column with one of the words of a kind that have a part.
pub(super) fn named(column: &str, kind: &str, part: &str) -> Condition {
    words("word", &[kind], &value::part(part), Some(part)).within(&format!("{column} IN ("), ")")
}

/// A recording in which one of the words occurs.
fn found_in(kinds: &[&str], like: &str, part: Option<&str>) -> Condition {
    words("id", kinds, like, part).within("d.id IN (SELECT demo FROM found_in WHERE word IN (", "))")
}

/// Words of some kinds that are like this; where `part` is given, by the search for parts, if it is long enough.
fn words(column: &str, kinds: &[&str], like: &str, part: Option<&str>) -> Condition {
    let kinds = kinds.iter().map(|kind| format!("'{kind}'")).collect::<Vec<_>>().join(", ");
    let mut all = Vec::new();
    if let Some(part) = part.and_then(|part| value::searched(&folded(part))) {
        all.push(Condition::with("id IN (SELECT rowid FROM words_search WHERE words_search MATCH ?)", part));
    }
    all.push(Condition::with("folded LIKE ? ESCAPE '\\'", folded(like)));
    Condition::all(all).within(&format!("SELECT {column} FROM words WHERE kind IN ({kinds}) AND "), "")
}
