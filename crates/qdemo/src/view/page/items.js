// Items: where each lies, when it was taken and by whom, and when it is back.

import { ENTITY } from "./data.js";

/** What items are, by their names or models; the first that fits counts: colour, size, and whether people wait for it. */
const KINDS = /** @type {[RegExp, string, number, boolean][]} */ ([
  [/quad/, "#6a5cff", 15, true],
  [/invul|pent|battlesuit/, "#e5534b", 14, true],
  [/invis|ring/, "#d8b94a", 13, true],
  [/suit|enviro|regen|haste|flight|adrenal|silencer|breather|kamikaze|doubler|scout|guard|power|p_/, "#c77dff", 12, true],
  [/mega|bh100/, "#3aa0ff", 13, true],
  [/red_armor|body/, "#e5534b", 13, true],
  [/yellow_armor|combat/, "#e3c04a", 13, true],
  [/green_armor|jacket/, "#4fb477", 13, true],
  [/shard/, "#b9c2cc", 6, false],
  [/armor|shield/, "#d8a03a", 13, true],
  [/health|heal|medkit|stimpack/, "#4fb477", 9, false],
  [/ammo|^(shells|nails|rockets|cells|bullets|grenades|slugs|lightning|mines|belt)$/, "#7f8a98", 7, false],
  [/rocket|g_rock|lightning|rail|bfg|plasma|hyper/, "#f0883e", 11, true],
  [/launcher|gun|weap|g_/, "#a8b3c2", 11, false],
  [/key|end\d|pack/, "#e3c04a", 9, false],
]);
const OTHER = /** @type {[RegExp, string, number, boolean]} */ ([/^/, "#7f8a98", 7, false]);

/** Items that lie nearer to each other than this, in units, and have one name, are one. */
const NEAR = 24;
/** Who takes an item stands nearer to it than this. */
const REACH = 96;
/** An item that is gone for less than this, in ms, was not taken. */
const FLICKER = 300;
/** Weapons that the dead drop lie for 30 s: what is seen for longer, in ms, belongs to the level. Of a shorter level all count. */
const BELONGS = 31_000;
const SHORT_LEVEL = 60_000;
/** What is told of an item that went away is told within this time, in ms. */
const TOLD_WITHIN = 1000;

/** @typedef {{from: number, to: number|null, slot: number|null, exact: boolean}} Away From when, in ms, to when (null: it
 *   does not come back), who took it; `exact` is false where it may have been back before anybody saw it.
 * @typedef {{name: string, label: string, color: string, size: number, awaited: boolean, rank: number, level: number,
 *   place: number[], times: number, since: number, away: Away[]}} Spot `since` is when it was seen first, in ms. */

/** How an item looks, whether people wait for it, and its place among others in a list. @param {string} model */
export function itemLook(model) {
  const kind = KINDS.find(([is]) => is.test(model)) ?? OTHER;
  return { color: kind[1], size: kind[2], awaited: kind[3], rank: kind === OTHER ? KINDS.length : KINDS.indexOf(kind) };
}

/** The name of an item, of the path of a model where there is no other. @param {string} model */
export function itemName(model) {
  const parts = model.replace(/\/tris\.md2$|\.\w+$/, "").split("/");
  const own = parts.filter((part) => !/^(models|items|weapons|progs|maps)$/.test(part));
  return own.reverse().join(" ").replace(/^g_/, "").replaceAll("_", " ");
}

