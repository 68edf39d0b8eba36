//! What the rows of tables are made of.

use std::borrow::Cow;

use super::range::WORLD;
use crate::analysis::highlight::Highlight;
use crate::analysis::stats::{self, ItemNumbers, Numbers, Period, WeaponNumbers};
use crate::analysis::summary::Summary;
use crate::analysis::texts::Text;
use crate::demo::{Message, MessagePlace};
use crate::event::{Chat, Event, EventKind, Frag, PlayerRef, Run};
use crate::json::without_controls;
use crate::replay::World;
use crate::replay::timeline::{Presence, Span};
use crate::text::message_to_json;
use crate::world::{Changes, Clock, Entity, Input, PlayedSound, Player, Scene, Shot, View};

/// What a table has a row for: a moment, and a thing. Its columns know what to take from it.
#[derive(Debug)]
pub struct Row<'a> {
    pub(super) clock: Clock,
    pub(super) block: u64,
    pub(super) level: u32,
    pub(super) about: RowOf<'a>,
}

impl Row<'_> {
    /// When it is.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Number of the block that tells it, from 0.
    pub fn block(&self) -> u64 {
        self.block
    }
}

#[derive(Debug)]
pub(super) enum RowOf<'a> {
    Demo(&'a Summary),
    Unreadable(&'a str),
    Level(OneLevel<'a>),
    Match(OneMatch<'a>),
    Presence(&'a Presence),
    Span(&'a Span),
    /// A player, with the name in plain characters.
    Player(&'a Player<'a>, &'a str),
    Entity(Entity<'a>),
    Frame(Frame<'a>),
    Input(Told<'a, Input>),
    Shot(Told<'a, Shot>),
    Sound(Told<'a, PlayedSound<'a>>),
    Message(OneMessage<'a>),
    Text(&'a Text),
    Event(&'a Event),
    Highlight(&'a Highlight),
    Stat(Stat<'a>),
}

/// A frame of the server, and how much the blocks told that make it.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) world: &'a World,
    pub(super) counts: Counts,
}

/// What a block tells of a player or an entity, and the world after it.
#[derive(Debug)]
pub(super) struct Told<'a, T> {
    pub(super) world: &'a World,
    pub(super) it: &'a T,
}

/// How many entities came into view, changed, and went, and how many sounds began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) added: usize,
    pub(super) changed: usize,
    pub(super) removed: usize,
    pub(super) sounds: usize,
}

impl Counts {
    pub(super) fn add(&mut self, changes: &Changes) {
        self.added += changes.added.len();
        self.changed += changes.changed.len();
        self.removed += changes.removed.len();
        self.sounds += changes.sounds.len();
    }
}

/// A message of a block, and where it stands.
#[derive(Debug)]
pub(super) struct OneMessage<'a> {
    pub(super) place: &'a MessagePlace,
    pub(super) message: &'a (dyn AsJson + 'a),
}

/// A message, whatever it borrows from.
pub(super) trait AsJson: std::fmt::Debug {
    /// All its fields.
    fn json(&self) -> String;
}

impl AsJson for Message<'_> {
    fn json(&self) -> String {
        without_controls(message_to_json(self))
    }
}

/// A level of a recording.
#[derive(Debug)]
pub(super) struct OneLevel<'a> {
    pub(super) span: &'a Span,
    pub(super) matches: usize,
}

/// A match, and how many there were before it.
#[derive(Debug)]
pub(super) struct OneMatch<'a> {
    pub(super) period: &'a Period,
    pub(super) number: u32,
}

/// A player in a part of a recording; where the table is about weapons or items also the name of one.
#[derive(Debug)]
pub(super) struct Stat<'a> {
    pub(super) period: &'a Period,
    pub(super) player: &'a stats::Player,
    pub(super) thing: &'a str,
}

/// Ways to what only rows of one kind are about.
macro_rules! only {
    ($($name:ident: $variant:ident($ty:ty);)*) => {$(
        pub(super) fn $name(&self) -> Option<&$ty> {
            match &self.about {
                RowOf::$variant(it) => Some(it),
                _ => None,
            }
        }
    )*};
}

/// The same for events.
macro_rules! only_events {
    ($($name:ident: $variant:ident($ty:ty);)*) => {$(
        pub(super) fn $name(&self) -> Option<&$ty> {
            match &self.event()?.kind {
                EventKind::$variant(it) => Some(it),
                _ => None,
            }
        }
    )*};
}

impl<'a> Row<'a> {
    only! {
        demo: Demo(Summary);
        one_level: Level(OneLevel<'a>);
        one_match: Match(OneMatch<'a>);
        presence: Presence(Presence);
        span: Span(Span);
        entity: Entity(Entity<'a>);
        frame: Frame(Frame<'a>);
        input: Input(Told<'a, Input>);
        shot: Shot(Told<'a, Shot>);
        sound: Sound(Told<'a, PlayedSound<'a>>);
        message: Message(OneMessage<'a>);
        text: Text(Text);
        event: Event(Event);
        highlight: Highlight(Highlight);
        stat: Stat(Stat<'a>);
    }
    only_events! {
        frag: Frag(Frag);
        chat: Chat(Chat);
        scores: Scores([Option<i32>; 2]);
        run: Run(Run);
    }

    /// A player at one frame.
    pub(super) fn player(&self) -> Option<&Player<'a>> {
        match &self.about {
            RowOf::Player(player, _) => Some(player),
            _ => None,
        }
    }

    /// The row itself, whatever it is about.
    pub(super) fn any(&self) -> Option<&Self> {
        Some(self)
    }

    /// Why a recording could not be read to its end.
    pub(super) fn error(&self) -> Option<&str> {
        match &self.about {
            RowOf::Unreadable(error) => Some(error),
            RowOf::Demo(demo) => demo.error.as_deref(),
            _ => None,
        }
    }

    /// Where a message stands.
    pub(super) fn place(&self) -> Option<&MessagePlace> {
        Some(self.message()?.place)
    }

    /// The part of a recording that it is about.
    pub(super) fn period(&self) -> Option<&Period> {
        match &self.about {
            RowOf::Match(it) => Some(it.period),
            _ => Some(self.stat()?.period),
        }
    }

    /// What the score of a player was, and is.
    pub(super) fn score(&self) -> Option<[i32; 2]> {
        match self.event()?.kind {
            EventKind::Score { from, to, .. } => Some([from, to]),
            _ => None,
        }
    }

    pub(super) fn counted(&self) -> Option<&Numbers> {
        Some(&self.stat()?.player.counted)
    }

    pub(super) fn reported(&self) -> Option<&Numbers> {
        Some(&self.stat()?.player.reported)
    }

    pub(super) fn counted_weapon(&self) -> Option<&WeaponNumbers> {
        self.counted()?.weapon(self.stat()?.thing)
    }

    pub(super) fn reported_weapon(&self) -> Option<&WeaponNumbers> {
        self.reported()?.weapon(self.stat()?.thing)
    }

    pub(super) fn counted_item(&self) -> Option<&ItemNumbers> {
        self.counted()?.item(self.stat()?.thing)
    }

    pub(super) fn reported_item(&self) -> Option<&ItemNumbers> {
        self.reported()?.item(self.stat()?.thing)
    }

    /// Where the recording looks from.
    pub(super) fn view(&self) -> Option<View> {
        self.frame()?.world.view()
    }

    /// The player whom an event is about.
    fn who(&self) -> Option<&PlayerRef> {
        match &self.about {
            RowOf::Event(event) => event.kind.players()[0],
            RowOf::Highlight(it) => Some(&it.player),
            RowOf::Text(text) => text.player.as_ref(),
            RowOf::Stat(stat) => Some(&stat.player.who),
            _ => None,
        }
    }

    pub(super) fn slot(&self) -> Option<usize> {
        match &self.about {
            RowOf::Player(player, _) => Some(player.slot),
            RowOf::Presence(player) => Some(player.slot),
            RowOf::Entity(entity) => entity.player,
            RowOf::Input(told) => told.it.slot,
            RowOf::Shot(told) => told.it.slot,
            RowOf::Sound(told) => told.it.slot,
            _ => self.who()?.slot,
        }
    }

    /// The player whom a block tells something of.
    fn told_of(&self) -> Option<Player<'a>> {
        let world = match &self.about {
            RowOf::Input(told) => told.world,
            RowOf::Shot(told) => told.world,
            RowOf::Sound(told) => told.world,
            _ => return None,
        };
        world.player(self.slot()?)
    }

    pub(super) fn name(&self) -> Option<Cow<'_, str>> {
        match &self.about {
            RowOf::Player(_, name) => Some(Cow::Borrowed(name)),
            RowOf::Presence(player) => Some((&player.name).into()),
            RowOf::Input(_) | RowOf::Shot(_) | RowOf::Sound(_) => Some(self.told_of()?.clean_name().into()),
            _ => Some((&self.who()?.name).into()),
        }
    }

    /// The name as the bytes in the file, where these are not the same.
    pub(super) fn name_raw(&self) -> Option<Cow<'_, [u8]>> {
        let raw = match &self.about {
            RowOf::Player(player, _) => Cow::Borrowed(&*player.name),
            RowOf::Presence(player) => Cow::Borrowed(&*player.name_raw),
            RowOf::Input(_) | RowOf::Shot(_) | RowOf::Sound(_) => self.told_of()?.name,
            _ => Cow::Borrowed(&*self.who()?.name_raw),
        };
        // Most names have only plain characters.
        let steers = |b: &u8| !matches!(b, 0x20..=0x7E) || matches!(b, b'^');
        (raw.iter().any(steers) && *raw != *self.name()?.as_bytes()).then_some(raw)
    }

    pub(super) fn team(&self) -> Option<Cow<'_, str>> {
        match &self.about {
            RowOf::Player(player, _) => player.team.as_deref().map(|team| player.charset.cleaned(team)),
            RowOf::Input(_) | RowOf::Shot(_) | RowOf::Sound(_) => {
                let player = self.told_of()?;
                player.team.as_deref().map(|team| player.charset.clean(team).into())
            }
            _ => self.who()?.team.as_ref().map(Into::into),
        }
    }

    /// Missing out of the world: the trajectory of a body without ground below goes on for ever, and nobody sees it there.
    pub(super) fn origin(&self) -> Option<[f32; 3]> {
        let origin = match &self.about {
            RowOf::Player(player, _) => player.origin?,
            RowOf::Shot(told) => told.it.origin?,
            RowOf::Sound(told) => told.it.origin?,
            _ => self.entity()?.origin,
        };
        origin.iter().all(|at| WORLD.contains_float(*at)).then_some(origin)
    }

    pub(super) fn velocity(&self) -> Option<[f32; 3]> {
        match &self.about {
            RowOf::Player(player, _) => player.velocity,
            _ => self.entity()?.velocity,
        }
    }

    pub(super) fn angles(&self) -> Option<[f32; 3]> {
        match &self.about {
            RowOf::Player(player, _) => player.angles,
            RowOf::Input(told) => Some(told.it.angles),
            RowOf::Shot(told) => told.it.angles,
            _ => Some(self.entity()?.angles),
        }
    }

    pub(super) fn model_frame(&self) -> Option<i32> {
        match &self.about {
            RowOf::Player(player, _) => player.frame,
            _ => Some(self.entity()?.frame),
        }
    }

    pub(super) fn effects(&self) -> Option<u32> {
        match &self.about {
            RowOf::Player(player, _) => player.effects,
            _ => Some(self.entity()?.effects),
        }
    }
}
