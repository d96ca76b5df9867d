// What the page has to say: short, above the bottom of the page, until it is over or sent away.

import { byId, make } from "./dom.js";

export class Messages {
  /** @type {Map<string, { element: HTMLElement, timer: number }>} */
  #shown = new Map();

  /**
   * Says something in the place of what was said last about the same.
   * @param {string} about
   * @param {string} title
   * @param {string} text lines, as the program prints them
   * @param {number} time milliseconds until it goes by itself; 0 for never
   */
  show(about, title, text, time = 0) {
    this.clear(about);
    const [first, ...rest] = text.trimEnd().split("\n");
    const element = make("div", { class: `message ${time ? "passing" : "lasting"}` },
      make("div", { class: "message-text" },
        make("p", {}, make("strong", {}, title), first ? ` ${first}` : ""),
        rest.length ? make("details", {}, make("summary", {}, "In full"),
          make("pre", { tabindex: 0, "aria-label": `${title}, in full` }, text)) : null),
      make("button", {
        type: "button", class: "close", "aria-label": `Close: ${title}`, onclick: () => this.clear(about),
      }, "×"));
    const timer = time ? setTimeout(() => this.clear(about), time) : 0;
    this.#shown.set(about, { element, timer });
    byId("messages-list").append(element);
  }

  clear(about) {
    const shown = this.#shown.get(about);
    if (!shown) return;
    clearTimeout(shown.timer);
    shown.element.remove();
    this.#shown.delete(about);
  }
}
