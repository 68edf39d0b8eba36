//! Lists within messages.

use std::borrow::Cow;

use crate::describe::{Field, FieldSchema, Fields, Holds, Mistake, Name, Presence, Sink, Statement, TypeSchema};
use crate::format::dm2::values::Direction;
use crate::format::dm2::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, Str, StrList, into_owned};

/// Arguments of a text. They may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Args<'a>(StrList<'a>);

into_owned!(Args<'a> { 0 });

impl<'a> Args<'a> {
    /// Arguments free of NUL; what stands behind one is left out.
    pub fn new<'s>(args: impl IntoIterator<Item = &'s [u8]>) -> Args<'static> {
        let mut all = Vec::new();
        for arg in args {
            all.extend(arg.iter().take_while(|b| **b != 0));
            all.push(0);
        }
        Args(StrList(Cow::Owned(all)))
    }

    /// The arguments in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter()
    }
}

impl<'a> Field<'a, Wire> for Args<'a> {
    const TYPE: TypeSchema = TypeSchema::new("u8 count, string[count]", "string[]", "").left_out_when_empty();
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let count = r.u8()?;
        let start = r.pos();
        for _ in 0..count {
            r.until_nul()?;
        }
        Ok(Args(StrList(Cow::Borrowed(r.since(start)))))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        let count = u8::try_from(self.0.len()).map_err(|_| Fault::unwritable("more than 255 arguments"))?;
        w.u8(count);
        w.bytes(&self.0.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        if !self.0.is_empty() {
            s.strings(name, &self.0);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        if !f.has(name) {
            return Ok(Args::default());
        }
        let args = f.take(name)?.strings()?;
        if args.iter().any(|arg| arg.contains(&0)) {
            return Err(f.mistake("an argument cannot contain \\000: NUL ends it"));
        }
        Ok(Args::new(args))
    }
}

/// The configstrings of a level that began anew.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedStrings<'a>(pub Vec<(i16, Str<'a>)>);

into_owned!(ChangedStrings<'a> { 0 pairs });

impl ChangedStrings<'_> {
    /// Hands them on one by one.
    pub fn each(&self, mut each: impl FnMut(u16, &[u8])) {
        for (index, string) in &self.0 {
            if let Ok(index) = u16::try_from(*index) {
                each(index, string.bytes());
            }
        }
    }

    /// What documentation says of an item.
    const ITEM_STATEMENT: Statement = Statement::of(
        Self::ITEM,
        "A configstring that is another now.",
        &[&[
            field(Self::INDEX, "Its number.", <i16 as Field<Wire>>::TYPE),
            field(Self::STRING, "Its value.", <Str<'_> as Field<Wire>>::TYPE),
        ]],
    );
    /// The number that ends the list.
    const END: i16 = -1;
    const ITEM: Name = Name::with("configstring", "");
    const INDEX: Name = Name::with("index", "");
    const STRING: Name = Name::with("string", "");
}

const fn field(name: Name, doc: &'static str, ty: TypeSchema) -> FieldSchema {
    FieldSchema { name: name.text, lmpc: name.lmpc, doc, ty, presence: Presence::Always }
}

impl<'a> Field<'a, Wire> for ChangedStrings<'a> {
    const TYPE: TypeSchema = TypeSchema::new("configstring each, ended by i16 -1", "object[]", "")
        .holding(Holds::List(&ChangedStrings::ITEM_STATEMENT));
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mut all = Vec::new();
        loop {
            match r.i16()? {
                Self::END => return Ok(ChangedStrings(all)),
                index => all.push((index, Str::new(r.until_nul()?))),
            }
        }
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        for (index, string) in &self.0 {
            if *index == Self::END {
                return Err(Fault::unwritable("configstring -1 would end the list"));
            }
            w.i16(*index);
            w.string(string.bytes())?;
        }
        w.i16(Self::END);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.list(name);
        for (index, string) in &self.0 {
            s.item(Self::ITEM);
            s.value(Self::INDEX, Scalar::Int(i64::from(*index)));
            s.string(Self::STRING, string.bytes());
            s.close();
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        let item = |item: &mut Fields<'a, '_>| {
            let index = item.take(Self::INDEX)?.int(-32_768, 32_767)? as i16;
            Ok((index, <Str<'a> as Field<'a, Wire>>::parse(item, Self::STRING, d)?))
        };
        f.take_list(name, Self::ITEM, item).map(ChangedStrings)
    }
}

/// A hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// A third of the damage in bits 0 to 4; 32 health, 64 armour, 128 power shield suffered.
    pub value: u8,
    /// Where it came from.
    pub movedir: Direction,
}

impl Hit {
    /// What documentation says of a hit.
    const STATEMENT: Statement = Statement::of(
        Self::ITEM,
        "A hit.",
        &[&[
            field(
                Self::VALUE,
                "A third of the damage in bits 0 to 4; 32 health, 64 armour, 128 power shield suffered.",
                <u8 as Field<Wire>>::TYPE,
            ),
            field(Self::MOVEDIR, "Where it came from.", Direction::TYPE),
        ]],
    );
    const ITEM: Name = Name::with("hit", "");
    const VALUE: Name = Name::with("value", "");
    const MOVEDIR: Name = Name::with("movedir", "");
}

/// The hits that a player suffered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hits(pub Vec<Hit>);

impl<'a> Field<'a, Wire> for Hits {
    const TYPE: TypeSchema =
        TypeSchema::new("u8 count; hit each", "object[]", "").holding(Holds::List(&Hit::STATEMENT));
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let count = r.u8()?;
        let hit = |r: &mut ByteReader<'a>| Ok(Hit { value: r.u8()?, movedir: Direction::read(r, d)? });
        (0..count).map(|_| hit(r)).collect::<Result<_, _>>().map(Hits)
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(u8::try_from(self.0.len()).map_err(|_| Fault::unwritable("more than 255 hits"))?);
        for hit in &self.0 {
            w.u8(hit.value);
            hit.movedir.write(w, d)?;
        }
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.list(name);
        for hit in &self.0 {
            s.item(Hit::ITEM);
            s.value(Hit::VALUE, Scalar::Int(i64::from(hit.value)));
            hit.movedir.show(Hit::MOVEDIR, s);
            s.close();
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        let item = |item: &mut Fields<'a, '_>| {
            let value = item.take(Hit::VALUE)?.int(0, 255)? as u8;
            Ok(Hit { value, movedir: Direction::parse(item, Hit::MOVEDIR, d)? })
        };
        f.take_list(name, Hit::ITEM, item).map(Hits)
    }
}
