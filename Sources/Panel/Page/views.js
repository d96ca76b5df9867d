// Which view is seen, and what stands beside it.

import { byId } from "./dom.js";

const names = ["console", "graph", "timeline"];
/** Below, only one thing is seen at a time. */
export const isNarrow = matchMedia("(max-width: 700px)");

export class Views {
  #model;

  constructor(model) {
    this.#model = model;
    const { view } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    for (const button of document.querySelectorAll("#views button")) {
      button.addEventListener("click", () => this.show(button.dataset.view));
    }
    for (const button of document.querySelectorAll("#panes button")) {
      button.addEventListener("click", () => this.beside(button.dataset.pane));
    }
    if (isNarrow.matches) document.body.dataset.narrow = "view";
    this.show(names.includes(view) ? view : "console");
    this.beside("controls", false);
  }

  get view() { return document.body.dataset.view; }
  get pane() { return document.body.dataset.pane; }

  #mark() {
    const isPane = isNarrow.matches && document.body.dataset.narrow === "pane";
    for (const button of document.querySelectorAll("#views button")) {
      button.setAttribute("aria-current", String(!isPane && button.dataset.view === this.view));
    }
    for (const button of document.querySelectorAll("#panes button")) {
      const isShown = button.dataset.pane === this.pane;
      button.setAttribute("aria-current", String(isShown && (!isNarrow.matches || isPane)));
    }
  }

  /** @param {"console" | "graph" | "timeline"} view */
  show(view) {
    document.body.dataset.view = view;
    document.body.dataset.narrow = "view";
    history.replaceState(null, "", `#view=${view}`);
    this.#mark();
    this.#model.tell("view", view);
  }

  /** @param {"controls" | "document" | "taps" | "events"} pane */
  beside(pane, isAsked = true) {
    document.body.dataset.pane = pane;
    if (isAsked) document.body.dataset.narrow = "pane";
    this.#mark();
    this.#model.tell("pane", pane);
  }

  /** One of the first keys that all of the page knows; whether it was one. */
  key(key, target) {
    // On a control a digit begins a value.
    if (/\d/.test(key) && target.closest?.("[data-slider], .graph-view")) return false;
    if (names[Number(key) - 1]) this.show(names[Number(key) - 1]);
    else if (key === "d") this.beside(this.pane === "document" ? "controls" : "document");
    else if (key === "/") {
      const field = this.view === "graph" ? byId("graph-search") : byId("strip-search");
      if (this.view === "timeline") this.show("console");
      (field ?? byId("strip-search"))?.focus();
    } else return false;
    return true;
  }
}
