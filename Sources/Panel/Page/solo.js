// Mute and solo. Both are values of the document, so that everybody sees and saves them: a mute sets `enable` (or,
// where a bus has none, `volume` to 0), and a solo mutes what is mixed with it. What was there before is kept by
// this page, and put back.

import { say } from "./dom.js";

const storeName = "patchrun-solo";

export class Solo {
  #room;
  /** @type {Set<string>} the strips that are to be heard alone */
  #soloed = new Set();
  /** @type {Map<string, any>} what stood at a pointer before a solo of another muted it */
  #before = new Map();
  /** @type {Map<string, any>} the volumes of what was muted by hand */
  #byHand = new Map();
  strips = [];

  constructor(room) {
    this.#room = room;
    try {
      const { soloed, before, byHand } = JSON.parse(sessionStorage.getItem(storeName) ?? "{}");
      this.#soloed = new Set(soloed ?? []);
      this.#before = new Map(before ?? []);
      this.#byHand = new Map(byHand ?? []);
    } catch {
      // What is not to be read is not there.
    }
    room.model.hear("stepped", ({ memo, isBack }) => {
      if (!memo.solo) return;
      const [soloed, before] = memo.solo[isBack ? 0 : 1];
      this.#soloed = new Set(soloed);
      this.#before = new Map(before);
      this.#store();
    });
  }

  /** What is soloed, to be gone back to. */
  #state() { return [[...this.#soloed], [...this.#before]]; }

  #store() {
    sessionStorage.setItem(storeName,
      JSON.stringify({ soloed: [...this.#soloed], before: [...this.#before], byHand: [...this.#byHand] }));
    this.#room.model.tell("soloed");
  }

  /** Takes the strips of another graph. */
  setStrips(strips) {
    this.strips = strips;
    // Before there are any nothing is known of them.
    if (!strips.length) return;
    const ids = new Set(strips.map((strip) => strip.id));
    for (const id of this.#soloed) if (!ids.has(id)) this.#soloed.delete(id);
    this.#room.model.tell("soloed");
  }

  #switchOf(strip) { return strip.controls.get("enable") ?? strip.fader; }

  /** Whether a strip can be muted. */
  canMute(strip) {
    const control = this.#switchOf(strip);
    return Boolean(control?.isWritable && (control.name === "enable" || control.kind === "gain"));
  }

  canSolo(strip) { return strip.scope === "input" && this.canMute(strip); }

  isMuted(strip) {
    const control = this.#switchOf(strip);
    if (!control) return false;
    const value = this.#room.model.value(control.pointer);
    // 0 dB is no silence.
    return control.name === "enable" ? value === false || value === 0 : control.kind === "gain" && value === 0;
  }

  isSoloed(strip) { return this.#soloed.has(strip.id); }
  get soloedStrips() { return this.strips.filter((strip) => this.#soloed.has(strip.id)); }

  /** Whether a strip is silent because of others. */
  isSoloedOut(strip) {
    const control = this.#switchOf(strip);
    return this.#soloed.size > 0 && !this.isSoloed(strip) && Boolean(control) && this.isMuted(strip)
      && this.#before.has(control.pointer);
  }

  #silence(control) { return control.name === "enable" ? false : 0; }

  mute(strip) {
    const { changes, model } = this.#room;
    const control = this.#switchOf(strip);
    if (!control || !this.canMute(strip)) return;
    const isMuted = this.isMuted(strip);
    const back = control.name === "enable" ? true
      : this.#before.get(control.pointer) ?? this.#byHand.get(control.pointer) ?? (control.default || 1);
    this.#before.delete(control.pointer);
    if (isMuted) this.#byHand.delete(control.pointer);
    else if (control.name !== "enable") this.#byHand.set(control.pointer, model.value(control.pointer));
    changes.endGesture();
    changes.set({ [control.pointer]: isMuted ? back : this.#silence(control) },
      `${isMuted ? "unmute" : "mute"} ${strip.name}`);
    changes.endGesture();
    this.#store();
  }

  /** @param {boolean} isOnly whether the others are soloed no more */
  solo(strip, isOnly = false) {
    if (!this.canSolo(strip)) return;
    const then = this.#state();
    if (this.#soloed.has(strip.id)) this.#soloed.delete(strip.id);
    else {
      if (isOnly) this.#soloed.clear();
      this.#soloed.add(strip.id);
    }
    this.#apply(this.#soloed.has(strip.id) ? `solo ${strip.name}` : `no more solo of ${strip.name}`, then);
  }

  clear() {
    const then = this.#state();
    this.#soloed.clear();
    this.#apply("no more solo", then);
  }

  #apply(label, then) {
    const { changes, model } = this.#room;
    const silent = new Set();
    const soloed = this.soloedStrips;
    if (soloed.length) {
      const { wiring } = model;
      // On the way of what is heard, before it or behind it, nothing is silenced.
      const behind = wiring.reach(soloed.map((strip) => strip.node), true);
      const feeds = (strip) => wiring.feeds.get(strip.id)?.replace(/\/output\/\d+$/, "");
      const sources = soloed.map(feeds).filter(Boolean);
      const ahead = wiring.reach(sources, false);
      const isKept = (strip) => {
        if (this.#soloed.has(strip.id)) return true;
        const from = feeds(strip);
        if (ahead.has(strip.node)) return true;
        return from !== undefined && soloed.some((one) => wiring.reach([one.node], true).has(from));
      };
      for (const strip of this.strips) {
        if (this.canSolo(strip) && behind.has(strip.node) && !isKept(strip)) silent.add(strip);
      }
    }
    const values = {};
    for (const strip of this.strips) {
      const control = this.#switchOf(strip);
      if (!control || strip.scope !== "input") continue;
      const { pointer } = control;
      if (silent.has(strip)) {
        if (this.isMuted(strip)) continue;
        this.#before.set(pointer, model.value(pointer));
        values[pointer] = this.#silence(control);
      } else if (this.#before.has(pointer)) {
        const value = this.#before.get(pointer);
        // Somebody may have turned it on since then.
        if (this.isMuted(strip)) values[pointer] = value;
        this.#before.delete(pointer);
      }
    }
    changes.endGesture();
    if (Object.keys(values).length) changes.set(values, label, { solo: [then, this.#state()] });
    changes.endGesture();
    this.#store();
  }

  /** What a press would write, in a sentence. */
  sentence(strip, isSolo) {
    const control = this.#switchOf(strip);
    if (!control) return "";
    const what = control.name === "enable" ? "'enable'" : "'volume'";
    return isSolo
      ? "Solo: sets 'enable' (or 'volume') of what is mixed with it to off in the patch; again puts it back"
      : `Mute: sets ${what} of this bus in the patch`;
  }

  /** Writes what is muted and soloed. */
  write(element) {
    const muted = this.strips.filter((strip) => this.isMuted(strip)).length;
    say(element, `Muted ${muted} · Solo ${this.#soloed.size}`);
  }
}
