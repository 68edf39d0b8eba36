//! Matches of a recording as one page to be sent to friends: scores, who killed whom, weapons, items, highlights, chat, and
//! [pictures](crate::draw).
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
//! let (report, _) = qdemo::report::read(demo, "oa-dm4.dm_71", qdemo::Limits::default())?;
//! let page = report.to_html();
//! assert!(page.contains("<h2>") && page.contains("Sarge") && page.contains("<svg "));
//! # Ok(()) }
//! ```

mod matrix;
mod page;

use std::io::Read;

use crate::analysis::stats::{Board, Holder, Period, PeriodKind, Place, Stats};
use crate::demo::Faults;
use crate::draw::{Choice, Size, Subject, draw};
use crate::error::Result;
use crate::limits::Limits;
use crate::replay::{Range, Step};
use crate::view::{self, Mark, MarkKind, PageSources, Replay, Values};

use self::page::Page;

/// What stands in pictures of a match, in this order, as far as the recording tells it.
const PICTURES: [Subject; 6] =
    [Subject::Scores, Subject::Deaths, Subject::Presence, Subject::Items, Subject::Flags, Subject::Health];
/// How large they are.
const SIZE: Size = Size { width: 960, height: 620 };
/// Only so many matches have pictures, that pages of long recordings stay small.
const WITH_PICTURES: usize = 8;

/// What a report is made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The recording; the floors of [maps](Replay::maps) that are put in are drawn.
    pub replay: Replay,
    /// Its matches, and its levels without a match.
    pub periods: Vec<Period>,
}

/// Reads a recording once, and gives what a report of it is made of, and what is wrong with the file.
///
/// # Errors
/// A file that is no recording, and whatever reading gives.
pub fn read(input: impl Read, name: &str, limits: Limits) -> Result<(Report, Faults)> {
    read_on(1, input, name, limits)
}

/// [`read`] on so many threads. The report is the same.
///
/// # Errors
/// As [`read`], and a thread that cannot be had.
pub fn read_on(threads: usize, mut input: impl Read, name: &str, limits: Limits) -> Result<(Report, Faults)> {
    let (mut stats, mut periods) = (Stats::new(), Vec::new());
    let mut count = |step: &Step<'_>| {
        crate::replay::Analyser::step(&mut stats, step)?;
        let counts = |period: &Period| matches!(period.kind, PeriodKind::Match | PeriodKind::Level);
        periods.extend(stats.take().into_iter().filter(counts));
        Ok(())
    };
    let (replay, faults) = view::read_beside(threads, &mut input, name, limits, Range::ALL, &mut count)?;
    Ok((Report { replay, periods }, faults))
}

impl Report {
    /// The page: one file, without a script, that asks for nothing. Its policy lets no script run, and nothing that the
    /// recording says stands in it as markup.
    pub fn to_html(&self) -> String {
        let about = &self.replay.about;
        let mut page = Page::new(&about.file);
        page.element("h1", &about.file);
        page.element("p", &format!("{} · {}", about.game, about.format));
        if self.periods.is_empty() {
            page.element("p", "The recording shows neither a match nor a level.");
        }
        for (n, period) in self.periods.iter().enumerate() {
            self.period(&mut page, period, n < WITH_PICTURES);
        }
        page.finish()
    }

