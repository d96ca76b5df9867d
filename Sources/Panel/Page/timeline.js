// What comes when: a lane for each value that ramps, one for the other steps, the play position over all, and the
// same as a list.

import { byId, make, makeSVG, say } from "./dom.js";
import { valueText } from "./controls.js";
import { scaleOf } from "./scales.js";

/** How high a lane is, in pixels: as there is room. */
const heights = { least: 64, most: 132 };
const inset = 12;
const headWidth = 176;
/** So many repetitions of a step are drawn. */
const mostRepeats = 500;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @returns {number} seconds; NaN for what is no time */
export function seconds(time, { rate, tempo }) {
  if (typeof time === "number") return time;
  if (typeof time === "string") {
    const [, number, unit] = time.trim().match(/^([\d.eE+-]+)\s*(ms|s|min|h)?$/) ?? [];
    return Number(number) * ({ ms: 0.001, s: 1, min: 60, h: 3600 }[unit ?? "s"]);
  }
  if (typeof time?.frames === "number") return time.frames / rate;
  if (typeof time?.beats === "number") return (time.beats * 60) / tempo;
  return NaN;
}

/** A value as a document may write it: "-6 dB" is 0.5. */
const plainValue = (value) => {
  const [, level] = typeof value === "string" ? value.match(/^\s*([-+\d.]+)\s*dB\s*$/i) ?? [] : [];
  return level === undefined ? value : 10 ** (Number(level) / 20);
};

export const clock = (time, digits = 1) => {
  const sign = time < 0 ? "−" : "";
  const whole = Math.abs(time);
  const minutes = Math.floor(whole / 60);
  const rest = (whole % 60).toFixed(digits);
  return `${sign}${minutes}:${rest.padStart(digits ? digits + 3 : 2, "0")}`;
};

/**
 * @typedef {object} Step
 * @property {number} at seconds
 * @property {"ramp" | "update" | "trigger" | "stop"} kind
 * @property {string} path of a ramp
 * @property {number} to
 * @property {number} duration seconds
 * @property {boolean} isExponential
 * @property {string} what in words
 */

/** The steps of a document, repetitions too, as they come. @returns {Step[]} */
export function stepsOf(patch, rate, describe) {
  const times = { rate: rate || 44100, tempo: patch?.tempo ?? 120 };
  const steps = [];
  for (const step of Array.isArray(patch?.timeline) ? patch.timeline : []) {
    const start = seconds(step.at, times);
    if (!Number.isFinite(start)) continue;
    const every = step.repeat ? seconds(step.repeat.every, times) : 0;
    const count = step.repeat ? Math.min(mostRepeats, step.repeat.count ?? 1) : 1;
    for (let index = 0; index < count; index += 1) {
      const at = start + index * (every || 0);
      if (step.ramp) {
        const { path, to, duration, curve } = step.ramp;
        const entry = {
          at, kind: "ramp", path, to: plainValue(to), duration: duration === undefined ? 0 : seconds(duration, times),
          isExponential: curve === "exponential", what: "",
        };
        entry.what = describe(entry);
        steps.push(entry);
      } else if (step.update) {
        const parts = step.update.map((one) => `${one.op} ${one.path ?? ""}`);
        steps.push({ at, kind: "update", duration: 0, what: `The patch changes: ${parts.join(", ")}` });
      } else if (step.trigger !== undefined) {
        steps.push({ at, kind: "trigger", duration: 0, what: `${[step.trigger].flat().join(", ")} begins again` });
      } else if (step.stop) steps.push({ at, kind: "stop", duration: 0, what: "The patch ends" });
    }
  }
  return steps.sort((one, other) => one.at - other.at);
}

export class Timeline {
  #model;
  #place = byId("timeline");
  #next = make("p", { class: "quiet", id: "timeline-next" });
  #lanes = make("div", { class: "lanes", role: "region", "aria-label": "Lanes", tabindex: 0 });
  #list = make("ol", { class: "events steps", "aria-label": "Steps", tabindex: 0 });
  #follow;
  #head = make("div", { class: "playhead", "aria-hidden": "true" }, make("span", {}));
  #past = make("div", { class: "past", "aria-hidden": "true" });
  /** @type {Step[]} */
  #steps = [];
  /** Those that the document has no more, as they have happened. @type {Step[]} */
  #gone = [];
  #isFollowed = true;
  /** Pixels a second; `null` while all of it fits. */
  #zoom = null;
  #scale = 1;
  #laneHeight = heights.least;
  #span = 10;
  #ends = [];
  #signature = "";
  #at = { seconds: 0, since: 0, isMoving: false };

