// What is told in words: score board, feed, match clock, and the player who is followed.

import { clockText } from "./data.js";

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const it = document.getElementById(id);
  if (!it) throw new Error(`the page has no ${id}`);
  return it;
}

/** Tells what is wrong. @param {string} text Nothing where all is well. */
export function notice(text) {
  if (byId("notice").textContent === text) return;
  byId("notice").hidden = !text;
  byId("notice").textContent = text;
}

/** An element with a text, which is never read as markup.
 * @param {string} tag @param {string} [text] @param {string} [name] Of its class. */
export function element(tag, text = "", name = "") {
  const it = document.createElement(tag);
  if (text) it.textContent = text;
  if (name) it.className = name;
  return it;
}

/** Fills a list of choices. @param {HTMLElement} select @param {[string, string][]} options Value and text. */
export function choices(select, options) {
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = /** @type {HTMLOptionElement} */ (element("option", text));
      option.value = value;
      return option;
    }),
  );
}

/** Names of what is carried that are told with the followed player: the rest is many weapons. */
const WEAPONS = /^(axe|shotgun|super_shotgun|nailgun|super_nailgun|grenade_launcher|rocket_launcher|lightning_gun|blaster|machinegun|chaingun|hand_grenade|hyperblaster|railgun|bfg|bfg10k|gauntlet|plasma_gun|grapple\w*|lightning)$/;
/** Words that the names of pictures of Quake II's items begin with, joined to the next one. */
const JOINED = /^(body|combat|jacket|power|enviro|quad|data|red|blue|green)(?=[a-z])/;
/** How long a frag and a line of chat stay, in ms, and how many of them. */
const FRAG_STAYS = 7000;
const CHAT_STAYS = 9000;
const MOST = 7;

/** @typedef {{slot: number, name: string, team: string, frags: number|null, health: number|null, armor: number|null}} Line */

/** Keeps the panels up to date. */
export class Panels {
  /** @param {import("./data.js").Replay} replay @param {import("./scene.js").Colors} colors
   * @param {(slot: number) => void} follow */
  constructor(replay, colors, follow) {
    this.replay = replay;
    this.colors = colors;
    this.follow = follow;
    this.marks = replay.about.marks.filter((mark) => mark.kind === "frag" || mark.kind === "chat" || mark.kind === "flag");
    /** @type {string} What the panels show, so that they change only when that does. */
    this.shown = "";
  }

  /** The players at a row, best first. @param {number} row @returns {Line[]} */
  lines(row) {
    const { replay } = this;
    const number = (/** @type {number} */ slot, /** @type {string} */ name) => replay.value(slot, name, row);
    const all = replay.slots.filter((slot) => number(slot, "name") !== null && !number(slot, "spectator"));
    const lines = all.map((slot) => ({
      slot,
      name: replay.text(slot, "name", row),
      team: this.colors.teamOf(slot, row),
      frags: number(slot, "frags"),
      health: number(slot, "health"),
      armor: number(slot, "armor"),
    }));
    return lines.sort((a, b) => (b.frags ?? -999) - (a.frags ?? -999) || a.slot - b.slot);
  }

  /** The score of a team: as the game counts it, where it tells that, else the sum of what its players have.
   * @param {string} team @param {Line[]} lines @param {number} row */
  scoreOf(team, lines, row) {
    const told = this.replay.value(-1, `score_${team.toLowerCase()}`, row);
    return told ?? lines.reduce((sum, line) => sum + (line.team === team ? (line.frags ?? 0) : 0), 0);
  }

  /** @param {number} ms @param {number} row @param {number|null} followed
   * @param {Set<number>|null} seen Whom the followed player sees, where that is told. */
  update(ms, row, followed, seen) {
    const lines = this.lines(row);
    const recent = this.recent(ms);
    const state = JSON.stringify([lines, recent.map((mark) => mark.demo_ms), followed, Math.floor(ms / 500), this.carried(followed, row), [...(seen ?? [])]]);
    if (state === this.shown) return;
    this.shown = state;
    this.updateBoard(lines, followed, row, seen);
    this.updateFeed(recent, row);
    this.updateMatch(ms, lines, row);
    this.updateStatus(followed, row);
  }

