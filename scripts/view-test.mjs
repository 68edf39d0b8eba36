// Pages of `qdemo view` in a real browser: what they say is what the command says, and what they offer works.
// scripts/view-test.sh runs this.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, isChromium, lines, open, pages, run, testdata } from "./browser.mjs";
import { markText } from "./modules/bar.js";
import { Camera, project } from "./modules/camera.js";
import { Charts } from "./modules/charts.js";
import { readReplay } from "./modules/data.js";
import { Labels } from "./modules/labels.js";
import { carriedName } from "./modules/panels.js";

/** The colours of the picture: how many there are, and a fingerprint. */
const look = (page) =>
  page.evaluate(() => {
    const picture = document.getElementById("picture");
    const copy = Object.assign(document.createElement("canvas"), { width: 320, height: 200 });
    const c = copy.getContext("2d");
    c.drawImage(picture, 0, 0, 320, 200);
    const pixels = new Uint32Array(c.getImageData(0, 0, 320, 200).data.buffer);
    return { colors: new Set(pixels).size, print: pixels.reduce((all, v) => (all * 31 + v) >>> 0, 7) };
  });

/** Two pictures later everything shows what was asked for. */
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

const close = (a, b) => (a === null || b === null || b === undefined ? (a ?? null) === (b ?? null) : Math.abs(a - b) <= 0.0626);

/** Demos of `testdata` that have a page already. */
const shown = new Set();

/** The page of a demo of `testdata`. */
function pageOf(name) {
  const file = join(pages, `${name}.html`);
  if (!shown.has(name)) run("view", join(testdata, name), "-o", file);
  shown.add(name);
  return file;
}

/** The page of a demo says what the command says. */
async function agrees(name) {
  const demo = join(testdata, name);
  const file = pageOf(name);
  const { page, faults, close: done } = await open(file);
  const length = await page.evaluate(() => window.replay.length_ms);
  for (const part of [0, 0.23, 0.5, 0.77, 1]) {
    const ms = Math.round(length * part);
    const [world] = lines("state", demo, "--at", `${ms}ms`, "--json");
    const state = await page.evaluate((ms) => (window.replay.seek(ms), window.replay.state()), ms);
    assert.equal(state.demo_ms, world.demo_ms, `${name} at ${ms}`);
    assert.deepEqual(state.players.map((it) => [it.slot, it.name]), world.players.map((it) => [it.slot, it.name]), `${name} at ${ms}`);
    state.players.forEach((player, n) => {
      const told = world.players[n];
      const [x, y, z] = told.origin ?? [null, null, null];
      const same = close(player.x, x) && close(player.y, y) && close(player.z, z) && player.health === (told.health ?? null);
      assert.ok(same, `${name} at ${ms}: ${JSON.stringify(player)} is not ${JSON.stringify(told)}`);
    });
  }
  const expected = lines("frags", demo, "--json").map((frag) => ({
    demo_ms: frag.demo_ms,
    attacker: frag.attacker?.name ?? null,
    victim: frag.victim.name,
    weapon: frag.weapon,
  }));
  assert.deepEqual(await page.evaluate(() => window.replay.frags), expected, `${name}: frags`);
  const seen = [];
  for (const part of [0.3, 0.9]) {
    await page.evaluate((part) => window.replay.seek(window.replay.length_ms * part), part);
    seen.push(await look(page));
  }
  assert.ok(seen.every((it) => it.colors > 20), `${name}: the picture is blank`);
  assert.notEqual(seen[0].print, seen[1].print, `${name}: the picture does not change`);
  const cost = await page.evaluate(() => {
    const all = [];
    for (let n = 0; n < 60; n++) {
      window.replay.seek((window.replay.length_ms * n) / 60);
      all.push(window.replay.cost());
    }
    return all.sort((a, b) => a - b)[30];
  });
  assert.deepEqual(faults, [], name);
  console.log(`${name}: ${Math.round(statSync(file).size / 1024)} KB, ${expected.length} frags, a seek ${cost.toFixed(1)} ms`);
  await done();
}

