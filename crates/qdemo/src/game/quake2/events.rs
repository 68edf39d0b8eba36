//! What happens in Quake II: it has no messages about events, so nearly all comes from what the server prints.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::event::console::{self, Lines, To, without};
use crate::event::obituary::{DDAY, Patterns};
use crate::event::roster::{Line, Roster};
use crate::event::{EventKind, Phase, PlayerRef, Reason, Sink};
use crate::game::quake2::World;
use crate::game::quake2::matches::{CHAT, Phases, waits_for, will_resume};
use crate::game::quake2::runs;
use crate::game::quake2::world::item_word;
use crate::wire::clean;
use crate::world::{DemoTime, Scene, StringKind, TextKind};

const PRINT: &str = "print";
/// The byte with which D-Day: Normandy marks names of team mates. Elsewhere it may be one of a name.
const MATE: u8 = 2;
const CENTERPRINT: &str = "centerprint";
const CONFIGSTRING: &str = "configstring";
/// Numbers on the status bar: the name of what was just taken, as a configstring.
const STAT_PICKUP: usize = 8;
/// And the score.
const STAT_FRAGS: usize = 14;

#[derive(Debug, Default)]
pub(crate) struct Detector {
    /// Texts of deaths that the caller knows.
    patterns: Patterns,
    /// All players are recorded: what everybody reads is there several times, and configstrings tell who comes and goes.
    multiview: bool,
    roster: Roster,
    lines: Lines,
    /// What the status bars showed last.
    bars: Vec<Bar>,
    /// And in the frame before.
    bars_before: Vec<Bar>,
    /// The lines of this step.
    read: BTreeMap<Printed, Readers>,
    /// Players of whom a line told that they connected: that they enter is told by another one.
    connected: BTreeSet<usize>,
    /// Players who came into a slot while the level was played, and of whom no line told that they come.
    unannounced: BTreeSet<usize>,
    /// Who loses a slot by a configstring in this block.
    gone: Vec<Gone>,
    /// There was a frame of this level: before it configstrings tell who is there already.
    is_played: bool,
    /// The score of each slot as it was shown last, and whose it was: a slot is not in every frame, and whoever stays
    /// on begins the next level anew.
    scores: BTreeMap<usize, (Vec<u8>, i32)>,
    /// The level has begun and is told once its name is known: configstrings may come in later blocks.
    level_begins: bool,
    phases: Phases,
}

/// Whoever loses a slot: lines in the same block are about that player, and not about others of the same name.
#[derive(Debug)]
struct Gone {
    who: PlayerRef,
    leave: Leave,
}

/// What tells that whoever loses a slot leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave {
    /// The configstring has told it.
    Told,
    /// The configstring tells it, once the line is read that says so, or else behind all lines of the block: what the server
    /// says in front of that line it said while the player was there.
    Waits,
    /// The line tells it.
    ByLine,
}

/// How often each reader read a line, and how often it counts: `None` is everybody.
#[derive(Debug, Default)]
struct Readers {
    times: BTreeMap<Option<u8>, u32>,
    counted: u32,
}

/// Where a text is shown, and it in plain characters: mods show the name of the other one in other letters to each of two.
type Printed = (Shown, String);

/// Of prints only chat stands apart: OpenRA2 tells of a death at a higher level those whom it is about (`ClientObituary`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Center,
    Line,
    Chat,
}

/// Numbers on a status bar.
#[derive(Debug, Clone, Copy)]
struct Bar {
    slot: usize,
    /// The name of what was just taken, as a configstring; 0: nothing.
    pickup: i16,
    /// Since when that is seen.
    since: DemoTime,
    /// It is of this frame, not of one before.
    seen: bool,
}

/// How long the name of what was taken stands on the status bar (`Touch_Item`), in microseconds.
const PICKUP_STANDS: i64 = 3_000_000;

fn who(world: &World, slot: usize) -> Option<PlayerRef> {
    world.player(slot).map(|player| PlayerRef::of(&player))
}

/// What a key of the re-release tells of a name.
fn with_key<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    line.strip_prefix(key)?.strip_prefix(" \"")?.strip_suffix('"')
}

/// The name of whoever enters the game, as a line says it, or a key of the re-release.
fn who_enters(line: &str) -> Option<&str> {
    line.strip_suffix(" entered the game").or_else(|| with_key(line, "$g_entered_game"))
}

