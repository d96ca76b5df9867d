// What the page knows of the run. Views read it, and hear of what changes.

import { Wiring } from "./strips.js";

/**
 * Something that can be turned, as `GET /controls` describes it.
 * @typedef {object} Control
 * @property {string} pointer where the document has it
 * @property {string} node
 * @property {string} component
 * @property {"global" | "input" | "output"} scope
 * @property {number} element
 * @property {?string} elementName
 * @property {boolean} isUsed whether the bus is connected
 * @property {string} name
 * @property {string} title
 * @property {string} summary
 * @property {"gain" | "decibels" | "pan" | "angle" | "distance" | "frequency" | "switch" | "list"
 *   | "number"} kind
 * @property {string} unit
 * @property {string} symbol
 * @property {?number} minimum
 * @property {?number} maximum
 * @property {any} default
 * @property {any} value what it is, as far as the server has said
 * @property {{ value: any, title: string }[]} choices
 * @property {boolean} isWritable
 * @property {boolean} isInDocument
 * @property {boolean} isProperty
 * @property {boolean} isScheduled whether the timeline moves it
 */

/** The same value, whatever it is made of. */
export const same = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** What of a control may become another while its view stays. */
const passing = new Set(["value", "isInDocument", "isScheduled"]);

/** Whether two controls differ in what passes only. Thousands are compared: not by way of a text. */
function isAlike(one, other) {
  for (const key in one) {
    if (passing.has(key) || one[key] === other[key]) continue;
    if (typeof one[key] !== "object" || one[key] === null || !same(one[key], other[key])) return false;
  }
  return true;
}

export class Model extends EventTarget {
  /** @type {Map<string, Control>} by pointer */
  controls = new Map();
  /** Another where there are other controls. */
  version = 0;
  /** What is shown: ahead of the server's while a value is on its way. */
  #shown = new Map();
  /** Pointers whose shown value is not to be replaced by the server's. */
  held = new Set();
  /** @type {Map<string, Set<(value: any) => void>>} */
  #watchers = new Map();
  /** What `GET /status` answers. @type {any} */
  status = null;
  /** @type {"" | "open" | "lost" | "ended"} */
  connection = "";
  /** What feeds an input, by `node/input/0`. @type {Map<string, string>} */
  feeds = new Map();
  /** How late what crosses a bus is, where it is, by `node/output/0`. @type {Map<string, string>} */
  latencies = new Map();
  /** The program's drawing of the graph. */
  drawing = "";
  /** How the nodes are connected. */
  wiring = new Wiring([]);
  /** Whether that is known yet. */
  isWired = false;
  /** The format of what each input is fed, as the drawing says it. @type {Map<string, string>} */
  formats = new Map();
  /** Whether a ramp of the timeline is under way, as far as the document knows. */
  isRamping = false;
  /** What the timeline of the document ramps. @type {Set<string>} */
  ramped = new Set();
  /** The number of each group's colour. @type {Map<string, number>} */
  hues = new Map();
  /** The callbacks of the graph, by name. @type {Set<string>} */
  sources = new Set();
  /**
   * What is chosen: the nodes that it is about, each with the buses of it (`null` for all), and the strip or the
   * connection where it is one.
   * @type {?{ nodes: Map<string, ?Set<string>>, main: string, strip?: import("./strips.js").Strip,
   *   edge?: { from: string, to: string } }}
   */
  selected = null;
  /** The document that plays: its text, its tag, and what it says (null where it has comments). */
  text = "";
  tag = "";
  document = null;

  /** @type {?{ from: string, to: string }[]} */
  #edges = null;

