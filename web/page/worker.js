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
  /** Opens a file; of an archive it tells the recordings and the archives in it, where there are several, and where they are. */
  open: (/** @type {string} */ name, /** @type {Uint8Array} */ file, /** @type {string[]} */ within) => {
    for (;;) {
      const members = qdemo.members(name, file, within);
      if (members.length > 1) return { members, within };
      if (!members.length) break;
      within = [...within, members[0]];
    }
    const opened = new qdemo.Recording(name, file, within);
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