/** Every control does what it says, by mouse and by key. */
async function works(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  const now = () => page.evaluate(() => window.replay.state().demo_ms);
  const pressed = (id) => page.getAttribute(`#${id}`, "aria-pressed");
  const at = (ms) => page.evaluate((ms) => window.replay.seek(ms), ms);
  const settle = () => settled(page);
  const key = async (key) => {
    await page.keyboard.press(key);
    await settle();
  };
  const click = async (id) => {
    await page.click(`#${id}`);
    await settle();
  };
  const length = await page.evaluate(() => window.replay.length_ms);
  // By key and by mouse: plays, and stands still.
  for (const act of [() => key("Space"), () => click("play")]) {
    await at(500);
    await act();
    await page.waitForFunction(() => window.replay.state().demo_ms > 700);
    await act();
    const there = await now();
    await page.waitForTimeout(200);
    assert.equal(await now(), there, "a pause");
    await page.click("#picture", { position: { x: 640, y: 300 } });
  }
  for (const [back, on] of [[() => key(","), () => key(".")], [() => click("step-back"), () => click("step")]]) {
    await at(length / 2);
    const middle = await now();
    await back();
    assert.ok((await now()) < middle, "a frame back");
    await on();
    assert.equal(await now(), middle, "a frame on");
  }
  for (const act of [() => key("r"), () => click("reverse")]) {
    await at(length / 2);
    await act();
    assert.equal(await pressed("reverse"), "true");
    const middle = await now();
    await key("Space");
    await page.waitForFunction((middle) => window.replay.state().demo_ms < middle - 100, middle);
    await key("Space");
    await act();
    assert.equal(await pressed("reverse"), "false");
  }
  await page.click("#picture", { position: { x: 640, y: 300 } });
  await at(length / 2);
  const middle = await now();
  await key("Shift+ArrowLeft");
  assert.ok((await now()) < middle && (await now()) > middle - 1500, "a second back");
  await key("Shift+ArrowRight");
  assert.ok(Math.abs((await now()) - middle) < 50, "and on");
  await key("Home");
  const first = await now();
  await key("End");
  assert.ok((await now()) > first + length / 2);
  await key("]");
  assert.equal(await page.inputValue("#speed"), "2");
  await key("[");
  assert.equal(await page.inputValue("#speed"), "1");
  await page.selectOption("#speed", "0.25");
  assert.equal(await page.inputValue("#speed"), "0.25");
  await page.click("#picture", { position: { x: 640, y: 300 } });
  for (const [n, mode] of ["above", "free", "behind", "eyes"].entries()) {
    await key(String(n + 1));
    assert.equal(await pressed(`camera-${mode}`), "true", `the camera ${mode} by key`);
    await click("camera-above");
    await click(`camera-${mode}`);
    assert.equal(await pressed(`camera-${mode}`), "true", `the camera ${mode} by mouse`);
  }
  await key("1");
  for (const [letter, panel] of [["b", "scores"], ["m", "feed"], ["i", "items"], ["c", "charts"], ["h", "heat"]]) {
    const before = await page.isVisible(`#${panel}`);
    await key(letter);
    assert.equal(await pressed(`toggle-${panel}`), String(!before), `${panel} by key`);
    await click(`toggle-${panel}`);
    assert.equal(await pressed(`toggle-${panel}`), String(before), `${panel} by mouse`);
  }
  for (const [letter, id] of [["t", "trails"], ["v", "sight"]]) {
    const before = await pressed(id);
    await key(letter);
    assert.notEqual(await pressed(id), before, `${id} by key`);
    await click(id);
    assert.equal(await pressed(id), before, `${id} by mouse`);
  }
  const who = () => page.textContent("#who");
  await key("0");
  assert.equal(await who(), "Nobody is followed");
  await click("follow-next");
  const one = await who();
  assert.notEqual(one, "Nobody is followed");
  await key("n");
  await key("p");
  assert.equal(await who(), one);
  await page.click("#board tr:last-child button");
  await settle();
  assert.equal(await pressed("board tr.followed button"), "true");
  const frags = await page.evaluate(() => window.replay.frags);
  // A jump lands a second and a half before a frag; one that is nearer is on its way already.
  const firstFrag = frags.find((frag) => frag.demo_ms > 1501);
  if (firstFrag) {
    for (const act of [() => key("f"), () => click("frag-next")]) {
      await at(0);
      await act();
      assert.ok(Math.abs((await now()) - (firstFrag.demo_ms - 1500)) < 100, "to the first frag");
    }
  }
  // The bar, by mouse; moving and zooming the picture changes it.
  const bar = await page.locator("#bar").boundingBox();
  await page.mouse.click(bar.x + bar.width / 4, bar.y + 27);
  await settle();
  assert.ok(Math.abs((await now()) - length / 4) < length / 50 + 200, "a click on the bar");
  const changes = async (what, act) => {
    const before = await look(page);
    await act();
    await settle();
    assert.notEqual((await look(page)).print, before.print, what);
  };
  await page.click("#picture", { position: { x: 640, y: 300 } });
  await changes("the wheel", () => page.mouse.wheel(0, -400));
  await changes("a key zooms", () => page.keyboard.press("-"));
  await changes("dragging", async () => {
    await page.mouse.move(600, 300);
    await page.mouse.down();
    await page.mouse.move(700, 360, { steps: 3 });
    await page.mouse.up();
  });
  for (const letter of ["w", "a", "s", "d", "q"]) await changes(`the key ${letter}`, () => page.keyboard.press(letter));
  await changes("the other theme", () => page.click("#theme"));
  await changes("the heat map", () => page.keyboard.press("h"));
  const sums = [];
  for (const kind of ["presence", "deaths"]) {
    await page.selectOption("#heat-kind", kind);
    sums.push(await page.textContent("#heat-sum"));
  }
  // Of one player, of another, and of both: of one or the other is the sum of both.
  const some = [];
  const several = (await page.locator("#heat-who button").count()) > 1;
  for (const buttons of several ? [[0], [0, 1], [1]] : []) {
    for (const n of buttons) await page.click(`#heat-who button >> nth=${n}`);
    some.push(Number.parseInt(await page.textContent("#heat-sum")));
    for (const n of buttons) await page.click(`#heat-who button >> nth=${n}`);
  }
  if (several) assert.equal(some[0] + some[2], some[1], "deaths of two are those of one and of the other");
  assert.match(sums[0], /seconds of players/);
  const dead = new RegExp(`^${frags.length} deaths`);
  assert.match(sums[1], dead, "as many deaths as frags");
  await key("?");
  assert.ok(await page.isVisible("#help"));
  await page.keyboard.press("Escape");
  assert.ok(!(await page.isVisible("#help")));
  await at(1000);
  await key("3");
  await key("l");
  assert.match(await hashOf(page), /^#t=0:01\.000&follow=.*&camera=behind$/);
  const { demo_ms: copied } = await page.evaluate(() => (window.replay.seek(window.replay.length_ms / 3), window.replay.state()));
  await key("l");
  const copy = await open(pageOf(name), { hash: await hashOf(page) });
  assert.equal(await copy.page.evaluate(() => window.replay.state().demo_ms), copied, "a link leads to the frame that it was copied at");
  assert.equal(await copy.page.getAttribute("#camera-behind", "aria-pressed"), "true");
  await copy.close();
  assert.deepEqual(faults, []);
  await done();
  const linked = await open(pageOf(name), { hash: "#t=0:02.5&camera=eyes" });
  const state = await linked.page.evaluate(() => window.replay.state().demo_ms);
  assert.ok(state > 2400 && state <= 2500, "a link to a moment");
  assert.deepEqual(linked.faults, []);
  await linked.close();
}

/** Frags of one player, and with one weapon, are gone to one after the other. */
async function jumps(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  const frags = lines("frags", join(testdata, name), "--json").filter((it) => it.attacker && it.demo_ms > 1501);
  const { attacker, weapon } = frags.find((it) => it.attacker.slot !== it.victim.slot);
  const goesTo = async (expected, what) => {
    await page.evaluate(() => window.replay.seek(0));
    await page.click("#picture", { position: { x: 640, y: 300 } });
    for (const { demo_ms } of expected.slice(0, 3)) {
      await page.keyboard.press("f");
      const { demo_ms: now } = await page.evaluate(() => window.replay.state());
      assert.ok(Math.abs(now - (demo_ms - 1500)) < 100, `${what}: ${now} is not before ${demo_ms}`);
    }
  };
  const apart = (all) => all.filter((it, n) => n === 0 || it.demo_ms > all[n - 1].demo_ms + 1);
  await page.selectOption("#frag-who", String(attacker.slot));
  await goesTo(apart(frags.filter((it) => it.attacker.slot === attacker.slot)), `frags of ${attacker.name}`);
  await page.waitForFunction((name) => document.getElementById("who").textContent === name, attacker.name);
  await page.selectOption("#frag-who", "");
  await page.selectOption("#frag-weapon", weapon);
  await goesTo(apart(frags.filter((it) => it.weapon === weapon)), `frags with ${weapon}`);
  assert.deepEqual(faults, []);
  await done();
}

/** Items go when somebody takes them: as the command tells who takes what when. */
async function countsItems(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  const items = await page.evaluate(() => window.replay.items);
  const told = lines("events", join(testdata, name), "--kind", "pickup", "--json").filter((it) => items.some(({ item }) => item === it.item));
  assert.ok(told.length, `${name}: nothing is taken that somebody waits for`);
  let here = 0;
  for (const { demo_ms, item, player } of told) {
    const [world] = lines("state", join(testdata, name), "--at", `${demo_ms}ms`, "--json");
    const place = world.players.find((it) => it.slot === player.slot)?.origin;
    // What somebody dropped lies anywhere.
    const reaches = (it) => it.item === item && place && Math.hypot(it.x - place[0], it.y - place[1], it.z - place[2]) < 96;
    if (!items.some(reaches)) continue;
    here++;
    const gone = items.filter((it) => it.item === item).flatMap((it) => it.away);
    const near = gone.filter((it) => Math.abs(it.from_ms - demo_ms) < 300);
    assert.ok(near.some((it) => it.slot === player.slot), `${name} at ${demo_ms}: ${player.name} takes ${item}: ${JSON.stringify(gone)}`);
  }
  assert.ok(here, `${name}: nothing is taken where items lie`);
  await page.click("#toggle-items");
  const { from_ms } = items.find((it) => it.away.length).away[0];
  await page.evaluate((ms) => window.replay.seek(ms), from_ms + 1000);
  await page.waitForFunction(() => /\d:\d\d|gone/.test(document.getElementById("clocks").textContent));
  assert.deepEqual(faults, []);
  console.log(`${name}: ${here} items taken, with clocks`);
  await done();
}

/** Whom a player sees: the player whose eyes the recording has sees all that are in it; others are not told of. */
async function tellsSight(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  const demo = join(testdata, name);
  const ms = await page.evaluate(() => Math.round(window.replay.length_ms / 2));
  const [world] = lines("state", demo, "--at", `${ms}ms`, "--json");
  const seen = await page.evaluate(([ms, slot]) => (window.replay.seek(ms), window.replay.seen_by(slot)), [ms, world.view.slot]);
  const expected = world.players.filter((it) => it.origin && it.slot !== world.view.slot && !it.spectator).map((it) => it.slot);
  assert.deepEqual(seen, expected, name);
  const other = world.players.find((it) => it.slot !== world.view.slot).slot;
  assert.equal(await page.evaluate((slot) => window.replay.seen_by(slot), other), null, `${name}: of others nothing is told`);
  assert.deepEqual(faults, []);
  await done();
}

/** The longest recording at hand: a match of four against four where the corpus is, else one that is shipped. */
function longest() {
  const corpus = process.env.QDEMO_CORPUS ?? "../../../shared/corpus";
  const match = join(corpus, "mvd", "vikpe_mvdparser__4on4_-s-_vs_pol_dm2_20241118-2135.mvd");
  return existsSync(match) ? match : join(testdata, "oa-dm4.dm_71");
}

/** What opening, seeking and stepping cost, in milliseconds of script. The limits are what people bear on a slow machine that
 * draws in software; the numbers are printed. */
async function isQuick(demo) {
  const file = join(pages, "long.html");
  run("view", demo, "-o", file);
  // Chromium alone tells how long scripts took until now.
  let client;
  const before = async (page) => {
    client = isChromium ? await page.context().newCDPSession(page) : null;
    await client?.send("Performance.enable");
  };
  const { page, faults, close: done } = await open(file, { before });
  const metrics = (await client?.send("Performance.getMetrics"))?.metrics ?? [];
  const opening = 1000 * (metrics.find((it) => it.name === "ScriptDuration")?.value ?? 0);
  const costs = (/** @type {number[]} */ at) =>
    page.evaluate(([from, by, count]) => {
      const all = [];
      for (let n = 0; n < count; n++) {
        window.replay.seek(from * window.replay.length_ms + n * (by || window.replay.length_ms / count));
        all.push(window.replay.cost());
      }
      all.sort((a, b) => a - b);
      return { middle: all[count >> 1], most: all[Math.floor(count * 0.95)] };
    }, at);
  const seeks = await costs([0, 0, 100]);
  const steps = await costs([0.4, 1000 / 60, 240]);
  const told = (it) => `${it.middle.toFixed(1)} (1 in 20 more than ${it.most.toFixed(1)})`;
  const length = await page.evaluate(() => window.replay.length_ms);
  console.log(
    `${demo.split("/").pop()}: ${(length / 60000).toFixed(1)} min, ${Math.round(statSync(file).size / 1024)} KB, ms of script: ${client ? `opening ${opening.toFixed(0)}, ` : ""}a seek ${told(seeks)}, a step ${told(steps)}`,
  );
  // WebKit waits for what it draws.
  assert.ok(!isChromium || (opening < 3000 && seeks.middle < 48 && steps.middle < 24), "it is slow");
  assert.deepEqual(faults, []);
  await done();
}

/** Names, chat and the name of the file are shown as they are, whatever they look like. */
async function isSafe() {
  const trick = "<img src=x onerror=window.hacked=1>";
  const script = "</script><script>window.hacked=1</script><svg onload=window.hacked=1>";
  const text = run("decompile", join(testdata, "ez-dm.mvd"));
  const said = `mblock { msec 1; all; print { level 3; string "${trick}: ${script}\\n"; } }`;
  const before = text.lastIndexOf("\nmblock");
  const made = text.slice(0, before) + `\n${said}` + text.slice(before);
  const source = join(pages, "hostile.txt");
  writeFileSync(source, made.replaceAll("Recorder", trick));
  const demo = join(pages, `${trick}.mvd`);
  run("compile", source, "-o", demo);
  const file = join(pages, "hostile.html");
  run("view", demo, "-o", file);
  const { page, faults, close: done } = await open(file);
  await page.evaluate(() => window.replay.seek(window.replay.length_ms));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll("img, svg").length), 0);
  const shown = await page.textContent("body");
  assert.ok(shown.includes(trick) && shown.includes(script), "the tricks are there to be read");
  // Even a script that got into the page would not run.
  await page.evaluate(() => {
    const made = document.createElement("script");
    made.textContent = "window.hacked = 2";
    document.body.append(made);
  });
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok(faults.length && faults.every((fault) => /Content.Security.Policy/.test(fault)), String(faults));
  assert.match(readFileSync(file, "utf8"), /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  await done();
}

