//! `qdemo texts`: everything that can be read.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use qdemo::Limits;
use qdemo::analysis::texts::{Text, TextTag, in_step};
use qdemo::event::EventTag;
use qdemo::replay::Step;
use qdemo::table::{self, Row};
use qdemo::world::Clock;
use qdemo_inputs::LenientReader;

use crate::event_verbs::{self, Common, Found};
use crate::exit::Exit;
use crate::session::Session;
use crate::show::{Safe, moment};
use crate::table::table;

/// Tell all texts: prints, chat, commands, names and settings
///
/// Texts are those of the messages: Quake prints a line in several pieces. `qdemo chat` has whole lines with their speakers.
/// --player takes texts that are for a player alone, that are the name or settings of one, and those with the name in them.
#[derive(Debug, clap::Args)]
#[command(mut_arg("deaths", |arg| arg.hide(true)))]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo texts duel.mvd
  qdemo texts duel.dm_68 --kind print,centerprint,chat   what people read while they play
  qdemo texts run.dem --kind stufftext                   which commands does it run?
  qdemo texts duel.mvd --from 5:00 --to 6:00 --player bro
  qdemo texts --json demos/ > texts.jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,

    /// Only these kinds
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    kinds: Vec<TextTag>,
}

fn kinds() -> impl TypedValueParser<Value = TextTag> {
    let names = PossibleValuesParser::new(TextTag::ALL.iter().map(|kind| kind.name()));
    names.try_map(|name| TextTag::by_name(&name).ok_or("no such kind"))
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    event_verbs::run(&args.common, &Verb { kinds: &args.kinds }, session)
}

struct Verb<'a> {
    /// None: all.
    kinds: &'a [TextTag],
}

impl event_verbs::Verb for Verb<'_> {
    type Item = Text;

    fn table(&self) -> &'static table::Table {
        &table::TEXTS
    }

    fn read(&self, args: &Common, input: &mut LenientReader, name: &str, limits: Limits) -> qdemo::Result<Found<Text>> {
        let mut found = Vec::new();
        let mut each = |text: &Text| {
            let of_kind = self.kinds.is_empty() || self.kinds.contains(&text.kind);
            if of_kind && args.wants_text(text.block, &text.clock, text.player.as_ref(), &text.text)? {
                found.push(text.clone());
            }
            Ok(())
        };
        let mut look = |step: &Step<'_>| in_step(step, &mut each);
        let (faults, parts) = args.pass(&[EventTag::Print], &mut look, input, name, limits)?;
        Ok((found, faults, parts))
    }

    fn clock<'i>(&self, text: &'i Text) -> &'i Clock {
        &text.clock
    }

    fn row<'i>(&self, text: &'i Text) -> Option<Row<'i>> {
        Some(table::text(text))
    }

    fn text(&self, found: &[Text], time: &dyn Fn(&Clock) -> String, out: &mut String) {
        let table = table! {
            for text in found;
            let number = text.index.map(|index| index.to_string()).or(text.print_level.map(|level| level.to_string()));
            let player = text.player.as_ref().map(|player| player.name.as_str()).unwrap_or_default();
            ">Time" => time(&text.clock),
            ">Clock" => moment(text.clock.now),
            "Kind" => text.kind.name(),
            ">Number" => number.unwrap_or_default(),
            "Player" => Safe(player),
            "Text" => Safe(text.text.trim_end()),
        };
        table.without_empty_columns().write(out, 0);
    }
}
