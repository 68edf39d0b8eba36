// The replay as the page has it: what the Rust module `view` wrote, decoded into typed arrays. Its documentation tells
// the layout.

import { unpack } from "./unpack.js";

/** What a track is of. */
export const PLAYER = 0;
export const VIEW = 1;
export const ENTITY = 2;

/** Eighths of a unit to a unit. */
const EIGHTHS = 8;
/** Degrees to the 65536th part of a turn. */
const DEGREES = 360 / 65536;
/** Rows to a bucket of the list of what is in view. */
export const BUCKET = 128;
/** No key that is farther away than this, in milliseconds, tells how fast something moves. */
const PACE_WITHIN = 200;
/** Between keys that lie no farther apart than this many milliseconds things move; else they stand still and jump. */
const MOVES_WITHIN = 160;
/** What goes farther than this many units between two keys has been teleported. */
const JUMPS = 200;

/**
 * @typedef {{of: number, id: number, kind: string, model: string, from: number, to: number, first: number, last: number}}
 *   Track of a player (`id` is the slot) or an entity (its number), from row to row; its keys are `first` to `last`.
 * @typedef {{rows: Int32Array, values: Float64Array}} Values NaN where nothing is told.
 * @typedef {{slot?: number, name: string}} Who
 * @typedef {{demo_ms: number, kind: string, attacker?: Who|null, victim?: Who, weapon?: string, means?: string,
 *   frag_kind?: string, from?: number[], at?: number[], speaker?: Who|null, text?: string, team?: string|boolean,
 *   action?: string, player?: Who|null, phase?: string, item?: string, lasted_ms?: number}} Mark
 * @typedef {{row: number, victim: number|null, attacker: number|null, amount: number}} Damage
 * @typedef {{row: number, map: string, title: string, teams: boolean, for_oneself: boolean}} Level
 * @typedef {{file: string, format: string, game: string, recorder: number|null, teams: boolean, levels: Level[],
 *   matches: {from_ms: number, to_ms: number}[], marks: Mark[], strings: string[],
 *   columns: {name: string, bytes: number}[]}} About
 * @typedef {{place: number[], angles: number[]}} Pose Units; pitch, yaw and roll in degrees.
 * @typedef {{level: number, corners: Int32Array, models: Uint32Array[]}} MapMesh
 */

/** Reads the numbers of a column one after the other. */
class Column {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get over() {
    return this.at >= this.bytes.length;
  }

  /** A number from 0 up. */
  count() {
    let byte = this.bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 0x80;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    return value;
  }

  /** Any number. */
  number() {
    const folded = this.count();
    return folded % 2 ? -(folded + 1) / 2 : folded / 2;
  }
}

/** The last place in `rows[from..to)` whose value is at most `row`; `from - 1` when there is none.
 * @param {Int32Array} rows @param {number} from @param {number} to @param {number} row */
export function lastUpTo(rows, from, to, row) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (rows[middle] <= row) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** The way from one angle to another, in degrees, the shorter one.
 * @param {number} from @param {number} to */
