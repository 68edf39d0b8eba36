//! What is left of the messages beside the states, in another protocol.

use super::fields::{Fields, Lose};
use super::later_effect;
use crate::convert::loss::Loss;
use crate::convert::places::nearest;
use crate::format::dm2::{
    BotChat, CenterPrint, Dialect, EffectType, Message, MuzzleFlash2, MuzzleFlash3, Poi, Print, Recording, TempEntity,
};
use crate::wire::{Coord, Str};

/// Types of temporary entities of the re-release, and those that look most like them.
mod effect {
    pub(super) const GRAPPLE: u8 = 24;
    /// Type, and the one before.
    pub(super) const ALIKE: [(u8, u8); 4] = [(57, 23), (59, GRAPPLE), (62, 5), (63, 6)];
    /// The last one that all protocols have.
    pub(super) const LAST: u8 = 55;
    /// Those of the test release that have the same number and layout in later protocols.
    pub(super) const OF_TEST_RELEASE: [u8; 5] = [2, 12, 14, 17, 18];
}

/// The last number of a monster's flash that engines know.
const LAST_FLASH: u16 = 210;
/// Level of what players say.
const CHAT: u8 = 3;
/// Levels from here on are of the re-release: letter by letter, centred, read out.
const NEW_LEVELS: u8 = 4;

impl Fields {
    /// What is left of a message that is not of a frame and has no numbers of models, sounds and entities.
    pub(super) fn message(&self, message: Message<'static>, lose: Lose<'_>) -> Option<Message<'static>> {
        let rerelease = self.to.layout.rerelease;
        Some(match message {
            Message::TempEntity(m) => Message::TempEntity(self.effect(m, lose)?),
            Message::MuzzleFlash3(MuzzleFlash3 { entity, value }) if !rerelease => {
                let value = u8::try_from(value).ok().filter(|value| u16::from(*value) <= LAST_FLASH);
                let Some(value) = value else {
                    lose(Loss::Effect);
                    return None;
                };
                Message::MuzzleFlash2(MuzzleFlash2 { entity, value })
            }
            Message::Print(Print { level, string }) if !rerelease && level >= NEW_LEVELS => {
                Message::CenterPrint(CenterPrint { text: string })
            }
            Message::LocPrint(m) if !rerelease => {
                if m.base.bytes().starts_with(b"$") {
                    lose(Loss::Rerelease);
                }
                let text = Str::from(m.text());
                match m.level() {
                    NEW_LEVELS.. => Message::CenterPrint(CenterPrint { text }),
                    level => Message::Print(Print { level, string: text }),
                }
            }
            Message::BotChat(BotChat { name, text, .. }) if !rerelease => {
                let string = Str::from([name.bytes(), b": ", text.bytes(), b"\n"].concat());
                Message::Print(Print { level: CHAT, string })
            }
            Message::Poi(m) if rerelease => Message::Poi(Poi { origin: self.place(m.origin, lose), ..m }),
            Message::HelpPath(mut m) if rerelease => {
                m.origin = self.place(m.origin, lose);
                Message::HelpPath(m)
            }
            Message::Damage(_)
            | Message::WaitingForPlayers(_)
            | Message::Poi(_)
            | Message::HelpPath(_)
            | Message::Achievement(_)
                if !rerelease =>
            {
                lose(Loss::Rerelease);
                return None;
            }
            Message::FogChange(m) if rerelease => Message::FogChange(m),
            Message::Fog(m) if self.to.protocol == Dialect::KMQUAKE2_PROTOCOL => Message::Fog(m),
            Message::FogChange(_) | Message::Fog(_) => {
                lose(Loss::Fog);
                return None;
            }
            Message::Setting(_) => {
                lose(Loss::Extension);
                return None;
            }
            Message::Bad(_) => {
                lose(Loss::Message);
                return None;
            }
            message => message,
        })
    }

    /// What is left of a short-lived effect.
    fn effect(&self, mut m: TempEntity, lose: Lose<'_>) -> Option<TempEntity> {
        let kind = m.effect.entitytype;
        let known = match self.from.recording {
            Recording::TestRelease => effect::OF_TEST_RELEASE.contains(&kind),
            _ => kind <= effect::LAST || self.from.layout.rerelease && self.to.layout.rerelease,
        };
        if !known {
            lose(Loss::Effect);
            let (_, like) = effect::ALIKE.iter().find(|(new, _)| *new == kind && self.from.layout.rerelease)?;
            m.effect = EffectType { entitytype: *like, nextid: None };
            if *like == effect::GRAPPLE {
                m.pos1 = Some([Coord::zero(self.to.layout.coord); 3]);
            }
        }
        if !self.from.later_effects && self.from.recording != Recording::TestRelease {
            let Some(later) = later_effect(kind) else {
                lose(Loss::Effect);
                return None;
            };
            m.effect.entitytype = later;
        }
        let places = [&mut m.start, &mut m.dest_origin, &mut m.origin, &mut m.trace_endpos];
        let others = [&mut m.pos1, &mut m.pos2, &mut m.pos3, &mut m.pos4];
        for place in places.into_iter().chain(others).flatten() {
            *place = self.place(*place, lose);
        }
        Some(m)
    }

    /// The nearest place that the target has.
    pub(super) fn place(&self, place: [Coord; 3], lose: Lose<'_>) -> [Coord; 3] {
        place.map(|coord| {
            let (near, lost) = nearest(coord.get(), self.to.layout.coord);
            lost.into_iter().for_each(&mut *lose);
            near
        })
    }
}
