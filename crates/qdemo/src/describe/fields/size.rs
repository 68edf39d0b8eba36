//! Sizes of what follows, in headers.

use crate::describe::{ByteWire, Field, Fields, Mistake, Name, Sink, TypeSchema};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, SizeWidth};

macro_rules! sizes {
    ($($(#[$doc:meta])* $ty:ident: $read:ident, $number:ty, $width:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $ty(pub Option<$number>);

        impl<'a, W: ByteWire> Field<'a, W> for $ty {
            const TYPE: TypeSchema = TypeSchema::new(stringify!($read), "integer", "bytes").left_out_when_empty();
            #[inline]
            fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
                r.$read().map(|size| $ty(Some(size)))
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
                match self.0 {
                    Some(size) => w.$read(size),
                    None => w.size_later(SizeWidth::$width),
                }
                Ok(())
            }
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                if let Some(size) = self.0 {
                    s.value(name, Scalar::Int(i64::from(size)));
                }
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
                if !f.has(name) {
                    return Ok($ty(None));
                }
                f.take(name)?.int(0, i64::from(<$number>::MAX)).map(|size| $ty(Some(size as $number)))
            }
        }
    )*};
}

sizes! {
    /// The size of what stands behind a header, in four bytes. `None`: as large as it is. `Some` where the header says
    /// something else, as in a block that the end of the file cuts.
    Size32: u32, u32, Four;
    /// The same in two bytes.
    Size16: u16, u16, Two;
}
