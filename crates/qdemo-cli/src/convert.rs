//! `qdemo convert`: recordings in another protocol.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use clap::ValueHint;
use clap::builder::NonEmptyStringValueParser;
use qdemo::convert::{Conversion, Lost, Target, player_slot};
use qdemo_inputs::unpacked_name;

use crate::called::with_extension;
use crate::clips::Writing;
use crate::console::{DOUBT, KEY};
use crate::exit::Exit;
use crate::session::Session;
use crate::show::{Safe, count, size};
use crate::writing::Rewriting;

/// Give recordings another protocol or format, for engines that play that one
///
/// The extension of the output says what it is to be: dm_66, dm_67, dm_68, dm_70 and dm_71 are made of each other and of
/// .dm3 and dm_45 to dm_48, dm_91 of Quake Live's dm_73 and dm_90. A .dem of any protocol is made one of 15, 666 or 999, as
/// --protocol says, a .qwd one of 28, and a .dm2 that a client recorded in 26 to 33 one of 34. A .qwd becomes an .mvd or a
/// .dem, a .dem a .qwd, and what shows all players (.mvd, .mvd2, recordings of Quake II's servers and of Relay) the recording
/// of the one that --player names. So does a recording of Quake III for those of its moments at which the recorder sees that
/// player. What the target has no room for is lost, and the account says what and how often;
/// docs/conversions.md lists what may be.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 written   2 a file could not be read or written, or there is no such conversion

Examples:
  qdemo convert duel.dm_66 -o duel.dm_68
  qdemo convert e1m1.dem --protocol 15 -o e1m1-15.dem
  qdemo convert demo1.dm2 --protocol 34 -o new.dm2       of the first releases, for engines of today
  qdemo convert 'demos/*.dm_68' --to dm_71 -o new/
  qdemo convert match.qwd -o match.mvd
  qdemo convert duel.mvd -o other.qwd --player 0         or a name: as that player saw it
  qdemo convert mine.dm_71 -o his.dm_71 --player b       while the recorder sees that player
  qdemo convert -n e1m1.dem --to dem --protocol 15       what would be lost")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// What the output is to be, where its name does not say it: an extension
    #[arg(long, value_name = "EXTENSION", value_parser = NonEmptyStringValueParser::new())]
    to: Option<String>,

    /// The protocol of the output, where its extension does not say it
    #[arg(long, value_name = "N")]
    protocol: Option<i32>,

    /// The player whose recording it is to be, by name, a part of it, or slot, where the input shows several
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    player: Option<String>,

    #[command(flatten)]
    writing: Writing,
}

impl Args {
    /// The extension that the output is to have.
    fn extension(&self) -> Result<&str> {
        let named = self.writing.output.as_deref().and_then(Path::extension).and_then(|extension| extension.to_str());
        let to = self.to.as_deref().map(|to| to.trim_start_matches('.'));
        match to.or(named) {
            Some(extension) => Ok(extension),
            None => bail!("to what? Give --to EXTENSION, or an output whose name has one"),
        }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    let extension = args.extension()?;
    let target = Target::by_extension(extension, args.protocol)?;
    let rewriting = Rewriting {
        files: &args.files,
        writing: &args.writing,
        beside: Vec::new(),
        rename: &|input| with_extension(unpacked_name(input), extension),
        reads_again: args.player.is_some(),
        plan: &|again, name| match &args.player {
            Some(player) => Ok(target.of_player(player_slot(again.whole()?, name, again.limits, player)?)),
            None => Ok(target),
        },
        carry_out: |input, name, means, target, output| {
            qdemo::convert::convert(input, name, means.limits, *target, output).map(|(_, account)| account)
        },
        text,
    };
    rewriting.run(session)
}

fn text(account: &Conversion, name: &str) -> String {
    let mut text = format!("{KEY}{}{KEY:#}: ", Safe(name));
    let from: Vec<_> = account.from_protocols.iter().map(i32::to_string).collect();
    let from = if from.is_empty() { "unknown".to_owned() } else { from.join(", ") };
    let (to, all) = (account.to_protocol, &account.account);
    let size = size(all.bytes_written);
    let _ = match (account.from_format, account.to_format) {
        (from_format, to_format) if from_format == to_format => {
            let kept = count(all.blocks_kept, "block");
            writeln!(text, "protocol {from} to {to}, {kept} of {} as they were, {size}", all.blocks_read)
        }
        (from_format, to_format) => {
            let read = count(all.blocks_read, "block");
            writeln!(text, ".{from_format} of protocol {from} to .{to_format} of protocol {to}, {read}, {size}")
        }
    };
    text += &losses(&account.losses);
    for note in &all.notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}

/// What was lost, in lines for people.
pub(crate) fn losses(losses: &[Lost]) -> String {
    let mut text = String::new();
    for lost in losses {
        let (what, times, at) = (lost.loss.name().replace('_', " "), count(lost.count, "time"), lost.clock.demo);
        let _ = writeln!(text, "  {DOUBT}lost{DOUBT:#} {what}: {times}, first at {at} (block {})", lost.block);
    }
    text
}
