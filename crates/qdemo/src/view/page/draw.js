// The picture: WebGL 2. What stands still is put into buffers once; what moves is a list of instances of few shapes.

/** @typedef {{background: number[], low: number[], high: number[], grid: number}} Palette */

const SURFACE = `#version 300 es
uniform mat4 u_matrix; uniform vec3 u_offset;
in vec3 a_place; in vec3 a_normal;
out vec3 v_place; out vec3 v_normal;
void main() { v_place = a_place + u_offset; v_normal = a_normal; gl_Position = u_matrix * vec4(v_place, 1.0); }`;

const SURFACE_COLOR = `#version 300 es
precision highp float;
uniform vec3 u_low, u_high, u_eye, u_background; uniform vec2 u_heights; uniform float u_grid;
in vec3 v_place; in vec3 v_normal; out vec4 o_color;
void main() {
  float height = clamp((v_place.z - u_heights.x) / max(1.0, u_heights.y - u_heights.x), 0.0, 1.0);
  vec3 n = normalize(v_normal);
  vec3 color = mix(u_low, u_high, height) * (0.62 + 0.30 * max(n.z, 0.0) + 0.08 * n.x + 0.05 * n.y);
  vec2 cell = v_place.xy / 256.0;
  vec2 line = abs(fract(cell - 0.5) - 0.5) / max(fwidth(cell), vec2(1e-5));
  float grid = (1.0 - min(min(line.x, line.y), 1.0)) * step(0.7, n.z);
  color *= 1.0 + u_grid * grid;
  float fog = 1.0 - exp(-distance(v_place, u_eye) / 9000.0);
  o_color = vec4(mix(color, u_background, fog * 0.55), 1.0);
}`;

const SOLID = `#version 300 es
uniform mat4 u_matrix;
in vec3 a_place; in vec3 a_normal;
in vec3 i_place; in vec3 i_scale; in float i_yaw; in vec4 i_color;
out vec3 v_normal; out vec4 v_color;
void main() {
  float c = cos(i_yaw), s = sin(i_yaw);
  mat3 turn = mat3(c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0);
  v_normal = turn * a_normal; v_color = i_color;
  gl_Position = u_matrix * vec4(i_place + turn * (a_place * i_scale), 1.0);
}`;

const SOLID_COLOR = `#version 300 es
precision highp float;
uniform float u_ghost;
in vec3 v_normal; in vec4 v_color; out vec4 o_color;
void main() {
  vec3 n = normalize(v_normal);
  float light = 0.66 + 0.34 * max(dot(n, normalize(vec3(0.35, 0.25, 0.9))), 0.0);
  o_color = vec4(v_color.rgb * light, v_color.a * u_ghost);
}`;

const LINE = `#version 300 es
uniform mat4 u_matrix; uniform vec2 u_size;
in vec2 a_corner;
in vec3 i_from; in vec3 i_to; in vec4 i_color; in vec4 i_color_to; in float i_width;
out vec4 v_color;
void main() {
  vec4 a = u_matrix * vec4(i_from, 1.0), b = u_matrix * vec4(i_to, 1.0);
  float near = 4.0;
  if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * u_size;
  vec2 side = length(along) > 1e-4 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
  vec4 p = mix(a, b, a_corner.x);
  p.xy += side * a_corner.y * i_width / u_size * p.w;
  v_color = mix(i_color, i_color_to, a_corner.x);
  gl_Position = p;
}`;

const LINE_COLOR = `#version 300 es
precision highp float;
in vec4 v_color; out vec4 o_color;
void main() { o_color = v_color; }`;

/** Numbers to an instance of a solid, and to one of a line. */
const SOLID_SIZE = 11;
const LINE_SIZE = 15;

/** Corners and normals of a body around the z axis. @param {number[][]} profile Radius and height. @param {number} sides */
function turned(profile, sides) {
  const corners = [];
  const point = (/** @type {number[]} */ [r, z], /** @type {number} */ n) => {
    const a = (n / sides) * Math.PI * 2;
    return [r * Math.cos(a), r * Math.sin(a), z];
  };
  for (let p = 0; p + 1 < profile.length; p++) {
    for (let n = 0; n < sides; n++) {
      const [a, b] = [point(profile[p], n), point(profile[p], n + 1)];
      const [c, d] = [point(profile[p + 1], n), point(profile[p + 1], n + 1)];
      corners.push(a, b, d, a, d, c);
    }
  }
  return withNormals(corners);
}

