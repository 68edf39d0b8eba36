// The page: puts data, camera, picture and panels together, plays, and listens to keys.

import { Camera, steer } from "./camera.js";
import { Bar } from "./bar.js";
import { Charts } from "./charts.js";
import { ItemClocks } from "./clocks.js";
import { clockText, parseClock, readReplay, trackAt } from "./data.js";
import { Painter, Picture } from "./draw.js";
import { HeatPanel } from "./heat.js";
import { Items } from "./items.js";
import { action, KEYS } from "./keys.js";
import { Labels } from "./labels.js";
import { levelOf } from "./level.js";
import { Movers } from "./movers.js";
import { offer } from "./offer.js";
import { byId, choices, element, notice, Panels, words } from "./panels.js";
import { Colors, show } from "./scene.js";
import { Sight } from "./sight.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
/** Frag jumps land so many ms before the frag. */
const BEFORE_FRAG = 1500;

/** @type {Record<string, import("./draw.js").Palette>} */
const PALETTES = {
  dark: { background: [0.071, 0.082, 0.102], low: [0.17, 0.2, 0.25], high: [0.42, 0.47, 0.54], grid: 0.12 },
  light: { background: [0.933, 0.941, 0.953], low: [0.62, 0.66, 0.71], high: [0.93, 0.945, 0.96], grid: -0.07 },
};

