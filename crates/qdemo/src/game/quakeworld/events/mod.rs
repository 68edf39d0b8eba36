//! What happens in QuakeWorld: prints, the score board, what players have, matches.

mod arena;
mod clan_arena;
mod damage;
mod flags;
mod held;
mod ktx;
mod namesakes;
mod pickups;
mod stats;
mod teamplay;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use self::arena::Fight;
use self::damage::{Doubted, Hit, Vitals};
use self::flags::Flags;
use self::held::Unread;
use self::pickups::{Pickup, Teller, Things};
use crate::event::console::{self, Lines, Text};
use crate::event::obituary::Patterns;
use crate::event::roster::Roster;
use crate::event::{Certainty, Event, EventKind, Frag, FragKind, Phase, PlayerRef, Reason, Run, Sink};
use crate::game::quake::matches::{LEVEL_CHAT, PhaseTold, Phases};
use crate::game::quakeworld::runs::Races;
use crate::game::quakeworld::{World, bits};
use crate::wire::{clean, info_value};
use crate::world::{Clock, DemoTime, Scene, TextKind};

const PRINT: &str = "print";
/// A packet outside the game.
const CONNLESS: &str = "connless";
/// The means of deaths of which the text does not tell any.
const UNKNOWN: &str = "unknown";
const SLOTS: usize = World::SLOTS;

/// KTX's word for the moment in which everybody is given a quad and a pentagram (`TimerThink`).
const BERSERK: &str = "BERZERK!!!!\n";

/// Levels of prints.
const LEVEL_LOW: u8 = 0;
const LEVEL_MEDIUM: u8 = 1;

/// What belongs to one moment in the game comes within this time.
const MOMENT: i64 = 150_000;

/// A player as the score board had it.
#[derive(Debug, Clone, PartialEq)]
struct KnownPlayer {
    user: i32,
    who: PlayerRef,
}

/// What is followed of a slot.
#[derive(Debug, Default)]
struct Followed {
    known: Option<KnownPlayer>,
    frags: Option<i32>,
    /// The score at the end of the level before, and which user had it.
    before_level: Option<(i32, i32)>,
    had: Option<Vitals>,
    /// What is left of that after damage that the next stats will tell.
    left: Option<Vitals>,
    died: Option<DemoTime>,
    /// A text told of a death.
    mourned: Option<DemoTime>,
    /// The score went down.
    lost: Option<DemoTime>,
    /// It went up by much.
    gained: Option<DemoTime>,
    /// What it had before the stats that came last, and when these came.
    before: Option<(DemoTime, Vitals)>,
    /// The sound of a backpack, or of ammunition, was heard last then.
    packed: Option<DemoTime>,
    /// It appeared last then.
    appeared: Option<DemoTime>,
    /// What is left of what it was given when it came back to life after its last stats, if it did, in this moment.
    revived: Option<(DemoTime, Vitals)>,
    /// Things that somebody told of.
    took: Vec<Pickup>,
}

#[derive(Debug)]
pub(crate) struct Detector {
    patterns: Arc<Patterns>,
    multiview: bool,
    roster: Roster,
    lines: Lines,
    slots: [Followed; SLOTS],
    /// What everybody is given who appears, as those were seen who took nothing as they did; and in which match that was.
    given: Option<(Option<DemoTime>, Vitals)>,
    /// Texts for one player each that came at this time: others may get the same.
    heard: Vec<(u64, u8)>,
    heard_at: DemoTime,
    /// Deaths, pickups, damage and runs of whom is not said, until it is known, and armour until its colour is; and what comes
    /// behind them.
    open: Vec<Event>,
    /// Texts of this moment that may tell of the death of, or by, somebody who comes in it.
    unread: Vec<Unread>,
    /// The fight in Rocket Arena.
    fight: Fight,
    races: Races,
    /// Damage done to those who had a pentagram or were dead, until their stats come.
    doubted: Vec<Doubted>,
    /// Who hit whom of late.
    hits: Vec<Hit>,
    /// The recording has hidden messages about damage: others say the same again.
    hidden_damage: bool,
    /// The level has begun, and is told once its name is known.
    level_begins: Option<Event>,
    /// What settings tell of the match before then.
    early: Vec<Event>,
    /// The first frame of the level has been told.
    settled: bool,
    /// Which level of the server it is: the number that the server has for it, and the title.
    level: Option<(i32, Vec<u8>)>,
    /// The clock at the last frame of the match, or where it began; without a match now.
    last_seen: Option<Clock>,
    phases: Phases,
    /// When the match began.
    begun: Option<DemoTime>,
    /// When KTX gave everybody a quad and a pentagram.
    berserk: Option<DemoTime>,
    secrets: [i32; 2],
    flags: Flags,
    things: Things,
}