/// The name of whoever connects: OpenFFA tells of everybody so (`ClientBegin`), mods of the re-release by a key, and OSP
/// Tourney of whoever comes back into a match (`ClientConnect`).
fn who_connects(line: &str) -> Option<&str> {
    let connects = || line.strip_suffix(" connected").or_else(|| line.strip_suffix(" reconnected"));
    connects().or_else(|| with_key(line, "$g_player_connected"))
}

/// The name of whoever comes, as a line says it.
pub(crate) fn who_comes(line: &str) -> Option<&str> {
    who_connects(line).or_else(|| who_enters(line))
}

/// The name in front of a text with a number behind it: how many play.
fn with_number<'l>(line: &'l str, text: &str, ends: &[&str]) -> Option<&'l str> {
    let (name, number) = line.rsplit_once(text)?;
    let number = ends.iter().find_map(|end| number.strip_suffix(end))?;
    number.bytes().all(|b| b.is_ascii_digit()).then_some(name)
}

/// The name of whoever begins to play in OSP Tourney, which tells so of everybody who comes, and again of one who watched for
/// a while (`OSP_startObserve`, `CameraCmd`).
fn who_plays(line: &str) -> Option<&str> {
    with_number(line, " entered the game (clients = ", &[")"])
}

/// The name of whoever disconnects. OpenFFA and OSP Tourney tell behind it how many still play (`ClientDisconnect`).
pub(crate) fn who_disconnects(line: &str) -> Option<&str> {
    (line.strip_suffix(" disconnected"))
        .or_else(|| with_number(line, " disconnected (", &[" players)", " player)"]))
        .or_else(|| with_number(line, " wimped out and left. (clients = ", &[")"]))
}

/// True where the block says that somebody with this name comes.
fn comes(world: &World, name: &str) -> bool {
    world.changes().texts().any(|(said, text, _)| {
        let is_line = matches!(said, TextKind::Print(level) if level != Some(CHAT));
        is_line && clean(text).lines().any(|line| who_comes(line) == Some(name))
    })
}

impl Detector {
    /// `patterns` count in front of the built-in ones.
    pub(crate) fn new(patterns: Patterns, multiview: bool) -> Self {
        Detector { patterns, multiview, ..Self::default() }
    }

    pub(crate) fn step(&mut self, world: &World, sink: &mut Sink<'_>) {
        let changes = world.changes();
        self.gone.clear();
        if changes.level {
            self.roster.clear();
            self.bars.clear();
            self.connected.clear();
            self.unannounced.clear();
            (self.level_begins, self.is_played, self.phases) = (true, false, Phases::default());
        }
        if self.level_begins && (changes.sent || !world.level().map.is_empty()) {
            self.level_begins = false;
            let level = world.level();
            sink.stated("serverdata", EventKind::Level { map: clean(level.map), title: clean(level.title) });
        }
        if changes.level {
            (0..world.player_slots()).for_each(|slot| self.comes_or_goes(world, slot, false, sink));
        } else {
            for (kind, text, slot) in changes.strings() {
                if let (StringKind::ConfigString(_), Some(slot)) = (kind, slot) {
                    self.comes_or_goes(world, slot.into(), text.is_empty(), sink);
                }
            }
        }
        self.read.clear();
        self.lines.block_ends();
        for (said, text, to) in changes.texts() {
            match said {
                TextKind::Print(level) => {
                    if let Some((to, text)) = self.lines.add_across((level, to), text) {
                        self.print(world, to, text, sink);
                    }
                }
                TextKind::Center => self.center(text, to, sink),
                _ => {}
            }
        }
        self.tell_gone(|_| true, sink);
        if changes.frame {
            let begins = !std::mem::replace(&mut self.is_played, true);
            self.status_bars(world, begins, sink);
        }
    }

