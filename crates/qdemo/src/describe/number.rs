//! Numbers in text: decimal and hexadecimal integers, floats with the bits kept, times.

/// A whole number: decimal (`-12`) or hexadecimal (`0x1F`).
///
/// ```
/// use qdemo::describe::parse_int;
/// assert_eq!(parse_int(b"-12"), Some(-12));
/// assert_eq!(parse_int(b"0x1F"), Some(31));
/// assert_eq!(parse_int(b"12x"), None);
/// ```
#[inline]
pub fn parse_int(word: &[u8]) -> Option<i64> {
    match word {
        [b'0', b'x' | b'X', hex @ ..] => {
            if hex.is_empty() || hex.len() > 16 {
                return None;
            }
            let mut v: u64 = 0;
            for &c in hex {
                v = v << 4 | u64::from((c as char).to_digit(16)?);
            }
            Some(v as i64)
        }
        [b'-', digits @ ..] => parse_digits(digits).map(|v| -v),
        digits => parse_digits(digits),
    }
}

#[inline]
fn parse_digits(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut v: i64 = 0;
    for &c in digits {
        let digit = c.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        v = v * 10 + i64::from(digit);
    }
    Some(v)
}

const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A decimal number in double precision, correctly rounded.
#[inline]
pub fn parse_f64(word: &[u8]) -> Option<f64> {
    if let Some(v) = short_decimal(word) {
        return Some(v);
    }
    // What is too large for a double is no number that anybody means.
    slow(word)?.parse().ok().filter(|v: &f64| v.is_finite())
}

/// A decimal number of at most 15 digits: both the digits and the power of ten are exact doubles, so one division rounds
/// correctly.
#[inline]
fn short_decimal(word: &[u8]) -> Option<f64> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.len() > 16 {
        return None;
    }
    let (mut v, mut count, mut point) = (0u64, 0usize, None);
    for &c in digits {
        let digit = c.wrapping_sub(b'0');
        if digit <= 9 {
            v = v * 10 + u64::from(digit);
            count += 1;
        } else if c == b'.' && point.is_none() {
            point = Some(count);
        } else {
            return None;
        }
    }
    if !(1..=15).contains(&count) {
        return None;
    }
    // Most are whole.
    let v = match point {
        None => v as f64,
        Some(point) => v as f64 / POWERS[count - point],
    };
    Some(if negative { -v } else { v })
}

/// A decimal number of few digits in single precision, correctly rounded: what is nearest to the double that is nearest to
/// it, unless that double lies halfway between two floats, or next to there, or the float would have less digits than
/// others.
#[inline]
fn short_float(word: &[u8]) -> Option<u32> {
    const BELOW: u64 = (1 << 29) - 1;
    const HALFWAY: u64 = 1 << 28;
    let v = short_decimal(word)?;
    let from_halfway = (v.to_bits() & BELOW).abs_diff(HALFWAY);
    let usual = v == 0.0 || (f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX)).contains(&v.abs());
    (from_halfway > 1 && usual).then(|| (v as f32).to_bits())
}

/// The word as a string, when it looks like a decimal number: Rust's parser also takes `inf` and `nan`, ours does not.
fn slow(word: &[u8]) -> Option<&str> {
    let ok = word.iter().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b'-' | b'+' | b'e' | b'E'));
    (ok && word.iter().any(u8::is_ascii_digit)).then(|| std::str::from_utf8(word).ok()).flatten()
}

/// A float with its bits: a decimal number, or `f32(0x7FC00001)` for bits that no decimal names. LMPC's `nan` and `inf`
/// are the usual bits of these.
///
/// ```
/// use qdemo::describe::parse_f32;
/// assert_eq!(parse_f32(b"6.6343479"), Some(6.6343479_f32.to_bits()));
/// assert_eq!(parse_f32(b"f32(0x7FC00001)"), Some(0x7FC0_0001));
/// assert_eq!(parse_f32(b"-nan"), Some(0xFFC0_0000));
/// assert_eq!(parse_f32(b"NaN"), None);
/// ```
pub fn parse_f32(word: &[u8]) -> Option<u32> {
    if let Some(bits) = short_float(word) {
        return Some(bits);
    }
    if let Some(hex) = word.strip_prefix(b"f32(").and_then(|w| w.strip_suffix(b")")) {
        return parse_int(hex).and_then(|v| u32::try_from(v).ok());
    }
    // Parsed as f32 directly: going through f64 would round twice, where a number lies close to the middle of two floats.
    // Infinity is written by its bits; LMPC has words for it, and for NaN, whatever its bits.
    let named = match word {
        b"nan" => Some(0x7FC0_0000),
        b"-nan" => Some(0xFFC0_0000),
        b"inf" => Some(0x7F80_0000),
        b"-inf" => Some(0xFF80_0000),
        _ => None,
    };
    if named.is_some() {
        return named;
    }
    slow(word)?.parse::<f32>().ok().filter(|v| v.is_finite()).map(f32::to_bits)
}

