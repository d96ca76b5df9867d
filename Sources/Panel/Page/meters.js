// Meters: what taps and buses read, drawn once a frame and told to screen readers once a second.

import { colour, make, say, sharpen, whenColoursChange } from "./dom.js";
import { digits, floor, levelPosition } from "./scales.js";

const height = 168;
const width = 7;
const gap = 2;
/** How long the lamp of a meter stays lit after full scale was reached, in milliseconds. */
const lampTime = 3000;

/** What a meter is found by: a tap's, or a bus's. */
export const meterKey = (meter) =>
  meter.tap !== undefined ? `tap ${meter.tap}` : `bus ${meter.node}/${meter.scope}/${meter.element}`;

/** The same meter with nothing to be heard. */
const silent = (meter) => ({
  ...meter, levels: meter.levels?.map(() => ({ average: null, peak: null })),
});

/** A level, of which `null` is silence. */
export const levelOf = (value) => (value === null || value === undefined ? -Infinity : value);

/** How often something was received and painted, for whoever measures the page. */
export const figures = { received: 0, painted: 0, drawn: 0 };
globalThis.panelFigures = figures;

/** Draws all meters of the page, in one go for each frame. */
export class MeterBoard {
  #views = new Map();
  #latest = new Map();
  #fresh = new Set();
  #isWaiting = false;
  #visible = new Set();
  #elements = new WeakMap();
  #observer;
  #lastText = 0;
  #lastSpoken = 0;
  #model;

