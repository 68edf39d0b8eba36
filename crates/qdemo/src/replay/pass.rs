//! One reading of a recording, for everybody who looks at it.

use std::io::Read;

use crate::demo::detect::Detected;
use crate::demo::{AnyVisitor, Chunk, Ending, Faults, Reader};
use crate::error::Result;
use crate::event::{Event, EventTag, Patterns};
use crate::frame::Diagnostic;
use crate::limits::Limits;
use crate::replay::{Detector, World};
use crate::world::{Changes, Clock, DemoTime, Scene};

/// A chunk of a recording, and what it changed; or its end.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Step<'s> {
    /// What the file was taken for.
    pub detected: &'s Detected,
    /// The chunk; `None` at the end of the recording.
    pub chunk: Option<&'s Chunk<'s>>,
    /// Where the chunk begins in the file; at the end the length of the file.
    pub offset: u64,
    /// Number of the block, or of the last one before, from 0; in `.mvd` of the record.
    pub block: u64,
    /// The world after it.
    pub world: &'s World,
    /// What it tells of: things of its own time, and of earlier ones that only now are known. [`InOrder`] hands them out
    /// in order.
    ///
    /// [`InOrder`]: crate::replay::InOrder
    pub events: &'s [Event],
    /// All that happened before then has been told.
    pub settled: DemoTime,
    /// What is wrong with it.
    pub diagnostic: Option<&'s Diagnostic>,
}

impl Step<'_> {
    /// True at the end of the recording.
    pub fn is_end(&self) -> bool {
        self.chunk.is_none()
    }

    /// The time.
    pub fn clock(&self) -> Clock {
        self.world.clock()
    }

    /// What the chunk changed; at the end nothing.
    pub fn changes(&self) -> &Changes {
        const NONE: &Changes = &Changes::NONE;
        if self.is_end() { NONE } else { self.world.changes() }
    }
}

/// Looks at a recording step by step.
pub trait Analyser {
    /// Who is to see the messages of the next chunk as the world takes them in, in front of the step: so nobody reads
    /// them a second time.
    fn visitor(&mut self, _: &Detected) -> Option<AnyVisitor<'_>> {
        None
    }

    /// The next step. The last one is the end.
    ///
    /// # Errors
    /// Whatever ends the pass: no more can be written, say.
    fn step(&mut self, step: &Step<'_>) -> Result<()>;
}

impl<F: FnMut(&Step<'_>) -> Result<()>> Analyser for F {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        self(step)
    }
}

/// What is wanted of a recording.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Texts of deaths to know beside the built-in ones.
    pub deaths: Option<Patterns>,
    /// Kinds of events that are wanted; empty: all. Others may come too, but work that only they need is left out.
    pub kinds: Vec<EventTag>,
    /// Nobody looks at [`Step::events`]: there are none.
    pub without_events: bool,
}

impl Options {
    /// True when texts alone tell what is wanted.
    fn only_texts(&self) -> bool {
        let texts = |tag: &EventTag| matches!(tag, EventTag::Chat | EventTag::Print | EventTag::Center);
        !self.kinds.is_empty() && self.kinds.iter().all(texts)
    }
}

/// One reading of a recording, with memory for one world.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    limits: Limits,
    options: Options,
}

impl Pass {
    /// A pass that tells all events.
    pub fn new(limits: Limits) -> Self {
        Pass { limits, options: Options::default() }
    }

    /// The same with options.
    #[must_use]
    pub fn with(self, options: Options) -> Self {
        Pass { options, ..self }
    }

    /// Shows a recording to all analysers. Gives what is wrong with the file.
    ///
    /// # Errors
    /// A file that is no recording, and whatever reading and the analysers give. Where reading fails in the middle, analysers
    /// see the end there first.
    pub fn run(&self, mut input: impl Read, name: &str, analysers: &mut [&mut dyn Analyser]) -> Result<Faults> {
        self.run_any(&mut input, name, analysers)
    }

    /// [`Pass::run`], compiled here and not again for each type of input.
    fn run_any(&self, input: &mut dyn Read, name: &str, analysers: &mut [&mut dyn Analyser]) -> Result<Faults> {
        let mut reader = Reader::new(input, name, self.limits)?;
        let detected = reader.detected().clone();
        let mut world = World::of(&detected, name)?;
        if self.options.only_texts() {
            world.only_texts();
        }
        let mut detector = (!self.options.without_events).then(|| match &self.options.deaths {
            Some(more) => Detector::with_patterns(detected.kind, more.clone()),
            None => Detector::new(detected.kind),
        });
        let mut faults = Faults::default();
        let mut ending = Ending::default();
        let mut block = 0;
        loop {
            let offset = reader.offset();
            // Where reading fails the recording ends: all that came before is told.
            let (chunk, failed) = match reader.next_chunk() {
                Ok(chunk) => (chunk, None),
                Err(error) => (None, Some(error)),
            };
            let diagnostic = match &chunk {
                Some(chunk) => {
                    ending.chunk(name, chunk, offset, &mut faults);
                    block = chunk.block().map_or(block, |(number, _)| number);
                    let mut visitors = Vec::new();
                    for analyser in &mut *analysers {
                        visitors.extend(analyser.visitor(&detected));
                    }
                    let diagnostic = match self.options.only_texts() {
                        true => world.apply_with(chunk, visitors),
                        false => world.apply_noting(chunk, visitors, &mut faults),
                    };
                    if let Some(detector) = &mut detector {
                        detector.step(&world, chunk);
                    }
                    diagnostic
                }
                None => {
                    if let Some(detector) = &mut detector {
                        detector.finish(&world);
                    }
                    None
                }
            };
            let step = Step {
                detected: &detected,
                chunk: chunk.as_ref(),
                offset,
                block,
                world: &world,
                events: detector.as_ref().map_or(&[], Detector::events),
                settled: detector.as_ref().map_or(world.clock().demo, Detector::settled),
                diagnostic: diagnostic.as_ref(),
            };
            for analyser in &mut *analysers {
                analyser.step(&step)?;
            }
            if let Some(error) = failed {
                return Err(error);
            }
            if chunk.is_none() {
                ending.finish(name, detected.kind, offset, &mut faults);
                return Ok(faults);
            }
            faults.note(name, world.clock().now, diagnostic);
        }
    }
}
