// What is to be seen at a moment: players, items, what flies, beams, trails; and in which colours.

import { BUCKET, ENTITY, lastUpTo, PLAYER } from "./data.js";
import { directions } from "./camera.js";
import { itemLook } from "./items.js";

/** Colours of teams by their names, and of those who have none, by slot: apart for those too who see colours less well. */
const TEAMS = { red: "#e5534b", blue: "#4c8dff", yellow: "#e3c04a", green: "#3fb68b" };
const COLORS = ["#4c8dff", "#f0883e", "#3fb68b", "#d26bd0", "#e3c04a", "#56c2d6", "#e5534b", "#9aa0f0", "#a3c964", "#d99a86"];
const TEAM_COLORS = ["#e5534b", "#4c8dff", "#e3c04a", "#3fb68b"];

/** Names of teams of those who do not play, or of everybody for themselves. */
const NO_TEAM = /^(spectator|free)$/i;

/** What explodes where it ends. */
const EXPLODES = /missile|rocket|grenade|missiles|bfg/;
/** Weapons that hit at once, where they point. */
const HITS_AT_ONCE = /rail|shotgun|lightning|machinegun|chaingun|gauntlet/;
/** How far a shot is drawn, in units, and for how long it and an explosion are, in ms. */
const SHOT_LENGTH = 900;
const SHOT_LASTS = 110;
const BURST_LASTS = 380;
/** For how long damage is shown, in ms. */
const HIT_LASTS = 260;

/** @param {string} hex @param {number} [alpha] */
export function rgba(hex, alpha = 1) {
  const n = parseInt(hex.slice(1), 16);
  return [((n >> 16) & 255) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255, alpha];
}

/** The colours of players, by team where the game has teams.
 * @param {import("./data.js").Replay} replay */
export class Colors {
  /** @param {import("./data.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {string[]} */
    this.teams = [];
    for (const slot of replay.slots) {
      const { rows, values } = replay.values.get(slot)?.get("team") ?? { rows: [], values: [] };
      values.forEach((value, n) => {
        const team = Number.isNaN(value) ? "" : replay.strings[value];
        // Who only watches may say to be of any team.
        const until = (rows[n + 1] ?? replay.rows.length) - 1;
        const plays = [rows[n], until].some((row) => !replay.value(slot, "spectator", row));
        if (team && plays && !this.teams.includes(team) && !NO_TEAM.test(team)) this.teams.push(team);
      });
    }
    // Everybody in a team of their own is no game of teams. Some games tell whether it is one; there whoever says to be of a
    // team may be so in any game.
    const told = /^(quakeworld|quake3)$/.test(replay.about.game);
    this.seemTeams = !told && this.teams.some((team) => /^(red|blue)$/i.test(team));
    this.teams.sort();
  }

  /** True at a row of a level of teams. @param {number} row */
  inTeams(row) {
    return this.seemTeams || !!this.replay.about.levels[this.replay.levelAt(row)]?.teams;
  }

  /** True at a row of a level of teams in which they play to win: else teams have no scores. @param {number} row */
  wonByTeams(row) {
    return this.inTeams(row) && !this.replay.about.levels[this.replay.levelAt(row)]?.for_oneself;
  }

  /** The team of a player; none of those who are in none. @param {number} slot @param {number} row */
  teamOf(slot, row) {
    const team = this.inTeams(row) ? this.replay.text(slot, "team", row) : "";
    return NO_TEAM.test(team) ? "" : team;
  }

  /** @param {string} team */
  ofTeam(team) {
    const told = (/** @type {string} */ name) => Object.entries(TEAMS).find(([of]) => of === name.toLowerCase())?.[1];
    // A team whose name tells no colour has one that no other team's name tells.
    const free = TEAM_COLORS.filter((color) => !this.teams.some((name) => told(name) === color));
    const n = this.teams.filter((name) => !told(name)).indexOf(team);
    return told(team) ?? free[n % free.length] ?? "#9aa3ad";
  }

  /** @param {number} slot @param {number} row */
  of(slot, row) {
    const team = this.teamOf(slot, row);
    const place = this.replay.slots.indexOf(slot);
    return team ? this.ofTeam(team) : COLORS[Math.max(0, place) % COLORS.length];
  }
}

