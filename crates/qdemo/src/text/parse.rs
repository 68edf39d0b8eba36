//! The parser: text to statements.
//!
//! ```text
//! statement = word { value } ";" | word "{" { statement } "}"
//! value     = word | string
//! word      = a run of bytes other than white space, ; { } "
//! string    = '"' with escapes \n \r \" \\ \ooo (three octal digits at most) '"'
//! comment   = "//" to the end of the line
//! ```

use std::borrow::Cow;

use crate::describe::{Mistake, Tree, Value, key};

/// Why no statement came out.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The text ends within the statement: more of it is needed.
    Incomplete,
    /// The statement is wrong.
    Mistake(Mistake),
}

impl From<Mistake> for Stop {
    fn from(m: Mistake) -> Self {
        Stop::Mistake(m)
    }
}

const WORD: u8 = 0;
const SPACE: u8 = 1;
const PUNCT: u8 = 2;

/// What each byte is.
const CLASS: [u8; 256] = {
    let mut table = [WORD; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C => SPACE,
            b';' | b'{' | b'}' | b'"' => PUNCT,
            _ => WORD,
        };
        i += 1;
    }
    table
};

/// A cursor over a text, or over the part of it that was read so far.
pub(crate) struct Parser<'t> {
    text: &'t [u8],
    pos: usize,
    at_end: bool,
    nesting: usize,
}

impl<'t> Parser<'t> {
    /// `at_end` tells that nothing follows `text`.
    pub(crate) fn new(text: &'t [u8], at_end: bool, nesting: usize) -> Self {
        Parser { text, pos: 0, at_end, nesting }
    }

    /// Offset behind the last statement.
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// The next top-level statement, or `None` at the end of the text.
    pub(crate) fn statement(&mut self, tree: &mut Tree<'t>) -> Result<Option<()>, Stop> {
        tree.nodes.clear();
        tree.values.clear();
        // The open braces, as node numbers. Fixed in size: nesting is bounded.
        let mut open: Vec<usize> = Vec::new();
        loop {
            let Some(first) = self.skip()? else {
                return match open.last() {
                    None => Ok(None),
                    Some(_) => Err(self.ended("a closing }")),
                };
            };
            if first == b'}' {
                let Some(node) = open.pop() else {
                    return Err(Mistake::new(self.pos, "a } without its {").into());
                };
                self.pos += 1;
                tree.finish(node);
                if open.is_empty() {
                    return Ok(Some(()));
                }
                continue;
            }
            if CLASS[usize::from(first)] != WORD {
                return Err(Mistake::new(self.pos, format!("a keyword is missing before {}", first as char)).into());
            }
            let at = self.pos;
            let name = self.word()?;
            let node = tree.start_keyed(Cow::Borrowed(name), key(name), at, false);
            if self.values(tree)? {
                if open.len() >= self.nesting {
                    return Err(Mistake::new(
                        at,
                        format!("braces nest deeper than {} (`qdemo --max-nesting`)", self.nesting),
                    )
                    .into());
                }
                if let Some(node) = tree.nodes.get_mut(node) {
                    node.braces = true;
                }
                open.push(node);
            } else if open.is_empty() {
                return Ok(Some(()));
            }
        }
    }

    /// The values of a statement up to `;` (false) or `{` (true).
    fn values(&mut self, tree: &mut Tree<'t>) -> Result<bool, Stop> {
        let mut values = false;
        loop {
            let Some(first) = self.skip()? else {
                return Err(self.ended("a ;"));
            };
            let at = self.pos;
            match first {
                b';' => {
                    self.pos += 1;
                    return Ok(false);
                }
                b'{' if values => {
                    return Err(Mistake::new(at, "a statement has values or braces, not both: a ; is missing").into());
                }
                b'{' => {
                    self.pos += 1;
                    return Ok(true);
                }
                b'}' => return Err(Mistake::new(at, "a ; is missing before }").into()),
                b'"' => {
                    let s = self.string()?;
                    tree.value(at, Value::Str(s));
                    values = true;
                }
                _ => {
                    let w = self.word()?;
                    tree.value(at, Value::Word(w));
                    values = true;
                }
            }
        }
    }

    #[cold]
    fn ended(&self, wanted: &str) -> Stop {
        if self.at_end {
            Mistake::new(self.text.len(), format!("the text ends where {wanted} is due")).into()
        } else {
            Stop::Incomplete
        }
    }

