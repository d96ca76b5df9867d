// Takes: what the patch puts out is recorded by a tap that this page adds, and takes away when the take is over. The
// program writes the file beside the patch; what is drawn here is what the meter has read meanwhile.

import { byId, colour, make, say, sharpen, whenColoursChange } from "./dom.js";
import { readTakes } from "./server.js";
import { levelOf } from "./meters.js";
import { clock } from "./timeline.js";

const size = { width: 300, height: 64 };
/** So many columns a wave has at the most: then two become one. */
const mostColumns = size.width * 2;
const names = { record: "take", meter: "take level" };
const storeName = "patchrun-takes";
const beginName = "patchrun-take";

/** Whether a document has the taps that a page has added for a take. */
export const isTaking = (document) =>
  document?.taps?.[names.record]?.kind === "record" && document.taps[names.meter]?.kind === "meter";

const two = (number) => String(number).padStart(2, "0");

/** A name that no other take has: the day and the second. */
function fileName(title, now = new Date()) {
  const base = (title || "take").replace(/[^\p{L}\p{N} _-]+/gu, "").trim().slice(0, 40) || "take";
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return `${base} ${day} ${two(now.getHours())}-${two(now.getMinutes())}-${two(now.getSeconds())}.wav`;
}

/** What a take looks like: the highest peak of each short time, 0 to 1. */
class Wave {
  columns = [];
  #each = 1;
  #count = 0;
  #highest = 0;

