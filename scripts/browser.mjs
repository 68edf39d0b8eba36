// What tests of pages share: the command, a browser, and pages opened from disk.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, firefox } from "playwright-core";
import { launch as webkit } from "./webkit.mjs";

export const qdemo = process.env.QDEMO ?? "qdemo";
export const testdata = resolve(process.env.TESTDATA ?? "testdata");
export const pages = resolve(process.env.PAGES ?? "pages");
mkdirSync(pages, { recursive: true });
/** Software draws it: a small window is drawn sooner. */
const SIZE = { width: 960, height: 600 };
const downloadsPath = resolve("downloads");

/** What the command writes. Where the answer is no, it ends with 1. */
export function written(...args) {
  const { status, stdout, stderr } = spawnSync(qdemo, ["-q", ...args], { maxBuffer: 1 << 28 });
  if (status !== 0 && status !== 1) throw new Error(`qdemo ${args.join(" ")}: ${stderr}`);
  return stdout;
}
export const run = (/** @type {string[]} */ ...args) => written(...args).toString();
export const lines = (/** @type {string[]} */ ...args) => run(...args).split("\n").filter(Boolean).map((line) => JSON.parse(line));

const executablePath = process.env.BROWSER ?? "chromium";
const launchers = {
  chromium: () =>
    chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
    }),
  // The channel is that of a Firefox as people have it, not one that was made for tests.
  firefox: () => firefox.launch({ executablePath, channel: "moz-firefox", downloadsPath }),
  webkit: () => webkit({ executablePath, downloadsPath }),
};
const engine = /firefox/.test(executablePath) ? "firefox" : /MiniBrowser/.test(executablePath) ? "webkit" : "chromium";
export const isChromium = engine === "chromium";
export const browser = await launchers[engine]();

/** The bytes of the file that something makes a page save. */
export async function saved(page, act) {
  if (isChromium) {
    const [download] = await Promise.all([page.waitForEvent("download"), act()]);
    return readFileSync(await download.path());
  }
  // The others tell nothing of files that a script saves: one is whole once it grows no more.
  rmSync(downloadsPath, { recursive: true, force: true });
  mkdirSync(downloadsPath);
  await act();
  for (let [tries, size] = [100, -1]; tries > 0; tries--) {
    await new Promise((done) => setTimeout(done, 100));
    const [file, ...more] = readdirSync(downloadsPath).map((name) => join(downloadsPath, name));
    if (!file || more.length) continue;
    // MiniBrowser shows a list of them, for which the page gets smaller.
    if (statSync(file).size === size) return await page.setViewportSize(SIZE), readFileSync(file);
    size = statSync(file).size;
  }
  throw new Error("nothing is saved");
}

/** Opens a page from disk. What it asks for, and what it complains of, is noted. */
export async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: SIZE, ...options });
  const page = await context.newPage();
  // Fingers are Chromium's alone, here.
  if (!isChromium) page.tap = (selector) => page.click(selector);
  const faults = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall|software WebGL/.test(message.text()) && faults.push(message.text()));
  page.on("pageerror", (fault) => faults.push(String(fault)));
  page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
  const url = pathToFileURL(file).href;
  page.on("request", (request) => {
    const asked = request.url();
    if (asked.split("#")[0] !== url && !/^(data|blob):/.test(asked)) faults.push(`asks for ${asked}`);
  });
  await options.before?.(page);
  await page.goto(url + (options.hash ?? ""));
  await page.waitForFunction(options.ready ?? (() => window.replay || !document.getElementById("notice").hidden));
  return { page, faults, close: () => context.close() };
}
