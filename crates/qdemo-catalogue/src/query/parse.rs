//! From the text of a query to a tree.

use std::fmt;
use std::ops::Range;

use super::keys::{KEYS, Key, by_name, like};

/// Parentheses may stand within each other so deep.
const DEEPEST: usize = 30;

/// So many terms a query may have.
const MOST: usize = 200;

/// So many characters a value may have. SQLite takes patterns of 50,000 bytes.
const LONGEST: usize = 10_000;

/// A query, read.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Term(Term),
}

/// A key and what is asked of it.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) key: &'static Key,
    pub(crate) sign: Sign,
    pub(crate) value: String,
    /// Where the value stands, for errors.
    pub(crate) at: Range<usize>,
}

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Is,
    Less,
    LessOrIs,
    More,
    MoreOrIs,
}

/// What is wrong with a query, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    query: String,
    at: Range<usize>,
    what: String,
}

impl QueryError {
    pub(crate) fn new(query: &str, at: Range<usize>, what: impl Into<String>) -> Self {
        QueryError { query: query.to_owned(), at, what: what.into() }
    }

    /// Where in the query, in bytes.
    pub fn at(&self) -> Range<usize> {
        self.at.clone()
    }

    /// The query, and below it a mark where it is wrong.
    pub fn details(&self) -> String {
        let plain: String = self.query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let columns = |range: Range<usize>| self.query.get(range).map_or(0, |text| text.chars().count());
        let (before, marked) = (columns(0..self.at.start), columns(self.at.clone()).max(1));
        format!("  {plain}\n  {:before$}{}", "", "^".repeat(marked))
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for QueryError {}

/// Reads a query. An empty one asks for everything.
pub(crate) fn parse(query: &str) -> Result<Node, QueryError> {
    let mut parser = Parser { query, at: 0, terms: 0 };
    if let Some(at) = query.find('\0') {
        return Err(parser.error(at..at + 1, "a query has no zero bytes"));
    }
    let node = parser.any(0)?;
    parser.blank();
    match parser.rest().chars().next() {
        None => Ok(node),
        Some(_) => Err(parser.error(parser.at..parser.at + 1, "no parenthesis is open here")),
    }
}

struct Parser<'q> {
    query: &'q str,
    at: usize,
    terms: usize,
}

impl<'q> Parser<'q> {
    fn rest(&self) -> &'q str {
        self.query.get(self.at..).unwrap_or_default()
    }