  /** @param {Line[]} lines @param {number|null} followed @param {number} row @param {Set<number>|null} seen */
  updateBoard(lines, followed, row, seen) {
    const rows = [];
    // Where teams win nothing, everybody stands in one list.
    const ranked = this.colors.wonByTeams(row) ? lines : lines.map((line) => ({ ...line, team: "" }));
    const teams = [...new Set(ranked.map((line) => line.team))];
    const score = (/** @type {string} */ team) => this.scoreOf(team, lines, row);
    for (const team of teams.sort((a, b) => score(b) - score(a))) {
      const members = ranked.filter((line) => line.team === team);
      if (team) {
        const head = element("tr", "", "team");
        const name = element("td", team);
        name.style.color = this.colors.ofTeam(team);
        head.append(name, element("td", String(score(team)), "n"), element("td"), element("td"));
        rows.push(head);
      }
      for (const line of members) rows.push(this.boardLine(line, followed, row, !!seen?.has(line.slot)));
    }
    const focused = document.activeElement?.closest("tr")?.getAttribute("data-slot");
    byId("board").replaceChildren(...rows);
    // Who walks through the board by keys stays where they are.
    const again = focused && byId("board").querySelector(`tr[data-slot="${focused}"] button`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {Line} line @param {number|null} followed @param {number} row @param {boolean} isSeen */
  boardLine(line, followed, row, isSeen) {
    const tr = element("tr", "", `${line.slot === followed ? "followed" : ""} ${(line.health ?? 1) <= 0 ? "dead" : ""}`);
    tr.dataset.slot = String(line.slot);
    const button = element("button");
    button.setAttribute("aria-pressed", String(line.slot === followed));
    button.title = `Follow ${line.name}`;
    const dot = element("span", "", "dot");
    dot.style.background = this.colors.of(line.slot, row);
    button.append(dot, line.name || `slot ${line.slot}`);
    if (isSeen) {
      const eye = element("span", "◉", "eye");
      eye.setAttribute("role", "img");
      eye.setAttribute("aria-label", "in view of the followed player");
      eye.title = "In view of the followed player";
      button.append(" ", eye);
    }
    button.addEventListener("click", () => this.follow(line.slot));
    const name = element("td");
    name.append(button);
    const text = (/** @type {number|null} */ v) => (v === null ? "" : String(v));
    tr.append(name, element("td", text(line.frags), "n frags"), element("td", text(line.health), "n"), element("td", text(line.armor), "n"));
    return tr;
  }

  /** What happened a moment ago. @param {number} ms */
  recent(ms) {
    const stays = (/** @type {import("./data.js").Mark} */ mark) => (mark.kind === "chat" ? CHAT_STAYS : FRAG_STAYS);
    return this.marks.filter((mark) => mark.demo_ms <= ms && mark.demo_ms > ms - stays(mark));
  }

  /** @param {import("./data.js").Mark[]} recent @param {number} row */
  updateFeed(recent, row) {
    const chat = recent.filter((mark) => mark.kind === "chat").slice(-MOST);
    const frags = recent.filter((mark) => mark.kind !== "chat").slice(-MOST);
    byId("frags").replaceChildren(...frags.map((mark) => this.feedLine(mark, row)));
    byId("chat").replaceChildren(...chat.map((mark) => this.feedLine(mark, row)));
  }

  /** @param {import("./data.js").Mark} mark @param {number} row */
  feedLine(mark, row) {
    const line = element("li");
    const name = (/** @type {import("./data.js").Who|null|undefined} */ who, /** @type {string} */ style) => {
      const it = element("span", who?.name || "somebody", style);
      if (who?.slot !== undefined) it.style.color = this.colors.of(who.slot, row);
      return it;
    };
    if (mark.kind === "chat") {
      if (mark.speaker) line.append(name(mark.speaker, "says"));
      line.append(mark.text ?? "");
    } else if (mark.kind === "flag") {
      const team = element("span", `${mark.team} flag`);
      team.style.color = this.colors.ofTeam(String(mark.team));
      if (mark.player) line.append(name(mark.player, ""));
      line.append(element("span", mark.action, "weapon"), team);
    } else {
      const own = mark.frag_kind === "suicide" || !mark.attacker;
      if (!own) line.append(name(mark.attacker, ""));
      if (own) line.append(name(mark.victim, ""));
      line.append(element("span", own ? `died: ${words(mark.means || "")}` : words(mark.weapon || mark.means || ""), "weapon"));
      if (!own) line.append(name(mark.victim, ""));
    }
    return line;
  }

  /** @param {number} ms @param {Line[]} lines @param {number} row */
  updateMatch(ms, lines, row) {
    const match = this.replay.about.matches.find((it) => it.from_ms <= ms && ms <= it.to_ms);
    byId("match-clock").textContent = clockText(Math.floor((match ? ms - match.from_ms : ms) / 1000) * 1000, 0);
    byId("match").title = match ? "Since the match began" : "Since the recording began";
    const sides = this.sides(lines, row);
    ["side-a", "side-b"].forEach((id, n) => {
      const side = sides.length === 2 ? sides[n] : null;
      // A long name gives way to the score.
      const parts = side ? [element("span", side.name, "name"), " ", element("span", String(side.score))] : [];
      byId(id).replaceChildren(...(n ? parts.reverse() : parts));
      byId(id).style.color = side ? side.color : "";
    });
  }

  /** Both teams, or both players of a duel. @param {Line[]} lines @param {number} at The row. */
  sides(lines, at) {
    const { colors } = this;
    if (!colors.wonByTeams(at)) {
      const [row] = [this.replay.rows.length - 1];
      const all = lines.map((line) => ({ slot: line.slot, name: line.name, score: line.frags ?? 0, color: colors.of(line.slot, row) }));
      return all.sort((a, b) => a.slot - b.slot);
    }
    const names = [...new Set(lines.map((line) => line.team))].filter(Boolean).sort();
    return names.map((name) => ({ slot: 0, name, score: this.scoreOf(name, lines, at), color: colors.ofTeam(name) }));
  }

  /** What a player carries, without ammunition and weapons. @param {number|null} slot @param {number} row */
  carried(slot, row) {
    const names = [...(this.replay.values.get(slot ?? -2)?.keys() ?? [])];
    const own = ["name", "team", "weapon", "spectator", "health", "armor", "ammo", "frags", "ping"];
    const ammo = /^a_|shells|nails|rockets|cells|bullets|slugs|grenades|plasma|lightning|mines|belt/;
    const all = names
      .filter((name) => !own.includes(name) && !WEAPONS.test(name) && !ammo.test(name))
      .filter((name) => this.replay.value(slot ?? -2, name, row))
      .map(carriedName);
    // The status bar and the looks of a player may tell of the same.
    return [...new Set(all)];
  }

  /** @param {number|null} slot @param {number} row */
  updateStatus(slot, row) {
    const { replay } = this;
    const name = slot === null ? "" : replay.text(slot, "name", row);
    byId("who").textContent = slot === null ? "Nobody is followed" : name || `slot ${slot}`;
    byId("who").style.color = slot === null ? "" : this.colors.of(slot, row);
    const parts = [];
    if (slot !== null) {
      const number = (/** @type {string} */ of) => replay.value(slot, of, row);
      const weapon = words(replay.text(slot, "weapon", row));
      const ammo = number("ammo");
      const all = /** @type {[string, string, string][]} */ ([
        ["Health", String(number("health") ?? ""), ""],
        ["Armour", String(number("armor") ?? ""), ""],
        ["Weapon", weapon, "text"],
        ["Ammo", ammo === null || ammo < 0 ? "" : String(ammo), ""],
      ]);
      for (const [what, value, style] of all.filter((part) => part[1] !== "")) {
        const part = element("div");
        part.append(element("dt", what), element("dd", value, style));
        parts.push(part);
      }
    }
    byId("numbers").replaceChildren(...parts);
    byId("carries").textContent = this.carried(slot, row).join(", ");
  }
}

/** The name of what somebody carries. Quake II tells some of it by pictures of the status bar, such as `i_combatarmor`.
 * @param {string} name */
export function carriedName(name) {
  const picture = /^[aikpw]_(.+)$/.exec(name)?.[1];
  return words(picture?.replace(JOINED, "$1 ") ?? name);
}

/** A name as people read it. @param {string} name */
export function words(name) {
  return name.replaceAll("_", " ");
}
