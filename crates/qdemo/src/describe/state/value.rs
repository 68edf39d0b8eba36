//! Values of states: what they are at first, and how JSON shows them.

use serde_json::Value;

use crate::describe::TypeSchema;
use crate::wire::{Angle, Coord, F32};

/// A field of a state.
#[derive(Debug, Clone, Copy)]
pub struct StateField {
    /// Name in the struct.
    pub name: &'static str,
    /// Key in JSON, where it has one.
    pub key: Option<&'static str>,
    /// True where the entities of all games have a word for it: see [`Entity`](crate::world::Entity).
    pub common: bool,
    /// What it means.
    pub doc: &'static str,
    /// Its type.
    pub ty: TypeSchema,
    /// Fields of the message that tell it.
    pub told_by: &'static [&'static str],
    /// Of a state within the state its fields.
    pub fields: &'static [StateField],
}

/// A field with its value in JSON.
#[derive(Debug, Clone)]
pub struct ShownField {
    /// The field.
    pub field: &'static StateField,
    /// Its key.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// The value is that of a state of which nothing was told.
    pub usual: bool,
}

/// A value in a state, or a state itself.
pub trait StateValue: PartialEq + Sized {
    /// What it is before anything was told.
    const ZERO: Self;
    /// How documentation calls it.
    const TYPE: TypeSchema;
    /// The fields of a state.
    const FIELDS: &'static [StateField] = &[];

    /// The value in JSON.
    fn json(&self) -> Value;

    /// Which fields of a state differ: bit n stands for the nth of [`StateValue::FIELDS`].
    fn differs(&self, other: &Self) -> u64 {
        u64::from(self != other)
    }

    /// True when it looks like `usual`.
    fn is_usual(&self, usual: &Self) -> bool {
        self == usual
    }

    /// The fields of a state that have a key in JSON.
    fn shown(&self) -> Vec<ShownField> {
        Vec::new()
    }

    /// Adds the field that it is in, or of a state without a key its own fields.
    fn show(&self, field: &'static StateField, usual: &Self, to: &mut Vec<ShownField>) {
        match field.key {
            Some(key) => to.push(ShownField { field, key, value: self.json(), usual: self.is_usual(usual) }),
            None => to.extend(self.shown()),
        }
    }
}

impl<T: StateValue> StateValue for Option<T> {
    const ZERO: Self = None;
    const TYPE: TypeSchema = T::TYPE;
    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::json)
    }
}

impl StateValue for bool {
    const ZERO: Self = false;
    const TYPE: TypeSchema = TypeSchema::new("bit", "boolean", "");
    fn json(&self) -> Value {
        (*self).into()
    }
}

/// Values that JSON shows as they are, alone and in lists of so many.
macro_rules! values {
    ($($ty:ty $(, [$($n:literal)*])?;)*) => {$(
        impl $crate::describe::StateValue for $ty {
            const ZERO: Self = 0;
            const TYPE: $crate::describe::TypeSchema =
                $crate::describe::TypeSchema::new(stringify!($ty), "integer", "");
            fn json(&self) -> serde_json::Value {
                (*self).into()
            }
        }
        $($(
            impl $crate::describe::StateValue for [$ty; $n] {
                const ZERO: Self = [0; $n];
                const TYPE: $crate::describe::TypeSchema = $crate::describe::TypeSchema::new(
                    concat!(stringify!($ty), "[", $n, "]"),
                    concat!("integer[", $n, "]"),
                    "",
                );
                fn json(&self) -> serde_json::Value {
                    self.to_vec().into()
                }
            }
        )*)?
    )*};
}

values! {
    u8, [3 4 23];
    u16;
    u32;
    i8;
    i16, [3 256];
    i32;
}

/// Values that JSON shows as floats, alone and in threes: of each what it is at first, and the float.
macro_rules! shown_numbers {
    ($($ty:ty, $wire:literal, $unit:literal, $zero:expr, $float:expr;)*) => {$(
        impl $crate::describe::StateValue for $ty {
            const ZERO: Self = $zero;
            const TYPE: $crate::describe::TypeSchema = $crate::describe::TypeSchema::new($wire, "number", $unit);
            fn json(&self) -> serde_json::Value {
                let float: fn($ty) -> f32 = $float;
                $crate::json::number(float(*self))
            }
            // Zeros look the same with a sign and without.
            fn is_usual(&self, usual: &Self) -> bool {
                let float: fn($ty) -> f32 = $float;
                float(*self) == float(*usual)
            }
        }

        impl $crate::describe::StateValue for [$ty; 3] {
            const ZERO: Self = [<$ty>::ZERO; 3];
            const TYPE: $crate::describe::TypeSchema =
                $crate::describe::TypeSchema::new(concat!($wire, "[3]"), "number[3]", $unit);
            fn json(&self) -> serde_json::Value {
                self.iter().map($crate::describe::StateValue::json).collect()
            }
            fn is_usual(&self, usual: &Self) -> bool {
                self.iter().zip(usual).all(|(v, usual)| v.is_usual(usual))
            }
        }
    )*};
}
pub(crate) use shown_numbers;

shown_numbers! {
    F32, "f32", "", F32::from_bits(0), F32::get;
    Coord, "coord", "units", Coord::I16(0), |v| v.get() as f32;
    Angle, "angle", "degrees", Angle::I8(0), |v| v.degrees() as f32;
}
