//! What happens in Quake III: obituaries and other events of entities, commands of the server, scores.

mod chat;
mod deaths;
mod flags;
mod news;

use std::borrow::Cow;

use self::deaths::Deaths;
use self::flags::Flags;
use self::news::EVENT_LIFE;
pub(crate) use self::news::{News, Told};
use crate::error::Moment;
use crate::event::{Certainty, Chat, Damage, Event, EventKind, LastRun, Phase, PlayerRef, Reason, Sink};
use crate::format::dm3::{Array, EntityField, Message, PlayerField};
use crate::game::quake3::matches::{MatchState, Pauses, PhaseAt, Phases};
use crate::game::quake3::names::{Game, Module, is_powerup};
use crate::game::quake3::runs::{self, Finish};
use crate::game::quake3::{EntityState, Named, Sides, World, first_word, unquoted};
use crate::wire::without_colors;
use crate::world::{Clock, DemoTime, Player, Scene, StringKind, TextKind, Told as AnyText};

const SNAPSHOT: &str = "snapshot";
const COMMAND: &str = "serverCommand";
const GAMESTATE: &str = "gamestate";

const ET_ITEM: i32 = 2;
const SLOTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Detector {
    /// Players as the last configstrings had them.
    known: Vec<Option<Named>>,
    news: News,
    deaths: Deaths,
    damage: i32,
    frags: [Option<i32>; SLOTS],
    /// The score in the last state of whoever was seen.
    seen_score: Option<i32>,
    /// A scoreboard came since that state.
    board: bool,
    /// The level has begun anew since their scores were told, a bit each: they have had 0 since.
    anew: u64,
    sides: Option<Sides>,
    flags: Flags,
    phases: Phases,
    pauses: Pauses<Event>,
    /// What the configstrings say of the match, until they change.
    match_told: Option<MatchState>,
    /// When the match that goes on began, while that has not been told: the server time, and the clock of then.
    begins: Option<(i32, Clock)>,
    level_begins: Option<i32>,
    /// Server time of the last overtime that was told.
    overtime: Option<i32>,
    last_run: LastRun,
    date: Option<String>,
}

impl Default for Detector {
    fn default() -> Self {
        Detector {
            known: vec![None; SLOTS],
            news: News::default(),
            deaths: Deaths::default(),
            damage: 0,
            frags: [None; SLOTS],
            seen_score: None,
            board: false,
            anew: 0,
            sides: None,
            flags: Flags::default(),
            phases: Phases::default(),
            pauses: Pauses::default(),
            match_told: None,
            begins: None,
            level_begins: None,
            overtime: None,
            last_run: LastRun::default(),
            date: None,
        }
    }
}

/// A player slot as an event names it.
fn who(world: &World, slot: i32) -> Option<PlayerRef> {
    let slot = usize::try_from(slot).ok().filter(|slot| *slot < SLOTS)?;
    Some(match world.player(slot) {
        Some(player) => PlayerRef::of(&player),
        None => PlayerRef { slot: Some(slot), ..PlayerRef::default() },
    })
}

impl Detector {
    pub(crate) fn step(&mut self, world: &World, sink: &mut Sink<'_>) {
        let changes = world.changes();
        self.deaths.begin();
        if changes.level {
            self.level(world, sink);
        }
        // Commands take effect with the snapshot that they come with, but what they say of players counts at once.
        let mut sets_string = false;
        for (told, text, _) in changes.all_texts() {
            match told {
                AnyText::Text(TextKind::Command) => {
                    self.command(world, text, sink);
                    sets_string = matches!(first_word(text), b"cs" | b"bcs2");
                }
                // Those of a gamestate are told with the level. Of several for one thing each counts, as in the engine.
                AnyText::String(StringKind::ConfigString(index)) if std::mem::take(&mut sets_string) => {
                    self.configstring(world, index, text, sink);
                }
                _ => {}
            }
        }
        // What a snapshot tells happens after what configstrings say of the match: whoever dies in the snapshot that comes
        // with the end of a round dies behind it. Not so in Quake Live, which ends a round with the death that decides it.
        let over = self.game(world, sink);
        if changes.frame {
            self.snapshot(world, sink);
        }
        if let Some(clock) = over {
            sink.at(clock, SNAPSHOT, Certainty::Stated, EventKind::Match(Phase::Round));
        }
        self.flags.step(world, sink);
    }

