//! Recordings written by hand: blocks, records, packets, and the `serverdata` in front.

use qdemo::Limits;
use qdemo::format::dem::Extensions;
use qdemo::format::qwd::{Dialect, Message, Messages};
use qdemo::text::{Options, decompile_bytes};
use qdemo::verify::verify;

use crate::common::assert_survives;

/// What the last packet of a clean recording holds: `disconnect`, and a text.
pub(crate) const END: &[u8] = b"\x02EndOfDemo\0";

/// A server's introduction: what decides how all later messages are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Server {
    /// 24 to 28.
    pub(crate) protocol: i32,
    /// FTE's flags; 0: not announced.
    pub(crate) fte: u32,
    /// MVDSV's flags; 0: not announced.
    pub(crate) mvd1: u32,
    /// In a multi-view recording.
    pub(crate) multiview: bool,
}

/// Protocol 28, seen by a client.
pub(crate) const CLIENT: Server = Server { protocol: 28, fte: 0, mvd1: 0, multiview: false };
/// Protocol 28 in a multi-view recording.
pub(crate) const MULTIVIEW: Server = Server { multiview: true, ..CLIENT };

impl Server {
    /// The message `serverdata`: id 11, extension words, protocol, server count 7, game directory, then the slot of
    /// the recorder or the time of the server, level name, and from protocol 25 on ten floats.
    pub(crate) fn data(&self) -> Vec<u8> {
        let mut m = vec![11];
        for (magic, flags) in [(b"FTEX", self.fte), (b"MVD1", self.mvd1)] {
            if flags != 0 {
                m.extend(magic);
                m.extend(flags.to_le_bytes());
            }
        }
        m.extend(self.protocol.to_le_bytes());
        m.extend([7, 0, 0, 0]);
        m.extend(b"qw\0");
        if self.multiview {
            m.extend(2.5f32.to_le_bytes());
        } else {
            m.push(3);
        }
        m.extend(b"The Dark Zone\0");
        if self.protocol >= 25 {
            m.extend(
                [800.0f32, 100.0, 320.0, 500.0, 10.0, 0.7, 10.0, 6.0, 1.0, 1.0].map(f32::to_le_bytes).as_flattened(),
            );
        }
        m
    }

    /// The dialect that it leads to, as reading it gives.
    pub(crate) fn dialect(&self) -> Dialect {
        let data = self.data();
        let mut messages = Messages::new(&data, if self.multiview { Dialect::MULTIVIEW } else { Dialect::QUAKEWORLD });
        assert!(matches!(messages.next(), Some(Message::ServerData(m)) if m.serverversion == self.protocol));
        assert_eq!((messages.next(), messages.fault()), (None, None), "{self:?}");
        messages.dialect()
    }

    /// A recording: `serverdata`, then blocks of messages.
    pub(crate) fn demo(&self, blocks: &[&[u8]]) -> Vec<u8> {
        let data = self.data();
        let all = [&[&data[..]], blocks].concat();
        match self.multiview {
            true => all.iter().flat_map(|messages| record(6, messages)).collect(),
            false => all.iter().zip(1..).flat_map(|(messages, n)| packet(n as f32, n, messages)).collect(),
        }
    }

    /// A name that fits.
    pub(crate) fn name(&self) -> &'static str {
        if self.multiview { "x.mvd" } else { "x.qwd" }
    }

    /// The text of the messages in a block: white space folded, comments left out. The recording around them is
    /// sound, and comes back from text and JSON.
    #[track_caller]
    pub(crate) fn text_of(&self, messages: &[u8]) -> String {
        text_of_block(&self.demo(&[messages, END]), self.name(), 1)
    }
}

/// The text of a block, without what its header says.
#[track_caller]
pub(crate) fn text_of_block(demo: &[u8], name: &str, index: usize) -> String {
    let block = block_text(demo, name, index);
    // Behind the sequence numbers of the second packet, and behind the target of a record.
    let head = if name.ends_with("mvd") { "msec 0; all;" } else { "time 2s; seq1 2; seq2 2;" };
    block.strip_prefix(head).unwrap_or_else(|| panic!("{head} in {block}")).trim().to_owned()
}

