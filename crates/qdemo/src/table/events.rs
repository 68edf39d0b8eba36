//! Tables of events and highlights.

use super::columns::{table, unless_plain};
use super::range::{COUNT, HEIGHT, SCORE, SLOTS, TURN, WORLD};
use super::row::{Row, RowOf};
use super::{Subject, Table};
use crate::analysis::highlight::Highlight;
use crate::event::{Event, EventKind, EventTag, PlayerRef};

table! {
    /// Deaths.
    FRAGS = "frags", "A death.", Subject::Events(&[EventTag::Frag]);
    [CLOCK TIME_MS TIME DEMO_MS BLOCK]
    frag of frag {
        attacker_slot: Integer within SLOTS, "Slot of the player who did it; missing for the world." = frag.attacker.as_ref()?.slot;
        attacker: Word, "Name of that player." = &*frag.attacker.as_ref()?.name;
        attacker_raw: Raw, "The same as the bytes in the file, one character for each; missing where these are the plain \
            characters." = raw(frag.attacker.as_ref()?);
        attacker_team: Word, "Team of that player." = frag.attacker.as_ref()?.team.as_deref();
        victim_slot: Integer within SLOTS, "Slot of the player who died." = frag.victim.slot;
        victim: Word, "Name of that player." = &*frag.victim.name;
        victim_raw: Raw, "The same as the bytes in the file." = raw(&frag.victim);
        victim_team: Word, "Team of that player." = frag.victim.team.as_deref();
        weapon: Word, "The weapon, by the game's name; missing where there was none." = unless_empty(&frag.weapon);
        means: Word, "The cause of death in the game's own terms." = &*frag.means;
        frag_kind: Word, "`kill`, `team_kill`, `suicide`, or `world`: lava, falls, traps." = frag.kind.name();
        attacker_x: Number in "units" within WORLD, "Where the attacker was, where that is known." = frag.attacker_origin?[0];
        attacker_y: Number in "units" within WORLD, "Likewise, y." = frag.attacker_origin?[1];
        attacker_z: Number in "units" within WORLD, "Likewise, z." = frag.attacker_origin?[2];
        victim_x: Number in "units" within WORLD, "Where the victim was, where that is known." = frag.victim_origin?[0];
        victim_y: Number in "units" within WORLD, "Likewise, y." = frag.victim_origin?[1];
        victim_z: Number in "units" within WORLD, "Likewise, z." = frag.victim_origin?[2];
    }
    [INFERRED]
}

table! {
    /// Chat.
    CHAT = "chat", "A line of chat.", Subject::Events(&[EventTag::Chat]);
    [CLOCK TIME_MS TIME DEMO_MS BLOCK SLOT]
    row of any {
        speaker: Word, "Name of the player who speaks; missing where it cannot be told." = row.name();
        speaker_raw: Raw, "The same as the bytes in the file, one character for each; missing where these are the plain \
            characters." = row.name_raw();
    }
    [TEAM]
    chat of chat {
        team_chat: Boolean, "True when only the own team can read it." = chat.team;
        private: Boolean, "True when only one player can read it." = chat.private;
        location: Word, "The place where the speaker is, where the line names it." = chat.location.as_deref();
        text: Text, "The text in plain characters." = chat.text.trim_end_matches('\n');
        text_raw: Raw, "The text as the bytes in the file, without the ends of lines behind it, one character for each; missing \
            where these are the plain characters." = unless_plain(without_end(&chat.text_raw), chat.text.trim_end_matches('\n'));
    }
}

table! {
    /// Scores.
    SCORES = "scores", "A change of a player's score, or of the scores of both sides.",
        Subject::Events(&[EventTag::Score, EventTag::Scores]);
    [CLOCK TIME_MS TIME DEMO_MS BLOCK SLOT NAME NAME_RAW TEAM]
    score of score {
        from: Integer within SCORE, "The player's score before." = score[0];
        to: Integer within SCORE, "The player's score now." = score[1];
    }
    sides of scores {
        first: Integer within SCORE, "Score of the red team, or of the first player." = sides[0];
        second: Integer within SCORE, "Score of the blue team, or of the second player." = sides[1];
    }
}

table! {
    /// Runs against the clock.
    RUNS = "runs", "A finished level of a speedrun, a run of DeFRaG, or a race of KTX.", Subject::Events(&[EventTag::Run]);
    [CLOCK TIME_MS TIME DEMO_MS BLOCK SLOT NAME NAME_RAW]
    run of run {
        map: Word, "Name of the map." = &*run.map;
        run_time: Text in "s", "The time of the run, with all digits that mean something." =
            run.digits();
        from: Word, "Where that number comes from." = run.from;
        kills: Integer within COUNT, "Monsters killed." = run.totals?[0];
        monsters: Integer within COUNT, "Monsters that there are." = run.totals?[1];
        secrets_found: Integer within COUNT, "Secrets found." = run.totals?[2];
        secrets: Integer within COUNT, "Secrets that there are." = run.totals?[3];
        mode: Word, "Physics, where they are told: `vq3` or `cpm`." = run.mode.as_deref();
    }
    [INFERRED]
}

