// One strip of the console: what is made of it, its meter, and how it is shown.

import { make, say } from "./dom.js";
import { controlView, faderParts } from "./controls.js";
import { levelPosition, digits, floor } from "./scales.js";
import { levelOf } from "./meters.js";

/**
 * What a strip needs of the console.
 * @typedef {object} Desk
 * @property {object} room
 * @property {import("./meters.js").MeterBoard} board
 * @property {import("./solo.js").Solo} solo
 * @property {(strip: import("./strips.js").Strip) => void} select
 * @property {{ rack: object, pins: object, bridge: object }} surfaces
 * @property {HTMLElement} bridge
 * @property {() => void} placeSoon
 * @property {(event: KeyboardEvent, view: StripView) => void} key
 */

export class StripView {
  element;
  x = 0;
  width = 0;
  /** @type {?HTMLElement} */
  meter = null;
  ends = [];
  overs = 0;
  isOver = false;
  #desk;

  /** @param {Desk} desk */
  constructor(strip, desk, hue) {
    this.strip = strip;
    this.#desk = desk;
    this.element = make("div", {
      class: `strip-view ${strip.scope ?? "unit"}${strip.isMain ? " main" : ""}`, role: "group",
      "aria-label": `${strip.name}, ${strip.place}`, "data-strip": strip.id,
    }, make("button", {
      type: "button", class: "strip-name", title: `${strip.name}: ${strip.place}`,
      "aria-label": `${strip.name}, ${strip.place}`,
      onclick: () => desk.select(strip),
      onkeydown: (event) => desk.key(event, this),
    }, make("strong", {}, shortName(strip)), make("span", { class: "strip-place" }, shortPlace(strip))));
    this.element.dataset.hue = String(hue);
  }

  get key() { return `bus ${this.strip.id}`; }

  end() {
    for (const end of this.ends) end();
    this.element.remove();
    this.#desk.surfaces.rack.forget(this.key);
    this.#desk.surfaces.pins.forget(this.key);
  }

