// Heat maps: where players were, killed from and died, where damage was done and taken, and where items were taken, over a
// stretch of time.

import { clockText, parseClock, PLAYER } from "./data.js";
import { byId, choices, element } from "./panels.js";

/** Units to a side of a cell, and units of height in which places are one. */
const SIDE = 32;
const LAYER = 64;
/** Presence is counted this often, in ms. */
const EVERY = 200;
/** From a player's origin to the floor, nearly. */
const SHANKS = 22;

/** The fields for the times. */
const HEAT_TIMES = ["heat-from", "heat-to"];

/** @typedef {"presence"|"kills"|"deaths"|"dealt"|"taken"|"items"} HeatKind */

/** What is counted, and what of. */
const HEAT_KINDS = /** @type {[HeatKind, string, string][]} */ ([
  ["presence", "Where they were", "seconds of players"],
  ["kills", "Killed from", "kills"],
  ["deaths", "Died at", "deaths"],
  ["dealt", "Dealt damage from", "damage"],
  ["taken", "Took damage at", "damage"],
  ["items", "Took items at", "items"],
]);

/** What is counted: how much of it, in cells. */
class Heat {
  constructor() {
    /** @type {Map<number, number[]>} By their places as one number: a match of hours has millions of them to look up. */
    this.cells = new Map();
    this.sum = 0;
  }

  /** @param {number[]|null} place Of a player. @param {number} spread Cells around it that have a share.
   * @param {number} amount @param {number} [weight] */
  add(place, spread, amount, weight = 1) {
    this.sum += amount;
    if (!place) return;
    const [i, j, layer] = [Math.floor(place[0] / SIDE), Math.floor(place[1] / SIDE), Math.floor((place[2] - SHANKS) / LAYER)];
    for (let x = i - spread; x <= i + spread; x++) {
      for (let y = j - spread; y <= j + spread; y++) {
        const key = (x * 0x100000 + y) * 0x1000 + layer;
        const share = weight / (1 + (x - i) ** 2 + (y - j) ** 2);
        const cell = this.cells.get(key);
        if (cell) {
          cell[3] += share;
          cell[2] = Math.max(cell[2], place[2] - SHANKS);
        } else this.cells.set(key, [x, y, place[2] - SHANKS, share]);
      }
    }
  }

  /** Of each cell where it is, and what share it has of the most. */
  scaled() {
    const all = [...this.cells.values()];
    const weights = all.map((cell) => cell[3]).sort((a, b) => a - b);
    // One place where somebody slept must not make all others cold.
    const most = weights[Math.floor(weights.length * 0.98)] ?? 1;
    return all.map(([x, y, z, weight]) => [(x + 0.5) * SIDE, (y + 0.5) * SIDE, z, Math.min(1, weight / most)]);
  }
}

/** Counts what happened where on the map of a level: what happened on another one happened in none of its places.
 * @param {import("./data.js").Replay} replay @param {import("./items.js").Items} items @param {HeatKind} kind
 * @param {number} level @param {number} from In ms. @param {number} to
 * @param {Set<number>} slots Of these players; of all where it is empty. */
export function heat(replay, items, kind, level, from, to, slots) {
  const found = new Heat();
  const { levels } = replay.about;
  const isHere = (/** @type {number} */ row) => levels[replay.levelAt(row)]?.map === levels[level]?.map;
  const counts = (/** @type {number|null|undefined} */ slot) => !slots.size || (slot !== null && slot !== undefined && slots.has(slot));
  const within = (/** @type {number} */ ms) => ms >= from && ms <= to && isHere(replay.rowAt(ms));
  if (kind === "presence") {
    for (let ms = from; ms <= to; ms += EVERY) {
      const row = replay.rowAt(ms);
      // While the game stands still nobody is anywhere, nor while all look at the scores from one place.
      if (!isHere(row) || ["paused", "intermission"].some((name) => replay.value(-1, name, row))) continue;
      for (const track of replay.inView(row)) {
        if (track.of !== PLAYER || !counts(track.id)) continue;
        if (replay.value(track.id, "spectator", row) || (replay.value(track.id, "health", row) ?? 1) <= 0) continue;
        found.add(replay.recorded(track, row)?.place ?? null, 1, EVERY / 1000);
      }
    }
  } else if (kind === "dealt" || kind === "taken") {
    for (const { row, victim, attacker, amount } of replay.damage) {
      const slot = kind === "dealt" ? attacker : victim;
      if (slot === null || !within(replay.rows[row]) || !counts(slot)) continue;
      if (kind === "dealt" && attacker === victim) continue;
      found.add(placeOf(replay, slot, replay.rows[row]), 1, amount, amount);
    }
  } else if (kind === "items") {
    for (const { slot, ms, place } of pickups(replay, items)) {
      if (within(ms) && counts(slot)) found.add(place, 1, 1);
    }
  } else {
    for (const mark of replay.about.marks) {
      if (mark.kind !== "frag" || !within(mark.demo_ms)) continue;
      const who = kind === "kills" ? mark.attacker : mark.victim;
      if (!who || !counts(who.slot) || (kind === "kills" && mark.frag_kind === "suicide")) continue;
      found.add((kind === "kills" ? mark.from : mark.at) ?? placeOf(replay, who.slot, mark.demo_ms), 2, 1);
    }
  }
  return { cells: found.scaled(), sum: Math.round(found.sum) };
}

/** What was taken: as the recording tells, else as items went away. @param {import("./data.js").Replay} replay
 * @param {import("./items.js").Items} items @returns {{slot: number|null, ms: number, place: number[]|null}[]} */
