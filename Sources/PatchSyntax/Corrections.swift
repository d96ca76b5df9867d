public import Diagnostics

extension JSONValue {
  /// The fix that replaces a misspelt name by the right one; none where several may be meant, and
  /// none for a key whose object has a member of the right name already.
  ///
  /// - Parameters:
  ///   - name: The name as written: the text of the string, or the part of it that `part` gives.
  ///   - part: Where the name is in the string's text, in bytes of its UTF-8.
  public func correction(
    of name: String, among candidates: some Sequence<String>, part: Range<Int>? = nil
  ) -> [Diagnostic.Fix] {
    guard kind == .string, let meant = onlyNearMiss(to: name, among: candidates) else { return [] }
    if isKey, container[meant] != nil { return [] }
    let quoted = String(decoding: JSONText.quoted(Array(meant.utf8)[...]), as: UTF8.self)
    let edit =
      part.map { Diagnostic.Edit(range(ofText: $0), String(quoted.dropFirst().dropLast())) }
      ?? Diagnostic.Edit(range, quoted)
    return [Diagnostic.Fix("write \(Diagnostics.quoted(meant))", edits: [edit])]
  }

  /// The fix that replaces one token of a JSON Pointer by the right name; none where several may be
  /// meant.
  public func correction(
    ofToken index: Int, in pointer: JSONPointer, among candidates: some Sequence<String>
  ) -> [Diagnostic.Fix] {
    var tokens = pointer.tokens
    guard kind == .string, !isKey, tokens.indices.contains(index), string == pointer.description,
      let meant = onlyNearMiss(to: tokens[index], among: candidates)
    else { return [] }
    tokens[index] = meant
    let text = JSONPointer(tokens).description
    let quoted = String(decoding: JSONText.quoted(Array(text.utf8)[...]), as: UTF8.self)
    return [
      Diagnostic.Fix(
        "write \(Diagnostics.quoted(text))", edits: [Diagnostic.Edit(range, quoted)])
    ]
  }

  /// The fix that removes the quotes of a string whose whole text is a value of the wanted kind,
  /// `.number` or `.bool`; none otherwise.
  public func unquoting(for wanted: Kind) -> [Diagnostic.Fix] {
    guard let text = string else { return [] }
    let isMeant =
      switch wanted {
      case .number: numberEnd(in: Array(text.utf8), from: 0) == text.utf8.count
      case .bool: text == "true" || text == "false"
      default: false
      }
    guard isMeant else { return [] }
    return [Diagnostic.Fix("remove the quotes", edits: [Diagnostic.Edit(range, text)])]
  }

  /// The value that a string contains (a number with or without a unit, or a boolean), for a place
  /// where the value itself is expected: a line of help, and the fix. `nil` for any other string.
  ///
  /// - Parameter measure: What the number measures; `decibels` for a factor, which may be written
  ///   in decibels.
  public func plainForm(
    for wanted: Kind, of measure: Quantity.Measure
  ) -> (help: String, fix: Diagnostic.Fix)? {
    if let fix = unquoting(for: wanted).first, let text = string {
      return ("write \(text) without quotes", fix)
    }
    guard wanted == .number, let text = string, let quantity = Quantity(text) else { return nil }
    func form(_ value: Double, _ why: String) -> (help: String, fix: Diagnostic.Fix) {
      let written = Quantity.text(value)
      return (
        "write \(written): \(why)",
        Diagnostic.Fix("write \(written)", edits: [Diagnostic.Edit(range, written)])
      )
    }
    switch (quantity.measure, measure) {
    case (.decibels, .decibels), (.decibels, .level):
      let written = "\"\(Quantity.text(quantity.value)) dB\""
      return (
        "write \(written)",
        Diagnostic.Fix("write \(written)", edits: [Diagnostic.Edit(range, written)])
      )
    case (.seconds, .milliseconds): return form(quantity.value * 1000, "this is in milliseconds")
    case (.seconds, .seconds): return form(quantity.value, "times are in seconds")
    case (.hertz, .hertz): return form(quantity.value, "rates and frequencies are in hertz")
    case (.percent, .percent): return form(quantity.value, "this is in percent")
    case (.percent, .decibels): return form(quantity.value / 100, "this is a factor")
    case (.number, _): return form(quantity.value, "a number stands without quotes")
    default: return nil
    }
  }

  private var isKey: Bool { tree.nodes[index].isKey }

  /// The object that a key belongs to.
  private var container: JSONValue { JSONValue(tree: tree, index: tree.container(of: index)) }
}

extension SourceText {
  /// The text with the edits made, without the origins of a spliced text. The edits must lie in the
  /// text and not overlap.
  public func applying(_ edits: [Diagnostic.Edit]) -> SourceText {
    var bytes: [UInt8] = []
    var offset = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      precondition(
        edit.range.lowerBound >= offset && edit.range.upperBound <= self.bytes.count,
        "edits lie in the text, and apart")
      bytes += self.bytes[offset..<edit.range.lowerBound]
      bytes += Array(edit.replacement.utf8)
      offset = edit.range.upperBound
    }
    return SourceText(name: name, bytes: bytes + self.bytes[offset...])
  }
}
