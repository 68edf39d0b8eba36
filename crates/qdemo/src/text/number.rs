//! Numbers as text: exactly reversible, and as fast as copying allows.

use std::io::Write;

use crate::describe::parse_time;
use crate::json::plain_decimal;
use crate::wire::Scalar;

/// Two decimal digits for each number below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut all = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        all[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    all
};

/// Every 64th behind a decimal point, without trailing zeros; and in the last byte, how long it is.
const SIXTY_FOURTHS: [[u8; 8]; 64] = {
    let mut all = [[0; 8]; 64];
    let mut i = 1;
    while i < 64 {
        let (mut rest, mut digits) = (i as u32 * 15_625, 6);
        while rest % 10 == 0 {
            rest /= 10;
            digits -= 1;
        }
        all[i][0] = b'.';
        all[i][7] = 1 + digits as u8;
        while digits > 0 {
            all[i][digits] = b'0' + (rest % 10) as u8;
            rest /= 10;
            digits -= 1;
        }
        i += 1;
    }
    all
};

/// Some bytes of eight, the first one lowest: copied as a whole and cut, as copies of a known size are single moves.
#[inline]
fn first(out: &mut Vec<u8>, eight: u64, count: usize) {
    let at = out.len();
    out.extend_from_slice(&eight.to_le_bytes());
    out.truncate(at + count);
}

/// A whole number in decimal.
#[inline]
pub(crate) fn int(out: &mut Vec<u8>, v: i64) {
    if v < 0 {
        out.push(b'-');
    }
    match v.unsigned_abs() {
        n @ ..10 => out.push(b'0' + n as u8),
        n @ ..100 => out.extend_from_slice(&PAIRS[n as usize]),
        n @ ..1_000 => first(out, four(n) >> 8, 3),
        n @ ..10_000 => first(out, four(n), 4),
        n => {
            int(out, (n / 10_000) as i64);
            first(out, four(n % 10_000), 4);
        }
    }
}

/// The four digits of a number below 10,000, the first one lowest.
#[inline]
fn four(n: u64) -> u64 {
    let [[a, b], [c, d]] = [PAIRS[n as usize / 100], PAIRS[n as usize % 100]];
    u32::from_le_bytes([a, b, c, d]).into()
}

/// The sign, the whole part and the 64ths of an exact decimal.
#[inline]
fn decimal(v: Scalar) -> Option<(bool, u32, u32)> {
    let (negative, parts, bits) = match v {
        Scalar::Binary(n, bits) => (n < 0, n.unsigned_abs(), u32::from(bits)),
        // 360 / 256 degrees are 45 / 32.
        Scalar::Turn256(n) => (n < 0, u32::from(n.unsigned_abs()) * 45, 5),
        _ => return None,
    };
    Some((negative, parts >> bits, (parts & ((1 << bits) - 1)) << 6u32.checked_sub(bits)?))
}

/// A number in qdemo's text form.
#[inline]
pub(crate) fn native(out: &mut Vec<u8>, v: Scalar) {
    if let Some((negative, whole, parts)) = decimal(v) {
        if negative {
            out.push(b'-');
        }
        int(out, i64::from(whole));
        let fraction = SIXTY_FOURTHS[parts as usize & 63];
        return first(out, u64::from_le_bytes(fraction), fraction[7].into());
    }
    match v {
        Scalar::Int(n) => int(out, n),
        Scalar::Hex(n) => hex(out, n),
        Scalar::Float(f) | Scalar::FloatUnits(f) => shortest(out, f.get()),
        Scalar::Seconds(f) => {
            shortest(out, f.get());
            if f.get().is_finite() {
                out.push(b's');
            }
        }
        Scalar::Turn65536(n) => shortest(out, turn65536(n)),
        Scalar::Near(f) => shortest(out, f),
        Scalar::Part255(whole, 255) => print(out, format_args!("f24({whole},255)")),
        Scalar::Part255(whole, part) => {
            let at = out.len();
            print(out, format_args!("{:.5}", f64::from(whole) + f64::from(part) / 255.0));
            while out.len() > at && out.last() == Some(&b'0') {
                out.pop();
            }
            if out.last() == Some(&b'.') {
                out.pop();
            }
        }
        Scalar::By(n) => spelled(out, b"by(", i32::from(n)),
        Scalar::NeedlesslyLong(n) => spelled(out, b"long(", n),
        Scalar::EitherShort(n) => spelled(out, b"short(", i32::from(n)),
        Scalar::Binary(..) | Scalar::Turn256(_) => {}
    }
}