    /// The time of the earliest thing that has happened and is not told yet.
    pub(crate) fn open_since(&self) -> Option<DemoTime> {
        self.begins.map(|(_, clock)| clock.demo).into_iter().chain(self.flags.open()).min()
    }

    /// The recording ends.
    pub(crate) fn finish(&mut self, sink: &mut Sink<'_>) {
        self.flags.finish(sink);
        self.pauses.tell(&mut |event| sink.push(event));
    }

    fn level(&mut self, world: &World, sink: &mut Sink<'_>) {
        self.flags.finish(sink);
        *self = Detector::default();
        let level = world.level();
        let what = EventKind::Level { map: without_colors(level.map), title: without_colors(level.title) };
        sink.stated(GAMESTATE, what);
        for slot in 0..SLOTS {
            self.known[slot] = Named::by(world.player_info(slot));
        }
        self.sides = world.sides();
    }

    fn snapshot(&mut self, world: &World, sink: &mut Sink<'_>) {
        let Some(snapshot) = world.snapshot() else { return };
        let time = snapshot.server_time();
        let same_eyes = self.news.step(world);
        let all = std::mem::take(&mut self.news.told);
        for told in &all {
            match told.entity.and_then(|number| snapshot.entity(number)) {
                Some(state) => self.event(world, told, state, time, sink),
                None => self.own_event(world, told, sink),
            }
        }
        self.news.told = all;
        self.own(world, same_eyes, sink);
    }

    /// An event of an entity.
    fn event(&mut self, world: &World, told: &Told, state: &EntityState, time: i32, sink: &mut Sink<'_>) {
        let game = Game::of(world.dialect().layout.era);
        let is = |number: u8| told.event == i32::from(number);
        if !world.module().has_known_numbers() {
            // Such a module may have another event by the number: what is told of it has to look like an obituary.
            if is(game.obituary) && told.temporary && deaths::looks_like_obituary(world, state) {
                self.deaths.obituary(world, state, sink);
            }
        } else if is(game.obituary) {
            self.deaths.obituary(world, state, sink);
        } else if is(game.pickups[0]) {
            if let Some(player) = told.by.and_then(|slot| who(world, slot)) {
                self.picks_up(player, item(world, told.parm), sink);
            }
        } else if is(game.pickups[1]) && matches!(world.module(), Module::Cpma | Module::Osp) {
            let item = item(world, told.parm);
            if is_powerup(&item) && !flags::is_flag(&item) {
                match only_holder(world, &item) {
                    None => sink.stated(SNAPSHOT, EventKind::Pickup { player: None, item }),
                    player => sink.inferred(SNAPSHOT, Reason::SeenWithIt, EventKind::Pickup { player, item }),
                }
            }
        } else if is(game.respawn) && state.kind() == ET_ITEM {
            let item = item(world, state.int(EntityField::Modelindex));
            sink.stated(SNAPSHOT, EventKind::Respawn { item, origin: Some(state.origin(time)) });
        } else if game.team_sound.is_some_and(is) {
            self.flags.sound(told.parm, world.clock().demo);
        } else if game.overtime.is_some_and(is) && self.adds_time(sink.clock) {
            sink.stated(SNAPSHOT, EventKind::Match(Phase::Overtime));
        }
    }

    /// An event of the player who is seen: that player is in no list of entities.
    fn own_event(&mut self, world: &World, told: &Told, sink: &mut Sink<'_>) {
        let pickup = i32::from(Game::of(world.dialect().layout.era).pickups[0]);
        if told.event == pickup && world.module().has_known_numbers() {
            if let Some(player) = told.by.and_then(|slot| who(world, slot)) {
                self.picks_up(player, item(world, told.parm), sink);
            }
        }
    }

