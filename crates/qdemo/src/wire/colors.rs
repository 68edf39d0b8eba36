//! Colour codes of Quake III.

/// A string without its colour codes (`^1`) and without control characters. Letters beyond ASCII are kept: as UTF-8 where
/// they are (Quake Live), else as Latin-1.
pub fn without_colors(text: &[u8]) -> String {
    plain(text, |_| 1)
}

/// The same for OSP, which knows `^x` and six hexadecimal digits too: `^xCCCCCC`. Other games do not: CPMA's `^x` is a
/// colour by itself, and the letters behind it may well be such digits (`^xdecade`).
pub fn without_hex_colors(text: &[u8]) -> String {
    plain(text, |after| {
        let digits = after.get(1..7).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        if digits && matches!(after.first(), Some(b'x' | b'X')) { 7 } else { 1 }
    })
}

/// `color` says how many characters behind a caret belong to it.
fn plain(text: &[u8], color: impl Fn(&[u8]) -> usize) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, caret)) = memchr::memchr(b'^', rest).and_then(|at| rest.split_at_checked(at)) {
        out.extend_from_slice(before);
        let after = caret.get(1..).unwrap_or_default();
        // Every character behind a caret is a colour, except another caret.
        rest = match after.first() {
            Some(first) if *first != b'^' => after.get(color(after)..).unwrap_or_default(),
            _ => {
                out.push(b'^');
                after
            }
        };
    }
    out.extend_from_slice(rest);
    out.retain(|b| !b.is_ascii_control() || matches!(b, b'\n' | b'\t'));
    String::from_utf8(out).unwrap_or_else(|e| e.as_bytes().iter().map(|b| char::from(*b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_of_osp_have_six_digits() {
        let name = b"^xCCCCCC[EYE]dsp ^1Math^Xff00aaiasson^7";
        assert_eq!(without_hex_colors(name), "[EYE]dsp Mathiasson");
        assert_eq!(without_colors(name), "CCCCCC[EYE]dsp Mathff00aaiasson");
        // A colour and a word, and what is cut off or no digit.
        assert_eq!((without_colors(b"^xdecade"), without_hex_colors(b"^xdecade")), ("decade".into(), String::new()));
        assert_eq!(without_hex_colors(b"^xCCCCC"), "CCCCC");
        assert_eq!(without_hex_colors(b"^xCCCCCG ^^xCCCCCC!^x"), "CCCCCG ^!");
        assert_eq!(without_hex_colors(b"^1^a1^"), "1^");
    }
}