function pickups(replay, items) {
  const told = replay.about.marks.filter((mark) => mark.kind === "pickup");
  if (told.length) {
    return told.map(({ player, demo_ms: ms }) => ({ slot: player?.slot ?? null, ms, place: placeOf(replay, player?.slot, ms) }));
  }
  const seen = items.levels.flat().flatMap(({ place, away }) => away.map(({ slot, from }) => ({ slot, ms: from, place })));
  return seen.filter((it) => it.slot !== null);
}

/** @param {import("./data.js").Replay} replay @param {number|undefined} slot @param {number} ms */
function placeOf(replay, slot, ms) {
  const row = replay.rowAt(ms);
  const track = slot === undefined ? null : replay.playerTrack(slot, row);
  return track && (replay.recorded(track, row)?.place ?? null);
}

/** The colour of a share of the most: from blue over yellow to red. @param {number} share */
export function heatColor(share) {
  const stops = [
    [0.2, 0.35, 0.85],
    [0.15, 0.7, 0.75],
    [0.95, 0.85, 0.3],
    [0.95, 0.3, 0.2],
  ];
  const at = Math.min(2.999, Math.max(0, share * 3));
  const [a, b] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
  const color = a.map((v, n) => v + (b[n] - v) * (at % 1));
  return [...color, 0.25 + 0.55 * share];
}

/** The panel in which is chosen what a heat map counts. */
export class HeatPanel {
  /** @param {import("./data.js").Replay} replay @param {import("./items.js").Items} items
   * @param {[number, string][]} players Slots and names. @param {() => void} changed */
  constructor(replay, items, players, changed) {
    this.replay = replay;
    this.items = items;
    this.changed = changed;
    /** @type {number[][]} Cells that are shown: where, and how hot. */
    this.cells = [];
    this.level = 0;
    /** @type {Set<number>} Slots that are chosen; nobody: everybody. */
    this.chosen = new Set();
    const tells = (/** @type {HeatKind} */ kind) => (kind === "dealt" || kind === "taken" ? replay.damage.length > 0 : true);
    choices(byId("heat-kind"), HEAT_KINDS.filter(([kind]) => tells(kind)).map(([kind, text]) => [kind, text]));
    byId("heat-who").replaceChildren(...players.map(([slot, name]) => this.choice(slot, name)));
    /** @type {{ms: number, text: string}[]} Times that a field has not room for, and what stands there of them. */
    this.exact = [];
    this.offerTimes();
    for (const id of ["heat-kind", ...HEAT_TIMES]) byId(id).addEventListener("change", () => this.update());
  }

  /** A field, or the list of kinds. @param {string} id */
  input(id) {
    return /** @type {HTMLInputElement} */ (byId(id));
  }

  /** A time, or the end of the replay that is nearest to it. @param {number} ms */
  within(ms) {
    return Math.min(this.replay.end, Math.max(this.replay.start, ms));
  }

  /** @param {number} slot @param {string} name */
  choice(slot, name) {
    const button = element("button", name);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      if (!this.chosen.delete(slot)) this.chosen.add(slot);
      button.setAttribute("aria-pressed", String(this.chosen.has(slot)));
      this.update();
    });
    return button;
  }

  /** The time in a field; `null` where there is none. @param {string} id @param {number} n Its number. */
  time(id, n) {
    const [{ value }, { ms, text }] = [this.input(id), this.exact[n]];
    return value === text ? ms : parseClock(value);
  }

  /** @param {number} level */
  setLevel(level) {
    this.level = level;
    // Times that somebody chose stay.
    if (HEAT_TIMES.every((id, n) => this.input(id).value === this.exact[n].text)) this.offerTimes();
    this.update();
  }

  /** Puts the times of the level's first match into the fields; without one, those of all. */
  offerTimes() {
    const { replay } = this;
    const match = replay.about.matches.find((it) => replay.levelAt(replay.rowAt(it.from_ms)) === this.level);
    this.exact = [match?.from_ms ?? replay.start, match?.to_ms ?? replay.end].map((it) => ({ ms: this.within(it), text: clockText(this.within(it)) }));
    HEAT_TIMES.forEach((id, n) => (this.input(id).value = this.exact[n].text));
  }

  update() {
    this.cells = [];
    this.changed();
    if (byId("heat").hidden) return;
    const kind = /** @type {HeatKind} */ (this.input("heat-kind").value);
    const given = HEAT_TIMES.map((id, n) => this.time(id, n));
    HEAT_TIMES.forEach((id, n) => this.input(id).setAttribute("aria-invalid", String(given[n] === null)));
    // Outside of the replay nobody was anywhere.
    const [from, to] = given.map((ms) => (ms === null ? NaN : this.within(ms)));
    if (Number.isNaN(from) || Number.isNaN(to)) return;
    const { cells, sum } = heat(this.replay, this.items, kind, this.level, from, to, this.chosen);
    this.cells = cells;
    const what = HEAT_KINDS.find(([it]) => it === kind)?.[2];
    const { levels } = this.replay.about;
    const where = levels.length > 1 ? ` on ${levels[this.level].map}` : "";
    byId("heat-sum").textContent = `${sum} ${what}${where}, ${clockText(from, 0)} to ${clockText(to, 0)}`;
  }

  /** @param {import("./draw.js").Picture} picture */
  show(picture) {
    for (const [x, y, z, share] of this.cells) picture.solid("cell", [x, y, z + 6], [SIDE, SIDE, 1], 0, heatColor(share));
  }
}
