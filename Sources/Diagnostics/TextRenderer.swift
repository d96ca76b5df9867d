import AudioTypes

/// Renders diagnostics the way compilers do: a sentence, the place, the lines concerned with a
/// caret under the mistake, and help.
///
/// The output is safe to print: control characters of the patch do not reach the terminal, and of a
/// line that is too long only the surroundings of the caret are shown.
public struct TextRenderer: Sendable {
  public let source: SourceText
  /// Whether to use ANSI colours.
  public let color: Bool
  /// The columns an excerpt may take, at least 40. Messages are never cut.
  public let width: Int

  public init(source: SourceText, color: Bool = false, width: Int = 120) {
    self.source = source
    self.color = color
    self.width = max(width, 40)
  }

  /// One diagnostic, in lines that each end in a line feed.
  public func render(_ diagnostic: Diagnostic) -> String {
    let blocks = self.blocks(of: diagnostic)
    let lastLine = blocks.lazy.flatMap(\.segments).map(\.line).max() ?? 1
    var page = Page(color: color, gutter: String(lastLine).count)
    let paint: Page.Style = .severity(diagnostic.severity)

    page.add("\(diagnostic.severity.rawValue)[\(printable(diagnostic.code.rawValue))]", paint)
    page.add(": \(printable(diagnostic.message.text))", .bold)
    page.endLine()
    // The sum of many findings is one line: they are at many places.
    if diagnostic.leftOut > 0 { return page.text }

    for (index, block) in blocks.enumerated() {
      let position = block.source.position(of: block.range.lowerBound)
      page.add(String(repeating: " ", count: page.gutter))
      page.add(index == 0 ? "--> " : "::: ", .gutter)
      page.add("\(printable(block.source.name)):\(position)")
      if index == 0, let pointer = diagnostic.pointer, !pointer.isEmpty {
        page.add("  \(printable(pointer))")
      }
      page.endLine()
      addExcerpt(block, severity: diagnostic.severity, on: &page)
    }

    let footers =
      (diagnostic.status.map { ["status: \($0)"] } ?? []) + diagnostic.help.map { "help: \($0)" }
    if !footers.isEmpty { page.addGutterLine() }
    for footer in footers {
      page.add(String(repeating: " ", count: page.gutter + 1))
      page.add("= ", .gutter)
      let name = footer.prefix { $0 != ":" }
      page.add(String(name), .bold)
      page.add(printable(String(footer.dropFirst(name.count))))
      page.endLine()
    }
    return page.text
  }

  /// Diagnostics in the order given, an empty line after each.
  public func render(_ diagnostics: some Sequence<Diagnostic>) -> String {
    diagnostics.map { render($0) + "\n" }.joined()
  }

  /// The totals, such as "2 errors, 1 warning in mixer.json". Notes are not counted.
  public func summary(of diagnostics: some Sequence<Diagnostic>) -> String {
    var errors = 0
    var warnings = 0
    for diagnostic in diagnostics {
      if diagnostic.severity == .error { errors += diagnostic.count }
      if diagnostic.severity == .warning { warnings += diagnostic.count }
    }
    var parts: [String] = []
    if errors > 0 { parts.append(errors == 1 ? "1 error" : "\(errors) errors") }
    if warnings > 0 { parts.append(warnings == 1 ? "1 warning" : "\(warnings) warnings") }
    if parts.isEmpty { parts.append("no errors") }
    return "\(parts.joined(separator: ", ")) in \(printable(source.name))"
  }
}

// MARK: What to show

extension TextRenderer {
  /// The part of a label that lies on one line.
  private struct Segment {
    var line: Int
    var range: SourceRange
    var isPrimary: Bool
    var label: String
  }

  /// The excerpt of one text.
  private struct Block {
    var source: SourceText
    /// The first place in it, for the heading.
    var range: SourceRange
    var segments: [Segment]
  }