/** @param {number[][]} corners Three to a triangle. */
function withNormals(corners) {
  const out = [];
  for (let n = 0; n < corners.length; n += 3) {
    const [a, b, c] = [corners[n], corners[n + 1], corners[n + 2]];
    const normal = normalOf(a, b, c);
    for (const corner of [a, b, c]) out.push(...corner, ...normal);
  }
  return new Float32Array(out);
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {ArrayLike<number>} c */
export function normalOf(a, b, c) {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(...n) || 1;
  return n.map((v) => v / length);
}

/** The shapes of what moves, in units; the scale of an instance stretches them. */
const SHAPES = {
  player: turned([[0, -24], [9, -24], [12, -16], [14, 2], [13, 14], [8, 17], [9, 24], [7, 30], [0, 32]], 12),
  arrow: withNormals([
    [16, -9, -3], [38, 0, -3], [16, 9, -3],
    [16, -9, 3], [38, 0, 3], [16, 9, 3],
    [16, -9, -3], [38, 0, -3], [38, 0, 3], [16, -9, -3], [38, 0, 3], [16, -9, 3],
    [38, 0, -3], [16, 9, -3], [16, 9, 3], [38, 0, -3], [16, 9, 3], [38, 0, 3],
  ]),
  ball: turned([[0, -1], [0.5, -0.87], [0.87, -0.5], [1, 0], [0.87, 0.5], [0.5, 0.87], [0, 1]], 10),
  gem: turned([[0, -1], [1, 0], [0, 1]], 4),
  flag: turned([[0, -24], [2, -24], [2, 40], [0, 40]], 6),
  cloth: withNormals([[0, 0, 40], [0, 0, 12], [30, 0, 26], [0, 0.5, 12], [0, 0.5, 40], [30, 0.5, 26]]),
  cell: withNormals([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]]),
};

/** @typedef {keyof typeof SHAPES} Shape */

/** What is drawn of one moment: instances of shapes, and lines. */
export class Picture {
  constructor() {
    /** @type {Record<string, number[]>} */
    this.solids = Object.fromEntries(Object.keys(SHAPES).map((name) => [name, []]));
    /** @type {number[]} */
    this.lines = [];
  }

  clear() {
    for (const name in this.solids) this.solids[name].length = 0;
    this.lines.length = 0;
  }

  /** @param {Shape} shape @param {number[]} at @param {number[]} scale @param {number} yaw Degrees. @param {number[]} color */
  solid(shape, at, scale, yaw, color) {
    const [r, g, b, a = 1] = color;
    this.solids[shape].push(at[0], at[1], at[2], scale[0], scale[1], scale[2], (yaw * Math.PI) / 180, r, g, b, a);
  }

  /** @param {number[]} from @param {number[]} to @param {number[]} color @param {number} width Pixels.
   * @param {number} [fade] How much of the colour is left at its beginning. */
  line(from, to, color, width, fade = 1) {
    const [r, g, b, a = 1] = color;
    this.lines.push(from[0], from[1], from[2], to[0], to[1], to[2], r, g, b, a * fade, r, g, b, a, width);
  }
}

