// The client of 'patchrun lsp' for Visual Studio Code. It speaks the Language Server Protocol itself, so that the
// extension is whole without packages of a registry.
"use strict";

const { spawn } = require("node:child_process");
const vscode = require("vscode");

/** One server, from its start to its end. */
class Server {
  constructor(command, onNotification, onEnd) {
    this.waiting = new Map();
    this.number = 0;
    this.input = Buffer.alloc(0);
    this.onNotification = onNotification;
    this.isOver = false;
    this.child = spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "pipe"] });
    this.words = "";
    this.child.stdout.on("data", (bytes) => this.take(bytes));
    this.child.stderr.on("data", (bytes) => { this.words = (this.words + bytes).slice(-2000); });
    this.child.stdin.on("error", () => {});
    const end = (reason) => {
      if (this.isOver) return;
      this.isOver = true;
      for (const { reject } of this.waiting.values()) reject(new Error("the language server has ended"));
      this.waiting.clear();
      onEnd(reason);
    };
    this.child.on("error", (error) => end(error.message));
    this.child.on("exit", (code) => end(this.words.trim() || `it ended with ${code}`));
  }

  take(bytes) {
    this.input = Buffer.concat([this.input, bytes]);
    for (;;) {
      const end = this.input.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.input.toString("latin1", 0, end));
      if (!length) {
        this.input = this.input.subarray(end + 4);
        continue;
      }
      const last = end + 4 + Number(length[1]);
      if (this.input.length < last) return;
      const message = JSON.parse(this.input.toString("utf8", end + 4, last));
      this.input = this.input.subarray(last);
      this.receive(message);
    }
  }

  receive(message) {
    if (message.method !== undefined) {
      if (message.id === undefined) this.onNotification(message.method, message.params);
      return;
    }
    const answer = this.waiting.get(message.id);
    if (!answer) return;
    this.waiting.delete(message.id);
    if (message.error) answer.reject(new Error(message.error.message));
    else answer.resolve(message.result);
  }

  send(message) {
    if (this.isOver) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  notify(method, params) { this.send({ method, params }); }

  request(method, params, token) {
    if (this.isOver) return Promise.reject(new Error("the language server has ended"));
    const id = ++this.number;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    const listener = token?.onCancellationRequested(() => this.notify("$/cancelRequest", { id }));
    this.send({ id, method, params });
    return answer.finally(() => listener?.dispose());
  }

  async stop() {
    if (this.isOver) return;
    await this.request("shutdown").catch(() => {});
    this.notify("exit");
    this.child.stdin.end();
  }
}

// Between what the editor has and what the protocol has.

const position = (at) => ({ line: at.line, character: at.character });
const range = (of) => ({ start: position(of.start), end: position(of.end) });
const editorPosition = (at) => new vscode.Position(at.line, at.character);
const editorRange = (of) => new vscode.Range(editorPosition(of.start), editorPosition(of.end));
const editorLocation = (place) => new vscode.Location(vscode.Uri.parse(place.uri), editorRange(place.range));
const editorEdit = (edit) => new vscode.TextEdit(editorRange(edit.range), edit.newText);

function workspaceEdit(edit) {
  const result = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit?.changes ?? {})) {
    result.set(vscode.Uri.parse(uri), edits.map(editorEdit));
  }
  for (const change of edit?.documentChanges ?? []) {
    result.set(vscode.Uri.parse(change.textDocument.uri), change.edits.map(editorEdit));
  }
  return result;
}

function diagnostic(found) {
  // The protocol counts severities from 1, the editor from 0.
  const result = new vscode.Diagnostic(editorRange(found.range), found.message, (found.severity ?? 1) - 1);
  result.source = found.source;
  result.code = found.codeDescription
    ? { value: found.code, target: vscode.Uri.parse(found.codeDescription.href) } : found.code;
  result.tags = found.tags;
  result.relatedInformation = found.relatedInformation?.map(
    (one) => new vscode.DiagnosticRelatedInformation(editorLocation(one.location), one.message));
  return result;
}

function completionItem(item) {
  // The protocol counts kinds from 1, the editor from 0.
  const result = new vscode.CompletionItem(item.label, item.kind - 1);
  result.detail = item.detail;
  result.filterText = item.filterText;
  result.sortText = item.sortText;
  result.range = editorRange(item.textEdit.range);
  result.insertText = item.insertTextFormat === 2
    ? new vscode.SnippetString(item.textEdit.newText) : item.textEdit.newText;
  return result;
}

