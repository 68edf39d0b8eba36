//! Words, numbers and strings as LMPC takes a text apart.

use std::collections::HashSet;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(String),
    Int(i64),
    Float(f32),
    Str(Vec<u8>),
    Mark(u8),
}

/// What is wrong, and on which line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wrong {
    pub(super) line: usize,
    pub(super) what: String,
}

/// Which of LMPC's two lexers reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lexer {
    /// That of `.dem`, `.qwd` and `.dm2`, with its list of words.
    Listed(&'static HashSet<&'static str>),
    /// That of `.dm3`: points and brackets belong to words, and any word will do.
    Dotted,
}

/// Reads tokens, each with the line that it stands on.
pub(super) struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
    lexer: Lexer,
    pub(super) line: usize,
}

const LONGEST: usize = 2047;

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t [u8], line: usize, lexer: Lexer) -> Self {
        Tokens { text, at: 0, line, lexer }
    }

    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong { line: self.line, what: what.into() })
    }

    pub(super) fn next(&mut self) -> Result<Option<Token>, Wrong> {
        loop {
            match &self.text[self.at..] {
                [] => return Ok(None),
                [b'\n', ..] => (self.line, self.at) = (self.line + 1, self.at + 1),
                [b' ' | b'\t', ..] => self.at += 1,
                [b'\r', b'\n', ..] => self.at += 1,
                [b'/', b'/', rest @ ..] => match rest.iter().position(|&b| b == b'\n') {
                    Some(n) => self.at += 2 + n,
                    None => return self.wrong("a comment without a line end"),
                },
                _ => break,
            }
        }
        let rest = &self.text[self.at..];
        match rest[0] {
            b'"' => self.string().map(Some),
            mark @ (b';' | b'{' | b'}' | b':') => {
                self.at += 1;
                Ok(Some(Token::Mark(mark)))
            }
            b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word().map(Some),
            // LMPC prints any other byte on its screen and goes on.
            other => self.wrong(format!("a byte that LMPC ignores: {:?}", char::from(other))),
        }
    }

    /// The longest of number and word; of equals the number.
    fn word(&mut self) -> Result<Token, Wrong> {
        let rest = &self.text[self.at..];
        let dotted = self.lexer == Lexer::Dotted;
        let of_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || dotted && matches!(b, b'.' | b'[' | b']');
        let word = rest.iter().take_while(|b| of_word(b)).count();
        let sign = usize::from(rest[0] == b'-');
        let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let whole = digits(sign);
        let mut float = 0;
        if whole > 0 && rest.get(sign + whole) == Some(&b'.') {
            float = sign + whole + 1 + digits(sign + whole + 1);
            if let Some(b'e' | b'E') = rest.get(float) {
                let signed = usize::from(matches!(rest.get(float + 1), Some(b'+' | b'-')));
                let exponent = digits(float + 1 + signed);
                float += if exponent > 0 { 1 + signed + exponent } else { 0 };
            }
        }
        let int = if whole > 0 { sign + whole } else { 0 };
        let is_hex = rest.len() > 2 && rest[0] == b'0' && matches!(rest[1], b'x' | b'X');
        let hex_digits = if is_hex { rest[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count() } else { 0 };
        let hex = if hex_digits > 0 { 2 + hex_digits } else { 0 };
        let longest = word.max(float).max(int).max(hex);
        let text = String::from_utf8_lossy(&rest[..longest]).into_owned();
        if longest == 0 {
            return self.wrong("a sign without a number");
        }
        self.at += longest;
        if longest == float {
            // Kept in single precision.
            return match text.parse::<f64>() {
                Ok(v) if (v as f32).is_finite() => Ok(Token::Float(v as f32)),
                _ => self.wrong(format!("a float beyond single precision: {text}")),
            };
        }
        if longest == int {
            return match text.parse::<i64>() {
                Ok(v) if i32::try_from(v).is_ok() => Ok(Token::Int(v)),
                _ => self.wrong(format!("a number beyond 32 bits: {text}")),
            };
        }
        if longest == hex {
            return match u32::from_str_radix(&text[2..], 16) {
                Ok(v) if !dotted || v <= 0xFF => Ok(Token::Int(i64::from(v as i32))),
                _ => self.wrong(format!("a number beyond its bits: {text}")),
            };
        }
        match self.lexer {
            Lexer::Listed(known) if !known.contains(&*text) => self.wrong(format!("an unknown word: {text}")),
            _ => Ok(Token::Word(text)),
        }
    }

    fn string(&mut self) -> Result<Token, Wrong> {
        let mut out = Vec::new();
        let mut at = self.at + 1;
        loop {
            let Some(&b) = self.text.get(at) else { return self.wrong("a string without an end") };
            at += 1;
            match b {
                b'"' => break,
                b'\n' | b'\r' => return self.wrong("a string over the end of a line"),
                b'\\' => {
                    let digits: Vec<_> =
                        self.text[at..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).copied().collect();
                    let Some(&escape) = self.text.get(at) else { return self.wrong("a string without an end") };
                    at += digits.len().max(1);
                    match digits.iter().fold(0u32, |v, d| v * 8 + u32::from(d - b'0')) {
                        _ if digits.is_empty() => out.push(match escape {
                            b'n' => b'\n',
                            b'r' => b'\r',
                            other => other,
                        }),
                        0 => return self.wrong("a NUL, which ends the string"),
                        v @ 1..=0xFF => out.push(v as u8),
                        _ => return self.wrong("an octal escape above \\377"),
                    }
                }
                b => out.push(b),
            }
        }
        self.at = at;
        if out.len() > LONGEST {
            return self.wrong(format!("a string of {} bytes", out.len()));
        }
        Ok(Token::Str(out))
    }
}

/// A statement: values, or statements in braces, or neither.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) line: usize,
    pub(super) word: String,
    pub(super) values: Vec<Token>,
    pub(super) braces: bool,
    pub(super) inner: Vec<Statement>,
}

impl Tokens<'_> {
    /// The next statement, or `None` at the end.
    pub(super) fn statement(&mut self) -> Result<Option<Statement>, Wrong> {
        match self.next()? {
            None => Ok(None),
            Some(first) => self.rest_of_statement(first).map(Some),
        }
    }

    fn rest_of_statement(&mut self, first: Token) -> Result<Statement, Wrong> {
        let line = self.line;
        let Token::Word(word) = first else { return self.wrong(format!("a statement that begins with {first:?}")) };
        let mut it = Statement { line, word, values: Vec::new(), braces: false, inner: Vec::new() };
        loop {
            match self.next()? {
                None => return self.wrong("the end within a statement"),
                Some(Token::Mark(b';')) => return Ok(it),
                Some(Token::Mark(b'{')) if it.values.is_empty() => break,
                Some(Token::Mark(mark @ (b'{' | b'}'))) => {
                    return self.wrong(format!("{} behind values", char::from(mark)));
                }
                Some(value) => it.values.push(value),
            }
        }
        it.braces = true;
        loop {
            match self.next()? {
                None => return self.wrong("the end within braces"),
                Some(Token::Mark(b'}')) if it.inner.is_empty() => return self.wrong("empty braces"),
                Some(Token::Mark(b'}')) => return Ok(it),
                Some(first) => it.inner.push(self.rest_of_statement(first)?),
            }
        }
    }
}
