//! A parsed statement: keyword, values, children. Text and JSON both become this.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use super::name::{Name, bit, key};
use super::number::{parse_f32, parse_f64, parse_int, parse_time};
use crate::wire::{Angle, AngleKind, Coord, CoordKind, F32};

/// A mistake in a text: where and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Byte offset in the text that was parsed.
    pub at: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

impl Mistake {
    /// A mistake at an offset.
    #[cold]
    pub fn new(at: usize, what: impl Into<String>) -> Self {
        Mistake { at, what: what.into() }
    }
}

/// One value of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'t> {
    /// A number or other bare word.
    Word(&'t [u8]),
    /// A quoted string, escapes resolved.
    Str(Cow<'t, [u8]>),
}

/// One statement: `keyword values;` or `keyword { children }`.
#[derive(Debug, Clone)]
pub struct Node<'t> {
    /// The keyword.
    pub name: Cow<'t, [u8]>,
    /// Offset of the keyword in the text.
    pub at: usize,
    /// True for `keyword { ... }`.
    pub braces: bool,
    /// The keyword as a number, to tell keywords apart at a glance.
    key: u64,
    /// Index after the last node of this subtree: nodes stand in reading order.
    pub(crate) end: usize,
    pub(crate) values: (usize, usize),
    used: Cell<bool>,
}

/// A top-level statement with everything in it, in one pair of buffers.
#[derive(Debug, Clone, Default)]
pub struct Tree<'t> {
    pub(crate) nodes: Vec<Node<'t>>,
    pub(crate) values: Vec<(usize, Value<'t>)>,
    /// Read from JSON, where a message is an object and nothing else.
    pub(crate) json: bool,
}

impl<'t> Tree<'t> {
    /// Adds a node; its end is set with [`Tree::finish`].
    #[inline]
    pub(crate) fn start(&mut self, name: Cow<'t, [u8]>, at: usize, braces: bool) -> usize {
        let key = key(&name);
        self.start_keyed(name, key, at, braces)
    }

    /// [`Tree::start`] with a name whose key is known.
    #[inline]
    pub(crate) fn start_keyed(&mut self, name: Cow<'t, [u8]>, key: u64, at: usize, braces: bool) -> usize {
        let here = self.nodes.len();
        self.nodes.push(Node {
            key,
            name,
            at,
            braces,
            end: here + 1,
            values: (self.values.len(), self.values.len()),
            used: Cell::new(false),
        });
        here
    }

    /// Gives a node another name.
    #[inline]
    pub(crate) fn rename(&mut self, node: usize, name: Cow<'t, [u8]>) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.key = key(&name);
            node.name = name;
        }
    }

    /// Moves whole nodes behind all others.
    pub(crate) fn move_behind(&mut self, nodes: Range<usize>) {
        let (moved, others) = (nodes.len(), self.nodes.len() - nodes.end);
        if others == 0 {
            return;
        }
        if let Some(all) = self.nodes.get_mut(nodes.start..) {
            all.iter_mut().take(moved).for_each(|node| node.end += others);
            all.iter_mut().skip(moved).for_each(|node| node.end -= moved);
            all.rotate_left(moved);
        }
    }

    /// Adds a value to the node started last.
    #[inline]
    pub(crate) fn value(&mut self, at: usize, value: Value<'t>) {
        self.values.push((at, value));
        if let Some(node) = self.nodes.last_mut() {
            node.values.1 = self.values.len();
        }
    }

    /// Ends a node: all nodes since belong to it.
    pub(crate) fn finish(&mut self, node: usize) {
        let end = self.nodes.len();
        if let Some(node) = self.nodes.get_mut(node) {
            node.end = end;
        }
    }

    /// The buffers, emptied, for a tree over another text.
    pub(crate) fn recycle<'s>(mut self) -> Tree<'s> {
        self.nodes.clear();
        self.values.clear();
        // Collecting an emptied vector into one of another lifetime reuses its memory.
        #[expect(clippy::unnecessary_filter_map, reason = "`filter` cannot change the lifetime")]
        Tree {
            nodes: self.nodes.into_iter().filter_map(|_| None).collect(),
            values: self.values.into_iter().filter_map(|_| None).collect(),
            json: false,
        }
    }

    /// The root statement.
    pub fn root(&self) -> Option<Fields<'_, 't>> {
        (!self.nodes.is_empty()).then(|| Fields::new(self, 0))
    }
}

