// All strips in a row: what a mixing desk shows. Rows line up across strips; one canvas has all meters.

import { byId, make, onceAFrame, say } from "./dom.js";
import { Bridge } from "./bridge.js";
import { LevelSurface } from "./surface.js";
import { stripsOf } from "./strips.js";
import { levelTop, meterWidth, scaleDigits, StripView } from "./strip-view.js";
import { meterKey } from "./meters.js";
import { isNarrow } from "./views.js";

/** Widths of a strip, in pixels: the least, the most, and the most where there are few. */
const widths = { least: 54, most: 104, few: 208, fader: 132, full: 68 };
const few = 6;
const gap = 2;
const groupGap = 10;
const folded = 46;
/** How much of the canvas lies outside of what is seen, so that scrolling does not outrun it. */
const margin = 300;
const storeName = "patchrun-console";
const hues = 10;
/** So many strips are made at once, or drawn that are there, while there is nothing else to do. */
const mostAtOnce = { made: 4, drawn: 10 };

/**
 * How wide the strips of a row are that has not room for all, and how far its groups are apart, so that the last strip
 * in sight is seen whole, and nothing of the next one.
 * @param {number} room @param {StripView[]} open
 */
function fitted(room, open) {
  let [shown, gaps] = [1, 0];
  for (let index = 1; index < open.length; index += 1) {
    const more = gaps + (open[index].strip.group === open[index - 1].strip.group ? 0 : 1);
    if ((index + 1) * (widths.least + gap) - gap + more * groupGap > room) break;
    [shown, gaps] = [index + 1, more];
  }
  const width = Math.max(widths.least, Math.floor((room + gap - gaps * groupGap) / shown - gap));
  const rest = Math.max(0, room + gap - shown * (width + gap) - gaps * groupGap);
  return { width, between: groupGap + (gaps ? Math.floor(rest / gaps) : 0) };
}

/** @param {string} text */
const matches = (strip, text) =>
  [strip.name, strip.place, strip.group, strip.node, strip.to].some((one) => one.toLowerCase().includes(text));

/**
 * Calls when there is nothing else to do, and soon all the same: on a busy machine there may be no such time for minutes,
 * and the time limit of a browser's own idle calls is not kept.
 */
function whenIdle(call) {
  let isCalled = false;
  const once = () => {
    if (isCalled) return;
    isCalled = true;
    call();
  };
  globalThis.requestIdleCallback?.(once);
  setTimeout(once, globalThis.requestIdleCallback ? 250 : 16);
}

export class Console {
  #room;
  #solo;
  #select;
  #place = byId("console");
  /** @type {StripView[]} */
  #views = [];
  #groups = [];
  #signature = "";
  #text = "";
  /** What is kept for the next time: folded groups, pinned strips. */
  #kept = { folded: [], pinned: [], unpinned: [] };
  #rack; #inner; #pins; #chips; #count; #none; #metersOff; #search; #bridge;
  #surface; #pinSurface;
  /** @type {import("./strip-view.js").Desk} */
  #desk;
  #canvas = make("canvas", { class: "rack-meters", "aria-hidden": "true" });
  #pinCanvas = make("canvas", { class: "rack-meters", "aria-hidden": "true" });
  #left = -1;
  #height = 0;
  /** How long the row is. */
  #total = 0;
  /** Where the units of a small graph stand open. @type {HTMLElement} */
  units;

