import AudioTypes
import Diagnostics

/// Explains a text that is not JSON by as few slips as possible.
///
/// After a mistake, `JSONReader` continues by what is around it. That is enough for most mistakes.
/// But a missing or surplus quote or bracket changes the meaning of everything after it, so that
/// one slip causes many errors. Where there are several errors, this tries single edits near them,
/// and takes an edit if it and the errors that remain are fewer than the errors before. So a text
/// that one edit can repair has one error.
///
/// An edit must not hide mistakes in a string: quotes are inserted or removed only where a line has
/// an odd number of them, and two lines are joined only where a string was found not to end.
struct SyntaxRepair {
  /// How many bytes may be read in all to try edits. A longer text gets fewer tries.
  static let maximumBytes = 1 << 20
  /// How many slips are explained. The remaining errors are reported as the reader found them.
  static let maximumSlips = 8

  private var text: SourceText
  private let dialect: JSONReader.Dialect
  private var reading: JSONReader.Reading
  /// The edits that led from the original text to `text`, in order.
  private var appliedSlips: [Slip] = []
  private var diagnostics: [Diagnostic] = []
  private var bytesLeft = SyntaxRepair.maximumBytes

  /// The diagnostics that explain a text with fewer errors than `reading` has; `nil` where no edit
  /// near them does.
  static func diagnostics(
    of source: SourceText, _ dialect: JSONReader.Dialect, _ reading: JSONReader.Reading
  ) -> [Diagnostic]? {
    guard reading.errorCount > 1, reading.errorCount < JSONReader.maximumDiagnostics,
      reading.diagnostics.contains(where: { structural.contains($0.code) })
    else { return nil }
    var repair = SyntaxRepair(text: source, dialect: dialect, reading: reading)
    while repair.appliedSlips.count < maximumSlips, repair.reading.errorCount > 1,
      repair.repairOneSlip()
    {}
    guard !repair.appliedSlips.isEmpty else { return nil }
    return repair.diagnostics + repair.reading.diagnostics.map { repair.inOriginal($0) }
  }

  /// The errors that a slip in a quote or a bracket can cause. Others are explained by themselves.
  private static let structural: Set<Rule.Code> = Set(
    [
      SyntaxRules.missingComma, SyntaxRules.extraComma, SyntaxRules.colon,
      SyntaxRules.missingValue, SyntaxRules.key, SyntaxRules.unterminatedString,
      SyntaxRules.unclosed, SyntaxRules.mismatch, SyntaxRules.trailingContent,
      SyntaxRules.unexpected, SyntaxRules.literal,
    ].map(\.code))

  private init(text: SourceText, dialect: JSONReader.Dialect, reading: JSONReader.Reading) {
    self.text = text
    self.dialect = dialect
    self.reading = reading
  }

  /// An edit that could undo a slip.
  private struct Slip {
    enum Kind: Int {
      // In the order in which they are tried.
      case openingQuote, closingQuote, strayQuote, lineEnd, stray, comma, colon, bracket
      /// A surplus bracket at the beginning or the end of a line.
      case edge
    }

    var kind: Kind
    /// Ranges of the text and their replacements, in order and without overlap.
    var edits: [Diagnostic.Edit]
    /// The distance from the error in bytes.
    var distance: Int

    var range: SourceRange { edits[0].range }
  }

  // MARK: One slip

  /// Applies the edit that leaves the fewest errors. Returns whether there is one.
  private mutating func repairOneSlip() -> Bool {
    let before = reading.cost
    for anchor in anchors {
      var best: (slip: Slip, text: SourceText, reading: JSONReader.Reading)?
      for slip in candidates(near: anchor) {
        guard bytesLeft >= text.bytes.count else { break }
        bytesLeft -= text.bytes.count
        let attempt = text.applying(slip.edits)
        let read = JSONReader.readAsWritten(attempt, dialect: dialect)
        // If reading stops earlier, there are fewer errors for that reason alone.
        guard read.isWhole || !reading.isWhole && read.end > reading.end else { continue }
        // Of edits with equal results the first is the likeliest.
        guard read.cost + 1 < before, read.cost < best?.reading.cost ?? .max else { continue }
        best = (slip, attempt, read)
        if read.errorCount == 0 { break }
      }
      guard let best else { continue }
      diagnostics.append(inOriginal(diagnostic(of: best.slip)))
      appliedSlips.append(best.slip)
      (text, reading) = (best.text, best.reading)
      return true
    }
    return false
  }

