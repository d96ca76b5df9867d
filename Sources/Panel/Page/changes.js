// Every change of a value goes through here: it is shown at once, sent at a measured pace, taken back
// where it is refused, and remembered to be undone.

import { mergeDocument, patchDocument, readDocument, Refused, replaceDocument } from "./server.js";
import { same, tokens } from "./model.js";
import { settled } from "./dom.js";
import { valueText } from "./controls.js";

const storeName = "patchrun-undo";
/** What is kept over a reload is not larger, in characters. */
const mostKept = 2_000_000;

/** At most about thirty requests a second: the last value wins. */
const pace = 33;
/** Changes of one control that follow each other so closely, in milliseconds, are undone as one. */
const together = 900;
const depth = 200;

/**
 * What can be undone: values by pointer, `undefined` for one that the document has not.
 * @typedef {object} Entry
 * @property {string} label
 * @property {Map<string, any>} before
 * @property {Map<string, any>} after
 * @property {Map<string, number>} missing how much of a pointer the document had
 */

/** How many tokens of a pointer lead to something in a document. */
function knownDepth(document, path) {
  let value = document;
  for (let index = 0; index < path.length; index += 1) {
    if (typeof value !== "object" || value === null || !(path[index] in value)) return index;
    value = value[path[index]];
  }
  return path.length;
}

/** The least that has to go so that nothing is left of what setting a value has made. */
function removal(document, path, depthBefore) {
  let shortest = path.length;
  for (let length = path.length - 1; length > depthBefore; length -= 1) {
    let value = document;
    for (const token of path.slice(0, length)) value = value?.[token];
    if (typeof value !== "object" || value === null || Object.keys(value).length !== 1) break;
    shortest = length;
  }
  return path.slice(0, shortest);
}

