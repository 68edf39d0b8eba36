//! Telling an `.mvd` by its first records.

use super::packet::{Decoder, Target};
use crate::format::qwd::told;
use crate::format::{Look, Survey, Verdict};

/// How much the beginning of a file looks like an `.mvd`.
pub(crate) fn look(look: &Look<'_>) -> Verdict {
    let (mut seen, mut introduced) = survey(look, Decoder::default());
    let (decoder, assumed) = look.assume(Decoder::default(), &seen);
    if assumed.is_some() {
        (seen, introduced) = survey(look, decoder);
    }
    if seen.clean == 0 {
        return Verdict::new(0, "no records of QuakeWorld");
    }
    let mut score = seen.share(50) + seen.framed(20) + 30 * u64::from(introduced);
    // Without serverdata two bytes prove little.
    if !introduced && seen.clean < 16 {
        score /= 2;
    }
    let head = if introduced { "serverdata" } else { "no serverdata" };
    Verdict::new(score, format!("{head}, and {} of {} records with QuakeWorld messages", seen.clean, seen.blocks))
        .of(&seen)
        .assuming(assumed)
}

/// What is seen, and whether a server introduces itself.
fn survey(look: &Look<'_>, decoder: Decoder) -> (Survey, bool) {
    let mut introduced = false;
    let seen = look.survey(
        decoder,
        |seen| seen.blocks + seen.unframed >= 48,
        |sample| {
            if matches!(sample.block.header.to.target, Target::Command | Target::Set | Target::Multiple(0)) {
                return introduced;
            }
            let (known, data) = told(&sample.packet.messages);
            introduced |= data;
            // An empty record is a frame without news.
            let empty = sample.block.payload.is_empty() && introduced;
            // Of a file that ends within its first record, `serverdata` is enough.
            let begun = sample.block.is_cut() && data;
            sample.is_whole() && known || begun || empty
        },
    );
    (seen, introduced)
}