/** The page of a part counts what happened in it, and nothing else. */
async function countsAPart(name) {
  const file = join(pages, "part.html");
  run("view", join(testdata, name), "-o", file, "--from", "0:10", "--to", "0:14");
  const { page, faults, close: done } = await open(file);
  await page.click("#toggle-heat");
  const players = await page.locator("#board tr").count();
  for (const [from, to] of [[null, null], ["0:00", "9:00"]]) {
    if (from) await page.fill("#heat-from", from);
    if (to) await page.fill("#heat-to", to);
    await page.press("#heat-to", "Enter");
    const seconds = Number.parseInt(await page.textContent("#heat-sum"));
    assert.ok(seconds > 0 && seconds <= players * 5, `${seconds} seconds of ${players} players in 4 s`);
  }
  const clock = await page.textContent("#now");
  for (const wrong of [Number.NaN, undefined, "abc"]) await page.evaluate((ms) => window.replay.seek(ms), wrong);
  assert.equal(await page.textContent("#now"), clock, "what is no time leads nowhere");
  assert.deepEqual(faults, []);
  await done();
}

/** A frag at the last moment of the time that the fields of the heat map have from the beginning is counted, though they tell
 * tenths of a second. */
async function countsTheLastFrag(name) {
  const demo = join(testdata, name);
  const { demo_ms: last } = lines("frags", demo, "--json").find((it) => 1000 * Number((it.demo_ms / 1000).toFixed(1)) < it.demo_ms - 1);
  const file = join(pages, "last.html");
  run("view", demo, "-o", file, "--to", `${last}ms`);
  const { page, faults, close: done } = await open(file);
  await page.click("#toggle-heat");
  await page.selectOption("#heat-kind", "deaths");
  const frags = await page.evaluate(() => window.replay.frags);
  assert.equal(frags.at(-1).demo_ms, last);
  assert.equal(Number.parseInt(await page.textContent("#heat-sum")), frags.length, "the last frag is counted");
  assert.deepEqual(faults, []);
  await done();
}

