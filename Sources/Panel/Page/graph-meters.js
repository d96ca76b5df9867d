// The meters of the map: one canvas over the drawing, at the buses that are measured.

import { colour, make, sharpen } from "./dom.js";
import { levelOf } from "./meters.js";
import { levelPosition } from "./scales.js";

const bar = { width: 50, height: 4 };

/**
 * What of the map the meters go by.
 * @typedef {{ at: { x: number, y: number, scale: number }, room: { width: number, height: number }, isHeated: boolean,
 *   isOnly: boolean, isChoosing: boolean }} Sight
 */

export class GraphMeters {
  canvas = make("canvas", { class: "graph-meters", "aria-hidden": "true" });
  #board;
  /** @type {() => Sight} */
  #sight;
  #context = null;
  /** Where the meters are, in the drawing's own units. @type {Map<string, { left: number, width: number, y: number, box: Element, isOnWay: boolean }>} */
  #places = new Map();
  #levels = new Map();
  #ends = [];

  /** @param {import("./meters.js").MeterBoard} board @param {() => Sight} sight */
  constructor(board, sight) {
    this.#board = board;
    this.#sight = sight;
  }

  resize({ width, height }) {
    this.#context = sharpen(this.canvas, width, height);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }

  /** Finds out where the meters of a drawing are. @param {?Element} drawing @param {Map<Element, any>} boxes */
  place(drawing, boxes) {
    for (const end of this.#ends) end();
    this.#ends = [];
    this.#places.clear();
    if (!drawing || !this.#context) return;
    for (const mark of drawing.querySelectorAll("[data-scope], [data-tap]")) {
      const { node, scope, element: bus, tap } = mark.dataset;
      const key = tap === undefined ? `bus ${node}/${scope}/${bus}` : `tap ${tap}`;
      const element = mark.closest("g.box");
      const place = boxes.get(element);
      if (!this.#board.has(key) || !place) continue;
      // Of several inputs each has its row. What comes out is below, and so is what goes in where it is one.
      const isRow = scope === "input" && place.box.isBus;
      const half = place.box.ports.size > 1 && !place.box.isBus && tap === undefined;
      const width = isRow ? bar.width : half ? (place.width - 26) / 2 : place.width - 20;
      this.#places.set(key, {
        left: place.x + (isRow ? place.width - 10 - width : half && scope === "output" ? place.width - 10 - width : 10), width,
        y: isRow ? place.y + Number(mark.getAttribute("cy")) : place.y + place.height - 7,
        box: element, isOnWay: element.classList.contains("on-way"),
      });
      this.#ends.push(this.#board.add(key, {
        element: this.canvas,
        draw: (meter) => {
          this.#levels.set(key, meter.levels ?? []);
          this.#draw(key, this.#sight());
        },
      }));
    }
    this.redraw();
  }

  /** Follows which boxes are on the way of what is chosen. */
  followChoice() {
    for (const place of this.#places.values()) place.isOnWay = place.box.classList.contains("on-way");
  }

  redraw() {
    if (!this.#context) return;
    const sight = this.#sight();
    this.#context.clearRect(0, 0, sight.room.width, sight.room.height);
    for (const key of this.#places.keys()) this.#draw(key, sight);
  }

  /** @param {string} key @param {Sight} sight */
  #draw(key, { at, room, isHeated, isOnly, isChoosing }) {
    const place = this.#places.get(key);
    const levels = this.#levels.get(key);
    // One reading at a time: where the heat is shown, levels are not.
    if (!place || !levels?.length || !this.#context || isHeated) return;
    if (isOnly && !place.isOnWay) return;
    const context = this.#context;
    const { scale } = at;
    // From afar a meter is as high as it takes to be seen.
    const width = place.width * scale;
    const height = Math.min(6 * scale, Math.max(bar.height * scale, 1.5));
    const left = place.left * scale + at.x;
    const gap = Math.max(0.5, scale);
    const total = levels.length * height + (levels.length - 1) * gap;
    const top = place.y * scale + at.y - total / 2;
    if (top < -total || top > room.height || left < -width || left > room.width) return;
    context.globalAlpha = isChoosing && !place.isOnWay ? 0.3 : 1;
    levels.forEach((level, index) => {
      const y = top + index * (height + gap);
      const share = levelPosition(levelOf(level.average)) * width;
      const peak = levelPosition(levelOf(level.peak)) * width;
      context.fillStyle = colour("meter-unlit");
      context.fillRect(left, y, width, height);
      const over = levelOf(level.peak) > 0;
      context.fillStyle = colour(over ? "meter-over" : levelOf(level.average) > -18 ? "meter-middle" : "meter-low");
      context.fillRect(left, y, share, height);
      if (peak > 1) {
        context.fillStyle = colour("meter-peak");
        context.fillRect(left + peak - 1, y, Math.max(1, scale), height);
      }
    });
    context.globalAlpha = 1;
  }
}