function symbol(one) {
  const result = new vscode.DocumentSymbol(
    one.name, one.detail ?? "", one.kind - 1, editorRange(one.range), editorRange(one.selectionRange));
  result.children = (one.children ?? []).map(symbol);
  return result;
}

const capabilities = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true },
    completion: { completionItem: { snippetSupport: true } },
    hover: { contentFormat: ["markdown", "plaintext"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "source.fixAll"] } } },
    rename: { prepareSupport: true },
    inlayHint: {},
    foldingRange: { lineFoldingOnly: true },
  },
};

/** The extension while it is active. */
class Client {
  constructor(context) {
    this.findings = vscode.languages.createDiagnosticCollection("patchrun");
    this.open = new Set();
    this.starts = [];
    this.setFiles();
    context.subscriptions.push(
      this.findings,
      vscode.workspace.onDidOpenTextDocument((document) => this.didOpen(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.didChange(event)),
      vscode.workspace.onDidSaveTextDocument((document) => this.didSave(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.didClose(document)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("patchrun")) this.restart();
      }),
      vscode.commands.registerCommand("patchrun.restart", () => this.restart()));
    this.providers = [];
    this.provide();
    context.subscriptions.push({ dispose: () => this.forgetProviders() });
  }

  setFiles() {
    const patterns = vscode.workspace.getConfiguration("patchrun").get("files");
    this.selector = patterns.map((pattern) => ({ scheme: "file", pattern }));
  }

  async start() {
    const command = vscode.workspace.getConfiguration("patchrun").get("path");
    this.starts.push(Date.now());
    const server = new Server(
      command, (method, params) => this.notified(method, params), (reason) => this.ended(server, command, reason));
    this.server = server;
    this.isReady = false;
    try {
      await server.request("initialize", { processId: process.pid, rootUri: null, capabilities });
    } catch {
      return;
    }
    if (server !== this.server) return;
    server.notify("initialized", {});
    this.isReady = true;
    this.open.clear();
    for (const document of vscode.workspace.textDocuments) this.didOpen(document);
  }

  /** A server that ends by itself is started again, but not for ever. */
  ended(server, command, reason) {
    if (server !== this.server) return;
    this.isReady = false;
    this.server = undefined;
    const lately = this.starts.filter((time) => Date.now() - time < 60_000);
    if (lately.length < 4 && !/ENOENT|EACCES/.test(reason)) {
      this.start();
      return;
    }
    vscode.window.showErrorMessage(
      `patchrun: '${command} lsp' cannot be used: ${reason}. The setting 'patchrun.path' says where the program is.`);
  }

  async restart() {
    await this.stop();
    this.setFiles();
    this.forgetProviders();
    this.provide();
    this.starts = [];
    await this.start();
  }

  async stop() {
    const server = this.server;
    this.server = undefined;
    this.isReady = false;
    this.findings.clear();
    this.open.clear();
    await server?.stop();
  }

  // What the editor tells the server.

  isPatch(document) { return vscode.languages.match(this.selector, document) > 0; }

  didOpen(document) {
    const uri = document.uri.toString();
    if (!this.isReady || this.open.has(uri) || !this.isPatch(document)) return;
    this.open.add(uri);
    this.server.notify("textDocument/didOpen", {
      textDocument: { uri, languageId: document.languageId, version: document.version, text: document.getText() },
    });
  }

  didChange(event) {
    const uri = event.document.uri.toString();
    if (!this.isReady || !this.open.has(uri) || event.contentChanges.length === 0) return;
    this.server.notify("textDocument/didChange", {
      textDocument: { uri, version: event.document.version },
      contentChanges: event.contentChanges.map((change) => ({ range: range(change.range), text: change.text })),
    });
  }

  didSave(document) {
    const uri = document.uri.toString();
    if (this.isReady && this.open.has(uri)) this.server.notify("textDocument/didSave", { textDocument: { uri } });
  }

  didClose(document) {
    const uri = document.uri.toString();
    if (!this.open.delete(uri) || !this.isReady) return;
    this.server.notify("textDocument/didClose", { textDocument: { uri } });
    this.findings.delete(document.uri);
  }

