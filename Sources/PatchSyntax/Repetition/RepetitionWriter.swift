import Diagnostics

/// Writes repetitions out: an object with a `"count"` becomes that many copies, with the number of
/// each copy in place of `{i}`.
///
/// The result is a new text; `SourceText.origin(of:)` maps its ranges back to the original. So the
/// readers and the changes of documents need not know about repetitions.
struct RepetitionWriter {
  /// The result of writing repetitions out.
  struct Result {
    var tree: JSONTree
    var copies: Copies
    var diagnostics: [Diagnostic]
    /// Whether the number and the names of the copies are known. If not, nothing else can be
    /// reported about the document.
    var isClear: Bool
  }

  /// The kind of a value's place, which decides what may be repeated there.
  private enum Place {
    case root, node, other
    /// An object or an array whose members may be repeated, with the place of each member.
    indirect case many(of: Place)

    func member(_ key: String?) -> Place {
      switch (self, key) {
      case (.root, "nodes"): .many(of: .node)
      case (.root, "callbacks"), (.root, "taps"), (.root, "connections"), (.root, "timeline"),
        (.node, "inputs"), (.node, "outputs"), (.node, "bands"):
        .many(of: .other)
      case (.many(let inner), _): inner
      default: .other
      }
    }
  }

  private let tree: JSONTree
  private let limits: PatchLimits
  private let constants: [String: Double?]
  private var parts: [SourceText.Part] = []
  /// The offset of the next part in the written text, and the length of the result so far.
  private var position = 0
  private var length = 0
  private var copies = Copies()
  private var open: [Int] = []
  private var numbers: [Int] = []
  private var count = 0
  /// The findings with their ranges in the written text, and the range in the result; `nil` for the
  /// same range.
  private var findings: [(diagnostic: Diagnostic, place: SourceRange?)] = []
  /// The offsets in the result of texts that have no value.
  private var invalid: Set<Int> = []
  private var isClear = true
  private var isOverLimit = false

  /// - Returns: `nil` where nothing is repeated.
  static func write(_ tree: JSONTree, limits: PatchLimits) -> Result? {
    guard tree.root.kind == .object, tree.hasKey("count") else { return nil }
    var writer = RepetitionWriter(tree, limits: limits)
    writer.writeValue(tree.root, .root)
    guard writer.count > 0 || !writer.findings.isEmpty else { return nil }
    writer.appendWritten(upTo: tree.source.bytes.count)
    guard writer.isClear, !writer.isOverLimit else { return writer.unclear }
    let source = SourceText(name: tree.source.name, parts: writer.parts)
    // Trailing commas and comments stand in each copy: they have been reported once.
    let reading = JSONReader.read(source, dialect: .jsonc)
    // Options that were refused may follow a document.
    guard let whole = reading.tree, reading.isStructureIntact else { return writer.unclear }
    let diagnostics = writer.findings.map { finding in
      var diagnostic = finding.diagnostic
      if let place = finding.place { diagnostic.range = place }
      return diagnostic
    }
    return Result(
      tree: whole.marking(invalidAt: writer.invalid), copies: writer.copies,
      diagnostics: diagnostics, isClear: true)
  }

  /// The result where copies are unknown: the original tree, and each finding once.
  private var unclear: Result {
    var seen: Set<Diagnostic> = []
    return Result(
      tree: tree, copies: Copies(),
      diagnostics: findings.map(\.diagnostic).filter { seen.insert($0).inserted }, isClear: false)
  }

  private init(_ tree: JSONTree, limits: PatchLimits) {
    self.tree = tree
    self.limits = limits
    var constants: [String: Double?] = [:]
    if let members = tree.root["constants"]?.members {
      for (key, value) in members {
        if let name = key.string, name != "comment" {
          constants.updateValue(value.number, forKey: name)
        }
      }
    }
    self.constants = constants
  }

  private var names: CopyFormula.Names {
    CopyFormula.Names(copies: numbers, constants: constants)
  }

  private mutating func report(_ diagnostic: Diagnostic) { findings.append((diagnostic, nil)) }

  // MARK: Writing

  private mutating func appendWritten(upTo end: Int) {
    guard end > position else { return }
    parts.append(.written(position..<end, in: tree.source))
    length += end - position
    position = end
  }

