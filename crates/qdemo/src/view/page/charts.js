// The charts: score, health and armour, speed.

import { context, themeColor } from "./bar.js";
import { lastUpTo } from "./data.js";
import { byId } from "./panels.js";

/** A speed is measured over so many ms. */
const SPEED_OVER = 120;

/** @typedef {{color: string, points: Float64Array, fill?: boolean}} Curve Two numbers a point: time and value. */

/** The charts: score, health and armour, speed. */
export class Charts {
  /** @param {import("./data.js").Replay} replay @param {import("./scene.js").Colors} colors */
  constructor(replay, colors) {
    this.replay = replay;
    this.colors = colors;
    /** @type {Map<string, Float64Array>} */
    this.kept = new Map();
  }

  /** The points of a value, as steps. @param {number} slot @param {string} name */
  steps(slot, name) {
    const values = this.replay.values.get(slot)?.get(name);
    const points = [];
    let last = NaN;
    for (let n = 0; n < (values?.rows.length ?? 0); n++) {
      const ms = this.replay.rows[values?.rows[n] ?? 0];
      points.push(ms, last, ms, (last = values?.values[n] ?? NaN));
    }
    points.push(this.replay.end, last);
    return Float64Array.from(points);
  }

  /** How fast a player moves over the ground. @param {number} slot */
  speeds(slot) {
    const key = `speed ${slot}`;
    const kept = this.kept.get(key);
    if (kept) return kept;
    const { replay } = this;
    const points = [];
    for (const track of replay.playerTracks.get(slot) ?? []) {
      let before = track.first;
      for (let k = track.first; k < track.last; k++) {
        const now = replay.rows[replay.keyRow[k]];
        if (points.length && now - points[points.length - 2] < 50) continue;
        before = Math.max(before, lastUpTo(replay.keyRow, before, k, replay.rowAt(now - SPEED_OVER)));
        const span = now - replay.rows[replay.keyRow[before]];
        if (span <= 0 || span > 400) continue;
        const [dx, dy] = [0, 1].map((n) => (replay.places[k * 3 + n] - replay.places[before * 3 + n]) / 8);
        const speed = (Math.hypot(dx, dy) / span) * 1000;
        if (speed < 3000) points.push(now, speed);
      }
      points.push(replay.rows[Math.min(track.to, replay.rows.length - 1)], NaN);
    }
    const all = Float64Array.from(points);
    this.kept.set(key, all);
    return all;
  }

  /** @param {number} ms @param {number|null} followed @param {number} row */
  update(ms, followed, row) {
    const { replay, colors } = this;
    const name = followed === null ? "" : replay.text(followed, "name", row);
    const of = followed === null ? " (follow a player)" : ` of ${name}`;
    byId("chart-score-name").textContent = "Frags";
    byId("chart-health-name").textContent = `Health and armour${of}`;
    byId("chart-speed-name").textContent = `Speed in units a second${of}`;
    const players = replay.slots.filter((slot) => replay.value(slot, "name", row) !== null && !replay.value(slot, "spectator", row));
    const scores = players.map((slot) => ({ color: colors.of(slot, row), points: this.steps(slot, "frags") }));
    this.chart("chart-score", ms, scores);
    const own = followed === null ? [] : [
      { color: "#4fb477", points: this.steps(followed, "health"), fill: true },
      { color: "#d8a03a", points: this.steps(followed, "armor") },
    ];
    this.chart("chart-health", ms, own);
    this.chart("chart-speed", ms, followed === null ? [] : [{ color: colors.of(followed, row), points: this.speeds(followed) }]);
  }

  /** @param {string} id @param {number} ms @param {Curve[]} curves */
  chart(id, ms, curves) {
    const { c, width, height } = context(/** @type {HTMLCanvasElement} */ (byId(id)));
    const { start, end } = this.replay;
    let [low, high] = [0, 1];
    for (const { points } of curves) {
      for (let n = 1; n < points.length; n += 2) {
        if (points[n] > high) high = points[n];
        if (points[n] < low) low = points[n];
      }
    }
    low = Math.max(low, -high);
    const x = (/** @type {number} */ t) => ((t - start) / Math.max(1, end - start)) * width;
    const y = (/** @type {number} */ v) => height - 3 - ((v - low) / (high - low)) * (height - 18);
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
      for (let n = 0; n < points.length; n += 2) {
        if (Number.isNaN(points[n + 1])) {
          drawing = false;
          continue;
        }
        const [px, py] = [x(points[n]), y(points[n + 1])];
        // What is less than half a pixel away is not seen.
        if (drawing && Math.abs(px - lastX) < 0.5 && Math.abs(py - lastY) < 0.5) continue;
        if (drawing) c.lineTo(px, py);
        else c.moveTo(px, py);
        [drawing, lastX, lastY] = [true, px, py];
      }
      c.stroke();
      if (fill) {
        c.globalAlpha = 0.12;
        c.lineTo(lastX, y(0));
        c.lineTo(0, y(0));
        c.fill();
        c.globalAlpha = 1;
      }
    }
    c.fillStyle = themeColor("accent");
    c.fillRect(x(ms) - 0.5, 0, 1, height);
  }
}
