//! Snapshots as they stand in the output, and how the next one is told to those who know them.

use super::clock::Clock;
use crate::format::dm3::{Baseline, Change, Dialect, Gamestate, Message, Snapshot};
use crate::game::quake3::{Baselines, EntityState, FullSnapshot, PlayerState, SnapshotBuilder, World, tell_difference};

/// Snapshots that every engine keeps.
const NEAR: i32 = 31;
const RING: usize = 32;

/// A snapshot that stands in the output.
#[derive(Clone)]
struct Told {
    number: i32,
    shows: Shows,
}

/// What it shows.
#[derive(Clone)]
enum Shows {
    /// What a snapshot of the input does, which has that number, on a clock; and the entities that fall in it.
    Input(i32, Clock, Vec<u16>),
    /// What stands here.
    States(Box<States>),
}

#[derive(Clone)]
struct States {
    player: PlayerState,
    entities: Vec<(u16, EntityState)>,
}

impl States {
    /// A snapshot of the input on a clock.
    fn of(snapshot: &FullSnapshot<'_>, clock: Clock) -> Self {
        let mut entities: Vec<_> = snapshot.entities().map(|(n, state)| (n, entity(state, snapshot, clock))).collect();
        entities.sort_by_key(|entity| entity.0);
        States { player: snapshot.player().retimed(|ms| clock.at(ms)), entities }
    }
}

/// An entity of a snapshot of the input on a clock.
fn entity(state: &EntityState, snapshot: &FullSnapshot<'_>, clock: Clock) -> EntityState {
    state.retimed(snapshot.server_time(), clock.speed, |ms| clock.at(ms))
}

/// Fields, as places in the tables of a protocol.
#[derive(Clone, Copy)]
struct Places {
    /// Of an entity: those that another clock changes, and those that tell how it moves.
    timed: u64,
    kinds: u64,
    /// Of the player: those that another clock changes.
    player: u64,
}

/// The snapshots of the output.
pub(super) struct Output {
    dialect: Dialect,
    /// By the lowest bits of their numbers.
    ring: Vec<Option<Told>>,
    /// Those of the output.
    baselines: Baselines,
    places: Places,
    /// Memory for the next one.
    spare: Option<Snapshot>,
}

impl Output {
    pub(super) fn new(dialect: Dialect) -> Self {
        let (entity, player) = (&dialect.layout.entity, &dialect.layout.player);
        let places = Places {
            timed: entity.places_of(&EntityState::timed_fields()),
            kinds: entity.places_of(&EntityState::kinds_of_movement()),
            player: player.places_of(&PlayerState::TIMES),
        };
        Output { dialect, ring: vec![None; RING], baselines: Baselines::default(), places, spare: None }
    }

    /// A level begins.
    pub(super) fn begin(&mut self, gamestate: &Gamestate) {
        self.baselines = Baselines::from(gamestate);
        self.ring.fill(None);
    }

    /// The baseline of an entity in a level that begins, on a clock.
    pub(super) fn baseline(&self, number: u16, world: &World, clock: Clock) -> Baseline {
        let state = world.baselines().get(number).retimed(0, 1.0, |ms| clock.at(ms));
        Baseline::new(number, &state, &self.dialect)
    }

    /// Another world of the input follows: what was told of this one cannot be looked up in it.
    pub(super) fn leave(&mut self) {
        for told in &mut self.ring {
            told.take_if(|told| matches!(told.shows, Shows::Input(..)));
        }
    }

    /// The snapshot with a number is not one that later ones can build on.
    pub(super) fn forget(&mut self, number: i32) {
        if let Some(slot) = self.ring.get_mut(slot(number)) {
            *slot = None;
        }
    }

    /// Takes back the memory of messages that are written.
    pub(super) fn recycle(&mut self, messages: Vec<Message>) {
        let snapshot = |message| if let Message::Snapshot(snapshot) = message { Some(snapshot) } else { None };
        self.spare = messages.into_iter().find_map(snapshot).or(self.spare.take());
    }

    fn told(&self, number: i32) -> Option<&Told> {
        self.ring.get(slot(number))?.as_ref().filter(|told| told.number == number)
    }

    fn empty(&mut self, server_time: i32) -> Snapshot {
        match self.spare.take() {
            Some(spare) => spare.begin_again(server_time, &self.dialect),
            None => Snapshot::new(server_time, &self.dialect),
        }
    }

    fn keep(&mut self, number: i32, shows: Shows) {
        if let Some(slot) = self.ring.get_mut(slot(number)) {
            *slot = Some(Told { number, shows });
        }
    }

    /// What was told with a number; `world` is that of the input, which was told last.
    fn states(&self, number: i32, world: &World) -> Option<States> {
        match &self.told(number)?.shows {
            Shows::States(states) => Some(States::clone(states)),
            Shows::Input(input, clock, _) => world.earlier(*input).map(|snapshot| States::of(&snapshot, *clock)),
        }
    }