  private mutating func appendGenerated(_ text: String, for range: SourceRange) {
    parts.append(.generated(text, for: range, in: tree.source))
    length += text.utf8.count
  }

  /// Whether the result is within the limit of bytes; reports once where it is not.
  private mutating func hasRoom(_ json: JSONValue) -> Bool {
    guard length > limits.bytes, !isOverLimit else { return !isOverLimit }
    isOverLimit = true
    let allowed = Diagnostic.decimal(limits.bytes)
    report(
      SyntaxRules.bytes.diagnostic(
        .init("with its copies the document has more than \(allowed) bytes"),
        at: json.range, pointer: json.pointer.description,
        help: [limits.help(.bytes, needed: 2 * length)]))
    return false
  }

  /// Writes a value with the repetitions in it. Text that has no repetitions and no formulas is
  /// appended later, with the next part.
  private mutating func writeValue(_ json: JSONValue, _ place: Place) {
    switch json.kind {
    case .object:
      for (key, inside) in json.members {
        if key.string == "comment" { continue }
        writeMember(key, inside, place)
      }
    case .array:
      for element in json.elements { writeMember(nil, element, place) }
    case .string: if !numbers.isEmpty { writeText(json, isKey: false) }
    default: break
    }
  }

  private mutating func writeMember(_ key: JSONValue?, _ json: JSONValue, _ place: Place) {
    guard !isOverLimit else { return }
    let inner = place.member(key?.string)
    if case .many = place, json.kind == .object, let count = json["count"] {
      writeCopies(key, json, inner, count)
      return
    }
    // Most values cannot contain repetitions, and are outside of repetitions.
    if numbers.isEmpty, case .other = inner { return }
    if let key, !numbers.isEmpty { writeText(key, isKey: true) }
    writeValue(json, inner)
  }

  /// Writes all copies of a value.
  private mutating func writeCopies(
    _ key: JSONValue?, _ json: JSONValue, _ place: Place, _ count: JSONValue
  ) {
    let start = (key ?? json).localRange.lowerBound
    appendWritten(upTo: start)
    guard let copyCount = copyCount(count) else {
      isClear = false
      position = json.localRange.upperBound
      return
    }
    if let key, let name = key.string, copyCount > 1, CopyPattern(name) == nil {
      report(.oneName(key, name))
      isClear = false
    }
    self.count += 1
    let separator = "," + blank(before: start)
    for number in 0..<copyCount {
      if number > 0 { appendGenerated(separator, for: start..<start) }
      position = start
      numbers.append(number)
      let copy = copies.begin(at: length, of: start, numbers: numbers, in: open.last)
      open.append(copy)
      if let key { writeText(key, isKey: true) }
      writeMembers(of: json, place, without: count)
      appendWritten(upTo: json.localRange.upperBound)
      open.removeLast()
      copies.end(copy, at: length)
      numbers.removeLast()
      // Further copies would only repeat an error.
      if !hasRoom(count) || !isClear { break }
    }
    position = json.localRange.upperBound
  }

  /// Writes the members of a copy, without its count.
  private mutating func writeMembers(of json: JSONValue, _ place: Place, without count: JSONValue) {
    let all = Array(json.members)
    for (number, (key, inside)) in all.enumerated() {
      if inside.index == count.index {
        if number > 0 {
          appendWritten(upTo: all[number - 1].value.localRange.upperBound)
          position = inside.localRange.upperBound
        } else {
          appendWritten(upTo: key.localRange.lowerBound)
          position =
            all.count > 1 ? all[1].key.localRange.lowerBound : inside.localRange.upperBound
        }
      } else if key.string != "comment" {
        writeMember(key, inside, place)
      }
    }
  }