fn who(world: &World, slot: usize) -> Option<PlayerRef> {
    world.player(slot).map(|player| PlayerRef::of(&player))
}

/// Where a player is, if that is known.
fn origin(world: &World, who: &PlayerRef) -> Option<[f32; 3]> {
    world.player(who.slot?)?.origin
}

fn slot_of(entity: impl Into<u32>) -> Option<usize> {
    (entity.into() as usize).checked_sub(1).filter(|slot| *slot < SLOTS)
}

impl Detector {
    pub(crate) fn new(patterns: Arc<Patterns>, multiview: bool) -> Self {
        Detector {
            patterns,
            multiview,
            roster: Roster::of_quakeworld(),
            lines: Lines::default(),
            slots: std::array::from_fn(|_| Followed::default()),
            given: None,
            heard: Vec::new(),
            heard_at: DemoTime::default(),
            open: Vec::new(),
            unread: Vec::new(),
            fight: Fight::default(),
            races: Races::default(),
            doubted: Vec::new(),
            hits: Vec::new(),
            hidden_damage: false,
            level_begins: None,
            early: Vec::new(),
            settled: false,
            level: None,
            last_seen: None,
            phases: Phases::default(),
            begun: None,
            berserk: None,
            secrets: [0; 2],
            flags: Flags::default(),
            things: Things::default(),
        }
    }

    /// The player in a slot, as the score board had it last.
    fn who(&self, slot: usize) -> Option<PlayerRef> {
        self.slots.get(slot)?.known.as_ref().map(|known| known.who.clone())
    }

    pub(crate) fn step(&mut self, world: &World, sink: &mut Sink<'_>) {
        let changes = world.changes();
        if self.unread.first().is_some_and(|unread| unread.event.clock.demo != world.clock().demo) {
            self.stays_unread(sink);
        }
        if changes.level {
            self.begin_level(world, sink);
        }
        let was_on = self.phases.goes_on();
        if let Some(begins) = self.level_begins.take_if(|_| !world.models().is_empty()) {
            sink.push(Event { kind: level_of(world), ..begins });
            self.early.drain(..).for_each(|event| sink.push(event));
        }
        // Whoever comes is known before the texts, whoever goes still is.
        if changes.board != 0 {
            bits(changes.board).for_each(|slot| self.comes(world, slot, sink));
        }
        for (said, text, to) in changes.texts() {
            self.text(world, said, text, to, sink);
        }
        if changes.board != 0 {
            bits(changes.board).for_each(|slot| self.goes_and_scores(world, slot, sink));
        }
        if !changes.damage.is_empty() {
            self.hurts(world, sink);
        }
        self.heard(world, sink);
        if changes.stats != 0 {
            bits(changes.stats).for_each(|slot| self.stats(world, slot, sink));
        }
        self.game(world, changes.settings, sink);
        if changes.frame {
            self.flags_seen(world, sink);
        }
        if !self.open.is_empty() {
            self.close(world, false, sink);
        }
        if !self.doubted.is_empty() {
            self.no_longer_doubted(world.clock().demo, sink);
        }
        if changes.frame {
            self.settled = true;
            self.phases.frame();
        }
        if changes.frame || !was_on {
            self.last_seen = Some(sink.clock);
        }
    }

    /// The recording ends.
    pub(crate) fn finish(&mut self, world: &World, sink: &mut Sink<'_>) {
        let rest: Vec<_> = self.lines.rest().collect();
        for ((level, to), text) in rest {
            self.print(world, level, to, text, sink);
        }
        self.close(world, true, sink);
    }