    fn period(&self, page: &mut Page, period: &Period, pictures: bool) {
        let mut part = self.replay.between(period.begin.demo.ms(), period.end.demo.ms());
        // What happens between rounds counts for nothing.
        let rounds = period.game.as_ref().map(|game| &*game.rounds).unwrap_or_default();
        let rounds: Vec<_> = rounds.iter().map(|[from, to]| from.demo.ms()..=to.demo.ms()).collect();
        let counts = |mark: &Mark| rounds.is_empty() || rounds.iter().any(|round| round.contains(&mark.demo_ms));
        part.about.marks.retain(|mark| !matches!(mark.kind, MarkKind::Frag { .. }) || counts(mark));
        end_with(&mut part, &final_scores(period));
        page.begin("section");
        page.element("h2", &format!("{} {}", period.kind.name(), period.in_words()));
        page.board("", &Board::players(period));
        let marks = &part.about.marks;
        page.matrix(&matrix::Matrix::new(period));
        if pictures {
            for subject in PICTURES {
                // What a recording does not tell has no picture.
                if let Ok(picture) = draw(&part, &Choice { size: SIZE, ..Choice::new(subject) }) {
                    page.picture(&picture.svg);
                }
            }
        }
        page.board("Weapons", &Board::weapons(period));
        page.board("Items", &Board::items(period));
        page.list("Highlights", marks.iter().filter_map(highlight));
        page.list("Chat", marks.iter().filter_map(said));
        page.end("section");
    }
}

/// How a policy names the style of the page.
pub fn page_sources() -> PageSources {
    page::sources()
}

/// Whose score it was at the end of a match: the value of a player's slot, or of the world, and the score.
type FinalScore = (Option<u32>, String, i64);

/// The scores of teams, and of players who were there to the end.
fn final_scores(period: &Period) -> Vec<FinalScore> {
    let score = |place: &Place| match place.holder {
        Holder::Team => Some((None, format!("score_{}", place.name), place.score)),
        Holder::Stayed(slot) => Some((Some(u32::try_from(slot).ok()?), "frags".to_owned(), place.score)),
        Holder::Listed | Holder::Left | Holder::Unnamed => None,
    };
    period.places.iter().filter_map(score).collect()
}

/// A score that is told shortly behind the end of a match is the one at the end.
fn end_with(part: &mut Replay, scores: &[FinalScore]) {
    let Some(last) = part.rows.len().checked_sub(1).and_then(|row| u32::try_from(row).ok()) else { return };
    for (slot, name, score) in scores {
        let strings = &part.about.strings;
        let is = |it: &&mut Values| it.slot == *slot && strings.get(it.name as usize) == Some(name);
        let told = part.values.iter_mut().find(is);
        if let Some(values) = told.filter(|it| it.at(last).is_some_and(|told| told != *score)) {
            values.keys.retain(|(row, _)| *row < last);
            values.keys.push((last, Some(*score)));
        }
    }
}

/// A highlight: when, who and what.
fn highlight(mark: &Mark) -> Option<[String; 3]> {
    let MarkKind::Highlight { player, text, .. } = &mark.kind else { return None };
    Some([crate::draw::clock(mark.demo_ms), player.name.clone(), text.clone()])
}

/// What somebody said.
fn said(mark: &Mark) -> Option<[String; 3]> {
    let MarkKind::Chat { speaker, text, .. } = &mark.kind else { return None };
    let name = speaker.as_ref().map(|who| who.name.clone()).unwrap_or_default();
    Some([crate::draw::clock(mark.demo_ms), name, text.clone()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_end_as_the_match_does() {
        let mut part = Replay { rows: vec![0, 100, 200], ..Replay::default() };
        part.about.strings = ["score_red", "score_blue", "frags"].map(str::to_owned).to_vec();
        let values = |slot, name, keys: &[(u32, Option<i64>)]| Values { slot, name, keys: keys.to_vec() };
        part.values = vec![
            values(None, 0, &[(0, Some(1)), (2, Some(2))]),
            values(None, 1, &[(1, Some(5))]),
            values(Some(3), 2, &[(0, Some(4)), (1, None)]),
        ];
        let score = |slot, name: &str, score| (slot, name.to_owned(), score);
        end_with(&mut part, &[score(None, "score_red", 3), score(None, "score_blue", 5), score(Some(3), "frags", 9)]);
        assert_eq!(part.values[0].keys, [(0, Some(1)), (2, Some(3))]);
        assert_eq!(part.values[1].keys, [(1, Some(5))], "it is so already");
        assert_eq!(part.values[2].keys, [(0, Some(4)), (1, None)], "who left has none");
    }
}
