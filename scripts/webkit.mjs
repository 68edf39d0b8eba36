// WebKit as WebKitGTK brings it, the nearest to Safari that there is without a Mac: what the tests use of playwright-core, over the
// WebDriver of W3C. It cannot emulate phones (a window is as small as one), fingers, and paper.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const PORT = 4577;
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** Keys that have names, as WebDriver numbers them. */
const NAMED = {
  Space: " ", Enter: "\uE007", Shift: "\uE008", Escape: "\uE00C", End: "\uE010", Home: "\uE011", ArrowLeft: "\uE012", ArrowRight: "\uE014",
};
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
        const scroll = { type: "scroll", x: Math.round(this.x), y: Math.round(this.y), deltaX, deltaY, duration: 0 };
        await this.act([{ type: "wheel", id: "wheel", actions: [scroll] }]);
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
    if (this.frame) await this.driver("POST", "/frame", { id: await this.element(this.frame) });
    return this.driver(method, path, body);
  }
  /** An element, as the driver names it. */
  element(selector) {
    return this.driver("POST", "/element", { using: "css selector", value: selector });
  }
  /** Of what there is to hear, only what is wrong. */
  on(event, hear) {
    if (event === "pageerror") this.complains = hear;
  }
  async goto(url) {
    await this.send("POST", "/url", { url });
    // The driver has no ear for the console. What is wrong before this shows nothing, and is seen by that.
    await this.evaluate(() => {
      const faults = (window.faults = []);
      for (const name of ["error", "warn"]) console[name] = (...args) => faults.push(args.join(" "));
      addEventListener("error", ({ message }) => faults.push(message));
      addEventListener("unhandledrejection", ({ reason }) => faults.push(String(reason)));
      addEventListener("securitypolicyviolation", (it) => faults.push(`Content Security Policy: ${it.violatedDirective} ${it.blockedURI}`));
    });
  }
  act(actions) {
    return this.send("POST", "/actions", { actions });
  }
  /** What a function gives in the page. It may ask `find` for an element by its selector. */
  async evaluate(work, arg) {
    const script = `const done = arguments[0], find = ${FIND}, work = async () => (${work})(${literal(arg)});
      work().then((value) => ({ value: JSON.stringify(value) }), (fault) => ({ fault: String(fault?.stack || fault) }))
        .then((told) => done({ ...told, faults: window.faults?.splice(0) ?? [] }));`;
    const { value, fault, faults } = await this.send("POST", "/execute/async", { script, args: [] });
    faults.forEach(this.complains);
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
    const change = `(it, value) => {
      it.value = value;
      for (const type of ["input", "change"]) it.dispatchEvent(new Event(type, { bubbles: true }));
    }`;
    return this.of(selector, change, value);
  }
  async press(selector, key) {
    await this.focus(selector);
    await this.keyboard.press(key);
  }
  async click(selector, { position } = {}) {
    await this.of(selector, "(it) => it.scrollIntoView({ block: 'nearest', inline: 'nearest' })");
    const { x, y, width, height } = await this.locator(selector).boundingBox();
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
    await this.driver("POST", "/window", { handle: this.handle });
    const input = await this.element(selector);
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

/** Starts it. */
export async function launch(/** @type {{ executablePath: string, downloadsPath: string }} */ { executablePath, downloadsPath }) {
  const [start, config] = ["webkit.sh", "webkit"].map((name) => resolve(name));
  // The buttons of a window would keep it wider than a phone.
  mkdirSync(join(config, "gtk-3.0"), { recursive: true });
  writeFileSync(join(config, "gtk-3.0", "gtk.css"), "* { min-width: 0; min-height: 0; padding: 0; margin: 0; border: 0; font-size: 1px; }");
  writeFileSync(join(config, "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${downloadsPath}"\n`);
  writeFileSync(start, `#!/bin/sh\nXDG_CONFIG_HOME=${config} exec ${executablePath} "$@"\n`, { mode: 0o755 });
  const driving = spawn("WebKitWebDriver", [`--port=${PORT}`]);
  let session = "";
  const driver = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${PORT}/session${session}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (value?.error) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  };
  const options = { binary: start, args: ["--automation"] };
  const begin = () => driver("POST", "", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } });
  const begun = await begin().catch(() => sleep(2000).then(begin));
  session = `/${begun.sessionId}`;
  const first = await driver("GET", "/window");
  return {
    version: () => begun.capabilities.browserVersion,
    newContext: async ({ viewport }) => {
      await driver("POST", "/window", { handle: first });
      const page = new Page(driver, (await driver("POST", "/window/new", { type: "window" })).handle);
      await page.setViewportSize(viewport);
      return { newPage: async () => page, close: () => page.send("DELETE", "/window") };
    },
    close: async () => {
      await driver("DELETE", "");
      driving.kill();
      await once(driving, "exit");
    },
  };
}
