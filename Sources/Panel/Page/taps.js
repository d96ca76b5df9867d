// What taps read: levels, loudness, spectra.

import { byId, colour, make, say, sharpen, uniqueId } from "./dom.js";
import { levelMeter, levelOf } from "./meters.js";
import { digits } from "./scales.js";
import { frequencyPlace, hertz } from "./response.js";

const loudnessNames = {
  momentary: "Momentary", shortTerm: "Short-term", integrated: "Integrated", range: "Range",
  truePeak: "True peak",
};

const reading = (meter, name) => meter.readings?.find((one) => one.name === name);

export class TapCards {
  #board;
  #cards = new Map();

  constructor(model, board) {
    this.#board = board;
    model.hear("metered", () => this.#build());
    this.#build();
  }

  #build() {
    const keys = this.#board.keys.filter((key) => key.startsWith("tap "));
    for (const [key, card] of this.#cards) {
      if (keys.includes(key)) continue;
      card.end();
      card.element.remove();
      this.#cards.delete(key);
    }
    for (const key of keys) {
      if (this.#cards.has(key)) continue;
      const card = this.#card(key, this.#board.latest(key));
      if (!card) continue;
      this.#cards.set(key, card);
      byId("taps-view").append(card.element);
    }
    byId("taps-none").hidden = this.#cards.size > 0;
  }

  #card(key, meter) {
    if (reading(meter, "spectrum")) return this.#spectrum(key, meter.tap);
    if (meter.readings?.length) return this.#loudness(key, meter.tap);
    if (meter.levels?.length) return this.#levels(key, meter.tap);
    return null;
  }

  #frame(kind, name, label, ...children) {
    const id = uniqueId("tap");
    return make("section", { class: `tap-card ${kind}`, "aria-labelledby": id },
      make("h3", { id }, name, make("span", { class: "component" }, label)), ...children);
  }

  #levels(key, name) {
    const meter = levelMeter(this.#board, key, `Level, ${name}`);
    meter.element.append(meter.number);
    return { element: this.#frame("levels", name, "meter", meter.element), end: meter.remove };
  }

  #loudness(key, name) {
    const values = new Map();
    const rows = [];
    for (const [part, title] of Object.entries(loudnessNames)) {
      const value = make("dd", {}, "–");
      values.set(part, value);
      rows.push(make("div", { class: part }, make("dt", {}, title), value));
    }
    const canvas = make("canvas", { "aria-hidden": "true" });
    const history = [];
    let lastTime = 0;
    const element = this.#frame("loudness", name, "EBU R 128", make("dl", { class: "loudness-values" }, ...rows),
      make("figure", { class: "history" }, canvas,
        make("figcaption", {}, "Momentary, the last minute, −50 to 0 LUFS")));
    const end = this.#board.add(key, {
      element,
      draw(meter, time) {
        const momentary = levelOf(reading(meter, "momentary")?.values[0]);
        if (time - lastTime < 100) return;
        lastTime = time;
        history.push(momentary);
        if (history.length > 600) history.shift();
        drawHistory(canvas, history);
      },
      write(meter) {
        for (const [part, field] of values) {
          const found = reading(meter, part);
          if (!found) continue;
          const value = Math.max(-Infinity, ...found.values.map(levelOf));
          say(field, `${value < -90 ? "−∞" : digits(value, 1)} ${found.unit}`);
        }
      },
    });
    return { element, end };
  }

  #spectrum(key, name) {
    const canvas = make("canvas", {
      role: "img", "aria-label": `Spectrum of ${name}, from 20 Hz to 20 kHz`,
    });
    const peak = make("p", { class: "spectrum-peak" }, "\u00a0");
    const element = this.#frame("spectrum", name, "spectrum", canvas, peak);
    const end = this.#board.add(key, {
      element,
      draw: (meter) => drawSpectrum(canvas, reading(meter, "spectrum")),
      write(meter) {
        const frequency = reading(meter, "peakFrequency")?.values[0];
        const levels = reading(meter, "spectrum").values.map(levelOf);
        const most = Math.max(-Infinity, ...levels);
        say(peak, frequency && most > -100
          ? `Strongest at ${Math.round(frequency)} Hz, ${digits(most, 1)} dBFS` : "Silent");
      },
      speak(meter) {
        const frequency = reading(meter, "peakFrequency")?.values[0];
        canvas.setAttribute("aria-label", `Spectrum of ${name}, from 20 Hz to 20 kHz`
          + (frequency ? `: strongest at ${Math.round(frequency)} Hz` : ""));
      },
    });
    return { element, end };
  }
}

