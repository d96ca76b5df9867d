// One canvas for the meters of many strips. Levels come some 20 times a second; between them they fall as a meter
// does, so that they move at the screen's pace. Nothing of the page is measured while they move.

import { colour, sharpen, whenColoursChange } from "./dom.js";
import { figures, levelOf } from "./meters.js";
import { levelPosition } from "./scales.js";

/** Decibels a second: what OBS and IEC 60268-18's slow meters fall by. */
const fall = 23.5;
const holdTime = 1500;
const holdFall = 20;
/** A level that has moved less than this, in pixels, is not drawn again. */
const least = 0.5;
const quiet = -120;
/** Where a meter's colour changes: alignment level and permitted maximum of EBU R 68. */
const zones = [[-18, "meter-low"], [-9, "meter-middle"], [Infinity, "meter-over"]];
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * A meter on the surface, in the canvas's own pixels.
 * @typedef {object} Place
 * @property {number} x
 * @property {number} width of all channels
 * @property {number} top the level at the upper end
 * @property {{ x: number, marks: { position: number, text: string, isZero: boolean }[] }} [digits] beside it
 */

export class LevelSurface {
  #canvas;
  /** @type {?CanvasRenderingContext2D} */
  #context = null;
  #height = 0;
  #inset = 0;
  /** @type {Map<string, Place>} */
  #places = new Map();
  /** @type {Map<string, { channels: any[], drawn: string[] }>} */
  #levels = new Map();
  #isWaiting = false;
  #last = 0;
  #restWidth = 0;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    whenColoursChange(() => this.redraw());
  }

  /**
   * Lays meters out anew.
   * @param {number} inset how far above and below the ends of the scale there is room
   * @param {Map<string, Place>} places
   */
  layOut(width, height, inset, places) {
    if (width !== this.#restWidth || height !== this.#height || !this.#context) {
      this.#canvas.style.width = `${width}px`;
      this.#canvas.style.height = `${height}px`;
      this.#context = sharpen(this.#canvas, width, height);
    }
    this.#restWidth = width;
    this.#height = height;
    this.#inset = inset;
    this.#places = places;
    this.redraw();
  }

  redraw() {
    if (!this.#context) return;
    this.#context.clearRect(0, 0, this.#restWidth, this.#height);
    for (const level of this.#levels.values()) level.drawn = [];
    this.#drawDigits();
    for (const [key, place] of this.#places) this.#draw(key, place);
    this.#wake();
  }

  /** The digits of all scales: as elements they would be a quarter of the page. */
  #drawDigits() {
    const context = this.#context;
    const span = this.#height - 2 * this.#inset;
    const family = colour("letters");
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const { digits } of this.#places.values()) {
      if (!digits) continue;
      for (const { position, text, isZero } of digits.marks) {
        context.fillStyle = colour(isZero ? "text" : "muted");
        context.font = `${isZero ? "600 " : ""}9.5px ${family}`;
        context.fillText(text, digits.x, this.#inset + (1 - position) * span);
      }
    }
  }

  /** Takes what a meter has read. @param {any[]} levels with `average` and `peak`, a channel each */
  feed(key, levels) {
    let known = this.#levels.get(key);
    if (!known || known.channels.length !== levels.length) {
      known = {
        drawn: [],
        channels: levels.map(() => ({ average: quiet, peak: quiet, hold: quiet, heldAt: 0, target: quiet })),
      };
      this.#levels.set(key, known);
      if (this.#context && this.#places.has(key)) {
        const place = this.#places.get(key);
        this.#context.clearRect(place.x - 1, 0, place.width + 2, this.#height);
      }
    }
    const now = performance.now();
    levels.forEach((level, index) => {
      const channel = known.channels[index];
      channel.target = Math.max(quiet, levelOf(level.average));
      const peak = Math.max(quiet, levelOf(level.peak));
      channel.peak = Math.max(channel.peak, peak);
      if (peak >= channel.hold) {
        channel.hold = peak;
        channel.heldAt = now;
      }
      if (calm.matches) Object.assign(channel, { average: channel.target, peak, hold: peak });
    });
    this.#wake();
  }

  forget(key) { this.#levels.delete(key); }

  #wake() {
    if (this.#isWaiting || !this.#context) return;
    this.#isWaiting = true;
    requestAnimationFrame((time) => {
      this.#isWaiting = false;
      this.#frame(time);
    });
  }

  #frame(time) {
    const passed = Math.min(0.1, Math.max(0, (time - this.#last) / 1000));
    this.#last = time;
    let isMoving = false;
    for (const [key, place] of this.#places) {
      const level = this.#levels.get(key);
      if (!level) continue;
      for (const channel of level.channels) {
        if (calm.matches) continue;
        const { target } = channel;
        // Up within two frames, down no faster than a meter falls.
        channel.average = channel.average < target ? Math.min(target, channel.average + Math.max(1, target - channel.average) * 0.6)
          : Math.max(target, channel.average - fall * 2 * passed);
        channel.peak = Math.max(quiet, channel.peak - fall * passed);
        if (time - channel.heldAt > holdTime) channel.hold = Math.max(quiet, channel.hold - holdFall * passed);
        if (channel.average !== target || channel.peak > -60 || channel.hold > -60) isMoving = true;
      }
      if (this.#draw(key, place)) figures.drawn += 1;
    }
    figures.frames = (figures.frames ?? 0) + 1;
    if (isMoving) this.#wake();
  }

  #draw(key, { x, width, top }) {
    const context = this.#context;
    const level = this.#levels.get(key);
    if (!context || !level?.channels.length) return false;
    const count = level.channels.length;
    const gap = count > 4 ? 1 : 2;
    const bar = Math.max(1, Math.floor((width - gap * (count - 1)) / count));
    const span = this.#height - 2 * this.#inset;
    const end = this.#height - this.#inset;
    let isDrawn = false;
    level.channels.forEach((channel, index) => {
      const average = Math.round(levelPosition(channel.average, top) * span / least) * least;
      const peak = Math.round(levelPosition(channel.peak, top) * span);
      const hold = Math.round(levelPosition(channel.hold, top) * span);
      const state = `${average} ${peak} ${hold}`;
      if (level.drawn[index] === state) return;
      level.drawn[index] = state;
      isDrawn = true;
      const left = x + index * (bar + gap);
      context.fillStyle = colour("meter-unlit");
      context.fillRect(left, this.#inset, bar, span);
      let from = 0;
      for (const [until, name] of zones) {
        const to = Math.min(span, levelPosition(Math.min(until, top), top) * span);
        if (average > from) {
          context.fillStyle = colour(name);
          context.fillRect(left, end - Math.min(average, to), bar, Math.min(average, to) - from);
        }
        // A peak above the average is a thinner bar.
        if (peak > average && peak > from && bar > 3) {
          context.fillStyle = colour(name);
          const low = Math.max(from, average);
          const high = Math.min(peak, to);
          if (high > low) context.fillRect(left + bar / 2 - 1, end - high, 2, high - low);
        }
        from = to;
      }
      if (hold > 1) {
        context.fillStyle = colour(channel.hold > 0 ? "meter-over" : "meter-peak");
        context.fillRect(left, end - hold, bar, bar > 3 ? 2 : 1);
      }
    });
    return isDrawn;
  }
}