  /// The line end and the indentation in front of a place that begins its line; otherwise a blank.
  private func blank(before offset: Int) -> String {
    let bytes = tree.source.bytes
    var start = offset
    while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
    guard start > 0, bytes[start - 1] == 0x0A else { return " " }
    return "\n" + String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// Writes a string in a copy, with the values of its formulas. A string without formulas is left
  /// for the next part.
  private mutating func writeText(_ json: JSONValue, isKey: Bool) {
    guard let text = json.string, text.utf8.contains(UInt8(ascii: "{")),
      let pattern = CopyPattern(text)
    else { return }
    appendWritten(upTo: json.localRange.lowerBound)
    do throws(CopyPattern.Located) {
      let value = try pattern.text(names)
      let isNumber = pattern.isNumber && !isKey
      appendGenerated(isNumber ? value : JSONText.string(value).compact, for: json.localRange)
    } catch {
      let diagnostic = Diagnostic.formula(error, in: json)
      findings.append((diagnostic, length..<(length + 2)))
      if isKey { isClear = false }
      invalid.insert(length)
      appendGenerated("\"\"", for: diagnostic.range)
    }
    position = json.localRange.upperBound
  }

  // MARK: Counts

  /// The number of copies; `nil` where it is unclear, which is reported.
  private mutating func copyCount(_ json: JSONValue) -> Int? {
    var number = json.integer
    if json.kind == .string, let text = json.string {
      if text.utf8.first == UInt8(ascii: "$") {
        number = (constants[String(text.dropFirst())] ?? nil).flatMap { Int(exactly: $0) }
      } else if !numbers.isEmpty, let pattern = CopyPattern(text), pattern.isNumber {
        do throws(CopyPattern.Located) { number = Int(try pattern.text(names)) } catch {
          report(.formula(error, in: json))
          return nil
        }
      }
    }
    if json.kind == .invalid { return nil }
    guard let number, number >= 1 else {
      report(.count(json))
      return nil
    }
    guard number <= limits.nodes else {
      report(.tooManyCopies(json, number, limits))
      return nil
    }
    return number
  }
}

extension JSONTree {
  /// Whether any object has a member with a name. The name must not have characters that JSON
  /// escapes.
  fileprivate func hasKey(_ name: String) -> Bool {
    let wanted = Array(name.utf8)
    return containsRow { node in
      node.isKey && node.kind == .string && Int(node.end) - Int(node.start) == wanted.count + 2
        && source.bytes[(Int(node.start) + 1)..<(Int(node.end) - 1)].elementsEqual(wanted)
    }
  }

  /// The tree with the strings at some offsets made `invalid`.
  fileprivate func marking(invalidAt offsets: Set<Int>) -> JSONTree {
    guard !offsets.isEmpty else { return self }
    var nodes = self.nodes
    for row in nodes.indices where offsets.contains(Int(nodes[row].start)) {
      if nodes[row].kind == .string { nodes[row].kind = .invalid }
    }
    return JSONTree(source: source, nodes: nodes)
  }
}

// MARK: Wording

extension Diagnostic {
  fileprivate static func formula(_ error: CopyPattern.Located, in json: JSONValue) -> Diagnostic {
    PatchRules.repetition.diagnostic(
      .init(error.failure.message), at: json.range(ofText: error.range),
      pointer: json.pointer.description, help: [error.failure.help].filter { !$0.isEmpty })
  }

  fileprivate static func count(_ json: JSONValue) -> Diagnostic {
    PatchRules.repetition.diagnostic(
      "'count' is a whole number of at least 1, or a constant that is one", at: json.markRange,
      pointer: json.pointer.description, label: "how many copies?",
      help: ["write \"count\": 8, for example"], fixes: json.unquoting(for: .number))
  }

  fileprivate static func tooManyCopies(
    _ json: JSONValue, _ number: Int, _ limits: PatchLimits
  ) -> Diagnostic {
    PatchRules.nodes.diagnostic(
      "more than \(Message(decimal(limits.nodes))) copies", at: json.range,
      pointer: json.pointer.description, help: [limits.help(.nodes, needed: number)])
  }

  fileprivate static func oneName(_ key: JSONValue, _ name: String) -> Diagnostic {
    PatchRules.repetition.diagnostic(
      "all copies would be called \(Message(quoted(name)))", at: key.range,
      pointer: key.pointer.description, label: "without a number",
      help: ["put the number of each into its name: \"\(name)\" becomes \"\(name){i}\""],
      fixes: [
        Fix(
          "put {i} into the name",
          edits: [Edit(key.range(ofText: name.utf8.count..<name.utf8.count), "{i}")], isSafe: false)
      ])
  }
}
