//! What does not change from frame to frame: configstrings, layouts, scores, names of weapons.

use std::borrow::Cow;
use std::ops::Range;

/// The configstrings at a moment.
#[derive(Debug, Clone, Default)]
pub struct Configstrings {
    /// Begin and length in `text`, by number.
    places: Vec<(u32, u32)>,
    text: Vec<u8>,
    /// Bytes of `text` that no configstring has any more.
    unused: usize,
    /// The program of the status bar, where it stands in pieces.
    joined_bar: Vec<u8>,
    pub(super) bar: StatusBar,
    /// Player slots of the level, where it tells.
    pub(super) maxclients: Option<usize>,
    /// The picture of a team on the status bar, by number.
    pub(super) team_picture: Option<u16>,
    /// Those that begin with `#`, by number, and the weapons that they are models of, in the hands of players.
    weapons: Vec<(u16, Option<Cow<'static, str>>)>,
}

/// What the program of the status bar says of its numbers: mods may use them for something else.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StatusBar {
    /// Number 16 is shown as a name: that of the player who is followed.
    pub(super) names_chased: bool,
    /// Something hangs on number 17: it marks spectators.
    pub(super) marks_spectators: bool,
}

impl Configstrings {
    /// Highest number of all protocols, and then some.
    const MOST: usize = 20_000;
    /// Number of the program of the status bar.
    const STATUS_BAR: u16 = 5;
    /// Unused bytes that are not worth tidying.
    const LITTLE: usize = 16_384;

    /// The value of a configstring; empty when there is none.
    pub fn get(&self, index: u16) -> &[u8] {
        self.places.get(usize::from(index)).map_or(&[], |place| self.text(*place))
    }

    /// The configstrings that are not empty, by number.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> + '_ {
        self.places.iter().map(|place| self.text(*place)).enumerate().filter(|(_, value)| !value.is_empty())
    }

    fn text(&self, (start, len): (u32, u32)) -> &[u8] {
        let start = start as usize;
        self.text.get(start..start + len as usize).unwrap_or_default()
    }

    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.text.clear();
        self.unused = 0;
        self.joined_bar.clear();
        self.bar = StatusBar::default();
        self.maxclients = None;
        self.team_picture = None;
        self.weapons.clear();
    }

    /// The weapons whose models these numbers have, in their order.
    pub(super) fn weapons(&self, numbers: Range<u16>) -> impl Iterator<Item = Option<&Cow<'static, str>>> {
        let those = self.weapons.iter().filter(move |(number, _)| numbers.contains(number));
        those.map(|(_, weapon)| weapon.as_ref())
    }

    /// The program of the status bar.
    pub(super) fn status_bar(&self) -> &[u8] {
        if self.joined_bar.is_empty() { self.get(Self::STATUS_BAR) } else { &self.joined_bar }
    }

    /// A configstring of the status bar is another one; these are those in front of `end`. Servers of id tell the whole
    /// program as the first of them, and its tails behind it. Those of Q2PRO tell it in pieces: it goes on behind each that
    /// is as long as a configstring may be.
    pub(super) fn read_status_bar(&mut self, index: u16, end: u16, longest: usize) {
        let in_pieces = self.get(Self::STATUS_BAR).len() == longest;
        if index != Self::STATUS_BAR && !in_pieces {
            return;
        }
        let mut joined = Vec::new();
        for index in (Self::STATUS_BAR..end).take_while(|_| in_pieces) {
            let piece = self.get(index);
            joined.extend_from_slice(piece);
            if piece.len() != longest {
                break;
            }
        }
        self.joined_bar = joined;
        let program = self.status_bar();
        self.bar = StatusBar {
            names_chased: program_has(program, b"stat_string", b"16"),
            marks_spectators: program_has(program, b"if", b"17"),
        };
    }

    pub(super) fn set(&mut self, index: u16, value: &[u8]) {
        if usize::from(index) >= Self::MOST {
            return;
        }
        let at = self.weapons.partition_point(|(number, _)| *number < index);
        self.weapons.retain(|(number, _)| *number != index);
        if value.starts_with(b"#") {
            self.weapons.insert(at, (index, weapon_seen(value)));
        }
        let index = usize::from(index);
        if self.places.len() <= index {
            self.places.resize(index + 1, (0, 0));
        }
        if self.unused > Self::LITTLE.max(self.text.len() / 2) {
            self.tidy();
        }
        let Some(place) = self.places.get_mut(index) else { return };
        let (start, len) = (place.0 as usize, place.1 as usize);
        match self.text.get_mut(start..start + value.len()) {
            Some(old) if value.len() <= len => {
                old.copy_from_slice(value);
                self.unused += len - value.len();
                place.1 = value.len() as u32;
            }
            _ => {
                // Blocks have a size of 32 bits: far less than 2^32 bytes are in use, and at most as many unused.
                let (Ok(start), Ok(size)) = (u32::try_from(self.text.len()), u32::try_from(value.len())) else {
                    return;
                };
                self.unused += len;
                self.text.extend_from_slice(value);
                *place = (start, size);
            }
        }
    }

    #[cold]
    fn tidy(&mut self) {
        let mut text = Vec::with_capacity(self.text.len() - self.unused.min(self.text.len()));
        for place in &mut self.places {
            let start = place.0 as usize;
            let value = self.text.get(start..start + place.1 as usize).unwrap_or_default();
            place.0 = text.len() as u32;
            text.extend_from_slice(value);
        }
        self.text = text;
        self.unused = 0;
    }
}

