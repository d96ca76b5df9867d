// What of CodeMirror the panel uses.

export { Compartment, EditorState, Transaction } from "@codemirror/state";
export {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers,
} from "@codemirror/view";
export {
  bracketMatching, codeFolding, foldGutter, foldKeymap, foldService, HighlightStyle, indentUnit, StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
export { tags } from "@lezer/highlight";
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, pickedCompletion, snippet } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
