// The level: surfaces to stand on, from a map where there is one, else from where players stood.

import { ENTITY, PLAYER } from "./data.js";
import { normalOf } from "./draw.js";

/** Units to a side of a cell of the floor, and how thick the floor is drawn. */
const CELL = 16;
const THICK = 12;
/** Cells that differ less in height than this are one floor. */
const STEP = 20;

/** @typedef {{corners: Float32Array, indices: Uint32Array, model: number}} Surface Six numbers a corner: place, normal. */

/** Collects quads and triangles. */
class Builder {
  constructor() {
    /** @type {number[]} */
    this.corners = [];
    /** @type {number[]} */
    this.indices = [];
  }

  /** @param {number[][]} corners In order around. @param {number[]} normal */
  polygon(corners, normal) {
    const first = this.corners.length / 6;
    const [nx, ny, nz] = normal;
    for (const [x, y, z] of corners) this.corners.push(x, y, z, nx, ny, nz);
    for (let n = 2; n < corners.length; n++) this.indices.push(first, first + n - 1, first + n);
  }

  /** @param {number} model @returns {Surface} */
  surface(model) {
    return { corners: Float32Array.from(this.corners), indices: Uint32Array.from(this.indices), model };
  }
}

/** Slabs where players stood.
 * @param {Int32Array} cells @returns {Surface} */
function slabs(cells) {
  /** @type {Map<number, number[]>} */
  const heights = new Map();
  const column = (/** @type {number} */ i, /** @type {number} */ j) => i * 0x40000 + j;
  for (let n = 0; n < cells.length; n += 3) {
    const key = column(cells[n], cells[n + 1]);
    const all = heights.get(key);
    if (all) all.push(cells[n + 2]);
    else heights.set(key, [cells[n + 2]]);
  }
  const out = new Builder();
  /** @type {[number, number][]} */
  const sides = [[1, 0], [0, 1], [-1, 0], [0, -1]];
  for (let n = 0; n < cells.length; n += 3) {
    const [i, j, z] = [cells[n], cells[n + 1], cells[n + 2]];
    const [x, y] = [i * CELL, j * CELL];
    out.polygon([[x, y, z], [x + CELL, y, z], [x + CELL, y + CELL, z], [x, y + CELL, z]], [0, 0, 1]);
    for (const [dx, dy] of sides) {
      const next = heights.get(column(i + dx, j + dy));
      const near = next?.filter((other) => Math.abs(other - z) < STEP) ?? [];
      // A step down has a face; an edge has one as high as the floor is thick.
      const low = near.length ? Math.min(...near) : z - THICK;
      if (low >= z) continue;
      const [cx, cy] = [x + CELL / 2 + (dx * CELL) / 2, y + CELL / 2 + (dy * CELL) / 2];
      const [ax, ay] = [(-dy * CELL) / 2, (dx * CELL) / 2];
      out.polygon([[cx - ax, cy - ay, low], [cx + ax, cy + ay, low], [cx + ax, cy + ay, z], [cx - ax, cy - ay, z]], [dx, dy, 0]);
    }
  }
  return out.surface(0);
}

/** The models of a map.
 * @param {import("./data.js").MapMesh} map @returns {Surface[]} */
function modelsOf({ corners, models }) {
  const corner = (/** @type {number} */ n) => [corners[n * 3], corners[n * 3 + 1], corners[n * 3 + 2]];
  return models.map((triangles, model) => {
    const out = new Builder();
    for (let n = 0; n < triangles.length; n += 3) {
      const three = [corner(triangles[n]), corner(triangles[n + 1]), corner(triangles[n + 2])];
      out.polygon(three, normalOf(three[0], three[1], three[2]));
    }
    return out.surface(model);
  });
}

/** The surfaces of a level, their heights, and the part of the world in which something happens.
 * @param {import("./data.js").Replay} replay @param {number} level */
export function levelOf(replay, level) {
  const cells = replay.floors[level] ?? new Int32Array(0);
  const map = replay.maps[level];
  const surfaces = map ? modelsOf(map) : [slabs(cells)];
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  const take = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => {
    [x, y, z].forEach((v, n) => {
      min[n] = Math.min(min[n], v);
      max[n] = Math.max(max[n], v);
    });
  };
  for (let n = 0; n < cells.length; n += 3) take(cells[n] * CELL, cells[n + 1] * CELL, cells[n + 2]);
  const { levels } = replay.about;
  const [from, to] = [levels[level]?.row ?? 0, levels[level + 1]?.row ?? replay.rows.length];
  for (const track of replay.tracks) {
    const counts = track.of === PLAYER || (track.of === ENTITY && track.kind === "item" && !cells.length);
    if (!counts || track.from < from || track.from >= to) continue;
    for (let key = track.first; key < track.last; key += 4) {
      take(replay.places[key * 3] / 8, replay.places[key * 3 + 1] / 8, replay.places[key * 3 + 2] / 8);
    }
  }
  if (min[0] > max[0]) return { surfaces, heights: [0, 1], bounds: { min: [-512, -512, 0], max: [512, 512, 100] } };
  return { surfaces, heights: [min[2] - 24, max[2]], bounds: { min, max } };
}
