//! Rows on their way from those who read recordings to the one who writes the catalogue: packed, so that a row costs no
//! allocations.

use qdemo::table::{Row, Table, Value};

use crate::schema::TABLES;

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Field<'f> {
    Missing,
    Integer(i64),
    Real(f64),
    Text(&'f str),
}

/// Rows of any of [`TABLES`], one after the other.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    bytes: Vec<u8>,
}

const MISSING: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;

impl Rows {
    /// Bytes that they take.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds the row of a table, by its place in [`TABLES`].
    pub(crate) fn push(&mut self, table: u8, row: &Row<'_>) {
        self.bytes.push(table);
        for column in columns(table) {
            match column.values.of(row) {
                Some(Value::Integer(v)) => self.number(INTEGER, v.to_le_bytes()),
                Some(Value::Boolean(v)) => self.number(INTEGER, i64::from(v).to_le_bytes()),
                // The decimal that all other outputs have, and not the longer one of the float's double.
                Some(Value::Number(v)) => match decimal(v) {
                    Some(v) => self.number(REAL, v.to_le_bytes()),
                    None => self.bytes.push(MISSING),
                },
                Some(Value::Text(text)) => match u32::try_from(text.len()) {
                    Ok(len) => {
                        self.bytes.push(TEXT);
                        self.bytes.extend_from_slice(&len.to_le_bytes());
                        self.bytes.extend_from_slice(text.as_bytes());
                    }
                    Err(_) => self.bytes.push(MISSING),
                },
                None => self.bytes.push(MISSING),
            }
        }
    }

    fn number(&mut self, tag: u8, bytes: [u8; 8]) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&bytes);
    }

    /// Hands out each row: the place of its table, and a value for each of its columns.
    pub(crate) fn each<E>(&self, mut take: impl FnMut(u8, &[Field<'_>]) -> Result<(), E>) -> Result<(), E> {
        let mut rest = &self.bytes[..];
        let mut fields = Vec::new();
        while let Some((&table, behind)) = rest.split_first() {
            rest = behind;
            fields.clear();
            for _ in columns(table) {
                fields.push(field(&mut rest).unwrap_or(Field::Missing));
            }
            take(table, &fields)?;
        }
        Ok(())
    }
}

/// All columns of a table of [`TABLES`].
fn columns(table: u8) -> &'static [qdemo::table::Column] {
    TABLES.get(usize::from(table)).map_or(&[], |table: &&'static Table| table.columns)
}

fn field<'f>(rest: &mut &'f [u8]) -> Option<Field<'f>> {
    Some(match take::<1>(rest)?[0] {
        INTEGER => Field::Integer(i64::from_le_bytes(take(rest)?)),
        REAL => Field::Real(f64::from_le_bytes(take(rest)?)),
        TEXT => {
            let len = u32::from_le_bytes(take(rest)?);
            let (text, behind) = rest.split_at_checked(usize::try_from(len).ok()?)?;
            *rest = behind;
            Field::Text(std::str::from_utf8(text).ok()?)
        }
        _ => Field::Missing,
    })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*first)
}

/// The shortest decimal that names a float; SQLite has no word for those that are not finite.
fn decimal(v: f32) -> Option<f64> {
    // Whole numbers need no detour.
    if v.trunc() == v && v.abs() < 1e6 {
        return Some(f64::from(v));
    }
    v.is_finite().then(|| v.to_string().parse().ok()).flatten()
}
