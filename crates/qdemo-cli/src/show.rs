//! Values as people read them.

use std::fmt::{self, Display, Write};

/// Text from a file on one line, unable to steer a terminal.
pub(crate) struct Safe<'a>(pub(crate) &'a str);

impl Display for Safe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\n' | '\r' | '\t' => f.write_char(' '),
            c if c.is_control() => f.write_char(char::REPLACEMENT_CHARACTER),
            c => f.write_char(c),
        })
    }
}

/// A time in the community's form, `m:ss.fffff`, or `-` for none.
pub(crate) fn clock(seconds: Option<f32>) -> String {
    // The longest level anybody plays lasts hours; beyond that digits mean nothing and plain seconds say so.
    const LONGEST: f64 = 1e6;
    let Some(v) = seconds.map(f64::from) else { return "-".to_owned() };
    if !v.is_finite() || v.abs() >= LONGEST {
        return format!("{v:e} s");
    }
    let sign = if v < 0.0 { "-" } else { "" };
    // Rounded first, so that 59.999999 becomes 1:00.00000 and not 0:60.00000.
    let parts = (v.abs() * 1e5).round() as u64;
    format!("{sign}{}:{:02}.{:05}", parts / 6_000_000, parts / 100_000 % 60, parts % 100_000)
}

/// A time in milliseconds as `m:ss.mmm`, or `-` for none.
pub(crate) fn clock_ms(time: Option<impl Into<i64>>) -> String {
    let Some(ms) = time.map(Into::into) else { return "-".to_owned() };
    let (sign, ms) = (if ms < 0 { "-" } else { "" }, ms.unsigned_abs());
    format!("{sign}{}:{:02}.{:03}", ms / 60_000, ms / 1000 % 60, ms % 1000)
}

/// `1 block`, `2 blocks`.
pub(crate) fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A size in bytes, and in a handier unit when there are many.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let plain = count(bytes, "byte");
    let mut v = bytes as f64 / 1024.0;
    if v < 1.0 {
        return plain;
    }
    let mut unit = 0;
    while v >= 1024.0 && unit + 1 < UNITS.len() {
        v /= 1024.0;
        unit += 1;
    }
    format!("{plain} ({v:.1} {})", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_carry_over() {
        assert_eq!(clock(Some(0.0)), "0:00.00000");
        assert_eq!(clock(Some(83.25)), "1:23.25000");
        assert_eq!(clock(Some(-1.5)), "-0:01.50000");
        assert_eq!(clock(Some(59.999_998)), "1:00.00000");
        assert_eq!(clock(Some(f32::NAN)), "NaN s");
        assert_eq!(clock(Some(1e30)), "1.0000000150474662e30 s");
        assert_eq!(clock(None), "-");
        assert_eq!(clock_ms(Some(61_005)), "1:01.005");
        assert_eq!(clock_ms(Some(i32::MIN)), "-35791:23.648");
        assert_eq!(clock_ms(None::<i32>), "-");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(Safe("a\x1b[31mb\nc").to_string(), "a\u{FFFD}[31mb c");
    }

    #[test]
    fn sizes_are_said_twice_when_large() {
        assert_eq!(size(1), "1 byte");
        assert_eq!(size(184_471), "184471 bytes (180.1 KiB)");
    }
}
