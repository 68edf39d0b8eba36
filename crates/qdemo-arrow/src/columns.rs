//! Values of one column, gathered.
//!
//! Rows come one by one, and there are tens of millions of them: what a value costs here is what reading tables costs.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::ArrowError;
use hashbrown::{DefaultHashBuilder, HashTable};
use qdemo::table::{Row, Value, Values};

/// Gathers the values of a column, with what takes them from rows.
pub(crate) enum Gathered {
    Integer(fn(&Row<'_>) -> Option<i64>, Plain<i64>),
    Number(fn(&Row<'_>) -> Option<f32>, Plain<f32>),
    Seconds(fn(&Row<'_>) -> Option<f32>, Plain<f64>, (f32, f64)),
    Boolean(fn(&Row<'_>) -> Option<bool>, Plain<bool>),
    Text(Values, StringBuilder),
    Word(for<'r> fn(&'r Row<'_>) -> Option<Cow<'r, str>>, Box<Words>),
    Raw(for<'r> fn(&'r Row<'_>) -> Option<Cow<'r, [u8]>>, Box<Words>),
    /// The name of the recording.
    File(Arc<str>, Box<Words>),
    FileText(Arc<str>, StringBuilder),
}

impl Gathered {
    pub(crate) fn new(values: Values, plain: bool) -> Self {
        match values {
            Values::Integer(of) => Gathered::Integer(of, Plain::default()),
            Values::Number(of) => Gathered::Number(of, Plain::default()),
            Values::Seconds(of) => Gathered::Seconds(of, Plain::default(), (0.0, 0.0)),
            Values::Boolean(of) => Gathered::Boolean(of, Plain::default()),
            Values::Word(of) if !plain => Gathered::Word(of, Box::default()),
            Values::Raw(of) if !plain => Gathered::Raw(of, Box::default()),
            Values::Text(_) | Values::Word(_) | Values::Raw(_) => Gathered::Text(values, StringBuilder::new()),
        }
    }

    pub(crate) fn file(plain: bool) -> Self {
        match plain {
            true => Gathered::FileText(Arc::from(""), StringBuilder::new()),
            false => Gathered::File(Arc::from(""), Box::default()),
        }
    }

    /// The name of the recording whose rows come next.
    pub(crate) fn begin(&mut self, name: &str) {
        if let Gathered::File(file, _) | Gathered::FileText(file, _) = self {
            *file = Arc::from(name);
        }
    }

    /// Takes the value of a row.
    #[inline]
    pub(crate) fn take(&mut self, row: &Row<'_>) {
        match self {
            Gathered::Integer(of, all) => all.push(of(row)),
            Gathered::Number(of, all) => all.push(of(row)),
            Gathered::Boolean(of, all) => all.push(of(row)),
            Gathered::Seconds(of, all, last) => all.push(of(row).map(|v| {
                // All players of a frame have the same time.
                if last.0.to_bits() != v.to_bits() || v == 0.0 {
                    *last = (v, decimal(v));
                }
                last.1
            })),
            Gathered::Word(of, words) => match of(row) {
                Some(text) => words.push(text.as_bytes(), || Values::plain(text.clone()).into_owned()),
                None => words.keys.push(None),
            },
            Gathered::Raw(of, words) => match of(row) {
                Some(bytes) => words.push(&bytes, || Values::of_bytes(bytes.clone()).into_owned()),
                None => words.keys.push(None),
            },
            Gathered::Text(values, all) => match values.of(row) {
                Some(Value::Text(text)) => all.append_value(text),
                _ => all.append_null(),
            },
            Gathered::File(file, words) => words.push(file.as_bytes(), || (**file).to_owned()),
            Gathered::FileText(file, all) => all.append_value(&**file),
        }
    }

    /// True for one that may hold long texts.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Gathered::Text(..) | Gathered::FileText(..))
    }

    /// Bytes of texts that are held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Gathered::Text(_, all) | Gathered::FileText(_, all) => all.values_slice().len(),
            _ => 0,
        }
    }

    /// What was gathered since the last time.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Gathered::Integer(_, all) => {
                let (values, nulls) = all.take();
                Arc::new(PrimitiveArray::<Int64Type>::try_new(values.into(), nulls)?)
            }
            Gathered::Number(_, all) => {
                let (values, nulls) = all.take();
                Arc::new(PrimitiveArray::<Float32Type>::try_new(values.into(), nulls)?)
            }
            Gathered::Seconds(_, all, _) => {
                let (values, nulls) = all.take();
                Arc::new(PrimitiveArray::<Float64Type>::try_new(values.into(), nulls)?)
            }
            Gathered::Boolean(_, all) => {
                let (values, nulls) = all.take();
                Arc::new(BooleanArray::new(BooleanBuffer::from(values), nulls))
            }
            Gathered::Text(_, all) | Gathered::FileText(_, all) => Arc::new(all.finish()),
            Gathered::Word(_, words) | Gathered::Raw(_, words) | Gathered::File(_, words) => words.finish()?,
        })
    }
}

/// The shortest decimal of a float, which CSV and JSON have.
pub(crate) fn decimal(v: f32) -> f64 {
    v.to_string().parse().unwrap_or_else(|_| f64::from(v))
}

/// Values of one size, and which are there.
#[derive(Default)]
pub(crate) struct Plain<T> {
    values: Vec<T>,
    there: Vec<bool>,
    missing: usize,
}

impl<T: Default> Plain<T> {
    #[inline]
    fn push(&mut self, value: Option<T>) {
        self.there.push(value.is_some());
        self.missing += usize::from(value.is_none());
        self.values.push(value.unwrap_or_default());
    }

