// Who is in view of whom: as the recording tells, or by the walls of a map.

/** Units to a side of a cell of the grid in which walls are looked up. */
const WALL_CELL = 128;
/** From a player's origin to the eyes, in units. */
const EYES = 22;

/** Walls of a map, by cells of a grid seen from above. */
class Walls {
  /** @param {import("./data.js").MapMesh} map */
  constructor({ corners, models }) {
    this.corners = corners;
    this.triangles = models[0] ?? new Uint32Array(0);
    /** @type {Map<number, number[]>} Places of triangles in the list. */
    this.cells = new Map();
    for (let n = 0; n < this.triangles.length; n += 3) {
      const own = [0, 1, 2].map((k) => this.corner(n + k));
      const [x, y] = [0, 1].map((axis) => own.map((corner) => Math.floor(corner[axis] / WALL_CELL)));
      for (let i = Math.min(...x); i <= Math.max(...x); i++) {
        for (let j = Math.min(...y); j <= Math.max(...y); j++) {
          const cell = this.cells.get(cellOf(i, j));
          if (cell) cell.push(n);
          else this.cells.set(cellOf(i, j), [n]);
        }
      }
    }
  }

  /** @param {number} at Its place in the list of triangles. */
  corner(at) {
    const n = this.triangles[at] * 3;
    return [this.corners[n], this.corners[n + 1], this.corners[n + 2]];
  }

  /** True where a wall stands between two places. @param {number[]} from @param {number[]} to */
  between(from, to) {
    const way = to.map((v, n) => v - from[n]);
    const steps = Math.max(1, Math.ceil(Math.hypot(way[0], way[1]) / (WALL_CELL / 2)));
    const looked = new Set();
    for (let step = 0; step <= steps; step++) {
      const [i, j] = [0, 1].map((n) => Math.floor((from[n] + (way[n] * step) / steps) / WALL_CELL));
      // Half a cell further it may have cut the corner of another one.
      for (const [di, dj] of NEIGHBOURS) {
        const key = cellOf(i + di, j + dj);
        if (looked.has(key)) continue;
        looked.add(key);
        for (const n of this.cells.get(key) ?? []) if (this.hits(n, from, way)) return true;
      }
    }
    return false;
  }

  /** True where a way goes through a triangle. @param {number} n @param {number[]} from @param {number[]} way */
  hits(n, from, way) {
    const [a, b, c] = [this.corner(n), this.corner(n + 1), this.corner(n + 2)];
    const [u, v, s] = [minus(b, a), minus(c, a), minus(from, a)];
    const p = cross(way, v);
    const size = dot(u, p);
    if (Math.abs(size) < 1e-6) return false;
    const x = dot(s, p) / size;
    const q = cross(s, u);
    const y = dot(way, q) / size;
    const far = dot(v, q) / size;
    return x >= 0 && y >= 0 && x + y <= 1 && far > 0.001 && far < 0.999;
  }
}

const NEIGHBOURS = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]];

/** @param {number} i @param {number} j */
function cellOf(i, j) {
  return i * 0x10000 + j;
}

/** @param {number[]} a @param {number[]} b */
function minus(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** @param {number[]} a @param {number[]} b */
function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** @param {number[]} a @param {number[]} b */
function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Tells who is in view of whom. */
export class Sight {
  /** @param {import("./data.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {Map<number, Walls>} By level. */
    this.walls = new Map();
  }

  /** The slots of those whom a player may see; `null` where nothing tells. A recording through somebody's eyes holds those
   * whom the server sent; of others the walls of the map tell, if there is one, whichever way the player looks.
   * @param {number} slot @param {number} row @returns {Set<number>|null} */
  of(slot, row) {
    const { replay } = this;
    const others = replay.slots.filter((it) => it !== slot && !replay.value(it, "spectator", row));
    const places = others.map((it) => ({ slot: it, eyes: this.eyes(it, row) }));
    if (replay.value(-1, "view", row) === slot) return new Set(places.filter((it) => it.eyes).map((it) => it.slot));
    const level = replay.levelAt(row);
    const eyes = this.eyes(slot, row);
    if (!replay.maps[level] || !eyes) return null;
    let walls = this.walls.get(level);
    if (!walls) this.walls.set(level, (walls = new Walls(replay.maps[level])));
    const seen = places.filter((it) => it.eyes && !walls.between(eyes, it.eyes));
    return new Set(seen.map((it) => it.slot));
  }

  /** @param {number} slot @param {number} row */
  eyes(slot, row) {
    const track = this.replay.playerTrack(slot, row);
    const pose = track && this.replay.recorded(track, row);
    return pose && [pose.place[0], pose.place[1], pose.place[2] + EYES];
  }
}
