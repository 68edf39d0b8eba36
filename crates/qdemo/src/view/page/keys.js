// What keys do.

/** What keys do, for people. */
export const KEYS = /** @type {[string, string][]} */ ([
  ["Space", "play or pause"],
  ["R", "backwards"],
  ["← →", "5 seconds back or on, with Shift 1 second"],
  [", .", "one frame back or on"],
  ["[ ]", "slower or faster"],
  ["Home End", "to the beginning or the end"],
  ["1 2 3 4", "from above, free, behind a player, through a player's eyes"],
  ["N P", "follow the next player, or the one before"],
  ["0", "follow nobody"],
  ["F", "next frag, with Shift the one before"],
  ["W A S D", "move the picture; Q E turn it, + − zoom"],
  ["B M I C H", "score board, feed, items, charts, heat map"],
  ["T", "trails"],
  ["V", "lines to those whom the followed player sees"],
  ["L", "copy a link to this moment"],
  ["D with Shift", "dark or light"],
]);

/** What a key does.
 * @param {import("./main.js").Page} page @param {string} key @param {boolean} shift @returns {(() => void)|undefined} */
export function action(page, key, shift) {
  const { camera, ms } = page;
  const move = (/** @type {() => void} */ how) => () => {
    how();
    page.moved();
  };
  const letter = key.toLowerCase();
  // With Caps Lock letters are capitals by themselves.
  if (letter === "d" && shift) return () => page.setTheme(page.theme === "dark" ? "light" : "dark");
  return {
    " ": () => page.play(!page.playing),
    r: () => page.reverse(),
    arrowleft: () => page.seek(ms - (shift ? 1000 : 5000)),
    arrowright: () => page.seek(ms + (shift ? 1000 : 5000)),
    home: () => page.seek(page.replay.start),
    end: () => page.seek(page.replay.end),
    ",": () => page.step(-1),
    ".": () => page.step(1),
    "[": () => page.changeSpeed(-1),
    "]": () => page.changeSpeed(1),
    1: () => page.setCamera("above"),
    2: () => page.setCamera("free"),
    3: () => page.setCamera("behind"),
    4: () => page.setCamera("eyes"),
    n: () => page.followNext(1),
    p: () => page.followNext(-1),
    0: () => page.follow(null),
    f: () => page.jump(shift ? -1 : 1),
    w: move(() => camera.pan(0, 0.06)),
    s: move(() => camera.pan(0, -0.06)),
    a: move(() => camera.pan(-0.06, 0)),
    d: move(() => camera.pan(0.06, 0)),
    q: move(() => camera.rotate(6, 0)),
    e: move(() => camera.rotate(-6, 0)),
    "+": move(() => camera.zoom(0.85)),
    "=": move(() => camera.zoom(0.85)),
    "-": move(() => camera.zoom(1.18)),
    b: () => page.toggle("scores"),
    m: () => page.toggle("feed"),
    i: () => page.toggle("items"),
    c: () => page.toggle("charts"),
    h: () => page.toggle("heat"),
    t: () => page.setTrails(),
    v: () => page.setSight(),
    l: () => void page.copyLink(),
    "?": () => page.help(),
  }[letter];
}