/** Teams may be called whatever they like. */
async function takesAnyName() {
  const text = run("decompile", join(testdata, "ez-dm.mvd"));
  const source = join(pages, "names.txt");
  const teamed = text.replaceAll("\\\\name\\\\", "\\\\team\\\\constructor\\\\name\\\\").replace("fullserverinfo \\\"", "fullserverinfo \\\"\\\\teamplay\\\\2");
  assert.match(teamed, /teamplay.*[^]*constructor/);
  writeFileSync(source, teamed);
  const demo = join(pages, "names.mvd");
  run("compile", source, "-o", demo);
  const file = join(pages, "names.html");
  run("view", demo, "-o", file);
  const { page, faults, close: done } = await open(file);
  await page.evaluate(() => window.replay.seek(window.replay.length_ms / 2));
  assert.match(await page.textContent("#board"), /constructor/);
  assert.ok((await look(page)).colors > 20, "the picture is blank");
  assert.ok(await page.isHidden("#notice"));
  assert.deepEqual(faults, []);
  await done();
}

/** The replay that a page of a demo holds, as its modules read it, and what the command says of the page. */
async function held(demo) {
  const file = join(pages, "held.html");
  const [told] = lines("view", demo, "-o", file, "--json");
  const [, data] = /id="data">([^<]*)</.exec(readFileSync(file, "utf8"));
  return { replay: await readReplay(data), told };
}

/** Compiles a demo. */
function compiled(text, extension) {
  const [source, demo] = ["txt", extension].map((it) => join(pages, `compiled.${it}`));
  writeFileSync(source, text);
  run("compile", source, "-o", demo);
  return demo;
}

/** The page has the same players as the command says: not who plays in the last frame alone, as servers of Quake II begin
 * levels anew. */
async function hasThePlayers(names) {
  const info = (slot, more) => `updateuserinfo { player ${slot}; user ${slot + 1}; string "\\\\name\\\\${more}"; }`;
  const watches = (frames) => compiled(`mvd;
    mblock { msec 0; all; serverdata { serverversion 28; age 1; game "qw"; servertime 1; mapname "Two"; movevars 800 100 320 500 10 10 10 4 4 1; } }
    mblock { msec 100; all; ${info(0, "Anna")} ${info(1, "Eve\\\\*spectator\\\\1")} }
    mblock { msec 100; all; nop; }
    mblock { msec 100; all; ${info(1, "Eve")} ${"} mblock { msec 100; all; nop; ".repeat(frames)} disconnect "EndOfDemo"; }`, "mvd");
  const check = async (demo, expected) => {
    const { replay, told } = await held(demo);
    const last = (slot) => [...replay.values.get(slot).get("name").values].filter((v) => replay.strings[v]).pop();
    const players = new Set(replay.slots.filter((slot) => replay.plays(slot)).map(last));
    assert.equal(players.size, told.players, demo);
    assert.equal(told.players, expected ?? told.players);
  };
  for (const name of names) await check(join(testdata, name));
  for (const [frames, players] of [[0, 1], [2, 2]]) await check(watches(frames), players);
}

