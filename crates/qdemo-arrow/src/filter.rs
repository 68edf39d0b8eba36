//! Which rows are wanted.

use std::cmp::Ordering;

use qdemo::table::{Column, Row, Table, Value};
use qdemo::{Error, Result, error::ErrorKind};

use crate::schema::column;

/// A value that a column is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// True or false.
    Boolean(bool),
}

/// How a column is compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// It is the same.
    Equal(Literal),
    /// It is there, and not the same.
    NotEqual(Literal),
    /// It is less.
    Less(Literal),
    /// It is less, or the same.
    AtMost(Literal),
    /// It is more.
    Greater(Literal),
    /// It is more, or the same.
    AtLeast(Literal),
    /// It is one of these.
    In(Vec<Literal>),
    /// It is missing.
    Missing,
    /// It is there.
    There,
}

/// A condition on one column. A value that is missing passes [`Test::Missing`] alone, as in SQL.
#[derive(Debug, Clone)]
pub struct Filter {
    column: &'static Column,
    test: Test,
}

impl Filter {
    /// A condition on a column of a table.
    ///
    /// # Errors
    /// A column that the table does not have, and a value of another type.
    pub fn new(table: &Table, name: &str, test: Test) -> Result<Self> {
        let column = column(table, name)?;
        let holds = column.values.type_name();
        let fits = |literal: &Literal| match literal {
            Literal::Integer(_) | Literal::Number(_) => matches!(holds, "integer" | "number" | "seconds"),
            Literal::Text(_) => matches!(holds, "text" | "word" | "raw"),
            Literal::Boolean(_) => holds == "boolean",
        };
        let all_fit = match &test {
            Test::Equal(it) | Test::NotEqual(it) | Test::Less(it) | Test::AtMost(it) => fits(it),
            Test::Greater(it) | Test::AtLeast(it) => fits(it),
            Test::In(all) => all.iter().all(fits),
            Test::Missing | Test::There => true,
        };
        if !all_fit {
            let what = format!("the column {name} of {} is {}", table.name, column.values.type_name());
            return Err(Error::new(ErrorKind::Refused(format!("{what}: it cannot be compared with this"))));
        }
        Ok(Filter { column, test })
    }

    /// The column.
    pub fn column(&self) -> &'static Column {
        self.column
    }

    /// True for a row that passes.
    pub fn passes(&self, row: &Row<'_>) -> bool {
        let Some(value) = self.column.values.of(row) else { return self.test == Test::Missing };
        let order = |literal: &Literal| compare(&value, literal);
        match &self.test {
            Test::Equal(it) => order(it) == Some(Ordering::Equal),
            Test::NotEqual(it) => order(it).is_some_and(Ordering::is_ne),
            Test::Less(it) => order(it).is_some_and(Ordering::is_lt),
            Test::AtMost(it) => order(it).is_some_and(Ordering::is_le),
            Test::Greater(it) => order(it).is_some_and(Ordering::is_gt),
            Test::AtLeast(it) => order(it).is_some_and(Ordering::is_ge),
            Test::In(all) => all.iter().any(|it| order(it) == Some(Ordering::Equal)),
            Test::Missing => false,
            Test::There => true,
        }
    }

    /// The last moment of a recording that can pass, where this is about `demo_ms`: that never runs backwards.
    pub(crate) fn until(&self) -> Option<i64> {
        if self.column.name != "demo_ms" {
            return None;
        }
        match self.test {
            Test::Equal(Literal::Integer(ms))
            | Test::Less(Literal::Integer(ms))
            | Test::AtMost(Literal::Integer(ms)) => Some(ms),
            _ => None,
        }
    }
}

fn compare(value: &Value<'_>, literal: &Literal) -> Option<Ordering> {
    match (value, literal) {
        (Value::Integer(value), Literal::Integer(it)) => Some(value.cmp(it)),
        (Value::Integer(value), Literal::Number(it)) => (*value as f64).partial_cmp(it),
        (Value::Number(value), Literal::Number(it)) => f64::from(*value).partial_cmp(it),
        (Value::Number(value), Literal::Integer(it)) => f64::from(*value).partial_cmp(&(*it as f64)),
        (Value::Text(value), Literal::Text(it)) => Some(value.as_ref().cmp(it.as_str())),
        (Value::Boolean(value), Literal::Boolean(it)) => Some(value.cmp(it)),
        _ => None,
    }
}
