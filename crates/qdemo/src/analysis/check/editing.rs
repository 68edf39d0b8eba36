//! `editing`: encodings that no engine writes.
//!
//! Engines write the same things in the same way. What is written otherwise says the same to a player, and shows that
//! another program had its hand in: the text form has words for it that it prints only then (`docs/text-format.md`), and
//! those words are what is looked for here. Lists of entities are in order of their numbers, too.

use super::Place;
use super::found::{Findings, Severity, Statement};
use crate::demo::detect::Detected;
use crate::demo::{Chunk, FileKind};
use crate::describe::{Form, Name, Sink, Table};
use crate::text::{MessageSink, Printer};
use crate::wire::{Scalar, StrList};

/// A word for something unusual.
struct OddityWord {
    /// Formats that have it.
    quake3: bool,
    name: Name,
    meaning: &'static str,
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
#[derive(Clone, Copy)]
struct Oddity {
    word: &'static OddityWord,
    message: &'static str,
}

/// A message or group that is open.
struct OpenGroup {
    name: &'static str,
    /// The number of the last entity in it.
    last: i64,
    /// Name of the number that is still to be told of an entity.
    number: Option<&'static str>,
}

/// Looks for the words in what is shown, and forgets the rest.
#[derive(Default)]
struct Watch {
    quake3: bool,
    /// Messages and groups that are open.
    open: Vec<OpenGroup>,
    odd: Vec<Oddity>,
}

impl Watch {
    /// Unusual things that are remembered of a chunk.
    const MOST: usize = 32;

    fn see(&mut self, name: Name) {
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

impl Sink for Watch {
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
    fn value(&mut self, name: Name, v: Scalar) {
        self.see(name);
        self.number(name, v);
    }
    fn values(&mut self, _: Name, _: &[Scalar]) {}
    fn index(&mut self, _: Name, _: u32, _: Table) {}
    fn string(&mut self, _: Name, _: &[u8]) {}
    fn strings(&mut self, _: Name, _: &StrList<'_>) {}
    fn bytes(&mut self, _: Name, _: &[u8]) {}
}

impl MessageSink for Watch {
    fn mark(&self) -> (usize, usize) {
        (self.odd.len(), self.open.len())
    }
    fn take_back(&mut self, (odd, open): (usize, usize)) {
        self.odd.truncate(odd);
        self.open.truncate(open);
    }
    fn take_foreign(&mut self) -> bool {
        false
    }
}

/// Shows every chunk to the watch.
pub(super) struct Editing {
    printer: Printer,
    watch: Watch,
}

impl Editing {
    pub(super) fn new(detected: &Detected) -> Self {
        let watch = Watch { quake3: detected.kind == FileKind::Dm3, ..Watch::default() };
        Editing { printer: Printer::new(detected), watch }
    }

    /// Looks at the next chunk.
    pub(super) fn step(&mut self, chunk: &Chunk<'_>, place: &Place, found: &mut Findings) {
        self.watch.open.clear();
        self.watch.odd.clear();
        // What is unusual in a broken block is damage.
        if self.printer.chunk(chunk, &mut self.watch).diagnostic.is_some() {
            return;
        }
        self.watch.odd.dedup_by_key(|odd| (odd.word.name.text, odd.message));
        for odd in &self.watch.odd {
            let word = odd.word;
            found.add("editing", Severity::Warning, place, odd.message, || {
                let text = format!("{}: no engine writes that", word.meaning);
                Statement::new(text, vec![("word", word.name.text.into())])
            });
        }
    }
}