    fn begin_level(&mut self, world: &World, sink: &mut Sink<'_>) {
        self.close(world, true, sink);
        // A match that the level ends was over with its last frame, however long the next level took to come.
        let now = sink.clock;
        sink.clock = self.last_seen.filter(|_| self.phases.goes_on()).unwrap_or(now);
        let level = Some((world.age(), world.level().title.to_vec()));
        let is_same = std::mem::replace(&mut self.level, level.clone()) == level;
        let told = self.phases.level(is_same);
        self.phase([told], sink);
        sink.clock = now;
        self.roster.clear();
        // Whoever stays on begins anew, which the first score of the level tells.
        for followed in &mut self.slots {
            let user = followed.known.take().map(|known| known.user);
            *followed = Followed { before_level: followed.frags.zip(user), ..Followed::default() };
        }
        self.hits.clear();
        self.fight = Fight::default();
        self.level_begins = Some(sink.event("serverdata", Certainty::Stated, level_of(world)));
        (self.begun, self.berserk) = (None, None);
        self.settled = false;
        self.secrets = [0; 2];
        self.flags = Flags::default();
        self.things = Things::default();
        self.given = None;
    }

    /// A slot has, or may have, another player than before.
    fn comes(&mut self, world: &World, slot: usize, sink: &mut Sink<'_>) {
        let (Some(it), Some(followed)) = (world.slot(slot), self.slots.get_mut(slot)) else { return };
        let Some(player) = who(world, slot).filter(|who| !who.name_raw.is_empty()) else { return };
        let before = followed.known.replace(KnownPlayer { user: it.user, who: player.clone() });
        match before {
            // The same user, or one whose number is not known yet.
            Some(KnownPlayer { user, who: before }) if user == it.user => {
                let is_renamed = before.name_raw != player.name_raw;
                if is_renamed {
                    self.is_called(&player, world.clock().demo);
                    sink.stated("userinfo", EventKind::Rename(player.clone(), before.name));
                }
                if before.team != player.team {
                    sink.stated("userinfo", EventKind::Team(player.clone(), before.team));
                }
                self.roster.rename(slot, player.clone());
                if is_renamed {
                    self.reads_again(world, &player, sink);
                }
            }
            before => {
                let before_level = followed.before_level.take().filter(|_| before.is_none());
                // Sounds behind the name may tell of the same as texts in front of it.
                let took = if before.is_none() { std::mem::take(&mut followed.took) } else { Vec::new() };
                *followed = Followed { known: followed.known.take(), before_level, took, ..Followed::default() };
                self.flags.forget(slot);
                if let Some(before) = before {
                    sink.stated("userinfo", EventKind::Leave(before.who));
                }
                if self.settled {
                    sink.stated("userinfo", EventKind::Join(player.clone()));
                }
                self.roster.set(slot, Some(player.clone()));
                self.reads_again(world, &player, sink);
            }
        }
    }

    fn goes_and_scores(&mut self, world: &World, slot: usize, sink: &mut Sink<'_>) {
        let (Some(it), Some(followed)) = (world.slot(slot), self.slots.get_mut(slot)) else { return };
        let player = who(world, slot).filter(|who| !who.name_raw.is_empty());
        let Some(player) = player else {
            if let Some(before) = std::mem::take(followed).known {
                self.roster.set(slot, None);
                self.flags.forget(slot);
                sink.stated("userinfo", EventKind::Leave(before.who));
            }
            return;
        };
        if let Some(to) = it.frags.map(i32::from) {
            let before = followed.before_level.take().filter(|(_, user)| *user == it.user).map(|(frags, _)| frags);
            if let Some(from) = followed.frags.replace(to).or(before).filter(|from| *from != to) {
                if to < from && before.is_none() {
                    followed.lost = Some(world.clock().demo);
                }
                if before.is_none() {
                    self.gains(slot, from, to, world.clock().demo);
                }
                sink.stated("updatefrags", EventKind::Score { player, from, to });
            }
        }
    }

