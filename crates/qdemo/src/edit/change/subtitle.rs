//! Texts in the middle of the screen, at times.

use std::collections::BTreeSet;

use crate::error::{Error, ErrorKind, Result};
use crate::world::DemoTime;

/// A text that is shown for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subtitle {
    /// When it appears.
    pub from: DemoTime,
    /// When it is gone.
    pub to: DemoTime,
    /// What it says; line ends are kept, and longer lines are wrapped as wide as the game shows them.
    pub text: String,
}

impl Subtitle {
    /// Reads SubRip text (`.srt`): a number, times, and lines, for each subtitle; an empty line lies between. Times are
    /// counted from the beginning of the recording. Marks of letters (`<i>`) are left out.
    ///
    /// ```
    /// use qdemo::edit::Subtitle;
    /// let all = Subtitle::parse_srt("1\n00:00:01,500 --> 00:00:04,000\nThe <i>first</i> shot\n")?;
    /// assert_eq!((all[0].from.ms(), all[0].to.ms(), &*all[0].text), (1_500, 4_000, "The first shot"));
    /// # Ok::<(), qdemo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A time that is none, with the number of its line.
    pub fn parse_srt(text: &str) -> Result<Vec<Subtitle>> {
        let mut all: Vec<Subtitle> = Vec::new();
        let mut lines = text.trim_start_matches('\u{FEFF}').lines().enumerate().peekable();
        while let Some((n, line)) = lines.next() {
            let Some((from, to)) = line.split_once("-->") else {
                // The number in front of times, and empty lines.
                let is_number = line.trim().parse::<u32>().is_ok();
                if line.trim().is_empty() || is_number {
                    continue;
                }
                return Err(mistake(n, "a number, or times such as 00:00:01,500 --> 00:00:04,000, should stand here"));
            };
            // Places on the screen may stand behind.
            let to = to.split_whitespace().next().unwrap_or_default();
            let time = |text: &str| time(text.trim()).ok_or_else(|| mistake(n, "times are written as 00:00:01,500"));
            let (from, to) = (time(from)?, time(to)?);
            let mut said: Vec<String> = Vec::new();
            while let Some((_, line)) = lines.next_if(|(_, line)| !line.trim().is_empty()) {
                said.push(without_marks(line.trim()));
            }
            if to.ms() <= from.ms() {
                return Err(mistake(n, "a subtitle ends behind its beginning"));
            }
            all.push(Subtitle { from, to, text: said.join("\n") });
        }
        all.sort_by_key(|subtitle| subtitle.from.ms());
        Ok(all)
    }
}

fn mistake(line: usize, what: &str) -> Error {
    Error::new(ErrorKind::Refused(format!("subtitles, line {}: {what}", line + 1)))
}

/// `HH:MM:SS,mmm`; hours and thousandths may be missing.
fn time(text: &str) -> Option<DemoTime> {
    let (seconds, ms) = text.split_once([',', '.']).unwrap_or((text, "0"));
    let mut all: i64 = 0;
    for part in seconds.split(':') {
        all = all.checked_mul(60)?.checked_add(i64::from(part.parse::<u32>().ok()?))?;
    }
    let digits = format!("{ms:0<3}");
    let ms: u16 = digits.get(..3)?.parse().ok()?;
    (all < 1_000_000).then(|| DemoTime::from_ms(all * 1000 + i64::from(ms)))
}

fn without_marks(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((front, behind)) = rest.split_once('<') {
        out.push_str(front);
        match behind.split_once('>') {
            Some((_, behind)) => rest = behind,
            None => {
                out.push('<');
                rest = behind;
            }
        }
    }
    out + rest
}

/// How a game shows texts in the middle of the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    /// Letters in a line.
    pub(super) width: usize,
    /// For how long a text stands there, in ms.
    pub(super) stands: i64,
    /// Bytes of a text that are kept.
    pub(super) most: usize,
}

/// A text that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Caption {
    /// When, in ms.
    pub(super) at: i64,
    /// An empty one takes away what stands there.
    pub(super) text: Vec<u8>,
    /// The subtitle, or the part of one, that it shows.
    pub(super) part: Option<usize>,
}

/// When which text is to be shown.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// In order.
    pub(super) captions: Vec<Caption>,
    /// What is shown in another way than the subtitles say.
    pub(super) notes: Vec<String>,
}

impl Schedule {
    /// Engines take a text away after a while, so that it is told again until its end.
    pub(super) fn new(subtitles: &[Subtitle], screen: Screen) -> Self {
        let mut all: Vec<Caption> = Vec::new();
        let (mut parts, mut long, mut overlaps, mut before) = (0, 0, 0, i64::MIN);
        let mut other = BTreeSet::new();
        for subtitle in subtitles {
            let text = wrapped(&subtitle.text, screen.width, &mut other);
            let (from, to) = (subtitle.from.ms(), subtitle.to.ms());
            overlaps += u64::from(before > from);
            before = to;
            // The next one takes its place.
            all.retain(|caption| caption.at < from);
            let pages = pages(&text, screen.most);
            long += u64::from(pages.len() > 1);
            let time = |n: usize| from + (to - from) * n as i64 / pages.len().max(1) as i64;
            for (n, page) in pages.iter().enumerate() {
                let (from, to) = (time(n), time(n + 1));
                let times = (to - from + screen.stands - 1) / screen.stands;
                all.extend((0..times.min(10_000)).map(|n| Caption {
                    at: from + n * screen.stands,
                    text: page.to_vec(),
                    part: Some(parts),
                }));
                parts += 1;
            }
            all.push(Caption { at: to, text: Vec::new(), part: None });
        }
        let mut notes = Vec::new();
        if long > 0 {
            let most = screen.most;
            notes.push(format!("{long} of the subtitles are longer than {most} letters, and come in parts"));
        }
        if overlaps > 0 {
            notes.push(format!(
                "{overlaps} of the subtitles begin before the one in front of them ends, which goes then"
            ));
        }
        if !other.is_empty() {
            let other: String = other.into_iter().take(20).collect();
            notes.push(format!("letters of the subtitles that games do not have became others: {other}"));
        }
        Schedule { captions: all, notes }
    }
}

