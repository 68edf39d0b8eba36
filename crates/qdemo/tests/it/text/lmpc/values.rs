//! Values as LMPC writes them on the wire: cut towards zero, not rounded.

use qdemo::format::dm2::Direction;

use super::lexer::{Statement, Token, Wrong};

/// A statement with braces whose fields are taken out one by one.
pub(super) struct Group<'s> {
    of: &'s Statement,
    left: Vec<&'s Statement>,
}

pub(super) fn wrong<T>(at: &Statement, what: impl std::fmt::Display) -> Result<T, Wrong> {
    Err(Wrong { line: at.line, what: format!("{}: {what}", at.word) })
}

impl<'s> Group<'s> {
    pub(super) fn new(of: &'s Statement) -> Result<Self, Wrong> {
        if !of.braces {
            return wrong(of, "stands in braces");
        }
        Ok(Group { of, left: of.inner.iter().collect() })
    }

    /// Of a statement that may be empty, which then has no braces.
    pub(super) fn or_empty(of: &'s Statement) -> Result<Self, Wrong> {
        match of.values.is_empty() {
            true => Ok(Group { of, left: of.inner.iter().collect() }),
            false => wrong(of, "has no value"),
        }
    }

    /// A field that may be absent.
    pub(super) fn take(&mut self, name: &str) -> Result<Option<&'s Statement>, Wrong> {
        let Some(n) = self.left.iter().position(|s| s.word == name) else { return Ok(None) };
        let found = self.left.remove(n);
        if self.left.iter().any(|s| s.word == name) {
            return wrong(self.of, format_args!("{name} stands twice"));
        }
        Ok(Some(found))
    }

    pub(super) fn need(&mut self, name: &str) -> Result<&'s Statement, Wrong> {
        match self.take(name)? {
            Some(found) => Ok(found),
            None => wrong(self.of, format_args!("{name} is missing")),
        }
    }

    /// Writes a field that has to be there. `types`: see [`put`].
    pub(super) fn put(&mut self, name: &str, types: &str, out: &mut Vec<u8>) -> Result<(), Wrong> {
        put(self.need(name)?, types, out)
    }

    /// Writes a field if it is there.
    pub(super) fn put_if(&mut self, name: &str, types: &str, out: &mut Vec<u8>) -> Result<bool, Wrong> {
        match self.take(name)? {
            Some(found) => put(found, types, out).map(|()| true),
            None => Ok(false),
        }
    }

    /// Writes those fields that are there; what comes back are their bits in a mask.
    pub(super) fn put_masked(&mut self, fields: &[(&str, &str, u32)], out: &mut Vec<u8>) -> Result<u32, Wrong> {
        fields
            .iter()
            .try_fold(0, |mask, (name, types, bit)| Ok(mask | u32::from(self.put_if(name, types, out)?) << bit))
    }

    /// A field without a value.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, Wrong> {
        match self.take(name)? {
            None => Ok(false),
            Some(found) if found.values.is_empty() && !found.braces => Ok(true),
            Some(found) => wrong(found, "has no value"),
        }
    }

    /// A list of numbers, as the bits that each of them stands for.
    pub(super) fn bits(&mut self, name: &str, of: impl Fn(i64) -> Option<u32>) -> Result<Option<u32>, Wrong> {
        let Some(found) = self.take(name)? else { return Ok(None) };
        let mut all = 0;
        for n in ints(found)? {
            match of(n) {
                Some(bit) => all |= bit,
                None => return wrong(found, format_args!("no bit {n}")),
            }
        }
        Ok(Some(all))
    }

    /// What is left is a mistake.
    pub(super) fn finish(&self) -> Result<(), Wrong> {
        match self.left.first() {
            None => Ok(()),
            Some(field) => wrong(field, format_args!("is no field of {}", self.of.word)),
        }
    }
}

/// A list of one whole number at least.
pub(super) fn ints(s: &Statement) -> Result<Vec<i64>, Wrong> {
    if s.values.is_empty() || s.braces {
        return wrong(s, "wants numbers");
    }
    let one = |v: &Token| match v {
        Token::Int(v) => Ok(*v),
        other => wrong(s, format_args!("wants whole numbers, found {other:?}")),
    };
    s.values.iter().map(one).collect()
}

