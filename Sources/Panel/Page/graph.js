// The map: the running graph, to be zoomed and moved; with meters at its buses. What is chosen stands out with its
// neighbours. It is drawn when it is first seen.

import { breath, byId, make, onceAFrame, whenColoursChange } from "./dom.js";
import { details, drawGraph, layOut, readDrawing } from "./chart.js";
import { Heat } from "./heat.js";
import { GraphMeters } from "./graph-meters.js";

/** How much wider for its height the room is before what was laid out for another is laid out anew. */
const otherRoom = 1.5;
const limits = { least: 0.02, most: 4 };
/** Below these scales texts are too small: settings go first, then everything but names. */
const near = 0.62;
const middle = 0.36;
/** How far the pointer goes before a press becomes a drag. */
const slack = 4;

/** Of so many characters a graph's drawing is made in parts. */
const large = 30_000;

const nodeOf = (bus) => bus.replace(/\/(input|output)\/\d+$/, "");
const boxOf = (name) => (box) => (box.dataset.node ?? box.dataset.callback) === name;

export class GraphView {
  #model;
  /** @type {GraphMeters} */
  #meters;
  #choose;
  #view = byId("graph-view");
  #drawing = null;
  /** What is moved and scaled. */
  #sheet = make("div", { class: "graph-sheet" });
  #size = { width: 0, height: 0 };
  /** The room that there is, read when it changes. */
  #room = { width: 0, height: 0 };
  /** What shows how much each box takes. @type {?import("./heat.js").Heat} */
  #heat = null;
  /** Where the drawing's corner is, and how large it is drawn. */
  #at = { x: 0, y: 0, scale: 1 };
  /** Whether it is kept as large as fits. */
  #isFitted = true;
  #isOnly = false;
  #pointers = new Map();
  #settles = 0;
  /** @type {?(event: PointerEvent) => boolean} what takes a press before the map does */
  takesPress = null;

