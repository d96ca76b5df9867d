// What the inspector says while nothing is chosen: how it plays, what comes next, what was changed.

import { byId, make, say } from "./dom.js";
import { clock } from "./timeline.js";

/** So many steps and changes are named. */
const most = 5;
const pace = 500;

export class Overview {
  #model;
  #changes;
  #timeline;
  #facts = byId("readouts");
  #next = make("ol", { class: "events" });
  #nextTitle = make("h3", {}, "What comes next");
  #done = make("ol", { class: "events" });
  #doneTitle = make("h3", {}, "Changes made here");
  #element = make("section", { class: "overview", "aria-label": "Overview", hidden: true });
  #shown = "";

  /** @param {import("./timeline.js").Timeline} timeline */
  constructor(model, changes, timeline) {
    this.#model = model;
    this.#changes = changes;
    this.#timeline = timeline;
    this.#element.append(make("p", { class: "quiet" }, "Choose a strip or a node: its controls come here."),
      make("h3", {}, "How it plays"), make("dl", { class: "facts" }),
      this.#nextTitle, this.#next, this.#doneTitle, this.#done);
    byId("controls").append(this.#element);
    for (const name of ["built", "selected", "pane"]) model.hear(name, () => this.#show());
    for (const name of ["history", "document", "status"]) model.hear(name, () => this.#write());
    setInterval(() => this.#write(), pace);
    this.#show();
  }

  #show() {
    const isFree = !this.#model.selected && !byId("controls").querySelector("[data-card]");
    this.#element.hidden = !isFree;
    if (isFree) {
      byId("controls").append(this.#element);
      this.#write();
    }
  }

  #write() {
    if (this.#element.hidden || document.hidden || !this.#element.offsetParent) return;
    const facts = [...this.#facts.children].filter((one) => !one.hidden)
      .map((one) => [one.firstElementChild.textContent, one.lastElementChild.textContent]);
    const steps = this.#timeline.upcoming(most);
    const history = this.#changes.history.slice(0, most);
    // A list that is the same is not made anew.
    const shown = JSON.stringify([facts.map(([title]) => title), steps.map((one) => [one.at, one.what]), history]);
    const list = this.#element.querySelector(".facts");
    if (shown !== this.#shown) {
      this.#shown = shown;
      list.replaceChildren(...facts.map(([title]) => make("div", {}, make("dt", {}, title), make("dd", {}))));
      this.#next.replaceChildren(...steps.map((one) => make("li", {}, make("time", {}, clock(one.at, 0)), make("span", {}, one.what.replace(/ s$/, "\u00a0s")))));
      this.#done.replaceChildren(...history.map(({ text, isUndone }) =>
        make("li", { class: isUndone ? "undone" : null }, make("span", {}, text), make("span", { class: "quiet" }, isUndone ? "undone" : ""))));
      this.#nextTitle.hidden = this.#next.hidden = !steps.length;
      this.#doneTitle.hidden = this.#done.hidden = !history.length;
    }
    facts.forEach(([, text], index) => say(list.children[index].lastElementChild, text));
  }
}