/// A time: seconds (`6.5s` or `6.5`), minutes and seconds (`1:31.25m`) or hours (`1:02:03.5h`). Each part has a sign of
/// its own, as in LMPC's `-1:-31.25m`.
pub(crate) fn parse_time(word: &[u8]) -> Option<u32> {
    let (last, rest) = word.split_last()?;
    match last {
        b's' => parse_f32(rest),
        b'm' | b'h' => {
            let (mut total, mut parts) = (0.0, 0);
            for part in rest.split(|&b| b == b':') {
                total = total * 60.0 + parse_f64(part)?;
                parts += 1;
            }
            (parts == if *last == b'm' { 2 } else { 3 }).then(|| (total as f32).to_bits())
        }
        _ => parse_f32(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits that no integer has room for.
    const MANY: &str = "123456789012345678901234567890";

    #[test]
    fn decimals_round_like_the_standard_library() {
        for text in
            ["0.1", "319.25", "-46.40625", "1e3", "123456789012345678", "0.000001", "-0", "999999999999999.", MANY]
        {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(parse_f64(text.as_bytes()).unwrap().to_bits(), expected.to_bits(), "{text}");
        }
        for bad in ["", "-", ".", "1.2.3", "inf", "nan", "0x10", "1 2"] {
            assert_eq!(parse_f64(bad.as_bytes()), None, "{bad}");
        }
    }

    /// Numbers of a few digits, and those that lie in the middle of two floats or next to it: 16777217 is one, as floats
    /// there are 2 apart.
    #[test]
    fn floats_round_once() {
        let mut texts =
            ["16777217", "16777217.00000", "16777217.000001", "16777216.999999", "-33554434.0000", "-0", ".5"]
                .map(str::to_owned)
                .to_vec();
        // Middles of floats with few digits: odd multiples of a power of two beyond the last bit of a float.
        texts.extend((0..2000u32).map(|n| format!("{}", f64::from(16_777_217 + 2 * n * 4099) / 1024.0)));
        let mut seed = 1u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let float = f32::from_bits((seed >> 32) as u32);
            if float.is_finite() {
                texts.push(float.to_string());
            }
            texts.push(format!("{:.*}", (seed >> 20 & 7) as usize, (seed >> 40) as f64 / 128.0));
        }
        for text in texts {
            let expected: f32 = text.parse().unwrap();
            assert_eq!(parse_f32(text.as_bytes()), Some(expected.to_bits()), "{text}");
        }
    }

    #[test]
    fn hexadecimals_have_one_to_sixteen_digits() {
        assert_eq!(parse_int(b"0xFFFFFFFFFFFFFFFF"), Some(-1));
        assert_eq!(parse_int(b"0X1f"), Some(31));
        for bad in ["0x", "0x1FFFFFFFFFFFFFFFF", "0xG", "0x-1"] {
            assert_eq!(parse_int(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn times_of_lmpc() {
        assert_eq!(parse_time(b"1.39999998s"), Some(1.4f32.to_bits()));
        assert_eq!(parse_time(b"1:31.5m"), Some(91.5f32.to_bits()));
        assert_eq!(parse_time(b"1:01:31.5h"), Some(3691.5f32.to_bits()));
        // Facts: every part carries its own sign.
        assert_eq!(parse_time(b"-2:-59:-23.26171875h"), Some((-10_763.261_718_75f64 as f32).to_bits()));
        assert_eq!(parse_time(b"1:-30.0m"), Some(30f32.to_bits()));
        for bad in ["5m", "1:30h", "1:--30m", "1e999s", "s", ""] {
            assert_eq!(parse_time(bad.as_bytes()), None, "{bad}");
        }
    }
}
