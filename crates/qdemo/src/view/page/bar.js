// The bar of time, with what happened on it.

import { clockText } from "./data.js";
import { byId, words } from "./panels.js";

/** @param {HTMLCanvasElement} canvas Gets a context in pixels of the page. */
export function context(canvas) {
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, width, height);
  return { c, width, height };
}

/** A colour of the theme. @param {string} name */
export function themeColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A text that writes from right to left, or says so, leaves what stands around it alone. @param {string} text */
export function isolated(text) {
  return `\u2068${text}\u2069`;
}

/** What a mark is, in words. @param {import("./data.js").Mark} mark */
export function markText(mark) {
  const name = (/** @type {import("./data.js").Who|null|undefined} */ who) => isolated(who?.name || "somebody");
  switch (mark.kind) {
    case "frag":
      if (!mark.attacker || mark.frag_kind === "suicide") return `${name(mark.victim)} died: ${words(mark.means || "")}`;
      return `${name(mark.attacker)} › ${name(mark.victim)} ${words(mark.weapon || mark.means || "")}`;
    case "chat":
      return mark.speaker ? `${name(mark.speaker)}: ${mark.text}` : isolated(mark.text ?? "");
    case "flag":
      return `${mark.team} flag ${mark.action}${mark.player ? ` by ${name(mark.player)}` : ""}`;
    case "match":
      return `match: ${words(mark.phase || "")}`;
    case "highlight":
      return `${name(mark.player)}: ${mark.text}`;
    default:
      return mark.kind;
  }
}

/** The bar of time. */
export class Bar {
  /** @param {import("./data.js").Replay} replay @param {import("./scene.js").Colors} colors @param {(ms: number) => void} seek */
  constructor(replay, colors, seek) {
    this.replay = replay;
    this.colors = colors;
    this.canvas = /** @type {HTMLCanvasElement} */ (byId("bar"));
    this.base = document.createElement("canvas");
    this.painted = "";
    this.marks = replay.about.marks.filter((mark) => mark.kind !== "pickup");
    this.canvas.setAttribute("aria-valuemin", String(replay.start));
    this.canvas.setAttribute("aria-valuemax", String(replay.end));
    const at = (/** @type {PointerEvent} */ event) => {
      const { left, width } = this.canvas.getBoundingClientRect();
      return this.time((event.clientX - left) / width);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(at(event));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(at(event));
      this.tip(at(event));
    });
    this.canvas.addEventListener("pointerleave", () => (byId("tip").hidden = true));
  }

  /** @param {number} part From 0 to 1. */
  time(part) {
    const { start, end } = this.replay;
    return start + Math.min(1, Math.max(0, part)) * (end - start);
  }

  /** @param {number} ms */
  part(ms) {
    const { start, end } = this.replay;
    return end > start ? (ms - start) / (end - start) : 0;
  }

  /** Tells what lies at a time. @param {number} ms */
  tip(ms) {
    const near = (this.replay.end - this.replay.start) * 0.006;
    const nearest = this.marks
      .filter((mark) => Math.abs(mark.demo_ms - ms) < near)
      .sort((a, b) => Math.abs(a.demo_ms - ms) - Math.abs(b.demo_ms - ms))[0];
    const tip = byId("tip");
    tip.hidden = false;
    tip.textContent = nearest ? `${clockText(nearest.demo_ms)}  ${markText(nearest)}` : clockText(ms);
    const half = tip.offsetWidth / 2 + 4;
    const x = this.part(ms) * this.canvas.clientWidth;
    tip.style.left = `${Math.min(this.canvas.clientWidth - half, Math.max(half, x))}px`;
  }

  /** What does not change while it plays is painted once. @param {string} theme */
  paintMarks(theme) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const key = `${width} ${height} ${theme}`;
    if (key === this.painted) return;
    this.painted = key;
    const scale = window.devicePixelRatio || 1;
    [this.base.width, this.base.height] = [Math.round(width * scale), Math.round(height * scale)];
    const c = /** @type {CanvasRenderingContext2D} */ (this.base.getContext("2d"));
    c.scale(scale, scale);
    const x = (/** @type {number} */ ms) => this.part(ms) * width;
    c.fillStyle = themeColor("line");
    c.fillRect(0, 25, width, 4);
    for (const { from_ms, to_ms } of this.replay.about.matches) {
      c.fillStyle = themeColor("faint");
      c.fillRect(x(from_ms), 25, Math.max(2, x(to_ms) - x(from_ms)), 4);
    }
    for (const level of this.replay.about.levels.slice(1)) {
      c.fillStyle = themeColor("soft");
      c.fillRect(x(this.replay.rows[level.row]) - 0.5, 6, 1, 32);
    }
    for (const mark of this.marks) this.paintMark(c, mark, x(mark.demo_ms), x);
  }

  /** @param {CanvasRenderingContext2D} c @param {import("./data.js").Mark} mark @param {number} x
   * @param {(ms: number) => number} at */
  paintMark(c, mark, x, at) {
    const row = this.replay.rowAt(mark.demo_ms);
    const color = (/** @type {import("./data.js").Who|null|undefined} */ who) =>
      who?.slot === undefined ? themeColor("soft") : this.colors.of(who.slot, row);
    if (mark.kind === "frag") {
      c.fillStyle = color(mark.attacker ?? mark.victim);
      c.globalAlpha = mark.attacker && mark.frag_kind === "kill" ? 0.95 : 0.4;
      c.fillRect(x - 1, 10, 2, 13);
      c.globalAlpha = 1;
    } else if (mark.kind === "flag") {
      c.fillStyle = this.colors.ofTeam(String(mark.team));
      const size = mark.action === "captured" ? 5 : 3;
      c.beginPath();
      c.moveTo(x, 5 - size);
      c.lineTo(x + size, 5);
      c.lineTo(x, 5 + size);
      c.lineTo(x - size, 5);
      c.fill();
    } else if (mark.kind === "chat") {
      c.fillStyle = themeColor("faint");
      c.fillRect(x - 0.5, 32, 1.5, 5);
    } else if (mark.kind === "match" && /start|end|given_up/.test(mark.phase ?? "")) {
      c.fillStyle = themeColor("ink");
      c.fillRect(x - 0.5, 20, 1, 14);
    } else if (mark.kind === "highlight") {
      c.fillStyle = themeColor("accent");
      const width = Math.max(4, at(mark.demo_ms + (mark.lasted_ms ?? 0)) - x);
      c.fillRect(x, 3, Math.min(width, 60), 3);
    }
  }

  /** @param {number} ms @param {string} theme */
  update(ms, theme) {
    this.paintMarks(theme);
    const { c, width, height } = context(this.canvas);
    c.drawImage(this.base, 0, 0, width, height);
    const x = this.part(ms) * width;
    c.fillStyle = themeColor("accent");
    c.fillRect(0, 25, x, 4);
    c.fillRect(x - 1, 4, 2, 34);
    c.beginPath();
    c.arc(x, 27, 6, 0, 7);
    c.fill();
    this.canvas.setAttribute("aria-valuenow", String(Math.round(ms)));
    this.canvas.setAttribute("aria-valuetext", clockText(ms));
  }
}
