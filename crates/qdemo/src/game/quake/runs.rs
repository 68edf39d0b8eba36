//! Times of runs in Quake: what the clock shows when a level ends, and what game modules for runs print.

/// Digits behind the point that a clock of 32 bits tells.
pub(crate) fn digits(time: f32) -> u8 {
    let step = f64::from(f32::from_bits(time.to_bits().saturating_add(1))) - f64::from(time);
    (0..9).rev().find(|n| 10f64.powi(i32::from(*n)) * step < 1.0).unwrap_or(0)
}

/// True for a text of a game module that tells the exact time of a level.
pub(crate) fn tells_exact_time(plain: &str) -> bool {
    plain.contains(EXACT_TIME)
}

/// The time of such a text, in seconds, and the digits of it behind the point.
pub(crate) fn exact_time(plain: &str) -> Option<(f64, u8)> {
    let (_, rest) = plain.split_once(EXACT_TIME)?;
    let end = rest.find(|c: char| !matches!(c, '0'..='9' | ':' | '.')).unwrap_or(rest.len());
    rest.get(..end).and_then(run_time)
}

const EXACT_TIME: &str = "exact time was ";

/// Where the times come from, in words.
pub(crate) const AT_THE_END: &str = "time at the end of the level";
pub(crate) const EXACT: &str = "print: exact time";

/// `1:31.24548`: minutes and seconds, with the digits behind the point.
fn run_time(text: &str) -> Option<(f64, u8)> {
    let text = text.trim_end_matches('.');
    let (minutes, seconds) = text.rsplit_once(':').unwrap_or(("0", text));
    let minutes = minutes.split(':').try_fold(0f64, |all, part| Some(all * 60.0 + part.parse::<f64>().ok()?))?;
    let behind = seconds.split_once('.').map_or(0, |(_, behind)| behind.len());
    Some((minutes * 60.0 + seconds.parse::<f64>().ok()?, u8::try_from(behind).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_runs() {
        let (time, digits) = run_time("1:31.24548").unwrap();
        assert!((time - 91.24548).abs() < 1e-9 && digits == 5);
        assert_eq!(run_time("12"), Some((12.0, 0)));
        assert_eq!(run_time(""), None);
        assert_eq!(run_time("1:x"), None);
        assert_eq!(exact_time("your exact time was 1:10.25000."), Some((70.25, 5)));
        assert_eq!(exact_time("the time was 12"), None);
    }

    /// A float has 24 bits: steps of 2^-17 from 64 on, of 2^-13 from 1024 on.
    #[test]
    fn digits_of_a_clock() {
        assert_eq!(super::digits(91.25), 5);
        assert_eq!(super::digits(1500.0), 3);
        assert_eq!(super::digits(0.0), 8);
    }
}
