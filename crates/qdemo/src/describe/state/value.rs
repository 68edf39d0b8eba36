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

/// Why a value could not be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unset {
    /// There is no such field.
    NoField,
    /// The field does not take such a value: another kind of value, or one beyond its range.
    NoValue,
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

    /// Sets it to a value as JSON has it; or of it what a path leads to: names or keys of fields, places in lists.
    ///
    /// # Errors
    /// A path that leads nowhere, and a value that does not fit.
    fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Unset> {
        let _ = value;
        Err(if path.is_empty() { Unset::NoValue } else { Unset::NoField })
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

/// Sets a field of a state, if a path begins with it: with its name, with its key, or, where it has none, with a field of its
/// own.
pub(crate) fn set_field<T: StateValue>(
    to: &mut T,
    (name, key): (&str, Option<&str>),
    path: &[&str],
    value: &Value,
) -> Result<(), Unset> {
    let Some((first, rest)) = path.split_first() else { return Err(Unset::NoField) };
    let is_state = !T::FIELDS.is_empty();
    if (*first == name || key == Some(*first)) && (!is_state || !rest.is_empty()) {
        return to.set(rest, value);
    }
    if is_state && key.is_none() { to.set(path, value) } else { Err(Unset::NoField) }
}

/// Sets a value that is made of a JSON value.
pub(crate) fn set_to<T>(to: &mut T, path: &[&str], new: Option<T>) -> Result<(), Unset> {
    if !path.is_empty() {
        return Err(Unset::NoField);
    }
    *to = new.ok_or(Unset::NoValue)?;
    Ok(())
}

/// Sets a list, or one of it.
pub(crate) fn set_list<T: StateValue>(to: &mut [T], path: &[&str], value: &Value) -> Result<(), Unset> {
    if let Some((place, rest)) = path.split_first() {
        let place = place.parse::<usize>().ok().and_then(|place| to.get_mut(place));
        return place.ok_or(Unset::NoField)?.set(rest, value);
    }
    let values = value.as_array().filter(|values| values.len() == to.len()).ok_or(Unset::NoValue)?;
    to.iter_mut().zip(values).try_for_each(|(to, value)| to.set(&[], value))
}

impl<T: StateValue> StateValue for Option<T> {
    const ZERO: Self = None;
    const TYPE: TypeSchema = T::TYPE;
    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::json)
    }
    fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Unset> {
        if value.is_null() && path.is_empty() {
            *self = None;
            return Ok(());
        }
        let mut new = self.take().unwrap_or(T::ZERO);
        let set = new.set(path, value);
        *self = Some(new);
        set
    }
}

impl StateValue for bool {
    const ZERO: Self = false;
    const TYPE: TypeSchema = TypeSchema::new("bit", "boolean", "");
    fn json(&self) -> Value {
        (*self).into()
    }
    fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Unset> {
        set_to(self, path, value.as_bool())
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
            fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Unset> {
                set_to(self, path, value.as_i64().and_then(|v| v.try_into().ok()))
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
                fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Unset> {
                    set_list(self, path, value)
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

/// Values that JSON shows as floats, alone and in threes: of each what it is at first, the float, and what it is for another
/// float.
macro_rules! shown_numbers {
    ($($ty:ty, $wire:literal, $unit:literal, $zero:expr, $float:expr, $new:expr;)*) => {$(
        impl $crate::describe::StateValue for $ty {
            const ZERO: Self = $zero;
            const TYPE: $crate::describe::TypeSchema = $crate::describe::TypeSchema::new($wire, "number", $unit);
            fn json(&self) -> serde_json::Value {
                let float: fn($ty) -> f32 = $float;
                $crate::json::number(float(*self))
            }
            fn set(&mut self, path: &[&str], value: &serde_json::Value) -> Result<(), $crate::describe::Unset> {
                let new: fn($ty, f64) -> Option<$ty> = $new;
                $crate::describe::set_to(self, path, value.as_f64().and_then(|v| new(*self, v)))
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
            fn set(&mut self, path: &[&str], value: &serde_json::Value) -> Result<(), $crate::describe::Unset> {
                $crate::describe::set_list(self, path, value)
            }
            fn is_usual(&self, usual: &Self) -> bool {
                self.iter().zip(usual).all(|(v, usual)| v.is_usual(usual))
            }
        }
    )*};
}
pub(crate) use shown_numbers;

shown_numbers! {
    F32, "f32", "", F32::from_bits(0), F32::get, |_, v| Some(F32::from(v as f32));
    Coord, "coord", "units", Coord::I16(0), |v| v.get() as f32, |was, v| Coord::from_f64(v, was.kind());
    Angle, "angle", "degrees", Angle::I8(0), |v| v.degrees() as f32,
        |was, v| Some(Angle::of_float(F32::from(v as f32), was.kind()));
}
