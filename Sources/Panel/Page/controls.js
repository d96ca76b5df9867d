// A view for each kind of control: fader, dial, switch, list, field.

import { copies, make, makeSVG, say, uniqueId, whenTouched } from "./dom.js";
import { scaleOf, levelPosition, floor } from "./scales.js";
import { adjustable, typable } from "./adjust.js";

/**
 * What views are made with. `watch` is the model's, until the view is taken away.
 * @typedef {{ model: import("./model.js").Model, changes: import("./changes.js").Changes,
 *   watch: (pointer: string, call: (value: any) => void) => void }} Room
 */
/** @typedef {import("./model.js").Control} Control */

const isRanged = (control) => control.minimum !== null && control.maximum !== null;

/** What a value is called. */
export function valueText(control, value) {
  if (control.kind === "switch") return value ? "on" : "off";
  if (control.kind === "list") return choiceOf(control, value)?.title ?? String(value);
  if (typeof value !== "number") return JSON.stringify(value);
  const text = scaleOf(control).write(value);
  return control.kind === "gain" || control.kind === "decibels" ? `${text} dB` : text;
}

const choiceOf = (control, value) =>
  control.choices.find((choice) => JSON.stringify(choice.value) === JSON.stringify(value));

/** Everything about a control in a line: unit, range, default, and what it does. */
export function description(control) {
  const parts = [];
  if (isRanged(control) && control.kind !== "switch" && control.kind !== "list") {
    const [low, high] = [control.minimum, control.maximum].map((one) => valueText(control, one));
    parts.push(`From ${low} to ${high}.`);
  }
  if (control.default !== null && control.default !== undefined) {
    parts.push(`Default ${valueText(control, control.default)}.`);
  }
  if (control.summary) parts.push(control.summary);
  if (control.isScheduled) parts.push("The timeline moves it.");
  if (!control.isWritable) parts.push("Not to be changed while it runs.");
  return parts.join(" ");
}

/** The label that people see. */
const labelText = (control) => (control.name === "meteringMode" ? "Meter" : control.title);

function frame(control, kind, ...children) {
  return make("div", { class: `control ${kind}`, "data-pointer": control.pointer }, ...children);
}

function resetOf(control, { changes }) {
  return () => {
    if (control.default === null || control.default === undefined) return;
    changes.set({ [control.pointer]: control.default });
  };
}

/** What a value is read from, and typed into. */
export const readout = copies(() => make("input", {
  class: "readout", type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", tabindex: -1,
}));

/**
 * What fader and dial share: a slider, and the field beneath. Neither listens before it is touched.
 * @param {Control} control
 * @param {Room} room
 * @param {HTMLElement} element
 * @param {HTMLInputElement} field
 */
function slider(control, room, element, field, options) {
  const { model, changes, watch } = room;
  const scale = scaleOf(control);
  const { pointer } = control;
  const title = model.fullTitle(control);
  const get = () => Number(model.value(pointer) ?? control.default ?? 0);
  const set = (value) => changes.set({ [pointer]: value });
  element.setAttribute("aria-label", title);
  element.setAttribute("aria-valuemin", String(scale.low));
  element.setAttribute("aria-valuemax", String(scale.high));
  element.setAttribute("data-slider", pointer);
  if (!control.isWritable) element.setAttribute("aria-disabled", "true");
  field.setAttribute("aria-label", `${title}, typed`);
  field.disabled = !control.isWritable;
  const shown = () => scale.write(get()) + (options.suffix ?? "");
  let typed = null;
  const typing = () => (typed ??= typable(field, {
    shown,
    take(text) {
      const value = scale.read(text);
      if (!Number.isFinite(value)) return false;
      changes.endGesture();
      set(value);
      changes.endGesture();
      return true;
    },
    leave: () => element.focus(),
  }));
  whenTouched(field, typing);
  whenTouched(element, () => {
    element.title = description(control);
    adjustable(element, {
      scale, get, set, reset: resetOf(control, room), end: () => changes.endGesture(),
      type: (first) => typing().begin(first), ...options,
    });
  });
  watch(pointer, () => {
    const value = get();
    element.setAttribute("aria-valuenow", String(scale.plain(value)));
    element.setAttribute("aria-valuetext", scale.speak(value));
    options.draw(value, scale);
    if (typed) typed.show();
    else field.value = shown();
  });
}

