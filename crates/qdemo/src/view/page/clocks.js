// The panel of items that people wait for: which are there, and when the others are back.

import { clockText } from "./data.js";
import { byId, element } from "./panels.js";

/** Most lines of the panel. */
const MOST_CLOCKS = 14;

/** No item takes longer than this to come back, in ms, but those that nobody saw come back. */
const LONGEST_AWAY = 310_000;

/** How long until an item is back. @param {import("./items.js").Away} away @param {number} ms */
export function clockOf(away, ms) {
  if (away.to === null) return "gone";
  if (!away.exact && away.to - away.from > LONGEST_AWAY) return "unseen";
  return `${away.exact ? "" : "≤ "}${clockText(Math.ceil((away.to - ms) / 1000) * 1000, 0)}`;
}

/** Keeps the panel up to date. */
export class ItemClocks {
  /** @param {import("./data.js").Replay} replay @param {import("./items.js").Items} items @param {import("./scene.js").Colors} colors */
  constructor(replay, items, colors) {
    this.replay = replay;
    this.items = items;
    this.colors = colors;
    this.shown = "";
  }

  /** @param {number} level @param {number} ms @param {number} row */
  update(level, ms, row) {
    const lines = this.items.clocks(level, ms).slice(0, MOST_CLOCKS).map(({ spot, away, unseen }) => ({
      spot,
      by: away?.slot ?? null,
      text: away ? clockOf(away, ms) : unseen ? "unseen" : "there",
    }));
    const shown = JSON.stringify(lines.map(({ spot, by, text }) => [spot.label, by, text]));
    if (shown === this.shown) return;
    this.shown = shown;
    byId("clocks").replaceChildren(...lines.map(({ spot, by, text }) => this.line(spot, by, text, row)));
    byId("no-clocks").hidden = lines.length > 0;
  }

  /** @param {import("./items.js").Spot} spot @param {number|null} by @param {string} text @param {number} row */
  line(spot, by, text, row) {
    const line = element("li", "", text === "there" ? "there" : "");
    const dot = element("span", "", "gem");
    dot.style.background = spot.color;
    const who = element("span", by === null ? "" : this.replay.text(by, "name", row), "by");
    if (by !== null) who.style.color = this.colors.of(by, row);
    line.append(dot, element("span", spot.label, "item"), who, element("span", text, "n"));
    return line;
  }
}
