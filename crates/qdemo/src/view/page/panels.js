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

/** @typedef {{slot: number, name: string, team: string, frags: number|null, health: number|null, armor: number|null}} Line
 * @typedef {{row: HTMLElement, button: HTMLElement, dot: HTMLElement, name: HTMLElement, eye: HTMLElement, numbers: HTMLElement[]}}
 *   PlayerRow */

/** Keeps the panels up to date. */
export class Panels {
  /** @param {import("./data.js").Replay} replay @param {import("./scene.js").Colors} colors
   * @param {(slot: number) => void} follow */
  constructor(replay, colors, follow) {
    this.replay = replay;
    this.colors = colors;
    this.follow = follow;
    this.marks = replay.about.marks.filter((mark) => mark.kind === "frag" || mark.kind === "chat" || mark.kind === "flag");
    /** @type {Map<string, string>} What each panel shows. */
    this.shown = new Map();
    /** @type {Map<number, PlayerRow>} Rows of players on the board by slot. */
    this.rows = new Map();
    /** @type {Map<string, HTMLElement>} Those of teams by their names. */
    this.teamRows = new Map();
  }

  /** Changes a panel where it is to show something else. @param {string} panel @param {unknown} what @param {() => void} change */
  show(panel, what, change) {
    const now = JSON.stringify(what);
    if (this.shown.get(panel) === now) return;
    this.shown.set(panel, now);
    change();
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
    this.updateBoard(lines, followed, row, seen);
    this.updateFeed(ms, row);
    this.updateMatch(ms, lines, row);
    this.updateStatus(followed, row);
  }

  /** @param {Line[]} lines @param {number|null} followed @param {number} row @param {Set<number>|null} seen */
  updateBoard(lines, followed, row, seen) {
    const { colors } = this;
    const score = (/** @type {string} */ team) => this.scoreOf(team, lines, row);
    // Where teams win nothing, everybody stands in one list.
    const teamOf = (/** @type {Line} */ line) => (colors.wonByTeams(row) ? line.team : "");
    const teams = [...new Set(lines.map(teamOf))].map((team) => ({ team, score: score(team), color: colors.ofTeam(team) }));
    teams.sort((a, b) => b.score - a.score);
    const players = lines.map((line) => ({ ...line, color: colors.of(line.slot, row), isFollowed: line.slot === followed, isSeen: !!seen?.has(line.slot) }));
    this.show("board", [teams, players], () => {
      const rows = teams.flatMap((team) => {
        const members = players.filter((line) => teamOf(line) === team.team).map((line) => this.playerRow(line));
        return team.team ? [this.teamRow(team), ...members] : members;
      });
      byId("nobody").hidden = rows.length > 0;
      const [board, focused] = [byId("board"), document.activeElement];
      // Where everybody stays in their place nothing is taken out: what is pressed just now may be a button of the board.
      if (rows.length === board.children.length && rows.every((it, n) => it === board.children[n])) return;
      board.replaceChildren(...rows);
      // Who walks through the board by keys stays where they are.
      if (focused instanceof HTMLElement && board.contains(focused)) focused.focus();
    });
  }

  /** @param {{team: string, score: number, color: string}} of */
  teamRow({ team, score, color }) {
    let row = this.teamRows.get(team);
    if (!row) {
      row = element("tr", "", "team");
      row.append(element("td", team), element("td", "", "n"), element("td"), element("td"));
      this.teamRows.set(team, row);
    }
    const [name, number] = /** @type {HTMLElement[]} */ ([...row.children]);
    name.style.color = color;
    number.textContent = String(score);
    return row;
  }

  /** The row of a player, which is made once. @param {Line & {color: string, isFollowed: boolean, isSeen: boolean}} line */
  playerRow(line) {
    const { row, button, dot, name, eye, numbers } = this.rows.get(line.slot) ?? this.newRow(line.slot);
    row.className = `${line.isFollowed ? "followed" : ""} ${(line.health ?? 1) <= 0 ? "dead" : ""}`;
    button.setAttribute("aria-pressed", String(line.isFollowed));
    name.textContent = line.name || `slot ${line.slot}`;
    button.title = `Follow ${name.textContent}`;
    dot.style.background = line.color;
    eye.textContent = line.isSeen ? "◉" : "";
    eye.hidden = !line.isSeen;
    [line.frags, line.health, line.armor].forEach((v, n) => (numbers[n].textContent = String(v ?? "")));
    return row;
  }