const faderHeight = 168;
const marks = [0, -3, -6, -12, -20, -30, -40, -60];

/** The scale between fader and meter. @param {number} top the level at its upper end */
function ruler(top) {
  const levels = top > 0 ? [top, ...marks] : marks;
  const drawing = makeSVG("svg", {
    class: "ruler", width: 22, height: faderHeight, viewBox: `0 0 22 ${faderHeight}`,
    "aria-hidden": "true",
  });
  let lastY = -20;
  for (const level of levels) {
    const y = faderHeight - levelPosition(level, top) * faderHeight;
    drawing.append(makeSVG("path", { d: `M0 ${y}h3M19 ${y}h3` }));
    if (y - lastY < 11) continue;
    lastY = y;
    const text = level === floor ? "∞" : String(Math.abs(level));
    const place = Math.min(faderHeight - 2, Math.max(8, y + 3));
    drawing.append(makeSVG("text", { x: 11, y: place, "text-anchor": "middle" }, text));
  }
  return drawing;
}

/** A fader's way. It is as high as it is made. */
export const faderTrack = copies(() => make("div", {
  class: "track", role: "slider", tabindex: 0, "aria-orientation": "vertical",
}, make("div", { class: "groove" }), make("div", { class: "cap" })));

/** Makes a way and a field a fader. */
export function fade(control, room, track, field) {
  track.setAttribute("data-pointer", control.pointer);
  slider(control, room, track, field, {
    way: () => track.clientHeight || faderHeight,
    draw: (value, scale) => track.style.setProperty("--position", String(scale.position(value))),
  });
}

/**
 * A fader, with a place for a meter at its side.
 * @param {?HTMLElement} meter
 */
function fader(control, room, meter) {
  const [track, field] = [faderTrack(), readout()];
  fade(control, room, track, field);
  return frame(control, "fader",
    make("div", { class: "fader-row" }, track, ruler(scaleOf(control).high), meter),
    make("div", { class: "readout-row" }, field, make("span", { class: "unit" }, "dB")));
}

// Dials

const size = 44;
const radius = 17;
/** Half of what a dial turns, in degrees. */
const turn = 135;

function point(angle, distance) {
  const radians = ((angle - 90) * Math.PI) / 180;
  return `${(size / 2 + Math.cos(radians) * distance).toFixed(2)} ${(size / 2 + Math.sin(radians) * distance).toFixed(2)}`;
}

function arc(from, to) {
  const [low, high] = from < to ? [from, to] : [to, from];
  const isLarge = high - low > 180 ? 1 : 0;
  return `M${point(low, radius)}A${radius} ${radius} 0 ${isLarge} 1 ${point(high, radius)}`;
}