  /// The first four errors, one from each line.
  private var anchors: [SourceRange] {
    var anchors: [SourceRange] = []
    for diagnostic in reading.diagnostics where diagnostic.severity == .error {
      let range = diagnostic.range
      let isNear = anchors.contains {
        !text.bytes[$0.lowerBound..<max($0.lowerBound, range.lowerBound)].contains(0x0A)
      }
      if !isNear { anchors.append(range) }
      if anchors.count == 4 { break }
    }
    return anchors
  }

  // MARK: Candidates

  /// The edits to try, the likeliest first: by kind, then by distance.
  private func candidates(near anchor: SourceRange) -> [Slip] {
    let bytes = text.bytes
    let low = lineStart(before: anchor.lowerBound)
    let high = lineEnd(behind: anchor.upperBound)
    var slips: [Slip] = []
    func add(_ kind: Slip.Kind, _ range: SourceRange, _ replacement: String) {
      let distance = abs(range.lowerBound - anchor.lowerBound)
      slips.append(
        Slip(kind: kind, edits: [.init(range, replacement)], distance: distance))
    }
    func byte(_ offset: Int) -> UInt8 { bytes.indices.contains(offset) ? bytes[offset] : 0x0A }
    var lineHasOddQuotes = hasOddQuotes(lineOf: low)
    for offset in low...high {
      if offset > low, byte(offset - 1) == 0x0A { lineHasOddQuotes = hasOddQuotes(lineOf: offset) }
      let (before, here) = (byte(offset - 1), byte(offset))
      if !isBlank(here), isBlank(before) || isStructural(before) {
        if lineHasOddQuotes, !isStructural(here) { add(.openingQuote, offset..<offset, "\"") }
        if here != UInt8(ascii: ","), here != UInt8(ascii: ":") {
          add(.bracket, offset..<offset, "{")
          add(.bracket, offset..<offset, "[")
        }
      }
      if !isBlank(before), isBlank(here) || isStructural(here) {
        if lineHasOddQuotes, !isStructural(before) { add(.closingQuote, offset..<offset, "\"") }
        add(.comma, offset..<offset, ",")
        add(.colon, offset..<offset, ":")
        add(.bracket, offset..<offset, "}")
        add(.bracket, offset..<offset, "]")
      }
      guard offset < high else { break }
      // The blank may split a number or a word.
      if isBlank(here), isWordByte(before), isWordByte(byte(offset + 1)) {
        add(.stray, offset..<offset + 1, "")
      }
      switch here {
      case UInt8(ascii: "\""): if lineHasOddQuotes { add(.strayQuote, offset..<offset + 1, "") }
      case UInt8(ascii: "\\"): add(.stray, offset..<offset + 1, "")
      case _ where isStructural(here):
        // A bracket at the beginning or the end of a line is there on purpose, most likely.
        add(isAtEdge(offset) ? .edge : .stray, offset..<offset + 1, "")
      case _ where !isBlank(here) && abs(offset - anchor.lowerBound) <= 2:
        add(.stray, offset..<offset + 1, "")
      default: break
      }
    }
    // Each text nearby that the reader has reported, as a whole.
    for diagnostic in reading.diagnostics {
      let range = diagnostic.range
      guard range.lowerBound >= low, range.upperBound <= high, (1...24).contains(range.count),
        range.count > 1 || abs(range.lowerBound - anchor.lowerBound) > 2
      else { continue }
      add(.stray, range, "")
    }
    for slip in lineEnds(from: low, to: high, anchor) { slips.append(slip) }
    // `sort` is stable in practice and not by contract.
    return slips.enumerated().sorted {
      ($0.element.kind.rawValue, $0.element.distance, $0.offset)
        < ($1.element.kind.rawValue, $1.element.distance, $1.offset)
    }.map(\.element)
  }

  /// Line ends inside a string: one, or several in a row.
  private func lineEnds(from low: Int, to high: Int, _ anchor: SourceRange) -> [Slip] {
    var ends: [Diagnostic.Edit] = []
    var offset = low
    // A long text that was pasted has many lines.
    while offset < text.bytes.count, ends.count < 16 {
      defer { offset += 1 }
      let byte = text.bytes[offset]
      guard byte == 0x0A || byte == 0x0D else { continue }
      let isPair =
        byte == 0x0D && offset + 1 < text.bytes.count && text.bytes[offset + 1] == 0x0A
      ends.append(.init(offset..<(offset + (isPair ? 2 : 1)), "\\n"))
      if isPair { offset += 1 }
    }
    let broken = reading.diagnostics.filter { $0.code == SyntaxRules.unterminatedString.code }
    var slips: [Slip] = []
    for (first, end) in ends.enumerated() where end.range.lowerBound <= high {
      // Whether a string was found not to end on this line.
      let isBroken = broken.contains {
        $0.range.upperBound <= end.range.lowerBound
          && !text.bytes[$0.range.upperBound..<end.range.lowerBound].contains(0x0A)
      }
      guard isBroken else { continue }
      for count in 1...(ends.count - first) {
        slips.append(
          Slip(
            kind: .lineEnd, edits: Array(ends[first..<first + count]),
            distance: 1000 * (count - 1) + abs(end.range.lowerBound - anchor.lowerBound)))
      }
    }
    return slips
  }

