//! What happens in Quake II: it has no messages about events, so nearly all comes from what the server prints.

use std::borrow::Cow;
use std::sync::Arc;

use super::console::{self, Lines};
use super::obituary::Patterns;
use super::roster::Roster;
use super::{Phase, Sink, What, Who};
use crate::wire::clean;
use crate::world::dm2::World;
use crate::world::{Said, Scene};

const PRINT: &str = "print";
/// The level of a print that is chat.
const CHAT: u8 = 3;
/// Numbers on the status bar: the name of what was just taken, as a configstring.
const STAT_PICKUP: usize = 8;
/// And the score.
const STAT_FRAGS: usize = 14;

/// A line of the server, without the name in front, and what it means.
const PHASES: [(&str, Phase); 6] = [
    ("Fight!", Phase::Start),
    ("Timelimit hit.", Phase::End),
    ("Fraglimit hit.", Phase::End),
    ("Capturelimit hit.", Phase::End),
    // Keys of the re-release.
    ("$g_timelimit_hit", Phase::End),
    ("$g_fraglimit_hit", Phase::End),
];

#[derive(Debug)]
pub(super) struct Detector {
    patterns: Arc<Patterns>,
    roster: Roster,
    lines: Lines,
    /// Score of the player who is seen.
    frags: Option<(usize, i32)>,
    pickup: i16,
}

fn who(world: &World, slot: usize) -> Option<Who> {
    world.player(slot).map(|player| Who::of(&player))
}

impl Detector {
    pub(super) fn new(patterns: Arc<Patterns>) -> Self {
        Detector { patterns, roster: Roster::default(), lines: Lines::default(), frags: None, pickup: 0 }
    }

    pub(super) fn step(&mut self, world: &World, sink: &mut Sink<'_>) {
        let changes = world.changes();
        if changes.level {
            self.roster.clear();
            (self.frags, self.pickup) = (None, 0);
            let level = world.level();
            sink.told("serverdata", What::Level { map: clean(level.map), title: clean(level.title) });
        }
        let mut texts = changes.texts().peekable();
        if texts.peek().is_some() {
            // Texts are few: only they need to know who is who.
            (0..world.player_slots()).for_each(|slot| self.roster.set(slot, who(world, slot)));
        }
        for (said, text, to) in texts {
            match said {
                Said::Print(level) => {
                    if let Some(text) = self.lines.add((level, to), text) {
                        self.print(world, level, text, sink);
                    }
                }
                Said::Center => sink.told("centerprint", What::Center { text: clean(text), text_raw: text.to_vec() }),
                _ => {}
            }
        }
        if changes.frame {
            self.status_bar(world, sink);
        }
    }

    /// The recording ends: lines that have not.
    pub(super) fn finish(&mut self, world: &World, sink: &mut Sink<'_>) {
        let rest: Vec<_> = self.lines.rest().collect();
        for ((level, _), text) in rest {
            self.print(world, level, text, sink);
        }
    }

    fn print(&mut self, world: &World, level: Option<u8>, text: console::Text, sink: &mut Sink<'_>) {
        let plain = clean(&text.raw);
        if level == Some(CHAT) {
            if let Some(chat) = console::chat(&text.raw, &self.roster) {
                sink.told(PRINT, What::Chat(chat));
                return;
            }
        }
        let origin = |who: &Option<Who>| {
            let slot = who.as_ref().and_then(|who| who.slot)?;
            world.player(slot).and_then(|player| player.origin)
        };
        for mut frag in text.frags(&plain, &self.patterns, &self.roster, false) {
            frag.attacker_origin = origin(&frag.attacker);
            frag.victim_origin = origin(&Some(frag.victim.clone()));
            sink.inferred(PRINT, "the server prints so", What::Frag(frag));
        }
        for line in plain.lines() {
            let player = |name: &str| self.roster.named(name).cloned();
            if let Some(player) = line.strip_suffix(" entered the game").and_then(player) {
                sink.inferred(PRINT, "the server prints so", What::Join(player));
            } else if let Some(player) = line.strip_suffix(" disconnected").and_then(player) {
                sink.inferred(PRINT, "the server prints so", What::Leave(player));
            } else if let Some((_, phase)) = PHASES.iter().find(|(text, _)| line.trim() == *text) {
                sink.inferred(PRINT, "the server prints so", What::Match(*phase));
            } else if let Some((from, to)) = line.split_once(" changed name to ") {
                if let Some(player) = player(to.trim_end_matches('.')) {
                    sink.inferred(PRINT, "the server prints so", What::Rename(player, from.to_owned()));
                }
            }
        }
        sink.told(PRINT, What::Print { text: plain, text_raw: text.raw });
    }

    /// What the numbers on the status bar of the player who is seen tell.
    fn status_bar(&mut self, world: &World, sink: &mut Sink<'_>) {
        let (Some(slot), Some(state)) = (world.seen(), world.player_state()) else { return };
        let taken = state.stat(STAT_PICKUP);
        if std::mem::replace(&mut self.pickup, taken) != taken && taken > 0 {
            let name = u16::try_from(taken).map(|n| clean(world.configstrings().get(n))).unwrap_or_default();
            if !name.is_empty() {
                let item = Cow::Owned(name.to_ascii_lowercase().replace([' ', '-'], "_"));
                sink.told("playerinfo", What::Pickup { player: who(world, slot), item });
            }
        }
        let to = i32::from(state.stat(STAT_FRAGS));
        let from = self.frags.replace((slot, to)).filter(|(before, _)| *before == slot).map(|(_, from)| from);
        let Some(from) = from.filter(|from| *from != to) else { return };
        if let Some(player) = who(world, slot) {
            sink.told("playerinfo", What::Score { player, from, to });
        }
    }
}
