//! `qdemo highlights`: what is worth seeing again.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use qdemo::Limits;
use qdemo::analysis::highlight::{Criteria, Finder, Highlight, HighlightKind};
use qdemo::table::{self, Row};
use qdemo::world::{Clock, DemoTime};
use qdemo_inputs::LenientReader;

use crate::event_verbs::{self, Common, Found};
use crate::exit::Exit;
use crate::report;
use crate::session::Session;
use crate::show::{Safe, moment};
use crate::table::table;

/// Find what is worth seeing again, with the numbers that justify it
///
/// Several kills in a short time, many kills without dying, several kills with one shot, hits on players in the air, kills
/// right after the view turned far. --player chooses who did it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo highlights duel.dm_68
  qdemo highlights demos/ --kind midair,flick --csv > clips.csv
  qdemo highlights duel.mvd --kind multikill --kills 4 --within 2s
  qdemo highlights --json demos/ > all.jsonl")]
pub(crate) struct HighlightsArgs {
    #[command(flatten)]
    common: Common,

    /// Only these kinds
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    kinds: Vec<HighlightKind>,

    /// Kills of a multikill
    #[arg(long, value_name = "N", default_value_t = Criteria::default().kills,
        value_parser = clap::value_parser!(u32).range(2..))]
    kills: u32,

    /// The most time between two of them
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = report::time)]
    within: DemoTime,

    /// Kills of a streak
    #[arg(long, value_name = "N", default_value_t = Criteria::default().streak,
        value_parser = clap::value_parser!(u32).range(2..))]
    streak: u32,

    /// How long the victim of a midair has been in the air
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = report::time)]
    air: DemoTime,

    /// How many degrees the view turns for a flick
    #[arg(long, value_name = "DEGREES", default_value_t = 40, value_parser = clap::value_parser!(u8).range(1..=180))]
    turn: u8,

    /// In which time it does
    #[arg(long, value_name = "TIME", default_value = "150ms", value_parser = report::time)]
    turn_within: DemoTime,
}

/// Names of kinds of highlights.
pub(crate) fn kinds() -> impl TypedValueParser<Value = HighlightKind> {
    let names = PossibleValuesParser::new(HighlightKind::ALL.iter().map(|kind| kind.name()));
    names.try_map(|name| HighlightKind::by_name(&name).ok_or("no such kind"))
}

pub(crate) fn run(args: &HighlightsArgs, session: &Session) -> Result<Exit> {
    event_verbs::run(&args.common, args, session)
}

impl event_verbs::Verb for HighlightsArgs {
    type Item = Highlight;

    fn table(&self) -> &'static table::Table {
        &table::HIGHLIGHTS
    }

    fn read(
        &self,
        args: &Common,
        input: &mut LenientReader,
        name: &str,
        limits: Limits,
    ) -> qdemo::Result<Found<Highlight>> {
        let criteria = Criteria {
            kills: self.kills,
            within: self.within,
            streak: self.streak,
            air: self.air,
            turn: self.turn.into(),
            turn_within: self.turn_within,
        };
        let mut finder = Finder::new(criteria);
        let (faults, parts) = args.pass(&[], &mut finder, input, name, limits)?;
        let mut found = finder.take();
        found.sort_by_key(|it| it.clock.demo);
        let of_kind = |it: &Highlight| self.kinds.is_empty() || self.kinds.contains(&it.kind);
        found.retain(of_kind);
        let mut wanted = Vec::new();
        for it in found {
            if args.wants(it.block, &it.clock, std::iter::once(&it.player))? {
                wanted.push(it);
            }
        }
        Ok((wanted, faults, parts))
    }

    fn clock<'i>(&self, it: &'i Highlight) -> &'i Clock {
        &it.clock
    }

    fn row<'i>(&self, it: &'i Highlight) -> Option<Row<'i>> {
        Some(table::highlight(it))
    }

    fn text(&self, found: &[Highlight], time: &dyn Fn(&Clock) -> String, out: &mut String) {
        let table = table! {
            for it in found;
            ">Time" => time(&it.clock),
            ">Clock" => moment(it.clock.now),
            "Kind" => it.kind.name(),
            "Player" => Safe(&it.player.name),
            "Weapon" => it.weapon,
            "What" => Safe(&it.to_string()),
        };
        table.without_empty_columns().write(out, 0);
    }
}
