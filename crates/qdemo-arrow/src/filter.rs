//! Which rows are wanted.

use std::cmp::Ordering;

use qdemo::table::{Column, Row, Table, Value, Values};
use qdemo::{Error, Result, error::ErrorKind};

use crate::columns::decimal;
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
        let seconds = matches!(self.column.values, Values::Seconds(_));
        let order = |literal: &Literal| compare(&value, literal, seconds);
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

/// Compares a value as it is handed out; `seconds` are handed out as 64-bit floats, other numbers as 32-bit floats.
fn compare(value: &Value<'_>, literal: &Literal, seconds: bool) -> Option<Ordering> {
    match (value, literal) {
        (Value::Integer(value), Literal::Integer(it)) => Some(value.cmp(it)),
        (Value::Integer(value), Literal::Number(it)) => whole(*value, *it),
        (Value::Number(value), Literal::Number(it)) => number(*value, *it, seconds),
        (Value::Number(value), Literal::Integer(it)) => match it.unsigned_abs() < 1 << f64::MANTISSA_DIGITS {
            true => number(*value, *it as f64, seconds),
            false => whole(*it, decimal(*value)).map(Ordering::reverse),
        },
        (Value::Text(value), Literal::Text(it)) => Some(value.as_ref().cmp(it.as_str())),
        (Value::Boolean(value), Literal::Boolean(it)) => Some(value.cmp(it)),
        _ => None,
    }
}

/// Compares a 32-bit float with a number: its shortest decimal, which rows have, or the float itself where the number is one
/// and the column holds them.
fn number(value: f32, it: f64, seconds: bool) -> Option<Ordering> {
    let nearest = it as f32;
    match value.partial_cmp(&nearest) {
        // Of another float the decimal is on the same side as the float: each is nearest to its own.
        Some(Ordering::Equal) if seconds || f64::from(nearest) != it => decimal(value).partial_cmp(&it),
        order => order,
    }
}

/// Compares a whole number with any.
fn whole(value: i64, it: f64) -> Option<Ordering> {
    // Casts keep within the type: what is larger than any whole number is larger than this one.
    let floor = it.floor();
    let order = value.cmp(&(floor as i64));
    match order {
        _ if it.is_nan() => None,
        Ordering::Equal if floor >= 9_223_372_036_854_775_808.0 || it > floor => Some(Ordering::Less),
        Ordering::Equal if floor < -9_223_372_036_854_775_808.0 => Some(Ordering::Greater),
        order => Some(order),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What passes is what compares so as it is handed out: the expected orders are those of the decimals that stand here.
    #[test]
    fn numbers_are_compared_as_they_are_handed_out() {
        use Ordering::{Equal, Greater, Less};
        let order = |value: f32, it: f64, seconds| compare(&Value::Number(value), &Literal::Number(it), seconds);
        for seconds in [true, false] {
            assert_eq!(order(1.4, 1.4, seconds), Some(Equal));
            assert_eq!(order(1.4, 1.400_000_01, seconds), Some(Less));
            assert_eq!(order(1.4, 1.399_999_99, seconds), Some(Greater));
            assert_eq!(order(0.1, 0.1, seconds), Some(Equal));
            assert_eq!(order(-2.5, -2.5, seconds), Some(Equal));
            assert_eq!(order(1.4, f64::INFINITY, seconds), Some(Less));
            assert_eq!(order(1.4, f64::NAN, seconds), None);
            assert_eq!(order(f32::MAX, 1e300, seconds), Some(Less));
        }
        // As Arrow has it, the float itself: only where the column has floats.
        assert_eq!(order(1.4, f64::from(1.4_f32), false), Some(Equal));
        assert_eq!(order(1.4, f64::from(1.4_f32), true), Some(Greater));
    }

    #[test]
    fn whole_numbers_are_compared_to_their_last_digit() {
        use Ordering::{Equal, Greater, Less};
        let order = |value: i64, it: f64| compare(&Value::Integer(value), &Literal::Number(it), false);
        assert_eq!(order(9_007_199_254_740_993, 9_007_199_254_740_992.0), Some(Greater));
        assert_eq!(order(5, 5.0), Some(Equal));
        assert_eq!(order(5, 5.5), Some(Less));
        assert_eq!(order(-5, -5.5), Some(Greater));
        assert_eq!(order(i64::MAX, 9_223_372_036_854_775_808.0), Some(Less));
        assert_eq!(order(i64::MIN, -9_223_372_036_854_775_808.0), Some(Equal));
        assert_eq!(order(i64::MIN, -1e300), Some(Greater));
        let float = |value: f32, it: i64| compare(&Value::Number(value), &Literal::Integer(it), false);
        assert_eq!(float(5.0, 5), Some(Equal));
        // 2^63 as a decimal of a 32-bit float is 9223372000000000000.
        assert_eq!(float(9.223_372e18, i64::MAX), Some(Less));
    }
}