  complete() {
    if (this.isDone) return;
    this.isDone = true;
    const { strip, element, ends } = this;
    const { model } = this.#desk.room;
    const room = { ...this.#desk.room, watch: (pointer, call) => ends.push(model.watch(pointer, call)) };
    const label = `${strip.name}, ${strip.place}`;
    if (!strip.scope) {
      this.#completeUnit(room);
      return;
    }
    const knobs = make("div", { class: "strip-knobs" });
    const knob = strip.controls.get("pan") ?? strip.controls.get("azimuth");
    if (knob) knobs.append(controlView(knob, room));
    const switches = make("div", { class: "strip-switches" });
    if (this.#desk.solo.canMute(strip)) {
      this.mute = make("button", {
        type: "button", class: "mute", "aria-label": `Mute ${label}`, title: this.#desk.solo.sentence(strip, false),
        onclick: () => this.#desk.solo.mute(strip),
      }, "M");
      switches.append(this.mute);
    }
    if (this.#desk.solo.canSolo(strip)) {
      this.solo = make("button", {
        type: "button", class: "solo", "aria-label": `Solo ${label}`, title: this.#desk.solo.sentence(strip, true),
        onclick: (event) => this.#desk.solo.solo(strip, event.ctrlKey || event.metaKey),
      }, "S");
      switches.append(this.solo);
    }
    const metering = strip.controls.get("meteringMode");
    const peak = make("button", {
      type: "button", class: "strip-peak", "aria-label": `Highest peak of ${label}`, disabled: !metering,
      title: "Highest peak, in dB below full scale. Press to begin anew", onclick: () => this.#pressPeak(),
    }, metering ? "" : "–");
    this.peak = peak;
    const { track, field } = faderParts(strip.fader, room);
    const top = levelTop(strip);
    const area = make("div", { class: "strip-fader" }, track);
    if (metering) {
      this.meter = make("div", {
        class: "strip-meter", role: "meter", "aria-label": `Level, ${label}`, "aria-valuemin": floor,
        "aria-valuemax": Math.max(0, top), "aria-valuenow": floor, "aria-valuetext": "silent",
      });
      area.append(this.meter);
      this.#connectMeter(room, metering);
    }
    element.append(knobs, switches, peak, area,
      make("div", { class: "readout-row" }, field, make("span", { class: "unit" }, "dB")),
      make("p", { class: "strip-to", title: strip.to ? `goes to ${strip.to}` : null },
        strip.isMain ? "→ out" : `→ ${strip.to}`));
    this.showState();
  }

  #completeUnit(room) {
    const { strip, element } = this;
    const shown = [...strip.controls.values()]
      .filter((control) => typeof (control.value ?? control.default) === "number" || control.kind === "switch")
      .slice(0, 4);
    element.append(make("div", { class: "strip-unit" }, ...shown.map((control) => controlView(control, room)),
      make("button", { type: "button", class: "slight", onclick: () => this.#desk.select(strip) },
        strip.controls.size > shown.length ? `All ${strip.controls.size}` : "Open")),
    make("p", { class: "strip-to" }, strip.to ? `→ ${strip.to}` : ""));
  }

  #connectMeter(room, metering) {
    const { strip, element, peak, meter } = this;
    let highest = -Infinity;
    this.clear = () => {
      highest = -Infinity;
      this.overs = 0;
      write();
    };
    const write = () => {
      if (this.isOff) return;
      const text = this.overs ? `${this.overs}× over` : highest <= floor * 2 ? "−∞" : digits(highest, 1);
      say(peak, text);
      peak.classList.toggle("over", this.overs > 0);
    };
    room.watch(metering.pointer, (value) => {
      this.isOff = !(value === true || value === 1);
      element.classList.toggle("unmetered", this.isOff);
      if (this.isOff) {
        say(peak, "off");
        peak.classList.remove("over");
        peak.setAttribute("aria-label", `The meter of ${strip.name}, ${strip.place} is off: turn it on`);
        peak.title = "Not measured: meteringMode is off. Press to turn it on";
        this.#desk.surfaces.rack.feed(this.key, []);
        this.#desk.surfaces.pins.feed(this.key, []);
        meter.setAttribute("aria-valuetext", "not measured");
      } else {
        peak.setAttribute("aria-label", `Highest peak of ${strip.name}, ${strip.place}`);
        peak.title = "Highest peak, in dB below full scale. Press to begin anew";
        this.clear();
      }
      this.#desk.placeSoon();
    });
    const take = (reading) => {
      if (this.isOff) return;
      const levels = reading.levels ?? [];
      (this.isPinned ? this.#desk.surfaces.pins : this.#desk.surfaces.rack).feed(this.key, levels);
      if (!this.#desk.bridge.hidden) this.#desk.surfaces.bridge.feed(this.key, [loudest(levels)]);
      const now = Math.max(-Infinity, ...levels.map((level) => levelOf(level.peak)));
      highest = Math.max(highest, now);
      if (now > 0 && !this.isOver) this.overs += 1;
      this.isOver = now > 0;
    };
    this.ends.push(this.#desk.board.add(this.key, {
      element: meter,
      draw: take,
      write,
      speak: (reading) => {
        const mean = Math.max(-Infinity, ...(reading.levels ?? []).map((level) => levelOf(level.average)));
        meter.setAttribute("aria-valuenow", String(Math.round(Math.min(0, Math.max(floor, mean)))));
        meter.setAttribute("aria-valuetext",
          mean <= floor ? "silent" : `${digits(mean, 1)} decibels, peak ${digits(highest, 1)}`);
      },
    }));
    // Out of sight it is on the bridge only.
    this.ends.push(this.#desk.board.add(this.key, {
      element: this.#desk.bridge,
      draw: (reading) => {
        if (!this.isOff) this.#desk.surfaces.bridge.feed(this.key, [loudest(reading.levels ?? [])]);
      },
    }));
  }

  #pressPeak() {
    const metering = this.strip.controls.get("meteringMode");
    if (!this.isOff) {
      this.clear?.();
      return;
    }
    this.#desk.room.changes.set({ [metering.pointer]: true }, `meter of ${this.strip.name} on`);
    this.#desk.room.changes.endGesture();
  }

  showState() {
    if (!this.isDone) return;
    const { strip } = this;
    const isMuted = this.#desk.solo.canMute(strip) && this.#desk.solo.isMuted(strip);
    const isOut = this.#desk.solo.isSoloedOut(strip);
    const state = `${isMuted} ${isOut} ${this.#desk.solo.isSoloed(strip)}`;
    if (this.state === state) return;
    this.state = state;
    this.mute?.setAttribute("aria-pressed", String(isMuted && !isOut));
    this.solo?.setAttribute("aria-pressed", String(this.#desk.solo.isSoloed(strip)));
    this.element.classList.toggle("off", isMuted);
    this.element.classList.toggle("soloed-out", isOut);
  }
}

/** In its group a strip needs not say the group's name again: "Drums snare" is "snare" there. */
function shortName({ name, group }) {
  const rest = name.toLowerCase().startsWith(`${group.toLowerCase()} `) ? name.slice(group.length + 1) : name;
  return rest || name;
}

const shortPlace = ({ place, node, group, scope, element }) =>
  (scope && node === group ? `${scope === "input" ? "in" : "out"} ${element}` : place);

const loudest = (levels) => ({
  average: Math.max(-120, ...levels.map((level) => levelOf(level.average))),
  peak: Math.max(-120, ...levels.map((level) => levelOf(level.peak))),
});

export const meterWidth = ({ width }) => (width < 68 ? 11 : width < 84 ? 12 : width < 110 ? 16 : 22);

/** The level at the upper end of a strip's fader and meter. */
export function levelTop({ fader }) {
  if (!fader) return 0;
  if (fader.kind === "decibels") return Math.max(0, fader.maximum ?? 0);
  return Math.max(0, 20 * Math.log10(fader.maximum || 1));
}

const marks = [0, -3, -6, -12, -20, -30, -40, -60];

/** The digits between fader and meter: where each is on the scale, and what it says. */
export function scaleDigits(top) {
  return (top > 1 ? [Math.round(top), ...marks] : marks).map((level) =>
    ({ position: levelPosition(level, top), text: level <= floor ? "∞" : String(Math.abs(level)), isZero: level === 0 }));
}