/** Puts what is to be seen into a picture.
 * @param {import("./draw.js").Picture} picture @param {import("./data.js").Replay} replay @param {Colors} colors
 * @param {{ms: number, row: number, followed: number|null, throughEyes: boolean, trails: boolean, scale: number,
 *   seen: Set<number>|null, taken: {spot: import("./items.js").Spot}[]}} at `scale` makes everybody larger, to be seen from
 *   far away; `seen` are those whom the followed player sees, `taken` the items that are not there.
 * @returns {{slot: number, pose: import("./data.js").Pose, color: string, dead: boolean}[]} The players. */
export function show(picture, replay, colors, at) {
  const { ms, row } = at;
  const players = [];
  for (const track of replay.inView(row)) {
    const pose = replay.pose(track, ms, row);
    if (!pose) continue;
    if (track.of === PLAYER) {
      if (replay.value(track.id, "spectator", row)) continue;
      const dead = (replay.value(track.id, "health", row) ?? 1) <= 0;
      const color = colors.of(track.id, row);
      players.push({ slot: track.id, pose, color, dead });
      if (at.throughEyes && track.id === at.followed) continue;
      showPlayer(picture, pose, color, dead, track.id === at.followed, at.scale);
      if (at.trails) trail(picture, replay, track, pose, ms, row, rgba(color, 0.75), 1600, 2.2);
    } else if (track.of === ENTITY) {
      showEntity(picture, replay, track, pose, at);
    }
  }
  for (const { spot } of at.taken) {
    const size = spot.size * at.scale * 0.8;
    picture.solid("gem", [spot.place[0], spot.place[1], spot.place[2] + 2], [size, size, size * 0.3], 0, rgba(spot.color, 0.3));
  }
  if (at.seen) showSight(picture, players, at);
  showHits(picture, replay, players, at);
  showShots(picture, replay, colors, at);
  showBursts(picture, replay, ms, row);
  return players;
}

/** @param {import("./draw.js").Picture} picture @param {import("./data.js").Pose} pose @param {string} color
 * @param {boolean} dead @param {boolean} followed @param {number} scale */
function showPlayer(picture, pose, color, dead, followed, scale) {
  const yaw = pose.angles[1];
  if (dead) {
    const [x, y, z] = pose.place;
    picture.solid("player", [x, y, z - 18], [scale, scale, 0.2], yaw, rgba(color, 0.45));
    return;
  }
  const size = [scale, scale, Math.min(scale, 1.4)];
  picture.solid("player", pose.place, size, yaw, rgba(color));
  picture.solid("arrow", pose.place, size, yaw, followed ? [1, 1, 1, 1] : rgba(color));
  const { forward } = directions(pose.angles[0], yaw);
  const eye = [pose.place[0], pose.place[1], pose.place[2] + 22];
  // Where one looks: a line that fades towards its end.
  const end = eye.map((v, n) => v + forward[n] * 110 * scale);
  picture.line(end, eye, rgba(color, 0.55), 1.4, 0);
}

/** @param {import("./draw.js").Picture} picture @param {import("./data.js").Replay} replay
 * @param {import("./data.js").Track} track @param {import("./data.js").Pose} pose
 * @param {{ms: number, row: number, scale: number}} at */
