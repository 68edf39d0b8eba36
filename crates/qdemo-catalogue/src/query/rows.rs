//! Which rows of a table a query asks for, where it asks for rows: of the recordings that it finds.

use super::keys::Of;
use super::parse::{Node, QueryError, Term};
use super::sql::{Condition, Group, Made, Maker, as_term, groups, like, named};
use super::value;

impl Maker<'_> {
    /// The condition of a row `r` of a table, by what the query says of such rows, of a recording `d`; what is always true for other
    /// tables.
    pub(crate) fn rows(&self, node: &Node, table: &str) -> Made {
        Ok(self.said_of_rows(node, table)?.unwrap_or_else(|| Condition::new("1")))
    }

    /// The same; nothing where the query says nothing of such rows.
    fn said_of_rows(&self, node: &Node, table: &str) -> Result<Option<Condition>, QueryError> {
        match node {
            Node::Term(_) => self.rows_of_all(std::slice::from_ref(node), table),
            Node::Not(_) => Ok(None),
            Node::Or(nodes) => {
                let mut said = false;
                let mut any = Vec::new();
                for node in nodes {
                    let rows = self.said_of_rows(node, table)?;
                    said |= rows.is_some();
                    // Rows as an alternative wants them, in recordings that are found by it.
                    any.push(Condition::all(std::iter::once(self.of(node)?).chain(rows)));
                }
                Ok(said.then(|| Condition::any(any)))
            }
            Node::And(nodes) => {
                let mut all: Vec<_> = self.rows_of_all(nodes, table)?.into_iter().collect();
                for node in nodes.iter().filter(|node| as_term(node).is_none()) {
                    all.extend(self.said_of_rows(node, table)?);
                }
                Ok((!all.is_empty()).then(|| Condition::all(all)))
            }
        }
    }

    fn rows_of_all(&self, nodes: &[Node], table: &str) -> Result<Option<Condition>, QueryError> {
        let terms: Vec<_> = nodes.iter().filter_map(as_term).collect();
        if table == "chat" {
            if !terms.iter().any(|term| term.key.of.is_of_line()) {
                return Ok(None);
            }
            let speakers: Vec<_> = terms.iter().filter(|term| term.key.of == Of::Speaker).copied().collect();
            let mut lines: Vec<_> =
                terms.iter().filter(|term| term.key.of == Of::Chat).map(|line| Some(*line)).collect();
            if lines.is_empty() {
                lines.push(None);
            }
            let lines = lines.into_iter().map(|line| self.line(line, &speakers)).collect::<Result<Vec<_>, _>>()?;
            return Ok(Some(Condition::any(lines)));
        }
        // Of two maps that are asked for each level has one.
        let mut parts: Vec<(&str, Vec<Condition>)> = Vec::new();
        for term in terms {
            let Some(condition) = self.part(term, table)? else { continue };
            match parts.iter_mut().find(|(name, _)| *name == term.key.name) {
                Some((_, same)) => same.push(condition),
                None => parts.push((term.key.name, vec![condition])),
            }
        }
        let mut all: Vec<_> = parts.into_iter().map(|(_, same)| Condition::any(same)).collect();
        let mut any = Vec::new();
        for group in groups(nodes) {
            any.extend(self.rows_of(&group, table)?);
        }
        if !any.is_empty() {
            all.push(Condition::any(any));
        }
        Ok((!all.is_empty()).then(|| Condition::all(all)))
    }

    /// The condition of a row `r` of a table by what is asked of one player, or of anybody.
    fn rows_of(&self, group: &Group<'_>, table: &str) -> Result<Option<Condition>, QueryError> {
        let (rows, name, says) = match table {
            "players" if group.player.is_some() => return self.player(group, "r").map(Some),
            "players" if group.has(Of::is_score) => return self.anybody(&group.terms, "r").map(Some),
            "frags" => (self.deaths(&group.terms, group.player.is_some(), "r")?, "attacker", group.has(Of::is_frag)),
            "highlights" => (self.highlights(&group.terms, "r")?, "name", group.has(Of::is_highlight)),
            "runs" => (Condition::all([]), "name", false),
            _ => return Ok(None),
        };
        if group.player.is_none() {
            return Ok(says.then_some(rows));
        }
        let players = format!("r.{name} IN (SELECT p.name FROM players p WHERE p.demo = d.id AND ");
        Ok(Some(Condition::all([rows, self.player(group, "p")?.within(&players, ")")])))
    }

    /// The condition of a row `r` of a table of parts, by a term about the recording as a whole that says something of it.
    fn part(&self, term: &Term, table: &str) -> Result<Option<Condition>, QueryError> {
        let column = match (term.key.of, table) {
            (Of::Winner, "matches") => {
                self.only_is(term)?;
                return Ok(Some(named("r.winner", "team", &term.value)));
            }
            // The folder of a mod is told of the recording.
            (Of::Found("mod"), "matches") => {
                self.only_is(term)?;
                let pattern = value::part(&term.value);
                return Ok(Some(Condition::any(["r.mod", "d.gamedir"].map(|column| like(column, &pattern)))));
            }
            (Of::Whole("map"), "levels" | "matches" | "runs") => "map",
            (Of::Found("title"), "levels") => "title",
            (Of::Found("mode"), "matches") => "mode",
            (Of::Found("physics"), "matches") => "physics",
            // So that table calls them.
            (Of::Found("physics"), "runs") => "mode",
            _ => return Ok(None),
        };
        self.only_is(term)?;
        let like_it = match term.key.of {
            Of::Whole(_) => value::whole(&term.value),
            _ => value::part(&term.value),
        };
        Ok(Some(like(&format!("r.{column}"), &like_it)))
    }
}
