// The page of web/ in a real browser: what it reads by itself is what the command reads. scripts/view-test.sh runs this.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { browser, isChromium, lines, open, pages, run, saved as savedBy, testdata, written } from "./browser.mjs";

const { page, faults } = await open(resolve(process.env.WEB), { ready: () => true, acceptDownloads: true });

const put = (/** @type {string} */ file) => page.setInputFiles("#file", file);
/** Waits until the page has done what it was asked for. */
const done = () => page.waitForFunction(() => document.getElementById("busy").hidden, null, { timeout: 60_000 });
const notice = async () => ((await page.isHidden("#notice")) ? "" : page.textContent("#notice"));
/** Goes to a tab. */
async function tab(name) {
  await page.click(`[role=tab]:text-is("${name}")`);
  await page.waitForFunction((name) => document.getElementById("panel").getAttribute("aria-label") === name, name);
  await done();
}
/** What a button saves. */
const saved = (/** @type {string} */ label) => savedBy(page, () => page.click(`#panel button:text-is("${label}")`));
/** A line of JSON of the command, without the name of the file that it puts in front. */
const plain = ({ file: _, ...rest }) => rest;

/** The page says of a recording what the command says. */
async function agrees(demo) {
  const name = demo.split("/").pop();
  await put(demo);
  await page.waitForSelector("iframe[title='The replay']", { timeout: 60_000 });
  await done();
  assert.equal(await notice(), "", name);
  const frame = await (await page.waitForSelector("iframe[title='The replay']")).contentFrame();
  await frame.waitForFunction(() => window.replay || !document.getElementById("notice").hidden);
  const frags = lines("frags", demo, "--json");
  const shows = await frame.evaluate(() => !!window.replay);
  if (shows) {
    const told = frags.map((frag) => ({ demo_ms: frag.demo_ms, attacker: frag.attacker?.name ?? null, victim: frag.victim.name, weapon: frag.weapon }));
    assert.deepEqual(await frame.evaluate(() => window.replay.frags), told, `${name}: frags`);
    const ms = Math.round((await frame.evaluate(() => window.replay.length_ms)) / 2);
    const [world] = lines("state", demo, "--at", `${ms}ms`, "--json");
    const state = await frame.evaluate((ms) => (window.replay.seek(ms), window.replay.state()), ms);
    assert.deepEqual(state.players.map((it) => [it.slot, it.name, it.health]), world.players.map((it) => [it.slot, it.name, it.health ?? null]), name);
  }
  for (const [title, verb] of [["Frags", "frags"], ["Chat", "chat"], ["Stats", "stats"]]) {
    await tab(title);
    const csv = (await saved("CSV")).toString();
    assert.equal(csv, written(verb, demo, "--csv").toString(), `${name}: ${verb}`);
    const rows = (await saved("JSON")).toString().split("\n").filter(Boolean);
    assert.equal(await page.locator("#panel tbody tr").count(), Math.min(rows.length, 2000), `${name}: ${verb}`);
  }
  await tab("Info");
  const info = JSON.parse((await saved("JSON")).toString());
  const [told] = lines("info", demo, "--detail", "--json").map(plain);
  for (const key of Object.keys(info)) assert.deepEqual(info[key], told[key], `${name}: ${key}`);
  await tab("Check");
  const [check] = lines("check", demo, "--json");
  const found = JSON.parse((await saved("JSON")).toString());
  assert.deepEqual(found.findings, check.findings, `${name}: findings`);
  await tab("Text");
  const text = await saved("Text");
  // The command says from which file it is: both lines name the recording.
  const body = (all) => all.toString("latin1").split("\n").slice(1).join("\n");
  assert.equal(body(text), body(written("decompile", demo)), `${name}: text`);
  await tab("Report");
  const report = await (await page.waitForSelector("iframe[title='The report']")).contentFrame();
  await report.waitForSelector("h1");
  assert.deepEqual(faults, [], name);
  console.log(`${name}: ${shows ? "shown" : "nothing to show"}, ${frags.length} frags`);
}

/** A recording of Quake Live, of one of Quake III: the same messages in another protocol. */
function quakeLive() {
  const text = run("decompile", join(testdata, "oa-dm2.dm_68")).replace("protocol 68;", "protocol 73;");
  const [source, demo] = [join(pages, "live.txt"), join(pages, "live.dm_73")];
  writeFileSync(source, text);
  run("compile", source, "-o", demo);
  return demo;
}

