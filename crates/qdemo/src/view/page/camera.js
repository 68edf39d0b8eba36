// Where the picture is taken from: matrices, the four cameras, and how mouse, fingers and keys move them.

import { turn } from "./data.js";

const RAD = Math.PI / 180;
/** Most levels are not as large, in units. */
const FAR = 40000;
/** Nobody needs to go farther away from a level of common size. */
const FARTHEST = 20000;

/** @typedef {"above"|"free"|"behind"|"eyes"} CameraMode */

/** The directions of angles: forward, right, up.
 * @param {number} pitch Below 0 up, in degrees. @param {number} yaw */
export function directions(pitch, yaw) {
  const [sp, cp, sy, cy] = [Math.sin(pitch * RAD), Math.cos(pitch * RAD), Math.sin(yaw * RAD), Math.cos(yaw * RAD)];
  return { forward: [cp * cy, cp * sy, -sp], right: [sy, -cy, 0], up: [sp * cy, sp * sy, cp] };
}

/** A matrix, column by column, that turns places of the world into those of the screen.
 * @param {number[]} eye @param {number} pitch @param {number} yaw @param {number} roll
 * @param {number} fov Height of the picture in degrees. @param {number} aspect @param {number} [far] What is farther away is not seen. */
export function matrixOf(eye, pitch, yaw, roll, fov, aspect, far = FAR) {
  const { forward, right, up } = directions(pitch, yaw);
  const [sr, cr] = [Math.sin(roll * RAD), Math.cos(roll * RAD)];
  const side = right.map((v, n) => v * cr - up[n] * sr);
  const top = up.map((v, n) => v * cr + right[n] * sr);
  const f = 1 / Math.tan((fov * RAD) / 2);
  // Depths are told apart as far as these two are in proportion.
  const near = far / 10000;
  const dot = (/** @type {number[]} */ a) => a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2];
  const m = new Float32Array(16);
  const depth = (far + near) / (far - near);
  for (let n = 0; n < 3; n++) {
    m[n * 4] = (side[n] * f) / aspect;
    m[n * 4 + 1] = top[n] * f;
    m[n * 4 + 2] = forward[n] * depth;
    m[n * 4 + 3] = forward[n];
  }
  m[12] = (-dot(side) * f) / aspect;
  m[13] = -dot(top) * f;
  m[14] = -dot(forward) * depth - (2 * far * near) / (far - near);
  m[15] = -dot(forward);
  return m;
}

/** Where a place of the world is on the screen: x and y from 0 to 1, and how far away; `null` behind the eye.
 * @param {Float32Array} m @param {number[]} p */
