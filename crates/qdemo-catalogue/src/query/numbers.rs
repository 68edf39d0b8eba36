//! Numbers and dates that a query asks for.

use super::keys::{Dates, Unit};
use super::parse::{QueryError, Sign, Term};
use super::sql::{Condition, Made, Maker};
use super::value;

/// What is wanted of a number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    /// From one to another, both included.
    Within(i64, i64),
    Than(Sign, i64),
}

impl Wanted {
    pub(super) fn holds(self, it: i64) -> bool {
        match self {
            Wanted::Within(from, to) => (from..=to).contains(&it),
            Wanted::Than(Sign::Is, number) => it == number,
            Wanted::Than(Sign::Less, number) => it < number,
            Wanted::Than(Sign::LessOrIs, number) => it <= number,
            Wanted::Than(Sign::More, number) => it > number,
            Wanted::Than(Sign::MoreOrIs, number) => it >= number,
        }
    }

    /// The same of what SQL gives.
    fn of(self, sql: &str) -> Condition {
        let (sign, number) = match self {
            Wanted::Within(from, to) => {
                return Condition { sql: format!("{sql} BETWEEN ? AND ?"), values: vec![from.into(), to.into()] };
            }
            Wanted::Than(Sign::Is, number) => ("=", number),
            Wanted::Than(Sign::Less, number) => ("<", number),
            Wanted::Than(Sign::LessOrIs, number) => ("<=", number),
            Wanted::Than(Sign::More, number) => (">", number),
            Wanted::Than(Sign::MoreOrIs, number) => (">=", number),
        };
        Condition::with(format!("{sql} {sign} ?"), number)
    }
}

impl Maker<'_> {
    /// What a term wants of a number.
    pub(super) fn wanted(&self, term: &Term, unit: Unit) -> Result<Wanted, QueryError> {
        let number = |text: &str| value::number(text, unit).map_err(|what| self.error(term, what));
        Ok(match (term.value.split_once(".."), term.sign) {
            (Some((from, to)), Sign::Is) => Wanted::Within(number(from)?, number(to)?),
            _ => Wanted::Than(term.sign, number(&term.value)?),
        })
    }

    /// A comparison of a number, behind the SQL that gives it.
    pub(super) fn number(&self, term: &Term, sql: &str, unit: Unit) -> Made {
        Ok(self.wanted(term, unit)?.of(sql))
    }

    pub(super) fn date(&self, term: &Term, dates: Dates) -> Made {
        let date = |text: &str| value::date(text).map_err(|what| self.error(term, what));
        let day = |sql: &str, date: String| Condition::with(sql, date);
        if let (Some((from, to)), Sign::Is, Dates::On) = (term.value.split_once(".."), term.sign, dates) {
            return Ok(Condition::all([day("d.date >= ?", date(from)?), day("d.date < ?", value::next(&date(to)?))]));
        }
        let said = date(&term.value)?;
        Ok(match (term.sign, dates) {
            (Sign::Is, Dates::On) => {
                Condition::all([day("d.date >= ?", said.clone()), day("d.date < ?", value::next(&said))])
            }
            (Sign::Is, Dates::After) | (Sign::MoreOrIs, _) => day("d.date >= ?", said),
            (Sign::Is, Dates::Before) | (Sign::Less, _) => day("d.date < ?", said),
            (Sign::More, _) => day("d.date >= ?", value::next(&said)),
            (Sign::LessOrIs, _) => day("d.date < ?", value::next(&said)),
        })
    }
}