  private func blocks(of diagnostic: Diagnostic) -> [Block] {
    var blocks: [Block] = []
    func add(_ range: SourceRange, label: String, isPrimary: Bool) {
      let (text, range) = source.origin(of: range)
      let segments = Self.segments(of: range, in: text, label: label, isPrimary: isPrimary)
      if let index = blocks.firstIndex(where: { $0.source.isSame(as: text) }) {
        blocks[index].segments += segments
      } else {
        blocks.append(Block(source: text, range: range, segments: segments))
      }
    }
    add(diagnostic.range, label: diagnostic.label?.text ?? "", isPrimary: true)
    for note in diagnostic.notes { add(note.range, label: note.message.text, isPrimary: false) }
    return blocks
  }

  /// The marks of a range. One over several lines is marked on its first and its last line, which
  /// has the label.
  private static func segments(
    of range: SourceRange, in text: SourceText, label: String, isPrimary: Bool
  ) -> [Segment] {
    let first = text.position(of: range.lowerBound).line
    // A range that ends with a line end does not reach into the next line.
    let last = text.position(of: max(range.lowerBound, range.upperBound - 1)).line
    let label = printable(label)
    if first == last {
      let line = text.range(ofLine: first)
      let start = min(range.lowerBound, line.upperBound)
      let end = max(start, min(range.upperBound, line.upperBound))
      return [Segment(line: first, range: start..<end, isPrimary: isPrimary, label: label)]
    }
    let firstLine = text.range(ofLine: first)
    let lastLine = text.range(ofLine: last)
    let firstStart = min(range.lowerBound, firstLine.upperBound)
    let indent = text.bytes[lastLine].prefix { $0 == 0x20 || $0 == 0x09 }.count
    let lastStart = lastLine.lowerBound + indent
    let lastEnd = max(lastStart, min(range.upperBound, lastLine.upperBound))
    return [
      Segment(
        line: first, range: firstStart..<firstLine.upperBound, isPrimary: isPrimary, label: ""),
      Segment(line: last, range: lastStart..<lastEnd, isPrimary: isPrimary, label: label),
    ]
  }
}

// MARK: Excerpts

extension TextRenderer {
  private func addExcerpt(_ block: Block, severity: Severity, on page: inout Page) {
    page.addGutterLine()
    let columns = max(width - page.gutter - 3, 20)
    let lines = Dictionary(grouping: block.segments, by: \.line)
    var previous: Int?
    for line in lines.keys.sorted() {
      if let previous {
        if line == previous + 2 {
          let range = block.source.range(ofLine: line - 1)
          let shown = SourceLine(
            block.source, line: range, focus: range.lowerBound, width: columns)
          page.addSourceLine(line - 1, shown.text)
        } else if line > previous + 2 {
          page.add("...", .gutter)
          page.endLine()
        }
      }
      previous = line
      let range = block.source.range(ofLine: line)
      // Labels too far apart for one view of a long line get a view each.
      var waiting = (lines[line] ?? []).sorted { $0.range.lowerBound < $1.range.lowerBound }
      while let first = waiting.first {
        let shown = SourceLine(
          block.source, line: range, focus: first.range.lowerBound, width: columns)
        let visible = waiting.filter { shown.shows($0.range.lowerBound) }
        waiting.removeAll { shown.shows($0.range.lowerBound) }
        page.addSourceLine(line, shown.text)
        underline(visible, of: shown, severity: severity, on: &page)
        // A view always shows its first label; this makes sure that the loop ends.
        if visible.isEmpty { waiting.removeFirst() }
      }
    }
  }

