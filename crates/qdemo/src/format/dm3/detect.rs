//! Telling the protocol of a Quake III demo from its first blocks.

use super::block::{Framer, Chunk};
use super::decode::Packet;
use super::message::{Kind, Message};
use super::serverinfo;
use crate::dialect::quake3::Dialect;
use crate::format::Step;
use crate::limits::Limits;

/// What the beginning of a file looks like.
#[derive(Debug)]
pub(crate) struct Look {
    /// The best reading.
    pub(crate) dialect: Dialect,
    /// How sure, 0 to 100.
    pub(crate) score: u8,
    /// Why, for people.
    pub(crate) reason: String,
}

/// How the blocks decode in one layout.
struct Trial {
    dialect: Dialect,
    clean: u64,
    blocks: u64,
    unframed: u64,
    /// The protocol that the server tells in the first gamestate.
    told: Option<i32>,
    /// What an ioquake3 server calls its own protocol there.
    own: Option<i32>,
    gamestate: bool,
}

/// Tries the layouts of all protocols on the first blocks. `named` is the protocol that the file's name tells.
pub(crate) fn look(beginning: &[u8], at_end: bool, named: Option<i32>, limits: Limits) -> Look {
    let mut trials: Vec<Trial> = Vec::new();
    for dialect in Dialect::all() {
        // Protocols that share a layout need one trial.
        if !trials.iter().any(|t| t.dialect.layout == dialect.layout) {
            trials.push(Trial::run(beginning, at_end, *dialect, limits));
        }
        if trials.iter().all(|t| t.blocks == 0) {
            break;
        }
    }
    let Some(best) = trials.iter().max_by_key(|t| t.clean).filter(|t| t.clean > 0) else {
        let blocks = trials.first().map_or(0, |t| t.blocks);
        return Look { dialect: Dialect::QUAKE3, score: 0, reason: format!("none of {blocks} blocks holds messages") };
    };
    let told = trials.iter().filter(|t| t.clean == best.clean).find_map(|t| t.told);
    // The protocol that the server tells, unless its layout fails; then the one of the name.
    let fits = |protocol: &i32| {
        let dialect = Dialect::by_protocol(*protocol)?;
        trials.iter().any(|t| t.dialect.layout == dialect.layout && t.clean == best.clean).then_some(dialect)
    };
    let by_server = told.as_ref().and_then(fits);
    let by_name = named.as_ref().and_then(fits);
    let own = trials.iter().filter(|t| t.clean == best.clean).find_map(|t| t.own);
    let by_own = own.as_ref().and_then(fits);
    // Short blocks may decode in several layouts: then it is that of most recordings.
    let fallback = fits(&Dialect::QUAKE3.protocol).unwrap_or(best.dialect);
    let dialect = by_server.or(by_name).or(by_own).unwrap_or(fallback);
    let how = match (by_server, told, by_name) {
        (Some(_), ..) => "as serverinfo says".to_owned(),
        (None, Some(told), _) => format!("although serverinfo says {told}"),
        (None, None, Some(_)) => "as the name says; serverinfo does not tell".to_owned(),
        (None, None, None) if by_own.is_some() => "as com_protocol in serverinfo says".to_owned(),
        (None, None, None) => "serverinfo does not tell".to_owned(),
    };
    let mut score = 60 * best.clean / (best.blocks + best.unframed);
    score += 20 * u64::from(best.unframed == 0) + 20 * u64::from(best.gamestate || best.clean > 3);
    let reason = format!("{} of {} blocks decode with protocol {}, {how}", best.clean, best.blocks, dialect.protocol);
    Look { dialect, score: score.min(100) as u8, reason }
}

impl Trial {
    fn run(beginning: &[u8], at_end: bool, dialect: Dialect, limits: Limits) -> Trial {
        const ENOUGH: u64 = 16;
        let mut trial = Trial { dialect, clean: 0, blocks: 0, unframed: 0, told: None, own: None, gamestate: false };
        let mut framer = Framer::new(limits);
        let mut packet = Packet::default();
        let mut at = 0;
        while let Step::Cut(cut) = framer.next(&beginning[at..], at_end) {
            match cut.chunk(&beginning[at..]) {
                Chunk::Block(block) => {
                    trial.blocks += 1;
                    let fault = packet.read(block.payload, &dialect);
                    let known =
                        packet.messages.iter().filter_map(Message::kind).any(|k| !matches!(k, Kind::Nop | Kind::Eof));
                    // A fault in a block that the file cuts is no wonder, but alone such a block is no evidence.
                    let begun = trial.clean > 0 || packet.messages.iter().any(|m| matches!(m, Message::Gamestate(_)));
                    trial.clean += u64::from(known && (fault.is_none() || block.is_cut() && begun));
                    for message in &packet.messages {
                        if let Message::Gamestate(gamestate) = message {
                            trial.gamestate = true;
                            trial.told = trial.told.or_else(|| serverinfo::protocol(gamestate, "protocol"));
                            trial.own = trial.own.or_else(|| serverinfo::protocol(gamestate, "com_protocol"));
                        }
                    }
                }
                Chunk::Unframed(_) => trial.unframed += 1,
                Chunk::End | Chunk::Trailer(_) => break,
            }
            at += cut.len;
            if trial.blocks + trial.unframed >= ENOUGH {
                break;
            }
        }
        trial
    }
}
