//! Encodings that no engine writes: what is written so says the same to a player, but another program, or damage, made it.

use super::{Form, Name, Sink, Table};
use crate::wire::{Scalar, StrList};

/// What stands around messages.
const BLOCK: Name = Name::new("block");

/// A word for something unusual.
#[derive(Debug)]
pub(crate) struct OddityWord {
    /// Formats that have it.
    quake3: bool,
    pub(crate) name: Name,
    pub(crate) meaning: &'static str,
}

const fn word(quake3: bool, name: &'static str, meaning: &'static str) -> OddityWord {
    OddityWord { quake3, name: Name::with(name, ""), meaning }
}

/// The words, and what they say. `tail` and `eof` are none of them: servers write two ends of a message, and what was in
/// memory behind it.
static WORDS: [OddityWord; 9] = [
    word(false, "mask_extra", "bits of a mask are not those that go with its fields"),
    word(true, "count", "the count of fields is larger than they need"),
    word(true, "mask", "a mask is spelled out that has a number"),
    word(true, "long", "a number has 32 bits where engines write 13"),
    word(true, "unzero", "a zero is written in full"),
    word(true, "arrays", "arrays are said to be there that are empty"),
    word(true, "nothing", "an entity is said to change, and nothing of it does"),
    word(true, "unclosed", "the end of the message is missing"),
    word(true, "closed", "an end of message that this protocol does not have"),
];

/// What is said of entities out of order. It is no word of the text form.
static ORDER: OddityWord = word(false, "order", "entities are not in order of their numbers");

/// Entities in lists, with the names of their numbers. Quake has no lists, and its engines send some entities last.
const ENTITIES: [(&str, &str); 2] = [("entity", "index"), ("packetentity", "entity")];

/// Something unusual in a chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Oddity {
    pub(crate) word: &'static OddityWord,
    pub(crate) message: &'static str,
}

/// A message or group that is open.
#[derive(Debug)]
struct OpenGroup {
    name: &'static str,
    /// The number of the last entity in it.
    last: i64,
    /// Name of the number that is still to be told of an entity.
    number: Option<&'static str>,
}

/// Looks for the words in what messages show, and forgets the rest.
#[derive(Debug, Default)]
pub(crate) struct Oddities {
    quake3: bool,
    /// Messages and groups that are open.
    open: Vec<OpenGroup>,
    pub(crate) odd: Vec<Oddity>,
    /// A text was shown.
    pub(crate) has_text: bool,
}

impl Oddities {
    /// For recordings of Quake III's family, or for others.
    pub(crate) fn new(quake3: bool) -> Self {
        Oddities { quake3, ..Oddities::default() }
    }

    /// A block begins: what was seen in others is forgotten.
    pub(crate) fn begin_block(&mut self) {
        self.odd.clear();
        self.has_text = false;
        self.open.clear();
        self.begin(BLOCK);
    }

    /// Unusual things that are remembered of a chunk.
    const MOST: usize = 32;

    pub(crate) fn see(&mut self, name: Name) {
        // Words of LMPC's language are none of these.
        if name.lmpc.is_none() {
            let is = |word: &&OddityWord| word.name.key() == name.key() && word.name.text == name.text;
            self.odd(WORDS.iter().find(|word| word.quake3 == self.quake3 && is(word)));
        }
    }

    fn odd(&mut self, word: Option<&'static OddityWord>) {
        if self.odd.len() < Self::MOST {
            // The message stands in the block.
            let message = self.open.get(1).or(self.open.first()).map_or("", |open| open.name);
            self.odd.extend(word.map(|word| Oddity { word, message }));
        }
    }

    fn begin(&mut self, name: Name) {
        let entity = ENTITIES.iter().find(|(entity, _)| *entity == name.text);
        self.open.push(OpenGroup { name: name.text, last: -1, number: entity.map(|(_, number)| *number) });
    }

    /// A number: perhaps that of an entity.
    fn number(&mut self, name: Name, v: Scalar) {
        let [.., list, entity] = &mut self.open[..] else { return };
        let (Some(expected), Scalar::Int(number)) = (entity.number, v) else { return };
        if expected != name.text {
            return;
        }
        entity.number = None;
        let before = std::mem::replace(&mut list.last, number);
        if number <= before {
            self.odd(Some(&ORDER));
        }
    }
}

impl Sink for Oddities {
    fn form(&self) -> Form {
        Form::Json
    }
    fn open(&mut self, name: Name, _: bool) {
        self.see(name);
        self.begin(name);
    }
    fn close(&mut self) {
        self.open.pop();
    }
    fn group(&mut self, name: Name) {
        self.begin(name);
    }
    fn list(&mut self, name: Name) {
        self.begin(name);
    }
    fn item(&mut self, name: Name) {
        self.begin(name);
    }
    fn flag(&mut self, name: Name) {
        self.see(name);
    }
    #[inline]
    fn value(&mut self, name: Name, v: Scalar) {
        self.see(name);
        self.number(name, v);
    }
    fn values(&mut self, _: Name, _: &[Scalar]) {}
    fn index(&mut self, _: Name, _: u32, _: Table) {}
    fn string(&mut self, _: Name, _: &[u8]) {
        self.has_text = true;
    }
    fn strings(&mut self, _: Name, _: &StrList<'_>) {
        self.has_text = true;
    }
    fn bytes(&mut self, _: Name, _: &[u8]) {}
}