    /// What else happens to the player who is seen, who is the same as before or another one.
    fn own(&mut self, world: &World, same: bool, sink: &mut Sink<'_>) {
        let (Some(state), Some(slot)) = (world.player_state(), world.seen()) else { return };
        let game = Game::of(world.dialect().layout.era);
        let damage = state.int(PlayerField::DamageEvent);
        if same && damage != self.damage && state.int(PlayerField::DamageCount) > 0 {
            let known = world.module().has_known_numbers() && world.is_lasting_of_seen();
            let attacker = who(world, state.slot(Array::Persistant, game.scores.attacker)).filter(|_| known);
            let amount = state.int(PlayerField::DamageCount);
            let victim = who(world, slot as i32);
            let means = Cow::Borrowed("");
            let damage = Damage { attacker, victim, amount, taken: None, means, splash: false };
            sink.inferred(SNAPSHOT, Reason::LastAttacker, EventKind::Damage(damage));
        }
        self.damage = damage;
        let own = world.seen_score();
        // A copy of the frame before tells nothing against a scoreboard that has come since, unless the scores of both agree.
        let agrees = world.duel_scores().any(|(of, score)| of == slot && own == Some(score));
        let has_board = std::mem::take(&mut self.board);
        let is_late = has_board && same && !agrees && world.follows() && own == self.seen_score;
        self.seen_score = own;
        if let Some(score) = own.filter(|_| !is_late) {
            self.score(world, slot, score, SNAPSHOT, sink);
        }
        // Of a duel both scores are told, and the state of the one tells which is that of the other.
        for (of, score) in world.duel_scores().filter(|(of, _)| own.is_none() || *of != slot) {
            self.score(world, of, score, SNAPSHOT, sink);
        }
    }

    fn picks_up(&mut self, player: PlayerRef, item: Cow<'static, str>, sink: &mut Sink<'_>) {
        self.flags.pickup(&item, &player);
        sink.stated(SNAPSHOT, EventKind::Pickup { player: Some(player), item });
    }

    fn score(&mut self, world: &World, slot: usize, to: i32, source: &'static str, sink: &mut Sink<'_>) {
        let Some(last) = self.frags.get_mut(slot) else { return };
        let anew = self.anew >> slot & 1 == 1;
        self.anew &= !(1 << slot);
        let Some(from) = last.replace(to).filter(|from| *from != to) else { return };
        let Some(player) = who(world, slot as i32) else { return };
        // What a score was in the match before it was not in this one.
        if anew && from != 0 && to != 0 {
            sink.stated(source, EventKind::Score { player: player.clone(), from, to: 0 });
            sink.stated(source, EventKind::Score { player, from: 0, to });
        } else {
            sink.stated(source, EventKind::Score { player, from, to });
        }
    }

