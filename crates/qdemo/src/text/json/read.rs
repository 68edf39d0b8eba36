//! Reading JSON lines: each becomes a tree, as text does.

use std::borrow::Cow;

use crate::describe::{Mistake, Tree, Value};

/// Objects within objects, at most.
const DEEPEST: usize = 8;

/// One line of JSON as a statement.
pub(crate) fn parse_line<'t>(line: &'t str, tree: &mut Tree<'t>) -> Result<(), Mistake> {
    tree.nodes.clear();
    tree.values.clear();
    tree.json = true;
    let mut walk = Walk { line, at: 0 };
    walk.space();
    if walk.next() != Some(b'{') {
        return Err(walk.bad(due(b'{')));
    }
    // `serde_json` says whether it is JSON at all. Then one walk over it finds everything.
    let _: serde::de::IgnoredAny = decode(line, 0)?;
    walk.object("piece", 0, tree)
}

/// That something else should begin here.
fn due(begin: u8) -> &'static str {
    if begin == b'{' { "an object is due here" } else { "a list is due here" }
}

/// What JSON at an offset of the line stands for.
fn decode<'t, T: serde::Deserialize<'t>>(part: &'t str, at: usize) -> Result<T, Mistake> {
    serde_json::from_str(part).map_err(|e| {
        let at = at + if e.line() <= 1 { e.column().saturating_sub(1) } else { 0 };
        // It ends with the place in the part, which is told as that in the text.
        let (told, place) = (e.to_string(), format!(" at line {} column {}", e.line(), e.column()));
        let why = told.strip_suffix(&place).unwrap_or(&told);
        Mistake::new(at, format!("not the JSON that is due here: {why}"))
    })
}

