//! When a recording was made, by what it says itself, what its name says, and what the file says.

/// A date, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dated {
    pub(crate) date: Date,
    pub(crate) from: &'static str,
}

/// A moment, or words that say one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Date {
    /// Seconds since 1970.
    Seconds(i64),
    /// `2024-03-01 20:15:00`, or the day alone.
    Words(String),
}

/// The best that is known: what the server says, else the match, else the name, else the file.
pub(crate) fn date(told: Option<i64>, printed: Option<&str>, name: &str, modified_ns: i64) -> Dated {
    let words = |words: Option<String>, from| words.map(|words| Dated { date: Date::Words(words), from });
    told.map(|seconds| Dated { date: Date::Seconds(seconds), from: "demo" })
        .or_else(|| words(printed.and_then(in_text), "match"))
        .or_else(|| words(in_name(name), "name"))
        .unwrap_or(Dated { date: Date::Seconds(modified_ns.div_euclid(1_000_000_000)), from: "file" })
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A date as games print it: in digits, or as C's `asctime` has it: `Fri Mar  1 20:15:00 2024`.
fn in_text(text: &str) -> Option<String> {
    in_name(text).or_else(|| {
        let words: Vec<_> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|word| month(word).is_some())?;
        let month = month(words.get(at)?)?;
        let rest = words.get(at + 1..)?;
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let number = |word: &&str| word.parse::<u32>().ok();
        let day = rest.iter().chain(before).filter_map(number).find(|day| (1..=31).contains(day))?;
        let year = rest.iter().filter_map(number).find(|year| is_year(*year))?;
        let time = rest.iter().find_map(|word| clock(word));
        valid(year, month, day).then(|| said(year, month, day, time))
    })
}

fn month(word: &str) -> Option<u32> {
    let word = word.get(..3)?.to_ascii_lowercase();
    (1..).zip(MONTHS).find(|(_, name)| *name == word).map(|(number, _)| number)
}

/// `20:15:00` or `20:15`.
fn clock(word: &str) -> Option<[u32; 3]> {
    let mut parts = word.split(':').map(str::parse::<u32>);
    let (hours, minutes) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let seconds = parts.next().map_or(Some(0), Result::ok)?;
    (hours < 24 && minutes < 60 && seconds < 61).then_some([hours, minutes, seconds])
}

/// A date in the name of a file: `2024-03-01`, `20240301`, `2024.03.01_20-15`, `240301-2015`.
pub(crate) fn in_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let runs = digits(name);
    runs.iter().enumerate().find_map(|(at, run)| dated(name, run, runs.get(at + 1..).unwrap_or_default()))
}

/// Digits that stand together: where, and which.
fn digits(name: &str) -> Vec<(usize, &str)> {
    let mut runs = Vec::new();
    let mut rest = 0;
    while let Some(start) =
        name.get(rest..).and_then(|text| text.find(|c: char| c.is_ascii_digit())).map(|at| at + rest)
    {
        let end = name[start..].find(|c: char| !c.is_ascii_digit()).map_or(name.len(), |at| at + start);
        runs.push((start, &name[start..end]));
        rest = end;
    }
    runs
}

fn dated(name: &str, &(start, run): &(usize, &str), next: &[(usize, &str)]) -> Option<String> {
    let number = |text: &str| text.parse::<u32>().ok();
    // One character between two runs, which is no letter but perhaps ISO's T.
    let joined = |end: usize, next: usize| {
        name.get(end..next).is_some_and(|gap| matches!(gap, "-" | "_" | "." | ":" | " " | "T" | "__" | "_-_" | " - "))
    };
    let end = start + run.len();
    let (date, end, next) = match run.len() {
        4 => {
            let [(at, month), (then, day), rest @ ..] = next else { return None };
            if !joined(end, *at) || !joined(at + month.len(), *then) || month.len() > 2 || day.len() > 2 {
                return None;
            }
            ([number(run)?, number(month)?, number(day)?], then + day.len(), rest)
        }
        8 => ([number(&run[..4])?, number(&run[4..6])?, number(&run[6..])?], end, next),
        12 | 14 => ([number(&run[..4])?, number(&run[4..6])?, number(&run[6..8])?], start + 8, next),
        // Two digits of the year are a date only with a time behind it, as servers name what they record.
        6 if next.first().is_some_and(|(at, time)| joined(end, *at) && time.len() == 4) => {
            let year = number(&run[..2])?;
            let year = if year >= 96 { 1900 + year } else { 2000 + year };
            ([year, number(&run[2..4])?, number(&run[4..])?], end, next)
        }
        _ => return None,
    };
    let [year, month, day] = date;
    if !is_year(year) || !valid(year, month, day) {
        return None;
    }
    let time = match run.len() {
        12 | 14 => of_digits(&run[8..]),
        _ => time_behind(end, next, joined),
    };
    Some(said(year, month, day, time))
}