export function turn(from, to) {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

/** Unpacks what the page holds.
 * @param {string} text Seven bits a character. @returns {Promise<Replay>} */
export async function readReplay(text) {
  return new Replay(await unpack(text));
}

/** A replay: moments (rows), what was where (tracks), what players have (values), and what happened (marks). */
export class Replay {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
    /** @type {About} */
    this.about = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + size)));
    /** @type {Record<string, Column>} */
    const columns = {};
    let at = 12 + size;
    for (const { name, bytes: length } of this.about.columns) {
      columns[name] = new Column(bytes.subarray(at, at + length));
      at += length;
    }
    this.strings = this.about.strings;
    /** Recordings of servers show everything, others what was in view. */
    this.seesAll = /^mvd/.test(this.about.format);
    this.rows = new Int32Array(0);
    this.keyRow = new Int32Array(0);
    this.places = new Int32Array(0);
    this.turns = new Int16Array(0);
    /** @type {Track[]} */
    this.tracks = [];
    /** @type {Map<number, Map<string, Values>>} By slot, -1 for the world. */
    this.values = new Map();
    /** @type {number[]} */
    this.slots = [];
    /** @type {{row: number, slot: number, weapon: string}[]} */
    this.shots = [];
    /** @type {{row: number, ends: number[]}[]} */
    this.beams = [];
    /** @type {Damage[]} */
    this.damage = [];
    /** @type {Int32Array[]} Three numbers a cell, by level. */
    this.floors = [];
    /** @type {MapMesh[]} By level. */
    this.maps = [];
    this.readRows(columns.row);
    this.readTracks(columns);
    this.readValues(columns);
    this.readShots(columns);
    this.readDamage(columns.damage);
    this.readFloors(columns.floor);
    this.readMaps(columns.map);
    this.shotRows = Int32Array.from(this.shots, (it) => it.row);
    this.beamRows = Int32Array.from(this.beams, (it) => it.row);
    this.damageRows = Int32Array.from(this.damage, (it) => it.row);
    /** @type {number[][]} */
    this.buckets = [];
    /** @type {Map<number, Track[]>} */
    this.playerTracks = new Map();
    /** @type {Track[]} */
    this.viewTracks = [];
    this.listInView();
    this.start = this.rows[0] ?? 0;
    this.end = this.rows[this.rows.length - 1] ?? 0;
  }

  /** @param {Column} column */
  readRows(column) {
    const rows = [];
    let last = 0;
    while (!column.over) rows.push((last += column.number()));
    this.rows = Int32Array.from(rows);
  }

  /** @param {Record<string, Column>} columns */
  readTracks(columns) {
    const { track: heads, key, x, y, z } = columns;
    const most = key.bytes.length;
    this.keyRow = new Int32Array(most);
    this.places = new Int32Array(most * 3);
    this.turns = new Int16Array(most * 3);
    const places = [x, y, z];
    const turns = ["pitch", "yaw", "roll"].map((name) => [columns[name].bytes, columns[`${name}_high`].bytes]);
    let n = 0;
    while (!heads.over) {
      const of = heads.count();
      const id = of === VIEW ? 0 : heads.count();
      const kind = of === ENTITY ? this.strings[heads.count()] : "";
      const model = of === ENTITY ? this.strings[heads.count()] : "";
      const from = heads.count();
      const to = from + heads.count();
      const keys = heads.count();
      let row = from;
      let before = from;
      for (let k = 0; k < keys; k++, n++) {
        const gap = key.count();
        const [now, then] = k > 1 && gap === 1 ? this.pace(row + gap, row, before) : [0, 1];
        before = row;
        this.keyRow[n] = row += gap;
        for (let axis = 0; axis < 3; axis++) {
          const here = n * 3 + axis;
          const last = k ? this.places[here - 3] : 0;
          const step = now ? last - this.places[here - 6] : 0;
          const on = Math.trunc((2 * step * now + Math.sign(step) * then) / (2 * then));
          this.places[here] = last + on + places[axis].number();
          const folded = turns[axis][0][n] | (turns[axis][1][n] << 8);
          const angle = k ? this.turns[here - 3] : 0;
          const turned = k > 1 ? ((angle - this.turns[here - 6]) << 16) >> 17 : 0;
          this.turns[here] = angle + turned + ((folded >> 1) ^ -(folded & 1));
        }
      }
      this.tracks.push({ of, id, kind, model, from, to, first: n - keys, last: n });
    }
  }

  /** How long it is to a row, and how long it was to the one before; 1 and 1 where the times do not tell.
   * @param {number} to @param {number} row @param {number} before */
  pace(to, row, before) {
    const [now, then] = [this.rows[to] - this.rows[row], this.rows[row] - this.rows[before]];
    const tells = (/** @type {number} */ ms) => ms > 0 && ms < PACE_WITHIN;
    return tells(now) && tells(then) ? [now, then] : [1, 1];
  }

  /** @param {Record<string, Column>} columns */
  readValues({ values: heads, value_row: rowsOf, value: valuesOf }) {
    while (!heads.over) {
      const slot = heads.count() - 1;
      const name = this.strings[heads.count()];
      const count = heads.count();
      const rows = new Int32Array(count);
      const values = new Float64Array(count);
      let row = 0;
      let last = 0;
      for (let n = 0; n < count; n++) {
        rows[n] = row += rowsOf.count();
        const folded = valuesOf.count();
        if (folded) {
          const step = folded - 1;
          last += step % 2 ? -(step + 1) / 2 : step / 2;
        }
        values[n] = folded ? last : NaN;
      }
      let all = this.values.get(slot);
      if (!all) this.values.set(slot, (all = new Map()));
      all.set(name, { rows, values });
    }
    this.slots = [...this.values.keys()].filter((slot) => slot >= 0).sort((a, b) => a - b);
  }

  /** @param {Record<string, Column>} columns */
  readShots({ shot, beam }) {
    for (let row = 0; !shot.over; ) {
      row += shot.count();
      this.shots.push({ row, slot: shot.count(), weapon: this.strings[shot.count()] });
    }
    const ends = [0, 0, 0, 0, 0, 0];
    for (let row = 0; !beam.over; ) {
      row += beam.count();
      beam.count();
      for (let n = 0; n < 6; n++) ends[n] += beam.number();
      this.beams.push({ row, ends: ends.map((v) => v / EIGHTHS) });
    }
  }

  /** @param {Column} column */
  readDamage(column) {
    const slot = () => {
      const told = column.count();
      return told ? told - 1 : null;
    };
    for (let row = 0; !column.over; ) {
      row += column.count();
      this.damage.push({ row, victim: slot(), attacker: slot(), amount: column.count() });
    }
  }

  /** @param {Column} column */
  readFloors(column) {
    while (!column.over) {
      const level = column.count();
      const cells = new Int32Array(column.count() * 3);
      for (let n = 0; n < cells.length; n++) cells[n] = (n > 2 ? cells[n - 3] : 0) + column.number();
      this.floors[level] = cells;
    }
  }

  /** @param {Column} column */
  readMaps(column) {
    while (!column.over) {
      const level = column.count();
      const corners = new Int32Array(column.count() * 3);
      for (let n = 0; n < corners.length; n++) corners[n] = (n > 2 ? corners[n - 3] : 0) + column.number();
      const models = [];
      let last = 0;
      for (let count = column.count(); count > 0; count--) {
        const model = new Uint32Array(column.count() * 3);
        for (let n = 0; n < model.length; n++) model[n] = last += column.number();
        models.push(model);
      }
      this.maps[level] = { level, corners, models };
    }
  }

  /** Lists which tracks are in view in which part of the replay. */
  listInView() {
    this.buckets = Array.from({ length: Math.ceil(this.rows.length / BUCKET) }, () => []);
    this.tracks.forEach((track, number) => {
      for (let bucket = Math.floor(track.from / BUCKET); bucket * BUCKET < track.to; bucket++) {
        this.buckets[bucket]?.push(number);
      }
    });
    this.viewTracks = this.tracks.filter((track) => track.of === VIEW);
    for (const track of this.tracks) {
      if (track.of !== PLAYER) continue;
      const all = this.playerTracks.get(track.id);
      if (all) all.push(track);
      else this.playerTracks.set(track.id, [track]);
    }
  }

  /** The row that shows a moment, 0 before the first.
   * @param {number} ms */
  rowAt(ms) {
    return Math.max(0, lastUpTo(this.rows, 0, this.rows.length, ms));
  }

  /** Number of the level at a row.
   * @param {number} row */
  levelAt(row) {
    const { levels } = this.about;
    let n = levels.length - 1;
    while (n > 0 && levels[n].row > row) n--;
    return Math.max(0, n);
  }

  /** The tracks that are in view at a row.
   * @param {number} row @returns {Track[]} */
  inView(row) {
    const numbers = this.buckets[Math.floor(row / BUCKET)] ?? [];
    return numbers.map((n) => this.tracks[n]).filter((track) => track.from <= row && row < track.to);
  }

  /** The track of a player that is in view at a row.
   * @param {number} slot @param {number} row */
  playerTrack(slot, row) {
    return trackAt(this.playerTracks.get(slot) ?? [], row);
  }

  /** Where a track is at a row, exactly as recorded.
   * @param {Track} track @param {number} row @returns {Pose|null} */
  recorded(track, row) {
    const key = lastUpTo(this.keyRow, track.first, track.last, row);
    if (key < track.first || row >= track.to) return null;
    return { place: [0, 1, 2].map((n) => this.places[key * 3 + n] / EIGHTHS), angles: this.angles(key) };
  }

  /** @param {number} key */
  angles(key) {
    return [0, 1, 2].map((n) => this.turns[key * 3 + n] * DEGREES);
  }

  /** Where a track is at a moment, moving between the rows.
   * @param {Track} track @param {number} ms @param {number} row The row at that moment. @returns {Pose|null} */
  pose(track, ms, row) {
    const key = lastUpTo(this.keyRow, track.first, track.last, row);
    if (key < track.first || row >= track.to) return null;
    const pose = { place: [0, 1, 2].map((n) => this.places[key * 3 + n] / EIGHTHS), angles: this.angles(key) };
    const next = key + 1;
    if (next >= track.last) return pose;
    const since = this.rows[this.keyRow[key]];
    const span = this.rows[this.keyRow[next]] - since;
    if (span > MOVES_WITHIN || span <= 0) return pose;
    const part = (ms - since) / span;
    const to = [0, 1, 2].map((n) => this.places[next * 3 + n] / EIGHTHS);
    if (to.some((v, n) => Math.abs(v - pose.place[n]) > JUMPS)) return pose;
    const angles = this.angles(next);
    pose.place = pose.place.map((v, n) => v + (to[n] - v) * part);
    pose.angles = pose.angles.map((v, n) => v + turn(v, angles[n]) * part);
    return pose;
  }

  /** A value of a player at a row; `null` where none is told.
   * @param {number} slot -1 for the world @param {string} name @param {number} row @returns {number|null} */
  value(slot, name, row) {
    const values = this.values.get(slot)?.get(name);
    if (!values) return null;
    const key = lastUpTo(values.rows, 0, values.rows.length, row);
    return key < 0 || Number.isNaN(values.values[key]) ? null : values.values[key];
  }

  /** The first row in which somebody has a name in a slot; -1 where nobody has one. @param {number} slot */
  namedSince(slot) {
    return this.values.get(slot)?.get("name")?.rows.find((row) => this.text(slot, "name", row) !== "") ?? -1;
  }

  /** The name that somebody has at a row; of who has left the last one, of who is still to come the first.
   * @param {number} slot @param {number} row */
  nameNear(slot, row) {
    const { rows, values } = this.values.get(slot)?.get("name") ?? { rows: new Int32Array(0), values: [] };
    const names = [...values].map((value) => (Number.isNaN(value) ? "" : this.strings[value]));
    const until = names.slice(0, lastUpTo(rows, 0, rows.length, row) + 1);
    return until.findLast(Boolean) ?? names.find(Boolean) ?? "";
  }

  /** True for a slot that somebody has, by its names, and does not only watch. What is so in the last row alone, when servers
   * begin a level anew, lasts no time. `Index::plays` is the same.
   * @param {number} slot */
  plays(slot) {
    const [since, last] = [this.namedSince(slot), this.rows.length - 1];
    const told = ["name", "spectator"].flatMap((name) => [...(this.values.get(slot)?.get(name)?.rows ?? [])]);
    const rows = told.filter((row) => row < last || row === since);
    return rows.some((row) => this.text(slot, "name", row) && !this.value(slot, "spectator", row));
  }

  /** A value that is a text.
   * @param {number} slot @param {string} name @param {number} row */
  text(slot, name, row) {
    const number = this.value(slot, name, row);
    return number === null ? "" : this.strings[number];
  }
}

/** The track of several that is in view at a row.
 * @param {Track[]} tracks By their beginnings. @param {number} row */
export function trackAt(tracks, row) {
  let [from, to] = [0, tracks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (tracks[middle].from <= row) from = middle + 1;
    else to = middle;
  }
  const track = tracks[from - 1];
  return track && row < track.to ? track : null;
}

/** A time as people read it: `1:23.4`.
 * @param {number} ms @param {number} [digits] */
export function clockText(ms, digits = 1) {
  const seconds = Math.abs(ms) / 1000;
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(digits);
  if (Number(rest) >= 60) return clockText(Math.sign(ms) * (minutes + 1) * 60000, digits);
  return `${ms < 0 ? "-" : ""}${minutes}:${rest.padStart(digits ? digits + 3 : 2, "0")}`;
}

/** A time as people write it: `83.4`, `1:23.4`; `null` for what is none.
 * @param {string} text */
export function parseClock(text) {
  if (!/^(\d+:)?(\d+:)?\d+(\.\d+)?$/.test(text)) return null;
  return Math.round(text.split(":").reduce((all, part) => all * 60 + Number(part), 0) * 1000);
}
