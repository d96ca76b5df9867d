// What the extension uses of Visual Studio Code, with a window in which nobody sits.
"use strict";

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}
class Range {
  constructor(start, end) { Object.assign(this, { start, end }); }
}
class Uri {
  constructor(text) { this.text = text; }
  static parse(text) { return new Uri(text); }
  static file(path) { return new Uri(`file://${path}`); }
  toString() { return this.text; }
}
class Plain {
  constructor(...values) { this.values = values; }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}
class CompletionItem {
  constructor(label, kind) { Object.assign(this, { label, kind }); }
}
class CompletionList {
  constructor(items, isIncomplete) { Object.assign(this, { items, isIncomplete }); }
}
class SnippetString {
  constructor(value) { this.value = value; }
}
class TextEdit {
  constructor(range, newText) { Object.assign(this, { range, newText }); }
}
class WorkspaceEdit {
  constructor() { this.files = new Map(); }
  set(uri, edits) { this.files.set(uri.toString(), edits); }
}
class CodeAction {
  constructor(title, kind) { Object.assign(this, { title, kind }); }
}
class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); }
}
CodeActionKind.Empty = new CodeActionKind("");

class Document {
  constructor(path, text) {
    this.uri = Uri.file(path);
    this.languageId = "json";
    this.version = 1;
    this.text = text;
  }
  getText() { return this.text; }
  positionAt(offset) {
    const lines = this.text.slice(0, offset).split("\n");
    return new Position(lines.length - 1, lines.at(-1).length);
  }
  offsetAt(at) {
    const lines = this.text.split("\n");
    return lines.slice(0, at.line).reduce((sum, line) => sum + line.length + 1, 0) + at.character;
  }
}

function event() {
  const listeners = [];
  const on = (listener) => {
    listeners.push(listener);
    return { dispose() {} };
  };
  on.fire = (value) => listeners.forEach((listener) => listener(value));
  return on;
}

const state = { providers: {}, findings: new Map(), errors: [], commands: {}, settings: {} };

const provide = (name) => (selector, provider) => {
  state.providers[name] = provider;
  return { dispose() { delete state.providers[name]; } };
};

const vscode = {
  Position, Range, Uri, Diagnostic, CompletionItem, CompletionList, SnippetString, TextEdit, WorkspaceEdit,
  CodeAction, CodeActionKind,
  Location: Plain, DiagnosticRelatedInformation: Plain, DocumentHighlight: Plain, Hover: Plain, MarkdownString: Plain,
  DocumentSymbol: Plain, FoldingRange: Plain, DocumentLink: Plain, InlayHint: Plain,
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => state.findings.set(uri.toString(), list),
      delete: (uri) => state.findings.delete(uri.toString()),
      clear: () => state.findings.clear(),
      dispose() {},
    }),
    match: (selector, document) => {
      const path = document.uri.toString();
      return selector.some(({ pattern }) => {
        const sign = pattern.replace(/[.+^$()|[\]\\]/g, "\\$&").replaceAll("**/", "\u0000")
          .replaceAll("*", "[^/]*").replaceAll("\u0000", "(.*/)?");
        return new RegExp(`^file://(.*/)?${sign}$`).test(path);
      }) ? 10 : 0;
    },
  },
  workspace: {
    textDocuments: [],
    getConfiguration: () => ({ get: (key) => state.settings[key] }),
    onDidOpenTextDocument: event(), onDidChangeTextDocument: event(), onDidSaveTextDocument: event(),
    onDidCloseTextDocument: event(), onDidChangeConfiguration: event(),
  },
  window: { showErrorMessage: (text) => state.errors.push(text) },
  commands: {
    registerCommand: (name, call) => {
      state.commands[name] = call;
      return { dispose() {} };
    },
  },
};

for (const name of [
  "CompletionItem", "Hover", "Definition", "Reference", "DocumentHighlight", "DocumentSymbol", "Rename",
  "DocumentFormattingEdit", "FoldingRange", "DocumentLink", "InlayHints",
]) vscode.languages[`register${name}Provider`] = provide(name);
vscode.languages.registerCodeActionsProvider = provide("CodeActions");

/** A change by hand: a text in the place of a range of offsets. */
function type(document, start, end, text) {
  const change = { range: new Range(document.positionAt(start), document.positionAt(end)), text };
  document.text = document.text.slice(0, start) + text + document.text.slice(end);
  document.version += 1;
  vscode.workspace.onDidChangeTextDocument.fire({ document, contentChanges: [change] });
}

module.exports = { vscode, state, Document, type };
