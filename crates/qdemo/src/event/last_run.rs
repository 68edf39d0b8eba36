//! Runs against the clock that games tell in more than one way.

/// Knows the run that was told last, for as long as it was not told in another way, too.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastRun(Option<(&'static str, u64)>);

impl LastRun {
    /// Takes in what is told: in which way, and the time in milliseconds. False where that run was told in another way before.
    pub(crate) fn is_new(&mut self, from: &'static str, ms: u64) -> bool {
        let again = self.0.take().is_some_and(|(other, told)| told == ms && other != from);
        self.0 = (!again).then_some((from, ms));
        !again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ways_tell_one_run() {
        let mut last = LastRun::default();
        let mut is_new = |ms, from| last.is_new(from, ms);
        assert!(is_new(10, "a") && !is_new(10, "b") && is_new(10, "a") && !is_new(10, "b") && is_new(11, "b"));
        assert!(is_new(11, "b") && !is_new(11, "a"));
    }
}
