//! `qdemo frags`, `chat`, `scores`, `runs` and `events`: what happened.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use qdemo::Limits;
use qdemo::event::{Event, EventKind, EventTag, PlayerRef};
use qdemo::replay::InOrder;
use qdemo::table::{self, Row};
use qdemo::world::Clock;
use qdemo_inputs::LenientReader;

use crate::event_verbs::{self, Common, Found};
use crate::exit::Exit;
use crate::session::Session;
use crate::show::{Safe, moment, word};
use crate::table::table;

macro_rules! verbs {
    ($($(#[$doc:meta])* $ty:ident;)*) => {$(
        #[derive(Debug, clap::Args)]
        $(#[$doc])*
        pub(crate) struct $ty {
            #[command(flatten)]
            pub(crate) common: Common,
        }
    )*};
}

verbs! {
    /// Tell who killed whom, with what, where and when
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo frags duel.dm_68
  qdemo frags duel.mvd --player bro --csv > frags.csv
  qdemo frags duel.mvd --csv --columns attacker,victim,weapon
  qdemo frags --json demos/ > frags.jsonl   one JSON object a line, with a key file")]
    FragsArgs;

    /// Tell who said what
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo chat duel.mvd
  qdemo chat --player me --json demos/ > said.jsonl")]
    ChatArgs;

    /// Tell how the scores changed
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo scores duel.mvd
  qdemo scores --csv duel.dm_68 > scores.csv")]
    ScoresArgs;

    /// Tell the times of speedruns, of runs in DeFRaG and Quake II's jump mod, and of KTX races, and where each number comes from
    #[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo runs run.dem
  qdemo runs --csv demos/ > times.csv")]
    RunsArgs;
}

/// Tell everything that happened
///
/// Each event has its block, its time, where it comes from, and how it is known where the recording does not say so itself.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo events duel.dm_68
  qdemo events duel.mvd --kind match,pickup --from 5:00 --to 6:00
  qdemo events --unknown demos/             texts of mods that are not understood
  qdemo events --json demos/ > all.jsonl")]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Only these kinds
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub(crate) kinds: Vec<EventTag>,

    /// Only printed texts that name a player and that no rule understands, of Quake, QuakeWorld and Quake II: such as texts
    /// of deaths for --deaths
    #[arg(long, conflicts_with = "kinds")]
    pub(crate) unknown: bool,
}

impl EventsArgs {
    pub(crate) fn verb(&self) -> Verb<'_> {
        if self.unknown { Verb::Unknown } else { Verb::Events(&self.kinds) }
    }
}

fn kinds() -> impl TypedValueParser<Value = EventTag> {
    let names = PossibleValuesParser::new(EventTag::ALL.iter().map(|kind| kind.name()));
    names.try_map(|name| EventTag::by_name(&name).ok_or("no such kind"))
}

/// Which of the verbs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Verb<'a> {
    Frags,
    Chat,
    Scores,
    Runs,
    Events(&'a [EventTag]),
    /// Printed texts that name a player and are not understood.
    Unknown,
}

impl Verb<'_> {
    /// The kinds of events that it tells; none: all.
    fn kinds(&self) -> &[EventTag] {
        match self {
            Verb::Frags => &[EventTag::Frag],
            Verb::Chat => &[EventTag::Chat],
            Verb::Scores => &[EventTag::Score, EventTag::Scores],
            Verb::Runs => &[EventTag::Run],
            Verb::Events(kinds) => kinds,
            Verb::Unknown => &[EventTag::Print],
        }
    }

    fn wants(&self, event: &Event) -> bool {
        match self {
            Verb::Unknown => matches!(event.kind, EventKind::Print { unknown: true, .. }),
            _ => self.kinds().is_empty() || self.kinds().contains(&event.kind.tag()),
        }
    }
}

/// Runs one of the verbs.
pub(crate) fn run(args: &Common, verb: Verb<'_>, session: &Session) -> Result<Exit> {
    event_verbs::run(args, &verb, session)
}

impl event_verbs::Verb for Verb<'_> {
    type Item = Event;

    fn table(&self) -> &'static table::Table {
        match self {
            Verb::Frags => &table::FRAGS,
            Verb::Chat => &table::CHAT,
            Verb::Scores => &table::SCORES,
            Verb::Runs => &table::RUNS,
            Verb::Events(_) | Verb::Unknown => &table::EVENTS,
        }
    }

    fn read(
        &self,
        args: &Common,
        input: &mut LenientReader,
        name: &str,
        limits: Limits,
    ) -> qdemo::Result<Found<Event>> {
        let mut found = Vec::new();
        let mut collect = InOrder::new(|event: &Event| {
            // Who asks for a player may know no more than the name of an account.
            let login = match &event.kind {
                EventKind::Run(run) => run.login.clone().map(|name| PlayerRef { name, ..PlayerRef::default() }),
                _ => None,
            };
            let players = event.kind.players().into_iter().flatten().chain(&login);
            if self.wants(event) && args.wants(event.block, &event.clock, players)? {
                found.push(event.clone());
            }
            Ok(())
        });
        let (faults, parts) = args.pass(self.kinds(), &mut collect, input, name, limits)?;
        Ok((found, faults, parts))
    }

    fn clock<'i>(&self, event: &'i Event) -> &'i Clock {
        &event.clock
    }

    fn row<'i>(&self, event: &'i Event) -> Option<Row<'i>> {
        table::event(self.table(), event)
    }

    fn text(&self, found: &[Event], time: &dyn Fn(&Clock) -> String, out: &mut String) {
        text(found, *self, time, out);
    }
}

fn text(found: &[Event], verb: Verb<'_>, time: &dyn Fn(&Clock) -> String, out: &mut String) {
    let table = table! {
        for event in found;
        let more = match &event.kind {
            EventKind::Chat(chat) => chat.location.clone().unwrap_or_default(),
            EventKind::Frag(frag) => frag.kind.name().replace('_', " "),
            EventKind::Run(run) => {
                let name = run.player.as_ref().map(|w| w.name.as_str()).unwrap_or_default();
                let mode = run.mode.as_deref().unwrap_or_default();
                let totals = run.totals.map_or(String::new(), |[kills, monsters, found, secrets]| {
                    format!(" kills {kills}/{monsters}, secrets {found}/{secrets}")
                });
                format!("{name} {mode}{totals} ({})", run.from)
            }
            _ => String::new(),
        };
        let team = match &event.kind {
            EventKind::Chat(chat) => chat.speaker.as_ref().and_then(|w| w.team.as_deref()),
            _ => None,
        };
        ">Time" => time(&event.clock),
        ">Clock" => moment(event.clock.now),
        // The other verbs tell of one kind.
        "Kind" => word(matches!(verb, Verb::Events(_)), event.kind.tag().name()),
        "What" => Safe(event.kind.to_string().trim_end()),
        "Team" => Safe(team.unwrap_or_default()),
        "More" => Safe(more.trim()),
    };
    table.without_empty_columns().write(out, 0);
}