/// A list of one string at least, and the NUL that ends it.
pub(super) fn put_strings(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    if s.values.is_empty() || s.braces {
        return wrong(s, "wants strings");
    }
    for v in &s.values {
        put_one(s, b'S', v, out)?;
    }
    out.push(0);
    Ok(())
}

/// Seconds. Every part has a sign of its own.
pub(super) fn seconds(s: &Statement) -> Result<f32, Wrong> {
    let unit = |w: &Token, letter: &str| matches!(w, Token::Word(word) if word == letter);
    Ok(match &s.values[..] {
        [Token::Float(f)] => *f,
        [Token::Float(f), u] if unit(u, "s") => *f,
        [Token::Int(m), Token::Mark(b':'), Token::Float(f), u] if unit(u, "m") => {
            (f64::from(*f) + 60.0 * *m as f64) as f32
        }
        [Token::Int(h), Token::Mark(b':'), Token::Int(m), Token::Mark(b':'), Token::Float(f), u] if unit(u, "h") => {
            (f64::from(*f) + 60.0 * *m as f64 + 3600.0 * *h as f64) as f32
        }
        other => return wrong(s, format_args!("wants a time, found {other:?}")),
    })
}

/// Writes values, a letter of `types` for each. Whole numbers: `b` 8, `h` 16, `l` 32 bits. Floats: `f` as they are, `c`
/// coordinate, `a` angle of 8 bits, `A` of 16, `i` 8 bits unscaled, `p` velocity, `q` quarter, `v` loudness, `n`
/// attenuation, `g` ping, `o` time offset, `B` blend. `S` string, `T` time (alone), `M` direction (three floats, alone).
pub(super) fn put(s: &Statement, types: &str, out: &mut Vec<u8>) -> Result<(), Wrong> {
    if s.braces {
        return wrong(s, "has no braces");
    }
    match types {
        "T" => out.extend(seconds(s)?.to_le_bytes()),
        "M" => match s.values[..] {
            [Token::Float(x), Token::Float(y), Token::Float(z)] => out.push(direction([x, y, z])),
            _ => return wrong(s, "wants three floats"),
        },
        _ if s.values.len() != types.len() => {
            return wrong(s, format_args!("wants {} values, found {:?}", types.len(), s.values));
        }
        _ => s.values.iter().zip(types.bytes()).try_for_each(|(v, ty)| put_one(s, ty, v, out))?,
    }
    Ok(())
}

fn put_one(s: &Statement, ty: u8, value: &Token, out: &mut Vec<u8>) -> Result<(), Wrong> {
    match (ty, value) {
        (b'b', Token::Int(v)) => out.push(*v as u8),
        (b'h', Token::Int(v)) => out.extend((*v as i16).to_le_bytes()),
        (b'l', Token::Int(v)) => out.extend((*v as i32).to_le_bytes()),
        (b'f', Token::Float(v)) => out.extend(v.to_le_bytes()),
        (b'S', Token::Str(v)) => {
            out.extend(v);
            out.push(0);
        }
        (_, Token::Float(v)) => {
            let v = f64::from(*v);
            match ty {
                b'c' => out.extend(((v * 8.0) as i16).to_le_bytes()),
                b'a' => out.push((v * 256.0 / 360.0) as i64 as u8),
                b'A' => out.extend(((v * 65_536.0 / 360.0) as i64 as i16).to_le_bytes()),
                b'i' => out.push(v as i64 as u8),
                b'p' => out.push((v * 16.0) as i64 as u8),
                b'q' => out.push((v * 4.0) as i64 as u8),
                b'v' => out.push((v * 255.0 + 0.5) as u8),
                b'n' => out.push((v * 64.0) as u8),
                b'g' => out.push((v * 1000.0 + 0.5) as u8),
                b'o' => out.push((v * 1000.0) as u8),
                b'B' => out.push((v * 255.0) as u8),
                _ => return wrong(s, "wants another kind of value than a float"),
            }
        }
        (_, other) => return wrong(s, format_args!("wants another kind of value than {other:?}")),
    }
    Ok(())
}

/// The nearest of the 162 directions, the first of equals.
fn direction(wanted: [f32; 3]) -> u8 {
    let (mut best, mut product) = (0, f32::MIN);
    for n in 0..162 {
        let v = Direction(n).vector().unwrap();
        let near = v.iter().zip(wanted).map(|(a, b)| a * b).sum();
        if near > product {
            (best, product) = (n, near);
        }
    }
    best
}