/// A statement whose values or children are taken out one by one, in any order.
#[derive(Debug, Clone)]
pub struct Fields<'x, 't> {
    tree: &'x Tree<'t>,
    node: usize,
    /// Where to look first: normally the fields come in order.
    next: Cell<usize>,
    /// All fields before this one were taken.
    unused: Cell<usize>,
    /// The bits of the keywords of all fields; 0 before they are asked for.
    among: Cell<u64>,
}

impl<'x, 't> Fields<'x, 't> {
    fn new(tree: &'x Tree<'t>, node: usize) -> Self {
        Fields { tree, node, next: Cell::new(node + 1), unused: Cell::new(node + 1), among: Cell::new(0) }
    }

    fn me(&self) -> &'x Node<'t> {
        &self.tree.nodes[self.node]
    }

    /// The keyword as a number.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        self.me().key
    }

    /// The keyword of the statement.
    pub fn keyword(&self) -> &'x [u8] {
        &self.me().name
    }

    /// Offset of the statement in the text.
    pub fn at(&self) -> usize {
        self.me().at
    }

    /// True for `keyword { ... }`.
    pub fn braces(&self) -> bool {
        self.me().braces
    }

    /// A mistake at this statement.
    pub fn mistake(&self, what: impl Into<String>) -> Mistake {
        Mistake::new(self.at(), what)
    }

    /// The child statements, in order.
    pub fn children(&self) -> impl Iterator<Item = Fields<'x, 't>> + use<'x, 't> {
        let (tree, end) = (self.tree, self.me().end);
        let mut at = self.node + 1;
        std::iter::from_fn(move || {
            let node = (at < end).then_some(at)?;
            at = tree.nodes[node].end;
            Some(Fields::new(tree, node))
        })
    }

    /// The values of this statement itself.
    pub fn own_values(&self) -> Values<'x, 't> {
        Values::of(self.tree, self.me())
    }

    /// True for a statement without values; a mistake for one with them.
    pub(crate) fn is_flag(&self) -> Result<bool, Mistake> {
        let values = self.own_values();
        if values.is_empty() { Ok(true) } else { Err(values.wants("no value: it is there or not")) }
    }

    /// True when this statement was taken already.
    pub(crate) fn is_used(&self) -> bool {
        self.me().used.get()
    }

    /// Marks this statement as understood.
    pub fn consume(&self) {
        self.me().used.set(true);
    }

    fn find(&self, name: &Name) -> Option<usize> {
        // Normally the fields come in order, and what is not next is not there.
        let next = self.next.get();
        if next < self.me().end && self.fits(next, name) {
            return Some(next);
        }
        if self.may_have(name) { self.search(name) } else { None }
    }

    #[inline(always)]
    fn fits(&self, at: usize, name: &Name) -> bool {
        let node = &self.tree.nodes[at];
        name.is_keyed(&node.name, node.key) && !node.used.get()
    }

    /// The bits of the keywords of all fields; all bits for `keyword value;`, whose only field has any name.
    #[inline(always)]
    fn among(&self) -> u64 {
        let known = self.among.get();
        if known != 0 { known } else { self.look_among() }
    }

    #[inline(never)]
    fn look_among(&self) -> u64 {
        let (nodes, end) = (&self.tree.nodes, self.me().end);
        let (mut at, mut bits) = (self.node + 1, if self.inline() { u64::MAX } else { 0 });
        while at < end {
            bits |= bit(nodes[at].key);
            at = nodes[at].end;
        }
        self.among.set(bits);
        bits
    }

    /// Looks at the fields behind the one taken last, then at those in front of it.
    fn search(&self, name: &Name) -> Option<usize> {
        let (nodes, end) = (&self.tree.nodes, self.me().end);
        let next = self.next.get();
        let mut at = next;
        while at < end {
            if self.fits(at, name) {
                return Some(at);
            }
            at = nodes[at].end;
        }
        let mut at = self.first_unused();
        while at < next {
            if self.fits(at, name) {
                return Some(at);
            }
            at = nodes[at].end;
        }
        None
    }

    /// The first field that nobody took, to keep searches short.
    fn first_unused(&self) -> usize {
        let (nodes, end) = (&self.tree.nodes, self.me().end);
        let mut at = self.unused.get();
        while at < end && nodes[at].used.get() {
            at = nodes[at].end;
        }
        self.unused.set(at);
        at
    }

    /// True when the field is there. `keyword value;` counts as the one field of an inline message.
    #[inline(always)]
    pub fn has(&self, name: Name) -> bool {
        self.may_have(&name) && (self.inline() || self.find(&name).is_some())
    }

    /// False where the field is not there: most that messages may have are not, and this says so at once.
    #[inline(always)]
    fn may_have(&self, name: &Name) -> bool {
        name.may_be_among(self.among())
    }

    #[inline(always)]
    fn inline(&self) -> bool {
        let node = self.me();
        node.values.1 > node.values.0
    }

    /// Takes a field out.
    #[inline(always)]
    pub fn take(&mut self, name: Name) -> Result<Values<'x, 't>, Mistake> {
        self.take_named(&name)
    }

    fn take_named(&mut self, name: &Name) -> Result<Values<'x, 't>, Mistake> {
        if self.inline() {
            self.consume();
            return Ok(self.own_values());
        }
        match self.find(name) {
            Some(at) => {
                let node = &self.tree.nodes[at];
                node.used.set(true);
                self.next.set(node.end);
                Ok(Values::of(self.tree, node))
            }
            None => Err(self.missing(*name)),
        }
    }

    /// Takes a field out that is a statement of its own.
    #[inline]
    pub fn take_child(&mut self, name: Name) -> Option<Fields<'x, 't>> {
        let at = self.find(&name)?;
        let node = &self.tree.nodes[at];
        node.used.set(true);
        self.next.set(node.end);
        Some(Fields::new(self.tree, at))
    }

    /// Takes a list out: `list { item { ... } ... }`, in JSON an array of objects.
    pub(crate) fn take_list<T>(
        &mut self,
        list: Name,
        item: Name,
        mut each: impl FnMut(&mut Fields<'x, 't>) -> Result<T, Mistake>,
    ) -> Result<Vec<T>, Mistake> {
        let Some(all) = self.take_child(list) else { return Err(self.missing(list)) };
        let one = |mut one: Fields<'x, 't>| {
            if !one.is_json() && !item.is(one.keyword()) {
                return Err(one.mistake(format!("{} is made of {} {{ ... }}", list.text, item.text)));
            }
            let taken = each(&mut one)?;
            one.finish()?;
            Ok(taken)
        };
        all.children().map(one).collect()
    }

    #[cold]
    fn missing(&self, name: Name) -> Mistake {
        let me = String::from_utf8_lossy(self.keyword()).into_owned();
        if self.braces() {
            return self.mistake(format!("{me} lacks the field {}: add `{} ...;`", name.text, name.text));
        }
        self.mistake(format!("{me} lacks its {}: write `{me} ...;`", name.text))
    }

    /// Takes a flag out: true when `name;` is there.
    #[inline(always)]
    pub fn flag(&mut self, name: Name) -> Result<bool, Mistake> {
        if !self.may_have(&name) || self.find(&name).is_none() {
            return Ok(false);
        }
        let values = self.take(name)?;
        if values.is_empty() { Ok(true) } else { Err(values.wants("no value: it is there or not")) }
    }

    /// The bits of LMPC's `unknown_mask_bits`, when they are there.
    #[inline(always)]
    pub(crate) fn unknown_mask_bits(&mut self) -> Result<Option<u64>, Mistake> {
        if !self.may_have(&UNKNOWN_MASK_BITS) || self.inline() || self.find(&UNKNOWN_MASK_BITS).is_none() {
            return Ok(None);
        }
        let bits = self.take(UNKNOWN_MASK_BITS)?.ints(0, 63)?;
        Ok(Some(bits.iter().fold(0, |all, n| all | 1 << n)))
    }

    /// Fails for `keyword value;` where only an `inline` message is written so.
    pub fn check_shape(&self, inline: bool) -> Result<(), Mistake> {
        if self.inline() && !inline {
            let me = String::from_utf8_lossy(self.keyword()).into_owned();
            return Err(self.mistake(format!("{me} has several fields: write `{me} {{ field value; ... }}`")));
        }
        Ok(())
    }

    /// True when the statement comes from JSON.
    pub fn is_json(&self) -> bool {
        self.tree.json
    }

    /// Fails when a field is left that nobody took.
    pub fn finish(&self) -> Result<(), Mistake> {
        if self.inline() && !self.me().used.get() {
            let me = String::from_utf8_lossy(self.keyword()).into_owned();
            return Err(self.mistake(format!("{me} takes no value: write `{me};`")));
        }
        let end = self.me().end;
        let mut at = self.node + 1;
        while at < end {
            let node = &self.tree.nodes[at];
            if !node.used.get() {
                return Err(Mistake::new(
                    node.at,
                    format!(
                        "{} has no field {} here (or it stands twice): see `qdemo schema`",
                        String::from_utf8_lossy(self.keyword()),
                        String::from_utf8_lossy(&node.name)
                    ),
                ));
            }
            at = node.end;
        }
        Ok(())
    }
}

