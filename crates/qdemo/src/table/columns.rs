//! How columns are declared, and those that tables have in common.

use std::borrow::Cow;

use super::Column;
use super::range::{ANGLE, BITS, COUNT, MODEL_FRAMES, SLOTS, WORLD};
use crate::event::Reason;

/// What becomes a value of a column, or may.
pub(super) trait IntoValue<T> {
    fn into_value(self) -> Option<T>;
}

impl<T, V: IntoValue<T>> IntoValue<T> for Option<V> {
    fn into_value(self) -> Option<T> {
        self?.into_value()
    }
}

macro_rules! values {
    ($($from:ty => $to:ty: $it:ident => $value:expr;)*) => {$(
        impl<'r> IntoValue<$to> for $from {
            fn into_value(self) -> Option<$to> {
                let $it = self;
                $value
            }
        }
    )*};
}

values! {
    bool => bool: v => Some(v);
    // JSON cannot say the others, and nobody can draw them.
    f32 => f32: v => Some(v).filter(|v| v.is_finite());
    u8 => i64: v => Some(v.into());
    i32 => i64: v => Some(v.into());
    u32 => i64: v => Some(v.into());
    u16 => i64: v => Some(v.into());
    i64 => i64: v => Some(v);
    u64 => i64: v => i64::try_from(v).ok();
    usize => i64: v => i64::try_from(v).ok();
    String => Cow<'r, str>: v => Some(v.into());
    &'r str => Cow<'r, str>: v => Some(v.into());
    Reason => Cow<'r, str>: v => Some(v.name().into());
    Cow<'r, str> => Cow<'r, str>: v => Some(v);
    &'r [u8] => Cow<'r, [u8]>: v => Some(v.into());
    Cow<'r, [u8]> => Cow<'r, [u8]>: v => Some(v);
}

/// A name as the bytes in the file, where these are not its plain characters.
pub(super) fn unless_plain<'r>(raw: &'r [u8], name: &str) -> Option<&'r [u8]> {
    (raw != name.as_bytes()).then_some(raw)
}

/// The range of a column, where one is declared.
macro_rules! range {
    () => {
        None
    };
    ($range:expr) => {
        Some($range)
    };
}
pub(super) use range;

/// A column: name, type, range of a number, unit, meaning; and the value, or what may be one, as rows of its kind tell it.
macro_rules! column {
    (
        $name:expr, $ty:ident $(within $range:expr)?, $unit:expr, $doc:expr, $it:ident of $kind:ident = $value:expr
    ) => {
        $crate::table::Column {
            name: $name,
            unit: $unit,
            range: $crate::table::columns::range!($($range)?),
            doc: $doc,
            values: $crate::table::Values::$ty(|row| {
                let $it = row.$kind()?;
                $crate::table::columns::IntoValue::into_value($value)
            }),
        }
    };
}
pub(super) use column;

/// A table: its name, what a row is, what there is a row for, and its columns, those that others have too in brackets.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $table:ident = $table_name:literal, $table_doc:literal, $of:expr;
        [$($first:ident)*]
        $($it:ident of $kind:ident {
            $($name:ident: $ty:ident $(in $unit:literal)? $(within $range:expr)?, $doc:literal = $value:expr;)*
        } $([$($then:ident)*])?)*
    ) => {
        $(#[$meta])*
        pub static $table: $crate::table::Table = $crate::table::Table {
            name: $table_name,
            doc: $table_doc,
            of: $of,
            columns: &[
                $($crate::table::columns::$first,)*
                $(
                    $($crate::table::columns::column!(
                        stringify!($name), $ty $(within $range)?, concat!($($unit)?), $doc, $it of $kind = $value
                    ),)*
                    $($($crate::table::columns::$then,)*)?
                )*
            ],
        };
    };
}
pub(super) use table;

macro_rules! shared {
    ($($it:ident of $kind:ident {
        $($column:ident = $name:ident: $ty:ident $(in $unit:literal)? $(within $range:expr)?, $doc:literal = $value:expr;)*
    })*) => {
        $($(pub(super) const $column: Column = column!(
            stringify!($name), $ty $(within $range)?, concat!($($unit)?), $doc, $it of $kind = $value
        );)*)*
    };
}

shared! {
    row of any {
        CLOCK = clock: Word, "Whose clock the next two are: `server`, `recorder` (the client that recorded), or `recording` \
            (since it began)." = row.clock.kind.name();
        TIME_MS = time_ms: Integer in "ms" within COUNT,
            "What that clock shows. Exact where the game counts milliseconds, else rounded." = row.clock.ms();
        TIME = time: Seconds in "s" within COUNT, "The same as recorded, where the game has seconds: Quake and `.qwd`." =
            row.clock.seconds();
        DEMO_MS = demo_ms: Integer in "ms" within COUNT, "Time since the recording began." = row.clock.demo.ms();
        LEVEL = level: Integer within COUNT, "Number of the level within the recording, from 0." = row.level;
        BLOCK = block: Integer within COUNT, "Number of the block that tells it, from 0; in `.mvd` of the record." = row.block;
        SLOT = slot: Integer within SLOTS, "Slot of the player, from 0." = row.slot();
        NAME = name: Word, "Name of the player in plain characters." = row.name();
        NAME_RAW = name_raw: Raw, "The same as the bytes in the file, one character for each; missing where these are the \
            plain characters." = row.name_raw();
        TEAM = team: Word, "Team, as the game names it." = row.team();
        X = x: Number in "units" within WORLD, "Place, x." = row.origin()?[0];
        Y = y: Number in "units" within WORLD, "Place, y." = row.origin()?[1];
        Z = z: Number in "units" within WORLD, "Place, z." = row.origin()?[2];
        PITCH = pitch: Number in "degrees" within ANGLE, "Pitch." = row.angles()?[0];
        YAW = yaw: Number in "degrees" within ANGLE, "Yaw." = row.angles()?[1];
        ROLL = roll: Number in "degrees" within ANGLE, "Roll." = row.angles()?[2];
        MODEL_FRAME = model_frame: Integer within MODEL_FRAMES, "Frame of the model." = row.model_frame();
        EFFECTS = effects: Integer within BITS, "Effects, as bits of the game." = row.effects();
    }
    period of period {
        PERIOD = part: Word, "The part of the recording: `match`, `level` (without a match), `warmup`, `after`." =
            period.kind.name();
        MAP = map: Word, "Name of the map." = &*period.map;
        FROM_MS = from_ms: Integer in "ms" within COUNT, "When the part begins, by that clock." = period.begin.ms();
        TO_MS = to_ms: Integer in "ms" within COUNT, "When it ends." = period.end.ms();
        FROM_DEMO_MS = from_demo_ms: Integer in "ms" within COUNT, "The beginning in milliseconds since the recording \
            began." = period.begin.demo.ms();
        TO_DEMO_MS = to_demo_ms: Integer in "ms" within COUNT, "The end likewise." = period.end.demo.ms();
        BEGUN = begun: Boolean, "True when the recording has its beginning." = period.begun;
        ENDED = ended: Boolean, "True when the recording has its end." = period.ended;
    }
    event of event {
        INFERRED = inferred: Word, "How it is known, where the recording does not say so itself but it follows from what it \
            says." = event.certainty.reason();
    }
}
