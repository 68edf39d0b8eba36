// WebKit as WebKitGTK brings it, the nearest to Safari that there is without a Mac: what the tests use of playwright-core, over the
// WebDriver of W3C. It cannot emulate phones (a window is as small as one), fingers, and paper.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const PORT = 4577;
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** Keys that have names, as WebDriver numbers them. */
const NAMED = { Space: " ", Enter: "\uE007", Shift: "\uE008", Escape: "\uE00C", End: "\uE010", Home: "\uE011", ArrowLeft: "\uE012", ArrowRight: "\uE014" };
const sleep = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/** Finds an element in the page: `button:has-text("x")`, `:text-is("x")` and `>> nth=1` are playwright's own. */
const FIND = `(selector) => {
  const [, css, kind, text, nth] = /^(.*?)(?::(has-text|text-is)\\(["'](.*)["']\\))?(?: >> nth=(-?\\d+))?$/.exec(selector);
  const has = (it) => !kind || (kind === "has-text" ? it.textContent.toLowerCase().includes(text.toLowerCase()) : it.textContent.trim() === text);
  return [...document.querySelectorAll(css)].filter(has).at(nth ?? 0);
}`;

/** A value as script: JSON knows neither of the first two. */
const literal = (/** @type {any} */ it) => (Number.isNaN(it) ? "NaN" : it === undefined ? "undefined" : JSON.stringify(it));

/** A window of the browser, or a frame in it. */
class Page {
  constructor(driver, handle, frame = null) {
    Object.assign(this, { driver, handle, frame, x: 0, y: 0, complains: () => {} });
    const pointer = (...actions) => this.act([{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }]);
    const move = (x, y) => (Object.assign(this, { x, y }), { type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y) });
    const [down, up] = ["pointerDown", "pointerUp"].map((type) => ({ type, button: 0 }));
    this.mouse = {
      move: (x, y, { steps = 1 } = {}) => {
        const from = [this.x, this.y];
        return pointer(...Array.from({ length: steps }, (_, n) => move(...[x, y].map((to, d) => from[d] + ((to - from[d]) * (n + 1)) / steps))));
      },
      down: () => pointer(down),
      up: () => pointer(up),
      click: (x, y) => pointer(move(x, y), down, up),
      wheel: async (deltaX, deltaY) => {
        await this.act([{ type: "wheel", id: "wheel", actions: [{ type: "scroll", x: Math.round(this.x), y: Math.round(this.y), deltaX, deltaY, duration: 0 }] }]);
        // Else it would not turn a second time.
        await this.send("DELETE", "/actions");
      },
    };
    this.keyboard = {
      press: (combination) => {
        const keys = combination.split(/(?<=.)\+/).map((key) => NAMED[key] ?? key);
        const actions = [...keys.map((value) => ({ type: "keyDown", value })), ...keys.reverse().map((value) => ({ type: "keyUp", value }))];
        return this.act([{ type: "key", id: "keys", actions }]);
      },
    };
  }
  async send(method, path, body) {
    await this.driver("POST", "/window", { handle: this.handle });
    if (this.frame) await this.driver("POST", "/frame", { id: await this.driver("POST", "/element", { using: "css selector", value: this.frame }) });
    return this.driver(method, path, body);
  }
  /** Of what it hears, only what the console is told. */
  on(event, hear) {
    if (event === "pageerror") this.complains = hear;
  }
  goto(url) {
    this.url = url.split("#")[0];
    return this.send("POST", "/url", { url });
  }
  act(actions) {
    return this.send("POST", "/actions", { actions });
  }
  /** Of the functions a page has: `find` finds by selector. */
  async evaluate(work, arg) {
    const script = `const done = arguments[0], find = ${FIND};
      (async () => (${work})(${literal(arg)}))().then((value) => done({ value: JSON.stringify(value) }), (fault) => done({ fault: String(fault?.stack || fault) }));`;
    const { value, fault } = await this.send("POST", "/execute/async", { script, args: [] });
    if (fault) throw new Error(fault);
    return typeof value === "string" ? JSON.parse(value) : undefined;
  }
  async waitForFunction(work, arg, { timeout = 30_000 } = {}) {
    for (const end = Date.now() + timeout; ; await sleep(20)) {
      const value = await this.evaluate(work, arg);
      if (value) return value;
      if (Date.now() > end) throw new Error(`in vain waited for ${work}`);
    }
  }
  waitForTimeout(ms) {
    return sleep(ms);
  }
  /** Of an element, as soon as there is one. */
  async of(selector, work, arg) {
    await this.waitForFunction(`(selector) => !!find(selector)`, selector);
    return this.evaluate(`([selector, arg]) => (${work})(find(selector), arg)`, [selector, arg]);
  }
  getAttribute = (selector, name) => this.of(selector, "(it, name) => it.getAttribute(name)", name);
  textContent = (selector) => this.of(selector, "(it) => it.textContent");
  inputValue = (selector) => this.of(selector, "(it) => it.value");
  isVisible = (selector) => this.evaluate("(selector) => !!find(selector)?.checkVisibility()", selector);
  isHidden = async (selector) => !(await this.isVisible(selector));
  async fill(selector, value) {
    await this.focus(selector);
    await this.selectOption(selector, value);
  }
  selectOption(selector, value) {
    return this.of(selector, `(it, value) => { it.value = value; for (const type of ["input", "change"]) it.dispatchEvent(new Event(type, { bubbles: true })); }`, value);
  }
  async press(selector, key) {
    await this.focus(selector);
    await this.keyboard.press(key);
  }
  async click(selector, { position } = {}) {
    const { x, y, width, height } = await this.of(selector, "(it) => (it.scrollIntoView({ block: 'nearest', inline: 'nearest' }), it.getBoundingClientRect().toJSON())");
    await this.mouse.click(x + (position?.x ?? width / 2), y + (position?.y ?? height / 2));
  }
  locator(selector) {
    return {
      boundingBox: () => this.of(selector, "(it) => it.getBoundingClientRect().toJSON()"),
      count: () => this.evaluate("(selector) => document.querySelectorAll(selector).length", selector),
      allTextContents: () => this.evaluate("(selector) => [...document.querySelectorAll(selector)].map((it) => it.textContent)", selector),
    };
  }
  async waitForSelector(selector) {
    await this.waitForFunction("(selector) => !!find(selector)", selector);
    return { contentFrame: () => new Page(this.driver, this.handle, selector) };
  }
  async setInputFiles(selector, file) {
    const input = await this.send("POST", "/element", { using: "css selector", value: selector });
    await this.driver("POST", `/element/${input[ELEMENT]}/value`, { text: file });
  }
  focus = (selector) => this.of(selector, "(it) => it.focus()");
  /** The window has bars around the page. */
  async setViewportSize({ width, height }) {
    for (let tries = 0; tries < 5; tries++) {
      const [inner, rect] = [await this.evaluate(() => [innerWidth, innerHeight]), await this.send("GET", "/window/rect")];
      if (inner[0] === width && inner[1] === height) return;
      await this.send("POST", "/window/rect", { width: rect.width + width - inner[0], height: rect.height + height - inner[1] });
      await sleep(100);
    }
    throw new Error(`the window does not become ${width}x${height}`);
  }
}

