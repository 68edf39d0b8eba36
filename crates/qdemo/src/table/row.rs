//! What the rows of tables are made of.

use std::borrow::Cow;

use super::Cell;
use crate::event::{Chat, Event, Frag, Run, What, Who};
use crate::highlight::Highlight;
use crate::stats::{self, Part};
use crate::world::{Clock, Entity, Player, Scene, World};

/// A moment, and what the table is about.
pub(super) struct Row<'a> {
    pub(super) clock: Clock,
    pub(super) block: u64,
    pub(super) level: u32,
    pub(super) about: About<'a>,
}

pub(super) enum About<'a> {
    Player(Player<'a>),
    Entity(Entity<'a>),
    Frame(&'a World),
    Event(&'a Event),
    Highlight(&'a Highlight),
    Stat(Stat<'a>),
}

/// A player in a part of a recording; where the table is about weapons or items also the name of one.
pub(super) struct Stat<'a> {
    pub(super) part: &'a Part,
    pub(super) player: &'a stats::Player,
    pub(super) thing: &'a str,
}

/// A text.
pub(super) fn text(text: &str) -> Cell<'static> {
    Cell::Text(Cow::Owned(text.to_owned()))
}

/// A way to what only rows of one kind have.
macro_rules! only {
    ($($name:ident: $variant:ident($ty:ty);)*) => {$(
        pub(super) fn $name(&self, cell: impl FnOnce(&$ty) -> Cell<'static>) -> Cell<'static> {
            match &self.about {
                About::$variant(it) => cell(it),
                _ => Cell::None,
            }
        }
    )*};
}

/// The same of events.
macro_rules! only_events {
    ($($name:ident: $ty:ident;)*) => {$(
        pub(super) fn $name(&self, cell: impl FnOnce(&$ty) -> Cell<'static>) -> Cell<'static> {
            match &self.about {
                About::Event(Event { what: What::$ty(it), .. }) => cell(it),
                _ => Cell::None,
            }
        }
    )*};
}

impl Row<'_> {
    only_events! {
        frag: Frag;
        chat: Chat;
        run: Run;
    }
    only! {
        player: Player(Player<'_>);
        entity: Entity(Entity<'_>);
        world: Frame(World);
        event: Event(Event);
        highlight: Highlight(Highlight);
        stat: Stat(Stat<'_>);
    }

    /// The player whom an event is about.
    fn who(&self) -> Option<&Who> {
        match &self.about {
            About::Event(event) => event.what.players()[0],
            About::Highlight(it) => Some(&it.player),
            About::Stat(stat) => Some(&stat.player.who),
            _ => None,
        }
    }

    pub(super) fn slot(&self) -> Option<usize> {
        match &self.about {
            About::Player(player) => Some(player.slot),
            About::Entity(entity) => entity.player,
            _ => self.who()?.slot,
        }
    }

    pub(super) fn name(&self) -> Option<String> {
        match &self.about {
            About::Player(player) => Some(player.clean_name()),
            _ => Some(self.who()?.name.clone()),
        }
    }

    pub(super) fn team(&self) -> Option<String> {
        match &self.about {
            About::Player(player) => player.team.as_deref().map(|team| player.charset.clean(team)),
            _ => self.who()?.team.clone(),
        }
    }

    pub(super) fn origin(&self) -> Option<[f32; 3]> {
        match &self.about {
            About::Player(player) => player.origin,
            About::Entity(entity) => Some(entity.origin),
            _ => None,
        }
    }

    pub(super) fn velocity(&self) -> Option<[f32; 3]> {
        match &self.about {
            About::Player(player) => player.velocity,
            About::Entity(entity) => entity.velocity,
            _ => None,
        }
    }

    pub(super) fn angles(&self) -> Option<[f32; 3]> {
        match &self.about {
            About::Player(player) => player.angles,
            About::Entity(entity) => Some(entity.angles),
            _ => None,
        }
    }

    pub(super) fn view_origin(&self) -> Option<[f32; 3]> {
        match &self.about {
            About::Frame(world) => world.view()?.origin,
            _ => None,
        }
    }

    pub(super) fn view_angles(&self) -> Option<[f32; 3]> {
        match &self.about {
            About::Frame(world) => Some(world.view()?.angles),
            _ => None,
        }
    }

    pub(super) fn attacker_origin(&self) -> Option<[f32; 3]> {
        match &self.about {
            About::Event(Event { what: What::Frag(frag), .. }) => frag.attacker_origin,
            _ => None,
        }
    }

    pub(super) fn victim_origin(&self) -> Option<[f32; 3]> {
        match &self.about {
            About::Event(Event { what: What::Frag(frag), .. }) => frag.victim_origin,
            _ => None,
        }
    }
}