function showEntity(picture, replay, track, pose, { ms, row, scale }) {
  const { kind, model } = track;
  const three = (/** @type {number} */ size) => [size * scale, size * scale, size * scale];
  const [x, y, z] = pose.place;
  if (/flag/.test(model)) {
    const color = /blue|flag2|b_flag|2\.md2/.test(model) ? TEAMS.blue : TEAMS.red;
    picture.solid("flag", pose.place, three(1), 0, [0.85, 0.85, 0.85, 1]);
    picture.solid("cloth", pose.place, three(1), ms / 12, rgba(color));
  } else if (kind === "item" || /items\/|maps\/b_|g_.*\.mdl|backpack/.test(model)) {
    const { color, size } = itemLook(model);
    picture.solid("gem", [x, y, z + 2], three(size), (ms / 14) % 360, rgba(color));
  } else if (kind === "missile") {
    const color = EXPLODES.test(model) ? [1, 0.72, 0.3, 1] : [0.95, 0.9, 0.7, 1];
    const size = EXPLODES.test(model) ? 5 : 3;
    picture.solid("ball", pose.place, three(size), 0, color);
    trail(picture, replay, track, pose, ms, row, [color[0], color[1], color[2], 0.7], 260, 2.4);
  } else if (kind === "monster") {
    picture.solid("player", pose.place, [scale, scale, 1], pose.angles[1], [0.62, 0.45, 0.36, 1]);
    picture.solid("arrow", pose.place, [scale, scale, 1], pose.angles[1], [0.62, 0.45, 0.36, 1]);
  } else if (kind === "gib" || kind === "body" || /gib|h_player|head/.test(model)) {
    picture.solid("ball", pose.place, three(4), 0, [0.55, 0.2, 0.18, 0.8]);
  } else if (kind === "mover" && !replay.maps[replay.levelAt(row)]) {
    if (x || y || z) picture.solid("gem", pose.place, [12, 12, 12], 45, [0.5, 0.55, 0.6, 0.35]);
  }
}

/** The way that somebody came. @param {import("./draw.js").Picture} picture @param {import("./data.js").Replay} replay
 * @param {import("./data.js").Track} track @param {import("./data.js").Pose} pose @param {number} ms @param {number} row
 * @param {number[]} color @param {number} lasts In ms. @param {number} width */
function trail(picture, replay, track, pose, ms, row, color, lasts, width) {
  let to = pose.place;
  let age = 0;
  const [r, g, b, a] = color;
  for (let key = lastUpTo(replay.keyRow, track.first, track.last, row); key >= track.first; key--) {
    const from = [0, 1, 2].map((n) => replay.places[key * 3 + n] / 8);
    const since = ms - replay.rows[replay.keyRow[key]];
    if (to.some((v, n) => Math.abs(v - from[n]) > 200) || age > lasts) break;
    const [old, young] = [Math.max(0, 1 - since / lasts), Math.max(0, 1 - age / lasts)];
    if (young > 0 && a * young > 0.01) picture.line(from, to, [r, g, b, a * young], width, old / young);
    age = since;
    to = from;
  }
}

/** Numbers of what lies between two rows in a list of rows. @param {Int32Array} rows @param {number} from @param {number} to */
function between(rows, from, to) {
  const all = [];
  for (let n = lastUpTo(rows, 0, rows.length, from - 1) + 1; n < rows.length && rows[n] <= to; n++) all.push(n);
  return all;
}

/** @param {import("./draw.js").Picture} picture @param {import("./data.js").Replay} replay @param {Colors} colors
 * @param {{ms: number, row: number, followed: number|null, throughEyes: boolean}} at */
function showShots(picture, replay, colors, { ms, row, followed, throughEyes }) {
  for (const n of between(replay.shotRows, replay.rowAt(ms - SHOT_LASTS), row)) {
    const shot = replay.shots[n];
    const age = (ms - replay.rows[shot.row]) / SHOT_LASTS;
    const track = replay.playerTrack(shot.slot, shot.row);
    const pose = track && replay.recorded(track, shot.row);
    if (!pose || age > 1 || (throughEyes && shot.slot === followed)) continue;
    const { forward } = directions(pose.angles[0], pose.angles[1]);
    const from = pose.place.map((v, d) => v + forward[d] * 18 + (d === 2 ? 14 : 0));
    picture.solid("ball", from, [7, 7, 7], 0, [1, 0.85, 0.5, 0.8 * (1 - age)]);
    if (!HITS_AT_ONCE.test(shot.weapon)) continue;
    const rail = /rail/.test(shot.weapon);
    const to = from.map((v, d) => v + forward[d] * SHOT_LENGTH * (rail ? 2 : 0.6));
    const color = rail ? rgba(colors.of(shot.slot, row), 0.9 * (1 - age)) : [1, 0.9, 0.65, 0.35 * (1 - age)];
    picture.line(to, from, color, rail ? 3 : 1.5, 0);
  }
  for (const n of between(replay.beamRows, replay.rowAt(ms - SHOT_LASTS), row)) {
    const { ends, row: since } = replay.beams[n];
    const left = 1 - (ms - replay.rows[since]) / SHOT_LASTS;
    if (left > 0) picture.line(ends.slice(0, 3), ends.slice(3), [0.62, 0.8, 1, left], 3);
  }
}

