//! Numbers of models, sounds and entities, where the target has fewer.

use crate::game::quake2::InView;

/// Numbers of models or of sounds.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// By number in the input: that in the output; 0 for none.
    told: Vec<u16>,
    /// Numbers of the output that stand for something.
    taken: Vec<bool>,
    /// A number that means the same in all protocols.
    fixed: Option<u16>,
    /// Everything that the level names has its own number.
    pub(super) same: bool,
}

impl Numbers {
    /// The numbers of a level: up to `last` in the output. `named` are those that have to be told before anything is
    /// seen, `all` those that have names.
    pub(super) fn begin(
        last: u16,
        fixed: Option<u16>,
        named: impl IntoIterator<Item = u16>,
        all: impl IntoIterator<Item = u16>,
    ) -> Self {
        let mut numbers = Numbers { told: Vec::new(), taken: vec![false; usize::from(last) + 1], fixed, same: true };
        let all: Vec<_> = all.into_iter().collect();
        numbers.same = all.iter().all(|number| *number <= last && Some(*number) != fixed);
        let first: Vec<_> = if numbers.same { all } else { named.into_iter().collect() };
        for number in first {
            numbers.of(number);
        }
        numbers
    }

    /// The number in the output, and true where it is new; `None` where there is none left.
    pub(super) fn of(&mut self, number: u16) -> Option<(u16, bool)> {
        if number == 0 || Some(number) == self.fixed {
            return Some((number, false));
        }
        if let Some(known) = self.known(number) {
            return Some((known, false));
        }
        let is_free = |at: &usize| !self.taken.get(*at).copied().unwrap_or(true) && Some(*at as u16) != self.fixed;
        let own = Some(usize::from(number)).filter(is_free);
        let at = own.or_else(|| (1..self.taken.len()).rev().find(is_free))?;
        *self.taken.get_mut(at)? = true;
        let place = usize::from(number);
        if self.told.len() <= place {
            self.told.resize(place + 1, 0);
        }
        *self.told.get_mut(place)? = at as u16;
        Some((at as u16, true))
    }

    /// The number in the output, where it has one.
    pub(super) fn known(&self, number: u16) -> Option<u16> {
        self.told.get(usize::from(number)).copied().filter(|known| *known != 0)
    }
}

/// Numbers of entities.
#[derive(Debug, Default)]
pub(super) struct Entities {
    /// The number behind the last one of the output.
    limit: u16,
    /// Numbers of the input above that, and those in the output.
    told: Vec<(u16, u16)>,
}

impl Entities {
    pub(super) fn new(limit: u16) -> Self {
        Entities { limit, told: Vec::new() }
    }

    /// The number in the output.
    pub(super) fn of(&self, number: u16) -> Option<u16> {
        if number < self.limit {
            return Some(number);
        }
        self.told.iter().find(|(from, _)| *from == number).map(|(_, to)| *to)
    }

    /// What a frame shows, in order of numbers, takes the numbers that its other entities leave free, as long as there are
    /// some: whatever has one keeps it while it is in sight.
    pub(super) fn frame(&mut self, seen: &[InView]) {
        let usual = seen.partition_point(|entity| entity.number < self.limit);
        let (usual, far) = seen.split_at(usual);
        let there = |all: &[InView], number: u16| all.binary_search_by_key(&number, |entity| entity.number).is_ok();
        self.told.retain(|(from, to)| there(far, *from) && !there(usual, *to));
        for entity in far {
            if self.of(entity.number).is_some() {
                continue;
            }
            let is_free = |to: &u16| !there(usual, *to) && !self.told.iter().any(|(_, taken)| taken == to);
            let Some(to) = (1..self.limit).rev().find(is_free) else { return };
            self.told.push((entity.number, to));
        }
    }
}