/** A dial whose rim is that of one that ends, or that goes around. */
const dialOf = (rim) => copies(() => make("div", { class: "dial", role: "slider", tabindex: 0 },
  makeSVG("svg", { width: size, height: size, viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" },
    makeSVG("circle", { class: "knob", cx: size / 2, cy: size / 2, r: 12 }), rim(),
    makeSVG("path", { class: "filled" }), makeSVG("path", { class: "hand" }))));
const dialShape = dialOf(() => makeSVG("path", { class: "rim", d: arc(-turn, turn) }));
const compassShape = dialOf(() => makeSVG("circle", { class: "rim", cx: size / 2, cy: size / 2, r: radius }));

function dial(control, room) {
  const isCompass = control.kind === "angle" && control.maximum - control.minimum >= 360;
  const half = isCompass ? 180 : turn;
  const angleOf = (position) => position * 2 * half - half;
  const knob = isCompass ? compassShape() : dialShape();
  const [, , filled, hand] = knob.firstElementChild.children;
  const field = readout();
  slider(control, room, knob, field, {
    suffix: control.kind === "gain" || control.kind === "decibels" ? " dB" : "",
    draw(value, scale) {
      const [from, to] = [angleOf(scale.origin ?? 0), angleOf(scale.position(value))];
      filled.setAttribute("d", Math.abs(to - from) < 0.5 ? "" : arc(from, to));
      hand.setAttribute("d", `M${point(to, 5)}L${point(to, 12)}`);
    },
  });
  return frame(control, "knob", make("span", { class: "label", "aria-hidden": "true" }, labelText(control)),
    knob, field);
}

// The others

function toggle(control, { model, changes, watch }) {
  const { pointer } = control;
  const button = make("button", {
    type: "button", role: "switch", class: "switch", title: description(control),
    "aria-label": model.fullTitle(control), disabled: !control.isWritable, "data-slider": pointer,
    onclick() {
      changes.endGesture();
      changes.set({ [pointer]: !isOn(model.value(pointer)) });
      changes.endGesture();
    },
  }, make("span", { class: "thumb" }));
  const isOn = (value) => value === true || value === 1;
  watch(pointer, (value) => button.setAttribute("aria-checked", String(isOn(value))));
  return frame(control, "toggle", make("span", { class: "label", "aria-hidden": "true" }, labelText(control)),
    button);
}

function list(control, { model, changes, watch }) {
  const { pointer } = control;
  const id = uniqueId("list");
  const select = make("select", {
    id, title: description(control), disabled: !control.isWritable, "data-slider": pointer,
    "aria-label": model.fullTitle(control),
    onchange() {
      changes.endGesture();
      changes.set({ [pointer]: control.choices[Number(select.value)].value });
      changes.endGesture();
    },
  });
  const options = control.choices.map((choice, index) =>
    make("option", { value: index }, choice.title));
  const other = make("option", { value: "other", disabled: true });
  select.append(...options);
  watch(pointer, (value) => {
    const index = control.choices.indexOf(choiceOf(control, value));
    if (index >= 0) other.remove();
    else {
      say(other, typeof value === "string" ? value : JSON.stringify(value?.name ?? value));
      select.append(other);
    }
    select.value = index >= 0 ? String(index) : "other";
  });
  return frame(control, "list", make("label", { class: "label", for: id }, labelText(control)), select);
}

/** A field for what has no range, and for lists of numbers. */
function field(control, { model, changes, watch }) {
  const { pointer } = control;
  const id = uniqueId("field");
  const isNumber = typeof (control.value ?? control.default) === "number";
  const scale = scaleOf(control);
  const input = make("input", {
    id, type: "text", autocomplete: "off", spellcheck: "false", class: "entry",
    inputmode: isNumber ? "decimal" : null, role: isNumber ? "spinbutton" : null,
    title: description(control), "aria-label": model.fullTitle(control), "data-slider": pointer,
    disabled: !control.isWritable,
    "aria-valuemin": isNumber ? control.minimum : null,
    "aria-valuemax": isNumber ? control.maximum : null,
  });
  const get = () => model.value(pointer);
  const written = () => {
    const value = get();
    if (value === null || value === undefined) return "";
    return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
  };
  const typed = typable(input, {
    shown: written,
    take(text) {
      let value = text;
      if (isNumber) value = scale.read(text);
      else if (typeof get() !== "string") {
        try {
          value = JSON.parse(text);
        } catch {
          return false;
        }
      }
      if (isNumber && !Number.isFinite(value)) return false;
      changes.endGesture();
      changes.set({ [pointer]: value });
      changes.endGesture();
      return true;
    },
    leave: () => input.select(),
  });
  if (isNumber) {
    input.addEventListener("keydown", (event) => {
      const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (!steps) return;
      event.preventDefault();
      const value = scale.step(Number(get() ?? 0), steps, true);
      changes.set({ [pointer]: value });
      input.value = String(value);
    });
  }
  watch(pointer, (value) => {
    if (isNumber && typeof value === "number") input.setAttribute("aria-valuenow", String(value));
    typed.show();
  });
  return frame(control, "field", make("label", { class: "label", for: id }, labelText(control)), input);
}

/** Whether a control is what its strip is about. */
export const isFader = (control) =>
  (control.kind === "gain" || control.kind === "decibels") && /^(volume|gain)$/i.test(control.name);

/**
 * @param {Control} control
 * @param {Room} room
 * @param {?HTMLElement} meter what stands beside a fader
 */
export function controlView(control, room, meter = null) {
  if (control.kind === "switch") return toggle(control, room);
  if (control.choices.length) return list(control, room);
  const value = control.value ?? control.default;
  if (typeof value !== "number" || !isRanged(control)) return field(control, room);
  // A gain of a whole unit is one knob among others.
  if (isFader(control) && control.scope !== "global") return fader(control, room, meter);
  const isCode = control.kind === "number" && (control.isProperty || control.unit === "indexed");
  return isCode ? field(control, room) : dial(control, room);
}
