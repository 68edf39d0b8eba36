//! The messages, those that are no more than their fields.

use super::lists::{Args, ChangedStrings, Hits};
use crate::describe::{
    Field, Fields, Mistake, Name, Sink, field_parse, field_read, field_schema, field_show, field_write, message,
    name_of,
};
use crate::format::dm2::Bytes as Wire;
use crate::format::dm2::values::Direction;
use crate::wire::{Coord, Fault, Str};

message! {
    /// What follows is for one of the players at the recorder's screen.
    pub struct SplitClient = "splitclient" as "", inline {
        /// Which of them, from 1.
        client: u8;
    }
}
message! {
    /// The level began anew: configstrings that are others now.
    pub struct LevelRestart<'a> = "level_restart" as "", block {
        /// Numbers and values.
        strings as "": ChangedStrings<'a>;
    }
}
message! {
    /// The player is hurt: how much, and from where.
    pub struct Damage = "damage" as "", block {
        /// Hits since the last such message.
        hits as "": Hits;
    }
}
message! {
    /// Text in the language of the reader: a key that begins with `$`, or a text with `{}` where arguments go.
    pub struct LocPrint<'a> = "locprint" as "", block {
        /// Level in bits 0 to 2: 0 pickups, 1 deaths, 2 important, 3 chat, 4 letter by letter, 5 centred, 6 read out;
        /// 8 to everyone, 16 not at the top of the screen.
        flags as "": u8;
        /// Key or text.
        base as "": Str<'a>;
        /// What it speaks of: names of players ...
        args as "": Args<'a>;
    }
}
message! {
    /// How many players the game waits for.
    pub struct WaitingForPlayers = "waitingforplayers" as "", inline {
        /// How many; 0: all are there.
        count: u8;
    }
}
message! {
    /// A bot says something.
    pub struct BotChat<'a> = "bot_chat" as "", block {
        /// Name of the bot.
        name as "": Str<'a>;
        /// Slot of the player whom it speaks to; 256 for nobody in particular.
        client: i16;
        /// Key or text, as in locprint.
        text: Str<'a>;
    }
}
message! {
    /// A point of interest is marked, or is not any more.
    pub struct Poi = "poi" as "", block {
        /// There is one of each key but 0.
        key: u16;
        /// How long it lasts, in ms; 0 for ever, 65535 it is gone.
        time: u16;
        /// Where it is.
        origin: [Coord; 3];
        /// Number of its picture.
        image as "": u16;
        /// Colour in the palette.
        color as "": u8;
        /// 1: it hides when one aims at it.
        flags as "": u8;
    }
}
message! {
    /// A part of the way that the compass shows.
    pub struct HelpPath = "help_path" as "", block {
        /// 1: the first part.
        start: u8;
        /// Where it is.
        origin: [Coord; 3];
        /// Where it leads.
        movedir: Direction;
    }
}
message! {
    /// A monster fires. As muzzleflash2, with room for more numbers.
    pub struct MuzzleFlash3 = "muzzleflash3" as "", block {
        /// Entity of the monster.
        entity: i16;
        /// What: MZ2_ numbers.
        value: u16;
    }
}
message! {
    /// The player achieved something.
    pub struct Achievement<'a> = "achievement" as "", inline {
        /// What.
        id: Str<'a>;
    }
}

impl LocPrint<'_> {
    /// The level, without the flags.
    pub fn level(&self) -> u8 {
        self.flags & 7
    }

    /// The text: arguments in their places; behind a key, each in quotation marks.
    pub fn text(&self) -> Vec<u8> {
        let base = self.base.bytes();
        let mut text = Vec::with_capacity(base.len() + 32);
        if base.first() == Some(&b'$') {
            text.extend_from_slice(base);
            for arg in self.args.iter() {
                text.extend_from_slice(b" \"");
                text.extend_from_slice(arg);
                text.push(b'"');
            }
            text.push(b'\n');
            return text;
        }
        let (mut rest, mut next) = (base, 0);
        while let Some(at) = rest.iter().position(|&b| b == b'{') {
            let inner = rest.get(at + 1..).unwrap_or_default();
            let place = inner.iter().position(|&b| b == b'}').and_then(|end| inner.get(..end));
            let number = place.and_then(|digits| match digits {
                [] => Some(next),
                [n @ b'0'..=b'9'] => Some(usize::from(n - b'0')),
                _ => None,
            });
            text.extend_from_slice(rest.get(..at).unwrap_or_default());
            match (number.and_then(|n| self.args.iter().nth(n)), place) {
                (Some(arg), Some(place)) => {
                    text.extend_from_slice(arg);
                    next += 1;
                    rest = inner.get(place.len() + 1..).unwrap_or_default();
                }
                _ => {
                    text.push(b'{');
                    rest = inner;
                }
            }
        }
        text.extend_from_slice(rest);
        text
    }
}
