// The charts: score, health and armour, speed.

import { context, themeColor } from "./bar.js";
import { byId } from "./panels.js";

/** A speed is measured over so many ms; between moments that lie farther apart than APART nothing is known of it, and who is in
 * one place for longer stands still. */
const SPEED_OVER = 100;
const APART = 400;
/** Nobody goes faster, in units a second, nor farther than FAR_JUMP at once, in units; and nobody is teleported less far than JUMP.
 * Pictures of `draw` have the same. */
const FASTEST = 3000;
const JUMP = 48;
const FAR_JUMP = 200;
/** What games tell of who begins to watch in place of a score. */
const NO_SCORES = [0, -999];

/** @typedef {{color: string, points: Float64Array, fill?: boolean}} Curve Two numbers a point: time and value. */

/** The way of a player over the ground while in view. */
class Way {
  /** @param {import("./data.js").Replay} replay @param {import("./data.js").Track} track */
  constructor(replay, track) {
    this.replay = replay;
    this.track = track;
  }

  /** The key that counts at a row, from an earlier one on. @param {number} key @param {number} row */
  keyAt(key, row) {
    while (key + 1 < this.track.last && this.replay.keyRow[key + 1] <= row) key++;
    return key;
  }

  /** @param {number} key */
  ground(key) {
    return [0, 1].map((n) => this.replay.places[key * 3 + n] / 8);
  }

  /** True where from a key to the next somebody is moved as nobody goes. A place is that of all rows up to the next key, so what is
   * gone is gone since the row before. @param {number} key */
  jumps(key) {
    const { rows, keyRow } = this.replay;
    const [[x, y], [u, v]] = [this.ground(key), this.ground(key + 1)];
    const [far, row] = [Math.hypot(u - x, v - y), keyRow[key + 1]];
    return far > FAR_JUMP || (far > JUMP && far * 1000 > FASTEST * (rows[row] - rows[row - 1]));
  }

  /** Where somebody is. Of one who is seen again in the same place for a while it may be that no moves came: what is gone then is
   * gone over all of that time. @param {number} key @param {number} row */
  place(key, row) {
    const { rows, keyRow } = this.replay;
    const here = this.ground(key);
    if (key + 1 >= this.track.last) return here;
    const [since, until] = [rows[keyRow[key]], rows[keyRow[key + 1]]];
    if (until - since > APART || this.jumps(key)) return here;
    const to = this.ground(key + 1);
    const part = (rows[row] - since) / Math.max(1, until - since);
    return here.map((v, n) => v + (to[n] - v) * part);
  }
}

/** The charts of the players, and of the one who is followed. */
export class Charts {
  /** @param {import("./data.js").Replay} replay @param {import("./scene.js").Colors} colors */
  constructor(replay, colors) {
    this.replay = replay;
    this.colors = colors;
    /** @type {Map<string, Float64Array>} Points of curves that were asked for. */
    this.kept = new Map();
    /** @type {Map<string, {canvas: HTMLCanvasElement, key: string}>} Curves are painted once. */
    this.painted = new Map();
  }

  /** Points, worked out once. @param {string} key @param {() => number[]} points */
  keep(key, points) {
    let kept = this.kept.get(key);
    if (!kept) this.kept.set(key, (kept = Float64Array.from(points())));
    return kept;
  }

  /** The points of a value, as steps. Who has left has no name any more, and no value. Who watches has no score but the one that
   * is told in the row in which that begins. Pictures of `draw` have the same.
   * @param {number} slot @param {string} name */
  steps(slot, name) {
    return this.keep(`${name} ${slot}`, () => {
      const { replay } = this;
      const own = replay.values.get(slot);
      const [values, watches] = [own?.get(name), name === "frags" ? own?.get("spectator") : undefined];
      const changes = new Set(values?.rows ?? []);
      const looksOn = (/** @type {number} */ row) => watches && replay.value(slot, "spectator", row);
      const isLast = (/** @type {number} */ row) =>
        looksOn(row) && !looksOn(row - 1) && changes.has(row) && replay.value(slot, name, row - 1) !== null &&
        !NO_SCORES.includes(replay.value(slot, name, row) ?? 0);
      const behind = [...(watches?.rows ?? [])].filter(isLast).map((row) => row + 1);
      const since = replay.namedSince(slot);
      const hasLeft = (/** @type {number} */ row) => since >= 0 && since <= row && !replay.text(slot, "name", row);
      const told = [watches, own?.get("name")].flatMap((it) => [...(it?.rows ?? [])]);
      const rows = new Set([...changes, ...told, ...behind.filter((row) => row < replay.rows.length)]);
      const points = [];
      let last = NaN;
      for (const row of [...rows].sort((a, b) => a - b)) {
        const counts = !hasLeft(row) && (!looksOn(row) || isLast(row));
        const ms = replay.rows[row];
        points.push(ms, last, ms, (last = (counts ? replay.value(slot, name, row) : null) ?? NaN));
      }
      points.push(replay.end, last);
      return points;
    });
  }