/// The line of a player on the score board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// Score.
    pub score: i32,
    /// Round trip time in ms.
    pub ping: i32,
    /// Minutes in the game, where the layout tells.
    pub minutes: Option<i32>,
}

/// What is told to one client alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Personal {
    /// For whom; `None`: the recorder.
    pub client: Option<u8>,
    /// What the status bar shows beside itself: a program of its language.
    pub layout: Vec<u8>,
    /// How many of each item, by its number.
    pub inventory: Option<Box<[i16; 256]>>,
}

/// Layouts, inventories, and the scores that layouts tell.
#[derive(Debug, Clone, Default)]
pub(super) struct PersonalTables {
    all: Vec<Personal>,
    scores: Vec<Option<Score>>,
}

impl PersonalTables {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.scores.clear();
    }

    pub(super) fn all(&self) -> &[Personal] {
        &self.all
    }

    pub(super) fn get(&self, client: Option<u8>) -> Option<&Personal> {
        self.all.iter().find(|p| p.client == client)
    }

    pub(super) fn score(&self, slot: usize) -> Option<Score> {
        self.scores.get(slot).copied().flatten()
    }

    fn of(&mut self, client: Option<u8>) -> Option<&mut Personal> {
        let at = match self.all.iter().position(|p| p.client == client) {
            Some(at) => at,
            None => {
                self.all.push(Personal { client, ..Personal::default() });
                self.all.len() - 1
            }
        };
        self.all.get_mut(at)
    }

    pub(super) fn inventory(&mut self, client: Option<u8>, items: &[i16; 256]) {
        let Some(personal) = self.of(client) else { return };
        match &mut personal.inventory {
            Some(old) => **old = *items,
            None => personal.inventory = Some(Box::new(*items)),
        }
    }

    pub(super) fn layout(&mut self, client: Option<u8>, text: &[u8]) {
        if let Some(personal) = self.of(client) {
            text.clone_into(&mut personal.layout);
        }
        let mut words = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        while let Some(word) = words.next() {
            let minutes = match word {
                b"client" => true,
                // Capture the flag.
                b"ctf" => false,
                _ => continue,
            };
            let mut next = || words.next().and_then(number);
            let ((Some(_), Some(_), Some(slot)), (Some(score), Some(ping))) =
                ((next(), next(), next()), (next(), next()))
            else {
                continue;
            };
            let score = Score { score, ping, minutes: if minutes { next() } else { None } };
            if let Ok(slot) = u8::try_from(slot) {
                let slot = usize::from(slot);
                if self.scores.len() <= slot {
                    self.scores.resize(slot + 1, None);
                }
                if let Some(to) = self.scores.get_mut(slot) {
                    *to = Some(score);
                }
            }
        }
    }

    pub(super) fn forget_score(&mut self, slot: usize) {
        if let Some(score) = self.scores.get_mut(slot) {
            *score = None;
        }
    }
}

fn number(word: &[u8]) -> Option<i32> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The name in the configstring of a player.
pub(super) fn name_in(info: &[u8]) -> &[u8] {
    info.split(|&b| b == b'\\').next().unwrap_or_default()
}

/// True when a status bar's program has a token with a number behind it.
fn program_has(program: &[u8], token: &[u8], number: &[u8]) -> bool {
    let mut words = program.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).peekable();
    while let Some(word) = words.next() {
        if word == token && words.peek() == Some(&number) {
            return true;
        }
    }
    false
}

