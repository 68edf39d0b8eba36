//! What tells of people outside the game: addresses, identities, passwords; and commands that act on a viewer's machine.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::says::{Game, Said};
use crate::event::commands::{CommandClass, KnownCommand, Where, commands};
use crate::format::dm3::Indices;
use crate::wire::{clean, info_pairs, info_value, set_info_value, with_info_value};
use crate::world::TextTag;

/// Settings whose values are nobody's business: compared without regard to case.
const KEYS: [&str; 14] = [
    "ip",
    "*ip",
    "address",
    "password",
    "rcon_password",
    "rconpassword",
    "spectator_password",
    "cl_guid",
    "guid",
    "*guid",
    "*auth",
    "steamid",
    "steam_id",
    "cl_punkbuster_guid",
];

/// Commands by which a client comes into the game, or into the next level.
const BEGINNINGS: [&[u8]; 6] = [b"precache", b"cmd", b"fullserverinfo", b"skins", b"changing", b"reconnect"];

/// True for a command without which a recording would not begin to play, or not know its settings.
pub(super) fn begins_game(text: &[u8]) -> bool {
    let word = text.trim_ascii().split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
    BEGINNINGS.contains(&word)
}

/// A command that has begun in one message and goes on in the next: true if it is harmless.
pub(super) type Begun = Option<bool>;

/// A text without what is private; `None` where there is nothing of that kind.
pub(super) fn scrubbed(said: &Said<'_>, begun: &mut Begun) -> Option<Vec<u8>> {
    let mut text: Option<Vec<u8>> = None;
    if said.kind == TextTag::StuffText {
        text = harmless(said.text, begun);
    }
    if said.game == Game::Quake3 && said.kind == TextTag::Command && acts(said.text) {
        return Some(Vec::new());
    }
    if said.game == Game::Quake3 && said.index == Some(Indices::SYSTEM_INFO) {
        text = settings(said.text);
    }
    if let Some(key) = said.key {
        if is_private(key) && !said.text.is_empty() {
            return Some(Vec::new());
        }
    }
    let now = text.as_deref().unwrap_or(said.text);
    let private: Vec<String> = match said.key {
        None if now.contains(&b'\\') => {
            let keys = info_pairs(info_in(said, now)).filter(|(key, value)| is_private(key) && !value.is_empty());
            keys.map(|(key, _)| String::from_utf8_lossy(key).into_owned()).collect()
        }
        _ => Vec::new(),
    };
    for key in private {
        let now = text.as_deref().unwrap_or(said.text);
        let front = now.len() - info_in(said, now).len();
        if info_value(&now[front..], &key).is_some() {
            let info = with_info_value(&now[front..], &key, b"x");
            text = info.map(|info| [&now[..front], &info].concat()).or(text);
        }
    }
    blanked(text.as_deref().unwrap_or(said.text)).or(text)
}

/// Of a text with an info string in it that string, as far as can be told. Players of Quake III have one that begins with a
/// key and not with what divides keys from values.
fn info_in<'t>(said: &Said<'_>, text: &'t [u8]) -> &'t [u8] {
    if said.game == Game::Quake3 && said.index.is_some() {
        return text;
    }
    text.iter().position(|b| *b == b'\\').and_then(|at| text.get(at..)).unwrap_or_default()
}

fn is_private(key: &[u8]) -> bool {
    KEYS.iter().any(|private| private.as_bytes().eq_ignore_ascii_case(key))
}

/// Commands without those that act on a machine; `None` where there are none.
fn harmless(text: &[u8], begun: &mut Begun) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut found = false;
    for command in commands(text) {
        let is_harmless = begun.take().unwrap_or_else(|| is_harmless(command));
        if !command.ends_with(b"\n") && !command.ends_with(b";") {
            *begun = Some(is_harmless);
        }
        match is_harmless {
            true => out.extend_from_slice(command),
            false => found = true,
        }
    }
    found.then_some(out)
}

