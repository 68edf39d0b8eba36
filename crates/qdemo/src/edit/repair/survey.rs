//! A first reading: how much of a recording can be read, and what it tells of a level whose beginning it lacks.

use std::io::Read;

use super::mend::Mend;
use super::mender::content;
use super::numbers::Numbers;
use crate::demo::Reader;
use crate::edit::readable::is_unsupported;
use crate::error::Result;
use crate::format::{BlockOf, DialectOf, Packet, Trial};
use crate::frame::{self, Diagnostic};
use crate::limits::Limits;

/// What a recording tells of a level whose beginning it lacks.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// The highest number of a model, of a sound, of a player's slot, of an entity.
    pub(super) model: u16,
    pub(super) sound: u16,
    pub(super) player: u8,
    pub(super) entity: u16,
    /// The entity that is seen from.
    pub(super) view: Option<u16>,
    /// What comes behind the beginning is a frame; else more of the level follows.
    pub(super) at_frame: bool,
    /// The names of all models are told: QuakeWorld.
    pub(super) models: bool,
    /// The number of the first frame, or of the first packet; its time.
    pub(super) first: i64,
    pub(super) time: crate::wire::F32,
    /// The number of the first command.
    pub(super) command: Option<i32>,
    /// The map, where a text tells it.
    pub(super) map: Option<Vec<u8>>,
}

impl Seen {
    /// The name of the map, or of one that everybody has.
    pub(super) fn map_or(&self, usual: &str) -> String {
        self.map.as_ref().map_or_else(|| usual.to_owned(), |map| String::from_utf8_lossy(map).into_owned())
    }

    /// Looks for the name of a map in a text: `maps/NAME.bsp`, or `\mapname\NAME`.
    pub(super) fn text(&mut self, text: &[u8]) {
        if self.map.is_some() {
            return;
        }
        let behind = |mark: &[u8]| {
            let at = text.windows(mark.len()).position(|w| w.eq_ignore_ascii_case(mark))?;
            text.get(at + mark.len()..)
        };
        let rest = behind(b"maps/").or_else(|| behind(b"\\mapname\\")).or_else(|| behind(b"\\map\\"));
        let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'-');
        let name: Vec<u8> = rest.unwrap_or_default().iter().take_while(is_name).copied().collect();
        if !name.is_empty() && name.len() < 64 {
            self.map = Some(name);
        }
    }
}

/// What the first reading gave.
#[derive(Debug)]
pub(super) struct Survey<F: Mend> {
    /// Blocks, but for those of nothing: zeros that were put over others are as many of these as fit there.
    blocks: u64,
    /// Those in which something cannot be read, behind the first beginning of a level.
    faulty: u64,
    /// Numbers of blocks that cannot be right.
    pub(super) numbers: Numbers,
    /// Bytes of the largest block that tells of a moment of the game, as far as messages go.
    pub(super) largest: usize,
    /// The beginning that the first level lacks, as it may have been.
    pub(super) beginning: Option<(Packet<'static, F>, DialectOf<F>)>,
    /// True where most blocks can be read behind that beginning: one that tells an unknown protocol is damaged then.
    pub(super) is_readable: bool,
    pub(super) seen: Seen,
}

/// One way to read a recording without a beginning, and what it tells then.
struct Guess<F: Mend> {
    trial: Trial<F>,
    seen: Seen,
}

impl<F: Mend> Survey<F> {
    /// Blocks without a beginning that are read in every way; those behind them in the best one.
    const TRIED: u64 = 2_000;

    pub(super) fn new<R: Read>(input: R, name: &str, limits: Limits) -> Result<Self> {
        let mut reader = Reader::new(input, name, limits)?.reading_on();
        let mut decoder = F::decoder(reader.detected());
        let of = |trial: Trial<F>| Guess { trial, seen: Seen::default() };
        let mut guesses: Vec<Guess<F>> = Trial::all(reader.detected().protocol).into_iter().map(of).collect();
        let (mut blocks, mut faulty, mut begun, mut frames, mut tried) = (0, 0, false, 0, 0);
        let (mut largest, mut numbers) = (0, Numbers::default());
        let size = |block: &BlockOf<'_, F>, packet: &Packet<'_, F>, fault: &Option<Diagnostic>| {
            let is_frame = fault.is_none() && F::tells_moment(&packet.messages) && !F::begins(packet);
            if is_frame { block.payload.len().saturating_sub(F::rest(packet)) } else { 0 }
        };
        // A beginning in which nothing is damaged: of any other one nothing may be left.
        let mut whole = false;
        while let Some(chunk) = reader.next_chunk()? {
            let Some(frame::Chunk::Block(block)) = F::chunk(&chunk) else { continue };
            let is_something = !block.payload.is_empty();
            blocks += u64::from(is_something);
            let number = if F::COUNTED { F::number(block, &decoder.dialect()) } else { None };
            let (packet, fault) = decoder.read(block);
            let is_unsupported = fault.as_ref().is_some_and(is_unsupported);
            let begins = F::begins(&packet);
            // One that tells a protocol which is not known may be damaged: no beginning yet.
            begun |= begins && !is_unsupported;
            let told = F::counts_from(&packet);
            let is_anew = begins || told.is_some();
            match number.or(told) {
                Some(number) if is_anew => numbers.begin(number, block.offset, content(block.payload)),
                Some(number) => numbers.take(number, block.offset, content(block.payload)),
                None if is_anew => numbers.forget(),
                None => {}
            }
            largest = largest.max(size(block, &packet, &fault));
            faulty += u64::from(begun && is_something && fault.is_some() && !is_unsupported);
            whole |= begins && fault.is_none();
            frames += u64::from(!whole && (fault.is_some() || F::tells_moment(&packet.messages)));
            decoder.recycle(packet);
            if whole || begins {
                continue;
            }
            if tried == Self::TRIED {
                guesses.sort_by_key(|guess| guess.trial.faults);
                guesses.truncate(1);
            }
            tried += 1;
            for Guess { trial, seen } in &mut guesses {
                let (packet, fault) = trial.read(block);
                largest = largest.max(size(block, &packet, &fault));
                // What is damaged tells nothing.
                if fault.is_none() {
                    F::note(&packet, seen);
                }
                trial.decoder.recycle(packet);
            }
        }
        let guess = guesses.into_iter().min_by_key(|guess| guess.trial.faults);
        let is_readable = guess.as_ref().is_some_and(|guess| frames > 0 && guess.trial.faults < tried / 2);
        let (beginning, seen) = match guess.filter(|_| frames > 0) {
            Some(guess) => (Some((guess.trial.introduction, guess.trial.dialect)), guess.seen),
            None => (None, Seen::default()),
        };
        Ok(Survey { blocks, faulty, numbers, largest, beginning, is_readable, seen })
    }

    /// True for a recording of which so much cannot be read that this is no damage.
    pub(super) fn is_foreign(&self) -> bool {
        self.blocks > 20 && self.faulty > self.blocks / 2
    }
}
