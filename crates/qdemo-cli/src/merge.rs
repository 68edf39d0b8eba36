//! `qdemo merge`: several recordings of one match, as one that shows all that any of them saw.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Read;

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::merge::{self, Aligned, MergeAccount};
use qdemo_inputs::{Item, LenientReader, Wanted, open_one};

use crate::batch::Outcome;
use crate::clips::{Target, Writing, Written};
use crate::console::{DOUBT, KEY, Note};
use crate::convert::losses;
use crate::exit::Exit;
use crate::session::Session;
use crate::show::{Safe, count, size};
use crate::together;

/// Merge recordings of one match: one that shows all that any of them saw
///
/// The first recording is what the output is made of: its view, its times. The others, made by other players on the same
/// server, add the players and entities that the first one does not show at a moment, what they heard, and chat that the
/// first one was not told. Recordings of Quake III, Quake II (.dm2 of clients) and Quake (.dem) are aligned by the server's
/// clock, in levels of the same server; those of QuakeWorld (.qwd) by the places at which players were seen, and become an
/// .mvd, in which one can look through the eyes of each. The account says how well they agree, and of each added entity
/// which recording showed it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 they do not go together, or a file could not be read or written

Examples:
  qdemo merge mine.dm_71 yours.dm_71 -o both.dm_71
  qdemo merge red.qwd blue.qwd -o match.mvd
  qdemo merge mine.dm_71 yours.dm_71 -n --json      how well they agree")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    #[command(flatten)]
    writing: Writing,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    together::run(&args.files, &args.writing, session, merge, tell)
}

fn merge(items: &[Item], mut target: Target, limits: Limits, notes: &mut Vec<Note>) -> Result<MergeAccount> {
    let mut read = Vec::new();
    for item in items {
        let mut reader = LenientReader::new(open_one(item, Some(Wanted::Demos), &limits)?);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        if let Some(fault) = reader.into_fault() {
            notes.push(Note::Warning(format!("{fault}; the rest is missing")));
        }
        read.push((item.to_string(), bytes));
    }
    let inputs: Vec<_> = read.iter().map(|(name, bytes)| merge::Input { name, bytes }).collect();
    let merged = merge::merge(&inputs, limits, &mut target).map(|(_, account)| account);
    let account = merged.map_err(|e| target.explain(e))?;
    notes.extend(account.account.notes.iter().map(|note| Note::Remark(note.clone())));
    notes.extend(target.finish()?);
    Ok(account)
}

fn tell(account: &MergeAccount, args: &Writing, outcome: &mut Outcome) {
    let output = args.output.as_ref().map(|path| path.display().to_string());
    let line = Written { account, output: output.clone(), dry_run: args.dry_run };
    let mut text = String::new();
    let shown = output.unwrap_or_else(|| "together".to_owned());
    let (all, added) = (&account.account, account.added.len() as u64);
    let _ = write!(text, "{KEY}{}{KEY:#}: ", Safe(&shown));
    let _ = write!(text, "{}, {}, ", count(account.inputs.len() as u64, "recording"), count(all.blocks_read, "block"));
    let _ = writeln!(text, "{} changed, {} added, {}", all.blocks_changed, entities(added), size(all.bytes_written));
    for (nth, input) in account.inputs.iter().enumerate() {
        let _ = write!(text, "  {}: ", Safe(&input.name));
        match input.aligned {
            Aligned::First => text.push_str("the first one"),
            Aligned::ServerTime => text.push_str("by the server's clock"),
            Aligned::ServerFrame => text.push_str("by the server's frames"),
            by => {
                let what = if by == Aligned::Places { "place" } else { "text" };
                let (ms, matches) = (input.offset_ms, count(input.matches, what));
                let _ = write!(text, "{ms:+} ms by {matches}, half of them within {} ms", input.spread_ms);
            }
        }
        if nth > 0 {
            let frames = input.frames + input.frames_older + input.frames_without;
            let _ = write!(text, "; {} of {}", input.frames, count(frames, "frame"));
            if input.frames_older > 0 {
                let _ = write!(text, ", {} more by its last one before", input.frames_older);
            }
            if input.both_saw > 0 {
                let alike = 100.0 * input.both_saw_alike as f64 / input.both_saw as f64;
                let _ = write!(text, ", {alike:.1} % of what both saw is in the same place");
            }
            if input.texts > 0 {
                let _ = write!(text, ", {} that only it was told", count(input.texts, "text"));
            }
        }
        text.push('\n');
    }
    if account.no_room > 0 {
        let _ = writeln!(text, "  {DOUBT}no room{DOUBT:#} for {} of entities", count(account.no_room, "sighting"));
    }
    text += &losses(&account.losses);
    args.tell(outcome, &line, &text);
}

fn entities(number: u64) -> String {
    if number == 1 { "1 entity".to_owned() } else { format!("{number} entities") }
}
