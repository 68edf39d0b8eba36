//! Packets outside the game.

use std::borrow::Cow;

use super::packet::{DATA, END_OF_DEMO};
use crate::describe::{
    Alternative, FieldSchema, Fields, Form, Mistake, Name, Presence, Sink, Statement, TypeSchema, Unknown,
};
use crate::wire::{ByteWriter, Scalar, into_owned};

/// A packet outside the game: a word of 0xFFFFFFFF, a letter, and what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connectionless<'a> {
    /// What it is, a letter in most cases.
    pub id: u8,
    /// What follows.
    pub data: Cow<'a, [u8]>,
}

into_owned!(Connectionless<'a> { id, data cow });

/// Connectionless packets that are a text and nothing else, or nothing at all, with their names in text and what they
/// are for.
const TEXTS: [(u8, Name, &str); 4] = [
    (2, Name::new("disconnect"), "Number 2: the recording ends, \"EndOfDemo\"."),
    (b'B', Name::new("client_command"), "Number 66 (B): a command for the client's console."),
    (b'c', Name::new("challenge"), "Number 99 (c): a number to connect with."),
    (b'n', Name::new("console"), "Number 110 (n): text for the console."),
];
const WORDS: [(u8, Name, &str); 2] = [
    (b'j', Name::new("connect"), "Number 106 (j): the server accepts the client."),
    (b'k', Name::new("ping"), "Number 107 (k): the server asks for an answer."),
];

impl<'a> Connectionless<'a> {
    pub(super) const NAME: Name = Name::new("connless");
    const ID: Name = Name::new("id");
    /// The word in front.
    pub(crate) const WORD: [u8; 4] = [0xFF; 4];
    const FIELDS: [&'static [FieldSchema]; 7] = {
        const TEXT: TypeSchema = TypeSchema::new("string", "string", "");
        const WORD: TypeSchema = TypeSchema::new("", "boolean", "");
        const fn field((_, name, doc): &(u8, Name, &'static str), ty: TypeSchema) -> FieldSchema {
            FieldSchema::new(name.text, ty, Presence::Selected, doc)
        }
        [
            &[field(&TEXTS[0], TEXT)],
            &[field(&TEXTS[1], TEXT)],
            &[field(&TEXTS[2], TEXT)],
            &[field(&TEXTS[3], TEXT)],
            &[field(&WORDS[0], WORD)],
            &[field(&WORDS[1], WORD)],
            &[
                FieldSchema::new(
                    Self::ID.text,
                    TypeSchema::new("u8", "integer", ""),
                    Presence::Selected,
                    "Any number, with whatever data.",
                ),
                FieldSchema::new(
                    DATA.text,
                    TypeSchema::new("u8[]", "integer[]", "").left_out_when_empty(),
                    Presence::Selected,
                    "What follows it.",
                ),
            ],
        ]
    };
    /// What documentation says of it.
    pub(super) const STATEMENT: Statement = Statement::of(
        Self::NAME,
        "A packet outside the game, behind a word of 0xFFFFFFFF: one of the words with its number, or id and data.",
        &[],
    )
    .called("Within sblock")
    .one_of(&[
        Alternative::of(&[&[Self::FIELDS[0]]]),
        Alternative::of(&[&[Self::FIELDS[1]]]),
        Alternative::of(&[&[Self::FIELDS[2]]]),
        Alternative::of(&[&[Self::FIELDS[3]]]),
        Alternative::of(&[&[Self::FIELDS[4]]]),
        Alternative::of(&[&[Self::FIELDS[5]]]),
        Alternative::of(&[&[Self::FIELDS[6]]]),
    ]);

    /// The end of a recording.
    pub fn end_of_demo() -> Self {
        Connectionless { id: 2, data: Cow::Borrowed(END_OF_DEMO.get(1..).unwrap_or_default()) }
    }

    /// Text for the console.
    pub fn console(text: &[u8]) -> Self {
        Connectionless { id: b'n', data: Cow::Owned([text, &[0]].concat()) }
    }

    /// What a client prints: text for its console. What FTE sends of files, under the same letter, is none.
    pub(crate) fn printed(&self) -> Option<&[u8]> {
        let text = self.data.split(|b| *b == 0).next().filter(|text| self.id == b'n' && !text.is_empty())?;
        (!text.starts_with(b"\\chunk")).then_some(text)
    }

    /// True for the end of a recording.
    pub fn is_end_of_demo(&self) -> bool {
        self.id == 2
    }

    pub(super) fn write(&self, w: &mut ByteWriter) {
        w.bytes(&Self::WORD);
        w.u8(self.id);
        w.bytes(&self.data);
    }

    pub(super) fn show<S: Sink>(&self, s: &mut S) {
        s.group(Self::NAME);
        let text = TEXTS.iter().find(|(n, ..)| *n == self.id);
        let word = WORDS.iter().find(|(n, ..)| *n == self.id);
        match (text, word, &*self.data) {
            (Some((_, name, _)), _, [string @ .., 0]) if !string.contains(&0) => s.string(*name, string),
            (_, Some((_, name, _)), []) => s.flag(*name),
            _ if s.form() == Form::Lmpc => {
                // Where LMPC has messages it has bytes in their place, and not less than two.
                Unknown { bytes: [&[self.id], &*self.data].concat().into() }.show(s);
                if self.data.is_empty() {
                    s.foreign();
                }
            }
            _ => {
                s.value(Self::ID, Scalar::Hex(u64::from(self.id)));
                if !self.data.is_empty() {
                    s.bytes(DATA, &self.data);
                }
            }
        }
        s.close();
    }

    pub(super) fn parse(mut f: Fields<'_, '_>) -> Result<Self, Mistake> {
        for (id, name, _) in TEXTS {
            if f.has(name) {
                let data = [f.take(name)?.string()?, &[0]].concat();
                f.finish()?;
                return Ok(Connectionless { id, data: data.into() });
            }
        }
        for (id, name, _) in WORDS {
            if f.flag(name)? {
                f.finish()?;
                return Ok(Connectionless { id, data: Cow::Borrowed(&[]) });
            }
        }
        if let Some(mut unknown) = f.take_child(Unknown::NAME) {
            let bytes = Unknown::parse(&mut unknown)?.bytes;
            let Some((id, data)) = bytes.split_first() else {
                return Err(unknown.mistake("a packet outside the game has an id"));
            };
            f.finish()?;
            return Ok(Connectionless { id: *id, data: data.to_vec().into() });
        }
        let id = f.take(Self::ID)?.int(0, 255)? as u8;
        let data = if f.has(DATA) { f.take(DATA)?.bytes()? } else { Vec::new() };
        f.finish()?;
        Ok(Connectionless { id, data: data.into() })
    }
}