    fn text(&mut self, world: &World, said: TextKind, text: &[u8], to: Option<u8>, sink: &mut Sink<'_>) {
        match said {
            // From outside the game: answers to commands. It says nothing of it.
            TextKind::Print(None) => {
                let kind = EventKind::Print { text: clean(text), text_raw: text.to_vec(), unknown: false };
                sink.stated(CONNLESS, kind);
            }
            TextKind::Print(level) => {
                if let Some(text) = self.lines.add((level, to), text) {
                    self.print(world, level, to, text, sink);
                }
            }
            TextKind::Center => {
                if self.is_news(world, said, text, to) {
                    let plain = clean(text);
                    let told = self.phases.center(&plain);
                    self.phase(told, sink);
                    sink.stated("centerprint", EventKind::Center { text: plain, text_raw: text.to_vec() });
                }
            }
            TextKind::Console => text.split(|b| *b == b'\n').for_each(|line| {
                let told = self.phases.console(line);
                self.phase(told, sink);
                self.ktx(world, line, sink);
                if let Some(finish) = self.races.command(line) {
                    let slot = if self.multiview { to.map(usize::from) } else { world.recorder() };
                    let who = slot.and_then(|slot| self.who(slot));
                    sink.stated("stufftext", EventKind::Run(finish.run(who, clean(world.level().map))));
                }
            }),
            TextKind::Command => {}
        }
    }

    /// False for a text that another player got at the same time.
    fn is_news(&mut self, world: &World, said: TextKind, text: &[u8], to: Option<u8>) -> bool {
        let Some(to) = to else { return true };
        let now = world.clock().demo;
        if now != self.heard_at {
            self.heard_at = now;
            self.heard.clear();
        }
        let mut hasher = DefaultHasher::new();
        (said, text).hash(&mut hasher);
        let hash = hasher.finish();
        let news = !self.heard.iter().any(|known| known.0 == hash && known.1 != to);
        if news {
            self.heard.push((hash, to));
        }
        news
    }

    fn print(&mut self, world: &World, level: Option<u8>, to: Option<u8>, text: Text, sink: &mut Sink<'_>) {
        let personal = level == Some(LEVEL_LOW);
        if !personal && !self.is_news(world, TextKind::Print(level), &text.raw, to) {
            return;
        }
        let plain = clean(&text.raw);
        let mut understood = level == Some(LEVEL_CHAT);
        if level == Some(LEVEL_CHAT) {
            if let Some((from, chat)) = text.chat(&self.roster) {
                if let Some(front) = text.in_front_of(from) {
                    self.print(world, level, to, front, sink);
                }
                return sink.stated(PRINT, EventKind::Chat(chat));
            }
        }
        // Old servers print deaths for everybody.
        let is_of_deaths = level != Some(LEVEL_CHAT) && (level == Some(LEVEL_MEDIUM) || to.is_none());
        if is_of_deaths {
            understood = self.deaths(world, &text, &plain, sink);
        }
        // KTX tells of runes at a level of texts for all, and says so to one.
        if level != Some(LEVEL_CHAT) {
            let slot = if self.multiview { to.map(usize::from) } else { world.recorder() };
            let item = text.lines(&plain).find_map(|line| console::pickup(line.plain));
            if let (Some(item), Some(slot)) = (item, slot) {
                self.takes(slot, item, Teller::Print, world.clock().demo, sink);
            }
        }
        if level != Some(LEVEL_CHAT) {
            for told in text.flags(&plain, &self.roster) {
                understood = true;
                self.flag_told(told, PRINT, sink);
            }
            understood |= self.arena(world, text.lines(&plain), sink);
            for line in text.lines(&plain) {
                if let Some(name) = self.races.finisher(line.plain) {
                    understood = true;
                    let who = self.roster.named(name, line, line.plain);
                    self.unnamed_run().into_iter().for_each(|run| run.player = who.clone());
                }
                let Some(finish) = self.races.print(line.plain) else { continue };
                understood = true;
                // Behind the bracket in front.
                let named = finish.name.zip(line.plain.get(1..));
                let who = named.and_then(|(name, rest)| self.roster.named(name, line, rest));
                let waits = finish.name.is_none();
                let run = EventKind::Run(finish.run(who, clean(world.level().map)));
                let event = sink.event(PRINT, Certainty::Stated, run);
                if waits { self.open.push(event) } else { sink.push(event) }
            }
            if plain == BERSERK {
                self.berserk = Some(world.clock().demo);
            }
            let told = self.phases.print(&plain);
            understood |= told != [None; 2];
            self.phase(told, sink);
        }
        let unknown = !understood && text.names_somebody(&plain, &self.roster);
        let unread = Some(&text).filter(|_| is_of_deaths && !understood).cloned();
        let event = sink.event(PRINT, Certainty::Stated, EventKind::Print { text: plain, text_raw: text.raw, unknown });
        match unread {
            Some(text) => self.waits_for_names(text, event, sink),
            None => sink.push(event),
        }
    }

