// The document's editor: CodeMirror, which comes when it is first needed, with the findings of the program.

import { byId, make, settled } from "./dom.js";

/** How it looks: the page's own colours. Its policy allows no style elements, and CodeMirror adopts its sheets. */
const look = {
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "12.5px", lineHeight: "19px", fontVariantLigatures: "none" },
  ".cm-content": { padding: "6px 0 30px", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 10px 0 6px" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 18%, transparent)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--sunken)", color: "var(--text)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "2px 0 0 2px" },
  ".cm-lint-marker": { width: "10px", height: "14px", content: '""', borderRadius: "3px" },
  ".cm-lint-marker-error": { content: '""', backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning, .cm-lint-marker-info": { content: '""', backgroundColor: "var(--warning)" },
  ".cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info": { backgroundImage: "none" },
  ".cm-lintRange-error": {
    borderBottom: "2px solid var(--bad)", backgroundColor: "color-mix(in srgb, var(--bad) 14%, transparent)",
  },
  ".cm-lintRange-warning, .cm-lintRange-info": {
    borderBottom: "2px dotted var(--warning)", backgroundColor: "color-mix(in srgb, var(--warning) 12%, transparent)",
  },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--sunken)", color: "var(--text)", border: "1px solid var(--edge)", padding: "0 5px",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 24%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--warning) 18%, transparent)" },
  ".cm-searchMatch-selected": { backgroundColor: "transparent", outline: "2px solid var(--accent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 10%, transparent)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "6px",
    maxWidth: "min(46em, 92vw)", overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12px", maxHeight: "15em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": { padding: "6px 10px", maxWidth: "24em" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 30px 8px 8px" },
  ".cm-panel.cm-search label": { fontSize: "12px", whiteSpace: "nowrap" },
  ".cm-textfield": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "4px" },
  ".cm-button": {
    backgroundImage: "none", backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--edge)",
    borderRadius: "4px",
  },
  ".cm-button:active": { backgroundImage: "none", backgroundColor: "var(--sunken)" },
  ".cm-panel.cm-search [name=close]": { color: "var(--text)", fontSize: "16px", right: "8px", top: "4px" },
  ".cm-diagnostic": { padding: "5px 10px", borderLeftWidth: "4px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning, .cm-diagnostic-info": { borderLeftColor: "var(--warning)" },
  ".cm-diagnosticSource": { fontSize: "11px", opacity: "1", color: "var(--muted)" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--accent)", color: "var(--on-accent)", borderRadius: "4px", padding: "2px 7px",
    margin: "5px 0 2px", display: "block", width: "max-content",
  },
};

export class Editor {
  #place;
  #changed;
  #wantsApply;
  /** @type {?Promise<void>} */
  #coming = null;
  /** What codemirror.js exports, once it is there. */
  #cm = null;
  /** @type {?import("@codemirror/view").EditorView} */
  #view = null;
  /** The text that was put here last, as it was, and as the editor has it: without the returns of line ends. */
  #put = { text: "", doc: null };
  #diagnostics = [];
  #folds; #wrapping;
  #isWrapped = false;

  /**
   * @param {() => void} changed
   * @param {() => void} wantsApply
   */
  constructor(place, changed, wantsApply) {
    this.#place = place;
    this.#changed = changed;
    this.#wantsApply = wantsApply;
    place.append(make("p", { class: "hint" }, "The editor comes…"));
  }

