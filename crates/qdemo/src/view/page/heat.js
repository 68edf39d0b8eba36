// Heat maps: where players were, from where they killed, and where they died, over a stretch of time.

import { PLAYER } from "./data.js";

/** Units to a side of a cell, and units of height in which places are one. */
const SIDE = 32;
const LAYER = 64;
/** Presence is counted this often, in ms. */
const EVERY = 200;

/** @typedef {"presence"|"kills"|"deaths"} HeatKind */

/** Counts what happened where.
 * @param {import("./data.js").Replay} replay @param {HeatKind} kind @param {number} from In ms. @param {number} to
 * @param {number|null} slot Of this player alone.
 * @returns {{cells: number[][], most: number, sum: number}} Of each cell where it is, and how much of the most it has. */
export function heat(replay, kind, from, to, slot) {
  /** @type {Map<string, number[]>} */
  const cells = new Map();
  const add = (/** @type {number[]} */ place, /** @type {number} */ spread) => {
    for (let i = -spread; i <= spread; i++) {
      for (let j = -spread; j <= spread; j++) {
        const [x, y] = [Math.floor(place[0] / SIDE) + i, Math.floor(place[1] / SIDE) + j];
        const layer = Math.floor(place[2] / LAYER);
        const key = `${x} ${y} ${layer}`;
        const weight = 1 / (1 + i * i + j * j);
        const cell = cells.get(key);
        if (cell) {
          cell[3] += weight;
          cell[2] = Math.max(cell[2], place[2]);
        } else cells.set(key, [x, y, place[2], weight]);
      }
    }
  };
  let sum = 0;
  if (kind === "presence") {
    for (let ms = from; ms <= to; ms += EVERY) {
      const row = replay.rowAt(ms);
      for (const track of replay.inView(row)) {
        if (track.of !== PLAYER || (slot !== null && track.id !== slot)) continue;
        if (replay.value(track.id, "spectator", row) || (replay.value(track.id, "health", row) ?? 1) <= 0) continue;
        const pose = replay.recorded(track, row);
        if (pose) add([pose.place[0], pose.place[1], pose.place[2] - 22], 1);
        sum += EVERY;
      }
    }
  } else {
    for (const mark of replay.about.marks) {
      if (mark.kind !== "frag" || mark.demo_ms < from || mark.demo_ms > to) continue;
      const who = kind === "kills" ? mark.attacker : mark.victim;
      if (!who || (slot !== null && who.slot !== slot) || (kind === "kills" && mark.frag_kind === "suicide")) continue;
      const place = (kind === "kills" ? mark.from : mark.at) ?? placeOf(replay, who.slot, mark.demo_ms);
      if (place) add([place[0], place[1], place[2] - 22], 2);
      sum += 1;
    }
  }
  const all = [...cells.values()];
  const weights = all.map((cell) => cell[3]).sort((a, b) => a - b);
  // One place where somebody slept must not make all others cold.
  const most = weights[Math.floor(weights.length * 0.98)] ?? 1;
  const scaled = all.map(([x, y, z, weight]) => [(x + 0.5) * SIDE, (y + 0.5) * SIDE, z, Math.min(1, weight / most)]);
  return { cells: scaled, most, sum };
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

/** @param {import("./draw.js").Picture} picture @param {number[][]} cells */
export function showHeat(picture, cells) {
  for (const [x, y, z, share] of cells) picture.solid("cell", [x, y, z + 6], [SIDE, SIDE, 1], 0, heatColor(share));
}
