//! Which conversions there are, and what becomes of each message and field.

mod quake;
mod quake2;
mod quake3;
mod quakeworld;

use super::loss::Loss;
use crate::demo::FileKind;

/// What becomes of a part of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Mapping {
    /// Messages or their fields (`message.field`) of the input, by the names that `qdemo schema` gives them.
    pub source: &'static str,
    /// What tells it in the output, likewise; empty: nothing does.
    pub target: &'static str,
    /// How, where that is not plain.
    pub how: &'static str,
    /// What may be lost of it.
    pub losses: &'static [Loss],
}

/// Lists of [`Mapping`]s: `"source" => "target", "how", loses Loss, Loss;`, of which all behind the target may be left out.
macro_rules! mappings {
    ($($(#[$doc:meta])* $vis:vis const $name:ident: [
        $($source:literal => $target:literal $(, $how:literal)? $(, loses $($loss:ident),+)?;)*
    ];)*) => {$(
        $(#[$doc])*
        $vis const $name: &[Mapping] = &[$(
            Mapping {
                source: $source,
                target: $target,
                how: concat!($($how)?),
                losses: &[$($(Loss::$loss),+)?],
            },
        )*];
    )*};
}
use mappings;

mappings! {
    /// What any conversion may lose.
    const DAMAGE: [
        "what cannot be read" => "", loses Unread;
    ];

    /// What any conversion may lose that writes messages anew.
    const MESSAGES: [
        "what cannot be read" => "", loses Unread;
        "what the target cannot write" => "", loses Message;
    ];
}

/// From which format to which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// The format of the input.
    pub from: FileKind,
    /// The format of the output.
    pub into: FileKind,
}

impl Way {
    const fn new(from: FileKind, into: FileKind) -> Self {
        Way { from, into }
    }

    const fn within(kind: FileKind) -> Self {
        Way { from: kind, into: kind }
    }

    /// The conversions of this way.
    pub(super) fn known(self) -> impl Iterator<Item = &'static Known> {
        CONVERSIONS.iter().filter(move |known| known.way == self)
    }

    /// True for a conversion that there is, from any protocol where none is named.
    pub(super) fn is_known(self, from: Option<i32>, to: i32) -> bool {
        let takes = |known: &Known| from.is_none_or(|from| known.from.contains(&from));
        self.known().any(|known| known.to.contains(&to) && takes(known))
    }

    /// The protocols that can be made, of one or of any.
    pub(super) fn targets(self, from: Option<i32>) -> Vec<i32> {
        let takes = |known: &&Known| from.is_none_or(|from| known.from.contains(&from));
        let mut all: Vec<_> = self.known().filter(takes).flat_map(|known| known.to).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// A conversion that there is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Known {
    /// From which format to which.
    pub way: Way,
    /// Protocols that it takes.
    pub from: &'static [i32],
    /// Protocols that it makes; none: that of the input.
    pub to: &'static [i32],
    mappings: &'static [&'static [Mapping]],
}

impl Known {
    /// What becomes of each message and field. Within a format, whatever is not listed stays as it is; from one into another
    /// all messages are listed.
    pub fn mappings(&self) -> impl Iterator<Item = &'static Mapping> {
        self.mappings.iter().copied().flatten()
    }

    /// What it may lose, each once; the account of a conversion says what it did.
    pub fn losses(&self) -> impl Iterator<Item = Loss> {
        let mut all: Vec<Loss> = Vec::new();
        for loss in self.mappings().flat_map(|mapping| mapping.losses) {
            if !all.contains(loss) {
                all.push(*loss);
            }
        }
        all.into_iter()
    }
}

/// The protocols of Quake, of QuakeWorld and of Quake II.
const QUAKE: &[i32] = &[15, 250, 666, 999, 10000, 10001, 10002];
const QUAKEWORLD: &[i32] = &[24, 25, 26, 27, 28];
const QUAKE2: &[i32] = &[25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 56, 2022, 2023, 3434, 3435, 3436];
/// Those of Quake III that share an encoding.
const QUAKE3: &[i32] = &[66, 67, 68, 70, 71];

/// Every conversion that there is.
pub const CONVERSIONS: &[Known] = &[
    Known {
        way: Way::within(FileKind::Dem),
        from: QUAKE,
        to: &[15],
        mappings: &[quake::PROTOCOL, quake::NARROW, MESSAGES],
    },
    Known {
        way: Way::within(FileKind::Dem),
        from: QUAKE,
        to: &[666, 999],
        mappings: &[quake::PROTOCOL, quake::WIDE, MESSAGES],
    },
    Known {
        way: Way::within(FileKind::Dm2),
        from: &[26, 27, 28, 29, 30, 31, 32, 33, 34],
        to: &[34],
        mappings: &[quake2::PROTOCOL, quake2::FROM_SERVER, MESSAGES],
    },
    Known {
        way: Way::within(FileKind::Dm2),
        from: &[25, 56, 2022, 2023, 3434, 3435, 3436],
        to: &[34],
        mappings: &[quake2::STATES, MESSAGES],
    },
    Known {
        way: Way::within(FileKind::Dm2),
        from: QUAKE2,
        to: &[56, 2023, 3434, 3435, 3436],
        mappings: &[quake2::STATES, MESSAGES],
    },
    Known {
        way: Way::new(FileKind::Mvd2, FileKind::Dm2),
        from: &[37],
        to: &[34],
        mappings: &[quake2::FROM_MULTIVIEW, MESSAGES],
    },
    Known { way: Way::within(FileKind::Qwd), from: QUAKEWORLD, to: &[28], mappings: &[quakeworld::PROTOCOL, MESSAGES] },
    Known {
        way: Way::new(FileKind::Qwd, FileKind::Mvd),
        from: QUAKEWORLD,
        to: &[28],
        mappings: &[quakeworld::TO_MULTIVIEW, MESSAGES],
    },
    Known {
        way: Way::new(FileKind::Mvd, FileKind::Qwd),
        from: &[28],
        to: &[28],
        mappings: &[quakeworld::FROM_MULTIVIEW, MESSAGES],
    },
    Known {
        way: Way::new(FileKind::Dem, FileKind::Qwd),
        from: QUAKE,
        to: &[28],
        mappings: &[quakeworld::FROM_QUAKE, MESSAGES],
    },
    Known {
        way: Way::new(FileKind::Qwd, FileKind::Dem),
        from: QUAKEWORLD,
        to: &[15],
        mappings: &[quakeworld::TO_QUAKE, MESSAGES],
    },
    Known { way: Way::within(FileKind::Dm3), from: QUAKE3, to: QUAKE3, mappings: &[quake3::ENCODING, DAMAGE] },
    Known {
        way: Way::within(FileKind::Dm3),
        from: &[43, 45, 46, 47, 48],
        to: QUAKE3,
        mappings: &[quake3::ERA, quake3::FIRST, MESSAGES],
    },
    Known {
        way: Way::within(FileKind::Dm3),
        from: &[73, 90],
        to: &[91],
        mappings: &[quake3::ERA, quake3::QUAKE_LIVE, MESSAGES],
    },
    // Another player's view.
    Known {
        way: Way::within(FileKind::Dm3),
        from: &[43, 45, 46, 47, 48, 66, 67, 68, 70, 71, 73, 90, 91],
        to: &[],
        mappings: &[quake3::EYES, DAMAGE],
    },
];
