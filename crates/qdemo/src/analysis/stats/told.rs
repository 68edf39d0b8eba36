//! What the game itself tells in texts: score boards and statistics of Quake III, shots of KTX.

use super::fact::Fact;
use super::watch::SeenPlayer;
use super::{Stats, ktx, moment, quake3};
use crate::game::quake3::scoreboards;
use crate::replay::World;
use crate::world::{Scene, TextKind};

impl Stats {
    /// Takes in a text.
    pub(super) fn text(&mut self, world: &World, said: TextKind, text: &[u8]) {
        let now = world.clock();
        match said {
            TextKind::Command => {
                if let Some(names) = scoreboards::duel_ends(text) {
                    self.duel = Some(names.map(<[u8]>::to_vec));
                }
                let World::Dm3(dm3) = world else { return };
                let era = dm3.dialect().layout.era;
                if let Some((source, mut reported)) = scoreboards::read(text, era, &mut self.board) {
                    if source == "tinfo" {
                        return;
                    }
                    let names = self.duel.as_ref().filter(|_| source == scoreboards::DUEL_END);
                    let slot_of = |name: &[u8]| {
                        let named = |seen: &Option<SeenPlayer>| seen.as_ref().is_some_and(|s| s.who.name_raw == name);
                        self.seen.iter().position(named)
                    };
                    names.iter().for_each(|names| quake3::number_by_names(&mut reported, names, &slot_of));
                    let plays = |slot: usize| self.seen.get(slot).is_some_and(Option::is_some);
                    quake3::leave_out_watchers(source, &mut reported, &plays);
                    let seen = self.eyes;
                    match self.held.as_mut().filter(|_| self.held_open.is_some()) {
                        Some(period) => {
                            quake3::leave_out_slots(&mut reported, self.newcomers.slots());
                            let seen = seen.filter(|slot| !self.newcomers.has(*slot));
                            quake3::report(period, source, &reported, seen, now.demo);
                        }
                        None => {
                            if self.level_shown {
                                quake3::leave_out_slots(&mut reported, self.newcomers.slots());
                            }
                            let seen = seen.filter(|slot| !self.is_behind_level(*slot));
                            self.push(moment(&now), Fact::Reported(source, reported, seen, now.demo));
                        }
                    }
                }
            }
            TextKind::Console => {
                for line in text.split(|b| *b == b'\n') {
                    if let Some((slot, weapon, shots)) = ktx::shots(line) {
                        self.push(moment(&now), Fact::Shots(slot, weapon, shots));
                    }
                }
            }
            _ => {}
        }
    }
}