  constructor(model) {
    this.#model = model;
    this.#follow = make("button", {
      type: "button", id: "timeline-follow", "aria-pressed": "true", onclick: () => {
        this.#isFollowed = !this.#isFollowed;
        this.#follow.setAttribute("aria-pressed", String(this.#isFollowed));
      },
    }, "Follow");
    const press = (id, text, label, factor) => make("button", {
      type: "button", id, "aria-label": label, onclick: () => this.#zoomBy(factor),
    }, text);
    this.#place.append(make("div", { class: "head-line" },
      make("h2", { id: "timeline-title" }, "Timeline"), this.#next,
      make("div", { class: "buttons small", role: "group", "aria-label": "Timeline" }, this.#follow,
        press("timeline-smaller", "−", "Shorter", 1 / 1.5), press("timeline-fit", "Fit", null, null),
        press("timeline-larger", "+", "Longer", 1.5))),
    this.#lanes, this.#list);
    model.hear("document", () => this.#build());
    model.hear("controls", () => this.#build(true));
    model.hear("status", (status) => this.#take(status));
    model.hear("view", () => requestAnimationFrame(() => this.#layOut()));
    new ResizeObserver(() => this.#layOut()).observe(this.#place);
    this.#lanes.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#zoomBy(Math.exp(-event.deltaY * 0.004));
    }, { passive: false });
    setInterval(() => this.#tick(), 500);
    // Nobody else has to pay for what is not seen.
    let isRunning = false;
    const frame = () => {
      isRunning = document.body.dataset.view === "timeline" && !calm.matches;
      if (!isRunning) return;
      this.#movePlayhead();
      requestAnimationFrame(frame);
    };
    model.hear("view", () => {
      if (!isRunning) requestAnimationFrame(frame);
    });
    requestAnimationFrame(frame);
    if (model.status) this.#take(model.status);
    this.#build(true);
  }

  get #isShown() { return document.body.dataset.view === "timeline" && this.#place.offsetParent !== null; }

  /** Where it plays now, in seconds. */
  get position() {
    const { seconds: start, since, isMoving } = this.#at;
    return isMoving ? start + Math.min(1.5, (performance.now() - since) / 1000) : start;
  }

  /** The steps that are next. */
  upcoming(count) {
    const { position } = this;
    return this.#steps.filter((step) => step.at >= position).slice(0, count);
  }

  #take(status) {
    if (typeof status.position !== "number") return;
    const isMoving = status.state === "playing" && this.#model.connection === "open";
    const now = this.position;
    // A step back of a few milliseconds is the clock of the network.
    const start = isMoving && Math.abs(status.position - now) < 0.12 ? now : status.position;
    this.#at = { seconds: start, since: performance.now(), isMoving };
    if (status.grant?.sampleRate !== this.#rate) {
      this.#rate = status.grant?.sampleRate;
      this.#build(true);
    }
    this.#tick();
  }

  #rate = 0;

  #controlOf(path) { return this.#model.controls.get(path); }

  #titleOf(path) {
    const control = this.#controlOf(path);
    return control ? this.#model.fullTitle(control) : path.split("/").slice(-3).join(" ");
  }

  #text(path, value) {
    const control = this.#controlOf(path);
    return control ? valueText(control, value) : String(Number(Number(value).toPrecision(6)));
  }

  #build(isForced = false) {
    const patch = this.#model.document;
    const signature = JSON.stringify([patch?.timeline, patch?.tempo]);
    if (!isForced && signature === this.#signature) return;
    const describe = (step) => {
      const duration = step.duration ? ` in ${Number(step.duration.toPrecision(4))} s` : " at once";
      return `${this.#titleOf(step.path)} to ${this.#text(step.path, step.to)}${duration}`;
    };
    const steps = stepsOf(patch, this.#rate, describe);
    if (signature !== this.#signature) {
      const { position } = this;
      const there = new Set(steps.map((step) => JSON.stringify(step)));
      const gone = this.#steps.filter((step) => step.at <= position && !there.has(JSON.stringify(step)));
      const known = new Set(this.#gone.map((step) => JSON.stringify(step)));
      this.#gone.push(...gone.filter((step) => !known.has(JSON.stringify(step))));
    }
    this.#signature = signature;
    this.#steps = steps;
    this.#model.ramped = new Set(steps.filter((step) => step.kind === "ramp").map((step) => step.path));
    this.#layOut();
    this.#showList();
    this.#tick();
  }

  get #all() { return [...this.#gone, ...this.#steps].sort((one, other) => one.at - other.at); }

  // Lanes

  #zoomBy(factor) {
    this.#zoom = factor === null ? null : Math.min(2000, Math.max(0.5, this.#scale * factor));
    this.#layOut();
    this.#movePlayhead(true);
  }

  #layOut() {
    if (!this.#isShown) return;
    for (const end of this.#ends) end();
    this.#ends = [];
    const steps = this.#all;
    const last = Math.max(0, ...steps.map((step) => step.at + step.duration));
    const duration = this.#model.status?.duration ?? 0;
    const end = Math.max(last, duration, 5);
    this.#span = Math.max(end * 1.04, this.position + 2);
    const room = Math.max(100, this.#lanes.clientWidth - headWidth - 2);
    this.#scale = this.#zoom ?? room / this.#span;
    const width = Math.max(room, Math.ceil(this.#span * this.#scale));
    const paths = [...new Set(steps.filter((step) => step.kind === "ramp").map((step) => step.path))];
    const others = steps.filter((step) => step.kind !== "ramp");
    const count = paths.length + (others.length ? 1 : 0);
    this.#laneHeight = Math.floor(Math.max(heights.least,
      Math.min(heights.most, (this.#lanes.clientHeight - 30) / Math.max(1, count))));
    const rows = paths.map((path) => this.#lane(path, steps.filter((step) => step.path === path), width));
    if (others.length) rows.push(this.#marks(others, width));
    if (!rows.length) {
      this.#lanes.replaceChildren(make("p", { class: "none" }, "Nothing is on the timeline: the patch stays as it is until somebody turns something."));
      return;
    }
    const sheet = make("div", { class: "lane-sheet" }, this.#ruler(width), ...rows, this.#past, this.#head);
    sheet.style.width = `${width + headWidth}px`;
    this.#lanes.replaceChildren(sheet);
    this.#movePlayhead(true);
  }

  #ruler(width) {
    const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
    const step = steps.find((one) => one * this.#scale >= 74) ?? 3600;
    const drawing = makeSVG("svg", { width, height: 24, "aria-hidden": "true" });
    for (let time = 0; time * this.#scale <= width; time += step) {
      const x = Math.round(time * this.#scale) + 0.5;
      drawing.append(makeSVG("path", { d: `M${x} 14V24` }),
        makeSVG("text", { x: x + 4, y: 16 }, clock(time, step < 1 ? 1 : 0)));
    }
    return make("div", { class: "lane ruler-lane" }, make("div", { class: "lane-head" }), drawing);
  }

  #startValue(path) {
    let value = this.#model.document;
    for (const token of path.split("/").slice(1)) {
      value = value?.[token.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    const plain = plainValue(value);
    const control = this.#controlOf(path);
    return typeof plain === "number" ? plain : Number(control?.default ?? control?.value ?? 0);
  }

  #lane(path, steps, width) {
    const laneHeight = this.#laneHeight;
    const control = this.#controlOf(path);
    const values = [this.#startValue(path), ...steps.map((step) => step.to)];
    const isRanged = control && control.minimum !== null && control.maximum !== null;
    const [low, high] = isRanged ? [control.minimum, control.maximum] : [Math.min(...values), Math.max(...values)];
    const scale = isRanged ? scaleOf(control) : null;
    const place = (value) => (scale ? scale.position(value) : high > low ? (value - low) / (high - low) : 0.5);
    const y = (value) => laneHeight - inset - Math.min(1, Math.max(0, place(value))) * (laneHeight - 2 * inset);
    const x = (time) => time * this.#scale;
    let value = values[0];
    let line = `M0 ${y(value).toFixed(1)}`;
    const ramps = [];
    const dots = [];
    for (const step of steps) {
      line += `H${x(step.at).toFixed(1)}`;
      let ramp = `M${x(step.at).toFixed(1)} ${y(value).toFixed(1)}`;
      const parts = step.duration ? 24 : 1;
      for (let part = 1; part <= parts; part += 1) {
        const share = part / parts;
        const now = step.isExponential && value * step.to > 0 ? value * (step.to / value) ** share
          : value + (step.to - value) * share;
        ramp += `L${x(step.at + step.duration * share).toFixed(1)} ${y(now).toFixed(1)}`;
      }
      ramps.push(ramp);
      dots.push([x(step.at), y(value), null], [x(step.at + step.duration), y(step.to), this.#text(path, step.to)]);
      value = step.to;
      line += `M${x(step.at + step.duration).toFixed(1)} ${y(value).toFixed(1)}`;
    }
    line += `H${width}`;
    const title = this.#titleOf(path);
    const words = steps.slice(0, 20).map((step) => `at ${clock(step.at)} ${step.what}`).join("; ");
    const drawing = makeSVG("svg", { width, height: laneHeight, role: "img", "aria-label": `${title}: ${words}` },
      makeSVG("path", { class: "bound", d: `M0 ${inset}H${width}M0 ${laneHeight - inset}H${width}` }),
      makeSVG("path", { class: "held", d: line }),
      ...ramps.map((d) => makeSVG("path", { class: "glide", d })),
      ...dots.map(([cx, cy]) => makeSVG("circle", { cx, cy, r: 3.5 })));
    let free = -100;
    for (const [cx, cy, text] of dots) {
      if (!text || cx < free) continue;
      const isLate = cx + 7 + text.length * 7 > width;
      drawing.append(makeSVG("text", {
        x: isLate ? width - 4 : cx + 7, y: Math.min(laneHeight - 4, Math.max(11, cy - 6)), "text-anchor": isLate ? "end" : "start",
      }, text));
      free = cx + 12 + text.length * 7;
    }
    const live = make("strong", { class: "lane-value" });
    if (control) this.#ends.push(this.#model.watch(path, (now) => say(live, valueText(control, now))));
    const ends = isRanged ? [high, low] : [];
    return make("div", { class: "lane" },
      make("div", { class: "lane-head" },
        make("div", { class: "lane-title" }, make("strong", {}, control?.title ?? title),
          make("span", { class: "quiet" }, control ? title.replace(`${control.title}, `, "") : path)), live,
        ...ends.map((end, index) => make("span", { class: index ? "lane-low" : "lane-high" }, this.#text(path, end)))),
      drawing);
  }

  #marks(steps, width) {
    const laneHeight = this.#laneHeight;
    const words = steps.slice(0, 20).map((step) => `at ${clock(step.at)} ${step.what}`).join("; ");
    const drawing = makeSVG("svg", { width, height: laneHeight, role: "img", "aria-label": `Other steps: ${words}` });
    let free = -100;
    let row = 0;
    for (const step of steps) {
      const x = step.at * this.#scale;
      row = x < free ? (row + 1) % 3 : 0;
      const y = 20 + row * 20;
      drawing.append(makeSVG("path", { class: `diamond ${step.kind}`, d: `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z` },
        makeSVG("title", {}, step.what)));
      const text = step.what.length > 34 ? `${step.what.slice(0, 33)}…` : step.what;
      const isLate = x + 20 + text.length * 6.4 > width;
      drawing.append(makeSVG("text", { x: isLate ? x - 10 : x + 10, y: y + 4, "text-anchor": isLate ? "end" : "start" }, text));
      free = x + 20 + text.length * 6.4;
    }
    return make("div", { class: "lane" },
      make("div", { class: "lane-head" }, make("div", { class: "lane-title" }, make("strong", {}, "Changes"),
        make("span", { class: "quiet" }, "updates, triggers, the end"))), drawing);
  }

  // Where it plays

  #movePlayhead(isForced = false) {
    const { position } = this;
    const x = position * this.#scale;
    const rounded = Math.round(x * 2) / 2;
    if (!isForced && rounded === this.#lastX) return;
    this.#lastX = rounded;
    if (position > this.#span) {
      this.#layOut();
      return;
    }
    this.#head.style.transform = `translateX(${headWidth + rounded}px)`;
    this.#past.style.transform = `scaleX(${rounded})`;
    if (this.#isFollowed && this.#zoom) {
      const { scrollLeft, clientWidth } = this.#lanes;
      const room = clientWidth - headWidth;
      if (x < scrollLeft || x > scrollLeft + room * 0.85) this.#lanes.scrollLeft = Math.max(0, x - room * 0.2);
    }
  }

  #lastX = -1;

  #tick() {
    const { position } = this;
    const next = this.#steps.find((step) => step.at > position);
    const running = this.#all.filter((step) => step.at <= position && step.at + step.duration > position);
    const until = next ? next.at - position : 0;
    const text = next ? `${next.what}, in ${until >= 60 ? clock(until, 0) : `${Math.ceil(until)} s`}` : "";
    const words = [running.length ? `Now: ${running.map((step) => step.what).join("; ")}.` : "", text ? `Next: ${text}` : ""];
    say(this.#next, words.filter(Boolean).join(" ") || (this.#all.length ? "Nothing more comes." : ""));
    // A little longer than it takes: what is read last is where it ends.
    this.#model.isRamping = this.#all.some((step) =>
      step.kind === "ramp" && step.at <= position + 0.2 && step.at + step.duration + 1.5 > position);
    if (!this.#isShown) return;
    say(this.#head.firstElementChild, clock(position, 0));
    if (calm.matches) this.#movePlayhead();
    for (const item of this.#list.children) {
      item.classList.toggle("over", Number(item.dataset.end) <= position);
      item.classList.toggle("next", Number(item.dataset.at) === next?.at);
    }
  }

  #showList() {
    this.#list.replaceChildren(...this.#all.slice(0, 400).map((step) => make("li", {
      "data-at": step.at, "data-end": step.at + step.duration,
    }, make("time", {}, clock(step.at)), make("span", {}, step.what))));
    this.#list.hidden = !this.#list.childElementCount;
  }
}