  /// Whether a line has an odd number of quotes, escaped ones not counted.
  private func hasOddQuotes(lineOf offset: Int) -> Bool {
    var position = offset
    let limit = max(0, offset - Self.searchDistance)
    while position > limit, text.bytes[position - 1] != 0x0A { position -= 1 }
    var isOdd = false
    let end = min(text.bytes.count, offset + 2 * Self.searchDistance)
    while position < end, text.bytes[position] != 0x0A {
      switch text.bytes[position] {
      case UInt8(ascii: "\\"): position += 1
      case UInt8(ascii: "\""): isOdd.toggle()
      default: break
      }
      position += 1
    }
    return isOdd
  }

  /// Whether a bracket is the first thing on its line and closes, or the last and opens.
  private func isAtEdge(_ offset: Int) -> Bool {
    func isLineBreak(_ offset: Int) -> Bool {
      offset < 0 || offset >= text.bytes.count || text.bytes[offset] == 0x0A
    }
    var position = offset
    switch text.bytes[offset] {
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      repeat { position -= 1 } while position >= 0 && [0x20, 0x09].contains(text.bytes[position])
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      repeat {
        position += 1
      } while position < text.bytes.count
        && [0x20, 0x09, 0x0D].contains(text.bytes[position])
    default: return false
    }
    return isLineBreak(position)
  }

  /// How far from an error its cause is looked for, in bytes.
  private static let searchDistance = 320

  /// The beginning of the line before that of an offset, within `searchDistance`.
  private func lineStart(before offset: Int) -> Int {
    var start = min(offset, text.bytes.count)
    let limit = max(0, start - Self.searchDistance)
    var lines = 0
    while start > limit {
      if text.bytes[start - 1] == 0x0A {
        lines += 1
        if lines == 2 { break }
      }
      start -= 1
    }
    return start
  }

  /// The end of the line behind that of an offset, within `searchDistance`.
  private func lineEnd(behind offset: Int) -> Int {
    var end = min(offset, text.bytes.count)
    let limit = min(text.bytes.count, end + Self.searchDistance)
    var lines = 0
    while end < limit {
      if text.bytes[end] == 0x0A {
        lines += 1
        if lines == 2 { break }
      }
      end += 1
    }
    return end
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

  // MARK: Places

  /// The diagnostic in the original text.
  private func inOriginal(_ diagnostic: Diagnostic) -> Diagnostic {
    var result = diagnostic
    result.range = inOriginal(diagnostic.range)
    for index in result.notes.indices {
      result.notes[index].range = inOriginal(result.notes[index].range)
    }
    for fix in result.fixes.indices {
      for edit in result.fixes[fix].edits.indices {
        let range = result.fixes[fix].edits[edit].range
        result.fixes[fix].edits[edit].range = inOriginal(range)
      }
    }
    return result
  }

  private func inOriginal(_ range: SourceRange) -> SourceRange {
    let low = inOriginal(range.lowerBound)
    return low..<max(low, inOriginal(range.upperBound))
  }

  private func inOriginal(_ offset: Int) -> Int {
    var offset = offset
    for slip in appliedSlips.reversed() {
      var moved = 0
      for edit in slip.edits {
        // The place of the edit in the edited text.
        let start = edit.range.lowerBound + moved
        let length = edit.replacement.utf8.count
        if offset <= start { break }
        if offset < start + length {
          // Inside the replacement.
          offset = start
          break
        }
        moved += length - edit.range.count
      }
      offset -= moved
    }
    return offset
  }

  // MARK: Words

  private func diagnostic(of slip: Slip) -> Diagnostic {
    let range = slip.range
    let edit = slip.edits[0]
    switch slip.kind {
    case .openingQuote: return .openingQuote(at: range)
    case .closingQuote: return .closingQuote(at: range)
    case .strayQuote: return .strayQuote(at: range)
    case .lineEnd: return .lineEnd(slip.edits)
    case .stray:
      switch text.bytes[range.lowerBound] {
      case UInt8(ascii: ",") where range.count == 1: return .extraComma(at: range)
      case UInt8(ascii: "{") where range.count == 1, UInt8(ascii: "[") where range.count == 1:
        return .strayBracket(text[range], at: range, opens: true)
      case UInt8(ascii: "}") where range.count == 1, UInt8(ascii: "]") where range.count == 1:
        return .strayBracket(text[range], at: range, opens: false)
      case 0x0A, 0x0D: return .stray("a line end", at: range)
      case 0x20, 0x09: return .stray("a blank", at: range)
      default: return .stray(quoted(text[range]), at: range)
      }
    case .comma: return .missing("a comma", ",", SyntaxRules.missingComma, at: range)
    case .colon: return .missing("a colon", ":", SyntaxRules.colon, at: range)
    case .edge:
      let bracket = text[range]
      return .strayBracket(bracket, at: range, opens: bracket == "{" || bracket == "[")
    case .bracket:
      let opens = edit.replacement == "{" || edit.replacement == "["
      return .missing(
        "'\(edit.replacement)'", edit.replacement,
        opens ? SyntaxRules.unopened : SyntaxRules.unclosed, at: range)
    }
  }
}

extension Diagnostic {
  fileprivate static func openingQuote(at range: SourceRange) -> Diagnostic {
    SyntaxRules.openingQuote.diagnostic(
      "a string has no opening quote", at: range, label: "add '\"' here",
      help: ["strings and keys stand in double quotes: add '\"' where it begins"],
      fixes: [Fix("add the opening quote", edits: [Edit(range, "\"")])])
  }