/// True for a command that engines and mods send as a matter of course.
fn is_harmless(command: &[u8]) -> bool {
    let command = clean(command);
    let command = command.trim_matches([' ', '\t', ';', '\n', '\r', '\0']);
    let known = KnownCommand::find(Where::Console, command);
    command.is_empty() || known.is_some_and(|known| known.class == CommandClass::Normal)
}

/// True for a server command of Quake III that acts on a machine.
fn acts(command: &[u8]) -> bool {
    let end = command.iter().position(u8::is_ascii_whitespace).unwrap_or(command.len());
    let (word, rest) = command.split_at(end);
    match word {
        b"stuff" | b"rcmd" => !commands(rest).all(is_harmless),
        word => {
            KnownCommand::find(Where::Command, &clean(word)).is_some_and(|known| known.class != CommandClass::Normal)
        }
    }
}

/// Settings of the system without variables that are no matter of the game; `None` where there are none.
fn settings(info: &[u8]) -> Option<Vec<u8>> {
    let is_known = |key: &[u8]| key.is_empty() || KnownCommand::find(Where::SystemInfo, &clean(key)).is_some();
    let other: Vec<&[u8]> = info_pairs(info).map(|(key, _)| key).filter(|key| !is_known(key)).collect();
    let mut out = info.to_vec();
    other.iter().for_each(|key| set_info_value(&mut out, key, b""));
    (!other.is_empty()).then_some(out)
}

/// Text in which letters and digits of addresses and identities are crosses.
fn blanked(text: &[u8]) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    let mut blank = |from: usize, to: usize| {
        let out = out.get_or_insert_with(|| text.to_vec());
        out.iter_mut().take(to).skip(from).filter(|b| b.is_ascii_alphanumeric()).for_each(|b| *b = b'x');
    };
    let is_address = |run: &str| run.parse::<Ipv4Addr>().is_ok();
    let is_long_address = |run: &str| {
        let groups = run.split(':').filter(|group| !group.is_empty()).count();
        groups > 1 && run.matches(':').count() > 1 && run.parse::<Ipv6Addr>().is_ok()
    };
    // Crosses are no digits.
    let is_identity = |run: &str| run.len() == 32 || run.len() == 17 && run.starts_with("7656119");
    runs(text, |b| b.is_ascii_digit() || b == b'.', b".", is_address, &mut blank);
    runs(text, |b| b.is_ascii_hexdigit() || b == b':', b"", is_long_address, &mut blank);
    runs(text, |b| b.is_ascii_hexdigit(), b"", is_identity, &mut blank);
    for mark in [&b"STEAM_"[..], b"[U:"] {
        for at in memchr::memmem::find_iter(text, mark) {
            let from = at + mark.len();
            if let Some(len) = steam_account(text.get(from..).unwrap_or_default(), mark) {
                blank(from, from + len);
            }
        }
    }
    out
}

/// The length of the number of a Steam account behind what it begins with: `STEAM_0:1:12345`, `[U:1:24691]`.
fn steam_account(text: &[u8], mark: &[u8]) -> Option<usize> {
    let front = match (mark, text) {
        (b"STEAM_", [b'0'..=b'5', b':', b'0' | b'1', b':', ..]) => 4,
        (b"[U:", [b'1', b':', ..]) => 2,
        _ => return None,
    };
    let digits = text.iter().skip(front).take_while(|b| b.is_ascii_digit()).count();
    let closes = mark != b"[U:" || text.get(front + digits) == Some(&b']');
    (digits > 0 && closes).then_some(front + digits)
}

/// Looks at each run of letters of a kind, without what may stand around it.
fn runs(
    text: &[u8],
    is_part: impl Fn(u8) -> bool,
    around: &[u8],
    is_secret: impl Fn(&str) -> bool,
    each: &mut dyn FnMut(usize, usize),
) {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let len = rest.iter().position(|b| !is_part(*b)).unwrap_or(rest.len());
        let front = rest[..len].iter().take_while(|b| around.contains(b)).count();
        let back = rest[front..len].iter().rev().take_while(|b| around.contains(b)).count();
        let (from, to) = (at + front, at + len - back);
        if std::str::from_utf8(&text[from..to]).is_ok_and(&is_secret) {
            each(from, to);
        }
        at += len.max(1);
    }
}