/** Waits until that is read. */
async function isCalled(/** @type {string} */ name) {
  try {
    await page.waitForFunction((name) => document.getElementById("name").textContent.endsWith(name), name);
  } catch (fault) {
    const shown = await page.evaluate(() => ["name", "notice", "busy", "archive", "panel"].map((id) => `${id} ${document.getElementById(id).hidden ? "hidden " : ""}${document.getElementById(id).textContent.slice(0, 80)}`));
    throw new Error(`${name} is not read: ${shown.join("; ")}`, { cause: fault });
  }
}

/** Drops files as a script can: only Chromium has a hand for it. */
async function dropByScript(/** @type {string[]} */ ...names) {
  const files = names.map((name) => [name, readFileSync(join(testdata, name)).toString("base64")]);
  const drop = (files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, bytes] of files) dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (it) => it.charCodeAt(0))], name));
    const frame = document.elementFromPoint(400, 400);
    const on = frame?.contentDocument?.body ?? frame;
    for (const type of ["dragover", "drop"]) on.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  };
  const shown = (await page.isVisible("iframe[title='The replay']")) && (await page.waitForSelector("iframe[title='The replay']"));
  await (shown ? await shown.contentFrame() : page).evaluate(drop, files);
  await isCalled(names[0]);
}

/** What is dropped is read, on whatever part of the page: the first of several files. */
async function takesDrops() {
  const client = isChromium && (await page.context().newCDPSession(page));
  const drop = async (/** @type {string[]} */ ...names) => {
    const data = { items: [], files: names.map((name) => join(testdata, name)), dragOperationsMask: 1 };
    const send = (/** @type {string} */ type) => client.send("Input.dispatchDragEvent", { type, x: 400, y: 400, data });
    // A hand rests before it lets go. A browser with much to do may have lost what it held: then the hand does it again.
    if (!client) await dropByScript(...names);
    for (let tries = 3, taken = !client; !taken; tries--) {
      for (const type of ["dragEnter", "dragOver", "dragOver"]) {
        await send(type);
        await page.waitForTimeout(100);
      }
      await send("drop");
      taken = await isCalled(names[0]).then(() => true, (fault) => { if (tries === 0) throw fault; return false; });
    }
    await page.waitForSelector("iframe[title='The replay']");
    await done();
  };
  await drop("clip.dem");
  await drop("ez-dm.mvd", "clip.dem");
  assert.match(await notice(), /2 files: ez-dm.mvd/);
  await tab("Report");
  await page.waitForTimeout(500);
  // This page hears what happens in that frame, and nothing in it runs.
  const report = await (await page.waitForSelector("iframe[title='The report']")).contentFrame();
  const hacked = () => {
    document.body.append(Object.assign(document.createElement("script"), { textContent: "window.hacked = 1" }));
    return window.hacked === undefined && document.querySelectorAll("script").length === 1;
  };
  assert.ok(await report.evaluate(hacked), "a script in the report");
  await drop("q2-demo1.dm2");
}

/** A tab that is asked for while a file is opened shows what is in that file, under its name. */
async function keepsNames() {
  // The click falls between the question and its answer.
  await page.evaluate(() => {
    const send = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      send.call(this, message, ...rest);
      if (message.ask !== "open") return;
      Worker.prototype.postMessage = send;
      queueMicrotask(() => [...document.querySelectorAll("[role=tab]")].find((it) => it.textContent === "Frags")?.click());
    };
  });
  await put(join(testdata, "oa-dm4.dm_71"));
  await isCalled("oa-dm4.dm_71");
  await page.waitForSelector("#panel tbody tr");
  await done();
  assert.equal((await saved("CSV")).toString(), written("frags", join(testdata, "oa-dm4.dm_71"), "--csv").toString());
}

/** Arrows go from tab to tab and around. */
async function goesByArrows() {
  const names = await page.locator("[role=tab]").allTextContents();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.focus("[role=tab]");
  for (const [key, place] of /** @type {[string, number][]} */ ([["ArrowRight", 1], ["ArrowLeft", 0], ["ArrowLeft", -1], ["ArrowRight", 0], ["End", -1], ["Home", 0]])) {
    await page.keyboard.press(key);
    assert.equal(await focused(), names.at(place), key);
  }
}

