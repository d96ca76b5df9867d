import Diagnostics
import PatchGraph
import PatchSyntax

extension OpenPatch {
  /// What is wrong with the patch, for `textDocument/publishDiagnostics`.
  func findings(withRelated: Bool) -> JSONText {
    var parameters: [JSONText.Member] = [.init("uri", .string(uri))]
    if let version { parameters.append(.init("version", .number(version))) }
    parameters.append(
      .init("diagnostics", .array(diagnostics.map { finding($0, withRelated: withRelated) })))
    return .object(parameters)
  }

  private func finding(_ diagnostic: Diagnostic, withRelated: Bool) -> JSONText {
    var lines = [diagnostic.message.text + (diagnostic.status.map { " [\($0)]" } ?? "")]
    if let label = diagnostic.label { lines.append(label.text) }
    lines += diagnostic.help.map { "help: \($0)" }
    let severity =
      switch diagnostic.severity {
      case .error: 1
      case .warning: 2
      case .note: 3
      }
    var members: [JSONText.Member] = [
      .init("range", places.range(diagnostic.range)),
      .init("severity", .number(severity)),
      .init("code", .string(diagnostic.code.rawValue)),
      .init("source", "patchrun"),
      .init("message", .string(lines.joined(separator: "\n"))),
    ]
    if withRelated, !diagnostic.notes.isEmpty {
      members.append(
        .init(
          "relatedInformation",
          .array(
            diagnostic.notes.map { note in
              [
                "location": location(note.range),
                "message": .string(note.message.text),
              ]
            })))
    }
    return .object(members)
  }

  func location(_ range: SourceRange) -> JSONText {
    ["uri": .string(uri), "range": places.range(range)]
  }

  /// The quick fixes of what is wrong in a range.
  func quickFixes(in range: SourceRange, withRelated: Bool) -> [JSONText] {
    diagnostics.filter {
      $0.range.lowerBound <= range.upperBound && range.lowerBound <= $0.range.upperBound
    }.flatMap { diagnostic in
      diagnostic.fixes.map { fix -> JSONText in
        [
          "title": .string(fix.title),
          "kind": "quickfix",
          "isPreferred": .boolean(fix.isSafe && diagnostic.fixes.count == 1),
          "diagnostics": [finding(diagnostic, withRelated: withRelated)],
          "edit": edit(fix.edits.map(written)),
        ]
      }
    }
  }

  /// All that is safe to put right in the whole text, as `validate --fix` does it; `nil` for nothing.
  func fixOfAll(_ hardware: HardwareAssumption) -> JSONText? {
    let isThere = diagnostics.contains { $0.fixes.count == 1 && $0.fixes[0].isSafe }
    guard isThere else { return nil }
    let result = PatchFixer.fix(source, directory: directory, device: .assumed(hardware))
    guard !result.changes.isEmpty else { return nil }
    let count = result.changes.count
    return [
      "title": .string(
        "put right all that is safe: \(count) \(count == 1 ? "edit" : "edits")"),
      "kind": .string(OpenPatch.fixAllKind),
      "edit": edit(TextEdits.between(source.bytes, result.patch.source.bytes).map(written)),
    ]
  }

  static let fixAllKind = "source.fixAll.patchrun"

  /// The edits that give the text its canonical form; `nil` where it is no JSON, and stays.
  func formatting() -> JSONText? {
    PatchFormatter.format(source).text.map { text in
      .array(TextEdits.between(source.bytes, text).map(written))
    }
  }

  /// A `TextEdit`.
  private func written(_ edit: Diagnostic.Edit) -> JSONText {
    ["range": places.range(edit.range), "newText": .string(edit.replacement)]
  }

  /// A `WorkspaceEdit` of this text.
  func edit(_ edits: [JSONText]) -> JSONText {
    ["changes": .object([.init(uri, .array(edits))])]
  }
}
