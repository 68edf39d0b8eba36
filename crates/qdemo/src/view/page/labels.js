// What stands on the picture in words: names with health and armour, and when items are back.

import { project } from "./camera.js";
import { clockOf } from "./clocks.js";
import { rgba } from "./scene.js";

/** @typedef {{matrix: Float32Array, ms: number, row: number, level: number, followed: number|null, throughEyes: boolean,
 *   light: boolean, above: boolean, scale: number}} LabelsAt */

/** Draws on a canvas that lies on the picture. */
export class Labels {
  /** @param {HTMLCanvasElement} canvas @param {import("./data.js").Replay} replay @param {import("./items.js").Items} items */
  constructor(canvas, replay, items) {
    this.canvas = canvas;
    this.replay = replay;
    this.items = items;
    this.c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  }

  /** @param {{slot: number, pose: import("./data.js").Pose, color: string, dead: boolean}[]} players @param {LabelsAt} at */
  draw(players, at) {
    const { canvas, c } = this;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    c.scale(scale, scale);
    c.textAlign = "center";
    c.lineJoin = "round";
    this.drawClocks(width, height, at);
    for (const player of players) {
      if (!player.dead && !(at.throughEyes && player.slot === at.followed)) this.drawName(player, width, height, at);
    }
    if (at.throughEyes) this.drawCross(width / 2, height / 2, at.light);
  }

  /** @param {string} text @param {number} x @param {number} y @param {boolean} light */
  text(text, x, y, light) {
    const { c } = this;
    c.strokeStyle = light ? "rgb(255 255 255 / 85%)" : "rgb(10 12 16 / 80%)";
    c.lineWidth = 3;
    c.strokeText(text, x, y);
    c.fillStyle = light ? "#1b2129" : "#f1f4f8";
    c.fillText(text, x, y);
  }

  /** @param {number} width @param {number} height @param {LabelsAt} at */
  drawClocks(width, height, { matrix, ms, level, light }) {
    this.c.font = "500 11px system-ui, sans-serif";
    for (const { spot, away } of this.items.clocks(level, ms)) {
      const at = away && away.to !== null && project(matrix, spot.place);
      if (at && at.x > 0 && at.x < 1) this.text(clockOf(away, ms), at.x * width, at.y * height + 4, light);
    }
  }

  /** @param {{slot: number, pose: import("./data.js").Pose, color: string}} player @param {number} width
   * @param {number} height @param {LabelsAt} at */
  drawName({ slot, pose, color }, width, height, { matrix, row, light, above, scale }) {
    const { c, replay } = this;
    const at = project(matrix, [pose.place[0], pose.place[1], pose.place[2] + (above ? 0 : 40)]);
    if (!at || at.x < -0.1 || at.x > 1.1) return;
    // From above the name stands over the disc, whose size on the screen is known.
    const size = above ? ((30 * scale) / at.far) * height * 1.2 : 0;
    const [x, over] = [at.x * width, at.y * height - 12 - size];
    // Of whom is seen at the upper edge the name is too.
    const y = at.y > 0 ? Math.max(12, over) : over;
    c.font = "600 12px system-ui, sans-serif";
    this.text(replay.text(slot, "name", row), x, y, light);
    const health = replay.value(slot, "health", row);
    const armor = replay.value(slot, "armor", row);
    if (health === null || replay.slots.length < 2) return;
    this.drawGauge(x, y + 4, health / 100, color);
    if (armor) this.drawGauge(x, y + 8, armor / 200, "#d8a03a");
  }

  /** @param {number} x @param {number} y @param {number} part @param {string} color */
  drawGauge(x, y, part, color) {
    const { c } = this;
    c.fillStyle = "rgb(0 0 0 / 55%)";
    c.fillRect(x - 18, y, 36, 3);
    c.fillStyle = color;
    c.fillRect(x - 18, y, 36 * Math.min(1, Math.max(0, part)), 3);
  }

  /** @param {number} x @param {number} y @param {boolean} light */
  drawCross(x, y, light) {
    const { c } = this;
    const [r, g, b] = rgba(light ? "#1b2129" : "#f1f4f8").map((v) => Math.round(v * 255));
    c.strokeStyle = `rgb(${r} ${g} ${b} / 60%)`;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x - 7, y);
    c.lineTo(x + 7, y);
    c.moveTo(x, y - 7);
    c.lineTo(x, y + 7);
    c.stroke();
  }
}
