// JSON with comments, as the editor colours and indents it: a token at a time.

/** @param {object} cm what is exported by codemirror.js */
export const jsonLanguage = (cm) => cm.StreamLanguage.define({
  name: "json",
  startState: () => ({ depth: 0, isComment: false }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (state.isComment) {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.isComment = false;
      } else stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.isComment = true;
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return stream.match(/^\s*:/, false) ? "propertyName" : "string";
    if (stream.match(/^-?\d[\d.eE+-]*/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "atom";
    const letter = stream.next();
    if (letter === "{" || letter === "[") state.depth += 1;
    else if (letter === "}" || letter === "]") state.depth = Math.max(0, state.depth - 1);
    return "{}[]".includes(letter) ? "bracket" : null;
  },
  indent: (state, rest, context) => (state.depth - (/^\s*[}\]]/.test(rest) ? 1 : 0)) * context.unit,
  languageData: {
    closeBrackets: { brackets: ["{", "[", '"'] }, commentTokens: { line: "//" }, indentOnInput: /^\s*[}\]]$/,
  },
});

/** The colours of the page's own, by what a token is. */
export const jsonColours = (cm) => cm.HighlightStyle.define([
  { tag: cm.tags.propertyName, color: "var(--json-key)" }, { tag: cm.tags.string, color: "var(--json-string)" },
  { tag: cm.tags.number, color: "var(--json-number)" }, { tag: cm.tags.atom, color: "var(--json-word)" },
  { tag: cm.tags.comment, color: "var(--muted)", fontStyle: "italic" },
]);