    fn take(&mut self) -> (Vec<T>, Option<NullBuffer>) {
        // The next batch is as large, most likely.
        let next = Vec::with_capacity(self.values.len());
        let nulls = (self.missing > 0).then(|| NullBuffer::new(BooleanBuffer::from(&self.there[..])));
        self.there.clear();
        self.missing = 0;
        (std::mem::replace(&mut self.values, next), nulls)
    }
}

/// Texts of which there are few, each held once. From batch to batch they are kept.
#[derive(Default)]
pub(crate) struct Words {
    keys: Plain<i32>,
    /// Places in `words`, by hashes.
    table: HashTable<i32>,
    words: Vec<Word>,
    /// The dictionary, while no word is added.
    made: Option<Arc<StringArray>>,
    /// The word of the last row.
    last: i32,
    hasher: DefaultHashBuilder,
}

struct Word {
    /// As rows have it.
    given: Box<[u8]>,
    /// As it is written.
    text: String,
    /// The word that came behind it, the last time that it was another one: names of players go round, frame by frame.
    then: i32,
}

impl Words {
    /// So many are kept from batch to batch.
    const MOST: usize = 65_536;

    #[inline]
    fn push(&mut self, given: &[u8], text: impl FnOnce() -> String) {
        if self.is(self.last, given) {
            return self.keys.push(Some(self.last));
        }
        let before = usize::try_from(self.last).ok().and_then(|last| self.words.get(last));
        if let Some(then) = before.map(|word| word.then).filter(|then| self.is(*then, given)) {
            self.last = then;
            return self.keys.push(Some(then));
        }
        let hash = self.hasher.hash_one(given);
        let found = self.table.find(hash, |key| self.is(*key, given)).copied();
        let key = found.unwrap_or_else(|| self.add(given, text(), hash));
        if let Some(before) = usize::try_from(self.last).ok().and_then(|last| self.words.get_mut(last)) {
            before.then = key;
        }
        self.last = key;
        self.keys.push(Some(key));
    }

    #[inline]
    fn is(&self, key: i32, given: &[u8]) -> bool {
        usize::try_from(key).ok().and_then(|key| self.words.get(key)).is_some_and(|word| *word.given == *given)
    }

    fn add(&mut self, given: &[u8], text: String, hash: u64) -> i32 {
        let key = i32::try_from(self.words.len()).unwrap_or(i32::MAX);
        self.words.push(Word { given: given.into(), text, then: key });
        self.made = None;
        let Words { table, words, hasher, .. } = self;
        let hashed = |key: &i32| {
            let word = usize::try_from(*key).ok().and_then(|key| words.get(key));
            hasher.hash_one(word.map_or(&[][..], |word| &word.given))
        };
        table.insert_unique(hash, key, hashed);
        key
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let words = match &self.made {
            Some(made) => Arc::clone(made),
            None => {
                let made = Arc::new(StringArray::from_iter_values(self.words.iter().map(|word| &word.text)));
                self.made = Some(Arc::clone(&made));
                made
            }
        };
        let (keys, nulls) = self.keys.take();
        let made = DictionaryArray::<Int32Type>::try_new(Int32Array::try_new(keys.into(), nulls)?, words)?;
        if self.words.len() > Words::MOST {
            // Texts are seldom the same here: the next batch begins anew.
            *self = Words::default();
        }
        Ok(Arc::new(made))
    }
}
