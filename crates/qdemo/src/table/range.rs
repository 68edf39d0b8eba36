//! What numbers of a column can be: bounds that follow from the formats and the engines, not from recordings at hand.

use std::fmt;

/// The least and the greatest number of a column, both included, in a recording that is not damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub least: i64,
    /// The greatest; `None` where nothing but time bounds it.
    pub greatest: Option<i64>,
}

impl Range {
    const fn of(least: i64, greatest: i64) -> Self {
        Range { least, greatest: Some(greatest) }
    }

    /// True for a whole number that lies in it.
    pub fn contains(self, number: i64) -> bool {
        number >= self.least && self.greatest.is_none_or(|greatest| number <= greatest)
    }

    /// True for a number that lies in it.
    pub fn contains_float(self, number: f32) -> bool {
        number >= self.least as f32 && self.greatest.is_none_or(|greatest| number <= greatest as f32)
    }
}

/// As `0 to 100`, or `0 or more`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.greatest {
            Some(greatest) => write!(f, "{} to {greatest}", self.least),
            None => write!(f, "{} or more", self.least),
        }
    }
}

/// Counts, lengths of time, and times: no game's clock starts below 0.
pub(super) const COUNT: Range = Range { least: 0, greatest: None };
/// A byte.
pub(super) const BYTE: Range = Range::of(0, u8::MAX as i64);
/// Moves are told in 16 bits with sign.
pub(super) const MOVES: Range = Range::of(i16::MIN as i64, i16::MAX as i64);
/// Eighths of a turn.
pub(super) const EIGHTHS: Range = Range::of(0, 7);
/// Bits of a byte.
pub(super) const BIT: Range = Range::of(0, 7);
/// Sounds have 16 bits at most.
pub(super) const SOUNDS: Range = Range::of(0, u16::MAX as i64);
/// Shares of 1.
pub(super) const SHARE: Range = Range::of(0, 1);
/// A byte of 64ths.
pub(super) const FADING: Range = Range::of(0, 4);
/// Configstrings have 16 bits at most.
pub(super) const STRINGS: Range = Range::of(0, u16::MAX as i64);
/// Of 100.
pub(super) const PERCENT: Range = Range::of(0, 100);
/// Quake tells a slot in a byte; no other game has more.
pub(super) const SLOTS: Range = Range::of(0, u8::MAX as i64);
/// Numbers of entities have 15 bits at most: DarkPlaces, FTE.
pub(super) const NUMBERS: Range = Range::of(0, i16::MAX as i64);
/// 16 bits in Quake's later protocols, Quake II and Quake III.
pub(super) const MODEL_FRAMES: Range = Range::of(0, u16::MAX as i64);
/// Flags, and what packs several numbers into 32 bits: of Quake II's beams the colours.
pub(super) const BITS: Range = Range::of(0, u32::MAX as i64);
/// The world of Quake III (`MAX_WORLD_COORD`, 128 * 1024); others have 4096 with 16 bits, and 32768 with 24.
pub(super) const WORLD: Range = Range::of(-WIDTH / 2, WIDTH / 2);
/// From one end of the world to the other.
const WIDTH: i64 = 2 * 128 * 1024;
/// Between two places.
pub(super) const HEIGHT: Range = Range::of(-WIDTH, WIDTH);
/// Quake III's floats and those of later engines have no bounds of their own: nothing crosses half of the world within a
/// second. QuakeWorld has 16 bits, Quake and Quake II less.
pub(super) const SPEED: Range = WORLD;
/// Within a turn, one way or the other, and another one: clients of Quake and QuakeWorld record what the mouse turned
/// since they last took whole turns off.
pub(super) const ANGLE: Range = Range::of(-720, 720);
/// Between two directions.
pub(super) const TURN: Range = Range::of(0, 180);
/// 16 bits with sign in Quake, Quake II and Quake III. Of the dead it is what was too much: a fall out of the world costs
/// 9999 and more. Servers of QuakeWorld have 32 bits for it, and none uses them.
pub(super) const HEALTH: Range = Range::of(i16::MIN as i64, i16::MAX as i64);
/// 16 bits, in FitzQuake's protocol without sign.
pub(super) const ARMOR: Range = Range::of(0, u16::MAX as i64);
/// Likewise. Quake III has -1 for what does not run out.
pub(super) const AMMO: Range = Range::of(-1, u16::MAX as i64);
/// 16 bits with sign; as text, in Quake III's lists of scores, 32.
pub(super) const SCORE: Range = Range::of(i32::MIN as i64, i32::MAX as i64);
/// 16 bits without sign in QuakeWorld, where 9999 is what nobody has measured yet; elsewhere up to 999.
pub(super) const PING: Range = Range::of(0, u16::MAX as i64);

/// What measures in a unit have, where nothing else is declared.
pub(super) const fn usual(unit: &str) -> Range {
    match unit.as_bytes() {
        b"%" => PERCENT,
        _ => COUNT,
    }
}