  select(selected) {
    this.selected = selected;
    this.tell("selected", selected);
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  hear(name, call) {
    this.addEventListener(name, (event) => call(event.detail));
  }

  value(pointer) {
    return this.#shown.has(pointer) ? this.#shown.get(pointer) : this.controls.get(pointer)?.value;
  }

  /** Calls now and whenever the shown value becomes another. Returns what ends that. */
  watch(pointer, call) {
    const watchers = this.#watchers.get(pointer) ?? new Set();
    this.#watchers.set(pointer, watchers.add(call));
    call(this.value(pointer));
    return () => watchers.delete(call);
  }

  /** Shows a value that the server has not confirmed. */
  show(pointer, value) {
    if (same(this.value(pointer), value)) return;
    this.#shown.set(pointer, value);
    this.#notify(pointer);
  }

  /** What the server says: a value, or `undefined` for the one that it has said last. */
  confirm(pointer, value) {
    const control = this.controls.get(pointer);
    if (!control) return;
    const before = this.value(pointer);
    if (value !== undefined) control.value = value;
    this.#shown.delete(pointer);
    if (!same(before, control.value)) this.#notify(pointer);
  }

  #notify(pointer) {
    const value = this.value(pointer);
    for (const call of this.#watchers.get(pointer) ?? []) call(value);
    this.tell("value", pointer);
  }

  /** Takes what `GET /controls` has answered. Tells `controls` where there are others now. */
  setControls(list) {
    const isSame = list.length === this.controls.size
      && list.every((control) => {
        const known = this.controls.get(control.pointer);
        return known && isAlike(known, control);
      });
    if (!isSame) {
      this.controls = new Map(list.map((control) => [control.pointer, control]));
      this.version += 1;
      for (const pointer of this.#watchers.keys()) {
        if (!this.controls.has(pointer)) this.#watchers.delete(pointer);
      }
      this.tell("controls");
    }
    for (const control of list) {
      const known = this.controls.get(control.pointer);
      known.isInDocument = control.isInDocument;
      known.isScheduled = control.isScheduled;
      if (this.held.has(control.pointer)) known.value = control.value;
      else if (isSame) this.confirm(control.pointer, control.value);
      else {
        this.#shown.delete(control.pointer);
        const value = this.value(control.pointer);
        for (const call of this.#watchers.get(control.pointer) ?? []) call(value);
      }
    }
    // Of thousands one word is enough.
    if (!isSame) this.tell("value", "");
    this.tell("values");
  }

  /**
   * Takes what `GET /controls?form=values` has answered: all others are at their defaults.
   * @param {{ pointer: string, value: any, isInDocument: boolean, isScheduled: boolean }[]} list
   */
  setValues(list) {
    const said = new Map(list.map((one) => [one.pointer, one]));
    for (const control of this.controls.values()) {
      const { value = control.default, isInDocument = false, isScheduled = false } = said.get(control.pointer) ?? {};
      control.isInDocument = isInDocument;
      control.isScheduled = isScheduled;
      if (this.held.has(control.pointer)) control.value = value;
      else if (control.value !== value || this.#shown.has(control.pointer)) this.confirm(control.pointer, value);
    }
    this.tell("values");
  }

  setStatus(status) {
    this.status = { ...this.status, ...status };
    this.tell("status", this.status);
  }

  setDocument(text, tag) {
    if (tag === this.tag) return;
    this.text = text;
    this.tag = tag;
    this.document = readJSON(text);
    this.tell("document");
  }

  /** @param {{ from: string, to: string }[]} edges */
  setFeeds(feeds, latencies, edges, sources) {
    const isSame = same([...feeds], [...this.feeds]) && same([...latencies], [...this.latencies])
      && same(edges, this.#edges);
    this.sources = sources;
    if (isSame) return;
    this.#edges = edges;
    this.isWired = true;
    this.wiring = new Wiring(edges);
    this.feeds = feeds;
    this.latencies = latencies;
    this.tell("feeds");
  }

  /** What an element of a node is called: "Input 1 · guitar". */
  elementTitle({ scope, element, node, elementName }) {
    const bus = `${scope === "input" ? "Input" : "Output"} ${element}`;
    const name = elementName || this.feeds.get(`${node}/${scope}/${element}`);
    return name ? `${bus} · ${name}` : bus;
  }

  /** What a control is called by itself: "Volume, mixer input 0 (guitar)". */
  fullTitle(control) {
    if (control.scope === "global") return `${control.title}, ${control.node}`;
    const name = control.elementName
      || this.feeds.get(`${control.node}/${control.scope}/${control.element}`);
    return `${control.title}, ${control.node} ${control.scope} ${control.element}`
      + (name ? ` (${name})` : "");
  }
}

/** The tokens of a JSON Pointer. */
export const tokens = (pointer) =>
  pointer.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

/** What a text of JSON says; also one with comments, and with commas that end a list. `null` for what is neither. */
export function readJSON(text) {
  try {
    return JSON.parse(text);
  } catch {
    const plain = text.replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (all, string) => string ?? " ")
      .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (all, string) => string ?? "");
    try {
      return JSON.parse(plain);
    } catch {
      return null;
    }
  }
}