    /// Tells what a configstring about a player changed. Whoever goes is said to have disconnected, and id's game empties the
    /// configstring as well (`ClientDisconnect`), which OpenTDM, OpenFFA and OSP Tourney do not; so a name behind another is the
    /// same player's. The re-release neither says so nor empties it: there a name is another player's where the block says that
    /// this one comes. Of who disconnected before the recording begins it is not known.
    fn comes_or_goes(&mut self, world: &World, slot: usize, emptied: bool, sink: &mut Sink<'_>) {
        // Without the beginning of a level it is not known who was there.
        let begins = world.changes().level || world.level().map.is_empty();
        let is_named = |who: &PlayerRef| !emptied && !who.name.is_empty();
        let (before, now) = (self.roster.in_slot(slot).cloned(), who(world, slot).filter(is_named));
        let another = match (&before, &now) {
            (Some(before), Some(now)) => !begins && before.name_raw != now.name_raw && comes(world, &now.name),
            _ => false,
        };
        match &now {
            Some(now) if !begins && !another => self.roster.rename(slot, now.clone()),
            _ => self.roster.set(slot, now.clone()),
        }
        if now.is_none() {
            self.connected.remove(&slot);
            self.unannounced.remove(&slot);
            let leave = match self.multiview {
                true if begins => Leave::Told,
                true => Leave::Waits,
                false => Leave::ByLine,
            };
            if let Some(who) = before.clone() {
                self.goes(who, leave);
            }
        }
        let joins = match (before, now) {
            _ if begins => return,
            (Some(before), Some(now)) if another => {
                self.connected.remove(&slot);
                self.goes(before.clone(), Leave::Told);
                sink.stated(CONFIGSTRING, EventKind::Leave(before));
                // In a recording of one player the print tells it.
                if self.multiview {
                    sink.stated(CONFIGSTRING, EventKind::Join(now));
                }
                return;
            }
            (Some(before), Some(now)) => {
                if before.name_raw != now.name_raw {
                    sink.stated(CONFIGSTRING, EventKind::Rename(now.clone(), before.name));
                }
                if before.team != now.team {
                    sink.stated(CONFIGSTRING, EventKind::Team(now, before.team));
                }
                return;
            }
            // In a recording of one player prints tell it, when those who come are in the game.
            (None, Some(_)) if !self.multiview && self.is_played => {
                self.unannounced.insert(slot);
                return;
            }
            (None, Some(now)) if self.multiview => now,
            _ => return,
        };
        self.tell_gone(|gone| gone.slot == joins.slot, sink);
        sink.stated(CONFIGSTRING, EventKind::Join(joins));
    }

    /// A player loses a slot, which may be filled and emptied over and over in one block.
    fn goes(&mut self, who: PlayerRef, leave: Leave) {
        let same = |gone: &Gone| gone.who.slot == who.slot && gone.who.name_raw == who.name_raw;
        self.gone.retain(|gone| !same(gone));
        self.gone.push(Gone { who, leave });
    }

    /// Tells of these that they leave, if that waits.
    fn tell_gone(&mut self, of: impl Fn(&PlayerRef) -> bool, sink: &mut Sink<'_>) {
        for gone in self.gone.iter_mut().filter(|gone| gone.leave == Leave::Waits && of(&gone.who)) {
            gone.leave = Leave::Told;
            sink.stated(CONFIGSTRING, EventKind::Leave(gone.who.clone()));
        }
    }

    /// True for a line that counts: what several read at one time was said once.
    fn is_new(&mut self, line: Printed, to: Option<u8>) -> bool {
        let readers = self.read.entry(line).or_default();
        let times = readers.times.entry(to).or_default();
        *times += 1;
        let is_new = *times > readers.counted;
        readers.counted += u32::from(is_new);
        is_new
    }

    /// The recording ends: lines that have not.
    pub(crate) fn finish(&mut self, world: &World, sink: &mut Sink<'_>) {
        let rest: Vec<_> = self.lines.rest().collect();
        self.read.clear();
        for (to, text) in rest {
            self.print(world, to, text, sink);
        }
    }

    /// A text in the middle of the screen: what it tells of a match is shown to each player.
    fn center(&mut self, text: &[u8], to: Option<u8>, sink: &mut Sink<'_>) {
        let plain = clean(text);
        let phases = self.phases.center(&plain);
        if phases != [None; 2] && (!self.multiview || self.is_new((Shown::Center, plain.clone()), to)) {
            for phase in phases.into_iter().flatten() {
                sink.inferred(CENTERPRINT, Reason::ServerPrint, EventKind::Match(phase));
            }
        }
        let line = Line { plain: &plain, raw: text };
        let player = waits_for(&plain).and_then(|(name, rest)| self.roster.named(name, line, rest));
        if let Some(player) = player.filter(|player| self.leaves(player)) {
            sink.inferred(CENTERPRINT, Reason::ServerPrint, EventKind::Leave(player));
        }
        sink.stated(CENTERPRINT, EventKind::Center { text: plain, text_raw: text.to_vec() });
    }

