//! Strings are bytes in Quake's own character set. The views here are for people.

use std::borrow::Cow;
use std::fmt;

use super::byte_string;

/// A string of Quake bytes, without the closing NUL.
///
/// Bytes 0x20-0x7E are ASCII; 0x80-0xFF repeat the lower half in gold (brown); 0x00-0x1F are graphics
/// such as brackets, gold digits (0x12-0x1B) and bars.
///
/// It borrows from what it was read from, or owns its bytes.
///
/// ```
/// use qdemo::wire::Str;
/// let name = Str::new(b"\xD2anger");
/// assert_eq!(name.bytes(), b"\xD2anger");
/// assert_eq!(name.clean(), "Ranger");
/// assert_eq!(name, Str::from(b"\xD2anger".to_vec()));
/// let mut map = Str::from("maps/e1m1.bsp");
/// assert!(map.replace("e1m1", "e1m2") && map == "maps/e1m2.bsp" && !map.replace("e1m1", "start"));
/// assert_eq!(format!("{name:?}"), r#""\xd2anger""#);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Str<'a>(Cow<'a, [u8]>);

impl<'a> Str<'a> {
    /// A string that borrows its bytes.
    #[inline(always)]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Str(Cow::Borrowed(bytes))
    }

    /// The raw bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The string in plain ASCII, gold letters and graphics folded; see [`clean`].
    pub fn clean(&self) -> String {
        clean(&self.0)
    }

    /// The same string, which owns its bytes.
    pub fn into_owned(self) -> Str<'static> {
        Str(Cow::Owned(self.0.into_owned()))
    }
}

byte_string!(Str<'a>);

/// A list of strings, each closed by NUL, the list closed by an empty string (as precache lists are).
///
/// It is kept as the bytes on the wire without the last NUL, so it borrows from the input in one piece.
///
/// ```
/// use qdemo::wire::StrList;
/// let list = StrList::from(["maps/e1m1.bsp", "*1"]);
/// assert_eq!(list.iter().nth(1), Some(b"*1".as_slice()));
/// assert_eq!(list.len(), 2);
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct StrList<'a>(pub(crate) Cow<'a, [u8]>);

impl<'a> StrList<'a> {
    /// Builds a list. Strings must be free of NUL and not empty: such strings would end the list early,
    /// so they end it here too.
    pub fn from_strings(strings: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        let mut all = Vec::new();
        for s in strings {
            let s = s.as_ref();
            if s.is_empty() || s.contains(&0) {
                break;
            }
            all.extend_from_slice(s);
            all.push(0);
        }
        StrList(Cow::Owned(all))
    }

    /// The same list, which owns its bytes.
    pub fn into_owned(self) -> StrList<'static> {
        StrList(Cow::Owned(self.0.into_owned()))
    }

    /// The strings, in order. On the wire the first has number 1.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.strip_suffix(&[0]).into_iter().flat_map(|all| all.split(|&b| b == 0))
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.0.iter().filter(|&&b| b == 0).count()
    }

    /// True for the empty list.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A list of strings, which [`StrList::from_strings`] makes.
impl<S: AsRef<[u8]>, const N: usize> From<[S; N]> for StrList<'_> {
    fn from(strings: [S; N]) -> Self {
        strings.into_iter().collect()
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for StrList<'_> {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        Self::from_strings(strings)
    }
}

/// As Rust writes a list of strings of bytes.
impl fmt::Debug for StrList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Str::new)).finish()
    }
}

/// Quake's character set folded to plain ASCII: gold letters become plain, gold digits and brackets their
/// ASCII look-alikes, other graphics a dot; line ends and tabs are kept.
///
/// ```
/// assert_eq!(qdemo::wire::clean(b"\xD2a\x12\x10x\x11\n"), "Ra0[x]\n");
/// ```
pub fn clean(bytes: &[u8]) -> String {
    let plain = bytes.iter().map(|&b| PLAIN[usize::from(b)]).collect();
    String::from_utf8(plain).unwrap_or_default()
}

/// What [`clean_byte`] gives for each byte: all of it ASCII.
const PLAIN: [u8; 256] = {
    let mut all = [0; 256];
    let mut b = 0;
    while b < all.len() {
        all[b] = clean_byte(b as u8) as u8;
        b += 1;
    }
    all
};

const fn clean_byte(b: u8) -> char {
    match b {
        b'\n' | b'\t' | b'\r' => b as char,
        _ => match b & 0x7F {
            c @ 0x20..=0x7E => c as char,
            c @ 0x12..=0x1B => (b'0' + (c - 0x12)) as char,
            0x10 => '[',
            0x11 => ']',
            0x1D => '<',
            0x1E => '=',
            0x1F => '>',
            0x0D => '>',
            _ => '.',
        },
    }
}

/// One line for people: [`clean`], with line ends and other control characters left out.
pub fn printable(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| clean_byte(b)).filter(|c| !c.is_control()).collect()
}