/// A cursor over a line that is JSON.
struct Walk<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Walk<'t> {
    fn bad(&self, what: impl Into<String>) -> Mistake {
        Mistake::new(self.at, what)
    }

    /// The bytes from here on.
    #[inline]
    fn rest(&self) -> &'t [u8] {
        self.line.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn next(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.next() {
            self.at += 1;
        }
    }

    /// Passes over a mark, if it is next, and over the space around it.
    #[inline]
    fn passes(&mut self, mark: u8) -> bool {
        self.space();
        let is_next = self.next() == Some(mark);
        if is_next {
            self.at += 1;
            self.space();
        }
        is_next
    }

    /// Stands at each item of an object or a list in turn: `item` passes over it.
    #[inline]
    fn items(
        &mut self,
        [begin, end]: [u8; 2],
        mut item: impl FnMut(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        if !self.passes(begin) {
            return Err(self.bad(due(begin)));
        }
        while self.at < self.line.len() && !self.passes(end) {
            item(self)?;
            self.passes(b',');
        }
        Ok(())
    }

    /// Stands at the value of each member of an object in turn: `member` passes over it.
    #[inline]
    fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'t, [u8]>) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        self.items(*b"{}", |walk| {
            let key = walk.name()?;
            walk.passes(b':');
            member(walk, key)
        })
    }

    /// A number, or what else has no quotes.
    #[inline]
    fn word(&mut self) -> &'t [u8] {
        let rest = self.rest();
        let ends = |b: &u8| matches!(b, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
        let word = rest.iter().position(ends).and_then(|n| rest.get(..n)).unwrap_or(rest);
        self.at += word.len();
        word
    }

    /// The bytes that a string stands for, one for each character.
    fn string(&mut self) -> Result<Cow<'t, [u8]>, Mistake> {
        self.quoted(|decoded| decoded.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect())
    }

    /// A key, or the name of a kind: these are text as it is.
    fn name(&mut self) -> Result<Cow<'t, [u8]>, Mistake> {
        self.quoted(|decoded| Some(decoded.into_bytes()))
    }

    /// What stands between quotes: borrowed from the line where that is ASCII without escapes, else what `bytes` makes of it.
    #[inline(always)]
    fn quoted(&mut self, bytes: impl FnOnce(String) -> Option<Vec<u8>>) -> Result<Cow<'t, [u8]>, Mistake> {
        let rest = self.rest();
        let Some(b'"') = rest.first() else { return Err(self.bad("a string is due here")) };
        let (mut len, mut is_plain) = (1, true);
        loop {
            match rest.get(len) {
                None | Some(b'"') => break,
                Some(b'\\') => (len, is_plain) = (len + 2, false),
                Some(b) => (len, is_plain) = (len + 1, is_plain && b.is_ascii()),
            }
        }
        let from = self.at;
        self.at += len + 1;
        if is_plain {
            return Ok(Cow::Borrowed(rest.get(1..len).unwrap_or_default()));
        }
        let decoded: String = decode(self.line.get(from..self.at).unwrap_or_default(), from)?;
        let wrong = "a string holds bytes: characters U+0000 to U+00FF";
        Ok(Cow::Owned(bytes(decoded).ok_or_else(|| Mistake::new(from, wrong))?))
    }

    fn scalar(&mut self) -> Result<Value<'t>, Mistake> {
        match self.next() {
            Some(b'"') => self.string().map(Value::Str),
            Some(b'-' | b'0'..=b'9') => Ok(Value::Word(self.word())),
            _ => Err(self.bad("a number or a string is due here")),
        }
    }

    fn is_not_too_deep(&self, depth: usize) -> Result<(), Mistake> {
        if depth <= DEEPEST { Ok(()) } else { Err(self.bad(format!("objects nest deeper than {DEEPEST}"))) }
    }

    /// An object that says with `kind` what it is. Its messages stand behind everything else.
    fn object(&mut self, kind: &str, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        self.is_not_too_deep(depth)?;
        let from = self.at;
        let node = tree.start(Cow::Borrowed(b""), from, true);
        let (mut is_named, mut messages) = (false, None);
        self.members(|walk, key| {
            if !is_named && *key == *kind.as_bytes() {
                is_named = true;
                tree.rename(node, walk.name()?);
                return Ok(());
            }
            if messages.is_some() || *key != *b"messages" {
                return walk.field(key, depth, tree);
            }
            let first = tree.nodes.len();
            walk.items(*b"[]", |walk| walk.object("message", depth + 1, tree))?;
            messages = Some(first..tree.nodes.len());
            Ok(())
        })?;
        if !is_named {
            return Err(Mistake::new(from, format!("an object here has the key \"{kind}\"")));
        }
        if let Some(messages) = messages {
            tree.move_behind(messages);
        }
        tree.finish(node);
        Ok(())
    }

    /// An object without a kind: its members are statements within one called `key`.
    fn group(&mut self, key: Cow<'t, [u8]>, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        self.is_not_too_deep(depth)?;
        let node = tree.start(key, self.at, true);
        self.members(|walk, key| walk.field(key, depth, tree))?;
        tree.finish(node);
        Ok(())
    }

    fn field(&mut self, key: Cow<'t, [u8]>, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        let at = self.at;
        match self.next() {
            // Absent, as far as messages are concerned.
            Some(b'f' | b'n') => drop(self.word()),
            Some(b'{') => self.group(key, depth + 1, tree)?,
            Some(b'[') => {
                let mut list = Walk { ..*self };
                let is_of_objects = list.passes(b'[') && list.next() == Some(b'{');
                let node = tree.start(key, at, is_of_objects);
                self.items(*b"[]", |walk| match is_of_objects {
                    true => walk.group(Cow::Borrowed(b""), depth + 1, tree),
                    false => {
                        let at = walk.at;
                        tree.value(at, walk.scalar()?);
                        Ok(())
                    }
                })?;
                tree.finish(node);
            }
            Some(b't') => {
                tree.start(key, at, false);
                self.word();
            }
            _ => {
                tree.start(key, at, false);
                tree.value(at, self.scalar()?);
            }
        }
        Ok(())
    }
}
