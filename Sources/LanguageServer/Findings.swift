import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax

extension OpenPatch {
  /// The parameters of `textDocument/publishDiagnostics`: the diagnostics of the last check.
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
    let isElsewhere = isElsewhere(diagnostic.range)
    if isElsewhere {
      // A diagnostic in a sub-graph is shown where the patch names the sub-graph.
      let (text, range) = wholeSource.origin(of: diagnostic.range)
      let file = text.name.split(separator: "/").last.map(String.init) ?? text.name
      lines[0] = "\(file):\(text.position(of: range.lowerBound)): \(lines[0])"
    }
    var members: [JSONText.Member] = [
      .init("range", places.range(shownRange(of: diagnostic))),
      .init("severity", .number(severity)),
      .init("code", .string(diagnostic.code.rawValue)),
      .init("source", "patchrun"),
      .init("message", .string(lines.joined(separator: "\n"))),
    ]
    let related =
      (isElsewhere
        ? [Diagnostic.Note(diagnostic.label ?? diagnostic.message, at: diagnostic.range)] : [])
      + diagnostic.notes
    if withRelated, !related.isEmpty {
      members.append(
        .init(
          "relatedInformation",
          .array(
            related.map { note in
              [
                "location": location(note.range),
                "message": .string(note.message.text),
              ]
            })))
    }
    return .object(members)
  }

  /// Whether a range lies in the text of another file, such as a sub-graph.
  private func isElsewhere(_ range: SourceRange) -> Bool {
    range.lowerBound > source.bytes.count
  }

  /// Where the text of the patch shows a diagnostic.
  private func shownRange(of diagnostic: Diagnostic) -> SourceRange {
    guard isElsewhere(diagnostic.range) else { return diagnostic.range }
    return diagnostic.notes.last { !isElsewhere($0.range) }?.range ?? 0..<0
  }

  func location(_ range: SourceRange) -> JSONText {
    guard isElsewhere(range) else { return ["uri": .string(uri), "range": places.range(range)] }
    let (text, range) = wholeSource.origin(of: range)
    guard text.name.hasPrefix("/") else {
      return location(in: text, range, "file:" + percentEncoded(text.name))
    }
    return location(in: text, range, "file://" + percentEncoded(text.name))
  }

  private func location(in text: SourceText, _ range: SourceRange, _ uri: String) -> JSONText {
    [
      "uri": .string(uri),
      "range": TextPlaces(source: text, encoding: places.encoding).range(range),
    ]
  }

  /// The quick fixes of the diagnostics that touch a range.
  func quickFixes(in range: SourceRange, withRelated: Bool) -> [JSONText] {
    diagnostics.filter {
      $0.range.lowerBound <= range.upperBound && range.lowerBound <= $0.range.upperBound
        && !isElsewhere($0.range)
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

  /// All safe fixes for the whole text, as `validate --fix` makes them; `nil` for none.
  func fixForAll(_ hardware: HardwareAssumption) -> JSONText? {
    let isThere = diagnostics.contains { $0.fixes.count == 1 && $0.fixes[0].isSafe }
    guard isThere, !isPreset else { return nil }
    let result = PatchFixer.fix(source, in: surroundings, device: .assumed(hardware))
    guard !result.changes.isEmpty else { return nil }
    let count = result.changes.count
    return [
      "title": .string(
        "put right all that is safe: \(count) \(count == 1 ? "edit" : "edits")"),
      "kind": .string(OpenPatch.fixAllKind),
      "edit": edit(TextEdits.between(source.bytes, result.patch.ownSource.bytes).map(written)),
    ]
  }

  static let fixAllKind = "source.fixAll.patchrun"

  /// The edits that give the text its canonical form; `nil` where it is not JSON.
  func formatting() -> JSONText? {
    PatchFormatter.format(source).text.map { text in
      .array(TextEdits.between(source.bytes, text).map(written))
    }
  }

  /// The protocol's `TextEdit`.
  private func written(_ edit: Diagnostic.Edit) -> JSONText {
    ["range": places.range(edit.range), "newText": .string(edit.replacement)]
  }

  /// The protocol's `WorkspaceEdit` with edits of this text.
  func edit(_ edits: [JSONText]) -> JSONText {
    ["changes": .object([.init(uri, .array(edits))])]
  }
}