/** Where everybody plays to win, whatever the team, teams have no scores: Quake Live's red rover. In a game of teams they have. */
async function ranksWhoPlaysForOneself() {
  const frame = (n) => `block { sequence ${n}; rel_ack 0; snapshot { serverTime ${n * 1000}; deltaNum 0; snapFlags 0; areamask 0;
    player { commandTime ${n * 1000}; persistant[0] 3; } entities { } } }`;
  const string = (index, value) => `configstring { index ${index}; value "${value.replaceAll("\\", "\\\\")}"; }`;
  for (const [gameType, teams] of [[3, 2], [12, 0]]) {
    const players = [["Ada", 1], ["Bob", 1], ["Cid", 2]].map(([name, team], n) => string(529 + n, `n\\${name}\\t\\${team}`));
    const begin = [string(0, `\\protocol\\90\\gamename\\baseqz\\g_gametype\\${gameType}\\mapname\\dm6`), ...players].join(" ");
    const demo = compiled(`dm3 { protocol 90; }
      block { sequence 1; rel_ack 0; gamestate { serverCommandSequence 0; ${begin} clientNum 0; checksumFeed 0; } }
      ${[2, 3, 4].map(frame).join(" ")}`, "dm_90");
    const file = join(pages, "oneself.html");
    run("view", demo, "-o", file);
    const { page, faults, close: done } = await open(file);
    await page.evaluate(() => window.replay.seek(window.replay.length_ms));
    await page.waitForFunction(() => document.querySelectorAll("#board button").length === 3);
    assert.equal(await page.locator("#board tr.team").count(), teams, `game type ${gameType}`);
    assert.equal(await page.textContent("#board button >> nth=0"), "Ada");
    assert.equal((await page.textContent("#side-a")) !== "", teams > 0, `the header of game type ${gameType}`);
    assert.deepEqual(faults, []);
    await done();
  }
}

/** The whole level is seen between what covers the upper and the lower part of the picture. */
function leavesRoom() {
  for (const [above, below] of [[0, 0.25], [0.15, 0.25], [0.15, 0]]) {
    for (const [x, y] of [[1000, 2500], [2500, 1000], [1500, 1500]]) {
      const camera = new Camera({ min: [-x, -y, 0], max: [x, y, 200] });
      camera.fit(0.73, { above, below });
      const { matrix } = camera.look(0.73, null, false);
      for (const corner of [[-x, -y], [-x, y], [x, -y], [x, y]]) {
        const at = project(matrix, [...corner, 200]);
        assert.ok(at.x > 0 && at.x < 1 && at.y > above && at.y < 1 - below, `${corner} is at ${JSON.stringify(at)}`);
      }
    }
  }
}

/** The name of somebody at the upper edge of the picture is in the picture. */
function namesWhoIsAtTheEdge() {
  const drawn = [];
  const c = { strokeText() {}, fillText: (_, x, y) => drawn.push(y) };
  const replay = { text: () => "Ada", value: () => null, slots: [0] };
  const labels = new Labels({ getContext: () => c }, replay, null);
  const camera = new Camera({ min: [-1000, -1000, 0], max: [1000, 1000, 0] });
  camera.fit(1, { above: 0, below: 0 });
  const { matrix } = camera.look(1, null, false);
  for (const y of [1000, 1100]) labels.drawName({ slot: 0, pose: { place: [0, y, 0] }, color: "#fff" }, 200, 200, { matrix, row: 0, light: false, above: true, scale: 1 });
  assert.ok(drawn.length === 2 && drawn.every((y) => y >= 10), `names of 12 pixels stand at ${drawn}`);
}

/** What nobody in particular says is told without a speaker. */
function tellsWhoSpeaks() {
  assert.match(markText({ kind: "chat", speaker: { slot: 0, name: "Ada" }, text: "hello" }), /Ada.*: hello/);
  assert.doesNotMatch(markText({ kind: "chat", speaker: null, text: "hello" }), /somebody|: /);
}

/** A button of the board that is pressed while the game goes on follows the player whose it is. */
async function takesClicksWhilePlaying(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  const order = (ms) => page.evaluate((ms) => (window.replay.seek(ms), [...document.querySelectorAll("#board button")].map((it) => it.title)), ms);
  // Players stand in the same order before and after, and what is told of them is not the same.
  const told = () => page.textContent("#board");
  let [ms, before, told1] = [4000, await order(4000), await told()];
  for (; ms < 30000; ms += 500) {
    const [after, told2] = [await order(ms + 500), await told()];
    if (before.length > 1 && String(before) === String(after) && told1 !== told2) break;
    [before, told1] = [after, told2];
  }
  assert.ok(ms < 30000);
  await order(ms);
  const button = await page.locator("#board button >> nth=-1").boundingBox();
  await page.mouse.move(button.x + 15, button.y + 8);
  await page.mouse.down();
  await order(ms + 500);
  await page.mouse.up();
  await settled(page);
  assert.equal(`Follow ${await page.textContent("#who")}`, before.at(-1));
  assert.deepEqual(faults, []);
  await done();
}

/** The panel of the followed player tells what is so in each frame. */
async function tellsEachFrame(name) {
  const { replay } = await held(join(testdata, name));
  const { page, faults, close: done } = await open(pageOf(name));
  const slot = replay.about.recorder ?? replay.slots[0];
  const { rows } = replay.values.get(slot).get("ammo");
  let changes = 0;
  for (const row of rows) {
    const [before, now] = [row - 1, row].map((it) => replay.value(slot, "ammo", it));
    if (row < 1 || now === null || now < 0 || before === now) continue;
    await page.evaluate(([from, to]) => (window.replay.seek(from), window.replay.seek(to)), [replay.rows[row - 1], replay.rows[row]]);
    assert.match(await page.textContent("#numbers"), new RegExp(`Ammo${now}$`), `${name} at ${replay.rows[row]}`);
    changes++;
  }
  assert.ok(changes > 3, `${changes} changes of ammunition`);
  assert.deepEqual(faults, []);
  await done();
}

/** While nothing changes nothing is drawn; through the eyes of a player nobody moves the picture from above. */
async function restsInPause(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  const drag = async () => {
    await page.mouse.move(600, 300);
    await page.mouse.down();
    await page.mouse.move(700, 360, { steps: 3 });
    await page.mouse.up();
  };
  await settled(page);
  const before = await look(page);
  for (const key of ["4", "w", "a", "+"]) await page.keyboard.press(key);
  await drag();
  await page.keyboard.press("1");
  await settled(page);
  assert.equal((await look(page)).print, before.print, "the picture from above was moved, unseen");
  await page.keyboard.press("3");
  await drag();
  await settled(page);
  const drawn = await page.evaluate(async () => {
    let count = 0;
    const { clear } = WebGL2RenderingContext.prototype;
    WebGL2RenderingContext.prototype.clear = function (...args) {
      count++;
      clear.apply(this, args);
    };
    for (let n = 0; n < 5; n++) await new Promise(requestAnimationFrame);
    return count;
  });
  assert.equal(drawn, 0, "pictures drawn in a pause");
  assert.deepEqual(faults, []);
  await done();
}

