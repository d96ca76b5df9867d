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
  func actions(in range: SourceRange, withRelated: Bool) -> JSONText {
    .array(
      diagnostics.filter {
        $0.range.lowerBound <= range.upperBound && range.lowerBound <= $0.range.upperBound
      }.flatMap { diagnostic in
        diagnostic.fixes.map { fix in
          [
            "title": .string(fix.title),
            "kind": "quickfix",
            "isPreferred": .boolean(fix.isSafe && diagnostic.fixes.count == 1),
            "diagnostics": [finding(diagnostic, withRelated: withRelated)],
            "edit": edit(
              fix.edits.map {
                ["range": places.range($0.range), "newText": .string($0.replacement)]
              }),
          ]
        }
      })
  }

  /// A `WorkspaceEdit` of this text.
  func edit(_ edits: [JSONText]) -> JSONText {
    ["changes": .object([.init(uri, .array(edits))])]
  }
}
