// The document beside the sound: what is typed is checked, and plays once it is applied.

import { byId, make, say, settled } from "./dom.js";
import { Editor } from "./editor.js";
import { isTaking } from "./recording.js";
import { Refused, saveDocument, validate } from "./server.js";

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

export class DocumentDesk {
  #model;
  #changes;
  #messages;
  #editor;
  /** The text and the tag that what is typed began from. */
  #base = { text: "", tag: "" };
  #errors = 0;
  #checks = 0;
  #diagnostics = [];

  constructor({ model, changes }, messages) {
    this.#model = model;
    this.#changes = changes;
    this.#messages = messages;
    this.#editor = new Editor(byId("editor"), () => this.#typed(), () => this.apply());
    model.hear("document", () => {
      this.#arrived();
      if (!this.#waitsForTake || isTaking(model.document)) return;
      this.#waitsForTake = false;
      this.save();
    });
    model.hear("status", () => this.#update());
    if (model.tag) this.#arrived();
    byId("apply").addEventListener("click", () => this.apply());
    byId("revert").addEventListener("click", () => this.#revert());
    byId("save").addEventListener("click", () => this.save());
    byId("find").addEventListener("click", () => this.#editor.find());
    byId("wrap").addEventListener("click", () => {
      const isWrapped = byId("wrap").getAttribute("aria-pressed") !== "true";
      byId("wrap").setAttribute("aria-pressed", String(isWrapped));
      this.#editor.wrap(isWrapped);
    });
    // The editor is more than the rest of the page: it comes when it is wanted.
    const open = () => document.body.dataset.pane === "document" && this.#editor.open();
    model.hear("pane", open);
    open();
    for (const sign of ["pointerenter", "focus"]) {
      document.querySelector('#panes [data-pane="document"]').addEventListener(sign, () => this.#editor.open(), { once: true });
    }
    addEventListener("beforeunload", (event) => {
      if (this.isEdited) event.preventDefault();
    });
  }

  get isEdited() { return this.#editor.text !== this.#base.text; }

  get #type() {
    return /\.jsonc$/.test(this.#model.status?.file ?? "") ? "application/jsonc" : "application/json";
  }

  // What plays has become another

  #arrived() {
    if (this.isEdited && this.#editor.text !== this.#model.text) {
      this.#showConflict();
      return;
    }
    this.#take();
  }

  /** Shows what plays, and forgets what was typed. */
  #take() {
    this.#base = { text: this.#model.text, tag: this.#model.tag };
    this.#editor.text = this.#base.text;
    byId("conflict").hidden = true;
    this.#typed();
  }

  #showConflict() {
    const place = byId("conflict");
    place.hidden = false;
    place.replaceChildren(
      make("p", {}, "What plays has been changed since you began to type: at the controls, or by somebody else."),
      make("div", { class: "buttons small" },
        make("button", { type: "button", id: "take-theirs", onclick: () => this.#take() },
          "Show what plays"),
        make("button", { type: "button", id: "take-mine", onclick: () => this.#keepMine() },
          "Keep what I typed")));
  }

  /** What is typed is to come in the place of what plays now. */
  #keepMine() {
    this.#base = { text: this.#model.text, tag: this.#model.tag };
    byId("conflict").hidden = true;
    this.#typed();
    this.#editor.focus();
  }

  #revert() {
    this.#take();
    this.#editor.focus();
  }

  // What is typed is checked

  #typed() {
    this.#update();
    this.#check();
  }

  #update() {
    const { isEdited } = this;
    const status = this.#model.status;
    const plays = !["ended", "stopping"].includes(status?.state);
    byId("document").classList.toggle("edited", isEdited);
    byId("apply").disabled = !isEdited || this.#errors > 0 || !plays;
    byId("revert").disabled = !isEdited;
    const canSave = status?.canSave !== false && plays && this.#errors === 0;
    byId("save").disabled = !canSave || (status?.saved === true && !isEdited);
  }

  #check = settled(250, async () => {
    const number = ++this.#checks;
    try {
      const { diagnostics, text } = await validate(this.#editor.text, this.#type);
      if (number === this.#checks) this.#show(diagnostics, text);
    } catch (error) {
      if (number === this.#checks && error instanceof Refused) this.#show([], error.text);
    }
  });

  #show(diagnostics, text) {
    this.#diagnostics = diagnostics;
    const of = (severity) => diagnostics.filter((one) => one.severity === severity).length;
    this.#errors = of("error");
    this.#editor.mark(diagnostics);
    const warnings = of("warning");
    const parts = [this.#errors && count(this.#errors, "error"), warnings && count(warnings, "warning")];
    const verdict = parts.filter(Boolean).join(", ");
    const place = byId("verdict");
    place.className = `verdict ${this.#errors ? "error" : warnings ? "warning" : "fine"}`;
    say(place, verdict || (this.isEdited ? "Right: it can be applied" : "This plays"));
    byId("diagnostics").replaceChildren(...this.#items(diagnostics));
    byId("diagnosis").hidden = diagnostics.length === 0;
    byId("diagnosis-text").textContent = diagnostics.length ? text : "";
    this.#update();
  }

  /** The diagnostics; where a code comes more often than thrice, the first of it and the rest folded. */
  #items(diagnostics) {
    const codes = new Map();
    for (const one of diagnostics) {
      const kind = `${one.severity} ${one.code}`;
      codes.set(kind, [...(codes.get(kind) ?? []), one]);
    }
    return [...codes].flatMap(([kind, alike]) => {
      if (alike.length <= 3) return alike.map((one) => this.#item(one));
      const [first, ...others] = alike;
      return [
        this.#item(first),
        make("li", { class: first.severity },
          make("details", { class: "alike" }, make("summary", {}, `${others.length} more of ${kind}`),
            make("ul", {}, ...others.map((one) => this.#item(one))))),
      ];
    });
  }

  #item(diagnostic) {
    const { severity, message, code, location, help, fixes } = diagnostic;
    const start = location?.start;
    const place = start ? `${start.line}:${start.column}` : "";
    return make("li", { class: severity },
      make("button", {
        type: "button", class: "place", disabled: !start,
        onclick: () => this.#editor.select(location),
      }, make("span", { class: "where" }, place),
      make("span", { class: "what" }, `${severity} ${code}: ${message}`)),
      help?.length ? make("p", { class: "quiet" }, help.join("; ")) : null,
      ...(fixes ?? []).map((fix) => make("button", {
        type: "button", class: "fix", onclick: () => this.#editor.replace(fix.edits),
      }, fix.title[0].toUpperCase() + fix.title.slice(1))));
  }

  // What is typed plays

  /** @returns {Promise<boolean>} whether what is typed plays now */
  async apply() {
    if (!this.isEdited) return true;
    const { text } = this.#editor;
    try {
      const { tag } = await this.#changes.replace(text, this.#type, this.#base.tag);
      this.#base = { text, tag };
      this.#model.setDocument(text, tag);
      byId("conflict").hidden = true;
      this.#messages.clear("document");
      this.#messages.show("applied", "Applied", "", 3000);
      this.#typed();
      return true;
    } catch (error) {
      if (error.status === 412) this.#showConflict();
      else if (error.status === 422) this.#show(error.problem.diagnostics ?? [], error.problem.text ?? "");
      else this.#messages.show("document", "Not applied", error.text ?? error.message);
      return false;
    }
  }

  #waitsForTake = false;

  async save() {
    if (byId("save").disabled) return;
    if (isTaking(this.#model.document)) {
      // The taps of a take are no part of the patch, and go when it ends.
      this.#waitsForTake = true;
      this.#messages.show("saved", "Saved when the take has ended", "Its taps are not meant for the file.", 6000);
      return;
    }
    if (!(await this.apply())) return;
    try {
      const { file } = await saveDocument();
      this.#messages.clear("document");
      this.#messages.show("saved", "Saved", file, 3000);
      this.#model.setStatus({ saved: true });
    } catch (error) {
      this.#messages.show("document", "Not saved", error.text ?? error.message);
    }
  }
}