/** A PAK archive of one file. @param {string} name @param {Buffer} file */
function pak(name, file) {
  const [head, entry] = [Buffer.alloc(12), Buffer.alloc(64)];
  head.write("PACK");
  head.writeUInt32LE(12 + file.length, 4);
  head.writeUInt32LE(64, 8);
  entry.write(name);
  entry.writeUInt32LE(12, 56);
  entry.writeUInt32LE(file.length, 60);
  return Buffer.concat([head, file, entry]);
}

/** Clicks on a file of an archive. A browser with much to do may send a click to a frame that stood there before, in a process of
 * its own: one that did not arrive is given again. */
async function chooses(/** @type {string} */ name) {
  await page.evaluate(() => {
    const members = document.getElementById("members");
    members.dataset.clicked = "";
    members.addEventListener("click", () => { members.dataset.clicked = "yes"; }, { capture: true, once: true });
  });
  const arrives = () => page.waitForFunction(() => document.getElementById("members").dataset.clicked, null, { timeout: 5_000 });
  for (let tries = 3; tries > 0; tries--) {
    await page.click(`#members button:has-text('${name}')`);
    if (await arrives().then(() => true, () => false)) return;
    console.log(`a click on ${name} did not arrive`);
  }
  await arrives();
}

/** What the list of an archive is of is named; one that is chosen is read. A file that is no demo leaves no tab of the one before. */
async function namesArchives() {
  const [several, nothing] = [join(pages, "several.tar"), join(pages, "no.dem")];
  spawnSync("tar", ["cf", several, "-C", testdata, "clip.dem", "ez-dm.mvd"]);
  await put(several);
  await page.waitForSelector("#archive:not([hidden])");
  await isCalled("several.tar");
  await done();
  await chooses("clip.dem");
  await isCalled("clip.dem");
  await done();
  assert.equal(await page.getAttribute("[role=tab]:text-is('View')", "aria-selected"), "true");
  writeFileSync(nothing, "");
  await put(nothing);
  await page.waitForFunction(() => /no\.dem.*empty/.test(document.getElementById("notice").textContent));
  await done();
  assert.equal(await page.locator("[aria-selected=true]").count(), 0, "a tab that shows nothing");
}

/** What no browser reads at once is not taken for a folder. */
async function refusesWhatIsTooLarge() {
  const file = join(pages, "large.mvd");
  writeFileSync(file, "");
  truncateSync(file, 0x8000_0000);
  await put(file);
  await page.waitForFunction(() => /large\.mvd cannot be read: it is too large/.test(document.getElementById("notice").textContent));
  await done();
  rmSync(file);
}

/** Archives in archives are opened. */
async function opensArchives() {
  const file = join(pages, "outer.pak");
  writeFileSync(file, pak("inner.pak", pak("clip.dem", readFileSync(join(testdata, "clip.dem")))));
  await put(file);
  await isCalled("clip.dem");
  await done();
  assert.equal(await notice(), "");
}

try {
  const packed = join(pages, "packed.mvd.gz");
  writeFileSync(packed, gzipSync(readFileSync(join(testdata, "ez-dm.mvd"))));
  const given = ["clip.dem", "ez-dm.qwd", "qizmo.qwz", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68", "oa-dm4.dm_71"];
  for (const demo of [...given.map((name) => join(testdata, name)), packed, quakeLive()]) await agrees(demo);
  // Files that are none: each says what is wrong, and the page goes on.
  const broken = join(pages, "broken.mvd.gz");
  writeFileSync(broken, readFileSync(packed).subarray(0, 300));
  const nothing = join(pages, "nothing.dm_68");
  writeFileSync(nothing, "this is no recording");
  for (const file of [broken, nothing]) {
    await put(file);
    await page.waitForFunction(() => !document.getElementById("notice").hidden);
    await done();
    const said = await notice();
    assert.match(said, new RegExp(file.split("/").pop().split(".")[0]), said);
    console.log(said);
  }
  const hostile = join(pages, "<img src=x onerror=alert(1)>.dem");
  copyFileSync(join(testdata, "clip.dem"), hostile);
  await agrees(hostile);
  await keepsNames();
  await goesByArrows();
  await takesDrops();
  await opensArchives();
  await namesArchives();
  await refusesWhatIsTooLarge();
  console.log("the page that reads recordings is fine");
} finally {
  await browser.close();
}
