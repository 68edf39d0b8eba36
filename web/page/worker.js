// The library, in a worker: the page stays quick while it reads.

/** What stands between it and this script; made by wasm-bindgen.
 * @type {any} */
const qdemo = wasm_bindgen;
/** The recording that is open.
 * @type {any} */
let recording = null;

/** What the page may ask for. @type {Record<string, (...args: any[]) => any>} */
const answers = {
  start: async (/** @type {ArrayBuffer} */ wasm) => {
    await qdemo({ module_or_path: wasm });
    return qdemo.table_names();
  },
  /** Opens a file; of an archive it tells the recordings in it. */
  open: (/** @type {string} */ name, /** @type {Uint8Array} */ file, /** @type {string|undefined} */ member) => {
    const members = member === undefined ? qdemo.members(name, file) : [];
    if (members.length > 1) return { members };
    const opened = new qdemo.Recording(name, file, member ?? members[0]);
    recording?.free();
    recording = opened;
    return { name: recording.name, members: [] };
  },
  page: () => recording.page(),
  report: () => recording.report(),
  info: () => recording.info(),
  check: () => recording.check(),
  text: () => recording.text(),
  table: (/** @type {string} */ name, /** @type {boolean} */ csv) => recording.table(name, csv),
};

self.onmessage = async ({ data: { id, ask, args } }) => {
  try {
    self.postMessage({ id, answer: await answers[ask](...args) });
  } catch (fault) {
    // A message of the library is a text; what else there is means that it broke, and has to begin anew.
    const broke = typeof fault !== "string";
    const message = broke ? `the reader broke: ${fault}` : fault;
    self.postMessage({ id, fault: message, broke });
  }
};