/** A phone that is turned shows the level as one that was held so from the beginning; what somebody chose stays. */
async function fitsWhenTurned(name) {
  const print = async (begin, end) => {
    const { page, close: done } = await open(pageOf(name), { viewport: begin });
    if (await page.isVisible("#scores")) await page.click("#toggle-scores");
    await page.setViewportSize(end);
    await page.waitForFunction((width) => document.getElementById("names").width === width, end.width);
    await settled(page);
    const seen = await look(page);
    await done();
    return seen.print;
  };
  const [upright, sideways] = [{ width: 390, height: 844 }, { width: 844, height: 390 }];
  for (const [begin, end] of [[upright, sideways], [sideways, upright]]) assert.equal(await print(begin, end), await print(end, end), `turned to ${end.width}`);
}

/** A browser may take back what the picture is drawn with. */
async function drawsAgain(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  await page.evaluate(() => window.replay.seek(window.replay.length_ms / 2));
  const before = await look(page);
  await page.evaluate(async () => {
    const canvas = document.getElementById("picture");
    const taken = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
    const is = (event) =>
      new Promise((done) => {
        canvas.addEventListener(event, () => setTimeout(done), { once: true });
        setTimeout(done, 5000);
      });
    const lost = is("webglcontextlost");
    taken.loseContext();
    await lost;
    const again = is("webglcontextrestored");
    taken.restoreContext();
    await again;
  });
  await settled(page);
  assert.equal((await look(page)).print, before.print);
  assert.deepEqual(faults, []);
  await done();
}

/** What happened on another map happened in no place of the one that is shown. */
async function countsOnItsMap() {
  const other = compiled(run("decompile", join(testdata, "merge-server.mvd")).replaceAll("lqdm13", "elsewhere"), "mvd");
  const [both, file] = ["both.mvd", "both.html"].map((it) => join(pages, it));
  run("join", join(testdata, "ez-dm.mvd"), other, "-o", both);
  run("view", both, "-o", file);
  const deaths = (demo) => lines("frags", demo, "--json").length;
  const { page, faults, close: done } = await open(file);
  await page.click("#toggle-heat");
  await page.selectOption("#heat-kind", "deaths");
  for (const [part, demo, map] of [[0.1, join(testdata, "ez-dm.mvd"), "lqdm13"], [0.99, other, "elsewhere"]]) {
    await page.evaluate((part) => window.replay.seek(window.replay.length_ms * part), part);
    await settled(page);
    assert.match(await page.textContent("#heat-sum"), new RegExp(`^${deaths(demo)} deaths on ${map},`));
  }
  assert.deepEqual(faults, []);
  await done();
  // Each level offers the times of its own match.
  const matches = ["oa-dm4.dm_71", "merge-a.dm_71"].map((name) => join(testdata, name));
  const joined = join(pages, "matches.dm_71");
  run("join", ...matches, "-o", joined);
  run("view", joined, "-o", file);
  const second = await open(file);
  await second.page.click("#toggle-heat");
  await second.page.evaluate(() => window.replay.seek(window.replay.length_ms));
  await settled(second.page);
  assert.match(await second.page.textContent("#heat-sum"), /^[1-9]\d* seconds of players on oa_dm1, 0:42 to 0:48$/);
  await second.page.fill("#heat-from", "0:45");
  await second.page.evaluate(() => window.replay.seek(0));
  await settled(second.page);
  assert.equal(await second.page.inputValue("#heat-from"), "0:45", "what somebody chose stays");
  assert.deepEqual(second.faults, []);
  await second.close();
}

/** A link names whom it follows, whatever the name, or nobody. */
async function linksToAnyName() {
  const name = "S&e#c%20+d=?'";
  const demo = compiled(run("decompile", join(testdata, "q2-demo1.dm2")).replaceAll("Second", name), "dm2");
  const file = join(pages, "linked.html");
  run("view", demo, "-o", file);
  const { page, faults, close: done } = await open(file);
  await page.evaluate(() => window.replay.seek(window.replay.length_ms / 2));
  for (const act of [() => page.click("#board button:has-text('S&e')"), () => page.keyboard.press("0")]) {
    await act();
    await settled(page);
    const who = await page.textContent("#who");
    await page.keyboard.press("l");
    const linked = await open(file, { hash: await hashOf(page) });
    await settled(linked.page);
    assert.equal(await linked.page.textContent("#who"), who);
    await linked.close();
  }
  assert.deepEqual(faults, []);
  await done();
}

/** Of several players of one name a link leads to the one that was followed. */
async function linksToNamesakes() {
  const demo = join(pages, "namesakes.dm_71");
  run("edit", join(testdata, "oa-dm4.dm_71"), "-o", demo, "--rename", "Kyonshi=Twin", "--rename", "Angelyss=Twin");
  const file = join(pages, "namesakes.html");
  run("view", demo, "-o", file);
  const { page, faults, close: done } = await open(file);
  await page.evaluate(() => window.replay.seek(window.replay.length_ms / 2));
  const followed = (on) => on.evaluate(() => [...document.querySelectorAll("#board button")].findIndex((it) => it.getAttribute("aria-pressed") === "true"));
  const places = new Set();
  for (const n of [0, 1]) {
    await page.click(`#board button:has-text("Twin") >> nth=${n}`);
    await settled(page);
    places.add(await followed(page));
    await page.keyboard.press("l");
    const linked = await open(file, { hash: await hashOf(page) });
    await settled(linked.page);
    assert.equal(await followed(linked.page), await followed(page));
    await linked.close();
  }
  assert.equal(places.size, 2);
  await page.click('#board button:has-text("Sarge")');
  await page.keyboard.press("l");
  assert.match(await hashOf(page), /&follow=Sarge&camera=/);
  assert.deepEqual(faults, []);
  await done();
}

