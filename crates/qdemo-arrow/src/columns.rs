//! Values of one column, gathered.

use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float32Builder, Float64Builder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, StringArray};
use arrow_schema::ArrowError;
use hashbrown::{DefaultHashBuilder, HashTable};
use qdemo::table::{Row, Value, Values};

/// Gathers the values of a column.
pub(crate) enum Gathered {
    Integer(Int64Builder),
    Number(Float32Builder),
    Seconds(Float64Builder, (f32, f64)),
    Text(StringBuilder),
    Word(Box<Words>),
    Boolean(BooleanBuilder),
}

impl Gathered {
    pub(crate) fn new(values: Values, plain: bool) -> Self {
        match values {
            Values::Integer(_) => Gathered::Integer(Int64Builder::new()),
            Values::Number(_) => Gathered::Number(Float32Builder::new()),
            Values::Seconds(_) => Gathered::Seconds(Float64Builder::new(), (0.0, 0.0)),
            Values::Text(_) => Gathered::Text(StringBuilder::new()),
            Values::Word(_) | Values::Raw(_) => Gathered::words(plain),
            Values::Boolean(_) => Gathered::Boolean(BooleanBuilder::new()),
        }
    }

    pub(crate) fn words(plain: bool) -> Self {
        if plain { Gathered::Text(StringBuilder::new()) } else { Gathered::Word(Box::default()) }
    }

    /// Takes the value of a row.
    pub(crate) fn take(&mut self, values: Values, row: &Row<'_>) {
        match (self, values) {
            (Gathered::Integer(all), Values::Integer(of)) => all.append_option(of(row)),
            (Gathered::Number(all), Values::Number(of)) => all.append_option(of(row)),
            (Gathered::Seconds(all, last), Values::Seconds(of)) => all.append_option(of(row).map(|v| {
                // All players of a frame have the same time.
                if last.0.to_bits() != v.to_bits() || v == 0.0 {
                    // The decimal that CSV and JSON have.
                    *last = (v, v.to_string().parse().unwrap_or_else(|_| f64::from(v)));
                }
                last.1
            })),
            (Gathered::Boolean(all), Values::Boolean(of)) => all.append_option(of(row)),
            (Gathered::Text(all), values) => match values.of(row) {
                Some(Value::Text(text)) => all.append_value(text),
                _ => all.append_null(),
            },
            (Gathered::Word(all), values) => match values.of(row) {
                Some(Value::Text(text)) => all.push(&text),
                _ => all.keys.append_null(),
            },
            // Gatherers are made for their columns.
            _ => {}
        }
    }

    /// Takes a text.
    pub(crate) fn push(&mut self, text: &str) {
        match self {
            Gathered::Word(words) => words.push(text),
            Gathered::Text(all) => all.append_value(text),
            _ => {}
        }
    }

    /// Bytes of texts that are held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Gathered::Text(all) => all.values_slice().len(),
            _ => 0,
        }
    }

    /// What was gathered since the last time.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Gathered::Integer(all) => Arc::new(all.finish()),
            Gathered::Number(all) => Arc::new(all.finish()),
            Gathered::Seconds(all, _) => Arc::new(all.finish()),
            Gathered::Text(all) => Arc::new(all.finish()),
            Gathered::Boolean(all) => Arc::new(all.finish()),
            Gathered::Word(words) => words.finish()?,
        })
    }
}

/// Texts of which there are few, each held once. From batch to batch they are kept.
#[derive(Default)]
pub(crate) struct Words {
    keys: Int32Builder,
    /// Places in `ends`, by hashes.
    table: HashTable<i32>,
    text: String,
    /// Where each word ends in `text`.
    ends: Vec<usize>,
    /// The dictionary, while no word is added.
    made: Option<Arc<StringArray>>,
    /// The word of the last row.
    last: Option<i32>,
    hasher: DefaultHashBuilder,
}

impl Words {
    /// So many are kept from batch to batch.
    const MOST: usize = 65_536;

    fn push(&mut self, text: &str) {
        if let Some(last) = self.last.filter(|last| word(&self.text, &self.ends, *last) == text) {
            return self.keys.append_value(last);
        }
        let hash = self.hasher.hash_one(text);
        let found = self.table.find(hash, |key| word(&self.text, &self.ends, *key) == text).copied();
        let key = found.unwrap_or_else(|| self.add(text, hash));
        self.last = Some(key);
        self.keys.append_value(key);
    }

    fn add(&mut self, text: &str, hash: u64) -> i32 {
        let key = i32::try_from(self.ends.len()).unwrap_or(i32::MAX);
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.made = None;
        let Words { table, text, ends, hasher, .. } = self;
        table.insert_unique(hash, key, |key| hasher.hash_one(word(text, ends, *key)));
        key
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let words = match &self.made {
            Some(made) => Arc::clone(made),
            None => {
                let words = (0..self.ends.len())
                    .map(|key| word(&self.text, &self.ends, i32::try_from(key).unwrap_or(i32::MAX)));
                let made = Arc::new(StringArray::from_iter_values(words));
                self.made = Some(Arc::clone(&made));
                made
            }
        };
        let made = DictionaryArray::<Int32Type>::try_new(self.keys.finish(), words)?;
        if self.ends.len() > Words::MOST {
            // Texts are seldom the same here: the next batch begins anew.
            *self = Words::default();
        }
        Ok(Arc::new(made))
    }
}

/// A word among those that stand one behind the other.
fn word<'t>(text: &'t str, ends: &[usize], key: i32) -> &'t str {
    let key = usize::try_from(key).unwrap_or(usize::MAX);
    let from = key.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or_default();
    ends.get(key).and_then(|to| text.get(from..*to)).unwrap_or_default()
}
