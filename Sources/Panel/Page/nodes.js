// The inspector: the controls of the nodes that are chosen. Those of the whole unit, then a strip for each bus.

import { make, say, uniqueId } from "./dom.js";
import { controlView, description, isFader } from "./controls.js";
import { levelMeter } from "./meters.js";
import { responseView } from "./response.js";
import { padView } from "./pad.js";
import { trigger } from "./server.js";

/** What stands on a strip at once; the rest is behind "More". */
const primary = new Set([
  "enable", "volume", "gain", "pan", "azimuth", "elevation", "distance", "reverbBlend", "meteringMode",
]);
/** So many crosspoints of a matrix have a meter at once. */
const mostCrosspoints = 256;
/** So many cards stand there while nothing is chosen. */
const mostCards = 6;
/** From top to bottom. */
const order = ["enable", "meteringMode", "azimuth", "elevation", "distance", "reverbBlend", "pan"];

/** The kinds of callbacks whose sound has a beginning. */
const beginning = new Set(["file", "sweep", "impulse", "expression"]);

/** The controls of an equalizer by its bands, and those that are of no band. */
function bandsOf(controls) {
  const bands = new Map();
  const others = [];
  for (const control of controls) {
    const [, number] = control.title.match(/^Band (\d+) /) ?? [];
    if (number === undefined) others.push(control);
    else {
      const band = bands.get(number) ?? { number, controls: [], bypass: null };
      bands.set(number, band);
      band.controls.push(control);
      if (/bypass/i.test(control.name)) band.bypass = control;
    }
  }
  return { bands: [...bands.values()], others };
}

const grouped = (list, key) => {
  const groups = new Map();
  for (const item of list) {
    const name = key(item);
    if (groups.has(name)) groups.get(name).push(item);
    else groups.set(name, [item]);
  }
  return groups;
};

export class NodeCards {
  #room;
  #board;
  #place;
  /** @type {Map<string, { element: HTMLElement, signature: string, end: () => void }>} */
  #cards = new Map();

  /** Whether it is the row of units beside the strips of a small graph, in the place of the inspector. */
  #isRow;

