"use strict";
// The page around the viewer: takes a file, asks the library in a worker, and shows what it tells. What a recording says is
// only ever text here; the pages that the library writes stand in frames that reach nothing.

(() => {
  /** Rows of a table, and bytes of text, that are shown; a download has all. */
  const MOST_ROWS = 2000;
  const MOST_TEXT = 300_000;
  /** The library has room for no more bytes of a file than this; some browsers give a page no more of them at once, either. */
  const MOST_FILE = 0x7fff_ffff;

  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

  /** An element. @param {string} name @param {Record<string, any>} [is] @param {...(Node|string)} holds */
  function element(name, is = {}, ...holds) {
    const made = Object.assign(document.createElement(name), is);
    made.append(...holds);
    return made;
  }

  /** Bytes that stand packed in the page. @param {string} id */
  async function unpacked(id) {
    const packed = Uint8Array.from(atob(byId(id).textContent ?? ""), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }

  /** The library, in a worker of its own. */
  class Library {
    constructor() {
      /** @type {Map<number, {resolve: (answer: any) => void, reject: (fault: Error) => void}>} */
      this.waiting = new Map();
      this.asked = 0;
      /** @type {Promise<Worker>|null} */
      this.worker = null;
      /** @type {string[]} */
      this.tables = [];
      /** How the recording was opened, for a worker that begins anew. @type {(() => Promise<any[]>)|null} */
      this.opening = null;
    }

    async begin() {
      const [script, wasm] = await Promise.all([unpacked("worker"), unpacked("wasm")]);
      const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
      const worker = new Worker(address);
      worker.onmessage = ({ data: { id, answer, fault, broke } }) => {
        const waits = this.waiting.get(id);
        this.waiting.delete(id);
        if (broke) this.end(worker);
        if (fault === undefined) waits?.resolve(answer);
        else waits?.reject(new Error(fault));
      };
      worker.onerror = (fault) => {
        for (const { reject } of this.waiting.values()) reject(new Error(`the reader did not start: ${fault.message}`));
        this.waiting.clear();
      };
      this.tables = await this.send(worker, "start", [wasm]);
      URL.revokeObjectURL(address);
      return worker;
    }

    /** The next question has a new worker; those that wait have no answer. @param {Worker} worker */
    end(worker) {
      worker.terminate();
      this.worker = null;
      for (const { reject } of this.waiting.values()) reject(new Error("the reader broke over another question: ask again"));
      this.waiting.clear();
    }

    /** @param {Worker} worker @param {string} ask @param {any[]} args @returns {Promise<any>} */
    send(worker, ask, args) {
      const id = this.asked++;
      worker.postMessage({ id, ask, args });
      return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    }

    /** @param {string} ask @param {...any} args */
    async ask(ask, ...args) {
      const isNew = !this.worker;
      this.worker ??= this.begin();
      const worker = await this.worker;
      if (isNew && this.opening) await this.send(worker, "open", await this.opening());
      return this.send(worker, ask, args);
    }

    /** Opens a file: what is asked for then is of the recording in it. @param {() => Promise<any[]>} opening */
    async open(opening) {
      const args = await opening();
      this.worker ??= this.begin();
      const opened = await this.send(await this.worker, "open", args);
      if (!opened.members.length) this.opening = opening;
      return opened;
    }
  }

  const library = new Library();
  let name = "";
  /** What is shown now: what comes late of something else is dropped. */
  let turn = 0;
  /** Which tab was asked for last, and how many files were. */
  let asked = "View";
  let reads = 0;

  /** @param {string} text */
  function notice(text) {
    byId("notice").hidden = !text;
    byId("notice").textContent = text;
  }

  /** Does something that takes time. @template T @param {Promise<T>} work @returns {Promise<T|undefined>} */
  async function wait(work) {
    const mine = ++turn;
    byId("busy").hidden = false;
    notice("");
    try {
      const done = await work;
      return mine === turn ? done : undefined;
    } catch (fault) {
      if (mine === turn) notice(fault instanceof Error ? fault.message : String(fault));
      return undefined;
    } finally {
      if (mine === turn) byId("busy").hidden = true;
    }
  }

  /** Gives the user a file. @param {string} ending @param {BlobPart} content @param {string} type */
  function save(ending, content, type) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    element("a", { href: address, download: name + ending }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  /** A button that saves what is asked for. @param {string} label @param {string} ending @param {string} type @param {() => Promise<BlobPart>|BlobPart} content */
  function saves(label, ending, type, content) {
    const button = element("button", { textContent: label });
    button.addEventListener("click", async () => {
      const bytes = await wait(Promise.resolve(content()));
      if (bytes !== undefined) save(ending, bytes, type);
    });
    return button;
  }

  /** @param {...(Node|string)} tools */
  const bar = (...tools) => element("div", { className: "tools" }, ...tools);
  /** @param {...(Node|string)} holds */
  const body = (...holds) => element("div", { className: "body" }, ...holds);

  /** Rows of objects as a table: their keys in this order, those without values left out.
   * @param {Record<string, any>[]} rows @param {string[]} [order] */
  function grid(rows, order = []) {
    const keys = new Set(rows.flatMap(Object.keys));
    const heads = [...new Set([...order, ...keys])].filter((key) => keys.has(key));
    const text = (/** @type {any} */ value) => (value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
    const line = (/** @type {Record<string, any>} */ row) => element("tr", {}, ...heads.map((head) => element("td", { textContent: text(row[head]) })));
    const head = element("tr", {}, ...heads.map((it) => element("th", { scope: "col", textContent: it })));
    return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows.map(line)));
  }

  /** An object as a table of names and values, tables within it. @param {Record<string, any>} of @returns {HTMLElement} */
  function facts(of) {
    const value = (/** @type {any} */ it) => {
      const isObject = (/** @type {any} */ thing) => typeof thing === "object" && thing !== null && !Array.isArray(thing);
      if (Array.isArray(it)) return isObject(it[0]) ? grid(it) : it.join(", ");
      return isObject(it) ? facts(it) : String(it);
    };
    const told = Object.entries(of).filter(([, it]) => it !== null && !(Array.isArray(it) && !it.length));
    const rows = told.map(([key, it]) => element("tr", {}, element("th", { scope: "row", textContent: key }), element("td", {}, value(it))));
    return element("table", {}, element("tbody", {}, ...rows));
  }

  /** A page of the library, in a frame. One with a script has no access to this page, and passes on what is dropped on it. One
   * without runs none, by its own policy, and this page hears what is dropped: WebKit would not tell it of that in a sandbox.
   * @param {string} page @param {string} title @param {boolean} hasScript */
  function frame(page, title, hasScript) {
    const made = /** @type {HTMLIFrameElement} */ (element("iframe", { title }));
    if (hasScript) made.setAttribute("sandbox", "allow-scripts");
    made.srcdoc = page;
    made.addEventListener("load", () => made.contentDocument && takeDrops(made.contentDocument));
    return made;
  }

  /** @param {string} chosen */
  async function table(chosen) {
    const bytes = await library.ask("table", chosen, false);
    const lines = new TextDecoder().decode(bytes).split("\n").filter(Boolean);
    const names = library.tables.map((it) => it.split("\t"));
    const select = /** @type {HTMLSelectElement} */ (element("select", { ariaLabel: "Table" }));
    select.append(...names.map(([value, title]) => element("option", { value, textContent: value, title })));
    select.value = chosen;
    select.addEventListener("change", () => void open(`table:${select.value}`));
    const shown = lines.slice(0, MOST_ROWS).map((line) => JSON.parse(line));
    const rest = lines.length > shown.length ? `, the first ${shown.length} of them here` : "";
    const csv = saves("CSV", `.${chosen}.csv`, "text/csv", () => library.ask("table", chosen, true));
    const json = saves("JSON", `.${chosen}.jsonl`, "application/jsonl", () => bytes);
    const [, about, columns] = names.find(([it]) => it === chosen) ?? ["", "", ""];
    return [bar(select, `${lines.length} rows${rest}. ${about}`, csv, json), body(grid(shown, columns.split(",")))];
  }

  /** @param {any} json @param {string} ending @param {HTMLElement} shown */
  const told = (json, ending, shown) => [bar(saves("JSON", ending, "application/json", () => json)), body(shown)];

  /** What tabs show. @type {Record<string, () => Promise<HTMLElement[]>>} */
  const TABS = {
    View: async () => {
      const page = await library.ask("page");
      return [frame(page, "The replay", true), bar(saves("Save this page", ".html", "text/html", () => page))];
    },
    Report: async () => {
      const page = await library.ask("report");
      return [bar(saves("Save this page", ".report.html", "text/html", () => page)), frame(page, "The report", false)];
    },
    Info: async () => {
      const json = await library.ask("info");
      return told(json, ".info.json", facts(JSON.parse(json)));
    },
    Frags: () => table("frags"),
    Chat: () => table("chat"),
    Stats: () => table("stats"),
    Tables: () => table("events"),
    Check: async () => {
      const json = await library.ask("check");
      const { findings } = JSON.parse(json);
      const shown = findings.length ? grid(findings) : element("p", { textContent: "Nothing was found." });
      return told(json, ".check.json", shown);
    },
    Text: async () => {
      const bytes = await library.ask("text");
      const text = new TextDecoder("latin1").decode(bytes.subarray(0, MOST_TEXT));
      const rest = bytes.length > MOST_TEXT ? `${bytes.length} bytes, the first ${MOST_TEXT} of them here` : `${bytes.length} bytes`;
      return [bar(rest, saves("Text", ".txt", "text/plain", () => bytes)), body(element("pre", { textContent: text }))];
    },
  };

  /** Shows a tab, or a table: `table:frags`. @param {string} what */
  async function open(what) {
    asked = what;
    const made = await wait(what.startsWith("table:") ? table(what.slice(6)) : TABS[what]());
    if (!made) return;
    show(what.startsWith("table:") ? "Tables" : what, made);
  }

  /** Puts what a tab shows into the panel. @param {string} tab @param {HTMLElement[]} made */
  function show(tab, made) {
    for (const it of document.querySelectorAll("[role=tab]")) it.setAttribute("aria-selected", String(it.textContent === tab));
    byId("panel").replaceChildren(...made);
    byId("panel").setAttribute("aria-label", tab);
  }

  /** Names what is read. @param {string} of */
  function call(of) {
    name = of;
    byId("name").textContent = name;
    document.title = `${name} - qdemo`;
  }

  /** @param {string} id */
  function only(id) {
    for (const it of ["start", "archive", "panel"]) byId(it).hidden = it !== id;
    byId("tabs").hidden = id !== "panel";
  }

  /** Reads a file. @param {File} file @param {string[]} [within] The archives in it, and what is wanted of them. */
  async function read(file, within = []) {
    const mine = ++reads;
    /** @type {{name: string, members: string[], within: string[]}|undefined} */
    let answer;
    const bytes = async () => {
      const refuse = (/** @type {string} */ why) => new Error(`${file.name} cannot be read: ${why}`);
      if (file.size > MOST_FILE) throw refuse("it is too large for a browser; the command qdemo reads it");
      try {
        return new Uint8Array(await file.arrayBuffer());
      } catch {
        throw refuse("a folder is no file; give one demo, or an archive");
      }
    };
    const work = async () => (answer = await library.open(async () => [file.name, await bytes(), within]));
    const inTime = await wait(work());
    // TypeScript does not see that it was set.
    const opened = /** @type {{name: string, members: string[], within: string[]}|undefined} */ (answer);
    if (!opened || (opened.members.length && !inTime)) return;
    if (opened.members.length) {
      const choose = (/** @type {string} */ it) => {
        const button = element("button", { textContent: it });
        button.addEventListener("click", () => void read(file, [...opened.within, it]));
        return element("li", {}, button);
      };
      call([file.name, ...opened.within].join(":"));
      byId("members").replaceChildren(...opened.members.map(choose));
      only("archive");
      return;
    }
    // It is what the library has from now on, whatever was asked for meanwhile: that is asked for again.
    call(opened.name);
    show("", []);
    only("panel");
    if (mine === reads) await open(inTime ? "View" : asked);
  }

  /** Reads one file of several. @param {File[]} files */
  async function readFirst(files) {
    if (files[0]) await read(files[0]);
    if (files.length > 1 && byId("notice").hidden) notice(`${files.length} files: ${files[0].name} is shown. Drop one at a time, or an archive of them.`);
  }

  /** Reads what is dropped on a document: this one, or one in a frame. @param {Document} on */
  function takeDrops(on) {
    on.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("over");
    });
    on.addEventListener("dragleave", () => document.body.classList.remove("over"));
    on.addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("over");
      void readFirst([...(event.dataTransfer?.files ?? [])]);
    });
  }

  for (const tab of Object.keys(TABS)) {
    const button = element("button", { textContent: tab });
    button.setAttribute("role", "tab");
    button.addEventListener("click", () => void open(tab));
    byId("tabs").append(button);
  }
  // Arrows go from tab to tab; Enter and the space bar open one.
  byId("tabs").addEventListener("keydown", (event) => {
    const all = [...byId("tabs").children];
    const at = all.indexOf(/** @type {Element} */ (document.activeElement));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    /** @type {HTMLElement} */ (all.at(to % all.length)).focus();
  });
  const chooser = /** @type {HTMLInputElement} */ (byId("file"));
  chooser.addEventListener("change", () => {
    const file = chooser.files?.[0];
    if (file) void read(file);
    chooser.value = "";
  });
  takeDrops(document);
  window.addEventListener("message", ({ source, data }) => {
    const dropped = source && source === document.querySelector("iframe")?.contentWindow ? data?.dropped : null;
    if (Array.isArray(dropped)) void readFirst(dropped.filter((it) => it instanceof File));
  });
})();