    fn command(&mut self, world: &World, text: &[u8], sink: &mut Sink<'_>) {
        let word = first_word(text);
        let rest = text.get(word.len() + 1..).unwrap_or_default();
        match word {
            // `bchat` is one of Quake Live, which WolfcamQL shows as it does `chat`.
            b"chat" | b"tchat" | b"bchat" | b"mm2" => {
                if let Some(mut chat) = chat::parse(world, word, rest) {
                    self.who_went(world, &mut chat);
                    sink.stated(COMMAND, EventKind::Chat(chat));
                }
            }
            b"print" => self.print(world, unquoted(rest), sink),
            b"cp" | b"pcp" => {
                let text_raw = unquoted(rest).to_vec();
                self.overtime(world, &text_raw, true, sink);
                sink.stated(COMMAND, EventKind::Center { text: world.charset().clean(&text_raw), text_raw });
            }
            b"map_restart" => {
                self.phases.restart();
                self.anew = u64::MAX;
                self.flags.restart(sink);
            }
            b"NewTime" | b"newTime" => {
                let plain = world.charset().clean(text);
                self.run(world, runs::new_time(&plain), sink);
            }
            _ if word.starts_with(b"scores")
                || matches!(word, b"xscores" | b"rrscores" | b"smscores" | b"ratscores" | b"ratscores1") =>
            {
                self.board = true;
                for slot in 0..SLOTS {
                    match (world.board_score(slot), self.frags.get_mut(slot), world.score(slot)) {
                        (Some(score), ..) => self.score(world, slot, score, COMMAND, sink),
                        // Whoever watches has some score to begin with when he comes to play.
                        (None, Some(last), Some(line)) => *last = last.or(Some(line.score)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Whoever speaks and goes in one block is not in the world any more.
    fn who_went(&self, world: &World, chat: &mut Chat) {
        let Some(speaker) = chat.speaker.as_mut().filter(|speaker| speaker.slot.is_none()) else { return };
        let all =
            self.known.iter().enumerate().filter_map(|(slot, named)| Some(as_known(world, slot, named.as_ref()?)));
        if let Some(known) = all.into_iter().find(|known| known.name == speaker.name) {
            *speaker = known;
        }
    }

    fn configstring(&mut self, world: &World, number: u16, value: &[u8], sink: &mut Sink<'_>) {
        self.match_told = None;
        self.flags.configstring(world, number, value);
        let sides = world.sides().filter(|to| world.tells_sides(number) && self.sides != Some(*to));
        if let Some(to) = sides {
            if let Some(from) = self.sides.replace(to) {
                self.flags.scored(world, from, to);
            }
            sink.stated(COMMAND, EventKind::Scores(to));
        }
        let slot = usize::from(number.wrapping_sub(world.dialect().layout.indices.players));
        let Some(last) = self.known.get_mut(slot) else { return };
        let now = Named::by(value);
        let before = std::mem::replace(last, now.clone());
        if let Some(before) = &before {
            self.deaths.changes(slot, before);
        }
        match (before, now) {
            (None, Some(now)) => sink.stated(COMMAND, EventKind::Join(as_known(world, slot, &now))),
            (Some(before), None) => {
                self.frags[slot] = None;
                sink.stated(COMMAND, EventKind::Leave(as_known(world, slot, &before)));
            }
            (Some(before), Some(now)) => {
                let player = as_known(world, slot, &now);
                if before.name != now.name {
                    sink.stated(COMMAND, EventKind::Rename(player.clone(), world.charset().clean(&before.name)));
                }
                let teams = [before.team_name(), now.team_name()];
                if teams[0] != teams[1] {
                    sink.stated(COMMAND, EventKind::Team(player, teams[0].map(str::to_owned)));
                }
            }
            (None, None) => {}
        }
    }

    fn print(&mut self, world: &World, text: &[u8], sink: &mut Sink<'_>) {
        self.overtime(world, text, false, sink);
        self.phases.print(text);
        let plain = world.charset().clean(text);
        if let Some(date) = plain.trim().strip_prefix("Date: ") {
            self.date = Some(date.to_owned());
        }
        self.run(world, runs::finish(&plain), sink);
        self.flags.text(world, &plain);
        sink.stated(COMMAND, EventKind::Print { text: plain, text_raw: text.to_vec(), unknown: false });
    }

    /// A run of DeFRaG, from what the server tells about it.
    fn run(&mut self, world: &World, finish: Option<Finish<'_>>, sink: &mut Sink<'_>) {
        if let Some(finish) = finish.filter(|finish| self.last_run.is_new(finish.from, finish.ms)) {
            sink.stated(COMMAND, EventKind::Run(finish.run(runner(world, &finish), world.configstrings())));
        }
    }

    /// The text of a server: in the middle of the screen, or a line of the console.
    fn overtime(&mut self, world: &World, text: &[u8], centered: bool, sink: &mut Sink<'_>) {
        let plain = without_colors(text).to_ascii_lowercase();
        let words = ["overtime", "sudden death"];
        let says = |line: &str| {
            // OSP's settings tell what would be done: `Overtime Mode: 2-minute Periods`.
            let setting = line.starts_with("overtime mode");
            let begins = || words.iter().any(|word| line.starts_with(word)) && !begins_with_a_name(world, line);
            !setting && if centered { words.iter().any(|word| line.contains(word)) } else { begins() }
        };
        if plain.lines().any(|line| says(line.trim())) && self.adds_time(sink.clock) {
            sink.inferred(COMMAND, Reason::ServerText, EventKind::Match(Phase::Overtime));
        }
    }

    /// Takes in that time is added. False where no match goes on, and for what tells it again: within the time that an event
    /// is there for everybody to see.
    fn adds_time(&mut self, clock: Clock) -> bool {
        let Some(Moment::Milliseconds(now)) = clock.now.filter(|_| self.phases.is_playing()) else { return false };
        let told = |last: i32| (0..=EVENT_LIFE).contains(&now.wrapping_sub(last));
        let again = self.overtime.is_some_and(told);
        if !again {
            self.overtime = Some(now);
        }
        !again
    }

    /// Where the match is. Gives when a round of Quake Live is over.
    fn game(&mut self, world: &World, sink: &mut Sink<'_>) -> Option<Clock> {
        // A snapshot that cannot be made complete has a time all the same.
        let Some(Moment::Milliseconds(time)) = sink.clock.now else { return None };
        if world.changes().sent {
            self.level_begins = Some(self.level_begins.map_or(time, |first| first.min(time)));
        }
        let told = *self
            .match_told
            .get_or_insert_with(|| MatchState::by(world.configstrings(), &world.dialect(), world.module()));
        for message in world.messages() {
            if let Message::Snapshot(snapshot) = message {
                self.phases.snapshot(snapshot);
            }
        }
        if self.phases.drops_open() {
            self.pauses.tell(&mut |event| sink.push(event));
        }
        let (begins, now) = (self.begins, sink.clock);
        let clock_of = |time: i32| match begins {
            Some((begin, clock)) if begin == time => clock,
            _ => clock_at(now, time),
        };
        let mut over = None;
        self.phases.step(time, &told, self.level_begins, &mut |PhaseAt { phase, time, begun }| {
            if phase == Phase::Round && world.module() == Module::QuakeLive {
                over = Some(clock_of(time));
                return;
            }
            let certainty = match phase {
                Phase::Start if !begun => Certainty::Inferred(Reason::Underway),
                Phase::Start => Certainty::Inferred(Reason::WarmUp),
                Phase::End => Certainty::Inferred(Reason::MatchOver),
                Phase::GivenUp => Certainty::Inferred(Reason::BegunAnew),
                _ => Certainty::Stated,
            };
            let event = Event { clock: clock_of(time), ..sink.event(SNAPSHOT, certainty, EventKind::Match(phase)) };
            self.pauses.add(phase, event, &mut |event| sink.push(event));
        });
        if self.phases.open().is_none() {
            self.pauses.tell(&mut |event| sink.push(event));
        }
        self.begins = self.phases.open().map(|time| (time, clock_of(time)));
        over
    }
}

/// The clock at a server time near that of `clock`.
fn clock_at(clock: Clock, time: i32) -> Clock {
    let mut at = Clock { now: Some(Moment::Milliseconds(time)), ..clock };
    if let Some(Moment::Milliseconds(now)) = clock.now {
        let away = DemoTime::from_ms(i64::from(time) - i64::from(now));
        at.demo = DemoTime(clock.demo.0.saturating_add(away.0).max(0));
    }
    at
}

/// A player as a configstring had it.
fn as_known(world: &World, slot: usize, named: &Named) -> PlayerRef {
    let team = named.team_name().map(str::to_owned);
    PlayerRef { slot: Some(slot), team, ..PlayerRef::named(&named.name, world.charset()) }
}

/// The one who is seen to have a powerup, if nobody else is. CPMA and OSP tell everybody that one is taken, and not by whom.
fn only_holder(world: &World, item: &str) -> Option<PlayerRef> {
    let number = Game::of(world.dialect().layout.era).powerups.iter().position(|name| *name == item)?;
    let has = |slot: &usize| world.powerups(*slot).is_some_and(|all| all >> number & 1 == 1);
    let mut holders = (0..SLOTS).filter(has);
    let only = holders.next().filter(|_| holders.next().is_none())?;
    who(world, only as i32)
}

/// True for a line that begins with the name of somebody who is there, in lower case.
fn begins_with_a_name(world: &World, line: &str) -> bool {
    (0..SLOTS).filter_map(|slot| world.player(slot)).any(|player| {
        let name = player.charset.clean(&player.name).to_ascii_lowercase();
        !name.is_empty() && line.starts_with(&name)
    })
}

fn item(world: &World, number: i32) -> Cow<'static, str> {
    let name = usize::try_from(number).ok().and_then(|n| Game::of(world.dialect().layout.era).item(n, world.module()));
    name.map_or_else(|| Cow::Owned(format!("item_{number}")), Cow::Borrowed)
}

/// Who made a run of DeFRaG.
fn runner(world: &World, finish: &Finish<'_>) -> Option<PlayerRef> {
    let Some(name) = finish.name else { return Some(PlayerRef::of(&world.player(world.recorder()?)?)) };
    let charset = world.charset();
    let here = || (0..SLOTS).filter_map(|slot| world.player(slot));
    let login = |player: &Player<'_>| runs::logs_in_as(world.player_info(player.slot), name, charset);
    let player = here().find(|player| player.clean_name() == name).or_else(|| here().find(login));
    Some(player.map_or_else(|| PlayerRef::named(name.as_bytes(), charset), |player| PlayerRef::of(&player)))
}