/// The values of one statement.
#[derive(Debug, Clone, Copy)]
pub struct Values<'x, 't> {
    keyword: &'x [u8],
    at: usize,
    list: &'x [(usize, Value<'t>)],
}

impl<'x, 't> Values<'x, 't> {
    #[inline]
    fn of(tree: &'x Tree<'t>, node: &'x Node<'t>) -> Self {
        let list = tree.values.get(node.values.0..node.values.1).unwrap_or_default();
        Values { keyword: node.name.as_ref(), at: node.at, list }
    }

    /// The keyword in front of them: our name for the field, or LMPC's.
    pub fn keyword(&self) -> &'x [u8] {
        self.keyword
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True for a statement without values.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A mistake in the first value.
    #[cold]
    pub fn mistake(&self, what: impl Into<String>) -> Mistake {
        Mistake::new(self.list.first().map_or(self.at, |(at, _)| *at), what)
    }

    #[cold]
    fn wants(&self, what: &str) -> Mistake {
        let found = match self.list {
            [] => "nothing".to_owned(),
            [(_, Value::Word(w))] => String::from_utf8_lossy(w).into_owned(),
            [(_, Value::Str(_))] => "a string".to_owned(),
            several => format!("{} values", several.len()),
        };
        self.mistake(format!("{} wants {what}, found {found}", String::from_utf8_lossy(self.keyword)))
    }

