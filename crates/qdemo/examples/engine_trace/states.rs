//! Complete states as the engine's print makes them: the values that it prints, put together with the bases that it
//! tells. The library's world must have the same.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use qdemo::format::dm3::{EntityField, PlayerField, Table, TableField};
use qdemo::world::dm3::{EntityState, FullSnapshot};

use crate::printed::Printed;
use crate::report::{Kind, Report};
use crate::trace::Base;

/// What was printed last of each field, by the field's number; nothing: it is 0.
type Fields = Rc<Vec<Option<Shown>>>;

/// A value as printed.
#[derive(Debug, Clone, Copy)]
struct Shown {
    int: Option<i32>,
    float: Printed,
}

/// A snapshot.
#[derive(Debug, Clone, Default)]
struct Full {
    number: i32,
    player: Fields,
    entities: BTreeMap<u16, Fields>,
}

/// Whose fields are printed next.
#[derive(Debug, Clone, Copy, Default)]
enum Of {
    #[default]
    Player,
    Entity(u16),
    Baseline(u16),
}

/// The engine's memory.
#[derive(Debug, Default)]
pub(crate) struct States {
    baselines: HashMap<u16, Fields>,
    kept: VecDeque<Full>,
    base: Full,
    next: Full,
    of: Of,
    /// The number of the last snapshot, until it has been compared.
    fresh: Option<i32>,
}

impl States {
    const KEPT: i32 = 32;

    pub(crate) fn gamestate(&mut self) {
        *self = States::default();
    }

    pub(crate) fn baseline(&mut self, number: u16) {
        self.baselines.insert(number, Fields::default());
        self.of = Of::Baseline(number);
    }

    /// A snapshot begins that builds on the one with this number, or on nothing.
    pub(crate) fn begin(&mut self, base: i32) {
        let kept = self.kept.iter().rev().find(|full| full.number == base && base > 0);
        self.base = kept.cloned().unwrap_or_default();
        self.next = Full { player: self.base.player.clone(), ..Full::default() };
        self.of = Of::Player;
    }

    /// The engine tells from where the next entity comes.
    pub(crate) fn entity(&mut self, base: Base, number: u16) {
        let before = match base {
            Base::Unchanged | Base::Delta => self.base.entities.get(&number),
            Base::Baseline => self.baselines.get(&number),
        };
        self.next.entities.insert(number, before.cloned().unwrap_or_default());
        self.of = Of::Entity(number);
    }

    pub(crate) fn remove(&mut self, number: u16) {
        self.next.entities.remove(&number);
    }

    /// A field was printed; `None`: it became 0, which the size of the delta tells.
    pub(crate) fn field(&mut self, field: &TableField, printed: Option<&str>) {
        let fields = match self.of {
            Of::Player => Some(&mut self.next.player),
            Of::Entity(number) => self.next.entities.get_mut(&number),
            Of::Baseline(number) => self.baselines.get_mut(&number),
        };
        let Some(fields) = fields.map(Rc::make_mut) else { return };
        let id = usize::from(field.id);
        if fields.len() <= id {
            fields.resize(id + 1, None);
        }
        fields[id] = printed.map(|text| Shown { int: text.parse().ok(), float: Printed::new(text) });
    }

    /// The engine accepted the snapshot.
    pub(crate) fn accepted(&mut self, number: i32) {
        self.next.number = number;
        self.kept.retain(|full| number.wrapping_sub(full.number) < Self::KEPT);
        self.kept.push_back(std::mem::take(&mut self.next));
        self.fresh = Some(number);
    }

    /// Compares the last snapshot with that of the library.
    pub(crate) fn compare(&mut self, world: Option<FullSnapshot<'_>>, tables: [&Table; 2], report: &mut Report) {
        let Some(number) = self.fresh.take() else { return };
        let (Some(theirs), Some(ours)) = (self.kept.back(), world) else {
            report.check(Kind::Folded, false, || format!("snapshot {number}: the world has none"));
            return;
        };
        let numbers = || ours.entities().map(|(n, _)| n);
        let same = ours.number() == number && numbers().eq(theirs.entities.keys().copied());
        report.check(Kind::Folded, same, || {
            format!(
                "snapshot {number}: ours {} has {:?}, theirs {:?}",
                ours.number(),
                numbers().collect::<Vec<_>>(),
                theirs.entities.keys()
            )
        });
        let [of_entity, of_player] = tables;
        for field in of_player.fields() {
            let bits = PlayerField::ALL.get(usize::from(field.id)).map_or(0, |id| ours.player().bits(*id));
            let same = is_shown(field, bits, &theirs.player);
            report.check(Kind::FoldedPlayers, same, || {
                format!("snapshot {number}, player, {}: ours {bits:#X}", field.name.text)
            });
        }
        for (entity, theirs) in &theirs.entities {
            let zero = EntityState::ZERO;
            let ours = ours.entity(*entity).unwrap_or(&zero);
            for field in of_entity.fields() {
                let bits = EntityField::ALL.get(usize::from(field.id)).map_or(0, |id| ours.bits(*id));
                let same = is_shown(field, bits, theirs);
                report.check(Kind::FoldedEntities, same, || {
                    format!("snapshot {number}, entity {entity}, {}: ours {bits:#X}", field.name.text)
                });
            }
        }
    }
}

/// True when the engine shows a value so.
fn is_shown(field: &TableField, bits: u32, theirs: &Fields) -> bool {
    match theirs.get(usize::from(field.id)).copied().flatten() {
        None => bits == 0,
        Some(shown) if field.bits == 0 => shown.float.is(f32::from_bits(bits)),
        Some(shown) => shown.int == Some(bits as i32),
    }
}