/** Starts it. Files that are saved are in `downloads`. */
export async function launch(/** @type {{ executablePath: string, downloadsPath: string }} */ { executablePath, downloadsPath }) {
  const [start, log, config] = ["webkit.sh", "webkit.log", "webkit"].map((name) => resolve(name));
  // The buttons of a window would keep it wider than a phone.
  mkdirSync(join(config, "gtk-3.0"), { recursive: true });
  writeFileSync(join(config, "gtk-3.0", "gtk.css"), "* { min-width: 0; min-height: 0; padding: 0; margin: 0; border: 0; font-size: 1px; }");
  writeFileSync(join(config, "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${downloadsPath}"\n`);
  // The driver keeps to itself what the browser writes: pages' complaints.
  writeFileSync(log, "");
  writeFileSync(start, `#!/bin/sh\nXDG_CONFIG_HOME=${config} exec ${executablePath} "$@" >>${log} 2>&1\n`, { mode: 0o755 });
  const [driving, reading] = [spawn("WebKitWebDriver", [`--port=${PORT}`]), spawn("tail", ["-n0", "-F", log])];
  /** @type {Set<Page>} */
  const pages = new Set();
  reading.stdout.on("data", (text) => {
    const faults = String(text).split("\n").filter((line) => /CONSOLE (JS |SECURITY )?(ERROR|WARN)/.test(line));
    for (const fault of faults) for (const page of pages) if (fault.startsWith(page.url)) page.complains(fault);
  });
  let session = "";
  const driver = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${PORT}/session${session}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (value?.error) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  };
  const args = ["--automation", "--enable-write-console-messages-to-stdout=true"];
  const begin = () => driver("POST", "", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: start, args } } } });
  const begun = await begin().catch(() => sleep(2000).then(begin));
  session = `/${begun.sessionId}`;
  const first = await driver("GET", "/window");
  return {
    version: () => begun.capabilities.browserVersion,
    newContext: async ({ viewport }) => {
      await driver("POST", "/window", { handle: first });
      const page = new Page(driver, (await driver("POST", "/window/new", { type: "window" })).handle);
      await page.setViewportSize(viewport);
      pages.add(page);
      return { newPage: async () => page, close: async () => (pages.delete(page), await page.send("DELETE", "/window")) };
    },
    close: async () => {
      await driver("DELETE", "");
      for (const it of [driving, reading]) it.kill();
      await once(driving, "exit");
    },
  };
}
