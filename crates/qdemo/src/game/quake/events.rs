//! What happens in Quake: prints, the score board, what the recorder has, the end of levels.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use crate::event::console::{self, Lines, Text};
use crate::event::obituary::Patterns;
use crate::event::roster::Roster;
use crate::event::{Damage, EventKind, Frag, Phase, PlayerRef, Reason, Run, Sink};
use crate::game::quake::items::PENTAGRAM;
use crate::game::quake::matches::{PhaseTold, Phases};
use crate::game::quake::{EndingKind, World, runs};
use crate::wire::clean;
use crate::world::{Charset, DamageMessage, DemoTime, Scene, TextKind};

const PRINT: &str = "print";
/// Stats of the recorder.
const HEALTH: u8 = 0;
const ARMOR: u8 = 4;
const TOTAL_SECRETS: u8 = 11;
const TOTAL_MONSTERS: u8 = 12;
const SECRETS: u8 = 13;
const MONSTERS: u8 = 14;

/// What a text and a bit tell of the same thing comes within this time.
const MOMENT: i64 = 500_000;

/// What is followed of a slot.
#[derive(Debug, Default, Clone)]
struct Followed {
    who: Option<PlayerRef>,
    frags: Option<i32>,
    /// The score at the end of the level before, and whose it was.
    before: Option<(i32, Vec<u8>)>,
}

/// What the recorder took.
#[derive(Debug)]
struct Took {
    at: DemoTime,
    item: Cow<'static, str>,
    /// A text has told of it.
    printed: bool,
}

#[derive(Debug)]
pub(crate) struct Detector {
    patterns: Arc<Patterns>,
    roster: Roster,
    lines: Lines,
    slots: Vec<Followed>,
    /// Secrets and monsters.
    counts: [i32; 2],
    /// Health, armour and items of the recorder.
    had: Option<[i32; 3]>,
    /// When the recorder died, while no text has told of it; and when one did.
    died: Option<DemoTime>,
    mourned: Option<DemoTime>,
    /// What the recorder took of late.
    took: Vec<Took>,
    /// The first frame of the level has been told.
    settled: bool,
    ended: bool,
    /// The matches, which mods tell of in the words of those for QuakeWorld.
    phases: Phases,
    /// The levels that a single player has finished, as one run; and how many.
    marathon: Option<(Run, u32)>,
}

fn who(world: &World, slot: usize) -> Option<PlayerRef> {
    world.player(slot).map(|player| PlayerRef::of(&player))
}

/// Tells where the match is.
fn phase(told: impl IntoIterator<Item = Option<PhaseTold>>, sink: &mut Sink<'_>) {
    for PhaseTold { phase, certainty, source } in told.into_iter().flatten() {
        let event = sink.event(source, certainty, EventKind::Match(phase));
        sink.push(event);
    }
}

fn recorder(world: &World) -> Option<PlayerRef> {
    world.recorder().and_then(|slot| who(world, slot))
}

impl Detector {
    pub(crate) fn new(patterns: Arc<Patterns>) -> Self {
        Detector {
            patterns,
            roster: Roster::default(),
            lines: Lines::default(),
            slots: Vec::new(),
            counts: [0; 2],
            had: None,
            died: None,
            mourned: None,
            took: Vec::new(),
            settled: false,
            ended: false,
            phases: Phases::default(),
            marathon: None,
        }
    }

    pub(crate) fn step(&mut self, world: &World, sink: &mut Sink<'_>) {
        let changes = world.changes();
        if changes.level {
            self.rest(world, sink);
            self.begin_level(world, sink);
        }
        let told = |slot: &usize| changes.board >> (slot & 31) & 1 == 1;
        let slots = world.player_slots();
        if changes.board != 0 {
            (0..slots).filter(told).for_each(|slot| self.comes(world, slot, sink));
        }
        for (said, text, _) in changes.texts() {
            self.text(world, said, text, sink);
        }
        if changes.level {
            // The line with which a server greets has no end, and nothing else of the sign-on stands in its block.
            self.rest(world, sink);
        }
        if changes.board != 0 {
            (0..slots).filter(told).for_each(|slot| self.goes_and_scores(world, slot, sink));
        }
        for hurt in &changes.damage {
            let (means, amount, taken) = (Cow::Borrowed(""), hurt.amount, self.taken(world, hurt));
            let damage = Damage { attacker: None, victim: recorder(world), amount, taken, means, splash: false };
            sink.stated("damage", EventKind::Damage(damage));
        }
        self.counts(world, sink);
        if changes.frame {
            self.carried(world, sink);
            let settled = world.signon() >= 3;
            if settled && !self.settled {
                // Whoever the sign-on does not name has not come to this level.
                self.slots.iter_mut().for_each(|followed| followed.before = None);
            }
            self.settled |= settled;
        }
        let told = self.phases.pause(world.is_paused());
        phase([told], sink);
        self.ending(world, sink);
    }

