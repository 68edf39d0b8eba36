//! The strings of a replay.

use std::collections::HashMap;

use crate::wire::same;

/// Strings, each once.
#[derive(Debug, Default)]
pub(super) struct Strings {
    pub(super) all: Vec<String>,
    numbers: HashMap<String, u32>,
    /// By their bytes in the file.
    raw: HashMap<Vec<u8>, u32>,
}

impl Strings {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// True for the numbers of these two; the second has the bytes of the file.
    pub(super) fn are(&self, one: u32, text: &str, other: u32, raw: &[u8]) -> bool {
        let is = |number: u32, bytes: &[u8]| self.all.get(number as usize).is_some_and(|it| same(it.as_bytes(), bytes));
        is(other, raw) && is(one, text.as_bytes())
    }

    /// A text of the file, in plain characters.
    pub(super) fn of_bytes(&mut self, raw: &[u8], clean: impl Fn(&[u8]) -> String) -> u32 {
        if let Some(number) = self.raw.get(raw) {
            return *number;
        }
        let number = self.number(&clean(raw));
        self.raw.insert(raw.to_owned(), number);
        number
    }
}