  constructor(room, board, place, isRow = false) {
    this.#room = room;
    this.#board = board;
    this.#place = place;
    this.#isRow = isRow;
    room.model.hear("controls", () => this.#build());
    room.model.hear("feeds", () => this.#build());
    room.model.hear("selected", () => this.#build());
    room.model.hear("metered", () => {
      for (const card of this.#cards.values()) card.meter();
    });
  }

  /** Brings the focus to the controls of a node, which is chosen; false where it has none. */
  focus(node, scope, element) {
    const card = this.#cards.get(node)?.element;
    if (!card) return false;
    const strip = scope && [...card.querySelectorAll(".strip")]
      .find((one) => one.dataset.bus === `${scope}/${element}`);
    if (strip) strip.closest("details:not([open])")?.setAttribute("open", "");
    const target = strip || card;
    target.scrollIntoView({ block: "nearest" });
    card.classList.remove("found");
    requestAnimationFrame(() => card.classList.add("found"));
    (target.querySelector("[data-slider]") ?? card.querySelector("h2")).focus({ preventScroll: true });
    return true;
  }

  /** The nodes that are chosen, with their controls; all of them where nothing is, and there are few. */
  #shown() {
    const { model } = this.#room;
    const all = grouped(model.controls.values(), (control) => control.node);
    if (this.#isRow) {
      if (!document.body.hasAttribute("data-few")) return new Map();
      return new Map([...all].filter(([node, controls]) =>
        !model.sources.has(node) && !/mixer$|IO$|Output$/i.test(controls[0].component)));
    }
    const chosen = model.selected?.nodes;
    if (!chosen) return all.size <= mostCards ? all : new Map();
    const shown = new Map();
    for (const [node, buses] of chosen) {
      const controls = all.get(node)?.filter((control) => !buses || control.scope === "global"
        || buses.has(`${control.scope}/${control.element}`));
      if (controls?.length) shown.set(node, controls);
    }
    return shown;
  }

  #isBegun = false;

  /** Builds from now on: what is turned first is on the strips. */
  begin() {
    this.#isBegun = true;
    this.#build();
  }

  #build() {
    if (!this.#isBegun) return;
    const { model } = this.#room;
    const nodes = this.#shown();
    const focus = document.activeElement?.dataset?.slider;
    for (const [node, card] of this.#cards) {
      if (nodes.has(node)) continue;
      card.end();
      card.element.remove();
      this.#cards.delete(node);
    }
    for (const [node, controls] of nodes) {
      const signature = JSON.stringify(controls.map((control) =>
        [{ ...control, value: 0, isInDocument: 0, isScheduled: 0 },
          model.feeds.get(`${node}/${control.scope}/${control.element}`),
          model.latencies.get(`${node}/${control.scope}/${control.element}`)])
        .concat([[model.latencies.get(`${node}/output/0`), this.#begins(node, controls[0].component)]]));
      const known = this.#cards.get(node);
      if (known?.signature !== signature) {
        known?.end();
        const card = { ...this.#card(node, controls), signature };
        if (known) known.element.replaceWith(card.element);
        this.#cards.set(node, card);
      }
      this.#place.append(this.#cards.get(node).element);
    }
    this.#place.hidden = this.#isRow && !nodes.size;
    if (this.#isRow) return;
    this.#showHead(nodes.size);
    if (focus) this.#place.querySelector(`[data-slider="${CSS.escape(focus)}"]`)?.focus();
    model.tell("built");
  }

  /** What is chosen, and the way of its sound: each part leads to its card. */
  #showHead(count) {
    const { model } = this.#room;
    const { selected } = model;
    const chain = selected ? [...selected.nodes.keys()] : [];
    const { strip } = selected ?? {};
    const title = strip ? strip.name : selected?.main ?? "";
    this.#head.replaceChildren(
      selected ? make("h2", {}, title, make("span", { class: "component" }, strip?.place ?? "")) : "",
      chain.length > 1 ? make("p", { class: "way" }, ...chain.map((node) => make("button", {
        type: "button", class: "slight", "data-way": node, disabled: !this.#cards.has(node),
        onclick: () => this.focus(node),
      }, node))) : "",
      selected && !count ? make("p", { class: "quiet" }, "There is nothing to turn here.") : "",
      selected ? make("div", { class: "buttons small" },
        !count && this.#begins(selected.main) ? this.#triggerButton(selected.main) : "",
        strip?.scope && this.pin ? make("button", {
          type: "button", class: "slight", "aria-pressed": String(this.pin.isPinned(strip)),
          onclick: () => this.pin.pin(strip),
        }, "Pin") : "",
        make("button", { type: "button", class: "slight", id: "select-none", onclick: () => model.select(null) },
          "Choose none")) : "");
    this.#head.hidden = !selected;
    this.#place.prepend(this.#head);
  }

  #head = make("div", { class: "inspector-head" });
  /** What pins strips. @type {?{ isPinned: (strip: any) => boolean, pin: (strip: any) => void }} */
  pin = null;

  #card(node, controls) {
    const { model } = this.#room;
    const ends = [];
    const room = {
      ...this.#room, watch: (pointer, call) => ends.push(model.watch(pointer, call)),
    };
    const titleId = uniqueId("node");
    const info = make("p", { class: "info", "aria-hidden": "true" });
    const element = make("section", {
      class: "panel node", "aria-labelledby": titleId, [this.#isRow ? "data-unit" : "data-card"]: node,
    },
      make("div", { class: "head-line" },
        make("h2", { id: titleId, tabindex: -1 }, node,
          make("span", { class: "component" }, controls[0].component),
          ...this.#latency(`${node}/output/0`)),
        this.#begins(node, controls[0].component) ? this.#triggerButton(node) : null, info));
    const { bands, others: global } = bandsOf(controls.filter((control) => control.scope === "global"));
    const body = make("div", { class: "node-body" });
    for (const band of bands) body.append(this.#band(node, band, room));
    if (global.length) {
      body.append(make("div", { class: "global", role: "group", "aria-label": `${node}, the whole unit` },
        ...global.map((control) => controlView(control, room))));
    }
    if (/eq/i.test(controls[0].component)) {
      const view = responseView(node, room);
      ends.push(view.end);
      body.append(view.element);
    }
    const matrix = this.#matrixMeters(node);
    ends.push(matrix.end);
    body.append(matrix.element);
    const inputs = controls.filter((control) => control.scope === "input");
    const sources = grouped(inputs, (control) => control.element);
    const isSpatial = inputs.some((control) => control.name === "azimuth");
    if (isSpatial) {
      const view = padView(node, sources, room);
      ends.push(view.end);
      body.append(view.element);
    }
    const buses = grouped(controls.filter((control) => control.scope !== "global"),
      (control) => `${control.scope}/${control.element}`);
    if (buses.size) {
      const strips = make("div", { class: buses.size > 16 ? "strips dense" : "strips" });
      const idle = [];
      for (const bus of buses.values()) {
        const strip = this.#strip(bus, room, ends);
        if (bus[0].isUsed === false) idle.push(strip);
        else strips.append(strip);
      }
      body.append(strips);
      if (idle.length) {
        const count = idle.length === 1 ? "A bus" : `${idle.length} buses`;
        body.append(make("details", { class: "idle" },
          make("summary", {}, `${count} that nothing is connected to`),
          make("div", { class: "strips" }, ...idle)));
      }
    }
    element.append(body);
    const tell = (event) => {
      const pointer = event.target.closest?.("[data-pointer]")?.dataset.pointer;
      const control = model.controls.get(pointer);
      say(info, control ? `${model.fullTitle(control)}. ${description(control)}` : "");
    };
    element.addEventListener("focusin", tell);
    element.addEventListener("pointerover", tell);
    return { element, meter: matrix.meter, end: () => ends.forEach((end) => end()) };
  }

  /** Whether a callback's sound has a beginning. */
  #begins(node, kind = this.#room.model.document?.callbacks?.[node]?.kind) {
    return this.#room.model.sources.has(node) && beginning.has(kind);
  }

  #triggerButton(node) {
    return make("button", {
      type: "button", class: "slight", "data-trigger": node, "aria-label": `Trigger ${node}`,
      title: "The sound begins again", onclick: () => this.#trigger(node),
    }, "Trigger");
  }

  async #trigger(node) {
    try {
      await trigger(node);
      this.messages?.clear("trigger");
    } catch (error) {
      this.messages?.show("trigger", "Not triggered", error.text ?? error.message);
    }
  }

  /** What the page has to say. @type {?import("./messages.js").Messages} */
  messages = null;

  /** The controls of a band, folded away while it is bypassed. */
  #band(node, { number, controls, bypass }, room) {
    const views = make("div", { class: "dials" }, ...controls.map((control) => controlView(control, room)));
    const state = make("span", { class: "quiet" });
    const isOff = () => [true, 1].includes(room.model.value(bypass?.pointer));
    const details = make("details", { class: "band", open: !isOff() },
      make("summary", { "aria-label": `Band ${number} of ${node}` }, `Band ${number} `, state), views);
    if (bypass) room.watch(bypass.pointer, () => say(state, isOff() ? "off" : ""));
    return details;
  }

  /** The meters of a matrix's open crosspoints and of its master, which come and go with its metering. */
  #matrixMeters(node) {
    const start = `bus ${node}/global/`;
    const element = make("div", {
      class: "strips dense", role: "group", "aria-label": `${node}, crosspoints`, hidden: true,
    });
    const strips = new Map();
    const meter = () => {
      const keys = this.#board.keys.filter((key) => key.startsWith(start)).slice(0, mostCrosspoints);
      for (const [key, strip] of strips) {
        if (keys.includes(key)) continue;
        strip.remove();
        strips.delete(key);
      }
      for (const key of keys) {
        if (strips.has(key)) continue;
        const { input, output } = this.#board.latest(key);
        const title = input === undefined ? "Master" : `${input} → ${output}`;
        const view = levelMeter(this.#board, key, `Level, ${node} ${title}`);
        view.element.append(view.number);
        const strip = make("div", { class: "strip", role: "group", "aria-label": `${node}, ${title}` },
          make("p", { class: "strip-title" }, make("strong", {}, title)), view.element);
        element.append(strip);
        strips.set(key, { remove: () => { view.remove(); strip.remove(); } });
      }
      element.hidden = !strips.size;
    };
    meter();
    return { element, meter, end: () => strips.forEach((strip) => strip.remove()) };
  }

  /** How late what crosses a bus is behind the sources; nothing where it is not. */
  #latency(bus) {
    const text = this.#room.model.latencies.get(bus);
    return text ? [make("span", { class: "bus-latency", title: "behind the sources of the graph" }, text)] : [];
  }

  #strip(controls, room, ends) {
    const { model } = room;
    const [first] = controls;
    const title = model.elementTitle(first);
    const [bus, name] = title.split(" · ");
    const isSmall = controls.length <= 4;
    const main = controls.filter(isFader)[0];
    const others = controls.filter((control) => control !== main);
    const shown = others.filter((control) => isSmall || primary.has(control.name));
    shown.sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
    const hidden = others.filter((control) => !shown.includes(control));
    const canMeter = controls.some((control) => control.name === "meteringMode");
    let meter = null;
    if (canMeter) {
      meter = levelMeter(this.#board, `bus ${first.node}/${first.scope}/${first.element}`,
        `Level, ${first.node} ${first.scope} ${first.element}`);
      ends.push(meter.remove);
      meter.element.append(meter.number);
      const metering = controls.find((control) => control.name === "meteringMode");
      const { element: column } = meter;
      room.watch(metering.pointer, (value) => column.classList.toggle("unmetered", !(value === true || value === 1)));
    }
    const strip = make("div", {
      class: `strip ${first.scope}`, role: "group", "aria-label": `${first.node}, ${title}`,
      "data-bus": `${first.scope}/${first.element}`,
    }, make("p", { class: "strip-title", title }, make("span", { class: "bus-name" }, bus),
      make("strong", {}, name ?? " "),
      ...this.#latency(`${first.node}/${first.scope}/${first.element}`)));
    const dials = make("div", { class: "dials" },
      ...shown.map((control) => controlView(control, room)));
    if (shown.length) strip.append(dials);
    if (main) strip.append(controlView(main, room, meter?.element));
    else if (meter) strip.append(meter.element);
    if (hidden.length) {
      const more = make("div", { class: "dials" });
      const details = make("details", {
        class: "more",
        ontoggle: () => {
          if (details.open && !more.childElementCount) {
            more.append(...hidden.map((control) => controlView(control, room)));
          }
        },
      }, make("summary", { "aria-label": `More of ${first.node}, ${title}` }, "More"), more);
      strip.append(details);
    }
    const enable = controls.find((control) => control.name === "enable");
    if (enable) {
      room.watch(enable.pointer, (value) =>
        strip.classList.toggle("off", value === false || value === 0));
    }
    return strip;
  }
}
