// The bridge: all strips of the console as columns, with the part of the row that is in sight.

import { make } from "./dom.js";
import { loudest } from "./strip-view.js";
import { LevelSurface } from "./surface.js";

export class Bridge {
  element;
  surface;
  #canvas = make("canvas", { "aria-hidden": "true" });
  #window = make("div", { class: "bridge-window" });
  /** Pixels of the bridge for one of the row. */
  #scale = 1;
  #groups = "";

  /** @param {(x: number) => void} go brings the middle of what is seen to a place of the row */
  constructor(go) {
    const press = (event) => go((event.clientX - this.element.getBoundingClientRect().left) / this.#scale);
    this.element = make("div", {
      class: "bridge", hidden: true, "aria-hidden": "true",
      onpointerdown: press, onpointermove: (event) => event.buttons && press(event),
    }, this.#canvas, this.#window);
    this.surface = new LevelSurface(this.#canvas);
  }

  get isHidden() { return this.element.hidden; }

  set isHidden(isHidden) { this.element.hidden = isHidden; }

  /** @param {string} key of a strip @param {object[]} levels of its channels */
  feed(key, levels) { this.surface.feed(key, [loudest(levels)]); }

  /**
   * Lays the strips out.
   * @param {number} width of the bridge @param {number} total how long the row is
   * @param {import("./strip-view.js").StripView[]} views @param {(group: string) => number} hueOf
   */
  layOut(width, total, views, hueOf) {
    if (this.isHidden) return;
    this.#scale = width / Math.max(1, total);
    const places = new Map();
    const groups = new Map();
    for (const view of views) {
      if (view.isPinned || view.isHidden) continue;
      const [start, end] = [view.x * this.#scale, (view.x + view.width) * this.#scale];
      groups.set(view.strip.group, [Math.min(groups.get(view.strip.group)?.[0] ?? start, start), end]);
      if (!view.strip.fader) continue;
      places.set(view.key, {
        x: Math.round(start), width: Math.max(2, Math.floor(view.width * this.#scale) - 1), top: 0,
      });
    }
    this.surface.layOut(Math.max(1, width), 34, 0, places);
    this.#showGroups([...groups].map(([group, [start, end]]) => [hueOf(group), Math.round(start), Math.round(end - start) - 1]));
  }

  /** Says by colours which group is where. */
  #showGroups(places) {
    const text = JSON.stringify(places);
    if (text === this.#groups) return;
    this.#groups = text;
    for (const old of this.element.querySelectorAll(".bridge-group")) old.remove();
    this.#window.before(...places.map(([hue, left, width]) => {
      const mark = make("div", { class: "bridge-group", "data-hue": hue });
      mark.style.left = `${left}px`;
      mark.style.width = `${width}px`;
      return mark;
    }));
  }

  /** Shows which part of the row is in sight. */
  show(left, width) {
    if (this.isHidden) return;
    this.#window.style.transform = `translateX(${Math.round(left * this.#scale)}px)`;
    this.#window.style.width = `${Math.round(width * this.#scale)}px`;
  }
}
