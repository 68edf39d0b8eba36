//! What is to be set: whose field, to what, and when.

use std::str::FromStr;

use serde_json::Value;

use super::refused;
use crate::describe::{FieldSchema, State, StateField, StateValue, Unset};
use crate::error::{Error, Result};
use crate::format::dm3::{Array, Dialect, EntityField, PlayerField, Table};
use crate::replay::Range;

/// Whose state it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// That of an entity, by its number.
    Entity(u16),
    /// That of the player through whose eyes the recording looks, as that player's client is told it.
    Player,
}

/// A value of a state that is another one: `entity[12].frame=3`, `player.fov=110`.
///
/// Fields are those that the states of a game have, as `qdemo state --json` shows them; in Quake III those of the
/// messages, such as `pos.trBase[2]`. Values are those of JSON.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Whose state it is.
    pub whose: Whose,
    /// The field, such as `origin[2]`.
    pub field: String,
    /// What it is.
    pub value: Value,
    /// When; `None`: at any time.
    pub range: Option<Range>,
}

/// Without a range of time.
impl FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |what: &str| refused(format!("{text}: {what}; write entity[12].frame=3 or player.fov=110"));
        let (target, value) = text.split_once('=').ok_or_else(|| wrong("no value"))?;
        let (whose, field) = target.trim().split_once('.').ok_or_else(|| wrong("no field"))?;
        let number = whose.strip_prefix("entity[").and_then(|rest| rest.strip_suffix(']'));
        let whose = match (whose, number.map(str::parse)) {
            ("player", _) => Whose::Player,
            (_, Some(Ok(number))) => Whose::Entity(number),
            _ => return Err(wrong("neither an entity nor the player")),
        };
        let value = value.trim();
        let value = serde_json::from_str(value)
            .map_err(|_| wrong("the value is not one of JSON: a number, [1, 2, 3], true"))?;
        Ok(Setting { whose, field: field.trim().to_owned(), value, range: None })
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.whose {
            Whose::Entity(number) => write!(f, "entity[{number}].{}={}", self.field, self.value),
            Whose::Player => write!(f, "player.{}={}", self.field, self.value),
        }
    }
}

impl Setting {
    /// The names and places that lead to the field.
    fn path(&self) -> Vec<&str> {
        self.field.split(['.', '[', ']']).filter(|step| !step.is_empty()).collect()
    }

    pub(super) fn set<S: StateValue>(&self, state: &mut S) -> Result<()> {
        state.set(&self.path(), &self.value).map_err(|unset| match unset {
            Unset::NoField => self.no_field(&names(S::FIELDS)),
            Unset::NoValue => self.no_value(),
        })
    }

    /// Says whether there is such a field. What fits is known where the value is.
    pub(super) fn is_in<S: StateValue>(&self) -> Result<()> {
        let mut zero = S::ZERO;
        match zero.set(&self.path(), &self.value) {
            Err(Unset::NoField) => Err(self.no_field(&names(S::FIELDS))),
            Err(Unset::NoValue) | Ok(()) => Ok(()),
        }
    }

    /// Says whether messages of a protocol tell the field: a state has those of all protocols.
    pub(super) fn is_told<M, D, S: State<M, D> + PartialEq>(&self, d: &D) -> Result<()> {
        let mut wanted = S::ZERO;
        self.set(&mut wanted)?;
        match S::of(&S::diff(&S::ZERO, &wanted, d), d) == S::ZERO && wanted != S::ZERO {
            true => Err(self.untold()),
            false => Ok(()),
        }
    }

    fn untold(&self) -> Error {
        refused(format!("{self}: the protocol of this recording has nothing that tells it"))
    }

    fn no_field(&self, names: &[&str]) -> Error {
        refused(format!("{self}: there is no such field; there are {}", names.join(", ")))
    }

    fn no_value(&self) -> Error {
        refused(format!("{self}: the field does not take this value"))
    }

    /// The bits of a field of Quake III.
    fn bits(&self, is_float: bool) -> Result<u32> {
        let bits = match is_float {
            true => self.value.as_f64().map(|v| (v as f32).to_bits()),
            false => self.value.as_i64().and_then(|v| i32::try_from(v).ok()).map(|v| v as u32),
        };
        bits.ok_or_else(|| self.no_value())
    }

    /// The same, of a field in a table, given as a number.
    fn bits_in(&self, table: &Table, id: u8, schema: &FieldSchema) -> Result<u32> {
        let code = table.place(id).and_then(|place| table.codes().get(place)).ok_or_else(|| self.untold())?;
        let bits = self.bits(schema.ty.json == "number")?;
        if code.carries(bits) { Ok(bits) } else { Err(self.no_value()) }
    }
}

/// The names of fields, those of states within a state among them.
fn names(fields: &'static [StateField]) -> Vec<&'static str> {
    let mut all = Vec::new();
    for field in fields {
        match (field.key, field.fields) {
            (None, [_, ..]) => all.extend(names(field.fields)),
            (key, _) => all.push(key.unwrap_or(field.name)),
        }
    }
    all
}

/// A field of Quake III's states.
pub(super) enum FieldOfQuake3 {
    Entity(EntityField),
    Player(PlayerField),
    Array(Array, usize),
}

/// The field that is meant, and its bits, as a protocol has them.
pub(super) fn field_of_quake3(whose: Whose, setting: &Setting, d: &Dialect) -> Result<(FieldOfQuake3, u32)> {
    let name = &*setting.field;
    if let Whose::Entity(_) = whose {
        let found = EntityField::ALL.iter().zip(EntityField::SCHEMA).find(|(field, _)| field.name() == name);
        let Some((field, schema)) = found else {
            return Err(setting.no_field(&EntityField::ALL.iter().map(|field| field.name()).collect::<Vec<_>>()));
        };
        let bits = setting.bits_in(&d.layout.entity, *field as u8, schema)?;
        return Ok((FieldOfQuake3::Entity(*field), bits));
    }
    let found = PlayerField::ALL.iter().zip(PlayerField::SCHEMA).find(|(field, _)| field.name() == name);
    match (found, array(name)) {
        (Some((field, schema)), _) => {
            let bits = setting.bits_in(&d.layout.player, *field as u8, schema)?;
            Ok((FieldOfQuake3::Player(*field), bits))
        }
        (None, Some((array, slot))) => {
            let bits = setting.bits(false)?;
            if !array.carries(bits as i32) {
                return Err(setting.no_value());
            }
            Ok((FieldOfQuake3::Array(array, slot), bits))
        }
        (None, None) => {
            let fields = PlayerField::ALL.iter().map(|field| field.name());
            let arrays = Array::ALL.iter().map(|array| array.name());
            Err(setting.no_field(&fields.chain(arrays).collect::<Vec<_>>()))
        }
    }
}

/// A slot of an array, such as `stats[0]`.
fn array(field: &str) -> Option<(Array, usize)> {
    let (name, slot) = field.strip_suffix(']')?.split_once('[')?;
    let array = Array::ALL.iter().find(|array| array.name() == name)?;
    Some((*array, slot.parse().ok().filter(|slot| *slot < Array::SLOTS)?))
}