/// Eighths in parentheses, behind a word that says what is special about them.
fn spelled(out: &mut Vec<u8>, word: &[u8], eighths: i32) {
    out.extend_from_slice(word);
    native(out, Scalar::Binary(eighths, 3));
    out.push(b')');
}

fn turn65536(n: i16) -> f32 {
    (f64::from(n) * (360.0 / 65536.0)) as f32
}

fn print(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = out.write_fmt(text);
}

fn hex(out: &mut Vec<u8>, v: u64) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    if v <= 0xFF {
        return out.extend_from_slice(&[b'0', b'x', DIGITS[v as usize >> 4], DIGITS[v as usize & 15]]);
    }
    print(out, format_args!("0x{v:X}"));
}

/// The shortest decimal that reads back as the same bits; `f32(0x...)` where no decimal does.
pub(crate) fn shortest(out: &mut Vec<u8>, v: f32) {
    if v == v.trunc() && v.abs() < 16_777_216.0 && (v != 0.0 || v.is_sign_positive()) {
        return int(out, v as i64);
    }
    if let Some(short) = plain_decimal(v, &mut zmij::Buffer::new()) {
        out.extend_from_slice(short.strip_suffix(".0").unwrap_or(short).as_bytes());
    } else if v.is_finite() {
        print(out, format_args!("{v}"));
    } else {
        print(out, format_args!("f32(0x{:08X})", v.to_bits()));
    }
}

/// A number as LMPC 3.4 prints it (C's `%#.9g`, times with `%.8f`), or `None` when its language has no form for it.
pub(crate) fn lmpc(out: &mut Vec<u8>, v: Scalar) -> Option<()> {
    if let Some((negative, whole, parts)) = decimal(v) {
        if matches!(v, Scalar::Binary(_, 4)) && whole > 4096 {
            return None;
        }
        return lmpc_decimal(out, negative, whole, parts);
    }
    match v {
        Scalar::Int(n) => int(out, n),
        Scalar::Hex(n) => hex(out, n),
        Scalar::Turn65536(n) => nine_digits(out, turn65536(n))?,
        Scalar::Float(f) => nine_digits(out, f.get())?,
        Scalar::Near(f) => nine_digits(out, f)?,
        Scalar::Seconds(f) => lmpc_time(out, f.get())?,
        // Encodings that LMPC does not know.
        _ => return None,
    }
    Some(())
}

/// `%#.9g` of an exact decimal, of whole and 64ths: nine significant digits.
fn lmpc_decimal(out: &mut Vec<u8>, negative: bool, whole: u32, parts: u32) -> Option<()> {
    if whole == 0 && parts != 0 {
        let v = f64::from(parts) / 64.0;
        return nine_digits(out, (if negative { -v } else { v }) as f32);
    }
    if negative {
        out.push(b'-');
    }
    let at = out.len();
    int(out, i64::from(whole));
    let decimals = 9usize.checked_sub(out.len() - at)?;
    out.push(b'.');
    let point = out.len();
    // All six decimals of 64ths, and zeros or less.
    let mut digits = [b'0'; 9];
    let mut rest = parts * 15_625;
    for digit in digits.iter_mut().take(6).rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits);
    out.truncate(point + decimals);
    Some(())
}

fn nine_digits(out: &mut Vec<u8>, v: f32) -> Option<()> {
    if !v.is_finite() {
        return None;
    }
    if v.is_sign_negative() {
        out.push(b'-');
    }
    let magnitude = f64::from(v.abs());
    if let Some((digits, decimals)) = nine_plain_digits(magnitude) {
        point(out, digits, decimals);
        return Some(());
    }
    let scientific = format!("{magnitude:.8e}");
    let (mantissa, exponent) = scientific.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let sign = if exponent < 0 { '-' } else { '+' };
    print(out, format_args!("{mantissa}e{sign}{:02}", exponent.abs()));
    Some(())
}