/// A text in parts of at most so many bytes, cut between words.
fn pages(text: &[u8], most: usize) -> Vec<&[u8]> {
    let mut pages = Vec::new();
    let mut rest = text;
    while rest.len() > most {
        // Words are no longer than a line.
        let at = rest.iter().take(most + 1).rposition(u8::is_ascii_whitespace).filter(|at| *at > 0).unwrap_or(most);
        let (page, behind) = rest.split_at(at);
        pages.push(page);
        rest = behind.trim_ascii_start();
    }
    pages.push(rest);
    pages
}

/// Text in lines of at most so many characters, in the characters of games; those that became others go to `other`.
fn wrapped(text: &str, width: usize, other: &mut BTreeSet<char>) -> Vec<u8> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut now = String::new();
        for word in line.split_whitespace() {
            let mut word: Vec<char> = word.chars().collect();
            let room = now.chars().count() + 1 + word.len() <= width;
            if !now.is_empty() && !room {
                lines.push(std::mem::take(&mut now));
            }
            if !now.is_empty() {
                now.push(' ');
            }
            while word.len() > width {
                lines.push(word.drain(..width).collect());
            }
            now.extend(word);
        }
        lines.push(now);
    }
    let letter = |c: char| match c {
        '\n' => b'\n',
        ' '..='~' if c != '"' => c as u8,
        c => {
            other.insert(c);
            plain(c)
        }
    };
    lines.join("\n").chars().map(letter).collect()
}

/// A letter that games have for one that they do not have.
fn plain(c: char) -> u8 {
    let small = match c.to_lowercase().next().unwrap_or(c) {
        '"' | '“' | '”' | '„' | '’' | '‘' => b'\'',
        '–' | '—' => b'-',
        'à'..='å' | 'ā' => b'a',
        'ç' | 'č' | 'ć' => b'c',
        'è'..='ë' | 'ě' | 'ę' => b'e',
        'ì'..='ï' => b'i',
        'ñ' | 'ń' => b'n',
        'ò'..='ö' | 'ø' => b'o',
        'ù'..='ü' | 'ů' => b'u',
        'ý' | 'ÿ' => b'y',
        'š' | 'ś' | 'ß' => b's',
        'ž' | 'ż' => b'z',
        _ => b'?',
    };
    if c.is_uppercase() { small.to_ascii_uppercase() } else { small }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_at_words() {
        let mut other = BTreeSet::new();
        let mut wrapped = |text: &str, width: usize| wrapped(text, width, &mut other);
        let lines = wrapped("one two three four\nfive", 9);
        assert_eq!(lines, b"one two\nthree\nfour\nfive");
        assert_eq!(wrapped("abcdefghij", 4), b"abcd\nefgh\nij");
        assert_eq!(wrapped("caf\u{e9} \"x\" \u{dc}ber", 40), b"cafe 'x' Uber");
        assert_eq!(other.into_iter().collect::<String>(), "\"\u{dc}\u{e9}");
        assert_eq!(pages(b"one two\nthree four", 8), [&b"one two"[..], b"three", b"four"]);
        assert_eq!(pages(b"", 8), [b""]);
    }

    #[test]
    fn a_text_is_told_until_its_end() {
        let all = Subtitle::parse_srt("1\n0:01 --> 0:04,5\na\n\n2\n0:04 --> 0:05\nb\n").unwrap();
        let times = |all: &[Subtitle], most: usize| {
            let schedule = Schedule::new(all, Screen { width: 40, stands: 1500, most });
            let times: Vec<_> = schedule.captions.into_iter().map(|it| (it.at, it.text.len(), it.part)).collect();
            (times, schedule.notes)
        };
        let (shown, notes) = times(&all, 100);
        assert_eq!(shown, [(1000, 1, Some(0)), (2500, 1, Some(0)), (4000, 1, Some(1)), (5000, 0, None)]);
        assert!(notes[0].starts_with("1 of the subtitles begin before"), "{notes:?}");
        // A long one comes in parts.
        let long = Subtitle::parse_srt("1\n0:01 --> 0:03\none two three\n").unwrap();
        let (shown, notes) = times(&long, 8);
        assert_eq!(shown, [(1000, 7, Some(0)), (2000, 5, Some(1)), (3000, 0, None)]);
        assert!(notes[0].contains("come in parts"), "{notes:?}");
        let wrong = Subtitle::parse_srt("1\n0:0x --> 0:04\na\n").unwrap_err();
        assert!(wrong.to_string().contains("line 2"), "{wrong}");
    }
}