    #[inline]
    fn words<const N: usize>(&self, what: &str) -> Result<[&'t [u8]; N], Mistake> {
        let mut words = [&b""[..]; N];
        if self.list.len() != N {
            return Err(self.wants(what));
        }
        for (slot, (_, value)) in words.iter_mut().zip(self.list) {
            match value {
                Value::Word(w) => *slot = w,
                // JSON has no bare words: there the spelling of special floats is a string.
                Value::Str(Cow::Borrowed(s)) if SPELLED.iter().any(|word| s.starts_with(word)) => *slot = s,
                Value::Str(_) => return Err(self.wants(what)),
            }
        }
        Ok(words)
    }

    /// One whole number from `min` to `max`.
    #[inline]
    pub fn int(&self, min: i64, max: i64) -> Result<i64, Mistake> {
        let [word] = self.words("one whole number")?;
        match parse_int(word) {
            Some(v) if (min..=max).contains(&v) => Ok(v),
            _ => Err(self.wants(&format!("a whole number from {min} to {max}"))),
        }
    }

    /// All values as whole numbers.
    pub fn ints(&self, min: i64, max: i64) -> Result<Vec<i64>, Mistake> {
        self.list
            .iter()
            .map(|(_, v)| match v {
                Value::Word(w) => parse_int(w).filter(|v| (min..=max).contains(v)),
                Value::Str(_) => None,
            })
            .collect::<Option<_>>()
            .ok_or_else(|| self.wants(&format!("whole numbers from {min} to {max}")))
    }

    /// One number.
    #[inline]
    pub fn number(&self) -> Result<f64, Mistake> {
        let [word] = self.words("one number")?;
        parse_f64(word).ok_or_else(|| self.wants("a number"))
    }

    /// One float with its bits.
    pub fn float(&self) -> Result<F32, Mistake> {
        let [word] = self.words("one number")?;
        parse_f32(word).map(F32::from_bits).ok_or_else(|| self.wants("a number or f32(0xBITS)"))
    }

    /// `N` floats with their bits.
    pub fn floats<const N: usize>(&self) -> Result<[F32; N], Mistake> {
        let words = self.words::<N>(if N == 1 { "one number" } else { "three numbers" })?;
        let mut out = [F32::default(); N];
        for (slot, word) in out.iter_mut().zip(words) {
            *slot = F32::from_bits(parse_f32(word).ok_or_else(|| self.wants("numbers or f32(0xBITS)"))?);
        }
        Ok(out)
    }

    /// One time in seconds.
    pub fn seconds(&self) -> Result<F32, Mistake> {
        const WANTED: &str = "a time such as 12.5s or 1:31.25m";
        if self.list.len() > 1 {
            // In LMPC's language the unit is a word of its own: `12.5 s`.
            let words = self.list.iter().map(|(_, v)| if let Value::Word(w) = v { Some(*w) } else { None });
            let joined = words.collect::<Option<Vec<_>>>().and_then(|words| parse_time(&words.concat()));
            return joined.map(F32::from_bits).ok_or_else(|| self.wants(WANTED));
        }
        let [word] = self.words("a time")?;
        parse_time(word).map(F32::from_bits).ok_or_else(|| self.wants(WANTED))
    }