/** Where nobody plays the page says so. */
async function tellsThatNobodyPlays() {
  const file = join(pages, "nobody.html");
  run("view", compiled('track "2"; block { camera 0 0 0; print "hello"; }', "dem"), "-o", file);
  const { page, faults, close: done } = await open(file);
  assert.ok(await page.isVisible("#nobody"));
  for (const key of ["Space", "n", "3", "4", "f", "h", "i", "c", "End", ".", ","]) await page.keyboard.press(key);
  await settled(page);
  assert.ok(await page.isHidden("#notice"));
  assert.deepEqual(faults, []);
  await done();
}

/** On paper stands what is seen, without what is pressed; a window that has no room left for the picture is scrolled. */
async function fitsPaperAndLowWindows(name) {
  const { page, close: done } = await open(pageOf(name), { viewport: { width: 320, height: 256 } });
  const heights = await page.evaluate(() => [document.getElementById("picture").clientHeight, document.documentElement.scrollHeight]);
  assert.ok(heights[0] > 200 && heights[1] > 256, `picture and page are ${heights} high`);
  await page.click("#play");
  // Paper is Chromium's alone, here.
  if (!isChromium) return done();
  await page.emulateMedia({ media: "print" });
  assert.ok((await page.isHidden("#play")) && (await page.isHidden("#theme")) && (await page.isVisible("#match-clock")));
  await done();
}

/** What somebody carries has plain names, also where Quake II tells it by pictures of the status bar. */
function namesWhatIsCarried() {
  const names = ["i_combatarmor", "i_powershield", "p_quad", "p_quadfire", "k_bluekey", "w_bfg", "a_shells", "Body Armor", "quad_damage"];
  const plain = ["combat armor", "power shield", "quad", "quad fire", "blue key", "bfg", "shells", "Body Armor", "quad damage"];
  assert.deepEqual(names.map(carriedName), plain);
}

