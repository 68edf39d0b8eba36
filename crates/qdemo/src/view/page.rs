//! A replay as a page: one file that a browser shows, and that asks for no other.

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use super::packing::packed;
use super::{Replay, one_each};
use crate::error::Result;

/// The page, with places for what differs: `{policy}`, `{title}`, `{style}`, `{data}`, `{viewer}`, `{script}`.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
/// The script that unpacks the viewer.
const START: [&str; 2] = [include_str!("page/unpack.js"), include_str!("page/start.js")];
/// The modules of the viewer, each behind those that it uses.
const VIEWER: [&str; 18] = [
    include_str!("page/unpack.js"),
    include_str!("page/data.js"),
    include_str!("page/camera.js"),
    include_str!("page/draw.js"),
    include_str!("page/level.js"),
    include_str!("page/items.js"),
    include_str!("page/scene.js"),
    include_str!("page/sight.js"),
    include_str!("page/movers.js"),
    include_str!("page/panels.js"),
    include_str!("page/clocks.js"),
    include_str!("page/labels.js"),
    include_str!("page/heat.js"),
    include_str!("page/bar.js"),
    include_str!("page/charts.js"),
    include_str!("page/keys.js"),
    include_str!("page/offer.js"),
    include_str!("page/main.js"),
];

impl Replay {
    /// The replay as a page of HTML: everything is in it, and it asks the network for nothing.
    ///
    /// Nothing that a recording says stands in the page as markup: names and chat are in the packed data, and the page's
    /// script shows them as text. The page's policy lets no other script run than its own two, by their hashes: a short one,
    /// and the viewer that it unpacks from the element `viewer`.
    ///
    /// The packed bytes stand in its element `data` as text: each character has seven bits of them, the lowest first; the
    /// characters 0, 13 and 60, which a page cannot have there, are 192, 205 and 252 instead.
    ///
    /// Each person has a slot of their own in it: who has one that another one had before has a number that no slot has.
    ///
    /// The page offers itself to scripts as `window.replay`, once it has unpacked its data: `length_ms`, when the replay
    /// ends; `seek(ms)`; `state()`, `{demo_ms, players: [{slot, name, x, y, z, health}]}` as recorded, with null for what
    /// is not told; `frags`, `[{demo_ms, attacker, victim, weapon}]` with names, null for the world; `items`, those that people
    /// wait for, `[{item, level, x, y, z, away: [{from_ms, to_ms, slot}]}]` with the times in which each was not there; and
    /// `seen_by(slot)`, the slots of those whom a player may see now, null where nothing tells.
    ///
    /// # Errors
    /// What [`Replay::to_bytes`] gives.
    pub fn to_html(&self) -> Result<String> {
        self.to_html_on(1)
    }

    /// [`Replay::to_html`] on so many threads; the page is the same.
    ///
    /// # Errors
    /// What [`Replay::to_bytes`] gives.
    pub fn to_html_on(&self, threads: usize) -> Result<String> {
        let Viewer { policy, script, packed } = Viewer::get()?;
        let title = escaped(&self.about.file);
        let apart = one_each(self);
        let data = text_of(&apart.as_ref().unwrap_or(self).to_bytes_on(threads)?);
        let mut page = String::with_capacity(PAGE.len() + script.len() + packed.len() + STYLE.len() + data.len() + 512);
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').unwrap_or((after, ""));
            page.push_str(before);
            page.push_str(match name {
                "policy" => policy,
                "title" => &title,
                "style" => STYLE,
                "data" => &data,
                "viewer" => packed,
                "script" => script,
                _ => "",
            });
            rest = behind;
        }
        page.push_str(rest);
        Ok(page)
    }
}

/// What is the same in every page.
struct Viewer {
    policy: String,
    /// The script that unpacks it.
    script: String,
    /// As it stands in the page.
    packed: String,
}

impl Viewer {
    /// Packed once.
    fn get() -> Result<&'static Viewer> {
        static READY: OnceLock<Viewer> = OnceLock::new();
        if let Some(viewer) = READY.get() {
            return Ok(viewer);
        }
        let made = Viewer::new()?;
        Ok(READY.get_or_init(|| made))
    }

    fn new() -> Result<Viewer> {
        let (script, viewer) = (joined(&START), joined(&VIEWER));
        let policy = format!(
            "default-src 'none'; script-src '{}' '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
            source(&script),
            source(&viewer),
            source(STYLE)
        );
        let packed = text_of(&packed(&[viewer.as_bytes()], 1)?);
        Ok(Viewer { policy, script, packed })
    }
}

/// How a policy names the scripts and styles of pages, by their hashes: `sha256-...`. A page that shows them in a frame
/// without an address of its own lends them its policy, which has to allow these.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageSources {
    /// The scripts.
    pub scripts: Vec<String>,
    /// The styles.
    pub styles: Vec<String>,
}

impl PageSources {
    pub(crate) fn of(scripts: &[&str], styles: &[&str]) -> Self {
        let all = |texts: &[&str]| texts.iter().map(|text| source(text)).collect();
        PageSources { scripts: all(scripts), styles: all(styles) }
    }
}

