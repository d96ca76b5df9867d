import AudioTypes
import Diagnostics

// MARK: Names and addresses

extension PatchReader {
  /// What the keys of an object are names of.
  enum NameKind { case source, format, tap, knob, test }

  /// Reads the members of an object, each under its name.
  ///
  /// - Parameter read: Reads a value; is called with the members before it, too.
  mutating func map<Value: Sendable>(
    _ json: JSONValue, _ name: String, _ kind: NameKind,
    _ read: (inout PatchReader, JSONValue, [PatchDocument.Member<Value>]) -> Value?
  ) -> [PatchDocument.Member<Value>] {
    guard check(json, name, .object, help: "write { \"name\": ... }: each under its name") else {
      return []
    }
    var members: [PatchDocument.Member<Value>] = []
    // A node is large, and an array that grows copies all of them each time.
    members.reserveCapacity(json.members.count())
    eachMember(of: json) { reader, key, name, value in
      // The value under a bad name is read anyway.
      if name.isEmpty || kind == .source && name.utf8.contains(UInt8(ascii: ":")) {
        reader.diagnostics.append(.badName(key, name))
      }
      guard let value = read(&reader, value, members) else { return }
      members.append(PatchDocument.Member(Located(name, at: key), consume value))
    }
    return members
  }

  /// The same for values that do not depend on those before them.
  mutating func map<Value: Sendable>(
    _ json: JSONValue, _ name: String, _ kind: NameKind,
    _ read: (inout PatchReader, JSONValue) -> Value?
  ) -> [PatchDocument.Member<Value>] {
    map(json, name, kind) { reader, value, _ in read(&reader, value) }
  }

  mutating func reportAmbiguousNames(_ document: PatchDocument) {
    guard !document.callbacks.isEmpty else { return }
    // By index, so that large patches are not copied.
    let names = NameSet(document.callbacks.lazy.map { $0.name })
    lazy var callbacks = Dictionary(
      document.callbacks.map { ($0.name, $0.key.json) }, uniquingKeysWith: { $1 })
    for index in document.nodes.indices {
      let key = document.nodes[index].key
      guard !key.value.isEmpty, names.contains(key.value),
        let callback = callbacks[key.value]
      else { continue }
      diagnostics.append(.ambiguous(key, callback: callback))
    }
  }

  mutating func address(
    _ json: JSONValue, _ name: String
  ) -> Located<PatchDocument.Address>? {
    guard check(json, name, .string, help: "write \"node\" or \"node:bus\""),
      let text = json.string
    else { return nil }
    let colon = text.firstColon
    // Most addresses have no bus.
    let node = colon.map { String(text[..<$0]) } ?? text
    guard !node.isEmpty else {
      diagnostics.append(.address(json, text, "the name is missing"))
      return nil
    }
    guard let colon else { return Located(PatchDocument.Address(node: node), at: json) }
    let bus = text[text.utf8.index(after: colon)...]
    if let number = Self.busNumber(String(bus)) {
      return Located(PatchDocument.Address(node: node, bus: number), at: json)
    }
    guard Self.mayBeName(bus) else {
      diagnostics.append(
        .address(
          json, text, bus.isEmpty ? "the bus is missing" : "this is no bus number",
          at: bus.isEmpty ? nil : Self.rangeOfBus(in: json)))
      return nil
    }
    return Located(PatchDocument.Address(node: node, element: String(bus)), at: json)
  }

  /// Whether the text after a colon may be the name of an element. A text of digits, signs and
  /// separators alone is meant as a number.
  static func mayBeName(_ text: Substring) -> Bool {
    text.utf8.contains { !"0123456789+-., ".utf8.contains($0) }
  }

  /// The range of the part after the colon; `nil` for a string with escapes, and for one that names
  /// a constant.
  private static func rangeOfBus(in json: JSONValue) -> SourceRange? {
    let content = json.contentRange
    guard json.isPlain else { return nil }
    let bytes = json.bytes(in: content)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (content.lowerBound + colon - bytes.startIndex + 1)..<content.upperBound
  }

  /// A bus number as the patch writes it: digits without leading zeros, at most 4294967295.
  package static func bus(_ text: String) -> Int? { busNumber(text) }

  static func busNumber(_ text: String) -> Int? {
    guard let number = JSONPointer.arrayIndex(text), number <= Int(UInt32.max) else { return nil }
    return number
  }
}

// MARK: Objects