export function project(m, p) {
  const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
  if (w < 4) return null;
  const x = (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w;
  const y = (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w;
  return { x: (x + 1) / 2, y: (1 - y) / 2, far: w };
}

/** The camera. `above` and `free` look at a place that is moved by hand; `behind` and `eyes` follow a player. */
export class Camera {
  /** @param {{min: number[], max: number[]}} bounds What there is to be seen. */
  constructor(bounds) {
    /** @type {CameraMode} */
    this.mode = "above";
    this.target = [0, 0, 0];
    this.yaw = 90;
    this.pitch = 90;
    this.distance = 1000;
    this.farthest = FARTHEST;
    this.behindPitch = 20;
    this.behindYaw = 0;
    this.behindDistance = 220;
    this.bounds = bounds;
    this.fitted = false;
    /** True once somebody has chosen what `above` and `free` look at. */
    this.byHand = false;
    this.frame(bounds);
  }

  /** Looks at all of it. @param {{min: number[], max: number[]}} bounds */
  frame({ min, max }) {
    this.bounds = { min, max };
    this.target = min.map((v, n) => (v + max[n]) / 2);
    this.fitted = false;
    this.byHand = false;
  }

  /** The picture has become larger or smaller: what nobody chose is fitted to it. */
  refit() {
    if (!this.byHand) this.frame(this.bounds);
  }

  /** True where the picture goes with a player. */
  get follows() {
    return this.mode === "behind" || this.mode === "eyes";
  }

  /** Chooses how far away all of it can be seen.
   * @param {number} aspect @param {{above: number, below: number}} covered The parts of the picture, from above and from below,
   *   that something else covers. */
  fit(aspect, covered) {
    if (this.fitted) return;
    this.fitted = true;
    const { min, max } = this.bounds;
    const size = max.map((v, n) => v - min[n]);
    // A map that is taller than wide is turned when the screen is not.
    const turned = size[1] > size[0] !== aspect < 1;
    this.yaw = turned ? 0 : 90;
    const [across, along] = turned ? [size[1], size[0]] : [size[0], size[1]];
    const half = Math.tan((45 * RAD) / 2);
    this.distance = (Math.max(along / (1 - covered.above - covered.below), across / aspect, 300) * 0.56) / half + size[2] / 2;
    this.farthest = Math.max(FARTHEST, this.distance * 1.5);
    this.shift(0, (covered.above - covered.below) / 2);
  }

  /** @param {CameraMode} mode */
  set(mode) {
    if (mode === "above") this.pitch = 90;
    if (mode === "free" && this.pitch > 80) this.pitch = 52;
    this.mode = mode;
  }

  /** Moves over the floor by hand, in parts of the picture. @param {number} right @param {number} up */
  pan(right, up) {
    if (this.follows) return;
    this.byHand = true;
    this.shift(right, up);
  }

  /** @param {number} right @param {number} up */
  shift(right, up) {
    const scale = this.distance * 0.83;
    const [s, c] = [Math.sin(this.yaw * RAD), Math.cos(this.yaw * RAD)];
    this.target[0] += (s * right + c * up) * scale;
    this.target[1] += (-c * right + s * up) * scale;
  }

  /** Turns, in degrees. @param {number} yaw @param {number} pitch */
  rotate(yaw, pitch) {
    if (this.mode === "behind") {
      this.behindYaw += yaw;
      this.behindPitch = Math.min(80, Math.max(-30, this.behindPitch + pitch));
      return;
    }
    if (this.mode === "eyes") return;
    this.byHand = true;
    this.yaw += yaw;
    this.pitch = Math.min(90, Math.max(5, this.pitch + pitch));
    if (this.mode === "above" && this.pitch < 85) this.mode = "free";
  }

  /** Comes nearer, or goes away. @param {number} factor */
  zoom(factor) {
    if (this.mode === "behind") this.behindDistance = Math.min(2000, Math.max(60, this.behindDistance * factor));
    if (this.follows) return;
    this.byHand = true;
    this.distance = Math.min(this.farthest, Math.max(120, this.distance * factor));
  }

  /** The matrix of this moment, and where the eye is.
   * @param {number} aspect @param {import("./data.js").Pose|null} followed The player, or the eyes, that are followed.
   * @param {boolean} isEye True where that is where the eyes are, not the player's origin. */
  look(aspect, followed, isEye) {
    if (followed && this.mode === "eyes") {
      const [x, y, z] = followed.place;
      const eye = [x, y, z + (isEye ? 0 : 22)];
      const fov = aspect > 1 ? 72 : 90;
      return { eye, matrix: matrixOf(eye, followed.angles[0], followed.angles[1], followed.angles[2], fov, aspect) };
    }
    if (followed && this.mode === "behind") {
      const yaw = followed.angles[1] + this.behindYaw;
      const { forward } = directions(this.behindPitch, yaw);
      const eye = followed.place.map((v, n) => v - forward[n] * this.behindDistance + (n === 2 ? 30 : 0));
      return { eye, matrix: matrixOf(eye, this.behindPitch, yaw, 0, 60, aspect) };
    }
    const { forward } = directions(this.pitch, this.yaw);
    const eye = this.target.map((v, n) => v - forward[n] * this.distance);
    const { min, max } = this.bounds;
    const corner = eye.map((v, n) => Math.max(Math.abs(v - min[n]), Math.abs(v - max[n])));
    return { eye, matrix: matrixOf(eye, this.pitch, this.yaw, 0, 45, aspect, Math.max(FAR, Math.hypot(...corner) * 1.1)) };
  }

  /** How much larger than life everybody is drawn, to be seen from this far away. */
  scale() {
    return this.follows ? 1 : Math.max(1, this.distance / 1100);
  }

  /** Turns slowly back behind the player. */
  settle() {
    this.behindYaw += turn(this.behindYaw, 0) * 0.02;
  }
}

/** Lets mouse and fingers move a camera.
 * @param {HTMLElement} element @param {Camera} camera @param {() => void} moved */
export function steer(element, camera, moved) {
  /** @type {Map<number, {x: number, y: number}>} */
  const held = new Map();
  element.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    element.setPointerCapture(event.pointerId);
    element.focus();
  });
  const release = (/** @type {PointerEvent} */ event) => held.delete(event.pointerId);
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    const now = { x: event.clientX, y: event.clientY };
    if (held.size === 2) {
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1] ?? now;
      const gap = (/** @type {{x: number, y: number}} */ p) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
      camera.zoom(gap(before) / gap(now));
      camera.pan(-dx / element.clientHeight / 2, dy / element.clientHeight / 2);
    } else if (event.buttons & 2 || event.shiftKey || camera.mode === "behind") {
      camera.rotate(-dx * 0.3, dy * 0.3);
    } else {
      camera.pan(-dx / element.clientHeight, dy / element.clientHeight);
    }
    held.set(event.pointerId, now);
    moved();
  });
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      camera.zoom(Math.exp(event.deltaY * 0.0012));
      moved();
    },
    { passive: false },
  );
}