    /// The recording ends.
    pub(crate) fn finish(&mut self, world: &World, sink: &mut Sink<'_>) {
        self.rest(world, sink);
        if let Some((run, levels @ 2..)) = self.marathon.take() {
            let run = Run { map: format!("{levels} levels"), ..run };
            sink.inferred("intermission", Reason::SumOfLevels, EventKind::Run(run));
        }
    }

    /// Lines that have not ended, and never will.
    fn rest(&mut self, world: &World, sink: &mut Sink<'_>) {
        let rest: Vec<_> = self.lines.rest().collect();
        rest.into_iter().for_each(|(_, text)| self.print(world, text, sink));
    }

    fn begin_level(&mut self, world: &World, sink: &mut Sink<'_>) {
        self.phases = Phases::default();
        self.roster.clear();
        // Whoever stays on begins anew, which the first score of the level tells.
        for followed in &mut self.slots {
            let name = followed.who.take().map(|who| who.name_raw);
            followed.before = followed.frags.take().zip(name);
        }
        self.counts = [0; 2];
        (self.had, self.died, self.mourned) = (None, None, None);
        self.took.clear();
        (self.settled, self.ended) = (false, false);
        let level = world.level();
        sink.stated("serverinfo", EventKind::Level { map: clean(level.map), title: clean(level.title) });
    }

