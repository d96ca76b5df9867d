// The drawing of the running graph, with meters at its buses and a way to the controls of its nodes.

import { byId, colour, make, sharpen, whenColoursChange } from "./dom.js";
import { levelOf } from "./meters.js";
import { levelPosition } from "./scales.js";

const steps = [0.35, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2];
const bar = { width: 44, height: 4 };

export class GraphView {
  #model;
  #board;
  #reveal;
  #view = byId("graph-view");
  #drawing = null;
  /** As large as what is seen of the graph, and always there. */
  #canvas = make("canvas", { class: "graph-meters", "aria-hidden": "true" });
  #overlay = make("div", { class: "graph-overlay" }, this.#canvas);
  #context = null;
  /** `null` while it fits the page. */
  #zoom = null;
  #scale = 1;
  /** Where the meters are, by key: where they end, and their middle.
   * @type {Map<string, { right: number, y: number }>} */
  #places = new Map();
  #levels = new Map();
  #ends = [];

  /** @param {(node: string, scope?: string, element?: string) => boolean} reveal */
  constructor(model, board, reveal) {
    this.#model = model;
    this.#board = board;
    this.#reveal = reveal;
    model.hear("graph", (text) => this.#show(text));
    model.hear("metered", () => this.#placeMeters());
    model.hear("built", () => this.#markTargets());
    whenColoursChange(() => this.#redraw());
    new ResizeObserver(() => this.#fit()).observe(this.#view);
    this.#view.addEventListener("scroll", () => this.#redraw(), { passive: true });
    byId("graph-smaller").addEventListener("click", () => this.#step(-1));
    byId("graph-larger").addEventListener("click", () => this.#step(1));
    byId("graph-fit").addEventListener("click", () => {
      this.#zoom = null;
      this.#fit();
    });
    this.#view.addEventListener("click", (event) => this.#go(event.target));
    this.#view.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && event.target !== this.#view) {
        event.preventDefault();
        this.#go(event.target);
      }
    });
  }

  #show(text) {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const drawing = document.importNode(parsed.documentElement, true);
    if (drawing.localName !== "svg") return;
    const focus = document.activeElement?.closest?.("#graph-view [data-node]")?.dataset.node;
    // Inside are things to press, which a picture may not have.
    drawing.setAttribute("role", "group");
    drawing.classList.add("drawing");
    this.#drawing = drawing;
    // The page has its title and its ground already.
    for (const part of drawing.querySelectorAll(".page, .title")) part.remove();
    this.#view.replaceChildren(this.#overlay, drawing);
    const { x, y, width, height } = drawing.getBBox();
    drawing.setAttribute("viewBox", `${x - 8} ${y - 8} ${width + 16} ${height + 16}`);
    this.#readFeeds();
    this.#markTargets();
    this.#fit();
    if (focus) {
      this.#view.querySelector(`g[data-node="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
    }
  }

  /** What is connected to each bus and how late that is, for the strips. */
  #readFeeds() {
    const feeds = new Map();
    const latencies = new Map();
    for (const edge of this.#drawing.querySelectorAll("[data-from][data-to]")) {
      if (edge.classList.contains("tap")) continue;
      const [from, to] = [edge.dataset.from, edge.dataset.to];
      const { latency } = edge.dataset;
      if (latency) {
        latencies.set(to, latency);
        // A delay is the input's own.
        const late = latency.split(", ").find((part) => part.endsWith(" late"));
        if (late) latencies.set(from, late);
      }
      feeds.set(to, from.replace(/\/output\/0$/, "").replace(/\/output\//, ":"));
    }
    this.#model.setFeeds(feeds, latencies);
  }

  #markTargets() {
    if (!this.#drawing) return;
    for (const box of this.#drawing.querySelectorAll("g[data-node]")) {
      const hasControls = [...this.#model.controls.values()]
        .some((control) => control.node === box.dataset.node);
      if (!hasControls) continue;
      const title = box.querySelector("title")?.textContent ?? box.dataset.node;
      box.setAttribute("role", "button");
      box.setAttribute("tabindex", "0");
      box.setAttribute("aria-label", `${title}: to its controls`);
    }
  }

  #go(target) {
    const bus = target.closest?.("[data-scope]");
    const edge = target.closest?.("[data-to]");
    const box = target.closest?.("g[data-node]");
    if (bus && this.#reveal(bus.dataset.node, bus.dataset.scope, bus.dataset.element)) return;
    if (box) this.#reveal(box.dataset.node);
    else if (edge) {
      const [, node, scope, element] = edge.dataset.to.match(/^(.*)\/(input|output)\/(\d+)$/) ?? [];
      if (node) this.#reveal(node, scope, element);
    }
  }

  // Size

  #step(direction) {
    const now = this.#scale;
    const next = direction > 0 ? steps.find((one) => one > now + 0.01)
      : steps.findLast((one) => one < now - 0.01);
    if (!next) return;
    this.#zoom = next;
    this.#fit();
  }

  #fit() {
    if (!this.#drawing) return;
    const [, , width, height] = this.#drawing.getAttribute("viewBox").split(/\s+/).map(Number);
    const room = this.#view.clientWidth;
    if (!room) return;
    const fitting = Math.min(1, room / width);
    // Smaller than this nothing can be read: one scrolls.
    this.#scale = this.#zoom ?? Math.max(fitting, 0.62);
    const [w, h] = [width * this.#scale, height * this.#scale];
    this.#drawing.setAttribute("width", String(w));
    this.#drawing.setAttribute("height", String(h));
    const { clientWidth, clientHeight } = this.#view;
    this.#context = sharpen(this.#canvas, clientWidth, clientHeight);
    this.#canvas.style.width = `${clientWidth}px`;
    this.#canvas.style.height = `${clientHeight}px`;
    this.#placeMeters();
  }

  // Meters

  #placeMeters() {
    for (const end of this.#ends) end();
    this.#ends = [];
    this.#places.clear();
    if (!this.#drawing || !this.#context) return;
    const origin = this.#drawing.getBoundingClientRect();
    for (const mark of this.#drawing.querySelectorAll("[data-scope], [data-tap]")) {
      const { node, scope, element, tap } = mark.dataset;
      const key = tap === undefined ? `bus ${node}/${scope}/${element}` : `tap ${tap}`;
      if (!this.#board.has(key)) continue;
      const frame = mark.closest(".box").querySelector("rect").getBoundingClientRect();
      // An input's stands on the line of its name, an output's and a tap's beside the name of the box.
      const at = mark.getBoundingClientRect();
      const y = scope === "input" ? (at.top + at.bottom) / 2
        : frame.top + (19 + 14 * Number(element ?? 0)) * this.#scale;
      this.#places.set(key, { right: frame.right - origin.left - 10 * this.#scale, y: y - origin.top });
      this.#ends.push(this.#board.add(key, {
        element: this.#canvas,
        draw: (meter) => {
          this.#levels.set(key, meter.levels ?? []);
          this.#draw(key);
        },
      }));
    }
    this.#redraw();
  }

  #redraw() {
    if (!this.#context) return;
    this.#context.clearRect(0, 0, this.#view.clientWidth, this.#view.clientHeight);
    for (const key of this.#places.keys()) this.#draw(key);
  }

  #draw(key) {
    const place = this.#places.get(key);
    const levels = this.#levels.get(key);
    if (!place || !levels?.length || !this.#context) return;
    const context = this.#context;
    const scale = this.#scale;
    const [width, height] = [bar.width * scale, bar.height * scale];
    const left = place.right - width - this.#view.scrollLeft;
    const total = levels.length * height + (levels.length - 1) * scale;
    const top = place.y - total / 2 - this.#view.scrollTop;
    if (top < -total || top > this.#view.clientHeight) return;
    levels.forEach((level, index) => {
      const y = top + index * (height + scale);
      const share = levelPosition(levelOf(level.average)) * width;
      const peak = levelPosition(levelOf(level.peak)) * width;
      context.fillStyle = colour("meter-unlit");
      context.fillRect(left, y, width, height);
      context.fillStyle = colour(levelOf(level.peak) > 0 ? "meter-over" : "meter-low");
      context.fillRect(left, y, share, height);
      if (peak > 1) {
        context.fillStyle = colour("meter-peak");
        context.fillRect(left + peak - 1, y, Math.max(1, scale), height);
      }
    });
  }
}
