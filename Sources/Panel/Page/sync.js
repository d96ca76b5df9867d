// Keeps the model in step with the run: reads it, hears of its events, and comes back after a break.

import { openEvents, readControls, readDocument, readGraph, readStatus, readValues, Unreachable } from "./server.js";
import { settled } from "./dom.js";

const retryTime = 1500;
const statusTime = 1000;
const foreignTime = 200;

export class Sync {
  #model;
  #messages;
  /** @type {?EventSource} */
  #events = null;
  #timer = 0;
  #controlsTimer = 0;
  #hasEnded = false;
  #turns = 0;
  #graphTag = "";
  /** The document that the controls were read of. */
  #readTag = "";
  #list = "";
  #isOwn = () => false;
  #foreign = new Set();
  #metersPerSecond;

  constructor(model, messages) {
    this.#model = model;
    this.#messages = messages;
    // Who wants less to move gets numbers that can be read.
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.#metersPerSecond = calm.matches ? 4 : 22;
    calm.addEventListener("change", () => {
      this.#metersPerSecond = calm.matches ? 4 : 22;
      this.#open();
    });
    // A page that nobody sees takes nothing of the run's time, and none of the browser's connections.
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#close();
      else this.#open();
    });
    setInterval(() => this.#readStatus(), statusTime);
    setInterval(() => this.#followTimeline(), 500);
  }

  /**
   * Reads what it takes to turn something.
   * @param {(tag: string) => ?boolean} isOwn whether this page has made a document
   */
  async start(isOwn) {
    this.#isOwn = isOwn;
    await this.#all([this.#readStatus(), this.readControls(), this.readGraph()]);
  }

  /** Hears of what happens from now on, and reads the document. */
  async follow() {
    this.#open();
    await this.#all([this.readDocument()]);
  }

  /** Everything anew. */
  async readAll() {
    await this.#all([this.#readStatus(), this.readControls(), this.readGraph(), this.readDocument()]);
  }

  async #all(reads) {
    await Promise.all(reads.map((one) => one.catch((error) => this.#note(error))));
  }

  #note(error) {
    if (!(error instanceof Unreachable)) this.#messages.show("reading", "Not read", error.message);
  }

  // Events

  #close() {
    clearTimeout(this.#timer);
    this.#events?.close();
    this.#events = null;
  }

  #open() {
    this.#close();
    if (document.hidden) return;
    const events = openEvents(this.#metersPerSecond);
    this.#events = events;
    events.onopen = () => {
      if (this.#model.connection && this.#model.connection !== "open") this.readAll();
      this.#hasEnded = false;
      this.#connection("open");
    };
    events.onerror = () => {
      this.#close();
      if (!this.#hasEnded) this.#connection("lost");
      this.#timer = setTimeout(() => this.#open(), retryTime);
    };
    const hear = (name, call) =>
      events.addEventListener(name, (event) => call(JSON.parse(event.data)));
    hear("meters", (data) => this.#model.tell("meters", data.meters));
    hear("status", (data) => {
      // The connection may have been away, or not there yet, while others changed something.
      if (this.#model.tag && data.tag !== this.#model.tag) this.hasChanged(data.tag);
      else if (this.#readTag && data.tag !== this.#readTag) {
        this.#again(() => this.readControls());
        this.#again(() => this.readGraph());
      }
      this.#model.setStatus(data);
    });
    for (const name of
      ["started", "changed", "refused", "xrun", "underrun", "file", "route", "interruption", "device", "warning",
        "state", "saved",
        "ended"]) {
      hear(name, (data) => this.#heard(name, data));
    }
  }

  #heard(name, data) {
    this.#model.tell("event", { name, data });
    switch (name) {
      case "started":
        this.readAll();
        break;
      case "changed":
        this.hasChanged(data.tag);
        break;
      case "xrun":
        this.#model.setStatus({ underruns: data.underruns, overruns: data.overruns });
        break;
      case "state":
        this.#model.setStatus({ state: data.state });
        break;
      case "saved":
        this.#readStatus();
        break;
      case "ended":
        this.#hasEnded = true;
        this.#model.setStatus({ state: "ended" });
        this.#connection("ended", data.reason === "failed" ? data.message : "");
        break;
    }
  }

  #connection(state, reason = "") {
    if (this.#model.connection === state) return;
    this.#model.connection = state;
    this.#model.tell("connection", { state, reason });
  }

  // What has been changed is read again, not more often than one can follow.

  /** Another document plays: whoever has changed it. */
  hasChanged(tag) {
    if (tag === this.#model.tag) return;
    this.#foreign.add(tag);
    this.#controlsTimer ||= setTimeout(() => this.#readForeign(), foreignTime);
    this.#controlsSettle();
    this.#documentSettles();
    this.#graphSettles();
  }

  /** What this page has changed it knows; what others have is read while they still turn. */
  #readForeign() {
    this.#controlsTimer = 0;
    const tags = [...this.#foreign].map((tag) => [tag, this.#isOwn(tag)]);
    this.#foreign = new Set(tags.filter(([, isOwn]) => isOwn === undefined).map(([tag]) => tag));
    if (this.#foreign.size) this.#controlsTimer = setTimeout(() => this.#readForeign(), foreignTime);
    if (tags.some(([, isOwn]) => isOwn === false)) this.#again(() => this.readControls());
  }

  #controlsSettle = settled(500, () => this.#again(() => this.readControls()));
  #documentSettles = settled(300, () => {
    this.#again(() => this.readDocument());
    this.#readStatus();
  });
  #graphSettles = settled(600, () => this.#again(() => this.readGraph()));

  #again(read) {
    read().catch((error) => this.#note(error));
  }

  /** What the timeline moves is read again and again while it does. */
  #followTimeline() {
    if (document.hidden || this.#model.connection !== "open") return;
    this.#turns += 1;
    // The ramps of a sub-graph stand in its own file: when they go nobody tells, so they are looked after slowly.
    const isMoved = this.#model.isRamping || (this.#turns % 4 === 0 && [...this.#model.controls.values()]
      .some((control) => control.isScheduled && !this.#model.ramped.has(control.pointer)));
    if (isMoved && this.#model.status?.state === "playing") this.#again(() => this.readControls());
  }

  async #readStatus() {
    if (document.hidden || this.#model.connection === "ended") return;
    try {
      const status = await readStatus();
      this.#model.setStatus(status);
      // Not every change has an event: of a title nothing is heard.
      if (this.#model.tag && status.tag !== this.#model.tag) this.hasChanged(status.tag);
    } catch (error) {
      this.#note(error);
    }
  }

  /** Which controls there are is asked once, what they say again and again. */
  async readControls() {
    if (this.#list) {
      const { tag, list, values } = await readValues();
      this.#readTag = tag;
      if (list === this.#list) {
        this.#model.setValues(values);
        return;
      }
    }
    const { tag, list, controls } = await readControls();
    this.#readTag = tag;
    this.#list = list;
    this.#model.setControls(controls);
  }

  async readDocument() {
    const { text, tag } = await readDocument();
    this.#model.setDocument(text, tag);
  }

  async readGraph() {
    const { text, tag } = await readGraph();
    if (tag && tag === this.#graphTag) return;
    this.#graphTag = tag;
    this.#model.drawing = text;
    this.#model.tell("graph", text);
  }
}
