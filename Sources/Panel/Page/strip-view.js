// One strip of the console: what is made of it, its meter, and how it is shown.

import { copies, make, say } from "./dom.js";
import { controlView, fade, faderTrack, readout } from "./controls.js";
import { levelPosition, digits, floor } from "./scales.js";
import { levelOf } from "./meters.js";

/**
 * What a strip needs of the console.
 * @typedef {object} Desk
 * @property {object} room
 * @property {import("./meters.js").MeterBoard} board
 * @property {import("./solo.js").Solo} solo
 * @property {{ rack: object, pins: object, bridge: object }} surfaces
 * @property {(view: StripView) => void} placeSoon
 */

const peakTitle = "Highest peak, in dB below full scale. Press to begin anew";

/** A strip of a bus but for what is its own; without its knob. */
const shape = copies(() => make("div", { class: "strip-view", role: "group" },
  make("button", { type: "button", class: "strip-name" }, make("strong", {}), make("span", { class: "strip-place" })),
  make("div", { class: "strip-knobs" }),
  make("div", { class: "strip-switches" },
    make("button", { type: "button", class: "mute" }, "M"), make("button", { type: "button", class: "solo" }, "S")),
  make("button", { type: "button", class: "strip-peak", title: peakTitle }),
  make("div", { class: "strip-fader" }, faderTrack(), make("div", {
    class: "strip-meter", role: "meter", "aria-valuemin": floor, "aria-valuenow": floor, "aria-valuetext": "silent",
  })),
  make("div", { class: "readout-row" }, readout(), make("span", { class: "unit" }, "dB")),
  make("p", { class: "strip-to" })));

export class StripView {
  /** Made when it is first seen, or while there is nothing else to do. @type {?HTMLElement} */
  element = null;
  /** Where it is in the order of the console. */
  index = 0;
  x = 0;
  width = 0;
  isHidden = false;
  isPinned = false;
  isOff = false;
  /** @type {?HTMLElement} */
  meter = null;
  ends = [];
  overs = 0;
  isOver = false;
  #desk;
  #hue;

  /** @param {Desk} desk */
  constructor(strip, desk, hue, index) {
    this.strip = strip;
    this.#desk = desk;
    this.#hue = hue;
    this.index = index;
  }

  get key() { return `bus ${this.strip.id}`; }
  get isDone() { return this.element !== null; }

  /** Whether it is left out of what is drawn, for the time being. */
  #isFar = false;
  get isFar() { return this.#isFar; }
  set isFar(isFar) {
    if (isFar === this.#isFar || !this.element) return;
    this.#isFar = isFar;
    this.element.classList.toggle("far", isFar);
  }

  end() {
    for (const end of this.ends) end();
    this.element?.remove();
    this.#desk.surfaces.rack.forget(this.key);
    this.#desk.surfaces.pins.forget(this.key);
  }

  /** Makes it, where that has not been done. */
  complete() {
    if (this.isDone) return;
    const { strip, ends } = this;
    const { model } = this.#desk.room;
    const room = { ...this.#desk.room, watch: (pointer, call) => ends.push(model.watch(pointer, call)) };
    const element = shape();
    this.element = element;
    const label = `${strip.name}, ${strip.place}`;
    element.classList.add(strip.scope ?? "unit");
    if (strip.isMain) element.classList.add("main");
    element.setAttribute("aria-label", label);
    element.dataset.strip = strip.id;
    element.dataset.hue = String(this.#hue);
    const [name, knobs, switches, peak, area, row, to] = element.children;
    name.title = `${strip.name}: ${strip.place}`;
    name.setAttribute("aria-label", label);
    name.firstElementChild.textContent = shortName(strip);
    name.lastElementChild.textContent = shortPlace(strip);
    to.textContent = strip.isMain ? "→ out" : strip.to ? `→ ${strip.to}` : "";
    if (strip.to) to.title = `goes to ${strip.to}`;
    if (!strip.scope) {
      for (const part of [switches, peak, area, row]) part.remove();
      this.#completeUnit(room, knobs);
      return;
    }
    const knob = strip.controls.get("pan") ?? strip.controls.get("azimuth");
    if (knob) knobs.append(controlView(knob, room));
    this.#completeSwitches(label, ...switches.children);
    const metering = strip.controls.get("meteringMode");
    peak.setAttribute("aria-label", `Highest peak of ${label}`);
    peak.disabled = !metering;
    if (!metering) peak.textContent = "–";
    this.peak = peak;
    const [track, meter] = area.children;
    fade(strip.fader, room, track, row.firstElementChild);
    if (metering) {
      this.meter = meter;
      meter.setAttribute("aria-label", `Level, ${label}`);
      meter.setAttribute("aria-valuemax", String(Math.max(0, levelTop(strip))));
      this.#connectMeter(room, metering);
    } else meter.remove();
    this.showState();
  }

  #completeSwitches(label, mute, solo) {
    const { strip } = this;
    const { solo: mutes } = this.#desk;
    if (mutes.canMute(strip)) {
      this.mute = mute;
      mute.setAttribute("aria-label", `Mute ${label}`);
      mute.title = mutes.sentence(strip, false);
    } else mute.remove();
    if (mutes.canSolo(strip)) {
      this.solo = solo;
      solo.setAttribute("aria-label", `Solo ${label}`);
      solo.title = mutes.sentence(strip, true);
    } else solo.remove();
  }

  #completeUnit(room, place) {
    const { strip } = this;
    const shown = [...strip.controls.values()]
      .filter((control) => typeof (control.value ?? control.default) === "number" || control.kind === "switch")
      .slice(0, 4);
    place.replaceWith(make("div", { class: "strip-unit" }, ...shown.map((control) => controlView(control, room)),
      make("button", { type: "button", class: "slight strip-open" },
        strip.controls.size > shown.length ? `All ${strip.controls.size}` : "Open")));
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
        peak.title = peakTitle;
        this.clear();
      }
      this.#desk.placeSoon(this);
    });
    const take = (reading) => {
      if (this.isOff) return;
      const levels = reading.levels ?? [];
      (this.isPinned ? this.#desk.surfaces.pins : this.#desk.surfaces.rack).feed(this.key, levels);
      const now = Math.max(-Infinity, ...levels.map((level) => levelOf(level.peak)));
      highest = Math.max(highest, now);
      if (now > 0 && !this.isOver) this.overs += 1;
      this.isOver = now > 0;
    };
    this.ends.push(this.#desk.board.add(this.key, {
      draw: take,
      write,
      speak: (reading) => {
        const mean = Math.max(-Infinity, ...(reading.levels ?? []).map((level) => levelOf(level.average)));
        meter.setAttribute("aria-valuenow", String(Math.round(Math.min(0, Math.max(floor, mean)))));
        meter.setAttribute("aria-valuetext",
          mean <= floor ? "silent" : `${digits(mean, 1)} decibels, peak ${digits(highest, 1)}`);
      },
    }));
  }

  /** Begins the highest peak anew, or turns the meter on. */
  pressPeak() {
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

export const loudest = (levels) => ({
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
