//! Numbers of blocks that cannot be right: those of the blocks around them tell.

use std::collections::BTreeMap;

/// Follows the numbers of blocks, and finds those that are wrong.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The last three.
    last: [Option<Numbered>; 3],
    /// One that is out of order by little, and the number that is right then. Networks do that, too: then its number does not
    /// come again.
    doubted: Option<(Numbered, i64)>,
    /// Numbers that are right, by where their blocks stand.
    right: BTreeMap<u64, i64>,
}

/// A block with a number.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    number: i64,
    offset: u64,
    /// What tells it apart from others with this number.
    content: u64,
    /// Blocks are counted anew from here on.
    begins: bool,
}

impl Numbered {
    /// True where another block has its number: one that came early and stands there again is no other one.
    fn is_taken_by(&self, other: &Numbered) -> bool {
        self.number == other.number && self.content != other.content
    }
}

impl Numbers {
    /// Networks bring no packet so much too early or too late.
    const NEAR: i64 = 32;

    /// Blocks are counted anew behind one without a number.
    pub(super) fn forget(&mut self) {
        (self.last, self.doubted) = Default::default();
    }

    /// Blocks are counted anew from this one on.
    pub(super) fn begin(&mut self, number: i64, offset: u64, content: u64) {
        self.doubted = None;
        self.add(Numbered { number, offset, content, begins: true });
    }

    /// A block with a number comes.
    pub(super) fn take(&mut self, number: i64, offset: u64, content: u64) {
        self.add(Numbered { number, offset, content, begins: false });
    }

    fn add(&mut self, last: Numbered) {
        let number = last.number;
        if let Some((wrong, right)) = self.doubted.take_if(|(wrong, _)| number >= wrong.number) {
            if wrong.is_taken_by(&last) {
                self.right.insert(wrong.offset, right);
            }
        }
        if let [before, Some(now), Some(next)] = self.last {
            self.judge(before, now, next, last);
        }
        self.last = [self.last[1], self.last[2], Some(last)];
    }

    /// Two blocks may go on as if the one in front of them were not there, but for a place that is left for it.
    fn judge(&mut self, before: Option<Numbered>, now: Numbered, next: Numbered, last: Numbered) {
        let is_twin = |other: Numbered| now.number == other.number && !now.is_taken_by(&other);
        if next.begins || last.begins || next.number >= last.number || is_twin(next) || is_twin(last) {
            return;
        }
        if now.begins {
            return self.judge_beginning(before, now, next, last);
        }
        let is_row = next.number + 1 == last.number;
        let (before, is_known) = match before {
            Some(before) => (before.number, true),
            // The first one behind a beginning without a number: a row must follow.
            None if is_row => (next.number.saturating_sub(Self::NEAR), false),
            None => return,
        };
        if before + 1 >= next.number {
            return;
        }
        let near = by_one_bit(before, now.number, next.number);
        if last.number <= now.number {
            let right = near.unwrap_or(next.number - 1);
            if now.number - next.number > Self::NEAR || last.number == now.number {
                self.right.insert(now.offset, right);
            } else {
                self.doubted = Some((now, right));
            }
        } else if let Some(right) = near.filter(|_| is_known && before - now.number > Self::NEAR) {
            self.right.insert(now.offset, right);
        }
    }

    /// Nothing overtakes a beginning: where two blocks in a row behind it do not go on from it, its number is wrong. They may
    /// be out of place themselves, so that within a recording the right one differs in one bit.
    fn judge_beginning(&mut self, before: Option<Numbered>, now: Numbered, next: Numbered, last: Numbered) {
        // Where numbers begin anew those in front tell nothing.
        let known = before.map(|before| before.number).filter(|before| *before < now.number);
        let from = known.unwrap_or(next.number.saturating_sub(Self::NEAR));
        let free = next.number - 1;
        if next.number + 1 != last.number || now.number <= free || from >= free {
            return;
        }
        let differs_in_a_bit = (now.number ^ free).count_ones() == 1;
        let right = by_one_bit(from, now.number, next.number).or(differs_in_a_bit.then_some(free));
        if let Some(right) = right.or(before.is_none().then_some(free)) {
            self.right.insert(now.offset, right);
        }
    }

    /// The number that is right for a block, if the one that it has is wrong.
    pub(super) fn right(&self, offset: u64) -> Option<i64> {
        self.right.get(&offset).copied()
    }
}

