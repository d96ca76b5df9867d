import Diagnostics

/// A stretch of a file, by lines and columns: of the patch's, or of one of its sub-graphs'.
struct Region {
  /// As a report names it.
  var path: String
  var source: SourceText
  var range: SourceRange

  var start: SourcePosition { source.position(of: range.lowerBound) }
  /// Behind the last scalar.
  var end: SourcePosition { source.position(of: range.upperBound) }

  /// The columns in bytes, from 1.
  var startByte: SourcePosition { byte(range.lowerBound) }
  var endByte: SourcePosition { byte(range.upperBound) }

  var text: String { source[range] }

  private func byte(_ offset: Int) -> SourcePosition {
    let offset = min(offset, source.bytes.count)
    let line = source.position(of: offset).line
    return SourcePosition(
      line: line, column: offset - source.range(ofLine: line).lowerBound + 1)
  }
}

extension CheckedPatch {
  /// Where in a file a range was written; `nil` for what stands on the command line (`--set`).
  func region(of range: SourceRange) -> Region? {
    let (text, range) = source.origin(of: range)
    guard let path = path(of: text) else { return nil }
    return Region(path: path, source: text, range: range)
  }

  private func path(of text: SourceText) -> String? {
    text.name == source.name ? path : subgraphPaths[text.name]
  }

  /// The file that a finding is in: the patch's, where it is in none.
  func path(of range: SourceRange) -> String { region(of: range)?.path ?? path }

  /// Such as `mixer.json:9:42`.
  func place(of range: SourceRange) -> String {
    let (text, range) = source.origin(of: range)
    let name = path(of: text) ?? text.name
    return "\(name):\(text.position(of: range.lowerBound))"
  }

  /// The edits of a fix as places in one file, from its beginning to its end; `nil` where one of them
  /// is in another file or in none.
  func edits(of fix: Diagnostic.Fix) -> [(region: Region, replacement: String)]? {
    var edits: [(region: Region, replacement: String)] = []
    // Of two at one place the insertion comes first, and of two insertions the one given first.
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

  /// A finding in words: what is wrong, the other places concerned, and what to do, a line each.
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