/// Weapons: folder of the model in view, file of the model that others see, name. The game, then The Reckoning, Ground
/// Zero, and capture the flag.
const WEAPONS: [(&str, &str, &str); 20] = [
    ("v_blast", "w_blaster", "blaster"),
    ("v_shotg", "w_shotgun", "shotgun"),
    ("v_shotg2", "w_sshotgun", "super_shotgun"),
    ("v_machn", "w_machinegun", "machinegun"),
    ("v_chain", "w_chaingun", "chaingun"),
    ("v_handgr", "a_grenades", "grenades"),
    ("v_launch", "w_glauncher", "grenade_launcher"),
    ("v_rocket", "w_rlauncher", "rocket_launcher"),
    ("v_hyperb", "w_hyperblaster", "hyperblaster"),
    ("v_rail", "w_railgun", "railgun"),
    ("v_bfg", "w_bfg", "bfg10k"),
    ("v_boomer", "w_ripper", "ionripper"),
    ("v_shotx", "w_phalanx", "phalanx"),
    ("v_trap", "a_trap", "trap"),
    ("v_dist", "w_disrupt", "disruptor"),
    ("v_etf_rifle", "w_etfrifle", "etf_rifle"),
    ("v_beamer", "w_plasma", "plasma_beam"),
    ("v_plaunch", "w_plauncher", "prox_launcher"),
    ("v_chainf", "w_chainfist", "chainfist"),
    ("grapple", "w_grapple", "grapple"),
];

/// The name of a weapon by the model that its owner sees, such as `models/weapons/v_rail/tris.md2`. Weapons of mods
/// have the name of their folder.
pub(super) fn weapon_in_view(model: &[u8]) -> Option<Cow<'static, str>> {
    let folder = model.rsplit(|&b| b == b'/').nth(1)?;
    weapon(folder, |w| w.0)
}

/// The name of a weapon by the model that others see, such as `#w_railgun.md2`.
pub(super) fn weapon_seen(model: &[u8]) -> Option<Cow<'static, str>> {
    let file = model.strip_prefix(b"#")?;
    weapon(file.strip_suffix(b".md2").unwrap_or(file), |w| w.1)
}

fn weapon(part: &[u8], column: fn(&'static (&str, &str, &str)) -> &'static str) -> Option<Cow<'static, str>> {
    if let Some(weapon) = WEAPONS.iter().find(|w| column(w).as_bytes() == part) {
        return Some(Cow::Borrowed(weapon.2));
    }
    let name = crate::wire::clean(part);
    (!name.is_empty()).then_some(Cow::Owned(name))
}

/// The name of a map without folder and extension, from the name of its file.
pub(super) fn map_name(file: &[u8]) -> &[u8] {
    let map = file.rsplit(|&b| b == b'/').next().unwrap_or_default();
    map.strip_suffix(b".bsp").unwrap_or(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configstrings_are_changed_in_place_and_tidied() {
        let mut strings = Configstrings::default();
        for round in 0..100_u8 {
            for index in 0..40 {
                // Each round is longer than the one before: new places all the time.
                let value = vec![b'a' + index as u8 % 26; usize::from(round) * 8 + usize::from(index)];
                strings.set(index, &value);
            }
        }
        for index in 0..40 {
            let value = strings.get(index);
            assert_eq!(value.len(), 99 * 8 + usize::from(index));
            assert!(value.iter().all(|b| *b == b'a' + index as u8 % 26));
        }
        assert!(strings.text.len() < 4 * 40 * 832 + Configstrings::LITTLE);
        strings.set(3, b"short");
        strings.set(4, b"");
        assert_eq!((strings.get(3), strings.get(4)), (&b"short"[..], &b""[..]));
        assert_eq!(strings.iter().count(), 39);
        strings.set(60_000, b"beyond");
        assert_eq!(strings.get(60_000), b"");
    }

    #[test]
    fn scores_stand_in_layouts() {
        let mut told = PersonalTables::default();
        told.layout(None, b"xv 32 yv 32 picn tag1 client 0 32 2 -1 80 3 \n ctf 8 42 5 17 55 client 1 2");
        assert_eq!(told.score(2), Some(Score { score: -1, ping: 80, minutes: Some(3) }));
        assert_eq!(told.score(5), Some(Score { score: 17, ping: 55, minutes: None }));
        assert_eq!((told.score(0), told.score(300)), (None, None));
        told.layout(None, b"client 0 0 900 1 1 1 client 0 0 -3 1 1 1");
        assert!(told.score(2).is_some());
    }

    #[test]
    fn weapons_have_names() {
        assert_eq!(weapon_in_view(b"models/weapons/v_rail/tris.md2").as_deref(), Some("railgun"));
        assert_eq!(weapon_in_view(b"models/weapons/v_own/tris.md2").as_deref(), Some("v_own"));
        assert_eq!(weapon_seen(b"#w_sshotgun.md2").as_deref(), Some("super_shotgun"));
        assert_eq!((weapon_in_view(b""), weapon_seen(b"weapon.md2")), (None, None));
    }
}
