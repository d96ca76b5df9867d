// How loud an equalizer makes each frequency.

import { makeSVG, make, say, settled } from "./dom.js";
import { readResponse } from "./server.js";
import { digits } from "./scales.js";

const width = 360;
const height = 150;
const inset = { left: 30, right: 8, top: 8, bottom: 18 };
const low = 20;
const high = 20000;
const octaves = [31.5, 63, 125, 250, 500, 1000, 2000, 4000, 8000, 16000];

export const hertz = (value) =>
  value >= 1000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));

/** Where a frequency lies on an axis in octaves. */
export const frequencyPlace = (frequency, left, right) =>
  left + (Math.log(frequency / low) / Math.log(high / low)) * (right - left);

const x = (frequency) => frequencyPlace(frequency, inset.left, width - inset.right);

/**
 * @param {string} node
 * @param {import("./controls.js").Room} room
 */
export function responseView(node, { model }) {
  const grid = makeSVG("g", { class: "grid" });
  const area = makeSVG("path", { class: "area" });
  const curve = makeSVG("path", { class: "curve" });
  const drawing = makeSVG("svg", {
    class: "response", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Response of ${node}`,
  }, grid, area, curve);
  const caption = make("figcaption", {}, "Response");
  const element = make("figure", { class: "figure" }, caption, drawing);

  const draw = ({ frequencies, decibels }) => {
    const most = Math.max(6, ...decibels.map(Math.abs));
    const limit = Math.ceil(most / 6) * 6;
    const y = (level) => {
      const inside = height - inset.top - inset.bottom;
      return inset.top + ((limit - Math.max(-limit, level)) / (2 * limit)) * inside;
    };
    grid.replaceChildren();
    for (const level of [-limit, -limit / 2, 0, limit / 2, limit]) {
      grid.append(
        makeSVG("path", {
          class: level === 0 ? "zero" : null, d: `M${inset.left} ${y(level)}H${width - inset.right}`,
        }),
        makeSVG("text", { x: inset.left - 5, y: y(level) + 3, "text-anchor": "end" },
          level > 0 ? `+${level}` : digits(level, 0)));
    }
    for (const frequency of octaves) {
      grid.append(
        makeSVG("path", { d: `M${x(frequency)} ${inset.top}V${height - inset.bottom}` }),
        makeSVG("text", { x: x(frequency), y: height - 5, "text-anchor": "middle" }, hertz(frequency)));
    }
    const points = frequencies.map((frequency, index) =>
      `${x(frequency).toFixed(1)} ${y(decibels[index]).toFixed(1)}`);
    curve.setAttribute("d", `M${points.join("L")}`);
    area.setAttribute("d",
      `M${x(frequencies[0])} ${y(0)}L${points.join("L")}L${x(frequencies.at(-1))} ${y(0)}Z`);
    const at = (frequency) => {
      const index = frequencies.findIndex((one) => one >= frequency);
      return index < 0 ? "" : `${digits(decibels[index], 1)} dB at ${hertz(frequency)} Hz`;
    };
    drawing.setAttribute("aria-label",
      `Response of ${node}: ${octaves.map(at).filter(Boolean).join(", ")}`);
    say(caption, "Response, dB");
  };

  let hasEnded = false;
  const read = async () => {
    try {
      const response = await readResponse(node);
      if (!hasEnded) draw(response);
    } catch (error) {
      say(caption, `Response: ${error.message}`);
    }
  };
  const readSoon = settled(120, read);
  const onValue = (event) => {
    if (model.controls.get(event.detail)?.node === node) readSoon();
  };
  // A value is shown before it is sent: what comes of it is there once it has been taken.
  model.addEventListener("value", onValue);
  model.addEventListener("taken", onValue);
  read();
  return {
    element,
    end() {
      hasEnded = true;
      model.removeEventListener("value", onValue);
      model.removeEventListener("taken", onValue);
    },
  };
}
