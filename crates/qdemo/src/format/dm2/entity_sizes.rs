//! What the demos that came with the re-release ask one to remember: a place takes two bytes where the entity has no
//! box, and four where it has one. The box may have been told long before, in the frame that a frame builds on.

use super::dialect::Dialect;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::entity::{PacketEntities, SpawnBaseline};
use super::message::{Message, MessageKind};
use crate::wire::{ByteReader, Fault};

/// Which entities have boxes, after the messages so far. Empty in all protocols but 2022.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntitySizes(Option<Arc<Solidity>>);

#[derive(Debug, Clone, Default, PartialEq)]
struct Solidity {
    /// Entities whose baseline has a box.
    baselines: Arc<BTreeSet<u16>>,
    /// Earlier frames: entities in view, and whether each has a box.
    frames: VecDeque<(i32, Arc<InView>)>,
    /// The frame that is being told: its number, and that of the one it builds on.
    open: Option<(i32, Option<i32>)>,
}

type InView = BTreeMap<u16, bool>;

impl Solidity {
    /// As many frames as the world keeps.
    const FRAMES: usize = 64;

    fn baseline(&mut self, m: &SpawnBaseline) {
        let baselines = Arc::make_mut(&mut self.baselines);
        match m.box_told() {
            Some(1..) => baselines.insert(m.entity.0),
            _ => baselines.remove(&m.entity.0),
        };
    }

    /// What the frame that is being told builds on. Where that was not recorded, the last one is the best guess.
    fn base(&self) -> InView {
        let base = match self.open {
            Some((_, None)) => return InView::new(),
            Some((_, Some(number))) => self.frames.iter().rev().find(|(other, _)| *other == number),
            None => None,
        };
        base.or(self.frames.back()).map(|(_, entities)| InView::clone(entities)).unwrap_or_default()
    }

    fn entities(&mut self, r: &mut ByteReader<'_>, d: &Dialect) -> Result<PacketEntities, Fault> {
        let mut entities = self.base();
        let list = PacketEntities::read_by_boxes(r, d, |number| {
            entities.get(&number).copied().unwrap_or_else(|| self.baselines.contains(&number))
        })?;
        for entity in &list.entities {
            let number = entity.entity.0;
            let before = entities.remove(&number).unwrap_or_else(|| self.baselines.contains(&number));
            if !entity.remove {
                entities.insert(number, entity.box_told().map_or(before, |told| told != 0));
            }
        }
        let number = self.open.take().map_or(0, |(number, _)| number);
        if self.frames.len() >= Self::FRAMES {
            self.frames.pop_front();
        }
        self.frames.push_back((number, Arc::new(entities)));
        Ok(list)
    }

    /// Remembers what a message without places by boxes says.
    fn other<'a>(&mut self, message: Result<Message<'a>, Fault>, d: &Dialect) -> Result<Message<'a>, Fault> {
        match &message {
            Ok(Message::Frame(m)) => self.open = Some((m.seq1, m.seq2.filter(|number| *number > 0))),
            Ok(Message::SpawnBaselineBlast(m)) => {
                m.each(d, |m| self.baseline(m));
            }
            _ => {}
        }
        message
    }
}

impl EntitySizes {
    /// True where places are as wide as the boxes say.
    #[inline]
    pub(crate) fn matter(d: &Dialect) -> bool {
        d.layout.origin_by_box
    }

    /// Reads the message with a number, and remembers what it says of boxes.
    pub(crate) fn read<'a>(
        &mut self,
        id: u8,
        r: &mut ByteReader<'a>,
        d: &Dialect,
    ) -> Option<Result<Message<'a>, Fault>> {
        let kind = *MessageKind::ALL.get(d.opcodes.kind(id)?)?;
        let told = Arc::make_mut(self.0.get_or_insert_default());
        let message = match kind {
            MessageKind::PacketEntities => told.entities(r, d).map(Message::PacketEntities),
            MessageKind::SpawnBaseline => SpawnBaseline::read_whole(r, d).map(Message::SpawnBaseline),
            _ => return Some(told.other(Message::read(kind, id, r, d), d)),
        };
        if let Ok(Message::SpawnBaseline(m)) = &message {
            told.baseline(m);
        }
        Some(message.map_err(|f| f.in_message(kind.schema().name)))
    }
}

/// Reads an entity with long places or short ones. The box stands in front of these, so that either reading finds it.
pub(super) fn by_box<T>(
    r: &mut ByteReader<'_>,
    d: &Dialect,
    before: bool,
    read: impl Fn(&mut ByteReader<'_>, &Dialect) -> Result<T, Fault>,
    told: impl Fn(&T) -> Option<u32>,
) -> Result<T, Fault> {
    let has_box = |item: &T| told(item).map_or(before, |told| told != 0);
    let mut ahead = *r;
    let long = read(&mut ahead, &d.with_short_origins(false));
    if long.as_ref().is_ok_and(has_box) {
        *r = ahead;
        return long;
    }
    let mut ahead = *r;
    match read(&mut ahead, &d.with_short_origins(true)) {
        Ok(item) if !has_box(&item) => {
            *r = ahead;
            Ok(item)
        }
        Ok(_) => long,
        Err(fault) => Err(fault),
    }
}