    fn error(&self, at: Range<usize>, what: impl Into<String>) -> QueryError {
        QueryError::new(self.query, at, what)
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes a word with nothing of a word behind it.
    fn word(&mut self, word: &str) -> bool {
        let Some(behind) = self.rest().strip_prefix(word) else { return false };
        let ends = behind.chars().next().is_none_or(|c| c.is_whitespace() || c == '(' || c == ')');
        if ends {
            self.at += word.len();
        }
        ends
    }

    /// Alternatives, parted by `OR`.
    fn any(&mut self, depth: usize) -> Result<Node, QueryError> {
        let mut all = vec![self.all(depth)?];
        loop {
            self.blank();
            let start = self.at;
            if !self.word("OR") {
                break;
            }
            let next = self.all(depth)?;
            let empty = |node: &Node| matches!(node, Node::And(nodes) if nodes.is_empty());
            if empty(&next) || all.last().is_some_and(empty) {
                return Err(self.error(start..start + 2, "OR stands between two things to look for"));
            }
            all.push(next);
        }
        Ok(match all.len() {
            1 => all.remove(0),
            _ => Node::Or(all),
        })
    }

    /// What must all be true.
    fn all(&mut self, depth: usize) -> Result<Node, QueryError> {
        let mut all = Vec::new();
        loop {
            self.blank();
            let rest = self.rest();
            if rest.is_empty() || rest.starts_with(')') {
                break;
            }
            let start = self.at;
            if self.word("OR") {
                self.at = start;
                break;
            }
            if self.word("AND") {
                continue;
            }
            all.push(self.one(depth)?);
        }
        Ok(Node::And(all))
    }

    fn one(&mut self, depth: usize) -> Result<Node, QueryError> {
        let start = self.at;
        let rest = self.rest();
        let not = rest.strip_prefix('-').or_else(|| rest.strip_prefix('!'));
        if let Some(behind) = not.filter(|behind| behind.starts_with(|c: char| !c.is_whitespace())) {
            self.at = self.query.len() - behind.len();
            if behind.starts_with(['-', '!']) {
                return Err(self.error(start..self.at + 1, "one - is enough"));
            }
            return Ok(Node::Not(Box::new(self.one(depth)?)));
        }
        if self.rest().starts_with('(') {
            if depth >= DEEPEST {
                return Err(
                    self.error(start..start + 1, format!("parentheses may stand {DEEPEST} deep within each other"))
                );
            }
            self.at += 1;
            let inner = self.any(depth + 1)?;
            self.blank();
            if !self.rest().starts_with(')') {
                return Err(self.error(start..start + 1, "this parenthesis is not closed"));
            }
            self.at += 1;
            if matches!(&inner, Node::And(nodes) if nodes.is_empty()) {
                return Err(self.error(start..self.at, "there is nothing within these parentheses"));
            }
            return Ok(inner);
        }
        self.terms += 1;
        if self.terms > MOST {
            return Err(self.error(start..self.query.len(), format!("a query may have {MOST} terms")));
        }
        self.term().map(Node::Term)
    }

    fn term(&mut self) -> Result<Term, QueryError> {
        let start = self.at;
        let rest = self.rest();
        let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(rest, |end| &rest[..end]);
        let signs = [
            (">=", Sign::MoreOrIs),
            ("<=", Sign::LessOrIs),
            (":", Sign::Is),
            ("=", Sign::Is),
            (">", Sign::More),
            ("<", Sign::Less),
        ];
        let behind = rest.get(name.len()..).unwrap_or_default();
        let sign = signs.iter().find(|(sign, _)| behind.starts_with(sign)).filter(|_| !name.is_empty());
        let Some(&(written, mut sign)) = sign else {
            let value = self.value()?;
            let key = by_name("text").ok_or_else(|| self.error(start..self.at, "there is no such key"))?;
            return Ok(Term { key, sign: Sign::Is, value, at: start..self.at });
        };
        let Some(key) = by_name(name) else {
            let at = start..start + name.len();
            let like = like(name).map(|like| format!(", perhaps {like}")).unwrap_or_default();
            let all = KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ");
            let what =
                format!("there is no key {name}{like}; keys are {all}; put quotes around text that has a {written}");
            return Err(self.error(at, what));
        };
        self.at = start + name.len() + written.len();
        // `length:>10m` is as clear.
        if written == ":" {
            if let Some((more, other)) =
                signs.iter().filter(|(more, _)| *more != ":").find(|(more, _)| self.rest().starts_with(more))
            {
                (self.at, sign) = (self.at + more.len(), *other);
            }
        }
        let value_at = self.at;
        let value = self.value()?;
        if value.is_empty() {
            return Err(self.error(
                start..self.at,
                format!("something is missing behind {name}{written} (as in {})", key.example),
            ));
        }
        if let (Sign::Is, Some(all)) = (sign, key.of.others_than(&value)) {
            let what = format!("there is no {} {value}; there are {}", key.name, all.join(", "));
            return Err(self.error(value_at..self.at, what));
        }
        Ok(Term { key, sign, value, at: value_at..self.at })
    }

    /// A value: what stands in quotes, or all up to a blank or a parenthesis.
    fn value(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        let value = self.any_value()?;
        match value.chars().nth(LONGEST) {
            None => Ok(value),
            Some(_) => {
                Err(self.error(start..self.at, format!("this is too long: {LONGEST} characters may stand here")))
            }
        }
    }

    fn any_value(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        let mut value = String::new();
        let mut chars = self.rest().char_indices().peekable();
        let mut quoted = false;
        let mut open = 0;
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' if quoted => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => value.push(c),
                    Some((_, c)) => value.extend(['\\', c]),
                    None => value.push('\\'),
                },
                '"' => {
                    quoted = !quoted;
                    open = start + at;
                }
                c if !quoted && (c.is_whitespace() || c == ')' || c == '(') => {
                    self.at = start + at;
                    return Ok(value);
                }
                c => value.push(c),
            }
        }
        self.at = self.query.len();
        if quoted {
            return Err(self.error(open..open + 1, "this quote is not closed"));
        }
        Ok(value)
    }
}
