// What tests of pages share: the command, a browser, and pages opened from disk.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const qdemo = process.env.QDEMO ?? "qdemo";
export const testdata = resolve(process.env.TESTDATA ?? "testdata");
export const pages = resolve("pages");
mkdirSync(pages, { recursive: true });

/** What the command writes. Where the answer is no, it ends with 1. */
export function written(...args) {
  const { status, stdout, stderr } = spawnSync(qdemo, ["-q", ...args], { maxBuffer: 1 << 28 });
  if (status !== 0 && status !== 1) throw new Error(`qdemo ${args.join(" ")}: ${stderr}`);
  return stdout;
}
export const run = (/** @type {string[]} */ ...args) => written(...args).toString();
export const lines = (/** @type {string[]} */ ...args) => run(...args).split("\n").filter(Boolean).map((line) => JSON.parse(line));

export const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

/** Opens a page from disk. What it asks for, and what it complains of, is noted. */
export async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
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
