//! `editing`: encodings that no engine writes.
//!
//! Engines write the same things in the same way. What is written otherwise says the same to a player, and shows that
//! another program had its hand in: the text form has words for it that it prints only then (`docs/text-format.md`), and
//! those words are what is looked for here. Lists of entities are in order of their numbers, too.

use super::found::{Findings, Severity, Statement};
use super::{ChunkSeen, Probe};
use crate::demo::{AnyVisitor, FileKind, Listed};
use crate::describe::{MessageSet as _, Oddities};
use crate::format::{Begin, DialectOf, Visitor};
use crate::replay::World;

/// Looks for the words in what messages show, and forgets the rest.
pub(super) struct Editing(Oddities);

impl Editing {
    /// For recordings of a format.
    pub(super) fn new(kind: FileKind) -> Self {
        Editing(Oddities::new(kind == FileKind::Dm3))
    }
}

/// Messages of any format stand in the block.
impl<F: Listed> Visitor<F> for Editing {
    fn takes_back(&self) -> bool {
        true
    }
    fn begin(&mut self, _: Begin<'_, '_, F>) {
        self.0.begin_block();
    }
    fn message(&mut self, message: &F::Message<'_>, _: &DialectOf<F>) {
        message.show(&mut self.0);
    }
}

impl Probe for Editing {
    fn visitor(&mut self, kind: FileKind) -> Option<AnyVisitor<'_>> {
        AnyVisitor::of(kind, self)
    }

    fn step(&mut self, seen: &ChunkSeen<'_>, found: &mut Findings) {
        // What is unusual in a broken block is damage.
        if seen.broken || seen.place.block.is_none() {
            return;
        }
        if let World::Dm3(world) = seen.world {
            if let Some(name) = world.contents().and_then(|contents| contents.unusual_end(&world.dialect())) {
                self.0.see(name);
            }
        }
        self.0.odd.dedup_by_key(|odd| (odd.word.name.text, odd.message));
        for odd in &self.0.odd {
            let word = odd.word;
            found.add("editing", Severity::Warning, &seen.place, odd.message, || {
                let text = format!("{}: no engine writes that", word.meaning);
                Statement::new(text, vec![("word", word.name.text.into())])
            });
        }
    }
}
