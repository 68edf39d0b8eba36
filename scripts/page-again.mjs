// Puts the page's own files of this checkout into pages that `qdemo view` wrote before, whose data stays: to try a change of
// crates/qdemo/src/view/page without building the command again.
//   node scripts/page-again.mjs PAGE.html ...

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const own = new URL("../crates/qdemo/src/view/", import.meta.url);
const text = (/** @type {string} */ name) => readFileSync(new URL(name, own), "utf8");
const page = text("page.rs");

/** The modules of a list in page.rs as one script. @param {string} list */
function joined(list) {
  const names = page.match(new RegExp(`const ${list}: [^=]*= \\[([^;]*)\\];`))?.[1] ?? "";
  const modules = [...names.matchAll(/include_str!\("(page\/\w+\.js)"\)/g)].map(([, name]) => text(name));
  const lines = modules.flatMap((module) => module.split("\n")).filter((line) => !line.startsWith("import "));
  return `"use strict";(() => {\n${lines.map((line) => line.replace(/^export /, "")).join("\n")}\n})();`;
}

/** Seven bits a character, as the page has packed bytes. @param {Uint8Array} bytes */
function textOf(bytes) {
  let [out, bits, count] = ["", 0, 0];
  const add = () => {
    const code = bits & 127;
    out += String.fromCharCode([0, 13, 60].includes(code) ? code + 192 : code);
    [bits, count] = [bits >> 7, count - 7];
  };
  for (const byte of bytes) {
    bits |= byte << count;
    for (count += 8; count >= 7; ) add();
  }
  if (count > 0) add();
  return out;
}

const [script, shows] = [joined("START"), joined("VIEWER")];
const viewer = textOf(deflateSync(shows));
const style = text("page/style.css");
const source = (/** @type {string} */ of) => `sha256-${createHash("sha256").update(of).digest("base64")}`;
const policy = `default-src 'none'; script-src '${source(script)}' '${source(shows)}'; style-src '${source(style)}'; img-src data:; base-uri 'none'; form-action 'none'`;

for (const file of process.argv.slice(2)) {
  const before = readFileSync(file, "utf8");
  const data = before.match(/<script type="text\/plain" id="data">([^<]*)</)?.[1] ?? "";
  const title = before.match(/<title>([^<]*)</)?.[1] ?? "";
  /** @type {Record<string, string>} */
  const parts = { policy, title, style, data, viewer, script };
  writeFileSync(file, text("page/page.html").replace(/\{(\w+)\}/g, (_, name) => parts[name]));
}
