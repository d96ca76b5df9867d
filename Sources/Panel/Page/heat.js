// What each box of the map takes of the time that rendering takes: a colour and a number, while they are asked for.

import { byId, make, makeSVG, say } from "./dom.js";
import { readShares } from "./server.js";

/** The steps of the scale, as `show --heat` has them: from this share on. */
const scale = [[0, "under 1 %"], [0.01, "1 to 5 %"], [0.05, "5 to 20 %"], [0.2, "20 to 50 %"], [0.5, "50 % and more"]];
const pace = 1500;

const percent = (share) => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
const stepOf = (share) => scale.findLastIndex(([from]) => share >= from);

export class Heat {
  #model;
  #changed;
  #button = byId("graph-heat");
  #legend = byId("graph-legend");
  /** @type {Element[]} */
  #boxes = [];
  #timer = 0;
  #load = make("span", { class: "quiet" });

  /** @param {() => void} changed */
  constructor(model, changed) {
    this.#model = model;
    this.#changed = changed;
    this.#button.addEventListener("click", () => this.toggle());
    this.#legend.append(make("span", {}, "Share of the rendering:"),
      ...scale.map(([, text], step) => make("span", { class: "step" },
        make("span", { class: `swatch heat${step}`, "aria-hidden": "true" }), text)), this.#load);
    for (const name of ["view", "connection"]) model.hear(name, () => this.#read());
    document.addEventListener("visibilitychange", () => this.#read());
  }

  get isOn() { return this.#button.getAttribute("aria-pressed") === "true"; }

  toggle() {
    this.#button.setAttribute("aria-pressed", String(!this.isOn));
    this.#legend.hidden = !this.isOn;
    if (!this.isOn) this.#put(new Map());
    this.#changed();
    this.#read();
  }

  /** Takes the boxes of another drawing. @param {Element[]} boxes */
  show(boxes) {
    this.#boxes = boxes;
    this.#read();
  }

  async #read() {
    clearTimeout(this.#timer);
    const isSeen = this.isOn && document.body.dataset.view === "graph" && !document.hidden;
    if (!isSeen || this.#model.connection !== "open") return;
    this.#timer = setTimeout(() => this.#read(), pace);
    const answer = await readShares().catch(() => null);
    if (!answer || !this.isOn) return;
    const shares = new Map(answer.shares.map((one) =>
      [one.node !== undefined ? `node ${one.node}` : one.callback !== undefined ? `callback ${one.callback}`
        : one.tap !== undefined ? `tap ${one.tap}` : "", one]));
    this.#put(shares);
    const rest = shares.get("");
    const all = answer.shares.reduce((sum, one) => sum + one.load, 0);
    say(this.#load, answer.seconds
      ? `All of it: ${(all * 100).toFixed(all < 0.1 ? 2 : 1)} % of a core`
        + (rest ? `, ${percent(rest.share)} of that conversions and fades` : "") : "Not measured yet");
  }

  /** @param {Map<string, { share: number, load: number }>} shares */
  #put(shares) {
    for (const box of this.#boxes) {
      const { node, callback, tap } = box.dataset;
      const found = shares.get(node !== undefined ? `node ${node}` : callback !== undefined ? `callback ${callback}` : `tap ${tap}`);
      const step = found ? stepOf(found.share) : -1;
      scale.forEach((one, index) => box.classList.toggle(`heat${index}`, index === step));
      box.classList.toggle("heat", step >= 0);
      let text = box.querySelector(".share");
      if (!found) {
        text?.remove();
      } else {
        const frame = box.querySelector("rect");
        text ??= box.appendChild(makeSVG("text", {
          class: "share", "text-anchor": "end", x: Number(frame.getAttribute("width")) - 8,
          y: Number(frame.getAttribute("height")) - 8,
        }));
        say(text, percent(found.share));
      }
      const label = box.getAttribute("aria-label")?.replace(/, [\d.]+ % of the rendering/, "");
      if (label) box.setAttribute("aria-label", found ? `${label}, ${percent(found.share)} of the rendering` : label);
    }
  }
}