fn time_behind(end: usize, next: &[(usize, &str)], joined: impl Fn(usize, usize) -> bool) -> Option<[u32; 3]> {
    let [(at, first), rest @ ..] = next else { return None };
    if !joined(end, *at) {
        return None;
    }
    if first.len() != 2 {
        return of_digits(first);
    }
    let [(then, minutes), rest @ ..] = rest else { return None };
    if !joined(at + first.len(), *then) || minutes.len() != 2 {
        return None;
    }
    let seconds = rest.first().filter(|(at, text)| joined(then + minutes.len(), *at) && text.len() == 2);
    clock(&format!("{first}:{minutes}:{}", seconds.map_or("0", |(_, seconds)| *seconds)))
}

/// `2015` or `201500`.
fn of_digits(digits: &str) -> Option<[u32; 3]> {
    match digits.len() {
        4 => clock(&format!("{}:{}", &digits[..2], &digits[2..])),
        6 => clock(&format!("{}:{}:{}", &digits[..2], &digits[2..4], &digits[4..])),
        _ => None,
    }
}

/// Quake appeared in 1996.
fn is_year(year: u32) -> bool {
    (1996..2100).contains(&year)
}

fn valid(year: u32, month: u32, day: u32) -> bool {
    (1..=days_of(year, month)).contains(&day)
}

/// Days of a month; 0 where there is none of that number.
pub(crate) fn days_of(year: u32, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

fn said(year: u32, month: u32, day: u32, time: Option<[u32; 3]>) -> String {
    let time = time.map(|[hours, minutes, seconds]| format!(" {hours:02}:{minutes:02}:{seconds:02}"));
    format!("{year}-{month:02}-{day:02}{}", time.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_tell_dates() {
        for (name, date) in [
            ("duel_2024-03-01_20-15-30_dm3.mvd", Some("2024-03-01 20:15:30")),
            ("demos2019/4on4.mvd", None),
            ("4on4_red_vs_blue[dm3]20240301-2015.mvd", Some("2024-03-01 20:15:00")),
            ("4on4_red_vs_blue[dm3]240301-2015.mvd", Some("2024-03-01 20:15:00")),
            ("CPMA-20031224200102.dm_68", Some("2003-12-24 20:01:02")),
            ("pro-q3dm6-2010.05.09.dm_68", Some("2010-05-09")),
            ("run 1999-2-3.dem", Some("1999-02-03")),
            // No such days; no such years; no date at all.
            ("x20230229.mvd", None),
            ("19960622.dem", Some("1996-06-22")),
            ("18120624.dem", None),
            ("e1m1_0024.dem", None),
            ("123456.dem", None),
            ("2024.dem", None),
            ("\u{e9}2024-03-01\u{e9}.dem", Some("2024-03-01")),
        ] {
            assert_eq!(in_name(name).as_deref(), date, "{name}");
        }
    }

    #[test]
    fn games_print_dates_in_words() {
        assert_eq!(in_text("Fri Mar  1 20:15:00 2024").as_deref(), Some("2024-03-01 20:15:00"));
        assert_eq!(in_text("2024-03-01 20:15:00 CET").as_deref(), Some("2024-03-01 20:15:00"));
        assert_eq!(in_text("1 March 2024").as_deref(), Some("2024-03-01"));
        assert_eq!(in_text("yesterday"), None);
        assert_eq!(in_text("\u{e9}\u{e9} 12"), None);
    }

    #[test]
    fn the_recording_knows_best_and_the_file_least() {
        let words = |words: &str| Date::Words(words.to_owned());
        let day = 86_400_000_000_000;
        let of = |told, printed, name| date(told, printed, name, day);
        assert_eq!(of(Some(7), Some("2024-03-01"), "2023-01-01.dem"), Dated { date: Date::Seconds(7), from: "demo" });
        assert_eq!(of(None, Some("2024-03-01"), "2023-01-01.dem"), Dated { date: words("2024-03-01"), from: "match" });
        assert_eq!(of(None, Some("?"), "2023-01-01.dem"), Dated { date: words("2023-01-01"), from: "name" });
        assert_eq!(of(None, None, "run.dem"), Dated { date: Date::Seconds(86_400), from: "file" });
    }
}
