//! Tables of events.

use std::borrow::Cow;

use super::world::{clock, vector, whole};
use super::{CHAT, Cell, EVENTS, FRAGS, RUNS, SCORES, Table, maybe};
use crate::event::{Event, Sure, What, Who};

/// The row that an event makes in [`FRAGS`], [`CHAT`], [`SCORES`], [`RUNS`] or [`EVENTS`]; `None` when it belongs to none of
/// that kind.
pub fn event(table: &Table, event: &Event) -> Option<Vec<Cell<'static>>> {
    let mut cells = Vec::with_capacity(table.columns.len());
    clock(&event.clock, &mut cells);
    cells.push(Cell::Integer(event.block as i64));
    let inferred = match event.sure {
        Sure::Told => Cell::None,
        Sure::Inferred(how) => Cell::Text(Cow::Borrowed(how)),
    };
    match &event.what {
        What::Frag(frag) if *table == FRAGS => {
            who(frag.attacker.as_ref(), true, &mut cells);
            who(Some(&frag.victim), true, &mut cells);
            let weapon = Some(&frag.weapon).filter(|w| !w.is_empty());
            cells.push(maybe(weapon, |w| Cell::Text(w.clone())));
            cells.push(Cell::Text(frag.means.clone()));
            cells.push(Cell::Text(Cow::Borrowed(frag.kind.name())));
            vector(frag.attacker_origin, &mut cells);
            vector(frag.victim_origin, &mut cells);
            cells.push(inferred);
        }
        What::Chat(chat) if *table == CHAT => {
            who(chat.speaker.as_ref(), true, &mut cells);
            cells.extend([Cell::Boolean(chat.team), Cell::Boolean(chat.private)]);
            cells.push(maybe(chat.location.clone(), |l| Cell::Text(Cow::Owned(l))));
            cells.push(text(&chat.text));
        }
        What::Score { player, from, to } if *table == SCORES => {
            who(Some(player), true, &mut cells);
            cells.extend([(*from).into(), (*to).into(), Cell::None, Cell::None]);
        }
        What::Scores([first, second]) if *table == SCORES => {
            who(None, true, &mut cells);
            cells.extend([Cell::None, Cell::None, (*first).into(), (*second).into()]);
        }
        What::Run(run) if *table == RUNS => {
            who(run.player.as_ref(), false, &mut cells);
            cells.push(text(&run.map));
            cells.push(Cell::Text(Cow::Owned(format!("{:.*}", usize::from(run.precision), run.time))));
            cells.push(Cell::Text(Cow::Borrowed(run.from)));
            let totals = run.totals.map_or([None; 4], |t| t.map(Some));
            cells.extend(totals.map(whole));
            cells.push(whole(run.skill));
            cells.push(maybe(run.mode.clone(), |m| Cell::Text(Cow::Owned(m))));
            cells.push(inferred);
        }
        what if *table == EVENTS => {
            let [first, second] = what.players();
            cells.push(Cell::Integer(event.offset as i64));
            cells.push(Cell::Text(Cow::Borrowed(what.kind().name())));
            who(first, true, &mut cells);
            who(second, false, &mut cells);
            cells.push(text(&what.to_string()));
            cells.push(Cell::Text(Cow::Borrowed(event.source)));
            cells.push(inferred);
        }
        _ => return None,
    }
    Some(cells)
}

fn text(text: &str) -> Cell<'static> {
    Cell::Text(Cow::Owned(text.trim_end_matches('\n').to_owned()))
}

/// Slot, name, and where wanted the team.
fn who(who: Option<&Who>, team: bool, cells: &mut Vec<Cell<'static>>) {
    cells.push(maybe(who.and_then(|w| w.slot), |slot| Cell::Integer(slot as i64)));
    cells.push(maybe(who, |w| Cell::Text(Cow::Owned(w.name.clone()))));
    if team {
        cells.push(maybe(who.and_then(|w| w.team.clone()), |team| Cell::Text(Cow::Owned(team))));
    }
}
