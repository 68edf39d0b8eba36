//! Telling the protocol of a Quake III demo from its first blocks.

use super::dialect::Dialect;
use super::gamestate::{Beginning, Gamestate};
use super::message::{Message, MessageKind};
use super::packet::Decoder;
use crate::format::{Look, MessageSet, Survey, Verdict};
use crate::wire::info_value;

/// How the blocks decode in one layout.
struct Trial {
    dialect: Dialect,
    seen: Survey,
    /// The protocol that the server tells in the first gamestate.
    told: Option<i32>,
    /// What an ioquake3 server calls its own protocol there.
    own: Option<i32>,
    gamestate: bool,
    /// The beginning of a gamestate in the first block, where that is all there is of it.
    beginning: Option<Beginning>,
    /// Size and what is there of the first block, when the end of the file cuts it.
    cut: Option<(usize, usize)>,
}

/// Tries the layouts of all protocols on the first blocks.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let named = look.protocol;
    let mut trials: Vec<Trial> = Vec::new();
    for dialect in Dialect::all() {
        // Protocols that share a layout need one trial.
        if !trials.iter().any(|t| t.dialect.layout == dialect.layout) {
            trials.push(Trial::run(look, *dialect));
        }
        if trials.iter().all(|t| t.seen.blocks == 0) {
            break;
        }
    }
    let Some(best) = trials.iter().max_by_key(|t| t.seen.clean).filter(|t| t.seen.clean > 0) else {
        if let Some(verdict) = only_beginning(&trials, look) {
            return verdict;
        }
        let blocks = trials.first().map_or(0, |t| t.seen.blocks);
        return Verdict {
            protocol: Some(Dialect::QUAKE3.protocol),
            ..Verdict::new(0, format!("none of {blocks} blocks holds messages"))
        };
    };
    let told = trials.iter().filter(|t| t.seen.clean == best.seen.clean).find_map(|t| t.told);
    // The protocol that the server tells, unless its layout fails; then the one of the name.
    let fits = |protocol: &i32| {
        let dialect = Dialect::by_protocol(*protocol)?;
        trials.iter().any(|t| t.dialect.layout == dialect.layout && t.seen.clean == best.seen.clean).then_some(dialect)
    };
    let by_server = told.as_ref().and_then(fits);
    let by_name = named.as_ref().and_then(fits);
    let own = trials.iter().filter(|t| t.seen.clean == best.seen.clean).find_map(|t| t.own);
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
    let mut score = best.seen.share(60) + best.seen.framed(20);
    score += 20 * u64::from(best.gamestate || best.seen.clean > 3);
    let Survey { clean, blocks, .. } = best.seen;
    let reason = format!("{clean} of {blocks} blocks decode with protocol {}, {how}", dialect.protocol);
    Verdict { protocol: Some(dialect.protocol), ..Verdict::new(score, reason).of(&best.seen) }
}

/// Too little for any name to make it one of these recordings, and more than what says nothing of a file.
const ANOTHER_GAME: u64 = 10;

/// The verdict on a file of which no block can be decoded: what its first block begins with.
fn only_beginning(trials: &[Trial], look: &Look<'_>) -> Option<Verdict> {
    let told = |t: &&Trial| t.beginning.as_ref().is_some_and(Beginning::is_told);
    let trial = trials.iter().find(told).or_else(|| trials.iter().find(|t| t.beginning.is_some()));
    let serverinfo = trial.filter(told).and_then(|t| t.beginning.as_ref()).map(|b| b.serverinfo.as_slice());
    let value = |key: &str| {
        let value = info_value(serverinfo?, key)?;
        Some(String::from_utf8_lossy(value).into_owned()).filter(|value| !value.is_empty())
    };
    let protocol = value("protocol").and_then(|protocol| protocol.parse().ok());
    let known = protocol.is_none_or(|protocol| Dialect::by_protocol(protocol).is_some());
    let Some((size, there)) = trials.iter().find_map(|t| t.cut).filter(|_| known) else {
        // Whole, and told to be something else.
        let protocol = protocol.filter(|_| !known)?;
        let more: Vec<_> = ["version", "gamename"].into_iter().filter_map(value).collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        let reason = format!(
            "this is a recording of another game with Quake III's engine, protocol {protocol}{more}, which qdemo does not read"
        );
        return Some(Verdict::new(ANOTHER_GAME, reason));
    };
    if !look.named && serverinfo.is_none() {
        return None;
    }
    let dialect = protocol.or(look.protocol).and_then(Dialect::by_protocol).unwrap_or(Dialect::QUAKE3);
    let (score, what) = match (serverinfo, trial) {
        (Some(_), _) => (80, "the beginning of a gamestate with serverinfo"),
        (None, Some(_)) => (75, "the beginning of a gamestate"),
        (None, None) => (35, "what may be anything"),
    };
    let reason =
        format!("the first block is cut: {there} of its {size} bytes are there, {what}; no other block follows");
    Some(Verdict { protocol: Some(dialect.protocol), ..Verdict::new(score, reason) })
}

impl Trial {
    fn run(look: &Look<'_>, dialect: Dialect) -> Trial {
        let (mut told, mut own, mut gamestate, mut begun) = (None, None, false, false);
        let (mut beginning, mut cut, mut is_first) = (None, None, true);
        let number = dialect.number_of(MessageKind::Gamestate);
        let seen = look.survey(
            Decoder::new(dialect),
            |seen| seen.blocks + seen.unframed >= 16,
            |sample| {
                let messages = &sample.packet.messages;
                if std::mem::take(&mut is_first) {
                    let block = sample.block;
                    beginning = number.and_then(|number| Beginning::read(block.payload, &dialect, number));
                    cut = block.is_cut().then(|| (block.size(), block.payload.len()));
                }
                let known = messages
                    .iter()
                    .filter_map(MessageSet::kind)
                    .any(|k| !matches!(k, MessageKind::Nop | MessageKind::Eof));
                let states = messages.iter().filter_map(|m| if let Message::Gamestate(g) = m { Some(g) } else { None });
                for state in states {
                    gamestate = true;
                    begun = true;
                    told = told.or_else(|| protocol(state, "protocol"));
                    own = own.or_else(|| protocol(state, "com_protocol"));
                }
                // A fault in a block that the file cuts is no wonder, but alone such a block is no evidence.
                let speaks = known && (sample.is_whole() || sample.block.is_cut() && begun);
                begun |= speaks;
                speaks
            },
        );
        Trial { dialect, seen, told, own, gamestate, beginning, cut }
    }
}

/// The protocol that the server tells under a key.
fn protocol(gamestate: &Gamestate, key: &str) -> Option<i32> {
    let serverinfo = gamestate.configstrings().find(|c| c.index == 0)?;
    std::str::from_utf8(info_value(&serverinfo.value.0, key)?).ok()?.trim().parse().ok()
}