/// The number between those of two blocks that differs in one bit from another one, if there is no second.
fn by_one_bit(before: i64, now: i64, next: i64) -> Option<i64> {
    let mut near = (0..i32::BITS).map(|bit| now ^ 1 << bit).filter(|number| (before + 1..next).contains(number));
    near.next().filter(|_| near.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of those that are wrong, and what is right.
    fn wrong(numbers: &[i64]) -> Vec<(u64, i64)> {
        let mut all = Numbers::default();
        (0..).zip(numbers).for_each(|(at, number)| all.take(*number, at, at));
        all.right.into_iter().collect()
    }

    /// The same where blocks are counted anew at a place.
    fn wrong_behind(numbers: &[i64], begins: u64) -> Vec<(u64, i64)> {
        let mut all = Numbers::default();
        for (at, number) in (0..).zip(numbers) {
            match at == begins {
                true => all.begin(*number, at, at),
                false => all.take(*number, at, at),
            }
        }
        all.right.into_iter().collect()
    }

    #[test]
    fn the_row_behind_a_beginning_tells_its_number() {
        assert_eq!(wrong_behind(&[469, 470, 503, 472, 473], 2), [(2, 471)], "behind others");
        assert_eq!(wrong_behind(&[469, 470, 503, 474, 475], 2), [(2, 471)], "some are lost behind it");
        assert_eq!(wrong_behind(&[469, 470, 33, 2, 3], 2), [(2, 1)], "where numbers begin anew");
        assert_eq!(wrong_behind(&[471, 8, 9], 0), [(0, 7)], "in front of all");
        assert_eq!(wrong_behind(&[3, 2, 3], 0), [(0, 1)], "at once");
        assert_eq!(wrong_behind(&[7, 8, 381, 318, 319], 2), [(2, 317)], "where packets are told to be counted from");
        for wrong in [382, 62] {
            assert_eq!(wrong_behind(&[7, 8, 317, wrong, 319, 320], 2), [(3, 318)], "the packet behind that");
        }
        for (numbers, begins) in [
            (&[587, 588, 1, 2, 3][..], 2),
            (&[587, 588, 1, 5, 6], 2),
            (&[1, 8, 3, 4, 5], 2),
            (&[7, 8, 317, 318, 319], 2),
            (&[7, 8, 317, 330, 331], 2),
            // A packet came late, or its number is wrong in a bit that lowers it.
            (&[7, 8, 317, 316, 318], 2),
            (&[7, 8, 317, 316, 319, 320], 2),
            // Others were put behind it.
            (&[5, 6, 7811, 7, 8, 7812], 2),
            (&[1, 2, 3, 4], 0),
        ] {
            assert!(wrong_behind(numbers, begins).is_empty(), "{numbers:?}");
        }
    }

    /// The first frame of Quake II has a number, what begins the level has none: it may be out of order.
    #[test]
    fn the_first_number_behind_a_beginning_without_one() {
        assert!(wrong(&[3, 1, 2, 4, 5]).is_empty(), "another one was moved");
        assert!(wrong(&[5, 70, 71]).is_empty(), "some were lost");
        assert_eq!(wrong(&[3, 2, 3, 4]), [(0, 1)], "it comes again");
        assert_eq!(wrong(&[65, 2, 3, 4]), [(0, 1)], "far off");
    }

    /// Networks bring packets early, and again.
    #[test]
    fn a_block_that_came_early_and_again_has_its_number() {
        for order in [&[3, 2, 3][..], &[5, 2, 3, 4, 5], &[3, 1, 2, 3]] {
            let mut all = Numbers::default();
            let numbers = [&[-1, 0][..], order, &[6, 7]].concat();
            // Its number is all that a block holds.
            (0..).zip(numbers).for_each(|(at, number)| all.take(100 + number, at, number as u64));
            assert!(all.right.is_empty(), "{order:?}: {:?}", all.right);
        }
    }

    #[test]
    fn a_number_is_wrong_where_the_others_go_on_without_it() {
        assert_eq!(wrong(&[10, 75, 12, 13]), [(1, 11)], "far off");
        assert_eq!(wrong(&[10, 15, 12, 13, 14, 15, 16]), [(1, 11)], "it comes again");
        assert_eq!(wrong(&[9, 14, 13, 14, 15]), [(1, 12)], "at once");
        assert_eq!(wrong(&[10, 1 << 20 | 13, 17, 18]), [(1, 13)], "of those that are free one differs in a bit");
        assert_eq!(wrong(&[10, 99_999, 17, 18]), [(1, 16)]);
        assert_eq!(wrong(&[200, 73, 202, 203]), [(1, 201)], "too low");
    }

    #[test]
    fn packets_that_overtake_others_are_right() {
        for numbers in [
            &[10, 12, 11, 13, 14][..],
            &[10, 13, 11, 12, 14],
            // One is lost.
            &[10, 15, 12, 13, 14, 16, 17],
            &[10, 13, 12, 14],
            // It is an old one.
            &[200, 74, 202, 203],
            &[200, 199, 202, 203],
            // Nothing is missing.
            &[10, 90, 11, 12],
        ] {
            assert!(wrong(numbers).is_empty(), "{numbers:?}");
        }
    }
}