  fileprivate static func closingQuote(at range: SourceRange) -> Diagnostic {
    SyntaxRules.unterminatedString.diagnostic(
      "a string is not closed", at: range, label: "add '\"' here",
      help: ["add '\"' where it ends"],
      fixes: [Fix("add the closing quote", edits: [Edit(range, "\"")])])
  }

  fileprivate static func strayQuote(at range: SourceRange) -> Diagnostic {
    SyntaxRules.strayQuote.diagnostic(
      "a quote stands where no string begins or ends", at: range, label: "one quote too many",
      help: ["remove it, or write \\\" for a quote inside a string"],
      fixes: [Fix("remove the quote", edits: [Edit(range, "")], isSafe: false)])
  }

  fileprivate static func lineEnd(_ edits: [Edit]) -> Diagnostic {
    SyntaxRules.unterminatedString.diagnostic(
      "a string goes on behind the end of its line", at: edits[0].range,
      label: "the line ends inside a string",
      help: ["write \\n for a line end inside a string, or join the lines"],
      fixes: [
        Fix(edits.count == 1 ? "write \\n" : "write \\n for each line end", edits: edits)
      ])
  }

  fileprivate static func extraComma(at range: SourceRange) -> Diagnostic {
    SyntaxRules.extraComma.diagnostic(
      "a comma stands where none belongs", at: range, label: "one comma too many",
      help: ["remove it"], fixes: [Fix("remove the comma", edits: [Edit(range, "")], isSafe: false)]
    )
  }

  fileprivate static func strayBracket(
    _ bracket: String, at range: SourceRange, opens: Bool
  ) -> Diagnostic {
    (opens ? SyntaxRules.unclosed : SyntaxRules.mismatch).diagnostic(
      opens
        ? "'\(Message(bracket))' opens what nothing closes"
        : "this '\(Message(bracket))' closes nothing",
      at: range, label: "one bracket too many",
      help: [opens ? "remove it, or close it" : "remove it, or look for a bracket missing above"],
      fixes: [Fix("remove the bracket", edits: [Edit(range, "")], isSafe: false)])
  }

  fileprivate static func stray(_ text: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "\(Message(text)) has no place here", at: range, label: "unexpected", help: ["remove it"],
      fixes: [Fix("remove it", edits: [Edit(range, "")], isSafe: false)])
  }

  fileprivate static func missing(
    _ name: String, _ text: String, _ rule: Rule, at range: SourceRange
  ) -> Diagnostic {
    rule.diagnostic(
      "\(Message(name)) is missing", at: range, label: "add '\(Message(text))' here",
      help: ["add '\(text)'"],
      fixes: [Fix("add \(name)", edits: [Edit(range, text)])])
  }
}
