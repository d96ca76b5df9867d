// The extension as it is packed, in a window of its own making, with the program as it was built:
//
//   PATCHRUN=.build/debug/patchrun node Tests/VSCode/test.js UNPACKED.vsix
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");
const { vscode, state, Document, type } = require("./mock.js");

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const folder = path.resolve(process.argv[2], "extension");
const manifest = require(path.join(folder, "package.json"));
for (const [key, value] of Object.entries(manifest.contributes.configuration.properties)) {
  state.settings[key.replace("patchrun.", "")] = value.default;
}
state.settings.path = process.env.PATCHRUN;
const extension = require(path.join(folder, manifest.main));

const text = `{
  "callbacks": { "tone": { "kind": "tone" } },
  "nodes": {
    "mixer": { "component": "MultichannelMixer" },
    "io": { "component": "remoteIO" }
  },
  "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
  "connections": [
    { "from": "tone", "to": "mixer" },
    { "from": "mixer", "to": "io" }
  ]
}
`;

async function until(what, condition) {
  for (let round = 0; round < 600; round += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`it never came: ${what}`);
}

async function main() {
  const patch = new Document("/nowhere/patches/a.json", text);
  const other = new Document("/nowhere/package.json", "{}");
  vscode.workspace.textDocuments.push(patch, other);
  await extension.activate({ subscriptions: [] });
  const uri = patch.uri.toString();
  const at = (word, more = 1) => patch.positionAt(patch.text.indexOf(word) + more);
  const ask = (provider, method, ...rest) => state.providers[provider][method](patch, ...rest);

  // What is no patch is left alone.
  await until("the first findings", () => state.findings.has(uri));
  assert.deepStrictEqual(state.findings.get(uri), []);
  assert(!state.findings.has(other.uri.toString()));

  // A mistake that is typed is found, with its code, and its fix puts it right.
  const place = patch.text.indexOf("remoteIO");
  type(patch, place, place + 8, "remotIO");
  await until("the finding", () => state.findings.get(uri).length === 1);
  const [finding] = state.findings.get(uri);
  assert.strictEqual(finding.severity, 0);
  assert.match(String(finding.code.value ?? finding.code), /^PR\d{4}$/);
  const actions = await ask("CodeActions", "provideCodeActions", finding.range, { triggerKind: 1 });
  const fix = actions.find((one) => one.kind.value === "quickfix");
  const [edit] = fix.edit.files.get(uri);
  type(patch, patch.offsetAt(edit.range.start), patch.offsetAt(edit.range.end), edit.newText);
  assert.strictEqual(patch.text, text);
  await until("no finding", () => state.findings.get(uri).length === 0);

  const list = await ask("CompletionItem", "provideCompletionItems", at('"nodes": {', 10));
  const snippet = list.items.find((one) => one.label === "NBandEQ");
  assert.match(snippet.insertText.value, /^"\$\{1:nbandEQ\}": \{ "component": "NBandEQ"\$0 \}$/i);
  const hover = await ask("Hover", "provideHover", at("remoteIO"));
  assert.match(hover.values[0].values[0], /^\*\*remoteIO\*\*/);
  const definition = await ask("Definition", "provideDefinition", at('"mixer" }', 2));
  assert.strictEqual(definition[0].values[1].start.line, 3);
  const references = await ask("Reference", "provideReferences", at('"mixer" }', 2), { includeDeclaration: true });
  assert.strictEqual(references.length, 3);
  assert.strictEqual((await ask("DocumentHighlight", "provideDocumentHighlights", at('"mixer" }', 2))).length, 3);
  const symbols = await ask("DocumentSymbol", "provideDocumentSymbols");
  assert.deepStrictEqual(symbols.map((one) => one.values[0]), ["callbacks", "nodes", "connections"]);
  const renamed = await ask("Rename", "provideRenameEdits", at('"mixer" }', 2), "desk");
  assert.strictEqual(renamed.files.get(uri).length, 3);
  await assert.rejects(ask("Rename", "prepareRename", at("float32")), /no node/);
  await assert.rejects(ask("Rename", "provideRenameEdits", at('"mixer" }', 2), "io"), /taken/);
  assert.deepStrictEqual((await ask("DocumentFormattingEdit", "provideDocumentFormattingEdits", {})).length > 0, true);
  assert((await ask("FoldingRange", "provideFoldingRanges")).length >= 3);
  const hints = await ask("InlayHints", "provideInlayHints", { start: patch.positionAt(0), end: at("]\n}") });
  assert.strictEqual(hints.length, 2);
  assert.match(hints[0].values[1], /2 ch/);
  assert.deepStrictEqual(await ask("DocumentLink", "provideDocumentLinks"), []);

  // Wide characters count as the editor counts them.
  type(patch, 1, 1, '\n  "title": "\u{1F3B8} \u00fc",');
  const wide = patch.text.indexOf("remoteIO");
  type(patch, wide, wide + 8, "remotIO");
  await until("the finding behind wide characters", () => state.findings.get(uri).length === 1);
  assert.strictEqual(state.findings.get(uri)[0].range.start.line, patch.positionAt(wide).line);

  // A document that is closed has no findings.
  vscode.workspace.onDidCloseTextDocument.fire(patch);
  assert(!state.findings.has(uri));
  vscode.workspace.onDidOpenTextDocument.fire(patch);
  await until("findings of a document that is opened again", () => state.findings.has(uri));

  // A program that is not there is told, once, with the setting to change.
  state.settings.path = "/nowhere/patchrun";
  await state.commands["patchrun.restart"]();
  await until("the message", () => state.errors.length > 0);
  assert.match(state.errors[0], /patchrun\.path/);
  assert.strictEqual(state.errors.length, 1);
  assert.strictEqual(await ask("Hover", "provideHover", at("remotIO")), null);

  // One that ends at once is not started for ever.
  state.settings.path = "/bin/false";
  await state.commands["patchrun.restart"]();
  await until("the second message", () => state.errors.length > 1);
  state.settings.path = process.env.PATCHRUN;
  await state.commands["patchrun.restart"]();
  await until("findings after it is there again", () => state.findings.has(uri));
  await extension.deactivate();
  assert.strictEqual(state.findings.size, 0);
  console.log("the extension works");
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