  constructor(model) {
    this.#model = model;
    this.#observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        for (const view of this.#elements.get(entry.target) ?? []) {
          if (entry.isIntersecting) this.#reveal(view);
          else this.#visible.delete(view);
        }
      }
    }, { rootMargin: "40px" });
    model.hear("meters", (meters) => this.#take(meters));
    model.hear("connection", ({ state }) => {
      if (state === "open") return;
      for (const [key, meter] of this.#latest) {
        this.#latest.set(key, silent(meter));
        this.#fresh.add(key);
      }
      this.#wake();
    });
    whenColoursChange(() => {
      for (const views of this.#views.values()) {
        for (const view of views) {
          view.restyle?.();
          view.isStale = true;
        }
      }
      this.#wake();
    });
  }

  /**
   * @param {string} key
   * @param {{ element?: Element, draw: (meter: any) => void, write?: (meter: any) => void,
   *   speak?: (meter: any) => void, restyle?: () => void }} view `draw` is called for each frame with
   *   something new, `write` a few times a second, `speak` once a second: while the element is seen, or always
   *   where there is none
   */
  add(key, view) {
    this.#views.set(key, (this.#views.get(key) ?? new Set()).add(view));
    view.key = key;
    if (!view.element) {
      this.#reveal(view);
      return () => {
        this.#views.get(key)?.delete(view);
        this.#visible.delete(view);
      };
    }
    const views = this.#elements.get(view.element) ?? new Set();
    // Of an element that is watched already nothing is heard until it comes or goes.
    if (views.size) this.#reveal(view);
    else this.#observer.observe(view.element);
    this.#elements.set(view.element, views.add(view));
    return () => {
      this.#views.get(key)?.delete(view);
      this.#visible.delete(view);
      views.delete(view);
      if (!views.size) this.#observer.unobserve(view.element);
    };
  }

  #reveal(view) {
    this.#visible.add(view);
    view.isStale = true;
    this.#wake();
  }

  /** Whether a tap or a bus is metered. */
  has(key) { return this.#latest.has(key); }

  /** What a tap or a bus has read last. */
  latest(key) { return this.#latest.get(key); }

  /** Which taps and buses are metered. */
  get keys() { return [...this.#latest.keys()]; }

  #take(meters) {
    figures.received += 1;
    const known = this.#latest.size;
    for (const meter of meters) {
      const key = meterKey(meter);
      this.#latest.set(key, meter);
      this.#fresh.add(key);
    }
    if (meters.length !== this.#latest.size) {
      const present = new Set(meters.map(meterKey));
      for (const [key, meter] of this.#latest) {
        if (present.has(key)) continue;
        this.#latest.delete(key);
        for (const view of this.#views.get(key) ?? []) {
          view.draw(silent(meter), performance.now());
          view.write?.(silent(meter));
          view.speak?.(silent(meter));
        }
      }
      this.#model.tell("metered");
    } else if (this.#latest.size !== known) this.#model.tell("metered");
    this.#wake();
  }

  #wake() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    requestAnimationFrame((time) => {
      this.#isWaiting = false;
      this.#paint(time);
    });
  }

  #paint(time) {
    const writes = time - this.#lastText > 250;
    const speaks = time - this.#lastSpoken > 1000;
    for (const view of this.#visible) {
      const meter = this.#latest.get(view.key);
      if (!meter || !(view.isStale || this.#fresh.has(view.key))) continue;
      view.isStale = false;
      view.draw(meter, time);
      figures.drawn += 1;
      if (writes) view.write?.(meter);
      if (speaks) view.speak?.(meter);
    }
    if (writes) this.#lastText = time;
    if (speaks) this.#lastSpoken = time;
    if (this.#fresh.size) figures.painted += 1;
    this.#fresh.clear();
  }
}

/** The colours of levels along a canvas. */
function gradient(context, from, to) {
  const fill = context.createLinearGradient(0, from, 0, to);
  for (const [level, name] of [[-60, "low"], [-20, "low"], [-9, "middle"], [-3, "high"], [0, "over"]]) {
    fill.addColorStop(levelPosition(level), colour(`meter-${name}`));
  }
  return fill;
}

/**
 * A meter of as many bars as there are channels, with a peak that is held and a lamp.
 * @param {MeterBoard} board
 * @param {string} key
 * @param {string} title
 */
export function levelMeter(board, key, title) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  const number = make("span", { class: "peak" }, "−∞");
  const bar = make("div", {
    class: "meter", role: "meter", "aria-label": title, "aria-valuemin": floor, "aria-valuemax": 0,
    "aria-valuenow": floor, "aria-valuetext": "silent",
  }, canvas);
  const element = make("div", { class: "meter-column" }, bar);
  let channels = 0;
  let context, lit, unlit, peakColour, overColour;
  let drawn = [];
  const lamps = [];

  const prepare = (count) => {
    channels = count;
    const total = count * width + (count - 1) * gap;
    canvas.style.width = `${total}px`;
    canvas.style.height = `${height}px`;
    context = sharpen(canvas, total, height);
    restyle();
  };
  const restyle = () => {
    if (!context) return;
    lit = gradient(context, height, 8);
    unlit = colour("meter-unlit");
    peakColour = colour("meter-peak");
    overColour = colour("meter-over");
    drawn = [];
  };
  const draw = (meter, time) => {
    const levels = meter.levels ?? [];
    if (levels.length !== channels) prepare(levels.length);
    levels.forEach((level, index) => {
      const average = Math.round(levelPosition(levelOf(level.average)) * (height - 8) * 2) / 2;
      const peak = Math.round(levelPosition(levelOf(level.peak)) * (height - 8) * 2) / 2;
      if (levelOf(level.peak) > 0) lamps[index] = time + lampTime;
      const isOver = lamps[index] > time;
      const before = drawn[index];
      if (before && before[0] === average && before[1] === peak && before[2] === isOver) return;
      drawn[index] = [average, peak, isOver];
      const x = index * (width + gap);
      context.fillStyle = unlit;
      context.fillRect(x, 8, width, height - 8);
      context.fillStyle = isOver ? overColour : unlit;
      context.fillRect(x, 0, width, 6);
      context.fillStyle = lit;
      context.fillRect(x, height - average, width, average);
      if (peak > 1) {
        context.fillStyle = peakColour;
        context.fillRect(x, height - peak, width, 2);
      }
    });
  };
  const peakOf = (meter) =>
    Math.max(-Infinity, ...(meter.levels ?? []).map((level) => levelOf(level.peak)));
  const meanOf = (meter) =>
    Math.max(-Infinity, ...(meter.levels ?? []).map((level) => levelOf(level.average)));
  const text = (level) => (level <= floor * 2 ? "−∞" : digits(level, 1));
  const view = {
    element, draw, restyle,
    write: (meter) => say(number, text(peakOf(meter))),
    speak(meter) {
      const [mean, peak] = [meanOf(meter), peakOf(meter)];
      bar.setAttribute("aria-valuenow", String(Math.round(Math.min(0, Math.max(floor, mean)))));
      bar.setAttribute("aria-valuetext",
        peak <= floor ? "silent" : `${text(mean)} decibels, peak ${text(peak)}`);
    },
  };
  prepare(2);
  context.fillStyle = unlit;
  context.fillRect(0, 8, width, height - 8);
  context.fillRect(width + gap, 8, width, height - 8);
  return { element, number, remove: board.add(key, view) };
}