const isPlain = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export class Changes {
  #model;
  #sync;
  #messages;
  /** @type {Map<string, { value: any, entry: ?Entry, depthBefore: number }>} */
  #waiting = new Map();
  #isSending = false;
  #lastSent = 0;
  /** @type {(Entry | { label: string, texts: [string, string], type: string })[]} */
  #done = [];
  #undone = [];
  /** @type {?Entry} */
  #open = null;
  #lastSet = 0;
  /** Tags of documents that this page has made. */
  #ownTags = new Set();

  constructor(model, sync, messages) {
    this.#model = model;
    this.#sync = sync;
    this.#messages = messages;
    model.hear("history", () => this.#keep());
  }

  // What can be undone survives a reload, as long as the same file plays.

  #hasRestored = false;

  #keep = settled(150, () => {
    // JSON has no `undefined`, which is a value that the document does not have.
    const plain = (map) => [...map].map(([pointer, value]) => [pointer, value === undefined ? {} : { value }]);
    const kept = (list) => list.map((entry) => (entry.texts ? entry : {
      ...entry, before: plain(entry.before), after: plain(entry.after), missing: [...entry.missing],
    }));
    const text = JSON.stringify({ file: this.#model.status?.file, done: kept(this.#done), undone: kept(this.#undone) });
    try {
      if (text.length <= mostKept) sessionStorage.setItem(storeName, text);
      else sessionStorage.removeItem(storeName);
    } catch {
      // There is no room: then a reload forgets.
    }
  });

  /** Takes what was kept before a reload. To ask for it has a browser wait: not before there is something to turn. */
  restore() {
    try {
      const { file, done, undone } = JSON.parse(sessionStorage.getItem(storeName) ?? "null") ?? {};
      if (!file) return;
      const map = (list) => new Map(list.map(([pointer, value]) => [pointer, value.value]));
      const entries = (list) => list.map((entry) => (entry.texts ? entry : {
        ...entry, before: map(entry.before), after: map(entry.after), missing: new Map(entry.missing),
      }));
      const take = (status) => {
        if (this.#hasRestored || !status?.file) return;
        this.#hasRestored = true;
        if (status.file !== file) return;
        // What was done meanwhile came after it.
        if (!this.#done.length) this.#undone = entries(undone);
        this.#done = [...entries(done), ...this.#done];
        this.#model.tell("history");
      };
      take(this.#model.status);
      this.#model.hear("status", take);
    } catch {
      // As if nothing had been done.
    }
  }

  /** What an entry did, in words: "Volume, mixer input 0 to −6.0 dB". */
  describe(entry) {
    if (entry.texts || entry.isNamed) return entry.label;
    const [pointer] = entry.after.keys();
    const control = this.#model.controls.get(pointer);
    if (!control) return entry.label;
    const value = entry.after.get(pointer);
    const more = entry.after.size > 1 ? ` and ${entry.after.size - 1} more` : "";
    return `${entry.label} to ${valueText(control, value === undefined ? control.default : value)}${more}`;
  }

  /** What was done and is undone, the last first. */
  get history() {
    return [...this.#undone.map((entry) => ({ text: this.describe(entry), isUndone: true })),
      ...this.#done.map((entry) => ({ text: this.describe(entry), isUndone: false })).reverse()];
  }

  /** Whether a document is this page's: `undefined` while an answer is not there yet. */
  isOwn(tag) {
    if (this.#ownTags.has(tag)) return true;
    return this.#isSending ? undefined : false;
  }

  get undoLabel() { return this.#done.length ? this.describe(this.#done.at(-1)) : undefined; }
  get redoLabel() { return this.#undone.length ? this.describe(this.#undone.at(-1)) : undefined; }

  /**
   * Sets values by pointer. Those that follow closely, of the same controls, are undone as one.
   * @param {Record<string, any>} values
   * @param {string} [label] what it is called where it can be undone
   * @param {any} [memo] what `stepped` is told with when it is undone or redone
   */
  set(values, label, memo) {
    const pointers = Object.keys(values).filter(
      (pointer) => !same(this.#model.value(pointer), values[pointer]));
    if (!pointers.length) return;
    const entry = this.#entry(Object.keys(values), label);
    if (memo !== undefined) entry.memo = memo;
    for (const pointer of pointers) this.#hold(pointer, values[pointer], entry);
    this.#pump();
  }

  /** What follows is undone by itself. */
  endGesture() {
    this.#open = null;
  }

  #entry(pointers, label) {
    const now = performance.now();
    const isClose = now - this.#lastSet < together;
    this.#lastSet = now;
    const open = this.#open;
    if (open && isClose && pointers.every((pointer) => open.before.has(pointer))) return open;
    const { controls, document } = this.#model;
    const first = controls.get(pointers[0]);
    /** @type {Entry} */
    const entry = {
      label: label ?? (first ? this.#model.fullTitle(first) : pointers[0]), isNamed: label !== undefined,
      before: new Map(), after: new Map(), missing: new Map(),
    };
    for (const pointer of pointers) {
      const control = controls.get(pointer);
      // A value that is on its way will be there by then.
      const isThere = control?.isInDocument || this.#model.held.has(pointer);
      entry.before.set(pointer, isThere ? this.#model.value(pointer) : undefined);
      entry.missing.set(pointer, knownDepth(document, tokens(pointer)));
    }
    this.#open = entry;
    return entry;
  }

  /**
   * Shows a value that is to be sent.
   * @param {any} value `undefined` to take it out of the document
   * @param {?Entry} entry what remembers it; null for what undoes
   * @param {number} depthBefore how much of the pointer there was before the value was set
   */
  #hold(pointer, value, entry, depthBefore = 0) {
    this.#model.held.add(pointer);
    this.#model.show(
      pointer, value === undefined ? this.#model.controls.get(pointer)?.default : value);
    this.#waiting.set(pointer, { value, entry, depthBefore });
  }

  async #pump() {
    if (this.#isSending || !this.#waiting.size) return;
    this.#isSending = true;
    const wait = this.#lastSent + pace - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    this.#lastSent = performance.now();
    const batch = this.#waiting;
    this.#waiting = new Map();
    try {
      const answer = await mergeDocument(this.#merge(batch));
      this.#note(answer.tag);
      for (const [pointer, { value, entry }] of batch) {
        const control = this.#model.controls.get(pointer);
        if (control) {
          control.isInDocument = value !== undefined;
          control.value = value === undefined ? control.default : value;
        }
        this.#release(pointer);
        if (entry) this.#remember(entry, pointer, value);
      }
      this.#messages.clear("refused");
    } catch (error) {
      for (const pointer of batch.keys()) this.#release(pointer);
      this.#report(error, "Not changed");
    }
    this.#isSending = false;
    this.#pump();
  }

  /** A value has been decided upon: unless the next is on its way, the server's is shown. */
  #release(pointer) {
    if (this.#waiting.has(pointer)) return;
    this.#model.held.delete(pointer);
    this.#model.confirm(pointer);
    this.#model.tell("taken", pointer);
  }

  #merge(batch) {
    const root = {};
    for (const [pointer, { value, depthBefore }] of batch) {
      let path = tokens(pointer);
      if (value === undefined) path = removal(this.#model.document, path, depthBefore);
      let object = root;
      for (const token of path.slice(0, -1)) object = object[token] ??= {};
      object[path.at(-1)] = value === undefined ? null : value;
    }
    return root;
  }

  /** A document that this page has made, in another way than by these. */
  own(tag) { this.#note(tag); }

  #note(tag) {
    this.#ownTags.add(tag);
    if (this.#ownTags.size > 500) this.#ownTags.delete(this.#ownTags.values().next().value);
    this.#sync.hasChanged(tag);
  }

  #remember(entry, pointer, value) {
    entry.after.set(pointer, value);
    if (this.#done.at(-1) === entry) {
      this.#model.tell("history");
      return;
    }
    this.#push(entry);
  }

  #push(entry) {
    this.#done.push(entry);
    if (this.#done.length > depth) this.#done.shift();
    this.#undone = [];
    this.#model.tell("history");
  }

  #report(error, title) {
    this.#messages.show("refused", title, error instanceof Refused ? error.text : error.message);
  }

  // Whole documents

  /**
   * Puts another document in the place of the one with a tag.
   * @throws {Refused} where it is wrong (422), or another plays by now (412)
   */
  async replace(text, type, ifMatch) {
    const before = this.#model.text;
    const answer = await replaceDocument(text, type, ifMatch);
    this.#note(answer.tag);
    if (text !== before) {
      this.#push({ label: "the document", texts: [before, text], type, tag: answer.tag });
    }
    return answer;
  }

  /**
   * Changes the structure of the document: operations of RFC 6902, all or none. It is undone as a whole text.
   * @throws {Refused} where what would come of it is wrong
   */
  patch(operations, label) {
    const made = this.#patch(operations, label);
    this.#pending = made.catch(() => {});
    return made;
  }

  /** What is on its way: an undo that came first would be of what was before. @type {Promise<any>} */
  #pending = Promise.resolve();

  async #patch(operations, label) {
    const before = this.#model.text;
    const answer = await this.structure(operations);
    const { text, tag } = this.#model;
    this.#push({ label, texts: [before, text], type: /^\s*[{[]/.test(text) && isPlain(text) ? "application/json" : "application/jsonc", tag });
    return answer;
  }

  /**
   * Changes the structure without a way back. Places in lists are those of the document that this page knows: where
   * somebody else has changed what is connected, nothing is done.
   * @throws {Refused} where what would come of it is wrong (422), or somebody else was faster (412)
   */
  async structure(operations) {
    const build = ({ nodes, connections, callbacks, taps } = {}) =>
      JSON.stringify([Object.keys(nodes ?? {}), connections, Object.keys(callbacks ?? {}), Object.keys(taps ?? {})]);
    const known = build(this.#model.document ?? {});
    const readAgain = async () => {
      await this.#sync.readDocument();
      if (build(this.#model.document ?? {}) === known) return;
      throw new Refused(412, {
        detail: "somebody else has changed the graph meanwhile; what is there now is shown: do it again",
      }, "");
    };
    // What has just been turned is not read again yet.
    if (performance.now() - this.#lastSent < 1500) await readAgain();
    let answer;
    for (let tries = 0; !answer; tries += 1) {
      try {
        answer = await patchDocument(operations, this.#model.tag);
      } catch (error) {
        // Values that were turned meanwhile are no reason.
        if (error.status !== 412 || tries >= 8) throw error;
        await readAgain();
      }
    }
    this.#note(answer.tag);
    const { text, tag } = await readDocument();
    this.#model.setDocument(text, tag);
    return answer;
  }

  // Undo and redo

  undo() { return this.#step(this.#done, this.#undone, true); }
  redo() { return this.#step(this.#undone, this.#done, false); }

  async #step(from, to, isBack) {
    await this.#pending;
    const entry = from.pop();
    if (!entry) return;
    this.#open = null;
    if (entry.texts) {
      try {
        const answer = await replaceDocument(entry.texts[isBack ? 0 : 1], entry.type, entry.tag);
        entry.tag = answer.tag;
        this.#note(answer.tag);
        // What is connected now is known at once: the next change of it is made on that.
        this.#model.setDocument(entry.texts[isBack ? 0 : 1], answer.tag);
        to.push(entry);
      } catch (error) {
        if (error.status === 412) {
          this.#messages.show("refused", "Not undone", "the document has changed since then");
        } else {
          this.#report(error, "Not undone");
        }
      }
    } else {
      // What is to be taken away depends on what is there.
      await this.#sync.readDocument().catch(() => {});
      to.push(entry);
      for (const [pointer, value] of isBack ? entry.before : entry.after) {
        this.#hold(pointer, value, null, entry.missing.get(pointer));
      }
      this.#pump();
      if (entry.memo !== undefined) this.#model.tell("stepped", { memo: entry.memo, isBack });
    }
    this.#model.tell("history");
  }
}
