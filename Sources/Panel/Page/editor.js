// A plain text area for JSON: line numbers, colours, places of mistakes, and keys that indent.

import { make } from "./dom.js";

/** Texts beyond are not coloured: that takes longer than a key should. */
const longest = 60_000;
const indentation = "  ";

const syntax = new RegExp(
  [
    /(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/)/, /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))/,
    /(?<string>"(?:[^"\\\n]|\\.)*"?)/, /(?<number>-?\d[\d.eE+-]*)/, /(?<word>\b(?:true|false|null)\b)/,
  ].map((one) => one.source).join("|"), "g");

/** The text as coloured spans. */
function coloured(text) {
  const parts = document.createDocumentFragment();
  if (text.length > longest) {
    parts.append(text);
    return parts;
  }
  let end = 0;
  for (const match of text.matchAll(syntax)) {
    if (match.index > end) parts.append(text.slice(end, match.index));
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    parts.append(make("span", { class: `json-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  parts.append(text.slice(end));
  return parts;
}

export class Editor {
  #area;
  #paint = make("code", {});
  #marks = make("div", { class: "marks" });
  #numbers = make("div", { class: "numbers", "aria-hidden": "true" });
  #lineCount = 0;
  #leaves = false;

  /** @param {() => void} changed */
  constructor(place, changed) {
    this.#area = make("textarea", {
      id: "text", "aria-label": "The document, JSON", "aria-describedby": "editor-hint verdict",
      spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off",
    });
    const back = make("pre", { class: "paint", "aria-hidden": "true" }, this.#marks, this.#paint);
    place.append(this.#numbers, make("div", { class: "sheet" }, back, this.#area));
    this.#area.addEventListener("input", () => {
      this.#draw();
      changed();
    });
    this.#area.addEventListener("scroll", () => {
      back.scrollTop = this.#numbers.scrollTop = this.#area.scrollTop;
      back.scrollLeft = this.#area.scrollLeft;
    });
    this.#area.addEventListener("keydown", (event) => this.#key(event));
    this.#area.addEventListener("focus", () => (this.#leaves = false));
  }

  get text() { return this.#area.value; }

  set text(text) {
    if (this.#area.value === text) return;
    const { scrollTop, selectionStart } = this.#area;
    this.#area.value = text;
    this.#area.setSelectionRange(selectionStart, selectionStart);
    this.#area.scrollTop = scrollTop;
    this.#draw();
  }

  #draw() {
    const { value } = this.#area;
    this.#paint.replaceChildren(coloured(value), "\n");
    const count = value.split("\n").length;
    if (count === this.#lineCount) return;
    this.#lineCount = count;
    this.#numbers.textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
  }

  /** Puts a text in the place of the selection, to be undone by the browser's own keys. */
  #insert(text) {
    if (!document.execCommand("insertText", false, text)) {
      this.#area.setRangeText(text, this.#area.selectionStart, this.#area.selectionEnd, "end");
      this.#area.dispatchEvent(new Event("input"));
    }
  }

  /** The line that the selection begins in, up to the selection. */
  #lineBefore() {
    const before = this.#area.value.slice(0, this.#area.selectionStart);
    return before.slice(before.lastIndexOf("\n") + 1);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.#leaves = true;
    else if (event.key === "Tab" && !this.#leaves) {
      event.preventDefault();
      this.#indent(event.shiftKey);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const before = this.#lineBefore();
      const blanks = before.match(/^\s*/)[0];
      const isOpen = /[{[]\s*$/.test(before);
      this.#insert(`\n${blanks}${isOpen ? indentation : ""}`);
    } else if (event.key !== "Shift" && event.key !== "Tab") this.#leaves = false;
  }

  #indent(isBack) {
    const area = this.#area;
    const { selectionStart: start, selectionEnd: end, value } = area;
    if (!isBack && start === end) {
      this.#insert(indentation);
      return;
    }
    const from = value.lastIndexOf("\n", start - 1) + 1;
    const lines = value.slice(from, end).split("\n");
    const next = lines.map((line) => (isBack ? line.replace(/^ {1,2}|^\t/, "") : indentation + line));
    const text = next.join("\n");
    if (text === lines.join("\n")) return;
    area.setSelectionRange(from, end);
    this.#insert(text);
    area.setSelectionRange(
      Math.max(from, start + next[0].length - lines[0].length), from + text.length);
  }

  // Places

  /** Where a line and a column, counted from 1 in Unicode scalars, are in the text. */
  #offset({ line, column }) {
    let start = 0;
    for (let number = 1; number < line; number += 1) {
      const next = this.#area.value.indexOf("\n", start);
      if (next < 0) return this.#area.value.length;
      start = next + 1;
    }
    const rest = this.#area.value.slice(start).split("\n", 1)[0];
    return start + [...rest].slice(0, column - 1).join("").length;
  }

  /** Selects a place and brings it into view. */
  select({ start, end }) {
    const from = this.#offset(start);
    this.#area.focus();
    this.#area.setSelectionRange(from, Math.max(from, this.#offset(end ?? start)));
    const lineHeight = parseFloat(getComputedStyle(this.#area).lineHeight);
    const top = (start.line - 1) * lineHeight;
    const { scrollTop, clientHeight } = this.#area;
    if (top < scrollTop + lineHeight || top > scrollTop + clientHeight - 3 * lineHeight) {
      this.#area.scrollTop = Math.max(0, top - clientHeight / 3);
    }
    const left = (start.column - 1) * this.#characterWidth();
    const { scrollLeft, clientWidth } = this.#area;
    if (left < scrollLeft || left > scrollLeft + clientWidth * 0.8) {
      this.#area.scrollLeft = Math.max(0, left - clientWidth / 3);
    }
  }

  #characterWidth() {
    const context = document.createElement("canvas").getContext("2d");
    const { fontSize, fontFamily } = getComputedStyle(this.#area);
    context.font = `${fontSize} ${fontFamily}`;
    return context.measureText("0").width;
  }

  /** Makes edits, each a place and what stands there then. */
  replace(edits) {
    const places = edits
      .map(({ location, replacement }) =>
        ({ from: this.#offset(location.start), to: this.#offset(location.end), replacement }))
      .sort((one, other) => other.from - one.from);
    this.#area.focus();
    for (const { from, to, replacement } of places) {
      this.#area.setSelectionRange(from, to);
      this.#insert(replacement);
    }
  }

  /** Underlines places. @param {{ location: object, severity: string }[]} diagnostics */
  mark(diagnostics) {
    this.#marks.replaceChildren();
    for (const { location, severity } of diagnostics.slice(0, 200)) {
      if (!location) continue;
      const { start, end } = location;
      const isOneLine = end && end.line === start.line;
      const length = Math.max(1, isOneLine ? end.column - start.column : 1);
      const mark = make("div", { class: `mark ${severity}` });
      mark.style.setProperty("--line", String(start.line - 1));
      mark.style.setProperty("--column", String(start.column - 1));
      mark.style.setProperty("--length", String(length));
      this.#marks.append(mark);
    }
  }
}
