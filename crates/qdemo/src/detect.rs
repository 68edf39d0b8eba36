//! Telling what a file is: by its content first, by its name only when nothing else tells.

use crate::dialect::quake3;
use crate::format::{Step, dem, dm2, dm3, mvd, mvd2, qwd};
use crate::limits::Limits;
use crate::wire::{Fault, FaultKind};

/// A demo format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Quake `.dem`.
    Dem,
    /// QuakeWorld `.qwd`.
    Qwd,
    /// QuakeWorld `.mvd`.
    Mvd,
    /// Quake II `.dm2`.
    Dm2,
    /// Quake II `.mvd2`, multi-view.
    Mvd2,
    /// Quake III Arena and its family, in this dialect.
    Dm3(quake3::Dialect),
    /// None that qdemo knows.
    Unknown,
}

impl Format {
    /// The name, as in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Dem => "dem",
            Format::Qwd => "qwd",
            Format::Mvd => "mvd",
            Format::Dm2 => "dm2",
            Format::Mvd2 => "mvd2",
            Format::Dm3(_) => "dm3",
            Format::Unknown => "unknown",
        }
    }
}

/// FaultKind a file was taken for.
#[derive(Debug, Clone, PartialEq)]
pub struct Detected {
    /// The format.
    pub format: Format,
    /// How sure, 0 to 100.
    pub score: u8,
    /// Why, for people.
    pub reason: String,
    /// True when the name of the file promises another format.
    pub name_disagrees: bool,
}

impl Detected {
    pub(crate) fn unknown_because(&self) -> Fault {
        Fault::new(FaultKind::Malformed("no demo format that qdemo knows"), 0)
    }
}

/// Looks at the beginning of a file. `at_end` tells that `beginning` is all of it.
///
/// ```
/// use qdemo::{Limits, detect::{detect, Format}};
/// let found = detect(b"HLDEMO\0\0 and so on", true, "crossfire.dem", Limits::default());
/// assert_eq!(found.format, Format::Unknown);
/// assert!(found.reason.contains("Half-Life"));
/// ```
pub fn detect(beginning: &[u8], at_end: bool, name: &str, limits: Limits) -> Detected {
    let called = Called::by(name);
    let unknown = |score, reason: String| {
        let name_disagrees = called != Called::Other;
        Detected { format: Format::Unknown, score, reason, name_disagrees }
    };
    for (magic, what) in FOREIGN {
        if beginning.starts_with(magic) {
            return unknown(100, format!("begins like {what}"));
        }
    }
    if beginning.is_empty() && at_end {
        return unknown(100, "the file is empty".to_owned());
    }
    let best = best_guess(beginning, at_end, called, limits);
    // A damaged or odd file may still be a demo if its name says so and something in it looks like one.
    if best.score < CERTAIN && !(best.score >= DOUBTFUL && best.family) {
        return unknown(100 - best.score, best.reason);
    }
    let name_disagrees = !best.called && extension(name).is_some();
    Detected { format: best.format, score: best.score, reason: best.reason, name_disagrees }
}

/// The best guess; where several are as good, the one that the name tells, then the first.
fn best_guess(beginning: &[u8], at_end: bool, called: Called, limits: Limits) -> Guess {
    let plain = |format, (score, reason): (u8, String), named| Guess {
        format,
        score,
        reason,
        called: called == named,
        family: called == named,
    };
    let dm3 = || {
        let named = if let Called::Dm3(protocol) = called { protocol } else { None };
        let look = dm3::look(beginning, at_end, named, limits);
        let as_named = matches!(called, Called::Dm3(named) if named.is_none_or(|n| n == look.dialect.protocol));
        Guess {
            format: Format::Dm3(look.dialect),
            score: look.score,
            reason: look.reason,
            called: as_named,
            family: matches!(called, Called::Dm3(_)),
        }
    };
    let guess = |n| match n {
        0 => plain(Format::Dem, looks_like_dem(beginning, at_end, limits), Called::Dem),
        1 => plain(Format::Qwd, qwd::look(beginning, at_end, limits), Called::Qwd),
        2 => plain(Format::Mvd, mvd::look(beginning, at_end, limits), Called::Mvd),
        3 => plain(Format::Dm2, dm2::look(beginning, at_end, limits), Called::Dm2),
        4 => plain(Format::Mvd2, mvd2::look(beginning, at_end, called == Called::Mvd2, limits), Called::Mvd2),
        _ => dm3(),
    };
    // FaultKind the name tells comes first: when it is certain, nothing can beat it.
    let first = match called {
        Called::Dem | Called::Other => 0,
        Called::Qwd => 1,
        Called::Mvd => 2,
        Called::Dm2 => 3,
        Called::Mvd2 => 4,
        Called::Dm3(_) => 5,
    };
    let named = guess(first);
    if named.score == 100 && named.family {
        return named;
    }
    let mut best = None::<Guess>;
    let mut named = Some(named);
    for n in 0..6 {
        let next = named.take_if(|_| n == first).unwrap_or_else(|| guess(n));
        if best.as_ref().is_none_or(|b| (next.score, next.family) > (b.score, b.family)) {
            best = Some(next);
        }
    }
    best.unwrap_or_else(|| guess(0))
}

