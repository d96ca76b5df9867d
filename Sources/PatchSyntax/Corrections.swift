public import Diagnostics

extension JSONValue {
  /// The edit that puts the right name in the place of a misspelt one, where there is only one that
  /// can have been meant.
  ///
  /// Of a key the name must not be taken by another member already.
  ///
  /// - Parameters:
  ///   - name: what is written; a string's text unless `part` says otherwise.
  ///   - part: where in the string's text it is written, in bytes of its UTF-8.
  public func correction(
    of name: String, among candidates: some Sequence<String>, part: Range<Int>? = nil
  ) -> [Diagnostic.Fix] {
    guard kind == .string, let meant = onlyNearMiss(to: name, among: candidates) else { return [] }
    if isKey, let siblings = container, siblings[meant] != nil { return [] }
    let quoted = String(decoding: JSONText.quoted(Array(meant.utf8)[...]), as: UTF8.self)
    let edit =
      part.map { Diagnostic.Edit(range(ofText: $0), String(quoted.dropFirst().dropLast())) }
      ?? Diagnostic.Edit(range, quoted)
    return [Diagnostic.Fix("write \(Diagnostics.quoted(meant))", edits: [edit])]
  }

  /// The edit that puts the right name in the place of one token of a JSON Pointer.
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

  /// The edit that takes the quotes from a string which holds nothing but a number, or a truth
  /// value, as wanted.
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

  private var isKey: Bool { tree.nodes[index].isKey }

  /// The object that a key belongs to.
  private var container: JSONValue? {
    tree.root[JSONPointer(Array(pointer.tokens.dropLast()))]
  }
}

extension SourceText {
  /// This text after edits that do not overlap.
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