    /// Tells a snapshot of the input on a clock, at a server time of the output: `told` is how the input tells it, as the
    /// number `number` of the output.
    pub(super) fn retold(
        &mut self,
        told: &Snapshot,
        (snapshot, world): (&FullSnapshot<'_>, &World),
        (server_time, clock): (i32, Clock),
        number: i32,
    ) -> Snapshot {
        let input = snapshot.number();
        let back = if input > i32::from(told.delta_num) { i32::from(told.delta_num) } else { 0 };
        let empty = self.empty(server_time);
        let base = match &self.told(number.saturating_sub(back)).filter(|_| back > 0).map(|told| &told.shows) {
            Some(Shows::Input(n, on, falling)) if *n == input - back && *on == clock => {
                world.earlier(input - back).map(|snapshot| Base { snapshot, falling })
            }
            _ => None,
        };
        let ascends = told.entities().is_sorted_by(|a, b| a.number < b.number);
        let (mut made, falling) = match base.filter(|_| ascends) {
            Some(base) => self.changed(empty, told, &base, snapshot, clock),
            None => {
                let made = self.difference(empty, &States::of(snapshot, clock), number, Some(back), world);
                (made, snapshot.entities().filter(|(_, state)| falls(state, clock)).map(|(n, _)| n).collect())
            }
        };
        self.keep(number, Shows::Input(input, clock, falling));
        (made.snap_flags, made.areamask, made.rel_ack) = (told.snap_flags, told.areamask, told.rel_ack);
        made
    }

    /// Tells what a snapshot of the input shows on a clock, which stands in the output for the first time, as the difference to
    /// the last one that was told; `of` is the world that was.
    pub(super) fn new_one(
        &mut self,
        snapshot: &FullSnapshot<'_>,
        of: &World,
        (server_time, clock): (i32, Clock),
        number: i32,
    ) -> Snapshot {
        let states = States::of(snapshot, clock);
        let empty = self.empty(server_time);
        let mut made = self.difference(empty, &states, number, None, of);
        (made.snap_flags, made.areamask) = (snapshot.flags(), snapshot.areas());
        self.keep(number, Shows::States(Box::new(states)));
        made
    }

    /// What differs in states from those that were told: `back` packets before, as the server has chosen, 0 for a full one;
    /// else from the nearest.
    fn difference(&self, empty: Snapshot, states: &States, number: i32, back: Option<i32>, world: &World) -> Snapshot {
        let near = || (1..=NEAR).find_map(|back| Some((back, self.states(number.saturating_sub(back), world)?)));
        let base = match back {
            Some(0) => None,
            Some(back) => self.states(number.saturating_sub(back), world).map(|states| (back, states)).or_else(near),
            None => near(),
        };
        let from = base.as_ref().map_or(&PlayerState::ZERO, |(_, base)| &base.player);
        let known: Vec<_> = base.iter().flat_map(|(_, base)| base.entities.iter().map(|(n, s)| (*n, s))).collect();
        let all: Vec<_> = states.entities.iter().map(|(n, s)| (*n, s)).collect();
        let builder = SnapshotBuilder::on(empty, (from, &states.player));
        let mut made = builder.entities(&known, &all, &self.baselines).build();
        made.delta_num = base.map_or(0, |(back, _)| u8::try_from(back).unwrap_or(0));
        made
    }

    /// The difference to a base that was told on the same clock: what the input tells, but for times. And what falls.
    fn changed(
        &self,
        mut made: Snapshot,
        told: &Snapshot,
        base: &Base<'_>,
        snapshot: &FullSnapshot<'_>,
        clock: Clock,
    ) -> (Snapshot, Vec<u16>) {
        made.delta_num = told.delta_num;
        let at = |ms| clock.at(ms);
        let player = |field, bits| PlayerState::retimed_field(field, bits, at);
        made.tell_player_again(told, self.places.player, player, |array, value| {
            PlayerState::retimed_slot(array, value, at)
        });
        let differs = |made: &mut Snapshot, number| {
            let of = [&base.snapshot, snapshot];
            let [old, new] = of.map(|of| of.entity(number).map(|state| entity(state, of, clock)));
            tell_difference(made, number, old.as_ref(), new.as_ref(), &self.baselines);
        };
        let mut falling = Vec::new();
        let mut fell = base.falling.iter().copied().peekable();
        for update in told.entities() {
            // What falls is on a new line with every snapshot, whether it is told of or not.
            while let Some(number) = fell.next_if(|number| *number < update.number) {
                falling.push(number);
                differs(&mut made, number);
            }
            let fell = fell.next_if_eq(&update.number).is_some();
            let state = snapshot.entity(update.number);
            let falls = state.is_some_and(|state| falls(state, clock));
            if falls {
                falling.push(update.number);
            }
            match (update.change, state) {
                // It moves as before: what is told of it changes field by field.
                (Change::Fields(fields), Some(state))
                    if !fell
                        && !falls
                        && !fields.tells(self.places.kinds)
                        && base.snapshot.entity(update.number).is_some() =>
                {
                    let field = |field, bits| state.retimed_field(field, bits, clock.speed, at);
                    made.tell_again(&update, self.places.timed, field);
                }
                _ => differs(&mut made, update.number),
            }
        }
        for number in fell {
            falling.push(number);
            differs(&mut made, number);
        }
        (made, falling)
    }
}

/// A snapshot of the input that was told on the same clock as the next one is, and what falls in it.
struct Base<'b> {
    snapshot: FullSnapshot<'b>,
    falling: &'b [u16],
}

/// True for an entity that is on another line at every moment.
fn falls(state: &EntityState, clock: Clock) -> bool {
    clock.speed != 1.0 && state.falls()
}

fn slot(number: i32) -> usize {
    number as usize % RING
}