  notified(method, params) {
    if (method !== "textDocument/publishDiagnostics" || !this.open.has(params.uri)) return;
    this.findings.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic));
  }

  // What the editor asks the server.

  /** The answer to a request; null where there is none. */
  async ask(method, document, more, token) {
    if (!this.isReady || !this.open.has(document.uri.toString())) return null;
    try {
      return await this.server.request(
        `textDocument/${method}`, { textDocument: { uri: document.uri.toString() }, ...more }, token);
    } catch (error) {
      if (method === "rename" || method === "prepareRename") throw error;
      return null;
    }
  }

  forgetProviders() {
    for (const provider of this.providers) provider.dispose();
    this.providers = [];
  }

  provide() {
    const languages = vscode.languages;
    const at = (place) => ({ position: position(place) });
    const files = this.selector;
    this.providers = [
      languages.registerCompletionItemProvider(files, {
        provideCompletionItems: async (document, place, token) => {
          const list = await this.ask("completion", document, at(place), token);
          return list && new vscode.CompletionList(list.items.map(completionItem), list.isIncomplete);
        },
      }, "\"", ":", "/"),
      languages.registerHoverProvider(files, {
        provideHover: async (document, place, token) => {
          const hover = await this.ask("hover", document, at(place), token);
          return hover && new vscode.Hover(new vscode.MarkdownString(hover.contents.value), editorRange(hover.range));
        },
      }),
      languages.registerDefinitionProvider(files, {
        provideDefinition: async (document, place, token) =>
          (await this.ask("definition", document, at(place), token))?.map(editorLocation),
      }),
      languages.registerReferenceProvider(files, {
        provideReferences: async (document, place, context, token) =>
          (await this.ask("references", document, { ...at(place), context }, token))?.map(editorLocation),
      }),
      languages.registerDocumentHighlightProvider(files, {
        provideDocumentHighlights: async (document, place, token) =>
          (await this.ask("documentHighlight", document, at(place), token))?.map(
            (one) => new vscode.DocumentHighlight(editorRange(one.range), one.kind - 1)),
      }),
      languages.registerDocumentSymbolProvider(files, {
        provideDocumentSymbols: async (document, token) =>
          (await this.ask("documentSymbol", document, {}, token))?.map(symbol),
      }),
      languages.registerRenameProvider(files, {
        prepareRename: async (document, place, token) => {
          const found = await this.ask("prepareRename", document, at(place), token);
          if (!found) throw new Error("no node, callback, stream format or constant is named here");
          return { range: editorRange(found.range), placeholder: found.placeholder };
        },
        provideRenameEdits: async (document, place, newName, token) =>
          workspaceEdit(await this.ask("rename", document, { ...at(place), newName }, token)),
      }),
      languages.registerDocumentFormattingEditProvider(files, {
        provideDocumentFormattingEdits: async (document, options, token) =>
          (await this.ask("formatting", document, { options }, token))?.map(editorEdit),
      }),
      languages.registerCodeActionsProvider(files, {
        provideCodeActions: async (document, place, context, token) => {
          const asked = {
            range: range(place),
            context: {
              diagnostics: [], triggerKind: context.triggerKind,
              ...(context.only && { only: [context.only.value] }),
            },
          };
          const actions = await this.ask("codeAction", document, asked, token);
          return actions?.map((action) => {
            let kind = vscode.CodeActionKind.Empty;
            for (const part of (action.kind ?? "").split(".").filter(Boolean)) kind = kind.append(part);
            const result = new vscode.CodeAction(action.title, kind);
            result.edit = workspaceEdit(action.edit);
            result.isPreferred = action.isPreferred;
            return result;
          });
        },
      }),
      languages.registerFoldingRangeProvider(files, {
        provideFoldingRanges: async (document, context, token) =>
          (await this.ask("foldingRange", document, {}, token))?.map(
            (one) => new vscode.FoldingRange(one.startLine, one.endLine)),
      }),
      languages.registerDocumentLinkProvider(files, {
        provideDocumentLinks: async (document, token) =>
          (await this.ask("documentLink", document, {}, token))?.map(
            (one) => new vscode.DocumentLink(editorRange(one.range), vscode.Uri.parse(one.target))),
      }),
      languages.registerInlayHintsProvider(files, {
        provideInlayHints: async (document, place, token) =>
          (await this.ask("inlayHint", document, { range: range(place) }, token))?.map((one) => {
            const hint = new vscode.InlayHint(editorPosition(one.position), one.label);
            hint.paddingLeft = one.paddingLeft;
            hint.tooltip = one.tooltip;
            return hint;
          }),
      }),
    ];
  }
}

let client;

exports.activate = (context) => {
  client = new Client(context);
  return client.start();
};

exports.deactivate = () => client?.stop();