    /// True for a player who is known to be in the slot. Else the slot is that of whoever has it now.
    fn finds(&mut self, world: &World, player: &PlayerRef) -> bool {
        let Some(slot) = player.slot else { return false };
        let is_known = self.roster.in_slot(slot).is_some();
        if !is_known {
            self.roster.set(slot, who(world, slot));
        }
        is_known
    }

    /// A player is gone. True for one who was still in the slot: it may have been empty, or somebody else's.
    fn leaves(&mut self, player: &PlayerRef) -> bool {
        let Some(slot) = player.slot else { return false };
        let there = self.roster.in_slot(slot);
        if there.is_some_and(|there| there.name_raw != player.name_raw) {
            return false;
        }
        let was_there = there.is_some();
        self.roster.set(slot, None);
        self.connected.remove(&slot);
        self.unannounced.remove(&slot);
        was_there
    }

    /// Whoever loses a slot in this block and has the name with which a line begins; once each.
    fn take_gone(&mut self, name: &str, raw: &[u8]) -> Option<Gone> {
        let alike = |gone: &Gone| gone.who.name == name;
        let same = |gone: &Gone| alike(gone) && raw.starts_with(&gone.who.name_raw);
        let at = self.gone.iter().position(same).or_else(|| self.gone.iter().position(alike))?;
        Some(self.gone.remove(at))
    }

    fn print(&mut self, world: &World, (level, to): To, text: console::Text, sink: &mut Sink<'_>) {
        // D-Day: Normandy writes a byte in front of the names of the reader's team mates (`ClientObituary`).
        let mark = world.gamedir().eq_ignore_ascii_case(DDAY).then_some(MATE);
        let plain = clean(&text.raw);
        let shown = if level == Some(CHAT) { Shown::Chat } else { Shown::Line };
        let told = || mark.map_or_else(|| plain.clone(), |mark| clean(&without(&text.raw, mark)));
        if self.multiview && !self.is_new((shown, told()), to) {
            return;
        }
        let mut understood = level == Some(CHAT);
        let chat = if will_resume(&plain) { None } else { text.chat(&self.roster) };
        if let Some((from, chat)) = chat {
            if let Some(front) = text.in_front_of(from) {
                self.print(world, (level, to), front, sink);
            }
            return sink.stated(PRINT, EventKind::Chat(chat));
        }
        let origin = |who: &Option<PlayerRef>| {
            let slot = who.as_ref().and_then(|who| who.slot)?;
            world.place(slot).map(|place| place.origin)
        };
        // The caller knows best what the words of a death mean, then the mod.
        let of_mod = Patterns::of_quake2(world.gamedir());
        let lists = std::iter::once(&self.patterns).chain(of_mod).chain([Patterns::quake2()]);
        for mut frag in text.frags(&plain, mark, lists, &self.roster, world.in_teams()) {
            understood = true;
            frag.attacker_origin = origin(&frag.attacker);
            frag.victim_origin = origin(&Some(frag.victim.clone()));
            sink.inferred(PRINT, Reason::ServerPrint, EventKind::Frag(frag));
        }
        for told in text.flags(&plain, &self.roster) {
            understood = true;
            sink.inferred(PRINT, Reason::ServerPrint, told.what());
        }
        for (line, raw) in plain.lines().zip(text.raw.split(|b| *b == b'\n')) {
            let player = |name: &str| self.roster.named(name, Line { plain: line, raw }, line);
            let phases = self.phases.line(level, line);
            if let Some(finish) = runs::finish(line) {
                let reader = || to.map(usize::from).filter(|_| self.multiview).or(world.recorder());
                let who = match finish.name {
                    Some(name) => player(name),
                    None => reader().and_then(|slot| who(world, slot)),
                };
                if let Some(who) = who {
                    understood = true;
                    let map = clean(world.level().map);
                    sink.stated(PRINT, EventKind::Run(finish.run(Some(who), map)));
                }
            } else if phases != [None; 2] {
                understood = true;
                for phase in phases.into_iter().flatten() {
                    let underway = phase == Phase::Start && !self.phases.is_begun();
                    let reason = if underway { Reason::Underway } else { Reason::ServerPrint };
                    sink.inferred(PRINT, reason, EventKind::Match(phase));
                }
            } else if let Some(captures) = self.phases.captures(level, line).filter(|_| world.in_teams()) {
                understood = true;
                sink.inferred(PRINT, Reason::ServerPrint, EventKind::Scores(captures.map(Some)));
            } else if let Some(player) = who_comes(line).and_then(player) {
                let known = self.finds(world, &player);
                let connected = player.slot.is_some_and(|slot| self.connected.remove(&slot));
                self.unannounced.retain(|slot| Some(*slot) != player.slot);
                if who_connects(line).is_some() {
                    self.connected.extend(player.slot);
                }
                if !connected && (!self.multiview || !known) {
                    sink.inferred(PRINT, Reason::ServerPrint, EventKind::Join(player));
                }
            } else if let Some((slot, player)) = who_plays(line).and_then(player).and_then(|it| Some((it.slot?, it))) {
                let known = self.finds(world, &player);
                if self.unannounced.remove(&slot) || !known {
                    sink.inferred(PRINT, Reason::ServerPrint, EventKind::Join(player));
                }
            } else if let Some(name) = who_disconnects(line) {
                let player = player(name);
                let (leaver, leave) = match self.take_gone(name, raw) {
                    Some(gone) => (Some(gone.who), gone.leave),
                    None => {
                        let was_there = player.as_ref().is_some_and(|player| self.leaves(player));
                        (player, if self.multiview && !was_there { Leave::Told } else { Leave::ByLine })
                    }
                };
                if let Some(leave_of) = leaver.map(EventKind::Leave) {
                    match leave {
                        Leave::Told => {}
                        Leave::Waits => sink.stated(CONFIGSTRING, leave_of),
                        Leave::ByLine => sink.inferred(PRINT, Reason::ServerPrint, leave_of),
                    }
                }
            }
        }
        let unknown = !understood && text.names_somebody(&plain, &self.roster);
        sink.stated(PRINT, EventKind::Print { text: plain, text_raw: text.raw, unknown });
    }

