import Diagnostics

/// Writes repetitions out: an object with a `"count"` becomes so many copies, with the number of
/// each in place of `{i}`.
///
/// The result is a text of its own; `SourceText.origin(of:)` maps its ranges back to the written
/// text. So the readers and the changes of documents handle copies only.
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
    /// An object or an array whose members may be repeated, and the place that each of them is.
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
  /// The offset of the next part: in the written text, and in the result.
  private var position = 0
  private var length = 0
  private var copies = Copies()
  private var open: [Int] = []
  private var numbers: [Int] = []
  private var count = 0
  /// The findings, with their ranges in the written text, and their ranges in the result where they
  /// have one.
  private var findings: [(diagnostic: Diagnostic, place: SourceRange?)] = []
  /// The offsets in the result of texts that have no value.
  private var invalid: Set<Int> = []
  private var isClear = true
  private var isTooMuch = false

  /// - Returns: `nil` where nothing is repeated.
  static func write(_ tree: JSONTree, limits: PatchLimits) -> Result? {
    guard tree.root.kind == .object, tree.hasKey("count") else { return nil }
    var writer = RepetitionWriter(tree, limits: limits)
    writer.value(tree.root, .root)
    guard writer.count > 0 || !writer.findings.isEmpty else { return nil }
    writer.emit(to: tree.source.bytes.count)
    guard writer.isClear, !writer.isTooMuch else { return writer.unclear }
    let source = SourceText(name: tree.source.name, parts: writer.parts)
    let reading = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name))
    // Options that were refused may follow a document.
    guard let whole = reading.tree, !reading.hasErrors else { return writer.unclear }
    let diagnostics = writer.findings.map { finding in
      var diagnostic = finding.diagnostic
      if let place = finding.place { diagnostic.range = place }
      return diagnostic
    }
    return Result(
      tree: whole.marking(invalidAt: writer.invalid), copies: writer.copies,
      diagnostics: diagnostics, isClear: true)
  }

  /// The result with the findings alone, each once.
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

  private mutating func emit(to end: Int) {
    guard end > position else { return }
    parts.append(.written(position..<end, in: tree.source))
    length += end - position
    position = end
  }

  private mutating func make(_ text: String, for range: SourceRange) {
    parts.append(.generated(text, for: range, in: tree.source))
    length += text.utf8.count
  }

  /// Whether the text is within its limit; reports once where it is not.
  private mutating func hasRoom(_ json: JSONValue) -> Bool {
    guard length > limits.bytes, !isTooMuch else { return !isTooMuch }
    isTooMuch = true
    let allowed = Diagnostic.decimal(limits.bytes)
    report(
      SyntaxRules.bytes.diagnostic(
        .init("with its copies the document has more than \(allowed) bytes"),
        at: json.range, pointer: json.pointer.description,
        help: [limits.help(.bytes, needed: 2 * length)]))
    return false
  }

  /// Writes a value, with the repetitions in it. The text in front of it has been written, or will
  /// be with the next part.
  private mutating func value(_ json: JSONValue, _ place: Place) {
    switch json.kind {
    case .object:
      for (key, inside) in json.members {
        if key.string == "comment" { continue }
        member(key, inside, place)
      }
    case .array:
      for element in json.elements { member(nil, element, place) }
    case .string: if !numbers.isEmpty { text(json, isKey: false) }
    default: break
    }
  }

  private mutating func member(_ key: JSONValue?, _ json: JSONValue, _ place: Place) {
    guard !isTooMuch else { return }
    let inner = place.member(key?.string)
    if case .many = place, json.kind == .object, let count = json["count"] {
      repeated(key, json, inner, count)
      return
    }
    // Most values cannot be repeated, and are in nothing that is repeated.
    if numbers.isEmpty, case .other = inner { return }
    if let key, !numbers.isEmpty { text(key, isKey: true) }
    value(json, inner)
  }

  /// Writes all copies of a value.
  private mutating func repeated(
    _ key: JSONValue?, _ json: JSONValue, _ place: Place, _ count: JSONValue
  ) {
    let start = (key ?? json).localRange.lowerBound
    emit(to: start)
    guard let times = times(count) else {
      isClear = false
      position = json.localRange.upperBound
      return
    }
    if let key, let name = key.string, times > 1, CopyPattern(name) == nil {
      report(.oneName(key, name))
      isClear = false
    }
    self.count += 1
    let separator = "," + blank(before: start)
    for number in 0..<times {
      if number > 0 { make(separator, for: start..<start) }
      position = start
      numbers.append(number)
      let copy = copies.begin(at: length, of: start, numbers: numbers, in: open.last)
      open.append(copy)
      if let key { text(key, isKey: true) }
      members(of: json, place, without: count)
      emit(to: json.localRange.upperBound)
      open.removeLast()
      copies.end(copy, at: length)
      numbers.removeLast()
      // The other copies would only repeat an error. A name may be right in the first copy alone.
      if !hasRoom(count) || !isClear { break }
    }
    position = json.localRange.upperBound
  }

  /// Writes the members of a copy, without its count.
  private mutating func members(of json: JSONValue, _ place: Place, without count: JSONValue) {
    let all = Array(json.members)
    for (number, (key, inside)) in all.enumerated() {
      if inside.index == count.index {
        if number > 0 {
          emit(to: all[number - 1].value.localRange.upperBound)
          position = inside.localRange.upperBound
        } else {
          emit(to: key.localRange.lowerBound)
          position =
            all.count > 1 ? all[1].key.localRange.lowerBound : inside.localRange.upperBound
        }
      } else if key.string != "comment" {
        member(key, inside, place)
      }
    }
  }

  /// The line end and the blanks in front of a place, where it begins its line; else a blank.
  private func blank(before offset: Int) -> String {
    let bytes = tree.source.bytes
    var start = offset
    while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
    guard start > 0, bytes[start - 1] == 0x0A else { return " " }
    return "\n" + String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// Writes a text of a copy.
  private mutating func text(_ json: JSONValue, isKey: Bool) {
    guard let text = json.string, text.utf8.contains(UInt8(ascii: "{")),
      let pattern = CopyPattern(text)
    else { return }
    emit(to: json.localRange.lowerBound)
    do throws(CopyPattern.Located) {
      let value = try pattern.text(names)
      let isNumber = pattern.isNumber && !isKey
      make(isNumber ? value : JSONText.string(value).compact, for: json.localRange)
    } catch {
      let diagnostic = Diagnostic.formula(error, in: json)
      findings.append((diagnostic, length..<(length + 2)))
      if isKey { isClear = false }
      invalid.insert(length)
      make("\"\"", for: diagnostic.range)
    }
    position = json.localRange.upperBound
  }

  // MARK: Counts

  /// The number of copies; `nil` where it is unclear, which is reported.
  private mutating func times(_ json: JSONValue) -> Int? {
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
  /// Whether an object has a member with a name, which must have no character that JSON escapes.
  fileprivate func hasKey(_ name: String) -> Bool {
    let wanted = Array(name.utf8)
    return nodes.contains { node in
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
