// How the values of a control lie on its way, are written, and are read.

/** The lowest level that a fader and a meter show above silence. */
export const floor = -60;
/** How much of a fader's way the upper levels take. */
const bend = 1.8;

/** The place, 0 to 1, of a level on a fader or a meter that ends at a level. */
export function levelPosition(decibels, top = 0) {
  if (!(decibels > floor)) return 0;
  return Math.min(1, ((decibels - floor) / (top - floor)) ** bend);
}

const levelAt = (position, top) => floor + (top - floor) * position ** (1 / bend);

export const decibels = (gain) => (gain > 0 ? 20 * Math.log10(gain) : -Infinity);
const gainOf = (level) => (level === -Infinity ? 0 : 10 ** (level / 20));

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** So many digits behind the point, and a minus that is as wide as a plus. */
export function digits(value, count) {
  if (value === -Infinity) return "−∞";
  const text = value.toFixed(count);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** As many digits as a value of its size needs. */
const fitting = (value) => {
  const size = Math.abs(value);
  return digits(value, size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
};

/** A number as people write it, or NaN. */
function number(text) {
  const plain = text.trim().replace(/[−–]/g, "-").replace(",", ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/i.test(plain) ? parseFloat(plain) : NaN;
}

const isInfinite = (text) => /^\s*[-−–]\s*(inf|∞)/i.test(text);

/**
 * @typedef {object} Scale
 * @property {number} low of the value that assistive technology is told
 * @property {number} high
 * @property {(value: number) => number} plain that value
 * @property {(value: number) => number} position 0 to 1
 * @property {(position: number) => number} at
 * @property {(value: number, count: number, isFine: boolean) => number} step
 * @property {number} page steps in a large one
 * @property {(value: number) => string} write
 * @property {(value: number) => string} speak
 * @property {(text: string) => number} read NaN for what is no value
 * @property {boolean} [wraps] whether it goes around
 * @property {number} [origin] the position from which a dial is filled
 */

/** @returns {Scale} */
function gainScale(control) {
  const top = decibels(control.maximum ?? 1) || 0;
  return {
    low: floor, high: top,
    plain: (value) => clamp(Math.round(decibels(Math.abs(value)) * 10) / 10, floor, top),
    position: (value) => levelPosition(decibels(Math.abs(value)), top),
    at: (position) => (position <= 0 ? 0 : rounded(gainOf(levelAt(position, top)))),
    step(value, count, isFine) {
      const level = decibels(Math.abs(value));
      const next = Math.max(level, floor) + count * (isFine ? 0.1 : 1);
      if (level === -Infinity) return count > 0 ? gainOf(floor) : 0;
      return next < floor ? 0 : rounded(gainOf(Math.min(next, Math.max(top, level))));
    },
    page: 6,
    write: (value) => (value < 0 ? "inv " : "") + digits(decibels(Math.abs(value)), 1),
    speak: (value) => {
      const level = decibels(Math.abs(value));
      return level === -Infinity ? "minus infinity decibels, silent"
        : `${digits(level, 1)} decibels${value < 0 ? ", inverted" : ""}`;
    },
    read(text) {
      if (isInfinite(text)) return 0;
      const value = number(text.replace(/^\s*[x×]/i, ""));
      return /^\s*[x×]/i.test(text) ? value : rounded(gainOf(value));
    },
  };
}

/** Six digits are enough for a hundredth of a decibel, and short in a document. */
const rounded = (value) => Number(value.toPrecision(5));

/** @returns {Scale} */
function decibelScale(control) {
  const [low, high] = [control.minimum ?? floor, control.maximum ?? 0];
  const isFader = low <= floor && high >= 0;
  return {
    low, high, plain: (value) => value,
    position: (value) =>
      isFader ? levelPosition(value, high) : (clamp(value, low, high) - low) / (high - low),
    at(position) {
      if (position <= 0) return low;
      const level = isFader ? levelAt(position, high) : low + position * (high - low);
      return Math.round(level * 10) / 10;
    },
    step(value, count, isFine) {
      const next = Math.round((value + count * (isFine ? 0.1 : 1)) * 10) / 10;
      return clamp(next, low, high);
    },
    page: 6,
    write: (value) => digits(value, 1),
    speak: (value) => `${digits(value, 1)} decibels`,
    read: (text) => (isInfinite(text) ? low : number(text)),
    origin: isFader ? 0 : clamp(-low / (high - low), 0, 1),
  };
}

/** @returns {Scale} */
function panScale() {
  const speak = (value) =>
    Math.abs(value) < 0.005 ? "centre" : `${digits(Math.abs(value), 2)} ${value < 0 ? "left" : "right"}`;
  return {
    low: -1, high: 1, plain: (value) => value,
    position: (value) => (clamp(value, -1, 1) + 1) / 2,
    at(position) {
      const value = Math.round((position * 2 - 1) * 100) / 100;
      return Math.abs(value) < 0.025 ? 0 : value;
    },
    step: (value, count, isFine) =>
      clamp(Math.round((value + count * (isFine ? 0.01 : 0.05)) * 100) / 100, -1, 1),
    page: 4,
    write: (value) =>
      Math.abs(value) < 0.005 ? "C" : `${digits(Math.abs(value), 2)} ${value < 0 ? "L" : "R"}`,
    speak,
    read(text) {
      if (/^\s*c/i.test(text)) return 0;
      const side = /[lr]/i.exec(text)?.[0].toLowerCase();
      const value = number(text.replace(/[a-z\s]/gi, ""));
      return side ? Math.abs(value) * (side === "l" ? -1 : 1) : value;
    },
    origin: 0.5,
  };
}

/** @returns {Scale} */
function angleScale(control) {
  const [low, high] = [control.minimum ?? -180, control.maximum ?? 180];
  const wraps = high - low >= 360;
  const around = (value) => (wraps ? ((((value - low) % 360) + 360) % 360) + low : clamp(value, low, high));
  return {
    low, high, plain: (value) => value,
    position: (value) => (value - low) / (high - low),
    at: (position) => Math.round(around(low + position * (high - low))),
    step: (value, count, isFine) => around(Math.round((value + count * (isFine ? 1 : 5)) * 10) / 10),
    page: 3,
    write: (value) => `${fitting(value)}°`,
    speak: (value) => `${fitting(value)} degrees`,
    read: number, wraps, origin: (0 - low) / (high - low),
  };
}

/** Distances and frequencies: the same way for each factor. @returns {Scale} */
function logarithmicScale(control, least, name) {
  const low = control.minimum ?? 0;
  const high = control.maximum ?? 10000;
  const start = Math.max(low, least);
  const span = Math.log(high / start);
  const tidy = (value) => Number(value.toPrecision(3));
  const symbol = control.symbol || { distance: "m", frequency: "Hz" }[control.kind] || "";
  return {
    low, high, plain: (value) => value,
    position: (value) => (value <= start ? 0 : Math.min(1, Math.log(value / start) / span)),
    at: (position) => (position <= 0 ? low : tidy(start * Math.exp(position * span))),
    step(value, count, isFine) {
      if (value < start) return count > 0 ? start : low;
      const next = value * (isFine ? 1.01 : 1.06) ** count;
      return next < start ? low : Math.min(high, tidy(next));
    },
    page: 6,
    write: (value) => `${fitting(value)} ${symbol}`.trim(),
    speak: (value) => `${fitting(value)} ${name}`,
    read: (text) => number(text) * (/k/i.test(text) ? 1000 : 1),
  };
}

/** Times from nothing: the same way for each factor, and below a second in milliseconds. @returns {Scale} */
function timeScale(control) {
  const scale = logarithmicScale(control, 0.001, "seconds");
  const isShort = (control.maximum ?? 0) <= 1;
  const inParts = (value) => Math.abs(value) < 1 && value !== 0;
  return {
    ...scale,
    write: (value) => (inParts(value) ? `${fitting(tidied(value * 1000))} ms` : `${fitting(value)} s`),
    speak: (value) =>
      inParts(value) ? `${fitting(tidied(value * 1000))} milliseconds` : `${fitting(value)} seconds`,
    // Without a unit a number is what this control shows most.
    read(text) {
      if (/ms/i.test(text)) return number(text) / 1000;
      return /s/i.test(text) || !isShort ? number(text) : number(text) / 1000;
    },
  };
}

/** Without what binary fractions leave: 0.0021 s are 2.1 ms. */
const tidied = (value) => Number(value.toPrecision(6));

/** @returns {Scale} */
function numberScale(control) {
  const low = control.minimum ?? -Infinity;
  const high = control.maximum ?? Infinity;
  const isWhole = control.isProperty || control.unit === "indexed";
  const span = high - low;
  const unit = isWhole || !Number.isFinite(span) || span > 60 ? 1 : span > 5 ? 0.1 : 0.01;
  const symbol = control.symbol ?? "";
  const tidy = (value) => clamp(Math.round(value / unit) * unit, low, high);
  const exact = (value) => Number(tidy(value).toFixed(3));
  return {
    low, high, plain: (value) => value,
    position: (value) => (clamp(value, low, high) - low) / span,
    at: (position) => exact(low + position * span),
    step: (value, count, isFine) =>
      exact(value + count * unit * (isFine || isWhole || span < 10 ? 1 : 5)),
    page: 10,
    write: (value) => `${fitting(value)}${symbol && symbol !== "%" ? " " : ""}${symbol}`,
    speak: (value) => `${fitting(value)} ${symbol === "%" ? "percent" : symbol}`.trim(),
    read: number, origin: clamp((0 - low) / span, 0, 1) || 0,
  };
}

const isTime = ({ symbol, minimum, maximum }) => symbol === "s" && minimum >= 0 && maximum > 0.001;

/** @param {import("./model.js").Control} control @returns {Scale} */
export function scaleOf(control) {
  switch (control.kind) {
    case "gain": return gainScale(control);
    case "decibels": return decibelScale(control);
    case "pan": return panScale();
    case "angle": return angleScale(control);
    case "distance": return logarithmicScale(control, 0.1, "metres");
    case "frequency": return logarithmicScale(control, 20, "hertz");
    default: return isTime(control) ? timeScale(control) : numberScale(control);
  }
}