    /// Tells the deaths in a text. True where there are any.
    fn deaths(&mut self, world: &World, text: &Text, plain: &str, sink: &mut Sink<'_>) -> bool {
        let all = text.frags(plain, None, std::iter::once(&*self.patterns), &self.roster, world.in_teams());
        let any = !all.is_empty();
        all.into_iter().for_each(|frag| self.frag(world, frag, sink));
        any
    }

    fn frag(&mut self, world: &World, mut frag: Frag, sink: &mut Sink<'_>) {
        self.tell_namesakes_apart(world, &mut frag);
        frag.attacker_origin = frag.attacker.as_ref().and_then(|who| origin(world, who));
        frag.victim_origin = origin(world, &frag.victim);
        if let Some(followed) = frag.victim.slot.and_then(|slot| self.slots.get_mut(slot)) {
            followed.mourned = Some(world.clock().demo);
        }
        let unknown = frag.victim == PlayerRef::default()
            || frag.kind == FragKind::TeamKill && frag.attacker.is_none()
            || self.fight.is_over_by(&frag.victim)
            || frag.means == UNKNOWN && self.hidden_damage;
        let event = sink.event(PRINT, Certainty::Stated, EventKind::Frag(frag));
        if unknown { self.open.push(event) } else { sink.push(event) }
    }

    /// The last run of which no text has said who ran it.
    fn unnamed_run(&mut self) -> Option<&mut Run> {
        self.open.iter_mut().rev().find_map(|event| match &mut event.kind {
            EventKind::Run(run) if run.player.is_none() => Some(run),
            _ => None,
        })
    }

    /// Tells the deaths of which the text names only one of both, and what is told of players without a name, once enough time
    /// has passed to know who it was.
    fn close(&mut self, world: &World, all: bool, sink: &mut Sink<'_>) {
        if all {
            self.stays_unread(sink);
            self.early.drain(..).for_each(|event| sink.push(event));
            for doubted in std::mem::take(&mut self.doubted) {
                self.died_again(doubted, sink);
            }
        }
        let now = world.clock().demo;
        let open = std::mem::take(&mut self.open);
        for mut event in open {
            if !all && now.0 - event.clock.demo.0 <= MOMENT {
                self.open.push(event);
                continue;
            }
            self.name_at_last(&mut event.kind);
            if let EventKind::Frag(frag) = &mut event.kind {
                if let Some(reason) = self.complete(world, frag, event.clock.demo) {
                    event.certainty = Certainty::Inferred(reason);
                }
                if frag.means == UNKNOWN {
                    let attacker = frag.attacker.as_ref().and_then(|who| who.slot);
                    let told = frag.victim.slot.and_then(|victim| self.deadly_hit(attacker, victim, event.clock.demo));
                    if let Some((weapon, means)) = told {
                        (frag.weapon, frag.means) = (Cow::Borrowed(weapon), Cow::Borrowed(means));
                        if event.certainty == Certainty::Stated {
                            event.certainty = Certainty::Inferred(Reason::DeadlyHit);
                        }
                    }
                }
            }
            sink.push(event);
        }
    }