    /// Passes white space and comments over; the next byte, or `None` at the end.
    #[inline(always)]
    fn skip(&mut self) -> Result<Option<u8>, Stop> {
        let mut pos = self.pos;
        while let Some(&b) = self.text.get(pos) {
            if CLASS[usize::from(b)] != SPACE {
                self.pos = pos;
                return if b == b'/' { self.skip_comments() } else { Ok(Some(b)) };
            }
            pos += 1;
        }
        self.pos = pos;
        self.end()
    }

    /// The slash here may begin a comment.
    #[inline(never)]
    fn skip_comments(&mut self) -> Result<Option<u8>, Stop> {
        while let Some(&b) = self.text.get(self.pos) {
            match CLASS[usize::from(b)] {
                SPACE => self.pos += 1,
                _ if b != b'/' || !self.comment()? => return Ok(Some(b)),
                _ => {}
            }
        }
        self.end()
    }

    #[cold]
    fn end(&self) -> Result<Option<u8>, Stop> {
        if self.at_end { Ok(None) } else { Err(Stop::Incomplete) }
    }

    /// Passes a comment over, if the slash here begins one.
    fn comment(&mut self) -> Result<bool, Stop> {
        let rest = &self.text[self.pos..];
        match rest {
            [b'/', b'/', ..] => match memchr::memchr(b'\n', rest) {
                Some(n) => self.pos += n + 1,
                None if self.at_end => self.pos = self.text.len(),
                None => return Err(Stop::Incomplete),
            },
            [b'/'] if !self.at_end => return Err(Stop::Incomplete),
            _ => return Ok(false),
        }
        Ok(true)
    }

    #[inline(always)]
    fn word(&mut self) -> Result<&'t [u8], Stop> {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        // Byte by byte: words are so short, and so much alike, that looking at eight at once takes twice the time.
        let n = match rest.iter().position(|b| CLASS[usize::from(*b)] != WORD) {
            Some(n) => n,
            None if self.at_end => rest.len(),
            None => return Err(Stop::Incomplete),
        };
        self.pos += n;
        Ok(&rest[..n])
    }

    fn string(&mut self) -> Result<Cow<'t, [u8]>, Stop> {
        let start = self.pos + 1;
        let rest = &self.text[start..];
        let Some(n) = rest.iter().position(|&b| matches!(b, b'"' | b'\\' | b'\n' | b'\r')) else {
            return Err(self.ended("a closing \""));
        };
        if rest[n] == b'"' {
            self.pos = start + n + 1;
            return Ok(Cow::Borrowed(&rest[..n]));
        }
        self.escaped(start, n)
    }

    /// A string with escapes, from its first byte; the first `plain` bytes have none.
    fn escaped(&mut self, start: usize, plain: usize) -> Result<Cow<'t, [u8]>, Stop> {
        let text = self.text;
        let mut out = text[start..start + plain].to_vec();
        let mut at = start + plain;
        loop {
            let Some(&b) = text.get(at) else { return Err(self.ended("a closing \"")) };
            at += 1;
            match b {
                b'"' => {
                    self.pos = at;
                    return Ok(Cow::Owned(out));
                }
                b'\n' | b'\r' => {
                    return Err(Mistake::new(at - 1, "a string does not go over the end of a line: write \\n").into());
                }
                b'\\' => {
                    let Some(&escape) = text.get(at) else { return Err(self.ended("the rest of an escape")) };
                    at += 1;
                    match escape {
                        b'n' => out.push(b'\n'),
                        b'r' => out.push(b'\r'),
                        b'0'..=b'7' => {
                            let mut v = u32::from(escape - b'0');
                            for _ in 0..2 {
                                match text.get(at) {
                                    Some(d @ b'0'..=b'7') => v = v * 8 + u32::from(d - b'0'),
                                    Some(_) => break,
                                    None => return Err(self.ended("the rest of an escape")),
                                }
                                at += 1;
                            }
                            match u8::try_from(v) {
                                Ok(v) => out.push(v),
                                Err(_) => return Err(Mistake::new(at - 4, "an octal escape is at most \\377").into()),
                            }
                        }
                        // LMPC takes any other character behind a backslash as itself.
                        other => out.push(other),
                    }
                }
                b => out.push(b),
            }
        }
    }
}