table! {
    /// What is worth seeing again.
    HIGHLIGHTS = "highlights", "Something worth seeing again, with the numbers that justify it.", Subject::Highlights;
    [CLOCK TIME_MS TIME DEMO_MS BLOCK]
    it of highlight {
        highlight: Word, "`multikill`: several kills, each soon after the one before. `streak`: many kills without dying. \
            `one_shot`: several kills at one moment with one weapon that shoots once. `midair`: a rocket or a grenade hits \
            somebody in the air. `flick`: a kill with a weapon that hits at once, right after the view turned far." =
            it.kind.name();
        lasted_ms: Integer in "ms" within COUNT, "From the first kill to the last." = it.lasted.ms();
    }
    [SLOT NAME NAME_RAW TEAM]
    it of highlight {
        count: Integer within COUNT, "Kills, or hits." = it.count;
        weapon: Word, "The weapon; missing where it was more than one, or none." = unless_empty(&it.weapon);
        victims: Text, "Names of those who were hit, with commas; at most 64." =
            it.victims.iter().map(|who| &*who.name).collect::<Vec<_>>().join(", ");
        killed: Boolean, "False for a hit that the victim survived." = it.killed;
        turned: Number in "degrees" within TURN, "By how much the view turned." = it.proof.turned?.0;
        turned_ms: Integer in "ms" within COUNT, "In which time." = it.proof.turned?.1.ms();
        airborne_ms: Integer in "ms" within COUNT, "So long the victim was in the air when it was hit." = it.proof.airborne?.ms();
        height: Number in "units" within HEIGHT, "How much higher it was than where that began." = it.proof.height;
        distance: Number in "units" within COUNT, "Between the two players." = it.proof.distance;
        inferred: Word, "How it is known, where the recording does not say so itself." = it.proof.inferred;
    }
}

table! {
    /// Everything that happened.
    EVENTS = "events", "Something that happened.", Subject::Events(EventTag::ALL);
    [CLOCK TIME_MS TIME DEMO_MS BLOCK]
    event of event {
        offset: Integer within COUNT, "Offset in the file of the messages of that block." = event.offset;
        kind: Word, "The kind of event." = event.kind.tag().name();
    }
    [SLOT]
    row of any {
        player: Word, "Name of the player whom it is about; of a frag the attacker." = row.name();
        player_raw: Raw, "The same as the bytes in the file, one character for each; missing where these are the plain \
            characters." = row.name_raw();
    }
    [TEAM]
    event of event {
        other_slot: Integer within SLOTS, "Slot of the other player: of a frag the victim." = event.kind.players()[1]?.slot;
        other: Word, "Name of that player." = &*event.kind.players()[1]?.name;
        other_raw: Raw, "The same as the bytes in the file." = raw(event.kind.players()[1]?);
        item: Word, "What is taken, dropped, or appears again." = match &event.kind {
            EventKind::Pickup { item, .. } | EventKind::Drop { item, .. } | EventKind::Respawn { item, .. } => Some(&**item),
            _ => None,
        };
        what: Text, "What happened, in words." = event.kind.to_string().trim_end_matches('\n').to_owned();
        source: Word, "The message that tells it." = event.source;
    }
    [INFERRED]
}

fn raw(who: &PlayerRef) -> Option<&[u8]> {
    unless_plain(&who.name_raw, &who.name)
}

/// A text without the ends of lines behind it.
fn without_end(mut text: &[u8]) -> &[u8] {
    while let Some(before) = text.strip_suffix(b"\n") {
        text = before;
    }
    text
}

fn unless_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// The row that an event makes in a table of events, such as [`FRAGS`] or [`EVENTS`]; `None` when it is of another kind.
pub fn event<'e>(table: &Table, event: &'e Event) -> Option<Row<'e>> {
    let Subject::Events(kinds) = table.of else { return None };
    let row = Row { clock: event.clock, block: event.block, level: 0, about: RowOf::Event(event) };
    kinds.contains(&event.kind.tag()).then_some(row)
}

/// The row of [`HIGHLIGHTS`] that a highlight makes.
pub fn highlight(it: &Highlight) -> Row<'_> {
    Row { clock: it.clock, block: it.block, level: 0, about: RowOf::Highlight(it) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Certainty, Chat};
    use crate::world::{Clock, ClockKind, DemoTime};

    /// The bytes of a line of chat are all of them but the end of the line, blanks behind it, too.
    #[test]
    fn blanks_behind_chat_are_bytes_of_it() {
        for (raw, text, expected) in [(&b"^1hi \n"[..], "hi ", "\"^1hi \""), (b"hi \n", "hi ", "")] {
            let chat = Chat {
                speaker: None,
                text: text.to_owned(),
                text_raw: raw.to_vec(),
                team: false,
                private: false,
                location: None,
            };
            let clock = Clock { kind: ClockKind::Server, now: None, frame: None, demo: DemoTime(0) };
            let (source, certainty) = ("print", Certainty::Stated);
            let line = Event { block: 0, offset: 0, clock, source, certainty, kind: EventKind::Chat(chat) };
            let mut cell = Vec::new();
            CHAT.column("text_raw").unwrap().values.write(&event(&CHAT, &line).unwrap(), &mut cell);
            assert_eq!(String::from_utf8(cell).unwrap().trim_matches('"'), expected.trim_matches('"'));
        }
    }
}