    /// Finds the other one of a death among team mates. Gives how.
    fn complete(&mut self, world: &World, frag: &mut Frag, at: DemoTime) -> Option<Reason> {
        if frag.victim != PlayerRef::default() && (frag.attacker.is_some() || frag.kind != FragKind::TeamKill) {
            return None;
        }
        let near = |time: Option<DemoTime>| time.is_some_and(|time| (time.0 - at.0).abs() <= MOMENT);
        let told = frag.attacker.as_ref().unwrap_or(&frag.victim);
        let is_mate = |slot: &usize| {
            let known = self.slots.get(*slot).and_then(|it| it.known.as_ref());
            Some(*slot) != told.slot && known.is_some_and(|known| known.who.team == told.team)
        };
        let hits = || self.hits.iter().rev().filter(|hit| near(Some(hit.at)));
        let origin = |slot: usize| world.player(slot).and_then(|player| player.origin);
        if let Some(attacker) = &frag.attacker {
            let died = |slot: &usize| {
                let it = self.slots.get(*slot);
                is_mate(slot) && it.is_some_and(|it| near(it.died) && !near(it.mourned))
            };
            let hit = hits().find(|hit| attacker.slot.is_some() && hit.attacker == attacker.slot && died(&hit.victim));
            let slot = hit.map(|hit| hit.victim).or_else(|| (0..SLOTS).find(died))?;
            (frag.victim, frag.victim_origin) = (self.who(slot)?, origin(slot));
            self.slots.get_mut(slot)?.mourned = Some(at);
            Some(Reason::MateWhoDied)
        } else {
            let hit =
                hits().find(|hit| Some(hit.victim) == frag.victim.slot && hit.attacker.is_some_and(|by| is_mate(&by)));
            let lost = |slot: &usize| {
                let it = self.slots.get(*slot);
                is_mate(slot) && it.is_some_and(|it| near(it.lost) && !near(it.mourned))
            };
            let slot = hit.and_then(|hit| hit.attacker).or_else(|| (0..SLOTS).find(lost))?;
            (frag.attacker, frag.attacker_origin) = (Some(self.who(slot)?), origin(slot));
            Some(Reason::MateWhoHit)
        }
    }

    /// Tells where the match is.
    fn phase(&mut self, told: impl IntoIterator<Item = Option<PhaseTold>>, sink: &mut Sink<'_>) {
        for PhaseTold { phase, certainty, source } in told.into_iter().flatten() {
            if phase == Phase::Start {
                self.begun = Some(sink.clock.demo);
            }
            let event = sink.event(source, certainty, EventKind::Match(phase));
            // The death that ends a round comes first, and what follows behind the end of the round.
            let waits = |event: &Event| matches!(event.kind, EventKind::Match(_));
            if self.level_begins.is_some() {
                self.early.push(event);
            } else if phase == Phase::Round && self.fight.is_over() || self.open.iter().any(waits) {
                self.open.push(event);
            } else {
                sink.push(event);
            }
        }
    }

    /// What settings and the state of the game tell of the match.
    fn game(&mut self, world: &World, settings: bool, sink: &mut Sink<'_>) {
        if settings {
            let status = info_value(world.serverinfo(), "status").map(clean).unwrap_or_default();
            let told = self.phases.status(&status);
            self.phase(told, sink);
        }
        let told = self.phases.pause(world.is_paused());
        self.phase([told], sink);
        if world.intermission().is_some() {
            let told = self.phases.intermission();
            self.phase(told, sink);
        }
    }

    /// The time of the earliest thing that has happened and is not told yet.
    pub(crate) fn open_since(&self) -> Option<DemoTime> {
        let doubted = self.doubted.iter().map(|doubted| &doubted.event);
        let early = self.level_begins.iter().chain(&self.early);
        // Another level would end the match then.
        let end = self.last_seen.filter(|_| self.phases.goes_on()).map(|clock| clock.demo);
        let unread = self.unread.iter().filter(|unread| unread.waits).map(|unread| &unread.event);
        let events = self.open.iter().chain(unread).chain(early).chain(doubted).map(|event| event.clock.demo);
        events.chain(self.flags.open()).chain(end).min()
    }
}

/// The level, as far as it is known.
fn level_of(world: &World) -> EventKind {
    let level = world.level();
    EventKind::Level { map: clean(level.map), title: clean(level.title) }
}