/** The page. */
export class Page {
  /** @param {import("./data.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    this.ms = replay.start;
    this.playing = false;
    this.direction = 1;
    this.speed = 1;
    /** @type {number|null} */
    this.followed = null;
    this.trails = true;
    this.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    this.level = -1;
    this.sees = true;
    this.colors = new Colors(replay);
    this.picture = new Picture();
    this.painter = new Painter(/** @type {HTMLCanvasElement} */ (byId("picture")));
    this.items = new Items(replay);
    this.clocks = new ItemClocks(replay, this.items, this.colors);
    this.labels = new Labels(/** @type {HTMLCanvasElement} */ (byId("names")), replay, this.items);
    this.sight = new Sight(replay);
    this.movers = new Movers(replay);
    this.heat = new HeatPanel(replay, this.items, this.players(), () => (this.dirty = true));
    this.camera = new Camera({ min: [0, 0, 0], max: [1, 1, 1] });
    this.panels = new Panels(replay, this.colors, (slot) => this.follow(slot));
    this.bar = new Bar(replay, this.colors, (ms) => this.seek(ms));
    this.charts = new Charts(replay, this.colors);
    this.frags = replay.about.marks.filter((mark) => mark.kind === "frag");
    this.last = 0;
    this.cost = 0;
    this.dirty = true;
    steer(this.painter.canvas, this.camera, () => this.moved());
    this.keepPainter(this.painter.canvas);
    this.listen();
    this.setTheme(this.theme);
    byId("file").textContent = replay.about.file;
    byId("length").textContent = clockText(replay.end, 0);
    const small = window.innerWidth < 760;
    this.toggle("scores", !small);
    this.toggle("items", false);
    const lines = this.panels.lines(replay.rowAt((replay.start + replay.end) / 2));
    const recorder = lines.find((line) => line.slot === replay.about.recorder) ?? lines[0];
    this.follow(recorder?.slot ?? replay.about.recorder ?? null);
    window.addEventListener("hashchange", () => this.readHash());
    window.addEventListener("resize", () => this.resized());
    this.readHash();
    requestAnimationFrame((now) => this.tick(now));
  }

  // --- time

  /** @param {number} ms What is no time is left alone. */
  seek(ms) {
    if (!Number.isFinite(ms)) return;
    this.ms = Math.min(this.replay.end, Math.max(this.replay.start, ms));
    this.dirty = true;
  }

  /** @param {boolean} on */
  play(on) {
    if (on && this.direction > 0 && this.ms >= this.replay.end) this.ms = this.replay.start;
    if (on && this.direction < 0 && this.ms <= this.replay.start) this.ms = this.replay.end;
    this.playing = on;
    byId("play").textContent = on ? "❚❚" : "▶";
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
    this.dirty = true;
  }

  reverse() {
    this.direction = -this.direction;
    byId("reverse").setAttribute("aria-pressed", String(this.direction < 0));
    this.dirty = true;
  }

  /** Goes from frame to frame. @param {number} by */
  step(by) {
    this.play(false);
    const { rows } = this.replay;
    const row = this.replay.rowAt(this.ms);
    this.seek(rows[Math.min(rows.length - 1, Math.max(0, row + by))]);
  }

  /** @param {number} by Places in the list of speeds. */
  changeSpeed(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))]);
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    /** @type {HTMLSelectElement} */ (byId("speed")).value = String(speed);
  }

  /** To the next frag of the player and the weapon that are chosen. @param {number} direction */
  jump(direction) {
    const who = /** @type {HTMLSelectElement} */ (byId("frag-who")).value;
    const weapon = /** @type {HTMLSelectElement} */ (byId("frag-weapon")).value;
    const fits = this.frags.filter(
      (mark) => (!who || String(mark.attacker?.slot) === who) && (!weapon || mark.weapon === weapon),
    );
    const here = this.ms + BEFORE_FRAG;
    const next = direction > 0 ? fits.find((mark) => mark.demo_ms > here + 1) : fits.filter((mark) => mark.demo_ms < here - 1).pop();
    if (!next) return;
    if (who) this.follow(Number(who));
    this.seek(next.demo_ms - BEFORE_FRAG);
  }

  // --- whom, and from where

  /** @param {number|null} slot */
  follow(slot) {
    this.followed = slot;
    this.camera.behindYaw = 0;
    this.dirty = true;
  }

  /** @param {number} by */
  followNext(by) {
    const slots = this.panels.lines(this.replay.rowAt(this.ms)).map((line) => line.slot);
    if (!slots.length) return;
    const here = this.followed === null ? -1 : slots.indexOf(this.followed);
    // From nobody, and from somebody who has left: to the first, or the last.
    const at = here < 0 && by < 0 ? 0 : here;
    this.follow(slots[(at + by + slots.length) % slots.length]);
  }

  /** @param {import("./camera.js").CameraMode} mode */
  setCamera(mode) {
    if ((mode === "behind" || mode === "eyes") && this.followed === null) this.followNext(1);
    this.camera.set(mode);
    this.moved();
  }

  moved() {
    for (const mode of ["above", "free", "behind", "eyes"]) {
      byId(`camera-${mode}`).setAttribute("aria-pressed", String(mode === this.camera.mode));
    }
    this.dirty = true;
  }

  /** Where the one who is followed is; where the eyes are, if the recording looks through these.
   * @param {number} row */
  followedPose(row) {
    if (this.followed === null) return { pose: null, isEye: false };
    const { replay, ms } = this;
    const eyes = this.camera.mode === "eyes" && replay.value(-1, "view", row) === this.followed;
    const view = eyes ? trackAt(replay.viewTracks, row) : null;
    const pose = view && replay.pose(view, ms, row);
    if (pose) return { pose, isEye: true };
    const track = replay.playerTrack(this.followed, row);
    return { pose: track && replay.pose(track, ms, row), isEye: false };
  }

  // --- the picture

  /** @param {number} now */
  tick(now) {
    // Whatever this picture comes to, there is a next one.
    requestAnimationFrame((next) => this.tick(next));
    // A page that was not looked at goes on where it was.
    const gone = Math.min(1000, now - this.last);
    this.last = now;
    if (this.playing) {
      this.seek(this.ms + gone * this.speed * this.direction);
      const over = this.direction > 0 ? this.ms >= this.replay.end : this.ms <= this.replay.start;
      if (over) this.play(false);
    }
    if (this.dirty) this.tryRender();
  }

  /** Says so where a moment cannot be shown. */
  tryRender() {
    try {
      this.render();
      notice("");
    } catch (fault) {
      notice(`This moment cannot be shown: ${fault instanceof Error ? fault.message : fault}`);
      console.error(fault);
    }
  }

  render() {
    const begun = performance.now();
    this.dirty = false;
    const { replay, ms, camera } = this;
    const row = replay.rowAt(ms);
    this.setLevel(replay.levelAt(row));
    const aspect = this.painter.resize();
    const { pose, isEye } = this.followedPose(row);
    if (this.playing && camera.mode === "behind") camera.settle();
    const seen = this.followed === null ? null : this.sight.of(this.followed, row);
    // In front of the camera, which leaves room for a panel as large as what it tells.
    this.panels.update(ms, row, this.followed, seen);
    camera.fit(aspect, this.covered());
    const { matrix, eye } = camera.look(aspect, pose, isEye);
    this.picture.clear();
    const at = { ms, row, followed: this.followed, throughEyes: camera.mode === "eyes" && !!pose, trails: this.trails, scale: camera.scale(), seen: this.sees ? seen : null, taken: this.items.taken(this.level, ms) };
    const players = show(this.picture, replay, this.colors, at);
    this.heat.show(this.picture);
    this.painter.draw(this.picture, matrix, eye, PALETTES[this.theme], this.movers.at(this.level, ms, row));
    const { level, followed } = this;
    const { throughEyes, scale } = at;
    this.labels.draw(players, { matrix, ms, row, level, followed, throughEyes, light: this.theme === "light", above: !camera.follows, scale });
    if (!byId("items").hidden) this.clocks.update(level, ms, row);
    this.bar.update(ms, this.theme);
    if (!byId("charts").hidden) this.charts.update(ms, this.followed, row, this.theme);
    byId("now").textContent = clockText(ms);
    this.cost = performance.now() - begun;
  }

  /** The parts of the picture that the feed covers from above, where it is as wide as the picture, and the panel of the followed
   * player from below, where it reaches into the middle: else there is room beside them. */
  covered() {
    const [feed, panel, picture] = [byId("feed"), byId("status"), byId("picture")];
    const [width, height] = [Math.max(1, picture.clientWidth), Math.max(1, picture.clientHeight)];
    const part = (/** @type {number} */ pixels) => Math.min(0.4, Math.max(0, pixels / height));
    const isWide = this.panels.marks.length > 0 && feed.offsetWidth > (width * 2) / 3;
    const reaches = panel.offsetLeft + panel.offsetWidth > width / 3;
    return {
      above: isWide ? part(feed.offsetTop + feed.offsetHeight) : 0,
      below: reaches ? part(height - panel.offsetTop + 8) : 0,
    };
  }

  /** There is more room for the picture, or less. */
  resized() {
    this.camera.refit();
    this.dirty = true;
  }

  /** Browsers take back what was painted with, on phones in the background, and give it again empty.
   * @param {HTMLCanvasElement} canvas */
  keepPainter(canvas) {
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      const { surfaces, heights } = levelOf(this.replay, this.level);
      this.painter = new Painter(canvas);
      this.painter.setLevel(surfaces, heights);
      this.dirty = true;
    });
  }

  /** @param {number} level */
  setLevel(level) {
    if (level === this.level) return;
    this.level = level;
    this.heat.setLevel(level);
    const { surfaces, heights, bounds } = levelOf(this.replay, level);
    this.painter.setLevel(surfaces, heights);
    this.camera.frame(bounds);
    const { map, title } = this.replay.about.levels[level] ?? { map: "", title: "" };
    byId("map").textContent = map;
    byId("map").title = title;
    document.title = `${map || "replay"} - ${this.replay.about.file}`;
  }

  // --- what is chosen

  /** @param {string} theme */
  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.dirty = true;
  }

  /** Shows or hides a panel. @param {string} id @param {boolean} [on] */
  toggle(id, on = !!byId(id).hidden) {
    byId(id).hidden = !on;
    byId(`toggle-${id}`).setAttribute("aria-pressed", String(on));
    if (id === "heat") this.heat.update();
    this.resized();
  }

  /** Shows what the keys do, from the beginning. (`autofocus` would say so, too, but not in a frame of another page.) */
  help() {
    const help = /** @type {HTMLDialogElement} */ (byId("help"));
    help.showModal();
    help.querySelector("h2")?.focus();
  }

  async copyLink() {
    const name = this.followed === null ? "" : this.replay.text(this.followed, "name", this.replay.rowAt(this.ms));
    // A name does not tell which of several players of that name it is, nor whether no name is nobody.
    const namesakes = this.named(name).filter((line) => line.slot !== this.followed);
    const slot = this.followed !== null && (!name || namesakes.length) ? `&slot=${this.followed}` : "";
    // Of a millisecond that has begun the frame is that of the whole one.
    const time = clockText(Math.floor(this.ms), 3);
    const hash = `#t=${time}&follow=${encodeURIComponent(name)}${slot}&camera=${this.camera.mode}`;
    history.replaceState(null, "", hash);
    try {
      await navigator.clipboard.writeText(location.href);
      byId("link").textContent = "Copied";
    } catch {
      byId("link").textContent = "In the address";
    }
    setTimeout(() => (byId("link").textContent = "Link"), 1500);
  }

  /** Those who now have a name, in capitals or not. @param {string} name */
  named(name) {
    return this.panels.lines(this.replay.rowAt(this.ms)).filter((line) => line.name.toLowerCase() === name.toLowerCase());
  }

  /** Goes where a link says: `#t=1:23.456&follow=Sarge&camera=behind`. `slot=3` tells which of several players of that name.
   * Without a name after `follow=` nobody is followed, or the player without a name in that slot. */
  readHash() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const ms = parseClock(asked.get("t") ?? "");
    if (ms !== null) this.seek(ms);
    const name = asked.get("follow");
    if (name !== null) {
      const named = this.named(name);
      const lines = this.panels.lines(this.replay.rowAt(this.ms));
      const inSlot = named.find((line) => String(line.slot) === asked.get("slot"));
      const like = () => lines.find((line) => line.name.toLowerCase().includes(name.toLowerCase()));
      const who = inSlot ?? (name ? named[0] ?? like() : null);
      if (who || !name) this.follow(who?.slot ?? null);
    }
    const camera = asked.get("camera");
    if (camera === "above" || camera === "free" || camera === "behind" || camera === "eyes") this.setCamera(camera);
  }

  listen() {
    const on = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act);
    on("play", () => this.play(!this.playing));
    on("reverse", () => this.reverse());
    on("step", () => this.step(1));
    on("step-back", () => this.step(-1));
    on("frag-next", () => this.jump(1));
    on("frag-before", () => this.jump(-1));
    on("follow-next", () => this.followNext(1));
    on("follow-before", () => this.followNext(-1));
    on("trails", () => this.setTrails());
    on("link", () => void this.copyLink());
    // In a frame of another page it has no address.
    byId("link").hidden = location.protocol === "about:";
    on("theme", () => this.setTheme(this.theme === "dark" ? "light" : "dark"));
    on("help-open", () => this.help());
    on("sight", () => this.setSight());
    for (const id of ["scores", "feed", "items", "charts", "heat"]) on(`toggle-${id}`, () => this.toggle(id));
    for (const mode of /** @type {const} */ (["above", "free", "behind", "eyes"])) on(`camera-${mode}`, () => this.setCamera(mode));
    const speed = byId("speed");
    choices(speed, SPEEDS.map((v) => [String(v), `${v}×`]));
    this.setSpeed(1);
    speed.addEventListener("change", () => this.setSpeed(Number(/** @type {HTMLSelectElement} */ (speed).value)));
    const players = this.players().map(([slot, name]) => /** @type {[string, string]} */ ([String(slot), name]));
    choices(byId("frag-who"), [["", "anybody"], ...players]);
    const weapons = [...new Set(this.frags.map((mark) => mark.weapon ?? ""))].filter(Boolean).sort();
    choices(byId("frag-weapon"), [["", "any weapon"], ...weapons.map((name) => /** @type {[string, string]} */ ([name, words(name)]))]);
    for (const [key, what] of KEYS) byId("keys").append(element("dt", key), element("dd", what));
    document.addEventListener("keydown", (event) => this.key(event));
    // Keys after a click are for the replay, not for the button that was clicked or the list that was chosen from.
    document.addEventListener("click", (event) => {
      const button = event.target instanceof Element && event.target.closest("button");
      if (event.detail > 0 && button && !button.closest("dialog")) byId("picture").focus({ preventScroll: true });
    });
    this.passOn();
    let byMouse = false;
    document.addEventListener("pointerdown", () => (byMouse = true));
    document.addEventListener("keydown", () => (byMouse = false));
    document.addEventListener("change", ({ target }) => {
      if (byMouse && target instanceof HTMLSelectElement) byId("picture").focus({ preventScroll: true });
    });
  }

  /** In a frame of another page, files that are dropped are for that page. */
  passOn() {
    if (window.parent === window) return;
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      window.parent.postMessage({ dropped: [...(event.dataTransfer?.files ?? [])] }, "*");
    });
  }

  /** Slots and last names of the players, without those who only watch. @returns {[number, string][]} */
  players() {
    const { replay } = this;
    const all = replay.slots.filter((slot) => replay.plays(slot));
    return all.map((slot) => /** @type {[number, string]} */ ([slot, replay.nameNear(slot, replay.rows.length - 1)])).filter(([, name]) => name);
  }

  /** Shows or hides whom the followed player sees. */
  setSight() {
    this.sees = !this.sees;
    byId("sight").setAttribute("aria-pressed", String(this.sees));
    this.dirty = true;
  }

  setTrails() {
    this.trails = !this.trails;
    byId("trails").setAttribute("aria-pressed", String(this.trails));
    this.dirty = true;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { target } = event;
    const writes = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    // What fills in a form sends keys without a name.
    if (!event.key || writes || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/** @type {HTMLDialogElement} */ (byId("help")).open) return;
    // A button takes its own keys.
    if (target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
    const act = action(this, event.key, event.shiftKey);
    if (!act) return;
    event.preventDefault();
    act();
  }
}

readReplay(byId("data").textContent ?? "")
  .then((replay) => {
    if (!replay.rows.length) throw new Error("the recording shows nothing: it has no frames in this part");
    const page = new Page(replay);
    /** @type {any} */ (window).replay = offer(page);
  })
  .catch((fault) => notice(`The replay cannot be shown: ${fault instanceof Error ? fault.message : fault}`));
