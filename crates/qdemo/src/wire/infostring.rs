//! Info strings: `\\key\\value\\key\\value`, as in settings of servers and of players.

/// The pairs of an info string.
pub fn info_pairs(info: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut parts = info.strip_prefix(b"\\").unwrap_or(info).split(|&b| b == b'\\');
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
}

/// The value of the first key that is this one, whatever its case, as Quake III finds it. (To QuakeWorld `Name` and `name`
/// are two keys.)
///
/// ```
/// use qdemo::wire::info_value;
/// assert_eq!(info_value(br"\mapname\q3dm17\Protocol\68", "protocol"), Some(&b"68"[..]));
/// ```
pub fn info_value<'i>(info: &'i [u8], key: &str) -> Option<&'i [u8]> {
    let mut rest = info.strip_prefix(b"\\").unwrap_or(info);
    loop {
        let (found, after) = rest.split_at_checked(memchr::memchr(b'\\', rest)?)?;
        let after = after.get(1..)?;
        let end = memchr::memchr(b'\\', after);
        if found.eq_ignore_ascii_case(key.as_bytes()) {
            return after.get(..end.unwrap_or(after.len()));
        }
        rest = after.get(end? + 1..)?;
    }
}

/// Sets a key of an info string; an empty value takes it out. Here the case counts, as it does in the engines of
/// QuakeWorld and of Quake III (`Info_RemoveKey`): a key that differs in it alone stays.
///
/// ```
/// let mut info = br"\name\ranger\skin\base".to_vec();
/// qdemo::wire::set_info_value(&mut info, b"name", b"bones");
/// assert_eq!(info, br"\skin\base\name\bones");
/// ```
pub fn set_info_value(info: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    let mut out = Vec::with_capacity(info.len() + key.len() + value.len() + 2);
    let others = info_pairs(info).filter(|(k, _)| *k != key);
    for (k, v) in others.chain((!value.is_empty()).then_some((key, value))) {
        out.push(b'\\');
        out.extend_from_slice(k);
        out.push(b'\\');
        out.extend_from_slice(v);
    }
    *info = out;
}

/// An info string with another value of a key, where it stands; `None` where the key is not there, or has that value. It
/// is the key that [`info_value`] finds, whatever its case.
///
/// ```
/// let info = qdemo::wire::with_info_value(br"\name\ranger\skin\base", "name", b"bones");
/// assert_eq!(info.as_deref(), Some(&br"\name\bones\skin\base"[..]));
/// ```
pub fn with_info_value(info: &[u8], key: &str, value: &[u8]) -> Option<Vec<u8>> {
    let mut at = usize::from(info.first() == Some(&b'\\'));
    for (k, v) in info_pairs(info) {
        let from = at + k.len() + 1;
        let to = from + v.len();
        if k.eq_ignore_ascii_case(key.as_bytes()) {
            let around = info.get(..from).zip(info.get(to..)).filter(|_| v != value);
            return around.map(|(front, behind)| [front, value, behind].concat());
        }
        at = to + 1;
    }
    None
}
