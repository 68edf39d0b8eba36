//! Showing messages in a language that may lack words for them.

use std::borrow::Cow;

use super::json::JsonSink;
use super::print::{TextSink, append};
use crate::describe::{Sink, Unknown};

/// A sink that can take back what was shown.
pub(crate) trait MessageSink: Sink {
    /// Where the output stands, to come back to.
    fn mark(&self) -> (usize, usize);
    /// Forgets what was shown since `mark`.
    fn take_back(&mut self, mark: (usize, usize));
    /// True when LMPC cannot say what was shown since the last call.
    fn take_foreign(&mut self) -> bool;
}

impl MessageSink for JsonSink {
    fn mark(&self) -> (usize, usize) {
        (self.out.len(), self.depth())
    }
    fn take_back(&mut self, mark: (usize, usize)) {
        self.rewind(mark);
    }
    fn take_foreign(&mut self) -> bool {
        false
    }
}

impl MessageSink for TextSink {
    fn mark(&self) -> (usize, usize) {
        (self.out.len(), self.depth())
    }
    fn take_back(&mut self, mark: (usize, usize)) {
        self.rewind(mark);
    }
    fn take_foreign(&mut self) -> bool {
        self.foreign_since()
    }
}

/// A sink that makes a text, of which several can make parts.
pub(crate) trait TextOut: MessageSink + Send {
    /// The text so far.
    fn out(&mut self) -> &mut Vec<u8>;
    /// One for the chunks that follow, whose text comes to stand in `room`, which is empty.
    fn fork(&self, room: Vec<u8>) -> Self;
    /// True when the next chunk is shown alike by both.
    fn is_same(&self, other: &Self) -> bool;
    /// Adds what a fork has shown. Gives room for another.
    fn join(&mut self, fork: Self) -> Vec<u8>;
}

impl TextOut for JsonSink {
    fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }
    fn fork(&self, room: Vec<u8>) -> Self {
        JsonSink::writing_to(room)
    }
    fn is_same(&self, _: &Self) -> bool {
        true
    }
    fn join(&mut self, fork: Self) -> Vec<u8> {
        append(&mut self.out, fork.out)
    }
}

impl TextOut for TextSink {
    fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }
    fn fork(&self, room: Vec<u8>) -> Self {
        self.fork(room)
    }
    fn is_same(&self, other: &Self) -> bool {
        self.is_same(other)
    }
    fn join(&mut self, fork: Self) -> Vec<u8> {
        self.join(fork)
    }
}

/// How far LMPC's language goes for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LmpcCoverage {
    /// It has words for all of it, unless a field says otherwise.
    All,
    /// The message is bytes in every language.
    Wrong,
    /// It would read the words in another way.
    None,
}

/// Shows a message for LMPC, or its bytes `raw` where its language has no words for it. True when only these could be
/// shown.
#[inline]
pub(crate) fn show_message<S: MessageSink>(
    s: &mut S,
    show: impl FnOnce(&mut S),
    name: &'static str,
    raw: &[u8],
    words: LmpcCoverage,
) -> bool {
    s.take_foreign();
    let mark = s.mark();
    show(s);
    if words == LmpcCoverage::Wrong {
        s.comment(format_args!("something is wrong"));
        return false;
    }
    let foreign = s.take_foreign() || words == LmpcCoverage::None;
    if foreign {
        // LMPC takes any bytes as `unknown`, so nothing is lost on it.
        s.take_back(mark);
        Unknown { bytes: Cow::Borrowed(raw) }.show(s);
        s.take_foreign();
        s.comment(format_args!("{name}"));
    }
    foreign
}
