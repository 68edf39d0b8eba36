//! Deaths of Quake III: what an obituary tells, who is in which team when it happens, and where.

use std::borrow::Cow;

use super::{SLOTS, SNAPSHOT, who};
use crate::event::{EventKind, Frag, FragKind, PlayerRef, Sink};
use crate::format::dm3::{EntityField, PlayerField};
use crate::game::quake3::names::{Module, THAW};
use crate::game::quake3::{EntityState, FullSnapshot, Named, World};
use crate::wire::{info_value, without_colors};
use crate::world::Scene;

const ET_PLAYER: i32 = 1;
const EF_DEAD: i32 = 1;
const PM_SPECTATOR: i32 = 2;
const PM_DEAD: i32 = 3;
const TURNED: [EntityField; 3] = [EntityField::AnglesX, EntityField::AnglesY, EntityField::AnglesZ];
/// The number of the entity that is the world.
const WORLD: i32 = 1022;

/// Bodies are thrown a little between a death and the snapshot that tells of it, no farther than this.
const THROWN: f32 = 256.0;
/// Snapshots in which somebody is looked for.
const BACK: i32 = 31;

/// Whether obituaries of a level stand where the victims died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    There,
    Elsewhere,
    /// Not known before a body has been seen.
    Unknown,
}

/// What deaths need to know of what came before.
#[derive(Debug, Default)]
pub(super) struct Deaths {
    stands: Option<Stands>,
    /// Players whose configstring changes in this block, as they were before it.
    before: Vec<(usize, Named)>,
}

impl Deaths {
    /// A block begins.
    pub(super) fn begin(&mut self) {
        self.before.clear();
    }

    /// The configstring of a player changes.
    pub(super) fn changes(&mut self, slot: usize, before: &Named) {
        if self.before.iter().all(|(known, _)| *known != slot) {
            self.before.push((slot, before.clone()));
        }
    }

    /// A player as of the frame before the one that a block tells.
    ///
    /// Commands of a block are older than its snapshot, and a player who changes team dies first and changes then: by
    /// own wish (`SetTeam` in id's `g_cmds.c` kills before it assigns), and in Quake Live's red rover and infection, where
    /// whoever is killed goes to the other side. In recordings all deaths of red rover, and all by means `switch_teams`,
    /// come in one block with the configstring that changes the team. So who dies, and who kills, has the team of
    /// before the block, but for those who were spectators.
    fn as_before(&self, world: &World, mut who: PlayerRef) -> PlayerRef {
        let Some((_, before)) = self.before.iter().find(|(slot, _)| Some(*slot) == who.slot) else { return who };
        if let Some(team) = before.team_name().filter(|team| *team != "spectator") {
            who.team = Some(team.to_owned());
        }
        if who.name_raw.is_empty() {
            (who.name, who.name_raw) = (world.charset().clean(&before.name), before.name.clone());
        }
        who
    }

    pub(super) fn obituary(&mut self, world: &World, state: &EntityState, sink: &mut Sink<'_>) {
        let Some(now) = world.snapshot() else { return };
        let Some(victim) = who(world, state.int(EntityField::OtherEntityNum)) else { return };
        let parm = state.int(EntityField::EventParm);
        let (means, weapon) = match usize::try_from(parm).ok().and_then(|n| world.module().means(n)) {
            Some((THAW, _)) => return,
            Some((means, weapon)) => (Cow::Borrowed(means), weapon),
            None => (Cow::Owned(own_number(world, parm)), ""),
        };
        let attacker = who(world, state.int(EntityField::OtherEntityNum2)).map(|who| self.as_before(world, who));
        let victim = self.as_before(world, victim);
        let victim_origin = victim.slot.and_then(|slot| self.place(world, now, slot, state));
        // Who plays for nobody has no team mates, whatever the number of the game type.
        let free = victim.team.as_deref() == Some("free");
        let kind = FragKind::of(attacker.as_ref(), &victim, world.in_teams() && !free);
        let origin = |who: &PlayerRef| who.slot.and_then(|slot| world.player(slot)).and_then(|player| player.origin);
        sink.stated(
            SNAPSHOT,
            EventKind::Frag(Frag {
                attacker_origin: attacker.as_ref().and_then(origin),
                victim_origin,
                attacker,
                victim,
                weapon: Cow::Borrowed(weapon),
                means,
                kind,
            }),
        );
    }