  /** @param {(strip: import("./strips.js").Strip) => void} select */
  constructor(room, board, solo, select) {
    this.#room = room;
    this.#solo = solo;
    this.#select = select;
    try {
      this.#kept = { ...this.#kept, ...JSON.parse(sessionStorage.getItem(storeName) ?? "{}") };
    } catch {
      // As if for the first time.
    }
    this.#frame();
    this.#surface = new LevelSurface(this.#canvas);
    this.#pinSurface = new LevelSurface(this.#pinCanvas);
    this.#desk = {
      room, board, solo, surfaces: { rack: this.#surface, pins: this.#pinSurface, bridge: this.#bridge.surface },
      // Meters that are far from what is seen are placed when it comes near them.
      placeSoon: (view) => this.#isInSight(view, margin) && this.#placeSoon(),
    };
    const { model } = room;
    model.hear("controls", () => this.#build());
    model.hear("feeds", () => this.#build());
    model.hear("value", () => this.#showStates());
    model.hear("soloed", () => this.#showStates());
    model.hear("selected", () => this.#markSelected());
    model.hear("view", () => this.#layOut());
    model.hear("meters", (meters) => this.#feedBridge(meters));
    model.hear("connection", ({ state }) => {
      if (state !== "open") for (const { key } of this.#views) this.#bridge.feed(key, []);
    });
    new ResizeObserver(() => {
      const { clientWidth } = this.#place;
      if (clientWidth === this.#width && this.#height === this.#place.clientHeight) return;
      this.#width = clientWidth;
      this.#height = this.#place.clientHeight;
      this.#layOut();
    }).observe(this.#place);
    this.#rack.addEventListener("scroll", () => {
      this.#scrolled = this.#rack.scrollLeft;
      for (const view of this.#views) if (view.isFar && this.#isInSight(view, margin)) view.isFar = false;
      this.#follow();
    }, { passive: true });
    this.#place.addEventListener("click", (event) => this.#press(event));
    this.#place.addEventListener("keydown", (event) => {
      const view = event.target.closest?.(".strip-name") && this.#viewOf(event.target);
      if (view) this.#key(event, view);
    });
    // A wheel that turns no control turns the rack.
    this.#rack.addEventListener("wheel", (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.deltaX !== 0) return;
      this.#rack.scrollLeft += event.deltaY;
    }, { passive: true });
  }

  /** The strip that an element is of. */
  #viewOf(element) { return this.#byKey.get(`bus ${element.closest("[data-strip]")?.dataset.strip}`); }

  #press(event) {
    const button = event.target.closest("button");
    const view = button && this.#viewOf(button);
    if (!view) return;
    const { classList } = button;
    if (classList.contains("mute")) this.#solo.mute(view.strip);
    else if (classList.contains("solo")) this.#solo.solo(view.strip, event.ctrlKey || event.metaKey);
    else if (classList.contains("strip-peak")) view.pressPeak();
    else if (classList.contains("strip-name") || classList.contains("strip-open")) this.#select(view.strip);
  }

  #store() { sessionStorage.setItem(storeName, JSON.stringify(this.#kept)); }

  #frame() {
    this.#search = make("input", {
      id: "strip-search", class: "entry search", type: "search", placeholder: matchMedia("(pointer: coarse)").matches ? "Search" : "Search strips  /",
      "aria-label": "Search strips", autocomplete: "off", spellcheck: "false",
      // Not at once: while a key is handled a browser lays out all that has changed, more than once.
      oninput: () => this.#filterSoon(),
      onkeydown: (event) => {
        if (event.key === "Escape") {
          this.#search.value = "";
          this.#filterSoon();
          this.#search.blur();
        } else if (event.key === "Enter") {
          this.#filter(this.#search.value);
          const first = this.#views.find((view) => !view.isHidden);
          if (first) this.#go(first);
        }
      },
    });
    this.#chips = make("div", { class: "chips", role: "group", "aria-label": "Groups" });
    this.#fadeChips = () => {
      const { scrollLeft, clientWidth, scrollWidth } = this.#chips;
      this.#chips.classList.toggle("more-left", scrollLeft > 1);
      this.#chips.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 1);
    };
    this.#chips.addEventListener("scroll", this.#fadeChips, { passive: true });
    new ResizeObserver(this.#fadeChips).observe(this.#chips);
    this.#count = make("p", { class: "quiet counts" });
    this.#metersOff = make("button", {
      type: "button", class: "slight", id: "meters-on", hidden: true, onclick: () => this.#meterAll(),
    });
    const clear = make("button", {
      type: "button", class: "slight", id: "solo-clear", onclick: () => this.#solo.clear(),
    }, "No solo");
    this.#room.model.hear("soloed", () => (clear.hidden = this.#solo.soloedStrips.length === 0));
    clear.hidden = true;
    this.#bridge = new Bridge((x) => this.#rack.scrollTo({ left: x - this.#rack.clientWidth / 2, behavior: "instant" }));
    this.#none = make("p", { class: "none", hidden: true });
    this.units = make("div", { class: "units", role: "group", "aria-label": "Units" });
    this.#inner = make("div", { class: "rack-inner" }, this.#canvas);
    this.#rack = make("div", { class: "rack", role: "group", "aria-label": "Strips" }, this.#inner);
    this.#pins = make("div", { class: "pins", role: "group", "aria-label": "Pinned strips" }, this.#pinCanvas);
    this.#place.append(
      make("div", { class: "head-line" }, this.#search, this.#chips, this.#metersOff, clear, this.#count),
      this.#bridge.element, this.#none, make("div", { class: "rack-row" }, this.#rack, this.units, this.#pins));
  }