/// True for a text of nothing but numbers, and dots and the like beside them: a counter.
pub(super) fn is_counter(text: &[u8]) -> bool {
    // Digits are golden, too, and dots: 18 to 27, 5, 14, 15, 28.
    let is_digit = |b: &u8| matches!(b & 0x7F, b'0'..=b'9' | 18..=27);
    let is_mark = |b: &u8| matches!(b & 0x7F, 5 | 14 | 15 | 28) || b".:-/|*= \n\r\t".contains(&(b & 0x7F));
    text.iter().all(|b| is_digit(b) || is_mark(b)) && text.iter().any(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: TextTag, key: Option<&'static [u8]>, text: &'static str) -> Option<String> {
        let said = Said { key, slot: Some(0), ..Said::new(Game::QuakeWorld, kind, text.as_bytes()) };
        scrubbed(&said, &mut None).map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    #[test]
    fn addresses_and_identities_become_crosses() {
        let print = |text| said(TextTag::Print, None, text);
        assert_eq!(print("join 10.20.30.40:27500 now.").as_deref(), Some("join xx.xx.xx.xx:27500 now."));
        assert_eq!(print("at 1.2.3.4., v5.6.7.8").as_deref(), Some("at x.x.x.x., vx.x.x.x"));
        assert_eq!(print("[2001:db8::1]:27500 up").as_deref(), Some("[xxxx:xxx::x]:27500 up"));
        assert_eq!(print("guid 0123456789abcdef0123456789ABCDEF!"), Some(format!("guid {}!", "x".repeat(32))));
        assert_eq!(print("id 76561197960287930"), Some(format!("id {}", "x".repeat(17))));
        assert_eq!(print("bob STEAM_0:1:12345 in").as_deref(), Some("bob STEAM_x:x:xxxxx in"));
        assert_eq!(print("[U:1:24691], STEAM_1:0:9").as_deref(), Some("[U:x:xxxxx], STEAM_x:x:x"));
        for plain in ["STEAM_ID", "STEAM_0:2:1", "STEAM_0:1:", "STEAM_9:1:1", "[U:1:]", "[U:1:5", "U:1:5"] {
            assert_eq!(print(plain), None, "{plain}");
        }
        for plain in ["1:23:45", "version 1.32b", "3.5.7", "10:00 300.5", "a.b.c.d", "256.1.1.1", "dead::", "::"] {
            assert_eq!(print(plain), None, "{plain}");
        }
    }

    #[test]
    fn private_settings_are_blanked() {
        assert_eq!(
            said(TextTag::UserInfo, None, r"\name\bob\*ip\host\team\red").as_deref(),
            Some(r"\name\bob\*ip\x\team\red")
        );
        assert_eq!(said(TextTag::UserInfo, Some(b"password"), "secret").as_deref(), Some(""));
        assert_eq!(said(TextTag::UserInfo, Some(b"team"), "red"), None);
    }

    #[test]
    fn commands_that_act_are_left_out() {
        let stuffed = |text| said(TextTag::StuffText, None, text);
        assert_eq!(stuffed("bf\nbind x quit\n//ktx took 1; 2\n").as_deref(), Some("bf\n//ktx took 1;"));
        assert_eq!(stuffed("fullserverinfo \"\\a\\b;c\"\n"), None);
        let mut begun = None;
        let parts = ["v_cshift ", "10", " 20\nali", "as x\nbf\n"].map(|part| harmless(part.as_bytes(), &mut begun));
        assert_eq!(parts, [None, None, Some(b" 20\n".to_vec()), Some(b"bf\n".to_vec())]);
        assert_eq!(stuffed("bf; exec evil.cfg").as_deref(), Some("bf;"));
    }

    #[test]
    fn counters_have_no_letters() {
        for text in ["3", "1.5", "12 ...", "\x12\x13: 40"] {
            assert!(is_counter(text.as_bytes()), "{text}");
        }
        for text in ["", "\n", "You got 3 rockets", "gg", "-----\n", "..."] {
            assert!(!is_counter(text.as_bytes()), "{text}");
        }
    }
}