  add(peak) {
    this.#highest = Math.max(this.#highest, peak);
    this.#count += 1;
    if (this.#count < this.#each) return;
    this.columns.push(this.#highest);
    this.#count = this.#highest = 0;
    if (this.columns.length < mostColumns) return;
    this.columns = Array.from({ length: this.columns.length / 2 },
      (_, index) => Math.max(this.columns[2 * index], this.columns[2 * index + 1]));
    this.#each *= 2;
  }

  draw(canvas) {
    const context = sharpen(canvas, size.width, size.height);
    context.fillStyle = colour("screen");
    context.fillRect(0, 0, size.width, size.height);
    const width = size.width / Math.max(this.columns.length, 100);
    this.columns.forEach((peak, index) => {
      const height = Math.max(1, Math.min(1, peak) * (size.height - 6));
      context.fillStyle = colour(peak > 1 ? "meter-over" : "meter-low");
      context.fillRect(index * width, (size.height - height) / 2, Math.max(0.6, width - 0.2), height);
    });
  }
}

export class Recorder {
  #model;
  #changes;
  #messages;
  #button = byId("record");
  #place = byId("takes");
  /** @type {?{ path: string, began: number, wave: Wave, canvas: HTMLCanvasElement, time: HTMLElement, element: HTMLElement }} */
  #take = null;
  #isBusy = false;
  #takes = [];

  constructor({ model, changes }, messages) {
    this.#model = model;
    this.#changes = changes;
    this.#messages = messages;
    try {
      this.#takes = JSON.parse(sessionStorage.getItem(storeName) ?? "[]");
    } catch {
      // Without a list of earlier ones.
    }
    for (const take of this.#takes) this.#place.append(this.#finished(take));
    if (this.#takes.length) this.#offer(0);
    this.#button.addEventListener("click", () => (this.isRecording ? this.stop() : this.begin()));
    model.hear("document", () => this.#follow());
    model.hear("status", () => this.#enable());
    model.hear("meters", (meters) => this.#read(meters));
    whenColoursChange(() => this.#take?.wave.draw(this.#take.canvas));
    setInterval(() => this.#tick(), 250);
    // A take may be under way: the page has been loaded anew, or another has begun it.
    if (model.document) this.#follow();
    if (model.status) this.#enable();
  }

  #enable() {
    this.#button.disabled = ["ended", "stopping", "starting"].includes(this.#model.status?.state);
  }

  get #tap() { return this.#model.document?.taps?.[names.record]; }
  get isRecording() { return this.#tap?.kind === "record"; }

  /** The output that is heard: what feeds the device. */
  #output() {
    const { wiring } = this.#model;
    const ends = [...wiring.feeds].filter(([to]) => wiring.outOf(to.replace(/\/input\/\d+$/, "")).length === 0);
    const own = ends.find(([to]) => (to.match(/\//g) ?? []).length === 2) ?? ends[0];
    if (!own) return "";
    const [, node, number] = own[1].match(/^(.*)\/output\/(\d+)$/) ?? [];
    return number === "0" ? node : `${node}:${number}`;
  }

  async begin() {
    if (this.#isBusy) return;
    const at = this.#output();
    if (!at || this.#model.sources.has(at)) {
      this.#messages.show("recording", "Not recorded", "no node feeds the output: a callback has nothing that a tap could be at");
      return;
    }
    const path = fileName(this.#model.status?.title);
    const tap = { kind: "record", at, path };
    const level = { kind: "meter", at };
    const operations = this.#model.document?.taps
      ? [{ op: "add", path: `/taps/${names.record}`, value: tap }, { op: "add", path: `/taps/${names.meter}`, value: level }]
      : [{ op: "add", path: "/taps", value: { [names.record]: tap, [names.meter]: level } }];
    await this.#ask(operations, "Not recorded");
  }

  async stop() {
    if (this.#isBusy) return;
    const { taps } = this.#model.document ?? {};
    const mine = [names.record, names.meter].filter((name) => taps?.[name]);
    const isAll = Object.keys(taps ?? {}).length === mine.length;
    await this.#ask(isAll ? [{ op: "remove", path: "/taps" }]
      : mine.map((name) => ({ op: "remove", path: `/taps/${name}` })), "Not stopped");
  }

  async #ask(operations, title) {
    this.#isBusy = true;
    try {
      await this.#changes.structure(operations);
      this.#messages.clear("recording");
    } catch (error) {
      this.#messages.show("recording", title, error.text ?? error.message);
    }
    this.#isBusy = false;
  }

  /** Whoever has begun or ended a take: the document says whether there is one. */
  #follow() {
    const { isRecording } = this;
    this.#button.setAttribute("aria-pressed", String(isRecording));
    say(this.#button.firstElementChild, isRecording ? "Stop recording" : "Record");
    this.#button.title = isRecording ? "Stop recording" : "Record";
    document.body.toggleAttribute("data-recording", isRecording);
    if (isRecording && this.#take?.path !== this.#tap.path) {
      this.#end();
      this.#start(this.#tap.path);
    } else if (!isRecording) this.#end();
  }

  #start(path) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${size.height}px`;
    const time = make("strong", {}, "0:00");
    const element = make("section", { class: "take recording", "aria-label": `Recording ${path}` },
      make("p", {}, make("span", { class: "lamp", "aria-hidden": "true" }), "Recording ", time), canvas,
      make("p", { class: "quiet" }, path));
    this.#take = { path, began: this.#beginning(path), wave: new Wave(), canvas, time, element };
    this.#take.wave.draw(canvas);
    this.#place.prepend(element);
  }

  /** When a take has begun, as far as this page knows: also before a reload. In milliseconds since 1970. */
  #beginning(path) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(beginName) ?? "null");
      if (kept?.path === path) return kept.began;
      sessionStorage.setItem(beginName, JSON.stringify({ path, began: Date.now() }));
    } catch {
      // Then it begins when it is first seen.
    }
    return Date.now();
  }

  #end() {
    if (!this.#take) return;
    const { path, began, wave, element } = this.#take;
    this.#take = null;
    const take = { path, seconds: (Date.now() - began) / 1000, columns: wave.columns.map((peak) => Number(peak.toFixed(3))) };
    this.#takes = [take, ...this.#takes].slice(0, 30);
    try {
      sessionStorage.setItem(storeName, JSON.stringify(this.#takes));
    } catch {
      // There is no room for the list.
    }
    element.replaceWith(this.#finished(take));
    this.#offer();
  }

  /** The files of takes can be had once they are whole: those of this run. */
  async #offer(again = 8) {
    const takes = await readTakes().catch(() => []);
    for (const element of this.#place.querySelectorAll(".take[data-path]")) {
      const take = takes.find(({ name, file }) => [name, file].includes(element.dataset.path));
      const link = element.querySelector("a");
      link.hidden = !take;
      if (!take) continue;
      link.href = `/takes?number=${take.number}`;
      link.download = take.name;
    }
    // What has just ended is still being written.
    const [newest] = this.#place.querySelectorAll(".take[data-path] a");
    if (newest?.hidden && again) setTimeout(() => this.#offer(again - 1), 400);
  }

  #finished({ path, seconds, columns }) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${size.height}px`;
    const wave = new Wave();
    wave.columns = columns;
    wave.draw(canvas);
    return make("section", { class: "take", "data-path": path, "aria-label": `Take ${path}` },
      make("p", {}, make("strong", {}, clock(seconds)), " recorded",
        make("a", { class: "download", hidden: true, "aria-label": `Download ${path}` }, "Download")), canvas,
      make("p", { class: "quiet" }, `${path}, beside the patch`));
  }

  #read(meters) {
    if (!this.#take) return;
    const meter = meters.find((one) => one.tap === names.meter);
    if (!meter) return;
    const peak = Math.max(-Infinity, ...(meter.levels ?? []).map((level) => levelOf(level.peak)));
    this.#take.wave.add(peak === -Infinity ? 0 : 10 ** (peak / 20));
    this.#isStale = true;
  }

  #isStale = false;

  #tick() {
    if (!this.#take) return;
    const text = clock((Date.now() - this.#take.began) / 1000, 0);
    say(this.#take.time, text);
    say(this.#button.firstElementChild, `Stop recording ${text}`);
    if (this.#isStale && this.#take.canvas.offsetParent) {
      this.#take.wave.draw(this.#take.canvas);
      this.#isStale = false;
    }
  }
}
