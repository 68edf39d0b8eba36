//! Values as people read them.

use std::fmt::{self, Display, Write};

use qdemo::error::Moment;
pub(crate) use qdemo_inputs::count;

/// Text from a file on one line, unable to steer a terminal, or the direction in which the line is read.
pub(crate) struct Safe<'a>(pub(crate) &'a str);

impl Display for Safe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\n' | '\r' | '\t' => f.write_char(' '),
            c if c.is_control() || turns(c) => f.write_char(char::REPLACEMENT_CHARACTER),
            c => f.write_char(c),
        })
    }
}

/// Embeddings, overrides and isolates of directions, which reach beyond the text that they stand in: Unicode Standard Annex 9,
/// section 2.
fn turns(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
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

/// What a game's own clock shows.
pub(crate) fn moment(moment: Option<Moment>) -> String {
    match moment {
        Some(Moment::Seconds(s)) => clock(Some(s)),
        Some(Moment::Milliseconds(ms)) => clock_ms(Some(ms)),
        None => "-".to_owned(),
    }
}

/// What is there, or nothing.
pub(crate) fn some(v: Option<impl Display>) -> String {
    v.map(|v| v.to_string()).unwrap_or_default()
}

/// A word where it is true.
pub(crate) fn word(is: bool, word: &str) -> &str {
    if is { word } else { "" }
}

/// A moment in milliseconds since 1970 as date and time in UTC: `2026-03-25 11:54:09 UTC`.
pub(crate) fn utc(ms: u64) -> String {
    const DAYS_IN_400_YEARS: u64 = 146_097;
    let (days, seconds) = (ms / 86_400_000, ms / 1000 % 86_400);
    // Years that begin in March have their odd day at the end, and a leap year is as long as any other up to there.
    // 719,468 days lie between the first of March of the year 0 and 1970.
    let days = days + 719_468;
    let (era, day) = (days / DAYS_IN_400_YEARS, days % DAYS_IN_400_YEARS);
    // Without the odd days of every 4 years, less those of every 100, and the one at the end of the 400.
    let year = (day - day / 1_460 + day / 36_524 - day / (DAYS_IN_400_YEARS - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, months of 31, 30, 31, 30, 31 days: 153 in five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{year}-{month:02}-{day:02} {hours:02}:{minutes:02}:{:02} UTC", seconds % 60)
}

/// A number with its thousands apart: `12,345`.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
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

    /// The values are those of `date -u -d @SECONDS`.
    #[test]
    fn moments_have_a_date() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (68_169_599, "1972-02-28 23:59:59 UTC"),
            (68_169_600, "1972-02-29 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_774_439_649, "2026-03-25 11:54:09 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (13_574_563_199, "2400-02-28 23:59:59 UTC"),
            (13_574_649_599, "2400-02-29 23:59:59 UTC"),
        ] {
            assert_eq!(utc(seconds * 1000 + 999), date);
        }
        // Nonsense is no crash.
        assert!(utc(u64::MAX).ends_with(" UTC"));
    }

    #[test]
    fn large_numbers_are_divided() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(12_345), "12,345");
        assert_eq!(thousands(1_000_000), "1,000,000");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(Safe("a\x1b[31mb\nc").to_string(), "a\u{FFFD}[31mb c");
        // Names from right to left are as they are; what turns the rest of the line is not.
        assert_eq!(Safe("\u{202E}ab\u{2067} שלום").to_string(), "\u{FFFD}ab\u{FFFD} שלום");
    }

    #[test]
    fn sizes_are_said_twice_when_large() {
        assert_eq!(size(1), "1 byte");
        assert_eq!(size(184_471), "184471 bytes (180.1 KiB)");
    }
}
