// Doors, lifts and whatever else of the map moves: models of the map, each where the recording last showed it.

import { ENTITY } from "./data.js";

/** Where the models of the map stand. */
export class Movers {
  /** @param {import("./data.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {Map<number, import("./data.js").Track[]>[]} Tracks by the number of the model, by level. */
    this.levels = replay.about.levels.map(() => new Map());
    for (const track of replay.tracks) {
      if (track.of !== ENTITY || !track.model.startsWith("*")) continue;
      const models = this.levels[replay.levelAt(track.from)];
      const number = Number(track.model.slice(1));
      const all = models.get(number);
      if (all) all.push(track);
      else models.set(number, [track]);
    }
    for (const tracks of this.levels.flatMap((models) => [...models.values()])) tracks.sort((a, b) => a.from - b.from);
  }

  /** Places by the number of the model. Where everything is seen, what is not in view is not there; else a door out of view stands as
   * it was seen last, before that as it is seen first.
   * @param {number} level @param {number} ms @param {number} row */
  at(level, ms, row) {
    /** @type {Map<number, number[][]>} */
    const places = new Map();
    for (const [number, tracks] of (this.replay.maps[level] && this.levels[level]) || []) {
      const inView = tracks.filter((track) => track.from <= row && row < track.to);
      const past = tracks.filter((track) => track.to <= row).pop();
      const other = inView.length || this.replay.seesAll ? null : (past ?? tracks[0]);
      const poses = inView.map((track) => this.replay.pose(track, ms, row)?.place ?? null);
      if (other) poses.push(this.replay.recorded(other, past ? past.to - 1 : other.from)?.place ?? null);
      places.set(number, poses.filter((place) => place !== null));
    }
    return places;
  }
}
