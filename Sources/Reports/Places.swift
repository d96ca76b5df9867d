import Diagnostics

/// A range in a patch's file or in the file of a sub-graph.
struct Region {
  /// The path in the report.
  var path: String
  var source: SourceText
  var range: SourceRange

  var start: SourcePosition { source.position(of: range.lowerBound) }
  /// The position after the last scalar.
  var end: SourcePosition { source.position(of: range.upperBound) }

  /// The same positions with columns in bytes, from 1.
  var startByte: SourcePosition { byte(range.lowerBound) }
  var endByte: SourcePosition { byte(range.upperBound) }

  private func byte(_ offset: Int) -> SourcePosition {
    let offset = min(offset, source.bytes.count)
    let line = source.position(of: offset).line
    return SourcePosition(
      line: line, column: offset - source.range(ofLine: line).lowerBound + 1)
  }
}

extension CheckedPatch {
  /// The place of a range; `nil` for text from the command line (`--set`).
  func region(of range: SourceRange) -> Region? {
    let (text, range) = source.origin(of: range)
    guard let path = path(of: text) else { return nil }
    return Region(path: path, source: text, range: range)
  }

  private func path(of text: SourceText) -> String? {
    text.name == source.name ? path : subgraphPaths[text.name]
  }

  /// The file of a finding; the patch's file if it is in none.
  func path(of range: SourceRange) -> String { region(of: range)?.path ?? path }

  /// For example `mixer.json:9:42`.
  func place(of range: SourceRange) -> String {
    let (text, range) = source.origin(of: range)
    let name = path(of: text) ?? text.name
    return "\(name):\(text.position(of: range.lowerBound))"
  }

  /// The edits of a fix, sorted by position; `nil` if they are not all in one file.
  func edits(of fix: Diagnostic.Fix) -> [(region: Region, replacement: String)]? {
    var edits: [(region: Region, replacement: String)] = []
    // At one position an insertion comes before a replacement; insertions keep their order.
    let sorted = fix.edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
        < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
    }
    for (_, edit) in sorted {
      guard let region = region(of: edit.range), region.range.count == edit.range.count,
        edits.first.map({ $0.region.path == region.path }) ?? true
      else { return nil }
      edits.append((region, edit.replacement))
    }
    return edits.isEmpty ? nil : edits
  }

  /// A finding in words: the message, the other places, and the help, one line each.
  func lines(of diagnostic: Diagnostic) -> [String] {
    var lines = [diagnostic.message.text]
    if let label = diagnostic.label?.text { lines[0] += " (\(label))" }
    if let status = diagnostic.status { lines.append("status: \(status)") }
    for note in diagnostic.notes {
      lines.append("\(place(of: note.range)): \(note.message.text)")
    }
    lines += diagnostic.help.map { "help: \($0)" }
    return lines.map(printable)
  }
}