  /// The carets under a line, and the labels: the rightmost on the same row when there is room, the
  /// others hanging from their carets below.
  private func underline(
    _ segments: [Segment], of line: SourceLine, severity: Severity, on page: inout Page
  ) {
    let marks = segments.map { segment in
      (columns: line.columns(of: segment.range), segment: segment)
    }
    let end = marks.map(\.columns.upperBound).max() ?? 0
    var row = [(character: Character, style: Page.Style)](repeating: (" ", .plain), count: end)
    func style(_ segment: Segment) -> Page.Style {
      segment.isPrimary ? .severity(severity) : .gutter
    }
    for mark in marks where !mark.segment.isPrimary {
      for column in mark.columns { row[column] = ("-", style(mark.segment)) }
    }
    for mark in marks where mark.segment.isPrimary {
      for column in mark.columns { row[column] = ("^", style(mark.segment)) }
    }

    var hanging = marks.filter { !$0.segment.label.isEmpty }
    // Rightmost first; of two at one column, the primary.
    hanging.sort {
      ($0.columns.lowerBound, $0.segment.isPrimary ? 1 : 0)
        > ($1.columns.lowerBound, $1.segment.isPrimary ? 1 : 0)
    }
    page.addGutterBar()
    page.add(row)
    if let rightmost = hanging.first, rightmost.columns.upperBound == end,
      hanging.dropFirst().allSatisfy({ $0.columns.upperBound <= rightmost.columns.lowerBound })
    {
      page.add(" \(rightmost.segment.label)", style(rightmost.segment))
      hanging.removeFirst()
    }
    page.endLine()

    func addBars(_ marks: some Sequence<(columns: Range<Int>, segment: Segment)>, upTo end: Int) {
      var row = [(character: Character, style: Page.Style)](repeating: (" ", .plain), count: end)
      for mark in marks where mark.columns.lowerBound < end {
        row[mark.columns.lowerBound] = ("|", style(mark.segment))
      }
      page.add(row)
    }
    if let first = hanging.first {
      page.addGutterBar()
      addBars(hanging, upTo: first.columns.lowerBound + 1)
      page.endLine()
    }
    while !hanging.isEmpty {
      let mark = hanging.removeFirst()
      page.addGutterBar()
      addBars(hanging, upTo: mark.columns.lowerBound)
      page.add(mark.segment.label, style(mark.segment))
      page.endLine()
    }
  }
}

// MARK: Output

/// The text under construction, with its colours.
private struct Page {
  enum Style: Hashable {
    case plain, bold, gutter
    case severity(Severity)

    var escape: String {
      switch self {
      case .plain: ""
      case .bold: "\u{1B}[1m"
      case .gutter: "\u{1B}[1;34m"
      case .severity(.error): "\u{1B}[1;31m"
      case .severity(.warning): "\u{1B}[1;33m"
      case .severity(.note): "\u{1B}[1;36m"
      }
    }
  }

  let color: Bool
  /// The columns of the greatest line number.
  let gutter: Int
  private(set) var text = ""
  private var line = ""

  init(color: Bool, gutter: Int) {
    self.color = color
    self.gutter = gutter
  }

  mutating func add(_ part: String, _ style: Style = .plain) {
    guard color, style != .plain, !part.isEmpty else {
      line += part
      return
    }
    line += style.escape + part + "\u{1B}[0m"
  }

  mutating func add(_ row: [(character: Character, style: Style)]) {
    var rest = row[...]
    while let first = rest.first {
      let run = rest.prefix { $0.style == first.style }
      add(String(run.map(\.character)), first.style)
      rest = rest.dropFirst(run.count)
    }
  }

  mutating func endLine() {
    while line.last == " " { line.removeLast() }
    text += line + "\n"
    line = ""
  }

  mutating func addGutterBar(_ number: String = "") {
    add(String(repeating: " ", count: gutter - number.count) + number + " | ", .gutter)
  }

  /// A gutter with nothing beside it.
  mutating func addGutterLine() {
    add(String(repeating: " ", count: gutter + 1) + "|", .gutter)
    endLine()
  }

  mutating func addSourceLine(_ number: Int, _ text: String) {
    addGutterBar(String(number))
    add(text)
    endLine()
  }
}