  /** How fast a player moves over the ground. @param {number} slot */
  speeds(slot) {
    const { replay } = this;
    return this.keep(`speed ${slot}`, () => {
      /** @type {number[]} */
      const points = [];
      const add = (/** @type {number} */ ms, /** @type {number} */ speed) => points.push(ms, speed);
      const { rows } = replay;
      for (const track of replay.playerTracks.get(slot) ?? []) {
        const way = new Way(replay, track);
        // The row SPEED_OVER ago, and the keys then and now.
        let [before, then, key] = [track.from, track.first, track.first];
        for (let row = track.from; row < Math.min(track.to, rows.length); row++) {
          const [now, last] = [rows[row], key];
          key = way.keyAt(key, row);
          if (row > track.from && (now - rows[row - 1] > APART || (last < key && way.jumps(last)))) {
            [before, then] = [row, key];
            add(now, NaN);
          }
          if (points.length && now - points[points.length - 2] < 50 && !Number.isNaN(points[points.length - 1])) continue;
          while (before < row && rows[before + 1] <= now - SPEED_OVER) before++;
          then = way.keyAt(then, before);
          const span = now - rows[before];
          if (span < SPEED_OVER) continue;
          // Who begins to live again begins somewhere else. Where all look at the scores from nobody goes.
          const out = [before, row].some(
            (at) => replay.value(slot, "spectator", at) || (replay.value(slot, "health", at) ?? 1) <= 0 || replay.value(-1, "intermission", at),
          );
          const [[x, y], [u, v]] = [way.place(key, row), way.place(then, before)];
          add(now, out ? NaN : (Math.hypot(x - u, y - v) / span) * 1000);
        }
        add(rows[Math.min(track.to, rows.length - 1)], NaN);
      }
      return points;
    });
  }

  /** @param {number} ms @param {number|null} followed @param {number} row @param {string} theme */
  update(ms, followed, row, theme) {
    const { replay, colors } = this;
    const players = replay.slots.filter((slot) => replay.value(slot, "name", row) !== null && !replay.value(slot, "spectator", row));
    const of = followed === null ? " (follow a player)" : ` of ${replay.nameNear(followed, row)}`;
    const color = followed === null ? "" : colors.of(followed, row);
    this.chart("chart-score", "Score", `${theme} ${players.map((slot) => `${slot} ${colors.of(slot, row)}`)}`, ms, () =>
      players.map((slot) => ({ color: colors.of(slot, row), points: this.steps(slot, "frags") })),
    );
    this.chart("chart-health", `Health and armour${of}`, `${theme} ${followed}`, ms, () =>
      followed === null ? [] : [
        { color: "#4fb477", points: this.steps(followed, "health"), fill: true },
        { color: "#d8a03a", points: this.steps(followed, "armor") },
      ],
    );
    this.chart("chart-speed", `Speed in units a second${of}`, `${theme} ${followed} ${color}`, ms, () =>
      followed === null ? [] : [{ color, points: this.speeds(followed) }],
    );
  }

  /** @param {string} id @param {string} title @param {string} state What the curves depend on beside the title.
   * @param {number} ms @param {() => Curve[]} curves */
  chart(id, title, state, ms, curves) {
    const canvas = /** @type {HTMLCanvasElement} */ (byId(id));
    const { c, width, height } = context(canvas);
    const key = `${title} ${state} ${width} ${height}`;
    let base = this.painted.get(id);
    if (base?.key !== key) {
      base = { canvas: document.createElement("canvas"), key };
      [base.canvas.width, base.canvas.height] = [canvas.width, canvas.height];
      this.painted.set(id, base);
      const on = /** @type {CanvasRenderingContext2D} */ (base.canvas.getContext("2d"));
      const scale = window.devicePixelRatio || 1;
      on.scale(scale, scale);
      this.paint(on, width, height, curves());
      byId(`${id}-name`).textContent = title;
    }
    c.drawImage(base.canvas, 0, 0, width, height);
    const { start, end } = this.replay;
    c.fillStyle = themeColor("accent");
    c.fillRect(((ms - start) / Math.max(1, end - start)) * width - 0.5, 0, 1, height);
  }

  /** @param {CanvasRenderingContext2D} c @param {number} width @param {number} height @param {Curve[]} curves */
  paint(c, width, height, curves) {
    const { start, end } = this.replay;
    let [low, high] = [0, 1];
    // What is played before a match may have other rules: 1090 of health, say.
    const begins = this.replay.about.matches[0]?.from_ms ?? start;
    for (const { points } of curves) {
      for (let n = 1; n < points.length; n += 2) {
        if (points[n - 1] <= begins && begins > start) continue;
        if (points[n] > high) high = points[n];
        if (points[n] < low) low = points[n];
      }
    }
    low = Math.max(low, -high);
    const x = (/** @type {number} */ t) => ((t - start) / Math.max(1, end - start)) * width;
    const y = (/** @type {number} */ v) => height - 3 - ((Math.min(v, high) - low) / (high - low)) * (height - 18);
    c.fillStyle = themeColor("ground");
    c.fillRect(0, 0, width, height);
    c.fillStyle = themeColor("faint");
    c.font = "10px system-ui, sans-serif";
    c.textAlign = "right";
    c.fillText(String(Math.round(high)), width - 4, 12);
    c.lineWidth = 1.4;
    for (const { color, points, fill } of curves) {
      c.strokeStyle = c.fillStyle = color;
      c.beginPath();
      let drawing = false;
      let [lastX, lastY] = [-9, -9];
      // What lies below a stretch of the curve.
      const below = new Path2D();
      const ends = () => {
        if (drawing) below.lineTo(lastX, y(0));
        drawing = false;
      };
      for (let n = 0; n < points.length; n += 2) {
        if (Number.isNaN(points[n + 1])) {
          ends();
          continue;
        }
        const [px, py] = [x(points[n]), y(points[n + 1])];
        // What is less than half a pixel away is not seen.
        if (drawing && Math.abs(px - lastX) < 0.5 && Math.abs(py - lastY) < 0.5) continue;
        if (!drawing) {
          c.moveTo(px, py);
          below.moveTo(px, y(0));
        } else c.lineTo(px, py);
        below.lineTo(px, py);
        [drawing, lastX, lastY] = [true, px, py];
      }
      c.stroke();
      ends();
      if (fill) {
        c.globalAlpha = 0.12;
        c.fill(below);
        c.globalAlpha = 1;
      }
    }
  }
}