  // What there is

  #build() {
    const { model } = this.#room;
    // Both are on their way: strips that are made of one of them would be made twice.
    if (!model.isWired) return;
    const { strips, groups } = stripsOf(model);
    const signature = JSON.stringify([model.version, strips.map((strip) => ({ ...strip, controls: 0, fader: 0 }))]);
    if (signature === this.#signature) return;
    this.#signature = signature;
    const { activeElement } = document;
    const focus = activeElement?.closest?.("[data-strip]")?.dataset.strip;
    const focused = activeElement?.dataset?.slider;
    for (const view of this.#views) view.end();
    this.#groups = groups;
    model.hues = new Map(groups.map((group, index) => [group, index % hues]));
    this.#solo.setStrips(strips);
    this.#views = strips.map((strip, index) => new StripView(strip, this.#desk, groups.indexOf(strip.group) % hues, index));
    this.#byKey = new Map(this.#views.map((view) => [view.key, view]));
    this.#showChips();
    this.#filter(this.#text);
    this.#showStates();
    this.#markSelected();
    if (focus) {
      const view = this.#views.find((one) => one.strip.id === focus);
      if (view) this.#complete(view);
      (view?.element.querySelector(focused ? `[data-slider="${CSS.escape(focused)}"]` : ".strip-name")
        ?? view?.element.querySelector(".strip-name"))?.focus();
    }
    model.tell("strips", strips);
  }

  #isPinned(strip) {
    return this.#kept.pinned.includes(strip.id)
      || (strip.isMain && !this.#kept.unpinned.includes(strip.id));
  }

  /** Fills the strips in sight at once, and the others while there is nothing else to do. */
  #fill() {
    for (const view of this.#views) if (!view.isHidden && this.#isInSight(view)) this.#complete(view);
    if (!this.#isFilling) this.#fillOn();
  }

  #isFilling = false;

  #fillOn() {
    this.#isFilling = true;
    whenIdle(() => {
      let made = 0;
      for (const view of this.#views) {
        if (view.isDone && !view.isFar) continue;
        made += view.isDone ? 1 / mostAtOnce.drawn : 1 / mostAtOnce.made;
        this.#complete(view);
        if (made > 0.99) break;
      }
      if (made) {
        this.#fillOn();
        return;
      }
      this.#isFilling = false;
      for (const call of this.#waiting.splice(0)) call();
    });
  }

  /** @type {(() => void)[]} */
  #waiting = [];

  /** When all strips are made. */
  get whole() {
    return this.#isFilling ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** Makes a strip, and has it drawn. */
  #complete(view) {
    if (!view.isDone) {
      view.complete();
      if (this.#room.model.selected?.strip?.id === view.strip.id) this.#mark(view, true);
      this.#put(view);
    }
    view.isFar = false;
  }

  /** Puts a strip where it is laid out, in its place among those before and behind: the Tab key goes by it. */
  #put(view) {
    const { element } = view;
    if (!element) return;
    element.hidden = view.isHidden;
    if (view.isHidden) return;
    element.style.left = `${view.x}px`;
    element.style.width = `${view.width}px`;
    element.style.setProperty("--meter", `${meterWidth(view)}px`);
    element.classList.toggle("narrow", view.width < widths.full);
    // What has another place, and is not in sight, is drawn while there is nothing else to do.
    view.isFar = !this.#isInSight(view) && !element.contains(document.activeElement);
    const parent = view.isPinned ? this.#pins : this.#inner;
    if (element.parentElement !== parent) parent.insertBefore(element, this.#behind(view, parent));
  }

  /** The element of the next strip that is there. */
  #behind(view, parent) {
    for (let index = view.index + 1; index < this.#views.length; index += 1) {
      const { element } = this.#views[index];
      if (element?.parentElement === parent) return element;
    }
    return null;
  }

  // Meters

  #off() {
    return this.#views.map((view) => view.strip.controls.get("meteringMode"))
      .filter((control) => control && control.isWritable
        && [false, 0].includes(this.#room.model.value(control.pointer)));
  }

  #meterAll() {
    const values = Object.fromEntries(this.#off().map((control) => [control.pointer, true]));
    this.#room.changes.set(values, "all meters on");
    this.#room.changes.endGesture();
  }

  // Places

  #visible() {
    return this.#views.filter((view) => !view.isHidden && !view.isPinned);
  }

  /** How wide the console is, the rack in it, and how far that is scrolled: read once, and not while it is built. */
  #width = 0;
  #rackWidth = 0;
  #scrolled = 0;

  /** Lays out the row. All of it is arithmetic but the width of the console. */
  #layOut() {
    if (!this.#views.length || document.body.dataset.view !== "console") return;
    this.#width ||= this.#place.clientWidth;
    if (!this.#width) return;
    for (const view of this.#views) view.isPinned = this.#isPinned(view.strip);
    const pinned = this.#views.filter((view) => view.isPinned);
    const text = this.#text;
    for (const view of this.#views) view.isHidden = Boolean(text) && !matches(view.strip, text) && !view.isPinned;
    const free = this.#visible();
    const isFew = this.#views.length <= few;
    const open = free.filter((view) => text || !this.#kept.folded.includes(view.strip.group));
    const pin = this.#width < 700 ? widths.least + 8 : widths.most;
    const beside = isFew ? 0 : pinned.length * (pin + gap);
    const spare = this.#width - 36 - beside - groupGap * this.#groups.length;
    const count = Math.max(1, open.length + (isFew ? pinned.length : 0));
    const room = this.#width - (isNarrow.matches ? 26 : 34) - beside;
    const { width, between } = spare / count - gap < widths.least ? fitted(room, open)
      : { width: Math.floor(Math.min(isFew ? widths.few : widths.most, spare / count - gap)), between: groupGap };
    let x = 0;
    let group = null;
    for (const element of this.#inner.querySelectorAll(".folded")) element.remove();
    for (const view of free) {
      const { strip } = view;
      if (group !== null && strip.group !== group) x += between;
      const isFirst = strip.group !== group;
      group = strip.group;
      const isFolded = !text && this.#kept.folded.includes(group);
      if (isFolded) {
        view.isHidden = true;
        if (isFirst) {
          this.#inner.insertBefore(this.#foldedView(group, x), this.#behind(view, this.#inner));
          x += folded + gap;
        }
        continue;
      }
      view.x = x;
      view.width = strip.scope ? width : Math.max(width, 92);
      x += view.width + gap;
    }
    let at = 0;
    for (const view of pinned) {
      view.x = at;
      view.width = isFew ? width : pin;
      at += view.width + gap;
    }
    this.#inner.style.width = `${Math.max(0, x - gap)}px`;
    this.#pins.style.width = `${at}px`;
    this.#pins.hidden = pinned.length === 0;
    this.#bridge.isHidden = x - gap <= this.#width - 34 - at;
    this.#rack.style.flexGrow = this.#bridge.isHidden ? "0" : "1";
    this.#rack.style.flexBasis = this.#bridge.isHidden ? `${Math.max(0, x - gap)}px` : "0";
    this.#total = x;
    this.#rackWidth = this.#bridge.isHidden ? x : this.#width - 34 - at;
    // A row that has become shorter is scrolled back by the browser, which tells of that a frame later.
    this.#scrolled = Math.min(this.#scrolled, Math.max(0, x - gap - this.#rackWidth));
    for (const view of this.#views) this.#put(view);
    this.#placeSoon();
    this.#fillSoon();
  }

  #isInSight({ x, width, isPinned }, around = 0) {
    return isPinned || (x + width > this.#scrolled - around && x < this.#scrolled + this.#rackWidth + around);
  }

  #isPlacing = false;
  #hasPlaced = false;
  #placeSoon() {
    if (this.#isPlacing) return;
    this.#isPlacing = true;
    const place = () => {
      this.#isPlacing = false;
      this.#hasPlaced = true;
      this.#placeMeters();
    };
    // For the first time when there is something to be seen: strips can be turned before.
    requestAnimationFrame(() => (this.#hasPlaced ? place() : requestAnimationFrame(place)));
  }

  #fillSoon() {
    if (this.#views.some((view) => !view.isDone || view.isFar)) this.#fill();
  }

  /** Reads where the meters' rows are, once, and lays the canvases over them. */
  #placeMeters() {
    // First all is read, then all is written: in turns the page would be laid out as often.
    const sample = this.#views.find((view) => view.meter && !view.isHidden && this.#isInSight(view));
    if (!sample || !this.#rack.clientWidth) return;
    const inner = sample.element.parentElement.getBoundingClientRect();
    const area = sample.meter.getBoundingClientRect();
    const inset = 6;
    const top = Math.round(area.top - inner.top) - inset;
    const height = Math.round(area.height) + 2 * inset;
    const bridge = this.#bridge.element.clientWidth;
    const pins = this.#pins.clientWidth;
    this.#rackWidth = this.#rack.clientWidth;
    this.#scrolled = this.#rack.scrollLeft;
    this.#rowTop = top;
    this.#rowHeight = height;
    this.#left = -1;
    this.#bridge.layOut(bridge, this.#total, this.#views, (group) => this.#groups.indexOf(group) % hues);
    this.#follow();
    const places = new Map();
    for (const view of this.#views) {
      if (view.isPinned && view.isDone && view.strip.scope) places.set(view.key, this.#meterPlace(view, 0));
    }
    this.#pinCanvas.style.top = `${top}px`;
    this.#pinSurface.layOut(Math.max(1, pins), height, inset, places);
  }

  #rowTop = 0;
  #rowHeight = 0;

  /** Where the column of a meter is: at the right of its strip, as the style sheet has it. */
  #meterPlace(view, left) {
    const width = meterWidth(view);
    const area = Math.min(view.width - (view.width < widths.full ? 4 : 8), widths.fader);
    const side = view.width < widths.full ? 2 : 4;
    const x = Math.round(view.x - left + (view.width + area) / 2 - side - width);
    const start = view.x - left + (view.width - area) / 2 + (view.width < widths.full ? 22 : 30);
    const top = levelTop(view.strip);
    return { x, width, top, digits: { x: Math.round((start + x) / 2) - (view.width < widths.full ? 1 : 0), marks: scaleDigits(top) } };
  }

  /** The canvas goes with what is seen, in steps. */
  #follow() {
    const [scrollLeft, clientWidth] = [this.#scrolled, this.#rackWidth];
    this.#bridge.show(scrollLeft, clientWidth);
    if (this.#left >= 0 && Math.abs(scrollLeft - margin - this.#left) < margin * 0.7 && this.#left >= 0
      && !(this.#left > 0 && scrollLeft < this.#left)) return;
    const left = Math.max(0, Math.round(scrollLeft - margin));
    this.#left = left;
    const width = Math.min(clientWidth + 2 * margin, Math.max(1, this.#total - gap - left));
    const places = new Map();
    for (const view of this.#views) {
      if (view.isPinned || view.isHidden || !view.isDone || !view.strip.scope) continue;
      if (view.x + view.width < left || view.x > left + width) continue;
      places.set(view.key, this.#meterPlace(view, left));
    }
    this.#canvas.style.left = `${left}px`;
    this.#canvas.style.top = `${this.#rowTop}px`;
    this.#surface.layOut(width, this.#rowHeight, 6, places);
    this.#fillSoon();
  }

  // Groups

  /** Shows whether there are more than there is room for. */
  #fadeChips = () => {};

  #showChips() {
    const count = (group) => this.#views.filter((view) => view.strip.group === group).length;
    this.#chips.replaceChildren(...(this.#groups.length < 2 ? [] : this.#groups).map((group, index) => {
      const chip = make("button", {
        type: "button", class: "chip", "data-hue": index % hues, "data-group": group,
        "aria-expanded": String(!this.#kept.folded.includes(group)),
        title: `Fold ${group} away, or open it`, onclick: () => this.#fold(group),
      }, group, make("span", { class: "quiet" }, ` ${count(group)}`));
      return chip;
    }));
    setTimeout(this.#fadeChips, 200);
  }

  #fold(group) {
    const { folded: list } = this.#kept;
    this.#kept.folded = list.includes(group) ? list.filter((one) => one !== group) : [...list, group];
    this.#store();
    for (const chip of this.#chips.children) {
      chip.setAttribute("aria-expanded", String(!this.#kept.folded.includes(chip.dataset.group)));
    }
    this.#layOut();
  }

  #foldedView(group, x) {
    const element = make("button", {
      type: "button", class: "folded", "data-hue": this.#groups.indexOf(group) % hues,
      "aria-label": `Open ${group}`, onclick: () => this.#fold(group),
    }, make("span", {}, group));
    element.style.left = `${x}px`;
    element.style.width = `${folded}px`;
    return element;
  }

  /** Strips by what their meters are found by. @type {Map<string, StripView>} */
  #byKey = new Map();

  #feedBridge(meters) {
    if (this.#bridge.isHidden || document.body.dataset.view !== "console") return;
    for (const meter of meters) {
      const view = this.#byKey.get(meterKey(meter));
      if (view && !view.isOff) this.#bridge.feed(view.key, meter.levels ?? []);
    }
  }

  // What is to be seen

  #filterSoon = onceAFrame(() => this.#filter(this.#search.value));

  #filter(text) {
    this.#text = text.trim().toLowerCase();
    this.#layOut();
    const isNone = this.#text && !this.#visible().length;
    this.#none.hidden = !isNone;
    if (isNone) {
      this.#none.replaceChildren(`No strip has “${text.trim()}” in its name. `,
        make("button", {
          type: "button", class: "slight",
          onclick: () => {
            this.#search.value = "";
            this.#filter("");
            this.#search.focus();
          },
        }, "Show all"));
    }
  }

  #go(view) {
    this.#complete(view);
    view.element.querySelector(".strip-name").focus({ preventScroll: true });
    this.#bring(view);
    this.#select(view.strip);
  }

  #bring(view) {
    if (view.isPinned) return;
    const { scrollLeft, clientWidth } = this.#rack;
    if (view.x < scrollLeft) this.#rack.scrollTo({ left: view.x - 8, behavior: "instant" });
    else if (view.x + view.width > scrollLeft + clientWidth) {
      this.#rack.scrollTo({ left: view.x + view.width - clientWidth + 8, behavior: "instant" });
    }
  }

  /** Brings the focus to the strip of a bus; whether there is one. */
  reveal(id) {
    const view = this.#views.find((one) => one.strip.id === id);
    if (!view) return false;
    if (this.#kept.folded.includes(view.strip.group)) this.#fold(view.strip.group);
    this.#go(view);
    return true;
  }

  #key(event, view) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "arrowright" || key === "arrowleft") {
      const row = [...this.#visible(), ...this.#views.filter((one) => one.isPinned)];
      const next = row[row.indexOf(view) + (key === "arrowright" ? 1 : -1)];
      if (next) {
        this.#complete(next);
        this.#bring(next);
        next.element.querySelector(".strip-name").focus({ preventScroll: true });
      }
    } else if (key === "m") this.#solo.mute(view.strip);
    else if (key === "s") this.#solo.solo(view.strip);
    else if (key === "p") this.pin(view.strip);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  isPinned(strip) { return this.#isPinned(strip); }

  pin(strip) {
    const { id } = strip;
    if (this.#isPinned(strip)) {
      this.#kept.pinned = this.#kept.pinned.filter((one) => one !== id);
      this.#kept.unpinned.push(id);
    } else {
      this.#kept.unpinned = this.#kept.unpinned.filter((one) => one !== id);
      this.#kept.pinned.push(id);
    }
    this.#store();
    const hadFocus = document.activeElement?.closest("[data-strip]")?.dataset.strip === id;
    this.#layOut();
    const view = this.#views.find((one) => one.strip.id === id);
    if (hadFocus) view?.element.querySelector(".strip-name").focus({ preventScroll: true });
    this.#room.model.tell("pinned", id);
  }

  #showStates = onceAFrame(() => {
    for (const view of this.#views) view.showState();
    this.#solo.write(this.#count);
    const off = this.#off().length;
    this.#metersOff.hidden = off === 0;
    say(this.#metersOff, off === 1 ? "Turn 1 meter on" : `Turn ${off} meters on`);
  });

  #markSelected() {
    const id = this.#room.model.selected?.strip?.id;
    for (const view of this.#views) this.#mark(view, view.strip.id === id);
  }

  #mark({ element }, isSelected) {
    element?.classList.toggle("selected", isSelected);
    element?.firstElementChild.setAttribute("aria-current", String(isSelected));
  }
}