/// The text of a block with what its header says, white space folded, comments left out. The recording is sound, and
/// comes back from text and JSON.
#[track_caller]
pub(crate) fn block_text(demo: &[u8], name: &str, index: usize) -> String {
    let report = verify(demo, name, Limits::default()).unwrap();
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound(), "{faults:?}");
    assert_survives(demo, name);
    let text = String::from_utf8(decompile_bytes(demo, name, &Options::default()).unwrap()).unwrap();
    let lines: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap().trim_end()).collect();
    // Blocks begin at the left margin.
    let starts: Vec<_> =
        (0..lines.len()).filter(|n| lines[*n].ends_with("block {") && !lines[*n].starts_with(' ')).collect();
    let end = starts.get(index + 1).copied().unwrap_or(lines.len());
    let block: Vec<_> =
        lines[starts[index] + 1..end].iter().map(|line| line.trim()).filter(|l| !l.is_empty()).collect();
    block.join(" ").strip_suffix('}').unwrap().trim().to_owned()
}

/// A block of a `.qwd`.
pub(crate) fn block(time: f32, kind: u8, payload: &[u8]) -> Vec<u8> {
    let size = (payload.len() as u32).to_le_bytes();
    [&time.to_le_bytes()[..], &[kind], if kind == 1 { &size } else { &[] }, payload].concat()
}

/// A packet of the game with its number; the client's number is `number` too.
pub(crate) fn packet(time: f32, number: u32, messages: &[u8]) -> Vec<u8> {
    let number = number.to_le_bytes();
    block(time, 1, &[&number, &number, messages].concat())
}

/// A packet outside the game: FFFFFFFF, kind, what follows.
pub(crate) fn outside(kind: u8, data: &[u8]) -> Vec<u8> {
    block(1.0, 1, &[&[0xFF, 0xFF, 0xFF, 0xFF, kind], data].concat())
}

/// A record of an `.mvd` without a mask; `kind` has the slot in its upper five bits.
pub(crate) fn record(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&[0, kind][..], &(payload.len() as u32).to_le_bytes(), payload].concat()
}

/// A record for several players.
pub(crate) fn multiple(mask: u32, payload: &[u8]) -> Vec<u8> {
    [&[0, 3][..], &mask.to_le_bytes(), &(payload.len() as u32).to_le_bytes(), payload].concat()
}

/// A hidden message: length, number, data.
pub(crate) fn hidden(kind: u16, data: &[u8]) -> Vec<u8> {
    [&(data.len() as u32).to_le_bytes()[..], &kind.to_le_bytes(), data].concat()
}

/// Extension words as `serverdata` has them.
pub(crate) fn extensions(server: &Server) -> Vec<(u32, u32)> {
    let all = [(Extensions::FTE1, server.fte), (Extensions::MVD1, server.mvd1)];
    all.into_iter().filter(|(_, flags)| *flags != 0).collect()
}

/// The first block of a recording and some later ones: short, and with what a game has.
pub(crate) fn some_blocks(demo: &[u8], multiview: bool, keep: impl Fn(usize) -> bool) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(demo[at..at + 4].try_into().unwrap()) as usize;
    let (mut all, mut at) = (Vec::new(), 0);
    for index in 0.. {
        if at >= demo.len() {
            break;
        }
        let whole = match (multiview, demo[at + 1] & 7, demo.get(at + 4)) {
            (true, 3, _) => 10 + word(at + 6),
            (true, _, _) => 6 + word(at + 2),
            (false, _, Some(1)) => 9 + word(at + 5),
            (false, _, Some(0)) => 41,
            (false, ..) => 13,
        };
        let end = (at + whole).min(demo.len());
        if index == 0 || keep(index) {
            all.extend(&demo[at..end]);
        }
        at = end;
    }
    all
}