/// Nine significant digits of a number as a whole number, and how many of them are decimals; `None` where they are written
/// with an exponent: below 0.0001, and from 1000000000 on.
fn nine_plain_digits(v: f64) -> Option<(u64, usize)> {
    /// What has so many decimals, from 8 on, is smaller.
    const SMALLER: [f64; 5] = [10.0, 1.0, 0.1, 0.01, 0.001];
    if v == 0.0 {
        return Some((0, 8));
    }
    let decimals = if v >= 10.0 {
        9usize.checked_sub(v.log10() as usize + 1)?
    } else {
        7 + SMALLER.iter().take_while(|smaller| v < **smaller).count()
    };
    // The logarithm may be off by one, and rounding may add a digit: then there is one decimal less.
    let nine = |decimals: usize| {
        let digits = scaled(v, decimals)?;
        (100_000_000..1_000_000_000).contains(&digits).then_some((digits, decimals))
    };
    let found = (decimals.saturating_sub(1)..=decimals + 1).rev().find_map(nine);
    found.filter(|(_, decimals)| *decimals <= 12)
}

/// The whole number nearest to `v * 10^decimals`, of two the even one: exactly. `None` for what is too large for this.
fn scaled(v: f64, decimals: usize) -> Option<u64> {
    const LARGEST: f64 = 1e10;
    if !(0.0..LARGEST).contains(&v) || decimals > 13 {
        return None;
    }
    let (bits, power) = (v.to_bits(), 10u128.pow(decimals as u32));
    let (exponent, fraction) = ((bits >> 52) as u32, bits & ((1 << 52) - 1));
    // Subnormals are nothing at so few decimals.
    let product = u128::from(fraction | 1 << 52) * power;
    // 53 bits behind the point, less the exponent.
    let shift = 1075u32.checked_sub(exponent)?;
    if shift > 120 {
        return Some(0);
    }
    let (whole, rest) = (product >> shift, product & ((1 << shift) - 1));
    let half = (1u128 << shift) >> 1;
    let up = rest > half || rest == half && shift > 0 && whole & 1 == 1;
    u64::try_from(whole + u128::from(up)).ok()
}