  /** @param {(node: string, scope?: string, element?: string) => boolean} choose */
  constructor(model, board, choose) {
    this.#model = model;
    this.#meters = new GraphMeters(board, () => ({
      at: this.#at, room: this.#room, isHeated: Boolean(this.#heat?.isOn), isOnly: this.#isOnly, isChoosing: Boolean(model.selected),
    }));
    this.#choose = choose;
    const search = make("input", {
      id: "graph-search", class: "entry search", type: "search", placeholder: "Find a node  /", "aria-label": "Find a node",
      autocomplete: "off", spellcheck: "false", oninput: () => this.#find(search.value),
      onkeydown: (event) => {
        if (event.key === "Enter") this.#goFound();
        else if (event.key === "Escape") {
          search.value = "";
          this.#find("");
          this.#view.focus();
        }
      },
    });
    byId("graph-title").after(search);
    model.hear("graph", (text) => this.#take(text));
    model.hear("metered", () => this.#meters.place(this.#drawing, this.#boxes));
    model.hear("selected", () => this.#markSelected());
    model.hear("view", () => requestAnimationFrame(() => {
      if (this.#isBegun) this.#draw();
      this.#resize();
    }));
    whenColoursChange(() => this.#meters.redraw());
    new ResizeObserver(() => this.#resize()).observe(this.#view);
    byId("graph-smaller").addEventListener("click", () => this.#zoomMiddle(1 / 1.4));
    byId("graph-larger").addEventListener("click", () => this.#zoomMiddle(1.4));
    byId("graph-fit").addEventListener("click", () => this.fit());
    byId("graph-only").addEventListener("click", () => this.#toggleOnly());
    this.#heat = new Heat(model, () => this.#meters.redraw());
    this.#listen();
    this.#text = model.drawing;
  }

  #listen() {
    const view = this.#view;
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.shiftKey || (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !event.ctrlKey)) {
        this.#move(-(event.deltaX || event.deltaY), event.shiftKey ? 0 : -event.deltaY);
        return;
      }
      const unit = event.deltaMode === 1 ? 30 : 1;
      // A pinch on a touchpad comes as a wheel with Control, in smaller parts.
      const factor = Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016));
      const box = view.getBoundingClientRect();
      this.#zoomAt(factor, event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    view.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.takesPress?.(event)) return;
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, from: [event.clientX, event.clientY] });
    });
    view.addEventListener("pointermove", (event) => this.#drag(event));
    const release = (event) => {
      this.#pointers.delete(event.pointerId);
      if (!this.#pointers.size) view.classList.remove("dragged");
    };
    view.addEventListener("pointerup", release);
    view.addEventListener("pointercancel", release);
    view.addEventListener("click", (event) => {
      if (this.#hasDragged) {
        this.#hasDragged = false;
        return;
      }
      this.#go(event.target, event);
    });
    view.addEventListener("dblclick", (event) => {
      if (!event.target.closest("g[data-node], g[data-callback], .edge")) this.fit();
    });
    view.addEventListener("keydown", (event) => this.#key(event));
    // The browser brings what has the focus into view by scrolling, which the map does itself.
    view.addEventListener("scroll", () => {
      view.scrollLeft = view.scrollTop = 0;
    });
    view.addEventListener("focusin", (event) => {
      const box = event.target.closest("g.box");
      if (box && box.matches(":focus-visible")) this.#bring(box);
    });
  }

  #hasDragged = false;

  #drag(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    const before = [...this.#pointers.values()].map(({ x, y }) => ({ x, y }));
    const far = Math.hypot(event.clientX - pointer.from[0], event.clientY - pointer.from[1]) > slack;
    if (!far && !this.#view.classList.contains("dragged")) return;
    if (!this.#view.classList.contains("dragged")) {
      this.#view.classList.add("dragged");
      this.#view.setPointerCapture(event.pointerId);
      this.#hasDragged = true;
    }
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    const now = [...this.#pointers.values()];
    if (now.length === 2) {
      const distance = ([one, other]) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
      const middleOf = ([one, other]) => [(one.x + other.x) / 2, (one.y + other.y) / 2];
      const box = this.#view.getBoundingClientRect();
      const [x, y] = middleOf(now);
      const [oldX, oldY] = middleOf(before);
      this.#move(x - oldX, y - oldY);
      this.#zoomAt(distance(now) / distance(before), x - box.left, y - box.top);
    } else if (now.length === 1) this.#move(event.clientX - before[0].x, event.clientY - before[0].y);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, button")) return;
    const { key } = event;
    const step = event.shiftKey ? 200 : 60;
    if ((key === "Enter" || key === " ") && event.target !== this.#view) this.#go(event.target, event);
    else if (key === "+" || key === "=") this.#zoomMiddle(1.4);
    else if (key === "-" || key === "−") this.#zoomMiddle(1 / 1.4);
    else if (key === "0") this.fit();
    else if (key === "f") this.#toggleOnly();
    else if (key === "h") this.#heat.toggle();
    else if (key === "Escape" && this.#model.selected) this.#model.select(null);
    else if (key.startsWith("Arrow")) {
      const box = event.target.closest?.("g.box");
      const forward = key === "ArrowRight" || key === "ArrowDown";
      if (box) this.#follow(box, key);
      else {
        const way = forward ? -step : step;
        this.#move(key === "ArrowLeft" || key === "ArrowRight" ? way : 0, key === "ArrowUp" || key === "ArrowDown" ? way : 0);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** From box to box, along the connections; up and down to the nearest. */
  #follow(box, key) {
    const { wiring } = this.#model;
    const name = box.dataset.node ?? box.dataset.callback;
    const boxes = [...this.#drawing.querySelectorAll("g.box")];
    let next;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const [other] = key === "ArrowLeft" ? wiring.into(name) : wiring.outOf(name);
      next = boxes.find(boxOf(other));
    } else {
      const here = box.getBoundingClientRect();
      const distance = (one) => {
        const there = one.getBoundingClientRect();
        const down = (there.top - here.top) * (key === "ArrowDown" ? 1 : -1);
        return down < 2 ? Infinity : down + Math.abs(there.left - here.left) * 2;
      };
      next = boxes.filter((one) => one.hasAttribute("tabindex"))
        .map((one) => [distance(one), one]).sort((one, other) => one[0] - other[0])[0];
      next = next && next[0] < Infinity ? next[1] : null;
    }
    if (next?.hasAttribute("tabindex")) {
      next.focus({ preventScroll: true });
      this.#bring(next);
    }
  }

  #text = "";
  /** Whether the drawing is of the graph that plays. */
  #isDrawn = false;
  #isBegun = false;
  /** The shape of the room that the drawing was laid out for. */
  #aspect = 1;

  /** Draws from now on, where the map is to be seen. */
  begin() {
    this.#isBegun = true;
    this.#draw();
  }

  get #isSeen() { return this.#view.clientWidth > 0; }

  #take(text) {
    this.#text = text;
    this.#isDrawn = false;
    if (this.#isBegun) this.#draw();
  }

  /** Counts drawings: one that is under way ends where another begins. */
  #turn = 0;

  /** Draws the graph, a part at a time: of hundreds of nodes all of it would keep the page from answering. */
  async #draw() {
    if (this.#isDrawn || !this.#text || !this.#isSeen) return;
    this.#isDrawn = true;
    const turn = ++this.#turn;
    const isLarge = this.#text.length > large;
    const pause = async () => {
      if (isLarge) await breath();
      return turn !== this.#turn;
    };
    const { clientWidth, clientHeight } = this.#view;
    this.#aspect = clientWidth / Math.max(1, clientHeight);
    const graph = readDrawing(this.#text);
    if (!graph || (isLarge && await pause())) return;
    const plan = layOut(graph, this.#aspect);
    if (isLarge && await pause()) return;
    const { hues } = this.#model;
    const names = plan.blocks.map((one) => one.title.split(":")[0]);
    const drawing = drawGraph(graph, plan, ({ title }) => hues.get(title.split(":")[0]) ?? names.indexOf(title.split(":")[0]) % 10);
    if (isLarge && !this.#drawing) this.#expect(plan);
    let drawn = drawing.next();
    for (; !drawn.done; drawn = drawing.next()) {
      if (!isLarge) continue;
      const picture = drawn.value;
      this.#lay(picture);
      if (!await pause()) continue;
      picture.remove();
      return;
    }
    this.#show(drawn.value);
  }

  /** Takes the place of a first drawing before it is there: what is put into it is then laid out once. */
  #expect({ width, height }) {
    this.#size = { width, height };
    this.fit();
  }

  /** Has a browser lay out what there is of a drawing, unseen: all at once would take it long. */
  #lay(picture) {
    if (picture.isConnected) return;
    picture.classList.add("unfinished");
    this.#sheet.append(picture);
    if (!this.#sheet.isConnected) this.#view.append(this.#sheet);
  }

  #show(drawn) {
    const focus = document.activeElement?.closest?.("#graph-view [data-node]")?.dataset.node;
    const isFirst = !this.#drawing;
    this.#drawing = drawn.element;
    this.#size = { width: drawn.width, height: drawn.height };
    this.#boxes.clear();
    for (const [element, box] of drawn.boxes) {
      this.#boxes.set(element, {
        x: box.x + drawn.margin, y: box.y + drawn.margin, width: box.width, height: box.height, box, isDetailed: false,
      });
    }
    this.#named = [...drawn.element.querySelectorAll(".name, .subgraph")];
    this.#nameSize = "";
    for (const other of [...this.#sheet.children]) if (other !== drawn.element) other.remove();
    // What is there is not put there again: it would be laid out again.
    if (!drawn.element.isConnected) this.#sheet.append(drawn.element);
    drawn.element.classList.remove("unfinished");
    if (this.#meters.canvas.parentElement !== this.#view || this.#sheet.parentElement !== this.#view) {
      for (const other of [...this.#view.childNodes]) if (other !== this.#sheet) other.remove();
      if (!this.#sheet.isConnected) this.#view.append(this.#sheet);
      this.#view.append(this.#meters.canvas);
    }
    this.#heat.show([...this.#boxes.keys()]);
    this.#markSelected();
    if (isFirst) this.#isFitted = true;
    this.#resize();
    if (focus) {
      this.#view.querySelector(`g[data-node="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
    }
  }

  /** What is written larger from afar, and how large that is. */
  #named = [];
  #nameSize = "";

  /** Where boxes are, in the drawing's own units. @type {Map<Element, any>} */
  #boxes = new Map();

  #nameOf(box) { return box.dataset.node ?? box.dataset.callback; }

  #go(target, event) {
    const bus = target.closest?.("circle[data-scope]");
    const edge = target.closest?.(".edge[data-to]");
    const box = target.closest?.("g.box");
    if (bus && this.#choose(bus.dataset.node, bus.dataset.scope, bus.dataset.element)) return;
    if (box && this.#nameOf(box)) this.#choose(this.#nameOf(box));
    else if (edge) {
      const { from, to } = edge.dataset;
      this.#model.select({ nodes: new Map([[nodeOf(from), null], [nodeOf(to), null]]), main: nodeOf(to), edge: { from, to } });
    } else if (!event?.key) this.#model.select(null);
  }

  // What is chosen

  #markSelected() {
    const { selected, wiring } = this.#model;
    const only = byId("graph-only");
    only.disabled = !selected;
    if (!selected) this.#isOnly = false;
    only.setAttribute("aria-pressed", String(this.#isOnly));
    if (!this.#drawing) return;
    const chosen = new Set(selected?.strip ? [selected.strip.node, ...selected.strip.chain] : selected ? selected.nodes.keys() : []);
    const shown = new Set(chosen);
    const main = selected?.main;
    if (main && !selected.edge) for (const node of [...wiring.into(main), ...wiring.outOf(main)]) shown.add(node);
    this.#drawing.classList.toggle("choosing", Boolean(selected));
    this.#drawing.classList.toggle("only", this.#isOnly);
    for (const box of this.#boxes.keys()) {
      const name = this.#nameOf(box) ?? box.dataset.tap;
      box.classList.toggle("chosen", name === main && !selected?.edge);
      box.classList.toggle("on-way", shown.has(name));
    }
    for (const edge of this.#drawing.querySelectorAll(".edge")) {
      const { from = "", to = "" } = edge.dataset;
      const isChosen = selected?.edge && selected.edge.from === from && selected.edge.to === to;
      const isNear = !selected?.edge && shown.has(nodeOf(from)) && shown.has(nodeOf(to))
        && (chosen.has(nodeOf(from)) || chosen.has(nodeOf(to)));
      edge.classList.toggle("on-way", Boolean(isChosen || isNear));
    }
    byId("graph-what").textContent = selected?.edge ? `${selected.edge.from} → ${selected.edge.to}`
      : main ? `${selected.strip?.name ?? main} and its neighbours` : "";
    this.#meters.followChoice();
    if (this.#isOnly) this.#fitChosen();
    this.#meters.redraw();
  }

  #toggleOnly() {
    if (!this.#model.selected) return;
    this.#isOnly = !this.#isOnly;
    this.#markSelected();
    if (!this.#isOnly) this.fit();
  }

  #fitChosen() {
    const boxes = [...this.#boxes].filter(([box]) => box.classList.contains("on-way")).map(([, place]) => place);
    if (boxes.length) this.#fitTo(boxes, 1.25);
  }

  #found = [];

  #find(text) {
    const wanted = text.trim().toLowerCase();
    this.#found = [];
    for (const box of this.#boxes.keys()) {
      const isFound = Boolean(wanted) && (box.querySelector("title")?.textContent ?? "").toLowerCase().includes(wanted);
      box.classList.toggle("sought", isFound);
      if (isFound) this.#found.push(box);
    }
    this.#drawing?.classList.toggle("seeking", Boolean(wanted));
    byId("graph-what").textContent = wanted ? (this.#found.length === 1 ? "1 found" : `${this.#found.length} found`) : "";
  }

  #goFound() {
    const [first] = this.#found;
    if (!first) return;
    this.#choose(this.#nameOf(first));
    this.#fitTo([this.#boxes.get(first)], 1);
  }

  // Size and place

  #resize() {
    const { clientWidth, clientHeight } = this.#view;
    if (!clientWidth || !this.#drawing) return;
    const aspect = clientWidth / Math.max(1, clientHeight);
    if (this.#isDrawn && (aspect > this.#aspect * otherRoom || aspect < this.#aspect / otherRoom) && this.#isFitted) {
      this.#isDrawn = false;
      this.#draw();
      return;
    }
    this.#room = { width: clientWidth, height: clientHeight };
    this.#meters.resize(this.#room);
    this.#meters.place(this.#drawing, this.#boxes);
    if (this.#isFitted) this.fit();
    else this.#put();
  }

  /** All of it, as large as there is room. */
  fit() {
    this.#isFitted = true;
    this.#fitTo([{ x: 0, y: 0, ...this.#size }], 1.25, 0);
  }

  #fitTo(boxes, most, edge = 24) {
    const left = Math.min(...boxes.map((box) => box.x)) - edge;
    const top = Math.min(...boxes.map((box) => box.y)) - edge;
    const right = Math.max(...boxes.map((box) => box.x + box.width)) + edge;
    const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + edge;
    const { clientWidth, clientHeight } = this.#view;
    if (!clientWidth) return;
    if (edge) this.#isFitted = false;
    const scale = Math.min(most, clientWidth / (right - left), clientHeight / (bottom - top));
    this.#at = {
      scale, x: (clientWidth - (right + left) * scale) / 2, y: (clientHeight - (bottom + top) * scale) / 2,
    };
    this.#put();
  }

  #bring(box) {
    const place = this.#boxes.get(box);
    if (!place) return;
    const { x, y, scale } = this.#at;
    const { clientWidth, clientHeight } = this.#view;
    const left = place.x * scale + x;
    const top = place.y * scale + y;
    const shift = (start, length, room) => (start < 8 ? 8 - start : start + length > room - 8 ? room - 8 - start - length : 0);
    const [dx, dy] = [shift(left, place.width * scale, clientWidth), shift(top, place.height * scale, clientHeight)];
    if (dx || dy) this.#move(dx, dy);
  }

  #zoomMiddle(factor) { this.#zoomAt(factor, this.#view.clientWidth / 2, this.#view.clientHeight / 2); }

  #zoomAt(factor, x, y) {
    const at = this.#at;
    const scale = Math.min(limits.most, Math.max(limits.least, at.scale * factor));
    const ratio = scale / at.scale;
    this.#at = { scale, x: x - (x - at.x) * ratio, y: y - (y - at.y) * ratio };
    this.#isFitted = false;
    this.#keepIn();
    this.#putSoon();
  }

  #move(dx, dy) {
    this.#at.x += dx;
    this.#at.y += dy;
    this.#isFitted = false;
    this.#keepIn();
    this.#putSoon();
  }

  /** Some of it always stays in sight. */
  #keepIn() {
    const { clientWidth, clientHeight } = this.#view;
    const { scale } = this.#at;
    const keep = 60;
    this.#at.x = Math.min(clientWidth - keep, Math.max(keep - this.#size.width * scale, this.#at.x));
    this.#at.y = Math.min(clientHeight - keep, Math.max(keep - this.#size.height * scale, this.#at.y));
  }

  #putSoon = onceAFrame(() => this.#put());

  #put() {
    const { x, y, scale } = this.#at;
    this.#view.classList.add("moving");
    this.#sheet.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    const detail = scale >= near ? "near" : scale >= middle ? "middle" : "far";
    if (this.#view.dataset.detail !== detail) this.#view.dataset.detail = detail;
    this.#meters.redraw();
    clearTimeout(this.#settles);
    // At rest it is drawn anew, sharp.
    this.#settles = setTimeout(() => {
      this.#view.classList.remove("moving");
      const size = `${Math.min(60, Math.max(13, 11 / this.#at.scale)).toFixed(1)}px`;
      // On the texts themselves: on the view it would be asked for by everything in it.
      if (size !== this.#nameSize) for (const text of this.#named) text.style.setProperty("--name-size", size);
      this.#nameSize = size;
      this.#detail();
    }, 160);
  }

  /** From near a box says more: what is seen gets it when it is seen. */
  #detail() {
    const { x, y, scale } = this.#at;
    if (scale < near) return;
    for (const [element, place] of this.#boxes) {
      if (place.isDetailed || (place.x + place.width) * scale + x < 0 || (place.y + place.height) * scale + y < 0
        || place.x * scale + x > this.#room.width || place.y * scale + y > this.#room.height) continue;
      place.isDetailed = true;
      element.append(...details(place.box));
    }
  }

  /** Where a bus is, on the view. */
  placeOf(mark) {
    const box = mark.closest("g.box");
    const place = this.#boxes.get(box);
    const { x, y, scale } = this.#at;
    return {
      x: (place.x + Number(mark.getAttribute("cx"))) * scale + x,
      y: (place.y + Number(mark.getAttribute("cy"))) * scale + y,
    };
  }
}
