// What the program's language server says of the text that is typed: completion, hover, folding.

import { make } from "./dom.js";
import { askLanguage } from "./server.js";

const placeIn = (doc, { line, character }) =>
  doc.line(Math.min(doc.lines, line + 1)).from + character;

const positionOf = (doc, offset) => {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
};

/** Asks one thing. @returns {Promise<any>} null where there is no answer */
async function ask(state, method, params = {}) {
  try {
    const [{ result }] = await askLanguage(state.sliceDoc(), [{ method: `textDocument/${method}`, params }]);
    return result ?? null;
  } catch {
    // A run that has ended says nothing of a text.
    return null;
  }
}

// Completion

/** A snippet of the protocol as CodeMirror has it. */
const template = (text) => text.replace(/\$(\d+)/g, (all, number) => (number === "0" ? "${}" : `\${${number}}`))
  .replaceAll("${0}", "${}");

/** Completes as the language server does. @param {object} cm */
export const completer = (cm) => async (context) => {
  const { state, pos } = context;
  const before = state.sliceDoc(state.doc.lineAt(pos).from, pos);
  if (!context.explicit && !/["\w/.-]$|[:,[{]\s?$/.test(before)) return null;
  const answer = await ask(state, "completion", { position: positionOf(state.doc, pos) });
  const items = Array.isArray(answer) ? answer : answer?.items ?? [];
  if (context.aborted || !items.length) return null;
  const from = placeIn(state.doc, items[0].textEdit.range.start);
  const options = items.map((item, index) => {
    const beyond = Math.max(0, placeIn(state.doc, item.textEdit.range.end) - pos);
    return {
      label: item.filterText ?? item.label, displayLabel: item.label,
      info: item.detail ? () => make("p", {}, item.detail) : undefined, boost: 99 - Math.min(198, index),
      apply(view, option, start, end) {
        // What stands behind the cursor already is replaced with the rest: a quotation mark.
        const after = view.state.sliceDoc(end, end + beyond);
        const to = after === state.sliceDoc(pos, pos + beyond) ? end + beyond : end;
        if (item.insertTextFormat === 2) cm.snippet(template(item.textEdit.newText))(view, option, start, to);
        else {
          const { newText } = item.textEdit;
          view.dispatch({
            changes: { from: start, to, insert: newText }, selection: { anchor: start + newText.length },
            userEvent: "input.complete", annotations: cm.pickedCompletion.of(option),
          });
        }
      },
    };
  });
  return { from, options, validFor: /^"?[\w .:/#-]*$/ };
};

// Hover

/** Markdown of few words: paragraphs, lists, code, strong words. */
function markdown(text) {
  const place = make("div", { class: "hover" });
  const inline = (line) => line.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) =>
    (part.startsWith("`") && part.length > 1 ? make("code", {}, part.slice(1, -1))
      : part.startsWith("**") && part.length > 3 ? make("strong", {}, part.slice(2, -2)) : part));
  for (const part of text.split(/(```[^]*?```)/)) {
    const code = part.match(/^```\w*\n?([^]*?)\n?```$/);
    if (code) {
      place.append(make("pre", {}, code[1]));
      continue;
    }
    for (const block of part.split(/\n\s*\n/).map((one) => one.trim()).filter(Boolean)) {
      const lines = block.split("\n");
      if (lines.every((line) => /^[-*] /.test(line))) {
        place.append(make("ul", {}, ...lines.map((line) => make("li", {}, ...inline(line.slice(2))))));
      } else place.append(make("p", {}, ...inline(lines.join(" ").replace(/^#+ /, ""))));
    }
  }
  return place;
}

/** Says what stands under the pointer. @param {object} cm */
export const hover = (cm) => cm.hoverTooltip(async (view, pos) => {
  const { state } = view;
  const answer = await ask(state, "hover", { position: positionOf(state.doc, pos) });
  const text = answer?.contents?.value ?? answer?.contents;
  if (!text || state.doc !== view.state.doc) return null;
  const { range } = answer;
  return {
    pos: range ? placeIn(state.doc, range.start) : pos, end: range ? placeIn(state.doc, range.end) : pos, above: true,
    create: () => ({ dom: markdown(text) }),
  };
}, { hoverTime: 350 });

// Folding

/** What can be folded of a text, as an extension that knows it. @param {object} cm */
export async function folding(cm, state) {
  const ranges = await ask(state, "foldingRange");
  const ends = new Map((ranges ?? []).map(({ startLine, endLine }) => [startLine + 1, endLine + 1]));
  return cm.foldService.of(({ doc }, start) => {
    // Of another text it says nothing.
    if (doc !== state.doc) return null;
    const line = doc.lineAt(start);
    const end = ends.get(line.number);
    return end ? { from: line.to, to: doc.line(end).to } : null;
  });
}
