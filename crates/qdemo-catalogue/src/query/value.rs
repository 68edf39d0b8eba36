//! Values of a query: texts as patterns, numbers with units, dates.

use super::keys::Unit;
use crate::date::days_of;

/// True for a pattern of the whole text.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// A text for `LIKE ... ESCAPE '\'`, with `*` and `?` as patterns have them.
fn like(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '*' => out.push('%'),
            '?' => out.push('_'),
            '%' | '_' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// What has this text as a part, or fits this pattern as a whole.
pub(crate) fn part(text: &str) -> String {
    if is_pattern(text) { like(text) } else { format!("%{}%", like(text)) }
}

/// What is this text, or fits this pattern.
pub(crate) fn whole(text: &str) -> String {
    like(text)
}

/// What begins with this text.
pub(crate) fn start(text: &str) -> String {
    format!("{}%", like(text))
}

/// A part for the search for parts of words, which knows those of three characters and more.
pub(crate) fn searched(text: &str) -> Option<String> {
    let quoted = || format!("\"{}\"", text.replace('"', "\"\""));
    (!is_pattern(text) && text.chars().count() >= 3).then(quoted)
}

/// Words one after the other for the search in chat; `None` where there are no letters or digits to search for.
pub(crate) fn words(text: &str) -> Option<String> {
    let has_word = |text: &str| text.chars().any(char::is_alphanumeric);
    if !has_word(text) {
        return None;
    }
    // A star within a word is no pattern that the search knows.
    let (text, more) = match text.strip_suffix('*') {
        Some(text) if text.ends_with(char::is_alphanumeric) => (text, " *"),
        _ => (text, ""),
    };
    Some(format!("\"{}\"{more}", text.replace('"', "\"\"")))
}

/// True for words of which one has a star that the search in chat does not know. One that stands by itself is a sign.
pub(crate) fn has_lost_star(text: &str) -> bool {
    let text = match text.strip_suffix('*') {
        Some(before) if before.ends_with(char::is_alphanumeric) => before,
        _ => text,
    };
    let mut parts = text.split('*').peekable();
    while let Some(part) = parts.next() {
        let next = parts.peek();
        if next.is_some_and(|next| part.ends_with(char::is_alphanumeric) || next.starts_with(char::is_alphanumeric)) {
            return true;
        }
    }
    false
}

/// A number with its unit.
pub(crate) fn number(text: &str, unit: Unit) -> Result<i64, String> {
    let text = text.trim();
    let wrong = || match unit {
        Unit::Plain => format!("{text} is no whole number"),
        Unit::Milliseconds => format!("{text} is no length; write 90s, 10m, 1.5h, 1:30 or 1:02:03"),
        Unit::Bytes => format!("{text} is no size; write 500, 20KB, 5MB, 1GB or 64KiB"),
    };
    if unit == Unit::Plain {
        return text.parse().map_err(|_| wrong());
    }
    if let (Unit::Milliseconds, Some((before, seconds))) = (unit, text.rsplit_once(':')) {
        return length(before, seconds).ok_or_else(wrong);
    }
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (amount, name) = (decimal(&text[..digits]).ok_or_else(wrong)?, text[digits..].trim().to_ascii_lowercase());
    let times = match (unit, name.as_str()) {
        (Unit::Milliseconds, "ms") => 1.0,
        (Unit::Milliseconds, "" | "s" | "sec") => 1e3,
        (Unit::Milliseconds, "m" | "min") => 6e4,
        (Unit::Milliseconds, "h") => 3.6e6,
        (Unit::Bytes, "" | "b") => 1.0,
        (Unit::Bytes, "k" | "kb") => 1e3,
        (Unit::Bytes, "m" | "mb") => 1e6,
        (Unit::Bytes, "g" | "gb") => 1e9,
        (Unit::Bytes, "kib") => 1024.0,
        (Unit::Bytes, "mib") => 1024.0 * 1024.0,
        (Unit::Bytes, "gib") => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    Ok(rounded(amount * times))
}

/// Milliseconds of `1:30.5` or `1:02:03`: what stands before the last colon, and behind it.
fn length(before: &str, seconds: &str) -> Option<i64> {
    let (hours, minutes) = match before.split_once(':') {
        Some((hours, minutes)) => (hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok().filter(|v| *v < 60)?),
        None => (0, before.parse().ok()?),
    };
    let seconds = decimal(seconds).filter(|v| *v < 60.0)?;
    Some(rounded((f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0 + seconds) * 1000.0))
}

fn decimal(text: &str) -> Option<f64> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

/// Casts keep within the type.
fn rounded(v: f64) -> i64 {
    v.round() as i64
}

/// A date as the catalogue writes it, as far as it is said: `2024`, `2024-03`, `2024-03-01`, `2024-03-01 20:15`.
pub(crate) fn date(text: &str) -> Result<String, String> {
    let wrong = || format!("{text} is no date; write 2024, 2024-03, 2024-03-01 or \"2024-03-01 20:15\"");
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let number = |text: &str, digits: std::ops::RangeInclusive<usize>, range: std::ops::RangeInclusive<u32>| {
        let fits = digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|v| fits && range.contains(v)).ok_or_else(wrong)
    };
    let parts: Vec<_> = day.split('-').collect();
    if parts.len() > 3 || time.is_some() && parts.len() < 3 {
        return Err(wrong());
    }
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        out += &match at {
            0 => format!("{:04}", number(part, 4..=4, 1900..=9999)?),
            1 => format!("-{:02}", number(part, 1..=2, 1..=12)?),
            _ => format!("-{:02}", number(part, 1..=2, 1..=31)?),
        };
    }
    if let [year, month, day] = parts.iter().filter_map(|part| part.parse().ok()).collect::<Vec<u32>>()[..] {
        let days = days_of(year, month);
        if day > days {
            return Err(format!("{text} is no date: that month has {days} days"));
        }
    }
    let times: Vec<_> = time.map(|time| time.split(':').collect()).unwrap_or_default();
    if times.len() > 3 {
        return Err(wrong());
    }
    for (at, part) in times.iter().enumerate() {
        let before = if at == 0 { ' ' } else { ':' };
        // Seconds may be one more.
        let most = [23, 59].get(at).copied().unwrap_or(60);
        out += &format!("{before}{:02}", number(part, 1..=2, 0..=most)?);
    }
    Ok(out)
}

/// What comes behind all that begins like this date, in the order of texts.
pub(crate) fn next(date: &str) -> String {
    // Digits, blanks, `-` and `:` are what stands behind.
    format!("{date}~")
}