/** A canvas as wide as its place. */
function fitted(canvas, height) {
  const width = canvas.clientWidth || 300;
  if (canvas.dataset.width !== String(width)) {
    canvas.dataset.width = String(width);
    sharpen(canvas, width, height);
  }
  return { context: canvas.getContext("2d"), width };
}

function drawHistory(canvas, history) {
  const height = 56;
  const { context, width } = fitted(canvas, height);
  const place = (level) => height - (Math.max(-50, Math.min(0, level)) + 50) / 50 * height;
  context.clearRect(0, 0, width, height);
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  for (const level of [-10, -23, -40]) {
    context.beginPath();
    context.moveTo(0, Math.round(place(level)) + 0.5);
    context.lineTo(width, Math.round(place(level)) + 0.5);
    context.stroke();
  }
  context.beginPath();
  const start = width - (history.length / 600) * width;
  history.forEach((level, index) =>
    context.lineTo(start + (index / 600) * width, place(level)));
  context.strokeStyle = colour("accent");
  context.lineWidth = 1.5;
  context.stroke();
}

const spectrumHeight = 180;
const bottom = -100;

function drawSpectrum(canvas, spectrum) {
  if (!spectrum) return;
  const { context, width } = fitted(canvas, spectrumHeight);
  const [left, right, base] = [28, width - 4, spectrumHeight - 16];
  const place = (level) => 4 + (Math.max(bottom, Math.min(0, level)) / bottom) * (base - 4);
  context.clearRect(0, 0, width, spectrumHeight);
  context.font = "10px system-ui, sans-serif";
  context.fillStyle = colour("muted");
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  context.textAlign = "right";
  for (let level = 0; level >= bottom; level -= 20) {
    const y = Math.round(place(level)) + 0.5;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
    context.fillText(digits(level, 0), left - 4, y + 4);
  }
  context.textAlign = "center";
  for (const frequency of [50, 100, 200, 500, 1000, 2000, 5000, 10000]) {
    const x = Math.round(frequencyPlace(frequency, left, right)) + 0.5;
    context.beginPath();
    context.moveTo(x, 4);
    context.lineTo(x, base);
    context.stroke();
    context.fillText(hertz(frequency), x, spectrumHeight - 3);
  }
  // The strongest bin of each column of the canvas.
  const { values, bandsPerOctave, lowestBand, binWidth } = spectrum;
  const frequencyOf = (index) =>
    bandsPerOctave ? lowestBand * 2 ** (index / bandsPerOctave) : index * binWidth;
  const points = [];
  let column = -1;
  for (let bin = 0; bin < values.length; bin += 1) {
    const frequency = frequencyOf(bin);
    if (frequency < 20 || frequency > 20000) continue;
    const x = frequencyPlace(frequency, left, right);
    const level = levelOf(values[bin]);
    if (Math.floor(x) === column) {
      if (level > points.at(-1).level) points.at(-1).level = level;
    } else {
      column = Math.floor(x);
      points.push({ x, level });
    }
  }
  if (!points.length) return;
  context.beginPath();
  context.moveTo(points[0].x, base);
  for (const { x, level } of points) context.lineTo(x, place(level));
  context.lineTo(points.at(-1).x, base);
  context.closePath();
  context.fillStyle = colour("curve-area");
  context.fill();
  context.beginPath();
  for (const { x, level } of points) context.lineTo(x, place(level));
  context.strokeStyle = colour("accent");
  context.lineWidth = 1.5;
  context.stroke();
}

