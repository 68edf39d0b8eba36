//! Colour codes of Quake III.

/// A string without its colour codes (`^1`) and without control characters. Letters beyond ASCII are kept: as UTF-8 where
/// they are (Quake Live), else as Latin-1.
pub fn without_colors(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&b, after)) = rest.split_first() {
        // Every character behind a caret is a colour, except another caret.
        match after.first() {
            Some(color) if b == b'^' && *color != b'^' => rest = &after[1..],
            _ => {
                out.push(b);
                rest = after;
            }
        }
    }
    out.retain(|b| !b.is_ascii_control() || matches!(b, b'\n' | b'\t'));
    String::from_utf8(out).unwrap_or_else(|e| e.as_bytes().iter().map(|b| char::from(*b)).collect())
}