    fn followed(&mut self, slot: usize) -> &mut Followed {
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Followed::default());
        }
        &mut self.slots[slot]
    }

    fn comes(&mut self, world: &World, slot: usize, sink: &mut Sink<'_>) {
        let settled = self.settled;
        let Some(player) = who(world, slot).filter(|who| !who.name_raw.is_empty()) else { return };
        match self.followed(slot).who.replace(player.clone()) {
            None if settled => sink.stated("updatename", EventKind::Join(player.clone())),
            Some(before) if before.name_raw != player.name_raw => {
                sink.stated("updatename", EventKind::Rename(player.clone(), before.name));
            }
            _ => {}
        }
        self.roster.rename(slot, player);
    }

    fn goes_and_scores(&mut self, world: &World, slot: usize, sink: &mut Sink<'_>) {
        let frags = u8::try_from(slot).ok().and_then(|slot| world.score(slot)).and_then(|score| score.frags);
        let player = who(world, slot).filter(|who| !who.name_raw.is_empty());
        let settled = self.settled;
        let followed = self.followed(slot);
        let Some(player) = player else {
            // A server tells the scores of a level as soon as it begins, and the names later in the sign-on.
            if followed.who.is_none() && !settled {
                return;
            }
            if let Some(before) = std::mem::take(followed).who {
                self.roster.set(slot, None);
                sink.stated("updatename", EventKind::Leave(before));
            }
            return;
        };
        if let Some(to) = frags.map(i32::from) {
            let before = followed.before.take().filter(|(_, name)| *name == player.name_raw).map(|(frags, _)| frags);
            if let Some(from) = followed.frags.replace(to).or(before).filter(|from| *from != to) {
                sink.stated("updatefrags", EventKind::Score { player, from, to });
            }
        }
    }

    fn text(&mut self, world: &World, said: TextKind, text: &[u8], sink: &mut Sink<'_>) {
        match said {
            TextKind::Print(_) => {
                if let Some(text) = self.lines.add((None, None), text) {
                    self.print(world, text, sink);
                }
            }
            TextKind::Center => {
                let plain = clean(text);
                self.exact_time(world, &plain, sink);
                sink.stated("centerprint", EventKind::Center { text: plain, text_raw: text.to_vec() });
            }
            TextKind::Console | TextKind::Command => {}
        }
    }

    fn print(&mut self, world: &World, text: Text, sink: &mut Sink<'_>) {
        if let Some((from, chat)) = text.chat(&self.roster) {
            if let Some(front) = text.in_front_of(from) {
                self.print(world, front, sink);
            }
            return sink.stated(PRINT, EventKind::Chat(chat));
        }
        let plain = clean(&text.raw);
        let mut understood = self.exact_time(world, &plain, sink);
        // In a coloured line the server speaks.
        if !matches!(text.raw.first(), Some(1 | 2)) {
            let origin =
                |who: &PlayerRef| who.slot.and_then(|slot| world.player(slot)).and_then(|player| player.origin);
            for mut frag in text.frags(&plain, None, std::iter::once(&*self.patterns), &self.roster, false) {
                understood = true;
                self.tell_namesakes_apart(world, &mut frag);
                self.mourn(world, &mut frag);
                frag.attacker_origin = frag.attacker.as_ref().and_then(origin);
                frag.victim_origin = origin(&frag.victim);
                sink.stated(PRINT, EventKind::Frag(frag));
            }
            for told in text.flags(&plain, &self.roster) {
                understood = true;
                sink.stated(PRINT, told.what());
            }
            for item in text.lines(&plain).filter_map(|line| console::pickup(line.plain)) {
                if !self.took(world, &item, true) {
                    sink.stated(PRINT, EventKind::Pickup { player: recorder(world), item });
                }
            }
            let told = self.phases.print(&plain);
            understood |= told != [None; 2];
            phase(told, sink);
        }
        let unknown = !understood && text.names_somebody(&plain, &self.roster);
        sink.stated(PRINT, EventKind::Print { text: plain, text_raw: text.raw, unknown });
    }

    /// Of several players of a name the one is meant whose score the same block tells to change.
    fn tell_namesakes_apart(&self, world: &World, frag: &mut Frag) {
        let slots = (0..world.player_slots()).filter(|slot| world.changes().board >> (slot & 31) & 1 == 1);
        let changed = slots.filter_map(|slot| {
            let now = i32::from(world.score(u8::try_from(slot).ok()?)?.frags?);
            Some((slot, now.cmp(&self.slots.get(slot)?.frags?)))
        });
        let changed: Vec<_> = changed.filter(|(_, way)| *way != Ordering::Equal).collect();
        self.roster.told_by_scores(frag, &changed, false);
    }

    /// Who kills a team mate is told, and not whom; or one of several players of the recorder's name dies: it is the recorder, if
    /// that is who died in this moment and of whom no text tells.
    fn mourn(&mut self, world: &World, frag: &mut Frag) {
        let now = world.clock().demo;
        let of_late = |at: Option<DemoTime>| at.is_some_and(|at| now.0 - at.0 <= MOMENT);
        let Some(recorder) = recorder(world) else { return };
        let dies = self.had.is_some_and(|had| had[0] > 0) && world.stat(HEALTH).is_some_and(|health| health <= 0);
        let killer = frag.attacker.as_ref().and_then(|who| who.slot);
        let is_nobody = frag.victim == PlayerRef::default() && killer != recorder.slot;
        let is_namesake = frag.victim.slot.is_none() && frag.victim.name_raw == recorder.name_raw;
        if (is_nobody || is_namesake) && !of_late(self.mourned) && (dies || of_late(self.died)) {
            frag.victim = recorder.clone();
        }
        if frag.victim.slot == recorder.slot {
            (self.died, self.mourned) = (None, Some(now));
        }
    }

    /// True for something that has been told of. It is now. A text tells of a thing that was seen before it, once: two texts
    /// are of two things, even if these are equal.
    fn took(&mut self, world: &World, item: &str, printed: bool) -> bool {
        let now = world.clock().demo;
        self.took.retain(|took| now.0 - took.at.0 <= MOMENT);
        let armor = |told: &str, item: &str| told == "armor" && item.ends_with("_armor");
        let told = |took: &&mut Took| took.item == item || armor(&took.item, item) || armor(item, &took.item);
        let mut all = self.took.iter_mut().filter(told);
        let told = if printed { all.find(|took| !took.printed) } else { all.next() };
        if let Some(took) = told {
            took.printed |= printed;
            return true;
        }
        self.took.push(Took { at: now, item: Cow::Owned(item.to_owned()), printed });
        false
    }

    fn counts(&mut self, world: &World, sink: &mut Sink<'_>) {
        for (n, index) in [SECRETS, MONSTERS].into_iter().enumerate() {
            let now = world.stat(index).unwrap_or(0);
            let before = std::mem::replace(&mut self.counts[n], now);
            if self.settled && now > before {
                let (source, what) = match index {
                    SECRETS => ("foundsecret", EventKind::Secret(now)),
                    _ => ("killedmonster", EventKind::Monster(now)),
                };
                sink.stated(source, what);
            }
        }
    }

    /// What of the damage the recorder had left to lose. Armour is lost in any case, but health is none while a pentagram, the
    /// god mode or a rule for team mates protects it; and no more than there is. One byte tells how much it would have been.
    ///
    /// Source: `T_Damage` of id Software's `combat.qc`, which adds up both before it asks for any of these.
    fn taken(&self, world: &World, hurt: &DamageMessage) -> Option<i32> {
        let stat = |index| world.stat(index).unwrap_or(0);
        let [before, _, items] = self.had?;
        let (now, client) = (stat(HEALTH), world.client()?);
        let of_health = match before {
            _ if items as u32 & client.items & PENTAGRAM != 0 => 0,
            // Whoever begins to live in this frame had nothing to lose before.
            ..=0 if now <= 0 => 0,
            1.. if now <= 0 => before,
            1.. if now == before => 0,
            _ => hurt.amount - hurt.save,
        };
        Some(hurt.save + of_health)
    }

    /// What the recorder has that was not there before.
    fn carried(&mut self, world: &World, sink: &mut Sink<'_>) {
        let Some(client) = world.client() else { return };
        let stat = |index| world.stat(index).unwrap_or(0);
        let now = [stat(HEALTH), stat(ARMOR), client.items as i32];
        let Some(before) = self.had.replace(now) else { return };
        if before[0] > 0 && now[0] <= 0 {
            self.died = Some(world.clock().demo);
        }
        // Whoever begins to live is given things.
        if before == now || before[0] <= 0 || now[0] <= 0 || !self.settled {
            return;
        }
        let mut fresh = (now[2] & !before[2]) as u32;
        if now[1] > before[1] {
            // The same kind again.
            fresh |= now[2] as u32 & world.game().armors();
        }
        for item in world.game().taken(fresh, |model| world.has_model(model)) {
            if !self.took(world, item, false) {
                let pickup = EventKind::Pickup { player: recorder(world), item: Cow::Borrowed(item) };
                sink.inferred("clientdata", Reason::InInventory, pickup);
            }
        }
    }

    fn ending(&mut self, world: &World, sink: &mut Sink<'_>) {
        let Some(ending) = world.ending().filter(|ending| ending.kind != EndingKind::CutScene) else { return };
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let source = ending.kind.name();
        if let Some(time) = ending.time.filter(|time| time.is_finite() && !world.is_deathmatch()) {
            let run = Run { precision: runs::digits(time), ..run(world, f64::from(time), runs::AT_THE_END) };
            if run.player.is_some() {
                self.marathon = Some(match self.marathon.take() {
                    None => (Run { from: "sum of the levels", ..run.clone() }, 1),
                    Some((sum, levels)) => (and(sum, &run), levels.saturating_add(1)),
                });
            }
            sink.stated(source, EventKind::Run(run));
        }
        // The end of a match that goes on; the intermission has a name of its own here.
        let [resumed, end, _] = self.phases.intermission();
        phase([resumed, end], sink);
        sink.stated(source, EventKind::Match(Phase::Intermission));
    }

    /// Modules for runs tell their time. What they tell when a level begins is that of the level before, which need not
    /// be in the recording; an empty text over the running game, with which they clear the screen, ends nothing.
    /// True for such a text.
    fn exact_time(&self, world: &World, plain: &str, sink: &mut Sink<'_>) -> bool {
        if !runs::tells_exact_time(plain) {
            return false;
        }
        if !self.ended && world.ending().is_none_or(|ending| ending.kind == EndingKind::CutScene) {
            return true;
        }
        if let Some((time, precision)) = runs::exact_time(plain) {
            sink.stated(PRINT, EventKind::Run(Run { precision, ..run(world, time, runs::EXACT) }));
        }
        true
    }
}

/// A run of the recorder, when nobody else plays.
fn run(world: &World, time: f64, from: &'static str) -> Run {
    let stat = |index| world.stat(index);
    // What counts up begins at 0 with the level, and that is not told.
    let counted = |index| stat(index).unwrap_or(0);
    let totals = || Some([counted(MONSTERS), stat(TOTAL_MONSTERS)?, counted(SECRETS), stat(TOTAL_SECRETS)?]);
    Run {
        login: None,
        player: recorder(world).filter(|_| world.players().count() <= 1),
        time,
        precision: 0,
        from,
        map: Charset::Quake.clean(world.level().map),
        totals: totals(),
        mode: None,
    }
}

/// Two runs as one.
fn and(sum: Run, run: &Run) -> Run {
    let both = sum.totals.zip(run.totals);
    Run {
        time: sum.time + run.time,
        precision: sum.precision.min(run.precision),
        totals: both.map(|(a, b)| std::array::from_fn(|n| a[n].saturating_add(b[n]))),
        ..sum
    }
}