  get isReady() { return this.#view !== null; }

  /** Has the editor come. */
  open() {
    this.#coming ??= this.#load().catch((error) => {
      this.#coming = null;
      this.#place.replaceChildren(make("p", { class: "hint" }, `The editor has not come: ${error.message} `,
        make("button", { type: "button", class: "slight", onclick: () => this.open() }, "Try again")));
    });
    return this.#coming;
  }

  async #load() {
    const [cm, { jsonLanguage, jsonColours }, { completer, hover }] = await Promise.all([
      import("./codemirror.js"), import("./jsonc.js"), import("./language.js"),
    ]);
    this.#cm = cm;
    this.#folds = new cm.Compartment();
    this.#wrapping = new cm.Compartment();
    const { keymap, EditorView } = cm;
    const own = [
      { key: "Mod-Enter", run: () => (this.#wantsApply(), true) },
      { key: "Mod-s", run: () => false },
    ];
    const state = cm.EditorState.create({
      doc: this.#put.text,
      extensions: [
        cm.lintGutter(), cm.lineNumbers(), cm.codeFolding(),
        cm.foldGutter({ foldingChanged: (update) => update.transactions.some((one) => one.reconfigured) }),
        this.#folds.of([]), this.#wrapping.of(this.#isWrapped ? EditorView.lineWrapping : []),
        cm.history(), cm.drawSelection(), cm.highlightActiveLine(), cm.highlightActiveLineGutter(),
        cm.bracketMatching(), cm.closeBrackets(), cm.highlightSelectionMatches(), cm.search({ top: true }),
        jsonLanguage(cm), cm.syntaxHighlighting(jsonColours(cm)), cm.indentUnit.of("  "),
        cm.EditorState.tabSize.of(2),
        cm.autocompletion({ override: [completer(cm)], activateOnTypingDelay: 60, icons: false }), hover(cm),
        keymap.of([
          ...own, ...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.searchKeymap, ...cm.historyKeymap,
          ...cm.foldKeymap, ...cm.lintKeymap, cm.indentWithTab, ...cm.defaultKeymap,
        ]),
        EditorView.contentAttributes.of({
          id: "text", tabindex: "0", "aria-label": "The document, JSON", "aria-describedby": "editor-hint verdict",
          spellcheck: "false", autocapitalize: "off", autocorrect: "off",
        }),
        EditorView.theme(look),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          this.#foldSoon();
          if (!update.transactions.every((one) => one.annotation(cm.Transaction.remote))) this.#changed();
        }),
      ],
    });
    this.#place.replaceChildren();
    this.#view = new EditorView({ state, parent: this.#place });
    this.#put.doc = this.#view.state.doc;
    this.mark(this.#diagnostics);
    this.#foldSoon();
  }

  #foldSoon = settled(400, async () => {
    const { folding } = await import("./language.js");
    const service = await folding(this.#cm, this.#view.state);
    this.#view.dispatch({ effects: this.#folds.reconfigure(service) });
  });

  // The text

  get text() {
    const { text, doc } = this.#put;
    if (!this.#view || this.#view.state.doc.eq(doc)) return text;
    const typed = this.#view.state.sliceDoc();
    return text.includes("\r\n") ? typed.replaceAll("\n", "\r\n") : typed;
  }

  set text(text) {
    if (!this.#view) {
      this.#put.text = text;
      return;
    }
    const old = this.#view.state.sliceDoc();
    const next = text.replace(/\r\n?/g, "\n");
    // The least is replaced, so that the cursor and what is seen stay.
    let from = 0;
    while (from < old.length && from < next.length && old[from] === next[from]) from += 1;
    let end = 0;
    const most = Math.min(old.length, next.length) - from;
    while (end < most && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1;
    if (old !== next) {
      this.#view.dispatch({
        changes: { from, to: old.length - end, insert: next.slice(from, next.length - end) },
        annotations: [this.#cm.Transaction.addToHistory.of(false), this.#cm.Transaction.remote.of(true)],
      });
    }
    this.#put = { text, doc: this.#view.state.doc };
  }

  focus() { this.open().then(() => this.#view?.focus()); }

  /** Opens the search. */
  find() { this.open().then(() => this.#cm && this.#cm.openSearchPanel(this.#view)); }

  /** Whether long lines go on below. */
  wrap(isWrapped) {
    this.#isWrapped = isWrapped;
    this.#view?.dispatch({
      effects: this.#wrapping.reconfigure(isWrapped ? this.#cm.EditorView.lineWrapping : []),
    });
  }

  // Places

  /** @type {?{ text: string, isPlain: boolean }} */
  #line = null;

  /** Where a line and a column, counted from 1 in Unicode scalars, are in the text. */
  #offset({ line, column }) {
    const { doc } = this.#view.state;
    if (line > doc.lines) return doc.length;
    const found = doc.line(Math.max(1, line));
    // A long line is asked about again and again.
    if (this.#line?.text !== found.text) this.#line = { text: found.text, isPlain: !/[\ud800-\udfff]/.test(found.text) };
    if (this.#line.isPlain) return Math.min(found.to, found.from + column - 1);
    return found.from + [...found.text].slice(0, column - 1).join("").length;
  }

  /** Selects a place and brings it into view. */
  async select({ start, end }) {
    await this.open();
    const anchor = this.#offset(start);
    const head = Math.max(anchor, this.#offset(end ?? start));
    this.#view.dispatch({
      selection: { anchor, head }, effects: this.#cm.EditorView.scrollIntoView(anchor, { y: "center", x: "nearest" }),
    });
    this.#view.focus();
  }

  /** Makes edits, each a place and what stands there then. */
  async replace(edits) {
    await this.open();
    this.#view.dispatch({
      changes: edits.map(({ location, replacement }) =>
        ({ from: this.#offset(location.start), to: this.#offset(location.end), insert: replacement })),
      userEvent: "input.fix", scrollIntoView: true,
    });
    this.#view.focus();
  }

  /** Marks findings, with what mends them. @param {{ location: object, severity: string }[]} diagnostics */
  mark(diagnostics) {
    this.#diagnostics = diagnostics;
    if (!this.#view) return;
    const { doc } = this.#view.state;
    const marks = diagnostics.slice(0, 200).filter(({ location }) => location).map((one) => {
      const { location: { start, end }, severity, code, message, help, fixes } = one;
      const from = Math.min(doc.length, this.#offset(start));
      const to = Math.min(doc.length, end ? this.#offset(end) : from);
      return {
        from, to: Math.max(from, to), severity: severity === "error" ? "error" : "warning", source: code,
        message: [message, ...(help ?? [])].join("\n"),
        actions: (fixes ?? []).map((fix) => ({
          name: fix.title[0].toUpperCase() + fix.title.slice(1), apply: () => this.replace(fix.edits),
        })),
      };
    });
    this.#view.dispatch(this.#cm.setDiagnostics(this.#view.state, marks));
    byId("text")?.setAttribute("aria-invalid", String(marks.some((one) => one.severity === "error")));
  }
}
