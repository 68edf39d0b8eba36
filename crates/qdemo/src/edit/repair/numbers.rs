//! Numbers of blocks that cannot be right: those of the blocks around them tell.

use std::collections::BTreeMap;

/// Follows the numbers of blocks, and finds those that are wrong.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The last three: their numbers, and where they stand.
    last: [Option<(i64, u64)>; 3],
    /// One that is out of order by little. Networks do that, too: then its number does not come again.
    doubted: Option<Wrong>,
    /// Numbers that are right, by where their blocks stand.
    right: BTreeMap<u64, i64>,
}

/// A block whose number may be wrong.
#[derive(Debug, Clone, Copy)]
struct Wrong {
    offset: u64,
    number: i64,
    right: i64,
}

impl Numbers {
    /// Networks bring no packet so much too early or too late.
    const NEAR: i64 = 32;

    /// Blocks are counted anew.
    pub(super) fn begin(&mut self) {
        (self.last, self.doubted) = Default::default();
    }

    /// A block with a number comes.
    pub(super) fn take(&mut self, number: i64, offset: u64) {
        if let Some(wrong) = self.doubted.take_if(|wrong| number >= wrong.number) {
            if number == wrong.number {
                self.right.insert(wrong.offset, wrong.right);
            }
        }
        if let [Some((before, _)), Some((now, at)), Some((next, _))] = self.last {
            // Two blocks go on from the one in front, as if this one were not there, but for a place that is left for it.
            let go_on = before + 1 < next && next < number;
            let near = by_one_bit(before, now, next);
            if go_on && number <= now {
                let wrong = Wrong { offset: at, number: now, right: near.unwrap_or(next - 1) };
                if now - next > Self::NEAR || number == now {
                    self.right.insert(at, wrong.right);
                } else {
                    self.doubted = Some(wrong);
                }
            } else if let Some(right) = near.filter(|_| go_on && before - now > Self::NEAR) {
                self.right.insert(at, right);
            }
        }
        self.last = [self.last[1], self.last[2], Some((number, offset))];
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
        (0..).zip(numbers).for_each(|(at, number)| all.take(*number, at));
        all.right.into_iter().collect()
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
