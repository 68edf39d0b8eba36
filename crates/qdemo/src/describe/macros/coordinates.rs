//! Types of coordinates.

/// Coordinates whose encoding is not that of the dialect's other coordinates, each with its kind in the dialect.
macro_rules! coordinates {
    ($($(#[$doc:meta])* $name:ident, $kind:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name(pub Coord);

        $crate::describe::float_coordinates! { $name, |coord| coord.0, $name, $name::kind }

        impl $name {
            #[inline(always)]
            fn kind(d: &Dialect) -> $crate::wire::CoordKind {
                let kind: fn(&Dialect) -> $crate::wire::CoordKind = $kind;
                kind(d)
            }
        }

        impl<'a> $crate::describe::Field<'a, Wire> for $name {
            const TYPE: TypeSchema = TypeSchema::new("coord", "number", "units");
            #[inline(always)]
            fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
                Coord::read(r, Self::kind(d)).map($name)
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
                Coord::write(self.0, w, Self::kind(d))
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, self.0.into());
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
                f.take(name)?.coords::<1>(Self::kind(d)).map(|[c]| $name(c))
            }
        }

        impl<'a> $crate::describe::Field<'a, Wire> for [$name; 3] {
            const TYPE: TypeSchema = TypeSchema::new("coord[3]", "number[3]", "units");
            #[inline(always)]
            fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
                Ok([Field::<Wire>::read(r, d)?, Field::<Wire>::read(r, d)?, Field::<Wire>::read(r, d)?])
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
                self.iter().try_for_each(|c| Field::<Wire>::write(c, w, d))
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.values(name, &self.map(|c| Scalar::from(c.0)));
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
                f.take(name)?.coords::<3>($name::kind(d)).map(|all| all.map($name))
            }
        }
    )*};
}

pub(crate) use coordinates;