extension PatchReader {
  /// Reads an object by its grammar: the first member of each key. Reports keys that are unknown or
  /// missing.
  mutating func read<Value>(
    _ json: JSONValue, as grammar: ObjectGrammar<Value>, into value: inout Value
  ) {
    let tree = json.tree
    var missing = grammar.requiredBits
    var unknown = 0
    var rows = JSONTree.MemberRows(of: json.index, in: tree)
    while let (keyRow, valueRow) = rows.next(in: tree) {
      guard isFirst(keyRow, in: tree) else { continue }
      let member = JSONValue(tree: tree, index: valueRow)
      if let index = grammar.keyTable.index(of: keyRow, in: tree) {
        missing &= ~(1 << UInt64(index))
        grammar.members[index].read(&self, member, &value)
        continue
      }
      let key = JSONValue(tree: tree, index: keyRow)
      guard let text = key.string, !isComment(text, member) else { continue }
      diagnostics.append(PatchRules.unknownKey, at: key.range) {
        .unknownKey(key, text, in: json, grammar.name, keys: grammar.keys)
      }
      // A misspelt key is not reported as missing too.
      let meant = grammar.keys.indices.filter {
        missing >> UInt64($0) & 1 == 1
          && nearMisses(to: text, among: [grammar.keys[$0]]) == [grammar.keys[$0]]
      }
      for index in meant { missing &= ~(1 << UInt64(index)) }
      if meant.isEmpty { unknown += 1 }
    }
    guard missing.nonzeroBitCount > unknown else { return }
    // A key that could not be read may be any of the missing ones.
    unknown += json.members.count { $0.key.range.isEmpty || $0.key.kind == .invalid }
    // Each unknown key may have been meant for a missing one.
    guard missing.nonzeroBitCount > unknown else { return }
    let names = grammar.keys.indices.filter { missing >> UInt64($0) & 1 == 1 }
    diagnostics.append(.missing(names.map { grammar.keys[$0] }, in: json, grammar.name))
  }

  /// Calls `read` with the key, the name and the value of the first member of each name. Comments
  /// are left out.
  mutating func eachMember(
    of json: JSONValue, _ read: (inout PatchReader, JSONValue, String, JSONValue) -> Void
  ) {
    let tree = json.tree
    var rows = JSONTree.MemberRows(of: json.index, in: tree)
    while let (keyRow, valueRow) = rows.next(in: tree) {
      guard isFirst(keyRow, in: tree) else { continue }
      let (key, value) = (
        JSONValue(tree: tree, index: keyRow), JSONValue(tree: tree, index: valueRow)
      )
      guard let name = names.text(of: key), !isComment(name, value) else { continue }
      read(&self, key, name, value)
    }
  }

  /// Whether a key is there, and no earlier member of its object has the same.
  private func isFirst(_ key: Int, in tree: JSONTree) -> Bool {
    tree.nodes[key].end > tree.nodes[key].start
      && (repeatedKeys.isEmpty || !repeatedKeys.contains(key))
  }

  /// Whether a member is a comment, whose type is checked.
  private mutating func isComment(_ key: String, _ value: JSONValue) -> Bool {
    guard key == "comment" else { return false }
    checkComment(value)
    return true
  }

  /// The members of an object that `read` does not take.
  ///
  /// - Parameter read: Is called with the key and the value of each member, and returns whether it
  ///   has taken the member.
  mutating func fields(
    _ json: JSONValue, _ name: String, required: [String],
    _ read: (inout PatchReader, String, JSONValue) -> Bool
  ) -> [PatchDocument.Field] {
    var fields: [PatchDocument.Field] = []
    var missing = required
    eachMember(of: json) { reader, key, text, value in
      if !missing.isEmpty { missing.removeAll { $0 == text } }
      if !read(&reader, text, value), value.kind != .invalid {
        fields.append(PatchDocument.Field(Located(text, at: key), value))
      }
    }
    guard !missing.isEmpty else { return fields }
    // A field may be a required key that is misspelt, or a synonym of one.
    fields.removeAll { field in
      let key = missing.first {
        Synonyms.didYouMean(field.name, among: [$0], knownAs: Synonyms.keys) != nil
      }
      guard let key else { return false }
      missing.removeAll { $0 == key }
      diagnostics.append(.misspelt(field.key.json, field.name, for: key, name))
      return true
    }
    guard !missing.isEmpty else { return fields }
    let unread = json.members.count { $0.key.range.isEmpty || $0.key.kind == .invalid }
    if missing.count > unread { diagnostics.append(.missing(missing, in: json, name)) }
    return fields
  }

  mutating func settings(_ json: JSONValue, _ name: String) -> [PatchDocument.Field] {
    guard check(json, name, .object) else { return [] }
    return fields(json, name, required: []) { _, _, _ in false }
  }

  private mutating func checkComment(_ json: JSONValue) {
    let isText =
      json.kind == .string || json.kind == .invalid
      || json.kind == .array
        && json.elements.allSatisfy { $0.kind == .string || $0.kind == .invalid }
    if !isText {
      reportType(
        json, "'comment'", "a string",
        help: "'comment' is for the reader of a patch; give this another name if it means something"
      )
    }
  }
}