/// Those of [`Replay::to_html`].
pub fn page_sources() -> PageSources {
    PageSources::of(&[&joined(&START), &joined(&VIEWER)], &[STYLE])
}

/// Modules as one script: what they take from each other is in one scope. Comments and indentation stay behind.
fn joined(modules: &[&str]) -> String {
    let mut script = String::from("\"use strict\";(() => {\n");
    for line in modules.iter().flat_map(|module| module.lines()) {
        let told = line.trim_start();
        let comment = ["//", "/**", "* ", "*/"].iter().any(|mark| told.starts_with(mark))
            && (told.ends_with("*/") || !told.contains("*/"));
        if !line.starts_with("import ") && !comment && !told.is_empty() {
            script.push_str(line.strip_prefix("export ").unwrap_or(told));
            script.push('\n');
        }
    }
    script.push_str("})();");
    script
}

/// How a policy names a script or style that may be used: by its hash.
pub(crate) fn source(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

/// Text as HTML and SVG have it. What XML cannot have is replaced.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\u{0}'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => {
                out.push('\u{FFFD}')
            }
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Bytes as text of a script element: each character has seven bits, the lowest first. Three characters cannot stand there
/// as they are: browsers replace 0 and 13, and 60 begins the end of the element.
fn text_of(bytes: &[u8]) -> String {
    let mut codes = Vec::with_capacity(bytes.len() / 7 * 8 + 8);
    // Seven bytes are eight characters.
    for seven in bytes.chunks(7) {
        let mut bits = [0; 8];
        bits.iter_mut().zip(seven).for_each(|(to, byte)| *to = *byte);
        let bits = u64::from_le_bytes(bits);
        let eight: [u8; 8] = std::array::from_fn(|n| (bits >> (7 * n) & 0x7F) as u8);
        codes.extend_from_slice(eight.get(..seven.len() + 1).unwrap_or_default());
    }
    let mut out = String::with_capacity(codes.len() + codes.len() / 32 + 16);
    let mut from = 0;
    let text = |from: usize, to: usize| std::str::from_utf8(codes.get(from..to)?).ok();
    for at in memchr::memchr3_iter(0, 13, 60, &codes) {
        out.push_str(text(from, at).unwrap_or_default());
        out.extend(codes.get(at).map(|code| char::from(code + 192)));
        from = at + 1;
    }
    out.push_str(text(from, codes.len()).unwrap_or_default());
    out
}

/// Bytes as base64: RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |n: usize| u32::from(three.get(n).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n) & 63) as usize];
            out.push(if n <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        let all =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (text, expected) in all {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    /// Read back as the documentation tells, by whole numbers of all bits.
    #[test]
    fn data_comes_back_from_its_text() {
        let bytes: Vec<u8> = (0..=255).chain([0, 0, 0, 13, 60, 255]).collect();
        for length in 0..bytes.len() {
            let text = text_of(&bytes[..length]);
            assert!(!text.contains(['\0', '\r', '<']), "a page cannot have these");
            let bits = text.chars().flat_map(|c| {
                let code = u32::from(c) - if u32::from(c) > 127 { 192 } else { 0 };
                (0..7).map(move |n| (code >> n & 1) as u8)
            });
            let bits: Vec<u8> = bits.collect();
            let back: Vec<u8> =
                bits.chunks_exact(8).map(|byte| byte.iter().rev().fold(0, |all, bit| all << 1 | bit)).collect();
            assert_eq!(back, bytes[..length]);
        }
    }

    #[test]
    fn modules_become_one_script() {
        for script in [joined(&START), joined(&VIEWER)] {
            let left = |line: &&str| line.starts_with("import ") || line.starts_with("export ");
            assert_eq!(script.lines().find(left), None);
            assert!(!script.contains("</script"), "it would end too early");
        }
        assert!(!STYLE.contains("</style"), "it would end too early");
    }

    /// Who came later to a slot has one of their own in the page.
    #[test]
    fn a_page_has_a_slot_for_each_person() {
        let mut replay = Replay { rows: vec![0, 100, 200], ..Replay::default() };
        replay.about.strings = ["name", "one", "two"].map(str::to_owned).to_vec();
        let keys = vec![(0, Some(1)), (1, None), (2, Some(2))];
        replay.values.push(crate::view::Values { slot: Some(0), name: 0, keys });
        let apart = one_each(&replay).unwrap();
        assert_eq!(apart.values.iter().map(|it| it.slot).collect::<Vec<_>>(), [Some(0), Some(1)]);
        let page = replay.to_html().unwrap();
        assert!(page.contains(&text_of(&apart.to_bytes().unwrap())) && page == apart.to_html().unwrap());
    }

    #[test]
    fn names_are_no_markup() {
        let mut replay = Replay::default();
        replay.about.file = "</title><script>alert(1)</script>\"'.mvd".to_owned();
        let page = replay.to_html().unwrap();
        assert!(page.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;.mvd</title>"));
        assert_eq!(page.matches("<script").count(), 3, "the data, the viewer and the script");
    }
}
