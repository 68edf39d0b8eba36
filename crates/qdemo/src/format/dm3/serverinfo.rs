//! Info strings: `\\key\\value\\key\\value`, as in configstrings.

use super::gamestate::Gamestate;

/// The pairs of an info string.
pub fn pairs(info: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut parts = info.strip_prefix(b"\\").unwrap_or(info).split(|&b| b == b'\\');
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
}

/// The value of a key, which is compared without regard to case.
///
/// ```
/// use qdemo::format::dm3::info_value;
/// assert_eq!(info_value(br"\mapname\q3dm17\Protocol\68", "protocol"), Some(&b"68"[..]));
/// ```
pub fn value<'i>(info: &'i [u8], key: &str) -> Option<&'i [u8]> {
    pairs(info).find(|(k, _)| k.eq_ignore_ascii_case(key.as_bytes())).map(|(_, v)| v)
}

/// The protocol that the server tells under a key.
pub(super) fn protocol(gamestate: &Gamestate, key: &str) -> Option<i32> {
    let serverinfo = gamestate.configstrings().find(|c| c.index == 0)?;
    std::str::from_utf8(value(&serverinfo.value.0, key)?).ok()?.trim().parse().ok()
}