/** Lines to those whom the followed player sees. @param {import("./draw.js").Picture} picture
 * @param {{slot: number, pose: import("./data.js").Pose, color: string, dead: boolean}[]} players
 * @param {{followed: number|null, throughEyes: boolean, seen: Set<number>|null}} at */
function showSight(picture, players, { followed, throughEyes, seen }) {
  const own = players.find((it) => it.slot === followed);
  if (!own || own.dead || throughEyes) return;
  const eyes = (/** @type {import("./data.js").Pose} */ { place }) => [place[0], place[1], place[2] + 22];
  for (const { slot, pose, color, dead } of players) {
    if (!dead && seen?.has(slot)) picture.line(eyes(own.pose), eyes(pose), rgba(color, 0.5), 1.2, 0.6);
  }
}

/** Who was hurt a moment ago: the more the larger. @param {import("./draw.js").Picture} picture
 * @param {import("./data.js").Replay} replay
 * @param {{slot: number, pose: import("./data.js").Pose, dead: boolean}[]} players
 * @param {{ms: number, row: number, followed: number|null, throughEyes: boolean, scale: number}} at */
function showHits(picture, replay, players, { ms, row, followed, throughEyes, scale }) {
  for (const n of between(replay.damageRows, replay.rowAt(ms - HIT_LASTS), row)) {
    const hit = replay.damage[n];
    const left = 1 - (ms - replay.rows[hit.row]) / HIT_LASTS;
    const victim = players.find((it) => it.slot === hit.victim);
    if (!victim || left <= 0 || (throughEyes && hit.victim === followed)) continue;
    const size = (14 + 1.4 * Math.sqrt(hit.amount)) * scale;
    picture.solid("ball", victim.pose.place, [size, size, size * 1.3], 0, [1, 0.15, 0.1, 0.35 * left]);
    const attacker = players.find((it) => it.slot === hit.attacker);
    if (!attacker || attacker === victim || (throughEyes && hit.attacker === followed)) continue;
    picture.line(attacker.pose.place, victim.pose.place, [1, 0.3, 0.25, 0.5 * left], 1.4, 0.3);
  }
}

/** What exploded a moment ago. @param {import("./draw.js").Picture} picture @param {import("./data.js").Replay} replay
 * @param {number} ms @param {number} row */
function showBursts(picture, replay, ms, row) {
  const since = replay.rowAt(ms - BURST_LASTS);
  const seen = new Set();
  for (const at of [since, row]) {
    for (const n of replay.buckets[Math.floor(at / BUCKET)] ?? []) {
      const track = replay.tracks[n];
      if (track.kind !== "missile" || track.to > row || track.to <= since || seen.has(n)) continue;
      seen.add(n);
      if (!EXPLODES.test(track.model)) continue;
      const pose = replay.recorded(track, track.to - 1);
      const age = (ms - replay.rows[track.to]) / BURST_LASTS;
      if (!pose || age < 0 || age > 1) continue;
      const size = 18 + 52 * Math.sqrt(age);
      picture.solid("ball", pose.place, [size, size, size], 0, [1, 0.62 - 0.3 * age, 0.2, 0.55 * (1 - age)]);
    }
  }
}