struct Guess {
    format: Format,
    score: u8,
    reason: String,
    /// True when the name of the file says the same.
    called: bool,
    /// True when it says the same but for the protocol.
    family: bool,
}

/// FaultKind the name of a file promises.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Called {
    Dem,
    Qwd,
    Mvd,
    Dm2,
    Mvd2,
    /// Quake III, with the protocol in `.dm_68`; `.dm3` tells none.
    Dm3(Option<i32>),
    Other,
}

impl Called {
    fn by(name: &str) -> Self {
        match extension(name).unwrap_or_default().as_str() {
            "dem" => Called::Dem,
            // Qizmo packs these alone.
            "qwd" | "qwz" => Called::Qwd,
            "mvd" => Called::Mvd,
            "dm2" | "rla" => Called::Dm2,
            "mvd2" => Called::Mvd2,
            "dm3" => Called::Dm3(None),
            other => match other.strip_prefix("dm_") {
                Some(number) => Called::Dm3(number.parse().ok()),
                None => Called::Other,
            },
        }
    }
}

/// The extension of a file name in small letters; gzip's says nothing of what is inside.
fn extension(name: &str) -> Option<String> {
    let file = name.rsplit(['/', '\\', ':']).next()?.to_ascii_lowercase();
    let plain = file.strip_suffix(".gz").unwrap_or(&file);
    plain.rsplit_once('.').map(|(_, extension)| extension.to_owned())
}

/// From this score on the content decides alone; below [`DOUBTFUL`] not even the name helps.
const CERTAIN: u8 = 50;
const DOUBTFUL: u8 = 30;

/// Files that are called `.dem` too, and others that people hand us by mistake.
const FOREIGN: [(&[u8], &str); 6] = [
    (b"HLDEMO\0", "a Half-Life (GoldSrc) demo"),
    (b"HL2DEMO\0", "a Source engine demo"),
    (b"PBDEMS2\0", "a Source 2 demo"),
    (b"version https://git-lfs", "a Git LFS pointer: the demo itself was not downloaded"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
];

fn looks_like_dem(beginning: &[u8], at_end: bool, limits: Limits) -> (u8, String) {
    let mut framer = dem::Framer::new(limits);
    let mut decoder = dem::Decoder::default();
    let mut messages = Vec::new();
    let (mut at, mut track) = (0, 0);
    let (mut blocks, mut clean, mut unframed) = (0u64, 0u64, 0u64);
    while let Step::Cut(cut) = framer.next(&beginning[at..], at_end) {
        match cut.chunk(&beginning[at..]) {
            dem::Chunk::Track(_) => track = cut.len,
            dem::Chunk::Block(block) => {
                blocks += 1;
                let broken = decoder.read(&block, &mut messages);
                // Zeros decode too, as nothing or as `bad`: they prove nothing.
                let known = messages.iter().filter_map(dem::Message::kind).filter(|k| *k != dem::Kind::Bad).count();
                let announced = broken
                    .as_ref()
                    .is_some_and(|b| matches!(b.fault.what, FaultKind::Unsupported(p) if p.name != "unknown"));
                // A block that decodes to its end is evidence; a beginning of one only behind a track line.
                let whole = broken.is_none() && known > 0;
                let part = track > 0 && (known > 2 || known > 0 && block.is_cut());
                let steady = block.camera.iter().all(|a| a.get().is_finite() && a.get().abs() < 1e6);
                clean += u64::from(steady && (announced || whole || part));
            }
            dem::Chunk::Unframed(_) => unframed += 1,
        }
        at += cut.len;
        // A good beginning is enough; a doubtful one gets a longer look.
        let good = clean == blocks && unframed == 0 && track > 0;
        if blocks + unframed >= if good { 3 } else { 32 } {
            break;
        }
    }
    let head = if track > 0 { "a CD track line" } else { "no CD track line" };
    if clean == 0 {
        // A demo cut within its first message: the track line is all that is left of it.
        let score = if track > 0 && beginning.len() < 64 { DOUBTFUL } else { 0 };
        return (score, format!("{head}, and no block of messages"));
    }
    let mut score = 60 * clean / (blocks + unframed) + 20 * u64::from(track > 0);
    score += 20 * u64::from(unframed == 0);
    // A block or two of a few plain bytes prove nothing.
    if track == 0 && clean < 3 && unframed > 0 {
        score /= 2;
    }
    (score.min(100) as u8, format!("{head}, then {clean} of {blocks} blocks with Quake messages"))
}