// MARK: Values

extension PatchReader {
  mutating func check(
    _ json: JSONValue, _ name: String, _ kind: JSONValue.Kind, help: String? = nil
  ) -> Bool {
    if json.kind == kind { return true }
    let expected =
      switch kind {
      case .null: "null"
      case .bool: "true or false"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      case .invalid: "a value"
      }
    reportType(json, name, expected, wanted: kind, help: help)
    return false
  }

  mutating func reportType(
    _ json: JSONValue, _ name: String, _ expected: String, wanted: JSONValue.Kind? = nil,
    help: String? = nil
  ) {
    // An invalid value has been reported.
    if json.kind == .invalid { return }
    diagnostics.append(PatchRules.type, at: json.markRange) {
      .wrongType(json, name, expected, wanted: wanted, help: help)
    }
  }

  mutating func array(_ json: JSONValue, _ name: String) -> [JSONValue] {
    check(json, name, .array, help: "write [ ... ]") ? Array(json.elements) : []
  }

  mutating func string(_ json: JSONValue, _ name: String) -> Located<String>? {
    guard check(json, name, .string), let text = json.string else { return nil }
    return Located(text, at: json)
  }

  mutating func bool(_ json: JSONValue, _ name: String) -> Located<Bool>? {
    guard check(json, name, .bool), let value = json.bool else { return nil }
    return Located(value, at: json)
  }

  /// A four-character code, its name, or its number.
  mutating func code(_ json: JSONValue, _ name: String) -> JSONValue? {
    if json.kind == .string || json.kind == .number { return json }
    reportType(json, name, "a four-character code or a number")
    return nil
  }

  /// The value of a member that a setting describes.
  ///
  /// - Parameter rule: What a number out of range breaks, or a text that is none of the words.
  mutating func setting<Part: SettingPart>(
    _ json: JSONValue, _ info: SettingInfo, _ rule: Rule = PatchRules.range
  ) -> Located<Part>? {
    let value = json.value(for: info)
    if let value, info.accepts(value), let part = Part(setting: value) {
      return Located(part, at: json)
    }
    // An invalid value has been reported.
    guard json.kind != .invalid else { return nil }
    let isOutOfRange = value != nil || json.number?.isFinite == false
    let broken = isOutOfRange ? rule : PatchRules.type
    diagnostics.append(broken, at: json.markRange) {
      .refusal(of: json, value, by: info, broken)
    }
    return nil
  }

  /// A time or a duration: 0 to ten years.
  mutating func time(_ json: JSONValue, _ name: String) -> Located<PatchDocument.Time>? {
    guard json.kind == .object else {
      guard
        json.number(in: .seconds) != nil
          || check(
            json, name, .number,
            help:
              "write a number of seconds, \"250 ms\", { \"frames\": 48000 } or { \"beats\": 4 }")
      else { return nil }
      return nonNegative(json, name, "seconds", below: 315_576_000).map {
        Located(.seconds($0), at: json)
      }
    }
    let errors = diagnostics.count
    var written = PatchGrammar.WrittenTime()
    read(json, as: PatchGrammar.time, into: &written)
    if diagnostics.count > errors { return nil }
    guard written.times.count == 1 else {
      diagnostics.append(.oneUnit(json, isEmpty: written.times.isEmpty))
      return nil
    }
    return Located(written.times[0], at: json)
  }

  /// A number of at least 0 and below a limit; a text with a unit of time is in seconds.
  mutating func nonNegative(
    _ json: JSONValue, _ name: String, _ unit: String, below limit: Double
  ) -> Double? {
    guard let value = json.number(in: .seconds) else { return nil }
    guard value >= 0, value < limit else {
      diagnostics.append(
        .outOfRange(json, name, "a number of \(unit) of at least 0", isTooGreat: value > 0))
      return nil
    }
    return value
  }

  /// A whole number that fits a `UInt32`; `range` says in words what it is to be.
  mutating func count(
    _ json: JSONValue, _ name: String,
    expecting range: String = "a whole number from 0 to 4294967295"
  ) -> Located<Int>? {
    guard check(json, name, .number), let number = json.number else { return nil }
    guard let value = json.integer, 0...Int(UInt32.max) ~= value else {
      diagnostics.append(
        .outOfRange(json, name, range, isTooGreat: number > Double(UInt32.max)))
      return nil
    }
    return Located(value, at: json)
  }
}

extension String {
  /// The first colon; `nil` for none. Not by an iterator, which takes four times as long: a large patch has
  /// many addresses.
  fileprivate var firstColon: String.Index? {
    let bytes = utf8.span
    for offset in bytes.indices where bytes[offset] == UInt8(ascii: ":") {
      return utf8.index(startIndex, offsetBy: offset)
    }
    return nil
  }
}
