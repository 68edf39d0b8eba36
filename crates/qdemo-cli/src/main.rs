//! The `qdemo` command: a thin face on the `qdemo` library.
//!
//! One file per verb. What the verbs share: `qdemo_inputs` turns arguments into files, [`batch`] works on many of them
//! at once, [`writing`] and [`output`] write without ever destroying an input, [`console`] talks to people.

mod batch;
mod called;
mod camera;
mod check;
mod cli;
mod clips;
mod compile;
mod completions;
mod console;
mod convert;
mod cut;
mod decompile;
mod diff;
mod draw;
mod edit;
mod event_verbs;
mod events;
mod exit;
mod export;
mod find;
mod hash;
mod highlights;
mod index;
mod info;
mod join;
mod json_line;
mod limits;
mod manual;
mod maps;
mod match_report;
mod merge;
mod output;
mod png;
mod repair;
mod report;
mod retime;
mod rows;
mod schema;
mod session;
mod show;
mod shown;
mod state;
mod stats;
mod table;
mod texts;
mod timeline;
mod together;
mod unfinished;
mod unpack;
mod verify;
mod view;
mod when;
mod writing;

use std::process::ExitCode;

use cli::{Cli, Verb};
use exit::Exit;
use session::Session;

fn main() -> ExitCode {
    let cli = Cli::called();
    let session = Session::new(&cli.common);
    let done = match cli.verb {
        Verb::Info(args) => info::run(&args, &session),
        Verb::Decompile(args) => decompile::run(&args, &session),
        Verb::Compile(args) => compile::run(&args, &session),
        Verb::Verify(args) => verify::run(&args, &session),
        Verb::Check(args) => check::run(&args, &session),
        Verb::Diff(args) => diff::run(&args, &session),
        Verb::Repair(args) => repair::run(&args, &session),
        Verb::State(args) => state::run(&args, &session),
        Verb::Timeline(args) => timeline::run(&args, &session),
        Verb::Players(args) => timeline::players(&args, &session),
        Verb::Export(args) => export::run(&args, &session),
        Verb::Frags(args) => events::run(&args.common, events::Verb::Frags, &session),
        Verb::Chat(args) => events::run(&args.common, events::Verb::Chat, &session),
        Verb::Scores(args) => events::run(&args.common, events::Verb::Scores, &session),
        Verb::Runs(args) => events::run(&args.common, events::Verb::Runs, &session),
        Verb::Events(args) => events::run(&args.common, args.verb(), &session),
        Verb::Texts(args) => texts::run(&args, &session),
        Verb::Highlights(args) => highlights::run(&args, &session),
        Verb::Stats(args) => stats::run(&args, &session),
        Verb::View(args) => view::run(&args, &session),
        Verb::Draw(args) => draw::run(&args, &session),
        Verb::Report(args) => match_report::run(&args, &session),
        Verb::Cut(args) => cut::cut(&args, &session),
        Verb::Split(args) => cut::split(&args, &session),
        Verb::Join(args) => join::run(&args, &session),
        Verb::Merge(args) => merge::run(&args, &session),
        Verb::Retime(args) => retime::run(&args, &session),
        Verb::Edit(args) => edit::run(&args, &session),
        Verb::Camera(args) => camera::run(&args, &session),
        Verb::Convert(args) => convert::run(&args, &session),
        Verb::Schema(args) => schema::run(&args, &session),
        Verb::Hash(args) => hash::run(&args, &session),
        Verb::Index(args) => index::run(&args, &session),
        Verb::Find(args) => find::run(&args, &session),
        Verb::Unpack(args) => unpack::run(&args, &session),
        Verb::Completions(args) => completions::completions(&args, &session),
        Verb::Man(args) => completions::man(&args, &session),
    };
    match done.and_then(|exit| session.console.finish().map(|()| exit)) {
        Ok(exit) => exit.into(),
        Err(e) if exit::is_closed_pipe(&e) => Exit::Fine.into(),
        Err(e) => {
            session.console.error(&e);
            Exit::Error.into()
        }
    }
}
