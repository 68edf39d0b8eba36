// `window.replay`: what the page offers to scripts, and how tests ask it.

/** What the page offers to scripts.
 * @param {import("./main.js").Page} page */
export function offer(page) {
  const { replay } = page;
  const name = (/** @type {import("./data.js").Who|null|undefined} */ who) => who?.name ?? null;
  return {
    length_ms: replay.end,
    seek: (/** @type {number} */ ms) => {
      page.play(false);
      page.seek(Number(ms));
      page.render();
    },
    state: () => {
      const row = replay.rowAt(page.ms);
      const players = replay.slots.flatMap((slot) => {
        const track = replay.playerTrack(slot, row);
        const pose = track && replay.recorded(track, row);
        const named = replay.value(slot, "name", row) !== null;
        if (!named) return [];
        const [x, y, z] = pose ? pose.place : [null, null, null];
        return [{ slot, name: replay.text(slot, "name", row), x, y, z, health: replay.value(slot, "health", row) }];
      });
      return { demo_ms: replay.rows[row], players };
    },
    frags: page.frags.map((mark) => ({
      demo_ms: mark.demo_ms,
      attacker: name(mark.attacker),
      victim: name(mark.victim),
      weapon: mark.weapon,
    })),
    /** Items that people wait for, with the times in which they were not there. */
    items: page.items.levels.flat().filter((spot) => spot.awaited).map(({ name: item, level, place: [x, y, z], away }) => ({
      item, level, x, y, z,
      away: away.map(({ from, to, slot }) => ({ from_ms: from, to_ms: to, slot })),
    })),
    /** Slots of those whom a player may see now; null where nothing tells. */
    seen_by: (/** @type {number} */ slot) => {
      const seen = page.sight.of(slot, replay.rowAt(page.ms));
      return seen && [...seen];
    },
    /** Milliseconds of script that the last picture took. */
    cost: () => page.cost,
  };
}