    /// What the numbers on the status bars tell: of the player who is seen, or of all. Where the recording of a level begins they
    /// may have shown for a while already what was taken.
    fn status_bars(&mut self, world: &World, begins: bool, sink: &mut Sink<'_>) {
        let source = if self.multiview { "frame" } else { "playerinfo" };
        std::mem::swap(&mut self.bars, &mut self.bars_before);
        self.bars.clear();
        let now = world.clock().demo;
        let stands = |bar: &Bar| bar.seen || now.0.saturating_sub(bar.since.0) < PICKUP_STANDS;
        // One who is only pretended has no numbers.
        let nobody = world.recorder().filter(|_| self.multiview && world.player_state().is_none());
        for (slot, state) in world.status_bars().filter(|(slot, _)| Some(*slot) != nobody) {
            let pickup = state.stat(STAT_PICKUP);
            let last = self.bars_before.iter().find(|bar| bar.slot == slot && bar.pickup == pickup && stands(bar));
            let bar = Bar { slot, pickup, since: last.map_or(now, |last| last.since), seen: true };
            if bar.pickup > 0 && last.is_none() && !begins {
                let item =
                    u16::try_from(bar.pickup).map(|n| item_word(world.configstrings().get(n))).unwrap_or_default();
                if !item.is_empty() {
                    let item = Cow::Owned(item);
                    sink.stated(source, EventKind::Pickup { player: who(world, slot), item });
                }
            }
            self.bars.push(bar);
            self.score(world, slot, i32::from(state.stat(STAT_FRAGS)), sink);
        }
        // Whoever looks away and back sees the same line again.
        if !self.bars.iter().map(|bar| bar.slot).eq(self.bars_before.iter().map(|bar| bar.slot)) {
            for bar in self.bars_before.drain(..).filter(stands) {
                if self.bars.iter().all(|other| other.slot != bar.slot) {
                    self.bars.push(Bar { seen: false, ..bar });
                }
            }
        }
    }

    fn score(&mut self, world: &World, slot: usize, to: i32, sink: &mut Sink<'_>) {
        let name = world.score_line(slot).map(|line| line.name).unwrap_or_default();
        let Some(last) = self.scores.get_mut(&slot).filter(|last| last.0 == *name) else {
            self.scores.insert(slot, (name.into_owned(), to));
            return;
        };
        let from = std::mem::replace(&mut last.1, to);
        if let Some(player) = who(world, slot).filter(|_| from != to) {
            let source = if self.multiview { "frame" } else { "playerinfo" };
            sink.stated(source, EventKind::Score { player, from, to });
        }
    }
}