    /// Where the victim of an obituary died.
    ///
    /// The base game sets the obituary there (`player_die` in id's `g_combat.c`), and so do OpenArena and Quake Live: in
    /// recordings no body was farther from it than 200 units, of 1,000 that are seen. CPMA sets it to the middle of the
    /// map. OSP moves it, on some servers and for all but the own death, by 677, 411 and 243 units. So where obituaries
    /// stand elsewhere than bodies that are seen, the body tells the place, and nothing does where there is none.
    fn place(&mut self, world: &World, now: FullSnapshot<'_>, slot: usize, state: &EntityState) -> Option<[f32; 3]> {
        let stands = self.stands.get_or_insert(match world.module() {
            Module::Cpma => Stands::Elsewhere,
            Module::Osp | Module::Other => Stands::Unknown,
            _ => Stands::There,
        });
        let told = state.origin(now.server_time());
        let body = body(now, slot);
        if let Some(body) = body.filter(|_| world.seen() != Some(slot)) {
            let away: f32 = body.iter().zip(told).map(|(a, b)| (a - b) * (a - b)).sum();
            *stands = if away <= THROWN * THROWN { Stands::There } else { Stands::Elsewhere };
        }
        match *stands {
            Stands::There if told != [0.0; 3] => Some(told),
            _ => body.or_else(|| last_seen(world, now, slot)),
        }
    }
}

/// True for what may be an obituary, as far as others know the module: it names who died and who killed, who may be the world,
/// looks nowhere (`player_die` in id's `g_combat.c` sets no more), and whoever died is not seen alive.
pub(super) fn looks_like_obituary(world: &World, state: &EntityState) -> bool {
    let is_player = |number: i32| usize::try_from(number).is_ok_and(|slot| slot < SLOTS);
    let [victim, killer] = [EntityField::OtherEntityNum, EntityField::OtherEntityNum2].map(|field| state.int(field));
    let names = is_player(victim) && (is_player(killer) || killer == WORLD);
    names && state.vector(TURNED) == [0.0; 3] && !is_seen_alive(world, victim)
}

fn is_seen_alive(world: &World, slot: i32) -> bool {
    let Some(now) = world.snapshot() else { return false };
    let own = now.player();
    if own.int(PlayerField::ClientNum) == slot {
        return own.int(PlayerField::PmType) == 0;
    }
    let state = u16::try_from(slot).ok().and_then(|slot| now.entity(slot));
    state.is_some_and(|state| state.kind() == ET_PLAYER && state.int(EntityField::EFlags) & EF_DEAD == 0)
}

/// Where a dead player lies.
fn body(now: FullSnapshot<'_>, slot: usize) -> Option<[f32; 3]> {
    let own = now.player();
    if own.int(PlayerField::ClientNum) == slot as i32 {
        return (own.int(PlayerField::PmType) == PM_DEAD).then(|| own.vector(ORIGIN));
    }
    // In pieces the body is no player any more, but is still there.
    let state = now.entity(u16::try_from(slot).ok()?)?;
    (state.int(EntityField::EFlags) & EF_DEAD != 0).then(|| state.origin(now.server_time()))
}

const ORIGIN: [PlayerField; 3] = [PlayerField::OriginX, PlayerField::OriginY, PlayerField::OriginZ];

/// Where a player was in the snapshot before: who is gone from the place of death already is a spectator, or plays again.
fn last_seen(world: &World, now: FullSnapshot<'_>, slot: usize) -> Option<[f32; 3]> {
    let before = (1..=BACK).find_map(|back| world.earlier(now.number().checked_sub(back)?))?;
    let own = before.player();
    if own.int(PlayerField::ClientNum) == slot as i32 {
        return (own.int(PlayerField::PmType) != PM_SPECTATOR).then(|| own.vector(ORIGIN));
    }
    let state = before.entity(u16::try_from(slot).ok().filter(|_| slot < SLOTS)?)?;
    (state.kind() == ET_PLAYER).then(|| state.origin(before.server_time()))
}

/// A means of death whose number only its game module knows: `excessive_means_31`.
fn own_number(world: &World, parm: i32) -> String {
    let name = info_value(world.configstrings().get(0), "gamename").map(without_colors).unwrap_or_default();
    if name.is_empty() { format!("means_{parm}") } else { format!("{name}_means_{parm}") }
}