/// `digits / 10^decimals`, with all decimals and the point.
fn point(out: &mut Vec<u8>, digits: u64, decimals: usize) {
    let power = 10u64.pow(decimals as u32);
    int(out, (digits / power) as i64);
    out.push(b'.');
    let mut rest = digits % power;
    let at = out.len();
    out.resize(at + decimals, b'0');
    for digit in out.iter_mut().skip(at).rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

/// A time: eight decimals, in minutes from 60 s on and in hours from 3600 s on, and every part with the sign. Where these
/// do not name the float, its seconds with nine digits, which do.
fn lmpc_time(out: &mut Vec<u8>, v: f32) -> Option<()> {
    let at = out.len();
    if v.abs() < 1e9 {
        parts_of_time(out, f64::from(v));
        if parse_time(&out[at..]) == Some(v.to_bits()) {
            return Some(());
        }
        out.truncate(at);
    }
    nine_digits(out, v)?;
    out.push(b's');
    Some(())
}

fn parts_of_time(out: &mut Vec<u8>, v: f64) {
    let minutes = (v / 60.0).trunc();
    let seconds = v - 60.0 * minutes;
    // LMPC counts in whole numbers, which have no negative zero.
    let [hours, rest] = [(minutes / 60.0).trunc() as i64, (minutes % 60.0) as i64];
    let unit = match (hours, rest) {
        (0, 0) => b's',
        (0, minutes) => {
            print(out, format_args!("{minutes}:"));
            b'm'
        }
        (hours, minutes) => {
            print(out, format_args!("{hours}:{minutes:02}:"));
            b'h'
        }
    };
    match scaled(seconds.abs(), 8) {
        Some(digits) => {
            if seconds.is_sign_negative() {
                out.push(b'-');
            }
            point(out, digits, 8);
        }
        None => print(out, format_args!("{seconds:.8}")),
    }
    out.push(unit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::F32;

    fn shown(f: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        f(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn native_numbers_are_short_and_exact() {
        let native = |v| shown(|out| native(out, v));
        assert_eq!(native(Scalar::Binary(-3, 3)), "-0.375");
        assert_eq!(native(Scalar::Binary(2554, 3)), "319.25");
        assert_eq!(native(Scalar::Turn256(-33)), "-46.40625");
        for n in (0..20_000).chain([99_999, 100_000, 1_234_567, i64::MAX]) {
            assert_eq!(native(Scalar::Int(n)), n.to_string());
            assert_eq!(native(Scalar::Int(-n)), (-n).to_string());
        }
        assert_eq!(native(Scalar::Int(i64::MIN)), i64::MIN.to_string());
        for n in -128..=127 {
            assert_eq!(native(Scalar::Turn256(n)), (f64::from(n) * 360.0 / 256.0).to_string());
            for bits in 0..=6 {
                let number = f64::from(n) / f64::from(1 << bits);
                assert_eq!(native(Scalar::Binary(n.into(), bits)), number.to_string());
            }
        }
        assert_eq!(native(Scalar::Float(F32::from(-0.0))), "-0");
        assert_eq!(native(Scalar::Seconds(F32::from(6.634348))), "6.634348s");
        assert_eq!(native(Scalar::Float(F32::from_bits(0x7FC0_0001))), "f32(0x7FC00001)");
    }

    /// As the standard library rounds: to the nearest, and in the middle to the even one.
    #[test]
    fn rounding_is_exact() {
        let mut seed = 7u64;
        let mut floats =
            vec![0.0, 0.5, 2.5, 1.5, 9.999_999_9, 99_999.99, 999_999_999.9f64 as f32, 1e-4, 9.9999e-5, 1e9, 3e38];
        // Decimals that end in the middle between two of nine digits: odd multiples of small powers of two.
        floats.extend((0..64).map(|n| (16_777_215 - 2 * n) as f32 / 4096.0));
        floats.extend((0..20_000).map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f32::from_bits((seed >> 32) as u32)
        }));
        for v in floats.into_iter().filter(|v| v.is_finite()) {
            let scientific = format!("{:.8e}", v.abs());
            let exponent: i32 = scientific.split_once('e').unwrap().1.parse().unwrap();
            let sign = if v.is_sign_negative() { "-" } else { "" };
            if (-4..8).contains(&exponent) {
                let expected = format!("{sign}{:.*}", (8 - exponent) as usize, v.abs());
                assert_eq!(shown(|out| nine_digits(out, v).unwrap()), expected);
            } else {
                assert!(exponent == 8 || shown(|out| nine_digits(out, v).unwrap()).contains('e'), "{v:e}");
            }
            assert_eq!(shown(|out| shortest(out, v)), format!("{v}"));
            if v.abs() < 1e9 {
                let digits = scaled(f64::from(v.abs()), 8).unwrap();
                assert_eq!(shown(|out| point(out, digits, 8)), format!("{:.8}", v.abs()));
            }
        }
    }

    /// The examples stand in texts that LMPC 3.4.5 wrote.
    #[test]
    fn lmpc_numbers_have_nine_digits() {
        let lmpc = |v| shown(|out| lmpc(out, v).unwrap());
        assert_eq!(lmpc(Scalar::Binary(-1412 * 8, 3)), "-1412.00000");
        assert_eq!(lmpc(Scalar::Binary(-1, 4)), "-0.0625000000");
        assert_eq!(lmpc(Scalar::Turn256(-9)), "-12.6562500");
        assert_eq!(lmpc(Scalar::Binary(0, 3)), "0.00000000");
        assert_eq!(lmpc(Scalar::Turn65536(700)), "3.84521484");
        assert_eq!(lmpc(Scalar::Turn65536(-7469)), "-41.0284424");
        assert_eq!(lmpc(Scalar::Near((127.0f64 / 255.0) as f32)), "0.498039216");
        assert_eq!(lmpc(Scalar::Float(F32::from(239.0625))), "239.062500");
        assert_eq!(lmpc(Scalar::Seconds(F32::from(1.4))), "1.39999998s");
        assert_eq!(lmpc(Scalar::Seconds(F32::from(91.231_59))), "1:31.23159027m");
        assert_eq!(lmpc(Scalar::Seconds(F32::from(-10_763.262))), "-2:-59:-23.26171875h");
        // Eight decimals do not name every small float: LMPC's own text has 0.01000000s, and reads another one.
        assert_eq!(lmpc(Scalar::Seconds(F32::from_bits(0x3C23_D70D))), "0.0100000026s");
        assert_eq!(lmpc(Scalar::Seconds(F32::from_bits(0x3583_126F))), "9.76562546e-07s");
        assert_eq!(lmpc(Scalar::Seconds(F32::from(1e10))), "1.00000000e+10s");
        // As LMPC's text of a QuakeWorld demo has it.
        assert_eq!(lmpc(Scalar::Turn65536(700)), "3.84521484");
    }
}
