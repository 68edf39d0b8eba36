//! The CD track line that stands in front of all blocks of a `.dem`.

use super::packet::Header;
use crate::frame::{HeaderRead, Rules};

/// Length of the track line. Candidates are the line of newer readers (everything up to a line feed), the number
/// of old readers (`fscanf`: a number and all white space behind it), and nothing; the first behind which blocks
/// begin is taken.
pub(super) fn track_len(bytes: &[u8], at_end: bool) -> usize {
    const LONGEST: usize = 12;
    let head = &bytes[..bytes.len().min(LONGEST)];
    let allowed = |b: u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b' ' | b'\t' | b'\r');
    let line = head.iter().position(|&b| b == b'\n').filter(|&n| head[..n].iter().all(|&b| allowed(b))).map(|n| n + 1);
    let sign = usize::from(head.first() == Some(&b'-'));
    let digits = head[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    let space = head[sign + digits..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let number = (digits > 0).then_some(sign + digits + space);
    let bare = (digits > 0 && space == 0).then_some(sign + digits);
    let begins = |n: usize| {
        let HeaderRead::HeaderFound(found) = Header::find(&bytes[n..]) else { return false };
        let whole = found.whole().is_some_and(|whole| n + whole <= bytes.len());
        (whole || !at_end) && found.header.plausible(&bytes[n + found.len..], None)
    };
    let candidates = [line, number, bare, Some(0)];
    let found = candidates.into_iter().flatten().find(|&n| begins(n));
    found.or(line).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{CutKind, Framer, Step};
    use crate::limits::Limits;

    fn block(payload: &[u8]) -> Vec<u8> {
        let mut b = (payload.len() as u32).to_le_bytes().to_vec();
        b.extend([0; 12]);
        b.extend(payload);
        b
    }

    /// The readers of the DEM document, section 6.1, and what facts add: CR, no newline at all, no track at all.
    #[test]
    fn track_lines_of_all_readers() {
        for head in ["-1\n", "2\n", "0\n", "\n", "-1 ", "7", "", "-1\r\n", "1-\n", " 2\n"] {
            let mut file = head.as_bytes().to_vec();
            file.extend(block(&[7, 0, 0, 128, 63]));
            file.extend(block(&[2]));
            assert_eq!(track_len(&file, true), head.len(), "{head:?}");
        }
    }

    /// A block length whose low byte is white space belongs to the block when a line feed came before it.
    #[test]
    fn white_space_in_the_first_size_is_no_track() {
        let mut file = b"-1\n".to_vec();
        file.extend(block(&[1; 32]));
        file.extend(block(&[2]));
        assert_eq!(track_len(&file, true), 3);
    }

    /// Damage between two blocks costs only itself.
    #[test]
    fn framing_goes_on_after_damage() {
        let mut file = b"-1\n".to_vec();
        file.extend(block(&[1; 20]));
        file.extend([0xFF; 37]);
        for _ in 0..3 {
            file.extend(block(&[1; 9]));
        }
        let mut framer = Framer::<Header>::new(Limits::default());
        let (mut at, mut seen) = (0, Vec::new());
        while let Step::Cut(cut) = framer.next(&file[at..], true) {
            let name = match cut.kind {
                CutKind::Start => "track",
                CutKind::Block { .. } => "block",
                CutKind::Unframed(_) => "unframed",
                other => panic!("{other:?} in Quake"),
            };
            seen.push((name, cut.len));
            at += cut.len;
        }
        let expected = [("track", 3), ("block", 36), ("unframed", 37), ("block", 25), ("block", 25), ("block", 25)];
        assert_eq!(seen, expected);
    }
}
