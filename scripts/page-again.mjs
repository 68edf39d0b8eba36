// Puts the page's own files of this checkout into pages that `qdemo view` wrote before, whose data stays: to try a change of
// crates/qdemo/src/view/page without building the command again.
//   node scripts/page-again.mjs PAGE.html ...

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const own = new URL("../crates/qdemo/src/view/", import.meta.url);
const text = (/** @type {string} */ name) => readFileSync(new URL(name, own), "utf8");
const modules = [...text("page.rs").matchAll(/include_str!\("(page\/\w+\.js)"\)/g)].map(([, name]) => text(name));
const lines = modules.flatMap((module) => module.split("\n")).filter((line) => !line.startsWith("import "));
const script = `"use strict";(() => {\n${lines.map((line) => line.replace(/^export /, "")).join("\n")}\n})();`;
const style = text("page/style.css");
const source = (/** @type {string} */ of) => `sha256-${createHash("sha256").update(of).digest("base64")}`;
const policy = `default-src 'none'; script-src '${source(script)}'; style-src '${source(style)}'; img-src data:; base-uri 'none'; form-action 'none'`;

for (const file of process.argv.slice(2)) {
  const before = readFileSync(file, "utf8");
  const data = before.match(/<script type="text\/plain" id="data">([^<]*)</)?.[1] ?? "";
  const title = before.match(/<title>([^<]*)</)?.[1] ?? "";
  /** @type {Record<string, string>} */
  const parts = { policy, title, style, data, script };
  writeFileSync(file, text("page/page.html").replace(/\{(\w+)\}/g, (_, name) => parts[name]));
}
