//! Names, and finding them among others.

/// The name of a message or field: ours, and LMPC's where that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// The name in text and JSON.
    pub text: &'static str,
    /// The name in LMPC's language: `Some` of the same or an older name, or `None` when LMPC has no word for it.
    pub lmpc: Option<&'static str>,
    keys: [u64; 2],
    /// Those of [`bit`] for both keys.
    bits: u64,
    /// The beginning of the name in text, and zeros behind it.
    padded: [u8; Name::PADDED],
}

impl Name {
    /// Few names are longer.
    const PADDED: usize = 24;

    /// A name that LMPC has too.
    pub const fn new(text: &'static str) -> Self {
        Self::keyed(text, Some(text), [key(text.as_bytes()); 2])
    }

    /// A name that LMPC calls `lmpc`; an empty `lmpc` says that it has none.
    pub const fn with(text: &'static str, lmpc: &'static str) -> Self {
        if lmpc.is_empty() {
            return Self::keyed(text, None, [key(text.as_bytes()); 2]);
        }
        Self::keyed(text, Some(lmpc), [key(text.as_bytes()), key(lmpc.as_bytes())])
    }

    const fn keyed(text: &'static str, lmpc: Option<&'static str>, keys: [u64; 2]) -> Self {
        let (mut padded, bytes) = ([0; Self::PADDED], text.as_bytes());
        let mut n = 0;
        while n < bytes.len() && n < Self::PADDED {
            padded[n] = bytes[n];
            n += 1;
        }
        Name { text, lmpc, keys, bits: bit(keys[0]) | bit(keys[1]), padded }
    }

    /// Writes the name. Most are copied with the zeros behind them and cut, as a copy of a known size is a single move.
    #[inline]
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.text.len() > Self::PADDED {
            return out.extend_from_slice(self.text.as_bytes());
        }
        let at = out.len();
        out.extend_from_slice(&self.padded);
        out.truncate(at + self.text.len());
    }

    /// The name as a number.
    pub(crate) const fn key(&self) -> u64 {
        self.keys[0]
    }

    /// True for the name in either vocabulary.
    #[inline]
    pub fn is(&self, word: &[u8]) -> bool {
        self.is_keyed(word, key(word))
    }

    /// [`Name::is`] for a word whose key is known.
    #[inline(always)]
    pub(crate) fn is_keyed(&self, word: &[u8], key: u64) -> bool {
        self.keys[0] == key && is_same(word, self.text)
            || self.keys[1] == key && self.lmpc.is_some_and(|lmpc| is_same(word, lmpc))
    }

    /// False when a word with this name is not among those whose [`bit`]s are set.
    #[inline(always)]
    pub(crate) const fn may_be_among(&self, bits: u64) -> bool {
        self.bits & bits != 0
    }
}

/// True for the same words, if their keys are the same.
#[inline(always)]
fn is_same(word: &[u8], name: &str) -> bool {
    word.len() == name.len() && (name.len() <= 8 || word == name.as_bytes())
}

/// A number that tells words apart at a glance: their bytes up to eight, of longer ones the first and last eight and the
/// length.
#[inline]
pub(crate) const fn key(word: &[u8]) -> u64 {
    match (word.first_chunk::<8>(), word.last_chunk::<8>()) {
        (Some(only), _) if word.len() == 8 => u64::from_le_bytes(*only),
        (Some(head), Some(tail)) => {
            let length = (word.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            u64::from_le_bytes(*head) ^ u64::from_le_bytes(*tail).rotate_left(29) ^ length
        }
        _ => match (word.first_chunk::<4>(), word.last_chunk::<4>()) {
            (Some(head), Some(tail)) => {
                u32::from_le_bytes(*head) as u64 | (u32::from_le_bytes(*tail) as u64) << (8 * (word.len() - 4))
            }
            _ => match word {
                [a, b, c] => *a as u64 | (*b as u64) << 8 | (*c as u64) << 16,
                [a, b] => *a as u64 | (*b as u64) << 8,
                [a] => *a as u64,
                _ => 0,
            },
        },
    }
}

/// The key of a word, mixed.
#[inline(always)]
const fn mixed(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// One of 64 bits for a word with a key: those of several words tell of most others that they are not among them.
#[inline(always)]
pub(super) const fn bit(key: u64) -> u64 {
    1 << (mixed(key) >> 58)
}

/// A list of names in which words are looked up.
pub(crate) struct NameIndex {
    names: &'static [Name],
    /// A hash table of places in the list.
    slots: [u8; NameIndex::SLOTS],
}

impl NameIndex {
    const SLOTS: usize = 512;
    const NONE: u8 = 0xFF;

    /// An index of less than 255 names.
    pub(crate) const fn new(names: &'static [Name]) -> Self {
        let mut slots = [Self::NONE; Self::SLOTS];
        let mut place = 0;
        while place < names.len() {
            let keys = names[place].keys;
            let mut n = 0;
            while n < keys.len() && (n == 0 || keys[n] != keys[0]) {
                let mut slot = Self::slot(keys[n]);
                while slots[slot] != Self::NONE {
                    slot = (slot + 1) % Self::SLOTS;
                }
                slots[slot] = place as u8;
                n += 1;
            }
            place += 1;
        }
        NameIndex { names, slots }
    }

    const fn slot(key: u64) -> usize {
        (mixed(key) >> 55) as usize
    }

    /// The place of a word in the list, in either vocabulary; of several the first.
    #[inline]
    pub(crate) fn find(&self, word: &[u8]) -> Option<usize> {
        let key = key(word);
        let mut slot = Self::slot(key);
        loop {
            let place = usize::from(self.slots[slot]);
            match self.names.get(place) {
                None => return None,
                Some(name) if name.is_keyed(word, key) => return Some(place),
                Some(_) => slot = (slot + 1) % Self::SLOTS,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_short_words_apart_by_all_of_their_bytes() {
        for len in 0..=8 {
            let word = &b"abcdefgh"[..len];
            let mut padded = [0; 8];
            padded[..len].copy_from_slice(word);
            assert_eq!(key(word), u64::from_le_bytes(padded), "{word:?}");
        }
        // Longer ones may share a key, and are compared.
        assert_ne!(key(b"unknown_mask_bits"), key(b"unknown_mask_bit"));
        assert!(!Name::new("abcdefgh1abcdefgh").is_keyed(b"abcdefgh2abcdefgh", key(b"abcdefgh1abcdefgh")));
        // A word that is padded with zeros is another word.
        assert!(!Name::new("abc").is(b"abc\0"));
    }

    #[test]
    fn an_index_finds_names_in_both_vocabularies() {
        const NAMES: &[Name] = &[Name::new("time"), Name::with("effects", "attackstate"), Name::with("alpha", "")];
        static INDEX: NameIndex = NameIndex::new(NAMES);
        let find = |word: &str| INDEX.find(word.as_bytes());
        assert_eq!(
            ["time", "effects", "attackstate", "alpha", "", "tim"].map(find),
            [Some(0), Some(1), Some(1), Some(2), None, None]
        );
    }
}