/** Who has left has no score any more, though the server goes on to tell it. */
async function endsScores() {
  const text = run("decompile", join(testdata, "q2-demo1.dm2"));
  const { index, 0: head } = [...text.matchAll(/\nblock \{.*/g)][100];
  const at = index + head.length;
  const demo = compiled(`${text.slice(0, at)}\n print { level 2; string "Second disconnected\\n"; }${text.slice(at)}`, "dm2");
  const { replay } = await held(demo);
  const [left] = replay.values.get(1).get("name").rows.slice(-1);
  assert.ok(left > 0 && replay.value(1, "frags", left) !== null);
  const points = [...new Charts(replay, null).steps(1, "frags")];
  const told = points.filter((_, n) => n % 2 === 0 && !Number.isNaN(points[n + 1]));
  assert.ok(told.length);
  assert.equal(Math.max(...told), replay.rows[left]);
  // Who is followed and leaves keeps the name.
  const { page, faults, close: done } = await open(join(pages, "held.html"));
  await page.click("#board button:has-text('Second')");
  await page.click("#toggle-charts");
  await page.evaluate(() => window.replay.seek(window.replay.length_ms));
  await settled(page);
  assert.equal(await page.textContent("#who"), "Second");
  assert.equal(await page.textContent("#numbers"), "not in the game");
  assert.match(await page.textContent("#chart-health-name"), / of Second$/);
  assert.deepEqual(faults, []);
  await done();
}

/** What nobody has seen yet is not said to be there. */
async function knowsWhatIsUnseen(name) {
  const { page, faults, close: done } = await open(pageOf(name));
  await page.evaluate(() => window.replay.seek(0));
  await page.click("#toggle-items");
  await page.waitForFunction(() => /quad\s*unseen/.test(document.getElementById("clocks").textContent));
  assert.deepEqual(faults, []);
  await done();
}

/** With all panels open the feed lies on none of them, nor on the cameras. */
async function keepsTheFeedApart(name) {
  for (const [width, height] of [[1280, 800], [1000, 640]]) {
    const { page, close: done } = await open(pageOf(name), { viewport: { width, height } });
    await tellsWordsInFull(page);
    for (const id of ["charts", "heat", "items"]) await page.click(`#toggle-${id}`);
    await page.evaluate(() => window.replay.seek(window.replay.frags[2].demo_ms + 10));
    const feed = await page.locator("#feed").boundingBox();
    for (const other of ["#heat", "#items", "#cameras", "#scores"]) {
      const box = await page.locator(other).boundingBox();
      const apart = feed.x + feed.width <= box.x || box.x + box.width <= feed.x || feed.y + feed.height <= box.y;
      assert.ok(apart, `the feed lies on ${other} at ${width}: ${JSON.stringify([feed, box])}`);
    }
    await done();
  }
}

/** At no width does the match clock lie on the buttons, nor a panel on another. */
async function hasRoom(name) {
  for (const width of [320, 360, 768, 900, 1000]) {
    const { page, close: done } = await open(pageOf(name), { viewport: { width, height: 640 } });
    for (const [one, other] of [["#match", "nav"], ["#status", "#cameras"]]) {
      const [a, b] = [await page.locator(one).boundingBox(), await page.locator(other).boundingBox()];
      const apart = a.x + a.width <= b.x || a.y + a.height <= b.y || b.x + b.width <= a.x || b.y + b.height <= a.y;
      assert.ok(apart, `${one} lies on ${other} at ${width}: ${JSON.stringify([a, b])}`);
    }
    await done();
  }
}

/** On a phone that is held sideways the score board has room, and nothing lies on anything else. */
async function hasRoomSideways(name) {
  for (const [width, height] of [[844, 390], [667, 375], [932, 430]]) {
    const { page, close: done } = await open(pageOf(name), { viewport: { width, height }, hasTouch: true, isMobile: true });
    await page.evaluate(() => window.replay.seek(window.replay.length_ms / 2));
    if (await page.isHidden("#scores")) await page.tap("#toggle-scores");
    const boxes = {};
    for (const id of ["#scores", "#status", "#cameras", "#match", "nav", "main"]) boxes[id] = await page.locator(id).boundingBox();
    const room = Math.min(150, await page.evaluate(() => document.querySelector("#scores table").offsetHeight));
    assert.ok(boxes["#scores"].height >= room, `the score board is ${boxes["#scores"].height} high at ${width}x${height}`);
    for (const [one, other] of [["#scores", "#status"], ["#status", "#cameras"], ["#match", "nav"]]) {
      const [a, b] = [boxes[one], boxes[other]];
      const apart = a.x + a.width <= b.x || a.y + a.height <= b.y || b.x + b.width <= a.x || b.y + b.height <= a.y;
      assert.ok(apart, `${one} lies on ${other} at ${width}x${height}: ${JSON.stringify([a, b])}`);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.tap("#toggle-heat");
    const heat = await page.locator("#heat").boundingBox();
    assert.ok(heat.width < width / 2, `the heat map's panel is ${heat.width} wide at ${width}x${height}`);
    await page.tap("#toggle-heat");
    await page.tap("#toggle-charts");
    const [status, main] = [await page.locator("#status").boundingBox(), await page.locator("main").boundingBox()];
    assert.ok(status.y >= main.y && main.height > 140, `with charts the picture is ${main.height} high, the panel at ${status.y} at ${width}x${height}`);
    const longest = await page.evaluate(() => {
      const title = document.getElementById("chart-health-name");
      title.textContent = `Health and armour of ${"a long name ".repeat(9)}`;
      return title.parentElement.getBoundingClientRect().right - title.getBoundingClientRect().right;
    });
    assert.ok(longest > 30, `a title ends ${longest} before the end of its chart, where the number stands`);
    await page.tap("#help-open");
    assert.equal(await page.evaluate(() => document.getElementById("help").scrollTop), 0, "help begins at its beginning");
    await done();
  }
}

/** The link in the address: asked of the page, as the browser's driver hears of it a little later. */
const hashOf = (page) => page.evaluate(() => location.hash);

/** Lists show what is chosen in full: a copy without a width of its own is as wide as the words and the arrow. */
async function tellsWordsInFull(page) {
  await page.click("#toggle-heat");
  const missing = await page.evaluate(() =>
    [["frag-weapon", "any weapon"], ["heat-kind", "Dealt damage from"]].map(([id, words]) => {
      const list = document.getElementById(id);
      const copy = list.cloneNode(true);
      copy.replaceChildren(new Option(words));
      Object.assign(copy.style, { position: "absolute", width: "max-content", maxWidth: "none" });
      list.after(copy);
      const wide = copy.offsetWidth - list.offsetWidth;
      copy.remove();
      return wide;
    }),
  );
  await page.click("#toggle-heat");
  assert.ok(missing.every((it) => it <= 0), `${missing} pixels of words are not seen`);
}

/** On a phone nothing is cut off, and fingers work; the lists tell their words in full, frags the names of both, and the level lies
 * below the feed. */
async function fitsPhones(name) {
  const { page, faults, close: done } = await open(pageOf(name), { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await tellsWordsInFull(page);
  const frag = await page.evaluate(() => window.replay.frags.find((it) => it.attacker && it.attacker !== it.victim).demo_ms);
  const lines = await page.evaluate((ms) => (window.replay.seek(ms + 10), [...document.querySelectorAll("#frags li")].map((it) => it.scrollWidth - it.clientWidth)), frag);
  assert.ok(lines.length && lines.every((it) => it <= 0), `${lines} pixels of frags are not seen`);
  // All that the level has, from its highest row in the picture.
  const [feed, level] = await page.evaluate(() => {
    const picture = document.getElementById("picture");
    const copy = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
    const c = copy.getContext("2d");
    c.drawImage(picture, 0, 0);
    const pixels = new Uint32Array(c.getImageData(0, 0, copy.width, copy.height).data.buffer);
    const first = pixels.findIndex((it) => it !== pixels[0]);
    const it = document.getElementById("feed");
    return [it.offsetTop + it.offsetHeight, Math.floor(first / copy.width) / (picture.height / picture.clientHeight)];
  });
  assert.ok(level >= feed, `the level begins at ${level}, below the feed, which ends at ${feed}`);
  await page.tap("#play");
  await page.waitForFunction(() => window.replay.state().demo_ms > 300);
  await page.tap("#play");
  await page.tap("#camera-eyes");
  assert.equal(await page.getAttribute("#camera-eyes", "aria-pressed"), "true");
  assert.deepEqual(faults, []);
  await done();
}

const tests = [
  ...["clip.dem", "ez-dm.mvd", "ez-dm.qwd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"].map((name) => () => agrees(name)),
  () => works("ez-dm.mvd"),
  () => works("oa-dm4.dm_71"),
  () => jumps("oa-dm4.dm_71"),
  () => countsItems("oa-dm4.dm_71"),
  () => tellsSight("oa-dm4.dm_71"),
  () => isQuick(longest()),
  isSafe,
  () => countsAPart("oa-dm4.dm_71"),
  () => countsTheLastFrag("ez-dm.mvd"),
  takesAnyName,
  () => hasThePlayers(["clip.dem", "ez-dm.mvd", "ez-dm.qwd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71", "oa-dm5.dm_66"]),
  endsScores,
  ranksWhoPlaysForOneself,
  namesWhatIsCarried,
  leavesRoom,
  namesWhoIsAtTheEdge,
  tellsWhoSpeaks,
  () => takesClicksWhilePlaying("oa-dm4.dm_71"),
  () => tellsEachFrame("oa-dm4.dm_71"),
  () => restsInPause("oa-dm4.dm_71"),
  () => fitsWhenTurned("oa-dm4.dm_71"),
  () => drawsAgain("oa-dm4.dm_71"),
  countsOnItsMap,
  linksToAnyName,
  linksToNamesakes,
  tellsThatNobodyPlays,
  () => fitsPaperAndLowWindows("oa-dm4.dm_71"),
  () => knowsWhatIsUnseen("oa-dm4.dm_71"),
  () => hasRoom("oa-dm4.dm_71"),
  () => hasRoomSideways("oa-dm4.dm_71"),
  () => keepsTheFeedApart("oa-dm4.dm_71"),
  () => fitsPhones("oa-dm4.dm_71"),
];
// Two processors share them where two processes are told which half is whose: "1/2" and "2/2".
const [part, parts] = (process.argv[2] ?? "1/1").split("/").map(Number);
try {
  for (const test of tests.filter((_, n) => n % parts === part - 1)) await test();
  console.log(`the pages are fine (${part}/${parts})`);
} finally {
  await browser.close();
}
