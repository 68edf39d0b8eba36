//! Strings and lists of them.

use std::borrow::Cow;

use crate::describe::{ByteWire, Field, Fields, Mistake, Name, Sink, TypeSchema};
use crate::wire::{ByteReader, ByteWriter, Fault, Str, StrList};

impl<'a, W: ByteWire> Field<'a, W> for Str<'a> {
    const TYPE: TypeSchema = TypeSchema::new("string", "string", "");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
        r.until_nul().map(Str::new)
    }
    fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
        w.string(self.bytes())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.string(name, self.bytes());
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        let s = f.take(name)?.string()?;
        if s.contains(&0) {
            return Err(f.mistake("a string cannot contain \\000: NUL ends it"));
        }
        Ok(Str::new(s))
    }
}

impl<'a, W: ByteWire> Field<'a, W> for StrList<'a> {
    const TYPE: TypeSchema = TypeSchema::new("string...", "string[]", "");
    fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
        let start = r.pos();
        while !r.until_nul()?.is_empty() {}
        let all = r.since(start);
        Ok(StrList(Cow::Borrowed(&all[..all.len() - 1])))
    }
    fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
        w.str(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.strings(name, self);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        let strings = f.take(name)?.strings()?;
        if strings.iter().any(|s| s.is_empty() || s.contains(&0)) {
            return Err(f.mistake("an empty string or \\000 would end the list"));
        }
        Ok(StrList::from_strings(strings))
    }
}