/** The items of a replay. */
export class Items {
  /** @param {import("./data.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {Spot[][]} By level. */
    this.levels = replay.about.levels.map(() => []);
    this.gather();
  }

  gather() {
    const { replay } = this;
    /** @type {Map<Spot, import("./data.js").Track[]>} */
    const tracksOf = new Map();
    for (const track of replay.tracks) {
      if (track.of !== ENTITY || track.kind !== "item" || !track.model || /flag/.test(track.model)) continue;
      const [first, last] = [track.first, track.last - 1].map((key) => [0, 1, 2].map((n) => replay.places[key * 3 + n] / 8));
      // What was thrown is no place where anything lies.
      if (apart(first, last) > NEAR) continue;
      const spot = this.spot(replay.levelAt(track.from), track.model, last);
      const all = tracksOf.get(spot);
      if (all) all.push(track);
      else tracksOf.set(spot, [track]);
    }
    for (const [spot, tracks] of tracksOf) {
      if (!this.belongs(spot, tracks)) this.levels[spot.level].splice(this.levels[spot.level].indexOf(spot), 1);
      tracks.sort((a, b) => a.from - b.from);
      this.follow(spot, tracks);
      this.take(spot, tracks);
    }
    for (const spots of this.levels) {
      spots.sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name) || a.place[0] - b.place[0]);
      for (const spot of spots) {
        const same = spots.filter((it) => it.name === spot.name);
        if (same.length > 1) spot.label = `${spot.label} ${same.indexOf(spot) + 1}`;
      }
    }
  }

  /** @param {number} level @param {string} name @param {number[]} place */
  spot(level, name, place) {
    const all = this.levels[level];
    const found = all.find((it) => it.name === name && apart(it.place, place) < NEAR);
    if (found) return found;
    /** @type {Spot} */
    const spot = { name, label: itemName(name), ...itemLook(name), level, place, times: 0, since: 0, away: [] };
    all.push(spot);
    return spot;
  }

  /** True for what was not dropped by somebody. @param {Spot} spot @param {import("./data.js").Track[]} tracks */
  belongs(spot, tracks) {
    const { rows, about } = this.replay;
    const ms = (/** @type {number} */ row) => rows[Math.min(row, rows.length - 1)];
    const seen = ms(Math.max(...tracks.map((it) => it.to))) - ms(Math.min(...tracks.map((it) => it.from)));
    const [from, to] = [about.levels[spot.level].row, about.levels[spot.level + 1]?.row ?? rows.length];
    return this.replay.seesAll || seen > BELONGS || ms(to) - ms(from) < SHORT_LEVEL;
  }

  /** Notes when it was not there. @param {Spot} spot @param {import("./data.js").Track[]} tracks By time. */
  follow(spot, tracks) {
    const { replay } = this;
    const ms = (/** @type {number} */ row) => replay.rows[Math.min(row, replay.rows.length - 1)];
    const end = replay.about.levels[spot.level + 1]?.row ?? replay.rows.length;
    spot.times = tracks.length;
    spot.since = ms(tracks[0].from);
    tracks.forEach((track, n) => {
      if (track.to >= end) return;
      const next = tracks[n + 1];
      const from = ms(track.to);
      const seen = next ? ms(next.from) : null;
      if (seen !== null && seen - from < FLICKER) return;
      const slot = this.taker(spot, track.to);
      if (slot === null && !this.replay.seesAll) return;
      const told = this.replay.seesAll ? null : this.respawn(spot, from, seen ?? Infinity);
      spot.away.push({ from, to: told ?? seen, slot, exact: this.replay.seesAll || told !== null });
    });
  }

  /** What is told of it while it was out of view: somebody takes it who stands there. @param {Spot} spot
   * @param {import("./data.js").Track[]} tracks By time. */
  take(spot, tracks) {
    const { replay } = this;
    for (const mark of replay.about.marks) {
      const [ms, slot] = [mark.demo_ms, mark.player?.slot];
      if (mark.kind !== "pickup" || mark.item !== spot.name || slot === undefined) continue;
      const row = replay.rowAt(ms);
      const track = replay.playerTrack(slot, row);
      const pose = track && replay.recorded(track, row);
      if (replay.levelAt(row) !== spot.level || !pose || apart(pose.place, spot.place) > REACH) continue;
      const same = spot.away.find((it) => Math.abs(it.from - ms) < TOLD_WITHIN);
      if (same) {
        same.slot = slot;
        continue;
      }
      const before = spot.away.find((it) => it.from < ms && (it.to ?? Infinity) > ms);
      const next = tracks.find((it) => replay.rows[it.from] > ms);
      const seen = next ? replay.rows[next.from] : null;
      const told = this.respawn(spot, ms, seen ?? Infinity);
      // Where everything is seen it was taken as soon as it was back.
      if (before) [before.to, before.exact] = [ms, this.replay.seesAll];
      spot.away.push({ from: ms, to: told ?? seen, slot, exact: this.replay.seesAll || told !== null });
    }
    spot.away.sort((a, b) => a.from - b.from);
  }

  /** Who is nearest to it, and near enough to take it. @param {Spot} spot @param {number} row */
  taker(spot, row) {
    let [who, least] = [/** @type {number|null} */ (null), REACH];
    for (const slot of this.replay.slots) {
      const track = this.replay.playerTrack(slot, row) ?? this.replay.playerTrack(slot, row - 1);
      const pose = track && this.replay.recorded(track, Math.min(row, track.to - 1));
      const far = pose ? apart(pose.place, spot.place) : Infinity;
      if (far < least && !this.replay.value(slot, "spectator", row)) [who, least] = [slot, far];
    }
    return who;
  }

  /** When the recording says that it is back. @param {Spot} spot @param {number} from @param {number} to */
  respawn(spot, from, to) {
    const is = (/** @type {import("./data.js").Mark} */ mark) =>
      mark.kind === "respawn" && mark.item === spot.name && mark.demo_ms > from && mark.demo_ms <= to && mark.at;
    const mark = this.replay.about.marks.find((it) => is(it) && apart(it.at ?? [], spot.place) < 2 * NEAR);
    return mark ? mark.demo_ms : null;
  }

  /** The items of a level that are not there at a moment. @param {number} level @param {number} ms */
  taken(level, ms) {
    const all = [];
    for (const spot of this.levels[level] ?? []) {
      const away = awayAt(spot, ms);
      if (away && (away.to !== null || spot.awaited)) all.push({ spot, left: away.to === null ? null : away.to - ms });
    }
    return all;
  }

  /** Items that people wait for, and how each is: not there, not seen yet, or there. @param {number} level @param {number} ms */
  clocks(level, ms) {
    const awaited = (this.levels[level] ?? []).filter((spot) => spot.awaited && (spot.times > 1 || spot.away.length || this.replay.seesAll));
    return awaited.map((spot) => ({ spot, away: awayAt(spot, ms), unseen: !this.replay.seesAll && ms < spot.since }));
  }
}

/** @param {Spot} spot @param {number} ms */
function awayAt(spot, ms) {
  return spot.away.find((it) => it.from <= ms && (it.to === null || ms < it.to)) ?? null;
}

/** @param {number[]} a @param {number[]} b */
function apart(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