  /** @param {number} slot @returns {PlayerRow} */
  newRow(slot) {
    const [row, button, cell] = [element("tr"), element("button"), element("td")];
    const [dot, name, eye] = [element("span", "", "dot"), element("span"), element("span", "", "eye")];
    eye.setAttribute("role", "img");
    eye.setAttribute("aria-label", "in view of the followed player");
    eye.title = "In view of the followed player";
    button.append(dot, name, eye);
    button.addEventListener("click", () => this.follow(slot));
    cell.append(button);
    const numbers = ["n frags", "n", "n"].map((style) => element("td", "", style));
    row.append(cell, ...numbers);
    const made = { row, button, dot, name, eye, numbers };
    this.rows.set(slot, made);
    return made;
  }

  /** What happened a moment ago. @param {number} ms */
  recent(ms) {
    const stays = (/** @type {import("./data.js").Mark} */ mark) => (mark.kind === "chat" ? CHAT_STAYS : FRAG_STAYS);
    return this.marks.filter((mark) => mark.demo_ms <= ms && mark.demo_ms > ms - stays(mark));
  }

  /** @param {number} ms @param {number} row */
  updateFeed(ms, row) {
    const recent = this.recent(ms);
    const isChat = (/** @type {import("./data.js").Mark} */ mark) => mark.kind === "chat";
    const feed = { frags: recent.filter((mark) => !isChat(mark)), chat: recent.filter(isChat) };
    for (const [id, marks] of Object.entries(feed)) {
      this.show(id, marks, () => byId(id).replaceChildren(...marks.slice(-MOST).map((mark) => this.feedLine(mark, row))));
    }
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
    const clock = clockText(Math.floor((match ? ms - match.from_ms : ms) / 1000) * 1000, 0);
    const sides = this.sides(lines, row);
    this.show("match", [clock, !!match, sides], () => {
      byId("match-clock").textContent = clock;
      byId("match").title = match ? "Since the match began" : "Since the recording began";
      ["side-a", "side-b"].forEach((id, n) => {
        const side = sides.length === 2 ? sides[n] : null;
        // A long name gives way to the score.
        const parts = side ? [element("span", side.name, "name"), " ", element("span", String(side.score))] : [];
        byId(id).replaceChildren(...(n ? parts.reverse() : parts));
        byId(id).style.color = side ? side.color : "";
      });
    });
  }

  /** Both teams, or both players of a duel. @param {Line[]} lines @param {number} row */
  sides(lines, row) {
    const { colors } = this;
    if (!colors.wonByTeams(row)) {
      const all = [...lines].sort((a, b) => a.slot - b.slot);
      return all.map(({ slot, name, frags }) => ({ name, score: frags ?? 0, color: colors.of(slot, row) }));
    }
    const names = [...new Set(lines.map((line) => line.team))].filter(Boolean).sort();
    return names.map((name) => ({ name, score: this.scoreOf(name, lines, row), color: colors.ofTeam(name) }));
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
    const name = slot === null ? "Nobody is followed" : replay.nameNear(slot, row) || `slot ${slot}`;
    const isGone = slot !== null && replay.value(slot, "name", row) === null;
    const color = slot === null ? "" : this.colors.of(slot, row);
    const number = (/** @type {string} */ of) => (slot === null ? null : replay.value(slot, of, row));
    const ammo = number("ammo");
    const all = /** @type {[string, string, string][]} */ ([
      ["Health", String(number("health") ?? ""), ""],
      ["Armour", String(number("armor") ?? ""), ""],
      ["Weapon", slot === null ? "" : words(replay.text(slot, "weapon", row)), "text"],
      ["Ammo", ammo === null || ammo < 0 ? "" : String(ammo), ""],
    ]);
    // What is told of a slot that nobody has any more is of nobody.
    const told = isGone ? [["", "not in the game", "text"]] : all.filter((part) => part[1] !== "");
    const carries = isGone ? "" : this.carried(slot, row).join(", ");
    this.show("status", [name, color, told, carries], () => {
      byId("who").textContent = name;
      byId("who").style.color = color;
      const parts = told.map(([what, value, style]) => {
        const part = element("div");
        part.append(element("dt", what), element("dd", value, style));
        return part;
      });
      byId("numbers").replaceChildren(...parts);
      byId("carries").textContent = carries;
    });
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