/** Draws pictures on a canvas. */
export class Painter {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL 2, which the picture needs");
    this.gl = gl;
    this.canvas = canvas;
    this.surface = this.program(SURFACE, SURFACE_COLOR, ["a_place", "a_normal"]);
    this.solid = this.program(SOLID, SOLID_COLOR, ["a_place", "a_normal", "i_place", "i_scale", "i_yaw", "i_color"]);
    const ofLines = ["a_corner", "i_from", "i_to", "i_color", "i_color_to", "i_width"];
    this.line = this.program(LINE, LINE_COLOR, ofLines);
    this.instances = gl.createBuffer();
    /** @type {Record<string, {array: WebGLVertexArrayObject, corners: number}>} */
    this.shapes = {};
    for (const [name, corners] of Object.entries(SHAPES)) this.shapes[name] = this.shape(corners);
    this.strip = this.lineShape();
    /** @type {{array: WebGLVertexArrayObject, count: number, model: number}[]} */
    this.surfaces = [];
    this.heights = [0, 1];
  }

  /** @param {string} vertex @param {string} fragment @param {string[]} attributes By their places. */
  program(vertex, fragment, attributes) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of /** @type {[number, string][]} */ ([
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ])) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(type));
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    attributes.forEach((name, place) => gl.bindAttribLocation(program, place, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "");
    const uniform = (/** @type {string} */ name) => gl.getUniformLocation(program, name);
    return { program, uniform };
  }

  /** Attributes of 32-bit floats that lie one behind the other.
   * @param {number} first @param {number[]} sizes @param {number} [step] 1 for those of instances. */
  attributes(first, sizes, step = 0) {
    const { gl } = this;
    const stride = sizes.reduce((all, size) => all + size, 0) * 4;
    let at = 0;
    sizes.forEach((size, n) => {
      gl.enableVertexAttribArray(first + n);
      gl.vertexAttribPointer(first + n, size, gl.FLOAT, false, stride, at);
      gl.vertexAttribDivisor(first + n, step);
      at += size * 4;
    });
  }

  /** @param {Float32Array} corners */
  shape(corners) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    this.attributes(0, [3, 3]);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    this.attributes(2, [3, 3, 1, 4], 1);
    return { array, corners: corners.length / 6 };
  }

  lineShape() {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    this.attributes(0, [2]);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    this.attributes(1, [3, 3, 4, 4, 1], 1);
    return array;
  }

  /** What the level is made of: surfaces, each with the number of the model that moves it, 0 for none.
   * @param {{corners: Float32Array, indices: Uint32Array, model: number}[]} surfaces Six numbers a corner: place, normal.
   * @param {number[]} heights The lowest and the highest. */
  setLevel(surfaces, heights) {
    const { gl } = this;
    this.heights = heights;
    for (const { array } of this.surfaces) gl.deleteVertexArray(array);
    this.surfaces = surfaces.map(({ corners, indices, model }) => {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
      this.attributes(0, [3, 3]);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
      gl.bindVertexArray(null);
      return { array, count: indices.length, model };
    });
  }

  /** Fits the picture to the size of the canvas on the screen. Gives its width by its height. */
  resize() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((v) => Math.max(1, Math.round(v * scale)));
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    return width / height;
  }

  /** @param {Picture} picture @param {Float32Array} matrix @param {number[]} eye @param {Palette} palette
   * @param {Map<number, number[][]>} movers Where the models stand that move, by number. */
  draw(picture, matrix, eye, palette, movers) {
    const { gl } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(palette.background[0], palette.background[1], palette.background[2], 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    // Where two surfaces are one, the later is seen: in the first picture, too.
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.drawSurfaces(matrix, eye, palette, movers);
    gl.useProgram(this.solid.program);
    gl.uniformMatrix4fv(this.solid.uniform("u_matrix"), false, matrix);
    // What is hidden shines through a little.
    gl.depthMask(false);
    gl.depthFunc(gl.GREATER);
    gl.uniform1f(this.solid.uniform("u_ghost"), 0.28);
    this.drawSolids(picture, ["player", "arrow", "flag", "cloth"]);
    gl.depthMask(true);
    gl.depthFunc(gl.LEQUAL);
    gl.uniform1f(this.solid.uniform("u_ghost"), 1);
    this.drawSolids(picture, ["player", "arrow", "gem", "flag", "cloth"]);
    gl.depthMask(false);
    this.drawSolids(picture, ["cell", "ball"]);
    this.drawLines(picture, matrix);
    gl.depthMask(true);
  }

  /** @param {Float32Array} matrix @param {number[]} eye @param {Palette} palette @param {Map<number, number[][]>} movers */
  drawSurfaces(matrix, eye, palette, movers) {
    const { gl, surface } = this;
    gl.useProgram(surface.program);
    gl.uniformMatrix4fv(surface.uniform("u_matrix"), false, matrix);
    gl.uniform3fv(surface.uniform("u_low"), palette.low);
    gl.uniform3fv(surface.uniform("u_high"), palette.high);
    gl.uniform3fv(surface.uniform("u_background"), palette.background);
    gl.uniform3fv(surface.uniform("u_eye"), eye);
    gl.uniform2fv(surface.uniform("u_heights"), this.heights);
    gl.uniform1f(surface.uniform("u_grid"), palette.grid);
    gl.enable(gl.CULL_FACE);
    for (const { array, count, model } of this.surfaces) {
      gl.bindVertexArray(array);
      const places = model ? (movers.get(model) ?? []) : [[0, 0, 0]];
      for (const place of places) {
        gl.uniform3fv(surface.uniform("u_offset"), place);
        gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
      }
    }
    gl.disable(gl.CULL_FACE);
  }

  /** @param {Picture} picture @param {string[]} names */
  drawSolids(picture, names) {
    const { gl } = this;
    for (const name of names) {
      const instances = picture.solids[name];
      if (!instances.length) continue;
      gl.bindVertexArray(this.shapes[name].array);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(instances), gl.STREAM_DRAW);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, this.shapes[name].corners, instances.length / SOLID_SIZE);
    }
  }

  /** @param {Picture} picture @param {Float32Array} matrix */
  drawLines(picture, matrix) {
    const { gl } = this;
    if (!picture.lines.length) return;
    gl.useProgram(this.line.program);
    gl.uniformMatrix4fv(this.line.uniform("u_matrix"), false, matrix);
    gl.uniform2f(this.line.uniform("u_size"), this.canvas.width, this.canvas.height);
    gl.bindVertexArray(this.strip);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(picture.lines), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, picture.lines.length / LINE_SIZE);
  }
}
