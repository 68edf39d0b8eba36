//! Texts in the middle of the screen, at times.

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

/// When which text is to be shown, in order: engines take a text away after a while, so that it is told again until its end.
/// An empty one takes it away.
pub(super) fn schedule(subtitles: &[Subtitle], width: usize, stands_ms: i64) -> Vec<(i64, Vec<u8>)> {
    let mut all: Vec<(i64, Vec<u8>)> = Vec::new();
    for subtitle in subtitles {
        let text = wrapped(&subtitle.text, width);
        let (from, to) = (subtitle.from.ms(), subtitle.to.ms());
        // The next one takes its place.
        all.retain(|(time, _)| *time < from);
        let times = (to - from + stands_ms - 1) / stands_ms;
        all.extend((0..times.min(10_000)).map(|n| (from + n * stands_ms, text.clone())));
        all.push((to, Vec::new()));
    }
    all
}

/// Text in lines of at most so many characters, in the characters of games: others become question marks.
fn wrapped(text: &str, width: usize) -> Vec<u8> {
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
    let plain = |c: char| if c == '\n' || (' '..='~').contains(&c) && c != '"' { c as u8 } else { plain(c) };
    lines.join("\n").chars().map(plain).collect()
}

/// A letter that games have for one that they do not have.
fn plain(c: char) -> u8 {
    match c {
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_at_words() {
        let lines = wrapped("one two three four\nfive", 9);
        assert_eq!(lines, b"one two\nthree\nfour\nfive");
        assert_eq!(wrapped("abcdefghij", 4), b"abcd\nefgh\nij");
        assert_eq!(wrapped("caf\u{e9} \"x\"", 40), b"cafe 'x'");
    }

    #[test]
    fn a_text_is_told_until_its_end() {
        let all = Subtitle::parse_srt("1\n0:01 --> 0:04,5\na\n\n2\n0:04 --> 0:05\nb\n").unwrap();
        let times: Vec<_> = schedule(&all, 40, 1500).into_iter().map(|(ms, text)| (ms, text.len())).collect();
        assert_eq!(times, [(1000, 1), (2500, 1), (4000, 1), (5000, 0)]);
        let wrong = Subtitle::parse_srt("1\n0:0x --> 0:04\na\n").unwrap_err();
        assert!(wrong.to_string().contains("line 2"), "{wrong}");
    }
}