    /// `N` coordinates.
    #[inline]
    pub fn coords<const N: usize>(&self, kind: CoordKind) -> Result<[Coord; N], Mistake> {
        let words = self.words::<N>(["one coordinate", "two coordinates", "three coordinates"][N.clamp(1, 3) - 1])?;
        let mut out = [Coord::I16(0); N];
        for (slot, word) in out.iter_mut().zip(words) {
            *slot = coord(word, kind).ok_or_else(|| self.wants("a coordinate within the range of the protocol"))?;
        }
        Ok(out)
    }

    /// `N` angles in degrees.
    #[inline]
    pub fn angles<const N: usize>(&self, kind: AngleKind) -> Result<[Angle; N], Mistake> {
        let words = self.words::<N>(["one angle", "two angles", "three angles"][N.clamp(1, 3) - 1])?;
        let mut out = [Angle::I8(0); N];
        for (slot, word) in out.iter_mut().zip(words) {
            *slot = match kind {
                AngleKind::F32 => parse_f32(word).map(|b| Angle::F32(F32::from_bits(b))),
                _ => parse_f64(word).filter(|v| v.abs() < 1e9).map(|v| Angle::from_degrees(v, kind)),
            }
            .ok_or_else(|| self.wants("an angle in degrees"))?;
        }
        Ok(out)
    }

    /// `N` angles in degrees, as 65536ths of a turn.
    pub fn turns<const N: usize>(&self) -> Result<[i16; N], Mistake> {
        let angles = self.angles::<N>(AngleKind::I16)?;
        Ok(angles.map(|angle| if let Angle::I16(turn) = angle { turn } else { 0 }))
    }

    /// One string.
    pub fn string(&self) -> Result<&'x [u8], Mistake> {
        match self.list {
            [(_, Value::Str(s))] => Ok(s.as_ref()),
            _ => Err(self.wants("one \"string\"")),
        }
    }

    /// All values as strings.
    pub fn strings(&self) -> Result<Vec<&'x [u8]>, Mistake> {
        self.list
            .iter()
            .map(|(_, v)| match v {
                Value::Str(s) => Some(s.as_ref()),
                Value::Word(_) => None,
            })
            .collect::<Option<_>>()
            .ok_or_else(|| self.wants("\"strings\""))
    }

    /// All values as bytes: `0x01 0x02 ...`.
    pub fn bytes(&self) -> Result<Vec<u8>, Mistake> {
        let mut out = Vec::with_capacity(self.list.len());
        for (at, v) in self.list {
            match v {
                Value::Word(w) => match parse_int(w).and_then(|v| u8::try_from(v).ok()) {
                    Some(b) => out.push(b),
                    None => return Err(Mistake::new(*at, "a byte is a number from 0 to 255 or 0x00 to 0xFF")),
                },
                Value::Str(_) => return Err(Mistake::new(*at, "bytes are numbers, not strings")),
            }
        }
        Ok(out)
    }
}

/// LMPC's word for mask bits that it has no words for, by number.
pub(crate) const UNKNOWN_MASK_BITS: Name = Name::new("unknown_mask_bits");

/// How special numbers begin.
const SPELLED: [&[u8]; 5] = [b"f32(", b"f24(", b"by(", b"long(", b"short("];

fn coord(word: &[u8], kind: CoordKind) -> Option<Coord> {
    let inner = |spelled: &[u8]| parse_f64(word.strip_prefix(spelled)?.strip_suffix(b")")?);
    match kind {
        CoordKind::StretchedDelta if word.starts_with(b"by(") => Coord::by(inner(b"by(")?),
        CoordKind::Stretched if word.starts_with(b"long(") => Coord::needlessly_long(inner(b"long(")?),
        CoordKind::Either if word.starts_with(b"short(") => Coord::from_f64(inner(b"short(")?, CoordKind::EitherShort),
        CoordKind::F32 | CoordKind::Either => parse_f32(word).map(|bits| Coord::F32(F32::from_bits(bits))),
        CoordKind::I24 if word.starts_with(b"f24(") => {
            let inner = word.strip_prefix(b"f24(")?.strip_suffix(b")")?;
            let comma = inner.iter().position(|&b| b == b',')?;
            let whole = i16::try_from(parse_int(&inner[..comma])?).ok()?;
            Some(Coord::I24(whole, u8::try_from(parse_int(&inner[comma + 1..])?).ok()?))
        }
        _ => Coord::from_f64(parse_f64(word)?, kind),
    }
}
