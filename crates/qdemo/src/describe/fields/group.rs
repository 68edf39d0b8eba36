//! Fields and groups that are kept apart.

use crate::describe::{ByteWire, Field, FieldSchema, Fields, MaskedGroup, Mistake, Name, Sink, TypeSchema, Wire};
use crate::wire::{ByteReader, ByteWriter, Fault};

/// A rare field, kept apart so that it does not make every message larger.
impl<'a, W: Wire, T: Field<'a, W>> Field<'a, W> for Box<T> {
    const TYPE: TypeSchema = T::TYPE;
    fn read(r: &mut W::Reader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        T::read(r, d).map(Box::new)
    }
    fn write(&self, w: &mut W::Writer, d: &W::Dialect) -> Result<(), Fault> {
        T::write(self, w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        T::show(self, name, s);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake> {
        T::parse(f, name, d).map(Box::new)
    }
    fn given(f: &Fields<'a, '_>, name: Name, d: &W::Dialect) -> bool {
        T::given(f, name, d)
    }
}

/// A rare group, kept apart so that it does not make every message larger.
impl<'a, W: ByteWire, T: MaskedGroup<'a, W>> MaskedGroup<'a, W> for Option<Box<T>> {
    const BITS: u64 = T::BITS;
    const FIELDS: &'static [FieldSchema] = T::FIELDS;
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect, mask: u64) -> Result<Self, Fault> {
        if mask & T::BITS == 0 { Ok(None) } else { T::read(r, d, mask).map(|group| Some(Box::new(group))) }
    }
    #[inline]
    fn bits(&self) -> u64 {
        self.as_ref().map_or(0, |group| group.bits())
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        self.as_ref().map_or(Ok(()), |group| group.write(w, d))
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        if let Some(group) = self {
            group.show(s);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, d: &W::Dialect) -> Result<Self, Mistake> {
        T::parse(f, d).map(|group| (group.bits() != 0).then(|| Box::new(group)))
    }
}

/// A group behind a mask byte of its own; text and JSON show it in braces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Braced<T>(pub T);

impl<'a, W: ByteWire, T: MaskedGroup<'a, W>> Field<'a, W> for Braced<T> {
    const TYPE: TypeSchema = TypeSchema::new("u8 mask, then what it tells", "object", "");
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        let mask = u64::from(r.u8()?);
        if mask & !T::BITS != 0 {
            return Err(r.malformed("a mask bit without a meaning"));
        }
        T::read(r, d, mask).map(Braced)
    }
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        w.u8(self.0.bits() as u8);
        self.0.write(w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.group(name);
        self.0.show(s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake> {
        let Some(mut group) = f.take_child(name) else {
            return Err(f.mistake(format!("{} is written {} {{ ... }}", name.text, name.text)));
        };
        group.check_shape(false)?;
        let all = T::parse(&mut group, d)?;
        group.finish()?;
        Ok(Braced(all))
    }
}
